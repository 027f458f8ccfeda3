//! A crew: others who do work, on other processes or machines, and the heap that they take it from.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use thiserror::Error;

use crate::unit::{Unit, UnitError, UnitResult};

/// Others who do work. What comes of it depends on the work alone, so whoever they are and whatever befalls them, the
/// results are those of the threads of this machine.
pub trait Crew: fmt::Debug + Send + Sync {
    /// Has everything on the heap done, or ends soon once the heap [is stopped](Heap::is_stopped). Meanwhile `look` is to be called
    /// every now and then, on this thread: it takes the results that are there and asks whether to go on.
    fn work(&self, heap: &Arc<Heap>, look: &mut dyn FnMut()) -> Result<(), CrewError>;
}

/// Why others could not do the work.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct CrewError(pub String);

/// Work that waits to be done by a crew: it is taken in units of any size, and what came of it is put back in any order.
pub struct Heap {
    /// What the work is for, in words.
    title: String,
    state: Mutex<HeapState>,
    stopped: AtomicBool,
    /// Rows of tables that wait for games before them.
    waiting: AtomicUsize,
    /// Solved tables that have to be wherever the work is done, by their checksums.
    tables: Vec<(u64, Arc<Vec<u8>>)>,
    /// Called when there is something to look at.
    wake: Mutex<Option<Box<dyn Fn() + Send>>>,
}

#[derive(Debug)]
struct HeapState {
    /// What nobody has taken yet.
    unit: Option<Unit>,
    /// Numbers whose results are not there yet.
    missing: u64,
    /// What nobody has looked at yet.
    results: Vec<UnitResult>,
}

/// More rows than this must not wait: whoever is far ahead gets no more work.
const WAITING: usize = 1 << 21;

impl Heap {
    fn new(title: String, unit: Unit, tables: &[(u64, Arc<Vec<u8>>)]) -> Arc<Heap> {
        let missing = unit.len();
        Arc::new(Heap {
            title,
            state: Mutex::new(HeapState { unit: Some(unit), missing, results: Vec::new() }),
            stopped: AtomicBool::new(false),
            waiting: AtomicUsize::new(0),
            tables: tables.to_vec(),
            wake: Mutex::new(None),
        })
    }

    /// What the work is for, in words.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Games, states or episodes that nobody has taken yet.
    pub fn left(&self) -> u64 {
        self.state().unit.as_ref().map_or(0, Unit::len)
    }

    /// Takes up to so many of them. `None` if nothing is left, or nothing for now: results far ahead of others wait.
    pub fn next(&self, size: u64) -> Option<Unit> {
        if self.is_stopped() || self.waiting.load(Ordering::Relaxed) > WAITING {
            return None;
        }
        let mut state = self.state();
        let (unit, rest) = state.unit.take()?.split_at(size.max(1));
        state.unit = rest;
        Some(unit)
    }

    /// Puts back what came of a unit. Every unit's result must come, once.
    pub fn put(&self, unit: &Unit, result: &[u8]) -> Result<(), UnitError> {
        let result = UnitResult::from_bytes(result)?;
        if !unit.gives(&result) {
            return Err(UnitError::NotAsked(unit.name()));
        }
        let mut state = self.state();
        state.missing = state.missing.saturating_sub(unit.len());
        state.results.push(result);
        drop(state);
        if let Some(wake) = &*self.wake.lock().unwrap_or_else(PoisonError::into_inner) {
            wake();
        }
        Ok(())
    }

    /// A solved table that [a unit needs](Unit::tables).
    pub fn table(&self, number: u64) -> Option<Arc<Vec<u8>>> {
        self.tables.iter().find(|(known, _)| *known == number).map(|(_, bytes)| bytes.clone())
    }

    /// Whether all results are there.
    pub fn is_done(&self) -> bool {
        self.state().missing == 0
    }

    /// Whether the work is to end soon, done or not.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Has this called whenever a result was put back, on the thread that put it: then it is time to look.
    pub fn on_result(&self, wake: impl Fn() + Send + 'static) {
        *self.wake.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(wake));
    }

    fn state(&self) -> MutexGuard<'_, HeapState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Has a crew do some work. `take` gets the results as they come, and says how many rows wait because something before
/// them is missing. When `go_on` says no, the answer is `false` soon.
pub(crate) fn have_done(
    crew: &dyn Crew,
    title: String,
    unit: Unit,
    tables: &[(u64, Arc<Vec<u8>>)],
    go_on: &dyn Fn() -> bool,
    take: &mut dyn FnMut(UnitResult) -> usize,
) -> Result<bool, CrewError> {
    if !go_on() {
        return Ok(false);
    }
    let heap = Heap::new(title, unit, tables);
    let mut look = || {
        let results = std::mem::take(&mut heap.state().results);
        for result in results {
            heap.waiting.store(take(result), Ordering::Relaxed);
        }
        if !go_on() {
            heap.stopped.store(true, Ordering::Relaxed);
        }
    };
    let worked = crew.work(&heap, &mut look);
    look();
    worked?;
    match (heap.is_done(), heap.is_stopped()) {
        (true, _) => Ok(true),
        (false, true) => Ok(false),
        (false, false) => Err(CrewError(format!("{}: the work was left undone", heap.title))),
    }
}

impl fmt::Debug for Heap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Heap").field("title", &self.title).field("state", &self.state).finish_non_exhaustive()
    }
}
