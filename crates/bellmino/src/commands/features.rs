//! `bellmino features`: what boards can be judged by.

use std::io::{self, Write};

use bellmino_learn::{FEATURE_SETS, FEATURES, Feature};
use serde_json::json;

use crate::cli::Common;
use crate::failure::Failure;
use crate::output;

/// Arguments of `features`.
#[derive(clap::Args, Debug)]
pub struct Args {}

/// Lists the sets of features and the features.
pub fn run(_args: &Args, common: &Common) -> Result<(), Failure> {
    if common.json {
        let sets: Vec<_> =
            FEATURE_SETS.iter().map(|(name, what)| json!({ "name": name, "description": what })).collect();
        let single = |(name, what): &(&str, &str)| json!({ "name": name, "description": what, "guideline_only": is_of_guideline(name) });
        let features: Vec<_> = FEATURES.iter().map(single).collect();
        return output::json(&json!({ "sets": sets, "features": features }));
    }
    let mut out = io::stdout().lock();
    writeln!(out, "Sets, for `train METHOD GAME --features LIST`, such as --features dt9,max-height:")?;
    for (name, what) in FEATURE_SETS {
        writeln!(out, "  {name:26} {what}")?;
    }
    writeln!(out, "\nFeatures of the board after a placement (docs/FEATURES.md draws an example of each):")?;
    for (name, what) in FEATURES.iter().filter(|(name, _)| !is_of_guideline(name)) {
        writeln!(out, "  {name:26} {what}")?;
    }
    writeln!(out, "\nFeatures of guideline games only:")?;
    for (name, what) in FEATURES.iter().filter(|(name, _)| is_of_guideline(name)) {
        writeln!(out, "  {name:26} {what}")?;
    }
    Ok(())
}

/// Those with a number in their name are of all games.
fn is_of_guideline(name: &str) -> bool {
    name.parse::<Feature>().is_ok_and(Feature::is_of_guideline)
}
