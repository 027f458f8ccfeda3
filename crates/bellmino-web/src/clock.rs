//! The lab's clock, in milliseconds since the lab began.

use std::time::Instant;

/// A clock; clones show the same time.
#[derive(Clone, Debug)]
pub enum LabClock {
    /// That of the machine.
    Real(Instant),
    /// One that a test sets.
    #[cfg(test)]
    Handed(std::sync::Arc<std::sync::atomic::AtomicU64>),
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
            #[cfg(test)]
            LabClock::Handed(time) => f64::from_bits(time.load(std::sync::atomic::Ordering::SeqCst)),
        }
    }
}
