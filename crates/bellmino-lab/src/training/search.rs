//! Black-box search for the weights of a controller: an optimiser, games that value its candidates, and what came of it.

use std::sync::Arc;

use bellmino_engine::PlacementGame;
use bellmino_learn::{Controller, Feature, GameResult, Optimiser};
use serde::{Deserialize, Serialize};

use super::work::{Work, WorkTask};
use crate::statistics::{PerLoss, Summary};

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
pub struct SearchPlan {
    /// The features whose weights are sought.
    pub features: Vec<Feature>,
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
pub struct WeightSearch {
    /// How candidates are valued.
    pub plan: SearchPlan,
    /// The search.
    pub optimiser: Optimiser,
    /// The present cap on pieces.
    pub cap: u64,
    /// What has happened.
    pub history: Vec<Generation>,
    /// The race of the generation under way; one that was stored begins anew.
    #[serde(skip)]
    race: Option<Race>,
}

/// What happened in one generation. A value is lines (or points) per lost game: a game that was stopped counts with its
/// lines but is no loss. Where nothing was lost the value is the sum itself, and the truth is no less.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    /// Its number, from 1.
    pub generation: u64,
    /// The best candidate.
    pub best: f64,
    /// The elite, all its games taken together. It was chosen by these very games, so luck is part of it.
    pub elite: f64,
    /// Mean over all candidates.
    pub mean: f64,
    /// Games played so far, in all generations.
    pub games: u64,
    /// Pieces placed so far, in all generations.
    pub pieces: u64,
    /// The cap on pieces in this generation.
    pub cap: u64,
    /// The median over all candidates.
    #[serde(default)]
    pub median: f64,
    /// What one candidate in twenty falls short of.
    #[serde(default)]
    pub lower: f64,
    /// Games that the elite lost: how well its value is known.
    #[serde(default)]
    pub elite_losses: u64,
}

impl Generation {
    /// The 95 % interval of the value of the elite, losses being rare events; the upper end is infinite without a loss.
    pub fn elite_interval(&self) -> [f64; 2] {
        let exposure = self.elite * self.elite_losses.max(1) as f64;
        PerLoss::new(exposure, self.elite_losses).ci95.map(|end| end.unwrap_or(f64::INFINITY))
    }

    /// The median of values, and what one in twenty falls short of; they need not be in order.
    pub(super) fn spread(values: &[f64]) -> (f64, f64) {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let twentieth = sorted.get(sorted.len() / 20).copied().unwrap_or(0.0);
        (Summary::of(values).median, twentieth)
    }

    /// Whether these are as many as were planned, or the elite of the last reaches the goal.
    pub(super) fn are_enough(history: &[Generation], planned: u64, goal: Option<f64>) -> bool {
        let reached = |last: &Generation| goal.is_some_and(|goal| last.elite >= goal);
        history.len() as u64 >= planned || history.last().is_some_and(reached)
    }
}

/// A generation under way: all play a part of their games, the better half goes on.
#[derive(Clone, Debug, PartialEq)]
struct Race {
    racers: Vec<Racer>,
    /// The candidates still in it, in order.
    running: Vec<usize>,
    round: usize,
    /// Games that those still in it have played.
    played: u64,
}

/// A candidate and what it has done.
#[derive(Clone, Debug, Default, PartialEq)]
struct Racer {
    weights: Vec<f64>,
    rounds: u64,
    games: u64,
    losses: u64,
    lines: u64,
    pieces: u64,
    score: f64,
}

impl WeightSearch {
    /// A search from its beginning.
    pub fn new(plan: SearchPlan, optimiser: Optimiser) -> WeightSearch {
        WeightSearch { cap: plan.cap.max(1), plan, optimiser, history: Vec::new(), race: None }
    }

    /// Whether nothing is left to do.
    pub fn is_done(&self) -> bool {
        Generation::are_enough(&self.history, self.plan.generations, self.plan.goal)
    }

    /// The centre of the search as a controller.
    pub fn controller(&self, name: &str) -> Option<Controller> {
        Controller::new(name, &self.plan.features, self.optimiser.mean()).ok()
    }

    /// The games of the present round.
    pub(super) fn work(&self, game: &Arc<PlacementGame>) -> Vec<Work> {
        let generation = self.history.len() as u64;
        let race = self.race.clone().unwrap_or_else(|| self.begin());
        let until = race.until(self);
        let work = |&candidate: &usize| Work {
            step: generation,
            round: race.round as u32,
            candidate,
            first: generation << 24 | race.played,
            count: until.saturating_sub(race.played),
            task: WorkTask::Placement {
                game: game.clone(),
                features: self.plan.features.clone(),
                weights: race.racers[candidate].weights.clone(),
                cap: self.cap,
                seed: self.plan.seed,
            },
        };
        race.running.iter().map(work).collect()
    }

    /// Takes the games of the present round, candidate by candidate; says whether the generation is complete.
    pub(super) fn take(&mut self, games: &[Vec<GameResult>]) -> bool {
        let mut race = self.race.take().unwrap_or_else(|| self.begin());
        for (&index, games) in race.running.iter().zip(games) {
            games.iter().for_each(|game| race.racers[index].add(game));
            race.racers[index].rounds += 1;
        }
        race.played = race.until(self).max(race.played);
        race.round += 1;
        if race.round < self.rounds().len() {
            // The better half goes on, and never fewer than the elite.
            let rank = |index: usize| race.racers[index].rank(&self.plan);
            race.running.sort_by(|&a, &b| rank(b).total_cmp(&rank(a)));
            race.running.truncate(self.elites(&race).max(race.running.len().div_ceil(2)));
            race.running.sort_unstable();
            self.race = Some(race);
            return false;
        }
        self.finish(&race);
        true
    }

    /// Forgets the rounds of a generation that is not complete.
    pub(super) fn restart(&mut self) {
        self.race = None;
    }

    fn begin(&self) -> Race {
        let racer = |weights| Racer { weights, ..Racer::default() };
        let racers: Vec<Racer> = self.optimiser.ask().into_iter().map(racer).collect();
        Race { running: (0..racers.len()).collect(), racers, round: 0, played: 0 }
    }

    fn finish(&mut self, race: &Race) {
        let racers = &race.racers;
        let values: Vec<f64> = racers.iter().map(|racer| racer.value(&self.plan)).collect();
        // Whoever fell out earlier ranks lower, whatever luck it had.
        let ranks: Vec<f64> =
            racers.iter().map(|racer| racer.rounds as f64 * 1e15 + racer.rank(&self.plan)).collect();
        let mut order: Vec<usize> = (0..racers.len()).collect();
        order.sort_by(|&a, &b| ranks[b].total_cmp(&ranks[a]));
        let elite = &order[..self.elites(race)];
        let mean = |of: &[usize]| of.iter().map(|&index| values[index]).sum::<f64>() / of.len().max(1) as f64;
        let before = self.history.last().map_or((0, 0), |last| (last.games, last.pieces));
        let mut together = Racer::default();
        elite.iter().for_each(|&index| together.join(&racers[index]));
        let (median, lower) = Generation::spread(&values);
        self.history.push(Generation {
            generation: self.history.len() as u64 + 1,
            best: values[order[0]],
            elite: together.value(&self.plan),
            mean: mean(&order),
            games: before.0 + racers.iter().map(|racer| racer.games).sum::<u64>(),
            pieces: before.1 + racers.iter().map(|racer| racer.pieces).sum::<u64>(),
            cap: self.cap,
            median,
            lower,
            elite_losses: together.losses,
        });
        if 2 * together.losses < together.games {
            self.cap = self.cap.saturating_mul(4);
        }
        self.optimiser.tell(&ranks);
    }

    fn elites(&self, race: &Race) -> usize {
        self.optimiser.elites().min(race.racers.len())
    }

    fn games(&self) -> u64 {
        let last = self.history.last().map_or(1.0, |last| last.elite.max(1.0));
        let fewer = if self.plan.varying { 0.5f64.powf(last.log10()) } else { 1.0 };
        ((self.plan.games as f64 * fewer).round() as u64).max(1)
    }

    /// What part of the games are played by the end of each round: one of so many.
    fn rounds(&self) -> &'static [u64] {
        if self.plan.racing && self.games() >= 4 { &[8, 4, 2, 1] } else { &[1] }
    }
}

impl Race {
    /// Games played at the end of the present round.
    fn until(&self, search: &WeightSearch) -> u64 {
        let part = search.rounds().get(self.round).copied().unwrap_or(1);
        (search.games() / part).max(1)
    }
}

impl Racer {
    fn add(&mut self, game: &GameResult) {
        self.games += 1;
        self.losses += u64::from(game.is_lost());
        self.lines += game.lines;
        self.pieces += game.pieces;
        self.score += game.score;
    }

    /// Takes the games of another one too.
    fn join(&mut self, other: &Racer) {
        self.games += other.games;
        self.losses += other.losses;
        self.lines += other.lines;
        self.pieces += other.pieces;
        self.score += other.score;
    }

    /// Lines or points per lost game. Games that were stopped are exposure: they count with what they gave, not as losses.
    /// Without a loss there is no estimate; then it is all that they gave, and the truth is no less.
    fn value(&self, plan: &SearchPlan) -> f64 {
        self.sum(plan) / self.losses.max(1) as f64
    }

    /// What candidates are put in order by: their value, and whoever lost nothing before others who gave as much.
    fn rank(&self, plan: &SearchPlan) -> f64 {
        self.sum(plan) / (self.losses as f64).max(0.5)
    }

    fn sum(&self, plan: &SearchPlan) -> f64 {
        match plan.aim {
            Aim::Lines => self.lines as f64,
            Aim::Score => self.score,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> SearchPlan {
        SearchPlan {
            features: vec![Feature::Holes],
            aim: Aim::Lines,
            games: 2,
            varying: false,
            racing: false,
            cap: 100,
            generations: 1,
            goal: None,
            seed: 0,
        }
    }

    fn racer(games: &[(u64, bool)]) -> Racer {
        let mut racer = Racer::default();
        for &(lines, lost) in games {
            let outcome = lost.then_some(bellmino_engine::Outcome::ToppedOut);
            racer.add(&GameResult { lines, outcome, ..GameResult::default() });
        }
        racer
    }

    /// A game that the cap stops is exposure: it is not counted as half a loss, which would double its lines.
    #[test]
    fn stopped_games_are_exposure() {
        let plan = plan();
        let (stopped, lost) = (racer(&[(40, false), (40, false)]), racer(&[(40, true), (40, true)]));
        assert_eq!((stopped.value(&plan), lost.value(&plan)), (80.0, 40.0));
        assert_eq!(racer(&[(40, false), (20, true)]).value(&plan), 60.0);
        assert!(stopped.rank(&plan) > racer(&[(40, false), (40, true)]).rank(&plan));
        let mut both = stopped.clone();
        both.join(&lost);
        assert_eq!((both.value(&plan), both.losses), (80.0, 2));
    }

    #[test]
    fn the_interval_of_the_elite_is_that_of_its_losses() {
        let values = [3.0, 1.0, 2.0, 4.0];
        let (median, lower) = Generation::spread(&values);
        assert_eq!((median, lower), (2.5, 1.0));
        let generation = Generation {
            generation: 1,
            best: 0.0,
            elite: 100.0,
            mean: 0.0,
            games: 0,
            pieces: 0,
            cap: 0,
            median,
            lower,
            elite_losses: 10,
        };
        // Exact 95 % limits for the mean of a Poisson count of 10: 4.795 to 18.390.
        let [low, high] = generation.elite_interval();
        assert!((low - 1000.0 / 18.390).abs() < 0.01 && (high - 1000.0 / 4.795).abs() < 0.05);
        assert_eq!(Generation { elite_losses: 0, ..generation }.elite_interval()[1], f64::INFINITY);
    }
}
