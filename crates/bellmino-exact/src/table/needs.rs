//! What a table needs to play or to deal as it was solved, and whether that is there.

use bellmino_engine::placement::PackedBoard;
use thiserror::Error;

use super::Table;
use crate::bellman::Boards;
use crate::settings::{Dealing, Objective};

/// What there is in a match, or in a game that is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Pieces on the table after the current one.
    pub queue: usize,
    /// Whether a piece can be put aside.
    pub hold: bool,
    /// The most pieces that are placed, if that is limited.
    pub pieces: Option<u64>,
    /// Where the game starts.
    pub start: PackedBoard,
}

/// Something that a table needs and does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Unmet {
    /// It plays with more pieces in sight.
    #[error("it plays with {needed} pieces in sight after the current one, and {offered} are in sight here")]
    PlaysAhead {
        /// As it was solved.
        needed: usize,
        /// As it is here.
        offered: usize,
    },
    /// It deals with another number of pieces in sight.
    #[error("it deals with {needed} pieces in sight after the current one, and {offered} are in sight here")]
    DealsAhead {
        /// As it was solved.
        needed: usize,
        /// As it is here.
        offered: usize,
    },
    /// It plays with hold.
    #[error("it plays with hold, and there is none here")]
    PlaysWithHold,
    /// It deals to players without hold.
    #[error(
        "it deals to players without hold, and there is hold here; a table solved with hold would be right"
    )]
    DealsWithoutHold,
    /// It was solved for a number of pieces.
    #[error("it was solved for {horizon} pieces, and {} are placed here; at most {horizon} would be right",
            .pieces.map_or("any number".to_owned(), |pieces| pieces.to_string()))]
    Horizon {
        /// As it was solved.
        horizon: u32,
        /// As it is here.
        pieces: Option<u64>,
    },
    /// Its values for fewer pieces left were not kept.
    #[error("it has no values for fewer than {horizon} pieces left")]
    NoStages {
        /// As it was solved.
        horizon: u32,
    },
    /// It was solved against chance.
    #[error(
        "it was solved for the random dealer and has no other to offer; `random` would be right, or a table solved \
             for worst, worst-before or mixed:E"
    )]
    NoDealer,
    /// It was solved from another board.
    #[error("it was solved from another board, and does not know the game from here")]
    Start,
    /// All its values are infinite.
    #[error(
        "its total is infinite: no placement is worth more than another; average, survive or discounted:L would be right"
    )]
    Infinite,
}

impl Table {
    /// For how many pieces it was solved, if that is limited.
    pub fn horizon(&self) -> Option<u32> {
        match self.settings.objective {
            Objective::Horizon(pieces) => Some(pieces),
            _ => None,
        }
    }

    /// Whether it can play to the end of such a game, as well as it was solved.
    pub fn check_player(&self, offer: &Offer) -> Result<(), Unmet> {
        let needed = self.queue();
        if needed > offer.queue {
            return Err(Unmet::PlaysAhead { needed, offered: offer.queue });
        }
        if self.settings.hold && !offer.hold {
            return Err(Unmet::PlaysWithHold);
        }
        self.check_common(offer)
    }

    /// Whether it can deal to the end of such a game, as it was solved.
    pub fn check_dealer(&self, offer: &Offer) -> Result<(), Unmet> {
        if self.settings.dealing == Dealing::Random {
            return Err(Unmet::NoDealer);
        }
        let needed = self.queue();
        if needed != offer.queue {
            return Err(Unmet::DealsAhead { needed, offered: offer.queue });
        }
        if offer.hold && !self.settings.hold {
            return Err(Unmet::DealsWithoutHold);
        }
        self.check_common(offer)
    }

    fn check_common(&self, offer: &Offer) -> Result<(), Unmet> {
        if self.finished.value.is_none() {
            return Err(Unmet::Infinite);
        }
        if let Some(horizon) = self.horizon() {
            if offer.pieces.is_none_or(|pieces| pieces > u64::from(horizon)) {
                return Err(Unmet::Horizon { horizon, pieces: offer.pieces });
            }
            if self.store.stages() < horizon as usize {
                return Err(Unmet::NoStages { horizon });
            }
        }
        // Whatever follows a position of the table is in the table.
        let known = self.store.find(offer.start).is_some_and(|board| {
            self.store.supply().first_contexts().iter().all(|first| self.store.is_reached(board, *first))
        });
        if known { Ok(()) } else { Err(Unmet::Start) }
    }
}
