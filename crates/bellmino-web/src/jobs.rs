//! Work that takes the processor: bounded in number, first come first served, and ended when nobody waits for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Semaphore;
use tokio::task;

/// The two lanes: short work of at most about a tenth of a second, and long work that looks at its [`Leave`].
pub struct Jobs {
    short: Arc<Semaphore>,
    long: Arc<Semaphore>,
}

/// Tells long work whether it may go on.
#[derive(Clone, Debug, Default)]
pub struct Leave(Arc<AtomicBool>);

/// Ends its work when dropped.
#[derive(Debug, Default)]
pub struct Hold(Leave);

impl Jobs {
    /// One core is left to the games that people play.
    pub fn new() -> Jobs {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Jobs { short: Arc::new(Semaphore::new(cores)), long: Arc::new(Semaphore::new((cores / 2).max(1))) }
    }

    /// Does short work when it is its turn.
    pub async fn short<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, String> {
        run(&self.short, work).await
    }

    /// Does long work when it is its turn, unless it was ended before.
    pub async fn long<T: Send + 'static>(
        &self,
        leave: Leave,
        work: impl FnOnce(&Leave) -> T + Send + 'static,
    ) -> Result<T, String> {
        run(&self.long, move || leave.go_on().then(|| work(&leave)))
            .await?
            .ok_or_else(|| "cancelled".to_owned())
    }
}

async fn run<T: Send + 'static>(
    lane: &Arc<Semaphore>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    let turn = Arc::clone(lane).acquire_owned().await.map_err(|_| "the lab is ending".to_owned())?;
    let done = task::spawn_blocking(move || {
        let result = work();
        drop(turn);
        result
    });
    done.await.map_err(|_| "the work failed; this is a defect of the lab".to_owned())
}

impl Leave {
    /// Whether somebody still waits.
    pub fn go_on(&self) -> bool {
        !self.0.load(Ordering::Relaxed)
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
        self.0.0.store(true, Ordering::Relaxed);
    }
}
