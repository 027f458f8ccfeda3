//! The terminal as it watches a request: progress and notices on stderr, Ctrl-C as the wish to stop.

use std::sync::{Arc, Mutex, PoisonError};

use bellmino_host::{CLOCK, Files, MEMORY};
use bellmino_lab::Crew;
use bellmino_lab::request::{Context, Event, Observer, Request, spelled};
use indicatif::ProgressBar;

use crate::cli::Common;
use crate::failure::Failure;
use crate::flags::refuse;
use crate::session::Session;
use crate::{interrupt, output};

/// Another program around a command.
#[derive(Clone, Debug)]
pub struct Around {
    /// It has the work done.
    pub crew: Arc<dyn Crew>,
    /// It hears how far it is, and may stop it.
    pub observer: Arc<Session>,
}

/// Who watches a request in a terminal.
pub struct Terminal<'a> {
    quiet: bool,
    around: Option<Around>,
    /// Threads that think about one move.
    threads: usize,
    bar: Mutex<Option<ProgressBar>>,
    /// Called with the parts that are done; what it gives is said.
    remark: Option<&'a (dyn Fn(u64) -> Option<String> + Sync)>,
}

impl<'a> Terminal<'a> {
    /// A terminal, as the flags of every command say.
    pub fn new(common: &Common) -> Terminal<'a> {
        Terminal {
            quiet: common.quiet,
            around: common.around.clone(),
            threads: common.threads.unwrap_or(1),
            bar: Mutex::default(),
            remark: None,
        }
    }

    /// The same, with something to say on the way.
    pub fn remarking(self, remark: &'a (dyn Fn(u64) -> Option<String> + Sync)) -> Terminal<'a> {
        Terminal { remark: Some(remark), ..self }
    }

    /// What requests are answered with here.
    pub fn context(&self) -> Context<'_> {
        let observer = Some(self as &dyn Observer);
        let crew = self.around.as_ref().map(|around| &*around.crew);
        Context {
            resources: &Files,
            outputs: &Files,
            observer,
            crew,
            clock: CLOCK,
            memory: MEMORY,
            threads: self.threads,
        }
    }

    /// The answer to a request.
    pub fn ask<R: Request>(&self, request: &R) -> Result<R::Answer, Failure> {
        request.answer(&self.context()).map_err(|error| refuse::<R>(&error))
    }

    fn say(&self, words: &str) {
        if self.quiet {
            return;
        }
        let words = spelled(words, |field| format!("--{}", field.replace('_', "-")));
        let line = || eprintln!("bellmino: {words}");
        match &*self.bar.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(bar) => bar.suspend(line),
            None => line(),
        }
    }
}

impl Observer for Terminal<'_> {
    fn hear(&self, event: Event<'_>) {
        if let (Some(around), false) = (&self.around, matches!(event, Event::Notice(_))) {
            return around.observer.hear(event);
        }
        let bar = || self.bar.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Begin { what, parts } => *bar() = Some(output::progress(self.quiet, parts, what)),
            Event::Done(parts) => {
                if let Some(bar) = &*bar() {
                    bar.inc(parts);
                }
                if let Some(words) = self.remark.and_then(|remark| remark(parts)) {
                    self.say(&words);
                }
            }
            Event::Now { what, left } => {
                let mut bar = bar();
                output::show_now(bar.get_or_insert_with(|| output::spinner(self.quiet)), what, left);
            }
            Event::End => {
                if let Some(bar) = bar().take() {
                    bar.finish_and_clear();
                }
            }
            Event::Notice(words) => self.say(&words),
            Event::Step(_) => {}
        }
    }

    fn go_on(&self) -> bool {
        interrupt::go_on() && self.around.as_ref().is_none_or(|around| around.observer.go_on())
    }
}
