//! `bellmino games`.

use std::io::{self, Write};

use bellmino_engine::guideline::{HEIGHT, Piece, WIDTH};
use bellmino_engine::{Game, PlacementGame};
use serde::Serialize;

use crate::cli::Common;
use crate::failure::Failure;
use crate::load::GameArgs;
use crate::output;

/// Arguments of `games`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// A built-in game or the path of a TOML file; all built-in games when absent
    game: Option<String>,

    /// Override a value of the game: a dotted key and a TOML value, such as board.height=5
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "game")]
    overrides: Vec<String>,
}

#[derive(Serialize)]
struct Listed {
    name: String,
    title: String,
    board: String,
    pieces: Vec<String>,
}

/// Lists the games or prints one.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    if let Some(game) = &args.game {
        let args = GameArgs { game: game.clone(), overrides: args.overrides.clone() };
        let game = args.load(common)?;
        return if common.json {
            let toml = game.to_toml();
            output::json(&serde_json::json!({ "name": game.name(), "title": game.title(), "toml": toml }))
        } else {
            Ok(write!(out, "{}", game.to_toml())?)
        };
    }
    let games: Vec<Listed> = Game::built_in_names()
        .filter_map(|name| Game::built_in(name, &[]).and_then(Result::ok))
        .map(|game| listed(&game))
        .collect();
    if common.json {
        return output::json(&serde_json::json!({ "games": games }));
    }
    for game in games {
        writeln!(out, "{:9} {:6} {:34} {}", game.name, game.board, game.title, game.pieces.join(" "))?;
    }
    Ok(())
}

fn listed(game: &Game) -> Listed {
    let board = |game: &PlacementGame| format!("{}x{}", game.width(), game.height());
    let pieces = |game: &PlacementGame| game.pieces().iter().map(|piece| piece.name().to_owned()).collect();
    Listed {
        name: game.name().to_owned(),
        title: game.title().to_owned(),
        board: game.placement().map_or_else(|| format!("{WIDTH}x{HEIGHT}"), board),
        pieces: game.placement().map_or_else(|| Piece::ALL.map(|piece| piece.to_string()).to_vec(), pieces),
    }
}
