//! `bellmino calibrate`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use bellmino_engine::Game;
use bellmino_host::samples_in;
use bellmino_lab::calibration::{CalibrationError, Reliability, Sample, SamplePlan, Source, diagram, fit};
use bellmino_lab::checksum::sealed_lines;
use bellmino_search::{Budget, Calibration};
use serde_json::json;

use crate::cli::Common;
use crate::failure::Failure;
use crate::load::{ThinkArgs, read_text};
use crate::output::number;
use crate::{interrupt, output};

/// Arguments of `calibrate`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The game the forecasts are for
    #[arg(value_parser = ["sprint", "blitz"])]
    game: String,

    /// Positions from games of each player
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(20..=1_000_000))]
    positions: u64,

    /// Play on from each position so many times, with other pieces every time: what came of it is their mean
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1000))]
    times: u64,

    /// Keep the positions and what came of them in this folder, and take from it what is there already
    #[arg(long, value_name = "DIR", default_value = "runs/calibration")]
    run: PathBuf,

    /// Check forecasts instead of fitting them; take another seed than they were fitted with
    #[arg(long)]
    check: bool,

    /// The forecasts to check, or to take the numbers of the other game from [default: the shipped ones]
    #[arg(long, value_name = "FILE")]
    start: Option<PathBuf>,

    /// Where the fitted forecasts go; stdout when absent
    #[arg(long, short, value_name = "FILE", conflicts_with = "check")]
    output: Option<PathBuf>,

    /// Draw expected and real results into this SVG file
    #[arg(long, value_name = "FILE.svg", requires = "check")]
    plot: Option<PathBuf>,

    #[command(flatten)]
    think: ThinkArgs,
}

/// Fits or checks forecasts.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let game = Game::built_in(&args.game, &[]).and_then(Result::ok);
    let game = game.as_ref().and_then(Game::guideline);
    let rules = *game.ok_or_else(|| Failure::input(Game::unknown(&args.game)))?.rules();
    let calibration = match &args.start {
        None => Calibration::shipped().clone(),
        Some(path) => Calibration::read(&read_text(path)?)
            .map_err(|why| Failure::input(format!("{}: {why}", path.display())))?,
    };
    let begin = Instant::now();
    let plan = SamplePlan {
        rules,
        seed: common.seed(),
        positions: args.positions as usize,
        times: args.times as usize,
    };
    // Those with whom forecasts are checked are the first of those they are fitted to.
    let sources =
        &Source::all(&rules)[..if args.check { Source::CHECKED } else { Source::all(&rules).len() }];
    let bar = output::progress(common.quiet, plan.work(sources), "games");
    let go_on = |games| {
        bar.inc(games);
        interrupt::go_on()
    };
    let mut samples: Vec<(&Source, Vec<Sample>)> = vec![];
    for source in sources {
        samples.push((source, samples_in(&args.run, &plan, source, &go_on).map_err(refuse)?));
    }
    bar.finish_and_clear();
    if args.check {
        let budget = args.think.budget_of_one(Budget::REVIEW, common);
        let check = |(source, samples): &(&Source, Vec<Sample>)| {
            Reliability::of(source.name, &rules, samples, &calibration, budget)
        };
        return show(args, common, &samples.iter().map(check).collect::<Vec<_>>());
    }
    let all: Vec<Sample> = samples.into_iter().flat_map(|(_, samples)| samples).collect();
    let fitted = fit(&calibration, &rules, &all).map_err(refuse)?;
    if common.json {
        return output::json(&json!({
            "game": args.game,
            "seed": common.seed(),
            "positions": all.len(),
            "seconds": begin.elapsed().as_secs_f64(),
            "forecast": fitted.write(),
        }));
    }
    if !common.quiet {
        eprintln!("fitted to {} positions; {:.1} s", all.len(), begin.elapsed().as_secs_f64());
    }
    match &args.output {
        Some(path) => output::text_file(path, &sealed_lines(&fitted.write())),
        None => Ok(write!(io::stdout().lock(), "{}", fitted.write())?),
    }
}

/// Expected and real results, bin by bin.
fn show(args: &Args, common: &Common, all: &[Reliability]) -> Result<(), Failure> {
    let title = format!("Forecasts of {} and what came of them, seed {}", args.game, common.seed());
    if let Some(path) = &args.plot {
        output::plot(path, &diagram(&title, all))?;
    }
    if common.json {
        return output::json(&json!({ "game": args.game, "seed": common.seed(), "players": all }));
    }
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

fn refuse(error: CalibrationError) -> Failure {
    match error {
        CalibrationError::Player(_) | CalibrationError::TooFew(_) => Failure::input(error),
        CalibrationError::File { .. } | CalibrationError::Interrupted => Failure::run(error),
    }
}
