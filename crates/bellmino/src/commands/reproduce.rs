//! `bellmino reproduce`: experiments from files, each figure beside what was reported.

use std::collections::HashMap;
use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use indicatif::ProgressBar;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::cli::Common;
use crate::failure::Failure;
use crate::load::read_text;
use crate::{ask, interrupt, output, session};

mod fit;
mod plots;

/// Arguments of `reproduce`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Built-in experiments or paths of TOML files [default: list the built-in ones]
    experiments: Vec<String>,

    /// Run every built-in experiment
    #[arg(long, conflicts_with = "experiments")]
    all: bool,

    /// Instead of printing figures, draw the plots of these experiments, of all of them if none is named, into this folder:
    /// each as SVG and its points as CSV
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,
}

/// The built-in experiments: name and text.
const BUILT_IN: &[(&str, &str)] = &[
    ("000-values", include_str!("../../../../experiments/000-values.toml")),
    ("000-all-boards", include_str!("../../../../experiments/000-all-boards.toml")),
    ("000-scores", include_str!("../../../../experiments/000-scores.toml")),
    ("000-adversaries", include_str!("../../../../experiments/000-adversaries.toml")),
    ("000-weighted-reward", include_str!("../../../../experiments/000-weighted-reward.toml")),
    ("001-sprint-blitz", include_str!("../../../../experiments/001-sprint-blitz.toml")),
    ("001-fewest-keys", include_str!("../../../../experiments/001-fewest-keys.toml")),
    ("001-style", include_str!("../../../../experiments/001-style.toml")),
    ("002-table-1", include_str!("../../../../experiments/002-table-1.toml")),
    ("002-table-2", include_str!("../../../../experiments/002-table-2.toml")),
    ("003-rows", include_str!("../../../../experiments/003-rows.toml")),
    ("004-learner", include_str!("../../../../experiments/004-learner.toml")),
    ("information", include_str!("../../../../experiments/information.toml")),
    ("dealers", include_str!("../../../../experiments/dealers.toml")),
    ("growth", include_str!("../../../../experiments/growth.toml")),
];

/// One experiment: its question and its figures.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Experiment {
    title: String,
    question: String,
    #[serde(default)]
    answer: String,
    #[serde(default)]
    figure: Vec<Figure>,
    #[serde(default)]
    plot: Vec<plots::Plot>,
}

/// One command, and the figure to take from its JSON; a command without a figure prepares the ones after it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Figure {
    #[serde(default)]
    what: String,
    /// Arguments; `{dir}` is a folder of this run, `{x}` each value of `each`.
    command: String,
    /// Where the figure is in the JSON, such as `/value`; it must be there.
    field: Option<String>,
    /// Where its interval is.
    interval: Option<String>,
    reported: Option<f64>,
    /// How far a rounded report may be from the figure.
    #[serde(default)]
    tolerance: f64,
    #[serde(default)]
    note: String,
    #[serde(default)]
    each: Vec<Value>,
}

/// A figure as it came out.
struct Row {
    what: String,
    reported: Option<f64>,
    ours: Value,
    interval: Option<Value>,
    tolerance: f64,
    note: String,
}

impl Row {
    fn verdict(&self) -> &'static str {
        let (Some(reported), Some(ours)) = (self.reported, self.ours.as_f64()) else { return "" };
        let near = (ours - reported).abs() <= self.tolerance;
        let inside = self.interval.as_ref().is_some_and(|interval| {
            let end = |index: usize| interval[index].as_f64();
            end(0).is_some_and(|low| low <= reported) && end(1).is_some_and(|high| reported <= high)
        });
        if near || inside { "agrees" } else { "differs" }
    }
}

/// Runs experiments.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    if args.experiments.is_empty() && !args.all && args.plots.is_none() {
        return list(common);
    }
    let names: Vec<String> = match args.experiments.is_empty() {
        true => BUILT_IN.iter().map(|(name, _)| (*name).to_owned()).collect(),
        false => args.experiments.clone(),
    };
    let experiments =
        names.iter().map(|name| Ok((name, load(name)?))).collect::<Result<Vec<_>, Failure>>()?;
    if let Some(folder) = &args.plots {
        return draw(&experiments, folder, common);
    }
    let mut done = Vec::new();
    for (name, experiment) in &experiments {
        let rows = run_one(experiment, common)?;
        if common.json {
            done.push(as_json(name, experiment, &rows));
        } else {
            print(name, experiment, &rows)?;
        }
    }
    if common.json {
        output::json(&json!({ "version": env!("CARGO_PKG_VERSION"), "experiments": done }))
    } else {
        Ok(())
    }
}

fn list(common: &Common) -> Result<(), Failure> {
    let all =
        BUILT_IN.iter().map(|(name, _)| Ok((*name, load(name)?))).collect::<Result<Vec<_>, Failure>>()?;
    if common.json {
        let entries: Vec<Value> = all
            .iter()
            .map(|(name, e)| json!({ "name": name, "title": e.title, "question": e.question }))
            .collect();
        return output::json(&json!({ "experiments": entries }));
    }
    let mut out = io::stdout().lock();
    for (name, experiment) in all {
        writeln!(out, "{name:20} {}", experiment.title)?;
    }
    Ok(())
}

fn load(name: &str) -> Result<Experiment, Failure> {
    let text = match BUILT_IN.iter().find(|(known, _)| *known == name) {
        Some((_, text)) => (*text).to_owned(),
        None if Path::new(name).is_file() => read_text(Path::new(name))?,
        None => {
            let hint = bellmino_engine::suggestion(name, BUILT_IN.iter().map(|(known, _)| *known));
            return Err(Failure::input(format!(
                "`{name}` is neither a built-in experiment nor a file; {hint}"
            )));
        }
    };
    toml::from_str(&text).map_err(|error| Failure::input(format!("{name}: {error}")))
}

/// Draws the plots of experiments.
fn draw(experiments: &[(&String, Experiment)], folder: &Path, common: &Common) -> Result<(), Failure> {
    if let [(name, experiment)] = experiments
        && experiment.plot.is_empty()
    {
        return Err(Failure::input(format!("{name} has no plot")));
    }
    let why = |error| Failure::input(format!("--plots {}: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(why)?;
    let mut drawn = Vec::new();
    for (name, experiment) in experiments.iter().filter(|(_, experiment)| !experiment.plot.is_empty()) {
        let stem = Path::new(name).file_stem().map_or(name.as_str().into(), |stem| stem.to_string_lossy());
        let steps = experiment.plot.iter().map(plots::Plot::steps).sum();
        let mut commands = Commands::new(steps, &experiment.title, common)?;
        for plot in &experiment.plot {
            let one = plot.draw(&stem, &mut commands, folder)?;
            if !common.json {
                let (title, seconds) = (plain(&one["title"]), one["seconds"].as_f64().unwrap_or_default());
                writeln!(io::stdout().lock(), "{}  {title} ({seconds:.1} s)", plain(&one["file"]))?;
            }
            drawn.push(one);
        }
    }
    if common.json {
        return output::json(&json!({ "version": env!("CARGO_PKG_VERSION"), "plots": drawn }));
    }
    Ok(())
}

/// The commands of an experiment: each is run once.
struct Commands<'a> {
    folder: tempfile::TempDir,
    results: HashMap<String, Value>,
    bar: ProgressBar,
    common: &'a Common,
}

impl<'a> Commands<'a> {
    fn new(steps: usize, title: &str, common: &'a Common) -> Result<Commands<'a>, Failure> {
        let bar = output::progress(common.quiet, steps as u64, title);
        Ok(Commands { folder: tempfile::tempdir()?, results: HashMap::new(), bar, common })
    }

    /// What a command prints.
    fn run(&mut self, command: &str) -> Result<&Value, Failure> {
        if !self.results.contains_key(command) {
            let dir = self.folder.path().display().to_string();
            let result = run_command(command, &dir, self.common)?;
            self.results.insert(command.to_owned(), result);
        }
        Ok(&self.results[command])
    }

    fn step(&self) {
        self.bar.inc(1);
    }
}

impl Drop for Commands<'_> {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// What a command printed at this place.
fn at<'v>(result: &'v Value, pointer: &str, command: &str) -> Result<&'v Value, Failure> {
    let missing = || format!("`{command}` printed no field `{pointer}` (such as `/value`)");
    result.pointer(pointer).ok_or_else(|| Failure::input(missing()))
}

/// A value as it stands in a command.
fn plain(value: &Value) -> String {
    value.as_str().map_or(value.to_string(), str::to_owned)
}

fn run_one(experiment: &Experiment, common: &Common) -> Result<Vec<Row>, Failure> {
    let steps = experiment.figure.iter().map(|figure| figure.each.len().max(1)).sum::<usize>();
    let mut commands = Commands::new(steps, &experiment.title, common)?;
    let mut rows = Vec::new();
    for figure in &experiment.figure {
        let values: Vec<Option<String>> = if figure.each.is_empty() {
            vec![None]
        } else {
            figure.each.iter().map(|x| Some(plain(x))).collect()
        };
        for x in values {
            let fill = |text: &str| text.replace("{x}", x.as_deref().unwrap_or(""));
            let command = fill(&figure.command);
            commands.step();
            let result = commands.run(&command)?;
            if let Some(field) = &figure.field {
                let at = |pointer: &String| at(result, pointer, &command).cloned();
                rows.push(Row {
                    what: fill(&figure.what),
                    reported: figure.reported,
                    ours: at(field)?,
                    interval: figure.interval.as_ref().map(at).transpose()?,
                    tolerance: figure.tolerance,
                    note: fill(&figure.note),
                });
            }
        }
    }
    Ok(rows)
}

/// Runs one command of this very program and reads its JSON.
fn run_command(command: &str, dir: &str, common: &Common) -> Result<Value, Failure> {
    if !interrupt::go_on() {
        return Err(Failure::run(anyhow::anyhow!("interrupted")));
    }
    let mut words: Vec<String> = command.split_whitespace().map(|word| word.replace("{dir}", dir)).collect();
    if let Some(threads) = common.threads {
        words.extend(["--threads".to_owned(), threads.to_string()]);
    }
    // Within another program there is no such process, and whoever does the work does it for all commands.
    if let Some(session) = session::current() {
        return ask(words, &session.beneath())
            .map_err(|error| Failure::run(anyhow::anyhow!("`{command}` failed: {error}")));
    }
    let mut process = Command::new(env::current_exe()?);
    process.args(words).args(["--json", "--quiet"]);
    let done = process.output()?;
    if !done.status.success() {
        let why = String::from_utf8_lossy(&done.stderr).trim().to_owned();
        return Err(Failure::run(anyhow::anyhow!("`{command}` failed: {why}")));
    }
    serde_json::from_slice(&done.stdout).map_err(Failure::run)
}

fn as_json(name: &str, experiment: &Experiment, rows: &[Row]) -> Value {
    let row = |row: &Row| {
        json!({
            "what": row.what, "reported": row.reported, "ours": row.ours, "interval": row.interval,
            "verdict": row.verdict(), "note": row.note,
        })
    };
    json!({
        "name": name, "title": experiment.title, "question": experiment.question, "answer": experiment.answer,
        "figures": rows.iter().map(row).collect::<Vec<_>>(),
    })
}

fn print(name: &str, experiment: &Experiment, rows: &[Row]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    writeln!(out, "{name}: {}\n  {}", experiment.title, experiment.question.trim())?;
    let width = rows.iter().map(|row| row.what.chars().count()).max().unwrap_or(0).min(64);
    for row in rows {
        let reported = row.reported.map_or("-".to_owned(), |reported| reported.to_string());
        let ours = match &row.ours {
            Value::Number(number) if number.is_f64() => {
                number.as_f64().map_or(String::new(), |number| format!("{number:.9}"))
            }
            // An infinite value has no number in JSON; a field that is not there has been refused.
            Value::Null => "infinite".to_owned(),
            other => other.to_string(),
        };
        let interval = match &row.interval {
            Some(Value::Array(ends)) => {
                let ends: Vec<String> = ends
                    .iter()
                    .map(|end| end.as_f64().map_or("?".into(), |end| format!("{end:.3}")))
                    .collect();
                format!(" [{}]", ends.join(", "))
            }
            _ => String::new(),
        };
        writeln!(
            out,
            "  {:width$}  reported {reported:>10}  ours {ours}{interval}  {}",
            row.what,
            row.verdict()
        )?;
        if !row.note.is_empty() {
            writeln!(out, "  {:width$}  {}", "", row.note)?;
        }
    }
    if !experiment.answer.is_empty() {
        writeln!(out, "  {}", experiment.answer.trim())?;
    }
    writeln!(out)?;
    Ok(())
}
