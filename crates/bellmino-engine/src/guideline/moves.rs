//! The move generator: every place where a piece can come to rest, and the spin it gets there.
//!
//! All places of one orientation are one [`Plane`] and move together. First come the places that
//! a straight fall with shifts reaches; on most boards that is all of them. Only if some resting
//! place is still missing (or a T may spin) do turns and kicks spread from orientation to
//! orientation until nothing new is found.

use std::ops::BitOr;

use super::board::Board;
use super::kicks::Kicks;
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
    dispatch!(board, piece, kicks, extend(list));
}

/// The number of placements with the same cells counted once whatever their spin.
///
/// ```
/// use bellmino_engine::guideline::{moves, Board, Kicks, Piece};
/// assert_eq!(moves::count(&Board::EMPTY, Piece::S, Kicks::Srs), 17);
/// ```
pub fn count(board: &Board, piece: Piece, kicks: Kicks) -> u32 {
    dispatch!(board, piece, kicks, count())
}

/// Boards of at most this height leave room to turn and shift freely above the stack, so that
/// the search can begin with every place above it.
const OPEN_HEIGHT: usize = 16;

/// Picks the search made for this piece, rotation system and height of the board: the lower the
/// board, the fewer words a plane takes. The systems that are mere options share the tall plane.
macro_rules! dispatch {
    ($board:ident, $piece:ident, $kicks:ident, $method:ident($($argument:expr)?)) => {{
        let height = $board.height();
        macro_rules! by_height {
            ($p:literal) => {
                match $kicks {
                    Kicks::Srs if height <= Search::<$p, 0, 1, 12>::LIMIT =>
                        Search::<$p, 0, 1, 12>::$method($board, height $(, $argument)?),
                    Kicks::Srs if height <= Search::<$p, 0, 2, 24>::LIMIT =>
                        Search::<$p, 0, 2, 24>::$method($board, height $(, $argument)?),
                    Kicks::Srs => Search::<$p, 0, 4, 42>::$method($board, height $(, $argument)?),
                    Kicks::None => Search::<$p, 1, 4, 42>::$method($board, height $(, $argument)?),
                    Kicks::Srs180 => Search::<$p, 2, 4, 42>::$method($board, height $(, $argument)?),
                }
            };
        }
        match $piece {
            Piece::I => by_height!(0),
            Piece::O => by_height!(1),
            Piece::T => by_height!(2),
            Piece::L => by_height!(3),
            Piece::J => by_height!(4),
            Piece::S => by_height!(5),
            Piece::Z => by_height!(6),
        }
    }};
}
use dispatch;

/// The search for piece `P` of [`Piece::ALL`] under rotation system `K` of [`Kicks::ALL`].
struct Search<const P: usize, const K: usize, const W: usize, const R: usize>;

/// What a search knows of each orientation.
struct Found<const W: usize, const R: usize> {
    /// Where the piece fits.
    free: [Plane<W, R>; 4],
    /// Where it can get. If `spins` is false, only the resting places are complete, taken
    /// together over the orientations of one shape.
    reach: [Plane<W, R>; 4],
    /// Whether some placement may be a spin; then everything is complete.
    spins: bool,
}

impl<const P: usize, const K: usize, const W: usize, const R: usize> Search<P, K, W, R> {
    const PIECE: Piece = Piece::ALL[P];
    const KICKS: Kicks = Kicks::ALL[K];
    const SHAPES: usize = Self::PIECE.shapes().len();
    const INSIDE: [Plane<W, R>; 4] = {
        let mut inside = [Plane::EMPTY; 4];
        let mut i = 0;
        while i < 4 {
            inside[i] = Plane::inside(Self::PIECE.cells(Orientation::ALL[i]));
            i += 1;
        }
        inside
    };
    /// How far below its centre a piece reaches in any orientation.
    const DEPTH: usize = match Self::PIECE {
        Piece::I => 2,
        _ => 1,
    };
    /// The highest board this search is right for. One row of places above the stack must be in
    /// the plane; a turn from higher up lowers a free piece by one row at most.
    const LIMIT: usize = {
        let by_plane = Plane::<W, R>::TOP - 1 - Self::DEPTH;
        if by_plane < OPEN_HEIGHT { by_plane } else { OPEN_HEIGHT }
    };

    #[inline(never)]
    fn count(board: &Board, height: usize) -> u32 {
        let found = Self::explore::<false>(board, height);
        (0..Self::SHAPES).map(|shape| found.resting(shape, Self::PIECE).len()).sum()
    }

    #[inline(never)]
    fn extend(board: &Board, height: usize, list: &mut Vec<Placement>) {
        let found = Self::explore::<true>(board, height);
        for shape in 0..Self::SHAPES {
            let orientation = Orientation::ALL[shape];
            let mut push = |places: Plane<W, R>, spin| {
                places.for_each(|x, y| list.push(Placement { piece: Self::PIECE, orientation, x, y, spin }));
            };
            let resting = found.resting(shape, Self::PIECE);
            if Self::PIECE == Piece::T && found.spins {
                let [plain, mini, full] = Self::spins(board, &found, shape, resting);
                push(plain, Spin::None);
                push(mini, Spin::Mini);
                push(full, Spin::Full);
            } else {
                push(resting, Spin::None);
            }
        }
    }

    #[inline(always)]
    fn explore<const SPINS: bool>(board: &Board, height: usize) -> Found<W, R> {
        let filled = Plane::<W, R>::of(board);
        let open = height <= Self::LIMIT;
        let mut found = Found { free: [Plane::EMPTY; 4], reach: [Plane::EMPTY; 4], spins: false };
        let above = Plane::rows_from(height + Self::DEPTH);
        let mut missing = Plane::EMPTY;
        for shape in 0..Self::SHAPES {
            let cells = Self::PIECE.cells(Orientation::ALL[shape]);
            let free = Plane::free(filled, cells, Self::INSIDE[shape]);
            found.free[shape] = free;
            if open {
                found.reach[shape] = slid((free & above).fallen(free), free);
                missing |= Plane::resting(free) & !found.reach[shape];
            }
        }
        if SPINS && Self::PIECE == Piece::T {
            let three = Corners::of(filled).three();
            let candidates = found.free.map(|free| Plane::resting(free) & three);
            found.spins = candidates.into_iter().any(|places| !places.is_empty());
        }
        if !open {
            if !(found.free[0] & Plane::single(4, 19)).is_empty() {
                found.reach[0] = Plane::single(4, 19);
                Self::spread(&mut found, filled, Plane::EMPTY, 0b0001);
            }
        } else if Self::SHAPES > 1 && (!missing.is_empty() || found.spins) {
            Self::spread(&mut found, filled, above, 0b1111);
        }
        found
    }

    /// Spreads by turns, shifts and falls until nothing new is found. `above` are places known
    /// to be reached, `dirty` the orientations to spread from.
    #[inline(never)]
    fn spread(found: &mut Found<W, R>, filled: Plane<W, R>, above: Plane<W, R>, mut dirty: u32) {
        for o in Self::SHAPES..4 {
            let orientation = Orientation::ALL[o];
            let free = Plane::free(filled, Self::PIECE.cells(orientation), Self::INSIDE[o]);
            let (shape, (dx, dy)) = Self::PIECE.canonical(orientation);
            found.free[o] = free;
            if dirty & 1 << o != 0 {
                found.reach[o] = free & (above | found.reach[shape as usize].moved(-dx, -dy));
            }
        }
        if Self::PIECE == Piece::O {
            found.reach[0] = slid(found.reach[0].fallen(found.free[0]), found.free[0]);
            return;
        }
        while dirty != 0 && (found.spins || found.is_missing(Self::PIECE)) {
            let from = dirty.trailing_zeros();
            dirty &= dirty - 1;
            match from {
                0 => Self::leave::<0>(found, &mut dirty),
                1 => Self::leave::<1>(found, &mut dirty),
                2 => Self::leave::<2>(found, &mut dirty),
                _ => Self::leave::<3>(found, &mut dirty),
            }
        }
    }

    /// Spreads within one orientation and then to its neighbours.
    #[inline(always)]
    fn leave<const FROM: usize>(found: &mut Found<W, R>, dirty: &mut u32) {
        let free = found.free[FROM];
        found.reach[FROM] = slid(found.reach[FROM].fallen(free), free);
        for &turn in Self::KICKS.turns() {
            let to = Orientation::ALL[FROM].turned(turn) as usize;
            let missing = found.free[to] & !found.reach[to];
            if missing.is_empty() {
                continue;
            }
            let [early, last] = match turn {
                Turn::Clockwise => Self::turned::<FROM, 0>(found),
                Turn::Counter => Self::turned::<FROM, 1>(found),
                Turn::Half => Self::turned::<FROM, 2>(found),
            };
            let new = (early | last) & missing;
            if !new.is_empty() {
                found.reach[to] |= new;
                *dirty |= 1 << to;
            }
        }
    }

    /// Where a turn leads from everything reached in one orientation: by any place but the one
    /// that makes a full spin, and by that one.
    #[inline(always)]
    fn turned<const FROM: usize, const TURN: usize>(found: &Found<W, R>) -> [Plane<W, R>; 2] {
        let turn = const { Turn::ALL[TURN] };
        let offsets = const { Self::KICKS.offsets(Self::PIECE, Orientation::ALL[FROM], Turn::ALL[TURN]) };
        let free = found.free[const { Orientation::ALL[FROM].turned(Turn::ALL[TURN]) as usize }];
        let mut from = found.reach[FROM];
        let mut to = [Plane::EMPTY; 2];
        // Written out so that every shift is by a constant.
        macro_rules! kick {
            ($($k:literal)*) => {
                $(if const { $k < Self::KICKS.offsets(Self::PIECE, Orientation::ALL[FROM], Turn::ALL[TURN]).len() } {
                    let (dx, dy) = offsets[$k];
                    let hit = from.moved(dx, dy) & free;
                    to[usize::from(Self::KICKS.makes_full(turn, $k))] |= hit;
                    from &= !hit.moved(-dx, -dy);
                })*
            };
        }
        kick!(0 1 2 3 4 5);
        let _ = from;
        to
    }

    /// Splits the resting places of a T that faces `shape` by the kinds of spin possible there.
    #[inline(never)]
    fn spins(board: &Board, found: &Found<W, R>, shape: usize, resting: Plane<W, R>) -> [Plane<W, R>; 3] {
        let corners = Corners::of(Plane::<W, R>::of(board));
        let three = resting & corners.three();
        if three.is_empty() {
            return [resting, Plane::EMPTY, Plane::EMPTY];
        }
        let mut early = Plane::EMPTY;
        let mut last = Plane::EMPTY;
        for from in 0..4 {
            for turn in 0..Self::KICKS.turns().len() {
                if Orientation::ALL[from].turned(Turn::ALL[turn]) as usize != shape {
                    continue;
                }
                let [a, b] = match (from, turn) {
                    (0, 0) => Self::turned::<0, 0>(found),
                    (1, 0) => Self::turned::<1, 0>(found),
                    (2, 0) => Self::turned::<2, 0>(found),
                    (3, 0) => Self::turned::<3, 0>(found),
                    (0, 1) => Self::turned::<0, 1>(found),
                    (1, 1) => Self::turned::<1, 1>(found),
                    (2, 1) => Self::turned::<2, 1>(found),
                    (3, 1) => Self::turned::<3, 1>(found),
                    (0, _) => Self::turned::<0, 2>(found),
                    (1, _) => Self::turned::<1, 2>(found),
                    (2, _) => Self::turned::<2, 2>(found),
                    (_, _) => Self::turned::<3, 2>(found),
                };
                early |= a;
                last |= b;
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
}

impl<const W: usize, const R: usize> Found<W, R> {
    /// Whether some resting place has not been reached, by any orientation of its shape.
    #[inline(always)]
    fn is_missing(&self, piece: Piece) -> bool {
        let missing = |shape| Plane::resting(self.free[shape]) & !self.resting(shape, piece);
        !(0..piece.shapes().len()).map(missing).fold(Plane::EMPTY, Plane::bitor).is_empty()
    }

    /// The resting places reached, under the name of the shape.
    #[inline(always)]
    fn resting(&self, shape: usize, piece: Piece) -> Plane<W, R> {
        let mut reach = self.reach[shape];
        for orientation in &Orientation::ALL[piece.shapes().len()..] {
            let (same, (dx, dy)) = piece.canonical(*orientation);
            if same as usize == shape && piece != Piece::O {
                reach |= self.reach[*orientation as usize].moved(dx, dy);
            }
        }
        reach & Plane::resting(self.free[shape])
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
