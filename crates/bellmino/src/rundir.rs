//! Run directories: what a course of training leaves behind, so that it can be followed and resumed.
//!
//! ```text
//! runs/NAME/
//!   config.json      what was asked for, with every default written out, seed and version
//!   curve.csv        the learning curve, one row per step, written as it goes
//!   checkpoint.json  all that is needed to go on
//!   weights.json     the controller learned so far
//! ```

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use bellmino_lab::{Tuning, files};
use bellmino_learn::Course;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::failure::Failure;

/// Where a course of training leaves its results.
#[derive(clap::Args, Debug)]
pub struct RunArgs {
    /// Where the weights go; stdout when absent
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Keep configuration, learning curve and checkpoints in runs/NAME (or in the folder of this path)
    #[arg(long, value_name = "NAME")]
    pub run: Option<String>,

    /// Go on with the run of --run where it stopped
    #[arg(long, requires = "run")]
    pub resume: bool,
}

/// Training that can be stored and has a learning curve.
pub trait Curve: Serialize + DeserializeOwned {
    /// The names of its columns.
    fn columns(&self) -> &'static [&'static str];
    /// One row per step.
    fn rows(&self) -> Vec<Vec<f64>>;
}

impl Curve for Course {
    fn columns(&self) -> &'static [&'static str] {
        Course::columns(self)
    }

    fn rows(&self) -> Vec<Vec<f64>> {
        Course::rows(self)
    }
}

impl Curve for Tuning {
    fn columns(&self) -> &'static [&'static str] {
        &["generation", "best", "mean", "lost", "pieces"]
    }

    fn rows(&self) -> Vec<Vec<f64>> {
        let row = |row: &bellmino_lab::TuningGeneration| {
            vec![row.generation as f64, row.best, row.mean, row.lost as f64, row.pieces as f64]
        };
        self.history.iter().map(row).collect()
    }
}

/// A run directory that belongs to this run.
#[derive(Debug)]
pub struct RunDir {
    path: PathBuf,
    config: Value,
    /// Rows of the curve that are in the file.
    rows: usize,
}

impl RunDir {
    /// Where the run of this name lives: in `runs`, unless the name is a path.
    pub fn path(name: &str) -> PathBuf {
        if Path::new(name).components().count() == 1 { Path::new("runs").join(name) } else { name.into() }
    }

    /// A new directory for a run with this configuration, or an error if there is one already.
    pub fn create(path: &Path, config: Value, course: &impl Curve) -> Result<RunDir, Failure> {
        if path.join("checkpoint.json").exists() {
            let path = path.display();
            return Err(Failure::input(format!(
                "{path} holds a run already; give --resume to go on with it, or another --run"
            )));
        }
        fs::create_dir_all(path).map_err(|error| trouble("create", path, &error))?;
        let text = serde_json::to_string_pretty(&config).map_err(Failure::run)? + "\n";
        write_whole(&path.join("config.json"), &text)?;
        let mut run = RunDir { path: path.to_owned(), config, rows: 0 };
        run.restart_curve(course)?;
        Ok(run)
    }

    /// A directory of a run with the same configuration, and the course as it was left.
    pub fn resume<C: Curve>(path: &Path, config: Value) -> Result<(RunDir, C), Failure> {
        let file = path.join("checkpoint.json");
        let refuse = |why: String| Failure::input(format!("{}: {why}", file.display()));
        let text = fs::read_to_string(&file).map_err(|error| refuse(format!("cannot be read: {error}")))?;
        let mut value: Value =
            serde_json::from_str(&text).map_err(|error| refuse(format!("is not a checkpoint: {error}")))?;
        let (ours, theirs) =
            (env!("CARGO_PKG_VERSION"), value["config"]["version"].as_str().unwrap_or("unknown"));
        if ours != theirs {
            return Err(refuse(format!("was written by version {theirs}; this is version {ours}")));
        }
        if let Some(key) = first_difference(&value["config"], &config) {
            let (then, now) = (&value["config"][&key], &config[&key]);
            return Err(refuse(format!(
                "belongs to a run with another `{key}`: {then} then, {now} now; give the same arguments"
            )));
        }
        let course: C = serde_json::from_value(value["course"].take())
            .map_err(|error| refuse(format!("is damaged: {error}")))?;
        let mut run = RunDir { path: path.to_owned(), config, rows: 0 };
        run.restart_curve(&course)?;
        Ok((run, course))
    }

    /// Stores where the course is. Each file is written aside and then renamed: it is whole or it is the old one.
    pub fn store(&mut self, course: &impl Curve, weights: Option<&str>) -> Result<(), Failure> {
        let rows = course.rows();
        let path = self.path.join("curve.csv");
        let mut text = String::new();
        for row in &rows[self.rows.min(rows.len())..] {
            text += &csv(row);
        }
        let append =
            || -> io::Result<()> { OpenOptions::new().append(true).open(&path)?.write_all(text.as_bytes()) };
        append().map_err(|error| trouble("write", &path, &error))?;
        self.rows = rows.len();
        if let Some(weights) = weights {
            write_whole(&self.path.join("weights.json"), weights)?;
        }
        let checkpoint = json!({ "config": self.config, "course": course });
        let text = serde_json::to_string(&checkpoint).map_err(Failure::run)?;
        write_whole(&self.path.join("checkpoint.json"), &text)
    }

    /// Writes the curve anew up to where the course is: rows beyond it come from a step that was not stored.
    fn restart_curve(&mut self, course: &impl Curve) -> Result<(), Failure> {
        let rows = course.rows();
        let text = course.columns().join(",") + "\n" + &rows.iter().map(|row| csv(row)).collect::<String>();
        self.rows = rows.len();
        write_whole(&self.path.join("curve.csv"), &text)
    }
}

/// Writes a text, whole or not at all.
pub fn write_whole(path: &Path, text: &str) -> Result<(), Failure> {
    files::write_whole(path, |out| out.write_all(text.as_bytes()))
        .map_err(|error| trouble("write", path, &error))
}

fn trouble(what: &str, path: &Path, error: &io::Error) -> Failure {
    Failure::run(anyhow::anyhow!("cannot {what} {}: {error}", path.display()))
}

fn csv(row: &[f64]) -> String {
    row.iter().map(f64::to_string).collect::<Vec<_>>().join(",") + "\n"
}

fn first_difference(stored: &Value, asked: &Value) -> Option<String> {
    let asked = asked.as_object()?;
    asked.iter().find(|(key, value)| stored.get(key.as_str()) != Some(value)).map(|(key, _)| key.clone())
}
