//! The solver of perfect clears against trying everything.

use std::collections::HashSet;

use bellmino_engine::guideline::{Bag, Board, Cleared, Kicks, Piece, moves};
use bellmino_search::{Puzzle, SearchAnswer, Solver};

use crate::{board, pieces};

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
