//! `bellmino tune`.

use std::io::{self, Write};
use std::path::PathBuf;

use bellmino_host::load::load_bot_start;
use bellmino_lab::training::{Approach, Course, Recipe, Training, TuningMethod, TuningPlan};
use serde_json::json;

use crate::cli::Common;
use crate::failure::Failure;
use crate::load::GameArgs;
use crate::output;
use crate::output::number;
use crate::run_args::{RunArgs, positive, refuse, reopen};

/// Arguments of `tune`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// A built-in guideline game, or the path of a TOML file
    #[arg(required_unless_present = "resume")]
    game: Option<String>,

    /// Override a value of the game: a dotted key and a TOML value, such as goal.pieces=100
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,

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

    /// Go on with a run where it stopped: with its name alone as it was begun, or with the same arguments and --run
    #[arg(long, value_name = "NAME", num_args = 0..=1)]
    resume: Option<Option<String>>,
}

/// How weights are found.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum TuneMethod {
    /// Play, fit what boards were worth to their features, go a part of the way there, and again
    Fit,
    /// A separable natural evolution strategy on the points of whole games
    Snes,
    /// Judge positions at the end of the search by another search, fit a small network to that, and again
    Network,
}

/// Trains the evaluation of the look-ahead bot.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    // A word after --resume is the name of a run, or the game where --run has named one.
    let (mut game, mut run) = (args.game.clone(), args.keep.run.clone());
    let is_again = args.resume.is_some();
    if let Some(Some(word)) = &args.resume {
        let place = if run.is_some() && game.is_none() { &mut game } else { &mut run };
        *place = Some(word.clone());
    }
    let keep = RunArgs { run, ..args.keep.clone() };
    let (mut training, folder) = match (game, &keep.run) {
        (None, None) => {
            return Err(Failure::input("give a GAME, such as `bellmino tune blitz`, or --resume NAME"));
        }
        (None, Some(name)) => {
            let (folder, training) = reopen(name, true, common)?;
            (training, Some(folder))
        }
        (Some(_), None) if is_again => {
            return Err(Failure::input("--resume: name the run, with --resume NAME"));
        }
        (Some(game), _) => {
            let mut training = begin(args, game, common)?;
            let folder = keep.folder(&mut training, is_again)?;
            (training, folder)
        }
    };
    let mut trained = RunArgs::train(&mut training, folder, summary, common)?;
    let weights = training.weights().unwrap_or_default();
    keep.keep(&mut trained, &training, &weights)?;
    let text = String::from_utf8_lossy(&weights);
    if common.json {
        return output::json(&json!({
            "game": training.ground().name(),
            "version": env!("CARGO_PKG_VERSION"),
            "seed": training.config().seed,
            "interrupted": trained.interrupted,
            "plan": training.config().plan,
            "columns": training.course().columns(),
            "curve": training.course().rows(),
            "weights": text,
        }));
    }
    if keep.output.is_none() {
        write!(io::stdout().lock(), "{text}")?;
    }
    Ok(())
}

/// Training from its beginning.
fn begin(args: &Args, game: String, common: &Common) -> Result<Training, Failure> {
    let plan = TuningPlan {
        method: match args.method {
            TuneMethod::Fit => TuningMethod::Fit,
            TuneMethod::Snes => TuningMethod::Snes,
            TuneMethod::Network => TuningMethod::Network,
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
    let game = GameArgs { game, overrides: args.overrides.clone() }.load(common)?;
    let start = args.start.as_deref().map(load_bot_start).transpose().map_err(refuse)?;
    let approach = Approach::Tune { plan, start };
    let recipe = Recipe { game, seed: common.seed(), features: None, low: None, approach };
    Training::new(&recipe).map_err(refuse)
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
