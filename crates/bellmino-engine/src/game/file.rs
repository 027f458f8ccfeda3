//! Game files: TOML text and overrides in, a validated game out.

use std::cell::RefCell;
use std::str::FromStr;

use thiserror::Error;
use toml::{Table, Value};

use super::guideline::GuidelineGame;
use super::placement::PlacementGame;
use super::reader::{GameError, Problem, Reader};
use super::{Game, suggestion};

/// One `key=value` that replaces a value of a game file: a dotted key and a TOML value.
///
/// A bare word is taken as a string, so that `dealer.kind=bag` needs no quotes.
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
        let parsed = format!("value = {value}").parse::<Table>().ok().filter(|table| table.len() == 1);
        let parsed = parsed.and_then(|mut table| table.remove("value"));
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
        let fail = |problems| GameError { source: source.to_owned(), problems };
        let mut table: Table = text.parse().map_err(|error: toml::de::Error| {
            fail(vec![Problem { key: String::new(), message: not_toml(text, &error) }])
        })?;
        let problems = RefCell::new(apply(&mut table, overrides));
        let reader = Reader::new(&table, &problems);
        // A file without a kind is a placement game.
        let game = match reader.choice("kind", &[("placement", false), ("guideline", true)]) {
            Some(false) => PlacementGame::read(&reader).map(Game::Placement),
            Some(true) => GuidelineGame::read(&reader).map(Game::Guideline),
            None => None,
        };
        match (game, problems.into_inner()) {
            (Some(game), problems) if problems.is_empty() => Ok(game),
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

/// Puts the overrides into the table. Setting `dealer.kind` first drops the keys of the old kind.
fn apply(table: &mut Table, overrides: &[Override]) -> Vec<Problem> {
    let mut problems = Vec::new();
    if overrides.iter().any(|change| change.key == ["dealer", "kind"]) {
        table.remove("dealer");
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
    let place = error.span().map_or(String::new(), |span| {
        let before = text.get(..span.start).unwrap_or(text);
        format!(" (line {})", before.matches('\n').count() + 1)
    });
    format!("not valid TOML{place}: {}", error.message().trim())
}

fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '-' || character == '_'
}
