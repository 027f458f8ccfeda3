//! The dealer of the guideline game: every seven pieces are all seven, in random order.

use std::collections::VecDeque;

use super::piece::Piece;
use crate::rng::{Generator, Purpose, below, stream};

/// An endless sequence of pieces, fixed by its seed.
///
/// ```
/// use bellmino_engine::guideline::{Bag, Piece};
/// let mut pieces: Vec<Piece> = Bag::new(7).take(7).collect();
/// pieces.sort();
/// assert_eq!(pieces, Piece::ALL);
/// ```
#[derive(Clone, Debug)]
pub struct Bag {
    /// Dealt before anything else.
    first: VecDeque<Piece>,
    generator: Generator,
    left: Vec<Piece>,
}

impl Bag {
    /// A full bag with the pieces of the first game of a seed.
    pub fn new(seed: u64) -> Bag {
        Bag::numbered(seed, 0)
    }

    /// A full bag with the pieces of game number `index` of a seed.
    pub fn numbered(seed: u64, index: u64) -> Bag {
        Bag { first: VecDeque::new(), generator: stream(seed, Purpose::Dealer, index), left: vec![] }
    }

    /// A bag in which these pieces are left; none is a full one.
    ///
    /// ```
    /// use bellmino_engine::guideline::{Bag, Piece};
    /// use bellmino_engine::{Purpose, stream};
    /// let mut bag = Bag::with(&[Piece::T], stream(1, Purpose::Dealer, 0));
    /// assert_eq!(bag.next(), Some(Piece::T));
    /// assert_eq!(bag.left(), Piece::ALL);
    /// ```
    pub fn with(left: &[Piece], generator: Generator) -> Bag {
        Bag { first: VecDeque::new(), generator, left: left.to_vec() }
    }

    /// The same bag after these pieces.
    ///
    /// ```
    /// use bellmino_engine::guideline::{Bag, Piece};
    /// let mut bag = Bag::new(7).after([Piece::T, Piece::T]);
    /// assert_eq!([bag.next(), bag.next()], [Some(Piece::T), Some(Piece::T)]);
    /// assert_eq!(bag.next(), Bag::new(7).next());
    /// ```
    pub fn after(mut self, pieces: impl IntoIterator<Item = Piece>) -> Bag {
        self.first = pieces.into_iter().collect();
        self
    }

    /// The same bag without its next pieces.
    pub fn skipping(mut self, pieces: usize) -> Bag {
        self.by_ref().take(pieces).for_each(drop);
        self
    }

    /// The pieces left in the bag; all seven if it is about to be filled.
    pub fn left(&self) -> &[Piece] {
        Bag::opened(&self.left)
    }

    /// What may come next out of a bag with these pieces left: an empty one is a full one, for the next is opened.
    pub fn opened(left: &[Piece]) -> &[Piece] {
        if left.is_empty() { &Piece::ALL } else { left }
    }

    /// Opens the next bag if nothing is left in this one.
    pub fn refill(left: &mut Vec<Piece>) {
        if left.is_empty() {
            left.extend(Piece::ALL);
        }
    }
}

impl Iterator for Bag {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        if let Some(piece) = self.first.pop_front() {
            return Some(piece);
        }
        Bag::refill(&mut self.left);
        let index = below(&mut self.generator, self.left.len());
        Some(self.left.remove(index))
    }
}
