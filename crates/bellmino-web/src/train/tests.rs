use super::*;
use bellmino_engine::Game;
use bellmino_lab::training::{Approach, Recipe, SearchMethod, SearchOptions, Training, TuneFields};
use bellmino_learn::{CbmpiPlan, TuplePlan};

#[test]
fn runs_are_listed_and_their_curves_read() {
    let data = tempfile::tempdir().unwrap();
    let library = Library::new(data.path()).with_other_runs(data.path().join("elsewhere"));
    let trainer = Trainer::new(&library);
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
    assert_eq!(curve["unit"], json!("lines per lost game"));
    assert!(trainer.curve("../first").is_err() && trainer.curve("second").is_err());
    assert!(trainer.resume("first").unwrap_err().to_string().contains("command line"));
}

#[test]
fn a_run_is_deleted_if_it_is_the_labs_and_nobody_is_at_it() {
    let data = tempfile::tempdir().unwrap();
    let library = Library::new(data.path()).with_other_runs(data.path().join("elsewhere"));
    let trainer = Trainer::new(&library);
    let search = || Approach::Search(SearchMethod::Snes, few());
    train(&data.path().join("runs/mine"), "baby", search(), 1);
    train(&data.path().join("elsewhere/other"), "baby", search(), 1);
    assert!(trainer.remove("other").unwrap_err().to_string().contains("command line"));
    assert!(trainer.remove("../mine").is_err() && trainer.remove("none").is_err());
    let game = Game::built_in("baby", &[]).unwrap().unwrap();
    let recipe = Recipe { game, seed: 1, features: None, low: None, approach: search() };
    let writer = RunDir::create(&data.path().join("runs/busy"), &Training::new(&recipe).unwrap()).unwrap();
    assert!(trainer.remove("busy").unwrap_err().to_string().contains("stop it first"));
    drop(writer);
    trainer.remove("mine").unwrap();
    assert!(!data.path().join("runs/mine").exists() && !data.path().join("runs/.removed-mine").exists());
    let names: Vec<_> = trainer.list().iter().map(|run| run["name"].clone()).collect();
    assert!(!names.contains(&json!("mine")) && names.contains(&json!("other")), "{names:?}");
}

/// Policy iteration has generations of its own inside; how many iterations there are is what counts.
#[test]
fn policy_iteration_is_done_after_its_iterations() {
    let data = tempfile::tempdir().unwrap();
    let trainer = Trainer::new(&Library::new(data.path()));
    let plan =
        CbmpiPlan { iterations: 2, states: 8, horizon: 5, games: 2, generations: 4, ..CbmpiPlan::default() };
    let approach = || Approach::Cbmpi { plan: plan.clone(), value_features: "holes".to_owned(), start: None };
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
    let trainer = Trainer::new(&Library::new(data.path()));
    let plan = TuneFields { pieces: 30, games: 1, nodes: 100, generations: 1, ..TuneFields::default() };
    train(&data.path().join("runs/bot"), "blitz", Approach::Tune { plan, start: None }, 1);
    let blitz = Game::built_in("blitz", &[]).unwrap().unwrap();
    assert!(trainer.library.player("run:bot", &blitz).is_ok());
    let (list, curve) = (trainer.list(), trainer.curve("bot").unwrap());
    assert_eq!((&list[0]["method"], &list[0]["state"]), (&json!("tune"), &json!("done")));
    assert!(curve["weights"]["weights"].as_object().unwrap().len() > 10);
}

/// A run of tuples has a curve and a player, on the board it was learned on.
#[test]
fn learned_tuples_play() {
    let data = tempfile::tempdir().unwrap();
    let trainer = Trainer::new(&Library::new(data.path()));
    let plan = TuplePlan { steps: 3, moves: 500, ..TuplePlan::default() };
    train(&data.path().join("runs/tables"), "small", Approach::Tuples(plan), 3);
    let (list, curve) = (trainer.list(), trainer.curve("tables").unwrap());
    assert_eq!((&list[0]["method"], &list[0]["state"]), (&json!("tuples"), &json!("done")));
    assert_eq!((&curve["rows"][2][4], &curve["weights"]), (&json!(1500.0), &Value::Null));
    assert_eq!((&curve["plays"], &curve["unit"]), (&json!(true), &json!("points per game")));
    let plays = |game: &str| {
        let game = Game::built_in(game, &[]).unwrap().unwrap();
        trainer.library.player("run:tables", &game).is_ok()
    };
    assert!(plays("small") && !plays("classic"));
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

/// What a page says becomes neither an option nor a path.
#[test]
fn orders_are_checked_before_anything_is_started() {
    let data = tempfile::tempdir().unwrap();
    let trainer = Trainer::new(&Library::new(data.path()));
    let order = |changes: Value| {
        let mut order = json!({
            "name": "a", "method": "cem", "game": "classic", "features": "lee", "generations": 1, "games": 1, "seed": "1"
        });
        order.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        serde_json::from_value::<TrainOrder>(order).map_err(|error| error.to_string())
    };
    let tuples = |changes: Value| {
        let mut order =
            json!({ "name": "a", "method": "tuples", "game": "classic", "moves": 1000, "rate": 1 });
        order.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        serde_json::from_value::<TrainOrder>(order).map_err(|error| error.to_string())
    };
    for (order, expected) in [
        (order(json!({ "method": "--help" })), "`method`: give `cem`, `cma-es`"),
        (order(json!({ "method": "" })), "`method`: give `cem`, `cma-es`"),
        (order(json!({ "method": "tune" })), "`method`: give `cem`, `cma-es`"),
        (order(json!({ "game": "--help" })), "--help"),
        (order(json!({ "game": "/dev/zero" })), "/dev/zero"),
        (order(json!({ "game": "/etc/shadow" })), "/etc/shadow"),
        (order(json!({ "features": "--help" })), "--help"),
        (order(json!({ "start": "/etc/shadow" })), "`start` cannot be given here"),
        (order(json!({ "run": "elsewhere" })), "`run` cannot be given here"),
        (order(json!({ "output": "elsewhere" })), "`output` cannot be given here"),
        (order(json!({ "plot": "elsewhere" })), "`plot` cannot be given here"),
        (order(json!({ "text": "" })), "`text` cannot be given here"),
        (order(json!({ "resume": true })), "`resume`"),
        (order(json!({ "moves": 3 })), "`moves`: is for tuples, not for cem"),
        (order(json!({ "seed": "x" })), "a whole number"),
        (tuples(json!({ "windows": ["--help"] })), "`--help` is no window"),
        (tuples(json!({ "windows": ["4x4,4x4"] })), "stands twice"),
        (tuples(json!({ "windows": ["11x1"] })), "does not fit a board 10 wide"),
        (tuples(json!({ "moves": 0 })), "`moves`: give a whole number from 1"),
        (tuples(json!({ "rate": -1 })), "`rate`: give a number above 0, not -1"),
        (tuples(json!({ "curiosity": 2 })), "`curiosity`: give a number from 0 to 1, not 2"),
        (order(json!({ "name": "--resume" })), "a name has"),
        (order(json!({ "name": "../a" })), "a name has"),
    ] {
        let why = trainer.start(&order.unwrap()).unwrap_err().to_string();
        assert!(why.contains(expected) && !why.contains("root:"), "{why}");
    }
    assert!(!data.path().join("runs").exists(), "nothing was started");
    let _turn = trainer.turn().unwrap();
    assert!(
        trainer.start(&order(json!({})).unwrap()).unwrap_err().to_string().contains("just being started")
    );
}

/// Training that goes on in the folder of a lab that was killed is found, shown and stopped.
#[test]
fn living_runs_are_found_and_reached() {
    let data = tempfile::tempdir().unwrap();
    let path = data.path().join("runs/left");
    let game = Game::built_in("small", &[]).unwrap().unwrap();
    let approach =
        Approach::Search(SearchMethod::Snes, SearchOptions { generations: Some(1 << 20), ..few() });
    let recipe = Recipe { game, seed: 1, features: None, low: None, approach };
    let mut training = Training::new(&recipe).unwrap();
    let mut folder = RunDir::create(&path, &training).unwrap();
    let refused = RunDir::create(&path, &training).unwrap_err().to_string();
    assert!(refused.contains(&format!("in use by process {}", std::process::id())), "{refused}");
    let left = thread::spawn(move || folder.run(&mut training, None, &|| true, &mut |_| {}));
    let trainer = Trainer::new(&Library::new(data.path()));
    assert_eq!(trainer.list()[0]["state"], "running");
    assert!(trainer.resume("left").is_err(), "there is a writer");
    assert!(trainer.stop(Some("other")).unwrap_err().to_string().contains("`left` is being trained"));
    trainer.stop(Some("left")).unwrap();
    assert_eq!(left.join().unwrap().unwrap(), bellmino_lab::training::TrainingEnd::Interrupted);
    assert_eq!(trainer.list()[0]["state"], "stopped");
}
