//! An archive in memory, whose content can be taken out as bytes and put in again: for a page that keeps its games by itself.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

use crate::archive::{Archive, ArchiveError, Seat};
use crate::kept::{GameEntry, KeptGame, StoredGame};

/// The first bytes of a kept archive: what it is, and its layout.
const MAGIC: &[u8; 8] = b"bellpag1";

/// Games and settings in memory.
#[derive(Debug, Default)]
pub struct MemoryArchive {
    kept: RefCell<Shelves>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Shelves {
    /// The time of the host, in milliseconds since 1970.
    #[serde(skip)]
    now: i64,
    /// What has changed since that was asked last, by its key.
    #[serde(skip)]
    changed: BTreeSet<String>,
    /// The number of the latest game.
    last: i64,
    games: BTreeMap<i64, MemoryGame>,
    settings: BTreeMap<String, Value>,
}

/// A game with its record, and what was judged of it by whom.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct MemoryGame {
    shown: StoredGame,
    record: String,
    verdicts: Option<(String, Value)>,
}

/// Why bytes are no archive, or something is not in it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MemoryError {
    /// They begin otherwise.
    #[error("these are no kept games of Bellmino")]
    Foreign,
    /// Their checksum does not fit.
    #[error("the kept games are damaged: their checksum does not fit")]
    Damaged,
    /// They cannot be read.
    #[error("the kept games cannot be read: {0}")]
    Unreadable(String),
    /// There is no such game.
    #[error("there is no game {0}")]
    NoGame(i64),
}

impl From<MemoryError> for ArchiveError {
    fn from(error: MemoryError) -> ArchiveError {
        ArchiveError::Host(Box::new(error))
    }
}

impl MemoryArchive {
    /// The archive that was taken out; games that were cut off are there as they stand.
    pub fn import(bytes: &[u8]) -> Result<MemoryArchive, MemoryError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(MemoryError::Foreign)?;
        let (sum, text) = rest.split_at_checked(8).ok_or(MemoryError::Damaged)?;
        if sum != xxh3_64(text).to_le_bytes() {
            return Err(MemoryError::Damaged);
        }
        let mut kept: Shelves =
            serde_json::from_slice(text).map_err(|error| MemoryError::Unreadable(error.to_string()))?;
        kept.games.retain(|_, game| game.shown.state != "open" || !game.record.is_empty());
        for game in kept.games.values_mut().filter(|game| game.shown.state == "open") {
            "stopped".clone_into(&mut game.shown.state);
        }
        Ok(MemoryArchive { kept: RefCell::new(kept) })
    }

    /// All that is kept, as bytes.
    pub fn export(&self) -> Vec<u8> {
        let text = serde_json::to_vec(&*self.kept.borrow()).unwrap_or_default();
        [MAGIC.as_slice(), &xxh3_64(&text).to_le_bytes(), &text].concat()
    }

    /// Tells it the time, in milliseconds since 1970: games have the time at which they began.
    pub fn set_time(&self, now: i64) {
        self.kept.borrow_mut().now = now;
    }

    /// What has changed since this was asked last: each part by its key, with its content unless it is gone.
    pub fn take_changed(&self) -> Vec<(String, Option<String>)> {
        let mut kept = self.kept.borrow_mut();
        let changed = std::mem::take(&mut kept.changed);
        let content = |key: String| {
            let content = kept.part(&key);
            (key, content)
        };
        changed.into_iter().map(content).collect()
    }

    /// Whether something has changed since it was taken last.
    pub fn has_changed(&self) -> bool {
        !self.kept.borrow().changed.is_empty()
    }

    /// Puts in a part that was taken out.
    pub fn put(&self, key: &str, content: &str) -> Result<(), MemoryError> {
        let unreadable = |error: serde_json::Error| MemoryError::Unreadable(format!("{key}: {error}"));
        let mut kept = self.kept.borrow_mut();
        match key.split_once('/') {
            Some(("game", _)) => {
                let mut game: MemoryGame = serde_json::from_str(content).map_err(unreadable)?;
                if game.shown.state == "open" {
                    "stopped".clone_into(&mut game.shown.state);
                }
                kept.last = kept.last.max(game.shown.id);
                if !game.record.is_empty() {
                    kept.games.insert(game.shown.id, game);
                }
            }
            Some(("setting", name)) => {
                let value = serde_json::from_str(content).map_err(unreadable)?;
                kept.settings.insert(name.to_owned(), value);
            }
            _ => return Err(MemoryError::Unreadable(format!("`{key}` is not known"))),
        }
        Ok(())
    }

    /// Changes a game that there is.
    fn change<T>(&self, id: i64, change: impl FnOnce(&mut MemoryGame) -> T) -> Result<T, ArchiveError> {
        let mut kept = self.kept.borrow_mut();
        kept.changed.insert(game_key(id));
        Ok(kept.games.get_mut(&id).map(change).ok_or(MemoryError::NoGame(id))?)
    }

    /// The games that fit, the oldest first.
    fn list(&self, fits: impl Fn(&StoredGame) -> bool) -> Vec<StoredGame> {
        self.kept.borrow().games.values().map(|game| &game.shown).filter(|game| fits(game)).cloned().collect()
    }
}

impl Shelves {
    /// A part by its key; `None` if it is gone.
    fn part(&self, key: &str) -> Option<String> {
        let (kind, name) = key.split_once('/')?;
        if kind == "game" {
            serde_json::to_string(self.games.get(&name.parse().ok()?)?).ok()
        } else {
            Some(self.settings.get(name)?.to_string())
        }
    }
}

fn game_key(id: i64) -> String {
    format!("game/{id}")
}

fn setting_key(name: &str) -> String {
    format!("setting/{name}")
}

impl Archive for MemoryArchive {
    fn games(&self, limit: u32) -> Result<Vec<StoredGame>, ArchiveError> {
        let is_set_up = |game: &StoredGame| {
            game.pieces == 0 && !matches!(game.summary["set_up"], Value::Null | Value::Bool(false))
        };
        let mut games = self.list(|game| game.state != "open" && !is_set_up(game));
        games.reverse();
        games.truncate(limit as usize);
        for game in &mut games {
            // What can be gone back to is for whoever goes on with it.
            game.summary.as_object_mut().and_then(|summary| summary.remove("before"));
        }
        Ok(games)
    }

    fn game(&self, id: i64) -> Result<Option<(StoredGame, String)>, ArchiveError> {
        Ok(self.kept.borrow().games.get(&id).map(|game| (game.shown.clone(), game.record.clone())))
    }

    fn begin(&self, mode: &str, player: &str) -> Result<i64, ArchiveError> {
        let mut kept = self.kept.borrow_mut();
        kept.last += 1;
        let (id, started) = (kept.last, kept.now);
        kept.changed.insert(game_key(id));
        let (mode, player, state) = (mode.to_owned(), player.to_owned(), "open".to_owned());
        let shown = StoredGame { id, mode, player, state, started, ..StoredGame::default() };
        kept.games.insert(id, MemoryGame { shown, record: String::new(), verdicts: None });
        Ok(id)
    }

    fn update(&self, id: i64, state: &str, entry: &GameEntry) -> Result<(), ArchiveError> {
        self.change(id, |game| {
            let GameEntry { milliseconds, score, lines, pieces, summary, record } = entry.clone();
            let (id, started) = (game.shown.id, game.shown.started);
            let (mode, player) = (game.shown.mode.clone(), game.shown.player.clone());
            let state = state.to_owned();
            let shown =
                StoredGame { id, mode, player, state, started, milliseconds, score, lines, pieces, summary };
            (game.shown, game.record) = (shown, record);
        })
    }

    fn find(&self, record: &str, player: &str) -> Result<Option<i64>, ArchiveError> {
        let kept = self.kept.borrow();
        let is_it = |game: &&MemoryGame| game.shown.player == player && game.record == record;
        Ok(kept.games.values().find(is_it).map(|game| game.shown.id))
    }

    fn remove(&self, id: i64) -> Result<(), ArchiveError> {
        let mut kept = self.kept.borrow_mut();
        kept.changed.insert(game_key(id));
        Ok(kept.games.remove(&id).map(|_| ()).ok_or(MemoryError::NoGame(id))?)
    }

    fn bests(&self, mode: &str, player: &str, limit: u32) -> Result<Vec<StoredGame>, ArchiveError> {
        let mut games = self.list(|game| game.mode == mode && game.player == player && game.state == "goal");
        if mode == "sprint" {
            games.sort_by_key(|game| game.milliseconds);
        } else {
            games.sort_by_key(|game| (std::cmp::Reverse(game.score), game.milliseconds));
        }
        games.truncate(limit as usize);
        Ok(games)
    }

    fn unfinished(&self, mode: &str, seat: Seat<'_>) -> Result<Option<(StoredGame, String)>, ArchiveError> {
        let fits = |game: &StoredGame| {
            let at = game.summary["seat"].as_str();
            let is_there = at.is_some_and(|at| match seat {
                Seat::Of(seat) => at == seat,
                Seat::Other(seat) => at != seat,
            });
            game.state == "stopped" && game.mode == mode && is_there
        };
        self.list(fits).pop().map_or(Ok(None), |game| self.game(game.id))
    }

    fn duels(&self) -> Result<Vec<StoredGame>, ArchiveError> {
        let has_ended = |game: &StoredGame| matches!(game.state.as_str(), "goal" | "topped-out");
        Ok(self.list(|game| has_ended(game) && !game.summary["duel"]["verdict"].is_null()))
    }

    fn visit(&self, visit: &mut dyn FnMut(KeptGame) -> bool) -> Result<(), ArchiveError> {
        for MemoryGame { shown, record, .. } in self.kept.borrow().games.values() {
            if shown.state == "open" || record.is_empty() || shown.pieces == 0 {
                continue;
            }
            let StoredGame { id, player, started, summary, .. } = shown.clone();
            if !visit(KeptGame { id, player, started, summary, record: Some(record.clone()) }) {
                break;
            }
        }
        Ok(())
    }

    fn verdicts(&self, game: i64, judge: &str) -> Result<Option<Value>, ArchiveError> {
        let kept = self.kept.borrow();
        let known = kept.games.get(&game).and_then(|game| game.verdicts.as_ref());
        Ok(known.filter(|(by, _)| by == judge).map(|(_, verdicts)| verdicts.clone()))
    }

    fn keep_verdicts(&self, game: i64, judge: &str, verdicts: &Value) -> Result<(), ArchiveError> {
        self.change(game, |game| game.verdicts = Some((judge.to_owned(), verdicts.clone())))
    }

    fn setting(&self, key: &str) -> Result<Option<Value>, ArchiveError> {
        Ok(self.kept.borrow().settings.get(key).cloned())
    }

    fn merge(&self, key: &str, parts: &Value) -> Result<Value, ArchiveError> {
        let mut kept = self.kept.borrow_mut();
        kept.changed.insert(setting_key(key));
        let mut whole = match kept.settings.get(key) {
            Some(Value::Object(known)) => known.clone(),
            _ => Map::new(),
        };
        whole.extend(parts.as_object().cloned().unwrap_or_default());
        let whole = Value::Object(whole);
        kept.settings.insert(key.to_owned(), whole.clone());
        Ok(whole)
    }
}
