//! `bellmino export`: a game written out for other solvers.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use bellmino_exact::{Model, Objective};
use bellmino_host::files::write_whole;
use clap::ValueEnum;
use serde_json::json;

use crate::cli::Common;
use crate::failure::Failure;
use crate::output;
use crate::output::number;
use crate::question::{Interruptible, Question};

/// Arguments of `export`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    question: Question,

    /// Storm's explicit format, or PRISM's explicit files (.tra, .trew, .lab)
    #[arg(long, value_enum, default_value_t = Format::Drn)]
    format: Format,

    /// The file to write; for PRISM, its name without the ending
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    Drn,
    Prism,
}

/// Writes a model.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let (_, game) = args.question.load(common)?;
    let objective = args.question.objective().ok_or_else(|| {
        Failure::input("say what is maximised: --objective discounted:L, horizon:N or total")
    })?;
    let settings = args.question.settings(&game, objective)?;
    let model = Model::new(&game, &settings, &Interruptible).map_err(Failure::input)?;
    let ending = |ending: &str| args.output.with_extension(ending);
    let files = match args.format {
        Format::Drn => {
            write(&args.output, |out| model.write_drn(out))?;
            vec![args.output.clone()]
        }
        Format::Prism => {
            write(&ending("tra"), |out| model.write_prism_transitions(out))?;
            write(&ending("trew"), |out| model.write_prism_rewards(out))?;
            write(&ending("lab"), |out| model.write_prism_labels(out))?;
            vec![ending("tra"), ending("trew"), ending("lab")]
        }
    };
    let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let property = match objective {
        Objective::Horizon(pieces) => format!("R{{\"points\"}}max=? [ C<={} ]", pieces + 1),
        _ => "R{\"points\"}max=? [ F \"end\" ]".to_owned(),
    };
    if common.json {
        return output::json(&json!({ "files": files, "states": model.states(), "property": property }));
    }
    let mut out = io::stdout().lock();
    writeln!(out, "{} states written to {}", number(model.states() as f64), files.join(", "))?;
    writeln!(out, "check it with {property}")?;
    Ok(())
}

fn write(path: &Path, contents: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    write_whole(path, contents).map_err(|error| Failure::run(anyhow::anyhow!("{}: {error}", path.display())))
}
