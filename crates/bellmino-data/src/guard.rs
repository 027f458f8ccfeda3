//! Parsers of others, which may panic on damaged data: here that ends as an error, and prints nothing.

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    /// Whether a panic of this thread is ours to report.
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// What the work gives, or what it said when it panicked. Whatever the work borrows is not to be used after that.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !IS_GUARDED.get() {
                usual(info);
            }
        }));
    });
    let before = IS_GUARDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    IS_GUARDED.set(before);
    result.map_err(|panic| said(&*panic))
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "it gave up".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_with_its_words() {
        assert_eq!(guarded(|| 7), Ok(7));
        let inner = || guarded::<()>(|| panic!("number {}", 3));
        assert_eq!(guarded(inner), Ok(Err("number 3".to_owned())));
        assert!(!IS_GUARDED.get());
    }
}
