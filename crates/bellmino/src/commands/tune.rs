//! `bellmino tune`.

use std::io::{self, Write};
use std::path::PathBuf;

use bellmino_lab::training::{Approach, BotStart, Course, Recipe, Training, TuningMethod, TuningPlan};
use serde_json::json;

use crate::cli::Common;
use crate::failure::Failure;
use crate::load::GameArgs;
use crate::output;
use crate::output::number;
use crate::run_args::{RunArgs, positive, refuse};

/// Arguments of `tune`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    game: GameArgs,

    /// Weights to start from [default: the shipped ones for the game]
    #[arg(long, value_name = "FILE")]
    start: Option<PathBuf>,

    /// How weights are found
    #[arg(long, value_enum, default_value_t = TuneMethod::Fit)]
    method: TuneMethod,

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
enum TuneMethod {
    /// Play, fit what boards were worth to their features, go a part of the way there, and again
    Fit,
    /// A separable natural evolution strategy on the points of whole games
    Snes,
}

/// Trains the evaluation of the look-ahead bot.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let plan = TuningPlan {
        method: match args.method {
            TuneMethod::Fit => TuningMethod::Fit,
            TuneMethod::Snes => TuningMethod::Snes,
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
        ..TuningPlan::default()
    };
    let game = args.game.load()?;
    let start = args.start.as_deref().map(BotStart::load).transpose().map_err(refuse)?;
    let approach = Approach::Tune { plan, start };
    let recipe = Recipe { game, seed: common.seed, features: None, low: None, approach };
    let mut training = Training::new(&recipe).map_err(refuse)?;
    let mut trained = args.keep.train(&mut training, summary, common)?;
    let text = training.weights().unwrap_or_default();
    args.keep.keep(&mut trained, &training, &text)?;
    if common.json {
        return output::json(&json!({
            "game": training.ground().name(),
            "version": env!("CARGO_PKG_VERSION"),
            "seed": common.seed,
            "interrupted": trained.interrupted,
            "plan": training.config().plan,
            "columns": training.course().columns(),
            "curve": training.course().rows(),
            "weights": text,
        }));
    }
    if args.keep.output.is_none() {
        write!(io::stdout().lock(), "{text}")?;
    }
    Ok(())
}

fn summary(training: &Training) -> String {
    let (done, _) = training.course().progress();
    match training.course() {
        Course::Tune(tuning) if done > 0 => {
            let mean = tuning.history.last().map_or(0.0, |last| last.mean);
            format!("{done} generations, mean {} points", number(mean.round()))
        }
        _ => "no generation".to_owned(),
    }
}
