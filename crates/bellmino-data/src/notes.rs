//! Notes of one game, taken as it is played: the rows of its moves, and what they sum up to.

use bellmino_engine::guideline::{self, Clear, Kicks, Placement, Spin, Stats};
use bellmino_engine::placement::{self, Grid};
use bellmino_engine::{AnyMatch, Outcome, Totals};

use crate::game_row::{GameHead, GameRow, KeyCount};
use crate::move_row::{GuidelineMove, MoveRow};
use crate::style::{BoardShape, TUse, t_slots};

/// A match of which notes can be taken.
pub trait Noted: AnyMatch {
    /// The names of its pieces, in the order of [`MoveRow::piece`].
    fn piece_names(&self) -> Vec<String>;

    /// The counts of a guideline game.
    fn guideline_stats(&self) -> Option<Stats>;

    /// Notes a move that was just made in this match.
    fn note(&self, notes: &mut Notes, made: &Made<'_, Self>);
}

/// A move that was just made.
#[derive(Clone, Copy, Debug)]
pub struct Made<'a, M: AnyMatch> {
    /// Where the piece was put.
    pub placement: &'a M::Placement,
    /// Whether another piece went into hold for it.
    pub held: bool,
    /// What was cleared and scored.
    pub clear: &'a M::Clear,
    /// The board before.
    pub before: &'a M::Board,
}

/// What a person did with the keys to place a piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByHand {
    /// Key presses.
    pub keys: u32,
    /// Time since the piece before was placed.
    pub milliseconds: u64,
}

/// The notes of one game.
///
/// ```
/// use bellmino_data::{GameHead, Made, Noted, Notes};
/// use bellmino_engine::guideline::{Match, Rules};
///
/// let mut game = Match::new(Rules::SPRINT, 1);
/// let mut notes = Notes::default();
/// let (before, placement) = (game.position().board, game.placements()[0]);
/// let clear = game.play(&placement).unwrap();
/// game.note(&mut notes, &Made { placement: &placement, held: false, clear: &clear, before: &before });
/// assert_eq!(notes.rows()[0].number, 1);
/// let row = notes.finish(GameHead::default(), &game, game.outcome());
/// assert_eq!(row.totals.pieces, 1);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Notes {
    rows: Vec<MoveRow>,
    moves: u64,
    /// T-spins with rows that the board has to offer; `None` before the first move.
    slots: Option<usize>,
    back_to_back_run: u32,
    /// The slot column of the last T's, and how many of them.
    slot: Option<(u8, u32)>,
    drop_points: u64,
    keys: KeyCount,
    by_hand: Option<u64>,
}

impl Notes {
    /// The rows of the moves since they were last taken.
    pub fn rows(&self) -> &[MoveRow] {
        &self.rows
    }

    /// Takes the rows, so that notes of a long game need not be kept whole.
    pub fn take_rows(&mut self) -> Vec<MoveRow> {
        std::mem::take(&mut self.rows)
    }

    /// The row of the game.
    pub fn finish<M: Noted>(&self, head: GameHead, game: &M, outcome: Option<Outcome>) -> GameRow {
        self.finish_with(head, game.totals(), outcome, game.guideline_stats())
    }

    /// The same from the counts alone.
    pub fn finish_with(
        &self,
        head: GameHead,
        totals: Totals,
        outcome: Option<Outcome>,
        guideline: Option<Stats>,
    ) -> GameRow {
        GameRow {
            game_id: 0,
            head,
            totals,
            outcome,
            guideline,
            keys: guideline.map(|_| self.keys),
            milliseconds: self.by_hand,
        }
    }

    /// Notes a placement of a guideline game; `drop_points` are those of the game so far, and `by_hand` what a person did
    /// for it.
    pub fn guideline(
        &mut self,
        kicks: Kicks,
        made: &Made<'_, guideline::Match>,
        after: &guideline::Board,
        drop_points: u64,
        by_hand: Option<ByHand>,
    ) {
        let Made { placement, held, clear, before } = made;
        let slots_before = self.slots.unwrap_or_else(|| t_slots(before, kicks));
        let slots = t_slots(after, kicks);
        let t_use = TUse::of(placement, clear, slots_before);
        let slot_column = self.count_slot(placement, clear);
        self.count_back_to_back(clear);
        let fewest = guideline::fewest_keys(before, placement, kicks);
        let fewest_keys = fewest.map(|keys| keys + u32::from(*held));
        let keys = by_hand.map(|by_hand| by_hand.keys).or(fewest_keys);
        let at = GuidelineMove {
            orientation: placement.orientation,
            spin: placement.spin,
            clear: clear.kind(),
            back_to_back: clear.back_to_back,
            back_to_back_run: self.back_to_back_run,
            combo: clear.combo,
            perfect: clear.perfect,
            t_use,
            slot_column,
            slot_run: slot_column.and(self.slot).map(|(_, run)| run),
            t_slots: slots.min(255) as u8,
            drop_points: (drop_points - self.drop_points) as u32,
            keys,
            fewest_keys,
            milliseconds: by_hand.map(|by_hand| by_hand.milliseconds),
        };
        self.slots = Some(slots);
        self.drop_points = drop_points;
        self.keys.made += u64::from(keys.unwrap_or(0));
        self.keys.fewest += u64::from(fewest_keys.unwrap_or(0));
        self.keys.extra += u64::from(at.extra_keys().unwrap_or(0));
        if let Some(by_hand) = by_hand {
            *self.by_hand.get_or_insert(0) += by_hand.milliseconds;
        }
        let cells = placement.cells();
        self.push(MoveRow {
            piece: placement.piece as u16,
            column: cells.iter().map(|cell| cell.0).min().unwrap_or(0) as u8,
            row: cells.iter().map(|cell| cell.1).min().unwrap_or(0) as u8,
            lines: clear.lines,
            points: f64::from(clear.points),
            held: *held,
            shape: BoardShape::of_guideline(after),
            guideline: Some(at),
            ..MoveRow::default()
        });
    }

    /// The time a person's game went on after its last placement.
    pub fn end_by_hand(&mut self, milliseconds: u64) {
        *self.by_hand.get_or_insert(0) += milliseconds;
    }

    fn push(&mut self, row: MoveRow) {
        self.moves += 1;
        self.rows.push(MoveRow { number: self.moves, ..row });
    }

    /// The column of a T that is spun in and clears rows; any other T ends the run of its slot.
    fn count_slot(&mut self, placement: &Placement, clear: &Clear) -> Option<u8> {
        if placement.piece != guideline::Piece::T {
            return None;
        }
        let column = (clear.spin == Spin::Full && clear.lines > 0).then_some(placement.x as u8);
        self.slot = column.map(|column| match self.slot {
            Some((known, run)) if known == column => (column, run + 1),
            _ => (column, 1),
        });
        column
    }

    fn count_back_to_back(&mut self, clear: &Clear) {
        if clear.lines > 0 {
            self.back_to_back_run = if clear.is_difficult() { self.back_to_back_run + 1 } else { 0 };
        }
    }
}

impl<G: Grid> Noted for placement::Match<G> {
    fn piece_names(&self) -> Vec<String> {
        self.game().pieces().iter().map(|piece| piece.name().to_owned()).collect()
    }

    fn guideline_stats(&self) -> Option<Stats> {
        None
    }

    fn note(&self, notes: &mut Notes, made: &Made<'_, Self>) {
        let Made { placement, held, clear, .. } = made;
        notes.push(MoveRow {
            piece: u16::from(placement.piece),
            rotation: Some(placement.rotation),
            column: placement.column,
            row: placement.row,
            lines: clear.lines as u8,
            points: clear.points,
            held: *held,
            fatal: clear.fatal,
            shape: BoardShape::of_placement(&self.board().to_board(self.game())),
            ..MoveRow::default()
        });
    }
}

impl Noted for guideline::Match {
    fn piece_names(&self) -> Vec<String> {
        guideline::Piece::ALL.iter().map(ToString::to_string).collect()
    }

    fn guideline_stats(&self) -> Option<Stats> {
        Some(*self.stats())
    }

    fn note(&self, notes: &mut Notes, made: &Made<'_, Self>) {
        notes.guideline(self.rules().kicks, made, self.board(), self.stats().drop_points, None);
    }
}
