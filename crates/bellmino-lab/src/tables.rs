//! Solved tables from files, as players and as dealers.

use std::io::Read;
use std::path::Path;

use bellmino_engine::PlacementGame;
use bellmino_exact::{NeverClearValues, Table, TableError};
use thiserror::Error;

use crate::files::{open_regular, read_regular};

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
    #[error("{file} is an unfinished table; go on with `bellmino solve ... --resume`")]
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

/// Reads a table; it may be unfinished.
///
/// It is read, not mapped: what is in memory stays what it was whatever becomes of the file.
pub fn read_table(path: &Path) -> Result<Table, LoadTableError> {
    let file = path.display().to_string();
    let unreadable =
        |error: std::io::Error| LoadTableError::Unreadable { file: file.clone(), why: error.to_string() };
    let bytes = read_regular(path, u64::MAX).map_err(unreadable)?;
    Table::read(bytes).map_err(|why| LoadTableError::NoTable { file, why })
}

/// Reads a finished table of any game.
pub fn read_finished_table(path: &Path) -> Result<Table, LoadTableError> {
    let table = read_table(path)?;
    let unfinished = || LoadTableError::Unfinished { file: path.display().to_string() };
    if table.is_finished() { Ok(table) } else { Err(unfinished()) }
}

/// Reads a finished table of this game.
pub fn load_table(path: &Path, game: &PlacementGame) -> Result<Table, LoadTableError> {
    let table = read_finished_table(path)?;
    check_game(path, table.game(), game)?;
    Ok(table)
}

/// Reads the values of this game if its full rows never left; `None` if the file does not begin like such values.
pub fn load_never_clear(
    path: &Path,
    game: &PlacementGame,
) -> Result<Option<NeverClearValues>, LoadTableError> {
    let mut begin = Vec::new();
    let read = open_regular(path).and_then(|file| file.take(8).read_to_end(&mut begin));
    if read.is_err() || !NeverClearValues::is_begun_by(&begin) {
        return Ok(None);
    }
    let file = path.display().to_string();
    let unreadable =
        |error: std::io::Error| LoadTableError::Unreadable { file: file.clone(), why: error.to_string() };
    let bytes = read_regular(path, u64::MAX).map_err(unreadable)?;
    let no_table = |why| LoadTableError::NoTable { file: file.clone(), why };
    let values = NeverClearValues::read(&bytes).map_err(no_table)?;
    check_game(path, values.game(), game)?;
    Ok(Some(values))
}

fn check_game(path: &Path, one: &PlacementGame, game: &PlacementGame) -> Result<(), LoadTableError> {
    let Some(rule) = other_rule(one, game) else { return Ok(()) };
    let (found, wanted) = (one.name().to_owned(), game.name().to_owned());
    Err(LoadTableError::OtherGame { file: path.display().to_string(), found, wanted, rule })
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
