//! Rotation systems: where a piece may go when it turns.

use serde::{Deserialize, Serialize};

use super::board::Board;
use super::piece::{Orientation, Piece, Turn};
use super::placement::{Placement, Spin};

/// A named rotation system. A turn tries the offsets of [`Kicks::offsets`] in order and takes the
/// first place where the piece fits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kicks {
    /// The super rotation system: five places for each quarter turn, no half turns.
    #[default]
    Srs,
    /// Quarter turns on the spot only.
    None,
    /// [`Kicks::Srs`] and half turns with six places each, as in the SRS+ of TETR.IO.
    Srs180,
}

impl Kicks {
    /// Every rotation system.
    pub const ALL: [Kicks; 3] = [Kicks::Srs, Kicks::None, Kicks::Srs180];

    /// The name used in game files.
    pub const fn name(self) -> &'static str {
        match self {
            Kicks::Srs => "srs",
            Kicks::None => "none",
            Kicks::Srs180 => "srs180",
        }
    }

    /// The rotation system of a name.
    pub fn from_name(name: &str) -> Option<Kicks> {
        Kicks::ALL.into_iter().find(|kicks| kicks.name() == name)
    }

    /// Where the centre may go, in the order of trying; empty if the system has no such turn.
    #[inline(always)]
    pub const fn offsets(self, piece: Piece, from: Orientation, turn: Turn) -> &'static [(i8, i8)] {
        let table = match self {
            Kicks::Srs => &SRS,
            Kicks::None => &NONE,
            Kicks::Srs180 => &SRS180,
        };
        let offsets = &table[piece as usize][from as usize][turn as usize];
        offsets.list.split_at(offsets.len).0
    }

    /// Where a turn takes the piece, with the spin it makes; `None` if it fits nowhere.
    pub fn turned(self, board: &Board, at: &Placement, turn: Turn) -> Option<Placement> {
        let orientation = at.orientation.turned(turn);
        let offsets = self.offsets(at.piece, at.orientation, turn);
        offsets.iter().enumerate().find_map(|(index, (dx, dy))| {
            let to = Placement { orientation, x: at.x + dx, y: at.y + dy, ..*at };
            let spin = || Spin::after_turn(board, &to, self.makes_full(turn, index));
            board.fits(&to).then(|| Placement { spin: spin(), ..to })
        })
    }

    /// Whether reaching a place by the offset of this index makes any T-spin a full one: the last
    /// kick of a quarter turn in the super rotation system.
    #[inline(always)]
    pub const fn makes_full(self, turn: Turn, index: usize) -> bool {
        match self {
            Kicks::Srs | Kicks::Srs180 => !matches!(turn, Turn::Half) && index == 4,
            Kicks::None => false,
        }
    }

    /// The turns this system knows.
    #[inline(always)]
    pub const fn turns(self) -> &'static [Turn] {
        match self {
            Kicks::Srs | Kicks::None => &[Turn::Clockwise, Turn::Counter],
            Kicks::Srs180 => &Turn::ALL,
        }
    }
}

/// At most six places per turn.
#[derive(Clone, Copy)]
struct Offsets {
    list: [(i8, i8); 6],
    len: usize,
}

type KickTable = [[[Offsets; 3]; 4]; 7];

/// Where the centre of a true rotation lies in each orientation, five tries each; a kick is the
/// difference of two entries. O has one try only.
const JLSTZ: [[(i8, i8); 5]; 4] = [
    [(0, 0); 5],
    [(0, 0), (1, 0), (1, -1), (0, 2), (1, 2)],
    [(0, 0); 5],
    [(0, 0), (-1, 0), (-1, -1), (0, 2), (-1, 2)],
];
const I: [[(i8, i8); 5]; 4] = [
    [(0, 0), (-1, 0), (2, 0), (-1, 0), (2, 0)],
    [(-1, 0), (0, 0), (0, 0), (0, 1), (0, -2)],
    [(-1, 1), (1, 1), (-2, 1), (1, 0), (-2, 0)],
    [(0, 1), (0, 1), (0, 1), (0, -1), (0, 2)],
];
const O: [(i8, i8); 4] = [(0, 0), (0, -1), (-1, -1), (-1, 0)];

/// Half-turn kicks by the orientation turned from, added to the turn on the spot.
const HALF: [[(i8, i8); 6]; 4] = [
    [(0, 0), (0, 1), (1, 1), (-1, 1), (1, 0), (-1, 0)],
    [(0, 0), (1, 0), (1, 2), (1, 1), (0, 2), (0, 1)],
    [(0, 0), (0, -1), (-1, -1), (1, -1), (-1, 0), (1, 0)],
    [(0, 0), (-1, 0), (-1, 2), (-1, 1), (0, 2), (0, 1)],
];

static SRS: KickTable = table(5, false);
static NONE: KickTable = table(1, false);
static SRS180: KickTable = table(5, true);

const fn table(tries: usize, half: bool) -> KickTable {
    let mut table = [[[Offsets { list: [(0, 0); 6], len: 0 }; 3]; 4]; 7];
    let mut piece = 0;
    while piece < 7 {
        let mut from = 0;
        while from < 4 {
            let mut turn = 0;
            while turn < 3 {
                let entry = &mut table[piece][from][turn];
                let to = Orientation::ALL[from].turned(Turn::ALL[turn]) as usize;
                let is_o = piece == Piece::O as usize;
                let is_half = turn == Turn::Half as usize;
                entry.len = match (is_half, half) {
                    (true, false) => 0,
                    _ if is_o => 1,
                    (true, true) => 6,
                    (false, _) => tries,
                };
                let mut k = 0;
                while k < entry.len {
                    let try_index = if is_half { 0 } else { k };
                    let (a, b) = if is_o {
                        (O[from], O[to])
                    } else if piece == Piece::I as usize {
                        (I[from][try_index], I[to][try_index])
                    } else {
                        (JLSTZ[from][try_index], JLSTZ[to][try_index])
                    };
                    let kick = if is_half { HALF[from][k] } else { (0, 0) };
                    entry.list[k] = (a.0 - b.0 + kick.0, a.1 - b.1 + kick.1);
                    k += 1;
                }
                turn += 1;
            }
            from += 1;
        }
        piece += 1;
    }
    table
}
