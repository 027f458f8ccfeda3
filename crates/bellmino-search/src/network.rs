//! A small network over the features of a board: what a weighted sum of them cannot say.

use crate::evaluation::{Expected, Feature};

/// Units between the features and the worth.
pub const UNITS: usize = 32;

/// Features of a board alone, without those that depend on what is expected.
const BOARD: usize = Feature::SlotSoon as usize;
/// All features that describe a board.
const DESCRIBED: usize = Feature::WastedT as usize;

/// One number for each unit.
pub type Units = [f32; UNITS];

/// One layer of units: each is a weighted sum of the features, 0 where that is negative. The worth is a weighted sum of
/// the units, in points, beside the one of the features themselves.
///
/// What depends on the pieces to come changes the weights of a layer of the search, not the work for a board.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// What each feature of a board adds to the units.
    pub features: [Units; DESCRIBED],
    /// What it adds how soon a T and how soon an I comes.
    pub soon: [Units; 2],
    /// The units where all of these are 0.
    pub start: Units,
    /// What each unit is worth.
    pub worth: Units,
}

impl Network {
    /// How many numbers it is made of.
    pub const NUMBERS: usize = (DESCRIBED + 4) * UNITS;

    /// All of its numbers: by feature, how soon T and I come, at the start, worth.
    pub fn numbers(&self) -> impl Iterator<Item = f32> {
        let rows = self.features.iter().chain(&self.soon).chain([&self.start, &self.worth]);
        rows.flatten().copied()
    }

    /// The network of these numbers; `None` if there are too few or too many.
    pub fn from_numbers(numbers: &[f32]) -> Option<Network> {
        let (rows, rest) = numbers.as_chunks::<UNITS>();
        let (features, rows) = rows.split_first_chunk::<DESCRIBED>()?;
        let &[t, i, start, worth] = rows else { return None };
        rest.is_empty().then_some(Network { features: *features, soon: [t, i], start, worth })
    }

    /// The network where these pieces are expected, as [`crate::Weights::expecting`].
    pub(crate) fn expecting(&self, expected: &Expected) -> Network {
        let mut network = self.clone();
        let add = |to: &mut Units, times: f32, row: &Units| {
            to.iter_mut().zip(row).for_each(|(to, number)| *to += times * number);
        };
        for (product, feature, soon) in expected.products() {
            add(&mut network.features[feature as usize], soon, &self.features[product as usize]);
        }
        add(&mut network.start, expected.t, &self.soon[0]);
        add(&mut network.start, expected.i, &self.soon[1]);
        network
    }

    /// What the units are worth for a board.
    #[inline(always)]
    pub(crate) fn leaf(&self, board: &BoardFeatures) -> f32 {
        // Two sums for each unit, which the processor forms at once; the same on every machine.
        let mut sums = [self.start, [0.0; UNITS]];
        for (pair, features) in board.chunks(2).zip(self.features.chunks(2)) {
            for ((sum, &value), row) in sums.iter_mut().zip(pair).zip(features) {
                sum.iter_mut().zip(row).for_each(|(sum, weight)| *sum += value * weight);
            }
        }
        let mut lanes = [0.0; 8];
        for at in (0..UNITS).step_by(8) {
            for (lane, sum) in lanes.iter_mut().enumerate() {
                let unit = at + lane;
                *sum += (sums[0][unit] + sums[1][unit]).max(0.0) * self.worth[unit];
            }
        }
        let [a, b, c, d, e, f, g, h] = lanes;
        ((a + b) + (c + d)) + ((e + f) + (g + h))
    }
}

/// The features of a board alone.
pub(crate) type BoardFeatures = [f32; BOARD];

#[cfg(test)]
mod tests {
    use super::*;

    /// Some network of numbers that are sums of a few powers of two, so that sums in any order are exact.
    fn some() -> Network {
        let numbers: Vec<f32> =
            (0..Network::NUMBERS).map(|at| ((at * 2_654_435_761) % 64) as f32 / 32.0 - 1.0).collect();
        Network::from_numbers(&numbers).expect("as many numbers as needed")
    }

    #[test]
    fn a_network_is_its_numbers() {
        let network = some();
        let numbers: Vec<f32> = network.numbers().collect();
        assert_eq!(numbers.len(), Network::NUMBERS);
        assert_eq!(Network::from_numbers(&numbers), Some(network));
        assert_eq!(Network::from_numbers(&numbers[1..]), None);
        assert_eq!(Network::from_numbers(&[&numbers[..], &[0.0; UNITS]].concat()), None);
    }

    #[test]
    fn the_fast_sum_is_the_plain_one() {
        let network = some();
        let expected = Expected { t: 0.5, i: 0.25 };
        let mut features = [0.0; Feature::COUNT];
        for (at, feature) in features[..BOARD].iter_mut().enumerate() {
            *feature = (at * 7 % 5) as f32;
        }
        let board: BoardFeatures = std::array::from_fn(|at| features[at]);
        expected.describe(&mut features);
        let unit = |unit: usize| {
            let sum: f32 = network.features.iter().zip(&features).map(|(row, value)| row[unit] * value).sum();
            let soon = expected.t * network.soon[0][unit] + expected.i * network.soon[1][unit];
            (network.start[unit] + sum + soon).max(0.0) * network.worth[unit]
        };
        let plain: f32 = (0..UNITS).map(unit).sum();
        assert_eq!(network.expecting(&expected).leaf(&board), plain);
    }
}
