//! One page's connection: reads messages, at a bounded rate, and notices when the page is gone. It ends at the first message that is
//! none; a request with something wrong in it is refused in words.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use bellmino_page::{Envelope, Unreadable};
use futures_util::StreamExt;
use tokio::sync::mpsc;
use tokio::time::{interval, timeout};

use crate::Lab;
use crate::outgoing::{Playing, STALLED, write};
use crate::visitor::{Fault, Visitor};

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
    let mut page = Visitor::new(lab, out);
    let mut bucket = Bucket { tokens: BURST, filled: Instant::now() };
    let (mut beat, mut heard) = (interval(BEAT), Instant::now());
    loop {
        let message = tokio::select! {
            message = stream.next() => message,
            // It does not take what it is sent.
            _ = &mut writer => break,
            _ = beat.tick() => {
                if heard.elapsed() > SILENT {
                    break;
                }
                page.try_send(Message::Ping(Default::default()));
                continue;
            }
        };
        let Some(Ok(message)) = message else { break };
        heard = Instant::now();
        let fault = match message {
            Message::Close(_) => break,
            _ if !bucket.take() => Some(Fault(close_code::POLICY, "too many messages")),
            Message::Text(text) => match Envelope::read(&text) {
                Ok(envelope) => {
                    playing.hear(&envelope.request);
                    page.handle(envelope).await.err()
                }
                Err(Unreadable::Refused { id, why }) => {
                    page.refuse(id, why).await;
                    None
                }
                Err(Unreadable::Malformed) => Some(Fault(close_code::INVALID, "malformed message")),
            },
            Message::Binary(_) => Some(Fault(close_code::UNSUPPORTED, "messages are text")),
            Message::Ping(_) | Message::Pong(_) => None,
        };
        if let Some(Fault(code, reason)) = fault {
            let frame = CloseFrame { code, reason: reason.into() };
            page.try_send(Message::Close(Some(frame)));
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
