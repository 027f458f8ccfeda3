//! The solver's clock: only for the seconds in a report. No result depends on it.

/// Measures how long something takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch(Moment);

impl Stopwatch {
    pub(crate) fn start() -> Stopwatch {
        Stopwatch(now())
    }

    /// Seconds since the start.
    pub(crate) fn seconds(self) -> f64 {
        seconds_since(self.0)
    }
}

#[cfg(not(target_arch = "wasm32"))]
use machine::{Moment, now, seconds_since};
#[cfg(target_arch = "wasm32")]
pub use page::set_clock;
#[cfg(target_arch = "wasm32")]
use page::{Moment, now, seconds_since};

#[cfg(not(target_arch = "wasm32"))]
mod machine {
    use std::time::Instant;

    pub type Moment = Instant;

    #[expect(clippy::disallowed_methods, reason = "the one place where the solver reads a clock")]
    pub fn now() -> Moment {
        Instant::now()
    }

    pub fn seconds_since(begin: Moment) -> f64 {
        begin.elapsed().as_secs_f64()
    }
}

/// WebAssembly has no clock of its own: the page gives one, and until then no time goes by.
#[cfg(target_arch = "wasm32")]
mod page {
    use std::sync::OnceLock;

    static CLOCK: OnceLock<fn() -> f64> = OnceLock::new();

    /// Gives the solver a clock, in milliseconds since any moment. What was given first counts.
    pub fn set_clock(milliseconds: fn() -> f64) {
        let _ = CLOCK.set(milliseconds);
    }

    pub type Moment = f64;

    pub fn now() -> Moment {
        CLOCK.get().map_or(0.0, |clock| clock())
    }

    pub fn seconds_since(begin: Moment) -> f64 {
        (now() - begin).max(0.0) / 1000.0
    }
}
