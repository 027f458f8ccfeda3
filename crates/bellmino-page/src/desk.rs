//! Where work is done: whether somebody still waits for it, what time it is, and who hears of it meanwhile.

use std::time::Duration;

use bellmino_exact::{SolveError, Watch};
use serde_json::Value;
use thiserror::Error;

/// What kind of work it is; each has its own room beside the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobKind {
    /// At most about a tenth of a second.
    Short,
    /// A machine thinks about its moves.
    Think,
    /// A whole game is looked at.
    Judge,
    /// A small game is solved: much memory, so that there is one at a time.
    Solve,
}

/// What the host gives to work of a session, wherever it is done.
pub trait Desk: Sync {
    /// Whether somebody still waits for it. Asked often.
    fn go_on(&self) -> bool;

    /// The time in milliseconds, on the clock that sessions are told the time of.
    fn now(&self) -> f64;

    /// Tells the page something before the work is done.
    fn tell(&self, event: &Value);
}

/// Nobody ends the work and nobody hears of it, and the clock stands still.
#[derive(Clone, Copy, Debug, Default)]
pub struct QuietDesk;

impl Desk for QuietDesk {
    fn go_on(&self) -> bool {
        true
    }

    fn now(&self) -> f64 {
        0.0
    }

    fn tell(&self, _: &Value) {}
}

/// Ends the work when nobody waits for it, or when it takes too long.
pub struct Patience<'a> {
    desk: &'a dyn Desk,
    begin: f64,
    limit: Duration,
}

/// Why a game was not solved.
#[derive(Debug, Error)]
pub enum Impatience {
    /// It would take longer than so many seconds.
    #[error("this takes more than {0} seconds; choose a smaller board")]
    TooLong(u64),
    /// Nobody waits for it any more.
    #[error("{CANCELLED}")]
    Cancelled,
    /// It cannot be solved.
    #[error(transparent)]
    Solve(SolveError),
}

/// What is answered where nobody waits for the answer any more.
pub const CANCELLED: &str = "cancelled";

impl<'a> Patience<'a> {
    /// Patience for so long.
    pub fn new(desk: &'a dyn Desk, limit: Duration) -> Patience<'a> {
        Patience { desk, begin: desk.now(), limit }
    }

    /// Whether the time was too short.
    pub fn is_over(&self) -> bool {
        self.desk.now() - self.begin >= self.limit.as_secs_f64() * 1000.0
    }

    /// Why a game was not solved.
    pub fn explain(&self, error: SolveError) -> Impatience {
        match error {
            SolveError::Interrupted if self.desk.go_on() => Impatience::TooLong(self.limit.as_secs()),
            SolveError::Interrupted => Impatience::Cancelled,
            error => Impatience::Solve(error),
        }
    }
}

impl Watch for Patience<'_> {
    fn go_on(&self) -> bool {
        self.desk.go_on() && !self.is_over()
    }
}
