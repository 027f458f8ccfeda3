//! The bot's only clock: processor time of the thread that thinks.

use std::time::Duration;

/// Measures how long a thought takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timer(Moment);

impl Timer {
    pub fn start() -> Timer {
        Timer(now())
    }

    /// Processor time since the start.
    pub fn elapsed(self) -> Duration {
        since(self.0)
    }
}

#[cfg(not(target_arch = "wasm32"))]
use machine::{Moment, now, since};
#[cfg(target_arch = "wasm32")]
pub use page::set_clock;
#[cfg(target_arch = "wasm32")]
use page::{Moment, now, since};

#[cfg(not(target_arch = "wasm32"))]
mod machine {
    use std::time::Duration;

    use cpu_time::ThreadTime;

    pub type Moment = ThreadTime;

    #[expect(clippy::disallowed_methods, reason = "the one clock: a budget may be a time")]
    pub fn now() -> Moment {
        ThreadTime::now()
    }

    pub fn since(begin: Moment) -> Duration {
        begin.elapsed()
    }
}

/// WebAssembly has no clock of its own: the page gives one, and until then no time goes by.
#[cfg(target_arch = "wasm32")]
mod page {
    use std::sync::OnceLock;
    use std::time::Duration;

    static CLOCK: OnceLock<fn() -> f64> = OnceLock::new();

    /// Gives the bot a clock, in milliseconds since any moment. What was given first counts. Without one a budget in milliseconds
    /// never ends: give nodes.
    pub fn set_clock(milliseconds: fn() -> f64) {
        let _ = CLOCK.set(milliseconds);
    }

    pub type Moment = f64;

    pub fn now() -> Moment {
        CLOCK.get().map_or(0.0, |clock| clock())
    }

    pub fn since(begin: Moment) -> Duration {
        Duration::try_from_secs_f64((now() - begin) / 1000.0).unwrap_or_default()
    }
}
