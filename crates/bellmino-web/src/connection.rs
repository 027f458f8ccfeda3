//! One page's connection: reads requests, answers them in any order, and ends at the first malformed one.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use bellmino_engine::AnyRecord;
use futures_util::stream::SplitSink;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::Lab;
use crate::analyse;
use crate::catalogue::{describe, game};
use crate::explore::SolvedGame;
use crate::jobs::{Hold, Leave};
use crate::keeper::Keeper;
use crate::message::{Envelope, Request};
use crate::replay::Replay;
use crate::room::{PLAYER, Room, RoomCommand};
use crate::setup::{Hands, Mode, Setup};
use crate::store::{GameStore, StoreError, StoredGame};
use crate::watch::WatchSession;

/// Messages per second, and how many may come at once.
const RATE: f64 = 400.0;
const BURST: f64 = 800.0;

/// Requests of one page under way at once.
const MAX_UNDER_WAY: usize = 32;

/// WatchSession sessions of one page.
const MAX_WATCHES: usize = 8;

/// Games in a list.
const MAX_GAMES: u32 = 200;

/// Timed games at once.
const MAX_ROOMS: usize = 32;

/// Spectators get so many pictures a second at most; the player gets them all.
const SPECTATOR_PAUSE: Duration = Duration::from_millis(30);

/// Settings a page may keep, and the longest of them.
const SETTINGS: [&str; 3] = ["keys", "handling", "look"];
const MAX_SETTING: usize = 4096;

/// A page that does not take what it is sent for so long is gone.
const STALLED: Duration = Duration::from_secs(10);

/// Why a connection is closed by the lab.
struct Fault(u16, &'static str);

/// What belongs to one page.
struct Visitor {
    lab: Arc<Lab>,
    out: mpsc::Sender<Message>,
    under_way: Arc<Semaphore>,
    watches: Arc<Mutex<HashMap<u32, Arc<Mutex<WatchSession>>>>>,
    next_session: u32,
    seat: Option<PlayerSeat>,
    looking_on: Option<Forward>,
    judging: Option<Hold>,
    solving: Option<Hold>,
    solved: Arc<Mutex<Option<Arc<SolvedGame>>>>,
}

/// The room in which this page plays.
struct PlayerSeat {
    number: u32,
    commands: mpsc::Sender<RoomCommand>,
    _pictures: Forward,
}

/// A task that hands pictures on, ended when dropped.
struct Forward(JoinHandle<()>);

impl Drop for Forward {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Serves one page until it leaves or sends something malformed.
pub async fn run(socket: WebSocket, lab: &Arc<Lab>) {
    let (sink, mut stream) = socket.split();
    let (out, outbox) = mpsc::channel(256);
    let writer = tokio::spawn(write(sink, outbox));
    let mut page = Visitor {
        lab: Arc::clone(lab),
        out,
        under_way: Arc::new(Semaphore::new(MAX_UNDER_WAY)),
        watches: Arc::default(),
        next_session: 1,
        seat: None,
        looking_on: None,
        judging: None,
        solving: None,
        solved: Arc::default(),
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
    page.leave_room();
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

impl Visitor {
    async fn handle(&mut self, Envelope { id, request }: Envelope) -> Result<(), Fault> {
        match request {
            Request::Clock { t } => self.answer(id, Ok(json!({ "t": t, "now": self.lab.now() }))).await,
            Request::Hello => {
                let path = self.lab.keeper.path().display().to_string();
                self.kept(id, move |store| hello(store, &path))?;
            }
            Request::Set { key, value } => {
                if !SETTINGS.contains(&key.as_str()) || value.to_string().len() > MAX_SETTING {
                    return Err(Fault(close_code::POLICY, "there is no such setting"));
                }
                self.kept(id, move |store| Ok(json!(store.set(&key, &value)?)))?;
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
                if self.watches.lock().unwrap_or_else(PoisonError::into_inner).len() >= MAX_WATCHES {
                    let why = "too many games are open; close one".to_owned();
                    self.answer(id, Err(why)).await;
                    return Ok(());
                }
                let session = self.next_session;
                self.next_session += 1;
                let (lab, watches) = (Arc::clone(&self.lab), Arc::clone(&self.watches));
                self.short(id, move || {
                    let trained = |name: &str| lab.trainer.player(name);
                    let (watch, shown) =
                        WatchSession::open(&game, &set, &players, seed, &trained, &lab.keeper)?;
                    let watch = Arc::new(Mutex::new(watch));
                    watches.lock().unwrap_or_else(PoisonError::into_inner).insert(session, watch);
                    Ok(json!({ "session": session, "game": shown }))
                })?;
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
                self.watches.lock().unwrap_or_else(PoisonError::into_inner).remove(&session);
                self.answer(id, Ok(Value::Null)).await;
            }
            Request::PlayOpen { mode, seed, hands, setup } => {
                let answer = self.open_room(mode, seed, hands, setup.as_ref());
                self.answer(id, answer).await;
            }
            Request::Key { key, down, at, number } => {
                self.command(RoomCommand::Key { key, down, at, number }).await;
            }
            Request::Pause { paused } => self.command(RoomCommand::Pause(paused)).await,
            Request::Restart { seed, hands } => self.command(RoomCommand::Restart { seed, hands }).await,
            Request::Undo => self.command(RoomCommand::Undo).await,
            Request::Redo => self.command(RoomCommand::Redo).await,
            Request::Edit { setup } => self.command(RoomCommand::Edit(Box::new(setup))).await,
            Request::PlayClose => self.leave_room(),
            Request::Rooms => {
                let rooms: Vec<Value> = self
                    .lab
                    .rooms()
                    .iter()
                    .map(|(number, room)| json!({ "room": number, "mode": room.mode }))
                    .collect();
                self.answer(id, Ok(json!(rooms))).await;
            }
            Request::Spectate { room } => {
                let frames = self.lab.rooms().get(&room).map(|room| room.frames.clone());
                let answer = match frames {
                    Some(frames) => {
                        self.looking_on = Some(self.forward(frames, SPECTATOR_PAUSE));
                        Ok(Value::Null)
                    }
                    None => Err("nobody plays there any more".to_owned()),
                };
                self.answer(id, answer).await;
            }
            Request::SpectateEnd => self.looking_on = None,
            Request::FumenRead { text } => self.short(id, move || analyse::read_fumen(&text))?,
            Request::FumenWrite { board, queue, hold } => self.short(id, move || {
                let text = analyse::write_fumen(&board, &queue, hold.as_deref().unwrap_or(""))?;
                Ok(json!({ "text": text }))
            })?,
            Request::Games => self.kept(id, |store| Ok(json!(store.games(MAX_GAMES)?)))?,
            Request::GameOpen { game } => {
                let keeper = self.lab.keeper.clone();
                self.short(id, move || {
                    let (game, record) = stored(&keeper, game)?;
                    let played = Replay::read(&record)?;
                    Ok(json!({
                        "game": game,
                        "rules": played.board(),
                        "record": record,
                        "steps": played.shown(),
                        "fumen": played.fumen(),
                    }))
                })?;
            }
            Request::GameJudge { game } => {
                let hold = Hold::default();
                let leave = hold.leave();
                // One at a time for each page: the one before ends here.
                self.judging = Some(hold);
                let (keeper, out) = (self.lab.keeper.clone(), self.out.clone());
                self.long(id, leave, move |leave| {
                    let (_, record) = stored(&keeper, game)?;
                    let played = Replay::read(&record)?;
                    played.judge(leave, |verdict| {
                        let text = json!({ "on": "verdict", "game": game, "verdict": verdict });
                        let _ = out.blocking_send(Message::Text(text.to_string().into()));
                    })?;
                    Ok(json!({ "steps": played.len() }))
                })?;
            }
            Request::GameJudgeEnd => self.judging = None,
            Request::GameImport { text } => {
                let keeper = self.lab.keeper.clone();
                self.short(id, move || {
                    let id = analyse::import(&keeper, &text)?;
                    Ok(json!({ "game": id }))
                })?;
            }
            Request::ExploreSolve { question } => {
                self.explore(id, move |leave| SolvedGame::solve(&question, leave))?;
            }
            Request::ExploreOpen { file } => self.explore(id, move |_| SolvedGame::open(&file))?,
            Request::ExploreLook { board, piece, dealt } => {
                let solved = self.solved.lock().unwrap_or_else(PoisonError::into_inner).clone();
                match solved {
                    Some(solved) => self.short(id, move || solved.look(&board, piece, dealt.as_deref()))?,
                    None => self.answer(id, Err("nothing is solved yet".to_owned())).await,
                }
            }
            Request::ExploreKeep { placed, moves } => {
                let solved = self.solved.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let keeper = self.lab.keeper.clone();
                self.short(id, move || {
                    let mut record = solved.ok_or("nothing is solved yet")?.contest(&moves)?;
                    let player = if placed { "you, against the worst dealer" } else { "the best, you dealt" };
                    record.player = Some(player.to_owned());
                    let game = keeper.keep_record(&AnyRecord::Placement(record), player)?;
                    Ok(json!({ "game": game }))
                })?;
            }
            Request::Runs => {
                let lab = Arc::clone(&self.lab);
                self.short(id, move || Ok(json!(lab.trainer.list())))?;
            }
            Request::RunCurve { name } => {
                let lab = Arc::clone(&self.lab);
                self.short(id, move || lab.trainer.curve(&name))?;
            }
            Request::TrainStart { order } => {
                let lab = Arc::clone(&self.lab);
                self.short(id, move || lab.trainer.start(&order))?;
            }
            Request::TrainStop => {
                let lab = Arc::clone(&self.lab);
                self.short(id, move || {
                    lab.trainer.stop();
                    Ok(Value::Null)
                })?;
            }
            Request::TrainResume { name } => {
                let lab = Arc::clone(&self.lab);
                self.short(id, move || lab.trainer.resume(&name))?;
            }
            Request::GameRemove { game } => self.kept(id, move |store| Ok(json!(store.remove(game)?)))?,
        }
        Ok(())
    }

    fn open_room(
        &mut self,
        mode: Mode,
        seed: u64,
        hands: Hands,
        setup: Option<&Setup>,
    ) -> Result<Value, String> {
        self.leave_room();
        if self.lab.rooms().len() >= MAX_ROOMS {
            return Err("too many games are being played; close one".to_owned());
        }
        let number = self.lab.next_room.fetch_add(1, Ordering::Relaxed);
        let room = Room::open(number, mode, seed, hands, setup, self.lab.keeper.clone(), self.lab.begin)?;
        let pictures = self.forward(room.frames.clone(), Duration::ZERO);
        self.seat = Some(PlayerSeat { number, commands: room.commands.clone(), _pictures: pictures });
        self.lab.rooms().insert(number, room);
        Ok(json!({ "room": number }))
    }

    /// The game ends with its last sender of commands.
    fn leave_room(&mut self) {
        if let Some(seat) = self.seat.take() {
            self.lab.rooms().remove(&seat.number);
        }
    }

    async fn command(&self, command: RoomCommand) {
        if let Some(seat) = &self.seat {
            let _ = seat.commands.send(command).await;
        }
    }

    /// Hands on each new picture, but not more often than the pause allows.
    fn forward(&self, mut frames: watch::Receiver<Utf8Bytes>, pause: Duration) -> Forward {
        let out = self.out.clone();
        frames.mark_changed();
        Forward(tokio::spawn(async move {
            while frames.changed().await.is_ok() {
                let text = frames.borrow_and_update().clone();
                if out.send(Message::Text(text)).await.is_err() {
                    return;
                }
                if !pause.is_zero() {
                    tokio::time::sleep(pause).await;
                }
            }
            let _ = out.send(Message::Text(Utf8Bytes::from_static(r#"{"on":"play-end"}"#))).await;
        }))
    }

    /// Works on a watch session in the short lane.
    async fn watching(
        &mut self,
        id: u32,
        session: u32,
        work: impl FnOnce(&mut WatchSession) -> Result<Value, String> + Send + 'static,
    ) -> Result<(), Fault> {
        let watch = self.watches.lock().unwrap_or_else(PoisonError::into_inner).get(&session).cloned();
        let Some(watch) = watch else {
            self.answer(id, Err("this game is no longer open".to_owned())).await;
            return Ok(());
        };
        self.short(id, move || work(&mut watch.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Answers later with what the store says.
    fn kept(
        &self,
        id: u32,
        work: impl FnOnce(&GameStore) -> Result<Value, StoreError> + Send + 'static,
    ) -> Result<(), Fault> {
        let lab = Arc::clone(&self.lab);
        self.later(id, async move { lab.keeper.ask(work).await })
    }

    /// Gets a solved game to look at; the one before is ended.
    fn explore(
        &mut self,
        id: u32,
        get: impl FnOnce(&Leave) -> Result<(SolvedGame, Value), String> + Send + 'static,
    ) -> Result<(), Fault> {
        let hold = Hold::default();
        let leave = hold.leave();
        self.solving = Some(hold);
        let place = Arc::clone(&self.solved);
        self.long(id, leave, move |leave| {
            let (solved, figures) = get(leave)?;
            // Ended in the meantime: the next question has its place.
            if !leave.go_on() {
                return Err("cancelled".to_owned());
            }
            *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(solved));
            Ok(figures)
        })
    }

    /// Answers later with the result of short work.
    fn short(
        &self,
        id: u32,
        work: impl FnOnce() -> Result<Value, String> + Send + 'static,
    ) -> Result<(), Fault> {
        let lab = Arc::clone(&self.lab);
        self.later(id, async move { lab.jobs.short(work).await? })
    }

    /// Answers later with the result of long work.
    fn long(
        &self,
        id: u32,
        leave: Leave,
        work: impl FnOnce(&Leave) -> Result<Value, String> + Send + 'static,
    ) -> Result<(), Fault> {
        let lab = Arc::clone(&self.lab);
        self.later(id, async move { lab.jobs.long(leave, work).await? })
    }

    fn later(
        &self,
        id: u32,
        result: impl Future<Output = Result<Value, String>> + Send + 'static,
    ) -> Result<(), Fault> {
        let under_way = Arc::clone(&self.under_way).try_acquire_owned();
        let under_way = under_way.map_err(|_| Fault(close_code::POLICY, "too many requests at once"))?;
        let out = self.out.clone();
        tokio::spawn(async move {
            let _ = out.send(answer(id, result.await)).await;
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

/// A game of the store and its record.
fn stored(keeper: &Keeper, id: i64) -> Result<(StoredGame, String), String> {
    let found = keeper.ask_and_wait(move |store| store.game(id))?;
    found.ok_or_else(|| format!("there is no game {id}"))
}

/// What a page needs first.
fn hello(store: &GameStore, path: &str) -> Result<Value, StoreError> {
    let games: Vec<Value> = bellmino_engine::BUILT_IN
        .iter()
        .filter_map(|(name, _)| game(name, &[]).ok())
        .map(|game| describe(&game))
        .collect();
    let mut settings = serde_json::Map::new();
    for key in SETTINGS {
        settings.insert(key.to_owned(), store.setting(key)?.unwrap_or_default());
    }
    let mut bests = serde_json::Map::new();
    for mode in ["sprint", "blitz"] {
        bests.insert(mode.to_owned(), json!(store.bests(mode, PLAYER, 1)?.first()));
    }
    Ok(json!({
        "bests": bests,
        "version": env!("CARGO_PKG_VERSION"),
        "store": path,
        "games": games,
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
