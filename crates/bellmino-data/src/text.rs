//! Texts from outside, made fit to be shown: escaped for pages, without what cannot be seen; and as cells of CSV files, in which no
//! spreadsheet takes them for formulas.

use std::borrow::Cow;

/// A text as part of a page or of an SVG file, also inside an attribute in double quotes.
///
/// ```
/// assert_eq!(bellmino_data::text::escaped("<b> & \"x\""), "&lt;b&gt; &amp; &quot;x&quot;");
/// ```
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in visible(text).chars() {
        match letter {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

/// A text in which every letter can be seen: others, and those that turn the direction of writing, are replaced.
///
/// ```
/// assert_eq!(bellmino_data::text::visible("a\u{0}b\u{202e}c\td"), "a\u{fffd}b\u{fffd}c d");
/// ```
pub fn visible(text: &str) -> String {
    let seen = |letter: char| match letter {
        '\n' | '\r' | '\t' => ' ',
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FFFE}' | '\u{FFFF}' => '\u{FFFD}',
        letter if letter.is_control() => '\u{FFFD}',
        letter => letter,
    };
    text.chars().map(seen).collect()
}

/// A text of so many letters at most; one that is longer ends with three points.
pub fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// A text as a cell of comma-separated values, before any quotes: an apostrophe stands before one that a spreadsheet would take for a
/// formula, which begins with `=`, `+`, `-`, `@`, a tab or a carriage return. [`from_csv_cell`] takes it away.
///
/// ```
/// use bellmino_data::text::{csv_cell, from_csv_cell};
///
/// assert_eq!(csv_cell("=1+1"), "'=1+1");
/// assert_eq!(csv_cell("lee4"), "lee4");
/// assert_eq!(from_csv_cell("'=1+1"), "=1+1");
/// ```
pub fn csv_cell(text: &str) -> Cow<'_, str> {
    // With apostrophes before it too: else it could not be told from one that got its apostrophe here.
    if is_formula(text.trim_start_matches('\'')) { format!("'{text}").into() } else { text.into() }
}

/// The text of a cell that [`csv_cell`] made.
pub fn from_csv_cell(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(text) if is_formula(text.trim_start_matches('\'')) => text,
        _ => cell,
    }
}

/// A text as a whole cell: harmless, and in quotes where CSV needs them.
pub fn csv_quoted(text: &str) -> String {
    let text = csv_cell(text);
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.into_owned(),
    }
}

fn is_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r'])
}
