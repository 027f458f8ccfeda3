//! Players, the arena they meet in, and the statistics of their games.
//!
//! Two players on the same 200 games:
//!
//! ```
//! use bellmino_engine::Game;
//! use bellmino_lab::{Player, Settings, evaluate};
//!
//! let game = Game::built_in("baby", &[]).unwrap()?;
//! let game = game.placement().unwrap();
//! let players = [Player::parse("random", game)?, Player::parse("fewest-holes", game)?];
//! let settings = Settings { games: 200, seed: 1, ..Settings::default() };
//! let report = evaluate(game, &players, &settings, &|_| true);
//! assert!(report.players[1].score.mean > report.players[0].score.mean);
//! assert!(report.differences[0].score.ci95[0] > 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Map
//! - [`Player`]: chooses placements; by name, as on the command line.
//! - [`evaluate`]: many games in parallel, the same answer on any number of threads.
//! - [`Playthrough`]: one game, move by move. [`statistics`]: summaries and intervals.
//! - [`guideline`]: the same for guideline games; [`tbp`]: the Tetris Bot Protocol;
//!   [`thinker`]: thinking while the other side is at it.
//! - [`files`]: files that are whole or not there.
//! - [`Tuning`]: trains the look-ahead bot's evaluation.
//! - [`load`]: games and texts from outside.
//! - [`bench`](mod@bench): the project's own benchmarks, each with the answer it must give.

mod arena;
pub mod bench;
mod deck;
pub mod files;
pub mod guideline;
pub mod load;
mod player;
mod playthrough;
pub mod statistics;
mod tables;
pub mod tbp;
pub mod thinker;
mod tuning;

pub use arena::{Difference, GuidelineReport, PlayerReport, Report, Settings, evaluate};
pub use deck::Opponent;
pub use player::{Player, PlayerError};
pub use playthrough::{Move, Playthrough};
pub use tables::{LoadTableError, load_table, map_table};
pub use tuning::{Tuning, TuningGeneration, TuningMethod, TuningPlan};
