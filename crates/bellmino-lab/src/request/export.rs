//! A game written out for other solvers.

use std::path::Path;

use bellmino_exact::{Model, Objective, Watch};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::exact::solver_error;
use super::{Context, ExactQuestion, Request, RequestError, WriteBy, named};

/// Write a game out for other solvers: Storm or PRISM
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExportRequest {
    /// The game, the objective, and what the player knows.
    #[serde(flatten)]
    pub question: ExactQuestion,

    /// Storm's explicit format (drn), or PRISM's explicit files .tra, .trew, .lab (prism)
    #[serde(default)]
    #[schemars(extend("x-value" = "FORMAT"))]
    pub format: ModelFormat,

    /// The file to write; for PRISM, its name without the ending
    #[schemars(extend("x-value" = "FILE", "x-short" = "o"))]
    pub output: String,
}

/// How a model is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ModelFormat {
    /// Storm's explicit format.
    #[default]
    Drn,
    /// PRISM's explicit files.
    Prism,
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExportAnswer {
    /// The files.
    pub files: Vec<String>,
    /// States of the model.
    pub states: usize,
    /// What to ask the other solver.
    pub property: String,
}

impl Request for ExportRequest {
    const NAME: &'static str = "export";
    type Answer = ExportAnswer;

    fn answer(&self, context: &Context<'_>) -> Result<ExportAnswer, RequestError> {
        let (_, game) = self.question.load(context)?;
        let objective = self.question.objective()?.ok_or_else(|| {
            let wanted = format!("{} discounted:L, horizon:N or total", named("objective"));
            RequestError::input(format!("say what is maximised: {wanted}"))
        })?;
        let settings = self.question.settings(&game, objective, context)?;
        let model = Model::new(&game, &settings, &UntilStopped(context)).map_err(solver_error)?;
        let ending = |ending: &str| Path::new(&self.output).with_extension(ending).display().to_string();
        let mut files = Vec::new();
        let mut write = |file: String, contents: &mut WriteBy<'_>| {
            let written = context.outputs.write_by(&file, contents);
            written.map_err(|error| RequestError::run(format!("{file}: {error}")))?;
            files.push(file);
            Ok::<(), RequestError>(())
        };
        match self.format {
            ModelFormat::Drn => write(self.output.clone(), &mut |out| model.write_drn(out))?,
            ModelFormat::Prism => {
                write(ending("tra"), &mut |out| model.write_prism_transitions(out))?;
                write(ending("trew"), &mut |out| model.write_prism_rewards(out))?;
                write(ending("lab"), &mut |out| model.write_prism_labels(out))?;
            }
        }
        let property = match objective {
            Objective::Horizon(pieces) => format!("R{{\"points\"}}max=? [ C<={} ]", pieces + 1),
            _ => "R{\"points\"}max=? [ F \"end\" ]".to_owned(),
        };
        Ok(ExportAnswer { files, states: model.states(), property })
    }
}

/// Lets a solver go on until the request is to stop.
struct UntilStopped<'a>(&'a Context<'a>);

impl Watch for UntilStopped<'_> {
    fn go_on(&self) -> bool {
        self.0.go_on()
    }
}
