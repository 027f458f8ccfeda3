//! How experiments are printed: as text, and as Markdown.

use std::fmt::Write as _;

use super::answer::Answer;
use super::commands::Spent;
use super::experiment::Experiment;
use super::row::{Finding, Row};

/// An experiment that was run.
pub struct Finished<'a> {
    /// Its name.
    pub name: &'a str,
    /// The experiment.
    pub experiment: &'a Experiment,
    /// Its figures.
    pub rows: Vec<Row>,
    /// What its commands have cost.
    pub spent: Spent,
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

/// The width of a figure with its interval.
const OURS: usize = 34;

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
        for (group, rows) in self.groups() {
            let columns = TextColumns::of(&rows, if group.is_empty() { 2 } else { 4 });
            out += &columns.head(group);
            for (number, row) in rows.iter().enumerate() {
                out += &columns.row(row);
                if let Some(note) = new_note(&rows, number) {
                    out += &wrapped(note, columns.indent + 4, WIDTH);
                }
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
            for (number, row) in rows.iter().enumerate() {
                let note = new_note(&rows, number).map_or(String::new(), |note| format!(" ({})", cell(note)));
                let verdict = row.verdict().map_or("", Finding::word);
                let (what, reported, ours) = (cell(&row.what), row.reported_text(), cell(&row.shown()));
                let _ = writeln!(out, "| {what}{note} | {reported} | {ours} | {verdict} |");
            }
        }
        if !self.experiment.answer.is_empty() {
            let _ = write!(out, "\n{}\n", one_line(&self.answer()));
        }
        let [took, time] = [self.spent.seconds, self.spent.processor_seconds].map(whole_seconds);
        let _ = write!(
            out,
            "\n<details><summary>Commands ({took} s, {time} s of processor time)</summary>\n\n```sh\n"
        );
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
        let wall = sum(&|one| one.spent.seconds);
        let processor = sum(&|one| one.spent.processor_seconds);
        let mut out = format!(
            "# Reproduction\n\nMade by `{}` of Bellmino {} on {}, with {} threads; its commands took {} of wall clock and {} of \
             processor time. Seeds are in the commands of each experiment, which print the same figures again on any \
             machine, times and speeds apart; with `--keep` they may have been run in parts.\n\n",
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

/// The columns of a group of rows in text.
struct TextColumns {
    indent: usize,
    what: usize,
    /// 0 if nothing was reported.
    reported: usize,
    ours: usize,
}

impl TextColumns {
    fn of(rows: &[&Row], indent: usize) -> TextColumns {
        let widest = |text: &dyn Fn(&Row) -> String| rows.iter().map(|row| text(row).chars().count()).max();
        let reported = widest(&Row::reported_text).unwrap_or(0);
        TextColumns {
            indent,
            what: widest(&|row| row.what.clone()).unwrap_or(0).min(WHAT),
            reported: if reported > 0 { reported.max("reported".len()) } else { 0 },
            ours: widest(&Row::shown).unwrap_or(0).min(OURS),
        }
    }

    /// The heading of a group, with those of its columns.
    fn head(&self, group: &str) -> String {
        let group = if group.is_empty() { String::new() } else { format!("  {group}") };
        if self.reported == 0 {
            return if group.is_empty() { group } else { group + "\n" };
        }
        let end = self.indent + self.what + 2 + self.reported;
        let length = group.chars().count();
        if length + "reported".len() + 2 <= end {
            format!("{group}{:>gap$}  ours\n", "reported", gap = end - length)
        } else {
            format!("{group}\n{:>end$}  ours\n", "reported")
        }
    }

    fn row(&self, row: &Row) -> String {
        let TextColumns { indent, what, reported, ours } = *self;
        let whats = lines(&row.what, what.max(1), 2);
        let first = whats.first().map_or("", String::as_str);
        let mut out = format!("{:indent$}{first:what$}  ", "");
        if reported > 0 {
            let _ = write!(out, "{:>reported$}  ", row.reported_text());
        }
        let start = out.chars().count();
        let (shown, verdict) = (row.shown(), row.verdict().map_or("", Finding::word));
        let fitting = lines(&shown, WIDTH.saturating_sub(start).max(OURS), 0);
        for (number, line) in fitting.iter().enumerate() {
            let line = match (number, verdict) {
                (0, "") => line.clone(),
                (0, verdict) => format!("{line:ours$}  {verdict}"),
                _ => format!("{:start$}{line}", ""),
            };
            let _ = writeln!(out, "{line}");
        }
        for line in whats.iter().skip(1) {
            let _ = writeln!(out, "{:indent$}{line}", "");
        }
        out
    }
}

/// The note of a row of a group, unless it is the one before it again.
fn new_note<'a>(rows: &[&'a Row], number: usize) -> Option<&'a str> {
    let note = rows.get(number)?.note.as_str();
    let before = number.checked_sub(1).and_then(|before| rows.get(before));
    (!note.is_empty() && before.is_none_or(|before| before.note != note)).then_some(note)
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
