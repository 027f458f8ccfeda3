//! `bellmino perft`.

use std::io::{self, Write};
use std::time::Instant;

use bellmino_engine::guideline::{Board, Piece, perft};
use serde::Serialize;

use crate::cli::Common;
use crate::failure::Failure;
use crate::interrupt;
use crate::load::{self, GameArgs};
use crate::output;

/// Arguments of `perft`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    game: GameArgs,

    /// How many placements deep (placement games)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=64), required_unless_present = "queue")]
    depth: Option<u32>,

    /// The pieces to place one after the other, without hold (guideline games; `guideline` is the plain one)
    #[arg(long, value_name = "PIECES", conflicts_with = "depth", value_parser = queue)]
    queue: Option<Queue>,
}

/// Pieces of the guideline game.
#[derive(Clone, Debug)]
struct Queue(Vec<Piece>);

#[derive(Serialize)]
struct Counted {
    game: String,
    depth: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    queue: Option<String>,
    nodes: u64,
    seconds: f64,
}

/// Counts leaves.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    if let Some(Queue(pieces)) = &args.queue {
        return run_queue(args, pieces, common);
    }
    let depth = args.depth.unwrap_or_default();
    let game = args.game.load(common)?;
    let placement_game = load::placement(&game)?;
    let begin = Instant::now();
    let nodes = bellmino_engine::placement::perft(&placement_game, depth, interrupt::go_on);
    let Some(nodes) = nodes else {
        let why = if interrupt::go_on() {
            "more than 2^64 leaves"
        } else {
            "interrupted before the count was complete"
        };
        return Err(Failure::run(anyhow::anyhow!(why)));
    };
    let counted = Counted {
        game: args.game.describe(&game),
        depth,
        queue: None,
        nodes,
        seconds: begin.elapsed().as_secs_f64(),
    };
    print(&counted, common)
}

fn run_queue(args: &Args, pieces: &[Piece], common: &Common) -> Result<(), Failure> {
    // The name of the whole family stands for the game without a goal.
    let plain = args.game.game == "guideline";
    let name = if plain { "practice" } else { &args.game.game };
    let loaded = GameArgs { game: name.to_owned(), ..args.game.clone() };
    let game = loaded.load(common)?;
    let Some(guideline) = game.guideline() else {
        let message = format!("`{}` is a placement game; give --depth instead of --queue", game.name());
        return Err(Failure::input(message));
    };
    let begin = Instant::now();
    let nodes = perft(&Board::EMPTY, pieces, guideline.rules().kicks, interrupt::go_on);
    let Some(nodes) = nodes else {
        return Err(Failure::run(anyhow::anyhow!("interrupted before the count was complete")));
    };
    let described = if plain { args.game.game.clone() } else { args.game.describe(&game) };
    let counted = Counted {
        game: described,
        depth: pieces.len() as u32,
        queue: Some(pieces.iter().map(ToString::to_string).collect()),
        nodes,
        seconds: begin.elapsed().as_secs_f64(),
    };
    print(&counted, common)
}

fn print(counted: &Counted, common: &Common) -> Result<(), Failure> {
    if common.json {
        return output::json(counted);
    }
    Ok(writeln!(io::stdout().lock(), "{}", counted.nodes)?)
}

fn queue(text: &str) -> Result<Queue, String> {
    let pieces: Option<Vec<Piece>> = text.chars().map(Piece::from_letter).collect();
    pieces
        .filter(|pieces| pieces.len() <= 64)
        .map(Queue)
        .ok_or_else(|| "give up to 64 letters of IOTLJSZ".to_owned())
}
