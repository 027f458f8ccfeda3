//! Controllers: features with weights.

use std::cmp::Reverse;

use bellmino_engine::placement::{Grid, Landed, Placement};
use bellmino_engine::{PlacementGame, suggestion};
use serde_json::{Map, Value, json};
use thiserror::Error;

use crate::caution::{Caution, CautiousProspect};
use crate::feature::{Afterstate, Feature, FeatureError};

/// A linear controller: it takes the placement whose afterstate has the largest weighted sum of features. A placement
/// that ends the game is worth less than any other; ties go to the first in order.
///
/// Weights are scaled to integers for play, so every way to compute the sum gives the same placement.
#[derive(Clone, Debug, PartialEq)]
pub struct Controller {
    name: String,
    features: Vec<Feature>,
    weights: Vec<f64>,
    caution: Option<Caution>,
    description: Map<String, Value>,
}

/// Why features and weights do not make a controller.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ControllerError {
    /// The text is not JSON.
    #[error("not valid JSON: {0}")]
    NotJson(String),
    /// A key is missing or holds the wrong kind of value.
    #[error("`{key}` must be {wanted}")]
    Wrong {
        /// The key.
        key: String,
        /// What it must be.
        wanted: &'static str,
    },
    /// A key that means nothing here.
    #[error("unknown key `{0}`; {1}")]
    UnknownKey(String, String),
    /// A feature that does not exist or does not fit the game.
    #[error("weights: {0}")]
    Feature(#[from] FeatureError),
    /// A feature stands twice.
    #[error("weights: `{0}` stands twice")]
    Twice(Feature),
    /// Another number of weights than of features.
    #[error("{weights} weights for {features} features")]
    Count {
        /// Features given.
        features: usize,
        /// Weights given.
        weights: usize,
    },
    /// A weight that is not a finite number.
    #[error("the weight of `{feature}` is {weight}; weights are finite numbers")]
    NotFinite {
        /// The feature.
        feature: Feature,
        /// Its weight.
        weight: f64,
    },
    /// Nothing to choose by.
    #[error("all weights are zero; at least one must not be")]
    AllZero,
}

/// The built-in controllers: name and file.
pub const BUILT_IN_CONTROLLERS: [(&str, &str); 12] = [
    ("dellacherie", include_str!("../../../weights/dellacherie.json")),
    ("bcts", include_str!("../../../weights/bcts.json")),
    ("dt10", include_str!("../../../weights/dt10.json")),
    ("dt20", include_str!("../../../weights/dt20.json")),
    ("equal8", include_str!("../../../weights/equal8.json")),
    ("lee4", include_str!("../../../weights/lee4.json")),
    ("bellmino14", include_str!("../../../weights/bellmino14.json")),
    ("cautious14", include_str!("../../../weights/cautious14.json")),
    ("sprint4", include_str!("../../../weights/sprint4.json")),
    ("snes-sprint", include_str!("../../../weights/snes-sprint.json")),
    ("snes-blitz", include_str!("../../../weights/snes-blitz.json")),
    ("snes-keys", include_str!("../../../weights/snes-keys.json")),
];

/// The keys of a weight file.
const KEYS: [&str; 8] = ["name", "title", "game", "path", "caution", "weights", "made", "measured"];

/// The largest weight as an integer: small enough for sums of 32 bits on boards ten wide.
const SCALE: f64 = (1 << 19) as f64;
/// Features with finer units than this get larger integers; the fast path does not know them.
const FINE: f64 = 0.05;

impl Controller {
    /// A controller from features and their weights.
    pub fn new(name: &str, features: &[Feature], weights: &[f64]) -> Result<Controller, ControllerError> {
        if features.len() != weights.len() {
            return Err(ControllerError::Count { features: features.len(), weights: weights.len() });
        }
        for (index, (&feature, &weight)) in features.iter().zip(weights).enumerate() {
            if features[..index].contains(&feature) {
                return Err(ControllerError::Twice(feature));
            }
            if !weight.is_finite() {
                return Err(ControllerError::NotFinite { feature, weight });
            }
        }
        if weights.iter().all(|&weight| weight == 0.0) {
            return Err(ControllerError::AllZero);
        }
        let description = Map::from_iter([("name".to_owned(), json!(name))]);
        let (features, weights) = (features.to_vec(), weights.to_vec());
        Ok(Controller { name: name.to_owned(), features, weights, caution: None, description })
    }

    /// The built-in controller of this name.
    ///
    /// ```
    /// use bellmino_learn::{Controller, Feature};
    ///
    /// let controller = Controller::built_in("dellacherie").unwrap();
    /// assert_eq!(controller.features()[4], Feature::Holes);
    /// assert_eq!(controller.weights()[4], -4.0);
    /// ```
    pub fn built_in(name: &str) -> Option<Controller> {
        let (_, text) = BUILT_IN_CONTROLLERS.iter().find(|(known, _)| *known == name)?;
        Some(Controller::read(text).expect("built-in weight files are sound"))
    }

    /// Reads a weight file: a JSON object with `name`, `weights` (an object from feature to number) and, if wanted,
    /// `title`, `game`, `path` (`drop` if only straight drops are looked at), `caution`, `made` and `measured`.
    pub fn read(text: &str) -> Result<Controller, ControllerError> {
        let wrong = |key: &str, wanted| ControllerError::Wrong { key: key.to_owned(), wanted };
        let value: Value =
            serde_json::from_str(text).map_err(|error| ControllerError::NotJson(error.to_string()))?;
        let Value::Object(description) = value else {
            return Err(wrong("the file", "a JSON object with `name` and `weights`"));
        };
        if let Some(key) = description.keys().find(|key| !KEYS.contains(&key.as_str())) {
            return Err(ControllerError::UnknownKey(key.clone(), suggestion(key, KEYS)));
        }
        let name = description.get("name").and_then(Value::as_str).filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| wrong("name", "a text"))?.to_owned();
        for key in ["title", "game"] {
            if description.get(key).is_some_and(|value| !value.is_string()) {
                return Err(wrong(key, "a text"));
            }
        }
        if description.get("path").is_some_and(|path| path != "drop") {
            return Err(wrong("path", "`drop`, or absent for every placement there is"));
        }
        let caution = description
            .get("caution")
            .map(|value| Caution::read(value).ok_or_else(|| wrong("caution", Caution::WANTED)))
            .transpose()?;
        let weights = description.get("weights").and_then(Value::as_object);
        let weights = weights.ok_or_else(|| wrong("weights", "an object from feature to number"))?;
        let mut features = Vec::with_capacity(weights.len());
        let mut numbers = Vec::with_capacity(weights.len());
        for (feature, weight) in weights {
            features.push(feature.parse::<Feature>()?);
            let number = weight.as_f64();
            numbers.push(number.ok_or_else(|| wrong(&format!("weights.{feature}"), "a finite number"))?);
        }
        Ok(Controller { description, caution, ..Controller::new(&name, &features, &numbers)? })
    }

    /// The weight file of this controller.
    pub fn to_json(&self) -> String {
        let mut file = self.description.clone();
        let weights: Map<String, Value> = self
            .features
            .iter()
            .zip(&self.weights)
            .map(|(feature, weight)| (feature.to_string(), json!(weight)))
            .collect();
        file.insert("name".into(), json!(self.name));
        file.insert("weights".into(), Value::Object(weights));
        serde_json::to_string_pretty(&file).unwrap_or_default() + "\n"
    }

    /// The same controller with a note: `title`, `game`, `path`, `made` or `measured`.
    pub fn with_note(mut self, key: &str, value: Value) -> Controller {
        debug_assert!(KEYS.contains(&key) && !["name", "weights", "caution"].contains(&key));
        self.description.insert(key.to_owned(), value);
        self
    }

    /// The same controller with caution, or without.
    pub fn with_caution(mut self, caution: Option<Caution>) -> Controller {
        self.caution = caution;
        match caution {
            Some(caution) => self.description.insert("caution".into(), caution.to_json()),
            None => self.description.remove("caution"),
        };
        self
    }

    /// From when on it looks at every piece that may come next, if it does.
    pub fn caution(&self) -> Option<Caution> {
        self.caution
    }

    /// A note of the weight file: `title`, `game`, `path`, `made` or `measured`.
    pub fn note(&self, key: &str) -> Option<&Value> {
        self.description.get(key)
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The features, in order.
    pub fn features(&self) -> &[Feature] {
        &self.features
    }

    /// The weight of each feature.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Whether every feature fits the boards of a game.
    pub fn check(&self, game: &PlacementGame) -> Result<(), FeatureError> {
        self.features.iter().try_for_each(|feature| feature.check(game))
    }

    /// The weights per unit of each feature, as integers.
    pub fn scaled_weights(&self, game: &PlacementGame) -> Vec<i64> {
        let unit = |feature: &Feature| feature.unit(game);
        let finest = self.features.iter().map(unit).fold(f64::INFINITY, f64::min);
        let largest = self.weights.iter().map(|weight| weight.abs()).fold(0.0, f64::max);
        let scale = if finest < FINE { SCALE / finest } else { SCALE };
        let scaled = |(feature, weight): (&Feature, &f64)| (weight / largest * unit(feature) * scale).round();
        self.features.iter().zip(&self.weights).map(scaled).map(|weight| weight as i64).collect()
    }

    /// The placement the controller takes, or `None` if no placement is legal. Fatal placements come last.
    ///
    /// With [caution](Caution) and a high board, the best placements by themselves are compared by what may follow: the fewest next
    /// pieces without a place, then the largest mean over the others of what both placements are worth together. Ties go to the one
    /// that is better by itself.
    ///
    /// The features must fit the game: see [`check`](Controller::check).
    pub fn choose<G: Grid>(&self, game: &PlacementGame, board: &G, piece: usize) -> Option<Placement> {
        let weights = self.scaled_weights(game);
        let before = board.to_board(game);
        let mut all: Vec<(Option<i64>, Placement)> = Vec::new();
        board.placements(game, piece, |placement| {
            let Landed { board: after, cleared, fatal } = board.place_unchecked(game, placement);
            let value = (!fatal).then(|| {
                let after = after.to_board(game);
                let state = Afterstate { game, before: &before, after: &after, placement, cleared };
                self.worth(&weights, &state, |_| true)
            });
            all.push((value, placement));
        });
        all.sort_by_key(|(value, _)| Reverse(*value));
        let height = (0..game.width()).map(|x| before.column_height(x)).max().unwrap_or(0);
        let Some(caution) = self.caution.filter(|caution| height >= caution.height()) else {
            return all.first().map(|(_, placement)| *placement);
        };
        let frequencies = Caution::frequencies(game);
        let mut best = all.first().map(|(_, placement)| (CautiousProspect::NONE, *placement));
        let alive = all.iter().filter(|(value, _)| value.is_some()).take(caution.candidates());
        for &(_, placement) in alive {
            let mut prospect = CautiousProspect::default();
            for (next, &frequency) in frequencies.iter().enumerate() {
                prospect.add(frequency, self.worth_of_two(game, &weights, board, placement, next));
            }
            if best.is_none_or(|(known, _)| prospect > known) {
                best = Some((prospect, placement));
            }
        }
        best.map(|(_, placement)| placement)
    }

    /// The placement the controller takes if it knows these pieces, the current one first: it looks at two at most.
    pub fn choose_in_sight<G: Grid>(
        &self,
        game: &PlacementGame,
        board: &G,
        pieces: &[u8],
    ) -> Option<Placement> {
        match *pieces {
            [] => None,
            [piece] => self.choose(game, board, piece as usize),
            [piece, next, ..] => self.choose_of_two(game, board, piece as usize, next as usize),
        }
    }

    /// The placement of `piece` that is followed by the best one of `next`. What two placements are worth together is the sum
    /// of what looks at each of them and what looks at the board after the second. A placement that leaves no place for the
    /// next piece is worth less than any that does, and more than one that ends the game.
    fn choose_of_two<G: Grid>(
        &self,
        game: &PlacementGame,
        board: &G,
        piece: usize,
        next: usize,
    ) -> Option<Placement> {
        let weights = self.scaled_weights(game);
        let mut best: Option<(Option<Option<i64>>, Placement)> = None;
        board.placements(game, piece, |placement| {
            let fatal = board.place_unchecked(game, placement).fatal;
            let worth = (!fatal).then(|| self.worth_of_two(game, &weights, board, placement, next));
            if best.is_none_or(|(known, _)| worth > known) {
                best = Some((worth, placement));
            }
        });
        best.map(|(_, placement)| placement)
    }

    /// What a placement that does not end the game is worth together with the best one of `next`, or `None` if that has no place.
    fn worth_of_two<G: Grid>(
        &self,
        game: &PlacementGame,
        weights: &[i64],
        board: &G,
        placement: Placement,
        next: usize,
    ) -> Option<i64> {
        let Landed { board: grid, cleared, .. } = board.place_unchecked(game, placement);
        let (start, before) = (board.to_board(game), grid.to_board(game));
        let state = Afterstate { game, before: &start, after: &before, placement, cleared };
        let first = self.worth(weights, &state, Feature::is_of_placement);
        let mut second: Option<i64> = None;
        grid.placements(game, next, |placement| {
            let Landed { board: after, cleared, fatal } = grid.place_unchecked(game, placement);
            if !fatal {
                let after = after.to_board(game);
                let state = Afterstate { game, before: &before, after: &after, placement, cleared };
                second = second.max(Some(first + self.worth(weights, &state, |_| true)));
            }
        });
        second
    }

    /// The weighted sum of those features that are wanted.
    fn worth(&self, weights: &[i64], state: &Afterstate<'_>, wanted: impl Fn(Feature) -> bool) -> i64 {
        let known = self.features.iter().zip(weights).filter(|(feature, _)| wanted(**feature));
        known.map(|(feature, weight)| feature.count(state) * weight).sum()
    }
}
