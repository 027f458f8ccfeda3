//! A course of training of any method, step by step.

use bellmino_engine::PlacementGame;
use serde::{Deserialize, Serialize};

use crate::cbmpi::Cbmpi;
use crate::controller::Controller;
use crate::drill::Drill;
use crate::feature::Feature;
use crate::td::Td;
use crate::training::{Generation, Training};

/// A course of training: all that is needed to go on with it, whatever the method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Course {
    /// Cross-entropy, CMA-ES or SNES.
    Search(Box<Training>),
    /// The same in guideline games.
    Drill(Box<Drill>),
    /// Temporal differences.
    Td(Box<Td>),
    /// Classification-based modified policy iteration.
    Cbmpi(Box<Cbmpi>),
}

impl Course {
    /// Whether nothing is left to do.
    pub fn is_done(&self) -> bool {
        match self {
            Course::Search(training) => training.is_done(),
            Course::Drill(drill) => drill.is_done(),
            Course::Td(td) => td.is_done(),
            Course::Cbmpi(cbmpi) => cbmpi.is_done(),
        }
    }

    /// Steps done, and steps there are at most.
    pub fn progress(&self) -> (u64, u64) {
        match self {
            Course::Search(training) => (training.history.len() as u64, training.plan.generations),
            Course::Drill(drill) => (drill.history.len() as u64, drill.plan.generations),
            Course::Td(td) => (td.history.len() as u64, td.plan.episodes),
            Course::Cbmpi(cbmpi) => (cbmpi.history.len() as u64, cbmpi.plan.iterations),
        }
    }

    /// Makes one step; a drill plays by the rules of its plan, whatever the game. When `go_on` says no in between, nothing has happened and the answer is `false`.
    pub fn step(
        &mut self,
        game: &PlacementGame,
        features: &[Feature],
        go_on: &(dyn Fn() -> bool + Sync),
    ) -> bool {
        match self {
            Course::Search(training) => training.step(game, features, go_on).is_some(),
            Course::Drill(drill) => drill.step(features, go_on).is_some(),
            Course::Td(td) => td.step(game, features, go_on).is_some(),
            Course::Cbmpi(cbmpi) => cbmpi.step(game, features, go_on).is_some(),
        }
    }

    /// The controller learned so far; `None` while nothing is known.
    pub fn controller(&self, name: &str, game: &PlacementGame, features: &[Feature]) -> Option<Controller> {
        match self {
            Course::Search(training) => training.controller(name, features),
            Course::Drill(drill) => drill.controller(name, features),
            Course::Td(td) => td.controller(name, game, features),
            Course::Cbmpi(cbmpi) => cbmpi.controller(name, features),
        }
    }

    /// The names of the columns of the learning curve.
    pub fn columns(&self) -> &'static [&'static str] {
        match self {
            Course::Search(_) | Course::Drill(_) => {
                &["generation", "best", "elite", "mean", "games", "pieces", "cap"]
            }
            Course::Td(_) => &["episode", "score", "lines", "pieces", "rate", "exploration"],
            Course::Cbmpi(_) => &["iteration", "lines", "loss", "loss_before", "pieces"],
        }
    }

    /// The learning curve: one row per step.
    pub fn rows(&self) -> Vec<Vec<f64>> {
        match self {
            Course::Search(training) => training.history.iter().map(generation_row).collect(),
            Course::Drill(drill) => drill.history.iter().map(generation_row).collect(),
            Course::Td(td) => td
                .history
                .iter()
                .map(|row| {
                    vec![
                        row.episode as f64,
                        row.score,
                        row.lines as f64,
                        row.pieces as f64,
                        row.rate,
                        row.exploration,
                    ]
                })
                .collect(),
            Course::Cbmpi(cbmpi) => cbmpi
                .history
                .iter()
                .map(|row| {
                    vec![row.iteration as f64, row.lines, row.loss, row.loss_before, row.pieces as f64]
                })
                .collect(),
        }
    }

    /// Pieces placed so far: what the course has cost.
    pub fn pieces(&self) -> u64 {
        match self {
            Course::Search(training) => training.history.last().map_or(0, |last| last.pieces),
            Course::Drill(drill) => drill.history.last().map_or(0, |last| last.pieces),
            Course::Td(td) => td.history.iter().map(|episode| episode.pieces).sum(),
            Course::Cbmpi(cbmpi) => cbmpi.history.last().map_or(0, |last| last.pieces),
        }
    }
}

fn generation_row(row: &Generation) -> Vec<f64> {
    let counts = [row.games as f64, row.pieces as f64, row.cap as f64];
    [row.generation as f64, row.best, row.elite, row.mean].into_iter().chain(counts).collect()
}
