//! Watching a solver: progress, files saved now and then, and the user's wish to stop.

use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use bellmino_exact::{Progress, Snapshot, SolvePhase, Watch};
use bellmino_host::files::write_whole;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::number;
use crate::{interrupt, output};

/// Shows progress, saves now and then, and stops when asked to.
pub struct Watcher {
    /// The line that shows it.
    pub bar: ProgressBar,
    part: Option<PathBuf>,
    every: Duration,
    begin: Instant,
    state: Mutex<WatcherState>,
}

struct WatcherState {
    saved: Instant,
    /// When the bound was first known, and what it was.
    first: Option<(Instant, f64)>,
}

impl Watcher {
    /// A watcher; a file that is given is saved every so many minutes.
    pub fn new(quiet: bool, part: Option<PathBuf>, minutes: f64) -> Watcher {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let style = ProgressStyle::with_template("{spinner} {elapsed} {msg}");
        let bar = ProgressBar::with_draw_target(None, target)
            .with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        let bar = output::shown(bar);
        let now = Instant::now();
        let state = Mutex::new(WatcherState { saved: now, first: None });
        Watcher { bar, part, every: Duration::from_secs_f64(60.0 * minutes), begin: now, state }
    }
}

impl Watch for Watcher {
    fn go_on(&self) -> bool {
        interrupt::go_on()
    }

    fn progress(&self, progress: &Progress) {
        let boards = number(progress.boards as f64);
        let text = match (progress.phase, progress.value, progress.bound) {
            (SolvePhase::Explore, _, _) => format!("exploring: {boards} boards"),
            (SolvePhase::Solve, Some(value), Some(bound)) if bound.is_finite() => {
                let left = self.state.lock().ok().and_then(|mut state| {
                    let (since, first) = *state.first.get_or_insert((Instant::now(), bound));
                    let gained = (first / bound).ln();
                    let missing = (bound / progress.wanted).ln().max(0.0);
                    (gained > 0.0).then(|| since.elapsed().mul_f64((missing / gained).min(1e6)))
                });
                let left = left.map_or(String::new(), |left| format!(", about {} left", HumanDuration(left)));
                format!("solving: sweep {}, value {value} within {bound:.1e}{left}", progress.sweeps)
            }
            (SolvePhase::Solve, _, _) => format!("solving {boards} boards: sweep {}", progress.sweeps),
        };
        if self.bar.is_hidden() && std::env::var_os("BELLMINO_LOG").is_some() {
            eprintln!("{:.1} s {text}", self.begin.elapsed().as_secs_f64());
        }
        self.bar.set_message(text);
        self.bar.tick();
    }

    fn wants_snapshot(&self) -> bool {
        let due = || self.state.lock().is_ok_and(|state| state.saved.elapsed() >= self.every);
        self.part.is_some() && (!interrupt::go_on() || due())
    }

    fn snapshot(&self, snapshot: &Snapshot<'_>) {
        let Some(part) = &self.part else { return };
        if let Err(error) = write_whole(part, |out| snapshot.write(out)) {
            self.bar.suspend(|| eprintln!("bellmino: {} could not be saved: {error}", part.display()));
        }
        if let Ok(mut state) = self.state.lock() {
            state.saved = Instant::now();
        }
    }
}
