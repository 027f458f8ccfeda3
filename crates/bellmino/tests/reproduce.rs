//! Experiments as a user runs them.

mod common;

use std::fs;

use bellmino_lab::checksum::unsealed;
use common::{json, refused, stdout};

const OWN: &str = r#"
title = "Own"
question = "How many ways are there?"
answer = "One piece has {ways-1} ways, reported {ways-1:reported}; two have {ratio ways-2 ways-1} times as many."

[[figure]]
id = "ways-{x}"
group = "ways"
what = "depth {x}"
command = "perft baby --depth {x}"
field = "/nodes"
each = [1, 2]
reported = [18, nan]

[[figure]]
group = "games"
what = "mean of one game"
command = "evaluate mini --player random --games 1 --seed 1"
field = "/score/mean"
interval = "/score/ci95"
reported = 9.2

[[figure]]
group = "games"
what = "mean over two seeds"
command = "evaluate mini --player random --games 5 --seed {seed}"
field = "/score/mean"
seeds = [1, 2]
factor = -1
"#;

/// The file, run with these words after it.
fn with_file<T>(text: &str, words: &[&str], run: impl Fn(&[&str]) -> T) -> T {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own.toml");
    fs::write(&file, text).unwrap();
    run(&[&["reproduce", file.to_str().unwrap()], words].concat())
}

#[test]
fn rows_are_grouped_and_texts_take_their_figures_from_them() {
    let text = with_file(OWN, &[], stdout);
    let two = json(&["perft", "baby", "--depth", "2"])["nodes"].as_f64().unwrap();
    assert!(text.contains("One piece has 18 ways, reported 18; two have"), "{text}");
    let groups: Vec<usize> = ["\n  ways", "depth 1", "depth 2", "\n  games", "one game"]
        .iter()
        .map(|part| text.find(part).unwrap_or_else(|| panic!("{part}: {text}")))
        .collect();
    assert!(groups.is_sorted(), "{text}");
    let words = |what: &str| -> Vec<&str> {
        let line = text.lines().find(|line| line.contains(what)).unwrap_or_else(|| panic!("{what}: {text}"));
        line.split_whitespace().collect()
    };
    assert_eq!(words("depth 1"), ["depth", "1", "18", "18", "agrees"]);
    assert!(words("mean of one game").ends_with(&["[unknown]", "unknown"]), "{text}");
    let report = with_file(OWN, &[], json);
    let figures = report["experiments"][0]["figures"].as_array().unwrap();
    let verdicts: Vec<_> = figures.iter().map(|figure| figure["verdict"].as_str()).collect();
    assert_eq!(verdicts, [Some("agrees"), None, Some("unknown"), None]);
    assert_eq!(figures[1]["ours"].as_f64(), Some(two));
    assert!(figures[2]["interval"][0].is_null(), "the interval of one game is not known");
    let mean = |seed: &str| {
        let words = ["evaluate", "mini", "--player", "random", "--games", "5", "--seed", seed];
        json(&words)["score"]["mean"].as_f64().unwrap()
    };
    let expected = -(mean("1") + mean("2")) / 2.0;
    assert!((figures[3]["ours"].as_f64().unwrap() - expected).abs() < 1e-9);
}

#[test]
fn names_may_be_cut_and_commands_and_files_are_shown() {
    let shown = stdout(&["reproduce", "002", "--show"]);
    assert!(shown.contains("# 002-table-1.toml\n") && shown.contains("# 002-table-2.toml\n"));
    assert!(shown.contains(include_str!("../../../experiments/002-table-1.toml")));
    let commands = stdout(&["reproduce", "003-r", "--commands"]);
    assert!(commands.contains("    bellmino solve mini --objective horizon:99\n"), "{commands}");
    let all = json(&["reproduce", "000", "--commands"]);
    assert!(all["figures"].as_array().unwrap().len() > 40);
    assert!(refused(&["reproduce", "02"]).contains("`02`"));
}

#[test]
fn what_came_out_is_kept_as_a_document() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.md");
    with_file(OWN, &["--markdown", page.to_str().unwrap()], stdout);
    let text = fs::read_to_string(&page).unwrap();
    for part in [
        concat!("of Bellmino ", env!("CARGO_PKG_VERSION")),
        "of processor time",
        "| depth 1 | 18 | 18 | agrees |",
        "bellmino evaluate mini --player random --games 5 --seed 2",
        "One piece has 18 ways",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let nowhere = ["--markdown", "no/such/folder/page.md"];
    assert!(with_file(OWN, &nowhere, refused).contains("no/such/folder/page.md"));
}

#[test]
fn files_that_contradict_themselves_are_refused() {
    for (from, to, named) in [
        ("{ways-1} ways", "{ways-3} ways", "`ways-3`"),
        ("reported = [18, nan]", "reported = [18]", "1 reported"),
        ("id = \"ways-{x}\"", "id = \"ways\"", "two figures"),
        ("reported = 9.2", "reported = 9.2\nsd = \"/score/sd\"", "reported_games"),
    ] {
        assert!(OWN.contains(from));
        let said = with_file(&OWN.replace(from, to), &[], refused);
        assert!(said.contains(named), "{said}");
    }
}

#[test]
fn kept_results_are_taken_up_again() {
    let folder = tempfile::tempdir().unwrap();
    let keep = folder.path().join("kept");
    let words = ["--keep", keep.to_str().unwrap()];
    let first = with_file(OWN, &words, json);
    let file = keep.join("own/results.json");
    let text = unsealed(&fs::read_to_string(&file).unwrap()).unwrap().into_owned();
    assert!(text.contains("perft baby --depth 1"));
    // What is there is not run again.
    fs::write(&file, text.replacen("\"nodes\": 18", "\"nodes\": 19", 1)).unwrap();
    let again = with_file(OWN, &words, json);
    assert_eq!(
        (&first["experiments"][0]["figures"][0]["ours"], &again["experiments"][0]["figures"][0]["ours"]),
        (&18.into(), &19.into())
    );
    // Of another version it is.
    fs::write(&file, text.replacen("\"version\": \"", "\"version\": \"0.0.", 1)).unwrap();
    assert_eq!(with_file(OWN, &words, json)["experiments"][0]["figures"], first["experiments"][0]["figures"]);
    fs::write(&file, "{").unwrap();
    assert!(with_file(OWN, &words, refused).contains("results.json"));
}

/// The policies of seed 000's first runs, as they are played: full rows never left in their model.
#[test]
fn policies_of_the_model_that_never_clears_are_played() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("never.table");
    let (path, player) = (file.to_str().unwrap(), format!("table:{}", file.display()));
    let words = ["solve", "baby", "--objective", "discounted:0.4", "--never-clear", "-o", path];
    assert!((json(&words)["mean_value"].as_f64().unwrap() - 0.473608).abs() < 1e-6);
    let total = json(&["solve", "baby", "--objective", "total", "--player", &player]);
    let played = json(&["evaluate", "baby", "--player", &player, "--games", "2000", "--seed", "1"]);
    let (exact, mean) = (total["value"].as_f64().unwrap(), played["score"]["mean"].as_f64().unwrap());
    let sd = played["score"]["sd"].as_f64().unwrap();
    // Four standard errors: a false alarm once in 16,000 seeds.
    assert!((exact - mean).abs() < 4.0 * sd / 2000f64.sqrt(), "{exact} {mean}");
    let said = refused(&["evaluate", "mini", "--player", &player]);
    assert!(said.contains("another game"), "{said}");
    fs::write(&file, &fs::read(&file).unwrap()[..100]).unwrap();
    assert!(refused(&["evaluate", "baby", "--player", &player]).contains("never.table"));
}

/// Who draws lots is played, not solved.
#[test]
fn players_who_draw_lots() {
    for player in ["random-rotation", "lowest-bottom"] {
        let said = refused(&["solve", "baby", "--objective", "discounted:0.9", "--player", player]);
        assert!(said.contains("draws lots") && said.contains("evaluate"), "{said}");
        let report = json(&[
            "evaluate", "sprint", "--player", player, "--games", "2", "--pieces", "20", "--seed", "1",
        ]);
        let with_drops = report["score_with_drops"]["mean"].as_f64().unwrap();
        let parts = ["score", "drop_points"].map(|key| report[key]["mean"].as_f64().unwrap());
        assert_eq!(with_drops, parts[0] + parts[1]);
    }
}
