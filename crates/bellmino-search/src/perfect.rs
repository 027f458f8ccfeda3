//! The perfect-clear solver: can these pieces empty the board within these rows?
//!
//! A depth-first search over real placements, in order and with hold, so that every solution can be played. It
//! remembers failed positions and cuts off boards that no pieces can complete.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;

use bellmino_engine::guideline::{Board, Goal, Kicks, Piece, Placement, Rules, WIDTH, moves};

use crate::bot::Candidate;
use crate::budget::{Budget, Meter};
use crate::endgame::{self, Endgame, EndgameAim, Scope};
use crate::evaluation::EvaluationState;
use crate::expansion::Root;
use crate::hashing::{Identity, hash_with};

/// A board to be emptied: the rows `0..rows` must be full once each, and nothing may lie above them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Puzzle {
    /// Filled cells.
    pub board: Board,
    /// The pieces to come after the one set aside.
    pub pieces: Vec<Piece>,
    /// The piece set aside: held, or with hold allowed and nothing held the first to come.
    pub reserve: Option<Piece>,
    /// Rows to clear.
    pub rows: usize,
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
pub enum SearchAnswer {
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
    lists: Vec<PerfectLevel>,
    /// Placements applied so far.
    pub nodes: u64,
    limit: u64,
}

#[derive(Debug, Default)]
struct PerfectLevel {
    placements: Vec<Placement>,
    children: Vec<Child>,
}

/// The line of play looked at, and the solutions so far.
struct Solutions {
    line: Vec<Placement>,
    lines: Vec<Vec<Placement>>,
    most: usize,
}

/// A board to be emptied and the piece set aside; the pieces to come are known elsewhere.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PerfectTask {
    pub board: Board,
    pub rows: usize,
    pub reserve: Option<Piece>,
}

#[derive(Clone, Copy, Debug)]
struct Child {
    task: PerfectTask,
    placement: Placement,
    rank: u32,
}

impl PerfectTask {
    /// Calls `each` with what is left to do after each placement of a piece that stays within the rows, and the rows it
    /// cleared; gives the number of these. `reserve` is the piece set aside then.
    pub fn after(
        &self,
        piece: Piece,
        reserve: Option<Piece>,
        kicks: Kicks,
        placements: &mut Vec<Placement>,
        mut each: impl FnMut(Placement, PerfectTask, u8),
    ) -> u64 {
        placements.clear();
        moves::extend(&self.board, piece, kicks, placements);
        let mut last = None;
        let mut count = 0;
        for &placement in placements.iter() {
            let cells = placement.cells();
            // The same cells with another spin are the same here.
            if last == Some(cells) || cells.iter().any(|&(_, y)| y as usize >= self.rows) {
                continue;
            }
            last = Some(cells);
            count += 1;
            let mut board = self.board;
            let lines = board.place_unchecked(&placement).lines;
            each(placement, PerfectTask { board, rows: self.rows - usize::from(lines), reserve }, lines);
        }
        count
    }
}

impl Puzzle {
    /// The best first placements when the pieces beyond the known ones come from `bag` (what is left in it; then full
    /// bags of seven), and how many futures were tried: all of them, if they are few. A placement is worth the share of
    /// futures that can be solved after it, seeing one more piece before each further one. At most `nodes` placements
    /// are applied. Empty if no future was solved.
    pub fn chances(&self, bag: &[Piece], seed: u64, nodes: u64) -> (Vec<Candidate>, usize) {
        let rules = Rules { kicks: self.kicks, ..Rules::PRACTICE };
        let root = Root {
            board: self.board,
            standing: EvaluationState { reserve: self.reserve, back_to_back: false, combo: 0 },
            pieces: &self.pieces,
            bag,
            rules: &rules,
            goal: Goal { lines: Some(self.rows as u32), ..Goal::default() },
            key_price: 0.0,
            held: false,
        };
        let mut meter = Meter::new(Budget::nodes(nodes), 1e6, None);
        let aim = EndgameAim { scope: Scope::Any, share: 1.0, left: &Piece::ALL };
        endgame::solve(&mut Endgame::default(), &root, seed, aim, &mut meter)
    }
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
    pub fn solve(&mut self, puzzle: &Puzzle, limit: u64) -> SearchAnswer {
        match self.solutions(puzzle, 1, limit) {
            (mut lines, _) if !lines.is_empty() => SearchAnswer::Solved(lines.swap_remove(0)),
            (_, true) => SearchAnswer::Impossible,
            (_, false) => SearchAnswer::Unknown,
        }
    }

    /// Up to `most` ways to empty the board, applying at most `limit` placements, and whether the search came to
    /// its end, so that there are no others.
    pub fn solutions(&mut self, puzzle: &Puzzle, most: usize, limit: u64) -> (Vec<Vec<Placement>>, bool) {
        let Some(needed) = puzzle.needed() else { return (vec![], true) };
        let mut found = Solutions { line: Vec::with_capacity(needed), lines: vec![], most: most.max(1) };
        self.limit = self.nodes.saturating_add(limit);
        let task = PerfectTask { board: puzzle.board, rows: puzzle.rows, reserve: puzzle.reserve };
        let end = self.search(puzzle, &task, 0, needed, &mut found);
        let complete = end.is_some() && found.lines.len() < most;
        (found.lines, complete)
    }

    /// Whether the position can be solved; `None` if the limit was reached.
    fn search(
        &mut self,
        puzzle: &Puzzle,
        task: &PerfectTask,
        depth: usize,
        needed: usize,
        found: &mut Solutions,
    ) -> Option<bool> {
        if needed == 0 {
            found.lines.push(found.line.clone());
            return Some(true);
        }
        let key = task.key(puzzle.pieces.len() - depth.min(puzzle.pieces.len()));
        if self.failed.contains(&key) {
            return Some(false);
        }
        if self.nodes >= self.limit {
            return None;
        }
        if self.lists.len() <= depth {
            self.lists.resize_with(depth + 1, PerfectLevel::default);
        }
        let mut level = std::mem::take(&mut self.lists[depth]);
        level.children.clear();
        let next = puzzle.pieces.get(depth).copied();
        let other = task.reserve.filter(|&piece| Some(piece) != next);
        for (piece, from_reserve) in [(next, false), (other, true)] {
            let Some(piece) = piece else { continue };
            if from_reserve && next.is_none() && needed > 1 {
                continue;
            }
            let reserve = if from_reserve { next } else { task.reserve };
            let PerfectLevel { placements, children } = &mut level;
            self.nodes += task.after(piece, reserve, puzzle.kicks, placements, |placement, task, lines| {
                if puzzle.tetris && lines > 0 && !(lines == 4 && needed == 1) || task.is_hopeless() {
                    return;
                }
                children.push(Child { task, placement, rank: task.roughness() });
            });
        }
        level.children.sort_by_key(|child| child.rank);
        let mut answer = Some(false);
        for child in &level.children {
            found.line.push(child.placement);
            let below = self.search(puzzle, &child.task, depth + 1, needed - 1, found);
            found.line.pop();
            answer = match (answer, below) {
                (Some(before), Some(below)) => Some(before | below),
                _ => None,
            };
            if answer.is_none() || found.lines.len() >= found.most {
                break;
            }
        }
        self.lists[depth] = level;
        if answer == Some(false) {
            self.failed.insert(key);
        }
        answer
    }
}

impl PerfectTask {
    /// Whether no pieces at all can complete these rows: where no row has two empty cells beside each other across a
    /// boundary of columns, no piece crosses it, so both sides must be multiples of four. Clearing rows does not
    /// change which cells lie beside each other.
    #[inline]
    pub fn is_hopeless(&self) -> bool {
        let PerfectTask { board, rows, .. } = *self;
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
    pub fn roughness(&self) -> u32 {
        let PerfectTask { board, rows, .. } = *self;
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
    pub fn key(&self, left: usize) -> u64 {
        let PerfectTask { board, rows, reserve } = *self;
        let extra = reserve.map_or(7, |piece| piece as u64) | (rows as u64) << 3 | (left as u64) << 8;
        hash_with(&board, extra)
    }
}
