//! Features, linear controllers and their training.
//!
//! A controller is a weighted sum of features of the afterstate. It takes the placement with the largest sum:
//!
//! ```
//! use bellmino_engine::placement::{AnyColumns, Board, Grid};
//! use bellmino_engine::Game;
//! use bellmino_learn::Controller;
//!
//! let game = Game::built_in("classic", &[]).unwrap().unwrap();
//! let game = game.placement().unwrap();
//! let board = Board::parse(10, 20, "########.. / #########.")?;
//! let lee = Controller::built_in("lee4").unwrap();
//! let i = game.piece_index("I").unwrap();
//! let best = lee.choose(game, &AnyColumns::from_board(&board), i).unwrap();
//! assert_eq!((best.rotation, best.column), (1, 9));
//! # Ok::<(), bellmino_engine::placement::BoardError>(())
//! ```
//!
//! # Map
//! - [`Feature`]: a number that says something about an afterstate; [`FEATURE_SETS`]: the sets of the literature.
//! - [`Controller`]: features with weights, and what is known about them.
//! - [`Simulator`]: the greedy player at full speed on boards ten wide; [`Trial`]: games on any board.
//! - [`Caution`]: looking at what may come next, where the board is high. [`Climbing`]: how long a player lasts that hardly ever loses.
//! - [`guideline`]: controllers in guideline games. [`GameResult`]: what came of a game.
//! - [`Optimiser`]: cross-entropy, CMA-ES and SNES, which ask for values and are told them; [`Regression`]: least squares.
//! - [`TupleValue`]: a value that is a sum over windows of the board, and [`TupleTd`], which learns it.
//! - [`Td`]: temporal differences; [`Cbmpi`]: classification-based modified policy iteration.
//!
//! Whole courses of training, step by step, are in `bellmino-lab`.
//!
//! # Files
//! - `feature`: numbers about an afterstate
//! - `feature_list`: all of them in words
//! - `controller`: features with weights, and weight files
//! - `simulator`: the greedy player at full speed on boards ten wide: the tested fast twin of a match; its folder
//!   has the parts
//! - `guideline`: controllers in guideline games
//! - `caution`: looking further on high boards
//! - `climb`: the way to a loss, level by level
//! - `trial`: games that say what weights are worth
//! - `result`: what came of a game
//! - `optimiser`: cross-entropy, CMA-ES, SNES
//! - `td`: temporal differences
//! - `tuples`: values over windows of the board and their learning, its folder has the parts
//! - `cbmpi`: policy iteration
//! - `regression`: least squares
//! - `units`: a layer of units fitted by gradients
//! - `matrix`: the linear algebra these need

mod caution;
mod cbmpi;
mod climb;
mod controller;
mod feature;
mod feature_list;
pub mod guideline;
mod matrix;
mod optimiser;
mod regression;
mod result;
mod simulator;
mod td;
mod trial;
mod tuples;
mod units;

pub use caution::Caution;
pub use cbmpi::{Cbmpi, CbmpiPlan, Improvement, Iteration, StateSample};
pub use climb::{Ascent, Climber, Climbing, NoAscent, SimulatorClimber};
pub use controller::{BUILT_IN_CONTROLLERS, Controller, ControllerError};
pub use feature::{Afterstate, FEATURE_SETS, Feature, FeatureError, feature_set};
pub use feature_list::FEATURES;
pub use optimiser::{Cem, CmaEs, Noise, Optimiser, Snes};
pub use regression::Regression;
pub use result::GameResult;
pub use simulator::{Foothold, Simulator, Tally};
pub use td::{Episode, Lesson, Td, TdPlan, TdReward};
pub use trial::Trial;
pub use tuples::{
    MAX_UNITS, MAX_WINDOW, TupleError, TupleLesson, TuplePlan, TupleStep, TupleTables, TupleTd, TupleValue,
    Window, WindowError,
};
pub use units::{FittedUnits, UnitsPlan, UnitsSample};
