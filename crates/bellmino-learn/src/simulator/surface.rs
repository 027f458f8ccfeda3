//! A board ten wide prepared for scoring all placements of a piece together.

use bellmino_engine::{Shape, TenColumns};

use super::lanes::Lanes;

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
pub(super) struct Weights {
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
    /// Sides of cells to the left and right that no cell of the piece covers.
    sides: i32,
}

/// A board with all that is worth knowing about its columns.
#[derive(Clone, Debug)]
pub(super) struct Surface {
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
        let mut form =
            Form { width: shape.width(), height: shape.height() as i32, ..Form::default() };
        for (x, &cells) in shape.columns().iter().enumerate() {
            form.cells[x] = i32::from(cells);
            form.bottoms[x] = cells.trailing_zeros() as i32;
            form.tops[x] = 8 - cells.leading_zeros() as i32;
            if cells.count_ones() as i32 != form.tops[x] - form.bottoms[x] {
                return None;
            }
            let beside = |x: usize| shape.columns().get(x).copied().unwrap_or(0);
            let left = if x > 0 { beside(x - 1) } else { 0 };
            form.sides += ((cells & !left).count_ones() + (cells & !beside(x + 1)).count_ones()) as i32;
        }
        Some(form)
    }
}

impl Surface {
    pub fn new() -> Surface {
        let mut inner = [0; SIZE];
        inner[PAD..PAD + WIDTH - 1].fill(-1);
        Surface {
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

    pub fn columns(&self) -> &[i32; WIDTH] {
        self.columns[PAD..PAD + WIDTH].first_chunk().expect("a strip is longer than a board is wide")
    }

    /// The lowest row of a piece dropped with its left edge in column `x`.
    #[inline(always)]
    pub fn landing_row(&self, form: &Form, x: usize) -> i32 {
        let rows = (0..form.width).map(|i| self.heights[PAD + x + i] - form.bottoms[i]);
        rows.max().unwrap_or(0)
    }

    /// Puts a board here that has been reached in any way.
    #[inline(always)]
    pub fn set<L: Lanes, const EXTRA: bool>(
        &mut self,
        columns: &[i32; WIDTH],
        weights: &Weights,
        height: i32,
    ) {
        let totals = Totals::of::<EXTRA>(columns, height);
        self.columns[PAD..PAD + WIDTH].copy_from_slice(columns);
        for (x, &column) in columns.iter().enumerate() {
            self.heights[PAD + x] = height_of(column);
        }
        self.hole_rows = totals.hole_rows;
        self.diversity = totals.diversity;
        self.max_height = totals.max_height;
        self.value = totals.value(weights);
        self.refresh::<L, EXTRA>(weights);
    }

    /// Puts a piece down that fills no row. `value` is what the board is worth afterwards.
    #[inline(always)]
    pub fn put<L: Lanes, const EXTRA: bool>(
        &mut self,
        form: &Form,
        x: usize,
        row: i32,
        value: i32,
        weights: &Weights,
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
    fn refresh<L: Lanes, const EXTRA: bool>(&mut self, weights: &Weights) {
        let zero = L::splat(0);
        for first in [PAD, PAD + 8] {
            let (columns, heights) = (at::<L>(&self.columns, first), at::<L>(&self.heights, first));
            let beside = at::<L>(&self.columns, first - 1).and(at(&self.columns, first + 1));
            let tops = L::splat(1).shl(heights);
            let holes = tops.sub(L::splat(1)).without(columns);
            let well_rows = beside.shr(heights);
            let wells = if any(well_rows.shr_by::<8>()) {
                sum_of_ranks(well_rows)
            } else {
                ranks_of_bytes(well_rows).sum_bytes()
            };
            put(&mut self.tops, first, tops);
            put(&mut self.roofed, first, L::splat(-1).without(holes.equal(zero)));
            put(&mut self.open_holes, first, holes.without(beside));
            put(&mut self.wells, first, wells);
            if EXTRA {
                let step = at::<L>(&self.heights, first + 1).sub(heights);
                let worth = worth_of_step(step, L::load(&weights.steps), L::splat(weights.bumpiness));
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
    pub fn score<L: Lanes, const W: usize, const START: usize, const EXTRA: bool>(
        &self,
        form: &Form,
        weights: &Weights,
        height: i32,
    ) -> Scored<L> {
        let zero = L::splat(0);
        // Column `j` of the piece; -2, -1, W and W + 1 lie beside it.
        let entry = |j: isize| (START + PAD).wrapping_add_signed(j);
        let column = |j: isize| at::<L>(&self.columns, entry(j));
        let old_height = |j: isize| at::<L>(&self.heights, entry(j));

        let mut row = old_height(0).sub(L::splat(form.bottoms[0]));
        for i in 1..W {
            row = row.max(old_height(i as isize).sub(L::splat(form.bottoms[i])));
        }
        let fatal = row.greater(L::splat(height - form.height));

        let mut new_columns = [zero; 8];
        for j in -2..W as isize + 2 {
            new_columns[(j + 2) as usize] = column(j);
        }
        let mut filled = at::<L>(&self.filled_left, START + PAD).and(at(&self.filled_right, START + PAD + W));
        let mut holes = zero;
        let mut openings = zero;
        let mut hole_depth = zero;
        let mut hole_rows = zero;
        let mut gaps = [zero; 4];
        let mut sides = zero;
        for i in 0..W {
            let j = i as isize;
            let cells = L::splat(form.cells[i]);
            let placed = new_columns[i + 2].or(cells.shl(row));
            filled = filled.and(placed);
            let gap = row.add(L::splat(form.bottoms[i])).sub(old_height(j));
            let opens = gap.greater(zero);
            holes = holes.add(gap);
            openings = openings.sub(opens);
            let length = L::splat(form.tops[i] - form.bottoms[i]);
            hole_depth = hole_depth.add(length.and(opens.or(at(&self.roofed, entry(j)))));
            gaps[i] = L::splat(1 << form.bottoms[i]).shl(row).sub(at(&self.tops, entry(j)));
            hole_rows = hole_rows.or(gaps[i]);
            // Filled cells beside the cells of this column, left and right, in one byte.
            let left = column(j - 1).shr(row).and(cells);
            let right = column(j + 1).shr(row).and(cells);
            let both = left.or(right.shl_by::<4>());
            sides = sides.or(match i {
                0 => both,
                1 => both.shl_by::<8>(),
                2 => both.shl_by::<16>(),
                _ => both.shl_by::<24>(),
            });
            new_columns[i + 2] = placed;
        }

        // Well cells: above the tops, in the gaps under the piece, and old holes that get a neighbour.
        let mut wells = zero;
        let mut items = [zero; 12];
        let mut count = 0;
        let mut seen = zero;
        let mut closed = zero;
        for j in -1..=W as isize {
            let beside = new_columns[(j + 1) as usize].and(new_columns[(j + 3) as usize]);
            let inside = (0..W as isize).contains(&j);
            let top = if inside { row.add(L::splat(form.tops[j as usize])) } else { old_height(j) };
            items[count] = beside.shr(top);
            seen = seen.or(items[count]);
            count += 1;
            if inside {
                items[count] = beside.and(gaps[j as usize]).shr(old_height(j));
                seen = seen.or(items[count]);
                count += 1;
            }
            closed = closed.or(beside.and(at(&self.open_holes, entry(j))));
            wells = wells.sub(at(&self.wells, entry(j)));
        }
        if any(seen.shr_by::<8>()) {
            for item in &items[..count] {
                wells = wells.add(sum_of_ranks(*item));
            }
        } else {
            let mut ranks = zero;
            for four in items[..count].chunks(4) {
                let mut packed = four[0];
                for (place, item) in four.iter().enumerate().skip(1) {
                    packed = packed.or(match place {
                        1 => item.shl_by::<8>(),
                        2 => item.shl_by::<16>(),
                        _ => item.shl_by::<24>(),
                    });
                }
                ranks = ranks.add(ranks_of_bytes(packed));
            }
            wells = wells.add(ranks.sum_bytes());
        }
        if any(closed) {
            for j in -1..=W as isize {
                let beside = new_columns[(j + 1) as usize].and(new_columns[(j + 3) as usize]);
                let mut cells = beside.and(at(&self.open_holes, entry(j)));
                while any(cells) {
                    wells = wells.add(cells.count_ones());
                    cells = cells.shr_by::<1>().without(column(j));
                }
            }
        }

        let base_rows = L::splat(self.hole_rows);
        let new_hole_rows = hole_rows.without(base_rows).count_ones();
        let product = |weight: i32, count: L| L::splat(weight).mul(count);
        let mut values = product(2 * weights.landing, row);
        values = values.add(L::splat(
            weights.landing * (form.height - 1) + weights.row_transitions * form.sides,
        ));
        values = values.add(product(-2 * weights.row_transitions, sides.count_ones()));
        values = values.add(product(2 * weights.column_transitions, openings));
        values = values.add(product(weights.holes, holes));
        values = values.add(product(weights.wells, wells));
        values = values.add(product(weights.hole_depth, hole_depth));
        values = values.add(product(weights.hole_rows, new_hole_rows));
        if EXTRA {
            let new_height = |j: isize| {
                let inside = (0..W as isize).contains(&j);
                if inside { row.add(L::splat(form.tops[j as usize])) } else { old_height(j) }
            };
            let mut kinds =
                at::<L>(&self.kinds_left, START + PAD).or(at(&self.kinds_right, START + PAD + W));
            let table = L::load(&weights.steps);
            for j in -1..W as isize {
                let inner = at::<L>(&self.inner, entry(j));
                let step = new_height(j + 1).sub(new_height(j));
                let worth = worth_of_step(step, table, L::splat(weights.bumpiness));
                values = values.add(worth.and(inner)).sub(at(&self.steps, entry(j)));
                kinds = kinds.or(L::splat(1).shl(step.add(L::splat(2))).and(inner));
            }
            let kinds = kinds.and(L::splat(31)).count_ones();
            values = values.add(product(weights.diversity, kinds.sub(L::splat(self.diversity))));
            let mut rise = zero;
            for i in 0..W {
                rise = rise.add(new_height(i as isize)).sub(old_height(i as isize));
            }
            values = values.add(product(weights.aggregate, rise));
            let over = row.add(L::splat(form.height - self.max_height)).max(zero);
            values = values.add(product(weights.max_height, over));
        }
        Scored { values: L::select(fatal, L::splat(FATAL), values), filled }
    }
}

/// What is counted on a whole board.
pub(super) struct Totals {
    row_transitions: i32,
    column_transitions: i32,
    holes: i32,
    wells: i32,
    hole_depth: i32,
    hole_rows: i32,
    diversity: i32,
    aggregate: i32,
    max_height: i32,
    bumpiness: i32,
    steps: [i32; 8],
}

impl Totals {
    #[inline(always)]
    pub fn of<const EXTRA: bool>(columns: &[i32; WIDTH], height: i32) -> Totals {
        let all = ((1u64 << height) - 1) as u32;
        let column = |x: usize| columns[x] as u32;
        let (mut row_transitions, mut column_transitions, mut filled) = (0, 0, 0);
        let (mut wells, mut hole_depth, mut hole_rows) = (0, 0, 0u32);
        let (mut aggregate, mut max_height, mut bumpiness) = (0, 0, 0);
        let (mut kinds, mut steps) = (0i32, [0; 8]);
        let mut left = all;
        for x in 0..WIDTH {
            let this = column(x);
            let right = if x + 1 < WIDTH { column(x + 1) } else { all };
            row_transitions += (left ^ this).count_ones();
            column_transitions += (this ^ (this << 1 | 1)).count_ones();
            filled += this.count_ones();
            hole_depth += (this & this.wrapping_add(1)).count_ones();
            let top = height_of(this as i32);
            hole_rows |= !this & ((1u64 << top) - 1) as u32;
            aggregate += top;
            max_height = max_height.max(top);
            let mut cells = left & right & !this;
            while cells != 0 {
                wells += cells.count_ones();
                cells = (cells >> 1) & !this;
            }
            if EXTRA && x + 1 < WIDTH {
                let step = height_of(right as i32) - top;
                kinds |= kind_of_step(step);
                bumpiness += step.abs();
                steps[step.unsigned_abs().min(7) as usize] += 1;
            }
            left = this;
        }
        row_transitions += (left ^ all).count_ones();
        Totals {
            row_transitions: row_transitions as i32,
            column_transitions: column_transitions as i32,
            holes: aggregate - filled as i32,
            wells: wells as i32,
            hole_depth: hole_depth as i32,
            hole_rows: hole_rows as i32,
            diversity: kinds.count_ones() as i32,
            aggregate,
            max_height,
            bumpiness,
            steps,
        }
    }

    /// What the board is worth, without the placement that led to it.
    #[inline(always)]
    pub fn value(&self, weights: &Weights) -> i32 {
        let steps: i32 = self.steps.iter().zip(&weights.steps).map(|(count, weight)| count * weight).sum();
        self.row_transitions * weights.row_transitions
            + self.column_transitions * weights.column_transitions
            + self.holes * weights.holes
            + self.wells * weights.wells
            + self.hole_depth * weights.hole_depth
            + self.hole_rows.count_ones() as i32 * weights.hole_rows
            + self.diversity * weights.diversity
            + self.aggregate * weights.aggregate
            + self.max_height * weights.max_height
            + self.bumpiness * weights.bumpiness
            + steps
    }
}

#[inline(always)]
pub(super) fn height_of(column: i32) -> i32 {
    32 - column.leading_zeros() as i32
}

#[inline(always)]
fn kind_of_step(step: i32) -> i32 {
    if step.abs() <= 2 { 1 << (step + 2) } else { 0 }
}

#[inline(always)]
fn worth_of_step<L: Lanes>(step: L, table: L, bumpiness: L) -> L {
    let size = step.abs();
    size.min(L::splat(7)).look_up(table).add(bumpiness.mul(size))
}

#[inline(always)]
fn at<L: Lanes>(strip: &Strip, first: usize) -> L {
    L::load(strip[first..].first_chunk().expect("eight entries from every start"))
}

#[inline(always)]
fn put<L: Lanes>(strip: &mut Strip, first: usize, lanes: L) {
    lanes.store(strip[first..].first_chunk_mut().expect("eight entries from every start"));
}

#[inline(always)]
fn any<L: Lanes>(lanes: L) -> bool {
    lanes.equal(L::splat(0)).signs() != 0xff
}

/// For each byte the sum over its set bits `b` of `b + 1`.
#[inline(always)]
fn ranks_of_bytes<L: Lanes>(bytes: L) -> L {
    const LOW: [i8; 16] = [0, 1, 2, 3, 3, 4, 5, 6, 4, 5, 6, 7, 7, 8, 9, 10];
    const HIGH: [i8; 16] = [0, 5, 6, 11, 7, 12, 13, 18, 8, 13, 14, 19, 15, 20, 21, 26];
    let nibble = L::splat(0x0f0f_0f0f);
    let low = bytes.and(nibble).look_up_bytes(&LOW);
    low.add(bytes.shr_by::<4>().and(nibble).look_up_bytes(&HIGH))
}

/// For each lane the sum over its set bits `b` of `b + 1`.
#[inline(always)]
fn sum_of_ranks<L: Lanes>(lanes: L) -> L {
    let (mut left, mut sum) = (lanes, L::splat(0));
    while any(left) {
        sum = sum.add(left.count_ones());
        left = left.shr_by::<1>();
    }
    sum
}

/// The columns of a board of the engine.
pub(super) fn columns_of(board: &TenColumns) -> [i32; WIDTH] {
    board.columns().map(|column| column as i32)
}

const _: () = assert!(PAD + 8 + 4 + 1 + 8 <= SIZE);
