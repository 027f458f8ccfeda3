//! Features, linear controllers and their training.
//!
//! A controller is a weighted sum of features of the afterstate. It takes the placement with the largest sum:
//!
//! ```
//! use bellmino_engine::{AnyColumns, Board, Game, Grid};
//! use bellmino_learn::Controller;
//!
//! let game = Game::built_in("classic", &[]).unwrap().unwrap();
//! let game = game.placement().unwrap();
//! let board = Board::parse(10, 20, "########.. / #########.")?;
//! let lee = Controller::built_in("lee4").unwrap();
//! let i = game.piece_index("I").unwrap();
//! let best = lee.choose(game, &AnyColumns::from_board(&board), i).unwrap();
//! assert_eq!((best.rotation, best.column), (1, 9));
//! # Ok::<(), bellmino_engine::BoardError>(())
//! ```
//!
//! # Map
//! - [`Feature`]: a number that says something about an afterstate; [`FEATURE_SETS`]: the sets of the literature.
//! - [`Controller`]: features with weights, and what is known about them.
//! - [`Simulator`]: the greedy player at full speed on boards ten wide.

mod controller;
mod feature;
mod simulator;

pub use controller::{BUILT_IN_CONTROLLERS, Controller, ControllerError};
pub use feature::{Afterstate, FEATURE_SETS, Feature, FeatureError, feature_set};
pub use simulator::{Simulator, Tally};
