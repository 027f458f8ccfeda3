//! Training as a user runs it.

mod common;

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use bellmino_lab::checksum::unsealed;
use common::{json, refused, stdout};
use serde_json::Value;

/// Every method, small enough for a test.
const METHODS: [&[&str]; 9] = [
    &["train", "cem", "classic", "--low", "6", "--population", "12", "--elites", "3", "--games", "4"],
    &["train", "cma-es", "classic", "--low", "6", "--population", "8", "--games", "4"],
    &["train", "snes", "classic", "--low", "6", "--population", "8", "--games", "4", "--features", "lee"],
    &["train", "snes", "sprint", "--population", "8", "--games", "2"],
    &["train", "snes", "blitz", "--population", "8", "--cap", "20"],
    &["train", "snes", "sprint", "--population", "8", "--aim", "keys", "--start", "sprint4"],
    &["train", "td", "small", "--features", "contour"],
    &["train", "cbmpi", "classic", "--low", "6", "--states", "30", "--horizon", "20", "--games", "4"],
    &["train", "tuples", "small", "--moves", "500"],
];

fn with<'a>(method: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    method.iter().chain(more).copied().collect()
}

fn steps(method: &[&str]) -> &'static str {
    match method[1] {
        "td" => "--episodes",
        "cbmpi" => "--iterations",
        "tuples" => "--steps",
        _ => "--generations",
    }
}

/// What a run says, without the time it took.
fn trained(words: &[&str]) -> Value {
    let mut report = json(words);
    report.as_object_mut().unwrap().remove("seconds");
    report
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for method in METHODS {
        let words = with(method, &[steps(method), "3", "--seed", "4", "--quiet"]);
        let one = trained(&with(&words, &["--threads", "1"]));
        let three = trained(&with(&words, &["--threads", "3"]));
        assert_eq!(one, three, "{method:?}");
        assert_eq!(one["steps"], 3);
        assert!(one["pieces"].as_u64() > Some(0));
        assert_ne!(
            one["weights"],
            trained(&with(&words[..words.len() - 3], &["--seed", "5", "--quiet"]))["weights"]
        );
    }
}

#[test]
fn a_run_that_was_stopped_ends_like_one_that_was_not() {
    for method in METHODS {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let (whole, broken) = (path("whole"), path("broken"));
        let words = with(method, &[steps(method), "4", "--seed", "2", "--quiet"]);
        stdout(&with(&words, &["--run", &whole]));
        // As if it had been killed after two steps, while the third was being written.
        stdout(&with(&with(method, &[steps(method), "2", "--seed", "2", "--quiet"]), &["--run", &broken]));
        let file = Path::new(&broken).join("checkpoint.json");
        let config = |run: &str| {
            let text = fs::read_to_string(Path::new(run).join("checkpoint.json")).unwrap();
            serde_json::from_str::<Value>(&text).unwrap()
        };
        let mut checkpoint = config(&broken);
        let wanted = config(&whole);
        checkpoint["config"] = wanted["config"].clone();
        for kind in ["search", "drill", "td", "cbmpi", "tuples"] {
            if let Some(plan) = wanted["course"].get(kind).map(|course| course["plan"].clone()) {
                checkpoint["course"][kind]["plan"] = plan;
            }
        }
        // What was changed by hand has no checksum, as those of older versions.
        checkpoint.as_object_mut().unwrap().remove("checksum").unwrap();
        fs::write(&file, checkpoint.to_string()).unwrap();
        fs::write(file.with_file_name("checkpoint.json.new"), "{ half").unwrap();
        let curve = file.with_file_name("curve.csv");
        fs::write(&curve, fs::read_to_string(&curve).unwrap() + "3,1,2").unwrap();
        stdout(&with(&words, &["--run", &broken, "--resume"]));
        let weights = if method[1] == "tuples" { "weights.tuples" } else { "weights.json" };
        for name in ["curve.csv", weights, "checkpoint.json"] {
            let read = |run: &str| fs::read(Path::new(run).join(name)).unwrap();
            assert_eq!(read(&whole), read(&broken), "{method:?} {name}");
        }
    }
}

/// The name of a run is enough to go on with it: all else is in its folder.
#[test]
fn a_run_goes_on_by_its_name_alone() {
    let tune = ["tune", "blitz", "--pieces", "20", "--games", "2", "--nodes", "50"];
    for method in [METHODS[0], METHODS[3], METHODS[6], METHODS[7], METHODS[8], &tune[..]] {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let (whole, broken) = (path("whole"), path("broken"));
        let count = if method[0] == "tune" { "--generations" } else { steps(method) };
        let words = with(method, &[count, "3", "--seed", "2", "--quiet"]);
        let expected = stdout(&with(&words, &["--run", &whole]));
        // As if it had been stopped after a step: the checkpoint of a shorter run, with the whole one's plan.
        stdout(&with(&with(method, &[count, "1", "--seed", "2", "--quiet"]), &["--run", &broken]));
        let read = |run: &str| {
            let text = fs::read_to_string(Path::new(run).join("checkpoint.json")).unwrap();
            serde_json::from_str::<Value>(&text).unwrap()
        };
        let (mut checkpoint, wanted) = (read(&broken), read(&whole));
        checkpoint["config"] = wanted["config"].clone();
        for kind in ["search", "drill", "td", "cbmpi", "tuples", "tune"] {
            if let Some(plan) = wanted["course"].get(kind).map(|course| course["plan"].clone()) {
                checkpoint["course"][kind]["plan"] = plan;
            }
        }
        checkpoint.as_object_mut().unwrap().remove("checksum").unwrap();
        fs::write(Path::new(&broken).join("checkpoint.json"), checkpoint.to_string()).unwrap();
        let output = common::bellmino(&[method[0], "--resume", &broken]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.contains("1 of 3 steps done"), "{method:?}: {said}");
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected, "{method:?}");
        for name in ["curve.csv", "checkpoint.json"] {
            let read = |run: &str| fs::read_to_string(Path::new(run).join(name)).unwrap();
            assert_eq!(read(&whole), read(&broken), "{method:?} {name}");
        }
        // Nothing is left to do, and the other way to name it; the seed is the run's.
        let again = json(&[method[0], "--run", &whole, "--resume", "--quiet"]);
        assert_eq!(again["seed"], 2);
        let other = if method[0] == "tune" { "train" } else { "tune" };
        assert!(refused(&[other, "--resume", &whole]).contains(&format!("is a run of `{}`", method[0])));
    }
    assert!(refused(&["train", "--resume", "no-such-run"]).contains("there is no run"));
    assert!(refused(&["tune", "--resume"]).contains("--resume NAME"));
    assert!(refused(&["train", "--resume"]).contains("--resume NAME"));
}

#[test]
fn what_was_learned_plays() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.json");
    let file = file.to_str().unwrap();
    let words = ["train", "cem", "classic", "--generations", "6", "--games", "8", "--seed", "1", "--quiet"];
    stdout(&with(&words, &["-o", file]));
    let player = format!("weights:{file}");
    let report =
        json(&["evaluate", "classic", "--set", "board.height=10", "--player", &player, "--losses", "50"]);
    // Six generations were worth about 2,000 lines per loss here; one loss in a hundred would be luck.
    assert!(report["lines_per_loss"]["mean"].as_f64() > Some(300.0), "{}", report["lines_per_loss"]);
    assert_eq!(report["lines_per_loss"]["losses"], 50);
}

/// The bot's weights are TOML, and are called so.
#[test]
fn what_was_tuned_plays() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("bot");
    let words = [
        "tune",
        "blitz",
        "--pieces",
        "30",
        "--games",
        "2",
        "--nodes",
        "100",
        "--generations",
        "2",
        "--quiet",
    ];
    let printed = stdout(&with(&words, &["--run", run.to_str().unwrap()]));
    let file = run.join("weights.toml");
    assert_eq!(fs::read_to_string(&file).unwrap(), printed);
    assert!(!run.join("weights.json").exists());
    let player = format!("bot:{}", file.display());
    let words =
        ["evaluate", "blitz", "--pieces", "20", "--games", "1", "--nodes", "100", "--player", &player];
    assert_eq!(json(&words)["pieces"]["mean"], 20.0);
    // A network goes on from one as well as from a sum.
    let network = folder.path().join("network.toml");
    let network = network.to_str().unwrap();
    let words = ["tune", "blitz", "--method", "network", "--pieces", "20", "--games", "2", "--nodes", "100"];
    stdout(&with(&words, &["--generations", "1", "--quiet", "-o", network]));
    let again = stdout(&with(&words, &["--generations", "1", "--quiet", "--start", network]));
    assert!(again.contains("[network]") && again.contains("--method network"), "{again}");
    assert!(refused(&["tune", "blitz", "--start", network]).contains("start has a network"));
    let player = format!("bot:{network}");
    let words =
        ["evaluate", "blitz", "--pieces", "20", "--games", "1", "--nodes", "100", "--player", &player];
    assert_eq!(json(&words)["pieces"]["mean"], 20.0);
}

#[test]
fn bad_requests_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let run = path("run");
    let small =
        ["train", "cem", "classic", "--low", "5", "--generations", "1", "--population", "4", "--quiet"];
    stdout(&with(&small, &["--run", &run]));
    let weights = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).unwrap();
        path(name)
    };
    let missing = weights("missing.json", r#"{ "name": "x" }"#);
    let unknown = weights("unknown.json", r#"{ "name": "x", "weights": { "hols": 1 } }"#);
    let infinite = weights("infinite.json", r#"{ "name": "x", "weights": { "holes": 1e999 } }"#);
    let text = weights("text.json", r#"{ "name": "x", "weights": { "holes": "many" } }"#);
    let zero = weights("zero.json", r#"{ "name": "x", "weights": { "holes": 0 } }"#);
    let extra = weights("extra.json", r#"{ "name": "x", "weights": { "holes": 1 }, "wieghts": 1 }"#);
    let narrow = weights("narrow.json", r#"{ "name": "x", "weights": { "height-9": 1 } }"#);
    let spins = weights("spins.json", r#"{ "name": "x", "weights": { "spin-double": 1 } }"#);
    let wide = weights("wide.json", r#"{ "name": "x", "weights": { "height-10": 1 } }"#);
    let tucks = weights("tucks.json", r#"{ "name": "x", "path": "slide", "weights": { "holes": 1 } }"#);
    for (words, expected) in [
        (with(&small, &["--run", &run]), "holds a run already"),
        (with(&small, &["--run", &run, "--resume", "--seed", "9"]), "another `seed`: 0 then, 9 now"),
        (with(&small, &["--run", &path("none"), "--resume"]), "cannot be read"),
        (with(&small, &["--resume"]), "--run"),
        (with(&small, &["--features", "hols"]), "did you mean `holes`?"),
        (with(&small, &["--features", "height-12"]), "does not fit a board 10 wide"),
        (with(&small, &["--noise", "loud"]), "decreasing:5:10"),
        (with(&small, &["--start", "bctz"]), "did you mean `bcts`?"),
        (with(&small, &["--start", &missing]), "`weights` must be"),
        (with(&small, &["--start", &unknown]), "did you mean `holes`?"),
        (with(&small, &["--start", &infinite]), "number out of range"),
        (with(&small, &["--start", &text]), "`weights.holes` must be a finite number"),
        (with(&small, &["--start", &zero]), "all weights are zero"),
        (with(&small, &["--start", &extra]), "did you mean `weights`?"),
        (with(&small, &["--scale", "0"]), "--scale: give a number above 0, not 0"),
        (vec!["train", "td", "sprint"], "placement game"),
        (vec!["train", "snes", "sprint", "--low", "8"], "--low is for placement games"),
        (vec!["train", "snes", "sprint", "--aim", "lines"], "give score, score-with-drops, pieces or keys"),
        (vec!["train", "snes", "blitz", "--aim", "keys"], "`blitz` is played for a score"),
        (vec!["train", "snes", "practice"], "give --cap"),
        (vec!["train", "snes", "blitz", "--features", "well-10"], "does not fit a board 10 wide"),
        (vec!["train", "snes", "blitz", "--features", "waste-t"], "did you mean `wasted-t`?"),
        (with(&small, &["--features", "wasted-t"]), "`wasted-t` is a feature of guideline games"),
        (with(&small, &["--aim", "keys"]), "guideline games"),
        (with(&small, &["--path", "drop"]), "guideline games"),
        (vec!["evaluate", "classic", "--player", &format!("weights:{spins}")], "feature of guideline games"),
        (vec!["evaluate", "blitz", "--player", &format!("weights:{wide}")], "does not fit a board 10 wide"),
        (vec!["evaluate", "blitz", "--player", &format!("weights:{tucks}")], "`path` must be `drop`"),
        (vec!["evaluate", "baby", "--player", "random", "--keys"], "has no keys"),
        (vec!["train", "td", "small", "--discount", "2"], "from 0 to 1"),
        (vec!["train", "tuples", "small"], "give -o FILE.tuples"),
        (vec!["train", "tuples", "small", "--json", "--discount", "2"], "from 0 to 1"),
        (
            vec!["train", "tuples", "small", "--json", "--trace", "2"],
            "--trace: give a number from 0 to 1, not 2",
        ),
        (
            vec!["train", "tuples", "small", "--json", "--curiosity", "2"],
            "--curiosity: give a number from 0 to 1, not 2",
        ),
        (vec!["train", "tuples", "small", "--json", "--windows", "3x"], "`3x` is no window"),
        (vec!["train", "tuples", "small", "--json", "--units", "12"], "a multiple of 8"),
        (
            vec!["train", "tuples", "small", "--json", "--units", "8", "--holes=-1"],
            "--holes: give a number from 0 to 1,000,000, not -1",
        ),
        (vec!["train", "tuples", "small", "--json", "--units", "8", "--windows", "3x3"], "--windows"),
        (vec!["train", "tuples", "small", "--json", "--units", "8", "--curiosity", "0.1"], "--curiosity"),
        (vec!["train", "tuples", "small", "--json", "--temperature", "1"], "--units"),
        (
            vec!["train", "tuples", "small", "--json", "--windows", "3x5"],
            "does not fit a board 5 wide and 4 high",
        ),
        (vec!["train", "tuples", "small", "--json", "--features", "lee"], "tuples have --windows"),
        (vec!["train", "tuples", "small", "--json", "--low", "3"], "the board that they were learned on"),
        (vec!["train", "tuples", "sprint", "--json"], "needs a placement game"),
        (vec!["train", "td", "small", "--exploration", "10"], "--exploration-decay"),
        (vec!["train", "td", "small", "--runs", "3", "-o", "x.json"], "leave out"),
        (vec!["evaluate", "baby", "--player", &format!("weights:{narrow}")], "does not fit a board 4 wide"),
    ] {
        let message = refused(&words);
        assert!(message.contains(expected), "{words:?}: {message}");
    }
    // A run of another version.
    let file = Path::new(&run).join("checkpoint.json");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(
        &file,
        unsealed(&text)
            .unwrap()
            .replace(concat!("\"version\":\"", env!("CARGO_PKG_VERSION")), "\"version\":\"0.0.1"),
    )
    .unwrap();
    assert!(refused(&with(&small, &["--run", &run, "--resume"])).contains("written by version 0.0.1"));
}

/// Whoever changes weights by hand is told so, and takes the checksum out. A run without a checkpoint says what happened.
#[test]
fn changed_weights_and_runs_cut_off_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (file, run) = (path("w.json"), path("run"));
    let words =
        ["train", "cem", "classic", "--low", "5", "--generations", "1", "--population", "4", "--quiet"];
    stdout(&with(&words, &["-o", &file, "--run", &run]));
    let play = ["evaluate", "classic", "--games", "1", "--pieces", "5", "--player"];
    let player = format!("weights:{file}");
    stdout(&with(&play, &[&player]));
    let text = fs::read_to_string(&file).unwrap().replace("\"name\": \"", "\"name\": \"my ");
    fs::write(&file, &text).unwrap();
    let said = refused(&with(&play, &[&player]));
    assert!(said.contains("w.json") && said.contains("changed after it was written"), "{said}");
    let without: String = text.lines().filter(|line| !line.contains("\"checksum\"")).collect();
    fs::write(&file, without).unwrap();
    stdout(&with(&play, &[&player]));
    fs::remove_file(Path::new(&run).join("checkpoint.json")).unwrap();
    for again in [with(&words, &["--run", &run, "--resume"]), vec!["train", "--resume", &run]] {
        let said = refused(&again);
        assert!(said.contains("before its first checkpoint") && said.contains("ask for it anew"), "{said}");
    }
    stdout(&with(&words, &["--run", &run]));
}

/// Where the weights cannot be written, it is said and nothing is left behind.
#[test]
fn weights_that_cannot_be_written_are_an_error() {
    let folder = tempfile::tempdir().unwrap();
    // A folder of that name is in the way.
    let file = folder.path().join("w.json");
    fs::create_dir(&file).unwrap();
    let words =
        ["train", "cem", "classic", "--low", "5", "--generations", "1", "--population", "4", "--quiet"];
    let output = common::bellmino(&with(&words, &["-o", file.to_str().unwrap()]));
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// What was learned plays, is evaluated exactly, and is refused where it does not belong.
#[test]
fn tuples_from_the_first_move_to_the_exact_value() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let file = path("small.tuples");
    let words = ["train", "tuples", "small", "--steps", "10", "--moves", "20000", "--seed", "1"];
    stdout(&with(&words, &["-o", &file, "--confirm", "50", "--quiet"]));
    let player = format!("tuples:{file}");
    let exact = |player: &str| {
        let report = json(&["solve", "small", "--objective", "total", "--player", player]);
        report["value"].as_f64().unwrap()
    };
    let (value, best) = (exact(&player), json(&["solve", "small", "--objective", "total"])["value"].clone());
    assert!(value > 0.9 * best.as_f64().unwrap() && value <= best.as_f64().unwrap(), "{value} of {best}");
    assert!(value > 1.05 * exact("weights:dellacherie"), "{value}");
    // Games agree with the exact value: further away than this once in 15,000.
    let report = json(&["evaluate", "small", "--player", &player, "--games", "2000", "--seed", "3"]);
    let error = report["score"]["sd"].as_f64().unwrap() / f64::sqrt(2000.0);
    assert!((report["score"]["mean"].as_f64().unwrap() - value).abs() < 4.0 * error, "{report}");
    assert!(stdout(&["play", "small", "--player", &player, "--seed", "2"]).contains("small"));
    let taller = ["evaluate", "small", "--set", "board.height=5", "--player", &player];
    assert!(refused(&taller).contains("was learned on a board of 5x4, and this one is 5x5"));
    let other = ["evaluate", "small", "--set", "pieces.set=[\"O\"]", "--player", &player];
    assert!(refused(&other).contains("was learned with other pieces"));
    assert!(refused(&["evaluate", "sprint", "--player", &player]).contains("tuples play placement games"));
    assert!(refused(&["evaluate", "small", "--player", &file]).contains("did you mean `tuples:"));
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(path("damaged"), bytes).unwrap();
    fs::write(path("foreign"), "{}").unwrap();
    for (name, why) in
        [("damaged", "checksum does not agree"), ("foreign", "no file of tuples"), ("none", "No such")]
    {
        let player = format!("tuples:{}", path(name));
        let message = refused(&["evaluate", "small", "--player", &player]);
        assert!(message.contains(why), "{name}: {message}");
    }
}

/// Units play like any other tuples: the same on any number of threads, and worth exactly what their games say.
#[test]
fn units_from_the_first_move_to_the_exact_value() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let words = ["train", "tuples", "small", "--units", "16", "--steps", "4", "--moves", "20000", "--quiet"];
    for (name, threads) in [("one", "1"), ("three", "3")] {
        stdout(&with(&words, &["-o", &path(name), "--threads", threads]));
    }
    assert_eq!(fs::read(path("one")).unwrap(), fs::read(path("three")).unwrap());
    let player = format!("tuples:{}", path("one"));
    let exact = |player: &str| {
        let report = json(&["solve", "small", "--objective", "total", "--player", player, "--reached"]);
        report["value"].as_f64().unwrap()
    };
    let value = exact(&player);
    assert!(value > 1.5 * exact("lowest"), "{value}");
    // Further away than this once in 15,000.
    let report = json(&["evaluate", "small", "--player", &player, "--games", "2000", "--seed", "3"]);
    let error = report["score"]["sd"].as_f64().unwrap() / f64::sqrt(2000.0);
    assert!((report["score"]["mean"].as_f64().unwrap() - value).abs() < 4.0 * error, "{report}");
}

/// Types every command of the first block of a passage of TRAINING.md, one after the other in one folder, and gives what they said.
fn what_a_passage_says(title: &str, commands: usize) -> String {
    let text = include_str!("../../../docs/TRAINING.md");
    let passage = text.split(&format!("\n## {title}\n")).nth(1).unwrap().split("\n## ").next().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let block = passage.split("```sh\n").nth(1).unwrap().split("```").next().unwrap();
    let all: Vec<&str> = block.lines().filter_map(|line| line.strip_prefix("bellmino ")).collect();
    assert_eq!(all.len(), commands, "{block}");
    let mut said = String::new();
    for command in all {
        let words = command.split('#').next().unwrap().split_whitespace();
        let run = Command::cargo_bin("bellmino").unwrap().args(words).current_dir(&folder).output().unwrap();
        assert!(run.status.success(), "{command}: {}", String::from_utf8_lossy(&run.stderr));
        said += &String::from_utf8(run.stdout).unwrap();
    }
    said
}

#[test]
fn the_passage_on_tuples_tells_the_truth() {
    let said = what_a_passage_says("Tuples", 3);
    assert!(said.contains("value        7") && said.contains("where it loses most"), "{said}");
    assert_eq!(said.matches(" a game: ").count(), 3, "{said}");
}

#[test]
fn the_passage_on_endurance_tells_the_truth() {
    let said = what_a_passage_says("Endurance", 3);
    assert_eq!(said.matches("lines per loss").count(), 4, "{said}");
    assert!(said.contains("from 2,000 climbs that were lost"), "{said}");
}

#[test]
fn endurance_is_the_same_on_any_number_of_threads() {
    let measured = |threads: &str| {
        let words = ["endurance", "classic", "--set", "board.height=8", "--player", "weights:lee4"];
        let more = ["--climbs", "50", "--runs", "4", "--seed", "2", "--threads", threads, "--json"];
        let run = Command::cargo_bin("bellmino").unwrap().args(words).args(more).output().unwrap();
        serde_json::from_slice::<Value>(&run.stdout).unwrap()
    };
    let (one, three) = (measured("1"), measured("3"));
    for key in ["lines_per_loss", "levels", "pieces", "runs", "climbs", "player"] {
        assert_eq!(one[key], three[key], "{key}");
    }
    assert_eq!(one["lines_per_loss"]["losses"], 200);
    let [low, high] = [0, 1].map(|end| one["lines_per_loss"]["ci95"][end].as_f64().unwrap());
    assert!(low < high && (low..high).contains(&one["lines_per_loss"]["mean"].as_f64().unwrap()));
    assert!(refused(&["endurance", "sprint", "--player", "lowest"]).contains("sprint"));
}

#[test]
fn caution_that_makes_no_sense_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.json");
    for caution in
        ["8", "{\"height\": 8}", "{\"height\": 8, \"candidates\": 0}", "{\"height\": -1, \"candidates\": 2}"]
    {
        let text = format!("{{\"name\": \"mine\", \"caution\": {caution}, \"weights\": {{\"holes\": -1}}}}");
        fs::write(&file, text).unwrap();
        let player = format!("weights:{}", file.display());
        let message = refused(&["evaluate", "classic", "--player", &player]);
        assert!(message.contains("`caution` must be an object with `height`"), "{message}");
    }
}
