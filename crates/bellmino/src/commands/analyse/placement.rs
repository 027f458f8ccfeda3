//! Records of placement games: the exact loss of each move.

use std::io::{self, Write};

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::{Placement, Record};
use bellmino_exact::SolveError;
use bellmino_lab::{LossError, LossReport, MoveLoss};
use serde_json::{Value, json};

use super::Args;
use crate::cli::Common;
use crate::failure::Failure;
use crate::question::{Interruptible, free_memory};
use crate::{load, output};

/// Shows what each move gave away.
pub fn run(args: &Args, common: &Common, record: &Record) -> Result<(), Failure> {
    load::refuse_thinking(&args.think, &record.game)?;
    let game = record.rules().map_err(Failure::input)?;
    let losses = LossReport::new(record, args.objective, Some(free_memory()), &Interruptible);
    let losses = losses.map_err(|error| match error {
        LossError::Solve(SolveError::Interrupted) => Failure::run(anyhow::anyhow!("interrupted")),
        error => Failure::input(error),
    })?;
    if args.objective.is_none() && !common.quiet {
        eprintln!(
            "bellmino: losses of the objective `{}`; choose another with --objective",
            losses.objective
        );
    }
    let count = losses.moves.len();
    let shown = match args.number {
        None => 0..count,
        Some(number) if (1..=count).contains(&number) => number - 1..number,
        Some(number) => {
            return Err(Failure::input(format!("the record has moves 1 to {count}, not {number}")));
        }
    };
    if common.json {
        let list: Vec<Value> = shown.map(|index| as_json(&game, index + 1, &losses.moves[index])).collect();
        return output::json(&json!({
            "game": record.game,
            "objective": losses.objective.to_string(),
            "error_bound": losses.error_bound,
            "moves": count,
            "loss": finite(losses.total()),
            "losses": list,
        }));
    }
    let mut out = io::stdout().lock();
    for index in shown {
        let MoveLoss { played, value, best, best_value, loss, .. } = losses.moves[index];
        write!(out, "{}. {}: value {}", index + 1, words(&game, played), worth(value))?;
        match loss {
            0.0 => writeln!(out, ", the best")?,
            loss => writeln!(
                out,
                ", loses {}; better {}: value {}",
                worth(loss),
                words(&game, best),
                worth(best_value)
            )?,
        }
    }
    let good = losses.moves.iter().filter(|one| one.loss == 0.0).count();
    writeln!(out, "{count} moves, {good} of them the best; {} given away in all", worth(losses.total()))?;
    Ok(())
}

fn as_json(game: &PlacementGame, number: usize, one: &MoveLoss) -> Value {
    let placement = |Placement { piece, rotation, column, row }: Placement| {
        let piece = game.pieces()[piece as usize].name();
        json!({ "piece": piece, "rotation": rotation, "column": column, "row": row })
    };
    json!({
        "move": number,
        "board": one.board.to_string().replace('\n', "/"),
        "played": placement(one.played),
        "value": finite(one.value),
        "best": placement(one.best),
        "best_value": finite(one.best_value),
        "loss": finite(one.loss),
    })
}

/// JSON knows no infinite numbers.
fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

fn words(game: &PlacementGame, placement: Placement) -> String {
    let Placement { piece, rotation, column, row } = placement;
    format!("{} rotation {rotation} column {column} row {row}", game.pieces()[piece as usize].name())
}

fn worth(value: f64) -> String {
    match value {
        f64::INFINITY => "everything to come".to_owned(),
        f64::NEG_INFINITY => "the end".to_owned(),
        value => format!("{value:.6}"),
    }
}
