//! One module per command.

pub mod analyse;
pub mod ask;
pub mod bench;
pub mod best;
pub mod calibrate;
pub mod compare;
pub mod completions;
#[cfg(feature = "lab")]
pub mod contests;
pub mod endurance;
pub mod evaluate;
pub mod export;
pub mod fumen;
pub mod games;
#[cfg(feature = "lab")]
pub mod lab;
pub mod man;
pub mod pc;
pub mod plain;
pub mod play;
pub mod report;
pub mod reproduce;
pub mod schema;
pub mod solve;
pub mod tables;
pub mod tbp;
pub mod train;
pub mod tune;
pub mod weights;

use crate::cli::{Cli, Command};
use crate::failure::Failure;

/// Runs the command the user asked for.
pub fn run(cli: &Cli) -> Result<(), Failure> {
    let common = &cli.common;
    match &cli.command {
        Command::Games(args) => games::run(args, common),
        Command::Perft(args) => plain::run(args, common),
        Command::Hunt(args) => plain::run(args, common),
        Command::Replay(args) => plain::run(args, common),
        Command::Evaluate(args) => evaluate::run(args, common),
        Command::Compare(args) => compare::run(args, common),
        Command::Endurance(args) => endurance::run(args, common),
        Command::Play(args) => play::run(args, common),
        Command::Tables(args) => tables::run(args, common),
        Command::Train(args) => train::run(args, common),
        Command::Tune(args) => tune::run(args, common),
        Command::Resume(args) => train::resume(args, common),
        #[cfg(feature = "lab")]
        Command::Lab(args) => lab::run(args, common),
        #[cfg(feature = "lab")]
        Command::Contests(args) => contests::run(args, common),
        Command::Fumen(args) => fumen::run(args, common),
        Command::Tbp(args) => tbp::run(args, common),
        Command::Solve(args) => solve::run(args, common),
        Command::Export(args) => export::run(args, common),
        Command::Report(args) => report::run(args, common),
        Command::Reproduce(args) => reproduce::run(args, common),
        Command::Analyse(args) => analyse::run(args, common),
        Command::Best(args) => best::run(args, common),
        Command::Pc(args) => pc::run(args, common),
        Command::Weights(args) => weights::run(args, common),
        Command::Features(args) => plain::run(args, common),
        Command::Calibrate(args) => calibrate::run(args, common),
        Command::Ask(args) => ask::run(args, common),
        Command::Schema(args) => schema::run(args, common),
        Command::Bench(args) => bench::run(args, common),
        Command::Completions(args) => completions::run(args),
        Command::Man(args) => man::run(args),
    }
}
