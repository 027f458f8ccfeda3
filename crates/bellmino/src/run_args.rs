//! What `train` and `tune` share: where training leaves its results, and the way through it.

use std::path::PathBuf;
use std::time::Instant;

use bellmino_engine::suggestion;
use bellmino_host::{RunDir, StoredRun};
use bellmino_lab::training::{Ended, Method, Training, TrainingError, learning_curve};
use serde_json::{Value, json};

use crate::cli::Common;
use crate::failure::Failure;
use crate::{interrupt, output, session};

/// Where a course of training leaves its results.
#[derive(clap::Args, Clone, Debug)]
pub struct RunArgs {
    /// Where the weights go; stdout when absent
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Keep configuration, learning curve and checkpoints in runs/NAME (or in the folder of this path)
    #[arg(long, value_name = "NAME")]
    pub run: Option<String>,

    /// Draw the learning curve into this SVG file at the end
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
}

/// Training that has been gone through.
pub struct Trained {
    /// It was stopped.
    pub interrupted: bool,
    /// How long it took.
    pub seconds: f64,
    folder: Option<RunDir>,
}

impl RunArgs {
    /// The folder of --run for this training: a new one, or the one that is to be resumed.
    pub fn folder(&self, training: &mut Training, resume: bool) -> Result<Option<RunDir>, Failure> {
        let folder = match self.run.as_deref().map(RunDir::path_of) {
            Some(path) if resume => RunDir::resume(&path, training),
            Some(path) => RunDir::create(&path, training),
            None => return Ok(None),
        };
        folder.map(Some).map_err(refuse)
    }

    /// Goes through the training and keeps each step in the folder, if there is one; `say` tells how far it is.
    pub fn train(
        training: &mut Training,
        mut folder: Option<RunDir>,
        say: fn(&Training) -> String,
        common: &Common,
    ) -> Result<Trained, Failure> {
        let begin = Instant::now();
        let bar = output::progress(common.quiet, training.course().progress().1, "training");
        bar.set_position(training.course().progress().0);
        let crew = session::crew();
        let mut seen = |training: &Training| {
            bar.set_position(training.course().progress().0);
            bar.set_message(say(training));
            if let Some(session) = session::current() {
                session.tell(last_step(training));
            }
        };
        let ended = match &mut folder {
            Some(folder) => folder.run(training, crew.as_deref(), &interrupt::go_on, &mut seen),
            None => training.run_by(crew.as_deref(), &interrupt::go_on, &mut |training| {
                seen(training);
                Ok(())
            }),
        };
        bar.finish_and_clear();
        let interrupted = ended.map_err(refuse)? == Ended::Interrupted;
        let seconds = begin.elapsed().as_secs_f64();
        if !common.quiet {
            let ended = if interrupted { "interrupted" } else { "done" };
            eprintln!("{ended}: {}; {seconds:.1} s", say(training));
        }
        Ok(Trained { interrupted, seconds, folder })
    }

    /// Writes the weights where they were asked for.
    pub fn keep(&self, trained: &mut Trained, training: &Training, weights: &[u8]) -> Result<(), Failure> {
        if let Some(path) = &self.output {
            output::file(path, weights)?;
        }
        if let Some(path) = &self.plot {
            output::plot(path, &learning_curve(training))?;
        }
        if let Some(folder) = &mut trained.folder {
            folder.store(training, Some(weights)).map_err(refuse)?;
        }
        Ok(())
    }
}

/// The run that is to go on, of which only the name was given.
pub fn reopen(name: &str, of_tune: bool, common: &Common) -> Result<(RunDir, Training), Failure> {
    let path = RunDir::path_of(name);
    if !path.is_dir() {
        let hint = match names_of_runs() {
            names if names.is_empty() => "there is none in `runs` here".to_owned(),
            names => suggestion(name, names.iter().map(String::as_str)),
        };
        return Err(Failure::input(format!("there is no run {}; {hint}", path.display())));
    }
    let (folder, training) = RunDir::reopen(&path).map_err(refuse)?;
    if (training.method() == Method::Tune) != of_tune {
        let command = if of_tune { "train" } else { "tune" };
        return Err(Failure::input(format!(
            "{} is a run of `{command}`: bellmino {command} --resume {name}",
            path.display()
        )));
    }
    if !common.quiet {
        let (done, all) = training.course().progress();
        let (method, game, seed) = (training.method(), training.ground().name(), training.config().seed);
        eprintln!(
            "bellmino: goes on with {}: {method} {game}, seed {seed}, {done} of {all} steps done",
            path.display()
        );
    }
    Ok((folder, training))
}

/// The runs in the folder of runs.
fn names_of_runs() -> Vec<String> {
    let Ok(entries) = std::fs::read_dir("runs") else { return vec![] };
    let runs = entries.flatten().filter(|entry| StoredRun::is_at(&entry.path()));
    let mut names: Vec<String> = runs.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// The last row of the learning curve by its columns.
fn last_step(training: &Training) -> Value {
    let course = training.course();
    let last = course.rows().pop().unwrap_or_default();
    course.columns().iter().zip(last).map(|(name, value)| ((*name).to_owned(), json!(value))).collect()
}

/// The failure of a command whose training was refused; options are called as they are given.
pub fn refuse(error: TrainingError) -> Failure {
    match error {
        TrainingError::Option { .. } | TrainingError::Unfit { .. } => Failure::input(format!("--{error}")),
        TrainingError::Refused(_) | TrainingError::Run { .. } => Failure::input(error),
        TrainingError::File { .. } | TrainingError::Take(_) | TrainingError::Crew(_) => Failure::run(error),
    }
}

/// A number above 0.
pub fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err("give a positive number".to_owned()),
    }
}
