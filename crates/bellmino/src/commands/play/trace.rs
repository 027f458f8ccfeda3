//! Every move as text: the board with the piece on it, then the board after the clear.

use std::io::{self, Write};

use bellmino_engine::guideline::WIDTH;
use bellmino_lab::request::{DroppedTurn, Onlooker, PlacedTurn};

use crate::drawing::{placed_rows, rows};
use crate::output::number;

/// Writes each move to stdout.
pub struct Trace {
    /// Whether it could be written.
    pub shown: io::Result<()>,
}

impl Default for Trace {
    fn default() -> Trace {
        Trace { shown: Ok(()) }
    }
}

impl Trace {
    fn write(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> bool {
        self.shown = write(&mut io::stdout().lock());
        self.shown.is_ok()
    }
}

impl Onlooker for Trace {
    fn begins(&mut self, head: &str) -> bool {
        self.write(|out| writeln!(out, "{head}"))
    }

    fn placed(&mut self, turn: &PlacedTurn<'_>) -> bool {
        self.write(|out| write_placed(out, turn))
    }

    fn dropped(&mut self, turn: &DroppedTurn<'_>) -> bool {
        self.write(|out| write_dropped(out, turn))
    }
}

fn write_placed(out: &mut dyn Write, shown: &PlacedTurn<'_>) -> io::Result<()> {
    let (placement, clear) = (shown.turn.placement, &shown.turn.clear);
    writeln!(
        out,
        "\n{}. {} rotation {} column {} row {}: lines {}, points {}, score {}{}",
        shown.totals.pieces,
        shown.piece(),
        placement.rotation,
        placement.column,
        placement.row,
        clear.lines,
        number(clear.points),
        number(shown.totals.score),
        if clear.fatal { ", fatal" } else { "" }
    )?;
    let placed = placed_rows(shown.game, &shown.before, placement);
    let after = rows(&shown.after);
    let extra = placed.len() - after.len();
    for (index, row) in placed.iter().enumerate() {
        match index.checked_sub(extra) {
            Some(below) if !clear.fatal => writeln!(out, "{row}   {}", after[below])?,
            _ => writeln!(out, "{row}")?,
        }
    }
    Ok(())
}

fn write_dropped(out: &mut dyn Write, shown: &DroppedTurn<'_>) -> io::Result<()> {
    let turn = shown.turn;
    let what = match turn.clear.kind() {
        Some(_) => {
            let score = number(shown.stats.score as f64);
            format!(": {}, {} points, score {score}", turn.clear, turn.clear.points)
        }
        None => String::new(),
    };
    let held = if turn.held { " after hold" } else { "" };
    writeln!(out, "\n{}. {}{held}{what}", shown.stats.pieces, turn.placement)?;
    let cells = turn.placement.cells();
    let top = cells.iter().map(|&(_, y)| y as usize + 1).max().unwrap_or(0);
    for y in (0..top.max(turn.before.height())).rev() {
        let before = (0..WIDTH).map(|x| match () {
            () if cells.contains(&(x as i8, y as i8)) => '@',
            () if turn.before.contains(x, y) => '#',
            () => '.',
        });
        let after = (0..WIDTH).map(|x| if shown.after.board.contains(x, y) { '#' } else { '.' });
        writeln!(out, "{}   {}", before.collect::<String>(), after.collect::<String>())?;
    }
    Ok(())
}
