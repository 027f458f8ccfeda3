//! Why training cannot be begun or gone on with.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::work::TakeError;
use crate::crew::CrewError;
use crate::request::{RequestError, named, plainly};

/// Why training cannot be begun or gone on with.
#[derive(Debug, Error)]
pub enum TrainingError {
    /// What was asked for makes no sense. Fields are named as in a request.
    #[error("{}", plainly(.0))]
    Refused(String),
    /// An option is wrong.
    #[error("`{option}`: {}", plainly(why))]
    Option {
        /// The field of the request.
        option: &'static str,
        /// Why, and what would be right.
        why: String,
    },
    /// An option does not go with the game.
    #[error("`{option}` {}", plainly(why))]
    Unfit {
        /// The field of the request.
        option: &'static str,
        /// Why.
        why: String,
    },
    /// A run directory cannot be used.
    #[error("{}: {}", path.display(), plainly(why))]
    Run {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// A file cannot be written.
    #[error("cannot {what} {}: {error}", path.display())]
    File {
        /// What was tried.
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What happened.
        error: io::Error,
    },
    /// Results do not belong to the work that was handed out.
    #[error(transparent)]
    Take(#[from] TakeError),
    /// Others should have done the work, and could not.
    #[error(transparent)]
    Crew(#[from] CrewError),
}

impl TrainingError {
    /// The refusal of an option of placement games.
    pub(super) fn of_placement(option: &'static str, game: &str) -> TrainingError {
        let why = format!("is for placement games; `{game}` is a guideline game");
        TrainingError::Unfit { option, why }
    }

    pub(super) fn option(option: &'static str, why: String) -> TrainingError {
        TrainingError::Option { option, why }
    }

    /// A file cannot be written.
    pub fn file(what: &'static str, path: &Path, error: io::Error) -> TrainingError {
        TrainingError::File { what, path: path.to_owned(), error }
    }
}

impl From<TrainingError> for RequestError {
    fn from(error: TrainingError) -> RequestError {
        match error {
            TrainingError::Option { option, why } => RequestError::field(option, why),
            TrainingError::Unfit { option, why } => RequestError::input(format!("{} {why}", named(option))),
            TrainingError::Refused(why) => RequestError::input(why),
            TrainingError::Run { path, why } => RequestError::input(format!("{}: {why}", path.display())),
            TrainingError::File { .. } | TrainingError::Take(_) | TrainingError::Crew(_) => {
                RequestError::run(error)
            }
        }
    }
}
