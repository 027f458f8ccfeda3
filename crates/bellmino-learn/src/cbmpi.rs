//! Classification-based modified policy iteration: rollouts value the placements in sampled states, CMA-ES finds the
//! policy that loses least in them, a regression fits the value at the end of the rollouts, and games say how far to go
//! from the old policy to the new one.

use std::sync::Arc;

use bellmino_engine::placement::{AnyColumns, Board, Grid, Placement};
use bellmino_engine::{Generator, PlacementGame, Purpose, below, stream};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::controller::Controller;
use crate::feature::{Afterstate, Feature};
use crate::matrix;
use crate::optimiser::{CmaEs, Optimiser, normals};
use crate::result::GameResult;
use crate::trial::Trial;

/// How a policy is found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CbmpiPlan {
    /// The features of the policy.
    pub features: Vec<Feature>,
    /// The features of the value of a board.
    pub value_features: Vec<Feature>,
    /// How often the policy is improved.
    pub iterations: u64,
    /// Sampled states per iteration.
    pub states: u64,
    /// A state is reached after fewer pieces than this.
    pub horizon: u64,
    /// Rollouts for each placement in a state; all placements of a state get the same pieces.
    pub rollouts: u64,
    /// Pieces in a rollout.
    pub length: u64,
    /// What every board is worth at the end of the first rollouts, in lines: what a loss costs.
    pub first_worth: f64,
    /// What the value of the board at the end of a rollout is multiplied by for each piece of the rollout.
    pub discount: f64,
    /// Candidates and generations of the search for the policy that loses least.
    pub population: usize,
    /// Generations of that search.
    pub generations: u64,
    /// Games that measure each of the policies found in an iteration.
    pub games: u64,
    /// Seed of everything random.
    pub seed: u64,
}

/// Policy iteration under way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cbmpi {
    /// How the policy is found.
    pub plan: CbmpiPlan,
    /// The weights of the policy.
    pub policy: Vec<f64>,
    /// The weights of the value.
    pub value: Vec<f64>,
    /// The mean of the policies of the classifier, newer ones counting more: they differ by chance.
    pub mean: Vec<f64>,
    /// Lines and number of the games that have measured the policy.
    pub measured: (u64, u64),
    /// What has happened.
    pub history: Vec<Iteration>,
    /// The policies found in the iteration under way, until they are measured.
    #[serde(skip)]
    pub improvement: Option<Improvement>,
}

/// Policies and a value found from samples, not yet measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Improvement {
    /// The policy there was, and others on the way to the one that loses least in the samples.
    pub candidates: Vec<Vec<f64>>,
    mean: Vec<f64>,
    value: Option<Vec<f64>>,
    loss: f64,
    loss_before: f64,
    pieces: u64,
}

/// What happened in one iteration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Iteration {
    /// Its number, from 1.
    pub iteration: u64,
    /// Lines per game of the policy that is gone on with, in all games that have measured it.
    pub lines: f64,
    /// What the policy of the classifier loses against the best placement, on average over the sampled states, in lines.
    pub loss: f64,
    /// The same for the policy before.
    pub loss_before: f64,
    /// Pieces placed so far, in all iterations.
    pub pieces: u64,
}

/// A state that a policy has reached, with what its placements are worth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StateSample {
    /// Features of each placement, one after the other.
    features: Vec<f64>,
    worth: Vec<f64>,
    /// Features of the board and what it is worth.
    board_features: Vec<f64>,
    board_worth: f64,
    pieces: u64,
}

/// How far the measured policies lie from the old one to that of the classifier, and to the mean of those so far.
const PARTS: [f64; 2] = [0.25, 1.0];
/// The least that the newest policy of the classifier counts in their mean.
const SHARE: f64 = 0.2;

impl Default for CbmpiPlan {
    fn default() -> CbmpiPlan {
        CbmpiPlan {
            features: Vec::new(),
            value_features: Vec::new(),
            iterations: 16,
            states: 16_000,
            horizon: 200,
            rollouts: 1,
            length: 30,
            first_worth: 45.0,
            discount: 0.99,
            population: 20,
            generations: 40,
            games: 400,
            seed: 0,
        }
    }
}

impl Cbmpi {
    /// Policy iteration from these weights, or from random ones.
    pub fn new(plan: CbmpiPlan, start: Option<Vec<f64>>) -> Cbmpi {
        let mut generator = stream(plan.seed, Purpose::Training, u64::MAX);
        let policy = start.unwrap_or_else(|| normals(&mut generator, plan.features.len()));
        let worth = |feature: &Feature| if *feature == Feature::Constant { plan.first_worth } else { 0.0 };
        let value = plan.value_features.iter().map(worth).collect();
        let mean = vec![0.0; plan.features.len()];
        Cbmpi { value, policy, plan, mean, measured: (0, 0), history: Vec::new(), improvement: None }
    }

    /// Whether nothing is left to do.
    pub fn is_done(&self) -> bool {
        self.history.len() as u64 >= self.plan.iterations
    }

    /// The policy as a controller.
    pub fn controller(&self, name: &str) -> Option<Controller> {
        Controller::new(name, &self.plan.features, &self.policy).ok()
    }

    /// Finds a policy that loses less in the samples of this iteration, in the order of their numbers.
    pub fn improve(&mut self, samples: &[StateSample]) {
        let table = SampleTable::new(samples, self.plan.features.len());
        let (old, new) = (unit(&self.policy), self.classify(&table, self.history.len() as u64));
        let share = SHARE.max(1.0 / (self.history.len() + 1) as f64);
        let mean = between(&self.mean, &new, share);
        let candidates = [&new, &mean].into_iter().flat_map(|end| PARTS.map(|part| between(&old, end, part)));
        self.improvement = Some(Improvement {
            candidates: std::iter::once(old.clone()).chain(candidates).collect(),
            mean,
            value: regress(samples, self.plan.value_features.len()),
            loss: table.loss(&new),
            loss_before: table.loss(&old),
            pieces: samples.iter().map(|sample| sample.pieces).sum(),
        });
    }

    /// Takes the games that measured each of the policies just found, and goes on with the best.
    pub fn take(&mut self, measured: &[Vec<GameResult>]) -> Option<Iteration> {
        let Improvement { candidates, mean: classified, value, loss, loss_before, pieces } =
            self.improvement.take()?;
        let played: u64 = measured.iter().flatten().map(|game| game.pieces).sum();
        let before = self.history.last().map_or(0, |last| last.pieces);
        let mean = |(lines, games): (u64, u64)| lines as f64 / games.max(1) as f64;
        let mut known = self.measured;
        for (place, (candidate, games)) in candidates.into_iter().zip(measured).enumerate() {
            let lines: u64 = games.iter().map(|game| game.lines).sum();
            let found = (lines, games.len() as u64);
            if place == 0 {
                // The policy there was: these games come to those before.
                known = (known.0 + found.0, known.1 + found.1);
            } else if mean(found) > mean(known) {
                (known, self.policy) = (found, candidate);
            }
        }
        self.measured = known;
        self.mean = classified;
        self.value = value.unwrap_or_else(|| self.value.clone());
        let number = self.history.len() as u64 + 1;
        let pieces = before + played + pieces;
        let iteration = Iteration { iteration: number, lines: mean(known), loss, loss_before, pieces };
        self.history.push(iteration);
        Some(iteration)
    }

    /// The weights whose choices lose least in the samples.
    fn classify(&self, table: &SampleTable, number: u64) -> Vec<f64> {
        let mean = unit(&self.policy);
        let seed = self.plan.seed.wrapping_add((number + 1) << 32);
        let mut search = Optimiser::CmaEs(CmaEs::new(mean.clone(), 0.3, Some(self.plan.population), seed));
        for _ in 0..self.plan.generations {
            let candidates = search.ask();
            let values: Vec<f64> = candidates.par_iter().map(|weights| -table.loss(weights)).collect();
            search.tell(&values);
        }
        // Never worse in the samples than before.
        if table.loss(search.mean()) <= table.loss(&mean) { unit(search.mean()) } else { mean }
    }
}

impl CbmpiPlan {
    /// State number `index` that the policy reaches, and what each placement in it is worth if boards are worth `value`;
    /// `None` if it has no placement.
    pub fn sample(
        &self,
        game: &Arc<PlacementGame>,
        policy: &Controller,
        value: &[f64],
        index: u64,
    ) -> Option<StateSample> {
        let plan = self;
        let mut generator = stream(plan.seed, Purpose::Player, index);
        let mut trial = Trial::new(game, policy);
        let (board, pieces) = plan.reach(game, &mut trial, &mut generator, index);
        let piece = below(&mut generator, game.pieces().len());
        let grid = AnyColumns::from_board(&board);
        let mut sample = StateSample {
            features: Vec::new(),
            worth: Vec::new(),
            board_features: Vec::new(),
            board_worth: 0.0,
            pieces,
        };
        let rest = plan.discount.powf(plan.length as f64);
        let mut ends = |from: &Board, sample: &mut StateSample| {
            let mut sum = 0.0;
            for rollout in 0..plan.rollouts {
                let chance = stream(plan.seed, Purpose::Dealer, index << 8 | (rollout + 1));
                let (played, end) = trial.play_from(from, chance, plan.length);
                sample.pieces += played.pieces;
                sum += played.lines as f64;
                if !played.is_lost() {
                    sum += rest * dot(value, &board_values(game, &plan.value_features, &end));
                }
            }
            sum / plan.rollouts as f64
        };
        let mut outcomes = Vec::new();
        grid.outcomes(game, piece, |placement, outcome| outcomes.push((placement, outcome)));
        for (placement, outcome) in outcomes {
            let after = outcome.board.to_board(game);
            let state =
                Afterstate { game, before: &board, after: &after, placement, cleared: outcome.cleared };
            sample.features.extend(plan.features.iter().map(|feature| feature.value(&state)));
            let worth = f64::from(outcome.lines()) + ends(&after, &mut sample);
            sample.worth.push(worth);
        }
        sample.board_worth = ends(&board, &mut sample);
        sample.board_features = board_values(game, &plan.value_features, &board);
        (!sample.worth.is_empty()).then_some(sample)
    }

    /// A board of a game of `horizon` pieces, and the pieces that were placed. Every height that the game had is as likely as
    /// every other, and so is every board of that height: what matters happens on boards that are rarely seen.
    fn reach(
        &self,
        game: &PlacementGame,
        trial: &mut Trial,
        generator: &mut Generator,
        index: u64,
    ) -> (Board, u64) {
        let mut visits = vec![0; game.height() + 1];
        let mut boards = vec![Board::new(game.width(), game.height()); game.height() + 1];
        let chance = stream(self.seed, Purpose::Dealer, index << 8);
        trial.walk(chance, self.horizon, |height, board| {
            visits[height] += 1;
            if below(generator, visits[height]) == 0 {
                boards[height] = board();
            }
        });
        let seen: Vec<usize> = (0..visits.len()).filter(|&height| visits[height] > 0).collect();
        let height = seen.get(below(generator, seen.len().max(1))).copied().unwrap_or(0);
        (boards.swap_remove(height), visits.iter().sum::<usize>() as u64)
    }
}

/// The samples arranged for speed.
struct SampleTable {
    /// For each sample its placements, feature by feature.
    features: Vec<f32>,
    /// What each placement loses against the best of its sample.
    losses: Vec<f32>,
    /// Placements of each sample.
    counts: Vec<usize>,
}

impl SampleTable {
    fn new(samples: &[StateSample], size: usize) -> SampleTable {
        let mut table = SampleTable { features: Vec::new(), losses: Vec::new(), counts: Vec::new() };
        for sample in samples {
            let best = sample.worth.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            table.losses.extend(sample.worth.iter().map(|worth| (best - worth) as f32));
            for feature in 0..size {
                let values = sample.features.chunks_exact(size).map(|features| features[feature] as f32);
                table.features.extend(values);
            }
            table.counts.push(sample.worth.len());
        }
        table
    }

    fn loss(&self, weights: &[f64]) -> f64 {
        let mut sums = Vec::new();
        let (mut features, mut losses) = (&self.features[..], &self.losses[..]);
        let mut total = 0.0;
        for &count in &self.counts {
            sums.clear();
            sums.resize(count, 0.0f32);
            for &weight in weights {
                let (these, rest) = features.split_at(count);
                sums.iter_mut().zip(these).for_each(|(sum, value)| *sum += weight as f32 * value);
                features = rest;
            }
            let (these, rest) = losses.split_at(count);
            losses = rest;
            let mut chosen = (f32::NEG_INFINITY, 0.0);
            for (&sum, &loss) in sums.iter().zip(these) {
                if sum > chosen.0 {
                    chosen = (sum, loss);
                }
            }
            total += f64::from(chosen.1);
        }
        total / self.counts.len().max(1) as f64
    }
}

/// The weights of the value by least squares, slightly pulled to zero.
fn regress(samples: &[StateSample], size: usize) -> Option<Vec<f64>> {
    let mut normal = matrix::diagonal(&vec![1e-3; size]);
    let mut right = vec![0.0; size];
    for sample in samples {
        for i in 0..size {
            for j in 0..size {
                normal[i][j] += sample.board_features[i] * sample.board_features[j];
            }
            right[i] += sample.board_features[i] * sample.board_worth;
        }
    }
    matrix::solve(&normal, &right)
}

/// The features of a board, scaled; those of a placement make no sense here and are 0.
fn board_values(game: &PlacementGame, features: &[Feature], board: &Board) -> Vec<f64> {
    let placement = Placement { piece: 0, rotation: 0, column: 0, row: 0 };
    let state = Afterstate { game, before: board, after: board, placement, cleared: 0 };
    let value = |feature: &Feature| {
        if feature.is_of_placement() { 0.0 } else { feature.value(&state) / feature.bound(game) }
    };
    features.iter().map(value).collect()
}

/// So far from one vector to another.
fn between(from: &[f64], to: &[f64], part: f64) -> Vec<f64> {
    from.iter().zip(to).map(|(from, to)| from + part * (to - from)).collect()
}

/// The same direction, of length 1.
fn unit(weights: &[f64]) -> Vec<f64> {
    let length = dot(weights, weights).sqrt().max(1e-9);
    weights.iter().map(|weight| weight / length).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
