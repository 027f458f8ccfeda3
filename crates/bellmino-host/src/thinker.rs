//! Thinking while waiting: a thread that looks at the latest position, first as long as it must, then longer.
//!
//! Front ends ask at their own pace, and most keep to it. The thread notes how much processor time it had until it was asked; once it
//! knows, one search takes what is expected, as with a budget, instead of several that each are twice as long as the one before
//! and of which the last is cut off.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use bellmino_engine::guideline::View;
use bellmino_lab::{Mind, Pondering, Ponders};
use bellmino_search::{Budget, Thought};

/// The most nodes for one position when there is time: a few seconds of one processor.
pub const MAX_NODES: u64 = 4_000_000;

/// A thread that thinks about one game. Dropping it ends the thread.
#[derive(Debug)]
pub struct Thinker {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    latest: Mutex<Latest>,
    changed: Condvar,
    /// What is being thought is of no use any more.
    stop: AtomicBool,
}

/// The latest position and what is thought of it.
#[derive(Debug, Default)]
struct Latest {
    /// The position, until the thread takes it.
    next: Option<View>,
    /// How many positions there have been.
    number: u64,
    /// What is thought of it so far; nodes and time over all of it.
    best: Option<Thought>,
    /// Whether somebody has asked about it.
    asked: bool,
    /// The thread is to end.
    quit: bool,
    /// The thread has ended.
    ended: bool,
}

impl Thinker {
    /// Starts the thread, which waits for a position; `None` if the system has no thread to give.
    pub fn new(mind: Box<dyn Mind>, how: Pondering) -> Option<Thinker> {
        let shared = Arc::new(Shared::default());
        let theirs = shared.clone();
        let builder = thread::Builder::new().name("thinker".to_owned()).stack_size(8 << 20);
        let thread = builder.spawn(move || run(&theirs, mind, how)).ok()?;
        Some(Thinker { shared, thread: Some(thread) })
    }

    /// The same, where any thinker will do.
    pub fn start(mind: Box<dyn Mind>, how: Pondering) -> Option<Box<dyn Ponders>> {
        Thinker::new(mind, how).map(|thinker| Box::new(thinker) as Box<dyn Ponders>)
    }
}

impl Ponders for Thinker {
    fn look_at(&self, view: View) {
        let mut latest = self.shared.lock();
        latest.next = Some(view);
        latest.number += 1;
        latest.best = None;
        latest.asked = false;
        self.shared.stop.store(true, Ordering::Relaxed);
        self.shared.changed.notify_all();
    }

    /// `None` if there is no position, or if the thread has come to grief.
    fn best(&self) -> Option<Thought> {
        let mut latest = self.shared.lock();
        if latest.best.is_some() && !latest.asked {
            // What is being thought would come too late; how long it was is worth knowing.
            self.shared.stop.store(true, Ordering::Relaxed);
        }
        latest.asked = true;
        while latest.best.is_none() && !latest.ended && latest.number > 0 {
            latest = self.shared.changed.wait(latest).unwrap_or_else(PoisonError::into_inner);
        }
        latest.best.clone()
    }
}

impl Drop for Thinker {
    fn drop(&mut self) {
        self.shared.lock().quit = true;
        self.shared.stop.store(true, Ordering::Relaxed);
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has said so already.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Latest> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Says that the thread has ended, however it did.
struct Farewell<'a>(&'a Shared);

impl Drop for Farewell<'_> {
    fn drop(&mut self) {
        self.0.lock().ended = true;
        self.0.changed.notify_all();
    }
}

fn run(shared: &Shared, mut mind: Box<dyn Mind>, how: Pondering) {
    let _farewell = Farewell(shared);
    let mut pace = Pace::default();
    loop {
        let mut latest = shared.lock();
        let (view, number) = loop {
            if latest.quit {
                return;
            }
            match latest.next.take() {
                Some(view) => break (view, latest.number),
                None => latest = shared.changed.wait(latest).unwrap_or_else(PoisonError::into_inner),
            }
        };
        // Under the lock, so that no later wish to stop is lost.
        shared.stop.store(false, Ordering::Relaxed);
        drop(latest);
        think(shared, mind.as_mut(), how, &view, number, &mut pace);
    }
}

/// Thinks about one position until there is no more to gain or it is no longer the latest.
fn think(shared: &Shared, mind: &mut dyn Mind, how: Pondering, view: &View, number: u64, pace: &mut Pace) {
    let begin = Instant::now();
    let expected = pace.expected().filter(|_| how.more);
    let (mut budget, mut nodes, mut used) = (pace.first(how), 0u64, Duration::ZERO);
    let mut is_noted = false;
    loop {
        let thought = mind.ponder(view, budget, &shared.stop);
        let (last, took, certain) = (thought.nodes, thought.time, thought.is_certain());
        nodes = nodes.saturating_add(last);
        used += took;
        let mut latest = shared.lock();
        if latest.asked && !is_noted {
            pace.note(used);
            is_noted = true;
        }
        if latest.number != number || latest.quit {
            return;
        }
        // Whoever was asked in the middle of it has answered already, and looks again.
        let is_cut = shared.stop.swap(false, Ordering::Relaxed) && latest.best.is_some();
        if is_cut {
            continue;
        }
        latest.best = Some(Thought { nodes, time: begin.elapsed(), ..thought });
        shared.changed.notify_all();
        drop(latest);
        // A search that used less than half of what it was given has seen all it can.
        let spent = budget.time.is_some() || budget.nodes.is_none_or(|given| last >= given / 2);
        let next = last.saturating_mul(2);
        if !how.more || certain || !spent || next == 0 || nodes.saturating_add(next) > MAX_NODES {
            return;
        }
        let rest = expected.map(|expected| expected.mul_f64(0.96).saturating_sub(used));
        budget = match rest.filter(|rest| *rest > took) {
            Some(rest) => {
                Budget { time: Some(rest), nodes: Some(MAX_NODES - nodes), threads: budget.threads }
            }
            None => Budget::nodes(next).on(budget.threads),
        };
    }
}

/// How much processor time there was until somebody asked, for the last positions.
#[derive(Debug, Default)]
struct Pace(VecDeque<Duration>);

impl Pace {
    /// How many positions are remembered.
    const REMEMBERED: usize = 4;

    fn note(&mut self, time: Duration) {
        self.0.truncate(Pace::REMEMBERED - 1);
        self.0.push_front(time);
    }

    /// What there will be at least, if it goes on as before.
    fn expected(&self) -> Option<Duration> {
        let enough = self.0.len() >= 2;
        self.0.iter().min().copied().filter(|least| enough && *least > Duration::from_millis(1))
    }

    /// What is thought first, so that there is an answer: the less, the steadier the pace is.
    fn first(&self, how: Pondering) -> Budget {
        let expected = self.expected().filter(|_| how.more && how.first.time.is_none());
        let Some(expected) = expected else { return how.first };
        let most = self.0.iter().max().copied().unwrap_or_default();
        let share = if most < expected.mul_f64(1.25) { 0.04 } else { 0.125 };
        Budget { time: Some(expected.mul_f64(share)), ..how.first }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellmino_engine::Generator;
    use bellmino_engine::guideline::{Match, Placement, Rules};

    /// Thinks until it is stopped, or as many milliseconds as it has nodes.
    struct Slow(Vec<u64>);

    impl Mind for Slow {
        fn think(&mut self, _: &View, _: &mut Generator) -> Thought {
            Thought::default()
        }

        fn ponder(&mut self, view: &View, budget: Budget, stop: &AtomicBool) -> Thought {
            let nodes = budget.nodes.unwrap_or(1);
            self.0.push(nodes);
            let begin = Instant::now();
            while !stop.load(Ordering::Relaxed) && begin.elapsed() < Duration::from_millis(nodes) {
                thread::sleep(Duration::from_millis(1));
            }
            Thought { nodes, ..Thought::of_single([(Placement::spawn(view.queue[0]), 0.0)]) }
        }
    }

    fn view(seed: u64) -> View {
        Match::new(Rules::BLITZ, seed).view()
    }

    #[test]
    fn the_answer_grows_while_nobody_asks_and_is_of_the_latest_position() {
        let how = Pondering { first: Budget::nodes(4), more: true };
        let thinker = Thinker::new(Box::new(Slow(vec![])), how).unwrap();
        assert_eq!(thinker.best(), None, "no position, nothing to wait for");
        thinker.look_at(view(1));
        let first = thinker.best().unwrap();
        assert!(first.nodes >= 4);
        let begin = Instant::now();
        while thinker.best().unwrap().nodes < 4 + 8 + 16 {
            assert!(begin.elapsed() < Duration::from_secs(20), "it has stopped thinking");
            thread::sleep(Duration::from_millis(5));
        }
        for seed in 2..30 {
            thinker.look_at(view(seed));
        }
        assert_eq!(thinker.best().unwrap().candidates[0].placement, Placement::spawn(view(29).queue[0]));
    }

    #[test]
    fn a_thinker_that_is_dropped_ends_at_once() {
        let how = Pondering { first: Budget::nodes(1_000_000), more: false };
        let thinker = Thinker::new(Box::new(Slow(vec![])), how).unwrap();
        thinker.look_at(view(1));
        let begin = Instant::now();
        drop(thinker);
        assert!(begin.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn a_mind_that_comes_to_grief_leaves_no_one_waiting() {
        let thinker =
            Thinker::new(Box::new(Slow(vec![])), Pondering { first: Budget::nodes(1), more: false }).unwrap();
        // No piece: the mind above indexes the queue.
        thinker.look_at(View { queue: vec![], ..view(1) });
        assert_eq!(thinker.best(), None);
    }
}
