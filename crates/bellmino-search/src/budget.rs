//! How long to think.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::clock::Timer;

/// A bound on the work for one move; the first that is reached counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Placements applied and evaluated. The same nodes give the same answer on every machine.
    pub nodes: Option<u64>,
    /// Processor time of the thread that thinks.
    pub time: Option<Duration>,
    /// Threads that think about one move. With a number of nodes the answer does not depend on it.
    pub threads: usize,
}

impl Default for Budget {
    /// No bound, one thread.
    fn default() -> Budget {
        Budget { nodes: None, time: None, threads: 1 }
    }
}

impl Budget {
    /// For each move of a game that is looked at again, when nothing else is asked for.
    pub const REVIEW: Budget = Budget::nodes(40_000);

    /// A number of nodes.
    pub const fn nodes(nodes: u64) -> Budget {
        Budget { nodes: Some(nodes), time: None, threads: 1 }
    }

    /// Milliseconds of processor time.
    pub const fn millis(millis: u64) -> Budget {
        Budget { nodes: None, time: Some(Duration::from_millis(millis)), threads: 1 }
    }

    /// The same on this many threads.
    pub const fn on(self, threads: usize) -> Budget {
        Budget { threads, ..self }
    }
}

/// Nodes for a thought without bounds.
pub(crate) const UNBOUNDED: u64 = 100_000;

/// Fewer nodes are better spent on a wide beam over what is in sight, and on nothing else.
pub(crate) const ENOUGH: u64 = 3000;

/// Work done so far on a move, and what is left of its budget.
#[derive(Debug)]
pub(crate) struct Meter<'a> {
    budget: Budget,
    begin: Timer,
    stop: Option<&'a AtomicBool>,
    /// Nodes so far.
    pub nodes: u64,
    /// Nodes of the budget that are left for later.
    pub held_back: u64,
    /// Nodes a second, as far as known from earlier moves.
    speed: f64,
}

impl<'a> Meter<'a> {
    pub fn new(budget: Budget, speed: f64, stop: Option<&'a AtomicBool>) -> Meter<'a> {
        Meter { budget, begin: Timer::start(), stop, nodes: 0, held_back: 0, speed }
    }

    /// What says that the answer is wanted now.
    pub fn stop(&self) -> Option<&'a AtomicBool> {
        self.stop
    }

    /// Whether the answer is wanted now.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Threads that may think. There is one in WebAssembly.
    pub fn threads(&self) -> usize {
        if cfg!(target_arch = "wasm32") { 1 } else { self.budget.threads.clamp(1, 256) }
    }

    /// Processor time so far.
    pub fn elapsed(&self) -> Duration {
        self.begin.elapsed()
    }

    /// Whether a share of the budget is used up; reads the clock.
    pub fn is_past(&self, share: f64) -> bool {
        self.is_stopped()
            || self.budget.nodes.is_some_and(|nodes| self.nodes as f64 >= nodes as f64 * share)
            || self.budget.time.is_some_and(|time| self.elapsed().as_secs_f64() >= time.as_secs_f64() * share)
    }

    /// Nodes up to which a share of the budget goes, where it has a bound in nodes; `fallback` if it has no bound.
    pub fn end(&self, share: f64, fallback: u64) -> u64 {
        match (self.budget.nodes, self.budget.time) {
            (Some(nodes), _) => (nodes as f64 * share) as u64,
            (None, Some(_)) => u64::MAX,
            (None, None) => (fallback as f64 * share) as u64,
        }
    }

    /// The nodes that fit in the rest of the budget without what is held back; `fallback` if it has no bound.
    pub fn left(&self, fallback: u64) -> u64 {
        let by_nodes = self.budget.nodes.map(|nodes| nodes.saturating_sub(self.nodes));
        let by_time = self.budget.time.map(|time| {
            let left = time.saturating_sub(self.elapsed()).as_secs_f64();
            (left * self.speed()) as u64
        });
        let left = match (by_nodes, by_time) {
            (None, None) => fallback.saturating_sub(self.nodes),
            (nodes, time) => nodes.unwrap_or(u64::MAX).min(time.unwrap_or(u64::MAX)),
        };
        left.saturating_sub(self.held_back)
    }

    /// Nodes a second, as if a fifth of the budget had gone by at the speed of the moves before: what happens once, at the beginning of a
    /// thought, says little about the rest of it.
    pub fn speed(&self) -> f64 {
        let before = self.budget.time.unwrap_or(Duration::from_millis(1)).as_secs_f64() / 5.0;
        (self.nodes as f64 + before * self.speed) / (self.elapsed().as_secs_f64() + before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The nodes that are left of so many milliseconds after some of them and so many nodes, where six million a second were usual.
    fn left_of(millis: u64, gone: u64, nodes: u64) -> u64 {
        let mut meter = Meter::new(Budget::millis(millis), 6e6, None);
        while meter.elapsed() < Duration::from_millis(gone) {}
        meter.nodes = nodes;
        meter.left(UNBOUNDED)
    }

    /// A millisecond in which hardly anything was looked at is no reason to despair of the other forty-nine.
    #[test]
    fn a_slow_beginning_is_not_taken_for_the_rest() {
        let left = left_of(50, 1, 2000);
        assert!((150_000..300_000).contains(&left), "{left}");
    }

    /// Who was slow for half of the time is taken to be slow for the rest.
    #[test]
    fn what_is_left_follows_the_speed() {
        let left = left_of(10, 5, 5000);
        assert!((5000..15_000).contains(&left), "{left}");
    }
}
