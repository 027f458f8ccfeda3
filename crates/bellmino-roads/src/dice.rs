//! Chance for random games and for what is done in them.

use bellmino_engine::{Generator, Purpose, below, stream, unit};

/// A seeded generator with the verbs that drawing a game needs.
#[derive(Clone, Debug)]
pub struct Dice(Generator);

impl Dice {
    /// Dice number `index` of a seed; the same numbers always fall the same way.
    pub fn new(seed: u64, index: u64) -> Dice {
        Dice(stream(seed, Purpose::Training, index))
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        below(&mut self.0, bound)
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// Yes once in `often` times.
    pub fn once_in(&mut self, often: usize) -> bool {
        self.below(often) == 0
    }

    /// A number from 0 to 1.
    pub fn unit(&mut self) -> f64 {
        unit(&mut self.0)
    }

    /// One of these.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}
