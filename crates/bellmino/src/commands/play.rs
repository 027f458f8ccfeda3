//! `bellmino play`: one game, as a trace in a pipe and as an animation in a terminal.

mod guideline;

use std::io::{self, Write};
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::Board;
use bellmino_lab::{Move, Opponent, Playthrough};
use crossterm::style::{Color, Stylize};
use crossterm::{cursor, queue, terminal};
use serde_json::{Value, json};

use crate::cli::Common;
use crate::failure::Failure;
use crate::load::{GameArgs, ThinkArgs};
use crate::output::number;
use crate::{interrupt, load, output};

/// Arguments of `play`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    game: GameArgs,

    /// Who plays: random, lowest, fewest-holes, weights:NAME, table:FILE, bot (guideline games)
    #[arg(long, value_name = "P")]
    player: String,

    /// Who deals: random, or table:FILE for a dealer solved before
    #[arg(long, value_name = "D", default_value = "random")]
    dealer: String,

    /// Stop after this many pieces
    #[arg(long, value_name = "MAX", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    pieces: u64,

    /// Milliseconds between the moves of the animation in a terminal
    #[arg(long, value_name = "MS", default_value_t = 150, value_parser = clap::value_parser!(u64).range(0..=60_000))]
    delay: u64,

    /// Write a record of the game into this file (guideline games)
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    #[command(flatten)]
    think: ThinkArgs,
}

/// Plays one game.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let game = args.game.load()?;
    if let Some(guideline) = game.guideline() {
        return guideline::run(args, &args.game.describe(&game), guideline, common);
    }
    if args.record.is_some() {
        let message = format!("--record is for guideline games; `{}` is a placement game", game.name());
        return Err(Failure::input(message));
    }
    let placement_game = load::placement(&game)?;
    let player = &load::players(std::slice::from_ref(&args.player), &placement_game)?[0];
    let dealer = Opponent::parse(&args.dealer, &placement_game).map_err(Failure::input)?;
    let limit = Some(args.pieces);
    let mut playthrough = Playthrough::against(&placement_game, player, &dealer, common.seed, 0, limit);
    let name = args.game.describe(&game);
    let head = format!("{name}: {}, seed {}", args.player, common.seed);

    let mut shown: Box<dyn View> = if common.json {
        Box::new(JsonView::default())
    } else if output::is_terminal() {
        Box::new(Animation { head, delay: Duration::from_millis(args.delay), colour: output::is_coloured() })
    } else {
        println_or(&head)?;
        Box::new(Trace)
    };
    let mut last = None;
    let mut left = args.pieces;
    while left > 0 && interrupt::go_on() {
        let Some(step) = playthrough.next() else { break };
        shown.step(&placement_game, &step)?;
        last = Some(step);
        left -= 1;
    }
    let end =
        End { game: &placement_game, name: &name, args, seed: common.seed, playthrough: &playthrough, last };
    shown.end(&end)
}

/// How a game is shown.
trait View {
    fn step(&mut self, game: &PlacementGame, step: &Move) -> Result<(), Failure>;
    fn end(&mut self, end: &End<'_>) -> Result<(), Failure>;
}

/// What is known when the game is over or stopped.
struct End<'a> {
    game: &'a PlacementGame,
    name: &'a str,
    args: &'a Args,
    seed: u64,
    playthrough: &'a Playthrough<'a>,
    last: Option<Move>,
}

impl End<'_> {
    fn sentence(&self) -> String {
        let (pieces, lines, score) = self
            .last
            .as_ref()
            .map_or((0, 0, 0.0), |step| (step.total_pieces, step.total_lines, step.total_score));
        let how = match self.playthrough.stuck_on() {
            Some(piece) => format!("no place for {}", self.game.pieces()[piece].name()),
            None if self.playthrough.is_over() => "something stayed above the top".to_owned(),
            None => "stopped".to_owned(),
        };
        format!("end: {how}; pieces {pieces}, lines {lines}, score {}", number(score))
    }
}

/// Every move as text: the board with the piece on it, then the board after the clear.
struct Trace;

impl View for Trace {
    fn step(&mut self, game: &PlacementGame, step: &Move) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        let piece = game.pieces()[step.piece].name();
        let placement = step.placement;
        writeln!(
            out,
            "\n{}. {piece} rotation {} column {} row {}: lines {}, points {}, score {}{}",
            step.total_pieces,
            placement.rotation,
            placement.column,
            placement.row,
            step.lines,
            number(step.points),
            number(step.total_score),
            if step.fatal { ", fatal" } else { "" }
        )?;
        let placed = placed_rows(game, step);
        let after = rows(&step.after);
        let extra = placed.len() - after.len();
        for (index, row) in placed.iter().enumerate() {
            match index.checked_sub(extra) {
                Some(below) if !step.fatal => writeln!(out, "{row}   {}", after[below])?,
                _ => writeln!(out, "{row}")?,
            }
        }
        Ok(())
    }

    fn end(&mut self, end: &End<'_>) -> Result<(), Failure> {
        println_or(&format!("\n{}", end.sentence()))
    }
}

/// The board redrawn in place.
struct Animation {
    head: String,
    delay: Duration,
    colour: bool,
}

impl View for Animation {
    fn step(&mut self, game: &PlacementGame, step: &Move) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        if step.total_pieces == 1 {
            queue!(out, terminal::Clear(terminal::ClearType::All))?;
        }
        queue!(out, cursor::MoveTo(0, 0))?;
        let mut lines = vec![self.head.clone()];
        for row in placed_rows(game, step) {
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
            game.pieces()[step.piece].name(),
            step.total_pieces,
            step.total_lines,
            number(step.total_score)
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

    fn end(&mut self, end: &End<'_>) -> Result<(), Failure> {
        println_or(&end.sentence())
    }
}

/// All moves in one object, printed at the end.
#[derive(Default)]
struct JsonView {
    moves: Vec<Value>,
}

impl View for JsonView {
    fn step(&mut self, game: &PlacementGame, step: &Move) -> Result<(), Failure> {
        let placement = step.placement;
        self.moves.push(json!({
            "piece": game.pieces()[step.piece].name(),
            "rotation": placement.rotation,
            "column": placement.column,
            "row": placement.row,
            "lines": step.lines,
            "points": step.points,
            "fatal": step.fatal,
            "board": rows(&step.after).join("/"),
        }));
        Ok(())
    }

    fn end(&mut self, end: &End<'_>) -> Result<(), Failure> {
        let last = end.last.as_ref();
        output::json(&json!({
            "game": end.name,
            "player": end.args.player,
            "seed": end.seed,
            "version": env!("CARGO_PKG_VERSION"),
            "pieces": last.map_or(0, |step| step.total_pieces),
            "lines": last.map_or(0, |step| step.total_lines),
            "score": last.map_or(0.0, |step| step.total_score),
            "unfinished": !end.playthrough.is_over(),
            "stuck_on": end.playthrough.stuck_on().map(|piece| end.game.pieces()[piece].name()),
            "moves": self.moves,
        }))
    }
}

/// The board with the placed piece as `@`, before the clear; rows above the top are added where the piece needs them.
fn placed_rows(game: &PlacementGame, step: &Move) -> Vec<String> {
    let height = step.placement.top(game).max(game.height());
    let shape = step.placement.shape(game);
    let (left, bottom) = (step.placement.column as usize, step.placement.row as usize);
    let is_piece = |x: usize, y: usize| shape.cells().any(|(dx, dy)| (left + dx, bottom + dy) == (x, y));
    let cell = |x: usize, y: usize| match () {
        () if is_piece(x, y) => '@',
        () if step.before.contains(x, y) => '#',
        () => '.',
    };
    (0..height).rev().map(|y| (0..game.width()).map(|x| cell(x, y)).collect()).collect()
}

fn rows(board: &Board) -> Vec<String> {
    board.to_string().lines().map(str::to_owned).collect()
}

fn println_or(text: &str) -> Result<(), Failure> {
    Ok(writeln!(io::stdout().lock(), "{text}")?)
}
