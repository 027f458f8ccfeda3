//! Training runs: started by the lab as a program of its own, followed by its files, stopped and resumed.
//!
//! A run is a folder (see [`StoredRun`]): those the lab starts lie in `runs` of the data folder, those of the command line
//! in `runs` of the folder the lab was started in. The lab reads both and runs at most one itself. Who writes to a run has
//! locked its folder, so that a lab that starts finds the training that an earlier one left behind.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use bellmino_engine::Game;
use bellmino_host::files::write_whole;
use bellmino_host::load::read_text;
use bellmino_host::program;
use bellmino_host::{RunDir, StoredRun};
use bellmino_lab::training::{Approach, Ground, Method, Recipe, Training, choose_features};
use bellmino_learn::{TuplePlan, Window, WindowError};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::library::{Library, is_name};
use crate::locked::locked;
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

/// What the lab keeps beside a run to resume it: the arguments it was started with.
const ARGUMENTS: &str = "lab.json";

/// The runs there are, and the one under way.
pub struct Trainer {
    library: Library,
    /// One start or stop at a time.
    turn: Mutex<()>,
    /// The program that this lab has started.
    child: Mutex<Option<(String, Child)>>,
}

/// A run to start.
#[derive(Clone, Debug, Deserialize)]
pub struct Order {
    /// Its name.
    name: String,
    /// `cem`, `cma-es`, `snes`, `td`, `cbmpi` or `tuples`.
    method: Method,
    /// A placement game of the library.
    game: String,
    /// A set of features; not for `tuples`.
    #[serde(default)]
    features: String,
    /// Generations, for `td` episodes, for `cbmpi` iterations, for `tuples` steps.
    steps: u32,
    /// Games for each candidate; not for `td` and `tuples`.
    #[serde(default)]
    games: u32,
    /// What `tuples` take.
    tuples: Option<TupleOrder>,
    /// Seed of everything random.
    #[serde(deserialize_with = "crate::seed::read")]
    seed: u64,
}

/// How a value over windows of the board is to be learned.
#[derive(Clone, Debug, Deserialize)]
struct TupleOrder {
    /// The windows, as `4x4,3x5`; empty for those that suit the board.
    windows: String,
    /// Moves in a step.
    moves: u32,
    /// The part of an error that is corrected at once.
    rate: f64,
    /// The probability of any placement instead of the best.
    curiosity: f64,
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
    pub fn curve(&self, name: &str) -> Result<Value, String> {
        let path = self.folder_of(name)?;
        let run = StoredRun::open(&path).map_err(|error| error.to_string())?;
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
    pub fn start(&self, order: &Order) -> Result<Value, String> {
        let _turn = self.turn()?;
        if !is_name(&order.name) {
            return Err("a name has 1 to 60 letters, digits, dots, dashes and underscores".to_owned());
        }
        if self.folder_of(&order.name).is_ok() {
            return Err(format!("there is a run `{}` already; choose another name", order.name));
        }
        let game = self.library.game(&order.game, &[])?;
        let own = match (order.method, &order.tuples) {
            (Method::Tune, _) => {
                return Err("the lab trains by cem, cma-es, snes, td, cbmpi or tuples".to_owned());
            }
            (Method::Tuples, None) => {
                return Err("tuples need windows, moves, a rate and curiosity".to_owned());
            }
            (Method::Tuples, Some(tuples)) => tuples.arguments(game, order)?,
            _ => order.features_and_games(&game)?,
        };
        let game = self.library.game_argument(&order.game)?;
        let steps = format!("--{}", order.method.steps());
        let (count, seed) = (order.steps.to_string(), order.seed.to_string());
        let common = ["train", order.method.name(), &game, &steps, &count, "--seed", &seed];
        let arguments: Vec<String> = common.into_iter().map(str::to_owned).chain(own).collect();
        self.run(&order.name, &arguments, false)
    }

    /// Goes on with a run that the lab had started.
    pub fn resume(&self, name: &str) -> Result<Value, String> {
        let _turn = self.turn()?;
        let path = self.folder_of(name)?;
        let text = read(&path.join(ARGUMENTS)).map_err(|_| {
            "this run was started on the command line; resume it there with --resume".to_owned()
        })?;
        let arguments: Vec<String> = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        if arguments.first().is_none_or(|first| first != "train") {
            return Err(format!("{ARGUMENTS} of this run is damaged; resume it on the command line"));
        }
        self.run(name, &arguments, true)
    }

    /// Ends the run under way, also one that an earlier lab has started; what it has stored stays.
    pub fn stop(&self, name: Option<&str>) -> Result<(), String> {
        let _turn = self.turn()?;
        let Some(running) = self.running() else { return Ok(()) };
        if name.is_some_and(|name| name != running) {
            return Err(format!("`{running}` is being trained, and no other run of the lab"));
        }
        let path = self.own().join(&running);
        RunDir::ask_to_stop(&path).map_err(|error| format!("cannot stop `{running}`: {error}"))?;
        let begin = Instant::now();
        while begin.elapsed() < MAX_STOP {
            if self.running().is_none() {
                return Ok(());
            }
            thread::sleep(LOOK);
        }
        if self.child_name().is_none() {
            return Err(format!("`{running}` was asked to stop and will do so at its next pause"));
        }
        self.end_child();
        Ok(())
    }

    /// Forgets a run of the lab that nobody is at, with all its files.
    pub fn remove(&self, name: &str) -> Result<(), String> {
        let _turn = self.turn()?;
        let path = self.folder_of(name)?;
        if path.parent() != Some(self.own()) {
            return Err(format!("`{name}` is a run of the command line; its folder is {}", path.display()));
        }
        if self.child_name().as_deref() == Some(name) || RunDir::writer(&path).is_some() {
            return Err(format!("`{name}` is being trained; stop it first"));
        }
        // Out of the list at once, whatever happens to the files then.
        let aside = self.own().join(format!(".removed-{name}"));
        let trouble = |error: std::io::Error| format!("cannot delete `{name}`: {error}");
        let _ = fs::remove_dir_all(&aside);
        fs::rename(&path, &aside).map_err(trouble)?;
        fs::remove_dir_all(&aside).map_err(trouble)
    }

    fn run(&self, name: &str, arguments: &[String], resume: bool) -> Result<Value, String> {
        if let Some(other) = self.running() {
            return Err(format!("`{other}` is being trained; stop it first"));
        }
        let path = self.own().join(name);
        let trouble = |error: std::io::Error| format!("cannot start the training: {error}");
        fs::create_dir_all(self.own()).map_err(trouble)?;
        if !resume {
            fs::create_dir(&path).map_err(trouble)?;
        }
        let started = self.start_program(&path, arguments, resume);
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

    fn start_program(&self, path: &Path, arguments: &[String], resume: bool) -> Result<Child, String> {
        let trouble = |error: std::io::Error| format!("cannot start the training: {error}");
        let text = serde_json::to_string(arguments).map_err(|error| error.to_string())?;
        write_whole(&path.join(ARGUMENTS), |out| out.write_all(text.as_bytes())).map_err(trouble)?;
        let log = File::create(path.join("log.txt")).map_err(trouble)?;
        let mut command = program::command().map_err(trouble)?;
        command.args(arguments).arg("--run").arg(path).args(["--quiet", "--threads", "1"]);
        if resume {
            command.arg("--resume");
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::from(log));
        // A program is as urgent as the thread that starts it.
        let starting = thread::Builder::new().spawn(move || {
            priority::lower(priority::BACKGROUND);
            command.spawn()
        });
        let started = starting.map_err(trouble)?.join();
        started.unwrap_or_else(|_| Err(std::io::Error::other("its starter failed"))).map_err(trouble)
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

    fn turn(&self) -> Result<MutexGuard<'_, ()>, String> {
        self.turn.try_lock().map_err(|_| "training is just being started or stopped; try again".to_owned())
    }

    /// The folder of a run that exists.
    fn folder_of(&self, name: &str) -> Result<PathBuf, String> {
        self.library.run(name).ok_or_else(|| format!("there is no run `{name}`"))
    }

    /// The folder of the lab's own runs.
    fn own(&self) -> &Path {
        &self.library.run_folders()[0]
    }
}

/// Waits until a program has its run's folder. Bad arguments end it at once, with a message.
fn wait_for(path: &Path, child: &mut Child) -> Result<(), String> {
    let begin = Instant::now();
    while RunDir::writer(path).is_none() || !StoredRun::is_at(path) {
        match child.try_wait() {
            // So short a run that it is done.
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(_)) => {
                let why = read(&path.join("log.txt")).unwrap_or_default();
                return Err(why.trim().trim_start_matches("bellmino: ").to_owned());
            }
            _ if begin.elapsed() > MAX_START => {
                let _ = child.kill();
                let _ = child.wait();
                return Err("the training did not start in time; try again".to_owned());
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

impl Order {
    /// The arguments of all methods but `tuples`, checked.
    fn features_and_games(&self, game: &Game) -> Result<Vec<String>, String> {
        Ground::new(game, self.method, None)
            .and_then(|ground| choose_features(&self.features, &ground, "features"))
            .map_err(|error| error.to_string())?;
        let mut arguments = vec!["--features".to_owned(), self.features.clone()];
        if self.method != Method::Td {
            arguments.extend(["--games".to_owned(), self.games.to_string()]);
        }
        Ok(arguments)
    }
}

impl TupleOrder {
    /// The arguments of `tuples`, checked: what the command would refuse is refused here.
    fn arguments(&self, game: Game, order: &Order) -> Result<Vec<String>, String> {
        let texts = self.windows.split(',').map(str::trim).filter(|text| !text.is_empty());
        let windows: Result<Vec<Window>, WindowError> = texts.map(str::parse).collect();
        let windows = windows.map_err(|error| error.to_string())?;
        if !(self.rate > 0.0 && self.rate.is_finite()) {
            return Err(format!("{} is no rate; give more than 0", self.rate));
        }
        if self.moves == 0 {
            return Err("a step has at least one move".to_owned());
        }
        let plan = TuplePlan {
            windows: windows.clone(),
            steps: order.steps.into(),
            moves: self.moves.into(),
            rate: self.rate,
            curiosity: self.curiosity,
            ..TuplePlan::default()
        };
        let approach = Approach::Tuples(plan);
        Training::new(&Recipe { game, seed: order.seed, features: None, low: None, approach })
            .map_err(|error| error.to_string())?;
        let mut arguments = Vec::new();
        for (option, value) in [
            ("--moves", self.moves.to_string()),
            ("--rate", self.rate.to_string()),
            ("--curiosity", self.curiosity.to_string()),
        ] {
            arguments.extend([option.to_owned(), value]);
        }
        if !windows.is_empty() {
            let windows: Vec<String> = windows.iter().map(Window::to_string).collect();
            arguments.extend(["--windows".to_owned(), windows.join(",")]);
        }
        Ok(arguments)
    }
}

impl Drop for Trainer {
    fn drop(&mut self) {
        self.end_child();
    }
}

/// A file that the lab itself, or the program that it has started, has put into the folder of a run.
#[expect(clippy::disallowed_methods, reason = "of a run that was found by its name")]
fn read(path: &Path) -> Result<String, String> {
    read_text(path, MAX_FILE).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
