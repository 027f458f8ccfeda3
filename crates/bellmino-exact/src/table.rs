//! Tables: the values of all boards, in memory or in a file. A table plays, and deals.
//!
//! # The file
//! All numbers are little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `BELLMINO` |
//! | 4 | version of the format, 1 |
//! | 4 | length of the header |
//! | ... | header: JSON, then spaces up to a multiple of 8 bytes |
//! | ... | boards of at most 32 cells: for every 64 possible boards, which are in the table (8), how many come before (4), 0 (4); larger ones: the boards in ascending order (8 each) |
//! | ... | with several contexts: one bit per board and context that can be reached, in words of 8 bytes |
//! | ... | values (8 each): by stage, then board in ascending order, then context |
//! | 8 | XXH3-64 checksum of all bytes before |

use std::io::{self, Write};

use bellmino_engine::placement::{Board, DealerState, Grid, PackedBoard, Placement};
use bellmino_engine::{Game, PlacementGame};
use serde_json::{Value, json};
use thiserror::Error;
use xxhash_rust::xxh3::Xxh3Default;

use crate::index::{BoardIndex, MAX_BITMAP_CELLS, bitmap_words};
use crate::run::{UNSAFE, arrival_of, deal_of, rewards_of};
use crate::settings::{Objective, Placing, SolveSettings};
use crate::sides::{DealerPolicy, InHand, Policy};
use crate::solve::packed;
use crate::space::{Bits, Space, number_boards};
use crate::supply::Supply;

/// The values of all boards of a solved game.
///
/// ```
/// use bellmino_engine::placement::Board;
/// use bellmino_engine::Game;
/// use bellmino_exact::{Objective, Silent, SolveSettings, solve};
///
/// let game = Game::built_in("baby", &[]).unwrap().unwrap();
/// let game = game.placement().unwrap();
/// let table = solve(game, &SolveSettings::new(Objective::Discounted(0.9)), &Silent)?.table;
/// let values = table.placement_values(&Board::new(4, 4), game.piece_index("I3").unwrap()).unwrap();
/// let best = values.iter().map(|placement| placement.value).fold(f64::MIN, f64::max);
/// assert!((best - 9.0889857829).abs() < 1e-9);
/// # Ok::<(), bellmino_exact::SolveError>(())
/// ```
#[derive(Debug)]
pub struct Table {
    game: PlacementGame,
    settings: SolveSettings,
    finished: Finished,
    is_finished: bool,
    supply: Supply,
    start: PackedBoard,
    rewards: [f64; 8],
    stages: usize,
    store: Store,
}

/// How a run ended, or stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finished {
    /// The value at the start; absent if infinite.
    pub value: Option<f64>,
    /// Its proven bound.
    pub error_bound: f64,
    /// Passes made.
    pub sweeps: u64,
}

/// A placement and what it is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlacementValue {
    /// The placement.
    pub placement: Placement,
    /// Whether it is the held piece that is placed, and the current one put aside.
    pub held: bool,
    /// Rows cleared.
    pub lines: u32,
    /// Points scored.
    pub points: f64,
    /// Whether it ends the game.
    pub fatal: bool,
    /// The objective's value: the reward of the placement and all that follows.
    pub value: f64,
}

/// All that can be done with a hand.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Every placement, of the current piece and then of the held one, in the order rotation, column, row.
    pub placements: Vec<PlacementValue>,
    /// What putting the current piece aside is worth, where that brings another.
    pub put_aside: Option<f64>,
}

/// What to do with a hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Choice {
    /// Place the current piece.
    Place(Placement),
    /// Place the held piece and put the current one aside.
    PlaceHeld(Placement),
    /// Put the current piece aside; another is dealt.
    PutAside,
}

/// Values closer together than this, relative to their size, are taken as equal; ties go to the first placement.
const TIE: f64 = 1e-9;

enum Store {
    Memory { index: BoardIndex, reached: Option<Bits>, values: Vec<f64> },
    File { bytes: Box<dyn AsRef<[u8]> + Send + Sync>, layout: Layout },
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Store::Memory { .. } => "Memory",
            Store::File { .. } => "File",
        })
    }
}

/// Where the parts of a file are.
#[derive(Clone, Copy, Debug)]
struct Layout {
    boards: usize,
    index: usize,
    reached: usize,
    values: usize,
    end: usize,
}

/// Why bytes are not a table.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TableError {
    /// Something else.
    #[error("is no table of Bellmino")]
    Foreign,
    /// Another version.
    #[error("is a table of format {0}; this version of Bellmino reads format {VERSION}")]
    Version(u32),
    /// Too short or too long.
    #[error("has {found} bytes where {wanted} are expected: it was cut off or changed")]
    Length {
        /// Bytes there are.
        found: usize,
        /// Bytes there should be.
        wanted: usize,
    },
    /// The checksum does not agree.
    #[error("is damaged: its checksum does not agree")]
    Checksum,
    /// The header cannot be understood.
    #[error("has a header that cannot be understood: {0}")]
    Header(String),
}

const MAGIC: &[u8; 8] = b"BELLMINO";
const VERSION: u32 = 1;

impl Table {
    pub(crate) fn new(
        settings: &SolveSettings,
        finished: Finished,
        space: Space<'_>,
        values: Vec<f64>,
        stages: Vec<f64>,
    ) -> Table {
        let nodes = space.nodes();
        let (game, start) = (space.game.clone(), space.start);
        let (supply, index, reached) = space.into_parts();
        let values = if stages.is_empty() { values } else { stages };
        Table {
            rewards: rewards_of(&game, settings),
            game,
            settings: settings.clone(),
            finished,
            is_finished: true,
            supply,
            start,
            stages: values.len() / nodes.max(1),
            store: Store::Memory { index, reached, values },
        }
    }

    /// The game.
    pub fn game(&self) -> &PlacementGame {
        &self.game
    }

    /// What was asked for.
    pub fn settings(&self) -> &SolveSettings {
        &self.settings
    }

    /// How the run ended, or stands.
    pub fn finished(&self) -> Finished {
        self.finished
    }

    /// Whether the run came to its end.
    pub fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// Every placement of a piece with its value, in the order rotation, column, row; `None` if the board is not in
    /// the table. For games in which the piece alone makes the hand: no preview, no hold, no bag.
    pub fn placement_values(&self, board: &Board, piece: usize) -> Option<Vec<PlacementValue>> {
        let hand = self.supply.find_hand(None, &[u8::try_from(piece).ok()?], None)?;
        self.hand_values(packed(&self.game, board)?, hand, None)
    }

    /// Every placement with its value for the current piece and the known ones after it, nothing held, whatever the
    /// dealer's state; `None` if the board is not in the table.
    pub fn values_of_pieces(&self, board: PackedBoard, pieces: &[u8]) -> Option<Vec<PlacementValue>> {
        self.hand_values(board, self.supply.find_hand(None, pieces, None)?, None)
    }

    /// All that can be done with a hand, with its value; `None` if this hand cannot come up on this board. The queue
    /// has every piece on the table, those included that a dealer has named before the player may see them.
    ///
    /// Under `average` values are relative to the best placement, in points; negative infinity where the game can end.
    pub fn look(&self, board: PackedBoard, hand: &InHand<'_>) -> Option<Look> {
        let number = self.supply.find_hand(Some(*hand.states.last()?), hand.queue, hand.held)?;
        if !self.comes_up(board, number)? {
            return None;
        }
        let mut placements = self.hand_values(board, number, hand.left)?;
        let mut put_aside = self.put_aside_value(board, number, hand.left);
        if self.settings.objective == Objective::Average {
            let all = placements.iter().filter(|one| !one.fatal).map(|one| one.value).chain(put_aside);
            let best = all.reduce(f64::max).unwrap_or(0.0);
            let relative = |value: f64| if value < 0.5 * UNSAFE { f64::NEG_INFINITY } else { value - best };
            placements.iter_mut().for_each(|one| one.value = relative(one.value));
            put_aside = put_aside.map(relative);
        }
        Some(Look { placements, put_aside })
    }

    /// Whether some context of a board deals this hand.
    fn comes_up(&self, board: PackedBoard, hand: u32) -> Option<bool> {
        let (board, flipped) = self.canonical(board);
        let first = self.number(board)? * self.supply.contexts.len();
        let is_reached = |context: usize| {
            let mirror = self.supply.mirror.as_ref().filter(|_| flipped);
            let node = first + mirror.map_or(context, |mirror| mirror[context] as usize);
            match &self.store {
                _ if self.supply.contexts.len() == 1 => true,
                Store::Memory { reached, .. } => {
                    reached.as_ref().is_none_or(|reached| reached.contains(node))
                }
                Store::File { bytes, layout } => {
                    long((**bytes).as_ref(), layout.reached + 8 * (node / 64)) >> (node % 64) & 1 == 1
                }
            }
        };
        let deals_it =
            |context: usize| self.supply.contexts[context].deals.iter().any(|dealt| dealt.hand == hand);
        Some((0..self.supply.contexts.len()).any(|context| deals_it(context) && is_reached(context)))
    }

    /// What to do with a hand: the best, ties to the first. `None` if nothing can be done or the board is not in the
    /// table.
    pub fn choose(&self, board: PackedBoard, hand: &InHand<'_>) -> Option<Choice> {
        let number = self.hand(hand)?;
        let values = self.hand_values(board, number, hand.left)?;
        let best = first_best(&values);
        let aside = self.put_aside_value(board, number, hand.left);
        match (best, aside) {
            (None, None) => values.first().map(|value| Choice::Place(value.placement)),
            (Some(best), aside) if aside.is_none_or(|aside| !is_more(aside, best.value)) => {
                Some(if best.held {
                    Choice::PlaceHeld(best.placement)
                } else {
                    Choice::Place(best.placement)
                })
            }
            _ => Some(Choice::PutAside),
        }
    }

    /// The first of the best of these placements; one that ends the game only if there is no other.
    pub fn best_of(&self, values: &[PlacementValue]) -> Option<Placement> {
        first_best(values).or(values.first()).map(|value| value.placement)
    }

    /// Where to put the current piece of a hand: the best place, ties to the first, and no holding.
    pub fn choose_placement(&self, board: PackedBoard, hand: &InHand<'_>) -> Option<Placement> {
        let number = self.hand(hand)?;
        let step = *self.supply.hands[number as usize].moves.first()?;
        self.best_of(&self.move_values(board, step, hand.left, false))
    }

    /// What each piece that may be dealt now is worth to the player.
    pub fn deal_values(
        &self,
        board: PackedBoard,
        state: DealerState,
        queue: &[u8],
        held: Option<u8>,
        left: Option<u32>,
    ) -> Option<Vec<(u8, f64)>> {
        let context = self.supply.find_context(state, queue, held)?;
        self.number(self.canonical(board).0)?;
        let deals = &self.supply.contexts[context as usize].deals;
        Some(deals.iter().map(|dealt| (dealt.piece, self.hand_value(board, dealt.hand, left))).collect())
    }

    /// The value of a board before its piece is dealt.
    pub fn board_value(&self, board: PackedBoard, state: DealerState, queue: &[u8]) -> Option<f64> {
        self.lookup(0, board, self.supply.find_context(state, queue, None)?)
    }

    /// How many pieces beyond the current one the dealer has named when it deals.
    pub fn queue(&self) -> usize {
        self.supply.queue()
    }

    /// Writes the table as a file.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match &self.store {
            Store::File { bytes, .. } => out.write_all((**bytes).as_ref()),
            Store::Memory { index, reached, values } => Contents {
                game: &self.game,
                settings: &self.settings,
                finished: self.finished,
                is_finished: self.is_finished,
                index,
                contexts: self.supply.contexts.len(),
                mirrored: self.supply.mirror.is_some(),
                start: self.start,
                reached: reached.as_ref(),
                values,
            }
            .write(out),
        }
    }

    /// Reads a table. The bytes may be a file mapped into memory: nothing is copied.
    pub fn read(bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> Result<Table, TableError> {
        let all = bytes.as_ref();
        let word = |at: usize| all.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        if all.get(..8) != Some(MAGIC) {
            return Err(TableError::Foreign);
        }
        let short = |wanted: usize| TableError::Length { found: all.len(), wanted };
        let version = word(8).ok_or_else(|| short(16))?;
        if version != VERSION {
            return Err(TableError::Version(version));
        }
        let header_end = 16 + word(12).ok_or_else(|| short(16))? as usize;
        let header = all.get(16..header_end).ok_or_else(|| short(header_end))?;
        let bad = |why: &str| TableError::Header(why.to_owned());
        let header: Value = serde_json::from_slice(header).map_err(|error| bad(&error.to_string()))?;
        let number = |key: &str| header[key].as_u64().map(|n| n as usize).ok_or_else(|| bad(key));
        let text = |key: &str| header[key].as_str().ok_or_else(|| bad(key));

        let game = Game::read("table", text("game")?, &[]).map_err(|error| bad(&error.to_string()))?;
        let game =
            game.placement().filter(|game| PackedBoard::fits(game)).ok_or_else(|| bad("game"))?.clone();
        let settings = read_settings(&game, &header)?;
        let start = settings.from.map_or(PackedBoard::empty(&game), |board| PackedBoard::from_board(&board));
        let mirrored = header["mirrored"].as_bool().ok_or_else(|| bad("mirrored"))?;
        let supply = Supply::new(&game, settings.queue(), settings.hold, mirrored)
            .map_err(|_| bad("preview and hold"))?;
        if supply.mirror.is_some() != mirrored || number("contexts")? != supply.contexts.len() {
            return Err(bad("contexts"));
        }
        let (boards, stages) = (number("boards")?, number("stages")?);
        let cells = game.width() * game.height();
        let index_bytes =
            if cells <= MAX_BITMAP_CELLS { Some(16 * bitmap_words(cells)) } else { boards.checked_mul(8) };
        let nodes = boards.checked_mul(supply.contexts.len()).ok_or_else(|| bad("boards"))?;
        let reached_bytes = if supply.contexts.len() > 1 { 8 * nodes.div_ceil(64) } else { 0 };
        let layout = (|| {
            let reached = header_end.checked_add(index_bytes?)?;
            let values = reached.checked_add(reached_bytes)?;
            let end = values.checked_add(nodes.checked_mul(8)?.checked_mul(stages)?)?;
            Some(Layout { boards, index: header_end, reached, values, end })
        })()
        .ok_or_else(|| bad("boards"))?;
        if all.len() != layout.end.saturating_add(8) {
            return Err(short(layout.end.saturating_add(8)));
        }
        if checksum(&all[..layout.end]).to_le_bytes() != all[layout.end..] {
            return Err(TableError::Checksum);
        }
        let finished = Finished {
            value: header["value"].as_f64(),
            error_bound: header["error_bound"].as_f64().unwrap_or(f64::INFINITY),
            sweeps: number("sweeps")? as u64,
        };
        Ok(Table {
            rewards: rewards_of(&game, &settings),
            game,
            settings,
            finished,
            is_finished: header["finished"].as_bool().ok_or_else(|| bad("finished"))?,
            supply,
            start,
            stages,
            store: Store::File { bytes: Box::new(bytes), layout },
        })
    }

    /// The space of an unfinished table, if it is one of this game and these contexts.
    pub(crate) fn space<'game>(
        &self,
        game: &'game PlacementGame,
        supply: Supply,
        start: PackedBoard,
    ) -> Option<Space<'game>> {
        let same = self.game == *game
            && self.start == start
            && (self.stages == 1
                || self.stages > 1 && matches!(self.settings.objective, Objective::Horizon(_)))
            && self.supply.contexts.len() == supply.contexts.len()
            && self.supply.mirror.is_some() == supply.mirror.is_some();
        let Store::File { bytes, layout } = &self.store else { return None };
        let all = (**bytes).as_ref();
        if !same {
            return None;
        }
        let cells = game.width() * game.height();
        let index = if cells <= MAX_BITMAP_CELLS {
            let bitmap: Vec<u64> =
                (0..bitmap_words(cells)).map(|w| long(all, layout.index + 16 * w)).collect();
            number_boards(game, &supply, start, &bitmap)
        } else {
            BoardIndex::from_sorted((0..layout.boards).map(|n| long(all, layout.index + 8 * n)).collect())
        };
        let contexts = supply.contexts.len();
        let reached = (contexts > 1).then(|| {
            let bits = Bits::new(index.len() * contexts, false);
            for (place, number) in index.ascending().enumerate() {
                for context in 0..contexts {
                    let bit = place * contexts + context;
                    if long(all, layout.reached + 8 * (bit / 64)) >> (bit % 64) & 1 == 1 {
                        bits.insert(number * contexts + context);
                    }
                }
            }
            bits
        });
        Some(Space::known(game, supply, start, index, reached))
    }

    /// Whether the settings ask for what this table is about.
    pub(crate) fn answers(&self, settings: &SolveSettings) -> bool {
        let SolveSettings { objective, dealing, placing, preview, hold, view, reward, .. } = &self.settings;
        *objective == settings.objective
            && *dealing == settings.dealing
            && *placing == settings.placing
            && *preview == settings.preview
            && *hold == settings.hold
            && *view == settings.view
            && *reward == settings.reward
    }

    /// The values, stage by stage, in the numbering of a space with the same boards.
    pub(crate) fn node_values(&self, space: &Space<'_>) -> Vec<f64> {
        let contexts = space.contexts();
        let mut values = vec![0.0; self.stages * space.nodes()];
        if let Store::File { bytes, layout } = &self.store {
            let all = (**bytes).as_ref();
            for (stage, values) in values.chunks_mut(space.nodes()).enumerate() {
                let first = layout.values + 8 * stage * space.nodes();
                for (place, number) in space.index.ascending().enumerate() {
                    for context in 0..contexts {
                        let at = first + 8 * (place * contexts + context);
                        values[number * contexts + context] = f64::from_bits(long(all, at));
                    }
                }
            }
        }
        values
    }

    /// The hand of this table for what can be seen, which may be more than the table looks at.
    fn hand(&self, hand: &InHand<'_>) -> Option<u32> {
        if self.supply.queue() != self.settings.preview {
            // Solved for a dealer who names pieces that the player does not see: it deals, but does not play.
            return None;
        }
        let last = self.settings.preview;
        self.supply.find_hand(Some(*hand.states.get(last)?), hand.queue.get(..=last)?, hand.held)
    }

    /// The stage of the values that follow a placement.
    fn stage(&self, left: Option<u32>) -> usize {
        match self.settings.objective {
            Objective::Horizon(pieces) => {
                let left = left.unwrap_or(pieces).clamp(1, pieces.max(1)) as usize;
                (left - 1).min(self.stages.saturating_sub(1))
            }
            _ => 0,
        }
    }

    fn canonical(&self, board: PackedBoard) -> (PackedBoard, bool) {
        if self.supply.mirror.is_some() {
            let mirrored = board.mirrored(&self.game);
            if mirrored < board {
                return (mirrored, true);
            }
        }
        (board, false)
    }

    fn number(&self, board: PackedBoard) -> Option<usize> {
        match &self.store {
            Store::Memory { index, .. } => index.number(board).map(|number| number as usize),
            Store::File { bytes, layout } => {
                let all = (**bytes).as_ref();
                if self.game.width() * self.game.height() <= MAX_BITMAP_CELLS {
                    if board.0 >> (self.game.width() * self.game.height()) != 0 {
                        return None;
                    }
                    let at = layout.index + 16 * (board.0 >> 6) as usize;
                    let (bits, bit) = (long(all, at), board.0 & 63);
                    let before = (long(all, at + 8) & 0xffff_ffff) as usize;
                    (bits >> bit & 1 == 1).then(|| before + (bits & ((1 << bit) - 1)).count_ones() as usize)
                } else {
                    let key = |number: usize| long(all, layout.index + 8 * number);
                    let (mut low, mut high) = (0, layout.boards);
                    while low < high {
                        let middle = usize::midpoint(low, high);
                        if key(middle) < board.0 { low = middle + 1 } else { high = middle }
                    }
                    (low < layout.boards && key(low) == board.0).then_some(low)
                }
            }
        }
    }

    fn lookup(&self, stage: usize, board: PackedBoard, context: u32) -> Option<f64> {
        let (board, flipped) = self.canonical(board);
        let context = match &self.supply.mirror {
            Some(mirror) if flipped => mirror[context as usize],
            _ => context,
        };
        let contexts = self.supply.contexts.len();
        let node = self.number(board)? * contexts + context as usize;
        Some(match &self.store {
            Store::Memory { index, values, .. } => values[stage * index.len() * contexts + node],
            Store::File { bytes, layout } => {
                let at = layout.values + 8 * (stage * layout.boards * contexts + node);
                f64::from_bits(long((**bytes).as_ref(), at))
            }
        })
    }

    fn hand_values(&self, board: PackedBoard, hand: u32, left: Option<u32>) -> Option<Vec<PlacementValue>> {
        self.number(self.canonical(board).0)?;
        let moves = &self.supply.hands[hand as usize].moves;
        let values =
            moves.iter().enumerate().map(|(place, &number)| self.move_values(board, number, left, place > 0));
        Some(values.collect::<Vec<_>>().concat())
    }

    fn move_values(
        &self,
        board: PackedBoard,
        number: u32,
        left: Option<u32>,
        held: bool,
    ) -> Vec<PlacementValue> {
        let step = self.supply.moves[number as usize];
        let stage = self.stage(left);
        let discount = self.settings.objective.discount();
        let mut values = Vec::new();
        board.placements(&self.game, step.piece as usize, |placement| {
            let outcome = board.place_unchecked(&self.game, placement);
            let (fatal, lines) = (outcome.fatal, outcome.lines());
            let mut value = 0.0;
            if !fatal {
                let later = self.lookup(stage, outcome.board, step.next).unwrap_or(0.0);
                value = self.rewards[lines as usize] + discount * later;
                if let Some(reward) = self.settings.reward {
                    value += arrival_of(&self.game, reward, outcome.board);
                }
            }
            let points = if fatal { 0.0 } else { self.game.score().points(lines) };
            values.push(PlacementValue { placement, held, lines, points, fatal, value });
        });
        values
    }

    fn move_value(&self, board: PackedBoard, number: u32, left: Option<u32>) -> Option<f64> {
        let values = self.move_values(board, number, left, false);
        let alive = values.iter().filter(|value| !value.fatal);
        match self.settings.placing {
            Placing::Best => alive.map(|value| value.value).reduce(f64::max),
            Placing::Average => {
                let sum = alive.map(|value| value.value).reduce(|sum, value| sum + value)?;
                Some(sum / values.len() as f64)
            }
        }
    }

    fn put_aside_value(&self, board: PackedBoard, hand: u32, left: Option<u32>) -> Option<f64> {
        let moves = &self.supply.hands[hand as usize].put_aside;
        let values: Vec<(f64, Option<f64>)> = moves
            .iter()
            .map(|(probability, step)| (*probability, self.move_value(board, *step, left)))
            .collect();
        values.iter().any(|(_, value)| value.is_some()).then(|| {
            let deal = deal_of(self.settings.dealing);
            deal.combine(values.iter().map(|(probability, value)| (*probability, value.unwrap_or(0.0))))
        })
    }

    fn hand_value(&self, board: PackedBoard, hand: u32, left: Option<u32>) -> f64 {
        let moves = self.supply.hands[hand as usize].moves.iter();
        let best = moves.filter_map(|&step| self.move_value(board, step, left)).reduce(f64::max);
        [best, self.put_aside_value(board, hand, left)].into_iter().flatten().reduce(f64::max).unwrap_or(0.0)
    }
}

impl Policy for Table {
    fn place(&self, board: PackedBoard, hand: &InHand<'_>) -> Option<Placement> {
        match self.choose(board, hand)? {
            Choice::Place(placement) | Choice::PlaceHeld(placement) => Some(placement),
            Choice::PutAside => None,
        }
    }

    fn depends_on_time(&self) -> bool {
        self.stages > 1
    }
}

impl DealerPolicy for Table {
    fn deal(&self, board: PackedBoard, state: DealerState, queue: &[u8]) -> Option<u8> {
        let values = if queue.len() < self.queue() {
            let deal = deal_of(self.settings.dealing);
            let value = |context: u32| self.lookup(0, board, context).unwrap_or(0.0);
            self.supply.opening_values(queue, deal, &value)?
        } else {
            self.deal_values(board, state, queue, None, None)?
        };
        // Ties go to the first piece.
        let least = values.iter().map(|(_, value)| *value).reduce(f64::min)?;
        values.iter().find(|(_, value)| !is_more(*value, least)).map(|(piece, _)| *piece)
    }
}

/// The first of the best placements that do not end the game.
fn first_best(values: &[PlacementValue]) -> Option<&PlacementValue> {
    let most = values.iter().filter(|value| !value.fatal).map(|value| value.value).reduce(f64::max)?;
    values.iter().find(|value| !value.fatal && !is_more(most, value.value))
}

/// More by more than a tie.
fn is_more(a: f64, b: f64) -> bool {
    if a.is_infinite() || b.is_infinite() {
        return a > b;
    }
    a > b + TIE * a.abs().max(b.abs()).max(1.0)
}

fn long(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

fn checksum(bytes: &[u8]) -> u64 {
    let mut hasher = Xxh3Default::new();
    hasher.update(bytes);
    hasher.digest()
}

fn read_settings(game: &PlacementGame, header: &Value) -> Result<SolveSettings, TableError> {
    let text = |key: &str| header[key].as_str().ok_or_else(|| TableError::Header(key.to_owned()));
    fn parsed<T: std::str::FromStr>(key: &str, text: &str) -> Result<T, TableError> {
        text.parse().map_err(|_| TableError::Header(key.to_owned()))
    }
    let from = match header["from"].as_str() {
        None => None,
        Some(drawn) => {
            let board = Board::parse(game.width(), game.height(), drawn);
            Some(board.map_err(|error| TableError::Header(error.to_string()))?)
        }
    };
    Ok(SolveSettings {
        dealing: parsed("dealer", text("dealer")?)?,
        placing: parsed("placer", text("placer")?)?,
        view: parsed("view", text("view")?)?,
        preview: header["preview"]
            .as_u64()
            .filter(|k| *k < 64)
            .ok_or_else(|| TableError::Header("preview".into()))? as usize,
        hold: header["hold"].as_bool().unwrap_or(false),
        reward: header["reward"].as_str().map(|reward| parsed("reward", reward)).transpose()?,
        from,
        ..SolveSettings::new(parsed("objective", text("objective")?)?)
    })
}

/// A run as it stands, to be written to a file and gone on with later.
pub struct Snapshot<'a>(Contents<'a>);

impl<'a> Snapshot<'a> {
    pub(crate) fn new(
        settings: &'a SolveSettings,
        finished: Finished,
        space: &'a Space<'a>,
        values: &'a [f64],
    ) -> Snapshot<'a> {
        Snapshot(Contents {
            game: space.game,
            settings,
            finished,
            is_finished: false,
            index: &space.index,
            contexts: space.contexts(),
            mirrored: space.supply.mirror.is_some(),
            start: space.start,
            reached: space.reached(),
            values,
        })
    }

    /// How the run stands.
    pub fn finished(&self) -> Finished {
        self.0.finished
    }

    /// Writes an unfinished table.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.0.write(out)
    }
}

/// What goes into a file.
struct Contents<'a> {
    game: &'a PlacementGame,
    settings: &'a SolveSettings,
    finished: Finished,
    is_finished: bool,
    index: &'a BoardIndex,
    contexts: usize,
    mirrored: bool,
    start: PackedBoard,
    reached: Option<&'a Bits>,
    /// By stage and node.
    values: &'a [f64],
}

impl Contents<'_> {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let SolveSettings { objective, dealing, placing, preview, hold, view, reward, .. } = self.settings;
        let nodes = self.index.len() * self.contexts;
        let start =
            (self.start.0 != 0).then(|| self.start.to_board(self.game).to_string().replace('\n', "/"));
        let header = json!({
            "program": concat!("bellmino ", env!("CARGO_PKG_VERSION")),
            "game": self.game.to_toml(),
            "objective": objective.to_string(),
            "dealer": dealing.to_string(),
            "placer": placing.to_string(),
            "preview": preview,
            "hold": hold,
            "view": view.to_string(),
            "reward": reward.map(|reward| reward.to_string()),
            "from": start,
            "mirrored": self.mirrored,
            "boards": self.index.len(),
            "contexts": self.contexts,
            "stages": self.values.len() / nodes.max(1),
            "finished": self.is_finished,
            "value": self.finished.value,
            "error_bound": self.finished.error_bound,
            "sweeps": self.finished.sweeps,
        });
        let mut header = header.to_string().into_bytes();
        header.resize(header.len().next_multiple_of(8), b' ');
        let mut out = Summed { out, sum: Xxh3Default::new(), buffer: Vec::with_capacity(1 << 16) };
        out.put(MAGIC)?;
        out.put(&VERSION.to_le_bytes())?;
        out.put(&(header.len() as u32).to_le_bytes())?;
        out.put(&header)?;
        self.index.write(&mut |bytes| out.put(bytes))?;
        if let Some(reached) = self.reached {
            let mut word = 0u64;
            let mut count = 0;
            for number in self.index.ascending() {
                for context in 0..self.contexts {
                    word |= u64::from(reached.contains(number * self.contexts + context)) << (count % 64);
                    count += 1;
                    if count % 64 == 0 {
                        out.put(&std::mem::take(&mut word).to_le_bytes())?;
                    }
                }
            }
            if count % 64 != 0 {
                out.put(&word.to_le_bytes())?;
            }
        }
        for stage in self.values.chunks(nodes.max(1)) {
            for number in self.index.ascending() {
                for value in &stage[number * self.contexts..(number + 1) * self.contexts] {
                    out.put(&value.to_le_bytes())?;
                }
            }
        }
        out.finish()
    }
}

/// A writer that sums what it writes.
struct Summed<'a> {
    out: &'a mut dyn Write,
    sum: Xxh3Default,
    buffer: Vec<u8>,
}

impl Summed<'_> {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= 1 << 16 { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sum.update(&self.buffer);
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    fn finish(mut self) -> io::Result<()> {
        self.flush()?;
        self.out.write_all(&self.sum.digest().to_le_bytes())
    }
}
