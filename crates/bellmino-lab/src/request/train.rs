//! The weights of a controller, found by any method.

mod methods;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use methods::{CbmpiFields, CemFields, SearchFields, TdFields, TrainMethod, TuplesFields};

use super::run::{Trained, go_through};
use super::{
    Chance, Context, Event, GameChoice, Keeping, Request, RequestError, RunChoice, VERSION, named, number,
};
use crate::arena::PlayerReport;
use crate::statistics::Summary;
use crate::training::{CurvePoint, Method, Recipe, TdRuns, Training, TrainingGround};

/// Find the weights of a controller
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("x-steps" = true))]
pub struct TrainRequest {
    /// How.
    #[serde(flatten)]
    pub method: TrainMethod,

    /// The game.
    #[serde(flatten)]
    pub game: GameChoice,

    /// Features: a set (dellacherie, dt8, dt9, bertsekas, lee, contour, report, radial, surface, blitz, fewest-keys),
    /// single ones, or a comma-separated list of both
    #[serde(default)]
    #[schemars(extend("x-value" = "LIST"))]
    pub features: Option<String>,

    /// Where the weights go.
    #[serde(flatten)]
    pub keeping: Keeping,

    /// The folder of the run.
    #[serde(flatten)]
    pub run: RunChoice,

    /// Learn on a board of this height and less work; 0 keeps the game's own [default: 10 where it is higher,
    /// for td and tuples the game's own]
    #[serde(default)]
    #[schemars(extend("x-value" = "ROWS"))]
    pub low: Option<usize>,

    /// Then play on the real board until this many games are lost (guideline games: this many games to their end), and
    /// note the result in the weights
    #[serde(default)]
    #[schemars(extend("x-value" = "LOSSES"))]
    pub confirm: u64,

    /// The seed.
    #[serde(flatten)]
    pub chance: Chance,
}

/// What was learned; or, of several runs, how good it gets.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum TrainAnswer {
    /// One controller.
    One(Box<LearnedAnswer>),
    /// Many, by temporal differences.
    Runs(Box<TdRunsAnswer>),
}

/// What was learned.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LearnedAnswer {
    /// The method.
    pub method: Method,
    /// The game.
    pub game: String,
    /// Its seed.
    pub seed: u64,
    /// The version of the program.
    pub version: &'static str,
    /// Whether it was stopped.
    pub interrupted: bool,
    /// Steps done.
    pub steps: u64,
    /// Pieces placed.
    pub pieces: u64,
    /// Wall-clock time.
    pub seconds: f64,
    /// What the numbers of the curve are.
    pub columns: Vec<&'static str>,
    /// The learning curve, a row for each step.
    pub curve: Vec<Vec<f64>>,
    /// The weights; of tuples, which are too many, what identifies them.
    pub weights: Value,
    /// The file of the weights.
    #[serde(skip)]
    pub file: Vec<u8>,
}

/// How good temporal differences get.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TdRunsAnswer {
    /// The method.
    pub method: Method,
    /// The game.
    pub game: String,
    /// The first seed.
    pub seed: u64,
    /// The version of the program.
    pub version: &'static str,
    /// How each learned.
    pub plan: Value,
    /// How many.
    pub runs: u64,
    /// Games that measure each controller learned.
    pub games: u64,
    /// The mean score of the controllers learned.
    pub score: Summary,
    /// The score of each episode over all runs.
    pub curve: Vec<CurvePoint>,
    /// The last ten episodes minus the best ten.
    pub last_ten_minus_best_ten: Summary,
    /// Episodes of each run.
    #[serde(skip)]
    pub episodes: u64,
    /// The score over ten episodes each, from this one on, from 0.
    #[serde(skip)]
    pub blocks: Vec<(usize, Summary)>,
}

impl Request for TrainRequest {
    const NAME: &'static str = "train";
    type Answer = TrainAnswer;

    fn answer(&self, context: &Context<'_>) -> Result<TrainAnswer, RequestError> {
        let mut training = self.training(context)?;
        if let TrainMethod::Td(fields) = &self.method
            && fields.runs > 1
        {
            return self.td_runs(&training, fields, context);
        }
        let run = self.run.open(&mut training, context)?;
        let trained = go_through(training, run, context)?;
        learned(trained, &self.keeping, self.confirm, context)
    }
}

impl TrainRequest {
    /// The training from its beginning: all that is asked for is checked.
    pub fn training(&self, context: &Context<'_>) -> Result<Training, RequestError> {
        let recipe = Recipe {
            game: self.game.load(context)?,
            seed: self.chance.seed,
            features: self.features.clone(),
            low: self.low,
            approach: self.method.approach(context.resources)?,
        };
        Ok(Training::new(&recipe)?)
    }

    /// Learns many times by temporal differences.
    fn td_runs(
        &self,
        training: &Training,
        fields: &TdFields,
        context: &Context<'_>,
    ) -> Result<TrainAnswer, RequestError> {
        if self.run.run.is_some() || self.keeping.output.is_some() {
            return Err(RequestError::input(format!(
                "{} above 1 gives a curve, not one controller; leave out {} and {}",
                named("runs"),
                named("run"),
                named("output")
            )));
        }
        context.tell(Event::Begin { what: "runs", parts: fields.runs });
        let done = || {
            context.done(1);
        };
        let runs = TdRuns::new(training, fields.runs, fields.games, &|| context.go_on(), &done);
        context.tell(Event::End);
        let runs = runs?
            .map_err(|done| RequestError::run(format!("interrupted: {done} of {} runs done", fields.runs)))?;
        let game = training.ground().name();
        if let Some(file) = &self.keeping.plot {
            let figure = runs.figure(game).svg().map_err(RequestError::run)?;
            context.outputs.write(file, figure.as_bytes())?;
        }
        Ok(TrainAnswer::Runs(Box::new(TdRunsAnswer {
            method: Method::Td,
            game: game.to_owned(),
            seed: self.chance.seed,
            version: VERSION,
            plan: serde_json::to_value(&runs.plan).map_err(RequestError::run)?,
            runs: runs.runs,
            games: fields.games,
            score: runs.score,
            curve: runs.curve,
            last_ten_minus_best_ten: runs.last_ten_minus_best_ten,
            episodes: runs.plan.episodes,
            blocks: runs.blocks,
        })))
    }
}

/// Keeps what was learned, once it has played on the real board if that is wanted.
pub(super) fn learned(
    mut trained: Trained,
    keeping: &Keeping,
    confirm: u64,
    context: &Context<'_>,
) -> Result<TrainAnswer, RequestError> {
    let Some(mut learned) = trained.training.learned() else {
        let why = match trained.interrupted {
            true => "interrupted before anything was learned",
            false => "nothing was learned",
        };
        return Err(RequestError::run(why));
    };
    if confirm > 0 && !trained.interrupted {
        context.tell(Event::Begin { what: "confirming", parts: confirm });
        let progress = |games| context.done(games);
        let confirmed = trained.training.confirm(learned, confirm, context.crew, context.clock, &progress);
        context.tell(Event::End);
        let (noted, report) = confirmed?;
        learned = noted;
        if let Some(words) = confirmed_words(trained.training.ground(), &report, confirm) {
            context.tell(Event::Notice(words));
        }
    }
    let file = learned.file();
    trained.keep(keeping, &file, context)?;
    let (training, course) = (&trained.training, trained.training.course());
    Ok(TrainAnswer::One(Box::new(LearnedAnswer {
        method: training.method(),
        game: training.ground().name().to_owned(),
        seed: training.config().seed,
        version: VERSION,
        interrupted: trained.interrupted,
        steps: course.progress().0,
        pieces: course.pieces(),
        seconds: trained.seconds,
        columns: course.columns().to_vec(),
        curve: course.rows(),
        weights: learned.to_value(),
        file,
    })))
}

fn confirmed_words(ground: &TrainingGround, report: &PlayerReport, games: u64) -> Option<String> {
    Some(match ground {
        TrainingGround::Placement { .. } => {
            let (mean, losses) = (report.lines_per_loss.mean?, report.lines_per_loss.losses);
            format!("confirmed: {} lines per loss from {losses} losses", number(mean))
        }
        TrainingGround::Guideline { .. } => {
            let (score, pieces) = (number(report.score.mean), number(report.pieces.mean));
            let reached = report.guideline.as_ref().map_or(0, |counts| counts.cleared_goal);
            format!("confirmed: score {score}, pieces {pieces}, goal reached in {reached} of {games} games")
        }
    })
}
