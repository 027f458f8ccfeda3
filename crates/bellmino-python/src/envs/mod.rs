//! Environments: many games stepped by one call into arrays that Python sees.

mod actions;
mod arrays;
mod guideline;
mod keys;
mod lanes;
mod placement;

use std::sync::Arc;

use bellmino_engine::Game as AnyGame;
use bellmino_engine::guideline::{HEIGHT, Handling, Key, Piece, Placement, VISIBLE_HEIGHT, View, WIDTH};
use bellmino_engine::placement::{Allowance, Grid, TenColumns};
use bellmino_lab::training::{Ground, Method, choose_features};
use bellmino_learn::guideline::Pilot;
use bellmino_learn::{Controller, Feature};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::{ThreadPool, ThreadPoolBuilder};

pub use actions::Actions;
use arrays::{Arrays, Widths};
use guideline::{GuidelineLane, GuidelineRules};
use keys::{KeysLane, KeysRules};
use lanes::{Lanes, Start, Stepping};
use placement::{PlacementLane, PlacementRules};

use crate::call::{guarded, refuse};
use crate::game::Game;
use crate::table::Table;
use crate::value::to_python;

/// Games side by side.
#[pyclass(module = "bellmino._native")]
pub struct Envs {
    family: Family,
    arrays: Arrays,
    games: usize,
    shape: Shape,
    features: Vec<Feature>,
    pool: Option<ThreadPool>,
}

enum Family {
    Ten(Lanes<PlacementLane<u32, 10>>),
    Any(Lanes<PlacementLane<u64, 16>>),
    Guideline(Box<Lanes<GuidelineLane>>),
    Keys(Lanes<KeysLane>),
}

/// The sizes of what is seen and done.
#[derive(Clone, Copy, Debug)]
struct Shape {
    height: usize,
    width: usize,
    pieces: usize,
    queue: usize,
    actions: usize,
}

macro_rules! each {
    ($family:expr, $lanes:ident => $do:expr) => {
        match $family {
            Family::Ten($lanes) => $do,
            Family::Any($lanes) => $do,
            Family::Guideline($lanes) => $do,
            Family::Keys($lanes) => $do,
        }
    };
}

/// The most games, and the most bytes of their arrays.
const MAX_GAMES: usize = 1 << 20;
const MAX_BYTES: usize = 8 << 30;
const MAX_PREVIEWS: usize = 64;

#[pymethods]
impl Envs {
    #[new]
    #[pyo3(signature = (
        game, games, *, keys=false, previews=None, hold=None, pieces=None, lose=false, autoreset=false, threads=1,
        features=None, afterstates=false, oracle=None, tick=17, handling=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        py: Python<'_>,
        game: &Bound<'_, Game>,
        games: usize,
        keys: bool,
        previews: Option<usize>,
        hold: Option<bool>,
        pieces: Option<u64>,
        lose: bool,
        autoreset: bool,
        threads: usize,
        features: Option<&str>,
        afterstates: bool,
        oracle: Option<&Bound<'_, Table>>,
        tick: u64,
        handling: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Envs> {
        guarded(|| {
            let game = &game.get().game;
            if !(1..=MAX_GAMES).contains(&games) {
                return Err(refuse(format!("num_envs: give a whole number from 1 to {MAX_GAMES}")));
            }
            if !(1..=1024).contains(&threads) {
                return Err(refuse("threads: give a whole number from 1 to 1024"));
            }
            if pieces == Some(0) {
                return Err(refuse("pieces: give a whole number from 1"));
            }
            let features = match features {
                Some(list) => chosen_features(game, list, afterstates)?,
                None => vec![],
            };
            let oracle = oracle.map(|table| table.get().table.clone());
            if game.placement().is_none() {
                if previews.is_some() || hold.is_some() {
                    return Err(refuse(
                        "previews and hold belong to the rules of a guideline game; override them in the game",
                    ));
                }
                if oracle.is_some() {
                    return Err(refuse("oracle: a guideline game is too big to be solved"));
                }
            }
            if keys && !features.is_empty() {
                return Err(refuse("a game of keys is seen as it is: give observation=\"dict\" or \"flat\""));
            }
            let stepping = Stepping { lose, limit: pieces, autoreset };
            let (family, shape) = match game {
                AnyGame::Placement(_) if keys => {
                    return Err(refuse(format!("`{}` is a placement game and has no keys", game.name())));
                }
                AnyGame::Placement(game) => {
                    let allowance = Allowance {
                        previews: previews.unwrap_or(game.previews()),
                        hold: hold.unwrap_or(false),
                    };
                    check_allowance(allowance, oracle.as_deref())?;
                    let mut rules = PlacementRules::new(Arc::new(game.clone()), allowance);
                    rules.features.clone_from(&features);
                    rules.afterstates = afterstates;
                    rules.oracle = oracle.clone();
                    let shape = Shape {
                        height: game.height(),
                        width: game.width(),
                        pieces: game.pieces().len(),
                        queue: 1 + allowance.previews,
                        actions: rules.count(),
                    };
                    let family = if TenColumns::fits(game) {
                        Family::Ten(Lanes::new(rules, games, stepping).map_err(refuse)?)
                    } else {
                        Family::Any(Lanes::new(rules, games, stepping).map_err(refuse)?)
                    };
                    (family, shape)
                }
                AnyGame::Guideline(game) => {
                    let rules = *game.rules();
                    let mut shape = Shape {
                        height: HEIGHT,
                        width: WIDTH,
                        pieces: Piece::ALL.len(),
                        queue: 1 + rules.previews,
                        actions: 1 << Key::ALL.len(),
                    };
                    let family = if keys {
                        if !(1..=10_000).contains(&tick) {
                            return Err(refuse("tick: give milliseconds from 1 to 10000"));
                        }
                        let rules = KeysRules { rules, handling: read_handling(handling)?, tick };
                        Family::Keys(Lanes::new(rules, games, stepping).map_err(refuse)?)
                    } else {
                        let pilot = afterstates.then(|| pilot(&features)).transpose()?;
                        let rules = GuidelineRules { rules, features: features.clone(), pilot };
                        shape.actions = rules.count();
                        Family::Guideline(Box::new(Lanes::new(rules, games, stepping).map_err(refuse)?))
                    };
                    (family, shape)
                }
            };
            let rows = if afterstates { shape.actions } else { 1 };
            let cells = shape.height * shape.width;
            let one = |wanted: bool, width: usize| if wanted { width } else { 0 };
            let widths = Widths {
                board: cells,
                active: one(keys, cells),
                queue: shape.queue,
                mask: one(!keys, shape.actions),
                features: features.len() * rows,
                values: one(oracle.is_some(), shape.actions),
                optimal: one(oracle.is_some(), 1),
                regret: one(oracle.is_some(), 1),
                piece: 1,
                hold: 1,
                reward: 1,
                terminated: 1,
                truncated: 1,
                pieces: 1,
                lines: 1,
                score: 1,
                outcome: 1,
            };
            if widths.bytes().saturating_mul(games) > MAX_BYTES {
                let bytes = widths.bytes();
                return Err(refuse(format!("num_envs: {games} games of {bytes} bytes are more than 8 GiB")));
            }
            let pool = (threads > 1).then(|| ThreadPoolBuilder::new().num_threads(threads).build());
            let pool = pool.transpose().map_err(refuse)?;
            let arrays = Arrays::new(py, games, widths);
            Ok(Envs { family, arrays, games, shape, features, pool })
        })
    }

    /// The arrays by name, game after game.
    #[getter]
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.arrays.by_name(py)
    }

    /// Rows, columns, pieces, length of the queue, actions.
    #[getter]
    fn shape(&self) -> (usize, usize, usize, usize, usize) {
        let Shape { height, width, pieces, queue, actions } = self.shape;
        (height, width, pieces, queue, actions)
    }

    /// The names of the features.
    #[getter]
    fn features(&self) -> Vec<String> {
        self.features.iter().map(ToString::to_string).collect()
    }

    /// The names of the keys, in the order of their bits.
    #[staticmethod]
    fn keys() -> Vec<&'static str> {
        Key::ALL.iter().map(|key| key.name()).collect()
    }

    /// The rows of a guideline board that a player sees.
    #[staticmethod]
    fn visible_height() -> usize {
        VISIBLE_HEIGHT
    }

    /// Begins games anew; with seeds, one for each of them.
    #[pyo3(signature = (numbers, seeds=None, board=None, hold=None, queue=None))]
    fn reset(
        &mut self,
        py: Python<'_>,
        numbers: Vec<usize>,
        seeds: Option<Vec<u64>>,
        board: Option<String>,
        hold: Option<String>,
        queue: Option<String>,
    ) -> PyResult<()> {
        guarded(|| {
            if seeds.as_ref().is_some_and(|seeds| seeds.len() != numbers.len()) {
                return Err(refuse(format!("give {} seeds, one for each environment", numbers.len())));
            }
            let given = board.is_some() || hold.is_some() || queue.is_some();
            let start = given.then(|| Start { board: board.unwrap_or_default(), hold, queue });
            let seed = |place: usize| seeds.as_ref().and_then(|seeds| seeds.get(place).copied());
            let games: Vec<_> =
                numbers.iter().enumerate().map(|(place, &number)| (number, seed(place))).collect();
            let Envs { family, arrays, .. } = self;
            let done = arrays.write(py, |out| {
                py.detach(|| each!(family, lanes => lanes.reset(&games, start.as_ref(), out)))
            })?;
            done.map_err(refuse)
        })
    }

    /// Takes one action in each game.
    fn step(&mut self, py: Python<'_>, actions: PyReadonlyArray1<'_, i64>) -> PyResult<()> {
        guarded(|| {
            let actions = actions.as_slice()?;
            if actions.len() != self.games {
                let (given, games) = (actions.len(), self.games);
                return Err(refuse(format!("{given} actions for {games} environments; give one for each")));
            }
            let Envs { family, arrays, pool, .. } = self;
            let done = arrays.write(py, |out| {
                py.detach(|| each!(family, lanes => lanes.step(actions, out, pool.as_ref())))
            })?;
            done.map_err(refuse)
        })
    }

    /// What an action is in one of the games; `None` if there is no such action.
    fn describe(&self, py: Python<'_>, number: usize, action: i64) -> PyResult<Py<PyAny>> {
        guarded(|| {
            let value = each!(&self.family, lanes => {
                lanes.lane(number).map(|lane| lane_describe(lane, &lanes.rules, action))
            });
            let value = value.ok_or_else(|| refuse(format!("there is no environment {number}")))?;
            value.map_or(Ok(py.None()), |value| to_python(py, &value))
        })
    }

    /// The number of the piece that was placed last in a game, and its cells as column and row; `None` if there is none.
    fn placed(&self, number: usize) -> PyResult<Option<(usize, Vec<[usize; 2]>)>> {
        let placed = each!(&self.family, lanes => {
            lanes.lane(number).map(|lane| lane_placed(lane, &lanes.rules))
        });
        placed.ok_or_else(|| refuse(format!("there is no environment {number}")))
    }

    /// The seed of a game, and which game of the seed it is.
    fn origin(&self, number: usize) -> PyResult<(u64, u64)> {
        let origin = each!(&self.family, lanes => lanes.origin(number));
        origin.ok_or_else(|| refuse(format!("there is no environment {number}")))
    }
}

impl Envs {
    /// What the player of a guideline game sees.
    pub fn view(&self, number: usize) -> PyResult<View> {
        let Family::Guideline(lanes) = &self.family else {
            return Err(refuse("the bot plays guideline games by placements: Sprint or Blitz"));
        };
        let lane = lanes.lane(number).ok_or_else(|| refuse(format!("there is no environment {number}")))?;
        Ok(lane.view())
    }

    /// The action of a placement in a guideline game.
    pub fn action_of(&self, number: usize, placement: &Placement) -> Option<i64> {
        let Family::Guideline(lanes) = &self.family else { return None };
        lanes.lane(number).and_then(|lane| lane.action_of(placement))
    }
}

fn lane_describe<L: lanes::Lane>(lane: &L, rules: &L::Rules, action: i64) -> Option<serde_json::Value> {
    lane.describe(rules, action)
}

fn lane_placed<L: lanes::Lane>(lane: &L, rules: &L::Rules) -> Option<(usize, Vec<[usize; 2]>)> {
    lane.placed(rules)
}

fn check_allowance(allowance: Allowance, oracle: Option<&bellmino_exact::Table>) -> PyResult<()> {
    if allowance.previews > MAX_PREVIEWS {
        return Err(refuse(format!("previews: give a whole number from 0 to {MAX_PREVIEWS}")));
    }
    let Some(table) = oracle else { return Ok(()) };
    if allowance.hold != table.settings().hold {
        let told = |hold: bool| if hold { "with hold" } else { "without hold" };
        let (known, wanted) = (told(table.settings().hold), told(allowance.hold));
        return Err(refuse(format!("oracle: solved {known}, and the environment is {wanted}")));
    }
    if table.queue() != allowance.previews {
        let (known, wanted) = (table.queue(), allowance.previews);
        return Err(refuse(format!("oracle: solved for {known} previews, and the environment has {wanted}")));
    }
    match table.finished().value {
        Some(_) => Ok(()),
        None => Err(refuse(
            "oracle: the total is infinite, no placement is worth more than another; ask for average, survive or \
             discounted:L",
        )),
    }
}

fn chosen_features(game: &AnyGame, list: &str, afterstates: bool) -> PyResult<Vec<Feature>> {
    let ground = Ground::new(game, Method::Cem, game.placement().map(|_| 0)).map_err(refuse)?;
    let features = choose_features(list, &ground, "features").map_err(refuse)?;
    match features.iter().find(|feature| feature.is_of_placement()) {
        Some(feature) if !afterstates => Err(refuse(format!(
            "features: `{feature}` looks at a placement, not only at the board; give observation=\"afterstates\" or \
             other features"
        ))),
        _ => Ok(features),
    }
}

fn pilot(features: &[Feature]) -> PyResult<Pilot> {
    let controller = Controller::new("features", features, &vec![1.0; features.len()]).map_err(refuse)?;
    Pilot::new(controller).map_err(refuse)
}

/// The defaults, with what the dict changes.
fn read_handling(given: Option<&Bound<'_, PyDict>>) -> PyResult<Handling> {
    let mut handling = Handling::DEFAULT;
    let Some(given) = given else { return Ok(handling) };
    for (key, value) in given {
        let key: String = key.extract()?;
        if key == "initial" {
            handling.initial = value.extract()?;
            continue;
        }
        let entry = match key.as_str() {
            "das" => &mut handling.das,
            "arr" => &mut handling.arr,
            "soft_drop_first" => &mut handling.soft_drop_first,
            "soft_drop" => &mut handling.soft_drop,
            "das_cut" => &mut handling.das_cut,
            _ => {
                let known = ["das", "arr", "soft_drop_first", "soft_drop", "das_cut", "initial"];
                let hint = bellmino_engine::suggestion(&key, known);
                return Err(refuse(format!("handling: there is no `{key}`; {hint}")));
            }
        };
        *entry = value.extract::<u32>()?;
        if *entry > 60_000 {
            return Err(refuse(format!("handling: {key}: give milliseconds from 0 to 60000")));
        }
    }
    Ok(handling)
}
