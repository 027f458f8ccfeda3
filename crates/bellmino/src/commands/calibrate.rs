//! `bellmino calibrate`.

use std::io::{self, Write};

use bellmino_lab::calibration::Reliability;
use bellmino_lab::request::{CalibrateAnswer, CalibrateRequest};

use crate::cli::Common;
use crate::failure::Failure;
use crate::flags::{Flags, answer};
use crate::output;
use crate::output::number;

/// Fits or checks forecasts.
pub fn run(Flags(request): &Flags<CalibrateRequest>, common: &Common) -> Result<(), Failure> {
    let found = answer(request, common)?;
    match &found {
        found if common.json => output::json(found),
        CalibrateAnswer::Fitted { .. } if request.output.is_some() => Ok(()),
        CalibrateAnswer::Fitted { forecast, .. } => Ok(write!(io::stdout().lock(), "{forecast}")?),
        CalibrateAnswer::Checked { players, .. } => print(players),
    }
}

/// Expected and real results, bin by bin.
fn print(all: &[Reliability]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    for one in all {
        writeln!(
            out,
            "{}: {} positions, played on in {} games, {} of them lost",
            one.source, one.positions, one.games, one.lost
        )?;
        let decimals = if one.exact.is_empty() { 0 } else { 2 };
        for (index, bin) in one.results.iter().enumerate() {
            let [low, high] = bin.interval;
            write!(
                out,
                "  expected {:>11.decimals$}, came to {:>11.decimals$} [{low:.decimals$}, {high:.decimals$}]: {:+.2} %",
                bin.expected,
                bin.result,
                100.0 * bin.error()
            )?;
            match one.exact.get(index) {
                Some(exact) => {
                    writeln!(
                        out,
                        "; without waste {:.0} %, was {:.0} %",
                        100.0 * exact.expected,
                        100.0 * exact.result
                    )?;
                }
                None => writeln!(out)?,
            }
        }
        writeln!(out, "  largest difference: {} %", number((10_000.0 * one.worst()).round() / 100.0))?;
    }
    Ok(())
}
