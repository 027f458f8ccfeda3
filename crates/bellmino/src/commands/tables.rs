//! `bellmino tables`: recorded games, and those of the lab, as tables of games and moves.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

#[cfg(feature = "lab")]
use bellmino_data::GameHead;
#[cfg(feature = "lab")]
use bellmino_engine::AnyRecord;
use bellmino_host::{LedgerError, open_tables};
#[cfg(feature = "lab")]
use bellmino_lab::bind_record;
use bellmino_lab::request::{OpenTables, RequestError, TablesRequest};
use bellmino_lab::styles;
use serde_json::json;

use crate::cli::Common;
use crate::failure::Failure;
use crate::flags::{Flags, refuse};
#[cfg(feature = "lab")]
use crate::interrupt;
use crate::output;
use crate::output::number;
use crate::terminal::Terminal;

/// Arguments of `tables`.
#[derive(clap::Args, Debug)]
pub struct TablesArgs {
    #[command(flatten)]
    request: Flags<TablesRequest>,

    /// The games that people played in the lab
    #[cfg(feature = "lab")]
    #[arg(long)]
    lab: bool,

    /// The lab's folder for games and settings [default: the user's data folder]
    #[cfg(feature = "lab")]
    #[arg(long, value_name = "DIR", requires = "lab")]
    data: Option<PathBuf>,

    /// Print all columns and their meaning, in Markdown
    #[arg(long)]
    dictionary: bool,

    /// Print how the players of the tables in this folder play: wells, patterns, T's, keys
    #[arg(long, value_name = "DIR", conflicts_with_all = ["records", "output", "dictionary"])]
    style: Option<PathBuf>,
}

impl TablesArgs {
    fn has_lab(&self) -> bool {
        #[cfg(feature = "lab")]
        return self.lab;
        #[cfg(not(feature = "lab"))]
        false
    }

    /// The request, if all that is asked for is one.
    pub fn request(&self) -> Option<&TablesRequest> {
        (!self.has_lab() && !self.dictionary && self.style.is_none()).then_some(&self.request.0)
    }
}

/// Makes tables of recorded games.
pub fn run(args: &TablesArgs, common: &Common) -> Result<(), Failure> {
    if args.dictionary {
        if common.json {
            let tables = json!({ "games": bellmino_data::GAMES, "moves": bellmino_data::MOVES });
            return output::json(&json!({ "version": env!("CARGO_PKG_VERSION"), "tables": tables }));
        }
        return Ok(write!(io::stdout().lock(), "{}", bellmino_data::dictionary())?);
    }
    if let Some(folder) = &args.style {
        return print_style(folder, common);
    }
    let Flags(request) = &args.request;
    let lab = args.has_lab();
    if request.records.is_empty() && !lab {
        return Err(Failure::input(
            "nothing to make tables of: give records, or --lab for the games played in the lab",
        ));
    }
    let mut more = |tables: &dyn OpenTables| match lab {
        #[cfg(feature = "lab")]
        true => from_lab(args, tables, common),
        _ => Ok(()),
    };
    let made = request.make(&Terminal::new(common).context(), &mut more);
    let made = made.map_err(|error: RequestError| refuse::<TablesRequest>(&error))?;
    if common.json { output::json(&made) } else { Ok(()) }
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
fn from_lab(args: &TablesArgs, tables: &dyn OpenTables, common: &Common) -> Result<(), RequestError> {
    let write = |game: bellmino_web::KeptGame| {
        let head = GameHead {
            source: Some(format!("lab:{}", game.id).into()),
            started_at: Some(game.started),
            player: game.player.into(),
            ..GameHead::default()
        };
        let record = game.record.ok_or_else(|| "it is damaged in the store".to_owned());
        let record = record.and_then(|record| AnyRecord::from_text(&record).map_err(|why| why.to_string()));
        let bind = |record| bind_record(tables.binder(), &record, head).map_err(|why| why.to_string());
        if let (Err(why), false) = (record.and_then(bind), common.quiet) {
            eprintln!("game {} of the lab is left out: {why}", game.id);
        }
        interrupt::go_on()
    };
    bellmino_web::kept_games(args.data.as_deref(), write).map_err(RequestError::input)
}
