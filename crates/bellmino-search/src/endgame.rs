//! The end of a Sprint: the last piece must empty the board with the last row, and then no piece was wasted.
//!
//! Pieces beyond the queue are imagined: all orders the bag allows if they are few, else some of them. All these futures are
//! searched together: a position knows, as a set, for which of them it can be solved and for which it cannot. That is
//! hindsight: who knows all pieces finds the way more often than one who sees them one by one. So the best placements
//! are judged again as one who chooses, sees one more piece, chooses again, and so on.
//!
//! # Files
//! - `futures`: the pieces to come, as they might be
//! - `spot`: a position, and all that can follow it
//! - `race`: who sees the pieces one by one
//! - `tests`: against trying everything

mod futures;
mod race;
mod spot;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use bellmino_engine::guideline::{Kicks, LowBoard, Piece, Placement};

use crate::bot::Candidate;
use crate::budget::{Meter, UNBOUNDED};
use crate::expansion::Root;
use crate::hashing::Identity;
use crate::perfect::PerfectTask;

use futures::{Set, futures};
use race::Reveal;
use spot::{Branch, Spot};

/// Nodes to find a line of play to be shown.
const LINE: u64 = 1000;

/// When the end of a game is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Only when it is near enough to be searched well in little time.
    Near,
    /// Up to eight rows.
    Any,
}

/// What is searched for, and when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndgameAim {
    /// How early.
    pub scope: Scope,
    /// The share of the budget up to which it goes.
    pub share: f64,
    /// Which pieces may be left over in the end.
    pub left: &'static [Piece],
}

/// What was found out about the end of a game; it helps with the next move.
#[derive(Debug, Default)]
pub(crate) struct Endgame {
    kicks: Kicks,
    /// Which pieces may be left over in the end.
    left: &'static [Piece],
    /// The pieces to come after the reserve, as they might be, all of one length.
    futures: Vec<Vec<Piece>>,
    /// Whether these are all.
    complete: bool,
    /// For each place in the order, the futures by the piece that comes there.
    coming: Vec<[Set; 7]>,
    /// For each position: futures in which it can be solved, and in which it cannot.
    known: IdentityMap<(Set, Set)>,
    /// For each position and what is seen: in how many futures it is solved.
    judged: IdentityMap<Reveal>,
}

type IdentityMap<T> = HashMap<u64, T, BuildHasherDefault<Identity>>;

/// The placements that can end the game on an empty board, the most likely first, with the share of futures in
/// which they do; empty if none was found. Also the number of futures.
pub(crate) fn solve(
    endgame: &mut Endgame,
    root: &Root<'_>,
    seed: u64,
    aim: EndgameAim,
    meter: &mut Meter<'_>,
) -> (Vec<Candidate>, usize) {
    let EndgameAim { scope, share, left } = aim;
    let Some(rows) = root.goal.lines.map(|lines| lines as usize) else { return (vec![], 0) };
    let Some(board) = LowBoard::of(&root.board, rows) else { return (vec![], 0) };
    let empty = board.len_empty() as usize;
    if empty == 0 || !empty.is_multiple_of(4) {
        return (vec![], 0);
    }
    let needed = empty / 4;
    let near = match rows {
        0..=6 => 11,
        _ => 10,
    };
    if scope == Scope::Near && needed > near {
        return (vec![], 0);
    }
    let all = endgame.imagine(root, needed, left, seed);
    let mut search = EndgameSearch::new(endgame, meter);
    let task = PerfectTask { board: root.board, rows, reserve: root.standing.reserve };
    let first = search.first(&task, needed, all);
    let futures = all.len();

    let seen = root.pieces.len();
    let mut values = vec![];
    if needed > seen && seen > 0 && search.endgame.complete {
        search.until = 0.9 * share;
        values = search.race(&first, needed, seen, all);
    }
    if values.is_empty() {
        search.until = share;
        values = search.hindsight(&first, needed, all);
    }
    search.until = f64::INFINITY;
    values.truncate(8);
    let mut candidates = vec![];
    for (value, index) in values {
        let line = search.line(&task, &first[index], needed);
        candidates.push(Candidate { placement: first[index].placement, value, line });
    }
    (candidates, futures as usize)
}

impl Endgame {
    /// Whether a piece may be left over.
    #[inline(always)]
    fn is_left(&self, reserve: Option<Piece>) -> bool {
        reserve.is_none_or(|piece| self.left.contains(&piece))
    }

    /// The futures of a position with so many pieces to go. What is known is kept if they are among those of the move before.
    fn imagine(&mut self, root: &Root<'_>, needed: usize, left: &'static [Piece], seed: u64) -> Set {
        let (futures, complete) = futures(root, needed, seed);
        let old = self.futures.first().map_or(0, Vec::len);
        let mut set = Set::default();
        let same = self.kicks == root.rules.kicks && self.left == left;
        if self.complete && complete && same && old >= needed {
            for (index, future) in self.futures.iter().enumerate() {
                if futures.contains(&future[old - needed..].to_vec()) {
                    set.insert(index);
                }
            }
            if set.len() as usize == futures.len() {
                return set;
            }
        }
        *self = Endgame { kicks: root.rules.kicks, left, complete, ..Endgame::default() };
        self.coming = vec![[Set::default(); 7]; needed];
        set = Set::default();
        for (index, future) in futures.iter().enumerate() {
            set.insert(index);
            for (coming, &piece) in self.coming.iter_mut().zip(future) {
                coming[piece as usize].insert(index);
            }
        }
        self.futures = futures;
        set
    }
}

/// A first placement.
struct First {
    placement: Placement,
    spot: Spot,
    futures: Set,
}

struct EndgameSearch<'a, 'm> {
    endgame: &'a mut Endgame,
    meter: &'a mut Meter<'m>,
    levels: Vec<Vec<Branch>>,
    boards: Vec<LowBoard>,
    /// Nodes up to which the search may go.
    limit: u64,
    /// Nodes when the clock was read.
    checked: u64,
    /// The share of the budget that may be used.
    until: f64,
    over: bool,
}

impl<'a, 'm> EndgameSearch<'a, 'm> {
    fn new(endgame: &'a mut Endgame, meter: &'a mut Meter<'m>) -> Self {
        EndgameSearch {
            endgame,
            meter,
            levels: vec![],
            boards: vec![],
            limit: 0,
            checked: 0,
            until: f64::INFINITY,
            over: false,
        }
    }

    /// Allows so many nodes from now on.
    fn allow(&mut self, nodes: u64) {
        self.limit = (self.meter.nodes + nodes).min(self.meter.end(self.until, UNBOUNDED));
        self.over = false;
    }

    /// Whether no more nodes are allowed; reads the clock now and then.
    #[inline(always)]
    fn is_over(&mut self) -> bool {
        /// Nodes between two looks at the clock.
        const OFTEN: u64 = 4096;
        if self.meter.nodes >= self.checked + OFTEN {
            self.checked = self.meter.nodes;
            if self.meter.is_past(self.until) {
                self.limit = 0;
            }
        }
        self.over |= self.meter.nodes >= self.limit;
        self.over
    }

    /// The place in the order of what comes next with so many pieces to go.
    #[inline(always)]
    fn place(&self, needed: usize) -> usize {
        self.endgame.coming.len() - needed
    }

    /// The first placements that are not hopeless, the best first.
    fn first(&mut self, task: &PerfectTask, needed: usize, all: Set) -> Vec<First> {
        let coming = self.endgame.coming[self.place(needed)];
        let mut list: Vec<(u32, First)> = vec![];
        let mut placements = vec![];
        let kicks = self.endgame.kicks;
        let mut nodes = 0;
        for piece in Piece::ALL {
            let futures = all.and(coming[piece as usize]);
            if futures.is_empty() {
                continue;
            }
            let held = task.reserve.filter(|&held| held != piece);
            for (played, reserve) in [(Some(piece), task.reserve), (held, Some(piece))] {
                let Some(played) = played else { continue };
                nodes += task.after(played, reserve, kicks, &mut placements, |placement, task, _| {
                    let Some(board) = LowBoard::of(&task.board, task.rows) else { return };
                    if !board.is_hopeless() {
                        let spot = Spot { board, reserve };
                        list.push((board.roughness(), First { placement, spot, futures }));
                    }
                });
            }
        }
        self.meter.nodes += nodes;
        list.sort_by_key(|(rank, _)| *rank);
        list.into_iter().map(|(_, first)| first).collect()
    }

    /// The share of futures in which each of the first placements is solved by one who knows all pieces, the best first.
    fn hindsight(&mut self, first: &[First], needed: usize, all: Set) -> Vec<(f64, usize)> {
        let mut values = vec![];
        for (index, child) in first.iter().enumerate() {
            // What is left is shared evenly by those still to be looked at; the first learns for all.
            let left = (self.meter.left(UNBOUNDED) as f64 * self.until) as u64;
            self.allow((left / (first.len() - index) as u64).max(left / 4));
            let solved = self.solvable(&child.spot, needed - 1, child.futures);
            if !solved.is_empty() {
                values.push((solved.len(), index));
            }
            if self.meter.is_past(self.until) {
                break;
            }
        }
        values.sort_by_key(|&(solved, index)| (Reverse(solved), index));
        values.iter().map(|&(solved, index)| (f64::from(solved) / f64::from(all.len()), index)).collect()
    }

    /// The futures among `wanted` in which the position can be solved, as far as found.
    fn solvable(&mut self, spot: &Spot, needed: usize, wanted: Set) -> Set {
        if needed <= 1 {
            return match needed {
                0 if self.endgame.is_left(spot.reserve) => wanted,
                0 => Set::default(),
                _ => self.last(spot, wanted),
            };
        }
        if needed == 2 {
            // Quicker done than remembered.
            return self.search(spot, 2, wanted);
        }
        let key = spot.key(needed as u64);
        let (solved, failed) = self.endgame.known.get(&key).copied().unwrap_or_default();
        let open = wanted.without(solved.or(failed));
        if open.is_empty() || self.is_over() {
            return solved.and(wanted);
        }
        let got = self.search(spot, needed, open);
        let missing = open.without(got);
        let over = self.over;
        let entry = self.endgame.known.entry(key).or_default();
        entry.0 = entry.0.or(got);
        if !over {
            entry.1 = entry.1.or(missing);
        }
        solved.or(got).and(wanted)
    }

    /// The same by looking at what follows.
    fn search(&mut self, spot: &Spot, needed: usize, wanted: Set) -> Set {
        let mut children = self.list(needed);
        self.children(spot, needed, wanted, &mut children);
        let coming = self.endgame.coming[self.place(needed)];
        let mut missing = wanted;
        for child in &children {
            let futures = missing.and(coming[child.came as usize]);
            if !futures.is_empty() {
                missing = missing.without(self.solvable(&child.spot, needed - 1, futures));
                if missing.is_empty() {
                    break;
                }
            }
        }
        self.levels[needed] = children;
        wanted.without(missing)
    }

    /// The futures among `wanted` in which one more piece empties the board.
    fn last(&mut self, spot: &Spot, wanted: Set) -> Set {
        let Some(piece) = spot.board.last_piece() else { return Set::default() };
        let coming = &self.endgame.coming[self.place(1)];
        let mut futures = Set::default();
        if self.endgame.is_left(spot.reserve) {
            futures = coming[piece as usize];
        }
        if spot.reserve == Some(piece) {
            for (other, &coming) in Piece::ALL.into_iter().zip(coming) {
                if self.endgame.is_left(Some(other)) {
                    futures = futures.or(coming);
                }
            }
        }
        let futures = futures.and(wanted);
        if futures.is_empty() {
            return futures;
        }
        self.boards.clear();
        spot.board.after(piece, self.endgame.kicks, &mut self.boards);
        self.meter.nodes += self.boards.len() as u64;
        if self.boards.iter().any(|board| board.rows() == 0) { futures } else { Set::default() }
    }

    /// A list to be filled, which is to be given back.
    fn list(&mut self, needed: usize) -> Vec<Branch> {
        if self.levels.len() <= needed {
            self.levels.resize_with(needed + 1, Vec::new);
        }
        std::mem::take(&mut self.levels[needed])
    }

    /// A first placement, and how it may go on to the end in some future, as far as that is known.
    fn line(&mut self, task: &PerfectTask, first: &First, needed: usize) -> Vec<Placement> {
        let mut line = vec![first.placement];
        let mut board = task.board;
        board.place_unchecked(&first.placement);
        let mut spot = first.spot;
        let mut futures = first.futures;
        if let Some(future) = futures.first() {
            let mut one = Set::default();
            one.insert(future);
            self.allow(LINE);
            if !self.solvable(&spot, needed - 1, one).is_empty() {
                futures = one;
            }
        }
        for needed in (1..needed).rev() {
            let known = |search: &mut Self, spot: &Spot, needed: usize, futures: Set| match needed {
                0..=2 => search.solvable(spot, needed, futures),
                _ => {
                    let known = search.endgame.known.get(&spot.key(needed as u64));
                    known.map_or(Set::default(), |known| known.0.and(futures))
                }
            };
            let solved = known(self, &spot, needed, futures);
            let Some(future) = solved.first() else { break };
            futures = Set::default();
            futures.insert(future);
            let mut children = vec![];
            self.children(&spot, needed, futures, &mut children);
            let good =
                children.iter().find(|child| !known(self, &child.spot, needed - 1, futures).is_empty());
            let Some(good) = good else { break };
            let here = PerfectTask { board, rows: spot.board.rows(), reserve: spot.reserve };
            let next = self.endgame.futures[future][self.place(needed)];
            let piece = if good.spot.reserve == spot.reserve { Some(next) } else { spot.reserve };
            let Some(piece) = piece else { break };
            let mut found = None;
            here.after(piece, None, self.endgame.kicks, &mut vec![], |placement, task, _| {
                if found.is_none() && LowBoard::of(&task.board, task.rows) == Some(good.spot.board) {
                    found = Some((placement, task.board));
                }
            });
            let Some((placement, after)) = found else { break };
            line.push(placement);
            (board, spot) = (after, good.spot);
        }
        line
    }
}
