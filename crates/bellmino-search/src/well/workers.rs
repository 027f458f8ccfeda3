//! Threads that work on one layer together; what they find is taken in order, whoever is first.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;

/// Does `blocks` pieces of work on so many threads, each with its own scratch, and takes the results in order.
#[allow(clippy::disallowed_methods, reason = "the threads of one layer")]
pub(super) fn in_order<S, R: Send>(
    blocks: usize,
    threads: usize,
    scratch: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> R + Sync,
    mut take: impl FnMut(R),
) {
    let threads = threads.clamp(1, blocks.max(1));
    if threads == 1 {
        let mut own = scratch();
        (0..blocks).for_each(|block| take(work(&mut own, block)));
        return;
    }
    let next = AtomicUsize::new(0);
    let (sender, receiver) = sync_channel(4 * threads);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, next, scratch, work) = (sender.clone(), &next, &scratch, &work);
            scope.spawn(move || {
                let mut own = scratch();
                loop {
                    let block = next.fetch_add(1, Ordering::Relaxed);
                    if block >= blocks || sender.send((block, work(&mut own, block))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut wanted = 0;
        for (block, result) in receiver {
            waiting.insert(block, result);
            while let Some(result) = waiting.remove(&wanted) {
                take(result);
                wanted += 1;
            }
        }
    });
}
