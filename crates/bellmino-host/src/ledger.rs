//! The tables `games` and `moves` in a folder: written while many games are played at once, and opened again.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use bellmino_data::{Format, GameHead, MoveRow, ReadError, TableReader, Tables};
use bellmino_engine::{AnyRecord, RecordError};
use bellmino_lab::{Binder, WrittenGame, bind_record};
use thiserror::Error;

use crate::files::{Aside, open_regular};

/// Both tables of a folder while they are written. Games may come in any order and from any thread; they are written in the
/// order of their numbers, so that the files are the same on any number of threads. Whoever is far ahead waits, so that
/// memory stays bounded.
///
/// The files are written aside and are there, whole, when [`Ledger::finish`] returns; until then, and after any error, older
/// tables of the folder are as they were.
pub struct Ledger {
    folder: PathBuf,
    format: Format,
    /// Something could not be written: there is no use in going on.
    failed: AtomicBool,
    state: Mutex<LedgerState>,
    moved_on: Condvar,
}

struct LedgerState {
    /// `None` once they are finished.
    tables: Option<Tables<Aside>>,
    /// The number of the game that is written next.
    next: u64,
    /// Games that are over and not written yet.
    waiting: BTreeMap<u64, WrittenGame>,
    waiting_rows: usize,
    error: Option<io::Error>,
}

/// Why tables cannot be written or opened.
#[derive(Debug, Error)]
pub enum LedgerError {
    /// The folder cannot be made or written to.
    #[error("tables in {folder}: {why}", folder = .0.display(), why = .1)]
    Folder(PathBuf, io::Error),
    /// The folder has tables in another format.
    #[error("{folder} has tables in {found} already; give another folder, or the format {found}", folder = .folder.display())]
    OtherFormat {
        /// The folder.
        folder: PathBuf,
        /// The other format.
        found: &'static str,
    },
    /// Something could not be written.
    #[error(
        "tables in {folder}: {why} (after {games} games); nothing was kept of them, and older tables there are as they were",
        folder = .folder.display()
    )]
    Write {
        /// The folder.
        folder: PathBuf,
        /// Games written until then.
        games: u64,
        /// What went wrong.
        why: io::Error,
    },
    /// There is no such table.
    #[error("{folder} has no table `{table}` (`{table}.parquet` or `{table}.csv`); `evaluate` and `tables` make them", folder = .folder.display())]
    NoTable {
        /// The folder.
        folder: PathBuf,
        /// The table.
        table: &'static str,
    },
    /// A file that is no table.
    #[error("{file}: {why}", file = .0.display(), why = .1)]
    Read(PathBuf, ReadError),
}

/// Rows of games that wait for their turn.
const WAITING: usize = 1 << 18;

impl Ledger {
    /// Begins the tables of a folder, which is made if it is not there.
    pub fn create(folder: &Path, format: Format) -> Result<Ledger, LedgerError> {
        let refuse = |why| LedgerError::Folder(folder.to_owned(), why);
        fs::create_dir_all(folder).map_err(refuse)?;
        for (found, other) in Format::NAMES {
            if other != format && TABLES.iter().any(|table| folder.join(file_name(table, other)).exists()) {
                return Err(LedgerError::OtherFormat { folder: folder.to_owned(), found });
            }
        }
        let begin = |table| Aside::create(&folder.join(file_name(table, format)));
        let tables = begin(TABLES[0])
            .and_then(|games| Tables::new(format, games, begin(TABLES[1])?))
            .map_err(refuse)?;
        let state = LedgerState {
            tables: Some(tables),
            next: 0,
            waiting: BTreeMap::new(),
            waiting_rows: 0,
            error: None,
        };
        Ok(Ledger {
            folder: folder.to_owned(),
            format,
            failed: AtomicBool::new(false),
            state: Mutex::new(state),
            moved_on: Condvar::new(),
        })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes a recorded game as the next one. `head` says where it comes from; the record tells the rest. A record that
    /// cannot be played again is refused, and nothing of it is written.
    pub fn record(&self, record: &AnyRecord, head: GameHead) -> Result<(), RecordError> {
        bind_record(self, record, head)
    }

    /// Ends both tables and puts them in their place. Gives the numbers of games and moves.
    pub fn finish(self) -> Result<(u64, u64), LedgerError> {
        let (folder, format) = (self.folder, self.format);
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let fail = |why| LedgerError::Write { folder: folder.clone(), games: state.next, why };
        if let Some(error) = state.error {
            return Err(fail(error));
        }
        let Some(tables) = state.tables else { return Err(fail(io::Error::other("they are finished"))) };
        let rows = tables.rows();
        let put = || {
            let (games, moves) = tables.finish()?;
            let (games, moves) = (games.whole()?, moves.whole()?);
            // Between the two, games without their moves must not be seen, nor new moves with old games.
            match fs::remove_file(folder.join(file_name(TABLES[0], format))) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            moves.put()?;
            games.put()
        };
        put().map_err(fail)?;
        Ok(rows)
    }

    fn state(&self) -> MutexGuard<'_, LedgerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fail(&self, state: &mut LedgerState, error: io::Error) {
        state.error.get_or_insert(error);
        self.failed.store(true, Ordering::Relaxed);
        self.moved_on.notify_all();
    }
}

impl Binder for Ledger {
    fn games(&self) -> u64 {
        self.state().next
    }

    fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// Writes the moves; waits until it is their turn.
    fn part(&self, number: u64, rows: Vec<MoveRow>, names: &[String]) {
        let mut state = self.state();
        while state.next != number && state.error.is_none() {
            state = self.moved_on.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if let Err(error) = state.write(|tables| tables.moves(&rows, names)) {
            self.fail(&mut state, error);
        }
    }

    /// Waits if too much waits already.
    fn take(&self, number: u64, game: WrittenGame) {
        let mut state = self.state();
        while state.next != number && state.waiting_rows > WAITING && state.error.is_none() {
            state = self.moved_on.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.waiting_rows += game.moves.len();
        state.waiting.insert(number, game);
        if let Err(error) = state.write_waiting() {
            self.fail(&mut state, error);
        }
        drop(state);
        self.moved_on.notify_all();
    }

    /// The others must not wait for ever.
    fn give_up(&self) {
        self.fail(&mut self.state(), io::Error::other("a game was given up"));
    }
}

impl LedgerState {
    fn write(&mut self, write: impl FnOnce(&mut Tables<Aside>) -> io::Result<()>) -> io::Result<()> {
        match (&mut self.tables, &self.error) {
            (Some(tables), None) => write(tables),
            _ => Ok(()),
        }
    }

    /// Writes the games whose turn it is.
    fn write_waiting(&mut self) -> io::Result<()> {
        while let Some(WrittenGame { row, moves, names }) = self.waiting.remove(&self.next) {
            self.waiting_rows -= moves.len();
            self.next += 1;
            self.write(|tables| {
                tables.moves(&moves, &names)?;
                tables.game(row)
            })?;
        }
        Ok(())
    }
}

/// The tables, those that are put in place last first.
const TABLES: [&str; 2] = ["games", "moves"];

fn file_name(table: &str, format: Format) -> String {
    format!("{table}.{}", format.name())
}

/// Both tables of a folder, to be read: `games`, and `moves` if they are there.
pub fn open_tables(
    folder: &Path,
) -> Result<(TableReader<'static>, Option<TableReader<'static>>), LedgerError> {
    let open = |table: &'static str| {
        for (_, format) in Format::NAMES {
            let path = folder.join(file_name(table, format));
            let file = match open_regular(&path) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(LedgerError::Read(path, error.into())),
            };
            let reader = match format {
                Format::Parquet => TableReader::parquet(file),
                Format::Csv => TableReader::csv(io::BufReader::new(file)),
            };
            return reader.map(Some).map_err(|error| LedgerError::Read(path, error));
        }
        Ok(None)
    };
    let [games, moves] = TABLES;
    let missing = || LedgerError::NoTable { folder: folder.to_owned(), table: games };
    Ok((open(games)?.ok_or_else(missing)?, open(moves)?))
}
