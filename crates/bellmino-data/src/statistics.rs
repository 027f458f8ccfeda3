//! Summaries of samples, and confidence intervals.

use schemars::JsonSchema;
use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Gamma, StudentsT};

/// Mean, spread and range of a sample.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Summary {
    /// Arithmetic mean.
    pub mean: f64,
    /// Standard deviation of the sample (divisor n - 1).
    pub sd: f64,
    /// 95 % interval of the mean by Student's t; without bounds (in JSON: null) where one value tells nothing of it.
    pub ci95: [f64; 2],
    /// Smallest value.
    pub min: f64,
    /// Middle value, or the mean of the two middle ones.
    pub median: f64,
    /// Largest value.
    pub max: f64,
}

impl Summary {
    /// Summarises a sample; an empty one gives zeros.
    ///
    /// ```
    /// let summary = bellmino_data::statistics::Summary::of(&[1.0, 2.0, 6.0]);
    /// assert_eq!((summary.mean, summary.median, summary.max), (3.0, 2.0, 6.0));
    /// ```
    pub fn of(sample: &[f64]) -> Summary {
        if sample.is_empty() {
            return Summary { mean: 0.0, sd: 0.0, ci95: [0.0; 2], min: 0.0, median: 0.0, max: 0.0 };
        }
        let count = sample.len() as f64;
        let mean = sample.iter().sum::<f64>() / count;
        let squares: f64 = sample.iter().map(|value| (value - mean).powi(2)).sum();
        let sd = if sample.len() > 1 { (squares / (count - 1.0)).sqrt() } else { 0.0 };
        let half = if sample.len() > 1 { t975(count - 1.0) * sd / count.sqrt() } else { f64::INFINITY };
        let mut sorted = sample.to_vec();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        let median =
            if sorted.len() % 2 == 1 { sorted[middle] } else { (sorted[middle - 1] + sorted[middle]) / 2.0 };
        Summary {
            mean,
            sd,
            ci95: [mean - half, mean + half],
            min: sorted[0],
            median,
            max: sorted[sorted.len() - 1],
        }
    }
}

/// Lines per lost game: exposure over losses, with the exact Poisson interval.
///
/// Games that were stopped count with their lines but without a loss, so the estimate is not biased by a cap.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PerLoss {
    /// Lines per loss; absent without a loss.
    pub mean: Option<f64>,
    /// Exact 95 % interval; the upper end is absent without a loss.
    pub ci95: [Option<f64>; 2],
    /// Lost games.
    pub losses: u64,
}

impl PerLoss {
    /// The estimate from `exposure` lines in which `losses` games were lost.
    pub fn new(exposure: f64, losses: u64) -> PerLoss {
        let count = losses as f64;
        // Losses are Poisson with mean exposure / x; the quantiles of the Gamma distribution bound that mean.
        let most = quantile(count + 1.0, 0.975);
        let least = (losses > 0).then(|| quantile(count, 0.025));
        PerLoss {
            mean: (losses > 0).then(|| exposure / count),
            ci95: [Some(exposure / most), least.map(|least| exposure / least)],
            losses,
        }
    }
}

fn quantile(shape: f64, probability: f64) -> f64 {
    Gamma::new(shape, 1.0).map_or(f64::NAN, |gamma| gamma.inverse_cdf(probability))
}

/// The 97.5 % quantile of Student's t.
fn t975(freedom: f64) -> f64 {
    if freedom > 1e5 {
        return 1.959_963_984_540_054;
    }
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::NAN, |t| t.inverse_cdf(0.975))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_quantiles() {
        // Tables of Student's t.
        for (freedom, expected) in [(1.0, 12.706), (10.0, 2.228), (100.0, 1.984), (1e6, 1.960)] {
            assert!((t975(freedom) - expected).abs() < 1e-3, "{freedom}");
        }
    }

    #[test]
    fn exact_poisson_interval() {
        // Exact 95 % limits for the mean of a Poisson count of 10: 4.795 to 18.390; of 0: 0 to 3.689.
        let ten = PerLoss::new(1000.0, 10);
        assert_eq!(ten.mean, Some(100.0));
        assert!((ten.ci95[0].unwrap() - 1000.0 / 18.390).abs() < 0.01);
        assert!((ten.ci95[1].unwrap() - 1000.0 / 4.795).abs() < 0.05);
        let none = PerLoss::new(1000.0, 0);
        assert_eq!((none.mean, none.ci95[1]), (None, None));
        assert!((none.ci95[0].unwrap() - 1000.0 / 3.689).abs() < 0.05);
    }

    #[test]
    fn summary_of_small_samples() {
        // One value says nothing about how far the next one may be.
        let one = Summary::of(&[4.0]);
        assert_eq!((one.mean, one.sd, one.ci95), (4.0, 0.0, [f64::NEG_INFINITY, f64::INFINITY]));
        let four = Summary::of(&[1.0, 3.0, 5.0, 7.0]);
        assert_eq!((four.mean, four.median), (4.0, 4.0));
        assert!((four.sd - 2.581_988_897).abs() < 1e-9);
    }
}
