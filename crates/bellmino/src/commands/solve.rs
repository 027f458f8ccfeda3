//! `bellmino solve`: the exact solution of a small game.

use std::io::{self, Write};

use bellmino_lab::request::{
    GapAnswer, NeverClearAnswer, ShownBest, SolveAnswer, SolveRequest, SolvedAnswer,
};

use crate::cli::Common;
use crate::failure::Failure;
use crate::flags::{Flags, answer, refuse};
use crate::output;
use crate::output::number;

/// Solves a game and shows the solution.
pub fn run(Flags(request): &Flags<SolveRequest>, common: &Common) -> Result<(), Failure> {
    let found = answer(request, common)?;
    match &found {
        found if common.json => output::json(found)?,
        SolveAnswer::Solved(solved) => print(&mut io::stdout().lock(), solved)?,
        SolveAnswer::NeverClear(model) => print_never_clear(&mut io::stdout().lock(), model)?,
    }
    match found {
        SolveAnswer::Solved(solved) => {
            solved.shortfall.map_or(Ok(()), |why| Err(refuse::<SolveRequest>(&why)))
        }
        SolveAnswer::NeverClear(_) => Ok(()),
    }
}

/// The figures for people.
fn print(out: &mut impl Write, answer: &SolvedAnswer) -> io::Result<()> {
    let SolvedAnswer { game, objective, dealer, error_bound, .. } = answer;
    let is_of_model = answer.value_of.is_some();
    let placer = || format!("{} placer", answer.placer.as_deref().unwrap_or_default());
    let who = answer.player.clone().unwrap_or_else(placer);
    writeln!(out, "{game}: {objective}, {who}, {dealer} dealer")?;
    let value = exact(answer.value);
    match answer.value {
        Some(_) if is_of_model => writeln!(
            out,
            "  model value  {value} within {error_bound:.1e}, of a model in which boards that look alike are one; not of the game",
        )?,
        Some(_) => writeln!(out, "  value        {value} within {error_bound:.1e}")?,
        None => writeln!(out, "  value        infinite")?,
    }
    for (piece, value) in &answer.value_by_first_piece {
        writeln!(out, "    first {piece:<6} {}", exact(value.as_f64()))?;
    }
    if let Some(mean) = answer.mean_value {
        let which = if answer.reached.is_some() { "states that it reaches" } else { "states" };
        let whose = if is_of_model { " of the model" } else { "" };
        writeln!(out, "  mean value   {mean:.10} over all {which}{whose}")?;
    }
    if let Some(safe) = answer.safe_boards {
        writeln!(out, "  safe boards  {}", number(safe as f64))?;
    }
    if let Some(classes) = answer.classes {
        writeln!(out, "  classes      {}", number(classes as f64))?;
    }
    if let Some(value) = answer.true_value {
        let bound = answer.true_error_bound.flatten().filter(|_| is_of_model && value.is_some());
        let within = bound.map_or(String::new(), |bound| {
            format!(", within {bound:.1e}: what its player makes in the game")
        });
        writeln!(out, "  true value   {} in points{within}", exact(value))?;
    }
    if let Some(value) = answer.true_worst_value {
        writeln!(out, "  at the worst {} in points", exact(value))?;
    }
    let [boards, states, dead] = [answer.boards, answer.states, answer.dead_states].map(|n| number(n as f64));
    writeln!(out, "  boards {boards}, states {states} ({dead} dead), sweeps {}", answer.sweeps)?;
    let seconds = answer.seconds;
    writeln!(out, "  explored in {:.3} s, solved in {:.3} s", seconds.explore, seconds.solve)?;
    answer.more_lines().iter().try_for_each(|line| writeln!(out, "{line}"))?;
    print_state(out, answer)?;
    answer.losses.as_ref().map_or(Ok(()), |losses| print_losses(out, losses))
}

/// A value with all its digits.
fn exact(value: Option<f64>) -> String {
    value.map_or("infinite".to_owned(), |value| format!("{value:.10}"))
}

/// What can be done in the state that was asked about.
fn print_state(out: &mut impl Write, answer: &SolvedAnswer) -> io::Result<()> {
    let (Some(placements), Some(best)) = (&answer.placements, &answer.best) else { return Ok(()) };
    let worth = |value: f64| match value {
        f64::INFINITY => "infinite".to_owned(),
        f64::NEG_INFINITY => "can end the game".to_owned(),
        value => format!("{value:.10}"),
    };
    let mark = |is_best: bool| if is_best { '*' } else { ' ' };
    if answer.objective == "average" {
        writeln!(out, "  each placement beside the best one, in points in the long run:")?;
    }
    for one in placements {
        writeln!(
            out,
            "{} {} rotation {} column {} row {}: lines {}, value {}{}",
            mark(one.best),
            one.piece,
            one.rotation,
            one.column,
            one.row,
            one.lines,
            worth(one.value),
            if one.fatal { ", fatal" } else { "" },
        )?;
    }
    if let Some(value) = answer.put_aside.flatten() {
        writeln!(out, "{} put aside: value {}", mark(*best == ShownBest::PutAside), worth(value))?;
    }
    match best {
        ShownBest::Place(rows) => {
            writeln!(out, "  the best one, drawn with @:")?;
            rows.iter().try_for_each(|row| writeln!(out, "    {row}"))
        }
        ShownBest::PutAside => writeln!(out, "  the best is to put the piece aside"),
        ShownBest::Nothing => writeln!(out, "  the game ends here, whatever is done"),
    }
}

/// Where a player loses what the best one makes: both placements side by side.
fn print_losses(out: &mut impl Write, losses: &GapAnswer) -> io::Result<()> {
    let GapAnswer { optimum, lost, part_of_optimum, .. } = losses;
    let part = 100.0 * part_of_optimum;
    writeln!(out, "  optimum      {optimum:.10}; the player makes {part:.2} % of it and loses {lost:.10}")?;
    writeln!(out, "  where it loses most, as it places (@) and as the best would:")?;
    for state in &losses.states {
        let (expected, loss, visits) = (state.expected_loss, state.loss, state.visits);
        writeln!(out, "    {expected:.6} a game: {loss:.6} at {visits:.6} times")?;
        let [played, best] = &state.rows;
        let height = played.len().max(best.len());
        let row = |rows: &[String], y: usize| match (y + rows.len()).checked_sub(height) {
            Some(at) => rows[at].clone(),
            None => ".".repeat(rows.first().map_or(0, String::len)),
        };
        for y in 0..height {
            writeln!(out, "      {}   {}", row(played, y), row(best, y))?;
        }
    }
    Ok(())
}

fn print_never_clear(out: &mut impl Write, model: &NeverClearAnswer) -> io::Result<()> {
    let NeverClearAnswer { game, objective, boards, mean_value, .. } = model;
    writeln!(out, "{game}: {objective}, full rows never leave, all {} boards", number(*boards as f64))?;
    writeln!(out, "  mean value   {mean_value:.10} over all boards and pieces")?;
    for (sweep, change) in model.changes.iter().enumerate() {
        writeln!(out, "  sweep {sweep}: change {change}")?;
    }
    Ok(())
}
