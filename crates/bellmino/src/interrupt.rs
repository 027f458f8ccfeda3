//! Ctrl-C: the first one asks the work to end with what is known, the second one ends at once.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use signal_hook::{consts, flag};

static INTERRUPTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Signals that ask for an end. The first is the one that other programs listen for too.
#[cfg(unix)]
const SIGNALS: [i32; 3] = [consts::SIGINT, consts::SIGTERM, consts::SIGHUP];
#[cfg(not(unix))]
const SIGNALS: [i32; 2] = [consts::SIGINT, consts::SIGTERM];

/// What happens when a signal comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Disposition {
    /// The program ends.
    Default,
    /// Nothing, as whoever started the program wants it: `nohup` for a terminal that is closed.
    Ignored,
    /// Somebody listens.
    Handled,
}

/// Starts to listen for Ctrl-C and for requests to terminate, if nobody does yet. What is ignored stays so.
pub fn watch() -> io::Result<()> {
    static BEGUN: AtomicBool = AtomicBool::new(false);
    if BEGUN.swap(true, Ordering::Relaxed) || disposition(SIGNALS[0]) == Disposition::Handled {
        return Ok(());
    }
    for signal in SIGNALS {
        if disposition(signal) == Disposition::Default {
            // In this order, so that only the second one ends at once.
            flag::register_conditional_shutdown(signal, 130, Arc::clone(&INTERRUPTED))?;
            flag::register(signal, Arc::clone(&INTERRUPTED))?;
        }
    }
    Ok(())
}

/// Whether the work should go on.
pub fn go_on() -> bool {
    !INTERRUPTED.load(Ordering::Relaxed)
}

#[cfg(unix)]
fn disposition(signal: i32) -> Disposition {
    // SAFETY: an action is plain numbers, for which zeros will do. Nothing is changed: the one in force is written into it.
    let action = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &raw mut action);
        action
    };
    match action.sa_sigaction {
        libc::SIG_DFL => Disposition::Default,
        libc::SIG_IGN => Disposition::Ignored,
        _ => Disposition::Handled,
    }
}

#[cfg(not(unix))]
fn disposition(_: i32) -> Disposition {
    Disposition::Default
}
