//! A layer of units fitted to samples by stochastic gradients.

use bellmino_engine::{Generator, Purpose, below, stream, unit};

/// How a layer of units is fitted (Adam, with a rate that falls to 0).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitsPlan {
    /// Units.
    pub units: usize,
    /// How often every sample is looked at.
    pub epochs: usize,
    /// Samples looked at before each step.
    pub batch: usize,
    /// The size of a step at first.
    pub rate: f32,
    /// How much all numbers are drawn towards 0.
    pub decay: f32,
    /// Seed of the first numbers and of the order of the samples.
    pub seed: u64,
}

/// Some numbers, and what they are worth.
pub type UnitsSample = (Vec<f32>, f32);

/// A fitted function: a weighted sum of the inputs, and one of units that are each a weighted sum of the inputs, 0 where
/// that is negative.
///
/// ```
/// use bellmino_learn::UnitsPlan;
///
/// // No weighted sum knows a distance.
/// let samples: Vec<_> = (-50..=50).map(|x| (vec![x as f32], (x as f32).abs())).collect();
/// let plan = UnitsPlan { units: 4, epochs: 300, batch: 16, rate: 0.02, decay: 0.0, seed: 1 };
/// let fitted = plan.fit(&samples);
/// assert!((fitted.value(&[30.0]) - 30.0).abs() < 3.0 && (fitted.value(&[-30.0]) - 30.0).abs() < 3.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FittedUnits {
    /// What an input is worth by itself.
    pub slopes: Vec<f32>,
    /// What is added to it all.
    pub constant: f32,
    /// For each input: what it adds to the units.
    pub rows: Vec<Vec<f32>>,
    /// The units where all inputs are 0.
    pub start: Vec<f32>,
    /// What each unit is worth.
    pub worth: Vec<f32>,
}

impl FittedUnits {
    /// The value for these inputs.
    pub fn value(&self, inputs: &[f32]) -> f32 {
        let sum = |weights: &mut dyn Iterator<Item = f32>| {
            weights.zip(inputs).map(|(weight, input)| weight * input).sum::<f32>()
        };
        let units = self.worth.iter().enumerate().map(|(unit, worth)| {
            let row = sum(&mut self.rows.iter().map(|row| row[unit]));
            (self.start[unit] + row).max(0.0) * worth
        });
        let units: f32 = units.sum();
        self.constant + sum(&mut self.slopes.iter().copied()) + units
    }
}

impl UnitsPlan {
    /// Fits the samples, which have equally many numbers each.
    pub fn fit(&self, samples: &[UnitsSample]) -> FittedUnits {
        let width = samples.first().map_or(0, |(inputs, _)| inputs.len());
        let scales: Vec<InputScale> =
            (0..width).map(|at| InputScale::of(samples.iter().map(|(inputs, _)| inputs[at]))).collect();
        let outcome = InputScale::of(samples.iter().map(|&(_, value)| value));
        // All inputs and values in steps of their own spread, one sample after the other.
        let inputs: Vec<f32> = samples
            .iter()
            .flat_map(|(inputs, _)| inputs.iter().zip(&scales).map(|(&input, scale)| scale.steps(input)))
            .collect();
        let values: Vec<f32> = samples.iter().map(|&(_, value)| outcome.steps(value)).collect();
        let mut chance = stream(self.seed, Purpose::Training, 0);
        let mut state = Adam::new(UnitLayer::random(width, self.units, &mut chance));
        let mut order: Vec<usize> = (0..samples.len()).collect();
        let batch = self.batch.max(1);
        let steps = (self.epochs * samples.len().div_ceil(batch)).max(1);
        let mut step = 0;
        for _ in 0..self.epochs {
            for last in (1..order.len()).rev() {
                order.swap(last, below(&mut chance, last + 1));
            }
            for chosen in order.chunks(batch) {
                let mut gradient = state.layer.zero();
                for &at in chosen {
                    let inputs = &inputs[at * width..(at + 1) * width];
                    state.layer.learn(inputs, values[at], &mut gradient);
                }
                let rate = self.rate * (1.0 - step as f32 / steps as f32);
                state.step(&gradient, rate, self.decay, chosen.len() as f32);
                step += 1;
            }
        }
        state.layer.unscaled(&scales, outcome)
    }
}

/// The mean and the spread of a number.
#[derive(Clone, Copy, Debug)]
struct InputScale {
    mean: f32,
    spread: f32,
}

impl InputScale {
    fn of(numbers: impl Iterator<Item = f32> + Clone) -> InputScale {
        let count = numbers.clone().count().max(1) as f64;
        let mean = numbers.clone().map(f64::from).sum::<f64>() / count;
        let square = numbers.map(|number| (f64::from(number) - mean).powi(2)).sum::<f64>() / count;
        // A number that never changes says nothing.
        let spread = if square.sqrt() < 1e-6 { 1.0 } else { square.sqrt() };
        InputScale { mean: mean as f32, spread: spread as f32 }
    }

    fn steps(self, number: f32) -> f32 {
        (number - self.mean) / self.spread
    }
}

/// Inputs to units to a value, all numbers in one row: by input and unit, then the start of each unit, what each is worth, the
/// slopes of the inputs, the constant.
#[derive(Clone, Debug)]
struct UnitLayer {
    width: usize,
    units: usize,
    numbers: Vec<f32>,
}

impl UnitLayer {
    fn random(width: usize, units: usize, chance: &mut Generator) -> UnitLayer {
        let mut layer = UnitLayer { width, units, numbers: vec![] };
        layer.numbers = vec![0.0; layer.constant() + 1];
        let mut around = |spread: f32| (2.0 * unit(chance) as f32 - 1.0) * spread;
        let (start, worth, slopes) = (layer.start(), layer.worth(), layer.slopes());
        let spread = (2.0 / width.max(1) as f32).sqrt();
        layer.numbers[..start].iter_mut().for_each(|number| *number = around(spread));
        layer.numbers[worth..slopes].iter_mut().for_each(|number| *number = around(0.15));
        layer
    }

    fn zero(&self) -> Vec<f32> {
        vec![0.0; self.numbers.len()]
    }

    fn start(&self) -> usize {
        self.width * self.units
    }

    fn worth(&self) -> usize {
        self.start() + self.units
    }

    fn slopes(&self) -> usize {
        self.worth() + self.units
    }

    fn constant(&self) -> usize {
        self.slopes() + self.width
    }

    /// Adds the gradient of half the squared error of a sample; beyond two spreads an error counts like one of two.
    fn learn(&self, inputs: &[f32], value: f32, gradient: &mut [f32]) {
        const MOST: f32 = 2.0;
        let (units, start) = (self.units, self.start());
        let (worth, slopes, constant) = (self.worth(), self.slopes(), self.constant());
        let mut sums = self.numbers[start..worth].to_vec();
        let mut output = self.numbers[constant];
        for (at, &input) in inputs.iter().enumerate() {
            let row = &self.numbers[at * units..(at + 1) * units];
            sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum += input * weight);
            output += input * self.numbers[slopes + at];
        }
        for (sum, worth) in sums.iter_mut().zip(&self.numbers[worth..slopes]) {
            *sum = sum.max(0.0);
            output += *sum * worth;
        }
        let error = (output - value).clamp(-MOST, MOST);
        gradient[constant] += error;
        let mut back = vec![0.0; units];
        for (unit, &sum) in sums.iter().enumerate() {
            gradient[worth + unit] += error * sum;
            back[unit] = if sum > 0.0 { error * self.numbers[worth + unit] } else { 0.0 };
            gradient[start + unit] += back[unit];
        }
        for (at, &input) in inputs.iter().enumerate() {
            let row = &mut gradient[at * units..(at + 1) * units];
            row.iter_mut().zip(&back).for_each(|(number, back)| *number += input * back);
            gradient[slopes + at] += error * input;
        }
    }

    /// The same function of inputs and values as they are.
    fn unscaled(&self, scales: &[InputScale], outcome: InputScale) -> FittedUnits {
        let UnitLayer { units, numbers, .. } = self;
        let (start, worth, slopes) = (self.start(), self.worth(), self.slopes());
        let mut rows = vec![];
        let mut slope = vec![];
        let mut begin = numbers[start..worth].to_vec();
        let mut constant = outcome.mean + outcome.spread * numbers[self.constant()];
        for (at, scale) in scales.iter().enumerate() {
            let row: Vec<f32> =
                numbers[at * units..(at + 1) * units].iter().map(|number| number / scale.spread).collect();
            begin.iter_mut().zip(&row).for_each(|(begin, number)| *begin -= scale.mean * number);
            rows.push(row);
            let own = numbers[slopes + at] / scale.spread * outcome.spread;
            constant -= own * scale.mean;
            slope.push(own);
        }
        let worth = numbers[worth..slopes].iter().map(|number| number * outcome.spread).collect();
        FittedUnits { slopes: slope, constant, rows, start: begin, worth }
    }
}

/// A layer with the running means of its gradients and of their squares.
struct Adam {
    layer: UnitLayer,
    means: Vec<f32>,
    squares: Vec<f32>,
    /// What is left of the zeros that both began with.
    zeros: [f32; 2],
}

impl Adam {
    fn new(layer: UnitLayer) -> Adam {
        Adam { means: layer.zero(), squares: layer.zero(), layer, zeros: [1.0; 2] }
    }

    fn step(&mut self, gradient: &[f32], rate: f32, decay: f32, count: f32) {
        const KEEP: [f32; 2] = [0.9, 0.999];
        self.zeros = [self.zeros[0] * KEEP[0], self.zeros[1] * KEEP[1]];
        let numbers = self.layer.numbers.iter_mut().zip(gradient);
        for ((number, gradient), (mean, square)) in numbers.zip(self.means.iter_mut().zip(&mut self.squares))
        {
            let gradient = gradient / count + decay * *number;
            *mean = KEEP[0] * *mean + (1.0 - KEEP[0]) * gradient;
            *square = KEEP[1] * *square + (1.0 - KEEP[1]) * gradient * gradient;
            let (mean, square) = (*mean / (1.0 - self.zeros[0]), *square / (1.0 - self.zeros[1]));
            *number -= rate * mean / (square.sqrt() + 1e-8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gradient_is_the_slope_of_the_error() {
        let mut chance = stream(3, Purpose::Training, 1);
        let layer = UnitLayer::random(3, 5, &mut chance);
        let inputs = [0.3, -0.7, 1.1];
        let half_square = |layer: &UnitLayer| {
            let fitted = layer
                .unscaled(&[InputScale { mean: 0.0, spread: 1.0 }; 3], InputScale { mean: 0.0, spread: 1.0 });
            0.5 * (f64::from(fitted.value(&inputs)) - 0.4).powi(2)
        };
        let mut gradient = layer.zero();
        layer.learn(&inputs, 0.4, &mut gradient);
        for at in 0..gradient.len() {
            let moved = |by: f32| {
                let mut layer = layer.clone();
                layer.numbers[at] += by;
                half_square(&layer)
            };
            let slope = (moved(1e-2) - moved(-1e-2)) / 2e-2;
            assert!((slope - f64::from(gradient[at])).abs() < 2e-3, "{at}: {slope} {}", gradient[at]);
        }
    }

    #[test]
    fn a_weighted_sum_is_found_whatever_its_units() {
        let sample = |at: usize| {
            let (x, y) = ((at % 17) as f32 * 100.0, (at % 23) as f32 / 50.0 + 7.0);
            (vec![x, y, 3.0], 1000.0 + 2.0 * x - 500.0 * y)
        };
        let samples: Vec<UnitsSample> = (0..2000).map(sample).collect();
        let plan = UnitsPlan { units: 2, epochs: 60, batch: 32, rate: 0.01, decay: 0.0, seed: 5 };
        let fitted = plan.fit(&samples);
        assert_eq!(fitted, plan.fit(&samples));
        for (inputs, value) in &samples[..100] {
            assert!((fitted.value(inputs) - value).abs() < 20.0, "{value} {}", fitted.value(inputs));
        }
    }
}
