//! Methods of training with what each takes: every knob is declared here, once.

use bellmino_learn::{CbmpiPlan, TdPlan, TdReward, TuplePlan, Window};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::request::{RequestError, named};
use crate::resources::Resources;
use crate::training::{
    Approach, CemOptions, SearchMethod, SearchOptions, StartWeights, TrainingError, VALUE_FEATURES,
};

/// How weights are found, and what that takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "method", rename_all = "kebab-case")]
pub enum TrainMethod {
    /// Noisy cross-entropy: draw weights, keep the best, fit the next distribution to them
    Cem(CemFields),
    /// Covariance matrix adaptation
    CmaEs(SearchFields),
    /// Separable natural evolution strategy
    Snes(SearchFields),
    /// Temporal differences: n-step semi-gradient learning of a value
    Td(TdFields),
    /// Classification-based modified policy iteration: rollouts, a classifier by CMA-ES, a value by regression
    Cbmpi(CbmpiFields),
    /// A value over windows of the board, by temporal differences from nothing: the player tuples:FILE
    Tuples(TuplesFields),
}

/// What the black-box methods take.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchFields {
    /// Weights to start from: a built-in controller or a file; features it does not have start at 0
    #[serde(default)]
    #[schemars(extend("x-value" = "NAME-OR-FILE"))]
    pub start: Option<String>,

    /// All else.
    #[serde(flatten)]
    pub options: SearchOptions,
}

/// What cross-entropy takes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CemFields {
    /// What all black-box methods take.
    #[serde(flatten)]
    pub search: SearchFields,

    /// What no other does.
    #[serde(flatten)]
    pub cem: CemOptions,
}

/// What temporal differences take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TdFields {
    /// Games to learn from
    #[schemars(extend("x-value" = "N"))]
    pub episodes: u64,

    /// Rewards looked ahead
    #[schemars(range(min = 1, max = 10_000), extend("x-value" = "N"))]
    pub steps: usize,

    /// What the next reward is worth compared with this one
    #[schemars(range(min = 0.0, max = 1.0), extend("x-value" = "L"))]
    pub discount: f64,

    /// Learning rate of the first episode
    #[schemars(extend("exclusiveMinimum" = 0, "x-value" = "A"))]
    pub rate: f64,

    /// The learning rate in episode k is A exp(-k / C)
    #[schemars(extend("exclusiveMinimum" = 0, "x-value" = "C"))]
    pub rate_episodes: f64,

    /// Take the learning rate as it is, not relative to the squared length of the features
    pub absolute: bool,

    /// A random placement is taken with probability E / (1 + C ln k); this is E
    #[schemars(extend("x-value" = "E"))]
    pub curiosity: f64,

    /// A random placement is taken with probability E / (1 + C ln k); this is C: the larger, the sooner it explores less
    #[schemars(extend("x-value" = "C"))]
    pub exploration_decay: f64,

    /// Reward for a fall of the mean height by 1
    #[schemars(extend("x-value" = "R"))]
    pub reward_height: f64,

    /// Reward for one hole less
    #[schemars(extend("x-value" = "R"))]
    pub reward_holes: f64,

    /// Reward for a point
    #[schemars(extend("x-value" = "R"))]
    pub reward_score: f64,

    /// Price of losing the game
    #[schemars(extend("x-value" = "R"))]
    pub reward_loss: f64,

    /// Features as they are, not divided by the most they can be
    pub unscaled: bool,

    /// Keep the length of the weight vector at 1
    pub normalised: bool,

    /// Learn this many times, with seeds S, S + 1, ..., and give the mean learning curve with intervals
    #[schemars(range(min = 1, max = 10_000), extend("x-value" = "N"))]
    pub runs: u64,

    /// With several runs: games that measure each controller learned
    #[schemars(range(min = 1, max = 16_777_215), extend("x-value" = "N"))]
    pub games: u64,

    /// Stop an episode after this many pieces
    #[schemars(range(min = 1), extend("x-value" = "PIECES"))]
    pub cap: u64,
}

/// What policy iteration takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CbmpiFields {
    /// Weights of the first policy: a built-in controller or a file [default: random ones]
    #[schemars(extend("x-value" = "NAME-OR-FILE"))]
    pub start: Option<String>,

    /// How often the policy is improved
    #[schemars(extend("x-value" = "N"))]
    pub iterations: u64,

    /// Sampled states per iteration
    #[schemars(range(min = 1, max = 16_777_215), extend("x-value" = "N"))]
    pub states: u64,

    /// States are those of games of this many pieces; all heights of a game are equally likely
    #[schemars(range(min = 1, max = 4_294_967_295u32), extend("x-value" = "PIECES"))]
    pub horizon: u64,

    /// Rollouts for each placement in a state
    #[schemars(range(min = 1, max = 200), extend("x-value" = "N"))]
    pub rollouts: u64,

    /// Pieces in a rollout
    #[schemars(range(min = 1), extend("x-value" = "PIECES"))]
    pub length: u64,

    /// What the value of the board at the end of a rollout is multiplied by for each piece of the rollout
    #[schemars(range(min = 0.0, max = 1.0), extend("x-value" = "L"))]
    pub discount: f64,

    /// Features of the value of a board
    #[schemars(extend("x-value" = "LIST"))]
    pub value_features: String,

    /// Candidates in a generation of the search for the policy
    #[schemars(range(min = 4, max = 100_000), extend("x-value" = "N"))]
    pub population: usize,

    /// Generations of the search for the policy
    #[schemars(extend("x-value" = "N"))]
    pub generations: u64,

    /// Games that measure each of the five policies of an iteration
    #[schemars(range(min = 1, max = 16_777_215), extend("x-value" = "N"))]
    pub games: u64,
}

/// What tuples take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TuplesFields {
    /// The windows, columns x rows, such as 3x5,5x3; each has a table at every place of the board [default: 3x5,5x3 on
    /// boards of at most 6x6, else 4x4]
    #[schemars(extend("x-value" = "LIST"))]
    pub windows: Vec<String>,

    /// Steps; the learning curve has a row for each
    #[schemars(extend("x-value" = "N"))]
    pub steps: u64,

    /// Moves in a step
    #[schemars(range(min = 1, max = 1_099_511_627_775u64), extend("x-value" = "N"))]
    pub moves: u64,

    /// The part of an error that is corrected at once while errors agree; of units how far they follow the gradient
    /// [default: 1, with units 0.0003]
    #[schemars(extend("exclusiveMinimum" = 0, "x-value" = "A"))]
    pub rate: Option<f64>,

    /// What the next points are worth compared with these; below 1 where games may never end [default: 1, with units 0.99]
    #[schemars(range(min = 0.0, max = 1.0), extend("x-value" = "L"))]
    pub discount: Option<f64>,

    /// How much the surprise of each later move counts, compared with the move before; 0 for the next one alone [default:
    /// 0, with units 0.55]
    #[schemars(range(min = 0.0, max = 1.0), extend("x-value" = "L"))]
    pub trace: Option<f64>,

    /// The most moves whose surprises count
    #[schemars(range(min = 1, max = 1000), extend("x-value" = "N"))]
    pub reach: usize,

    /// Learn from all pieces that may come, by their probability, not only from the one that comes: less chance, more work
    pub every_piece: bool,

    /// The probability of any placement instead of the best; one game in sixteen goes without, for the learning curve
    /// [default: 0.02]
    #[schemars(range(min = 0.0, max = 1.0), extend("x-value" = "E"))]
    pub curiosity: Option<f64>,

    /// Instead of windows so many units over the outline of the board: heights, differences of neighbours, holes
    #[schemars(range(min = 0, max = 65_535), extend("x-value" = "N"))]
    pub units: Option<usize>,

    /// With units: placements by lot, each e times as likely as one that is worth less by this; it falls to a fiftieth over
    /// all steps [default: 0.5]
    #[schemars(range(min = 0.0, max = 1_000_000.0), extend("x-value" = "T"))]
    pub temperature: Option<f64>,

    /// With units: a placement brings exp(-holes / H) instead of its points; 0 for the points [default: 33]
    #[schemars(range(min = 0.0, max = 1_000_000.0), extend("x-value" = "H"))]
    pub holes: Option<f64>,
}

impl Default for TdFields {
    fn default() -> TdFields {
        let plan = TdPlan::default();
        TdFields {
            episodes: plan.episodes,
            steps: plan.steps,
            discount: plan.discount,
            rate: plan.rate,
            rate_episodes: plan.rate_episodes,
            absolute: !plan.relative,
            curiosity: plan.curiosity,
            exploration_decay: plan.exploration_decay,
            reward_height: plan.reward.height,
            reward_holes: plan.reward.holes,
            reward_score: plan.reward.score,
            reward_loss: plan.reward.loss,
            unscaled: !plan.scaled,
            normalised: plan.normalised,
            runs: 1,
            games: 100,
            cap: plan.cap,
        }
    }
}

impl Default for CbmpiFields {
    fn default() -> CbmpiFields {
        let plan = CbmpiPlan::default();
        CbmpiFields {
            start: None,
            iterations: plan.iterations,
            states: plan.states,
            horizon: plan.horizon,
            rollouts: plan.rollouts,
            length: plan.length,
            discount: plan.discount,
            value_features: VALUE_FEATURES.to_owned(),
            population: plan.population,
            generations: plan.generations,
            games: plan.games,
        }
    }
}

impl Default for TuplesFields {
    fn default() -> TuplesFields {
        let plan = TuplePlan::default();
        TuplesFields {
            windows: vec![],
            steps: plan.steps,
            moves: plan.moves,
            rate: None,
            discount: None,
            trace: None,
            reach: plan.reach,
            every_piece: plan.every_piece,
            curiosity: None,
            units: None,
            temperature: None,
            holes: None,
        }
    }
}

impl TrainMethod {
    /// What a recipe takes.
    pub(super) fn approach(&self, resources: &dyn Resources) -> Result<Approach, RequestError> {
        let start = |name: &Option<String>| -> Result<Option<StartWeights>, TrainingError> {
            name.as_ref().map(|name| StartWeights::load(name, resources)).transpose()
        };
        let search = |method: SearchMethod, fields: &SearchFields| -> Result<Approach, RequestError> {
            let start = start(&fields.start)?;
            Ok(Approach::Search(method, SearchOptions { start, ..fields.options.clone() }))
        };
        match self {
            TrainMethod::Cem(fields) => search(SearchMethod::Cem(fields.cem), &fields.search),
            TrainMethod::CmaEs(fields) => search(SearchMethod::CmaEs, fields),
            TrainMethod::Snes(fields) => search(SearchMethod::Snes, fields),
            TrainMethod::Td(fields) => Ok(Approach::Td(fields.plan())),
            TrainMethod::Cbmpi(fields) => Ok(Approach::Cbmpi {
                plan: fields.plan(),
                value_features: fields.value_features.clone(),
                start: start(&fields.start)?,
            }),
            TrainMethod::Tuples(fields) => Ok(Approach::Tuples(fields.plan()?)),
        }
    }
}

impl TdFields {
    fn plan(&self) -> TdPlan {
        TdPlan {
            episodes: self.episodes,
            steps: self.steps,
            discount: self.discount,
            rate: self.rate,
            rate_episodes: self.rate_episodes,
            relative: !self.absolute,
            exploration_decay: self.exploration_decay,
            curiosity: self.curiosity,
            reward: TdReward {
                height: self.reward_height,
                holes: self.reward_holes,
                score: self.reward_score,
                loss: self.reward_loss,
            },
            scaled: !self.unscaled,
            normalised: self.normalised,
            cap: self.cap,
            ..TdPlan::default()
        }
    }
}

impl CbmpiFields {
    fn plan(&self) -> CbmpiPlan {
        CbmpiPlan {
            iterations: self.iterations,
            states: self.states,
            horizon: self.horizon,
            rollouts: self.rollouts,
            length: self.length,
            discount: self.discount,
            population: self.population,
            generations: self.generations,
            games: self.games,
            ..CbmpiPlan::default()
        }
    }
}

impl TuplesFields {
    fn plan(&self) -> Result<TuplePlan, RequestError> {
        self.check()?;
        let texts = self.windows.iter().flat_map(|text| text.split(',')).map(str::trim);
        let windows =
            texts.filter(|text| !text.is_empty()).map(str::parse).collect::<Result<Vec<Window>, _>>();
        let usual = match self.units {
            Some(units) => TuplePlan::of_units(units),
            None => TuplePlan::default(),
        };
        Ok(TuplePlan {
            windows: windows.map_err(|error| RequestError::field("windows", error))?,
            steps: self.steps,
            moves: self.moves,
            rate: self.rate.unwrap_or(usual.rate),
            discount: self.discount.unwrap_or(usual.discount),
            trace: self.trace.unwrap_or(usual.trace),
            reach: self.reach,
            every_piece: self.every_piece,
            curiosity: self.curiosity.unwrap_or(usual.curiosity),
            temperature: self.temperature.unwrap_or(usual.temperature),
            holes: self.holes.unwrap_or(usual.holes),
            ..usual
        })
    }

    /// Windows and units do not mix.
    fn check(&self) -> Result<(), RequestError> {
        let of_units = [("temperature", self.temperature.is_some()), ("holes", self.holes.is_some())];
        let of_windows = [
            ("windows", !self.windows.is_empty()),
            ("curiosity", self.curiosity.is_some()),
            ("every_piece", self.every_piece),
        ];
        let refuse = |field: &str, why: String| Err(RequestError::input(format!("{} {why}", named(field))));
        match self.units {
            Some(_) => match of_windows.iter().find(|(_, is_given)| *is_given) {
                Some((field, _)) => refuse(field, format!("does not go with {}", named("units"))),
                None => Ok(()),
            },
            None => match of_units.iter().find(|(_, is_given)| *is_given) {
                Some((field, _)) => refuse(field, format!("is for units; give {} too", named("units"))),
                None => Ok(()),
            },
        }
    }
}
