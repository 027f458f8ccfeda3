//! The premises: what a host has beside its archive, so far as sessions ask for it.

use std::error::Error as AnyError;

use serde::Deserialize;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::collection::Collection;

/// Why a host does not do something, in its own words.
pub type HostError = Box<dyn AnyError + Send + Sync>;

/// What a host has.
pub trait Premises: Send + Sync {
    /// Games, players and tables by name.
    fn collection(&self) -> &dyn Collection;

    /// Training runs.
    fn runs(&self) -> &dyn TrainingRuns;

    /// Where games are kept, and where one's own files lie, in words.
    fn places(&self) -> (String, String);

    /// The games that the program itself shows: each with its number and its title.
    fn shown(&self) -> Vec<(u32, Value)>;

    /// What a page needs to draw one of them, if it is still shown.
    fn shown_board(&self, number: u32) -> Option<Value>;
}

/// A run to start.
#[derive(Clone, Debug, Deserialize)]
pub struct TrainOrder {
    /// Its name.
    pub name: String,
    /// The fields of the request `train` about a game of the library; none of them names a file.
    #[serde(flatten)]
    pub request: Map<String, Value>,
}

/// Training runs, as sessions see them.
pub trait TrainingRuns: Send + Sync {
    /// Every run, the newest first.
    fn list(&self) -> Vec<Value>;

    /// The learning curve of a run, as columns and rows, and what it has learned.
    fn curve(&self, name: &str) -> Result<Value, HostError>;

    /// Starts a run.
    fn start(&self, order: &TrainOrder) -> Result<Value, HostError>;

    /// Goes on with a run.
    fn resume(&self, name: &str) -> Result<Value, HostError>;

    /// Ends the run under way; with a name, only if it is that one.
    fn stop(&self, name: Option<&str>) -> Result<(), HostError>;

    /// Forgets a run with all its files.
    fn remove(&self, name: &str) -> Result<(), HostError>;
}

/// A host that trains nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoRuns;

/// Why there is no training.
#[derive(Clone, Copy, Debug, Error)]
#[error("training takes a machine of its own: install Bellmino and run `bellmino lab`")]
pub struct NoTraining;

impl TrainingRuns for NoRuns {
    fn list(&self) -> Vec<Value> {
        vec![]
    }

    fn curve(&self, _: &str) -> Result<Value, HostError> {
        Err(NoTraining.into())
    }

    fn start(&self, _: &TrainOrder) -> Result<Value, HostError> {
        Err(NoTraining.into())
    }

    fn resume(&self, _: &str) -> Result<Value, HostError> {
        Err(NoTraining.into())
    }

    fn stop(&self, _: Option<&str>) -> Result<(), HostError> {
        Err(NoTraining.into())
    }

    fn remove(&self, _: &str) -> Result<(), HostError> {
        Err(NoTraining.into())
    }
}
