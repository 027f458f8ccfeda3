//! What `train`, `tune` and `resume` share: where training leaves its results, and the way through it.

use bellmino_data::numbers::grouped;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Context, Event, OpenRun, RequestError, named};
use crate::training::{Course, Training, TrainingEnd, learning_curve};

/// Where what was learned is put.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Keeping {
    /// Where the weights go; a command prints them when absent
    #[serde(default)]
    #[schemars(extend("x-value" = "FILE", "x-short" = "o"))]
    pub output: Option<String>,

    /// Draw the learning curve into this SVG file at the end
    #[serde(default)]
    #[schemars(extend("x-value" = "FILE.svg"))]
    pub plot: Option<String>,
}

/// The folder of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunChoice {
    /// Keep configuration, learning curve and checkpoints in runs/NAME (or in the folder of this path)
    #[serde(default)]
    #[schemars(extend("x-value" = "NAME"))]
    pub run: Option<String>,

    /// Go on with this run where it stopped; the request must be the same, or only its name: see `bellmino resume`
    #[serde(default)]
    pub resume: bool,
}

impl RunChoice {
    /// The run for this training, if it is to be kept: a new one, or the one to go on with.
    pub(super) fn open(
        &self,
        training: &mut Training,
        context: &Context<'_>,
    ) -> Result<Option<Box<dyn OpenRun>>, RequestError> {
        match &self.run {
            Some(name) if self.resume => context.outputs.resume_run(name, training).map(Some),
            Some(name) => context.outputs.begin_run(name, training).map(Some),
            None if self.resume => {
                let why = format!("name the run to go on with by {}", named("run"));
                Err(RequestError::field("resume", why))
            }
            None => Ok(None),
        }
    }
}

/// Training that has been gone through.
pub(super) struct Trained {
    pub training: Training,
    /// It was stopped.
    pub interrupted: bool,
    /// How long it took.
    pub seconds: f64,
    run: Option<Box<dyn OpenRun>>,
}

/// Goes through the training and keeps each step in the run, if there is one.
pub(super) fn go_through(
    mut training: Training,
    mut run: Option<Box<dyn OpenRun>>,
    context: &Context<'_>,
) -> Result<Trained, RequestError> {
    let begin = context.clock.now();
    let (mut known, all) = training.course().progress();
    context.tell(Event::Begin { what: "training", parts: all });
    context.done(known);
    let mut seen = |training: &Training| {
        let (done, _) = training.course().progress();
        context.tell(Event::Now { what: summary(training), left: None });
        context.done(done.saturating_sub(known));
        known = done;
        context.tell(Event::Step(&last_step(training)));
    };
    let go_on = || context.go_on();
    let ended = match &mut run {
        Some(run) => run.run(&mut training, context.crew, &go_on, &mut seen),
        None => training.run_by(context.crew, &go_on, &mut |training| {
            seen(training);
            Ok(())
        }),
    };
    context.tell(Event::End);
    let interrupted = ended? == TrainingEnd::Interrupted;
    let seconds = context.clock.since(begin).as_secs_f64();
    let ended = if interrupted { "interrupted" } else { "done" };
    context.tell(Event::Notice(format!("{ended}: {}; {seconds:.1} s", summary(&training))));
    Ok(Trained { training, interrupted, seconds, run })
}

impl Trained {
    /// Writes the weights where they were asked for.
    pub fn keep(
        &mut self,
        keeping: &Keeping,
        weights: &[u8],
        context: &Context<'_>,
    ) -> Result<(), RequestError> {
        if let Some(file) = &keeping.output {
            context.outputs.write(file, weights)?;
        }
        if let Some(file) = &keeping.plot {
            let figure = learning_curve(&self.training).svg().map_err(RequestError::run)?;
            context.outputs.write(file, figure.as_bytes())?;
        }
        match &mut self.run {
            Some(run) => Ok(run.keep(&self.training, weights)?),
            None => Ok(()),
        }
    }
}

/// How far it is, in words.
fn summary(training: &Training) -> String {
    let course = training.course();
    if let Course::Tune(tuning) = course {
        return match tuning.history.last() {
            Some(last) => {
                let mean = grouped(last.mean.round(), 0);
                format!("{} generations, mean {mean} points", tuning.history.len())
            }
            None => "no generation".to_owned(),
        };
    }
    let rows = course.rows();
    let Some(row) = rows.last() else { return "training".to_owned() };
    let columns = course.columns().iter().zip(row).take(4);
    let words = columns.map(|(name, value)| format!("{name} {}", grouped(value.round(), 0)));
    words.collect::<Vec<_>>().join(", ")
}

/// The last row of the learning curve by its columns.
fn last_step(training: &Training) -> Value {
    let course = training.course();
    let last = course.rows().pop().unwrap_or_default();
    course.columns().iter().zip(last).map(|(name, value)| ((*name).to_owned(), json!(value))).collect()
}
