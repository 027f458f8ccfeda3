//! The one Bellman operator: `U(board, context) = deal over hands [ place over moves and placements [ r + L U' ] ]`.
//!
//! It stands on any [`Boards`]: on an explored space, where it sweeps over all of them, and on a table, where it answers
//! questions about one.

use std::ops::Range;

use bellmino_engine::PlacementGame;
use rayon::prelude::*;

use crate::settings::{Objective, Placing, SolveSettings};
use crate::space::{Bits, Space, Transition};
use crate::supply::{DealBackup, DealtHand, Hand, Supply};
use crate::ties::{Extreme, Tied};

/// Boards by number, and the steps between them.
pub(crate) trait Boards {
    /// How a board is named when it is asked for.
    type Board: Copy;

    /// What is in hand on them.
    fn supply(&self) -> &Supply;

    /// The number of a board.
    fn number(&self, board: Self::Board) -> usize;

    /// What is given on arrival at the board of this number, where the reward has such a part.
    fn arrival(&self, number: usize) -> f64;

    /// Visits the steps of every piece that can come up on a board, in the order piece, rotation, column, row.
    /// `active` has a mark per move.
    fn steps(&self, board: Self::Board, active: &mut [bool], visit: impl FnMut(usize, Transition));
}

/// Values by node: board number times contexts, plus context.
pub(crate) trait Values {
    fn value(&self, node: usize) -> f64;
}

impl Values for [f64] {
    #[inline]
    fn value(&self, node: usize) -> f64 {
        self[node]
    }
}

/// The operator: who deals, who places, and what a step is worth.
///
/// Whoever deals, `deal` is monotone and `deal(x * v + c) = x * deal(v) + c` for `x >= 0`; the same is true of whoever
/// places. Every certificate of the solvers rests on this alone.
pub(crate) struct Operator<'a, B = Space<'a>> {
    pub(crate) space: &'a B,
    pub(crate) deal: DealBackup,
    pub(crate) place: PlacementPolicy<'a>,
    /// The reward of clearing 0, 1, 2, ... rows.
    pub(crate) rewards: [f64; 8],
    pub(crate) discount: f64,
    /// What having no move at all is worth.
    pub(crate) dead: f64,
    /// Whether what the boards give on arrival is added to the reward.
    pub(crate) arrival: bool,
    /// Nodes whose value is given.
    pub(crate) given: Option<(&'a Bits, f64)>,
    /// Nodes that the player does not leave.
    pub(crate) within: Option<&'a Bits>,
    /// What a given dealer deals.
    pub(crate) dealt: Option<GivenDeals<'a>>,
}

/// What a given dealer deals.
#[derive(Clone, Copy)]
pub(crate) struct GivenDeals<'a> {
    /// By node: its choice, as a place in the list of deals.
    pub(crate) choices: &'a [u8],
    /// How likely it is to choose; otherwise the game's own dealer deals.
    pub(crate) share: f64,
}

impl GivenDeals<'_> {
    /// How likely a deal is, if it has this probability in the game's own dealer.
    pub(crate) fn probability(&self, node: usize, number: usize, by_chance: f64) -> f64 {
        let chosen = if usize::from(self.choices[node]) == number { self.share } else { 0.0 };
        chosen + (1.0 - self.share) * by_chance
    }

    /// Its choice in a node, if it leaves nothing to chance.
    pub(crate) fn only(&self, node: usize) -> Option<usize> {
        (self.share == 1.0).then(|| usize::from(self.choices[node]))
    }
}

/// Who chooses among the placements.
#[derive(Clone, Copy)]
pub(crate) enum PlacementPolicy<'a> {
    Best,
    Average,
    /// The step for each board and move.
    Given(&'a [u32]),
    /// The best, or the worst, of the steps that are left for each board and move.
    Among(&'a Tied, Extreme),
}

/// What one sweep changed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SweepOutcome {
    /// The largest rise of a value.
    pub(crate) rise: f64,
    /// The least rise; negative if a value fell.
    pub(crate) least: f64,
    /// The sum of all changes, and of their sizes.
    pub(crate) sum: f64,
    pub(crate) size: f64,
    /// The largest size of a value.
    pub(crate) largest: f64,
}

impl SweepOutcome {
    pub(crate) fn most(&self) -> f64 {
        self.rise.max(-self.least)
    }

    fn none() -> SweepOutcome {
        SweepOutcome { least: f64::INFINITY, ..SweepOutcome::default() }
    }

    #[inline]
    fn add(&mut self, before: f64, after: f64) {
        // Comparisons instead of `f64::max`, which costs more because it minds what is not a number.
        let greater = |a: f64, b: f64| if a > b { a } else { b };
        let change = after - before;
        self.rise = greater(change, self.rise);
        self.least = -greater(-change, -self.least);
        self.sum += change;
        self.size += change.abs();
        self.largest = greater(after.abs(), self.largest);
    }

    fn join(self, other: SweepOutcome) -> SweepOutcome {
        SweepOutcome {
            rise: self.rise.max(other.rise),
            least: self.least.min(other.least),
            sum: self.sum + other.sum,
            size: self.size + other.size,
            largest: self.largest.max(other.largest),
        }
    }
}

/// The worth of having no move at all, before it becomes 0.
const DEAD: f64 = f64::NEG_INFINITY;

/// Room for the values of one board.
pub(crate) struct Scratch {
    /// By move: whether it is wanted.
    pub(crate) active: Vec<bool>,
    /// By move: its value, and the step that gives it.
    pub(crate) values: Vec<f64>,
    steps: Vec<u32>,
    counts: Vec<u32>,
    /// By hand.
    pub(crate) hands: Vec<f64>,
}

impl<'a, B: Boards> Operator<'a, B> {
    /// The operator of these settings, with no player or dealer given.
    pub(crate) fn new(space: &'a B, game: &PlacementGame, settings: &SolveSettings) -> Operator<'a, B> {
        Operator {
            space,
            deal: DealBackup::of(settings.dealing),
            place: match settings.placing {
                Placing::Best => PlacementPolicy::Best,
                Placing::Average => PlacementPolicy::Average,
            },
            rewards: rewards_of(game, settings),
            discount: settings.objective.discount(),
            dead: 0.0,
            arrival: settings.reward.is_some_and(|reward| reward.height != 0.0 || reward.gaps != 0.0),
            given: None,
            within: None,
            dealt: None,
        }
    }

    pub(crate) fn scratch(&self) -> Scratch {
        let supply = self.space.supply();
        Scratch {
            active: vec![true; supply.moves.len()],
            values: vec![0.0; supply.moves.len()],
            steps: vec![0; supply.moves.len()],
            counts: vec![0; supply.moves_of.len()],
            hands: vec![0.0; supply.hands.len()],
        }
    }

    /// The worth of a move or hand that may be dead.
    #[inline]
    pub(crate) fn alive(&self, worth: f64) -> f64 {
        if worth == DEAD { self.dead } else { worth }
    }

    /// One step's reward and what follows.
    #[inline]
    pub(crate) fn worth<V: Values + ?Sized>(&self, values: &V, step: Transition, context: u32) -> f64 {
        let node = step.node(self.space.supply(), context);
        let later = self.rewards[step.lines()] + self.discount * values.value(node);
        if self.arrival { later + self.space.arrival(step.target()) } else { later }
    }

    /// Fills in the value of every move on a board, and the step that gives it.
    pub(crate) fn moves<V: Values + ?Sized>(&self, board: B::Board, values: &V, room: &mut Scratch) {
        let supply = self.space.supply();
        match self.place {
            PlacementPolicy::Best => {
                room.values.fill(DEAD);
                room.steps.fill(Transition::FATAL.0);
                let Scratch { active, values: best, steps, .. } = room;
                self.space.steps(board, active, |piece, step| {
                    if step.is_fatal() {
                        return;
                    }
                    for &number in &supply.moves_of[piece] {
                        let context = supply.moves[number as usize].next;
                        if self.leaves(step, context) {
                            continue;
                        }
                        let worth = self.worth(values, step, context);
                        if worth > best[number as usize] {
                            best[number as usize] = worth;
                            steps[number as usize] = step.0;
                        }
                    }
                });
            }
            PlacementPolicy::Average => {
                room.values.fill(0.0);
                room.counts.fill(0);
                let mut alive = vec![false; supply.moves_of.len()];
                let Scratch { active, values: sums, counts, .. } = room;
                self.space.steps(board, active, |piece, step| {
                    counts[piece] += 1;
                    if step.is_fatal() {
                        return;
                    }
                    alive[piece] = true;
                    for &number in &supply.moves_of[piece] {
                        sums[number as usize] += self.worth(values, step, supply.moves[number as usize].next);
                    }
                });
                for (number, step) in supply.moves.iter().enumerate() {
                    let piece = step.piece as usize;
                    sums[number] = if alive[piece] { sums[number] / f64::from(counts[piece]) } else { DEAD };
                }
            }
            PlacementPolicy::Given(steps) => {
                let (number, count) = (self.space.number(board), supply.moves.len());
                self.given_moves(&steps[number * count..(number + 1) * count], values, &mut room.values);
            }
            PlacementPolicy::Among(tied, extreme) => {
                let (board, moves) = (self.space.number(board), &supply.moves);
                for (number, step_move) in moves.iter().enumerate() {
                    let steps = tied.steps(board * moves.len() + number);
                    let worths = steps.map(|step| self.worth(values, step, step_move.next));
                    let taken = |one, other| if extreme.prefers(other, one) { other } else { one };
                    room.values[number] = worths.reduce(taken).unwrap_or(DEAD);
                }
            }
        }
    }

    #[inline]
    fn leaves(&self, step: Transition, context: u32) -> bool {
        self.within.is_some_and(|within| !within.contains(step.node(self.space.supply(), context)))
    }

    #[inline]
    fn given_moves<V: Values + ?Sized>(&self, steps: &[u32], values: &V, worth: &mut [f64]) {
        for ((worth, step), step_move) in worth.iter_mut().zip(steps).zip(&self.space.supply().moves) {
            let step = Transition(*step);
            *worth = if step.is_fatal() { DEAD } else { self.worth(values, step, step_move.next) };
        }
    }

    /// Fills in the value of every hand from the values of the moves; negative infinity if it is dead.
    pub(crate) fn hands(&self, room: &mut Scratch) {
        for (hand, value) in self.space.supply().hands.iter().zip(&mut room.hands) {
            *value = self.hand(hand, &room.values);
        }
    }

    /// The value of a hand from the values of the moves; negative infinity if it is dead.
    #[inline]
    pub(crate) fn hand(&self, hand: &Hand, moves: &[f64]) -> f64 {
        let at_once = hand.moves.iter().fold(DEAD, |best, &step| best.max(moves[step as usize]));
        self.put_aside(hand, moves).map_or(at_once, |later| at_once.max(later))
    }

    /// What putting the current piece aside is worth, where that brings another that can be placed.
    #[inline]
    pub(crate) fn put_aside(&self, hand: &Hand, moves: &[f64]) -> Option<f64> {
        hand.put_aside.iter().any(|(_, step)| moves[*step as usize] > DEAD).then(|| {
            let later = hand.put_aside.iter().map(|(p, step)| (*p, self.alive(moves[*step as usize])));
            self.deal.combine(later)
        })
    }
}

/// Sweeping over all boards of a space.
impl Operator<'_> {
    /// A bound on how much rounding can change one value in one sweep, for values of at most this size.
    ///
    /// A backup is a chain of at most `terms` operations, each right up to 2^-53 of its result; twice that covers the
    /// products of such factors and the rounding of the probabilities themselves.
    pub(crate) fn rounding(&self, largest: f64) -> f64 {
        let supply = &self.space.supply;
        let deals = supply.contexts.iter().map(|context| context.deals.len()).max().unwrap_or(0);
        let average = if matches!(self.place, PlacementPolicy::Average) { 256 } else { 0 };
        let aside = supply.hands.iter().map(|hand| hand.put_aside.len()).max().unwrap_or(0);
        let terms = (deals + aside + average + 12) as f64;
        let reward = self.rewards.iter().fold(0.0, |most: f64, reward| most.max(reward.abs()));
        let boards = if self.arrival { 0..self.space.index.len() } else { 0..0 };
        let arrival = boards.fold(0.0, |most: f64, board| most.max(self.space.arrival(board).abs()));
        terms * f64::EPSILON * (largest + reward + arrival)
    }

    /// The value of a context from the values of the hands.
    #[inline]
    fn context(&self, node: usize, context: usize, hands: &[f64]) -> f64 {
        let deals = &self.space.supply.contexts[context].deals;
        let worth = |dealt: &DealtHand| self.alive(hands[dealt.hand as usize]);
        // Nobody's choices are given in most solves: that road has nothing to look up.
        let Some(given) = self.dealt else {
            return self.deal.combine(deals.iter().map(|dealt| (dealt.probability, worth(dealt))));
        };
        if let Some(only) = given.only(node) {
            return worth(&deals[only]);
        }
        let probability =
            |(number, dealt): (usize, &DealtHand)| given.probability(node, number, dealt.probability);
        let worths = deals.iter().enumerate().map(|one| (probability(one), worth(one.1)));
        self.deal.combine(worths)
    }

    /// The value of every context of one board, from the values of its moves.
    #[inline]
    fn contexts(
        &self,
        board: usize,
        room: &mut Scratch,
        before: &[f64],
        after: &mut [f64],
        change: &mut SweepOutcome,
    ) {
        let contexts = self.space.contexts();
        if self.is_plain() {
            let deals = &self.space.supply.contexts[0].deals;
            let worths =
                deals.iter().zip(&room.values).map(|(dealt, worth)| (dealt.probability, self.alive(*worth)));
            after[0] = self.deal.combine(worths);
            return change.add(before[0], after[0]);
        }
        self.hands(room);
        for context in 0..contexts {
            let node = board * contexts + context;
            if !self.space.is_reached(node) || self.within.is_some_and(|within| !within.contains(node)) {
                after[context] = 0.0;
                continue;
            }
            if let Some((given, value)) = self.given
                && given.contains(node)
            {
                after[context] = value;
                continue;
            }
            after[context] = self.context(node, context, &room.hands);
            change.add(before[context], after[context]);
        }
    }

    /// The values of the contexts of one board, from the values of its moves.
    pub(crate) fn board(&self, board: usize, room: &mut Scratch, after: &mut [f64]) {
        let before = vec![0.0; after.len()];
        self.contexts(board, room, &before, after, &mut SweepOutcome::none());
    }

    /// `after` becomes the operator applied to `before`.
    pub(crate) fn apply(&self, before: &[f64], after: &mut [f64]) -> SweepOutcome {
        self.boards(0..self.space.index.len(), before, after, &mut Steps::Unwanted)
    }

    /// Applies the operator class by class, each with the new values of the class before, so that one pass over all
    /// boards goes as many steps ahead as there are classes. Reports the change of the last class: the new values of
    /// every other class are exactly the operator's, and those of the first are off by no more than that.
    ///
    /// `room` is for one class of values.
    pub(crate) fn pass(
        &self,
        values: &mut [f64],
        room: &mut Vec<f64>,
        steps: &mut Steps<'_>,
    ) -> SweepOutcome {
        let contexts = self.space.contexts();
        let (mut last, mut largest) = (SweepOutcome::none(), 0.0);
        for class in self.space.index.classes() {
            room.resize(class.len() * contexts, 0.0);
            last = self.boards(class.clone(), values, room, steps);
            largest = last.largest.max(largest);
            values[class.start * contexts..class.end * contexts].copy_from_slice(room);
        }
        SweepOutcome { largest, ..last }
    }

    /// The operator on some boards; `after` has room for these only.
    fn boards(
        &self,
        range: Range<usize>,
        before: &[f64],
        after: &mut [f64],
        steps: &mut Steps<'_>,
    ) -> SweepOutcome {
        let (contexts, moves) = (self.space.contexts(), self.space.supply.moves.len());
        let work = |first: usize, after: &mut [f64], steps: &mut Steps<'_>| {
            if let Some(change) = self.plain_boards(first, before, after, steps) {
                return change;
            }
            let mut room = self.scratch();
            let mut change = SweepOutcome::none();
            for (offset, after) in after.chunks_mut(contexts).enumerate() {
                let board = first + offset;
                match steps {
                    Steps::Unwanted => self.moves(board, before, &mut room),
                    Steps::Find(steps) => {
                        self.moves(board, before, &mut room);
                        steps[offset * moves..(offset + 1) * moves].copy_from_slice(&room.steps);
                    }
                    Steps::Follow(steps) => {
                        self.given_moves(
                            &steps[offset * moves..(offset + 1) * moves],
                            before,
                            &mut room.values,
                        );
                    }
                }
                let before = &before[board * contexts..(board + 1) * contexts];
                self.contexts(board, &mut room, before, after, &mut change);
            }
            change
        };
        let mut steps = steps.part(range.start * moves..range.end * moves);
        if range.len() <= CHUNK {
            return work(range.start, after, &mut steps);
        }
        let tasks = after.chunks_mut(CHUNK * contexts).zip(steps.chunks(CHUNK * moves));
        let tasks: Vec<_> = tasks.enumerate().collect();
        let changes: Vec<SweepOutcome> = tasks
            .into_par_iter()
            .map(|(chunk, (after, mut steps))| work(range.start + chunk * CHUNK, after, &mut steps))
            .collect();
        changes.into_iter().fold(SweepOutcome::none(), SweepOutcome::join)
    }
}

/// The loop of most games, without the detours of the others.
impl Operator<'_> {
    /// Whether there is one context, each piece has one move, and no value or choice is imposed.
    fn is_plain(&self) -> bool {
        self.space.supply.plain && self.given.is_none() && self.within.is_none() && self.dealt.is_none()
    }

    /// The operator on the boards from `first` on, for a plain game with a random dealer and stored or given steps.
    fn plain_boards(
        &self,
        first: usize,
        before: &[f64],
        after: &mut [f64],
        steps: &mut Steps<'_>,
    ) -> Option<SweepOutcome> {
        if !self.is_plain() || self.deal != DealBackup::Mean || self.arrival {
            return None;
        }
        let moves = &self.space.supply.moves;
        let deals = &self.space.supply.contexts[0].deals;
        let mut change = SweepOutcome::none();
        let follow = |steps: &[u32], after: &mut [f64], change: &mut SweepOutcome| {
            for (offset, (after, steps)) in after.iter_mut().zip(steps.chunks_exact(moves.len())).enumerate()
            {
                let worths = steps.iter().map(|step| self.plain_worth(before, Transition(*step)));
                *after =
                    deals.iter().zip(worths).fold(0.0, |sum, (dealt, worth)| sum + dealt.probability * worth);
                change.add(before[first + offset], *after);
            }
        };
        let found = match (steps, self.place) {
            (Steps::Follow(steps), _) => {
                follow(steps, after, &mut change);
                return Some(change);
            }
            (_, PlacementPolicy::Given(steps)) => {
                follow(&steps[first * moves.len()..], after, &mut change);
                return Some(change);
            }
            (_, PlacementPolicy::Average | PlacementPolicy::Among(..)) => return None,
            (Steps::Find(found), PlacementPolicy::Best) => Some(found),
            (Steps::Unwanted, PlacementPolicy::Best) => None,
        };
        let mut unwanted = Vec::new();
        let found: &mut [u32] = match found {
            Some(found) => found,
            None => {
                unwanted.resize(after.len() * moves.len(), 0);
                &mut unwanted
            }
        };
        for (offset, (after, found)) in after.iter_mut().zip(found.chunks_exact_mut(moves.len())).enumerate()
        {
            let board = first + offset;
            *after = 0.0;
            for ((dealt, step_move), found) in deals.iter().zip(moves).zip(found) {
                let (mut best, mut best_step) = (DEAD, Transition::FATAL.0);
                for &step in self.space.stored_steps(board, step_move.piece as usize)? {
                    let worth = self.plain_worth(before, Transition(step));
                    if worth > best && !Transition(step).is_fatal() {
                        (best, best_step) = (worth, step);
                    }
                }
                *found = best_step;
                *after += dealt.probability * self.alive(best);
            }
            change.add(before[board], *after);
        }
        Some(change)
    }

    /// A step's reward and what follows; 0 for a fatal one, without a branch that cannot be foreseen.
    #[inline]
    fn plain_worth(&self, values: &[f64], step: Transition) -> f64 {
        let later = values[step.target().min(values.len() - 1)];
        let worth = self.rewards[step.lines()] + self.discount * later;
        if step.is_fatal() { 0.0 } else { worth }
    }
}

/// The steps of a policy, by board and move.
pub(crate) enum Steps<'a> {
    /// Neither given nor asked for.
    Unwanted,
    /// To be filled with the best ones.
    Find(&'a mut [u32]),
    /// To be followed, without looking for better ones.
    Follow(&'a [u32]),
}

impl Steps<'_> {
    fn part(&mut self, range: Range<usize>) -> Steps<'_> {
        match self {
            Steps::Unwanted => Steps::Unwanted,
            Steps::Find(steps) => Steps::Find(&mut steps[range]),
            Steps::Follow(steps) => Steps::Follow(&steps[range]),
        }
    }

    fn chunks(&mut self, size: usize) -> Box<dyn Iterator<Item = Steps<'_>> + '_> {
        match self {
            Steps::Unwanted => Box::new(std::iter::repeat_with(|| Steps::Unwanted)),
            Steps::Find(steps) => Box::new(steps.chunks_mut(size).map(Steps::Find)),
            Steps::Follow(steps) => Box::new(steps.chunks(size).map(Steps::Follow)),
        }
    }
}

/// Points for 0, 1, 2, ... rows, or the reward that stands for them; nothing if only survival counts.
fn rewards_of(game: &PlacementGame, settings: &SolveSettings) -> [f64; 8] {
    if settings.objective == Objective::Survive {
        return [0.0; 8];
    }
    std::array::from_fn(|lines| {
        let points = game.score().points(lines as u32);
        settings.reward.map_or(points, |reward| reward.lines * lines as f64 + reward.score * points)
    })
}

/// Boards per task: fixed, so that sums do not depend on the number of threads.
const CHUNK: usize = 1 << 11;

/// The worth of a move or hand that may be dead, where that is worth nothing.
#[inline]
pub(crate) fn alive(worth: f64) -> f64 {
    if worth == DEAD { 0.0 } else { worth }
}
