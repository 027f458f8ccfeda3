//! `bellmino features`: what boards can be judged by.

use std::io::{self, Write};

use bellmino_lab::request::FeaturesRequest;

use crate::cli::Common;
use crate::failure::Failure;
use crate::flags::{Flags, answer};
use crate::output;

/// Lists the sets of features and the features.
pub fn run(Flags(request): &Flags<FeaturesRequest>, common: &Common) -> Result<(), Failure> {
    let found = answer(request, common)?;
    if common.json {
        return output::json(&found);
    }
    let mut out = io::stdout().lock();
    writeln!(out, "Sets, for `train METHOD GAME --features LIST`, such as --features dt9,max-height:")?;
    for set in &found.sets {
        writeln!(out, "  {:26} {}", set.name, set.description)?;
    }
    for (is_of_guideline, head) in [
        (false, "Features of the board after a placement (docs/FEATURES.md draws an example of each):"),
        (true, "Features of guideline games only:"),
    ] {
        writeln!(out, "\n{head}")?;
        for one in found.features.iter().filter(|one| one.guideline_only == is_of_guideline) {
            writeln!(out, "  {:26} {}", one.name, one.description)?;
        }
    }
    Ok(())
}
