//! The greedy player at full speed on boards ten wide: all placements of a piece are scored together.

mod surface;

use std::cmp::Reverse;

use bellmino_engine::placement::{
    Board, Dealer, DealerState, Grid, Landing, Overflow, Path, Placement, TenColumns,
};
use bellmino_engine::{Generator, PlacementGame};
use bellmino_lanes::{Eight, Here};

use crate::caution::{Caution, CautiousProspect};
use crate::controller::Controller;
use crate::feature::Feature;
use surface::{FATAL, FastSurface, FastWeights, Form, PAD, Scored, Strip, Valued, WIDTH, columns_of};

/// Plays games with a linear controller at full speed: `drop` moves, boards ten wide and at most 27 high, pieces of
/// at most four cells, and the features it knows. Every game is the same, move for move, as one played with
/// [`Controller::choose`], on every processor.
///
/// ```
/// use bellmino_engine::{Game, Purpose, stream};
/// use bellmino_learn::{Controller, Simulator};
///
/// let game = Game::built_in("classic", &["board.height=10".parse().unwrap()]).unwrap().unwrap();
/// let controller = Controller::built_in("dellacherie").unwrap();
/// let mut simulator = Simulator::new(game.placement().unwrap(), &controller).unwrap();
/// simulator.start(stream(1, Purpose::Dealer, 0));
/// simulator.play(1000);
/// assert!(simulator.tally().lines() > 300);
/// ```
#[derive(Clone, Debug)]
pub struct Simulator {
    rules: FastRules,
    weights: FastWeights,
    /// Whether there are features beyond the eight.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(dead_code, reason = "asked of processors that may have them")
    )]
    extra: bool,
    avx2: bool,
    surface: FastSurface,
    dealing: SimulatedDealer,
    /// Whether the next piece is looked at too, and that piece once it is dealt.
    ahead: bool,
    next: Option<usize>,
    /// From when on it looks at every piece that may come next, and how often each does.
    caution: Option<Caution>,
    frequencies: Vec<i64>,
    tally: Tally,
    lost: bool,
}

/// Where a game stands: all that is needed to go on from there with other pieces.
#[derive(Clone, Debug)]
pub struct Foothold {
    columns: Strip,
    next: Option<usize>,
    state: DealerState,
}

/// What has happened in a game so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Pieces placed, the fatal one too.
    pub pieces: u64,
    /// How many placements cleared 1, 2, 3, 4 rows.
    pub clears: [u64; 4],
    /// Points, added up move by move as a match does, so that they are the same to the last bit. A fatal piece scores
    /// nothing.
    pub score: f64,
    /// Whether the last piece ended the game by overflow.
    pub fatal: bool,
}

#[derive(Clone, Debug)]
struct FastRules {
    height: i32,
    overflow: Overflow,
    pieces: Vec<Vec<Form>>,
    /// Points for clearing 0 to 4 rows.
    points: [f64; 5],
}

/// A dealer with its state and its chance.
#[derive(Clone, Debug)]
struct SimulatedDealer {
    dealer: Dealer,
    state: DealerState,
    generator: Generator,
}

/// The best placement found.
#[derive(Clone, Copy)]
struct BestLanding {
    value: i32,
    rotation: usize,
    column: usize,
    filled: i32,
}

impl BestLanding {
    /// Every placement ends the game.
    const NONE: BestLanding = BestLanding { value: FATAL, rotation: 0, column: 0, filled: 0 };
}

impl Simulator {
    /// A simulator of this game with this controller, or `None` if it cannot play it.
    pub fn new(game: &PlacementGame, controller: &Controller) -> Option<Simulator> {
        let (weights, extra) = weights_of(game, controller)?;
        let Landing { path, overflow } = game.landing();
        if path != Path::Drop || overflow == Overflow::EndFirst || game.dealer().sees_board().is_some() {
            return None;
        }
        if game.width() != WIDTH || !TenColumns::fits(game) {
            return None;
        }
        let mut pieces = Vec::new();
        for piece in game.pieces() {
            pieces.push(piece.rotations().iter().map(Form::new).collect::<Option<Vec<_>>>()?);
        }
        let points = std::array::from_fn(|lines| game.score().points(lines as u32));
        let height = game.height() as i32;
        let rules = FastRules { height, overflow, pieces, points };
        let dealing = SimulatedDealer::new(game.dealer());
        let mut simulator = Simulator {
            rules,
            weights,
            extra,
            avx2: has_avx2(),
            surface: FastSurface::new(),
            dealing,
            ahead: game.previews() > 0,
            next: None,
            caution: controller.caution(),
            frequencies: Caution::frequencies(game),
            tally: Tally::default(),
            lost: false,
        };
        simulator.clear();
        Some(simulator)
    }

    /// The same simulator without the processor's vector instructions.
    pub fn portable(mut self) -> Simulator {
        self.avx2 = false;
        self
    }

    /// Starts a game on the empty board with the dealer's chance from `generator`.
    pub fn start(&mut self, generator: Generator) {
        self.clear();
        self.dealing.state = self.dealing.dealer.start();
        self.dealing.generator = generator;
        self.next = None;
        self.tally = Tally::default();
        self.lost = false;
    }

    /// Where the game stands.
    pub fn foothold(&self) -> Foothold {
        Foothold { columns: *self.surface.columns(), next: self.next, state: self.dealing.state }
    }

    /// Goes on from there, with the dealer's chance from `generator`; the count begins anew.
    pub fn go_on(&mut self, foothold: &Foothold, generator: Generator) {
        self.start(generator);
        self.set_columns(&foothold.columns);
        self.next = foothold.next;
        self.dealing.state = foothold.state;
    }

    /// Puts another board in place of the present one.
    pub fn set_board(&mut self, board: &Board) {
        self.set_columns(&columns_of(&TenColumns::from_board(board)));
    }

    /// Plays until the game is lost or this many more pieces have been placed. Says whether it is lost.
    pub fn play(&mut self, pieces: u64) -> bool {
        let end = self.tally.pieces.saturating_add(pieces);
        #[cfg(target_arch = "x86_64")]
        if self.avx2 {
            // SAFETY: `avx2` is only set where the processor has these instructions.
            unsafe { if self.extra { self.play_avx2::<true>(end) } else { self.play_avx2::<false>(end) } }
            return self.lost;
        }
        self.play_portable(end);
        self.lost
    }

    /// What has happened since the start of the game.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// Whether the game is lost.
    pub fn lost(&self) -> bool {
        self.lost
    }

    /// Whether the next piece has no place, so that a match is lost before it is played. No piece is dealt for the answer.
    pub fn is_stuck(&self) -> bool {
        let forbidden = self.rules.overflow == Overflow::Forbidden;
        forbidden && !self.lost && self.choose(self.clone().deal().0, None).is_none()
    }

    /// The present board.
    pub fn board(&self, game: &PlacementGame) -> Board {
        let mut board = Board::new(game.width(), game.height());
        for (x, column) in self.surface.columns()[PAD..PAD + WIDTH].iter().enumerate() {
            (0..game.height()).filter(|y| column >> y & 1 == 1).for_each(|y| board.insert(x, y));
        }
        board
    }

    /// The sum of the heights of all columns of the present board.
    pub fn aggregate_height(&self) -> usize {
        self.surface.aggregate_height() as usize
    }

    /// The height of the present board.
    pub fn height(&self) -> usize {
        self.surface.height() as usize
    }

    /// The placement the controller takes on the present board if it knows these pieces, the current one and perhaps the
    /// next, or `None` if every one ends the game.
    pub fn choose(&self, piece: usize, next: Option<usize>) -> Option<Placement> {
        #[cfg(target_arch = "x86_64")]
        let best = match (self.avx2, self.extra) {
            // SAFETY: `avx2` is only set where the processor has these instructions.
            (true, true) => unsafe { self.best_avx2::<true>(piece, next) },
            // SAFETY: as above.
            (true, false) => unsafe { self.best_avx2::<false>(piece, next) },
            (false, _) => self.best_portable(piece, next),
        };
        #[cfg(not(target_arch = "x86_64"))]
        let best = self.best_portable(piece, next);
        (best.value != FATAL).then(|| {
            let form = &self.rules.pieces[piece][best.rotation];
            let row = self.surface.landing_row(form, best.column);
            Placement {
                piece: piece as u8,
                rotation: best.rotation as u8,
                column: best.column as u8,
                row: row as u8,
            }
        })
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn play_avx2<const EXTRA: bool>(&mut self, end: u64) {
        while self.tally.pieces < end && !self.lost {
            let (piece, next) = self.deal();
            let best = self.best_avx2::<EXTRA>(piece, next);
            self.make::<bellmino_lanes::Avx2, EXTRA>(piece, best);
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(never)]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn best_avx2<const EXTRA: bool>(&self, piece: usize, next: Option<usize>) -> BestLanding {
        let best_of_one = |surface: &_, piece| self.best_of_one_avx2::<EXTRA>(surface, piece);
        self.best_in_sight::<bellmino_lanes::Avx2, EXTRA>(piece, next, best_of_one)
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(never)]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn best_of_one_avx2<const EXTRA: bool>(&self, surface: &FastSurface, piece: usize) -> BestLanding {
        self.best::<bellmino_lanes::Avx2, EXTRA>(surface, piece)
    }

    fn play_portable(&mut self, end: u64) {
        while self.tally.pieces < end && !self.lost {
            let (piece, next) = self.deal();
            let best = self.best_portable(piece, next);
            self.make::<Here, true>(piece, best);
        }
    }

    /// One version for all features is enough where speed is not to be had.
    #[inline(never)]
    fn best_portable(&self, piece: usize, next: Option<usize>) -> BestLanding {
        let best_of_one = |surface: &_, piece| self.best_of_one_portable(surface, piece);
        self.best_in_sight::<Here, true>(piece, next, best_of_one)
    }

    #[inline(never)]
    fn best_of_one_portable(&self, surface: &FastSurface, piece: usize) -> BestLanding {
        self.best::<Here, true>(surface, piece)
    }

    /// The piece to place, and the one after it if that is looked at.
    #[inline(always)]
    fn deal(&mut self) -> (usize, Option<usize>) {
        if !self.ahead {
            return (self.dealing.deal(), None);
        }
        let piece = self.next.take().unwrap_or_else(|| self.dealing.deal());
        self.next = Some(self.dealing.deal());
        (piece, self.next)
    }

    fn clear(&mut self) {
        let mut columns = *self.surface.columns();
        columns[PAD..PAD + WIDTH].fill(0);
        self.set_columns(&columns);
    }

    /// Once per game: not worth the vector instructions.
    #[inline(never)]
    fn set_columns(&mut self, columns: &Strip) {
        self.surface.set::<Here, true>(columns, &self.weights, self.rules.height);
    }

    /// The first of the best placements.
    #[inline(always)]
    fn best<L: Eight, const EXTRA: bool>(&self, surface: &FastSurface, piece: usize) -> BestLanding {
        let mut search = Scan {
            simulator: self,
            surface,
            forms: &self.rules.pieces[piece],
            values: L::splat(FATAL),
            places: L::splat(0),
            clearing: [(0, 0); MAX_PLACEMENTS],
            count: 0,
        };
        for (rotation, form) in self.rules.pieces[piece].iter().enumerate() {
            match form.width {
                1 => {
                    search.group::<1, 0, EXTRA>(rotation, form);
                    search.group::<1, 8, EXTRA>(rotation, form);
                }
                2 => {
                    search.group::<2, 0, EXTRA>(rotation, form);
                    search.group::<2, 8, EXTRA>(rotation, form);
                }
                3 => search.group::<3, 0, EXTRA>(rotation, form),
                _ => search.group::<4, 0, EXTRA>(rotation, form),
            }
        }
        search.best::<EXTRA>()
    }

    /// The best placement of a piece by what is known: the next piece, or that the board is high.
    #[inline(always)]
    fn best_in_sight<L: Eight, const EXTRA: bool>(
        &self,
        piece: usize,
        next: Option<usize>,
        best_of_one: impl Fn(&FastSurface, usize) -> BestLanding,
    ) -> BestLanding {
        match (next, self.caution) {
            (Some(next), _) => self.best_of_two::<L, EXTRA>(piece, |after| best_of_one(after, next)),
            (None, Some(caution)) if self.height() >= caution.height() => {
                self.best_with_caution::<L, EXTRA>(piece, caution, best_of_one)
            }
            (None, _) => best_of_one(&self.surface, piece),
        }
    }

    /// The first of the placements that are best together with the placement `best_next` finds after them. One that leaves
    /// no place for the next piece is worth less than any that does.
    #[inline(always)]
    fn best_of_two<L: Eight, const EXTRA: bool>(
        &self,
        piece: usize,
        best_next: impl Fn(&FastSurface) -> BestLanding,
    ) -> BestLanding {
        let mut best = BestLanding::NONE;
        let mut most = FATAL;
        self.each_placement::<L, EXTRA>(piece, |found| {
            let second = best_next(&self.after::<L, EXTRA>(piece, found)).value;
            let worth = if second == FATAL { FATAL + 1 } else { self.surface.value + found.value + second };
            if worth > most {
                (most, best) = (worth, found);
            }
        });
        best
    }

    /// The placement that leaves the fewest next pieces without a place and of these the best one together with what
    /// follows on average, among the best by themselves: see [`Controller::choose`].
    #[inline(always)]
    fn best_with_caution<L: Eight, const EXTRA: bool>(
        &self,
        piece: usize,
        caution: Caution,
        best_of_one: impl Fn(&FastSurface, usize) -> BestLanding,
    ) -> BestLanding {
        let mut all = [BestLanding::NONE; MAX_PLACEMENTS];
        let mut count = 0;
        self.each_placement::<L, EXTRA>(piece, |found| {
            all[count] = found;
            count += 1;
        });
        let all = &mut all[..count];
        all.sort_by_key(|found| Reverse(found.value));
        let mut best = BestLanding::NONE;
        let mut most = CautiousProspect::NONE;
        for &found in all.iter().take(caution.candidates()) {
            let after = self.after::<L, EXTRA>(piece, found);
            let mut prospect = CautiousProspect::default();
            for (next, &frequency) in self.frequencies.iter().enumerate() {
                let second = best_of_one(&after, next).value;
                let worth = (second != FATAL).then(|| i64::from(found.value) + i64::from(second));
                prospect.add(frequency, worth);
            }
            if prospect > most {
                (most, best) = (prospect, found);
            }
        }
        best
    }

    /// Shows every placement that does not end the game, in order.
    #[inline(always)]
    fn each_placement<L: Eight, const EXTRA: bool>(&self, piece: usize, mut show: impl FnMut(BestLanding)) {
        for (rotation, form) in self.rules.pieces[piece].iter().enumerate() {
            let (mut values, mut rows) = ([FATAL; 16], [0; 16]);
            for start in [0, 8] {
                let scored = match (form.width, start) {
                    (1, 0) => self.scored::<L, 1, 0, EXTRA>(form),
                    (1, _) => self.scored::<L, 1, 8, EXTRA>(form),
                    (2, 0) => self.scored::<L, 2, 0, EXTRA>(form),
                    (2, _) => self.scored::<L, 2, 8, EXTRA>(form),
                    (3, 0) => self.scored::<L, 3, 0, EXTRA>(form),
                    (4, 0) => self.scored::<L, 4, 0, EXTRA>(form),
                    _ => continue,
                };
                scored.values.store(&mut values, start);
                scored.filled.store(&mut rows, start);
            }
            for column in 0..=WIDTH - form.width {
                let filled = rows[column];
                let value = if filled == 0 {
                    values[column]
                } else {
                    self.clearing_value::<L, EXTRA>(&self.surface, form, column, filled)
                };
                if value != FATAL {
                    show(BestLanding { value, rotation, column, filled });
                }
            }
        }
    }

    /// The board after a placement.
    #[inline(always)]
    fn after<L: Eight, const EXTRA: bool>(&self, piece: usize, found: BestLanding) -> FastSurface {
        let mut after = self.surface.clone();
        let form = &self.rules.pieces[piece][found.rotation];
        place::<L, EXTRA>(&mut after, form, found, &self.weights, self.rules.height);
        after
    }

    #[inline(always)]
    fn scored<L: Eight, const W: usize, const START: usize, const EXTRA: bool>(
        &self,
        form: &Form,
    ) -> Scored<L> {
        self.surface.score::<L, W, START, EXTRA>(form, &self.weights, self.rules.height)
    }

    #[inline(always)]
    fn make<L: Eight, const EXTRA: bool>(&mut self, piece: usize, best: BestLanding) {
        if best.value == FATAL {
            self.lost = true;
            self.tally.fatal = self.rules.overflow == Overflow::ClearFirst;
            self.tally.pieces += u64::from(self.tally.fatal);
            return;
        }
        self.tally.pieces += 1;
        let lines = best.filled.count_ones() as usize;
        self.tally.score += self.rules.points[lines];
        if lines != 0 {
            self.tally.clears[lines - 1] += 1;
        }
        let form = &self.rules.pieces[piece][best.rotation];
        place::<L, EXTRA>(&mut self.surface, form, best, &self.weights, self.rules.height);
    }

    /// The value, relative to the board, of a placement that fills rows.
    #[inline(always)]
    fn clearing_value<L: Eight, const EXTRA: bool>(
        &self,
        surface: &FastSurface,
        form: &Form,
        x: usize,
        filled: i32,
    ) -> i32 {
        let row = surface.landing_row(form, x);
        let columns = after_clear::<L>(surface, form, x, row, filled);
        if row + form.height > self.rules.height {
            let board = &columns[PAD..PAD + WIDTH];
            let above = board.iter().fold(0, |above, column| above | column >> self.rules.height);
            if above != 0 || self.rules.overflow == Overflow::Forbidden {
                return FATAL;
            }
        }
        let cleared = filled >> row;
        let cells: u32 = form.cells.iter().map(|cells| (cells & cleared).count_ones()).sum();
        let lines = filled.count_ones() as i32;
        Valued::of::<L, EXTRA>(&columns, &self.weights, self.rules.height).value - surface.value
            + landing_value(form, row, &self.weights)
            + self.weights.eroded * lines * cells as i32
            + self.weights.lines * lines
    }
}

impl Tally {
    /// Rows cleared.
    pub fn lines(&self) -> u64 {
        self.clears.iter().zip(1..).map(|(count, lines)| count * lines).sum()
    }
}

impl SimulatedDealer {
    fn new(dealer: &Dealer) -> SimulatedDealer {
        let generator = bellmino_engine::stream(0, bellmino_engine::Purpose::Dealer, 0);
        SimulatedDealer { dealer: dealer.clone(), state: dealer.start(), generator }
    }

    #[inline(always)]
    fn deal(&mut self) -> usize {
        let deal = self.dealer.deal(self.state, &mut self.generator);
        self.state = deal.next;
        deal.piece as usize
    }
}

/// The search for the best placement, lane by lane. A place is 16 * rotation + column.
struct Scan<'a, L> {
    simulator: &'a Simulator,
    surface: &'a FastSurface,
    /// The best values and where they are.
    values: L,
    places: L,
    /// The placements that fill rows, where and which: valued last, one by one.
    clearing: [(i32, i32); MAX_PLACEMENTS],
    count: usize,
    forms: &'a [Form],
}

/// The most placements of one piece: four rotations, ten columns.
const MAX_PLACEMENTS: usize = 40;

impl<L: Eight> Scan<'_, L> {
    #[inline(always)]
    fn group<const W: usize, const START: usize, const EXTRA: bool>(&mut self, rotation: usize, form: &Form) {
        const LANES: [i32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
        let simulator = self.simulator;
        let Scored { values, filled } =
            self.surface.score::<L, W, START, EXTRA>(form, &simulator.weights, simulator.rules.height);
        let none = filled.is_equal(L::splat(0));
        let values = L::select(none, values, L::splat(FATAL));
        let better = values.is_greater(self.values);
        self.values = L::select(better, values, self.values);
        let places = L::load(&LANES, 0).add(L::splat((16 * rotation + START) as i32));
        self.places = L::select(better, places, self.places);
        let valid = (1u32 << (WIDTH + 1 - W - START).min(8)) - 1;
        let mut clearing = !none.signs() & valid;
        if clearing != 0 {
            let mut rows = [0; 8];
            filled.store(&mut rows, 0);
            while clearing != 0 {
                let lane = clearing.trailing_zeros() as usize;
                clearing &= clearing - 1;
                self.clearing[self.count] = ((16 * rotation + START + lane) as i32, rows[lane]);
                self.count += 1;
            }
        }
    }

    #[inline(always)]
    fn best<const EXTRA: bool>(&self) -> BestLanding {
        let value = self.values.largest();
        let first = self.values.is_equal(L::splat(value));
        let place = L::select(first, self.places, L::splat(i32::MAX)).smallest();
        let (mut value, mut place, mut filled) = (value, place, 0);
        for &(other, rows) in &self.clearing[..self.count] {
            let form = &self.forms[other as usize / 16];
            let worth =
                self.simulator.clearing_value::<L, EXTRA>(self.surface, form, other as usize % 16, rows);
            if worth > value || (worth == value && other < place) {
                (value, place, filled) = (worth, other, rows);
            }
        }
        BestLanding { value, rotation: place as usize / 16, column: place as usize % 16, filled }
    }
}

/// Puts a piece down on a board.
#[inline(always)]
fn place<L: Eight, const EXTRA: bool>(
    surface: &mut FastSurface,
    form: &Form,
    best: BestLanding,
    weights: &FastWeights,
    height: i32,
) {
    let row = surface.landing_row(form, best.column);
    if best.filled == 0 {
        let value = surface.value + best.value - landing_value(form, row, weights);
        surface.put::<L, EXTRA>(form, best.column, row, value, weights);
    } else {
        let columns = after_clear::<L>(surface, form, best.column, row, best.filled);
        surface.set::<L, EXTRA>(&columns, weights, height);
    }
}

#[inline(always)]
fn landing_value(form: &Form, row: i32, weights: &FastWeights) -> i32 {
    weights.landing * (2 * row + form.height - 1)
}

/// The columns after a placement that fills rows.
#[inline(always)]
fn after_clear<L: Eight>(surface: &FastSurface, form: &Form, x: usize, row: i32, filled: i32) -> Strip {
    let mut columns = *surface.columns();
    for i in 0..form.width {
        columns[PAD + x + i] |= form.cells[i] << row;
    }
    surface::remove_rows::<L>(&mut columns, filled);
    columns
}

/// The weights of the features that the fast path knows, and whether any is beyond the eight.
fn weights_of(game: &PlacementGame, controller: &Controller) -> Option<(FastWeights, bool)> {
    let mut weights = FastWeights::default();
    let mut extra = false;
    for (feature, scaled) in controller.features().iter().zip(controller.scaled_weights(game)) {
        let (place, beyond) = match feature {
            Feature::LandingHeight => (&mut weights.landing, false),
            Feature::ErodedCells => (&mut weights.eroded, false),
            Feature::Lines => (&mut weights.lines, false),
            Feature::RowTransitions => (&mut weights.row_transitions, false),
            Feature::ColumnTransitions => (&mut weights.column_transitions, false),
            Feature::Holes => (&mut weights.holes, false),
            Feature::CumulativeWells => (&mut weights.wells, false),
            Feature::HoleDepth => (&mut weights.hole_depth, false),
            Feature::RowsWithHoles => (&mut weights.hole_rows, false),
            Feature::PatternDiversity => (&mut weights.diversity, true),
            // Both count the same units.
            Feature::AggregateHeight | Feature::MeanHeight => (&mut weights.aggregate, true),
            Feature::MaxHeight => (&mut weights.max_height, true),
            Feature::Bumpiness => (&mut weights.bumpiness, true),
            Feature::Steps(size) => (&mut weights.steps[*size as usize], true),
            _ => return None,
        };
        *place = place.checked_add(i32::try_from(scaled).ok()?)?;
        extra |= beyond;
    }
    Some((weights, extra))
}

fn has_avx2() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("lzcnt")
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}
