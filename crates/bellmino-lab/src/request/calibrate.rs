//! Forecasts of the bot, fitted or checked.

use bellmino_engine::Game;
use bellmino_engine::guideline::Rules;
use bellmino_search::{Budget, Calibration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Chance, Context, Event, Request, RequestError, Thinking};
use crate::calibration::{CalibrationError, Reliability, Sample, SamplePlan, Source, diagram, fit};
use crate::checksum::sealed_lines;
use crate::resources::{ResourceKind, read_text};

/// Fit the bot's forecasts to what came of playing on, or check them
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CalibrateRequest {
    /// What the games that the forecasts are for are about
    #[schemars(extend("x-positional" = true, "x-by-place" = true))]
    pub goal: CalibrateGoal,

    /// Positions from games of each player
    #[serde(default = "positions")]
    #[schemars(range(min = 20, max = 1_000_000), extend("x-value" = "N"))]
    pub positions: u64,

    /// Play on from each position so many times, with other pieces every time: what came of it is their mean
    #[serde(default = "once")]
    #[schemars(range(min = 1, max = 1000), extend("x-value" = "N"))]
    pub times: u64,

    /// Keep the positions and what came of them in this folder, and take from it what is there already
    #[serde(default = "folder")]
    #[schemars(extend("x-value" = "DIR"))]
    pub run: String,

    /// Check forecasts instead of fitting them; take another seed than they were fitted with
    #[serde(default)]
    pub check: bool,

    /// The forecasts to check, or to take the numbers of the other game from [default: the shipped ones]
    #[serde(default)]
    #[schemars(extend("x-value" = "FILE"))]
    pub start: Option<String>,

    /// Where the fitted forecasts go; a command prints them when absent
    #[serde(default)]
    #[schemars(extend("x-value" = "FILE", "x-short" = "o", "x-excludes" = ["check"]))]
    pub output: Option<String>,

    /// Draw expected and real results into this SVG file
    #[serde(default)]
    #[schemars(extend("x-value" = "FILE.svg", "x-needs" = ["check"]))]
    pub plot: Option<String>,

    /// How long the bot thinks when it is checked.
    #[serde(flatten)]
    pub thinking: Thinking,

    /// The seed.
    #[serde(flatten)]
    pub chance: Chance,
}

fn positions() -> u64 {
    1000
}

fn once() -> u64 {
    1
}

fn folder() -> String {
    "runs/calibration".to_owned()
}

/// What the games are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CalibrateGoal {
    /// Forty rows with few pieces.
    Sprint,
    /// Points.
    Blitz,
}

/// The fitted forecasts, or how the present ones hold.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum CalibrateAnswer {
    /// They were fitted.
    Fitted {
        /// The game.
        game: CalibrateGoal,
        /// The seed.
        seed: u64,
        /// Positions they were fitted to.
        positions: usize,
        /// Wall-clock time.
        seconds: f64,
        /// Their file.
        forecast: String,
    },
    /// They were checked.
    Checked {
        /// The game.
        game: CalibrateGoal,
        /// The seed.
        seed: u64,
        /// On the positions of each player.
        players: Vec<Reliability>,
    },
}

impl Request for CalibrateRequest {
    const NAME: &'static str = "calibrate";
    type Answer = CalibrateAnswer;

    fn answer(&self, context: &Context<'_>) -> Result<CalibrateAnswer, RequestError> {
        let rules = self.goal.rules()?;
        let calibration = self.calibration(context)?;
        let begin = context.clock.now();
        let (game, seed) = (self.goal, self.chance.seed);
        let samples = self.samples(&rules, context)?;
        if self.check {
            let budget = self.thinking.budget()?.unwrap_or(Budget::REVIEW).on(context.threads);
            let check = |(source, samples): &(&Source, Vec<Sample>)| {
                Reliability::of(source.name, &rules, samples, &calibration, budget)
            };
            let players: Vec<Reliability> = samples.iter().map(check).collect();
            if let Some(file) = &self.plot {
                let title = format!("Forecasts of {} and what came of them, seed {seed}", game.name());
                let figure = diagram(&title, &players).svg().map_err(RequestError::run)?;
                context.outputs.write(file, figure.as_bytes())?;
            }
            return Ok(CalibrateAnswer::Checked { game, seed, players });
        }
        let all: Vec<Sample> = samples.into_iter().flat_map(|(_, samples)| samples).collect();
        let forecast = fit(&calibration, &rules, &all)?.write();
        let seconds = context.clock.since(begin).as_secs_f64();
        context.tell(Event::Notice(format!("fitted to {} positions; {seconds:.1} s", all.len())));
        if let Some(file) = &self.output {
            context.outputs.write(file, sealed_lines(&forecast).as_bytes())?;
        }
        Ok(CalibrateAnswer::Fitted { game, seed, positions: all.len(), seconds, forecast })
    }
}

impl CalibrateRequest {
    /// The forecasts at the beginning.
    fn calibration(&self, context: &Context<'_>) -> Result<Calibration, RequestError> {
        let Some(name) = &self.start else { return Ok(Calibration::shipped().clone()) };
        let refuse = |why: &dyn std::fmt::Display| RequestError::input(format!("{name}: {why}"));
        let text = read_text(context.resources, ResourceKind::Text, name).map_err(|why| refuse(&why))?;
        Calibration::read(&text).map_err(|why| refuse(&why))
    }

    /// Positions of all players with what came of them, so far as they are not kept from before.
    fn samples(
        &self,
        rules: &Rules,
        context: &Context<'_>,
    ) -> Result<Vec<(&'static Source, Vec<Sample>)>, RequestError> {
        let plan = SamplePlan {
            rules: *rules,
            seed: self.chance.seed,
            positions: self.positions as usize,
            times: self.times as usize,
        };
        // Those with whom forecasts are checked are the first of those they are fitted to.
        let all = Source::all(rules);
        let sources = if self.check { &all[..Source::CHECKED] } else { all };
        context.tell(Event::Begin { what: "games", parts: plan.work(sources) });
        let go_on = |games| context.done(games);
        let samples = sources.iter().map(|source| {
            let samples = plan.kept_samples(&self.run, source, context.resources, context.outputs, &go_on)?;
            Ok((source, samples))
        });
        let samples = samples.collect();
        context.tell(Event::End);
        samples
    }
}

impl CalibrateGoal {
    /// The name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            CalibrateGoal::Sprint => "sprint",
            CalibrateGoal::Blitz => "blitz",
        }
    }

    fn rules(self) -> Result<Rules, RequestError> {
        let game = Game::built_in(self.name(), &[]).and_then(Result::ok);
        let rules = game.as_ref().and_then(Game::guideline).map(|game| *game.rules());
        rules.ok_or_else(|| RequestError::input(Game::unknown(self.name())))
    }
}

impl From<CalibrationError> for RequestError {
    fn from(error: CalibrationError) -> RequestError {
        match error {
            CalibrationError::Player(_) | CalibrationError::TooFew(_) => RequestError::input(error),
            CalibrationError::Kept { .. } | CalibrationError::Interrupted => RequestError::run(error),
        }
    }
}
