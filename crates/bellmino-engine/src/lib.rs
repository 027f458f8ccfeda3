//! The rules of every stacking game: boards, pieces, placements, dealers and scores.
//!
//! Load a game, list the placements of a piece and make one:
//!
//! ```
//! use bellmino_engine::{Board, Game};
//!
//! let game = Game::built_in("baby", &[]).unwrap()?;
//! let game = game.placement().unwrap();
//! let board = Board::parse(4, 4, ".... / ###.")?;
//! let corner = game.piece_index("L3").unwrap();
//! let best = board.placements(game, corner).into_iter().max_by_key(|placement| {
//!     board.place(game, *placement).map(|outcome| outcome.lines())
//! });
//! assert_eq!(board.place(game, best.unwrap()).unwrap().lines(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Deal pieces from a seed:
//!
//! ```
//! use bellmino_engine::{Game, Purpose, stream};
//!
//! let game = Game::built_in("classic", &[]).unwrap().unwrap();
//! let dealer = game.placement().unwrap().dealer();
//! let mut generator = stream(1, Purpose::Dealer, 0);
//! let deal = dealer.deal(dealer.start(), &mut generator);
//! assert!(deal.piece < 7);
//! ```
//!
//! # Map
//! - [`Game`], [`PlacementGame`] and [`GuidelineGame`]: a game as validated data, from a TOML text.
//! - [`guideline`]: the rules of the modern guideline game.
//! - [`Board`], [`Piece`], [`Placement`], [`Landing`]: the nouns of a placement game.
//! - [`Grid`]: how boards are stored for play: [`AnyColumns`], [`TenColumns`], [`PackedBoard`].
//! - [`Dealer`]: finite automata that choose pieces. [`ScoreTable`]: points for rows.
//! - [`perft`](fn@perft): counts games move by move; [`reference`](mod@reference): the slow oracle all of it is tested with.
//!
//! The crate does no IO, reads no clock, starts no thread and owns no global random state.

mod board;
mod columns;
mod dealer;
mod game;
pub mod guideline;
mod landing;
mod packed;
mod perft;
mod piece;
pub mod reference;
mod rng;
mod score;

pub use board::{Board, BoardError, MAX_HEIGHT, MAX_WIDTH};
pub use columns::{AnyColumns, Column, Columns, TenColumns};
pub use dealer::{Deal, Dealer, DealerKind, DealerState, MAX_DEALER_STATES};
pub use game::{
    BUILT_IN, Game, GameError, GuidelineGame, MAX_PIECES, Override, OverrideError, PlacementGame, Problem,
    suggestion,
};
pub use landing::{Grid, Landing, Outcome, Overflow, Path, Placement};
pub use packed::PackedBoard;
pub use perft::perft;
pub use piece::{CATALOGUE, MAX_CELLS, Piece, PieceError, Shape};
pub use rng::{Generator, Purpose, Rng, below, stream, unit};
pub use score::ScoreTable;
