//! Simple players of every game: each is a name and what a placement is worth to it.

use bellmino_engine::placement::{Grid, Landed, Placement};
use bellmino_engine::{Generator, PlacementGame, below};
use bellmino_learn::guideline::Prospect;

/// A simple player. It takes the placement of the greatest worth; one that ends the game is worth less than any other,
/// and ties go to the first unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// Any placement, each as likely as every other, fatal ones too.
    Random,
    /// Any rotation that has a placement, then any placement in it: seed 002's, as far as can be told.
    RandomRotation,
    /// The lowest landing, by the top cell of the piece.
    Lowest,
    /// The lowest landing by the bottom cell of the piece, ties by lot: seed 002's, as far as can be told.
    LowestBottom,
    /// The fewest holes after the clear.
    FewestHoles,
}

/// What a simple player sees of a placement.
pub trait Seen {
    /// One more than the row of the highest cell of the piece.
    fn top(&self) -> i64;
    /// The row of the lowest cell of the piece.
    fn bottom(&self) -> i64;
    /// Empty cells under filled ones after the clear.
    fn holes(&self) -> i64;
}

impl Baseline {
    /// Every simple player with its name.
    pub const ALL: [(&'static str, Baseline); 5] = [
        ("random", Baseline::Random),
        ("random-rotation", Baseline::RandomRotation),
        ("lowest", Baseline::Lowest),
        ("lowest-bottom", Baseline::LowestBottom),
        ("fewest-holes", Baseline::FewestHoles),
    ];

    /// The simple player of this name.
    pub fn named(name: &str) -> Option<Baseline> {
        Baseline::ALL.iter().find(|(known, _)| *known == name).map(|(_, baseline)| *baseline)
    }

    /// Whether its choice in a position is always the same.
    pub fn is_certain(self) -> bool {
        matches!(self, Baseline::Lowest | Baseline::FewestHoles)
    }

    /// What a placement is worth.
    #[inline(always)]
    pub fn worth(self, seen: &impl Seen) -> i64 {
        match self {
            Baseline::Random | Baseline::RandomRotation => 0,
            Baseline::Lowest => -seen.top(),
            Baseline::LowestBottom => -seen.bottom(),
            Baseline::FewestHoles => -seen.holes(),
        }
    }

    /// The choice in a placement game; `None` if no placement is legal.
    #[inline]
    pub fn choose<G: Grid>(
        self,
        game: &PlacementGame,
        board: &G,
        piece: usize,
        chance: &mut Generator,
    ) -> Option<Placement> {
        // Each player by itself, so that its worth is part of the loop.
        match self {
            Baseline::Random => one_of(game, board, piece, chance, |_| true),
            Baseline::RandomRotation => {
                let mut rotations: Vec<u8> = Vec::new();
                board.placements(game, piece, |placement| rotations.push(placement.rotation));
                rotations.dedup();
                let rotation = (!rotations.is_empty()).then(|| rotations[below(chance, rotations.len())])?;
                one_of(game, board, piece, chance, |placement| placement.rotation == rotation)
            }
            Baseline::LowestBottom => {
                let worth = |placement: Placement| {
                    let landed = board.place_unchecked(game, placement);
                    let seen = Dropped { game, placement, landed: &landed };
                    (!landed.fatal).then(|| Baseline::LowestBottom.worth(&seen))
                };
                let mut most = None;
                board.placements(game, piece, |placement| most = most.max(worth(placement)));
                one_of(game, board, piece, chance, |placement| worth(placement) == most)
            }
            Baseline::Lowest => best(game, board, piece, |seen| Baseline::Lowest.worth(seen)),
            Baseline::FewestHoles => best(game, board, piece, |seen| Baseline::FewestHoles.worth(seen)),
        }
    }
}

/// The first placement of the greatest worth; fatal ones count less than all others.
#[inline]
fn best<G: Grid>(
    game: &PlacementGame,
    board: &G,
    piece: usize,
    worth: impl Fn(&Dropped<'_, G>) -> i64,
) -> Option<Placement> {
    let mut best: Option<(Option<i64>, Placement)> = None;
    board.placements(game, piece, |placement| {
        let landed = board.place_unchecked(game, placement);
        let worth = (!landed.fatal).then(|| worth(&Dropped { game, placement, landed: &landed }));
        if best.is_none_or(|(most, _)| worth > most) {
            best = Some((worth, placement));
        }
    });
    best.map(|(_, placement)| placement)
}

/// One of the placements that will do, each as likely as every other.
fn one_of<G: Grid>(
    game: &PlacementGame,
    board: &G,
    piece: usize,
    chance: &mut Generator,
    will_do: impl Fn(Placement) -> bool,
) -> Option<Placement> {
    let mut count = 0;
    board.placements(game, piece, |placement| count += usize::from(will_do(placement)));
    let mut left = (count > 0).then(|| below(chance, count))?;
    let mut found = None;
    board.placements(game, piece, |placement| {
        if will_do(placement) {
            if left == 0 && found.is_none() {
                found = Some(placement);
            }
            left = left.saturating_sub(1);
        }
    });
    found
}

/// A placement of a placement game.
struct Dropped<'a, G> {
    game: &'a PlacementGame,
    placement: Placement,
    landed: &'a Landed<G>,
}

impl<G: Grid> Seen for Dropped<'_, G> {
    #[inline]
    fn top(&self) -> i64 {
        self.placement.top(self.game) as i64
    }

    #[inline]
    fn bottom(&self) -> i64 {
        i64::from(self.placement.row)
    }

    #[inline]
    fn holes(&self) -> i64 {
        i64::from(self.landed.board.holes(self.game))
    }
}

impl Seen for Prospect<'_> {
    fn top(&self) -> i64 {
        self.placement.cells().into_iter().map(|(_, y)| i64::from(y) + 1).max().unwrap_or(0)
    }

    fn bottom(&self) -> i64 {
        self.placement.cells().into_iter().map(|(_, y)| i64::from(y)).min().unwrap_or(0)
    }

    fn holes(&self) -> i64 {
        self.after.columns().iter().map(|column| column.holes() as i64).sum()
    }
}
