//! Players as they travel: all that is needed to have them elsewhere too, where none of their files is.

use std::sync::Arc;

use bellmino_engine::Game;
use bellmino_exact::Table;
use bellmino_learn::guideline::Pilot;
use bellmino_learn::{Controller, TupleValue};
use bellmino_search::{Budget, Weights};
use serde::{Deserialize, Serialize};

use super::{Origin, Player, PlayerError, PlayerFamily, guideline, placement::Chooser};

/// A player as it travels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Parcel {
    name: String,
    /// Nodes and milliseconds for each move, if it looks ahead.
    budget: Option<(Option<u64>, Option<u64>)>,
    content: Content,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Content {
    /// The name says all.
    Name,
    /// A weight file of a controller.
    Controller(String),
    /// A file of tuples.
    Tuples(Vec<u8>),
    /// A weight file of the look-ahead bot.
    Bot(String),
    /// A table, which travels by itself.
    Table,
}

impl Player {
    /// Whether it can be had elsewhere; who cannot plays at home.
    pub(crate) fn travels(&self) -> bool {
        !matches!(&self.family, PlayerFamily::Placement(chooser) if matches!(**chooser, Chooser::NeverClear(_)))
    }

    /// The player as it travels, with the table that goes with it if it is one.
    pub(crate) fn parcel(&self) -> Result<(Parcel, Option<Arc<Table>>), PlayerError> {
        let mut table = None;
        let content = match &self.family {
            PlayerFamily::Placement(chooser) => match &**chooser {
                Chooser::Baseline(_) => Content::Name,
                Chooser::Controller(controller, _) => Content::Controller(controller.to_json()),
                Chooser::Tuples(value) => Content::Tuples(value.to_bytes()),
                Chooser::Table(solved) => {
                    table = Some(solved.clone());
                    Content::Table
                }
                Chooser::NeverClear(_) => {
                    return Err(PlayerError::BadTable(format!(
                        "the values of {} stay where they are",
                        self.name
                    )));
                }
            },
            PlayerFamily::Guideline(_, Origin::Name) => Content::Name,
            PlayerFamily::Guideline(_, Origin::Pilot(pilot)) => {
                Content::Controller(pilot.controller().to_json())
            }
            PlayerFamily::Guideline(_, Origin::Bot(text)) => Content::Bot(text.to_string()),
        };
        let budget =
            self.budget.map(|budget| (budget.nodes, budget.time.map(|time| time.as_millis() as u64)));
        Ok((Parcel { name: self.name.clone(), budget, content }, table))
    }
}

impl Parcel {
    /// The player's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The player in this game; `table` is what came with it.
    pub fn open(&self, game: &Game, table: Option<Table>) -> Result<Player, PlayerError> {
        let name = &self.name;
        let budget = self.budget.map(|(nodes, milliseconds)| match (nodes, milliseconds) {
            (Some(nodes), _) => Budget::nodes(nodes),
            (None, Some(milliseconds)) => Budget::millis(milliseconds),
            (None, None) => Budget::default(),
        });
        let bad = |why: String| PlayerError::BadWeights { name: name.clone(), why };
        match (&self.content, game) {
            (Content::Name, game) => Player::parse(name, game, budget),
            (Content::Controller(text), game) => {
                let controller = Controller::read(text).map_err(|error| bad(error.to_string()))?;
                match game {
                    Game::Placement(game) => {
                        controller.check(game).map_err(|error| bad(error.to_string()))?;
                        Ok(Player::of_controller(name, controller, game))
                    }
                    Game::Guideline(_) => {
                        let pilot = Pilot::new(controller).map_err(|error| bad(error.to_string()))?;
                        Ok(Player::of_pilot(name, pilot))
                    }
                }
            }
            (Content::Tuples(bytes), game) => {
                let bad = |why: String| PlayerError::BadTuples { name: name.clone(), why };
                let value = TupleValue::read_bytes(bytes).map_err(|error| bad(error.to_string()))?;
                let Game::Placement(game) = game else {
                    return Err(PlayerError::OtherFamily(name.clone()));
                };
                value.check(game).map_err(bad)?;
                Ok(Player::of_tuples(name, value))
            }
            (Content::Bot(text), _) => {
                let weights = Weights::read(text).map_err(bad)?;
                let origin = Origin::Bot(text.as_str().into());
                let family = PlayerFamily::Guideline(guideline::bot_with(weights, budget), origin);
                Ok(Player { name: name.clone(), family, budget })
            }
            (Content::Table, _) => {
                let missing = || PlayerError::BadTable(format!("the table of {name} has not arrived"));
                Ok(Player::of_table(name, table.ok_or_else(missing)?))
            }
        }
    }
}
