//! Small boards packed into one word: the keys of state spaces, and the fast path on them.

use super::board::Board;
use super::columns::AnyColumns;
use super::landing::{Grid, Landed, Overflow, Path, Placement};
use crate::game::PlacementGame;

/// A board of at most 64 cells: bit `row * width + column`.
///
/// ```
/// use bellmino_engine::placement::{Board, Grid, PackedBoard};
///
/// let board = Board::parse(4, 4, "#... / ##.#")?;
/// assert_eq!(PackedBoard::from_board(&board), PackedBoard(0b0001_1011));
/// # Ok::<(), bellmino_engine::placement::BoardError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PackedBoard(pub u64);

/// What the fast path looks up: the shapes as packed words. Part of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PackedShapes {
    /// For each piece and rotation, the cells with the lower left corner at (0, 0).
    masks: Vec<Vec<u64>>,
    /// The same, row by row.
    lines: Vec<Vec<Lines>>,
    /// Every piece, rotation and column, in this order.
    drops: Vec<Drop>,
    /// Where the drops of each piece begin, and the end of the last.
    starts: Vec<usize>,
    /// The row of each bit.
    rows: Vec<u8>,
}

/// The rows of a shape from the lowest up, its left edge at bit 0.
type Lines = [u16; super::piece::MAX_CELLS];

/// A rotation over a column.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Drop {
    rotation: u8,
    column: u8,
    width: u8,
    height: u8,
    bottoms: [u8; super::piece::MAX_CELLS],
    lines: Lines,
    /// The cells when it rests in row 0.
    mask: u64,
}

impl PackedShapes {
    pub(crate) fn new(width: usize, height: usize, pieces: &[super::Piece]) -> PackedShapes {
        let packed = |shape: &super::Shape| {
            let inside = shape.width() <= width && shape.height() <= height && width * height <= 64;
            let cells = shape.cells().filter(|_| inside);
            cells.fold(0u64, |mask, (x, y)| mask | 1 << (y * width + x))
        };
        let masks: Vec<Vec<u64>> =
            pieces.iter().map(|piece| piece.rotations().iter().map(packed).collect()).collect();
        let by_row = |shape: &super::Shape| {
            let mut lines = [0; super::piece::MAX_CELLS];
            shape.cells().for_each(|(x, y)| lines[y] |= 1 << x);
            lines
        };
        let lines: Vec<Vec<Lines>> =
            pieces.iter().map(|piece| piece.rotations().iter().map(by_row).collect()).collect();
        let (mut drops, mut starts) = (Vec::new(), vec![0]);
        for (piece, masks) in pieces.iter().zip(&masks) {
            for (rotation, (shape, mask)) in piece.rotations().iter().zip(masks).enumerate() {
                let mut bottoms = [0; super::piece::MAX_CELLS];
                bottoms[..shape.width()].copy_from_slice(shape.bottoms());
                for column in 0..(width + 1).saturating_sub(shape.width()) {
                    drops.push(Drop {
                        rotation: rotation as u8,
                        column: column as u8,
                        width: shape.width() as u8,
                        height: shape.height() as u8,
                        bottoms,
                        lines: by_row(shape),
                        mask: mask << column,
                    });
                }
            }
            starts.push(drops.len());
        }
        let rows = (0..64).map(|bit| (bit / width) as u8).collect();
        PackedShapes { masks, lines, drops, starts, rows }
    }
}

impl PackedBoard {
    /// The board reflected in its vertical axis.
    #[inline]
    pub fn mirrored(self, game: &PlacementGame) -> PackedBoard {
        let (width, column) = (game.width(), column_mask(game));
        let mut mirrored = if width % 2 == 1 { self.0 & column << (width / 2) } else { 0 };
        for x in 0..width / 2 {
            let apart = width - 1 - 2 * x;
            let left = self.0 & column << x;
            let right = self.0 >> apart & column << x;
            mirrored |= left << apart | right;
        }
        PackedBoard(mirrored)
    }

    /// Visits the outcome of every legal placement of every piece in `pieces` (bit `i` for piece `i`), in the order
    /// piece, rotation, column, row: the same as [`placements`](Grid::placements) with
    /// [`place_unchecked`](Grid::place_unchecked) piece by piece, at a fraction of the cost.
    #[inline]
    pub fn each_outcome(
        self,
        game: &PlacementGame,
        pieces: u64,
        mut visit: impl FnMut(Placement, Landed<PackedBoard>),
    ) {
        let shapes = game.packed_shapes();
        let wanted = (0..game.pieces().len()).filter(|piece| pieces >> piece & 1 == 1);
        if game.landing().path != Path::Drop {
            for piece in wanted {
                self.placements(game, piece, |placement| {
                    visit(placement, self.place_unchecked(game, placement));
                });
            }
            return;
        }
        let mut heights = [0u8; super::board::MAX_WIDTH];
        for (x, height) in heights.iter_mut().enumerate().take(game.width()) {
            *height = self.height(game, x) as u8;
        }
        let (width, top) = (game.width(), game.height());
        let full_row = !0u64 >> (64 - width);
        for piece in wanted {
            for drop in &shapes.drops[shapes.starts[piece]..shapes.starts[piece + 1]] {
                let under = &heights[drop.column as usize..];
                let mut row = 0;
                for (height, bottom) in under.iter().zip(&drop.bottoms[..drop.width as usize]) {
                    row = height.saturating_sub(*bottom).max(row);
                }
                let at = Placement { piece: piece as u8, rotation: drop.rotation, column: drop.column, row };
                let row = row as usize;
                let end = row + drop.height as usize;
                if end > top {
                    if game.landing().overflow != Overflow::Forbidden {
                        visit(at, self.place_above(game, at, &drop.lines[..drop.height as usize]));
                    }
                    continue;
                }
                let mut board = self.0 | drop.mask << (row * width);
                let mut cleared = 0;
                for y in (row..end).rev() {
                    let shift = y * width;
                    if board >> shift & full_row == full_row {
                        cleared |= 1 << (y - row);
                        board = without_row(board, shift, width);
                    }
                }
                visit(at, Landed { board: PackedBoard(board), cleared, fatal: false });
            }
        }
    }

    /// The outcome of a placement of a shape of these rows that sticks out above the top, and so above the packed word:
    /// `clear-first` only.
    #[inline]
    fn place_above(self, game: &PlacementGame, placement: Placement, lines: &[u16]) -> Landed<PackedBoard> {
        if game.landing().overflow == Overflow::EndFirst {
            return Landed { board: self, cleared: 0, fatal: true };
        }
        let (width, top) = (game.width(), game.height());
        let full_row = !0u64 >> (64 - width);
        let row = placement.row as usize;
        let mut rest = self.0 & 1u64.checked_shl((row * width) as u32).map_or(!0, |bit| bit - 1);
        // Every row of the piece stays, one on the other, or is full; above the piece there is nothing.
        let (mut cleared, mut end) = (0, row);
        for (dy, line) in lines.iter().enumerate() {
            let under = if row + dy < top { self.0 >> ((row + dy) * width) & full_row } else { 0 };
            let cells = under | u64::from(*line) << placement.column;
            if cells == full_row {
                cleared |= 1 << dy;
            } else if end < top {
                rest |= cells << (end * width);
                end += 1;
            } else {
                return Landed { board: self, cleared: 0, fatal: true };
            }
        }
        Landed { board: PackedBoard(rest), cleared, fatal: false }
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
        let mut heights = [0u8; super::board::MAX_WIDTH];
        for (x, height) in heights.iter_mut().enumerate().take(game.width()) {
            *height = self.height(game, x) as u8;
        }
        for (rotation, shape) in game.pieces()[piece].rotations().iter().enumerate() {
            let room = match game.landing().overflow {
                Overflow::Forbidden => game.height() as isize - shape.height() as isize,
                Overflow::ClearFirst | Overflow::EndFirst => game.height() as isize,
            };
            for x in 0..(game.width() + 1).saturating_sub(shape.width()) {
                let row = shape.landing_row(&heights[x..x + shape.width()]);
                if row as isize <= room {
                    visit(Placement { piece: piece as u8, rotation: rotation as u8, column: x as u8, row });
                }
            }
        }
    }

    #[inline]
    fn place_unchecked(&self, game: &PlacementGame, placement: Placement) -> Landed<Self> {
        let width = game.width();
        if placement.top(game) > game.height() {
            let lines = &game.packed_shapes().lines[placement.piece as usize][placement.rotation as usize];
            return self.place_above(game, placement, &lines[..placement.shape(game).height()]);
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
                board = without_row(board, shift, width);
            }
        }
        Landed { board: PackedBoard(board), cleared, fatal: false }
    }

    #[inline]
    fn height(&self, game: &PlacementGame, column: usize) -> usize {
        let cells = self.0 & (column_mask(game) << column);
        if cells == 0 { 0 } else { game.packed_shapes().rows[cells.ilog2() as usize] as usize + 1 }
    }

    fn holes(&self, game: &PlacementGame) -> u32 {
        let heights: usize = (0..game.width()).map(|x| self.height(game, x)).sum();
        heights as u32 - self.0.count_ones()
    }
}

/// The rows above a full one, which begins at bit `shift`, fall down.
#[inline]
fn without_row(board: u64, shift: usize, width: usize) -> u64 {
    let below = (1u64 << shift) - 1;
    (board & below) | (board >> width & !below)
}

/// The cells of column 0.
#[inline]
fn column_mask(game: &PlacementGame) -> u64 {
    game.packed_column()
}
