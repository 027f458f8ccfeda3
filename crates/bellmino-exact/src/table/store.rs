//! Where a table keeps its values: board to number, number and context to value, and what is reached.

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::{Landed, PackedBoard};

use crate::bellman::{Boards, Values};
use crate::index::{BoardIndex, MAX_BITMAP_CELLS, bitmap_words};
use crate::settings::Reward;
use crate::space::{Bits, MAX_BOARDS, Space, Transition, number_boards};
use crate::supply::Supply;

/// The values of all boards of a game, in memory or in the bytes of a file.
#[derive(Debug)]
pub(super) struct TableStore {
    game: PlacementGame,
    supply: Supply,
    /// What was maximised instead of the score.
    reward: Option<Reward>,
    /// How many boards there are.
    boards: usize,
    /// How many values each node has: one per number of pieces left, or one.
    stages: usize,
    kept: StoredValues,
}

/// Where the values are.
pub(super) enum StoredValues {
    Memory { index: BoardIndex, reached: Option<Bits>, values: Vec<f64> },
    File { bytes: Box<dyn AsRef<[u8]> + Send + Sync>, layout: FileLayout },
}

/// Where the parts of a file begin, and where the last one ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileLayout {
    pub(super) index: usize,
    pub(super) reached: usize,
    pub(super) values: usize,
    pub(super) end: usize,
}

/// A board of the store: its number, and whether it is the mirror image of the one that is kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeptBoard {
    pub(super) board: PackedBoard,
    number: usize,
    flipped: bool,
}

/// The values of one stage.
pub(super) struct StoredStage<'a> {
    store: &'a TableStore,
    stage: usize,
}

impl TableStore {
    /// What is left of a space, with its values by stage and node.
    pub(super) fn of_space(space: Space<'_>, reward: Option<Reward>, values: Vec<f64>) -> TableStore {
        let (game, boards, stages) =
            (space.game.clone(), space.index.len(), values.len() / space.nodes().max(1));
        let (supply, index, reached) = space.into_parts();
        TableStore {
            game,
            supply,
            reward,
            boards,
            stages,
            kept: StoredValues::Memory { index, reached, values },
        }
    }

    /// The bytes of a file that has been checked against its layout.
    pub(super) fn of_file(
        game: PlacementGame,
        supply: Supply,
        reward: Option<Reward>,
        [boards, stages]: [usize; 2],
        bytes: Box<dyn AsRef<[u8]> + Send + Sync>,
        layout: FileLayout,
    ) -> TableStore {
        TableStore { game, supply, reward, boards, stages, kept: StoredValues::File { bytes, layout } }
    }

    pub(super) fn game(&self) -> &PlacementGame {
        &self.game
    }

    pub(super) fn stages(&self) -> usize {
        self.stages
    }

    pub(super) fn kept(&self) -> &StoredValues {
        &self.kept
    }

    pub(super) fn bytes(&self) -> u64 {
        match &self.kept {
            StoredValues::Memory { index, reached, values } => {
                // A bit for each node that is reached.
                let reached = if reached.is_some() { values.len() / 8 } else { 0 };
                index.bytes() + (8 * values.len() + reached) as u64
            }
            StoredValues::File { layout, .. } => layout.end as u64,
        }
    }

    /// Any board, if it or its mirror image is in the store.
    pub(super) fn find(&self, board: PackedBoard) -> Option<KeptBoard> {
        let (canonical, flipped) = self.supply.canonical(&self.game, board);
        Some(KeptBoard { board, number: self.number_of(canonical)?, flipped })
    }

    /// Every board that is kept, in ascending order.
    pub(super) fn ascending(&self) -> impl Iterator<Item = PackedBoard> + '_ {
        let order = |place: usize| match &self.kept {
            StoredValues::Memory { index, .. } => index.number_at(place),
            // A file has its boards in this order.
            StoredValues::File { .. } => place,
        };
        (0..self.boards).map(move |place| self.board_of(order(place)))
    }

    /// Every board, and its mirror image where that is not kept by itself.
    pub(super) fn boards(&self) -> Vec<PackedBoard> {
        let mut all: Vec<PackedBoard> = (0..self.boards).map(|number| self.board_of(number)).collect();
        if self.supply.mirror.is_some() {
            let images: Vec<PackedBoard> = all.iter().map(|board| board.mirrored(&self.game)).collect();
            all.extend(images);
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Whether a board comes up in a context.
    pub(super) fn is_reached(&self, board: KeptBoard, context: u32) -> bool {
        let contexts = self.supply.contexts.len();
        let node = board.number * contexts + self.supply.context(context, board.flipped) as usize;
        match &self.kept {
            _ if contexts == 1 => true,
            StoredValues::Memory { reached, .. } => {
                reached.as_ref().is_none_or(|reached| reached.contains(node))
            }
            StoredValues::File { bytes, layout } => bit((**bytes).as_ref(), layout.reached, node),
        }
    }

    /// The values of a stage.
    pub(super) fn stage(&self, stage: usize) -> StoredStage<'_> {
        StoredStage { store: self, stage }
    }

    /// The step to an afterstate. A board that is not in the store is worth nothing.
    pub(super) fn step(&self, landed: &Landed<PackedBoard>) -> Transition {
        if landed.fatal {
            return Transition::FATAL;
        }
        let (number, flipped) =
            self.find(landed.board).map_or((MAX_BOARDS, false), |found| (found.number, found.flipped));
        Transition::new(number as u32, flipped, landed.lines())
    }

    /// The number of a board that stands for itself.
    fn number_of(&self, board: PackedBoard) -> Option<usize> {
        match &self.kept {
            StoredValues::Memory { index, .. } => index.number(board).map(|number| number as usize),
            StoredValues::File { bytes, layout } => {
                let all = (**bytes).as_ref();
                let cells = self.game.width() * self.game.height();
                if cells <= MAX_BITMAP_CELLS {
                    if board.0 >> cells != 0 {
                        return None;
                    }
                    let (bits, before) = bitmap_entry(all, layout, (board.0 >> 6) as usize);
                    let place = board.0 & 63;
                    (bits >> place & 1 == 1)
                        .then(|| before + (bits & ((1 << place) - 1)).count_ones() as usize)
                } else {
                    let place =
                        first_place(self.boards, |number| long_of(all, layout.index, number) < board.0);
                    (place < self.boards && long_of(all, layout.index, place) == board.0).then_some(place)
                }
            }
        }
    }

    /// The board of a number.
    fn board_of(&self, number: usize) -> PackedBoard {
        match &self.kept {
            StoredValues::Memory { index, .. } => index.board(number),
            StoredValues::File { bytes, layout } => {
                let all = (**bytes).as_ref();
                let cells = self.game.width() * self.game.height();
                if cells > MAX_BITMAP_CELLS {
                    return PackedBoard(long_of(all, layout.index, number));
                }
                // The last entry that has no more boards before it than the number.
                let words = bitmap_words(cells);
                let word = first_place(words, |word| bitmap_entry(all, layout, word).1 <= number) - 1;
                let (mut bits, before) = bitmap_entry(all, layout, word);
                for _ in before..number {
                    bits &= bits - 1;
                }
                PackedBoard((word as u64) << 6 | u64::from(bits.trailing_zeros()))
            }
        }
    }

    /// The boards of a file as a space, so that a run can go on.
    pub(super) fn space<'game>(
        &self,
        game: &'game PlacementGame,
        supply: Supply,
        start: PackedBoard,
    ) -> Option<Space<'game>> {
        let StoredValues::File { bytes, layout } = &self.kept else { return None };
        let all = (**bytes).as_ref();
        let cells = game.width() * game.height();
        let index = if cells <= MAX_BITMAP_CELLS {
            let bitmap: Vec<u64> =
                (0..bitmap_words(cells)).map(|word| bitmap_entry(all, layout, word).0).collect();
            number_boards(game, &supply, start, &bitmap)
        } else {
            BoardIndex::from_sorted(
                (0..self.boards).map(|number| long_of(all, layout.index, number)).collect(),
            )
        };
        let contexts = supply.contexts.len();
        let reached = (contexts > 1).then(|| {
            let bits = Bits::new(index.len() * contexts, false);
            for (place, number) in index.ascending().enumerate() {
                for context in (0..contexts).filter(|c| bit(all, layout.reached, place * contexts + c)) {
                    bits.insert(number * contexts + context);
                }
            }
            bits
        });
        Some(Space::known(game, supply, start, index, reached))
    }

    /// The values of a file, stage by stage, in the numbering of a space with the same boards.
    pub(super) fn node_values(&self, space: &Space<'_>) -> Vec<f64> {
        let contexts = space.contexts();
        let mut values = vec![0.0; self.stages * space.nodes()];
        for (stage, values) in values.chunks_mut(space.nodes()).enumerate() {
            let stored = self.stage(stage);
            for (place, number) in space.index.ascending().enumerate() {
                for context in 0..contexts {
                    values[number * contexts + context] = stored.value(place * contexts + context);
                }
            }
        }
        values
    }
}

impl Boards for TableStore {
    type Board = KeptBoard;

    fn supply(&self) -> &Supply {
        &self.supply
    }

    fn number(&self, board: KeptBoard) -> usize {
        board.number
    }

    fn arrival(&self, number: usize) -> f64 {
        match self.reward {
            Some(reward) if number < self.boards => reward.arrival(&self.game, self.board_of(number)),
            _ => 0.0,
        }
    }

    fn steps(&self, board: KeptBoard, active: &mut [bool], mut visit: impl FnMut(usize, Transition)) {
        let wanted = self.supply.moves.iter().zip(active).filter(|(_, active)| **active);
        let pieces = wanted.fold(0, |pieces, (step, _)| pieces | 1 << step.piece);
        board.board.each_outcome(&self.game, pieces, |placement, landed| {
            visit(placement.piece as usize, self.step(&landed));
        });
    }
}

impl StoredStage<'_> {
    /// The value of a board in a context.
    pub(super) fn at(&self, board: KeptBoard, context: u32) -> f64 {
        let supply = &self.store.supply;
        let context = supply.context(context, board.flipped) as usize;
        self.value(board.number * supply.contexts.len() + context)
    }
}

impl Values for StoredStage<'_> {
    fn value(&self, node: usize) -> f64 {
        let nodes = self.store.boards * self.store.supply.contexts.len();
        if node >= nodes {
            return 0.0;
        }
        let place = self.stage * nodes + node;
        match &self.store.kept {
            StoredValues::Memory { values, .. } => values[place],
            StoredValues::File { bytes, layout } => {
                f64::from_bits(long_of((**bytes).as_ref(), layout.values, place))
            }
        }
    }
}

impl std::fmt::Debug for StoredValues {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            StoredValues::Memory { .. } => "Memory",
            StoredValues::File { .. } => "File",
        })
    }
}

/// 64 possible boards of a file: which are in it, and how many boards come before them.
fn bitmap_entry(all: &[u8], layout: &FileLayout, word: usize) -> (u64, usize) {
    let before = long_of(all, layout.index, 2 * word + 1) & 0xffff_ffff;
    (long_of(all, layout.index, 2 * word), before as usize)
}

/// Number `place` of the words of 8 bytes from `first` on.
fn long_of(all: &[u8], first: usize, place: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&all[first + 8 * place..][..8]);
    u64::from_le_bytes(word)
}

/// Bit number `place` of the words from `first` on.
fn bit(all: &[u8], first: usize, place: usize) -> bool {
    long_of(all, first, place / 64) >> (place % 64) & 1 == 1
}

/// The first place that is not low.
fn first_place(len: usize, is_low: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = usize::midpoint(low, high);
        if is_low(middle) { low = middle + 1 } else { high = middle }
    }
    low
}
