//! The shipped weights, and weights as text.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::evaluation::{Feature, Weights};
use crate::network::{Network, UNITS};

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
        if let Some(Network { features, soon: [t, i], start, worth }) = self.network.as_deref() {
            text += "\n# What the features are worth together: a row of numbers for the units, see docs/BOT.md\n[network]\n";
            let rows = Feature::ALL.iter().map(|feature| feature.name()).zip(features);
            for (name, row) in rows.chain([(SOON_T, t), (SOON_I, i), (START, start), (WORTH, worth)]) {
                text += &format!("{name} = {row:?}\n");
            }
        }
        text
    }

    /// Reads weights from TOML.
    pub fn read(text: &str) -> Result<Weights, String> {
        let file: WeightsToml = toml::from_str(text).map_err(|error| error.to_string())?;
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
        let network = file.network.as_ref().map(read_network).transpose()?;
        Ok(Weights { features, points: file.points, horizon: file.horizon, network })
    }
}

/// Rows of a network beside those of the features.
const SOON_T: &str = "soon_t";
const SOON_I: &str = "soon_i";
const START: &str = "start";
const WORTH: &str = "worth";

/// A network from its rows by name; rows that are missing are all 0.
fn read_network(rows: &BTreeMap<String, Vec<f32>>) -> Result<Box<Network>, String> {
    let described = Feature::ALL[..Feature::WastedT as usize].iter().map(|feature| feature.name());
    let names: Vec<&str> = described.chain([SOON_T, SOON_I, START, WORTH]).collect();
    if let Some(name) = rows.keys().find(|name| !names.contains(&name.as_str())) {
        return Err(format!("there is no row `{name}` in a network"));
    }
    let mut numbers = Vec::with_capacity(Network::NUMBERS);
    for name in names {
        match rows.get(name) {
            None => numbers.extend([0.0; UNITS]),
            Some(row) if row.len() == UNITS && row.iter().all(|number| number.is_finite()) => {
                numbers.extend(row);
            }
            Some(row) if row.len() == UNITS => return Err(format!("`{name}` is not finite")),
            Some(row) => return Err(format!("`{name}` has {} numbers, not {UNITS}", row.len())),
        }
    }
    Network::from_numbers(&numbers).map(Box::new).ok_or_else(|| "a network of another size".to_owned())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WeightsToml {
    points: f32,
    horizon: f32,
    features: BTreeMap<String, f32>,
    network: Option<BTreeMap<String, Vec<f32>>>,
    /// How the weights came about; for readers.
    #[serde(default, rename = "made")]
    _made: toml::Table,
}
