//! Thinking while waiting: a thread that looks at the latest position, first as long as it must, then longer.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use bellmino_engine::guideline::View;
use bellmino_search::Budget;

use crate::player::{Mind, Ranking};

/// How a mind likes to think ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// What must be thought before there is an answer.
    pub first: Budget,
    /// Whether to look again with twice the nodes, and again, until the next position or [`MAX_NODES`].
    pub more: bool,
}

/// The most nodes for one position when there is time: a few seconds of one processor.
pub const MAX_NODES: u64 = 4_000_000;

/// A thread that thinks about one game. Dropping it ends the thread.
#[derive(Debug)]
pub struct Thinker {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// The best so far, and what it took.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Placements, best first; nodes over everything thought about this position.
    pub ranking: Ranking,
    /// Seconds of thinking.
    pub seconds: f64,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    /// What is being thought is of no use any more.
    stop: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    /// The latest position, until the thread takes it.
    next: Option<View>,
    /// How many positions there have been.
    number: u64,
    /// The answer for the latest position.
    answer: Option<Answer>,
    /// The thread is to end.
    quit: bool,
    /// The thread has ended.
    ended: bool,
}

impl Thinker {
    /// Starts the thread, which waits for a position; `None` if the system has no thread to give.
    pub fn new(mind: Box<dyn Mind>, pace: Pace) -> Option<Thinker> {
        let shared = Arc::new(Shared::default());
        let theirs = shared.clone();
        let builder = thread::Builder::new().name("thinker".to_owned()).stack_size(8 << 20);
        let thread = builder.spawn(move || run(&theirs, mind, pace)).ok()?;
        Some(Thinker { shared, thread: Some(thread) })
    }

    /// Thinks about this position from now on.
    pub fn look_at(&self, view: View) {
        let mut state = self.shared.lock();
        state.next = Some(view);
        state.number += 1;
        state.answer = None;
        self.shared.stop.store(true, Ordering::Relaxed);
        self.shared.changed.notify_all();
    }

    /// The best so far for the latest position; waits for the first answer. `None` if there is no position, or if the
    /// thread has come to grief.
    pub fn best(&self) -> Option<Answer> {
        let mut state = self.shared.lock();
        while state.answer.is_none() && !state.ended && state.number > 0 {
            state = self.shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.answer.clone()
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
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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

fn run(shared: &Shared, mut mind: Box<dyn Mind>, pace: Pace) {
    let _farewell = Farewell(shared);
    loop {
        let mut state = shared.lock();
        let (view, number) = loop {
            if state.quit {
                return;
            }
            match state.next.take() {
                Some(view) => break (view, state.number),
                None => state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        };
        // Under the lock, so that no later wish to stop is lost.
        shared.stop.store(false, Ordering::Relaxed);
        drop(state);
        think(shared, mind.as_mut(), pace, &view, number);
    }
}

/// Thinks about one position until there is no more to gain or it is no longer the latest.
fn think(shared: &Shared, mind: &mut dyn Mind, pace: Pace, view: &View, number: u64) {
    let begin = Instant::now();
    let mut budget = pace.first;
    let mut nodes = 0u64;
    loop {
        let ranking = mind.ponder(view, budget, &shared.stop);
        let (last, certain) = (ranking.nodes, ranking.certain);
        nodes = nodes.saturating_add(last);
        let mut state = shared.lock();
        if state.number != number || state.quit {
            return;
        }
        let ranking = Ranking { nodes, ..ranking };
        state.answer = Some(Answer { ranking, seconds: begin.elapsed().as_secs_f64() });
        shared.changed.notify_all();
        drop(state);
        // A search that used less than half of what it was given has seen all it can.
        let spent = budget.nodes.is_none_or(|given| last >= given / 2);
        let next = last.saturating_mul(2);
        if !pace.more || certain || !spent || next == 0 || nodes.saturating_add(next) > MAX_NODES {
            return;
        }
        budget = Budget::nodes(next).on(budget.threads);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellmino_engine::Generator;
    use bellmino_engine::guideline::{Match, Placement, Rules};
    use std::time::Duration;

    /// Thinks until it is stopped, or as many milliseconds as it has nodes.
    struct Slow(Vec<u64>);

    impl Mind for Slow {
        fn think(&mut self, _: &View, _: &mut Generator) -> Ranking {
            Ranking::default()
        }

        fn ponder(&mut self, view: &View, budget: Budget, stop: &AtomicBool) -> Ranking {
            let nodes = budget.nodes.unwrap_or(1);
            self.0.push(nodes);
            let begin = Instant::now();
            while !stop.load(Ordering::Relaxed) && begin.elapsed() < Duration::from_millis(nodes) {
                thread::sleep(Duration::from_millis(1));
            }
            let moves = vec![Placement::spawn(view.queue[0])];
            Ranking { moves, nodes, depth: self.0.len(), certain: false }
        }
    }

    fn view(seed: u64) -> View {
        Match::new(Rules::BLITZ, seed).view()
    }

    #[test]
    fn the_answer_grows_while_nobody_asks_and_is_of_the_latest_position() {
        let pace = Pace { first: Budget::nodes(4), more: true };
        let thinker = Thinker::new(Box::new(Slow(vec![])), pace).unwrap();
        assert_eq!(thinker.best(), None, "no position, nothing to wait for");
        thinker.look_at(view(1));
        let first = thinker.best().unwrap();
        assert!(first.ranking.nodes >= 4);
        let begin = Instant::now();
        while thinker.best().unwrap().ranking.nodes < 4 + 8 + 16 {
            assert!(begin.elapsed() < Duration::from_secs(20), "it has stopped thinking");
            thread::sleep(Duration::from_millis(5));
        }
        for seed in 2..30 {
            thinker.look_at(view(seed));
        }
        assert_eq!(thinker.best().unwrap().ranking.moves, [Placement::spawn(view(29).queue[0])]);
    }

    #[test]
    fn a_thinker_that_is_dropped_ends_at_once() {
        let pace = Pace { first: Budget::nodes(1_000_000), more: false };
        let thinker = Thinker::new(Box::new(Slow(vec![])), pace).unwrap();
        thinker.look_at(view(1));
        let begin = Instant::now();
        drop(thinker);
        assert!(begin.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn a_mind_that_comes_to_grief_leaves_no_one_waiting() {
        let thinker =
            Thinker::new(Box::new(Slow(vec![])), Pace { first: Budget::nodes(1), more: false }).unwrap();
        // No piece: the mind above indexes the queue.
        thinker.look_at(View { queue: vec![], ..view(1) });
        assert_eq!(thinker.best(), None);
    }
}
