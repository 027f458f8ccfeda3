//! One page's connection: reads messages, at a bounded rate, and notices when the page is gone. It ends at the first message that is
//! none; a request with something wrong in it is refused in words.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::ws::{Message, WebSocket};
use bellmino_page::PageFault;
use futures_util::StreamExt;
use tokio::sync::mpsc;
use tokio::time::{interval, timeout};

use crate::Lab;
use crate::outgoing::{Playing, STALLED, write};
use crate::visitor::Visitor;

/// Messages per second, and how many may come at once.
const RATE: f64 = 400.0;
const BURST: f64 = 800.0;

/// How often a page is asked whether it is still there; browsers answer by themselves.
const BEAT: Duration = Duration::from_secs(15);

/// A page that says nothing for so long is gone.
const SILENT: Duration = Duration::from_secs(60);

/// Serves one page until it leaves, is gone, or sends something malformed.
pub async fn run(socket: WebSocket, lab: &Arc<Lab>) {
    let (sink, mut stream) = socket.split();
    let (out, outbox) = mpsc::channel(256);
    let playing = Playing::default();
    let mut writer = tokio::spawn(write(sink, outbox, playing.clone()));
    let mut page = Visitor::new(lab, out, playing);
    let mut bucket = Bucket { tokens: BURST, filled: Instant::now() };
    let (mut beat, mut last) = (interval(BEAT), Instant::now());
    loop {
        let message = tokio::select! {
            message = stream.next() => message,
            Some(returned) = page.returned() => {
                if let Err(fault) = page.take(returned).await {
                    page.close(fault);
                    break;
                }
                continue;
            }
            // It does not take what it is sent.
            _ = &mut writer => break,
            _ = beat.tick() => {
                if last.elapsed() > SILENT {
                    break;
                }
                page.ping();
                continue;
            }
        };
        let Some(Ok(message)) = message else { break };
        last = Instant::now();
        let heard = match message {
            Message::Close(_) => break,
            _ if !bucket.take() => Err(PageFault::TOO_FAST),
            Message::Text(text) => page.hear(&text).await,
            Message::Binary(_) => Err(PageFault::NO_TEXT),
            Message::Ping(_) | Message::Pong(_) => Ok(()),
        };
        if let Err(fault) = heard {
            page.close(fault);
            break;
        }
    }
    drop(page);
    if !writer.is_finished() {
        let _ = timeout(STALLED, &mut writer).await;
        writer.abort();
    }
}

/// A bucket of tokens: one per message, filled at a steady rate.
struct Bucket {
    tokens: f64,
    filled: Instant,
}

impl Bucket {
    fn take(&mut self) -> bool {
        let now = Instant::now();
        self.tokens = (self.tokens + now.duration_since(self.filled).as_secs_f64() * RATE).min(BURST);
        self.filled = now;
        self.tokens -= 1.0;
        self.tokens >= 0.0
    }
}
