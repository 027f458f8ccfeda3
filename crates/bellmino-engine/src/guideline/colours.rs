//! The board in colours: which piece fills each cell. For people; the rules use [`Board`].

use std::fmt;
use std::str::FromStr;

use super::board::{Board, BoardError, HEIGHT, WIDTH, read_rows};
use super::piece::Piece;
use super::placement::Placement;

/// What fills a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cell {
    /// A cell of a piece.
    Piece(Piece),
    /// A cell of unknown or other origin.
    Garbage,
}

/// A board that knows what fills each cell; row 0 is the bottom. Its text has a letter for each
/// cell, `G` for garbage and `.` for an empty one, top row first.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ColourBoard([[Option<Cell>; WIDTH]; HEIGHT]);

impl ColourBoard {
    /// The empty board.
    pub const EMPTY: ColourBoard = ColourBoard([[None; WIDTH]; HEIGHT]);

    /// What fills the cell; `None` outside the board.
    pub fn get(&self, x: usize, y: usize) -> Option<Cell> {
        self.0.get(y).and_then(|row| row.get(x).copied().flatten())
    }

    /// Fills or empties a cell; one outside the board is ignored.
    pub fn set(&mut self, x: usize, y: usize, cell: Option<Cell>) {
        if let Some(place) = self.0.get_mut(y).and_then(|row| row.get_mut(x)) {
            *place = cell;
        }
    }

    /// The filled cells.
    pub fn board(&self) -> Board {
        let bits = |row: &[Option<Cell>; WIDTH]| {
            (0..WIDTH).fold(0, |bits, x| bits | u16::from(row[x].is_some()) << x)
        };
        Board::from_rows(self.0.iter().map(bits))
    }

    /// Fills the cells of a piece, those outside the board left out, and clears full rows.
    pub fn place(&mut self, placement: &Placement) {
        for (x, y) in placement.cells() {
            if let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) {
                self.set(x, y, Some(Cell::Piece(placement.piece)));
            }
        }
        self.clear_rows();
    }

    /// Removes full rows; what lies above moves down.
    pub fn clear_rows(&mut self) {
        let mut kept = 0;
        for y in 0..HEIGHT {
            if self.0[y].iter().any(Option::is_none) {
                self.0[kept] = self.0[y];
                kept += 1;
            }
        }
        self.0[kept..].fill([None; WIDTH]);
    }

    /// Pushes everything up by one row; what leaves the top is lost.
    pub fn rise(&mut self, row: [Option<Cell>; WIDTH]) {
        self.0.rotate_right(1);
        self.0[0] = row;
    }

    /// Swaps left and right.
    pub fn mirror(&mut self) {
        self.0.iter_mut().for_each(|row| row.reverse());
    }

    /// A row as text.
    pub fn row_text(&self, y: usize) -> String {
        (0..WIDTH).map(|x| self.get(x, y).map_or('.', Cell::letter)).collect()
    }

    /// One more than the highest filled row.
    pub fn height(&self) -> usize {
        (0..HEIGHT).rev().find(|&y| self.0[y].iter().any(Option::is_some)).map_or(0, |y| y + 1)
    }
}

impl Cell {
    /// The letter of the piece, or `G`.
    pub const fn letter(self) -> char {
        match self {
            Cell::Piece(piece) => piece.letter(),
            Cell::Garbage => 'G',
        }
    }

    /// What a character stands for: an empty cell (`.` or `_`), a piece or garbage (`G`, `X`, `#`).
    pub fn from_letter(letter: char) -> Option<Option<Cell>> {
        match letter {
            '.' | '_' => Some(None),
            'G' | 'X' | '#' => Some(Some(Cell::Garbage)),
            _ => Piece::from_letter(letter).map(|piece| Some(Cell::Piece(piece))),
        }
    }
}

impl From<&Board> for ColourBoard {
    /// All cells are garbage.
    fn from(board: &Board) -> ColourBoard {
        let mut colours = ColourBoard::EMPTY;
        for (y, row) in colours.0.iter_mut().enumerate() {
            for (x, cell) in row.iter_mut().enumerate() {
                *cell = board.contains(x, y).then_some(Cell::Garbage);
            }
        }
        colours
    }
}

impl FromStr for ColourBoard {
    type Err = BoardError;

    /// Reads rows from the top; blank lines are skipped.
    fn from_str(text: &str) -> Result<ColourBoard, BoardError> {
        let mut colours = ColourBoard::EMPTY;
        read_rows(text, |x, y, letter| {
            let cell = Cell::from_letter(letter);
            cell.map(|cell| colours.set(x, y, cell)).is_some()
        })?;
        Ok(colours)
    }
}

impl fmt::Display for ColourBoard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..self.height()).rev().try_for_each(|y| writeln!(f, "{}", self.row_text(y)))
    }
}

impl fmt::Debug for ColourBoard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}
