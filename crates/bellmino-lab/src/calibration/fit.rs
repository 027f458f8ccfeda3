//! Fitting: the numbers of a forecast from samples, by generalised least squares.

use bellmino_engine::guideline::Rules;
use bellmino_learn::Regression;
use bellmino_search::{Bot, Budget, Calibration, Estimate, LOST_PIECES, Signs, fewest};
use rayon::prelude::*;

use super::{CalibrationError, Sample};

/// How long the bot thinks about the positions that forecasts are fitted to: they must hold for any.
const THOUGHTS: [Budget; 3] = [Budget::nodes(1000), Budget::nodes(5000), Budget::nodes(40_000)];

/// The same calibration with new numbers for games of these rules.
pub fn fit(before: &Calibration, rules: &Rules, samples: &[Sample]) -> Result<Calibration, CalibrationError> {
    let seen: Vec<Case> = samples.par_iter().flat_map_iter(|sample| cases(rules, sample)).collect();
    let few = || CalibrationError::TooFew(samples.len());
    let rows =
        |wanted: Estimate| seen.iter().filter_map(move |case| case.row(wanted)).collect::<Vec<FitRow>>();
    let mut fitted = vec![];
    for estimate in Estimate::ALL {
        let of_rows = !matches!(estimate, Estimate::Points | Estimate::Survival);
        if of_rows != rules.goal.lines.is_some() {
            fitted.push(before.weights(estimate).to_vec());
            continue;
        }
        fitted.push(fitted_to(&rows(estimate), Link::of(estimate), &prior(estimate)).ok_or_else(few)?);
    }
    Ok(Calibration::new(|estimate| fitted[estimate as usize].clone()))
}

/// What a thought about a sample says, and what came of it.
struct Case {
    signs: Signs,
    /// Points still to come, or pieces beyond the fewest.
    result: f64,
    exact: bool,
    lost: bool,
    left: f64,
}

/// Terms, the last of them 1, what they should come to, and how much it counts.
type FitRow = (Vec<f64>, f64, f64);

fn cases(rules: &Rules, sample: &Sample) -> Vec<Case> {
    let Some(view) = sample.view(rules) else { return vec![] };
    let result = &sample.result;
    let waste = f64::from(result.pieces) - fewest(&view);
    let lost = result.lost;
    let exact = !lost && waste <= 0.0;
    let result = match rules.goal.lines {
        None => (result.points - sample.score) as f64,
        Some(_) if lost => LOST_PIECES,
        Some(_) => waste.max(0.0),
    };
    let left = f64::from(rules.goal.pieces_left(view.pieces).unwrap_or(0));
    let case = |budget: Budget| {
        let thought = Bot::for_rules(rules).think(&view, budget, None);
        let signs = Signs::of(&view, &thought, thought.best()?)?;
        Some(Case { signs, result, exact, lost, left })
    };
    THOUGHTS.into_iter().filter_map(case).collect()
}

impl Case {
    /// What it says about an estimate, if anything.
    fn row(&self, wanted: Estimate) -> Option<FitRow> {
        let [exact, survived] = [self.exact, !self.lost].map(|is| f64::from(u8::from(is)));
        let (terms, value, weight) = match (wanted, &self.signs) {
            // The more is to come, the more it varies.
            (Estimate::Points, Signs::Points(terms, _)) if !self.lost => {
                (terms, self.result, 1.0 / (self.left + 10.0))
            }
            (Estimate::Survival, Signs::Points(_, terms)) => (terms, survived, 1.0),
            (Estimate::Waste, Signs::Stack(terms)) => (terms, self.result, 1.0),
            (Estimate::Exact, Signs::Stack(terms)) | (Estimate::Chance, Signs::Chance(terms)) => {
                (terms, exact, 1.0)
            }
            (Estimate::Missed, Signs::Chance(_)) if !self.exact => {
                return Some((vec![1.0], self.result, 1.0));
            }
            _ => return None,
        };
        Some((terms.clone(), value, weight))
    }
}

/// What the weighted sum of terms stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Link {
    Itself,
    Logarithm,
    LogOdds,
}

impl Link {
    fn of(estimate: Estimate) -> Link {
        match estimate {
            Estimate::Points => Link::Itself,
            Estimate::Waste | Estimate::Missed => Link::Logarithm,
            Estimate::Survival | Estimate::Exact | Estimate::Chance => Link::LogOdds,
        }
    }

    /// The mean that a sum stands for, and how much it changes with the sum.
    fn mean(self, sum: f64) -> (f64, f64) {
        match self {
            Link::Itself => (sum, 1.0),
            Link::Logarithm => (sum.exp(), sum.exp()),
            Link::LogOdds => {
                let mean = 1.0 / (1.0 + (-sum).exp());
                (mean, mean * (1.0 - mean))
            }
        }
    }
}

/// What is believed of each weight but the last before anything is seen, and how firmly: the search is taken at its word
/// unless the samples say otherwise, and what they do not determine stays at 0.
fn prior(estimate: Estimate) -> Vec<(f64, f64)> {
    let terms = estimate.terms().split_last().map_or(&[][..], |(_, terms)| terms);
    let belief = |term: &&str| match (estimate, *term) {
        (Estimate::Points, "value") => (1.0, 0.2),
        (Estimate::Points, _) => (0.0, 1e4),
        (Estimate::Chance, "odds") => (1.0, 0.25),
        _ => (0.0, 5.0),
    };
    terms.iter().map(belief).collect()
}

/// The most likely weights under a prior, by least squares again and again.
fn fitted_to(rows: &[FitRow], link: Link, prior: &[(f64, f64)]) -> Option<Vec<f64>> {
    const ROUNDS: usize = 40;
    /// The variance of points to come with one piece left, about.
    const POINTS: f64 = 2e4;
    let size = rows.first()?.0.len();
    let (means, spreads): (Vec<f64>, Vec<f64>) = prior.iter().copied().unzip();
    let mut weights = vec![0.0; size];
    if link == Link::Logarithm {
        let mean = rows.iter().map(|row| row.1).sum::<f64>() / rows.len() as f64;
        weights[size - 1] = mean.max(1e-6).ln();
    }
    for _ in 0..if link == Link::Itself { 1 } else { ROUNDS } {
        let mut regression = Regression::new(size - 1);
        for (terms, value, weight) in rows {
            let sum: f64 = weights.iter().zip(terms).map(|(weight, term)| weight * term).sum();
            let sum = if link == Link::Itself { sum } else { sum.clamp(-8.0, 8.0) };
            let (mean, slope) = link.mean(sum);
            let slope = slope.max(1e-9);
            regression.add_weighted(&terms[..size - 1], sum + (value - mean) / slope, weight * slope);
        }
        let noise = if link == Link::Itself { POINTS } else { 1.0 };
        weights = regression.solve_with_constant(&means, &spreads, noise)?;
    }
    weights.iter().all(|weight| weight.is_finite()).then_some(weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellmino_engine::{Purpose, stream, unit};

    /// Samples drawn from a known model give it back.
    #[test]
    fn models_are_found_again() {
        let mut chance = stream(1, Purpose::Training, 0);
        for (link, truth) in [
            (Link::Itself, [3.0, -2.0, 1.0]),
            (Link::Logarithm, [0.8, -0.5, 0.3]),
            (Link::LogOdds, [1.5, -1.0, 0.5]),
        ] {
            let rows: Vec<FitRow> = (0..20_000)
                .map(|_| {
                    let terms = vec![unit(&mut chance) * 2.0, unit(&mut chance) * 2.0, 1.0];
                    let sum: f64 = truth.iter().zip(&terms).map(|(weight, term)| weight * term).sum();
                    let (mean, _) = link.mean(sum);
                    // Noise of mean 0, or a chance that is taken.
                    let value = match link {
                        Link::LogOdds => f64::from(u8::from(unit(&mut chance) < mean)),
                        _ => mean * 2.0 * unit(&mut chance),
                    };
                    (terms, value, 1.0)
                })
                .collect();
            let found = fitted_to(&rows, link, &[(0.0, 1e3); 2]).unwrap();
            for (found, truth) in found.iter().zip(truth) {
                assert!((found - truth).abs() < 0.15, "{link:?}: {found} instead of {truth}");
            }
        }
        assert_eq!(fitted_to(&[], Link::Itself, &[]), None);
    }
}
