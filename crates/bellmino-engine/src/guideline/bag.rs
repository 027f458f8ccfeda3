//! The dealer of the guideline game: every seven pieces are all seven, in random order.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::piece::Piece;

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
    rng: Xoshiro256PlusPlus,
    left: Vec<Piece>,
}

impl Bag {
    /// A full bag.
    pub fn new(seed: u64) -> Bag {
        Bag { rng: Xoshiro256PlusPlus::seed_from_u64(seed), left: vec![] }
    }

    /// The pieces left in the bag; all seven if it is about to be filled.
    pub fn left(&self) -> &[Piece] {
        if self.left.is_empty() { &Piece::ALL } else { &self.left }
    }
}

impl Iterator for Bag {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        if self.left.is_empty() {
            self.left.extend(Piece::ALL);
        }
        let index = below(&mut self.rng, self.left.len() as u64);
        Some(self.left.remove(index as usize))
    }
}

/// A uniform number below `bound`: a word that would favour the small ones is thrown again.
fn below(rng: &mut Xoshiro256PlusPlus, bound: u64) -> u64 {
    let limit = u64::MAX - u64::MAX % bound;
    loop {
        let word = rng.next_u64();
        if word < limit {
            return word % bound;
        }
    }
}
