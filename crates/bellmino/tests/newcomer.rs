//! What the command says to somebody who does not know it yet.

mod common;

use std::fs;

use common::{bellmino, json, refused, stdout};
use serde_json::Value;

/// What it said besides the data.
fn stderr(words: &[&str]) -> String {
    let output = bellmino(words);
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn solve_chooses_a_natural_objective_and_says_so() {
    let mini = json(&["solve", "mini"]);
    assert_eq!(mini["objective"], "total");
    assert_eq!(mini["value"], json(&["solve", "mini", "--objective", "total"])["value"]);
    let baby = json(&["solve", "baby"]);
    assert_eq!(baby["objective"], "average");
    assert_eq!(baby["value"], json(&["solve", "baby", "--objective", "average"])["value"]);
    assert!(stderr(&["solve", "mini"]).contains("this is total"));
    assert!(
        stderr(&["solve", "baby"])
            .contains("this is average, the points per piece, since the total is infinite")
    );
    assert_eq!(stderr(&["solve", "baby", "--quiet"]), "");
    assert!(stdout(&["solve", "baby"]).starts_with("baby: average, best placer"));
    assert!(stderr(&["solve", "baby", "--objective", "total"]).contains("--objective average"));
    assert!(refused(&["export", "mini", "-o", "unused.drn"]).contains("--objective"));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("baby.table").display().to_string();
    stdout(&["solve", "baby", "-o", &file]);
    let player = format!("table:{file}");
    let report = json(&["evaluate", "baby", "--player", &player, "--games", "2", "--pieces", "50"]);
    assert_eq!(report["unfinished"], 2);
}

#[test]
fn a_state_shows_its_best_placement_first_and_draws_it() {
    let words = ["solve", "baby", "--objective", "discounted:0.9", "--state", "###.", "--piece", "L3"];
    let text = stdout(&words);
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("rotation")).collect();
    assert_eq!(lines[0], "* L3 rotation 0 column 0 row 1: lines 0, value 10.0178072660");
    assert!(lines[1..].iter().all(|line| line.starts_with("  L3")), "{text}");
    let drawn = text.split("drawn with @:\n").nth(1).unwrap();
    assert_eq!(drawn, "    ....\n    @...\n    @@..\n    ###.\n");
    let report = json(&words);
    let values: Vec<f64> =
        report["placements"].as_array().unwrap().iter().filter_map(|one| one["value"].as_f64()).collect();
    assert!(values.is_sorted_by(|a, b| a >= b), "{values:?}");
    let marks = |report: &Value| {
        let marks = report["placements"].as_array().unwrap().iter().map(|one| one["best"] == true);
        marks.collect::<Vec<bool>>()
    };
    assert_eq!(marks(&report).iter().position(|best| *best), Some(0));
    assert_eq!(marks(&report).iter().filter(|best| **best).count(), 1);
    // Nothing can be done, and the best that can be done is no placement.
    let lost = stdout(&["solve", "mini", "--state", "##./##./#.#", "--piece", "S"]);
    assert!(lost.contains("the game ends here") && !lost.contains('*'), "{lost}");
    let aside = stdout(&["solve", "mini", "--hold", "--state", "#../#../##.", "--piece", "S"]);
    assert_eq!(aside.matches('*').count(), 1, "{aside}");
}

#[test]
fn empty_is_a_board_everywhere() {
    let solve = ["solve", "mini", "--objective", "total", "--piece", "S", "--state"];
    let placements = |board| json(&[&solve[..], &[board]].concat())["placements"].clone();
    assert_eq!(placements("empty"), placements(""));
    let from = ["solve", "mini", "--objective", "total", "--from", "empty"];
    assert_eq!(json(&from)["value"], json(&["solve", "mini"])["value"]);
    stdout(&["analyse", "empty", "--queue", "TIO", "--nodes", "500"]);
    // Four rows by itself: the first two bags begin with a known solution.
    let report = json(&["pc", "empty", "--queue", "IOLJTSZIOLJ"]);
    assert_eq!((&report["rows"], &report["pieces"]), (&4.into(), &10.into()));
    assert!(refused(&["pc", "empty"]).contains("a perfect clear of 4 rows needs 10 pieces, and 0 are known"));
}

#[test]
fn players_are_suggested() {
    for command in ["evaluate", "play"] {
        let check = |game: &str, player: &str, expected: &str| {
            let said = refused(&[command, game, "--player", player]);
            assert!(said.contains(expected), "{said}");
        };
        check("classic", "dellacherie", "did you mean `weights:dellacherie`?");
        check("sprint", "snes-sprint", "did you mean `weights:snes-sprint`?");
        check("classic", "nobody", "`bellmino weights` lists");
        check("classic", "bot", "guideline games");
        check("mini", "human", "`bellmino lab`");
        let help = stdout(&[command, "--help"]);
        assert!(help.contains("bot:DEPTH") && help.contains("bellmino weights"), "{help}");
    }
    assert!(refused(&["play", "mini"]).contains("to play yourself, run `bellmino lab`"));
    assert!(refused(&["solve", "baby", "--player", "lee4"]).contains("`weights:lee4`"));
}

#[test]
fn weights_and_features_are_listed() {
    let list = stdout(&["weights"]);
    let listed = json(&["weights"]);
    let weights = listed["weights"].as_array().unwrap();
    assert!(weights.len() >= 11);
    for one in weights {
        let player = one["player"].as_str().unwrap();
        assert!(list.lines().any(|line| line.starts_with(player)), "{player}\n{list}");
        assert!(one["title"].as_str().is_some_and(|title| !title.is_empty()), "{one}");
        let file = json(&["weights", one["name"].as_str().unwrap()]);
        assert_eq!(file["name"], one["name"]);
    }
    assert!(refused(&["weights", "dellacheri"]).contains("did you mean `dellacherie`?"));
    let (list, listed) = (stdout(&["features"]), json(&["features"]));
    for kind in ["sets", "features"] {
        for one in listed[kind].as_array().unwrap() {
            let start = format!("  {} ", one["name"].as_str().unwrap());
            assert!(list.lines().any(|line| line.starts_with(&start)), "{start}");
            assert!(one["description"].as_str().is_some_and(|text| !text.is_empty()), "{one}");
        }
    }
    let of_guideline = |name: &str| {
        let all = listed["features"].as_array().unwrap();
        all.iter().find(|one| one["name"] == name).unwrap()["guideline_only"].clone()
    };
    assert_eq!(
        (of_guideline("holes"), of_guideline("height-X"), of_guideline("keys")),
        (false.into(), false.into(), true.into())
    );
    // A set that is listed can be learned.
    let small =
        ["train", "cem", "classic", "--generations", "1", "--population", "4", "--games", "1", "--low", "5"];
    stdout(&[&small[..], &["--features", "report", "--quiet"]].concat());
}

#[test]
fn fractions_and_rounded_rows_are_taken() {
    let value = |rows: &str| {
        let matrix = format!("dealer.matrix={rows}");
        json(&["solve", "mini", "--objective", "horizon:99", "--set", &matrix])["value"].as_f64().unwrap()
    };
    let exact = value("[[1/2,1/2,0],[1/3,1/3,1/3],[1,0,0]]");
    assert!((exact - value("[[0.5,0.5,0],[0.333,0.333,0.333],[1,0,0]]")).abs() < 1e-9);
    let uniform = value("[[1/3,1/3,1/3],[1/3,1/3,1/3],[1/3,1/3,1/3]]");
    assert!((uniform - 13.145_673_313).abs() < 1e-8, "{uniform}");
    let rounded = "dealer.matrix=[[0.333,0.333,0.333],[1,0,0],[1,0,0]]";
    let said = stderr(&["games", "mini", "--set", rounded]);
    assert_eq!(
        said,
        "bellmino: mini: dealer.matrix: row 1 sums to 0.999, as rounded numbers do; it is divided by that\n"
    );
    assert_eq!(stderr(&["games", "mini", "--set", rounded, "--quiet"]), "");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.toml");
    let text = stdout(&["games", "baby"]).replace("weights = [1, 1]", "weights = [\"1/3\", \"2/3\"]");
    assert!(text.contains("1/3"), "{text}");
    fs::write(&path, text).unwrap();
    assert!(stdout(&["games", path.to_str().unwrap()]).contains("0.3333333333333333"));
}
