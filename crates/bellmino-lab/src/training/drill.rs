//! Black-box training in guideline games.

use bellmino_engine::Outcome;
use bellmino_engine::guideline::Rules;
use bellmino_learn::{Controller, Feature, GameResult, Optimiser};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::search::Generation;
use super::work::{Work, WorkTask};

/// What a guideline game is played for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DrillAim {
    /// Few pieces: minus the pieces if the goal is reached; else pieces + 5 rows - 550, as seed 001 has it.
    Pieces,
    /// Points, without those for drops.
    Score,
    /// Points, those for drops included, as seed 001 counts them.
    ScoreWithDrops,
    /// Few key presses: minus the presses if the goal is reached; else pieces + 5 rows - 2000.
    Keys,
}

/// How candidates are valued.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DrillPlan {
    /// The features whose weights are sought.
    pub features: Vec<Feature>,
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
    pub fn value(self, game: &GameResult) -> f64 {
        let survived = game.pieces as f64 + 5.0 * game.lines as f64;
        let won = game.outcome == Some(Outcome::Goal);
        match self {
            DrillAim::Score => game.score,
            DrillAim::ScoreWithDrops => game.score_with_drops(),
            DrillAim::Pieces if won => -(game.pieces as f64),
            DrillAim::Pieces => survived - 550.0,
            DrillAim::Keys if won => -(game.keys as f64),
            DrillAim::Keys => survived - 2000.0,
        }
    }
}

/// What weights that make no controller are worth: less than any that do.
const WORTHLESS: f64 = -1e9;

impl Drill {
    /// A search from its beginning.
    pub fn new(plan: DrillPlan, optimiser: Optimiser) -> Drill {
        Drill { plan, optimiser, history: Vec::new() }
    }

    /// Whether nothing is left to do.
    pub fn is_done(&self) -> bool {
        Generation::are_enough(&self.history, self.plan.generations, self.plan.goal)
    }

    /// The centre of the search as a controller.
    pub fn controller(&self, name: &str) -> Option<Controller> {
        candidate(name, &self.plan.features, self.optimiser.mean(), self.plan.drops)
    }

    /// The games of the generation.
    pub(super) fn work(&self) -> Vec<Work> {
        let generation = self.history.len() as u64;
        let DrillPlan { features, drops, rules, aim, pieces, seed, .. } = &self.plan;
        let work = |(candidate, weights)| Work {
            step: generation,
            round: 0,
            candidate,
            first: generation << 24,
            count: self.games(),
            task: WorkTask::Guideline {
                rules: *rules,
                features: features.clone(),
                weights,
                drops: *drops,
                keys: *aim == DrillAim::Keys,
                cap: *pieces,
                seed: *seed,
            },
        };
        self.optimiser.ask().into_iter().enumerate().map(work).collect()
    }

    /// Takes the games of the generation, candidate by candidate.
    pub(super) fn take(&mut self, games: &[Vec<GameResult>]) {
        let DrillPlan { features, aim, pieces, .. } = &self.plan;
        let value = |(weights, games): (&Vec<f64>, &Vec<GameResult>)| {
            let plays = Controller::new("candidate", features, weights).is_ok();
            let worth = |game| if plays { aim.value(game) } else { WORTHLESS };
            games.iter().map(worth).sum::<f64>() / self.games() as f64
        };
        let values: Vec<f64> = self.optimiser.ask().iter().zip(games).map(value).collect();
        let mut sorted = values.clone();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let elites = self.optimiser.elites().clamp(1, sorted.len().max(1));
        let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len().max(1) as f64;
        let before = self.history.last().map_or((0, 0), |last| (last.games, last.pieces));
        let all = || games.iter().flatten();
        let (median, lower) = Generation::spread(&values);
        self.history.push(Generation {
            generation: self.history.len() as u64 + 1,
            best: sorted.first().copied().unwrap_or(0.0),
            elite: mean(&sorted[..elites.min(sorted.len())]),
            mean: mean(&sorted),
            games: before.0 + all().count() as u64,
            pieces: before.1 + all().map(|game| game.pieces).sum::<u64>(),
            cap: u64::from(pieces.unwrap_or(0)),
            median,
            lower,
            elite_losses: 0,
        });
        self.optimiser.tell(&values);
    }

    fn games(&self) -> u64 {
        self.plan.games.max(1)
    }
}

/// A controller of guideline games, which looks at straight drops only if it is told so.
pub(super) fn candidate(
    name: &str,
    features: &[Feature],
    weights: &[f64],
    drops: bool,
) -> Option<Controller> {
    let controller = Controller::new(name, features, weights).ok()?;
    Some(if drops { controller.with_note("path", json!("drop")) } else { controller })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seed 001's reward: any win is worth more than any loss.
    #[test]
    fn rewards() {
        let game = |pieces, lines, keys, outcome| GameResult {
            pieces,
            lines,
            score: 700.0,
            outcome: Some(outcome),
            keys,
            drop_points: 50,
        };
        let won = game(112, 40, 350, Outcome::Goal);
        let lost = game(140, 39, 400, Outcome::ToppedOut);
        assert_eq!((DrillAim::Pieces.value(&won), DrillAim::Pieces.value(&lost)), (-112.0, -215.0));
        assert_eq!((DrillAim::Keys.value(&won), DrillAim::Keys.value(&lost)), (-350.0, -1665.0));
        assert_eq!(DrillAim::Score.value(&lost), 700.0);
        assert_eq!(DrillAim::ScoreWithDrops.value(&lost), 750.0);
    }
}
