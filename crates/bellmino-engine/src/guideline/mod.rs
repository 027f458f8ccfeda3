//! The modern guideline game: seven pieces in bags, hold, previews, the super rotation system,
//! T-spins, back-to-back, combos and perfect clears on a board of ten columns and forty rows.
//!
//! ```
//! use bellmino_engine::guideline::{moves, Board, Kicks, Piece, Spin};
//! let board: Board = "
//!     ........##
//!     XXXXXX...#
//!     XXXXXXX.##
//! ".parse().unwrap();
//! let double = moves::placements(&board, Piece::T, Kicks::Srs).into_iter().any(|placement| {
//!     let mut after = board;
//!     placement.spin == Spin::Full && after.place(&placement).unwrap().lines == 2
//! });
//! assert!(double, "a T-spin double");
//! ```
//!
//! # Files
//! - `match`: a game in progress
//! - `record`: one written down
//! - `view`: what a player sees of a match, and how play goes on from there
//! - `position`: what the rules need to play on
//! - `board`, `piece`, `bag`, `placement`, `kicks`, `score` and `rules`: the nouns of its rules
//! - `moves`: the move generator, on all places of an orientation as one set of bits
//! - `plane`: such a set
//! - `low`: boards of a few rows in one word
//! - `ground`: a board that many pieces are tried on
//! - `reference`: its slow oracle
//! - `perft`: counting
//! - `keys`: the shortest keys to a placement
//! - `finesse`: whether they were used
//! - `handling`: keys and how they repeat
//! - `timed`: timed play without a clock, on the same `Match`
//! - `frame`: its picture
//! - `colours`: boards as people see them
//! - `fumen`: diagrams as text

mod bag;
mod board;
mod colours;
mod finesse;
mod frame;
mod fumen;
mod ground;
mod handling;
mod keys;
mod kicks;
mod low;
mod r#match;
pub mod moves;
mod perft;
mod piece;
mod placement;
mod plane;
mod position;
mod record;
pub mod reference;
mod rules;
mod score;
mod timed;
mod view;

pub use bag::Bag;
pub use board::{Board, BoardError, Cleared, Column, HEIGHT, VISIBLE_HEIGHT, WIDTH};
pub use colours::{Cell, ColourBoard};
pub use finesse::{FinesseFault, fault};
pub use frame::Frame;
pub use fumen::{Fumen, FumenDiagram, FumenError};
pub use ground::Ground;
pub use handling::{Handling, Key, KeyEvent};
pub use keys::{Input, Keys, dropped, fewest_keys};
pub use kicks::Kicks;
pub use low::LowBoard;
pub use r#match::{Match, Stats};
pub use perft::perft;
pub use piece::{Orientation, Piece, Turn};
pub use placement::{Placement, Spin};
pub use position::{PlayError, Played, Position};
pub use record::{Play, Record, RecordSummary, Start};
pub use rules::{Goal, Rules, Timing};
pub use score::{Clear, ClearKind, ScoreTable};
pub use timed::{AfterLock, Aftermath, Moment, Timed};
pub use view::View;
