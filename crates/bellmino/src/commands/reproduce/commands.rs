//! The commands of experiments: each is run once.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use bellmino_data::statistics::Summary;
use bellmino_host::program;
use bellmino_lab::checksum::sealed_object;
use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::experiment::{Experiment, ExperimentFigure, fill};
use super::row::{NEARLY_EXACT, Row};
use crate::cli::Common;
use crate::failure::Failure;
use crate::load::read_text;
use crate::{answer_words, interrupt, output};

/// The file of results in the folder of an experiment.
const KEPT: &str = "results.json";

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The half width of a 95 % interval in standard deviations.
const Z95: f64 = 1.959_963_984_540_054;

/// Runs commands. What needs no folder is known to later experiments too.
pub struct Commands<'a> {
    folder: Folder,
    results: HashMap<String, Value>,
    /// What is kept of the present experiment.
    kept: Kept,
    spent: Spent,
    bar: ProgressBar,
    common: &'a Common,
    /// Where results are kept, a folder for each experiment.
    keep: Option<PathBuf>,
}

/// The folder of an experiment.
enum Folder {
    Temporary(tempfile::TempDir),
    Kept(PathBuf),
}

/// What the commands of an experiment have printed, by command.
#[derive(Default, Deserialize, Serialize)]
struct Kept {
    version: String,
    results: BTreeMap<String, KeptResult>,
}

#[derive(Clone, Deserialize, Serialize)]
struct KeptResult {
    printed: Value,
    spent: Spent,
}

/// What commands have cost.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub struct Spent {
    /// Wall clock.
    pub seconds: f64,
    /// Processor time; 0 where the system does not tell.
    pub processor_seconds: f64,
}

impl<'a> Commands<'a> {
    /// None has been run. In a folder to keep results in, they are taken from there and put there.
    pub fn new(keep: Option<&Path>, common: &'a Common) -> Result<Commands<'a>, Failure> {
        Ok(Commands {
            folder: Folder::Temporary(tempfile::tempdir()?),
            results: HashMap::new(),
            kept: Kept::default(),
            spent: Spent::default(),
            bar: ProgressBar::hidden(),
            common,
            keep: keep.map(Path::to_owned),
        })
    }

    /// Goes on to an experiment of so many steps, with a folder of its own.
    pub fn begin(&mut self, name: &str, steps: usize, title: &str) -> Result<(), Failure> {
        self.bar.finish_and_clear();
        // A program around this one is told how far each command is.
        let quiet = self.common.quiet || self.common.around.is_some();
        self.bar = output::progress(quiet, steps as u64, title);
        self.results.retain(|command, _| !command.contains("{dir}"));
        self.spent = Spent::default();
        let Some(keep) = &self.keep else {
            self.folder = Folder::Temporary(tempfile::tempdir()?);
            return Ok(());
        };
        let folder = keep.join(Path::new(name).file_stem().unwrap_or_else(|| OsStr::new(name)));
        fs::create_dir_all(&folder)
            .map_err(|error| Failure::input(format!("--keep {}: {error}", keep.display())))?;
        self.kept = Kept::default();
        let file = folder.join(KEPT);
        if file.exists() {
            let text = read_text(&file)?;
            let wrong = |error| Failure::input(format!("{}: {error}; remove it", file.display()));
            let kept: Kept = serde_json::from_str(&text).map_err(wrong)?;
            // Another version may print other figures.
            self.kept = if kept.version == VERSION { kept } else { Kept::default() };
        }
        self.kept.version = VERSION.to_owned();
        self.folder = Folder::Kept(folder);
        Ok(())
    }

    /// What a command prints.
    pub fn run(&mut self, command: &str) -> Result<&Value, Failure> {
        if !self.results.contains_key(command) {
            let KeptResult { printed, spent } = match self.kept.results.get(command) {
                Some(known) => known.clone(),
                None => self.run_now(command)?,
            };
            self.spent.seconds += spent.seconds;
            self.spent.processor_seconds += spent.processor_seconds;
            self.results.insert(command.to_owned(), printed);
        }
        Ok(&self.results[command])
    }

    fn run_now(&mut self, command: &str) -> Result<KeptResult, Failure> {
        let folder = match &self.folder {
            Folder::Temporary(folder) => folder.path(),
            Folder::Kept(folder) => folder.as_path(),
        };
        let (begin, before) = (Instant::now(), processor_seconds());
        let printed = run_command(command, &folder.display().to_string(), self.common)?;
        let processor_seconds = processor_seconds().zip(before).map_or(0.0, |(now, before)| now - before);
        let spent = Spent { seconds: begin.elapsed().as_secs_f64(), processor_seconds };
        let result = KeptResult { printed, spent };
        if let Folder::Kept(folder) = &self.folder {
            self.kept.results.insert(command.to_owned(), result.clone());
            let text = serde_json::to_string_pretty(&self.kept).map_err(Failure::run)?;
            output::text_file(&folder.join(KEPT), &sealed_object(&text))?;
        }
        Ok(result)
    }

    /// What the commands of the present experiment have cost.
    pub fn spent(&self) -> Spent {
        self.spent
    }

    /// One more step is done.
    pub fn step(&self) {
        self.bar.inc(1);
    }

    /// The figures of an experiment.
    pub fn rows(&mut self, name: &str, experiment: &Experiment) -> Result<Vec<Row>, Failure> {
        self.begin(name, experiment.steps(), &experiment.title)?;
        let mut rows = Vec::new();
        for figure in &experiment.figure {
            for (number, x) in figure.values().iter().enumerate() {
                rows.extend(self.row(figure, number, x)?);
            }
        }
        self.bar.finish_and_clear();
        Ok(rows)
    }

    fn row(&mut self, figure: &ExperimentFigure, number: usize, x: &str) -> Result<Option<Row>, Failure> {
        let commands = figure.commands(x);
        let mut results = Vec::new();
        for command in &commands {
            results.push((command, self.run(command)?.clone()));
            self.step();
        }
        let (Some(field), Some((first, result))) = (&figure.field, results.first()) else { return Ok(None) };
        let factor = figure.factor.unwrap_or(1.0);
        let scaled = |value: &Value| match (value.as_f64(), figure.factor) {
            (Some(number), Some(factor)) => json!(number * factor),
            _ => value.clone(),
        };
        let (ours, interval) = if figure.seeds.is_empty() {
            let interval = match &figure.interval {
                Some(pointer) if pointer == "unknown" => Some(ends(&Value::Null, factor)),
                Some(pointer) => Some(ends(at(result, pointer, first)?, factor)),
                None => None,
            };
            (scaled(at(result, field, first)?), interval)
        } else {
            let value = |(command, result): &(&String, Value)| {
                let value = at(result, field, command)?;
                let why =
                    || format!("`{command}`: `{field}` is {value}, and a mean over seeds needs numbers");
                value.as_f64().map(|value| value * factor).ok_or_else(|| Failure::input(why()))
            };
            let summary = Summary::of(&results.iter().map(value).collect::<Result<Vec<_>, Failure>>()?);
            (json!(summary.mean), Some(summary.ci95))
        };
        let reported = figure.reported(number);
        let reported_half = match (&figure.sd, figure.reported_games) {
            (Some(sd), Some(games)) => {
                let sd = match sd.as_str() {
                    "mean" => reported.unwrap_or(0.0),
                    pointer => factor * at(result, pointer, first)?.as_f64().unwrap_or(0.0),
                };
                Z95 * sd.abs() / f64::from(games.max(1)).sqrt()
            }
            _ => 0.0,
        };
        Ok(Some(Row {
            id: fill(&figure.id, x, ""),
            group: fill(&figure.group, x, ""),
            what: fill(&figure.what, x, ""),
            reported,
            ours,
            interval,
            tolerance: figure.tolerance,
            reported_half,
            digits: figure.digits.unwrap_or(NEARLY_EXACT),
            note: fill(&figure.note, x, ""),
            commands,
        }))
    }
}

impl Drop for Commands<'_> {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// What a command printed at this place.
pub fn at<'v>(result: &'v Value, pointer: &str, command: &str) -> Result<&'v Value, Failure> {
    let missing = || format!("`{command}` printed no field `{pointer}` (such as `/value`)");
    result.pointer(pointer).ok_or_else(|| Failure::input(missing()))
}

/// Processor time of all commands so far, in seconds, where the system tells.
fn processor_seconds() -> Option<f64> {
    let text = fs::read_to_string("/proc/self/stat").ok()?;
    // After the name in parentheses comes field 3; 16 and 17 are the times of children, in hundredths.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace().skip(13);
    let mut next = || fields.next()?.parse::<f64>().ok();
    Some((next()? + next()?) / 100.0)
}

/// The ends of an interval; those that are not there are not known.
fn ends(interval: &Value, factor: f64) -> [f64; 2] {
    let end = |index: usize, unknown: f64| interval[index].as_f64().map_or(unknown, |end| end * factor);
    let [low, high] = [end(0, f64::NEG_INFINITY), end(1, f64::INFINITY)];
    if factor < 0.0 && low.is_finite() && high.is_finite() { [high, low] } else { [low, high] }
}

/// Runs one command of this very program and reads its JSON.
fn run_command(command: &str, dir: &str, common: &Common) -> Result<Value, Failure> {
    if !interrupt::go_on() || common.around.as_ref().is_some_and(|around| around.observer.is_stopped()) {
        return Err(Failure::run(anyhow::anyhow!("interrupted")));
    }
    let mut words: Vec<String> = command.split_whitespace().map(|word| word.replace("{dir}", dir)).collect();
    if let Some(threads) = common.threads {
        words.extend(["--threads".to_owned(), threads.to_string()]);
    }
    // Within another program there is no such process, and whoever does the work does it for all commands.
    if let Some(around) = &common.around {
        return answer_words(words, around)
            .map_err(|error| Failure::run(anyhow::anyhow!("`{command}` failed: {error}")));
    }
    let mut process = program::command()?;
    process.args(words).args(["--json", "--quiet"]);
    let done = process.output()?;
    if !done.status.success() {
        let why = String::from_utf8_lossy(&done.stderr).trim().to_owned();
        return Err(Failure::run(anyhow::anyhow!("`{command}` failed: {why}")));
    }
    serde_json::from_slice(&done.stdout).map_err(Failure::run)
}
