//! What can be asked, and what is answered: one type each, for every front.
//!
//! A command line, a Python function, a form in a page and a unit of work fill the same [`Request`]. Its fields, their
//! defaults, their words and their ranges are declared once, in the type; [`schema_of`] tells them to everybody else.
//!
//! ```
//! use bellmino_lab::request::{Context, PerftRequest, Request, read};
//!
//! let request: PerftRequest = read(serde_json::json!({ "game": "baby", "depth": 4 }))?;
//! assert_eq!(request.answer(&Context::default())?.nodes, 15734);
//! let refused = read::<PerftRequest>(serde_json::json!({ "game": "baby", "depth": 65 })).unwrap_err();
//! assert_eq!(refused.to_string(), "`depth`: give a whole number from 0 to 64, not 65");
//! # Ok::<(), bellmino_lab::request::RequestError>(())
//! ```
//!
//! How far it is goes to an [`Observer`] as [`Event`]s; the observer also says when to stop. Others who do the work are a
//! crew handed in by the [`Context`].
//!
//! # Files
//! - `error`: why not, in words that each front spells its own way
//! - `check`: requests from JSON, held against their schema
//! - `game`, `think`, `exact`, `position` and `outputs`: what many requests share
//! - `evaluate`, `compare`, `play`, `endurance`, `perft`, `solve` and `export`: the requests for whole games
//! - `analyse`, `best`, `pc`, `fumen`, `tables` and `calibrate`: those for positions, records and forecasts
//! - `hunt` and `replay`: games by keys, against dealers that mean ill
//! - `train`, `tune` and `resume`: those of training
//! - `run`: training on its way, and where it leaves its results
//! - `lists`: requests for lists: games, weights and features

mod analyse;
mod best;
mod calibrate;
mod check;
mod compare;
mod endurance;
mod error;
mod evaluate;
mod exact;
mod export;
mod fumen;
mod game;
mod hunt;
mod lists;
mod outputs;
mod pc;
mod perft;
mod play;
mod position;
mod replay;
mod resume;
mod run;
mod solve;
mod tables;
mod think;
mod train;
mod tune;

use std::time::Duration;

use bellmino_data::numbers::grouped;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::clock::Clock;
use crate::crew::Crew;
use crate::memory::Memory;
use crate::resources::{BuiltIn, Resources};

pub use analyse::{
    AnalyseAnswer, AnalyseGoal, AnalyseRequest, Analysed, LossRow, LossesReport, RecordReport,
};
pub use best::{BestAnswer, BestRequest, SoFar, TopChoice};
pub use calibrate::{CalibrateAnswer, CalibrateGoal, CalibrateRequest};
pub use check::{Variant, Variants, check, kinds, merged, read, schema_of, shown_fields};
pub use compare::{CompareAnswer, CompareRequest, CompareVerdict};
pub use endurance::{EnduranceAnswer, EnduranceRequest};
pub(crate) use error::plainly;
pub use error::{RequestError, named, spelled};
pub use evaluate::{EvaluateAnswer, EvaluateRequest, GameRound};
pub use exact::{ExactQuestion, SolveTerms};
pub use export::{ExportAnswer, ExportRequest};
pub use fumen::{FumenAnswer, FumenRequest};
pub use game::{Chance, GameChoice};
pub use hunt::{HuntAnswer, HuntRequest};
pub use lists::{FeaturesAnswer, FeaturesRequest, GamesAnswer, GamesRequest, WeightsAnswer, WeightsRequest};
pub use outputs::{NoOutputs, OpenRun, OpenTables, Outputs, WriteBy};
pub use pc::{PcAnswer, PcRequest};
pub use perft::{PerftAnswer, PerftRequest};
pub use play::{
    DroppedMove, DroppedTurn, Onlooker, PlacedMove, PlacedTurn, PlayAnswer, PlayRequest, PlayRest,
};
pub use position::{guideline_board, guideline_piece, guideline_pieces};
pub use replay::{ReplayAnswer, ReplayRequest};
pub use resume::{ResumeAnswer, ResumeRequest};
pub use run::{Keeping, RunChoice};
pub use solve::{GapAnswer, NeverClearAnswer, ShownBest, SolveAnswer, SolveRequest, Solved, SolvedAnswer};
pub use tables::{MoreGames, TablesAnswer, TablesFormat, TablesRequest};
pub use think::Thinking;
pub use train::{
    CbmpiFields, CemFields, LearnedAnswer, SearchFields, TdFields, TdRunsAnswer, TrainAnswer, TrainMethod,
    TrainRequest, TuplesFields,
};
pub use tune::{TuneAnswer, TuneRequest};

/// The version that every answer names.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Something that can be asked.
pub trait Request: Serialize + DeserializeOwned + JsonSchema {
    /// Its name: that of the command.
    const NAME: &'static str;

    /// What is answered.
    type Answer: Serialize + JsonSchema;

    /// Finds the answer.
    fn answer(&self, context: &Context<'_>) -> Result<Self::Answer, RequestError>;
}

/// What a request is answered with: who watches, who helps, what time it is.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// Where named things from outside come from.
    pub resources: &'a dyn Resources,
    /// Where what is made is put.
    pub outputs: &'a dyn Outputs,
    /// Who is told how far it is, and may stop it.
    pub observer: Option<&'a dyn Observer>,
    /// Others who do the work.
    pub crew: Option<&'a dyn Crew>,
    /// For the seconds in answers.
    pub clock: Clock,
    /// How much memory there is.
    pub memory: Memory,
    /// Threads that think about one move where one game is played at a time.
    pub threads: usize,
}

impl Default for Context<'_> {
    /// Built-in things only, nobody who watches, and no clock.
    fn default() -> Self {
        Context {
            resources: &BuiltIn,
            outputs: &NoOutputs,
            observer: None,
            crew: None,
            clock: Clock::STOPPED,
            memory: Memory::UNKNOWN,
            threads: 1,
        }
    }
}

/// Somebody who watches a request being answered.
pub trait Observer: Sync {
    /// Something has happened.
    fn hear(&self, event: Event<'_>);

    /// Whether the work should go on; if not, it ends soon with what is known.
    fn go_on(&self) -> bool;
}

/// What happens on the way to an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Event<'a> {
    /// Work of so many parts begins.
    Begin {
        /// What is counted.
        what: &'a str,
        /// How many.
        parts: u64,
    },
    /// So many more parts are done.
    Done(u64),
    /// What is being done, or what was found so far.
    Now {
        /// In words.
        what: String,
        /// How long it may still take.
        left: Option<Duration>,
    },
    /// This part of the work has ended.
    End,
    /// Something that a person should read. Fields are named by [`named`], to be [`spelled`].
    Notice(String),
    /// A step of training, by its columns.
    Step(&'a Value),
}

impl Event<'_> {
    /// As JSON, with its kind as `event`.
    pub fn to_value(&self) -> Value {
        match self {
            Event::Begin { what, parts } => json!({ "event": "begin", "what": what, "parts": parts }),
            Event::Done(parts) => json!({ "event": "done", "parts": parts }),
            Event::Now { what, left } => {
                json!({ "event": "now", "what": what, "seconds_left": left.map(|left| left.as_secs_f64()) })
            }
            Event::End => json!({ "event": "end" }),
            Event::Notice(text) => json!({ "event": "notice", "text": plainly(text) }),
            Event::Step(step) => json!({ "event": "step", "step": step }),
        }
    }
}

impl Context<'_> {
    /// Tells what happens.
    pub fn tell(&self, event: Event<'_>) {
        if let Some(observer) = self.observer {
            observer.hear(event);
        }
    }

    /// Whether the work should go on.
    pub fn go_on(&self) -> bool {
        self.observer.is_none_or(Observer::go_on)
    }

    /// So many more parts are done; whether the work should go on.
    pub fn done(&self, parts: u64) -> bool {
        if parts > 0 {
            self.tell(Event::Done(parts));
        }
        self.go_on()
    }
}

/// One kind of request, for fronts that know it by name only.
#[derive(Clone, Copy)]
pub struct RequestKind {
    /// Its name.
    pub name: &'static str,
    schema: fn() -> Value,
    answer_schema: fn() -> Value,
    ask: fn(Value, &Context<'_>) -> Result<Value, RequestError>,
}

impl RequestKind {
    /// All of them, by name.
    pub const ALL: &'static [RequestKind] = &[
        RequestKind::of::<AnalyseRequest>(),
        RequestKind::of::<BestRequest>(),
        RequestKind::of::<CalibrateRequest>(),
        RequestKind::of::<CompareRequest>(),
        RequestKind::of::<EnduranceRequest>(),
        RequestKind::of::<EvaluateRequest>(),
        RequestKind::of::<ExportRequest>(),
        RequestKind::of::<FeaturesRequest>(),
        RequestKind::of::<FumenRequest>(),
        RequestKind::of::<GamesRequest>(),
        RequestKind::of::<HuntRequest>(),
        RequestKind::of::<PcRequest>(),
        RequestKind::of::<PerftRequest>(),
        RequestKind::of::<PlayRequest>(),
        RequestKind::of::<ReplayRequest>(),
        RequestKind::of::<ResumeRequest>(),
        RequestKind::of::<SolveRequest>(),
        RequestKind::of::<TablesRequest>(),
        RequestKind::of::<TrainRequest>(),
        RequestKind::of::<TuneRequest>(),
        RequestKind::of::<WeightsRequest>(),
    ];

    const fn of<R: Request>() -> RequestKind {
        RequestKind {
            name: R::NAME,
            schema: schema_of::<R>,
            answer_schema: schema_of::<R::Answer>,
            ask: |value, context| {
                let answer = read::<R>(value)?.answer(context)?;
                serde_json::to_value(answer).map_err(RequestError::run)
            },
        }
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Result<RequestKind, RequestError> {
        let found = RequestKind::ALL.iter().find(|kind| kind.name == name);
        found.copied().ok_or_else(|| {
            let hint = bellmino_engine::suggestion(name, RequestKind::ALL.iter().map(|kind| kind.name));
            RequestError::input(format!("there is no request `{name}`; {hint}"))
        })
    }

    /// The JSON Schema of the request and of its answer.
    pub fn schema(&self) -> Value {
        json!({ "name": self.name, "request": (self.schema)(), "answer": (self.answer_schema)() })
    }

    /// The JSON Schema of the request alone, with the fields of all its kinds in one list if it has several.
    pub fn fields(&self) -> Value {
        merged((self.schema)())
    }

    /// Answers a request from JSON by JSON.
    pub fn ask(&self, request: Value, context: &Context<'_>) -> Result<Value, RequestError> {
        (self.ask)(request, context)
    }
}

/// A number for people: thousands apart, three decimals where it is not whole.
fn number(value: f64) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    grouped(value, if value.fract() == 0.0 { 0 } else { 3 })
}
