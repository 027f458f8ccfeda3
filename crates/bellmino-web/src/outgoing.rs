//! What is sent to pages: whoever plays comes first.
//!
//! A new picture wakes all who look on at once, and the runtime takes its tasks in turn: what a player is sent would wait behind
//! every one of them. So only a few of those who do not play are sent something at a time; the others wait outside of the
//! runtime's queue.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

use axum::extract::ws::Message;
use futures_util::{Sink, SinkExt};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::yield_now;
use tokio::time::timeout;

/// A page that does not take what it is sent for so long is gone.
pub const STALLED: Duration = Duration::from_secs(10);

/// How many of those who do not play are sent something at once.
const AT_ONCE: usize = 2;

static OTHERS: Semaphore = Semaphore::const_new(AT_ONCE);

/// Whether a page plays: it is known by its keys.
#[derive(Clone, Debug, Default)]
pub struct Playing(Arc<AtomicBool>);

impl Playing {
    /// Whether it plays now.
    pub fn set(&self, plays: bool) {
        self.0.store(plays, Ordering::Relaxed);
    }

    fn is_so(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Sends a page what is put into its outbox until it is gone or takes nothing any more.
pub async fn write(
    mut sink: impl Sink<Message> + Unpin,
    mut outbox: mpsc::Receiver<Message>,
    playing: Playing,
) {
    while let Some(message) = outbox.recv().await {
        let sent = async {
            let mut send = sink.send(message);
            if !playing.is_so()
                && let Ok(turn) = OTHERS.acquire().await
            {
                // Behind those who play and are ready by now.
                yield_now().await;
                let first = poll_fn(|context| Poll::Ready(Pin::new(&mut send).poll(context))).await;
                // A page that is slow to take it keeps nobody waiting.
                drop(turn);
                if let Poll::Ready(done) = first {
                    return done;
                }
            }
            send.await
        };
        if !matches!(timeout(STALLED, sent).await, Ok(Ok(()))) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;
    use std::sync::Mutex;

    use futures_util::sink::unfold;

    /// Writes down who was sent something.
    fn noted(
        order: &Arc<Mutex<Vec<usize>>>,
        number: usize,
    ) -> impl Sink<Message, Error = Infallible> + Unpin + use<> {
        let order = Arc::clone(order);
        Box::pin(unfold((), move |(), _: Message| {
            order.lock().unwrap().push(number);
            async { Ok(()) }
        }))
    }

    /// All are woken by the same picture, the player last: it does not wait for the three hundred who look on. In the order of the
    /// queue alone it was the last.
    #[test]
    fn a_player_is_sent_its_picture_before_those_who_look_on() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let order = Arc::new(Mutex::new(Vec::new()));
        runtime.block_on(async {
            let mut tasks = Vec::new();
            for number in 0..=300 {
                let playing = Playing::default();
                playing.0.store(number == 300, Ordering::Relaxed);
                let (out, outbox) = mpsc::channel(2);
                for _ in 0..2 {
                    out.send(Message::Text("{}".into())).await.unwrap();
                }
                tasks.push(tokio::spawn(write(noted(&order, number), outbox, playing)));
            }
            for task in tasks {
                task.await.unwrap();
            }
        });
        let order = order.lock().unwrap();
        assert_eq!(order.len(), 602, "everybody is sent everything");
        let last = order.iter().rposition(|number| *number == 300).unwrap();
        assert!(last <= 2 * AT_ONCE + 2, "{last} were sent something before");
    }

    /// A page that takes nothing holds up nobody else.
    #[test]
    fn a_page_that_is_stuck_keeps_nobody_waiting() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let stuck =
                || Box::pin(unfold((), |(), _: Message| std::future::pending::<Result<(), Infallible>>()));
            let mut tasks = Vec::new();
            for _ in 0..10 {
                let (out, outbox) = mpsc::channel(1);
                out.send(Message::Text("{}".into())).await.unwrap();
                tasks.push((tokio::spawn(write(stuck(), outbox, Playing::default())), out));
            }
            let order = Arc::new(Mutex::new(Vec::new()));
            let (out, outbox) = mpsc::channel(1);
            out.send(Message::Text("{}".into())).await.unwrap();
            drop(out);
            let sound = write(noted(&order, 1), outbox, Playing::default());
            timeout(Duration::from_secs(5), sound).await.expect("it is not kept waiting");
            assert_eq!(*order.lock().unwrap(), [1]);
            tasks.iter().for_each(|(task, _)| task.abort());
        });
    }
}
