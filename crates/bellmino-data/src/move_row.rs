//! The table `moves`: one row for each placement.

use bellmino_engine::guideline::{ClearKind, Orientation, Spin};
use serde::{Deserialize, Serialize};

use crate::column::{Family, Kind, TableCell, TableColumn};
use crate::style::{BoardShape, TUse};

/// One placement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MoveRow {
    /// The game's number in the file; given when it is written.
    pub game_id: u64,
    /// Which placement of the game, from 1.
    pub number: u64,
    /// The piece, by its number in a list of names.
    pub piece: u16,
    /// The rotation in placement games.
    pub rotation: Option<u8>,
    /// The leftmost column of the piece.
    pub column: u8,
    /// The lowest row of the piece.
    pub row: u8,
    /// Rows cleared.
    pub lines: u8,
    /// Points, without those for drops.
    pub points: f64,
    /// Whether another piece went into hold for it.
    pub held: bool,
    /// Whether it ended the game.
    pub fatal: bool,
    /// The board after it.
    pub shape: BoardShape,
    /// What only guideline games have.
    pub guideline: Option<GuidelineMove>,
}

/// What only placements in guideline games have.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GuidelineMove {
    /// Which way the piece faces.
    pub orientation: Orientation,
    /// How it was turned in.
    pub spin: Spin,
    /// The kind of clear.
    pub clear: Option<ClearKind>,
    /// Whether the points were raised for back-to-back.
    pub back_to_back: bool,
    /// Difficult clears without an easy one between them, so far.
    pub back_to_back_run: u32,
    /// Placements in a row that cleared rows, this one included.
    pub combo: u32,
    /// Whether the board was emptied.
    pub perfect: bool,
    /// What became of a T.
    pub t_use: Option<TUse>,
    /// The column of the centre of a T that was spun in and cleared rows.
    pub slot_column: Option<u8>,
    /// Such T's in a row with the same slot column, this one included.
    pub slot_run: Option<u32>,
    /// T-spins with rows that the board after it has to offer.
    pub t_slots: u8,
    /// Points for drops.
    pub drop_points: u32,
    /// Key presses that were made.
    pub keys: Option<u32>,
    /// The fewest key presses for it.
    pub fewest_keys: Option<u32>,
    /// How long a person took.
    pub milliseconds: Option<u64>,
}

impl GuidelineMove {
    /// Key presses beyond the fewest; 0 if a key held over from the piece before, or a piece that locked by itself, saved
    /// some.
    pub fn extra_keys(&self) -> Option<u32> {
        Some(self.keys?.saturating_sub(self.fewest_keys?))
    }
}

impl MoveRow {
    fn of_guideline<'a>(&self, value: impl FnOnce(&GuidelineMove) -> TableCell<'a>) -> TableCell<'a> {
        self.guideline.as_ref().map_or(TableCell::Null, value)
    }
}

const fn column(
    name: &'static str,
    kind: Kind,
    family: Family,
    meaning: &'static str,
    value: for<'a> fn(&'a MoveRow, &'a [String]) -> TableCell<'a>,
) -> TableColumn<MoveRow> {
    TableColumn { name, kind, family, meaning, value }
}

/// The columns of `moves`, in order.
pub static MOVES: &[TableColumn<MoveRow>] = &[
    column("game_id", Kind::Long, Family::All, "The game, as in `games`", |row, _| {
        TableCell::int(row.game_id)
    }),
    column("move", Kind::Long, Family::All, "Which placement of the game, from 1", |row, _| {
        TableCell::int(row.number)
    }),
    column("piece", Kind::Text, Family::All, "The piece", |row, names| {
        TableCell::text(names.get(row.piece as usize).map(String::as_str))
    }),
    column(
        "rotation",
        Kind::Int,
        Family::Placement,
        "Which of the piece's distinct rotations, from 0",
        |row, _| TableCell::maybe(row.rotation),
    ),
    column(
        "orientation",
        Kind::Text,
        Family::Guideline,
        "Which way the piece faces: `north`, `east`, `south` or `west`",
        |row, _| row.of_guideline(|at| TableCell::Text(at.orientation.name())),
    ),
    column("column", Kind::Int, Family::All, "Leftmost column of the piece, from 0", |row, _| {
        TableCell::int(row.column)
    }),
    column(
        "row",
        Kind::Int,
        Family::All,
        "Lowest row of the piece before the clear, from 0 at the bottom",
        |row, _| TableCell::int(row.row),
    ),
    column("held", Kind::Bool, Family::All, "Whether another piece went into hold for it", |row, _| {
        TableCell::Bool(row.held)
    }),
    column("lines", Kind::Int, Family::All, "Rows cleared", |row, _| TableCell::int(row.lines)),
    column("points", Kind::Real, Family::All, "Points, without those for drops", |row, _| {
        TableCell::Real(row.points)
    }),
    column(
        "fatal",
        Kind::Bool,
        Family::All,
        "Whether something stayed above the top, which ends the game",
        |row, _| TableCell::Bool(row.fatal),
    ),
    column(
        "max_height",
        Kind::Int,
        Family::All,
        "Height of the highest column after it, in rows",
        |row, _| TableCell::int(row.shape.max_height),
    ),
    column(
        "holes",
        Kind::Int,
        Family::All,
        "Empty cells with a filled cell above in their column",
        |row, _| TableCell::int(row.shape.holes),
    ),
    column("overhangs", Kind::Int, Family::All, "Filled cells with an empty cell just below", |row, _| {
        TableCell::int(row.shape.overhangs)
    }),
    column(
        "bumpiness",
        Kind::Int,
        Family::All,
        "Sum of the height differences of neighbouring columns, in rows",
        |row, _| TableCell::int(row.shape.bumpiness),
    ),
    column("filled_cells", Kind::Int, Family::All, "Filled cells", |row, _| {
        TableCell::int(row.shape.filled_cells)
    }),
    column(
        "well_column",
        Kind::Int,
        Family::All,
        "Column of the well, from 0; null without a well",
        |row, _| TableCell::maybe(row.shape.well.map(|well| well.column)),
    ),
    column(
        "well_depth",
        Kind::Int,
        Family::All,
        "Depth of the well, in rows; null without a well",
        |row, _| TableCell::maybe(row.shape.well.map(|well| well.depth)),
    ),
    column(
        "ready_rows",
        Kind::Int,
        Family::All,
        "Rows that lack only their cell in the well; null without a well",
        |row, _| TableCell::maybe(row.shape.well.map(|well| well.ready_rows)),
    ),
    column(
        "pattern",
        Kind::Text,
        Family::All,
        "Columns left and right of the well, such as `6-3`; null without a well",
        |row, _| TableCell::text(row.shape.pattern()),
    ),
    column(
        "spin",
        Kind::Text,
        Family::Guideline,
        "How it was turned in: `none`, `mini` or `full`",
        |row, _| row.of_guideline(|at| TableCell::Text(at.spin.name())),
    ),
    column(
        "clear",
        Kind::Text,
        Family::Guideline,
        "Kind of clear or spin, as in `evaluate --json`; null if it was neither",
        |row, _| row.of_guideline(|at| TableCell::text(at.clear.map(ClearKind::name))),
    ),
    column(
        "back_to_back",
        Kind::Bool,
        Family::Guideline,
        "Whether the points were raised for back-to-back",
        |row, _| row.of_guideline(|at| TableCell::Bool(at.back_to_back)),
    ),
    column(
        "back_to_back_run",
        Kind::Int,
        Family::Guideline,
        "Tetrises and T-spins with rows so far without another clear between them",
        |row, _| row.of_guideline(|at| TableCell::int(at.back_to_back_run)),
    ),
    column(
        "combo",
        Kind::Int,
        Family::Guideline,
        "Placements in a row that cleared rows, this one included",
        |row, _| row.of_guideline(|at| TableCell::int(at.combo)),
    ),
    column("perfect_clear", Kind::Bool, Family::Guideline, "Whether it emptied the board", |row, _| {
        row.of_guideline(|at| TableCell::Bool(at.perfect))
    }),
    column(
        "t_use",
        Kind::Text,
        Family::Guideline,
        "What became of a T: `spin_triple`, `spin_double`, `spin_single`, `spin`, `mini`, `plain` or `wasted`; null for other pieces",
        |row, _| row.of_guideline(|at| TableCell::text(at.t_use.map(TUse::name))),
    ),
    column(
        "slot_column",
        Kind::Int,
        Family::Guideline,
        "Column of the centre of a T that was spun in and cleared rows, from 0",
        |row, _| row.of_guideline(|at| TableCell::maybe(at.slot_column)),
    ),
    column(
        "slot_run",
        Kind::Int,
        Family::Guideline,
        "T-spins with rows one after the other in this slot column, this one included",
        |row, _| row.of_guideline(|at| TableCell::maybe(at.slot_run)),
    ),
    column(
        "t_slots",
        Kind::Int,
        Family::Guideline,
        "Places of the centre where a T would be a T-spin with rows on the board after it",
        |row, _| row.of_guideline(|at| TableCell::int(at.t_slots)),
    ),
    column(
        "drop_points",
        Kind::Int,
        Family::Guideline,
        "Points for its drop, no part of `points`",
        |row, _| row.of_guideline(|at| TableCell::int(at.drop_points)),
    ),
    column(
        "keys",
        Kind::Int,
        Family::Guideline,
        "Key presses, hold and hard drop included; of players other than people the fewest",
        |row, _| row.of_guideline(|at| TableCell::maybe(at.keys)),
    ),
    column(
        "fewest_keys",
        Kind::Int,
        Family::Guideline,
        "The fewest key presses that lead there",
        |row, _| row.of_guideline(|at| TableCell::maybe(at.fewest_keys)),
    ),
    column(
        "extra_keys",
        Kind::Int,
        Family::Guideline,
        "Key presses beyond the fewest: 0 is perfect finesse",
        |row, _| row.of_guideline(|at| TableCell::maybe(at.extra_keys())),
    ),
    column(
        "milliseconds",
        Kind::Long,
        Family::People,
        "Time from the lock of the piece before to its own",
        |row, _| row.of_guideline(|at| TableCell::maybe(at.milliseconds)),
    ),
];
