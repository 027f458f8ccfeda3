//! The evaluation of the look-ahead bot, trained on whole games.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::run::{Trained, go_through};
use super::{Chance, Context, GameChoice, Keeping, Request, RequestError, RunChoice, VERSION};
use crate::training::{Approach, BotStart, Recipe, Training, TuneFields};

/// Train the evaluation of the look-ahead bot on whole games
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("x-steps" = true))]
pub struct TuneRequest {
    /// The game.
    #[serde(flatten)]
    pub game: GameChoice,

    /// Weights to start from [default: the shipped ones for the game]
    #[serde(default)]
    #[schemars(extend("x-value" = "FILE"))]
    pub start: Option<String>,

    /// How.
    #[serde(flatten)]
    pub plan: TuneFields,

    /// Where the weights go.
    #[serde(flatten)]
    pub keeping: Keeping,

    /// The folder of the run.
    #[serde(flatten)]
    pub run: RunChoice,

    /// The seed.
    #[serde(flatten)]
    pub chance: Chance,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TuneAnswer {
    /// The game.
    pub game: String,
    /// The version of the program.
    pub version: &'static str,
    /// Its seed.
    pub seed: u64,
    /// Whether it was stopped.
    pub interrupted: bool,
    /// How it learned.
    pub plan: Value,
    /// What the numbers of the curve are.
    pub columns: Vec<&'static str>,
    /// The learning curve, a row for each generation.
    pub curve: Vec<Vec<f64>>,
    /// The file of the weights.
    pub weights: String,
}

impl Request for TuneRequest {
    const NAME: &'static str = "tune";
    type Answer = TuneAnswer;

    fn answer(&self, context: &Context<'_>) -> Result<TuneAnswer, RequestError> {
        let mut training = self.training(context)?;
        let run = self.run.open(&mut training, context)?;
        tuned(go_through(training, run, context)?, &self.keeping, context)
    }
}

impl TuneRequest {
    fn training(&self, context: &Context<'_>) -> Result<Training, RequestError> {
        let game = self.game.load(context)?;
        let start = self.start.as_ref().map(|file| BotStart::load(file, context.resources)).transpose()?;
        let approach = Approach::Tune { plan: self.plan.clone(), start };
        let recipe = Recipe { game, seed: self.chance.seed, features: None, low: None, approach };
        Ok(Training::new(&recipe)?)
    }
}

/// Keeps what was found.
pub(super) fn tuned(
    mut trained: Trained,
    keeping: &Keeping,
    context: &Context<'_>,
) -> Result<TuneAnswer, RequestError> {
    let weights = trained.training.weights().unwrap_or_default();
    trained.keep(keeping, &weights, context)?;
    let (config, course) = (trained.training.config(), trained.training.course());
    Ok(TuneAnswer {
        game: trained.training.ground().name().to_owned(),
        version: VERSION,
        seed: config.seed,
        interrupted: trained.interrupted,
        plan: serde_json::to_value(&config.plan).map_err(RequestError::run)?,
        columns: course.columns().to_vec(),
        curve: course.rows(),
        weights: String::from_utf8_lossy(&weights).into_owned(),
    })
}
