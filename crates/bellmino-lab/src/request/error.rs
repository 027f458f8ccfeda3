//! Why a request is refused, or failed, in words that every front spells its own way.

use std::fmt;

/// Marks the name of a field within a text, so that a front can put its own spelling there.
const OPEN: char = '\u{e000}';
/// Ends such a name.
const CLOSE: char = '\u{e001}';

/// Why there is no answer.
///
/// The text may name fields of the request. A command line writes `--games` where Python writes `games=`:
///
/// ```
/// use bellmino_lab::request::RequestError;
///
/// let error = RequestError::field("games", "give a whole number from 1 on");
/// assert_eq!(error.to_string(), "`games`: give a whole number from 1 on");
/// assert_eq!(error.spelled(|field| format!("--{field}")), "--games: give a whole number from 1 on");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestError {
    kind: ErrorKind,
    text: String,
}

/// What kind of trouble it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ErrorKind {
    /// The request cannot be met as it is.
    Input,
    /// Something went wrong on the way.
    Run,
}

impl RequestError {
    /// The request is wrong; the text says what would be right. Fields are named by [`named`].
    pub fn input(text: impl fmt::Display) -> RequestError {
        RequestError { kind: ErrorKind::Input, text: text.to_string() }
    }

    /// A field of the request is wrong.
    pub fn field(field: &str, why: impl fmt::Display) -> RequestError {
        RequestError::input(format!("{}: {why}", named(field)))
    }

    /// The request was right, but it failed.
    pub fn run(text: impl fmt::Display) -> RequestError {
        RequestError { kind: ErrorKind::Run, text: text.to_string() }
    }

    /// Whether another request would do better.
    pub fn is_input(&self) -> bool {
        self.kind == ErrorKind::Input
    }

    /// The text with the names of fields as a front writes them.
    pub fn spelled(&self, spell: impl Fn(&str) -> String) -> String {
        spelled(&self.text, spell)
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&plainly(&self.text))
    }
}

impl std::error::Error for RequestError {}

/// The name of a field, for the text of a [`RequestError`].
pub fn named(field: &str) -> String {
    format!("{OPEN}{field}{CLOSE}")
}

/// A text with names of fields, as it is written where no front spells them.
pub(crate) fn plainly(text: &str) -> String {
    spelled(text, |field| format!("`{field}`"))
}

/// A text with the names of fields as a front writes them.
pub fn spelled(text: &str, spell: impl Fn(&str) -> String) -> String {
    let mut spelled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(OPEN) {
        spelled.push_str(before);
        let (field, after) = after.split_once(CLOSE).unwrap_or((after, ""));
        spelled.push_str(&spell(field));
        rest = after;
    }
    spelled + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_spelled_and_nothing_else() {
        let error =
            RequestError::input(format!("give {} or {}, not {{games}}", named("games"), named("losses")));
        assert_eq!(error.spelled(|field| format!("{field}=")), "give games= or losses=, not {games}");
        assert!(error.is_input() && !RequestError::run("lost").is_input());
    }
}
