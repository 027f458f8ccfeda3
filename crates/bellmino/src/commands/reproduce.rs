//! `bellmino reproduce`: experiments from files, each figure beside what was reported.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use chrono::DateTime;
use serde_json::{Value, json};

use crate::cli::Common;
use crate::failure::Failure;
use crate::load::read_text;
use crate::{interrupt, output};
use commands::{Commands, Spent};
use experiment::Experiment;
use page::{Finished, Head};
use row::Row;

mod answer;
mod commands;
mod experiment;
mod fit;
mod page;
mod plots;
mod row;

/// Arguments of `reproduce`.
#[derive(clap::Args, Debug)]
pub struct ReproduceArgs {
    /// Built-in experiments, how their names begin (`002`), or paths of TOML files [default: list the built-in ones]
    experiments: Vec<String>,

    /// Run every built-in experiment
    #[arg(long, conflicts_with = "experiments")]
    all: bool,

    /// Instead of running anything, print the command of each figure
    #[arg(long, conflicts_with_all = ["plots", "show"])]
    commands: bool,

    /// Instead of running anything, print the file of each experiment
    #[arg(long, conflicts_with = "plots")]
    show: bool,

    /// Also write what came out into this file, with version, date and time taken
    #[arg(long, value_name = "FILE.md", conflicts_with_all = ["plots", "show", "commands"])]
    markdown: Option<PathBuf>,

    /// Keep what the commands print, and their files, in this folder, and go on from what is there of the same version
    #[arg(long, value_name = "DIR", conflicts_with_all = ["show", "commands"])]
    keep: Option<PathBuf>,

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
    ("gap", include_str!("../../../../experiments/gap.toml")),
    ("dealers", include_str!("../../../../experiments/dealers.toml")),
    ("growth", include_str!("../../../../experiments/growth.toml")),
];

/// An experiment and its file.
struct Script {
    name: String,
    text: String,
    experiment: Experiment,
}

/// Runs experiments.
pub fn run(args: &ReproduceArgs, common: &Common) -> Result<(), Failure> {
    let none_named = args.experiments.is_empty() && !args.all;
    if none_named && args.plots.is_none() && !args.show && !args.commands && args.markdown.is_none() {
        return list(common);
    }
    let sources = match args.experiments.is_empty() {
        true => BUILT_IN.iter().map(|(name, text)| Script::read(name, text)).collect(),
        false => args.experiments.iter().map(|name| find(name)).collect::<Result<Vec<_>, _>>().map(into_one),
    }?;
    match &args.plots {
        Some(folder) => draw(&sources, folder, args, common),
        None if args.show => show(&sources, common),
        None if args.commands => print_commands(&sources, common),
        None => run_all(&sources, args, common),
    }
}

impl Script {
    fn read(name: &str, text: &str) -> Result<Script, Failure> {
        Ok(Script { name: name.to_owned(), text: text.to_owned(), experiment: Experiment::read(name, text)? })
    }
}

/// Runs experiments one after the other. One that fails does not keep the others from running.
fn run_all(sources: &[Script], args: &ReproduceArgs, common: &Common) -> Result<(), Failure> {
    if let Some(path) = &args.markdown {
        let writable = bellmino_host::files::check_writable(path);
        writable.map_err(|error| Failure::input(format!("--markdown {}: {error}", path.display())))?;
    }
    let date = now();
    let mut commands = Commands::new(args.keep.as_deref(), common)?;
    let mut finished: Vec<Finished<'_>> = Vec::new();
    let mut failed = Vec::new();
    for Script { name, experiment, .. } in sources {
        let rows = match commands.rows(name, experiment) {
            Ok(rows) => rows,
            Err(Failure::Run(error)) if interrupt::go_on() && sources.len() > 1 => {
                failed.push(format!("{name}: {error:#}"));
                continue;
            }
            Err(failure) => return Err(failure),
        };
        let one = Finished { name, experiment, rows, spent: commands.spent() };
        if !common.json {
            writeln!(io::stdout().lock(), "{}", one.text())?;
        }
        finished.push(one);
    }
    if let Some(path) = &args.markdown {
        let named = if args.experiments.is_empty() { "--all".to_owned() } else { args.experiments.join(" ") };
        let threads = common.threads.unwrap_or_else(rayon::current_num_threads);
        let keep = args.keep.as_ref().map_or(String::new(), |keep| format!(" --keep {}", keep.display()));
        let command = format!("bellmino reproduce {named}{keep} --markdown {}", path.display());
        output::text_file(path, &Head { command, date, threads }.document(&finished))?;
    }
    if common.json {
        let experiments: Vec<Value> = finished.iter().map(as_json).collect();
        output::json(&json!({ "version": env!("CARGO_PKG_VERSION"), "experiments": experiments }))?;
    }
    if failed.is_empty() { Ok(()) } else { Err(Failure::run(anyhow::anyhow!(failed.join("\n")))) }
}

fn list(common: &Common) -> Result<(), Failure> {
    let all = BUILT_IN.iter().map(|(name, text)| Script::read(name, text)).collect::<Result<Vec<_>, _>>()?;
    if common.json {
        let entry = |one: &Script| {
            let Experiment { title, question, .. } = &one.experiment;
            json!({ "name": one.name, "title": title, "question": question })
        };
        return output::json(&json!({ "experiments": all.iter().map(entry).collect::<Vec<_>>() }));
    }
    let mut out = io::stdout().lock();
    for Script { name, experiment, .. } in all {
        writeln!(out, "{name:20} {}", experiment.title)?;
    }
    Ok(())
}

/// The experiments that a name stands for: a built-in one, a file, or all built-in ones that begin so.
fn find(name: &str) -> Result<Vec<Script>, Failure> {
    if let Some((_, text)) = BUILT_IN.iter().find(|(known, _)| *known == name) {
        return Ok(vec![Script::read(name, text)?]);
    }
    if Path::new(name).is_file() {
        return Ok(vec![Script::read(name, &read_text(Path::new(name))?)?]);
    }
    let begun: Vec<_> =
        BUILT_IN.iter().filter(|(known, _)| !name.is_empty() && known.starts_with(name)).collect();
    if begun.is_empty() {
        let hint = bellmino_engine::suggestion(name, BUILT_IN.iter().map(|(known, _)| *known));
        let why =
            format!("`{name}` is neither a built-in experiment, nor how one begins, nor a file; {hint}");
        return Err(Failure::input(why));
    }
    begun.into_iter().map(|(name, text)| Script::read(name, text)).collect()
}

/// All of them, each once.
fn into_one(found: Vec<Vec<Script>>) -> Vec<Script> {
    let mut all: Vec<Script> = Vec::new();
    for source in found.into_iter().flatten() {
        if all.iter().all(|known| known.name != source.name) {
            all.push(source);
        }
    }
    all
}

fn show(sources: &[Script], common: &Common) -> Result<(), Failure> {
    if common.json {
        let entry = |one: &Script| json!({ "name": one.name, "file": one.text });
        return output::json(&json!({ "experiments": sources.iter().map(entry).collect::<Vec<_>>() }));
    }
    let mut out = io::stdout().lock();
    for Script { name, text, .. } in sources {
        writeln!(out, "# {name}.toml\n{text}")?;
    }
    Ok(())
}

/// Prints what each figure is and the commands it comes from.
fn print_commands(sources: &[Script], common: &Common) -> Result<(), Failure> {
    let mut all = Vec::new();
    let mut out = io::stdout().lock();
    for Script { name, experiment, .. } in sources {
        if !common.json {
            writeln!(out, "{name}: {}", experiment.title)?;
        }
        for figure in &experiment.figure {
            for x in figure.values() {
                let what = match figure.field {
                    Some(_) => experiment::fill(&figure.what, &x, ""),
                    None => "prepares the next ones".to_owned(),
                };
                let commands: Vec<String> =
                    figure.commands(&x).iter().map(|command| command.replace("{dir}/", "")).collect();
                if !common.json {
                    writeln!(out, "  {what}")?;
                    for command in &commands {
                        writeln!(out, "    bellmino {command}")?;
                    }
                }
                all.push(
                    json!({ "experiment": name, "what": what, "field": figure.field, "commands": commands }),
                );
            }
        }
    }
    drop(out);
    if common.json { output::json(&json!({ "figures": all })) } else { Ok(()) }
}

/// Draws the plots of experiments.
fn draw(sources: &[Script], folder: &Path, args: &ReproduceArgs, common: &Common) -> Result<(), Failure> {
    if sources.iter().all(|one| one.experiment.plot.is_empty()) {
        let names: Vec<&str> = sources.iter().map(|one| one.name.as_str()).collect();
        return Err(Failure::input(format!("{} has no plot", names.join(", "))));
    }
    let why = |error| Failure::input(format!("--plots {}: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(why)?;
    let mut drawn = Vec::new();
    let mut commands = Commands::new(args.keep.as_deref(), common)?;
    for Script { name, experiment, .. } in sources.iter().filter(|one| !one.experiment.plot.is_empty()) {
        let stem = Path::new(name).file_stem().map_or(name.as_str().into(), |stem| stem.to_string_lossy());
        let steps = experiment.plot.iter().map(plots::Plot::steps).sum();
        commands.begin(name, steps, &experiment.title)?;
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

/// A value as it stands in a command.
fn plain(value: &Value) -> String {
    value.as_str().map_or(value.to_string(), str::to_owned)
}

fn as_json(finished: &Finished<'_>) -> Value {
    let Finished { name, experiment, rows, spent: Spent { seconds, processor_seconds } } = finished;
    json!({
        "name": name, "title": experiment.title, "question": experiment.question, "answer": finished.answer(),
        "figures": rows.iter().map(Row::json).collect::<Vec<_>>(), "seconds": seconds,
        "processor_seconds": processor_seconds,
    })
}

/// The date and time of day, UTC.
fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs());
    let date = i64::try_from(seconds).ok().and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    date.map_or(String::new(), |date| date.format("%Y-%m-%d, %H:%M UTC").to_string())
}

#[cfg(test)]
mod tests {
    use super::answer::Answer;
    use super::*;

    /// Figures and verdicts come from the table: nobody writes them into an answer by hand.
    #[test]
    fn answers_have_no_figures_of_their_own() {
        for (name, text) in BUILT_IN {
            let Script { experiment, .. } = Script::read(name, text).unwrap();
            let by_hand = Answer::new(&experiment.answer).by_hand();
            // Names and settings stand between backticks.
            let said: String = by_hand.split('`').step_by(2).collect();
            assert!(!said.contains(|letter: char| letter.is_ascii_digit()), "{name}: {said}");
            for word in ["agrees", "differs", "higher than reported", "lower than reported"] {
                assert!(!said.contains(word), "{name}: `{word}` is a verdict, and those are computed");
            }
        }
    }
}
