//! What a run was asked for: everything about it that does not change.

use bellmino_learn::{CbmpiPlan, Optimiser, TdPlan, TuplePlan};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::course::Course;
use super::drill::{DrillAim, DrillPlan};
use super::method::Method;
use super::search::{Aim, SearchPlan};
use super::tuning::TuningPlan;

/// What a run was asked for, with every default written out: its `config.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunConfig {
    /// The version that made it.
    pub version: String,
    /// The method.
    #[serde(default = "Method::unnamed")]
    pub method: Method,
    /// Seed of everything random.
    #[serde(default)]
    pub seed: u64,
    /// The file of the game.
    pub game: String,
    /// The file of the placement game learned on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trained_on: Option<String>,
    /// How it learns.
    pub plan: RunPlan,
    /// The weights of the look-ahead bot at the beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The file that they come from, if it is not those shipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_file: Option<String>,
}

/// How a run learns: everything about its course that does not change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RunPlan {
    /// A black-box search.
    Search {
        /// How candidates are valued.
        valuing: SearchPlan,
        /// The search at its beginning.
        search: Optimiser,
    },
    /// The same in guideline games.
    Drill {
        /// How candidates are valued.
        valuing: DrillPlan,
        /// The search at its beginning.
        search: Optimiser,
    },
    /// Policy iteration.
    Cbmpi {
        /// How the policy is found.
        iterating: CbmpiPlan,
        /// The first policy.
        policy: Vec<f64>,
    },
    /// Temporal differences.
    Td(TdPlan),
    /// A value over windows of the board.
    Tuples(TuplePlan),
    /// The look-ahead bot.
    Tune(TuningPlan),
}

impl RunConfig {
    /// The first key that differs, then and now.
    pub fn first_difference(&self, now: &RunConfig) -> Option<(String, Value, Value)> {
        let value = |config: &RunConfig| serde_json::to_value(config).unwrap_or_default();
        let (then, now) = (value(self), value(now));
        let differs = |(key, new): (&String, &Value)| {
            let old = then.get(key).cloned().unwrap_or_default();
            (old != *new).then(|| (key.clone(), old, new.clone()))
        };
        now.as_object()?.iter().find_map(differs)
    }
}

impl RunPlan {
    /// The plan of a course that is at its beginning.
    pub(super) fn of(course: &Course) -> RunPlan {
        match course {
            Course::Search(search) => {
                RunPlan::Search { valuing: search.plan.clone(), search: search.optimiser.clone() }
            }
            Course::Drill(drill) => {
                RunPlan::Drill { valuing: drill.plan.clone(), search: drill.optimiser.clone() }
            }
            Course::Td(td) => RunPlan::Td(td.plan.clone()),
            Course::Cbmpi(cbmpi) => {
                RunPlan::Cbmpi { iterating: cbmpi.plan.clone(), policy: cbmpi.policy.clone() }
            }
            Course::Tuples(td) => RunPlan::Tuples(td.plan.clone()),
            Course::Tune(tuning) => RunPlan::Tune(tuning.plan.clone()),
        }
    }

    /// Steps there are at most: generations, episodes, iterations.
    pub fn steps(&self) -> u64 {
        match self {
            RunPlan::Search { valuing, .. } => valuing.generations,
            RunPlan::Drill { valuing, .. } => valuing.generations,
            RunPlan::Cbmpi { iterating, .. } => iterating.iterations,
            RunPlan::Td(plan) => plan.episodes,
            RunPlan::Tuples(plan) => plan.steps,
            RunPlan::Tune(plan) => plan.fields.generations,
        }
    }

    /// What the values of the learning curve count, in words.
    pub fn unit(&self) -> &'static str {
        match self {
            RunPlan::Search { valuing, .. } => match valuing.aim {
                Aim::Lines => "lines per lost game",
                Aim::Score => "points per lost game",
            },
            RunPlan::Drill { valuing, .. } => match valuing.aim {
                DrillAim::Pieces => "minus pieces to the goal",
                DrillAim::Score => "points per game",
                DrillAim::ScoreWithDrops => "points per game, those for drops included",
                DrillAim::Keys => "minus key presses to the goal",
            },
            RunPlan::Cbmpi { .. } => "lines per game",
            RunPlan::Td(_) => "points per episode",
            RunPlan::Tuples(_) => "points per game",
            RunPlan::Tune(_) => "points per game",
        }
    }

    /// What the elite must be worth to stop sooner.
    pub fn goal(&self) -> Option<f64> {
        match self {
            RunPlan::Search { valuing, .. } => valuing.goal,
            RunPlan::Drill { valuing, .. } => valuing.goal,
            RunPlan::Cbmpi { .. } | RunPlan::Td(_) | RunPlan::Tuples(_) | RunPlan::Tune(_) => None,
        }
    }
}
