//! Small boards packed into one word: the keys of state spaces, and the fast path on them.

use crate::board::Board;
use crate::columns::AnyColumns;
use crate::game::PlacementGame;
use crate::landing::{Grid, Outcome, Overflow, Path, Placement};

/// A board of at most 64 cells: bit `row * width + column`.
///
/// ```
/// use bellmino_engine::{Board, Grid, PackedBoard};
///
/// let board = Board::parse(4, 4, "#... / ##.#")?;
/// assert_eq!(PackedBoard::from_board(&board), PackedBoard(0b0001_1011));
/// # Ok::<(), bellmino_engine::BoardError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PackedBoard(pub u64);

/// What the fast path looks up: the shapes as packed words. Part of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PackedShapes {
    /// For each piece and rotation, the cells with the lower left corner at (0, 0).
    masks: Vec<Vec<u64>>,
}

impl PackedShapes {
    pub(crate) fn new(width: usize, height: usize, pieces: &[crate::Piece]) -> PackedShapes {
        let packed = |shape: &crate::Shape| {
            let inside = shape.width() <= width && shape.height() <= height && width * height <= 64;
            let cells = shape.cells().filter(|_| inside);
            cells.fold(0u64, |mask, (x, y)| mask | 1 << (y * width + x))
        };
        let masks = pieces.iter().map(|piece| piece.rotations().iter().map(packed).collect()).collect();
        PackedShapes { masks }
    }
}

impl PackedBoard {
    /// The board reflected in its vertical axis.
    pub fn mirrored(self, game: &PlacementGame) -> PackedBoard {
        let (width, mut mirrored) = (game.width(), 0);
        for x in 0..width {
            let column = self.0 >> x & column_mask(game);
            mirrored |= column << (width - 1 - x);
        }
        PackedBoard(mirrored)
    }
}

impl Grid for PackedBoard {
    fn fits(game: &PlacementGame) -> bool {
        game.width() * game.height() <= 64
    }

    fn empty(_game: &PlacementGame) -> Self {
        PackedBoard(0)
    }

    fn from_board(board: &Board) -> Self {
        let mut bits = 0;
        for y in 0..board.height() {
            for x in 0..board.width() {
                bits |= u64::from(board.contains(x, y)) << (y * board.width() + x);
            }
        }
        PackedBoard(bits)
    }

    fn to_board(&self, game: &PlacementGame) -> Board {
        let mut board = Board::new(game.width(), game.height());
        let mut bits = self.0;
        while bits != 0 {
            let cell = bits.trailing_zeros() as usize;
            board.insert(cell % game.width(), cell / game.width());
            bits &= bits - 1;
        }
        board
    }

    #[inline]
    fn placements(&self, game: &PlacementGame, piece: usize, mut visit: impl FnMut(Placement)) {
        if game.landing().path != Path::Drop {
            return AnyColumns::from_board(&self.to_board(game)).placements(game, piece, visit);
        }
        let mut heights = [0u8; crate::board::MAX_WIDTH];
        for (x, height) in heights.iter_mut().enumerate().take(game.width()) {
            *height = self.height(game, x) as u8;
        }
        for (rotation, shape) in game.pieces()[piece].rotations().iter().enumerate() {
            let room = match game.landing().overflow {
                Overflow::Forbidden => game.height() as isize - shape.height() as isize,
                Overflow::ClearFirst => game.height() as isize,
            };
            for x in 0..(game.width() + 1).saturating_sub(shape.width()) {
                let under = &heights[x..x + shape.width()];
                let rows =
                    under.iter().zip(shape.bottoms()).map(|(height, bottom)| height.saturating_sub(*bottom));
                let row = rows.max().unwrap_or(0);
                if row as isize <= room {
                    visit(Placement { piece: piece as u8, rotation: rotation as u8, column: x as u8, row });
                }
            }
        }
    }

    #[inline]
    fn place_unchecked(&self, game: &PlacementGame, placement: Placement) -> Outcome<Self> {
        let width = game.width();
        if placement.top(game) > game.height() {
            // Only under `clear-first`, and rare: sticks out above the packed word.
            let columns = AnyColumns::from_board(&self.to_board(game));
            let Outcome { board, cleared, fatal } = columns.place_unchecked(game, placement);
            let board = if fatal { *self } else { PackedBoard::from_board(&board.to_board(game)) };
            return Outcome { board, cleared, fatal };
        }
        let mask = game.packed_shapes().masks[placement.piece as usize][placement.rotation as usize];
        let row = placement.row as usize;
        let mut board = self.0 | mask << (row * width + placement.column as usize);
        let full_row = !0u64 >> (64 - width);
        let mut cleared = 0;
        for dy in (0..placement.shape(game).height()).rev() {
            let shift = (row + dy) * width;
            if board >> shift & full_row == full_row {
                cleared |= 1 << dy;
                let below = (1u64 << shift) - 1;
                let above = if width == 64 { 0 } else { board >> width };
                board = (board & below) | (above & !below);
            }
        }
        Outcome { board: PackedBoard(board), cleared, fatal: false }
    }

    #[inline]
    fn height(&self, game: &PlacementGame, column: usize) -> usize {
        let cells = self.0 & (column_mask(game) << column);
        if cells == 0 { 0 } else { cells.ilog2() as usize / game.width() + 1 }
    }

    fn holes(&self, game: &PlacementGame) -> u32 {
        let heights: usize = (0..game.width()).map(|x| self.height(game, x)).sum();
        heights as u32 - self.0.count_ones()
    }
}

/// The cells of column 0.
#[inline]
fn column_mask(game: &PlacementGame) -> u64 {
    game.packed_column()
}
