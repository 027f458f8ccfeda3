//! Features: numbers that say something about an afterstate.

use std::fmt;
use std::str::FromStr;

use bellmino_engine::PlacementGame;
use bellmino_engine::guideline::ClearKind;
use bellmino_engine::placement::{Board, MAX_WIDTH, Placement};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A number that says something about an afterstate, the board after a placement and its row clears.
///
/// Every feature is an integer count of some [`unit`](Feature::unit), so that sums are exact whatever their order.
/// `docs/FEATURES.md` draws an example of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Feature {
    /// Lowest row of the piece + (its height - 1) / 2, before the clear.
    LandingHeight,
    /// Rows cleared times cells of the placed piece in them.
    ErodedCells,
    /// Filled/empty changes along each row, walls filled.
    RowTransitions,
    /// Filled/empty changes along each column, floor filled, above empty.
    ColumnTransitions,
    /// Empty cells with a filled cell somewhere above in the column.
    Holes,
    /// Over all well cells (empty, both neighbours filled, walls filled): 1 + consecutive empty cells right below.
    CumulativeWells,
    /// Filled cells in the unbroken run right above each hole.
    HoleDepth,
    /// Rows with at least one hole.
    RowsWithHoles,
    /// How many of the values -2..=2 occur among the differences of neighbouring heights.
    PatternDiversity,
    /// Sum of the column heights.
    AggregateHeight,
    /// Rows cleared by the placement.
    Lines,
    /// Points of the placement.
    Points,
    /// Sum of the absolute differences of neighbouring heights.
    Bumpiness,
    /// Height of one column.
    Height(u8),
    /// Absolute difference of the heights of a column and the next one.
    Difference(u8),
    /// Height of the next column minus the height of this one.
    Contour(u8),
    /// Height of the highest column.
    MaxHeight,
    /// Height of the lowest column.
    MinHeight,
    /// Mean of the column heights.
    MeanHeight,
    /// Always 1.
    Constant,
    /// Radial function of the mean height: exp(-(mean - i h/4)^2 / (2 (h/5)^2)), h the height of the board.
    Radial(u8),
    /// How many neighbouring heights differ by exactly this much, up or down; 7 counts seven and more.
    Steps(u8),
    /// Seed 004's landing height: the height, after the move, of the leftmost column the piece was put into.
    ReportLanding,
    /// Seed 004's piece contribution: that column's height before + height of the piece - its height after.
    ReportContribution,
    /// Row transitions over rows that are not empty.
    ReportRowTransitions,
    /// Column transitions over columns that are not empty.
    ReportColumnTransitions,
    /// Over all columns 1 + 2 + ... + d, d the depth below the lower neighbour (at the wall: below the one neighbour).
    ReportWells,
    /// How far a column lies below its lower neighbour; walls are high.
    Well(u8),
    /// 1 for a clear of this kind. This and all below are of guideline games only.
    Clear(ClearKind),
    /// 1 if the clear empties the board.
    PerfectClear,
    /// 1 if the clear is raised for back-to-back.
    BackToBack,
    /// 1 if an easy clear ends back-to-back.
    BackToBackLost,
    /// Clears in a row before this one, if it clears.
    Combo,
    /// 1 if a T is placed without a T-spin that clears rows.
    WastedT,
    /// Places where a T can be turned in under an overhang, facing down.
    TSlots,
    /// Key presses to the placement, hold and hard drop included.
    Keys,
}

/// A placement and what it led to: all a feature may look at.
#[derive(Clone, Copy, Debug)]
pub struct Afterstate<'a> {
    /// The game played.
    pub game: &'a PlacementGame,
    /// The board before the placement.
    pub before: &'a Board,
    /// The board after the placement and its row clears.
    pub after: &'a Board,
    /// The placement.
    pub placement: Placement,
    /// Bit `i` is set when the row `i` above the placement's lowest row was cleared.
    pub cleared: u8,
}

/// Why a text names no feature, or a feature does not fit a game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FeatureError {
    /// No such feature.
    #[error("`{0}` is no feature; {1}")]
    Unknown(String, String),
    /// The feature looks at a column that the board does not have.
    #[error("`{feature}` does not fit a board {width} wide")]
    NoSuchColumn {
        /// The feature.
        feature: Feature,
        /// Columns of the board.
        width: usize,
    },
    /// The feature looks at what placement games do not have.
    #[error("`{0}` is a feature of guideline games")]
    OfGuideline(Feature),
}

/// How many radial functions there are.
const RADIAL: u8 = 5;
/// Radial functions are rounded to multiples of 1 / this.
const RADIAL_STEPS: f64 = 65536.0;

/// Points that are not whole numbers are rounded to multiples of 1 / this of the most there are.
const POINT_STEPS: f64 = 1_048_576.0;

/// How many sizes of steps are told apart.
const STEPS: u8 = 8;

/// The features without an index and their names.
pub(crate) const PLAIN: [(&str, Feature); 40] = [
    ("landing-height", Feature::LandingHeight),
    ("eroded-cells", Feature::ErodedCells),
    ("row-transitions", Feature::RowTransitions),
    ("column-transitions", Feature::ColumnTransitions),
    ("holes", Feature::Holes),
    ("cumulative-wells", Feature::CumulativeWells),
    ("hole-depth", Feature::HoleDepth),
    ("rows-with-holes", Feature::RowsWithHoles),
    ("pattern-diversity", Feature::PatternDiversity),
    ("aggregate-height", Feature::AggregateHeight),
    ("lines", Feature::Lines),
    ("points", Feature::Points),
    ("bumpiness", Feature::Bumpiness),
    ("max-height", Feature::MaxHeight),
    ("min-height", Feature::MinHeight),
    ("mean-height", Feature::MeanHeight),
    ("constant", Feature::Constant),
    ("report-landing", Feature::ReportLanding),
    ("report-contribution", Feature::ReportContribution),
    ("report-row-transitions", Feature::ReportRowTransitions),
    ("report-column-transitions", Feature::ReportColumnTransitions),
    ("report-wells", Feature::ReportWells),
    ("single", Feature::Clear(ClearKind::Single)),
    ("double", Feature::Clear(ClearKind::Double)),
    ("triple", Feature::Clear(ClearKind::Triple)),
    ("tetris", Feature::Clear(ClearKind::Tetris)),
    ("mini", Feature::Clear(ClearKind::Mini)),
    ("mini-single", Feature::Clear(ClearKind::MiniSingle)),
    ("mini-double", Feature::Clear(ClearKind::MiniDouble)),
    ("spin", Feature::Clear(ClearKind::Spin)),
    ("spin-single", Feature::Clear(ClearKind::SpinSingle)),
    ("spin-double", Feature::Clear(ClearKind::SpinDouble)),
    ("spin-triple", Feature::Clear(ClearKind::SpinTriple)),
    ("perfect-clear", Feature::PerfectClear),
    ("back-to-back", Feature::BackToBack),
    ("back-to-back-lost", Feature::BackToBackLost),
    ("combo", Feature::Combo),
    ("wasted-t", Feature::WastedT),
    ("t-slots", Feature::TSlots),
    ("keys", Feature::Keys),
];

/// A prefix and the feature it makes of an index.
pub(crate) type Indexed = (&'static str, fn(u8) -> Feature);

/// The indexed features and their prefixes.
pub(crate) const INDEXED: [Indexed; 6] = [
    ("height-", Feature::Height),
    ("difference-", Feature::Difference),
    ("contour-", Feature::Contour),
    ("radial-", Feature::Radial),
    ("steps-", Feature::Steps),
    ("well-", Feature::Well),
];

/// The named sets and what they are.
pub const FEATURE_SETS: [(&str, &str); 11] = [
    ("dellacherie", "landing height, eroded cells, row and column transitions, holes, cumulative wells"),
    ("dt8", "Dellacherie's six, hole depth, rows with holes"),
    ("dt9", "the eight and pattern diversity"),
    ("bertsekas", "heights, their absolute differences, maximum height, holes, a constant"),
    ("lee", "aggregate height, lines, holes, bumpiness"),
    ("contour", "height differences, holes, maximum, minimum and mean height (seed 002)"),
    ("report", "the six as seed 004 computed them"),
    ("radial", "five radial functions of the mean height"),
    ("surface", "transitions, holes, their depth and rows, wells, mean height: what a value of boards needs"),
    ("blitz", "32 after seed 001's Blitz: heights, holes, wells by column, every kind of clear, bonuses, Ts"),
    ("fewest-keys", "lee, wells by column, the easy clears and tetrises, key presses"),
];

/// The features of a named set on a board of this game, in order, or `None` if there is no such set.
pub fn feature_set(name: &str, game: &PlacementGame) -> Option<Vec<Feature>> {
    use Feature::*;
    // Those of the move, those of the board, and what came with the later controllers.
    const DT9: [Feature; 9] = {
        let [landing, eroded] = [LandingHeight, ErodedCells];
        let [rows, columns] = [RowTransitions, ColumnTransitions];
        [landing, eroded, rows, columns, Holes, CumulativeWells, HoleDepth, RowsWithHoles, PatternDiversity]
    };
    let columns = || 0..game.width() as u8;
    let edges = || 0..game.width() as u8 - 1;
    Some(match name {
        "dellacherie" => DT9[..6].to_vec(),
        "dt8" => DT9[..8].to_vec(),
        "dt9" => DT9.to_vec(),
        "bertsekas" => {
            columns().map(Height).chain(edges().map(Difference)).chain([MaxHeight, Holes, Constant]).collect()
        }
        "lee" => vec![AggregateHeight, Lines, Holes, Bumpiness],
        "contour" => edges().map(Contour).chain([Holes, MaxHeight, MinHeight, MeanHeight]).collect(),
        "report" => vec![
            ReportLanding,
            ReportContribution,
            ReportRowTransitions,
            ReportColumnTransitions,
            Holes,
            ReportWells,
        ],
        "radial" => (0..RADIAL).map(Radial).collect(),
        "blitz" => [AggregateHeight, Lines, Holes, Bumpiness, MaxHeight]
            .into_iter()
            .chain(columns().map(Well))
            .chain(ClearKind::ALL.map(Clear))
            .chain([PerfectClear, BackToBack, BackToBackLost, Combo, WastedT, TSlots])
            .collect(),
        "fewest-keys" => [AggregateHeight, Lines, Holes, Bumpiness]
            .into_iter()
            .chain(columns().map(Well))
            .chain(ClearKind::ALL[..4].iter().copied().map(Clear))
            .chain([Keys])
            .collect(),
        "surface" => DT9[2..8].iter().copied().chain([MeanHeight]).collect(),
        _ => return None,
    })
}

impl Feature {
    /// How many units the feature is worth after a placement; 0 for one of guideline games, which
    /// [`check`](Feature::check) refuses here and [`crate::guideline`] counts.
    pub fn count(self, state: &Afterstate<'_>) -> i64 {
        use Feature::*;
        let Afterstate { game, before, after, placement, cleared } = *state;
        let width = game.width();
        let columns = || (0..width).map(|x| after.column(x));
        let heights = || (0..width).map(|x| after.column_height(x) as i64);
        let differences = || heights().skip(1).zip(heights()).map(|(next, this)| next - this);
        let sum: u32 = match self {
            LandingHeight => {
                return 2 * i64::from(placement.row) + placement.shape(game).height() as i64 - 1;
            }
            ErodedCells => {
                let shape = placement.shape(game);
                let rows = (0..shape.height()).filter(|y| cleared >> y & 1 == 1);
                cleared.count_ones() * rows.map(|y| shape.cells_in_row(y)).sum::<u32>()
            }
            RowTransitions => row_transitions(after),
            // Below the floor everything is filled.
            ColumnTransitions => columns().map(|column| (column ^ (column << 1 | 1)).count_ones()).sum(),
            Holes => columns().map(|column| holes(column).count_ones()).sum(),
            CumulativeWells => (0..width).map(|x| cumulative_wells(after, x)).sum(),
            HoleDepth => columns().map(|column| (roofs(column)).count_ones()).sum(),
            RowsWithHoles => columns().fold(0, |rows, column| rows | holes(column)).count_ones(),
            PatternDiversity => differences()
                .filter(|difference| difference.abs() <= 2)
                .fold(0u32, |seen, difference| seen | 1 << (difference + 2))
                .count_ones(),
            AggregateHeight | MeanHeight => return heights().sum(),
            Lines => cleared.count_ones(),
            Points => {
                return (game.score().points(cleared.count_ones()) / self.unit(game)).round() as i64;
            }
            Bumpiness => return differences().map(i64::abs).sum(),
            Height(x) => after.column_height(x as usize) as u32,
            Difference(x) => return contour(after, x).abs(),
            Contour(x) => return contour(after, x),
            MaxHeight => return heights().max().unwrap_or(0),
            MinHeight => return heights().min().unwrap_or(0),
            Constant => 1,
            Radial(index) => {
                let mean = heights().sum::<i64>() as f64 / width as f64;
                let height = game.height() as f64;
                let distance = (mean - f64::from(index) * height / 4.0) / (height / 5.0);
                return (RADIAL_STEPS * (-0.5 * distance * distance).exp()).round() as i64;
            }
            Steps(size) => {
                let sizes = differences().map(|difference| difference.unsigned_abs().min(7));
                sizes.filter(|&found| found == u64::from(size)).count() as u32
            }
            ReportLanding => after.column_height(placement.column as usize) as u32,
            ReportContribution => {
                let x = placement.column as usize;
                let risen = before.column_height(x) + placement.shape(game).height();
                return risen as i64 - after.column_height(x) as i64;
            }
            ReportRowTransitions => {
                let rows = columns().fold(0, |rows, column| rows | column).count_ones();
                row_transitions(after) - 2 * (after.height() as u32 - rows)
            }
            ReportColumnTransitions => columns()
                .filter(|&column| column != 0)
                .map(|column| (column ^ (column << 1 | 1)).count_ones())
                .sum(),
            ReportWells => {
                let triangle = |depth: i64| depth * (depth + 1) / 2;
                return (0..width).map(|x| triangle(well(after, x))).sum();
            }
            Well(x) => return well(after, x as usize),
            Clear(_) | PerfectClear | BackToBack | BackToBackLost | Combo | WastedT | TSlots | Keys => 0,
        };
        i64::from(sum)
    }

    /// What one unit of the count is worth: most features count whole things.
    pub fn unit(self, game: &PlacementGame) -> f64 {
        match self {
            Feature::LandingHeight => 0.5,
            Feature::MeanHeight => 1.0 / game.width() as f64,
            Feature::Radial(_) => 1.0 / RADIAL_STEPS,
            Feature::Points => point_unit(game),
            _ => 1.0,
        }
    }

    /// The feature itself: its count times its unit.
    pub fn value(self, state: &Afterstate<'_>) -> f64 {
        self.count(state) as f64 * self.unit(state.game)
    }

    /// About the most the feature can be: what it is divided by where features are scaled to 0..1.
    pub fn bound(self, game: &PlacementGame) -> f64 {
        use Feature::*;
        let (width, height) = (game.width() as f64, game.height() as f64);
        match self {
            ErodedCells => 16.0,
            RowTransitions | ReportRowTransitions => (width + 1.0) * height,
            ColumnTransitions | ReportColumnTransitions => width * (height + 1.0),
            Holes | HoleDepth | AggregateHeight | CumulativeWells | ReportWells => width * height,
            PatternDiversity => 5.0,
            Lines => 4.0,
            Points => most_points(game),
            Bumpiness => (width - 1.0).max(1.0) * height,
            Steps(_) => (width - 1.0).max(1.0),
            Constant | Radial(_) | Clear(_) | PerfectClear | BackToBack | BackToBackLost | WastedT
            | TSlots => 1.0,
            ReportContribution | Combo => 4.0,
            Keys => 8.0,
            LandingHeight | RowsWithHoles | Height(_) | Difference(_) | Contour(_) | MaxHeight
            | MinHeight | MeanHeight | ReportLanding | Well(_) => height,
        }
    }

    /// Whether the feature looks at the placement, not only at the board after it.
    pub fn is_of_placement(self) -> bool {
        use Feature::*;
        matches!(self, LandingHeight | ErodedCells | Lines | Points | ReportLanding | ReportContribution)
            || self.is_of_guideline()
    }

    /// Whether the feature is of guideline games only.
    pub fn is_of_guideline(self) -> bool {
        use Feature::*;
        matches!(
            self,
            Clear(_) | PerfectClear | BackToBack | BackToBackLost | Combo | WastedT | TSlots | Keys
        )
    }

    /// Whether the feature makes sense on the boards of this game.
    pub fn check(self, game: &PlacementGame) -> Result<(), FeatureError> {
        if self.is_of_guideline() {
            return Err(FeatureError::OfGuideline(self));
        }
        self.check_columns(game.width())
    }

    /// Whether every column the feature looks at is there.
    pub(crate) fn check_columns(self, width: usize) -> Result<(), FeatureError> {
        let last = match self {
            Feature::Height(x) | Feature::Well(x) => x as usize,
            Feature::Difference(x) | Feature::Contour(x) => x as usize + 1,
            _ => 0,
        };
        if last < width { Ok(()) } else { Err(FeatureError::NoSuchColumn { feature: self, width }) }
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (prefix, index) = match self {
            Feature::Height(x) => ("height", x),
            Feature::Difference(x) => ("difference", x),
            Feature::Contour(x) => ("contour", x),
            Feature::Radial(i) => ("radial", i),
            Feature::Steps(size) => ("steps", size),
            Feature::Well(x) => ("well", x),
            plain => {
                let named = PLAIN.iter().find(|(_, feature)| feature == plain);
                return f.write_str(named.map_or("", |(name, _)| name));
            }
        };
        write!(f, "{prefix}-{index}")
    }
}

impl FromStr for Feature {
    type Err = FeatureError;

    fn from_str(text: &str) -> Result<Feature, FeatureError> {
        if let Some((_, feature)) = PLAIN.iter().find(|(name, _)| *name == text) {
            return Ok(*feature);
        }
        for (prefix, feature) in INDEXED {
            let index = text.strip_prefix(prefix).and_then(|index| index.parse::<u8>().ok());
            if let Some(index) = index {
                let feature = feature(index);
                let limit = match feature {
                    Feature::Radial(_) => RADIAL,
                    Feature::Steps(_) => STEPS,
                    _ => MAX_WIDTH as u8,
                };
                // Only the plain spelling: no `+1`, no `01`.
                if index < limit && feature.to_string() == text {
                    return Ok(feature);
                }
            }
        }
        let hint = bellmino_engine::suggestion(text, PLAIN.iter().map(|(name, _)| *name));
        Err(FeatureError::Unknown(text.to_owned(), hint))
    }
}

impl From<Feature> for String {
    fn from(feature: Feature) -> String {
        feature.to_string()
    }
}

impl TryFrom<String> for Feature {
    type Error = FeatureError;

    fn try_from(text: String) -> Result<Feature, FeatureError> {
        text.parse()
    }
}

/// Most points of one placement; at least a little.
fn most_points(game: &PlacementGame) -> f64 {
    game.score().entries().iter().copied().fold(f64::MIN_POSITIVE, f64::max)
}

/// Whole points are counted as they are; others are rounded to multiples of a small part of the most there are.
fn point_unit(game: &PlacementGame) -> f64 {
    let whole = |points: &f64| points.fract() == 0.0 && *points <= POINT_STEPS;
    if game.score().entries().iter().all(whole) { 1.0 } else { most_points(game) / POINT_STEPS }
}

/// Empty cells below the top of a column.
fn holes(column: u64) -> u64 {
    !column & below_top(column)
}

fn below_top(column: u64) -> u64 {
    u64::MAX.checked_shr(column.leading_zeros()).unwrap_or(0)
}

/// Filled cells in an unbroken run right above a hole: all but the run that stands on the floor.
fn roofs(column: u64) -> u64 {
    // Adding 1 carries through the run on the floor and leaves the rest alone.
    column & column.wrapping_add(1)
}

fn row_transitions(board: &Board) -> u32 {
    let all = u64::MAX >> (64 - board.height());
    let mut left = all;
    let mut sum = 0;
    for x in 0..board.width() {
        sum += (left ^ board.column(x)).count_ones();
        left = board.column(x);
    }
    sum + (left ^ all).count_ones()
}

fn cumulative_wells(board: &Board, x: usize) -> u32 {
    let all = u64::MAX >> (64 - board.height());
    let left = if x > 0 { board.column(x - 1) } else { all };
    let right = if x + 1 < board.width() { board.column(x + 1) } else { all };
    let empty = !board.column(x);
    let mut wells = left & right & empty;
    let mut sum = 0;
    while wells != 0 {
        sum += wells.count_ones();
        wells = (wells >> 1) & empty;
    }
    sum
}

fn contour(board: &Board, x: u8) -> i64 {
    board.column_height(x as usize + 1) as i64 - board.column_height(x as usize) as i64
}

/// How far a column lies below its lower neighbour.
fn well(board: &Board, x: usize) -> i64 {
    let height = |x: usize| board.column_height(x) as i64;
    let left = if x > 0 { height(x - 1) } else { i64::MAX };
    let right = if x + 1 < board.width() { height(x + 1) } else { i64::MAX };
    let beside = if board.width() > 1 { left.min(right) } else { 0 };
    (beside - height(x)).max(0)
}
