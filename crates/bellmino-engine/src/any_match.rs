//! What matches of both families have in common.

use std::fmt::Debug;

use serde::{Deserialize, Serialize};

use crate::outcome::Outcome;

/// A game in progress, of either family: what the arena, records and the lab hold when they need not know which.
///
/// ```
/// use bellmino_engine::{AnyMatch, Game, guideline, placement};
///
/// /// Plays the first placement there is, and again, to the end.
/// fn first_placements(mut game: impl AnyMatch) -> u64 {
///     while let Some(placement) = game.placements().first().copied() {
///         game.play(&placement).unwrap();
///     }
///     game.totals().pieces
/// }
///
/// let baby = Game::built_in("baby", &[]).unwrap().unwrap().placement().unwrap().clone();
/// assert!(first_placements(placement::Match::<placement::AnyColumns>::new(baby, 1, 0)) < 10);
/// assert!(first_placements(guideline::Match::new(guideline::Rules::SPRINT, 1)) < 100);
/// ```
pub trait AnyMatch: Clone {
    /// A piece at rest.
    type Placement: Copy + PartialEq + Debug;
    /// The filled cells.
    type Board: Copy;
    /// What a placement cleared and scored.
    type Clear: Copy + Debug;
    /// Why something cannot be done.
    type Error: std::error::Error + Send + Sync + 'static;

    /// The board.
    fn board(&self) -> &Self::Board;

    /// Every placement of the pieces at hand; none if the game is over.
    fn placements(&self) -> Vec<Self::Placement>;

    /// Whether the current piece may be put into hold.
    fn may_hold(&self) -> bool;

    /// Puts the current piece into hold; the held one, or the next, becomes the current one.
    fn hold(&mut self) -> Result<(), Self::Error>;

    /// Plays a placement, holding if need be. Nothing changes after an error.
    fn play(&mut self, placement: &Self::Placement) -> Result<Self::Clear, Self::Error>;

    /// Whether a piece has to be dealt before play goes on.
    fn wants_piece(&self) -> bool {
        false
    }

    /// Pieces, rows and points so far.
    fn totals(&self) -> Totals;

    /// How the game ended, if it has.
    fn outcome(&self) -> Option<Outcome>;
}

/// Pieces, rows and points of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Pieces placed, a fatal one included.
    pub pieces: u64,
    /// Rows cleared.
    pub lines: u64,
    /// Points.
    pub score: f64,
}

/// What a match does itself, under the names of the trait.
macro_rules! delegate_to_match {
    () => {
        fn placements(&self) -> Vec<Placement> {
            Match::placements(self)
        }

        fn may_hold(&self) -> bool {
            Match::may_hold(self)
        }

        fn hold(&mut self) -> Result<(), PlayError> {
            Match::hold(self)
        }

        fn play(&mut self, placement: &Placement) -> Result<Clear, PlayError> {
            Match::play(self, placement)
        }

        fn outcome(&self) -> Option<Outcome> {
            Match::outcome(self)
        }
    };
}
pub(crate) use delegate_to_match;
