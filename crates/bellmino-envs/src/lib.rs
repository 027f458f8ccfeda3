//! Environments for learners: many games side by side, stepped by one call, with masks, observations, rewards and, on small
//! games, exact values.
//!
//! Four games at once, each taking its first legal action; a game that is over begins anew:
//!
//! ```
//! use bellmino_engine::Game;
//! use bellmino_envs::{Env, EnvOptions};
//!
//! let game = Game::built_in("classic", &[]).unwrap()?;
//! let mut env = Env::new(&game, &EnvOptions { lanes: 4, autoreset: true, ..EnvOptions::default() })?;
//! let mut seen = env.buffers();
//! env.reset_all(7, seen.slices())?;
//! for _ in 0..100 {
//!     let first = |lane| seen.mask(lane).iter().position(|legal| *legal == 1).unwrap_or(0) as i64;
//!     let actions: Vec<i64> = (0..4).map(first).collect();
//!     env.step(&actions, seen.slices())?;
//! }
//! assert_eq!(seen.board(0).len(), 20 * 10);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A small game with its optimum beside it: the best action gives nothing away.
//!
//! ```
//! use std::sync::Arc;
//!
//! use bellmino_engine::Game;
//! use bellmino_envs::{Decoded, Env, EnvOptions};
//! use bellmino_exact::{Objective, Silent, SolveSettings, solve};
//!
//! let game = Game::built_in("baby", &[]).unwrap()?;
//! let settings = SolveSettings::new(Objective::Discounted(0.9));
//! let solved = solve(game.placement().unwrap(), &settings, &Silent)?;
//! let oracle = Some(Arc::new(solved.table));
//! let mut env = Env::new(&game, &EnvOptions { oracle, ..EnvOptions::default() })?;
//! let mut seen = env.buffers();
//! env.reset_all(7, seen.slices())?;
//! let values = seen.values(0).iter().enumerate();
//! let (best, _) = values.filter(|(_, value)| !value.is_nan()).max_by(|a, b| a.1.total_cmp(b.1)).unwrap();
//! let told = env.decode(0, best as i64)?.unwrap();
//! assert!(matches!(told, Decoded::Placement { legal: true, .. }));
//! assert_eq!(env.encode(0, &told)?, Some(best as i64));
//! env.step(&[best as i64], seen.slices())?;
//! assert_eq!(seen.regret(0), [0.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Map
//! - [`Env`]: the environment, of any game, by [`EnvOptions`]; [`Sizes`] what it shows and takes; [`EnvError`] why not.
//! - [`Actions`]: placements as numbers; [`Decoded`]: what a number means.
//! - [`Slices`]: the arrays that games write into, wherever they are; [`Buffers`]: arrays of one's own; [`each_array`]: the
//!   list of them.
//! - [`Beginning`]: a game from another board.
//!
//! Lane `i` plays exactly the [`Match`](bellmino_engine::AnyMatch) of its seed: the same pieces, points and end. The crate
//! opens no file, reads no clock, starts no thread and owns no chance; `clippy.toml` refuses them.
//!
//! # Files
//! - `env`: any game, many lanes of it side by side
//! - `arrays`: what all lanes write into, listed once
//! - `actions`: placements as numbers
//! - `decoded`: what a number means
//! - `placement`, `guideline` and `keys`: one kind of game each
//! - `error`: why not
//! - `lanes`: one game for each, stepped together

mod actions;
mod arrays;
mod decoded;
mod env;
mod error;
mod guideline;
mod keys;
mod lanes;
mod placement;

pub use actions::Actions;
pub use arrays::{Buffers, LaneArrays, Slices, Widths};
pub use decoded::Decoded;
pub use env::{Env, EnvOptions, KeyOptions, MAX_LANES, Sizes, check_oracle};
pub use error::{EnvError, OracleError};
pub use lanes::Beginning;
