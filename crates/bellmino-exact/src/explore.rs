//! Finding boards: everything that can be reached from the start, or what a player or a few pieces reach.

use std::collections::HashSet;

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::{Grid, PackedBoard};
use rayon::prelude::*;

use crate::given::GivenPlayer;
use crate::index::{BoardIndex, bitmap_words};
use crate::solve::SolveError;
use crate::space::{Bits, MAX_BOARDS, number_boards};
use crate::supply::Supply;
use crate::watch::{SolvePhase, SolveProgress, Watch};

/// An exploration.
pub(crate) struct Explorer<'a> {
    pub(crate) game: &'a PlacementGame,
    pub(crate) supply: &'a Supply,
    pub(crate) moves_in: &'a [Vec<u32>],
    pub(crate) pieces: u64,
    pub(crate) start: PackedBoard,
    /// Who plays, if not everything that can be done counts.
    pub(crate) player: Option<GivenPlayer<'a>>,
    pub(crate) watch: &'a dyn Watch,
    pub(crate) memory: Option<u64>,
    /// The most placements before a board that is looked for, if not all boards are.
    pub(crate) layers: Option<u32>,
}

/// What was found.
pub(crate) struct Explored {
    pub(crate) index: BoardIndex,
    /// One bit per node; absent with a single context.
    pub(crate) reached: Option<Bits>,
    /// Whether what follows the last boards was not looked for.
    pub(crate) is_partial: bool,
}

impl Explorer<'_> {
    fn first(&self) -> Vec<(PackedBoard, u32)> {
        let (board, flipped) = self.supply.canonical(self.game, self.start);
        let contexts = self.supply.first_contexts().into_iter();
        contexts.map(|context| (board, self.supply.context(context, flipped))).collect()
    }

    /// Visits the nodes one step away.
    #[inline]
    fn successors(&self, board: PackedBoard, context: u32, mut visit: impl FnMut(PackedBoard, u32)) {
        if let Some(player) = &self.player {
            for &number in &self.moves_in[context as usize] {
                // A placement that is not legal is told when the steps are made.
                if let Ok(Some(after)) = player.place(board, number as usize, None)
                    && !after.fatal
                {
                    let (after, flipped) = self.supply.canonical(self.game, after.board);
                    visit(after, self.supply.context(self.supply.moves[number as usize].next, flipped));
                }
            }
            return;
        }
        if self.supply.plain {
            return board.each_outcome(self.game, self.pieces, |_, outcome| {
                if !outcome.fatal {
                    visit(self.supply.canonical(self.game, outcome.board).0, 0);
                }
            });
        }
        let mut piece_before = None;
        let mut afterstates: Vec<(PackedBoard, bool)> = Vec::new();
        // Moves come sorted by number, not by piece; there are few, and pieces rarely repeat.
        for &number in &self.moves_in[context as usize] {
            let step = self.supply.moves[number as usize];
            if piece_before != Some(step.piece) {
                piece_before = Some(step.piece);
                afterstates.clear();
                board.outcomes(self.game, step.piece as usize, |_, outcome| {
                    afterstates.push(self.supply.canonical(self.game, outcome.board));
                });
            }
            for &(after, flipped) in &afterstates {
                visit(after, self.supply.context(step.next, flipped));
            }
        }
    }

    fn progress(&self, found: usize) -> Result<(), SolveError> {
        self.watch.progress(&SolveProgress {
            phase: SolvePhase::Explore,
            boards: found as u64,
            ..SolveProgress::default()
        });
        if self.watch.go_on() { Ok(()) } else { Err(SolveError::Interrupted) }
    }

    /// Breadth first, many threads, one bit per possible node.
    pub(crate) fn in_bitmap(&self, cells: usize) -> Result<Explored, SolveError> {
        let contexts = self.supply.contexts.len();
        let words = bitmap_words(cells);
        let bits_per_context = words * 64;
        let bytes = 8 * (words * contexts) as u64;
        if self.memory.is_some_and(|limit| bytes > limit) {
            return Err(SolveError::TooBig { bytes, limit: self.memory.unwrap_or(0), boards: None });
        }
        let seen = Bits::new(bits_per_context * contexts, false);
        let place = |board: PackedBoard, context: u32| context as usize * bits_per_context + board.0 as usize;
        let mut frontier: Vec<u64> = Vec::new();
        for (board, context) in self.first() {
            if seen.insert(place(board, context)) {
                frontier.push(u64::from(context) << 32 | board.0);
            }
        }
        let mut found = frontier.len();
        let mut layer = 0;
        while !frontier.is_empty() && self.layers.is_none_or(|layers| layer < layers) {
            layer += 1;
            const CHUNK: usize = 2048;
            let more: Vec<Vec<u64>> = frontier
                .par_chunks(CHUNK)
                .map(|nodes| {
                    let mut more = Vec::new();
                    if !self.watch.go_on() {
                        return more;
                    }
                    for node in nodes {
                        let (board, context) = (PackedBoard(node & 0xffff_ffff), (node >> 32) as u32);
                        self.successors(board, context, |after, next| {
                            if seen.insert(place(after, next)) {
                                more.push(u64::from(next) << 32 | after.0);
                            }
                        });
                    }
                    more
                })
                .collect();
            frontier = more.concat();
            found += frontier.len();
            self.progress(found)?;
        }
        let is_partial = !frontier.is_empty();
        let all = seen.words();
        drop(seen);
        if contexts == 1 {
            let index = number_boards(self.game, self.supply, self.start, &all);
            return Ok(Explored { index, reached: None, is_partial });
        }
        let mut union = vec![0u64; words];
        for context in all.chunks(words) {
            union.iter_mut().zip(context).for_each(|(sum, word)| *sum |= word);
        }
        let index = number_boards(self.game, self.supply, self.start, &union);
        let reached = Bits::new(index.len() * contexts, false);
        for board in 0..index.len() {
            let key = index.board(board).0 as usize;
            for context in 0..contexts {
                if all[context * words + key / 64] >> (key % 64) & 1 == 1 {
                    reached.insert(board * contexts + context);
                }
            }
        }
        Ok(Explored { index, reached: Some(reached), is_partial })
    }

    /// One thread and a hash table, for boards too large for a bitmap.
    pub(crate) fn in_hash(&self) -> Result<Explored, SolveError> {
        let contexts = self.supply.contexts.len();
        let mut seen: HashSet<(u64, u32)> = HashSet::new();
        let mut open: Vec<(PackedBoard, u32)> = self.first();
        seen.extend(open.iter().map(|(board, context)| (board.0, *context)));
        let mut layer = 0;
        while !open.is_empty() && self.layers.is_none_or(|layers| layer < layers) {
            layer += 1;
            for (board, context) in std::mem::take(&mut open) {
                let before = seen.len();
                self.successors(board, context, |after, next| {
                    if seen.insert((after.0, next)) {
                        open.push((after, next));
                    }
                });
                if before >> 16 != seen.len() >> 16 {
                    self.progress(seen.len())?;
                }
                let bytes = 48 * seen.len() as u64;
                if seen.len() > MAX_BOARDS || self.memory.is_some_and(|limit| bytes > limit) {
                    let limit = self.memory.unwrap_or(48 * MAX_BOARDS as u64);
                    return Err(SolveError::TooBig { bytes, limit, boards: Some(seen.len() as u64) });
                }
            }
        }
        let is_partial = !open.is_empty();
        let mut keys: Vec<u64> = seen.iter().map(|(key, _)| *key).collect();
        keys.sort_unstable();
        keys.dedup();
        let index = BoardIndex::from_sorted(keys);
        if contexts == 1 {
            return Ok(Explored { index, reached: None, is_partial });
        }
        let reached = Bits::new(index.len() * contexts, false);
        for (key, context) in seen {
            let board = index.number_unchecked(PackedBoard(key)) as usize;
            reached.insert(board * contexts + context as usize);
        }
        Ok(Explored { index, reached: Some(reached), is_partial })
    }
}
