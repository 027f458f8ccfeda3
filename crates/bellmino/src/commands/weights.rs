//! `bellmino weights`: the built-in controllers.

use std::io::{self, Write};

use bellmino_engine::suggestion;
use bellmino_learn::{BUILT_IN_CONTROLLERS, Controller};
use serde_json::{Value, json};

use crate::cli::Common;
use crate::failure::Failure;
use crate::output;

/// Arguments of `weights`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Built-in weights to print as the file that they are; all are listed when absent
    name: Option<String>,
}

/// Lists the weights or prints some.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let names = || BUILT_IN_CONTROLLERS.iter().map(|(name, _)| *name);
    let mut out = io::stdout().lock();
    if let Some(name) = &args.name {
        let name = name.strip_prefix("weights:").unwrap_or(name);
        let (_, text) = BUILT_IN_CONTROLLERS.iter().find(|(known, _)| *known == name).ok_or_else(|| {
            Failure::input(format!("there are no built-in weights `{name}`; {}", suggestion(name, names())))
        })?;
        if common.json {
            return output::json(&serde_json::from_str::<Value>(text).map_err(Failure::run)?);
        }
        return Ok(write!(out, "{text}")?);
    }
    let controllers: Vec<Controller> = names().filter_map(Controller::built_in).collect();
    let note = |controller: &Controller, key: &str| {
        controller.note(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    if common.json {
        let one = |controller: &Controller| {
            let features: Vec<String> = controller.features().iter().map(ToString::to_string).collect();
            json!({
                "name": controller.name(),
                "player": format!("weights:{}", controller.name()),
                "title": note(controller, "title"),
                "game": note(controller, "game"),
                "features": features,
            })
        };
        return output::json(&json!({ "weights": controllers.iter().map(one).collect::<Vec<_>>() }));
    }
    for controller in &controllers {
        let player = format!("weights:{}", controller.name());
        let (title, game) = (note(controller, "title"), note(controller, "game"));
        let features = controller.features().len();
        writeln!(out, "{player:21} {game:8} {features:2} features  {title}")?;
    }
    if !common.quiet {
        eprintln!(
            "Play with them by `--player weights:NAME` or `weights:FILE`; `train` makes your own, `bellmino features` lists what \
             they weigh. The look-ahead bot has weights of its own: `--player bot`, `bot:FILE`, made by `tune`."
        );
    }
    Ok(())
}
