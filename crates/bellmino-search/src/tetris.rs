//! Tetrises that empty the board: the best clear there is.
//!
//! Nothing is cleared before the last piece, so the question is a plain one: fill nine columns of four rows, leave
//! the tenth to the I. The field is four bits a column.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;

use bellmino_engine::guideline::{Board, Kicks, Piece, Placement, WIDTH, moves};

use crate::hashing::Identity;

/// The four rows of a column.
const COLUMN: u64 = 0b1111;
/// All four rows.
const FIELD: u64 = (1 << (4 * WIDTH)) - 1;

/// Looks for placements that fill four rows but for one column, in the order of the pieces and with the reserve,
/// and then a tetris. `nodes` counts placements looked at; the search ends when it reaches `limit`.
pub(crate) fn solve(
    board: &Board,
    reserve: Option<Piece>,
    pieces: &[Piece],
    kicks: Kicks,
    nodes: &mut u64,
    limit: u64,
) -> Option<Vec<Placement>> {
    if board.height() > 4 {
        return None;
    }
    let empty = 4 * WIDTH - board.len();
    let needed = empty / 4;
    if !empty.is_multiple_of(4) || needed == 0 || needed > pieces.len() + usize::from(reserve.is_some()) {
        return None;
    }
    let field = (0..WIDTH).fold(0, |field, x| {
        field | (0..4).fold(0, |bits, y| bits | u64::from(board.contains(x, y)) << (4 * x + y))
    });
    for well in 0..WIDTH {
        if field >> (4 * well) & COLUMN != 0 {
            continue;
        }
        let mut search = WellSearch {
            well: COLUMN << (4 * well),
            pieces,
            kicks,
            failed: HashSet::default(),
            levels: vec![],
            line: vec![],
            nodes,
            limit,
        };
        if !is_hopeless(field | search.well) && search.run(board, field, reserve, 0, needed) {
            return Some(search.line);
        }
    }
    None
}

struct WellSearch<'a> {
    well: u64,
    pieces: &'a [Piece],
    kicks: Kicks,
    failed: HashSet<u64, BuildHasherDefault<Identity>>,
    levels: Vec<Vec<Placement>>,
    line: Vec<Placement>,
    nodes: &'a mut u64,
    limit: u64,
}

impl WellSearch<'_> {
    fn run(
        &mut self,
        board: &Board,
        field: u64,
        reserve: Option<Piece>,
        depth: usize,
        needed: usize,
    ) -> bool {
        let next = self.pieces.get(depth).copied();
        if needed == 1 {
            let at_hand = next == Some(Piece::I) || reserve == Some(Piece::I);
            let placements = moves::placements(board, Piece::I, self.kicks);
            let last = placements.into_iter().find(|placement| {
                let mut after = *board;
                after.place_unchecked(placement).perfect
            });
            self.line.extend(last.filter(|_| at_hand));
            return at_hand && last.is_some();
        }
        let key = field | reserve.map_or(7, |piece| piece as u64) << 40 | (depth as u64) << 44;
        if *self.nodes >= self.limit || self.failed.contains(&key) {
            return false;
        }
        if self.levels.len() <= depth {
            self.levels.resize_with(depth + 1, Vec::new);
        }
        let other = reserve.filter(|&piece| Some(piece) != next);
        for (piece, from_reserve) in [(next, false), (other, true)] {
            let Some(piece) = piece else { continue };
            let left = if from_reserve { next } else { reserve };
            if left.is_none() && depth >= self.pieces.len() {
                continue;
            }
            let mut placements = std::mem::take(&mut self.levels[depth]);
            placements.clear();
            moves::extend(board, piece, self.kicks, &mut placements);
            let mut last = 0;
            for placement in &placements {
                let mut cells = 0;
                let mut inside = true;
                for (x, y) in placement.cells() {
                    inside &= y < 4;
                    cells |= 1u64 << ((4 * x as u32 + y as u32) & 63);
                }
                if !inside || cells & self.well != 0 || cells == last {
                    continue;
                }
                // The same cells with another spin are the same here.
                last = cells;
                *self.nodes += 1;
                if is_hopeless(field | cells | self.well) {
                    continue;
                }
                let mut after = *board;
                after.place_unchecked(placement);
                self.line.push(*placement);
                if self.run(&after, field | cells, left, depth + 1, needed - 1) {
                    return true;
                }
                self.line.pop();
            }
            self.levels[depth] = placements;
        }
        self.failed.insert(key);
        false
    }
}

/// Whether some connected region of empty cells is no multiple of four.
fn is_hopeless(filled: u64) -> bool {
    const TOP: u64 = 0x88_8888_8888;
    const BOTTOM: u64 = 0x11_1111_1111;
    let mut empty = !filled & FIELD;
    while empty != 0 {
        let mut region = empty & empty.wrapping_neg();
        loop {
            let grown =
                (region | region << 4 | region >> 4 | (region & !TOP) << 1 | (region & !BOTTOM) >> 1) & empty;
            if grown == region {
                break;
            }
            region = grown;
        }
        if !region.count_ones().is_multiple_of(4) {
            return true;
        }
        empty &= !region;
    }
    false
}
