//! `bellmino tables`: recorded games, and those of the lab, as tables of games and moves.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use bellmino_data::{Format, GameHead};
use bellmino_engine::AnyRecord;
use bellmino_host::{Ledger, LedgerError, open_tables};
use bellmino_lab::styles;
use serde_json::json;

use crate::cli::Common;
use crate::failure::Failure;
use crate::load::read_text;
use crate::output::number;
use crate::{interrupt, output};

/// Arguments of `tables`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Records, as `play --record` and the lab write them
    records: Vec<PathBuf>,

    /// The games that people played in the lab
    #[cfg(feature = "lab")]
    #[arg(long)]
    lab: bool,

    /// The lab's folder for games and settings [default: the user's data folder]
    #[cfg(feature = "lab")]
    #[arg(long, value_name = "DIR", requires = "lab")]
    data: Option<PathBuf>,

    /// The folder for the tables
    #[arg(long, short, value_name = "DIR", required_unless_present_any = ["dictionary", "style"])]
    output: Option<PathBuf>,

    #[command(flatten)]
    format: FormatArgs,

    /// Print all columns and their meaning, in Markdown
    #[arg(long)]
    dictionary: bool,

    /// Print how the players of the tables in this folder play: wells, patterns, T's, keys
    #[arg(long, value_name = "DIR", conflicts_with_all = ["records", "output", "dictionary"])]
    style: Option<PathBuf>,
}

/// How tables are written.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct FormatArgs {
    /// How tables are written: parquet or csv [default: parquet]
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    format: Option<Format>,
}

impl FormatArgs {
    /// Begins the tables of a folder.
    pub fn begin(self, folder: &Path) -> Result<Ledger, Failure> {
        Ledger::create(folder, self.format.unwrap_or_default()).map_err(|error| match error {
            error @ LedgerError::OtherFormat { .. } => Failure::input(error),
            error => Failure::run(error),
        })
    }
}

/// Puts the tables in their place and says what they hold.
pub fn finish(ledger: Ledger, interrupted: bool, common: &Common) -> Result<(), Failure> {
    let folder = ledger.folder().display().to_string();
    let (games, moves) = ledger.finish().map_err(Failure::run)?;
    if !common.quiet {
        let why = if interrupted { "interrupted; " } else { "" };
        let (games, moves) = (number(games as f64), number(moves as f64));
        eprintln!("{why}tables in {folder}: {games} games, {moves} moves");
    }
    Ok(())
}

/// Makes tables of recorded games.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    if args.dictionary {
        return Ok(write!(io::stdout().lock(), "{}", bellmino_data::dictionary())?);
    }
    if let Some(folder) = &args.style {
        return print_style(folder, common);
    }
    let Some(folder) = &args.output else {
        return Err(Failure::input("give a folder for the tables: -o DIR"));
    };
    #[cfg(feature = "lab")]
    let lab = args.lab;
    #[cfg(not(feature = "lab"))]
    let lab = false;
    if args.records.is_empty() && !lab {
        return Err(Failure::input(
            "nothing to make tables of: give records, or --lab for the games played in the lab",
        ));
    }
    // What cannot be read is said before anything is written.
    let read = |path: &PathBuf| {
        let refuse = |why: &dyn std::fmt::Display| Failure::input(format!("{}: {why}", path.display()));
        AnyRecord::from_text(&read_text(path)?).map_err(|error| refuse(&error))
    };
    let ledger = args.format.begin(folder)?;
    let bar = output::progress(common.quiet, args.records.len() as u64, "records");
    for path in args.records.iter().take_while(|_| interrupt::go_on()) {
        let head = GameHead { source: Some(path.display().to_string().into()), ..GameHead::default() };
        let refuse = |why| Failure::input(format!("{}: {why}; no tables were written", path.display()));
        ledger.record(&read(path)?, head).map_err(refuse)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    #[cfg(feature = "lab")]
    if lab {
        from_lab(args, &ledger, common)?;
    }
    finish(ledger, !interrupt::go_on(), common)
}

/// How the players of a folder's tables play.
fn print_style(folder: &Path, common: &Common) -> Result<(), Failure> {
    let (games, moves) = open_tables(folder).map_err(Failure::input)?;
    let missing = || Failure::input(LedgerError::NoTable { folder: folder.to_owned(), table: "moves" });
    let moves = moves.ok_or_else(missing)?;
    let read = |error| Failure::input(format!("{}: {error}", folder.display()));
    let players = styles(games, moves).map_err(read)?;
    if common.json {
        return output::json(&json!({ "version": env!("CARGO_PKG_VERSION"), "players": players }));
    }
    let mut out = io::stdout().lock();
    let list = |shares: &[(String, f64)], most: usize| {
        let shown = shares.iter().filter(|(_, share)| *share > 0.0).take(most);
        shown.map(|(name, share)| format!("{name} {:.1} %", share * 100.0)).collect::<Vec<_>>().join(", ")
    };
    for style in &players {
        let nodes = style.nodes.map_or(String::new(), |nodes| format!(", {} nodes", number(nodes as f64)));
        writeln!(out, "{}: {} ({} games{nodes})", style.game, style.player, number(style.games as f64))?;
        writeln!(out, "  pieces {}, score {}", number(style.pieces.mean), number(style.score.mean))?;
        writeln!(out, "  with a well {:.1} %: {}", style.with_well * 100.0, list(&style.patterns, 5))?;
        writeln!(out, "  games with one pattern: {}", list(&style.settled, 5))?;
        let Some(keys) = style.keys_per_piece else { continue };
        writeln!(out, "  T's: {}", list(&style.t_uses, 7))?;
        let third = style.third_in_slot * 100.0;
        let longest = style.longest_slot_run;
        writeln!(out, "  slots by column: {}", list(&style.slot_columns, 10))?;
        writeln!(out, "  at least the third in its slot {third:.1} %, longest run {longest}")?;
        let perfect = style.perfect_clears.as_ref().map_or(0.0, |perfect| perfect.mean);
        let rows = style.tetris_rows * 100.0;
        writeln!(
            out,
            "  rows by tetrises {rows:.1} %, perfect clears {perfect:.3} a game, keys {keys:.3} a piece"
        )?;
    }
    Ok(())
}

/// Games of the lab; one that cannot be played again is left out, and named.
#[cfg(feature = "lab")]
fn from_lab(args: &Args, ledger: &Ledger, common: &Common) -> Result<(), Failure> {
    let write = |game: bellmino_web::KeptGame| {
        let head = GameHead {
            source: Some(format!("lab:{}", game.id).into()),
            started_at: Some(game.started),
            player: game.player.into(),
            ..GameHead::default()
        };
        let record = game.record.ok_or_else(|| "it is damaged in the store".to_owned());
        let record = record.and_then(|record| AnyRecord::from_text(&record).map_err(|why| why.to_string()));
        let written = record.and_then(|record| ledger.record(&record, head).map_err(|why| why.to_string()));
        if let (Err(why), false) = (written, common.quiet) {
            eprintln!("game {} of the lab is left out: {why}", game.id);
        }
        interrupt::go_on()
    };
    bellmino_web::kept_games(args.data.as_deref(), write).map_err(Failure::input)
}

fn format(text: &str) -> Result<Format, String> {
    let found = Format::NAMES.into_iter().find(|(name, _)| *name == text);
    found.map(|(_, format)| format).ok_or_else(|| "give parquet or csv".to_owned())
}
