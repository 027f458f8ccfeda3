//! The board in its general form: for reading, writing and drawing.

use std::fmt;

use thiserror::Error;

use super::columns::AnyColumns;
use super::landing::{Grid, Landed, Placement};
use crate::game::PlacementGame;

/// The widest board.
pub const MAX_WIDTH: usize = 16;
/// The highest board.
pub const MAX_HEIGHT: usize = 48;

/// The occupied cells of a board, `width` columns by `height` rows; row 0 is the bottom.
///
/// ```
/// use bellmino_engine::placement::Board;
///
/// let board = Board::parse(4, 4, "#... / ##.#")?;
/// assert!(board.contains(0, 1));
/// assert_eq!(board.len(), 4);
/// assert_eq!(board.to_string(), "....\n....\n#...\n##.#");
/// # Ok::<(), bellmino_engine::placement::BoardError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Board {
    width: u8,
    height: u8,
    columns: [u64; MAX_WIDTH],
}

/// Why a text is not a board of the wanted size.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BoardError {
    /// More rows than the board has.
    #[error("the board has {found} rows; this game has {height}")]
    TooManyRows {
        /// Rows in the text.
        found: usize,
        /// Rows of the board.
        height: usize,
    },
    /// A row of the wrong length.
    #[error("row {row} ({text:?}) has {found} cells; this game is {width} wide")]
    RowLength {
        /// The row counted from the top of the text, from 1.
        row: usize,
        /// The row itself.
        text: String,
        /// Its cells.
        found: usize,
        /// Columns of the board.
        width: usize,
    },
    /// A character other than `#` and `.`.
    #[error(
        "{0:?} is no cell; a board is drawn with `#` (filled) and `.` (empty), rows apart by `/` or line breaks"
    )]
    BadCharacter(char),
    /// A full row: it would have been cleared.
    #[error("row {0} is full; a full row is cleared at once and cannot stand on a board")]
    FullRow(usize),
}

/// The empty board in words.
const EMPTY: &str = "empty";

impl Board {
    /// An empty board. Sizes beyond [`MAX_WIDTH`] and [`MAX_HEIGHT`] panic: a game's sizes are checked before.
    pub fn new(width: usize, height: usize) -> Board {
        assert!((1..=MAX_WIDTH).contains(&width) && (1..=MAX_HEIGHT).contains(&height));
        Board { width: width as u8, height: height as u8, columns: [0; MAX_WIDTH] }
    }

    /// Reads a drawing with `#` and `.`, top row first, rows apart by line breaks or `/`. Rows missing at the top are
    /// empty, and `empty` is the empty board; full rows are refused.
    pub fn parse(width: usize, height: usize, text: &str) -> Result<Board, BoardError> {
        let text = if text.trim() == EMPTY { "" } else { text };
        let rows: Vec<&str> = text.split(['\n', '/']).map(str::trim).filter(|row| !row.is_empty()).collect();
        if rows.len() > height {
            return Err(BoardError::TooManyRows { found: rows.len(), height });
        }
        let mut board = Board::new(width, height);
        for (index, text) in rows.iter().enumerate() {
            let found = text.chars().count();
            if found != width {
                return Err(BoardError::RowLength { row: index + 1, text: (*text).to_owned(), found, width });
            }
            let y = rows.len() - 1 - index;
            for (x, character) in text.chars().enumerate() {
                match character {
                    '#' => board.insert(x, y),
                    '.' => {}
                    other => return Err(BoardError::BadCharacter(other)),
                }
            }
            if (0..width).all(|x| board.contains(x, y)) {
                return Err(BoardError::FullRow(index + 1));
            }
        }
        Ok(board)
    }

    /// Columns.
    #[inline]
    pub fn width(&self) -> usize {
        self.width as usize
    }

    /// Rows.
    #[inline]
    pub fn height(&self) -> usize {
        self.height as usize
    }

    /// Whether a cell is filled; cells beyond the edge are not.
    #[inline]
    pub fn contains(&self, x: usize, y: usize) -> bool {
        x < self.width() && y < self.height() && self.columns[x] >> y & 1 == 1
    }

    /// Fills a cell.
    pub fn insert(&mut self, x: usize, y: usize) {
        assert!(x < self.width() && y < self.height(), "cell ({x}, {y}) is outside");
        self.columns[x] |= 1 << y;
    }

    /// Empties a cell.
    pub fn remove(&mut self, x: usize, y: usize) {
        assert!(x < self.width() && y < self.height(), "cell ({x}, {y}) is outside");
        self.columns[x] &= !(1 << y);
    }

    /// How many cells are filled.
    pub fn len(&self) -> u32 {
        self.columns.iter().map(|column| column.count_ones()).sum()
    }

    /// Whether no cell is filled.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The filled rows of a column, row 0 in bit 0.
    #[inline]
    pub fn column(&self, x: usize) -> u64 {
        self.columns[..self.width()][x]
    }

    /// The row just above the topmost filled cell of a column.
    #[inline]
    pub fn column_height(&self, x: usize) -> usize {
        (u64::BITS - self.column(x).leading_zeros()) as usize
    }

    /// The filled columns of each row from the bottom, column 0 in bit 0.
    pub fn rows(&self) -> Vec<u16> {
        let row = |y: usize| (0..self.width()).fold(0, |row, x| row | u16::from(self.contains(x, y)) << x);
        (0..self.height()).map(row).collect()
    }

    /// The board reflected in its vertical axis.
    pub fn mirrored(&self) -> Board {
        let mut mirrored = *self;
        mirrored.columns[..self.width()].reverse();
        mirrored
    }

    /// The legal placements of a piece in the order rotation, column, row; fatal ones too.
    pub fn placements(&self, game: &PlacementGame, piece: usize) -> Vec<Placement> {
        let mut list = Vec::new();
        AnyColumns::from_board(self).placements(game, piece, |placement| list.push(placement));
        list
    }

    /// The outcome of a placement, or `None` if it is not legal here.
    pub fn place(&self, game: &PlacementGame, placement: Placement) -> Option<Landed<Board>> {
        if placement.piece as usize >= game.pieces().len() {
            return None;
        }
        let legal = self.placements(game, placement.piece as usize).contains(&placement);
        legal.then(|| {
            let Landed { board, cleared, fatal } =
                AnyColumns::from_board(self).place_unchecked(game, placement);
            Landed { board: if fatal { *self } else { board.to_board(game) }, cleared, fatal }
        })
    }

    pub(crate) fn set_column(&mut self, x: usize, rows: u64) {
        self.columns[x] = rows & !(!0 << self.height);
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for y in (0..self.height()).rev() {
            for x in 0..self.width() {
                f.write_str(if self.contains(x, y) { "#" } else { "." })?;
            }
            if y > 0 {
                f.write_str("\n")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_round_trip() {
        for text in ["....\n....", "#...\n.#.#"] {
            assert_eq!(Board::parse(4, 2, text).unwrap().to_string(), text);
        }
        assert_eq!(Board::parse(3, 3, "#../.#.").unwrap().to_string(), "...\n#..\n.#.");
    }

    #[test]
    fn bad_texts() {
        let check =
            |text: &str, expected: BoardError| assert_eq!(Board::parse(3, 2, text), Err(expected), "{text}");
        check(".../.../...", BoardError::TooManyRows { found: 3, height: 2 });
        check("#.", BoardError::RowLength { row: 1, text: "#.".into(), found: 2, width: 3 });
        check("#.x", BoardError::BadCharacter('x'));
        check("###", BoardError::FullRow(1));
    }
}
