//! The rules of every stacking game: boards, pieces, placements, dealers and scores.
//!
//! Load a game, list the placements of a piece and make one:
//!
//! ```
//! use bellmino_engine::placement::Board;
//! use bellmino_engine::Game;
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
//! - [`placement`]: the rules of games in which the player says where each piece comes to rest.
//! - [`guideline`]: the rules of the modern guideline game.
//! - [`AnyMatch`]: what a game in progress is in both, `Match`; [`AnyRecord`]: one written down.
//! - [`stream`]: seeded chance.
//!
//! The crate does no IO, reads no clock, starts no thread and owns no global random state.
//!
//! # Files
//! - `any_match`: what matches of both families have in common (`AnyMatch`)
//! - `record`: records of either family (`AnyRecord`)
//! - `outcome`: how a match ends
//! - `rng`: seeded streams of chance
//! - `game`: games as data, of both families
//! - `placement` and `guideline`: the rules of the two families

mod any_match;
mod game;
pub mod guideline;
mod outcome;
pub mod placement;
mod record;
mod rng;

pub use any_match::{AnyMatch, Totals};
pub use game::{
    BUILT_IN, Game, GameError, GuidelineGame, MAX_PIECES, NAMED_DEALERS, Override, OverrideError,
    PlacementGame, Problem, nearest, suggestion,
};
pub use outcome::Outcome;
pub use record::{AnyRecord, RecordError};
pub use rng::{Generator, Purpose, Rng, below, stream, unit};
