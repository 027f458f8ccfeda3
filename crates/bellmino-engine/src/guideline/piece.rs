//! The seven pieces, their four orientations and the cells they cover.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One of the seven tetrominoes.
///
/// The centre of each piece is the one of the Tetris Bot Protocol, `o` below, shown facing north:
///
/// ```text
/// I          O      T       L       J       S       Z
/// .....      ##     .#.     ..#     #..     .##     ##.
/// #o##       o#     #o#     #o#     #o#     #o.     .o#
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Piece {
    /// Four cells in a row.
    I,
    /// The square.
    O,
    /// The T, the only piece with spins.
    T,
    /// Three in a row with the fourth above the right end.
    L,
    /// Three in a row with the fourth above the left end.
    J,
    /// The S.
    S,
    /// The Z.
    Z,
}

/// The way a piece faces; north is how it enters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
#[serde(rename_all = "lowercase")]
pub enum Orientation {
    /// As the piece enters.
    North,
    /// One turn clockwise.
    East,
    /// Two turns.
    South,
    /// One turn counter-clockwise.
    West,
}

/// A turn of the piece in play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Turn {
    /// A quarter clockwise.
    Clockwise,
    /// A quarter counter-clockwise.
    Counter,
    /// Half a turn, where the kick table allows it.
    Half,
}

impl Piece {
    /// Every piece, in the order of the enumeration.
    pub const ALL: [Piece; 7] = [Piece::I, Piece::O, Piece::T, Piece::L, Piece::J, Piece::S, Piece::Z];

    /// Their letters in that order, for those who are told what a piece is called.
    pub const LETTERS: &str = "IOTLJSZ";

    /// The letter of the piece.
    pub const fn letter(self) -> char {
        match self {
            Piece::I => 'I',
            Piece::O => 'O',
            Piece::T => 'T',
            Piece::L => 'L',
            Piece::J => 'J',
            Piece::S => 'S',
            Piece::Z => 'Z',
        }
    }

    /// The piece of a capital letter.
    pub const fn from_letter(letter: char) -> Option<Piece> {
        Some(match letter {
            'I' => Piece::I,
            'O' => Piece::O,
            'T' => Piece::T,
            'L' => Piece::L,
            'J' => Piece::J,
            'S' => Piece::S,
            'Z' => Piece::Z,
            _ => return None,
        })
    }

    /// The four cells of the piece as offsets `(dx, dy)` from its centre.
    ///
    /// ```
    /// use bellmino_engine::guideline::{Orientation, Piece};
    /// assert_eq!(Piece::T.cells(Orientation::East), [(0, 1), (0, 0), (0, -1), (1, 0)]);
    /// ```
    #[inline(always)]
    pub const fn cells(self, orientation: Orientation) -> [(i8, i8); 4] {
        CELLS[self as usize][orientation as usize]
    }

    /// The distinct shapes of the piece: one orientation of each. The other orientations cover
    /// the same cells from another centre, see [`Piece::canonical`].
    #[inline(always)]
    pub const fn shapes(self) -> &'static [Orientation] {
        match self {
            Piece::O => &[Orientation::North],
            Piece::I | Piece::S | Piece::Z => &[Orientation::North, Orientation::East],
            Piece::T | Piece::L | Piece::J => &Orientation::ALL,
        }
    }

    /// The orientation of [`Piece::shapes`] that covers the same cells, and where its centre
    /// lies as seen from the centre of `orientation`.
    ///
    /// ```
    /// use bellmino_engine::guideline::{Orientation, Piece};
    /// assert_eq!(Piece::S.canonical(Orientation::South), (Orientation::North, (0, -1)));
    /// ```
    #[inline(always)]
    pub const fn canonical(self, orientation: Orientation) -> (Orientation, (i8, i8)) {
        CANONICAL[self as usize][orientation as usize]
    }
}

impl Orientation {
    /// The four orientations, clockwise from north.
    pub const ALL: [Orientation; 4] =
        [Orientation::North, Orientation::East, Orientation::South, Orientation::West];

    /// The orientation after `turn`.
    #[inline(always)]
    pub const fn turned(self, turn: Turn) -> Orientation {
        let by = match turn {
            Turn::Clockwise => 1,
            Turn::Half => 2,
            Turn::Counter => 3,
        };
        Orientation::ALL[(self as usize + by) % 4]
    }

    /// The name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Orientation::North => "north",
            Orientation::East => "east",
            Orientation::South => "south",
            Orientation::West => "west",
        }
    }
}

impl Turn {
    /// The three turns.
    pub const ALL: [Turn; 3] = [Turn::Clockwise, Turn::Counter, Turn::Half];
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}

impl fmt::Display for Orientation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Cells facing north, in the order of [`Piece::ALL`].
const NORTH: [[(i8, i8); 4]; 7] = [
    [(-1, 0), (0, 0), (1, 0), (2, 0)],
    [(0, 0), (1, 0), (0, 1), (1, 1)],
    [(-1, 0), (0, 0), (1, 0), (0, 1)],
    [(-1, 0), (0, 0), (1, 0), (1, 1)],
    [(-1, 0), (0, 0), (1, 0), (-1, 1)],
    [(-1, 0), (0, 0), (0, 1), (1, 1)],
    [(-1, 1), (0, 1), (0, 0), (1, 0)],
];

/// Cells of every piece in every orientation.
static CELLS: [[[(i8, i8); 4]; 4]; 7] = {
    let mut all = [[[(0, 0); 4]; 4]; 7];
    let mut piece = 0;
    while piece < 7 {
        let mut cells = NORTH[piece];
        let mut orientation = 0;
        while orientation < 4 {
            all[piece][orientation] = cells;
            let mut i = 0;
            while i < 4 {
                cells[i] = (cells[i].1, -cells[i].0);
                i += 1;
            }
            orientation += 1;
        }
        piece += 1;
    }
    all
};

/// See [`Piece::canonical`].
static CANONICAL: [[(Orientation, (i8, i8)); 4]; 7] = {
    let mut all = [[(Orientation::North, (0, 0)); 4]; 7];
    let mut i = 0;
    while i < 28 {
        let (piece, orientation) = (Piece::ALL[i / 4], Orientation::ALL[i % 4]);
        let shape = match (piece, orientation) {
            (Piece::O, _) => Orientation::North,
            (Piece::I | Piece::S | Piece::Z, Orientation::South) => Orientation::North,
            (Piece::I | Piece::S | Piece::Z, Orientation::West) => Orientation::East,
            _ => orientation,
        };
        let here = lowest_left(CELLS[i / 4][i % 4]);
        let there = lowest_left(CELLS[i / 4][shape as usize]);
        all[i / 4][i % 4] = (shape, (here.0 - there.0, here.1 - there.1));
        i += 1;
    }
    all
};

/// The leftmost cell of the lowest row, which names a set of cells whatever its centre.
const fn lowest_left(cells: [(i8, i8); 4]) -> (i8, i8) {
    let mut best = cells[0];
    let mut i = 1;
    while i < 4 {
        if cells[i].1 < best.1 || (cells[i].1 == best.1 && cells[i].0 < best.0) {
            best = cells[i];
        }
        i += 1;
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_those_of_all_pieces_in_order() {
        assert_eq!(Piece::LETTERS, Piece::ALL.map(Piece::letter).iter().collect::<String>());
    }

    #[test]
    fn canonical_names_cover_the_same_cells() {
        for piece in Piece::ALL {
            for orientation in Orientation::ALL {
                let (shape, (dx, dy)) = piece.canonical(orientation);
                assert!(piece.shapes().contains(&shape));
                let mut here = piece.cells(orientation);
                let mut there = piece.cells(shape).map(|(x, y)| (x + dx, y + dy));
                here.sort_unstable();
                there.sort_unstable();
                assert_eq!(here, there, "{piece} {orientation}");
            }
        }
    }

    #[test]
    fn centres_are_those_of_the_bot_protocol() {
        // I: middle-left, middle-top, middle-right, middle-bottom.
        assert_eq!(Piece::I.cells(Orientation::East), [(0, 1), (0, 0), (0, -1), (0, -2)]);
        assert_eq!(Piece::I.cells(Orientation::South), [(1, 0), (0, 0), (-1, 0), (-2, 0)]);
        assert_eq!(Piece::I.cells(Orientation::West), [(0, -1), (0, 0), (0, 1), (0, 2)]);
        // O: bottom-left, top-left, top-right, bottom-right.
        assert_eq!(Piece::O.cells(Orientation::East), [(0, 0), (0, -1), (1, 0), (1, -1)]);
        assert_eq!(Piece::O.cells(Orientation::South), [(0, 0), (-1, 0), (0, -1), (-1, -1)]);
        assert_eq!(Piece::O.cells(Orientation::West), [(0, 0), (0, 1), (-1, 0), (-1, 1)]);
    }
}
