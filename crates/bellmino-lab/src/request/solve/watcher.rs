//! Watching a solver: progress, files saved now and then, and the wish to stop.

use std::sync::Mutex;
use std::time::Duration;

use bellmino_data::numbers::grouped;
use bellmino_exact::{Snapshot, SolvePhase, SolveProgress, Watch};

use crate::request::{Context, Event};

/// Tells how far a solver is, saves now and then, and stops when asked to.
pub(super) struct Watcher<'a> {
    context: &'a Context<'a>,
    part: Option<&'a str>,
    every: Duration,
    state: Mutex<WatcherState>,
}

struct WatcherState {
    saved: Duration,
    /// When the bound was first known, and what it was.
    first: Option<(Duration, f64)>,
}

impl<'a> Watcher<'a> {
    /// A watcher; a file that is given is saved every so many minutes.
    pub(super) fn new(context: &'a Context<'a>, part: Option<&'a str>, minutes: f64) -> Watcher<'a> {
        let state = Mutex::new(WatcherState { saved: context.clock.now(), first: None });
        Watcher { context, part, every: Duration::from_secs_f64(60.0 * minutes), state }
    }

    /// How long it may take until the bound is what is wanted.
    fn left(&self, bound: f64, wanted: f64) -> Option<Duration> {
        let clock = self.context.clock;
        let (since, first) = *self.state.lock().ok()?.first.get_or_insert((clock.now(), bound));
        let gained = (first / bound).ln();
        let missing = (bound / wanted).ln().max(0.0);
        (gained > 0.0).then(|| clock.since(since).mul_f64((missing / gained).min(1e6)))
    }
}

impl Watch for Watcher<'_> {
    fn go_on(&self) -> bool {
        self.context.go_on()
    }

    fn progress(&self, progress: &SolveProgress) {
        let boards = grouped(progress.boards as f64, 0);
        let (what, left) = match (progress.phase, progress.value, progress.bound) {
            (SolvePhase::Explore, _, _) => (format!("exploring: {boards} boards"), None),
            (SolvePhase::Solve, Some(value), Some(bound)) if bound.is_finite() => (
                format!("solving: sweep {}, value {value} within {bound:.1e}", progress.sweeps),
                self.left(bound, progress.wanted),
            ),
            (SolvePhase::Solve, _, _) => {
                (format!("solving {boards} boards: sweep {}", progress.sweeps), None)
            }
        };
        self.context.tell(Event::Now { what, left });
    }

    fn wants_snapshot(&self) -> bool {
        let due = || self.state.lock().is_ok_and(|state| self.context.clock.since(state.saved) >= self.every);
        self.part.is_some() && (!self.context.go_on() || due())
    }

    fn snapshot(&self, snapshot: &Snapshot<'_>) {
        let Some(part) = self.part else { return };
        if let Err(error) = self.context.outputs.write_by(part, &mut |out| snapshot.write(out)) {
            self.context.tell(Event::Notice(format!("{part} could not be saved: {error}")));
        }
        if let Ok(mut state) = self.state.lock() {
            state.saved = self.context.clock.now();
        }
    }
}
