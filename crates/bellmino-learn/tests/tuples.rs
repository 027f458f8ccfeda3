//! Tuple values: the fast way against the plain one, and learning against chance.

use bellmino_engine::placement::{AnyColumns, Board, Grid, Match, PackedBoard, TenColumns};
use bellmino_engine::{Game, Override, PlacementGame, Purpose, below, stream};
use bellmino_learn::{TuplePlan, TupleTd, TupleValue, Window};

fn game(name: &str, overrides: &[&str]) -> PlacementGame {
    let overrides: Vec<Override> = overrides.iter().map(|text| text.parse().unwrap()).collect();
    Game::built_in(name, &overrides).unwrap().unwrap().placement().unwrap().clone()
}

fn windows(list: &str) -> Vec<Window> {
    list.split(',').map(|text| text.parse().unwrap()).collect()
}

fn learned(game: &PlacementGame, list: &str, steps: u64, moves: u64, seed: u64) -> TupleTd {
    let plan = TuplePlan { windows: windows(list), steps, moves, seed, ..TuplePlan::default() };
    let mut td = TupleTd::new(plan);
    while !td.is_done() {
        let number = td.history.len() as u64;
        td.take(td.plan.step(game, &td.tables, number, &|| true).unwrap());
    }
    td
}

/// Games of every landing: what is looked up again is all that changed, and clears move what is above them.
#[test]
fn the_choice_is_the_largest_points_plus_value() {
    for (game, list) in [
        (game("small", &[]), "3x4,5x2"),
        (game("small", &["landing.path=slide", "score.lines=[0.5,12,1,30.25]"]), "2x2,1x4"),
        (game("mini", &[]), "2x3"),
        (game("classic", &["board.height=9"]), "4x3,2x6"),
        (game("sz", &["board.width=7", "board.height=8"]), "3x4"),
        (game("small", &["dealer.weights=[1,1,2,1,1,1]"]), "3x3"),
    ] {
        let value = learned(&game, list, 1, 3000, 5).value(&game).unwrap();
        let mut chance = stream(2, Purpose::Player, 0);
        let (mut clears, mut looked) = (0, 0);
        for index in 0..40 {
            let mut played: Match<AnyColumns> = Match::new(game.clone(), 3, index);
            while let (None, Some(piece)) = (played.outcome(), played.current()) {
                let piece = usize::from(piece);
                let mut worths = Vec::new();
                played.board().outcomes(&game, piece, |placement, landed| {
                    let points = game.score().points(landed.lines());
                    worths.push((placement, value.worth(&landed.board.to_board(&game), points)));
                    clears += landed.lines();
                });
                let Some(chosen) = value.choose(&game, played.board(), piece) else { break };
                if !worths.is_empty() {
                    let most = worths.iter().map(|(_, worth)| *worth).fold(f64::NEG_INFINITY, f64::max);
                    let (_, worth) = worths.iter().find(|(placement, _)| *placement == chosen).unwrap();
                    assert!(most - worth < 1e-3 * most.abs().max(1.0), "{worth} of {most}");
                    looked += 1;
                }
                if PackedBoard::fits(&game) {
                    let packed = PackedBoard::from_board(&played.board().to_board(&game));
                    assert_eq!(value.choose(&game, &packed, piece), Some(chosen));
                }
                if TenColumns::fits(&game) {
                    let ten = TenColumns::from_board(&played.board().to_board(&game));
                    assert_eq!(value.choose(&game, &ten, piece), Some(chosen));
                }
                // Now and then something else, so that boards differ.
                let all = played.placements();
                let next =
                    if below(&mut chance, 4) == 0 { all[below(&mut chance, all.len())] } else { chosen };
                played.play_unchecked(&next);
            }
        }
        assert!(clears > 0 && looked > 100, "{list}: {clears} {looked}");
    }
}

/// A game that looks the same in a mirror has a value that does.
#[test]
fn mirror_images_are_worth_the_same() {
    let game = game("classic", &["board.width=5", "board.height=5"]);
    let value = learned(&game, "3x5,2x3", 1, 5000, 1).value(&game).unwrap();
    let mut chance = stream(1, Purpose::Player, 0);
    let mut differ = 0;
    for _ in 0..200 {
        let mut boards = [Board::new(5, 5), Board::new(5, 5)];
        for y in 0..4 {
            for x in 0..5 {
                if below(&mut chance, 2) == 0 {
                    boards[0].insert(x, y);
                    boards[1].insert(4 - x, y);
                }
            }
        }
        let [one, other] = boards.map(|board| value.of(&board));
        assert!((one - other).abs() < 1e-4, "{one} {other}");
        differ += usize::from(one != value.of(&Board::new(5, 5)));
    }
    assert!(differ > 100);
}

/// Steps that were made one by one, stored and read in between, are the steps of one run; another seed learns otherwise.
#[test]
fn learning_goes_on_from_its_text() {
    let game = game("small", &[]);
    let whole = learned(&game, "3x4", 4, 500, 7);
    let mut parts = learned(&game, "3x4", 2, 500, 7);
    parts.plan.steps = 4;
    while !parts.is_done() {
        parts = serde_json::from_str(&serde_json::to_string(&parts).unwrap()).unwrap();
        let number = parts.history.len() as u64;
        assert_eq!(parts.plan.step(&game, &parts.tables, number, &|| false), None, "told to stop");
        parts.take(parts.plan.step(&game, &parts.tables, number, &|| true).unwrap());
    }
    assert_eq!(parts, whole);
    assert_ne!(learned(&game, "3x4", 4, 500, 8).tables, whole.tables);
    let value = whole.value(&game).unwrap();
    assert_eq!(TupleValue::read_bytes(&value.to_bytes()).unwrap(), value);
}

/// Plans that were stored before there were traces are read as what they were.
#[test]
fn plans_of_before_are_read() {
    let plan = TuplePlan { windows: windows("3x4"), seed: 3, ..TuplePlan::default() };
    let mut stored = serde_json::to_value(&plan).unwrap();
    for key in ["trace", "reach", "every_piece", "units", "temperature", "holes"] {
        assert!(stored.as_object_mut().unwrap().remove(key).is_some());
    }
    assert_eq!(serde_json::from_value::<TuplePlan>(stored).unwrap(), plan);
}

/// From nothing, without a feature: games get longer.
#[test]
fn it_learns() {
    let td = learned(&game("sz", &["board.width=6", "board.height=10"]), "3x4", 5, 20_000, 1);
    let scores: Vec<f64> = td.history.iter().map(|step| step.score).collect();
    assert!(scores[4] > 1.6 * scores[0], "{scores:?}");
}

/// Where the pieces bring no change of their own, a player that takes only what it knows never learns better: on four columns it
/// stays far below half of what curiosity finds.
#[test]
fn curiosity_finds_what_is_better() {
    let game = game("sz", &["board.width=4", "board.height=8"]);
    let score = |curiosity: f64| {
        let windows = windows("4x4");
        let plan =
            TuplePlan { windows, steps: 2, moves: 200_000, seed: 1, curiosity, ..TuplePlan::default() };
        let mut td = TupleTd::new(plan);
        while !td.is_done() {
            let number = td.history.len() as u64;
            td.take(td.plan.step(&game, &td.tables, number, &|| true).unwrap());
        }
        td.history[1].score
    };
    let (without, with) = (score(0.0), score(0.02));
    assert!(with > 1.8 * without, "{with} {without}");
}

/// On four columns a line clears a row at once and a square does not. After one move the empty board is worth what the piece brought
/// that came; learned from every piece, what they bring on average.
#[test]
fn every_piece_that_may_come_counts() {
    let game = game("classic", &["board.width=4", "board.height=4", r#"pieces.set=["I", "O"]"#]);
    let worth = |seed: u64, every_piece: bool| {
        // A table is read, and corrected, once from either side: half the rate corrects the whole error.
        let plan = TuplePlan { moves: 1, rate: 0.5, seed, every_piece, ..TuplePlan::default() };
        let plan = TuplePlan { windows: windows("3x3"), ..plan };
        let mut td = TupleTd::new(plan);
        td.take(td.plan.step(&game, &td.tables, 0, &|| true).unwrap());
        td.value(&game).unwrap().of(&Board::new(4, 4))
    };
    let near = |value: f64, expected: f64| (value - expected).abs() < 1e-5;
    let seeds = 0..20;
    assert!(seeds.clone().all(|seed| near(worth(seed, true), 0.5)));
    let (mut line, mut square) = (0, 0);
    for value in seeds.map(|seed| worth(seed, false)) {
        line += usize::from(near(value, 1.0));
        square += usize::from(near(value, 0.0));
    }
    // All of one kind: once in half a million times.
    assert!(line + square == 20 && line > 0 && square > 0, "{line} {square}");
}

/// A trace of one move is none; a longer one learns otherwise, also when it is stored and read in between.
#[test]
fn a_trace_of_one_move_is_none() {
    let game = game("small", &[]);
    let tables = |trace: f64, reach: usize| {
        let plan =
            TuplePlan { windows: windows("3x4"), steps: 2, moves: 500, trace, reach, ..TuplePlan::default() };
        let mut td = TupleTd::new(plan);
        while !td.is_done() {
            td = serde_json::from_str(&serde_json::to_string(&td).unwrap()).unwrap();
            let number = td.history.len() as u64;
            td.take(td.plan.step(&game, &td.tables, number, &|| true).unwrap());
        }
        td.tables
    };
    let plain = tables(0.0, 8);
    assert_eq!(tables(0.8, 1), plain);
    assert_ne!(tables(0.8, 2), plain);
    assert_ne!(tables(0.8, 2), tables(0.8, 8));
}

fn learned_units(game: &PlacementGame, plan: TuplePlan) -> TupleTd {
    let mut td = TupleTd::new(plan);
    while !td.is_done() {
        let number = td.history.len() as u64;
        td.take(td.plan.step(game, &td.tables, number, &|| true).unwrap());
    }
    td
}

/// Units take the placement of the largest reward plus discounted value, whatever the reward, and a file keeps them.
#[test]
fn units_choose_what_is_worth_most() {
    for (game, holes) in [
        (game("small", &[]), 0.0),
        (game("classic", &["board.height=9"]), 33.0),
        (game("sz", &["board.width=7", "board.height=8"]), 5.0),
    ] {
        let plan = TuplePlan { steps: 1, moves: 2000, seed: 5, holes, ..TuplePlan::of_units(16) };
        let value = learned_units(&game, plan).value(&game).unwrap();
        assert_eq!(TupleValue::read_bytes(&value.to_bytes()).unwrap(), value);
        let (mut chance, mut looked) = (stream(2, Purpose::Player, 0), 0);
        for index in 0..60 {
            let mut played: Match<AnyColumns> = Match::new(game.clone(), 3, index);
            while let (None, Some(piece)) = (played.outcome(), played.current()) {
                let mut worths = Vec::new();
                played.board().outcomes(&game, usize::from(piece), |placement, landed| {
                    let board = landed.board.to_board(&game);
                    let points = game.score().points(landed.lines());
                    let cells = |x: usize| (0..game.height()).filter(move |y| board.contains(x, *y));
                    let holes_in = |x: usize| cells(x).max().map_or(0, |y| y + 1) - cells(x).count();
                    let count: usize = (0..game.width()).map(holes_in).sum();
                    let reward = if holes > 0.0 { (-(count as f64) / holes).exp() } else { points };
                    let worth = reward + 0.99 * value.of(&board);
                    assert!((worth - value.worth(&board, points)).abs() < 1e-4);
                    worths.push((placement, worth));
                });
                let chosen = value.choose(&game, played.board(), piece.into()).unwrap();
                if !worths.is_empty() {
                    let most = worths.iter().map(|(_, worth)| *worth).fold(f64::NEG_INFINITY, f64::max);
                    let (_, worth) = worths.iter().find(|(placement, _)| *placement == chosen).unwrap();
                    assert!(most - worth < 1e-4, "{worth} of {most}");
                    looked += 1;
                }
                let all = played.placements();
                let next =
                    if below(&mut chance, 4) == 0 { all[below(&mut chance, all.len())] } else { chosen };
                played.play_unchecked(&next);
            }
        }
        assert!(looked > 100, "{looked}");
    }
}

/// Units learn, the same whether or not they are stored and read in between; windows do not go with them.
#[test]
fn units_learn() {
    let game = game("sz", &["board.width=6", "board.height=10"]);
    let plan = TuplePlan { steps: 4, moves: 20_000, seed: 1, ..TuplePlan::of_units(16) };
    let whole = learned_units(&game, plan.clone());
    let scores: Vec<f64> = whole.history.iter().map(|step| step.score).collect();
    assert!(scores[3] > 1.6 * scores[0], "{scores:?}");
    let mut parts = TupleTd::new(plan.clone());
    while !parts.is_done() {
        parts = serde_json::from_str(&serde_json::to_string(&parts).unwrap()).unwrap();
        let number = parts.history.len() as u64;
        parts.take(parts.plan.step(&game, &parts.tables, number, &|| true).unwrap());
    }
    assert_eq!(parts, whole);
    let both = TupleTd::new(TuplePlan { windows: windows("3x3"), ..plan });
    assert!(both.value(&game).unwrap_err().to_string().contains("do not go together"));
}
