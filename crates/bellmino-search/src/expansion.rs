//! What can follow a position, on as many threads as there are.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};

use bellmino_engine::guideline::{Board, Cleared, Goal, Ground, Piece, Placement, Rules, moves};
#[cfg(target_arch = "x86_64")]
use bellmino_lanes::{Avx2, Avx512};
use bellmino_lanes::{Here, Lanes};

use crate::batch::{self, Batch};
use crate::budget::Meter;
use crate::evaluation::{EvaluationState, Weights};
use crate::presses::Presses;
use crate::tetris::ROWS as LOW_ROWS;
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
    pub standing: EvaluationState,
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
pub(crate) struct LineStage {
    pub board: Board,
    pub standing: EvaluationState,
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
    pub stage: LineStage,
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
pub(crate) struct BeamLayer<'a> {
    pub root: &'a Root<'a>,
    pub weights: Weights,
    /// The share of their potential that boards are worth.
    pub share: f32,
    /// The piece to come besides the reserve.
    pub next: Option<Piece>,
    /// Whether to tell low boards from others.
    pub tells_low: bool,
}

impl BeamLayer<'_> {
    /// What a placement leads to.
    #[inline(always)]
    pub fn after(&self, parent: &LineStage, placement: &Placement, from_reserve: bool) -> LineStage {
        let mut board = parent.board;
        let cleared = board.place_unchecked(placement);
        let (standing, earned) = self.standing(parent, placement, from_reserve, cleared);
        let lines = parent.lines + u32::from(cleared.lines);
        LineStage { board, standing, earned, lines, done: self.root.goal.lines_left(lines) == Some(0) }
    }

    /// What there is beside the board after a placement that clears this, and what was earned by then.
    #[inline(always)]
    fn standing(
        &self,
        parent: &LineStage,
        placement: &Placement,
        from_reserve: bool,
        cleared: Cleared,
    ) -> (EvaluationState, f32) {
        let reserve = if from_reserve { self.next } else { parent.standing.reserve };
        let mut standing = EvaluationState { reserve, ..parent.standing };
        let EvaluationState { back_to_back, combo, .. } = &mut standing;
        let clear = self.root.rules.score.clear(cleared, placement.spin, back_to_back, combo);
        let mut earned = parent.earned + self.weights.step(placement.piece, &clear, self.share);
        if self.root.key_price != 0.0 {
            earned -= self.root.key_price * self.presses(&parent.board, placement, from_reserve);
        }
        (standing, earned)
    }

    /// Key presses for a placement, a hold included.
    #[inline(never)]
    fn presses(&self, board: &Board, placement: &Placement, from_reserve: bool) -> f32 {
        let hold = from_reserve == self.root.held && self.root.rules.hold;
        f32::from(Presses::on_open_board().of(board, placement) + u8::from(hold))
    }

    /// What is earned and expected.
    #[inline(always)]
    pub fn value(&self, stage: &LineStage) -> f32 {
        // A game that is over after its last piece is worth what was earned.
        if stage.done && self.root.goal.lines_left(stage.lines) == Some(0) {
            return DONE;
        }
        stage.earned + self.share * self.weights.leaf(&stage.board, &stage.standing)
    }

    /// Looks at everything that can follow these positions.
    fn expand(
        &self,
        on: Processor,
        parents: &[Node],
        indices: &[u32],
        worker: &mut Worker,
        stop: Option<&AtomicBool>,
    ) {
        match on {
            // SAFETY: the processor has all the features the function is compiled for.
            #[cfg(target_arch = "x86_64")]
            Processor::Wide => unsafe { wide::expand(self, parents, indices, worker, stop) },
            // SAFETY: the same.
            #[cfg(target_arch = "x86_64")]
            Processor::Narrow => unsafe { narrow::expand(self, parents, indices, worker, stop) },
            // SAFETY: the same.
            #[cfg(target_arch = "x86_64")]
            Processor::NarrowApart => unsafe { narrow::expand_apart(self, parents, indices, worker, stop) },
            Processor::Here => self.expand_by(&mut SideBySide::<Here>::new(), parents, indices, worker, stop),
            Processor::Any => self.expand_by(&mut OneByOne, parents, indices, worker, stop),
        }
    }

    #[inline(always)]
    fn expand_by(
        &self,
        judge: &mut impl Judge,
        parents: &[Node],
        indices: &[u32],
        worker: &mut Worker,
        stop: Option<&AtomicBool>,
    ) {
        let Worker { leads, placements, nodes, stopped } = worker;
        for (count, &index) in indices.iter().enumerate() {
            if count % 32 == 31 && stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                *stopped = true;
                break;
            }
            let parent = &parents[index as usize].stage;
            judge.begin(self, parent);
            let reserve = parent.standing.reserve.filter(|&reserve| Some(reserve) != self.next);
            for (piece, from_reserve) in [(self.next, false), (reserve, true)] {
                let Some(piece) = piece else { continue };
                placements.clear();
                moves::extend(&parent.board, piece, self.root.rules.kicks, placements);
                *nodes += placements.len() as u64;
                leads.reserve(placements.len());
                for &placement in placements.iter() {
                    let lead = Lead {
                        value: 0.0,
                        earned: 0.0,
                        parent: index,
                        known: GONE,
                        placement,
                        from_reserve,
                        is_low: false,
                    };
                    judge.add(self, parent, lead, leads);
                }
            }
        }
        judge.end(self, leads);
    }
}

/// What the search is compiled for; wrong to use if the processor is another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Processor {
    Any,
    /// The lanes that all code is compiled for.
    Here,
    /// Eight lanes, and bits counted by one instruction.
    #[cfg(target_arch = "x86_64")]
    Narrow,
    /// The same, but each board is judged by itself.
    #[cfg(target_arch = "x86_64")]
    NarrowApart,
    /// Sixteen lanes.
    #[cfg(target_arch = "x86_64")]
    Wide,
}

impl Processor {
    /// All that this processor can be taken for where positions are judged by these weights, the best last.
    fn all(weights: &Weights) -> impl Iterator<Item = Processor> {
        // Only a sum of features can be worked out side by side.
        let is_sum = weights.network.is_none();
        let here = (is_sum && Here::IN_REGISTERS).then_some(Processor::Here);
        #[cfg(target_arch = "x86_64")]
        let faster = {
            let counts = is_x86_feature_detected!("popcnt")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt");
            let is_narrow = counts && Avx2::is_there();
            [
                is_narrow.then_some(Processor::NarrowApart),
                (is_narrow && is_sum).then_some(Processor::Narrow),
                (is_narrow && is_sum && Avx512::is_there()).then_some(Processor::Wide),
            ]
        };
        #[cfg(not(target_arch = "x86_64"))]
        let faster: [Option<Processor>; 0] = [];
        std::iter::once(Processor::Any).chain(here).chain(faster.into_iter().flatten())
    }

    /// The best of them.
    fn best(weights: &Weights) -> Processor {
        Processor::all(weights).last().unwrap_or(Processor::Any)
    }
}

/// Says what leads are worth, at once or some at a time.
trait Judge {
    /// What comes next follows this position.
    fn begin(&mut self, layer: &BeamLayer<'_>, parent: &LineStage);
    /// Adds a lead from that position.
    fn add(&mut self, layer: &BeamLayer<'_>, parent: &LineStage, lead: Lead, leads: &mut Vec<Lead>);
    /// There is nothing more to judge.
    fn end(&mut self, layer: &BeamLayer<'_>, leads: &mut [Lead]);
}

/// Each lead at once.
struct OneByOne;

impl Judge for OneByOne {
    #[inline(always)]
    fn begin(&mut self, _: &BeamLayer<'_>, _: &LineStage) {}

    #[inline(always)]
    fn add(&mut self, layer: &BeamLayer<'_>, parent: &LineStage, lead: Lead, leads: &mut Vec<Lead>) {
        let after = layer.after(parent, &lead.placement, lead.from_reserve);
        let is_low = layer.tells_low && is_low(&after.board);
        leads.push(Lead { value: layer.value(&after), earned: after.earned, is_low, ..lead });
    }

    #[inline(always)]
    fn end(&mut self, _: &BeamLayer<'_>, _: &mut [Lead]) {}
}

/// As many leads at a time as there are lanes.
struct SideBySide<L> {
    batch: Batch,
    /// Where the leads of the batch lie.
    places: [u32; batch::MOST],
    /// Whether what follows the position can be judged like this.
    fits: bool,
    /// Whether what clears no row is no low board either, or does not matter.
    is_high: bool,
    ground: Ground,
    lanes: PhantomData<L>,
}

impl<L: Lanes> SideBySide<L> {
    #[inline(always)]
    fn new() -> Self {
        SideBySide {
            batch: Batch::default(),
            places: [0; _],
            fits: true,
            is_high: true,
            ground: Ground::of(&Board::EMPTY),
            lanes: PhantomData,
        }
    }
}

impl<L: Lanes> Judge for SideBySide<L> {
    #[inline(always)]
    fn begin(&mut self, layer: &BeamLayer<'_>, parent: &LineStage) {
        let height = parent.board.height();
        self.fits = height <= batch::HIGHEST;
        self.is_high = !layer.tells_low || height > LOW_ROWS;
        self.ground = Ground::of(&parent.board);
    }

    #[inline(always)]
    fn add(&mut self, layer: &BeamLayer<'_>, parent: &LineStage, lead: Lead, leads: &mut Vec<Lead>) {
        if !self.fits {
            return OneByOne.add(layer, parent, lead, leads);
        }
        let Lead { placement, from_reserve, .. } = lead;
        let place = leads.len() as u32;
        match self.ground.filled(&placement).filter(|_| self.is_high) {
            Some(filled) => {
                let nothing = Cleared::default();
                let (standing, earned) = layer.standing(parent, &placement, from_reserve, nothing);
                self.batch.push_changed(&parent.board, filled, &standing);
                leads.push(Lead { earned, ..lead });
            }
            None => {
                let after = layer.after(parent, &placement, from_reserve);
                if after.done {
                    return OneByOne.add(layer, parent, lead, leads);
                }
                self.batch.push(&after.board, &after.standing);
                let is_low = layer.tells_low && is_low(&after.board);
                leads.push(Lead { earned: after.earned, is_low, ..lead });
            }
        }
        self.places[(self.batch.len() - 1) % batch::MOST] = place;
        if self.batch.len() == batch::MOST {
            self.end(layer, leads);
        }
    }

    #[inline(always)]
    fn end(&mut self, layer: &BeamLayer<'_>, leads: &mut [Lead]) {
        let count = self.batch.len();
        let values = self.batch.judge::<L>(&layer.weights);
        for (&place, value) in self.places[..count].iter().zip(values) {
            let lead = &mut leads[place as usize];
            lead.value = lead.earned + layer.share * value;
        }
    }
}

/// What positions are worth in a layer.
pub(crate) fn values(layer: &BeamLayer<'_>, positions: &[Node]) -> Vec<f32> {
    let mut values = Vec::with_capacity(positions.len());
    match Processor::best(&layer.weights) {
        // SAFETY: the processor has all the features the function is compiled for.
        #[cfg(target_arch = "x86_64")]
        Processor::Wide => unsafe { wide::judge(layer, positions, &mut values) },
        // SAFETY: the same.
        #[cfg(target_arch = "x86_64")]
        Processor::Narrow => unsafe { narrow::judge(layer, positions, &mut values) },
        Processor::Here => judge_side_by_side::<Here>(layer, positions, &mut values),
        _ => values.extend(positions.iter().map(|node| layer.value(&node.stage))),
    }
    values
}

/// The same as many at a time as there are lanes.
#[inline(always)]
fn judge_side_by_side<L: Lanes>(layer: &BeamLayer<'_>, positions: &[Node], values: &mut Vec<f32>) {
    let mut batch = Batch::default();
    for nodes in positions.chunks(batch::MOST) {
        for node in nodes {
            batch.push(&node.stage.board, &node.stage.standing);
        }
        let leaves = batch.judge::<L>(&layer.weights);
        for (node, leaf) in nodes.iter().zip(leaves) {
            let is_apart = node.stage.done || node.stage.board.height() > batch::HIGHEST;
            values.push(if is_apart {
                layer.value(&node.stage)
            } else {
                node.stage.earned + layer.share * leaf
            });
        }
    }
}

/// What is compiled for a processor with such instructions, and wrong to call on another.
#[cfg(target_arch = "x86_64")]
macro_rules! compiled {
    ($features:literal, $lanes:ident, $($name:ident = $judge:expr;)*) => {
        use super::*;

        #[target_feature(enable = $features)]
        pub(super) fn judge(layer: &BeamLayer<'_>, positions: &[Node], values: &mut Vec<f32>) {
            judge_side_by_side::<$lanes>(layer, positions, values);
        }

        $(
            #[target_feature(enable = $features)]
            pub(super) fn $name(
                layer: &BeamLayer<'_>,
                parents: &[Node],
                indices: &[u32],
                worker: &mut Worker,
                stop: Option<&AtomicBool>,
            ) {
                layer.expand_by(&mut $judge, parents, indices, worker, stop);
            }
        )*
    };
}

#[cfg(target_arch = "x86_64")]
mod wide {
    compiled! {
        "popcnt,bmi1,bmi2,lzcnt,avx2,avx512f,avx512vpopcntdq",
        Avx512,
        expand = SideBySide::<Avx512>::new();
    }
}

#[cfg(target_arch = "x86_64")]
mod narrow {
    compiled! {
        "popcnt,bmi1,bmi2,lzcnt,avx2",
        Avx2,
        expand = SideBySide::<Avx2>::new();
        expand_apart = OneByOne;
    }
}

/// Looks at everything that can follow these positions, on as many threads as there are workers for; false if stopped.
/// Who finds what does not matter: all of it is put in order afterwards.
#[expect(clippy::disallowed_methods, reason = "the one place with threads, which end before it returns")]
pub(crate) fn expand(
    layer: &BeamLayer<'_>,
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
    let on = Processor::best(&layer.weights);
    std::thread::scope(|scope| {
        let mut shares = shares;
        let own = shares.next().unwrap_or_default();
        for (worker, share) in others.iter_mut().zip(shares) {
            scope.spawn(move || layer.expand(on, parents, share, worker, stop));
        }
        layer.expand(on, parents, own, &mut first[0], stop);
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
            standing: EvaluationState { reserve: Some(Piece::T), back_to_back: true, combo: 1 },
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
                LineStage { board: root.board, standing: root.standing, earned: 0.0, lines: 0, done: false };
            for (turn, piece) in Bag::new(seed).take(30).enumerate() {
                let layer = BeamLayer {
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
                let [plain, fast] = &mut workers;
                plain.clear();
                layer.expand(Processor::Any, &[node(stage)], &[0], plain, None);
                for processor in Processor::all(&layer.weights).chain([Processor::Here]) {
                    fast.clear();
                    layer.expand(processor, &[node(stage)], &[0], fast, None);
                    let [fast, plain] = [&fast, &plain].map(|worker| format!("{:?}", worker.leads));
                    assert_eq!(fast, plain, "{processor:?}");
                }
                // On with one of the better ones, another every time.
                plain.leads.sort_by(|one, other| other.value.total_cmp(&one.value));
                let Some(lead) = plain.leads.get((seed as usize + turn) % 5) else { break };
                stage = layer.after(&stage, &lead.placement, lead.from_reserve);
            }
        }
    }
}
