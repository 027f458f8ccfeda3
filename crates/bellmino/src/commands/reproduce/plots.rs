//! Plots of experiments: declared in their files, drawn from what commands print.

use std::path::Path;
use std::time::Instant;

use bellmino_data::numbers;
use bellmino_data::plot::{At, Axis, Figure, Mark, Point, Scale, Series};
use bellmino_data::statistics::Summary;
use serde::Deserialize;
use serde_json::{Value, json};

use super::commands::{self, Commands};
use super::fit::LimitCurve;
use crate::failure::Failure;
use crate::output;

/// A plot: its axes, and series whose points come from commands.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plot {
    /// Its name; with the experiment's it names the files.
    name: String,
    title: String,
    x: AxisText,
    y: AxisText,
    #[serde(default)]
    series: Vec<SeriesText>,
    #[serde(default)]
    reference: Vec<ReferenceText>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AxisText {
    label: String,
    #[serde(default)]
    scale: ScaleText,
    #[serde(default)]
    zero: bool,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ScaleText {
    #[default]
    Linear,
    Log,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum MarkText {
    #[default]
    Line,
    Steps,
    Points,
    Bars,
}

/// A series. `{x}` in its commands is each value of `each`, `{seed}` each of `seeds`, `{dir}` a folder of this run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SeriesText {
    #[serde(default)]
    name: String,
    #[serde(default)]
    mark: MarkText,
    /// Runs before the command, for the files it leaves.
    prepare: Option<String>,
    command: String,
    /// One point for each of these.
    #[serde(default)]
    each: Each,
    /// Or one point for each entry of this list in what the command prints.
    rows: Option<String>,
    /// Where x is in the JSON or in a row; the value of `each` when absent.
    x: Option<String>,
    /// Another command that prints x.
    x_command: Option<String>,
    /// Where y is in the JSON, or in a row.
    y: String,
    /// Where the interval of y is.
    interval: Option<String>,
    /// The mean over these seeds, with its 95 % interval.
    #[serde(default)]
    seeds: Vec<u64>,
    /// A text beside each point.
    #[serde(default)]
    label: String,
    /// Also draw the curve a + b exp(-x / c) of least squares, under this name.
    fit: Option<String>,
}

/// The values of `{x}`.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Each {
    List(Vec<Value>),
    Range { from: i64, to: i64 },
}

impl Default for Each {
    fn default() -> Self {
        Each::List(Vec::new())
    }
}

impl Each {
    /// Each value as it stands in commands; one that is empty if there is none.
    fn values(&self) -> Vec<String> {
        match self {
            Each::List(values) if values.is_empty() => vec![String::new()],
            Each::List(values) => values.iter().map(super::plain).collect(),
            Each::Range { from, to } => (*from..=*to).map(|value| value.to_string()).collect(),
        }
    }
}

/// A line to compare with: a figure that was reported, or one that a command prints.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReferenceText {
    label: String,
    #[serde(default)]
    axis: Which,
    /// Where it is, if somebody reported it or a rule says so.
    at: Option<f64>,
    command: Option<String>,
    field: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Which {
    X,
    #[default]
    Y,
}

impl Plot {
    /// Runs its commands, draws it into a folder and says what was written.
    pub fn draw(
        &self,
        experiment: &str,
        commands: &mut Commands<'_>,
        folder: &Path,
    ) -> Result<Value, Failure> {
        let begin = Instant::now();
        let figure = self.figure(commands)?;
        let stem = format!("{experiment}-{}", self.name);
        let (picture, data) = (folder.join(format!("{stem}.svg")), folder.join(format!("{stem}.csv")));
        output::plot(&picture, &figure)?;
        output::text_file(&data, &figure.csv())?;
        Ok(json!({
            "experiment": experiment, "plot": self.name, "title": self.title, "file": picture, "data": data,
            "seconds": begin.elapsed().as_secs_f64(),
        }))
    }

    /// How many commands it runs, at most.
    pub fn steps(&self) -> usize {
        let runs = |series: &SeriesText| series.each.values().len() * series.seeds.len().max(1);
        self.series.iter().map(runs).sum::<usize>() + self.reference.len()
    }

    fn figure(&self, commands: &mut Commands<'_>) -> Result<Figure, Failure> {
        let mut figure = Figure::new(&self.title).x(self.x.axis()).y(self.y.axis()).sized(760, 420);
        let mut described: Vec<&str> = Vec::new();
        for series in &self.series {
            let points = series.points(commands)?;
            let fit = series.fit.as_ref().and_then(|name| {
                let fit = LimitCurve::through(points.iter().map(|point| (point.x, point.y)))?;
                let curve = points.iter().map(|point| (point.x, fit.at(point.x)));
                let name = format!("{name}, towards {}", numbers::plain(fit.limit, 3));
                Some(Series::new(name, Mark::Line).points(curve))
            });
            figure = figure.with(Series::new(&series.name, series.mark.mark()).with(points));
            figure = fit.into_iter().fold(figure, Figure::with);
            described.push(&series.command);
        }
        for line in &self.reference {
            let at = line.value(commands)?;
            let at = match line.axis {
                Which::X => At::X(at),
                Which::Y => At::Y(at),
            };
            figure = figure.refer(at, &line.label);
        }
        described.dedup();
        Ok(figure.described(format!("From: {}", described.join("; "))))
    }
}

impl SeriesText {
    fn points(&self, commands: &mut Commands<'_>) -> Result<Vec<Point>, Failure> {
        if self.seeds.is_empty() {
            return self.points_of("", commands);
        }
        let runs = self.seeds.iter().map(|seed| self.points_of(&seed.to_string(), commands));
        let runs = runs.collect::<Result<Vec<_>, Failure>>()?;
        Ok(over_runs(&runs))
    }

    fn points_of(&self, seed: &str, commands: &mut Commands<'_>) -> Result<Vec<Point>, Failure> {
        let mut points = Vec::new();
        for (index, x) in self.each.values().iter().enumerate() {
            let fill = |text: &str| text.replace("{x}", x).replace("{seed}", seed);
            if let Some(prepare) = &self.prepare {
                commands.run(&fill(prepare))?;
            }
            let command = fill(&self.command);
            let result = commands.run(&command)?.clone();
            commands.step();
            let other = match &self.x_command {
                Some(x_command) => Some(commands.run(&fill(x_command))?.clone()),
                None => None,
            };
            let label = fill(&self.label);
            if let Some(rows) = &self.rows {
                let rows = commands::at(&result, rows, &command)?.as_array().cloned().unwrap_or_default();
                for row in &rows {
                    points.push(self.point(row, None, &command, None)?.labelled(label.clone()));
                }
            } else {
                // A text is no number: it stands at its place in the list.
                let own = x.parse().unwrap_or(index as f64);
                points.push(self.point(&result, other.as_ref(), &command, Some(own))?.labelled(label));
            }
        }
        Ok(points)
    }

    fn point(
        &self,
        from: &Value,
        x_from: Option<&Value>,
        command: &str,
        own: Option<f64>,
    ) -> Result<Point, Failure> {
        let x = match (&self.x, own) {
            (Some(pointer), _) => number(x_from.unwrap_or(from), pointer, command)?,
            (None, Some(own)) => own,
            (None, None) => {
                let why = format!(
                    "a plot takes rows from `{command}`: give `x`, where x is in a row, such as `/0`"
                );
                return Err(Failure::input(why));
            }
        };
        let point = Point::new(x, number(from, &self.y, command)?);
        match &self.interval {
            Some(pointer) => {
                let low = number(from, &format!("{pointer}/0"), command)?;
                Ok(point.between([low, number(from, &format!("{pointer}/1"), command)?]))
            }
            None => Ok(point),
        }
    }
}

impl ReferenceText {
    fn value(&self, commands: &mut Commands<'_>) -> Result<f64, Failure> {
        match (self.at, &self.command, &self.field) {
            (Some(at), None, None) => Ok(at),
            (None, Some(command), Some(field)) => {
                let value = number(commands.run(command)?, field, command)?;
                commands.step();
                Ok(value)
            }
            _ => {
                let why = format!("the line `{}` of a plot needs `at`, or `command` and `field`", self.label);
                Err(Failure::input(why))
            }
        }
    }
}

impl AxisText {
    fn axis(&self) -> Axis {
        let scale = match self.scale {
            ScaleText::Linear => Scale::Linear,
            ScaleText::Log => Scale::Log,
        };
        Axis { zero: self.zero, ..Axis::new(&self.label).scaled(scale) }
    }
}

impl MarkText {
    fn mark(self) -> Mark {
        match self {
            MarkText::Line => Mark::Line,
            MarkText::Steps => Mark::Steps,
            MarkText::Points => Mark::Points,
            MarkText::Bars => Mark::Bars,
        }
    }
}

/// The mean of runs where all of them have a value, with its 95 % interval.
fn over_runs(runs: &[Vec<Point>]) -> Vec<Point> {
    let [first, others @ ..] = runs else { return Vec::new() };
    let mean = |point: &Point| {
        let same = |run: &Vec<Point>| run.iter().find(|other| other.x == point.x).map(|other| other.y);
        let values: Option<Vec<f64>> = [Some(point.y)].into_iter().chain(others.iter().map(same)).collect();
        let summary = Summary::of(&values?);
        Some(Point { y: summary.mean, ..point.clone() }.between(summary.ci95))
    };
    first.iter().filter_map(mean).collect()
}

fn number(from: &Value, pointer: &str, command: &str) -> Result<f64, Failure> {
    let value = commands::at(from, pointer, command)?;
    let why = || format!("`{command}`: `{pointer}` is {value}, and a plot needs a number");
    value.as_f64().ok_or_else(|| Failure::input(why()))
}
