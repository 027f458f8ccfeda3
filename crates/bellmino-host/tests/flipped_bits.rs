//! Every bit of a small file of every format of our own, flipped: the file is refused, with its name, or it is what it was. Never
//! a panic.

use std::fs;
use std::path::Path;

use bellmino_engine::placement::{Action, Match, Record};
use bellmino_engine::{AnyRecord, Game, PlacementGame};
use bellmino_exact::{Objective, Silent, SolveSettings, solve};
use bellmino_host::load::read_text;
use bellmino_host::{Files, RunDir, StoredRun, read_table};
use bellmino_lab::checksum::sealed_lines;
use bellmino_lab::load::MAX_TEXT;
use bellmino_lab::training::{Approach, Learned, Recipe, SearchMethod, SearchOptions, Training};
use bellmino_lab::{Chooser, Opponent, Player, Playthrough};
use bellmino_learn::{Controller, TupleValue, Window};
use bellmino_search::{Calibration, Weights};

/// Flips every bit of a file, or every bit of every so many bytes, and asks each time what it holds.
fn check(file: &Path, each: usize, read: impl Fn() -> Result<String, String>) {
    let (whole, wanted) = (fs::read(file).unwrap(), read().unwrap());
    let mut refused = 0;
    for at in (0..whole.len()).step_by(each) {
        for bit in 0..8 {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << bit;
            fs::write(file, bytes).unwrap();
            match read() {
                Ok(found) => assert_eq!(found, wanted, "byte {at}, bit {bit} of {}", file.display()),
                Err(why) => {
                    let name = file.file_name().unwrap().to_str().unwrap();
                    assert!(why.contains(name), "{why} does not name {name}");
                    refused += 1;
                }
            }
        }
    }
    fs::write(file, &whole).unwrap();
    assert_eq!(read().unwrap(), wanted);
    // Those that are not refused are the few that turn a checksum into something else.
    assert!(refused * 10 > whole.len() / each * 8 * 8, "{refused} of {}", whole.len() * 8 / each);
}

/// What a player chooses by, without what it is called.
fn chooser(player: &Player) -> String {
    match &**player.chooser().unwrap() {
        Chooser::Controller(controller, _) => controller.to_json(),
        Chooser::Tuples(value) => format!("{:?}", value.to_bytes()),
        _ => unreachable!("no file"),
    }
}

fn baby() -> PlacementGame {
    Game::built_in("baby", &[]).unwrap().unwrap().placement().unwrap().clone()
}

#[test]
fn weights() {
    let folder = tempfile::tempdir().unwrap();
    let classic = Game::built_in("classic", &[]).unwrap().unwrap();
    let file = folder.path().join("w.json");
    let lee4 = Controller::built_in("lee4").unwrap();
    fs::write(&file, Learned::Controller(Box::new(lee4)).file()).unwrap();
    let name = format!("weights:{}", file.display());
    check(&file, 1, || {
        let player = Player::load(&name, &classic, None, &Files).map_err(|error| error.to_string())?;
        Ok(chooser(&player))
    });
    let file = folder.path().join("w.toml");
    fs::write(&file, Learned::Bot(Weights::sprint().write()).file()).unwrap();
    check(&file, 1, || {
        let text = read_text(&file, MAX_TEXT).map_err(|error| error.to_string())?;
        Weights::read(&text).map(|weights| weights.write()).map_err(|why| format!("w.toml: {why}"))
    });
}

#[test]
fn forecasts() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("forecast.toml");
    fs::write(&file, sealed_lines(&Calibration::shipped().write())).unwrap();
    check(&file, 1, || {
        let text = read_text(&file, MAX_TEXT).map_err(|error| error.to_string())?;
        Calibration::read(&text).map(|read| read.write()).map_err(|why| format!("forecast.toml: {why}"))
    });
}

#[test]
fn tuples() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("v.tuples");
    let value = TupleValue::new(&baby(), &Window::default_for(&baby()), 0.5).unwrap();
    fs::write(&file, Learned::Tuples(Box::new(value)).file()).unwrap();
    let name = format!("tuples:{}", file.display());
    let game = Game::Placement(baby());
    let length = fs::metadata(&file).unwrap().len() as usize;
    check(&file, length.div_ceil(500), || match Player::load(&name, &game, None, &Files) {
        Ok(player) => Ok(chooser(&player)),
        Err(error) => Err(error.to_string()),
    });
}

#[test]
fn tables() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("baby.table");
    let table = solve(&baby(), &SolveSettings::new(Objective::Discounted(0.9)), &Silent).unwrap().table;
    table.write(&mut fs::File::create(&file).unwrap()).unwrap();
    let length = fs::metadata(&file).unwrap().len() as usize;
    check(&file, length.div_ceil(250), || {
        let mut bytes = vec![];
        read_table(&file).map_err(|error| error.to_string())?.write(&mut bytes).unwrap();
        Ok(format!("{bytes:?}"))
    });
}

#[test]
fn records() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.toml");
    let player = Player::of_placement("lowest", &baby()).unwrap();
    let playthrough = Playthrough::<Match, _>::placement(baby(), &player, &Opponent::Random, (1, 0), None);
    let mut playthrough = playthrough.unwrap();
    let moves: Vec<_> = playthrough.by_ref().map(|one| Action::Place(one.unwrap().placement)).collect();
    let record = Record::of(playthrough.game(), 1, 0, moves).unwrap().to_text();
    fs::write(&file, sealed_lines(&record)).unwrap();
    check(&file, 1, || {
        let text = read_text(&file, MAX_TEXT).map_err(|error| error.to_string())?;
        let record = AnyRecord::from_text(&text).map_err(|why| format!("game.toml: {why}"))?;
        Ok(record.to_text())
    });
}

#[test]
fn runs() {
    let folder = tempfile::tempdir().unwrap();
    let options = SearchOptions {
        population: Some(4),
        games: Some(2),
        generations: Some(1),
        cap: Some(9),
        ..SearchOptions::default()
    };
    let recipe = Recipe {
        game: Game::Placement(baby()),
        seed: 7,
        features: Some("lee".to_owned()),
        low: None,
        approach: Approach::Search(SearchMethod::Snes, options),
    };
    let mut training = Training::new(&recipe).unwrap();
    let mut run = RunDir::create(folder.path(), &training).unwrap();
    run.run(&mut training, None, &|| true, &mut |_| {}).unwrap();
    drop(run);
    check(&folder.path().join("config.json"), 1, || match StoredRun::open(folder.path()) {
        Ok(run) => Ok(serde_json::to_string(&run.config).unwrap()),
        Err(error) => Err(error.to_string()),
    });
    check(&folder.path().join("checkpoint.json"), 5, || match RunDir::reopen(folder.path()) {
        Ok((_, training)) => Ok(format!("{:?}", training.course())),
        Err(error) => Err(error.to_string()),
    });
}
