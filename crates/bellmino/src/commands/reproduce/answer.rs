//! Answers: texts whose figures come from the table.

use bellmino_data::numbers;

use super::row::Row;

/// A text with figures in braces:
///
/// | in braces | what stands there |
/// |---|---|
/// | `id` | the figure, with the digits that are known |
/// | `id:interval` | the same with its interval |
/// | `id:reported` | what was reported |
/// | `minus a b` | a - b |
/// | `ratio a b` | a / b |
/// | `share a b` | a as a percentage of b |
/// | `more a b`, `less a b` | by which percentage a is more, or less, than b |
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    text: &'a str,
}

/// A part of an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part<'a> {
    Text(&'a str),
    Braces(&'a str),
}

/// A number and half the width of its interval, 0 if it is exact.
type Known = (f64, f64);

const FORMS: &str =
    "{id}, {id:interval}, {id:reported}, {minus a b}, {ratio a b}, {share a b}, {more a b}, {less a b}";

impl<'a> Answer<'a> {
    /// The answer of this text.
    pub fn new(text: &'a str) -> Answer<'a> {
        Answer { text: text.trim() }
    }

    /// Whether every figure that it names is one of these.
    pub fn check(&self, ids: &[String]) -> Result<(), String> {
        for part in self.parts()? {
            let Part::Braces(inside) = part else { continue };
            let names =
                names(inside).ok_or_else(|| format!("the answer has {{{inside}}}; valid: {FORMS}"))?;
            if let Some(unknown) = names.iter().find(|name| !ids.iter().any(|id| id == *name)) {
                let hint = bellmino_engine::suggestion(unknown, ids.iter().map(String::as_str));
                return Err(format!("the answer names a figure `{unknown}` that there is not; {hint}"));
            }
        }
        Ok(())
    }

    /// The text with the figures of these rows.
    pub fn filled(&self, rows: &[Row]) -> String {
        let parts = self.parts().unwrap_or_default();
        parts
            .into_iter()
            .map(|part| match part {
                Part::Text(text) => text.to_owned(),
                Part::Braces(inside) => figure(inside, rows).unwrap_or_else(|| "(unknown)".to_owned()),
            })
            .collect()
    }

    /// The text without its figures: what somebody has written by hand.
    #[cfg(test)]
    pub fn by_hand(&self) -> String {
        let parts = self.parts().unwrap_or_default().into_iter();
        parts.filter_map(|part| if let Part::Text(text) = part { Some(text) } else { None }).collect()
    }

    fn parts(&self) -> Result<Vec<Part<'a>>, String> {
        let mut parts = Vec::new();
        let mut rest = self.text;
        while let Some((before, after)) = rest.split_once('{') {
            let (inside, after) = after.split_once('}').ok_or("the answer has a `{` without its `}`")?;
            parts.extend([Part::Text(before), Part::Braces(inside)]);
            rest = after;
        }
        parts.push(Part::Text(rest));
        Ok(parts)
    }
}

/// The figures that braces name; `None` if they are written in no known way.
fn names(inside: &str) -> Option<Vec<&str>> {
    match inside.split_whitespace().collect::<Vec<_>>()[..] {
        [one] => Some(vec![match one.rsplit_once(':') {
            Some((id, "interval" | "reported")) => id,
            _ => one,
        }]),
        ["minus" | "ratio" | "share" | "more" | "less", a, b] => Some(vec![a, b]),
        _ => None,
    }
}

fn figure(inside: &str, rows: &[Row]) -> Option<String> {
    let row = |id: &str| rows.iter().find(|row| row.id == id);
    match inside.split_whitespace().collect::<Vec<_>>()[..] {
        [one] => match one.rsplit_once(':') {
            Some((id, "interval")) => Some(row(id)?.shown()),
            Some((id, "reported")) => Some(row(id)?.reported_text()),
            _ => Some(row(one)?.alone()),
        },
        [word, a, b] => {
            let (a, b) = (known(row(a)?)?, known(row(b)?)?);
            let ratio = quotient(a, b);
            let percent = |(value, half): Known| shown((100.0 * value, 100.0 * half), 2);
            Some(match word {
                "minus" => shown((a.0 - b.0, a.1.hypot(b.1)), 4),
                "ratio" => shown(ratio, 3),
                "share" => percent(ratio),
                "more" => percent((ratio.0 - 1.0, ratio.1)),
                "less" => percent((1.0 - ratio.0, ratio.1)),
                _ => return None,
            })
        }
        _ => None,
    }
}

fn known(row: &Row) -> Option<Known> {
    let half = row.interval.map_or(0.0, |[low, high]| (high - low).abs() / 2.0);
    Some((row.number()?, half))
}

fn quotient(a: Known, b: Known) -> Known {
    let value = a.0 / b.0;
    (value, value.abs() * (a.1 / a.0).hypot(b.1 / b.0))
}

fn shown((value, half): Known, digits: i32) -> String {
    if half > 0.0 && half.is_finite() { numbers::known(value, half) } else { numbers::plain(value, digits) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, ours: f64, interval: Option<[f64; 2]>, reported: Option<f64>) -> Row {
        Row { id: id.to_owned(), reported, ..Row::of(ours, interval) }
    }

    #[test]
    fn figures_come_from_the_rows() {
        let rows = [
            row("best", 200.0, None, Some(199.5)),
            row("robust,gaps=0.5", 190.0, None, None),
            row("played", 8208.7, Some([7512.0, 8905.0]), None),
        ];
        for (text, expected) in [
            ("{best}, reported {best:reported}", "200, reported 199.5"),
            ("{played} points, {played:interval}", "8,210 points, 8,210 [7,510, 8,910]"),
            ("{less robust,gaps=0.5 best} % less", "5 % less"),
            ("{minus best robust,gaps=0.5} more", "10 more"),
            ("{ratio played best} times as much", "41.0 times as much"),
            ("{share robust,gaps=0.5 best} %", "95 %"),
        ] {
            assert_eq!(Answer::new(text).filled(&rows), expected);
        }
    }

    #[test]
    fn what_is_not_there_is_refused() {
        let ids = ["best".to_owned(), "worst".to_owned()];
        for (text, named) in [
            ("{bests}", "did you mean `best`?"),
            ("{minus best}", "{minus best}"),
            ("{best", "without its"),
            ("{ratio best nobody}", "`nobody`"),
        ] {
            let why = Answer::new(text).check(&ids).unwrap_err();
            assert!(why.contains(named), "{why}");
        }
        assert_eq!(Answer::new("{best} and {ratio best worst}").check(&ids), Ok(()));
        assert_eq!(Answer::new("a {best} b").by_hand(), "a  b");
    }
}
