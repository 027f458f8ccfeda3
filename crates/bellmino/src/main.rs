//! The `bellmino` command.

mod cli;
mod commands;
mod failure;
mod interrupt;
mod load;
mod output;
mod question;
mod run_args;

use std::process::ExitCode;

use clap::Parser;

use crate::cli::Cli;
use crate::failure::Failure;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // A reader that has seen enough is not an error.
            if failure.is_closed_pipe() {
                return ExitCode::SUCCESS;
            }
            eprintln!("bellmino: {failure}");
            failure.exit_code()
        }
    }
}

fn run() -> Result<(), Failure> {
    let cli = Cli::parse();
    if let Some(threads) = cli.common.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build_global().map_err(|error| Failure::run(anyhow::anyhow!(error)))?;
    }
    interrupt::watch().map_err(Failure::run)?;
    commands::run(&cli)
}
