//! The terminal as it watches a request: progress and notices on stderr, Ctrl-C as the wish to stop.

use std::sync::{Mutex, PoisonError};

use bellmino_host::{CLOCK, Files, MEMORY};
use bellmino_lab::request::{Context, Event, Observer, Request, spelled};
use indicatif::ProgressBar;

use crate::cli::Common;
use crate::failure::Failure;
use crate::flags::refuse;
use crate::{interrupt, output, session};

/// Who watches a request in a terminal.
pub struct Terminal<'a> {
    quiet: bool,
    bar: Mutex<Option<ProgressBar>>,
    /// Called with the parts that are done; what it gives is said.
    remark: Option<&'a (dyn Fn(u64) -> Option<String> + Sync)>,
}

impl<'a> Terminal<'a> {
    /// A terminal, as the flags of every command say.
    pub fn new(common: &Common) -> Terminal<'a> {
        Terminal { quiet: common.quiet, bar: Mutex::default(), remark: None }
    }

    /// The same, with something to say on the way.
    pub fn remarking(self, remark: &'a (dyn Fn(u64) -> Option<String> + Sync)) -> Terminal<'a> {
        Terminal { remark: Some(remark), ..self }
    }

    /// What requests are answered with here.
    pub fn context(&self) -> Context<'_> {
        let observer = Some(self as &dyn Observer);
        Context { resources: &Files, outputs: &Files, observer, crew: None, clock: CLOCK, memory: MEMORY }
    }

    /// The answer to a request.
    pub fn ask<R: Request>(&self, request: &R) -> Result<R::Answer, Failure> {
        let crew = session::crew();
        let context = Context { crew: crew.as_deref(), ..self.context() };
        request.answer(&context).map_err(|error| refuse::<R>(&error))
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
        interrupt::go_on()
    }
}
