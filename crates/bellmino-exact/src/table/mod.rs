//! Tables: the values of all boards, in memory or in a file. A table plays, and deals.
//!
//! A table is a `store` of values; what it says about placements, hands and deals is the one Bellman operator over that
//! store (`queries`). It is written to and read from a `file`.
//!
//! # Files
//! - `store`: the values
//! - `queries`: what they say, by the one operator
//! - `needs`: what they need to play and to deal
//! - `policy`: what to do in every state
//! - `file`: as bytes

mod file;
mod needs;
mod policy;
mod queries;
mod store;

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::{PackedBoard, Placement};

pub use file::{Snapshot, TableError};
pub use needs::{Offer, Unmet};
pub use policy::PolicyState;
pub(crate) use queries::TIE;

use crate::bellman::Boards;
use crate::settings::{Objective, SolveSettings};
use crate::sides::GivenSides;
use crate::space::Space;
use crate::supply::Supply;
use store::TableStore;

/// The values of all boards of a solved game.
///
/// ```
/// use bellmino_engine::placement::Board;
/// use bellmino_engine::Game;
/// use bellmino_exact::{Objective, Silent, SolveSettings, solve};
///
/// let game = Game::built_in("baby", &[]).unwrap().unwrap();
/// let game = game.placement().unwrap();
/// let table = solve(game, &SolveSettings::new(Objective::Discounted(0.9)), &Silent)?.table;
/// let values = table.placement_values(&Board::new(4, 4), game.piece_index("I3").unwrap()).unwrap();
/// let best = values.iter().map(|placement| placement.value).fold(f64::MIN, f64::max);
/// assert!((best - 9.0889857829).abs() < 1e-9);
/// # Ok::<(), bellmino_exact::SolveError>(())
/// ```
#[derive(Debug)]
pub struct Table {
    settings: SolveSettings,
    given: GivenSides,
    finished: RunStatus,
    is_finished: bool,
    /// Whether it knows the start alone: a horizon that ends before every board is reached, without its stages.
    is_partial: bool,
    start: PackedBoard,
    store: TableStore,
}

/// How a run ended, or stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunStatus {
    /// The value at the start; absent if infinite.
    pub value: Option<f64>,
    /// Its proven bound.
    pub error_bound: f64,
    /// Passes made.
    pub sweeps: u64,
}

/// A placement and what it is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlacementValue {
    /// The placement.
    pub placement: Placement,
    /// Whether it is the held piece that is placed, and the current one put aside.
    pub held: bool,
    /// Rows cleared.
    pub lines: u32,
    /// Points scored.
    pub points: f64,
    /// Whether it ends the game.
    pub fatal: bool,
    /// The objective's value: the reward of the placement and all that follows.
    pub value: f64,
}

/// All that can be done with a hand.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Every placement, of the current piece and then of the held one, in the order rotation, column, row.
    pub placements: Vec<PlacementValue>,
    /// What putting the current piece aside is worth, where that brings another.
    pub put_aside: Option<f64>,
}

/// What to do with a hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HandChoice {
    /// Place the current piece.
    Place(Placement),
    /// Place the held piece and put the current one aside.
    PlaceHeld(Placement),
    /// Put the current piece aside; another is dealt.
    PutAside,
}

impl Table {
    pub(crate) fn new(
        settings: &SolveSettings,
        given: GivenSides,
        finished: RunStatus,
        space: Space<'_>,
        values: Vec<f64>,
        stages: Vec<f64>,
    ) -> Table {
        Table {
            settings: settings.clone(),
            given,
            finished,
            is_finished: true,
            is_partial: space.is_partial(),
            start: space.start,
            store: TableStore::of_space(
                space,
                settings.reward,
                if stages.is_empty() { values } else { stages },
            ),
        }
    }

    /// The game.
    pub fn game(&self) -> &PlacementGame {
        self.store.game()
    }

    /// What was asked for.
    pub fn settings(&self) -> &SolveSettings {
        &self.settings
    }

    /// Who was given instead of sought.
    pub fn given(&self) -> GivenSides {
        self.given
    }

    /// How the run ended, or stands.
    pub fn finished(&self) -> RunStatus {
        self.finished
    }

    /// Whether the run came to its end.
    pub fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// The bytes that it takes in memory.
    pub fn bytes(&self) -> u64 {
        self.store.bytes()
    }

    /// Every board of the table, mirror images too.
    pub fn boards(&self) -> Vec<PackedBoard> {
        self.store.boards()
    }

    /// How many pieces beyond the current one the dealer has named when it deals.
    pub fn queue(&self) -> usize {
        self.store.supply().queue()
    }

    /// Whether the settings ask for what this table is about.
    pub(crate) fn answers(&self, settings: &SolveSettings) -> bool {
        let SolveSettings { objective, dealing, placing, preview, hold, view, reward, .. } = &self.settings;
        *objective == settings.objective
            && *dealing == settings.dealing
            && *placing == settings.placing
            && *preview == settings.preview
            && *hold == settings.hold
            && *view == settings.view
            && *reward == settings.reward
    }

    /// The space of an unfinished table, if it is one of this game and these contexts.
    pub(crate) fn space<'game>(
        &self,
        game: &'game PlacementGame,
        supply: Supply,
        start: PackedBoard,
    ) -> Option<Space<'game>> {
        let (stages, known) = (self.store.stages(), self.store.supply());
        let same = self.store.game() == game
            && self.start == start
            && (stages == 1 || stages > 1 && matches!(self.settings.objective, Objective::Horizon(_)))
            && known.contexts.len() == supply.contexts.len()
            && known.mirror.is_some() == supply.mirror.is_some();
        if same { self.store.space(game, supply, start) } else { None }
    }

    /// The values, stage by stage, in the numbering of a space with the same boards.
    pub(crate) fn node_values(&self, space: &Space<'_>) -> Vec<f64> {
        self.store.node_values(space)
    }
}
