//! On what terms a placement match is played: what is in sight, whether there is hold, and how many pieces are placed.
//!
//! Tables play and deal as they were solved, or not at all: what they need is supplied here where that can be, and checked
//! once for everybody who plays.

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::{Allowance, Grid, PackedBoard};
use bellmino_exact::{Offer, Table};

use crate::opponent::Opponent;
use crate::player::{Player, PlayerError};

/// On what terms a placement match is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// What is in sight, and whether there is hold.
    pub allowance: Allowance,
    /// A match ends, unfinished, after so many pieces.
    pub pieces: Option<u64>,
}

impl Terms {
    /// The terms of a match of this player, or of a person, from the empty board. Where no number of pieces is given, a table
    /// that was solved for so many ends the match.
    pub fn new(
        game: &PlacementGame,
        player: Option<&Player>,
        opponent: &Opponent,
        pieces: Option<u64>,
    ) -> Result<Terms, PlayerError> {
        let playing = match player {
            Some(player) => player.chooser()?.table().map(|table| (player, table)),
            None => None,
        };
        let dealing = if let Opponent::Table(table) = opponent { Some(&**table) } else { None };
        let both = || playing.map(|(_, table)| table).into_iter().chain(dealing);
        let allowance = Allowance {
            previews: both().map(Table::queue).max().unwrap_or(0).max(game.previews()),
            hold: playing.is_some_and(|(_, table)| table.settings().hold),
        };
        let pieces = pieces.or_else(|| both().filter_map(Table::horizon).min().map(u64::from));
        if PackedBoard::fits(game) {
            let start = PackedBoard::empty(game);
            let offer = Offer { queue: allowance.previews, hold: allowance.hold, pieces, start };
            if let Some((player, table)) = playing {
                let unmet = |why| PlayerError::CannotPlay { name: player.name().to_owned(), why };
                table.check_player(&offer).map_err(unmet)?;
            }
            if let Some(table) = dealing {
                table.check_dealer(&offer).map_err(PlayerError::CannotDeal)?;
            }
        }
        Ok(Terms { allowance, pieces })
    }

    /// The fewest pieces that one of the tables was solved for, if any was: more cannot be placed in a match between these.
    pub fn most_pieces<'a>(
        players: impl IntoIterator<Item = &'a Player>,
        opponent: &Opponent,
    ) -> Option<u64> {
        let dealing = if let Opponent::Table(table) = opponent { table.horizon() } else { None };
        let horizon = |player: &Player| player.chooser().ok()?.table()?.horizon();
        players.into_iter().filter_map(horizon).chain(dealing).min().map(u64::from)
    }
}
