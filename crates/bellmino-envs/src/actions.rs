//! Placements as numbers.

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::{Grid, Path, Piece, Placement};

/// The numbers of the placements of one piece in a placement game: `rotation * width + column` where pieces fall straight
/// down, else `(rotation * width + column) * (height + 1) + row`.
///
/// ```
/// use bellmino_engine::Game;
/// use bellmino_engine::placement::{AnyColumns, Grid, Placement};
/// use bellmino_envs::Actions;
///
/// let game = Game::built_in("classic", &[]).unwrap()?;
/// let game = game.placement().unwrap();
/// let actions = Actions::new(game);
/// let upright = Placement { piece: 0, rotation: 1, column: 4, row: 0 };
/// assert_eq!(actions.number(&upright), 14);
/// assert_eq!(actions.placement(game, &AnyColumns::empty(game), 0, 14), Some(upright));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Actions {
    width: usize,
    /// Rows that are told apart.
    rows: usize,
    drop: bool,
    count: usize,
}

impl Actions {
    /// The numbers of a game.
    pub fn new(game: &PlacementGame) -> Actions {
        let drop = game.landing().path == Path::Drop;
        let rows = if drop { 1 } else { game.height() + 1 };
        let rotations = |piece: &Piece| piece.rotations().len();
        let most = game.pieces().iter().map(rotations).max().unwrap_or(1);
        Actions { width: game.width(), rows, drop, count: most * game.width() * rows }
    }

    /// How many numbers there are.
    #[inline]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The number of a placement.
    #[inline]
    pub fn number(&self, at: &Placement) -> usize {
        let place = at.rotation as usize * self.width + at.column as usize;
        if self.drop { place } else { place * self.rows + at.row as usize }
    }

    /// Rotation, column and, where it is told apart, row.
    #[inline]
    pub fn parts(&self, number: usize) -> (usize, usize, Option<usize>) {
        let (place, row) =
            if self.drop { (number, None) } else { (number / self.rows, Some(number % self.rows)) };
        (place / self.width, place % self.width, row)
    }

    /// The placement of a number, if it is legal on this board.
    #[inline]
    pub fn placement<G: Grid>(
        &self,
        game: &PlacementGame,
        board: &G,
        piece: u8,
        number: usize,
    ) -> Option<Placement> {
        let (rotation, column, row) = self.parts(number);
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
