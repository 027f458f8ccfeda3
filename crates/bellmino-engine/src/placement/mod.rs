//! Placement games: the player says where each piece comes to rest.
//!
//! - [`Board`], [`Piece`], [`Placement`], [`Landing`]: the nouns of a placement game.
//! - [`Grid`]: how boards are stored for play: [`AnyColumns`], [`TenColumns`], [`PackedBoard`].
//! - [`Match`]: a game in progress; [`Record`]: one written down.
//! - [`Dealer`]: finite automata that choose pieces; [`BoardDealer`]: dealers that see the board. [`ScoreTable`]: points for rows.
//! - [`KeyMoves`]: pieces that enter, move and turn by keys; [`ReplayText`]: the keys of a game as text.
//! - [`perft`](fn@perft): counts games move by move; [`reference`](mod@reference): the slow oracle all of it is tested with.
//!
//! # Files
//! - `match`: a game in progress
//! - `record`: one written down
//! - `landing`: the nouns of a placement and `Grid`, the one interface of all boards
//! - `board`: the general board, for reading and drawing
//! - `columns`: boards by columns, of every size (`AnyColumns`) and ten wide (`TenColumns`), one generic code
//! - `packed`: boards of up to 64 cells in one word, the keys of state spaces
//! - `piece`: polyominoes
//! - `dealer`: finite automata
//! - `board_dealer`: dealers that see the board
//! - `rotation`: how pieces enter and turn where keys move them, as data
//! - `keys`: where keys lead them, as sets of bits
//! - `replay_text`: the keys of a game as text
//! - `score`: points
//! - `perft`: counting every way a game can go
//! - `reference`: the slow oracle

mod board;
mod board_dealer;
mod columns;
mod dealer;
mod keys;
mod landing;
mod r#match;
mod packed;
mod perft;
mod piece;
mod record;
pub mod reference;
mod replay_text;
mod rotation;
mod score;

pub use board::{Board, BoardError, MAX_HEIGHT, MAX_WIDTH};
pub use board_dealer::{BoardDealer, SeenBoards};
pub use columns::{AnyColumns, Column, Columns, TenColumns};
pub use dealer::{Deal, Dealer, DealerKind, DealerState, MAX_DEALER_STATES, WrittenDealer};
pub use keys::{Falling, KeyMoves, LEVELS, MAX_KEY_WIDTH, PIECES_ABREAST, Rests, Stroke, Turned};
pub use landing::{Grid, Landed, Landing, Overflow, Path, Placement};
pub use r#match::{Allowance, Clear, DealAnswer, Deals, Dealt, DealtBy, Match, PlayError, Stats, Undealt};
pub use packed::PackedBoard;
pub(crate) use packed::PackedShapes;
pub use perft::perft;
pub use piece::{CATALOGUE, MAX_CELLS, Piece, PieceError, Shape};
pub(crate) use record::MAX_PREVIEWS;
pub use record::{Action, Record, RecordSummary};
pub use replay_text::{ReplayText, ReplayTextError};
pub use rotation::RotationSystem;
pub use score::ScoreTable;
