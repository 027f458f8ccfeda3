//! Games and texts from outside: of bounded size, and refused with the reason.

use std::path::{Path, PathBuf};

use bellmino_engine::{BUILT_IN, Game, GameError, Override, OverrideError, Problem};
use thiserror::Error;

use crate::files::read_regular;

/// The largest file of a game, a record, weights or a diagram that is read.
pub const MAX_TEXT: u64 = 1 << 20;

/// Why something from outside cannot be used.
#[derive(Debug, Error)]
pub enum LoadError {
    /// A change of the game that cannot be read.
    #[error(transparent)]
    Override(#[from] OverrideError),
    /// No game of this name; the text names the nearest.
    #[error("{0}")]
    Unknown(String),
    /// The game has problems.
    #[error(transparent)]
    Game(#[from] GameError),
    /// A file that is not there, too large or no text.
    #[error("{path}: {why}", path = .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
}

impl LoadError {
    /// What is wrong, without the name of the file.
    pub fn why(&self) -> String {
        match self {
            LoadError::File { why, .. } => why.clone(),
            error => error.to_string(),
        }
    }
}

/// A built-in game with changes `key=value`.
pub fn built_in_game(name: &str, changes: &[String]) -> Result<Game, LoadError> {
    match Game::built_in(name, &overrides(changes)?) {
        Some(game) => Ok(game?),
        None => Err(LoadError::Unknown(Game::unknown(name))),
    }
}

/// A built-in game or one from a file, with changes `key=value`.
pub fn load_game(name: &str, changes: &[String]) -> Result<Game, LoadError> {
    load_game_noticing(name, changes).map(|(game, _)| game)
}

/// The same, and what was taken otherwise than it was written.
pub fn load_game_noticing(name: &str, changes: &[String]) -> Result<(Game, Vec<Problem>), LoadError> {
    let (path, changes) = (Path::new(name), overrides(changes)?);
    let text = match BUILT_IN.iter().find(|(known, _)| *known == name) {
        Some((_, text)) => (*text).to_owned(),
        None if path.exists() => read_text(path, MAX_TEXT)?,
        None => return Err(LoadError::Unknown(Game::unknown(name))),
    };
    Ok(Game::read_noticing(name, &text, &changes)?)
}

/// A game from a text, with changes `key=value`; `source` names the text in messages.
pub fn read_game(source: &str, text: &str, changes: &[String]) -> Result<Game, LoadError> {
    Ok(Game::read(source, text, &overrides(changes)?)?)
}

/// A text file of at most so many bytes.
pub fn read_text(path: &Path, most: u64) -> Result<String, LoadError> {
    let refuse = |why: String| LoadError::File { path: path.to_owned(), why };
    let bytes = read_regular(path, most).map_err(|error| refuse(error.to_string()))?;
    String::from_utf8(bytes).map_err(|_| refuse("is not UTF-8 text".to_owned()))
}

fn overrides(changes: &[String]) -> Result<Vec<Override>, LoadError> {
    changes.iter().map(|text| Ok(text.parse()?)).collect()
}
