//! The slow, obvious move generator: a search cell by cell. It is the oracle that the fast one is
//! tested against; nothing else should use it.

use std::collections::{BTreeSet, HashSet};

use super::board::Board;
use super::kicks::Kicks;
use super::piece::Piece;
use super::placement::{Placement, Spin};

/// Every placement reachable from the spawn by shifts, single-row drops and turns, each spin kind
/// apart, under canonical names.
pub fn placements(board: &Board, piece: Piece, kicks: Kicks) -> BTreeSet<Placement> {
    let spawn = Placement::spawn(piece);
    let mut found = BTreeSet::new();
    let mut seen = HashSet::new();
    let mut open = vec![];
    if board.fits(&spawn) {
        seen.insert(spawn);
        open.push(spawn);
    }
    while let Some(at) = open.pop() {
        if board.rests(&at) {
            found.insert(at.canonical());
        }
        let moves = [(-1, 0), (1, 0), (0, -1)].map(|(dx, dy)| Placement {
            x: at.x + dx,
            y: at.y + dy,
            spin: Spin::None,
            ..at
        });
        let next = moves.into_iter().filter(|to| board.fits(to));
        let turns = kicks.turns().iter().filter_map(|&turn| kicks.turned(board, &at, turn));
        for to in next.chain(turns) {
            if seen.insert(to) {
                open.push(to);
            }
        }
    }
    found
}

/// Sequences of placements for a queue without hold, the same cells counted once.
pub fn perft(board: &Board, queue: &[Piece], kicks: Kicks) -> u64 {
    let Some((&piece, rest)) = queue.split_first() else { return 1 };
    let cells: BTreeSet<Placement> =
        placements(board, piece, kicks).into_iter().map(|p| Placement { spin: Spin::None, ..p }).collect();
    cells
        .iter()
        .map(|placement| {
            let mut after = *board;
            after.place(placement);
            perft(&after, rest, kicks)
        })
        .sum()
}
