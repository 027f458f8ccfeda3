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
//! - [`Page`]: a game on its way into tables of games and moves; [`Binder`]: who takes it.
//! - [`contests`]: games of a person beside those of a machine, ten at a time.
//! - [`calibration`]: forecasts of the bot, fitted and checked.
//! - [`verdict`]: what the bot thinks, as words and as JSON.
//! - [`LossReport`]: what each move of a recorded game gave away, exactly.
//! - [`Gap`]: where a player loses what the best one makes.
//! - [`tbp`]: the Tetris Bot Protocol; [`Ponders`]: thinking while the other side is at it.
//! - [`training`]: courses of training and the work they hand out.
//! - [`Crew`]: others who do work; [`Unit`]: work as it travels; [`Workbench`]: where it is done.
//! - [`load`]: games from outside. [`Resources`]: where named things from outside come from. [`Clock`]: who knows the time.
//!
//! Nothing here touches a file, a clock, a thread of its own or a process: who hosts the lab hands it what it needs.
//!
//! # Files
//! - `player`: players of every game by name, with a file for each family and the baselines
//! - `opponent`: who deals
//! - `contest`: people beside machines, ten games at a time
//! - `arena`: many games, summarised, and in its folder the parts of an evaluation that can be played anywhere
//! - `crew`: others who do work
//! - `unit`: work as it travels
//! - `endurance`: lines per loss from climbs
//! - `comparison`: two players on the same pieces, and which is better
//! - `paired`: by how much results on the same pieces differ, and whether by chance
//! - `playthrough`: one match, move by move
//! - `load`: games from outside
//! - `checksum`: texts that say whether they are as they were written
//! - `resources`: where named things from outside come from
//! - `clock`: who knows the time
//! - `page`: games and moves on their way into tables
//! - `recorded`: recorded games in them
//! - `style`: how players play, from them
//! - `tables`: solved tables from outside
//! - `policy`: players as the exact solver sees them
//! - `solve_plan`: what it is asked, from words
//! - `terms`: on what terms a match is played, and what tables need for it
//! - `losses`: what each move of a recorded game gave away, exactly
//! - `gap`: in which states a player loses what the best one makes
//! - `verdict`: what the bot thinks, as words and as JSON
//! - `tbp`: the bot protocol, without its pipes
//! - `drawing`: boards as text
//! - `memory`: how much may be used, from words
//! - `calibration`: forecasts of the bot
//! - `training`: training as a library
//! - `request`: what can be asked, and what is answered

mod arena;
pub mod calibration;
pub mod checksum;
mod clock;
mod comparison;
mod contest;
mod crew;
pub mod drawing;
mod endurance;
mod gap;
pub mod load;
mod losses;
mod memory;
mod opponent;
mod page;
mod paired;
mod player;
mod playthrough;
mod policy;
mod recorded;
pub mod request;
mod resources;
mod solve_plan;
mod style;
mod tables;
pub mod tbp;
mod terms;
pub mod training;
mod unit;
pub mod verdict;

pub use arena::{
    ArenaPart, ArenaReport, ArenaSettings, ArenaWork, Difference, GuidelineReport, PlayerReport, evaluate,
    evaluate_by, evaluate_into,
};
pub use bellmino_data::statistics;
pub use clock::Clock;
pub use comparison::{Comparison, PairStanding};
pub use contest::{
    CONTEST_GAMES, Contest, ContestGame, ContestPair, ContestSeries, ContestTally, Contestant, Measure,
    contests,
};
pub use crew::{Crew, CrewError, Heap};
pub use endurance::{Endurance, EnduranceError, EnduranceReport, EnduranceSettings, Level, endurance};
pub use gap::{Gap, GapError, StateLoss};
pub use losses::{LossError, LossReport, MoveLoss};
pub use memory::Memory;
pub use opponent::Opponent;
pub use page::{Binder, Page, WrittenGame};
pub use paired::{PairedFigure, PairedTest};
pub use player::{
    AtWork, BOT_NODES, Baseline, Chooser, MakeMind, Mind, Player, PlayerError, Pondering, Ponders, Seen,
    StartPondering,
};
pub use playthrough::{Move, NoAnswer, Plays, Playthrough, take_turn};
pub use policy::{ChooserPolicy, PolicyError};
pub use recorded::bind_record;
pub use resources::{BuiltIn, ResourceError, ResourceKind, Resources};
pub use solve_plan::{INFINITE_TOTAL, SolvePlan, SolvePlanError};
pub use style::{PlayerStyle, styles};
pub use tables::{LoadTableError, find_table, finished_table_of, table_for, table_of};
pub use terms::Terms;
pub use unit::{Unit, UnitError, UnitResult, Workbench, fingerprint};
