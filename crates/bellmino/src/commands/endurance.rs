//! `bellmino endurance`.

use std::io::{self, Write};

use bellmino_lab::EnduranceReport;
use bellmino_lab::request::EnduranceRequest;

use crate::cli::Common;
use crate::failure::Failure;
use crate::flags::{Flags, answer};
use crate::output;
use crate::output::number;

/// Measures the endurance of players.
pub fn run(Flags(request): &Flags<EnduranceRequest>, common: &Common) -> Result<(), Failure> {
    let answer = answer(request, common)?;
    if common.json { output::json(&answer) } else { print(&answer.game, answer.reports.all()) }
}

fn print(game: &str, reports: &[EnduranceReport]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    for report in reports {
        let EnduranceReport { player, seed, climbs, runs, .. } = report;
        writeln!(out, "{game}: {player} ({runs} runs of {climbs} climbs a level, seed {seed})")?;
        let [low, high] = report.lines_per_loss.ci95.map(rounded);
        let losses = number(report.lines_per_loss.losses as f64);
        let mean = rounded(report.lines_per_loss.mean);
        writeln!(out, "  lines per loss {mean} [{low}, {high}] from {losses} climbs that were lost")?;
        if let (Some(first), Some(last)) = (report.levels.first(), report.levels.last()) {
            let chances: Vec<String> =
                report.levels.iter().map(|level| format!("{:.0}", 100.0 * level.chance)).collect();
            writeln!(
                out,
                "  heights of all columns together {} to {}, chance to get to the next in %: {}",
                first.height,
                last.height,
                chances.join(" ")
            )?;
        }
        if report.interrupted {
            writeln!(out, "  interrupted: this is what was known by then")?;
        }
        let pieces = number(report.pieces as f64);
        writeln!(out, "  {pieces} pieces, {} per second", number(report.pieces_per_second.round()))?;
    }
    Ok(())
}

/// Three digits are all that is known.
fn rounded(value: f64) -> String {
    let unit = 10f64.powf(value.log10().floor() - 2.0);
    number(if unit > 1.0 { (value / unit).round() * unit } else { value })
}
