//! What the bot thinks: always something, the same for the same nodes, and as good as plain definitions say.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::AtomicBool;

use bellmino_engine::guideline::{
    Bag, Board, Kicks, Match, Piece, Placement, Position, Rules, View, fewest_keys, moves,
};
use bellmino_engine::{Outcome, Purpose, stream};
use bellmino_search::{Bot, BotSettings, Budget, Expected, Puzzle, SearchAnswer, Solver, Weights};

use crate::{board, bot, last_piece, pieces, random_board};

/// However high the board and however few the nodes, whoever can place a piece is told where.
#[test]
fn there_is_a_candidate_where_there_is_a_placement() {
    let (mut high, mut lost) = (0, 0);
    for seed in 0..400 {
        let board = random_board(seed, 90);
        let queue: Vec<Piece> = Bag::new(seed + 1).take(6).collect();
        if board.height() < 17 || moves::placements(&board, queue[0], Kicks::Srs).is_empty() {
            continue;
        }
        high += 1;
        for nodes in [1, 100] {
            let view = View { queue: queue.clone(), pieces: 100, ..last_piece(board, "", false) };
            let thought = bot(&Rules::BLITZ).think(&view, Budget::nodes(nodes), None);
            let best = thought.best().unwrap_or_else(|| panic!("{nodes} nodes on\n{}", board.to_text()));
            let mut game = Match::resume(&view, stream(seed, Purpose::Player, 1));
            assert!(game.play(&best.placement).is_ok());
            lost += usize::from(game.outcome().is_some());
        }
    }
    assert!(high > 40 && lost > 0, "{high} boards, {lost} lost at once");
}

#[test]
fn the_same_nodes_give_the_same_game() {
    for rules in [Rules::BLITZ, Rules::SPRINT] {
        let play = |threads| {
            let mut game = Match::new(rules, 11);
            let mut bot = bot(&rules);
            let mut line = vec![];
            for _ in 0..25 {
                let budget = Budget::nodes(20_000).on(threads);
                let thought = bot.think(&game.view(), budget, None);
                line.push((thought.candidates[0].placement, thought.nodes));
                game.play(&thought.candidates[0].placement).unwrap();
            }
            line
        };
        let alone = play(1);
        assert_eq!(play(1), alone);
        assert_eq!(play(3), alone, "on three threads");
    }
}

#[test]
fn what_was_found_before_is_not_forgotten() {
    // A hasty second look is better after a long first one: forty fixed positions ten pieces into a game, all of them together.
    let mut gain = 0.0;
    for seed in 0..40 {
        let mut game = Match::new(Rules::BLITZ, seed);
        let mut quick = bot(&Rules::BLITZ);
        for _ in 0..10 {
            let thought = quick.think(&game.view(), Budget::nodes(500), None);
            game.play(&thought.candidates[0].placement).unwrap();
        }
        let mut knowing = bot(&Rules::BLITZ);
        let thought = knowing.think(&game.view(), Budget::nodes(40_000), None);
        game.play(&thought.candidates[0].placement).unwrap();
        let view = game.view();
        let hasty = |bot: &mut Bot| bot.think(&view, Budget::nodes(2000), None).candidates[0].value;
        gain += hasty(&mut knowing) - hasty(&mut bot(&Rules::BLITZ));
    }
    assert!(gain > 0.0, "{gain}");
}

/// Who looks for a moment and then for longer sees what a long look sees: what the moment dropped is found again.
#[test]
fn a_second_look_sees_what_a_first_one_of_its_length_sees() {
    let mut game = Match::new(Rules::BLITZ, 9);
    let mut both = [bot(&Rules::BLITZ), bot(&Rules::BLITZ)];
    for _ in 0..12 {
        let view = game.view();
        both[0].think(&view, Budget::nodes(1000), None);
        let [twice, once] = &mut both;
        let [twice, once] = [twice, once].map(|bot| bot.think(&view, Budget::nodes(12_000), None).candidates);
        assert_eq!(twice, once, "{:?}", game.position().board);
        game.play(&once[0].placement).unwrap();
    }
}

/// A second thought, broken off, leaves what the first has found.
#[test]
fn a_thought_broken_off_does_no_harm() {
    let stop = AtomicBool::new(true);
    let mut game = Match::new(Rules::BLITZ, 4);
    let mut bot = bot(&Rules::BLITZ);
    for _ in 0..80 {
        let view = game.view();
        let first = bot.think(&view, Budget::nodes(3000), None);
        let second = bot.think(&view, Budget::nodes(6000), Some(&stop));
        assert_eq!(second.candidates[0].line.len(), first.candidates[0].line.len());
        game.play(&first.candidates[0].placement).unwrap();
    }
    assert!(game.position().board.height() < 15, "{:?}", game.position().board);
    assert!(game.stats().score > 12_000, "{}", game.stats().score);
}

#[test]
fn pieces_that_come_soon_are_expected() {
    let of = |to_come: &str, bag: &str| Expected::of(&pieces(to_come), &pieces(bag));
    assert_eq!(of("TOI", ""), Expected { t: 1.0, i: 0.85f32.powi(2) });
    // T is one of two; I can only come in the bag after.
    let expected = of("O", "TS");
    assert!((expected.t - (0.85 + 0.85 * 0.85) / 2.0).abs() < 1e-6);
    let later = (3..10).map(|wait| 0.85f32.powi(wait)).sum::<f32>() / 7.0;
    assert!((expected.i - later).abs() < 1e-6);
}

/// A cycle goes before all other placements; behind it those that were dropped still come last, the soonest dropped at the very end.
#[test]
fn what_was_dropped_comes_last() {
    let mut game = Match::new(Rules::BLITZ, 3);
    let mut bot = bot(&Rules::BLITZ);
    for _ in 0..60 {
        let thought = bot.think(&game.view(), Budget::nodes(4000), None);
        let lengths = thought.candidates.iter().map(|candidate| candidate.line.len());
        // A cycle may be shorter than the search is deep.
        let others: Vec<usize> = lengths.skip_while(|&length| length < thought.depth).collect();
        assert!(others.is_sorted_by(|a, b| a >= b), "{others:?}");
        assert!(game.play(&thought.best().unwrap().placement).is_ok());
    }
}

/// With one piece in sight and one to come after it, every value is a mean over the bag of the most points, as counted
/// out plainly.
#[test]
fn pieces_out_of_sight_count_by_expectation() {
    let weights = Weights::from_pairs(&[], 1.0, 10.0);
    let rules = Rules::BLITZ;
    let mut paid = 0;
    for (seed, bag) in (0..12).zip(["TI", "ISZ", "O", "LJT", "", "TSZLJO"].into_iter().cycle()) {
        let mut view = last_piece(random_board(seed, 14), "S", true);
        view.position.hold = Some(Piece::I);
        view.pieces = 358;
        view.bag = pieces(bag);
        let bag = if bag.is_empty() { Piece::ALL.to_vec() } else { view.bag.clone() };
        let followers = |position: &Position, current: Piece| {
            let mut followers = vec![];
            for piece in [current, position.hold.unwrap()] {
                for placement in moves::placements(&position.board, piece, Kicks::Srs) {
                    let mut after = *position;
                    let done = after.play(&placement, &[current], &rules.score).unwrap();
                    followers.push((placement, after, f64::from(done.clear.points)));
                }
            }
            followers
        };
        let most = |position: &Position, piece: Piece| {
            followers(position, piece).into_iter().map(|(.., points)| points).fold(0.0, f64::max)
        };
        let mut expected: HashMap<(Board, Option<Piece>), f64> = HashMap::new();
        for (_, after, points) in followers(&view.position, Piece::S) {
            let mean = bag.iter().map(|&piece| most(&after, piece)).sum::<f64>() / bag.len() as f64;
            let value = expected.entry((after.board, after.hold)).or_insert(0.0);
            *value = value.max(points + mean);
        }
        let settings = BotSettings { weights: weights.clone(), ..BotSettings::for_rules(&rules) };
        let thought = Bot::new(settings).think(&view, Budget::nodes(400_000), None);
        let best = expected.values().copied().fold(0.0, f64::max);
        assert!((thought.candidates[0].value - best).abs() < 0.1, "{seed}: {best}");
        paid += u32::from(best > 0.0);
        if bag.len() == 1 {
            // It is searched as if it were in sight: of placements that come to the same, one has the value.
            continue;
        }
        for candidate in &thought.candidates {
            let mut after = view.position;
            after.play(&candidate.placement, &[Piece::S], &rules.score).unwrap();
            let value = expected[&(after.board, after.hold)];
            assert!((candidate.value - value).abs() < 0.1, "{seed}: {} {value}", candidate.value);
        }
    }
    assert!(paid > 3, "{paid}");
}

/// Where one piece is left in the bag, it is known.
#[test]
fn the_last_piece_of_a_bag_is_as_good_as_in_sight() {
    for seed in 0..3 {
        let position =
            Position { board: random_board(seed, 12), hold: Some(Piece::L), ..Position::default() };
        let view =
            View { pieces: 100, bag: pieces("Z"), position, ..last_piece(Board::EMPTY, "TIOSJT", false) };
        let shown = View { queue: pieces("TIOSJTZ"), bag: vec![], ..view.clone() };
        let think = |view, nodes| bot(&Rules::BLITZ).think(view, Budget::nodes(nodes), None);
        assert_eq!(think(&view, 20_000).candidates, think(&shown, 20_000).candidates);
        // With few nodes the search had better be wide.
        assert_eq!((think(&view, 2000).depth, think(&shown, 2000).depth), (6, 7));
    }
}

#[test]
fn candidates_can_be_played_and_their_lines_too() {
    let mut game = Match::new(Rules::BLITZ, 5);
    let mut bot = bot(&Rules::BLITZ);
    for _ in 0..20 {
        let thought = bot.think(&game.view(), Budget::nodes(4000), None);
        let legal: HashSet<Placement> = game.placements().into_iter().collect();
        for candidate in &thought.candidates {
            assert!(legal.contains(&candidate.placement), "{}", candidate.placement);
            assert_eq!(candidate.line[0], candidate.placement);
            let mut position = *game.position();
            for at in &candidate.line {
                assert!(position.board.rests(at), "{at} on\n{}", position.board);
                position.board.place_unchecked(at);
            }
        }
        game.play(&thought.candidates[0].placement).unwrap();
    }
}

#[test]
fn a_stopped_bot_still_answers() {
    let stop = AtomicBool::new(true);
    let game = Match::new(Rules::BLITZ, 1);
    let thought = bot(&Rules::BLITZ).think(&game.view(), Budget::default(), Some(&stop));
    assert!(!thought.candidates.is_empty());
}

#[test]
fn a_tetris_that_empties_the_board_is_found_six_pieces_ahead() {
    let low = board(
        "###......#
         ###......#
         ###......#
         ###......#",
    );
    // Find a queue for which the solver has an answer, then ask the bot.
    let mut asked = 0;
    for seed in 0..70 {
        // Every phase of the bag.
        let mut bag = Bag::new(seed);
        bag.by_ref().take(seed as usize % 7).for_each(drop);
        let queue: Vec<Piece> = bag.by_ref().take(7).collect();
        let puzzle = Puzzle {
            board: low,
            rows: 4,
            reserve: Some(queue[0]),
            pieces: queue[1..].to_vec(),
            kicks: Kicks::Srs,
            tetris: true,
        };
        let SearchAnswer::Solved(line) = Solver::new().solve(&puzzle, 200_000) else { continue };
        asked += 1;
        let view = View {
            position: Position { board: low, back_to_back: true, ..Position::default() },
            queue,
            bag: bag.left().to_vec(),
            pieces: 360 - line.len() as u32,
            ..last_piece(low, "I", true)
        };
        let thought = bot(&Rules::BLITZ).think(&view, Budget::nodes(40_000), None);
        let mut position = view.position;
        let line = &thought.candidates[0].line;
        let points: u32 =
            line.iter().map(|at| position.place_unchecked(at, &Rules::BLITZ.score).points).sum();
        assert!(points >= 4400, "seed {seed}: {points}");
    }
    assert!(asked > 0, "no queue could be solved");
}

/// A bot that pays for keys presses fewer of them.
#[test]
fn the_price_of_a_key_is_paid() {
    let pressed = |key_price| {
        let settings = BotSettings { key_price, ..BotSettings::for_rules(&Rules::SPRINT) };
        let (mut game, mut bot) = (Match::new(Rules::SPRINT, 3), Bot::new(settings));
        let mut pressed = 0;
        while game.outcome().is_none() {
            let at = bot.think(&game.view(), Budget::nodes(500), None).candidates[0].placement;
            let (board, holds) = (game.position().board, game.stats().holds);
            game.play(&at).unwrap();
            pressed += fewest_keys(&board, &at, Kicks::Srs).unwrap() + game.stats().holds - holds;
        }
        assert_eq!(game.outcome(), Some(Outcome::Goal));
        pressed
    };
    let (free, dear) = (pressed(0.0), pressed(200.0));
    assert!(dear * 10 < free * 9, "{dear} presses, {free} where they are free");
}

/// A tetris that empties the board and is wholly in sight is not missed, however many others might come of low boards.
#[test]
fn a_sure_cycle_is_taken() {
    let board = "###.......\n###......#\n#####..###\n#####.####".parse().unwrap();
    let position = Position { board, hold: Some(Piece::J), back_to_back: true, combo: 0 };
    for (queue, bag) in [("IOSZIS", "JLOTZ"), ("IOSZTS", "IJLOZ"), ("IOSZLS", "IJOTZ")] {
        let (queue, bag) = (pieces(queue), pieces(bag));
        let view = View { rules: Rules::BLITZ, position, queue, bag, pieces: 191, lines: 74 };
        for nodes in [10_000, 20_000, 40_000] {
            let thought = bot(&view.rules).think(&view, Budget::nodes(nodes), None);
            let mut after = board;
            let mut cleared =
                thought.best().unwrap().line.iter().map(|placement| after.place(placement).unwrap());
            assert!(cleared.any(|cleared| cleared.perfect), "{nodes}: {:?}", thought.best());
        }
    }
}
