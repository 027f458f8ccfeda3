//! The move generator: every place where a piece can come to rest, and the spin it gets there.
//!
//! All places of one orientation are one set of bits, a plane, and move together. First come the places that
//! a straight fall with shifts reaches; on most boards that is all of them. Only if some resting
//! place is still missing (or a T may spin) do turns and kicks spread from orientation to
//! orientation until nothing new is found.

use super::board::Board;
use super::kicks::Kicks;
use super::low::LowBoard;
use super::piece::{Orientation, Piece, Turn};
use super::placement::{Placement, Spin};
use super::plane::Plane;

/// Every placement of `piece` that shifts, drops and turns can reach from its spawn, each set of
/// cells once for each kind of spin; empty if the spawn is blocked. The order is orientation,
/// spin, column, row from the top.
///
/// ```
/// use bellmino_engine::guideline::{moves, Board, Kicks, Piece};
/// assert_eq!(moves::placements(&Board::EMPTY, Piece::T, Kicks::Srs).len(), 34);
/// assert_eq!(moves::placements(&Board::EMPTY, Piece::O, Kicks::Srs).len(), 9);
/// ```
pub fn placements(board: &Board, piece: Piece, kicks: Kicks) -> Vec<Placement> {
    let mut list = Vec::with_capacity(64);
    extend(board, piece, kicks, &mut list);
    list
}

/// Appends what [`placements`] gives to a list; spares the allocation when the list is reused.
pub fn extend(board: &Board, piece: Piece, kicks: Kicks, list: &mut Vec<Placement>) {
    dispatch!(board, piece, kicks, list_into(list));
}

/// The number of placements with the same cells counted once whatever their spin.
///
/// ```
/// use bellmino_engine::guideline::{moves, Board, Kicks, Piece};
/// assert_eq!(moves::count(&Board::EMPTY, Piece::S, Kicks::Srs), 17);
/// ```
pub fn count(board: &Board, piece: Piece, kicks: Kicks) -> u32 {
    dispatch!(board, piece, kicks, count_all())
}

/// For each shape of the piece, where it can come to rest on a board of at most eight rows.
pub(super) fn resting(filled: Plane<1, 12>, piece: Piece, kicks: Kicks) -> [Plane<1, 12>; 4] {
    if kicks != Kicks::Srs || !is_fast() {
        let found = explore::<_, 4, 42, false>(Any { piece, kicks }, filled.taller(), LowBoard::ROWS);
        return found.all_resting(piece).map(Plane::lower);
    }
    // SAFETY: `is_fast` was asked.
    unsafe {
        match piece {
            Piece::I => fast::resting::<0>(filled),
            Piece::O => fast::resting::<1>(filled),
            Piece::T => fast::resting::<2>(filled),
            Piece::L => fast::resting::<3>(filled),
            Piece::J => fast::resting::<4>(filled),
            Piece::S => fast::resting::<5>(filled),
            Piece::Z => fast::resting::<6>(filled),
        }
    }
}

/// Boards of at most this height leave room to turn and shift freely above the stack, so that
/// the search can begin with every place above it.
const OPEN_HEIGHT: usize = 16;

/// Picks the search for this piece, rotation system and height of the board: the lower the board, the fewer words a
/// plane takes. High boards, old processors and the rotation systems that are mere options share one search, which is
/// made for none of them in particular.
macro_rules! dispatch {
    ($board:ident, $piece:ident, $kicks:ident, $method:ident($($argument:expr)?)) => {{
        let height = $board.height();
        macro_rules! by_height {
            ($p:literal) => {
                if height <= limit::<12>($piece) {
                    // SAFETY: `is_fast` was asked.
                    unsafe { fast::$method::<$p, 1, 12>($board, height $(, $argument)?) }
                } else {
                    // SAFETY: `is_fast` was asked.
                    unsafe { fast::$method::<$p, 2, 24>($board, height $(, $argument)?) }
                }
            };
        }
        if $kicks != Kicks::Srs || height > limit::<24>($piece) || !is_fast() {
            $method::<_, 4, 42>(Any { piece: $piece, kicks: $kicks }, $board, height $(, $argument)?)
        } else {
            match $piece {
                Piece::I => by_height!(0),
                Piece::O => by_height!(1),
                Piece::T => by_height!(2),
                Piece::L => by_height!(3),
                Piece::J => by_height!(4),
                Piece::S => by_height!(5),
                Piece::Z => by_height!(6),
            }
        }
    }};
}
use dispatch;

/// Whether the processor has the instructions on bits that the fast search is compiled for.
#[inline(always)]
fn is_fast() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("popcnt")
        && std::arch::is_x86_feature_detected!("bmi1")
        && std::arch::is_x86_feature_detected!("bmi2");
    #[cfg(not(target_arch = "x86_64"))]
    return true;
}

/// The searches for one piece in the super rotation system. Wrong to call unless [`is_fast`].
mod fast {
    use super::{Board, Fixed, LowBoard, Placement, Plane, Reached, Spec};

    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "popcnt,bmi1,bmi2"))]
    pub unsafe fn count_all<const P: usize, const W: usize, const R: usize>(
        board: &Board,
        height: usize,
    ) -> u32 {
        super::count_all::<_, W, R>(Fixed::<P>, board, height)
    }

    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "popcnt,bmi1,bmi2"))]
    pub unsafe fn list_into<const P: usize, const W: usize, const R: usize>(
        board: &Board,
        height: usize,
        list: &mut Vec<Placement>,
    ) {
        super::list_into::<_, W, R>(Fixed::<P>, board, height, list);
    }

    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "popcnt,bmi1,bmi2"))]
    pub unsafe fn resting<const P: usize>(filled: Plane<1, 12>) -> [Plane<1, 12>; 4] {
        let found = super::explore::<_, 1, 12, false>(Fixed::<P>, filled, LowBoard::ROWS);
        found.all_resting(Fixed::<P>.piece())
    }

    #[inline(never)]
    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "popcnt,bmi1,bmi2"))]
    pub unsafe fn spread<const P: usize, const W: usize, const R: usize>(
        found: &mut Reached<W, R>,
        dirty: u32,
    ) {
        super::spread::<_, W, R>(Fixed::<P>, found, dirty);
    }
}

/// What a search is for.
trait Spec: Copy {
    /// Whether the piece may be one whose turns lead anywhere.
    const TURNS: bool;
    /// Whether the piece may be one that spins.
    const SPINS: bool;
    /// Whether piece and system are known to the compiler.
    const FIXED: bool;
    fn piece(self) -> Piece;
    fn kicks(self) -> Kicks;
    /// [`spread`] for this search, as a function of its own.
    fn spread<const W: usize, const R: usize>(self, found: &mut Reached<W, R>, dirty: u32);
}

/// Piece `P` of [`Piece::ALL`] in the super rotation system, known to the compiler: every shift is by a constant.
#[derive(Clone, Copy)]
struct Fixed<const P: usize>;

impl<const P: usize> Spec for Fixed<P> {
    const TURNS: bool = P != Piece::O as usize;
    const SPINS: bool = P == Piece::T as usize;
    const FIXED: bool = true;

    #[inline(always)]
    fn piece(self) -> Piece {
        const { Piece::ALL[P] }
    }

    #[inline(always)]
    fn kicks(self) -> Kicks {
        Kicks::Srs
    }

    #[inline(always)]
    fn spread<const W: usize, const R: usize>(self, found: &mut Reached<W, R>, dirty: u32) {
        // SAFETY: fixed searches run only if `is_fast`.
        unsafe { fast::spread::<P, W, R>(found, dirty) }
    }
}

/// Any piece in any system.
#[derive(Clone, Copy)]
struct Any {
    piece: Piece,
    kicks: Kicks,
}

impl Spec for Any {
    const TURNS: bool = true;
    const SPINS: bool = true;
    const FIXED: bool = false;

    #[inline(always)]
    fn piece(self) -> Piece {
        self.piece
    }

    #[inline(always)]
    fn kicks(self) -> Kicks {
        self.kicks
    }

    #[inline(never)]
    fn spread<const W: usize, const R: usize>(self, found: &mut Reached<W, R>, dirty: u32) {
        spread(self, found, dirty);
    }
}

/// What a search knows of each orientation.
struct Reached<const W: usize, const R: usize> {
    /// What is filled.
    filled: Plane<W, R>,
    /// Places known to be reached, wherever the piece fits there.
    above: Plane<W, R>,
    /// Where the piece fits.
    free: [Plane<W, R>; 4],
    /// Where it can get. If `spins` is false, only the resting places are complete, taken
    /// together over the orientations of one shape.
    reach: [Plane<W, R>; 4],
    /// For each shape, where it could rest and has not been reached.
    missing: [Plane<W, R>; 4],
    /// Whether some placement may be a spin; then everything is complete.
    spins: bool,
}

/// How far below its centre a piece reaches in any orientation.
#[inline(always)]
fn depth(piece: Piece) -> usize {
    if piece == Piece::I { 2 } else { 1 }
}

/// The highest board a plane of so many rows is right for. One row of places above the stack must be in the plane; a
/// turn from higher up lowers a free piece by one row at most.
#[inline(always)]
fn limit<const R: usize>(piece: Piece) -> usize {
    (R - 2 - depth(piece)).min(OPEN_HEIGHT)
}

#[inline(always)]
fn count_all<S: Spec, const W: usize, const R: usize>(spec: S, board: &Board, height: usize) -> u32 {
    let found = explore::<S, W, R, false>(spec, Plane::of(board), height);
    let mut count = 0;
    for shape in 0..spec.piece().shapes().len() {
        count += found.resting(shape).len();
    }
    count
}

#[inline(always)]
fn list_into<S: Spec, const W: usize, const R: usize>(
    spec: S,
    board: &Board,
    height: usize,
    list: &mut Vec<Placement>,
) {
    let piece = spec.piece();
    let found = explore::<S, W, R, true>(spec, Plane::of(board), height);
    for shape in 0..piece.shapes().len() {
        let orientation = Orientation::ALL[shape];
        let mut push = |places: Plane<W, R>, spin| {
            places.for_each(|x, y| list.push(Placement { piece, orientation, x, y, spin }));
        };
        let resting = found.resting(shape);
        if const { S::SPINS } && found.spins {
            let [plain, mini, full] = spins(spec, &found, shape, resting);
            push(plain, Spin::None);
            push(mini, Spin::Mini);
            push(full, Spin::Full);
        } else {
            push(resting, Spin::None);
        }
    }
}

#[inline(always)]
fn explore<S: Spec, const W: usize, const R: usize, const SPINS: bool>(
    spec: S,
    filled: Plane<W, R>,
    height: usize,
) -> Reached<W, R> {
    let piece = spec.piece();
    let shapes = piece.shapes().len();
    let open = height <= limit::<R>(piece);
    let above = if open { Plane::rows_from(height + depth(piece)) } else { Plane::EMPTY };
    let empty = [Plane::EMPTY; 4];
    let mut found = Reached { filled, above, free: empty, reach: empty, missing: empty, spins: false };
    // Written out so that every shift is by a constant.
    fall(spec, &mut found, 0);
    if shapes > 1 {
        fall(spec, &mut found, 1);
    }
    if shapes > 2 {
        fall(spec, &mut found, 2);
        fall(spec, &mut found, 3);
    }
    if SPINS && S::SPINS && piece == Piece::T {
        let three = Corners::of(filled).three();
        let candidates = found.free.map(|free| Plane::resting(free) & three);
        found.spins = candidates.into_iter().any(|places| !places.is_empty());
    }
    // Fixed searches are for open boards only.
    if !S::FIXED && !open {
        if !(found.free[0] & Plane::single(4, 19)).is_empty() {
            found.reach[0] = Plane::single(4, 19);
            spec.spread(&mut found, 0b0001);
        }
    } else if S::TURNS && (found.is_missing() || found.spins) {
        spec.spread(&mut found, 0b1111);
    }
    found
}

/// Finds where a shape fits and where it gets from the places above the stack by shifts and falls.
#[inline(always)]
fn fall<S: Spec, const W: usize, const R: usize>(spec: S, found: &mut Reached<W, R>, shape: usize) {
    let free = Plane::free(found.filled, spec.piece(), Orientation::ALL[shape]);
    let mut reach = (free & found.above).fallen(free);
    let mut missing = Plane::resting(free) & !reach;
    if !missing.is_empty() {
        reach = slid(reach, free);
        missing &= !reach;
    }
    found.free[shape] = free;
    found.reach[shape] = reach;
    found.missing[shape] = missing;
}

/// Spreads by turns, shifts and falls until nothing new is found. `dirty` are the orientations to spread from.
#[inline(always)]
fn spread<S: Spec, const W: usize, const R: usize>(spec: S, found: &mut Reached<W, R>, mut dirty: u32) {
    let piece = spec.piece();
    if piece == Piece::O {
        found.reach[0] = slid(found.reach[0].fallen(found.free[0]), found.free[0]);
        found.missing[0] &= !found.reach[0];
        return;
    }
    for o in piece.shapes().len()..4 {
        let orientation = Orientation::ALL[o];
        let free = Plane::free(found.filled, piece, orientation);
        let (shape, (dx, dy)) = piece.canonical(orientation);
        found.free[o] = free;
        if dirty & 1 << o != 0 {
            found.reach[o] = free & (found.above | found.reach[shape as usize].moved(-dx, -dy));
        }
    }
    if const { S::TURNS } {
        while dirty != 0 && (found.spins || found.is_missing()) {
            let from = dirty.trailing_zeros();
            dirty &= dirty - 1;
            if const { S::FIXED } {
                match from {
                    0 => leave(spec, found, Orientation::ALL[0], &mut dirty),
                    1 => leave(spec, found, Orientation::ALL[1], &mut dirty),
                    2 => leave(spec, found, Orientation::ALL[2], &mut dirty),
                    _ => leave(spec, found, Orientation::ALL[3], &mut dirty),
                }
            } else {
                leave_any(spec, found, Orientation::ALL[from as usize], &mut dirty);
            }
        }
    }
}

/// Spreads within one orientation and then by quarter turns to its neighbours.
#[inline(always)]
fn leave<S: Spec, const W: usize, const R: usize>(
    spec: S,
    found: &mut Reached<W, R>,
    from: Orientation,
    dirty: &mut u32,
) {
    found.settle(spec.piece(), from);
    turn_out(spec, found, from, Turn::Clockwise, dirty);
    turn_out(spec, found, from, Turn::Counter, dirty);
}

/// The same for any system of kicks, as one piece of code.
#[inline(always)]
fn leave_any<S: Spec, const W: usize, const R: usize>(
    spec: S,
    found: &mut Reached<W, R>,
    from: Orientation,
    dirty: &mut u32,
) {
    found.settle(spec.piece(), from);
    for &turn in spec.kicks().turns() {
        turn_out(spec, found, from, turn, dirty);
    }
}

/// Spreads from one orientation by one turn.
#[inline(always)]
fn turn_out<S: Spec, const W: usize, const R: usize>(
    spec: S,
    found: &mut Reached<W, R>,
    from: Orientation,
    turn: Turn,
    dirty: &mut u32,
) {
    let to = from.turned(turn) as usize;
    let unreached = found.free[to] & !found.reach[to];
    if unreached.is_empty() {
        return;
    }
    let [early, last] = turned(spec, found, from, turn);
    let new = (early | last) & unreached;
    if !new.is_empty() {
        found.reach[to] |= new;
        *dirty |= 1 << to;
    }
}

/// Where a turn leads from everything reached in one orientation: by any place but the one
/// that makes a full spin, and by that one.
#[inline(always)]
fn turned<S: Spec, const W: usize, const R: usize>(
    spec: S,
    found: &Reached<W, R>,
    orientation: Orientation,
    turn: Turn,
) -> [Plane<W, R>; 2] {
    let offsets = spec.kicks().offsets(spec.piece(), orientation, turn);
    let free = found.free[orientation.turned(turn) as usize];
    let mut from = found.reach[orientation as usize];
    let mut to = [Plane::EMPTY; 2];
    // Written out for a fixed search so that every shift is by a constant.
    if const { S::FIXED } {
        kick(spec, turn, 0, offsets[0], free, &mut from, &mut to);
        kick(spec, turn, 1, offsets[1], free, &mut from, &mut to);
        kick(spec, turn, 2, offsets[2], free, &mut from, &mut to);
        kick(spec, turn, 3, offsets[3], free, &mut from, &mut to);
        kick(spec, turn, 4, offsets[4], free, &mut from, &mut to);
    } else {
        for (index, &offset) in offsets.iter().enumerate() {
            kick_apart(spec, turn, index, offset, free, &mut from, &mut to);
        }
    }
    to
}

/// Tries one place of a turn: what fits there is taken from `from` and put where it belongs in `to`. A function and not a
/// closure, since only a function can be inlined always.
#[inline(always)]
fn kick<S: Spec, const W: usize, const R: usize>(
    spec: S,
    turn: Turn,
    index: usize,
    (dx, dy): (i8, i8),
    free: Plane<W, R>,
    from: &mut Plane<W, R>,
    to: &mut [Plane<W, R>; 2],
) {
    let hit = from.moved(dx, dy) & free;
    to[usize::from(spec.kicks().makes_full(turn, index))] |= hit;
    *from &= !hit.moved(-dx, -dy);
}

/// The same where the shift is not a constant: one piece of code for all, since it is long.
#[inline(never)]
fn kick_apart<S: Spec, const W: usize, const R: usize>(
    spec: S,
    turn: Turn,
    index: usize,
    offset: (i8, i8),
    free: Plane<W, R>,
    from: &mut Plane<W, R>,
    to: &mut [Plane<W, R>; 2],
) {
    kick(spec, turn, index, offset, free, from, to);
}

/// Splits the resting places of a T that faces `shape` by the kinds of spin possible there.
#[inline(always)]
fn spins<S: Spec, const W: usize, const R: usize>(
    spec: S,
    found: &Reached<W, R>,
    shape: usize,
    resting: Plane<W, R>,
) -> [Plane<W, R>; 3] {
    let corners = Corners::of(found.filled);
    let three = resting & corners.three();
    if three.is_empty() {
        return [resting, Plane::EMPTY, Plane::EMPTY];
    }
    let mut early = Plane::EMPTY;
    let mut last = Plane::EMPTY;
    for from in Orientation::ALL {
        for &turn in spec.kicks().turns() {
            if from.turned(turn) as usize == shape {
                let [a, b] = turned(spec, found, from, turn);
                early |= a;
                last |= b;
            }
        }
    }
    let front = corners.0[shape] & corners.0[(shape + 1) % 4];
    let full = three & (early & front | last);
    let mini = three & early & !front;
    // A shift or a fall into the place leaves no spin; so does entering the board there.
    let reach = found.reach[shape];
    let mut moved = reach.moved(-1, 0) | reach.moved(1, 0) | reach.moved(0, -1);
    if shape == 0 && Plane::<W, R>::TOP > 19 {
        moved |= Plane::single(4, 19);
    }
    [resting & (moved | !three), mini, full]
}

impl<const W: usize, const R: usize> Reached<W, R> {
    /// Whether some resting place has not been reached, by any orientation of its shape.
    #[inline(always)]
    fn is_missing(&self) -> bool {
        let [a, b, c, d] = self.missing;
        !(a | b | c | d).is_empty()
    }

    /// Spreads within one orientation and strikes off what it has reached.
    #[inline(always)]
    fn settle(&mut self, piece: Piece, orientation: Orientation) {
        let free = self.free[orientation as usize];
        let reach = self.reach[orientation as usize].fallen(free);
        self.reach[orientation as usize] = slid(reach, free);
        let (shape, (dx, dy)) = piece.canonical(orientation);
        self.missing[shape as usize] &= !self.reach[orientation as usize].moved(dx, dy);
    }

    /// The resting places reached, for each shape.
    #[inline(always)]
    fn all_resting(&self, piece: Piece) -> [Plane<W, R>; 4] {
        let mut all = [Plane::EMPTY; 4];
        for (shape, resting) in all.iter_mut().enumerate().take(piece.shapes().len()) {
            *resting = self.resting(shape);
        }
        all
    }

    /// The resting places reached, under the name of the shape.
    #[inline(always)]
    fn resting(&self, shape: usize) -> Plane<W, R> {
        Plane::resting(self.free[shape]) & !self.missing[shape]
    }
}

/// For each diagonal neighbour, clockwise from the upper left, the centres that have it filled.
struct Corners<const W: usize, const R: usize>([Plane<W, R>; 4]);

impl<const W: usize, const R: usize> Corners<W, R> {
    const LEFT: Plane<W, R> = Plane::range(0, 1, 0, R as i32);
    const RIGHT: Plane<W, R> = Plane::range(9, 10, 0, R as i32);

    #[inline(always)]
    fn of(filled: Plane<W, R>) -> Self {
        let floor = filled.with_floor();
        Corners([
            filled.moved(1, -1) | Self::LEFT,
            filled.moved(-1, -1) | Self::RIGHT,
            floor.moved(-1, 1) | Self::RIGHT,
            floor.moved(1, 1) | Self::LEFT,
        ])
    }

    /// The centres with at least three corners filled.
    #[inline(always)]
    fn three(&self) -> Plane<W, R> {
        let [a, b, c, d] = self.0;
        a & b & (c | d) | c & d & (a | b)
    }
}

/// Spreads to the sides, and from there down, as far as `free` goes.
#[inline(always)]
fn slid<const W: usize, const R: usize>(mut reach: Plane<W, R>, free: Plane<W, R>) -> Plane<W, R> {
    loop {
        let side = (reach.moved(-1, 0) | reach.moved(1, 0)) & free & !reach;
        if side.is_empty() {
            return reach;
        }
        reach |= side.fallen(free);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What an old processor takes instead of the fast searches, on the boards of a long line of play.
    #[test]
    fn one_search_for_any_piece_finds_the_same() {
        let mut board = Board::EMPTY;
        for step in 0..400 {
            for piece in Piece::ALL {
                let any = Any { piece, kicks: Kicks::Srs };
                let mut list = Vec::new();
                list_into::<_, 4, 42>(any, &board, board.height(), &mut list);
                assert_eq!(list, placements(&board, piece, Kicks::Srs), "{piece} on {board:?}");
                let counted = count_all::<_, 4, 42>(any, &board, board.height());
                assert_eq!(counted, count(&board, piece, Kicks::Srs), "{piece} on {board:?}");
            }
            let list = placements(&board, Piece::ALL[step * 5 % 7], Kicks::Srs);
            let lowest = list.iter().filter(|placement| placement.y < 14).nth(step * 31 % 11);
            match lowest {
                Some(placement) => drop(board.place(placement)),
                None => board = Board::EMPTY,
            }
        }
    }
}
