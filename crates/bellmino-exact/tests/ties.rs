//! The range of a second question over all optimal policies, against every optimal policy by itself.

use std::collections::HashMap;

use bellmino_engine::placement::{Grid, PackedBoard, Placement};
use bellmino_engine::{Game, Override, PlacementGame};
use bellmino_exact::{
    Dealing, InHand, Objective, Policy, SecondObjective, SecondQuestion, Sides, Silent, SolveSettings, Table,
    evaluate_reached, range_over_ties, solve, solve_between,
};

fn game(name: &str, overrides: &[&str]) -> PlacementGame {
    let overrides: Vec<Override> = overrides.iter().map(|text| text.parse().unwrap()).collect();
    Game::built_in(name, &overrides).unwrap().unwrap().placement().unwrap().clone()
}

/// A policy written out.
struct Written(HashMap<(PackedBoard, u8), Placement>);

impl Policy for Written {
    fn place(&self, board: PackedBoard, hand: &InHand<'_>) -> Option<Placement> {
        self.0.get(&(board, hand.queue[0])).copied()
    }
}

/// In each state that optimal players come to, every placement that is as good as the best.
fn optimal(table: &Table) -> Vec<((PackedBoard, u8), Vec<Placement>)> {
    let game = table.game();
    let (mut boards, mut done, mut all) = (vec![PackedBoard::empty(game)], 0, Vec::new());
    while let Some(&board) = boards.get(done) {
        done += 1;
        for piece in 0..game.pieces().len() as u8 {
            let values = table.values_of_pieces(board, &[piece]).unwrap();
            let alive: Vec<_> = values.iter().filter(|value| !value.fatal).collect();
            let best = alive.iter().map(|value| value.value).fold(f64::NEG_INFINITY, f64::max);
            let tied = alive.iter().filter(|value| value.value >= best - 1e-8).map(|value| value.placement);
            let tied: Vec<Placement> = tied.collect();
            for placement in &tied {
                let after = board.place_unchecked(game, *placement).board;
                if !boards.contains(&after) {
                    boards.push(after);
                }
            }
            all.extend((!tied.is_empty()).then_some(((board, piece), tied)));
        }
    }
    all
}

/// Every optimal policy, one after the other, if they are few.
fn every_policy(states: &[((PackedBoard, u8), Vec<Placement>)]) -> Option<Vec<Written>> {
    let count = states
        .iter()
        .try_fold(1usize, |count, (_, tied)| count.checked_mul(tied.len()).filter(|count| *count <= 4096))?;
    let one = |mut number: usize| {
        let choose = |(state, tied): &((PackedBoard, u8), Vec<Placement>)| {
            let chosen = tied[number % tied.len()];
            number /= tied.len();
            (*state, chosen)
        };
        Written(states.iter().map(choose).collect())
    };
    Some((0..count).map(one).collect())
}

#[test]
fn the_range_is_that_of_all_optimal_policies() {
    let (mut several, mut spread) = (0, 0);
    for (width, height, set) in [
        (2, 2, "[\"O1\",\"I2\"]"),
        (2, 2, "[\"I2\",\"L3\"]"),
        (2, 3, "[\"I2\",\"L3\"]"),
        (3, 2, "[\"I2\",\"L3\"]"),
        (2, 4, "[\"L3\",\"I2\"]"),
        (3, 2, "[\"L3\",\"O1\"]"),
        (2, 3, "[\"O1\",\"I2\"]"),
        (2, 3, "[\"O1\",\"L3\"]"),
        (3, 2, "[\"O1\",\"I2\"]"),
        (3, 3, "[\"I2\",\"L3\"]"),
        (3, 3, "[\"L3\",\"I3\"]"),
    ] {
        let size = [format!("board.width={width}"), format!("board.height={height}")];
        let set = format!("pieces.set={set}");
        let game = game("baby", &[&size[0], &size[1], &set, "dealer.weights=[1,2]"]);
        for first in [Dealing::Random, Dealing::Worst] {
            let asked = SolveSettings { dealing: first, ..SolveSettings::new(Objective::Discounted(0.7)) };
            let solved =
                solve(&game, &SolveSettings { epsilon: Some(1e-12), ..asked.clone() }, &Silent).unwrap();
            let Some(policies) = every_policy(&optimal(&solved.table)) else { continue };
            for second in [
                "discounted:0.7,random",
                "discounted:0.4,worst",
                "horizon:5,random",
                "discounted:0.9,mixed:0.5",
            ] {
                let second: SecondQuestion = second.parse().unwrap();
                let range = range_over_ties(&game, &asked, &second, &Silent).unwrap();
                let SecondObjective::Value(objective) = second.objective else { unreachable!() };
                let dealing = second.dealing.unwrap();
                let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
                for policy in &policies {
                    let settings = SolveSettings { dealing, ..SolveSettings::new(objective) };
                    let sides = Sides { player: Some(policy), dealer: None };
                    let found = evaluate_reached(&game, &settings, sides, &Silent).unwrap();
                    let value = found.value.unwrap();
                    (low, high) = (low.min(value), high.max(value));
                }
                let allowed = range.error_bound + 1e-8;
                // A horizon may be played by other optimal placements as it goes on, a policy by itself may not.
                if matches!(objective, Objective::Horizon(_)) {
                    assert!(
                        range.low <= low + allowed && range.high >= high - allowed,
                        "{range:?} {low} {high}"
                    );
                } else {
                    assert!((range.low - low).abs() < allowed, "{second}: {range:?} {low} {high}");
                    assert!((range.high - high).abs() < allowed, "{second}: {range:?} {low} {high}");
                }
                several += u32::from(policies.len() > 1);
                spread += u32::from(high - low > 1e-3);
            }
        }
    }
    assert!(several >= 8 && spread >= 4, "{several} {spread}");
}

/// The table's own player, ties to the first, lies in the range, whatever is asked.
#[test]
fn the_player_of_the_table_is_one_of_them() {
    let cases = [
        ("baby", vec![], "discounted:0.9", Dealing::Worst, "discounted:0.9,random"),
        ("mini", vec![], "total", Dealing::Random, "total,random"),
        ("mini", vec![], "total", Dealing::Random, "discounted:0.8"),
        ("mini", vec![], "total", Dealing::Random, "horizon:9,worst"),
        ("mini", vec![], "total", Dealing::Worst, "total,random"),
        ("mini", vec!["dealer.kind=bag"], "discounted:0.5", Dealing::Random, "total,worst"),
        ("small", vec!["board.height=3"], "horizon:6", Dealing::Worst, "horizon:6,random"),
    ];
    for (name, overrides, objective, dealing, second) in cases {
        let game = game(name, &overrides);
        let asked = SolveSettings {
            dealing,
            keep_stages: objective.starts_with("horizon"),
            ..SolveSettings::new(objective.parse().unwrap())
        };
        let second: SecondQuestion = second.parse().unwrap();
        let range = range_over_ties(&game, &asked, &second, &Silent).unwrap();
        let table = solve(&game, &asked, &Silent).unwrap().table;
        let SecondObjective::Value(objective) = second.objective else { unreachable!() };
        let settings =
            SolveSettings { dealing: second.dealing.unwrap_or(dealing), ..SolveSettings::new(objective) };
        let sides = Sides { player: Some(&table), dealer: None };
        let value = solve_between(&game, &settings, sides, None, &Silent).unwrap().report.value.unwrap();
        let allowed = range.error_bound + 1e-7;
        assert!(
            range.low - allowed <= value && value <= range.high + allowed,
            "{second}: {value} in {range:?}"
        );
        assert!(range.tied_states <= range.states && range.tied_states > 0);
    }
}

/// Where the same is asked again nothing is open: every optimal policy is worth the same.
#[test]
fn the_same_question_has_one_answer() {
    for (name, objective, dealing) in [
        ("mini", "total", Dealing::Random),
        ("baby", "discounted:0.9", Dealing::Worst),
        ("baby", "discounted:0.9", Dealing::Mixed(0.3)),
        ("mini", "horizon:7", Dealing::Random),
    ] {
        let game = game(name, &[]);
        let asked = SolveSettings { dealing, ..SolveSettings::new(objective.parse().unwrap()) };
        let value = solve(&game, &asked, &Silent).unwrap().report.value.unwrap();
        let range = range_over_ties(&game, &asked, &objective.parse().unwrap(), &Silent).unwrap();
        for end in [range.low, range.high] {
            assert!((end - value).abs() < 1e-7, "{objective}: {value} {range:?}");
        }
    }
}

#[test]
fn what_cannot_be_asked() {
    let baby = game("baby", &[]);
    let refused = |first: &str, second: &str| {
        let asked = SolveSettings::new(first.parse().unwrap());
        range_over_ties(&baby, &asked, &second.parse().unwrap(), &Silent).unwrap_err().to_string()
    };
    assert!(refused("average", "pieces").contains("discounted:L, horizon:N, total or survive"));
    assert!(refused("discounted:0.9", "average").contains("pieces or variance"));
    assert!(refused("discounted:0.9", "variance,worst").contains("random dealer"));
    assert!(refused("discounted:0.9", "pieces").contains("may never lose"));
    assert!(refused("discounted:0.9", "discounted:0.9,worst-before").contains("worst-before"));
    assert!(refused("horizon:4", "horizon:5").contains("the same horizon"));
    assert!(refused("total", "pieces").contains("infinite"));
    for text in ["", "pices", "discounted:2", "pieces,nobody", "pieces,worst,worst"] {
        assert!(text.parse::<SecondQuestion>().is_err(), "{text}");
    }
}
