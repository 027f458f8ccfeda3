//! What the bot thinks of positions and moves, as words and as JSON: the same for commands, protocol and page.

use bellmino_data::numbers::{grouped, plain};
use bellmino_search::{Analysis, Choice, Coin, Forecast, Judgement, Thought, Verdict};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

/// What is expected of a game, in words; the points made so far count, if they are known.
///
/// ```
/// use bellmino_lab::verdict::forecast_words;
/// use bellmino_search::Forecast;
///
/// let sprint = Forecast::Pieces { pieces: 100.2449, exact: 0.847 };
/// assert_eq!(forecast_words(&sprint, None), "100.2 pieces, 85 % without waste");
/// let blitz = Forecast::Points { to_come: 81_236.4 };
/// assert_eq!(forecast_words(&blitz, None), "81,200 points to come");
/// assert_eq!(forecast_words(&blitz, Some(20_000)), "101,200 points");
/// ```
pub fn forecast_words(forecast: &Forecast, score: Option<u64>) -> String {
    match (forecast, score) {
        (Forecast::Pieces { pieces, exact }, _) => {
            let (pieces, exact) = (grouped(*pieces, 1), grouped(100.0 * exact, 0));
            format!("{pieces} pieces, {exact} % without waste")
        }
        // A sum of many guesses is known to the hundred at best.
        (Forecast::Points { to_come }, None) => format!("{} points to come", hundreds(*to_come)),
        (Forecast::Points { to_come }, Some(score)) => format!("{} points", hundreds(to_come + score as f64)),
    }
}

fn hundreds(points: f64) -> String {
    let step = if points < 2000.0 { 10.0 } else { 100.0 };
    grouped((points / step).round() * step, 0)
}

/// What a choice loses, in words; `None` if that is nothing to speak of.
///
/// ```
/// use bellmino_lab::verdict::loss_words;
/// use bellmino_search::Coin;
///
/// assert_eq!(loss_words(0.43, Coin::Pieces).as_deref(), Some("0.4 pieces"));
/// assert_eq!(loss_words(1.0, Coin::Pieces).as_deref(), Some("1 piece"));
/// assert_eq!(loss_words(1346.0, Coin::Points).as_deref(), Some("1,350 points"));
/// assert_eq!(loss_words(0.04, Coin::Pieces), None);
/// ```
pub fn loss_words(loss: f64, coin: Coin) -> Option<String> {
    let amount = coin.rounded(loss);
    let word = match coin {
        Coin::Pieces if amount == 1.0 => "piece",
        coin => coin.name(),
    };
    (amount > 0.0).then(|| format!("{} {word}", grouped(amount, usize::from(amount.fract() != 0.0))))
}

/// An exact loss in words, which has no coin but the objective's own; `None` if it is none.
pub fn exact_words(loss: f64) -> Option<String> {
    (loss > 0.0 && loss.is_finite()).then(|| plain(loss, 3))
}

/// What a choice loses, and why, as a list of placements has it: `-350 points: breaks back-to-back`.
pub fn choice_words(choice: &Choice, coin: Coin) -> String {
    let reasons = reasons(choice);
    match loss_words(choice.loss, coin) {
        _ if choice.fatal => "loses the game".to_owned(),
        None => "as good".to_owned(),
        Some(loss) if reasons.is_empty() => format!("-{loss}"),
        Some(loss) => format!("-{loss}: {reasons}"),
    }
}

/// The reasons of a choice in words.
pub fn reasons(choice: &Choice) -> String {
    choice.reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// What is expected of a game as JSON: `pieces` and `exact`, or `points_to_come` and, with the points so far, `points`.
pub fn forecast_json(forecast: Option<&Forecast>, score: Option<u64>) -> Value {
    let round = |number: f64, digits: i32| (number * 10f64.powi(digits)).round() / 10f64.powi(digits);
    match forecast {
        None => Value::Null,
        Some(Forecast::Pieces { pieces, exact }) => {
            json!({ "pieces": round(*pieces, 3), "exact": round(*exact, 3) })
        }
        Some(Forecast::Points { to_come }) => match score {
            None => json!({ "points_to_come": to_come.round() }),
            Some(score) => {
                json!({ "points_to_come": to_come.round(), "points": (to_come + score as f64).round() })
            }
        },
    }
}

/// What the bot thinks of a position, with so many placements, as the bot values them.
pub fn thought_json(thought: &Thought, top: usize) -> Value {
    let candidate = |candidate: &bellmino_search::Candidate| {
        json!({
            "placement": candidate.placement.to_string(),
            "value": candidate.value,
            "line": candidate.line.iter().map(ToString::to_string).collect::<Vec<_>>(),
        })
    };
    json!({
        "unit": thought.unit.name(),
        "nodes": thought.nodes,
        "depth": thought.depth,
        "candidates": thought.candidates.iter().take(top).map(candidate).collect::<Vec<_>>(),
    })
}

/// What the bot thinks of a position, in the game's own coin.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct AnalysisReport {
    /// What losses are counted in.
    pub coin: &'static str,
    /// What the game is expected to come to if the bot plays on.
    pub expected: Value,
    /// Placements that were looked at.
    pub nodes: u64,
    /// Pieces looked ahead.
    pub depth: usize,
    /// Placements, those that lose least first.
    pub candidates: Vec<ChoiceReport>,
}

/// A placement beside the best one.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ChoiceReport {
    /// The placement.
    pub placement: String,
    /// Whether another piece goes into hold for it.
    pub held: bool,
    /// What it clears.
    pub clear: String,
    /// What is expected of the game after it.
    pub expected: Value,
    /// What it loses against the best one.
    pub loss: f64,
    /// Whether it loses the whole game.
    pub fatal: bool,
    /// What it does worse.
    pub reasons: Vec<String>,
    /// How play might go on, this placement first.
    pub line: Vec<String>,
}

/// What the bot thinks of a move.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JudgementReport {
    /// Which move of the game, counted from 1.
    #[serde(rename = "move")]
    pub number: usize,
    /// What was played.
    pub played: String,
    /// The loss in a word.
    pub verdict: &'static str,
    /// What it loses against the best placement.
    pub loss: f64,
    /// Whether it loses the whole game.
    pub fatal: bool,
    /// What is expected of the game after it.
    pub expected_after: Value,
    /// What it does worse.
    pub reasons: Vec<String>,
    /// What the bot thinks of the position before it.
    pub analysis: AnalysisReport,
}

impl AnalysisReport {
    /// What there is to say; the points made so far count, if they are known.
    pub fn of(analysis: &Analysis, score: Option<u64>) -> AnalysisReport {
        AnalysisReport {
            coin: analysis.coin.name(),
            expected: forecast_json(analysis.forecast.as_ref(), score),
            nodes: analysis.thought.nodes,
            depth: analysis.thought.depth,
            candidates: analysis.choices.iter().map(|choice| ChoiceReport::of(choice, score)).collect(),
        }
    }
}

impl ChoiceReport {
    fn of(choice: &Choice, score: Option<u64>) -> ChoiceReport {
        ChoiceReport {
            placement: choice.placement.to_string(),
            held: choice.held,
            clear: choice.clear.to_string(),
            expected: forecast_json(choice.forecast.as_ref(), score),
            loss: choice.loss,
            fatal: choice.fatal,
            reasons: choice.reasons.iter().map(ToString::to_string).collect(),
            line: choice.line.iter().map(ToString::to_string).collect(),
        }
    }
}

impl JudgementReport {
    /// What there is to say of a move.
    pub fn of(judgement: &Judgement) -> JudgementReport {
        let Judgement { number, verdict, analysis, score, .. } = judgement;
        let played = judgement.played();
        JudgementReport {
            number: *number,
            played: played.placement.to_string(),
            verdict: if judgement.is_best() { "best" } else { verdict.name() },
            loss: played.loss,
            fatal: played.fatal,
            expected_after: forecast_json(played.forecast.as_ref(), Some(*score)),
            reasons: played.reasons.iter().map(ToString::to_string).collect(),
            analysis: AnalysisReport::of(analysis, Some(*score)),
        }
    }
}

/// A move and the verdict on it in words: `25. T south 4,1: mistake, loses 640 points: wastes a T; better S east 2,0`.
pub fn judgement_words(judgement: &Judgement) -> String {
    let (played, best) = (judgement.played(), judgement.best());
    let mut text = format!("{}. {}{}: ", judgement.number, played.placement, held(played));
    let loss = loss_words(played.loss, judgement.analysis.coin);
    match (judgement.verdict, loss) {
        _ if judgement.is_best() => text += "the best",
        _ if played.fatal => text += "blunder, loses the game",
        (Verdict::Good, None) => text += "as good as the best",
        (verdict, loss) => {
            text += verdict.name();
            if let Some(loss) = loss {
                text += &format!(", loses {loss}");
            }
        }
    }
    if !judgement.is_best() {
        let reasons = reasons(played);
        if !reasons.is_empty() && !played.fatal {
            text += &format!(" ({reasons})");
        }
        text += &format!("; better {}{}", best.placement, held(best));
    }
    text
}

/// ` after hold`, if so.
pub fn held(choice: &Choice) -> &'static str {
    if choice.held { " after hold" } else { "" }
}
