//! The page: headings, texts, tables and figures. Everything that comes in is escaped here, and nowhere else.

use std::fmt::Write as _;

use crate::plot::{DARK, Figure, PlotError};
use crate::text::escaped;

/// A page being written.
pub(super) struct ReportPage {
    title: String,
    contents: Vec<(u32, String)>,
    body: String,
}

const STYLE: &str = include_str!("page.css");
/// What is the same at the head of every page: no script, nothing from elsewhere.
const HEAD: &str = include_str!("head.html");

impl ReportPage {
    pub(super) fn new(title: &str) -> ReportPage {
        ReportPage { title: title.to_owned(), contents: Vec::new(), body: String::new() }
    }

    /// A game begins.
    pub(super) fn section(&mut self, title: &str) {
        self.head(2, title);
    }

    /// A part of a game begins.
    pub(super) fn part(&mut self, title: &str) {
        self.head(3, title);
    }

    fn head(&mut self, level: u32, title: &str) {
        self.contents.push((level, title.to_owned()));
        let (id, title) = (self.contents.len(), escaped(title));
        let _ = writeln!(self.body, "<h{level} id=\"s{id}\">{title}</h{level}>");
    }

    pub(super) fn text(&mut self, text: &str) {
        let _ = writeln!(self.body, "<p>{}</p>", escaped(text));
    }

    /// Says that something is not in the tables.
    pub(super) fn absent(&mut self, text: &str) {
        let _ = writeln!(self.body, "<p class=\"absent\">{}</p>", escaped(text));
    }

    /// A table; its first column says what a row is about, the others are numbers as far as they look like it.
    pub(super) fn table(&mut self, caption: &str, columns: &[&str], rows: Vec<Vec<String>>) {
        let _ = writeln!(
            self.body,
            "<div class=\"table\" role=\"region\" tabindex=\"0\" aria-label=\"{0}\"><table>\n<caption>{0}</caption>",
            escaped(caption)
        );
        self.body.push_str("<thead><tr>");
        for column in columns {
            let _ = write!(self.body, "<th scope=\"col\">{}</th>", escaped(column));
        }
        self.body.push_str("</tr></thead>\n<tbody>\n");
        for row in rows {
            self.body.push_str("<tr>");
            for (index, cell) in row.iter().enumerate() {
                let text = escaped(cell);
                let _ = match index {
                    0 => write!(self.body, "<th scope=\"row\">{text}</th>"),
                    // An interval stays in one line, and a unit with its number.
                    _ if is_number(cell) => {
                        write!(
                            self.body,
                            "<td class=\"number\">{}</td>",
                            text.replace(", ", ",\u{a0}").replace(" %", "\u{a0}%")
                        )
                    }
                    _ => write!(self.body, "<td>{text}</td>"),
                };
            }
            self.body.push_str("</tr>\n");
        }
        self.body.push_str("</tbody></table></div>\n");
    }

    pub(super) fn figure(&mut self, figure: &Figure) -> Result<(), PlotError> {
        let _ = writeln!(self.body, "<figure>\n{}</figure>", figure.inline_svg()?);
        Ok(())
    }

    /// The whole page.
    pub(super) fn finish(self) -> String {
        let title = escaped(&self.title);
        let mut contents = String::new();
        for (index, (level, text)) in self.contents.iter().enumerate() {
            let (id, text) = (index + 1, escaped(text));
            let _ = writeln!(contents, "<li class=\"level{level}\"><a href=\"#s{id}\">{text}</a></li>");
        }
        let version = env!("CARGO_PKG_VERSION");
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n{HEAD}<meta name=\"generator\" content=\"bellmino {version}\">\n\
             <title>{title}</title>\n<style>\n{STYLE}{DARK}</style>\n</head>\n<body>\n<header><h1>{title}</h1></header>\n\
             <nav aria-label=\"Contents\"><ul>\n{contents}</ul></nav>\n<main>\n{}</main>\n\
             <footer><p>Made by bellmino {version}.</p></footer>\n</body>\n</html>\n",
            self.body,
        )
    }
}

fn is_number(text: &str) -> bool {
    let first = text.trim_start_matches(['-', '+']).chars().next();
    first.is_some_and(|letter| letter.is_ascii_digit()) || matches!(text, "unknown" | "infinite")
}
