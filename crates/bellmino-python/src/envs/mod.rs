//! Environments: many games stepped by one call into arrays that Python sees. The games are those of `bellmino-envs`; here
//! are arrays, words and errors.
//!
//! # Files
//! - `arrays`: the arrays of `bellmino-envs` as Python sees them

mod arrays;

use bellmino_engine::guideline::{Handling, Key, Placement, VISIBLE_HEIGHT, View};
use bellmino_engine::{Game as AnyGame, PlacementGame};
use bellmino_envs::{Beginning, Decoded, Env, EnvError, EnvOptions, KeyOptions, MAX_LANES, Sizes};
use bellmino_lab::training::{Method, TrainingGround, choose_features};
use bellmino_learn::Feature;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde_json::{Value, json};

use arrays::Arrays;

use crate::call::{guarded, refuse};
use crate::game::Game;
use crate::table::Table;
use crate::value::to_python;

/// Games side by side.
#[pyclass(module = "bellmino._native")]
pub struct Envs {
    env: Env,
    arrays: Arrays,
    features: Vec<Feature>,
    /// The names of the pieces of a placement game.
    pieces: Vec<String>,
    pool: Option<ThreadPool>,
}

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
            if !(1..=1024).contains(&threads) {
                return Err(refuse("threads: give a whole number from 1 to 1024"));
            }
            let features = match features {
                Some(_) if keys => return Err(raise(&EnvError::OfKeys)),
                Some(list) => chosen_features(game, list)?,
                None => vec![],
            };
            let keys = keys.then(|| read_handling(handling).map(|handling| KeyOptions { tick, handling }));
            let options = EnvOptions {
                lanes: games,
                keys: keys.transpose()?,
                previews,
                hold,
                limit: pieces,
                lose,
                autoreset,
                features: features.clone(),
                afterstates,
                oracle: oracle.map(|table| table.get().table.clone()),
            };
            let env = Env::new(game, &options).map_err(|error| raise(&error))?;
            let pool = (threads > 1).then(|| ThreadPoolBuilder::new().num_threads(threads).build());
            let pool = pool.transpose().map_err(refuse)?;
            let arrays = Arrays::new(py, games, env.widths());
            let pieces = game.placement().into_iter().flat_map(PlacementGame::pieces);
            let pieces = pieces.map(|piece| piece.name().to_owned()).collect();
            Ok(Envs { env, arrays, features, pieces, pool })
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
        let Sizes { height, width, pieces, queue, actions } = self.env.sizes();
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
            let beginning = given.then(|| Beginning { board: board.unwrap_or_default(), hold, queue });
            let seed = |place: usize| seeds.as_ref().and_then(|seeds| seeds.get(place).copied());
            let lanes: Vec<_> =
                numbers.iter().enumerate().map(|(place, &number)| (number, seed(place))).collect();
            let Envs { env, arrays, .. } = self;
            let done = arrays.write(py, |out| py.detach(|| env.reset(&lanes, beginning.as_ref(), out)))?;
            done.map_err(|error| raise(&error))
        })
    }

    /// Takes one action in each game.
    fn step(&mut self, py: Python<'_>, actions: PyReadonlyArray1<'_, i64>) -> PyResult<()> {
        guarded(|| {
            let actions = actions.as_slice()?;
            let Envs { env, arrays, pool, .. } = self;
            let done = arrays.write(py, |out| {
                py.detach(|| match pool {
                    Some(pool) => pool.install(|| env.step_shared(actions, out)),
                    None => env.step(actions, out),
                })
            })?;
            done.map_err(|error| match error {
                // One game needs no number.
                EnvError::Illegal { action, .. } if self.env.lanes() == 1 => illegal(action, ""),
                error => raise(&error),
            })
        })
    }

    /// What an action is in one of the games; `None` if there is no such action.
    fn describe(&self, py: Python<'_>, number: usize, action: i64) -> PyResult<Py<PyAny>> {
        guarded(|| {
            let decoded = self.env.decode(number, action).map_err(|error| raise(&error))?;
            decoded.map_or(Ok(py.None()), |decoded| to_python(py, &self.told(&decoded)))
        })
    }

    /// The number of the piece that was placed last in a game, and its cells as column and row; `None` if there is none.
    fn placed(&self, number: usize) -> PyResult<Option<(usize, Vec<[usize; 2]>)>> {
        self.env.placed(number).map_err(|error| raise(&error))
    }

    /// The seed of a game, and which game of the seed it is.
    fn origin(&self, number: usize) -> PyResult<(u64, u64)> {
        self.env.origin(number).map_err(|error| raise(&error))
    }
}

impl Envs {
    /// What the player of a guideline game sees.
    pub fn view(&self, number: usize) -> PyResult<View> {
        let view = self.env.view(number).map_err(|error| raise(&error))?;
        view.ok_or_else(|| refuse("the bot plays guideline games by placements: Sprint or Blitz"))
    }

    /// The action of a placement in a guideline game.
    pub fn action_of(&self, number: usize, placement: &Placement) -> Option<i64> {
        let action = Decoded::Guideline { placement: Some(*placement), held: false };
        self.env.encode(number, &action).ok().flatten()
    }

    /// An action as a dict.
    fn told(&self, action: &Decoded) -> Value {
        let name = |piece: &Option<u8>| piece.and_then(|piece| self.pieces.get(piece as usize));
        match action {
            Decoded::Placement { piece, rotation, column, row, held, legal } => json!({
                "piece": name(piece), "rotation": rotation, "column": column, "row": row, "held": held, "legal": legal,
            }),
            Decoded::PutAside { piece, legal } => {
                json!({ "piece": name(piece), "put_aside": true, "legal": legal })
            }
            Decoded::Guideline { placement: Some(at), held } => {
                let low = |part: fn(&(i8, i8)) -> i8| at.cells().iter().map(part).min();
                json!({
                    "piece": at.piece, "orientation": at.orientation, "x": at.x, "y": at.y, "spin": at.spin,
                    "held": held, "column": low(|cell| cell.0), "row": low(|cell| cell.1), "legal": true,
                })
            }
            Decoded::Guideline { placement: None, held } => json!({ "held": held, "legal": false }),
            Decoded::Keys(down) => {
                json!({ "keys": down.iter().map(|key| key.name()).collect::<Vec<_>>(), "legal": true })
            }
        }
    }
}

/// An error in the words of Gymnasium.
fn raise(error: &EnvError) -> PyErr {
    match error {
        EnvError::Lanes(_) => refuse(format!("num_envs: give a whole number from 1 to {MAX_LANES}")),
        EnvError::TooBig { lanes, bytes } => {
            refuse(format!("num_envs: {lanes} games of {bytes} bytes are more than 8 GiB"))
        }
        EnvError::Limit => refuse("pieces: give a whole number from 1"),
        EnvError::OfKeys => refuse("a game of keys is seen as it is: give observation=\"dict\" or \"flat\""),
        EnvError::OfPlacement(feature) => refuse(format!(
            "features: `{feature}` looks at a placement, not only at the board; give observation=\"afterstates\" or \
             other features"
        )),
        EnvError::NoLane(number) => refuse(format!("there is no environment {number}")),
        EnvError::Actions { given, lanes } => {
            refuse(format!("{given} actions for {lanes} environments; give one for each"))
        }
        EnvError::Illegal { lane, action } => illegal(*action, &format!(" in environment {lane}")),
        EnvError::Over(_) => refuse("the game is over; call reset()"),
        error => refuse(error),
    }
}

fn illegal(action: i64, place: &str) -> PyErr {
    refuse(format!(
        "action {action} is not legal{place}; the action mask has the legal ones, and illegal=\"lose\" ends the game \
         instead"
    ))
}

fn chosen_features(game: &AnyGame, list: &str) -> PyResult<Vec<Feature>> {
    let ground = TrainingGround::new(game, Method::Cem, game.placement().map(|_| 0)).map_err(refuse)?;
    choose_features(list, &ground, "features").map_err(refuse)
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
    }
    Ok(handling)
}
