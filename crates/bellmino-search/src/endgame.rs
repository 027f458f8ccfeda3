//! The end of a Sprint: the last piece must empty the board with the last row, and then no piece was wasted.
//!
//! Pieces beyond the queue are imagined, several times over; the placement after which most of these futures
//! can be solved is the best. All futures are searched together: a position knows, as a set of bits, for which of
//! them it can be solved and for which it cannot.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use bellmino_engine::guideline::{Kicks, Piece, Placement};
use bellmino_engine::{Purpose, below, stream};

use crate::bag;
use crate::bot::Candidate;
use crate::budget::Meter;
use crate::expansion::Root;
use crate::hashing::Identity;
use crate::perfect::Task;

/// The most rows left for which the end is searched.
const ROWS: usize = 8;
/// The most futures imagined: one bit of a word each.
const FUTURES: usize = 49;

/// When the end of a game is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Only when it is near enough to be searched well in little time.
    Near,
    /// Up to eight rows.
    Any,
}

/// The placements that can end the game on an empty board, the most likely first, with the share of futures in
/// which they do; empty if none was found. Also the number of futures.
pub(crate) fn solve(
    root: &Root<'_>,
    seed: u64,
    scope: Scope,
    meter: &mut Meter<'_>,
) -> (Vec<Candidate>, usize) {
    let Some(rows) = root.goal.lines.map(|lines| lines as usize).filter(|&rows| rows <= ROWS) else {
        return (vec![], 0);
    };
    let Some(empty) = (rows * 10).checked_sub(root.board.len()) else { return (vec![], 0) };
    if empty == 0 || empty % 4 != 0 || root.board.height() > rows {
        return (vec![], 0);
    }
    let needed = empty / 4;
    let near = match rows {
        0..=5 => usize::MAX,
        6 => 11,
        _ => 10,
    };
    if scope == Scope::Near && needed > near {
        return (vec![], 0);
    }
    let futures = futures(root, needed, FUTURES, seed);
    let all = u64::MAX >> (64 - futures.len());
    let mut search = Endgame {
        futures: &futures,
        kicks: root.rules.kicks,
        known: HashMap::default(),
        levels: vec![],
        meter,
        allowance: 0,
        over: false,
    };
    let mut children = vec![];
    let task = Task { board: root.board, rows, reserve: root.standing.reserve };
    search.children(&task, 0, needed, all, &mut children);
    children.sort_by_key(|child| child.rank);
    let mut tried: Vec<(u32, usize)> = vec![];
    let total = search.meter.left(200_000);
    let half = search.meter.nodes + if needed > root.pieces.len() { total / 2 } else { total };
    for (index, child) in children.iter().enumerate() {
        // What is left is shared evenly by those still to be looked at; the first learns for all.
        search.over = false;
        let left = half.saturating_sub(search.meter.nodes);
        search.allowance = search.meter.nodes + (left / (children.len() - index) as u64).max(left / 4);
        let solved = search.solvable(&child.task, 1, needed - 1, child.futures);
        if solved != 0 {
            tried.push((solved.count_ones(), index));
        }
        if search.meter.nodes >= half || search.meter.is_over() {
            break;
        }
    }
    tried.sort_by_key(|&(solved, index)| (Reverse(solved), index));
    tried.truncate(8);
    // Who knows all pieces finds the way more often than one who sees them one by one: for the best, take into
    // account that the next choice is made before the rest is seen.
    let mut values: Vec<(f64, usize)> =
        tried.iter().map(|&(solved, index)| (f64::from(solved) / futures.len() as f64, index)).collect();
    if needed > root.pieces.len() && !root.pieces.is_empty() && needed > 2 {
        let end = search.meter.nodes + search.meter.left(200_000);
        for rank in 0..values.len() {
            let left = end.saturating_sub(search.meter.nodes);
            search.allowance = search.meter.nodes + left / (values.len() - rank) as u64;
            let (value, index) = &mut values[rank];
            let refined = search.after_reveal(&children[*index], needed - 1, root.pieces.len(), all);
            *value = 0.9 * refined + 0.1 * *value;
        }
        values.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    }
    let mut candidates = vec![];
    for (value, index) in values {
        let child = &children[index];
        let mut line = vec![child.placement];
        search.line(child, needed - 1, &mut line);
        candidates.push(Candidate { placement: child.placement, value, line });
    }
    (candidates, futures.len())
}

/// The pieces to come after the reserve, as they might be.
pub(crate) fn futures(root: &Root<'_>, length: usize, count: usize, seed: u64) -> Vec<Vec<Piece>> {
    let bag = root.bag;
    let known = &root.pieces[..root.pieces.len().min(length)];
    let mut list: Vec<Vec<Piece>> = vec![];
    let unknown = length - known.len();
    let total = bag::orders(bag.len()).take(unknown).last().unwrap_or(1);
    if total <= count as u64 {
        // All of them; each is as likely as any other.
        enumerate(&mut known.to_vec(), bag, length, &mut list);
        return list;
    }
    let mut generator = stream(seed, Purpose::Player, length as u64);
    while list.len() < count {
        let mut pieces = known.to_vec();
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
    }
    list
}

fn enumerate(pieces: &mut Vec<Piece>, bag: &[Piece], length: usize, list: &mut Vec<Vec<Piece>>) {
    if pieces.len() == length {
        list.push(pieces.clone());
        return;
    }
    for (piece, left) in bag::draws(bag) {
        pieces.push(piece);
        enumerate(pieces, &left, length, list);
        pieces.pop();
    }
}

/// A position after a placement.
#[derive(Clone, Copy, Debug)]
struct Branch {
    task: Task,
    placement: Placement,
    /// Low for boards that are easy to fill.
    rank: u32,
    /// The futures in which the piece comes.
    futures: u64,
}

struct Endgame<'a, 'm> {
    futures: &'a [Vec<Piece>],
    kicks: Kicks,
    /// For each position: futures in which it can be solved, and in which it cannot.
    known: HashMap<u64, (u64, u64), BuildHasherDefault<Identity>>,
    levels: Vec<Vec<Branch>>,
    meter: &'a mut Meter<'m>,
    /// Nodes up to which the search may go.
    allowance: u64,
    over: bool,
}

impl Endgame<'_, '_> {
    /// The futures among `wanted` in which the position can be solved, as far as found.
    fn solvable(&mut self, task: &Task, depth: usize, needed: usize, wanted: u64) -> u64 {
        if needed == 0 {
            return wanted;
        }
        let key = task.key(needed);
        let (solved, failed) = self.known.get(&key).copied().unwrap_or_default();
        let open = wanted & !(solved | failed);
        if open == 0 {
            return solved & wanted;
        }
        if self.meter.nodes >= self.allowance {
            self.over = true;
            return solved & wanted;
        }
        if self.levels.len() <= depth {
            self.levels.resize_with(depth + 1, Vec::new);
        }
        let mut children = std::mem::take(&mut self.levels[depth]);
        children.clear();
        self.children(task, depth, needed, open, &mut children);
        children.sort_by_key(|child| child.rank);
        let mut got = 0;
        for child in &children {
            let missing = child.futures & open & !got;
            if missing != 0 {
                got |= self.solvable(&child.task, depth + 1, needed - 1, missing);
            }
        }
        self.levels[depth] = children;
        let entry = self.known.entry(key).or_default();
        entry.0 |= got;
        if !self.over {
            entry.1 |= open & !got;
        }
        (solved | got) & wanted
    }

    /// The share of futures solved if the next placement is chosen when one more piece is seen.
    fn after_reveal(&mut self, child: &Branch, needed: usize, known: usize, all: u64) -> f64 {
        let mut groups = [0u64; 7];
        for (index, pieces) in self.futures.iter().enumerate() {
            groups[pieces[known] as usize] |= 1 << index;
        }
        let mut best = [0u32; 7];
        let mut next = vec![];
        self.children(&child.task, 1, needed, all, &mut next);
        next.sort_by_key(|child| child.rank);
        for position in &next {
            if groups.iter().zip(best).all(|(group, best)| group.count_ones() == best) {
                break;
            }
            self.over = false;
            let solved = self.solvable(&position.task, 2, needed - 1, position.futures);
            for (best, group) in best.iter_mut().zip(groups) {
                *best = (*best).max((solved & group).count_ones());
            }
        }
        f64::from(best.iter().sum::<u32>()) / self.futures.len() as f64
    }

    /// All positions after one more placement that are not hopeless.
    fn children(
        &mut self,
        task: &Task,
        depth: usize,
        needed: usize,
        wanted: u64,
        children: &mut Vec<Branch>,
    ) {
        // The futures by the piece that comes next.
        let mut coming = [0u64; 7];
        let mut bits = wanted;
        while bits != 0 {
            let index = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            coming[self.futures[index][depth] as usize] |= 1 << index;
        }
        let mut placements = vec![];
        let mut place = |piece, reserve, futures| {
            task.after(piece, reserve, self.kicks, &mut placements, |placement, task, _| {
                if (needed == 1) == (task.rows == 0) && !task.is_hopeless() {
                    children.push(Branch { task, placement, rank: task.roughness(), futures });
                }
            })
        };
        let mut nodes = 0;
        for (piece, futures) in Piece::ALL.into_iter().zip(coming).filter(|(_, futures)| *futures != 0) {
            nodes += place(piece, task.reserve, futures);
        }
        for (piece, futures) in Piece::ALL.into_iter().zip(coming).filter(|(_, futures)| *futures != 0) {
            if let Some(held) = task.reserve.filter(|&held| held != piece) {
                nodes += place(held, Some(piece), futures);
            }
        }
        self.meter.nodes += nodes;
    }

    /// Continues a line by placements known to be solved in some future.
    fn line(&mut self, child: &Branch, needed: usize, line: &mut Vec<Placement>) {
        let mut here = *child;
        for depth in 1..=needed {
            let left = needed + 1 - depth;
            let key = here.task.key(left);
            let solved = self.known.get(&key).map_or(0, |known| known.0) & here.futures;
            if solved == 0 {
                return;
            }
            let first = solved & solved.wrapping_neg();
            let mut children = vec![];
            self.children(&here.task, depth, left, first, &mut children);
            children.sort_by_key(|child| child.rank);
            let good = children.iter().find(|next| {
                left == 1 || {
                    self.known.get(&next.task.key(left - 1)).is_some_and(|known| known.0 & first != 0)
                }
            });
            let Some(good) = good else { return };
            line.push(good.placement);
            here = Branch { futures: first, ..*good };
        }
    }
}
