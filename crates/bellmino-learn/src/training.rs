//! Black-box training: an optimiser, games that value its candidates, and a record of how it went.

use bellmino_engine::{PlacementGame, Purpose, stream};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::controller::Controller;
use crate::feature::Feature;
use crate::optimiser::Optimiser;
use crate::trial::{Played, Trial};

/// What a game is played for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Aim {
    /// Rows.
    #[default]
    Lines,
    /// Points.
    Score,
}

/// How candidates are valued.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The features whose weights are sought.
    pub features: Vec<String>,
    /// What is counted.
    pub aim: Aim,
    /// Games for each candidate that stays in the race; all candidates of a generation get the same pieces.
    pub games: u64,
    /// Fewer games as the elite gets better: half as many for every factor of ten.
    pub varying: bool,
    /// Candidates without hope stop early.
    pub racing: bool,
    /// A game is stopped after this many pieces at first; the cap grows when half the games of the elite reach it.
    pub cap: u64,
    /// Stop after this many generations.
    pub generations: u64,
    /// Stop when the elite is worth this much on average.
    pub goal: Option<f64>,
    /// Seed of the games.
    pub seed: u64,
}

/// A search under way. It goes on from wherever it was stored, to the same end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Training {
    /// How candidates are valued.
    pub plan: Plan,
    /// The search.
    pub optimiser: Optimiser,
    /// The present cap on pieces.
    pub cap: u64,
    /// What has happened.
    pub history: Vec<Generation>,
}

/// What happened in one generation. A value is lines (or points) per lost game.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    /// Its number, from 1.
    pub generation: u64,
    /// The best candidate.
    pub best: f64,
    /// Mean over the elite.
    pub elite: f64,
    /// Mean over all candidates.
    pub mean: f64,
    /// Games played so far, in all generations.
    pub games: u64,
    /// Pieces placed so far, in all generations.
    pub pieces: u64,
    /// The cap on pieces in this generation.
    pub cap: u64,
}

impl Training {
    /// A search from its beginning.
    pub fn new(plan: Plan, optimiser: Optimiser) -> Training {
        Training { cap: plan.cap.max(1), plan, optimiser, history: Vec::new() }
    }

    /// Whether nothing is left to do.
    pub fn is_done(&self) -> bool {
        let reached = |last: &Generation| self.plan.goal.is_some_and(|goal| last.elite >= goal);
        self.history.len() as u64 >= self.plan.generations || self.history.last().is_some_and(reached)
    }

    /// The centre of the search as a controller of these features.
    pub fn controller(&self, name: &str, features: &[Feature]) -> Option<Controller> {
        Controller::new(name, features, self.optimiser.mean()).ok()
    }

    /// Plays one generation on `game`. `go_on` is asked between rounds; when it says no, nothing has happened.
    pub fn step(
        &mut self,
        game: &PlacementGame,
        features: &[Feature],
        go_on: &(dyn Fn() -> bool + Sync),
    ) -> Option<Generation> {
        let candidates = self.optimiser.ask();
        let number = self.history.len() as u64;
        let elites = self.optimiser.elites().min(candidates.len());
        let mut race: Vec<Racer> = candidates
            .iter()
            .map(|weights| Racer::new(Controller::new("candidate", features, weights).ok()))
            .collect();
        let games = self.games();
        let mut running: Vec<usize> = (0..race.len()).collect();
        let rounds: &[u64] = if self.plan.racing && games >= 4 { &[8, 4, 2, 1] } else { &[1] };
        let mut played = 0;
        for (round, part) in rounds.iter().enumerate() {
            if !go_on() {
                return None;
            }
            let until = (games / part).max(1);
            self.play_round(game, &mut race, &running, number, played..until, go_on);
            played = until.max(played);
            for &index in &running {
                race[index].rounds += 1;
            }
            if round + 1 < rounds.len() {
                // The better half goes on, and never fewer than the elite.
                running.sort_by(|&a, &b| race[b].value(&self.plan).total_cmp(&race[a].value(&self.plan)));
                running.truncate(elites.max(running.len().div_ceil(2)));
                running.sort_unstable();
            }
        }
        if !go_on() {
            return None;
        }
        let values: Vec<f64> = race.iter().map(|racer| racer.value(&self.plan)).collect();
        // Whoever fell out earlier ranks lower, whatever luck it had.
        let ranks: Vec<f64> =
            race.iter().zip(&values).map(|(racer, value)| racer.rounds as f64 * 1e15 + value).collect();
        let mut order: Vec<usize> = (0..race.len()).collect();
        order.sort_by(|&a, &b| ranks[b].total_cmp(&ranks[a]));
        let elite = &order[..elites];
        let mean = |of: &[usize]| of.iter().map(|&index| values[index]).sum::<f64>() / of.len().max(1) as f64;
        let before = self.history.last().map_or((0, 0), |last| (last.games, last.pieces));
        let generation = Generation {
            generation: number + 1,
            best: values[order[0]],
            elite: mean(elite),
            mean: mean(&order),
            games: before.0 + race.iter().map(|racer| racer.games).sum::<u64>(),
            pieces: before.1 + race.iter().map(|racer| racer.pieces).sum::<u64>(),
            cap: self.cap,
        };
        let (lost, begun) = elite
            .iter()
            .fold((0, 0), |(lost, begun), &index| (lost + race[index].losses, begun + race[index].games));
        if 2 * lost < begun {
            self.cap = self.cap.saturating_mul(4);
        }
        self.optimiser.tell(&ranks);
        self.history.push(generation);
        Some(generation)
    }

    fn games(&self) -> u64 {
        let last = self.history.last().map_or(1.0, |last| last.elite.max(1.0));
        let fewer = if self.plan.varying { 0.5f64.powf(last.log10()) } else { 1.0 };
        ((self.plan.games as f64 * fewer).round() as u64).max(1)
    }

    fn play_round(
        &self,
        game: &PlacementGame,
        race: &mut [Racer],
        running: &[usize],
        generation: u64,
        games: std::ops::Range<u64>,
        go_on: &(dyn Fn() -> bool + Sync),
    ) {
        let pairs: Vec<(usize, u64)> =
            running.iter().flat_map(|&index| games.clone().map(move |number| (index, number))).collect();
        let race_now = &*race;
        let results: Vec<Played> = pairs
            .par_iter()
            .map(|&(index, number)| match &race_now[index].controller {
                Some(controller) if go_on() => {
                    let chance = stream(self.plan.seed, Purpose::Dealer, generation << 24 | number);
                    Trial::new(game, controller).play(game, chance, self.cap)
                }
                _ => Played { lost: true, ..Played::default() },
            })
            .collect();
        for ((index, _), played) in pairs.iter().zip(results) {
            race[*index].add(&played);
        }
    }
}

/// A candidate and what it has done.
struct Racer {
    /// None if the weights make no controller.
    controller: Option<Controller>,
    rounds: u64,
    games: u64,
    losses: u64,
    lines: u64,
    pieces: u64,
    score: f64,
}

impl Racer {
    fn new(controller: Option<Controller>) -> Racer {
        Racer { controller, rounds: 0, games: 0, losses: 0, lines: 0, pieces: 0, score: 0.0 }
    }

    fn add(&mut self, played: &Played) {
        self.games += 1;
        self.losses += u64::from(played.lost);
        self.lines += played.lines;
        self.pieces += played.pieces;
        self.score += played.score;
    }

    /// Lines or points per lost game; without a loss as if half a game had been lost.
    fn value(&self, plan: &Plan) -> f64 {
        let sum = match plan.aim {
            Aim::Lines => self.lines as f64,
            Aim::Score => self.score,
        };
        sum / (self.losses as f64).max(0.5)
    }
}
