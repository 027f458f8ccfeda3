//! Seeing a run as it goes, and stopping it.

use crate::table::Snapshot;

/// Sees a run as it goes.
pub trait Watch: Sync {
    /// Asked often; the run ends soon after the answer is no.
    fn go_on(&self) -> bool {
        true
    }

    /// Told now and then.
    fn progress(&self, _progress: &SolveProgress) {}

    /// Whether the state of the run should be kept now.
    fn wants_snapshot(&self) -> bool {
        false
    }

    /// The state of the run, when it is wanted.
    fn snapshot(&self, _snapshot: &Snapshot<'_>) {}
}

/// Sees nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Watch for Silent {}

/// Passes everything on but snapshots: for a run within a run, whose state is not that of the whole.
pub(crate) struct Unsaved<'a>(pub(crate) &'a dyn Watch);

impl Watch for Unsaved<'_> {
    fn go_on(&self) -> bool {
        self.0.go_on()
    }

    fn progress(&self, progress: &SolveProgress) {
        self.0.progress(progress);
    }
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolveProgress {
    /// The value as it stands.
    pub value: Option<f64>,
    /// What is being done.
    pub phase: SolvePhase,
    /// Boards found so far, mirror images counted once.
    pub boards: u64,
    /// Passes so far.
    pub sweeps: u64,
    /// Its bound as it stands.
    pub bound: Option<f64>,
    /// The bound that is wanted.
    pub wanted: f64,
}

/// What a run is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SolvePhase {
    /// Finding the boards.
    #[default]
    Explore,
    /// Finding their values.
    Solve,
}
