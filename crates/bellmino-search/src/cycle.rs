//! Cycles: the way from a low board to the next tetris that empties it.
//!
//! The beam comes upon low boards, most of them by a T-spin that clears what lay above. From each of them the way to such a tetris is
//! known at once if its pieces are in sight ([`tetris`]); else there is a chance, the share of imagined futures in which there is a way. It pays
//! if what such a tetris brings, times the chance, and what the position is worth otherwise, are more than the best position without it.

use std::collections::HashSet;

use bellmino_engine::guideline::{Board, Cleared, Piece, Placement, Spin};
use bellmino_engine::{Purpose, stream};

use crate::bag;
use crate::beam::Beam;
use crate::budget::{ENOUGH, Meter};
use crate::evaluation::{EvaluationState, Weights};
use crate::expansion::{Node, Root};
use crate::tetris::{self, STEPS, TetrisTask, is_low};

/// One part in so many of a budget is left for cycles, where there may be one. Most of the time they take little of it.
const SHARE: u64 = 3;

/// Boards higher than this hardly ever become low within the pieces in sight.
const NEAR: usize = 9;

/// Low boards of a layer that are kept beside the best positions.
pub(crate) const KEPT: usize = 300;

/// Steps of the search for one tetris. Of the empty boards that have one, 97 in a hundred have it within these.
const STEPS_EACH: u64 = 8000;

/// Steps that are taken even if the answer is wanted at once: less than a millisecond.
const AT_ONCE: u64 = 20_000;

/// Futures that a position is tried in.
const FUTURES: usize = 8;
/// Others that it is tried in if it did well: the best of many guesses is a lucky one.
const OTHERS: usize = 48;
/// What is left of the chance for every piece that is not in sight: a future that is known leaves more choice than one that is seen piece by
/// piece.
const HINDSIGHT: f32 = 0.95;

/// What an empty board is worth beside what its features say: a tetris that empties it again is near.
const EMPTY: f32 = 1000.0;

/// What a position that the beam did not follow to the last layer is taken to be worth less.
const DROPPED: f32 = 3000.0;

/// What a cycle keeps of the points that it promises beside the best position without one, on average: the best of many guesses is taken.
pub(crate) const KEEPS: f64 = 0.5;

/// Whether cycles are worth looking for with so many nodes: points are the goal and nothing else, and the board is not too high.
pub(crate) fn are_likely(root: &Root<'_>, weights: &Weights, nodes: u64) -> bool {
    let is_goal = weights.points > 0.0 && root.goal.lines.is_none() && root.key_price == 0.0;
    is_goal && root.board.height() <= NEAR && nodes >= ENOUGH
}

/// Nodes of these to leave for cycles: none if there is nothing to look at.
pub(crate) fn spare(root: &Root<'_>, beam: &Beam, nodes: u64) -> u64 {
    let is_any_new =
        |(depth, layer): (usize, &Vec<Node>)| layer.iter().any(|node| is_new(root, beam, depth, node));
    let is_of_use = is_low(&root.board) || beam.layers.iter().enumerate().any(is_any_new);
    if is_of_use { nodes / SHARE } else { 0 }
}

/// Whether a position of a layer has just become low. What follows a low board without a clear is a part of its own way.
fn is_new(root: &Root<'_>, beam: &Beam, depth: usize, node: &Node) -> bool {
    let stage = &node.stage;
    if stage.done || stage.board.is_empty() || !is_low(&stage.board) {
        return false;
    }
    match depth.checked_sub(1) {
        Some(depth) => {
            let before = &beam.layers[depth][node.parent as usize].stage;
            stage.lines > before.lines || !is_low(&before.board)
        }
        None => stage.lines > 0 || !is_low(&root.board),
    }
}

/// A line of play to a tetris that empties the board.
#[derive(Clone, Debug)]
pub(crate) struct Cycle {
    /// What to expect of it, as the values of the last layer.
    pub value: f32,
    /// As far as its pieces are in sight.
    pub line: Vec<Placement>,
}

/// What is looked at to find cycles.
pub(crate) struct Cycles<'a> {
    pub root: &'a Root<'a>,
    pub beam: &'a Beam,
    pub weights: &'a Weights,
    /// Pieces beyond those in sight up to which the last layer was judged.
    pub beyond: usize,
    /// Seed of the imagined pieces.
    pub seed: u64,
}

/// A position of the beam that might be emptied.
struct CycleProspect<'a> {
    node: &'a Node,
    /// Its layer, and its place there.
    place: (usize, usize),
    /// Pieces to the tetris.
    needed: usize,
    /// Those of them that are not in sight.
    unseen: usize,
    /// What is reached if the tetris is.
    reached: f32,
    /// What to expect otherwise.
    otherwise: f32,
}

impl CycleProspect<'_> {
    /// The chance from which on it is worth more than this.
    fn chance_for(&self, value: f32) -> f32 {
        (value - self.otherwise) / (self.reached - self.otherwise)
    }
}

/// What came of some futures.
#[derive(Clone, Copy, Default)]
struct Tried {
    futures: usize,
    solved: usize,
    /// Sum of what was reached where it was solved.
    reached: f32,
}

/// What the moves of a game bring where all goes well.
struct Prices {
    /// A piece, by the rows it fills.
    piece: f32,
    /// A T beyond that, turned in for two rows.
    spin: f32,
    /// A tetris that empties the board, without and with back-to-back.
    tetris: [f32; 2],
    /// The empty board after it.
    empty: f32,
    /// A T to hold beside that.
    spare: f32,
}

impl Prices {
    fn of(root: &Root<'_>, weights: &Weights) -> Prices {
        let points = |lines, perfect, spin, mut back_to_back| {
            let cleared = Cleared { lines, perfect };
            weights.points * root.rules.score.clear(cleared, spin, &mut back_to_back, &mut 0).points as f32
        };
        let board =
            |reserve| weights.leaf(&Board::EMPTY, &EvaluationState { reserve, back_to_back: true, combo: 0 });
        let row = points(4, false, Spin::None, true) / 4.0;
        Prices {
            piece: row * 0.4,
            spin: points(2, false, Spin::Full, true) - 2.0 * row,
            tetris: [false, true].map(|back_to_back| points(4, true, Spin::None, back_to_back)),
            empty: EMPTY + board(None),
            spare: board(Some(Piece::T)) - board(None),
        }
    }

    /// What a piece brings on average.
    fn rate(&self) -> f32 {
        self.piece + self.spin / Piece::ALL.len() as f32
    }
}

impl Cycles<'_> {
    /// The cycles that are worth more than all that the beam has without them, each more than the one before, for so many nodes.
    pub fn find(&self, nodes: u64, meter: &mut Meter<'_>) -> Vec<Cycle> {
        let best = self.best_ends();
        let ends = best.first().into_iter().flatten().flatten().copied();
        let Some(top) = ends.reduce(f32::max) else { return vec![] };
        let futures = self.futures();
        let mut steps = 0;
        let end = nodes * STEPS;
        let prices = Prices::of(self.root, self.weights);
        let mut prospects = self.prospects(&best, top, &prices, &futures, &mut steps, end / 2);
        // What is sure takes few steps, and little is left to look for once it is found.
        prospects.sort_by(|a, b| {
            let chances = a.chance_for(top).total_cmp(&b.chance_for(top));
            (a.unseen > 0).cmp(&(b.unseen > 0)).then(chances)
        });
        let mut cycles: Vec<Cycle> = vec![];
        for prospect in &prospects {
            if steps >= end || meter.is_stopped() && steps >= AT_ONCE {
                break;
            }
            let target = cycles.last().map_or(top, |cycle| cycle.value);
            cycles.extend(self.cycle(prospect, target, &prices, &futures, &mut steps));
        }
        meter.nodes += steps / STEPS;
        cycles
    }

    /// For each position of each layer the value of the best one of the last layer that it leads to.
    fn best_ends(&self) -> Vec<Vec<Option<f32>>> {
        let mut best: Vec<Vec<Option<f32>>> = vec![];
        for layer in self.beam.layers.iter().rev() {
            // Of the layer after, if there is one, the parents lie in this one.
            let ends = match best.last() {
                None => layer.iter().map(|node| Some(node.value)).collect(),
                Some(after) => {
                    let mut ends = vec![None; layer.len()];
                    let nodes = &self.beam.layers[self.beam.layers.len() - best.len()];
                    for (node, &end) in nodes.iter().zip(after) {
                        let best: &mut Option<f32> = &mut ends[node.parent as usize];
                        *best = best.iter().copied().chain(end).reduce(f32::max);
                    }
                    ends
                }
            };
            best.push(ends);
        }
        best.reverse();
        best
    }

    /// Pieces that might come after those in sight.
    fn futures(&self) -> Vec<Vec<Piece>> {
        let to_go = u64::from(self.root.goal.pieces.unwrap_or(0));
        let mut generator = stream(self.seed, Purpose::Player, to_go);
        let mut future = || {
            let mut pieces = vec![];
            // With the piece that may be left over.
            bag::draw(&mut pieces, self.root.bag, tetris::needed(&Board::EMPTY) + 1, &mut generator);
            pieces
        };
        (0..FUTURES + OTHERS).map(|_| future()).collect()
    }

    /// The positions that have become low, and the best placements if the board is low now.
    fn prospects(
        &self,
        best: &[Vec<Option<f32>>],
        top: f32,
        prices: &Prices,
        futures: &[Vec<Piece>],
        steps: &mut u64,
        end: u64,
    ) -> Vec<CycleProspect<'_>> {
        let Root { board, pieces, goal, .. } = *self.root;
        let voted = if is_low(&board) { self.votes(futures, steps, end) } else { vec![] };
        let mut seen = HashSet::new();
        let mut prospects = vec![];
        for (depth, layer) in self.beam.layers.iter().enumerate() {
            for (index, node) in layer.iter().enumerate() {
                let stage = &node.stage;
                let is_voted = depth == 0 && voted.contains(&node.placement);
                if !is_new(self.root, self.beam, depth, node) && !is_voted {
                    continue;
                }
                let needed = tetris::needed(&stage.board);
                let is_late = goal.pieces_left((depth + needed) as u32) == Some(0);
                if is_late || !seen.insert((stage.board, stage.standing.reserve)) {
                    continue;
                }
                // What the pieces cost that go into it beyond those of the last layer, or those bring that come after it. Where the game ends
                // with the last layer, only points count that are sure.
                let over = depth + 1 + needed;
                let horizon = pieces.len() + self.beyond;
                let later = match goal.pieces_left(horizon as u32) {
                    Some(0) => 0.0,
                    _ => {
                        let after = pieces.get(over..).unwrap_or_default();
                        let spins = after.iter().filter(|&&piece| piece == Piece::T).count();
                        (horizon as f32 - over as f32) * prices.piece + spins as f32 * prices.spin
                    }
                };
                let share = self.weights.share(goal.pieces_left(over as u32));
                let tetris = prices.tetris[usize::from(stage.standing.back_to_back)];
                let reached = stage.earned + tetris + share * prices.empty + later;
                let otherwise = best[depth][index].unwrap_or_else(|| {
                    let to_come = self.beam.layers.len() - 1 - depth + self.beyond;
                    node.value + to_come as f32 * prices.rate() - DROPPED
                });
                if reached > top {
                    let known = pieces.len().saturating_sub(depth + 1);
                    let unseen = unseen(needed, known, stage.standing.reserve);
                    let place = (depth, index);
                    prospects.push(CycleProspect { node, place, needed, unseen, reached, otherwise });
                }
            }
        }
        prospects
    }

    /// The first placements of the ways from the board itself.
    fn votes(&self, futures: &[Vec<Piece>], steps: &mut u64, end: u64) -> Vec<Placement> {
        /// The most of them.
        const MOST: usize = 4;
        let Root { board, standing, pieces, .. } = self.root;
        let mut votes: Vec<(Placement, usize)> = vec![];
        let needed = tetris::needed(board);
        let (count, unseen) = to_try(unseen(needed, pieces.len(), standing.reserve));
        for future in futures.iter().take(count) {
            if *steps >= end {
                break;
            }
            let pieces = [&pieces[..], &future[..unseen]].concat();
            let Some((line, _)) = self.way(board, standing.reserve, &pieces, steps) else { continue };
            match votes.iter_mut().find(|(placement, _)| *placement == line[0]) {
                Some((_, count)) => *count += 1,
                None => votes.push((line[0], 1)),
            }
        }
        votes.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        votes.into_iter().take(MOST).map(|(placement, _)| placement).collect()
    }

    /// A way to the tetris, if possible one that leaves a T, and whether it does.
    fn way(
        &self,
        board: &Board,
        reserve: Option<Piece>,
        pieces: &[Piece],
        steps: &mut u64,
    ) -> Option<(Vec<Placement>, bool)> {
        let task = TetrisTask { board, reserve, pieces, kicks: self.root.rules.kicks };
        [Some(Piece::T), None].into_iter().find_map(|spared| {
            let mut used = 0;
            let line = task.solve(spared, &mut used, STEPS_EACH);
            *steps += used + 10;
            Some((line?, spared.is_some()))
        })
    }

    /// The way that a position leads to, if it is worth more than `target`.
    fn cycle(
        &self,
        prospect: &CycleProspect<'_>,
        target: f32,
        prices: &Prices,
        futures: &[Vec<Piece>],
        steps: &mut u64,
    ) -> Option<Cycle> {
        let CycleProspect { node, place: (depth, index), needed, unseen, reached, otherwise } = *prospect;
        let reserve = node.stage.standing.reserve;
        let known = self.root.pieces.get(depth + 1..).unwrap_or_default();
        let certainty = HINDSIGHT.powi(unseen as i32);
        let (count, unseen) = to_try(unseen);
        let mut line = vec![];
        let value = |tried: &Tried| {
            let chance = tried.solved as f32 / tried.futures as f32 * certainty;
            let reached = tried.reached / tried.solved.max(1) as f32;
            chance * reached + (1.0 - chance) * otherwise
        };
        let mut attempt = |futures: &[Vec<Piece>]| {
            let mut tried = Tried::default();
            for (number, future) in futures.iter().enumerate() {
                // Even if all others are solved.
                let best = (tried.solved + futures.len() - number) as f32 / futures.len() as f32 * certainty;
                if best * (reached + prices.spare) + (1.0 - best) * otherwise <= target {
                    return None;
                }
                let pieces = [known, &future[..unseen]].concat();
                tried.futures += 1;
                let Some((way, is_spared)) = self.way(&node.stage.board, reserve, &pieces, steps) else {
                    continue;
                };
                line = way;
                let used = pieces.get(known.len() + self.beyond..needed).unwrap_or_default();
                let spins = used.iter().filter(|&&piece| piece == Piece::T).count();
                tried.solved += 1;
                tried.reached +=
                    reached - spins as f32 * prices.spin + if is_spared { prices.spare } else { 0.0 };
            }
            Some(value(&tried)).filter(|&value| value > target)
        };
        let (first, others) = futures.split_at(count);
        let mut value = attempt(first)?;
        if count > 1 {
            value = attempt(others)?;
        }
        let mut whole = self.beam.line(depth, index);
        whole.append(&mut line);
        // Beyond the pieces in sight it is only imagined.
        whole.truncate(self.beam.layers.len());
        Some(Cycle { value, line: whole })
    }
}

/// How many of the pieces that are needed are not in sight, where so many are known beside the reserve.
fn unseen(needed: usize, known: usize, reserve: Option<Piece>) -> usize {
    needed.saturating_sub(known + usize::from(reserve.is_some()))
}

/// How many futures to try, and how many pieces of each, where so many are not in sight.
fn to_try(unseen: usize) -> (usize, usize) {
    match unseen {
        0 => (1, 0),
        // One more may be left over.
        _ => (FUTURES, unseen + 1),
    }
}
