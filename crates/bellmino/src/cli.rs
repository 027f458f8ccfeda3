//! The command line: every flag is defined once, here or beside its command.

use clap::{Args, Parser, Subcommand};

use bellmino_lab::request::{
    AnalyseRequest, BestRequest, CalibrateRequest, Chance, CompareRequest, EnduranceRequest, EvaluateRequest,
    ExportRequest, FeaturesRequest, FumenRequest, GamesRequest, HuntRequest, PcRequest, PerftRequest,
    ReplayRequest, Request, ResumeRequest, SolveRequest, WeightsRequest,
};
use serde_json::Value;

use crate::commands::{
    ask, bench, completions, man, play, report, reproduce, schema, tables, tbp, train, tune,
};
#[cfg(feature = "lab")]
use crate::commands::{contests, lab};
use crate::flags::{Flags, GlobalFlags};
use crate::terminal::Around;

/// Finds the best move in stacking games, and shows how it knows.
#[derive(Debug, Parser)]
#[command(name = "bellmino", version, about, propagate_version = true, max_term_width = 100)]
pub struct Cli {
    /// Flags of every command.
    #[command(flatten)]
    pub common: Common,

    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Flags of every command.
#[derive(Args, Clone, Debug)]
pub struct Common {
    /// Print one JSON object on stdout
    #[arg(long, global = true)]
    pub json: bool,

    /// No progress and no talk on stderr
    #[arg(long, short, global = true)]
    pub quiet: bool,

    /// The seed.
    #[command(flatten)]
    pub chance: GlobalFlags<Chance>,

    /// Threads to use [default: all cores]
    #[arg(long, global = true, value_name = "N", value_parser = threads)]
    pub threads: Option<usize>,

    /// The program around this one, which has the work done.
    #[arg(skip)]
    pub around: Option<Around>,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Open the lab in the browser: play, watch, explore, analyse
    #[cfg(feature = "lab")]
    Lab(lab::LabArgs),
    /// List the built-in games, or print one as TOML with every default written out
    Games(Flags<GamesRequest>),
    /// List the built-in weights, the learned players, or print some as the file that they are
    Weights(Flags<WeightsRequest>),
    /// List the features that weights are for, and the named sets of them
    Features(Flags<FeaturesRequest>),
    /// Count every way a game can go, move by move
    Perft(Flags<PerftRequest>),
    /// Search for a long game against a dealer without chance, such as those of HATETRIS
    Hunt(Flags<HuntRequest>),
    /// Play a game that is written down as keys, such as a replay of HATETRIS, and tell what came of it
    Replay(Flags<ReplayRequest>),
    /// Play many games and print statistics
    Evaluate(Flags<EvaluateRequest>),
    /// Compare two players on the same pieces: who is better, by how much, and how sure that is
    Compare(Flags<CompareRequest>),
    /// Tell how many lines a player makes per loss, also where losses are too rare to wait for
    Endurance(Flags<EnduranceRequest>),
    /// Play one game and show it move by move
    Play(play::Args),
    /// Turn records, or the games of the lab, into tables of games and moves
    Tables(tables::TablesArgs),
    /// Show your contests against machines in the lab, ten games each, with a test of the difference
    #[cfg(feature = "lab")]
    Contests(contests::ContestsArgs),
    /// Find the weights of a controller
    Train(train::TrainArgs),
    /// Train the evaluation of the look-ahead bot on whole games
    Tune(tune::TuneArgs),
    /// Go on with a run of train or tune where it stopped, as it was begun
    Resume(Flags<ResumeRequest>),
    /// Fit the bot's forecasts to what came of playing on, or check them
    Calibrate(Flags<CalibrateRequest>),
    /// Turn a fumen into text, or text or a record into a fumen
    Fumen(Flags<FumenRequest>),
    /// Play as a bot in any front end that speaks the Tetris Bot Protocol
    Tbp(tbp::TbpArgs),
    /// Solve a small game exactly, with a proven error bound
    Solve(Box<Flags<SolveRequest>>),
    /// Write a game out for other solvers: Storm or PRISM
    Export(Flags<ExportRequest>),
    /// Make one page of tables of games: results, differences, style of play
    Report(report::ReportArgs),
    /// Run experiments: every reported figure beside ours
    Reproduce(reproduce::ReproduceArgs),
    /// Show the best placements of a position, or the mistakes of a game
    Analyse(Flags<AnalyseRequest>),
    /// Find the best placements of a position, by any player
    Best(Flags<BestRequest>),
    /// Find perfect clears, or how likely they are
    Pc(Flags<PcRequest>),
    /// Time the project's own benchmarks and check their answers
    Bench(bench::BenchArgs),
    /// Answer a request that a program gives as JSON on stdin, by JSON lines: what happens on the way, then the answer
    Ask(ask::AskArgs),
    /// Print the JSON Schema of a request and its answer, or list all requests
    Schema(schema::SchemaArgs),
    /// Print shell completions
    Completions(completions::CompletionsArgs),
    /// Print the manual page
    Man(man::ManArgs),
}

impl Command {
    /// The request that was made by flags, with its name; not every command is one.
    pub fn request(&self) -> Option<(&'static str, Value)> {
        match self {
            Command::Games(Flags(request)) => named(request),
            Command::Weights(Flags(request)) => named(request),
            Command::Features(Flags(request)) => named(request),
            Command::Perft(Flags(request)) => named(request),
            Command::Evaluate(Flags(request)) => named(request),
            Command::Compare(Flags(request)) => named(request),
            Command::Endurance(Flags(request)) => named(request),
            Command::Play(args) => named(args.request()),
            Command::Analyse(Flags(request)) => named(request),
            Command::Calibrate(Flags(request)) => named(request),
            Command::Tables(args) => args.request().and_then(named),
            Command::Train(train::TrainArgs::Begin(request)) => named(&**request),
            Command::Tune(tune::TuneArgs::Begin(request)) => named(&**request),
            Command::Train(train::TrainArgs::Again(request))
            | Command::Tune(tune::TuneArgs::Again(request))
            | Command::Resume(Flags(request)) => named(request),
            Command::Fumen(Flags(request)) => named(request),
            Command::Solve(flags) => named(&flags.0),
            Command::Export(Flags(request)) => named(request),
            Command::Best(Flags(request)) => named(request),
            Command::Pc(Flags(request)) => named(request),
            _ => None,
        }
    }
}

fn named<R: Request>(request: &R) -> Option<(&'static str, Value)> {
    Some((R::NAME, serde_json::to_value(request).ok()?))
}

fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number @ 1..=1024) => Ok(number),
        _ => Err("give a whole number from 1 to 1024".to_owned()),
    }
}
