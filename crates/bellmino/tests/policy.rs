//! `solve --policy`: what is written is what `--state` says, and to play by it gives the values beside it.

mod common;

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use bellmino_engine::placement::{AnyColumns, Board, DealerState, Grid, Placement};
use bellmino_engine::{Game, PlacementGame};
use common::{json, refused, stdout};

/// A policy as it is read: rows by column name.
fn policy(words: &[&str], file: &Path) -> Vec<HashMap<String, String>> {
    let report = json(&[words, &["--quiet", "--policy", file.to_str().unwrap()]].concat());
    let text = fs::read_to_string(file).unwrap();
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let row = |line: &str| {
        names.iter().map(|name| (*name).to_owned()).zip(line.split(',').map(str::to_owned)).collect()
    };
    let rows: Vec<HashMap<String, String>> = lines.map(row).collect();
    assert_eq!(report["policy"]["rows"], rows.len() as u64);
    rows
}

fn game(name: &str, changes: &[&str]) -> PlacementGame {
    let changes: Vec<_> = changes.iter().map(|change| change.parse().unwrap()).collect();
    Game::built_in(name, &changes).unwrap().unwrap().placement().unwrap().clone()
}

/// The placement of a row, if it has one.
fn placement(game: &PlacementGame, row: &HashMap<String, String>) -> Option<Placement> {
    let number = |name: &str| row[name].parse().ok();
    Some(Placement {
        piece: game.piece_index(&row["piece"])? as u8,
        rotation: number("rotation")?,
        column: number("column")?,
        row: number("row")?,
    })
}

/// J and mu of the report on the 3x3 board: played by hand through all stages, mu gives J everywhere.
#[test]
fn to_play_by_the_policy_of_a_horizon_gives_its_values() {
    let folder = tempfile::tempdir().unwrap();
    let matrix = "dealer.matrix=[[1/2,1/2,0],[1/3,1/3,1/3],[1,0,0]]";
    let words = ["solve", "mini", "--set", matrix, "--objective", "horizon:12"];
    let rows = policy(&words, &folder.path().join("mu.csv"));
    let game = game("mini", &[matrix]);
    // From the last stage backwards, with the rules of the engine and nothing of the solver.
    let mut values: HashMap<(u32, String, usize), f64> = HashMap::new();
    let mut compared = 0;
    for left in 1..=12u32 {
        let of_stage = rows.iter().filter(|row| row["left"] == left.to_string());
        let mut count = 0;
        for row in of_stage {
            count += 1;
            let piece = game.piece_index(&row["piece"]).unwrap();
            let board = Board::parse(3, 3, &row["board"]).unwrap();
            let mut value = 0.0;
            if let Some(placement) = placement(&game, row) {
                let columns = AnyColumns::from_board(&board);
                let landed = columns.place_unchecked(&game, placement);
                assert!(!landed.fatal);
                value = f64::from(landed.cleared.count_ones());
                let after = landed.board.to_board(&game).to_string().replace('\n', "/");
                for deal in game.dealer().deals(DealerState(piece as u32 + 1)) {
                    let next = values.get(&(left - 1, after.clone(), usize::from(deal.piece)));
                    value += deal.probability * next.copied().unwrap_or(0.0);
                }
            }
            let written: f64 = row["value"].parse().unwrap();
            assert!((written - value).abs() < 1e-9, "{row:?}: {value}");
            values.insert((left, row["board"].clone(), piece), value);
            compared += 1;
        }
        assert!(count == 204, "{count} states with {left} left");
    }
    let by_piece = json(&words)["value_by_first_piece"].clone();
    for (piece, name) in ["L3", "S", "I2"].into_iter().enumerate() {
        let value = values[&(12, ".../.../...".to_owned(), piece)];
        assert!((by_piece[name].as_f64().unwrap() - value).abs() < 1e-9, "{name}");
    }
    assert_eq!(compared, 12 * 204);
}

/// The board alone decides, and its mirror image is written too.
#[test]
fn the_policy_is_what_the_state_shows() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["solve", "baby", "--objective", "discounted:0.9"];
    let rows = policy(&words, &folder.path().join("baby.csv"));
    let report = json(&words);
    assert_eq!(report["states"], rows.len() as u64);
    let mean = rows.iter().map(|row| row["value"].parse::<f64>().unwrap()).sum::<f64>() / rows.len() as f64;
    assert!((mean - report["mean_value"].as_f64().unwrap()).abs() < 1e-9, "{mean}");
    for board in ["..../..../..../###.", "..../..../..../.###", "..../..../.#../##.#"] {
        let state = ["--state", board, "--piece", "L3"];
        let shown = json(&[&words[..], &state].concat());
        let best = &shown["placements"][0];
        let row = rows.iter().find(|row| row["board"] == board && row["piece"] == "L3").unwrap();
        assert_eq!(best["best"], true);
        for name in ["rotation", "column", "row"] {
            assert_eq!(best[name].to_string(), row[name], "{board}");
        }
        assert!((best["value"].as_f64().unwrap() - row["value"].parse::<f64>().unwrap()).abs() < 1e-12);
    }
    assert!(rows.iter().any(|row| row["rotation"].is_empty() && row["value"] == "0"), "a lost state");
}

#[test]
fn previews_holds_and_bags_have_their_columns() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("policy.csv");
    let ahead = ["solve", "mini", "--objective", "total", "--preview", "1"];
    let rows = policy(&ahead, &file);
    let row = rows
        .iter()
        .find(|row| row["board"] == ".../.../##." && row["piece"] == "S" && row["next"] == "L3")
        .unwrap();
    let shown = json(&[&ahead[..], &["--state", "##.", "--piece", "S,L3"]].concat());
    assert!(
        (shown["placements"][0]["value"].as_f64().unwrap() - row["value"].parse::<f64>().unwrap()).abs()
            < 1e-9
    );

    let hold = ["solve", "mini", "--objective", "total", "--hold"];
    let rows = policy(&hold, &file);
    assert!(rows.iter().any(|row| row["placed"] == "hold" && row["rotation"].is_empty()));
    assert!(
        rows.iter().any(|row| row["placed"] == row["held"]
            && row["placed"] != row["piece"]
            && !row["held"].is_empty())
    );
    let row = rows
        .iter()
        .find(|row| row["board"] == ".../.../##." && row["piece"] == "S" && row["held"] == "L3")
        .unwrap();
    let shown = json(&[&hold[..], &["--state", "##.", "--piece", "S", "--held", "L3"]].concat());
    assert_eq!(shown["placements"][0]["piece"].as_str(), Some(row["placed"].as_str()));

    let bag = ["solve", "mini", "--set", "dealer.kind=bag", "--objective", "total"];
    let rows = policy(&bag, &file);
    let row = rows
        .iter()
        .find(|row| row["board"] == ".../.../##." && row["piece"] == "L3" && row["bag"] == "S")
        .unwrap();
    let shown = json(&[&bag[..], &["--state", "##.", "--piece", "L3", "--dealt", "I2"]].concat());
    assert!(
        (shown["placements"][0]["value"].as_f64().unwrap() - row["value"].parse::<f64>().unwrap()).abs()
            < 1e-9
    );

    let named = ["solve", "mini", "--objective", "discounted:0.9", "--dealer", "worst-before"];
    assert!(policy(&named, &file).iter().all(|row| !row["next"].is_empty()));
    let order = ["solve", "mini", "--set", "dealer.kind=sequence", "--set", "dealer.order=[\"S\",\"I2\"]"];
    assert!(policy(&order, &file).iter().all(|row| ["1", "2"].contains(&row["place"].as_str())));
}

#[test]
fn a_policy_that_means_nothing_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("policy.csv").display().to_string();
    let check = |words: &[&str], expected: &str| {
        let said = refused(&[&["solve", "baby", "--policy", &file, "--objective"], words].concat());
        assert!(said.contains(expected), "{said}");
        assert!(!Path::new(&file).exists());
    };
    check(&["total"], "the total is infinite");
    check(&["discounted:0.9", "--placer", "average"], "--policy is for the best player");
    check(&["discounted:0.9", "--player", "lowest"], "--player");
    let nowhere = ["solve", "baby", "--objective", "discounted:0.9", "--policy", "no/such/folder/x.csv"];
    assert!(refused(&nowhere).contains("--policy no/such/folder"));
    // Under average a state from which the game can end has no value.
    stdout(&["solve", "baby", "--objective", "average", "--quiet", "--policy", &file]);
    assert!(fs::read_to_string(&file).unwrap().lines().any(|line| line.ends_with(',')));
}
