//! A given player at its moves: what it does with each hand on each board.

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::{Grid, Landed, PackedBoard};

use crate::sides::{InHand, Policy};
use crate::supply::Supply;

/// A player who is evaluated, and what it has in hand at each move. It does not hold: each move belongs to one hand.
pub(crate) struct GivenPlayer<'a> {
    game: &'a PlacementGame,
    supply: &'a Supply,
    player: &'a dyn Policy,
    /// Pieces it sees beyond the current one.
    preview: usize,
    /// By move: its hand.
    hand_of: Vec<usize>,
}

/// Why what it says is no placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// The rules do not allow it.
    Illegal,
    /// It says nothing, and there is a placement that does not end the game.
    NoAnswer,
}

impl<'a> GivenPlayer<'a> {
    pub(crate) fn new(
        game: &'a PlacementGame,
        supply: &'a Supply,
        player: &'a dyn Policy,
        preview: usize,
    ) -> GivenPlayer<'a> {
        let mut hand_of = vec![0; supply.moves.len()];
        for (number, hand) in supply.hands.iter().enumerate() {
            hand_of[hand.moves[0] as usize] = number;
        }
        GivenPlayer { game, supply, player, preview, hand_of }
    }

    /// What comes of its placement at a move; `None` if it has none. `left` is how many pieces are left, if that is limited.
    #[inline]
    pub(crate) fn place(
        &self,
        board: PackedBoard,
        number: usize,
        left: Option<u32>,
    ) -> Result<Option<Landed<PackedBoard>>, Refused> {
        let hand = &self.supply.hands[self.hand_of[number]];
        let (queue, states) = (&hand.queue[..=self.preview], &hand.states[..=self.preview]);
        let hand = InHand { queue, states, held: hand.held, left };
        let Some(placement) = self.player.place(board, &hand) else {
            let mut alive = false;
            board.outcomes(self.game, queue[0] as usize, |_, landed| alive |= !landed.fatal);
            return if alive { Err(Refused::NoAnswer) } else { Ok(None) };
        };
        let mut legal = false;
        board.placements(self.game, queue[0] as usize, |known| legal |= known == placement);
        if legal { Ok(Some(board.place_unchecked(self.game, placement))) } else { Err(Refused::Illegal) }
    }
}
