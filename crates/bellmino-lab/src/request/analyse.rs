//! The best placements of a position, or the mistakes of a game.

use std::fmt::Display;
use std::ops::Range;

use bellmino_engine::guideline::{Board, Position, Record, View};
use bellmino_engine::placement;
use bellmino_engine::{AnyRecord, Game, PlacementGame};
use bellmino_exact::{SolveError, Watch};
use bellmino_search::{Analysis, Budget, Judgement, Verdict, analyse, judge, review, steps};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::exact::parsed;
use super::position::{guideline_board, guideline_piece, guideline_pieces};
use super::solve::NamedPlacement;
use super::{Context, Event, Request, RequestError, SoFar, Thinking, TopChoice, named};
use crate::losses::{LossError, LossReport, MoveLoss};
use crate::resources::{ResourceKind, read_text};
use crate::verdict::{AnalysisReport, JudgementReport};

/// Show the best placements of a position, or the mistakes of a game
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AnalyseRequest {
    /// A record of a game, or a board: a fumen, a file, or rows from the top such as "##........ / ####.#####"
    #[schemars(extend("x-positional" = true))]
    pub input: String,

    /// The record or the board itself; `input` is then only what messages call it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-no-flag" = true))]
    pub text: Option<String>,

    /// The current piece and the next ones (of a board)
    #[serde(default)]
    #[schemars(extend("x-value" = "PIECES"))]
    pub queue: Option<String>,

    /// The held piece (of a board)
    #[serde(default)]
    #[schemars(extend("x-value" = "PIECE"))]
    pub hold: Option<String>,

    /// What the game of a board is about
    #[serde(default)]
    #[schemars(extend("x-value" = "GOAL"))]
    pub goal: AnalyseGoal,

    /// What the game of a board has been so far.
    #[serde(flatten)]
    pub so_far: SoFar,

    /// Only this move of the record, counted from 1
    #[serde(default, rename = "move")]
    #[schemars(extend("x-value" = "N"))]
    pub number: Option<u64>,

    /// How many to show.
    #[serde(flatten)]
    pub shown: TopChoice,

    /// What the exact losses in a placement game are of: discounted:L, horizon:N (pieces), total, average or survive
    /// [default: total if it is finite, else average]
    #[serde(default)]
    #[schemars(extend("x-value" = "O"))]
    pub objective: Option<String>,

    /// How long the bot thinks.
    #[serde(flatten)]
    pub thinking: Thinking,
}

/// What the game of a board is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AnalyseGoal {
    /// Forty rows with few pieces.
    Sprint,
    /// Points.
    #[default]
    Blitz,
    /// Nothing.
    Practice,
}

/// What was found, for people and programs alike.
#[derive(Clone, Debug)]
pub enum Analysed {
    /// A position.
    Position {
        /// Its board.
        board: Board,
        /// What the bot thinks of it; nothing if no placement is possible.
        analysis: Option<Box<Analysis>>,
        /// Points made so far, if they are known.
        score: Option<u64>,
    },
    /// One move of a record.
    Move(Box<Judgement>),
    /// A record of a guideline game.
    Record {
        /// The game.
        game: String,
        /// How many moves it has.
        moves: usize,
        /// What the bot thinks of those that were judged.
        judgements: Vec<Judgement>,
    },
    /// A record of a placement game.
    Losses {
        /// The game.
        game: Box<PlacementGame>,
        /// What the record calls it.
        name: String,
        /// What each move gave away.
        losses: LossReport,
        /// Those that were asked for.
        shown: Range<usize>,
    },
}

/// What was found: of a position, of a move, of a game, or the exact losses of a placement game.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum AnalyseAnswer {
    /// A position.
    Position(AnalysisReport),
    /// A position in which no placement is possible.
    Nothing {
        /// None.
        candidates: Vec<String>,
    },
    /// One move.
    Move(Box<JudgementReport>),
    /// A game.
    Record(RecordReport),
    /// A placement game.
    Losses(LossesReport),
}

/// What the bot thinks of a game.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RecordReport {
    /// The game.
    pub game: String,
    /// Its moves.
    pub moves: usize,
    /// How many of them were judged.
    pub judged: usize,
    /// What losses are counted in.
    pub coin: Option<&'static str>,
    /// Lost in all.
    pub loss: f64,
    /// Small losses.
    pub inaccuracies: usize,
    /// Losses that matter.
    pub mistakes: usize,
    /// Losses of a big clear, or of the goal.
    pub blunders: usize,
    /// What the bot thinks of each.
    pub judgements: Vec<JudgementReport>,
}

/// What each move of a placement game gave away.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LossesReport {
    /// The game.
    pub game: String,
    /// What the losses are of.
    pub objective: String,
    /// The proven bound on the value of the game.
    pub error_bound: f64,
    /// Its moves.
    pub moves: usize,
    /// Given away in all; absent if that is without end.
    pub loss: Option<f64>,
    /// Each of those that were asked for.
    pub losses: Vec<LossRow>,
}

/// What a move gave away.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LossRow {
    /// Which move, counted from 1.
    #[serde(rename = "move")]
    pub number: usize,
    /// The board before it: rows from the top, `/` between them.
    pub board: String,
    /// What was played.
    pub played: NamedPlacement,
    /// Its value; absent if that is without end.
    pub value: Option<f64>,
    /// The best placement.
    pub best: NamedPlacement,
    /// Its value; absent if that is without end.
    pub best_value: Option<f64>,
    /// How much more the best is worth; absent if that is without end.
    pub loss: Option<f64>,
}

impl Request for AnalyseRequest {
    const NAME: &'static str = "analyse";
    type Answer = AnalyseAnswer;

    fn answer(&self, context: &Context<'_>) -> Result<AnalyseAnswer, RequestError> {
        Ok(self.analyse(context)?.to_answer())
    }
}

impl AnalyseRequest {
    /// What is found, before it is written down.
    pub fn analyse(&self, context: &Context<'_>) -> Result<Analysed, RequestError> {
        let budget = self.thinking.budget()?.unwrap_or(Budget::REVIEW).on(context.threads);
        if let Some(text) = self.record_text(context)? {
            let record = AnyRecord::from_text(&text).map_err(|error| self.refuse(&error))?;
            return match record {
                AnyRecord::Placement(record) => self.losses(&record, context),
                AnyRecord::Guideline(record) => self.record(&record, budget, context),
            };
        }
        self.refuse_objective()?;
        let board = guideline_board(self.text.as_ref().unwrap_or(&self.input), context)?;
        let Some(queue) = &self.queue else {
            let why = format!("a board needs {}: the current piece and the next ones", named("queue"));
            return Err(RequestError::input(why));
        };
        let game = Game::built_in(self.goal.game(), &[]).and_then(Result::ok);
        let game = game.as_ref().and_then(Game::guideline);
        let game = game.ok_or_else(|| RequestError::input(Game::unknown(self.goal.game())))?;
        let SoFar { bag, back_to_back, combo, pieces, lines, score } = &self.so_far;
        let hold = self.hold.as_deref().map(|hold| guideline_piece("hold", hold)).transpose()?;
        let view = View {
            rules: *game.rules(),
            position: Position { board, hold, back_to_back: *back_to_back, combo: *combo },
            queue: guideline_pieces("queue", queue)?,
            bag: bag.as_deref().map_or(Ok(vec![]), |bag| guideline_pieces("bag", bag))?,
            pieces: *pieces,
            lines: *lines,
        };
        let analysis = analyse(&view, self.shown.top as usize, budget).map(Box::new);
        Ok(Analysed::Position { board, analysis, score: *score })
    }

    /// The text of the record, if it is one.
    fn record_text(&self, context: &Context<'_>) -> Result<Option<String>, RequestError> {
        let text = match &self.text {
            Some(text) => text.clone(),
            None if context.resources.has(&self.input) => {
                let text = read_text(context.resources, ResourceKind::Text, &self.input);
                text.map_err(|error| self.refuse(&error))?
            }
            None => return Ok(None),
        };
        Ok(text.contains("version = ").then_some(text))
    }

    fn refuse(&self, error: &dyn Display) -> RequestError {
        RequestError::input(format!("{}: {error}", self.input))
    }

    fn refuse_objective(&self) -> Result<(), RequestError> {
        let why = "is for records of placement games, whose moves have exact losses";
        if self.objective.is_some() { Err(RequestError::field("objective", why)) } else { Ok(()) }
    }

    fn no_such_move(&self, count: usize) -> RequestError {
        let number = self.number.unwrap_or_default();
        RequestError::input(format!("the record has moves 1 to {count}, not {number}"))
    }

    /// The judgements of a guideline game.
    fn record(
        &self,
        record: &Record,
        budget: Budget,
        context: &Context<'_>,
    ) -> Result<Analysed, RequestError> {
        self.refuse_objective()?;
        let moves = steps(record).map_err(RequestError::input)?;
        if let Some(number) = self.number {
            let found = (number as usize).checked_sub(1).and_then(|index| moves.get(index));
            let judged = found.and_then(|step| judge(step, self.shown.top as usize, budget));
            return judged
                .map(|judgement| Analysed::Move(Box::new(judgement)))
                .ok_or_else(|| self.no_such_move(moves.len()));
        }
        let moves = moves.len();
        context.tell(Event::Begin { what: "moves", parts: moves as u64 });
        let mut judgements = vec![];
        let reviewed = review(record, budget, |judgement| {
            judgements.push(judgement);
            context.done(1)
        });
        context.tell(Event::End);
        reviewed.map_err(RequestError::input)?;
        Ok(Analysed::Record { game: record.game.clone(), moves, judgements })
    }

    /// The exact losses of a placement game.
    fn losses(&self, record: &placement::Record, context: &Context<'_>) -> Result<Analysed, RequestError> {
        self.thinking.refuse(&record.game)?;
        let objective = self.objective.as_deref().map(|text| parsed("objective", text)).transpose()?;
        let game = record.rules().map_err(RequestError::input)?;
        let memory = Some((context.memory.free)().unwrap_or(u64::MAX));
        let losses = LossReport::new(record, objective, memory, &Stoppable(context));
        let losses = losses.map_err(|error| match error {
            LossError::Solve(SolveError::Interrupted) => RequestError::run("interrupted"),
            error => RequestError::input(error),
        })?;
        if objective.is_none() {
            context.tell(Event::Notice(format!(
                "losses of the objective `{}`; choose another with {}",
                losses.objective,
                named("objective")
            )));
        }
        let count = losses.moves.len();
        let shown = match self.number {
            None => 0..count,
            Some(number) if (1..=count as u64).contains(&number) => number as usize - 1..number as usize,
            Some(_) => return Err(self.no_such_move(count)),
        };
        Ok(Analysed::Losses { game: Box::new(game), name: record.game.clone(), losses, shown })
    }
}

/// Lets a solver go on until somebody wants it to stop.
struct Stoppable<'a>(&'a Context<'a>);

impl Watch for Stoppable<'_> {
    fn go_on(&self) -> bool {
        self.0.go_on()
    }
}

impl AnalyseGoal {
    /// The built-in game that is about it.
    fn game(self) -> &'static str {
        match self {
            AnalyseGoal::Sprint => "sprint",
            AnalyseGoal::Blitz => "blitz",
            AnalyseGoal::Practice => "practice",
        }
    }
}

impl Analysed {
    /// As an answer.
    pub fn to_answer(&self) -> AnalyseAnswer {
        match self {
            Analysed::Position { analysis: None, .. } => AnalyseAnswer::Nothing { candidates: vec![] },
            Analysed::Position { analysis: Some(analysis), score, .. } => {
                AnalyseAnswer::Position(AnalysisReport::of(analysis, *score))
            }
            Analysed::Move(judgement) => AnalyseAnswer::Move(Box::new(JudgementReport::of(judgement))),
            Analysed::Record { game, moves, judgements } => {
                AnalyseAnswer::Record(RecordReport::of(game, *moves, judgements))
            }
            Analysed::Losses { game, name, losses, shown } => AnalyseAnswer::Losses(LossesReport {
                game: name.clone(),
                objective: losses.objective.to_string(),
                error_bound: losses.error_bound,
                moves: losses.moves.len(),
                loss: finite(losses.total()),
                losses: shown
                    .clone()
                    .map(|index| LossRow::of(game, index + 1, &losses.moves[index]))
                    .collect(),
            }),
        }
    }
}

impl RecordReport {
    /// What the judgements of so many moves come to.
    pub fn of(game: &str, moves: usize, judgements: &[Judgement]) -> RecordReport {
        let count = |verdict: Verdict| judgements.iter().filter(|one| one.verdict == verdict).count();
        RecordReport {
            game: game.to_owned(),
            moves,
            judged: judgements.len(),
            coin: judgements.first().map(|one| one.analysis.coin.name()),
            loss: judgements.iter().map(|one| one.played().loss).sum(),
            inaccuracies: count(Verdict::Inaccuracy),
            mistakes: count(Verdict::Mistake),
            blunders: count(Verdict::Blunder),
            judgements: judgements.iter().map(JudgementReport::of).collect(),
        }
    }
}

impl LossRow {
    fn of(game: &PlacementGame, number: usize, one: &MoveLoss) -> LossRow {
        let placement = |placement| NamedPlacement::new(game, placement);
        LossRow {
            number,
            board: one.board.to_string().replace('\n', "/"),
            played: placement(one.played),
            value: finite(one.value),
            best: placement(one.best),
            best_value: finite(one.best_value),
            loss: finite(one.loss),
        }
    }
}

/// JSON knows no infinite numbers.
fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
