//! How many lines a player makes per loss.

use bellmino_engine::Game;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::evaluate::parse_players;
use super::{Chance, Context, Event, GameChoice, Request, RequestError, VERSION};
use crate::endurance::{EnduranceError, EnduranceReport, EnduranceSettings, endurance};

/// Tell how many lines a player makes per loss, also where losses are too rare to wait for
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EnduranceRequest {
    /// The game.
    #[serde(flatten)]
    pub game: GameChoice,

    /// Who plays: weights:NAME-OR-FILE, tuples:FILE or any other player of placement games. Repeat it for several
    #[schemars(extend("x-flag" = "player", "x-value" = "P"))]
    pub players: Vec<String>,

    /// Climbs that must succeed at each level in each run: four times as many halve the interval
    #[serde(default = "climbs")]
    #[schemars(range(min = 10, max = 1_000_000), extend("x-value" = "N"))]
    pub climbs: u32,

    /// Runs, which are independent of each other; the interval follows from how far they differ
    #[serde(default = "runs")]
    #[schemars(range(min = 2, max = 1000), extend("x-value" = "N"))]
    pub runs: u64,

    /// The seed.
    #[serde(flatten)]
    pub chance: Chance,
}

fn climbs() -> u32 {
    1000
}

fn runs() -> u64 {
    10
}

/// One player's fields at the top; several players as a list.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct EnduranceAnswer {
    /// The game.
    pub game: String,
    /// The version of the program.
    pub version: &'static str,
    /// What was found.
    #[serde(flatten)]
    pub reports: EnduranceReports,
}

/// What was found, for one player or for several.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum EnduranceReports {
    /// One player.
    One(EnduranceReport),
    /// Several.
    Several {
        /// In order.
        players: Vec<EnduranceReport>,
    },
}

impl EnduranceReports {
    /// All of them, in order.
    pub fn all(&self) -> &[EnduranceReport] {
        match self {
            EnduranceReports::One(one) => std::slice::from_ref(one),
            EnduranceReports::Several { players } => players,
        }
    }
}

impl Request for EnduranceRequest {
    const NAME: &'static str = "endurance";
    type Answer = EnduranceAnswer;

    fn answer(&self, context: &Context<'_>) -> Result<EnduranceAnswer, RequestError> {
        let game = self.game.load_placement(context)?;
        let players = parse_players(&self.players, &Game::Placement(game.clone()), None, context)?;
        let settings = EnduranceSettings {
            climbs: self.climbs as usize,
            runs: self.runs,
            seed: self.chance.seed,
            clock: context.clock,
        };
        context.tell(Event::Begin { what: "runs", parts: self.runs * players.len() as u64 });
        let measure = |player| {
            endurance(&game, player, &settings, &|runs| context.done(runs)).map_err(|error| match error {
                EnduranceError::NoAscent { .. } => RequestError::run(error),
                error => RequestError::input(error),
            })
        };
        let mut reports = players.iter().map(measure).collect::<Result<Vec<_>, _>>()?;
        context.tell(Event::End);
        let reports = match (reports.pop(), reports.is_empty()) {
            (Some(only), true) => EnduranceReports::One(only),
            (last, _) => {
                reports.extend(last);
                EnduranceReports::Several { players: reports }
            }
        };
        Ok(EnduranceAnswer { game: self.game.describe(game.name()), version: VERSION, reports })
    }
}
