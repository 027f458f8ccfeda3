//! How long the look-ahead bot may think.

use bellmino_search::Budget;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{RequestError, named};

/// How long the look-ahead bot may think about each move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Thinking {
    /// Placements the bot looks at for each move; the same number gives the same result everywhere
    #[serde(default)]
    #[schemars(range(min = 1, max = 1_000_000_000), extend("x-value" = "N"))]
    pub nodes: Option<u64>,

    /// Milliseconds of processor time the bot thinks about each move
    #[serde(default)]
    #[schemars(range(min = 1, max = 600_000), extend("x-value" = "MS"))]
    pub think_ms: Option<u64>,
}

impl Thinking {
    /// The budget asked for, if any.
    pub fn budget(&self) -> Result<Option<Budget>, RequestError> {
        match (self.nodes, self.think_ms) {
            (Some(_), Some(_)) => Err(RequestError::input(format!(
                "{} and {} do not go together; give one of them",
                named("nodes"),
                named("think_ms")
            ))),
            (nodes, millis) => Ok(nodes.map(Budget::nodes).or(millis.map(Budget::millis))),
        }
    }

    /// In placement games nobody looks ahead.
    pub fn refuse(&self, game: &str) -> Result<(), RequestError> {
        let field = match (self.nodes, self.think_ms) {
            (Some(_), _) => "nodes",
            (_, Some(_)) => "think_ms",
            _ => return Ok(()),
        };
        Err(RequestError::input(format!(
            "{} is for `bot` in guideline games; `{game}` is a placement game",
            named(field)
        )))
    }
}
