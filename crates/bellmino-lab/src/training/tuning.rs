//! Training of the look-ahead bot's evaluation on whole games played with little thought.

use bellmino_engine::guideline::{Bag, Board, Goal, Match, Piece, Position, Rules, View};
use bellmino_engine::{Generator, Outcome, Purpose, below, stream};
use bellmino_learn::{GameResult, Optimiser, Regression, Snes, UnitsPlan, UnitsSample};
use bellmino_search::{
    Bot, BotSettings, Budget, EvaluationState, Expected, Feature, Features, Network, UNITS, Weights, describe,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::work::{Work, WorkTask};

/// How weights are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TuningMethod {
    /// Policy iteration: each generation plays with the present weights, fits what boards were worth to their
    /// features (points of the next pieces, then the present value), and goes a part of the way there.
    Fit,
    /// The separable natural evolution strategy on the points of whole games.
    Snes,
    /// Fitted value iteration: positions at the end of the search are judged by a search of their own with pieces drawn
    /// from the bag, and a network over the features is fitted to what that finds.
    Network,
}

/// How weights of the bot are sought: the knobs of `tune`, each declared here and nowhere else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TuneFields {
    /// How weights are found. fit: play, fit what boards were worth to their features, go a part of the way there, and
    /// again. snes: a separable natural evolution strategy on the points of whole games. network: judge positions at the
    /// end of the search by another search, fit a small network to that, and again
    #[schemars(extend("x-value" = "METHOD"))]
    pub method: TuningMethod,

    /// Pieces of a game
    #[schemars(range(min = 1, max = 1_000_000), extend("x-value" = "N"))]
    pub pieces: u32,

    /// Games of a generation, for each candidate if there are several; all candidates get the same pieces
    #[schemars(range(min = 1, max = 1_000_000), extend("x-value" = "N"))]
    pub games: u64,

    /// Placements the bot looks at for each move
    #[schemars(range(min = 1, max = 1_000_000_000), extend("x-value" = "N"))]
    pub nodes: u64,

    /// For snes: candidates in a generation
    #[schemars(range(min = 4, max = 100_000), extend("x-value" = "N"))]
    pub population: usize,

    /// Generations
    #[schemars(extend("x-value" = "N"))]
    pub generations: u64,

    /// How far a weight is expected to move, as a share of it
    #[schemars(extend("exclusiveMinimum" = 0, "x-value" = "S"))]
    pub share: f64,

    /// How far it is expected to move besides, in points
    #[schemars(extend("exclusiveMinimum" = 0, "x-value" = "S"))]
    pub least: f64,

    /// For fit: the points of this many pieces count for what a board was worth
    #[schemars(range(min = 1, max = 1000), extend("x-value" = "N"))]
    pub steps: usize,

    /// For fit: the part of the way to the fitted weights that is gone
    #[schemars(extend("exclusiveMinimum" = 0, "x-value" = "R"))]
    pub rate: f64,
}

impl Default for TuneFields {
    fn default() -> TuneFields {
        TuneFields {
            method: TuningMethod::Fit,
            pieces: 360,
            games: 48,
            nodes: 10_000,
            population: 20,
            generations: 4,
            share: 0.35,
            least: 15.0,
            steps: 14,
            rate: 0.3,
        }
    }
}

/// How weights are sought, and with which chance.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TuningPlan {
    /// How.
    #[serde(flatten)]
    pub fields: TuneFields,
    /// Seed of candidates and games.
    pub seed: u64,
}

/// A search for weights under way. It goes on from wherever it was stored, to the same end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tuning {
    /// How weights are sought.
    pub plan: TuningPlan,
    /// The weights at the beginning, or those of the last fit; the horizon is the last.
    centre: Vec<f64>,
    /// For `snes`: the search, in steps of `scales` from `centre`.
    optimiser: Option<Optimiser>,
    /// The unit of each weight.
    scales: Vec<f64>,
    /// Weight of a point.
    points: f32,
    /// The network, as numbers; none if there is none.
    #[serde(default)]
    network: Vec<f32>,
    /// What has happened.
    pub history: Vec<TuningGeneration>,
}

/// What happened in one generation. A value is points per game.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TuningGeneration {
    /// Its number, from 1.
    pub generation: u64,
    /// The best candidate, or the best game of a fit.
    pub best: f64,
    /// Mean over all games.
    pub mean: f64,
    /// Games that were not brought to their end.
    pub lost: u64,
    /// Pieces placed so far, in all generations.
    pub pieces: u64,
}

/// A game of the bot, to be played anywhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BotTask {
    /// The rules, with the pieces of a game.
    pub rules: Rules,
    /// The weights of the features, of the horizon and of a point.
    pub weights: Vec<f64>,
    /// Nodes the bot may think about each move.
    pub nodes: u64,
    /// Seed of the pieces.
    pub seed: u64,
    /// Whether the boards are described.
    pub boards: bool,
    /// Whether positions at the end of the search are judged.
    #[serde(default)]
    pub judges: bool,
}

/// A game that the bot has played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BotGame {
    /// What came of it.
    pub result: GameResult,
    /// Before each move, if asked for: the board's features as a look-ahead that ends there sees them.
    pub boards: Vec<Vec<f64>>,
    /// The points of each move.
    pub points: Vec<f64>,
    /// If asked for: positions (their features, then how soon a T and an I come), and what a search from there found.
    #[serde(default)]
    pub judged: Vec<UnitsSample>,
}

impl BotGame {
    /// Points; half of them if the game was lost.
    fn worth(&self) -> f64 {
        if self.is_lost() { self.result.score / 2.0 } else { self.result.score }
    }

    fn is_lost(&self) -> bool {
        self.result.outcome != Some(Outcome::Goal)
    }
}

/// What is summed over placements is no property of a board.
const BOARD_FEATURES: usize = Feature::WastedT as usize;

impl Tuning {
    /// A search from these weights.
    pub fn new(plan: TuningPlan, start: &Weights) -> Tuning {
        let mut centre: Vec<f64> = start.features.iter().map(|&weight| f64::from(weight)).collect();
        let mut scales: Vec<f64> =
            centre.iter().map(|weight| plan.fields.share * weight.abs() + plan.fields.least).collect();
        centre.push(f64::from(start.horizon));
        scales.push(plan.fields.share * f64::from(start.horizon));
        let optimiser = (plan.fields.method == TuningMethod::Snes).then(|| {
            Optimiser::Snes(Snes::new(vec![0.0; centre.len()], 1.0, Some(plan.fields.population), plan.seed))
        });
        let network = start.network.iter().flat_map(|network| network.numbers()).collect();
        Tuning { plan, centre, optimiser, scales, points: start.points, network, history: vec![] }
    }

    /// Whether nothing is left to do.
    pub fn is_done(&self) -> bool {
        self.history.len() as u64 >= self.plan.fields.generations
    }

    /// The weights found so far.
    pub fn weights(&self) -> Weights {
        match &self.optimiser {
            Some(optimiser) => self.at(optimiser.mean()),
            None => self.at(&[]),
        }
    }

    /// The file of the weights found so far, with how they were made; `origin` is the game and what was started from, as
    /// on the command line.
    pub fn to_toml(&self, origin: &str) -> String {
        let TuningPlan { fields: plan, seed } = &self.plan;
        let placed = self.history.last().map_or(0, |last| last.pieces);
        let method = match plan.method {
            TuningMethod::Fit => format!("fit --steps {} --rate {}", plan.steps, plan.rate),
            TuningMethod::Snes => format!("snes --population {}", plan.population),
            TuningMethod::Network => "network".to_owned(),
        };
        let TuneFields { nodes, pieces, games, generations, share, least, .. } = plan;
        format!(
            "{}\n[made]\nby = 'bellmino {} tune {origin} --method {method} --nodes {nodes} --pieces {pieces} \
             --games {games} --generations {generations} --share {share} --least {least} --seed {seed}'\n\
             generations = {}\npieces = {placed}\nnodes = {}\n",
            self.weights().write(),
            super::VERSION,
            self.history.len(),
            placed * nodes,
        )
    }

    /// The weights some steps away from the centre.
    fn at(&self, steps: &[f64]) -> Weights {
        let steps = steps.iter().copied().chain(std::iter::repeat(0.0));
        let place = self.centre.iter().zip(&self.scales).zip(steps);
        let mut numbers = place.map(|((centre, scale), step)| (centre + scale * step) as f32);
        let mut features = [0.0; Feature::COUNT];
        features.iter_mut().zip(&mut numbers).for_each(|(feature, number)| *feature = number);
        let horizon = numbers.next().unwrap_or(1.0).max(1.0);
        let network = Network::from_numbers(&self.network).map(Box::new);
        Weights { features, points: self.points, horizon, network }
    }

    /// The games of the generation.
    pub(super) fn work(&self, rules: &Rules) -> Vec<Work> {
        let generation = self.history.len() as u64;
        let mut rules = *rules;
        rules.goal.pieces = Some(self.plan.fields.pieces);
        let work = |(candidate, weights): (usize, Weights)| Work {
            step: generation,
            round: 0,
            candidate,
            first: generation * self.games(),
            count: self.games(),
            task: WorkTask::Bot(BotTask {
                rules,
                weights: numbers_of(&weights),
                nodes: self.plan.fields.nodes,
                seed: self.plan.seed,
                boards: self.plan.fields.method == TuningMethod::Fit,
                judges: self.plan.fields.method == TuningMethod::Network,
            }),
        };
        let candidates: Vec<Weights> = match &self.optimiser {
            Some(optimiser) => optimiser.ask().iter().map(|steps| self.at(steps)).collect(),
            None => vec![self.weights()],
        };
        candidates.into_iter().enumerate().map(work).collect()
    }

    /// Takes the games of the generation, candidate by candidate.
    pub(super) fn take(&mut self, games: &[Vec<BotGame>]) {
        let mean = |worths: &[f64]| worths.iter().sum::<f64>() / worths.len().max(1) as f64;
        let all = || games.iter().flatten();
        let worths: Vec<f64> = all().map(BotGame::worth).collect();
        let mut values: Vec<f64> = worths.chunks(self.games() as usize).map(mean).collect();
        match (&mut self.optimiser, self.plan.fields.method) {
            (Some(optimiser), _) => optimiser.tell(&values),
            (None, method) => {
                match method {
                    TuningMethod::Network => self.fit_network(all()),
                    _ => self.fit(all()),
                }
                values = worths.clone();
            }
        }
        let before = self.history.last().map_or(0, |last| last.pieces);
        self.history.push(TuningGeneration {
            generation: self.history.len() as u64 + 1,
            best: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            mean: mean(&worths),
            lost: all().filter(|game| game.is_lost()).count() as u64,
            pieces: before + all().map(|game| game.result.pieces).sum::<u64>(),
        });
    }

    fn games(&self) -> u64 {
        self.plan.fields.games.max(1)
    }

    /// Goes a part of the way to the weights that say best what the boards of these games were worth.
    fn fit<'a>(&mut self, games: impl Iterator<Item = &'a BotGame>) {
        /// The end of a game is different; so is its beginning.
        const END: usize = 15;
        const BEGINNING: usize = 5;
        let steps = self.plan.fields.steps.max(1);
        let value =
            |numbers: &[f64]| numbers.iter().zip(&self.centre).map(|(x, weight)| x * weight).sum::<f64>();
        let mut regression = Regression::new(BOARD_FEATURES);
        for BotGame { boards, points, .. } in games {
            for at in BEGINNING..points.len().saturating_sub(steps + END) {
                let made: f64 = points[at..at + steps].iter().sum();
                regression.add(&boards[at], made + value(&boards[at + steps]));
            }
        }
        // Samples overlap, so that each says less than if it stood alone.
        let noise = regression.variance() * steps as f64 / 2.0;
        let (prior, spreads) = (&self.centre[..BOARD_FEATURES], &self.scales[..BOARD_FEATURES]);
        if let Some(fitted) = regression.solve(prior, spreads, noise.max(1.0)) {
            let rate = self.plan.fields.rate;
            self.centre
                .iter_mut()
                .zip(fitted)
                .for_each(|(weight, fitted)| *weight += rate * (fitted - *weight));
        }
    }
}

impl Tuning {
    /// Fits a network to what was found of the positions of these games. Features that hardly any of them has keep their
    /// weights: a handful of positions says nothing of what an emptied board is worth.
    fn fit_network<'a>(&mut self, games: impl Iterator<Item = &'a BotGame>) {
        /// Positions of which at least one must have a feature.
        const RARE: usize = 500;
        let mut samples: Vec<UnitsSample> = games.flat_map(|game| game.judged.iter().cloned()).collect();
        let is_rare = |at: &usize| {
            samples.iter().filter(|(inputs, _)| inputs[*at] != 0.0).count() * RARE <= samples.len()
        };
        let rare: Vec<usize> = (0..BOARD_FEATURES).filter(is_rare).collect();
        for (inputs, worth) in &mut samples {
            for &at in &rare {
                *worth -= self.centre[at] as f32 * std::mem::take(&mut inputs[at]);
            }
        }
        if samples.is_empty() {
            return;
        }
        let seed = self.plan.seed.wrapping_add(self.history.len() as u64);
        let plan = UnitsPlan { units: UNITS, epochs: 30, batch: 256, rate: 0.002, decay: 1e-5, seed };
        let mut fitted = plan.fit(&samples);
        for &at in &rare {
            fitted.rows[at].fill(0.0);
            fitted.slopes[at] = self.centre[at] as f32;
        }
        let rows = fitted.rows.iter().chain([&fitted.start, &fitted.worth]);
        self.network = rows.flatten().copied().collect();
        self.centre.iter_mut().zip(&fitted.slopes[..BOARD_FEATURES]).for_each(|(weight, &slope)| {
            *weight = f64::from(slope);
        });
    }
}

/// What is fitted to: the features of a board, then how soon a T and how soon an I comes.
fn inputs(board: &Board, standing: &EvaluationState, bag: &[Piece]) -> Vec<f32> {
    let expected = Expected::of(&[], bag);
    let features = described(board, standing, &expected);
    features[..BOARD_FEATURES].iter().copied().chain([expected.t, expected.i]).collect()
}

impl BotTask {
    /// Judges some positions that the bot came to at the end of its search, by one with pieces drawn from the bag.
    fn judge(&self, view: &View, bot: &Bot, judge: &mut Bot, chance: &mut Generator) -> Vec<UnitsSample> {
        /// Among all positions, and among the best eighth.
        const PARTS: [usize; 3] = [1, 1, 8];
        /// Less is a game that is lost, which the search sees by itself.
        const LEAST: f64 = -50_000.0;
        let frontier: Vec<(Board, EvaluationState)> = bot.frontier().collect();
        let chosen = PARTS.iter().filter_map(|part| {
            let within = (frontier.len() / part).clamp(1, frontier.len().max(1));
            frontier.get(below(chance, within)).copied()
        });
        let chosen: Vec<(Board, EvaluationState)> = chosen.collect();
        let mut judged = vec![];
        for (board, standing) in chosen {
            let EvaluationState { reserve: hold, back_to_back, combo } = standing;
            let position = Position { board, hold, back_to_back, combo };
            let seed = stream(self.seed, Purpose::Training, below(chance, usize::MAX) as u64);
            let next = Match::from_position(view.rules, position, Bag::with(&view.bag, seed));
            let thought = judge.think(&next.view(), Budget::nodes(self.nodes), None);
            if let Some(best) = thought.best().filter(|best| best.value > LEAST) {
                judged.push((inputs(&board, &standing, &view.bag), best.value as f32));
            }
        }
        judged
    }

    /// Plays game number `index`.
    pub fn play(&self, index: u64) -> BotGame {
        /// Where positions are judged, one move in so many is any of the best few: worse boards are seen too.
        const CURIOSITY: usize = 12;
        const FEW: usize = 6;
        let pieces = self.rules.goal.pieces.unwrap_or(0);
        let bag = || Bag::numbered(self.seed, index);
        let dealt: Vec<Piece> = bag().take(pieces as usize + 2).collect();
        let mut game = Match::from_position(self.rules, Position::default(), bag());
        let settings =
            BotSettings { weights: weights_of(&self.weights), ..BotSettings::for_rules(&self.rules) };
        let mut judge = Bot::new(settings.clone());
        let mut bot = Bot::new(settings);
        let mut chance = stream(self.seed, Purpose::Player, index);
        let (mut boards, mut points, mut judged) = (vec![], vec![], vec![]);
        while game.outcome().is_none() {
            let mut view = game.view();
            if self.judges {
                // What a board is worth while much is still to come.
                view.rules.goal = Goal::default();
            }
            let thought = bot.think(&view, Budget::nodes(self.nodes), None);
            let mut choice = 0;
            if self.judges {
                judged.append(&mut self.judge(&view, &bot, &mut judge, &mut chance));
                if below(&mut chance, CURIOSITY) == 0 {
                    choice = below(&mut chance, thought.candidates.len().clamp(1, FEW));
                }
            }
            let Some(chosen) = thought.candidates.get(choice) else { break };
            let Ok(clear) = game.play(&chosen.placement) else { break };
            if self.boards {
                let features = seen(&view, &dealt);
                boards.push(features[..BOARD_FEATURES].iter().map(|&x| f64::from(x)).collect());
            }
            points.push(f64::from(clear.points));
        }
        let stats = game.stats();
        let (pieces, lines) = (u64::from(stats.pieces), u64::from(stats.lines));
        let (score, outcome) = (stats.score as f64, game.outcome());
        let result = GameResult { pieces, lines, score, outcome, ..GameResult::default() };
        BotGame { result, boards, points, judged }
    }
}

/// Weights as numbers: of the features, of the horizon and of a point, then those of the network if there is one.
fn numbers_of(weights: &Weights) -> Vec<f64> {
    let network = weights.network.iter().flat_map(|network| network.numbers());
    let own = weights.features.iter().chain([&weights.horizon, &weights.points]);
    own.copied().chain(network).map(f64::from).collect()
}

/// The weights of these numbers; those that are missing are 0.
fn weights_of(numbers: &[f64]) -> Weights {
    let mut numbers = numbers.iter().map(|&x| x as f32);
    let mut next = || numbers.next().unwrap_or_default();
    let features = std::array::from_fn(|_| next());
    let (horizon, points) = (next(), next());
    let network = Network::from_numbers(&numbers.collect::<Vec<f32>>()).map(Box::new);
    Weights { features, points, horizon, network }
}

/// The features of a position to someone who knows the reserve and the bag, but not the queue.
fn seen(view: &View, dealt: &[Piece]) -> Features {
    let position = &view.position;
    let reserve = position.hold.or(view.queue.first().copied());
    let standing = EvaluationState { reserve, back_to_back: position.back_to_back, combo: position.combo };
    // One piece more has come than was placed: the reserve.
    let come = view.pieces as usize + 1;
    let taken = dealt.get(come / 7 * 7..come).unwrap_or_default();
    let bag: Vec<Piece> = Piece::ALL.into_iter().filter(|piece| !taken.contains(piece)).collect();
    described(&position.board, &standing, &Expected::of(&[], &bag))
}

/// The features of a board where these pieces are expected.
fn described(board: &Board, standing: &EvaluationState, expected: &Expected) -> Features {
    let mut features = [0.0; Feature::COUNT];
    describe(board, standing, &mut features);
    expected.describe(&mut features);
    features
}
