//! Placement games: the player says where each piece comes to rest.
//!
//! - [`Board`], [`Piece`], [`Placement`], [`Landing`]: the nouns of a placement game.
//! - [`Grid`]: how boards are stored for play: [`AnyColumns`], [`TenColumns`], [`PackedBoard`].
//! - [`Match`]: a game in progress; [`Record`]: one written down.
//! - [`Dealer`]: finite automata that choose pieces. [`ScoreTable`]: points for rows.
//! - [`perft`](fn@perft): counts games move by move; [`reference`](mod@reference): the slow oracle all of it is tested with.

mod board;
mod columns;
mod dealer;
mod landing;
mod r#match;
mod packed;
mod perft;
mod piece;
mod record;
pub mod reference;
mod score;

pub use board::{Board, BoardError, MAX_HEIGHT, MAX_WIDTH};
pub use columns::{AnyColumns, Column, Columns, TenColumns};
pub use dealer::{Deal, Dealer, DealerKind, DealerState, MAX_DEALER_STATES, WrittenDealer};
pub use landing::{Grid, Landed, Landing, Overflow, Path, Placement};
pub use r#match::{Allowance, Clear, DealAnswer, Deals, Dealt, DealtBy, Match, PlayError, Stats, Undealt};
pub use packed::PackedBoard;
pub(crate) use packed::PackedShapes;
pub use perft::perft;
pub use piece::{CATALOGUE, MAX_CELLS, Piece, PieceError, Shape};
pub(crate) use record::MAX_PREVIEWS;
pub use record::{Action, Record, RecordSummary};
pub use score::ScoreTable;
