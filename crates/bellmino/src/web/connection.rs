//! One page's connection: reads requests, answers them in any order, and ends at the first malformed one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use futures_util::stream::SplitSink;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, mpsc};
use tokio::time::timeout;

use super::Lab;
use super::message::{Envelope, Request};
use super::watch::Watch;

/// Messages per second, and how many may come at once.
const RATE: f64 = 400.0;
const BURST: f64 = 800.0;

/// Requests of one page under way at once.
const MAX_UNDER_WAY: usize = 32;

/// Watch sessions of one page.
const MAX_WATCHES: usize = 8;

/// Settings a page may keep, and the longest of them.
const SETTINGS: [&str; 3] = ["keys", "handling", "look"];
const MAX_SETTING: usize = 4096;

/// A page that does not take what it is sent for so long is gone.
const STALLED: Duration = Duration::from_secs(10);

/// Why a connection is closed by the lab.
struct Fault(u16, &'static str);

/// What belongs to one page.
struct Page {
    lab: Arc<Lab>,
    out: mpsc::Sender<Message>,
    under_way: Arc<Semaphore>,
    watches: HashMap<u32, Arc<Mutex<Watch>>>,
    next_session: u32,
}

/// Serves one page until it leaves or sends something malformed.
pub async fn run(socket: WebSocket, lab: &Arc<Lab>) {
    let (sink, mut stream) = socket.split();
    let (out, outbox) = mpsc::channel(256);
    let writer = tokio::spawn(write(sink, outbox));
    let mut page = Page {
        lab: Arc::clone(lab),
        out,
        under_way: Arc::new(Semaphore::new(MAX_UNDER_WAY)),
        watches: HashMap::new(),
        next_session: 1,
    };
    let mut bucket = Bucket { tokens: BURST, filled: Instant::now() };
    while let Some(Ok(message)) = stream.next().await {
        let fault = match message {
            Message::Text(text) if bucket.take() => match serde_json::from_str(&text) {
                Ok(envelope) => page.handle(envelope).await.err(),
                Err(_) => Some(Fault(close_code::INVALID, "malformed message")),
            },
            Message::Text(_) => Some(Fault(close_code::POLICY, "too many messages")),
            Message::Binary(_) => Some(Fault(close_code::UNSUPPORTED, "messages are text")),
            Message::Close(_) => break,
            Message::Ping(_) | Message::Pong(_) => None,
        };
        if let Some(Fault(code, reason)) = fault {
            let frame = CloseFrame { code, reason: reason.into() };
            let _ = page.out.try_send(Message::Close(Some(frame)));
            break;
        }
    }
    drop(page);
    let _ = timeout(STALLED, writer).await;
}

async fn write(mut sink: SplitSink<WebSocket, Message>, mut outbox: mpsc::Receiver<Message>) {
    while let Some(message) = outbox.recv().await {
        if !matches!(timeout(STALLED, sink.send(message)).await, Ok(Ok(()))) {
            return;
        }
    }
}

impl Page {
    async fn handle(&mut self, Envelope { id, request }: Envelope) -> Result<(), Fault> {
        match request {
            Request::Clock { t } => self.answer(id, Ok(json!({ "t": t, "now": self.lab.now() }))).await,
            Request::Hello => {
                let lab = Arc::clone(&self.lab);
                self.short(id, move || hello(&lab))?;
            }
            Request::Set { key, value } => {
                if !SETTINGS.contains(&key.as_str()) || value.to_string().len() > MAX_SETTING {
                    return Err(Fault(close_code::POLICY, "there is no such setting"));
                }
                let store = self.lab.store.clone();
                self.short(id, move || {
                    store.set(&key, &value).map_err(|error| error.to_string())?;
                    Ok(Value::Null)
                })?;
            }
            Request::Quit => {
                self.answer(id, Ok(Value::Null)).await;
                // Time for the answer to leave.
                let lab = Arc::clone(&self.lab);
                tokio::spawn(async move {
                    tokio::time::sleep(Duration::from_millis(200)).await;
                    lab.quit.notify_one();
                });
            }
            Request::WatchOpen { game, set, players, seed } => {
                if self.watches.len() >= MAX_WATCHES {
                    let why = "too many games are open; close one".to_owned();
                    self.answer(id, Err(why)).await;
                    return Ok(());
                }
                // Reading a built-in game takes microseconds.
                let answer = Watch::open(&game, &set, &players, seed).map(|(watch, shown)| {
                    let session = self.next_session;
                    self.next_session += 1;
                    self.watches.insert(session, Arc::new(Mutex::new(watch)));
                    json!({ "session": session, "game": shown })
                });
                self.answer(id, answer).await;
            }
            Request::WatchMoves { session, side, count } => {
                self.watching(id, session, move |watch| Ok(json!(watch.moves(side, count)?))).await?;
            }
            Request::WatchOptions { session, side } => {
                self.watching(id, session, move |watch| watch.options(side)).await?;
            }
            Request::WatchPlace { session, side, option } => {
                self.watching(id, session, move |watch| Ok(json!(watch.place(side, option)?))).await?;
            }
            Request::WatchClose { session } => {
                self.watches.remove(&session);
                self.answer(id, Ok(Value::Null)).await;
            }
        }
        Ok(())
    }

    /// Works on a watch session in the short lane.
    async fn watching(
        &mut self,
        id: u32,
        session: u32,
        work: impl FnOnce(&mut Watch) -> Result<Value, String> + Send + 'static,
    ) -> Result<(), Fault> {
        let Some(watch) = self.watches.get(&session).cloned() else {
            self.answer(id, Err("this game is no longer open".to_owned())).await;
            return Ok(());
        };
        self.short(id, move || work(&mut watch.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Answers later with the result of short work.
    fn short(&self, id: u32, work: impl FnOnce() -> Result<Value, String> + Send + 'static) -> Result<(), Fault> {
        let under_way = Arc::clone(&self.under_way).try_acquire_owned();
        let under_way = under_way.map_err(|_| Fault(close_code::POLICY, "too many requests at once"))?;
        let (lab, out) = (Arc::clone(&self.lab), self.out.clone());
        tokio::spawn(async move {
            let result = lab.jobs.short(work).await.and_then(|result| result);
            let _ = out.send(answer(id, result)).await;
            drop(under_way);
        });
        Ok(())
    }

    async fn answer(&self, id: u32, result: Result<Value, String>) {
        if id != 0 {
            let _ = self.out.send(answer(id, result)).await;
        }
    }
}

fn answer(id: u32, result: Result<Value, String>) -> Message {
    let text = match result {
        Ok(value) => json!({ "re": id, "ok": value }),
        Err(why) => json!({ "re": id, "error": why }),
    };
    Message::Text(text.to_string().into())
}

/// What a page needs first.
fn hello(lab: &Lab) -> Result<Value, String> {
    let games: Vec<Value> = bellmino_engine::BUILT_IN
        .iter()
        .filter_map(|(name, _)| super::watch::game(name, &[]).ok())
        .filter_map(|game| game.placement().map(super::watch::describe))
        .collect();
    let players: Vec<String> = ["random", "lowest", "fewest-holes"]
        .into_iter()
        .map(str::to_owned)
        .chain(bellmino_learn::BUILT_IN_CONTROLLERS.iter().map(|(name, _)| format!("weights:{name}")))
        .collect();
    let mut settings = serde_json::Map::new();
    for key in SETTINGS {
        let value = lab.store.setting(key).map_err(|error| error.to_string())?;
        settings.insert(key.to_owned(), value.unwrap_or_default());
    }
    Ok(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "store": lab.store.path().display().to_string(),
        "games": games,
        "players": players,
        "settings": settings,
    }))
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
