//! Solved tables from outside, as players and as dealers.

use std::sync::Arc;

use bellmino_engine::PlacementGame;
use bellmino_exact::{NeverClearValues, Table, TableError};
use thiserror::Error;

use crate::resources::{ResourceKind, Resources};

/// Why a file is no table of a game.
#[derive(Debug, Error)]
pub enum LoadTableError {
    /// It cannot be read.
    #[error("{file}: {why}")]
    Unreadable {
        /// The file.
        file: String,
        /// Why.
        why: String,
    },
    /// It is not a table.
    #[error("{file} {why}")]
    NoTable {
        /// The file.
        file: String,
        /// Why.
        why: TableError,
    },
    /// It is not finished.
    #[error("{file} is an unfinished table; go on with its solve first")]
    Unfinished {
        /// The file.
        file: String,
    },
    /// It belongs to another game.
    #[error("{file} is a table of another game (`{found}`): its {rule} differs from that of `{wanted}`")]
    OtherGame {
        /// The file.
        file: String,
        /// The game of the table.
        found: String,
        /// The game to be played.
        wanted: String,
        /// The first rule in which they differ.
        rule: &'static str,
    },
}

/// A table from its bytes; it may be unfinished. `file` names it in messages.
pub fn table_of(file: &str, bytes: Vec<u8>) -> Result<Table, LoadTableError> {
    Table::read(bytes).map_err(|why| LoadTableError::NoTable { file: file.to_owned(), why })
}

/// A finished table of any game.
pub fn finished_table_of(file: &str, bytes: Vec<u8>) -> Result<Table, LoadTableError> {
    let table = table_of(file, bytes)?;
    if table.is_finished() { Ok(table) } else { Err(LoadTableError::Unfinished { file: file.to_owned() }) }
}

/// A finished table of this game.
pub fn table_for(file: &str, bytes: Vec<u8>, game: &PlacementGame) -> Result<Table, LoadTableError> {
    let table = finished_table_of(file, bytes)?;
    check_game(file, table.game(), game)?;
    Ok(table)
}

/// A finished table of this game, by its name.
pub fn find_table(
    name: &str,
    game: &PlacementGame,
    resources: &dyn Resources,
) -> Result<Table, LoadTableError> {
    table_for(name, read(name, resources)?, game)
}

/// What plays by values of all states.
pub(crate) enum SolvedPlayer {
    /// The game itself.
    Table(Arc<Table>),
    /// The game if its full rows never left.
    NeverClear(Arc<NeverClearValues>),
}

/// Values of this game, of either kind, by their name.
pub(crate) fn find_solved(
    name: &str,
    game: &PlacementGame,
    resources: &dyn Resources,
) -> Result<SolvedPlayer, LoadTableError> {
    let bytes = read(name, resources)?;
    if !NeverClearValues::is_begun_by(&bytes) {
        return table_for(name, bytes, game).map(|table| SolvedPlayer::Table(Arc::new(table)));
    }
    let no_table = |why| LoadTableError::NoTable { file: name.to_owned(), why };
    let values = NeverClearValues::read(&bytes).map_err(no_table)?;
    check_game(name, values.game(), game)?;
    Ok(SolvedPlayer::NeverClear(Arc::new(values)))
}

fn read(name: &str, resources: &dyn Resources) -> Result<Vec<u8>, LoadTableError> {
    let bytes = resources.read(ResourceKind::Table, name);
    bytes.map_err(|why| LoadTableError::Unreadable { file: name.to_owned(), why: why.to_string() })
}

fn check_game(file: &str, one: &PlacementGame, game: &PlacementGame) -> Result<(), LoadTableError> {
    let Some(rule) = other_rule(one, game) else { return Ok(()) };
    let (found, wanted) = (one.name().to_owned(), game.name().to_owned());
    Err(LoadTableError::OtherGame { file: file.to_owned(), found, wanted, rule })
}

/// The first rule in which two games differ. Name and title are none.
fn other_rule(one: &PlacementGame, other: &PlacementGame) -> Option<&'static str> {
    let rules = [
        ("board", (one.width(), one.height()) == (other.width(), other.height())),
        ("set of pieces", one.pieces() == other.pieces()),
        ("landing", one.landing() == other.landing()),
        ("dealer", one.dealer() == other.dealer()),
        ("score table", one.score() == other.score()),
    ];
    rules.into_iter().find(|(_, same)| !same).map(|(rule, _)| rule)
}
