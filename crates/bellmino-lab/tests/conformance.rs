//! What every game, dealer and player must keep: a new one is tested by being listed here.

use bellmino_engine::{BUILT_IN, Game, Override, PlacementGame};
use bellmino_lab::{Player, Playthrough, Settings, evaluate};

const PLAYERS: [&str; 6] =
    ["random", "lowest", "fewest-holes", "weights:lee4", "weights:dellacherie", "weights:bcts"];

/// Each dealer as overrides, for a game whose first piece is named.
fn dealers(first: &str) -> Vec<Vec<String>> {
    vec![
        vec![],
        vec!["dealer.kind=weighted".into()],
        vec!["dealer.kind=markov".into()],
        vec!["dealer.kind=bag".into()],
        vec!["dealer.kind=sequence".into(), format!("dealer.order=[\"{first}\"]")],
    ]
}

fn games() -> Vec<PlacementGame> {
    let mut games = Vec::new();
    for (name, _) in BUILT_IN {
        let Some(base) = Game::built_in(name, &[]).unwrap().unwrap().placement().cloned() else { continue };
        for dealer in dealers(base.pieces()[0].name()) {
            for path in ["drop", "slide", "anywhere"] {
                for overflow in ["forbidden", "clear-first"] {
                    let mut overrides = dealer.clone();
                    overrides.push(format!("landing.path={path}"));
                    overrides.push(format!("landing.overflow={overflow}"));
                    let overrides: Vec<Override> =
                        overrides.iter().map(|text| text.parse().unwrap()).collect();
                    let game = Game::built_in(name, &overrides).unwrap().unwrap();
                    games.push(game.placement().unwrap().clone());
                }
            }
        }
    }
    games
}

#[test]
fn every_move_is_legal_and_every_total_is_the_sum_of_its_moves() {
    for game in games() {
        for name in PLAYERS {
            let Ok(player) = Player::parse(name, &game) else { continue };
            let mut playthrough = Playthrough::new(&game, &player, 11, 0);
            let (mut score, mut lines, mut pieces) = (0.0, 0, 0);
            let mut moves = 0;
            while moves < 60 {
                let Some(step) = playthrough.next() else { break };
                let context = || format!("{name}\n{}\n{}", game.to_toml(), step.before);
                let outcome =
                    step.before.place(&game, step.placement).unwrap_or_else(|| panic!("{}", context()));
                assert_eq!((outcome.lines(), outcome.fatal), (step.lines, step.fatal), "{}", context());
                assert_eq!(step.placement.piece as usize, step.piece);
                pieces += 1;
                if !step.fatal {
                    assert_eq!(outcome.board, step.after, "{}", context());
                    score += game.score().points(step.lines);
                    lines += u64::from(step.lines);
                }
                assert_eq!((step.total_score, step.total_lines, step.total_pieces), (score, lines, pieces));
                moves += 1;
            }
            if let Some(piece) = playthrough.stuck_on() {
                assert!(piece < game.pieces().len());
            }
        }
    }
}

#[test]
fn a_playthrough_is_the_evaluated_game_of_its_number() {
    for game in games().into_iter().step_by(7) {
        for name in PLAYERS {
            let Ok(player) = Player::parse(name, &game) else { continue };
            let settings = Settings { games: 3, seed: 5, pieces: Some(40), ..Settings::default() };
            let report = evaluate(&game, std::slice::from_ref(&player), &settings, &|_| true);
            let pieces: u64 =
                (0..3).map(|index| Playthrough::new(&game, &player, 5, index).take(40).count() as u64).sum();
            assert!(
                (report.players[0].pieces.mean * 3.0 - pieces as f64).abs() < 1e-9,
                "{name}\n{}",
                game.to_toml()
            );
        }
    }
}

#[test]
fn an_evaluation_that_is_told_to_stop_says_so() {
    let game = games().remove(0);
    let player = Player::parse("random", &game).unwrap();
    let settings = Settings { games: 1000, seed: 0, ..Settings::default() };
    let report = evaluate(&game, &[player], &settings, &|_| false);
    assert_eq!(report.players[0].games, 0);
    assert!(report.players[0].interrupted);
}
