//! A set of places for the centre of a piece, packed so that all of them move at once.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

use super::board::{Board, HEIGHT, WIDTH};
use super::piece::{Orientation, Piece};

/// A set of cells of a board of ten columns and `ROWS - 1` rows, in `WORDS` words.
///
/// A column takes `ROWS` bits, from its top row (bit 0) to row 0 (bit `ROWS - 2`) and one guard
/// bit below the floor; a word holds as many columns as fit. A cell of the next column is a shift
/// by `ROWS`, a cell lower a shift by one, and a fall to the ground is one addition: the carry runs
/// through the free cells and stops in the first blocked one, at the latest in the guard.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Plane<const WORDS: usize, const ROWS: usize>([u128; WORDS]);

impl<const WORDS: usize, const ROWS: usize> Plane<WORDS, ROWS> {
    pub const EMPTY: Self = Plane([0; WORDS]);
    /// The guard bits, which stand for the floor.
    const FLOOR: Self = Self::range(0, WIDTH, -1, 0);
    /// All but the top row, all but the two top rows.
    const NOT_TOP: [Self; 2] =
        [Self::range(0, WIDTH, 0, ROWS as i32 - 2), Self::range(0, WIDTH, 0, ROWS as i32 - 3)];
    /// All but row 0.
    const NOT_BOTTOM: Self = Self::range(0, WIDTH, 1, ROWS as i32 - 1);
    const TOPS: Self = Self::range(0, WIDTH, ROWS as i32 - 2, ROWS as i32 - 1);
    /// The centres for which a piece lies inside the board.
    const INSIDE: &[[Self; 4]; 7] = &{
        let mut inside = [[Self::EMPTY; 4]; 7];
        let mut i = 0;
        while i < 28 {
            inside[i / 4][i % 4] = Self::inside(Piece::ALL[i / 4].cells(Orientation::ALL[i % 4]));
            i += 1;
        }
        inside
    };
    /// Columns in a word.
    const COLUMNS: usize = 128 / ROWS;
    const WORD_BITS: i32 = (Self::COLUMNS * ROWS) as i32;
    /// Rows of the plane.
    pub const TOP: usize = ROWS - 1;

    /// The filled cells of a board; rows above the plane are left out.
    #[inline(always)]
    pub fn of(board: &Board) -> Self {
        let mut plane = Self::EMPTY;
        for (x, column) in board.columns().iter().enumerate() {
            let bits = u128::from(column.bits() >> (65 - ROWS));
            plane.0[x / Self::COLUMNS] |= bits << (x % Self::COLUMNS * ROWS);
        }
        plane
    }

    /// The cells of columns `left..right` and rows `low..high`; row -1 is the guard.
    pub const fn range(left: usize, right: usize, low: i32, high: i32) -> Self {
        let mut plane = [0; WORDS];
        let mut x = left;
        while x < right {
            let mut y = low;
            while y < high && y < ROWS as i32 - 1 {
                let bit = x % Self::COLUMNS * ROWS + (ROWS as i32 - 2 - y) as usize;
                plane[x / Self::COLUMNS] |= 1 << bit;
                y += 1;
            }
            x += 1;
        }
        Plane(plane)
    }

    /// All rows from `low` up.
    #[inline(always)]
    pub fn rows_from(low: usize) -> Self {
        let Some(count) = Self::TOP.checked_sub(low) else { return Self::EMPTY };
        let column = (1u128 << count) - 1;
        Plane(Self::TOPS.0.map(|tops| tops.wrapping_mul(column)))
    }

    /// The centres for which these cells lie inside the board, whatever is filled.
    const fn inside(cells: [(i8, i8); 4]) -> Self {
        let (mut left, mut right, mut low, mut high) = (0, 0, 0, 0);
        let mut i = 0;
        while i < 4 {
            let (dx, dy) = (cells[i].0 as i32, cells[i].1 as i32);
            left = if -dx > left { -dx } else { left };
            right = if dx > right { dx } else { right };
            low = if -dy > low { -dy } else { low };
            high = if dy > high { dy } else { high };
            i += 1;
        }
        Self::range(left as usize, WIDTH - right as usize, low, HEIGHT as i32 - high)
    }

    /// The centres where a piece lies inside the board and covers no filled cell.
    #[inline(always)]
    pub fn free(filled: Self, piece: Piece, orientation: Orientation) -> Self {
        let mut blocked = Self::EMPTY;
        for (dx, dy) in piece.cells(orientation) {
            blocked |= filled.moved(-dx, -dy);
        }
        Self::INSIDE[piece as usize][orientation as usize] & !blocked
    }

    /// Every cell moved by `(dx, dy)`, `dx` from -2 to 2 and `dy` from -2 to 3. Cells that leave a side or the
    /// floor land outside the columns, in a guard or past the last column of a word, where they stay until the result is
    /// cut with a plane of places, as every use does; those that leave the top vanish.
    #[inline(always)]
    pub fn moved(self, dx: i8, dy: i8) -> Self {
        // One row too far lands in a guard bit, more in the next column: those go first.
        let kept = match dy {
            3 => self & Self::NOT_TOP[1],
            2 => self & Self::NOT_TOP[0],
            -2 => self & Self::NOT_BOTTOM,
            _ => self,
        };
        let by = i32::from(dx) * ROWS as i32 - i32::from(dy);
        let neighbour = |i: usize| if i < WORDS { kept.0[i] } else { 0 };
        let mut out = kept;
        for (i, word) in out.0.iter_mut().enumerate() {
            *word = match by {
                0 => *word,
                1.. => *word << by | neighbour(i.wrapping_sub(1)) >> (Self::WORD_BITS - by),
                _ => *word >> -by | neighbour(i + 1) << (Self::WORD_BITS + by),
            };
        }
        out
    }

    /// These places and all below them as far as `free` goes.
    #[inline(always)]
    pub fn fallen(self, free: Self) -> Self {
        let mut out = self;
        for (from, free) in out.0.iter_mut().zip(free.0) {
            *from |= (free.wrapping_add(*from) ^ free) & free;
        }
        out
    }

    /// The free places from which a piece cannot fall.
    #[inline(always)]
    pub fn resting(free: Self) -> Self {
        free & !free.moved(0, 1)
    }

    /// The cells for whose lower neighbour the floor counts as filled.
    #[inline(always)]
    pub fn with_floor(self) -> Self {
        self | Self::FLOOR
    }

    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    #[inline(always)]
    pub fn len(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The place of a centre.
    #[inline(always)]
    pub fn single(x: usize, y: usize) -> Self {
        let mut plane = [0; WORDS];
        plane[x / Self::COLUMNS] = 1 << (x % Self::COLUMNS * ROWS + ROWS - 2 - y);
        Plane(plane)
    }

    /// Calls `f` with every `(x, y)`, column by column.
    #[inline(always)]
    pub fn for_each(self, mut f: impl FnMut(i8, i8)) {
        for (i, word) in self.0.into_iter().enumerate() {
            // Halves, since scanning a double word costs more.
            for (low, mut half) in [(0, word as u64), (64, (word >> 64) as u64)] {
                while half != 0 {
                    let bit = low + half.trailing_zeros() as usize;
                    half &= half - 1;
                    let x = i * Self::COLUMNS + bit / ROWS;
                    f(x as i8, (ROWS - 2 - bit % ROWS) as i8);
                }
            }
        }
    }
}

impl<const ROWS: usize> Plane<1, ROWS> {
    /// The word.
    #[inline(always)]
    pub const fn word(self) -> u128 {
        self.0[0]
    }

    /// The cells of a word.
    #[inline(always)]
    pub const fn from_word(word: u128) -> Self {
        Plane([word])
    }
}

impl Plane<1, 12> {
    /// The same cells in a plane that is as high as a board.
    pub fn taller(self) -> Plane<4, 42> {
        let mut plane = Plane::EMPTY;
        self.for_each(|x, y| plane |= Plane::single(x as usize, y as usize));
        plane
    }
}

impl Plane<4, 42> {
    /// The cells of the lower rows in a plane of no more.
    pub fn lower(self) -> Plane<1, 12> {
        let mut plane = Plane::EMPTY;
        self.for_each(|x, y| {
            if (y as usize) < Plane::<1, 12>::TOP {
                plane |= Plane::single(x as usize, y as usize);
            }
        });
        plane
    }
}

macro_rules! operator {
    ($operator:ident, $method:ident, $assign_operator:ident, $assign:ident, $op:tt) => {
        impl<const WORDS: usize, const ROWS: usize> $assign_operator for Plane<WORDS, ROWS> {
            #[inline(always)]
            fn $assign(&mut self, other: Self) {
                for (word, other) in self.0.iter_mut().zip(other.0) {
                    *word $op other;
                }
            }
        }
        impl<const WORDS: usize, const ROWS: usize> $operator for Plane<WORDS, ROWS> {
            type Output = Self;
            #[inline(always)]
            fn $method(mut self, other: Self) -> Self {
                self.$assign(other);
                self
            }
        }
    };
}
operator!(BitAnd, bitand, BitAndAssign, bitand_assign, &=);
operator!(BitOr, bitor, BitOrAssign, bitor_assign, |=);

impl<const WORDS: usize, const ROWS: usize> Not for Plane<WORDS, ROWS> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Plane(self.0.map(|word| !word))
    }
}
