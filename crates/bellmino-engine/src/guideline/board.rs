//! The board: ten columns of forty rows, one machine word each.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::placement::Placement;

/// Columns of a guideline board.
pub const WIDTH: usize = 10;
/// Rows of a guideline board; the lower twenty are in sight.
pub const HEIGHT: usize = 40;

/// Rows that a player sees; pieces enter above them.
pub const VISIBLE_HEIGHT: usize = 20;

/// The occupied cells of a 10x40 board; row 0 is the bottom.
///
/// ```
/// use bellmino_engine::guideline::Board;
/// let board: Board = "
///     .........#
///     .######.##
/// ".parse().unwrap();
/// assert!(board.contains(9, 1) && !board.contains(7, 0));
/// assert_eq!(board.height(), 2);
/// assert_eq!(board.column(9).height(), 2);
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Board {
    columns: [Column; WIDTH],
}

/// One column of a board. Row `y` is bit `63 - y`: a piece falls towards the higher bits, so that
/// an addition carries it to the ground (see the move generator).
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Column(u64);

/// What became of the rows when a piece was placed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cleared {
    /// Rows cleared, 0 to 4.
    pub lines: u8,
    /// Whether the board is empty after clearing at least one row.
    pub perfect: bool,
}

/// Why a text is not a board.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BoardError {
    /// A line without ten cells.
    #[error("row {row} from the top has {found} cells, not {WIDTH}")]
    Width {
        /// Rows above it.
        row: usize,
        /// Its number of cells.
        found: usize,
    },
    /// Too many lines.
    #[error("{0} rows are more than {HEIGHT}")]
    Height(usize),
    /// A character that is no cell.
    #[error(
        "{found:?} in row {row} from the top is not a cell: `.` and `_` are empty; `#`, `X`, `G` and piece letters are filled"
    )]
    Cell {
        /// Rows above it.
        row: usize,
        /// The character.
        found: char,
    },
}

impl Board {
    /// The empty board.
    pub const EMPTY: Board = Board { columns: [Column(0); WIDTH] };

    /// A board from its rows, bottom first; bit `x` of a row is the cell of column `x`. Rows
    /// beyond the fortieth and bits beyond the tenth are ignored.
    pub fn from_rows(rows: impl IntoIterator<Item = u16>) -> Board {
        let mut board = Board::EMPTY;
        for (y, row) in rows.into_iter().take(HEIGHT).enumerate() {
            for x in 0..WIDTH {
                if row >> x & 1 != 0 {
                    board.insert(x, y);
                }
            }
        }
        board
    }

    /// Row `y`; bit `x` is the cell of column `x`.
    #[inline]
    pub fn row(&self, y: usize) -> u16 {
        (0..WIDTH).fold(0, |row, x| row | u16::from(self.contains(x, y)) << x)
    }

    /// Whether the cell is filled. Cells outside the board are not.
    #[inline]
    pub fn contains(&self, x: usize, y: usize) -> bool {
        x < WIDTH && self.columns[x].contains(y)
    }

    /// Whether a piece may not be at the cell: it is filled, or outside the board.
    #[inline]
    pub fn blocks(&self, x: i32, y: i32) -> bool {
        let inside = (0..WIDTH as i32).contains(&x) && (0..HEIGHT as i32).contains(&y);
        !inside || self.contains(x as usize, y as usize)
    }

    /// Fills a cell; one outside the board is ignored.
    #[inline]
    pub fn insert(&mut self, x: usize, y: usize) {
        if x < WIDTH && y < HEIGHT {
            self.columns[x].0 |= Column::bit(y);
        }
    }

    /// Empties a cell.
    #[inline]
    pub fn remove(&mut self, x: usize, y: usize) {
        if x < WIDTH && y < HEIGHT {
            self.columns[x].0 &= !Column::bit(y);
        }
    }

    /// A column. Panics if `x` is not below [`WIDTH`].
    #[inline]
    pub fn column(&self, x: usize) -> Column {
        self.columns[x]
    }

    /// All columns, from the left.
    #[inline]
    pub fn columns(&self) -> &[Column; WIDTH] {
        &self.columns
    }

    /// One more than the highest filled row; 0 for the empty board.
    #[inline]
    pub fn height(&self) -> usize {
        self.columns.iter().fold(Column(0), |all, column| Column(all.0 | column.0)).height()
    }

    /// The number of filled cells.
    #[inline]
    pub fn len(&self) -> usize {
        self.columns.iter().map(|column| column.len()).sum()
    }

    /// Whether no cell is filled.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.columns.iter().all(|column| column.0 == 0)
    }

    /// Whether the cells of the placement are all inside and empty.
    #[inline]
    pub fn fits(&self, placement: &Placement) -> bool {
        placement.cells().iter().all(|&(x, y)| !self.blocks(i32::from(x), i32::from(y)))
    }

    /// Whether the placement fits and cannot fall.
    #[inline]
    pub fn rests(&self, placement: &Placement) -> bool {
        let below = Placement { y: placement.y - 1, ..*placement };
        self.fits(placement) && !self.fits(&below)
    }

    /// Places the piece and clears full rows, or gives `None` and changes nothing if it does not
    /// rest there.
    #[inline]
    pub fn place(&mut self, placement: &Placement) -> Option<Cleared> {
        self.rests(placement).then(|| self.place_unchecked(placement))
    }

    /// Places the piece without asking whether it fits, and clears full rows. Wrong to call for a
    /// placement that did not come from the generator for this very board: cells may overlap, and
    /// a column outside the board panics.
    #[inline(always)]
    pub fn place_unchecked(&mut self, placement: &Placement) -> Cleared {
        for (x, y) in placement.cells() {
            self.columns[x as usize].0 |= Column::bit(y as usize);
        }
        self.clear_rows()
    }

    /// Removes full rows; what lies above moves down.
    #[inline]
    pub fn clear_rows(&mut self) -> Cleared {
        let mut full = self.columns.iter().fold(u64::MAX, |all, column| all & column.0);
        let lines = full.count_ones() as u8;
        if full == 0 {
            return Cleared::default();
        }
        // From the top row down: the rows above, the lower bits, move one bit up.
        while full != 0 {
            let row = full & full.wrapping_neg();
            full ^= row;
            let above = row - 1;
            for column in &mut self.columns {
                column.0 = (column.0 & above) << 1 | column.0 & !(above | row);
            }
        }
        Cleared { lines, perfect: self.is_empty() }
    }

    /// The rows as text, top first, from the highest filled row down.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for y in (0..self.height()).rev() {
            for x in 0..WIDTH {
                text.push(if self.contains(x, y) { '#' } else { '.' });
            }
            text.push('\n');
        }
        text
    }
}

impl Column {
    #[inline]
    pub(super) const fn from_bits(bits: u64) -> Column {
        Column(bits)
    }

    #[inline]
    pub(super) const fn bit(y: usize) -> u64 {
        1 << (63 - y)
    }

    /// Whether the cell of this row is filled.
    #[inline]
    pub const fn contains(self, y: usize) -> bool {
        y < HEIGHT && self.0 & Column::bit(y) != 0
    }

    /// One more than the highest filled row; 0 if there is none.
    #[inline]
    pub const fn height(self) -> usize {
        64 - self.0.trailing_zeros() as usize
    }

    /// The number of filled cells.
    #[inline]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether no cell is filled.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Empty cells with a filled cell above.
    #[inline]
    pub const fn holes(self) -> usize {
        self.height() - self.len()
    }

    /// The cells as bits, row `y` at bit `63 - y`.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0
    }
}

impl FromStr for Board {
    type Err = BoardError;

    /// Reads rows from the top; blank lines are skipped, and `empty` is the empty board.
    fn from_str(text: &str) -> Result<Board, BoardError> {
        let mut board = Board::EMPTY;
        if text.trim() == "empty" {
            return Ok(board);
        }
        read_rows(text, |x, y, cell| match cell {
            '.' | '_' => true,
            '#' | 'X' | 'G' | 'I' | 'O' | 'T' | 'L' | 'J' | 'S' | 'Z' => {
                board.insert(x, y);
                true
            }
            _ => false,
        })?;
        Ok(board)
    }
}

/// Reads rows from the top, blank lines skipped; `put` takes column, row and character of each cell, and says whether
/// there is such a cell.
pub(super) fn read_rows(
    text: &str,
    mut put: impl FnMut(usize, usize, char) -> bool,
) -> Result<(), BoardError> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.len() > HEIGHT {
        return Err(BoardError::Height(lines.len()));
    }
    for (row, line) in lines.iter().enumerate() {
        let found = line.chars().count();
        if found != WIDTH {
            return Err(BoardError::Width { row, found });
        }
        for (x, cell) in line.chars().enumerate() {
            if !put(x, lines.len() - 1 - row, cell) {
                return Err(BoardError::Cell { row, found: cell });
            }
        }
    }
    Ok(())
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text())
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{}", self.to_text())
    }
}

impl fmt::Debug for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#042b}", self.0 >> (64 - HEIGHT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_clear_and_the_rest_moves_down() {
        let mut board: Board = "
            #.#.......
            ##########
            .#........
            ##########
            ..#.......
        "
        .parse()
        .unwrap();
        assert_eq!(board.clear_rows(), Cleared { lines: 2, perfect: false });
        assert_eq!(board.to_text(), "#.#.......\n.#........\n..#.......\n");
    }

    #[test]
    fn text_and_rows_round_trip_and_bad_text_is_refused() {
        let board = Board::from_rows([0b11, 0, 0b1000000001]);
        assert_eq!(board.to_text().parse(), Ok(board));
        assert_eq!(Board::from_rows((0..HEIGHT).map(|y| board.row(y))), board);
        assert_eq!("...".parse::<Board>(), Err(BoardError::Width { row: 0, found: 3 }));
        assert_eq!("....?.....".parse::<Board>(), Err(BoardError::Cell { row: 0, found: '?' }));
        assert_eq!("..........\n".repeat(41).parse::<Board>(), Err(BoardError::Height(41)));
    }
}
