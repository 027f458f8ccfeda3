//! Weights to start from.

use bellmino_engine::guideline::Rules;
use bellmino_learn::{Controller, Feature};
use bellmino_search::{BotSettings, Weights};

use super::error::TrainingError;
use crate::player::weights;
use crate::resources::{ResourceKind, Resources, read_text};

/// A controller to start from.
#[derive(Clone, Debug, PartialEq)]
pub struct StartWeights(pub Controller);

impl StartWeights {
    /// A built-in controller or one from outside.
    pub fn load(name: &str, resources: &dyn Resources) -> Result<StartWeights, TrainingError> {
        let controller = weights(name, resources);
        controller.map(StartWeights).map_err(|error| TrainingError::option("start", error.to_string()))
    }

    /// The weight of each of these features; 0 for those the controller does not have.
    pub fn weights(&self, features: &[Feature]) -> Vec<f64> {
        let known = self.0.features();
        let weight = |feature: &Feature| known.iter().position(|known| known == feature);
        features.iter().map(|feature| weight(feature).map_or(0.0, |index| self.0.weights()[index])).collect()
    }
}

/// Weights of the look-ahead bot to start from.
#[derive(Clone, Debug, PartialEq)]
pub struct BotStart {
    /// The file they come from; `None` for those shipped.
    pub file: Option<String>,
    /// The weights.
    pub weights: Weights,
}

impl BotStart {
    /// The weights shipped for these rules.
    pub fn shipped(rules: &Rules) -> BotStart {
        BotStart { file: None, weights: BotSettings::for_rules(rules).weights }
    }

    /// Weights from outside.
    pub fn load(name: &str, resources: &dyn Resources) -> Result<BotStart, TrainingError> {
        let text = read_text(resources, ResourceKind::Bot, name).map_err(|error| error.to_string());
        let weights = text.and_then(|text| Weights::read(&text));
        let refuse = |why: String| TrainingError::option("start", format!("{name}: {why}"));
        Ok(BotStart { weights: weights.map_err(refuse)?, file: Some(name.to_owned()) })
    }
}
