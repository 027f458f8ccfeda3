//! Numbering a set of boards without gaps, from board to number and back.

use bellmino_engine::placement::PackedBoard;

/// Boards of at most this many cells are looked up in a bitmap over all of them; larger ones in a sorted list.
pub(crate) const MAX_BITMAP_CELLS: usize = 32;

/// A set of boards, numbered from 0 class by class, in ascending order within a class.
#[derive(Debug)]
pub(crate) struct BoardIndex {
    /// The boards by number.
    keys: BoardKeys,
    /// One entry for every 64 possible boards; empty when the boards are too large for it.
    words: Vec<IndexWord>,
    /// From the place in ascending order to the number; empty when they are the same.
    order: Vec<u32>,
    /// Where each class begins, and the end of the last.
    classes: Vec<usize>,
}

/// 64 possible boards: which are in the set, and how many of the set come before them.
#[derive(Clone, Copy, Debug)]
struct IndexWord {
    bits: u64,
    before: u32,
}

#[derive(Debug)]
enum BoardKeys {
    Short(Vec<u32>),
    Long(Vec<u64>),
}

impl BoardIndex {
    /// From a bitmap over all boards. Boards are put into `classes` classes by `class`.
    pub(crate) fn from_bitmap(
        bitmap: &[u64],
        classes: usize,
        class: impl Fn(PackedBoard) -> usize,
    ) -> BoardIndex {
        let mut words = Vec::with_capacity(bitmap.len());
        let mut before = 0;
        let mut counts = vec![0usize; classes];
        for (number, &bits) in bitmap.iter().enumerate() {
            words.push(IndexWord { bits, before });
            before += bits.count_ones();
            if classes > 1 {
                each_key(number, bits, |key| counts[class(PackedBoard(u64::from(key)))] += 1);
            }
        }
        let len = before as usize;
        let mut keys = Vec::with_capacity(len);
        if classes <= 1 {
            for (number, &bits) in bitmap.iter().enumerate() {
                each_key(number, bits, |key| keys.push(key));
            }
            return BoardIndex {
                keys: BoardKeys::Short(keys),
                words,
                order: Vec::new(),
                classes: vec![0, len],
            };
        }
        let mut starts = vec![0];
        for count in counts {
            starts.push(starts[starts.len() - 1] + count);
        }
        let mut next = starts.clone();
        keys.resize(len, 0);
        let mut order = Vec::with_capacity(len);
        for (number, &bits) in bitmap.iter().enumerate() {
            each_key(number, bits, |key| {
                let place = &mut next[class(PackedBoard(u64::from(key)))];
                keys[*place] = key;
                order.push(*place as u32);
                *place += 1;
            });
        }
        BoardIndex { keys: BoardKeys::Short(keys), words, order, classes: starts }
    }

    /// From a sorted list without repetitions, all in one class.
    pub(crate) fn from_sorted(keys: Vec<u64>) -> BoardIndex {
        debug_assert!(keys.is_sorted_by(|a, b| a < b));
        let classes = vec![0, keys.len()];
        BoardIndex { keys: BoardKeys::Long(keys), words: Vec::new(), order: Vec::new(), classes }
    }

    pub(crate) fn len(&self) -> usize {
        match &self.keys {
            BoardKeys::Short(keys) => keys.len(),
            BoardKeys::Long(keys) => keys.len(),
        }
    }

    /// The numbers of each class.
    pub(crate) fn classes(&self) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        self.classes.windows(2).map(|pair| pair[0]..pair[1])
    }

    #[inline]
    pub(crate) fn board(&self, number: usize) -> PackedBoard {
        match &self.keys {
            BoardKeys::Short(keys) => PackedBoard(u64::from(keys[number])),
            BoardKeys::Long(keys) => PackedBoard(keys[number]),
        }
    }

    /// The number of a board that is in the set; anything else gives a meaningless number or a panic.
    #[inline]
    pub(crate) fn number_unchecked(&self, board: PackedBoard) -> u32 {
        match &self.keys {
            BoardKeys::Short(_) => {
                let word = self.words[(board.0 >> 6) as usize];
                debug_assert!(word.bits >> (board.0 & 63) & 1 == 1);
                let place = word.before + (word.bits & ((1 << (board.0 & 63)) - 1)).count_ones();
                if self.order.is_empty() { place } else { self.order[place as usize] }
            }
            BoardKeys::Long(keys) => keys.partition_point(|key| *key < board.0) as u32,
        }
    }

    pub(crate) fn number(&self, board: PackedBoard) -> Option<u32> {
        match &self.keys {
            BoardKeys::Short(_) => {
                let word = self.words.get((board.0 >> 6) as usize)?;
                (word.bits >> (board.0 & 63) & 1 == 1).then(|| self.number_unchecked(board))
            }
            BoardKeys::Long(keys) => keys.binary_search(&board.0).ok().map(|number| number as u32),
        }
    }

    /// The numbers in the ascending order of the boards.
    pub(crate) fn ascending(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.len()).map(|place| self.number_at(place))
    }

    /// The number of the board at a place of that order.
    pub(crate) fn number_at(&self, place: usize) -> usize {
        self.order.get(place).map_or(place, |number| *number as usize)
    }

    /// Hands over the index as it stands in files.
    pub(crate) fn write(&self, put: &mut dyn FnMut(&[u8]) -> std::io::Result<()>) -> std::io::Result<()> {
        match &self.keys {
            BoardKeys::Short(_) => {
                for word in &self.words {
                    put(&word.bits.to_le_bytes())?;
                    put(&u64::from(word.before).to_le_bytes())?;
                }
            }
            BoardKeys::Long(keys) => {
                for key in keys {
                    put(&key.to_le_bytes())?;
                }
            }
        }
        Ok(())
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> u64 {
        let keys = match &self.keys {
            BoardKeys::Short(keys) => keys.len() * 4,
            BoardKeys::Long(keys) => keys.len() * 8,
        };
        (keys + self.words.len() * size_of::<IndexWord>() + self.order.len() * 4) as u64
    }
}

fn each_key(word: usize, mut bits: u64, mut visit: impl FnMut(u32)) {
    while bits != 0 {
        visit((word as u32) << 6 | bits.trailing_zeros());
        bits &= bits - 1;
    }
}

/// Words of a bitmap over all boards of `cells` cells.
pub(crate) fn bitmap_words(cells: usize) -> usize {
    (1usize << cells).div_ceil(64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_kinds_number_a_set_without_gaps() {
        let keys: std::collections::BTreeSet<u64> = (0..5000u64).map(|i| i * 97 % 65521).collect();
        let mut bitmap = vec![0u64; bitmap_words(16)];
        keys.iter().for_each(|key| bitmap[(key >> 6) as usize] |= 1 << (key & 63));
        let absent = (0..65536).find(|key| !keys.contains(key)).unwrap();
        for index in [
            BoardIndex::from_bitmap(&bitmap, 1, |_| 0),
            BoardIndex::from_bitmap(&bitmap, 3, |board| board.0 as usize % 3),
            BoardIndex::from_sorted(keys.iter().copied().collect()),
        ] {
            assert_eq!(index.len(), keys.len());
            for number in 0..index.len() {
                assert_eq!(index.number(index.board(number)), Some(number as u32));
                assert_eq!(index.number_unchecked(index.board(number)), number as u32);
            }
            assert!(index.ascending().map(|number| index.board(number).0).eq(keys.iter().copied()));
            for (class, numbers) in index.classes().enumerate().filter(|_| index.classes.len() == 4) {
                assert!(numbers.into_iter().all(|number| index.board(number).0 as usize % 3 == class));
            }
            assert_eq!(index.number(PackedBoard(absent)), None);
            assert_eq!(index.number(PackedBoard(1 << 40)), None);
        }
    }
}
