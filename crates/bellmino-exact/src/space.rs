//! State spaces: every board that can be reached, in every context, and the steps between them.

use std::sync::atomic::{AtomicU64, Ordering};

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::PackedBoard;
use rayon::prelude::*;

use crate::bellman::Boards;
use crate::explore::{Explored, Explorer};
use crate::given::GivenPlayer;
use crate::index::{BoardIndex, MAX_BITMAP_CELLS};
use crate::settings::Reward;
use crate::sides::Policy;
use crate::solve::SolveError;
use crate::supply::Supply;
use crate::watch::Watch;

/// The boards reachable from the start, with the contexts in which each of them is reached.
///
/// A *node* is a board and a context, numbered `board number * contexts + context`.
#[derive(Debug)]
pub(crate) struct Space<'game> {
    pub(crate) game: &'game PlacementGame,
    pub(crate) supply: Supply,
    pub(crate) index: BoardIndex,
    pub(crate) start: PackedBoard,
    /// One bit per node; absent with a single context, where every node is reached.
    reached: Option<Bits>,
    /// The moves that can come up in each context.
    moves_in: Vec<Vec<u32>>,
    /// The pieces of all moves, one bit each.
    pieces: u64,
    stored: Option<Stored>,
    /// What the reward gives on arrival at each board; empty if it has no such part.
    arrivals: Vec<f64>,
    /// Whether steps can lead to boards that are not in the space: nothing is left to place there.
    is_partial: bool,
}

/// What is explored; everything where nothing is said.
#[derive(Clone, Copy, Default)]
pub(crate) struct Within<'a> {
    /// Only what this player reaches, with how many pieces it sees beyond the current one.
    pub(crate) player: Option<(&'a dyn Policy, usize)>,
    /// Only what is reached by so many placements.
    pub(crate) layers: Option<u32>,
}

/// A placement seen from its board: where it leads and the rows it clears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Transition(pub(crate) u32);

/// The largest number of boards, so that a step fits into 32 bits.
pub(crate) const MAX_BOARDS: usize = (1 << 28) - 1;

impl Transition {
    /// A placement that ends the game, or none at all.
    pub(crate) const FATAL: Transition = Transition(u32::MAX);

    #[inline]
    pub(crate) fn new(target: u32, flipped: bool, lines: u32) -> Transition {
        Transition(target << 4 | u32::from(flipped) << 3 | lines)
    }

    #[inline]
    pub(crate) fn is_fatal(self) -> bool {
        self == Transition::FATAL
    }

    #[inline]
    pub(crate) fn target(self) -> usize {
        (self.0 >> 4) as usize
    }

    /// Whether the target stands for its mirror image.
    #[inline]
    pub(crate) fn flipped(self) -> bool {
        self.0 >> 3 & 1 == 1
    }

    #[inline]
    pub(crate) fn lines(self) -> usize {
        (self.0 & 7) as usize
    }

    /// The node it leads to, in this context as seen from its board.
    #[inline]
    pub(crate) fn node(self, supply: &Supply, context: u32) -> usize {
        self.target() * supply.contexts.len() + supply.context(context, self.flipped()) as usize
    }
}

#[derive(Debug)]
struct Stored {
    /// For each board and piece, where its steps begin.
    offsets: Vec<u32>,
    steps: Vec<u32>,
}

/// A set of numbers below a bound that threads can shrink and grow together.
#[derive(Debug)]
pub(crate) struct Bits(Vec<AtomicU64>);

impl Bits {
    pub(crate) fn new(len: usize, full: bool) -> Bits {
        let fill = if full { !0 } else { 0 };
        let bits = Bits((0..len.div_ceil(64)).map(|_| AtomicU64::new(fill)).collect());
        if full && !len.is_multiple_of(64) {
            bits.0[len / 64].store((1 << (len % 64)) - 1, Ordering::Relaxed);
        }
        bits
    }

    #[inline]
    pub(crate) fn contains(&self, number: usize) -> bool {
        self.0[number / 64].load(Ordering::Relaxed) >> (number % 64) & 1 == 1
    }

    /// Whether the number is new.
    #[inline]
    pub(crate) fn insert(&self, number: usize) -> bool {
        let bit = 1 << (number % 64);
        let word = &self.0[number / 64];
        word.load(Ordering::Relaxed) & bit == 0 && word.fetch_or(bit, Ordering::Relaxed) & bit == 0
    }

    pub(crate) fn remove(&self, number: usize) {
        self.0[number / 64].fetch_and(!(1 << (number % 64)), Ordering::Relaxed);
    }

    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(|word| word.load(Ordering::Relaxed).count_ones() as usize).sum()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|word| word.load(Ordering::Relaxed) == 0)
    }

    pub(crate) fn copy(&self) -> Bits {
        Bits(self.0.iter().map(|word| AtomicU64::new(word.load(Ordering::Relaxed))).collect())
    }

    pub(crate) fn words(&self) -> Vec<u64> {
        self.0.iter().map(|word| word.load(Ordering::Relaxed)).collect()
    }
}

impl<'game> Space<'game> {
    /// Explores everything that can be reached from `start`, or only what `within` asks for.
    pub(crate) fn explore(
        game: &'game PlacementGame,
        supply: Supply,
        start: PackedBoard,
        within: Within<'_>,
        memory: Option<u64>,
        watch: &dyn Watch,
    ) -> Result<Space<'game>, SolveError> {
        let moves_in = moves_in(&supply);
        let cells = game.width() * game.height();
        let pieces = supply.moves.iter().fold(0, |pieces, step| pieces | 1 << step.piece);
        let Within { player, layers } = within;
        let player = player.map(|(player, preview)| GivenPlayer::new(game, &supply, player, preview));
        let (supply_ref, moves_in) = (&supply, &moves_in);
        let explorer =
            Explorer { game, supply: supply_ref, moves_in, pieces, start, player, watch, memory, layers };
        let found = if cells <= MAX_BITMAP_CELLS { explorer.in_bitmap(cells) } else { explorer.in_hash() };
        let Explored { index, reached, is_partial } = found?;
        Ok(Space { is_partial, ..Space::known(game, supply, start, index, reached) })
    }

    /// A space whose boards are known already.
    pub(crate) fn known(
        game: &'game PlacementGame,
        supply: Supply,
        start: PackedBoard,
        index: BoardIndex,
        reached: Option<Bits>,
    ) -> Space<'game> {
        let moves_in = moves_in(&supply);
        let pieces = supply.moves.iter().fold(0, |pieces, step| pieces | 1 << step.piece);
        let (stored, arrivals) = (None, Vec::new());
        Space { game, supply, index, start, reached, moves_in, pieces, stored, arrivals, is_partial: false }
    }

    /// Whether steps can lead out of the space.
    pub(crate) fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// What outlives the exploration.
    pub(crate) fn into_parts(self) -> (Supply, BoardIndex, Option<Bits>) {
        (self.supply, self.index, self.reached)
    }

    pub(crate) fn contexts(&self) -> usize {
        self.supply.contexts.len()
    }

    pub(crate) fn nodes(&self) -> usize {
        self.index.len() * self.contexts()
    }

    #[inline]
    pub(crate) fn is_reached(&self, node: usize) -> bool {
        self.reached.as_ref().is_none_or(|reached| reached.contains(node))
    }

    pub(crate) fn reached(&self) -> Option<&Bits> {
        self.reached.as_ref()
    }

    /// How many boards this one stands for: itself, and its mirror image if that is another.
    pub(crate) fn weight(&self, board: usize) -> u64 {
        let board = self.index.board(board);
        1 + u64::from(self.supply.mirror.is_some() && board.mirrored(self.game) != board)
    }

    /// How many different boards there are.
    pub(crate) fn boards(&self) -> u64 {
        if self.supply.mirror.is_none() {
            return self.index.len() as u64;
        }
        (0..self.index.len()).into_par_iter().map(|board| self.weight(board)).sum()
    }

    /// The board that stands for this one, and whether it is the mirror image.
    #[inline]
    pub(crate) fn canonical(&self, board: PackedBoard) -> (PackedBoard, bool) {
        self.supply.canonical(self.game, board)
    }

    /// The node of any board in a context, if it is in the space.
    pub(crate) fn node(&self, board: PackedBoard, context: u32) -> Option<usize> {
        let (board, flipped) = self.canonical(board);
        let number = self.index.number(board)? as usize;
        Some(number * self.contexts() + self.supply.context(context, flipped) as usize)
    }

    /// Marks the moves that can come up on a board.
    pub(crate) fn mark_moves(&self, board: usize, active: &mut [bool]) {
        let contexts = self.contexts();
        if self.reached.is_none() {
            return active.fill(true);
        }
        active.fill(false);
        for context in (0..contexts).filter(|context| self.is_reached(board * contexts + context)) {
            for &step in &self.moves_in[context] {
                active[step as usize] = true;
            }
        }
    }

    /// Stores all steps if they take at most `limit` bytes; the fatal ones only if they are wanted.
    pub(crate) fn store_steps(
        &mut self,
        fatal: bool,
        limit: u64,
        watch: &dyn Watch,
    ) -> Result<(), SolveError> {
        let pieces = self.game.pieces().len();
        let boards = self.index.len();
        // A look at some boards tells whether it is worth trying.
        let sample: Vec<usize> = (0..256.min(boards)).map(|i| i * boards / 256.min(boards)).collect();
        let mut count = 0u64;
        for &board in &sample {
            let mut active = vec![true; self.supply.moves.len()];
            self.computed_steps(board, &mut active, |_, step| count += u64::from(fatal || !step.is_fatal()));
        }
        let estimate = 4 * (count * boards as u64 / sample.len().max(1) as u64 + (boards * pieces) as u64);
        if estimate > limit || boards * pieces > u32::MAX as usize {
            return Ok(());
        }
        const CHUNK: usize = 4096;
        let chunks: Vec<(Vec<u32>, Vec<u32>)> = (0..boards.div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| {
                let (mut counts, mut steps) = (Vec::new(), Vec::new());
                let mut active = vec![true; self.supply.moves.len()];
                for board in chunk * CHUNK..((chunk + 1) * CHUNK).min(boards) {
                    let first = counts.len();
                    counts.resize(first + pieces, 0);
                    self.computed_steps(board, &mut active, |piece, step| {
                        if fatal || !step.is_fatal() {
                            counts[first + piece] += 1;
                            steps.push(step.0);
                        }
                    });
                }
                (counts, steps)
            })
            .collect();
        if !watch.go_on() {
            return Err(SolveError::Interrupted);
        }
        let mut offsets = Vec::with_capacity(boards * pieces + 1);
        let mut steps = Vec::with_capacity(chunks.iter().map(|(_, steps)| steps.len()).sum());
        let mut offset = 0u32;
        offsets.push(0);
        for (counts, more) in chunks {
            for count in counts {
                offset += count;
                offsets.push(offset);
            }
            steps.extend(more);
        }
        self.stored = Some(Stored { offsets, steps });
        Ok(())
    }

    /// Stores what a reward gives on arrival at each board.
    pub(crate) fn store_arrivals(&mut self, reward: Reward) {
        let boards = (0..self.index.len()).map(|number| self.index.board(number));
        self.arrivals = boards.map(|board| reward.arrival(self.game, board)).collect();
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> u64 {
        let stored = self.stored.as_ref().map_or(0, |stored| 4 * (stored.offsets.len() + stored.steps.len()));
        let reached = self.reached.as_ref().map_or(0, |reached| 8 * reached.0.len());
        self.index.bytes() + (stored + reached) as u64
    }

    /// The steps of one piece on a board, if they are stored.
    #[inline]
    pub(crate) fn stored_steps(&self, board: usize, piece: usize) -> Option<&[u32]> {
        let stored = self.stored.as_ref()?;
        let place = board * self.game.pieces().len() + piece;
        Some(&stored.steps[stored.offsets[place] as usize..stored.offsets[place + 1] as usize])
    }

    #[inline]
    fn computed_steps(&self, number: usize, active: &mut [bool], mut visit: impl FnMut(usize, Transition)) {
        let board = self.index.board(number);
        if self.reached.is_some() {
            self.mark_moves(number, active);
        }
        let mut pieces = self.pieces;
        if self.reached.is_some() {
            pieces = 0;
            for (step, _) in self.supply.moves.iter().zip(active).filter(|(_, active)| **active) {
                pieces |= 1 << step.piece;
            }
        }
        board.each_outcome(self.game, pieces, |placement, outcome| {
            visit(placement.piece as usize, self.step(outcome.board, outcome.fatal, outcome.lines()));
        });
    }

    /// The step to an afterstate in the space.
    #[inline]
    pub(crate) fn step(&self, after: PackedBoard, fatal: bool, lines: u32) -> Transition {
        if fatal {
            return Transition::FATAL;
        }
        let (board, flipped) = self.canonical(after);
        if self.is_partial {
            // Beyond the last boards nothing is left to place, and there any board is worth 0.
            return Transition::new(self.index.number(board).unwrap_or(0), flipped, lines);
        }
        Transition::new(self.index.number_unchecked(board), flipped, lines)
    }
}

impl Boards for Space<'_> {
    type Board = usize;

    fn supply(&self) -> &Supply {
        &self.supply
    }

    fn number(&self, board: usize) -> usize {
        board
    }

    #[inline]
    fn arrival(&self, number: usize) -> f64 {
        self.arrivals[number]
    }

    #[inline]
    fn steps(&self, board: usize, active: &mut [bool], mut visit: impl FnMut(usize, Transition)) {
        if self.stored.is_none() {
            return self.computed_steps(board, active, visit);
        }
        for piece in 0..self.game.pieces().len() {
            for step in self.stored_steps(board, piece).into_iter().flatten() {
                visit(piece, Transition(*step));
            }
        }
    }
}

/// The moves that can come up in each context.
fn moves_in(supply: &Supply) -> Vec<Vec<u32>> {
    let moves = |context: &crate::supply::SupplyContext| {
        let mut list = Vec::new();
        for dealt in &context.deals {
            let hand = &supply.hands[dealt.hand as usize];
            list.extend(hand.moves.iter().copied().chain(hand.put_aside.iter().map(|(_, step)| *step)));
        }
        list.sort_unstable();
        list.dedup();
        list
    };
    supply.contexts.iter().map(moves).collect()
}

/// Numbers the boards class by class, so that every step leads from a class to the one before it.
///
/// A piece of `c` cells changes the number of cells by `c` less `width` per row, so modulo `width` by `c`. If all
/// pieces have the same `c` modulo `width`, boards fall into classes that follow one another in a circle.
pub(crate) fn number_boards(
    game: &PlacementGame,
    supply: &Supply,
    start: PackedBoard,
    bitmap: &[u64],
) -> BoardIndex {
    let width = game.width();
    let used = supply.moves.iter().map(|step| game.pieces()[step.piece as usize].cells() as usize % width);
    let mut cells: Vec<usize> = used.collect();
    cells.sort_unstable();
    cells.dedup();
    let &[added] = cells.as_slice() else { return BoardIndex::from_bitmap(bitmap, 1, |_| 0) };
    let mut class_of = vec![usize::MAX; width];
    let mut classes = 0;
    // Going backwards from the start: class k + 1 is what leads to class k.
    let mut residue = start.0.count_ones() as usize % width;
    while class_of[residue] == usize::MAX {
        class_of[residue] = classes;
        classes += 1;
        residue = (residue + width - added) % width;
    }
    BoardIndex::from_bitmap(bitmap, classes, |board| class_of[board.0.count_ones() as usize % width])
}
