//! What the moves of recorded games gave away, exactly.

use bellmino_engine::placement::{Action, Allowance, DealtBy, Match, PackedBoard, Record};
use bellmino_engine::{Game, Override, PlacementGame, Purpose, stream};
use bellmino_exact::{InHand, Objective, Silent, SolveSettings, Table, solve};
use bellmino_lab::{LossError, LossReport};

fn game(name: &str, overrides: &[&str]) -> PlacementGame {
    let overrides: Vec<Override> = overrides.iter().map(|text| text.parse().unwrap()).collect();
    Game::built_in(name, &overrides).unwrap().unwrap().placement().unwrap().clone()
}

/// A game of at most so many pieces, by this table or, without one, by the number of the piece.
fn played(game: &PlacementGame, table: Option<&Table>, previews: usize, hold: bool, pieces: u32) -> Record {
    let allowance = Allowance { previews, hold };
    let chance = stream(3, Purpose::Dealer, 0);
    let mut play: Match<PackedBoard> = Match::with(game.clone(), allowance, DealtBy::Chance, chance);
    let mut actions = Vec::new();
    for number in 0..pieces {
        let options = play.placements();
        if options.is_empty() {
            break;
        }
        let placement = match table {
            Some(table) => {
                let (queue, states): (Vec<_>, Vec<_>) =
                    play.queue().iter().map(|dealt| (dealt.piece, dealt.state)).unzip();
                let left = Some(pieces - number);
                let hand = InHand { queue: &queue, states: &states, held: None, left };
                table.choose_placement(*play.board(), &hand).unwrap()
            }
            None => options[number as usize * 7 % options.len()],
        };
        play.play(&placement).unwrap();
        actions.push(Action::Place(placement));
    }
    Record::of(&play, 3, 0, actions).unwrap()
}

#[test]
fn the_exact_player_gives_nothing_away() {
    for (game, objective, previews) in [
        (game("baby", &[]), Objective::Discounted(0.9), 0),
        (game("baby", &[]), Objective::Horizon(20), 0),
        (game("baby", &[]), Objective::Average, 0),
        (game("mini", &[]), Objective::Total, 0),
        (game("mini", &["dealer.kind=bag"]), Objective::Discounted(0.9), 1),
    ] {
        let settings =
            SolveSettings { preview: previews, keep_stages: true, ..SolveSettings::new(objective) };
        let solution = solve(&game, &settings, &Silent).unwrap();
        let record = played(&game, Some(&solution.table), previews, false, 20);
        let losses = LossReport::new(&record, Some(objective), None, &Silent).unwrap();
        assert_eq!(losses.moves.len(), record.moves.len());
        let allowed = 2.0 * losses.error_bound + 1e-8;
        assert!(
            losses.moves.iter().all(|one| (0.0..=allowed).contains(&one.loss)),
            "{objective}: {losses:?}"
        );
    }
}

#[test]
fn others_give_something_away_and_the_best_is_named() {
    let game = game("baby", &[]);
    let record = played(&game, None, 0, false, 12);
    let losses = LossReport::new(&record, Some(Objective::Discounted(0.9)), None, &Silent).unwrap();
    assert_eq!(losses.moves.len(), record.moves.len());
    assert!(losses.moves.iter().all(|one| one.loss >= 0.0) && losses.total() > 0.1);
    let first = losses.moves[0];
    assert!((first.best_value - first.value - first.loss).abs() < 1e-12);
    // Only the first pieces count under a horizon.
    let losses = LossReport::new(&record, Some(Objective::Horizon(2)), None, &Silent).unwrap();
    assert_eq!(losses.moves.len(), 2);
}

#[test]
fn the_natural_objective_is_finite() {
    // `mini` ends, `baby` can be played for ever.
    let objective = |game: &PlacementGame| {
        LossReport::new(&played(game, None, 0, false, 3), None, None, &Silent).unwrap().objective
    };
    assert_eq!(objective(&game("mini", &[])), Objective::Total);
    assert_eq!(objective(&game("baby", &[])), Objective::Average);
    let baby = game("baby", &[]);
    let infinite = LossReport::new(&played(&baby, None, 0, false, 3), Some(Objective::Total), None, &Silent);
    assert!(matches!(infinite, Err(LossError::Infinite)));
    let held = LossReport::new(&played(&baby, None, 0, true, 3), None, None, &Silent);
    assert!(matches!(held, Err(LossError::Hold)));
}
