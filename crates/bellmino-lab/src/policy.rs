//! Players of the lab as the exact solver sees them.

use std::sync::Arc;

use bellmino_engine::placement::{PackedBoard, Placement};
use bellmino_engine::{Generator, PlacementGame, Purpose, stream};
use bellmino_exact::{InHand, Policy, SolveSettings};
use thiserror::Error;

use crate::player::Chooser;

/// A player of placement games whose choices the solver evaluates. Not for `random`, which is averaged instead, nor for
/// others who draw lots.
pub struct ChooserPolicy<'a> {
    game: &'a PlacementGame,
    chooser: Arc<Chooser>,
}

/// Why the solver cannot evaluate a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PolicyError {
    /// A table that was solved for a player who knows more.
    #[error(
        "this table plays with more than is known here; give --preview as it was solved with (tables with hold, or of \
         worst-before, are not evaluated)"
    )]
    KnowsMore,
    /// It draws lots, and not among all placements alike.
    #[error(
        "this player draws lots, and only `random` is averaged exactly; play it with `bellmino evaluate`"
    )]
    DrawsLots,
}

impl<'a> ChooserPolicy<'a> {
    /// A player in a game that is solved with these settings.
    pub fn new(
        game: &'a PlacementGame,
        chooser: Arc<Chooser>,
        settings: &SolveSettings,
    ) -> Result<ChooserPolicy<'a>, PolicyError> {
        if !chooser.is_certain() {
            return Err(PolicyError::DrawsLots);
        }
        let knows_more = chooser.table().is_some_and(|table| {
            let seen = table.settings().preview;
            table.queue() != seen || table.settings().hold || seen > settings.preview
        });
        if knows_more { Err(PolicyError::KnowsMore) } else { Ok(ChooserPolicy { game, chooser }) }
    }
}

impl Policy for ChooserPolicy<'_> {
    fn place(&self, board: PackedBoard, hand: &InHand<'_>) -> Option<Placement> {
        if let Some(table) = self.chooser.table() {
            return table.choose_placement(board, hand);
        }
        let mut unused: Generator = stream(0, Purpose::Player, 0);
        self.chooser.choose_in_sight(self.game, &board, hand.queue, &mut unused)
    }

    fn depends_on_time(&self) -> bool {
        self.chooser.table().is_some_and(Policy::depends_on_time)
    }
}
