//! Ctrl-C: the first one asks the work to end with what is known, the second one ends at once.

use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Starts to listen for Ctrl-C and for requests to terminate.
pub fn watch() -> anyhow::Result<()> {
    ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    })?;
    Ok(())
}

/// Whether the work should go on.
pub fn go_on() -> bool {
    !INTERRUPTED.load(Ordering::Relaxed)
}
