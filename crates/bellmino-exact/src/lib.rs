//! Exact solutions of small stacking games, for any dealer and objective, with proven error bounds.
//!
//! The best score per piece to come, discounted, and what each placement is worth:
//!
//! ```
//! use bellmino_engine::placement::Board;
//! use bellmino_engine::Game;
//! use bellmino_exact::{Objective, Silent, SolveSettings, solve};
//!
//! let game = Game::built_in("baby", &[]).unwrap()?;
//! let game = game.placement().unwrap();
//! let solution = solve(game, &SolveSettings::new(Objective::Discounted(0.9)), &Silent)?;
//! assert!(solution.report.error_bound < 1e-8);
//!
//! let board = Board::parse(4, 4, "###.")?;
//! let values = solution.table.placement_values(&board, game.piece_index("L3").unwrap()).unwrap();
//! assert_eq!(values.iter().filter(|placement| placement.lines == 1).count(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Whether the player can survive whatever is dealt:
//!
//! ```
//! use bellmino_engine::Game;
//! use bellmino_exact::{Dealing, Objective, Silent, SolveSettings, solve};
//!
//! let game = Game::built_in("mini", &[]).unwrap()?;
//! let settings = SolveSettings { dealing: Dealing::Worst, ..SolveSettings::new(Objective::Survive) };
//! let report = solve(game.placement().unwrap(), &settings, &Silent)?.report;
//! assert_eq!(report.value, Some(0.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Map
//! - [`solve`](fn@solve) and [`solve_between`]: [`SolveSettings`] in, a [`Solution`] out; [`Watch`] sees it happen and can
//!   stop it.
//! - [`evaluate_reached`]: what a player is worth, from the boards alone that it reaches.
//! - [`SolveReport`]: the figures. [`Table`]: the values, which play as a [`Policy`] and deal as a [`DealerPolicy`].
//! - `space` explores, `supply` knows what is in hand, `bellman` is the one operator, `run` takes each objective its own
//!   road, `fixed_point` iterates and holds the certificates, `graph` says what is endless, `abstraction` solves what a
//!   short-sighted player sees.
//! - [`Model`]: a game written out for other solvers. [`never_clear`](fn@never_clear): seed 000's first model.
//! - [`find_states`]: where the dealer stands, from the pieces it has dealt.
//!
//! The crate opens no file: tables are written to any writer and read from any bytes.
//!
//! # Files
//! - `settings`: what is asked
//! - `solve`: out: a report and a table
//! - `space`: boards, and the steps between them
//! - `explore`: finds them
//! - `index`: numbers them
//! - `supply`: what is in hand
//! - `states`: dealer states found from pieces
//! - `bellman`: the one operator
//! - `components`: games that fall apart
//! - `run`: takes each objective its own road
//! - `fixed_point`: iterates and holds the certificates
//! - `plain`: the textbook's iteration
//! - `graph`: finds what is endless
//! - `memory`: refuses what does not fit
//! - `sides`: given players and dealers
//! - `given`: such a player at its moves
//! - `watch`: sees and stops a run
//! - `clock`: the seconds in a report, and no other clock
//! - `report`: the figures
//! - `robustness`: what a player is worth between chance and the worst dealer
//! - `abstraction`: players who see less
//! - `distribution`: how likely each result is
//! - `ties`: all optimal policies, and the range of a second question over them
//! - `never_clear`: a game whose full rows stay
//! - `export`: models for other solvers
//! - `table`: solved games, which play and deal

mod abstraction;
mod bellman;
mod clock;
mod components;
mod distribution;
mod explore;
mod export;
mod fixed_point;
mod given;
mod graph;
mod index;
mod memory;
mod never_clear;
mod plain;
mod report;
mod robustness;
mod run;
mod settings;
mod sides;
mod solve;
mod space;
mod states;
mod supply;
mod table;
mod ties;
mod watch;

#[cfg(target_arch = "wasm32")]
pub use clock::set_clock;
pub use distribution::{Distribution, ResultUnit, distribution};
pub use export::Model;
pub use never_clear::{NeverClear, NeverClearValues, never_clear};
pub use report::{SolveReport, SweepChange};
pub use robustness::{Robustness, robustness};
pub use settings::{
    Abstraction, Dealing, NotUnderstood, Objective, Placing, Reward, SolveMethod, SolveSettings,
};
pub use sides::{DealerPolicy, GivenSides, InHand, OnTable, Policy, Sides};
pub use solve::{Solution, SolveError, evaluate_reached, packed, solve, solve_between};
pub use states::{FindStatesError, dealer_state, find_states};
pub use table::{
    HandChoice, Look, Offer, PlacementValue, PolicyState, RunStatus, Snapshot, Table, TableError, Unmet,
};
pub use ties::{SecondObjective, SecondQuestion, TieRange, range_over_ties};
pub use watch::{Silent, SolvePhase, SolveProgress, Watch};
