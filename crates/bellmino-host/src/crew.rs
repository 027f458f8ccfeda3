//! A crew beside the thread that waits for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use bellmino_lab::{CrewError, Heap};

/// How often somebody looks whether to go on.
const LOOK: Duration = Duration::from_millis(50);

/// Works on a thread of its own while this one looks: at every result, and whether to go on. For a [`Crew`](bellmino_lab::Crew) whose
/// work returns when all is done.
pub fn work_beside(
    heap: &Arc<Heap>,
    look: &mut dyn FnMut(),
    work: impl FnOnce() -> Result<(), CrewError> + Send,
) -> Result<(), CrewError> {
    let (waiting, ended) = (thread::current(), AtomicBool::new(false));
    heap.on_result({
        let waiting = waiting.clone();
        move || waiting.unpark()
    });
    thread::scope(|scope| {
        let at_work = scope.spawn(|| {
            let _end = WakeOnEnd { ended: &ended, waiting };
            work()
        });
        while !ended.load(Ordering::Acquire) {
            thread::park_timeout(LOOK);
            look();
        }
        at_work.join().unwrap_or_else(|_| Err(CrewError("internal error among those who work".to_owned())))
    })
}

/// However the work ends, nobody waits for more results.
struct WakeOnEnd<'a> {
    ended: &'a AtomicBool,
    waiting: thread::Thread,
}

impl Drop for WakeOnEnd<'_> {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Release);
        self.waiting.unpark();
    }
}
