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
    /// Points for drops, where the game has them.
    #[serde(default)]
    pub drop_points: u64,
}

impl GameResult {
    /// Points, those for drops included.
    pub fn score_with_drops(&self) -> f64 {
        self.score + self.drop_points as f64
    }

    /// Whether the game was lost, not stopped.
    pub fn is_lost(&self) -> bool {
        self.outcome == Some(Outcome::ToppedOut)
    }
}
