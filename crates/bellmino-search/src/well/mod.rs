//! Games against dealers that mean ill, on wells as bits: a beam search, values that it learns, and what can be known exactly.
//!
//! # Files
//! - `position`: a well as bits
//! - `moves`: all wells that can follow
//! - `deal`: who deals
//! - `judge`: what a well is thought to be worth
//! - `tables`: by tables over windows
//! - `hunt`: the beam search
//! - `past`: how its wells came about
//! - `checkpoint`: a search as bytes
//! - `workers`: threads that work on one layer
//! - `lessons`: what the wells of a search were worth

mod checkpoint;
mod deal;
mod hunt;
mod judge;
mod lessons;
mod moves;
mod past;
mod position;
mod tables;
mod workers;

pub use checkpoint::CheckpointError;
pub use deal::WellDealer;
pub use hunt::{BestGame, Found, Hunt};
pub use judge::{JudgeError, WellJudge};
pub use lessons::Lessons;
pub use moves::{WellError, WellMoves, WellScratch};
pub use position::{Follower, WELL_COLUMNS, WELL_ROWS, WellBits};
pub use tables::{WellParts, WellTables};
