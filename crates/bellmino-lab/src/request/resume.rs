//! A run of `train` or `tune` that goes on where it stopped.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::run::go_through;
use super::train::learned;
use super::tune::tuned;
use super::{Context, Event, Keeping, Request, RequestError, TrainAnswer, TuneAnswer};
use crate::training::Method;

/// Go on with a run of train or tune where it stopped, as it was begun
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("x-steps" = true))]
pub struct ResumeRequest {
    /// The name of the run in `runs`, or the path of its folder: all else is there
    #[schemars(extend("x-positional" = true))]
    pub run: String,

    /// Where the weights go.
    #[serde(flatten)]
    pub keeping: Keeping,

    /// Then play on the real board until this many games are lost
    #[serde(default)]
    #[schemars(extend("x-value" = "LOSSES"))]
    pub confirm: u64,

    /// Which command the run must be of: train or tune [default: either]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-no-flag" = true))]
    pub of: Option<String>,
}

/// What the run has found.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ResumeAnswer {
    /// A run of `train`.
    Train(TrainAnswer),
    /// A run of `tune`.
    Tune(Box<TuneAnswer>),
}

impl Request for ResumeRequest {
    const NAME: &'static str = "resume";
    type Answer = ResumeAnswer;

    fn answer(&self, context: &Context<'_>) -> Result<ResumeAnswer, RequestError> {
        let (run, training) = context.outputs.reopen_run(&self.run)?;
        let is_tune = training.method() == Method::Tune;
        let command = if is_tune { "tune" } else { "train" };
        if self.of.as_ref().is_some_and(|of| of != command) {
            let why = format!("{} is a run of `{command}`, which goes on with it", run.place());
            return Err(RequestError::input(why));
        }
        let (done, all) = training.course().progress();
        let (method, game, seed) = (training.method(), training.ground().name(), training.config().seed);
        context.tell(Event::Notice(format!(
            "goes on with {}: {method} {game}, seed {seed}, {done} of {all} steps done",
            run.place()
        )));
        let trained = go_through(training, Some(run), context)?;
        match is_tune {
            true => tuned(trained, &self.keeping, context).map(|answer| ResumeAnswer::Tune(Box::new(answer))),
            false => learned(trained, &self.keeping, self.confirm, context).map(ResumeAnswer::Train),
        }
    }
}
