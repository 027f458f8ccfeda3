//! `bellmino perft`.

use std::io::{self, Write};

use bellmino_lab::request::{PerftRequest, Request};

use crate::cli::Common;
use crate::failure::Failure;
use crate::flags::{Flags, refuse};
use crate::output;
use crate::terminal::Terminal;

/// Counts leaves.
pub fn run(Flags(request): &Flags<PerftRequest>, common: &Common) -> Result<(), Failure> {
    let counted =
        request.answer(&Terminal::new(common).context()).map_err(|error| refuse::<PerftRequest>(&error))?;
    if common.json {
        return output::json(&counted);
    }
    Ok(writeln!(io::stdout().lock(), "{}", counted.nodes)?)
}
