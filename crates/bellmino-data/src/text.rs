//! Texts from outside, made fit to be shown: escaped for pages, without what cannot be seen.

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
