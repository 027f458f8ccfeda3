//! A crew does what the threads of this machine do: the same reports, tables and weights, however the work is cut, in
//! whatever order it comes back, and though it travels as bytes.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bellmino_data::Format;
use bellmino_engine::Game;
use bellmino_exact::{Dealing, Objective, Silent, SolveSettings, solve};
use bellmino_host::{Files, Ledger, work_beside};
use bellmino_lab::training::{
    Approach, CemOptions, Recipe, SearchMethod, SearchOptions, Training, TuneFields,
};
use bellmino_lab::{
    ArenaReport, ArenaSettings, Crew, CrewError, Heap, Opponent, Player, Unit, Workbench, evaluate,
    evaluate_by, evaluate_into, fingerprint,
};
use bellmino_search::Budget;

/// Takes units of these sizes in turn, as many as there are before it does any, and does the last one first.
#[derive(Debug)]
struct Backwards {
    sizes: Vec<u64>,
    /// Ends after so many units.
    most: u64,
    done: AtomicU64,
}

impl Backwards {
    fn new(sizes: &[u64]) -> Backwards {
        Backwards { sizes: sizes.to_vec(), most: u64::MAX, done: AtomicU64::new(0) }
    }
}

impl Crew for Backwards {
    fn work(&self, heap: &Arc<Heap>, look: &mut dyn FnMut()) -> Result<(), CrewError> {
        work_beside(heap, look, || self.work_alone(heap))
    }
}

impl Backwards {
    fn work_alone(&self, heap: &Arc<Heap>) -> Result<(), CrewError> {
        let mut sizes = self.sizes.iter().cycle();
        let units: Vec<Unit> = std::iter::from_fn(|| heap.next(*sizes.next()?))
            .inspect(|unit| assert!(unit.len() > 0))
            .collect();
        assert_eq!((heap.left(), heap.is_done()), (0, units.is_empty()));
        let bench = Workbench::default();
        for number in units.iter().flat_map(Unit::tables) {
            bench.put_table(heap.table(*number).expect("a table that travels").to_vec());
        }
        for unit in units.iter().rev() {
            if self.done.fetch_add(1, Ordering::Relaxed) >= self.most {
                return Err(CrewError(format!("{}: nobody is left", unit.name())));
            }
            let arrived = unit
                .to_bytes()
                .and_then(|bytes| Unit::from_bytes(&bytes))
                .map_err(|error| CrewError(error.to_string()))?;
            let result = bench.work(&arrived).map_err(|error| CrewError(error.to_string()))?;
            let bytes = result.to_bytes().map_err(|error| CrewError(error.to_string()))?;
            heap.put(unit, &bytes).map_err(|error| CrewError(error.to_string()))?;
        }
        Ok(())
    }
}

fn game(name: &str) -> Game {
    Game::built_in(name, &[]).unwrap().unwrap()
}

/// A report without what the clock says.
fn timeless(report: &ArenaReport) -> String {
    let mut report = report.clone();
    for player in &mut report.players {
        (player.seconds, player.pieces_per_second) = (0.0, 0.0);
    }
    format!("{report:?}")
}

fn check(name: &str, players: &[&str], settings: &ArenaSettings, sizes: &[u64]) {
    let game = game(name);
    let players: Vec<Player> = players
        .iter()
        .map(|player| Player::load(player, &game, Some(Budget::nodes(300)), &Files).unwrap())
        .collect();
    check_players(&game, &players, settings, sizes);
}

fn check_players(game: &Game, players: &[Player], settings: &ArenaSettings, sizes: &[u64]) {
    let crew = Backwards::new(sizes);
    let here = evaluate(game, players, settings, &|_| true).unwrap();
    let there = evaluate_by(Some(&crew), None, game, players, settings, &|_| true).unwrap();
    assert_eq!(timeless(&there), timeless(&here), "{} without tables", game.name());
    let folder = tempfile::tempdir().unwrap();
    let bytes =
        |path: &Path| (fs::read(path.join("games.csv")).unwrap(), fs::read(path.join("moves.csv")).unwrap());
    let (one, other) = (folder.path().join("here"), folder.path().join("there"));
    let ledger = Ledger::create(&one, Format::Csv).unwrap();
    let here = evaluate_into(&ledger, "it", game, players, settings, &|_| true).unwrap();
    ledger.finish().unwrap();
    let ledger = Ledger::create(&other, Format::Csv).unwrap();
    let there = evaluate_by(Some(&crew), Some((&ledger, "it")), game, players, settings, &|_| true).unwrap();
    ledger.finish().unwrap();
    assert_eq!(timeless(&there), timeless(&here), "{} with tables", game.name());
    assert!(bytes(&one) == bytes(&other), "the tables of {} differ", game.name());
}

#[test]
fn evaluations_are_the_same() {
    let few = ArenaSettings { games: 7, seed: 3, pieces: Some(40), keys: true, ..ArenaSettings::default() };
    check("blitz", &["bot", "weights:lee4", "random", "bot:1"], &few, &[2, 1, 3]);
    check("sprint", &["bot:keys"], &ArenaSettings { games: 2, ..few.clone() }, &[1]);
    let placement = ArenaSettings { games: 100, discount: Some(0.9), keys: false, ..few };
    check("baby", &["random", "fewest-holes"], &placement, &[1, 30, 4]);
    check("classic", &["weights:bcts", "lowest"], &placement, &[17]);
    check("learner", &["weights:dellacherie"], &ArenaSettings { discount: None, ..placement }, &[100]);
}

#[test]
fn games_until_so_many_are_lost_are_the_same() {
    let settings = ArenaSettings { losses: Some(30), seed: 5, pieces: Some(25), ..ArenaSettings::default() };
    check("baby", &["lowest", "random"], &settings, &[3]);
}

/// Long games hand their moves over in parts.
#[test]
fn long_games_are_the_same() {
    let settings = ArenaSettings { games: 2, seed: 1, pieces: Some(40_000), ..ArenaSettings::default() };
    check("classic", &["weights:bcts"], &settings, &[1]);
}

#[test]
fn tables_and_files_travel() {
    let baby = game("baby");
    let rules = baby.placement().unwrap();
    let solved = |dealing| {
        let settings = SolveSettings { dealing, ..SolveSettings::new(Objective::Discounted(0.9)) };
        solve(rules, &settings, &Silent).unwrap().table
    };
    let players = [
        Player::of_table("table:a", solved(Dealing::Random)),
        Player::of_placement("lowest", rules).unwrap(),
    ];
    let dealer = Opponent::Table(Arc::new(solved(Dealing::Worst)));
    let settings = ArenaSettings { games: 40, seed: 2, pieces: Some(50), dealer, ..ArenaSettings::default() };
    check_players(&baby, &players, &settings, &[7]);

    let folder = tempfile::tempdir().unwrap();
    let weights = folder.path().join("weights.toml");
    let shipped = bellmino_search::Weights::blitz();
    fs::write(&weights, shipped.write()).unwrap();
    let settings = ArenaSettings { games: 3, seed: 2, pieces: Some(20), ..ArenaSettings::default() };
    check("blitz", &[&format!("bot:{}", weights.display())], &settings, &[2]);
}

#[test]
fn training_is_the_same() {
    let options = || SearchOptions {
        population: Some(10),
        games: Some(8),
        generations: Some(3),
        cap: Some(200),
        ..SearchOptions::default()
    };
    let cem = CemOptions { elites: 3, ..CemOptions::default() };
    let tuning = TuneFields { pieces: 30, games: 4, nodes: 300, generations: 2, ..TuneFields::default() };
    let cbmpi = bellmino_learn::CbmpiPlan {
        states: 40,
        iterations: 2,
        games: 2,
        generations: 3,
        ..bellmino_learn::CbmpiPlan::default()
    };
    let value_features = bellmino_lab::training::VALUE_FEATURES.to_owned();
    let small = || SearchOptions { games: Some(2), cap: Some(30), ..options() };
    for (name, approach) in [
        ("classic", Approach::Search(SearchMethod::Cem(cem), options())),
        ("classic", Approach::Search(SearchMethod::CmaEs, options())),
        ("classic", Approach::Search(SearchMethod::Snes, options())),
        ("sprint", Approach::Search(SearchMethod::Snes, small())),
        ("blitz", Approach::Tune { plan: tuning, start: None }),
        ("classic", Approach::Cbmpi { plan: cbmpi, value_features, start: None }),
    ] {
        let low = (name == "classic").then_some(8);
        let recipe = Recipe { game: game(name), seed: 4, features: None, low, approach };
        let mut here = Training::new(&recipe).unwrap();
        here.run(&|| true, &mut |_| {}).unwrap();
        for sizes in [&[1][..], &[1000], &[7, 2, 30]] {
            let mut there = Training::new(&recipe).unwrap();
            there.run_by(Some(&Backwards::new(sizes)), &|| true, &mut |_| Ok(())).unwrap();
            assert_eq!(there, here, "{name} in units of {sizes:?}");
            assert_eq!(there.weights(), here.weights());
        }
    }
}

/// What has failed is told, and nothing of the step has happened.
#[test]
fn a_crew_that_fails_leaves_training_as_it_was() {
    let options = SearchOptions {
        population: Some(6),
        generations: Some(4),
        cap: Some(100),
        ..SearchOptions::default()
    };
    let approach = Approach::Search(SearchMethod::Snes, options);
    let recipe = Recipe { game: game("classic"), seed: 4, features: None, low: Some(8), approach };
    let mut training = Training::new(&recipe).unwrap();
    let begin = training.clone();
    let crew = Backwards { most: 3, ..Backwards::new(&[4]) };
    let error = training.step_by(&crew, &|| true).unwrap_err().to_string();
    assert!(
        error.starts_with("train snes classic, step 1, round ") && error.ends_with("nobody is left"),
        "{error}"
    );
    assert_eq!(training.course().progress(), begin.course().progress());
    assert!(!training.step_by(&Backwards::new(&[4]), &|| false).unwrap(), "it is told to stop");
    assert!(training.step_by(&Backwards::new(&[4]), &|| true).unwrap());
}

/// After an interrupt the games up to the first that is missing are known.
#[test]
fn an_interrupted_evaluation_keeps_what_is_whole() {
    #[derive(Debug)]
    struct Some_;
    impl Crew for Some_ {
        fn work(&self, heap: &Arc<Heap>, look: &mut dyn FnMut()) -> Result<(), CrewError> {
            let bench = Workbench::default();
            let units: Vec<Unit> = (0..4).filter_map(|_| heap.next(5)).collect();
            for (index, unit) in units.iter().enumerate().filter(|(index, _)| *index != 2) {
                heap.put(unit, &bench.work(unit).unwrap().to_bytes().unwrap())
                    .unwrap_or_else(|_| panic!("{index}"));
            }
            while !heap.is_stopped() {
                look();
            }
            assert!(heap.next(1).is_none(), "there is no more work");
            Ok(())
        }
    }
    let (baby, seen) = (game("baby"), AtomicU64::new(0));
    let player = Player::parse("lowest", &baby, None).unwrap();
    let settings = ArenaSettings { games: 50, ..ArenaSettings::default() };
    let go_on = |games| seen.fetch_add(games, Ordering::Relaxed) + games < 10;
    let report = evaluate_by(Some(&Some_), None, &baby, &[player], &settings, &go_on).unwrap();
    assert_eq!((report.players[0].games, report.players[0].interrupted), (10, true));
}

/// Nothing is taken for a result that is none, or that of another unit.
#[test]
fn strange_results_are_refused() {
    #[derive(Debug)]
    struct Confused;
    impl Crew for Confused {
        fn work(&self, heap: &Arc<Heap>, _: &mut dyn FnMut()) -> Result<(), CrewError> {
            let bench = Workbench::default();
            let (one, other) = (heap.next(2).unwrap(), heap.next(2).unwrap());
            assert!(heap.put(&one, b"\xff\xff").unwrap_err().to_string().contains("no result of work"));
            let result = bench.work(&other).unwrap().to_bytes().unwrap();
            assert!(heap.put(&one, &result).unwrap_err().to_string().contains("another unit"));
            Ok(())
        }
    }
    let baby = game("baby");
    let player = Player::parse("lowest", &baby, None).unwrap();
    let settings = ArenaSettings { games: 10, ..ArenaSettings::default() };
    let error = evaluate_by(Some(&Confused), None, &baby, &[player], &settings, &|_| true).unwrap_err();
    assert_eq!(error.to_string(), "evaluate baby, lowest: the work was left undone");
    assert!(Unit::from_bytes(b"").is_err() && Unit::from_bytes(&[9; 40]).is_err());
}

/// The same on any number of threads, so that every worker of one version has it; every kind of work takes part.
#[test]
fn the_fingerprint_is_that_of_the_version() {
    assert_eq!(Unit::probes().len(), 9);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    assert_eq!(pool.install(fingerprint), fingerprint());
    assert!(fingerprint().starts_with(env!("CARGO_PKG_VERSION")));
}
