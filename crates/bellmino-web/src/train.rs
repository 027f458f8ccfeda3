//! Training runs: started by the lab as a program of its own, followed by its files, stopped and resumed.
//!
//! A run is a folder (see [`StoredRun`]): those the lab starts lie in `runs` of the data folder, those of the command line
//! in `runs` of the folder the lab was started in. The lab reads both and runs at most one itself. Who writes to a run has
//! locked its folder, so that a lab that starts finds the training that an earlier one left behind.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use bellmino_host::load::read_text;
use bellmino_host::program;
use bellmino_host::{RunDir, StoredRun};
use bellmino_lab::request::{
    Context, Request, RequestError, RequestKind, ResumeRequest, TrainRequest, read as read_request,
};
use bellmino_lab::training::TrainingError;
use bellmino_page::{Collection, HostError, LibraryError, TrainOrder, TrainingRuns, locked};
use serde::Serialize;
use serde_json::{Value, json};
use thiserror::Error;

use crate::library::{Library, is_name};
use crate::priority;

/// The largest file of a run that is read.
const MAX_FILE: u64 = 8 << 20;

/// The most rows of a curve that are sent; more are thinned out.
const MAX_ROWS: usize = 2000;

/// The most runs in the list.
const MAX_RUNS: usize = 200;

/// How long a program that was started may take until it has its folder.
const MAX_START: Duration = Duration::from_secs(10);

/// How long training that was asked to stop may take.
const MAX_STOP: Duration = Duration::from_secs(3);

/// How often it is looked.
const LOOK: Duration = Duration::from_millis(20);

/// The runs there are, and the one under way.
pub struct Trainer {
    library: Library,
    /// One start or stop at a time.
    turn: Mutex<()>,
    /// The program that this lab has started.
    child: Mutex<Option<(String, Child)>>,
}

/// Why a run is not started, followed, stopped or forgotten.
#[derive(Debug, Error)]
pub enum TrainError {
    /// The name of no file.
    #[error("a name has 1 to 60 letters, digits, dots, dashes and underscores")]
    Name,
    /// There is a run of this name.
    #[error("there is a run `{0}` already; choose another name")]
    Taken(String),
    /// There is none.
    #[error("there is no run `{0}`")]
    NoRun(String),
    /// A field that is for the command line.
    #[error("`{0}` cannot be given here")]
    Field(String),
    /// What is asked for is no training.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// There is no such game.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// No seed.
    #[error("{0}")]
    Seed(serde_json::Error),
    /// A run that cannot be read.
    #[error(transparent)]
    Run(#[from] TrainingError),
    /// Somebody else starts or stops one at this moment.
    #[error("training is just being started or stopped; try again")]
    Turn,
    /// One is under way.
    #[error("`{0}` is being trained; stop it first")]
    Busy(String),
    /// Another one is.
    #[error("`{0}` is being trained, and no other run of the lab")]
    Other(String),
    /// A run of the command line is not gone on with.
    #[error("this run was started on the command line; resume it there")]
    ResumeThere,
    /// Nor is it forgotten.
    #[error("`{name}` is a run of the command line; its folder is {}", .folder.display())]
    RemoveThere {
        /// Its name.
        name: String,
        /// Where it is.
        folder: PathBuf,
    },
    /// The system does not start the program.
    #[error("cannot start the training: {0}")]
    Start(io::Error),
    /// The program ended at once, and said why.
    #[error("{0}")]
    Refused(String),
    /// It was not there in time.
    #[error("the training did not start in time; try again")]
    Slow,
    /// It cannot be told to stop.
    #[error("cannot stop `{name}`: {error}")]
    Stop {
        /// Its name.
        name: String,
        /// Why not.
        error: io::Error,
    },
    /// One that another lab has started takes its time.
    #[error("`{0}` was asked to stop and will do so at its next pause")]
    Asked(String),
    /// Its files stay.
    #[error("cannot delete `{name}`: {error}")]
    Delete {
        /// Its name.
        name: String,
        /// Why not.
        error: io::Error,
    },
}

impl Trainer {
    /// A trainer whose own runs go into the data folder.
    pub fn new(library: &Library) -> Trainer {
        Trainer { library: library.clone(), turn: Mutex::default(), child: Mutex::default() }
    }

    /// Every run, the newest first.
    pub fn list(&self) -> Vec<Value> {
        let mine = self.child_name();
        let mut runs = Vec::new();
        for (place, folder) in self.library.run_folders().iter().enumerate() {
            for name in names(folder) {
                let path = folder.join(&name);
                let run = StoredRun::open(&path).ok();
                let changed = run.as_ref().and_then(|run| run.changed);
                let is_mine = place == 0 && mine.as_deref() == Some(name.as_str());
                let is_running = is_mine || RunDir::writer(&path).is_some();
                runs.push((changed, describe(&name, place == 0, run.as_ref(), is_running)));
            }
        }
        runs.sort_by_key(|(changed, _)| std::cmp::Reverse(*changed));
        runs.into_iter().map(|(_, run)| run).take(MAX_RUNS).collect()
    }

    /// The learning curve of a run, as columns and rows, and what it has learned.
    pub fn curve(&self, name: &str) -> Result<Value, TrainError> {
        let path = self.folder_of(name)?;
        let run = StoredRun::open(&path)?;
        let every = run.rows.len().div_ceil(MAX_ROWS).max(1);
        let rows: Vec<_> = run.rows.iter().step_by(every).collect();
        Ok(json!({
            "name": name,
            "columns": run.columns,
            "rows": rows,
            "weights": run.learned(),
            "plays": run.player().is_some(),
            "unit": run.config.plan.unit(),
        }))
    }

    /// Starts a run. What is asked for is checked here: nothing that a page says becomes an option or a path.
    pub fn start(&self, order: &TrainOrder) -> Result<Value, TrainError> {
        let _turn = self.turn()?;
        if !is_name(&order.name) {
            return Err(TrainError::Name);
        }
        if self.folder_of(&order.name).is_ok() {
            return Err(TrainError::Taken(order.name.clone()));
        }
        let mut request = read_order(order, &self.library)?;
        if request.run.resume {
            return Err(TrainError::Field("resume".to_owned()));
        }
        request.training(&Context::default())?;
        request.run.run = Some(self.own().join(&order.name).to_string_lossy().into_owned());
        self.run(&order.name, TrainRequest::NAME, &request, false)
    }

    /// Goes on with a run of the lab.
    pub fn resume(&self, name: &str) -> Result<Value, TrainError> {
        let _turn = self.turn()?;
        let path = self.folder_of(name)?;
        if path.parent() != Some(self.own()) {
            return Err(TrainError::ResumeThere);
        }
        let run = path.to_string_lossy().into_owned();
        let request = ResumeRequest { run, ..ResumeRequest::default() };
        self.run(name, ResumeRequest::NAME, &request, true)
    }

    /// Ends the run under way, also one that an earlier lab has started; what it has stored stays.
    pub fn stop(&self, name: Option<&str>) -> Result<(), TrainError> {
        let _turn = self.turn()?;
        let Some(running) = self.running() else { return Ok(()) };
        if name.is_some_and(|name| name != running) {
            return Err(TrainError::Other(running));
        }
        let path = self.own().join(&running);
        RunDir::ask_to_stop(&path).map_err(|error| TrainError::Stop { name: running.clone(), error })?;
        let begin = Instant::now();
        while begin.elapsed() < MAX_STOP {
            if self.running().is_none() {
                return Ok(());
            }
            thread::sleep(LOOK);
        }
        if self.child_name().is_none() {
            return Err(TrainError::Asked(running));
        }
        self.end_child();
        Ok(())
    }

    /// Forgets a run of the lab that nobody is at, with all its files.
    pub fn remove(&self, name: &str) -> Result<(), TrainError> {
        let _turn = self.turn()?;
        let path = self.folder_of(name)?;
        if path.parent() != Some(self.own()) {
            return Err(TrainError::RemoveThere { name: name.to_owned(), folder: path });
        }
        if self.child_name().as_deref() == Some(name) || RunDir::writer(&path).is_some() {
            return Err(TrainError::Busy(name.to_owned()));
        }
        // Out of the list at once, whatever happens to the files then.
        let aside = self.own().join(format!(".removed-{name}"));
        let trouble = |error| TrainError::Delete { name: name.to_owned(), error };
        let _ = fs::remove_dir_all(&aside);
        fs::rename(&path, &aside).map_err(trouble)?;
        fs::remove_dir_all(&aside).map_err(trouble)
    }

    fn run(
        &self,
        name: &str,
        kind: &str,
        request: &impl Serialize,
        resume: bool,
    ) -> Result<Value, TrainError> {
        if let Some(other) = self.running() {
            return Err(TrainError::Busy(other));
        }
        let path = self.own().join(name);
        fs::create_dir_all(self.own()).map_err(TrainError::Start)?;
        if !resume {
            fs::create_dir(&path).map_err(TrainError::Start)?;
        }
        let started = start_program(&path, kind, request);
        let started = started.and_then(|mut child| match wait_for(&path, &mut child) {
            Ok(()) => Ok(child),
            Err(why) => Err(why),
        });
        match started {
            Ok(child) => {
                *self.child() = Some((name.to_owned(), child));
                Ok(json!({ "name": name }))
            }
            Err(why) => {
                if !resume {
                    // Nothing was learned: the name is free again.
                    let _ = fs::remove_dir_all(&path);
                }
                Err(why)
            }
        }
    }

    /// The name of the run of the lab that is under way, whoever has started it.
    fn running(&self) -> Option<String> {
        let folder = self.own();
        let is_written = |name: &String| RunDir::writer(&folder.join(name)).is_some();
        self.child_name().or_else(|| names(folder).into_iter().find(is_written))
    }

    /// The name of the run that this lab has started, while it goes on.
    fn child_name(&self) -> Option<String> {
        let mut child = self.child();
        let (name, program) = child.as_mut()?;
        match program.try_wait() {
            Ok(None) => Some(name.clone()),
            _ => {
                *child = None;
                None
            }
        }
    }

    /// It stores each step whole or not at all, so that it may end anywhere.
    fn end_child(&self) {
        if let Some((_, mut child)) = self.child().take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    fn child(&self) -> MutexGuard<'_, Option<(String, Child)>> {
        locked(&self.child)
    }

    fn turn(&self) -> Result<MutexGuard<'_, ()>, TrainError> {
        self.turn.try_lock().map_err(|_| TrainError::Turn)
    }

    /// The folder of a run that exists.
    fn folder_of(&self, name: &str) -> Result<PathBuf, TrainError> {
        self.library.run(name).ok_or_else(|| TrainError::NoRun(name.to_owned()))
    }

    /// The folder of the lab's own runs.
    fn own(&self) -> &Path {
        &self.library.run_folders()[0]
    }
}

/// Starts this program with a request, to be answered in the background.
fn start_program(path: &Path, kind: &str, request: &impl Serialize) -> Result<Child, TrainError> {
    let trouble = TrainError::Start;
    let text = serde_json::to_vec(request).map_err(|error| trouble(error.into()))?;
    let log = File::create(path.join("log.txt")).map_err(trouble)?;
    let mut command = program::command().map_err(trouble)?;
    command.args(["ask", kind, "--quiet", "--threads", "1"]);
    // Nobody listens: it is followed by its files, and goes on if the lab is killed.
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::from(log));
    // A program is as urgent as the thread that starts it.
    let starting = thread::Builder::new().spawn(move || {
        priority::lower(priority::BACKGROUND);
        command.spawn()
    });
    let started = starting.map_err(trouble)?.join();
    let started = started.unwrap_or_else(|_| Err(io::Error::other("its starter failed")));
    let mut child = started.map_err(trouble)?;
    if let Some(mut input) = child.stdin.take() {
        // One that has ended already has said why.
        let _ = input.write_all(&text);
    }
    Ok(child)
}

/// Waits until a program has its run's folder. Bad arguments end it at once, with a message.
fn wait_for(path: &Path, child: &mut Child) -> Result<(), TrainError> {
    let begin = Instant::now();
    while RunDir::writer(path).is_none() || !StoredRun::is_at(path) {
        match child.try_wait() {
            // So short a run that it is done.
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(_)) => {
                let why = read(&path.join("log.txt")).unwrap_or_default();
                return Err(TrainError::Refused(why.trim().trim_start_matches("bellmino: ").to_owned()));
            }
            _ if begin.elapsed() > MAX_START => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(TrainError::Slow);
            }
            _ => thread::sleep(LOOK),
        }
    }
    Ok(())
}

/// The names of the runs in a folder.
fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return vec![] };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| is_name(name) && StoredRun::is_at(&folder.join(name))).take(MAX_RUNS).collect()
}

/// What the page says of a run; one that cannot be read has a name and nothing more.
fn describe(name: &str, own: bool, run: Option<&StoredRun>, is_running: bool) -> Value {
    let state = match run {
        _ if is_running => "running",
        Some(run) if run.is_done() => "done",
        _ => "stopped",
    };
    json!({
        "name": name,
        "own": own,
        "method": run.map(|run| run.config.method),
        "game": run.and_then(StoredRun::game),
        "steps": run.map_or(0, StoredRun::steps),
        "wanted": run.map(|run| run.config.plan.steps()),
        "state": state,
    })
}

/// What is asked for, with the game itself. Nothing that a page says becomes a path.
fn read_order(order: &TrainOrder, library: &Library) -> Result<TrainRequest, TrainError> {
    let fields = RequestKind::named(TrainRequest::NAME)?.fields();
    let names_a_file = |field: &str| {
        let value = fields["properties"][field]["x-value"].as_str().unwrap_or_default();
        ["FILE", "DIR", "NAME"].iter().any(|word| value.contains(word))
    };
    let mut request = order.request.clone();
    if let Some(field) = request.keys().find(|field| names_a_file(field) || *field == "text") {
        return Err(TrainError::Field(field.clone()));
    }
    let game = request.get("game").and_then(Value::as_str).unwrap_or_default();
    let text = library.game(game, &[])?.to_toml();
    request.insert("text".to_owned(), json!(text));
    if let Some(seed) = request.get_mut("seed") {
        // A page cannot hold every seed as a number.
        *seed = json!(crate::seed::read(&*seed).map_err(TrainError::Seed)?);
    }
    Ok(read_request(Value::Object(request))?)
}

impl TrainingRuns for Trainer {
    fn list(&self) -> Vec<Value> {
        Trainer::list(self)
    }

    fn curve(&self, name: &str) -> Result<Value, HostError> {
        Ok(Trainer::curve(self, name)?)
    }

    fn start(&self, order: &TrainOrder) -> Result<Value, HostError> {
        Ok(Trainer::start(self, order)?)
    }

    fn resume(&self, name: &str) -> Result<Value, HostError> {
        Ok(Trainer::resume(self, name)?)
    }

    fn stop(&self, name: Option<&str>) -> Result<(), HostError> {
        Ok(Trainer::stop(self, name)?)
    }

    fn remove(&self, name: &str) -> Result<(), HostError> {
        Ok(Trainer::remove(self, name)?)
    }
}

impl Drop for Trainer {
    fn drop(&mut self) {
        self.end_child();
    }
}

/// A file that the lab itself, or the program that it has started, has put into the folder of a run.
#[expect(clippy::disallowed_methods, reason = "of a run that was found by its name")]
fn read(path: &Path) -> Option<String> {
    read_text(path, MAX_FILE).ok()
}

#[cfg(test)]
mod tests;
