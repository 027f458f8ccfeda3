//! Pieces moved by keys: where they can come to rest, on all places of a row as sets of bits, and which keys lead there.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};

use super::board::MAX_HEIGHT;
use super::landing::{Grid, Placement};
use super::r#match::{Match, PlayError};
use super::piece::Piece;
use super::rotation::{BOX, BoxOrientation, RotationSystem};

/// The widest board on which pieces are moved by keys.
pub const MAX_KEY_WIDTH: usize = 12;
/// Pieces that are looked at side by side; no rotation system has more.
pub const PIECES_ABREAST: usize = 8;
/// Heights at which a box can be: its lowest row is up to three rows under the floor.
pub const LEVELS: usize = MAX_HEIGHT + BOX;

/// A key. A move that does not fit does nothing, except down, which locks the piece where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stroke {
    /// One column to the left.
    Left,
    /// One column to the right.
    Right,
    /// One row down, or lock.
    Down,
    /// Clockwise, on the spot.
    Turn,
}

impl Stroke {
    /// Every key, in the order of their numbers in the texts of replays.
    pub const ALL: [Stroke; 4] = [Stroke::Left, Stroke::Right, Stroke::Down, Stroke::Turn];
}

/// A piece on its way: an orientation, and where the box is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Falling {
    /// Index of the piece in the game's list.
    pub piece: u8,
    /// Which of the four orientations.
    pub orientation: u8,
    /// The leftmost column of the box.
    pub column: i8,
    /// The lowest row of the box.
    pub row: i8,
}

/// The way pieces of a game enter and turn, made ready for boards of its size.
///
/// All places of a box in one row are the bits of a word: 16 for each of the four orientations, so that a step to the side is
/// a shift by one and a turn a rotation by 16.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyMoves {
    system: RotationSystem,
    width: usize,
    height: usize,
    orientations: Vec<[BoxOrientation; 4]>,
    /// All pieces abreast, and each alone.
    all: Abreast<PIECES_ABREAST>,
    each: Vec<Abreast<1>>,
}

/// Some pieces abreast.
#[derive(Clone, Debug, PartialEq)]
struct Abreast<const N: usize> {
    /// By row of the box from the bottom, and column: all bits of those orientations that have a cell there.
    cells: [[[u64; N]; BOX]; BOX],
    /// Everywhere a box can be above all filled cells.
    open: [u64; N],
}

/// Where pieces come to rest: sets of places of their boxes, by the lowest row of the box plus 3.
#[derive(Clone, Debug)]
pub struct Rests<const N: usize> {
    levels: [[u64; N]; LEVELS],
    /// Levels below this one are not filled in; nothing rests there.
    from: usize,
    /// Nor are those from this one on.
    to: usize,
}

impl<const N: usize> Default for Rests<N> {
    fn default() -> Self {
        Rests { levels: [[0; N]; LEVELS], from: 0, to: 0 }
    }
}

/// Every orientation once.
const EVERY: u64 = 0x0001_0001_0001_0001;
/// A column's bit is this much higher than its number: a box may stand out to the left.
const SHIFT: usize = 2;

impl<const N: usize> Abreast<N> {
    fn new(width: usize, pieces: &[[BoxOrientation; 4]]) -> Abreast<N> {
        let mut cells = [[[0; N]; BOX]; BOX];
        for (lane, orientations) in pieces.iter().enumerate() {
            for (index, orientation) in orientations.iter().enumerate() {
                for (dy, row) in orientation.rows.iter().enumerate() {
                    for dx in (0..BOX).filter(|dx| row >> dx & 1 == 1) {
                        cells[dy][dx][lane] |= 0xffff << (16 * index);
                    }
                }
            }
        }
        let mut lanes = Abreast { cells, open: [0; N] };
        let empty = [spread(width, 0); BOX];
        let free = lanes.free(&empty, 0);
        let entry = 1 << (SHIFT + entry_column(width));
        let mut open = free;
        for (lane, open) in open.iter_mut().enumerate() {
            *open = if lane < pieces.len() { *open & entry } else { 0 };
        }
        lanes.open = flood(open, &free);
        lanes
    }

    /// Where boxes whose lowest row is `row` fit, from the four rows they cover: row `r` lies at `r % 4`.
    #[inline(always)]
    fn free(&self, rows: &[[u64; BOX]; BOX], row: usize) -> [u64; N] {
        let mut blocked = [0; N];
        for dy in 0..BOX {
            let places = &rows[(row + dy) % BOX];
            for dx in 0..BOX {
                for (blocked, cells) in blocked.iter_mut().zip(&self.cells[dy][dx]) {
                    *blocked |= places[dx] & cells;
                }
            }
        }
        blocked.map(|blocked| !blocked)
    }

    #[inline(always)]
    fn rests(&self, width: usize, rows: &[u16], top: usize, rests: &mut Rests<N>) {
        // Level `l` has the lowest row of the box at `l - 3`; the rows under the floor are full.
        let at = |level: usize| {
            spread(width, if level < 3 { u16::MAX } else { rows.get(level - 3).copied().unwrap_or(0) })
        };
        let mut level = top + 3;
        let mut seen: [[u64; BOX]; BOX] = [spread(width, 0); BOX];
        let mut reached = self.open;
        rests.to = level + 1;
        loop {
            if level == 0 {
                rests.levels[0] = reached;
                rests.from = 0;
                return;
            }
            seen[(level - 1) % BOX] = at(level - 1);
            let below = self.free(&seen, level - 1);
            let mut any = 0;
            for lane in 0..N {
                rests.levels[level][lane] = reached[lane] & !below[lane];
                reached[lane] &= below[lane];
                any |= reached[lane];
            }
            if any == 0 {
                rests.from = level;
                return;
            }
            reached = flood(reached, &below);
            level -= 1;
        }
    }
}

impl<const N: usize> Rests<N> {
    /// The columns of the leftmost cells of a rotation that rests with its lowest cells in `row`, as bits.
    #[inline(always)]
    pub fn columns(&self, lane: usize, orientations: &Turned, row: usize) -> u16 {
        let mut columns = 0;
        for &(index, left, bottom) in orientations.0.iter().take(orientations.1) {
            // The row of the box is `row - bottom`.
            let level = row + 3 - bottom as usize;
            if (self.from..self.to).contains(&level) {
                let places = (self.levels[level][lane] >> (16 * index)) as u16;
                columns |= (u32::from(places) << left >> SHIFT) as u16;
            }
        }
        columns
    }
}

/// The orientations that are one rotation of a piece: index, empty columns at the left, empty rows below.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Turned([(u8, u8, u8); 4], usize);

impl KeyMoves {
    /// The moves of these pieces on a board of this size; what is wrong with them otherwise.
    pub(crate) fn new(
        system: RotationSystem,
        width: usize,
        height: usize,
        pieces: &[Piece],
    ) -> Result<KeyMoves, String> {
        if !(BOX..=MAX_KEY_WIDTH).contains(&width) {
            return Err(format!(
                "pieces moved by keys need a board {BOX} to {MAX_KEY_WIDTH} wide, not {width}"
            ));
        }
        let mut orientations = Vec::new();
        for piece in pieces {
            orientations.push(system.orientations(piece).ok_or_else(|| {
                format!("the rotation system `{}` does not know the piece `{}`", system.name(), piece.name())
            })?);
        }
        let each = orientations.iter().map(|one| Abreast::new(width, std::slice::from_ref(one))).collect();
        Ok(KeyMoves { system, width, height, all: Abreast::new(width, &orientations), each, orientations })
    }

    /// The rotation system.
    pub fn system(&self) -> RotationSystem {
        self.system
    }

    /// Where one piece comes to rest. `rows` are the columns of each row as bits, from the bottom; all rows from `top` on are
    /// empty.
    #[inline]
    pub fn rests_of(&self, piece: usize, rows: &[u16], top: usize, rests: &mut Rests<1>) {
        self.each[piece].rests(self.width, rows, top, rests);
    }

    /// Where every piece comes to rest.
    #[inline]
    pub fn rests(&self, rows: &[u16], top: usize, rests: &mut Rests<PIECES_ABREAST>) {
        self.all.rests(self.width, rows, top, rests);
    }

    /// The orientations that are the same rotation of a piece.
    pub fn turned(&self, piece: usize, rotation: usize) -> Turned {
        let mut found = Turned::default();
        for (index, one) in self.orientations[piece].iter().enumerate() {
            if usize::from(one.rotation) == rotation {
                found.0[found.1] = (index as u8, one.left, one.bottom);
                found.1 += 1;
            }
        }
        found
    }

    /// Visits every resting place of a piece in the order rotation, column, row.
    pub(crate) fn placements(
        &self,
        piece: usize,
        rotations: usize,
        rows: &[u16],
        mut visit: impl FnMut(Placement),
    ) {
        let top = rows.iter().rposition(|row| *row != 0).map_or(0, |row| row + 1);
        let mut rests = Rests::default();
        self.rests_of(piece, rows, top, &mut rests);
        for rotation in 0..rotations {
            let turned = self.turned(piece, rotation);
            let columns: [u16; MAX_HEIGHT + 1] =
                std::array::from_fn(|row| if row <= top { rests.columns(0, &turned, row) } else { 0 });
            for column in 0..self.width {
                for row in (0..=top).filter(|&row| columns[row] >> column & 1 == 1) {
                    visit(Placement {
                        piece: piece as u8,
                        rotation: rotation as u8,
                        column: column as u8,
                        row: row as u8,
                    });
                }
            }
        }
    }

    /// A piece as it enters: the top row of its box is the fourth above the board.
    pub fn enter(&self, piece: u8) -> Falling {
        let column = entry_column(self.width) as i8;
        Falling { piece, orientation: 0, column, row: self.height as i8 }
    }

    /// Presses a key. The placement, if the piece locks; the caller ends its way there.
    pub fn press(&self, rows: &[u16], falling: &mut Falling, stroke: Stroke) -> Option<Placement> {
        let mut moved = *falling;
        match stroke {
            Stroke::Left => moved.column -= 1,
            Stroke::Right => moved.column += 1,
            Stroke::Down => moved.row -= 1,
            Stroke::Turn => moved.orientation = (moved.orientation + 1) % 4,
        }
        if self.fits(rows, &moved) {
            *falling = moved;
        } else if stroke == Stroke::Down {
            return Some(self.placement(falling));
        }
        None
    }

    /// The shortest keys that bring a piece from where it enters to a resting place, the last of them locks it; `None` if no
    /// keys do. Among the shortest, the first in the order of [`Stroke::ALL`].
    pub fn strokes_to(&self, rows: &[u16], goal: Placement) -> Option<Vec<Stroke>> {
        let entered = self.enter(goal.piece);
        let mut from = HashMap::from([(entered, None)]);
        let mut open = VecDeque::from([entered]);
        while let Some(at) = open.pop_front() {
            for stroke in Stroke::ALL {
                let mut next = at;
                if let Some(locked) = self.press(rows, &mut next, stroke) {
                    if locked == goal {
                        let mut strokes = vec![stroke];
                        let mut place = at;
                        while let Some(&Some((before, stroke))) = from.get(&place) {
                            strokes.push(stroke);
                            place = before;
                        }
                        strokes.reverse();
                        return Some(strokes);
                    }
                } else if let Entry::Vacant(unseen) = from.entry(next) {
                    unseen.insert(Some((at, stroke)));
                    open.push_back(next);
                }
            }
        }
        None
    }

    fn fits(&self, rows: &[u16], at: &Falling) -> bool {
        let orientation = &self.orientations[at.piece as usize][at.orientation as usize];
        orientation.rows.iter().enumerate().filter(|(_, cells)| **cells != 0).all(|(dy, cells)| {
            let row = i32::from(at.row) + dy as i32;
            let filled = usize::try_from(row).ok().map(|row| rows.get(row).copied().unwrap_or(0));
            (0..BOX as i32).filter(|dx| cells >> dx & 1 == 1).all(|dx| {
                let column = i32::from(at.column) + dx;
                (0..self.width as i32).contains(&column) && filled.is_some_and(|row| row >> column & 1 == 0)
            })
        })
    }

    fn placement(&self, at: &Falling) -> Placement {
        let orientation = &self.orientations[at.piece as usize][at.orientation as usize];
        Placement {
            piece: at.piece,
            rotation: orientation.rotation,
            column: (at.column + orientation.left as i8) as u8,
            row: (at.row + orientation.bottom as i8) as u8,
        }
    }
}

impl<G: Grid> Match<G> {
    /// Plays by keys until they end or the game does; `None` if pieces of this game are not moved by keys. What is left of
    /// the keys after the end does nothing, and so does a piece that is not locked.
    pub fn press_all(&mut self, strokes: impl IntoIterator<Item = Stroke>) -> Option<Result<(), PlayError>> {
        self.game().keys()?;
        let mut falling: Option<(Falling, Vec<u16>)> = None;
        for stroke in strokes {
            if self.outcome().is_some() {
                break;
            }
            let keys = self.game().keys()?;
            let Some(piece) = self.current() else { return Some(Err(PlayError::NoPiece)) };
            let (on_its_way, rows) =
                falling.get_or_insert_with(|| (keys.enter(piece), self.board().to_board(self.game()).rows()));
            if let Some(placement) = keys.press(rows, on_its_way, stroke) {
                falling = None;
                if let Err(error) = self.play(&placement) {
                    return Some(Err(error));
                }
            }
        }
        Some(Ok(()))
    }

    /// The keys that lead to a placement of the current piece; `None` if pieces of this game are not moved by keys, or it cannot
    /// be reached.
    pub fn strokes_to(&self, placement: Placement) -> Option<Vec<Stroke>> {
        self.game().keys()?.strokes_to(&self.board().to_board(self.game()).rows(), placement)
    }
}

/// Spreads to the sides and by turning until nothing changes.
#[inline(always)]
fn flood<const N: usize>(mut reached: [u64; N], free: &[u64; N]) -> [u64; N] {
    loop {
        let mut changed = 0;
        for (reached, free) in reached.iter_mut().zip(free) {
            let bits = *reached;
            let spread = (bits | bits << 1 | bits >> 1 | bits.rotate_left(16)) & free;
            changed |= spread ^ bits;
            *reached = spread;
        }
        if changed == 0 {
            return reached;
        }
    }
}

/// For each column of a box the places at which it lies on a filled cell of this row or on a wall.
#[inline(always)]
fn spread(width: usize, row: u16) -> [u64; BOX] {
    let inside = ((1u32 << width) - 1) << SHIFT;
    let filled = !inside | u32::from(row) << SHIFT;
    std::array::from_fn(|dx| u64::from(filled >> dx & 0xffff) * EVERY)
}

/// Where the box enters: in the middle, to the left if there are two.
fn entry_column(width: usize) -> usize {
    (width - BOX) / 2
}
