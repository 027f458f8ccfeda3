//! Weights, networks and what a board is worth.

use bellmino_engine::guideline::{Kicks, Match, Piece, Rules, Spin, moves};
use bellmino_search::{Bot, BotSettings, Budget, EvaluationState, Feature, Network, Weights, describe};

use crate::{board, random_board};

#[test]
fn weights_can_be_written_and_read() {
    for rules in [Rules::BLITZ, Rules::SPRINT] {
        let weights = BotSettings::for_rules(&rules).weights;
        assert_eq!(Weights::read(&weights.write()), Ok(weights));
    }
    assert_eq!(Weights::blitz().points, 1.0);
    for wrong in
        ["", "points = 1\nhorizon = 1\n[features]\nnone = 1", "points = nan\nhorizon = 1\n[features]"]
    {
        assert!(Weights::read(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_network_can_be_written_and_read_and_changes_what_boards_are_worth() {
    let numbers: Vec<f32> = (0..Network::NUMBERS).map(|at| (at % 13) as f32 / 7.0 - 1.0).collect();
    let network = Network::from_numbers(&numbers).map(Box::new);
    let weights = Weights { network, ..Weights::blitz() };
    let text = weights.write();
    assert_eq!(Weights::read(&text), Ok(weights.clone()));
    let think = |weights: Weights| {
        let settings = BotSettings { weights, ..BotSettings::for_rules(&Rules::BLITZ) };
        Bot::new(settings).think(&Match::new(Rules::BLITZ, 3).view(), Budget::nodes(500), None)
    };
    assert_ne!(think(weights).best(), think(Weights::blitz()).best());
    for (wrong, why) in [
        ("beginning = [", "there is no row `beginning` in a network"),
        ("start = [1.0, ", "`start` has 33 numbers, not 32"),
    ] {
        assert_eq!(Weights::read(&text.replacen("start = [", wrong, 1)), Err(why.to_owned()));
    }
}

#[test]
fn features_agree_with_their_definitions() {
    let standing = EvaluationState { reserve: Some(Piece::T), back_to_back: true, combo: 2 };
    let mut compared = 0;
    for seed in 0..300 {
        let board = random_board(seed, 4 + seed as usize % 30);
        let mut features = [0.0; Feature::COUNT];
        describe(&board, &standing, &mut features);
        let feature = |feature: Feature| features[feature as usize] as usize;
        let height = |x: usize| board.column(x).height();
        let tallest = (0..10).map(height).max().unwrap();
        assert_eq!(feature(Feature::MaxHeight), tallest);
        assert_eq!(feature(Feature::BackToBack), 1);
        assert_eq!(feature(Feature::Combo), 2);
        if feature(Feature::Slot2) + feature(Feature::Slot3) > 0 {
            // A place for a T-spin of two or three rows is one the generator finds.
            let spins = moves::placements(&board, Piece::T, Kicks::Srs).into_iter().any(|at| {
                let mut after = board;
                after.place_unchecked(&at).lines >= 2 && at.spin == Spin::Full
            });
            assert!(spins, "{board}");
            continue;
        }
        compared += 1;
        let filled = |x: usize, y: usize| board.contains(x, y);
        let hole = |x: usize, y: usize| !filled(x, y) && y < height(x);
        let cells = |test: &dyn Fn(usize, usize) -> bool| {
            (0..10).flat_map(|x| (0..40).map(move |y| (x, y))).filter(|&(x, y)| test(x, y)).count()
        };
        assert_eq!(feature(Feature::Cells), cells(&filled));
        assert_eq!(feature(Feature::Holes), cells(&hole));
        assert_eq!(feature(Feature::HoleRows), (0..40).filter(|&y| (0..10).any(|x| hole(x, y))).count());
        let covered =
            |x: usize| (0..height(x)).rev().find(|&y| hole(x, y)).map_or(0, |y| (height(x) - 1 - y).min(6));
        assert_eq!(feature(Feature::Covered), (0..10).map(covered).sum::<usize>());
        let at = |x: i32, y: usize| !(0..10).contains(&x) || filled(x as usize, y);
        let transitions =
            (0..tallest).map(|y| (-1..10).filter(|&x| at(x, y) != at(x + 1, y)).count()).sum::<usize>();
        assert_eq!(feature(Feature::RowTransitions), transitions, "{board}");
        let well = (0..10).min_by_key(|&x| height(x)).unwrap();
        let lacks_well = |y: usize| (0..10).all(|x| x == well || filled(x, y));
        let depth = (height(well)..40).take_while(|&y| lacks_well(y)).count();
        assert_eq!(feature(Feature::WellDepth), depth.min(4));
        assert_eq!(feature(Feature::WellBeyond), depth.saturating_sub(4).min(4));
        let rest: Vec<usize> = (0..10).filter(|&x| x != well).map(height).collect();
        let steps: Vec<usize> = rest.windows(2).map(|pair| pair[0].abs_diff(pair[1])).collect();
        assert_eq!(feature(Feature::Bumpiness), steps.iter().sum::<usize>());
        let squares: usize = steps.iter().map(|step| (step * step).min(36)).sum();
        assert_eq!(feature(Feature::BumpinessSquared), squares);
        let clean = cells(&hole) == 0 && tallest <= 4;
        assert_eq!(feature(Feature::LowClean), usize::from(clean));
    }
    assert!(compared > 100);
}

#[test]
fn slots_for_a_t_are_seen() {
    let feature = |text: &str, feature: Feature| {
        let mut features = [0.0; Feature::COUNT];
        let standing = EvaluationState { reserve: None, back_to_back: false, combo: 0 };
        describe(&board(text), &standing, &mut features);
        features[feature as usize]
    };
    let double = "........##\n######...#\n#######.##";
    assert_eq!(feature(double, Feature::Slot2), 1.0);
    assert_eq!(feature(double, Feature::Holes), 0.0, "the slot is no hole");
    let single = "........##\n#.####...#\n#######.##";
    assert_eq!((feature(single, Feature::Slot2), feature(single, Feature::Slot1)), (0.0, 1.0));
    let triple = "#.........\n..........\n.#########\n..########\n.#########";
    assert_eq!(feature(triple, Feature::Slot3), 1.0);
}
