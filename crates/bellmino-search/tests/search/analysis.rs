//! What a move cost, and what a game is expected to come to.

use bellmino_engine::guideline::{Goal, Handling, Key, Match, Placement, Record, Rules, Timed, View};
use bellmino_search::{Budget, Calibration, Forecast, Reason, Step, Verdict, judge, review, steps};

use crate::{board, bot, last_piece};

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
