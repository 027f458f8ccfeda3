//! The shipped weights, and weights as text.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::evaluation::{Feature, Weights};

impl Weights {
    /// For points.
    pub fn blitz() -> Weights {
        Weights::shipped(include_str!("../../../weights/bot-blitz.toml"))
    }

    /// For a clean, low stack.
    pub fn sprint() -> Weights {
        Weights::shipped(include_str!("../../../weights/bot-sprint.toml"))
    }

    fn shipped(text: &str) -> Weights {
        Weights::read(text).expect("a shipped file is whole, as the tests say")
    }
}

impl Weights {
    /// The weights as TOML.
    pub fn write(&self) -> String {
        let mut text = format!("points = {}\nhorizon = {}\n\n[features]\n", self.points, self.horizon);
        for feature in Feature::ALL {
            text += &format!("{} = {}\n", feature.name(), self.features[*feature as usize]);
        }
        text
    }

    /// Reads weights from TOML.
    pub fn read(text: &str) -> Result<Weights, String> {
        let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
        let mut features = [0.0; Feature::COUNT];
        for (name, weight) in &file.features {
            let Some(feature) = Feature::ALL.iter().find(|feature| feature.name() == name) else {
                return Err(format!("there is no feature `{name}`"));
            };
            if !weight.is_finite() {
                return Err(format!("`{name}` is not finite"));
            }
            features[*feature as usize] = *weight;
        }
        if !(file.points.is_finite() && file.horizon.is_finite()) {
            return Err("`points` and `horizon` must be finite".to_owned());
        }
        Ok(Weights { features, points: file.points, horizon: file.horizon })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    points: f32,
    horizon: f32,
    features: BTreeMap<String, f32>,
    /// How the weights came about; for readers.
    #[serde(default, rename = "made")]
    _made: toml::Table,
}
