//! The evaluation: what a board is worth beyond the points already made.

use bellmino_engine::guideline::{Bag, Board, Clear, Orientation, Piece, Placement, Spin, WIDTH};

use crate::network::{BoardFeatures, Network};

/// Everything the evaluation looks at besides the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EvaluationState {
    /// The piece set aside: held, or the next one while nothing is held.
    pub reserve: Option<Piece>,
    /// Whether the last clear keeps back-to-back alive.
    pub back_to_back: bool,
    /// Clears in a row so far.
    pub combo: u32,
}

macro_rules! names {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(usize)]
        pub enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl $name {
            /// All of them, in order.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];
            /// Their number.
            pub const COUNT: usize = $name::ALL.len();

            /// The name in weight files.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }
        }
    };
}

names! {
    /// What the evaluation is a weighted sum of. The first ones describe the board when the search ends; those from
    /// [`Feature::SlotSoon`] are products of such a one and how soon a piece comes ([`Expected`]); the last ones
    /// (from [`Feature::WastedT`]) are summed over the placements on the way.
    ///
    /// Where a T can be turned in for two or three rows, the board is described as if that had been done (twice at
    /// most): a cell kept open for a T is no hole. Only the heights are those of the board as it is.
    Feature {
        /// Filled cells.
        Cells = "cells",
        /// Height of the highest column.
        MaxHeight = "max_height",
        /// Rows of it beyond the tenth.
        High = "high",
        /// Rows of it beyond the fifteenth.
        Danger = "danger",
        /// Height differences of neighbouring columns, the well left out.
        Bumpiness = "bumpiness",
        /// Their squares, each at most 36.
        BumpinessSquared = "bumpiness_squared",
        /// Filled next to empty along the rows up to the top, walls filled.
        RowTransitions = "row_transitions",
        /// Empty cells below a filled one.
        Holes = "holes",
        /// Filled cells above the highest hole of each column, at most 6 a column.
        Covered = "covered",
        /// Rows with a hole.
        HoleRows = "hole_rows",
        /// Rows from the floor of the well that lack only the well, at most 4.
        WellDepth = "well_depth",
        /// More such rows, at most 4.
        WellBeyond = "well_beyond",
        /// Four such rows.
        TetrisReady = "tetris_ready",
        /// Four such rows and I in reserve.
        TetrisAtHand = "tetris_at_hand",
        /// The well is column 0 or 9.
        WellEdge = "well_edge",
        /// The well is column 1 or 8.
        WellNextEdge = "well_next_edge",
        /// Places that a T can be turned into, rows incomplete.
        Slot0 = "slot0",
        /// Cells the two rows of the best such place lack beside the T, at most 8.
        SlotGaps = "slot_gaps",
        /// A place for a T-spin single.
        Slot1 = "slot1",
        /// A place for a T-spin double.
        Slot2 = "slot2",
        /// Another one.
        Slot2Again = "slot2_again",
        /// A place for a T-spin triple.
        Slot3 = "slot3",
        /// A place for a double or triple and T in reserve.
        SlotAtHand = "slot_at_hand",
        /// T in reserve.
        ReserveT = "reserve_t",
        /// I in reserve.
        ReserveI = "reserve_i",
        /// Back-to-back alive.
        BackToBack = "back_to_back",
        /// Clears in a row.
        Combo = "combo",
        /// An empty board.
        Empty = "empty",
        /// Filled cells of even columns against odd ones, a quarter of the difference.
        ColumnParity = "column_parity",
        /// Filled cells are not a multiple of four.
        OddRows = "odd_rows",
        /// No hole and at most four rows.
        LowClean = "low_clean",
        /// Four rows that lack only the well, and nothing else.
        PerfectReady = "perfect_ready",
        /// The same with I in reserve.
        PerfectAtHand = "perfect_at_hand",
        /// A place for a double or triple, times how soon a T comes.
        SlotSoon = "slot_soon",
        /// A place for a T-spin single, times how soon a T comes.
        SingleSoon = "single_soon",
        /// T in reserve, times how soon another comes.
        ReserveTSoon = "reserve_t_soon",
        /// Four rows that lack only the well, times how soon an I comes.
        TetrisSoon = "tetris_soon",
        /// Rows that lack only the well, at most 4, times how soon an I comes.
        WellSoon = "well_soon",
        /// I in reserve, times how soon another comes.
        ReserveISoon = "reserve_i_soon",
        /// Summed: a T placed without clearing by a full spin.
        WastedT = "wasted_t",
        /// Summed: an I placed without clearing four rows.
        WastedI = "wasted_i",
        /// Summed: rows cleared by easy clears.
        EasyRows = "easy_rows",
        /// Summed: clears that emptied the board.
        Perfect = "perfect",
    }
}

/// How soon the pieces come that a board waits for: 1 if next, and less for every piece before it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Expected {
    /// How soon a T comes.
    pub t: f32,
    /// How soon an I comes.
    pub i: f32,
}

impl Expected {
    /// For these pieces to come and then those of the bag in any order; an empty bag is a full one.
    pub fn of(pieces: &[Piece], bag: &[Piece]) -> Expected {
        /// What one more piece to wait leaves.
        const FADE: f32 = 0.85;
        let fade = |wait: usize| FADE.powi(wait as i32);
        let soon = |piece: Piece| {
            if let Some(wait) = pieces.iter().position(|&next| next == piece) {
                return fade(wait);
            }
            let bag = Bag::opened(bag);
            let (from, among) = match bag.contains(&piece) {
                true => (pieces.len(), bag.len()),
                false => (pieces.len() + bag.len(), Piece::ALL.len()),
            };
            // Every place in the bag is as likely as any other.
            (from..from + among).map(fade).sum::<f32>() / among as f32
        };
        Expected { t: soon(Piece::T), i: soon(Piece::I) }
    }

    /// Writes the features that are products with how soon a piece comes.
    pub fn describe(&self, features: &mut Features) {
        for (product, ..) in self.products() {
            features[product as usize] = 0.0;
        }
        for (product, feature, soon) in self.products() {
            features[product as usize] += soon * features[feature as usize];
        }
    }

    /// Each product, and its factors.
    pub(crate) fn products(&self) -> [(Feature, Feature, f32); 7] {
        use Feature as F;
        [
            (F::SlotSoon, F::Slot2, self.t),
            (F::SlotSoon, F::Slot3, self.t),
            (F::SingleSoon, F::Slot1, self.t),
            (F::ReserveTSoon, F::ReserveT, self.t),
            (F::TetrisSoon, F::TetrisReady, self.i),
            (F::WellSoon, F::WellDepth, self.i),
            (F::ReserveISoon, F::ReserveI, self.i),
        ]
    }
}

/// The features of a board and what led to it.
pub type Features = [f32; Feature::COUNT];

/// The weight of each feature and of the goal.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// Weight of each feature, in points.
    pub features: Features,
    /// Weight of a point made: 1 if points count, 0 if not.
    pub points: f32,
    /// With this many pieces left, potential counts for 1 - 1/e of its full worth.
    pub horizon: f32,
    /// What the features are worth together, beside their sum; `None` if nothing.
    pub network: Option<Box<Network>>,
}

impl Weights {
    /// Weights by name; features not named weigh nothing.
    pub fn from_pairs(pairs: &[(Feature, f32)], points: f32, horizon: f32) -> Weights {
        let mut features = [0.0; Feature::COUNT];
        for &(feature, weight) in pairs {
            features[feature as usize] = weight;
        }
        Weights { features, points, horizon, network: None }
    }

    /// The weights where these pieces are expected: what counts more the sooner a piece comes is added to the rest.
    pub fn expecting(&self, expected: &Expected) -> Weights {
        let network = self.network.as_ref().map(|network| Box::new(network.expecting(expected)));
        let mut weights = Weights { features: self.features, network, ..*self };
        for (product, feature, soon) in expected.products() {
            weights.features[feature as usize] += soon * self.features[product as usize];
        }
        weights
    }

    /// The worth of a board as the last one of a line of play.
    #[inline(always)]
    pub fn leaf(&self, board: &Board, standing: &EvaluationState) -> f32 {
        // Four sums side by side, which the processor forms at once.
        let mut sum = [0.0; 4];
        let mut add = |feature: Feature, value: f32| {
            sum[feature as usize % 4] += value * self.features[feature as usize];
        };
        let together = match &self.network {
            None => {
                look(board, standing, add);
                0.0
            }
            Some(network) => {
                let mut features: BoardFeatures = [0.0; _];
                look(board, standing, |feature, value| {
                    add(feature, value);
                    features[feature as usize] = value;
                });
                network.leaf(&features)
            }
        };
        sum[0] + sum[1] + (sum[2] + sum[3]) + together
    }

    /// The worth of a placement on the way: its points, and `share` of what it costs later.
    #[inline]
    pub fn step(&self, piece: Piece, clear: &Clear, share: f32) -> f32 {
        let mut later = 0.0;
        let weight = |feature: Feature| self.features[feature as usize];
        match piece {
            Piece::T if clear.spin != Spin::Full || clear.lines == 0 => later += weight(Feature::WastedT),
            Piece::I if clear.lines < 4 => later += weight(Feature::WastedI),
            _ => {}
        }
        if clear.is_easy() {
            later += weight(Feature::EasyRows) * f32::from(clear.lines);
        }
        if clear.perfect {
            later += weight(Feature::Perfect);
        }
        self.points * clear.points as f32 + share * later
    }

    /// The share of its potential that a board is worth with this many pieces left.
    pub fn share(&self, left: Option<u32>) -> f32 {
        match left {
            None => 1.0,
            Some(left) => 1.0 - (-(left as f32) / self.horizon.max(0.1)).exp(),
        }
    }
}

/// Writes the features of a board; those summed over placements stay as they are.
pub fn describe(board: &Board, standing: &EvaluationState, features: &mut Features) {
    look(board, standing, |feature, value| features[feature as usize] = value);
}

/// Tells the features of a board, in their order.
#[inline(always)]
fn look(board: &Board, standing: &EvaluationState, mut tell: impl FnMut(Feature, f32)) {
    let mut skyline = Skyline::of(board);
    let tallest = skyline.tallest;
    let (mut doubles, mut triples, mut single) = (0, 0, false);
    let Slots { incomplete, gaps, .. } = loop {
        let slots = skyline.slots();
        single |= slots.single;
        let Some((placement, lines)) = slots.best.filter(|_| doubles + triples < 2) else { break slots };
        if lines == 3 {
            triples += 1;
        } else {
            doubles += 1;
        }
        let mut board = skyline.board;
        board.place_unchecked(&placement);
        skyline = Skyline::of(&board);
    };

    let Skyline { columns, heights, .. } = &skyline;
    let mut cells = [0u32; 2];
    let mut covered = 0;
    let mut hole_rows = 0u64;
    let mut holes = 0;
    for x in 0..WIDTH {
        let bits = columns[x];
        cells[x & 1] += bits.count_ones();
        let empty = !bits & rows_below(heights[x]);
        if empty != 0 {
            covered += (empty.trailing_zeros() as i32 - bits.trailing_zeros() as i32).min(6);
            holes += empty.count_ones();
            hole_rows |= empty;
        }
    }
    let inside = rows_below(skyline.tallest);
    let mut transitions = (!columns[0] & inside).count_ones() + (!columns[WIDTH - 1] & inside).count_ones();
    for x in 1..WIDTH {
        transitions += (columns[x - 1] ^ columns[x]).count_ones();
    }

    // The first of the lowest columns.
    let lowest = (0..WIDTH).map(|x| heights[x] << 4 | x as i32).fold(i32::MAX, i32::min);
    let well = (lowest & 15) as usize;
    let others = (0..WIDTH).fold(u64::MAX, |all, x| all & if x == well { u64::MAX } else { columns[x] });
    let depth = (others << heights[well]).leading_ones() as i32;

    // The steps between neighbours, as if the well were not there.
    let steps = |from: usize, to: usize| {
        let step = heights[from] - heights[to];
        (step.abs(), (step * step).min(36))
    };
    let (mut bumpiness, mut squares) = (0, 0);
    for x in 1..WIDTH {
        let (step, square) = steps(x - 1, x);
        (bumpiness, squares) = (bumpiness + step, squares + square);
    }
    // At an edge one of its neighbours is itself, and nothing lies behind it.
    let (before, after) = (well.max(1) - 1, (well + 1).min(WIDTH - 1));
    let behind = if after - before == 2 { steps(before, after) } else { (0, 0) };
    let (one, other) = (steps(before, well), steps(well, after));
    bumpiness += behind.0 - one.0 - other.0;
    squares += behind.1 - one.1 - other.1;

    let reserve_t = standing.reserve == Some(Piece::T);
    let reserve_i = standing.reserve == Some(Piece::I);
    let flag = |on: bool| if on { 1.0 } else { 0.0 };
    tell(Feature::Cells, (cells[0] + cells[1]) as f32);
    tell(Feature::MaxHeight, tallest as f32);
    tell(Feature::High, (tallest - 10).max(0) as f32);
    tell(Feature::Danger, (tallest - 15).max(0) as f32);
    tell(Feature::Bumpiness, bumpiness as f32);
    tell(Feature::BumpinessSquared, squares as f32);
    tell(Feature::RowTransitions, transitions as f32);
    tell(Feature::Holes, holes as f32);
    tell(Feature::Covered, covered as f32);
    tell(Feature::HoleRows, hole_rows.count_ones() as f32);
    tell(Feature::WellDepth, depth.min(4) as f32);
    tell(Feature::WellBeyond, (depth - 4).clamp(0, 4) as f32);
    tell(Feature::TetrisReady, flag(depth >= 4));
    tell(Feature::TetrisAtHand, flag(depth >= 4 && reserve_i));
    tell(Feature::WellEdge, flag(well == 0 || well == WIDTH - 1));
    tell(Feature::WellNextEdge, flag(well == 1 || well == WIDTH - 2));
    tell(Feature::Slot0, incomplete as f32);
    tell(Feature::SlotGaps, gaps as f32);
    tell(Feature::Slot1, flag(single));
    tell(Feature::Slot2, flag(doubles >= 1));
    tell(Feature::Slot2Again, flag(doubles + triples >= 2));
    tell(Feature::Slot3, flag(triples >= 1));
    tell(Feature::SlotAtHand, flag(reserve_t && doubles + triples >= 1));
    tell(Feature::ReserveT, flag(reserve_t));
    tell(Feature::ReserveI, flag(reserve_i));
    tell(Feature::BackToBack, flag(standing.back_to_back));
    tell(Feature::Combo, standing.combo.min(10) as f32);
    tell(Feature::Empty, flag(tallest == 0));
    tell(Feature::ColumnParity, cells[0].abs_diff(cells[1]) as f32 / 4.0);
    tell(Feature::OddRows, flag((cells[0] + cells[1]) % 4 != 0));
    tell(Feature::LowClean, flag(skyline.tallest <= 4 && holes == 0));
    let perfect = depth == 4 && skyline.tallest == 4 && cells[0] + cells[1] == 36;
    tell(Feature::PerfectReady, flag(perfect));
    tell(Feature::PerfectAtHand, flag(perfect && reserve_i));
}

/// The bits of all rows below a height.
#[inline(always)]
fn rows_below(height: i32) -> u64 {
    // Row y is bit 63 - y.
    if height == 0 { 0 } else { u64::MAX << (64 - height) }
}

/// A board with its heights.
struct Skyline {
    board: Board,
    columns: [u64; WIDTH],
    heights: [i32; WIDTH],
    tallest: i32,
}

/// Places into which a T can be turned under an overhang.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Slots {
    /// Places that would clear nothing yet.
    incomplete: u32,
    /// What the best of the places for less than two rows lacks, at most 8; 0 if there is none.
    gaps: u32,
    /// A place for one row.
    single: bool,
    /// The best place for two rows or three.
    best: Option<(Placement, u32)>,
}

impl Skyline {
    #[inline(always)]
    fn of(board: &Board) -> Skyline {
        let columns = board.columns().map(bellmino_engine::guideline::Column::bits);
        let heights = columns.map(|bits| 64 - bits.trailing_zeros() as i32);
        let tallest = 64 - columns.iter().fold(0, |all, bits| all | bits).trailing_zeros() as i32;
        Skyline { board: *board, columns, heights, tallest }
    }

    /// Looks for the two classical shapes. For a double, with the open side to the right or to the left:
    ///
    /// ```text
    /// #..  <- overhang, row y + 1
    /// ...  <- row y: the height of the open side
    /// #.#
    /// ```
    ///
    /// For a triple, entered from the upper right by the last kick (or its mirror image):
    ///
    /// ```text
    /// #..  <- row y + 3
    /// ...  <- row y + 2
    /// .#.
    /// ..   <- row y, the centre
    /// .#
    /// ```
    #[inline(always)]
    fn slots(&self) -> Slots {
        let mut slots = Slots::default();
        // Both shapes have a column with a filled cell, an empty and a filled one from the top down; bit 63 - y of
        // its mark is the empty one. Without any there is nothing to find.
        let marks = self.columns.map(|bits| bits << 1 & !bits & bits >> 1);
        let marked = (0..WIDTH).fold(0, |marked, x| marked | u32::from(marks[x] != 0) << x);
        if marked != 0 {
            self.look_for_slots(&marks, marked, &mut slots);
        }
        slots
    }

    #[inline(always)]
    fn look_for_slots(&self, marks: &[u64; WIDTH], mut all: u32, slots: &mut Slots) {
        let Skyline { columns, heights, .. } = self;
        // At `x`: rows full in all columns before `x`, and rows full in column `x` and all after it.
        let mut full_left = [u64::MAX; WIDTH + 1];
        let mut full_right = [u64::MAX; WIDTH + 1];
        for x in 0..WIDTH {
            full_left[x + 1] = full_left[x] & columns[x];
            full_right[WIDTH - 1 - x] = full_right[WIDTH - x] & columns[WIDTH - 1 - x];
        }
        let mut gaps = 9;
        let mut most = 1;
        let place = |orientation, x: usize, y: i32| Placement {
            piece: Piece::T,
            orientation,
            x: x as i8,
            y: y as i8,
            spin: Spin::Full,
        };
        while all != 0 {
            let marked = all.trailing_zeros() as usize;
            all &= all - 1;
            let mark = marks[marked];
            for right in [true, false] {
                // The columns next to the marked one and beyond, on one side.
                let near = if right { marked + 1 } else { marked.wrapping_sub(1) };
                let far = if right { marked + 2 } else { marked.wrapping_sub(2) };
                if far >= WIDTH {
                    continue;
                }
                // A double: the marked column is the overhang, the T hangs in the near one, the far one is open.
                let (x, y) = (near, heights[far]);
                if y < 1 || heights[x] >= y || mark >> (63 - y) & 1 == 0 {
                    continue;
                }
                let beside_three = full_left[x - 1] & full_right[x + 2];
                let beside_one = full_left[x] & full_right[x + 1];
                let upper = beside_three >> (63 - y) & 1;
                let lower = beside_one >> (64 - y) & 1;
                match upper + lower {
                    2 if most < 2 => {
                        most = 2;
                        slots.best = Some((place(Orientation::South, x, y), 2));
                    }
                    2 => {}
                    1 => slots.single = true,
                    _ => slots.incomplete += 1,
                }
                if upper + lower < 2 && gaps > 1 {
                    let missing = columns.iter().enumerate().fold(0, |missing, (column, &bits)| {
                        let beside = column + 1 < x || column > x + 1;
                        let upper = u64::from(beside) & !(bits >> (63 - y));
                        let lower = u64::from(column != x) & !(bits >> (64 - y));
                        missing + upper + lower
                    });
                    gaps = gaps.min(missing.min(8) as u32);
                }
            }
            // A triple: the T stands beside the marked column and points into it; one enters over its top.
            let y = heights[marked] - 2;
            if !(1..=20).contains(&y) || mark >> (63 - y) & 1 == 0 {
                continue;
            }
            for right in [true, false] {
                let (x, beyond) = if right {
                    (marked.wrapping_sub(1), marked + 1)
                } else {
                    (marked + 1, marked.wrapping_sub(1))
                };
                if x >= WIDTH || beyond >= WIDTH || heights[beyond] > y + 2 || heights[x] != y + 4 {
                    continue;
                }
                // From row y + 3 down to y - 1 in the column of the T.
                if columns[x] >> (60 - y) & 0b11111 != 0b00001 {
                    continue;
                }
                let rows = full_left[x] & full_right[x + 1];
                let middle = full_left[x.min(marked)] & full_right[x.max(marked) + 1];
                let lines = (rows >> (62 - y) & 1) + (middle >> (63 - y) & 1) + (rows >> (64 - y) & 1);
                if lines > most {
                    most = lines;
                    let orientation = if right { Orientation::East } else { Orientation::West };
                    slots.best = Some((place(orientation, x, y), lines as u32));
                } else if lines == 1 {
                    slots.single = true;
                }
            }
        }
        slots.gaps = if gaps < 9 { gaps } else { 0 };
    }
}
