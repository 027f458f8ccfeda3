//! The catalogue: what the page is told about each game, and who can play it.

use bellmino_engine::{Game, guideline};
use bellmino_lab::Player;
use bellmino_lab::load::built_in_game;
use serde_json::{Value, json};

use crate::picture::colours;

/// The bot's strengths: how many placements it looks at for each move.
pub const BOTS: [(&str, u64); 3] = [("bot", 20_000), ("bot:quick", 2_000), ("bot:strong", 200_000)];

/// Simpler players of guideline games.
pub const OTHERS: [&str; 8] = [
    "weights:sprint4",
    "weights:snes-sprint",
    "weights:snes-blitz",
    "weights:snes-keys",
    "weights:dellacherie",
    "fewest-holes",
    "lowest",
    "random",
];

/// The player of an exact solution.
pub const EXACT: &str = "exact";

/// The most cells of a board that is solved when somebody wants to watch it: a matter of a tenth of a second.
pub const MAX_EXACT: usize = 16;

/// The most cells of a board that the explorer offers.
const MAX_SMALL: usize = 24;

/// A built-in game with changes.
pub fn game(name: &str, set: &[String]) -> Result<Game, String> {
    built_in_game(name, set).map_err(|error| error.to_string())
}

/// What the page needs to draw a game, and who can play it.
pub fn describe(game: &Game) -> Value {
    match game {
        Game::Placement(game) => {
            let pieces: Vec<Value> = game
                .pieces()
                .iter()
                .zip(colours(game))
                .map(|(piece, colour)| {
                    let cells: Vec<_> = piece.rotations()[0].cells().map(|(x, y)| [x, y]).collect();
                    json!({ "name": piece.name(), "colour": char::from(colour), "cells": cells })
                })
                .collect();
            let players: Vec<String> = ["random", "lowest", "fewest-holes"]
                .into_iter()
                .map(str::to_owned)
                .chain(bellmino_learn::BUILT_IN_CONTROLLERS.iter().map(|(name, _)| format!("weights:{name}")))
                .filter(|name| Player::parse(name, game).is_ok())
                .chain((game.width() * game.height() <= MAX_EXACT).then(|| EXACT.to_owned()))
                .collect();
            json!({
                "name": game.name(),
                "title": game.title(),
                "kind": "placement",
                "width": game.width(),
                "height": game.height(),
                "pieces": pieces,
                "players": players,
                "score": game.score().entries(),
                "small": game.width() * game.height() <= MAX_SMALL,
            })
        }
        Game::Guideline(game) => json!({
            "name": game.name(),
            "title": game.title(),
            "kind": "guideline",
            "width": guideline::WIDTH,
            "height": 20,
            "pieces": [],
            "players": BOTS.map(|(name, _)| name).into_iter().chain(OTHERS).collect::<Vec<_>>(),
            "small": false,
        }),
    }
}
