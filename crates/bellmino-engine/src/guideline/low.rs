//! Boards of a few rows in one word, for searches that look at very many of them.

use super::board::{Board, WIDTH};
use super::kicks::Kicks;
use super::moves;
use super::piece::{Orientation, Piece};
use super::plane::Plane;

/// The rows of the plane: eight of the board, and room for a piece above them.
const PLANE: usize = 12;

/// A board of at most [`LowBoard::ROWS`] rows that are still to be cleared; what lies above does not exist.
///
/// ```
/// use bellmino_engine::guideline::{Board, Kicks, LowBoard, Piece};
/// let board: Board = "####..####".parse().unwrap();
/// let low = LowBoard::of(&board, 2).unwrap();
/// let mut after = vec![];
/// low.after(Piece::O, Kicks::Srs, &mut after);
/// // On the ground between the others it clears a row; beside them it would lie too high.
/// assert_eq!(after, [LowBoard::of(&"....##....".parse().unwrap(), 1).unwrap()]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LowBoard {
    /// As a plane has them: a column takes twelve bits, row 0 in the last but one.
    cells: u128,
    rows: u8,
}

impl LowBoard {
    /// The most rows.
    pub const ROWS: usize = 8;

    /// The board with so many rows to clear; `None` if they are too many, or if something lies above them.
    pub fn of(board: &Board, rows: usize) -> Option<LowBoard> {
        let fits = rows <= LowBoard::ROWS && board.height() <= rows;
        fits.then(|| LowBoard { cells: Plane::<1, PLANE>::of(board).word(), rows: rows as u8 })
    }

    /// Rows to clear.
    #[inline(always)]
    pub const fn rows(self) -> usize {
        self.rows as usize
    }

    /// Whether no cell is filled.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.cells == 0
    }

    /// The filled cells and the rows as one number.
    #[inline(always)]
    pub const fn bits(self) -> u128 {
        self.cells | (self.rows as u128) << 120
    }

    /// The empty cells of the rows to clear.
    #[inline(always)]
    pub fn len_empty(self) -> u32 {
        self.empty().count_ones()
    }

    #[inline(always)]
    fn empty(self) -> u128 {
        !self.cells & ROWS_BELOW[self.rows as usize]
    }

    /// Appends the board after every placement of the piece that stays within the rows, full rows cleared.
    #[inline(always)]
    pub fn after(self, piece: Piece, kicks: Kicks, list: &mut Vec<LowBoard>) {
        let resting = moves::resting(Plane::from_word(self.cells), piece, kicks);
        let shapes = &SHAPES[piece as usize];
        for (shape, places) in shapes.iter().zip(resting).take(piece.shapes().len()) {
            let Some(rows) = (self.rows as usize).checked_sub(shape.above) else { continue };
            let places = places.word() & ROWS_BELOW[rows];
            for (low, mut half) in [(0, places as u64), (64, (places >> 64) as u64)] {
                while half != 0 {
                    let bit = low + half.trailing_zeros();
                    half &= half - 1;
                    list.push(self.with(shape.cells.rotate_left(bit)));
                }
            }
        }
    }

    /// The board with more cells filled and full rows cleared.
    #[inline(always)]
    fn with(self, cells: u128) -> LowBoard {
        let mut cells = self.cells | cells;
        let mut rows = self.rows;
        let fives = cells as u64 & (cells >> 60) as u64;
        let twos = fives & fives >> 24;
        let mut full = (twos & twos >> 12 & fives >> 48) & 0x7ff;
        // From the top row down.
        while full != 0 {
            let bit = full.trailing_zeros();
            full &= full - 1;
            let above = COLUMNS * ((1 << bit) - 1);
            let below = COLUMNS * (0xfff & !((2 << bit) - 1));
            cells = (cells & above) << 1 | cells & below;
            rows -= 1;
        }
        LowBoard { cells, rows }
    }

    /// Whether no pieces at all can complete these rows: where no row has two empty cells beside each other across a
    /// boundary of columns, no piece crosses it, so both sides must be multiples of four. Clearing rows does not
    /// change which cells lie beside each other.
    #[inline(always)]
    pub fn is_hopeless(self) -> bool {
        let empty = self.empty();
        let mut linked = empty & empty >> PLANE;
        linked |= linked >> 1;
        linked |= linked >> 2;
        linked |= linked >> 4;
        // Row 7 of each column but the last gathers all rows of the column.
        let mut apart = !linked & (COLUMNS >> PLANE) << (PLANE - 2 - 7);
        while apart != 0 {
            let bit = apart.trailing_zeros();
            apart &= apart - 1;
            let left = empty & ((1 << ((bit / PLANE as u32 + 1) * PLANE as u32)) - 1);
            if !left.count_ones().is_multiple_of(4) {
                return true;
            }
        }
        false
    }

    /// Changes between filled and empty along rows, and twice as much for what is filled over empty: low for boards that
    /// are easy to fill.
    #[inline(always)]
    pub fn roughness(self) -> u32 {
        let within = ROWS_BELOW[self.rows as usize];
        let walls = 0xfff;
        let changes = (self.cells ^ (self.cells << PLANE | walls)) & within;
        let last = !self.cells & within & walls << ((WIDTH - 1) * PLANE);
        let holes = !self.cells & self.cells << 1 & within;
        changes.count_ones() + 2 * holes.count_ones() + last.count_ones()
    }

    /// The piece that has the shape of the last four empty cells, whether or not it gets there; `None` if no piece has.
    /// Wrong to call unless four cells are empty.
    #[inline(always)]
    pub fn last_piece(self) -> Option<Piece> {
        let empty = self.empty();
        let shape = empty >> empty.trailing_zeros();
        if shape >> 64 != 0 {
            return None;
        }
        let shape = shape as u64;
        LAST.iter().find(|(cells, _)| *cells == shape).map(|&(_, piece)| piece)
    }
}

/// Bit 0 of every column.
const COLUMNS: u128 = {
    let mut columns = 0;
    let mut x = 0;
    while x < WIDTH {
        columns |= 1 << (x * PLANE);
        x += 1;
    }
    columns
};

/// The cells of the lowest rows, by their number.
const ROWS_BELOW: [u128; PLANE] = {
    let mut rows = [0; PLANE];
    let mut count = 0;
    while count < PLANE {
        rows[count] = Plane::<1, PLANE>::range(0, WIDTH, 0, count as i32).word();
        count += 1;
    }
    rows
};

/// A shape of a piece.
#[derive(Clone, Copy)]
struct LowShape {
    /// The cells around a centre at bit 0, those before it at the end of the word.
    cells: u128,
    /// How far it reaches above its centre.
    above: usize,
}

const SHAPES: [[LowShape; 4]; 7] = {
    let mut shapes = [[LowShape { cells: 0, above: 0 }; 4]; 7];
    let mut i = 0;
    while i < 28 {
        let cells = Piece::ALL[i / 4].cells(Orientation::ALL[i % 4]);
        let mut k = 0;
        while k < 4 {
            let (dx, dy) = (cells[k].0 as i32, cells[k].1 as i32);
            let bit = (dx * PLANE as i32 - dy + 128) % 128;
            shapes[i / 4][i % 4].cells |= 1u128 << bit;
            if dy > shapes[i / 4][i % 4].above as i32 {
                shapes[i / 4][i % 4].above = dy as usize;
            }
            k += 1;
        }
        i += 1;
    }
    shapes
};

/// The shapes with their first cell at bit 0, and whose they are.
const LAST: [(u64, Piece); 19] = {
    let mut last = [(0, Piece::I); 19];
    let mut count = 0;
    let mut piece = 0;
    while piece < 7 {
        let shapes = Piece::ALL[piece].shapes().len();
        let mut shape = 0;
        while shape < shapes {
            let cells = SHAPES[piece][shape].cells.rotate_left(64);
            last[count] = ((cells >> cells.trailing_zeros()) as u64, Piece::ALL[piece]);
            count += 1;
            shape += 1;
        }
        piece += 1;
    }
    last
};
