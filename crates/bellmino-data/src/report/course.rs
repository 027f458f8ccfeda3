//! How games went: height and holes move by move, and key presses.

use super::ReportPlayer;
use super::gather::OverMoves;
use super::page::ReportPage;
use super::results::mean;
use crate::plot::{Axis, Figure, Mark, PlotError, Point, Series, distribution};

pub(super) fn write(page: &mut ReportPage, players: &[ReportPlayer<'_>]) -> Result<(), PlotError> {
    page.part("Height and holes over the game");
    if players.iter().all(|player| player.group.moves.height.is_empty()) {
        page.absent("There is no table of moves.");
    } else {
        page.text(
            "Lines are means over the games that are still going on, bands hold the middle 80 % of them.",
        );
        let height = over_moves("Height of the highest column", "height (rows)", 1.0, players, |player| {
            &player.group.moves.height
        });
        page.figure(&height)?;
        let holes = over_moves("Holes", "holes (cells)", 1.0, players, |player| &player.group.moves.holes);
        page.figure(&holes)?;
    }
    keys(page, players)
}

fn keys(page: &mut ReportPage, players: &[ReportPlayer<'_>]) -> Result<(), PlotError> {
    page.part("Key presses");
    let counted: Vec<&ReportPlayer<'_>> =
        players.iter().filter(|player| player.group.games.iter().any(|one| one.keys.is_some())).collect();
    if counted.is_empty() {
        page.absent("Key presses were not counted.");
        return Ok(());
    }
    let per_piece = |player: &ReportPlayer<'_>| -> Vec<f64> {
        let games = player.group.games.iter().filter(|one| one.pieces > 0.0);
        games.filter_map(|one| Some(one.keys? / one.pieces)).collect()
    };
    let rows = counted.iter().map(|player| {
        vec![
            player.name.clone(),
            mean(player.group.games.iter().filter_map(|one| one.keys)),
            mean(per_piece(player).into_iter()),
        ]
    });
    let columns = ["player", "presses per game", "presses per piece"];
    page.table(
        "Key presses, hold and hard drop included, with the 95 % interval of the mean",
        &columns,
        rows.collect(),
    );
    let samples: Vec<(String, Vec<f64>)> =
        counted.iter().map(|player| (player.name.clone(), per_piece(player))).collect();
    page.figure(&distribution("Key presses per piece", "presses per piece, mean of a game", &samples))
}

/// A line for each player over the moves of its games.
pub(super) fn over_moves<'r>(
    title: &str,
    label: &str,
    unit: f64,
    players: &'r [ReportPlayer<'_>],
    values: impl Fn(&'r ReportPlayer<'_>) -> &'r OverMoves,
) -> Figure {
    let mut figure = Figure::new(title).x(Axis::new("move")).y(Axis::new(label).from_zero()).sized(720, 300);
    for player in players.iter().filter(|player| !values(player).is_empty()) {
        let points = values(player)
            .summary()
            .into_iter()
            .map(|(at, mean, [low, high])| Point::new(at, mean * unit).between([low * unit, high * unit]));
        figure = figure.with(Series::new(&player.name, Mark::Line).with(points));
    }
    figure
}
