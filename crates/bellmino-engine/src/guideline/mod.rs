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
pub use finesse::{Fault, fault};
pub use frame::Frame;
pub use fumen::{Fumen, FumenError, Page};
pub use ground::Ground;
pub use handling::{Event, Handling, Key};
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
pub use timed::{Aftermath, Lock, Moment, Timed};
pub use view::View;
