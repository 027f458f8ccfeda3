//! The pieces to come as they might be, and sets of such futures.

use bellmino_engine::guideline::Piece;
use bellmino_engine::{Purpose, stream};

use crate::bag;
use crate::expansion::Root;

/// Words of a set of futures.
const WORDS: usize = 4;

/// The most futures if all of them are looked at.
const ALL: usize = 64 * WORDS;

/// Futures looked at if there are more.
const SOME: usize = 64;

/// A set of futures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Set([u64; WORDS]);

impl Set {
    #[inline(always)]
    pub(super) fn insert(&mut self, index: usize) {
        self.0[index / 64] |= 1 << (index % 64);
    }

    #[inline(always)]
    pub(super) fn is_empty(self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    #[inline(always)]
    pub(super) fn len(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    pub(super) fn first(self) -> Option<usize> {
        let word = self.0.iter().position(|&word| word != 0)?;
        Some(64 * word + self.0[word].trailing_zeros() as usize)
    }

    #[inline(always)]
    pub(super) fn and(self, other: Set) -> Set {
        Set(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    #[inline(always)]
    pub(super) fn or(self, other: Set) -> Set {
        Set(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    #[inline(always)]
    pub(super) fn without(self, other: Set) -> Set {
        Set(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }
}

/// The pieces to come after the reserve, as they might be, and whether these are all.
pub(super) fn futures(root: &Root<'_>, length: usize, seed: u64) -> (Vec<Vec<Piece>>, bool) {
    let bag = root.bag;
    let known = &root.pieces[..root.pieces.len().min(length)];
    let mut list: Vec<Vec<Piece>> = vec![];
    let unknown = length - known.len();
    let total = bag::orders(bag.len()).take(unknown).last().unwrap_or(1);
    if total <= ALL as u64 {
        // Each is as likely as any other.
        enumerate(&mut known.to_vec(), bag, length, &mut list);
        return (list, true);
    }
    let mut generator = stream(seed, Purpose::Player, length as u64);
    while list.len() < SOME {
        let mut pieces = known.to_vec();
        bag::draw(&mut pieces, bag, length, &mut generator);
        if !list.contains(&pieces) {
            list.push(pieces);
        }
    }
    (list, false)
}

fn enumerate(pieces: &mut Vec<Piece>, bag: &[Piece], length: usize, list: &mut Vec<Vec<Piece>>) {
    if pieces.len() == length {
        list.push(pieces.clone());
        return;
    }
    for (piece, left) in bag::draws(bag) {
        pieces.push(piece);
        enumerate(pieces, &left, length, list);
        pieces.pop();
    }
}
