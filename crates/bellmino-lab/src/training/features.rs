//! The choice of features.

use bellmino_engine::PlacementGame;
use bellmino_learn::{FEATURE_SETS, Feature, feature_set};

use super::error::TrainingError;
use super::ground::TrainingGround;

/// The features a comma-separated list of sets and single ones names on this ground, without repetition. `option` is what
/// an error calls the list.
///
/// ```
/// use bellmino_engine::Game;
/// use bellmino_lab::training::{TrainingGround, Method, choose_features};
///
/// let game = Game::built_in("classic", &[]).unwrap().unwrap();
/// let ground = TrainingGround::new(&game, Method::Cem, None)?;
/// assert_eq!(choose_features("lee, holes, max-height", &ground, "features")?.len(), 5);
/// # Ok::<(), bellmino_lab::training::TrainingError>(())
/// ```
pub fn choose_features(
    list: &str,
    ground: &TrainingGround,
    option: &'static str,
) -> Result<Vec<Feature>, TrainingError> {
    let (board, guideline) = (ground.board(), ground.rules().is_some());
    let mut features: Vec<Feature> = Vec::new();
    for name in list.split(',').map(str::trim) {
        for feature in named(name, board, option)? {
            if !(guideline && feature.is_of_guideline()) {
                feature.check(board).map_err(|error| TrainingError::option(option, error.to_string()))?;
            }
            if !features.contains(&feature) {
                features.push(feature);
            }
        }
    }
    Ok(features)
}

fn named(name: &str, board: &PlacementGame, option: &'static str) -> Result<Vec<Feature>, TrainingError> {
    if let Some(set) = feature_set(name, board) {
        return Ok(set);
    }
    let feature = name.parse::<Feature>().map_err(|error| {
        let sets: Vec<&str> = FEATURE_SETS.iter().map(|(name, _)| *name).collect();
        TrainingError::option(option, format!("{error}; sets: {}", sets.join(", ")))
    })?;
    Ok(vec![feature])
}
