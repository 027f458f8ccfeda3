//! The perfect-clear solver: can these pieces empty the board within these rows?
//!
//! A depth-first search over real placements, in order and with hold, so that every solution can be played. It
//! remembers failed positions and cuts off boards that no pieces can complete.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;

use bellmino_engine::guideline::{Board, Kicks, Piece, Placement, WIDTH, moves};

use crate::beam::{Identity, mix};

/// A board to be emptied: the rows `0..rows` must be full once each, and nothing may lie above them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Puzzle {
    /// Filled cells.
    pub board: Board,
    /// Rows to clear.
    pub rows: usize,
    /// The piece set aside: held, or with hold allowed and nothing held the first to come.
    pub reserve: Option<Piece>,
    /// The pieces to come after it.
    pub pieces: Vec<Piece>,
    /// How pieces turn.
    pub kicks: Kicks,
    /// Whether only a clear of four rows at once by the last piece counts.
    pub tetris: bool,
}

impl Puzzle {
    /// The number of pieces that fill the rows exactly, if there is one.
    pub fn needed(&self) -> Option<usize> {
        let empty = (self.rows * WIDTH).checked_sub(self.board.len())?;
        (empty % 4 == 0 && self.board.height() <= self.rows).then_some(empty / 4)
    }
}

/// The answer of a search with a bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The placements, the first one first.
    Solved(Vec<Placement>),
    /// There is no way.
    Impossible,
    /// The bound was reached first.
    Unknown,
}

/// A solver; what it has learned of one puzzle helps with the next as long as the pieces and rules are the same.
#[derive(Debug, Default)]
pub struct Solver {
    failed: HashSet<u64, BuildHasherDefault<Identity>>,
    lists: Vec<Level>,
    /// Placements applied so far.
    pub nodes: u64,
    limit: u64,
}

#[derive(Debug, Default)]
struct Level {
    placements: Vec<Placement>,
    children: Vec<Child>,
}

#[derive(Clone, Copy, Debug)]
struct Child {
    board: Board,
    rows: usize,
    reserve: Option<Piece>,
    placement: Placement,
    rank: u32,
}

impl Solver {
    /// A new solver.
    pub fn new() -> Solver {
        Solver::default()
    }

    /// Forgets what it has learned: call it when the pieces to come change.
    pub fn clear(&mut self) {
        self.failed.clear();
    }

    /// Looks for a way to empty the board, applying at most `limit` placements.
    pub fn solve(&mut self, puzzle: &Puzzle, limit: u64) -> Answer {
        let Some(needed) = puzzle.needed() else { return Answer::Impossible };
        let mut line = Vec::with_capacity(needed);
        self.limit = self.nodes.saturating_add(limit);
        match self.search(puzzle, &puzzle.board, puzzle.rows, puzzle.reserve, 0, needed, &mut line) {
            Some(true) => Answer::Solved(line),
            Some(false) => Answer::Impossible,
            None => Answer::Unknown,
        }
    }

    /// Whether the position can be solved, with the placements in `line`; `None` if the limit was reached.
    #[allow(clippy::too_many_arguments)]
    fn search(
        &mut self,
        puzzle: &Puzzle,
        board: &Board,
        rows: usize,
        reserve: Option<Piece>,
        depth: usize,
        needed: usize,
        line: &mut Vec<Placement>,
    ) -> Option<bool> {
        if needed == 0 {
            return Some(true);
        }
        let key = key(board, rows, reserve, puzzle.pieces.len() - depth.min(puzzle.pieces.len()));
        if self.failed.contains(&key) {
            return Some(false);
        }
        if self.nodes >= self.limit {
            return None;
        }
        if self.lists.len() <= depth {
            self.lists.resize_with(depth + 1, Level::default);
        }
        let mut level = std::mem::take(&mut self.lists[depth]);
        level.children.clear();
        let next = puzzle.pieces.get(depth).copied();
        let other = reserve.filter(|&piece| Some(piece) != next);
        for (piece, from_reserve) in [(next, false), (other, true)] {
            let Some(piece) = piece else { continue };
            if from_reserve && next.is_none() && needed > 1 {
                continue;
            }
            let left = if from_reserve { next } else { reserve };
            level.placements.clear();
            moves::extend(board, piece, puzzle.kicks, &mut level.placements);
            let mut last = None;
            for &placement in &level.placements {
                let cells = placement.cells();
                // The same cells with another spin are the same here.
                if last == Some(cells) || cells.iter().any(|&(_, y)| y as usize >= rows) {
                    continue;
                }
                last = Some(cells);
                self.nodes += 1;
                let mut board = *board;
                let cleared = board.place_unchecked(&placement);
                if puzzle.tetris && cleared.lines > 0 && !(cleared.lines == 4 && needed == 1) {
                    continue;
                }
                let rows = rows - usize::from(cleared.lines);
                if is_hopeless(&board, rows) {
                    continue;
                }
                let rank = roughness(&board, rows);
                level.children.push(Child { board, rows, reserve: left, placement, rank });
            }
        }
        level.children.sort_by_key(|child| child.rank);
        let mut answer = Some(false);
        for child in &level.children {
            line.push(child.placement);
            let found =
                self.search(puzzle, &child.board, child.rows, child.reserve, depth + 1, needed - 1, line);
            if found != Some(false) {
                answer = found;
                break;
            }
            line.pop();
        }
        self.lists[depth] = level;
        if answer == Some(false) {
            self.failed.insert(key);
        }
        answer
    }
}

/// Whether no pieces at all can complete these rows: where no row has two empty cells beside each other across a
/// boundary of columns, no piece crosses it, so both sides must be multiples of four. Clearing rows does not
/// change which cells lie beside each other.
#[inline]
pub(crate) fn is_hopeless(board: &Board, rows: usize) -> bool {
    if rows == 0 {
        return false;
    }
    let mask = u64::MAX << (64 - rows);
    let columns = board.columns();
    let mut last = !columns[0].bits() & mask;
    let mut count = last.count_ones();
    for column in &columns[1..] {
        let empty = !column.bits() & mask;
        if empty & last == 0 && !count.is_multiple_of(4) {
            return true;
        }
        count += empty.count_ones();
        last = empty;
    }
    false
}

/// Changes between filled and empty along rows and columns: low for boards that are easy to fill.
#[inline]
fn roughness(board: &Board, rows: usize) -> u32 {
    if rows == 0 {
        return 0;
    }
    let mask = u64::MAX << (64 - rows);
    let columns = board.columns();
    let mut sum = 0;
    let mut last = u64::MAX;
    for column in columns {
        let bits = column.bits();
        sum += ((bits ^ last) & mask).count_ones();
        // Filled over empty counts, empty over filled is a mere surface.
        let holes = !bits & (bits << 1) & mask;
        sum += 2 * holes.count_ones();
        last = bits;
    }
    sum + (!last & mask).count_ones()
}

/// A number for the position, the rows and the pieces left.
#[inline]
fn key(board: &Board, rows: usize, reserve: Option<Piece>, left: usize) -> u64 {
    let mut low = reserve.map_or(7, |piece| piece as u64) | (rows as u64) << 3 | (left as u64) << 8;
    let mut high = 0x2545_f491_4f6c_dd1d;
    for pair in board.columns().chunks_exact(2) {
        low = mix(low, pair[0].bits() >> 24);
        high = mix(high, pair[1].bits() >> 24);
    }
    mix(low, high)
}
