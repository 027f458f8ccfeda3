//! Whether two means differ by more than chance.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// The most pairs for which every way to swap them is tried.
const MAX_SWAPPED: usize = 16;

/// The mean of a first sample minus that of a second, with its interval and how likely so large a difference is by chance.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeanTest {
    /// Which test it is.
    pub method: TestMethod,
    /// The difference of the means.
    pub mean: f64,
    /// Its 95 % interval by Student's t; absent where nothing is known of the spread.
    pub ci95: Option<[f64; 2]>,
    /// How often chance alone gives a difference at least as large, in either direction; absent with the interval.
    pub p: Option<f64>,
}

/// How two samples are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TestMethod {
    /// Pair by pair, over every way to swap the two of a pair: exact, whatever the distribution.
    PairedSwaps,
    /// Pair by pair, by Student's t.
    PairedT,
    /// Welch's t: samples that have nothing to do with each other, each with a spread of its own.
    Welch,
}

impl TestMethod {
    /// The test in words.
    pub fn words(self) -> &'static str {
        match self {
            TestMethod::PairedSwaps => "paired, over every swap",
            TestMethod::PairedT => "paired t test",
            TestMethod::Welch => "Welch's t test",
        }
    }
}

impl MeanTest {
    /// Compares pairs: the same pieces for both. Few pairs are compared over every way to swap the two of a pair, many by
    /// Student's t. `None` without a pair.
    ///
    /// ```
    /// use bellmino_data::{MeanTest, TestMethod};
    ///
    /// let test = MeanTest::paired(&[(3.0, 1.0), (4.0, 2.0), (5.0, 2.0)]).unwrap();
    /// assert_eq!(test.method, TestMethod::PairedSwaps);
    /// // Of eight ways to swap, this one and its mirror image.
    /// assert_eq!(test.p, Some(0.25));
    /// ```
    pub fn paired(pairs: &[(f64, f64)]) -> Option<MeanTest> {
        let differences: Vec<f64> = pairs.iter().map(|(first, second)| first - second).collect();
        let (count, (mean, variance)) = (differences.len() as f64, moments(&differences)?);
        let few = differences.len() <= MAX_SWAPPED;
        let method = if few { TestMethod::PairedSwaps } else { TestMethod::PairedT };
        let t = variance.map(|variance| StudentMean::new(mean, variance / count, count - 1.0));
        let p = if few { t.map(|_| swaps(&differences)) } else { t.and_then(StudentMean::p) };
        Some(MeanTest { method, mean, ci95: t.and_then(StudentMean::ci95), p })
    }

    /// Compares two samples by Welch's t. `None` if one is empty.
    pub fn welch(first: &[f64], second: &[f64]) -> Option<MeanTest> {
        let ((a, variance_a), (b, variance_b)) = (moments(first)?, moments(second)?);
        let t = variance_a.zip(variance_b).map(|(variance_a, variance_b)| {
            let [m, n] = [first.len() as f64, second.len() as f64];
            let (u, v) = (variance_a / m, variance_b / n);
            let freedom = (u + v).powi(2) / (u * u / (m - 1.0) + v * v / (n - 1.0));
            StudentMean::new(a - b, u + v, freedom)
        });
        Some(MeanTest {
            method: TestMethod::Welch,
            mean: a - b,
            ci95: t.and_then(StudentMean::ci95),
            p: t.and_then(StudentMean::p),
        })
    }
}

/// An estimate whose error follows Student's t.
#[derive(Clone, Copy)]
struct StudentMean {
    mean: f64,
    error: f64,
    freedom: f64,
}

impl StudentMean {
    fn new(mean: f64, squared_error: f64, freedom: f64) -> StudentMean {
        StudentMean { mean, error: squared_error.sqrt(), freedom }
    }

    /// Unknown where all values are the same.
    fn distribution(self) -> Option<StudentsT> {
        if self.error > 0.0 { StudentsT::new(0.0, 1.0, self.freedom).ok() } else { None }
    }

    fn ci95(self) -> Option<[f64; 2]> {
        let half = self.distribution()?.inverse_cdf(0.975) * self.error;
        Some([self.mean - half, self.mean + half])
    }

    fn p(self) -> Option<f64> {
        Some(2.0 * self.distribution()?.cdf(-(self.mean / self.error).abs()))
    }
}

/// Mean and, from two values on, variance.
fn moments(sample: &[f64]) -> Option<(f64, Option<f64>)> {
    let count = sample.len() as f64;
    let mean = sample.iter().sum::<f64>() / count;
    let squares: f64 = sample.iter().map(|value| (value - mean).powi(2)).sum();
    (!sample.is_empty()).then(|| (mean, (sample.len() > 1).then(|| squares / (count - 1.0))))
}

/// The share of all ways to swap pairs that give a difference at least as large.
fn swaps(differences: &[f64]) -> f64 {
    let size: f64 = differences.iter().map(|difference| difference.abs()).sum();
    let observed = differences.iter().sum::<f64>().abs() - 1e-9 * size;
    let ways = 1u32 << differences.len();
    let as_large = (0..ways).filter(|swapped| {
        let signed = differences.iter().enumerate();
        let sum: f64 =
            signed.map(|(place, value)| if swapped >> place & 1 == 1 { -value } else { *value }).sum();
        sum.abs() >= observed
    });
    as_large.count() as f64 / f64::from(ways)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Student's own example: hours of sleep gained by ten patients with two drugs.
    const FIRST: [f64; 10] = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
    const SECOND: [f64; 10] = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];

    fn near(found: Option<f64>, expected: f64) {
        let found = found.unwrap();
        assert!((found - expected).abs() < 1e-5, "{found} instead of {expected}");
    }

    #[test]
    fn pairs_against_published_figures() {
        let pairs: Vec<(f64, f64)> = FIRST.into_iter().zip(SECOND).collect();
        let few = MeanTest::paired(&pairs).unwrap();
        assert!((few.mean + 1.58).abs() < 1e-12);
        near(few.ci95.map(|ci| ci[0]), -2.459_886);
        near(few.ci95.map(|ci| ci[1]), -0.700_114);
        // Nine of the differences have the same sign and one is nothing: 4 of 1,024 ways are as large.
        assert_eq!((few.method, few.p), (TestMethod::PairedSwaps, Some(4.0 / 1024.0)));
        // The same pairs as a t test.
        let differences: Vec<f64> = pairs.iter().map(|(a, b)| a - b).collect();
        let (mean, variance) = moments(&differences).unwrap();
        near(StudentMean::new(mean, variance.unwrap() / 10.0, 9.0).p(), 0.002_833);
    }

    #[test]
    fn samples_against_published_figures() {
        let test = MeanTest::welch(&FIRST, &SECOND).unwrap();
        near(test.p, 0.079_394);
        near(test.ci95.map(|ci| ci[0]), -3.365_483);
        near(test.ci95.map(|ci| ci[1]), 0.205_483);
    }

    #[test]
    fn nothing_is_claimed_of_what_has_no_spread() {
        assert_eq!(MeanTest::paired(&[]), None);
        assert_eq!(MeanTest::welch(&[1.0], &[]), None);
        let one = MeanTest::paired(&[(5.0, 2.0)]).unwrap();
        assert_eq!((one.mean, one.ci95, one.p), (3.0, None, None));
        let same = MeanTest::welch(&[5.0, 5.0], &[2.0, 2.0]).unwrap();
        assert_eq!((same.mean, same.ci95, same.p), (3.0, None, None));
        // Swaps need no spread.
        let always = MeanTest::paired(&[(5.0, 2.0); 6]).unwrap();
        assert_eq!((always.ci95, always.p), (None, Some(2.0 / 64.0)));
        let many = MeanTest::paired(&[(5.0, 2.0); 20]).unwrap();
        assert_eq!((many.method, many.p), (TestMethod::PairedT, None));
    }
}
