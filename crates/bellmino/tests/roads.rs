//! The command as a process against calls of the library, on random games. See `bellmino-roads` for all other pairs of roads.

use std::fs;

use assert_cmd::Command;
use bellmino_engine::Game;
use bellmino_engine::placement::perft;
use bellmino_exact::{Objective, Silent, SolveSettings, solve};
use bellmino_lab::{ArenaSettings, Player, evaluate};
use bellmino_roads::{Dice, GameSort, random_game};
use serde_json::{Value, json};

/// What the command prints with `--json`.
fn asked(words: &[&str]) -> Value {
    let run =
        Command::cargo_bin("bellmino").unwrap().args(["--json", "--quiet"]).args(words).output().unwrap();
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{words:?}: {said}");
    serde_json::from_slice(&run.stdout).unwrap_or_else(|error| panic!("{words:?}: {error}"))
}

fn check(seeds: std::ops::Range<u64>) {
    let folder = tempfile::tempdir().unwrap();
    for seed in seeds {
        let mut dice = Dice::new(seed, 19 << 32);
        let sort = [GameSort::Tiny, GameSort::Ten, GameSort::Any, GameSort::Guideline][seed as usize % 4];
        let text = random_game(sort, seed);
        let file = folder.path().join(format!("game-{seed}.toml"));
        fs::write(&file, &text).unwrap();
        let (path, game) = (file.to_str().unwrap(), Game::read("random", &text, &[]).unwrap());

        let player = dice.pick(&["random", "lowest", "fewest-holes"]);
        let numbers = [seed.to_string(), dice.between(1, 6).to_string(), dice.between(1, 50).to_string()];
        let [seed_word, games, pieces] = numbers.each_ref().map(String::as_str);
        let words =
            ["evaluate", path, "--player", player, "--games", games, "--pieces", pieces, "--seed", seed_word];
        let mut answer = asked(&words);
        let settings = ArenaSettings {
            games: games.parse().unwrap(),
            seed,
            pieces: Some(pieces.parse().unwrap()),
            ..ArenaSettings::default()
        };
        let player = Player::parse(player, &game, None).unwrap();
        let report = evaluate(&game, &[player], &settings, &|_| true).unwrap();
        let mut expected = json!(report.players[0]);
        for timed in ["seconds", "pieces_per_second"] {
            answer[timed] = Value::Null;
            expected[timed] = Value::Null;
        }
        for (key, value) in expected.as_object().unwrap() {
            assert_eq!(&answer[key], value, "evaluate, {key}, seed {seed}\n{text}");
        }

        let Some(placement) = game.placement() else { continue };
        let depth = dice.between(1, 2) as u32;
        let answer = asked(&["perft", path, "--depth", &depth.to_string()]);
        assert_eq!(answer["nodes"], json!(perft(placement, depth, || true)), "perft, seed {seed}\n{text}");

        if placement.width() * placement.height() <= 12 {
            let objective = dice.pick(&[Objective::Horizon(5), Objective::Discounted(0.7)]);
            let answer = asked(&["solve", path, "--objective", &objective.to_string()]);
            let asks = SolveSettings { preview: placement.previews(), ..SolveSettings::new(objective) };
            let report = solve(placement, &asks, &Silent).unwrap().report;
            assert_eq!(answer["value"], json!(report.value), "solve, seed {seed}\n{text}");
            assert_eq!(answer["boards"], json!(report.boards), "solve, seed {seed}\n{text}");
        }
    }
}

#[test]
fn the_command_answers_as_the_library_does() {
    check(0..24);
}

#[test]
#[ignore = "long: ./test --long"]
fn the_command_answers_as_the_library_does_on_many_games() {
    check(1000..1720);
}
