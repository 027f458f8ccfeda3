//! Time: the lab has no clock of its own, it is handed one.

use std::time::Duration;

/// Who knows the time since some moment that does not matter. Only the seconds in reports depend on it.
#[derive(Clone, Copy, Debug)]
pub struct Clock(pub fn() -> Duration);

impl Clock {
    /// A clock that stands still: everything takes no time at all.
    pub const STOPPED: Clock = Clock(|| Duration::ZERO);

    /// The time now.
    pub fn now(self) -> Duration {
        (self.0)()
    }

    /// The time since a moment of this clock.
    pub fn since(self, begin: Duration) -> Duration {
        self.now().saturating_sub(begin)
    }
}

impl Default for Clock {
    fn default() -> Clock {
        Clock::STOPPED
    }
}

/// How many in a second; 0 where no clock was running.
pub(crate) fn per_second(count: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { count as f64 / seconds.max(1e-9) } else { 0.0 }
}
