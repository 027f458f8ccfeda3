//! The archive: what the host keeps of games and settings, so far as sessions look at it.

use std::error::Error as AnyError;

use serde_json::Value;
use thiserror::Error;

use crate::kept::{GameEntry, KeptGame, RecordToKeep, StoredGame};

/// Whose unfinished game is looked for.
#[derive(Clone, Copy, Debug)]
pub enum Seat<'a> {
    /// That of this seat.
    Of(&'a str),
    /// That of any other seat.
    Other(&'a str),
}

/// Why the archive has no answer.
#[derive(Debug, Error)]
pub enum ArchiveError {
    /// A setting that cannot be read any more.
    #[error("the setting `{0}` is damaged in the store")]
    DamagedSetting(String),
    /// The host says why.
    #[error("{0}")]
    Host(Box<dyn AnyError + Send + Sync>),
}

/// Games and settings. A game has its number from the archive.
pub trait Archive {
    /// The latest games that have ended, newest first.
    fn games(&self, limit: u32) -> Result<Vec<StoredGame>, ArchiveError>;

    /// One game and its record.
    fn game(&self, id: i64) -> Result<Option<(StoredGame, String)>, ArchiveError>;

    /// Begins a game and gives it a number.
    fn begin(&self, mode: &str, player: &str) -> Result<i64, ArchiveError>;

    /// Writes how a game stands; `state` is `open` while it goes on.
    fn update(&self, id: i64, state: &str, entry: &GameEntry) -> Result<(), ArchiveError>;

    /// The number of a player's game with this record.
    fn find(&self, record: &str, player: &str) -> Result<Option<i64>, ArchiveError>;

    /// Forgets a game.
    fn remove(&self, id: i64) -> Result<(), ArchiveError>;

    /// The best finished games of a mode: the quickest Sprint, else the most points.
    fn bests(&self, mode: &str, player: &str, limit: u32) -> Result<Vec<StoredGame>, ArchiveError>;

    /// The latest game of a mode that was cut off and may go on, with its record: that of a seat, or of any but this.
    fn unfinished(&self, mode: &str, seat: Seat<'_>) -> Result<Option<(StoredGame, String)>, ArchiveError>;

    /// Every duel of a person with a machine that has a verdict, the oldest first.
    fn duels(&self) -> Result<Vec<StoredGame>, ArchiveError>;

    /// Shows every game that has ended with a piece or more, the oldest first, until `visit` says no.
    fn visit(&self, visit: &mut dyn FnMut(KeptGame) -> bool) -> Result<(), ArchiveError>;

    /// The verdicts of this judge on a game.
    fn verdicts(&self, game: i64, judge: &str) -> Result<Option<Value>, ArchiveError>;

    /// Keeps the verdicts of a judge on a game.
    fn keep_verdicts(&self, game: i64, judge: &str, verdicts: &Value) -> Result<(), ArchiveError>;

    /// A setting; `None` if it was never kept.
    fn setting(&self, key: &str) -> Result<Option<Value>, ArchiveError>;

    /// Puts parts of a setting over those that are kept, so that others stay as they are; gives the whole.
    fn merge(&self, key: &str, parts: &Value) -> Result<Value, ArchiveError>;
}

/// Keeps a recorded game; gives its number, or that of the same game if it is there already.
pub fn keep(archive: &dyn Archive, record: &RecordToKeep) -> Result<i64, ArchiveError> {
    let RecordToKeep { mode, player, state, standing } = record;
    if let Some(id) = archive.find(&standing.record, player)? {
        return Ok(id);
    }
    let id = archive.begin(mode, player)?;
    archive.update(id, state, standing)?;
    Ok(id)
}
