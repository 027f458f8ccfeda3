//! Counting all ways to play a queue: the check that a move generator is right, and its speed.

use super::board::Board;
use super::kicks::Kicks;
use super::moves;
use super::piece::Piece;
use super::placement::{Placement, Spin};

/// The number of ways to place the pieces of `queue` one after the other, without hold; the same
/// cells count once. The last piece is counted and not listed. `go_on` is asked now and then; when it says
/// `false` the count ends without a result, and so does one beyond 64 bits.
///
/// ```
/// use bellmino_engine::guideline::{perft, Board, Kicks, Piece};
/// assert_eq!(perft(&Board::EMPTY, &[Piece::I, Piece::O], Kicks::Srs, || true), Some(153));
/// ```
pub fn perft(board: &Board, queue: &[Piece], kicks: Kicks, go_on: impl Fn() -> bool) -> Option<u64> {
    let mut lists: Vec<Vec<Placement>> = vec![Vec::with_capacity(128); queue.len()];
    descend(board, queue, kicks, &mut lists, &go_on)
}

fn descend(
    board: &Board,
    queue: &[Piece],
    kicks: Kicks,
    lists: &mut [Vec<Placement>],
    go_on: &dyn Fn() -> bool,
) -> Option<u64> {
    let (&piece, rest) = match queue {
        [] => return Some(1),
        [last] => return Some(u64::from(moves::count(board, *last, kicks))),
        [piece, rest @ ..] => (piece, rest),
    };
    if rest.len() > 1 && !go_on() {
        return None;
    }
    let (list, deeper) = lists.split_first_mut()?;
    list.clear();
    moves::extend(board, piece, kicks, list);
    if piece == Piece::T {
        for placement in list.iter_mut() {
            placement.spin = Spin::None;
        }
        list.sort_unstable();
        list.dedup();
    }
    let mut leaves = 0u64;
    for placement in list.iter() {
        let mut after = *board;
        after.place_unchecked(placement);
        leaves = leaves.checked_add(descend(&after, rest, kicks, deeper, go_on)?)?;
    }
    Some(leaves)
}
