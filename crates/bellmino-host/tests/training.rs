//! Training as a library: whoever does the work, in whatever order and parts, the outcome is the same.

use std::fs;

use bellmino_engine::{Game, Override};
use bellmino_host::{Files, RunDir, StoredRun};
use bellmino_lab::Player;
use bellmino_lab::checksum::unsealed;
use bellmino_lab::training::{
    Approach, CemOptions, Method, Recipe, SearchAim, SearchMethod, SearchOptions, TakeError, Training,
    TrainingError, TuneFields, TuningMethod, VALUE_FEATURES, Work, WorkResult,
};
use bellmino_learn::{CbmpiPlan, TdPlan, TuplePlan};
use proptest::prelude::*;

fn game(name: &str, overrides: &[&str]) -> Game {
    let overrides: Vec<Override> = overrides.iter().map(|text| text.parse().unwrap()).collect();
    Game::built_in(name, &overrides).unwrap().unwrap()
}

fn options() -> SearchOptions {
    SearchOptions {
        population: Some(6),
        games: Some(9),
        generations: Some(2),
        cap: Some(20),
        ..SearchOptions::default()
    }
}

fn recipe(name: &str, features: &str, approach: Approach) -> Recipe {
    let low = matches!(&approach, Approach::Search(..)).then_some(5).filter(|_| name == "classic");
    let features = Some(features.to_owned()).filter(|features| !features.is_empty());
    Recipe { game: game(name, &[]), seed: 7, features, low, approach }
}

/// Every kind of course, small.
fn recipes() -> Vec<Recipe> {
    let few = SearchOptions { games: Some(2), ..options() };
    let keys =
        SearchOptions { aim: Some(SearchAim::Keys), generations: Some(1), cap: Some(12), ..few.clone() };
    let cbmpi = CbmpiPlan {
        iterations: 2,
        states: 12,
        horizon: 8,
        length: 3,
        population: 6,
        generations: 3,
        games: 3,
        ..CbmpiPlan::default()
    };
    let tune = |method| TuneFields {
        method,
        pieces: 40,
        games: 2,
        nodes: 100,
        population: 4,
        generations: 2,
        ..TuneFields::default()
    };
    let bot = |method| Approach::Tune { plan: tune(method), start: None };
    vec![
        recipe("classic", "", Approach::Search(SearchMethod::Cem(CemOptions::default()), options())),
        recipe(
            "classic",
            "lee",
            Approach::Search(SearchMethod::CmaEs, SearchOptions { varying: true, ..options() }),
        ),
        recipe("baby", "lee,points", Approach::Search(SearchMethod::Snes, options())),
        recipe("blitz", "", Approach::Search(SearchMethod::Snes, few)),
        recipe("sprint", "", Approach::Search(SearchMethod::CmaEs, keys)),
        recipe("small", "", Approach::Td(TdPlan { episodes: 3, curiosity: 0.2, ..TdPlan::default() })),
        recipe(
            "small",
            "",
            Approach::Cbmpi { plan: cbmpi, value_features: VALUE_FEATURES.to_owned(), start: None },
        ),
        recipe("blitz", "", bot(TuningMethod::Fit)),
        recipe("blitz", "", bot(TuningMethod::Snes)),
        recipe("blitz", "", bot(TuningMethod::Network)),
        recipe("small", "", Approach::Tuples(TuplePlan { steps: 3, moves: 300, ..TuplePlan::default() })),
    ]
}

fn trained(recipe: &Recipe) -> Training {
    let mut training = Training::new(recipe).unwrap();
    training.run(&|| true, &mut |_| {}).unwrap();
    training
}

/// The work as it comes out at the other end of a wire.
fn sent<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3, ..ProptestConfig::default() })]

    #[test]
    fn order_and_parts_of_the_work_change_nothing(size in 1u64..5, turn in 0usize..1000, twice in any::<bool>()) {
        for recipe in recipes() {
            let whole = trained(&recipe);
            let mut parts = Training::new(&recipe).unwrap();
            while !parts.course().is_done() {
                let work: Vec<Work> = parts.work().iter().flat_map(|work| work.split(size)).collect();
                let mut results: Vec<WorkResult> = work.iter().map(|work| sent(&sent(work).run())).collect();
                prop_assert!(!results.is_empty() || parts.work().iter().all(|work| work.count == 0));
                let count = results.len().max(1);
                results.rotate_left(turn % count);
                results.reverse();
                if twice && turn % 2 == 0 {
                    // Somebody did a part again.
                    results.extend(results.first().cloned());
                }
                parts.take(results).unwrap();
            }
            prop_assert_eq!(parts.course(), whole.course(), "{:?}", recipe.method());
            prop_assert_eq!(parts.weights(), whole.weights());
        }
    }
}

#[test]
fn what_was_not_asked_for_is_refused() {
    let recipe = &recipes()[0];
    let mut training = Training::new(recipe).unwrap();
    let fresh = training.clone();
    let results: Vec<WorkResult> = training.work().iter().map(Work::run).collect();
    let refused =
        |training: &mut Training, results: &[WorkResult]| training.take(results.to_vec()).unwrap_err();
    let missing = TakeError::Missing { candidate: results[0].candidate, number: results[0].done[0].0 };
    assert_eq!(refused(&mut training, &results[1..]), missing);
    let mut other = results.clone();
    other[2].round = 5;
    assert!(matches!(refused(&mut training, &other), TakeError::NotAsked { round: 5, .. }));
    let mut more = results.clone();
    more[0].done.push((99, results[0].done[0].1.clone()));
    assert!(matches!(refused(&mut training, &more), TakeError::NotAsked { .. }));
    let mut two = results.clone();
    two.push(WorkResult {
        done: vec![(results[0].done[0].0, results[1].done[0].1.clone())],
        ..results[0].clone()
    });
    if results[0].done[0].1 != results[1].done[0].1 {
        assert!(matches!(refused(&mut training, &two), TakeError::Different { .. }));
    }
    assert_eq!(training, fresh, "nothing has changed");
    assert_eq!(training.take(results), Ok(false), "a race has several rounds");
}

#[test]
fn a_step_that_was_stopped_has_not_happened() {
    for recipe in recipes() {
        let whole = trained(&recipe);
        let mut stopped = Training::new(&recipe).unwrap();
        while !stopped.course().is_done() {
            let before = stopped.clone();
            let asked = std::sync::atomic::AtomicUsize::new(0);
            let soon = || asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) < 10;
            if !stopped.step(&soon).unwrap() {
                assert_eq!(stopped, before);
                assert!(stopped.step(&|| true).unwrap());
            }
        }
        assert_eq!(stopped.course(), whole.course(), "{:?}", recipe.method());
    }
}

/// The weights that the command had learned before training became a library, and must go on to learn.
#[test]
fn learned_weights_stay_what_they_are() {
    let version = concat!("bellmino ", env!("CARGO_PKG_VERSION"));
    let weights = |recipe: &Recipe| {
        let file = String::from_utf8(trained(recipe).weights().unwrap()).unwrap();
        unsealed(&file).unwrap().replace(version, "bellmino VERSION")
    };
    for (method, name) in [
        (SearchMethod::Cem(CemOptions::default()), "cem"),
        (SearchMethod::CmaEs, "cma-es"),
        (SearchMethod::Snes, "snes"),
    ] {
        let options = SearchOptions { generations: Some(2), games: Some(8), ..SearchOptions::default() };
        let recipe = Recipe { low: Some(6), ..recipe("classic", "", Approach::Search(method, options)) };
        insta::assert_snapshot!(format!("classic-{name}"), weights(&recipe));
    }
    let plan = TdPlan { episodes: 20, ..TdPlan::default() };
    insta::assert_snapshot!("small-td", weights(&recipe("small", "", Approach::Td(plan))));
    for index in [3, 7] {
        let recipe = &recipes()[index];
        insta::assert_snapshot!(format!("blitz-{}", recipe.method()), weights(recipe));
    }
}

#[test]
fn a_run_directory_says_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    for (index, recipe) in recipes().into_iter().enumerate() {
        let path = folder.path().join(index.to_string());
        let mut training = Training::new(&recipe).unwrap();
        let mut run = RunDir::create(&path, &training).unwrap();
        let stored = StoredRun::open(&path).unwrap();
        assert_eq!((stored.steps(), stored.player()), (0, None));
        assert!(!stored.is_done());
        training.step(&|| true).unwrap();
        run.store(&training, training.weights().as_deref()).unwrap();
        let stored = StoredRun::open(&path).unwrap();
        let (_, wanted) = training.course().progress();
        assert_eq!((stored.steps(), stored.config.plan.steps()), (1, wanted), "{:?}", recipe.method());
        assert_eq!(stored.is_done(), wanted == 1);
        assert_eq!(stored.config, *training.config());
        assert_eq!(stored.config.method, recipe.method());
        assert_eq!(stored.game().as_deref(), Some(recipe.game.name()));
        assert_eq!(stored.weights(), training.weights());
        // The player it makes can be loaded.
        let player = stored.player().unwrap();
        let kind = match recipe.method() {
            Method::Tune => "bot:",
            Method::Tuples => "tuples:",
            _ => "weights:",
        };
        assert!(player.starts_with(kind));
        assert!(Player::load(&player, &recipe.game, None, &Files).is_ok());
        // And it goes on to the same end.
        let mut resumed = Training::new(&recipe).unwrap();
        let refused = RunDir::resume(&path, &mut resumed).unwrap_err().to_string();
        assert!(refused.contains("is in use by process"), "one writer at a time: {refused}");
        drop(run);
        let mut run = RunDir::resume(&path, &mut resumed).unwrap();
        run.run(&mut resumed, None, &|| true, &mut |_| {}).unwrap();
        assert_eq!(resumed.course(), trained(&recipe).course());
        assert!(StoredRun::open(&path).unwrap().is_done(), "{:?}", recipe.method());
    }
}

/// Configurations of `tune` named no method, and plans of `td` had another word for how exploration decays.
#[test]
fn configurations_of_before_are_read() {
    let folder = tempfile::tempdir().unwrap();
    for index in [5, 7] {
        let recipe = &recipes()[index];
        let path = folder.path().join(index.to_string());
        let mut training = Training::new(recipe).unwrap();
        RunDir::create(&path, &training).unwrap().store(&training, None).unwrap();
        for name in ["config.json", "checkpoint.json"] {
            // They had no checksum either.
            let text = fs::read_to_string(path.join(name)).unwrap();
            let text = unsealed(&text).unwrap();
            let old = text.replace("\"exploration_decay\"", "\"exploration\"");
            let old = old.replace("\"method\": \"tune\",\n", "").replace("\"method\":\"tune\",", "");
            assert_ne!(text, old);
            fs::write(path.join(name), old).unwrap();
        }
        assert_eq!(StoredRun::open(&path).unwrap().config, *training.config());
        RunDir::resume(&path, &mut training).unwrap();
    }
}

/// A run that was killed before its first checkpoint says so, and what was left aside goes when it is asked for anew.
#[test]
fn a_run_without_a_checkpoint_says_what_happened() {
    let folder = tempfile::tempdir().unwrap();
    let recipe = &recipes()[0];
    let mut training = Training::new(recipe).unwrap();
    drop(RunDir::create(folder.path(), &training).unwrap());
    assert!(!folder.path().join("checkpoint.json").exists());
    for name in ["checkpoint.json", "weights.json", "config.json", "curve.svg"] {
        fs::write(folder.path().join(format!("{name}.0123456789ab.new")), "half").unwrap();
    }
    for refused in [
        RunDir::resume(folder.path(), &mut training).unwrap_err(),
        RunDir::reopen(folder.path()).unwrap_err(),
    ] {
        let said = refused.to_string();
        assert!(
            said.contains("stopped before its first checkpoint") && said.contains("ask for it anew"),
            "{said}"
        );
    }
    let mut run = RunDir::create(folder.path(), &training).unwrap();
    run.run(&mut training, None, &|| true, &mut |_| {}).unwrap();
    drop(run);
    let left = |part: &str| {
        let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_string_lossy().contains(part)).count()
    };
    assert_eq!(left(".new"), 0);
    // A run that was killed while it wrote, and goes on.
    fs::write(folder.path().join("checkpoint.json.abcdefghijkl.new"), "half").unwrap();
    drop(RunDir::resume(folder.path(), &mut training).unwrap());
    assert_eq!(left(".new"), 0);
}

/// Every bit counts: a checkpoint that is not what was written is refused, never gone on with.
#[test]
fn a_damaged_checkpoint_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let recipe = &recipes()[0];
    let mut training = Training::new(recipe).unwrap();
    let mut run = RunDir::create(folder.path(), &training).unwrap();
    run.run(&mut training, None, &|| true, &mut |_| {}).unwrap();
    drop(run);
    let file = folder.path().join("checkpoint.json");
    let whole = fs::read(&file).unwrap();
    // Of every third byte, another bit; those of the checksum all.
    for at in (0..whole.len()).filter(|at| *at < 40 || at % 3 == 0) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at / 3 % 8);
        fs::write(&file, bytes).unwrap();
        let mut other = Training::new(recipe).unwrap();
        let refused = RunDir::resume(folder.path(), &mut other).unwrap_err();
        assert!(matches!(refused, TrainingError::Run { .. }), "byte {at}: {refused}");
    }
    fs::write(&file, whole).unwrap();
    RunDir::resume(folder.path(), &mut training).unwrap();
}
