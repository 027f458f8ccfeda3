//! `bellmino train`.

use std::io::{self, Write};
use std::path::PathBuf;

use bellmino_host::{CLOCK, Files, RunDir};
use bellmino_lab::PlayerReport;
use bellmino_lab::statistics::Summary;
use bellmino_lab::training::{
    Approach, CemOptions, Ground, Learned, Method, Recipe, SearchAim, SearchMethod, SearchOptions,
    StartWeights, TdRuns, Training, VALUE_FEATURES,
};
use bellmino_learn::{CbmpiPlan, Noise, TdPlan, TdReward, TuplePlan, Window};
use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use serde_json::json;

use crate::cli::Common;
use crate::failure::Failure;
use crate::load::GameArgs;
use crate::output::number;
use crate::run_args::{RunArgs, positive, refuse, reopen};
use crate::{interrupt, output, session};

/// Arguments of `train`.
#[derive(ClapArgs, Debug)]
#[command(args_conflicts_with_subcommands = true, arg_required_else_help = true)]
pub struct Args {
    #[command(subcommand)]
    method: Option<MethodArgs>,

    #[command(flatten)]
    again: ResumeArgs,
}

/// What goes on with a run takes: all else is in its folder.
#[derive(ClapArgs, Debug)]
struct ResumeArgs {
    /// Go on with the run of this name where it stopped, as it was begun: METHOD, GAME and all options are known
    #[arg(long, value_name = "NAME", num_args = 0..=1)]
    resume: Option<Option<String>>,

    /// The same name, for --resume without one
    #[arg(long, value_name = "NAME", requires = "resume")]
    run: Option<String>,

    /// Where the weights go; stdout when absent
    #[arg(long, short, value_name = "FILE", requires = "resume")]
    output: Option<PathBuf>,

    /// Draw the learning curve into this SVG file at the end
    #[arg(long, value_name = "FILE.svg", requires = "resume")]
    plot: Option<PathBuf>,

    /// Then play on the real board until this many games are lost
    #[arg(long, value_name = "LOSSES", default_value_t = 0, requires = "resume")]
    confirm: u64,
}

/// How weights are found.
#[derive(Debug, Subcommand)]
enum MethodArgs {
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
    /// A value over windows of the board, by temporal differences from nothing: the player tuples:FILE
    Tuples {
        #[command(flatten)]
        common: CourseArgs,
        #[command(flatten)]
        tuples: TuplesArgs,
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

    /// Go on with the run of --run where it stopped; `bellmino train --resume NAME` needs no other arguments
    #[arg(long, requires = "run")]
    resume: bool,

    /// Learn on a board of this height and less work; 0 keeps the game's own [default: 10 where it is higher,
    /// for td and tuples the game's own]
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

    /// What is maximised: lines or score per lost game; in guideline games score, score-with-drops (points for drops
    /// included), few pieces or few keys [default: lines; sprint pieces, blitz score]
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
    ScoreWithDrops,
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

    /// A random placement is taken with probability E / (1 + C ln k); this is C: the larger, the sooner it explores less
    #[arg(long, value_name = "C", default_value_t = 10.0)]
    exploration_decay: f64,

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
    #[arg(long, value_name = "N", default_value_t = 16)]
    iterations: u64,

    /// Sampled states per iteration
    #[arg(long, value_name = "N", default_value_t = 16_000, value_parser = clap::value_parser!(u64).range(1..1 << 24))]
    states: u64,

    /// States are those of games of this many pieces; all heights of a game are equally likely
    #[arg(long, value_name = "PIECES", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..1 << 32))]
    horizon: u64,

    /// Rollouts for each placement in a state
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=200))]
    rollouts: u64,

    /// Pieces in a rollout
    #[arg(long, value_name = "PIECES", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..))]
    length: u64,

    /// What the value of the board at the end of a rollout is multiplied by for each piece of the rollout
    #[arg(long, value_name = "L", default_value_t = 0.99)]
    discount: f64,

    /// Features of the value of a board
    #[arg(long, value_name = "LIST", default_value = VALUE_FEATURES)]
    value_features: String,

    /// Candidates in a generation of the search for the policy
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(4..=100_000))]
    population: u64,

    /// Generations of the search for the policy
    #[arg(long, value_name = "N", default_value_t = 40)]
    generations: u64,

    /// Games that measure each of the five policies of an iteration
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u64).range(1..1 << 24))]
    games: u64,
}

/// What tuples take.
#[derive(ClapArgs, Debug)]
struct TuplesArgs {
    /// The windows, columns x rows, such as 3x5,5x3; each has a table at every place of the board [default: 3x5,5x3 on
    /// boards of at most 6x6, else 4x4]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    windows: Vec<Window>,

    /// Steps; the learning curve has a row for each
    #[arg(long, value_name = "N", default_value_t = 100)]
    steps: u64,

    /// Moves in a step
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..1 << 40))]
    moves: u64,

    /// The part of an error that is corrected at once while errors agree; of units how far they follow the gradient
    /// [default: 1, with units 0.0003]
    #[arg(long, value_name = "A", value_parser = positive)]
    rate: Option<f64>,

    /// What the next points are worth compared with these; below 1 where games may never end [default: 1, with units 0.99]
    #[arg(long, value_name = "L")]
    discount: Option<f64>,

    /// How much the surprise of each later move counts, compared with the move before; 0 for the next one alone [default:
    /// 0, with units 0.55]
    #[arg(long, value_name = "L")]
    trace: Option<f64>,

    /// The most moves whose surprises count
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=1000))]
    reach: u16,

    /// Learn from all pieces that may come, by their probability, not only from the one that comes: less chance, more work
    #[arg(long, conflicts_with = "units")]
    every_piece: bool,

    /// The probability of any placement instead of the best; one game in sixteen goes without, for the learning curve
    /// [default: 0.02]
    #[arg(long, value_name = "E", conflicts_with = "units")]
    curiosity: Option<f64>,

    /// Instead of windows so many units over the outline of the board: heights, differences of neighbours, holes
    #[arg(long, value_name = "N", conflicts_with = "windows")]
    units: Option<u16>,

    /// With units: placements by lot, each e times as likely as one that is worth less by this; it falls to a fiftieth over
    /// all steps [default: 0.5]
    #[arg(long, value_name = "T", requires = "units")]
    temperature: Option<f64>,

    /// With units: a placement brings exp(-holes / H) instead of its points; 0 for the points [default: 33]
    #[arg(long, value_name = "H", requires = "units")]
    holes: Option<f64>,
}

/// Trains a controller.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let Some(method) = &args.method else { return resume(&args.again, common) };
    let course = method.course();
    let recipe = Recipe {
        game: course.game.load(common)?,
        seed: common.seed(),
        features: course.features.clone(),
        low: course.low,
        approach: method.approach()?,
    };
    let keeps = course.keep.output.is_some() || course.keep.run.is_some() || common.json;
    if recipe.method() == Method::Tuples && !keeps {
        return Err(Failure::input("tuples are no text: give -o FILE.tuples, or --run NAME"));
    }
    let mut training = Training::new(&recipe).map_err(refuse)?;
    if let MethodArgs::Td { td, .. } = method
        && td.runs > 1
    {
        return td_runs(&training, td, course, common);
    }
    let folder = course.keep.folder(&mut training, course.resume)?;
    go_through(training, folder, &course.keep, course.confirm, common)
}

/// Goes on with a run of which only the name is given.
fn resume(args: &ResumeArgs, common: &Common) -> Result<(), Failure> {
    let ResumeArgs { resume, run, output, plot, confirm } = args;
    let name = resume.as_ref().and_then(|name| name.as_ref()).or(run.as_ref());
    let name = name.ok_or_else(|| {
        Failure::input("give a METHOD and a GAME, such as `bellmino train cem classic`, or --resume NAME to go on with a run")
    })?;
    let (folder, training) = reopen(name, false, common)?;
    let keep = RunArgs { output: output.clone(), run: Some(name.clone()), plot: plot.clone() };
    go_through(training, Some(folder), &keep, *confirm, common)
}

/// Trains to the end and keeps what was learned.
fn go_through(
    mut training: Training,
    folder: Option<RunDir>,
    keep: &RunArgs,
    confirm: u64,
    common: &Common,
) -> Result<(), Failure> {
    let mut trained = RunArgs::train(&mut training, folder, summary, common)?;
    let Some(mut learned) = training.learned() else {
        let interrupted = trained.interrupted;
        let why = if interrupted { "interrupted before anything was learned" } else { "nothing was learned" };
        return Err(Failure::run(anyhow::anyhow!(why)));
    };
    if confirm > 0 && !trained.interrupted {
        let bar = output::progress(common.quiet, confirm, "confirming");
        let crew = session::crew();
        let confirmed = training.confirm(learned, confirm, crew.as_deref(), CLOCK, &|games| {
            bar.inc(games);
            interrupt::go_on()
        });
        bar.finish_and_clear();
        let (noted, report) = confirmed.map_err(refuse)?;
        learned = noted;
        if !common.quiet {
            say_confirmed(training.ground(), &report, confirm);
        }
    }
    let weights = learned.file();
    keep.keep(&mut trained, &training, &weights)?;
    if common.json {
        let course = training.course();
        return output::json(&json!({
            "method": training.method(),
            "game": training.ground().name(),
            "seed": training.config().seed,
            "version": env!("CARGO_PKG_VERSION"),
            "interrupted": trained.interrupted,
            "steps": course.progress().0,
            "pieces": course.pieces(),
            "seconds": trained.seconds,
            "columns": course.columns(),
            "curve": course.rows(),
            "weights": learned.to_value(),
        }));
    }
    if keep.output.is_none() && !matches!(learned, Learned::Tuples(_)) {
        io::stdout().lock().write_all(&weights)?;
    }
    Ok(())
}

impl MethodArgs {
    fn course(&self) -> &CourseArgs {
        match self {
            MethodArgs::Cem { common, .. }
            | MethodArgs::CmaEs { common, .. }
            | MethodArgs::Snes { common, .. }
            | MethodArgs::Td { common, .. }
            | MethodArgs::Cbmpi { common, .. }
            | MethodArgs::Tuples { common, .. } => common,
        }
    }

    fn approach(&self) -> Result<Approach, Failure> {
        Ok(match self {
            MethodArgs::Cem { search, cem, .. } => {
                let method = SearchMethod::Cem(CemOptions {
                    elites: cem.elites as usize,
                    retain: cem.retain as usize,
                    noise: cem.noise,
                    diagonal: cem.diagonal,
                });
                Approach::Search(method, search.options()?)
            }
            MethodArgs::CmaEs { search, .. } => Approach::Search(SearchMethod::CmaEs, search.options()?),
            MethodArgs::Snes { search, .. } => Approach::Search(SearchMethod::Snes, search.options()?),
            MethodArgs::Td { td, .. } => Approach::Td(td.plan()),
            MethodArgs::Cbmpi { cbmpi, .. } => Approach::Cbmpi {
                plan: cbmpi.plan(),
                value_features: cbmpi.value_features.clone(),
                start: start(cbmpi.start.as_deref())?,
            },
            MethodArgs::Tuples { tuples, .. } => Approach::Tuples(tuples.plan()),
        })
    }
}

impl SearchArgs {
    fn options(&self) -> Result<SearchOptions, Failure> {
        let aim = |aim| match aim {
            AimArg::Lines => SearchAim::Lines,
            AimArg::Score => SearchAim::Score,
            AimArg::ScoreWithDrops => SearchAim::ScoreWithDrops,
            AimArg::Pieces => SearchAim::Pieces,
            AimArg::Keys => SearchAim::Keys,
        };
        Ok(SearchOptions {
            start: start(self.start.as_deref())?,
            scale: self.scale,
            population: self.population.map(|count| count as usize),
            generations: self.generations,
            games: self.games,
            varying: self.varying,
            no_racing: self.no_racing,
            cap: self.cap,
            goal: self.goal,
            aim: self.aim.map(aim),
            drops: self.path.map(|path| path == PathArg::Drop),
        })
    }
}

impl TdArgs {
    fn plan(&self) -> TdPlan {
        TdPlan {
            episodes: self.episodes,
            steps: self.steps as usize,
            discount: self.discount,
            rate: self.rate,
            rate_episodes: self.rate_episodes,
            relative: !self.absolute,
            exploration_decay: self.exploration_decay,
            curiosity: self.curiosity,
            reward: TdReward {
                height: self.reward_height,
                holes: self.reward_holes,
                score: self.reward_score,
                loss: self.reward_loss,
            },
            scaled: !self.unscaled,
            normalised: self.normalised,
            cap: self.cap,
            ..TdPlan::default()
        }
    }
}

impl CbmpiArgs {
    fn plan(&self) -> CbmpiPlan {
        CbmpiPlan {
            iterations: self.iterations,
            states: self.states,
            horizon: self.horizon,
            rollouts: self.rollouts,
            length: self.length,
            discount: self.discount,
            population: self.population as usize,
            generations: self.generations,
            games: self.games,
            ..CbmpiPlan::default()
        }
    }
}

impl TuplesArgs {
    fn plan(&self) -> TuplePlan {
        let usual = match self.units {
            Some(units) => TuplePlan::of_units(units.into()),
            None => TuplePlan::default(),
        };
        TuplePlan {
            windows: self.windows.clone(),
            steps: self.steps,
            moves: self.moves,
            rate: self.rate.unwrap_or(usual.rate),
            discount: self.discount.unwrap_or(usual.discount),
            trace: self.trace.unwrap_or(usual.trace),
            reach: self.reach.into(),
            every_piece: self.every_piece,
            curiosity: self.curiosity.unwrap_or(usual.curiosity),
            temperature: self.temperature.unwrap_or(usual.temperature),
            holes: self.holes.unwrap_or(usual.holes),
            ..usual
        }
    }
}

fn start(name: Option<&str>) -> Result<Option<StartWeights>, Failure> {
    name.map(|name| StartWeights::load(name, &Files)).transpose().map_err(refuse)
}

/// Learns many times by temporal differences and prints how good it gets.
fn td_runs(training: &Training, args: &TdArgs, course: &CourseArgs, common: &Common) -> Result<(), Failure> {
    if course.keep.run.is_some() || course.keep.output.is_some() {
        return Err(Failure::input(
            "--runs above 1 gives a curve, not one controller; leave out --run and -o",
        ));
    }
    let bar = output::progress(common.quiet, args.runs, "runs");
    let runs = TdRuns::new(training, args.runs, args.games, &interrupt::go_on, &|| bar.inc(1));
    bar.finish_and_clear();
    let runs = runs
        .map_err(refuse)?
        .map_err(|done| Failure::run(anyhow::anyhow!("interrupted: {done} of {} runs done", args.runs)))?;
    let game = training.ground().name();
    if let Some(file) = &course.keep.plot {
        output::plot(file, &runs.figure(game))?;
    }
    if common.json {
        return output::json(&json!({
            "method": Method::Td,
            "game": game,
            "seed": common.seed(),
            "version": env!("CARGO_PKG_VERSION"),
            "plan": runs.plan,
            "runs": runs.runs,
            "games": args.games,
            "score": runs.score,
            "curve": runs.curve,
            "last_ten_minus_best_ten": runs.last_ten_minus_best_ten,
        }));
    }
    let mut out = io::stdout().lock();
    let episodes = runs.plan.episodes;
    writeln!(out, "{game}: td, {} runs of {episodes} episodes, seeds from {}", runs.runs, common.seed())?;
    let interval = |summary: &Summary| {
        format!("{} [{}, {}]", number(summary.mean), number(summary.ci95[0]), number(summary.ci95[1]))
    };
    writeln!(
        out,
        "  score of the controllers learned, {} games each: {}",
        args.games,
        interval(&runs.score)
    )?;
    for (from, mean) in &runs.blocks {
        writeln!(out, "  episodes from {:3}: {}", from + 1, interval(mean))?;
    }
    writeln!(out, "  last ten minus best ten: {}", interval(&runs.last_ten_minus_best_ten))?;
    Ok(())
}

fn say_confirmed(ground: &Ground, report: &PlayerReport, games: u64) {
    match ground {
        Ground::Placement { .. } => {
            if let Some(mean) = report.lines_per_loss.mean {
                let losses = report.lines_per_loss.losses;
                eprintln!("confirmed: {} lines per loss from {losses} losses", number(mean));
            }
        }
        Ground::Guideline { .. } => {
            let (score, pieces) = (number(report.score.mean), number(report.pieces.mean));
            let reached = report.guideline.as_ref().map_or(0, |counts| counts.cleared_goal);
            eprintln!(
                "confirmed: score {score}, pieces {pieces}, goal reached in {reached} of {games} games"
            );
        }
    }
}

fn summary(training: &Training) -> String {
    let course = training.course();
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
