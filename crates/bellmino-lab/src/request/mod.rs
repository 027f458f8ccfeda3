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

mod check;
mod endurance;
mod error;
mod evaluate;
mod game;
mod outputs;
mod perft;
mod think;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::clock::Clock;
use crate::crew::Crew;
use crate::resources::{BuiltIn, Resources};

pub use check::{kinds, read, schema_of, shown_fields};
pub use endurance::{EnduranceAnswer, EnduranceRequest};
pub use error::{RequestError, named};
pub use evaluate::{EvaluateAnswer, EvaluateRequest};
pub use game::{Chance, GameChoice};
pub use outputs::{NoOutputs, OpenTables, Outputs};
pub use perft::{PerftAnswer, PerftRequest};
pub use think::Thinking;

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
    /// This part of the work has ended.
    End,
    /// Something that a person should read.
    Notice(String),
    /// A step of training, by its columns.
    Step(&'a Value),
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
    pub const ALL: [RequestKind; 3] = [
        RequestKind::of::<EnduranceRequest>(),
        RequestKind::of::<EvaluateRequest>(),
        RequestKind::of::<PerftRequest>(),
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
        let found = RequestKind::ALL.into_iter().find(|kind| kind.name == name);
        found.ok_or_else(|| {
            let hint = bellmino_engine::suggestion(name, RequestKind::ALL.iter().map(|kind| kind.name));
            RequestError::input(format!("there is no request `{name}`; {hint}"))
        })
    }

    /// The JSON Schema of the request and of its answer.
    pub fn schema(&self) -> Value {
        json!({ "name": self.name, "request": (self.schema)(), "answer": (self.answer_schema)() })
    }

    /// The JSON Schema of the request alone.
    pub fn fields(&self) -> Value {
        (self.schema)()
    }

    /// Answers a request from JSON by JSON.
    pub fn ask(&self, request: Value, context: &Context<'_>) -> Result<Value, RequestError> {
        (self.ask)(request, context)
    }
}
