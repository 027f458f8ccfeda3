//! Who deals on wells as bits.

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::{BoardDealer, DealerKind};

use super::moves::{WellError, WellMoves, WellScratch};
use super::position::WellBits;

/// A dealer without chance, on wells as bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WellDealer {
    /// Pieces in a given order for ever.
    Sequence(Vec<u8>),
    /// The piece that leaves the highest stack.
    Mild,
    /// The same, after a rule against loops.
    Hatetris,
    /// These two, each until a well repeats.
    Brzustowski([u8; 2]),
}

impl WellDealer {
    /// The dealer of a game.
    pub fn new(game: &PlacementGame) -> Result<WellDealer, WellError> {
        let dealer = game.dealer();
        if let Some(sees) = dealer.sees_board() {
            return Ok(match sees {
                BoardDealer::Mild => WellDealer::Mild,
                BoardDealer::Hatetris => WellDealer::Hatetris,
                BoardDealer::Brzustowski { pieces } => WellDealer::Brzustowski(pieces),
            });
        }
        let mut state = dealer.start();
        let mut order = Vec::new();
        loop {
            let [deal] = dealer.deals(state) else { return Err(WellError::Chance) };
            order.push(deal.piece);
            state = deal.next;
            if state == dealer.start() || dealer.kind() != DealerKind::Sequence {
                return Ok(WellDealer::Sequence(order));
            }
        }
    }

    /// How many parts of a state there are beside the well and what was seen.
    pub fn phases(&self) -> usize {
        match self {
            WellDealer::Sequence(order) => order.len(),
            WellDealer::Mild | WellDealer::Hatetris => 1,
            WellDealer::Brzustowski(_) => 4,
        }
    }

    /// The piece for a well, of a dealer who sees it: for each piece the count of the most seen well that may follow, fewest
    /// first; then the stack that is highest when it is as low as it can be.
    pub fn worst(
        moves: &WellMoves,
        well: &WellBits,
        scratch: &mut WellScratch,
        count: impl Fn(&WellBits) -> u32,
    ) -> u8 {
        let mut ratings = [(0, usize::MAX); 8];
        moves.followers(well, scratch, |follower| {
            let rating = &mut ratings[usize::from(follower.placement.piece)];
            rating.0 = rating.0.max(count(&follower.well));
            rating.1 = rating.1.min(follower.well.top());
        });
        let mut worst = (u32::MAX, 0, 0);
        for (piece, &(most, lowest)) in ratings[..moves.pieces()].iter().enumerate() {
            if most < worst.0 || most == worst.0 && lowest > worst.1 {
                worst = (most, lowest, piece as u8);
            }
        }
        worst.2
    }
}
