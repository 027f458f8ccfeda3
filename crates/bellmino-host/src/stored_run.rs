//! Run directories being read: what kind of run it is, how far it came and which player it makes.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use bellmino_engine::Game;
use bellmino_lab::checksum::unsealed;
use bellmino_lab::load::MAX_WEIGHTS;
use bellmino_lab::training::{Method, RunConfig, TrainingError};
use bellmino_search::{Feature, Weights};
use serde_json::{Map, Value, json};

use crate::files::read_regular;
use crate::load::read_text;

/// A run directory that is read.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredRun {
    path: PathBuf,
    /// What was asked for.
    pub config: RunConfig,
    /// The names of the columns of the learning curve.
    pub columns: Vec<String>,
    /// The learning curve; a number that is none is `None`.
    pub rows: Vec<Vec<Option<f64>>>,
    /// When the curve last grew.
    pub changed: Option<SystemTime>,
}

/// The largest file that is read.
const MAX_FILE: u64 = 64 << 20;

impl StoredRun {
    /// Whether there is a run in this folder.
    pub fn is_at(path: &Path) -> bool {
        path.join("config.json").is_file()
    }

    /// Reads the run in this folder.
    pub fn open(path: &Path) -> Result<StoredRun, TrainingError> {
        let (file, curve) = (path.join("config.json"), path.join("curve.csv"));
        let config = serde_json::from_str(&read(&file)?)
            .map_err(|error| TrainingError::Run { path: file, why: format!("is damaged: {error}") })?;
        let text = read(&curve)?;
        let mut lines = text.lines();
        let columns = lines.next().unwrap_or("").split(',').map(str::to_owned).collect();
        let rows = lines.map(|line| line.split(',').map(|cell| cell.parse().ok()).collect()).collect();
        let changed = fs::metadata(curve).and_then(|file| file.modified()).ok();
        Ok(StoredRun { path: path.to_owned(), config, columns, rows, changed })
    }

    /// The name of the game.
    pub fn game(&self) -> Option<String> {
        Game::read("config.json", &self.config.game, &[]).ok().map(|game| game.name().to_owned())
    }

    /// Steps done.
    pub fn steps(&self) -> u64 {
        self.rows.len() as u64
    }

    /// Whether nothing is left to do: all steps are done, or the goal is reached.
    pub fn is_done(&self) -> bool {
        let elite = || {
            let column = self.columns.iter().position(|name| name == "elite")?;
            self.rows.last()?.get(column).copied()?
        };
        let reached = |goal| elite().is_some_and(|elite| elite >= goal);
        self.steps() >= self.config.plan.steps() || self.config.plan.goal().is_some_and(reached)
    }

    /// The file of the weights learned so far, if there are any.
    pub fn weights_file(&self) -> Option<PathBuf> {
        let path = self.path.join(self.config.method.weights_file());
        path.is_file().then_some(path)
    }

    /// The file of the weights.
    pub fn weights(&self) -> Option<Vec<u8>> {
        read_regular(&self.weights_file()?, MAX_WEIGHTS).ok()
    }

    /// What was learned, for a page: an object with `weights` by feature, and for a controller all else its file says.
    /// Nothing of tuples, which are too many.
    pub fn learned(&self) -> Option<Value> {
        if self.config.method == Method::Tuples {
            return None;
        }
        let text = String::from_utf8(self.weights()?).ok()?;
        let text = unsealed(&text).ok()?;
        if self.config.method != Method::Tune {
            return serde_json::from_str(&text).ok();
        }
        let weights = Weights::read(&text).ok()?;
        let named = Feature::ALL
            .iter()
            .map(|feature| (feature.name().to_owned(), json!(weights.features[*feature as usize])));
        Some(json!({ "weights": named.collect::<Map<_, _>>() }))
    }

    /// The player it makes, `weights:FILE`, `tuples:FILE` or `bot:FILE`; `None` while nothing is learned.
    pub fn player(&self) -> Option<String> {
        self.weights_file().map(|file| self.config.method.player(&file))
    }
}

fn read(path: &Path) -> Result<String, TrainingError> {
    read_text(path, MAX_FILE).map_err(|error| TrainingError::Run { path: path.to_owned(), why: error.why() })
}
