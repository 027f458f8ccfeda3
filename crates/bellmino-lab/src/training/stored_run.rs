//! Run directories being read: what kind of run it is, how far it came and which player it makes.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use bellmino_engine::Game;
use bellmino_learn::{CbmpiPlan, Optimiser, TdPlan, TuplePlan};
use bellmino_search::{Feature, Weights};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::course::Course;
use super::drill::{DrillAim, DrillPlan};
use super::error::TrainingError;
use super::method::Method;
use super::search::{Aim, SearchPlan};
use super::tuning::TuningPlan;
use crate::files::read_regular;
use crate::load::read_text;
use crate::player::MAX_WEIGHTS;

/// What a run was asked for, with every default written out: its `config.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunConfig {
    /// The version that made it.
    pub version: String,
    /// The method.
    #[serde(default = "Method::unnamed")]
    pub method: Method,
    /// Seed of everything random.
    #[serde(default)]
    pub seed: u64,
    /// The file of the game.
    pub game: String,
    /// The file of the placement game learned on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trained_on: Option<String>,
    /// How it learns.
    pub plan: RunPlan,
    /// The weights of the look-ahead bot at the beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The file that they come from, if it is not those shipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_file: Option<String>,
}

/// How a run learns: everything about its course that does not change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RunPlan {
    /// A black-box search.
    Search {
        /// How candidates are valued.
        valuing: SearchPlan,
        /// The search at its beginning.
        search: Optimiser,
    },
    /// The same in guideline games.
    Drill {
        /// How candidates are valued.
        valuing: DrillPlan,
        /// The search at its beginning.
        search: Optimiser,
    },
    /// Policy iteration.
    Cbmpi {
        /// How the policy is found.
        iterating: CbmpiPlan,
        /// The first policy.
        policy: Vec<f64>,
    },
    /// Temporal differences.
    Td(TdPlan),
    /// A value over windows of the board.
    Tuples(TuplePlan),
    /// The look-ahead bot.
    Tune(TuningPlan),
}

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

impl RunConfig {
    /// The first key that differs, then and now.
    pub(super) fn first_difference(&self, now: &RunConfig) -> Option<(String, Value, Value)> {
        let value = |config: &RunConfig| serde_json::to_value(config).unwrap_or_default();
        let (then, now) = (value(self), value(now));
        let differs = |(key, new): (&String, &Value)| {
            let old = then.get(key).cloned().unwrap_or_default();
            (old != *new).then(|| (key.clone(), old, new.clone()))
        };
        now.as_object()?.iter().find_map(differs)
    }
}

impl RunPlan {
    /// The plan of a course that is at its beginning.
    pub(super) fn of(course: &Course) -> RunPlan {
        match course {
            Course::Search(search) => {
                RunPlan::Search { valuing: search.plan.clone(), search: search.optimiser.clone() }
            }
            Course::Drill(drill) => {
                RunPlan::Drill { valuing: drill.plan.clone(), search: drill.optimiser.clone() }
            }
            Course::Td(td) => RunPlan::Td(td.plan.clone()),
            Course::Cbmpi(cbmpi) => {
                RunPlan::Cbmpi { iterating: cbmpi.plan.clone(), policy: cbmpi.policy.clone() }
            }
            Course::Tuples(td) => RunPlan::Tuples(td.plan.clone()),
            Course::Tune(tuning) => RunPlan::Tune(tuning.plan.clone()),
        }
    }

    /// Steps there are at most: generations, episodes, iterations.
    pub fn steps(&self) -> u64 {
        match self {
            RunPlan::Search { valuing, .. } => valuing.generations,
            RunPlan::Drill { valuing, .. } => valuing.generations,
            RunPlan::Cbmpi { iterating, .. } => iterating.iterations,
            RunPlan::Td(plan) => plan.episodes,
            RunPlan::Tuples(plan) => plan.steps,
            RunPlan::Tune(plan) => plan.generations,
        }
    }

    /// What the values of the learning curve count, in words.
    pub fn unit(&self) -> &'static str {
        match self {
            RunPlan::Search { valuing, .. } => match valuing.aim {
                Aim::Lines => "lines per lost game",
                Aim::Score => "points per lost game",
            },
            RunPlan::Drill { valuing, .. } => match valuing.aim {
                DrillAim::Pieces => "minus pieces to the goal",
                DrillAim::Score => "points per game",
                DrillAim::ScoreWithDrops => "points per game, those for drops included",
                DrillAim::Keys => "minus key presses to the goal",
            },
            RunPlan::Cbmpi { .. } => "lines per game",
            RunPlan::Td(_) => "points per episode",
            RunPlan::Tuples(_) => "points per game",
            RunPlan::Tune(_) => "points per game",
        }
    }

    /// What the elite must be worth to stop sooner.
    fn goal(&self) -> Option<f64> {
        match self {
            RunPlan::Search { valuing, .. } => valuing.goal,
            RunPlan::Drill { valuing, .. } => valuing.goal,
            RunPlan::Cbmpi { .. } | RunPlan::Td(_) | RunPlan::Tuples(_) | RunPlan::Tune(_) => None,
        }
    }
}

fn read(path: &Path) -> Result<String, TrainingError> {
    read_text(path, MAX_FILE).map_err(|error| TrainingError::Run { path: path.to_owned(), why: error.why() })
}
