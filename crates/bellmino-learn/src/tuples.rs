//! Tuple values: tables over windows of the board, learned from nothing.
//!
//! A window is a rectangle of cells at one place of the board; its cells, as bits, say which number of its table counts. The
//! value of an afterstate is the sum over all windows. No feature is made by hand.
//!
//! Instead of windows a value may have a layer of units over the outline of the board: see [`TuplePlan::units`].
//!
//! ```
//! use bellmino_engine::Game;
//! use bellmino_learn::{TuplePlan, TupleTd, Window};
//!
//! let game = Game::built_in("small", &[]).unwrap().unwrap().placement().unwrap().clone();
//! let plan = TuplePlan { windows: vec!["3x4".parse()?], steps: 4, moves: 5_000, ..TuplePlan::default() };
//! let mut td = TupleTd::new(plan);
//! while !td.is_done() {
//!     let number = td.history.len() as u64;
//!     td.take(td.plan.step(&game, &td.tables, number, &|| true).unwrap());
//! }
//! assert!(td.history[3].score > 1.5 * td.history[0].score);
//! # Ok::<(), bellmino_learn::WindowError>(())
//! ```

mod file;
mod layer;
mod layer_learning;
mod learning;
mod outline;
mod value;
mod window;

pub use file::TupleError;
pub use layer::MAX_UNITS;
pub use learning::{TupleLesson, TuplePlan, TupleStep, TupleTables, TupleTd};
pub use value::TupleValue;
pub use window::{MAX_WINDOW, Window, WindowError};
