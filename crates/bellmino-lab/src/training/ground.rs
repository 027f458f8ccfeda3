//! The ground: the game that is to be learned, and the one that is learned on.

use std::sync::Arc;

use bellmino_engine::guideline::Rules;
use bellmino_engine::{Game, GuidelineGame, PlacementGame};
use bellmino_learn::guideline::equivalent;

use super::error::TrainingError;
use super::method::Method;

/// Where a course learns.
#[derive(Clone, Debug, PartialEq)]
pub enum TrainingGround {
    /// A placement game.
    Placement {
        /// The game to be played in the end.
        real: Arc<PlacementGame>,
        /// The game learned on: the same, or one on a lower board.
        game: Arc<PlacementGame>,
    },
    /// A guideline game.
    Guideline {
        /// The game.
        game: Box<GuidelineGame>,
        /// The placement game with the same board.
        board: Arc<PlacementGame>,
    },
}

/// The height black-box methods learn on, unless asked otherwise.
const LOW: usize = 10;

impl TrainingGround {
    /// The ground for a method: on a board of `low` rows, 0 for the game's own; by default at most 10, for `td` and
    /// `tuples` the game's own.
    pub fn new(game: &Game, method: Method, low: Option<usize>) -> Result<TrainingGround, TrainingError> {
        let name = game.name();
        match game {
            Game::Guideline(game) => {
                if let Method::Td | Method::Cbmpi | Method::Tuples = method {
                    let why = format!("`{name}` is a guideline game; train {method} needs a placement game");
                    return Err(TrainingError::Refused(why));
                }
                if low.is_some() {
                    return Err(TrainingError::of_placement("low", name));
                }
                Ok(TrainingGround::Guideline { game: Box::new(game.clone()), board: Arc::new(equivalent()) })
            }
            Game::Placement(real) => {
                if method == Method::Tune {
                    let why = "the look-ahead bot plays guideline games only, such as `blitz`";
                    return Err(TrainingError::Refused(why.to_owned()));
                }
                if let (Method::Tuples, Some(dealer)) = (method, real.dealer().sees_board()) {
                    return Err(TrainingError::Refused(format!(
                        "the dealer `{}` sees the board; train {method} needs one that deals by chance or in order",
                        dealer.name()
                    )));
                }
                let height = match low {
                    Some(0) => real.height(),
                    Some(rows) => rows,
                    None if matches!(method, Method::Td | Method::Tuples) => real.height(),
                    None => real.height().min(LOW),
                };
                let real = Arc::new(real.clone());
                let game = if height == real.height() { real.clone() } else { lowered(&real, height)? };
                Ok(TrainingGround::Placement { real, game })
            }
        }
    }

    /// The ground of a stored run, from its game and the one that was learned on.
    pub(super) fn stored(game: Game, learned_on: Option<Game>) -> Option<TrainingGround> {
        match (game, learned_on) {
            (Game::Placement(real), Some(Game::Placement(game))) => {
                Some(TrainingGround::Placement { real: Arc::new(real), game: Arc::new(game) })
            }
            (Game::Guideline(game), None) => {
                Some(TrainingGround::Guideline { game: Box::new(game), board: Arc::new(equivalent()) })
            }
            _ => None,
        }
    }

    /// The name of the game.
    pub fn name(&self) -> &str {
        match self {
            TrainingGround::Placement { real, .. } => real.name(),
            TrainingGround::Guideline { game, .. } => game.name(),
        }
    }

    /// The placement game learned on; for a guideline game the one with the same board.
    pub fn board(&self) -> &Arc<PlacementGame> {
        match self {
            TrainingGround::Placement { game, .. } => game,
            TrainingGround::Guideline { board, .. } => board,
        }
    }

    /// The rules of a guideline game.
    pub fn rules(&self) -> Option<&Rules> {
        match self {
            TrainingGround::Placement { .. } => None,
            TrainingGround::Guideline { game, .. } => Some(game.rules()),
        }
    }

    /// The file of the game to be played in the end.
    pub fn to_toml(&self) -> String {
        match self {
            TrainingGround::Placement { real, .. } => real.to_toml(),
            TrainingGround::Guideline { game, .. } => game.to_toml(),
        }
    }
}

/// The same game on a board of another height.
fn lowered(game: &PlacementGame, height: usize) -> Result<Arc<PlacementGame>, TrainingError> {
    let refuse = |why: &dyn std::fmt::Display| TrainingError::Refused(why.to_string());
    let height = format!("board.height={height}").parse().map_err(|error| refuse(&error))?;
    match Game::read(game.name(), &game.to_toml(), &[height]).map_err(|error| refuse(&error))? {
        Game::Placement(game) => Ok(Arc::new(game)),
        Game::Guideline(game) => Err(refuse(&game.name())),
    }
}

/// Games travel as their files. The same one comes many times in a row, so the last is kept.
pub(super) mod as_text {
    use std::cell::RefCell;
    use std::sync::Arc;

    use bellmino_engine::{Game, PlacementGame};
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    thread_local! {
        static LAST: RefCell<Option<(String, Arc<PlacementGame>)>> = const { RefCell::new(None) };
    }

    pub fn serialize<S: Serializer>(game: &Arc<PlacementGame>, to: S) -> Result<S::Ok, S::Error> {
        let is_same = |last: &(_, Arc<_>)| Arc::ptr_eq(&last.1, game);
        let kept = LAST.with_borrow(|last| last.clone().filter(is_same));
        let (text, _) = kept.unwrap_or_else(|| keep(game.to_toml(), game.clone()));
        to.serialize_str(&text)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<PlacementGame>, D::Error> {
        let text = String::deserialize(from)?;
        if let Some((_, game)) = LAST.with_borrow(|last| last.clone().filter(|(known, _)| *known == text)) {
            return Ok(game);
        }
        match Game::read("work", &text, &[]).map_err(D::Error::custom)? {
            Game::Placement(game) => Ok(keep(text, Arc::new(game)).1),
            Game::Guideline(_) => Err(D::Error::custom("not a placement game")),
        }
    }

    fn keep(text: String, game: Arc<PlacementGame>) -> (String, Arc<PlacementGame>) {
        LAST.set(Some((text.clone(), game.clone())));
        (text, game)
    }
}
