//! Guideline games from the command line.

mod common;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use bellmino_engine::Outcome;
use bellmino_engine::guideline::{Match, Rules};
use bellmino_lab::tbp::{move_object, read_move, start_message};
use common::{json, refused, stdout};
use serde_json::Value;

#[test]
fn perft_by_queue() {
    let counted = json(&["perft", "guideline", "--queue", "IOLJ"]);
    assert_eq!((counted["nodes"].as_u64(), counted["depth"].as_u64()), (Some(188_374), Some(4)));
    assert_eq!(stdout(&["perft", "sprint", "--queue", "IO"]), "153\n");
    let half = json(&["perft", "guideline", "--queue", "TT", "--set", "kicks=srs180"]);
    assert!(half["nodes"].as_u64() >= json(&["perft", "guideline", "--queue", "TT"])["nodes"].as_u64());
    for (words, expected) in [
        (&["perft", "baby", "--queue", "IO"][..], "give --depth"),
        (&["perft", "guideline", "--queue", "IX"], "IOTLJSZ"),
        (&["perft", "sprint", "--depth", "1"], "guideline game"),
        (&["perft", "guideline"], "--depth"),
    ] {
        assert!(refused(words).contains(expected), "{words:?}: {}", refused(words));
    }
}

#[test]
fn sprint_is_evaluated_with_guideline_counts() {
    let report = json(&["evaluate", "sprint", "--player", "weights:lee4", "--games", "20", "--seed", "3"]);
    assert_eq!((report["cleared_goal"].as_u64(), report["unfinished"].as_u64()), (Some(20), Some(0)));
    assert!(report["lines"]["min"].as_f64() >= Some(40.0) && report["pieces"]["min"].as_f64() >= Some(100.0));
    assert!(report["drop_points"]["mean"].as_f64() > Some(0.0));
    let clears = report["clears"].as_object().unwrap();
    assert_eq!(clears.len(), 11);
    let lines = |kind: &str, lines: u64| clears[kind].as_u64().unwrap() * lines;
    let total = lines("single", 1) + lines("double", 2) + lines("triple", 3) + lines("tetris", 4);
    let spins = lines("mini_single", 1) + lines("mini_double", 2) + lines("spin_single", 1);
    let spins = spins + lines("spin_double", 2) + lines("spin_triple", 3);
    assert_eq!((total + spins) as f64, (report["lines"]["mean"].as_f64().unwrap() * 20.0).round());
    assert!(refused(&["evaluate", "practice", "--player", "lowest"]).contains("give --pieces"));
    let longer =
        json(&["evaluate", "sprint", "--set", "goal.lines=80", "--player", "weights:lee4", "--games", "2"]);
    assert!(longer["lines"]["min"].as_f64() >= Some(80.0));
}

#[test]
fn players_are_compared_on_the_same_pieces_whatever_the_threads() {
    let run = |threads: &str| {
        let words = ["evaluate", "blitz", "--games", "4", "--pieces", "60", "--player", "random"];
        let more = ["--player", "lowest", "--player", "fewest-holes", "--threads", threads];
        let mut report = json(&[&words[..], &more].concat());
        for player in report["players"].as_array_mut().unwrap() {
            for time in ["seconds", "pieces_per_second"] {
                player.as_object_mut().unwrap().remove(time).unwrap();
            }
        }
        report
    };
    let report = run("1");
    assert_eq!(report, run("2"));
    let pieces = |index: usize| report["players"][index]["pieces"]["mean"].as_f64().unwrap();
    assert!(pieces(1) > pieces(0) && pieces(2) > pieces(0));
}

#[test]
fn a_game_is_shown_recorded_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.toml");
    let path = path.to_str().unwrap();
    let words = ["play", "sprint", "--player", "weights:lee4", "--seed", "5", "--record", path];
    let text = stdout(&words);
    assert!(text.contains("end: goal reached; pieces 1"), "{text}");
    let game = json(&words[..6]);
    let report = json(&["evaluate", "sprint", "--player", "weights:lee4", "--seed", "5", "--games", "1"]);
    for key in ["score", "pieces", "lines", "drop_points"] {
        assert_eq!(game[key].as_f64(), report[key]["mean"].as_f64(), "{key}");
    }
    // The record becomes a fumen with a page for each piece and one for the end.
    let drawn = json(&["fumen", path]);
    let pages = drawn["pages"].as_array().unwrap();
    assert_eq!(pages.len() as u64, game["pieces"].as_u64().unwrap() + 1);
    let last = pages.last().unwrap()["board"].as_array().unwrap().len();
    assert_eq!(
        last,
        game["moves"].as_array().unwrap().last().unwrap()["board"]
            .as_str()
            .unwrap()
            .lines()
            .flat_map(|b| b.split('/'))
            .filter(|r| !r.is_empty())
            .count()
    );
    let back = stdout(&["fumen", drawn["fumen"].as_str().unwrap()]);
    let text = folder.path().join("pages.txt");
    fs::write(&text, &back).unwrap();
    assert_eq!(stdout(&["fumen", text.to_str().unwrap()]).trim(), drawn["fumen"].as_str().unwrap());
    assert!(refused(&["fumen", "v115@vh"]).contains("ends in the middle of page 1"));
    assert!(refused(&["fumen", "nothing"]).contains("neither a fumen"));
}

#[test]
fn golden_guideline_game() {
    let text = stdout(&["play", "blitz", "--player", "weights:lee4", "--pieces", "40", "--seed", "1"]);
    insta::assert_snapshot!("blitz-weights-lee4", text);
}

#[test]
fn bad_guideline_files_are_refused() {
    for (set, expected) in [
        ("kicks=srx", "kicks: `srx` is unknown; did you mean `srs`?"),
        ("previews=-1", "previews: found -1"),
        ("hold=1", "hold: found 1; it must be true or false"),
        ("goal.lines=0", "goal.lines: found 0"),
        ("goal.line=40", "goal.line: unknown key; did you mean `lines`?"),
        ("score.table=classic", "score.table: `classic` is unknown; valid: `seed`, `guideline`"),
        ("score.lines=[1]", "score.lines: must be 5 whole numbers"),
        ("timing.gravity=1.5", "timing.gravity: found 1.5"),
        ("kind=tetris", "kind: `tetris` is unknown"),
        ("board.height=5", "board: unknown key"),
    ] {
        let message = refused(&["games", "sprint", "--set", set]);
        assert!(message.contains(expected), "{set}: {message}");
    }
    let own = stdout(&["games", "sprint", "--set", "score.table=guideline", "--set", "score.combo=60"]);
    assert!(own.contains("combo = 60") && own.contains("perfect = [0, 800, 1200, 1800, 2000]"), "{own}");
}

/// A referee over pipes: the bot plays whole games for a front end that keeps its own rules.
#[test]
fn the_bot_protocol_over_pipes() {
    for player in ["weights:lee4", "bot"] {
        let mut child = piped(&["tbp", "--goal", "sprint", "--player", player, "--nodes", "300"]);
        let mut input = child.stdin.take().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut read = || -> Value { serde_json::from_str(&output.next().unwrap().unwrap()).unwrap() };
        let info = read();
        assert_eq!(info["type"], "info");
        assert_eq!(info["features"], serde_json::json!(["randomizer", "move_info"]));
        writeln!(input, "{{\"type\":\"rules\",\"randomizer\":\"seven_bag\"}}").unwrap();
        assert_eq!(read()["type"], "ready");
        for seed in 0..2 {
            let mut game = Match::new(Rules::SPRINT, seed);
            let (queue, bag) = (game.queue().to_vec(), game.bag().to_vec());
            writeln!(input, "{}", start_message(game.position(), &queue, &bag)).unwrap();
            while game.outcome().is_none() && game.stats().pieces < 60 {
                writeln!(input, "{{\"type\":\"suggest\"}}").unwrap();
                let suggestion = read();
                assert_eq!(suggestion["type"], "suggestion");
                assert!(suggestion["move_info"]["nodes"].as_u64() > Some(0));
                let placement = read_move(&suggestion["moves"][0]).expect("a move");
                let first_hold = game.position().hold.is_none() && placement.piece != game.current();
                game.play(&placement).expect("a legal move");
                writeln!(input, "{}", serde_json::json!({ "type": "play", "move": move_object(&placement) }))
                    .unwrap();
                let queue = game.queue().to_vec();
                for piece in &queue[queue.len() - if first_hold { 2 } else { 1 }..] {
                    writeln!(input, r#"{{"type":"new_piece","piece":"{piece}"}}"#).unwrap();
                }
            }
            assert_ne!(game.outcome(), Some(Outcome::ToppedOut));
            writeln!(input, "{{\"type\":\"stop\"}}").unwrap();
        }
        writeln!(input, "{{\"type\":\"quit\"}}").unwrap();
        let end = child.wait_with_output().unwrap();
        assert!(end.status.success() && end.stderr.is_empty(), "{}", String::from_utf8_lossy(&end.stderr));
    }
}

#[test]
fn the_bot_protocol_survives_garbage_and_ends_with_its_input() {
    let mut child = piped(&["tbp", "--player", "lowest"]);
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"\xff\xfe\n{\n").unwrap();
    input.write_all(&[b'x'; (1 << 20) + 100_000]).unwrap();
    input.write_all(b"\n{\"type\":\"suggest\"}").unwrap();
    drop(input);
    let end = child.wait_with_output().unwrap();
    assert!(end.status.success());
    let lines: Vec<String> = String::from_utf8(end.stdout).unwrap().lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_eq!(lines[1], r#"{"type":"suggestion","moves":[]}"#);
    let notes = String::from_utf8(end.stderr).unwrap();
    assert!(notes.contains("bytes") && notes.contains("without a position"), "{notes}");
}

/// Starts the command with all its streams in our hands.
fn piped(words: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bellmino"));
    command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}
