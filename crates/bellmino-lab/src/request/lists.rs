//! What there is: games, weights, features.

use std::fmt;

use bellmino_engine::guideline::{HEIGHT, Piece, WIDTH};
use bellmino_engine::{Game, PlacementGame, suggestion};
use bellmino_learn::{BUILT_IN_CONTROLLERS, Controller, FEATURE_SETS, FEATURES, Feature};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Context, GameChoice, Request, RequestError};

/// List the built-in games, or print one as TOML with every default written out
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GamesRequest {
    /// A game; all built-in ones when absent.
    #[serde(flatten)]
    pub game: Option<GameChoice>,
}

/// One game, or all of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum GamesAnswer {
    /// One.
    One {
        /// Its stable name.
        name: String,
        /// Its title for people.
        title: String,
        /// The game file, every default written out.
        toml: String,
    },
    /// All that are built in.
    All {
        /// By name.
        games: Vec<ListedGame>,
    },
}

/// A game in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListedGame {
    /// Its stable name.
    pub name: String,
    /// Its title for people.
    pub title: String,
    /// Columns and rows, such as 10x20.
    pub board: String,
    /// The names of its pieces.
    pub pieces: Vec<String>,
}

impl Request for GamesRequest {
    const NAME: &'static str = "games";
    type Answer = GamesAnswer;

    fn answer(&self, context: &Context<'_>) -> Result<GamesAnswer, RequestError> {
        if let Some(game) = &self.game {
            let game = game.load(context)?;
            let [name, title] = [game.name(), game.title()].map(str::to_owned);
            return Ok(GamesAnswer::One { name, title, toml: game.to_toml() });
        }
        let games = Game::built_in_names().filter_map(|name| Game::built_in(name, &[]).and_then(Result::ok));
        Ok(GamesAnswer::All { games: games.map(|game| ListedGame::new(&game)).collect() })
    }
}

impl ListedGame {
    fn new(game: &Game) -> ListedGame {
        let board = |game: &PlacementGame| format!("{}x{}", game.width(), game.height());
        let pieces =
            |game: &PlacementGame| game.pieces().iter().map(|piece| piece.name().to_owned()).collect();
        let letters = || Piece::ALL.map(|piece| piece.to_string()).to_vec();
        ListedGame {
            name: game.name().to_owned(),
            title: game.title().to_owned(),
            board: game.placement().map_or_else(|| format!("{WIDTH}x{HEIGHT}"), board),
            pieces: game.placement().map_or_else(letters, pieces),
        }
    }
}

/// List the built-in weights, the learned players, or print some as the file that they are
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WeightsRequest {
    /// Built-in weights to print as the file that they are; all are listed when absent
    #[serde(default)]
    #[schemars(extend("x-positional" = true, "x-by-place" = true))]
    pub name: Option<String>,
}

/// Some weights, or all of them.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum WeightsAnswer {
    /// All that are built in.
    All {
        /// In order.
        weights: Vec<ListedWeights>,
    },
    /// Some, as the file that they are.
    One(WeightsFile),
}

/// Weights in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListedWeights {
    /// Their name.
    pub name: String,
    /// The player that plays by them.
    pub player: String,
    /// What they are.
    pub title: String,
    /// The game they are for.
    pub game: String,
    /// What they weigh.
    pub features: Vec<String>,
}

/// A file of weights.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct WeightsFile {
    /// Its fields.
    #[serde(flatten)]
    pub fields: Map<String, Value>,
    /// Its text.
    #[serde(skip)]
    pub text: &'static str,
}

impl Request for WeightsRequest {
    const NAME: &'static str = "weights";
    type Answer = WeightsAnswer;

    fn answer(&self, _: &Context<'_>) -> Result<WeightsAnswer, RequestError> {
        let names = || BUILT_IN_CONTROLLERS.iter().map(|(name, _)| *name);
        let Some(name) = &self.name else {
            let weights = names().filter_map(Controller::built_in);
            return Ok(WeightsAnswer::All { weights: weights.map(|one| ListedWeights::new(&one)).collect() });
        };
        let name = name.strip_prefix("weights:").unwrap_or(name);
        let (_, text) = BUILT_IN_CONTROLLERS.iter().find(|(known, _)| *known == name).ok_or_else(|| {
            let hint = suggestion(name, names());
            RequestError::input(format!("there are no built-in weights `{name}`; {hint}"))
        })?;
        let fields = serde_json::from_str(text).map_err(RequestError::run)?;
        Ok(WeightsAnswer::One(WeightsFile { fields, text }))
    }
}

impl ListedWeights {
    fn new(controller: &Controller) -> ListedWeights {
        let note = |key: &str| controller.note(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        ListedWeights {
            name: controller.name().to_owned(),
            player: format!("weights:{}", controller.name()),
            title: note("title"),
            game: note("game"),
            features: controller.features().iter().map(ToString::to_string).collect(),
        }
    }
}

/// List the features that weights are for, and the named sets of them
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FeaturesRequest {}

/// All features.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FeaturesAnswer {
    /// Named sets of them.
    pub sets: Vec<ListedSet>,
    /// One by one.
    pub features: Vec<ListedFeature>,
}

/// A set of features in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListedSet {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub description: &'static str,
}

/// A feature in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListedFeature {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub description: &'static str,
    /// Whether it is of guideline games only. Those with a number in their name are of all games.
    pub guideline_only: bool,
}

impl fmt::Display for FeaturesAnswer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Sets, for the features of `train METHOD GAME`, such as dt9,max-height:")?;
        for set in &self.sets {
            write!(out, "\n  {:26} {}", set.name, set.description)?;
        }
        for (is_of_guideline, head) in [
            (false, "Features of the board after a placement (docs/FEATURES.md draws an example of each):"),
            (true, "Features of guideline games only:"),
        ] {
            write!(out, "\n\n{head}")?;
            for one in self.features.iter().filter(|one| one.guideline_only == is_of_guideline) {
                write!(out, "\n  {:26} {}", one.name, one.description)?;
            }
        }
        Ok(())
    }
}

impl Request for FeaturesRequest {
    const NAME: &'static str = "features";
    type Answer = FeaturesAnswer;

    fn answer(&self, _: &Context<'_>) -> Result<FeaturesAnswer, RequestError> {
        let is_of_guideline = |name: &str| name.parse::<Feature>().is_ok_and(Feature::is_of_guideline);
        let sets = FEATURE_SETS.iter().map(|&(name, description)| ListedSet { name, description });
        let features = FEATURES.iter().map(|&(name, description)| ListedFeature {
            name,
            description,
            guideline_only: is_of_guideline(name),
        });
        Ok(FeaturesAnswer { sets: sets.collect(), features: features.collect() })
    }
}
