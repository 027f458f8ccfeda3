//! Forecasts: what a game is expected to come to if the bot plays on, in the game's own coin.
//!
//! The bot's own values order placements, but they are no results: 0 is an empty board in a Sprint, and in a Blitz what a board
//! is worth fades with the pieces left. A forecast turns the value of a position into pieces or points by a small model whose
//! numbers were fitted to what came of playing on ([`Calibration`]). Where the end is in sight nothing is left to fit.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use bellmino_engine::guideline::{Rules, ScoreTable, View};
use serde::Deserialize;

use crate::bot::{Candidate, Thought, ValueUnit};
use crate::expansion::DONE;

/// A lost game counts as one that takes so many pieces more, where pieces are counted.
pub const LOST_PIECES: f64 = 100.0;

/// What a game is expected to come to if the bot plays on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Forecast {
    /// In a game of a number of rows.
    Pieces {
        /// Pieces of the whole game.
        pieces: f64,
        /// The chance that none is wasted: that the last piece empties the board. In a Sprint these are 100.
        exact: f64,
    },
    /// In a game of a number of pieces.
    Points {
        /// Points still to come.
        to_come: f64,
    },
}

impl Forecast {
    /// For a position that the bot has thought about; `None` in games without an end, or of a score the bot was not made
    /// for.
    ///
    /// ```
    /// use bellmino_engine::guideline::{Match, Rules};
    /// use bellmino_search::{Bot, Budget, Forecast};
    ///
    /// let view = Match::new(Rules::SPRINT, 1).view();
    /// let thought = Bot::for_rules(&view.rules).think(&view, Budget::nodes(2000), None);
    /// let Some(Forecast::Pieces { pieces, exact }) = Forecast::of(&view, &thought) else { panic!() };
    /// assert!((100.0..101.0).contains(&pieces) && exact > 0.5);
    /// ```
    pub fn of(view: &View, thought: &Thought) -> Option<Forecast> {
        Calibration::shipped().forecast(view, thought, thought.best()?)
    }

    /// For somebody whose game is lost.
    pub(crate) fn lost(view: &View) -> Option<Forecast> {
        match ForecastKind::of(&view.rules)? {
            ForecastKind::Rows => Some(Forecast::Pieces { pieces: fewest(view) + LOST_PIECES, exact: 0.0 }),
            ForecastKind::Pieces => Some(Forecast::Points { to_come: 0.0 }),
        }
    }

    /// As a number of which more is better.
    pub fn worth(&self) -> f64 {
        match self {
            Forecast::Pieces { pieces, .. } => -pieces,
            Forecast::Points { to_come } => *to_come,
        }
    }
}

/// What a game is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ForecastKind {
    /// A number of rows with few pieces.
    Rows,
    /// Points with a number of pieces.
    Pieces,
}

impl ForecastKind {
    /// `None` if there is no end, or another score than the bot is made for.
    pub fn of(rules: &Rules) -> Option<ForecastKind> {
        match rules.goal {
            _ if !rules.hold => None,
            goal if goal.lines.is_some() => Some(ForecastKind::Rows),
            goal if goal.pieces.is_some() && rules.score == ScoreTable::SEED => Some(ForecastKind::Pieces),
            _ => None,
        }
    }
}

/// The numbers of all forecasts.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    models: [WeightedSum; Estimate::ALL.len()],
}

/// What a model estimates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimate {
    /// Points still to come in a game that is not lost.
    Points,
    /// The log odds that it is not lost, where points count.
    Survival,
    /// The logarithm of the pieces beyond the fewest, before the end can be searched.
    Waste,
    /// The log odds that there are none, before the end can be searched.
    Exact,
    /// The same once it can.
    Chance,
    /// The logarithm of the pieces beyond the fewest, once the end can be searched and if there are any.
    Missed,
}

/// A weighted sum of terms.
#[derive(Clone, Debug, PartialEq)]
struct WeightedSum {
    /// The weight of each term; the last one stands for itself.
    weights: Vec<f64>,
}

impl Estimate {
    /// All of them.
    pub const ALL: [Estimate; 6] = [
        Estimate::Points,
        Estimate::Survival,
        Estimate::Waste,
        Estimate::Exact,
        Estimate::Chance,
        Estimate::Missed,
    ];

    /// The name in calibration files.
    pub const fn name(self) -> &'static str {
        match self {
            Estimate::Points => "points",
            Estimate::Survival => "survival",
            Estimate::Waste => "waste",
            Estimate::Exact => "exact",
            Estimate::Chance => "chance",
            Estimate::Missed => "missed",
        }
    }

    /// The names of its terms; the last one is 1.
    pub const fn terms(self) -> &'static [&'static str] {
        match self {
            Estimate::Points => &["left", "early", "value", "nodes", "high", "buried", "constant"],
            Estimate::Survival => &["value", "danger", "buried", "long", "constant"],
            Estimate::Waste | Estimate::Exact => &["rough", "late", "blocked", "constant"],
            Estimate::Chance => &["odds", "unseen", "constant"],
            Estimate::Missed => &["constant"],
        }
    }
}

impl Calibration {
    /// The shipped numbers.
    pub fn shipped() -> &'static Calibration {
        static SHIPPED: LazyLock<Calibration> = LazyLock::new(|| {
            let text = include_str!("../../../weights/bot-forecast.toml");
            Calibration::read(text).expect("a shipped file is whole, as the tests say")
        });
        &SHIPPED
    }

    /// A calibration with these weights, each in the order of [`Estimate::terms`].
    pub fn new(weights: impl Fn(Estimate) -> Vec<f64>) -> Calibration {
        Calibration { models: Estimate::ALL.map(|estimate| WeightedSum { weights: weights(estimate) }) }
    }

    /// The weights of an estimate.
    pub fn weights(&self, estimate: Estimate) -> &[f64] {
        &self.models[estimate as usize].weights
    }

    /// The forecast for a position if this candidate is played.
    pub fn forecast(&self, view: &View, thought: &Thought, candidate: &Candidate) -> Option<Forecast> {
        let signs = Signs::of(view, thought, candidate)?;
        let fewest = fewest(view);
        Some(match signs {
            Signs::End(EndInSight::Points(to_come)) => Forecast::Points { to_come },
            Signs::End(EndInSight::Pieces(pieces)) => {
                let exact = if pieces <= fewest { 1.0 } else { 0.0 };
                Forecast::Pieces { pieces, exact }
            }
            Signs::Points(points, survival) => {
                let survives = logistic(self.sum(Estimate::Survival, &survival));
                Forecast::Points { to_come: survives * self.sum(Estimate::Points, &points).max(0.0) }
            }
            Signs::Stack(terms) => {
                let waste = self.sum(Estimate::Waste, &terms).min(LOST_PIECES.ln()).exp();
                let exact = logistic(self.sum(Estimate::Exact, &terms));
                // Whoever is not exact wastes a piece at least.
                Forecast::Pieces { pieces: fewest + waste.max(1.0 - exact), exact }
            }
            Signs::Chance(terms) => {
                let exact = logistic(self.sum(Estimate::Chance, &terms));
                let missed = self.sum(Estimate::Missed, &[1.0]).exp().max(1.0);
                Forecast::Pieces { pieces: fewest + (1.0 - exact) * missed, exact }
            }
        })
    }

    fn sum(&self, estimate: Estimate, terms: &[f64]) -> f64 {
        self.weights(estimate).iter().zip(terms).map(|(weight, term)| weight * term).sum()
    }

    /// As TOML.
    pub fn write(&self) -> String {
        let mut text = String::new();
        for estimate in Estimate::ALL {
            text += &format!("[{}]\n", estimate.name());
            for (term, weight) in estimate.terms().iter().zip(self.weights(estimate)) {
                text += &format!("{term} = {weight:?}\n");
            }
            text.push('\n');
        }
        text
    }

    /// Reads a calibration from TOML.
    pub fn read(text: &str) -> Result<Calibration, String> {
        let file: ForecastFile = toml::from_str(text).map_err(|error| error.to_string())?;
        let ForecastFile { points, survival, waste, exact, chance, missed, .. } = file;
        let given = [points, survival, waste, exact, chance, missed];
        let mut models = vec![];
        for (estimate, given) in Estimate::ALL.into_iter().zip(given) {
            let name = estimate.name();
            if let Some(other) = given.keys().find(|term| !estimate.terms().contains(&term.as_str())) {
                return Err(format!(
                    "[{name}] has no term `{other}`; it has {}",
                    estimate.terms().join(", ")
                ));
            }
            let weight = |term: &&str| match given.get(*term) {
                Some(weight) if weight.is_finite() => Ok(*weight),
                Some(_) => Err(format!("`{term}` of [{name}] is not finite")),
                None => Err(format!("[{name}] lacks the term `{term}`")),
            };
            models.push(WeightedSum {
                weights: estimate.terms().iter().map(weight).collect::<Result<_, _>>()?,
            });
        }
        let models = models.try_into().map_err(|_| "the file is not whole".to_owned())?;
        Ok(Calibration { models })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ForecastFile {
    points: BTreeMap<String, f64>,
    survival: BTreeMap<String, f64>,
    waste: BTreeMap<String, f64>,
    exact: BTreeMap<String, f64>,
    chance: BTreeMap<String, f64>,
    missed: BTreeMap<String, f64>,
    /// How the numbers came about; for readers.
    #[serde(default, rename = "made")]
    _made: toml::Table,
}

/// What a forecast is made from: the terms of an estimate, or an end that is in sight.
#[derive(Clone, Debug, PartialEq)]
pub enum Signs {
    /// The game ends within the pieces in sight.
    End(EndInSight),
    /// Terms of [`Estimate::Points`] and of [`Estimate::Survival`].
    Points(Vec<f64>, Vec<f64>),
    /// Terms of [`Estimate::Waste`] and [`Estimate::Exact`].
    Stack(Vec<f64>),
    /// Terms of [`Estimate::Chance`].
    Chance(Vec<f64>),
}

/// How a game ends within the pieces in sight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EndInSight {
    /// After so many pieces in all.
    Pieces(f64),
    /// With so many points more.
    Points(f64),
}

impl Signs {
    /// What is known of a position if this candidate is played. All terms but those with the candidate's value are of the
    /// position before it, so that a better value is never a worse forecast.
    pub fn of(view: &View, thought: &Thought, candidate: &Candidate) -> Option<Signs> {
        let kind = ForecastKind::of(&view.rules)?;
        let nodes = (thought.nodes.max(100) as f64 / 5000.0).ln();
        let value = candidate.value;
        let reach = candidate.line.len() as u32;
        match (kind, thought.unit) {
            (_, ValueUnit::Own) | (ForecastKind::Pieces, ValueUnit::Chance) => None,
            (ForecastKind::Pieces, _) => {
                let left = view.rules.goal.pieces_left(view.pieces)?;
                if reach >= left {
                    return Some(Signs::End(EndInSight::Points(value.max(0.0))));
                }
                // As boards are worth less towards the end.
                let early = 1.0 - (-f64::from(left) / 10.0).exp();
                let left = f64::from(left);
                // A high stack costs something in any case, and where the game is lost all that is left. So does what is buried in it.
                let board = &view.position.board;
                let height = board.height() as f64;
                let (high, danger) = ((height - 12.0).max(0.0) * early, (height - 16.0).max(0.0));
                let holes: usize = board.columns().iter().map(|column| column.holes()).sum();
                let buried = holes.min(40) as f64 / 10.0;
                let points = vec![left, early, value, nodes * early, high, buried * early, 1.0];
                // The longer the game, the more there is to lose it in.
                let long = ((left + 10.0) / 100.0).ln();
                let survival = vec![value.clamp(-10_000.0, 5000.0) / 1000.0, danger, buried, long, 1.0];
                Some(Signs::Points(points, survival))
            }
            (ForecastKind::Rows, _) if value >= f64::from(DONE) => {
                Some(Signs::End(EndInSight::Pieces(f64::from(view.pieces + reach))))
            }
            (ForecastKind::Rows, ValueUnit::Chance) => {
                let needed = fewest(view) - f64::from(view.pieces);
                let unseen =
                    (needed - view.queue.len() as f64 - f64::from(u8::from(view.position.hold.is_some())))
                        .max(0.0);
                // A way to the end that is wholly in sight.
                if value >= 1.0 && unseen == 0.0 && f64::from(reach) >= needed {
                    return Some(Signs::End(EndInSight::Pieces(fewest(view))));
                }
                let chance = value.clamp(0.005, 0.995);
                Some(Signs::Chance(vec![(chance / (1.0 - chance)).ln(), unseen, 1.0]))
            }
            (ForecastKind::Rows, _) => {
                let rows = f64::from(view.rules.goal.lines_left(view.lines)?);
                let needed = fewest(view) - f64::from(view.pieces);
                let late = (-needed / 12.0).exp();
                // Long before the end the bot mends any stack it survives.
                let rough = (1.0 - value.min(0.0) / 1000.0).ln() * late;
                // The end could be searched, but no way was found.
                let blocked = if rows <= 8.0 && needed <= 10.0 { 1.0 } else { 0.0 };
                Some(Signs::Stack(vec![rough, late, blocked, 1.0]))
            }
        }
    }
}

/// The fewest pieces in which a game of a number of rows can be done, from here: by the cells that are missing.
pub fn fewest(view: &View) -> f64 {
    let rows = view.rules.goal.lines_left(view.lines).unwrap_or(0) as usize;
    let missing = (rows * 10).saturating_sub(view.position.board.len());
    f64::from(view.pieces) + missing.div_ceil(4).max(usize::from(rows > 0)) as f64
}

fn logistic(odds: f64) -> f64 {
    1.0 / (1.0 + (-odds).exp())
}
