//! The store: games and settings in one SQLite file in the user's data folder.
//!
//! The file is written ahead (WAL), so that a crash leaves it sound. A file that is damaged, newer than this program
//! or not ours is refused before anything is written to it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params};
use serde::Serialize;
use serde_json::Value;
use thiserror::Error;

/// The file's name in the data folder.
pub const FILE: &str = "lab.sqlite";

/// Says that the file is ours: `bell` in ASCII.
const APPLICATION: i32 = 0x6265_6c6c;

/// The shape of the tables; a file with a larger number was made by a newer program.
const SCHEMA: i32 = 1;

const TABLES: &str = "
    CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
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
        record TEXT NOT NULL DEFAULT ''
    ) STRICT;
    CREATE INDEX games_by_mode ON games (mode, state);
";

/// How long a game may be silent before a starting lab takes it for one that a crash cut off.
const SILENCE: Duration = Duration::from_secs(5);

/// The open store.
pub struct GameStore {
    path: PathBuf,
    connection: Connection,
}

/// Why the store cannot be used.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The folder cannot be made or entered.
    #[error("cannot use the data folder {folder}: {why}; give another with --data DIR", folder = .0.display(), why = .1)]
    Folder(PathBuf, std::io::Error),
    /// There is no home to put it in.
    #[error("no data folder is known (HOME is not set); give one with --data DIR")]
    NoHome,
    /// The file is no database or a broken one.
    #[error(
        "{file} is damaged or not a database ({why}); nothing was changed. Move it away to start afresh, or give another folder with --data DIR",
        file = .0.display(), why = .1
    )]
    Damaged(PathBuf, String),
    /// A database of another program.
    #[error("{file} is a database of another program; nothing was changed. Give another folder with --data DIR", file = .0.display())]
    Foreign(PathBuf),
    /// Made by a newer program.
    #[error(
        "{file} was written by a newer Bellmino (its layout is {found}, this program knows {SCHEMA}); nothing was changed. Update Bellmino, or give another folder with --data DIR",
        file = .path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its layout.
        found: i32,
    },
    /// A statement failed.
    #[error("the store failed: {0}")]
    Sql(#[from] rusqlite::Error),
}

/// A game as lists show it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StoredGame {
    /// Its number.
    pub id: i64,
    /// `sprint`, `blitz`, `practice`, or another game's name.
    pub mode: String,
    /// Who played.
    pub player: String,
    /// `open`, `goal`, `topped-out` or `stopped`.
    pub state: String,
    /// When it began, in milliseconds since 1970.
    pub started: i64,
    /// How long it took.
    pub milliseconds: i64,
    /// Points.
    pub score: i64,
    /// Rows cleared.
    pub lines: i64,
    /// Pieces placed.
    pub pieces: i64,
    /// The statistics of the end screen.
    pub summary: Value,
}

/// What is written about a game as it goes on.
#[derive(Clone, Debug, Default)]
pub struct GameEntry {
    /// How long it has taken.
    pub milliseconds: i64,
    /// Points.
    pub score: i64,
    /// Rows cleared.
    pub lines: i64,
    /// Pieces placed.
    pub pieces: i64,
    /// The statistics of the end screen.
    pub summary: Value,
    /// The game itself, to be opened again.
    pub record: String,
}

impl GameStore {
    /// Opens the store of a folder, which is made if it does not exist.
    pub fn open(folder: &Path) -> Result<GameStore, StoreError> {
        fs::create_dir_all(folder).map_err(|why| StoreError::Folder(folder.to_owned(), why))?;
        let path = folder.join(FILE);
        let is_new = match fs::metadata(&path) {
            Ok(file) => file.len() == 0,
            Err(why) if why.kind() == std::io::ErrorKind::NotFound => true,
            Err(why) => return Err(StoreError::Folder(folder.to_owned(), why)),
        };
        if !is_new {
            check(&path)?;
        }
        let connection = Connection::open(&path)?;
        connection.busy_timeout(Duration::from_secs(5))?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        if is_new {
            connection.execute_batch(&format!(
                "BEGIN IMMEDIATE; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {SCHEMA}; {TABLES} COMMIT;"
            ))?;
        }
        let store = GameStore { path, connection };
        store.close_cut_off()?;
        Ok(store)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A setting.
    pub fn setting(&self, key: &str) -> Result<Option<Value>, StoreError> {
        let text: Option<String> = self.with(|connection| {
            connection
                .query_row("SELECT value FROM settings WHERE key = ?1", [key], |row| row.get(0))
                .optional()
        })?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// Keeps a setting.
    pub fn set(&self, key: &str, value: &Value) -> Result<(), StoreError> {
        self.with(|connection| {
            let statement = "INSERT INTO settings (key, value) VALUES (?1, ?2)
                ON CONFLICT (key) DO UPDATE SET value = excluded.value";
            connection.execute(statement, params![key, value.to_string()])
        })?;
        Ok(())
    }

    /// Begins a game and gives it a number.
    pub fn begin(&self, mode: &str, player: &str) -> Result<i64, StoreError> {
        self.with(|connection| {
            let statement =
                "INSERT INTO games (mode, player, state, started, updated) VALUES (?1, ?2, 'open', ?3, ?3)";
            connection.execute(statement, params![mode, player, now()])?;
            Ok(connection.last_insert_rowid())
        })
    }

    /// Writes how a game stands; `state` is `open` while it goes on.
    pub fn update(&self, id: i64, state: &str, progress: &GameEntry) -> Result<(), StoreError> {
        self.with(|connection| {
            let statement =
                "UPDATE games SET state = ?2, updated = ?3, milliseconds = ?4, score = ?5, lines = ?6,
                pieces = ?7, summary = ?8, record = ?9 WHERE id = ?1";
            let GameEntry { milliseconds, score, lines, pieces, summary, record } = progress;
            let values =
                params![id, state, now(), milliseconds, score, lines, pieces, summary.to_string(), record];
            connection.execute(statement, values)
        })?;
        Ok(())
    }

    /// Forgets a game.
    pub fn remove(&self, id: i64) -> Result<(), StoreError> {
        self.with(|connection| connection.execute("DELETE FROM games WHERE id = ?1", [id]))?;
        Ok(())
    }

    /// The latest games that have ended, newest first.
    pub fn games(&self, limit: u32) -> Result<Vec<StoredGame>, StoreError> {
        self.list("WHERE state <> 'open' ORDER BY id DESC LIMIT ?1", limit)
    }

    /// One game and its record.
    pub fn game(&self, id: i64) -> Result<Option<(StoredGame, String)>, StoreError> {
        self.with(|connection| {
            let query = format!("SELECT {COLUMNS}, record FROM games WHERE id = ?1");
            connection.query_row(&query, [id], |row| Ok((stored(row)?, row.get("record")?))).optional()
        })
    }

    /// The number of a player's game with this record.
    pub fn find(&self, record: &str, player: &str) -> Result<Option<i64>, StoreError> {
        self.with(|connection| {
            let query = "SELECT id FROM games WHERE player = ?2 AND record = ?1";
            connection.query_row(query, params![record, player], |row| row.get(0)).optional()
        })
    }

    /// The best finished games of a mode: the quickest Sprint, else the most points.
    pub fn bests(&self, mode: &str, player: &str, limit: u32) -> Result<Vec<StoredGame>, StoreError> {
        let order = if mode == "sprint" { "milliseconds" } else { "score DESC, milliseconds" };
        self.with(|connection| {
            let query = format!(
                "SELECT {COLUMNS} FROM games WHERE mode = ?1 AND player = ?2 AND state = 'goal' ORDER BY {order}, id LIMIT ?3"
            );
            connection.prepare(&query)?.query_map(params![mode, player, limit], stored)?.collect()
        })
    }

    /// Games that a crash cut off keep what was written of them; those without a piece are dropped.
    fn close_cut_off(&self) -> Result<(), StoreError> {
        let silent = now() - SILENCE.as_millis() as i64;
        self.with(|connection| {
            connection.execute(
                "DELETE FROM games WHERE state = 'open' AND pieces = 0 AND updated < ?1",
                [silent],
            )?;
            connection
                .execute("UPDATE games SET state = 'stopped' WHERE state = 'open' AND updated < ?1", [silent])
        })?;
        Ok(())
    }

    fn list(&self, rest: &str, limit: u32) -> Result<Vec<StoredGame>, StoreError> {
        self.with(|connection| {
            let query = format!("SELECT {COLUMNS} FROM games {rest}");
            connection.prepare(&query)?.query_map([limit], stored)?.collect()
        })
    }

    fn with<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        Ok(work(&self.connection)?)
    }
}

/// A game that was played in the lab, to be read by others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptGame {
    /// Its number.
    pub id: i64,
    /// Who played.
    pub player: String,
    /// When it began, in milliseconds since 1970.
    pub started: i64,
    /// The game itself.
    pub record: String,
}

/// Shows every game of a folder that has ended, the oldest first, until `visit` says no. Nothing is written, and a lab may be
/// running. Without a folder it is the user's own.
pub fn kept_games(folder: Option<&Path>, mut visit: impl FnMut(KeptGame) -> bool) -> Result<(), StoreError> {
    let folder = folder.map_or_else(default_folder, |folder| Ok(folder.to_owned()))?;
    let path = folder.join(FILE);
    fs::metadata(&path).map_err(|why| StoreError::Folder(folder, why))?;
    check(&path)?;
    let connection = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    let query =
        "SELECT id, player, started, record FROM games WHERE state <> 'open' AND record <> '' ORDER BY id";
    let mut statement = connection.prepare(query)?;
    let games = statement.query_map([], |row| {
        let (id, player) = (row.get("id")?, row.get("player")?);
        Ok(KeptGame { id, player, started: row.get("started")?, record: row.get("record")? })
    })?;
    for game in games {
        if !visit(game?) {
            break;
        }
    }
    Ok(())
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

const COLUMNS: &str = "id, mode, player, state, started, milliseconds, score, lines, pieces, summary";

fn stored(row: &Row<'_>) -> rusqlite::Result<StoredGame> {
    let summary: String = row.get("summary")?;
    Ok(StoredGame {
        id: row.get("id")?,
        mode: row.get("mode")?,
        player: row.get("player")?,
        state: row.get("state")?,
        started: row.get("started")?,
        milliseconds: row.get("milliseconds")?,
        score: row.get("score")?,
        lines: row.get("lines")?,
        pieces: row.get("pieces")?,
        summary: serde_json::from_str(&summary).unwrap_or_default(),
    })
}

/// Looks at an existing file without writing to it.
fn check(path: &Path) -> Result<(), StoreError> {
    let damaged = |why: rusqlite::Error| StoreError::Damaged(path.to_owned(), why.to_string());
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(damaged)?;
    connection.busy_timeout(Duration::from_secs(5)).map_err(damaged)?;
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
mod tests {
    use super::*;
    use serde_json::json;

    fn progress(pieces: i64, milliseconds: i64, score: i64) -> GameEntry {
        GameEntry { pieces, milliseconds, score, record: "record".into(), ..GameEntry::default() }
    }

    #[test]
    fn settings_and_games_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let store = GameStore::open(folder.path()).unwrap();
        assert_eq!(store.setting("keys").unwrap(), None);
        store.set("keys", &json!({"left": "KeyA"})).unwrap();
        store.set("keys", &json!({"left": "KeyJ"})).unwrap();
        let id = store.begin("sprint", "you").unwrap();
        store.update(id, "goal", &progress(100, 60_000, 5000)).unwrap();
        drop(store);
        let store = GameStore::open(folder.path()).unwrap();
        assert_eq!(store.setting("keys").unwrap(), Some(json!({"left": "KeyJ"})));
        let (game, record) = store.game(id).unwrap().unwrap();
        assert_eq!((game.pieces, game.state.as_str(), record.as_str()), (100, "goal", "record"));
    }

    #[test]
    fn bests_are_the_quickest_sprints_and_the_highest_scores() {
        let folder = tempfile::tempdir().unwrap();
        let store = GameStore::open(folder.path()).unwrap();
        for (mode, state, milliseconds, score) in [
            ("sprint", "goal", 50_000, 1),
            ("sprint", "goal", 40_000, 0),
            ("sprint", "topped-out", 10_000, 9),
            ("blitz", "goal", 180_000, 10),
            ("blitz", "goal", 180_000, 30),
        ] {
            let id = store.begin(mode, "you").unwrap();
            store.update(id, state, &progress(1, milliseconds, score)).unwrap();
        }
        let times: Vec<i64> =
            store.bests("sprint", "you", 5).unwrap().iter().map(|game| game.milliseconds).collect();
        assert_eq!(times, [40_000, 50_000]);
        let scores: Vec<i64> =
            store.bests("blitz", "you", 1).unwrap().iter().map(|game| game.score).collect();
        assert_eq!(scores, [30]);
    }

    #[test]
    fn a_game_cut_off_keeps_what_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let store = GameStore::open(folder.path()).unwrap();
        let played = store.begin("sprint", "you").unwrap();
        store.update(played, "open", &progress(7, 5000, 100)).unwrap();
        let empty = store.begin("sprint", "you").unwrap();
        // As if both had been silent for long.
        store.with(|connection| connection.execute("UPDATE games SET updated = 0", [])).unwrap();
        drop(store);
        let store = GameStore::open(folder.path()).unwrap();
        assert_eq!(store.game(played).unwrap().unwrap().0.state, "stopped");
        assert_eq!(store.game(empty).unwrap(), None);
    }

    #[test]
    fn ended_games_are_shown_to_others() {
        let folder = tempfile::tempdir().unwrap();
        assert!(kept_games(Some(folder.path()), |_| true).unwrap_err().to_string().contains("data folder"));
        let store = GameStore::open(folder.path()).unwrap();
        for (state, pieces) in [("goal", 100), ("open", 7), ("topped-out", 9)] {
            let id = store.begin("sprint", "you").unwrap();
            store.update(id, state, &progress(pieces, 5000, 100)).unwrap();
        }
        let seen = |most: usize| {
            let mut seen = vec![];
            let visit = |game: KeptGame| {
                seen.push((game.id, game.player, game.record));
                seen.len() < most
            };
            kept_games(Some(folder.path()), visit).unwrap();
            seen
        };
        let game = |id| (id, "you".to_owned(), "record".to_owned());
        assert_eq!(seen(9), [game(1), game(3)]);
        assert_eq!(seen(1), [game(1)]);
    }

    #[test]
    fn files_that_are_not_ours_are_refused_and_left_alone() {
        let check = |make: &dyn Fn(&Path), expected: &str| {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(FILE);
            make(&path);
            let before = fs::read(&path).unwrap();
            let message = GameStore::open(folder.path()).err().expect("refused").to_string();
            assert!(message.contains(expected), "{message}");
            assert_eq!(fs::read(&path).unwrap(), before, "the file was changed");
        };
        check(&|path| fs::write(path, "not a database, but long enough to look at").unwrap(), "damaged");
        check(
            &|path| {
                let connection = Connection::open(path).unwrap();
                connection.execute_batch("CREATE TABLE other (x)").unwrap();
            },
            "another program",
        );
        check(
            &|path| {
                drop(GameStore::open(path.parent().unwrap()).unwrap());
                let connection = Connection::open(path).unwrap();
                connection.pragma_update(None, "user_version", SCHEMA + 1).unwrap();
                connection.pragma_update(None, "journal_mode", "DELETE").unwrap();
            },
            "newer",
        );
        check(
            &|path| {
                drop(GameStore::open(path.parent().unwrap()).unwrap());
                let mut bytes = fs::read(path).unwrap();
                let half = bytes.len() / 2;
                bytes[100..half].fill(0x5a);
                fs::write(path, bytes).unwrap();
            },
            "damaged",
        );
    }
}
