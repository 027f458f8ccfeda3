//! How experiments are printed: as text, and as Markdown.

use std::fmt::Write as _;

use super::answer::Answer;
use super::experiment::Experiment;
use super::row::{Row, Verdict};

/// An experiment that was run.
pub struct Finished<'a> {
    /// Its name.
    pub name: &'a str,
    /// The experiment.
    pub experiment: &'a Experiment,
    /// Its figures.
    pub rows: Vec<Row>,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// Processor time of its commands, in seconds, where the system tells.
    pub processor_seconds: Option<f64>,
}

/// What a whole run was.
pub struct Head {
    /// The command as it was given, such as `bellmino reproduce --all`.
    pub command: String,
    /// When it began.
    pub date: String,
    /// Threads that every command had.
    pub threads: usize,
}

/// The width of a line of text.
const WIDTH: usize = 110;

/// The width of what a figure is.
const WHAT: usize = 58;

impl Finished<'_> {
    /// The answer with its figures.
    pub fn answer(&self) -> String {
        Answer::new(&self.experiment.answer).filled(&self.rows)
    }

    /// The rows under each heading, in the order in which headings come first.
    fn groups(&self) -> Vec<(&str, Vec<&Row>)> {
        let mut groups: Vec<(&str, Vec<&Row>)> = Vec::new();
        for row in &self.rows {
            match groups.iter_mut().find(|(group, _)| *group == row.group) {
                Some((_, rows)) => rows.push(row),
                None => groups.push((&row.group, vec![row])),
            }
        }
        groups
    }

    /// As text for a terminal.
    pub fn text(&self) -> String {
        let mut out = format!("{}: {}\n", self.name, self.experiment.title);
        out += &wrapped(&self.experiment.question, 2, WIDTH);
        let reported = self.rows.iter().map(|row| row.reported_text().chars().count()).max().unwrap_or(0);
        let reported = if reported > 0 { reported.max("reported".len()) } else { 0 };
        for (group, rows) in self.groups() {
            let indent = if group.is_empty() { 2 } else { 4 };
            let head = if group.is_empty() { String::new() } else { format!("  {group}") };
            let width = rows.iter().map(|row| row.what.chars().count()).max().unwrap_or(0).min(WHAT);
            if reported > 0 {
                let gap = (indent + width + 2 + reported).saturating_sub(head.chars().count());
                let _ = writeln!(out, "{head}{:>gap$}  ours", "reported");
            } else if !head.is_empty() {
                out += &head;
                out.push('\n');
            }
            for row in rows {
                out += &row_text(row, indent, width, reported);
            }
        }
        if !self.experiment.answer.is_empty() {
            out += &wrapped(&self.answer(), 2, WIDTH);
        }
        out
    }

    /// As a part of a Markdown document.
    pub fn markdown(&self) -> String {
        let mut out =
            format!("## {}: {}\n{}\n", self.name, self.experiment.title, one_line(&self.experiment.question));
        for (group, rows) in self.groups() {
            let heading = if group.is_empty() { String::new() } else { cell(group) };
            let _ = write!(out, "\n| {heading} | reported | ours | |\n|---|---|---|---|\n");
            for row in rows {
                let note =
                    if row.note.is_empty() { String::new() } else { format!(" ({})", cell(&row.note)) };
                let verdict = row.verdict().map_or("", Verdict::word);
                let (what, reported, ours) = (cell(&row.what), row.reported_text(), cell(&row.shown()));
                let _ = writeln!(out, "| {what}{note} | {reported} | {ours} | {verdict} |");
            }
        }
        if !self.experiment.answer.is_empty() {
            let _ = write!(out, "\n{}\n", one_line(&self.answer()));
        }
        let time = self
            .processor_seconds
            .map_or(String::new(), |seconds| format!(", {} s of processor time", whole_seconds(seconds)));
        let took = whole_seconds(self.seconds);
        let _ = write!(out, "\n<details><summary>Commands ({took} s{time})</summary>\n\n```sh\n");
        let mut seen: Vec<String> = Vec::new();
        for command in self.experiment.figure.iter().flat_map(|figure| {
            let all = figure.values().into_iter().flat_map(|x| figure.commands(&x));
            all.collect::<Vec<_>>()
        }) {
            if !seen.contains(&command) {
                let _ = writeln!(out, "bellmino {}", command.replace("{dir}/", ""));
                seen.push(command);
            }
        }
        out += "```\n\n</details>\n";
        out
    }
}

impl Head {
    /// The whole document.
    pub fn document(&self, finished: &[Finished<'_>]) -> String {
        let sum = |seconds: &dyn Fn(&Finished<'_>) -> f64| finished.iter().map(seconds).sum::<f64>();
        let wall = sum(&|one| one.seconds);
        let processor = sum(&|one| one.processor_seconds.unwrap_or(0.0));
        let mut out = format!(
            "# Reproduction\n\nMade by `{}` of Bellmino {} on {}, with {} threads: {} of wall clock, {} of \
             processor time. Seeds are in the commands of each experiment, which print the same figures again on any \
             machine, times and speeds apart.\n\n",
            self.command,
            env!("CARGO_PKG_VERSION"),
            self.date,
            self.threads,
            minutes(wall),
            minutes(processor),
        );
        out += "Figures in brackets are 95 % intervals; digits that are not known are not shown. The last column is \
                computed: `agrees` if rounding and chance, of the report's figure too where its number of games is \
                known, explain the difference; else ours is `higher` or `lower`; `unknown` if ours says too little. \
                Figures in the texts are those of the tables. A row without a reported figure answers a question that a \
                report left open.\n";
        for one in finished {
            out.push('\n');
            out += &one.markdown();
        }
        out
    }
}

fn row_text(row: &Row, indent: usize, width: usize, reported: usize) -> String {
    let lines = lines(&row.what, width.max(1), 2);
    let mut out = String::new();
    let first = lines.first().map_or("", String::as_str);
    let verdict = row.verdict().map_or(String::new(), |verdict| format!("  {}", verdict.word()));
    let before = match reported {
        0 => format!("{:indent$}{first:width$}  ", ""),
        _ => format!("{:indent$}{first:width$}  {:>reported$}  ", "", row.reported_text()),
    };
    let start = before.chars().count();
    let ours = self::lines(&(row.shown() + &verdict), WIDTH.saturating_sub(start).max(30), 2);
    out += &before;
    for (number, line) in ours.iter().enumerate() {
        let pad = if number == 0 { 0 } else { start };
        let _ = writeln!(out, "{:pad$}{line}", "");
    }
    for line in lines.iter().skip(1) {
        let _ = writeln!(out, "{:indent$}{line}", "");
    }
    if !row.note.is_empty() {
        out += &wrapped(&row.note, indent + 4, WIDTH);
    }
    out
}

/// A text in lines of at most this width, all of them indented.
fn wrapped(text: &str, indent: usize, width: usize) -> String {
    let lines = lines(text, width.saturating_sub(indent), 0);
    lines.iter().map(|line| format!("{:indent$}{line}\n", "")).collect()
}

/// A text in lines of at most this width; those after the first begin with so many spaces.
fn lines(text: &str, width: usize, hanging: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let is_first = lines.len() == 1;
        let Some(line) = lines.last_mut() else { break };
        let begun = line.chars().any(|letter| letter != ' ');
        if begun && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(format!("{:hanging$}{word}", ""));
            continue;
        }
        if begun {
            line.push(' ');
        } else if !is_first {
            *line = " ".repeat(hanging);
        }
        line.push_str(word);
    }
    lines
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cell(text: &str) -> String {
    one_line(text).replace('|', "\\|")
}

fn whole_seconds(seconds: f64) -> String {
    if seconds < 10.0 { format!("{seconds:.1}") } else { format!("{seconds:.0}") }
}

fn minutes(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 120.0 => format!("{} s", whole_seconds(seconds)),
        seconds => format!("{:.1} minutes", seconds / 60.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn continuation_lines_are_indented() {
        assert_eq!(wrapped("one two three four", 2, 11), "  one two\n  three\n  four\n");
        assert_eq!(lines("one two three", 7, 2), ["one two", "  three"]);
    }
}
