//! Black-box training in guideline games.

use bellmino_engine::Outcome;
use bellmino_engine::guideline::{Bag, Rules};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::controller::Controller;
use crate::feature::Feature;
use crate::guideline::{self, Pilot, Played};
use crate::optimiser::Optimiser;
use crate::training::Generation;

/// What a guideline game is played for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DrillAim {
    /// Few pieces: minus the pieces if the goal is reached; else pieces + 5 rows - 550, as seed 001 has it.
    Pieces,
    /// Points, without those for drops.
    Score,
    /// Few key presses: minus the presses if the goal is reached; else pieces + 5 rows - 2000.
    Keys,
}

/// How candidates are valued.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DrillPlan {
    /// The features whose weights are sought.
    pub features: Vec<String>,
    /// Only straight drops are looked at.
    pub drops: bool,
    /// The rules played by.
    pub rules: Rules,
    /// What is counted.
    pub aim: DrillAim,
    /// Games for each candidate; all candidates of a generation get the same pieces.
    pub games: u64,
    /// A game is stopped after this many pieces.
    pub pieces: Option<u32>,
    /// Stop after this many generations.
    pub generations: u64,
    /// Stop when the elite is worth this much on average.
    pub goal: Option<f64>,
    /// Seed of the games.
    pub seed: u64,
}

/// A search under way. It goes on from wherever it was stored, to the same end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drill {
    /// How candidates are valued.
    pub plan: DrillPlan,
    /// The search.
    pub optimiser: Optimiser,
    /// What has happened; a value is the mean over the games of a candidate.
    pub history: Vec<Generation>,
}

impl DrillAim {
    /// What a game was worth.
    pub fn value(self, played: &Played) -> f64 {
        let stats = &played.stats;
        let survived = f64::from(stats.pieces) + 5.0 * f64::from(stats.lines);
        let won = played.outcome == Some(Outcome::Goal);
        match self {
            DrillAim::Score => stats.score as f64,
            DrillAim::Pieces if won => -f64::from(stats.pieces),
            DrillAim::Pieces => survived - 550.0,
            DrillAim::Keys if won => -(played.keys as f64),
            DrillAim::Keys => survived - 2000.0,
        }
    }
}

impl Drill {
    /// A search from its beginning.
    pub fn new(plan: DrillPlan, optimiser: Optimiser) -> Drill {
        Drill { plan, optimiser, history: Vec::new() }
    }

    /// Whether nothing is left to do.
    pub fn is_done(&self) -> bool {
        let reached = |last: &Generation| self.plan.goal.is_some_and(|goal| last.elite >= goal);
        self.history.len() as u64 >= self.plan.generations || self.history.last().is_some_and(reached)
    }

    /// The centre of the search as a controller of these features.
    pub fn controller(&self, name: &str, features: &[Feature]) -> Option<Controller> {
        self.candidate(name, features, self.optimiser.mean())
    }

    /// Plays one generation. `go_on` is asked between games; when it says no, nothing has happened.
    pub fn step(&mut self, features: &[Feature], go_on: &(dyn Fn() -> bool + Sync)) -> Option<Generation> {
        let candidates = self.optimiser.ask();
        let pilots: Vec<Option<Pilot>> = candidates
            .iter()
            .map(|weights| Pilot::new(self.candidate("candidate", features, weights)?).ok())
            .collect();
        let number = self.history.len() as u64;
        let DrillPlan { rules, aim, games, pieces, seed, .. } = &self.plan;
        let games = (*games).max(1);
        let pairs: Vec<(usize, u64)> =
            (0..pilots.len()).flat_map(|index| (0..games).map(move |game| (index, game))).collect();
        let play = |&(index, game): &(usize, u64)| {
            // Weights that make no controller play nothing and are worth less than any that do.
            let Some(pilot) = &pilots[index] else { return Some((-1e9, 0)) };
            let bag = Bag::numbered(*seed, number << 24 | game);
            let keys = *aim == DrillAim::Keys;
            let played = go_on().then(|| guideline::play_counting(rules, pilot, bag, *pieces, keys))?;
            Some((aim.value(&played), u64::from(played.stats.pieces)))
        };
        let results: Vec<(f64, u64)> = pairs.par_iter().map(play).collect::<Option<_>>()?;
        let mean_of = |part: &[(f64, u64)]| part.iter().map(|(value, _)| value).sum::<f64>() / games as f64;
        let values: Vec<f64> = results.chunks(games as usize).map(mean_of).collect();
        let mut sorted = values.clone();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let elites = self.optimiser.elites().clamp(1, sorted.len().max(1));
        let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len().max(1) as f64;
        let before = self.history.last().map_or((0, 0), |last| (last.games, last.pieces));
        let generation = Generation {
            generation: number + 1,
            best: sorted.first().copied().unwrap_or(0.0),
            elite: mean(&sorted[..elites.min(sorted.len())]),
            mean: mean(&sorted),
            games: before.0 + results.len() as u64,
            pieces: before.1 + results.iter().map(|(_, pieces)| pieces).sum::<u64>(),
            cap: u64::from(pieces.unwrap_or(0)),
        };
        self.optimiser.tell(&values);
        self.history.push(generation);
        Some(generation)
    }

    fn candidate(&self, name: &str, features: &[Feature], weights: &[f64]) -> Option<Controller> {
        let controller = Controller::new(name, features, weights).ok()?;
        Some(if self.plan.drops { controller.with_note("path", json!("drop")) } else { controller })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellmino_engine::guideline::Stats;

    /// Seed 001's reward: any win is worth more than any loss.
    #[test]
    fn rewards() {
        let stats = |pieces, lines| Stats { pieces, lines, score: 700, ..Stats::default() };
        let won = Played { stats: stats(112, 40), outcome: Some(Outcome::Goal), keys: 350 };
        let lost = Played { stats: stats(140, 39), outcome: Some(Outcome::ToppedOut), keys: 400 };
        assert_eq!((DrillAim::Pieces.value(&won), DrillAim::Pieces.value(&lost)), (-112.0, -215.0));
        assert_eq!((DrillAim::Keys.value(&won), DrillAim::Keys.value(&lost)), (-350.0, -1665.0));
        assert_eq!(DrillAim::Score.value(&lost), 700.0);
    }
}
