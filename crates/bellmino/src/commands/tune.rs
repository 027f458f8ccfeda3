//! `bellmino tune`.

use std::io::{self, Write};

use bellmino_lab::request::{ResumeRequest, TuneAnswer, TuneRequest};
use clap::error::ErrorKind;
use clap::{ArgAction, ArgMatches, Command, Error, FromArgMatches};

use crate::cli::Common;
use crate::commands::train;
use crate::failure::Failure;
use crate::flags::{Flags, flag, given_with};
use crate::output;
use crate::terminal::Terminal;

/// Arguments of `tune`: a game with all else, or the run to go on with.
#[derive(Clone, Debug)]
pub enum TuneArgs {
    /// A new course, or one that was begun with the same arguments.
    Begin(Box<TuneRequest>),
    /// A run of which only the name is given.
    Again(ResumeRequest),
}

impl clap::Args for TuneArgs {
    fn augment_args(command: Command) -> Command {
        let command = <Flags<TuneRequest> as clap::Args>::augment_args(command);
        let command = command.mut_arg("game", |game| game.required(false));
        command.arg(flag::<ResumeRequest>("confirm").hide(true)).mut_arg("resume", |resume| {
            resume.action(ArgAction::Set).num_args(0..=1).value_name("NAME").help(
                "Go on with a run where it stopped: with its name alone as it was begun, or with the same arguments and --run",
            )
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for TuneArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let text = |name: &str| matches.get_one::<String>(name).cloned();
        let refuse = |why: &str| Error::raw(ErrorKind::MissingRequiredArgument, format!("{why}\n"));
        let is_again = matches.contains_id("resume");
        // A word after --resume is the name of a run, or the game where --run has named one.
        let (mut game, mut run) = (text("game"), text("run"));
        if let Some(word) = text("resume") {
            let place = if run.is_some() && game.is_none() { &mut game } else { &mut run };
            *place = Some(word);
        }
        match (game, run) {
            (None, None) => Err(refuse("give a GAME, such as `bellmino tune blitz`, or --resume NAME")),
            (None, Some(run)) => train::again("tune", run, matches).map(TuneArgs::Again),
            (Some(_), None) if is_again => Err(refuse("--resume: name the run, with --resume NAME")),
            (Some(game), run) => {
                let mut request: TuneRequest = given_with(matches, "game", game)?;
                request.run.run = run;
                request.run.resume = is_again;
                Ok(TuneArgs::Begin(Box::new(request)))
            }
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Trains the evaluation of the look-ahead bot.
pub fn run(args: &TuneArgs, common: &Common) -> Result<(), Failure> {
    match args {
        TuneArgs::Begin(request) => {
            let answer = Terminal::new(common).ask(&**request)?;
            print(&answer, request.keeping.output.is_none(), common)
        }
        TuneArgs::Again(request) => train::resume(&Flags(request.clone()), common),
    }
}

/// Prints what was found.
pub fn print(answer: &TuneAnswer, prints: bool, common: &Common) -> Result<(), Failure> {
    if common.json {
        return output::json(answer);
    }
    if prints {
        write!(io::stdout().lock(), "{}", answer.weights)?;
    }
    Ok(())
}
