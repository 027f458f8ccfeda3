//! What only people's games have: progress over time, pace, and mistakes with the keys.

use super::ReportPlayer;
use super::course::over_moves;
use super::gather::{GameEnd, GatheredGame, PACE_UNIT, PieceFinesse};
use super::page::ReportPage;
use super::play::share;
use super::results::mean;
use crate::numbers::{grouped, plain};
use crate::plot::{Axis, Figure, Mark, PlotError, Series};

/// Games that are averaged to show where it goes.
const WINDOW: usize = 10;

pub(super) fn write(page: &mut ReportPage, players: &[ReportPlayer<'_>]) -> Result<(), PlotError> {
    let is_person =
        |player: &&ReportPlayer<'_>| player.group.games.iter().any(|one| one.milliseconds.is_some());
    for player in players.iter().filter(is_person) {
        page.part(&format!("{}: progress, pace and mistakes", player.name));
        let games = in_order(player);
        progress(page, &games)?;
        pace(page, player, &games)?;
        mistakes(page, player, &games)?;
    }
    Ok(())
}

/// The games of a person in the order they were played.
fn in_order<'r>(player: &ReportPlayer<'r>) -> Vec<&'r GatheredGame> {
    let mut games: Vec<&GatheredGame> = player.group.games.iter().collect();
    games.sort_by_key(|one| one.started_at);
    games
}

fn progress(page: &mut ReportPage, games: &[&GatheredGame]) -> Result<(), PlotError> {
    let reached: Vec<&&GatheredGame> = games.iter().filter(|one| one.ended == GameEnd::Goal).collect();
    let is_race = reached.windows(2).all(|pair| pair[0].lines == pair[1].lines) && !reached.is_empty();
    // Where everybody has to clear the same rows, time is the result.
    if is_race {
        let seconds = |one: &GatheredGame| {
            one.milliseconds.filter(|_| one.ended == GameEnd::Goal).map(|ms| ms / 1000.0)
        };
        page.figure(&over_games("Time to the goal", "time (seconds)", games, seconds))?;
        let best = games.iter().filter_map(|one| seconds(one)).fold(f64::INFINITY, f64::min);
        page.text(&format!(
            "Best time: {} seconds, of {} games that reached the goal.",
            plain(best, 4),
            reached.len()
        ));
    } else {
        page.figure(&over_games("Score", "score (points)", games, |one| Some(one.score)))?;
        let best = games.iter().map(|one| one.score).fold(0.0, f64::max);
        page.text(&format!("Best score: {} points.", grouped(best, 0)));
    }
    Ok(())
}

fn pace(page: &mut ReportPage, player: &ReportPlayer<'_>, games: &[&GatheredGame]) -> Result<(), PlotError> {
    let speed =
        |one: &GatheredGame| one.milliseconds.filter(|ms| *ms > 0.0).map(|ms| one.pieces / (ms / 1000.0));
    page.figure(&over_games("Pace", "pieces per second", games, speed))?;
    page.table(
        "Pace, with the 95 % interval of the mean",
        &["games", "pieces per second", "time per game (seconds)"],
        vec![vec![
            grouped(games.len() as f64, 0),
            mean(games.iter().filter_map(|one| speed(one))),
            mean(games.iter().filter_map(|one| Some(one.milliseconds? / 1000.0))),
        ]],
    );
    if player.group.moves.pace.is_empty() {
        page.absent("How long each piece took is not in the tables.");
        return Ok(());
    }
    let only = std::slice::from_ref(player);
    let figure = over_moves(
        "Time for each piece, with the middle 80 %",
        "time (seconds)",
        PACE_UNIT / 1000.0,
        only,
        |player| &player.group.moves.pace,
    );
    page.figure(&figure)
}

fn mistakes(
    page: &mut ReportPage,
    player: &ReportPlayer<'_>,
    games: &[&GatheredGame],
) -> Result<(), PlotError> {
    let finesse = &player.group.moves.finesse;
    if finesse.is_empty() {
        page.absent("Key presses beyond the fewest are not in the tables.");
        return Ok(());
    }
    let per_piece =
        |one: &GatheredGame| one.extra_keys.filter(|_| one.pieces > 0.0).map(|extra| extra / one.pieces);
    page.figure(&over_games("Key presses beyond the fewest", "presses per piece", games, per_piece))?;
    let mut all = PieceFinesse::default();
    for one in finesse.values() {
        all.placements += one.placements;
        all.faults += one.faults;
        all.extra += one.extra;
    }
    let row = |name: &str, one: &PieceFinesse| {
        vec![
            name.to_owned(),
            grouped(one.placements as f64, 0),
            share(one.faults, one.placements),
            plain(one.extra as f64 / one.placements.max(1) as f64, 2),
        ]
    };
    let mut rows: Vec<Vec<String>> = finesse.iter().map(|(piece, one)| row(piece, one)).collect();
    rows.push(row("all", &all));
    page.table(
        "Placements with more key presses than needed, by piece",
        &["piece", "placements", "with a press too many", "presses beyond the fewest, per placement"],
        rows,
    );
    Ok(())
}

/// A value of each game in order, and the mean over some games around it.
fn over_games(
    title: &str,
    label: &str,
    games: &[&GatheredGame],
    value: impl Fn(&GatheredGame) -> Option<f64>,
) -> Figure {
    let values: Vec<(f64, f64)> =
        games.iter().enumerate().filter_map(|(index, one)| Some((index as f64 + 1.0, value(one)?))).collect();
    let mut figure = Figure::new(title)
        .x(Axis::new("game, in the order played").counting())
        .y(Axis::new(label).from_zero())
        .sized(720, 300)
        .with(Series::new("one game", Mark::Points).points(values.iter().copied()).coloured(5));
    if values.len() >= WINDOW {
        let means = values.windows(WINDOW).map(|window| {
            let (last, _) = window[WINDOW - 1];
            (last, window.iter().map(|(_, value)| value).sum::<f64>() / WINDOW as f64)
        });
        figure = figure.with(Series::new("mean of the last 10", Mark::Line).points(means).coloured(0));
    }
    figure
}
