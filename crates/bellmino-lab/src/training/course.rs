//! A course of training of any method: all that changes while it runs.

use bellmino_learn::{Cbmpi, Controller, GameResult, Lesson, StateSample, Td, TupleLesson, TupleTd};
use serde::{Deserialize, Serialize};

use super::drill::Drill;
use super::ground::TrainingGround;
use super::search::{Generation, WeightSearch};
use super::tuning::{BotGame, Tuning};
use super::work::{Done, TakeError, Work, WorkResult, WorkTask, in_order};

/// A course of training: all that is needed to go on with it, whatever the method.
///
/// A step is made in rounds: [`work`](Course::work) says what is to be done, and [`take`](Course::take) takes what came of
/// it. The outcome depends on the plan and its seed alone, not on who did the work, in what order or in which parts.
///
/// | method | a round is |
/// |---|---|
/// | `cem`, `cma-es`, `snes` | games of the candidates still in the race; up to four rounds make a generation |
/// | the same in guideline games, `tune` | games of all candidates |
/// | `td` | one whole episode, which can only be done in one piece |
/// | `tuples` | so many moves, one after the other |
/// | `cbmpi` | first states with their rollouts, then games that measure the new policy; the classifier and the value are fitted in between, where the results are taken |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Course {
    /// Cross-entropy, CMA-ES or SNES.
    Search(Box<WeightSearch>),
    /// The same in guideline games.
    Drill(Box<Drill>),
    /// Temporal differences.
    Td(Box<Td>),
    /// Classification-based modified policy iteration.
    Cbmpi(Box<Cbmpi>),
    /// Temporal differences of a value over windows of the board.
    Tuples(Box<TupleTd>),
    /// The evaluation of the look-ahead bot.
    Tune(Box<Tuning>),
}

/// A policy is measured by games of at most this many pieces.
const MEASURED_PIECES: u64 = 1_000_000;

impl Course {
    /// Whether nothing is left to do.
    pub fn is_done(&self) -> bool {
        match self {
            Course::Search(search) => search.is_done(),
            Course::Drill(drill) => drill.is_done(),
            Course::Td(td) => td.is_done(),
            Course::Cbmpi(cbmpi) => cbmpi.is_done(),
            Course::Tuples(td) => td.is_done(),
            Course::Tune(tuning) => tuning.is_done(),
        }
    }

    /// Steps done, and steps there are at most.
    pub fn progress(&self) -> (u64, u64) {
        let (done, most) = match self {
            Course::Search(search) => (search.history.len(), search.plan.generations),
            Course::Drill(drill) => (drill.history.len(), drill.plan.generations),
            Course::Td(td) => (td.history.len(), td.plan.episodes),
            Course::Cbmpi(cbmpi) => (cbmpi.history.len(), cbmpi.plan.iterations),
            Course::Tuples(td) => (td.history.len(), td.plan.steps),
            Course::Tune(tuning) => (tuning.history.len(), tuning.plan.fields.generations),
        };
        (done as u64, most)
    }

    /// The work of the present round: the same until it is taken. None if the ground is of the other family of games.
    pub fn work(&self, ground: &TrainingGround) -> Vec<Work> {
        match self {
            Course::Search(search) => search.work(ground.board()),
            Course::Drill(drill) => drill.work(),
            Course::Tune(tuning) => ground.rules().map(|rules| tuning.work(rules)).unwrap_or_default(),
            Course::Td(td) => {
                let (game, plan) = (ground.board().clone(), td.plan.clone());
                let task = WorkTask::Episode { game, plan, weights: td.weights.clone() };
                let step = td.history.len() as u64;
                vec![Work { step, round: 0, candidate: 0, first: step + 1, count: 1, task }]
            }
            Course::Cbmpi(cbmpi) => cbmpi_work(cbmpi, ground),
            Course::Tuples(td) => {
                let (game, plan) = (ground.board().clone(), td.plan.clone());
                let task = WorkTask::Tuples { game, plan, tables: td.tables.clone() };
                let step = td.history.len() as u64;
                vec![Work { step, round: 0, candidate: 0, first: step, count: 1, task }]
            }
        }
    }

    /// Takes all results of the present round, in any order; says whether that completes the step. Nothing changes after
    /// an error.
    pub fn take(&mut self, ground: &TrainingGround, results: Vec<WorkResult>) -> Result<bool, TakeError> {
        let done = in_order(&self.work(ground), results)?;
        Ok(match self {
            Course::Search(search) => search.take(&all(done, Done::game)),
            Course::Drill(drill) => {
                drill.take(&all(done, Done::game));
                true
            }
            Course::Tune(tuning) => {
                tuning.take(&all(done, Done::bot_game));
                true
            }
            Course::Td(td) => {
                all(done, Done::lesson).into_iter().flatten().for_each(|lesson| td.take(lesson));
                true
            }
            Course::Tuples(td) => {
                all(done, Done::tuples).into_iter().flatten().for_each(|lesson| td.take(lesson));
                true
            }
            Course::Cbmpi(cbmpi) => match cbmpi.improvement {
                None => {
                    let samples: Vec<StateSample> =
                        all(done, Done::state).into_iter().flatten().flatten().collect();
                    cbmpi.improve(&samples);
                    false
                }
                Some(_) => {
                    cbmpi.take(&all(done, Done::game));
                    true
                }
            },
        })
    }

    /// Forgets the rounds of a step that is not complete: nothing of it has happened.
    pub fn restart(&mut self) {
        match self {
            Course::Search(search) => search.restart(),
            Course::Cbmpi(cbmpi) => cbmpi.improvement = None,
            Course::Drill(_) | Course::Td(_) | Course::Tuples(_) | Course::Tune(_) => {}
        }
    }

    /// The controller learned so far; `None` while nothing is known, and for tuples and the look-ahead bot.
    pub fn controller(&self, name: &str, ground: &TrainingGround) -> Option<Controller> {
        match self {
            Course::Search(search) => search.controller(name),
            Course::Drill(drill) => drill.controller(name),
            Course::Td(td) => td.controller(name, ground.board()),
            Course::Cbmpi(cbmpi) => cbmpi.controller(name),
            Course::Tuples(_) | Course::Tune(_) => None,
        }
    }

    /// The names of the columns of the learning curve.
    pub fn columns(&self) -> &'static [&'static str] {
        match self {
            Course::Search(_) => &[
                "generation",
                "best",
                "elite",
                "mean",
                "games",
                "pieces",
                "cap",
                "elite_losses",
                "elite_low",
                "elite_high",
            ],
            Course::Drill(_) => {
                &["generation", "best", "elite", "mean", "games", "pieces", "cap", "median", "lower"]
            }
            Course::Td(_) => &["episode", "score", "lines", "pieces", "rate", "exploration"],
            Course::Cbmpi(_) => &["iteration", "lines", "loss", "loss_before", "pieces"],
            Course::Tuples(_) => &["step", "score", "lines", "games", "moves"],
            Course::Tune(_) => &["generation", "best", "mean", "lost", "pieces"],
        }
    }

    /// The learning curve: one row per step.
    pub fn rows(&self) -> Vec<Vec<f64>> {
        let generation = |row: &Generation, more: &[f64]| {
            let counts = [row.games as f64, row.pieces as f64, row.cap as f64];
            let values = [row.generation as f64, row.best, row.elite, row.mean];
            values.into_iter().chain(counts).chain(more.iter().copied()).collect()
        };
        match self {
            Course::Search(search) => {
                let row = |row: &Generation| {
                    let [low, high] = row.elite_interval();
                    generation(row, &[row.elite_losses as f64, low, high])
                };
                search.history.iter().map(row).collect()
            }
            Course::Drill(drill) => {
                drill.history.iter().map(|row| generation(row, &[row.median, row.lower])).collect()
            }
            Course::Td(td) => {
                let rows = td.history.iter().map(|row| {
                    let counts = [row.episode as f64, row.score, row.lines as f64, row.pieces as f64];
                    counts.into_iter().chain([row.rate, row.exploration]).collect()
                });
                rows.collect()
            }
            Course::Cbmpi(cbmpi) => {
                let rows = cbmpi.history.iter().map(|row| {
                    vec![row.iteration as f64, row.lines, row.loss, row.loss_before, row.pieces as f64]
                });
                rows.collect()
            }
            Course::Tuples(td) => {
                let rows = td.history.iter().zip(1u64..).map(|(row, step)| {
                    vec![step as f64, row.score, row.lines, row.games as f64, row.moves as f64]
                });
                rows.collect()
            }
            Course::Tune(tuning) => {
                let rows = tuning.history.iter().map(|row| {
                    vec![row.generation as f64, row.best, row.mean, row.lost as f64, row.pieces as f64]
                });
                rows.collect()
            }
        }
    }

    /// Pieces placed so far: what the course has cost.
    pub fn pieces(&self) -> u64 {
        match self {
            Course::Search(search) => search.history.last().map_or(0, |last| last.pieces),
            Course::Drill(drill) => drill.history.last().map_or(0, |last| last.pieces),
            Course::Td(td) => td.history.iter().map(|episode| episode.pieces).sum(),
            Course::Cbmpi(cbmpi) => cbmpi.history.last().map_or(0, |last| last.pieces),
            Course::Tuples(td) => td.history.last().map_or(0, |last| last.moves),
            Course::Tune(tuning) => tuning.history.last().map_or(0, |last| last.pieces),
        }
    }
}

fn cbmpi_work(cbmpi: &Cbmpi, ground: &TrainingGround) -> Vec<Work> {
    let (step, game) = (cbmpi.history.len() as u64, ground.board().clone());
    let plan = cbmpi.plan.clone();
    match &cbmpi.improvement {
        None => {
            let (first, count) = (step << 32, plan.states);
            let (policy, value) = (cbmpi.policy.clone(), cbmpi.value.clone());
            let task = WorkTask::State { game, plan, policy, value };
            vec![Work { step, round: 0, candidate: 0, first, count, task }]
        }
        Some(found) => {
            // The last numbers there are, new ones in each step: pieces that no state was sampled from.
            let (first, count) = (0u64.wrapping_sub((step + 1) * plan.games), plan.games);
            let games = |(candidate, weights): (usize, &Vec<f64>)| {
                let (game, features, weights) = (game.clone(), plan.features.clone(), weights.clone());
                let task =
                    WorkTask::Placement { game, features, weights, cap: MEASURED_PIECES, seed: plan.seed };
                Work { step, round: 1, candidate, first, count, task }
            };
            found.candidates.iter().enumerate().map(games).collect()
        }
    }
}

/// What is wanted of each; results of another kind do not belong here and are left out.
fn all<T>(done: Vec<Vec<Done>>, wanted: fn(Done) -> Option<T>) -> Vec<Vec<T>> {
    done.into_iter().map(|part| part.into_iter().filter_map(wanted).collect()).collect()
}

impl Done {
    fn game(self) -> Option<GameResult> {
        if let Done::Game(game) = self { Some(game) } else { None }
    }

    fn bot_game(self) -> Option<BotGame> {
        if let Done::BotGame(game) = self { Some(game) } else { None }
    }

    fn state(self) -> Option<Option<StateSample>> {
        if let Done::State(sample) = self { Some(sample) } else { None }
    }

    fn tuples(self) -> Option<TupleLesson> {
        if let Done::Tuples(lesson) = self { Some(lesson) } else { None }
    }

    fn lesson(self) -> Option<Lesson> {
        if let Done::Lesson(lesson) = self { Some(lesson) } else { None }
    }
}
