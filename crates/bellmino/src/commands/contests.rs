//! `bellmino contests`: people against machines, ten games at a time.

use std::io::{self, Write};
use std::path::PathBuf;

use bellmino_lab::{CONTEST_GAMES, ContestPair, ContestSeries, ContestTally, Measure};
use bellmino_web::StoreError;
use serde_json::json;

use crate::cli::Common;
use crate::commands::lab::refuse_folder;
use crate::failure::Failure;
use crate::output;
use crate::output::number;

/// Arguments of `contests`.
#[derive(clap::Args, Debug)]
pub struct ContestsArgs {
    /// The lab's folder for games and settings [default: the user's data folder]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

/// Shows the contests of the lab's games.
pub fn run(args: &ContestsArgs, common: &Common) -> Result<(), Failure> {
    let series = match bellmino_web::kept_contests(args.data.as_deref()) {
        // Somebody who has never opened the lab has no folder yet.
        Err(StoreError::Folder(_, why)) if args.data.is_none() && why.kind() == io::ErrorKind::NotFound => {
            vec![]
        }
        series => series.map_err(|error| refuse_folder(&error))?,
    };
    if common.json {
        return output::json(&json!({ "version": env!("CARGO_PKG_VERSION"), "series": series }));
    }
    if series.is_empty() && !common.quiet {
        eprintln!(
            "bellmino: no contest yet. Play one in `bellmino lab`: choose a small game in Watch, press \
             `Play against it`, and play {CONTEST_GAMES} games"
        );
    }
    let mut out = io::stdout().lock();
    for (place, series) in series.iter().enumerate() {
        if place > 0 {
            writeln!(out)?;
        }
        print(&mut out, series)?;
    }
    Ok(())
}

fn print(out: &mut impl Write, series: &ContestSeries) -> Result<(), Failure> {
    let ContestSeries { game, machine, measure, same_pieces, contests, all, repeated } = series;
    let how = if *same_pieces { "on the same pieces" } else { "on other pieces each" };
    let what = match measure {
        Measure::Score => "points",
        Measure::Pieces => "pieces to the goal, fewer is better",
    };
    writeln!(out, "{game}: you against {machine}, {how}; {what}")?;
    let width = 4 + machine.len().max("contest 00".len());
    for (place, contest) in contests.iter().enumerate() {
        let results: Vec<[String; 2]> = contest.games.iter().map(written).collect();
        let cell = |text: &str| format!("{text:>7}");
        let row = |name: &str, cells: &mut dyn Iterator<Item = String>, last: &str| {
            format!("  {name:width$}{}{last:>10}", cells.map(|text| cell(&text)).collect::<String>())
        };
        let head = format!("contest {}", place + 1);
        let mut numbers = (1..=contest.games.len()).map(|game| game.to_string());
        writeln!(out, "{}", row(&head, &mut numbers, "average"))?;
        let mean = |mean: Option<f64>| mean.map_or("-".to_owned(), number);
        let [mine, its] = [0, 1].map(|side| results.iter().map(move |pair| pair[side].clone()));
        writeln!(out, "{}", row("  you", &mut mine.into_iter(), &mean(contest.tally.person_mean)))?;
        let name = format!("  {machine}");
        writeln!(out, "{}", row(&name, &mut its.into_iter(), &mean(contest.tally.machine_mean)))?;
        writeln!(out, "    {}", verdict(&contest.tally, *same_pieces))?;
    }
    if contests.len() > 1 {
        let games: usize = contests.iter().map(|contest| contest.games.len()).sum();
        writeln!(out, "  all {games} games: {}", verdict(all, *same_pieces))?;
    }
    if *repeated > 0 {
        writeln!(out, "  {repeated} games on pieces that you had played before count for nothing")?;
    }
    Ok(())
}

fn written(pair: &ContestPair) -> [String; 2] {
    [pair.person, pair.machine].map(|result| result.map_or("-".to_owned(), number))
}

/// What the games say of the difference.
fn verdict(tally: &ContestTally, same_pieces: bool) -> String {
    let ContestTally { won, drawn, lost, difference, .. } = tally;
    let Some(test) = difference else {
        return "nothing to compare: the machine's games were not played to their end".to_owned();
    };
    let games = if same_pieces { format!("won {won}, drawn {drawn}, lost {lost}; ") } else { String::new() };
    let interval = match test.ci95 {
        Some([low, high]) => format!(" [{}, {}]", number(low), number(high)),
        None => String::new(),
    };
    let chance = match test.p {
        Some(p) if p < 0.001 => "p < 0.001".to_owned(),
        Some(p) => format!("p = {p:.3}"),
        None => "too few games for a test".to_owned(),
    };
    format!("{games}you minus it {}{interval}, {chance} ({})", number(test.mean), test.method.words())
}
