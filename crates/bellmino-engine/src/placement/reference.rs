//! The slow oracle: placement rules cell by cell, as plainly as they can be said.
//!
//! Nothing here shares code with the fast routines. Property tests compare the two; nothing else should use it.

use std::collections::HashSet;

use super::board_dealer::BoardDealer;
use super::landing::{Overflow, Path};
use crate::game::PlacementGame;

/// A cell: column and row, row 0 at the bottom.
pub type Square = (i32, i32);

/// A board as the set of its filled cells.
pub type Cells = HashSet<Square>;

/// A resting piece: rotation index and cells, sorted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Resting {
    /// Index into the distinct rotations.
    pub rotation: usize,
    /// Leftmost column and lowest row.
    pub corner: Square,
    /// The cells covered.
    pub cells: Vec<Square>,
}

/// What a placement led to: the board and rows cleared, or `None` when the game ended by overflow.
pub type Settled = Option<(Cells, u32)>;

/// Every distinct rotation of a drawing as normalised cells, clockwise from the one drawn.
pub fn rotations(drawing: &[String]) -> Vec<Vec<Square>> {
    let mut cells = Vec::new();
    for (from_top, row) in drawing.iter().enumerate() {
        for (x, character) in row.chars().enumerate() {
            if character == '#' {
                cells.push((x as i32, (drawing.len() - 1 - from_top) as i32));
            }
        }
    }
    let mut all: Vec<Vec<Square>> = Vec::new();
    for _ in 0..4 {
        let left = cells.iter().map(|cell| cell.0).min().unwrap_or(0);
        let bottom = cells.iter().map(|cell| cell.1).min().unwrap_or(0);
        let mut normal: Vec<Square> = cells.iter().map(|(x, y)| (x - left, y - bottom)).collect();
        normal.sort_unstable();
        if !all.contains(&normal) {
            all.push(normal);
        }
        cells = cells.iter().map(|(x, y)| (*y, -x)).collect();
    }
    all
}

/// Every legal placement of a piece with its result, in the order rotation, column, row.
pub fn placements(game: &PlacementGame, board: &Cells, piece: usize) -> Vec<(Resting, Settled)> {
    let (width, height) = (game.width() as i32, game.height() as i32);
    let drawing = game.pieces()[piece].rotations()[0].draw();
    let by_keys = (game.landing().path == Path::Keys).then(|| locked_by_keys(game, board, piece));
    let mut list = Vec::new();
    for (rotation, shape) in rotations(&drawing).iter().enumerate() {
        let at = |x: i32, y: i32| -> Vec<Square> { shape.iter().map(|(dx, dy)| (x + dx, y + dy)).collect() };
        let free = |x: i32, y: i32| {
            at(x, y).iter().all(|cell| cell.0 >= 0 && cell.0 < width && cell.1 >= 0 && !board.contains(cell))
        };
        for x in 0..width {
            for y in 0..=height {
                let reached = match &by_keys {
                    Some(places) => places.contains(&at(x, y)),
                    None => reachable(game, &free, x, y),
                };
                if !free(x, y) || free(x, y - 1) || !reached {
                    continue;
                }
                let cells = at(x, y);
                if game.landing().overflow == Overflow::Forbidden && cells.iter().any(|cell| cell.1 >= height)
                {
                    continue;
                }
                let above = cells.iter().any(|cell| cell.1 >= height);
                let ends = above && game.landing().overflow == Overflow::EndFirst;
                let after = if ends { None } else { settle(game, board, &cells) };
                list.push((Resting { rotation, corner: (x, y), cells }, after));
            }
        }
    }
    list
}

/// Leaves after exactly `depth` placements, fatal ones left out. A dealer that sees the board has seen nothing before.
pub fn perft(game: &PlacementGame, board: &Cells, state: super::DealerState, depth: u32) -> u64 {
    perft_after(game, std::slice::from_ref(board), state, depth)
}

/// The same for the last of these boards, the others before it.
fn perft_after(game: &PlacementGame, boards: &[Cells], state: super::DealerState, depth: u32) -> u64 {
    let Some(board) = boards.last() else { return 0 };
    if depth == 0 {
        return 1;
    }
    let by_board = game.dealer().sees_board().map(|dealer| dealt(game, dealer, boards));
    let mut leaves = 0;
    for deal in game.dealer().deals(state) {
        if by_board.is_some_and(|piece| piece != usize::from(deal.piece)) {
            continue;
        }
        for (_, after) in placements(game, board, deal.piece as usize) {
            if let Some((board, _)) = after {
                let boards: Vec<Cells> = boards.iter().cloned().chain([board]).collect();
                leaves += perft_after(game, &boards, deal.next, depth - 1);
            }
        }
    }
    leaves
}

/// What a dealer that sees the board deals on the last of these boards, which are all that were there when it dealt.
pub fn dealt(game: &PlacementGame, dealer: BoardDealer, boards: &[Cells]) -> usize {
    let Some(board) = boards.last() else { return 0 };
    if let BoardDealer::Brzustowski { pieces } = dealer {
        // The whole game again: which step, and the boards of it.
        let (mut step, mut seen, mut piece) = (1, Vec::new(), 0);
        for board in boards {
            piece = if step == 1 || step == 4 { pieces[0] } else { pieces[1] };
            let repeats = seen.contains(board);
            seen.push(board.clone());
            if step == 2 || step == 4 || repeats {
                step = if step == 4 { 1 } else { step + 1 };
                seen.clear();
            }
        }
        return usize::from(piece);
    }
    let judged = |piece: usize| {
        let follow: Vec<Cells> =
            placements(game, board, piece).into_iter().filter_map(|(_, after)| Some(after?.0)).collect();
        let times = |after: &Cells| boards.iter().filter(|before| *before == after).count();
        let most = follow.iter().map(times).max().unwrap_or(0);
        let top = |after: &Cells| after.iter().map(|cell| cell.1 + 1).max().unwrap_or(0);
        let lowest = follow.iter().map(top).min().unwrap_or(i32::MAX);
        (if dealer == BoardDealer::Hatetris { most } else { 0 }, -i64::from(lowest), piece)
    };
    (0..game.pieces().len()).map(judged).min().map_or(0, |(_, _, piece)| piece)
}

/// The cells, sorted, of every place at which keys can lock a piece.
fn locked_by_keys(game: &PlacementGame, board: &Cells, piece: usize) -> HashSet<Vec<Square>> {
    let (width, height) = (game.width() as i32, game.height() as i32);
    let Some(keys) = game.keys() else { return HashSet::new() };
    let boxes = keys.system().drawings(game.pieces()[piece].name());
    let covered = |(turn, x, y): (usize, i32, i32)| {
        let mut cells = Vec::new();
        for (from_top, row) in boxes[turn].split('/').enumerate() {
            for (dx, character) in row.chars().enumerate() {
                if character == '#' {
                    cells.push((x + dx as i32, y + 3 - from_top as i32));
                }
            }
        }
        cells.sort_unstable();
        cells
    };
    let free = |place| {
        let inside = |cell: &Square| cell.0 >= 0 && cell.0 < width && cell.1 >= 0;
        covered(place).iter().all(|cell| inside(cell) && !board.contains(cell))
    };
    let begin = (0, (width - 4) / 2, height);
    let (mut seen, mut open, mut locked) = (HashSet::from([begin]), vec![begin], HashSet::new());
    while let Some((turn, x, y)) = open.pop() {
        if !free((turn, x, y - 1)) {
            locked.insert(covered((turn, x, y)));
        }
        for next in [(turn, x - 1, y), (turn, x + 1, y), (turn, x, y - 1), ((turn + 1) % 4, x, y)] {
            if free(next) && seen.insert(next) {
                open.push(next);
            }
        }
    }
    locked
}

fn reachable(game: &PlacementGame, free: &impl Fn(i32, i32) -> bool, x: i32, y: i32) -> bool {
    let above = game.height() as i32;
    match game.landing().path {
        // By keys: not asked.
        Path::Anywhere | Path::Keys => true,
        Path::Drop => (y..=above).all(|row| free(x, row)),
        Path::Slide => {
            // Backwards from the resting place: up, left and right, until above the board.
            let mut seen = HashSet::from([(x, y)]);
            let mut open = vec![(x, y)];
            while let Some((x, y)) = open.pop() {
                if y >= above {
                    return true;
                }
                for next in [(x, y + 1), (x - 1, y), (x + 1, y)] {
                    if free(next.0, next.1) && seen.insert(next) {
                        open.push(next);
                    }
                }
            }
            false
        }
    }
}

fn settle(game: &PlacementGame, board: &Cells, cells: &[Square]) -> Settled {
    let (width, height) = (game.width() as i32, game.height() as i32);
    let filled: Cells = board.iter().chain(cells).copied().collect();
    let is_full = |row: i32| (0..width).all(|x| filled.contains(&(x, row)));
    let full: Vec<i32> = (0..height + 8).filter(|&row| is_full(row)).collect();
    let fallen: Cells = filled
        .iter()
        .filter(|cell| !full.contains(&cell.1))
        .map(|&(x, y)| (x, y - full.iter().filter(|&&row| row < y).count() as i32))
        .collect();
    if fallen.iter().any(|cell| cell.1 >= height) { None } else { Some((fallen, full.len() as u32)) }
}
