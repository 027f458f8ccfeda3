//! This program as a process of its own.

use std::ffi::OsString;
use std::process::Command;
use std::sync::OnceLock;
use std::{env, io};

static PROGRAM: OnceLock<Vec<OsString>> = OnceLock::new();

/// Says how this program is started where it runs within another one: the words before its own, the executable first.
/// What was said first counts.
pub fn started_by(words: Vec<OsString>) {
    let _ = PROGRAM.set(words);
}

/// A process of this very program; its arguments are to be added.
pub fn command() -> io::Result<Command> {
    match PROGRAM.get().and_then(|words| words.split_first()) {
        Some((executable, words)) => {
            let mut command = Command::new(executable);
            command.args(words);
            Ok(command)
        }
        None => env::current_exe().map(Command::new),
    }
}
