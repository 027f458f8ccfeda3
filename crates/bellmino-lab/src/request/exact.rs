//! What is asked of an exact solver: the fields that several requests share.

use std::fmt::Display;
use std::str::FromStr;

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::{Board, Piece};
use bellmino_exact::{Objective, SolveError, SolveSettings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Context, GameChoice, RequestError};
use crate::resources::Resources;
use crate::solve_plan::{SolvePlan, SolvePlanError};

/// The game, the objective, and what the player knows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExactQuestion {
    /// The game.
    #[serde(flatten)]
    pub game: GameChoice,

    /// What is maximised: discounted:L, horizon:N (pieces), total, average (per piece) or survive [default of solve: total,
    /// or average where the total is infinite]
    #[serde(default)]
    #[schemars(extend("x-value" = "O", "x-by-place" = true))]
    pub objective: Option<String>,

    /// How many pieces beyond the current one the player knows
    #[serde(default)]
    #[schemars(range(min = 0, max = 8), extend("x-value" = "K"))]
    pub preview: u64,

    /// Start from this board instead of the empty one: rows of # and . from the top, apart by /, or `empty`
    #[serde(default)]
    #[schemars(extend("x-value" = "BOARD"))]
    pub from: Option<String>,

    /// The most memory to use, such as 600MiB or 12GiB [default: most of what is free]
    #[serde(default)]
    #[schemars(extend("x-value" = "SIZE"))]
    pub memory: Option<String>,
}

impl ExactQuestion {
    /// The game, and how it is named in results.
    pub fn load(&self, context: &Context<'_>) -> Result<(String, PlacementGame), RequestError> {
        let game = self.game.load_placement(context)?;
        Ok((self.game.describe(game.name()), game))
    }

    /// What is maximised, if that was said.
    pub fn objective(&self) -> Result<Option<Objective>, RequestError> {
        self.objective.as_deref().map(|text| parsed("objective", text)).transpose()
    }

    /// The settings for an objective, so far as these fields go.
    pub fn settings(
        &self,
        game: &PlacementGame,
        objective: Objective,
        context: &Context<'_>,
    ) -> Result<SolveSettings, RequestError> {
        let memory = self.memory.as_deref().map(size).transpose()?;
        Ok(SolveSettings {
            preview: self.preview as usize,
            from: self.from.as_deref().map(|text| drawn_board(game, "from", text)).transpose()?,
            memory: memory.or_else(context.memory.free),
            ..SolveSettings::new(objective)
        })
    }
}

/// Who deals, who places, what is seen and how it is solved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SolveTerms {
    /// Who deals: random, worst (answers the placement), worst-before (names the next piece before it), mixed:E, or
    /// table:FILE
    #[serde(default = "random")]
    #[schemars(extend("x-value" = "D"))]
    pub dealer: String,

    /// Who places: best, or average over all placements
    #[serde(default = "best")]
    #[schemars(extend("x-value" = "WHO"))]
    pub placer: String,

    /// Evaluate this player exactly instead of the best: random, lowest, fewest-holes, weights:NAME, tuples:FILE, table:FILE
    /// (random-rotation and lowest-bottom draw lots: `evaluate` plays them)
    #[serde(default)]
    #[schemars(extend("x-value" = "P", "x-excludes" = ["placer"]))]
    pub player: Option<String>,

    /// The player can put one piece aside
    #[serde(default)]
    pub hold: bool,

    /// What the player sees of a board: grid, heights or contour
    #[serde(default = "grid")]
    #[schemars(extend("x-value" = "V"))]
    pub view: String,

    /// Maximise this instead of the score, such as lines=1,height=0.5,score=1,gaps=2
    #[serde(default)]
    #[schemars(extend("x-value" = "WEIGHTS"))]
    pub reward: Option<String>,

    /// The wanted proven bound on the value [default: 1e-9 times max(1, |value|)]
    #[serde(default)]
    #[schemars(extend("x-value" = "E", "exclusiveMinimum" = 0))]
    pub epsilon: Option<f64>,

    /// How: auto, value, modified or policy (iteration), or plain, the textbook's value iteration from 0, whose changes
    /// `deltas` lists; auto improves the policy in one sweep, evaluates it in some more, and goes through the boards in an
    /// order that carries values several steps ahead
    #[serde(default = "auto")]
    #[schemars(extend("x-value" = "M"))]
    pub method: String,

    /// Stop after so many sweeps over all boards, with the bound that is proven then
    #[serde(default)]
    #[schemars(range(min = 1), extend("x-value" = "N"))]
    pub max_sweeps: Option<u64>,
}

fn random() -> String {
    "random".to_owned()
}

fn best() -> String {
    "best".to_owned()
}

fn grid() -> String {
    "grid".to_owned()
}

fn auto() -> String {
    "auto".to_owned()
}

impl Default for SolveTerms {
    fn default() -> SolveTerms {
        SolveTerms {
            dealer: random(),
            placer: best(),
            player: None,
            hold: false,
            view: grid(),
            reward: None,
            epsilon: None,
            method: auto(),
            max_sweeps: None,
        }
    }
}

impl SolveTerms {
    /// Settings with these terms; dealer and player are left to the [plan](SolveTerms::plan).
    pub fn settings(&self, mut asked: SolveSettings) -> Result<SolveSettings, RequestError> {
        asked.placing = parsed("placer", &self.placer)?;
        asked.hold = self.hold;
        asked.view = parsed("view", &self.view)?;
        asked.reward = self.reward.as_deref().map(|text| parsed("reward", text)).transpose()?;
        asked.epsilon = self.epsilon;
        asked.method = parsed("method", &self.method)?;
        asked.max_sweeps = self.max_sweeps;
        Ok(asked)
    }

    /// Settings completed by the dealer and the player that are named.
    pub fn plan<'a>(
        &self,
        game: &'a PlacementGame,
        asked: SolveSettings,
        resources: &dyn Resources,
    ) -> Result<SolvePlan<'a>, RequestError> {
        SolvePlan::new(game, asked, &self.dealer, self.player.as_deref(), resources).map_err(|error| {
            match error {
                SolvePlanError::Dealer(_) | SolvePlanError::CannotDeal(_) => {
                    RequestError::field("dealer", error)
                }
                SolvePlanError::Policy(_) => RequestError::field("player", error),
                SolvePlanError::DealerTable(_) | SolvePlanError::Player(_) => RequestError::input(error),
            }
        })
    }
}

/// A word of a field as what it means.
pub(super) fn parsed<T: FromStr<Err: Display>>(field: &str, text: &str) -> Result<T, RequestError> {
    text.parse().map_err(|error| RequestError::field(field, error))
}

/// A board drawn in a field.
pub(super) fn drawn_board(game: &PlacementGame, field: &str, text: &str) -> Result<Board, RequestError> {
    Board::parse(game.width(), game.height(), text).map_err(|error| RequestError::field(field, error))
}

/// Pieces of a placement game by their names, apart by commas.
pub(super) fn parse_pieces(game: &PlacementGame, field: &str, text: &str) -> Result<Vec<u8>, RequestError> {
    let known = |name: &str| {
        game.piece_index(name).map(|piece| piece as u8).ok_or_else(|| {
            let hint = bellmino_engine::suggestion(name, game.pieces().iter().map(Piece::name));
            RequestError::field(field, format!("`{name}` is not a piece of this game; {hint}"))
        })
    };
    text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(known).collect()
}

/// Why a solver has no answer.
pub(super) fn solver_error(error: SolveError) -> RequestError {
    match error {
        SolveError::Interrupted => RequestError::run("interrupted"),
        error => RequestError::input(error),
    }
}

fn size(text: &str) -> Result<u64, RequestError> {
    let (digits, unit) =
        text.split_at(text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len()));
    let factor: Option<f64> = match unit.trim() {
        "" | "B" => Some(1.0),
        "KiB" | "K" => Some(1024.0),
        "MiB" | "M" => Some(1_048_576.0),
        "GiB" | "G" => Some(1_073_741_824.0),
        _ => None,
    };
    match (digits.parse::<f64>(), factor) {
        (Ok(number), Some(factor)) if number > 0.0 && number * factor < 1e18 => Ok((number * factor) as u64),
        _ => Err(RequestError::field("memory", "give a size such as 600MiB or 12GiB")),
    }
}
