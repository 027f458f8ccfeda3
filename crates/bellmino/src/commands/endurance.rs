//! `bellmino endurance`.

use std::io::{self, Write};

use bellmino_host::CLOCK;
use bellmino_lab::{EnduranceError, EnduranceReport, EnduranceSettings, endurance};
use serde_json::{Value, json};

use crate::cli::Common;
use crate::failure::Failure;
use crate::load::{self, GameArgs};
use crate::output::number;
use crate::{interrupt, output};

/// Arguments of `endurance`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    game: GameArgs,

    /// Who plays: weights:NAME-OR-FILE, tuples:FILE or any other player of placement games. Repeat it for several
    #[arg(long = "player", value_name = "P", required = true)]
    players: Vec<String>,

    /// Climbs that must succeed at each level in each run: four times as many halve the interval
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(10..=1_000_000))]
    climbs: u32,

    /// Runs, which are independent of each other; the interval follows from how far they differ
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(2..=1000))]
    runs: u64,
}

/// Measures the endurance of players.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let game = args.game.load(common)?;
    let placement_game = load::placement(&game)?;
    let players = load::players(&args.players, &game, None)?;
    let settings =
        EnduranceSettings { climbs: args.climbs as usize, runs: args.runs, seed: common.seed, clock: CLOCK };
    let bar = output::progress(common.quiet, args.runs * players.len() as u64, "runs");
    let progress = |runs| {
        bar.inc(runs);
        interrupt::go_on()
    };
    let mut reports = Vec::new();
    for player in &players {
        reports.push(endurance(&placement_game, player, &settings, &progress).map_err(
            |error| match error {
                EnduranceError::NoAscent { .. } => Failure::run(error),
                error => Failure::input(error),
            },
        )?);
    }
    bar.finish_and_clear();
    let name = args.game.describe(&game);
    if common.json { output::json(&as_json(&name, &reports)) } else { print(&name, &reports) }
}

/// One player's fields at the top; several players as a list.
fn as_json(game: &str, reports: &[EnduranceReport]) -> Value {
    let mut object = json!({ "game": game, "version": env!("CARGO_PKG_VERSION") });
    if let Some(fields) = object.as_object_mut() {
        match (reports, reports.first().map(|only| json!(only))) {
            ([_], Some(Value::Object(only))) => fields.extend(only),
            _ => drop(fields.insert("players".to_owned(), json!(reports))),
        }
    }
    object
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
