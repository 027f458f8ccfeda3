//! `bellmino train`, and `bellmino resume`.

use std::io::{self, Write};

use bellmino_lab::request::{
    ResumeAnswer, ResumeRequest, TdRunsAnswer, TrainAnswer, TrainMethod, TrainRequest,
};
use bellmino_lab::statistics::Summary;
use bellmino_lab::training::Method;
use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Command, Error, FromArgMatches};

use crate::cli::Common;
use crate::commands::tune;
use crate::failure::Failure;
use crate::flags::{Flags, flag, given_with, variant_commands, variant_given};
use crate::output;
use crate::output::number;
use crate::terminal::Terminal;

/// Arguments of `train`: a method with what it takes, or the run to go on with.
#[derive(Clone, Debug)]
pub enum TrainArgs {
    /// A new course, or one that was begun with the same arguments.
    Begin(Box<TrainRequest>),
    /// A run of which only the name is given.
    Again(ResumeRequest),
}

impl clap::Args for TrainArgs {
    fn augment_args(command: Command) -> Command {
        let again = Arg::new("resume")
            .long("resume")
            .value_name("NAME")
            .num_args(0..=1)
            .help("Go on with the run of this name where it stopped, as it was begun: METHOD, GAME and all options are known");
        let run =
            Arg::new("run").long("run").value_name("NAME").help("The same name, for --resume without one");
        let kept = ["output", "plot", "confirm"].map(flag::<ResumeRequest>);
        command
            .args_conflicts_with_subcommands(true)
            .arg_required_else_help(true)
            .arg(again)
            .args([run].into_iter().chain(kept).map(|arg| arg.requires("resume")))
            .subcommands(variant_commands::<TrainRequest>())
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for TrainArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        if let Some((method, matches)) = matches.subcommand() {
            return variant_given(method, matches).map(|request| TrainArgs::Begin(Box::new(request)));
        }
        let text = |name: &str| matches.get_one::<String>(name).cloned();
        let run = text("resume").or_else(|| text("run")).ok_or_else(|| {
            let right = "give a METHOD and a GAME, such as `bellmino train cem classic`, or --resume NAME to go on with a run";
            Error::raw(ErrorKind::MissingRequiredArgument, format!("{right}\n"))
        })?;
        again("train", run, matches).map(TrainArgs::Again)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The request to go on with a run of a command.
pub fn again(of: &str, run: String, matches: &ArgMatches) -> Result<ResumeRequest, Error> {
    let request: ResumeRequest = given_with(matches, "run", run)?;
    Ok(ResumeRequest { of: Some(of.to_owned()), ..request })
}

/// Trains a controller.
pub fn run(args: &TrainArgs, common: &Common) -> Result<(), Failure> {
    let request = match args {
        TrainArgs::Begin(request) => request,
        TrainArgs::Again(request) => return resume(&Flags(request.clone()), common),
    };
    let keeps = request.keeping.output.is_some() || request.run.run.is_some() || common.json;
    if matches!(request.method, TrainMethod::Tuples(_)) && !keeps {
        return Err(Failure::input("tuples are no text: give -o FILE.tuples, or --run NAME"));
    }
    let answer = Terminal::new(common).ask(&**request)?;
    print(&answer, request.keeping.output.is_none(), common)
}

/// Goes on with a run of `train` or `tune`.
pub fn resume(Flags(request): &Flags<ResumeRequest>, common: &Common) -> Result<(), Failure> {
    let prints = request.keeping.output.is_none();
    match Terminal::new(common).ask(request)? {
        ResumeAnswer::Train(answer) => print(&answer, prints, common),
        ResumeAnswer::Tune(answer) => tune::print(&answer, prints, common),
    }
}

fn print(answer: &TrainAnswer, prints: bool, common: &Common) -> Result<(), Failure> {
    match answer {
        _ if common.json => output::json(answer),
        TrainAnswer::Runs(runs) => print_runs(runs),
        // Tuples are no text.
        TrainAnswer::One(learned) if prints && learned.method != Method::Tuples => {
            Ok(io::stdout().lock().write_all(&learned.file)?)
        }
        TrainAnswer::One(_) => Ok(()),
    }
}

fn print_runs(runs: &TdRunsAnswer) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let TdRunsAnswer { game, episodes, seed, .. } = runs;
    writeln!(out, "{game}: td, {} runs of {episodes} episodes, seeds from {seed}", runs.runs)?;
    let interval = |summary: &Summary| {
        format!("{} [{}, {}]", number(summary.mean), number(summary.ci95[0]), number(summary.ci95[1]))
    };
    writeln!(
        out,
        "  score of the controllers learned, {} games each: {}",
        runs.games,
        interval(&runs.score)
    )?;
    for (from, mean) in &runs.blocks {
        writeln!(out, "  episodes from {:3}: {}", from + 1, interval(mean))?;
    }
    writeln!(out, "  last ten minus best ten: {}", interval(&runs.last_ten_minus_best_ten))?;
    Ok(())
}
