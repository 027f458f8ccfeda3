//! Ctrl-C: the first one asks the work to end with what is known, the second one ends at once.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::session;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Starts to listen for Ctrl-C and for requests to terminate, if nobody does yet.
pub fn watch() -> anyhow::Result<()> {
    let listening = ctrlc::try_set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    });
    match listening {
        Ok(()) | Err(ctrlc::Error::MultipleHandlers) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Whether the work should go on.
pub fn go_on() -> bool {
    !INTERRUPTED.load(Ordering::Relaxed) && session::current().is_none_or(|session| !session.is_stopped())
}
