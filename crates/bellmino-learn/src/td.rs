//! Temporal differences: n-step semi-gradient learning of a linear value of afterstates (seed 002).

use bellmino_engine::placement::{AnyColumns, Board, Grid};
use bellmino_engine::{PlacementGame, Purpose, below, stream, unit};
use serde::{Deserialize, Serialize};

use crate::controller::Controller;
use crate::feature::{Afterstate, Feature};

/// How a value is learned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TdPlan {
    /// The features of the value.
    pub features: Vec<String>,
    /// Games to learn from.
    pub episodes: u64,
    /// How many rewards are looked ahead.
    pub steps: usize,
    /// What the next reward is worth compared with this one.
    pub discount: f64,
    /// The learning rate in episode k is `rate * exp(-k / rate_episodes)`.
    pub rate: f64,
    /// How slowly the learning rate falls.
    pub rate_episodes: f64,
    /// Divide each step by the squared length of the features, so that the rate means the same on every board.
    pub relative: bool,
    /// A random placement is taken with probability `1 / (1 + exploration * ln k)`, scaled by `curiosity`.
    pub exploration: f64,
    /// Probability of a random placement in the first episode.
    pub curiosity: f64,
    /// What a placement is rewarded with.
    pub reward: Reward,
    /// Divide every feature by the most it can be.
    pub scaled: bool,
    /// Keep the length of the weight vector at 1.
    pub normalised: bool,
    /// An episode is stopped after this many pieces.
    pub cap: u64,
    /// Seed of everything random.
    pub seed: u64,
}

/// What a placement is rewarded with: a sum of these times what they stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reward {
    /// Fall of the mean height.
    pub height: f64,
    /// Holes that went.
    pub holes: f64,
    /// Points scored.
    pub score: f64,
    /// Losing the game.
    pub loss: f64,
}

/// Learning under way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Td {
    /// How the value is learned.
    pub plan: TdPlan,
    /// The weight of each feature, scaled if the plan says so.
    pub weights: Vec<f64>,
    /// What has happened.
    pub history: Vec<Episode>,
}

/// What happened in one episode.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Episode {
    /// Its number, from 1.
    pub episode: u64,
    /// Points.
    pub score: f64,
    /// Rows cleared.
    pub lines: u64,
    /// Pieces placed.
    pub pieces: u64,
    /// The learning rate.
    pub rate: f64,
    /// The probability of a random placement.
    pub exploration: f64,
}

impl Td {
    /// Learning from its beginning: every weight is 0.
    pub fn new(plan: TdPlan) -> Td {
        Td { weights: vec![0.0; plan.features.len()], plan, history: Vec::new() }
    }

    /// Whether nothing is left to do.
    pub fn is_done(&self) -> bool {
        self.history.len() as u64 >= self.plan.episodes
    }

    /// The player that takes the placement of the largest reward plus discounted value: a linear controller too.
    pub fn controller(&self, name: &str, game: &PlacementGame, features: &[Feature]) -> Option<Controller> {
        let (features, weights) = self.greedy(game, features);
        Controller::new(name, &features, &weights).ok()
    }

    /// Plays one episode and learns from it. `go_on` is asked in between; when it says no, nothing has happened.
    pub fn step(
        &mut self,
        game: &PlacementGame,
        features: &[Feature],
        go_on: &(dyn Fn() -> bool + Sync),
    ) -> Option<Episode> {
        let plan = &self.plan;
        let number = self.history.len() as u64 + 1;
        let k = number as f64;
        let rate = plan.rate * (-(k - 1.0) / plan.rate_episodes).exp();
        let exploration = plan.curiosity / (1.0 + plan.exploration * k.ln());
        let mut dealing = stream(plan.seed, Purpose::Dealer, number);
        let mut choosing = stream(plan.seed, Purpose::Player, number);
        let mut episode = Episode { episode: number, score: 0.0, lines: 0, pieces: 0, rate, exploration };
        let scales = self.scales(game, features);
        let mut weights = self.weights.clone();
        let mut state = game.dealer().start();
        let mut board = AnyColumns::empty(game);
        let mut general = board.to_board(game);
        // Features of each afterstate, and the reward that led to it. The first comes before any piece.
        let mut states: Vec<Vec<f64>> = vec![empty_features(game, features, &scales)];
        let mut rewards = vec![0.0];
        let mut end: Option<usize> = None;
        let mut stopped = false;
        let mut time = 0;
        loop {
            if end.is_none() {
                if !go_on() {
                    return None;
                }
                let deal = game.dealer().deal(state, &mut dealing);
                state = deal.next;
                let piece = deal.piece as usize;
                let greedy = Td { weights: weights.clone(), plan: plan.clone(), history: Vec::new() };
                let placement = if unit(&mut choosing) < exploration {
                    let mut all = Vec::new();
                    board.placements(game, piece, |placement| all.push(placement));
                    (!all.is_empty()).then(|| all[below(&mut choosing, all.len())])
                } else {
                    let (features, weights) = greedy.greedy(game, features);
                    match Controller::new("greedy", &features, &weights) {
                        Ok(controller) => controller.choose(game, &board, piece),
                        // Nothing is known yet: any placement will do.
                        Err(_) => {
                            let mut all = Vec::new();
                            board.placements(game, piece, |placement| all.push(placement));
                            (!all.is_empty()).then(|| all[below(&mut choosing, all.len())])
                        }
                    }
                };
                let outcome = placement.map(|placement| (placement, board.place_unchecked(game, placement)));
                match outcome {
                    Some((placement, outcome)) if !outcome.fatal => {
                        let after = outcome.board.to_board(game);
                        let points = game.score().points(outcome.lines());
                        episode.pieces += 1;
                        episode.lines += u64::from(outcome.lines());
                        episode.score += points;
                        rewards.push(plan.reward.of(game, &general, &after, points));
                        let seen = Afterstate {
                            game,
                            before: &general,
                            after: &after,
                            placement,
                            cleared: outcome.cleared,
                        };
                        states.push(values(features, &scales, &seen));
                        board = outcome.board;
                        general = after;
                    }
                    fatal => {
                        episode.pieces += u64::from(fatal.is_some());
                        rewards.push(-plan.reward.loss);
                        states.push(vec![0.0; features.len()]);
                        end = Some(time + 1);
                    }
                }
                if end.is_none() && episode.pieces >= plan.cap {
                    stopped = true;
                    end = Some(time + 1);
                }
            }
            let last = end.unwrap_or(usize::MAX);
            if time + 1 >= plan.steps {
                let from = time + 1 - plan.steps;
                let until = (from + plan.steps).min(last);
                let mut target = 0.0;
                for reward in rewards[from + 1..=until].iter().rev() {
                    target = reward + plan.discount * target;
                }
                // A game that was only stopped has a value where it stopped.
                if from + plan.steps < last || stopped {
                    target += plan.discount.powi((until - from) as i32) * dot(&weights, &states[until]);
                }
                let features = &states[from];
                let error = target - dot(&weights, features);
                let length = if plan.relative { dot(features, features).max(1e-9) } else { 1.0 };
                for (weight, feature) in weights.iter_mut().zip(features) {
                    *weight += rate * error * feature / length;
                }
                // What has run away comes back to nothing, rather than to no number.
                if weights.iter().any(|weight| !weight.is_finite()) {
                    weights.fill(0.0);
                }
                if plan.normalised {
                    let length = dot(&weights, &weights).sqrt();
                    if length > 0.0 {
                        weights.iter_mut().for_each(|weight| *weight /= length);
                    }
                }
                if from + 1 >= last {
                    break;
                }
            }
            time += 1;
        }
        self.weights = weights;
        self.history.push(episode);
        Some(episode)
    }

    /// Reward plus discounted value as weights of features. Both are linear in the afterstate.
    fn greedy(&self, game: &PlacementGame, features: &[Feature]) -> (Vec<Feature>, Vec<f64>) {
        let scales = self.scales(game, features);
        let mut features = features.to_vec();
        let mut weights: Vec<f64> = self
            .weights
            .iter()
            .zip(&scales)
            .map(|(weight, scale)| self.plan.discount * weight / scale)
            .collect();
        for (feature, reward) in
            [(Feature::MeanHeight, self.plan.reward.height), (Feature::Holes, self.plan.reward.holes)]
        {
            match features.iter().position(|known| *known == feature) {
                Some(index) => weights[index] -= reward,
                None if reward != 0.0 => {
                    features.push(feature);
                    weights.push(-reward);
                }
                None => {}
            }
        }
        (features, weights)
    }

    fn scales(&self, game: &PlacementGame, features: &[Feature]) -> Vec<f64> {
        features.iter().map(|feature| if self.plan.scaled { feature.bound(game) } else { 1.0 }).collect()
    }
}

impl Reward {
    fn of(&self, game: &PlacementGame, before: &Board, after: &Board, points: f64) -> f64 {
        let mean = |board: &Board| {
            (0..game.width()).map(|x| board.column_height(x)).sum::<usize>() as f64 / game.width() as f64
        };
        let holes = |board: &Board| {
            (0..game.width()).map(|x| board.column_height(x)).sum::<usize>() as f64 - f64::from(board.len())
        };
        self.height * (mean(before) - mean(after))
            + self.holes * (holes(before) - holes(after))
            + self.score * points
    }
}

fn values(features: &[Feature], scales: &[f64], state: &Afterstate<'_>) -> Vec<f64> {
    features.iter().zip(scales).map(|(feature, scale)| feature.value(state) / scale).collect()
}

/// The features of the empty board: those of a placement are 0 there.
fn empty_features(game: &PlacementGame, features: &[Feature], scales: &[f64]) -> Vec<f64> {
    let board = Board::new(game.width(), game.height());
    let mut first = None;
    AnyColumns::empty(game).placements(game, 0, |placement| {
        first.get_or_insert(placement);
    });
    let Some(placement) = first else { return vec![0.0; features.len()] };
    let state = Afterstate { game, before: &board, after: &board, placement, cleared: 0 };
    features
        .iter()
        .zip(scales)
        .map(|(feature, scale)| if feature.is_of_placement() { 0.0 } else { feature.value(&state) / scale })
        .collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
