//! Players, the arena they meet in, and the statistics of their games.
//!
//! Two players on the same 200 games:
//!
//! ```
//! use bellmino_engine::Game;
//! use bellmino_lab::{ArenaSettings, Player, evaluate};
//!
//! let game = Game::built_in("baby", &[]).unwrap()?;
//! let players = [Player::parse("random", &game, None)?, Player::parse("fewest-holes", &game, None)?];
//! let settings = ArenaSettings { games: 200, seed: 1, ..ArenaSettings::default() };
//! let report = evaluate(&game, &players, &settings, &|_| true)?;
//! assert!(report.players[1].score.mean > report.players[0].score.mean);
//! assert!(report.differences[0].score.ci95[0] > 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Map
//! - [`Player`]: chooses placements; by name, as on the command line.
//! - [`evaluate`]: many games in parallel, the same answer on any number of threads.
//! - [`Comparison`]: two players on the same pieces, and which of them is better.
//! - [`Playthrough`]: one match, move by move. [`statistics`]: summaries and intervals.
//! - [`Ledger`]: the tables of games and moves in a folder, while they are written; [`open_tables`] reads them.
//! - [`contests`]: games of a person beside those of a machine, ten at a time.
//! - [`calibration`]: forecasts of the bot, fitted and checked.
//! - [`verdict`]: what the bot thinks, as words and as JSON.
//! - [`LossReport`]: what each move of a recorded game gave away, exactly.
//! - [`Gap`]: where a player loses what the best one makes.
//! - [`tbp`]: the Tetris Bot Protocol; [`thinker`]: thinking while the other side is at it.
//! - [`files`]: files that are whole or not there.
//! - [`training`]: courses of training, the work they hand out, and the folders they leave behind.
//! - [`Crew`]: others who do work; [`Unit`]: work as it travels; [`Workbench`]: where it is done.
//! - [`load`]: games and texts from outside. [`program`]: this program as a process of its own.
//! - [`bench`](mod@bench): the project's own benchmarks, each with the answer it must give.

mod arena;
pub mod bench;
pub mod calibration;
mod comparison;
mod contest;
mod crew;
mod endurance;
pub mod files;
mod gap;
mod ledger;
pub mod load;
pub mod lock;
mod losses;
mod opponent;
mod player;
mod playthrough;
mod policy;
pub mod program;
mod recorded;
mod solve_plan;
mod style;
mod tables;
pub mod tbp;
pub mod thinker;
pub mod training;
mod unit;
pub mod verdict;

pub use arena::{
    ArenaPart, ArenaReport, ArenaSettings, ArenaWork, Difference, GuidelineReport, PlayerReport, evaluate,
    evaluate_by, evaluate_into,
};
pub use bellmino_data::statistics;
pub use comparison::{Comparison, Standing};
pub use contest::{
    CONTEST_GAMES, Contest, ContestGame, ContestPair, ContestSeries, ContestTally, Contestant, Measure,
    contests,
};
pub use crew::{Crew, CrewError, Heap};
pub use endurance::{Endurance, EnduranceError, EnduranceReport, EnduranceSettings, Level, endurance};
pub use gap::{Gap, GapError, StateLoss};
pub use ledger::{Ledger, LedgerError, Page, open_tables};
pub use losses::{LossError, LossReport, MoveLoss};
pub use opponent::Opponent;
pub use player::{AtWork, BOT_NODES, Baseline, Chooser, MakeMind, Mind, Player, PlayerError, Seen};
pub use playthrough::{Move, Plays, Playthrough};
pub use policy::{ChooserPolicy, PolicyError};
pub use solve_plan::{INFINITE_TOTAL, SolvePlan, SolvePlanError};
pub use style::{PlayerStyle, styles};
pub use tables::{LoadTableError, load_table, read_finished_table, read_table};
pub use unit::{Unit, UnitError, UnitResult, Workbench, fingerprint};
