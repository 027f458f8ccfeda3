//! Learning curves as figures.

use bellmino_data::plot::{Axis, Figure, Mark, Point, Scale, Series};

use super::course::Course;
use super::{TdRuns, Training};

/// The learning curve of a training, as far as it is.
pub fn learning_curve(training: &Training) -> Figure {
    let course = training.course();
    let (shown, label): (&[&str], &str) = match course {
        Course::Search(_) | Course::Drill(_) => (&["best", "elite", "mean"], "worth of candidates"),
        Course::Tune(_) => (&["best", "mean"], "worth of candidates"),
        Course::Td(_) => (&["score"], "score of the episode (points)"),
        Course::Cbmpi(_) => (&["lines"], "lines per game"),
        Course::Tuples(_) => (&["score"], "score of the games of the step (points)"),
    };
    let (columns, rows) = (course.columns(), course.rows());
    let place = |name: &str| columns.iter().position(|column| *column == name);
    let series: Vec<Series> = shown
        .iter()
        .filter_map(|name| {
            let column = place(name)?;
            let points = rows.iter().filter_map(|row| Some((*row.first()?, *row.get(column)?)));
            let name = if shown.len() == 1 { "" } else { name };
            Some(Series::new(name, Mark::Line).points(points))
        })
        .collect();
    let (method, game) = (training.method(), training.ground().name());
    let title = format!("Learning curve: {method} on {game}, seed {}", training.config().seed);
    let step = columns.first().copied().unwrap_or("step");
    let y = Axis::new(label).scaled(scale(&series));
    series.into_iter().fold(Figure::new(title).x(Axis::new(step).counting()).y(y), Figure::with)
}

impl TdRuns {
    /// The mean learning curve with its 95 % interval.
    pub fn figure(&self, game: &str) -> Figure {
        let points = self.curve.iter().map(|at| Point::new(at.episode as f64, at.mean).between(at.ci95));
        let series = Series::new("mean with its 95 % interval", Mark::Line).with(points);
        Figure::new(format!(
            "Learning curve: td on {game}, {} runs, seeds from {}",
            self.runs, self.plan.seed
        ))
        .x(Axis::new("episode").counting())
        .y(Axis::new("score of the episode (points)").scaled(scale(std::slice::from_ref(&series))))
        .with(series)
    }
}

/// Ratios where values are above zero and differ by a factor of a hundred, else differences.
fn scale(series: &[Series]) -> Scale {
    let values = || series.iter().flat_map(|series| &series.points).map(|point| point.y);
    let (low, high) =
        values().fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), y| (low.min(y), high.max(y)));
    if low > 0.0 && high > 100.0 * low { Scale::Log } else { Scale::Linear }
}
