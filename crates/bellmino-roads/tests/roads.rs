//! Every pair of roads on random games, and on every game that ever showed a difference.
//!
//! A failure prints the pair, the seed and the smallest game found that still differs: keep that as a file of `cases`, with a
//! comment that says what it showed. `cargo run -p bellmino-roads` prints how much each pair compared.

use bellmino_roads::{PAIRS, ask, ask_many, kept_cases};

/// `./test --long` asks about so many times as many games.
const LONG: u64 = 30;

/// Asks a pair about its share of games.
#[track_caller]
fn check(name: &str, times: u64) {
    let pair = PAIRS.iter().find(|pair| pair.name == name).expect("a pair of this name");
    // Long runs see other games than short ones.
    let first = if times > 1 { 1_000_000 } else { 0 };
    match ask_many(pair, first, pair.games * times) {
        Ok(compared) => {
            println!("{name}: {} games, {} moves compared", compared.games, compared.moves);
            assert!(
                compared.games >= pair.games * times / 3,
                "{name} passed over nearly all games: {compared:?}"
            );
        }
        Err(why) => panic!("{why}"),
    }
}

macro_rules! pairs {
    ($($(#[$waits:meta])? $test:ident, $long:ident: $name:literal;)+) => {
        $(
            #[test]
            $(#[$waits])?
            fn $test() {
                check($name, 1);
            }

            #[test]
            #[ignore = "long: ./test --long"]
            fn $long() {
                check($name, LONG);
            }
        )+

        #[test]
        fn every_pair_is_asked() {
            let asked = [$($name),+];
            let listed: Vec<&str> = PAIRS.iter().map(|pair| pair.name).collect();
            assert_eq!(asked.to_vec(), listed);
        }
    };
}

pairs! {
    matches, many_matches: "match";
    boards, many_boards: "boards";
    perft, many_perft: "perft";
    simulator, many_simulator: "simulator";
    tuples, many_tuples: "tuples";
    tuple_choice, many_tuple_choice: "tuple-choice";
    arena, many_arena: "arena";
    threads, many_threads: "threads";
    records, many_records: "records";
    solve, many_solve: "solve";
    reopened, many_reopened: "reopened";
    players, many_players: "players";
    adversaries, many_adversaries: "adversaries";
    mirror, many_mirror: "mirror";
    scaled, many_scaled: "scaled";
    moves, many_moves: "moves";
    guideline_records, many_guideline_records: "guideline-records";
    keys, many_keys: "keys";
    bot, many_bot: "bot";
    guideline_arena, many_guideline_arena: "guideline-arena";
    environments, many_environments: "environments";
    tuple_units, many_tuple_units: "tuple-units";
    game_units, many_game_units: "game-units";
    watch, many_watch: "watch";
    explore, many_explore: "explore";
}

/// What was ever found stays mended.
#[test]
fn kept_cases_agree_on_every_road() {
    let cases = kept_cases();
    assert!(!cases.is_empty(), "the folder of cases is there");
    let mut told = Vec::new();
    for case in cases.iter().filter(|case| case.waits.is_none()) {
        for pair in &PAIRS {
            for &seed in &case.seeds {
                if let Err(why) = ask(pair, &case.text, seed) {
                    told.push(format!("{} by {}, seed {seed}: {why}", case.file.display(), pair.name));
                }
            }
        }
    }
    assert!(told.is_empty(), "{}", told.join("\n\n"));
}
