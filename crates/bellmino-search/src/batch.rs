//! Boards judged side by side: one in each lane of the processor's widest registers. The fast twin of [`Weights::leaf`].
//!
//! A column is 32 bits, the lowest row the highest bit. A row of a board is one bit in ten words, so that what [`evaluation`] finds by
//! walking over columns and heights is found here for all rows, and all boards, at once.
//!
//! [`evaluation`]: crate::evaluation

use bellmino_engine::guideline::{Board, Column, Ground, Piece, WIDTH};
use bellmino_lanes::Lanes;

use crate::evaluation::{EvaluationState, Feature, Features, Weights};

/// The most boards of a batch.
pub(crate) const MOST: usize = 16;

/// What follows a higher board is judged one by one: there is room above this one for one more piece, and for whatever is tried.
pub(crate) const HIGHEST: usize = 24;

/// Bits of a standing.
const RESERVE_T: u32 = 1;
const RESERVE_I: u32 = 2;
const BACK_TO_BACK: u32 = 4;
/// How far up the combo lies.
const COMBO: u32 = 8;

/// Something for each column. A macro, since what it holds must be compiled for the same processor as all around it, which a closure is not.
macro_rules! columns {
    ($x:ident => $value:expr) => {{
        let mut all = [L::splat(0); WIDTH];
        for $x in 0..WIDTH {
            all[$x] = $value;
        }
        all
    }};
}

/// The same statements for each column, written out so that they know it when they are compiled.
macro_rules! unrolled {
    ($x:ident => $body:expr) => {
        unrolled!($x => $body; 0 1 2 3 4 5 6 7 8 9);
    };
    ($x:ident => $body:expr; $($value:literal)*) => {
        $({
            let $x: usize = $value;
            $body
        })*
    };
}

/// Boards to be judged together.
#[derive(Debug)]
pub(crate) struct Batch {
    /// Those of the board, and some beyond it.
    columns: [[u32; MOST]; Ground::ROOM],
    standings: [u32; MOST],
    len: usize,
}

impl Default for Batch {
    fn default() -> Batch {
        Batch { columns: [[0; MOST]; Ground::ROOM], standings: [0; MOST], len: 0 }
    }
}

impl Batch {
    /// Boards so far.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Adds a board, for which there must be room.
    #[inline(always)]
    pub fn push(&mut self, board: &Board, standing: &EvaluationState) {
        let lane = self.len % MOST;
        for (to, column) in self.columns.iter_mut().zip(board.columns()) {
            to[lane] = upper(*column);
        }
        self.standings[lane] = bits_of(standing);
        self.len += 1;
    }

    /// The same for a board that has other columns from one on, which may end beyond the board.
    #[inline(always)]
    pub fn push_changed(
        &mut self,
        board: &Board,
        (first, columns): (usize, [Column; 4]),
        standing: &EvaluationState,
    ) {
        let lane = self.len;
        self.push(board, standing);
        for (to, column) in self.columns[first % 16..].iter_mut().zip(columns) {
            to[lane % MOST] = upper(column);
        }
    }

    /// What the boards are worth as [`Weights::leaf`] says, and an empty batch.
    #[inline(always)]
    pub fn judge<L: Lanes>(&mut self, weights: &Weights) -> [f32; MOST] {
        let mut values = [0; MOST];
        for first in (0..self.len).step_by(L::COUNT) {
            let columns = columns!(x => L::load(&self.columns[x], first));
            let standings = L::load(&self.standings, first);
            judge(columns, standings, &weights.features).store(&mut values, first);
        }
        self.len = 0;
        values.map(f32::from_bits)
    }
}

/// The rows of a column that count here.
#[inline(always)]
fn upper(column: Column) -> u32 {
    (column.bits() >> 32) as u32
}

/// A standing as a number.
#[inline(always)]
fn bits_of(standing: &EvaluationState) -> u32 {
    let reserve = match standing.reserve {
        Some(Piece::T) => RESERVE_T,
        Some(Piece::I) => RESERVE_I,
        _ => 0,
    };
    let back_to_back = if standing.back_to_back { BACK_TO_BACK } else { 0 };
    reserve | back_to_back | standing.combo.min(10) << COMBO
}

/// Boards with what is asked of their columns again and again.
struct Skylines<L> {
    columns: [L; WIDTH],
    /// The highest filled cell.
    tops: [L; WIDTH],
    /// All rows below the height.
    below: [L; WIDTH],
}

impl<L: Lanes> Skylines<L> {
    #[inline(always)]
    fn of(columns: [L; WIDTH]) -> Self {
        let tops = columns!(x => columns[x].and(columns[x].negated()));
        let below = columns!(x => columns[x].or(columns[x].negated()));
        Skylines { columns, tops, below }
    }

    /// Height of the highest column.
    #[inline(always)]
    fn tallest(&self) -> L {
        self.inside().count_ones()
    }

    /// The rows up to it.
    #[inline(always)]
    fn inside(&self) -> L {
        union(&self.below)
    }
}

/// Places into which a T can be turned, as in [`evaluation`](crate::evaluation).
struct SlotLanes<L: Lanes> {
    /// Number of places that would clear nothing yet.
    incomplete: L,
    /// Rows of the places for less than two rows.
    unfinished: L,
    /// A place for one row.
    single: L::Set,
    /// A place for two rows.
    double: L::Set,
    /// A place for three rows.
    triple: L::Set,
    /// The boards with a T in the best place for two rows or three.
    after: [L; WIDTH],
}

#[inline(always)]
fn judge<L: Lanes>(columns: [L; WIDTH], standings: L, weights: &Features) -> L {
    let zero = L::splat(0);
    let mut skylines = Skylines::of(columns);
    let tallest = skylines.tallest();
    let (mut single, mut double, mut triple, mut again) = (L::none(), L::none(), L::none(), L::none());
    let mut placed = 0;
    let SlotLanes { incomplete, unfinished, .. } = loop {
        let slots = slots(&skylines);
        single = L::either(single, slots.single);
        let found = L::either(slots.double, slots.triple);
        if placed == 2 || L::is_empty(found) {
            break slots;
        }
        double = L::either(double, slots.double);
        triple = L::either(triple, slots.triple);
        if placed == 1 {
            again = found;
        }
        placed += 1;
        skylines = Skylines::of(cleared(slots.after));
    };

    let Skylines { columns, tops, below } = &skylines;
    let (mut even, mut odd, mut holes, mut covered, mut hole_rows) = (zero, zero, zero, zero, zero);
    for x in 0..WIDTH {
        let cells = if x % 2 == 0 { &mut even } else { &mut odd };
        *cells = cells.add(columns[x].count_ones());
        let empty = below[x].without(columns[x]);
        let has_holes = empty.is_any();
        if !L::is_empty(has_holes) {
            let highest = empty.and(empty.negated());
            let above = highest.sub(tops[x]).count_ones().min(L::splat(6));
            covered = covered.add(L::select(has_holes, above, zero));
            holes = holes.add(empty.count_ones());
            hole_rows = hole_rows.or(empty);
        }
    }
    let inside = skylines.inside();
    let mut transitions =
        inside.without(columns[0]).count_ones().add(inside.without(columns[WIDTH - 1]).count_ones());
    for x in 1..WIDTH {
        transitions = transitions.add(columns[x - 1].xor(columns[x]).count_ones());
    }

    // The first of the lowest columns.
    let heights = columns!(x => below[x].count_ones());
    let mut lowest = heights[0].shl::<4>();
    for x in 1..WIDTH {
        lowest = lowest.min(heights[x].shl::<4>().or(L::splat(x as u32)));
    }
    let well = lowest.and(L::splat(15));
    let mut wells = [L::none(); WIDTH];
    for x in 0..WIDTH {
        wells[x] = well.is_equal(L::splat(x as u32));
    }
    // Above its floor it is empty: rows that lack only the well have nine cells. Eight of them are enough to know.
    let counts = row_counts(columns);
    let nine = counts[0].and(counts[3]).without(counts[1].or(counts[2]));
    let floor = lowest.shr::<4>();
    let eight_rows = L::splat(0xff00_0000_u32);
    let mut lacking = L::splat(u32::MAX).without(nine.shl_each(floor));
    lacking = lacking.or(lacking.shr::<1>());
    lacking = lacking.or(lacking.shr::<2>());
    lacking = lacking.or(lacking.shr::<4>());
    let depth = eight_rows.without(lacking).count_ones();

    // The steps between neighbours, as if the well were not there.
    let (mut bumpiness, mut squares) = (zero, zero);
    let (mut before, mut after) = (zero, zero);
    for x in 1..WIDTH - 1 {
        before = L::select(wells[x], heights[x - 1], before);
        after = L::select(wells[x], heights[x + 1], after);
    }
    let mut steps = [before.sub(after); WIDTH];
    for x in 1..WIDTH {
        let is_well = L::either(wells[x - 1], wells[x]);
        steps[x] = L::select(is_well, zero, heights[x - 1].sub(heights[x]));
    }
    for step in steps {
        bumpiness = bumpiness.add(step.abs());
        squares = squares.add(step.mul(step).min(L::splat(36)));
    }

    let reserve_t = standings.and(L::splat(RESERVE_T)).is_any();
    let reserve_i = standings.and(L::splat(RESERVE_I)).is_any();
    let back_to_back = standings.and(L::splat(BACK_TO_BACK)).is_any();
    let cells = even.add(odd);
    let slot = L::either(double, triple);
    let four_rows = depth.min(L::splat(4)).is_equal(L::splat(4));
    let height = skylines.tallest();
    let perfect = L::both(
        L::both(depth.is_equal(L::splat(4)), height.is_equal(L::splat(4))),
        cells.is_equal(L::splat(36)),
    );

    // The same sums in the same order as there.
    let mut sums = [zero; 4];
    macro_rules! add {
        ($feature:ident, $value:expr) => {
            let feature = Feature::$feature as usize;
            let value = $value.mul_float(L::splat(weights[feature].to_bits()));
            sums[feature % 4] = sums[feature % 4].add_float(value);
        };
    }
    /// What is 1 in some lanes and 0 in the others.
    macro_rules! add_flag {
        ($feature:ident, $set:expr) => {
            let one = L::splat(1.0_f32.to_bits());
            add!($feature, L::select($set, one, zero));
        };
    }
    add!(Cells, cells.to_float());
    add!(MaxHeight, tallest.to_float());
    add!(High, beyond(tallest, 10).to_float());
    add!(Danger, beyond(tallest, 15).to_float());
    add!(Bumpiness, bumpiness.to_float());
    add!(BumpinessSquared, squares.to_float());
    add!(RowTransitions, transitions.to_float());
    add!(Holes, holes.to_float());
    add!(Covered, covered.to_float());
    add!(HoleRows, hole_rows.count_ones().to_float());
    add!(WellDepth, depth.min(L::splat(4)).to_float());
    add!(WellBeyond, beyond(depth, 4).to_float());
    add_flag!(TetrisReady, four_rows);
    add_flag!(TetrisAtHand, L::both(four_rows, reserve_i));
    add_flag!(WellEdge, L::either(wells[0], wells[WIDTH - 1]));
    add_flag!(WellNextEdge, L::either(wells[1], wells[WIDTH - 2]));
    add!(Slot0, incomplete.to_float());
    add!(SlotGaps, gaps(unfinished, &counts).to_float());
    add_flag!(Slot1, single);
    add_flag!(Slot2, double);
    add_flag!(Slot2Again, again);
    add_flag!(Slot3, triple);
    add_flag!(SlotAtHand, L::both(slot, reserve_t));
    add_flag!(ReserveT, reserve_t);
    add_flag!(ReserveI, reserve_i);
    add_flag!(BackToBack, back_to_back);
    add!(Combo, standings.shr::<COMBO>().to_float());
    add_flag!(Empty, tallest.is_equal(zero));
    add!(ColumnParity, even.sub(odd).abs().to_float().mul_float(L::splat(0.25_f32.to_bits())));
    add_flag!(OddRows, cells.and(L::splat(3)).is_any());
    let is_low = height.max(L::splat(4)).is_equal(L::splat(4));
    add_flag!(LowClean, L::except(is_low, holes.is_any()));
    add_flag!(PerfectReady, perfect);
    add_flag!(PerfectAtHand, L::both(perfect, reserve_i));
    sums[0].add_float(sums[1]).add_float(sums[2].add_float(sums[3]))
}

/// How much more than a bound a number is.
#[inline(always)]
fn beyond<L: Lanes>(number: L, bound: u32) -> L {
    number.sub(L::splat(bound)).max(L::splat(0))
}

/// All bits of these.
#[inline(always)]
fn union<L: Lanes>(columns: &[L; WIDTH]) -> L {
    let mut union = columns[0];
    for x in 1..WIDTH {
        union = union.or(columns[x]);
    }
    union
}

/// Looks for the two shapes of [`evaluation`](crate::evaluation), in the same order. The empty cell of a marked column is the row that all
/// conditions are brought to.
#[inline(always)]
fn slots<L: Lanes>(skylines: &Skylines<L>) -> SlotLanes<L> {
    let zero = L::splat(0);
    let Skylines { columns, tops, below } = skylines;
    let mut slots = SlotLanes {
        incomplete: zero,
        unfinished: zero,
        single: L::none(),
        double: L::none(),
        triple: L::none(),
        after: *columns,
    };
    let marks = columns!(x => columns[x].shl::<1>().and(columns[x].shr::<1>()).without(columns[x]));
    if L::is_empty(union(&marks).is_any()) {
        return slots;
    }
    let mut full_left = [L::splat(u32::MAX); WIDTH + 1];
    let mut full_right = [L::splat(u32::MAX); WIDTH + 1];
    for x in 0..WIDTH {
        full_left[x + 1] = full_left[x].and(columns[x]);
        full_right[WIDTH - 1 - x] = full_right[WIDTH - x].and(columns[WIDTH - 1 - x]);
    }
    let mut single = zero;
    unrolled!(marked => 'column: {
        // Boards that follow the same position have most columns in common.
        if L::is_empty(marks[marked].is_any()) {
            break 'column;
        }
        for right in [true, false] {
            let near = if right { marked + 1 } else { marked.wrapping_sub(1) };
            let far = if right { marked + 2 } else { marked.wrapping_sub(2) };
            if far >= WIDTH {
                continue;
            }
            let place = marks[marked].and(tops[far].shr::<1>()).without(below[near].shr::<1>());
            let upper = full_left[near - 1].and(full_right[near + 2]);
            let lower = full_left[near].and(full_right[near + 1]).shr::<1>();
            let two = place.and(upper).and(lower);
            single = single.or(place.and(upper.xor(lower)));
            let none = place.without(upper.or(lower));
            slots.incomplete = slots.incomplete.add(none.count_ones());
            slots.unfinished = slots.unfinished.or(place.without(two));
            let is_first = L::except(two.is_any(), L::either(slots.double, slots.triple));
            if !L::is_empty(is_first) {
                let row = L::select(is_first, two, zero);
                slots.double = L::either(slots.double, is_first);
                for x in [marked, near, far] {
                    slots.after[x] = slots.after[x].or(row);
                }
                slots.after[near] = slots.after[near].or(row.shl::<1>());
            }
        }
        // A triple: the T stands beside the marked column and points into it.
        let rows_to_20 = L::splat(u32::MAX << 11);
        let open = marks[marked].and(tops[marked].shl::<1>()).and(rows_to_20);
        if L::is_empty(open.is_any()) {
            break 'column;
        }
        for right in [true, false] {
            let (x, beyond) = if right {
                (marked.wrapping_sub(1), marked + 1)
            } else {
                (marked + 1, marked.wrapping_sub(1))
            };
            if x >= WIDTH || beyond >= WIDTH {
                continue;
            }
            let column = columns[x];
            let beside = column.or(column.shl::<2>()).or(column.shl::<1>()).or(column.shr::<1>());
            let place = open.and(tops[x].shl::<3>()).without(beside).without(below[beyond].shl::<2>());
            let rows = full_left[x].and(full_right[x + 1]);
            let (upper, lower) = (rows.shl::<1>(), rows.shr::<1>());
            let middle = full_left[x.min(marked)].and(full_right[x.max(marked) + 1]);
            let three = place.and(upper).and(middle).and(lower);
            let odd = place.and(upper.xor(middle).xor(lower));
            single = single.or(odd.without(three));
            let two = place.and(upper.and(middle).or(upper.and(lower)).or(middle.and(lower)));
            let found = L::either(slots.double, slots.triple);
            let is_three = L::except(three.is_any(), slots.triple);
            let is_two = L::except(L::except(two.is_any(), three.is_any()), found);
            let is_taken = L::either(is_two, is_three);
            if !L::is_empty(is_taken) {
                slots.double = L::either(L::except(slots.double, is_three), is_two);
                slots.triple = L::either(slots.triple, is_three);
                let row = L::select(is_taken, place, zero);
                // It takes the place of one for two rows.
                slots.after = columns!(x => L::select(is_three, columns[x], slots.after[x]));
                slots.after[marked] = slots.after[marked].or(row);
                slots.after[x] = slots.after[x].or(row).or(row.shl::<1>()).or(row.shr::<1>());
            }
        }
    });
    slots.single = single.is_any();
    slots
}

/// Boards without their full rows.
#[inline(always)]
fn cleared<L: Lanes>(mut columns: [L; WIDTH]) -> [L; WIDTH] {
    loop {
        let mut full = columns[0];
        for x in 1..WIDTH {
            full = full.and(columns[x]);
        }
        let is_any = full.is_any();
        if L::is_empty(is_any) {
            return columns;
        }
        // The highest full row and those right below it; what lies above moves down by as many.
        let top = full.and(full.negated());
        let run = full.without(full.add(top));
        let above = L::select(is_any, top.sub(L::splat(1)), L::splat(0));
        let count = run.count_ones();
        let gone = above.or(run);
        columns = columns!(x => columns[x].and(above).shl_each(count).or(columns[x].without(gone)));
    }
}

/// How many cells of each row are filled, as four binary digits.
#[inline(always)]
fn row_counts<L: Lanes>(columns: &[L; WIDTH]) -> [L; 4] {
    let [a, b, c, d, e, f, g, h, i, j] = *columns;
    let (first, one) = sum(a, b, c);
    let (second, two) = sum(d, e, f);
    let (third, three) = sum(g, h, i);
    let (most, four) = sum(first, second, third);
    let (units, five) = (most.xor(j), most.and(j));
    let (some, six) = sum(one, two, three);
    let (twos, seven) = sum(some, four, five);
    [units, twos, six.xor(seven), six.and(seven)]
}

/// The sum of three digits, and what is carried.
#[inline(always)]
fn sum<L: Lanes>(a: L, b: L, c: L) -> (L, L) {
    (a.xor(b).xor(c), a.and(b).or(a.and(c)).or(b.and(c)))
}

/// What the best of these places lacks, at most 8; 0 if there is none. A place is the upper one of two rows, of which the T fills four cells.
#[inline(always)]
fn gaps<L: Lanes>(places: L, counts: &[L; 4]) -> L {
    let zero = L::splat(0);
    let is_any = places.is_any();
    if L::is_empty(is_any) {
        return zero;
    }
    // The cells of both rows, digit by digit. Where less than two rows become full there are at most fifteen.
    let (mut both, mut carry) = (*counts, zero);
    for digit in &mut both {
        (*digit, carry) = sum(*digit, digit.shr::<1>(), carry);
    }
    let (mut places, mut most) = (places, zero);
    for digit in (0..4).rev() {
        let those = places.and(both[digit]);
        let is_larger = those.is_any();
        places = L::select(is_larger, those, places);
        most = L::select(is_larger, most.or(L::splat(1 << digit)), most);
    }
    L::select(is_any, L::splat(16).sub(most).min(L::splat(8)), zero)
}

#[cfg(test)]
mod tests {
    use bellmino_engine::guideline::{Match, Rules};
    use bellmino_engine::{Purpose, below, stream};

    use super::*;
    use crate::bot::Bot;
    use crate::budget::Budget;
    use crate::evaluation::describe;
    use bellmino_lanes::{Avx2, Avx512};

    /// What the bot comes upon in its games, with all that it builds.
    fn searched() -> Vec<Board> {
        let mut positions = vec![];
        for seed in 0..6 {
            let mut game = Match::new(Rules::BLITZ, seed);
            let mut bot = Bot::for_rules(&Rules::BLITZ);
            for _ in 0..60 {
                let thought = bot.think(&game.view(), Budget::nodes(4000), None);
                positions.extend(bot.frontier().map(|(board, _)| board));
                let best = thought.best().expect("the bot does not lose so soon");
                game.play(&best.placement).expect("a placement of the generator");
            }
        }
        positions
    }

    /// Rows that lack a cell or a few, the same ones as the row below more often than not.
    fn board(chance: &mut impl FnMut(usize) -> usize) -> Board {
        let height = chance(HIGHEST + 5);
        let mut open = 1 << chance(10);
        let rows = (0..height).map(|_| {
            open = match chance(8) {
                0..3 => open,
                3 => 1 << chance(10),
                4 => 0b111 << chance(8),
                5 => 0b11 << chance(9),
                6 => 1 << chance(10) | 1 << chance(10),
                _ => open | (open << 1 | open >> 1) & chance(1024) as u16,
            };
            let rough = if chance(5) == 0 { chance(1024) as u16 } else { 0 };
            1023 & !(open | rough)
        });
        Board::from_rows(rows)
    }

    /// A triple and then a double, above some rows. Of the three columns at `x` the T stands in the first, or the last.
    fn triple_and_double(chance: &mut impl FnMut(usize) -> usize) -> Board {
        let lacking = [0b010, 0b001, 0b011, 0b001, 0b111, 0b110];
        let is_mirrored = chance(2) == 0;
        let x = chance(8);
        let mirrored = |bits: u16| bits >> 2 | bits & 2 | (bits & 1) << 2;
        let row = |bits| 1023 & !(if is_mirrored { mirrored(bits) } else { bits } << x);
        let below: Vec<u16> = (0..chance(20)).map(|_| 1023 & !(1 << chance(10))).collect();
        Board::from_rows(below.into_iter().chain(lacking.map(row)))
    }

    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    fn wide(batch: &mut Batch, weights: &Weights) -> [f32; MOST] {
        batch.judge::<Avx512>(weights)
    }

    #[target_feature(enable = "avx2")]
    fn narrow(batch: &mut Batch, weights: &Weights) -> [f32; MOST] {
        batch.judge::<Avx2>(weights)
    }

    /// Boards side by side are worth what they are one by one, to the last bit, in batches of every size.
    #[test]
    fn side_by_side_as_one_by_one() {
        let mut generator = stream(1, Purpose::Player, 0);
        let mut chance = |most: usize| below(&mut generator, most);
        let mut weights = Weights::blitz();
        let mut seen = [0; Feature::COUNT];
        let searched = searched();
        for round in 0..20_000 {
            // Every feature counts, those too that the shipped weights leave out.
            weights.features = std::array::from_fn(|_| chance(2001) as f32 / 7.0 - 140.0);
            let mut boards = vec![];
            for _ in 0..=round % MOST {
                let reserve = Piece::ALL.get(chance(8)).copied();
                let standing =
                    EvaluationState { reserve, back_to_back: chance(2) == 0, combo: chance(14) as u32 };
                let board = match chance(9) {
                    0 => triple_and_double(&mut chance),
                    1..5 => board(&mut chance),
                    _ => searched[chance(searched.len())],
                };
                boards.push((board, standing));
            }
            let expected: Vec<f32> =
                boards.iter().map(|(board, standing)| weights.leaf(board, standing)).collect();
            for (board, standing) in &boards {
                let mut features = [0.0; Feature::COUNT];
                describe(board, standing, &mut features);
                (0..Feature::COUNT).for_each(|index| seen[index] += usize::from(features[index] != 0.0));
            }
            let mut batch = Batch::default();
            let mut check = |judge: &dyn Fn(&mut Batch) -> [f32; MOST]| {
                boards.iter().for_each(|(board, standing)| batch.push(board, standing));
                assert_eq!(judge(&mut batch)[..boards.len()], expected, "{boards:?}");
            };
            if Avx512::is_there() {
                // SAFETY: the processor has the instructions.
                check(&|batch| unsafe { wide(batch, &weights) });
            }
            if Avx2::is_there() {
                // SAFETY: the processor has the instructions.
                check(&|batch| unsafe { narrow(batch, &weights) });
            }
        }
        for feature in &Feature::ALL[..Feature::SlotSoon as usize] {
            assert!(seen[*feature as usize] > 4, "{feature:?} came up {} times", seen[*feature as usize]);
        }
    }
}
