//! A well as bits.

use std::fmt;

use bellmino_engine::placement::{Board, Placement};

use crate::hashing::mix;

/// The most rows of a [`WellBits`]: those of the original, without the four for entering.
pub const WELL_ROWS: usize = 16;
/// The most columns of a [`WellBits`].
pub const WELL_COLUMNS: usize = 10;

/// The filled cells of a well: 16 bits for each of its rows from the bottom, column 0 in bit 0.
///
/// The rows for entering are no part of it: what reaches into them ends the game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WellBits {
    rows: [u16; WELL_ROWS],
}

impl WellBits {
    /// A well without a filled cell.
    pub const EMPTY: WellBits = WellBits { rows: [0; WELL_ROWS] };

    /// The well of rows as bits from the bottom.
    #[inline]
    pub fn from_rows(rows: [u16; WELL_ROWS]) -> WellBits {
        WellBits { rows }
    }

    /// The well of a board; none if the board is larger than wells are.
    pub fn from_board(board: &Board) -> Option<WellBits> {
        let mut rows = [0; WELL_ROWS];
        for (row, &cells) in board.rows().iter().enumerate() {
            if cells >> WELL_COLUMNS != 0 {
                return None;
            }
            *rows.get_mut(row)? = cells;
        }
        Some(WellBits { rows })
    }

    /// The rows as bits, from the bottom.
    #[inline]
    pub fn rows(&self) -> &[u16; WELL_ROWS] {
        &self.rows
    }

    /// Rows up to the highest filled cell.
    #[inline]
    pub fn top(&self) -> usize {
        let [low, lower, upper, high] = self.words();
        let of = |words: usize, word: u64| 4 * words + (79 - word.leading_zeros() as usize) / 16;
        match (high, upper, lower) {
            (0, 0, 0) => of(0, low),
            (0, 0, _) => of(1, lower),
            (0, _, _) => of(2, upper),
            _ => of(3, high),
        }
    }

    /// The filled cells.
    #[inline]
    pub fn cells(&self) -> u32 {
        self.words().iter().map(|word| word.count_ones()).sum()
    }

    /// Four words of four rows.
    #[inline]
    pub fn words(&self) -> [u64; 4] {
        std::array::from_fn(|word| {
            let four = &self.rows[4 * word..4 * word + 4];
            four.iter().rev().fold(0, |word, row| word << 16 | u64::from(*row))
        })
    }

    /// The well of four words.
    #[inline]
    pub fn from_words(words: [u64; 4]) -> WellBits {
        WellBits { rows: std::array::from_fn(|row| (words[row / 4] >> (16 * (row % 4))) as u16) }
    }

    /// A number for the well and one more word that a hash table can use as it is.
    #[inline]
    pub fn hash_with(&self, extra: u64) -> u64 {
        let [one, two, three, four] = self.words();
        mix(
            mix(extra ^ 0x9e37_79b9_7f4a_7c15, one) ^ mix(0x2545_f491_4f6c_dd1d, two),
            three ^ four.rotate_left(29),
        ) ^ mix(four, one.rotate_left(17) ^ three)
    }

    /// The mirror image in a well of this width.
    #[inline]
    pub fn mirrored(&self, width: usize) -> WellBits {
        WellBits { rows: self.rows.map(|row| row.reverse_bits() >> (16 - width)) }
    }

    /// With the cells of a shape, rows from the bottom, in rows from `row` on; how many rows that completed, which are gone.
    /// There must be room.
    #[inline(always)]
    pub(super) fn with(&self, row: usize, cells: &[u16], full: u16) -> (WellBits, u32) {
        let mut rows = self.rows;
        let mut cleared = 0;
        for (at, cells) in rows[row..].iter_mut().zip(cells) {
            *at |= cells;
            cleared += u32::from(*at == full);
        }
        if cleared > 0 {
            clear(&mut rows, row, full);
        }
        (WellBits { rows }, cleared)
    }
}

/// Takes full rows out, from row `from` on.
#[inline(never)]
fn clear(rows: &mut [u16; WELL_ROWS], from: usize, full: u16) {
    let mut to = from;
    for row in from..WELL_ROWS {
        let cells = rows[row];
        rows[to] = cells;
        to += usize::from(cells != full);
    }
    rows[to..].fill(0);
}

impl fmt::Display for WellBits {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in self.rows[..self.top()].iter().rev() {
            let cell = |column| if row >> column & 1 == 1 { '#' } else { '.' };
            let line: String = (0..WELL_COLUMNS).map(cell).collect();
            writeln!(out, "{line}")?;
        }
        Ok(())
    }
}

/// A well that can follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Follower {
    /// How it comes about.
    pub placement: Placement,
    /// The well afterwards.
    pub well: WellBits,
    /// Rows that it cleared.
    pub rows: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_rows_are_the_same_well() {
        let mut rows = [0; WELL_ROWS];
        for (row, cells) in rows.iter_mut().enumerate() {
            assert_eq!(WellBits::from_rows([0; WELL_ROWS]).top(), 0);
            *cells = (row as u16 * 37 + 1) & 0x3ff;
        }
        for top in 0..=WELL_ROWS {
            let mut rows = rows;
            rows[top..].fill(0);
            let well = WellBits::from_rows(rows);
            assert_eq!((well.top(), WellBits::from_words(well.words())), (top, well));
            assert_eq!(well.mirrored(10).mirrored(10), well);
        }
    }

    #[test]
    fn full_rows_are_gone() {
        let mut rows = [0; WELL_ROWS];
        rows[..4].copy_from_slice(&[0b1111, 0b0111, 0b1011, 0b0011]);
        let (well, cleared) = WellBits::from_rows(rows).with(1, &[0b1000, 0b0100], 0b1111);
        assert_eq!((well.rows()[..3].to_vec(), cleared), (vec![0b1111, 0b0011, 0], 2));
    }
}
