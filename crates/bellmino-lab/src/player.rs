//! Players of placement games.

use std::cmp::Reverse;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use bellmino_engine::placement::{Grid, Landed, PackedBoard, Placement};
use bellmino_engine::{Generator, PlacementGame, below, suggestion};
use bellmino_exact::{Choice, InHand, Table};
use bellmino_learn::{BUILT_IN_CONTROLLERS, Controller, Simulator};
use thiserror::Error;

use crate::tables::load_table;

/// Who chooses placements.
#[derive(Clone, Debug)]
pub struct Player {
    name: String,
    mind: Mind,
}

#[derive(Clone, Debug)]
enum Mind {
    Random,
    Lowest,
    FewestHoles,
    /// A controller, and the fast way to play it where there is one.
    Weights(Box<Controller>, Option<Box<Simulator>>),
    Table(Arc<Table>),
}

/// Why a text names no player of a game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlayerError {
    /// No such player.
    #[error("there is no player `{name}`; {hint}")]
    Unknown {
        /// The text.
        name: String,
        /// The nearest valid choice, or all.
        hint: String,
    },
    /// Neither a built-in controller nor a file.
    #[error("there are no weights `{name}`, built in or as a file; {hint}")]
    UnknownWeights {
        /// The text.
        name: String,
        /// The nearest valid choice, or all.
        hint: String,
    },
    /// A weight file that cannot be used with this game.
    #[error("weights `{name}`: {why}")]
    BadWeights {
        /// The built-in name or the file.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// A table that cannot be used with this game.
    #[error("{0}")]
    BadTable(String),
}

impl Player {
    /// How players are written.
    pub const FORMS: [&'static str; 5] =
        ["random", "lowest", "fewest-holes", "weights:NAME-OR-FILE", "table:FILE"];

    /// The player of this name: `random`, `lowest`, `fewest-holes`, `weights:NAME-OR-FILE` or `table:FILE`.
    pub fn parse(text: &str, game: &PlacementGame) -> Result<Player, PlayerError> {
        let mind = match text.split_once(':') {
            None if text == "random" => Mind::Random,
            None if text == "lowest" => Mind::Lowest,
            None if text == "fewest-holes" => Mind::FewestHoles,
            Some(("weights", name)) => return Ok(Player::controller(text, controller(name, game)?, game)),
            Some(("table", file)) => {
                let table = load_table(Path::new(file), game);
                Mind::Table(Arc::new(table.map_err(|error| PlayerError::BadTable(error.to_string()))?))
            }
            _ => {
                let hint = suggestion(text, Player::FORMS);
                return Err(PlayerError::Unknown { name: text.to_owned(), hint });
            }
        };
        Ok(Player { name: text.to_owned(), mind })
    }

    /// A player by a controller whose features fit the game.
    pub fn controller(name: &str, controller: Controller, game: &PlacementGame) -> Player {
        let simulator = Simulator::new(game, &controller).map(Box::new);
        Player { name: name.to_owned(), mind: Mind::Weights(Box::new(controller), simulator) }
    }

    /// A way to play whole games of this player at full speed, move for move the same.
    pub fn simulator(&self) -> Option<Simulator> {
        match &self.mind {
            Mind::Weights(_, Some(simulator)) => Some((**simulator).clone()),
            _ => None,
        }
    }

    /// The name, as written on the command line.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A solved table as a player.
    pub fn of_table(name: &str, table: Table) -> Player {
        Player { name: name.to_owned(), mind: Mind::Table(Arc::new(table)) }
    }

    /// The table, if that is what decides.
    pub fn table(&self) -> Option<&Table> {
        if let Mind::Table(table) = &self.mind { Some(table) } else { None }
    }

    /// Whether every placement is as likely as every other.
    pub fn is_random(&self) -> bool {
        matches!(self.mind, Mind::Random)
    }

    /// What to do with a hand: for players who may see more than the current piece.
    pub fn choose_from_hand<G: Grid>(
        &self,
        game: &PlacementGame,
        board: &G,
        hand: &InHand<'_>,
        generator: &mut Generator,
    ) -> Option<Choice> {
        match &self.mind {
            Mind::Table(table) => table.choose(PackedBoard::from_board(&board.to_board(game)), hand),
            _ => self.choose(game, board, hand.queue[0] as usize, generator).map(Choice::Place),
        }
    }

    /// Chooses a placement, or `None` if none is legal.
    ///
    /// All players but `random` avoid placements that end the game while there is another. Ties go to the first in
    /// the order rotation, column, row.
    #[inline]
    pub fn choose<G: Grid>(
        &self,
        game: &PlacementGame,
        board: &G,
        piece: usize,
        generator: &mut Generator,
    ) -> Option<Placement> {
        match &self.mind {
            Mind::Random => random(game, board, piece, generator),
            Mind::Lowest => best_by(game, board, piece, |placement, _| Reverse(placement.top(game))),
            Mind::FewestHoles => best_by(game, board, piece, |_, outcome| Reverse(outcome.board.holes(game))),
            Mind::Weights(controller, _) => controller.choose(game, board, piece),
            // The piece is all that is known; whoever knows more asks with the whole hand.
            Mind::Table(table) => {
                let board = PackedBoard::from_board(&board.to_board(game));
                table.best_of(&table.values_of_pieces(board, &[piece as u8])?)
            }
        }
    }
}

/// A built-in controller or one from a file, whose features fit the game.
fn controller(name: &str, game: &PlacementGame) -> Result<Controller, PlayerError> {
    let controller = weights(name)?;
    controller
        .check(game)
        .map_err(|error| PlayerError::BadWeights { name: name.to_owned(), why: error.to_string() })?;
    Ok(controller)
}

/// A built-in controller or one from a file.
pub(crate) fn weights(name: &str) -> Result<Controller, PlayerError> {
    let bad =
        |why: &dyn std::fmt::Display| PlayerError::BadWeights { name: name.to_owned(), why: why.to_string() };
    match Controller::built_in(name) {
        Some(controller) => Ok(controller),
        None if Path::new(name).is_file() => {
            let text = fs::read_to_string(name).map_err(|error| bad(&error))?;
            Controller::read(&text).map_err(|error| bad(&error))
        }
        None => {
            let hint = suggestion(name, BUILT_IN_CONTROLLERS.iter().map(|(known, _)| *known));
            Err(PlayerError::UnknownWeights { name: name.to_owned(), hint })
        }
    }
}

/// Uniform over all legal placements, fatal ones too.
fn random<G: Grid>(
    game: &PlacementGame,
    board: &G,
    piece: usize,
    generator: &mut Generator,
) -> Option<Placement> {
    let mut count = 0;
    board.placements(game, piece, |_| count += 1);
    if count == 0 {
        return None;
    }
    let mut left = below(generator, count);
    let mut chosen = None;
    board.placements(game, piece, |placement| {
        if left == 0 && chosen.is_none() {
            chosen = Some(placement);
        }
        left = left.wrapping_sub(1);
    });
    chosen
}

/// The first placement of the greatest worth; fatal ones count less than all others.
#[inline]
fn best_by<G: Grid, K: Ord>(
    game: &PlacementGame,
    board: &G,
    piece: usize,
    worth: impl Fn(&Placement, &Landed<G>) -> K,
) -> Option<Placement> {
    let mut best: Option<(Option<K>, Placement)> = None;
    board.placements(game, piece, |placement| {
        let outcome = board.place_unchecked(game, placement);
        let worth = (!outcome.fatal).then(|| worth(&placement, &outcome));
        if best.as_ref().is_none_or(|(most, _)| worth > *most) {
            best = Some((worth, placement));
        }
    });
    best.map(|(_, placement)| placement)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellmino_engine::placement::{AnyColumns, Board};
    use bellmino_engine::{Game, Purpose, stream};

    fn chosen(name: &str, game: &str, text: &str, piece: &str) -> Placement {
        let game = Game::built_in(game, &[]).unwrap().unwrap().placement().unwrap().clone();
        let board = Board::parse(game.width(), game.height(), text).unwrap();
        let player = Player::parse(name, &game).unwrap();
        let piece = game.piece_index(piece).unwrap();
        let mut generator = stream(0, Purpose::Player, 0);
        player.choose(&game, &AnyColumns::from_board(&board), piece, &mut generator).unwrap()
    }

    #[test]
    fn lowest_looks_at_the_top_cell() {
        // Flat at height 1 beats standing in the well up to height 3.
        let placement = chosen("lowest", "baby", "....", "I3");
        assert_eq!((placement.rotation, placement.column), (0, 0));
        let placement = chosen("lowest", "baby", "##.. / ##..", "I3");
        assert_eq!((placement.rotation, placement.column), (0, 0), "a tie goes to the first");
    }

    #[test]
    fn fewest_holes_counts_after_the_clear() {
        let placement = chosen("fewest-holes", "baby", "###.", "I3");
        assert_eq!((placement.rotation, placement.column, placement.row), (0, 0, 1));
        let placement = chosen("fewest-holes", "baby", ".###", "I3");
        assert_eq!((placement.rotation, placement.column), (0, 1));
    }

    #[test]
    fn nobody_but_random_dies_without_need() {
        // The domino may lie in the gap or stand above the top.
        for name in ["lowest", "fewest-holes", "weights:lee4"] {
            let placement = chosen(name, "mini", "#.. / #.. / ##.", "I2");
            assert!(placement.column >= 1, "{name}: {placement:?}");
        }
    }

    #[test]
    fn unknown_players() {
        let game = Game::built_in("baby", &[]).unwrap().unwrap();
        let error = |name: &str| Player::parse(name, game.placement().unwrap()).unwrap_err().to_string();
        assert_eq!(error("lowst"), "there is no player `lowst`; did you mean `lowest`?");
        assert!(error("weights:lee5").contains("did you mean `lee4`?"));
        assert!(error("nobody").contains("valid: `random`"));
    }
}
