//! `bellmino perft`.

use std::io::{self, Write};
use std::time::Instant;

use serde::Serialize;

use crate::cli::Common;
use crate::failure::Failure;
use crate::interrupt;
use crate::load::GameArgs;
use crate::output;

/// Arguments of `perft`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    game: GameArgs,

    /// How many placements deep
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=64))]
    depth: u32,
}

#[derive(Serialize)]
struct Counted {
    game: String,
    depth: u32,
    nodes: u64,
    seconds: f64,
}

/// Counts leaves.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let game = args.game.load()?;
    let placement_game = args.game.load_placement()?;
    let begin = Instant::now();
    let nodes = bellmino_engine::perft(&placement_game, args.depth, interrupt::go_on);
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
        depth: args.depth,
        nodes,
        seconds: begin.elapsed().as_secs_f64(),
    };
    if common.json {
        return output::json(&counted);
    }
    Ok(writeln!(io::stdout().lock(), "{}", counted.nodes)?)
}
