//! Beam search: the best few positions after each piece, and no others, are looked at further.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;

use bellmino_engine::guideline::{Board, Goal, Piece, Placement, Rules};

use crate::budget::{Meter, UNBOUNDED};
use crate::evaluation::{EvaluationState, Expected, Weights};
use crate::expansion::{BRANCHING, BeamLayer, GONE, Lead, LineStage, Node, Root, Worker, expand, values};
use crate::hashing::{Identity, hash};
use crate::outlook::Outlook;
use crate::tetris::is_low;

/// The layers of a search; layer `d` holds positions after `d + 1` placements, the best first.
#[derive(Debug, Default)]
pub(crate) struct Beam {
    pub layers: Vec<Vec<Node>>,
    /// What the layers start from.
    origin: Option<BeamRoot>,
    /// Layers of the search from the root before that belong to this one too; their parents are places in the layer before of them.
    known: Vec<Vec<Node>>,
    /// The layers of the search before from the same root, if there was one.
    earlier: Vec<Vec<Node>>,
    /// Where the positions of the known layer before lie in the last layer; `GONE` if they were dropped.
    places: Vec<u32>,
    /// Low boards kept in each layer beside the best positions, if these are at least twice as many.
    pub low: usize,
    leads: Vec<Lead>,
    /// The leads, the best first.
    order: Vec<Rank>,
    workers: Vec<Worker>,
    seen: HashSet<u64, BuildHasherDefault<Identity>>,
    known_hashes: HashMap<u64, f32, BuildHasherDefault<Identity>>,
}

/// The root of a search, to be compared with the next one.
#[derive(Debug)]
struct BeamRoot {
    board: Board,
    standing: EvaluationState,
    pieces: Vec<Piece>,
    rules: Rules,
    goal: Goal,
}

impl BeamRoot {
    /// Whether it is this root, whether or not the last piece of a bag is counted among those in sight.
    fn is(&self, root: &Root<'_>) -> bool {
        self.board == root.board
            && self.standing == root.standing
            && self.goal == root.goal
            && (self.pieces.starts_with(root.pieces) || root.pieces.starts_with(&self.pieces))
            && self.rules == *root.rules
    }
}

/// A lead among others as one number: the best is the least, and of equal ones that which was found first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank(u64);

impl Rank {
    #[inline]
    fn of(lead: &Lead, index: u32) -> Rank {
        // The bits of a number of either sign as one that grows with it, as `f32::total_cmp` does it.
        let bits = lead.value.to_bits() as i32;
        let growing = (bits ^ ((bits >> 31) as u32 >> 1) as i32) as u32 ^ 1 << 31;
        Rank(u64::from(!growing) << 32 | u64::from(index))
    }

    #[inline]
    fn index(self) -> usize {
        self.0 as u32 as usize
    }
}

/// How wide a layer may be.
#[derive(Clone, Copy, Debug)]
struct Width {
    /// Positions to look at further.
    expand: usize,
    /// Positions kept.
    keep: usize,
}

impl Beam {
    /// Begins with a root. What was found before and belongs to it is kept. From the root of the search before it begins as that one
    /// did: a narrower search has dropped what a wider one keeps.
    pub fn begin(&mut self, root: &Root<'_>) {
        self.open_last();
        if self.origin.as_ref().is_some_and(|origin| origin.is(root)) {
            self.earlier = std::mem::take(&mut self.layers);
        } else {
            self.earlier.clear();
            self.known = self.survivors(root);
        }
        self.origin = Some(BeamRoot {
            board: root.board,
            standing: root.standing,
            pieces: root.pieces.to_vec(),
            rules: *root.rules,
            goal: root.goal,
        });
        self.places.clear();
        self.layers.clear();
    }

    /// The search was stopped: what an earlier one from the same root has found stands.
    pub fn fall_back(&mut self) {
        if !self.earlier.is_empty() {
            self.layers = std::mem::take(&mut self.earlier);
        }
    }

    /// The layers as seen from one of the first layer with the queue moved on.
    fn survivors(&mut self, root: &Root<'_>) -> Vec<Vec<Node>> {
        let layers = std::mem::take(&mut self.layers);
        let Some(origin) = self.origin.take().filter(|origin| origin.rules == *root.rules) else {
            return vec![];
        };
        let goes_on = origin.pieces.len() > 1 && root.pieces.starts_with(&origin.pieces[1..]);
        let one_less = origin.goal.pieces_left(1) == root.goal.pieces;
        let chosen = layers.first().and_then(|first| {
            first.iter().position(|node| {
                let LineStage { board, standing, lines, .. } = node.stage;
                let lines_left = origin.goal.lines_left(lines);
                board == root.board && standing == root.standing && lines_left == root.goal.lines
            })
        });
        let (Some(chosen), true, true) = (chosen, goes_on, one_less) else { return vec![] };
        let base = layers[0][chosen].stage;
        let mut places = vec![GONE; layers[0].len()];
        places[chosen] = 0;
        let mut survivors = vec![];
        for layer in &layers[1..] {
            let (kept, next) = kept(layer, &places, |node, parent| {
                let LineStage { earned, lines, .. } = node.stage;
                let stage =
                    LineStage { earned: earned - base.earned, lines: lines - base.lines, ..node.stage };
                Node { stage, parent, ..*node }
            });
            survivors.push(kept);
            places = next;
        }
        survivors
    }

    /// Adds layers up to `depth`, as wide as the budget allows without its last `spare` nodes and at most `most` wide.
    /// Ends early if stopped, or when the last row is cleared.
    pub fn extend(
        &mut self,
        root: &Root<'_>,
        weights: &Weights,
        depth: usize,
        most: usize,
        spare: u64,
        meter: &mut Meter<'_>,
    ) {
        while self.layers.len() < depth {
            let levels = (depth - self.layers.len()) as u64;
            // What this layer does not need is left for the later ones.
            let affordable = meter.left(UNBOUNDED).saturating_sub(spare) / levels / BRANCHING;
            let expand = (affordable as usize).clamp(1, most);
            // More than can be looked at now: the next search may go on with them.
            let width = Width { expand, keep: (expand * 5 / 2 + 8).min(most) };
            let grown = self.grow(root, weights, width, meter);
            if !grown && meter.is_stopped() {
                self.keep_known();
            }
            if !grown || self.layers.last().is_some_and(|layer| layer.iter().any(|node| node.stage.done)) {
                break;
            }
        }
        // Nothing is known of what follows the last layer, whatever was known before.
        self.open_last();
    }

    /// Nothing that follows the last layer is a part of the search.
    fn open_last(&mut self) {
        self.layers.last_mut().into_iter().flatten().for_each(|node| node.expanded = false);
    }

    /// Adds the layers of the search before that this one was stopped from coming to.
    fn keep_known(&mut self) {
        let mut places = std::mem::take(&mut self.places);
        for known in self.known.iter().skip(self.layers.len()) {
            let Some(parents) = self.layers.last() else { return };
            let (kept, next) = kept(known, &places, |node, parent| Node {
                parent,
                first: parents[parent as usize].first,
                ..*node
            });
            if kept.is_empty() {
                return;
            }
            self.layers.push(kept);
            places = next;
        }
    }

    /// Adds one layer; false if stopped or if there is none to add.
    fn grow(&mut self, root: &Root<'_>, weights: &Weights, width: Width, meter: &mut Meter<'_>) -> bool {
        let depth = self.layers.len();
        if root.goal.pieces_left(depth as u32) == Some(0) {
            return false;
        }
        let left = root.goal.pieces_left(depth as u32 + 1);
        let next = root.pieces.get(depth).copied();
        let to_come = root.pieces.get(depth + 1..).unwrap_or_default();
        let after_next = to_come.first().copied().or(next).unwrap_or(Piece::T);
        let weights = weights.expecting(&Expected::of(to_come, root.bag));
        let layer = BeamLayer { root, share: weights.share(left), weights, next, tells_low: self.low > 0 };
        let Root { board, standing, .. } = *root;
        let start = [Node {
            stage: LineStage { board, standing, earned: 0.0, lines: 0, done: false },
            value: 0.0,
            parent: 0,
            first: 0,
            placement: Placement::spawn(Piece::T),
            expanded: false,
        }];
        let parents = self.layers.last().map_or(&start[..], Vec::as_slice);
        let open = |(_, node): &(usize, &Node)| !(node.stage.done || node.expanded);
        let indices: Vec<u32> = parents
            .iter()
            .enumerate()
            .filter(open)
            .take(width.expand)
            .map(|(index, _)| index as u32)
            .collect();
        if !expand(&layer, parents, &indices, &mut self.workers, meter) {
            return false;
        }
        self.leads.clear();
        let (first, others) = self.workers.split_at_mut(1);
        std::mem::swap(&mut self.leads, &mut first[0].leads);
        for worker in others {
            self.leads.append(&mut worker.leads);
        }
        self.known_hashes.clear();
        let known = self.known.get(depth).map_or(&[][..], Vec::as_slice);
        // What lies ahead is known better than before.
        let values = values(&layer, known);
        for ((index, node), value) in known.iter().enumerate().zip(values) {
            let parent = if depth == 0 { 0 } else { self.places[node.parent as usize] };
            if parent == GONE {
                continue;
            }
            let LineStage { board, standing, earned, .. } = node.stage;
            let hash = hash(&board, &standing);
            let from_reserve = Some(node.placement.piece) != next;
            let placement = node.placement;
            let known = index as u32;
            let is_low = layer.tells_low && is_low(&board);
            self.leads.push(Lead { value, earned, parent, known, placement, from_reserve, is_low });
            self.known_hashes.insert(hash, earned);
        }
        meter.nodes += known.len() as u64;
        // Duplicates and what is lost are thrown out below, so some more are kept at first, of the first placements all.
        let enough = if depth == 0 { usize::MAX } else { width.keep * 3 };
        let most_low = self.low.min(width.keep / 2);
        self.order.clear();
        self.order.extend((0..).zip(&self.leads).map(|(index, lead)| Rank::of(lead, index)));
        let mut low = vec![];
        if self.order.len() > enough {
            low.extend(self.order.iter().filter(|rank| self.leads[rank.index()].is_low));
            low.sort_unstable();
            low.truncate(most_low * 3);
            self.order.select_nth_unstable(enough);
            self.order.truncate(enough);
        }
        self.order.sort_unstable();
        self.seen.clear();
        let mut places = vec![GONE; known.len()];
        let mut nodes: Vec<Node> = Vec::with_capacity(width.keep.min(self.leads.len()) + 1);
        let mut lost = vec![];
        for lead in self.order.iter().chain(&low).map(|rank| &self.leads[rank.index()]) {
            let most = width.keep + if lead.is_low { most_low } else { 0 };
            if nodes.len() >= most {
                continue;
            }
            let parent = &parents[lead.parent as usize];
            let mut stage = layer.after(&parent.stage, &lead.placement, lead.from_reserve);
            let hash = hash(&stage.board, &stage.standing);
            // What was known before is taken rather than found again, since more is known of what follows it.
            let again = lead.known == GONE
                && self.known_hashes.get(&hash).is_some_and(|&earned| earned > lead.earned - 0.5);
            if again || !self.seen.insert(hash) {
                continue;
            }
            stage.earned = lead.earned;
            stage.done |= left == Some(0);
            let mut node = Node {
                stage,
                value: lead.value,
                parent: lead.parent,
                first: parent.first,
                placement: lead.placement,
                expanded: false,
            };
            let board = &stage.board;
            if !stage.done && board.height() > 18 && !board.fits(&Placement::spawn(after_next)) {
                if depth == 0 {
                    lost.push(node);
                }
                continue;
            }
            if let Some(known) = known.get(lead.known as usize) {
                places[lead.known as usize] = nodes.len() as u32;
                node.expanded = known.expanded;
            }
            nodes.push(node);
        }
        // Who can only lose still has a placement to make.
        if nodes.is_empty() {
            nodes = lost;
        }
        if nodes.is_empty() {
            return false;
        }
        match self.layers.last_mut() {
            Some(parents) => indices.iter().for_each(|&index| parents[index as usize].expanded = true),
            None => (0..).zip(&mut nodes).for_each(|(index, node)| node.first = index),
        }
        self.places = places;
        self.layers.push(nodes);
        true
    }

    /// Judges the best positions after the last piece in sight, if the search came to it, by what may come next, and puts
    /// them in order; again, it goes on with others. Returns how many pieces beyond those in sight were looked at.
    pub fn look_beyond(
        &mut self,
        root: &Root<'_>,
        weights: &Weights,
        outlook: Outlook,
        meter: &mut Meter<'_>,
    ) -> u32 {
        let depth = root.pieces.len();
        let left = root.goal.pieces_left(depth as u32);
        // Their order matters to no other layer, since nothing follows them.
        let is_reached = self.layers.len() == depth;
        match self.layers.last_mut().filter(|_| is_reached) {
            Some(last) => outlook.judge(root, weights, last, left, &mut self.workers, meter),
            None => 0,
        }
    }

    /// The placements that led to a position, the first one first.
    pub fn line(&self, depth: usize, index: usize) -> Vec<Placement> {
        let mut line = vec![];
        let mut index = index;
        for layer in self.layers[..=depth].iter().rev() {
            line.push(layer[index].placement);
            index = layer[index].parent as usize;
        }
        line.reverse();
        line
    }
}

/// The positions of a layer whose parents have a place, renewed with it, and their own places among them.
fn kept(layer: &[Node], places: &[u32], renew: impl Fn(&Node, u32) -> Node) -> (Vec<Node>, Vec<u32>) {
    let mut kept = vec![];
    let mut next = vec![GONE; layer.len()];
    for (place, node) in next.iter_mut().zip(layer) {
        let parent = places[node.parent as usize];
        if parent != GONE {
            *place = kept.len() as u32;
            kept.push(renew(node, parent));
        }
    }
    (kept, next)
}
