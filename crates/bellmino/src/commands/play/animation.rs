//! The board redrawn in place.

use std::io::{self, Write};
use std::thread;
use std::time::Duration;

use bellmino_engine::guideline::{Cell, ColourBoard, Piece, WIDTH};
use bellmino_lab::request::{DroppedTurn, Onlooker, PlacedTurn};
use crossterm::style::{Color, Stylize};
use crossterm::{cursor, queue, terminal};

use crate::drawing::placed_rows;
use crate::output::number;

/// Draws each move over the one before.
pub struct Animation {
    /// Whether it could be drawn.
    pub shown: io::Result<()>,
    head: String,
    delay: Duration,
    is_coloured: bool,
    colours: ColourBoard,
}

impl Animation {
    /// With so long a time between two moves.
    pub fn new(delay: Duration, is_coloured: bool) -> Animation {
        Animation { shown: Ok(()), head: String::new(), delay, is_coloured, colours: ColourBoard::EMPTY }
    }

    fn draw(&mut self, pieces: u64, lines: &[String]) -> bool {
        self.shown = draw(pieces, &self.head, lines);
        thread::sleep(self.delay);
        self.shown.is_ok()
    }
}

impl Onlooker for Animation {
    fn begins(&mut self, head: &str) -> bool {
        head.clone_into(&mut self.head);
        true
    }

    fn placed(&mut self, shown: &PlacedTurn<'_>) -> bool {
        let mut lines = vec![];
        for row in placed_rows(shown.game, &shown.before, shown.turn.placement) {
            let cells = row.chars().map(|cell| match cell {
                '.' => " .".to_owned(),
                '@' if self.is_coloured => "[]".with(Color::Cyan).to_string(),
                _ => "[]".to_owned(),
            });
            lines.push(format!("|{}|", cells.collect::<String>()));
        }
        let totals = shown.totals;
        lines.push(format!("+{}+", "--".repeat(shown.game.width())));
        lines.push(format!(
            "{} pieces {} lines {} score {}",
            shown.piece(),
            totals.pieces,
            totals.lines,
            number(totals.score)
        ));
        self.draw(totals.pieces, &lines)
    }

    /// Twenty rows of the board.
    fn dropped(&mut self, shown: &DroppedTurn<'_>) -> bool {
        let placement = &shown.turn.placement;
        let cells = placement.cells();
        let mut lines = vec![];
        for y in (0..20).rev() {
            let cell = |x: usize| {
                let own = cells.contains(&(x as i8, y as i8)).then_some(placement.piece.letter());
                own.or(self.colours.get(x, y).map(Cell::letter))
            };
            let painted = (0..WIDTH).map(|x| match cell(x).map(|letter| (letter, colour(letter))) {
                None => " .".to_owned(),
                Some((_, Some(colour))) if self.is_coloured => "[]".with(colour).to_string(),
                Some(_) => "[]".to_owned(),
            });
            lines.push(format!("|{}|", painted.collect::<String>()));
        }
        lines.push(format!("+{}+", "--".repeat(WIDTH)));
        let stats = &shown.stats;
        let hold = shown.after.hold.map_or('-', Piece::letter);
        let (pieces, rows, score) = (stats.pieces, stats.lines, stats.score);
        lines.push(format!("hold {hold} pieces {pieces} lines {rows} score {score}"));
        let clear = &shown.turn.clear;
        lines.push(clear.kind().map_or(String::new(), |_| clear.to_string()));
        self.colours.place(placement);
        self.draw(pieces.into(), &lines)
    }
}

fn draw(pieces: u64, head: &str, lines: &[String]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if pieces == 1 {
        queue!(out, terminal::Clear(terminal::ClearType::All))?;
    }
    queue!(out, cursor::MoveTo(0, 0))?;
    for line in std::iter::once(head).chain(lines.iter().map(String::as_str)) {
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
