//! Solved tables from files.
//!
//! They are read, not mapped: what is in memory stays what it was whatever becomes of the file.

use std::path::Path;

use bellmino_engine::PlacementGame;
use bellmino_exact::Table;
use bellmino_lab::{LoadTableError, finished_table_of, table_for, table_of};

use crate::files::read_regular;

/// Reads a table; it may be unfinished.
pub fn read_table(path: &Path) -> Result<Table, LoadTableError> {
    table_of(&path.display().to_string(), read(path)?)
}

/// Reads a finished table of any game.
pub fn read_finished_table(path: &Path) -> Result<Table, LoadTableError> {
    finished_table_of(&path.display().to_string(), read(path)?)
}

/// Reads a finished table of this game.
pub fn load_table(path: &Path, game: &PlacementGame) -> Result<Table, LoadTableError> {
    table_for(&path.display().to_string(), read(path)?, game)
}

fn read(path: &Path) -> Result<Vec<u8>, LoadTableError> {
    read_regular(path, u64::MAX).map_err(|error| LoadTableError::Unreadable {
        file: path.display().to_string(),
        why: error.to_string(),
    })
}
