//! The `bellmino` command as a library, so that other programs run it without a process of its own.
//!
//! [`run`] is the whole program, with its terminal:
//!
//! ```
//! assert_eq!(bellmino::run(["bellmino", "perft", "baby", "--depth", "4"]), 0);
//! assert_eq!(bellmino::run(["bellmino", "perft", "babby", "--depth", "4"]), 2, "there is no such game");
//! ```
//!
//! Whoever wants answers as values asks requests: see `bellmino_lab::request`.
//!
//! # Files
//! - `cli`: the flags all commands share
//! - `flags`: the flags of a request, made from its schema
//! - `terminal`: who watches a request in a terminal
//! - `commands`: a file for each command
//! - `load`: texts that the user names
//! - `output`: where output goes
//! - `session`: a request within another program
//! - `failure`: how a command fails
//! - `interrupt`: Ctrl-C

mod cli;
mod commands;
mod failure;
mod flags;
mod interrupt;
mod load;
mod output;
mod session;
mod terminal;

use std::ffi::OsString;
use std::io::{self, Write};

use bellmino_lab::drawing;
use bellmino_lab::request::RequestKind;
use clap::Parser;
use serde_json::Value;

use crate::cli::Cli;
use crate::terminal::Terminal;

pub use bellmino_lab::request::RequestError;
pub use bellmino_lab::verdict::thought_json;
pub use failure::Failure;
pub use session::{Session, SessionProgress};
pub use terminal::Around;

/// Runs the program with these words, its own name first, and gives the status to exit with.
pub fn run(words: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> u8 {
    run_by(words, |cli| run_parsed(&cli))
}

/// The same within another program, which has the work done. Data and talk go where those of the program go.
pub fn run_with(words: impl IntoIterator<Item = impl Into<OsString> + Clone>, around: Around) -> u8 {
    run_by(words, |mut cli| {
        cli.common.around = Some(around);
        pool(cli.common.threads)?.install(|| commands::run(&cli))
    })
}

fn run_by(
    words: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    run: impl FnOnce(Cli) -> Result<(), Failure>,
) -> u8 {
    let status = match Cli::try_parse_from(words) {
        Ok(cli) => match run(cli) {
            // A reader that has seen enough is not an error.
            Err(failure) if !failure.is_closed_pipe() => {
                eprintln!("bellmino: {failure}");
                failure.status()
            }
            _ => 0,
        },
        Err(error) => {
            // Help that nobody reads any more is no error either.
            let _ = error.print();
            u8::try_from(error.exit_code()).unwrap_or(2)
        }
    };
    // Within another program nobody else does.
    let _ = io::stdout().flush();
    status
}

/// The answer to the request that a command's words make, with the work done by whoever does it for the program around.
fn answer_words(words: Vec<String>, around: &Around) -> Result<Value, Failure> {
    let mut cli = parse(words)?;
    let none = || Failure::input("this command is no request, and cannot be run here");
    let (name, request) = cli.command.request().ok_or_else(none)?;
    cli.common.around = Some(around.clone());
    let terminal = Terminal::new(&cli.common);
    let ask = || RequestKind::named(name)?.ask(request, &terminal.context());
    let answer = pool(cli.common.threads)?.install(ask);
    answer.map_err(|error| if error.is_input() { Failure::input(error) } else { Failure::run(error) })
}

/// Threads of their own.
fn pool(threads: Option<usize>) -> Result<rayon::ThreadPool, Failure> {
    rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build().map_err(Failure::run)
}

fn parse(words: impl IntoIterator<Item = impl Into<OsString>>) -> Result<Cli, Failure> {
    let words = words.into_iter().map(Into::into);
    let around = ["bellmino", "--json", "--quiet"].map(OsString::from);
    Cli::try_parse_from(around.into_iter().chain(words)).map_err(|error| {
        let text = error.render().to_string();
        // What is wrong, without how the program is called.
        let said = text.split("\n\nUsage:").next().unwrap_or(&text);
        let said = said.split("\n\nFor more information").next().unwrap_or(said);
        Failure::input(said.trim().trim_start_matches("error: "))
    })
}

fn run_parsed(cli: &Cli) -> Result<(), Failure> {
    interrupt::watch().map_err(Failure::run)?;
    if let Some(threads) = cli.common.threads {
        let pool = || rayon::ThreadPoolBuilder::new().num_threads(threads);
        // A program that has begun with other threads keeps them for the rest.
        if pool().build_global().is_err() && rayon::current_num_threads() != threads {
            let pool = pool().build().map_err(Failure::run)?;
            return pool.install(|| commands::run(cli));
        }
    }
    commands::run(cli)
}
