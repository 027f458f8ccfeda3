//! `bellmino train`.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use bellmino_engine::{Game, GuidelineGame, PlacementGame, Purpose, stream, suggestion};
use bellmino_lab::statistics::Summary;
use bellmino_lab::{ArenaSettings, Player, evaluate};
use bellmino_learn::guideline::{Pilot, equivalent};
use bellmino_learn::{
    Aim, BUILT_IN_CONTROLLERS, Cbmpi, CbmpiPlan, Cem, CmaEs, Controller, Course, Drill, DrillAim, DrillPlan,
    FEATURE_SETS, Feature, Noise, Optimiser, Plan, Reward, Snes, Td, TdPlan, Training, Trial, feature_set,
};
use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::cli::Common;
use crate::failure::Failure;
use crate::load::{self, GameArgs};
use crate::output::number;
use crate::rundir::{RunArgs, RunDir, write_whole};
use crate::{interrupt, output};

/// Arguments of `train`.
#[derive(ClapArgs, Debug)]
pub struct Args {
    #[command(subcommand)]
    method: Method,
}

/// How weights are found.
#[derive(Debug, Subcommand)]
enum Method {
    /// Noisy cross-entropy: draw weights, keep the best, fit the next distribution to them
    Cem {
        #[command(flatten)]
        common: CourseArgs,
        #[command(flatten)]
        search: SearchArgs,
        #[command(flatten)]
        cem: CemArgs,
    },
    /// Covariance matrix adaptation
    CmaEs {
        #[command(flatten)]
        common: CourseArgs,
        #[command(flatten)]
        search: SearchArgs,
    },
    /// Separable natural evolution strategy
    Snes {
        #[command(flatten)]
        common: CourseArgs,
        #[command(flatten)]
        search: SearchArgs,
    },
    /// Temporal differences: n-step semi-gradient learning of a value
    Td {
        #[command(flatten)]
        common: CourseArgs,
        #[command(flatten)]
        td: TdArgs,
    },
    /// Classification-based modified policy iteration: rollouts, a classifier by CMA-ES, a value by regression
    Cbmpi {
        #[command(flatten)]
        common: CourseArgs,
        #[command(flatten)]
        cbmpi: CbmpiArgs,
    },
}

/// What every method takes.
#[derive(ClapArgs, Debug)]
struct CourseArgs {
    #[command(flatten)]
    game: GameArgs,

    /// Features: a set (dellacherie, dt8, dt9, bertsekas, lee, contour, report, radial, surface, blitz, fewest-keys),
    /// single ones, or a comma-separated list of both
    #[arg(long, value_name = "LIST")]
    features: Option<String>,

    #[command(flatten)]
    keep: RunArgs,

    /// Learn on a board of this height and less work; 0 keeps the game's own [default: 10 where it is higher,
    /// for td the game's own]
    #[arg(long, value_name = "ROWS")]
    low: Option<usize>,

    /// Then play on the real board until this many games are lost (guideline games: this many games to their end), and
    /// note the result in the weights
    #[arg(long, value_name = "LOSSES", default_value_t = 0)]
    confirm: u64,
}

/// What the black-box methods take.
#[derive(ClapArgs, Debug)]
struct SearchArgs {
    /// Weights to start from: a built-in controller or a file; features it does not have start at 0
    #[arg(long, value_name = "NAME-OR-FILE")]
    start: Option<String>,

    /// Standard deviation of the first generation [default: 10, or a tenth of the largest weight of --start]
    #[arg(long, value_name = "S", value_parser = positive)]
    scale: Option<f64>,

    /// Candidates in a generation [default: 60 in guideline games, 100 for cem, else 4 + 3 ln(features)]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(4..=100_000))]
    population: Option<u64>,

    /// Generations [default: 25; in guideline games 60]
    #[arg(long, value_name = "N")]
    generations: Option<u64>,

    /// Games for each candidate; all candidates of a generation get the same pieces [default: 16; in guideline games 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..1 << 24))]
    games: Option<u64>,

    /// Fewer games as the elite gets better: half as many for every factor of ten
    #[arg(long)]
    varying: bool,

    /// Every candidate plays all its games, however bad it is
    #[arg(long)]
    no_racing: bool,

    /// Stop a game after this many pieces: at first, and more when half the games of the elite reach it; in guideline
    /// games always [default: 1000; blitz 70, sprint none]
    #[arg(long, value_name = "PIECES", value_parser = clap::value_parser!(u64).range(1..))]
    cap: Option<u64>,

    /// Stop when the elite is worth this much on average
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    goal: Option<f64>,

    /// What is maximised: lines or score per lost game; in guideline games score, few pieces or few keys [default:
    /// lines; sprint pieces, blitz score]
    #[arg(long, value_enum)]
    aim: Option<AimArg>,

    /// Guideline games: look at straight drops only, or at all placements [default: drop for sprint, else all]
    #[arg(long, value_enum)]
    path: Option<PathArg>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum AimArg {
    Lines,
    Score,
    Pieces,
    Keys,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PathArg {
    Drop,
    All,
}

/// What cross-entropy takes.
#[derive(ClapArgs, Debug)]
struct CemArgs {
    /// Candidates that fit the next distribution
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    elites: u64,

    /// Elites that take part in the next generation too
    #[arg(long, value_name = "N", default_value_t = 0)]
    retain: u64,

    /// Noise on the variances: none, constant:Z, or decreasing:Z:T for max(Z - generation/T, 0)
    #[arg(long, value_name = "NOISE", default_value = "decreasing:5:5", value_parser = noise)]
    noise: Noise,

    /// Only variances, no correlations
    #[arg(long)]
    diagonal: bool,
}

/// What temporal differences take.
#[derive(ClapArgs, Debug)]
struct TdArgs {
    /// Games to learn from
    #[arg(long, value_name = "N", default_value_t = 50)]
    episodes: u64,

    /// Rewards looked ahead
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    steps: u64,

    /// What the next reward is worth compared with this one
    #[arg(long, value_name = "L", default_value_t = 0.9)]
    discount: f64,

    /// Learning rate of the first episode
    #[arg(long, value_name = "A", default_value_t = 0.1, value_parser = positive)]
    rate: f64,

    /// The learning rate in episode k is A exp(-k / C)
    #[arg(long, value_name = "C", default_value_t = 20.0, value_parser = positive)]
    rate_episodes: f64,

    /// Take the learning rate as it is, not relative to the squared length of the features
    #[arg(long)]
    absolute: bool,

    /// A random placement is taken with probability E / (1 + C ln k); this is E
    #[arg(long, value_name = "E", default_value_t = 0.0)]
    curiosity: f64,

    /// A random placement is taken with probability E / (1 + C ln k); this is C
    #[arg(long, value_name = "C", default_value_t = 10.0)]
    exploration: f64,

    /// Reward for a fall of the mean height by 1
    #[arg(long, value_name = "R", default_value_t = 1.0)]
    reward_height: f64,

    /// Reward for one hole less
    #[arg(long, value_name = "R", default_value_t = 1.0)]
    reward_holes: f64,

    /// Reward for a point
    #[arg(long, value_name = "R", default_value_t = 0.0)]
    reward_score: f64,

    /// Price of losing the game
    #[arg(long, value_name = "R", default_value_t = 0.0)]
    reward_loss: f64,

    /// Features as they are, not divided by the most they can be
    #[arg(long)]
    unscaled: bool,

    /// Keep the length of the weight vector at 1
    #[arg(long)]
    normalised: bool,

    /// Learn this many times, with seeds S, S + 1, ..., and give the mean learning curve with intervals
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    runs: u64,

    /// With --runs: games that measure each controller learned
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..1 << 24))]
    games: u64,

    /// Stop an episode after this many pieces
    #[arg(long, value_name = "PIECES", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    cap: u64,
}

/// What policy iteration takes.
#[derive(ClapArgs, Debug)]
struct CbmpiArgs {
    /// Weights of the first policy: a built-in controller or a file [default: random ones]
    #[arg(long, value_name = "NAME-OR-FILE")]
    start: Option<String>,

    /// How often the policy is improved
    #[arg(long, value_name = "N", default_value_t = 20)]
    iterations: u64,

    /// Sampled states per iteration
    #[arg(long, value_name = "N", default_value_t = 4000, value_parser = clap::value_parser!(u64).range(1..1 << 24))]
    states: u64,

    /// States are reached after fewer pieces than this
    #[arg(long, value_name = "PIECES", default_value_t = 500, value_parser = clap::value_parser!(u64).range(1..1 << 32))]
    horizon: u64,

    /// Rollouts for each placement in a state
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=200))]
    rollouts: u64,

    /// Pieces in a rollout
    #[arg(long, value_name = "PIECES", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    length: u64,

    /// Features of the value of a board
    #[arg(
        long,
        value_name = "LIST",
        default_value = "bertsekas,radial,row-transitions,column-transitions,rows-with-holes"
    )]
    value_features: String,

    /// Candidates in a generation of the search for the policy
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u64).range(4..=100_000))]
    population: u64,

    /// Generations of the search for the policy
    #[arg(long, value_name = "N", default_value_t = 40)]
    generations: u64,

    /// Games that measure each policy for the learning curve
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..1 << 24))]
    games: u64,
}

/// Trains a controller.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let (name, course_args) = args.method.parts();
    let loaded = course_args.game.load()?;
    if let Game::Guideline(game) = &loaded {
        return run_guideline(args, game, common);
    }
    let real = load::placement(&loaded)?;
    let low = match course_args.low {
        Some(0) => real.height(),
        Some(rows) => rows,
        None if name == "td" => real.height(),
        None => real.height().min(10),
    };
    let game = if low == real.height() { real.clone() } else { lowered(&course_args.game, low)? };
    let default_features = match name {
        "td" => "surface",
        "cbmpi" => "dt9",
        _ => "dt8",
    };
    let features = features(course_args.features.as_deref().unwrap_or(default_features), &game, false)?;
    let course = course(&args.method, &features, &game, common.seed)?;
    if let (Method::Td { td, .. }, Course::Td(first)) = (&args.method, &course)
        && td.runs > 1
    {
        return td_runs(&first.plan, td, &game, &features, course_args, common);
    }
    let config = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "method": name,
        "seed": common.seed,
        "game": real.to_toml(),
        "trained_on": game.to_toml(),
        "plan": plan_of(&course),
    });
    let ground = Ground { name: real.name().to_owned(), real: &real, game: &game, guideline: None };
    learn(name, course_args, course, &features, config, &ground, common)
}

/// Where a course learns.
struct Ground<'a> {
    name: String,
    real: &'a PlacementGame,
    /// The game learned on; the placement game with the same board if it is a guideline game.
    game: &'a PlacementGame,
    guideline: Option<&'a GuidelineGame>,
}

/// Trains a controller of guideline games.
fn run_guideline(args: &Args, game: &GuidelineGame, common: &Common) -> Result<(), Failure> {
    let (name, course_args) = args.method.parts();
    let rules = *game.rules();
    let (Method::Cem { search, .. } | Method::CmaEs { search, .. } | Method::Snes { search, .. }) =
        &args.method
    else {
        return Err(Failure::input(format!(
            "`{}` is a guideline game; train {name} needs a placement game",
            game.name()
        )));
    };
    for (given, option) in [
        (course_args.low.is_some(), "--low"),
        (search.varying, "--varying"),
        (search.no_racing, "--no-racing"),
    ] {
        if given {
            let name = game.name();
            return Err(Failure::input(format!(
                "{option} is for placement games; `{name}` is a guideline game"
            )));
        }
    }
    let sprint = rules.goal.lines.is_some();
    let aim = match search.aim {
        None if sprint => DrillAim::Pieces,
        None | Some(AimArg::Score) => DrillAim::Score,
        Some(AimArg::Pieces) => DrillAim::Pieces,
        Some(AimArg::Keys) => DrillAim::Keys,
        Some(AimArg::Lines) => {
            return Err(Failure::input("--aim lines is for placement games; give score, pieces or keys"));
        }
    };
    let (pieces, cap) = (rules.goal.pieces, search.cap.map(|cap| u32::try_from(cap).unwrap_or(u32::MAX)));
    if !sprint && pieces.is_none() && cap.is_none() {
        return Err(Failure::input(format!("`{}` has no goal and may never end; give --cap", game.name())));
    }
    if aim != DrillAim::Score && !sprint {
        return Err(Failure::input(format!("--aim: `{}` is played for a score", game.name())));
    }
    let board = equivalent();
    let default = match aim {
        DrillAim::Pieces => "lee",
        DrillAim::Score => "blitz",
        DrillAim::Keys => "fewest-keys",
    };
    let features = features(course_args.features.as_deref().unwrap_or(default), &board, true)?;
    let path = search.path.unwrap_or(if sprint { PathArg::Drop } else { PathArg::All });
    let plan = DrillPlan {
        features: features.iter().map(Feature::to_string).collect(),
        drops: path == PathArg::Drop,
        rules,
        aim,
        games: search.games.unwrap_or(1),
        pieces: cap.or((!sprint).then_some(70)),
        generations: search.generations.unwrap_or(60),
        goal: search.goal,
        seed: common.seed,
    };
    let optimiser = optimiser(&args.method, search, &features, Some(60), common.seed)?;
    let course = Course::Drill(Box::new(Drill::new(plan, optimiser)));
    let config = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "method": name,
        "seed": common.seed,
        "game": game.to_toml(),
        "plan": plan_of(&course),
    });
    let ground = Ground { name: game.name().to_owned(), real: &board, game: &board, guideline: Some(game) };
    learn(name, course_args, course, &features, config, &ground, common)
}

/// Goes through a course and writes what it gives.
fn learn(
    name: &str,
    course_args: &CourseArgs,
    course: Course,
    features: &[Feature],
    config: Value,
    ground: &Ground<'_>,
    common: &Common,
) -> Result<(), Failure> {
    let run_dir = course_args.keep.run.as_deref().map(|name| {
        if Path::new(name).components().count() == 1 { Path::new("runs").join(name) } else { name.into() }
    });
    let (mut run_dir, mut course) = match run_dir {
        Some(path) if course_args.keep.resume => {
            let (run, course) = RunDir::resume(&path, config)?;
            (Some(run), course)
        }
        Some(path) => (Some(RunDir::create(&path, config, &course)?), course),
        None => (None, course),
    };

    let begin = Instant::now();
    let bar = output::progress(common.quiet, course.progress().1, "training");
    let mut interrupted = false;
    while !course.is_done() {
        if !course.step(ground.game, features, &interrupt::go_on) {
            interrupted = true;
            break;
        }
        bar.set_position(course.progress().0);
        bar.set_message(summary(&course));
        if let Some(run) = &mut run_dir {
            let weights = finished(&course, name, ground, features, common.seed).map(|it| it.to_json());
            run.store(&course, weights.as_deref())?;
        }
    }
    bar.finish_and_clear();
    let seconds = begin.elapsed().as_secs_f64();
    let Some(mut controller) = finished(&course, name, ground, features, common.seed) else {
        let why = if interrupted { "interrupted before anything was learned" } else { "nothing was learned" };
        return Err(Failure::run(anyhow::anyhow!(why)));
    };
    if !common.quiet {
        let ended = if interrupted { "interrupted" } else { "done" };
        eprintln!("{ended}: {}; {:.1} s", summary(&course), seconds);
    }
    if course_args.confirm > 0 && !interrupted {
        controller = match ground.guideline {
            None => confirmed(controller, ground.real, course_args.confirm, common)?,
            Some(game) => confirmed_guideline(controller, game, course_args.confirm, common)?,
        };
    }
    let weights = controller.to_json();
    if let Some(path) = &course_args.keep.output {
        write_whole(path, &weights)?;
    }
    if let Some(run) = &mut run_dir {
        run.store(&course, Some(&weights))?;
    }
    if common.json {
        let weights: Value = serde_json::from_str(&weights).map_err(Failure::run)?;
        let rows = course.rows();
        return output::json(&json!({
            "method": name,
            "game": ground.name,
            "seed": common.seed,
            "version": env!("CARGO_PKG_VERSION"),
            "interrupted": interrupted,
            "steps": course.progress().0,
            "pieces": course.pieces(),
            "seconds": seconds,
            "columns": course.columns(),
            "curve": rows,
            "weights": weights,
        }));
    }
    if course_args.keep.output.is_none() {
        write!(io::stdout().lock(), "{weights}")?;
    }
    Ok(())
}

impl Method {
    fn parts(&self) -> (&'static str, &CourseArgs) {
        match self {
            Method::Cem { common, .. } => ("cem", common),
            Method::CmaEs { common, .. } => ("cma-es", common),
            Method::Snes { common, .. } => ("snes", common),
            Method::Td { common, .. } => ("td", common),
            Method::Cbmpi { common, .. } => ("cbmpi", common),
        }
    }
}

/// Learns many times by temporal differences: how good it gets, and how.
fn td_runs(
    plan: &TdPlan,
    args: &TdArgs,
    game: &PlacementGame,
    features: &[Feature],
    course_args: &CourseArgs,
    common: &Common,
) -> Result<(), Failure> {
    if course_args.keep.run.is_some() || course_args.keep.output.is_some() {
        return Err(Failure::input(
            "--runs above 1 gives a curve, not one controller; leave out --run and -o",
        ));
    }
    let bar = output::progress(common.quiet, args.runs, "runs");
    let learned: Vec<Option<(Td, f64)>> = (0..args.runs)
        .into_par_iter()
        .map(|number| {
            let seed = plan.seed.wrapping_add(number);
            let mut td = Td::new(TdPlan { seed, ..plan.clone() });
            while !td.is_done() {
                td.step(game, features, &interrupt::go_on)?;
            }
            let controller = td.controller("td", game, features)?;
            let mut sum = 0.0;
            for index in 0..args.games {
                // Other pieces than those learned from; the same for every run, so that runs can be compared.
                let chance = stream(plan.seed.wrapping_add(1 << 32), Purpose::Dealer, index);
                sum += Trial::new(game, &controller).play(game, chance, plan.cap).score;
            }
            bar.inc(1);
            Some((td, sum / args.games as f64))
        })
        .collect();
    bar.finish_and_clear();
    let learned: Vec<(Td, f64)> = learned.into_iter().flatten().collect();
    if (learned.len() as u64) < args.runs {
        return Err(Failure::run(anyhow::anyhow!(
            "interrupted: {} of {} runs done",
            learned.len(),
            args.runs
        )));
    }
    let score = Summary::of(&learned.iter().map(|(_, score)| *score).collect::<Vec<_>>());
    let block = |td: &Td, from: usize| {
        let rows = &td.history[from..(from + 10).min(td.history.len())];
        rows.iter().map(|row| row.score).sum::<f64>() / rows.len().max(1) as f64
    };
    let blocks: Vec<usize> = (0..plan.episodes as usize).step_by(10).collect();
    let total = |from: usize| learned.iter().map(|(td, _)| block(td, from)).sum::<f64>();
    let best = blocks.iter().copied().max_by(|&a, &b| total(a).total_cmp(&total(b))).unwrap_or(0);
    let last = (plan.episodes as usize).saturating_sub(10);
    let shortfall =
        Summary::of(&learned.iter().map(|(td, _)| block(td, last) - block(td, best)).collect::<Vec<_>>());
    let curve: Vec<Value> = (0..plan.episodes as usize)
        .map(|episode| {
            let scores: Vec<f64> = learned.iter().map(|(td, _)| td.history[episode].score).collect();
            let summary = Summary::of(&scores);
            json!({ "episode": episode + 1, "mean": summary.mean, "ci95": summary.ci95 })
        })
        .collect();
    if common.json {
        return output::json(&json!({
            "method": "td",
            "game": game.name(),
            "seed": common.seed,
            "version": env!("CARGO_PKG_VERSION"),
            "plan": plan,
            "runs": args.runs,
            "games": args.games,
            "score": score,
            "curve": curve,
            "last_ten_minus_best_ten": shortfall,
        }));
    }
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "{}: td, {} runs of {} episodes, seeds from {}",
        game.name(),
        args.runs,
        plan.episodes,
        common.seed
    )?;
    let interval = |summary: &Summary| {
        format!("{} [{}, {}]", number(summary.mean), number(summary.ci95[0]), number(summary.ci95[1]))
    };
    writeln!(out, "  score of the controllers learned, {} games each: {}", args.games, interval(&score))?;
    for from in blocks {
        let mean = learned.iter().map(|(td, _)| block(td, from)).collect::<Vec<_>>();
        writeln!(out, "  episodes from {:3}: {}", from + 1, interval(&Summary::of(&mean)))?;
    }
    writeln!(out, "  last ten minus best ten: {}", interval(&shortfall))?;
    Ok(())
}

/// The same game on a board of another height.
fn lowered(args: &GameArgs, height: usize) -> Result<PlacementGame, Failure> {
    let mut args = args.clone();
    args.overrides.push(format!("board.height={height}"));
    args.load_placement()
}

/// The features a list names, without repetition; `guideline` games have some that others have not.
fn features(list: &str, game: &PlacementGame, guideline: bool) -> Result<Vec<Feature>, Failure> {
    let mut features: Vec<Feature> = Vec::new();
    for name in list.split(',').map(str::trim) {
        let named = match feature_set(name, game) {
            Some(set) => set,
            None => {
                let feature = name.parse::<Feature>().map_err(|error| {
                    let sets: Vec<&str> = FEATURE_SETS.iter().map(|(name, _)| *name).collect();
                    Failure::input(format!("--features: {error}; sets: {}", sets.join(", ")))
                })?;
                vec![feature]
            }
        };
        for feature in named {
            if !(guideline && feature.is_of_guideline()) {
                feature.check(game).map_err(|error| Failure::input(format!("--features: {error}")))?;
            }
            if !features.contains(&feature) {
                features.push(feature);
            }
        }
    }
    Ok(features)
}

fn course(method: &Method, features: &[Feature], game: &PlacementGame, seed: u64) -> Result<Course, Failure> {
    let names: Vec<String> = features.iter().map(Feature::to_string).collect();
    let search = |search: &SearchArgs| {
        let plan = Plan {
            features: names.clone(),
            aim: match search.aim {
                None | Some(AimArg::Lines) => Aim::Lines,
                Some(AimArg::Score) => Aim::Score,
                Some(AimArg::Pieces | AimArg::Keys) => {
                    return Err(Failure::input("--aim pieces and keys are for guideline games"));
                }
            },
            games: search.games.unwrap_or(16),
            varying: search.varying,
            racing: !search.no_racing,
            cap: search.cap.unwrap_or(1000),
            generations: search.generations.unwrap_or(25),
            goal: search.goal,
            seed,
        };
        if search.path.is_some() {
            return Err(Failure::input("--path is for guideline games; others have landing.path"));
        }
        let optimiser = optimiser(method, search, features, None, seed)?;
        Ok(Course::Search(Box::new(Training::new(plan, optimiser))))
    };
    match method {
        Method::Cem { search: args, .. }
        | Method::CmaEs { search: args, .. }
        | Method::Snes { search: args, .. } => search(args),
        Method::Td { td, .. } => {
            if !(0.0..=1.0).contains(&td.discount) {
                return Err(Failure::input(format!("--discount {} is not from 0 to 1", td.discount)));
            }
            Ok(Course::Td(Box::new(Td::new(TdPlan {
                features: names,
                episodes: td.episodes,
                steps: td.steps as usize,
                discount: td.discount,
                rate: td.rate,
                rate_episodes: td.rate_episodes,
                relative: !td.absolute,
                exploration: td.exploration,
                curiosity: td.curiosity,
                reward: Reward {
                    height: td.reward_height,
                    holes: td.reward_holes,
                    score: td.reward_score,
                    loss: td.reward_loss,
                },
                scaled: !td.unscaled,
                normalised: td.normalised,
                cap: td.cap,
                seed,
            }))))
        }
        Method::Cbmpi { cbmpi, .. } => {
            let value_features = self::features(&cbmpi.value_features, game, false)?;
            let start = cbmpi.start.as_deref().map(|name| start(name, features)).transpose()?;
            let plan = CbmpiPlan {
                features: names,
                value_features: value_features.iter().map(Feature::to_string).collect(),
                iterations: cbmpi.iterations,
                states: cbmpi.states,
                horizon: cbmpi.horizon,
                rollouts: cbmpi.rollouts,
                length: cbmpi.length,
                population: cbmpi.population as usize,
                generations: cbmpi.generations,
                games: cbmpi.games,
                seed,
            };
            Ok(Course::Cbmpi(Box::new(Cbmpi::new(plan, start))))
        }
    }
}

/// The search of a black-box method.
fn optimiser(
    method: &Method,
    search: &SearchArgs,
    features: &[Feature],
    population: Option<usize>,
    seed: u64,
) -> Result<Optimiser, Failure> {
    let start = search.start.as_deref().map(|name| start(name, features)).transpose()?;
    let largest = start.iter().flatten().map(|weight| weight.abs()).fold(0.0, f64::max);
    let scale = search.scale.unwrap_or(if largest > 0.0 { largest / 10.0 } else { 10.0 });
    let mean = start.unwrap_or_else(|| vec![0.0; features.len()]);
    let population = search.population.map(|count| count as usize).or(population);
    Ok(match method {
        Method::Cem { cem, .. } => {
            let count = population.unwrap_or(100);
            let optimiser = Cem::new(mean, scale * scale, count, cem.elites as usize, seed);
            Optimiser::Cem(optimiser.noise(cem.noise).diagonal(cem.diagonal).retain(cem.retain as usize))
        }
        Method::CmaEs { .. } => Optimiser::CmaEs(CmaEs::new(mean, scale, population, seed)),
        _ => Optimiser::Snes(Snes::new(mean, scale, population, seed)),
    })
}

/// The weights to start from, feature by feature.
fn start(name: &str, features: &[Feature]) -> Result<Vec<f64>, Failure> {
    let controller = match Controller::built_in(name) {
        Some(controller) => controller,
        None if Path::new(name).is_file() => {
            let text = fs::read_to_string(name)
                .map_err(|error| Failure::input(format!("--start {name}: {error}")))?;
            Controller::read(&text).map_err(|error| Failure::input(format!("--start {name}: {error}")))?
        }
        None => {
            let hint = suggestion(name, BUILT_IN_CONTROLLERS.iter().map(|(known, _)| *known));
            return Err(Failure::input(format!("--start: there are no weights `{name}`; {hint}")));
        }
    };
    let weight = |feature: &Feature| {
        let known = controller.features().iter().position(|known| known == feature);
        known.map_or(0.0, |index| controller.weights()[index])
    };
    Ok(features.iter().map(weight).collect())
}

/// Everything about a course that does not change while it runs.
fn plan_of(course: &Course) -> Value {
    match course {
        Course::Drill(drill) => json!({ "valuing": drill.plan, "search": drill.optimiser }),
        Course::Search(training) => json!({ "valuing": training.plan, "search": training.optimiser }),
        Course::Td(td) => json!(td.plan),
        Course::Cbmpi(cbmpi) => json!({ "iterating": cbmpi.plan, "policy": cbmpi.policy }),
    }
}

/// The controller learned so far, with how it was made.
fn finished(
    course: &Course,
    method: &str,
    ground: &Ground<'_>,
    features: &[Feature],
    seed: u64,
) -> Option<Controller> {
    let game = ground.game;
    let controller = course.controller(&format!("{method}-{seed}"), game, features)?;
    let steps = course.progress().0;
    let made = json!({
        "by": format!("bellmino {} train {method}", env!("CARGO_PKG_VERSION")),
        "seed": seed,
        "trained_on": format!("{}x{}", game.width(), game.height()),
        "steps": steps,
        "pieces": course.pieces(),
    });
    Some(controller.with_note("game", json!(ground.name)).with_note("made", made))
}

/// Plays on the real board and notes the result.
fn confirmed(
    controller: Controller,
    game: &PlacementGame,
    losses: u64,
    common: &Common,
) -> Result<Controller, Failure> {
    let player = Player::of_controller(controller.name(), controller.clone(), game);
    // Other pieces than those learned from.
    let seed = common.seed.wrapping_add(1 << 32);
    let settings = ArenaSettings { losses: Some(losses), seed, ..ArenaSettings::default() };
    let bar = output::progress(common.quiet, losses, "confirming");
    let report = evaluate(&Game::Placement(game.clone()), &[player], &settings, &|games| {
        bar.inc(games);
        interrupt::go_on()
    })
    .map_err(Failure::input)?;
    bar.finish_and_clear();
    let result = &report.players[0];
    if !common.quiet
        && let Some(mean) = result.lines_per_loss.mean
    {
        eprintln!("confirmed: {} lines per loss from {} losses", number(mean), result.lines_per_loss.losses);
    }
    let measured = json!([{
        "game": game.name(),
        "board": format!("{}x{}", game.width(), game.height()),
        "seed": seed,
        "lines_per_loss": result.lines_per_loss,
    }]);
    Ok(controller.with_note("measured", measured))
}

/// Plays whole guideline games and notes the result.
fn confirmed_guideline(
    controller: Controller,
    game: &GuidelineGame,
    games: u64,
    common: &Common,
) -> Result<Controller, Failure> {
    let pilot = Pilot::new(controller.clone()).map_err(Failure::input)?;
    let player = Player::of_pilot(controller.name(), pilot);
    // Other pieces than those learned from.
    let seed = common.seed.wrapping_add(1 << 32);
    let settings = ArenaSettings { games, seed, ..ArenaSettings::default() };
    let bar = output::progress(common.quiet, games, "confirming");
    let report = evaluate(&Game::Guideline(game.clone()), &[player], &settings, &|games| {
        bar.inc(games);
        interrupt::go_on()
    })
    .map_err(Failure::input)?;
    bar.finish_and_clear();
    let result = &report.players[0];
    let reached = result.guideline.as_ref().map_or(0, |counts| counts.cleared_goal);
    if !common.quiet {
        let (score, pieces) = (number(result.score.mean), number(result.pieces.mean));
        eprintln!("confirmed: score {score}, pieces {pieces}, goal reached in {reached} of {games} games");
    }
    let measured = json!([{
        "game": game.name(),
        "games": games,
        "seed": seed,
        "score": result.score,
        "pieces": result.pieces,
        "cleared_goal": reached,
    }]);
    Ok(controller.with_note("measured", measured))
}

fn summary(course: &Course) -> String {
    let rows = course.rows();
    let Some(row) = rows.last() else { return "training".to_owned() };
    let columns = course.columns().iter().zip(row).take(4);
    columns.map(|(name, value)| format!("{name} {}", number(value.round()))).collect::<Vec<_>>().join(", ")
}

fn noise(text: &str) -> Result<Noise, String> {
    let wrong = || "give none, constant:Z, or decreasing:Z:T, such as decreasing:5:10".to_owned();
    let parse =
        |text: &str| text.parse::<f64>().ok().filter(|x| x.is_finite() && *x >= 0.0).ok_or_else(wrong);
    let parts: Vec<&str> = text.split(':').collect();
    match parts[..] {
        ["none"] => Ok(Noise::None),
        ["constant", z] => Ok(Noise::Constant(parse(z)?)),
        ["decreasing", z, t] => {
            let slowness = parse(t)?;
            if slowness == 0.0 { Err(wrong()) } else { Ok(Noise::Decreasing { start: parse(z)?, slowness }) }
        }
        _ => Err(wrong()),
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err("give a positive number".to_owned()),
    }
}
