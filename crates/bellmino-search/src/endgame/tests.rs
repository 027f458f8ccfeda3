//! The end of a Sprint against trying everything.

use bellmino_engine::guideline::{Bag, Board, Goal, Rules};
use bellmino_engine::{Purpose, below, stream};

use super::*;
use crate::bag;
use crate::budget::Budget;
use crate::evaluation::EvaluationState;

/// The chance of a position by trying everything: each placement is chosen before the next piece is seen.
fn plain(task: &PerfectTask, pieces: &[Piece], bag: &[Piece], needed: usize) -> f64 {
    let mut best = 0.0;
    let other = task.reserve.filter(|&held| held != pieces[0]);
    for (piece, reserve) in [(Some(pieces[0]), task.reserve), (other, Some(pieces[0]))] {
        let Some(piece) = piece else { continue };
        let mut children = vec![];
        task.after(piece, reserve, Kicks::Srs, &mut vec![], |_, task, _| children.push(task));
        for child in children {
            let value = if needed == 1 {
                1.0
            } else if pieces.len() >= needed {
                plain(&child, &pieces[1..], bag, needed - 1)
            } else {
                let draws = bag::draws(bag);
                let count = draws.len() as f64;
                let after = |(piece, bag): (Piece, Vec<Piece>)| {
                    let pieces: Vec<Piece> = pieces[1..].iter().copied().chain([piece]).collect();
                    plain(&child, &pieces, &bag, needed - 1)
                };
                draws.map(after).sum::<f64>() / count
            };
            best = f64::max(best, value);
        }
    }
    best
}

fn root<'a>(board: Board, reserve: Piece, rows: usize, pieces: &'a [Piece], bag: &'a [Piece]) -> Root<'a> {
    Root {
        board,
        standing: EvaluationState { reserve: Some(reserve), back_to_back: false, combo: 0 },
        pieces,
        bag,
        rules: &Rules::SPRINT,
        goal: Goal { lines: Some(rows as u32), ..Goal::default() },
        key_price: 0.0,
        held: true,
    }
}

/// A board of so many rows, as play leaves it that stays low.
fn low_board(seed: u64, rows: usize, placed: usize) -> Option<(Board, usize)> {
    let mut generator = stream(seed, Purpose::Player, 0);
    let mut task = PerfectTask { board: Board::EMPTY, rows, reserve: None };
    for piece in Bag::new(seed).take(placed) {
        let mut next = vec![];
        task.after(piece, None, Kicks::Srs, &mut vec![], |_, task, _| next.push(task));
        next.retain(|task| !task.is_hopeless());
        next.sort_by_key(PerfectTask::roughness);
        next.truncate(5);
        if next.is_empty() {
            return None;
        }
        task = next[below(&mut generator, next.len())];
    }
    Some((task.board, task.rows))
}

#[test]
fn chances_agree_with_trying_everything() {
    let mut between = 0;
    let mut compared = 0;
    for seed in 0..480 {
        let rows = 2 + 2 * (seed as usize % 2);
        let needed = 3 + seed as usize % 2;
        let Some((board, rows)) = low_board(seed, rows, rows * 10 / 4 - needed) else { continue };
        let mut bag = Bag::new(seed + 1000);
        let reserve = bag.next().unwrap();
        let pieces: Vec<Piece> = bag.by_ref().take(1 + seed as usize % 3).collect();
        let left = bag.left().to_vec();
        let root = root(board, reserve, rows, &pieces, &left);
        let aim = EndgameAim { scope: Scope::Any, share: 1.0, left: &Piece::ALL };
        let mut meter = Meter::new(Budget::nodes(100_000_000), 1e6, None);
        let (candidates, _) = solve(&mut Endgame::default(), &root, 0, aim, &mut meter);
        let found = candidates.first().map_or(0.0, |best| best.value);
        let task = PerfectTask { board, rows, reserve: Some(reserve) };
        let expected = plain(&task, &pieces, &left, needed);
        assert!((found - expected).abs() < 1e-9, "{found} for {expected}: seed {seed}\n{board}");
        compared += 1;
        between += u32::from(expected > 0.0 && expected < 1.0);
    }
    assert!(compared > 150 && between > 15, "{compared} compared, {between} neither sure nor lost");
}

/// What is kept from move to move changes nothing but the time it takes.
#[test]
fn what_was_found_before_changes_no_answer() {
    let aim = EndgameAim { scope: Scope::Any, share: 1.0, left: &Piece::ALL };
    let mut between = 0;
    for seed in 0..12 {
        let mut bag = Bag::new(seed);
        let mut task = PerfectTask { board: Board::EMPTY, rows: 4, reserve: bag.next() };
        let mut pieces: Vec<Piece> = bag.by_ref().take(4).collect();
        let mut kept = Endgame::default();
        for needed in (1..=10).rev() {
            let here = root(task.board, task.reserve.unwrap(), task.rows, &pieces, bag.left());
            // With few pieces to go there is time for everything.
            let budget = if needed > 6 { 60_000 } else { 100_000_000 };
            let best = |endgame: &mut Endgame| {
                let mut meter = Meter::new(Budget::nodes(budget), 1e6, None);
                solve(endgame, &here, 0, aim, &mut meter).0.into_iter().next()
            };
            let found = best(&mut kept);
            if needed <= 6 {
                let value = found.as_ref().map(|best| best.value);
                assert_eq!(value, best(&mut Endgame::default()).map(|best| best.value), "seed {seed}");
                between += u32::from(value.is_some_and(|value| value < 1.0));
            }
            let Some(Candidate { placement, .. }) = found else { break };
            if placement.piece != pieces[0] {
                task.reserve = Some(pieces[0]);
            }
            task.rows -= usize::from(task.board.place(&placement).unwrap().lines);
            pieces.remove(0);
            pieces.extend(bag.next());
        }
    }
    assert!(between >= 5, "{between} positions were open");
}

/// The way to an empty board ends with a piece that may be left over.
#[test]
fn what_is_left_over_was_asked_for() {
    let pieces = [Piece::I, Piece::O, Piece::O, Piece::S];
    let board: Board = "\n######....\n######....".parse().unwrap();
    let here = root(board, Piece::Z, 2, &pieces[1..3], &[]);
    let leave = |left| {
        let mut meter = Meter::new(Budget::nodes(10_000), 1e6, None);
        let aim = EndgameAim { scope: Scope::Any, share: 1.0, left };
        solve(&mut Endgame::default(), &here, 0, aim, &mut meter).0.len()
    };
    assert!(leave(&Piece::ALL) > 0 && leave(&[Piece::Z]) > 0);
    assert_eq!(leave(&[Piece::T, Piece::O]), 0);
}

/// What is compiled for newer processors finds what the plain code finds.
#[test]
fn every_processor_finds_the_same_ends() {
    let mut compared = 0;
    for seed in 0..60 {
        let Some((board, rows)) = low_board(seed, 4, seed as usize % 9) else { continue };
        let needed = (10 * rows - board.len()) / 4;
        let here = root(board, Piece::T, rows, &[], &[]);
        let mut endgame = Endgame::default();
        let all = endgame.imagine(&here, needed, &Piece::ALL, seed);
        let mut meter = Meter::new(Budget::nodes(1000), 1e6, None);
        let mut search = EndgameSearch::new(&mut endgame, &mut meter);
        let spot = Spot { board: LowBoard::of(&board, rows).unwrap(), reserve: Some(Piece::T) };
        let (mut fast, mut plain) = (vec![], vec![]);
        search.children(&spot, needed, all, &mut fast);
        search.children_anywhere(&spot, needed, all, &mut plain);
        assert_eq!(format!("{fast:?}"), format!("{plain:?}"));
        compared += fast.len();
    }
    assert!(compared > 1000, "{compared} positions");
}

#[test]
fn low_boards_are_judged_as_boards_are() {
    let mut seen = [0; 2];
    for seed in 0..200 {
        let rows = 3 + seed as usize % 6;
        let Some((board, rows)) = low_board(seed, rows, 1 + seed as usize % 8) else { continue };
        let task = PerfectTask { board, rows, reserve: None };
        for piece in Piece::ALL {
            let mut boards = vec![];
            LowBoard::of(&board, rows).unwrap().after(piece, Kicks::Srs, &mut boards);
            let mut plain = vec![];
            task.after(piece, None, Kicks::Srs, &mut vec![], |_, task, _| {
                // The same cells may be listed for several spins.
                if plain.iter().all(|other: &PerfectTask| other.board != task.board) {
                    plain.push(task);
                }
            });
            for task in &plain {
                let low = LowBoard::of(&task.board, task.rows).unwrap();
                assert!(boards.contains(&low), "{piece} on\n{board}");
                assert_eq!(low.is_hopeless(), task.is_hopeless(), "{}", task.board);
                assert_eq!(low.roughness(), task.roughness(), "{}", task.board);
                assert_eq!(low.len_empty() as usize, 10 * task.rows - task.board.len());
                seen[usize::from(low.is_hopeless())] += 1;
            }
            assert_eq!(boards.len(), plain.len(), "{piece} on\n{board}");
        }
    }
    assert!(seen.iter().all(|&count| count > 500), "{seen:?}");
}
