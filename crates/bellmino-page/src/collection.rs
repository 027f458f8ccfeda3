//! The collection: games, players and tables that a page may name. A page names them, and never a path: the host alone knows
//! where they come from.

use std::io;
use std::path::PathBuf;

use bellmino_engine::{Game, PlacementGame};
use bellmino_exact::{SolveSettings, Table};
use bellmino_lab::load::LoadError;
use bellmino_lab::{LoadTableError, Player, PlayerError, SolvePlan, SolvePlanError};
use thiserror::Error;

use crate::shelf::MAX_BYTES;

/// Why there is no such game, player or table.
#[derive(Debug, Error)]
pub enum LibraryError {
    /// No game of this name, or a file with problems.
    #[error(transparent)]
    Game(#[from] LoadError),
    /// No player is called so.
    #[error("there is no player `{name}`; {hint}")]
    NoPlayer {
        /// The name.
        name: String,
        /// The nearest valid choice, or all.
        hint: String,
    },
    /// No weights of this name, built in or in the folder.
    #[error("there are no weights `{name}` in the lab; {hint}")]
    NoWeights {
        /// The name.
        name: String,
        /// The nearest valid choice, or all.
        hint: String,
    },
    /// No run of this name has learned anything.
    #[error("there is no `run:{0}`")]
    NoRun(String),
    /// No table of this name.
    #[error("there is no table `{name}`; put tables of `bellmino solve -o` into {}", .folder.display())]
    NoTable {
        /// The name.
        name: String,
        /// The folder of tables.
        folder: PathBuf,
    },
    /// A table that does not fit into memory.
    #[error(
        "the table `{name}` has {mebibytes} MiB, and the lab keeps {} of all; `bellmino solve` looks into it",
        MAX_BYTES >> 20
    )]
    LargeTable {
        /// The name.
        name: String,
        /// Its size.
        mebibytes: u64,
    },
    /// A player that does not play this game.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// A file that is no table, or one of another game.
    #[error(transparent)]
    Table(#[from] LoadTableError),
    /// Words that are no question to the solver.
    #[error(transparent)]
    Plan(#[from] SolvePlanError),
    /// The system refused to look.
    #[error(transparent)]
    System(#[from] io::Error),
}

impl From<LibraryError> for String {
    fn from(error: LibraryError) -> String {
        error.to_string()
    }
}

/// What a page may name.
pub trait Collection: Send + Sync {
    /// A built-in game or one of the lab's own, with changes `key=value`.
    fn game(&self, name: &str, set: &[String]) -> Result<Game, LibraryError>;

    /// Every game: the built-in ones, then one's own that can be read.
    fn games(&self) -> Vec<Game>;

    /// The player of this name in a game: a simple one, or by weights, a table or a training run of the lab.
    fn player(&self, name: &str, game: &Game) -> Result<Player, LibraryError>;

    /// What is asked of the solver, with a dealer and a player by name.
    fn plan<'a>(
        &self,
        game: &'a PlacementGame,
        asked: SolveSettings,
        dealer: &str,
        player: Option<&str>,
    ) -> Result<SolvePlan<'a>, LibraryError>;

    /// One's own weights.
    fn weights_names(&self) -> Vec<String>;

    /// A table of any game that is small enough for the lab.
    fn table(&self, name: &str) -> Result<Table, LibraryError>;

    /// The same of this game.
    fn table_of(&self, name: &str, game: &PlacementGame) -> Result<Table, LibraryError>;

    /// The tables there are.
    fn tables(&self) -> Vec<String>;
}
