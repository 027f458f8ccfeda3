//! The lab's clock, in milliseconds since the lab began.

use std::time::Instant;

/// A clock; clones show the same time.
#[derive(Clone, Debug)]
pub enum LabClock {
    /// That of the machine.
    Real(Instant),
}

impl LabClock {
    /// A clock that begins now.
    pub fn start() -> LabClock {
        LabClock::Real(Instant::now())
    }

    /// The time.
    pub fn now(&self) -> f64 {
        match self {
            LabClock::Real(begin) => begin.elapsed().as_secs_f64() * 1000.0,
        }
    }
}
