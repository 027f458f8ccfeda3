//! Least squares with a prior.

use crate::matrix::{self, Matrix};

/// A linear fit to weighted sums seen one by one, drawn towards what was believed before.
///
/// ```
/// use bellmino_learn::Regression;
///
/// let mut regression = Regression::new(1);
/// for x in 0..10 {
///     regression.add(&[f64::from(x)], 5.0 + 2.0 * f64::from(x));
/// }
/// // Nearly no belief in 0, then a strong one.
/// let slope = |spread| regression.solve(&[0.0], &[spread], 1.0).unwrap()[0];
/// assert!((slope(1e3) - 2.0).abs() < 1e-3 && slope(1e-3) < 1e-3);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Regression {
    /// Sums of products; the last row and column belong to a constant.
    squares: Matrix,
    products: Vec<f64>,
    square: f64,
}

impl Regression {
    /// A fit in this many numbers and a constant.
    pub fn new(size: usize) -> Regression {
        Regression {
            squares: matrix::diagonal(&vec![0.0; size + 1]),
            products: vec![0.0; size + 1],
            square: 0.0,
        }
    }

    /// Adds a sample.
    pub fn add(&mut self, numbers: &[f64], value: f64) {
        self.add_weighted(numbers, value, 1.0);
    }

    /// Adds a sample that counts for this many.
    pub fn add_weighted(&mut self, numbers: &[f64], value: f64, weight: f64) {
        let all = || numbers.iter().copied().chain([1.0]).enumerate();
        for (i, x) in all().filter(|(_, x)| *x != 0.0) {
            let x = x * weight;
            all().for_each(|(j, y)| self.squares[i][j] += x * y);
            self.products[i] += x * value;
        }
        self.square += weight * value * value;
    }

    /// The variance of the values.
    pub fn variance(&self) -> f64 {
        let last = self.products.len() - 1;
        let count = self.squares[last][last].max(1.0);
        self.square / count - (self.products[last] / count).powi(2)
    }

    /// The most likely weights, if they were believed to be `prior`, give or take `spreads`, and the variance of one sample
    /// is `noise`; `None` if the samples do not determine them.
    pub fn solve(&self, prior: &[f64], spreads: &[f64], noise: f64) -> Option<Vec<f64>> {
        let mut weights = self.solve_with_constant(prior, spreads, noise)?;
        weights.pop();
        Some(weights)
    }

    /// The same with the constant at the end.
    pub fn solve_with_constant(&self, prior: &[f64], spreads: &[f64], noise: f64) -> Option<Vec<f64>> {
        let (mut squares, mut products) = (self.squares.clone(), self.products.clone());
        for (i, (prior, spread)) in prior.iter().zip(spreads).enumerate() {
            squares[i][i] += noise / (spread * spread);
            products[i] += prior * noise / (spread * spread);
        }
        matrix::solve(&squares, &products)
    }
}
