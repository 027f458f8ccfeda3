//! What can follow a position, on as many threads as there are.

use std::sync::atomic::{AtomicBool, Ordering};

use bellmino_engine::guideline::{Board, Goal, Piece, Placement, Rules, moves};

use crate::budget::Meter;
use crate::evaluation::{Standing, Weights};
use crate::presses::Presses;
use crate::tetris::is_low;

/// The worth of having cleared the last row.
pub(crate) const DONE: f32 = 1e6;

/// About what it costs to look at everything that follows a position, in nodes.
pub(crate) const BRANCHING: u64 = 50;

/// No place: the position was dropped.
pub(crate) const GONE: u32 = u32::MAX;

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
    /// What is left to the goal of the game.
    pub goal: Goal,
    /// What a key press costs; 0 if keys do not matter.
    pub key_price: f32,
    /// Whether a piece is held: then one out of the reserve takes a key press, else one that is not.
    pub held: bool,
}

/// How far a line of play has come: a position and what was made on the way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stage {
    pub board: Board,
    pub standing: Standing,
    /// Worth of the placements so far.
    pub earned: f32,
    /// Rows cleared so far.
    pub lines: u32,
    /// Whether the goal is reached.
    pub done: bool,
}

/// A position of the beam.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub stage: Stage,
    /// Worth of everything: earned and expected.
    pub value: f32,
    /// Index of the position before in the layer before.
    pub parent: u32,
    /// Index of the first placement in the first layer.
    pub first: u32,
    /// The placement that led here.
    pub placement: Placement,
    /// Whether all placements after it were looked at; in the last layer those of all pieces that may come.
    pub expanded: bool,
}

/// A placement that was looked at, and where it leads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lead {
    pub value: f32,
    pub earned: f32,
    pub parent: u32,
    /// Index in the known layer, or `GONE`.
    pub known: u32,
    pub placement: Placement,
    /// Whether the piece came from the reserve.
    pub from_reserve: bool,
    /// Whether the board is low, where that is asked for.
    pub is_low: bool,
}

/// What one thread finds.
#[derive(Debug, Default)]
pub(crate) struct Worker {
    pub leads: Vec<Lead>,
    placements: Vec<Placement>,
    nodes: u64,
    stopped: bool,
}

impl Worker {
    /// Forgets what was found.
    fn clear(&mut self) {
        self.leads.clear();
        (self.nodes, self.stopped) = (0, false);
    }
}

/// A layer about to be added.
pub(crate) struct Layer<'a> {
    pub root: &'a Root<'a>,
    pub weights: Weights,
    /// The share of their potential that boards are worth.
    pub share: f32,
    /// The piece to come besides the reserve.
    pub next: Option<Piece>,
    /// Whether to tell low boards from others.
    pub tells_low: bool,
}

impl Layer<'_> {
    /// What a placement leads to.
    #[inline(always)]
    pub fn after(&self, parent: &Stage, placement: &Placement, from_reserve: bool) -> Stage {
        let mut board = parent.board;
        let reserve = if from_reserve { self.next } else { parent.standing.reserve };
        let mut standing = Standing { reserve, ..parent.standing };
        let cleared = board.place_unchecked(placement);
        let Standing { back_to_back, combo, .. } = &mut standing;
        let clear = self.root.rules.score.clear(cleared, placement.spin, back_to_back, combo);
        let lines = parent.lines + u32::from(cleared.lines);
        let mut earned = parent.earned + self.weights.step(placement.piece, &clear, self.share);
        if self.root.key_price != 0.0 {
            earned -= self.root.key_price * self.presses(&parent.board, placement, from_reserve);
        }
        Stage { board, standing, earned, lines, done: self.root.goal.lines_left(lines) == Some(0) }
    }

    /// Key presses for a placement, a hold included.
    #[inline(never)]
    fn presses(&self, board: &Board, placement: &Placement, from_reserve: bool) -> f32 {
        let hold = from_reserve == self.root.held && self.root.rules.hold;
        f32::from(Presses::on_open_board().of(board, placement) + u8::from(hold))
    }

    /// What is earned and expected.
    #[inline(always)]
    pub fn value(&self, stage: &Stage) -> f32 {
        // A game that is over after its last piece is worth what was earned.
        if stage.done && self.root.goal.lines_left(stage.lines) == Some(0) {
            return DONE;
        }
        stage.earned + self.share * self.weights.leaf(&stage.board, &stage.standing)
    }

    /// Looks at everything that can follow these positions.
    fn expand(&self, parents: &[Node], indices: &[u32], worker: &mut Worker, stop: Option<&AtomicBool>) {
        #[cfg(target_arch = "x86_64")]
        {
            // Counting bits is most of the work, and one instruction where the processor has it.
            #[target_feature(enable = "popcnt,bmi1,bmi2,lzcnt,avx2,fma")]
            fn fast(
                layer: &Layer<'_>,
                parents: &[Node],
                indices: &[u32],
                worker: &mut Worker,
                stop: Option<&AtomicBool>,
            ) {
                layer.expand_anywhere(parents, indices, worker, stop);
            }
            if std::arch::is_x86_feature_detected!("popcnt")
                && std::arch::is_x86_feature_detected!("bmi1")
                && std::arch::is_x86_feature_detected!("bmi2")
                && std::arch::is_x86_feature_detected!("lzcnt")
                && std::arch::is_x86_feature_detected!("avx2")
                && std::arch::is_x86_feature_detected!("fma")
            {
                // SAFETY: the processor has all the features the function is compiled for.
                return unsafe { fast(self, parents, indices, worker, stop) };
            }
        }
        self.expand_anywhere(parents, indices, worker, stop);
    }

    #[inline(always)]
    fn expand_anywhere(
        &self,
        parents: &[Node],
        indices: &[u32],
        worker: &mut Worker,
        stop: Option<&AtomicBool>,
    ) {
        let Worker { leads, placements, nodes, stopped } = worker;
        for (count, &index) in indices.iter().enumerate() {
            if count % 32 == 31 && stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                *stopped = true;
                return;
            }
            let parent = &parents[index as usize].stage;
            let reserve = parent.standing.reserve.filter(|&reserve| Some(reserve) != self.next);
            for (piece, from_reserve) in [(self.next, false), (reserve, true)] {
                let Some(piece) = piece else { continue };
                placements.clear();
                moves::extend(&parent.board, piece, self.root.rules.kicks, placements);
                *nodes += placements.len() as u64;
                for &placement in placements.iter() {
                    let after = self.after(parent, &placement, from_reserve);
                    leads.push(Lead {
                        value: self.value(&after),
                        earned: after.earned,
                        parent: index,
                        known: GONE,
                        placement,
                        from_reserve,
                        is_low: self.tells_low && is_low(&after.board),
                    });
                }
            }
        }
    }
}

/// Looks at everything that can follow these positions, on as many threads as there are workers for; false if stopped.
/// Who finds what does not matter: all of it is put in order afterwards.
#[expect(clippy::disallowed_methods, reason = "the one place with threads, which end before it returns")]
pub(crate) fn expand(
    layer: &Layer<'_>,
    parents: &[Node],
    indices: &[u32],
    workers: &mut Vec<Worker>,
    meter: &mut Meter<'_>,
) -> bool {
    /// Positions that are worth starting a thread for.
    const ENOUGH: usize = 16;
    let threads = meter.threads().min(indices.len() / ENOUGH).max(1);
    workers.resize_with(threads, Worker::default);
    workers.iter_mut().for_each(Worker::clear);
    let shares = indices.chunks(indices.len().div_ceil(threads).max(1));
    let (first, others) = workers.split_at_mut(1);
    let stop = meter.stop();
    std::thread::scope(|scope| {
        let mut shares = shares;
        let own = shares.next().unwrap_or_default();
        for (worker, share) in others.iter_mut().zip(shares) {
            scope.spawn(move || layer.expand(parents, share, worker, stop));
        }
        layer.expand(parents, own, &mut first[0], stop);
    });
    meter.nodes += workers.iter().map(|worker| worker.nodes).sum::<u64>();
    workers.iter().all(|worker| !worker.stopped)
}

#[cfg(test)]
mod tests {
    use bellmino_engine::guideline::Bag;

    use super::*;

    /// What is compiled for newer processors finds what the plain code finds, to the last bit.
    #[test]
    fn every_processor_finds_the_same() {
        let root = Root {
            board: Board::EMPTY,
            standing: Standing { reserve: Some(Piece::T), back_to_back: true, combo: 1 },
            pieces: &[],
            bag: &[],
            rules: &Rules::BLITZ,
            goal: Rules::BLITZ.goal,
            held: true,
            key_price: 1.5,
        };
        let mut workers = [Worker::default(), Worker::default()];
        for seed in 0..60 {
            let mut stage =
                Stage { board: root.board, standing: root.standing, earned: 0.0, lines: 0, done: false };
            for (turn, piece) in Bag::new(seed).take(30).enumerate() {
                let layer = Layer {
                    root: &root,
                    weights: Weights::blitz(),
                    share: 0.7,
                    next: Some(piece),
                    tells_low: true,
                };
                let node = |stage| Node {
                    stage,
                    value: 0.0,
                    parent: 0,
                    first: 0,
                    placement: moves::placements(&root.board, piece, root.rules.kicks)[0],
                    expanded: false,
                };
                workers.iter_mut().for_each(Worker::clear);
                let [fast, plain] = &mut workers;
                layer.expand(&[node(stage)], &[0], fast, None);
                layer.expand_anywhere(&[node(stage)], &[0], plain, None);
                assert_eq!(format!("{:?}", fast.leads), format!("{:?}", plain.leads));
                // On with one of the better ones, another every time.
                fast.leads.sort_by(|one, other| other.value.total_cmp(&one.value));
                let Some(lead) = fast.leads.get((seed as usize + turn) % 5) else { break };
                stage = layer.after(&stage, &lead.placement, lead.from_reserve);
            }
        }
    }
}
