//! The end of a Sprint: the last piece must empty the board with the last row, and then no piece was wasted.
//!
//! Pieces beyond the queue are imagined: all orders the bag allows if they are few, else some of them. All these futures are
//! searched together: a position knows, as a set, for which of them it can be solved and for which it cannot. That is
//! hindsight: who knows all pieces finds the way more often than one who sees them one by one. So the best placements
//! are judged again as one who chooses, sees one more piece, chooses again, and so on.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use bellmino_engine::guideline::{Kicks, LowBoard, Piece, Placement};
use bellmino_engine::{Purpose, below, stream};

use crate::bag;
use crate::bot::Candidate;
use crate::budget::Meter;
use crate::expansion::Root;
use crate::hashing::{Identity, mix};
use crate::perfect::Task;

/// The most futures if all of them are looked at.
const ALL: usize = 64 * WORDS;
/// Futures looked at if there are more.
const SOME: usize = 64;
/// Placements that are judged by what is seen, by the number of choices made so.
const JUDGED: [usize; 4] = [16, 8, 6, 6];

/// When the end of a game is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Only when it is near enough to be searched well in little time.
    Near,
    /// Up to eight rows.
    Any,
}

/// What was found out about the end of a game; it helps with the next move.
#[derive(Debug, Default)]
pub(crate) struct Endgame {
    kicks: Kicks,
    /// The pieces to come after the reserve, as they might be, all of one length.
    futures: Vec<Vec<Piece>>,
    /// Whether these are all.
    complete: bool,
    /// For each place in the order, the futures by the piece that comes there.
    coming: Vec<[Set; 7]>,
    /// For each position: futures in which it can be solved, and in which it cannot.
    known: Table<(Set, Set)>,
    /// For each position and what is seen: in how many futures it is solved.
    judged: Table<u16>,
}

type Table<T> = HashMap<u64, T, BuildHasherDefault<Identity>>;

/// Words of a set of futures.
const WORDS: usize = 7;

/// A set of futures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Set([u64; WORDS]);

impl Set {
    #[inline(always)]
    fn insert(&mut self, index: usize) {
        self.0[index / 64] |= 1 << (index % 64);
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    #[inline(always)]
    fn len(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    fn first(self) -> Option<usize> {
        let word = self.0.iter().position(|&word| word != 0)?;
        Some(64 * word + self.0[word].trailing_zeros() as usize)
    }

    #[inline(always)]
    fn and(self, other: Set) -> Set {
        Set(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    #[inline(always)]
    fn or(self, other: Set) -> Set {
        Set(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    #[inline(always)]
    fn without(self, other: Set) -> Set {
        Set(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }
}

/// A board and the piece set aside.
#[derive(Clone, Copy, Debug)]
struct Spot {
    board: LowBoard,
    reserve: Option<Piece>,
}

impl Spot {
    #[inline(always)]
    fn key(&self, extra: u64) -> u64 {
        let bits = self.board.bits();
        let reserve = self.reserve.map_or(7, |piece| piece as u64);
        mix(mix(extra << 3 | reserve, bits as u64), (bits >> 64) as u64)
    }
}

/// A position after a placement.
#[derive(Clone, Copy, Debug)]
struct Branch {
    spot: Spot,
    /// Low for boards that are easy to fill.
    rank: u16,
    /// The piece that has come: the position is for the futures with it.
    came: u8,
}

/// The placements that can end the game on an empty board, the most likely first, with the share of futures in
/// which they do; empty if none was found. Also the number of futures.
pub(crate) fn solve(
    endgame: &mut Endgame,
    root: &Root<'_>,
    seed: u64,
    scope: Scope,
    meter: &mut Meter<'_>,
) -> (Vec<Candidate>, usize) {
    let Some(rows) = root.goal.lines.map(|lines| lines as usize) else { return (vec![], 0) };
    let Some(board) = LowBoard::of(&root.board, rows) else { return (vec![], 0) };
    let empty = board.len_empty() as usize;
    if empty == 0 || empty % 4 != 0 {
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
    let all = endgame.imagine(root, needed, seed);
    let mut search = Search { endgame, meter, levels: vec![], limit: 0, checked: 0, over: false };
    let task = Task { board: root.board, rows, reserve: root.standing.reserve };
    let first = search.first(&task, needed, all);
    let futures = all.len();

    // In hindsight.
    let total = search.meter.left(200_000);
    let unseen = needed > root.pieces.len();
    let end = search.meter.nodes + if unseen { total / 2 } else { total };
    let mut values: Vec<(f64, usize)> = vec![];
    for (index, child) in first.iter().enumerate() {
        // What is left is shared evenly by those still to be looked at; the first learns for all.
        let left = end.saturating_sub(search.meter.nodes);
        search.allow((left / (first.len() - index) as u64).max(left / 4));
        let solved = search.solvable(&child.spot, needed - 1, child.futures);
        if !solved.is_empty() {
            values.push((f64::from(solved.len()), index));
        }
        if search.meter.nodes >= end || search.meter.is_over() {
            break;
        }
    }
    values.sort_by_key(|&(solved, index)| (Reverse(solved as u32), index));

    // By what is seen.
    let seen = root.pieces.len();
    if unseen && seen > 0 {
        let end = search.meter.nodes + search.meter.left(200_000);
        let choices = (needed - seen).min(if search.endgame.complete { JUDGED.len() } else { 1 });
        'refine: for choices in 1..=choices {
            values.truncate(JUDGED[choices - 1]);
            let (mut before, mut after) = (0.0, 0.0);
            let mut best = 0.0;
            for rank in 0..values.len() {
                let (value, index) = values[rank];
                if value <= best {
                    // Seeing less makes it no better.
                    break;
                }
                search.allow(end.saturating_sub(search.meter.nodes));
                let judged = search.after_reveal(&first[index].spot, needed - 1, seen, all, choices);
                if search.over {
                    // The others would lose as much as those that were judged.
                    if before > 0.0 {
                        let ratio: f64 = after / before;
                        values[rank..].iter_mut().for_each(|(value, _)| *value *= ratio);
                    }
                    values.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
                    break 'refine;
                }
                before += value;
                after += f64::from(judged);
                values[rank].0 = f64::from(judged);
                best = f64::max(best, f64::from(judged));
            }
            values.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        }
    }
    values.truncate(8);
    let mut candidates = vec![];
    for (value, index) in values {
        let value = value / f64::from(futures);
        let line = search.line(&task, &first[index], needed);
        candidates.push(Candidate { placement: first[index].placement, value, line });
    }
    (candidates, futures as usize)
}

/// The pieces to come after the reserve, as they might be, and whether these are all.
fn futures(root: &Root<'_>, length: usize, seed: u64) -> (Vec<Vec<Piece>>, bool) {
    let bag = root.bag;
    let known = &root.pieces[..root.pieces.len().min(length)];
    let mut list: Vec<Vec<Piece>> = vec![];
    let unknown = length - known.len();
    let total = bag::orders(bag.len()).take(unknown).last().unwrap_or(1);
    if total <= ALL as u64 {
        // Each is as likely as any other.
        enumerate(&mut known.to_vec(), bag, length, &mut list);
        return (list, true);
    }
    let mut generator = stream(seed, Purpose::Player, length as u64);
    while list.len() < SOME {
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
    (list, false)
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

impl Endgame {
    /// The futures of a position with so many pieces to go. What is known is kept if they are among those of the move before.
    fn imagine(&mut self, root: &Root<'_>, needed: usize, seed: u64) -> Set {
        let (futures, complete) = futures(root, needed, seed);
        let old = self.futures.first().map_or(0, Vec::len);
        let mut set = Set::default();
        if self.complete && complete && self.kicks == root.rules.kicks && old >= needed {
            for (index, future) in self.futures.iter().enumerate() {
                if futures.contains(&future[old - needed..].to_vec()) {
                    set.insert(index);
                }
            }
            if set.len() as usize == futures.len() {
                return set;
            }
        }
        *self = Endgame { kicks: root.rules.kicks, complete, ..Endgame::default() };
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

struct Search<'a, 'm> {
    endgame: &'a mut Endgame,
    meter: &'a mut Meter<'m>,
    levels: Vec<Vec<Branch>>,
    /// Nodes up to which the search may go.
    limit: u64,
    /// Nodes when the clock was read.
    checked: u64,
    over: bool,
}

impl Search<'_, '_> {
    /// Allows so many nodes from now on.
    fn allow(&mut self, nodes: u64) {
        self.limit = self.meter.nodes + nodes;
        self.over = false;
    }

    /// Whether no more nodes are allowed; reads the clock now and then.
    #[inline(always)]
    fn is_over(&mut self) -> bool {
        /// Nodes between two looks at the clock.
        const OFTEN: u64 = 4096;
        if self.meter.nodes >= self.checked + OFTEN {
            self.checked = self.meter.nodes;
            if self.meter.is_over() {
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
    fn first(&mut self, task: &Task, needed: usize, all: Set) -> Vec<First> {
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

    /// The futures among `wanted` in which the position can be solved, as far as found.
    fn solvable(&mut self, spot: &Spot, needed: usize, wanted: Set) -> Set {
        if needed <= 1 {
            return if needed == 0 { wanted } else { self.last(spot, wanted) };
        }
        let key = spot.key(needed as u64);
        let (solved, failed) = self.endgame.known.get(&key).copied().unwrap_or_default();
        let open = wanted.without(solved.or(failed));
        if open.is_empty() || self.is_over() {
            return solved.and(wanted);
        }
        let mut children = self.list(needed);
        self.children(spot, needed, open, &mut children);
        let coming = self.endgame.coming[self.place(needed)];
        let mut missing = open;
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
        let got = open.without(missing);
        let over = self.over;
        let entry = self.endgame.known.entry(key).or_default();
        entry.0 = entry.0.or(got);
        if !over {
            entry.1 = entry.1.or(missing);
        }
        solved.or(got).and(wanted)
    }

    /// The futures among `wanted` in which one more piece empties the board.
    fn last(&mut self, spot: &Spot, wanted: Set) -> Set {
        let Some(piece) = spot.board.last_piece() else { return Set::default() };
        let futures = if spot.reserve == Some(piece) {
            wanted
        } else {
            wanted.and(self.endgame.coming[self.place(1)][piece as usize])
        };
        if futures.is_empty() {
            return futures;
        }
        let mut done = false;
        let nodes = spot.board.after(piece, self.endgame.kicks, |board| done |= board.rows() == 0);
        self.meter.nodes += u64::from(nodes);
        if done { futures } else { Set::default() }
    }

    /// In how many futures of `group` the position is solved after the next piece was seen, if the next `choices`
    /// choices are made one by one, before what comes later is seen. `seen` pieces of those to come are in sight before.
    fn after_reveal(&mut self, spot: &Spot, needed: usize, seen: usize, group: Set, choices: usize) -> u32 {
        let shown = self.endgame.coming[self.place(needed) - 1 + seen];
        let mut sum = 0;
        for futures in shown {
            let futures = futures.and(group);
            if !futures.is_empty() {
                sum += self.judge(spot, needed, seen, futures, choices);
                if self.over {
                    break;
                }
            }
        }
        sum
    }

    /// In how many futures of `group`, which agree in the next `seen` pieces, the position is solved by one who makes the next
    /// `choices` choices one by one.
    fn judge(&mut self, spot: &Spot, needed: usize, seen: usize, group: Set, choices: usize) -> u32 {
        if choices == 0 || seen >= needed {
            return self.solvable(spot, needed, group).len();
        }
        let all = group.len();
        if all == 1 {
            return self.solvable(spot, needed, group).len();
        }
        let first = group.first().unwrap_or(0) as u64;
        let choices = choices.min(needed - seen);
        let key = spot.key(needed as u64 | (choices as u64) << 4 | (seen as u64) << 8 | first << 12 | 1 << 40);
        if let Some(&judged) = self.endgame.judged.get(&key) {
            return u32::from(judged);
        }
        let most = self.solvable(spot, needed, group).len();
        if most == 0 || self.over {
            return most;
        }
        let mut children = vec![];
        self.children(spot, needed, group, &mut children);
        let mut best = 0;
        let mut later = vec![];
        for child in &children {
            let solved = self.solvable(&child.spot, needed - 1, group);
            if choices == 1 || seen + 1 >= needed {
                best = best.max(solved.len());
                if best == most {
                    break;
                }
            } else if solved.len() > best {
                if solved.len() == most {
                    best = best.max(self.after_reveal(&child.spot, needed - 1, seen, group, choices - 1));
                    if best == most {
                        break;
                    }
                } else {
                    later.push((solved, child.spot));
                }
            }
            if self.over {
                return best;
            }
        }
        later.sort_by_key(|(solved, _)| Reverse(solved.len()));
        for (solved, spot) in later {
            if solved.len() <= best || self.over {
                break;
            }
            best = best.max(self.after_reveal(&spot, needed - 1, seen, group, choices - 1));
        }
        if !self.over {
            self.endgame.judged.insert(key, best as u16);
        }
        best
    }

    /// A list to be filled, which is to be given back.
    fn list(&mut self, needed: usize) -> Vec<Branch> {
        if self.levels.len() <= needed {
            self.levels.resize_with(needed + 1, Vec::new);
        }
        std::mem::take(&mut self.levels[needed])
    }

    /// All positions after one more placement that are not hopeless, the best first.
    fn children(&mut self, spot: &Spot, needed: usize, wanted: Set, children: &mut Vec<Branch>) {
        children.clear();
        let coming = &self.endgame.coming[self.place(needed)];
        let kicks = self.endgame.kicks;
        let comes = |piece: &Piece| !wanted.and(coming[*piece as usize]).is_empty();
        let mut came = [Piece::I; 7];
        let mut count = 0;
        for piece in Piece::ALL.into_iter().filter(comes) {
            came[count] = piece;
            count += 1;
        }
        let came = &came[..count];
        let mut nodes = 0;
        let hopeless =
            |board: LowBoard| board.is_hopeless() || needed == 2 && board.last_piece().is_none();
        for &piece in came {
            nodes += spot.board.after(piece, kicks, |board| {
                if !hopeless(board) {
                    let spot = Spot { board, reserve: spot.reserve };
                    children.push(Branch { spot, rank: board.roughness() as u16, came: piece as u8 });
                }
            });
        }
        if let Some(held) = spot.reserve.filter(|&held| came.iter().any(|&piece| piece != held)) {
            nodes += spot.board.after(held, kicks, |board| {
                if !hopeless(board) {
                    let rank = board.roughness() as u16;
                    for &piece in came.iter().filter(|&&piece| piece != held) {
                        let spot = Spot { board, reserve: Some(piece) };
                        children.push(Branch { spot, rank, came: piece as u8 });
                    }
                }
            });
        }
        self.meter.nodes += u64::from(nodes);
        children.sort_by_key(|child| child.rank);
    }

    /// A first placement, and how it may go on to the end in some future, as far as that is known.
    fn line(&mut self, task: &Task, first: &First, needed: usize) -> Vec<Placement> {
        let mut line = vec![first.placement];
        let mut board = task.board;
        board.place_unchecked(&first.placement);
        let mut spot = first.spot;
        let mut futures = first.futures;
        for needed in (1..needed).rev() {
            let known = |search: &Self, spot: &Spot, needed: usize| {
                search.endgame.known.get(&spot.key(needed as u64)).map_or(Set::default(), |known| known.0)
            };
            let solved = if needed == 1 { self.last(&spot, futures) } else { known(self, &spot, needed).and(futures) };
            let Some(future) = solved.first() else { break };
            futures = Set::default();
            futures.insert(future);
            let mut children = vec![];
            self.children(&spot, needed, futures, &mut children);
            let good = children.iter().find(|child| match needed {
                1 => child.spot.board.rows() == 0,
                2 => !self.last(&child.spot, futures).is_empty(),
                _ => !known(self, &child.spot, needed - 1).and(futures).is_empty(),
            });
            let Some(good) = good else { break };
            let here = Task { board, rows: spot.board.rows(), reserve: spot.reserve };
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
