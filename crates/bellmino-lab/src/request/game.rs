//! Which game, with which changes, and the chance it is played with.

use bellmino_engine::{Game, PlacementGame};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Context, Event, RequestError};
use crate::load::{LoadError, load_game_noticing, read_game_noticing};

/// Which game, with which changes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GameChoice {
    /// A built-in game, or the path of a TOML file
    #[schemars(extend("x-positional" = true, "x-by-place" = true))]
    pub game: String,

    /// Override a value of the game: a dotted key and a TOML value, such as board.height=5
    #[serde(default)]
    #[schemars(extend("x-value" = "KEY=VALUE", "x-needs" = ["game"]))]
    pub set: Vec<String>,

    /// The game itself as the text of a TOML file; `game` is then only what messages call it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-no-flag" = true))]
    pub text: Option<String>,
}

/// The seed of everything random.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Chance {
    /// Seed of everything random: the same seed gives the same result on any number of threads
    #[serde(default)]
    #[schemars(extend("x-value" = "S", "x-global" = true))]
    pub seed: u64,
}

impl GameChoice {
    /// Loads the game, and tells what was taken otherwise than it was written.
    pub fn load(&self, context: &Context<'_>) -> Result<Game, RequestError> {
        let loaded = match &self.text {
            Some(text) => read_game_noticing(&self.game, text, &self.set),
            None => load_game_noticing(&self.game, &self.set, context.resources),
        };
        let (game, notices) = loaded.map_err(|error| match error {
            LoadError::Override(error) => RequestError::field("set", error),
            error => RequestError::input(error),
        })?;
        for notice in &notices {
            context.tell(Event::Notice(format!("{}: {}: {}", self.game, notice.key, notice.message)));
        }
        Ok(game)
    }

    /// Loads a placement game.
    pub fn load_placement(&self, context: &Context<'_>) -> Result<PlacementGame, RequestError> {
        match self.load(context)? {
            Game::Placement(game) => Ok(game),
            Game::Guideline(game) => Err(RequestError::input(format!(
                "`{}` is a guideline game; this needs a placement game",
                game.name()
            ))),
        }
    }

    /// The game and its changes as one text, for results.
    pub fn describe(&self, name: &str) -> String {
        if self.set.is_empty() { name.to_owned() } else { format!("{name} {}", self.set.join(" ")) }
    }
}
