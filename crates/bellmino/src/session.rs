//! A command within another program: it answers with a value, tells how far it is, and can be stopped.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bellmino_lab::request::{Event, Observer};
use indicatif::{ProgressBar, ProgressDrawTarget};
use serde_json::Value;

use crate::failure::Failure;
use crate::output;

/// One command within another program, as its other threads see it.
#[derive(Debug, Default)]
pub struct Session {
    stopped: AtomicBool,
    kept: Mutex<SessionNotes>,
}

#[derive(Debug, Default)]
struct SessionNotes {
    bar: Option<ProgressBar>,
    steps: Vec<Value>,
    answer: Option<Value>,
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

thread_local! {
    static CURRENT: RefCell<Option<Arc<Session>>> = const { RefCell::new(None) };
}

impl Session {
    /// A session for one command.
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

    /// Runs something on threads of its own, all of which belong to this session.
    pub(crate) fn within<T: Send>(
        self: &Arc<Session>,
        threads: Option<usize>,
        work: impl FnOnce() -> Result<T, Failure> + Send,
    ) -> Result<T, Failure> {
        let session = self.clone();
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads.unwrap_or(0))
            .start_handler(move |_| CURRENT.set(Some(session.clone())));
        pool.build().map_err(Failure::run)?.install(work)
    }

    /// The answer of the command, if it has given one.
    pub(crate) fn answer(&self) -> Option<Value> {
        self.kept(|kept| kept.answer.take())
    }

    pub(crate) fn set_answer(&self, answer: Value) {
        self.kept(|kept| kept.answer = Some(answer));
    }

    pub(crate) fn show(&self, bar: &ProgressBar) {
        self.kept(|kept| kept.bar = Some(bar.clone()));
    }

    pub(crate) fn tell(&self, step: Value) {
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

/// The session this thread works for; none in the program itself.
pub(crate) fn current() -> Option<Arc<Session>> {
    CURRENT.with_borrow(Clone::clone)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;

    #[test]
    fn every_thread_of_a_session_knows_it_and_no_other_does() {
        let session = Session::new();
        let all = session.within(Some(3), || {
            let known = |_: usize| current().is_some_and(|known| Arc::ptr_eq(&known, &session));
            Ok((0..1000).into_par_iter().map(known).reduce(|| true, |a, b| a && b))
        });
        assert!(all.unwrap() && current().is_none());
    }
}
