//! The store: games and settings in one SQLite file in the user's data folder.
//!
//! The file is written ahead (WAL), so that a crash leaves it sound. A file that is damaged, newer than this program
//! or not ours is refused before anything is written to it. Every row has a checksum: one that does not fit is shown as
//! damaged, never as something else.

mod archive;
mod settings;
mod verdicts;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::types::{FromSql, ValueRef};
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params};
use serde_json::json;
use thiserror::Error;
use xxhash_rust::xxh3::Xxh3;

use bellmino_page::{ArchiveError, GameEntry, KeptGame, Seat, StoredGame};

use crate::private::{make_private, private_file};

/// The file's name in the data folder.
pub const FILE: &str = "lab.sqlite";

/// Says that the file is ours: `bell` in ASCII.
const APPLICATION: i32 = 0x6265_6c6c;

/// The shape of the tables; a file with a larger number was made by a newer program.
const SCHEMA: i32 = 2;

/// How long a write waits for another program that has locked the file.
const LOCKED: Duration = Duration::from_secs(5);

const TABLES: &str = "
    CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL, checksum INTEGER NOT NULL DEFAULT 0) STRICT;
    CREATE TABLE games (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        mode TEXT NOT NULL,
        player TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('open', 'goal', 'topped-out', 'stopped')),
        started INTEGER NOT NULL,
        updated INTEGER NOT NULL,
        milliseconds INTEGER NOT NULL DEFAULT 0,
        score INTEGER NOT NULL DEFAULT 0,
        lines INTEGER NOT NULL DEFAULT 0,
        pieces INTEGER NOT NULL DEFAULT 0,
        summary TEXT NOT NULL DEFAULT '{}',
        record TEXT NOT NULL DEFAULT '',
        record_checksum INTEGER NOT NULL DEFAULT 0,
        checksum INTEGER NOT NULL DEFAULT 0
    ) STRICT;
";

/// From the first layout, which had no checksums, and an index that nothing checked.
const FROM_FIRST: &str = "
    DROP INDEX IF EXISTS games_by_mode;
    ALTER TABLE settings ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE games ADD COLUMN record_checksum INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE games ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
";

/// The open store.
pub struct GameStore {
    path: PathBuf,
    connection: Connection,
}

/// Why the store cannot be used.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The folder cannot be made or read.
    #[error("cannot use the data folder {folder}: {why}; give another folder", folder = .0.display(), why = .1)]
    Folder(PathBuf, std::io::Error),
    /// There is no home to put it in.
    #[error("no data folder is known (HOME is not set); give a folder")]
    NoHome,
    /// The file is no database or a broken one.
    #[error(
        "{file} is damaged or not a database ({why}); nothing was changed. Move it away to start afresh, or give another folder",
        file = .0.display(), why = .1
    )]
    Damaged(PathBuf, String),
    /// A database of another program.
    #[error("{file} is a database of another program; nothing was changed. Give another folder", file = .0.display())]
    Foreign(PathBuf),
    /// Made by a newer program.
    #[error(
        "{file} was written by a newer Bellmino (its layout is {found}, this program knows {SCHEMA}); nothing was changed. Update Bellmino, or give another folder",
        file = .path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its layout.
        found: i32,
    },
    /// There is no such game.
    #[error("there is no game {0}")]
    NoGame(i64),
    /// The checksum of a game does not fit.
    #[error("game {0} is damaged in the store; it cannot be shown")]
    DamagedGame(i64),
    /// The checksum of a setting does not fit.
    #[error("the setting `{0}` is damaged in the store")]
    DamagedSetting(String),
    /// A statement failed.
    #[error("the store failed: {0}")]
    Sql(#[from] rusqlite::Error),
    /// A session finds something wrong with what the store says.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

/// The state of a game whose checksum does not fit.
pub const DAMAGED: &str = "damaged";

impl GameStore {
    /// Opens the store of a folder, which is made if it does not exist.
    pub fn open(folder: &Path) -> Result<GameStore, StoreError> {
        let refuse = |why| StoreError::Folder(folder.to_owned(), why);
        make_private(folder).map_err(refuse)?;
        let path = folder.join(FILE);
        let is_new = match fs::metadata(&path) {
            Ok(file) => file.len() == 0,
            Err(why) if why.kind() == std::io::ErrorKind::NotFound => true,
            Err(why) => return Err(refuse(why)),
        };
        if !is_new {
            check(&path)?;
        }
        // What SQLite makes beside the file has the file's permissions.
        private_file(&path).map_err(refuse)?;
        let connection = Connection::open(&path)?;
        connection.busy_timeout(LOCKED)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        let store = GameStore { path, connection };
        store.sync_fully(true)?;
        if is_new {
            store.connection.execute_batch(&format!(
                "BEGIN IMMEDIATE; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {SCHEMA}; {TABLES} COMMIT;"
            ))?;
        } else {
            store.upgrade()?;
        }
        Ok(store)
    }

    /// Another way to an open store, which only reads and never waits for a writer.
    pub fn reader(&self) -> Result<GameStore, StoreError> {
        let connection = Connection::open_with_flags(&self.path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        connection.busy_timeout(LOCKED)?;
        Ok(GameStore { path: self.path.clone(), connection })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Begins a game and gives it a number.
    pub fn begin(&self, mode: &str, player: &str) -> Result<i64, StoreError> {
        let statement =
            "INSERT INTO games (mode, player, state, started, updated) VALUES (?1, ?2, 'open', ?3, ?3)";
        let transaction = self.connection.unchecked_transaction()?;
        must_be_one(transaction.execute(statement, params![mode, player, now()])?)?;
        let id = transaction.last_insert_rowid();
        sign(&transaction, id)?;
        transaction.commit()?;
        Ok(id)
    }

    /// Writes how a game stands; `state` is `open` while it goes on. A game that has ended is on the disk when this is done;
    /// of one that goes on, a power cut may lose the last second.
    pub fn update(&self, id: i64, state: &str, progress: &GameEntry) -> Result<(), StoreError> {
        let statement =
            "UPDATE games SET state = ?2, updated = ?3, milliseconds = ?4, score = ?5, lines = ?6,
            pieces = ?7, summary = ?8, record = ?9, record_checksum = ?10 WHERE id = ?1";
        let GameEntry { milliseconds, score, lines, pieces, summary, record } = progress;
        self.sync_fully(state != "open")?;
        let transaction = self.connection.unchecked_transaction()?;
        let changed = transaction.execute(
            statement,
            params![
                id,
                state,
                now(),
                milliseconds,
                score,
                lines,
                pieces,
                summary.to_string(),
                record,
                hash([record.as_bytes()])
            ],
        )?;
        if changed != 1 {
            return Err(StoreError::NoGame(id));
        }
        sign(&transaction, id)?;
        transaction.commit()?;
        Ok(())
    }

    /// Forgets a game.
    pub fn remove(&self, id: i64) -> Result<(), StoreError> {
        self.sync_fully(true)?;
        verdicts::forget(&self.connection, id)?;
        match self.connection.execute("DELETE FROM games WHERE id = ?1", [id])? {
            1 => Ok(()),
            _ => Err(StoreError::NoGame(id)),
        }
    }

    /// The latest games that have ended, newest first.
    pub fn games(&self, limit: u32) -> Result<Vec<StoredGame>, StoreError> {
        let query = format!(
            "SELECT {COLUMNS} FROM games WHERE state <> 'open' AND NOT (pieces = 0 AND {SET_UP})
            ORDER BY id DESC LIMIT ?1"
        );
        let mut statement = self.connection.prepare(&query)?;
        let mut games = statement.query_map([limit], stored)?.collect::<Result<Vec<_>, _>>()?;
        for game in &mut games {
            // What can be gone back to is for whoever goes on with it.
            game.summary.as_object_mut().and_then(|summary| summary.remove("before"));
        }
        Ok(games)
    }

    /// One game and its record.
    pub fn game(&self, id: i64) -> Result<Option<(StoredGame, String)>, StoreError> {
        let query = format!("SELECT {COLUMNS}, record FROM games WHERE id = ?1");
        let found = self.connection.query_row(&query, [id], |row| {
            let record = bytes(row, "record")?.to_vec();
            let is_sound = hash([record.as_slice()]) == whole(row, "record_checksum")?;
            Ok((stored(row)?, String::from_utf8(record).ok().filter(|_| is_sound)))
        });
        match found.optional()? {
            None => Ok(None),
            Some((game, Some(record))) if game.state != DAMAGED => Ok(Some((game, record))),
            Some(_) => Err(StoreError::DamagedGame(id)),
        }
    }

    /// Shows every game that has ended with a piece or more, the oldest first, until `visit` says no.
    pub fn visit(&self, mut visit: impl FnMut(KeptGame) -> bool) -> Result<(), StoreError> {
        // A lab of before wrote no checksums; the next one that starts there adds them.
        let version: i32 = self.connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        let has_checksums = version >= SCHEMA;
        let sums = if has_checksums { ", record_checksum" } else { "" };
        let query = format!(
            "SELECT id, player, started, summary, record{sums} FROM games
            WHERE state <> 'open' AND record <> '' AND pieces > 0 ORDER BY id"
        );
        let mut statement = self.connection.prepare(&query)?;
        let games = statement.query_map([], |row| {
            let record = bytes(row, "record")?;
            let is_sound = !has_checksums || hash([record]) == whole(row, "record_checksum")?;
            let record = String::from_utf8(record.to_vec()).ok().filter(|_| is_sound);
            let player = String::from_utf8_lossy(bytes(row, "player")?).into_owned();
            let summary = serde_json::from_slice(bytes(row, "summary")?).unwrap_or_default();
            Ok(KeptGame { id: row.get("id")?, player, started: whole(row, "started")?, summary, record })
        })?;
        for game in games {
            if !visit(game?) {
                break;
            }
        }
        Ok(())
    }

    /// The number of a player's game with this record.
    pub fn find(&self, record: &str, player: &str) -> Result<Option<i64>, StoreError> {
        let query = "SELECT id FROM games WHERE player = ?2 AND record_checksum = ?3 AND record = ?1";
        let values = params![record, player, hash([record.as_bytes()])];
        Ok(self.connection.query_row(query, values, |row| row.get(0)).optional()?)
    }

    /// The best finished games of a mode: the quickest Sprint, else the most points.
    pub fn bests(&self, mode: &str, player: &str, limit: u32) -> Result<Vec<StoredGame>, StoreError> {
        let order = if mode == "sprint" { "milliseconds" } else { "score DESC, milliseconds" };
        let query = format!(
            "SELECT {COLUMNS} FROM games WHERE mode = ?1 AND player = ?2 AND state = 'goal' ORDER BY {order}, id"
        );
        let mut statement = self.connection.prepare(&query)?;
        let mut bests = Vec::new();
        for game in statement.query_map(params![mode, player], stored)? {
            let game = game?;
            if game.state != DAMAGED {
                bests.push(game);
            }
            if bests.len() == limit as usize {
                break;
            }
        }
        Ok(bests)
    }

    /// The latest game of a mode that was cut off and may go on, with its record: that of a seat, or of any but this.
    pub fn unfinished(&self, mode: &str, seat: Seat<'_>) -> Result<Option<(StoredGame, String)>, StoreError> {
        let (is, seat) = match seat {
            Seat::Of(seat) => ("=", seat),
            Seat::Other(seat) => ("<>", seat),
        };
        let query = format!(
            "SELECT id FROM games WHERE state = 'stopped' AND mode = ?1 AND json_valid(summary)
            AND json_extract(summary, '$.seat') {is} ?2 ORDER BY id DESC LIMIT 1"
        );
        let id = self.connection.query_row(&query, params![mode, seat], |row| row.get(0)).optional()?;
        match id.map(|id| self.game(id)) {
            Some(Err(StoreError::DamagedGame(_))) | None => Ok(None),
            Some(found) => found,
        }
    }

    /// Every duel of a person with a machine that has a verdict, the oldest first.
    pub fn duels(&self) -> Result<Vec<StoredGame>, StoreError> {
        let query = format!(
            "SELECT {COLUMNS} FROM games WHERE state IN ('goal', 'topped-out') AND json_valid(summary)
            AND json_extract(summary, '$.duel.verdict') IS NOT NULL ORDER BY id"
        );
        let mut statement = self.connection.prepare(&query)?;
        let games = statement.query_map([], stored)?.collect::<Result<Vec<_>, _>>()?;
        Ok(games.into_iter().filter(|game| game.state != DAMAGED).collect())
    }

    /// Games that a crash cut off keep what was written of them; a row to which nothing was written is dropped. Only for whoever
    /// has the folder alone: to others, a game in play looks the same.
    pub fn close_cut_off(&self) -> Result<(), StoreError> {
        self.sync_fully(true)?;
        let transaction = self.connection.unchecked_transaction()?;
        transaction.execute("DELETE FROM games WHERE state = 'open' AND record = ''", [])?;
        let open: Vec<i64> = list(&transaction, "SELECT id FROM games WHERE state = 'open'")?;
        for id in open {
            // A damaged one stays one.
            let query = format!("SELECT {COLUMNS} FROM games WHERE id = ?1");
            let is_sound = transaction.query_row(&query, [id], stored)?.state != DAMAGED;
            must_be_one(transaction.execute("UPDATE games SET state = 'stopped' WHERE id = ?1", [id])?)?;
            if is_sound {
                sign(&transaction, id)?;
            }
        }
        transaction.commit()?;
        Ok(())
    }

    /// Whether what is written is on the disk when a statement ends, or a little later.
    fn sync_fully(&self, fully: bool) -> Result<(), StoreError> {
        let word = if fully { "FULL" } else { "NORMAL" };
        Ok(self.connection.pragma_update(None, "synchronous", word)?)
    }

    /// As if the disk had room for so many pages.
    #[cfg(test)]
    pub fn limit_pages(&self, pages: Option<u32>) -> Result<(), StoreError> {
        let query = format!("PRAGMA max_page_count = {}", pages.unwrap_or(1 << 30));
        Ok(self.connection.query_row(&query, [], |_| Ok(()))?)
    }

    /// Brings an older layout up to date.
    fn upgrade(&self) -> Result<(), StoreError> {
        let found: i32 = self.connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if found == SCHEMA {
            return Ok(());
        }
        let transaction = self.connection.unchecked_transaction()?;
        transaction.execute_batch(FROM_FIRST)?;
        let ids: Vec<i64> = list(&transaction, "SELECT id FROM games")?;
        for id in ids {
            let record = "SELECT record FROM games WHERE id = ?1";
            let sum = transaction.query_row(record, [id], |row| Ok(hash([bytes(row, "record")?])))?;
            let statement = "UPDATE games SET record_checksum = ?2 WHERE id = ?1";
            must_be_one(transaction.execute(statement, params![id, sum])?)?;
            sign(&transaction, id)?;
        }
        let keys: Vec<String> = list(&transaction, "SELECT key FROM settings")?;
        for key in keys {
            let value = "SELECT value FROM settings WHERE key = ?1";
            let sum = transaction
                .query_row(value, [&key], |row| Ok(settings::checksum(&key, bytes(row, "value")?)))?;
            let statement = "UPDATE settings SET checksum = ?2 WHERE key = ?1";
            must_be_one(transaction.execute(statement, params![key, sum])?)?;
        }
        transaction.pragma_update(None, "user_version", SCHEMA)?;
        transaction.commit()?;
        Ok(())
    }
}

/// Shows every game of a folder that has ended, the oldest first, until `visit` says no. Nothing is written, and a lab may be
/// running. Without a folder it is the user's own.
pub fn kept_games(folder: Option<&Path>, visit: impl FnMut(KeptGame) -> bool) -> Result<(), StoreError> {
    let folder = folder.map_or_else(default_folder, |folder| Ok(folder.to_owned()))?;
    let path = folder.join(FILE);
    fs::metadata(&path).map_err(|why| StoreError::Folder(folder, why))?;
    check(&path)?;
    let connection = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.busy_timeout(LOCKED)?;
    GameStore { path, connection }.visit(visit)
}

/// The user's data folder for Bellmino.
pub fn default_folder() -> Result<PathBuf, StoreError> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = if cfg!(windows) {
        set("APPDATA")
    } else if cfg!(target_os = "macos") {
        set("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        set("XDG_DATA_HOME").or_else(|| set("HOME").map(|home| home.join(".local/share")))
    };
    folder.map(|folder| folder.join("bellmino")).ok_or(StoreError::NoHome)
}

/// Whether a row is a position of Practice that was set up by hand.
const SET_UP: &str =
    "(CASE WHEN json_valid(summary) THEN coalesce(json_extract(summary, '$.set_up'), 0) ELSE 0 END)";

const COLUMNS: &str = "id, mode, player, state, started, milliseconds, score, lines, pieces, summary, record_checksum, checksum";

fn stored(row: &Row<'_>) -> rusqlite::Result<StoredGame> {
    let id = row.get("id")?;
    let damaged =
        || StoredGame { id, state: DAMAGED.to_owned(), summary: json!({}), ..StoredGame::default() };
    let text = |name| bytes(row, name).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    if row_checksum(row)? != whole(row, "checksum")? {
        return Ok(damaged());
    }
    Ok(StoredGame {
        id,
        mode: text("mode")?,
        player: text("player")?,
        state: text("state")?,
        started: row.get("started")?,
        milliseconds: row.get("milliseconds")?,
        score: row.get("score")?,
        lines: row.get("lines")?,
        pieces: row.get("pieces")?,
        summary: serde_json::from_slice(bytes(row, "summary")?).unwrap_or_default(),
    })
}

/// All values of a query with one column.
fn list<T: FromSql>(connection: &Connection, query: &str) -> rusqlite::Result<Vec<T>> {
    connection.prepare(query)?.query_map([], |row| row.get(0))?.collect()
}

/// Writes the checksum of a game beside it.
fn sign(connection: &Connection, id: i64) -> Result<(), StoreError> {
    let query = format!("SELECT {COLUMNS} FROM games WHERE id = ?1");
    let sum = connection.query_row(&query, [id], row_checksum)?;
    must_be_one(connection.execute("UPDATE games SET checksum = ?2 WHERE id = ?1", params![id, sum])?)
}

/// The checksum over all that lists show of a game, and over that of its record.
fn row_checksum(row: &Row<'_>) -> rusqlite::Result<i64> {
    let mut parts = Vec::new();
    for column in COLUMNS.split(", ").take_while(|column| *column != "checksum") {
        parts.push(match row.get_ref(column)? {
            ValueRef::Integer(number) => number.to_le_bytes().to_vec(),
            ValueRef::Text(text) | ValueRef::Blob(text) => text.to_vec(),
            ValueRef::Null | ValueRef::Real(_) => vec![],
        });
    }
    Ok(hash(parts.iter().map(Vec::as_slice)))
}

/// A checksum of texts, in which their lengths count too.
fn hash<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> i64 {
    let mut hasher = Xxh3::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.digest() as i64
}

/// The bytes of a column, whatever damage has made of it.
fn bytes<'a>(row: &'a Row<'_>, name: &str) -> rusqlite::Result<&'a [u8]> {
    Ok(match row.get_ref(name)? {
        ValueRef::Text(text) | ValueRef::Blob(text) => text,
        _ => &[],
    })
}

/// A whole number of a column, whatever damage has made of it.
fn whole(row: &Row<'_>, name: &str) -> rusqlite::Result<i64> {
    Ok(if let ValueRef::Integer(number) = row.get_ref(name)? { number } else { 0 })
}

/// Every write says how many rows it has changed.
fn must_be_one(changed: usize) -> Result<(), StoreError> {
    if changed == 1 { Ok(()) } else { Err(rusqlite::Error::StatementChangedRows(changed).into()) }
}

/// Looks at an existing file without writing to it.
fn check(path: &Path) -> Result<(), StoreError> {
    let damaged = |why: rusqlite::Error| StoreError::Damaged(path.to_owned(), why.to_string());
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(damaged)?;
    connection.busy_timeout(LOCKED).map_err(damaged)?;
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    if number("application_id").map_err(damaged)? != APPLICATION {
        return Err(StoreError::Foreign(path.to_owned()));
    }
    let found = number("user_version").map_err(damaged)?;
    if found > SCHEMA {
        return Err(StoreError::Newer { path: path.to_owned(), found });
    }
    let verdict: String =
        connection.pragma_query_value(None, "quick_check", |row| row.get(0)).map_err(damaged)?;
    if verdict != "ok" {
        return Err(StoreError::Damaged(path.to_owned(), verdict));
    }
    Ok(())
}

/// Milliseconds since 1970.
pub fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as i64)
}

#[cfg(test)]
mod tests;
