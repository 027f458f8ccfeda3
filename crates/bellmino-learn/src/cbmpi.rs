//! Classification-based modified policy iteration: rollouts value the placements in sampled states, CMA-ES finds the
//! policy that loses least in them, and a regression fits the value at the end of the rollouts.

use std::sync::Arc;

use bellmino_engine::placement::{AnyColumns, Board, Grid, Placement};
use bellmino_engine::{PlacementGame, Purpose, below, stream};
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
    /// Candidates and generations of the search for the policy that loses least.
    pub population: usize,
    /// Generations of that search.
    pub generations: u64,
    /// Games that measure each policy for the learning curve.
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
    /// What has happened.
    pub history: Vec<Iteration>,
    /// The policy found in the iteration under way, until it is measured.
    #[serde(skip)]
    pub improvement: Option<Improvement>,
}

/// A policy and a value found from samples, not yet measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Improvement {
    /// The weights of the policy.
    pub policy: Vec<f64>,
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
    /// Lines per game of the new policy.
    pub lines: f64,
    /// What the new policy loses against the best placement, on average over the sampled states, in lines.
    pub loss: f64,
    /// The same for the policy before.
    pub loss_before: f64,
    /// Pieces placed so far, in all iterations.
    pub pieces: u64,
}

/// A state that a policy has reached, with what its placements are worth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Features of each placement, one after the other.
    features: Vec<f64>,
    worth: Vec<f64>,
    /// Features of the board and what it is worth.
    board_features: Vec<f64>,
    board_worth: f64,
    pieces: u64,
}

impl Default for CbmpiPlan {
    fn default() -> CbmpiPlan {
        CbmpiPlan {
            features: Vec::new(),
            value_features: Vec::new(),
            iterations: 20,
            states: 4000,
            horizon: 500,
            rollouts: 1,
            length: 10,
            population: 30,
            generations: 40,
            games: 20,
            seed: 0,
        }
    }
}

impl Cbmpi {
    /// Policy iteration from these weights, or from random ones.
    pub fn new(plan: CbmpiPlan, start: Option<Vec<f64>>) -> Cbmpi {
        let mut generator = stream(plan.seed, Purpose::Training, u64::MAX);
        let policy = start.unwrap_or_else(|| normals(&mut generator, plan.features.len()));
        let value = vec![0.0; plan.value_features.len()];
        Cbmpi { value, policy, plan, history: Vec::new(), improvement: None }
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
    pub fn improve(&mut self, samples: &[Sample]) {
        let policy = self.classify(samples, self.history.len() as u64);
        self.improvement = Some(Improvement {
            value: regress(samples, self.plan.value_features.len()),
            loss: loss(samples, &policy),
            loss_before: loss(samples, &self.policy),
            pieces: samples.iter().map(|sample| sample.pieces).sum(),
            policy,
        });
    }

    /// Takes the games that measured the policy just found, and goes on with it.
    pub fn take(&mut self, measured: &[GameResult]) -> Option<Iteration> {
        let Improvement { policy, value, loss, loss_before, pieces } = self.improvement.take()?;
        let played: u64 = measured.iter().map(|game| game.pieces).sum();
        let before = self.history.last().map_or(0, |last| last.pieces);
        let iteration = Iteration {
            iteration: self.history.len() as u64 + 1,
            lines: measured.iter().map(|game| game.lines as f64).sum::<f64>() / measured.len().max(1) as f64,
            loss,
            loss_before,
            pieces: before + played + pieces,
        };
        self.policy = policy;
        self.value = value.unwrap_or_else(|| self.value.clone());
        self.history.push(iteration);
        Some(iteration)
    }

    /// The weights whose choices lose least in the samples.
    fn classify(&self, samples: &[Sample], number: u64) -> Vec<f64> {
        let length = dot(&self.policy, &self.policy).sqrt().max(1e-9);
        let mean: Vec<f64> = self.policy.iter().map(|weight| weight / length).collect();
        let seed = self.plan.seed.wrapping_add((number + 1) << 32);
        let mut search = Optimiser::CmaEs(CmaEs::new(mean.clone(), 0.3, Some(self.plan.population), seed));
        for _ in 0..self.plan.generations {
            let candidates = search.ask();
            let values: Vec<f64> = candidates.par_iter().map(|weights| -loss(samples, weights)).collect();
            search.tell(&values);
        }
        // Never worse in the samples than before.
        if loss(samples, search.mean()) <= loss(samples, &mean) { search.mean().to_vec() } else { mean }
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
    ) -> Option<Sample> {
        let plan = self;
        let mut generator = stream(plan.seed, Purpose::Player, index);
        let mut trial = Trial::new(game, policy);
        let empty = Board::new(game.width(), game.height());
        let mut length = below(&mut generator, plan.horizon as usize) as u64;
        let chance = stream(plan.seed, Purpose::Dealer, index << 8);
        let (mut played, mut board) = trial.play_from(&empty, chance.clone(), length);
        let mut pieces = played.pieces;
        while played.is_lost() {
            // Sooner, in the same game.
            length = below(&mut generator, played.pieces.max(1) as usize) as u64;
            (played, board) = trial.play_from(&empty, chance.clone(), length);
            pieces += played.pieces;
        }
        let piece = below(&mut generator, game.pieces().len());
        let grid = AnyColumns::from_board(&board);
        let mut sample = Sample {
            features: Vec::new(),
            worth: Vec::new(),
            board_features: Vec::new(),
            board_worth: 0.0,
            pieces,
        };
        let mut ends = |from: &Board, sample: &mut Sample| {
            let mut sum = 0.0;
            for rollout in 0..plan.rollouts {
                let chance = stream(plan.seed, Purpose::Dealer, index << 8 | (rollout + 1));
                let (played, end) = trial.play_from(from, chance, plan.length);
                sample.pieces += played.pieces;
                sum += played.lines as f64;
                if !played.is_lost() {
                    sum += dot(value, &board_values(game, &plan.value_features, &end));
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
}

/// What the choices of these weights lose against the best, per sample.
fn loss(samples: &[Sample], weights: &[f64]) -> f64 {
    let lost = |sample: &Sample| {
        let mut chosen = (f64::NEG_INFINITY, 0.0);
        for (features, &worth) in sample.features.chunks_exact(weights.len()).zip(&sample.worth) {
            let value = dot(features, weights);
            if value > chosen.0 {
                chosen = (value, worth);
            }
        }
        sample.worth.iter().copied().fold(f64::NEG_INFINITY, f64::max) - chosen.1
    };
    samples.iter().map(lost).sum::<f64>() / samples.len().max(1) as f64
}

/// The weights of the value by least squares, slightly pulled to zero.
fn regress(samples: &[Sample], size: usize) -> Option<Vec<f64>> {
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

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
