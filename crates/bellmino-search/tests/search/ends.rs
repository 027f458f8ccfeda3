//! The ends of a Blitz and of a Sprint.

use bellmino_engine::guideline::{Bag, Kicks, Match, Piece, Placement, Position, Rules, Spin, View, moves};
use bellmino_engine::{Outcome, Purpose, stream};
use bellmino_search::{
    Bot, BotSettings, Budget, Candidate, Coin, Forecast, Reason, Step, ValueUnit, Verdict, judge,
};

use crate::{board, bot, last_piece, random_board};

#[test]
fn the_last_piece_takes_the_most_points() {
    let double = board(
        "........##
         ######...#
         #######.##",
    );
    let thought = bot(&Rules::BLITZ).think(&last_piece(double, "TO", true), Budget::nodes(2000), None);
    let best = &thought.candidates[0];
    assert_eq!((best.placement.piece, best.placement.spin, best.value), (Piece::T, Spin::Full, 1800.0));

    let tetris = board(
        "#########.
         #########.
         #########.
         #########.",
    );
    let view = last_piece(tetris, "OI", true);
    let thought = bot(&Rules::BLITZ).think(&view, Budget::nodes(2000), None);
    assert_eq!((thought.candidates[0].placement.piece, thought.candidates[0].value), (Piece::I, 4400.0));

    // Holding the I costs the whole tetris.
    let wrong = moves::placements(&tetris, Piece::O, Kicks::Srs)[0];
    let step =
        |played: Placement| Step { number: 1, view: view.clone(), score: 0, played, holes_stay: false };
    let judgement = judge(&step(wrong), 1, Budget::nodes(2000)).unwrap();
    let lost = judgement.played();
    assert_eq!(
        (lost.loss, judgement.verdict, judgement.analysis.coin),
        (4400.0, Verdict::Blunder, Coin::Points)
    );
    assert!(matches!(lost.reasons[0], Reason::Misses(clear) if clear.points == 4400), "{:?}", lost.reasons);
    assert_eq!(judgement.analysis.forecast, Some(Forecast::Points { to_come: 4400.0 }));
    let right = thought.candidates[0].placement;
    let judgement = judge(&step(right), 1, Budget::nodes(2000)).unwrap();
    assert_eq!((judgement.played().loss, judgement.verdict, judgement.is_best()), (0.0, Verdict::Good, true));
}

/// Positions that a search knows from the move before are worth what they earned when the last piece is in sight, no more and no less.
#[test]
fn the_end_of_a_blitz_brings_what_was_promised() {
    for seed in 0..8 {
        let mut bag = Bag::new(seed);
        let queue: Vec<Piece> = bag.by_ref().take(6).collect();
        let board = random_board(seed, 14);
        let position = Position { board, hold: bag.next(), back_to_back: true, ..Position::default() };
        let view = View { rules: Rules::BLITZ, position, queue, bag: vec![], pieces: 354, lines: 0 };
        let mut game = Match::resume(&view, stream(seed, Purpose::Player, 1));
        let mut bot = bot(&Rules::BLITZ);
        let mut promised = f64::NEG_INFINITY;
        while game.outcome().is_none() {
            let thought = bot.think(&game.view(), Budget::nodes(30_000), None);
            let Candidate { placement, value, .. } = thought.candidates[0];
            assert!(value >= promised - 0.01, "{promised} became {value}, seed {seed}");
            assert!(value < 30_000.0, "{value}, seed {seed}");
            promised = value - f64::from(game.play(&placement).unwrap().points);
        }
        assert!(promised <= 0.01, "{promised} was missing, seed {seed}");
    }
}

#[test]
fn a_sprint_ends_on_an_empty_board() {
    // Four rows from an empty board: ten pieces, if none is wasted. Ten fixed seeds; the bot solved all of them when
    // this was written, and one may be lost without alarm.
    let mut rules = Rules::SPRINT;
    rules.goal.lines = Some(4);
    let mut exact = 0;
    for seed in 0..10 {
        let mut game = Match::new(rules, seed);
        let mut bot = bot(&rules);
        while game.outcome().is_none() {
            let thought = bot.think(&game.view(), Budget::nodes(40_000), None);
            game.play(&thought.candidates[0].placement).unwrap();
        }
        assert_eq!(game.outcome(), Some(Outcome::Goal));
        exact += u32::from(game.stats().pieces == 10);
    }
    assert!(exact >= 9, "{exact} of 10");
}

/// Twelve rows, whose bags are those of the last twelve of a Sprint: with ten of the thirty pieces to go the board is empty, and
/// neither an S nor a Z is held. Eight fixed seeds; two may go another way without alarm, as two
/// did when this was written and the bot had 60,000 nodes.
#[test]
fn a_sprint_is_at_an_empty_board_ten_pieces_before_its_end() {
    let mut rules = Rules::SPRINT;
    rules.goal.lines = Some(12);
    let (mut empty, mut exact) = (0, 0);
    for seed in 0..8 {
        let mut game = Match::new(rules, seed);
        let mut bot = bot(&rules);
        while game.outcome().is_none() {
            if game.stats().pieces == 20 {
                let Position { board, hold, .. } = game.position();
                empty += u32::from(board.is_empty() && !matches!(hold, Some(Piece::S | Piece::Z)));
            }
            let thought = bot.think(&game.view(), Budget::nodes(60_000), None);
            game.play(&thought.candidates[0].placement).unwrap();
        }
        assert_eq!(game.outcome(), Some(Outcome::Goal));
        exact += u32::from(game.stats().pieces == 30);
    }
    assert!(empty >= 6 && exact >= 6, "{empty} empty and {exact} exact of 8");
}

/// The end of a Sprint is solved by those alone who look that far.
#[test]
fn the_depth_binds_at_the_end_of_a_sprint_too() {
    let mut rules = Rules::SPRINT;
    rules.goal.lines = Some(4);
    for depth in [1, 2, 6, 16] {
        let settings = BotSettings { depth, ..BotSettings::for_rules(&rules) };
        let (mut game, mut bot) = (Match::new(rules, 0), Bot::new(settings));
        while game.outcome().is_none() {
            let left = 40 - 10 * game.stats().lines as usize;
            let needed = left.saturating_sub(game.position().board.len()) / 4;
            let thought = bot.think(&game.view(), Budget::nodes(4000), None);
            assert!(thought.unit != ValueUnit::Chance || needed <= depth, "depth {depth}, {needed} to go");
            assert!(thought.candidates[0].line.len() <= depth.max(1), "depth {depth}");
            game.play(&thought.candidates[0].placement).unwrap();
        }
    }
}
