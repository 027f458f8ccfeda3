//! Many runs of temporal differences: how good it gets, and how.

use std::sync::Arc;

use bellmino_engine::{PlacementGame, Purpose, stream};
use bellmino_learn::{Td, TdPlan, Trial};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use super::course::Course;
use super::{Training, TrainingError};
use crate::statistics::Summary;

/// What many runs of the same plan, with seeds one after the other, have given.
#[derive(Clone, Debug)]
pub struct TdRuns {
    /// The plan of the first.
    pub plan: TdPlan,
    /// How many runs.
    pub runs: u64,
    /// The mean score of each controller learned.
    pub score: Summary,
    /// The score of each episode over all runs.
    pub curve: Vec<CurvePoint>,
    /// The same over ten episodes each, from this one on, from 0.
    pub blocks: Vec<(usize, Summary)>,
    /// The last ten episodes minus the best ten.
    pub last_ten_minus_best_ten: Summary,
}

/// An episode over all runs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CurvePoint {
    /// Its number, from 1.
    pub episode: usize,
    /// The mean score.
    pub mean: f64,
    /// Its 95 % interval.
    pub ci95: [f64; 2],
}

/// How many episodes are taken together.
const BLOCK: usize = 10;

impl TdRuns {
    /// Learns `runs` times and measures each controller with `games` games. `progress` is told of each run done;
    /// when `go_on` says no, the answer is how many were done.
    pub fn new(
        training: &Training,
        runs: u64,
        games: u64,
        go_on: &(dyn Fn() -> bool + Sync),
        progress: &(dyn Fn() + Sync),
    ) -> Result<Result<TdRuns, u64>, TrainingError> {
        let Course::Td(first) = training.course() else {
            return Err(TrainingError::Unfit { option: "runs", why: "is for td".to_owned() });
        };
        let (plan, game) = (&first.plan, training.ground().board());
        let learned: Vec<Option<(Td, f64)>> = (0..runs)
            .into_par_iter()
            .map(|number| {
                let learned = learn(plan, game, number, games, go_on);
                progress();
                learned
            })
            .collect();
        let learned: Vec<(Td, f64)> = learned.into_iter().flatten().collect();
        if (learned.len() as u64) < runs {
            return Ok(Err(learned.len() as u64));
        }
        Ok(Ok(TdRuns::of(plan.clone(), &learned)))
    }

    fn of(plan: TdPlan, learned: &[(Td, f64)]) -> TdRuns {
        let episodes = plan.episodes as usize;
        let block = |td: &Td, from: usize| {
            let rows = &td.history[from..(from + BLOCK).min(td.history.len())];
            rows.iter().map(|row| row.score).sum::<f64>() / rows.len().max(1) as f64
        };
        let over_runs = |value: &dyn Fn(&Td) -> f64| {
            Summary::of(&learned.iter().map(|(td, _)| value(td)).collect::<Vec<_>>())
        };
        let starts: Vec<usize> = (0..episodes).step_by(BLOCK).collect();
        let total = |from: usize| learned.iter().map(|(td, _)| block(td, from)).sum::<f64>();
        let best = starts.iter().copied().max_by(|&a, &b| total(a).total_cmp(&total(b))).unwrap_or(0);
        let last = episodes.saturating_sub(BLOCK);
        let point = |episode: usize| {
            let summary = over_runs(&|td| td.history[episode].score);
            CurvePoint { episode: episode + 1, mean: summary.mean, ci95: summary.ci95 }
        };
        TdRuns {
            runs: learned.len() as u64,
            score: Summary::of(&learned.iter().map(|(_, score)| *score).collect::<Vec<_>>()),
            curve: (0..episodes).map(point).collect(),
            blocks: starts.iter().map(|&from| (from, over_runs(&|td| block(td, from)))).collect(),
            last_ten_minus_best_ten: over_runs(&|td| block(td, last) - block(td, best)),
            plan,
        }
    }
}

/// Run number `number` and the mean score of its controller; `None` if it was stopped or nothing was learned.
fn learn(
    plan: &TdPlan,
    game: &Arc<PlacementGame>,
    number: u64,
    games: u64,
    go_on: &(dyn Fn() -> bool + Sync),
) -> Option<(Td, f64)> {
    let mut td = Td::new(TdPlan { seed: plan.seed.wrapping_add(number), ..plan.clone() });
    while !td.is_done() {
        td.step(game, go_on)?;
    }
    let controller = td.controller("td", game)?;
    let mut sum = 0.0;
    for index in 0..games {
        // Other pieces than those learned from, and others in every run: the interval over runs is one over games too.
        let chance = stream(plan.seed.wrapping_add(1 << 32), Purpose::Dealer, number << 24 | index);
        sum += Trial::new(game, &controller).play(chance, plan.cap).score;
    }
    Some((td, sum / games as f64))
}
