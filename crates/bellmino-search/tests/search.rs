//! The bot, the solver and the analysis against plain definitions and known positions.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::AtomicBool;

use bellmino_engine::Outcome;
use bellmino_engine::guideline::{
    Bag, Board, Cleared, Goal, Handling, Key, Kicks, Match, Piece, Placement, Position, Record, Rules, Spin,
    Timed, View, fewest_keys, moves,
};
use bellmino_engine::{Purpose, below, stream};
use bellmino_search::{
    Bot, BotSettings, Budget, Calibration, Candidate, Coin, EvaluationState, Expected, Feature, Forecast,
    Network, Puzzle, Reason, SearchAnswer, Solver, Step, ValueUnit, Verdict, Weights, describe, judge,
    review, steps,
};

fn board(text: &str) -> Board {
    text.parse().unwrap()
}

fn pieces(letters: &str) -> Vec<Piece> {
    letters.chars().map(|letter| Piece::from_letter(letter).unwrap()).collect()
}

/// The last piece of a Blitz.
fn last_piece(board: Board, queue: &str, back_to_back: bool) -> View {
    View {
        rules: Rules::BLITZ,
        position: Position { board, back_to_back, ..Position::default() },
        queue: pieces(queue),
        bag: vec![],
        pieces: 359,
        lines: 0,
    }
}

fn bot(rules: &Rules) -> Bot {
    Bot::for_rules(rules)
}

/// A board as random play leaves it.
fn random_board(seed: u64, pieces: usize) -> Board {
    let mut generator = stream(seed, Purpose::Player, 0);
    let mut board = Board::EMPTY;
    for piece in Bag::new(seed).take(pieces) {
        let mut placements = moves::placements(&board, piece, Kicks::Srs);
        // Low placements, so that the boards look like boards.
        placements.sort_by_key(|at| at.cells().iter().map(|&(_, y)| i32::from(y)).sum::<i32>());
        placements.truncate(6);
        if placements.is_empty() {
            break;
        }
        board.place_unchecked(&placements[below(&mut generator, placements.len())]);
    }
    board
}

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

/// Timed play ends with its time, whatever goal in pieces the same game has without a clock.
#[test]
fn a_timed_game_is_reviewed_beyond_its_goal_in_pieces() {
    let goal = Goal { pieces: Some(2), seconds: Some(60), lines: None };
    let rules = Rules { goal, ..Rules::BLITZ };
    let mut timed = Timed::new(Match::new(rules, 5), Handling::default());
    for round in 0..4 {
        timed.press(Key::HardDrop, 100 * round);
        timed.release(Key::HardDrop, 100 * round + 50);
    }
    let record = Record::of_timed("own", rules, 5, 0, &timed).unwrap();
    let moves = steps(&record).unwrap();
    assert!(
        moves.iter().all(|step| step.view.rules.goal.pieces == Some(4)),
        "as many as were placed in time"
    );
    let mut judged = vec![];
    review(&record, Budget::nodes(2000), |judgement| {
        let alone = judge(&moves[judgement.number - 1], 1, Budget::nodes(2000)).unwrap();
        assert_eq!(judgement.analysis.choices, alone.analysis.choices);
        assert_eq!((judgement.place(), judgement.verdict), (alone.place(), alone.verdict));
        judged.push(judgement.number);
        true
    })
    .unwrap();
    assert_eq!(judged, [1, 2, 3, 4]);
}

/// A beginner's holes early in a Sprint are told, although the bot could still mend them; those that it mends itself are not.
#[test]
fn holes_that_stay_are_inaccuracies() {
    let marks = |record: &Record| {
        let mut marks = vec![];
        review(record, Budget::nodes(1000), |one| {
            let stays = one.played().reasons.contains(&Reason::HolesStay);
            assert!(!stays || one.verdict >= Verdict::Inaccuracy);
            marks.extend(stays.then_some(one.number));
            one.number < 40
        })
        .unwrap();
        marks
    };
    let played = |seed: u64, choose: &mut dyn FnMut(&Match) -> Placement| {
        let mut game = Match::new(Rules::SPRINT, seed);
        let mut placements = vec![];
        while placements.len() < 50 && game.outcome().is_none() {
            let placement = choose(&game);
            game.play(&placement).unwrap();
            placements.push(placement);
        }
        Record::of_placements("sprint", Rules::SPRINT, seed, 0, placements).unwrap()
    };
    // As low as it goes, whatever that covers.
    let mut lowest = |game: &Match| {
        let top = |placement: &Placement| placement.cells().iter().map(|&(_, y)| y).max();
        *game.placements().iter().min_by_key(|placement| top(placement)).unwrap()
    };
    let mut own = bot(&Rules::SPRINT);
    let mut best = |game: &Match| own.think(&game.view(), Budget::nodes(1000), None).candidates[0].placement;
    for seed in [77, 78] {
        let beginner = marks(&played(seed, &mut lowest));
        assert!(beginner.len() >= 3 && beginner[0] < 30, "{beginner:?}");
        assert_eq!(marks(&played(seed, &mut best)), Vec::<usize>::new());
    }
}

/// The list of choices and the verdict say the same, and however many are listed, the verdict stays.
#[test]
fn choices_are_in_the_order_of_what_they_lose() {
    for (rules, seed) in [(Rules::SPRINT, 3), (Rules::BLITZ, 4), (Rules::PRACTICE, 5)] {
        let mut game = Match::new(rules, seed);
        let mut player = bot(&rules);
        for turn in 0..20 {
            let view = game.view();
            let all = game.placements();
            let played = all[(7 * turn + 3) % all.len()];
            let step = Step { number: turn + 1, view: view.clone(), score: 0, played, holes_stay: false };
            let alone = judge(&step, 1, Budget::nodes(1000)).unwrap();
            let listed = judge(&step, 5, Budget::nodes(1000)).unwrap();
            assert_eq!((alone.played(), alone.verdict), (listed.played(), listed.verdict));
            let losses: Vec<f64> = listed.analysis.choices.iter().map(|choice| choice.loss).collect();
            assert!(losses.is_sorted() && losses[0] == 0.0, "{losses:?}");
            // What is expected falls by just what is lost.
            for choice in &listed.analysis.choices {
                if let (Some(best), Some(after)) = (listed.analysis.forecast, choice.forecast) {
                    assert!((best.worth() - after.worth() - choice.loss).abs() < 1e-6);
                }
            }
            let own = player.think(&view, Budget::nodes(500), None);
            game.play(&own.candidates[0].placement).unwrap();
        }
    }
}

/// Once the end is in sight, values stay in pieces: who ends the game in as many pieces as the bot loses nothing, and who
/// takes one more loses one.
#[test]
fn the_end_of_a_sprint_is_counted_in_pieces() {
    let ready = board(
        "#########.
         #########.
         #########.
         #########.",
    );
    let view = View { lines: 36, pieces: 99, ..last_piece(ready, "IOT", false) };
    let view = View { rules: Rules::SPRINT, ..view };
    let at = |text: &str| Step {
        number: 100,
        view: view.clone(),
        score: 0,
        played: text.parse().unwrap(),
        holes_stay: false,
    };
    let winning = judge(&at("I east 9,2"), 3, Budget::nodes(2000)).unwrap();
    assert_eq!((winning.played().loss, winning.verdict), (0.0, Verdict::Good));
    assert_eq!(winning.analysis.forecast, Some(Forecast::Pieces { pieces: 100.0, exact: 1.0 }));
    let late = judge(&at("O north 0,4"), 3, Budget::nodes(2000)).unwrap();
    assert_eq!(late.played().forecast, Some(Forecast::Pieces { pieces: 101.0, exact: 0.0 }));
    assert_eq!((late.played().loss, late.verdict), (1.0, Verdict::Blunder));
}

/// A better value of the search is never a worse forecast.
#[test]
fn forecasts_follow_the_order_of_the_search() {
    let calibration = Calibration::shipped();
    for (rules, seed) in [(Rules::SPRINT, 1), (Rules::BLITZ, 2)] {
        let mut game = Match::new(rules, seed);
        let mut player = bot(&rules);
        while game.outcome().is_none() {
            let view = game.view();
            let thought = player.think(&view, Budget::nodes(300), None);
            let mut last = f64::INFINITY;
            let mut ranked = thought.candidates.clone();
            ranked.retain(|candidate| candidate.line.len() == thought.candidates[0].line.len());
            ranked.sort_by(|one, other| other.value.total_cmp(&one.value));
            for candidate in &ranked {
                let worth = calibration.forecast(&view, &thought, candidate).unwrap().worth();
                assert!(worth <= last + 1e-9, "{worth} after {last}, piece {}", view.pieces);
                last = worth;
            }
            game.play(&thought.candidates[0].placement).unwrap();
        }
    }
    assert_eq!(Calibration::read(&calibration.write()).as_ref(), Ok(calibration));
    let lacking = calibration.write().replace("left = ", "right = ");
    assert!(Calibration::read(&lacking).unwrap_err().contains("right"));
}

#[test]
fn reasons_are_what_the_boards_show() {
    let rows = |text: &str, back_to_back: bool, queue: &str| View {
        pieces: 50,
        ..last_piece(board(text), queue, back_to_back)
    };
    let check = |view: &View, played: &str, best: &str, expected: &str| {
        let reasons = Reason::of(view, &played.parse().unwrap(), &best.parse().unwrap());
        let words: Vec<String> = reasons.iter().map(ToString::to_string).collect();
        assert_eq!(words.join(", "), expected, "{played} beside {best}");
    };
    let well = "#########.\n#########.\n#########.\n#########.";
    check(&rows(well, false, "IO"), "O north 0,4", "I east 9,2", "misses a perfect clear");
    check(&rows(well, false, "OI"), "O north 8,4", "O north 0,4", "closes the well, makes 4 holes");
    let flat = "######....";
    check(&rows(flat, false, "OT"), "T north 1,1", "O north 6,0", "wastes a T");
    check(&rows(flat, true, "IO"), "I north 7,0", "O north 6,0", "breaks back-to-back");
    check(&rows(flat, false, "OT"), "O north 5,1", "O north 6,0", "makes a hole");
    check(&rows(flat, false, "OT"), "O north 6,0", "O north 6,0", "");
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

/// Whether a puzzle can be solved, by trying everything.
fn brute_force(puzzle: &Puzzle, board: &Board, rows: usize, reserve: Option<Piece>, depth: usize) -> bool {
    if rows == 0 {
        return true;
    }
    let next = puzzle.pieces.get(depth).copied();
    for (piece, left) in [(next, reserve), (reserve, next)] {
        let Some(piece) = piece else { continue };
        for at in moves::placements(board, piece, puzzle.kicks) {
            if at.cells().iter().any(|&(_, y)| y as usize >= rows) {
                continue;
            }
            let mut after = *board;
            let Cleared { lines, .. } = after.place_unchecked(&at);
            if brute_force(puzzle, &after, rows - usize::from(lines), left, depth + 1) {
                return true;
            }
        }
    }
    false
}

#[test]
fn the_solver_agrees_with_brute_force() {
    let mut solved = 0;
    for seed in 0..60 {
        let mut bag = Bag::new(seed);
        // Two rows from empty, or three rows with some cells filled.
        let (board, rows) = match seed % 3 {
            0 => (Board::EMPTY, 2),
            1 => (board("###.......\n####......\n####...###"), 3),
            _ => (board("##........\n##.....###\n##..#..###\n##.##..###"), 4),
        };
        let needed = (10 * rows - board.len()) / 4;
        let reserve = bag.next();
        let puzzle = Puzzle {
            board,
            rows,
            reserve,
            pieces: bag.take(needed).collect(),
            kicks: Kicks::Srs,
            tetris: false,
        };
        assert_eq!(puzzle.needed(), ((10 * rows - board.len()) % 4 == 0).then_some(needed));
        let answer = Solver::new().solve(&puzzle, u64::MAX);
        let slow = puzzle.needed().is_some() && brute_force(&puzzle, &board, rows, reserve, 0);
        assert_eq!(matches!(answer, SearchAnswer::Solved(_)), slow, "{puzzle:?}");
        if let SearchAnswer::Solved(line) = answer {
            solved += 1;
            let mut after = board;
            line.iter().for_each(|at| assert!(after.place(at).is_some()));
            assert!(after.is_empty());
        }
    }
    assert!((5..55).contains(&solved), "{solved} solved: the test says little");
}

#[test]
fn all_solutions_are_different_and_empty_the_board() {
    let puzzle = Puzzle {
        board: Board::EMPTY,
        rows: 2,
        reserve: Some(Piece::O),
        pieces: pieces("IILOO"),
        kicks: Kicks::Srs,
        tetris: false,
    };
    let (lines, complete) = Solver::new().solutions(&puzzle, 10_000, u64::MAX);
    assert!(complete && lines.len() > 3);
    assert_eq!(lines.iter().collect::<HashSet<_>>().len(), lines.len());
    for line in &lines {
        let mut after = Board::EMPTY;
        line.iter().for_each(|at| assert!(after.place(at).is_some()));
        assert!(after.is_empty());
    }
}

#[test]
fn chances_are_exact_when_the_futures_are_few() {
    // One piece fills the gap: the T set aside does not, an I does. The next is not known.
    let puzzle = Puzzle {
        board: board("....######"),
        rows: 1,
        reserve: Some(Piece::T),
        pieces: vec![],
        kicks: Kicks::Srs,
        tetris: false,
    };
    let (chances, futures) = puzzle.chances(&pieces("IO"), 0, 10_000);
    assert_eq!(futures, 2);
    assert_eq!(chances.len(), 1);
    assert_eq!((chances[0].placement.piece, chances[0].value), (Piece::I, 0.5));
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
