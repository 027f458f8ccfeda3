//! Players of the lab as the exact solver sees them.

use std::sync::Arc;

use bellmino_engine::placement::{Grid, PackedBoard, Placement};
use bellmino_engine::{Generator, PlacementGame, Purpose, stream};
use bellmino_exact::{InHand, Objective, Offer, Policy, SolveSettings, Unmet, packed};
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
    /// A table that cannot play here as it was solved. Tables with hold are not evaluated.
    #[error("this table cannot play here: {0}")]
    CannotPlay(Unmet),
    /// It draws lots, and not among all placements alike.
    #[error("this player draws lots, and only `random` is averaged exactly; `evaluate` plays it")]
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
        if let Some(table) = chooser.table() {
            table.check_player(&offer_of(game, settings)).map_err(PolicyError::CannotPlay)?;
        }
        Ok(ChooserPolicy { game, chooser })
    }

    /// The player itself.
    pub fn into_chooser(self) -> Arc<Chooser> {
        self.chooser
    }
}

/// What a given player or dealer finds in a game that is solved with these settings. Given players do not hold.
pub(crate) fn offer_of(game: &PlacementGame, settings: &SolveSettings) -> Offer {
    let pieces = match settings.objective {
        Objective::Horizon(pieces) => Some(u64::from(pieces)),
        _ => None,
    };
    let from = settings.from.and_then(|board| packed(game, &board));
    let start = from.unwrap_or_else(|| PackedBoard::empty(game));
    Offer { queue: settings.queue(), hold: false, pieces, start }
}

impl Policy for ChooserPolicy<'_> {
    fn place(&self, board: PackedBoard, hand: &InHand<'_>) -> Option<Placement> {
        if let Some(table) = self.chooser.table() {
            return table.choose_placement(board, hand);
        }
        let mut unused: Generator = stream(0, Purpose::Player, 0);
        self.chooser.choose_in_sight(self.game, &board, hand.queue, &mut unused)
    }

    fn sees_named(&self) -> bool {
        true
    }

    fn depends_on_time(&self) -> bool {
        self.chooser.table().is_some_and(Policy::depends_on_time)
    }
}
