//! Two players compared: what the verdict says, and that it is not said of equals.

use bellmino_lab::request::{
    CompareAnswer, CompareRequest, CompareVerdict, Context, Request, RequestError, read,
};
use serde_json::{Value, json};

fn compared(request: Value) -> Result<CompareAnswer, RequestError> {
    read::<CompareRequest>(request)?.answer(&Context::default())
}

#[test]
fn the_better_player_is_called_so_from_either_side() {
    let ask = |players: [&str; 2]| {
        compared(json!({ "game": "baby", "players": players, "games": 200, "seed": 1 })).unwrap()
    };
    let (found, turned) = (ask(["fewest-holes", "random"]), ask(["random", "fewest-holes"]));
    assert_eq!((found.verdict, turned.verdict), (CompareVerdict::Better, CompareVerdict::Worse));
    assert_eq!((found.p_value, found.games), (turned.p_value, 200));
    assert_eq!((found.wins[0], found.draws), (turned.wins[1], turned.draws));
    let (difference, ratio) = (found.difference.unwrap(), found.ratio.unwrap());
    let [first, second] = found.means.map(Option::unwrap);
    assert!((difference.estimate - (first - second)).abs() < 1e-9);
    assert!((ratio.estimate - first / second).abs() < 1e-9);
    let [Some(low), Some(high)] = ratio.ci95 else { panic!("{ratio:?}") };
    assert!(1.0 < low && low < ratio.estimate && ratio.estimate < high);
    assert_eq!(ratio.method, "sign flips, 9,999 drawn with seed 1");
    assert!(found.games_needed.is_some_and(|needed| needed < 200));
}

/// A player on the same pieces as itself plays the same games: none of them is a difference, and sixty are enough to say so.
#[test]
fn a_player_is_never_better_than_itself() {
    for player in ["random", "random-rotation", "lowest", "weights:lee4"] {
        for (games, expected) in [(59, CompareVerdict::CannotTell), (60, CompareVerdict::Same)] {
            let request =
                json!({ "game": "small", "players": [player, player], "games": games, "pieces": 60 });
            let found = compared(request).unwrap();
            assert_eq!((found.verdict, found.p_value, found.games_needed), (expected, 1.0, None), "{player}");
            assert_eq!((found.wins, found.draws), ([0, 0], games));
        }
    }
}

/// The games of one seed against those of another have nothing in common but the player: at most one comparison of twenty may
/// find a difference, and of a hundred more than 13 do so once in 2,000 seeds; these are fixed.
#[test]
fn equals_are_told_apart_no_more_often_than_chance_allows() {
    use bellmino_engine::Game;
    use bellmino_lab::{ArenaSettings, PairedTest, Player, evaluate};

    let game = Game::built_in("baby", &[]).unwrap().unwrap();
    let players = [Player::parse("lowest", &game, None).unwrap()];
    let games = |seed| {
        let settings = ArenaSettings { games: 50, seed, ..ArenaSettings::default() };
        evaluate(&game, &players, &settings, &|_| true).unwrap().players.remove(0).results
    };
    let alarms = (0..100).filter(|number| {
        let (first, second) = (games(2 * number), games(2 * number + 1));
        let pairs: Vec<(f64, f64)> = first.into_iter().flatten().zip(second.into_iter().flatten()).collect();
        PairedTest::of(&pairs, *number).unwrap().p_value <= 0.05
    });
    let alarms = alarms.count();
    assert!(alarms <= 13, "{alarms} of 100");
}

#[test]
fn a_race_is_decided_by_pieces_and_by_who_gets_there() {
    let race = |players: [&str; 2]| {
        compared(json!({ "game": "sprint", "players": players, "games": 12, "seed": 1 })).unwrap()
    };
    let found = race(["weights:lee4", "random"]);
    assert_eq!((found.verdict, found.wins), (CompareVerdict::Better, [12, 0]));
    assert_eq!((found.means[1], found.difference, found.ratio), (None, None, None));
    let even = race(["weights:lee4", "weights:dellacherie"]);
    let difference = even.difference.unwrap();
    assert_eq!(difference.method, "sign flips, all 4,096");
    // Fewer pieces are better.
    match even.verdict {
        CompareVerdict::Better => assert!(difference.estimate < 0.0),
        CompareVerdict::Worse => assert!(difference.estimate > 0.0),
        CompareVerdict::Same | CompareVerdict::CannotTell => assert!(even.p_value > 0.05),
    }
}

#[test]
fn what_cannot_be_compared_is_refused() {
    for (request, said) in [
        (json!({ "game": "baby", "players": ["lowest"] }), "`players`: give two"),
        (json!({ "game": "baby", "players": ["lowest", "lowst"] }), "did you mean `lowest`"),
        (json!({ "game": "practice", "players": ["lowest", "random"] }), "`pieces`"),
        (json!({ "game": "baby", "players": ["lowest", "random"], "nodes": 5 }), "placement game"),
    ] {
        let error = compared(request).unwrap_err();
        assert!(error.is_input() && error.to_string().contains(said), "{error}");
    }
    let words = serde_json::to_value(CompareVerdict::CannotTell).unwrap();
    assert_eq!(words, CompareVerdict::CannotTell.words());
}
