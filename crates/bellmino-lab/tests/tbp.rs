//! The bot protocol: whole games with a referee of our own, defined answers to everything that is wrong, and many random
//! lines.

use bellmino_engine::Outcome;
use bellmino_engine::guideline::{Match, Piece, Rules, moves};
use bellmino_engine::{Generator, Purpose, below, stream};
use bellmino_lab::Player;
use bellmino_lab::tbp::{MAX_LINE, Protocol, move_object, read_move, start_message};
use bellmino_search::Budget;
use serde_json::{Value, json};

fn bot() -> Protocol {
    Protocol::new(Rules::PRACTICE, &Player::of_guideline("weights:lee4", None).unwrap()).unwrap()
}

const START: &str =
    r#"{"type":"start","hold":null,"queue":["T","I","O"],"combo":0,"back_to_back":false,"board":[]}"#;

/// The moves of the suggestion, which must be the only message.
fn moves_of(messages: &[String]) -> Vec<Value> {
    assert_eq!(messages.len(), 1, "{messages:?}");
    let message: Value = serde_json::from_str(&messages[0]).unwrap();
    assert_eq!(message["type"], "suggestion");
    message["moves"].as_array().unwrap().clone()
}

#[test]
fn a_referee_plays_whole_games() {
    for (rules, seed) in [(Rules::SPRINT, 1), (Rules::SPRINT, 2)] {
        let mut bot = Protocol::new(rules, &Player::of_guideline("weights:lee4", None).unwrap()).unwrap();
        let mut game = Match::new(rules, seed);
        assert!(bot.line(r#"{"type":"rules","randomizer":"seven_bag"}"#).messages[0].contains("ready"));
        let bag = game.bag().to_vec();
        let queue = game.queue().to_vec();
        let start = start_message(game.position(), &queue, &bag);
        assert_eq!(bot.line(&start), Default::default());
        while game.outcome().is_none() {
            let moves = moves_of(&bot.line(r#"{"type":"suggest"}"#).messages);
            let placement = read_move(&moves[0]).unwrap();
            let before = game.queue().to_vec();
            let holding_first = game.position().hold.is_none() && placement.piece != before[0];
            game.play(&placement).expect("the first suggestion is legal");
            let play = json!({ "type": "play", "move": move_object(&placement) }).to_string();
            assert_eq!(bot.line(&play).note, None);
            let count = if holding_first { 2 } else { 1 };
            let queue = game.queue().to_vec();
            for piece in &queue[queue.len() - count..] {
                let new = json!({ "type": "new_piece", "piece": piece.to_string() }).to_string();
                assert_eq!(bot.line(&new), Default::default());
            }
        }
        assert_eq!(game.outcome(), Some(Outcome::Goal), "seed {seed}");
        assert!(bot.line(r#"{"type":"stop"}"#).messages.is_empty());
        assert!(bot.line(r#"{"type":"quit"}"#).quit);
    }
}

#[test]
fn wrong_lines_have_defined_answers() {
    let noted = |bot: &mut Protocol, line: &str, expected: &str| {
        let reply = bot.line(line);
        let note = reply.note.clone().unwrap_or_default();
        assert!(note.contains(expected), "{line}: {note}");
        assert!(!reply.quit);
        reply.messages
    };
    let silent = |bot: &mut Protocol, line: &str| assert_eq!(bot.line(line), Default::default(), "{line}");
    let mut bot = bot();
    assert!(noted(&mut bot, "{", "not JSON").is_empty());
    assert!(noted(&mut bot, "[1]", "no JSON object").is_empty());
    assert!(noted(&mut bot, r#"{"kind":"suggest"}"#, "without a type").is_empty());
    assert!(noted(&mut bot, &"x".repeat(MAX_LINE + 1), "bytes").is_empty());
    assert!(noted(&mut bot, &"[".repeat(100_000), "not JSON").is_empty());
    silent(&mut bot, "");
    silent(&mut bot, r#"{"type":"cheer"}"#);
    assert!(moves_of(&noted(&mut bot, r#"{"type":"suggest"}"#, "without a position")).is_empty());
    noted(&mut bot, r#"{"type":"play","move":{}}"#, "there is no position");
    noted(&mut bot, r#"{"type":"new_piece","piece":"T"}"#, "there is no position");
    assert_eq!(
        noted(&mut bot, r#"{"type":"rules","randomizer":7}"#, "must be a text"),
        [r#"{"type":"error","reason":"unsupported_rules"}"#]
    );
    assert_eq!(
        bot.line(r#"{"type":"rules","randomizer":"dice","more":[1]}"#).messages,
        [r#"{"type":"ready"}"#]
    );

    for (from, to, expected) in [
        (r#""T""#, r#""U""#, "\"U\" is no piece"),
        (r#""hold":null"#, r#""hold":"TT""#, "\"TT\" is no piece"),
        (r#""queue":["T","I","O"]"#, r#""queue":3"#, "`queue` must be a list"),
        (r#""combo":0"#, r#""combo":-1"#, "`combo` is -1"),
        (r#""combo":0"#, r#""combo":1e30"#, "`combo` is 1e+30"),
        (r#""back_to_back":false"#, r#""back_to_back":"no""#, "`back_to_back`"),
        (r#""board":[]"#, r#""board":[[null]]"#, "row 0 of the board has not 10 cells"),
        (r#""board":[]"#, r#""board":[[1,1,1,1,1,1,1,1,1,1]]"#, "row 0 has a cell 1"),
        (
            r#""board":[]"#,
            r#""board":[["G","G","G","G","G","G","G","G","G","G"]]"#,
            "row 0 of the board is full",
        ),
    ] {
        silent(&mut bot, START);
        noted(&mut bot, &START.replace(from, to), expected);
        let reply = bot.line(r#"{"type":"suggest"}"#);
        assert!(moves_of(&reply.messages).is_empty(), "a refused start leaves no position");
    }
    // 41 rows are fine if the last is empty, and not if it is filled.
    let row = |cell: &str| {
        format!(
            "[{}]",
            [cell, "null", "null", "null", "null", "null", "null", "null", "null", "null"].join(",")
        )
    };
    let high =
        |top: &str| START.replace("[]", &format!("[{},{}]", vec![row("null"); 40].join(","), row(top)));
    silent(&mut bot, &high("null"));
    noted(&mut bot, &high("\"G\""), "above the top");

    silent(&mut bot, START);
    let play = |kind: &str, orientation: &str, x: i32, y: i32| {
        json!({ "type": "play", "move": { "location": { "type": kind, "orientation": orientation, "x": x, "y": y }, "spin": "none" } })
            .to_string()
    };
    noted(&mut bot, &play("Z", "north", 4, 0), "piece Z is not at hand");
    noted(&mut bot, &play("T", "north", 0, 0), "does not fit");
    noted(&mut bot, &play("T", "north", 4, 5), "does not rest");
    noted(&mut bot, &play("T", "up", 4, 0), "`move` is no move");
    noted(&mut bot, &play("T", "north", -1, 0), "`move` is no move");
    noted(&mut bot, r#"{"type":"new_piece","piece":"x"}"#, "is no piece");
    silent(&mut bot, &play("T", "north", 4, 0));
    // Hold into the empty slot: I goes, O is played, and nothing is left.
    silent(&mut bot, &play("O", "north", 0, 0));
    assert!(moves_of(&noted(&mut bot, r#"{"type":"suggest"}"#, "without a piece")).is_empty());
    silent(&mut bot, r#"{"type":"new_piece","piece":"S"}"#);
    assert!(!moves_of(&bot.line(r#"{"type":"suggest"}"#).messages).is_empty());
}

#[test]
fn a_blocked_spawn_forfeits() {
    let rows: Vec<Value> = (0..21)
        .map(|y| {
            if y < 18 {
                json!(["G", null, "G", "G", "G", "G", "G", "G", "G", "G"])
            } else {
                json!([null, null, null, "G", "G", "G", "G", null, null, null])
            }
        })
        .collect();
    let mut bot = bot();
    bot.line(&START.replace("[]", &json!(rows).to_string()));
    let reply = bot.line(r#"{"type":"suggest"}"#);
    assert!(moves_of(&reply.messages).is_empty());
    assert_eq!(reply.note.as_deref(), Some("no placement is possible"));
}

/// Random lines, most of them sensible, many damaged, some garbage: never a panic, and never anything on the wire but
/// what the protocol knows.
fn storm(lines: u64, seed: u64, mut bot: Protocol) {
    let mut generator = stream(seed, Purpose::Player, 0);
    let mut suggestions = 0u64;
    for _ in 0..lines {
        let line = random_line(&mut generator);
        for message in bot.line(&line).messages {
            let message: Value = serde_json::from_str(&message).unwrap();
            match message["type"].as_str() {
                Some("suggestion") => {
                    suggestions += u64::from(!message["moves"].as_array().unwrap().is_empty());
                }
                Some("ready" | "error") => {}
                other => panic!("{other:?} after {line}"),
            }
        }
    }
    assert!(suggestions > lines / 100, "only {suggestions} of {lines} lines led to a suggestion");
}

fn random_line(generator: &mut Generator) -> String {
    let letter = |generator: &mut Generator| Piece::ALL[below(generator, 7)].to_string();
    let message = match below(generator, 16) {
        0 => json!({ "type": "rules", "randomizer": "seven_bag" }),
        1 | 2 => {
            let rows = below(generator, 30);
            let density = below(generator, 9);
            let cell = |generator: &mut Generator| {
                if below(generator, 10) < density { json!("G") } else { Value::Null }
            };
            let mut board: Vec<Vec<Value>> =
                (0..rows).map(|_| (0..10).map(|_| cell(generator)).collect()).collect();
            board.iter_mut().for_each(|row| row[3] = Value::Null);
            let queue: Vec<String> = (0..below(generator, 7)).map(|_| letter(generator)).collect();
            let hold = if below(generator, 2) == 0 { Value::Null } else { json!(letter(generator)) };
            json!({
                "type": "start", "hold": hold, "queue": queue, "combo": below(generator, 4), "back_to_back": false,
                "board": board, "randomizer": { "type": "seven_bag", "bag_state": ["I", "T"] },
            })
        }
        3..=5 => json!({ "type": "suggest" }),
        6..=9 => {
            let orientation = ["north", "east", "south", "west"][below(generator, 4)];
            let spin = ["none", "mini", "full"][below(generator, 3)];
            let (x, y) = (below(generator, 11), below(generator, 12));
            json!({ "type": "play", "move": {
                "location": { "type": letter(generator), "orientation": orientation, "x": x, "y": y }, "spin": spin } })
        }
        10..=13 => json!({ "type": "new_piece", "piece": letter(generator) }),
        14 => {
            let kind = ["stop", "info", "pause", "ready"][below(generator, 4)];
            json!({ "type": kind })
        }
        _ => Value::Null,
    };
    let mut line = message.to_string();
    if below(generator, 4) == 0 {
        // Damage: characters lost, doubled or replaced.
        for _ in 0..=below(generator, 4) {
            let at = below(generator, line.len());
            let Some((start, old)) = line.char_indices().nth(at) else { continue };
            let new = ["", "[", "}", "\"", "-1", "null", "9999999999999999999999", "é", "\\u0000"]
                [below(generator, 9)];
            line.replace_range(start..start + old.len_utf8(), new);
        }
    } else if below(generator, 30) == 0 {
        let bytes: Vec<u8> = (0..below(generator, 60)).map(|_| below(generator, 256) as u8).collect();
        line = String::from_utf8_lossy(&bytes).into_owned();
    }
    line
}

#[test]
fn a_hundred_thousand_random_lines() {
    storm(100_000, 1, bot());
}

/// The same with a bot that thinks in a thread of its own.
#[test]
fn random_lines_for_a_thinking_bot() {
    for rules in [Rules::SPRINT, Rules::BLITZ] {
        let bot = |budget| Protocol::new(rules, &Player::of_guideline("bot", budget).unwrap()).unwrap();
        storm(2_000, 3, bot(Some(Budget::nodes(200))));
        storm(500, 4, bot(None));
    }
}

#[test]
#[ignore = "long: ./test --long"]
fn a_million_random_lines() {
    storm(1_000_000, 2, bot());
}

/// The generator lists what the protocol writes: every placement survives the way to the wire and back.
#[test]
fn moves_go_there_and_back() {
    for piece in Piece::ALL {
        for placement in moves::placements(&Default::default(), piece, Rules::PRACTICE.kicks) {
            assert_eq!(read_move(&move_object(&placement)), Some(placement));
        }
    }
}
