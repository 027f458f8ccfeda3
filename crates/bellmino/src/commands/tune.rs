//! `bellmino tune`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use bellmino_engine::Game;
use bellmino_lab::{Tuning, TuningMethod, TuningPlan};
use bellmino_search::{BotSettings, Weights};
use serde_json::json;

use crate::cli::Common;
use crate::failure::Failure;
use crate::load::{GameArgs, read_text};
use crate::output::number;
use crate::rundir::{Curve, RunArgs, RunDir, write_whole};
use crate::{interrupt, output};

/// Arguments of `tune`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    game: GameArgs,

    /// Weights to start from [default: the shipped ones for the game]
    #[arg(long, value_name = "FILE")]
    start: Option<PathBuf>,

    /// How weights are found
    #[arg(long, value_enum, default_value_t = Method::Fit)]
    method: Method,

    /// Placements the bot looks at for each move
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: u64,

    /// Pieces of a game
    #[arg(long, value_name = "N", default_value_t = 360, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pieces: u32,

    /// Games of a generation, for each candidate if there are several; all candidates get the same pieces
    #[arg(long, value_name = "N", default_value_t = 48, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    games: u64,

    /// For snes: candidates in a generation
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(4..=100_000))]
    population: u64,

    /// Generations
    #[arg(long, value_name = "N", default_value_t = 4)]
    generations: u64,

    /// How far a weight is expected to move, as a share of it
    #[arg(long, value_name = "S", default_value_t = 0.35, value_parser = positive)]
    share: f64,

    /// How far it is expected to move besides, in points
    #[arg(long, value_name = "S", default_value_t = 15.0, value_parser = positive)]
    least: f64,

    /// For fit: the points of this many pieces count for what a board was worth
    #[arg(long, value_name = "N", default_value_t = 14, value_parser = clap::value_parser!(u64).range(1..=1000))]
    steps: u64,

    /// For fit: the part of the way to the fitted weights that is gone
    #[arg(long, value_name = "R", default_value_t = 0.3, value_parser = positive)]
    rate: f64,

    #[command(flatten)]
    keep: RunArgs,
}

/// How weights are found.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Method {
    /// Play, fit what boards were worth to their features, go a part of the way there, and again
    Fit,
    /// A separable natural evolution strategy on the points of whole games
    Snes,
}

/// Trains the evaluation of the look-ahead bot.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let Game::Guideline(game) = args.game.load()? else {
        return Err(Failure::input("the look-ahead bot plays guideline games only, such as `blitz`"));
    };
    let rules = *game.rules();
    let start = match &args.start {
        Some(path) => {
            let refuse = |error| Failure::input(format!("--start {}: {error}", path.display()));
            Weights::read(&read_text(path)?).map_err(refuse)?
        }
        None => BotSettings::for_rules(&rules).weights,
    };
    if start.points <= 0.0 || rules.goal.lines.is_some() {
        return Err(Failure::input("points are what is maximised: give a game such as `blitz`"));
    }
    let plan = TuningPlan {
        method: match args.method {
            Method::Fit => TuningMethod::Fit,
            Method::Snes => TuningMethod::Snes,
        },
        steps: args.steps as usize,
        rate: args.rate,
        pieces: args.pieces,
        games: args.games,
        nodes: args.nodes,
        population: args.population as usize,
        generations: args.generations,
        share: args.share,
        least: args.least,
        seed: common.seed,
    };
    let config = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "game": game.to_toml(),
        "plan": plan,
        "start": start.write(),
    });
    let tuning = Tuning::new(plan, &start);
    let (mut run_dir, mut tuning) = match args.keep.run.as_deref().map(RunDir::path) {
        Some(path) if args.keep.resume => {
            let (run, tuning) = RunDir::resume(&path, config)?;
            (Some(run), tuning)
        }
        Some(path) => (Some(RunDir::create(&path, config, &tuning)?), tuning),
        None => (None, tuning),
    };
    let what = match &args.start {
        Some(path) => format!("{} --start {}", game.name(), path.display()),
        None => game.name().to_owned(),
    };
    let begin = Instant::now();
    let bar = output::progress(common.quiet, args.generations, "generations");
    bar.set_position(tuning.history.len() as u64);
    let mut interrupted = false;
    while !tuning.is_done() {
        let Some(generation) = tuning.step(&rules, &interrupt::go_on) else {
            interrupted = true;
            break;
        };
        bar.inc(1);
        bar.set_message(format!("mean {} points", number(generation.mean.round())));
        if let Some(run) = &mut run_dir {
            run.store(&tuning, Some(&file(&tuning, &what)))?;
        }
    }
    bar.finish_and_clear();
    if !common.quiet {
        let ended = if interrupted { "interrupted" } else { "done" };
        let count = tuning.history.len();
        eprintln!("{ended} after {count} generations; {:.1} s", begin.elapsed().as_secs_f64());
    }
    let text = file(&tuning, &what);
    if let Some(path) = &args.keep.output {
        write_whole(path, &text)?;
    }
    if common.json {
        return output::json(&json!({
            "game": game.name(),
            "version": env!("CARGO_PKG_VERSION"),
            "seed": common.seed,
            "interrupted": interrupted,
            "plan": tuning.plan,
            "columns": tuning.columns(),
            "curve": tuning.rows(),
            "weights": text,
        }));
    }
    if args.keep.output.is_none() {
        write!(io::stdout().lock(), "{text}")?;
    }
    Ok(())
}

/// The weights found so far, with how they were made.
fn file(tuning: &Tuning, what: &str) -> String {
    let plan = &tuning.plan;
    let pieces = tuning.history.last().map_or(0, |last| last.pieces);
    let method = match plan.method {
        TuningMethod::Fit => format!("fit --steps {} --rate {}", plan.steps, plan.rate),
        TuningMethod::Snes => format!("snes --population {}", plan.population),
    };
    let TuningPlan { nodes, pieces: length, games, generations, share, least, seed, .. } = plan;
    format!(
        "{}\n[made]\nby = 'bellmino {} tune {what} --method {method} --nodes {nodes} --pieces {length} --games {games} \
         --generations {generations} --share {share} --least {least} --seed {seed}'\n\
         generations = {}\npieces = {pieces}\nnodes = {}\n",
        tuning.weights().write(),
        env!("CARGO_PKG_VERSION"),
        tuning.history.len(),
        pieces * nodes,
    )
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err("give a positive number".to_owned()),
    }
}
