//! `bellmino export`: a game written out for other solvers.

use std::io::{self, Write};

use bellmino_lab::request::ExportRequest;

use crate::cli::Common;
use crate::failure::Failure;
use crate::flags::{Flags, answer};
use crate::output;
use crate::output::number;

/// Writes a model.
pub fn run(Flags(request): &Flags<ExportRequest>, common: &Common) -> Result<(), Failure> {
    let written = answer(request, common)?;
    if common.json {
        return output::json(&written);
    }
    let mut out = io::stdout().lock();
    writeln!(out, "{} states written to {}", number(written.states as f64), written.files.join(", "))?;
    Ok(writeln!(out, "check it with {}", written.property)?)
}
