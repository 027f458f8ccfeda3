//! What the explorer is asked for.

use serde::Deserialize;
use serde_json::Number;

use super::frontier::FrontierFamily;
use super::map::MapOrder;

/// What is asked for; see `docs/PROTOCOL.md`.
#[derive(Debug, Deserialize)]
#[serde(tag = "do")]
pub enum ExploreRequest {
    /// The rules of a game, or everything that is wrong with them.
    #[serde(rename = "explore-game")]
    Game {
        /// The game.
        game: GameOrder,
    },
    /// Solves a small game; the one before is ended or forgotten.
    #[serde(rename = "explore-solve")]
    Solve {
        /// What is to be solved.
        question: SolveOrder,
    },
    /// Opens a table of a solved game; the one before is ended or forgotten.
    #[serde(rename = "explore-open")]
    Open {
        /// Its name in the lab's folder of tables.
        table: String,
    },
    /// Opens a table that the page has.
    #[serde(rename = "explore-read")]
    Read {
        /// Its name.
        name: String,
        /// Its bytes in base 64.
        data: String,
    },
    /// Every placement of what is in hand on a board of the solved game.
    #[serde(rename = "explore-look")]
    Look {
        /// The position.
        #[serde(flatten)]
        position: ExplorePosition,
    },
    /// What each piece that may be dealt now is worth, and which one the dealer deals.
    #[serde(rename = "explore-deals")]
    Deals {
        /// The position; its queue has the pieces that are dealt and not yet placed.
        #[serde(flatten)]
        position: ExplorePosition,
        /// Seed of the contest.
        seed: u64,
    },
    /// All boards of the solved game, by their filled cells and their values.
    #[serde(rename = "explore-map")]
    Map {
        /// Which of them are listed.
        #[serde(flatten)]
        order: MapOrder,
    },
    /// What players between chance and the worst dealer are worth against both; points follow as `frontier` events.
    #[serde(rename = "explore-frontier")]
    Frontier {
        /// The game and the objective.
        question: SolveOrder,
        /// Which players.
        family: FrontierFamily,
        /// The page's number of it, which the events carry.
        run: u32,
    },
    /// Ends the search for the frontier.
    #[serde(rename = "explore-frontier-end")]
    FrontierEnd,
    /// Keeps a contest on the solved game that has ended.
    #[serde(rename = "explore-keep")]
    Keep {
        /// Whether the person placed the pieces; else the person dealt them.
        placed: bool,
        /// Every piece that was dealt, in order.
        dealt: Vec<u8>,
        /// The cells of each placement, as they were offered; null where a piece was put aside.
        moves: Vec<Option<Vec<[usize; 2]>>>,
    },
}

/// A game: one of the library, or a text, with changes.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct GameOrder {
    /// A game of the library.
    #[serde(default)]
    pub name: String,
    /// A game file as text, instead of one of the library.
    pub text: Option<String>,
    /// Changes to it, `key=value`.
    #[serde(default)]
    pub set: Vec<String>,
}

/// What is to be solved, in the words of `bellmino solve`.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct SolveOrder {
    /// The game.
    pub game: GameOrder,
    /// What is maximised.
    pub objective: String,
    /// Who deals: `random` when absent; a table is one of the lab's folder.
    pub dealer: Option<String>,
    /// Who places, `best` or `average`.
    pub placer: Option<String>,
    /// A player who is evaluated instead of the best one.
    pub player: Option<String>,
    /// How many pieces beyond the current one the player knows; none when absent.
    pub preview: Option<Number>,
    /// Whether a piece can be put aside.
    #[serde(default)]
    pub hold: bool,
    /// What the player sees of a board.
    pub view: Option<String>,
    /// What is maximised instead of the score.
    pub reward: Option<String>,
    /// The wanted bound.
    pub epsilon: Option<f64>,
    /// How it is solved.
    pub method: Option<String>,
    /// A board to start from, rows from the bottom; the empty one when absent.
    pub from: Option<Vec<String>>,
}

/// A position of the solved game.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct ExplorePosition {
    /// Rows from the bottom.
    pub board: Vec<String>,
    /// The current piece and the known ones after it, as numbers in the game's list.
    #[serde(default)]
    pub queue: Vec<u8>,
    /// The pieces dealt before them, where the dealer remembers them.
    pub dealt: Option<Vec<u8>>,
    /// The piece put aside.
    pub held: Option<u8>,
    /// Whether it was put aside just now, so that the current piece has to be placed.
    #[serde(default)]
    pub spent: bool,
    /// How many pieces are left to place, if that is limited.
    pub left: Option<u32>,
}
