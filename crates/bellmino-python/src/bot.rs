//! The look-ahead bot, or another player of guideline games, at an environment.

use std::sync::Mutex;

use bellmino_engine::guideline::Rules;
use bellmino_engine::{Generator, Purpose, stream};
use bellmino_host::Files;
use bellmino_lab::{BOT_NODES, Mind, Player};
use bellmino_search::Budget;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use serde_json::json;

use crate::call::{guarded, refuse};
use crate::envs::Envs;
use crate::game::Game;
use crate::value::to_python;

/// A player of guideline games.
#[pyclass(frozen, module = "bellmino._native")]
pub struct Bot {
    player: Player,
    rules: Rules,
    at_work: Mutex<(Box<dyn Mind>, Generator)>,
}

#[pymethods]
impl Bot {
    #[new]
    #[pyo3(signature = (game, player="bot", nodes=None, think_ms=None, threads=1, seed=0))]
    fn new(
        game: &Bound<'_, Game>,
        player: &str,
        nodes: Option<u64>,
        think_ms: Option<u64>,
        threads: usize,
        seed: u64,
    ) -> PyResult<Bot> {
        guarded(|| {
            let game = &game.get().game;
            let rules = game.guideline().map(|game| *game.rules());
            let rules = rules.ok_or_else(|| {
                refuse(format!("`{}` is a placement game; the bot plays guideline games", game.name()))
            })?;
            let budget = match (nodes, think_ms) {
                (Some(_), Some(_)) => return Err(refuse("give nodes or think_ms, not both")),
                (Some(nodes @ 1..=1_000_000_000), None) => Budget::nodes(nodes),
                (None, Some(millis @ 1..=600_000)) => Budget::millis(millis),
                (None, None) => Budget::nodes(BOT_NODES),
                (Some(_), None) => return Err(refuse("nodes: give a number from 1 to 1000000000")),
                (None, Some(_)) => return Err(refuse("think_ms: give a number from 1 to 600000")),
            };
            if !(1..=1024).contains(&threads) {
                return Err(refuse("threads: give a whole number from 1 to 1024"));
            }
            let player = Player::load_guideline(player, Some(budget.on(threads)), &Files).map_err(refuse)?;
            let mind = player.mind(&rules).map_err(refuse)?;
            let at_work = Mutex::new((mind, stream(seed, Purpose::Player, 0)));
            Ok(Bot { player, rules, at_work })
        })
    }

    /// Forgets everything, as before the first move of game `index` of a seed.
    #[pyo3(signature = (seed=0, index=0))]
    fn reset(&self, seed: u64, index: u64) -> PyResult<()> {
        let mind = self.player.mind(&self.rules).map_err(refuse)?;
        *self.at_work()? = (mind, stream(seed, Purpose::Player, index));
        Ok(())
    }

    /// What it thinks of one of the games: its candidates, the best first, each with its action.
    fn think(
        &self,
        py: Python<'_>,
        envs: &Bound<'_, Envs>,
        number: usize,
        top: usize,
    ) -> PyResult<Py<PyAny>> {
        guarded(|| {
            let view = envs.try_borrow()?.view(number)?;
            let thought = py.detach(|| {
                let mut at_work = self.at_work()?;
                let (mind, chance) = &mut *at_work;
                PyResult::Ok(mind.think(&view, chance))
            })?;
            let envs = envs.try_borrow()?;
            let mut value = bellmino::thought_json(&thought, top);
            let candidates = value.get_mut("candidates").and_then(|list| list.as_array_mut());
            for (candidate, known) in candidates.into_iter().flatten().zip(&thought.candidates) {
                candidate["action"] = json!(envs.action_of(number, &known.placement));
            }
            to_python(py, &value)
        })
    }
}

impl Bot {
    fn at_work(&self) -> PyResult<std::sync::MutexGuard<'_, (Box<dyn Mind>, Generator)>> {
        self.at_work.lock().map_err(|_| PyRuntimeError::new_err("the bot failed before; make a new one"))
    }
}
