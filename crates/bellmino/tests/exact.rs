//! `solve` and `export` as a user types them: what is shown, what is refused, and runs that are cut short.

mod common;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::{json, refused, stdout};
use serde_json::Value;

fn value(report: &Value) -> f64 {
    report["value"].as_f64().unwrap()
}

/// The values of the placements; `None` is infinite, one way or the other.
fn placements(report: &Value) -> Vec<Option<f64>> {
    report["placements"].as_array().unwrap().iter().map(|one| one["value"].as_f64()).collect()
}

fn best(values: &[Option<f64>]) -> f64 {
    values.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn the_best_placement_is_worth_what_its_piece_is() {
    for objective in ["discounted:0.9", "horizon:9", "survive"] {
        let report = json(&["solve", "baby", "--objective", objective, "--state", "", "--piece", "L3"]);
        let by_piece = report["value_by_first_piece"]["L3"].as_f64().unwrap();
        let found = best(&placements(&report));
        assert!((found - by_piece).abs() < 1e-8, "{objective}: {found} for {by_piece}");
    }
    let report = json(&["solve", "mini", "--objective", "total", "--state", "", "--piece", "S"]);
    let by_piece = report["value_by_first_piece"]["S"].as_f64().unwrap();
    assert!((best(&placements(&report)) - by_piece).abs() < 1e-8);
}

/// A view's value is that of a model, and said to be; beside it stands what its player makes in the game.
#[test]
fn the_value_of_a_view_is_said_to_be_that_of_a_model() {
    let words =
        ["solve", "small", "--set", "board.height=3", "--objective", "horizon:10", "--view", "contour"];
    let report = json(&words);
    assert!((value(&report) - 120.86).abs() < 0.01);
    assert_eq!(report["value_of"], "model");
    let truth = report["true_value"].as_f64().unwrap();
    assert!((177.8..189.2).contains(&truth), "{truth}");
    assert!(report["true_error_bound"].as_f64().unwrap() < 1e-6);
    let told = stdout(&words);
    assert!(told.contains("  model value  120.8587") && told.contains("not of the game"), "{told}");
    assert!(told.contains(&format!("  true value   {truth:.10} in points, within")), "{told}");
    let plain = json(&["solve", "mini", "--objective", "horizon:3"]);
    assert!(plain.get("value_of").is_none() && plain.get("true_value").is_none());
}

/// Tables make what was solved with their own dealer; where they cannot, it is an error and not a loss.
#[test]
fn tables_play_and_deal_as_they_were_solved_or_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let solved = |name: &str, objective: &str, dealer: &str| {
        let file = folder.path().join(name).to_str().unwrap().to_owned();
        let report = json(&["solve", "mini", "--objective", objective, "--dealer", dealer, "-o", &file]);
        (value(&report), format!("table:{file}"))
    };
    let (_, before) = solved("before", "discounted:0.9", "worst-before");
    let report = json(&["evaluate", "mini", "--player", &before, "--games", "50", "--pieces", "500"]);
    assert!(report["pieces"]["mean"].as_f64().unwrap() > 5.0, "{report}");
    let (ten, horizon) = solved("ten", "horizon:10", "worst");
    let words = ["evaluate", "mini", "--player", &horizon, "--dealer", &horizon, "--games", "2"];
    let report = json(&words);
    assert_eq!(report["score"]["mean"].as_f64(), Some(ten));
    assert_eq!(report["interrupted"], false);
    let error = refused(&[&words[..], &["--pieces", "11"]].concat());
    assert!(error.contains("at most 10 would be right"), "{error}");
    let shown = json(&["play", "mini", "--player", &horizon]);
    assert!(shown["pieces"].as_u64().unwrap() <= 10);
    let error = refused(&["solve", "mini", "--objective", "total", "--player", &horizon]);
    assert!(error.contains("solved for 10 pieces"), "{error}");
    let (_, chance) = solved("chance", "total", "random");
    let error = refused(&["evaluate", "mini", "--player", "lowest", "--dealer", &chance]);
    assert!(error.contains("solved for the random dealer"), "{error}");
}

#[test]
fn analyse_gives_the_exact_loss_of_each_move() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.toml");
    let file = file.to_str().unwrap();
    stdout(&["play", "mini", "--player", "lowest", "--seed", "2", "--record", file]);
    let report = json(&["analyse", file]);
    assert_eq!(report["objective"], "total");
    let losses = report["losses"].as_array().unwrap();
    assert_eq!(report["moves"].as_u64(), Some(losses.len() as u64));
    let sum: f64 = losses.iter().map(|one| one["loss"].as_f64().unwrap()).sum();
    assert!((report["loss"].as_f64().unwrap() - sum).abs() < 1e-9 && sum >= 0.0);
    let one = json(&["analyse", file, "--move", "1", "--objective", "discounted:0.9"]);
    assert_eq!((&one["losses"][0]["played"], &one["moves"]), (&losses[0]["played"], &report["moves"]));
    assert!(refused(&["analyse", file, "--move", "99999"]).contains("moves 1 to"));
    assert!(refused(&["analyse", file, "--nodes", "5"]).contains("placement game"));
    assert!(
        refused(&["analyse", "#.........", "--queue", "T", "--objective", "total"]).contains("--objective")
    );
}

#[test]
fn average_shows_placements_beside_the_best() {
    let state = ["--state", "###.", "--piece", "L3"];
    let report = json(&[&["solve", "baby", "--objective", "average"], &state[..]].concat());
    let values = placements(&report);
    assert_eq!(best(&values), 0.0);
    // Three of the twelve leave the boards from which the player survives everything.
    assert_eq!((values.len(), values.iter().filter(|value| value.is_none()).count()), (12, 3));
    let text = stdout(&[&["solve", "baby", "--objective", "average"], &state[..]].concat());
    assert_eq!(text.matches("can end the game").count(), 3, "{text}");
}

#[test]
fn an_infinite_total_says_so() {
    let report = json(&["solve", "baby", "--objective", "total"]);
    assert_eq!((&report["value"], &report["infinite"]), (&Value::Null, &Value::Bool(true)));
    assert!(stdout(&["solve", "baby", "--objective", "total"]).contains("value        infinite\n"));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.table").display().to_string();
    for more in [&["-o", &file][..], &["--state", "", "--piece", "L3"]] {
        let error = refused(&[&["solve", "baby", "--objective", "total"], more].concat());
        assert!(error.contains("the total is infinite"), "{error}");
    }
    assert!(!Path::new(&file).exists());
}

#[test]
fn what_was_dealt_before_matters_with_a_bag() {
    let bag = ["solve", "mini", "--set", "dealer.kind=bag", "--objective", "total", "--state"];
    let error = refused(&[&bag[..], &["", "--piece", "S"]].concat());
    assert!(error.contains("--dealt"), "{error}");
    let report = json(&[&bag[..], &["", "--piece", "S", "--dealt", ""]].concat());
    let first = report["value_by_first_piece"]["S"].as_f64().unwrap();
    assert!((best(&placements(&report)) - first).abs() < 1e-7);
    // The domino lies in the corner; the bag still has the corner piece, or the S.
    let state = ["##.", "--piece", "L3", "--dealt"];
    let later = json(&[&bag[..], &state[..], &["I2"]].concat());
    assert!(best(&placements(&later)) > 0.0);
    // After all three the board cannot have two cells, and the order S, S is never dealt.
    assert!(refused(&[&bag[..], &state[..], &["I2,S,L3"]].concat()).contains("cannot be reached"));
    assert!(refused(&[&bag[..], &state[..], &["S,S"]].concat()).contains("--dealt"));
}

#[test]
fn named_and_held_pieces_are_shown() {
    let ahead = ["solve", "baby", "--objective", "discounted:0.9", "--dealer", "worst-before", "--state", ""];
    let error = refused(&[&ahead[..], &["--piece", "L3"]].concat());
    assert!(error.contains("there are 2 on the table"), "{error}");
    let named = json(&[&ahead[..], &["--piece", "L3,I3"]].concat());
    assert!(best(&placements(&named)) >= value(&named) - 1e-9);

    let hold = ["solve", "mini", "--objective", "total", "--hold", "--state", "", "--piece", "S"];
    let empty = json(&hold);
    let by_piece = empty["value_by_first_piece"]["S"].as_f64().unwrap();
    let aside = empty["put_aside"].as_f64().unwrap();
    assert!((aside.max(best(&placements(&empty))) - by_piece).abs() < 1e-6);
    let board = ["solve", "mini", "--objective", "total", "--hold", "--state", "##.", "--piece", "S"];
    let held = json(&[&board[..], &["--held", "L3"]].concat());
    let pieces: Vec<&str> =
        held["placements"].as_array().unwrap().iter().filter_map(|one| one["piece"].as_str()).collect();
    assert!(pieces.contains(&"S") && pieces.contains(&"L3"));
}

#[test]
fn rewards_that_can_be_negative_come_to_an_end() {
    for reward in ["score=1,height=0.5", "lines=1,height=1,gaps=1"] {
        let report = json(&["solve", "baby", "--objective", "discounted:0.9", "--reward", reward]);
        assert!(value(&report) < 0.0 || reward.starts_with("score"), "{report}");
        let (true_value, worst) = (&report["true_value"], &report["true_worst_value"]);
        assert!(true_value.as_f64().unwrap() <= 9.118_607_1 && worst.as_f64() <= true_value.as_f64());
    }
}

#[test]
fn what_does_not_fit_is_refused_with_its_estimate() {
    let error = refused(&["solve", "classic", "--objective", "total"]);
    assert!(error.contains("too big: more than 10^19 boards"), "{error}");
    let five = ["classic", "--set", "board.width=5", "--set", "board.height=5", "--objective", "total"];
    for command in ["solve", "export"] {
        let more = if command == "export" { &["-o", "unused.drn"][..] } else { &[] };
        let error = refused(&[&[command], &five[..], &["--memory", "50MiB"], more].concat());
        assert!(error.contains("too big: about 7,157,287 boards need about "), "{error}");
    }
    assert!(refused(&["export", "classic", "--objective", "total", "-o", "unused.drn"]).contains("too big"));
}

#[test]
fn exported_files_are_of_the_board_they_start_from() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("baby").display().to_string();
    let objective = ["--objective", "horizon:3", "--format", "prism", "-o", &file];
    let whole = json(&[&["export", "baby"], &objective[..]].concat());
    assert_eq!(whole["files"].as_array().unwrap().len(), 3);
    let rewards = fs::read_to_string(folder.path().join("baby.trew")).unwrap();
    let count = |line: &str| line.split(' ').nth(2).unwrap().parse::<usize>().unwrap();
    assert_eq!(count(rewards.lines().next().unwrap()), rewards.lines().count() - 1);
    let steps = fs::read_to_string(folder.path().join("baby.tra")).unwrap();
    assert_eq!(count(steps.lines().next().unwrap()), steps.lines().count() - 1);
    // The first state deals on the board that was asked for: the empty one is number 0, and its states come first.
    assert_eq!(steps.lines().nth(1), Some("0 0 1 0.5"));
    json(&[&["export", "baby", "--from", "##../###./###./###."], &objective[..]].concat());
    let steps = fs::read_to_string(folder.path().join("baby.tra")).unwrap();
    assert!(steps.lines().nth(1).is_some_and(|line| line.starts_with("0 0 ") && line != "0 0 1 0.5"));
}

/// A long run: plain value iteration, saved after every sweep.
fn start(objective: &str, file: &Path, resume: bool) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bellmino"));
    command.args(["solve", "small", "--objective", objective, "--method", "value", "--threads", "1"]);
    command.args(["--quiet", "--json", "--save-every", "0", "-o"]).arg(file);
    if resume {
        command.arg("--resume");
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn wait_for(file: &Path) {
    let begin = Instant::now();
    while !file.exists() {
        assert!(begin.elapsed() < Duration::from_secs(120), "no {}", file.display());
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[cfg(unix)]
#[test]
fn a_run_goes_on_after_any_end() {
    for objective in ["total", "horizon:60"] {
        let whole = json(&["solve", "small", "--objective", objective]);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("small.table");
        let part = folder.path().join("small.table.part");

        // Killed, at some moment after the first save.
        let mut child = start(objective, &file, false);
        wait_for(&part);
        std::thread::sleep(Duration::from_millis(30));
        child.kill().unwrap();
        assert!(!child.wait().unwrap().success());
        let saved = fs::metadata(&part).unwrap().modified().unwrap();

        // Gone on with, and interrupted after another save.
        let child = start(objective, &file, true);
        let begin = Instant::now();
        while fs::metadata(&part).unwrap().modified().unwrap() == saved {
            assert!(begin.elapsed() < Duration::from_secs(120), "no further save");
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains("go on with --resume"), "{error}");
        assert!(part.exists() && !file.exists());

        // Another question does not go on with it.
        let name = file.display().to_string();
        let other = ["solve", "small", "--objective", "survive", "--resume", "-o", &name];
        assert!(refused(&other).contains("another game or to other settings"));

        let words = ["solve", "small", "--objective", objective, "--resume", "-o", &name];
        let resumed = json(&words);
        let allowed = whole["error_bound"].as_f64().unwrap() + resumed["error_bound"].as_f64().unwrap();
        assert!((value(&whole) - value(&resumed)).abs() <= allowed, "{objective}: {resumed}");
        for same in ["boards", "states", "dead_states"] {
            assert_eq!(whole[same], resumed[same]);
        }
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|one| one.unwrap().file_name()).collect();
        assert_eq!(left, ["small.table"], "only the whole table is left");
    }
}

#[test]
fn a_damaged_part_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("x.table").display().to_string();
    fs::write(folder.path().join("x.table.part"), b"BELLMINO\x01\0\0\0").unwrap();
    let error = refused(&["solve", "mini", "--objective", "total", "--resume", "-o", &name]);
    assert!(error.contains("x.table.part") && error.contains("cut off"), "{error}");
    fs::remove_file(folder.path().join("x.table.part")).unwrap();
    let output = common::bellmino(&["solve", "mini", "--objective", "total", "--resume", "-o", &name]);
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("starting afresh"));
}

/// Whether a line is as shown: word by word, numbers up to what the solver promises.
fn is_as_shown(line: &str, shown: &str) -> bool {
    let number = |word: &str| word.replace(',', "").parse::<f64>().ok();
    let near = |word: &str, shown: &str| match (number(word), number(shown)) {
        // Both are bounds if they are that small.
        (Some(found), Some(expected)) => (found - expected).abs() <= 1e-7 * expected.abs().max(1.0),
        _ => word == shown,
    };
    let (words, expected): (Vec<_>, Vec<_>) =
        (line.split_whitespace().collect(), shown.split_whitespace().collect());
    words.len() == expected.len() && words.iter().zip(expected).all(|(word, shown)| near(word, shown))
}

/// Types every command of the tutorial; what the tutorial shows below a command must come, line by line and in this
/// order (it leaves out lines that differ from machine to machine).
#[test]
fn the_tutorial_tells_the_truth() {
    let text = include_str!("../../../docs/tutorials/exact-play.md");
    let folder = tempfile::tempdir().unwrap();
    let (mut commands, mut shown) = (0, 0);
    for block in text.split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap();
        for session in block.split("$ bellmino ").skip(1) {
            let (command, expected) = session.split_once('\n').unwrap();
            let words = command.replace('"', "\u{0}");
            // Quotes hold no spaces in the tutorial.
            let words: Vec<String> = words.split(' ').map(|word| word.replace('\u{0}', "")).collect();
            let output = Command::new(env!("CARGO_BIN_EXE_bellmino"))
                .args(&words)
                .arg("--quiet")
                .current_dir(folder.path())
                .output()
                .unwrap();
            let error = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{command}: {error}");
            let output = String::from_utf8(output.stdout).unwrap();
            let mut lines = output.lines();
            for expected in expected.lines().filter(|line| !line.trim().is_empty()) {
                assert!(
                    lines.any(|line| is_as_shown(line, expected)),
                    "{command}: no `{expected}` in\n{output}"
                );
                shown += 1;
            }
            commands += 1;
        }
    }
    assert!(commands >= 10 && shown >= 20, "{commands} commands, {shown} lines");
}

/// A value that is not as near to the truth as was asked for is shown, and the exit status says so.
#[test]
fn a_bound_that_is_not_reached_is_said_aloud() {
    let check = |words: &[&str], expected: &str| {
        let output = common::bellmino(&[&["solve", "baby", "--json", "--quiet"], words].concat());
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{words:?}: {error}");
        assert!(error.contains("not within the wanted") && error.contains(expected), "{words:?}: {error}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(report["error_bound"].as_f64() > report["wanted_bound"].as_f64(), "{report}");
    };
    check(&["--objective", "discounted:0.9", "--epsilon", "1e-300"], "rounding");
    // Two dealers in one, of which an adversary takes the worse: no gain is everywhere the same.
    let apart = ["--set", "dealer.kind=markov", "--set", "dealer.matrix=[[1,0],[0,1]]"];
    check(&[&["--objective", "average", "--dealer", "worst"], &apart[..]].concat(), "did not settle");
    // A random one is taken apart.
    let report = json(&[&["solve", "baby", "--objective", "average"], &apart[..]].concat());
    let by_piece = |piece: &str| report["value_by_first_piece"][piece].as_f64().unwrap();
    let mean = 0.5 * (by_piece("I3") + by_piece("L3"));
    assert!((report["value"].as_f64().unwrap() - mean).abs() < 1e-8, "{report}");
    assert!((by_piece("I3") - by_piece("L3")).abs() > 0.1, "{report}");
}

/// What cannot work is refused before the work.
#[test]
fn a_table_that_cannot_be_written_is_refused_before_solving() {
    let solve = ["solve", "classic", "--objective", "discounted:0.9"];
    // Solving this would be refused as well, and later.
    assert!(refused(&[&solve[..], &["-o", "no/such/folder/x.table"]].concat()).contains("-o no/such/folder"));
    let huge = ["--set", "score.lines=[0,1e308]"];
    assert!(
        refused(&[&["solve", "baby", "--objective", "discounted:0.9"], &huge[..]].concat()).contains("1e100")
    );
    assert!(refused(&[&["evaluate", "baby", "--player", "random"], &huge[..]].concat()).contains("1e100"));
}

/// What a player is worth from the boards it reaches is what it is worth from all; nothing is asked of boards that are not there.
#[test]
fn a_player_from_the_boards_it_reaches() {
    let asked = ["solve", "small", "--objective", "total", "--player", "weights:bcts"];
    let all = json(&asked);
    let some = json(&[&asked[..], &["--reached"]].concat());
    assert!((value(&all) - value(&some)).abs() < 1e-8, "{all} {some}");
    assert!(some["boards"].as_u64() < all["boards"].as_u64());
    assert_eq!((&some["reached"], all.get("reached")), (&true.into(), None));
    assert!(stdout(&[&asked[..], &["--reached"]].concat()).contains("over all states that it reaches"));
    assert!(refused(&["solve", "small", "--objective", "total", "--reached"]).contains("--player"));
    assert!(refused(&["solve", "small", "--player", "random", "--reached"]).contains("every board"));
    assert!(refused(&[&asked[..], &["--reached", "--losses", "2"]].concat()).contains("--losses"));
}

/// By a table `best` says what `solve --state` says, and by the table's own player the same placement is played.
#[test]
fn the_best_by_a_table_is_what_was_solved() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mini").display().to_string();
    let table = format!("table:{file}");
    let solve = ["solve", "mini", "--objective", "total", "--hold", "-o", &file, "--state", "##."];
    let solved = json(&[&solve[..], &["--piece", "S", "--held", "L3"]].concat());
    let hand = ["best", "mini", "--board", "##.", "--queue", "S", "--held", "L3", "--top", "99"];
    let found = json(&[&hand[..], &["--player", &table]].concat());
    let (placements, candidates) = (&solved["placements"], &found["candidates"]);
    let sorted = |list: &Value| {
        let mut values: Vec<f64> =
            list.as_array().unwrap().iter().filter_map(|one| one["value"].as_f64()).collect();
        values.sort_by(f64::total_cmp);
        values
    };
    assert_eq!(sorted(placements), sorted(candidates));
    assert_eq!((&found["unit"], &found["put_aside"]), (&"total".into(), &solved["put_aside"]));
    let best = &placements[0];
    let written = format!(
        "{} {} {},{}",
        best["piece"].as_str().unwrap(),
        best["rotation"],
        best["column"],
        best["row"]
    );
    assert_eq!(candidates[0]["placement"], written);
    assert_eq!((&candidates[0]["loss"], &candidates[0]["held"]), (&0.0.into(), &best["held"]));
    assert!(stdout(&[&hand[..], &["--player", &table]].concat()).starts_with(&format!("1. {written}")));
    assert!(refused(&hand).contains("--player: say who chooses"));
    assert!(refused(&[&hand[..], &["--player", "lowest"]].concat()).contains("--held"));
    assert!(refused(&[&hand[..], &["--player", &table, "--combo", "3"]].concat()).contains("placement game"));
}
