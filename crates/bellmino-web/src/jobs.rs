//! Work that takes the processor: one bounded queue for all pages, fair between them, ended when nobody waits for it.
//!
//! Pages take turns, however much each of them asks for. Who waits for long is told its place. Whatever is not short gives way to
//! the games that people play.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use rayon::ThreadPool;
use tokio::sync::{Notify, oneshot, watch};
use tokio::task;
use tokio::time::{Instant, sleep_until, timeout};

use bellmino_page::{CANCELLED, JobKind};
use thiserror::Error;

use crate::priority;
use bellmino_page::locked;

/// How long one waits without being told the place.
const UNTOLD: Duration = Duration::from_millis(300);

const KINDS: [JobKind; 4] = [JobKind::Short, JobKind::Think, JobKind::Judge, JobKind::Solve];

/// The queue; clones share it.
#[derive(Clone)]
pub struct Jobs {
    queue: Arc<Mutex<Queue>>,
    /// The threads of those who solve; one core is left to the games that people play.
    pool: Arc<ThreadPool>,
}

/// Tells long work whether it may go on.
#[derive(Clone, Debug, Default)]
pub struct Leave(Arc<(AtomicBool, Notify)>);

/// Ends its work when dropped.
#[derive(Debug, Default)]
pub struct Hold(Leave);

/// What is told to those who wait: their place, from 1; 0 while it is their turn.
pub type TellPlace = Box<dyn Fn(usize) + Send + Sync>;

struct Queue {
    /// How many more of each kind may be done at once.
    free: [usize; 4],
    /// The pages with something to do, the next one first.
    pages: VecDeque<(u64, VecDeque<Waiting>)>,
}

struct Waiting {
    number: u64,
    kind: JobKind,
    turn: oneshot::Sender<WorkTurn>,
    place: watch::Sender<usize>,
}

/// The right to work, given back when dropped.
struct WorkTurn {
    jobs: Jobs,
    kind: JobKind,
    /// Given back already.
    is_spent: bool,
}

/// A place in the queue, left when dropped.
struct Ticket {
    jobs: Jobs,
    number: u64,
    turn: oneshot::Receiver<WorkTurn>,
    place: watch::Receiver<usize>,
}

/// Why work was not done.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum JobError {
    /// Nobody waits for it any more.
    #[error("{CANCELLED}")]
    Cancelled,
    /// So many wait already.
    #[error("the lab is busy: {0} others wait already; try again in a moment")]
    Busy(usize),
    /// The lab is ending.
    #[error("the lab is ending")]
    Ending,
    /// The system has no thread for it.
    #[error("the lab has no thread for this: {0}")]
    NoThread(String),
    /// It panicked.
    #[error("the work failed; this is a defect of the lab")]
    Failed,
}

/// How many of a kind are done at once.
fn at_once(kind: JobKind, cores: usize) -> usize {
    match kind {
        JobKind::Short => cores.max(2),
        JobKind::Think | JobKind::Judge => (cores / 2).max(1),
        JobKind::Solve => 1,
    }
}

/// How many of a kind may wait.
fn most_waiting(kind: JobKind) -> usize {
    if kind == JobKind::Short { 512 } else { 64 }
}

impl Jobs {
    /// A queue for this machine.
    pub fn new() -> std::io::Result<Jobs> {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let free = KINDS.map(|kind| at_once(kind, cores));
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads((cores - 1).max(1))
            .start_handler(|_| priority::lower(priority::WAITED_FOR))
            .build();
        let queue = Queue { free, pages: VecDeque::new() };
        let pool = Arc::new(pool.map_err(std::io::Error::other)?);
        Ok(Jobs { queue: Arc::new(Mutex::new(queue)), pool })
    }

    /// Does work for a page when it is its turn, unless it is ended before; also ended when nobody waits for it any more.
    /// Refused at once when too many wait already.
    pub async fn run<T: Send + 'static, E: From<JobError> + Send + 'static>(
        &self,
        page: u64,
        kind: JobKind,
        leave: Leave,
        tell: TellPlace,
        work: impl FnOnce(&Leave) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        let _hold = Hold(leave.clone());
        let turn = self.wait(page, kind, &leave, &tell).await?;
        let pool = Arc::clone(&self.pool);
        let (answer, mut done) = oneshot::channel();
        let work = move || {
            let result = match kind {
                _ if !leave.go_on() => Err(JobError::Cancelled.into()),
                JobKind::Solve => pool.install(|| work(&leave)),
                _ => work(&leave),
            };
            drop(turn);
            // Nobody may wait for it any more.
            let _ = answer.send(result);
        };
        match kind {
            JobKind::Short => drop(task::spawn_blocking(|| {
                priority::lower_once(priority::SHORT);
                work();
            })),
            // Threads of their own give way to the games that people play.
            JobKind::Think | JobKind::Judge | JobKind::Solve => {
                let thread = thread::Builder::new().spawn(move || {
                    priority::lower(priority::WAITED_FOR);
                    work();
                });
                thread.map_err(|error| JobError::NoThread(error.to_string()))?;
            }
        }
        let done = match timeout(UNTOLD, &mut done).await {
            Ok(done) => done,
            Err(_) => {
                tell(0);
                done.await
            }
        };
        done.map_err(|_| JobError::Failed)?
    }

    async fn wait(
        &self,
        page: u64,
        kind: JobKind,
        leave: &Leave,
        tell: &TellPlace,
    ) -> Result<WorkTurn, JobError> {
        let mut ticket = self.queue_up(page, kind)?;
        let patience = sleep_until(Instant::now() + UNTOLD);
        tokio::pin!(patience);
        let mut is_told = false;
        loop {
            tokio::select! {
                biased;
                turn = &mut ticket.turn => return turn.map_err(|_| JobError::Ending),
                () = leave.ended() => return Err(JobError::Cancelled),
                () = &mut patience, if !is_told => {
                    is_told = true;
                    tell(*ticket.place.borrow_and_update());
                }
                changed = ticket.place.changed(), if is_told => {
                    if changed.is_ok() {
                        tell(*ticket.place.borrow_and_update());
                    }
                }
            }
        }
    }

    fn queue_up(&self, page: u64, kind: JobKind) -> Result<Ticket, JobError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let (send_turn, turn) = oneshot::channel();
        let (send_place, place) = watch::channel(0);
        let mut queue = self.queue();
        let waiting = queue.waiting(kind);
        if waiting >= most_waiting(kind) {
            return Err(JobError::Busy(waiting));
        }
        let job = Waiting { number, kind, turn: send_turn, place: send_place };
        match queue.pages.iter_mut().find(|(known, _)| *known == page) {
            Some((_, jobs)) => jobs.push_back(job),
            None => queue.pages.push_back((page, VecDeque::from([job]))),
        }
        queue.hand_out(self);
        drop(queue);
        Ok(Ticket { jobs: self.clone(), number, turn, place })
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        locked(&self.queue)
    }
}

impl Queue {
    fn waiting(&self, kind: JobKind) -> usize {
        self.pages.iter().flat_map(|(_, jobs)| jobs).filter(|job| job.kind == kind).count()
    }

    /// Gives turns to whoever can have one; a page that gets one goes to the end of the line.
    fn hand_out(&mut self, jobs: &Jobs) {
        while let Some((page, place)) = self.next() {
            let Some((name, mut line)) = self.pages.remove(page) else { break };
            let job = line.remove(place);
            if !line.is_empty() {
                self.pages.push_back((name, line));
            }
            let Some(job) = job else { break };
            self.free[job.kind as usize] -= 1;
            let turn = WorkTurn { jobs: jobs.clone(), kind: job.kind, is_spent: false };
            if let Err(mut turn) = job.turn.send(turn) {
                // Nobody waits for it any more. Its slot is given back here: the queue is locked.
                self.free[job.kind as usize] += 1;
                turn.is_spent = true;
            }
        }
        self.tell_places();
    }

    /// The next page, and which of its jobs has room.
    fn next(&self) -> Option<(usize, usize)> {
        let room = |job: &Waiting| self.free[job.kind as usize] > 0;
        let mut pages = self.pages.iter().enumerate();
        pages.find_map(|(page, (_, jobs))| Some((page, jobs.iter().position(room)?)))
    }

    /// Each one's place among those who wait for the same kind of work.
    fn tell_places(&self) {
        for kind in KINDS {
            let mut line: Vec<(usize, usize, &Waiting)> = Vec::new();
            for (page, (_, jobs)) in self.pages.iter().enumerate() {
                let jobs = jobs.iter().filter(|job| job.kind == kind).enumerate();
                line.extend(jobs.map(|(round, job)| (round, page, job)));
            }
            line.sort_by_key(|(round, page, _)| (*round, *page));
            for (place, (_, _, job)) in line.iter().enumerate() {
                job.place.send_if_modified(|known| std::mem::replace(known, place + 1) != place + 1);
            }
        }
    }
}

impl Drop for WorkTurn {
    fn drop(&mut self) {
        if self.is_spent {
            return;
        }
        let mut queue = self.jobs.queue();
        queue.free[self.kind as usize] += 1;
        queue.hand_out(&self.jobs);
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut queue = self.jobs.queue();
        for (_, jobs) in &mut queue.pages {
            jobs.retain(|job| job.number != self.number);
        }
        queue.pages.retain(|(_, jobs)| !jobs.is_empty());
        queue.tell_places();
        drop(queue);
        // A turn that came too late is given back by dropping it here.
        let _ = self.turn.try_recv();
    }
}

impl Leave {
    /// Whether somebody still waits.
    pub fn go_on(&self) -> bool {
        !self.0.0.load(Ordering::Relaxed)
    }

    /// Waits until nobody does.
    async fn ended(&self) {
        loop {
            let told = self.0.1.notified();
            tokio::pin!(told);
            told.as_mut().enable();
            if !self.go_on() {
                return;
            }
            told.await;
        }
    }
}

impl Hold {
    /// What the work looks at.
    pub fn leave(&self) -> Leave {
        self.0.clone()
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.0.0.0.store(true, Ordering::Relaxed);
        self.0.0.1.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn silent() -> TellPlace {
        Box::new(|_| {})
    }

    /// Work that goes on until it is told to end, or for so long.
    fn heavy(patience: Duration) -> impl FnOnce(&Leave) -> Result<(), JobError> + Send + 'static {
        move |leave| {
            let begin = std::time::Instant::now();
            while leave.go_on() && begin.elapsed() < patience {
                thread::sleep(Duration::from_millis(2));
            }
            Ok(())
        }
    }

    /// Fifty pages that want something heavy: each hears its place or that the lab is busy, and short work is not kept waiting.
    #[tokio::test(flavor = "multi_thread")]
    async fn fifty_heavy_pages_hear_of_it_and_keep_nobody_waiting() {
        let jobs = Jobs::new().unwrap();
        let (say, mut heard) = tokio::sync::mpsc::unbounded_channel();
        let begin = Instant::now();
        let tasks: Vec<_> = (0..50)
            .map(|page| {
                let (jobs, say) = (jobs.clone(), say.clone());
                tokio::spawn(async move {
                    let told = say.clone();
                    let tell: TellPlace = Box::new(move |place| {
                        let _ = told.send((page, place));
                    });
                    let work = heavy(Duration::from_secs(60));
                    let done = jobs.run(page, JobKind::Solve, Leave::default(), tell, work).await;
                    let _ = say.send((page, 100 + usize::from(done.is_err())));
                })
            })
            .collect();
        let mut places = std::collections::BTreeMap::new();
        while places.len() < 50 {
            let (page, place) = heard.recv().await.unwrap();
            places.insert(page, place);
        }
        assert!(begin.elapsed() < Duration::from_secs(2), "{:?}", begin.elapsed());
        assert!(places.values().all(|place| (0..50).contains(place)), "{places:?}");
        let short = Instant::now();
        jobs.run(99, JobKind::Short, Leave::default(), silent(), |_| Ok::<_, JobError>(())).await.unwrap();
        assert!(short.elapsed() < Duration::from_secs(1));
        // All pages leave: nothing goes on, and nothing is left in the queue.
        for task in &tasks {
            task.abort();
        }
        let work = heavy(Duration::ZERO);
        let last = jobs.run(100, JobKind::Solve, Leave::default(), silent(), work);
        timeout(Duration::from_secs(5), last).await.expect("the queue is free").unwrap();
        assert_eq!(jobs.queue().waiting(JobKind::Solve), 0);
    }

    /// A page that asks for much does not come before one that asks for little.
    #[tokio::test(flavor = "multi_thread")]
    async fn pages_take_turns() {
        let jobs = Jobs::new().unwrap();
        let order = Arc::new(Mutex::new(Vec::new()));
        let first = Hold::default();
        let begun = Arc::new(AtomicBool::new(false));
        let running = tokio::spawn({
            let (jobs, leave, begun) = (jobs.clone(), first.leave(), Arc::clone(&begun));
            let work = move |leave: &Leave| {
                begun.store(true, Ordering::Relaxed);
                heavy(Duration::from_secs(60))(leave)
            };
            async move { jobs.run(0, JobKind::Solve, leave, silent(), work).await }
        });
        // Not only its turn has come: work that is told to end before it begins is cancelled.
        while !begun.load(Ordering::Relaxed) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let (mut tasks, waiting) = (Vec::new(), jobs.clone());
        for (number, page) in [1, 1, 1, 2, 3].into_iter().enumerate() {
            let (jobs, order) = (jobs.clone(), Arc::clone(&order));
            tasks.push(tokio::spawn(async move {
                let note = move |_: &Leave| {
                    order.lock().unwrap().push((page, number));
                    Ok::<_, JobError>(())
                };
                jobs.run(page, JobKind::Solve, Leave::default(), silent(), note).await
            }));
            // One after the other.
            while waiting.queue().waiting(JobKind::Solve) <= number {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
        drop(first);
        for task in tasks {
            task.await.unwrap().unwrap();
        }
        running.await.unwrap().unwrap();
        assert_eq!(*order.lock().unwrap(), [(1, 0), (2, 3), (3, 4), (1, 1), (1, 2)]);
    }

    #[tokio::test]
    async fn beyond_the_bound_the_lab_is_busy_and_ended_work_makes_room() {
        let jobs = Jobs::new().unwrap();
        let turn = jobs.wait(0, JobKind::Solve, &Leave::default(), &silent()).await.unwrap();
        let tickets: Vec<Ticket> = (0..64).map(|page| jobs.queue_up(page, JobKind::Solve).unwrap()).collect();
        let why = jobs.queue_up(70, JobKind::Solve).map(|_| ()).unwrap_err().to_string();
        assert!(why.contains("busy: 64 others"), "{why}");
        let hold = Hold::default();
        drop(tickets);
        let leave = hold.leave();
        let tell = silent();
        let ended = jobs.wait(1, JobKind::Solve, &leave, &tell);
        drop(hold);
        assert_eq!(ended.await.map(|_| ()).unwrap_err(), JobError::Cancelled);
        drop(turn);
        jobs.wait(2, JobKind::Solve, &Leave::default(), &silent()).await.unwrap();
    }
}
