//! What `solve --player --losses` says: where the player loses what the best one makes.

use std::io::{self, Write};

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::Placement;
use bellmino_exact::{Policy, SolveSettings, solve};
use bellmino_lab::{Gap, StateLoss};
use serde_json::{Value, json};

use super::watcher::Watcher;
use crate::cli::Common;
use crate::drawing::placed_rows;
use crate::failure::Failure;
use crate::interrupt;

/// Solves the game for the best player and finds where this one loses.
pub(super) fn find(
    game: &PlacementGame,
    settings: &SolveSettings,
    player: &dyn Policy,
    most: usize,
    common: &Common,
) -> Result<Gap, Failure> {
    let watch = Watcher::new(common.quiet, None, 0.0);
    let best = solve(game, settings, &watch);
    watch.bar.finish_and_clear();
    let best = best.map_err(Failure::input)?;
    Gap::new(&best.table, player, most, &interrupt::go_on)
        .map_err(|error| Failure::input(format!("--losses: {error}")))
}

/// As JSON.
pub(super) fn as_json(game: &PlacementGame, gap: &Gap) -> Value {
    let place = |Placement { piece, rotation, column, row }: Placement| {
        let piece = game.pieces()[usize::from(piece)].name();
        json!({ "piece": piece, "rotation": rotation, "column": column, "row": row })
    };
    let state = |state: &StateLoss| {
        json!({
            "board": state.board.to_string().replace('\n', " / "),
            "played": place(state.played), "best": place(state.best), "loss": state.loss, "visits": state.visits,
            "expected_loss": state.expected(), "part": state.expected() / gap.lost,
            "drawn": format!("{}, best {}", drawn(game, state, state.played), drawn(game, state, state.best)),
        })
    };
    let states: Vec<Value> = gap.states.iter().map(state).collect();
    json!({
        "optimum": gap.optimum, "lost": gap.lost, "part_of_optimum": 1.0 - gap.lost / gap.optimum,
        "boards": gap.boards, "states": states,
    })
}

/// For people: both placements side by side.
pub(super) fn print(game: &PlacementGame, gap: &Gap) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let part = 100.0 * (1.0 - gap.lost / gap.optimum);
    writeln!(
        out,
        "  optimum      {:.10}; the player makes {part:.2} % of it and loses {:.10}",
        gap.optimum, gap.lost
    )?;
    writeln!(out, "  where it loses most, as it places (@) and as the best would:")?;
    for state in &gap.states {
        writeln!(out, "    {:.6} a game: {:.6} at {:.6} times", state.expected(), state.loss, state.visits)?;
        let [played, best] = [state.played, state.best].map(|place| placed_rows(game, &state.board, place));
        let empty = || ".".repeat(game.width());
        let height = played.len().max(best.len());
        let row = |rows: &[String], y: usize| {
            (y + rows.len()).checked_sub(height).map_or_else(empty, |at| rows[at].clone())
        };
        for y in 0..height {
            writeln!(out, "      {}   {}", row(&played, y), row(&best, y))?;
        }
    }
    Ok(())
}

/// The rows from the lowest up to the highest that is not empty, top first, on one line.
fn drawn(game: &PlacementGame, state: &StateLoss, placement: Placement) -> String {
    let rows = placed_rows(game, &state.board, placement);
    let filled = rows.into_iter().skip_while(|row| row.chars().all(|cell| cell == '.'));
    filled.collect::<Vec<_>>().join("/")
}
