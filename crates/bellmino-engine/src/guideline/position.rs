//! A position: what the rules need to know to play on, apart from the pieces to come.

use thiserror::Error;

use super::board::Board;
use super::piece::Piece;
use super::placement::Placement;
use super::score::{Clear, ScoreTable};

/// Board, held piece and running bonuses. Small, copied freely, the node of a search; equal
/// positions have equal futures for the same queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Position {
    /// Filled cells.
    pub board: Board,
    /// The held piece.
    pub hold: Option<Piece>,
    /// Whether the last clear keeps back-to-back alive.
    pub back_to_back: bool,
    /// Clears in a row so far.
    pub combo: u32,
}

/// What [`Position::play`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    /// What was cleared and scored.
    pub clear: Clear,
    /// Pieces taken from the queue: 2 when holding into an empty slot, else 1.
    pub used: usize,
}

/// Why a placement cannot be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PlayError {
    /// Neither the current nor the other piece at hand.
    #[error("piece {0} is not at hand")]
    NotAtHand(Piece),
    /// It overlaps filled cells or leaves the board.
    #[error("{0} does not fit")]
    DoesNotFit(Placement),
    /// It would fall further.
    #[error("{0} does not rest on anything")]
    Floats(Placement),
    /// There is no way from the spawn to that place with that spin.
    #[error("{0} cannot be reached")]
    Unreachable(Placement),
    /// A piece has been held since the last one was placed, or the rules have no hold.
    #[error("hold cannot be used now")]
    HoldSpent,
    /// The game has ended.
    #[error("the game is over")]
    Over,
}

impl Position {
    /// The pieces that may be placed now: the current one and, with hold, the held one or, with
    /// an empty slot, the next in the queue; each once.
    pub fn at_hand(&self, queue: &[Piece], may_hold: bool) -> impl Iterator<Item = Piece> + use<> {
        let current = queue.first().copied();
        let other = if may_hold { self.hold.or(queue.get(1).copied()) } else { None };
        current.into_iter().chain(other.filter(|_| current.is_some()).filter(|&piece| Some(piece) != current))
    }

    /// Places a piece of the queue, holding if it is not the first of them, and scores it. The
    /// position is unchanged after an error. Whether a way leads there is not asked.
    pub fn play(
        &mut self,
        placement: &Placement,
        queue: &[Piece],
        table: &ScoreTable,
    ) -> Result<Played, PlayError> {
        let (hold, used) = self.hold_after(placement.piece, queue)?;
        if !self.board.fits(placement) {
            return Err(PlayError::DoesNotFit(*placement));
        }
        if !self.board.rests(placement) {
            return Err(PlayError::Floats(*placement));
        }
        self.hold = hold;
        Ok(Played { clear: self.place_unchecked(placement, table), used })
    }

    /// The held piece after placing `piece`, and how many pieces that takes from the queue.
    #[inline]
    pub fn hold_after(&self, piece: Piece, queue: &[Piece]) -> Result<(Option<Piece>, usize), PlayError> {
        match *queue {
            [current, ..] if current == piece => Ok((self.hold, 1)),
            [current, ..] if self.hold == Some(piece) => Ok((Some(current), 1)),
            [current, next, ..] if self.hold.is_none() && next == piece => Ok((Some(current), 2)),
            _ => Err(PlayError::NotAtHand(piece)),
        }
    }

    /// Places a piece and scores it; hold is left alone. Wrong to call for a placement that did
    /// not come from the generator for this very board, see [`Board::place_unchecked`].
    #[inline]
    pub fn place_unchecked(&mut self, placement: &Placement, table: &ScoreTable) -> Clear {
        let cleared = self.board.place_unchecked(placement);
        table.clear(cleared, placement.spin, &mut self.back_to_back, &mut self.combo)
    }
}
