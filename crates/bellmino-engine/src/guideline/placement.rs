//! A piece at rest, and how it got there as far as the score is concerned.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::board::{Board, HEIGHT, WIDTH};
use super::piece::{Orientation, Piece};

/// A piece, where its centre lies, which way it faces and what kind of spin brought it there.
///
/// The same cells can have several names (two for I, S and Z, four for O); compare
/// [`Placement::canonical`] forms to compare cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Placement {
    /// The piece.
    pub piece: Piece,
    /// Which way it faces.
    pub orientation: Orientation,
    /// Column of its centre.
    pub x: i8,
    /// Row of its centre.
    pub y: i8,
    /// How it was turned in.
    pub spin: Spin,
}

/// The kind of a T-spin; always `None` for other pieces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
#[serde(rename_all = "lowercase")]
pub enum Spin {
    /// No spin.
    #[default]
    None,
    /// Three corners filled, but not both in front of the T.
    Mini,
    /// Both corners in front of the T and one behind filled, or three corners and the last kick.
    Full,
}

impl Placement {
    /// A piece as it enters: facing north with its centre in column 4, row 19.
    pub const fn spawn(piece: Piece) -> Placement {
        Placement { piece, orientation: Orientation::North, x: 4, y: 19, spin: Spin::None }
    }

    /// The four cells it covers, `(column, row)`.
    #[inline]
    pub const fn cells(&self) -> [(i8, i8); 4] {
        let mut cells = self.piece.cells(self.orientation);
        let mut i = 0;
        while i < 4 {
            cells[i] = (cells[i].0 + self.x, cells[i].1 + self.y);
            i += 1;
        }
        cells
    }

    /// The same cells and spin under the name the generator uses.
    pub const fn canonical(&self) -> Placement {
        let (orientation, (dx, dy)) = self.piece.canonical(self.orientation);
        Placement { piece: self.piece, orientation, x: self.x + dx, y: self.y + dy, spin: self.spin }
    }
}

impl Spin {
    /// The three kinds.
    pub const ALL: [Spin; 3] = [Spin::None, Spin::Mini, Spin::Full];

    /// The name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Spin::None => "none",
            Spin::Mini => "mini",
            Spin::Full => "full",
        }
    }

    /// The spin of a piece that has just been turned into this place; `last_kick` if the turn
    /// used the kick that makes any T-spin full.
    ///
    /// Corners of a T facing north, `f` in front and `b` behind:
    ///
    /// ```text
    /// f#f
    /// ###
    /// b.b
    /// ```
    pub fn after_turn(board: &Board, at: &Placement, last_kick: bool) -> Spin {
        if at.piece != Piece::T {
            return Spin::None;
        }
        let filled = |(dx, dy): (i8, i8)| {
            let (x, y) = (i32::from(at.x + dx), i32::from(at.y + dy));
            // Walls and floor count as filled; there is no ceiling.
            y < HEIGHT as i32 && board.blocks(x, y)
        };
        let corners = [(-1, 1), (1, 1), (1, -1), (-1, -1)].map(filled);
        let front = at.orientation as usize;
        match corners.iter().filter(|&&corner| corner).count() {
            0..=2 => Spin::None,
            _ if last_kick || (corners[front] && corners[(front + 1) % 4]) => Spin::Full,
            _ => Spin::Mini,
        }
    }
}

impl FromStr for Placement {
    type Err = String;

    /// Reads what `Display` writes: `T south 4,1 full`; without a third word there is no spin.
    fn from_str(text: &str) -> Result<Placement, String> {
        let parse = || {
            let mut words = text.split_whitespace();
            let piece = words.next().filter(|word| word.len() == 1)?;
            let piece = Piece::from_letter(piece.chars().next()?)?;
            let orientation = words.next()?;
            let orientation = Orientation::ALL.into_iter().find(|known| known.name() == orientation)?;
            let (x, y) = words.next()?.split_once(',')?;
            let spin = match words.next() {
                None => Spin::None,
                Some(word) => Spin::ALL.into_iter().find(|known| known.name() == word)?,
            };
            let at = Placement { piece, orientation, x: x.parse().ok()?, y: y.parse().ok()?, spin };
            let sane = (0..WIDTH as i8).contains(&at.x) && (0..HEIGHT as i8).contains(&at.y);
            (words.next().is_none() && sane).then_some(at)
        };
        parse().ok_or_else(|| format!("`{text}` is not a placement such as `T south 4,1 full`"))
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {},{}", self.piece, self.orientation, self.x, self.y)?;
        match self.spin {
            Spin::None => Ok(()),
            spin => write!(f, " {}", spin.name()),
        }
    }
}
