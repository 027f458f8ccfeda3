//! Training runs: started by the lab as a program of its own, followed by its files, stopped and resumed.
//!
//! A run is a folder (see `rundir`): those the lab starts lie in `runs` of the data folder, those of the command line
//! in `runs` of the folder the lab was started in. The lab reads both and runs at most one itself.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use bellmino_lab::load::read_text;
use serde::Deserialize;
use serde_json::{Value, json};

/// The largest file of a run that is read.
const MAX_FILE: u64 = 8 << 20;

/// The most rows of a curve that are sent; more are thinned out.
const MAX_ROWS: usize = 2000;

/// The most runs in the list.
const MAX_RUNS: usize = 200;

/// A run of the command line whose curve grew so recently is taken to be going on.
const RECENT: Duration = Duration::from_secs(10);

/// What the lab keeps beside a run to resume it: the arguments it was started with.
const ARGUMENTS: &str = "lab.json";

/// The runs there are, and the one under way.
pub struct Trainer {
    /// Folders of runs: the lab's own first.
    folders: [PathBuf; 2],
    under_way: Mutex<Option<(String, Child)>>,
}

/// A run to start.
#[derive(Clone, Debug, Deserialize)]
pub struct Order {
    /// Its name.
    name: String,
    /// `cem`, `cma-es`, `snes` or `td`.
    method: String,
    /// A built-in placement game.
    game: String,
    /// A set of features.
    features: String,
    /// Generations, or episodes for `td`.
    steps: u32,
    /// Games for each candidate.
    games: u32,
    /// Seed of everything random.
    seed: u64,
}

impl Trainer {
    /// A trainer whose own runs go into the data folder.
    pub fn new(data: &Path) -> Trainer {
        Trainer { folders: [data.join("runs"), PathBuf::from("runs")], under_way: Mutex::new(None) }
    }

    /// Every run, the newest first.
    pub fn list(&self) -> Vec<Value> {
        let mine = self.running();
        let mut runs = Vec::new();
        for (place, folder) in self.folders.iter().enumerate() {
            let Ok(entries) = fs::read_dir(folder) else { continue };
            for entry in entries.flatten().take(MAX_RUNS) {
                let Ok(name) = entry.file_name().into_string() else { continue };
                let path = entry.path();
                if !is_name(&name) || !path.join("config.json").is_file() {
                    continue;
                }
                let changed = fs::metadata(path.join("curve.csv")).and_then(|file| file.modified()).ok();
                runs.push((changed, self.describe(&name, place, &path, changed, mine.as_deref())));
            }
        }
        runs.sort_by_key(|(changed, _)| std::cmp::Reverse(*changed));
        runs.into_iter().map(|(_, run)| run).take(MAX_RUNS).collect()
    }

    /// The learning curve of a run, as columns and rows, and what it has learned.
    pub fn curve(&self, name: &str) -> Result<Value, String> {
        let path = self.folder_of(name)?;
        let text = read(&path.join("curve.csv"))?;
        let mut lines = text.lines();
        let columns: Vec<&str> = lines.next().unwrap_or("").split(',').collect();
        let rows: Vec<Vec<Option<f64>>> =
            lines.map(|line| line.split(',').map(|cell| cell.parse().ok()).collect()).collect();
        let every = rows.len().div_ceil(MAX_ROWS).max(1);
        let rows: Vec<_> = rows.iter().step_by(every).collect();
        let weights: Option<Value> =
            read(&path.join("weights.json")).ok().and_then(|text| serde_json::from_str(&text).ok());
        Ok(json!({ "name": name, "columns": columns, "rows": rows, "weights": weights }))
    }

    /// Starts a run.
    pub fn start(&self, order: &Order) -> Result<Value, String> {
        if !is_name(&order.name) {
            return Err("a name has 1 to 40 letters, digits, dots, dashes and underscores".to_owned());
        }
        if self.folder_of(&order.name).is_ok() {
            return Err(format!("there is a run `{}` already; choose another name", order.name));
        }
        let steps = if order.method == "td" { "--episodes" } else { "--generations" };
        let mut arguments: Vec<String> =
            ["train", &order.method, &order.game, "--features", &order.features].map(str::to_owned).to_vec();
        arguments.extend([
            steps.to_owned(),
            order.steps.to_string(),
            "--seed".to_owned(),
            order.seed.to_string(),
        ]);
        if order.method != "td" {
            arguments.extend(["--games".to_owned(), order.games.to_string()]);
        }
        self.run(&order.name, &arguments, false)
    }

    /// Goes on with a run that the lab had started.
    pub fn resume(&self, name: &str) -> Result<Value, String> {
        let path = self.folder_of(name)?;
        let text = read(&path.join(ARGUMENTS)).map_err(|_| {
            "this run was started on the command line; resume it there with --resume".to_owned()
        })?;
        let arguments: Vec<String> = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        self.run(name, &arguments, true)
    }

    /// Ends the run under way; what it has stored stays.
    pub fn stop(&self) {
        if let Some((_, child)) = self.under_way().as_mut() {
            // It stores each step whole or not at all, so that it may end anywhere.
            let _ = child.kill();
            let _ = child.wait();
        }
        self.under_way().take();
    }

    /// The weights a run has learned, for a player.
    pub fn weights(&self, name: &str) -> Option<PathBuf> {
        let path = self.folder_of(name).ok()?.join("weights.json");
        path.is_file().then_some(path)
    }

    fn run(&self, name: &str, arguments: &[String], resume: bool) -> Result<Value, String> {
        if let Some(other) = self.running() {
            return Err(format!("`{other}` is being trained; stop it first"));
        }
        let path = self.folders[0].join(name);
        let trouble = |error: std::io::Error| format!("cannot start the training: {error}");
        fs::create_dir_all(&path).map_err(trouble)?;
        let log = File::create(path.join("log.txt")).map_err(trouble)?;
        let text = serde_json::to_string(arguments).map_err(|error| error.to_string())?;
        fs::write(path.join(ARGUMENTS), text).map_err(trouble)?;
        let program = std::env::current_exe().map_err(trouble)?;
        let mut command = Command::new(program);
        command.args(arguments).arg("--run").arg(&path).args(["--quiet", "--threads", "1"]);
        if resume {
            command.arg("--resume");
        }
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::from(log))
            .spawn()
            .map_err(trouble)?;
        // Bad arguments end it at once, with a message.
        std::thread::sleep(Duration::from_millis(150));
        if let Ok(Some(status)) = child.try_wait()
            && !status.success()
        {
            let why = read(&path.join("log.txt")).unwrap_or_default();
            if !resume {
                // Nothing was learned: the name is free again.
                let _ = fs::remove_dir_all(&path);
            }
            return Err(why.trim().trim_start_matches("bellmino: ").to_owned());
        }
        *self.under_way() = Some((name.to_owned(), child));
        Ok(json!({ "name": name }))
    }

    /// The name of the run under way.
    fn running(&self) -> Option<String> {
        let mut under_way = self.under_way();
        let (name, child) = under_way.as_mut()?;
        match child.try_wait() {
            Ok(None) => Some(name.clone()),
            _ => {
                *under_way = None;
                None
            }
        }
    }

    fn under_way(&self) -> std::sync::MutexGuard<'_, Option<(String, Child)>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The folder of a run that exists.
    fn folder_of(&self, name: &str) -> Result<PathBuf, String> {
        let found = self
            .folders
            .iter()
            .map(|folder| folder.join(name))
            .find(|path| path.join("config.json").is_file());
        found.filter(|_| is_name(name)).ok_or_else(|| format!("there is no run `{name}`"))
    }

    fn describe(
        &self,
        name: &str,
        place: usize,
        path: &Path,
        changed: Option<SystemTime>,
        mine: Option<&str>,
    ) -> Value {
        let config: Value = read(&path.join("config.json"))
            .ok()
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default();
        let steps = read(&path.join("curve.csv")).map_or(0, |text| text.lines().count().saturating_sub(1));
        let wanted = find(&config["plan"], &["generations", "episodes"]).and_then(Value::as_u64);
        let game =
            config["game"].as_str().unwrap_or("").lines().find_map(|line| line.strip_prefix("name = "));
        let is_recent = changed.and_then(|time| time.elapsed().ok()).is_some_and(|passed| passed < RECENT);
        let state = match () {
            () if place == 0 && mine == Some(name) => "running",
            () if wanted.is_some_and(|wanted| steps as u64 >= wanted) => "done",
            () if place == 1 && is_recent => "running",
            () => "stopped",
        };
        json!({
            "name": name,
            "own": place == 0,
            "method": config["method"],
            "game": game.map(|game| game.trim_matches('"')),
            "steps": steps,
            "wanted": wanted,
            "state": state,
        })
    }
}

impl Drop for Trainer {
    fn drop(&mut self) {
        self.stop();
    }
}

/// A name that is a single folder.
fn is_name(name: &str) -> bool {
    let fits = |letter: u8| letter.is_ascii_alphanumeric() || matches!(letter, b'-' | b'_' | b'.');
    (1..=40).contains(&name.len()) && name.bytes().all(fits) && !name.starts_with('.')
}

fn read(path: &Path) -> Result<String, String> {
    read_text(path, MAX_FILE).map_err(|error| error.to_string())
}

/// The first value under one of these keys, however deep.
fn find<'a>(value: &'a Value, keys: &[&str]) -> Option<&'a Value> {
    let object = value.as_object()?;
    keys.iter()
        .find_map(|key| object.get(*key))
        .or_else(|| object.values().find_map(|inner| find(inner, keys)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_listed_and_their_curves_read() {
        let data = tempfile::tempdir().unwrap();
        let trainer = Trainer {
            folders: [data.path().join("runs"), data.path().join("elsewhere")],
            under_way: Mutex::default(),
        };
        assert_eq!(trainer.list(), Vec::<Value>::new());
        let run = data.path().join("elsewhere/first");
        fs::create_dir_all(&run).unwrap();
        let config = json!({ "method": "cem", "game": "name = \"classic\"\n", "plan": { "search": { "generations": 3 } } });
        fs::write(run.join("config.json"), config.to_string()).unwrap();
        fs::write(run.join("curve.csv"), "generation,mean\n1,2.5\n2,NaN\n3,4\n").unwrap();
        let list = trainer.list();
        assert_eq!((list.len(), &list[0]["state"], &list[0]["game"]), (1, &json!("done"), &json!("classic")));
        let curve = trainer.curve("first").unwrap();
        assert_eq!(curve["columns"], json!(["generation", "mean"]));
        assert_eq!(curve["rows"][2], json!([3.0, 4.0]));
        assert!(trainer.curve("../first").is_err() && trainer.curve("second").is_err());
        assert!(trainer.resume("first").unwrap_err().contains("command line"));
    }

    #[test]
    fn names_are_single_folders() {
        for name in ["a", "run-1", "x_y.z"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", ".", "..", ".hidden", "a/b", "a\\b", "ä", &"x".repeat(41)] {
            assert!(!is_name(name), "{name}");
        }
    }
}
