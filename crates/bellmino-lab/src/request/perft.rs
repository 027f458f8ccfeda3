//! How many ways a game can go.

use std::fmt;

use bellmino_engine::guideline::{Board, Piece, perft};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Context, GameChoice, Request, RequestError, named};

/// Count every way a game can go, move by move
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PerftRequest {
    /// The game.
    #[serde(flatten)]
    pub game: GameChoice,

    /// How many placements deep (placement games)
    #[serde(default)]
    #[schemars(range(min = 0, max = 64), extend("x-value" = "N", "x-by-place" = true))]
    pub depth: Option<u32>,

    /// The pieces to place one after the other, without hold (guideline games; `guideline` is the plain one)
    #[serde(default)]
    #[schemars(extend("x-value" = "PIECES"))]
    pub queue: Option<String>,
}

/// The count.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PerftAnswer {
    /// The game.
    pub game: String,
    /// Placements one after the other.
    pub depth: u32,
    /// The pieces, if they were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// Leaves.
    pub nodes: u64,
    /// Wall-clock time.
    pub seconds: f64,
}

impl fmt::Display for PerftAnswer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.nodes)
    }
}

impl Request for PerftRequest {
    const NAME: &'static str = "perft";
    type Answer = PerftAnswer;

    fn answer(&self, context: &Context<'_>) -> Result<PerftAnswer, RequestError> {
        match (self.depth, &self.queue) {
            (Some(depth), None) => self.by_depth(depth, context),
            (None, Some(queue)) => self.by_queue(queue, context),
            _ => Err(RequestError::input(format!(
                "give {} for a placement game, or {} for a guideline game",
                named("depth"),
                named("queue")
            ))),
        }
    }
}

impl PerftRequest {
    fn by_depth(&self, depth: u32, context: &Context<'_>) -> Result<PerftAnswer, RequestError> {
        let game = self.game.load_placement(context)?;
        let begin = context.clock.now();
        let nodes = bellmino_engine::placement::perft(&game, depth, || context.go_on());
        let nodes = nodes.ok_or_else(|| {
            RequestError::run(if context.go_on() { "more than 2^64 leaves" } else { INTERRUPTED })
        })?;
        let seconds = context.clock.since(begin).as_secs_f64();
        Ok(PerftAnswer { game: self.game.describe(game.name()), depth, queue: None, nodes, seconds })
    }

    fn by_queue(&self, queue: &str, context: &Context<'_>) -> Result<PerftAnswer, RequestError> {
        let pieces: Option<Vec<Piece>> = queue.chars().map(Piece::from_letter).collect();
        let pieces = pieces.filter(|pieces| pieces.len() <= 64);
        let pieces = pieces.ok_or_else(|| {
            RequestError::field("queue", format!("give up to 64 letters of {}", Piece::LETTERS))
        })?;
        // The name of the whole family stands for the game without a goal.
        let is_plain = self.game.game == "guideline";
        let name = if is_plain { "practice" } else { &self.game.game };
        let loaded = GameChoice { game: name.to_owned(), ..self.game.clone() }.load(context)?;
        let Some(game) = loaded.guideline() else {
            return Err(RequestError::input(format!(
                "`{}` is a placement game; give {} instead of {}",
                loaded.name(),
                named("depth"),
                named("queue")
            )));
        };
        let begin = context.clock.now();
        let nodes = perft(&Board::EMPTY, &pieces, game.rules().kicks, || context.go_on());
        Ok(PerftAnswer {
            game: if is_plain { self.game.game.clone() } else { self.game.describe(loaded.name()) },
            depth: pieces.len() as u32,
            queue: Some(queue.to_owned()),
            nodes: nodes.ok_or_else(|| RequestError::run(INTERRUPTED))?,
            seconds: context.clock.since(begin).as_secs_f64(),
        })
    }
}

const INTERRUPTED: &str = "interrupted before the count was complete";
