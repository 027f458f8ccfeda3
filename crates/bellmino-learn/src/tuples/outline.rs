//! The outline of a board as entries of tables: heights, their differences, holes.

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::Column;

/// What is read of a board of this size: one entry each for the height of every column, for the difference of every two
/// neighbours, for the number of holes, for the greatest height and for the number of rows with holes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Outline {
    width: usize,
    height: usize,
}

/// Differences are told apart up to this many rows.
const FARTHEST: i32 = 8;

/// How many holes are told apart.
const MOST_HOLES: u32 = 63;

impl Outline {
    pub(super) fn new(game: &PlacementGame) -> Outline {
        Outline { width: game.width(), height: game.height() }
    }

    /// Entries of all tables.
    pub(super) fn len(self) -> usize {
        let differences = (self.width - 1) * (2 * FARTHEST as usize + 1);
        (self.width + 2) * (self.height + 1) + differences + MOST_HOLES as usize + 1
    }

    /// The entries that a board of these columns has, table by table; returns how many holes there are: empty cells below a
    /// full one.
    #[inline]
    pub(super) fn read<C: Column>(self, columns: &[C], entries: &mut Vec<u16>) -> u32 {
        entries.clear();
        let (mut holes, mut rows, mut highest, mut before, mut first) = (0, 0u64, 0, 0, 0);
        for (x, column) in columns[..self.width].iter().enumerate() {
            let bits = column.to_bits();
            let height = 64 - bits.leading_zeros();
            let below = if height == 0 { 0 } else { (u64::MAX >> (64 - height)) & !bits };
            holes += below.count_ones();
            rows |= below;
            highest = highest.max(height);
            entries.push(first + height as u16);
            first += self.height as u16 + 1;
            if x > 0 {
                let difference = (height as i32 - before).clamp(-FARTHEST, FARTHEST) + FARTHEST;
                entries.push(first + difference as u16);
                first += 2 * FARTHEST as u16 + 1;
            }
            before = height as i32;
        }
        entries.push(first + holes.min(MOST_HOLES) as u16);
        first += MOST_HOLES as u16 + 1;
        entries.push(first + highest as u16);
        first += self.height as u16 + 1;
        entries.push(first + rows.count_ones() as u16);
        holes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellmino_engine::placement::{AnyColumns, Board, Grid};
    use bellmino_engine::{Game, Override, Purpose, below, stream};

    /// Entries against a count of cells, one by one.
    #[test]
    fn entries_are_what_is_counted() {
        let overrides: Vec<Override> =
            ["board.width=6", "board.height=11"].iter().map(|text| text.parse().unwrap()).collect();
        let game = Game::built_in("classic", &overrides).unwrap().unwrap().placement().unwrap().clone();
        let outline = Outline::new(&game);
        assert_eq!(outline.len(), 6 * 12 + 5 * 17 + 64 + 12 + 12);
        let mut chance = stream(1, Purpose::Player, 0);
        let mut entries = Vec::new();
        for _ in 0..300 {
            let mut board = Board::new(6, 11);
            let filled = below(&mut chance, 11);
            for y in 0..filled {
                (0..6).filter(|_| below(&mut chance, 3) > 0).for_each(|x| board.insert(x, y));
            }
            let heights: Vec<usize> = (0..6)
                .map(|x| (0..11).filter(|y| board.contains(x, *y)).max().map_or(0, |y| y + 1))
                .collect();
            let is_hole = |x: usize, y: usize| y < heights[x] && !board.contains(x, y);
            let holes = (0..66).filter(|cell| is_hole(cell % 6, cell / 6)).count();
            let rows = (0..11).filter(|y| (0..6).any(|x| is_hole(x, *y))).count();
            let mut expected = vec![heights[0]];
            for x in 1..6 {
                let first = 12 + (x - 1) * (12 + 17);
                expected.push(first + heights[x]);
                let difference = heights[x] as i32 - heights[x - 1] as i32;
                expected.push(first + 12 + (difference.clamp(-8, 8) + 8) as usize);
            }
            let first = 6 * 12 + 5 * 17;
            expected.extend([first + holes.min(63), first + 64 + heights.iter().max().unwrap()]);
            expected.push(first + 64 + 12 + rows);
            let columns = AnyColumns::from_board(&board);
            assert_eq!(outline.read(columns.columns(), &mut entries) as usize, holes);
            assert_eq!(entries.iter().map(|entry| usize::from(*entry)).collect::<Vec<_>>(), expected);
            assert!(entries.iter().all(|entry| usize::from(*entry) < outline.len()));
        }
    }
}
