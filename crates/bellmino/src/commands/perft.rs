//! `bellmino perft`.

use std::io::{self, Write};

use bellmino_lab::request::PerftRequest;

use crate::cli::Common;
use crate::failure::Failure;
use crate::flags::{Flags, answer};
use crate::output;

/// Counts leaves.
pub fn run(Flags(request): &Flags<PerftRequest>, common: &Common) -> Result<(), Failure> {
    let counted = answer(request, common)?;
    if common.json {
        return output::json(&counted);
    }
    Ok(writeln!(io::stdout().lock(), "{}", counted.nodes)?)
}
