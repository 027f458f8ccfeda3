//! Figures drawn, by `plotters`.

use std::fmt::{Debug, Display, Write as _};

use plotters::coord::Shift;
use plotters::coord::ranged1d::ValueFormatter;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::scale::Ruler;
use super::theme::{AXIS, BACKGROUND, DARK, GRID, LARGE, MEDIUM, SMALL, TEXT, UNIT, width};
use super::{At, Axis, Figure, Mark, Panel};
use crate::text::{escaped, shortened, visible};

/// Why a figure could not be drawn.
#[derive(Debug, thiserror::Error)]
#[error("cannot draw the figure: {0}")]
pub struct PlotError(String);

/// Where is drawn.
pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// A panel with its axes.
pub(super) type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Ruler, Ruler>>;

/// The figure as SVG; a file of its own has a style sheet.
pub(super) fn svg(figure: &Figure, alone: bool) -> Result<String, PlotError> {
    let mut text = String::new();
    let (width, height) = figure.size;
    {
        let size = (width * UNIT as u32, height * UNIT as u32);
        let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
        let drawing = Drawing { figure, names: figure.names() };
        drawing.draw(&root).map_err(failed)?;
        root.present().map_err(failed)?;
    }
    let body = text.split_once('\n').map_or("", |(_, body)| body);
    let body = body.replace(" opacity=\"1\"", "").replace(" stroke=\"none\"", "").replace(" \"/>", "\"/>");
    let mut whole = format!(
        "<svg class=\"plot\" role=\"img\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {} {}\" \
         xmlns=\"http://www.w3.org/2000/svg\">\n<title>{}</title>\n<desc>{}</desc>\n",
        width * UNIT as u32,
        height * UNIT as u32,
        escaped(&figure.title),
        escaped(&figure.in_words()),
    );
    if alone {
        let _ = writeln!(whole, "<style>\n{DARK}</style>");
    }
    Ok(whole + &body)
}

fn failed(error: impl Debug + Display) -> PlotError {
    PlotError(error.to_string())
}

impl Figure {
    /// The names in the legend, in the order they appear.
    fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for series in self.panels.iter().flat_map(|panel| &panel.series) {
            if !series.name.is_empty() && !names.contains(&series.name.as_str()) {
                names.push(&series.name);
            }
        }
        names
    }

    /// What is drawn, for whoever does not see it.
    fn in_words(&self) -> String {
        let mut words = self.description.clone();
        if !words.is_empty() && !words.ends_with('.') {
            words.push('.');
        }
        let axes = [("Horizontal", &self.x), ("Vertical", &self.y)];
        for (which, axis) in axes.into_iter().filter(|(_, axis)| !axis.label.is_empty()) {
            let _ = write!(words, " {which}: {}.", axis.label);
        }
        for panel in &self.panels {
            for series in &panel.series {
                let name = match (panel.title.is_empty(), series.name.is_empty()) {
                    (false, false) => format!("{}, {}", panel.title, series.name),
                    (false, true) => panel.title.clone(),
                    (true, _) => series.name.clone(),
                };
                let _ = write!(words, " {name}: {} points.", series.points.len());
            }
        }
        words.trim().to_owned()
    }
}

pub(super) struct Drawing<'f> {
    pub(super) figure: &'f Figure,
    pub(super) names: Vec<&'f str>,
}

pub(super) type DrawError = DrawingAreaErrorKind<std::io::Error>;

impl Drawing<'_> {
    fn draw(&self, root: &Area<'_>) -> Result<(), DrawError> {
        root.fill(&BACKGROUND)?;
        let (figure, side) = (self.figure, 14.0);
        let whole = f64::from(figure.size.0);
        let mut top = 10.0;
        // Bold letters are wider.
        for line in broken(&figure.title, (whole - 2.0 * side) / 1.12, LARGE) {
            self.text(root, &line, (side, top), style(LARGE, true))?;
            top += LARGE * 1.35;
        }
        top = self.legend(root, side, top + 4.0, whole - 2.0 * side)?;
        if figure.panels.iter().all(|panel| panel.series.iter().all(|series| series.points.is_empty())) {
            return self.text(root, "no data", (side, top + 10.0), style(MEDIUM, false));
        }
        let (_, below) = root.split_vertically(units(top));
        let rulers = self.rulers(top);
        let mut area = below;
        let count = figure.panels.len();
        let left = f64::from(area.dim_in_pixel().1) / f64::from(UNIT) - self.below();
        for (index, panel) in figure.panels.iter().enumerate() {
            let is_last = index + 1 == count;
            let (this, rest) = if is_last {
                (area.clone(), area.clone())
            } else {
                area.split_vertically(units(left / count as f64))
            };
            self.panel(&this, panel, &rulers, is_last)?;
            area = rest;
        }
        Ok(())
    }

    /// Both axes, over the points of all panels.
    fn rulers(&self, top: f64) -> (Ruler, Ruler) {
        let figure = self.figure;
        let points = || figure.panels.iter().flat_map(|panel| &panel.series).flat_map(|s| &s.points);
        let references = || figure.panels.iter().flat_map(|panel| &panel.references);
        let ends = |interval: Option<[f64; 2]>| interval.into_iter().flatten();
        let has = |marks: &[Mark]| {
            figure.panels.iter().flat_map(|panel| &panel.series).any(|series| marks.contains(&series.mark))
        };
        let xs = points().flat_map(|point| [point.x].into_iter().chain(ends(point.x_interval)));
        let ys = points().flat_map(|point| [point.y].into_iter().chain(ends(point.y_interval)));
        let on_x = |at: At| if let At::X(at) = at { Some(at) } else { None };
        let on_y = |at: At| if let At::Y(at) = at { Some(at) } else { None };
        let xs: Vec<f64> = xs.chain(references().filter_map(|line| on_x(line.at))).collect();
        let ys: Vec<f64> = ys.chain(references().filter_map(|line| on_y(line.at))).collect();
        let mut x = figure.x.clone();
        let mut y = Axis {
            names: figure.y.names.iter().map(|name| shortened(name, 40)).collect(),
            ..figure.y.clone()
        };
        x.zero |= has(&[Mark::Rows]);
        y.zero |= has(&[Mark::Bars, Mark::Histogram]);
        let height = (f64::from(figure.size.1) - top) / figure.panels.len() as f64;
        let y_labels =
            if y.names.is_empty() { (height / 45.0).clamp(2.0, 8.0) } else { (height / 14.0).max(1.0) };
        let y = Ruler::new(&y, ys, y_labels as usize).downwards();
        // Labels may be as wide as the longest of them needs.
        let room = f64::from(figure.size.0) - self.beside(&y);
        let wanted = (room / 80.0).clamp(2.0, 10.0) as usize;
        x.names = x.names.iter().map(|name| shortened(name, 28)).collect();
        let first = Ruler::new(&x, xs.iter().copied(), wanted.max(x.names.len()));
        let widest = first.labels().iter().map(|(_, text)| width(text, SMALL)).fold(0.0, f64::max);
        let fitting = (room / (widest + 12.0)).max(1.0) as usize;
        let labels = if x.names.is_empty() { wanted.min(fitting) } else { fitting };
        (Ruler::new(&x, xs, labels), y)
    }

    /// The room beside a panel, for the labels and the name of its vertical axis.
    fn beside(&self, y: &Ruler) -> f64 {
        let widest = y.labels().iter().map(|(_, text)| width(text, SMALL)).fold(0.0, f64::max);
        let name = if self.figure.y.label.is_empty() { 0.0 } else { MEDIUM * 1.7 };
        widest.min(f64::from(self.figure.size.0) * 0.45) + 16.0 + name
    }

    /// The room below the last panel.
    fn below(&self) -> f64 {
        let name = if self.figure.x.label.is_empty() { 0.0 } else { MEDIUM * 1.7 };
        SMALL * 1.3 + 10.0 + name
    }

    fn panel(
        &self,
        area: &Area<'_>,
        panel: &Panel,
        (x, y): &(Ruler, Ruler),
        is_last: bool,
    ) -> Result<(), DrawError> {
        let title = if panel.title.is_empty() { 6.0 } else { SMALL * 1.7 };
        if !panel.title.is_empty() {
            let at = (self.beside(y) + 2.0, 3.0);
            self.text(area, &panel.title, at, style(SMALL, true))?;
        }
        let mut chart = ChartBuilder::on(area)
            .margin_top(units(title))
            .margin_right(units(18.0))
            .margin_left(units(4.0))
            .margin_bottom(units(if is_last { 4.0 } else { 6.0 }))
            .y_label_area_size(units(self.beside(y) - 4.0))
            .x_label_area_size(units(if is_last { self.below() - 4.0 } else { 0.0 }))
            .build_cartesian_2d(x.clone(), y.clone())?;
        let mut mesh = chart.configure_mesh();
        let label = |ruler: &Ruler, value: &f64| visible(&ruler.format_ext(value));
        let (x_label, y_label) = (|value: &f64| label(x, value), |value: &f64| label(y, value));
        mesh.bold_line_style(GRID.stroke_width(UNIT as u32))
            .light_line_style(TRANSPARENT)
            .axis_style(AXIS.stroke_width(UNIT as u32))
            .label_style(style(SMALL, false))
            .axis_desc_style(style(MEDIUM, false))
            .set_all_tick_mark_size(units(4.0))
            .x_labels(x.labels().len())
            .y_labels(y.labels().len())
            .x_label_formatter(&x_label)
            .y_label_formatter(&y_label)
            .y_desc(visible(&self.figure.y.label));
        if !self.figure.x.names.is_empty() {
            mesh.disable_x_mesh();
        }
        if !self.figure.y.names.is_empty() {
            mesh.disable_y_mesh();
        }
        if is_last {
            mesh.x_desc(visible(&self.figure.x.label));
        }
        mesh.draw()?;
        self.marks(&mut chart, panel, x, y)
    }

    /// The names of the series with their colours, in as many lines as it takes; says where they end.
    fn legend(&self, root: &Area<'_>, left: f64, top: f64, room: f64) -> Result<f64, DrawError> {
        let (mut x, mut y) = (left, top);
        for (number, name) in self.names.iter().enumerate() {
            let name = shortened(name, 60);
            let needed = 22.0 + width(&name, SMALL) + 16.0;
            if x > left && x + needed > left + room {
                (x, y) = (left, y + SMALL * 1.5);
            }
            self.swatch(root, self.names[number], (x + 8.0, y + SMALL * 0.5))?;
            self.text(root, &name, (x + 22.0, y), style(SMALL, false))?;
            x += needed;
        }
        Ok(if self.names.is_empty() { top } else { y + SMALL * 1.6 })
    }

    /// A text with its upper left corner here, in CSS pixels.
    pub(super) fn text(
        &self,
        area: &Area<'_>,
        text: &str,
        (x, y): (f64, f64),
        style: TextStyle<'static>,
    ) -> Result<(), DrawError> {
        area.draw(&Text::new(visible(text), (units(x), units(y)), style))
    }

    /// The number of a series' colour.
    pub(super) fn number(&self, panel: &Panel, index: usize) -> usize {
        let series = &panel.series[index];
        let named = self.names.iter().position(|name| *name == series.name);
        series.colour.or(named).unwrap_or(index)
    }
}

/// Letters of this size in CSS pixels, from their upper left corner.
pub(super) fn style(size: f64, bold: bool) -> TextStyle<'static> {
    // The library divides by the same.
    let size = size * f64::from(UNIT) * 1.24;
    let weight = if bold { FontStyle::Bold } else { FontStyle::Normal };
    TextStyle::from(FontDesc::new(FontFamily::SansSerif, size, weight))
        .color(&TEXT)
        .pos(Pos::new(HPos::Left, VPos::Top))
}

/// CSS pixels in units of the drawing.
pub(super) fn units(pixels: f64) -> i32 {
    (pixels * f64::from(UNIT)).round() as i32
}

/// A text in lines that are no wider than this, broken between words.
fn broken(text: &str, room: f64, size: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            // A unit stays with its number.
            Some(line) if word == "%" || width(line, size) + width(word, size) + size * 0.3 <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
