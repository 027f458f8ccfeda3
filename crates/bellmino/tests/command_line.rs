//! The command as a user runs it.

mod common;

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use bellmino_engine::AnyRecord;
use common::{bellmino, json, refused, stdout};
use serde_json::Value;

#[test]
fn games_are_listed_and_printed() {
    let list = stdout(&["games"]);
    for name in ["baby", "mini", "small", "classic", "learner", "sz"] {
        assert!(list.lines().any(|line| line.starts_with(name)), "{name}\n{list}");
        let toml = stdout(&["games", name]);
        assert!(toml.starts_with(&format!("name = \"{name}\"")), "{toml}");
    }
    assert!(json(&["games"])["games"].as_array().unwrap().len() >= 5);
    assert!(stdout(&["games", "baby", "--set", "board.height=5"]).contains("height = 5"));
}

#[test]
fn a_game_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.toml");
    fs::write(&path, stdout(&["games", "baby", "--set", "name=own"])).unwrap();
    let counted = json(&["perft", path.to_str().unwrap(), "--depth", "3"]);
    assert_eq!((counted["game"].as_str(), counted["nodes"].as_u64()), (Some("own"), Some(2460)));
}

#[test]
fn perft_of_baby() {
    for (depth, nodes) in [("0", 1), ("1", 18), ("2", 284), ("3", 2460), ("4", 15734)] {
        assert_eq!(json(&["perft", "baby", "--depth", depth])["nodes"], nodes);
    }
    assert_eq!(stdout(&["perft", "baby", "--depth", "4"]), "15734\n");
}

/// The random player's exact expectations on `baby`: 2.2941 points and 5.8888 pieces. Four standard errors of 20,000
/// games at a fixed seed; for another seed the false-alarm rate would be 1.3e-4.
#[test]
fn the_random_player_meets_its_expectations() {
    let report = json(&["evaluate", "baby", "--player", "random", "--games", "20000", "--seed", "5"]);
    for (key, expected) in [("score", 2.2941), ("pieces", 5.8888)] {
        let number = |field: &str| report[key][field].as_f64().unwrap();
        let error = number("sd") / 20_000f64.sqrt();
        assert!((number("mean") - expected).abs() < 4.0 * error + 5e-5, "{key}: {}", report[key]);
    }
    assert_eq!(report["lines_per_loss"]["losses"], 20_000);
    assert_eq!(report["unfinished"], 0);
}

#[test]
fn baselines_are_ordered_as_reported() {
    let words = ["evaluate", "classic", "--games", "300", "--player", "random", "--player", "lowest"];
    let report = json(&[&words[..], &["--player", "fewest-holes"]].concat());
    let mean = |index: usize| report["players"][index]["score"]["mean"].as_f64().unwrap();
    assert!(mean(1) > mean(2) && mean(2) > mean(0), "{} {} {}", mean(0), mean(1), mean(2));
    let differences = report["differences"].as_array().unwrap();
    assert_eq!(differences.len(), 2);
    assert!(differences.iter().all(|difference| difference["score"]["ci95"][0].as_f64().unwrap() > 0.0));
    // Paired: the mean of the differences is the difference of the means.
    assert!((differences[0]["score"]["mean"].as_f64().unwrap() - (mean(1) - mean(0))).abs() < 1e-9);
}

#[test]
fn the_same_seed_gives_the_same_bytes_on_any_number_of_threads() {
    let run = |threads: &str, seed: &str| {
        let words = ["evaluate", "classic", "--player", "random", "--player", "lowest", "--games", "200"];
        let mut value =
            json(&[&words[..], &["--threads", threads, "--seed", seed, "--discount", "0.99"]].concat());
        for player in value["players"].as_array_mut().unwrap() {
            for time in ["seconds", "pieces_per_second"] {
                player.as_object_mut().unwrap().remove(time).unwrap();
            }
        }
        serde_json::to_string(&value).unwrap()
    };
    let one = run("1", "3");
    assert_eq!(one, run("2", "3"));
    assert_eq!(one, run("8", "3"));
    assert_ne!(one, run("1", "4"));
}

#[test]
fn capped_games_count_as_unfinished() {
    let report =
        json(&["evaluate", "classic", "--player", "weights:lee4", "--games", "20", "--pieces", "50"]);
    assert_eq!((report["games"].as_u64(), report["unfinished"].as_u64()), (Some(20), Some(20)));
    assert_eq!(report["pieces"]["mean"], 50.0);
    assert_eq!(report["lines_per_loss"]["mean"], Value::Null);
    assert_eq!(report["interrupted"], false);
}

#[test]
fn discounting_weighs_later_points_less() {
    let report = json(&["evaluate", "baby", "--player", "lowest", "--games", "500", "--discount", "0.5"]);
    let mean = |key: &str| report[key]["mean"].as_f64().unwrap();
    assert!(mean("discounted") > 0.0 && mean("discounted") < mean("score"));
    let whole = json(&["evaluate", "baby", "--player", "lowest", "--games", "500", "--discount", "1"]);
    assert_eq!(whole["discounted"], whole["score"]);
}

#[test]
fn a_trace_agrees_with_the_evaluation_of_its_game() {
    let game = json(&["play", "baby", "--player", "lowest", "--seed", "9"]);
    let report = json(&["evaluate", "baby", "--player", "lowest", "--seed", "9", "--games", "1"]);
    for key in ["score", "pieces", "lines"] {
        assert_eq!(game[key].as_f64(), report[key]["mean"].as_f64(), "{key}");
    }
    assert_eq!(game["moves"].as_array().unwrap().len() as u64, game["pieces"].as_u64().unwrap());
}

/// Whole games as text, reviewed as a diff when they change.
#[test]
fn golden_games() {
    for (name, player, pieces) in [
        ("baby", "fewest-holes", "1000"),
        ("mini", "lowest", "1000"),
        ("small", "weights:lee4", "12"),
        ("classic", "random", "1000"),
        ("learner", "weights:lee4", "12"),
        ("sz", "weights:dellacherie", "12"),
    ] {
        let text = stdout(&["play", name, "--player", player, "--pieces", pieces, "--seed", "1"]);
        insta::assert_snapshot!(format!("{name}-{}", player.replace(':', "-")), text);
    }
}

#[test]
fn bad_input_is_refused_with_a_message() {
    let check = |words: &[&str], expected: &str| {
        let message = refused(words);
        assert!(message.contains(expected), "{words:?}: {message}");
    };
    check(&["perft", "babby", "--depth", "1"], "did you mean `baby`?");
    check(&["perft", "baby", "--depth", "x"], "--depth: give a whole number from 0 to 64, not \"x\"");
    check(&["perft", "baby", "--depth", "1", "--set", "board.height=-1"], "board.height: found -1");
    check(&["perft", "baby", "--depth", "1", "--set", "board.height=1000000"], "from 1 to 48");
    check(&["perft", "baby", "--depth", "1", "--set", "height"], "has no `=`");
    check(&["evaluate", "baby", "--player", "nobody"], "there is no player `nobody`");
    check(&["evaluate", "baby", "--player", "weights:lee"], "did you mean `lee4`?");
    check(&["evaluate", "baby", "--player", "random", "--games", "0"], "--games");
    check(&["evaluate", "baby", "--player", "random", "--discount", "2"], "from 0 to 1");
    check(&["evaluate", "baby"], "--player");
    check(&["evaluate", "baby", "--player", "random", "--threads", "0"], "from 1 to 1024");
    check(&["bench", "nothing"], "there is no benchmark `nothing`");
    check(&["completions", "ash"], "invalid value 'ash'");
    check(&["evalute", "baby"], "evaluate");
    check(&["games", "."], "is a folder");
}

#[test]
fn bad_files_are_refused_with_their_name() {
    let folder = tempfile::tempdir().unwrap();
    let check = |name: &str, bytes: &[u8], expected: &str| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        let message = refused(&["games", path.to_str().unwrap()]);
        assert!(message.contains(name) && message.contains(expected), "{message}");
    };
    check("latin1.toml", b"name = \"Gr\xf6\xdfe\"", "is not UTF-8 text");
    check("broken.toml", b"name = 1\n[board", "not valid TOML (line 2)");
    check("empty.toml", b"", "board.width: missing");
    check("huge.toml", &vec![b'#'; 2 << 20], "at most");
}

/// A pipe that nobody writes to would be waited for, and a device read for ever.
#[test]
#[cfg(unix)]
fn what_is_no_regular_file_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for path in [pipe.to_str().unwrap(), "/dev/zero"] {
        let player = format!("weights:{path}");
        let bot = format!("bot:{path}");
        let table = format!("table:{path}");
        for words in [
            vec!["games", path],
            vec!["evaluate", "baby", "--player", &player],
            vec!["evaluate", "sprint", "--player", &bot],
            vec!["evaluate", "baby", "--player", &table],
            vec!["analyse", path],
            vec!["train", "cem", "classic", "--start", path],
        ] {
            let message = refused(&words);
            assert!(message.contains(path), "{words:?}: {message}");
        }
    }
}

/// What cannot be written whole is not written, and leaves nothing behind.
#[test]
fn an_export_is_whole_or_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let names = || -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    let file = folder.path().join("mini.drn");
    let words = ["export", "mini", "--objective", "total", "-o", file.to_str().unwrap()];
    stdout(&words);
    let whole = fs::read(&file).unwrap();
    // Somebody reads the old one meanwhile: a new file takes its name.
    let reading = fs::File::open(&file).unwrap();
    stdout(&["export", "mini", "--objective", "discounted:0.5", "-o", file.to_str().unwrap()]);
    assert_eq!(std::io::read_to_string(reading).unwrap().into_bytes(), whole);
    assert_ne!(fs::read(&file).unwrap(), whole);
    assert_eq!(names(), ["mini.drn"]);
    let nowhere = folder.path().join("none/mini.drn");
    let failed = bellmino(&["export", "mini", "--objective", "total", "-o", nowhere.to_str().unwrap()]);
    assert!(!failed.status.success());
    assert_eq!(names(), ["mini.drn"]);
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_bellmino"))
        .args(["play", "classic", "--player", "weights:lee4", "--pieces", "100000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("classic"));
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty());
}

/// An endless run by this command, its words before the program's own, gets these signals, one after the other, and ends with
/// what is known.
#[cfg(unix)]
fn ends_with_what_is_known(before: &[&str], signals: &[&str]) {
    let interrupted_after = |pause| {
        let program = [env!("CARGO_BIN_EXE_bellmino")];
        let words = [before, &program[..]].concat();
        let child = Command::new(words[0])
            .args(&words[1..])
            .args(["evaluate", "classic", "--player", "random", "--games", "900000000", "--json"])
            .args(["--threads", "1"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        for signal in signals {
            std::thread::sleep(std::time::Duration::from_millis(pause));
            let killed = Command::new("kill").args([signal, &child.id().to_string()[..]]).status().unwrap();
            assert!(killed.success());
        }
        child.wait_with_output().unwrap()
    };
    // On a busy machine it may not have begun so soon, and is ended like any program.
    let mut tries = [700, 3000, 12_000].into_iter().map(interrupted_after);
    let output = tries.find(|output| output.status.success()).expect("an interrupt is no failure");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["interrupted"], true);
    assert!(report["games"].as_u64().unwrap() > 0);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_with_what_is_known() {
    ends_with_what_is_known(&[], &["-INT"]);
}

/// As `nohup` starts a program: that its terminal is closed is ignored, all else is not.
#[cfg(unix)]
#[test]
fn who_ignores_a_closed_terminal_still_ends_with_what_is_known() {
    ends_with_what_is_known(&["sh", "-c", "trap '' HUP; exec \"$@\"", "sh"], &["-HUP", "-TERM"]);
}

#[test]
fn completions_and_manual() {
    for shell in ["bash", "zsh", "fish"] {
        assert!(stdout(&["completions", shell]).contains("evaluate"));
    }
    let manual = stdout(&["man"]);
    for word in ["evaluate", "perft", "BELLMINO PLAY", "seed"] {
        assert!(manual.contains(word), "{word}");
    }
    assert!(bellmino(&["--version"]).status.success());
}

/// The three quickest benchmarks; `./test --long` runs `bench --all`. Speed is not looked at here.
#[test]
fn quick_benchmarks_give_their_answers() {
    let report = json(&["bench", "perft-baby", "perft-classic", "lowest-classic"]);
    assert_eq!(report["benchmarks"].as_array().unwrap().len(), 3);
    assert_eq!(report["checksum"].as_str().unwrap().len(), 16);
}

/// A mistyped field was once printed as `infinite`, which only a field that is there and null means.
#[test]
fn a_field_that_an_experiment_mistypes_is_named_with_its_command() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.toml");
    let experiment = |fields: &str| {
        let figure = "what = \"leaves\"\ncommand = \"perft baby --depth 1\"";
        fs::write(&path, format!("title = \"t\"\nquestion = \"q\"\n[[figure]]\n{figure}\n{fields}\n"))
            .unwrap();
        ["reproduce", path.to_str().unwrap()]
    };
    for fields in ["field = \"/nods\"", "field = \"nodes\"", "field = \"/nodes\"\ninterval = \"/nods\""] {
        let message = refused(&experiment(fields));
        let named = fields.contains("/nods") && message.contains("`/nods`") || message.contains("`nodes`");
        assert!(named && message.contains("`perft baby --depth 1`"), "{fields}: {message}");
    }
    assert!(stdout(&experiment("field = \"/nodes\"")).contains("  18\n"));
}

#[test]
fn options_that_mean_nothing_in_a_game_are_refused() {
    for command in ["evaluate", "play"] {
        for (game, flag, value) in
            [("sprint", "--dealer", "random"), ("baby", "--nodes", "100"), ("baby", "--think-ms", "5")]
        {
            let said = refused(&[command, game, "--player", "lowest", flag, value]);
            assert!(said.contains(flag) && said.contains(game), "{said}");
        }
    }
}

#[test]
fn every_game_is_recorded_and_plays_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.toml");
    let path = file.to_str().unwrap();
    for game in ["baby", "mini", "small", "classic", "learner", "sz", "sprint", "blitz"] {
        let words = ["play", game, "--player", "lowest", "--seed", "3", "--pieces", "30", "--record", path];
        let played = json(&words);
        let text = fs::read_to_string(&file).unwrap();
        let (pieces, score) = match AnyRecord::from_text(&text).unwrap() {
            AnyRecord::Placement(record) => {
                let end = record.replay(|_, _| {}).unwrap();
                (end.stats().pieces, end.stats().score)
            }
            AnyRecord::Guideline(record) => {
                let end = record.replay(|_, _| {}).unwrap();
                (u64::from(end.stats().pieces), end.stats().score as f64)
            }
        };
        assert_eq!(
            (played["pieces"].as_u64(), played["score"].as_f64()),
            (Some(pieces), Some(score)),
            "{game}"
        );
    }
}

/// A dealer that is no chance, previews and a hold: all of it is in the record.
#[test]
fn a_game_against_the_worst_dealer_is_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (worst, holds, record) = (file("worst.table"), file("holds.table"), file("game.toml"));
    let solve = ["solve", "mini", "--objective", "discounted:0.9"];
    stdout(&[&solve[..], &["--dealer", "worst", "--hold", "--preview", "1", "-o", &worst]].concat());
    stdout(&[&solve[..], &["--hold", "--preview", "1", "-o", &holds]].concat());
    let (player, dealer) = (format!("table:{holds}"), format!("table:{worst}"));
    let words =
        ["play", "mini", "--player", &player, "--dealer", &dealer, "--pieces", "40", "--record", &record];
    let played = json(&words);
    let AnyRecord::Placement(record) = AnyRecord::from_text(&fs::read_to_string(&record).unwrap()).unwrap()
    else {
        panic!("a placement game");
    };
    let end = record.replay(|_, _| {}).unwrap();
    assert!(record.dealt.is_some() && end.stats().holds > 0, "{record:?}");
    assert_eq!(played["pieces"], end.stats().pieces);
}

/// A program in any language asks by JSON: events, then the answer, or why there is none.
#[test]
fn requests_are_asked_as_json() {
    let ask = |name: &str, request: &str| {
        let run = assert_cmd::Command::cargo_bin("bellmino")
            .unwrap()
            .args(["ask", name])
            .write_stdin(request)
            .output()
            .unwrap();
        let lines = String::from_utf8(run.stdout).unwrap();
        let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        (run.status.code(), lines)
    };
    let (status, lines) = ask("evaluate", r#"{ "game": "baby", "players": ["lowest"], "games": 30 }"#);
    assert_eq!((status, &lines.last().unwrap()["answer"]["games"]), (Some(0), &Value::from(30)));
    let done: u64 =
        lines.iter().filter(|line| line["event"] == "done").filter_map(|line| line["parts"].as_u64()).sum();
    assert_eq!((&lines[0]["event"], done), (&Value::from("begin"), 30));
    let few = r#"{ "method": "td", "game": "small", "features": "contour", "episodes": 3 }"#;
    let steps = ask("train", few).1.iter().filter(|line| line["event"] == "step").count();
    assert_eq!(steps, 3);
    let (status, lines) = ask("train", r#"{ "method": "td", "game": "small", "elites": 3 }"#);
    assert_eq!((status, &lines[0]["error"]), (Some(2), &Value::from("`elites`: is for cem, not for td")));
    assert_eq!(ask("evaluate", "{").0, Some(2));
    assert_eq!(ask("evalute", "{}").0, Some(2));
}
