//! Many games, and their statistics.

use bellmino_engine::{Game, PlacementGame};
use bellmino_search::Budget;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::tables::{TablesFormat, finish};
use super::{Chance, Context, Event, GameChoice, Request, RequestError, Thinking, VERSION, named};
use crate::arena::{ArenaReport, ArenaSettings, Difference, PlayerReport, evaluate_by, figure};
use crate::opponent::Opponent;
use crate::player::{Player, PlayerError};

/// Play many games and print statistics
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EvaluateRequest {
    /// The game.
    #[serde(flatten)]
    pub game: GameChoice,

    /// Who plays: random, random-rotation, lowest, lowest-bottom, fewest-holes, weights:NAME-OR-FILE (see
    /// `bellmino weights`), tuples:FILE, table:FILE; in guideline games also bot, bot:DEPTH (looks DEPTH pieces ahead),
    /// bot:keys or bot:FILE. Repeat it to compare players on identical pieces
    #[schemars(extend("x-flag" = "player", "x-value" = "P"))]
    pub players: Vec<String>,

    /// How many games, and of what kind.
    #[serde(flatten)]
    pub round: GameRound,

    /// Play, instead of a number of games, until this many are lost: the interval of lines per loss narrows with it
    #[serde(default)]
    #[schemars(range(min = 1, max = 1_000_000_000), extend("x-value" = "N"))]
    pub losses: Option<u64>,

    /// How long the bot thinks.
    #[serde(flatten)]
    pub thinking: Thinking,

    /// Also count key presses: the fewest for each placement, hold and hard drop included (guideline games)
    #[serde(default)]
    pub keys: bool,

    /// Also give the score discounted by this factor per piece
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0), extend("x-value" = "L"))]
    pub discount: Option<f64>,

    /// Draw how the results of each player are distributed, with mean and interval, into this SVG file
    #[serde(default)]
    #[schemars(extend("x-value" = "FILE.svg"))]
    pub plot: Option<String>,

    /// Write every game and every move into two tables in this folder, `games` and `moves`
    #[serde(default)]
    #[schemars(extend("x-value" = "DIR"))]
    pub tables: Option<String>,

    /// How tables are written.
    #[serde(flatten)]
    pub written: TablesFormat,

    /// The seed.
    #[serde(flatten)]
    pub chance: Chance,
}

/// How many games each player plays, how long they are, and who deals.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GameRound {
    /// Games for each player [default: 1000]
    #[serde(default)]
    #[schemars(range(min = 1, max = 1_000_000_000), extend("x-value" = "N"))]
    pub games: Option<u64>,

    /// Stop a game after this many pieces; it counts as unfinished
    #[serde(default)]
    #[schemars(range(min = 1), extend("x-value" = "MAX"))]
    pub pieces: Option<u64>,

    /// Who deals in placement games: random, or table:FILE for a dealer solved before [default: random]
    #[serde(default)]
    #[schemars(extend("x-value" = "D"))]
    pub dealer: Option<String>,
}

/// One player's fields at the top; several players as a list, with their differences.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct EvaluateAnswer {
    /// The game.
    pub game: String,
    /// The version of the program.
    pub version: &'static str,
    /// What the players did.
    #[serde(flatten)]
    pub reports: EvaluateReports,
}

/// What one player did, or several.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum EvaluateReports {
    /// One player.
    One(Box<PlayerReport>),
    /// Several, on the same pieces.
    Several {
        /// In order.
        players: Vec<PlayerReport>,
        /// Each later one minus the first.
        differences: Vec<Difference>,
    },
}

impl EvaluateAnswer {
    /// What each player did, in order.
    pub fn players(&self) -> &[PlayerReport] {
        match &self.reports {
            EvaluateReports::One(one) => std::slice::from_ref(one),
            EvaluateReports::Several { players, .. } => players,
        }
    }

    /// Each later player minus the first.
    pub fn differences(&self) -> &[Difference] {
        match &self.reports {
            EvaluateReports::One(_) => &[],
            EvaluateReports::Several { differences, .. } => differences,
        }
    }

    fn new(game: String, report: ArenaReport) -> EvaluateAnswer {
        let ArenaReport { mut players, differences } = report;
        let reports = match players.len() {
            1 => EvaluateReports::One(Box::new(players.remove(0))),
            _ => EvaluateReports::Several { players, differences },
        };
        EvaluateAnswer { game, version: VERSION, reports }
    }
}

impl Request for EvaluateRequest {
    const NAME: &'static str = "evaluate";
    type Answer = EvaluateAnswer;

    fn answer(&self, context: &Context<'_>) -> Result<EvaluateAnswer, RequestError> {
        let game = self.game.load(context)?;
        let settings = self.settings(&game, context)?;
        let players = parse_players(&self.players, &game, self.thinking.budget()?, context)?;
        let name = self.game.describe(game.name());
        let open = |folder: &String| self.written.begin(folder, context);
        let tables = self.tables.as_ref().map(open).transpose()?;
        context.tell(Event::Begin { what: "games", parts: self.parts() });
        let bound = tables.as_ref().map(|tables| (tables.binder(), name.as_str()));
        let progress = |games| context.done(games);
        let report = evaluate_by(context.crew, bound, &game, &players, &settings, &progress);
        context.tell(Event::End);
        let report = report.map_err(|error| match error {
            PlayerError::Crew(error) => RequestError::run(error),
            error => RequestError::input(error),
        })?;
        if let Some(tables) = tables {
            let is_interrupted = report.players.iter().any(|player| player.interrupted);
            finish(tables, is_interrupted, context)?;
        }
        if let Some(file) = &self.plot {
            let figure = figure(&report.players, &game, &name).svg().map_err(RequestError::run)?;
            context.outputs.write(file, figure.as_bytes())?;
        }
        Ok(EvaluateAnswer::new(name, report))
    }
}

impl EvaluateRequest {
    /// Games that will be played, or lost games that will be waited for, by all players together.
    pub fn parts(&self) -> u64 {
        self.losses.unwrap_or(self.games()) * self.players.len() as u64
    }

    fn games(&self) -> u64 {
        self.round.games.unwrap_or(ArenaSettings::default().games)
    }

    /// What the arena is to do; what does not go together is refused.
    fn settings(&self, game: &Game, context: &Context<'_>) -> Result<ArenaSettings, RequestError> {
        if self.players.is_empty() {
            return Err(RequestError::field("players", "name who plays"));
        }
        if self.round.games.is_some() && self.losses.is_some() {
            return Err(RequestError::input(format!(
                "{} and {} do not go together; give one of them",
                named("games"),
                named("losses")
            )));
        }
        if self.written.format.is_some() && self.tables.is_none() {
            return Err(RequestError::input(format!(
                "{} is for tables; give {} too",
                named("format"),
                named("tables")
            )));
        }
        Ok(ArenaSettings {
            games: self.games(),
            losses: self.losses,
            seed: self.chance.seed,
            pieces: self.round.pieces,
            discount: self.discount,
            dealer: self.opponent(game, context)?,
            keys: self.keys,
            clock: context.clock,
        })
    }

    /// Who deals; options that mean nothing in this game are refused.
    fn opponent(&self, game: &Game, context: &Context<'_>) -> Result<Opponent, RequestError> {
        let name = game.name();
        match game {
            Game::Placement(game) => {
                self.thinking.refuse(name)?;
                if self.keys {
                    let why = format!("`{name}` is a placement game and has no keys");
                    return Err(RequestError::field("keys", why));
                }
                parse_opponent(self.round.dealer.as_deref(), game, context)
            }
            Game::Guideline(game) => {
                refuse_dealer(self.round.dealer.as_deref(), name)?;
                let goal = game.rules().goal;
                if goal.lines.is_none() && goal.pieces.is_none() && self.round.pieces.is_none() {
                    return Err(RequestError::input(format!(
                        "`{name}` has no goal and may never end; give {}",
                        named("pieces")
                    )));
                }
                if self.losses.is_some() {
                    return Err(RequestError::input(format!(
                        "`{name}` ends at its goal; give {}, not {}",
                        named("games"),
                        named("losses")
                    )));
                }
                Ok(Opponent::Random)
            }
        }
    }
}

/// The players of these names.
pub(super) fn parse_players(
    names: &[String],
    game: &Game,
    budget: Option<Budget>,
    context: &Context<'_>,
) -> Result<Vec<Player>, RequestError> {
    let load =
        |name: &String| Player::load(name, game, budget, context.resources).map_err(RequestError::input);
    names.iter().map(load).collect()
}

/// Who deals in a placement game.
pub(super) fn parse_opponent(
    dealer: Option<&str>,
    game: &PlacementGame,
    context: &Context<'_>,
) -> Result<Opponent, RequestError> {
    Opponent::parse(dealer.unwrap_or("random"), game, context.resources).map_err(RequestError::input)
}

/// Guideline games have a dealer of their own.
pub(super) fn refuse_dealer(dealer: Option<&str>, game: &str) -> Result<(), RequestError> {
    match dealer {
        Some(_) => {
            let why = format!("`{game}` is a guideline game and deals from its bag");
            Err(RequestError::field("dealer", why))
        }
        None => Ok(()),
    }
}
