//! The catalogue: what the page is told about each game, and who can play it.

use bellmino_engine::placement::Piece;
use bellmino_engine::{Game, PlacementGame, guideline};
use bellmino_lab::Player;
use serde_json::{Value, json};

use crate::picture::{colours, guideline_cells};
use crate::setup::Mode;

/// The bot's strengths: how many placements it looks at for each move.
pub const BOTS: [(&str, u64); 3] = [("bot", 20_000), (QUICK, 2_000), ("bot:strong", 200_000)];

/// The bot that thinks for a moment only.
pub const QUICK: &str = "bot:quick";

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

/// The tallest board that the explorer offers.
const MAX_TALL: usize = 6;

/// What the page needs to draw a game, and who can play it.
pub fn describe(game: &Game) -> Value {
    let (mut told, more) = match game {
        Game::Placement(game) => {
            let cells = game.width() * game.height();
            let players: Vec<String> = ["random", "lowest", "fewest-holes"]
                .into_iter()
                .map(str::to_owned)
                .chain(bellmino_learn::BUILT_IN_CONTROLLERS.iter().map(|(name, _)| format!("weights:{name}")))
                .filter(|name| Player::of_placement(name, game).is_ok())
                .chain((cells <= MAX_EXACT).then(|| EXACT.to_owned()))
                .collect();
            let more = json!({
                "players": players,
                "score": game.score().entries(),
                "small": is_small(game),
                "tallest": (MAX_SMALL / game.width()).min(MAX_TALL),
            });
            (placement_board(game), more)
        }
        Game::Guideline(game) => {
            let mode = Mode::of(game.name());
            let more = json!({
                "players": machines(),
                "rivals": machines(),
                "small": false,
                "timed": mode.is_some(),
                "practice": mode == Some(Mode::Practice),
                "label": game.title().split(':').next(),
                "goal": game.rules().goal,
                "aim": aim(&game.rules().goal),
                "ranked": mode.and_then(Mode::ranked),
            });
            (guideline_board(), more)
        }
    };
    told["name"] = json!(game.name());
    told["title"] = json!(game.title());
    if let (Some(told), Value::Object(more)) = (told.as_object_mut(), more) {
        told.extend(more);
    }
    told
}

/// The machines that play guideline games without any file.
fn machines() -> Vec<&'static str> {
    BOTS.map(|(name, _)| name).into_iter().chain(OTHERS).collect()
}

/// Whether a game is small enough to be solved while one looks.
pub fn is_small(game: &PlacementGame) -> bool {
    game.width() * game.height() <= MAX_SMALL
}

/// The board and the pieces of a placement game.
pub fn placement_board(game: &PlacementGame) -> Value {
    let pieces: Vec<Value> = game
        .pieces()
        .iter()
        .zip(colours(game))
        .map(|(piece, colour)| {
            json!({ "name": piece.name(), "colour": char::from(colour), "cells": shape(piece) })
        })
        .collect();
    json!({ "kind": "placement", "width": game.width(), "height": game.height(), "pieces": pieces })
}

/// The cells of a piece as it is drawn.
pub fn shape(piece: &Piece) -> Vec<[usize; 2]> {
    piece.rotations()[0].cells().map(|(x, y)| [x, y]).collect()
}

/// The board and the pieces of a guideline game.
pub fn guideline_board() -> Value {
    json!({
        "kind": "guideline",
        "width": guideline::WIDTH,
        "height": guideline::VISIBLE_HEIGHT,
        "pieces": guideline::Piece::ALL.map(piece),
    })
}

/// A guideline piece as it enters.
fn piece(piece: guideline::Piece) -> Value {
    let cells = guideline_cells(&guideline::Placement::spawn(piece));
    let least = |axis: usize| cells.iter().map(|cell| cell[axis]).min().unwrap_or(0);
    let cells: Vec<_> = cells.iter().map(|&[x, y]| [x - least(0), y - least(1)]).collect();
    json!({ "name": piece.letter(), "colour": piece.letter(), "cells": cells })
}

/// What a person tries to do in timed play.
fn aim(goal: &guideline::Goal) -> String {
    match (goal.lines, goal.seconds) {
        (Some(lines), _) => format!("{lines} lines, as fast as you can"),
        (_, Some(seconds)) if seconds % 60 == 0 => {
            format!("{} minutes, as many points as you can", seconds / 60)
        }
        (_, Some(seconds)) => format!("{seconds} seconds, as many points as you can"),
        _ => "No clock, no goal: undo, paint the board, try things".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellmino_lab::load::built_in_game;

    #[test]
    fn the_page_is_told_what_a_timed_game_is_about() {
        let told = |name: &str| describe(&built_in_game(name, &[]).unwrap());
        assert_eq!(told("sprint")["aim"], "40 lines, as fast as you can");
        assert_eq!(
            (&told("blitz")["goal"]["seconds"], &told("blitz")["ranked"]),
            (&json!(180), &json!("score"))
        );
        assert_eq!(
            (&told("practice")["label"], &told("practice")["ranked"]),
            (&json!("Practice"), &Value::Null)
        );
        let pieces = told("sprint")["pieces"].clone();
        let t = pieces.as_array().unwrap().iter().find(|piece| piece["name"] == "T").unwrap();
        let mut cells: Vec<[u64; 2]> = serde_json::from_value(t["cells"].clone()).unwrap();
        cells.sort_unstable();
        assert_eq!(cells, [[0, 0], [1, 0], [1, 1], [2, 0]]);
        assert_eq!(told("baby")["tallest"], 6);
    }
}
