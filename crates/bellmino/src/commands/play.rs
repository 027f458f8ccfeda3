//! `bellmino play`: one game, as a trace in a pipe and as an animation in a terminal.

mod animation;
mod trace;

use std::io::{self, Write};
use std::time::Duration;

use bellmino_lab::request::{Onlooker, PlayAnswer, PlayRequest, PlayRest};

use self::animation::Animation;
use self::trace::Trace;
use crate::cli::Common;
use crate::failure::Failure;
use crate::flags::{Flags, answer, refuse};
use crate::output;
use crate::output::number;
use crate::terminal::Terminal;

/// Arguments of `play`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    request: Flags<PlayRequest>,

    /// Milliseconds between the moves of the animation in a terminal
    #[arg(long, value_name = "MS", default_value_t = 150, value_parser = clap::value_parser!(u64).range(0..=60_000))]
    delay: u64,
}

impl Args {
    /// What is asked.
    pub fn request(&self) -> &PlayRequest {
        &self.request.0
    }
}

/// Plays one game.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let Flags(request) = &args.request;
    if common.json {
        return output::json(&answer(request, common)?);
    }
    let terminal = Terminal::new(common);
    let play = |onlooker: &mut dyn Onlooker| {
        request.play(&terminal.context(), onlooker).map_err(|error| refuse::<PlayRequest>(&error))
    };
    let gap;
    let (answer, shown) = if output::is_terminal() {
        let mut animation = Animation::new(Duration::from_millis(args.delay), output::is_coloured());
        let answer = play(&mut animation)?;
        // The guideline game leaves a line between its board and its end.
        gap = matches!(answer.rest, PlayRest::Guideline { .. });
        (answer, animation.shown)
    } else {
        let mut trace = Trace::default();
        gap = true;
        (play(&mut trace)?, trace.shown)
    };
    shown?;
    Ok(writeln!(io::stdout().lock(), "{}{}", if gap { "\n" } else { "" }, sentence(&answer))?)
}

/// How it ended.
fn sentence(answer: &PlayAnswer) -> String {
    let PlayAnswer { pieces, lines, rest, .. } = answer;
    match rest {
        PlayRest::Placement { score, unfinished, stuck_on, .. } => {
            let how = match stuck_on {
                Some(piece) => format!("no place for {piece}"),
                None if *unfinished => "stopped".to_owned(),
                None => "something stayed above the top".to_owned(),
            };
            format!("end: {how}; pieces {pieces}, lines {lines}, score {}", number(*score))
        }
        PlayRest::Guideline { score, drop_points, cleared_goal, unfinished, .. } => {
            let how = match () {
                () if *cleared_goal => "goal reached",
                () if *unfinished => "stopped",
                () => "topped out",
            };
            let (score, drops) = (number(*score as f64), number(*drop_points as f64));
            format!("end: {how}; pieces {pieces}, lines {lines}, score {score}, drop points {drops}")
        }
    }
}
