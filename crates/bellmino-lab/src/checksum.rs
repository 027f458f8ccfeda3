//! Texts that say whether they are as they were written.
//!
//! What the program writes into a text file carries the XXH3-64 checksum of the rest: a JSON object as its first key, lines
//! of JSON as a last line, anything else as a comment at its end. A text without one, as people and older versions write
//! them, is taken as it is.

use std::borrow::Cow;

use serde_json::{Map, Value};
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

/// The checksum of a text does not agree with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "is damaged, or was changed after it was written: its checksum does not agree; if the change is meant, remove the checksum"
)]
pub struct ChangedText;

/// The key of the checksum in JSON.
const KEY: &str = "checksum";

/// What the last line begins with, where it is a comment.
const COMMENT: &str = "# checksum: ";

/// The last line of lines of JSON begins with it.
const LAST_OBJECT: &str = "{\"checksum\":\"";

/// Digits of a checksum.
const DIGITS: usize = 16;

/// A JSON object with its checksum as the first key, laid out as the object is.
///
/// ```
/// use bellmino_lab::checksum::{sealed_object, unsealed};
///
/// let text = sealed_object("{\n  \"holes\": -4\n}\n");
/// assert_eq!(text.lines().nth(1), Some("  \"checksum\": \"b4de629346eadc80\","));
/// assert_eq!(unsealed(&text)?, "{\n  \"holes\": -4\n}\n");
/// assert!(unsealed(&text.replace("-4", "-5")).is_err());
/// # Ok::<(), bellmino_lab::checksum::ChangedText>(())
/// ```
pub fn sealed_object(text: &str) -> String {
    let rest = text.strip_prefix('{').unwrap_or(text);
    let (before, after) = match rest.find('"') {
        Some(space) if space > 0 => (&rest[..space], " "),
        _ => ("", ""),
    };
    format!("{{{before}\"{KEY}\":{after}\"{}\",{rest}", digits(text))
}

/// Lines of a format in which `#` begins a comment, with their checksum as the last one.
pub fn sealed_lines(text: &str) -> String {
    let end = if text.ends_with('\n') || text.is_empty() { "" } else { "\n" };
    let text = format!("{text}{end}");
    format!("{text}{COMMENT}{}\n", digits(&text))
}

/// Lines of JSON with their checksum as the last one.
pub fn sealed_json_lines(text: &str) -> String {
    format!("{text}{LAST_OBJECT}{}\"}}\n", digits(text))
}

/// The text that was sealed, if nothing in it has changed; one without a checksum as it is.
pub fn unsealed(text: &str) -> Result<Cow<'_, str>, ChangedText> {
    if let Some(body) = unsealed_lines(text)? {
        return Ok(body.into());
    }
    match sealed_parts(text) {
        Some((sum, rest)) => {
            let whole = format!("{{{rest}");
            if digits(&whole) == sum { Ok(whole.into()) } else { Err(ChangedText) }
        }
        // Other programs may have put the keys into another order.
        None if text.contains("\"checksum\"") && is_marked(text) => Err(ChangedText),
        None => Ok(text.into()),
    }
}

/// The lines before the one with their checksum; `None` if there is none.
fn unsealed_lines(text: &str) -> Result<Option<&str>, ChangedText> {
    for (mark, end) in [(COMMENT, ""), (LAST_OBJECT, "\"}")] {
        let is_mark = |&(at, _): &(usize, &str)| text[..at].ends_with('\n') || at == 0 && end.is_empty();
        let Some((at, _)) = text.rmatch_indices(mark).find(is_mark) else { continue };
        let (body, last) = text.split_at(at);
        let sum = last[mark.len()..].trim_end().strip_suffix(end);
        return if sum == Some(&digits(body)) { Ok(Some(body)) } else { Err(ChangedText) };
    }
    Ok(None)
}

/// The checksum that stands first in a JSON object, and what comes after it.
fn sealed_parts(text: &str) -> Option<(&str, &str)> {
    let word = |text: &'_ str, word: &str| text.trim_start().strip_prefix(word).map(str::len);
    let mut rest = text;
    for next in ["{", "\"checksum\"", ":", "\""] {
        rest = &rest[rest.len() - word(rest, next)?..];
    }
    let (sum, rest) = rest.split_once('"')?;
    let after = rest.trim_start().strip_prefix(',')?;
    Some((sum, after))
}

/// Whether a JSON object has a checksum among its keys.
fn is_marked(text: &str) -> bool {
    serde_json::from_str::<Map<String, Value>>(text).is_ok_and(|object| object.contains_key(KEY))
}

fn digits(text: &str) -> String {
    format!("{:0DIGITS$x}", xxh3_64(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOML: &str = "points = 1\n\n[features]\nholes = -4 # of all\n";
    const PRETTY: &str = "{\n  \"name\": \"mine\",\n  \"weights\": {\n    \"holes\": -4\n  }\n}\n";
    const COMPACT: &str = "{\"config\":{\"seed\":1},\"course\":[1,2]}";
    const LINES: &str = "{\"game\":1}\n{\"game\":2}\n";

    #[test]
    fn what_is_sealed_comes_back() {
        for (text, sealed) in [
            (TOML, sealed_lines(TOML)),
            ("", sealed_lines("")),
            (PRETTY, sealed_object(PRETTY)),
            (COMPACT, sealed_object(COMPACT)),
            (LINES, sealed_json_lines(LINES)),
        ] {
            assert_eq!(unsealed(&sealed).unwrap(), text);
            assert_eq!(unsealed(text).unwrap(), text, "without a checksum");
        }
        assert_eq!(unsealed(&sealed_lines("a = 1")).unwrap(), "a = 1\n");
        assert!(sealed_object(COMPACT).starts_with("{\"checksum\":\""));
        assert!(sealed_object(PRETTY).starts_with("{\n  \"checksum\": \""));
        let pretty: Value = serde_json::from_str(&sealed_object(PRETTY)).unwrap();
        assert_eq!(pretty["weights"]["holes"], -4);
    }

    #[test]
    fn what_was_changed_is_refused() {
        let other_order = serde_json::from_str::<Value>(&sealed_object(PRETTY)).unwrap();
        let mut moved = other_order.as_object().unwrap().clone();
        let sum = moved.remove("checksum").unwrap();
        moved.insert("checksum".to_owned(), sum);
        for text in [
            sealed_lines(TOML).replace("-4", "-5"),
            sealed_lines(TOML) + "[made]\n",
            sealed_lines(TOML) + &sealed_lines(TOML),
            sealed_lines(TOML).replace("checksum: ", "checksum: 0"),
            sealed_object(PRETTY).replace("-4", "-5"),
            sealed_object(PRETTY).trim_end().to_owned(),
            serde_json::to_string_pretty(&moved).unwrap(),
            sealed_object(COMPACT).replace("[1,2]", "[1, 2]"),
            sealed_json_lines(LINES).replace("\"game\":2", "\"game\":3"),
            sealed_json_lines(LINES) + LINES,
        ] {
            assert_eq!(unsealed(&text), Err(ChangedText), "{text}");
        }
        let removed: String = sealed_lines(TOML)
            .replace("-4", "-5")
            .lines()
            .filter(|line| !line.starts_with(COMMENT))
            .collect();
        assert!(unsealed(&removed).is_ok(), "whoever takes the checksum out means the change");
    }

    /// Every bit of every kind: refused, or no longer marked and then for its own reader to judge, or the same.
    #[test]
    fn no_bit_flips_unnoticed() {
        for (text, sealed) in [
            (TOML, sealed_lines(TOML)),
            (PRETTY, sealed_object(PRETTY)),
            (COMPACT, sealed_object(COMPACT)),
            (LINES, sealed_json_lines(LINES)),
        ] {
            for bit in 0..8 * sealed.len() {
                let mut bytes = sealed.clone().into_bytes();
                bytes[bit / 8] ^= 1 << (bit % 8);
                let Ok(flipped) = String::from_utf8(bytes) else { continue };
                match unsealed(&flipped) {
                    Err(ChangedText) => {}
                    Ok(body) if body == text => {}
                    Ok(body) => assert_eq!(body, flipped, "bit {bit}"),
                }
            }
        }
    }
}
