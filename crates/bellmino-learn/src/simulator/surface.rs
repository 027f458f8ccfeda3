//! A board ten wide prepared for scoring all placements of a piece together.

use bellmino_engine::placement::{Shape, TenColumns};
use bellmino_lanes::Eight;

/// Columns of the board.
pub(super) const WIDTH: usize = 10;
/// Entries before column 0: two columns of wall.
pub(super) const PAD: usize = 2;
/// Entries of a [`Strip`]: room for eight lanes that start in the last column but one.
const SIZE: usize = 32;
/// The height of a wall: every shift by it gives 0, and no piece lands on it inside the board.
const WALL: i32 = 32;

/// One number per column, walls left and right: column `x` is entry `PAD + x`.
pub(super) type Strip = [i32; SIZE];

/// How much the value of a board changes per unit of each feature that the fast path knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FastWeights {
    pub landing: i32,
    pub eroded: i32,
    pub lines: i32,
    pub row_transitions: i32,
    pub column_transitions: i32,
    pub holes: i32,
    pub wells: i32,
    pub hole_depth: i32,
    pub hole_rows: i32,
    pub diversity: i32,
    pub aggregate: i32,
    pub max_height: i32,
    pub bumpiness: i32,
    /// By absolute difference of neighbouring heights; the last entry is for seven and more.
    pub steps: [i32; 8],
}

/// A rotated piece of at most four cells. The cells of each of its columns hang together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Form {
    pub width: usize,
    pub height: i32,
    /// Cells of each column, row 0 in bit 0.
    pub cells: [i32; 4],
    /// Lowest row of each column, and the row above its highest.
    pub bottoms: [i32; 4],
    pub tops: [i32; 4],
    /// Cells in each column, and the bit of the lowest.
    lengths: [i32; 4],
    lowest: [i32; 4],
    /// Sides of cells to the left and right that no cell of the piece covers.
    sides: i32,
}

/// A board with all that is worth knowing about its columns.
#[derive(Clone, Debug)]
pub(super) struct FastSurface {
    /// Filled rows of each column.
    columns: Strip,
    heights: Strip,
    /// The bit just above the highest filled cell.
    tops: Strip,
    /// All ones where the column has a hole.
    roofed: Strip,
    /// Holes that are not yet well cells: a piece beside them may make them so.
    open_holes: Strip,
    /// Sum over the well cells above the top of the column.
    wells: Strip,
    /// Rows filled in all columns to the left, and in this and all columns to the right.
    filled_left: Strip,
    filled_right: Strip,
    /// All ones where this column and the next are both on the board.
    inner: Strip,
    /// What the step from this column to the next is worth.
    steps: Strip,
    /// Bit `d + 2` for every step `d` in -2..=2 before the one that ends here, and from this one on.
    kinds_left: Strip,
    kinds_right: Strip,
    hole_rows: i32,
    diversity: i32,
    max_height: i32,
    /// The value of the board.
    pub value: i32,
}

/// Eight placements scored: their values relative to the board's, and the rows each fills.
pub(super) struct Scored<L> {
    pub values: L,
    pub filled: L,
}

/// What every placement that ends the game is worth.
pub(super) const FATAL: i32 = i32::MIN;

impl Form {
    /// The shape prepared, if it has at most four rows and no gaps in its columns.
    pub fn new(shape: &Shape) -> Option<Form> {
        if shape.width() > 4 || shape.height() > 4 {
            return None;
        }
        let mut form = Form { width: shape.width(), height: shape.height() as i32, ..Form::default() };
        for (x, &cells) in shape.columns().iter().enumerate() {
            form.cells[x] = i32::from(cells);
            form.bottoms[x] = cells.trailing_zeros() as i32;
            form.tops[x] = 8 - cells.leading_zeros() as i32;
            form.lengths[x] = form.tops[x] - form.bottoms[x];
            form.lowest[x] = 1 << form.bottoms[x];
            if cells.count_ones() as i32 != form.lengths[x] {
                return None;
            }
            let beside = |x: usize| shape.columns().get(x).copied().unwrap_or(0);
            let left = if x > 0 { beside(x - 1) } else { 0 };
            form.sides += ((cells & !left).count_ones() + (cells & !beside(x + 1)).count_ones()) as i32;
        }
        Some(form)
    }
}

impl FastSurface {
    pub fn new() -> FastSurface {
        let mut inner = [0; SIZE];
        inner[PAD..PAD + WIDTH - 1].fill(-1);
        FastSurface {
            columns: [-1; SIZE],
            heights: [WALL; SIZE],
            tops: [0; SIZE],
            roofed: [0; SIZE],
            open_holes: [0; SIZE],
            wells: [0; SIZE],
            filled_left: [-1; SIZE],
            filled_right: [-1; SIZE],
            inner,
            steps: [0; SIZE],
            kinds_left: [0; SIZE],
            kinds_right: [0; SIZE],
            hole_rows: 0,
            diversity: 0,
            max_height: 0,
            value: 0,
        }
    }

    /// The columns between their walls.
    #[inline(always)]
    pub fn columns(&self) -> &Strip {
        &self.columns
    }

    /// The sum of the heights of all columns.
    pub fn aggregate_height(&self) -> i32 {
        self.heights[PAD..PAD + WIDTH].iter().sum()
    }

    /// The height of the highest column.
    pub fn height(&self) -> i32 {
        self.heights[PAD..PAD + WIDTH].iter().copied().max().unwrap_or(0)
    }

    /// The lowest row of a piece dropped with its left edge in column `x`.
    #[inline(always)]
    pub fn landing_row(&self, form: &Form, x: usize) -> i32 {
        let rows = (0..form.width).map(|i| self.heights[PAD + x + i] - form.bottoms[i]);
        rows.max().unwrap_or(0)
    }

    /// Puts a board here that has been reached in any way.
    #[inline(always)]
    pub fn set<L: Eight, const EXTRA: bool>(&mut self, columns: &Strip, weights: &FastWeights, height: i32) {
        let valued = Valued::of::<L, EXTRA>(columns, weights, height);
        self.columns = *columns;
        for (height, &column) in self.heights.iter_mut().zip(columns).skip(PAD).take(WIDTH) {
            *height = height_of(column);
        }
        self.hole_rows = valued.hole_rows;
        self.max_height = valued.max_height;
        self.value = valued.value;
        self.refresh::<L, EXTRA>(weights);
    }

    /// Puts a piece down that fills no row. `value` is what the board is worth afterwards.
    #[inline(always)]
    pub fn put<L: Eight, const EXTRA: bool>(
        &mut self,
        form: &Form,
        x: usize,
        row: i32,
        value: i32,
        weights: &FastWeights,
    ) {
        for i in 0..form.width {
            let at = PAD + x + i;
            self.columns[at] |= form.cells[i] << row;
            self.hole_rows |= (1 << (row + form.bottoms[i])) - self.tops[at];
            self.heights[at] = row + form.tops[i];
        }
        self.max_height = self.max_height.max(row + form.height);
        self.value = value;
        self.refresh::<L, EXTRA>(weights);
    }

    /// Everything that follows from columns and heights.
    #[inline(always)]
    fn refresh<L: Eight, const EXTRA: bool>(&mut self, weights: &FastWeights) {
        let zero = L::splat(0);
        for first in [PAD, PAD + 8] {
            let (columns, heights) = (at::<L>(&self.columns, first), at::<L>(&self.heights, first));
            let beside = at::<L>(&self.columns, first - 1).and(at(&self.columns, first + 1));
            let tops = L::splat(1).shl_each(heights);
            let holes = tops.sub(L::splat(1)).without(columns);
            let well_rows = beside.shr_each(heights);
            let wells = if any(well_rows.shr::<8>()) {
                sum_of_ranks(well_rows)
            } else {
                ranks_of_bytes(well_rows).sum_bytes()
            };
            put(&mut self.tops, first, tops);
            put(&mut self.roofed, first, L::splat(-1).without(holes.is_equal(zero)));
            put(&mut self.open_holes, first, holes.without(beside));
            put(&mut self.wells, first, wells);
            if EXTRA {
                let step = at::<L>(&self.heights, first + 1).sub(heights);
                let worth = worth_of_step(step, L::load(&weights.steps, 0), L::splat(weights.bumpiness));
                put(&mut self.steps, first, worth.and(at(&self.inner, first)));
            }
        }
        let (mut left, mut right) = (-1, -1);
        for x in 0..WIDTH {
            self.filled_left[PAD + x] = left;
            left &= self.columns[PAD + x];
            let opposite = PAD + WIDTH - 1 - x;
            right &= self.columns[opposite];
            self.filled_right[opposite] = right;
        }
        if EXTRA {
            let kind = |x: usize| kind_of_step(self.heights[PAD + x + 1] - self.heights[PAD + x]);
            let (mut left, mut right) = (0, 0);
            for x in 1..WIDTH {
                // Entry `x` holds the steps that end before column `x`: those from columns 0..x-1 to 1..x.
                self.kinds_left[PAD + x] = left;
                left |= kind(x - 1);
                let opposite = WIDTH - 1 - x;
                right |= kind(opposite);
                self.kinds_right[PAD + opposite] = right;
            }
            self.diversity = right.count_ones() as i32;
        }
    }

    /// Scores the placements of a rotation with the left edge in columns `START..START + 8`. Those that do not fit
    /// into the board are fatal; those that fill rows have a meaningless value.
    #[inline(always)]
    pub fn score<L: Eight, const W: usize, const START: usize, const EXTRA: bool>(
        &self,
        form: &Form,
        weights: &FastWeights,
        height: i32,
    ) -> Scored<L> {
        let zero = L::splat(0);
        // Column `k` of the five to eight in view: the piece covers 2..W + 2.
        let entry = |k: usize| START + PAD - 2 + k;
        let column = |k: usize| at::<L>(&self.columns, entry(k));
        let old_height = |k: usize| at::<L>(&self.heights, entry(k));

        let mut row = old_height(2).sub(L::splat(form.bottoms[0]));
        for i in 1..W {
            row = row.max(old_height(i + 2).sub(L::splat(form.bottoms[i])));
        }
        let fatal = row.is_greater(L::splat(height - form.height));

        let mut columns = [zero; 8];
        for (k, place) in columns.iter_mut().enumerate().take(W + 4) {
            *place = column(k);
        }
        let mut filled = at::<L>(&self.filled_left, START + PAD).and(at(&self.filled_right, START + PAD + W));
        let mut holes = zero;
        let mut openings = zero;
        let mut hole_depth = zero;
        let mut hole_rows = zero;
        let mut sides = zero;
        let mut gaps = [zero; 4];
        let mut new_heights = [zero; 6];
        new_heights[0] = old_height(1);
        new_heights[W + 1] = old_height(W + 2);
        for i in 0..W {
            let k = i + 2;
            let cells = L::splat(form.cells[i]);
            let gap = row.add(L::splat(form.bottoms[i])).sub(old_height(k));
            let opens = gap.is_greater(zero);
            holes = holes.add(gap);
            openings = openings.sub(opens);
            hole_depth = hole_depth.add(L::splat(form.lengths[i]).and(opens.or(at(&self.roofed, entry(k)))));
            gaps[i] = L::splat(form.lowest[i]).shl_each(row).sub(at(&self.tops, entry(k)));
            hole_rows = hole_rows.or(gaps[i]);
            new_heights[i + 1] = row.add(L::splat(form.tops[i]));
            // Filled cells beside the cells of this column, left and right, in one byte.
            let left = column(k - 1).shr_each(row).and(cells);
            let right = column(k + 1).shr_each(row).and(cells);
            sides = sides.or(into_byte(left.or(right.shl::<4>()), i));
            columns[k] = columns[k].or(cells.shl_each(row));
            filled = filled.and(columns[k]);
        }

        // Well cells: above the tops, in the gaps under the piece, and old holes that get a neighbour.
        let mut wells = zero;
        let mut beside = [zero; 6];
        let mut seen = zero;
        let mut closed = zero;
        let mut packed = [zero; 3];
        for k in 1..W + 3 {
            beside[k - 1] = columns[k - 1].and(columns[k + 1]);
            let above = beside[k - 1].shr_each(new_heights[k - 1]);
            seen = seen.or(above);
            packed[(k - 1) / 4] = packed[(k - 1) / 4].or(into_byte(above, (k - 1) % 4));
            closed = closed.or(beside[k - 1].and(at(&self.open_holes, entry(k))));
            wells = wells.sub(at(&self.wells, entry(k)));
        }
        for i in 0..W {
            let under = beside[i + 1].and(gaps[i]).shr_each(old_height(i + 2));
            let place = W + 2 + i;
            seen = seen.or(under);
            packed[place / 4] = packed[place / 4].or(into_byte(under, place % 4));
        }
        if any(seen.shr::<8>()) {
            // A well deeper than eight.
            for k in 1..W + 3 {
                wells = wells.add(sum_of_ranks(beside[k - 1].shr_each(new_heights[k - 1])));
            }
            for i in 0..W {
                wells = wells.add(sum_of_ranks(beside[i + 1].and(gaps[i]).shr_each(old_height(i + 2))));
            }
        } else {
            let mut ranks = ranks_of_bytes(packed[0]);
            if 2 * W + 2 > 4 {
                ranks = ranks.add(ranks_of_bytes(packed[1]));
            }
            if 2 * W + 2 > 8 {
                ranks = ranks.add(ranks_of_bytes(packed[2]));
            }
            wells = wells.add(ranks.sum_bytes());
        }
        if any(closed) {
            for k in 1..W + 3 {
                let mut cells = beside[k - 1].and(at(&self.open_holes, entry(k)));
                while any(cells) {
                    wells = wells.add(cells.count_ones());
                    cells = cells.shr::<1>().without(column(k));
                }
            }
        }

        let base_rows = L::splat(self.hole_rows);
        let new_hole_rows = hole_rows.without(base_rows).count_ones();
        let product = |weight: i32, count: L| L::splat(weight).mul(count);
        let mut values = product(2 * weights.landing, row);
        values =
            values.add(L::splat(weights.landing * (form.height - 1) + weights.row_transitions * form.sides));
        values = values.add(product(-2 * weights.row_transitions, sides.count_ones()));
        values = values.add(product(2 * weights.column_transitions, openings));
        values = values.add(product(weights.holes, holes));
        values = values.add(product(weights.wells, wells));
        values = values.add(product(weights.hole_depth, hole_depth));
        values = values.add(product(weights.hole_rows, new_hole_rows));
        if EXTRA {
            let mut kinds = at::<L>(&self.kinds_left, START + PAD).or(at(&self.kinds_right, START + PAD + W));
            let table = L::load(&weights.steps, 0);
            for k in 0..W + 1 {
                let inner = at::<L>(&self.inner, entry(k + 1));
                let step = new_heights[k + 1].sub(new_heights[k]);
                let worth = worth_of_step(step, table, L::splat(weights.bumpiness));
                values = values.add(worth.and(inner)).sub(at(&self.steps, entry(k + 1)));
                kinds = kinds.or(L::splat(1).shl_each(step.add(L::splat(2))).and(inner));
            }
            let kinds = kinds.and(L::splat(31)).count_ones();
            values = values.add(product(weights.diversity, kinds.sub(L::splat(self.diversity))));
            let mut rise = zero;
            for i in 0..W {
                rise = rise.add(new_heights[i + 1]).sub(old_height(i + 2));
            }
            values = values.add(product(weights.aggregate, rise));
            let over = row.add(L::splat(form.height - self.max_height)).max(zero);
            values = values.add(product(weights.max_height, over));
        }
        Scored { values: L::select(fatal, L::splat(FATAL), values), filled }
    }
}

/// A whole board valued.
pub(super) struct Valued {
    /// What the board is worth, without the placement that led to it.
    pub value: i32,
    hole_rows: i32,
    max_height: i32,
}

impl Valued {
    /// Counts everything from the start, all columns together.
    #[inline(always)]
    pub fn of<L: Eight, const EXTRA: bool>(columns: &Strip, weights: &FastWeights, height: i32) -> Valued {
        let all = L::splat(((1i64 << height) - 1) as i32);
        let zero = L::splat(0);
        let product = |weight: i32, count: L| L::splat(weight).mul(count);
        let mut strip = [WALL; SIZE];
        let mut values = zero;
        let mut hole_rows = zero;
        let mut max_height = zero;
        for first in [PAD, PAD + 8] {
            // A wall counts nothing below: it has no hole, no transition and no well.
            let column = at::<L>(columns, first);
            let left = at::<L>(columns, first - 1);
            let beside = left.and(at(columns, first + 1));
            let mut below = column.or(column.shr::<1>());
            below = below.or(below.shr::<2>());
            below = below.or(below.shr::<4>());
            below = below.or(below.shr::<8>());
            below = below.or(below.shr::<16>());
            let heights = below.count_ones();
            let holes = below.without(column);
            let above = beside.shr_each(heights);
            let mut wells =
                if any(above.shr::<8>()) { sum_of_ranks(above) } else { ranks_of_bytes(above).sum_bytes() };
            let mut cells = holes.and(beside);
            while any(cells) {
                wells = wells.add(cells.count_ones());
                cells = cells.shr::<1>().without(column);
            }
            let row_transitions = left.xor(column).and(all).count_ones();
            let column_transitions = column.xor(column.shl::<1>().or(L::splat(1))).count_ones();
            let roofs = column.and(column.add(L::splat(1))).count_ones();
            values = values.add(product(weights.row_transitions, row_transitions));
            values = values.add(product(weights.column_transitions, column_transitions));
            values = values.add(product(weights.holes, holes.count_ones()));
            values = values.add(product(weights.wells, wells));
            values = values.add(product(weights.hole_depth, roofs));
            hole_rows = hole_rows.or(holes);
            if EXTRA {
                put(&mut strip, first, heights);
                let heights = heights.without(column.is_equal(L::splat(-1)));
                values = values.add(product(weights.aggregate, heights));
                max_height = max_height.max(heights);
            }
        }
        let hole_rows = hole_rows.union();
        let mut value = values.total() + weights.hole_rows * hole_rows.count_ones() as i32;
        let max_height = max_height.largest();
        if EXTRA {
            value += weights.max_height * max_height;
            let mut kinds = 0;
            for x in PAD..PAD + WIDTH - 1 {
                let step = strip[x + 1] - strip[x];
                kinds |= kind_of_step(step);
                value += weights.steps[step.unsigned_abs().min(7) as usize] + weights.bumpiness * step.abs();
            }
            value += weights.diversity * kinds.count_ones() as i32;
        }
        Valued { value, hole_rows, max_height }
    }
}

/// Takes rows out of a board; what is above moves down.
#[inline(always)]
pub(super) fn remove_rows<L: Eight>(columns: &mut Strip, filled: i32) {
    let mut rows = filled;
    let mut parts = [at::<L>(columns, PAD), at::<L>(columns, PAD + 8)];
    while rows != 0 {
        let below = (1 << (height_of(rows) - 1)) - 1;
        for part in &mut parts {
            let wall = part.is_equal(L::splat(-1));
            let moved = part.shr::<1>().without(L::splat(below));
            *part = part.and(L::splat(below)).or(moved).or(wall);
        }
        rows &= below;
    }
    put(columns, PAD, parts[0]);
    put(columns, PAD + 8, parts[1]);
}

#[inline(always)]
fn height_of(column: i32) -> i32 {
    32 - column.leading_zeros() as i32
}

#[inline(always)]
fn kind_of_step(step: i32) -> i32 {
    if step.abs() <= 2 { 1 << (step + 2) } else { 0 }
}

#[inline(always)]
fn worth_of_step<L: Eight>(step: L, table: L, bumpiness: L) -> L {
    let size = step.abs();
    size.min(L::splat(7)).look_up(table).add(bumpiness.mul(size))
}

#[inline(always)]
fn at<L: Eight>(strip: &Strip, first: usize) -> L {
    L::load(strip, first)
}

#[inline(always)]
fn put<L: Eight>(strip: &mut Strip, first: usize, lanes: L) {
    lanes.store(strip, first);
}

#[inline(always)]
fn any<L: Eight>(lanes: L) -> bool {
    lanes.is_equal(L::splat(0)).signs() != 0xff
}

/// A lane of eight bits moved into one of the four bytes.
#[inline(always)]
fn into_byte<L: Eight>(lanes: L, byte: usize) -> L {
    match byte {
        0 => lanes,
        1 => lanes.shl::<8>(),
        2 => lanes.shl::<16>(),
        _ => lanes.shl::<24>(),
    }
}

/// For each byte the sum over its set bits `b` of `b + 1`.
#[inline(always)]
fn ranks_of_bytes<L: Eight>(bytes: L) -> L {
    const LOW: [i8; 16] = [0, 1, 2, 3, 3, 4, 5, 6, 4, 5, 6, 7, 7, 8, 9, 10];
    const HIGH: [i8; 16] = [0, 5, 6, 11, 7, 12, 13, 18, 8, 13, 14, 19, 15, 20, 21, 26];
    let nibble = L::splat(0x0f0f_0f0f);
    let low = bytes.and(nibble).look_up_bytes(&LOW);
    low.add(bytes.shr::<4>().and(nibble).look_up_bytes(&HIGH))
}

/// For each lane the sum over its set bits `b` of `b + 1`.
#[inline(always)]
fn sum_of_ranks<L: Eight>(lanes: L) -> L {
    let (mut left, mut sum) = (lanes, L::splat(0));
    while any(left) {
        sum = sum.add(left.count_ones());
        left = left.shr::<1>();
    }
    sum
}

/// The columns of a board of the engine, between walls.
pub(super) fn columns_of(board: &TenColumns) -> Strip {
    let mut strip = [-1; SIZE];
    for (place, &column) in strip[PAD..].iter_mut().zip(board.columns()) {
        *place = column as i32;
    }
    strip
}

const _: () = assert!(PAD + 8 + 4 + 1 + 8 <= SIZE);
