//! `bellmino ask`: requests for programs in any language, as JSON.

use std::io::{self, Read, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use bellmino_lab::request::{Context, Event, Observer, RequestKind};
use serde_json::{Value, json};

use crate::cli::Common;
use crate::failure::Failure;
use crate::interrupt;
use crate::terminal::Terminal;

/// Arguments of `ask`.
#[derive(clap::Args, Debug)]
pub struct AskArgs {
    /// What is asked, such as evaluate: see `bellmino schema`. Its fields are one JSON object on stdin
    request: String,
}

/// The largest request that is read.
const MAX_REQUEST: u64 = 16 << 20;

/// Parts that are done are told no more often than this.
const TOLD: Duration = Duration::from_millis(100);

/// Answers a request from stdin: a line for each event, then one for the answer or for why there is none.
pub fn run(args: &AskArgs, common: &Common) -> Result<(), Failure> {
    let kind = RequestKind::named(&args.request).map_err(Failure::input)?;
    let mut text = String::new();
    io::stdin().lock().take(MAX_REQUEST).read_to_string(&mut text)?;
    let request: Value = serde_json::from_str(&text)
        .map_err(|error| Failure::input(format!("stdin: give a JSON object: {error}")))?;
    let lines = EventLines { quiet: common.quiet, done: Mutex::new((0, Instant::now())) };
    let terminal = Terminal::new(common);
    let context = Context { observer: Some(&lines), ..terminal.context() };
    let answer = kind.ask(request, &context);
    lines.tell_done(true);
    match answer {
        Ok(answer) => say(&json!({ "answer": answer })),
        Err(error) => {
            say(&json!({ "error": error.to_string(), "input": error.is_input() }))?;
            Err(match error.is_input() {
                true => Failure::input(error),
                false => Failure::run(error),
            })
        }
    }
}

/// Writes events as lines.
struct EventLines {
    quiet: bool,
    /// Parts done that were not told yet, and when some were.
    done: Mutex<(u64, Instant)>,
}

impl EventLines {
    fn tell_done(&self, at_once: bool) {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        if done.0 > 0 && (at_once || done.1.elapsed() >= TOLD) {
            self.tell(&Event::Done(done.0));
            *done = (0, Instant::now());
        }
    }

    fn tell(&self, event: &Event<'_>) {
        if !self.quiet {
            // Whoever has stopped to read is missed by nobody: the work may be kept elsewhere.
            let _ = say(&event.to_value());
        }
    }
}

impl Observer for EventLines {
    fn hear(&self, event: Event<'_>) {
        if let Event::Done(parts) = event {
            self.done.lock().unwrap_or_else(PoisonError::into_inner).0 += parts;
            self.tell_done(false);
        } else {
            self.tell_done(true);
            self.tell(&event);
        }
    }

    fn go_on(&self) -> bool {
        interrupt::go_on()
    }
}

fn say(line: &Value) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}
