//! `bellmino games`.

use std::io::{self, Write};

use bellmino_lab::request::{GamesAnswer, GamesRequest};

use crate::cli::Common;
use crate::failure::Failure;
use crate::flags::{Flags, answer};
use crate::output;

/// Lists the games or prints one.
pub fn run(Flags(request): &Flags<GamesRequest>, common: &Common) -> Result<(), Failure> {
    let found = answer(request, common)?;
    let mut out = io::stdout().lock();
    match &found {
        found if common.json => output::json(found)?,
        GamesAnswer::One { toml, .. } => write!(out, "{toml}")?,
        GamesAnswer::All { games } => {
            for game in games {
                let pieces = game.pieces.join(" ");
                writeln!(out, "{:9} {:6} {:34} {pieces}", game.name, game.board, game.title)?;
            }
        }
    }
    Ok(())
}
