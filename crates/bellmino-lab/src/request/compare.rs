//! Two players on the same pieces: who is better, by how much, and how sure that is.

use bellmino_engine::Game;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::evaluate::{EvaluateRequest, GameRound};
use super::{Chance, Context, GameChoice, Request, RequestError, TablesFormat, Thinking, VERSION};
use crate::arena::PlayerReport;
use crate::contest::Measure;
use crate::paired::{PairedFigure, PairedTest};

/// Compare two players on the same pieces: who is better, by how much, and how sure that is
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CompareRequest {
    /// The game.
    #[serde(flatten)]
    pub game: GameChoice,

    /// A, and then B: players by the names that `evaluate` takes. Give it twice
    #[schemars(extend("x-flag" = "player", "x-value" = "P"))]
    pub players: Vec<String>,

    /// How many games, and of what kind.
    #[serde(flatten)]
    pub round: GameRound,

    /// How long the bot thinks.
    #[serde(flatten)]
    pub thinking: Thinking,

    /// The seed.
    #[serde(flatten)]
    pub chance: Chance,
}

/// How A stands to B.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CompareAnswer {
    /// The game.
    pub game: String,
    /// The version of the program.
    pub version: &'static str,
    /// A and B.
    pub players: [String; 2],
    /// The seed.
    pub seed: u64,
    /// Games of each.
    pub games: usize,
    /// What is compared: the score, or in a race the pieces until the goal, of which fewer are better.
    pub measure: Measure,
    /// The mean of each, over the games that have a result.
    pub means: [Option<f64>; 2],
    /// Games in which each did better.
    pub wins: [usize; 2],
    /// Games in which neither did.
    pub draws: usize,
    /// A minus B; absent where a race was not finished, which games won and lost then stand for.
    pub difference: Option<PairedFigure>,
    /// A divided by B, where both are positive.
    pub ratio: Option<PairedFigure>,
    /// How often players who are equally good differ at least as much.
    pub p_value: f64,
    /// Games that a difference as large as this one needs to be told from chance in eight comparisons of ten.
    pub games_needed: Option<u64>,
    /// A against B.
    pub verdict: CompareVerdict,
    /// Whether it was stopped: fewer games than asked for.
    pub interrupted: bool,
}

/// What the games say of A and B.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum CompareVerdict {
    /// A is better; of equal players one in forty is called so.
    #[serde(rename = "better")]
    Better,
    /// A is worse; of equal players one in forty is called so.
    #[serde(rename = "worse")]
    Worse,
    /// Their ratio lies within one per cent of 1, or none of at least sixty games came out differently.
    #[serde(rename = "same")]
    Same,
    /// There are too few games to tell.
    #[serde(rename = "cannot tell")]
    CannotTell,
}

/// A difference that chance makes no more often than this is one.
const CHANCE: f64 = 0.05;

/// A ratio so close to 1 is as good as 1.
const CLOSE: f64 = 0.01;

/// If so many games have the same result, at most one in twenty has another, with 95 %.
const ALIKE: usize = 60;

impl CompareVerdict {
    /// As it is printed.
    pub fn words(self) -> &'static str {
        match self {
            CompareVerdict::Better => "better",
            CompareVerdict::Worse => "worse",
            CompareVerdict::Same => "same",
            CompareVerdict::CannotTell => "cannot tell",
        }
    }

    /// What a test of so many games says; `sign` is -1 where less is better.
    fn of(test: &PairedTest, games: usize, sign: f64) -> CompareVerdict {
        let is_close = |figure: &PairedFigure| match figure.ci95 {
            [Some(low), Some(high)] => low >= 1.0 - CLOSE && high <= 1.0 + CLOSE,
            _ => false,
        };
        match () {
            () if test.p_value <= CHANCE && sign * test.difference.estimate > 0.0 => CompareVerdict::Better,
            () if test.p_value <= CHANCE => CompareVerdict::Worse,
            () if test.is_equal => {
                if games >= ALIKE {
                    CompareVerdict::Same
                } else {
                    CompareVerdict::CannotTell
                }
            }
            () if test.ratio.as_ref().is_some_and(is_close) => CompareVerdict::Same,
            () => CompareVerdict::CannotTell,
        }
    }
}

impl Request for CompareRequest {
    const NAME: &'static str = "compare";
    type Answer = CompareAnswer;

    fn answer(&self, context: &Context<'_>) -> Result<CompareAnswer, RequestError> {
        if self.players.len() != 2 {
            let why = format!("give two, one to be compared with the other, not {}", self.players.len());
            return Err(RequestError::field("players", why));
        }
        let evaluated = self.games_of_both().answer(context)?;
        let [first, second] = evaluated.players() else {
            return Err(RequestError::run("two players made other than two reports"));
        };
        let measure = match self.game.load(&Context { observer: None, ..*context })? {
            Game::Guideline(game) => Measure::of(game.rules()),
            Game::Placement(_) => Measure::Score,
        };
        self.compared(evaluated.game.clone(), measure, [first, second])
    }
}

impl CompareRequest {
    /// The games that are compared.
    fn games_of_both(&self) -> EvaluateRequest {
        EvaluateRequest {
            game: self.game.clone(),
            players: self.players.clone(),
            round: self.round.clone(),
            losses: None,
            thinking: self.thinking,
            keys: false,
            discount: None,
            plot: None,
            tables: None,
            written: TablesFormat::default(),
            chance: self.chance,
        }
    }

    fn compared(
        &self,
        game: String,
        measure: Measure,
        reports: [&PlayerReport; 2],
    ) -> Result<CompareAnswer, RequestError> {
        let sign = if measure == Measure::Pieces { -1.0 } else { 1.0 };
        let [first, second] = reports.map(|report| &report.results);
        let leads: Vec<f64> = first.iter().zip(second).map(|(a, b)| lead(*a, *b, sign)).collect();
        let both: Vec<(f64, f64)> = first.iter().zip(second).filter_map(|(a, b)| (*a).zip(*b)).collect();
        let is_whole = both.len() == leads.len();
        let compared = match is_whole {
            true => both,
            // Somebody did not get there: by how much is unknown, but not who did better.
            false => leads.iter().map(|lead| (sign * lead, 0.0)).collect(),
        };
        let test = PairedTest::of(&compared, self.chance.seed)
            .ok_or_else(|| RequestError::run("no game was played to its end"))?;
        let mean = |results: &[Option<f64>]| {
            let sample: Vec<f64> = results.iter().flatten().copied().collect();
            (!sample.is_empty()).then(|| sample.iter().sum::<f64>() / sample.len() as f64)
        };
        let won = |side: f64| leads.iter().filter(|lead| **lead == side).count();
        Ok(CompareAnswer {
            game,
            version: VERSION,
            players: reports.map(|report| report.player.clone()),
            seed: self.chance.seed,
            games: leads.len(),
            measure,
            means: [mean(first), mean(second)],
            wins: [won(1.0), won(-1.0)],
            draws: won(0.0),
            verdict: CompareVerdict::of(&test, leads.len(), sign),
            p_value: test.p_value,
            games_needed: test.games_needed,
            difference: is_whole.then_some(test.difference),
            ratio: test.ratio.filter(|_| is_whole),
            interrupted: reports.iter().any(|report| report.interrupted),
        })
    }
}

/// 1 if the first of two results is the better one, -1 if the second is; any result is better than none.
fn lead(first: Option<f64>, second: Option<f64>, sign: f64) -> f64 {
    match (first, second) {
        (Some(a), Some(b)) if a != b => (sign * (a - b)).signum(),
        (Some(_), None) => 1.0,
        (None, Some(_)) => -1.0,
        _ => 0.0,
    }
}
