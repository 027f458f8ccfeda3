//! `bellmino tables`: recorded games, and those of the lab, as tables of games and moves.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use bellmino_data::{Format, GameHead};
use bellmino_engine::AnyRecord;
use bellmino_lab::{Ledger, LedgerError};

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
    #[arg(long, short, value_name = "DIR", required_unless_present = "dictionary")]
    output: Option<PathBuf>,

    #[command(flatten)]
    format: FormatArgs,

    /// Print all columns and their meaning, in Markdown
    #[arg(long)]
    dictionary: bool,
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

    /// Whether a format was asked for.
    pub fn is_given(self) -> bool {
        self.format.is_some()
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
