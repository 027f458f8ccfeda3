//! How urgent a thread is: whoever plays comes first, then whoever waits for an answer, and training last.

use std::cell::Cell;

/// By how much short work gives way to keys and pictures.
pub const SHORT: i32 = 2;

/// By how much long work gives way that somebody waits for.
pub const WAITED_FOR: i32 = 10;

/// By how much work gives way that nobody waits for.
pub const BACKGROUND: i32 = 19;

/// Lets this thread give way to others, and with it every thread and every program that it starts. It stays so: a thread cannot
/// become more urgent. Only Linux knows this of single threads; elsewhere nothing happens.
pub fn lower(by: i32) {
    #[cfg(target_os = "linux")]
    // SAFETY: a number goes in and a number comes out. If the system refuses, the thread is as urgent as before.
    unsafe {
        libc::nice(by);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = by;
}

/// The same for a thread that is lent again and again, as those of the runtime for work that blocks: it gives way once.
pub fn lower_once(by: i32) {
    thread_local!(static IS_LOWERED: Cell<bool> = const { Cell::new(false) });
    if !IS_LOWERED.replace(true) {
        lower(by);
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::fs;
    use std::thread;

    /// How much the thread gives way, as the system says.
    fn niceness() -> i32 {
        let text = fs::read_to_string("/proc/thread-self/stat").unwrap();
        // After the name, which may have anything in it.
        let (_, fields) = text.rsplit_once(')').unwrap();
        fields.split_whitespace().nth(16).unwrap().parse().unwrap()
    }

    #[test]
    fn a_thread_gives_way_and_so_does_what_it_starts() {
        let before = niceness();
        let inside = thread::spawn(|| {
            lower(WAITED_FOR);
            (niceness(), thread::spawn(niceness).join().unwrap())
        });
        let lowered = (before + WAITED_FOR).min(19);
        assert_eq!(inside.join().unwrap(), (lowered, lowered));
        let lent = thread::spawn(|| {
            (0..3).for_each(|_| lower_once(SHORT));
            niceness()
        });
        assert_eq!(lent.join().unwrap(), (before + SHORT).min(19));
        assert_eq!(niceness(), before, "the others are as urgent as they were");
    }
}
