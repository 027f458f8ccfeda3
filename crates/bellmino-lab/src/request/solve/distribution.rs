//! How likely each result is.

use bellmino_data::numbers::grouped;
use bellmino_exact::{
    Abstraction, Dealing, Distribution, Objective, Placing, ResultUnit, Sides, SolveError, SolveSettings,
    Table, distribution,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::SolveRun;
use super::watcher::Watcher;
use crate::request::{Event, RequestError};

/// How likely each result is.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DistributionAnswer {
    /// What is counted: `score`, `lines` or `pieces`.
    pub unit: String,
    /// The mean.
    pub mean: f64,
    /// The variance.
    pub variance: f64,
    /// The smallest result that is not passed with at least this probability.
    pub quantiles: Map<String, Value>,
    /// Each result that can be, with the probability of at least that.
    pub at_least: Vec<[f64; 2]>,
    /// How far each of these probabilities can be from the truth, and the most that lies beyond the last: proven.
    pub error_bound: f64,
}

/// The quantiles that are told, by their names.
const QUANTILES: [&str; 7] = ["0.01", "0.05", "0.25", "0.5", "0.75", "0.95", "0.99"];

impl DistributionAnswer {
    fn new(unit: &str, found: &Distribution) -> DistributionAnswer {
        let quantile = |name: &str| found.quantile(name.parse().unwrap_or(1.0));
        DistributionAnswer {
            unit: unit.to_owned(),
            mean: found.mean,
            variance: found.variance,
            quantiles: QUANTILES.iter().map(|name| ((*name).to_owned(), json!(quantile(name)))).collect(),
            at_least: found.at_least.iter().map(|(result, chance)| [*result, *chance]).collect(),
            error_bound: found.error_bound,
        }
    }

    /// In words.
    pub(super) fn lines(&self) -> Vec<String> {
        let DistributionAnswer { unit, mean, variance, error_bound, .. } = self;
        let quantiles = self.quantiles.iter().map(|(share, result)| {
            let result = result.as_f64().unwrap_or(f64::INFINITY);
            format!("{share}: {}", grouped(result, if result.fract() == 0.0 { 0 } else { 3 }))
        });
        vec![
            format!(
                "  {unit}: mean {mean:.10}, standard deviation {:.10}; probabilities within {error_bound:.1e}",
                variance.sqrt()
            ),
            format!("    quantiles {}", quantiles.collect::<Vec<_>>().join(", ")),
        ]
    }
}

impl SolveRun<'_> {
    /// Refuses, before the work, what has no distribution.
    pub(super) fn check_distribution(&self, settings: &SolveSettings) -> Result<(), RequestError> {
        if !self.request.distribution {
            return Ok(());
        }
        self.unit()?;
        if !matches!(settings.objective, Objective::Total | Objective::Horizon(_)) {
            let why = "is that of the objective total or horizon:N; give one of them";
            return Err(RequestError::field("distribution", why));
        }
        if settings.view != Abstraction::Grid {
            return Err(RequestError::field("distribution", "is that of the game, and goes with no view"));
        }
        Ok(())
    }

    fn unit_name(&self) -> &str {
        self.request.unit.as_deref().unwrap_or("score")
    }

    fn unit(&self) -> Result<ResultUnit, RequestError> {
        match self.unit_name() {
            "score" => Ok(ResultUnit::Score),
            "lines" => Ok(ResultUnit::Lines),
            "pieces" => Ok(ResultUnit::Pieces),
            other => {
                Err(RequestError::field("unit", format!("`{other}` is no unit; give score, lines or pieces")))
            }
        }
    }

    /// The distribution, if it is asked for. Where nobody is given the table plays, and deals if its dealer means ill.
    pub(super) fn distribution(
        &self,
        settings: &SolveSettings,
        given: Sides<'_>,
        table: &Table,
    ) -> Result<Option<DistributionAnswer>, RequestError> {
        if !self.request.distribution {
            return Ok(None);
        }
        let unit = self.unit()?;
        let is_given = given.player.is_some() || settings.placing == Placing::Average;
        let deals = !is_given && settings.dealing != Dealing::Random;
        let sides = Sides {
            player: if is_given { given.player } else { Some(table) },
            dealer: if deals { Some(table) } else { given.dealer },
        };
        let plain = SolveSettings { dealing: Dealing::Random, preview: settings.queue(), ..settings.clone() };
        let settings = if deals { &plain } else { settings };
        let watch = Watcher::new(self.context, None, 0.0);
        let found = distribution(self.game, settings, sides, unit, &watch);
        self.context.tell(Event::End);
        let found = found.map_err(|error| match error {
            SolveError::Interrupted => RequestError::run("interrupted"),
            error => RequestError::field("distribution", error),
        })?;
        Ok(Some(DistributionAnswer::new(self.unit_name(), &found)))
    }
}
