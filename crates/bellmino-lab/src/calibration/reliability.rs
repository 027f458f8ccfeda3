//! Reliability: forecasts held against what came of playing on.

use bellmino_data::plot::{Axis, Figure, Mark, Panel, Point, Series};
use bellmino_engine::guideline::Rules;
use bellmino_search::{Bot, Budget, Calibration, Forecast, LOST_PIECES, fewest};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Sample, SampleResult};
use crate::statistics::Summary;

/// Bins of equally many positions.
const BINS: usize = 10;

/// How well the forecasts for positions of one player fit.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Reliability {
    /// Whose positions they are.
    pub source: String,
    /// Positions.
    pub positions: usize,
    /// Games that were played on from them.
    pub games: usize,
    /// Games of these that were lost.
    pub lost: usize,
    /// The final result, in bins from the lowest forecast to the highest.
    pub results: Vec<Bin>,
    /// The chance that no piece is wasted, where pieces count.
    pub exact: Vec<Bin>,
}

/// Positions with about the same forecast.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Bin {
    /// Positions.
    pub positions: usize,
    /// The mean forecast.
    pub expected: f64,
    /// The mean of what came of it, every position counted alike.
    pub result: f64,
    /// The 95 % interval of that mean.
    pub interval: [f64; 2],
}

impl Bin {
    /// By how much the mean forecast differs from the mean result, as a share of the result.
    pub fn error(&self) -> f64 {
        (self.expected - self.result) / self.result.abs().max(f64::MIN_POSITIVE)
    }
}

impl Reliability {
    /// Holds forecasts against results; the bot thinks this long about each position. Samples of one position must lie together.
    pub fn of(
        source: &str,
        rules: &Rules,
        samples: &[Sample],
        calibration: &Calibration,
        budget: Budget,
    ) -> Reliability {
        let positions: Vec<&[Sample]> = samples.chunk_by(Sample::is_of_the_same_position).collect();
        let held: Vec<Held> = positions
            .into_par_iter()
            .filter_map(|samples| Held::of(samples, rules, calibration, budget))
            .collect();
        let pieces = rules.goal.lines.is_some();
        Reliability {
            source: source.to_owned(),
            positions: held.len(),
            games: samples.len(),
            lost: samples.iter().filter(|sample| sample.result.lost).count(),
            results: bins(held.iter().map(|one| (one.expected, one.result)).collect()),
            exact: if pieces {
                bins(held.iter().map(|one| (one.exact, one.was_exact)).collect())
            } else {
                vec![]
            },
        }
    }

    /// The largest error of a bin, as a share of its result.
    pub fn worst(&self) -> f64 {
        self.results.iter().map(|bin| bin.error().abs()).fold(0.0, f64::max)
    }
}

/// The diagram: what was expected, and what came of it.
pub fn diagram(title: &str, all: &[Reliability]) -> Figure {
    let pieces = all.iter().any(|one| !one.exact.is_empty());
    let what = if pieces { "pieces" } else { "points" };
    let panel = |title: &str, bins: fn(&Reliability) -> &[Bin]| {
        let ends = |end: fn(f64, f64) -> f64, start: f64| {
            all.iter().flat_map(bins).map(|bin| bin.expected).fold(start, end)
        };
        let (low, high) = (ends(f64::min, f64::INFINITY), ends(f64::max, f64::NEG_INFINITY));
        let mut panel = Panel::new(title);
        for one in all {
            let points =
                bins(one).iter().map(|bin| Point::new(bin.expected, bin.result).between(bin.interval));
            panel = panel.with(Series::new(one.source.clone(), Mark::Points).with(points));
        }
        panel.with(Series::new("as expected", Mark::Line).points([(low, low), (high, high)]))
    };
    Figure::new(title)
        .x(Axis::new(format!("expected {what} of the whole game, mean of a bin")))
        .y(Axis::new(format!("{what} it came to")))
        .panels(vec![panel("", |one| &one.results)])
        .sized(720, 480)
}

/// A forecast and what came of the games, on average.
struct Held {
    expected: f64,
    result: f64,
    exact: f64,
    was_exact: f64,
}

impl Held {
    /// Of samples of one position.
    fn of(samples: &[Sample], rules: &Rules, calibration: &Calibration, budget: Budget) -> Option<Held> {
        let sample = samples.first()?;
        let view = sample.view(rules)?;
        let thought = Bot::for_rules(rules).think(&view, budget, None);
        let fewest = fewest(&view);
        let mean = |result: &dyn Fn(&SampleResult) -> f64| {
            samples.iter().map(|sample| result(&sample.result)).sum::<f64>() / samples.len() as f64
        };
        Some(match calibration.forecast(&view, &thought, thought.best()?)? {
            Forecast::Pieces { pieces: expected, exact } => Held {
                expected,
                result: mean(&|came| if came.lost { fewest + LOST_PIECES } else { f64::from(came.pieces) }),
                exact,
                was_exact: mean(&|came| f64::from(u8::from(!came.lost && f64::from(came.pieces) <= fewest))),
            },
            Forecast::Points { to_come } => Held {
                expected: sample.score as f64 + to_come,
                result: mean(&|came| came.points as f64),
                exact: 0.0,
                was_exact: 0.0,
            },
        })
    }
}

/// Pairs of forecast and result in bins of equally many, by forecast.
fn bins(mut pairs: Vec<(f64, f64)>) -> Vec<Bin> {
    pairs.sort_by(|one, other| one.0.total_cmp(&other.0));
    let bound = |bin: usize| bin * pairs.len() / BINS;
    let bin = |bin: usize| {
        let pairs = &pairs[bound(bin)..bound(bin + 1)];
        let results: Vec<f64> = pairs.iter().map(|pair| pair.1).collect();
        let result = Summary::of(&results);
        let expected = pairs.iter().map(|pair| pair.0).sum::<f64>() / pairs.len() as f64;
        Bin { positions: pairs.len(), expected, result: result.mean, interval: result.ci95 }
    };
    (0..BINS).filter(|&number| bound(number) < bound(number + 1)).map(bin).collect()
}

#[cfg(test)]
mod tests {
    use bellmino_engine::guideline::Match;
    use bellmino_engine::{Purpose, stream};

    use super::*;

    /// Games that were played on from one position count as one, with their mean.
    #[test]
    fn a_position_counts_once_however_often_it_was_played_on() {
        let rules = Rules::BLITZ;
        let mut game = Match::new(rules, 3);
        let mut bot = Bot::for_rules(&rules);
        let mut samples = vec![];
        while game.outcome().is_none() {
            let (view, score) = (game.view(), game.stats().score);
            if [340, 350].contains(&view.pieces) {
                let play_on = |time| Sample::play_on(0, &view, score, stream(time, Purpose::Dealer, 0));
                samples.extend([play_on(1), play_on(2), play_on(3)]);
            }
            let thought = bot.think(&view, Budget::nodes(1000), None);
            game.play(&thought.candidates[0].placement).unwrap();
        }
        let points: Vec<u64> = samples.iter().map(|sample| sample.result.points).collect();
        assert!(points[0] != points[1] || points[1] != points[2], "other pieces every time: {points:?}");
        let found = Reliability::of("bot", &rules, &samples, Calibration::shipped(), Budget::nodes(300));
        assert_eq!((found.positions, found.games, found.results.len()), (2, 6, 2));
        let mut means: Vec<f64> =
            points.chunks(3).map(|points| points.iter().sum::<u64>() as f64 / 3.0).collect();
        let mut results: Vec<f64> = found.results.iter().map(|bin| bin.result).collect();
        means.sort_by(f64::total_cmp);
        results.sort_by(f64::total_cmp);
        assert_eq!(results, means);
    }

    #[test]
    fn bins_have_equally_many_from_the_lowest_to_the_highest() {
        let pairs = (0..100).rev().map(|i| (f64::from(i), f64::from(i) + 1.0)).collect();
        let bins = bins(pairs);
        assert_eq!(bins.len(), 10);
        assert_eq!((bins[0].positions, bins[0].expected, bins[0].result), (10, 4.5, 5.5));
        assert!((bins[9].error() + 1.0 / 95.5).abs() < 1e-12);
        assert_eq!(super::bins(vec![]), []);
    }
}
