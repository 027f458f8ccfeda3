//! The end of a Sprint: the last piece must empty the board with the last row, and then no piece was wasted.
//!
//! Pieces beyond the queue are imagined, several times over; the placement after which most of these futures
//! can be solved is the best.

use bellmino_engine::guideline::{Board, Piece, Placement, moves};
use bellmino_engine::{Purpose, below, stream};

use crate::beam::Root;
use crate::bot::Candidate;
use crate::budget::Meter;
use crate::perfect::{Answer, Puzzle, Solver, is_hopeless};

/// The most rows left for which the solver is asked.
pub(crate) const ROWS: usize = 6;
/// The most futures imagined.
const FUTURES: usize = 24;
/// Placements applied for one question at most.
const LIMIT: u64 = 30_000;

/// The pieces to come after the known ones, as they might be.
pub(crate) fn futures(
    root: &Root<'_>,
    bag: &[Piece],
    length: usize,
    count: usize,
    seed: u64,
) -> Vec<Vec<Piece>> {
    let known = root.pieces.len().min(length);
    let mut list: Vec<Vec<Piece>> = vec![];
    let mut generator = stream(seed, Purpose::Player, length as u64);
    // Twice the draws, since the same future may come up again.
    for _ in 0..2 * count {
        let mut pieces = root.pieces[..known].to_vec();
        let mut left = bag.to_vec();
        while pieces.len() < length {
            if left.is_empty() {
                left = Piece::ALL.to_vec();
            }
            pieces.push(left.swap_remove(below(&mut generator, left.len())));
        }
        if !list.contains(&pieces) {
            list.push(pieces);
        }
        if list.len() == count || known == length {
            break;
        }
    }
    list
}

/// The placements that can end the game on an empty board, the most likely first, with the share of futures in
/// which they do. Empty if none was found.
pub(crate) fn solve(
    root: &Root<'_>,
    bag: &[Piece],
    seed: u64,
    solver: &mut Solver,
    meter: &mut Meter<'_>,
) -> Vec<Candidate> {
    let Some(rows) = root.lines_left.map(|lines| lines as usize) else { return vec![] };
    let puzzle = |board: &Board, rows: usize, reserve, pieces: &[Piece]| Puzzle {
        board: *board,
        rows,
        reserve,
        pieces: pieces.to_vec(),
        kicks: root.rules.kicks,
        tetris: false,
    };
    let first = puzzle(&root.board, rows, root.standing.reserve, &[]);
    let Some(needed) = first.needed().filter(|&needed| needed > 0 && rows <= ROWS) else { return vec![] };
    let futures = futures(root, bag, needed, FUTURES, seed);
    let mut tried: Vec<Tried> = vec![];
    let mut asked = 0;
    for pieces in &futures {
        if asked > 0 && (meter.is_over() || meter.share_used() > 0.4) {
            break;
        }
        asked += 1;
        solver.clear();
        solver.nodes = 0;
        let answer = solver.solve(&puzzle(&root.board, rows, root.standing.reserve, pieces), LIMIT);
        meter.nodes += solver.nodes;
        if let Answer::Solved(line) = answer
            && tried.iter().all(|known| known.line[0] != line[0])
        {
            tried.push(Tried { line, solved: 0, questions: 0 });
        }
    }
    if futures.len() == 1 || tried.is_empty() {
        return tried.into_iter().map(|tried| tried.candidate(1.0)).collect();
    }
    'futures: for pieces in &futures {
        solver.clear();
        let most = tried.iter().map(|tried| tried.solved).max().unwrap_or(0);
        for tried in &mut tried {
            // One that has fallen behind is not looked at again.
            if tried.solved + 3 < most {
                continue;
            }
            if meter.is_over() {
                break 'futures;
            }
            let Some((board, cleared, reserve)) = after(root, &tried.line[0], pieces) else { continue };
            let rows = rows - cleared;
            tried.questions += 1;
            if is_hopeless(&board, rows) {
                continue;
            }
            solver.nodes = 0;
            let answer = solver.solve(&puzzle(&board, rows, reserve, &pieces[1..]), LIMIT);
            meter.nodes += solver.nodes;
            tried.solved += u32::from(matches!(answer, Answer::Solved(_)));
        }
    }
    let mut candidates: Vec<Candidate> = tried
        .into_iter()
        .map(|tried| {
            let share = (f64::from(tried.solved) + 0.5) / (f64::from(tried.questions) + 1.0);
            tried.candidate(share)
        })
        .collect();
    candidates.sort_by(|a, b| b.value.total_cmp(&a.value));
    candidates
}

/// A first placement and how often it was good.
struct Tried {
    line: Vec<Placement>,
    solved: u32,
    questions: u32,
}

impl Tried {
    fn candidate(self, value: f64) -> Candidate {
        Candidate { placement: self.line[0], value, line: self.line }
    }
}

/// Board, rows cleared and reserve after a first placement.
fn after(root: &Root<'_>, placement: &Placement, pieces: &[Piece]) -> Option<(Board, usize, Option<Piece>)> {
    let next = pieces.first().copied();
    let reserve = if next == Some(placement.piece) { root.standing.reserve } else { next };
    let mut board = root.board;
    debug_assert!(moves::placements(&board, placement.piece, root.rules.kicks).contains(placement));
    let cleared = board.place(placement)?;
    Some((board, usize::from(cleared.lines), reserve))
}
