//! The `bellmino` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(bellmino::run(std::env::args_os()))
}
