//! What came of a game.

use bellmino_engine::Outcome;
use serde::{Deserialize, Serialize};

/// What came of one game of either family: all that training asks of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GameResult {
    /// Pieces placed, a fatal one too.
    pub pieces: u64,
    /// Rows cleared.
    pub lines: u64,
    /// Points, without those for drops.
    pub score: f64,
    /// How it ended; `None` if it was stopped.
    pub outcome: Option<Outcome>,
    /// Key presses, where they are counted.
    pub keys: u64,
}

impl GameResult {
    /// Whether the game was lost, not stopped.
    pub fn is_lost(&self) -> bool {
        self.outcome == Some(Outcome::ToppedOut)
    }
}
