//! `bellmino tbp`: the bot protocol on stdin and stdout.

use std::io::{self, BufRead, Read, Write};

use bellmino_engine::Game;
use bellmino_host::thinker::Thinker;
use bellmino_host::{CLOCK, Files};
use bellmino_lab::Player;
use bellmino_lab::request::Thinking;
use bellmino_lab::tbp::{MAX_LINE, Protocol};

use crate::cli::Common;
use crate::failure::Failure;
use crate::flags::{Flags, refuse};

/// Arguments of `tbp`.
#[derive(clap::Args, Debug)]
pub struct TbpArgs {
    /// What the game is about; the protocol has no word for it
    #[arg(long, value_name = "GOAL", value_parser = ["sprint", "blitz"])]
    goal: Option<String>,

    /// Who chooses: bot, weights:NAME, lowest, lowest-bottom, fewest-holes, random, random-rotation
    #[arg(long, value_name = "P", default_value = "bot")]
    player: String,

    #[command(flatten)]
    think: Flags<Thinking>,
}

/// Answers messages until `quit` or the end of the input.
pub fn run(args: &TbpArgs, common: &Common) -> Result<(), Failure> {
    let name = args.goal.as_deref().unwrap_or("practice");
    let game = Game::built_in(name, &[]).and_then(Result::ok);
    let game = game.as_ref().and_then(Game::guideline).ok_or_else(|| Failure::input(Game::unknown(name)))?;
    let budget = args
        .think
        .0
        .budget()
        .map_err(|error| refuse::<Thinking>(&error))?
        .map(|budget| budget.on(common.threads.unwrap_or(1)));
    let player = Player::load_guideline(&args.player, budget, &Files).map_err(Failure::input)?;
    let mut protocol =
        Protocol::new(*game.rules(), &player).map_err(Failure::input)?.hosted(Thinker::start, CLOCK);

    let mut input = io::stdin().lock();
    let mut out = io::stdout().lock();
    send(&mut out, &protocol.info())?;
    let mut line = Vec::new();
    loop {
        line.clear();
        // One byte more than the longest line, so that a longer one shows.
        input.by_ref().take(MAX_LINE as u64 + 2).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(());
        }
        if line.len() > MAX_LINE + 1 {
            skip_line(&mut input)?;
        }
        let reply = protocol.line(String::from_utf8_lossy(&line).trim_end());
        if let Some(note) = reply.note.filter(|_| !common.quiet) {
            eprintln!("bellmino tbp: {note}");
        }
        for message in &reply.messages {
            send(&mut out, message)?;
        }
        if reply.quit {
            return Ok(());
        }
    }
}

fn send(out: &mut impl Write, message: &str) -> Result<(), Failure> {
    writeln!(out, "{message}")?;
    Ok(out.flush()?)
}

/// Reads to the end of a line without keeping it.
fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let (length, done) = match buffer.iter().position(|&byte| byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        input.consume(length);
        if done {
            return Ok(());
        }
    }
}
