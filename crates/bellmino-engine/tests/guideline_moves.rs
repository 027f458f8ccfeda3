//! The fast move generator against the slow one, and against published counts.

mod common;

use std::collections::BTreeSet;

use bellmino_engine::guideline::{Board, Kicks, Piece, Placement, Spin, moves, perft, reference};
use common::boards;
use proptest::prelude::*;

fn check(board: &Board, piece: Piece, kicks: Kicks) {
    let slow = reference::placements(board, piece, kicks);
    let list = moves::placements(board, piece, kicks);
    let fast: BTreeSet<Placement> = list.iter().copied().collect();
    assert_eq!(fast.len(), list.len(), "{piece} is listed twice with {kicks:?} on {board:?}");
    assert_eq!(fast, slow, "{piece} with {kicks:?} on {board:?}");
    let cells: BTreeSet<Placement> = slow.iter().map(|p| Placement { spin: Spin::None, ..*p }).collect();
    assert_eq!(
        moves::count(board, piece, kicks) as usize,
        cells.len(),
        "{piece} with {kicks:?} on {board:?}"
    );
}

fn queue(letters: &str) -> Vec<Piece> {
    letters.chars().map(|letter| Piece::from_letter(letter).unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fast_and_slow_list_the_same(board in boards(26)) {
        for piece in Piece::ALL {
            for kicks in Kicks::ALL {
                check(&board, piece, kicks);
            }
        }
    }
}

#[test]
fn published_counts() {
    assert_eq!(perft(&Board::EMPTY, &queue("IOLJ"), Kicks::Srs, || true), Some(188_374));
    assert_eq!(perft(&Board::EMPTY, &queue("IIIIII"), Kicks::Srs, || true), Some(33_325_345));
}

#[test]
#[ignore = "long: ./test --long"]
fn published_count_of_a_whole_bag() {
    assert_eq!(perft(&Board::EMPTY, &queue("IOLJSZT"), Kicks::Srs, || true), Some(2_647_076_135));
}

/// Overhangs, slots for spins and kicks, caves, towers, boards near the ceiling.
#[test]
fn twenty_awkward_boards() {
    let boards: Vec<Board> = include_str!("data/awkward_boards.txt")
        .split("\n\n")
        .map(|text| text.parse().unwrap_or_else(|error| panic!("{error}:\n{text}")))
        .collect();
    assert_eq!(boards.len(), 20);
    for (index, board) in boards.iter().enumerate() {
        for piece in Piece::ALL {
            for kicks in Kicks::ALL {
                check(board, piece, kicks);
            }
        }
        for letters in ["TI", "SZ", "LJ", "OT"] {
            let pieces = queue(letters);
            let slow = reference::perft(board, &pieces, Kicks::Srs);
            let fast = perft(board, &pieces, Kicks::Srs, || true);
            assert_eq!(fast, Some(slow), "{letters} on board {}", index + 1);
        }
    }
}
