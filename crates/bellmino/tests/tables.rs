//! `evaluate --tables` and `tables`: what the files hold, and that they are whole or not there.

mod common;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use bellmino_host::open_tables;
use common::{bellmino, json, refused, stdout};
use serde_json::Value;

/// Some columns of a table, as text; null is empty.
fn column(folder: &Path, table: &str, names: &[&str]) -> Vec<Vec<String>> {
    let (games, moves) = open_tables(folder).unwrap();
    let moves = moves.unwrap();
    let reader = if table == "games" { games } else { moves };
    let mut rows = vec![];
    reader
        .read(names, |batch| {
            for row in 0..batch.rows() {
                let value = |column| match (batch.number(column, row), batch.text(column, row)) {
                    (Some(number), _) => number.to_string(),
                    (_, text) => text.unwrap_or("").to_owned(),
                };
                rows.push((0..names.len()).map(value).collect());
            }
        })
        .unwrap();
    rows
}

fn numbers(folder: &Path, table: &str, name: &str) -> Vec<f64> {
    column(folder, table, &[name]).iter().map(|row| row[0].parse().unwrap_or(f64::NAN)).collect()
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// Everything but what depends on the clock.
fn timeless(mut report: Value) -> Value {
    let drop = |value: &mut Value| {
        if let Some(object) = value.as_object_mut() {
            object.remove("seconds");
            object.remove("pieces_per_second");
        }
    };
    drop(&mut report);
    report["players"].as_array_mut().into_iter().flatten().for_each(drop);
    report
}

/// With tables the report is the same as without, and the tables sum up to it, on any number of threads.
fn check(command: &str) {
    let plain = json(&words(command));
    let folder = tempfile::tempdir().unwrap();
    let mut first = None;
    for threads in ["1", "2", "8"] {
        let here = folder.path().join(threads);
        let path = here.to_str().unwrap();
        let report = json(&[&words(command)[..], &["--threads", threads, "--tables", path]].concat());
        assert_eq!(timeless(report), timeless(plain.clone()), "{command}");
        let bytes = ["games", "moves"].map(|table| fs::read(here.join(format!("{table}.parquet"))).unwrap());
        assert!(first.get_or_insert(bytes.clone()) == &bytes, "{command}: {threads} threads, other bytes");
    }
    let here = folder.path().join("1");
    let reports = match plain["players"].as_array() {
        Some(players) => players.clone(),
        None => vec![plain],
    };
    let games: f64 = reports.iter().map(|report| report["games"].as_f64().unwrap()).sum();
    let ids = numbers(&here, "games", "game_id");
    assert_eq!(ids, (0..games as u64).map(|id| id as f64).collect::<Vec<_>>());
    // Game by game, the moves sum up to the game.
    let of_move = numbers(&here, "moves", "game_id");
    for (sum, total) in [("points", "score"), ("lines", "lines")] {
        let mut sums = vec![0.0; ids.len()];
        of_move.iter().zip(numbers(&here, "moves", sum)).for_each(|(&id, value)| sums[id as usize] += value);
        assert_eq!(sums, numbers(&here, "games", total), "{command}: {total}");
    }
    let mut counts = vec![0.0; ids.len()];
    of_move.iter().for_each(|&id| counts[id as usize] += 1.0);
    assert_eq!(counts, numbers(&here, "games", "pieces"));
    // Player by player, the games sum up to the report.
    let mut begin = 0;
    for report in &reports {
        let own = begin..begin + report["games"].as_u64().unwrap() as usize;
        begin = own.end;
        for name in ["score", "lines", "pieces"] {
            let values = &numbers(&here, "games", name)[own.clone()];
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let reported = report[name]["mean"].as_f64().unwrap();
            assert!((mean - reported).abs() <= 1e-9 * reported.abs().max(1.0), "{command}: {name}");
        }
        let unfinished = column(&here, "games", &["outcome"])[own.clone()]
            .iter()
            .filter(|row| row[0] == "unfinished")
            .count();
        assert_eq!(Some(unfinished as u64), report["unfinished"].as_u64());
        for (kind, count) in report["clears"].as_object().into_iter().flatten() {
            let sum: f64 = numbers(&here, "games", &format!("clears_{kind}"))[own.clone()].iter().sum();
            assert_eq!(Some(sum), count.as_f64(), "{command}: {kind}");
        }
        if let Some(keys) = report.get("keys") {
            let values = &numbers(&here, "games", "keys")[own];
            assert_eq!(values.iter().copied().fold(0.0, f64::max), keys["max"].as_f64().unwrap());
        }
    }
}

#[test]
fn tables_sum_up_to_the_report() {
    check("evaluate baby --player random --player fewest-holes --games 40 --seed 3");
    check("evaluate classic --player lowest --player weights:lee4 --games 20 --pieces 300 --seed 3");
    check(
        "evaluate classic --set landing.overflow=\"forbidden\" --player weights:lee4 --games 5 --pieces 200",
    );
    check("evaluate mini --player random --losses 30 --seed 5");
    check("evaluate sprint --player weights:lee4 --player random --games 6 --seed 3 --keys");
    check("evaluate blitz --player bot --nodes 200 --games 3 --seed 3");
}

#[test]
fn a_game_of_an_evaluation_is_played_again_by_its_index() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    for command in ["blitz --player weights:lee4 --seed 9", "small --player random --seed 9"] {
        stdout(&words(&format!("evaluate {command} --games 4 --quiet --tables {path}")));
        let game = json(&words(&format!("play {command} --index 2")));
        let row = &column(folder.path(), "games", &["pieces", "lines", "score", "index"])[2];
        let expected =
            ["pieces", "lines", "score", "index"].map(|name| game[name].as_f64().unwrap().to_string());
        assert_eq!(row[..], expected);
        let moves = column(folder.path(), "moves", &["game_id", "piece", "points"]);
        let moves: Vec<_> = moves.iter().filter(|row| row[0] == "2").map(|row| row[1].clone()).collect();
        let expected = game["moves"].as_array().unwrap().iter().map(|one| one["piece"].as_str().unwrap());
        assert_eq!(moves, expected.collect::<Vec<_>>());
    }
}

#[test]
fn records_become_the_rows_of_the_evaluation() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for command in ["sprint --player weights:lee4 --seed 4", "baby --player fewest-holes --seed 4"] {
        stdout(&words(&format!("play {command} --index 1 --record {}", at("game.toml"))));
        stdout(&words(&format!("tables {} -o {} --quiet", at("game.toml"), at("record"))));
        stdout(&words(&format!("evaluate {command} --games 2 --quiet --tables {}", at("all"))));
        let names: Vec<&str> = bellmino_data::MOVES.iter().map(|column| column.name).skip(1).collect();
        let with_id = [&["game_id"][..], &names].concat();
        let all = column(&folder.path().join("all"), "moves", &with_id);
        let expected: Vec<_> = all.iter().filter(|row| row[0] == "1").map(|row| row[1..].to_vec()).collect();
        assert_eq!(column(&folder.path().join("record"), "moves", &names), expected);
        let names = ["pieces", "lines", "score", "outcome", "keys", "holds", "drop_points", "seed", "index"];
        let row = column(&folder.path().join("record"), "games", &names);
        assert_eq!(row, column(&folder.path().join("all"), "games", &names)[1..]);
    }
    let csv = stdout(&words(&format!("tables {} -o {} --format csv", at("game.toml"), at("csv"))));
    assert_eq!(csv, "");
    let text = fs::read_to_string(folder.path().join("csv/moves.csv")).unwrap();
    assert!(text.starts_with("game_id,move,piece,rotation,"), "{text}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    assert!(
        refused(&["evaluate", "baby", "--player", "random", "--format", "csv"]).contains("give --tables too")
    );
    assert!(refused(&["tables", "-o", path]).contains("--lab"));
    assert!(refused(&["tables", "none.toml", "-o", path]).contains("none.toml"));
    assert!(refused(&["tables", "none.toml"]).contains("needs -o"));
    assert!(
        refused(&["tables", "-o", path, "--format", "xls"]).contains("--format: give `parquet` or `csv`")
    );
    fs::write(folder.path().join("bad.toml"), "version = 7").unwrap();
    assert!(refused(&["tables", &format!("{path}/bad.toml"), "-o", path]).contains("bad.toml"));
    stdout(&["evaluate", "baby", "--player", "random", "--games", "2", "--quiet", "--tables", path]);
    let other = ["evaluate", "baby", "--player", "random", "--tables", path, "--format", "csv"];
    assert!(refused(&other).contains("has tables in parquet already"));
    let file = format!("{path}/bad.toml");
    let output = bellmino(&["evaluate", "baby", "--player", "random", "--tables", &file]);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn the_dictionary_stands_in_the_document() {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/DATA.md")).unwrap();
    let printed = stdout(&["tables", "--dictionary"]);
    assert!(text.contains(&printed), "docs/DATA.md lacks what `bellmino tables --dictionary` prints");
}

#[test]
fn the_dictionary_is_json_where_json_is_wanted() {
    let said: Value = serde_json::from_str(&stdout(&["tables", "--dictionary", "--json"])).unwrap();
    let printed = stdout(&["tables", "--dictionary"]);
    for (table, columns) in said["tables"].as_object().unwrap() {
        assert!(printed.contains(&format!("### `{table}`")) && columns.as_array().unwrap().len() > 10);
        for column in columns.as_array().unwrap() {
            for field in ["name", "kind", "games", "meaning"] {
                assert!(printed.contains(column[field].as_str().unwrap()), "{column}");
            }
        }
    }
}

/// Starts an evaluation that takes long enough to be stopped in the middle.
fn start(folder: &Path, games: u64) -> Child {
    let program = assert_cmd::cargo::cargo_bin("bellmino");
    let command = format!("evaluate classic --player lowest --games {games} --seed 1 --tables");
    let mut words = words(&command);
    words.push(folder.to_str().unwrap());
    Command::new(program).args(words).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Whatever is there after a kill can be read to its end.
#[test]
#[cfg(unix)]
fn a_killed_program_leaves_whole_tables_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let mut whole = 0;
    for round in 0..20u64 {
        // Tables of another evaluation are there from the start in half of the rounds.
        let here = folder.path().join(round.to_string());
        if round % 2 == 0 {
            stdout(&[
                "evaluate",
                "baby",
                "--player",
                "random",
                "--games",
                "3",
                "--quiet",
                "--tables",
                here.to_str().unwrap(),
            ]);
        }
        let mut child = start(&here, 400);
        // From before anything is written to after everything is.
        std::thread::sleep(Duration::from_millis(round * round * 3 + round % 7));
        child.kill().unwrap();
        child.wait().unwrap();
        let games = here.join("games.parquet");
        if !games.exists() {
            continue;
        }
        let pieces: f64 = numbers(&here, "games", "pieces").iter().sum();
        assert_eq!(numbers(&here, "moves", "move").len() as f64, pieces, "round {round}");
        let count = numbers(&here, "games", "game_id").len();
        assert!([3, 400].contains(&count), "round {round}: {count} games");
        whole += u64::from(count == 400);
    }
    assert!(whole < 20, "no kill came in time");
}

/// Ctrl-C ends the tables with the games so far.
#[test]
#[cfg(unix)]
fn an_interrupted_evaluation_keeps_its_games() {
    let folder = tempfile::tempdir().unwrap();
    let child = start(folder.path(), 100_000_000);
    std::thread::sleep(Duration::from_millis(1500));
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && said.contains("interrupted; tables in"), "{said}");
    let pieces = numbers(folder.path(), "games", "pieces");
    assert!(pieces.len() > 10, "{} games", pieces.len());
    assert_eq!(numbers(folder.path(), "moves", "move").len() as f64, pieces.iter().sum::<f64>());
}

/// A disk that takes no more: an error that says what was kept, and the older tables as they were.
#[test]
#[cfg(unix)]
fn a_full_disk_leaves_the_older_tables() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    stdout(&["evaluate", "baby", "--player", "random", "--games", "3", "--quiet", "--tables", path]);
    let before = fs::read(folder.path().join("moves.parquet")).unwrap();
    let program = assert_cmd::cargo::cargo_bin("bellmino");
    let command = format!(
        "trap '' XFSZ; ulimit -f 64; exec {} evaluate classic --player lowest --games 20000 --tables {path}",
        program.display()
    );
    let output = Command::new("sh").args(["-c", &command]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("nothing was kept") && said.contains("as they were"), "{said}");
    assert_eq!(fs::read(folder.path().join("moves.parquet")).unwrap(), before);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing else is left");
}
