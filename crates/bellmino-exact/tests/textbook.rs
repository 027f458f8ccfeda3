//! The plain method against a textbook that shares no code with it: states in maps, boards as sets of cells.

use std::collections::{BTreeSet, HashMap};

use bellmino_engine::placement::reference::{Cells, placements};
use bellmino_engine::placement::{Board, DealerState};
use bellmino_engine::{Game, Override, PlacementGame};
use bellmino_exact::{Dealing, Objective, Silent, SolveMethod, SolveReport, SolveSettings, solve};

fn game(name: &str, overrides: &[&str]) -> PlacementGame {
    let overrides: Vec<Override> = overrides.iter().map(|text| text.parse().unwrap()).collect();
    Game::built_in(name, &overrides).unwrap().unwrap().placement().unwrap().clone()
}

type BookBoard = BTreeSet<(i32, i32)>;

/// A state of the textbook: a board, a piece on it, and what the dealer remembers.
struct BookState {
    /// For each placement that does not end the game: points, and the states that follow with their probabilities.
    actions: Vec<(f64, Vec<(f64, usize)>)>,
}

struct Textbook {
    states: Vec<BookState>,
    first: Vec<(f64, usize)>,
}

impl Textbook {
    /// Every state that is reached from the empty board.
    fn new(game: &PlacementGame) -> Textbook {
        type Key = (BookBoard, u8, DealerState);
        fn number(known: &mut HashMap<Key, usize>, keys: &mut Vec<Key>, key: Key) -> usize {
            *known.entry(key.clone()).or_insert_with(|| {
                keys.push(key);
                keys.len() - 1
            })
        }
        let (mut known, mut keys, mut states) = (HashMap::new(), Vec::new(), Vec::new());
        let mut dealt = |board: &BookBoard, state: DealerState, keys: &mut Vec<Key>| {
            let deals = game.dealer().deals(state).iter();
            deals
                .map(|deal| {
                    (deal.probability, number(&mut known, keys, (board.clone(), deal.piece, deal.next)))
                })
                .collect::<Vec<_>>()
        };
        let first = dealt(&BookBoard::new(), game.dealer().start(), &mut keys);
        while let Some((board, piece, state)) = keys.get(states.len()).cloned() {
            let cells: Cells = board.into_iter().collect();
            let all = placements(game, &cells, usize::from(piece)).into_iter();
            let actions = all.filter_map(|(_, after)| after).map(|(after, rows)| {
                let after = after.into_iter().collect();
                (game.score().points(rows), dealt(&after, state, &mut keys))
            });
            let actions = actions.collect();
            states.push(BookState { actions });
        }
        Textbook { states, first }
    }

    /// The values after so many sweeps from 0, and the largest change of each.
    fn iterate(&self, discount: f64, worst: bool, sweeps: usize) -> (Vec<f64>, Vec<f64>) {
        let mut values = vec![0.0; self.states.len()];
        let mut deltas = Vec::new();
        for _ in 0..sweeps {
            let new: Vec<f64> = self
                .states
                .iter()
                .map(|state| {
                    let worth = |(points, follow): &(f64, Vec<(f64, usize)>)| {
                        points + discount * later(follow, &values, worst)
                    };
                    state.actions.iter().map(worth).reduce(f64::max).unwrap_or(0.0)
                })
                .collect();
            deltas.push(new.iter().zip(&values).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs())));
            values = new;
        }
        (values, deltas)
    }
}

fn later(follow: &[(f64, usize)], values: &[f64], worst: bool) -> f64 {
    if worst {
        return follow.iter().map(|(_, next)| values[*next]).fold(f64::INFINITY, f64::min);
    }
    follow.iter().map(|(p, next)| p * values[*next]).sum()
}

fn plain(game: &PlacementGame, objective: &str, dealing: Dealing, sweeps: Option<u64>) -> SolveReport {
    let settings = SolveSettings {
        dealing,
        method: SolveMethod::Plain,
        max_sweeps: sweeps,
        ..SolveSettings::new(objective.parse().unwrap())
    };
    solve(game, &settings, &Silent).unwrap().report
}

/// Sweep by sweep the same largest change, and in the end the same values.
#[test]
fn plain_sweeps_are_the_textbooks() {
    let games = [
        (game("mini", &[]), "total", 0.0),
        (game("baby", &["board.height=3", "dealer.weights=[1,3]"]), "discounted:0.9", 0.9),
        (game("mini", &["dealer.kind=bag"]), "discounted:0.5", 0.5),
        (game("baby", &["landing.overflow=clear-first", "board.height=3"]), "discounted:0.4", 0.4),
    ];
    for (game, objective, discount) in games {
        let book = Textbook::new(&game);
        for (dealing, worst) in [(Dealing::Random, false), (Dealing::Worst, true)] {
            let discount = if discount == 0.0 { 1.0 } else { discount };
            for sweeps in [1, 2, 7, 30] {
                let found = plain(&game, objective, dealing, Some(sweeps));
                let (values, deltas) = book.iterate(discount, worst, found.sweeps as usize);
                assert!(found.sweeps == sweeps || found.is_as_wanted(), "{objective}: {found:?}");
                assert_eq!(found.changes.len(), deltas.len());
                for (change, delta) in found.changes.iter().zip(&deltas) {
                    assert!((change.change - delta).abs() < 1e-12, "{objective}, sweep {}", change.sweep);
                }
                let value = later(&book.first, &values, worst);
                assert!((found.value.unwrap() - value).abs() < 1e-12, "{:?} {value}", found.value);
                assert_eq!(found.states, book.states.len() as u64);
                let mean = values.iter().sum::<f64>() / values.len() as f64;
                assert!((found.mean_value.unwrap() - mean).abs() < 1e-12);
                // The bound holds, however early it stops.
                let (values, _) = book.iterate(discount, worst, 3000);
                let truth = later(&book.first, &values, worst);
                assert!((found.value.unwrap() - truth).abs() <= found.error_bound + 1e-9 * truth.abs());
            }
        }
    }
}

/// A horizon is as many sweeps as there are pieces.
#[test]
fn a_horizon_is_the_textbooks_too() {
    let game = game("baby", &["board.height=3"]);
    let (values, deltas) = Textbook::new(&game).iterate(1.0, false, 12);
    let found = plain(&game, "horizon:12", Dealing::Random, None);
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    assert!((found.mean_value.unwrap() - mean).abs() < 1e-12);
    let changes: Vec<f64> = found.changes.iter().map(|one| one.change).collect();
    assert_eq!(changes.len(), 12);
    assert!(changes.iter().zip(&deltas).all(|(one, other)| (one - other).abs() < 1e-12));
}

/// A cap is kept to by every method, and what is proven then is true.
#[test]
fn a_cap_leaves_a_bound_that_holds() {
    for (name, objective) in [("baby", "discounted:0.9"), ("mini", "total"), ("baby", "average")] {
        let game = game(name, &[]);
        let truth = solve(&game, &SolveSettings::new(objective.parse().unwrap()), &Silent).unwrap().report;
        let truth = truth.value.unwrap();
        for method in [SolveMethod::Auto, SolveMethod::Value, SolveMethod::Policy, SolveMethod::Modified] {
            for cap in [1, 5, 20, 60] {
                let settings = SolveSettings {
                    method,
                    max_sweeps: Some(cap),
                    ..SolveSettings::new(objective.parse().unwrap())
                };
                let found = solve(&game, &settings, &Silent).unwrap().report;
                assert!(found.sweeps <= cap && (found.is_capped() || found.is_as_wanted()));
                let apart = (found.value.unwrap() - truth).abs();
                assert!(apart <= found.error_bound + 1e-8, "{objective} {method} {cap}: {apart} {found:?}");
            }
        }
    }
}

/// Two pieces need the boards of one piece: nothing else is looked for, and the values are the same.
#[test]
fn a_horizon_looks_no_further_than_its_pieces() {
    let large = game("classic", &["board.width=8", "board.height=8"]);
    for (pieces, boards) in [(1, 1), (2, 1 + placed(&large))] {
        let settings =
            SolveSettings { memory: Some(1 << 28), ..SolveSettings::new(Objective::Horizon(pieces)) };
        let found = solve(&large, &settings, &Silent).unwrap().report;
        assert_eq!(found.boards, boards);
        // Two lying I fill a row of eight.
        let filled = if pieces == 2 { 1.0 / 49.0 } else { 0.0 };
        assert!((found.value.unwrap() - filled).abs() < 1e-15);
        assert_eq!(found.mean_value, None);
    }
    // With all boards and with those that count: the same values at the start, whatever the dealer remembers.
    for (name, overrides, hold, preview) in [
        ("mini", vec![], false, 0),
        ("baby", vec!["dealer.kind=bag"], true, 0),
        ("small", vec!["board.height=3"], false, 1),
        ("baby", vec!["board.height=5", "dealer.weights=[1,2]"], false, 0),
    ] {
        let game = game(name, &overrides);
        let mut fewer = 0;
        for pieces in 1..=7 {
            let some = SolveSettings { hold, preview, ..SolveSettings::new(Objective::Horizon(pieces)) };
            let all = SolveSettings { keep_stages: true, ..some.clone() };
            let [some, all] = [some, all].map(|settings| solve(&game, &settings, &Silent).unwrap());
            let (one, other) = (some.report.value.unwrap(), all.report.value.unwrap());
            assert!((one - other).abs() < 1e-12, "{name} {pieces}: {one}, {other}");
            for ((_, one), (_, other)) in
                some.report.value_by_first_piece.iter().zip(&all.report.value_by_first_piece)
            {
                assert!((one.unwrap() - other.unwrap()).abs() < 1e-12);
            }
            assert!(some.report.boards <= all.report.boards);
            if some.report.boards < all.report.boards {
                fewer += 1;
                assert_eq!(some.report.mean_value, None);
                // Its table knows the start, and says nothing of the rest.
                let board = Board::new(game.width(), game.height());
                let drawn = Board::parse(game.width(), game.height(), "#").ok();
                if !hold && preview == 0 {
                    let values = some.table.placement_values(&board, 0).unwrap();
                    let known = all.table.placement_values(&board, 0).unwrap();
                    assert!(
                        values.iter().zip(known).all(|(one, other)| (one.value - other.value).abs() < 1e-12)
                    );
                    let silent = drawn.and_then(|board| some.table.placement_values(&board, 0));
                    assert_eq!(silent, None);
                }
            }
        }
        assert!(fewer > 0, "{name}");
    }
}

/// Different boards after one piece.
fn placed(game: &PlacementGame) -> u64 {
    let mut boards = BTreeSet::new();
    for piece in 0..game.pieces().len() {
        for (_, after) in placements(game, &Cells::new(), piece) {
            boards.extend(after.map(|(cells, _)| cells.into_iter().collect::<BookBoard>()));
        }
    }
    boards.len() as u64
}

#[test]
fn what_the_plain_method_is_not_for() {
    let mini = game("mini", &[]);
    let refused = |settings: SolveSettings| solve(&mini, &settings, &Silent).unwrap_err().to_string();
    let plain = |objective: &str| SolveSettings {
        method: SolveMethod::Plain,
        ..SolveSettings::new(objective.parse().unwrap())
    };
    assert!(refused(plain("average")).contains("discounted:L, horizon:N and total"));
    assert!(refused(plain("survive")).contains("discounted:L, horizon:N and total"));
    let capped = |cap, objective: &str| SolveSettings {
        max_sweeps: Some(cap),
        ..SolveSettings::new(objective.parse().unwrap())
    };
    assert!(refused(capped(0, "total")).contains("at least one sweep"));
    assert!(refused(capped(5, "horizon:9")).contains("N sweeps"));
}
