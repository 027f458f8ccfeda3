//! Beam search: the best few positions after each piece, and no others, are looked at further.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use bellmino_engine::guideline::{Board, Piece, Placement, Rules, WIDTH, moves};

use crate::budget::Meter;
use crate::evaluation::{Expected, Standing, Weights};

/// The worth of having cleared the last row.
const DONE: f32 = 1e6;

/// What the search starts from. With hold allowed and nothing held, the current piece counts as set aside and the
/// next one as current: the same placements follow, in the same order.
#[derive(Clone, Debug)]
pub(crate) struct Root<'a> {
    pub board: Board,
    pub standing: Standing,
    /// The pieces to come after the reserve, as far as known.
    pub pieces: &'a [Piece],
    /// What is left in the bag after them; empty if unknown.
    pub bag: &'a [Piece],
    pub rules: &'a Rules,
    /// Pieces until the game is done, if it is bounded.
    pub pieces_left: Option<u32>,
    /// Rows until the game is done, if it is bounded.
    pub lines_left: Option<u32>,
}

/// A position of the beam.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub board: Board,
    pub standing: Standing,
    /// Worth of the placements so far.
    pub earned: f32,
    /// Worth of everything: earned and expected.
    pub value: f32,
    /// Index of the position before in the layer before.
    parent: u32,
    /// Index of the first placement in the first layer.
    pub first: u32,
    /// The placement that led here.
    pub placement: Placement,
    /// Rows cleared so far.
    pub lines: u32,
    /// Whether the goal is reached.
    pub done: bool,
}

/// The layers of a search; layer `d` holds positions after `d + 1` placements, the best first.
#[derive(Debug, Default)]
pub(crate) struct Beam {
    pub layers: Vec<Vec<Node>>,
    /// A line of play that is kept whatever it is worth on the way, and where it lies in the last layer.
    pinned: Option<(Vec<Placement>, usize)>,
    candidates: Vec<Candidate>,
    placements: Vec<Placement>,
    seen: HashSet<u64, BuildHasherDefault<Identity>>,
}

#[derive(Clone, Copy, Debug)]
struct Candidate {
    value: f32,
    earned: f32,
    hash: u64,
    parent: u32,
    placement: Placement,
    /// Whether the piece came from the reserve.
    from_reserve: bool,
}

impl Node {
    /// The position after one more placement; `first` is not set.
    fn after(
        &self,
        index: usize,
        placement: &Placement,
        root: &Root<'_>,
        weights: &Weights,
        next: Option<Piece>,
        share: f32,
    ) -> Node {
        let mut board = self.board;
        let reserve = if next == Some(placement.piece) { self.standing.reserve } else { next };
        let mut standing = Standing { reserve, ..self.standing };
        let cleared = board.place_unchecked(placement);
        let clear =
            root.rules.score.clear(cleared, placement.spin, &mut standing.back_to_back, &mut standing.combo);
        let earned = self.earned + weights.step(placement.piece, &clear, share);
        let lines = self.lines + u32::from(cleared.lines);
        let done = root.lines_left.is_some_and(|goal| lines >= goal);
        let value = if done { DONE } else { earned + share * weights.leaf(&board, &standing) };
        Node {
            board,
            standing,
            earned,
            value,
            parent: index as u32,
            first: self.first,
            placement: *placement,
            lines,
            done,
        }
    }
}

impl Beam {
    /// Begins anew. The positions along `pinned` are kept whatever they are worth.
    pub fn reset(&mut self, pinned: Option<Vec<Placement>>) {
        self.layers.clear();
        self.pinned = pinned.map(|line| (line, 0));
    }

    /// Forgets the line of play that is kept.
    pub fn unpin(&mut self) {
        self.pinned = None;
    }

    /// Adds layers up to `depth`, as wide as the nodes up to `until` allow and at most `most` wide. Ends early if
    /// stopped, or when the last row is cleared.
    pub fn extend(
        &mut self,
        root: &Root<'_>,
        weights: &Weights,
        depth: usize,
        most: usize,
        until: u64,
        meter: &mut Meter<'_>,
    ) {
        /// About what every position costs, in nodes.
        const BRANCHING: u64 = 50;
        while self.layers.len() < depth {
            let levels = (depth - self.layers.len()) as u64;
            // What this layer does not need is left for the later ones.
            let affordable = until.saturating_sub(meter.nodes) / levels / BRANCHING;
            let width = (affordable as usize).clamp(1, most);
            // The next layer may turn out to be able to afford more than this one.
            let keep = (width * 3 / 2 + 8).min(most);
            let to_come = root.pieces.get(self.layers.len() + 1..).unwrap_or_default();
            let weights = weights.expecting(&Expected::of(to_come, root.bag));
            if !self.grow(root, &weights, width, keep, meter) {
                return;
            }
            if self.layers.last().is_some_and(|layer| layer.iter().any(|node| node.done)) {
                return;
            }
        }
    }

    /// Adds one layer from the `expand` best positions of the last one, keeping at most `most`; false if stopped or
    /// if there is none to add.
    fn grow(
        &mut self,
        root: &Root<'_>,
        weights: &Weights,
        expand: usize,
        most: usize,
        meter: &mut Meter<'_>,
    ) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            // Counting bits is most of the work, and one instruction where the processor has it.
            #[target_feature(enable = "popcnt,bmi1,bmi2,lzcnt,avx2,fma")]
            fn fast(
                beam: &mut Beam,
                root: &Root<'_>,
                weights: &Weights,
                expand: usize,
                most: usize,
                meter: &mut Meter<'_>,
            ) -> bool {
                beam.grow_anywhere(root, weights, expand, most, meter)
            }
            if std::arch::is_x86_feature_detected!("popcnt")
                && std::arch::is_x86_feature_detected!("bmi1")
                && std::arch::is_x86_feature_detected!("bmi2")
                && std::arch::is_x86_feature_detected!("lzcnt")
                && std::arch::is_x86_feature_detected!("avx2")
                && std::arch::is_x86_feature_detected!("fma")
            {
                // SAFETY: the processor has all the features the function is compiled for.
                return unsafe { fast(self, root, weights, expand, most, meter) };
            }
        }
        self.grow_anywhere(root, weights, expand, most, meter)
    }

    #[inline(always)]
    fn grow_anywhere(
        &mut self,
        root: &Root<'_>,
        weights: &Weights,
        expand: usize,
        most: usize,
        meter: &mut Meter<'_>,
    ) -> bool {
        let depth = self.layers.len();
        self.candidates.clear();
        let left = root.pieces_left.map(|left| left.saturating_sub(depth as u32 + 1));
        if root.pieces_left.is_some_and(|left| left as usize <= depth) {
            return false;
        }
        let share = weights.share(left);
        let next = root.pieces.get(depth).copied();
        let after = root.pieces.get(depth + 1).copied().or(next).unwrap_or(Piece::T);
        let expand = expand.min(self.layers.last().map_or(1, Vec::len));
        let start = Node {
            board: root.board,
            standing: root.standing,
            earned: 0.0,
            value: 0.0,
            parent: 0,
            first: 0,
            placement: Placement::spawn(Piece::T),
            lines: 0,
            done: false,
        };
        if let (Some((_, pinned)), Some(layer)) = (&mut self.pinned, self.layers.last_mut())
            && (expand..layer.len()).contains(pinned)
        {
            layer.swap(*pinned, expand - 1);
            *pinned = expand - 1;
        }
        let parents = match self.layers.last() {
            Some(layer) => &layer[..expand.min(layer.len())],
            None => std::slice::from_ref(&start),
        };
        for (index, parent) in parents.iter().enumerate() {
            if index % 32 == 31 && meter.is_stopped() {
                return false;
            }
            if parent.done {
                continue;
            }
            let reserve = parent.standing.reserve.filter(|&reserve| Some(reserve) != next);
            for (piece, from_reserve) in [(next, false), (reserve, true)] {
                let Some(piece) = piece else { continue };
                self.placements.clear();
                moves::extend(&parent.board, piece, root.rules.kicks, &mut self.placements);
                meter.nodes += self.placements.len() as u64;
                let reserve = if from_reserve { next } else { parent.standing.reserve };
                for &placement in &self.placements {
                    let mut board = parent.board;
                    let mut standing = Standing { reserve, ..parent.standing };
                    let cleared = board.place_unchecked(&placement);
                    let clear = root.rules.score.clear(
                        cleared,
                        placement.spin,
                        &mut standing.back_to_back,
                        &mut standing.combo,
                    );
                    let earned = parent.earned + weights.step(piece, &clear, share);
                    let done =
                        root.lines_left.is_some_and(|goal| parent.lines + u32::from(clear.lines) >= goal);
                    let value = if done { DONE } else { earned + share * weights.leaf(&board, &standing) };
                    let hash = hash(&board, &standing);
                    self.candidates.push(Candidate {
                        value,
                        earned,
                        hash,
                        parent: index as u32,
                        placement,
                        from_reserve,
                    });
                }
            }
        }
        // The best first; equal values in the order they were found.
        let order = |a: &Candidate, b: &Candidate| {
            b.value.total_cmp(&a.value).then(a.parent.cmp(&b.parent)).then(a.placement.cmp(&b.placement))
        };
        // Duplicates are thrown out below, so some more are kept at first.
        let kept = most * 3;
        if self.candidates.len() > kept {
            self.candidates.select_nth_unstable_by(kept, order);
            self.candidates.truncate(kept);
        }
        self.candidates.sort_unstable_by(order);
        self.seen.clear();
        let mut layer = Vec::with_capacity(most.min(self.candidates.len()));
        for candidate in &self.candidates {
            if layer.len() == most {
                break;
            }
            if !self.seen.insert(candidate.hash) {
                continue;
            }
            let parent = &parents[candidate.parent as usize];
            let mut board = parent.board;
            let reserve = if candidate.from_reserve { next } else { parent.standing.reserve };
            let mut standing = Standing { reserve, ..parent.standing };
            let cleared = board.place_unchecked(&candidate.placement);
            root.rules.score.clear(
                cleared,
                candidate.placement.spin,
                &mut standing.back_to_back,
                &mut standing.combo,
            );
            let lines = parent.lines + u32::from(cleared.lines);
            let done = left == Some(0) || root.lines_left.is_some_and(|goal| lines >= goal);
            if !done && board.height() > 18 && !board.fits(&Placement::spawn(after)) {
                continue;
            }
            layer.push(Node {
                board,
                standing,
                earned: candidate.earned,
                value: candidate.value,
                parent: candidate.parent,
                first: if depth == 0 { layer.len() as u32 } else { parent.first },
                placement: candidate.placement,
                lines,
                done,
            });
        }
        if let Some((line, pinned)) = &mut self.pinned {
            match (line.get(depth), parents.get(*pinned)) {
                (Some(placement), Some(parent)) => {
                    let child = parent.after(*pinned, placement, root, weights, next, share);
                    let same = |node: &Node| node.board == child.board && node.standing == child.standing;
                    *pinned = layer.iter().position(same).unwrap_or(layer.len());
                    if *pinned == layer.len() {
                        layer.push(Node {
                            first: if depth == 0 { layer.len() as u32 } else { child.first },
                            ..child
                        });
                    }
                }
                _ => self.pinned = None,
            }
        }
        if layer.is_empty() {
            return false;
        }
        self.layers.push(layer);
        true
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

/// A number for the position that a hash set can use as it is.
#[inline]
fn hash(board: &Board, standing: &Standing) -> u64 {
    let extra = standing.reserve.map_or(7, |piece| piece as u64)
        | u64::from(standing.back_to_back) << 3
        | u64::from(standing.combo) << 4;
    let columns = board.columns();
    let mut low = extra ^ 0x9e37_79b9_7f4a_7c15;
    let mut high = 0x2545_f491_4f6c_dd1d;
    for x in (0..WIDTH).step_by(2) {
        low = mix(low, columns[x].bits() >> 24);
        high = mix(high, columns[x + 1].bits() >> 24);
    }
    mix(low, high)
}

#[inline]
pub(crate) fn mix(state: u64, word: u64) -> u64 {
    let product = u128::from(state ^ word) * 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835_u128 as u64 as u128;
    (product as u64 ^ (product >> 64) as u64).wrapping_add(word.rotate_left(32))
}

/// Passes on numbers that are hashes already.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Identity(u64);

impl Hasher for Identity {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = word;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
