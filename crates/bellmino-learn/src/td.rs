//! Temporal differences: n-step semi-gradient learning of a linear value of afterstates (seed 002).

use std::sync::Arc;

use bellmino_engine::placement::{AnyColumns, Board, Grid, Match, Stats};
use bellmino_engine::{PlacementGame, Purpose, below, stream, unit};
use serde::{Deserialize, Serialize};

use crate::controller::Controller;
use crate::feature::{Afterstate, Feature};

/// How a value is learned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TdPlan {
    /// The features of the value.
    pub features: Vec<Feature>,
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
    /// How fast exploration decays: a random placement is taken in episode k with probability
    /// `curiosity / (1 + exploration_decay * ln k)`.
    #[serde(alias = "exploration")]
    pub exploration_decay: f64,
    /// Probability of a random placement in the first episode.
    pub curiosity: f64,
    /// What a placement is rewarded with.
    pub reward: TdReward,
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
pub struct TdReward {
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

/// What an episode has taught.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lesson {
    /// The weights after it.
    pub weights: Vec<f64>,
    /// What happened in it.
    pub episode: Episode,
}

impl Default for TdPlan {
    fn default() -> TdPlan {
        TdPlan {
            features: Vec::new(),
            episodes: 50,
            steps: 1,
            discount: 0.9,
            rate: 0.1,
            rate_episodes: 20.0,
            relative: true,
            exploration_decay: 10.0,
            curiosity: 0.0,
            reward: TdReward { height: 1.0, holes: 1.0, score: 0.0, loss: 0.0 },
            scaled: true,
            normalised: false,
            cap: 20_000,
            seed: 0,
        }
    }
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
    pub fn controller(&self, name: &str, game: &PlacementGame) -> Option<Controller> {
        self.plan.greedy(name, game, &self.weights)
    }

    /// Plays one episode and learns from it. `go_on` is asked in between; when it says no, nothing has happened.
    pub fn step(&mut self, game: &Arc<PlacementGame>, go_on: &(dyn Fn() -> bool + Sync)) -> Option<Episode> {
        let lesson = self.plan.episode(game, &self.weights, self.history.len() as u64 + 1, go_on)?;
        let episode = lesson.episode;
        self.take(lesson);
        Some(episode)
    }

    /// Takes what the next episode has taught.
    pub fn take(&mut self, lesson: Lesson) {
        self.weights = lesson.weights;
        self.history.push(lesson.episode);
    }
}

impl TdPlan {
    /// Plays episode `number` with these weights and learns from it. `go_on` is asked in between; when it says no, nothing
    /// has happened.
    pub fn episode(
        &self,
        game: &Arc<PlacementGame>,
        weights: &[f64],
        number: u64,
        go_on: &(dyn Fn() -> bool + Sync),
    ) -> Option<Lesson> {
        let plan = self;
        let features = plan.features.as_slice();
        let k = number as f64;
        let rate = plan.rate * (-(k - 1.0) / plan.rate_episodes).exp();
        let exploration = plan.curiosity / (1.0 + plan.exploration_decay * k.ln());
        let mut choosing = stream(plan.seed, Purpose::Player, number);
        let scales = plan.scales(game);
        let mut weights = weights.to_vec();
        let mut played: Match = Match::new(game.clone(), plan.seed, number);
        let mut before = played.board().to_board(game);
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
                let explores = unit(&mut choosing) < exploration;
                let greedy = if explores { None } else { plan.greedy("greedy", game, &weights) };
                let placement = match (greedy, played.current()) {
                    (Some(controller), Some(piece)) => {
                        controller.choose(game, played.board(), piece as usize)
                    }
                    // Nothing is known yet, or it shall not be used: any placement will do.
                    _ => {
                        let all = played.placements();
                        (!all.is_empty()).then(|| all[below(&mut choosing, all.len())])
                    }
                };
                match placement.map(|placement| (placement, played.play_unchecked(&placement))) {
                    Some((placement, clear)) if !clear.fatal => {
                        let after = played.board().to_board(game);
                        rewards.push(plan.reward.of(game, &before, &after, clear.points));
                        let seen = Afterstate {
                            game,
                            before: &before,
                            after: &after,
                            placement,
                            cleared: clear.rows,
                        };
                        states.push(values(features, &scales, &seen));
                        before = after;
                    }
                    _ => {
                        rewards.push(-plan.reward.loss);
                        states.push(vec![0.0; features.len()]);
                        end = Some(time + 1);
                    }
                }
                if end.is_none() && played.stats().pieces >= plan.cap {
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
        let Stats { pieces, lines, score, .. } = *played.stats();
        Some(Lesson {
            weights,
            episode: Episode { episode: number, score, lines, pieces, rate, exploration },
        })
    }

    /// Reward plus discounted value as a controller: both are linear in features of the afterstate. `None` while all
    /// weights are 0.
    fn greedy(&self, name: &str, game: &PlacementGame, weights: &[f64]) -> Option<Controller> {
        let mut features = self.features.clone();
        let value = |(weight, scale): (&f64, f64)| self.discount * weight / scale;
        let mut weights: Vec<f64> = weights.iter().zip(self.scales(game)).map(value).collect();
        let TdReward { height, holes, score, .. } = self.reward;
        for (feature, reward) in
            [(Feature::MeanHeight, -height), (Feature::Holes, -holes), (Feature::Points, score)]
        {
            match features.iter().position(|known| *known == feature) {
                Some(index) => weights[index] += reward,
                None if reward != 0.0 => {
                    features.push(feature);
                    weights.push(reward);
                }
                None => {}
            }
        }
        Controller::new(name, &features, &weights).ok()
    }

    fn scales(&self, game: &PlacementGame) -> Vec<f64> {
        let scale = |feature: &Feature| if self.scaled { feature.bound(game) } else { 1.0 };
        self.features.iter().map(scale).collect()
    }
}

impl TdReward {
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

#[cfg(test)]
mod tests {
    use super::*;
    use bellmino_engine::Game;

    /// What the player takes is the placement of the largest reward plus discounted value, points included.
    #[test]
    fn it_plays_what_it_is_rewarded_for() {
        let overrides = ["score.lines=[0.5, 12, 1, 30.25]".parse().unwrap()];
        let game = Game::built_in("small", &overrides).unwrap().unwrap().placement().unwrap().clone();
        let plan = TdPlan {
            features: vec![Feature::Holes, Feature::Bumpiness, Feature::Lines],
            reward: TdReward { height: 0.5, holes: 0.25, score: 1.0, loss: 0.0 },
            ..TdPlan::default()
        };
        let td = Td { weights: vec![-2.0, -1.0, 0.5], plan, history: Vec::new() };
        let (plan, controller) = (&td.plan, td.controller("td", &game).unwrap());
        let scales = plan.scales(&game);
        let mut generator = stream(1, Purpose::Player, 0);
        let mut by_points = 0;
        for _ in 0..400 {
            let mut before = Board::new(game.width(), game.height());
            for y in 0..3 {
                let gap = below(&mut generator, game.width());
                let x = |x: &usize| *x != gap;
                (0..game.width()).filter(x).for_each(|x| {
                    if below(&mut generator, 5) > 0 {
                        before.insert(x, y);
                    }
                });
            }
            let grid = AnyColumns::from_board(&before);
            let piece = below(&mut generator, game.pieces().len());
            let mut worths = Vec::new();
            grid.outcomes(&game, piece, |placement, landed| {
                let after = landed.board.to_board(&game);
                let state = Afterstate {
                    game: &game,
                    before: &before,
                    after: &after,
                    placement,
                    cleared: landed.cleared,
                };
                let points = game.score().points(landed.lines());
                let worth = plan.reward.of(&game, &before, &after, points)
                    + plan.discount * dot(&td.weights, &values(&plan.features, &scales, &state));
                worths.push((placement, worth, worth - points));
            });
            let Some(chosen) = controller.choose(&game, &grid, piece) else { continue };
            let (_, worth, without) = *worths.iter().find(|(placement, ..)| *placement == chosen).unwrap();
            let most = worths.iter().map(|(_, worth, _)| *worth).fold(f64::NEG_INFINITY, f64::max);
            assert!((worth - most).abs() < 1e-3, "{worth} instead of {most}\n{before}");
            by_points += usize::from(worths.iter().any(|(_, _, other)| *other > without + 1e-3));
        }
        assert!(by_points > 0, "points decided never");
    }

    #[test]
    fn plans_of_before_are_read() {
        let text = serde_json::to_string(&TdPlan::default()).unwrap();
        let old = text.replace("exploration_decay", "exploration");
        assert_ne!(text, old);
        assert_eq!(serde_json::from_str::<TdPlan>(&old).unwrap(), TdPlan::default());
    }
}
