//! Landing: which placements are legal, and what a placement does.

use super::piece::{MAX_CELLS, Shape};
use crate::game::PlacementGame;

/// Which placements are legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Landing {
    /// How a piece gets to its place.
    pub path: Path,
    /// What happens above the top.
    pub overflow: Overflow,
}

/// How a piece gets to its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Path {
    /// Straight down from above.
    Drop,
    /// Left, right and down, from above, without turning.
    Slide,
    /// Any resting place.
    Anywhere,
    /// By keys, from where it enters, with turns by the game's rotation system.
    Keys,
}

/// What happens to a piece that would stick out above the top row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Overflow {
    /// The piece must lie wholly inside; the game ends when nothing fits.
    Forbidden,
    /// Rows clear first; anything still above the top ends the game, and that move scores nothing.
    ClearFirst,
    /// Anything above the top ends the game, before rows clear; that move scores nothing.
    EndFirst,
}

impl Landing {
    /// The highest row in which the lowest cells of a shape may come to rest on a board of this height; `None` if it has
    /// no place at all.
    #[inline]
    pub fn highest_row(&self, height: usize, shape: &Shape) -> Option<usize> {
        match self.overflow {
            Overflow::Forbidden => height.checked_sub(shape.height()),
            Overflow::ClearFirst | Overflow::EndFirst => Some(height),
        }
    }
}

impl Path {
    /// Every path with its name in game files.
    pub const NAMES: [(&'static str, Path); 4] =
        [("drop", Path::Drop), ("slide", Path::Slide), ("anywhere", Path::Anywhere), ("keys", Path::Keys)];
}

impl Overflow {
    /// Every overflow rule with its name in game files.
    pub const NAMES: [(&'static str, Overflow); 3] = [
        ("forbidden", Overflow::Forbidden),
        ("clear-first", Overflow::ClearFirst),
        ("end-first", Overflow::EndFirst),
    ];
}

/// A piece, one of its rotations and where it rests. The order is the order in which ties are broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Placement {
    /// Index of the piece in the game's list.
    pub piece: u8,
    /// Index into the piece's distinct rotations.
    pub rotation: u8,
    /// Leftmost column of the piece.
    pub column: u8,
    /// Lowest row of the piece.
    pub row: u8,
}

impl Placement {
    /// The rotated piece.
    #[inline]
    pub fn shape<'game>(&self, game: &'game PlacementGame) -> &'game Shape {
        &game.pieces()[self.piece as usize].rotations()[self.rotation as usize]
    }

    /// The row just above the topmost cell of the piece.
    #[inline]
    pub fn top(&self, game: &PlacementGame) -> usize {
        self.row as usize + self.shape(game).height()
    }
}

/// What a placement led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Landed<B> {
    /// The afterstate: the board after the clear. Meaningless if `fatal`.
    pub board: B,
    /// Bit `i` is set when the row `i` above the placement's lowest row was cleared. 0 if `fatal`.
    pub cleared: u8,
    /// Something stayed above the top: the game is over and the move scores nothing.
    pub fatal: bool,
}

impl<B> Landed<B> {
    /// How many rows were cleared.
    #[inline]
    pub fn lines(&self) -> u32 {
        self.cleared.count_ones()
    }
}

/// A way to store the occupied cells of a board on which a placement game can be played.
///
/// There are three: [`AnyColumns`](super::AnyColumns) for every board, [`TenColumns`](super::TenColumns) for boards
/// ten wide, and [`PackedBoard`](super::PackedBoard), a key of 64 bits, for small ones. All play by the same rules.
pub trait Grid: Copy + Eq + Send + Sync {
    /// Whether boards of this game can be stored this way.
    fn fits(game: &PlacementGame) -> bool;

    /// The empty board.
    fn empty(game: &PlacementGame) -> Self;

    /// The same board from its general form.
    fn from_board(board: &super::Board) -> Self;

    /// The same board in its general form.
    fn to_board(&self, game: &PlacementGame) -> super::Board;

    /// Visits every legal placement of a piece in the order rotation, column, row; fatal ones too.
    fn placements(&self, game: &PlacementGame, piece: usize, visit: impl FnMut(Placement));

    /// The outcome of a placement. It must be one that [`placements`](Grid::placements) visits for this board:
    /// anything else gives a meaningless board or a panic.
    fn place_unchecked(&self, game: &PlacementGame, placement: Placement) -> Landed<Self>;

    /// The row just above the topmost filled cell of a column; 0 if it is empty.
    fn height(&self, game: &PlacementGame, column: usize) -> usize;

    /// Empty cells with a filled cell somewhere above them in their column.
    fn holes(&self, game: &PlacementGame) -> u32;

    /// Where a rotation of a piece comes to rest that falls straight down with its left edge in this column; `None` if it
    /// may not. Where the path is [`Path::Drop`] these are all legal placements.
    #[inline]
    fn dropped(
        &self,
        game: &PlacementGame,
        piece: usize,
        rotation: usize,
        column: usize,
    ) -> Option<Placement> {
        let shape = game.pieces().get(piece)?.rotations().get(rotation)?;
        if column + shape.width() > game.width() {
            return None;
        }
        let mut heights = [0; MAX_CELLS];
        for (dx, height) in heights.iter_mut().enumerate().take(shape.width()) {
            *height = self.height(game, column + dx) as u8;
        }
        let row = shape.landing_row(&heights[..shape.width()]);
        let fits = game.landing().highest_row(game.height(), shape).is_some_and(|last| row as usize <= last);
        fits.then_some(Placement { piece: piece as u8, rotation: rotation as u8, column: column as u8, row })
    }

    /// The sorted legal placements of a piece, fatal ones left out, each with its outcome.
    fn outcomes(&self, game: &PlacementGame, piece: usize, mut visit: impl FnMut(Placement, Landed<Self>)) {
        self.placements(game, piece, |placement| {
            let outcome = self.place_unchecked(game, placement);
            if !outcome.fatal {
                visit(placement, outcome);
            }
        });
    }
}
