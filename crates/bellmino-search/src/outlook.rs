//! Beyond the pieces in sight: what positions are worth in expectation over what the bag may give.

use bellmino_engine::guideline::Piece;

use crate::bag;
use crate::budget::{Meter, UNBOUNDED};
use crate::evaluation::{Expected, Weights};
use crate::expansion::{BRANCHING, BeamLayer, Lead, Node, Root, Worker, expand};

/// The worth of a position without any placement.
const LOST: f32 = -1e5;

/// How far to look beyond the pieces in sight, and what is to be spent on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outlook {
    /// Pieces that are not in sight; 0 not to look beyond at all.
    pieces: u32,
    /// Nodes to leave for it.
    pub spare: u64,
}

impl Outlook {
    /// As far as half of these nodes allows for a few positions. Not at all if a search of this `depth` leaves pieces in
    /// sight or comes to the end of the game, or where rows are the goal, since the end of such a game is a search of its
    /// own.
    pub fn within(nodes: u64, root: &Root<'_>, depth: usize) -> Outlook {
        /// The most pieces.
        const FAR: u32 = 3;
        /// Fewer positions are not worth comparing.
        const FEW: u64 = 16;
        let spare = nodes / 2;
        let is_affordable = |&pieces: &u32| spare / cost(root.bag.len(), pieces) >= FEW;
        let goes_on = root.goal.pieces_left(depth as u32) != Some(0);
        let is_of_use = depth == root.pieces.len() && goes_on && root.goal.lines.is_none();
        let pieces = (1..=FAR).rev().find(is_affordable).filter(|_| is_of_use);
        pieces.map_or(Outlook { pieces: 0, spare: 0 }, |pieces| Outlook { pieces, spare })
    }

    /// Judges the positions of the last layer that were not yet, the best first, while the budget lasts, and puts all of them in order.
    /// The others are taken to change as these do on average, so that the best one is always one that was judged.
    /// `left` is the number of pieces until the game is done. Returns how many pieces beyond those in sight were looked at.
    pub fn judge(
        self,
        root: &Root<'_>,
        weights: &Weights,
        positions: &mut [Node],
        left: Option<u32>,
        workers: &mut Vec<Worker>,
        meter: &mut Meter<'_>,
    ) -> u32 {
        let pieces = left.map_or(self.pieces, |left| left.min(self.pieces));
        if pieces == 0 {
            return 0;
        }
        let mut cost = cost(root.bag.len(), pieces);
        let mut future = Future { root, weights, workers, meter };
        let mut judged = 0;
        let mut change = 0.0;
        let open: Vec<usize> = (0..positions.len()).filter(|&index| !positions[index].expanded).collect();
        while judged < open.len() {
            // Some at a time, since what they cost is only a guess.
            let affordable = future.meter.left(UNBOUNDED) / cost.max(1);
            let is_any_judged = judged > 0 || open.len() < positions.len();
            if affordable == 0 && is_any_judged {
                break;
            }
            let some = (affordable / 4).max(1) as usize;
            let indices = &open[judged..(judged + some).min(open.len())];
            let before = future.meter.nodes;
            let nodes: Vec<Node> = indices.iter().map(|&index| positions[index]).collect();
            let Some(values) = future.expectation(&nodes, root.bag, left, pieces) else { break };
            for (&index, value) in indices.iter().zip(values) {
                let position = &mut positions[index];
                change += value - position.value;
                (position.value, position.expanded) = (value, true);
            }
            judged += indices.len();
            cost = (future.meter.nodes - before) / indices.len() as u64;
        }
        if judged > 0 {
            let change = change / judged as f32;
            open[judged..].iter().for_each(|&index| positions[index].value += change);
            positions.sort_by(|a, b| b.value.total_cmp(&a.value));
        }
        if judged > 0 { pieces } else { 0 }
    }
}

/// About the nodes it takes to judge a position with so many pieces left in the bag.
fn cost(bag: usize, pieces: u32) -> u64 {
    bag::orders(bag).take(pieces as usize).sum::<u64>() * BRANCHING
}

/// What looks into the future.
struct Future<'a, 'b> {
    root: &'a Root<'a>,
    weights: &'a Weights,
    workers: &'a mut Vec<Worker>,
    meter: &'a mut Meter<'b>,
}

impl Future<'_, '_> {
    /// What positions are worth in expectation over the next pieces, the first of them from this bag: each is placed
    /// where the evaluation says, as one who does not see those after it. `None` if stopped.
    fn expectation(
        &mut self,
        positions: &[Node],
        bag: &[Piece],
        left: Option<u32>,
        pieces: u32,
    ) -> Option<Vec<f32>> {
        let left = left.map(|left| left - 1);
        let last = pieces == 1 || left == Some(0);
        let indices: Vec<u32> = (0..positions.len() as u32).collect();
        let mut sums = vec![0.0; positions.len()];
        let draws = bag::draws(bag);
        let count = draws.len() as f32;
        for (piece, rest) in draws {
            let weights = self.weights.expecting(&Expected::of(&[], &rest));
            let layer = BeamLayer {
                root: self.root,
                share: weights.share(left),
                weights,
                next: Some(piece),
                tells_low: false,
            };
            let done = expand(&layer, positions, &indices, self.workers, self.meter);
            if !done || self.meter.is_stopped() {
                return None;
            }
            let best = best_of_each(self.workers, positions.len());
            let found = best.iter().flatten();
            let values: Vec<f32> = if last {
                found.map(|lead| lead.value).collect()
            } else {
                let next: Vec<Node> = found.map(|lead| placed(&layer, positions, lead)).collect();
                self.expectation(&next, &rest, left, pieces - 1)?
            };
            let mut values = values.into_iter();
            for (sum, best) in sums.iter_mut().zip(&best) {
                *sum += best.and_then(|_| values.next()).unwrap_or(LOST);
            }
        }
        sums.iter_mut().for_each(|sum| *sum /= count);
        Some(sums)
    }
}

/// The best placement on each position, the first of equal ones.
fn best_of_each(workers: &[Worker], positions: usize) -> Vec<Option<Lead>> {
    let mut best: Vec<Option<Lead>> = vec![None; positions];
    for lead in workers.iter().flat_map(|worker| &worker.leads) {
        let best = &mut best[lead.parent as usize];
        if best.is_none_or(|best| lead.value > best.value) {
            *best = Some(*lead);
        }
    }
    best
}

/// The position after a placement.
fn placed(layer: &BeamLayer<'_>, positions: &[Node], lead: &Lead) -> Node {
    let parent = &positions[lead.parent as usize];
    Node { stage: layer.after(&parent.stage, &lead.placement, lead.from_reserve), ..*parent }
}
