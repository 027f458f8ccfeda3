//! Columns of the tables: each is declared once, with its meaning and where its value comes from.

use std::fmt::Write;

use serde::{Serialize, Serializer};

/// A column of a table whose rows are `R`.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct TableColumn<R: 'static> {
    /// Its name in the file, in snake case with the unit in it.
    pub name: &'static str,
    /// The kind of its values.
    pub kind: Kind,
    /// The games that have it; in others it is null.
    #[serde(rename = "games")]
    pub family: Family,
    /// What it says, in one sentence.
    pub meaning: &'static str,
    /// The value in a row; the second argument has the names that rows refer to by number.
    #[serde(skip)]
    pub value: for<'a> fn(&'a R, &'a [String]) -> TableCell<'a>,
}

/// The kind of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// True or false.
    Bool,
    /// A whole number of 32 bits.
    Int,
    /// A whole number of 64 bits.
    Long,
    /// A number.
    Real,
    /// A text.
    Text,
    /// A point in time: milliseconds since 1970 in UTC.
    Time,
}

/// The games that have a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// All games.
    All,
    /// Placement games.
    Placement,
    /// Guideline games.
    Guideline,
    /// Games that people played.
    People,
}

/// One value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TableCell<'a> {
    /// Nothing: the game has no such value.
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number, or milliseconds since 1970.
    Int(i64),
    /// A number.
    Real(f64),
    /// A text.
    Text(&'a str),
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl Serialize for Family {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl Kind {
    /// The name in the dictionary.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Bool => "true or false",
            Kind::Int => "whole number",
            Kind::Long => "whole number (64 bits)",
            Kind::Real => "number",
            Kind::Text => "text",
            Kind::Time => "time (UTC)",
        }
    }
}

impl Family {
    /// The name in the dictionary.
    pub const fn name(self) -> &'static str {
        match self {
            Family::All => "all",
            Family::Placement => "placement",
            Family::Guideline => "guideline",
            Family::People => "people",
        }
    }
}

impl<'a> TableCell<'a> {
    /// A whole number.
    pub fn int(number: impl TryInto<i64>) -> TableCell<'a> {
        number.try_into().map_or(TableCell::Null, TableCell::Int)
    }

    /// A whole number, if there is one.
    pub fn maybe(number: Option<impl TryInto<i64>>) -> TableCell<'a> {
        number.map_or(TableCell::Null, TableCell::int)
    }

    /// A text, if there is one.
    pub fn text(text: impl Into<Option<&'a str>>) -> TableCell<'a> {
        text.into().map_or(TableCell::Null, TableCell::Text)
    }
}

/// The columns as a table in Markdown.
pub(crate) fn describe<R>(columns: &[TableColumn<R>]) -> String {
    let mut text = String::from("| column | values | games | meaning |\n|---|---|---|---|\n");
    for TableColumn { name, kind, family, meaning, .. } in columns {
        let (kind, family) = (kind.name(), family.name());
        // Writing to a string does not fail.
        let _ = writeln!(text, "| `{name}` | {kind} | {family} | {meaning} |");
    }
    text
}
