//! A picture of timed play: everything there is to draw.

use serde::Serialize;

use super::board::HEIGHT;
use super::keys::dropped;
use super::r#match::Stats;
use super::piece::Piece;
use super::placement::Placement;
use super::score::Clear;
use super::timed::Timed;
use crate::outcome::Outcome;

/// Everything there is to draw.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Frame {
    /// Milliseconds of game time.
    pub time: u64,
    /// Forty rows from the bottom, a letter for each cell: a piece, `G` for garbage, `.` if empty.
    pub rows: Vec<String>,
    /// The piece in play.
    pub active: Option<Placement>,
    /// Its cells, column and row.
    pub cells: Vec<(i8, i8)>,
    /// Where it would land.
    pub ghost: Vec<(i8, i8)>,
    /// The held piece.
    pub hold: Option<Piece>,
    /// Whether hold has been used for this piece.
    pub hold_spent: bool,
    /// The pieces to come.
    pub queue: Vec<Piece>,
    /// What has happened so far.
    pub stats: Stats,
    /// Keys pressed so far.
    pub presses: u32,
    /// How the game ended, if it has.
    pub outcome: Option<Outcome>,
    /// Whether the next special clear is back-to-back.
    pub back_to_back: bool,
    /// Clears in a row so far.
    pub combo: u32,
    /// The last clear or spin.
    pub last_clear: Option<Clear>,
    /// The last clear for people.
    pub last_clear_text: Option<String>,
}

impl Timed {
    /// Everything there is to draw.
    pub fn frame(&self) -> Frame {
        let active = self.active();
        let ghost = active.map(|at| dropped(&self.game().position().board, &at));
        let cells = |at: Option<Placement>| at.map_or(vec![], |at| at.cells().to_vec());
        Frame {
            time: self.time(),
            rows: (0..HEIGHT).map(|y| self.colours().row_text(y)).collect(),
            active,
            cells: cells(active),
            ghost: cells(ghost),
            hold: self.game().position().hold,
            hold_spent: !self.game().may_hold(),
            queue: self.game().queue()[1..].to_vec(),
            stats: *self.game().stats(),
            presses: self.presses(),
            back_to_back: self.game().position().back_to_back,
            combo: self.game().position().combo,
            last_clear: self.last_clear(),
            last_clear_text: self.last_clear().map(|clear| clear.to_string()),
            outcome: self.outcome(),
        }
    }
}
