//! Boards stored by columns: the general board and the fast one of width ten.

use std::fmt::Debug;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not, Shl, Shr};

use super::board::{Board, MAX_HEIGHT, MAX_WIDTH};
use super::landing::{Grid, Landed, Overflow, Path, Placement};
use super::piece::{MAX_CELLS, Shape};
use crate::game::PlacementGame;

/// A board of any size as sixteen columns.
pub type AnyColumns = Columns<u64, MAX_WIDTH>;

/// A board ten wide and at most 27 high.
pub type TenColumns = Columns<u32, 10>;

/// The cells of a board, one word per column with row 0 in bit 0. Columns beyond the width of the game are full, so
/// that a row is full exactly when it is full in every word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Columns<C, const W: usize>([C; W]);

/// A word that holds one column.
pub trait Column:
    Copy
    + Eq
    + Debug
    + Send
    + Sync
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitAndAssign
    + BitOrAssign
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + From<u8>
{
    /// Bits in the word.
    const BITS: u32;
    /// The low bits of a general column.
    fn from_bits(bits: u64) -> Self;
    /// The column as 64 bits.
    fn to_bits(self) -> u64;
    /// Unset bits above the highest set one.
    fn leading_zeros(self) -> u32;
    /// Unset bits below the lowest set one.
    fn trailing_zeros(self) -> u32;
    /// Set bits.
    fn count_ones(self) -> u32;
}

macro_rules! column {
    ($word:ty) => {
        impl Column for $word {
            const BITS: u32 = <$word>::BITS;
            #[inline]
            fn from_bits(bits: u64) -> Self {
                bits as $word
            }
            #[inline]
            fn to_bits(self) -> u64 {
                u64::from(self)
            }
            #[inline]
            fn leading_zeros(self) -> u32 {
                <$word>::leading_zeros(self)
            }
            #[inline]
            fn trailing_zeros(self) -> u32 {
                <$word>::trailing_zeros(self)
            }
            #[inline]
            fn count_ones(self) -> u32 {
                <$word>::count_ones(self)
            }
        }
    };
}
column!(u32);
column!(u64);

impl<C: Column, const W: usize> Columns<C, W> {
    /// The columns, those beyond the game's width full.
    #[inline]
    pub fn columns(&self) -> &[C; W] {
        &self.0
    }

    /// The filled columns of each row, as bits.
    fn rows(&self, game: &PlacementGame) -> [u16; MAX_HEIGHT] {
        let mut rows = [0; MAX_HEIGHT];
        for (x, column) in self.0.iter().enumerate().take(game.width()) {
            let mut filled = column.to_bits();
            while filled != 0 {
                rows[filled.trailing_zeros() as usize] |= 1 << x;
                filled &= filled - 1;
            }
        }
        rows
    }

    /// The placements that keys lead to; out of line, so that other games have less code to go through.
    #[cold]
    fn placements_by_keys(&self, game: &PlacementGame, piece: usize, visit: &mut dyn FnMut(Placement)) {
        let Some(keys) = game.keys() else { return };
        let rotations = game.pieces()[piece].rotations();
        let room = |at: &Placement| {
            let shape = &rotations[at.rotation as usize];
            game.landing().highest_row(game.height(), shape).is_some_and(|last| at.row as usize <= last)
        };
        let rows: [u16; MAX_HEIGHT] = self.rows(game);
        keys.placements(piece, rotations.len(), &rows[..game.height()], |at| {
            if room(&at) {
                visit(at);
            }
        });
    }

    #[inline]
    fn height_of(&self, column: usize) -> u32 {
        C::BITS - self.0[column].leading_zeros()
    }

    /// Rows at which the shape fits with its left edge in column `x`, up to the row just above the board.
    #[inline]
    fn free_rows(&self, shape: &Shape, x: usize, limit: C) -> C {
        let mut blocked = C::from(0);
        for (dx, &cells) in shape.columns().iter().enumerate() {
            let column = self.0[x + dx];
            for dy in 0..MAX_CELLS as u32 {
                if cells >> dy & 1 == 1 {
                    blocked |= column >> dy;
                }
            }
        }
        !blocked & limit
    }

    /// Rows in which the shape may come to rest, for each left edge in `0..=last`.
    fn resting_rows(&self, game: &PlacementGame, shape: &Shape, last: usize) -> [C; W] {
        let top = game.height() as u32;
        let limit = (C::from(1) << top) | !(!C::from(0) << top);
        let mut free = [C::from(0); W];
        for (x, rows) in free.iter_mut().enumerate().take(last + 1) {
            *rows = self.free_rows(shape, x, limit);
        }
        let mut reached = free;
        if game.landing().path == Path::Slide {
            // Start above everything, then spread until nothing changes.
            reached = [C::from(0); W];
            for rows in reached.iter_mut().take(last + 1) {
                *rows = C::from(1) << top;
            }
            let mut changed = true;
            while changed {
                changed = false;
                for x in 0..=last {
                    let mut rows = reached[x];
                    if x > 0 {
                        rows |= reached[x - 1] & free[x];
                    }
                    if x < last {
                        rows |= reached[x + 1] & free[x];
                    }
                    loop {
                        let fallen = rows | ((rows >> 1) & free[x]);
                        if fallen == rows {
                            break;
                        }
                        rows = fallen;
                    }
                    changed |= rows != reached[x];
                    reached[x] = rows;
                }
            }
        }
        for x in 0..=last {
            reached[x] &= !(free[x] << 1);
        }
        reached
    }
}

impl<C: Column, const W: usize> Grid for Columns<C, W> {
    fn fits(game: &PlacementGame) -> bool {
        // The general form takes every width; a narrower one only its own.
        let width_fits = if W == MAX_WIDTH { game.width() <= W } else { game.width() == W };
        width_fits && game.height() + MAX_CELLS <= C::BITS as usize
    }

    fn empty(game: &PlacementGame) -> Self {
        let mut columns = [!C::from(0); W];
        columns[..game.width()].fill(C::from(0));
        Columns(columns)
    }

    fn from_board(board: &Board) -> Self {
        let mut columns = [!C::from(0); W];
        for (x, column) in columns.iter_mut().enumerate().take(board.width()) {
            *column = C::from_bits(board.column(x));
        }
        Columns(columns)
    }

    fn to_board(&self, game: &PlacementGame) -> Board {
        let mut board = Board::new(game.width(), game.height());
        for x in 0..game.width() {
            board.set_column(x, self.0[x].to_bits());
        }
        board
    }

    #[inline]
    fn placements(&self, game: &PlacementGame, piece: usize, mut visit: impl FnMut(Placement)) {
        if game.landing().path == Path::Keys {
            return self.placements_by_keys(game, piece, &mut visit);
        }
        let mut heights = [0u8; W];
        if game.landing().path == Path::Drop {
            for (x, height) in heights.iter_mut().enumerate().take(game.width()) {
                *height = self.height_of(x) as u8;
            }
        }
        for (rotation, shape) in game.pieces()[piece].rotations().iter().enumerate() {
            let Some(last) = game.width().checked_sub(shape.width()) else { continue };
            let Some(room) = game.landing().highest_row(game.height(), shape) else { continue };
            let mut place = |column: usize, row: usize| {
                if row <= room {
                    let (piece, rotation) = (piece as u8, rotation as u8);
                    visit(Placement { piece, rotation, column: column as u8, row: row as u8 });
                }
            };
            if game.landing().path == Path::Drop {
                for x in 0..=last {
                    place(x, shape.landing_row(&heights[x..x + shape.width()]) as usize);
                }
            } else {
                let resting = self.resting_rows(game, shape, last);
                for (x, &rows) in resting.iter().enumerate().take(last + 1) {
                    let mut rows = rows.to_bits();
                    while rows != 0 {
                        place(x, rows.trailing_zeros() as usize);
                        rows &= rows - 1;
                    }
                }
            }
        }
    }

    #[inline]
    fn place_unchecked(&self, game: &PlacementGame, placement: Placement) -> Landed<Self> {
        let shape = placement.shape(game);
        let mut columns = self.0;
        for (dx, &cells) in shape.columns().iter().enumerate() {
            columns[placement.column as usize + dx] |= C::from(cells) << u32::from(placement.row);
        }
        let mut full = columns[0];
        for &column in &columns[1..] {
            full &= column;
        }
        // Padding columns are full in every row, also where a game of width 16 has none.
        let mut cleared = ((full >> u32::from(placement.row)).to_bits() & 0x1f) as u8;
        if full != C::from(0) {
            remove_rows(&mut columns[..game.width()], full);
        }
        let mut fatal = false;
        if game.landing().overflow != Overflow::Forbidden && placement.top(game) > game.height() {
            let top = game.height() as u32;
            fatal = game.landing().overflow == Overflow::EndFirst
                || columns[..game.width()].iter().any(|&column| column >> top != C::from(0));
        }
        if fatal {
            cleared = 0;
        }
        Landed { board: Columns(columns), cleared, fatal }
    }

    #[inline]
    fn height(&self, _game: &PlacementGame, column: usize) -> usize {
        self.height_of(column) as usize
    }

    #[inline]
    fn holes(&self, game: &PlacementGame) -> u32 {
        (0..game.width()).map(|x| self.height_of(x) - self.0[x].count_ones()).sum()
    }
}

/// Takes the rows of `full` out of every column; what is above moves down.
fn remove_rows<C: Column>(columns: &mut [C], full: C) {
    let mut rows = full.to_bits();
    while rows != 0 {
        let row = rows.ilog2();
        let below = !(!C::from(0) << row);
        for column in &mut *columns {
            *column = (*column & below) | ((*column >> 1) & !below);
        }
        rows &= !(1 << row);
    }
}

const _: () = assert!(MAX_HEIGHT + MAX_CELLS <= u64::BITS as usize);
