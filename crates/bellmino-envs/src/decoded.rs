//! What actions are.

use bellmino_engine::guideline::{Key, Placement};

/// What an action is, told apart from its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decoded {
    /// A placement in a placement game.
    Placement {
        /// The piece, as an index of the game's list; `None` if there is none to place.
        piece: Option<u8>,
        /// Index of the rotation.
        rotation: usize,
        /// The leftmost column.
        column: usize,
        /// The lowest row; `None` where the number does not tell it and the placement is not legal.
        row: Option<usize>,
        /// Whether the held piece is placed, and the current one put aside.
        held: bool,
        /// Whether the action may be taken now.
        legal: bool,
    },
    /// The current piece is put aside, and the next one comes.
    PutAside {
        /// The current piece.
        piece: Option<u8>,
        /// Whether the action may be taken now.
        legal: bool,
    },
    /// A placement in a guideline game.
    Guideline {
        /// The placement that has this number now; `None` if none has.
        placement: Option<Placement>,
        /// Whether it is of the other piece at hand.
        held: bool,
    },
    /// The keys that are down during a tick.
    Keys(Vec<Key>),
}

impl Decoded {
    /// Whether the action may be taken now.
    pub fn is_legal(&self) -> bool {
        match self {
            Decoded::Placement { legal, .. } | Decoded::PutAside { legal, .. } => *legal,
            Decoded::Guideline { placement, .. } => placement.is_some(),
            Decoded::Keys(_) => true,
        }
    }
}
