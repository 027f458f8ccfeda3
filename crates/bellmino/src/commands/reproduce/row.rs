//! Rows: a figure as it came out, beside what was reported.

use bellmino_data::numbers;
use serde_json::{Value, json};

/// So many digits are those of a figure that is exact, or nearly so.
pub const NEARLY_EXACT: i32 = 6;

/// A figure as it came out.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its name in the answer, if it has one.
    pub id: String,
    /// The heading that it stands under.
    pub group: String,
    /// What it is.
    pub what: String,
    /// What was reported.
    pub reported: Option<f64>,
    /// What came out: mostly a number.
    pub ours: Value,
    /// Its interval, if it comes by chance; an end that is not finite is not known.
    pub interval: Option<[f64; 2]>,
    /// How far the report may be off because it is rounded.
    pub tolerance: f64,
    /// Half the width of the 95 % interval of the report's own figure, where that comes by chance.
    pub reported_half: f64,
    /// How many digits are known, where there is no interval to tell.
    pub digits: i32,
    /// A remark.
    pub note: String,
    /// The commands it comes from.
    pub commands: Vec<String>,
}

/// How a figure compares with the reported one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// Rounding and chance explain the difference.
    Agrees,
    /// Ours is more than that above it.
    Higher,
    /// Ours is more than that below it.
    Lower,
    /// Ours is not known well enough to say.
    Unknown,
}

impl Finding {
    /// As it is printed.
    pub fn word(self) -> &'static str {
        match self {
            Finding::Agrees => "agrees",
            Finding::Higher => "higher",
            Finding::Lower => "lower",
            Finding::Unknown => "unknown",
        }
    }
}

impl Row {
    /// Ours as a number.
    pub fn number(&self) -> Option<f64> {
        self.ours.as_f64()
    }

    /// How ours compares with what was reported; `None` if nothing was.
    ///
    /// Both may come by chance: they agree if they are no further apart than the root of the sum of the squares of their
    /// half intervals, and the tolerance.
    pub fn verdict(&self) -> Option<Finding> {
        let reported = self.reported?;
        let [low, high] = self.interval.unwrap_or([f64::NAN; 2]);
        let Some(ours) = self.number() else {
            // A bound may be known where the figure is not.
            return Some(if low.is_finite() && low > reported { Finding::Higher } else { Finding::Unknown });
        };
        let side = match self.interval {
            None => 0.0,
            Some(_) if reported < ours => ours - low,
            Some(_) => high - ours,
        };
        if !side.is_finite() {
            return Some(Finding::Unknown);
        }
        let apart = (ours - reported).abs();
        let allowed = side.hypot(self.reported_half) + self.tolerance;
        Some(match () {
            () if apart <= allowed => Finding::Agrees,
            () if ours > reported => Finding::Higher,
            () => Finding::Lower,
        })
    }

    /// Ours with its interval, and no more digits than are known.
    pub fn shown(&self) -> String {
        match (&self.ours, self.interval) {
            (Value::Number(_), Some(interval)) => {
                let value = self.number().unwrap_or(f64::NAN);
                if interval.iter().all(|end| end.is_finite()) {
                    return numbers::with_interval(value, interval);
                }
                let end = |end: f64| if end.is_finite() { significant(end, 2) } else { "unknown".to_owned() };
                let [low, high] = interval.map(end);
                let interval = if low == high { low } else { format!("{low}, {high}") };
                format!("{} [{interval}]", numbers::plain(value, self.digits.min(3)))
            }
            _ => self.alone(),
        }
    }

    /// Ours without its interval.
    pub fn alone(&self) -> String {
        match (&self.ours, self.interval) {
            (Value::Number(number), Some([low, high])) => {
                numbers::known(number.as_f64().unwrap_or(f64::NAN), (high - low).abs() / 2.0)
            }
            (Value::Null, Some([low, _])) if low.is_finite() => {
                format!("at least {}", significant(low, 2))
            }
            (Value::Null, Some(_)) => "unknown".to_owned(),
            // An infinite value has no number in JSON; a field that is not there has been refused.
            (Value::Null, None) => "infinite".to_owned(),
            (value, None) => compact(value, self.digits),
            (value, Some(_)) => compact(value, 3),
        }
    }

    /// What was reported, as it was.
    pub fn reported_text(&self) -> String {
        self.reported.map_or(String::new(), |reported| {
            let text = reported.to_string();
            let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
            numbers::grouped(reported, decimals)
        })
    }

    /// As JSON.
    pub fn json(&self) -> Value {
        let ends = |[low, high]: [f64; 2]| json!([low, high]);
        json!({
            "id": self.id, "group": self.group, "what": self.what, "reported": self.reported, "ours": self.ours,
            "interval": self.interval.map(ends), "shown": self.shown(),
            "verdict": self.verdict().map(Finding::word), "note": self.note, "commands": self.commands,
        })
    }
}

/// A number with so many digits; one that is nearly exact keeps all before its point.
fn significant(value: f64, digits: i32) -> String {
    let unit = 10f64.powf(value.abs().log10().floor() + 1.0 - f64::from(digits));
    if digits < NEARLY_EXACT && unit > 1.0 && unit.is_finite() {
        return numbers::grouped((value / unit).round() * unit, 0);
    }
    numbers::plain(value, digits)
}

/// A value on one line: lists and objects with their entries in order.
fn compact(value: &Value, digits: i32) -> String {
    let one = |value: &Value| compact(value, digits.min(3));
    match value {
        Value::Number(number) if number.is_f64() => significant(number.as_f64().unwrap_or(f64::NAN), digits),
        Value::Number(number) => numbers::grouped(number.as_f64().unwrap_or(f64::NAN), 0),
        Value::Array(list) => list.iter().map(one).collect::<Vec<_>>().join(" "),
        Value::Object(entries) => {
            let entries = entries.iter().map(|(key, value)| format!("{key} {}", one(value)));
            entries.collect::<Vec<_>>().join(", ")
        }
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
impl Row {
    /// A figure of ours and nothing else.
    pub fn of(ours: f64, interval: Option<[f64; 2]>) -> Row {
        Row {
            id: String::new(),
            group: String::new(),
            what: String::new(),
            reported: None,
            ours: json!(ours),
            interval,
            tolerance: 0.0,
            reported_half: 0.0,
            digits: 6,
            note: String::new(),
            commands: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(ours: f64, interval: Option<[f64; 2]>) -> Row {
        Row { reported: Some(100.0), ..Row::of(ours, interval) }
    }

    #[test]
    fn verdicts_come_from_interval_and_tolerance() {
        use Finding::*;
        let unbounded = Some([f64::NEG_INFINITY, f64::INFINITY]);
        for (ours, interval, tolerance, reported_half, expected) in [
            (100.0, None, 0.0, 0.0, Agrees),
            (100.4, None, 0.5, 0.0, Agrees),
            (100.6, None, 0.5, 0.0, Higher),
            (99.0, None, 0.5, 0.0, Lower),
            (103.0, Some([99.0, 107.0]), 0.0, 0.0, Agrees),
            (103.0, Some([101.0, 107.0]), 0.0, 0.0, Higher),
            (103.0, Some([101.0, 107.0]), 1.0, 0.0, Agrees),
            // The side that looks at the report counts.
            (97.0, Some([80.0, 99.0]), 0.0, 0.0, Lower),
            // Both come by chance: 2 and 3 make 3.6.
            (103.5, Some([101.5, 105.5]), 0.0, 3.0, Agrees),
            (103.7, Some([101.7, 105.7]), 0.0, 3.0, Higher),
            // One game says nothing about others.
            (21.0, unbounded, 0.0, 0.0, Unknown),
        ] {
            let row = Row { tolerance, reported_half, ..row(ours, interval) };
            assert_eq!(row.verdict(), Some(expected), "{ours} {interval:?} {tolerance} {reported_half}");
        }
        assert_eq!(Row { reported: None, ..row(1.0, None) }.verdict(), None);
        let at_least = |low| Row { ours: Value::Null, ..row(0.0, Some([low, f64::INFINITY])) };
        assert_eq!((at_least(150.0).verdict(), at_least(50.0).verdict()), (Some(Higher), Some(Unknown)));
    }

    #[test]
    fn no_more_digits_than_are_known() {
        let unbounded = Some([f64::NEG_INFINITY, f64::INFINITY]);
        for (ours, interval, expected) in [
            (0.565842187, None, "0.565842"),
            (8208.7, Some([7512.0, 8905.0]), "8,210 [7,510, 8,910]"),
            (21.0, unbounded, "21 [unknown]"),
            (13.0, Some([13.0, 13.0]), "13"),
        ] {
            assert_eq!(row(ours, interval).shown(), expected);
        }
        assert_eq!(row(8208.7, Some([7512.0, 8905.0])).alone(), "8,210");
        let none_lost = Row { ours: Value::Null, ..row(0.0, Some([150.0, f64::INFINITY])) };
        assert_eq!(none_lost.shown(), "at least 150");
        assert_eq!(Row { digits: 2, ..row(4_512_345.6, None) }.shown(), "4,500,000");
        assert_eq!(Row { digits: 2, ..row(0.0, None) }.shown(), "0");
        let list = Row { ours: json!([12, 3450, 0.12345]), ..row(0.0, None) };
        assert_eq!(list.shown(), "12 3,450 0.123");
        let object = Row { ours: json!({ "6-3": 0.12345, "0-9": 1 }), ..row(0.0, None) };
        assert_eq!(object.shown(), "6-3 0.123, 0-9 1");
        assert_eq!(Row { reported: Some(6052.44), ..row(1.0, None) }.reported_text(), "6,052.44");
    }
}
