//! What may differ from one guideline game to another.

use serde::{Deserialize, Serialize};

use super::kicks::Kicks;
use super::score::ScoreTable;

/// The rules of a guideline game: plain data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rules {
    /// How pieces turn.
    pub kicks: Kicks,
    /// Points.
    pub score: ScoreTable,
    /// How many pieces after the current one are in sight.
    pub previews: usize,
    /// Whether a piece may be held, once per piece.
    pub hold: bool,
    /// When the game is done.
    pub goal: Goal,
}

/// When a game is done; whichever comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Goal {
    /// Rows to clear.
    pub lines: Option<u32>,
    /// Pieces to place.
    pub pieces: Option<u32>,
    /// Seconds of timed play.
    pub seconds: Option<u32>,
}

impl Rules {
    /// No goal.
    pub const PRACTICE: Rules = Rules {
        kicks: Kicks::Srs,
        score: ScoreTable::SEED,
        previews: 5,
        hold: true,
        goal: Goal { lines: None, pieces: None, seconds: None },
    };

    /// Forty rows.
    pub const SPRINT: Rules =
        Rules { goal: Goal { lines: Some(40), pieces: None, seconds: None }, ..Rules::PRACTICE };

    /// 360 pieces, or three minutes in timed play.
    pub const BLITZ: Rules =
        Rules { goal: Goal { lines: None, pieces: Some(360), seconds: Some(180) }, ..Rules::PRACTICE };
}

impl Default for Rules {
    fn default() -> Self {
        Rules::PRACTICE
    }
}
