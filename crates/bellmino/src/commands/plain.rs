//! Commands whose answer is a text: `features`, `hunt`, `perft`, `replay`.

use std::fmt::Display;
use std::io::{self, Write};

use bellmino_lab::request::Request;

use crate::cli::Common;
use crate::failure::Failure;
use crate::flags::{Flags, answer};
use crate::output;

/// Asks, and prints the answer.
pub fn run<R: Request<Answer: Display>>(Flags(request): &Flags<R>, common: &Common) -> Result<(), Failure> {
    let found = answer(request, common)?;
    if common.json {
        return output::json(&found);
    }
    Ok(writeln!(io::stdout().lock(), "{found}")?)
}
