//! `bellmino play`: one game, as a trace in a pipe and as an animation in a terminal.

mod guideline;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use bellmino_engine::placement::{self, Action, Board, Clear, Grid, Placement, Record};
use bellmino_engine::{AnyMatch, Game, PlacementGame, Totals};
use bellmino_host::{Files, files};
use bellmino_lab::checksum::sealed_lines;
use bellmino_lab::{AtWork, BOT_NODES, Move, Player, Playthrough, Terms};
use bellmino_search::Budget;
use crossterm::style::{Color, Stylize};
use crossterm::{cursor, queue, terminal};
use serde_json::{Value, json};

use crate::cli::Common;
use crate::drawing::{placed_rows, rows};
use crate::failure::Failure;
use crate::load::{GameArgs, ThinkArgs};
use crate::output::number;
use crate::{interrupt, load, output};

/// Arguments of `play`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    game: GameArgs,

    /// Who plays: random, random-rotation, lowest, lowest-bottom, fewest-holes, weights:NAME-OR-FILE (see
    /// `bellmino weights`), tuples:FILE, table:FILE; in guideline games also bot, bot:DEPTH (looks DEPTH pieces ahead), bot:keys or bot:FILE. People play in the lab: `bellmino lab`
    #[arg(long, value_name = "P", default_value = "", hide_default_value = true)]
    player: String,

    /// Who deals in placement games: random, or table:FILE for a dealer solved before [default: random]
    #[arg(long, value_name = "D")]
    dealer: Option<String>,

    /// Which game of the seed: game number I of `evaluate` with the same seed, from 0
    #[arg(long, value_name = "I", default_value_t = 0)]
    index: u64,

    /// Stop after this many pieces [default: 1000, or as many as a table was solved for]
    #[arg(long, value_name = "MAX", value_parser = clap::value_parser!(u64).range(1..))]
    pieces: Option<u64>,

    /// Milliseconds between the moves of the animation in a terminal
    #[arg(long, value_name = "MS", default_value_t = 150, value_parser = clap::value_parser!(u64).range(0..=60_000))]
    delay: u64,

    /// Write a record of the game into this file
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    #[command(flatten)]
    think: ThinkArgs,
}

impl Args {
    /// What is played, for people.
    fn head(&self, name: &str, common: &Common) -> String {
        let index = if self.index == 0 { String::new() } else { format!(", game {}", self.index) };
        format!("{name}: {}, seed {}{index}", self.player, common.seed())
    }
}

/// Plays one game.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let game = args.game.load(common)?;
    if args.player.is_empty() {
        return Err(Failure::input(who_plays(&game)));
    }
    let name = args.game.describe(&game);
    let budget = args.think.budget_of_one(Budget::nodes(BOT_NODES), common);
    match &game {
        Game::Placement(placement) => {
            load::refuse_thinking(&args.think, game.name())?;
            let player = Player::load(&args.player, &game, None, &Files).map_err(Failure::input)?;
            run_placement(args, &name, placement, &player, common)
        }
        Game::Guideline(guideline) => {
            load::refuse_dealer(args.dealer.as_deref(), game.name())?;
            let player = Player::load(&args.player, &game, Some(budget), &Files).map_err(Failure::input)?;
            guideline::run(args, &name, guideline, &player, common)
        }
    }
}

/// What to say if nobody is named.
fn who_plays(game: &Game) -> String {
    let name = game.name();
    let machine = match game {
        Game::Placement(_) => "lowest",
        Game::Guideline(_) => "bot",
    };
    format!(
        "who plays? `bellmino play {name} --player {machine}` shows a machine; to play yourself, run `bellmino lab`: Play has \
         Sprint, Blitz and Practice, and Watch lets you play every game, also against a machine"
    )
}

/// After how many pieces a game is stopped, where nothing else is said.
const MOST_PIECES: u64 = 1000;

fn run_placement(
    args: &Args,
    name: &str,
    game: &PlacementGame,
    player: &Player,
    common: &Common,
) -> Result<(), Failure> {
    let dealer = load::opponent(args.dealer.as_deref(), game)?;
    let most = Terms::most_pieces([player], &dealer);
    let limit = args.pieces.unwrap_or_else(|| MOST_PIECES.min(most.unwrap_or(MOST_PIECES)));
    let number = (common.seed(), args.index);
    let mut playthrough = PlacementPlaythrough::placement(game.clone(), player, &dealer, number, Some(limit))
        .map_err(Failure::input)?;
    let head = args.head(name, common);
    let mut shown: Box<dyn Shown> = if common.json {
        Box::new(JsonMoves::default())
    } else if output::is_terminal() {
        Box::new(Animation { head, delay: Duration::from_millis(args.delay), colour: output::is_coloured() })
    } else {
        println_or(&head)?;
        Box::new(Trace)
    };
    let mut done = vec![];
    while interrupt::go_on() {
        let Some(turn) = playthrough.next().transpose().map_err(Failure::input)? else { break };
        done.extend(turn.held.then_some(Action::Hold));
        done.push(Action::Place(turn.placement));
        shown.step(game, &ShownMove::new(game, &turn, playthrough.game()))?;
    }
    if let Some(path) = &args.record {
        let record = Record::of(playthrough.game(), common.seed(), args.index, done).map_err(Failure::run)?;
        write_record(path, &Record { player: Some(args.player.clone()), ..record }.to_text())?;
    }
    shown.end(&Ending { game, name, args, seed: common.seed(), playthrough: &playthrough })
}

/// Writes a record, with its checksum.
fn write_record(path: &Path, text: &str) -> Result<(), Failure> {
    files::write_whole(path, |out| out.write_all(sealed_lines(text).as_bytes()))
        .map_err(|error| Failure::run(anyhow::anyhow!("{}: {error}", path.display())))
}

type PlacementPlaythrough = Playthrough<placement::Match, AtWork>;

/// A move as it is shown.
struct ShownMove {
    placement: Placement,
    clear: Clear,
    before: Board,
    after: Board,
    totals: Totals,
}

impl ShownMove {
    fn new(game: &PlacementGame, turn: &Move<placement::Match>, played: &placement::Match) -> ShownMove {
        ShownMove {
            placement: turn.placement,
            clear: turn.clear,
            before: turn.before.to_board(game),
            after: played.board().to_board(game),
            totals: played.totals(),
        }
    }

    fn piece<'a>(&self, game: &'a PlacementGame) -> &'a str {
        game.pieces()[self.placement.piece as usize].name()
    }
}

/// How a game is shown.
trait Shown {
    fn step(&mut self, game: &PlacementGame, step: &ShownMove) -> Result<(), Failure>;
    fn end(&mut self, end: &Ending<'_>) -> Result<(), Failure>;
}

/// What is known when the game is over or stopped.
struct Ending<'a> {
    game: &'a PlacementGame,
    name: &'a str,
    args: &'a Args,
    seed: u64,
    playthrough: &'a PlacementPlaythrough,
}

impl Ending<'_> {
    fn sentence(&self) -> String {
        let Totals { pieces, lines, score } = self.playthrough.game().totals();
        let how = match self.stuck_on() {
            Some(piece) => format!("no place for {piece}"),
            None if self.playthrough.outcome().is_some() => "something stayed above the top".to_owned(),
            None => "stopped".to_owned(),
        };
        format!("end: {how}; pieces {pieces}, lines {lines}, score {}", number(score))
    }

    fn stuck_on(&self) -> Option<&str> {
        self.playthrough.game().stuck_on().map(|piece| self.game.pieces()[piece as usize].name())
    }
}

/// Every move as text: the board with the piece on it, then the board after the clear.
struct Trace;

impl Shown for Trace {
    fn step(&mut self, game: &PlacementGame, step: &ShownMove) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        let piece = step.piece(game);
        let placement = step.placement;
        writeln!(
            out,
            "\n{}. {piece} rotation {} column {} row {}: lines {}, points {}, score {}{}",
            step.totals.pieces,
            placement.rotation,
            placement.column,
            placement.row,
            step.clear.lines,
            number(step.clear.points),
            number(step.totals.score),
            if step.clear.fatal { ", fatal" } else { "" }
        )?;
        let placed = placed_rows(game, &step.before, step.placement);
        let after = rows(&step.after);
        let extra = placed.len() - after.len();
        for (index, row) in placed.iter().enumerate() {
            match index.checked_sub(extra) {
                Some(below) if !step.clear.fatal => writeln!(out, "{row}   {}", after[below])?,
                _ => writeln!(out, "{row}")?,
            }
        }
        Ok(())
    }

    fn end(&mut self, end: &Ending<'_>) -> Result<(), Failure> {
        println_or(&format!("\n{}", end.sentence()))
    }
}

/// The board redrawn in place.
struct Animation {
    head: String,
    delay: Duration,
    colour: bool,
}

impl Shown for Animation {
    fn step(&mut self, game: &PlacementGame, step: &ShownMove) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        if step.totals.pieces == 1 {
            queue!(out, terminal::Clear(terminal::ClearType::All))?;
        }
        queue!(out, cursor::MoveTo(0, 0))?;
        let mut lines = vec![self.head.clone()];
        for row in placed_rows(game, &step.before, step.placement) {
            let cells = row.chars().map(|cell| match cell {
                '.' => " .".to_owned(),
                '@' if self.colour => "[]".with(Color::Cyan).to_string(),
                _ => "[]".to_owned(),
            });
            lines.push(format!("|{}|", cells.collect::<String>()));
        }
        lines.push(format!("+{}+", "--".repeat(game.width())));
        lines.push(format!(
            "{} pieces {} lines {} score {}",
            step.piece(game),
            step.totals.pieces,
            step.totals.lines,
            number(step.totals.score)
        ));
        for line in lines {
            queue!(out, terminal::Clear(terminal::ClearType::CurrentLine))?;
            write!(out, "{line}\r\n")?;
        }
        queue!(out, terminal::Clear(terminal::ClearType::FromCursorDown))?;
        out.flush()?;
        drop(out);
        thread::sleep(self.delay);
        Ok(())
    }

    fn end(&mut self, end: &Ending<'_>) -> Result<(), Failure> {
        println_or(&end.sentence())
    }
}

/// All moves in one object, printed at the end.
#[derive(Default)]
struct JsonMoves {
    moves: Vec<Value>,
}

impl Shown for JsonMoves {
    fn step(&mut self, game: &PlacementGame, step: &ShownMove) -> Result<(), Failure> {
        let placement = step.placement;
        self.moves.push(json!({
            "piece": step.piece(game),
            "rotation": placement.rotation,
            "column": placement.column,
            "row": placement.row,
            "lines": step.clear.lines,
            "points": step.clear.points,
            "fatal": step.clear.fatal,
            "board": rows(&step.after).join("/"),
        }));
        Ok(())
    }

    fn end(&mut self, end: &Ending<'_>) -> Result<(), Failure> {
        let Totals { pieces, lines, score } = end.playthrough.game().totals();
        output::json(&json!({
            "game": end.name,
            "player": end.args.player,
            "seed": end.seed,
            "index": end.args.index,
            "version": env!("CARGO_PKG_VERSION"),
            "pieces": pieces,
            "lines": lines,
            "score": score,
            "unfinished": end.playthrough.outcome().is_none(),
            "stuck_on": end.stuck_on(),
            "moves": self.moves,
        }))
    }
}

fn println_or(text: &str) -> Result<(), Failure> {
    Ok(writeln!(io::stdout().lock(), "{text}")?)
}
