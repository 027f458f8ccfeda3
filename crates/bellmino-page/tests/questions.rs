//! Where a page's message asks what a request asks too, it gets the same answer.

use bellmino_lab::request::{Context, RequestKind};
use bellmino_page::{BestOrder, BuiltInCollection, QuietDesk, SolveOrder, SolvedGame};
use serde_json::{Value, json};

/// The answer to a request.
fn asked(name: &str, fields: Value) -> Value {
    RequestKind::named(name).unwrap().ask(fields, &Context::default()).unwrap()
}

/// The same fields of two answers.
#[track_caller]
fn alike(page: &Value, request: &Value, fields: &[&str]) {
    for field in fields {
        assert!(!page[field].is_null() || !request[field].is_null(), "neither has `{field}`: {page}");
        assert_eq!(page[field], request[field], "{field}");
    }
}

#[test]
fn a_game_is_solved_alike() {
    let fields = ["value", "error_bound", "boards", "states", "dead_states", "sweeps", "objective", "dealer"];
    for (game, set, rest) in [
        ("mini", json!([]), json!({ "objective": "total" })),
        ("baby", json!([]), json!({ "objective": "discounted:0.9", "preview": 1, "hold": true })),
        ("baby", json!(["dealer.weights=[0.5,1]"]), json!({ "objective": "average" })),
        ("mini", json!(["dealer.kind=bag"]), json!({ "objective": "discounted:0.8", "player": "lowest" })),
        ("mini", json!([]), json!({ "objective": "horizon:9", "dealer": "mixed:0.25", "placer": "average" })),
        (
            "baby",
            json!(["board.height=3"]),
            json!({ "objective": "discounted:0.9", "reward": "score=1,gaps=0.5" }),
        ),
    ] {
        let mut message = rest.clone();
        message["game"] = json!({ "name": game, "set": set });
        let order: SolveOrder = serde_json::from_value(message).unwrap();
        let (_, page) = SolvedGame::solve(&order, &BuiltInCollection, &QuietDesk).unwrap();
        let mut request = rest;
        request["game"] = json!(game);
        request["set"] = set;
        // A page asks for any board afterwards; a request that asks for one keeps the values of every stage too.
        if request["objective"].as_str().unwrap().starts_with("horizon") {
            request["state"] = json!("empty");
            request["piece"] = json!("L3");
        }
        alike(&page, &asked("solve", request), &fields);
    }
}

#[test]
fn the_best_placements_are_alike() {
    for (mode, board, queue, rest) in [
        ("blitz", vec![], "TIOSZ", json!({})),
        (
            "blitz",
            vec!["####.#####", "####......"],
            "TIO",
            json!({ "score": 12_345, "pieces": 40, "lines": 14 }),
        ),
        (
            "sprint",
            vec!["#########.", "#########.", "####.#####"],
            "IOT",
            json!({ "pieces": 90, "lines": 34 }),
        ),
        ("blitz", vec!["########..", "########.."], "LO", json!({ "back_to_back": true, "combo": 2 })),
    ] {
        let mut message = rest.clone();
        message["mode"] = json!(mode);
        // A page draws from the bottom, a request from the top.
        message["board"] = json!(board);
        message["queue"] = json!(queue);
        message["hold"] = json!("S");
        message["nodes"] = json!(500);
        let order: BestOrder = serde_json::from_value(message).unwrap();
        let page = order.answer().unwrap();
        let mut request = rest;
        request["game"] = json!(mode);
        let rows: Vec<&str> = board.into_iter().rev().collect();
        request["board"] = if rows.is_empty() { json!("empty") } else { json!(rows.join("/")) };
        request["queue"] = json!(queue);
        request["held"] = json!("S");
        request["nodes"] = json!(500);
        request["top"] = json!(3);
        let request = asked("best", request);
        assert_eq!(page["coin"], request["unit"]);
        let [ours, theirs] = [&page["choices"], &request["candidates"]].map(|list| list.as_array().unwrap());
        assert_eq!((ours.len(), theirs.len()), (3, 3));
        for (page, request) in ours.iter().zip(theirs) {
            alike(page, request, &["held", "clear", "loss", "fatal"]);
            assert_eq!(page["reasons"].as_array().unwrap(), request["reasons"].as_array().unwrap_or(&vec![]));
            let piece = page["piece"].as_str().unwrap();
            assert!(request["placement"].as_str().unwrap().starts_with(piece), "{page} {request}");
        }
    }
}
