//! What came of the games: results, differences on the same pieces, distributions, losses.

use std::collections::BTreeMap;

use super::ReportPlayer;
use super::gather::{GameEnd, GatheredGame};
use super::page::ReportPage;
use crate::numbers::{grouped, plain, with_interval};
use crate::plot::{At, Axis, Figure, Mark, PlotError, Point, Series, distribution};
use crate::statistics::{PerLoss, Summary};

/// A figure that every game has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReportMeasure {
    Score,
    Lines,
    Pieces,
}

impl ReportMeasure {
    const ALL: [ReportMeasure; 3] = [ReportMeasure::Score, ReportMeasure::Lines, ReportMeasure::Pieces];

    fn name(self) -> &'static str {
        match self {
            ReportMeasure::Score => "score",
            ReportMeasure::Lines => "rows",
            ReportMeasure::Pieces => "pieces",
        }
    }

    /// The name with its unit.
    fn label(self) -> &'static str {
        match self {
            ReportMeasure::Score => "score (points)",
            ReportMeasure::Lines => "rows cleared",
            ReportMeasure::Pieces => "pieces placed",
        }
    }

    fn of(self, played: &GatheredGame) -> f64 {
        match self {
            ReportMeasure::Score => played.score,
            ReportMeasure::Lines => played.lines,
            ReportMeasure::Pieces => played.pieces,
        }
    }
}

pub(super) fn write(page: &mut ReportPage, players: &[ReportPlayer<'_>]) -> Result<(), PlotError> {
    results(page, players)?;
    if players.len() > 1 {
        differences(page, players)?;
    }
    distributions(page, players)?;
    losses(page, players);
    Ok(())
}

fn results(page: &mut ReportPage, players: &[ReportPlayer<'_>]) -> Result<(), PlotError> {
    page.part("Results");
    let has_goal = ends(players, GameEnd::Goal) > 0;
    let drops = players.iter().any(|player| player.group.games.iter().any(|one| one.drop_points.is_some()));
    let mut columns = vec!["player", "games", "score (points)", "rows", "pieces"];
    columns.extend(has_goal.then_some("goal reached"));
    columns.extend(["lost", "unfinished"]);
    columns.extend(drops.then_some("drop points"));
    let rows = players.iter().map(|player| {
        let games = &player.group.games;
        let count = |ended: GameEnd| grouped(games.iter().filter(|one| one.ended == ended).count() as f64, 0);
        let mut row = vec![player.name.clone(), grouped(games.len() as f64, 0)];
        row.extend(ReportMeasure::ALL.iter().map(|measure| mean(games.iter().map(|one| measure.of(one)))));
        row.extend(has_goal.then(|| count(GameEnd::Goal)));
        row.extend([count(GameEnd::Lost), count(GameEnd::Unfinished)]);
        row.extend(drops.then(|| mean(games.iter().filter_map(|one| one.drop_points))));
        row
    });
    page.table("Mean per game, with its 95 % interval", &columns, rows.collect());
    let measure = main_measure(players);
    let names: Vec<&str> = players.iter().map(|player| player.name.as_str()).collect();
    let points = players.iter().enumerate().map(|(index, player)| {
        let summary = Summary::of(&sample(player, measure));
        Point::new(summary.mean, index as f64).across(summary.ci95)
    });
    if players.len() > 1 {
        let figure = Figure::new(format!("Mean {}, with its 95 % interval", measure.name()))
            .x(Axis::new(measure.label()))
            .y(Axis::default().named(names))
            .sized(720, 96 + 34 * players.len() as u32)
            .with(Series::new("", Mark::Points).with(points));
        page.figure(&figure)?;
    }
    Ok(())
}

fn differences(page: &mut ReportPage, players: &[ReportPlayer<'_>]) -> Result<(), PlotError> {
    let [first, others @ ..] = players else { return Ok(()) };
    page.part("Differences on the same pieces");
    let mut by_pieces: BTreeMap<(&str, i64), &GatheredGame> = BTreeMap::new();
    for played in &first.group.games {
        by_pieces.insert((&first.group.seeds[played.seed], played.index), played);
    }
    let measure = main_measure(players);
    let mut rows = Vec::new();
    let mut points = Vec::new();
    let mut names = Vec::new();
    for player in others {
        let pairs: Vec<(&GatheredGame, &GatheredGame)> = player
            .group
            .games
            .iter()
            .filter_map(|one| Some((one, *by_pieces.get(&(&*player.group.seeds[one.seed], one.index))?)))
            .collect();
        if pairs.is_empty() {
            continue;
        }
        let differences = |measure: ReportMeasure| -> Vec<f64> {
            pairs.iter().map(|(one, base)| measure.of(one) - measure.of(base)).collect()
        };
        let main = differences(measure);
        let count =
            |is: fn(&f64) -> bool| grouped(main.iter().filter(|difference| is(difference)).count() as f64, 0);
        let mut row = vec![format!("{} minus {}", player.name, first.name), grouped(pairs.len() as f64, 0)];
        row.extend(ReportMeasure::ALL.iter().map(|&measure| mean(differences(measure).into_iter())));
        row.push(format!(
            "{} / {} / {}",
            count(|difference| *difference > 0.0),
            count(|difference| *difference == 0.0),
            count(|difference| *difference < 0.0)
        ));
        rows.push(row);
        let summary = Summary::of(&main);
        points.push(Point::new(summary.mean, names.len() as f64).across(summary.ci95));
        names.push(player.name.clone());
    }
    if rows.is_empty() {
        page.absent(
            "No two players have a game with the same seed and number: nothing can be compared game by game.",
        );
        return Ok(());
    }
    page.text(
        "Games with the same seed and number have the same pieces, so that a difference is not one of luck. An interval \
         without 0 tells the players apart.",
    );
    let more = format!("{}: more / same / fewer (games)", measure.name());
    page.table(
        "Differences game by game, with the 95 % interval of their mean",
        &["players", "pairs", "score (points)", "rows", "pieces", &more],
        rows,
    );
    let figure =
        Figure::new(format!("Difference in {} from {}, with its 95 % interval", measure.name(), first.name))
            .x(Axis::new(format!("difference in {}", measure.label())))
            .y(Axis::default().named(names.iter().map(String::as_str)))
            .sized(720, 96 + 34 * names.len() as u32)
            .with(Series::new("", Mark::Points).with(points))
            .refer(At::X(0.0), "");
    page.figure(&figure)
}

fn distributions(page: &mut ReportPage, players: &[ReportPlayer<'_>]) -> Result<(), PlotError> {
    page.part("Distributions");
    let mut same = Vec::new();
    for measure in ReportMeasure::ALL {
        let samples: Vec<(String, Vec<f64>)> =
            players.iter().map(|player| (player.name.clone(), sample(player, measure))).collect();
        let mut all = samples.iter().flat_map(|(_, sample)| sample.iter().copied());
        let first = all.next();
        if all.all(|value| Some(value) == first) {
            same.extend(first.map(|value| format!("{} {}", plain(value, 6), measure.name())));
            continue;
        }
        page.figure(&distribution(&capital(measure.name()), measure.label(), &samples))?;
    }
    if !same.is_empty() {
        page.absent(&format!("The same in every game: {}.", same.join(", ")));
    }
    if ends(players, GameEnd::Goal) > 0
        && ends(players, GameEnd::Lost) + ends(players, GameEnd::Unfinished) > 0
    {
        page.text("Pieces are those of games that reached their goal, where there are any.");
    }
    Ok(())
}

fn losses(page: &mut ReportPage, players: &[ReportPlayer<'_>]) {
    page.part("Losses");
    if ends(players, GameEnd::Lost) == 0 {
        page.absent("No game was lost.");
        return;
    }
    let rows = players.iter().map(|player| {
        let games = &player.group.games;
        let lost: Vec<&GatheredGame> = games.iter().filter(|one| one.ended == GameEnd::Lost).collect();
        let per_loss = PerLoss::new(games.iter().map(|one| one.lines).sum(), lost.len() as u64);
        let lines = match (per_loss.mean, per_loss.ci95) {
            (Some(mean), [Some(low), Some(high)]) => with_interval(mean, [low, high]),
            (_, [Some(low), _]) => format!("more than {}", plain(low, 2)),
            _ => "unknown".to_owned(),
        };
        let pieces: Vec<f64> = lost.iter().map(|one| one.pieces).collect();
        let median = if pieces.is_empty() { "-".to_owned() } else { plain(Summary::of(&pieces).median, 3) };
        let mut last: BTreeMap<&str, usize> = BTreeMap::new();
        for piece in lost.iter().map(|one| &*one.last_piece).filter(|piece| !piece.is_empty()) {
            *last.entry(piece).or_default() += 1;
        }
        let mut last: Vec<(&str, usize)> = last.into_iter().collect();
        last.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let last: Vec<String> = last.iter().map(|(piece, count)| format!("{piece} {count}")).collect();
        vec![
            player.name.clone(),
            format!("{} of {}", grouped(lost.len() as f64, 0), grouped(games.len() as f64, 0)),
            lines,
            median,
            if last.is_empty() { "-".to_owned() } else { last.join(", ") },
        ]
    });
    let columns =
        ["player", "lost games", "rows per loss", "pieces when lost (median)", "last piece placed (games)"];
    page.table(
        "Lost games, and rows cleared for each, with the exact 95 % interval",
        &columns,
        rows.collect(),
    );
}

/// How many games ended so.
fn ends(players: &[ReportPlayer<'_>], ended: GameEnd) -> usize {
    players.iter().flat_map(|player| &player.group.games).filter(|one| one.ended == ended).count()
}

/// What the game is about: pieces where the same rows were cleared by all who reached the goal, else points.
fn main_measure(players: &[ReportPlayer<'_>]) -> ReportMeasure {
    let reached =
        || players.iter().flat_map(|player| &player.group.games).filter(|one| one.ended == GameEnd::Goal);
    let differ = |measure: ReportMeasure| {
        let first = reached().next().map(|one| measure.of(one));
        reached().any(|one| Some(measure.of(one)) != first)
    };
    if differ(ReportMeasure::Pieces) { ReportMeasure::Pieces } else { ReportMeasure::Score }
}

/// The results of a player; pieces are those of games that reached their goal, if there are any.
fn sample(player: &ReportPlayer<'_>, measure: ReportMeasure) -> Vec<f64> {
    let games = &player.group.games;
    let only_reached = measure == ReportMeasure::Pieces && games.iter().any(|one| one.ended == GameEnd::Goal);
    let counts = |one: &&GatheredGame| !only_reached || one.ended == GameEnd::Goal;
    games.iter().filter(counts).map(|one| measure.of(one)).collect()
}

/// A mean with its interval.
pub(super) fn mean(values: impl Iterator<Item = f64>) -> String {
    let values: Vec<f64> = values.collect();
    if values.is_empty() {
        return "-".to_owned();
    }
    let summary = Summary::of(&values);
    with_interval(summary.mean, summary.ci95)
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
