//! Black-box optimisers that ask for values and are told them: cross-entropy, CMA-ES and SNES.

use bellmino_engine::{Generator, Purpose, stream, unit};
use serde::{Deserialize, Serialize};

use crate::matrix::{self, Matrix};

/// A search for the vector of the largest value, one generation after another.
///
/// What is drawn depends on the seed, the generation and what was told before, and on nothing else: an optimiser that
/// was stored and read again goes on as if nothing had happened.
///
/// ```
/// use bellmino_learn::{CmaEs, Optimiser};
///
/// let mut optimiser = Optimiser::CmaEs(CmaEs::new(vec![3.0, -2.0], 1.0, None, 1));
/// for _ in 0..60 {
///     let candidates = optimiser.ask();
///     let values: Vec<f64> = candidates.iter().map(|x| -(x[0] * x[0] + 10.0 * x[1] * x[1])).collect();
///     optimiser.tell(&values);
/// }
/// assert!(optimiser.mean().iter().all(|x| x.abs() < 1e-3));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Optimiser {
    /// Noisy cross-entropy.
    Cem(Cem),
    /// Covariance matrix adaptation.
    CmaEs(CmaEs),
    /// Separable natural evolution strategy.
    Snes(Snes),
}

impl Optimiser {
    /// The candidates of the present generation: the same until [`tell`](Optimiser::tell) is called.
    pub fn ask(&self) -> Vec<Vec<f64>> {
        match self {
            Optimiser::Cem(cem) => cem.ask(),
            Optimiser::CmaEs(cma_es) => cma_es.ask(),
            Optimiser::Snes(snes) => snes.ask(),
        }
    }

    /// Says what the candidates were worth, larger being better, and goes on to the next generation.
    ///
    /// Anything but one value per candidate is a mistake of the caller and panics.
    pub fn tell(&mut self, values: &[f64]) {
        let candidates = self.ask();
        assert_eq!(values.len(), candidates.len(), "one value per candidate");
        let mut order: Vec<usize> = (0..values.len()).collect();
        // Ties keep their order, so the result never depends on how the sort works. NaN comes last.
        let key = |index: &usize| if values[*index].is_nan() { f64::NEG_INFINITY } else { values[*index] };
        order.sort_by(|a, b| key(b).total_cmp(&key(a)));
        let sorted: Vec<&[f64]> = order.iter().map(|&index| candidates[index].as_slice()).collect();
        match self {
            Optimiser::Cem(cem) => cem.tell(&sorted),
            Optimiser::CmaEs(cma_es) => cma_es.tell(&sorted),
            Optimiser::Snes(snes) => snes.tell(&sorted),
        }
    }

    /// The centre of the search: the answer, when the search is over.
    pub fn mean(&self) -> &[f64] {
        match self {
            Optimiser::Cem(cem) => &cem.mean,
            Optimiser::CmaEs(cma_es) => &cma_es.mean,
            Optimiser::Snes(snes) => &snes.mean,
        }
    }

    /// How many of the best candidates steer the search.
    pub fn elites(&self) -> usize {
        match self {
            Optimiser::Cem(cem) => cem.elites,
            Optimiser::CmaEs(cma_es) => cma_es.population / 2,
            Optimiser::Snes(snes) => snes.population / 2,
        }
    }

    /// Generations told so far.
    pub fn generation(&self) -> u64 {
        match self {
            Optimiser::Cem(cem) => cem.generation,
            Optimiser::CmaEs(cma_es) => cma_es.generation,
            Optimiser::Snes(snes) => snes.generation,
        }
    }
}

/// Noise added to the variances of the cross-entropy method so that it does not settle too soon.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Noise {
    /// None.
    None,
    /// The same in every generation.
    Constant(f64),
    /// `max(start - generation / slowness, 0)`.
    Decreasing {
        /// The noise at first.
        start: f64,
        /// Generations in which it falls by 1.
        slowness: f64,
    },
}

impl Noise {
    fn at(self, generation: u64) -> f64 {
        match self {
            Noise::None => 0.0,
            Noise::Constant(noise) => noise,
            Noise::Decreasing { start, slowness } => (start - generation as f64 / slowness).max(0.0),
        }
    }
}

/// The noisy cross-entropy method: draw from a normal distribution, fit it to the best, add noise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cem {
    mean: Vec<f64>,
    covariance: Matrix,
    /// Only variances, no correlations.
    diagonal: bool,
    population: usize,
    elites: usize,
    /// Elites that take part in the next generation too.
    retain: usize,
    retained: Vec<Vec<f64>>,
    noise: Noise,
    generation: u64,
    seed: u64,
}

impl Cem {
    /// A search from `mean` with variance `scale` in every direction. `elites` of `population` fit the next
    /// distribution; `retain` of them stay.
    pub fn new(mean: Vec<f64>, scale: f64, population: usize, elites: usize, seed: u64) -> Cem {
        let covariance = matrix::diagonal(&vec![scale; mean.len()]);
        let elites = elites.clamp(1, population);
        let noise = Noise::Decreasing { start: 5.0, slowness: 10.0 };
        Cem {
            mean,
            covariance,
            diagonal: false,
            population,
            elites,
            retain: 0,
            retained: Vec::new(),
            noise,
            generation: 0,
            seed,
        }
    }

    /// The same search with variances only.
    pub fn diagonal(mut self, diagonal: bool) -> Cem {
        self.diagonal = diagonal;
        self
    }

    /// The same search with other noise.
    pub fn noise(mut self, noise: Noise) -> Cem {
        self.noise = noise;
        self
    }

    /// The same search with this many elites kept over.
    pub fn retain(mut self, retain: usize) -> Cem {
        self.retain = retain.min(self.elites);
        self
    }

    fn ask(&self) -> Vec<Vec<f64>> {
        let factor = matrix::cholesky(&self.covariance);
        let mut generator = stream(self.seed, Purpose::Training, self.generation);
        let mut candidates: Vec<Vec<f64>> = (0..self.population)
            .map(|_| {
                let step = matrix::times(&factor, &normals(&mut generator, self.mean.len()));
                self.mean.iter().zip(step).map(|(mean, step)| mean + step).collect()
            })
            .collect();
        candidates.extend(self.retained.iter().cloned());
        candidates
    }

    fn tell(&mut self, sorted: &[&[f64]]) {
        let elites = &sorted[..self.elites.min(sorted.len())];
        let count = elites.len() as f64;
        let size = self.mean.len();
        for (i, mean) in self.mean.iter_mut().enumerate() {
            *mean = elites.iter().map(|elite| elite[i]).sum::<f64>() / count;
        }
        let divisor = (count - 1.0).max(1.0);
        for i in 0..size {
            for j in 0..size {
                let deviation = |elite: &&[f64]| (elite[i] - self.mean[i]) * (elite[j] - self.mean[j]);
                let used = i == j || !self.diagonal;
                self.covariance[i][j] =
                    if used { elites.iter().map(deviation).sum::<f64>() / divisor } else { 0.0 };
            }
            self.covariance[i][i] += self.noise.at(self.generation);
        }
        self.retained = elites[..self.retain.min(elites.len())].iter().map(|elite| elite.to_vec()).collect();
        self.generation += 1;
    }
}

/// Covariance matrix adaptation with cumulative step-size control.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CmaEs {
    mean: Vec<f64>,
    sigma: f64,
    covariance: Matrix,
    path_sigma: Vec<f64>,
    path_covariance: Vec<f64>,
    population: usize,
    generation: u64,
    seed: u64,
}

impl CmaEs {
    /// A search from `mean` with steps of about `sigma`, by default with 4 + 3 ln(dimensions) candidates.
    pub fn new(mean: Vec<f64>, sigma: f64, population: Option<usize>, seed: u64) -> CmaEs {
        let size = mean.len();
        let default = 4 + (3.0 * (size as f64).ln()).floor() as usize;
        CmaEs {
            covariance: matrix::diagonal(&vec![1.0; size]),
            path_sigma: vec![0.0; size],
            path_covariance: vec![0.0; size],
            mean,
            sigma,
            population: population.unwrap_or(default).max(4),
            generation: 0,
            seed,
        }
    }

    /// The present size of steps.
    pub fn sigma(&self) -> f64 {
        self.sigma
    }

    fn ask(&self) -> Vec<Vec<f64>> {
        let (values, vectors) = matrix::eigen(&self.covariance);
        let mut generator = stream(self.seed, Purpose::Training, self.generation);
        (0..self.population)
            .map(|_| {
                let normal = normals(&mut generator, self.mean.len());
                let scaled: Vec<f64> =
                    normal.iter().zip(&values).map(|(z, value)| z * value.max(0.0).sqrt()).collect();
                let step = matrix::times(&vectors, &scaled);
                self.mean.iter().zip(step).map(|(mean, step)| mean + self.sigma * step).collect()
            })
            .collect()
    }

    /// The constants and the update are those of Hansen's tutorial, with positive weights only.
    fn tell(&mut self, sorted: &[&[f64]]) {
        let size = self.mean.len();
        let n = size as f64;
        let parents = self.population / 2;
        let raw: Vec<f64> =
            (0..parents).map(|i| (self.population as f64 / 2.0 + 0.5).ln() - (i as f64 + 1.0).ln()).collect();
        let sum: f64 = raw.iter().sum();
        let weights: Vec<f64> = raw.iter().map(|weight| weight / sum).collect();
        let effective = 1.0 / weights.iter().map(|weight| weight * weight).sum::<f64>();
        let c_sigma = (effective + 2.0) / (n + effective + 5.0);
        let damping = 1.0 + 2.0 * (((effective - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0) + c_sigma;
        let c_path = (4.0 + effective / n) / (n + 4.0 + 2.0 * effective / n);
        let c_one = 2.0 / ((n + 1.3) * (n + 1.3) + effective);
        let c_mu = (1.0 - c_one)
            .min(2.0 * (effective - 2.0 + 1.0 / effective) / ((n + 2.0) * (n + 2.0) + effective));
        let chi = n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n));

        let steps: Vec<Vec<f64>> = sorted[..parents]
            .iter()
            .map(|x| x.iter().zip(&self.mean).map(|(x, mean)| (x - mean) / self.sigma).collect())
            .collect();
        let mut step = vec![0.0; size];
        for (weight, one) in weights.iter().zip(&steps) {
            step.iter_mut().zip(one).for_each(|(sum, value)| *sum += weight * value);
        }
        let (values, vectors) = matrix::eigen(&self.covariance);
        // C^(-1/2) times the step.
        let turned = matrix::times(&matrix::transposed(&vectors), &step);
        let whitened: Vec<f64> =
            turned.iter().zip(&values).map(|(x, value)| x / value.max(1e-300).sqrt()).collect();
        let whitened = matrix::times(&vectors, &whitened);
        let rate = (c_sigma * (2.0 - c_sigma) * effective).sqrt();
        for (path, value) in self.path_sigma.iter_mut().zip(&whitened) {
            *path = (1.0 - c_sigma) * *path + rate * value;
        }
        let length = self.path_sigma.iter().map(|x| x * x).sum::<f64>().sqrt();
        let decay = 1.0 - (1.0 - c_sigma).powf(2.0 * (self.generation as f64 + 1.0));
        let h = f64::from(u8::from(length / decay.sqrt() < (1.4 + 2.0 / (n + 1.0)) * chi));
        let rate = h * (c_path * (2.0 - c_path) * effective).sqrt();
        for (path, value) in self.path_covariance.iter_mut().zip(&step) {
            *path = (1.0 - c_path) * *path + rate * value;
        }
        let lost = (1.0 - h) * c_one * c_path * (2.0 - c_path);
        for i in 0..size {
            for j in 0..size {
                let rank_mu: f64 =
                    weights.iter().zip(&steps).map(|(weight, one)| weight * one[i] * one[j]).sum();
                self.covariance[i][j] = (1.0 - c_one - c_mu + lost) * self.covariance[i][j]
                    + c_one * self.path_covariance[i] * self.path_covariance[j]
                    + c_mu * rank_mu;
            }
        }
        for (mean, value) in self.mean.iter_mut().zip(&step) {
            *mean += self.sigma * value;
        }
        self.sigma *= ((c_sigma / damping) * (length / chi - 1.0)).min(1.0).exp();
        self.generation += 1;
    }
}

/// The separable natural evolution strategy: one step size per direction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snes {
    mean: Vec<f64>,
    sigmas: Vec<f64>,
    population: usize,
    generation: u64,
    seed: u64,
}

impl Snes {
    /// A search from `mean` with steps of about `sigma`, by default with 4 + 3 ln(dimensions) candidates.
    pub fn new(mean: Vec<f64>, sigma: f64, population: Option<usize>, seed: u64) -> Snes {
        let default = 4 + (3.0 * (mean.len() as f64).ln()).floor() as usize;
        let population = population.unwrap_or(default).max(4);
        Snes { sigmas: vec![sigma; mean.len()], mean, population, generation: 0, seed }
    }

    fn ask(&self) -> Vec<Vec<f64>> {
        let mut generator = stream(self.seed, Purpose::Training, self.generation);
        (0..self.population)
            .map(|_| {
                let normal = normals(&mut generator, self.mean.len());
                let place = self.mean.iter().zip(&self.sigmas).zip(normal);
                place.map(|((mean, sigma), z)| mean + sigma * z).collect()
            })
            .collect()
    }

    fn tell(&mut self, sorted: &[&[f64]]) {
        let size = self.mean.len();
        let count = sorted.len() as f64;
        let raw: Vec<f64> =
            (0..sorted.len()).map(|i| ((count / 2.0 + 1.0).ln() - (i as f64 + 1.0).ln()).max(0.0)).collect();
        let sum: f64 = raw.iter().sum();
        let utilities: Vec<f64> = raw.iter().map(|utility| utility / sum - 1.0 / count).collect();
        let rate = (3.0 + (size as f64).ln()) / (5.0 * (size as f64).sqrt());
        for i in 0..size {
            let (mean, sigma) = (self.mean[i], self.sigmas[i]);
            let (mut gradient_mean, mut gradient_sigma) = (0.0, 0.0);
            for (utility, x) in utilities.iter().zip(sorted) {
                let z = (x[i] - mean) / sigma;
                gradient_mean += utility * z;
                gradient_sigma += utility * (z * z - 1.0);
            }
            self.mean[i] += sigma * gradient_mean;
            self.sigmas[i] *= (rate / 2.0 * gradient_sigma).exp();
        }
        self.generation += 1;
    }
}

/// Standard normal numbers by the method of Box and Muller.
pub(crate) fn normals(generator: &mut Generator, count: usize) -> Vec<f64> {
    (0..count)
        .map(|_| {
            let radius = (-2.0 * (1.0 - unit(generator)).ln()).sqrt();
            radius * (std::f64::consts::TAU * unit(generator)).cos()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ellipsoid(x: &[f64]) -> f64 {
        -x.iter().enumerate().map(|(i, x)| 10f64.powi(i as i32) * (x - 1.0) * (x - 1.0)).sum::<f64>()
    }

    /// Runs an optimiser, storing and reading it in between, and gives the distance from the optimum.
    fn distance(mut optimiser: Optimiser, generations: u64) -> f64 {
        for generation in 0..generations {
            if generation == generations / 2 {
                let text = serde_json::to_string(&optimiser).unwrap();
                let read: Optimiser = serde_json::from_str(&text).unwrap();
                assert_eq!(read, optimiser);
                optimiser = read;
            }
            let values: Vec<f64> = optimiser.ask().iter().map(|x| ellipsoid(x)).collect();
            optimiser.tell(&values);
        }
        assert_eq!(optimiser.generation(), generations);
        optimiser.mean().iter().map(|x| (x - 1.0).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn all_find_the_top_of_an_ellipsoid() {
        let start = vec![4.0, -3.0, 2.0, 0.0];
        let cem = |noise| Cem::new(start.clone(), 10.0, 100, 25, 3).noise(noise).retain(2);
        // Without noise it may settle a little beside the top.
        assert!(distance(Optimiser::Cem(cem(Noise::None)), 60) < 0.3);
        assert!(distance(Optimiser::Cem(cem(Noise::None).diagonal(true)), 60) < 0.3);
        assert!(distance(Optimiser::Cem(cem(Noise::Decreasing { start: 2.0, slowness: 20.0 })), 80) < 0.3);
        let constant = distance(Optimiser::Cem(cem(Noise::Constant(1.0))), 60);
        assert!((1e-4..2.0).contains(&constant), "noise that stays keeps the search moving: {constant}");
        assert!(distance(Optimiser::CmaEs(CmaEs::new(start.clone(), 1.0, None, 3)), 200) < 1e-6);
        assert!(distance(Optimiser::Snes(Snes::new(start, 1.0, None, 3)), 800) < 1e-3);
    }

    #[test]
    fn values_that_are_no_numbers_come_last() {
        let mut optimiser = Optimiser::Cem(Cem::new(vec![0.0], 1.0, 4, 1, 1).noise(Noise::None));
        let candidates = optimiser.ask();
        optimiser.tell(&[f64::NAN, 1.0, f64::NEG_INFINITY, 0.0]);
        assert_eq!(optimiser.mean(), candidates[1]);
    }
}
