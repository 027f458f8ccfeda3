//! The shipped weights.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::evaluation::{Feature, Weights};

impl Weights {
    /// For points. Set by hand and by comparisons of 16 games at 10,000 nodes a move (`examples/measure.rs`): from 85,800
    /// points (standard error 700) with the first guess to 92,700 (1,100).
    pub fn blitz() -> Weights {
        use Feature as F;
        Weights::from_pairs(
            &[
                (F::Cells, 0.0),
                (F::MaxHeight, -10.0),
                (F::High, -100.0),
                (F::Danger, -500.0),
                (F::Bumpiness, -50.0),
                (F::BumpinessSquared, -12.0),
                (F::RowTransitions, -12.0),
                (F::Holes, -200.0),
                (F::Covered, -25.0),
                (F::HoleRows, -100.0),
                (F::WellDepth, 100.0),
                (F::WellBeyond, 50.0),
                (F::TetrisReady, 100.0),
                (F::TetrisAtHand, 100.0),
                (F::Slot0, 150.0),
                (F::SlotGaps, -40.0),
                (F::Slot1, 400.0),
                (F::Slot2, 900.0),
                (F::Slot2Again, 200.0),
                (F::Slot3, 700.0),
                (F::SlotAtHand, 500.0),
                (F::ReserveT, 100.0),
                (F::ReserveI, 50.0),
                (F::BackToBack, 500.0),
                (F::Empty, 0.0),
                (F::PerfectReady, 600.0),
                (F::PerfectAtHand, 2200.0),
                (F::WastedT, -500.0),
                (F::WastedI, 0.0),
                (F::EasyRows, -150.0),
            ],
            1.0,
            10.0,
        )
    }

    /// For a clean, low stack. Set by hand.
    pub fn sprint() -> Weights {
        use Feature as F;
        Weights::from_pairs(
            &[
                (F::MaxHeight, -20.0),
                (F::High, -100.0),
                (F::Danger, -500.0),
                (F::Bumpiness, -40.0),
                (F::BumpinessSquared, -5.0),
                (F::RowTransitions, -20.0),
                (F::Holes, -300.0),
                (F::Covered, -40.0),
                (F::HoleRows, -150.0),
                (F::Cells, -10.0),
            ],
            0.0,
            10.0,
        )
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
        Ok(Weights { features, points: file.points, horizon: file.horizon })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    points: f32,
    horizon: f32,
    features: BTreeMap<String, f32>,
}
