//! Placements as numbers.

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::{Grid, Path, Piece, Placement};

/// The numbers of the placements of one piece in a placement game: `rotation * width + column` where pieces fall straight
/// down, else `(rotation * width + column) * (height + 1) + row`.
#[derive(Clone, Copy, Debug)]
pub struct Actions {
    width: usize,
    /// Rows that are told apart.
    rows: usize,
    drop: bool,
    /// How many numbers there are.
    pub single: usize,
}

impl Actions {
    pub fn new(game: &PlacementGame) -> Actions {
        let drop = game.landing().path == Path::Drop;
        let rows = if drop { 1 } else { game.height() + 1 };
        let rotations = |piece: &Piece| piece.rotations().len();
        let most = game.pieces().iter().map(rotations).max().unwrap_or(1);
        Actions { width: game.width(), rows, drop, single: most * game.width() * rows }
    }

    /// The number of a placement.
    #[inline]
    pub fn id(&self, at: &Placement) -> usize {
        let place = at.rotation as usize * self.width + at.column as usize;
        if self.drop { place } else { place * self.rows + at.row as usize }
    }

    /// Rotation, column and, where it is told apart, row.
    #[inline]
    pub fn parts(&self, action: usize) -> (usize, usize, Option<usize>) {
        let (place, row) =
            if self.drop { (action, None) } else { (action / self.rows, Some(action % self.rows)) };
        (place / self.width, place % self.width, row)
    }

    /// The placement of a number, if it is legal on this board.
    #[inline]
    pub fn placement<G: Grid>(
        &self,
        game: &PlacementGame,
        board: &G,
        piece: u8,
        action: usize,
    ) -> Option<Placement> {
        let (rotation, column, row) = self.parts(action);
        let Some(row) = row else {
            return board.dropped(game, piece as usize, rotation, column);
        };
        let wanted = Placement {
            piece,
            rotation: u8::try_from(rotation).ok()?,
            column: column as u8,
            row: u8::try_from(row).ok()?,
        };
        let mut legal = false;
        board.placements(game, piece as usize, |known| legal |= known == wanted);
        legal.then_some(wanted)
    }
}
