//! Games as data: board, pieces, dealer, landing and score, read from TOML and validated in one place.
//!
//! # Files
//! - `reader`: collects every problem
//! - `file`: applies overrides
//! - `placement` and `guideline`: validate

mod file;
mod guideline;
mod placement;
mod reader;

pub use file::{Override, OverrideError};
pub use guideline::GuidelineGame;
pub use placement::{MAX_PIECES, NAMED_DEALERS, PlacementGame};
pub use reader::{GameError, Problem, nearest, suggestion};

/// A game of either family.
#[derive(Clone, Debug, PartialEq)]
pub enum Game {
    /// A game of placements: the player says where each piece comes to rest.
    Placement(PlacementGame),
    /// A guideline game: pieces fall, turn and slide, and may be held.
    Guideline(GuidelineGame),
}

/// The built-in games: name and TOML text.
pub const BUILT_IN: [(&str, &str); 10] = [
    ("baby", include_str!("../../../games/baby.toml")),
    ("mini", include_str!("../../../games/mini.toml")),
    ("small", include_str!("../../../games/small.toml")),
    ("classic", include_str!("../../../games/classic.toml")),
    ("learner", include_str!("../../../games/learner.toml")),
    ("sz", include_str!("../../../games/sz.toml")),
    ("hatetris", include_str!("../../../games/hatetris.toml")),
    ("sprint", include_str!("../../../games/sprint.toml")),
    ("blitz", include_str!("../../../games/blitz.toml")),
    ("practice", include_str!("../../../games/practice.toml")),
];

impl Game {
    /// A built-in game with overrides, or `None` if there is none of this name.
    ///
    /// ```
    /// use bellmino_engine::Game;
    ///
    /// let taller = Game::built_in("baby", &["board.height=5".parse().unwrap()]).unwrap().unwrap();
    /// assert_eq!(taller.placement().unwrap().height(), 5);
    /// ```
    pub fn built_in(name: &str, overrides: &[Override]) -> Option<Result<Game, GameError>> {
        let (name, text) = BUILT_IN.iter().find(|(known, _)| *known == name)?;
        Some(Game::read(name, text, overrides))
    }

    /// The stable name of the game.
    pub fn name(&self) -> &str {
        match self {
            Game::Placement(game) => game.name(),
            Game::Guideline(game) => game.name(),
        }
    }

    /// The title for people.
    pub fn title(&self) -> &str {
        match self {
            Game::Placement(game) => game.title(),
            Game::Guideline(game) => game.title(),
        }
    }

    /// The placement game, if it is one.
    pub fn placement(&self) -> Option<&PlacementGame> {
        match self {
            Game::Placement(game) => Some(game),
            Game::Guideline(_) => None,
        }
    }

    /// The guideline game, if it is one.
    pub fn guideline(&self) -> Option<&GuidelineGame> {
        match self {
            Game::Placement(_) => None,
            Game::Guideline(game) => Some(game),
        }
    }

    /// The file that describes this game completely, every default written out.
    pub fn to_toml(&self) -> String {
        match self {
            Game::Placement(game) => game.to_toml(),
            Game::Guideline(game) => game.to_toml(),
        }
    }
}
