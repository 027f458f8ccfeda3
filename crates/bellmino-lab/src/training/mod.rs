//! Training: what is asked for, and a course that goes on step by step.
//!
//! A [`Recipe`] makes a [`Training`]; [`Training::run`] is the one loop of `train` and `tune`:
//!
//! ```
//! use bellmino_engine::Game;
//! use bellmino_lab::training::{Approach, Recipe, SearchMethod, SearchOptions, Training};
//!
//! let options =
//!     SearchOptions { population: Some(8), games: Some(2), generations: Some(2), ..SearchOptions::default() };
//! let recipe = Recipe {
//!     game: Game::built_in("classic", &[]).unwrap().unwrap(),
//!     seed: 1,
//!     features: Some("lee".to_owned()),
//!     low: Some(6),
//!     approach: Approach::Search(SearchMethod::Snes, options),
//! };
//! let mut here = Training::new(&recipe)?;
//! here.run(&|| true, &mut |_| {})?;
//!
//! // The same, as if others did the work: it travels as text and comes back in any order.
//! let mut elsewhere = Training::new(&recipe)?;
//! while !elsewhere.course().is_done() {
//!     let work = serde_json::to_string(&elsewhere.work())?;
//!     let work: Vec<bellmino_lab::training::Work> = serde_json::from_str(&work)?;
//!     elsewhere.take(work.iter().rev().map(|work| work.run()).collect())?;
//! }
//! assert_eq!(elsewhere.weights(), here.weights());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Map
//! - [`Method`], [`Recipe`] (with [`choose_features`], [`StartWeights`]) and [`TrainingGround`]: what is learned, how and where.
//! - [`Course`]: what changes while it runs: [`WeightSearch`], [`Drill`], [`Tuning`], and three of `bellmino-learn`.
//! - [`Learned`]: what it leads to, and its file.
//! - [`Work`] and [`WorkResult`]: what a round hands out and takes; it can be done anywhere.
//! - [`RunConfig`]: what was asked for, as a run is written down.
//! - [`TdRuns`]: many runs of temporal differences, for a mean curve. [`learning_curve`]: one as a figure.
//!
//! # Files
//! - `recipe`: what is asked for
//! - `method`: methods by name
//! - `features`: which features
//! - `ground`: the game to learn and the one to learn on
//! - `start`: weights to start from
//! - `course`: all that changes, step by step
//! - `learned`: what it leads to, and its file
//! - `curve`: learning curves as figures
//! - `work`: what a step hands out and takes back
//! - `search`: black-box search for weights
//! - `drill`: the same in guideline games
//! - `tuning`: the same for the bot
//! - `td_runs`: many runs of temporal differences
//! - `confirm`: what a controller is worth
//! - `run_config`: what a run was asked for
//! - `error`: why it cannot go on

mod confirm;
mod course;
mod curve;
mod drill;
mod error;
mod features;
mod ground;
mod learned;
mod method;
mod recipe;
mod run_config;
mod search;
mod start;
mod td_runs;
mod tuning;
mod work;

use bellmino_engine::Game;
use rayon::prelude::*;
use serde_json::json;

use crate::crew::{Crew, have_done};
use crate::unit::{Unit, UnitResult};

pub use course::Course;
pub use curve::learning_curve;
pub use drill::{Drill, DrillAim, DrillPlan};
pub use error::TrainingError;
pub use features::choose_features;
pub use ground::TrainingGround;
pub use learned::Learned;
pub use method::Method;
pub use recipe::{
    Approach, CemOptions, Recipe, SearchAim, SearchMethod, SearchOptions, SearchPath, VALUE_FEATURES,
};
pub use run_config::{RunConfig, RunPlan};
pub use search::{Aim, Generation, SearchPlan, WeightSearch};
pub use start::{BotStart, StartWeights};
pub use td_runs::{CurvePoint, TdRuns};
pub use tuning::{BotGame, BotTask, TuneFields, Tuning, TuningGeneration, TuningMethod, TuningPlan};
pub use work::{Done, TakeError, Work, WorkResult, WorkTask};

/// The version that results and run directories name.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Training under way.
#[derive(Clone, Debug, PartialEq)]
pub struct Training {
    method: Method,
    ground: TrainingGround,
    course: Course,
    config: RunConfig,
    /// The game and what was started from, as on the command line.
    origin: String,
}

/// How [`Training::run`] ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrainingEnd {
    /// Nothing is left to do.
    Done,
    /// It was told to stop.
    Interrupted,
}

impl Training {
    /// Training from its beginning.
    pub fn new(recipe: &Recipe) -> Result<Training, TrainingError> {
        let method = recipe.method();
        let ground = TrainingGround::new(&recipe.game, method, recipe.low)?;
        let course = recipe.course(&ground)?;
        let mut origin = ground.name().to_owned();
        let (mut start, mut start_file) = (None, None);
        if let (Approach::Tune { start: from, .. }, Course::Tune(tuning)) = (&recipe.approach, &course) {
            start = Some(tuning.weights().write());
            if let Some(file) = from.as_ref().and_then(|from| from.file.as_ref()) {
                origin += &format!(" --start {file}");
                start_file = Some(file.clone());
            }
        }
        let trained_on = match &ground {
            TrainingGround::Placement { game, .. } => Some(game.to_toml()),
            TrainingGround::Guideline { .. } => None,
        };
        let config = RunConfig {
            version: VERSION.to_owned(),
            method,
            seed: recipe.seed,
            game: ground.to_toml(),
            trained_on,
            plan: RunPlan::of(&course),
            start,
            start_file,
        };
        Ok(Training { method, ground, course, config, origin })
    }

    /// Training that was left at this point of its course; or why there can be no such training.
    pub fn stored(config: RunConfig, course: Course) -> Result<Training, String> {
        let read = |text: &str| Game::read("its game", text, &[]).map_err(|error| error.to_string());
        let learned_on = config.trained_on.as_deref().map(read).transpose()?;
        let ground = TrainingGround::stored(read(&config.game)?, learned_on)
            .ok_or_else(|| "is of no game that can be learned".to_owned())?;
        let origin = match &config.start_file {
            Some(file) => format!("{} --start {file}", ground.name()),
            None => ground.name().to_owned(),
        };
        Ok(Training { method: config.method, ground, course, config, origin })
    }

    /// The method.
    pub fn method(&self) -> Method {
        self.method
    }

    /// Where it learns.
    pub fn ground(&self) -> &TrainingGround {
        &self.ground
    }

    /// How far it is.
    pub fn course(&self) -> &Course {
        &self.course
    }

    /// What was asked for, with every default written out.
    pub fn config(&self) -> &RunConfig {
        &self.config
    }

    /// The work of the present round, to be done anywhere: the same until it is taken.
    pub fn work(&self) -> Vec<Work> {
        self.course.work(&self.ground)
    }

    /// Takes all results of the present round, in any order and in any parts; says whether that completes the step.
    /// Nothing changes after an error.
    pub fn take(&mut self, results: Vec<WorkResult>) -> Result<bool, TakeError> {
        self.course.take(&self.ground, results)
    }

    /// Makes one step with the threads of this machine. `go_on` is asked in between; when it says no, nothing has happened
    /// and the answer is `false`.
    pub fn step(&mut self, go_on: &(dyn Fn() -> bool + Sync)) -> Result<bool, TrainingError> {
        loop {
            // One by one: games differ in length.
            let work: Vec<Work> = self.work().iter().flat_map(|work| work.split(1)).collect();
            let results: Option<Vec<WorkResult>> =
                work.par_iter().map(|work| go_on().then(|| work.run_while(go_on))?).collect();
            let Some(results) = results.filter(|_| go_on()) else {
                self.course.restart();
                return Ok(false);
            };
            if self.take(results)? {
                return Ok(true);
            }
        }
    }

    /// The same by others.
    pub fn step_by(
        &mut self,
        crew: &dyn Crew,
        go_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<bool, TrainingError> {
        loop {
            let title = format!("train {} {}", self.method, self.ground.name());
            let unit = Unit::Training { title: title.clone(), work: self.work() };
            let mut results = Vec::new();
            let mut take = |result| {
                if let UnitResult::Training(mut some) = result {
                    results.append(&mut some);
                }
                0
            };
            if !have_done(crew, title, unit, &[], go_on, &mut take)? || !go_on() {
                self.course.restart();
                return Ok(false);
            }
            if self.take(results)? {
                return Ok(true);
            }
        }
    }

    /// Takes up a course that was left at some point.
    pub fn go_on_from(&mut self, course: Course) {
        self.course = course;
    }

    /// Goes on to the end, or until `go_on` says no. `seen` is shown every step.
    pub fn run(
        &mut self,
        go_on: &(dyn Fn() -> bool + Sync),
        seen: &mut dyn FnMut(&Training),
    ) -> Result<TrainingEnd, TrainingError> {
        self.run_by(None, go_on, &mut |training| {
            seen(training);
            Ok(())
        })
    }

    /// The same, by a crew if there is one: to the same end. An error of `seen` ends it.
    pub fn run_by(
        &mut self,
        crew: Option<&dyn Crew>,
        go_on: &(dyn Fn() -> bool + Sync),
        seen: &mut dyn FnMut(&Training) -> Result<(), TrainingError>,
    ) -> Result<TrainingEnd, TrainingError> {
        while !self.course.is_done() {
            let stepped = match crew {
                Some(crew) => self.step_by(crew, go_on)?,
                None => self.step(go_on)?,
            };
            if !stepped {
                return Ok(TrainingEnd::Interrupted);
            }
            seen(self)?;
        }
        Ok(TrainingEnd::Done)
    }

    /// What was learned so far, with how it was made; `None` while nothing is known.
    pub fn learned(&self) -> Option<Learned> {
        let (method, seed, game) = (self.method, self.config.seed, self.ground.board());
        let name = format!("{method}-{seed}");
        let made = json!({
            "by": format!("bellmino {VERSION} train {method}"),
            "seed": seed,
            "trained_on": format!("{}x{}", game.width(), game.height()),
            "steps": self.course.progress().0,
            "pieces": self.course.pieces(),
        });
        match &self.course {
            Course::Tune(tuning) => Some(Learned::Bot(tuning.to_toml(&self.origin))),
            Course::Tuples(td) if td.history.is_empty() => None,
            Course::Tuples(td) => {
                let value = td.value(game).ok()?.with_note("name", json!(name)).with_note("made", made);
                Some(Learned::Tuples(Box::new(value)))
            }
            course => {
                let controller = course.controller(&name, &self.ground)?;
                let controller = controller.with_note("game", json!(self.ground.name()));
                Some(Learned::Controller(Box::new(controller.with_note("made", made))))
            }
        }
    }

    /// The file of what was learned so far; `None` while nothing is known.
    pub fn weights(&self) -> Option<Vec<u8>> {
        self.learned().map(|learned| learned.file())
    }
}
