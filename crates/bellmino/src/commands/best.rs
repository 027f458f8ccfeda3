//! `bellmino best`: the best placements of a position, by any player.

use std::io::{self, Write};

use bellmino_lab::request::BestRequest;

use crate::cli::Common;
use crate::failure::Failure;
use crate::flags::{Flags, answer};
use crate::output;
use crate::output::number;

/// Shows the best placements, one in each line.
pub fn run(Flags(request): &Flags<BestRequest>, common: &Common) -> Result<(), Failure> {
    let found = answer(request, common)?;
    if common.json {
        return output::json(&found);
    }
    let mut out = io::stdout().lock();
    if found.candidates.is_empty() {
        writeln!(out, "no placement is possible")?;
    }
    let unit = found.unit.as_deref().unwrap_or_default();
    for (index, one) in found.candidates.iter().enumerate() {
        let held = if one.held { " after hold" } else { "" };
        let worth = match (one.value, one.loss) {
            _ if one.fatal => "  ends the game".to_owned(),
            (Some(value), _) => format!("  {unit} {}", number(value)),
            (None, Some(loss)) if loss > 0.0 => format!("  -{} {unit}", number(loss)),
            _ => String::new(),
        };
        writeln!(out, "{}. {}{held}{worth}", index + 1, one.placement)?;
    }
    match found.put_aside {
        Some(value) => Ok(writeln!(out, "put aside  {unit} {}", number(value))?),
        None => Ok(()),
    }
}
