//! `analyse` and `pc` from the command line.

mod common;

use std::fs;

use bellmino_engine::guideline::{Match, Record, Rules, moves};

use serde_json::json;

use common::{json, refused, stdout};

const DOUBLE: &str = "........## / ######...# / #######.##";

#[test]
fn analyse_finds_the_double() {
    let words = ["analyse", DOUBLE, "--queue", "TO", "--pieces", "359", "--back-to-back", "--nodes", "2000"];
    let report = json(&words);
    assert_eq!((&report["coin"], &report["candidates"][0]["loss"]), (&json!("points"), &json!(0.0)));
    assert_eq!(report["expected"], json!({ "points_to_come": 1800.0 }));
    assert_eq!(report["candidates"][0]["placement"], "T south 7,1 full");
    let text = stdout(&words);
    assert!(text.contains("expected if the bot plays on: 1,800 points to come"), "{text}");
    assert!(text.contains("1. T south 7,1 full  best"), "{text}");
    let held = ["analyse", DOUBLE, "--queue", "OT", "--pieces", "359", "--score", "50000", "--nodes", "2000"];
    let text = stdout(&held);
    assert!(text.contains("plays on: 51,200 points\n"), "{text}");
    assert!(text.contains("1. T south 7,1 full after hold  best"), "{text}");
    assert!(refused(&["analyse", DOUBLE]).contains("--queue"));
    assert!(
        refused(&["analyse", "no such thing", "--queue", "T"])
            .contains("neither a fumen, a file nor a board")
    );
    assert!(refused(&["analyse", "##########", "--queue", "T"]).contains("full row"));
    assert!(refused(&["analyse", DOUBLE, "--queue", "TX"]).contains("IOTLJSZ"));
}

#[test]
fn analyse_judges_a_record() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.toml");
    let start = Match::new(Rules::BLITZ, 3).view();
    let mut board = start.position.board;
    let mut placements = vec![];
    for piece in start.queue {
        // The last one listed: hardly ever the best.
        let at = *moves::placements(&board, piece, Rules::BLITZ.kicks).last().unwrap();
        board.place(&at).unwrap();
        placements.push(at);
    }
    let record = Record::of_placements("blitz", Rules::BLITZ, 3, 0, placements.clone()).unwrap();
    fs::write(&file, record.to_text()).unwrap();
    let file = file.to_str().unwrap();
    let report = json(&["analyse", file, "--nodes", "1500"]);
    assert_eq!(report["judged"].as_u64(), Some(placements.len() as u64));
    let bad = ["inaccuracies", "mistakes", "blunders"].map(|kind| report[kind].as_u64().unwrap());
    assert!(bad.iter().sum::<u64>() > 0, "{report}");
    let one = json(&["analyse", file, "--move", "2", "--nodes", "1500"]);
    assert_eq!(one["played"], placements[1].to_string());
    let second = &report["judgements"][1];
    assert_eq!((&one["loss"], &one["verdict"]), (&second["loss"], &second["verdict"]));
    // The list and the verdict are of one measure, in its order.
    let losses: Vec<f64> = one["analysis"]["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["loss"].as_f64().unwrap())
        .collect();
    assert!(losses.is_sorted() && losses.contains(&one["loss"].as_f64().unwrap()), "{one}");
    assert!(refused(&["analyse", file, "--move", "99"]).contains("moves 1 to"));
}

#[test]
fn pc_solves_and_says_how_likely() {
    let words = ["pc", "######.... / ######....", "--queue", "OO", "--no-hold"];
    let report = json(&words);
    assert_eq!(report["solutions"][0]["points"], 1500);
    assert_eq!(report["solutions"][0]["line"].as_array().unwrap().len(), 2);
    let all = json(&[&words[..], &["--all"]].concat());
    assert_eq!((all["solutions"].as_array().unwrap().len(), all["complete"].as_bool()), (2, Some(true)));
    assert!(stdout(&["pc", "######.... / ######....", "--queue", "ST"]).contains("there is none"));
    let chances = json(&["pc", "......#### / ......####", "--queue", "OO", "--bag", "OI"]);
    assert_eq!((chances["futures"].as_u64(), chances["chances"][0]["chance"].as_f64()), (Some(2), Some(1.0)));
    assert!(refused(&["pc", "#.........", "--rows", "1", "--queue", "I"]).contains("whole pieces"));
    assert!(refused(&["pc", "empty", "--queue", "I"]).contains("--queue"));
}

/// `best` by the bot is what `analyse` says of the board.
#[test]
fn the_best_is_what_an_analysis_says() {
    let position =
        ["--queue", "TIOSZ", "--nodes", "2000", "--combo", "2", "--pieces", "40", "--score", "9000"];
    let board = "####....../####.#####";
    let analysed = json(&[&["analyse", board, "--goal", "sprint", "--hold", "L"], &position[..]].concat());
    let words = ["best", "sprint", "--board", board, "--held", "L"];
    let found = json(&[&words[..], &position].concat());
    for (one, other) in [("unit", "coin"), ("expected", "expected"), ("nodes", "nodes")] {
        assert_eq!(found[one], analysed[other]);
    }
    let all = |report: &serde_json::Value, key: &str| -> Vec<serde_json::Value> {
        report["candidates"].as_array().unwrap().iter().map(|one| one[key].clone()).collect()
    };
    for key in ["placement", "held", "clear", "loss", "fatal", "line"] {
        assert_eq!(all(&found, key), all(&analysed, key), "{key}");
    }
    let simple = json(&[&words[..], &["--queue", "T", "--player", "lowest"]].concat());
    assert!(simple["candidates"][0]["value"].is_number(), "{simple}");
    assert!(refused(&[&words[..], &["--queue", ""]].concat()).contains("--queue: say which piece"));
    assert!(refused(&[&words[..], &["--queue", "T", "--lines", "40"]].concat()).contains("the game is over"));
    assert!(refused(&[&words[..], &["--queue", "T", "--dealt", "I"]].concat()).contains("--dealt"));
}
