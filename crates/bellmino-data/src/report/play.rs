//! How it was played: clears, wells and patterns, what became of each T.

use super::ReportPlayer;
use super::gather::CLEARS;
use super::page::ReportPage;
use super::results::mean;
use crate::numbers::grouped;
use crate::plot::{Axis, Figure, Mark, PlotError, Point, Series};
use crate::statistics::Summary;

/// Patterns in the table, at most.
const PATTERNS: usize = 10;

/// What became of a T, by its name in the tables, and for people.
const T_USES: [(&str, &str); 7] = [
    ("spin_triple", "spin triple"),
    ("spin_double", "spin double"),
    ("spin_single", "spin single"),
    ("spin", "spin, no row"),
    ("mini", "mini"),
    ("plain", "plain, no slot there"),
    ("wasted", "wasted, though there was a slot"),
];

pub(super) fn write(page: &mut ReportPage, players: &[ReportPlayer<'_>]) -> Result<(), PlotError> {
    clears(page, players)?;
    wells(page, players)?;
    t_pieces(page, players)
}

fn clears(page: &mut ReportPage, players: &[ReportPlayer<'_>]) -> Result<(), PlotError> {
    page.part("Clears");
    let counts = |player: &ReportPlayer<'_>, kind: usize| -> Vec<f64> {
        player.group.games.iter().filter_map(|one| one.clears[kind]).collect()
    };
    let came =
        |kind: &usize| players.iter().any(|player| counts(player, *kind).iter().any(|count| *count > 0.0));
    let kinds: Vec<usize> = (0..CLEARS.len()).filter(came).collect();
    if kinds.is_empty() {
        page.absent("Kinds of clears are counted in guideline games only.");
        return Ok(());
    }
    let names = kinds.iter().map(|kind| CLEARS[*kind].1);
    let mut figure = Figure::new("Clears per game, with the 95 % interval of the mean")
        .x(Axis::new("clears per game").from_zero())
        .y(Axis::default().named(names))
        .sized(720, 110 + (16 * players.len() as u32 + 14) * kinds.len() as u32);
    for player in players {
        let points = kinds.iter().enumerate().map(|(place, kind)| {
            let summary = Summary::of(&counts(player, *kind));
            Point::new(summary.mean, place as f64).across(summary.ci95)
        });
        figure = figure.with(Series::new(&player.name, Mark::Rows).with(points));
    }
    page.figure(&figure)?;
    let mut columns = vec!["player"];
    columns.extend(kinds.iter().map(|kind| CLEARS[*kind].1));
    columns.push("perfect clear");
    let rows = players.iter().map(|player| {
        let mut row = vec![player.name.clone()];
        row.extend(kinds.iter().map(|kind| mean(counts(player, *kind).into_iter())));
        row.push(mean(player.group.games.iter().filter_map(|one| one.perfect_clears)));
        row
    });
    page.table("Clears per game, with the 95 % interval of the mean", &columns, rows.collect());
    Ok(())
}

fn wells(page: &mut ReportPage, players: &[ReportPlayer<'_>]) -> Result<(), PlotError> {
    page.part("Wells and patterns");
    if players.iter().all(|player| player.group.moves.wells.is_empty()) {
        page.absent(match players.iter().all(|player| player.group.moves.count == 0) {
            true => "There is no table of moves.",
            false => "After no move was there a well.",
        });
        return Ok(());
    }
    page.text("A well is a column at least three rows lower than its neighbours; 6-3 is one with six columns to its left and three to its right.");
    let figure =
        columns_figure("Moves after which there was a well in this column, in per cent", players, |player| {
            (&player.group.moves.wells, player.group.moves.count)
        });
    page.figure(&figure)?;
    let mut patterns: Vec<(&str, f64)> = Vec::new();
    for player in players {
        for (pattern, count) in &player.group.moves.patterns {
            let share = *count as f64 / player.group.moves.count.max(1) as f64;
            match patterns.iter_mut().find(|(known, _)| known == pattern) {
                Some((_, most)) => *most = most.max(share),
                None => patterns.push((pattern, share)),
            }
        }
    }
    patterns.sort_by(|(one, a), (other, b)| b.total_cmp(a).then(one.cmp(other)));
    let left_out = patterns.len().saturating_sub(PATTERNS);
    patterns.truncate(PATTERNS);
    let mut columns = vec!["player", "any well"];
    columns.extend(patterns.iter().map(|(pattern, _)| *pattern));
    let rows = players.iter().map(|player| {
        let moves = &player.group.moves;
        let all: u64 = moves.wells.iter().sum();
        let shares = patterns.iter().map(|(pattern, _)| moves.patterns.get(*pattern).copied().unwrap_or(0));
        let cells = [all].into_iter().chain(shares).map(|count| share(count, moves.count));
        [player.name.clone()].into_iter().chain(cells).collect()
    });
    page.table("Moves after which the board had this pattern", &columns, rows.collect());
    if left_out > 0 {
        page.absent(&format!("{left_out} rarer patterns are not shown."));
    }
    Ok(())
}

fn t_pieces(page: &mut ReportPage, players: &[ReportPlayer<'_>]) -> Result<(), PlotError> {
    page.part("Use of T pieces");
    let total = |player: &ReportPlayer<'_>| player.group.moves.t_use.values().sum::<u64>();
    if players.iter().all(|player| total(player) == 0) {
        page.absent("What became of a T is told of guideline games with a table of moves only.");
        return Ok(());
    }
    let mut figure = Figure::new("What became of T pieces")
        .x(Axis::new("share of T pieces (%)").from_zero())
        .y(Axis::default().named(T_USES.map(|(_, name)| name)))
        .sized(720, 110 + (18 * players.len() as u32 + 14) * T_USES.len() as u32);
    for player in players {
        let all = total(player).max(1) as f64;
        let count = |name: &str| player.group.moves.t_use.get(name).copied().unwrap_or(0) as f64;
        let points =
            T_USES.iter().enumerate().map(|(place, (name, _))| (100.0 * count(name) / all, place as f64));
        figure = figure.with(Series::new(&player.name, Mark::Rows).points(points));
    }
    page.figure(&figure)?;
    if players.iter().any(|player| !player.group.moves.slots.is_empty()) {
        let figure =
            columns_figure("T-spins with rows by the column of their slot, in per cent", players, |player| {
                let slots = &player.group.moves.slots;
                (slots, slots.iter().sum())
            });
        page.figure(&figure)?;
    }
    let columns = [
        "player",
        "T pieces",
        "spins with rows",
        "spins without rows",
        "wasted",
        "spins in the third or later of a run in one column",
    ];
    let rows = players.iter().map(|player| {
        let moves = &player.group.moves;
        let count = |names: &[&str]| names.iter().filter_map(|name| moves.t_use.get(*name)).sum::<u64>();
        let all = total(player);
        let runs: u64 = moves.slot_runs.range(3..).map(|(_, count)| count).sum();
        let spins: u64 = moves.slots.iter().sum();
        vec![
            player.name.clone(),
            grouped(all as f64, 0),
            share(count(&["spin_triple", "spin_double", "spin_single"]), all),
            share(count(&["spin"]), all),
            share(count(&["wasted"]), all),
            if spins == 0 { "-".to_owned() } else { share(runs, spins) },
        ]
    });
    page.table(
        "T pieces, in per cent of all of them; runs in per cent of spins with rows",
        &columns,
        rows.collect(),
    );
    Ok(())
}

/// A cell for each player and column of the board: what share of a whole it has.
fn columns_figure<'r>(
    title: &str,
    players: &'r [ReportPlayer<'_>],
    counts: impl Fn(&'r ReportPlayer<'_>) -> (&'r Vec<u64>, u64),
) -> Figure {
    let wide = players.iter().map(|player| counts(player).0.len()).max().unwrap_or(0).max(10);
    let names: Vec<&str> = players.iter().map(|player| player.name.as_str()).collect();
    let share = |player: &'r ReportPlayer<'_>, column: usize| {
        let (counts, whole) = counts(player);
        counts.get(column).copied().unwrap_or(0) as f64 / whole.max(1) as f64
    };
    let cells = || players.iter().flat_map(|player| (0..wide).map(move |column| (player, column)));
    let most = cells().map(|(player, column)| share(player, column)).fold(1e-9, f64::max);
    let points = players.iter().enumerate().flat_map(|(row, player)| {
        (0..wide).map(move |column| {
            let share = share(player, column);
            Point::new(column as f64, row as f64).weighing(share / most).labelled(per_cent(share))
        })
    });
    Figure::new(title)
        .x(Axis::new("column, from the left, the first is 0")
            .named((0..wide).map(|column| column.to_string())))
        .y(Axis::default().named(names))
        .sized(720, 100 + 34 * players.len() as u32)
        .with(Series::new("", Mark::Cells).with(points))
}

/// A share in per cent.
pub(super) fn share(count: u64, whole: u64) -> String {
    if whole == 0 { "-".to_owned() } else { format!("{} %", per_cent(count as f64 / whole as f64)) }
}

/// The number of a share in per cent: a tenth at the finest.
fn per_cent(share: f64) -> String {
    match 100.0 * share {
        0.0 => "0".to_owned(),
        small if small < 0.1 => "<0.1".to_owned(),
        some if some < 10.0 => grouped(some, 1),
        most => grouped(most, 0),
    }
}
