//! Seeded randomness: one named generator and independent streams of it.

pub use rand::Rng;
use rand::SeedableRng;

/// The generator of everything random in Bellmino: xoshiro256++.
pub type Generator = rand_xoshiro::Xoshiro256PlusPlus;

/// What a stream of random numbers is for. Streams of different purpose are independent, so that players who use
/// different amounts of chance still see the same pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The pieces a dealer deals.
    Dealer,
    /// The choices of a player.
    Player,
    /// The search for better weights.
    Training,
}

/// Stream number `index` of `purpose` under `seed`: the same arguments give the same numbers on every machine.
pub fn stream(seed: u64, purpose: Purpose, index: u64) -> Generator {
    let mut state = mix(seed ^ 0x6265_6c6c_6d69_6e6f);
    state = mix(state ^ (purpose as u64 + 1));
    Generator::seed_from_u64(mix(state.wrapping_add(index)))
}

/// A number in 0..`bound`, by multiplication (bias below `bound` / 2^64).
#[inline]
pub fn below(generator: &mut Generator, bound: usize) -> usize {
    ((u128::from(generator.next_u64()) * bound as u128) >> 64) as usize
}

/// A number in [0, 1) with 53 random bits.
#[inline]
pub fn unit(generator: &mut Generator) -> f64 {
    (generator.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// The finaliser of SplitMix64.
fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_by_seed_purpose_and_index() {
        let first = |seed, purpose, index| stream(seed, purpose, index).next_u64();
        let base = first(1, Purpose::Dealer, 0);
        assert_eq!(base, first(1, Purpose::Dealer, 0));
        assert_ne!(base, first(2, Purpose::Dealer, 0));
        assert_ne!(base, first(1, Purpose::Player, 0));
        assert_ne!(base, first(1, Purpose::Dealer, 1));
    }

    #[test]
    fn below_and_unit_stay_in_range() {
        let mut generator = stream(0, Purpose::Player, 0);
        for bound in 1..50 {
            assert!(below(&mut generator, bound) < bound);
            assert!((0.0..1.0).contains(&unit(&mut generator)));
        }
    }
}
