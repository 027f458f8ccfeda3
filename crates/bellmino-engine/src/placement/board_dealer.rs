//! Dealers that see the board: what they deal is a function of it, and of the boards before.

use std::collections::HashMap;

use super::board::Board;
use super::landing::Grid;
use crate::game::PlacementGame;

/// A dealer that sees the board. All are deterministic; ties are broken by the order of the game's pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BoardDealer {
    /// For each piece: how low can the highest filled row be after it? The piece for which that is worst.
    Mild,
    /// The same, after a rule against loops: for each piece the largest number of times that a board which may follow has been
    /// there in this game; the pieces for which that is least come first.
    Hatetris,
    /// S until a board comes back, the piece on that board included; one Z; Z until a board comes back that was there since; one S;
    /// and again.
    Brzustowski {
        /// The pieces S and Z.
        pieces: [u8; 2],
    },
}

/// What a dealer that sees the board has seen in a game.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeenBoards {
    /// Boards with how often they have been there; only those that matter.
    seen: HashMap<Board, u32>,
    /// For Brzustowski: where in his four steps.
    step: u8,
}

impl BoardDealer {
    /// Its name in game files.
    pub fn name(&self) -> &'static str {
        match self {
            BoardDealer::Mild => "mild",
            BoardDealer::Hatetris => "hatetris",
            BoardDealer::Brzustowski { .. } => "brzustowski",
        }
    }

    /// What to deal on a board, as an index into the game's pieces.
    pub fn deal<G: Grid>(&self, game: &PlacementGame, board: &G, memory: &mut SeenBoards) -> u8 {
        match self {
            BoardDealer::Mild => worst(game, board, |_| 0),
            BoardDealer::Hatetris => {
                *memory.seen.entry(board.to_board(game)).or_default() += 1;
                worst(game, board, |after| memory.seen.get(&after.to_board(game)).copied().unwrap_or(0))
            }
            BoardDealer::Brzustowski { pieces } => memory.next_of(*pieces, board.to_board(game)),
        }
    }
}

impl SeenBoards {
    /// Brzustowski's next piece: the first and the third step last until a board repeats, the others one piece. A step decides
    /// what comes after its pieces, so that the second already has the other one.
    fn next_of(&mut self, pieces: [u8; 2], board: Board) -> u8 {
        let piece = pieces[usize::from(matches!(self.step, 1 | 2))];
        let lasts = self.step.is_multiple_of(2) && self.seen.insert(board, 1).is_none();
        if !lasts {
            self.step = (self.step + 1) % 4;
            self.seen.clear();
        }
        piece
    }
}

/// The piece whose boards have been there least, and of these the one that leaves the highest stack.
fn worst<G: Grid>(game: &PlacementGame, board: &G, count: impl Fn(&G) -> u32) -> u8 {
    let mut worst = (u32::MAX, 0, 0);
    for piece in 0..game.pieces().len() {
        let (mut most, mut lowest) = (0, usize::MAX);
        board.outcomes(game, piece, |_, landed| {
            most = most.max(count(&landed.board));
            let top = (0..game.width()).map(|x| landed.board.height(game, x)).max();
            lowest = lowest.min(top.unwrap_or(0));
        });
        if most < worst.0 || most == worst.0 && lowest > worst.1 {
            worst = (most, lowest, piece as u8);
        }
    }
    worst.2
}
