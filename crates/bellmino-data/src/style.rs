//! Style of play: what a board looks like, and what became of each T. `docs/DATA.md` has the definitions.

use std::sync::OnceLock;

use bellmino_engine::guideline::{self, Clear, Kicks, Piece, Placement, Spin, moves};
use bellmino_engine::placement;
use serde::{Deserialize, Serialize};

/// The least depth of a well: only an I fills it without leaving a hole.
pub const WELL_DEPTH: usize = 3;

/// What a board looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoardShape {
    /// Columns of the board.
    pub width: u8,
    /// Height of the highest column.
    pub max_height: u8,
    /// Empty cells with a filled cell above in their column.
    pub holes: u16,
    /// Filled cells with an empty cell just below.
    pub overhangs: u16,
    /// Sum of the height differences of neighbouring columns.
    pub bumpiness: u16,
    /// Filled cells.
    pub filled_cells: u16,
    /// The well, if there is one.
    pub well: Option<Well>,
}

/// A column that is at least [`WELL_DEPTH`] lower than its neighbours; a wall is higher than any column.
///
/// ```text
/// ######.###
/// ######.###    column 6, depth 3, pattern 6-3; two of its rows are ready
/// #.####.###
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Well {
    /// Which column.
    pub column: u8,
    /// How much lower it is than the lower one of its neighbours.
    pub depth: u8,
    /// Rows of which only the cell in the well is empty, above what lies in the well.
    pub ready_rows: u8,
}

/// What became of a T.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum TUse {
    /// A T-spin with three rows.
    SpinTriple,
    /// A T-spin with two rows.
    SpinDouble,
    /// A T-spin with one row.
    SpinSingle,
    /// A T-spin without rows.
    Spin,
    /// A mini T-spin.
    Mini,
    /// No spin, and none that would have cleared rows was to be had.
    Plain,
    /// No spin, though one that clears rows was to be had.
    Wasted,
}

impl BoardShape {
    /// What a board of a guideline game looks like.
    pub fn of_guideline(board: &guideline::Board) -> BoardShape {
        let columns = board.columns().map(|column| column.bits().reverse_bits());
        BoardShape::of_columns(&columns)
    }

    /// What a board of a placement game looks like.
    pub fn of_placement(board: &placement::Board) -> BoardShape {
        let mut columns = [0; placement::MAX_WIDTH];
        for (x, column) in columns.iter_mut().enumerate().take(board.width()) {
            *column = board.column(x);
        }
        BoardShape::of_columns(&columns[..board.width()])
    }

    /// Columns as bits, row 0 in bit 0.
    fn of_columns(columns: &[u64]) -> BoardShape {
        let mut shape = BoardShape { width: columns.len() as u8, ..BoardShape::default() };
        let mut before = None;
        for &column in columns {
            let height = height(column);
            let filled = column.count_ones();
            shape.max_height = shape.max_height.max(height as u8);
            shape.filled_cells += filled as u16;
            shape.holes += (height - filled) as u16;
            shape.overhangs += (column & !(column << 1 | 1)).count_ones() as u16;
            shape.bumpiness += before.map_or(0, |before| height.abs_diff(before)) as u16;
            before = Some(height);
        }
        shape.well = Well::of_columns(columns);
        shape
    }

    /// Columns left and right of the well.
    pub fn pattern(&self) -> Option<&'static str> {
        let column = usize::from(self.well?.column);
        let right = usize::from(self.width).checked_sub(column + 1)?;
        pattern(column, right)
    }
}

impl Well {
    /// The deepest well, the leftmost of equals.
    fn of_columns(columns: &[u64]) -> Option<Well> {
        let mut deepest: Option<(usize, u32)> = None;
        for x in 0..columns.len() {
            let left = x.checked_sub(1).map(|left| height(columns[left]));
            let right = columns.get(x + 1).map(|&right| height(right));
            // A board of one column has walls only, and no depth.
            let Some(rim) = left.into_iter().chain(right).min() else { continue };
            let depth = rim.saturating_sub(height(columns[x]));
            if depth >= WELL_DEPTH as u32 && deepest.is_none_or(|(_, known)| depth > known) {
                deepest = Some((x, depth));
            }
        }
        let (column, depth) = deepest?;
        let others = columns.iter().enumerate().filter(|(x, _)| *x != column);
        let full = others.fold(u64::MAX, |full, (_, column)| full & column);
        let ready = full >> height(columns[column]);
        Some(Well { column: column as u8, depth: depth as u8, ready_rows: ready.count_ones() as u8 })
    }
}

impl TUse {
    /// All uses, the best first.
    pub const ALL: [TUse; 7] = [
        TUse::SpinTriple,
        TUse::SpinDouble,
        TUse::SpinSingle,
        TUse::Spin,
        TUse::Mini,
        TUse::Plain,
        TUse::Wasted,
    ];

    /// What became of a piece, if it is a T; `slots` are the T-spins with rows the board before had to offer.
    pub fn of(placement: &Placement, clear: &Clear, slots: usize) -> Option<TUse> {
        (placement.piece == Piece::T).then_some(match (clear.spin, clear.lines) {
            (Spin::Full, 0) => TUse::Spin,
            (Spin::Full, 1) => TUse::SpinSingle,
            (Spin::Full, 2) => TUse::SpinDouble,
            (Spin::Full, _) => TUse::SpinTriple,
            (Spin::Mini, _) => TUse::Mini,
            (Spin::None, _) if slots > 0 => TUse::Wasted,
            (Spin::None, _) => TUse::Plain,
        })
    }

    /// The name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            TUse::SpinTriple => "spin_triple",
            TUse::SpinDouble => "spin_double",
            TUse::SpinSingle => "spin_single",
            TUse::Spin => "spin",
            TUse::Mini => "mini",
            TUse::Plain => "plain",
            TUse::Wasted => "wasted",
        }
    }
}

/// Places for the centre of a T where it would be a full T-spin that clears rows.
///
/// ```text
/// .....##...
/// ###...####    one, in column 4: the T faces down under the overhang
/// ####.#####
/// ```
pub fn t_slots(board: &guideline::Board, kicks: Kicks) -> usize {
    let is_slot = |at: &Placement| {
        let mut after = *board;
        at.spin == Spin::Full && after.place_unchecked(at).lines > 0
    };
    let mut slots: Vec<(i8, i8)> = moves::placements(board, Piece::T, kicks)
        .iter()
        .filter(|at| is_slot(at))
        .map(|at| (at.x, at.y))
        .collect();
    slots.sort_unstable();
    slots.dedup();
    slots.len()
}

fn height(column: u64) -> u32 {
    u64::BITS - column.leading_zeros()
}

/// The text of a pattern, by the columns left and right of the well.
fn pattern(left: usize, right: usize) -> Option<&'static str> {
    static TEXTS: OnceLock<Vec<String>> = OnceLock::new();
    const SIDES: usize = placement::MAX_WIDTH;
    let make = || (0..SIDES * SIDES).map(|i| format!("{}-{}", i / SIDES, i % SIDES)).collect();
    (right < SIDES).then(|| TEXTS.get_or_init(make).get(left * SIDES + right).map(String::as_str)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(text: &str) -> BoardShape {
        BoardShape::of_guideline(&text.parse().unwrap())
    }

    fn well(text: &str) -> Option<(u8, u8, u8, &'static str)> {
        let shape = shape(text);
        let well = shape.well?;
        Some((well.column, well.depth, well.ready_rows, shape.pattern()?))
    }

    #[test]
    fn wells_and_patterns() {
        assert_eq!(well(".........."), None);
        assert_eq!(well("######.###\n######.###\n#.####.###"), Some((6, 3, 2, "6-3")));
        assert_eq!(well("######.###\n######.###"), None, "an L or a J fills it too");
        assert_eq!(well(&"#########.\n".repeat(4)), Some((9, 4, 4, "9-0")), "a wall is high");
        assert_eq!(well(&".#########\n".repeat(4)), Some((0, 4, 4, "0-9")));
        // The lower neighbour counts.
        assert_eq!(well("...#......\n.###.#####\n.###.#####\n####.#####"), Some((4, 3, 1, "4-5")));
        // Of two equal ones the left, of others the deeper.
        assert_eq!(well(&"#.####.###\n".repeat(3)), Some((1, 3, 0, "1-8")));
        let deeper = "######.###\n#.####.###\n#.####.###\n#.####.###";
        assert_eq!(well(deeper).map(|well| well.0), Some(6));
        // What lies in the well is its ground; a row below it is not ready.
        let ground = "######.###\n######.###\n######.###\n.....##...\n######.###";
        assert_eq!(well(ground), Some((6, 3, 3, "6-3")));
    }

    #[test]
    fn wells_of_boards_of_any_width() {
        let board = placement::Board::parse(4, 4, "#.## / #.## / #.##").unwrap();
        let shape = BoardShape::of_placement(&board);
        assert_eq!((shape.well.map(|well| well.column), shape.pattern()), (Some(1), Some("1-2")));
        let narrow = placement::Board::new(1, 4);
        assert_eq!(BoardShape::of_placement(&narrow).well, None);
    }

    #[test]
    fn holes_overhangs_and_bumps() {
        let shape = shape("##........\n.#.#......\n.##.......\n#..#......");
        assert_eq!((shape.max_height, shape.filled_cells), (4, 8));
        // Column 0: two empty cells below its top; 1: one; 2: one; 3: one.
        assert_eq!(shape.holes, 5);
        assert_eq!(shape.overhangs, 4);
        assert_eq!(shape.bumpiness, 2 + 1 + 3);
    }

    #[test]
    fn slots_are_t_spins_with_rows() {
        let count = |text: &str| t_slots(&text.parse().unwrap(), Kicks::Srs);
        assert_eq!(count(".........."), 0);
        assert_eq!(count(".....##...\n###...####\n####.#####"), 1);
        assert_eq!(count("###...####\n####.#####"), 0, "no overhang, no spin");
        assert_eq!(count(".....##...\n.##...####\n.###.#####"), 0, "no row is cleared");
        assert_eq!(count(".##..##...\n#...#...##\n##.###.###"), 0, "a row has two gaps");
    }

    #[test]
    fn what_becomes_of_a_t() {
        let check = |board: &str, at: &str, expected: Option<TUse>| {
            let mut board: guideline::Board = board.parse().unwrap();
            let slots = t_slots(&board, Kicks::Srs);
            let at: Placement = at.parse().unwrap();
            let lines = board.place(&at).unwrap().lines;
            let clear = Clear { lines, spin: at.spin, ..Clear::default() };
            assert_eq!(TUse::of(&at, &clear, slots), expected, "{at}");
        };
        let slot = ".....##...\n###...####\n####.#####";
        check(slot, "T south 4,1 full", Some(TUse::SpinDouble));
        check(slot, "T north 1,2", Some(TUse::Wasted));
        check("..........", "T north 1,0", Some(TUse::Plain));
        check("..........", "O north 1,0", None);
        check(".....##...\n###...####\n.###.#####", "T south 4,1 full", Some(TUse::SpinSingle));
        check(".....##...\n.##...####\n.###.#####", "T south 4,1 full", Some(TUse::Spin));
        check(".....##...\n.##...####\n.###.#####", "T south 4,1 mini", Some(TUse::Mini));
    }
}
