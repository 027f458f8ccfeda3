//! Training of the look-ahead bot's evaluation on whole games played with little thought.
//!
//! ```
//! use bellmino_engine::guideline::Rules;
//! use bellmino_lab::{Tuning, TuningPlan};
//! use bellmino_search::Weights;
//!
//! let plan = TuningPlan { pieces: 40, games: 1, nodes: 300, generations: 1, ..TuningPlan::default() };
//! let mut tuning = Tuning::new(plan, &Weights::blitz());
//! let generation = tuning.step(&Rules::BLITZ, &|| true).unwrap();
//! assert!(generation.best >= generation.mean && tuning.is_done());
//! ```

use bellmino_engine::Outcome;
use bellmino_engine::guideline::{Bag, Match, Piece, Position, Rules, View};
use bellmino_learn::{Optimiser, Regression, Snes};
use bellmino_search::{Bot, BotSettings, Budget, Expected, Feature, Features, Standing, Weights, describe};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// How weights are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TuningMethod {
    /// Policy iteration: each generation plays with the present weights, fits what boards were worth to their
    /// features (points of the next pieces, then the present value), and goes a part of the way there.
    Fit,
    /// The separable natural evolution strategy on the points of whole games.
    Snes,
}

/// How weights are sought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TuningPlan {
    /// The method.
    pub method: TuningMethod,
    /// Pieces of a game.
    pub pieces: u32,
    /// Games of a generation, for each candidate if there are several; all candidates get the same pieces.
    pub games: u64,
    /// Nodes the bot may think about each move.
    pub nodes: u64,
    /// Candidates in a generation of `snes`.
    pub population: usize,
    /// Generations.
    pub generations: u64,
    /// How far a weight is expected to move: this share of it, and `least` more.
    pub share: f64,
    /// See `share`; in points.
    pub least: f64,
    /// Pieces whose points count in a fit.
    pub steps: usize,
    /// The part of the way to the fitted weights that is gone.
    pub rate: f64,
    /// Seed of candidates and games.
    pub seed: u64,
}

impl Default for TuningPlan {
    fn default() -> TuningPlan {
        TuningPlan {
            method: TuningMethod::Fit,
            pieces: 360,
            games: 48,
            nodes: 10_000,
            population: 20,
            generations: 4,
            share: 0.35,
            least: 15.0,
            steps: 14,
            rate: 0.3,
            seed: 0,
        }
    }
}

/// A search for weights under way. It goes on from wherever it was stored, to the same end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tuning {
    /// How weights are sought.
    pub plan: TuningPlan,
    /// The weights at the beginning, or those of the last fit; the horizon is the last.
    centre: Vec<f64>,
    /// For `snes`: the search, in steps of `scales` from `centre`.
    optimiser: Option<Optimiser>,
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
    /// The best candidate, or the best game of a fit.
    pub best: f64,
    /// Mean over all games.
    pub mean: f64,
    /// Games that were not brought to their end.
    pub lost: u64,
    /// Pieces placed so far, in all generations.
    pub pieces: u64,
}

/// A game that was played.
struct Tried {
    /// Points; half of them if the game was lost.
    worth: f64,
    lost: bool,
    /// Before each move: the board's features as a look-ahead that ends there sees them.
    features: Vec<Features>,
    /// The points of each move.
    points: Vec<f64>,
}

impl Tuning {
    /// A search from these weights.
    pub fn new(plan: TuningPlan, start: &Weights) -> Tuning {
        let mut centre: Vec<f64> = start.features.iter().map(|&weight| f64::from(weight)).collect();
        let mut scales: Vec<f64> =
            centre.iter().map(|weight| plan.share * weight.abs() + plan.least).collect();
        centre.push(f64::from(start.horizon));
        scales.push(plan.share * f64::from(start.horizon));
        let optimiser = (plan.method == TuningMethod::Snes).then(|| {
            Optimiser::Snes(Snes::new(vec![0.0; centre.len()], 1.0, Some(plan.population), plan.seed))
        });
        Tuning { plan, centre, optimiser, scales, points: start.points, history: vec![] }
    }

    /// Whether nothing is left to do.
    pub fn is_done(&self) -> bool {
        self.history.len() as u64 >= self.plan.generations
    }

    /// The weights found so far.
    pub fn weights(&self) -> Weights {
        match &self.optimiser {
            Some(optimiser) => self.at(optimiser.mean()),
            None => self.at(&[]),
        }
    }

    /// The weights some steps away from the centre.
    fn at(&self, steps: &[f64]) -> Weights {
        let steps = steps.iter().copied().chain(std::iter::repeat(0.0));
        let place = self.centre.iter().zip(&self.scales).zip(steps);
        let mut numbers = place.map(|((centre, scale), step)| (centre + scale * step) as f32);
        let mut features = [0.0; Feature::COUNT];
        features.iter_mut().zip(&mut numbers).for_each(|(feature, number)| *feature = number);
        let horizon = numbers.next().unwrap_or(1.0).max(1.0);
        Weights { features, points: self.points, horizon }
    }

    /// Plays one generation. When `go_on` says no in between, nothing has happened.
    pub fn step(&mut self, rules: &Rules, go_on: &(dyn Fn() -> bool + Sync)) -> Option<TuningGeneration> {
        let candidates: Vec<Weights> = match &self.optimiser {
            Some(optimiser) => optimiser.ask().iter().map(|steps| self.at(steps)).collect(),
            None => vec![self.weights()],
        };
        let number = self.history.len() as u64;
        let games = self.plan.games.max(1);
        let pairs: Vec<(usize, u64)> =
            (0..candidates.len()).flat_map(|index| (0..games).map(move |game| (index, game))).collect();
        let results: Vec<Option<Tried>> = pairs
            .par_iter()
            .map(|&(index, game)| {
                go_on().then(|| self.play(rules, &candidates[index], number * games + game))
            })
            .collect();
        let results: Vec<Tried> = results.into_iter().collect::<Option<_>>()?;
        let worths: Vec<f64> = results.iter().map(|game| game.worth).collect();
        let mean = |worths: &[f64]| worths.iter().sum::<f64>() / worths.len().max(1) as f64;
        let mut values: Vec<f64> = worths.chunks(games as usize).map(mean).collect();
        match &mut self.optimiser {
            Some(optimiser) => optimiser.tell(&values),
            None => {
                self.fit(&results);
                values = worths.clone();
            }
        }
        let before = self.history.last().map_or(0, |last| last.pieces);
        let generation = TuningGeneration {
            generation: number + 1,
            best: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            mean: mean(&worths),
            lost: results.iter().filter(|game| game.lost).count() as u64,
            pieces: before + results.iter().map(|game| game.points.len() as u64).sum::<u64>(),
        };
        self.history.push(generation);
        Some(generation)
    }

    /// Goes a part of the way to the weights that say best what the boards of these games were worth.
    fn fit(&mut self, games: &[Tried]) {
        /// The end of a game is different; so is its beginning.
        const END: usize = 15;
        const BEGINNING: usize = 5;
        let steps = self.plan.steps.max(1);
        // What is summed over placements is no property of a board.
        let size = Feature::WastedT as usize;
        let numbers =
            |features: &Features| features[..size].iter().map(|&x| f64::from(x)).collect::<Vec<_>>();
        let value =
            |numbers: &[f64]| numbers.iter().zip(&self.centre).map(|(x, weight)| x * weight).sum::<f64>();
        let mut regression = Regression::new(size);
        for Tried { features, points, .. } in games {
            for at in BEGINNING..points.len().saturating_sub(steps + END) {
                let made: f64 = points[at..at + steps].iter().sum();
                regression.add(&numbers(&features[at]), made + value(&numbers(&features[at + steps])));
            }
        }
        // Samples overlap, so that each says less than if it stood alone.
        let noise = regression.variance() * steps as f64 / 2.0;
        let (prior, spreads) = (&self.centre[..size], &self.scales[..size]);
        if let Some(fitted) = regression.solve(prior, spreads, noise.max(1.0)) {
            let rate = self.plan.rate;
            self.centre
                .iter_mut()
                .zip(fitted)
                .for_each(|(weight, fitted)| *weight += rate * (fitted - *weight));
        }
    }

    fn play(&self, rules: &Rules, weights: &Weights, index: u64) -> Tried {
        let mut rules = *rules;
        rules.goal.pieces = Some(self.plan.pieces);
        let bag = || Bag::numbered(self.plan.seed, index);
        let dealt: Vec<Piece> = bag().take(self.plan.pieces as usize + 2).collect();
        let mut game = Match::from_position(rules, Position::default(), bag());
        let mut bot = Bot::new(BotSettings { weights: weights.clone(), ..BotSettings::for_rules(&rules) });
        let mut tried = Tried { worth: 0.0, lost: false, features: vec![], points: vec![] };
        while game.outcome().is_none() {
            let view = game.view();
            let thought = bot.think(&view, Budget::nodes(self.plan.nodes), None);
            let Some(best) = thought.candidates.first() else { break };
            let Ok(clear) = game.play(&best.placement) else { break };
            tried.features.push(seen(&view, &dealt));
            tried.points.push(f64::from(clear.points));
        }
        tried.lost = game.outcome() != Some(Outcome::Goal);
        let score = game.stats().score as f64;
        tried.worth = if tried.lost { score / 2.0 } else { score };
        tried
    }
}

/// The features of a position to someone who knows the reserve and the bag, but not the queue.
fn seen(view: &View, dealt: &[Piece]) -> Features {
    let position = &view.position;
    let reserve = position.hold.or(view.queue.first().copied());
    let standing = Standing { reserve, back_to_back: position.back_to_back, combo: position.combo };
    let mut features = [0.0; Feature::COUNT];
    describe(&position.board, &standing, &mut features);
    // One piece more has come than was placed: the reserve.
    let come = view.pieces as usize + 1;
    let taken = dealt.get(come / 7 * 7..come).unwrap_or_default();
    let bag: Vec<Piece> = Piece::ALL.into_iter().filter(|piece| !taken.contains(piece)).collect();
    Expected::of(&[], &bag).describe(&mut features);
    features
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_search_goes_on_to_the_same_end() {
        for method in [TuningMethod::Fit, TuningMethod::Snes] {
            let plan = TuningPlan {
                method,
                pieces: 60,
                games: 2,
                nodes: 300,
                population: 4,
                generations: 2,
                ..TuningPlan::default()
            };
            let start = Weights::blitz();
            let mut whole = Tuning::new(plan.clone(), &start);
            let mut parts = Tuning::new(plan, &start);
            while !whole.is_done() {
                assert!(whole.step(&Rules::BLITZ, &|| true).is_some());
                assert!(parts.step(&Rules::BLITZ, &|| false).is_none(), "interrupted");
                assert!(parts.step(&Rules::BLITZ, &|| true).is_some());
                let text = serde_json::to_string(&parts).unwrap();
                parts = serde_json::from_str(&text).unwrap();
            }
            assert_eq!(parts, whole);
            assert_ne!(whole.weights(), start);
        }
    }
}
