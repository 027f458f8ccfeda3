//! Games and texts from outside: of bounded size, and refused with the reason.

use bellmino_engine::{BUILT_IN, Game, GameError, Override, OverrideError, Problem};
use thiserror::Error;

use crate::resources::{ResourceError, ResourceKind, Resources, read_text};

pub use crate::resources::{MAX_TEXT, MAX_WEIGHTS};

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
    #[error("{file}: {why}")]
    File {
        /// The file.
        file: String,
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

/// A built-in game or one from outside, with changes `key=value`.
pub fn load_game(name: &str, changes: &[String], resources: &dyn Resources) -> Result<Game, LoadError> {
    load_game_noticing(name, changes, resources).map(|(game, _)| game)
}

/// The same, and what was taken otherwise than it was written.
pub fn load_game_noticing(
    name: &str,
    changes: &[String],
    resources: &dyn Resources,
) -> Result<(Game, Vec<Problem>), LoadError> {
    let changes = overrides(changes)?;
    let text = match BUILT_IN.iter().find(|(known, _)| *known == name) {
        Some((_, text)) => (*text).to_owned(),
        None => read_text(resources, ResourceKind::Game, name).map_err(|error| match error {
            ResourceError::Missing(_) => LoadError::Unknown(Game::unknown(name)),
            ResourceError::Unreadable(why) => LoadError::File { file: name.to_owned(), why },
        })?,
    };
    Ok(Game::read_noticing(name, &text, &changes)?)
}

/// The same of a game from a text; `source` names the text in messages.
pub fn read_game_noticing(
    source: &str,
    text: &str,
    changes: &[String],
) -> Result<(Game, Vec<Problem>), LoadError> {
    Ok(Game::read_noticing(source, text, &overrides(changes)?)?)
}

/// A game from a text, with changes `key=value`; `source` names the text in messages.
pub fn read_game(source: &str, text: &str, changes: &[String]) -> Result<Game, LoadError> {
    read_game_noticing(source, text, changes).map(|(game, _)| game)
}

fn overrides(changes: &[String]) -> Result<Vec<Override>, LoadError> {
    changes.iter().map(|text| Ok(text.parse()?)).collect()
}
