//! A game that is given by its keys.

use std::fmt;

use bellmino_engine::Outcome;
use bellmino_engine::placement::{AnyColumns, Grid, Match, ReplayText, Stroke};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::hunt::with_dealer;
use super::{Context, GameChoice, Request, RequestError};
use crate::resources::{ResourceKind, read_text};

/// Play a game that is written down as keys, such as a replay of HATETRIS, and tell what came of it
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReplayRequest {
    /// The keys, or a file of them: letters (LRDU), hexadecimal or base2048
    #[schemars(extend("x-positional" = true))]
    pub keys: String,

    /// The dealer, instead of the game's
    #[serde(default)]
    #[schemars(extend("x-value" = "D"))]
    pub dealer: Option<String>,

    /// A game whose pieces are moved by keys: built-in, or the path of a TOML file
    #[serde(default = "hatetris")]
    #[schemars(extend("x-value" = "GAME"))]
    pub game: String,

    /// Override a value of the game: a dotted key and a TOML value, such as board.width=6
    #[serde(default)]
    #[schemars(extend("x-value" = "KEY=VALUE"))]
    pub set: Vec<String>,

    /// The game itself as the text of a TOML file; `game` is then only what messages call it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-no-flag" = true))]
    pub text: Option<String>,
}

fn hatetris() -> String {
    "hatetris".to_owned()
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ReplayAnswer {
    /// The game.
    pub game: String,
    /// Rows.
    pub rows: u64,
    /// Points by the game's own table.
    pub score: f64,
    /// Pieces that locked.
    pub pieces: u64,
    /// How it ended, or that it goes on.
    pub ended: String,
    /// The board in the end, rows from the top.
    pub board: Vec<String>,
    /// The keys as letters.
    pub raw: String,
    /// The keys in hexadecimal.
    pub hex: String,
    /// The keys in base2048.
    pub base2048: String,
}

impl fmt::Display for ReplayAnswer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.board.iter().try_for_each(|row| writeln!(out, "{row}"))?;
        writeln!(out, "{} rows, {} pieces: {}", self.rows, self.pieces, self.ended)?;
        write!(out, "raw {}\nhex {}\nbase2048 {}", self.raw, self.hex, self.base2048)
    }
}

impl Request for ReplayRequest {
    const NAME: &'static str = "replay";
    type Answer = ReplayAnswer;

    fn answer(&self, context: &Context<'_>) -> Result<ReplayAnswer, RequestError> {
        let choice = GameChoice { game: self.game.clone(), set: self.set.clone(), text: self.text.clone() };
        let game = with_dealer(&choice, self.dealer.as_ref()).load_placement(context)?;
        let strokes = self.strokes(context)?;
        let mut played: Match<AnyColumns> = Match::new(game.clone(), 0, 0);
        let pressed = played.press_all(strokes.iter().copied()).ok_or_else(|| {
            RequestError::field("game", format!("`{}` moves no pieces by keys; `hatetris` does", game.name()))
        })?;
        pressed.map_err(RequestError::run)?;
        let stats = *played.stats();
        let ended = match played.outcome() {
            None => "the keys end, the game goes on",
            Some(Outcome::ToppedOut) => "topped out",
            Some(Outcome::Goal) => "the goal is reached",
        };
        let board = played.board().to_board(&game).to_string();
        Ok(ReplayAnswer {
            game: choice.describe(game.name()),
            rows: stats.lines,
            score: stats.score,
            pieces: stats.pieces,
            ended: ended.to_owned(),
            board: board.lines().map(str::to_owned).collect(),
            raw: ReplayText::Raw.write(&strokes),
            hex: ReplayText::Hex.write(&strokes),
            base2048: ReplayText::Base2048.write(&strokes),
        })
    }
}

impl ReplayRequest {
    fn strokes(&self, context: &Context<'_>) -> Result<Vec<Stroke>, RequestError> {
        let text = match context.resources.has(&self.keys) {
            true => read_text(context.resources, ResourceKind::Text, &self.keys)
                .map_err(|why| RequestError::field("keys", format!("{}: {why}", self.keys)))?,
            false => self.keys.clone(),
        };
        ReplayText::read(&text).map_err(|why| {
            let shown: String = self.keys.chars().take(40).collect();
            RequestError::field("keys", format!("{shown}: neither a file nor keys: {why}"))
        })
    }
}
