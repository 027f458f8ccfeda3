//! The figures that must come out.

use bellmino_engine::placement::{Board, Grid, PackedBoard};
use bellmino_engine::{Game, Override, PlacementGame};
use bellmino_exact::{
    Abstraction, DealerPolicy, Dealing, Objective, OnTable, Placing, Sides, Silent, SolveMethod, SolveReport,
    SolveSettings, evaluate_reached, solve, solve_between,
};

fn game(name: &str, overrides: &[&str]) -> PlacementGame {
    let overrides: Vec<Override> = overrides.iter().map(|text| text.parse().unwrap()).collect();
    Game::built_in(name, &overrides).unwrap().unwrap().placement().unwrap().clone()
}

fn report(game: &PlacementGame, settings: &SolveSettings) -> SolveReport {
    solve(game, settings, &Silent).unwrap().report
}

fn settings(objective: &str) -> SolveSettings {
    SolveSettings::new(objective.parse().unwrap())
}

#[track_caller]
fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} is not {expected} within {tolerance}");
}

#[test]
fn seed_000_means_over_reachable_states() {
    for (height, discount, boards, mean) in [
        (4, 0.9, 12978, 4.151086),
        (4, 0.1, 12978, 0.565842),
        (5, 0.9, 182_101, 4.542366),
        (5, 0.1, 182_101, 0.559813),
    ] {
        let game = game("baby", &[&format!("board.height={height}")]);
        let report = report(&game, &SolveSettings::new(Objective::Discounted(discount)));
        assert_eq!(report.boards, boards);
        assert_eq!(report.states, 2 * boards);
        close(report.mean_value.unwrap(), mean, 5e-7);
        assert!(report.error_bound <= 1e-9 * report.value.unwrap().max(1.0));
    }
}

#[test]
fn seed_003_expected_rows() {
    let found = report(&game("mini", &[]), &settings("horizon:99"));
    let expected = [("L3", 14.909518891), ("S", 10.140313091), ("I2", 14.387187956)];
    for ((name, value), (piece, rows)) in found.value_by_first_piece.iter().zip(expected) {
        assert_eq!(name, piece);
        close(value.unwrap(), rows, 1e-9);
    }
    close(found.value.unwrap(), 13.145673313, 1e-9);
    let cyclic = game("mini", &["dealer.matrix=[[0,1,0],[0,0,1],[1,0,0]]"]);
    let found = report(&cyclic, &settings("horizon:99"));
    let rows: Vec<f64> = found.value_by_first_piece.iter().map(|(_, rows)| rows.unwrap()).collect();
    assert_eq!(rows, [99.0, 99.0, 98.0]);
}

#[test]
fn seed_000_all_boards_that_never_clear() {
    for (height, discount, mean, sweeps) in
        [(4, 0.1, 0.412926, 6), (4, 0.4, 0.473608, 6), (5, 0.1, 0.462044, 7), (5, 0.9, 0.676855, 7)]
    {
        let game = game("baby", &[&format!("board.height={height}")]);
        let found = bellmino_exact::never_clear(&game, discount).unwrap();
        close(found.mean_value, mean, 5e-7);
        assert_eq!(found.changes.len(), sweeps);
        if (height, discount) == (5, 0.9) {
            for (change, printed) in found.changes.iter().zip([6.0, 5.4, 4.86, 4.374, 3.81358, 1.88219, 0.0])
            {
                close(*change, printed, 5e-6);
            }
        }
    }
}

#[test]
fn the_value_of_one_placement() {
    let game = game("baby", &[]);
    let table = solve(&game, &settings("discounted:0.9"), &Silent).unwrap().table;
    let values = table.placement_values(&Board::new(4, 4), 0).unwrap();
    assert_eq!(values.len(), 6);
    close(values.iter().map(|value| value.value).fold(0.0, f64::max), 9.0889857829, 1e-9);
    assert_eq!(table.placement_values(&Board::new(5, 4), 0), None);
}

#[test]
fn worse_dealers_are_worth_less() {
    let game = game("baby", &[]);
    let value =
        |dealing| report(&game, &SolveSettings { dealing, ..settings("discounted:0.9") }).value.unwrap();
    let mut before = value(Dealing::Random);
    for share in [0.25, 0.5, 0.75] {
        let next = value(Dealing::Mixed(share));
        assert!(next < before);
        before = next;
    }
    let (worst, worst_before) = (value(Dealing::Worst), value(Dealing::WorstBefore));
    assert!(worst < before && worst < worst_before && worst_before < value(Dealing::Random));
    // To name the next piece before the placement is to be the worst dealer with a preview of one.
    let preview = SolveSettings { dealing: Dealing::Worst, preview: 1, ..settings("discounted:0.9") };
    close(report(&game, &preview).value.unwrap(), worst_before, 1e-8);
}

#[test]
fn survival_against_the_worst() {
    let survive = |name: &str, overrides: &[&str]| {
        let found =
            report(&game(name, overrides), &SolveSettings { dealing: Dealing::Worst, ..settings("survive") });
        (found.value.unwrap(), found.safe_boards.unwrap())
    };
    // Recomputed by `reference.rs` in another way for the smaller ones.
    assert_eq!(survive("baby", &[]), (1.0, 1143));
    assert_eq!(survive("baby", &["board.height=5"]), (1.0, 16656));
    assert_eq!(survive("mini", &[]), (0.0, 0));
    assert_eq!(survive("small", &[]), (0.0, 0));
}

#[test]
fn what_is_endless_is_infinite() {
    let baby = report(&game("baby", &[]), &settings("total"));
    assert!(baby.is_infinite() && baby.mean_value.is_none());
    let worst = SolveSettings { dealing: Dealing::Worst, ..settings("total") };
    assert!(report(&game("baby", &[]), &worst).is_infinite());
    let cyclic = game("mini", &["dealer.matrix=[[0,1,0],[0,0,1],[1,0,0]]"]);
    assert!(report(&cyclic, &settings("total")).is_infinite());
    assert!(!report(&game("mini", &[]), &settings("total")).is_infinite());
    // Only triples score, and corners alone never make one: the player lives for ever on nothing.
    let nothing = game("baby", &["score.lines=[0,0,0,6]", "pieces.set=[\"L3\"]"]);
    assert!(solve(&nothing, &settings("total"), &Silent).is_err());
}

#[test]
fn the_average_of_endless_games() {
    let found = report(&game("baby", &[]), &settings("average"));
    assert!(found.error_bound <= 2e-9);
    assert!(found.mean_value.is_none());
    // One row per 4/3 pieces is all the cells allow, at up to 2 points per row.
    assert!(found.value.unwrap() > 0.75 && found.value.unwrap() < 1.5);
    // A circle of three pieces gains exactly a row per piece, whatever its period.
    let cyclic = game("mini", &["dealer.matrix=[[0,1,0],[0,0,1],[1,0,0]]", "dealer.first=[1,0,0]"]);
    close(report(&cyclic, &settings("average")).value.unwrap(), 1.0, 1e-8);
    assert_eq!(report(&game("mini", &[]), &settings("average")).value, Some(0.0));
}

/// Dealers under which the game falls into parts that gain differently. Long horizons gain as much per piece, and whoever
/// plays by the table does.
#[test]
fn the_average_of_games_that_fall_apart() {
    let markov = |first: &str, second: &str| {
        game("baby", &["dealer.kind=markov", &format!("dealer.matrix=[{first},{second}]")])
    };
    let check = |game: &PlacementGame| {
        let asked = settings("average");
        let solved = solve(game, &asked, &Silent).unwrap();
        let report = &solved.report;
        assert!(report.is_as_wanted(), "{} within {}", report.value.unwrap(), report.error_bound);
        let [early, late] = ["horizon:200", "horizon:700"].map(|text| self::report(game, &settings(text)));
        let first = early.value_by_first_piece.iter().zip(&late.value_by_first_piece);
        for ((piece, gain), ((_, early), (_, late))) in report.value_by_first_piece.iter().zip(first) {
            let slope = (late.unwrap() - early.unwrap()) / 500.0;
            assert!((gain.unwrap() - slope).abs() < 2e-3, "{piece}: {gain:?}, {slope}");
        }
        let sides = Sides { player: Some(&solved.table), dealer: None };
        let played = solve_between(game, &asked, sides, None, &Silent).unwrap().report;
        assert!(played.is_as_wanted());
        close(played.value.unwrap(), report.value.unwrap(), 1e-8);
        report.value.unwrap()
    };
    // The first piece for ever: as much as each by itself.
    let alone = ["I3", "L3"].map(|piece| {
        report(&game("baby", &[&format!("pieces.set=[\"{piece}\"]")]), &settings("average")).value.unwrap()
    });
    assert!((alone[0] - alone[1]).abs() > 0.1, "{alone:?}");
    close(check(&markov("[1,0]", "[0,1]")), 0.5 * (alone[0] + alone[1]), 1e-8);
    // The second becomes the first in the end.
    close(check(&markov("[1,0]", "[0.1,0.9]")), alone[0], 1e-8);
    close(check(&markov("[0.9,0.1]", "[0,1]")), alone[1], 1e-8);
    // Three dealers in one, one of which may lose, and a player who places at random.
    let mixed = game("mini", &["dealer.matrix=[[1,0,0],[0.3,0.4,0.3],[0,0,1]]"]);
    check(&mixed);
    let random = SolveSettings { placing: Placing::Average, ..settings("average") };
    assert!(report(&markov("[1,0]", "[0,1]"), &random).is_as_wanted());
}

/// From the boards that a player reaches it is worth what it is from all, on fewer boards, whoever deals and whatever it sees.
#[test]
fn what_a_player_reaches_is_enough() {
    let cases = [
        (game("mini", &[]), settings("total")),
        (game("baby", &["board.height=3", "dealer.weights=[1,3]"]), settings("discounted:0.9")),
        (game("baby", &["dealer.kind=bag", "board.height=3"]), settings("average")),
        (game("baby", &["board.height=3"]), SolveSettings { preview: 1, ..settings("discounted:0.8") }),
        (
            game("small", &["board.height=3"]),
            SolveSettings { dealing: Dealing::Mixed(0.3), ..settings("total") },
        ),
        (game("mini", &[]), settings("survive")),
    ];
    let mut fewer = 0;
    for (game, asked) in cases {
        let best = solve(&game, &asked, &Silent).unwrap().table;
        let sides = Sides { player: Some(&best), dealer: None };
        let all = solve_between(&game, &asked, sides, None, &Silent).unwrap().report;
        let some = evaluate_reached(&game, &asked, sides, &Silent).unwrap();
        assert!(some.is_as_wanted());
        close(some.value.unwrap(), all.value.unwrap(), 2.0 * (some.error_bound + all.error_bound) + 1e-12);
        for ((piece, one), (_, other)) in some.value_by_first_piece.iter().zip(&all.value_by_first_piece) {
            assert!((one.unwrap() - other.unwrap()).abs() < 1e-7, "{piece}: {one:?}, {other:?}");
        }
        assert!(some.boards <= all.boards && some.states <= all.states);
        fewer += u32::from(some.boards < all.boards);
    }
    assert!(fewer >= 4, "{fewer}");
    let mini = game("mini", &[]);
    assert!(evaluate_reached(&mini, &settings("total"), Sides::default(), &Silent).is_err());
}

#[test]
fn methods_agree_within_their_bounds() {
    let cases = [
        (game("mini", &[]), settings("total")),
        (game("baby", &[]), settings("discounted:0.95")),
        (game("baby", &["dealer.kind=bag"]), settings("discounted:0.9")),
        (
            game("baby", &["board.height=3", "dealer.weights=[1,3]"]),
            SolveSettings { hold: true, ..settings("discounted:0.8") },
        ),
        (game("small", &["board.height=3"]), settings("total")),
        (game("mini", &[]), SolveSettings { dealing: Dealing::Mixed(0.3), ..settings("total") }),
        (game("mini", &[]), SolveSettings { dealing: Dealing::Worst, ..settings("total") }),
        (game("mini", &[]), SolveSettings { placing: Placing::Average, ..settings("total") }),
        // Values below 0 come to their end too.
        (
            game("baby", &[]),
            SolveSettings {
                reward: Some("score=1,height=0.5".parse().unwrap()),
                ..settings("discounted:0.9")
            },
        ),
        (
            game("baby", &[]),
            SolveSettings {
                reward: Some("lines=1,height=1,gaps=1".parse().unwrap()),
                ..settings("discounted:0.9")
            },
        ),
    ];
    for (game, settings) in cases {
        let solved = [SolveMethod::Value, SolveMethod::Modified, SolveMethod::Policy]
            .map(|method| report(&game, &SolveSettings { method, ..settings.clone() }));
        for pair in solved.windows(2) {
            let apart = (pair[0].value.unwrap() - pair[1].value.unwrap()).abs();
            assert!(apart <= pair[0].error_bound + pair[1].error_bound, "{} {settings:?}", game.name());
            assert!(pair[0].error_bound <= 1e-9 * pair[0].value.unwrap().abs().max(1.0));
        }
    }
}

#[test]
fn information_is_never_worth_less_than_nothing() {
    let baby = game("baby", &[]);
    let value = |preview, hold| {
        report(&baby, &SolveSettings { preview, hold, ..settings("discounted:0.9") }).value.unwrap()
    };
    let plain = value(0, false);
    let (one, two, hold) = (value(1, false), value(2, false), value(0, true));
    assert!(plain < one && one < two && plain < hold, "{plain} {one} {two} {hold}");
}

#[test]
fn views_lose_something() {
    let small = game("small", &[]);
    let grid = report(&small, &settings("total")).value.unwrap();
    for view in [Abstraction::Heights, Abstraction::Contour] {
        let found = report(&small, &SolveSettings { view, ..settings("total") });
        let truth = found.true_value.unwrap().unwrap();
        assert!(truth < grid && truth > 0.3 * grid, "{view}: {truth} of {grid}");
        assert!(found.classes.unwrap() < found.boards);
    }
}

#[test]
fn shaped_rewards_play_for_points_too() {
    let baby = game("baby", &[]);
    let best = report(&baby, &settings("discounted:0.9")).value.unwrap();
    let shaped = SolveSettings { reward: Some("score=1".parse().unwrap()), ..settings("discounted:0.9") };
    let same = report(&baby, &shaped);
    close(same.true_value.unwrap().unwrap(), best, 1e-8);
    let shaped = SolveSettings { reward: Some("score=1,height=0.2,gaps=0.5".parse().unwrap()), ..shaped };
    let found = report(&baby, &shaped);
    assert!(found.true_value.unwrap().unwrap() < best);
    assert!(found.true_worst_value.unwrap().unwrap() <= found.true_value.unwrap().unwrap());
}

#[test]
fn games_that_do_not_fit_are_refused() {
    let error = |game: &PlacementGame, memory: u64| {
        let settings = SolveSettings { memory: Some(memory), ..settings("total") };
        solve(game, &settings, &Silent).unwrap_err().to_string()
    };
    assert!(error(&game("classic", &[]), 1 << 34).contains("too big"));
    let wide = game("classic", &["board.width=6", "board.height=6"]);
    assert!(error(&wide, 1 << 34).contains("too big"));
    // Squares on an even board leave few boards, however large it is.
    let squares = game("classic", &["board.width=6", "board.height=6", "pieces.set=[\"O\"]"]);
    let found = report(&squares, &SolveSettings { memory: Some(1 << 30), ..settings("discounted:0.5") });
    assert!(found.boards < 100_000);
}

/// Every change belongs to a sweep of the run, the last one to the last.
#[test]
fn changes_are_numbered_as_sweeps_are_counted() {
    for (name, objective, method, missing) in [
        ("baby", "discounted:0.9", SolveMethod::Auto, 0),
        ("baby", "discounted:0.9", SolveMethod::Policy, 0),
        ("mini", "total", SolveMethod::Value, 0),
        ("baby", "average", SolveMethod::Auto, 0),
        // The first piece's step is made for the report, and is nobody's change.
        ("mini", "horizon:20", SolveMethod::Auto, 1),
    ] {
        let found = report(&game(name, &[]), &SolveSettings { method, ..settings(objective) });
        let sweeps: Vec<u64> = found.changes.iter().map(|one| one.sweep).collect();
        assert_eq!(sweeps.last(), Some(&(found.sweeps - missing)), "{name} {objective}");
        assert!(sweeps.is_sorted_by(|one, next| one < next) && sweeps[0] == 1, "{sweeps:?}");
    }
    let found = report(&game("baby", &[]), &settings("discounted:0.9"));
    assert!((found.changes.len() as u64) < found.sweeps, "some sweeps only evaluate");
}

/// The dealer who names the next piece first begins with the worst opening, also where every stage is kept.
#[test]
fn the_first_piece_is_the_worst_one() {
    let mini = game("mini", &[]);
    for objective in ["horizon:9", "discounted:0.9", "total"] {
        let settings = SolveSettings {
            dealing: Dealing::WorstBefore,
            keep_stages: objective.starts_with("horizon"),
            ..settings(objective)
        };
        let solution = solve(&mini, &settings, &Silent).unwrap();
        let values = solution.report.value_by_first_piece;
        let least = values.iter().map(|(_, value)| value.unwrap()).fold(f64::INFINITY, f64::min);
        let start = mini.dealer().start();
        let on_table = OnTable { state: start, queue: &[], held: None, spent: false, left: None };
        let dealt = solution.table.deal(PackedBoard::empty(&mini), &on_table).unwrap();
        close(values[dealt as usize].1.unwrap(), least, 1e-9);
        let deals = solution.table.deal_values(PackedBoard::empty(&mini), &on_table).unwrap();
        for ((_, value), (_, by_piece)) in deals.iter().zip(&values) {
            close(*value, by_piece.unwrap(), 1e-8);
        }
    }
}

/// Boards by themselves: their values are those of the start, and the safe ones are as many as reported.
#[test]
fn every_board_has_a_value() {
    let baby = game("baby", &[]);
    let solution = solve(&baby, &settings("discounted:0.9"), &Silent).unwrap();
    let values = solution.table.board_values();
    assert_eq!(values.len() as u64, solution.report.boards);
    let empty = values.iter().find(|(board, _)| board.0 == 0).unwrap();
    close(empty.1, solution.report.value.unwrap(), 1e-8);
    let survive = SolveSettings { dealing: Dealing::Worst, ..settings("survive") };
    let solution = solve(&baby, &survive, &Silent).unwrap();
    let safe = solution.table.board_values().iter().filter(|(_, value)| *value == 1.0).count();
    assert_eq!(Some(safe as u64), solution.report.safe_boards);
    let average = solve(&baby, &settings("average"), &Silent).unwrap().table.board_values();
    assert!(average.iter().all(|(_, value)| *value <= 0.0));
    assert_eq!(average.iter().filter(|(_, value)| value.is_finite()).count(), 1143);
}
