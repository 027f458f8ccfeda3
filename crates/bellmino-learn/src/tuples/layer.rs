//! A layer of units over the outline of a board: what a sum of tables cannot say.

use bellmino_engine::{PlacementGame, Purpose, stream, unit};

use super::outline::Outline;
use super::window::WindowError;

/// The most units.
pub const MAX_UNITS: usize = 256;

/// Units are worked on so many at a time.
const LANES: usize = 8;

/// Tables over the outline whose entries have a number for each unit. A unit is what its numbers sum up to, bent: the
/// derivative of `z * sigmoid(z)`, which is 0 far below, 1 far above and more than 1 in between. The value is a weighted sum
/// of the units.
///
/// All numbers lie in one list: those of each entry, what the units have without any, what they are worth, and a constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Layer {
    pub(super) outline: Outline,
    pub(super) units: usize,
}

/// Room for what a layer works out.
#[derive(Clone, Debug, Default)]
pub(super) struct LayerRoom {
    pub(super) entries: Vec<u16>,
    sums: Vec<f32>,
}

impl Layer {
    pub(super) fn new(game: &PlacementGame, units: usize) -> Result<Layer, WindowError> {
        if units == 0 || units > MAX_UNITS || !units.is_multiple_of(LANES) {
            return Err(WindowError::Units(units));
        }
        Ok(Layer { outline: Outline::new(game), units })
    }

    /// How many numbers it has.
    pub(super) fn numbers(self) -> usize {
        (self.outline.len() + 2) * self.units + 1
    }

    /// Numbers to begin with: small ones by chance, so that units differ.
    pub(super) fn first_numbers(self, seed: u64) -> Vec<f32> {
        let mut chance = stream(seed, Purpose::Training, u64::MAX);
        let mut normal = |deviation: f64| {
            let sum: f64 = (0..12).map(|_| unit(&mut chance)).sum();
            ((sum - 6.0) * deviation) as f32
        };
        let rows = self.outline.len() * self.units;
        let mut numbers: Vec<f32> = (0..rows).map(|_| normal(0.2)).collect();
        numbers.resize(rows + self.units, 0.0);
        let worth = 1.0 / (self.units as f64).sqrt();
        numbers.extend((0..self.units).map(|_| normal(worth)));
        numbers.push(0.0);
        numbers
    }

    /// The value of a board with the entries in the room.
    #[inline]
    pub(super) fn value(self, numbers: &[f32], room: &mut LayerRoom) -> f32 {
        self.sum(numbers, room);
        let worth = &numbers[(self.outline.len() + 1) * self.units..];
        let (worth, constant) = worth.split_at(self.units);
        let mut lanes = [0.0f32; LANES];
        for (sums, worth) in room.sums.chunks_exact(LANES).zip(worth.chunks_exact(LANES)) {
            for ((lane, sum), worth) in lanes.iter_mut().zip(sums).zip(worth) {
                *lane += worth * bent(*sum).0;
            }
        }
        lanes.iter().sum::<f32>() + constant[0]
    }

    /// Moves the value of a board with the entries in the room by its gradient times a step.
    #[inline]
    pub(super) fn correct(self, numbers: &mut [f32], step: f32, room: &mut LayerRoom) {
        self.sum(numbers, room);
        let (rows, rest) = numbers.split_at_mut(self.outline.len() * self.units);
        let (start, rest) = rest.split_at_mut(self.units);
        let (worth, constant) = rest.split_at_mut(self.units);
        constant[0] += step;
        for ((sum, worth), start) in room.sums.iter_mut().zip(worth).zip(start) {
            let (unit, slope) = bent(*sum);
            *sum = step * *worth * slope;
            *worth += step * unit;
            *start += *sum;
        }
        for &entry in &room.entries {
            let row = &mut rows[usize::from(entry) * self.units..][..self.units];
            row.iter_mut().zip(&room.sums).for_each(|(number, change)| *number += change);
        }
    }

    /// Sums up what the units have.
    #[inline]
    fn sum(self, numbers: &[f32], room: &mut LayerRoom) {
        let start = self.outline.len() * self.units;
        room.sums.clear();
        room.sums.extend_from_slice(&numbers[start..start + self.units]);
        for &entry in &room.entries {
            let row = &numbers[usize::from(entry) * self.units..][..self.units];
            room.sums.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
        }
    }
}

/// A unit and its slope.
#[inline]
fn bent(sum: f32) -> (f32, f32) {
    let part = 1.0 / (1.0 + exp(-sum));
    let rest = 1.0 - part;
    (part * (1.0 + sum * rest), part * rest * (2.0 + sum * (rest - part)))
}

/// The exponential within a millionth of itself, 2^-60 and 2^60 at most: the same on every machine, and without a branch.
#[inline]
pub(super) fn exp(x: f32) -> f32 {
    /// Added and taken away it rounds to a whole number, which is then in its last bits.
    const ROUND: f32 = 12_582_912.0;
    let power = x * std::f32::consts::LOG2_E;
    let power = if power < -60.0 { -60.0 } else { power };
    let power = if power > 60.0 { 60.0 } else { power };
    let rounded = power + ROUND;
    let rest = power - (rounded - ROUND);
    let whole = rounded.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(127) << 23;
    let high = 0.055_504_11 + rest * (0.009_618_129 + rest * 0.001_333_355_8);
    f32::from_bits(whole) * (1.0 + rest * (std::f32::consts::LN_2 + rest * (0.240_226_5 + rest * high)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellmino_engine::Game;

    #[test]
    fn exponentials() {
        for step in -4000..4000 {
            let x = step as f32 * 0.01;
            let expected = f64::from(x).exp();
            assert!((f64::from(exp(x)) / expected - 1.0).abs() < 5e-6, "{x}");
        }
        assert!(exp(1e9) > 1e18 && exp(-1e9) < 1e-17 && exp(-1e9) > 0.0);
    }

    /// The value against sums in double precision, and corrections against differences of values.
    #[test]
    fn values_and_corrections() {
        let game = Game::built_in("small", &[]).unwrap().unwrap().placement().unwrap().clone();
        let layer = Layer::new(&game, 16).unwrap();
        let numbers = layer.first_numbers(3);
        assert_eq!(numbers.len(), layer.numbers());
        let entries = vec![1u16, 9, 40, 77];
        let mut room = LayerRoom { entries: entries.clone(), ..LayerRoom::default() };
        let plain = |numbers: &[f32]| {
            let at = |place: usize| f64::from(numbers[place]);
            let rows = layer.outline.len();
            let units = (0..16).map(|k| {
                let sum: f64 = entries.iter().map(|entry| at(usize::from(*entry) * 16 + k)).sum();
                let sum = sum + at(rows * 16 + k);
                let part = 1.0 / (1.0 + (-sum).exp());
                at((rows + 1) * 16 + k) * part * (1.0 + sum * (1.0 - part))
            });
            units.sum::<f64>() + at(numbers.len() - 1)
        };
        let before = plain(&numbers);
        assert!((f64::from(layer.value(&numbers, &mut room)) - before).abs() < 1e-5);
        let mut corrected = numbers.clone();
        layer.correct(&mut corrected, 1.0, &mut room);
        let mut moved = 0;
        for place in 0..numbers.len() {
            let mut other = numbers.clone();
            other[place] += 1e-2;
            let up = plain(&other);
            other[place] -= 2e-2;
            let slope = (up - plain(&other)) / 2e-2;
            let change = f64::from(corrected[place] - numbers[place]);
            assert!((slope - change).abs() < 1e-3, "{place}: {slope} {change}");
            moved += usize::from(change != 0.0);
        }
        assert_eq!(moved, 4 * 16 + 2 * 16 + 1);
    }

    #[test]
    fn layers_that_cannot_be() {
        let game = Game::built_in("small", &[]).unwrap().unwrap().placement().unwrap().clone();
        for units in [0, 4, 12, 264] {
            assert_eq!(Layer::new(&game, units), Err(WindowError::Units(units)));
        }
    }
}
