//! `bellmino pc`: perfect clears.

use std::io::{self, Write};

use bellmino_lab::request::{PcAnswer, PcRequest};

use crate::cli::Common;
use crate::failure::Failure;
use crate::flags::{Flags, answer};
use crate::output;

/// Finds perfect clears.
pub fn run(Flags(request): &Flags<PcRequest>, common: &Common) -> Result<(), Failure> {
    let found = answer(request, common)?;
    if common.json {
        return output::json(&found);
    }
    let mut out = io::stdout().lock();
    match &found {
        PcAnswer::Solutions(found) => {
            for solution in &found.solutions {
                writeln!(out, "{} points: {}", solution.points, solution.line.join("; "))?;
            }
            if found.solutions.is_empty() {
                let why = if found.complete { "there is none" } else { "none found within --nodes" };
                writeln!(out, "no perfect clear of {} rows: {why}", found.rows)?;
            } else if request.all {
                let kind = if found.complete { "all" } else { "not all" };
                writeln!(out, "{} solutions ({kind} there are)", found.solutions.len())?;
            }
        }
        PcAnswer::Chances(found) => {
            for one in &found.chances {
                writeln!(out, "{:5.1} % {}", 100.0 * one.chance, one.placement)?;
            }
            if found.chances.is_empty() {
                writeln!(out, "no future was solved")?;
            }
            writeln!(out, "{} pieces, {} futures of the pieces not known", found.pieces, found.futures)?;
        }
    }
    Ok(())
}
