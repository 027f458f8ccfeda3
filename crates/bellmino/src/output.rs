//! Where output goes: data to stdout, progress and talk to stderr.

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::time::Duration;

use bellmino_data::numbers;
use bellmino_data::plot::Figure;
use bellmino_host::files::write_whole;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use crate::failure::Failure;

/// Prints one JSON object.
pub fn json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(Failure::run)?;
    writeln!(io::stdout().lock(), "{text}").map_err(Failure::from)
}

/// Writes a figure as an SVG file.
pub fn plot(path: &Path, figure: &Figure) -> Result<(), Failure> {
    text_file(path, &figure.svg().map_err(Failure::run)?)
}

/// Writes a file that is whole or not there.
pub fn text_file(path: &Path, text: &str) -> Result<(), Failure> {
    file(path, text.as_bytes())
}

/// The same of any bytes.
pub fn file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let written = write_whole(path, |out| out.write_all(bytes));
    written.map_err(|error| Failure::run(anyhow::anyhow!("cannot write {}: {error}", path.display())))
}

/// A progress bar on stderr with an estimate of the time left; hidden when quiet or not in a terminal.
pub fn progress(quiet: bool, length: u64, what: &str) -> ProgressBar {
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let style = ProgressStyle::with_template("{msg} {wide_bar} {human_pos}/{human_len} {eta} left")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::with_draw_target(Some(length), target).with_style(style).with_message(what.to_owned())
}

/// A line on stderr that says what is being done, where its parts cannot be counted.
pub fn spinner(quiet: bool) -> ProgressBar {
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let style = ProgressStyle::with_template("{spinner} {elapsed} {msg}");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
    ProgressBar::with_draw_target(None, target).with_style(style)
}

/// Says what is being done, and how long it may still take.
pub fn show_now(bar: &ProgressBar, what: String, left: Option<Duration>) {
    let left = left.map_or(String::new(), |left| format!(", about {} left", HumanDuration(left)));
    let text = what + &left;
    if bar.is_hidden() && std::env::var_os("BELLMINO_LOG").is_some() {
        eprintln!("{:.1} s {text}", bar.elapsed().as_secs_f64());
    }
    bar.set_message(text);
    bar.tick();
}

/// Whether stdout is a terminal that may be drawn on.
pub fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Whether output may be coloured: in a terminal and without `NO_COLOR`.
pub fn is_coloured() -> bool {
    is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// A number for people: thousands apart, three decimals where it is not whole.
pub fn number(value: f64) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    numbers::grouped(value, if value.fract() == 0.0 { 0 } else { 3 })
}

#[cfg(test)]
mod tests {
    #[test]
    fn numbers_for_people() {
        for (value, expected) in [
            (0.0, "0"),
            (1234.0, "1,234"),
            (-1_234_567.5, "-1,234,567.500"),
            (999.0, "999"),
            (0.12345, "0.123"),
        ] {
            assert_eq!(super::number(value), expected);
        }
    }
}
