//! What `solve` prints.

use std::io::{self, Write};

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::{Board, Placement};
use bellmino_exact::{Abstraction, Choice, Look, Objective, PlacementValue, SolveReport, SweepChange};
use serde_json::{Map, Value, json};

use super::Args;
use crate::drawing::placed_rows;
use crate::failure::Failure;
use crate::output::number;
use crate::question::status_bytes;

/// A state that was asked about, and all that can be done there.
#[derive(Clone, Debug)]
pub struct StateLook {
    board: Board,
    /// The best placement first; those that end the game last.
    look: Look,
    /// What to do; nothing if the game ends here whatever is done.
    best: Option<Choice>,
}

impl StateLook {
    /// Sorts what can be done.
    pub(super) fn new(board: Board, mut look: Look) -> StateLook {
        let can_go_on = look.put_aside.is_some() || look.placements.iter().any(|one| !one.fatal);
        let best = look.choice().filter(|_| can_go_on);
        // Ties stay in the order rotation, column, row, after the first of the best.
        look.placements.sort_by(|a, b| {
            let key = |one: &PlacementValue| (one.fatal, !is_best(best, one));
            key(a).cmp(&key(b)).then(b.value.total_cmp(&a.value))
        });
        StateLook { board, look, best }
    }

    fn print(&self, out: &mut impl Write, objective: Objective, game: &PlacementGame) -> Result<(), Failure> {
        let worth = |value: f64| match value {
            f64::INFINITY => "infinite".to_owned(),
            f64::NEG_INFINITY => "can end the game".to_owned(),
            value => format!("{value:.10}"),
        };
        if objective == Objective::Average {
            writeln!(out, "  each placement beside the best one, in points in the long run:")?;
        }
        for value in &self.look.placements {
            let Placement { piece, rotation, column, row } = value.placement;
            let piece = game.pieces()[piece as usize].name();
            let lines = value.lines;
            let how = if value.fatal { ", fatal" } else { "" };
            let mark = if is_best(self.best, value) { '*' } else { ' ' };
            writeln!(
                out,
                "{mark} {piece} rotation {rotation} column {column} row {row}: lines {lines}, value {}{how}",
                worth(value.value)
            )?;
        }
        if let Some(value) = self.look.put_aside {
            let mark = if self.best == Some(Choice::PutAside) { '*' } else { ' ' };
            writeln!(out, "{mark} put aside: value {}", worth(value))?;
        }
        match self.best {
            Some(Choice::Place(placement) | Choice::PlaceHeld(placement)) => {
                writeln!(out, "  the best one, drawn with @:")?;
                for row in placed_rows(game, &self.board, placement) {
                    writeln!(out, "    {row}")?;
                }
            }
            Some(Choice::PutAside) => writeln!(out, "  the best is to put the piece aside")?,
            None => writeln!(out, "  the game ends here, whatever is done")?,
        }
        Ok(())
    }
}

fn is_best(best: Option<Choice>, value: &PlacementValue) -> bool {
    let choice = if value.held { Choice::PlaceHeld } else { Choice::Place };
    best == Some(choice(value.placement))
}

/// What `--json` prints.
pub(super) fn as_json(
    name: &str,
    args: &Args,
    objective: Objective,
    report: &SolveReport,
    look: Option<&StateLook>,
    game: &PlacementGame,
) -> Value {
    let mut object = Map::new();
    let mut add = |key: &str, value: Value| object.insert(key.to_owned(), value);
    add("game", name.into());
    add("version", env!("CARGO_PKG_VERSION").into());
    add("objective", objective.to_string().into());
    add("dealer", args.dealer.clone().into());
    match &args.player {
        Some(player) => add("player", player.clone().into()),
        None => add("placer", args.placer.to_string().into()),
    };
    if args.reached {
        add("reached", true.into());
    }
    add("preview", args.question.preview().into());
    add("hold", args.hold.into());
    if args.view != Abstraction::Grid {
        add("view", args.view.to_string().into());
    }
    if let Some(reward) = args.reward {
        add("reward", reward.to_string().into());
    }
    add("method", args.method.to_string().into());
    add("boards", report.boards.into());
    add("states", report.states.into());
    add("dead_states", report.dead_states.into());
    add("sweeps", report.sweeps.into());
    add("value", json!(report.value));
    if report.is_of_model() {
        // Not of the game: `true_value` is what the player makes there.
        add("value_of", "model".into());
    }
    if report.is_infinite() {
        add("infinite", true.into());
    }
    let by_piece = report.value_by_first_piece.iter().map(|(piece, value)| (piece.clone(), json!(value)));
    add("value_by_first_piece", Value::Object(by_piece.collect()));
    add("mean_value", json!(report.mean_value));
    add("error_bound", json!(report.error_bound));
    add("wanted_bound", json!(report.wanted_bound));
    if let Some(boards) = report.safe_boards {
        add("safe_boards", boards.into());
    }
    if let Some(classes) = report.classes {
        add("classes", classes.into());
    }
    if let Some(value) = report.true_value {
        add("true_value", json!(value));
        add("true_error_bound", json!(report.true_error_bound));
    }
    if let Some(value) = report.true_worst_value {
        add("true_worst_value", json!(value));
    }
    if args.changes {
        let (sweeps, changes): (Vec<u64>, Vec<f64>) =
            report.changes.iter().map(|one| (one.sweep, one.change)).unzip();
        add("changes", json!(changes));
        add("change_sweeps", json!(sweeps));
    }
    if let Some(StateLook { look, best, .. }) = look {
        let one = |value: &PlacementValue| {
            let Placement { piece, rotation, column, row } = value.placement;
            json!({
                "piece": game.pieces()[piece as usize].name(), "held": value.held, "rotation": rotation,
                "column": column, "row": row, "lines": value.lines, "points": value.points,
                "fatal": value.fatal, "value": value.value, "best": is_best(*best, value),
            })
        };
        add("placements", look.placements.iter().map(one).collect());
        if args.hold {
            add("put_aside", json!(look.put_aside));
        }
    }
    add("seconds", json!({ "explore": report.explore_seconds, "solve": report.solve_seconds }));
    let seconds = report.explore_seconds + report.solve_seconds;
    add("states_per_second", json!(report.states as f64 / seconds));
    let peak = peak_bytes();
    add("peak_bytes", json!(peak));
    add("bytes_per_state", json!(peak.map(|bytes| bytes as f64 / report.states as f64)));
    Value::Object(object)
}

/// The figures for people.
pub(super) fn print(
    name: &str,
    args: &Args,
    objective: Objective,
    report: &SolveReport,
    look: Option<&StateLook>,
    game: &PlacementGame,
) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let exact = |value: Option<f64>| value.map_or("infinite".to_owned(), |value| format!("{value:.10}"));
    let who = args.player.as_ref().map_or(format!("{} placer", args.placer), Clone::clone);
    writeln!(out, "{name}: {objective}, {who}, {} dealer", args.dealer)?;
    match report.value {
        Some(_) if report.is_of_model() => writeln!(
            out,
            "  model value  {} within {:.1e}, of a model in which boards that look alike are one; not of the game",
            exact(report.value),
            report.error_bound
        )?,
        Some(_) => writeln!(out, "  value        {} within {:.1e}", exact(report.value), report.error_bound)?,
        None => writeln!(out, "  value        infinite")?,
    }
    for (piece, value) in &report.value_by_first_piece {
        writeln!(out, "    first {piece:<6} {}", exact(*value))?;
    }
    if let Some(mean) = report.mean_value {
        let which = if args.reached { "states that it reaches" } else { "states" };
        let whose = if report.is_of_model() { " of the model" } else { "" };
        writeln!(out, "  mean value   {mean:.10} over all {which}{whose}")?;
    }
    if let Some(safe) = report.safe_boards {
        writeln!(out, "  safe boards  {}", number(safe as f64))?;
    }
    if let Some(classes) = report.classes {
        writeln!(out, "  classes      {}", number(classes as f64))?;
    }
    if let Some(value) = report.true_value {
        let bound = report.true_error_bound.filter(|_| report.is_of_model() && value.is_some());
        let within = bound.map_or(String::new(), |bound| {
            format!(", within {bound:.1e}: what its player makes in the game")
        });
        writeln!(out, "  true value   {} in points{within}", exact(value))?;
    }
    if let Some(value) = report.true_worst_value {
        writeln!(out, "  at the worst {} in points", exact(value))?;
    }
    let [boards, states, dead] = [report.boards, report.states, report.dead_states].map(|n| number(n as f64));
    writeln!(out, "  boards {boards}, states {states} ({dead} dead), sweeps {}", report.sweeps)?;
    writeln!(out, "  explored in {:.3} s, solved in {:.3} s", report.explore_seconds, report.solve_seconds)?;
    if args.changes {
        for SweepChange { sweep, change } in &report.changes {
            writeln!(out, "  sweep {sweep}: change {change:.6e}")?;
        }
    }
    match look {
        Some(look) => look.print(&mut out, objective, game),
        None => Ok(()),
    }
}

/// The most memory this process has used so far, where the system tells.
fn peak_bytes() -> Option<u64> {
    status_bytes("/proc/self/status", "VmHWM:")
}
