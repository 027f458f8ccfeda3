//! How results are distributed: a histogram for each player, with mean and interval.

use super::{At, Axis, Figure, Mark, Panel, Point, Reference, Scale, Series};
use crate::numbers;
use crate::statistics::Summary;

/// Bars of a histogram, at most.
const BARS: usize = 40;

/// A figure of samples with names, one under the other: how often which value came, the mean and its 95 % interval.
///
/// Values that are never below zero and spread over more than two orders of magnitude get a scale of ratios.
pub fn distribution(title: &str, what: &str, samples: &[(String, Vec<f64>)]) -> Figure {
    let bins = Bins::over(&samples.iter().map(|(_, sample)| &sample[..]).collect::<Vec<_>>());
    let panels: Vec<Panel> = samples
        .iter()
        .enumerate()
        .map(|(number, (name, sample))| {
            let summary = Summary::of(sample);
            let count = numbers::grouped(sample.len() as f64, 0);
            let mean = if sample.is_empty() {
                "no games".to_owned()
            } else {
                format!("mean {}, {count} games", numbers::with_interval(summary.mean, summary.ci95))
            };
            let title = if name.is_empty() { mean } else { format!("{name}: {mean}") };
            let bars = Series::new("", Mark::Histogram).with(bins.count(sample)).coloured(number);
            let mut panel = Panel::new(title).with(bars);
            if !sample.is_empty() {
                let interval = super::bounded(summary.ci95);
                panel.references.push(Reference { at: At::X(summary.mean), interval, label: String::new() });
            }
            panel
        })
        .collect();
    let height = 96 + 110 * panels.len().max(1) as u32 + if panels.len() == 1 { 110 } else { 0 };
    Figure::new(title)
        .x(Axis { whole: bins.whole, ..Axis::new(what).scaled(bins.scale) })
        .y(Axis::new("games").counting())
        .panels(panels)
        .sized(720, height)
        .described(
            "Bars: how many games gave such a result. Dashed line: the mean; shaded: its 95 % interval",
        )
}

/// The edges of the bars, the same for all samples.
struct Bins {
    scale: Scale,
    /// Every value is a whole number.
    whole: bool,
    edges: Vec<f64>,
}

impl Bins {
    fn over(samples: &[&[f64]]) -> Bins {
        let sorted = |samples: &[&[f64]]| -> Vec<f64> {
            let mut values: Vec<f64> = samples
                .iter()
                .flat_map(|sample| sample.iter())
                .copied()
                .filter(|value| value.is_finite())
                .collect();
            values.sort_by(f64::total_cmp);
            values
        };
        let values = sorted(samples);
        let (Some(&low), Some(&high)) = (values.first(), values.last()) else {
            return Bins { scale: Scale::Linear, whole: false, edges: vec![0.0, 1.0] };
        };
        let is_whole = values.iter().all(|value| value.fract() == 0.0);
        let quantile =
            |values: &[f64], share: f64| values[((values.len() - 1) as f64 * share).round() as usize];
        let is_wide = low >= 0.0 && quantile(&values, 0.95) > 100.0 * quantile(&values, 0.05).max(1.0);
        if is_wide {
            let count = BARS as f64;
            let step = (high.ln_1p() - low.ln_1p()) / count;
            let edge = |index: usize| (low.ln_1p() + step * index as f64).exp_m1();
            let mut edges: Vec<f64> = (0..=BARS).map(edge).collect();
            if is_whole {
                // Between two whole numbers there is nothing to count.
                edges = edges.iter().map(|edge| edge.ceil()).collect();
                edges.dedup();
                edges.push(high + 1.0);
            }
            return Bins { scale: Scale::LogFromZero, whole: is_whole, edges };
        }
        // As wide as the spread of the middle half and the number of games of the narrowest sample suggest (Freedman and
        // Diaconis).
        let by_spread =
            samples.iter().map(|sample| sorted(&[sample])).filter(|sample| !sample.is_empty()).map(
                |sample| {
                    2.0 * (quantile(&sample, 0.75) - quantile(&sample, 0.25)) / (sample.len() as f64).cbrt()
                },
            );
        let by_spread = by_spread.filter(|wide| *wide > 0.0).reduce(f64::min).unwrap_or(0.0);
        let mut wide = by_spread.max((high - low) / BARS as f64);
        if is_whole {
            wide = wide.ceil().max(1.0);
        }
        if wide <= 0.0 {
            wide = 1.0;
        }
        let start = if is_whole { low - 0.5 } else { low };
        let count = (((high - start) / wide).floor() as usize + 1).min(4 * BARS);
        let edges = (0..=count).map(|index| start + wide * index as f64).collect();
        Bins { scale: Scale::Linear, whole: is_whole, edges }
    }

    fn count(&self, sample: &[f64]) -> Vec<Point> {
        let mut counts = vec![0u64; self.edges.len().saturating_sub(1)];
        for value in sample.iter().filter(|value| value.is_finite()) {
            let after = self.edges.partition_point(|edge| edge <= value);
            if let Some(count) =
                counts.get_mut(after.saturating_sub(1).min(self.edges.len().saturating_sub(2)))
            {
                *count += 1;
            }
        }
        let bars = self.edges.windows(2).zip(counts);
        bars.map(|(ends, count)| {
            Point::new(f64::midpoint(ends[0], ends[1]), count as f64).across([ends[0], ends[1]])
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_counted_once() {
        for sample in [
            vec![3.0],
            vec![5.0; 40],
            vec![0.0, 1.0, 2.0, 2.0, 3.0, 10.0],
            vec![0.25, 0.5, 0.75, 1.0],
            (0..500).map(|index| f64::from(index).powi(3)).collect(),
            (0..90).map(|index| (f64::from(index) * 0.2).exp()).collect(),
        ] {
            let bins = Bins::over(&[&sample]);
            let counted: f64 = bins.count(&sample).iter().map(|point| point.y).sum();
            assert_eq!(counted, sample.len() as f64, "{sample:?}");
            assert!(bins.edges.windows(2).all(|pair| pair[0] < pair[1]), "{:?}", bins.edges);
        }
    }

    #[test]
    fn bars_of_whole_numbers_are_around_them() {
        let bins = Bins::over(&[&[100.0, 101.0, 101.0, 102.0]]);
        assert_eq!(bins.edges, [99.5, 100.5, 101.5, 102.5]);
    }
}
