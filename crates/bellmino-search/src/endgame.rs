//! The end of a Sprint: the last piece must empty the board with the last row, and then no piece was wasted.
//!
//! Pieces beyond the queue are imagined: all orders the bag allows if they are few, else some of them. All these futures are
//! searched together: a position knows, as a set, for which of them it can be solved and for which it cannot. That is
//! hindsight: who knows all pieces finds the way more often than one who sees them one by one. So the best placements
//! are judged again as one who chooses, sees one more piece, chooses again, and so on.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;

use bellmino_engine::guideline::{Kicks, LowBoard, Piece, Placement};
use bellmino_engine::{Purpose, stream};

use crate::bag;
use crate::bot::Candidate;
use crate::budget::{Meter, UNBOUNDED};
use crate::expansion::Root;
use crate::hashing::{Identity, mix};
use crate::perfect::PerfectTask;

/// The most futures if all of them are looked at.
const ALL: usize = 64 * WORDS;
/// Futures looked at if there are more.
const SOME: usize = 64;

/// Nodes to find out how a position does with one more piece in sight.
const CAP: u64 = 15_000;
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

/// Words of a set of futures.
const WORDS: usize = 4;

/// In how many futures a position is solved by one who sees the pieces one by one, as far as that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reveal {
    at_least: u32,
    at_most: u32,
}

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
    /// Low for positions that promise well.
    fn rank(&self) -> u32 {
        let reserve = match self.reserve {
            Some(Piece::T) => 0,
            Some(Piece::I | Piece::L | Piece::J) => 1,
            _ => 3,
        };
        2 * self.board.roughness() + 2 * reserve
    }

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
        bag::draw(&mut pieces, bag, length, &mut generator);
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

    /// The share of futures in which the first placements are solved by one who sees the pieces one by one, the best first; only
    /// of those that were looked at. Positions are compared at the time when the next piece is revealed that is not
    /// certain, and one by one, each until it has lost more futures than the best.
    fn race(&mut self, first: &[First], needed: usize, seen: usize, all: Set) -> Vec<(f64, usize)> {
        let mut needed = needed - 1;
        let mut leaves: Vec<(Spot, usize)> = first.iter().map(|first| first.spot).zip(0..).collect();
        let parts = |search: &Self, needed: usize| -> Vec<Set> {
            let shown = search.endgame.coming[search.place(needed) - 1 + seen];
            shown.into_iter().map(|part| part.and(all)).filter(|part| !part.is_empty()).collect()
        };
        let mut groups = parts(self, needed);
        let mut children = vec![];
        while groups.len() == 1 && needed > seen {
            let mut next = vec![];
            let mut met = HashSet::<u64, BuildHasherDefault<Identity>>::default();
            for (spot, index) in leaves {
                self.children(&spot, needed, all, &mut children);
                let new = children.iter().filter(|child| met.insert(child.spot.key(0)));
                next.extend(new.map(|child| (child.spot, index)));
            }
            needed -= 1;
            leaves = next;
            groups = parts(self, needed);
        }
        leaves.sort_by_key(|(spot, _)| spot.rank());
        // Which of the first few do best with one piece.
        let some = (self.meter.left(UNBOUNDED) / (CAP * 5 / 2)).clamp(4, 12) as usize;
        let mut early: Vec<(u32, usize)> = vec![];
        for (place, (spot, _)) in leaves.iter().enumerate().take(some) {
            self.allow(CAP);
            let part = self.judge(spot, needed, seen, groups[0], needed, 0);
            early.push((part.at_least, place));
            if self.meter.is_past(self.until) {
                break;
            }
        }
        early.sort_by_key(|&(solved, place)| (Reverse(solved), place));
        // Then those with all pieces, the best of them again with more nodes, and at last all others.
        let mut order: Vec<usize> = early.iter().map(|&(_, place)| place).collect();
        let mut best: Vec<Option<u32>> = vec![None; first.len()];
        let mut least_lost = all.len();
        // What may be won in the best position, if what was not found in time is counted.
        let mut hoped = 0;
        'rounds: for round in 0..3 {
            let mut results = vec![];
            for place in order {
                let (spot, index) = leaves[place];
                let (mut lost, mut at_most) = (0, 0);
                for at in 0..groups.len() {
                    let group = groups[at];
                    let floor = (group.len() + lost).saturating_sub(least_lost);
                    self.allow(if round == 1 { 4 * CAP } else { CAP });
                    let part = self.judge(&spot, needed, seen, group, needed, floor);
                    lost += group.len() - part.at_least;
                    at_most += part.at_most;
                    if lost >= least_lost {
                        // Others may be lost for the same piece.
                        groups[..=at].rotate_right(1);
                        break;
                    }
                }
                results.push((lost, place));
                if lost < least_lost {
                    (least_lost, hoped) = (lost, at_most);
                    best[index] = Some(all.len() - lost);
                } else {
                    // It was not followed to its end: all that is known is that it is not better.
                    let solved = (all.len() - lost).min((all.len() - least_lost).saturating_sub(1));
                    best[index] = best[index].max(Some(solved).filter(|&solved| solved > 0));
                }
                if lost == 0 || self.meter.is_past(self.until) {
                    break 'rounds;
                }
            }
            results.sort_unstable();
            let good = results.iter().take(results.len().div_ceil(3)).map(|&(_, place)| place);
            order = if round == 0 { good.collect() } else { (early.len()..leaves.len()).collect() };
        }
        let solved = all.len() - least_lost;
        let share = |solved: u32| f64::from(solved) / f64::from(all.len());
        let mut values: Vec<(f64, usize)> = best
            .iter()
            .enumerate()
            .filter_map(|(index, best)| Some((share(*best.as_ref()?), index)))
            .collect();
        values.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        if let Some((value, _)) = values.first_mut() {
            // Most of what was not found in time can be solved.
            *value += 0.9 * share(hoped.saturating_sub(solved));
        }
        values
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

    /// In how many futures of `group` the position is solved after the next piece was seen, if `choices` choices are made
    /// one by one, before what comes later is seen. `seen` pieces of those to come were in sight before the last placement. It need
    /// not be known exactly if it is at most `floor`.
    fn after_reveal(
        &mut self,
        spot: &Spot,
        needed: usize,
        seen: usize,
        group: Set,
        choices: usize,
        floor: u32,
    ) -> Reveal {
        let shown = self.endgame.coming[self.place(needed) - 1 + seen];
        let mut sum = Reveal { at_least: 0, at_most: self.solvable(spot, needed, group).len() };
        if self.over {
            sum.at_most = group.len();
        }
        for futures in shown {
            let futures = futures.and(group);
            if futures.is_empty() {
                continue;
            }
            if sum.at_most <= floor {
                break;
            }
            let most = if self.over { futures.len() } else { self.solvable(spot, needed, futures).len() };
            let floor = (floor + most).saturating_sub(sum.at_most);
            let part = self.judge(spot, needed, seen, futures, choices, floor);
            sum.at_least += part.at_least;
            sum.at_most -= most - part.at_most.min(most);
        }
        sum
    }

    /// In how many futures of `group`, which agree in the next `seen` pieces, the position is solved by one who makes the next
    /// `choices` choices one by one. It need not be known exactly if it is at most `floor`.
    fn judge(
        &mut self,
        spot: &Spot,
        needed: usize,
        seen: usize,
        group: Set,
        choices: usize,
        floor: u32,
    ) -> Reveal {
        let solved = self.solvable(spot, needed, group).len();
        let most = if self.over { group.len() } else { solved };
        if choices == 0 || seen >= needed || group.len() == 1 {
            return Reveal { at_least: solved, at_most: most };
        }
        if most <= floor {
            return Reveal { at_least: 0, at_most: most };
        }
        let choices = choices.min(needed - seen);
        let group_name = group.first().unwrap_or(0) as u64;
        let name = needed as u64 | (choices as u64) << 4 | (seen as u64) << 8 | group_name << 12;
        let key = spot.key(name);
        let known = self.endgame.judged.get(&key).copied();
        let mut result = known.unwrap_or(Reveal { at_least: 0, at_most: most });
        if result.at_least == result.at_most || result.at_most <= floor || self.over {
            return result;
        }
        let mut children = vec![];
        self.children(spot, needed, group, &mut children);
        let is_last = choices == 1 || seen + 1 >= needed;
        let mut at_most = 0;
        let mut later = vec![];
        for child in &children {
            let solved = self.solvable(&child.spot, needed - 1, group).len();
            if self.over {
                at_most = result.at_most;
                break;
            }
            if is_last {
                result.at_least = result.at_least.max(solved);
            } else if solved == result.at_most {
                let floor = floor.max(result.at_least);
                let part = self.after_reveal(&child.spot, needed - 1, seen, group, choices - 1, floor);
                result.at_least = result.at_least.max(part.at_least);
                at_most = at_most.max(part.at_most);
            } else if solved > floor.max(result.at_least) {
                later.push((solved, child.spot));
            } else {
                at_most = at_most.max(solved);
            }
            if result.at_least == result.at_most {
                break;
            }
        }
        later.sort_by_key(|(solved, _)| Reverse(*solved));
        for (solved, spot) in later {
            let floor = floor.max(result.at_least);
            if solved <= floor || self.over {
                at_most = at_most.max(solved);
                continue;
            }
            let part = self.after_reveal(&spot, needed - 1, seen, group, choices - 1, floor);
            result.at_least = result.at_least.max(part.at_least);
            at_most = at_most.max(part.at_most);
        }
        if !self.over {
            result.at_most = result.at_most.min(at_most.max(result.at_least));
        }
        self.endgame.judged.insert(key, result);
        result
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
        #[cfg(target_arch = "x86_64")]
        {
            // Counting bits is most of the work, and one instruction where the processor has it.
            #[target_feature(enable = "popcnt,bmi1,bmi2,lzcnt")]
            fn fast(
                search: &mut EndgameSearch<'_, '_>,
                spot: &Spot,
                needed: usize,
                wanted: Set,
                children: &mut Vec<Branch>,
            ) {
                search.children_anywhere(spot, needed, wanted, children);
            }
            if std::arch::is_x86_feature_detected!("popcnt")
                && std::arch::is_x86_feature_detected!("bmi1")
                && std::arch::is_x86_feature_detected!("bmi2")
                && std::arch::is_x86_feature_detected!("lzcnt")
            {
                // SAFETY: the processor has all the features the function is compiled for.
                return unsafe { fast(self, spot, needed, wanted, children) };
            }
        }
        self.children_anywhere(spot, needed, wanted, children);
    }

    #[inline(always)]
    fn children_anywhere(&mut self, spot: &Spot, needed: usize, wanted: Set, children: &mut Vec<Branch>) {
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
        let held = spot.reserve.filter(|&held| came.iter().any(|&piece| piece != held));
        for (index, piece) in came.iter().copied().chain(held).enumerate() {
            self.boards.clear();
            spot.board.after(piece, kicks, &mut self.boards);
            self.meter.nodes += self.boards.len() as u64;
            for &board in &self.boards {
                if board.is_hopeless() || needed == 2 && board.last_piece().is_none() {
                    continue;
                }
                let rank = board.roughness() as u16;
                if index < came.len() {
                    let spot = Spot { board, reserve: spot.reserve };
                    children.push(Branch { spot, rank, came: piece as u8 });
                    continue;
                }
                for &came in came.iter().filter(|&&came| came != piece) {
                    let spot = Spot { board, reserve: Some(came) };
                    children.push(Branch { spot, rank, came: came as u8 });
                }
            }
        }
        children.sort_by_key(|child| child.rank);
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

#[cfg(test)]
mod tests {
    use bellmino_engine::below;
    use bellmino_engine::guideline::{Bag, Board, Goal, Rules};

    use super::*;
    use crate::budget::Budget;
    use crate::evaluation::EvaluationState;

    /// The chance of a position by trying everything: each placement is chosen before the next piece is seen.
    fn plain(task: &PerfectTask, pieces: &[Piece], bag: &[Piece], needed: usize) -> f64 {
        let mut best = 0.0;
        let other = task.reserve.filter(|&held| held != pieces[0]);
        for (piece, reserve) in [(Some(pieces[0]), task.reserve), (other, Some(pieces[0]))] {
            let Some(piece) = piece else { continue };
            let mut children = vec![];
            task.after(piece, reserve, Kicks::Srs, &mut vec![], |_, task, _| children.push(task));
            for child in children {
                let value = if needed == 1 {
                    1.0
                } else if pieces.len() >= needed {
                    plain(&child, &pieces[1..], bag, needed - 1)
                } else {
                    let draws = bag::draws(bag);
                    let count = draws.len() as f64;
                    let after = |(piece, bag): (Piece, Vec<Piece>)| {
                        let pieces: Vec<Piece> = pieces[1..].iter().copied().chain([piece]).collect();
                        plain(&child, &pieces, &bag, needed - 1)
                    };
                    draws.map(after).sum::<f64>() / count
                };
                best = f64::max(best, value);
            }
        }
        best
    }

    fn root<'a>(
        board: Board,
        reserve: Piece,
        rows: usize,
        pieces: &'a [Piece],
        bag: &'a [Piece],
    ) -> Root<'a> {
        Root {
            board,
            standing: EvaluationState { reserve: Some(reserve), back_to_back: false, combo: 0 },
            pieces,
            bag,
            rules: &Rules::SPRINT,
            goal: Goal { lines: Some(rows as u32), ..Goal::default() },
            key_price: 0.0,
            held: true,
        }
    }

    /// A board of so many rows, as play leaves it that stays low.
    fn low_board(seed: u64, rows: usize, placed: usize) -> Option<(Board, usize)> {
        let mut generator = stream(seed, Purpose::Player, 0);
        let mut task = PerfectTask { board: Board::EMPTY, rows, reserve: None };
        for piece in Bag::new(seed).take(placed) {
            let mut next = vec![];
            task.after(piece, None, Kicks::Srs, &mut vec![], |_, task, _| next.push(task));
            next.retain(|task| !task.is_hopeless());
            next.sort_by_key(PerfectTask::roughness);
            next.truncate(5);
            if next.is_empty() {
                return None;
            }
            task = next[below(&mut generator, next.len())];
        }
        Some((task.board, task.rows))
    }

    #[test]
    fn chances_agree_with_trying_everything() {
        let mut between = 0;
        let mut compared = 0;
        for seed in 0..480 {
            let rows = 2 + 2 * (seed as usize % 2);
            let needed = 3 + seed as usize % 2;
            let Some((board, rows)) = low_board(seed, rows, rows * 10 / 4 - needed) else { continue };
            let mut bag = Bag::new(seed + 1000);
            let reserve = bag.next().unwrap();
            let pieces: Vec<Piece> = bag.by_ref().take(1 + seed as usize % 3).collect();
            let left = bag.left().to_vec();
            let root = root(board, reserve, rows, &pieces, &left);
            let aim = EndgameAim { scope: Scope::Any, share: 1.0, left: &Piece::ALL };
            let mut meter = Meter::new(Budget::nodes(100_000_000), 1e6, None);
            let (candidates, _) = solve(&mut Endgame::default(), &root, 0, aim, &mut meter);
            let found = candidates.first().map_or(0.0, |best| best.value);
            let task = PerfectTask { board, rows, reserve: Some(reserve) };
            let expected = plain(&task, &pieces, &left, needed);
            assert!((found - expected).abs() < 1e-9, "{found} for {expected}: seed {seed}\n{board}");
            compared += 1;
            between += u32::from(expected > 0.0 && expected < 1.0);
        }
        assert!(compared > 150 && between > 15, "{compared} compared, {between} neither sure nor lost");
    }

    /// What is kept from move to move changes nothing but the time it takes.
    #[test]
    fn what_was_found_before_changes_no_answer() {
        let aim = EndgameAim { scope: Scope::Any, share: 1.0, left: &Piece::ALL };
        let mut between = 0;
        for seed in 0..12 {
            let mut bag = Bag::new(seed);
            let mut task = PerfectTask { board: Board::EMPTY, rows: 4, reserve: bag.next() };
            let mut pieces: Vec<Piece> = bag.by_ref().take(4).collect();
            let mut kept = Endgame::default();
            for needed in (1..=10).rev() {
                let here = root(task.board, task.reserve.unwrap(), task.rows, &pieces, bag.left());
                // With few pieces to go there is time for everything.
                let budget = if needed > 6 { 60_000 } else { 100_000_000 };
                let best = |endgame: &mut Endgame| {
                    let mut meter = Meter::new(Budget::nodes(budget), 1e6, None);
                    solve(endgame, &here, 0, aim, &mut meter).0.into_iter().next()
                };
                let found = best(&mut kept);
                if needed <= 6 {
                    let value = found.as_ref().map(|best| best.value);
                    assert_eq!(value, best(&mut Endgame::default()).map(|best| best.value), "seed {seed}");
                    between += u32::from(value.is_some_and(|value| value < 1.0));
                }
                let Some(Candidate { placement, .. }) = found else { break };
                if placement.piece != pieces[0] {
                    task.reserve = Some(pieces[0]);
                }
                task.rows -= usize::from(task.board.place(&placement).unwrap().lines);
                pieces.remove(0);
                pieces.extend(bag.next());
            }
        }
        assert!(between >= 5, "{between} positions were open");
    }

    /// The way to an empty board ends with a piece that may be left over.
    #[test]
    fn what_is_left_over_was_asked_for() {
        let pieces = [Piece::I, Piece::O, Piece::O, Piece::S];
        let board: Board = "\n######....\n######....".parse().unwrap();
        let here = root(board, Piece::Z, 2, &pieces[1..3], &[]);
        let leave = |left| {
            let mut meter = Meter::new(Budget::nodes(10_000), 1e6, None);
            let aim = EndgameAim { scope: Scope::Any, share: 1.0, left };
            solve(&mut Endgame::default(), &here, 0, aim, &mut meter).0.len()
        };
        assert!(leave(&Piece::ALL) > 0 && leave(&[Piece::Z]) > 0);
        assert_eq!(leave(&[Piece::T, Piece::O]), 0);
    }

    /// What is compiled for newer processors finds what the plain code finds.
    #[test]
    fn every_processor_finds_the_same_ends() {
        let mut compared = 0;
        for seed in 0..60 {
            let Some((board, rows)) = low_board(seed, 4, seed as usize % 9) else { continue };
            let needed = (10 * rows - board.len()) / 4;
            let here = root(board, Piece::T, rows, &[], &[]);
            let mut endgame = Endgame::default();
            let all = endgame.imagine(&here, needed, &Piece::ALL, seed);
            let mut meter = Meter::new(Budget::nodes(1000), 1e6, None);
            let mut search = EndgameSearch::new(&mut endgame, &mut meter);
            let spot = Spot { board: LowBoard::of(&board, rows).unwrap(), reserve: Some(Piece::T) };
            let (mut fast, mut plain) = (vec![], vec![]);
            search.children(&spot, needed, all, &mut fast);
            search.children_anywhere(&spot, needed, all, &mut plain);
            assert_eq!(format!("{fast:?}"), format!("{plain:?}"));
            compared += fast.len();
        }
        assert!(compared > 1000, "{compared} positions");
    }

    #[test]
    fn low_boards_are_judged_as_boards_are() {
        let mut seen = [0; 2];
        for seed in 0..200 {
            let rows = 3 + seed as usize % 6;
            let Some((board, rows)) = low_board(seed, rows, 1 + seed as usize % 8) else { continue };
            let task = PerfectTask { board, rows, reserve: None };
            for piece in Piece::ALL {
                let mut boards = vec![];
                LowBoard::of(&board, rows).unwrap().after(piece, Kicks::Srs, &mut boards);
                let mut plain = vec![];
                task.after(piece, None, Kicks::Srs, &mut vec![], |_, task, _| {
                    // The same cells may be listed for several spins.
                    if plain.iter().all(|other: &PerfectTask| other.board != task.board) {
                        plain.push(task);
                    }
                });
                for task in &plain {
                    let low = LowBoard::of(&task.board, task.rows).unwrap();
                    assert!(boards.contains(&low), "{piece} on\n{board}");
                    assert_eq!(low.is_hopeless(), task.is_hopeless(), "{}", task.board);
                    assert_eq!(low.roughness(), task.roughness(), "{}", task.board);
                    assert_eq!(low.len_empty() as usize, 10 * task.rows - task.board.len());
                    seen[usize::from(low.is_hopeless())] += 1;
                }
                assert_eq!(boards.len(), plain.len(), "{piece} on\n{board}");
            }
        }
        assert!(seen.iter().all(|&count| count > 500), "{seen:?}");
    }
}
