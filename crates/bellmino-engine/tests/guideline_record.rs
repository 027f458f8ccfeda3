//! Records: whole games as text, played again exactly. The snapshots are golden games, reviewed as a diff when they
//! change.

use std::fmt::Write;

use bellmino_engine::RecordError;
use bellmino_engine::guideline::{
    Handling, Input, Key, Keys, Kicks, Match, Piece, Placement, Play, Record, Rules, Start, Timed, View,
    moves,
};
use bellmino_engine::{Purpose, below, stream};

/// A simple stacker: few holes, low, level.
fn choose(game: &mut Match) -> Option<Placement> {
    let board = game.position().board;
    game.placements().into_iter().min_by_key(|placement| {
        let mut after = board;
        after.place_unchecked(placement);
        let heights: Vec<usize> = after.columns().iter().map(|column| column.height()).collect();
        let holes: usize = after.columns().iter().map(|column| column.holes()).sum();
        let steps: usize = heights.windows(2).map(|pair| pair[0].abs_diff(pair[1])).sum();
        holes * 8 + heights.iter().sum::<usize>() * 2 + steps
    })
}

/// Plays a game to its end, or to this many pieces.
fn played(rules: Rules, seed: u64, pieces: usize) -> Vec<Placement> {
    let mut game = Match::new(rules, seed);
    let mut placements = vec![];
    while placements.len() < pieces {
        let Some(placement) = choose(&mut game) else { break };
        game.play(&placement).unwrap();
        placements.push(placement);
    }
    placements
}

/// Every step of a replay in a line each.
fn steps(record: &Record) -> String {
    let mut text = String::new();
    record
        .replay(|placement, game| {
            let stats = game.stats();
            let board: Vec<String> = game.position().board.to_text().lines().map(str::to_owned).collect();
            let (score, lines, drops) = (stats.score, stats.lines, stats.drop_points);
            writeln!(text, "{placement}: score {score} lines {lines} drops {drops} {}", board.join("/"))
                .unwrap();
        })
        .unwrap();
    text
}

#[test]
fn golden_sprint() {
    let record = Record::of_placements("sprint", Rules::SPRINT, 7, 0, played(Rules::SPRINT, 7, 200)).unwrap();
    assert_eq!(Record::from_text(&record.to_text()), Ok(record.clone()));
    insta::assert_snapshot!("sprint_record", record.to_text());
    insta::assert_snapshot!("sprint_steps", steps(&record));
}

#[test]
fn golden_timed_blitz() {
    // The same stacker with keys, one press every 40 ms, holding now and then.
    let rules = Rules::BLITZ;
    let handling = Handling::default();
    let mut timed = Timed::new(Match::new(rules, 11), handling);
    let mut time = 0;
    for round in 0..60 {
        if round % 7 == 3 {
            timed.press(Key::Hold, time);
            timed.release(Key::Hold, time + 20);
            time += 40;
        }
        let Some(active) = timed.active() else { break };
        let board = timed.game().position().board;
        let best = moves::placements(&board, active.piece, Kicks::Srs).into_iter().min_by_key(|placement| {
            let mut after = board;
            after.place_unchecked(placement);
            let holes: usize = after.columns().iter().map(|column| column.holes()).sum();
            holes * 8 + after.columns().iter().map(|column| column.height().pow(2)).sum::<usize>()
        });
        let inputs = Keys::search(&board, active.piece, Kicks::Srs).to(&best.unwrap()).unwrap();
        for event in Input::taps(&inputs, time) {
            timed.play(&event);
        }
        time = timed.time() + 40;
    }
    timed.advance_to(time + 5_000);
    let record = Record::of_timed("blitz", rules, 11, 0, &timed).unwrap();
    assert_eq!(Record::from_text(&record.to_text()), Ok(record.clone()));
    let again = record.replay(|_, _| {}).unwrap();
    assert_eq!((again.position(), again.stats()), (timed.game().position(), timed.game().stats()));
    insta::assert_snapshot!("blitz_timed_record", record.to_text());
    insta::assert_snapshot!("blitz_timed_steps", steps(&record));
}

/// Random keys in random settings: the record plays the same game, step by step.
#[test]
fn replays_are_exact() {
    for seed in 0..40 {
        let mut generator = stream(seed, Purpose::Player, 0);
        let mut number = |bound: usize| below(&mut generator, bound);
        let handling = Handling {
            das: number(200) as u32,
            arr: number(90) as u32,
            soft_drop: number(60) as u32,
            initial: number(2) == 0,
            ..Handling::default()
        };
        let rules = Rules { kicks: Kicks::ALL[number(3)], ..Rules::BLITZ };
        let mut timed = Timed::new(Match::new(rules, seed), handling);
        let mut seen = vec![];
        let mut time = 0;
        for _ in 0..1500 {
            time += number(60) as u64;
            let key = Key::ALL[number(8)];
            if number(2) == 0 {
                timed.press(key, time);
            } else {
                timed.release(key, time);
            }
            while seen.len() < timed.placements().len() {
                seen.push(timed.placements()[seen.len()]);
            }
        }
        let record = Record::of_timed("own", rules, seed, 0, &timed).unwrap();
        let mut again = vec![];
        let game = Record::from_text(&record.to_text())
            .unwrap()
            .replay(|placement, _| again.push(*placement))
            .unwrap();
        assert_eq!(again, seen, "seed {seed}");
        assert_eq!((game.position(), game.stats()), (timed.game().position(), timed.game().stats()));
        let moves = record.moves().unwrap();
        assert_eq!(moves.iter().map(|(_, placement)| *placement).collect::<Vec<_>>(), seen, "seed {seed}");
        for (number, pair) in moves.windows(2).enumerate() {
            let ((mut view, placement), (next, _)) = (pair[0].clone(), &pair[1]);
            view.play(&placement).unwrap();
            let known = |view: &View| (view.position, view.pieces, view.lines, view.rules.goal.pieces);
            assert_eq!((known(&view), number as u32 + 1), (known(next), next.pieces), "seed {seed}");
            assert!(next.queue.starts_with(&view.queue), "seed {seed}");
        }
    }
}

#[test]
fn what_cannot_be_played_is_refused() {
    let good = Record::of_placements("sprint", Rules::SPRINT, 7, 0, played(Rules::SPRINT, 7, 10)).unwrap();
    let changed = |from: &str, to: &str| {
        let text = good.to_text();
        assert!(text.contains(from), "{from} in\n{text}");
        Record::from_text(&text.replacen(from, to, 1)).and_then(|record| record.replay(|_, _| {}).map(|_| ()))
    };
    assert_eq!(changed("version = 1", "version = 2"), Err(RecordError::Version(2)));
    assert!(matches!(
        changed("seed = \"7\"", "seed = \"8\""),
        Err(RecordError::Placement { .. } | RecordError::Differs)
    ));
    assert_eq!(changed("pieces = 10", "pieces = 11"), Err(RecordError::Differs));
    assert!(matches!(changed("previews = 5", "previews = 99"), Err(RecordError::Rules(_))));
    assert!(matches!(changed("version = 1", "version = "), Err(RecordError::Text(_))));
    let mut floating = good.clone();
    let Play::Placements { placements } = &mut floating.play else { panic!() };
    placements[3].y += 1;
    assert!(matches!(floating.replay(|_, _| {}), Err(RecordError::Placement { number: 4, .. })));
    // The largest seed there is survives the text.
    let record = Record::of_placements("own", Rules::PRACTICE, u64::MAX, 3, vec![]).unwrap();
    assert_eq!(Record::from_text(&record.to_text()), Ok(record));
}

#[test]
fn a_game_from_a_painted_board_is_played_again_and_bad_beginnings_are_refused() {
    let start = Start {
        board: vec!["TTT.JJJJGG".to_owned()],
        hold: Some(Piece::S),
        queue: "I O".to_owned(),
        dealt: 0,
    };
    let from = |start: Start| Record {
        start: Some(start),
        ..Record::new("practice", Rules::PRACTICE, 5, 0, Play::Placements { placements: vec![] })
    };
    let mut record = from(start.clone());
    let (game, colours) = record.opening().unwrap();
    assert_eq!(colours.row_text(0), start.board[0]);
    assert_eq!((game.position().hold, &game.queue()[..2]), (Some(Piece::S), &[Piece::I, Piece::O][..]));
    let dropped = game.placements().into_iter().find(|at| at.cells().contains(&(3, 0))).unwrap();
    record.play = Play::Placements { placements: vec![dropped] };
    let again = Record::from_text(&record.to_text()).unwrap();
    assert_eq!(again, record);
    assert_eq!(again.replay(|_, _| {}).unwrap().stats().lines, 1);
    let refused = |start: Start| match from(start).opening() {
        Err(RecordError::Start(why)) => why,
        other => panic!("{other:?}"),
    };
    assert!(refused(Start { board: vec!["G".repeat(10)], ..start.clone() }).contains("full"));
    assert!(refused(Start { board: vec!["G".repeat(11)], ..start.clone() }).contains("11 cells"));
    assert!(refused(Start { board: vec!["GGGG.GGGGG".to_owned(); 30], ..start.clone() }).contains("enter"));
    assert!(refused(Start { queue: "IQ".to_owned(), ..start }).contains("no piece"));
}

/// A position that was changed in the middle of a game goes on with the pieces that would have come.
#[test]
fn pieces_dealt_before_are_left_out() {
    let first: Vec<Piece> = bellmino_engine::guideline::Bag::new(4).take(20).collect();
    let queue: String = first[3..9].iter().map(|piece| piece.letter()).collect();
    let start = Start { queue, dealt: 9, ..Start::default() };
    let (game, _) = start.game(Rules::PRACTICE, bellmino_engine::guideline::Bag::new(4)).unwrap();
    let mut seen = game.clone();
    let mut dealt = vec![];
    while dealt.len() < 10 {
        dealt.push(seen.current());
        let at = *seen.placements().iter().find(|at| at.piece == seen.current()).unwrap();
        seen.play(&at).unwrap();
    }
    assert_eq!(dealt, first[3..13]);
}
