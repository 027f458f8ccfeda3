//! A request within another program: it tells how far it is, and can be stopped.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bellmino_lab::request::{Event, Observer};
use indicatif::{ProgressBar, ProgressDrawTarget};
use serde_json::Value;

use crate::output;

/// One request within another program, as its other threads see it.
#[derive(Debug, Default)]
pub struct Session {
    stopped: AtomicBool,
    kept: Mutex<SessionNotes>,
}

#[derive(Debug, Default)]
struct SessionNotes {
    bar: Option<ProgressBar>,
    steps: Vec<Value>,
}

/// How far a command is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionProgress {
    /// What is done.
    pub position: u64,
    /// What there is to do, if that is known.
    pub length: Option<u64>,
    /// What is being done.
    pub message: String,
}

impl Session {
    /// A session for one request.
    pub fn new() -> Arc<Session> {
        Arc::new(Session::default())
    }

    /// Asks the command to end soon, with what is known by then.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked to end.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// How far the command is, once it knows.
    pub fn progress(&self) -> Option<SessionProgress> {
        let bar = self.kept(|kept| kept.bar.clone())?;
        Some(SessionProgress { position: bar.position(), length: bar.length(), message: bar.message() })
    }

    /// What has been told since the last time: each step of training.
    pub fn take_steps(&self) -> Vec<Value> {
        self.kept(|kept| std::mem::take(&mut kept.steps))
    }

    fn show(&self, bar: &ProgressBar) {
        self.kept(|kept| kept.bar = Some(bar.clone()));
    }

    fn tell(&self, step: Value) {
        self.kept(|kept| kept.steps.push(step));
    }

    fn kept<T>(&self, look: impl FnOnce(&mut SessionNotes) -> T) -> T {
        look(&mut self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Observer for Session {
    fn hear(&self, event: Event<'_>) {
        match event {
            Event::Begin { what, parts } => {
                let bar = ProgressBar::with_draw_target(Some(parts), ProgressDrawTarget::hidden());
                self.show(&bar.with_message(what.to_owned()));
            }
            Event::Done(parts) => {
                if let Some(bar) = self.kept(|kept| kept.bar.clone()) {
                    bar.inc(parts);
                }
            }
            Event::Now { what, left } => {
                let bar = self.kept(|kept| kept.bar.get_or_insert_with(ProgressBar::hidden).clone());
                output::show_now(&bar, what, left);
            }
            Event::Step(step) => self.tell(step.clone()),
            Event::End | Event::Notice(_) => {}
        }
    }

    fn go_on(&self) -> bool {
        !self.is_stopped()
    }
}
