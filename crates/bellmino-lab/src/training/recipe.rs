//! A recipe: what is asked for, before defaults are chosen.

use bellmino_engine::{Game, guideline};
use bellmino_learn::{
    Cbmpi, CbmpiPlan, Cem, CmaEs, Feature, Noise, Optimiser, Snes, Td, TdPlan, TuplePlan, TupleTd, Window,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::course::Course;
use super::drill::{Drill, DrillAim, DrillPlan};
use super::error::TrainingError;
use super::features::choose_features;
use super::ground::TrainingGround;
use super::method::Method;
use super::search::{Aim, SearchPlan, WeightSearch};
use super::start::{BotStart, StartWeights};
use super::tuning::{TuneFields, Tuning, TuningMethod, TuningPlan};
use crate::request::named;

/// What is asked for. What is left open is chosen by method and game.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// The game to learn.
    pub game: Game,
    /// Seed of everything random.
    pub seed: u64,
    /// Sets of features and single ones, separated by commas; not for the look-ahead bot, which has its own.
    pub features: Option<String>,
    /// The height of the board learned on; 0 is the game's own. See [`TrainingGround::new`].
    pub low: Option<usize>,
    /// The method and what it takes.
    pub approach: Approach,
}

/// A method and what it takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Approach {
    /// A black-box search.
    Search(SearchMethod, SearchOptions),
    /// Temporal differences; features and seed of the plan are the recipe's.
    Td(TdPlan),
    /// Policy iteration.
    Cbmpi {
        /// How; features and seed are the recipe's.
        plan: CbmpiPlan,
        /// Features of the value of a board.
        value_features: String,
        /// The first policy; `None` for a random one.
        start: Option<StartWeights>,
    },
    /// A value over windows of the board; without windows those that suit the board, and the seed is the recipe's.
    Tuples(TuplePlan),
    /// The evaluation of the look-ahead bot.
    Tune {
        /// How; the seed is the recipe's.
        plan: TuneFields,
        /// The weights to start from; `None` for those shipped.
        start: Option<BotStart>,
    },
}

/// A black-box method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SearchMethod {
    /// Noisy cross-entropy.
    Cem(CemOptions),
    /// Covariance matrix adaptation.
    CmaEs,
    /// Separable natural evolution strategy.
    Snes,
}

/// What cross-entropy takes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CemOptions {
    /// Candidates that fit the next distribution
    #[schemars(range(min = 1, max = 100_000), extend("x-value" = "N"))]
    pub elites: usize,

    /// Elites that take part in the next generation too
    #[schemars(extend("x-value" = "N"))]
    pub retain: usize,

    /// Noise on the variances: none, constant:Z, or decreasing:Z:T for max(Z - generation/T, 0)
    #[serde(with = "noise")]
    #[schemars(with = "String", extend("x-value" = "NOISE"))]
    pub noise: Noise,

    /// Only variances, no correlations
    pub diagonal: bool,
}

/// What every black-box method takes; `None` is the default for the game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SearchOptions {
    /// The weights to start from, which a request names.
    #[serde(skip)]
    pub start: Option<StartWeights>,

    /// Standard deviation of the first generation [default: 10, or a tenth of the largest weight to start from]
    #[schemars(extend("exclusiveMinimum" = 0, "x-value" = "S"))]
    pub scale: Option<f64>,

    /// Candidates in a generation [default: 60 in guideline games, 100 for cem, else 4 + 3 ln(features)]
    #[schemars(range(min = 4, max = 100_000), extend("x-value" = "N"))]
    pub population: Option<usize>,

    /// Generations [default: 25; in guideline games 60]
    #[schemars(extend("x-value" = "N"))]
    pub generations: Option<u64>,

    /// Games for each candidate; all candidates of a generation get the same pieces [default: 16; in guideline games 1]
    #[schemars(range(min = 1, max = 16_777_215), extend("x-value" = "N"))]
    pub games: Option<u64>,

    /// Fewer games as the elite gets better: half as many for every factor of ten
    pub varying: bool,

    /// Every candidate plays all its games, however bad it is
    pub no_racing: bool,

    /// Stop a game after this many pieces: at first, and more when half the games of the elite reach it; in guideline
    /// games always [default: 1000; blitz 70, sprint none]
    #[schemars(range(min = 1), extend("x-value" = "PIECES"))]
    pub cap: Option<u64>,

    /// Stop when the elite is worth this much on average
    #[schemars(extend("x-value" = "VALUE"))]
    pub goal: Option<f64>,

    /// What is maximised: lines or score per lost game; in guideline games score, score-with-drops (points for drops
    /// included), few pieces or few keys [default: lines; sprint pieces, blitz score]
    pub aim: Option<SearchAim>,

    /// Guideline games: look at straight drops only (drop), or at all placements (all) [default: drop for sprint, else all]
    pub path: Option<SearchPath>,
}

/// What a black-box method maximises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SearchAim {
    /// Rows per lost game.
    Lines,
    /// Points.
    Score,
    /// Points, those for drops included.
    ScoreWithDrops,
    /// Few pieces.
    Pieces,
    /// Few key presses.
    Keys,
}

/// Which placements of a guideline game are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SearchPath {
    /// Straight drops.
    Drop,
    /// All of them.
    All,
}

impl Default for CemOptions {
    fn default() -> CemOptions {
        let noise = Noise::Decreasing { start: 5.0, slowness: 5.0 };
        CemOptions { elites: 10, retain: 0, noise, diagonal: false }
    }
}

/// Noise as people write it.
mod noise {
    use bellmino_learn::Noise;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::request::named;

    pub fn serialize<S: Serializer>(noise: &Noise, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&match noise {
            Noise::None => "none".to_owned(),
            Noise::Constant(z) => format!("constant:{z}"),
            Noise::Decreasing { start, slowness } => format!("decreasing:{start}:{slowness}"),
        })
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Noise, D::Error> {
        let text = String::deserialize(from)?;
        read(&text).ok_or_else(|| {
            let right = "give none, constant:Z, or decreasing:Z:T, such as decreasing:5:10";
            D::Error::custom(format!("{}: {right}", named("noise")))
        })
    }

    fn read(text: &str) -> Option<Noise> {
        let number = |text: &str| text.parse::<f64>().ok().filter(|x| x.is_finite() && *x >= 0.0);
        match text.split(':').collect::<Vec<&str>>()[..] {
            ["none"] => Some(Noise::None),
            ["constant", z] => Some(Noise::Constant(number(z)?)),
            ["decreasing", z, t] => {
                let slowness = number(t).filter(|slowness| *slowness > 0.0)?;
                Some(Noise::Decreasing { start: number(z)?, slowness })
            }
            _ => None,
        }
    }
}

/// The features of the value of a board in policy iteration, unless asked otherwise.
pub const VALUE_FEATURES: &str = "row-transitions,column-transitions,holes,cumulative-wells,hole-depth,rows-with-holes,\
     pattern-diversity,radial,max-height,constant";

impl Recipe {
    /// The method.
    pub fn method(&self) -> Method {
        match &self.approach {
            Approach::Search(SearchMethod::Cem(_), _) => Method::Cem,
            Approach::Search(SearchMethod::CmaEs, _) => Method::CmaEs,
            Approach::Search(SearchMethod::Snes, _) => Method::Snes,
            Approach::Td(_) => Method::Td,
            Approach::Cbmpi { .. } => Method::Cbmpi,
            Approach::Tuples(_) => Method::Tuples,
            Approach::Tune { .. } => Method::Tune,
        }
    }

    /// The course from its beginning, with every default chosen.
    pub(super) fn course(&self, ground: &TrainingGround) -> Result<Course, TrainingError> {
        let seed = self.seed;
        let features =
            |default: &str| choose_features(self.features.as_deref().unwrap_or(default), ground, "features");
        Ok(match (&self.approach, ground.rules()) {
            (Approach::Search(method, options), Some(rules)) => {
                let aim = options.drill_aim(rules, ground.name())?;
                let features = features(match aim {
                    DrillAim::Pieces => "lee",
                    DrillAim::Score | DrillAim::ScoreWithDrops => "blitz",
                    DrillAim::Keys => "fewest-keys",
                })?;
                let plan = options.drill_plan(rules, aim, features, seed);
                let optimiser = options.optimiser(method, &plan.features, Some(60), seed);
                Course::Drill(Box::new(Drill::new(plan, optimiser)))
            }
            (Approach::Search(method, options), None) => {
                let plan = options.search_plan(features("dt8")?, seed)?;
                let optimiser = options.optimiser(method, &plan.features, None, seed);
                Course::Search(Box::new(WeightSearch::new(plan, optimiser)))
            }
            (Approach::Td(plan), _) => {
                check_discount(plan.discount)?;
                let plan = TdPlan { features: features("surface")?, seed, ..plan.clone() };
                Course::Td(Box::new(Td::new(plan)))
            }
            (Approach::Cbmpi { plan, value_features, start }, _) => {
                check_discount(plan.discount)?;
                let features = features("dt9")?;
                let value_features = choose_features(value_features, ground, "value_features")?;
                let start = start.as_ref().map(|start| start.weights(&features));
                let plan = CbmpiPlan { features, value_features, seed, ..plan.clone() };
                Course::Cbmpi(Box::new(Cbmpi::new(plan, start)))
            }
            (Approach::Tuples(plan), _) => Course::Tuples(Box::new(self.tuples(plan, ground)?)),
            (Approach::Tune { plan, start }, rules) => {
                let rules = rules.copied().unwrap_or_default();
                let start = start.clone().unwrap_or_else(|| BotStart::shipped(&rules));
                if start.weights.points <= 0.0 || rules.goal.lines.is_some() {
                    let why = "points are what is maximised: give a game such as `blitz`";
                    return Err(TrainingError::Refused(why.to_owned()));
                }
                if start.weights.network.is_some() && plan.method == TuningMethod::Fit {
                    let why = format!(
                        "has a network, which a fitted sum does not see: {} network or snes goes on",
                        named("method")
                    );
                    return Err(TrainingError::Unfit { option: "start", why });
                }
                let plan = TuningPlan { fields: plan.clone(), seed };
                Course::Tune(Box::new(Tuning::new(plan, &start.weights)))
            }
        })
    }

    fn tuples(&self, plan: &TuplePlan, ground: &TrainingGround) -> Result<TupleTd, TrainingError> {
        let unfit = |option, why: &str| TrainingError::Unfit { option, why: why.to_owned() };
        if self.features.is_some() {
            let why = format!("is for linear methods; tuples have {}", named("windows"));
            return Err(unfit("features", &why));
        }
        if self.low.is_some_and(|low| low != 0) && ground.to_toml() != ground.board().to_toml() {
            return Err(unfit(
                "low",
                "is for other methods: tuples play on the board that they were learned on",
            ));
        }
        let parts = [("discount", plan.discount), ("trace", plan.trace), ("curiosity", plan.curiosity)];
        for (option, given) in parts {
            if !(0.0..=1.0).contains(&given) {
                return Err(unfit(option, &format!("{given} is not from 0 to 1")));
            }
        }
        if plan.units == 0 && (plan.temperature != 0.0 || plan.holes != 0.0) {
            return Err(unfit("units", "must be given too: a temperature and holes are for units"));
        }
        if plan.units != 0 && (plan.curiosity != 0.0 || plan.every_piece) {
            let why = format!(
                "learn with a temperature; {} and {} are for windows",
                named("curiosity"),
                named("every_piece")
            );
            return Err(unfit("units", &why));
        }
        for (option, given) in [("temperature", plan.temperature), ("holes", plan.holes)] {
            if !(0.0..=1e6).contains(&given) {
                return Err(unfit(option, &format!("{given} is not from 0 to a million")));
            }
        }
        let windows = match plan.windows.is_empty() && plan.units == 0 {
            true => Window::default_for(ground.board()),
            false => plan.windows.clone(),
        };
        let td = TupleTd::new(TuplePlan { windows, seed: self.seed, ..plan.clone() });
        let option = if plan.units == 0 { "windows" } else { "units" };
        td.value(ground.board()).map_err(|error| TrainingError::option(option, error.to_string()))?;
        Ok(td)
    }
}

impl SearchOptions {
    fn search_plan(&self, features: Vec<Feature>, seed: u64) -> Result<SearchPlan, TrainingError> {
        let aim = match self.aim {
            None | Some(SearchAim::Lines) => Aim::Lines,
            Some(SearchAim::Score) => Aim::Score,
            Some(SearchAim::Pieces | SearchAim::Keys | SearchAim::ScoreWithDrops) => {
                let why = "pieces, keys and score-with-drops are for guideline games".to_owned();
                return Err(TrainingError::Unfit { option: "aim", why });
            }
        };
        if self.path.is_some() {
            let why = "is for guideline games; others have landing.path".to_owned();
            return Err(TrainingError::Unfit { option: "path", why });
        }
        Ok(SearchPlan {
            features,
            aim,
            games: self.games.unwrap_or(16),
            varying: self.varying,
            racing: !self.no_racing,
            cap: self.cap.unwrap_or(1000),
            generations: self.generations.unwrap_or(25),
            goal: self.goal,
            seed,
        })
    }

    fn drill_aim(&self, rules: &guideline::Rules, name: &str) -> Result<DrillAim, TrainingError> {
        for (given, option) in [(self.varying, "varying"), (self.no_racing, "no_racing")] {
            if given {
                return Err(TrainingError::of_placement(option, name));
            }
        }
        let sprint = rules.goal.lines.is_some();
        let aim = match self.aim {
            None if sprint => DrillAim::Pieces,
            None | Some(SearchAim::Score) => DrillAim::Score,
            Some(SearchAim::ScoreWithDrops) => DrillAim::ScoreWithDrops,
            Some(SearchAim::Pieces) => DrillAim::Pieces,
            Some(SearchAim::Keys) => DrillAim::Keys,
            Some(SearchAim::Lines) => {
                let why =
                    "lines is for placement games; give score, score-with-drops, pieces or keys".to_owned();
                return Err(TrainingError::Unfit { option: "aim", why });
            }
        };
        if !sprint && rules.goal.pieces.is_none() && self.cap.is_none() {
            let why = format!("`{name}` has no goal and may never end; give {}", named("cap"));
            return Err(TrainingError::Refused(why));
        }
        if matches!(aim, DrillAim::Pieces | DrillAim::Keys) && !sprint {
            return Err(TrainingError::option("aim", format!("`{name}` is played for a score")));
        }
        Ok(aim)
    }

    fn drill_plan(
        &self,
        rules: &guideline::Rules,
        aim: DrillAim,
        features: Vec<Feature>,
        seed: u64,
    ) -> DrillPlan {
        let sprint = rules.goal.lines.is_some();
        let cap = self.cap.map(|cap| u32::try_from(cap).unwrap_or(u32::MAX));
        DrillPlan {
            features,
            drops: self.path.map_or(sprint, |path| path == SearchPath::Drop),
            rules: *rules,
            aim,
            games: self.games.unwrap_or(1),
            pieces: cap.or((!sprint).then_some(70)),
            generations: self.generations.unwrap_or(60),
            goal: self.goal,
            seed,
        }
    }

    fn optimiser(
        &self,
        method: &SearchMethod,
        features: &[Feature],
        population: Option<usize>,
        seed: u64,
    ) -> Optimiser {
        let start = self.start.as_ref().map(|start| start.weights(features));
        let largest = start.iter().flatten().map(|weight| weight.abs()).fold(0.0, f64::max);
        let scale = self.scale.unwrap_or(if largest > 0.0 { largest / 10.0 } else { 10.0 });
        let mean = start.unwrap_or_else(|| vec![0.0; features.len()]);
        let population = self.population.or(population);
        match method {
            SearchMethod::Cem(CemOptions { elites, retain, noise, diagonal }) => {
                let cem = Cem::new(mean, scale * scale, population.unwrap_or(100), *elites, seed);
                Optimiser::Cem(cem.noise(*noise).diagonal(*diagonal).retain(*retain))
            }
            SearchMethod::CmaEs => Optimiser::CmaEs(CmaEs::new(mean, scale, population, seed)),
            SearchMethod::Snes => Optimiser::Snes(Snes::new(mean, scale, population, seed)),
        }
    }
}

fn check_discount(discount: f64) -> Result<(), TrainingError> {
    if (0.0..=1.0).contains(&discount) {
        return Ok(());
    }
    Err(TrainingError::Unfit { option: "discount", why: format!("{discount} is not from 0 to 1") })
}
