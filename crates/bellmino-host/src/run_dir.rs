//! Run directories being written: what training leaves behind, so that it can be followed and resumed.
//!
//! ```text
//! runs/NAME/
//!   config.json      what was asked for, with every default written out, seed and version; with a checksum
//!   curve.csv        the learning curve, one row per step
//!   curve.svg        the same drawn, at most once a second and at the end
//!   checkpoint.json  all that is needed to go on, with a checksum
//!   weights.json     the controller learned so far; for tuples weights.tuples, for the look-ahead bot weights.toml
//!   run.lock         locked while somebody writes here; run.owner says who
//!   run.stop         asks whoever writes here to stop
//! ```
//!
//! Rows are appended to the curve as it goes, and a run that is resumed writes it anew; every other file is written aside
//! and renamed, so that it is whole or the old one.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bellmino_lab::Crew;
use bellmino_lab::checksum::sealed_object;
use bellmino_lab::request::named;
use bellmino_lab::training::{
    Course, Method, RunConfig, Training, TrainingEnd, TrainingError, learning_curve,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::files::{remove_left_aside, remove_whole, write_whole};
use crate::load::read_text;
use crate::lock::{Lock, LockError};
use crate::stored_run::StoredRun;

/// A run directory that belongs to this run.
#[derive(Debug)]
pub struct RunDir {
    path: PathBuf,
    /// Rows of the curve that are in the file.
    rows: usize,
    /// How many of them are drawn, and when that was.
    drawn: Option<(usize, Instant)>,
    /// Nobody else writes here meanwhile.
    _lock: Lock,
}

/// The version that checkpoints name.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The name of a run's checkpoint.
const CHECKPOINT: &str = "checkpoint.json";

/// The name of a run's lock.
const LOCK: &str = "run";

/// How often it is looked whether the run is to stop.
const LOOK: Duration = Duration::from_millis(100);

/// The largest checkpoint that is read.
const MAX_CHECKPOINT: u64 = 1 << 30;

/// Knows whether somebody asks for the end of a run.
struct StopRequest {
    file: PathBuf,
    begin: Instant,
    /// When to look again, in milliseconds since the beginning.
    next: AtomicU64,
    is_there: AtomicBool,
}

/// The curve is drawn no sooner than this after the last time.
const REDRAWN: Duration = Duration::from_secs(1);

/// All that is needed to go on.
#[derive(Serialize)]
struct Checkpoint<'a> {
    config: &'a RunConfig,
    course: &'a Course,
}

/// The same, read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredCheckpoint {
    config: RunConfig,
    course: Course,
}

impl RunDir {
    /// Where the run of this name lives: in `runs`, unless the name is a path.
    pub fn path_of(name: &str) -> PathBuf {
        if Path::new(name).components().count() == 1 { Path::new("runs").join(name) } else { name.into() }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A new directory for this training, or an error if there is one already.
    pub fn create(path: &Path, training: &Training) -> Result<RunDir, TrainingError> {
        let is_taken = || path.join("checkpoint.json").exists();
        let refuse_taken = || {
            let why = format!(
                "{} holds a run already; give {} to go on with it, or another {}",
                path.display(),
                named("resume"),
                named("run")
            );
            TrainingError::Refused(why)
        };
        if is_taken() {
            return Err(refuse_taken());
        }
        fs::create_dir_all(path).map_err(|error| TrainingError::file("create", path, error))?;
        let mut run = RunDir { path: path.to_owned(), rows: 0, drawn: None, _lock: lock(path)? };
        if is_taken() {
            return Err(refuse_taken());
        }
        let config = serde_json::to_string_pretty(training.config());
        let config = config.map_err(|error| run.trouble("config.json", error.into()))?;
        run.write("config.json", sealed_object(&(config + "\n")).as_bytes())?;
        run.restart_curve(training)?;
        Ok(run)
    }

    /// The directory of a run with the same configuration; the training becomes what it was when it was left.
    pub fn resume(path: &Path, training: &mut Training) -> Result<RunDir, TrainingError> {
        let refuse = |why: String| TrainingError::Run { path: path.join(CHECKPOINT), why };
        let (stored, lock) = read_checkpoint(path)?;
        if let Some((key, then, now)) = stored.config.first_difference(training.config()) {
            return Err(refuse(format!(
                "belongs to a run with another `{key}`: {then} then, {now} now; give the same arguments, or none but the run"
            )));
        }
        training.go_on_from(stored.course);
        let mut run = RunDir { path: path.to_owned(), rows: 0, drawn: None, _lock: lock };
        run.restart_curve(training)?;
        Ok(run)
    }

    /// The directory of a run and the training in it, where it was left: all that is needed is in the folder.
    pub fn reopen(path: &Path) -> Result<(RunDir, Training), TrainingError> {
        let (stored, lock) = read_checkpoint(path)?;
        let training = Training::stored(stored.config, stored.course)
            .map_err(|why| TrainingError::Run { path: path.join(CHECKPOINT), why })?;
        let mut run = RunDir { path: path.to_owned(), rows: 0, drawn: None, _lock: lock };
        run.restart_curve(&training)?;
        Ok((run, training))
    }

    /// Who writes to the run in this folder now; `None` if nobody does.
    pub fn writer(path: &Path) -> Option<Value> {
        Lock::owner(path, LOCK)
    }

    /// Asks whoever writes to the run in this folder to stop; it does so within a moment, with what it has stored.
    pub fn ask_to_stop(path: &Path) -> io::Result<()> {
        write_whole(&stop_file(path), |_| Ok(()))
    }

    /// Knows whether somebody asks for the end of this run.
    fn stop_request(&self) -> StopRequest {
        let (next, is_there) = (AtomicU64::new(0), AtomicBool::new(false));
        StopRequest { file: stop_file(&self.path), begin: Instant::now(), next, is_there }
    }

    /// Goes on with the training to its end, by a crew if there is one, or until `go_on` says no or somebody asks for a stop, and
    /// stores every step. `seen` is shown each of them.
    pub fn run(
        &mut self,
        training: &mut Training,
        crew: Option<&dyn Crew>,
        go_on: &(dyn Fn() -> bool + Sync),
        seen: &mut dyn FnMut(&Training),
    ) -> Result<TrainingEnd, TrainingError> {
        let request = self.stop_request();
        training.run_by(crew, &|| go_on() && !request.is_there(), &mut |training| {
            seen(training);
            self.store(training, training.weights().as_deref())
        })
    }

    /// Stores where the training is and the file of its weights.
    pub fn store(&mut self, training: &Training, weights: Option<&[u8]>) -> Result<(), TrainingError> {
        let rows = training.course().rows();
        let text: String = rows.iter().skip(self.rows).map(|row| csv(row)).collect();
        let path = self.path.join("curve.csv");
        let append =
            || -> io::Result<()> { OpenOptions::new().append(true).open(&path)?.write_all(text.as_bytes()) };
        append().map_err(|error| TrainingError::file("write", &path, error))?;
        // Nothing new to write means that this is the end.
        let is_last = training.course().is_done() || rows.len() == self.rows;
        self.rows = rows.len();
        self.draw(training, is_last)?;
        if let Some(weights) = weights {
            self.write(training.method().weights_file(), weights)?;
        }
        let checkpoint = Checkpoint { config: training.config(), course: training.course() };
        let text = serde_json::to_string(&checkpoint);
        let text = text.map_err(|error| self.trouble("checkpoint.json", error.into()))?;
        self.write(CHECKPOINT, sealed_object(&text).as_bytes())
    }

    /// Writes the curve anew up to where the training is: rows beyond it come from a step that was not stored.
    fn restart_curve(&mut self, training: &Training) -> Result<(), TrainingError> {
        let (course, rows) = (training.course(), training.course().rows());
        let text = course.columns().join(",") + "\n" + &rows.iter().map(|row| csv(row)).collect::<String>();
        self.rows = rows.len();
        self.write("curve.csv", text.as_bytes())
    }

    /// Draws the curve, unless it was drawn a moment ago or has not changed.
    fn draw(&mut self, training: &Training, is_last: bool) -> Result<(), TrainingError> {
        let is_drawn = self.drawn.is_some_and(|(rows, _)| rows == self.rows);
        let is_soon = self.drawn.is_some_and(|(_, when)| when.elapsed() < REDRAWN);
        if is_drawn || is_soon && !is_last {
            return Ok(());
        }
        let svg = learning_curve(training).svg();
        let svg = svg.map_err(|error| self.trouble("curve.svg", io::Error::other(error)))?;
        self.write("curve.svg", svg.as_bytes())?;
        self.drawn = Some((self.rows, Instant::now()));
        Ok(())
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), TrainingError> {
        let path = self.path.join(name);
        let written = write_whole(&path, |out| out.write_all(bytes));
        written.map_err(|error| self.trouble(name, error))
    }

    fn trouble(&self, name: &str, error: io::Error) -> TrainingError {
        TrainingError::file("write", &self.path.join(name), error)
    }
}

impl StopRequest {
    /// Whether the run is to stop.
    fn is_there(&self) -> bool {
        let now = self.begin.elapsed().as_millis() as u64;
        if now >= self.next.load(Ordering::Relaxed) {
            self.next.store(now + LOOK.as_millis() as u64, Ordering::Relaxed);
            if self.file.exists() {
                self.is_there.store(true, Ordering::Relaxed);
            }
        }
        self.is_there.load(Ordering::Relaxed)
    }
}

/// Reads a run's checkpoint, which nobody else changes while the lock is held.
fn read_checkpoint(path: &Path) -> Result<(StoredCheckpoint, Lock), TrainingError> {
    let file = path.join(CHECKPOINT);
    let refuse = |why: String| TrainingError::Run { path: file.clone(), why };
    fs::metadata(&file).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound if StoredRun::is_at(path) => TrainingError::Refused(format!(
            "{} holds a run that was stopped before its first checkpoint: there is nothing to go on from; ask for it anew, without {}",
            path.display(),
            named("resume")
        )),
        _ => refuse(format!("cannot be read: {error}")),
    })?;
    let lock = lock(path)?;
    let text = read_text(&file, MAX_CHECKPOINT).map_err(|error| refuse(error.why()))?;
    let value: Value =
        serde_json::from_str(&text).map_err(|error| refuse(format!("is not a checkpoint: {error}")))?;
    let theirs = value["config"]["version"].as_str().unwrap_or("unknown");
    if theirs != VERSION {
        return Err(refuse(format!("was written by version {theirs}; this is version {VERSION}")));
    }
    let stored = serde_json::from_str(&text).map_err(|error| refuse(format!("is damaged: {error}")))?;
    Ok((stored, lock))
}

/// Takes the lock of a run's folder. A request to stop was for the writer before; what that left aside when it was killed is
/// removed.
fn lock(path: &Path) -> Result<Lock, TrainingError> {
    let lock = Lock::take(path, LOCK, json!({})).map_err(|error| match error {
        error @ LockError::Held { .. } => {
            let why = format!("{error}, which trains there; stop it, or give another {}", named("run"));
            TrainingError::Refused(why)
        }
        LockError::System { error, .. } => TrainingError::file("lock", path, error),
    })?;
    let clean = || -> io::Result<()> {
        remove_whole(&stop_file(path))?;
        let weights = [Method::Tuples, Method::Tune, Method::Cem].map(Method::weights_file);
        let names = ["config.json", "curve.csv", "curve.svg", CHECKPOINT].into_iter().chain(weights);
        names.into_iter().try_for_each(|name| remove_left_aside(&path.join(name)))
    };
    clean().map_err(|error| TrainingError::file("write", path, error))?;
    Ok(lock)
}

fn stop_file(path: &Path) -> PathBuf {
    path.join("run.stop")
}

fn csv(row: &[f64]) -> String {
    row.iter().map(f64::to_string).collect::<Vec<_>>().join(",") + "\n"
}
