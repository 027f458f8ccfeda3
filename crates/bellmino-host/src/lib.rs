//! What the lab has of a desktop: files, run folders, locks, a clock, threads and processes. The lab itself
//! ([`bellmino_lab`]) touches none of them; it is handed what it needs from here.
//!
//! A player from a file:
//!
//! ```
//! use bellmino_engine::Game;
//! use bellmino_host::Files;
//! use bellmino_lab::Player;
//! use bellmino_learn::Controller;
//!
//! let file = tempfile::NamedTempFile::new()?;
//! std::fs::write(file.path(), Controller::built_in("lee4").unwrap().to_json())?;
//! let (game, name) = (Game::built_in("classic", &[]).unwrap()?, format!("weights:{}", file.path().display()));
//! assert!(Player::load(&name, &game, None, &Files).is_ok());
//! assert!(Player::parse(&name, &game, None).is_err(), "the lab opens no file by itself");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Map
//! - [`Files`]: files as what the lab asks for by name. [`load`]: texts, of bounded size.
//! - [`files`]: files that are whole or not there, and the one way to read what comes from outside.
//! - [`read_table`], [`read_finished_table`], [`load_table`]: solved tables from files.
//! - [`Ledger`]: the tables of games and moves in a folder, while they are written; [`open_tables`] reads them.
//! - [`RunDir`]: the folder of a training run being written; [`StoredRun`]: one that is read.
//! - [`lock`]: folders that have one writer. [`program`]: this program as a process of its own.
//! - [`CLOCK`]: the clock. [`thinker`]: a thread that thinks while the other side is at it. [`work_beside`]: a crew beside the
//!   thread that waits for it.
//! - [`bench`](mod@bench): the project's own benchmarks, each with the answer it must give.
//!
//! # Files
//! - `files`: files that are whole or not there, and the one way to read what comes from outside
//! - `load`: texts and named things from files
//! - `outputs`: what requests make, as files
//! - `tables`: solved tables from files
//! - `ledger`: tables of games and moves in a folder
//! - `run_dir`: what training leaves behind
//! - `stored_run`: reading it
//! - `lock`: folders that have one writer
//! - `program`: this program as a process of its own
//! - `clock`: the clock
//! - `thinker`: a thread that thinks while one waits
//! - `crew`: a crew beside the thread that waits for it
//! - `bench`: benchmarks that check their answers
//! - `memory`: how much there is

pub mod bench;
mod clock;
mod crew;
pub mod files;
mod ledger;
pub mod load;
pub mod lock;
mod memory;
mod outputs;
pub mod program;
mod run_dir;
mod stored_run;
mod tables;
pub mod thinker;

pub use clock::CLOCK;
pub use crew::work_beside;
pub use ledger::{Ledger, LedgerError, open_tables};
pub use load::Files;
pub use memory::MEMORY;
pub use run_dir::RunDir;
pub use stored_run::StoredRun;
pub use tables::{load_table, read_finished_table, read_table};
