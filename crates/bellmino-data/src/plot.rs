//! Plots as SVG: figures in a small vocabulary, drawn in one place.
//!
//! ```
//! use bellmino_data::plot::{Axis, Figure, Mark, Series};
//!
//! let rows = Series::new("exact", Mark::Line).points([(1.0, 0.3), (10.0, 3.2), (100.0, 12.9)]);
//! let figure = Figure::new("Expected rows").x(Axis::new("pieces placed").log()).y(Axis::new("rows")).with(rows);
//! assert!(figure.svg()?.starts_with("<svg"));
//! # Ok::<(), bellmino_data::plot::PlotError>(())
//! ```
//!
//! A figure follows the light or dark theme of whoever shows it: colours are those of the light theme, and one style sheet
//! has the dark ones ([`DARK`]). The same figure gives the same bytes.
//!
//! # Files
//! - `draw`: the frame, by the crate plotters
//! - `marks`: what stands in a panel
//! - `scale`: axes and their labels
//! - `theme`: colours, light and dark
//! - `distribution`: histograms with means

mod distribution;
mod draw;
mod marks;
mod scale;
mod theme;

use std::fmt::Write as _;

use crate::text::csv_quoted;

pub use distribution::distribution;
pub use draw::PlotError;
pub use theme::DARK;

/// A figure: panels under each other that share their axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// What it shows.
    pub title: String,
    /// The same in words, for whoever does not see it, and where it comes from.
    pub description: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis of every panel.
    pub y: Axis,
    /// The panels.
    pub panels: Vec<Panel>,
    /// Width and height in CSS pixels.
    pub size: (u32, u32),
}

/// What an axis counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What it is, with its unit.
    pub label: String,
    /// How numbers become places.
    pub scale: Scale,
    /// Zero is shown, whatever the numbers.
    pub zero: bool,
    /// It counts: only whole numbers are written at it.
    pub whole: bool,
    /// Names instead of numbers: name `i` stands at `i`, on a vertical axis the first above the others.
    pub names: Vec<String>,
}

/// How numbers become places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equally far apart.
    #[default]
    Linear,
    /// Equal ratios are equally far apart; what is not above zero is left out.
    Log,
    /// The logarithm of 1 + x: for counts that spread widely and may be zero.
    LogFromZero,
}

/// One panel of a figure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// What tells it from the others; empty if there is one only.
    pub title: String,
    /// What is drawn, the last on top.
    pub series: Vec<Series>,
    /// Lines to compare with.
    pub references: Vec<Reference>,
}

/// Points that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its name in the legend; without one it is not there.
    pub name: String,
    /// How it is drawn.
    pub mark: Mark,
    /// Its points, in the order they are joined in.
    pub points: Vec<Point>,
    /// Its colour, by number; by default its place in the panel.
    pub colour: Option<usize>,
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Points joined by a line; intervals are a band.
    Line,
    /// Points joined by steps: a value holds until the next.
    Steps,
    /// Single points; intervals are whiskers.
    Points,
    /// Bars from zero up, beside those of other series; intervals are whiskers.
    Bars,
    /// Bars from zero to the right, one per name of the vertical axis.
    Rows,
    /// Bars without gaps, as wide as the interval of x.
    Histogram,
    /// Cells of a grid of names, the darker the larger their weight.
    Cells,
}

/// A point of a series.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Point {
    /// Where it is horizontally.
    pub x: f64,
    /// Where it is vertically.
    pub y: f64,
    /// The interval of x.
    pub x_interval: Option<[f64; 2]>,
    /// The interval of y.
    pub y_interval: Option<[f64; 2]>,
    /// A text beside it, or in its cell.
    pub label: String,
    /// What a cell is worth, from 0 to 1.
    pub weight: f64,
}

/// A line across a panel.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Where it is.
    pub at: At,
    /// Its interval, shaded.
    pub interval: Option<[f64; 2]>,
    /// What it is.
    pub label: String,
}

/// A place on one of the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum At {
    /// A vertical line.
    X(f64),
    /// A horizontal line.
    Y(f64),
}

impl Figure {
    /// A figure without data.
    pub fn new(title: impl Into<String>) -> Figure {
        Figure {
            title: title.into(),
            description: String::new(),
            x: Axis::default(),
            y: Axis::default(),
            panels: vec![Panel::default()],
            size: (720, 400),
        }
    }

    /// With this horizontal axis.
    pub fn x(mut self, axis: Axis) -> Figure {
        self.x = axis;
        self
    }

    /// With this vertical axis.
    pub fn y(mut self, axis: Axis) -> Figure {
        self.y = axis;
        self
    }

    /// With this said about it.
    pub fn described(mut self, text: impl Into<String>) -> Figure {
        self.description = text.into();
        self
    }

    /// With this series in its last panel.
    pub fn with(mut self, series: Series) -> Figure {
        self.last().series.push(series);
        self
    }

    /// With this line in its last panel.
    pub fn refer(mut self, at: At, label: impl Into<String>) -> Figure {
        self.last().references.push(Reference { at, interval: None, label: label.into() });
        self
    }

    /// With these panels.
    pub fn panels(mut self, panels: Vec<Panel>) -> Figure {
        self.panels = panels;
        self
    }

    /// In this size, in CSS pixels.
    pub fn sized(mut self, width: u32, height: u32) -> Figure {
        self.size = (width.clamp(160, 4000), height.clamp(120, 20_000));
        self
    }

    /// The figure as an SVG file, with the style sheet of the dark theme.
    pub fn svg(&self) -> Result<String, PlotError> {
        draw::svg(self, true)
    }

    /// The figure as part of a page, which must have [`DARK`] in a style sheet.
    pub fn inline_svg(&self) -> Result<String, PlotError> {
        draw::svg(self, false)
    }

    /// Its points as CSV: panel, series, x, y and the ends of their intervals.
    pub fn csv(&self) -> String {
        let mut text = "panel,series,label,x,y,x_low,x_high,y_low,y_high\n".to_owned();
        for panel in &self.panels {
            for series in &panel.series {
                for point in &series.points {
                    let name = |axis: &Axis, value: f64| match axis.name_at(value) {
                        Some(name) => csv_quoted(name),
                        None => value.to_string(),
                    };
                    let ends = |interval: Option<[f64; 2]>| match interval {
                        Some([low, high]) => format!("{low},{high}"),
                        None => ",".to_owned(),
                    };
                    let _ = writeln!(
                        text,
                        "{},{},{},{},{},{},{}",
                        csv_quoted(&panel.title),
                        csv_quoted(&series.name),
                        csv_quoted(&point.label),
                        name(&self.x, point.x),
                        name(&self.y, point.y),
                        ends(point.x_interval),
                        ends(point.y_interval)
                    );
                }
            }
        }
        text
    }

    fn last(&mut self) -> &mut Panel {
        if self.panels.is_empty() {
            self.panels.push(Panel::default());
        }
        let last = self.panels.len() - 1;
        &mut self.panels[last]
    }
}

impl Axis {
    /// An axis for this, with its unit.
    pub fn new(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), ..Axis::default() }
    }

    /// With equal ratios equally far apart.
    pub fn log(mut self) -> Axis {
        self.scale = Scale::Log;
        self
    }

    /// With numbers on this scale.
    pub fn scaled(mut self, scale: Scale) -> Axis {
        self.scale = scale;
        self
    }

    /// With zero on it.
    pub fn from_zero(mut self) -> Axis {
        self.zero = true;
        self
    }

    /// With whole numbers written at it.
    pub fn counting(mut self) -> Axis {
        self.whole = true;
        self
    }

    /// With names instead of numbers.
    pub fn named(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Axis {
        self.names = names.into_iter().map(Into::into).collect();
        self
    }

    /// The name that stands here.
    fn name_at(&self, value: f64) -> Option<&str> {
        let index = value.round();
        (index >= 0.0).then(|| self.names.get(index as usize)).flatten().map(String::as_str)
    }
}

impl Panel {
    /// A panel of this.
    pub fn new(title: impl Into<String>) -> Panel {
        Panel { title: title.into(), ..Panel::default() }
    }

    /// With this series.
    pub fn with(mut self, series: Series) -> Panel {
        self.series.push(series);
        self
    }
}

impl Series {
    /// A series without points.
    pub fn new(name: impl Into<String>, mark: Mark) -> Series {
        Series { name: name.into(), mark, points: Vec::new(), colour: None }
    }

    /// With these points.
    pub fn points(mut self, points: impl IntoIterator<Item = (f64, f64)>) -> Series {
        self.points.extend(points.into_iter().map(|(x, y)| Point::new(x, y)));
        self
    }

    /// With these points.
    pub fn with(mut self, points: impl IntoIterator<Item = Point>) -> Series {
        self.points.extend(points);
        self
    }

    /// In this colour.
    pub fn coloured(mut self, colour: usize) -> Series {
        self.colour = Some(colour);
        self
    }
}

impl Point {
    /// A point without interval.
    pub fn new(x: f64, y: f64) -> Point {
        Point { x, y, ..Point::default() }
    }

    /// With this interval of y, if it has ends.
    pub fn between(mut self, interval: [f64; 2]) -> Point {
        self.y_interval = bounded(interval);
        self
    }

    /// With this interval of x, if it has ends.
    pub fn across(mut self, interval: [f64; 2]) -> Point {
        self.x_interval = bounded(interval);
        self
    }

    /// With this text.
    pub fn labelled(mut self, label: impl Into<String>) -> Point {
        self.label = label.into();
        self
    }

    /// With this weight.
    pub fn weighing(mut self, weight: f64) -> Point {
        self.weight = weight;
        self
    }
}

/// An interval that can be drawn.
fn bounded(interval: [f64; 2]) -> Option<[f64; 2]> {
    interval.iter().all(|end| end.is_finite()).then_some(interval)
}
