//! From numbers to places: ranges, and the labels of an axis.

use std::ops::Range;

use plotters::coord::ranged1d::{
    KeyPointHint, NoDefaultFormatting, Ranged, ReversibleRanged, ValueFormatter,
};

use super::{Axis, Scale};
use crate::numbers;

/// An axis with its range and labels, as the drawing library takes it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ruler {
    scale: Scale,
    low: f64,
    high: f64,
    labels: Vec<(f64, String)>,
    /// It has names instead of numbers.
    is_named: bool,
    /// The first name is above the others.
    flipped: bool,
}

/// No axis goes beyond this, or comes nearer to zero than one over it where zero is not on it.
const HUGE: f64 = 1e15;

impl Ruler {
    /// The ruler of an axis over these numbers, with about so many labels.
    pub(super) fn new(axis: &Axis, values: impl IntoIterator<Item = f64>, labels: usize) -> Ruler {
        let least = if axis.scale == Scale::Log { 1.0 / HUGE } else { -HUGE };
        let is_drawn = |value: &f64| (least..=HUGE).contains(value);
        let values: Vec<f64> = values.into_iter().filter(is_drawn).collect();
        if !axis.names.is_empty() {
            let last = axis.names.len() as f64;
            // Names that would not fit are left out, every other one or more.
            let stride = axis.names.len().div_ceil(labels.max(1));
            let named = axis.names.iter().enumerate().step_by(stride);
            let labels = named.map(|(index, name)| (index as f64, name.clone())).collect();
            return Ruler {
                scale: Scale::Linear,
                low: -0.5,
                high: last - 0.5,
                labels,
                is_named: true,
                flipped: false,
            };
        }
        let zero = (axis.zero && axis.scale != Scale::Log).then_some(0.0);
        let all = || values.iter().copied().chain(zero);
        let (mut low, mut high) =
            all().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        if low > high {
            (low, high) = if axis.scale == Scale::Log { (1.0, 10.0) } else { (0.0, 1.0) };
        }
        let is_whole = axis.whole || !values.is_empty() && values.iter().all(|value| value.fract() == 0.0);
        let mut ruler =
            Ruler { scale: axis.scale, low, high, labels: Vec::new(), is_named: false, flipped: false };
        ruler.widen(axis.zero);
        ruler.labels = match axis.scale {
            Scale::Linear => ruler.even_labels(labels, is_whole),
            Scale::Log | Scale::LogFromZero => ruler.ratio_labels(labels),
        };
        ruler
    }

    /// The same for a vertical axis: names are read from above.
    pub(super) fn downwards(mut self) -> Ruler {
        self.flipped = self.is_named;
        self
    }

    /// The labels, each with its place.
    pub(super) fn labels(&self) -> &[(f64, String)] {
        &self.labels
    }

    /// Whether a number is on it.
    pub(super) fn shows(&self, value: f64) -> bool {
        value.is_finite() && (self.low..=self.high).contains(&value)
    }

    /// The nearest number on it.
    pub(super) fn clamp(&self, value: f64) -> f64 {
        value.clamp(self.low, self.high)
    }

    /// Its ends.
    pub(super) fn ends(&self) -> [f64; 2] {
        [self.low, self.high]
    }

    /// Some room at both ends, but not below a zero that is meant to be the end.
    fn widen(&mut self, zero: bool) {
        let (from, to) = (self.place(self.low), self.place(self.high));
        let room = if to > from { (to - from) * 0.04 } else { 0.5 * from.abs().clamp(1.0, 2.0) };
        let stays = |end: f64| zero && end == 0.0;
        if !stays(self.low) {
            let wider = self.number(from - room);
            self.low = if self.low >= 0.0 && self.scale != Scale::Linear { wider.max(0.0) } else { wider };
        }
        if !stays(self.high) {
            self.high = self.number(to + room);
        }
    }

    fn even_labels(&self, count: usize, is_whole: bool) -> Vec<(f64, String)> {
        let mut step = nice((self.high - self.low) / count.max(1) as f64);
        if is_whole {
            // Of the steps below ten only 2.5 is not whole.
            step = if step <= 1.0 {
                1.0
            } else if step.fract() > 0.0 {
                5.0
            } else {
                step
            };
        }
        let (first, last) = ((self.low / step).ceil() as i64, (self.high / step).floor() as i64);
        (first..=last).map(|index| index as f64 * step).map(|at| (at, numbers::tick(at, step))).collect()
    }

    /// Powers of ten; with few of them also their double and fivefold.
    fn ratio_labels(&self, count: usize) -> Vec<(f64, String)> {
        let low = if self.scale == Scale::Log { self.low } else { self.low.max(1.0) };
        let (from, to) = (low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let decades = (self.high / low).log10();
        let factors: &[f64] = if decades <= 2.5 && count >= 6 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let stride = ((decades / count.max(1) as f64).ceil() as usize).max(1);
        let powers = (from..=to).step_by(stride);
        let mut places: Vec<f64> =
            powers.flat_map(|power| factors.iter().map(move |factor| factor * 10f64.powi(power))).collect();
        if self.scale == Scale::LogFromZero {
            places.insert(0, 0.0);
        }
        places.retain(|&place| self.shows(place));
        if places.len() < 2 {
            return self.even_labels(count.min(5), false);
        }
        places.into_iter().map(|place| (place, numbers::tick(place, place))).collect()
    }

    /// Where a number is, on a scale of no unit.
    fn place(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => value,
            Scale::Log => value.max(f64::MIN_POSITIVE).ln(),
            Scale::LogFromZero => value.max(0.0).ln_1p(),
        }
    }

    fn number(&self, place: f64) -> f64 {
        match self.scale {
            Scale::Linear => place,
            Scale::Log => place.exp(),
            Scale::LogFromZero => place.exp_m1(),
        }
    }
}

impl Ranged for Ruler {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        let (low, high) = (self.place(self.low), self.place(self.high));
        let share = if high > low { (self.place(*value) - low) / (high - low) } else { 0.5 };
        let share = if self.flipped { 1.0 - share } else { share };
        from + (f64::from(to - from) * share).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        // Labels are chosen already; there are no lines between them.
        if hint.weight().allow_light_points() {
            Vec::new()
        } else {
            self.labels.iter().map(|(at, _)| *at).collect()
        }
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

impl ReversibleRanged for Ruler {
    fn unmap(&self, place: i32, (from, to): (i32, i32)) -> Option<f64> {
        let (low, high) = (self.place(self.low), self.place(self.high));
        let share = f64::from(place - from) / f64::from(to - from);
        let share = if self.flipped { 1.0 - share } else { share };
        (from != to).then(|| self.number(low + share * (high - low)))
    }
}

impl ValueFormatter<f64> for Ruler {
    fn format_ext(&self, value: &f64) -> String {
        self.labels.iter().find(|(at, _)| at == value).map(|(_, text)| text.clone()).unwrap_or_default()
    }
}

/// The smallest of 1, 2, 2.5 and 5 times a power of ten that is no less.
fn nice(step: f64) -> f64 {
    if step <= 0.0 || !step.is_finite() {
        return 1.0;
    }
    let power = 10f64.powf(step.log10().floor());
    let factor = [1.0, 2.0, 2.5, 5.0].into_iter().find(|factor| factor * power >= step * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}
