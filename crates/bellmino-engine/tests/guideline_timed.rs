//! Timed play: clockwork to the millisecond, and the promise that every placement of the generator
//! can be played with keys.

mod common;

use bellmino_engine::Outcome;
use bellmino_engine::guideline::{
    Bag, Board, Goal, Handling, Input, Key, Keys, Kicks, Match, Piece, Placement, Position, Record, Rules,
    Spin, Timed, Timing, moves,
};
use common::boards;
use proptest::prelude::*;

/// A timed game on this board with a seed whose first piece is `piece`.
fn timed_on(board: Board, piece: Piece, rules: Rules, handling: Handling) -> Timed {
    let seed = (0..1000).find(|&seed| Bag::new(seed).next() == Some(piece)).unwrap();
    let position = Position { board, ..Position::default() };
    Timed::new(Match::from_position(rules, position, Bag::new(seed)), handling)
}

fn timed(piece: Piece, handling: Handling) -> Timed {
    timed_on(Board::EMPTY, piece, Rules::PRACTICE, handling)
}

fn at(timed: &Timed) -> (i8, i8) {
    timed.active().map_or((-1, -1), |at| (at.x, at.y))
}

const QUICK: Handling = Handling { das_cut: 0, ..Handling::ADVANCED };

#[test]
fn gravity_pulls_once_a_second() {
    let mut timed = timed(Piece::T, Handling::default());
    for (time, y) in [(0, 19), (999, 19), (1000, 18), (1999, 18), (2000, 17), (19_000, 0)] {
        timed.advance_to(time);
        assert_eq!(at(&timed), (4, y), "at {time}");
    }
    timed.advance_to(19_249);
    assert_eq!(timed.game().stats().pieces, 0);
    timed.advance_to(19_250);
    assert_eq!(timed.game().stats().pieces, 1, "locked 250 ms after landing");
}

#[test]
fn side_keys_repeat_after_das_and_then_every_arr() {
    let mut timed = timed(Piece::T, Handling::default());
    timed.press(Key::Right, 10);
    for (time, x) in [(10, 5), (159, 5), (160, 6), (234, 6), (235, 7), (310, 8), (900, 8)] {
        timed.advance_to(time);
        assert_eq!(at(&timed).0, x, "at {time}");
    }
}

#[test]
fn arr_zero_goes_to_the_wall_at_once() {
    let mut timed = timed(Piece::T, Handling::ADVANCED);
    timed.press(Key::Left, 0);
    timed.advance_to(149);
    assert_eq!(at(&timed).0, 3);
    timed.advance_to(150);
    assert_eq!(at(&timed).0, 1);
    // Charged: the turn frees a column and the piece takes it in the same millisecond.
    timed.press(Key::Clockwise, 160);
    assert_eq!(at(&timed).0, 0);
}

#[test]
fn the_last_side_key_wins_and_the_other_charges_anew() {
    let mut timed = timed(Piece::T, Handling::default());
    timed.press(Key::Left, 0);
    timed.press(Key::Right, 50);
    assert_eq!(at(&timed).0, 4);
    timed.release(Key::Right, 60);
    timed.advance_to(209);
    assert_eq!(at(&timed).0, 4);
    timed.advance_to(210);
    assert_eq!(at(&timed).0, 3);
}

#[test]
fn soft_drop_repeats_and_counts_points() {
    let mut timed = timed(Piece::T, Handling::default());
    timed.press(Key::SoftDrop, 100);
    for (time, y) in [(100, 18), (174, 18), (175, 17), (209, 17), (210, 16), (245, 15)] {
        timed.advance_to(time);
        assert_eq!(at(&timed).1, y, "at {time}");
    }
    timed.release(Key::SoftDrop, 246);
    timed.press(Key::HardDrop, 250);
    assert_eq!(timed.game().stats().drop_points, 4 + 2 * 15);
    assert_eq!(timed.game().stats().score, 0);
}

#[test]
fn instant_soft_drop_lands_but_does_not_lock() {
    let mut timed = timed(Piece::T, Handling { soft_drop: 0, ..Handling::default() });
    timed.press(Key::SoftDrop, 5);
    assert_eq!(at(&timed), (4, 0));
    timed.advance_to(254);
    assert_eq!(timed.game().stats().pieces, 0);
    timed.advance_to(255);
    assert_eq!(timed.game().stats().pieces, 1);
    assert_eq!(timed.game().stats().drop_points, 19);
}

#[test]
fn moves_reset_the_lock_delay_until_the_limit() {
    let mut timed = timed(Piece::T, Handling { soft_drop: 0, ..Handling::default() });
    timed.press(Key::SoftDrop, 0);
    timed.release(Key::SoftDrop, 1);
    let mut time = 0;
    let mut side = false;
    while timed.game().stats().pieces == 0 {
        time += 200;
        side = !side;
        let key = if side { Key::Left } else { Key::Right };
        timed.press(key, time);
        timed.release(key, time + 1);
        assert!(time <= 2200, "never locks");
    }
    assert_eq!(time, 2000, "on the ground for two seconds altogether");
}

#[test]
fn a_key_held_over_waits_for_the_das_cut() {
    for (das_cut, first) in [(0, 0), (100, 100)] {
        let mut timed = timed(Piece::T, Handling { das_cut, ..Handling::ADVANCED });
        timed.press(Key::Left, 0);
        timed.press(Key::HardDrop, 1000);
        let start = at(&timed).0;
        if first > 0 {
            timed.advance_to(1000 + first - 1);
            assert_eq!(at(&timed).0, 4, "das cut {das_cut}");
        }
        timed.advance_to(1000 + first);
        assert!(at(&timed).0 < 3 || start < 3, "das cut {das_cut}");
    }
}

#[test]
fn initial_hold_and_rotation() {
    let handling = Handling { initial: true, ..Handling::default() };
    let mut timed = timed(Piece::T, handling);
    let next = timed.frame().queue;
    timed.press(Key::Clockwise, 0);
    timed.press(Key::HardDrop, 10);
    let active = timed.active().unwrap();
    assert_eq!(active.piece, next[0]);
    assert_eq!(active.orientation.name(), "east");
    timed.press(Key::Hold, 20);
    assert_eq!(timed.frame().hold, Some(next[0]));
    timed.release(Key::HardDrop, 30);
    timed.press(Key::HardDrop, 40);
    assert_eq!(timed.frame().hold, Some(next[2]), "the piece after went into hold on entry");
    assert_eq!(timed.active().unwrap().piece, next[0]);
}

/// With initial turns and holds too, a record plays again exactly, piece by piece and millisecond by millisecond.
#[test]
fn initial_turns_and_holds_replay_exactly() {
    let handling = Handling { initial: true, ..Handling::ADVANCED };
    let mut timed = Timed::new(Match::new(Rules::SPRINT, 11), handling);
    let keys = [Key::Clockwise, Key::Left, Key::Hold, Key::Counter, Key::Right];
    for step in 0..60u64 {
        let (key, at) = (keys[(step % 5) as usize], 100 * step);
        timed.press(key, at);
        timed.press(Key::HardDrop, at + 20);
        timed.release(Key::HardDrop, at + 30);
        timed.release(key, at + 40 + 25 * (step % 4));
    }
    timed.advance_to(7000);
    assert!(timed.placements().len() > 5 && timed.game().stats().holds > 1, "{:?}", timed.game().stats());
    let record = Record::of_timed("sprint", Rules::SPRINT, 11, 0, &timed).unwrap();
    let again = Record::from_text(&record.to_text()).unwrap();
    let mut placements = vec![];
    again.replay(|placement, _| placements.push(*placement)).unwrap();
    assert_eq!(placements, timed.placements());
    let locks: Vec<_> = again.locks().unwrap().0.into_iter().map(|(_, lock)| lock).collect();
    assert_eq!(locks, timed.locks());
}

/// Without gravity a piece floats, and one on the ground does not lock, until it is dropped.
#[test]
fn nothing_moves_by_itself_when_all_is_still() {
    let rules = Rules { timing: Timing::STILL, ..Rules::PRACTICE };
    assert_eq!(rules.check(), Ok(()));
    let wrong = Timing { entry_delay: Timing::NEVER, ..Timing::STILL };
    assert!(Rules { timing: wrong, ..rules }.check().is_err());
    let mut timed = timed_on(Board::EMPTY, Piece::T, rules, Handling { soft_drop: 0, ..Handling::default() });
    timed.advance_to(3_600_000);
    assert_eq!(at(&timed), (4, 19));
    timed.press(Key::SoftDrop, 3_600_001);
    timed.advance_to(7_200_000);
    assert_eq!((at(&timed), timed.game().stats().pieces), ((4, 0), 0));
    timed.press(Key::HardDrop, 7_200_001);
    assert_eq!(timed.game().stats().pieces, 1);
}

/// A game kept as placements goes on as it was.
#[test]
fn placements_put_in_no_time_make_the_same_game() {
    let mut keyed = Timed::new(Match::new(Rules::PRACTICE, 8), Handling::default());
    for step in 0..12u64 {
        let key = [Key::Left, Key::Hold, Key::Right, Key::Clockwise][(step % 4) as usize];
        keyed.press(key, 100 * step);
        keyed.release(key, 100 * step + 10);
        keyed.press(Key::HardDrop, 100 * step + 20);
        keyed.release(Key::HardDrop, 100 * step + 30);
    }
    let mut put = Timed::new(Match::new(Rules::PRACTICE, 8), Handling::default());
    for placement in keyed.placements() {
        put.place(placement).unwrap();
    }
    assert_eq!(
        (put.colours(), put.placements(), put.active()),
        (keyed.colours(), keyed.placements(), keyed.active())
    );
    assert_eq!((put.game().position(), put.game().queue()), (keyed.game().position(), keyed.game().queue()));
    let wrong = keyed.placements()[0];
    assert!(put.place(&wrong).is_err() && put.placements() == keyed.placements());
}

#[test]
fn hold_once_per_piece() {
    let mut timed = timed(Piece::T, Handling::default());
    let next = timed.frame().queue[0];
    for time in [0, 10] {
        timed.press(Key::Hold, time);
        timed.release(Key::Hold, time + 1);
        assert_eq!((timed.frame().hold, timed.active().unwrap().piece), (Some(Piece::T), next));
        assert!(timed.frame().hold_spent);
    }
    timed.press(Key::HardDrop, 20);
    assert!(!timed.frame().hold_spent);
}

#[test]
fn keys_that_are_let_go_no_longer_repeat() {
    let mut timed = timed(Piece::T, Handling::default());
    timed.press(Key::Left, 100);
    timed.release_all(500);
    let x = at(&timed).0;
    timed.advance_to(999);
    assert_eq!((at(&timed), timed.time()), ((x, 19), 999));
    timed.advance_to(1000);
    assert_eq!(at(&timed), (x, 18), "gravity goes on");
}

#[test]
fn time_up_reaches_the_goal_and_topping_out_does_not() {
    let mut timed = timed_on(Board::EMPTY, Piece::T, Rules::BLITZ, Handling::default());
    assert_eq!(timed.game().rules().goal.pieces, None, "minutes replace pieces");
    let mut time = 0;
    for _ in 0..3 {
        timed.press(Key::HardDrop, time);
        timed.release(Key::HardDrop, time + 1);
        time += 50;
    }
    let mut left = timed.clone();
    left.advance_to(u64::MAX);
    assert!(left.outcome() == Some(Outcome::ToppedOut) && left.time() < 180_000, "pieces left alone pile up");
    let goal = Goal { seconds: Some(20), ..Goal::default() };
    let mut short = timed_on(Board::EMPTY, Piece::T, Rules { goal, ..Rules::BLITZ }, Handling::default());
    short.advance_to(19_999);
    assert_eq!(short.outcome(), None);
    short.advance_to(90_000);
    assert_eq!((short.outcome(), short.time()), (Some(Outcome::Goal), 20_000));
    while timed.outcome().is_none() {
        time += 50;
        timed.press(Key::HardDrop, time);
        timed.release(Key::HardDrop, time + 1);
    }
    assert_eq!(timed.outcome(), Some(Outcome::ToppedOut));
    assert!(timed.active().is_none());
}

#[test]
fn instant_everything_ends() {
    let timing = Timing { gravity: 0, lock_delay: 0, lock_limit: 0, entry_delay: 0 };
    let rules = Rules { timing, goal: Goal::default(), ..Rules::PRACTICE };
    let mut timed = timed_on(Board::EMPTY, Piece::T, rules, QUICK);
    timed.press(Key::Left, 0);
    timed.press(Key::SoftDrop, 0);
    timed.advance_to(10);
    assert_eq!(timed.outcome(), Some(Outcome::ToppedOut));
}

#[test]
fn colours_follow_the_board() {
    let board: Board = "##...#####".parse().unwrap();
    let mut timed = timed_on(board, Piece::T, Rules::PRACTICE, Handling::default());
    for event in Input::taps(&[Input::Left, Input::HardDrop], 0) {
        timed.play(&event);
    }
    let view = timed.frame();
    assert_eq!(&view.rows[..2], ["...T......", ".........."]);
    assert_eq!(view.stats.lines, 1);
    assert_eq!(view.last_clear_text.as_deref(), Some("single"));
}

/// Going back and on again is as if nothing had happened, and what was done before is kept once.
#[test]
fn moments_are_come_back_to() {
    let mut timed = Timed::new(Match::new(Rules::PRACTICE, 5), Handling::default());
    let mut moments = vec![(timed.moment(), timed.clone())];
    for number in 0..6 {
        timed.press(Key::ALL[number % 3], 100 * number as u64 + 10);
        timed.press(Key::HardDrop, 100 * number as u64 + 50);
        timed.release_all(100 * number as u64 + 60);
        moments.push((timed.moment(), timed.clone()));
    }
    let same = |timed: &Timed, expected: &Timed| {
        assert_eq!(timed.frame(), expected.frame());
        assert_eq!((timed.log(), timed.placements()), (expected.log(), expected.placements()));
    };
    let mut after = Vec::new();
    for (moment, expected) in moments[..6].iter().rev() {
        after.push(timed.back_to(moment));
        same(&timed, expected);
    }
    for (moment, expected) in &moments[1..] {
        timed.on_to(moment, after.pop().unwrap());
        same(&timed, expected);
    }
    assert_eq!(timed.presses() as usize, timed.log().iter().filter(|event| event.down).count());
}

/// Plays a placement by keys and as a placement, and compares everything but drop points.
fn check(board: &Board, placement: &Placement, keys: &Keys, rules: Rules) {
    let mut timed = timed_on(*board, placement.piece, rules, Handling::default());
    let mut game = timed.game().clone();
    let Some(inputs) = keys.to(placement) else { panic!("no keys for {placement} on {board:?}") };
    for event in Input::taps(&inputs, 0) {
        timed.play(&event);
    }
    let reached = timed.placements().first().map(Placement::canonical);
    assert_eq!(reached, Some(placement.canonical()), "by {inputs:?} on {board:?}");
    game.play(placement).unwrap();
    assert_eq!(timed.game().position(), game.position(), "{placement} on {board:?}");
    assert_eq!(timed.outcome(), game.outcome());
    let (mut by_keys, mut by_placement) = (*timed.game().stats(), *game.stats());
    (by_keys.drop_points, by_placement.drop_points) = (0, 0);
    assert_eq!(by_keys, by_placement, "{placement} on {board:?}");
    for (y, row) in timed.frame().rows.iter().enumerate() {
        let filled: Vec<bool> = row.chars().map(|cell| cell != '.').collect();
        assert!((0..10).all(|x| filled[x] == game.position().board.contains(x, y)), "colours in row {y}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_placement_is_reached_by_its_keys(board in boards(17)) {
        for piece in Piece::ALL {
            for kicks in [Kicks::Srs, Kicks::Srs180] {
                let rules = Rules { kicks, ..Rules::PRACTICE };
                let keys = Keys::search(&board, piece, kicks);
                for placement in moves::placements(&board, piece, kicks) {
                    check(&board, &placement, &keys, rules);
                }
            }
        }
    }

    /// Whatever the keys do, the game goes on by the rules: each placement is one the generator
    /// lists, with the same spin.
    #[test]
    fn random_keys_make_generated_placements(
        seed in 0u64..1000,
        keys in prop::collection::vec((0usize..8, any::<bool>(), 0u64..120), 0..400),
        das in 0u32..200, arr in 0u32..80, soft_drop in 0u32..50, gravity in 0u32..300, initial in any::<bool>(),
    ) {
        let timing = Timing { gravity, entry_delay: arr, ..Timing::default() };
        let rules = Rules { timing, kicks: Kicks::Srs180, ..Rules::PRACTICE };
        let handling = Handling { das, arr, soft_drop, initial, ..Handling::default() };
        let mut timed = Timed::new(Match::new(rules, seed), handling);
        let mut shadow = Match::new(rules, seed);
        let mut time = 0;
        for (key, down, wait) in keys {
            time += wait;
            if down { timed.press(Key::ALL[key], time) } else { timed.release(Key::ALL[key], time) }
        }
        for placement in timed.placements() {
            let list = shadow.placements();
            prop_assert!(list.contains(&placement.canonical()), "{placement} in {list:?}");
            prop_assert!(shadow.play(placement).is_ok());
        }
        let (timed, shadow) = (timed.game(), &shadow);
        prop_assert_eq!(timed.position().board, shadow.position().board);
        prop_assert_eq!(timed.stats().score, shadow.stats().score);
        prop_assert_eq!(timed.stats().clears, shadow.stats().clears);
        prop_assert!(timed.stats().lines == shadow.stats().lines && timed.stats().pieces == shadow.stats().pieces);
    }
}

#[test]
fn a_spin_scores_in_timed_play() {
    let board: Board = "
        ##........
        #...######
        ##.#######
    "
    .parse()
    .unwrap();
    let list = moves::placements(&board, Piece::T, Kicks::Srs);
    let double = list.iter().find(|at| at.spin == Spin::Full && at.orientation.name() == "south").unwrap();
    let mut timed = timed_on(board, Piece::T, Rules::PRACTICE, Handling::default());
    for event in Input::taps(&Keys::search(&board, Piece::T, Kicks::Srs).to(double).unwrap(), 0) {
        timed.play(&event);
    }
    assert_eq!(timed.frame().last_clear_text.as_deref(), Some("T-spin double"));
    assert_eq!(timed.game().stats().score, 1200);
}
