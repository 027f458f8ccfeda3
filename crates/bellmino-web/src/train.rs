//! Training runs: started by the lab as a program of its own, followed by its files, stopped and resumed.
//!
//! A run is a folder (see [`StoredRun`]): those the lab starts lie in `runs` of the data folder, those of the command line
//! in `runs` of the folder the lab was started in. The lab reads both and runs at most one itself.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use bellmino_lab::load::read_text;
use bellmino_lab::training::{Method, StoredRun};
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
    /// `cem`, `cma-es`, `snes`, `td` or `cbmpi`.
    method: Method,
    /// A built-in placement game.
    game: String,
    /// A set of features.
    features: String,
    /// Generations, for `td` episodes, for `cbmpi` iterations.
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
                if !is_name(&name) || !StoredRun::is_at(&path) {
                    continue;
                }
                let run = StoredRun::open(&path).ok();
                let changed = run.as_ref().and_then(|run| run.changed);
                let is_mine = place == 0 && mine.as_deref() == Some(name.as_str());
                runs.push((changed, describe(&name, place == 0, run.as_ref(), is_mine)));
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
        }))
    }

    /// Starts a run.
    pub fn start(&self, order: &Order) -> Result<Value, String> {
        if !is_name(&order.name) {
            return Err("a name has 1 to 40 letters, digits, dots, dashes and underscores".to_owned());
        }
        if self.folder_of(&order.name).is_ok() {
            return Err(format!("there is a run `{}` already; choose another name", order.name));
        }
        let (method, steps) = (order.method.name(), format!("--{}", order.method.steps()));
        let (count, games, seed) = (order.steps.to_string(), order.games.to_string(), order.seed.to_string());
        let mut arguments = vec!["train", method, &order.game, "--features", &order.features];
        arguments.extend([steps.as_str(), &count, "--seed", &seed]);
        if order.method != Method::Td {
            arguments.extend(["--games", &games]);
        }
        let arguments: Vec<String> = arguments.into_iter().map(str::to_owned).collect();
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

    /// The player that a run makes.
    pub fn player(&self, name: &str) -> Option<String> {
        StoredRun::open(&self.folder_of(name).ok()?).ok()?.player()
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
        let found = self.folders.iter().map(|folder| folder.join(name)).find(|path| StoredRun::is_at(path));
        found.filter(|_| is_name(name)).ok_or_else(|| format!("there is no run `{name}`"))
    }
}

/// What the page says of a run; one that cannot be read has a name and nothing more.
fn describe(name: &str, own: bool, run: Option<&StoredRun>, is_mine: bool) -> Value {
    let is_recent =
        run.and_then(|run| run.changed?.elapsed().ok()).is_some_and(|passed| !own && passed < RECENT);
    let state = match run {
        _ if is_mine => "running",
        Some(run) if run.is_done() => "done",
        _ if is_recent => "running",
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

#[cfg(test)]
mod tests {
    use super::*;
    use bellmino_engine::Game;
    use bellmino_lab::training::{
        Approach, Recipe, RunDir, SearchMethod, SearchOptions, Training, TuningPlan,
    };
    use bellmino_learn::CbmpiPlan;

    #[test]
    fn runs_are_listed_and_their_curves_read() {
        let data = tempfile::tempdir().unwrap();
        let trainer = Trainer {
            folders: [data.path().join("runs"), data.path().join("elsewhere")],
            under_way: Mutex::default(),
        };
        assert_eq!(trainer.list(), Vec::<Value>::new());
        let few = SearchOptions { generations: Some(3), ..few() };
        train(&data.path().join("elsewhere/first"), "classic", Approach::Search(SearchMethod::Snes, few), 3);
        let list = trainer.list();
        assert_eq!((list.len(), &list[0]["state"], &list[0]["game"]), (1, &json!("done"), &json!("classic")));
        assert_eq!((&list[0]["method"], &list[0]["wanted"]), (&json!("snes"), &json!(3)));
        let curve = trainer.curve("first").unwrap();
        assert_eq!(curve["columns"][0], json!("generation"));
        assert_eq!((&curve["rows"][2][0], &curve["plays"]), (&json!(3.0), &json!(true)));
        assert!(curve["weights"]["weights"]["holes"].is_number());
        assert!(trainer.curve("../first").is_err() && trainer.curve("second").is_err());
        assert!(trainer.resume("first").unwrap_err().contains("command line"));
    }

    /// Policy iteration has generations of its own inside; how many iterations there are is what counts.
    #[test]
    fn policy_iteration_is_done_after_its_iterations() {
        let data = tempfile::tempdir().unwrap();
        let trainer = Trainer::new(data.path());
        let plan = CbmpiPlan {
            iterations: 2,
            states: 8,
            horizon: 5,
            games: 2,
            generations: 4,
            ..CbmpiPlan::default()
        };
        let approach =
            || Approach::Cbmpi { plan: plan.clone(), value_features: "holes".to_owned(), start: None };
        let state = |name: &str| {
            let list = trainer.list();
            let run = list.iter().find(|run| run["name"] == name).unwrap();
            (run["steps"].clone(), run["wanted"].clone(), run["state"].clone())
        };
        train(&data.path().join("runs/half"), "small", approach(), 1);
        train(&data.path().join("runs/whole"), "small", approach(), 2);
        assert_eq!(state("half"), (json!(1), json!(2), json!("stopped")));
        assert_eq!(state("whole"), (json!(2), json!(2), json!("done")));
    }

    /// A run of the look-ahead bot makes a player that can be loaded.
    #[test]
    fn a_tuned_bot_plays() {
        let data = tempfile::tempdir().unwrap();
        let trainer = Trainer::new(data.path());
        let plan = TuningPlan { pieces: 30, games: 1, nodes: 100, generations: 1, ..TuningPlan::default() };
        train(&data.path().join("runs/bot"), "blitz", Approach::Tune { plan, start: None }, 1);
        let player = trainer.player("bot").unwrap();
        assert!(player.starts_with("bot:"), "{player}");
        assert!(bellmino_lab::Player::of_guideline(&player, None).is_ok());
        let (list, curve) = (trainer.list(), trainer.curve("bot").unwrap());
        assert_eq!((&list[0]["method"], &list[0]["state"]), (&json!("tune"), &json!("done")));
        assert!(curve["weights"]["weights"].as_object().unwrap().len() > 10);
    }

    fn few() -> SearchOptions {
        SearchOptions { population: Some(4), games: Some(1), cap: Some(20), ..SearchOptions::default() }
    }

    /// A run of so many steps in this folder.
    fn train(path: &Path, game: &str, approach: Approach, steps: usize) {
        let game = Game::built_in(game, &[]).unwrap().unwrap();
        let recipe = Recipe { game, seed: 1, features: None, low: None, approach };
        let mut training = Training::new(&recipe).unwrap();
        let mut run = RunDir::create(path, &training).unwrap();
        for _ in 0..steps {
            assert!(training.step(&|| true).unwrap());
            run.store(&training, training.weights().as_deref()).unwrap();
        }
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
