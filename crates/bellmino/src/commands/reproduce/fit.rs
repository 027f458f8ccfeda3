//! Curves through points, by least squares.

/// The curve a + b exp(-x / c): something that approaches a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitCurve {
    /// What it approaches: a.
    pub limit: f64,
    /// How far it is from that at x = 0: b.
    pub distance: f64,
    /// How slowly it approaches it: c.
    pub slowness: f64,
}

/// How many values of c are tried.
const TRIED: u32 = 400;

impl LimitCurve {
    /// The one of least squares; `None` if there are fewer than three points, or they have one x.
    pub fn through(points: impl Iterator<Item = (f64, f64)>) -> Option<LimitCurve> {
        let points: Vec<(f64, f64)> = points.filter(|(x, y)| x.is_finite() && y.is_finite()).collect();
        let ends = points.iter().map(|(x, _)| *x);
        let spread = ends.clone().fold(f64::NEG_INFINITY, f64::max) - ends.fold(f64::INFINITY, f64::min);
        if points.len() < 3 || spread <= 0.0 {
            return None;
        }
        // For a given c the curve is a line in exp(-x / c); c itself is found among values in even ratios, up to a third of
        // the way: what has not levelled off by the end says nothing about a limit.
        let slowness = |index: u32| spread * 1e-3 * 333f64.powf(f64::from(index) / f64::from(TRIED));
        let fits = (0..=TRIED).filter_map(|index| line(&points, slowness(index)));
        fits.min_by(|(_, one), (_, other)| one.total_cmp(other)).map(|(fit, _)| fit)
    }

    /// Its height here.
    pub fn at(&self, x: f64) -> f64 {
        self.limit + self.distance * (-x / self.slowness).exp()
    }
}

/// The best a and b for this c, and the sum of squares that is left.
fn line(points: &[(f64, f64)], slowness: f64) -> Option<(LimitCurve, f64)> {
    let count = points.len() as f64;
    let decayed = || points.iter().map(|(x, y)| ((-x / slowness).exp(), *y));
    let (sum_u, sum_y) = decayed().fold((0.0, 0.0), |(su, sy), (u, y)| (su + u, sy + y));
    let (mean_u, mean_y) = (sum_u / count, sum_y / count);
    let square: f64 = decayed().map(|(u, _)| (u - mean_u).powi(2)).sum();
    let product: f64 = decayed().map(|(u, y)| (u - mean_u) * (y - mean_y)).sum();
    if square <= 0.0 {
        return None;
    }
    let distance = product / square;
    let fit = LimitCurve { limit: mean_y - distance * mean_u, distance, slowness };
    let left: f64 = points.iter().map(|(x, y)| (y - fit.at(*x)).powi(2)).sum();
    left.is_finite().then_some((fit, left))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_curve_that_made_the_points() {
        let truth = LimitCurve { limit: 13.2, distance: -9.0, slowness: 25.0 };
        let points = (1..=200).map(|x| (f64::from(x), truth.at(f64::from(x))));
        let fit = LimitCurve::through(points).unwrap();
        assert!((fit.limit - truth.limit).abs() < 0.01, "{fit:?}");
        assert!((fit.slowness / truth.slowness - 1.0).abs() < 0.03, "{fit:?}");
    }

    #[test]
    fn no_curve_through_too_little() {
        assert_eq!(LimitCurve::through([(1.0, 2.0), (2.0, 3.0)].into_iter()), None);
        assert_eq!(LimitCurve::through([(1.0, 2.0), (1.0, 3.0), (1.0, 4.0)].into_iter()), None);
    }
}
