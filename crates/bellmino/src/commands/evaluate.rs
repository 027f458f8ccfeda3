//! `bellmino evaluate`.

mod forecast;

use std::io::{self, Write};
use std::path::PathBuf;

use bellmino_engine::Game;
use bellmino_engine::guideline::ClearKind;
use bellmino_host::CLOCK;
use bellmino_lab::statistics::Summary;
use bellmino_lab::{ArenaReport, ArenaSettings, Opponent, PlayerError, PlayerReport, evaluate_by};
use serde_json::{Value, json};

use self::forecast::Forecast;
use super::tables::{self, FormatArgs};
use crate::cli::Common;
use crate::failure::Failure;
use crate::load::{GameArgs, ThinkArgs};
use crate::output::number;
use crate::{interrupt, load, output, session};

/// Arguments of `evaluate`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    game: GameArgs,

    /// Who plays: random, random-rotation, lowest, lowest-bottom, fewest-holes, weights:NAME-OR-FILE (see
    /// `bellmino weights`), tuples:FILE, table:FILE; in guideline games also bot, bot:DEPTH (looks DEPTH pieces ahead), bot:keys or bot:FILE. Repeat it to compare players on identical pieces
    #[arg(long = "player", value_name = "P", required = true)]
    players: Vec<String>,

    /// Games for each player
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    games: u64,

    /// Play, instead of a number of games, until this many are lost: the interval of lines per loss narrows with it
    #[arg(long, value_name = "N", conflicts_with = "games", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    losses: Option<u64>,

    /// Stop a game after this many pieces; it counts as unfinished
    #[arg(long, value_name = "MAX", value_parser = clap::value_parser!(u64).range(1..))]
    pieces: Option<u64>,

    #[command(flatten)]
    think: ThinkArgs,

    /// Also count key presses: the fewest for each placement, hold and hard drop included (guideline games)
    #[arg(long)]
    keys: bool,

    /// Also give the score discounted by this factor per piece
    #[arg(long, value_name = "L", value_parser = discount)]
    discount: Option<f64>,

    /// Draw how the results of each player are distributed, with mean and interval, into this SVG file
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,

    /// Who deals in placement games: random, or table:FILE for a dealer solved before [default: random]
    #[arg(long, value_name = "D")]
    dealer: Option<String>,

    /// Write every game and every move into two tables in this folder, `games` and `moves`
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,

    #[command(flatten)]
    format: FormatArgs,
}

/// Plays many games.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let game = args.game.load(common)?;
    if args.format.is_given() && args.tables.is_none() {
        return Err(Failure::input("--format is for tables; give --tables DIR too"));
    }
    let settings = ArenaSettings {
        games: args.games,
        losses: args.losses,
        seed: common.seed,
        pieces: args.pieces,
        discount: args.discount,
        dealer: opponent(args, &game)?,
        keys: args.keys,
        clock: CLOCK,
    };
    let players = load::players(&args.players, &game, args.think.budget())?;
    let games = args.losses.unwrap_or(args.games);
    let bar = output::progress(common.quiet, games * args.players.len() as u64, "games");
    let forecast = Forecast::new(games * args.players.len() as u64, args);
    let progress = |games| {
        bar.inc(games);
        if let Some(words) = forecast.words(games).filter(|_| !common.quiet) {
            bar.suspend(|| eprintln!("bellmino: {words}"));
        }
        interrupt::go_on()
    };
    let name = args.game.describe(&game);
    let crew = session::crew();
    let evaluate = |tables| {
        let report = evaluate_by(crew.as_deref(), tables, &game, &players, &settings, &progress);
        bar.finish_and_clear();
        report.map_err(|error| match error {
            PlayerError::Crew(error) => Failure::run(error),
            error => Failure::input(error),
        })
    };
    let report = match &args.tables {
        None => evaluate(None)?,
        Some(folder) => {
            let ledger = args.format.begin(folder)?;
            let report = evaluate(Some((&ledger, &name)))?;
            tables::finish(ledger, report.players.iter().any(|player| player.interrupted), common)?;
            report
        }
    };
    if let Some(file) = &args.plot {
        output::plot(file, &report.figure(&game, &name))?;
    }
    if common.json { output::json(&as_json(&name, &report)) } else { print(&name, &report) }
}

/// Who deals; options that mean nothing in this game are refused.
fn opponent(args: &Args, game: &Game) -> Result<Opponent, Failure> {
    let name = game.name();
    match game {
        Game::Placement(game) => {
            load::refuse_thinking(&args.think, name)?;
            if args.keys {
                return Err(Failure::input(format!("--keys: `{name}` is a placement game and has no keys")));
            }
            load::opponent(args.dealer.as_deref(), game)
        }
        Game::Guideline(game) => {
            load::refuse_dealer(args.dealer.as_deref(), name)?;
            let goal = game.rules().goal;
            if goal.lines.is_none() && goal.pieces.is_none() && args.pieces.is_none() {
                return Err(Failure::input(format!("`{name}` has no goal and may never end; give --pieces")));
            }
            if args.losses.is_some() {
                return Err(Failure::input(format!("`{name}` ends at its goal; give --games, not --losses")));
            }
            Ok(Opponent::Random)
        }
    }
}

/// One player's fields at the top; several players as a list, with their differences.
fn as_json(game: &str, report: &ArenaReport) -> Value {
    let version = env!("CARGO_PKG_VERSION");
    if let [only] = &report.players[..] {
        let mut object = json!({ "game": game, "version": version });
        if let (Some(object), Value::Object(fields)) = (object.as_object_mut(), json!(only)) {
            object.extend(fields);
        }
        return object;
    }
    json!({ "game": game, "version": version, "players": report.players, "differences": report.differences })
}

fn print(game: &str, report: &ArenaReport) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    for player in &report.players {
        writeln!(
            out,
            "{game}: {} ({} games, seed {})",
            player.player,
            number(player.games as f64),
            player.seed
        )?;
        for (name, summary) in rows(player) {
            write_row(&mut out, name, summary)?;
        }
        if let Some(guideline) = &player.guideline {
            let kinds = ClearKind::ALL.iter().map(|kind| kind.name()).zip(guideline.clears);
            let given = kinds.chain([("perfect", guideline.perfect_clears)]).filter(|(_, count)| *count > 0);
            let list: Vec<String> =
                given.map(|(kind, count)| format!("{kind} {}", number(count as f64))).collect();
            writeln!(out, "  clears     {}", list.join(", "))?;
            writeln!(out, "  goal reached in {} games", number(guideline.cleared_goal as f64))?;
            let columns = |counts: &[u64]| {
                counts.iter().map(|&count| number(count as f64)).collect::<Vec<_>>().join(" ")
            };
            writeln!(out, "  rows by the column of their last gap  {}", columns(&guideline.wells))?;
            writeln!(out, "  tetrises by column  {}", columns(&guideline.tetris_wells))?;
            if let Some(keys) = guideline.keys_per_piece {
                writeln!(out, "  key presses per piece  {keys:.3}")?;
            }
        }
        let losses = &player.lines_per_loss;
        if let (Some(mean), [Some(low), Some(high)]) = (losses.mean, losses.ci95) {
            let (mean, low, high) = (number(mean), number(low), number(high));
            writeln!(out, "  lines per loss {mean} [{low}, {high}] from {} losses", losses.losses)?;
        }
        if player.unfinished > 0 {
            writeln!(out, "  unfinished games: {}", player.unfinished)?;
        }
        if player.interrupted {
            writeln!(out, "  interrupted: this is what was known by then")?;
        }
        writeln!(out, "  {} pieces per second", number(player.pieces_per_second.round()))?;
    }
    for difference in &report.differences {
        writeln!(out, "{} minus {}, game by game", difference.player, difference.minus)?;
        for (name, summary) in
            [("score", &difference.score), ("lines", &difference.lines), ("pieces", &difference.pieces)]
        {
            write_row(&mut out, name, summary)?;
        }
    }
    Ok(())
}

fn rows(player: &PlayerReport) -> Vec<(&'static str, &Summary)> {
    let mut rows = vec![("score", &player.score), ("lines", &player.lines), ("pieces", &player.pieces)];
    if let Some(counts) = &player.guideline {
        rows.extend([("drops", &counts.drop_points), ("with drops", &counts.score_with_drops)]);
    }
    rows.extend(player.guideline.as_ref().and_then(|counts| Some(("keys", counts.keys.as_ref()?))));
    rows.extend(player.discounted.as_ref().map(|summary| ("discounted", summary)));
    rows
}

fn write_row(out: &mut impl Write, name: &str, summary: &Summary) -> io::Result<()> {
    let Summary { mean, sd, ci95: [low, high], min, median, max } = summary;
    let interval = match low.is_finite() && high.is_finite() {
        true => format!("[{}, {}]", number(*low), number(*high)),
        false => "[unknown]".to_owned(),
    };
    writeln!(
        out,
        "  {name:10} {} {interval}, sd {}, min {}, median {}, max {}",
        number(*mean),
        number(*sd),
        number(*min),
        number(*median),
        number(*max)
    )
}

fn discount(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(number) if (0.0..=1.0).contains(&number) => Ok(number),
        _ => Err("give a number from 0 to 1".to_owned()),
    }
}
