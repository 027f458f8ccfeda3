//! Solved tables from files, as players and as dealers.

use std::fs::File;
use std::path::Path;

use bellmino_engine::PlacementGame;
use bellmino_exact::{Table, TableError};
use memmap2::Mmap;
use thiserror::Error;

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

/// Maps a table into memory; it may be unfinished.
pub fn map_table(path: &Path) -> Result<Table, LoadTableError> {
    let file = path.display().to_string();
    let unreadable =
        |error: std::io::Error| LoadTableError::Unreadable { file: file.clone(), why: error.to_string() };
    let opened = File::open(path).map_err(unreadable)?;
    if opened.metadata().map_err(unreadable)?.is_dir() {
        return Err(LoadTableError::Unreadable { file, why: "is a folder; give a table".to_owned() });
    }
    // SAFETY: the map is read-only, and tables are written to a new file and then renamed, never changed in place. If
    // someone else cuts the file short meanwhile the process ends; it cannot be made to read other memory.
    let map = unsafe { Mmap::map(&opened) }.map_err(unreadable)?;
    Table::read(map).map_err(|why| LoadTableError::NoTable { file, why })
}

/// Maps a finished table of this game into memory.
pub fn load_table(path: &Path, game: &PlacementGame) -> Result<Table, LoadTableError> {
    let file = path.display().to_string();
    let table = map_table(path)?;
    if !table.is_finished() {
        return Err(LoadTableError::Unfinished { file });
    }
    if let Some(rule) = other_rule(table.game(), game) {
        let (found, wanted) = (table.game().name().to_owned(), game.name().to_owned());
        return Err(LoadTableError::OtherGame { file, found, wanted, rule });
    }
    Ok(table)
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

#[cfg(test)]
mod tests {
    use super::*;
    use bellmino_engine::Game;
    use bellmino_exact::{Objective, Silent, SolveSettings, solve};

    fn baby(overrides: &[&str]) -> PlacementGame {
        let overrides: Vec<_> = overrides.iter().map(|text| text.parse().unwrap()).collect();
        Game::built_in("baby", &overrides).unwrap().unwrap().placement().unwrap().clone()
    }

    /// Every rule counts: a dealer of as many states, or other points, make another game. The name does not.
    #[test]
    fn a_table_serves_games_of_the_same_rules_only() {
        let solved = solve(&baby(&[]), &SolveSettings::new(Objective::Horizon(2)), &Silent).unwrap();
        let file = tempfile::NamedTempFile::new().unwrap();
        solved.table.write(&mut file.as_file()).unwrap();
        let check = |overrides: &[&str], expected: Option<&str>| {
            let loaded = load_table(file.path(), &baby(overrides));
            let rule = match loaded {
                Ok(_) => None,
                Err(LoadTableError::OtherGame { rule, .. }) => Some(rule),
                Err(error) => panic!("{error}"),
            };
            assert_eq!(rule, expected, "{overrides:?}");
        };
        check(&[], None);
        check(&["name=toddler", "title=Another name"], None);
        check(&["dealer.weights=[1,3]"], Some("dealer"));
        check(&["dealer.kind=sequence", "dealer.order=[\"L3\"]"], Some("dealer"));
        check(&["score.lines=[0,1,3,10]"], Some("score table"));
        check(&["landing.path=slide"], Some("landing"));
        check(&["board.height=3"], Some("board"));
        check(&["pieces.set=[\"L3\",\"I3\"]"], Some("set of pieces"));
    }
}
