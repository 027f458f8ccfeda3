//! Solved games played: the mean of many games must be the exact value.

use std::sync::Arc;

use bellmino_engine::{Game, Override, PlacementGame};
use bellmino_exact::{Dealing, Objective, Silent, solve};
use bellmino_lab::{Opponent, Player, Settings, evaluate};

fn game(name: &str, overrides: &[&str]) -> PlacementGame {
    let overrides: Vec<Override> = overrides.iter().map(|text| text.parse().unwrap()).collect();
    Game::built_in(name, &overrides).unwrap().unwrap().placement().unwrap().clone()
}

/// Five standard errors: a false alarm once in 1.7 million, and the seed is fixed.
#[test]
fn simulation_agrees_with_the_exact_value() {
    let exact = |objective| bellmino_exact::Settings::new(objective);
    let cases = [
        (game("baby", &[]), exact(Objective::Discounted(0.9))),
        (game("baby", &["dealer.weights=[1,3]", "board.height=3"]), exact(Objective::Discounted(0.8))),
        (game("mini", &[]), bellmino_exact::Settings { keep_stages: true, ..exact(Objective::Horizon(12)) }),
        (game("mini", &[]), exact(Objective::Total)),
        (game("small", &["board.height=3"]), exact(Objective::Total)),
        (game("mini", &[]), bellmino_exact::Settings { preview: 2, ..exact(Objective::Total) }),
        (
            game("mini", &["dealer.kind=bag"]),
            bellmino_exact::Settings { preview: 1, ..exact(Objective::Discounted(0.9)) },
        ),
        (game("mini", &[]), bellmino_exact::Settings { hold: true, ..exact(Objective::Total) }),
        (
            game("small", &["board.height=3", "dealer.kind=bag"]),
            bellmino_exact::Settings { hold: true, ..exact(Objective::Total) },
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
        let settings = Settings { games: 4000, seed: 11, pieces, discount, ..Settings::default() };
        let report = evaluate(&game, &[player], &settings, &|_| true);
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

#[test]
fn both_sides_of_the_worst_case_meet_at_its_value() {
    let game = game("baby", &[]);
    for dealing in [Dealing::Worst, Dealing::WorstBefore] {
        let exact =
            bellmino_exact::Settings { dealing, ..bellmino_exact::Settings::new(Objective::Discounted(0.9)) };
        let worst = solve(&game, &exact, &Silent).unwrap();
        // The player who sees as much as the dealer who names pieces ahead is the one with a preview.
        let seeing = match dealing {
            Dealing::WorstBefore => {
                bellmino_exact::Settings { dealing: Dealing::Worst, preview: 1, ..exact.clone() }
            }
            _ => exact.clone(),
        };
        let player = Player::of_table("player", solve(&game, &seeing, &Silent).unwrap().table);
        let value = worst.report.value.unwrap();
        let dealer = Opponent::Table(Arc::new(worst.table));
        let settings =
            Settings { games: 1, pieces: Some(400), discount: Some(0.9), dealer, ..Settings::default() };
        let report = evaluate(&game, &[player], &settings, &|_| true);
        let found = report.players[0].discounted.as_ref().unwrap().mean;
        assert!((found - value).abs() < 1e-6, "{dealing}: {found} for {value}");
    }
}
