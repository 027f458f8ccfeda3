//! Game files: TOML text and overrides in, a validated game out.

use std::str::FromStr;

use thiserror::Error;
use toml::{Table, Value};

use super::guideline::GuidelineGame;
use super::placement::PlacementGame;
use super::reader::{GameError, Problem, Reader, Said};
use super::{Game, suggestion};

/// One `key=value` that replaces a value of a game file: a dotted key and a TOML value.
///
/// A bare word is taken as a string, so that `dealer.kind=bag` needs no quotes, and so is a fraction: `dealer.weights=[1/3,2/3]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Override {
    key: Vec<String>,
    value: Value,
}

/// Why a text is not an override.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OverrideError {
    /// No `=`.
    #[error("`{0}` has no `=`; write key=value, such as board.height=5")]
    NoEquals(String),
    /// The key is not dotted names.
    #[error("`{0}` is not a key; write dotted names, such as board.height")]
    BadKey(String),
    /// The value is not TOML.
    #[error("`{0}` is not a TOML value; write a number, true, \"text\", a word or a [list]")]
    BadValue(String),
}

impl FromStr for Override {
    type Err = OverrideError;

    fn from_str(text: &str) -> Result<Override, OverrideError> {
        let (key, value) = text.split_once('=').ok_or_else(|| OverrideError::NoEquals(text.to_owned()))?;
        let key: Vec<String> = key.trim().split('.').map(str::to_owned).collect();
        if key.iter().any(|part| part.is_empty() || !part.chars().all(is_word)) {
            return Err(OverrideError::BadKey(key.join(".")));
        }
        let value = value.trim();
        let parse = |value: &str| {
            let table = format!("value = {value}").parse::<Table>().ok().filter(|table| table.len() == 1);
            table.and_then(|mut table| table.remove("value"))
        };
        let parsed = parse(value).or_else(|| parse(&quoted_fractions(value)));
        let word = !value.is_empty() && value.chars().all(is_word);
        let value = match parsed {
            Some(value) => value,
            None if word => Value::String(value.to_owned()),
            None => return Err(OverrideError::BadValue(value.to_owned())),
        };
        Ok(Override { key, value })
    }
}

impl Game {
    /// Reads and validates a game. `source` names the file in messages.
    pub fn read(source: &str, text: &str, overrides: &[Override]) -> Result<Game, GameError> {
        Game::read_noticing(source, text, overrides).map(|(game, _)| game)
    }

    /// The same, and what was taken otherwise than it was written: a row of probabilities that sums to 1 only when they are
    /// rounded.
    ///
    /// ```
    /// use bellmino_engine::Game;
    ///
    /// let rows = "dealer.matrix=[[1/2,1/2,0],[0.333,0.333,0.333],[1,0,0]]".parse().unwrap();
    /// let mini = Game::built_in("mini", &[]).unwrap().unwrap().to_toml();
    /// let (_, notices) = Game::read_noticing("mini", &mini, &[rows])?;
    /// assert!(notices[0].message.starts_with("row 2 sums to 0.999"));
    /// # Ok::<(), bellmino_engine::GameError>(())
    /// ```
    pub fn read_noticing(
        source: &str,
        text: &str,
        overrides: &[Override],
    ) -> Result<(Game, Vec<Problem>), GameError> {
        let fail = |problems| GameError { source: source.to_owned(), problems };
        let mut table: Table = text.parse().map_err(|error: toml::de::Error| {
            fail(vec![Problem { key: String::new(), message: not_toml(text, &error) }])
        })?;
        let said = Said::default();
        said.problems.borrow_mut().extend(apply(&mut table, overrides));
        let reader = Reader::new(&table, &said);
        // A file without a kind is a placement game.
        let game = match reader.choice("kind", &[("placement", false), ("guideline", true)]) {
            Some(false) => PlacementGame::read(&reader).map(Game::Placement),
            Some(true) => GuidelineGame::read(&reader).map(Game::Guideline),
            None => None,
        };
        match (game, said.problems.into_inner()) {
            (Some(game), problems) if problems.is_empty() => Ok((game, said.notices.into_inner())),
            (_, problems) => Err(fail(problems)),
        }
    }

    /// The names of the built-in games.
    pub fn built_in_names() -> impl Iterator<Item = &'static str> {
        super::BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// What to say of a name that is neither a built-in game nor a file.
    pub fn unknown(name: &str) -> String {
        let hint = suggestion(name, Game::built_in_names());
        format!("`{name}` is neither a built-in game nor a file; {hint}")
    }
}

/// Puts the overrides into the table. Setting `dealer.kind` first drops the keys of the old kind, and setting `landing.path` the
/// rotation system.
fn apply(table: &mut Table, overrides: &[Override]) -> Vec<Problem> {
    let mut problems = Vec::new();
    if overrides.iter().any(|change| change.key == ["dealer", "kind"]) {
        table.remove("dealer");
    }
    if overrides.iter().any(|change| change.key == ["landing", "path"])
        && let Some(landing) = table.get_mut("landing").and_then(Value::as_table_mut)
    {
        landing.remove("rotation");
    }
    for change in overrides {
        let (last, parents) = change.key.split_last().expect("an override has a key");
        let mut place = Some(&mut *table);
        for part in parents {
            place = place.and_then(|table| {
                table.entry(part).or_insert_with(|| Value::Table(Table::new())).as_table_mut()
            });
        }
        match place {
            Some(place) => {
                place.insert(last.clone(), change.value.clone());
            }
            None => problems.push(Problem {
                key: change.key.join("."),
                message: format!("cannot be set: `{}` is not a table", parents.join(".")),
            }),
        }
    }
    problems
}

fn not_toml(text: &str, error: &toml::de::Error) -> String {
    let line = error.span().map(|span| text.get(..span.start).unwrap_or(text).matches('\n').count());
    let place = line.map_or(String::new(), |line| format!(" (line {})", line + 1));
    let line = line.and_then(|line| text.lines().nth(line)).unwrap_or_default();
    let hint = if quoted_fractions(line) == line { "" } else { "; write fractions as text, such as \"1/3\"" };
    format!("not valid TOML{place}: {}{hint}", error.message().trim())
}

/// The same text with quotes around the fractions that have none.
fn quoted_fractions(text: &str) -> String {
    let is_part = |character: char| character.is_ascii_digit() || character == '.' || character == '/';
    let mut quoted = String::new();
    let mut rest = text;
    let mut is_inside = false;
    while let Some(first) = rest.chars().next() {
        let length = if is_inside { 0 } else { rest.find(|other| !is_part(other)).unwrap_or(rest.len()) };
        if length == 0 {
            is_inside ^= first == '"';
            quoted.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let (token, after) = rest.split_at(length);
        let is_fraction = token.split('/').count() == 2 && token.split('/').all(|part| !part.is_empty());
        quoted += &if is_fraction { format!("\"{token}\"") } else { token.to_owned() };
        rest = after;
    }
    quoted
}

fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '-' || character == '_'
}
