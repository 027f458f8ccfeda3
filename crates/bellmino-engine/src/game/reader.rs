//! Reading a TOML table key by key, collecting every problem instead of stopping at the first.

use std::cell::RefCell;
use std::fmt;

use toml::{Table, Value};

/// Why a game was refused: where it came from and everything that is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameError {
    /// The file or built-in name.
    pub source: String,
    /// What is wrong, at least one.
    pub problems: Vec<Problem>,
}

/// One thing wrong with a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The dotted key, empty where the whole file is meant.
    pub key: String,
    /// What is wrong and what would be right.
    pub message: String,
}

impl fmt::Display for GameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{}: ", self.source)?;
            if !problem.key.is_empty() {
                write!(f, "{}: ", problem.key)?;
            }
            f.write_str(&problem.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for GameError {}

/// What to say after an unknown word: the nearest valid one, or all of them.
///
/// ```
/// let hint = bellmino_engine::suggestion("babby", ["baby", "mini"]);
/// assert_eq!(hint, "did you mean `baby`?");
/// ```
pub fn suggestion<'a>(word: &str, choices: impl IntoIterator<Item = &'a str>) -> String {
    let choices: Vec<&str> = choices.into_iter().collect();
    match nearest(word, choices.iter().copied()) {
        Some(choice) => format!("did you mean `{choice}`?"),
        None => {
            let list: Vec<String> = choices.iter().map(|choice| format!("`{choice}`")).collect();
            format!("valid: {}", list.join(", "))
        }
    }
}

/// The word that was meant, if one is near enough.
///
/// ```
/// assert_eq!(bellmino_engine::nearest("babby", ["baby", "mini"]), Some("baby"));
/// assert_eq!(bellmino_engine::nearest("chess", ["baby", "mini"]), None);
/// ```
pub fn nearest<'a>(word: &str, choices: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let near = choices
        .into_iter()
        .map(|choice| (strsim::damerau_levenshtein(&lower, &choice.to_lowercase()), choice))
        .filter(|(distance, choice)| {
            *distance < choice.len().max(word.len()) && *distance <= 1.max(choice.len().min(word.len()) / 3)
        })
        .min();
    near.map(|(_, choice)| choice)
}

/// What there is to say about a file.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// Why it is refused.
    pub(super) problems: RefCell<Vec<Problem>>,
    /// What was taken otherwise than it was written.
    pub(super) notices: RefCell<Vec<Problem>>,
}

/// A table of the file with the path that leads to it.
pub(super) struct Reader<'a> {
    table: Option<&'a Table>,
    path: String,
    said: &'a Said,
}

impl<'a> Reader<'a> {
    pub(super) fn new(table: &'a Table, said: &'a Said) -> Reader<'a> {
        Reader { table: Some(table), path: String::new(), said }
    }

    /// Reports every key that is not in `known`.
    pub(super) fn only(&self, known: &[&str]) {
        for key in self.table.into_iter().flat_map(Table::keys) {
            if !known.contains(&key.as_str()) {
                self.problem(key, format!("unknown key; {}", suggestion(key, known.iter().copied())));
            }
        }
    }

    /// The table under `key`; an absent one reads as empty.
    pub(super) fn section(&self, key: &str) -> Reader<'a> {
        let table = match self.get(key) {
            Some(Value::Table(table)) => Some(table),
            Some(other) => {
                self.wrong(key, "a table", other);
                None
            }
            None => None,
        };
        Reader { table, path: self.dotted(key), said: self.said }
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.table.into_iter().flat_map(Table::keys).map(String::as_str)
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    pub(super) fn missing(&self, key: &str, wanted: &str) {
        self.problem(key, format!("missing; give {wanted}"));
    }

    /// A required whole number in a range.
    pub(super) fn integer(&self, key: &str, range: std::ops::RangeInclusive<i64>) -> Option<usize> {
        let wanted = format!("a whole number from {} to {}", range.start(), range.end());
        match self.get(key) {
            Some(Value::Integer(number)) if range.contains(number) => Some(*number as usize),
            Some(other) => {
                self.wrong(key, &wanted, other);
                None
            }
            None => {
                self.missing(key, &wanted);
                None
            }
        }
    }

    /// An optional `true` or `false`.
    pub(super) fn boolean(&self, key: &str, absent: bool) -> Option<bool> {
        match self.get(key) {
            None => Some(absent),
            Some(Value::Boolean(value)) => Some(*value),
            Some(other) => {
                self.wrong(key, "true or false", other);
                None
            }
        }
    }

    /// An optional string.
    pub(super) fn string(&self, key: &str) -> Option<&'a str> {
        match self.get(key)? {
            Value::String(text) => Some(text),
            other => {
                self.wrong(key, "a string", other);
                None
            }
        }
    }

    /// One of some names; the first when absent.
    pub(super) fn choice<T: Copy>(&self, key: &str, names: &[(&str, T)]) -> Option<T> {
        if !self.has(key) {
            return Some(names[0].1);
        }
        let word = self.string(key)?;
        let found = names.iter().find(|(name, _)| *name == word);
        if found.is_none() {
            let hint = suggestion(word, names.iter().map(|(name, _)| *name));
            self.problem(key, format!("`{word}` is unknown; {hint}"));
        }
        found.map(|(_, value)| *value)
    }

    /// An optional list of strings.
    pub(super) fn strings(&self, key: &str) -> Option<Vec<&'a str>> {
        self.list(key, "a list of strings", Value::as_str)
    }

    /// An optional list of finite numbers that are not negative; fractions are texts.
    pub(super) fn numbers(&self, key: &str) -> Option<Vec<f64>> {
        self.list(key, "a list of numbers, finite and not negative, or fractions such as \"1/3\"", number)
    }

    /// An optional list of lists of such numbers.
    pub(super) fn matrix(&self, key: &str) -> Option<Vec<Vec<f64>>> {
        self.list(
            key,
            "a list of rows of numbers, finite and not negative, or fractions such as \"1/3\"",
            |row| row.as_array()?.iter().map(number).collect(),
        )
    }

    pub(super) fn problem(&self, key: &str, message: impl Into<String>) {
        self.said.problems.borrow_mut().push(Problem { key: self.dotted(key), message: message.into() });
    }

    /// Says that something was taken otherwise than it was written.
    pub(super) fn notice(&self, key: &str, message: impl Into<String>) {
        self.said.notices.borrow_mut().push(Problem { key: self.dotted(key), message: message.into() });
    }

    fn list<T>(&self, key: &str, wanted: &str, item: impl Fn(&'a Value) -> Option<T>) -> Option<Vec<T>> {
        let value = self.get(key)?;
        let list = value.as_array().and_then(|items| items.iter().map(item).collect());
        if list.is_none() {
            self.wrong(key, wanted, value);
        }
        list
    }

    fn get(&self, key: &str) -> Option<&'a Value> {
        self.table?.get(key)
    }

    fn wrong(&self, key: &str, wanted: &str, found: &Value) {
        let mut shown = found.to_string();
        if shown.chars().count() > 60 {
            shown = shown.chars().take(57).chain("...".chars()).collect();
        }
        self.problem(key, format!("found {shown}; it must be {wanted}"));
    }

    fn dotted(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }
}

fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Integer(number) => *number as f64,
        Value::Float(number) => *number,
        Value::String(text) => return fraction(text),
        _ => return None,
    };
    (number.is_finite() && number >= 0.0).then_some(number)
}

/// A text such as `1/3`.
fn fraction(text: &str) -> Option<f64> {
    let (above, below) = text.split_once('/')?;
    let part = |text: &str| {
        let text = text.trim();
        let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        text.parse::<f64>().ok().filter(|_| is_plain)
    };
    let number = part(above)? / part(below)?;
    number.is_finite().then_some(number)
}
