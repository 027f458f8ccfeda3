//! Solved games played: the mean of many games must be the exact value.

use std::sync::Arc;

use bellmino_engine::{Game, Override, PlacementGame};
use bellmino_exact::{Dealing, Objective, Silent, solve};
use bellmino_lab::{ArenaSettings, BuiltIn, Opponent, Player, SolvePlan, evaluate};

fn game(name: &str, overrides: &[&str]) -> PlacementGame {
    let overrides: Vec<Override> = overrides.iter().map(|text| text.parse().unwrap()).collect();
    Game::built_in(name, &overrides).unwrap().unwrap().placement().unwrap().clone()
}

/// Every built-in game that can be solved, with every objective whose value is a mean over games, and dealers, previews
/// and holds beside them. Five standard errors: a false alarm once in 1.7 million for each of the cases, and the seed is
/// fixed.
#[test]
fn simulation_agrees_with_the_exact_value() {
    let exact = |objective| bellmino_exact::SolveSettings::new(objective);
    let horizon =
        |pieces| bellmino_exact::SolveSettings { keep_stages: true, ..exact(Objective::Horizon(pieces)) };
    let cases = [
        (game("baby", &[]), exact(Objective::Discounted(0.9))),
        (game("mini", &[]), exact(Objective::Discounted(0.9))),
        (game("small", &[]), exact(Objective::Discounted(0.9))),
        (game("baby", &[]), horizon(30)),
        (game("mini", &[]), horizon(12)),
        (game("small", &[]), horizon(10)),
        // `baby` has no total: it is infinite.
        (game("mini", &[]), exact(Objective::Total)),
        (game("small", &[]), exact(Objective::Total)),
        (game("baby", &["dealer.weights=[1,3]", "board.height=3"]), exact(Objective::Discounted(0.8))),
        (game("mini", &["dealer.kind=sequence", "dealer.order=[\"S\",\"I2\",\"S\",\"L3\"]"]), horizon(30)),
        (game("mini", &[]), bellmino_exact::SolveSettings { preview: 2, ..exact(Objective::Total) }),
        (
            game("mini", &["dealer.kind=bag"]),
            bellmino_exact::SolveSettings { preview: 1, ..exact(Objective::Discounted(0.9)) },
        ),
        (game("mini", &[]), bellmino_exact::SolveSettings { hold: true, ..exact(Objective::Total) }),
        (
            game("small", &["board.height=3", "dealer.kind=bag"]),
            bellmino_exact::SolveSettings { hold: true, ..exact(Objective::Total) },
        ),
    ];
    for (game, exact) in cases {
        let solution = solve(&game, &exact, &Silent).unwrap();
        let value = solution.report.value.unwrap();
        let player = Player::of_table("table", solution.table);
        let discount = (exact.objective.discount() < 1.0).then(|| exact.objective.discount());
        let pieces = match exact.objective {
            Objective::Horizon(pieces) => Some(u64::from(pieces)),
            // What is left after 200 pieces is worth less than 0.9^200 * 100 < 1e-7.
            Objective::Discounted(_) => Some(200),
            _ => None,
        };
        let settings = ArenaSettings { games: 4000, seed: 11, pieces, discount, ..ArenaSettings::default() };
        let report = evaluate(&Game::Placement(game.clone()), &[player], &settings, &|_| true).unwrap();
        let player = &report.players[0];
        let found = player.discounted.as_ref().unwrap_or(&player.score);
        let allowed = 5.0 * found.sd / (settings.games as f64).sqrt() + 1e-6;
        assert!(
            (found.mean - value).abs() <= allowed,
            "{} {exact:?}: {} for {value}",
            game.name(),
            found.mean
        );
    }
}

/// A controller that sees the next piece plays as it is evaluated, and better than one that does not. Five standard errors.
#[test]
fn controllers_that_see_the_next_piece_play_as_they_are_evaluated() {
    let values = ["previews=0", "previews=1"].map(|previews| {
        let game = game("small", &[previews]);
        let asked = bellmino_exact::SolveSettings::new(Objective::Total);
        let plan = SolvePlan::new(&game, asked, "random", Some("weights:lee4"), &BuiltIn).unwrap();
        let report =
            bellmino_exact::solve_between(&game, &plan.settings, plan.sides(), None, &Silent).unwrap().report;
        let player = Player::of_placement("weights:lee4", &game).unwrap();
        let settings = ArenaSettings { games: 4000, seed: 12, ..ArenaSettings::default() };
        let played = evaluate(&Game::Placement(game), &[player], &settings, &|_| true).unwrap();
        let (found, value) = (&played.players[0].score, report.value.unwrap());
        let allowed = 5.0 * found.sd / 4000f64.sqrt();
        assert!((found.mean - value).abs() <= allowed, "{previews}: {} for {value}", found.mean);
        value
    });
    assert!(values[1] > 1.1 * values[0], "{values:?}");
}

#[test]
fn both_sides_of_the_worst_case_meet_at_its_value() {
    let game = game("baby", &[]);
    for dealing in [Dealing::Worst, Dealing::WorstBefore] {
        let exact = bellmino_exact::SolveSettings {
            dealing,
            ..bellmino_exact::SolveSettings::new(Objective::Discounted(0.9))
        };
        let worst = solve(&game, &exact, &Silent).unwrap();
        // The player who sees as much as the dealer who names pieces ahead is the one with a preview.
        let seeing = match dealing {
            Dealing::WorstBefore => {
                bellmino_exact::SolveSettings { dealing: Dealing::Worst, preview: 1, ..exact.clone() }
            }
            _ => exact.clone(),
        };
        let player = Player::of_table("player", solve(&game, &seeing, &Silent).unwrap().table);
        let value = worst.report.value.unwrap();
        let dealer = Opponent::Table(Arc::new(worst.table));
        let settings = ArenaSettings {
            games: 1,
            pieces: Some(400),
            discount: Some(0.9),
            dealer,
            ..ArenaSettings::default()
        };
        let report = evaluate(&Game::Placement(game.clone()), &[player], &settings, &|_| true).unwrap();
        let found = report.players[0].discounted.as_ref().unwrap().mean;
        assert!((found - value).abs() < 1e-6, "{dealing}: {found} for {value}");
    }
}

/// `average` and `survive` are about games without end; a long game shows them.
#[test]
fn endless_games_are_played_as_well_as_they_are_solved() {
    let game = game("baby", &[]);
    let play = |player: Player, games: u64, pieces: u64| {
        let settings = ArenaSettings { games, seed: 5, pieces: Some(pieces), ..ArenaSettings::default() };
        evaluate(&Game::Placement(game.clone()), &[player], &settings, &|_| true).unwrap()
    };
    let average = solve(&game, &bellmino_exact::SolveSettings::new(Objective::Average), &Silent).unwrap();
    let (gain, bound) = (average.report.value.unwrap(), average.report.error_bound);
    let sides = bellmino_exact::Sides { player: Some(&average.table), dealer: None };
    let exactly = |objective| {
        let settings = bellmino_exact::SolveSettings::new(objective);
        bellmino_exact::solve_between(&game, &settings, sides, None, &Silent).unwrap().report
    };
    // The table's own gain is the best there is, and so many pieces bring the mean near to it.
    let own = exactly(Objective::Average);
    assert!((own.value.unwrap() - gain).abs() <= own.error_bound + bound + 1e-8);
    let expected = exactly(Objective::Horizon(500)).value.unwrap();
    assert!((expected / 500.0 - gain).abs() < 0.02, "{expected}");
    let report = play(Player::of_table("average", average.table), 2000, 500);
    let found = &report.players[0].score;
    // Five standard errors again.
    assert!(
        (found.mean - expected).abs() <= 5.0 * found.sd / 2000f64.sqrt(),
        "{} for {expected}",
        found.mean
    );

    let survive = solve(&game, &bellmino_exact::SolveSettings::new(Objective::Survive), &Silent).unwrap();
    assert_eq!(survive.report.value, Some(1.0));
    let report = play(Player::of_table("survive", survive.table), 500, 1000);
    assert_eq!(report.players[0].unfinished, 500, "a game was lost that cannot be");
}
