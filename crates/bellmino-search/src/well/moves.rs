//! All wells that can follow one.

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::{KeyMoves, Overflow, PIECES_ABREAST, Path, Placement, Rests, Turned};
use thiserror::Error;

use super::position::{Follower, WELL_COLUMNS, WELL_ROWS, WellBits};

/// The moves of a game with keys on wells as bits: the fast twin of the boards of the engine.
#[derive(Clone, Debug)]
pub struct WellMoves {
    keys: KeyMoves,
    shapes: Vec<Vec<WellShape>>,
    width: usize,
    height: usize,
    full: u16,
}

/// A rotation of a piece.
#[derive(Clone, Debug)]
struct WellShape {
    turned: Turned,
    rows: [u16; 4],
    height: usize,
}

/// Why a game cannot be played on wells as bits.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WellError {
    /// Pieces are dropped or slid there.
    #[error(
        "the game `{0}` moves no pieces by keys; give one with `landing.path = \"keys\"`, such as `hatetris`"
    )]
    NoKeys(String),
    /// What is too high does not end the game before rows clear.
    #[error(
        "the game `{0}` does not end by a cell above the board; give one with `landing.overflow = \"end-first\"`"
    )]
    NoEnd(String),
    /// Too large.
    #[error("the board is {0} by {1}; at most {WELL_COLUMNS} by {WELL_ROWS} fits")]
    TooLarge(usize, usize),
    /// Too many pieces.
    #[error("the game has {0} pieces; at most {PIECES_ABREAST} fit")]
    TooManyPieces(usize),
    /// A piece that is no tetromino or smaller.
    #[error("the piece `{0}` is higher than four rows")]
    TooHigh(String),
    /// Chance has a part in it.
    #[error(
        "the dealer is moved by chance; give mild, hatetris, brzustowski, burgiel, lovetris or a sequence"
    )]
    Chance,
}

/// Where pieces rest, kept to be used again.
#[derive(Clone, Debug, Default)]
pub struct WellScratch {
    one: Rests<1>,
    all: Rests<PIECES_ABREAST>,
}

impl WellMoves {
    /// The moves of a game.
    pub fn new(game: &PlacementGame) -> Result<WellMoves, WellError> {
        let name = || game.name().to_owned();
        let keys = game.keys().ok_or_else(|| WellError::NoKeys(name()))?;
        if game.landing().path != Path::Keys {
            return Err(WellError::NoKeys(name()));
        }
        if game.landing().overflow != Overflow::EndFirst {
            return Err(WellError::NoEnd(name()));
        }
        if game.width() > WELL_COLUMNS || game.height() > WELL_ROWS {
            return Err(WellError::TooLarge(game.width(), game.height()));
        }
        if game.pieces().len() > PIECES_ABREAST {
            return Err(WellError::TooManyPieces(game.pieces().len()));
        }
        let mut shapes = Vec::new();
        for (index, piece) in game.pieces().iter().enumerate() {
            let mut rotations = Vec::new();
            for (rotation, shape) in piece.rotations().iter().enumerate() {
                let mut rows = [0; 4];
                for (x, y) in shape.cells() {
                    *rows.get_mut(y).ok_or_else(|| WellError::TooHigh(piece.name().to_owned()))? |= 1 << x;
                }
                rotations.push(WellShape {
                    turned: keys.turned(index, rotation),
                    rows,
                    height: shape.height(),
                });
            }
            shapes.push(rotations);
        }
        let (width, height) = (game.width(), game.height());
        Ok(WellMoves { keys: keys.clone(), shapes, width, height, full: ((1u32 << width) - 1) as u16 })
    }

    /// Columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows, without those for entering.
    pub fn height(&self) -> usize {
        self.height
    }

    /// How many pieces there are.
    pub fn pieces(&self) -> usize {
        self.shapes.len()
    }

    /// The keys of the game.
    pub fn keys(&self) -> &KeyMoves {
        &self.keys
    }

    /// Every well that can follow by one piece and does not end the game, in the order rotation, row, column.
    #[inline(always)]
    pub fn followers_of(
        &self,
        well: &WellBits,
        piece: usize,
        scratch: &mut WellScratch,
        mut visit: impl FnMut(Follower),
    ) {
        let top = well.top();
        self.keys.rests_of(piece, &well.rows()[..self.height], top, &mut scratch.one);
        self.visit(well, top, piece, |turned, row| scratch.one.columns(0, turned, row), &mut visit);
    }

    /// The same for all pieces, one after the other.
    #[inline(always)]
    pub fn followers(&self, well: &WellBits, scratch: &mut WellScratch, mut visit: impl FnMut(Follower)) {
        let top = well.top();
        self.keys.rests(&well.rows()[..self.height], top, &mut scratch.all);
        for piece in 0..self.shapes.len() {
            self.visit(well, top, piece, |turned, row| scratch.all.columns(piece, turned, row), &mut visit);
        }
    }

    #[inline(always)]
    fn visit(
        &self,
        well: &WellBits,
        top: usize,
        piece: usize,
        columns: impl Fn(&Turned, usize) -> u16,
        visit: &mut impl FnMut(Follower),
    ) {
        for (rotation, shape) in self.shapes[piece].iter().enumerate() {
            let Some(highest) = self.height.checked_sub(shape.height) else { continue };
            for row in 0..=top.min(highest) {
                let mut columns = columns(&shape.turned, row);
                while columns != 0 {
                    let column = columns.trailing_zeros();
                    columns &= columns - 1;
                    let cells = shape.rows.map(|cells| cells << column);
                    let (after, rows) = well.with(row, &cells[..shape.height], self.full);
                    let placement = Placement {
                        piece: piece as u8,
                        rotation: rotation as u8,
                        column: column as u8,
                        row: row as u8,
                    };
                    visit(Follower { placement, well: after, rows });
                }
            }
        }
    }

    /// The well after a placement that fits, and the rows it clears; none if it ends the game.
    pub fn after(&self, well: &WellBits, placement: Placement) -> Option<(WellBits, u32)> {
        let shape = self.shapes.get(usize::from(placement.piece))?.get(usize::from(placement.rotation))?;
        if usize::from(placement.row) + shape.height > self.height {
            return None;
        }
        let cells = shape.rows.map(|cells| cells << placement.column);
        Some(well.with(placement.row.into(), &cells[..shape.height], self.full))
    }
}
