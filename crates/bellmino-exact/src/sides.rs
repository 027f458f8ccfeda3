//! Players and dealers that are given instead of sought.

use bellmino_engine::placement::{DealerState, PackedBoard, Placement};

/// Who is given instead of sought.
#[derive(Clone, Copy, Default)]
pub struct Sides<'a> {
    /// A player who is evaluated instead of the best.
    pub player: Option<&'a dyn Policy>,
    /// A dealer who answers each position in a given way.
    pub dealer: Option<&'a dyn DealerPolicy>,
}

impl Sides<'_> {
    /// Which of them are given.
    pub(crate) fn given(&self) -> GivenSides {
        GivenSides { player: self.player.is_some(), dealer: self.dealer.is_some() }
    }
}

/// Which sides were given when a table was made: then its values are theirs, and not those of the best.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GivenSides {
    /// The player was evaluated, not sought.
    pub player: bool,
    /// The dealer was neither the game's own nor the worst one.
    pub dealer: bool,
}

/// A player as a function of what can be seen.
pub trait Policy: Sync {
    /// The placement of the first piece in hand; `None` if there is none.
    fn place(&self, board: PackedBoard, hand: &InHand<'_>) -> Option<Placement>;

    /// Whether the choice depends on how many pieces are left.
    fn depends_on_time(&self) -> bool {
        false
    }

    /// Whether it looks at a piece that the dealer has named before the placement; others see the preview alone.
    fn sees_named(&self) -> bool {
        false
    }
}

/// A dealer as a function of what can be seen.
pub trait DealerPolicy: Sync {
    /// The next piece; one of positive probability in this state. `None` if it has no answer.
    fn deal(&self, board: PackedBoard, table: &OnTable<'_>) -> Option<u8>;

    /// How likely it is to choose the piece; otherwise the game's own dealer deals.
    fn share(&self) -> f64 {
        1.0
    }

    /// Whether the choice depends on how many pieces are left.
    fn depends_on_time(&self) -> bool {
        false
    }
}

/// What a dealer finds when it is to deal.
#[derive(Clone, Copy, Debug)]
pub struct OnTable<'a> {
    /// The dealer's state.
    pub state: DealerState,
    /// The pieces that are dealt and not yet placed.
    pub queue: &'a [u8],
    /// The piece put aside.
    pub held: Option<u8>,
    /// Whether it was put aside since the last placement: the next piece has to be placed, and nothing else can be held.
    pub spent: bool,
    /// How many pieces are left to place, if that is limited.
    pub left: Option<u32>,
}

/// What a player has in hand.
#[derive(Clone, Copy, Debug)]
pub struct InHand<'a> {
    /// The current piece and the known ones after it.
    pub queue: &'a [u8],
    /// The dealer's state after each of them.
    pub states: &'a [DealerState],
    /// The piece put aside.
    pub held: Option<u8>,
    /// How many pieces are left to place, the current one included, if that is limited.
    pub left: Option<u32>,
}
