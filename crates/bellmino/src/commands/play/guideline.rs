//! One guideline game, as a trace in a pipe and as an animation in a terminal.

use std::io::{self, Write};
use std::thread;
use std::time::Duration;

use bellmino_engine::guideline::{Clear, ColourBoard, Match, Piece, Position, Record, Stats, WIDTH};
use bellmino_engine::{GuidelineGame, Outcome};
use bellmino_lab::verdict::forecast_json;
use bellmino_lab::{Move, Player, Playthrough};
use crossterm::style::{Color, Stylize};
use crossterm::{cursor, queue, terminal};
use serde_json::{Value, json};

use super::{Args, MOST_PIECES, write_record};
use crate::cli::Common;
use crate::failure::Failure;
use crate::output::number;
use crate::{interrupt, output};

/// Plays one game.
pub fn run(
    args: &Args,
    name: &str,
    game: &GuidelineGame,
    player: &Player,
    common: &Common,
) -> Result<(), Failure> {
    let playthrough = Playthrough::guideline(game.rules(), player, common.seed(), args.index);
    let mut playthrough = playthrough.map_err(Failure::input)?;
    let head = args.head(name, common);
    let animated = !common.json && output::is_terminal();
    let mut out = io::stdout().lock();
    if !common.json && !animated {
        writeln!(out, "{head}")?;
    }
    let mut colours = ColourBoard::EMPTY;
    let mut placements = vec![];
    let mut moves: Vec<Value> = vec![];
    while (placements.len() as u64) < args.pieces.unwrap_or(MOST_PIECES) && interrupt::go_on() {
        let Some(turn) = playthrough.next().transpose().map_err(Failure::run)? else { break };
        let step =
            MoveAndAfter { turn, after: *playthrough.game().position(), stats: *playthrough.game().stats() };
        placements.push(step.turn.placement);
        if common.json {
            moves.push(as_json(&step));
        } else if animated {
            if placements.len() == 1 {
                queue!(out, terminal::Clear(terminal::ClearType::All))?;
            }
            draw(&mut out, &head, &colours, &step)?;
            thread::sleep(Duration::from_millis(args.delay));
        } else {
            trace(&mut out, &step)?;
        }
        colours.place(&step.turn.placement);
    }
    let stats = playthrough.game().stats();
    if let Some(path) = &args.record {
        let record = Record::of_placements(game.name(), *game.rules(), common.seed(), args.index, placements);
        let mut record = record.map_err(Failure::run)?;
        record.player = Some(args.player.clone());
        write_record(path, &record.to_text())?;
    }
    if common.json {
        let outcome = playthrough.outcome();
        return output::json(&json!({
            "game": name,
            "player": args.player,
            "seed": common.seed(),
            "index": args.index,
            "version": env!("CARGO_PKG_VERSION"),
            "pieces": stats.pieces,
            "lines": stats.lines,
            "score": stats.score,
            "drop_points": stats.drop_points,
            "holds": stats.holds,
            "perfect_clears": stats.perfect_clears,
            "cleared_goal": outcome == Some(Outcome::Goal),
            "unfinished": outcome.is_none(),
            "moves": moves,
        }));
    }
    let how = match playthrough.outcome() {
        Some(Outcome::Goal) => "goal reached",
        Some(Outcome::ToppedOut) => "topped out",
        None => "stopped",
    };
    let (score, drops) = (number(stats.score as f64), number(stats.drop_points as f64));
    let (pieces, lines) = (stats.pieces, stats.lines);
    Ok(writeln!(out, "\nend: {how}; pieces {pieces}, lines {lines}, score {score}, drop points {drops}")?)
}

/// A move, and what it led to.
struct MoveAndAfter {
    turn: Move<Match>,
    after: Position,
    stats: Stats,
}

fn as_json(step: &MoveAndAfter) -> Value {
    json!({
        "piece": step.turn.placement.piece,
        "orientation": step.turn.placement.orientation,
        "x": step.turn.placement.x,
        "y": step.turn.placement.y,
        "spin": step.turn.placement.spin,
        "held": step.turn.held,
        "lines": step.turn.clear.lines,
        "points": step.turn.clear.points,
        "clear": step.turn.clear.kind(),
        "back_to_back": step.turn.clear.back_to_back,
        "perfect": step.turn.clear.perfect,
        "combo": step.turn.clear.combo,
        "expected": forecast_json(step.turn.forecast.as_ref(), Some(step.stats.score - u64::from(step.turn.clear.points))),
        "board": step.after.board.to_text().trim_end().replace('\n', "/"),
    })
}

/// The move, the board with the piece on it, and the board after the clear.
fn trace(out: &mut impl Write, step: &MoveAndAfter) -> io::Result<()> {
    let what = match described(&step.turn.clear) {
        Some(clear) => {
            format!(": {clear}, {} points, score {}", step.turn.clear.points, number(step.stats.score as f64))
        }
        None => String::new(),
    };
    let held = if step.turn.held { " after hold" } else { "" };
    writeln!(out, "\n{}. {}{held}{what}", step.stats.pieces, step.turn.placement)?;
    let cells = step.turn.placement.cells();
    let top = cells.iter().map(|&(_, y)| y as usize + 1).max().unwrap_or(0);
    for y in (0..top.max(step.turn.before.height())).rev() {
        let before = (0..WIDTH).map(|x| match () {
            () if cells.contains(&(x as i8, y as i8)) => '@',
            () if step.turn.before.contains(x, y) => '#',
            () => '.',
        });
        let after = (0..WIDTH).map(|x| if step.after.board.contains(x, y) { '#' } else { '.' });
        writeln!(out, "{}   {}", before.collect::<String>(), after.collect::<String>())?;
    }
    Ok(())
}

fn described(clear: &Clear) -> Option<String> {
    clear.kind().map(|_| clear.to_string())
}

/// The board redrawn in place, twenty rows of it.
fn draw(out: &mut impl Write, head: &str, colours: &ColourBoard, step: &MoveAndAfter) -> io::Result<()> {
    queue!(out, cursor::MoveTo(0, 0))?;
    let cells = step.turn.placement.cells();
    let mut lines = vec![head.to_owned()];
    for y in (0..20).rev() {
        let cell = |x: usize| {
            let own = cells.contains(&(x as i8, y as i8)).then_some(step.turn.placement.piece.letter());
            own.or(colours.get(x, y).map(bellmino_engine::guideline::Cell::letter))
        };
        let painted = (0..WIDTH).map(|x| match cell(x).map(|letter| (letter, colour(letter))) {
            None => " .".to_owned(),
            Some((_, Some(colour))) if output::is_coloured() => "[]".with(colour).to_string(),
            Some(_) => "[]".to_owned(),
        });
        lines.push(format!("|{}|", painted.collect::<String>()));
    }
    lines.push(format!("+{}+", "--".repeat(WIDTH)));
    let stats = &step.stats;
    let hold = step.after.hold.map_or('-', Piece::letter);
    lines.push(format!("hold {hold} pieces {} lines {} score {}", stats.pieces, stats.lines, stats.score));
    lines.push(described(&step.turn.clear).unwrap_or_default());
    for line in lines {
        queue!(out, terminal::Clear(terminal::ClearType::CurrentLine))?;
        write!(out, "{line}\r\n")?;
    }
    queue!(out, terminal::Clear(terminal::ClearType::FromCursorDown))?;
    out.flush()
}

fn colour(letter: char) -> Option<Color> {
    Some(match letter {
        'I' => Color::Cyan,
        'O' => Color::Yellow,
        'T' => Color::Magenta,
        'L' => Color::DarkYellow,
        'J' => Color::Blue,
        'S' => Color::Green,
        'Z' => Color::Red,
        _ => return None,
    })
}
