//! Wells as bits against the boards of the engine, and searches against games that the engine plays.

use bellmino_engine::placement::{AnyColumns, Grid, Match};
use bellmino_engine::{Game, Override, PlacementGame, Purpose, below, stream};
use bellmino_search::well::{
    Hunt, Lessons, WellBits, WellDealer, WellError, WellJudge, WellMoves, WellScratch,
};

const DEALERS: [&str; 5] = ["hatetris", "mild", "burgiel", "brzustowski", "lovetris"];

fn game(dealer: &str, width: usize, height: usize) -> PlacementGame {
    let overrides =
        [format!("dealer.kind={dealer}"), format!("board.width={width}"), format!("board.height={height}")];
    let overrides: Vec<Override> = overrides.iter().map(|text| text.parse().unwrap()).collect();
    Game::built_in("hatetris", &overrides).unwrap().unwrap().placement().unwrap().clone()
}

/// Plays a random game of the engine, and at every piece looks at all that can follow by any piece in both ways.
fn check_random_game(index: u64) -> u32 {
    let mut chance = stream(23, Purpose::Player, index);
    let dealer = DEALERS[(index % 5) as usize];
    let is_original = (index / 5).is_multiple_of(4);
    let (width, height) =
        if is_original { (10, 16) } else { (4 + below(&mut chance, 7), 5 + below(&mut chance, 12)) };
    let game = game(dealer, width, height);
    let moves = WellMoves::new(&game).unwrap();
    let mut scratch = WellScratch::default();
    let mut played: Match<AnyColumns> = Match::new(game.clone(), 1, 0);
    let mut locks = 0;
    while played.outcome().is_none() && locks < 60 {
        let well = WellBits::from_board(&played.board().to_board(&game)).unwrap();
        let (mut all, mut each, mut engine) = (Vec::new(), Vec::new(), Vec::new());
        moves.followers(&well, &mut scratch, |follower| all.push(follower));
        for piece in 0..game.pieces().len() {
            moves.followers_of(&well, piece, &mut scratch, |follower| each.push(follower));
            played.board().outcomes(&game, piece, |placement, landed| {
                engine.push((
                    placement,
                    WellBits::from_board(&landed.board.to_board(&game)).unwrap(),
                    landed.lines(),
                ));
            });
        }
        assert_eq!(all, each, "{width}x{height}\n{well}");
        for follower in &all {
            assert_eq!(moves.after(&well, follower.placement), Some((follower.well, follower.rows)));
        }
        let mut found: Vec<_> = all.iter().map(|one| (one.placement, one.well, one.rows)).collect();
        found.sort_unstable();
        engine.sort_unstable();
        assert_eq!(found, engine, "{width}x{height}\n{well}");
        if dealer == "mild" {
            assert_eq!(Some(WellDealer::worst(&moves, &well, &mut scratch, |_| 0)), played.current());
        }
        let placements = played.placements();
        let pick = |chance: &mut _| placements[below(chance, placements.len())];
        let goal = [pick(&mut chance), pick(&mut chance)].into_iter().min_by_key(|at| at.row).unwrap();
        played.play(&goal).unwrap();
        locks += 1;
    }
    locks
}

#[test]
fn wells_are_the_boards_of_the_engine() {
    let locks: u32 = (0..1_000).map(check_random_game).sum();
    assert!(locks > 10_000, "{locks}");
}

#[test]
#[ignore = "long: ten thousand games"]
fn wells_are_the_boards_of_the_engine_in_ten_thousand_games() {
    let locks: u32 = (0..10_000).map(check_random_game).sum();
    assert!(locks > 100_000, "{locks}");
}

/// Goes on for so many pieces at most; the best game must be one of the engine, whose dealer deals the same.
fn check_hunt(dealer: &str, size: [usize; 2], width: usize, pieces: u32) -> u32 {
    let game = game(dealer, size[0], size[1]);
    let judge = WellJudge::linear(&game, &WellDealer::new(&game).unwrap());
    let mut hunts = [1, 3].map(|threads| (Hunt::new(&game, width).unwrap(), threads));
    for (hunt, threads) in &mut hunts {
        while hunt.pieces() < pieces && hunt.advance(&judge, *threads) {}
    }
    let [(one, _), (three, _)] = &hunts;
    assert_eq!((one.layer(), one.best()), (three.layer(), three.best()), "{dealer} {size:?}: threads");
    let best = one.best();
    let mut played: Match<AnyColumns> = Match::new(game, 1, 0);
    for placement in &best.placements {
        played.play(placement).unwrap();
    }
    assert_eq!(played.stats().lines, u64::from(best.rows), "{dealer} {size:?}");
    best.rows
}

#[test]
fn the_best_game_of_a_hunt_is_one_of_the_engine() {
    for dealer in DEALERS {
        for size in [[4, 8], [5, 12], [6, 9], [10, 16]] {
            check_hunt(dealer, size, 40, 150);
        }
    }
    // Pieces enough that a dealer has seen many wells, and that what led nowhere is forgotten.
    let rows = check_hunt("brzustowski", [6, 16], 100, 1_500);
    assert!(rows > 30, "{rows}");
    let rows = check_hunt("hatetris", [10, 16], 30, 400);
    assert!(rows > 3, "{rows}");
    assert_eq!(check_hunt("lovetris", [4, 6], 20, 400), 400);
}

#[test]
fn values_are_learned_from_the_wells_of_a_hunt() {
    let game = game("burgiel", 10, 16);
    let dealer = WellDealer::new(&game).unwrap();
    let mut judge = WellJudge::blank(&game, &dealer);
    let round = |judge: &mut WellJudge| {
        let mut hunt = Hunt::new(&game, 8).unwrap();
        let mut lessons = Lessons::new(8, 1.0);
        lessons.attend(&hunt, judge);
        while hunt.advance(judge, 1) {
            lessons.attend(&hunt, judge);
        }
        lessons.attend(&hunt, judge);
        hunt.best_rows()
    };
    let first = round(&mut judge);
    let later = (0..40).map(|_| round(&mut judge)).max().unwrap();
    assert!(later > 3 * first.max(10), "{first} {later}");
    let again = WellJudge::from_bytes(&game, &dealer, &judge.to_bytes()).unwrap();
    for phase in 0..2 {
        let well = WellBits::from_words([0x0012_0345_01f7_03fe, 3, 0, 0]);
        assert_eq!(again.units(&well, phase), judge.units(&well, phase));
        // S and Z alternate: the other piece is the same in a mirror.
        assert_eq!(judge.units(&well, phase), judge.units(&well.mirrored(10), 1 - phase));
    }
    assert!(WellJudge::from_bytes(&game, &dealer, &judge.to_bytes()[..100]).is_err());
}

#[test]
fn what_does_not_fit_is_refused() {
    let other = Game::built_in("small", &[]).unwrap().unwrap().placement().unwrap().clone();
    assert!(matches!(WellMoves::new(&other), Err(WellError::NoKeys(_))));
    assert!(matches!(WellMoves::new(&game("mild", 11, 10)), Err(WellError::TooLarge(11, 10))));
    assert!(matches!(WellMoves::new(&game("mild", 10, 17)), Err(WellError::TooLarge(10, 17))));
}
