//! Training of the look-ahead bot's evaluation: whole games, played with little thought, value each candidate.
//!
//! ```
//! use bellmino_engine::guideline::Rules;
//! use bellmino_lab::{Tuning, TuningPlan};
//! use bellmino_search::Weights;
//!
//! let plan = TuningPlan { pieces: 8, games: 1, nodes: 300, generations: 1, ..TuningPlan::default() };
//! let mut tuning = Tuning::new(plan, &Weights::blitz());
//! let generation = tuning.step(&Rules::BLITZ, &|| true).unwrap();
//! assert!(generation.best >= generation.mean && tuning.is_done());
//! ```

use bellmino_engine::guideline::{Bag, Game, Outcome, Position, Rules};
use bellmino_learn::{Optimiser, Snes};
use bellmino_search::{Bot, Budget, Feature, Settings, View, Weights};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// How candidates are valued.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TuningPlan {
    /// Pieces of a game.
    pub pieces: u32,
    /// Games for each candidate; all candidates of a generation get the same pieces.
    pub games: u64,
    /// Nodes the bot may think about each move.
    pub nodes: u64,
    /// Candidates in a generation.
    pub population: usize,
    /// Generations.
    pub generations: u64,
    /// The first steps: this share of each weight, and at least `least`.
    pub share: f64,
    /// The least first step, in points.
    pub least: f64,
    /// Seed of candidates and games.
    pub seed: u64,
}

impl Default for TuningPlan {
    fn default() -> TuningPlan {
        TuningPlan {
            pieces: 360,
            games: 8,
            nodes: 5000,
            population: 20,
            generations: 30,
            share: 0.2,
            least: 10.0,
            seed: 0,
        }
    }
}

/// A search for weights under way, by the separable natural evolution strategy. It goes on from wherever it was
/// stored, to the same end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tuning {
    /// How candidates are valued.
    pub plan: TuningPlan,
    /// The search, in steps of `scales` from `start`.
    optimiser: Optimiser,
    /// The weights at the beginning, the horizon last.
    start: Vec<f64>,
    /// The unit of each weight.
    scales: Vec<f64>,
    /// Weight of a point.
    points: f32,
    /// What has happened.
    pub history: Vec<TuningGeneration>,
}

/// What happened in one generation. A value is points per game.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TuningGeneration {
    /// Its number, from 1.
    pub generation: u64,
    /// The best candidate.
    pub best: f64,
    /// Mean over all candidates.
    pub mean: f64,
    /// Games that were not brought to their end.
    pub lost: u64,
    /// Pieces placed so far, in all generations.
    pub pieces: u64,
}

impl Tuning {
    /// A search from these weights.
    pub fn new(plan: TuningPlan, start: &Weights) -> Tuning {
        let mut numbers: Vec<f64> = start.features.iter().map(|&weight| f64::from(weight)).collect();
        let mut scales: Vec<f64> =
            numbers.iter().map(|weight| (plan.share * weight.abs()).max(plan.least)).collect();
        numbers.push(f64::from(start.horizon));
        scales.push(plan.share * f64::from(start.horizon));
        let snes = Snes::new(vec![0.0; numbers.len()], 1.0, Some(plan.population), plan.seed);
        Tuning {
            plan,
            optimiser: Optimiser::Snes(snes),
            start: numbers,
            scales,
            points: start.points,
            history: vec![],
        }
    }

    /// Whether nothing is left to do.
    pub fn is_done(&self) -> bool {
        self.history.len() as u64 >= self.plan.generations
    }

    /// The centre of the search.
    pub fn weights(&self) -> Weights {
        self.at(self.optimiser.mean())
    }

    fn at(&self, steps: &[f64]) -> Weights {
        let place = self.start.iter().zip(&self.scales).zip(steps);
        let mut numbers = place.map(|((start, scale), step)| (start + scale * step) as f32);
        let mut features = [0.0; Feature::COUNT];
        features.iter_mut().zip(&mut numbers).for_each(|(feature, number)| *feature = number);
        let horizon = numbers.next().unwrap_or(1.0).max(1.0);
        Weights { features, points: self.points, horizon }
    }

    /// Plays one generation. When `go_on` says no in between, nothing has happened.
    pub fn step(&mut self, rules: &Rules, go_on: &(dyn Fn() -> bool + Sync)) -> Option<TuningGeneration> {
        let candidates: Vec<Weights> = self.optimiser.ask().iter().map(|steps| self.at(steps)).collect();
        let number = self.history.len() as u64;
        let games = self.plan.games.max(1);
        let pairs: Vec<(usize, u64)> =
            (0..candidates.len()).flat_map(|index| (0..games).map(move |game| (index, game))).collect();
        let results: Vec<Option<(f64, u32, bool)>> = pairs
            .par_iter()
            .map(|&(index, game)| {
                go_on().then(|| self.play(rules, &candidates[index], number * games + game))
            })
            .collect();
        let results: Vec<(f64, u32, bool)> = results.into_iter().collect::<Option<_>>()?;
        let values: Vec<f64> = results
            .chunks(games as usize)
            .map(|chunk| chunk.iter().map(|result| result.0).sum::<f64>() / games as f64)
            .collect();
        let before = self.history.last().map_or(0, |last| last.pieces);
        let generation = TuningGeneration {
            generation: number + 1,
            best: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            mean: values.iter().sum::<f64>() / values.len() as f64,
            lost: results.iter().filter(|result| result.2).count() as u64,
            pieces: before + results.iter().map(|result| u64::from(result.1)).sum::<u64>(),
        };
        self.optimiser.tell(&values);
        self.history.push(generation);
        Some(generation)
    }

    /// Points, pieces, and whether the game was lost, which costs half the points.
    fn play(&self, rules: &Rules, weights: &Weights, index: u64) -> (f64, u32, bool) {
        let mut rules = *rules;
        rules.goal.pieces = Some(self.plan.pieces);
        let bag = Bag::numbered(self.plan.seed, index);
        let mut game = Game::from_position(rules, Position::default(), bag);
        let mut bot = Bot::new(Settings { weights: weights.clone(), ..Settings::for_rules(&rules) });
        while game.outcome().is_none() {
            let thought = bot.think(&View::of(&mut game), Budget::nodes(self.plan.nodes), None);
            let played = thought.candidates.first().is_some_and(|best| game.play(&best.placement).is_ok());
            if !played {
                break;
            }
        }
        let lost = game.outcome() != Some(Outcome::Goal);
        let score = game.stats().score as f64;
        (if lost { score / 2.0 } else { score }, game.stats().pieces, lost)
    }
}
