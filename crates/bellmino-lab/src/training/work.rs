//! Work: games, states and episodes that can be done anywhere, and what they give.

use std::collections::BTreeMap;
use std::sync::Arc;

use bellmino_engine::guideline::{Bag, Rules};
use bellmino_engine::{Outcome, PlacementGame, Purpose, stream};
use bellmino_learn::guideline::{Pilot, play_counting};
use bellmino_learn::{
    CbmpiPlan, Controller, Feature, GameResult, Lesson, StateSample, TdPlan, Trial, TupleLesson, TuplePlan,
    TupleTables,
};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::drill::candidate;
use super::tuning::{BotGame, BotTask};

/// Something to be done for a step of training. It says all that is needed, so that it can be done on any thread or
/// machine, and what it gives depends on nothing else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// The step it belongs to, from 0.
    pub step: u64,
    /// The round of that step, from 0.
    pub round: u32,
    /// Whose games they are, where several candidates play.
    pub candidate: usize,
    /// The number of the first game, state or episode; each draws from its own streams of the seed.
    pub first: u64,
    /// How many there are.
    pub count: u64,
    /// What is to be done for each number.
    pub task: WorkTask,
}

/// What is to be done for each number of some work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WorkTask {
    /// A placement game by a linear controller.
    Placement {
        /// The game.
        #[serde(with = "super::ground::as_text")]
        game: Arc<PlacementGame>,
        /// The features of the controller.
        features: Vec<Feature>,
        /// Their weights.
        weights: Vec<f64>,
        /// The game is stopped after this many pieces.
        cap: u64,
        /// Seed of the pieces.
        seed: u64,
    },
    /// A guideline game by a linear controller.
    Guideline {
        /// The rules.
        rules: Rules,
        /// The features of the controller.
        features: Vec<Feature>,
        /// Their weights.
        weights: Vec<f64>,
        /// Only straight drops are looked at.
        drops: bool,
        /// Key presses are counted.
        keys: bool,
        /// The game is stopped after this many pieces.
        cap: Option<u32>,
        /// Seed of the pieces.
        seed: u64,
    },
    /// A guideline game by the look-ahead bot.
    Bot(BotTask),
    /// A state that a policy reaches, with the rollouts that value its placements.
    State {
        /// The game.
        #[serde(with = "super::ground::as_text")]
        game: Arc<PlacementGame>,
        /// How states are sampled.
        plan: CbmpiPlan,
        /// The weights of the policy.
        policy: Vec<f64>,
        /// The weights of the value at the end of rollouts.
        value: Vec<f64>,
    },
    /// A game to learn from.
    Episode {
        /// The game.
        #[serde(with = "super::ground::as_text")]
        game: Arc<PlacementGame>,
        /// How a value is learned.
        plan: TdPlan,
        /// The weights before.
        weights: Vec<f64>,
    },
    /// Moves to learn from, one after the other.
    Tuples {
        /// The game.
        #[serde(with = "super::ground::as_text")]
        game: Arc<PlacementGame>,
        /// How a value is learned.
        plan: TuplePlan,
        /// What is known before.
        tables: TupleTables,
    },
}

/// What some work has given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkResult {
    /// The step of the work.
    pub step: u64,
    /// The round of the work.
    pub round: u32,
    /// The candidate of the work.
    pub candidate: usize,
    /// Each number with what came of it.
    pub done: Vec<(u64, Done)>,
}

/// What came of one number of some work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Done {
    /// A game.
    Game(GameResult),
    /// A game of the look-ahead bot.
    BotGame(BotGame),
    /// A state; `None` if no piece could be placed in it.
    State(Option<StateSample>),
    /// An episode.
    Lesson(Lesson),
    /// A step of moves.
    Tuples(TupleLesson),
}

/// Why results cannot be taken. Nothing has changed then.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TakeError {
    /// They are of another step or round, or nobody asked for them.
    #[error("a result of step {step}, round {round}, candidate {candidate} was not asked for")]
    NotAsked {
        /// The step.
        step: u64,
        /// The round.
        round: u32,
        /// The candidate.
        candidate: usize,
    },
    /// Something is not done yet.
    #[error("number {number} of candidate {candidate} is missing")]
    Missing {
        /// The candidate.
        candidate: usize,
        /// The game, state or episode.
        number: u64,
    },
    /// The same was done twice, with different results.
    #[error("number {number} of candidate {candidate} has two results")]
    Different {
        /// The candidate.
        candidate: usize,
        /// The game, state or episode.
        number: u64,
    },
}

impl Work {
    /// Does the work.
    pub fn run(&self) -> WorkResult {
        let done = self.run_while(&|| true).map(|result| result.done).unwrap_or_default();
        WorkResult { step: self.step, round: self.round, candidate: self.candidate, done }
    }

    /// Does the work as long as `go_on` says so; `None` if it said no in between.
    pub fn run_while(&self, go_on: &(dyn Fn() -> bool + Sync)) -> Option<WorkResult> {
        let numbers = (0..self.count).map(|index| self.first.wrapping_add(index));
        let each = |one: &dyn Fn(u64) -> Done| {
            let done = |number| go_on().then(|| (number, one(number)));
            numbers.clone().map(done).collect::<Option<Vec<_>>>()
        };
        // Weights that make no controller lose at once.
        let lost = GameResult { outcome: Some(Outcome::ToppedOut), ..GameResult::default() };
        let done = match &self.task {
            WorkTask::Placement { game, features, weights, cap, seed } => {
                let controller = Controller::new("candidate", features, weights).ok();
                each(&|number| {
                    let chance = || stream(*seed, Purpose::Dealer, number);
                    let play = |controller| Trial::new(game, controller).play(chance(), *cap);
                    Done::Game(controller.as_ref().map_or(lost, play))
                })
            }
            WorkTask::Guideline { rules, features, weights, drops, keys, cap, seed } => {
                let controller = candidate("candidate", features, weights, *drops);
                let pilot = controller.and_then(|controller| Pilot::new(controller).ok());
                each(&|number| {
                    let play = |pilot| play_counting(rules, pilot, Bag::numbered(*seed, number), *cap, *keys);
                    Done::Game(pilot.as_ref().map_or(lost, play))
                })
            }
            WorkTask::Bot(task) => each(&|number| Done::BotGame(task.play(number))),
            WorkTask::State { game, plan, policy, value } => {
                let policy = Controller::new("policy", &plan.features, policy).ok();
                let sample = |number| plan.sample(game, policy.as_ref()?, value, number);
                each(&|number| Done::State(sample(number)))
            }
            WorkTask::Episode { game, plan, weights } => numbers
                .clone()
                .map(|number| Some((number, Done::Lesson(plan.episode(game, weights, number, go_on)?))))
                .collect(),
            WorkTask::Tuples { game, plan, tables } => numbers
                .clone()
                .map(|number| Some((number, Done::Tuples(plan.step(game, tables, number, go_on)?))))
                .collect(),
        };
        Some(WorkResult { step: self.step, round: self.round, candidate: self.candidate, done: done? })
    }

    /// The same work in parts of at most `size` numbers.
    pub fn split(&self, size: u64) -> Vec<Work> {
        let size = size.max(1);
        let part = |index: u64| {
            let count = size.min(self.count - index * size);
            Work { first: self.first.wrapping_add(index * size), count, ..self.clone() }
        };
        (0..self.count.div_ceil(size)).map(part).collect()
    }
}

impl WorkTask {
    /// Whether this is the kind of result that it gives.
    fn gives(&self, done: &Done) -> bool {
        match self {
            WorkTask::Placement { .. } | WorkTask::Guideline { .. } => matches!(done, Done::Game(_)),
            WorkTask::Bot(_) => matches!(done, Done::BotGame(_)),
            WorkTask::State { .. } => matches!(done, Done::State(_)),
            WorkTask::Episode { .. } => matches!(done, Done::Lesson(_)),
            WorkTask::Tuples { .. } => matches!(done, Done::Tuples(_)),
        }
    }
}

/// The results of each work, in the order of the numbers, whatever order they come in and however the work was split.
pub(super) fn in_order(work: &[Work], results: Vec<WorkResult>) -> Result<Vec<Vec<Done>>, TakeError> {
    let asked = work.first().map(|work| (work.step, work.round));
    let mut known: BTreeMap<(usize, u64), Done> = BTreeMap::new();
    let mut strange = None;
    for WorkResult { step, round, candidate, done } in results {
        strange = Some(TakeError::NotAsked { step, round, candidate });
        if asked != Some((step, round)) {
            break;
        }
        for (number, done) in done {
            let old = known.get(&(candidate, number));
            if old.is_some_and(|old| *old != done) {
                return Err(TakeError::Different { candidate, number });
            }
            known.insert((candidate, number), done);
        }
        strange = None;
    }
    if let Some(strange) = strange {
        return Err(strange);
    }
    let mut ordered = Vec::with_capacity(work.len());
    for work in work {
        let candidate = work.candidate;
        let numbers = (0..work.count).map(|index| work.first.wrapping_add(index));
        let found = numbers.map(|number| {
            let done = known.remove(&(candidate, number)).ok_or(TakeError::Missing { candidate, number })?;
            let strange = TakeError::NotAsked { step: work.step, round: work.round, candidate };
            if work.task.gives(&done) { Ok(done) } else { Err(strange) }
        });
        ordered.push(found.collect::<Result<Vec<_>, _>>()?);
    }
    match (known.into_keys().next(), asked) {
        (Some((candidate, _)), Some((step, round))) => Err(TakeError::NotAsked { step, round, candidate }),
        _ => Ok(ordered),
    }
}
