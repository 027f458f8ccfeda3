//! What stands in a panel: lines, bands, points, bars, cells, and lines to compare with.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::draw::{Area, Chart, DrawError, Drawing, style, units};
use super::scale::Ruler;
use super::theme::{BACKGROUND, IN_CELL, REFERENCE, SMALL, UNIT, colour, width};
use super::{At, Mark, Panel, Point, Reference, Series};
use crate::text::visible;

/// Lines of series with more points than this have no marks on them.
const MARKED: usize = 30;

/// What share of its place a group of bars takes.
const BARS: f64 = 0.8;

/// A rectangle that is taken by a text, in units of the drawing.
type Taken = [(i32, i32); 2];

impl Drawing<'_> {
    pub(super) fn marks(
        &self,
        chart: &mut Chart<'_, '_>,
        panel: &Panel,
        x: &Ruler,
        y: &Ruler,
    ) -> Result<(), DrawError> {
        let canvas = Canvas { area: chart.plotting_area().strip_coord_spec(), chart, x, y };
        let count = |mark: Mark| panel.series.iter().filter(|series| series.mark == mark).count();
        let (bars, rows) = (count(Mark::Bars), count(Mark::Rows));
        let mut place = 0;
        let mut taken = Vec::new();
        for reference in &panel.references {
            canvas.shade(reference)?;
        }
        for (index, series) in panel.series.iter().enumerate() {
            let number = self.number(panel, index);
            match series.mark {
                Mark::Line | Mark::Steps => canvas.line(series, number)?,
                Mark::Points => canvas.points(&series.points, number)?,
                Mark::Histogram => canvas.histogram(series, number)?,
                Mark::Cells => canvas.cells(series, number)?,
                Mark::Bars => {
                    canvas.bars(series, number, (place, bars))?;
                    place += 1;
                }
                Mark::Rows => {
                    canvas.rows(series, number, (place, rows))?;
                    place += 1;
                }
            }
        }
        for reference in &panel.references {
            canvas.refer(reference, &mut taken)?;
        }
        for series in panel.series.iter().filter(|series| series.mark != Mark::Cells) {
            taken.extend(series.points.iter().filter_map(|point| {
                let (x, y) = canvas.at(point.x, point.y)?;
                let r = units(4.0);
                (!point.label.is_empty()).then_some([(x - r, y - r), (x + r, y + r)])
            }));
        }
        for series in panel.series.iter().filter(|series| series.mark != Mark::Cells) {
            for point in series.points.iter().filter(|point| !point.label.is_empty()) {
                canvas.label(point, &mut taken)?;
            }
        }
        Ok(())
    }

    /// The colour of a series in the legend.
    pub(super) fn swatch(&self, root: &Area<'_>, name: &str, (x, y): (f64, f64)) -> Result<(), DrawError> {
        let (x, y) = (units(x), units(y));
        let all = self
            .figure
            .panels
            .iter()
            .flat_map(|panel| (0..panel.series.len()).map(move |index| (panel, index)));
        let found = all.into_iter().find(|(panel, index)| panel.series[*index].name == name);
        let Some((panel, index)) = found else { return Ok(()) };
        let (number, mark) = (self.number(panel, index), panel.series[index].mark);
        let colour = colour(number);
        match mark {
            Mark::Points => shape(root, number, (x, y), units(4.5)),
            Mark::Line | Mark::Steps => {
                let ends = vec![(x - units(8.0), y), (x + units(8.0), y)];
                root.draw(&PathElement::new(ends, colour.stroke_width(units(2.0) as u32)))
            }
            Mark::Bars | Mark::Rows | Mark::Histogram | Mark::Cells => {
                let r = units(5.0);
                root.draw(&Rectangle::new([(x - r, y - r), (x + r, y + r)], colour.filled()))
            }
        }
    }
}

/// The inside of a panel.
struct Canvas<'c, 'a, 'b> {
    area: Area<'b>,
    chart: &'c Chart<'a, 'b>,
    x: &'c Ruler,
    y: &'c Ruler,
}

impl Canvas<'_, '_, '_> {
    /// Where a point is, in units of the drawing; none if it is not shown.
    fn at(&self, x: f64, y: f64) -> Option<(i32, i32)> {
        (self.x.shows(x) && self.y.shows(y)).then(|| self.near(x, y))
    }

    /// Where the nearest point that can be shown is.
    fn near(&self, x: f64, y: f64) -> (i32, i32) {
        let (x, y) = self.chart.backend_coord(&(self.x.clamp(x), self.y.clamp(y)));
        let (left, top) = self.area.get_base_pixel();
        (x - left, y - top)
    }

    fn line(&self, series: &Series, number: usize) -> Result<(), DrawError> {
        let colour = colour(number);
        let steps = series.mark == Mark::Steps;
        let is_drawn = |point: &Point| self.at(point.x, point.y).is_some();
        for run in series.points.split(|point| !is_drawn(point)).filter(|run| !run.is_empty()) {
            if run.iter().any(|point| point.y_interval.is_some()) {
                let end = |point: &Point, high: usize| point.y_interval.map_or(point.y, |ends| ends[high]);
                let mut outline: Vec<(i32, i32)> =
                    run.iter().map(|point| self.near(point.x, end(point, 1))).collect();
                outline.extend(run.iter().rev().map(|point| self.near(point.x, end(point, 0))));
                self.area.draw(&Polygon::new(outline, colour.mix(0.18).filled()))?;
            }
            let mut path: Vec<(i32, i32)> = Vec::new();
            for point in run {
                let (x, y) = self.near(point.x, point.y);
                if let Some(&(_, before)) = path.last().filter(|_| steps) {
                    path.push((x, before));
                }
                path.push((x, y));
            }
            self.area.draw(&PathElement::new(path, colour.stroke_width(units(1.8) as u32)))?;
        }
        if !steps && series.points.len() <= MARKED {
            for point in series.points.iter().filter_map(|point| self.at(point.x, point.y)) {
                shape(&self.area, number, point, units(3.2))?;
            }
        }
        Ok(())
    }

    fn points(&self, points: &[Point], number: usize) -> Result<(), DrawError> {
        for point in points {
            self.whiskers(point, (point.x, point.y), number)?;
            if let Some(at) = self.at(point.x, point.y) {
                shape(&self.area, number, at, units(4.5))?;
            }
        }
        Ok(())
    }

    /// The intervals of a point that is drawn here.
    fn whiskers(&self, point: &Point, (x, y): (f64, f64), number: usize) -> Result<(), DrawError> {
        let line = colour(number).stroke_width(units(1.5) as u32);
        let cap = units(4.0);
        let draw = |path: [(i32, i32); 2]| self.area.draw(&PathElement::new(path.to_vec(), line));
        if let Some([low, high]) = point.y_interval.filter(|_| self.x.shows(x)) {
            let ((x, from), (_, to)) = (self.near(x, low), self.near(x, high));
            draw([(x, from), (x, to)])?;
            draw([(x - cap, from), (x + cap, from)])?;
            draw([(x - cap, to), (x + cap, to)])?;
        }
        if let Some([low, high]) = point.x_interval.filter(|_| self.y.shows(y)) {
            let ((from, y), (to, _)) = (self.near(low, y), self.near(high, y));
            draw([(from, y), (to, y)])?;
            draw([(from, y - cap), (from, y + cap)])?;
            draw([(to, y - cap), (to, y + cap)])?;
        }
        Ok(())
    }

    fn bars(&self, series: &Series, number: usize, (place, count): (usize, usize)) -> Result<(), DrawError> {
        let gap = self.narrowest(series.points.iter().map(|point| point.x));
        let wide = BARS * gap / count as f64;
        let shift = (place as f64 - (count as f64 - 1.0) / 2.0) * wide;
        for point in series.points.iter().filter(|point| point.y.is_finite()) {
            let x = point.x + shift;
            let corners = [self.near(x - wide / 2.0, point.y), self.near(x + wide / 2.0, 0.0)];
            self.area.draw(&Rectangle::new(in_order(corners), colour(number).mix(0.85).filled()))?;
            self.whiskers(point, (x, point.y), 6)?;
        }
        Ok(())
    }

    fn rows(&self, series: &Series, number: usize, (place, count): (usize, usize)) -> Result<(), DrawError> {
        let wide = BARS / count as f64;
        let shift = (place as f64 - (count as f64 - 1.0) / 2.0) * wide;
        for point in series.points.iter().filter(|point| point.x.is_finite()) {
            let y = point.y + shift;
            let corners = [self.near(0.0, y + wide / 2.0), self.near(point.x, y - wide / 2.0)];
            self.area.draw(&Rectangle::new(in_order(corners), colour(number).mix(0.85).filled()))?;
            self.whiskers(point, (point.x, y), 6)?;
        }
        Ok(())
    }

    fn histogram(&self, series: &Series, number: usize) -> Result<(), DrawError> {
        for point in series.points.iter().filter(|point| point.y > 0.0) {
            let [low, high] = point.x_interval.unwrap_or([point.x, point.x]);
            let corners = [self.near(low, point.y), self.near(high, 0.0)];
            self.area.draw(&Rectangle::new(in_order(corners), colour(number).mix(0.6).filled()))?;
        }
        Ok(())
    }

    fn cells(&self, series: &Series, number: usize) -> Result<(), DrawError> {
        for point in &series.points {
            let corners =
                [self.near(point.x - 0.48, point.y + 0.46), self.near(point.x + 0.48, point.y - 0.46)];
            let weight = point.weight.clamp(0.0, 1.0);
            if weight > 0.0 {
                let shade = colour(number).mix((weight * 100.0).round() / 100.0);
                self.area.draw(&Rectangle::new(in_order(corners), shade.filled()))?;
            }
            if !point.label.is_empty() {
                let ink = if weight > 0.6 { BACKGROUND } else { IN_CELL };
                let letters = style(SMALL, false).color(&ink).pos(Pos::new(HPos::Center, VPos::Center));
                self.area.draw(&Text::new(visible(&point.label), self.near(point.x, point.y), letters))?;
            }
        }
        Ok(())
    }

    /// The interval of a line to compare with.
    fn shade(&self, reference: &Reference) -> Result<(), DrawError> {
        let Some([low, high]) = reference.interval else { return Ok(()) };
        let ([left, right], [bottom, top]) = (self.x.ends(), self.y.ends());
        let corners = match reference.at {
            At::X(_) => [self.near(low, top), self.near(high, bottom)],
            At::Y(_) => [self.near(left, high), self.near(right, low)],
        };
        self.area.draw(&Rectangle::new(in_order(corners), REFERENCE.mix(0.16).filled()))
    }

    fn refer(&self, reference: &Reference, taken: &mut Vec<Taken>) -> Result<(), DrawError> {
        let ([left, right], [bottom, top]) = (self.x.ends(), self.y.ends());
        let (ends, at) = match reference.at {
            At::X(at) => ([self.near(at, bottom), self.near(at, top)], at),
            At::Y(at) => ([self.near(left, at), self.near(right, at)], at),
        };
        if !at.is_finite() {
            return Ok(());
        }
        self.area.draw(&PathElement::new(ends.to_vec(), REFERENCE.stroke_width(units(1.2) as u32)))?;
        let (x, y) = ends[1];
        let gap = units(4.0);
        let (line, wide) = (units(SMALL * 1.2), self.wide(&reference.label));
        let places = match reference.at {
            At::X(_) => [
                (x + gap, y + gap),
                (x - gap - wide, y + gap),
                (x + gap, y + gap + line),
                (x - gap - wide, y + gap + line),
            ],
            At::Y(_) => [(x - wide, y - line), (x - wide, y + gap), (gap, y - line), (gap, y + gap)],
        };
        self.write(&reference.label, &places, taken, true)
    }

    /// The text beside a point, where there is room.
    fn label(&self, point: &Point, taken: &mut Vec<Taken>) -> Result<(), DrawError> {
        let Some((x, y)) = self.at(point.x, point.y) else { return Ok(()) };
        let (gap, line, wide) = (units(7.0), units(SMALL * 1.2), self.wide(&point.label));
        let places = [
            (x + gap, y - line / 2),
            (x - gap - wide, y - line / 2),
            (x - wide / 2, y - gap - line),
            (x - wide / 2, y + gap),
            (x + gap, y - line - gap / 2),
            (x + gap, y + gap / 2),
            (x - gap - wide, y - line - gap / 2),
            (x - gap - wide, y + gap / 2),
        ];
        self.write(&point.label, &places, taken, false)
    }

    /// Writes a text with its upper left corner at the first of these places that is free and inside; if there is none, at
    /// the first or not at all.
    fn write(
        &self,
        text: &str,
        places: &[(i32, i32)],
        taken: &mut Vec<Taken>,
        always: bool,
    ) -> Result<(), DrawError> {
        if text.is_empty() {
            return Ok(());
        }
        let (high, wide) = (units(SMALL * 1.2), self.wide(text));
        let (right, bottom) = self.area.dim_in_pixel();
        let covered = |&(x, y): &(i32, i32)| -> Taken { [(x, y), (x + wide, y + high)] };
        let is_free = |place: &&(i32, i32)| {
            let [from, to] = covered(place);
            let is_inside = from.0 >= 0 && from.1 >= 0 && to.0 <= right as i32 && to.1 <= bottom as i32;
            let is_apart = |[other, end]: &Taken| {
                to.0 <= other.0 || end.0 <= from.0 || to.1 <= other.1 || end.1 <= from.1
            };
            is_inside && taken.iter().all(is_apart)
        };
        let Some(place) = places.iter().find(is_free).or(places.first().filter(|_| always)) else {
            return Ok(());
        };
        taken.push(covered(place));
        self.area.draw(&Text::new(visible(text), *place, style(SMALL, false)))
    }

    fn wide(&self, text: &str) -> i32 {
        units(width(text, SMALL))
    }

    /// The least distance between two places, for the width of bars.
    fn narrowest(&self, places: impl Iterator<Item = f64>) -> f64 {
        let mut places: Vec<f64> = places.filter(|place| place.is_finite()).collect();
        places.sort_by(f64::total_cmp);
        let gaps = places.windows(2).map(|pair| pair[1] - pair[0]).filter(|gap| *gap > 0.0);
        gaps.fold(f64::INFINITY, f64::min).min(self.x.ends()[1] - self.x.ends()[0]).min(if places.len() < 2 {
            1.0
        } else {
            f64::INFINITY
        })
    }
}

/// A mark that can be told from the others without its colour.
fn shape(area: &Area<'_>, number: usize, (x, y): (i32, i32), r: i32) -> Result<(), DrawError> {
    let fill = colour(number).filled();
    let polygon = |corners: &[(i32, i32)]| {
        let corners: Vec<(i32, i32)> = corners.iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
        area.draw(&Polygon::new(corners, fill))
    };
    let s = r * 9 / 10;
    let (big, thin) = (r * 13 / 10, r * 4 / 10);
    match number % 7 {
        0 => area.draw(&Circle::new((x, y), r, fill)),
        1 => area.draw(&Rectangle::new([(x - s, y - s), (x + s, y + s)], fill)),
        2 => polygon(&[(0, -big), (big, s), (-big, s)]),
        3 => polygon(&[(0, -big), (big, 0), (0, big), (-big, 0)]),
        4 => polygon(&[(0, big), (big, -s), (-big, -s)]),
        5 => polygon(&[
            (-thin, -big),
            (thin, -big),
            (thin, -thin),
            (big, -thin),
            (big, thin),
            (thin, thin),
            (thin, big),
            (-thin, big),
            (-thin, thin),
            (-big, thin),
            (-big, -thin),
            (-thin, -thin),
        ]),
        _ => area.draw(&Circle::new((x, y), s, colour(number).stroke_width(UNIT as u32 * 3 / 2))),
    }
}

/// Upper left and lower right corner.
fn in_order([(x, y), (u, v)]: [(i32, i32); 2]) -> [(i32, i32); 2] {
    [(x.min(u), y.min(v)), (x.max(u), y.max(v))]
}
