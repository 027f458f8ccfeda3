//! The slow oracle: placement rules cell by cell, as plainly as they can be said.
//!
//! Nothing here shares code with the fast routines. Property tests compare the two; nothing else should use it.

use std::collections::HashSet;

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
    let mut list = Vec::new();
    for (rotation, shape) in rotations(&drawing).iter().enumerate() {
        let at = |x: i32, y: i32| -> Vec<Square> { shape.iter().map(|(dx, dy)| (x + dx, y + dy)).collect() };
        let free = |x: i32, y: i32| {
            at(x, y).iter().all(|cell| cell.0 >= 0 && cell.0 < width && cell.1 >= 0 && !board.contains(cell))
        };
        for x in 0..width {
            for y in 0..=height {
                if !free(x, y) || free(x, y - 1) || !reachable(game, &free, x, y) {
                    continue;
                }
                let cells = at(x, y);
                if game.landing().overflow == Overflow::Forbidden && cells.iter().any(|cell| cell.1 >= height)
                {
                    continue;
                }
                let after = settle(game, board, &cells);
                list.push((Resting { rotation, corner: (x, y), cells }, after));
            }
        }
    }
    list
}

/// Leaves after exactly `depth` placements, fatal ones left out.
pub fn perft(game: &PlacementGame, board: &Cells, state: super::DealerState, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut leaves = 0;
    for deal in game.dealer().deals(state) {
        for (_, after) in placements(game, board, deal.piece as usize) {
            if let Some((board, _)) = after {
                leaves += perft(game, &board, deal.next, depth - 1);
            }
        }
    }
    leaves
}

fn reachable(game: &PlacementGame, free: &impl Fn(i32, i32) -> bool, x: i32, y: i32) -> bool {
    let above = game.height() as i32;
    match game.landing().path {
        Path::Anywhere => true,
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
