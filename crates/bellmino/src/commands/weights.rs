//! `bellmino weights`: the built-in controllers.

use std::io::{self, Write};

use bellmino_lab::request::{WeightsAnswer, WeightsRequest};

use crate::cli::Common;
use crate::failure::Failure;
use crate::flags::{Flags, answer};
use crate::output;

/// Lists the weights or prints some.
pub fn run(Flags(request): &Flags<WeightsRequest>, common: &Common) -> Result<(), Failure> {
    let found = answer(request, common)?;
    let mut out = io::stdout().lock();
    match &found {
        found if common.json => output::json(found)?,
        WeightsAnswer::One(file) => write!(out, "{}", file.text)?,
        WeightsAnswer::All { weights } => {
            for one in weights {
                let features = one.features.len();
                writeln!(out, "{:21} {:8} {features:2} features  {}", one.player, one.game, one.title)?;
            }
            if !common.quiet {
                eprintln!(
                    "Play with them by `--player weights:NAME` or `weights:FILE`; `train` makes your own, `bellmino features` lists \
                     what they weigh. The look-ahead bot has weights of its own: `--player bot`, `bot:FILE`, made by `tune`."
                );
            }
        }
    }
    Ok(())
}
