//! One visitor, that is one page: what belongs to it, and how its requests are answered, in any order.

mod explore;
mod seating;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::ws::{Message, Utf8Bytes, close_code};
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::{JoinHandle, JoinSet, spawn_blocking};

use crate::analyse::{self, judge};
use crate::jobs::{Hold, JobKind, Leave, TellPlace};
use crate::keeper::RecordToKeep;
use crate::message::{Envelope, Request};
use crate::replay::Replay;
use crate::room::{Opening, Room, RoomCommand};
use crate::roster::roster;
use crate::shelf::Shelved;
use crate::store::{GameStore, StoreError};
use crate::watch::{Meeting, Source, WatchSession, WatchedMove};
use crate::welcome::{SETTINGS, welcome};
use crate::{Lab, Seat};

/// Requests of one page under way at once.
const MAX_UNDER_WAY: usize = 32;

/// Watch sessions of one page, and of all.
const MAX_WATCHES: usize = 8;
const MAX_WATCHED: usize = 64;

/// Games in a list.
const MAX_GAMES: u32 = 200;

/// Spectators get so many pictures a second at most; the player gets them all.
const SPECTATOR_PAUSE: Duration = Duration::from_millis(30);

/// The longest name of a seat.
const MAX_SEAT: usize = 64;

/// The longest setting that a page may keep.
const MAX_SETTING: usize = 4096;

/// Why a connection is closed by the lab.
pub struct Fault(pub u16, pub &'static str);

/// What belongs to one page.
pub struct Visitor {
    lab: Arc<Lab>,
    /// Which page it is, for the queue of work.
    number: u64,
    out: mpsc::Sender<Message>,
    under_way: Arc<Semaphore>,
    /// What it waits for; ended with the page.
    tasks: JoinSet<()>,
    watches: Arc<Mutex<HashMap<u32, Watched>>>,
    next_session: u32,
    seat: Option<PlayerSeat>,
    _news: Forward,
    looking_on: Option<Forward>,
    comparing: Option<Hold>,
    judging: Option<Hold>,
    solving: Option<Hold>,
    frontier: Option<Hold>,
    solved: Arc<Mutex<Option<Shelved>>>,
}

/// A game that is watched, and its place among all of them.
struct Watched {
    session: Arc<Mutex<WatchSession>>,
    _seat: Seat,
}

/// The room in which this page plays.
struct PlayerSeat {
    number: u32,
    room: Room,
    _pictures: Forward,
}

/// A task that hands pictures on, ended when dropped.
struct Forward(JoinHandle<()>);

impl Drop for Forward {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Visitor {
    /// A page that hears what is sent to `out`.
    pub fn new(lab: &Arc<Lab>, out: mpsc::Sender<Message>) -> Visitor {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let (mut news, page) = (lab.news.subscribe(), out.clone());
        let news = Forward(tokio::spawn(async move {
            loop {
                match news.recv().await {
                    Ok(text) => {
                        if page.send(Message::Text(text)).await.is_err() {
                            return;
                        }
                    }
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return,
                }
            }
        }));
        Visitor {
            lab: Arc::clone(lab),
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            out,
            under_way: Arc::new(Semaphore::new(MAX_UNDER_WAY)),
            tasks: JoinSet::new(),
            watches: Arc::default(),
            next_session: 1,
            seat: None,
            _news: news,
            looking_on: None,
            comparing: None,
            judging: None,
            solving: None,
            frontier: None,
            solved: Arc::default(),
        }
    }

    /// Sends something to the page, if there is room.
    pub fn try_send(&self, message: Message) {
        let _ = self.out.try_send(message);
    }

    /// Says what is wrong with a request.
    pub async fn refuse(&self, id: u32, why: String) {
        self.answer(id, Err(why)).await;
    }

    /// Answers a request, now or later.
    pub async fn handle(&mut self, Envelope { id, request }: Envelope) -> Result<(), Fault> {
        match request {
            Request::Clock { t } => self.answer(id, Ok(json!({ "t": t, "now": self.lab.now() }))).await,
            Request::Hello => {
                let lab = Arc::clone(&self.lab);
                let (jobs, number) = (self.lab.jobs.clone(), self.number);
                let known = self.lab.keeper.read(crate::welcome::known);
                self.later(id, async move {
                    let known = known.await?;
                    let work = move |_: &Leave| Ok(welcome(&lab, known));
                    jobs.run(number, JobKind::Short, Leave::default(), Box::new(|_| {}), work).await
                })?;
            }
            Request::Set { key, value } => {
                if !SETTINGS.contains(&key.as_str()) || value.to_string().len() > MAX_SETTING {
                    return Err(Fault(close_code::POLICY, "there is no such setting"));
                }
                let news = self.lab.news.clone();
                self.written(id, move |store| {
                    let whole = store.merge(&key, &value)?;
                    let text = json!({ "on": "settings", "key": key, "value": whole }).to_string();
                    let _ = news.send(text.into());
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
                let seat = Seat::take(&self.lab, |lab| &lab.watched, MAX_WATCHED);
                let why = match &seat {
                    _ if watches(&self.watches).len() >= MAX_WATCHES => "too many games are open; close one",
                    None => "the lab is busy: too many games are watched; try again in a moment",
                    Some(_) => "",
                };
                let Some(seat) = seat.filter(|_| why.is_empty()) else {
                    self.answer(id, Err(why.to_owned())).await;
                    return Ok(());
                };
                let number = self.next_session;
                self.next_session += 1;
                let (lab, open) = (Arc::clone(&self.lab), Arc::clone(&self.watches));
                self.queued(id, WatchSession::opening(&players), Leave::default(), move |leave| {
                    let (library, shelf) = (&lab.library, &lab.shelf);
                    let source = Source { library, shelf, trained: &|name| lab.trainer.player(name), leave };
                    let (session, shown) = WatchSession::open(&game, &set, &players, seed, &source)?;
                    let mut open = watches(&open);
                    if open.len() >= MAX_WATCHES {
                        return Err("too many games are open; close one".to_owned());
                    }
                    open.insert(number, Watched { session: Arc::new(Mutex::new(session)), _seat: seat });
                    Ok(json!({ "session": number, "game": shown }))
                })?;
            }
            Request::WatchMoves { session, side, count } => {
                let kind = |watch: &WatchSession| watch.moving(side);
                self.watching(id, session, kind, move |watch| watch.moves(side, count), |moves| json!(moves))
                    .await?;
            }
            Request::WatchOptions { session, side } => {
                if let Some(watch) = self.watched(id, session).await {
                    self.queued(id, JobKind::Short, Leave::default(), move |_| locked(&watch).options(side))?;
                }
            }
            Request::WatchPlace { session, side, option } => {
                let place = move |watch: &mut WatchSession| Ok(vec![watch.place(side, option)?]);
                self.watching(id, session, |_| JobKind::Short, place, |moves| json!(moves.first())).await?;
            }
            Request::Players { game } => {
                let lab = Arc::clone(&self.lab);
                self.short(id, move || Ok(json!(roster(&lab, &lab.library.game(&game, &[])?))))?;
            }
            Request::WatchCompare { game, players, seed, games } => {
                let hold = Hold::default();
                let leave = hold.leave();
                self.comparing = Some(hold);
                let lab = Arc::clone(&self.lab);
                let meeting = self.job(id, WatchSession::opening(&players), Leave::default(), move |leave| {
                    let (library, shelf) = (&lab.library, &lab.shelf);
                    let source = Source { library, shelf, trained: &|name| lab.trainer.player(name), leave };
                    Meeting::open(&game, &players, seed, games, &source)
                });
                self.compare(id, meeting, leave)?;
            }
            Request::WatchCompareEnd => {
                self.comparing = None;
                self.answer(id, Ok(Value::Null)).await;
            }
            Request::WatchClose { session } => {
                watches(&self.watches).remove(&session);
                self.answer(id, Ok(Value::Null)).await;
            }
            Request::PlayOpen { mode, seed, hands, setup, seat, rival } => {
                let seat = seat.filter(|seat| seat.len() <= MAX_SEAT);
                let (best, unfinished) = (vec![], None);
                let opening = Opening { number: 0, mode, seed, hands, setup, seat, best, unfinished, rival };
                let answer = self.open_room(opening).await;
                self.answer(id, answer).await;
            }
            Request::Key { key, down, at, number } => {
                self.command(RoomCommand::Key { key, down, at, number }).await;
            }
            Request::Pause { paused } => self.command(RoomCommand::Pause(paused)).await,
            Request::Restart { seed, hands, again, rival } => {
                self.command(RoomCommand::Restart { seed, hands, again, rival }).await;
            }
            Request::Duels => {
                let duels = self.lab.keeper.read(crate::duel::table);
                self.later(id, async move { Ok(json!(duels.await?)) })?;
            }
            Request::Undo => self.command(RoomCommand::Undo).await,
            Request::Redo => self.command(RoomCommand::Redo).await,
            Request::Edit { change } => self.command(RoomCommand::Edit(Box::new(change))).await,
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
                        self.looking_on = Some(self.forward(frames, SPECTATOR_PAUSE, None));
                        Ok(Value::Null)
                    }
                    None => Err("nobody plays there any more".to_owned()),
                };
                self.answer(id, answer).await;
            }
            Request::SpectateEnd => self.looking_on = None,
            Request::Shown => {
                let shown: Vec<Value> = self
                    .lab
                    .shown()
                    .iter()
                    .map(|(number, shown)| json!({ "number": number, "title": shown.board["title"] }))
                    .collect();
                self.answer(id, Ok(json!(shown))).await;
            }
            Request::ShownOpen { number } => {
                let found = self.lab.shown().get(&number).map(|one| (one.board.clone(), one.latest.clone()));
                let answer = match found {
                    Some((board, pictures)) => {
                        self.looking_on = Some(self.forward(pictures, SPECTATOR_PAUSE, None));
                        Ok(board)
                    }
                    None => Err("this game is no longer shown".to_owned()),
                };
                self.answer(id, answer).await;
            }
            Request::FumenRead { text } => self.short(id, move || analyse::read_fumen(&text))?,
            Request::FumenWrite { board, queue, hold } => self.short(id, move || {
                let text = analyse::write_fumen(&board, &queue, hold.as_deref().unwrap_or(""))?;
                Ok(json!({ "text": text }))
            })?,
            Request::Games => {
                let games = self.lab.keeper.read(|store| store.games(MAX_GAMES));
                self.later(id, async move { Ok(json!(games.await?)) })?;
            }
            Request::GameOpen { game } => {
                let (jobs, number) = (self.lab.jobs.clone(), self.number);
                let found = self.lab.keeper.read(move |store| store.game(game));
                self.later(id, async move {
                    let (entry, record) = found.await?.ok_or_else(|| format!("there is no game {game}"))?;
                    let work = move |_: &Leave| {
                        let played = Replay::read(&record)?;
                        Ok(json!({
                            "game": entry,
                            "rules": played.board(),
                            "record": record,
                            "steps": played.shown(),
                            "fumen": played.fumen(),
                        }))
                    };
                    jobs.run(number, JobKind::Short, Leave::default(), Box::new(|_| {}), work).await
                })?;
            }
            Request::GameJudge { game } => {
                let hold = Hold::default();
                let leave = hold.leave();
                // One at a time for each page: the one before ends here.
                self.judging = Some(hold);
                self.judge(id, game, leave)?;
            }
            Request::GameLook { game, step } => {
                let (jobs, number) = (self.lab.jobs.clone(), self.number);
                let found = self.lab.keeper.read(move |store| store.game(game));
                let tell = tell_place(&self.out, id);
                self.later(id, async move {
                    let (_, record) = found.await?.ok_or_else(|| format!("there is no game {game}"))?;
                    let work = move |_: &Leave| Replay::read(&record)?.look(step);
                    jobs.run(number, JobKind::Think, Leave::default(), tell, work).await
                })?;
            }
            Request::Best(order) => {
                self.queued(id, JobKind::Think, Leave::default(), move |_| order.answer())?;
            }
            Request::GameJudgeEnd => self.judging = None,
            Request::GameImport { text } => self.kept(id, move || analyse::import(&text))?,
            Request::Explore(request) => self.explore(id, *request).await?,
            Request::Contests => {
                let contests = self.lab.keeper.read(|store| Ok(json!(store.contests()?)));
                self.later(id, contests)?;
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
                self.aside(id, move |lab| lab.trainer.start(&order))?;
            }
            Request::TrainStop { name } => {
                self.aside(id, move |lab| Ok(json!(lab.trainer.stop(name.as_deref())?)))?;
            }
            Request::TrainRemove { name } => {
                self.aside(id, move |lab| Ok(json!(lab.trainer.remove(&name)?)))?;
            }
            Request::TrainResume { name } => {
                self.aside(id, move |lab| lab.trainer.resume(&name))?;
            }
            Request::GameRemove { game } => {
                self.written(id, move |store| Ok(json!(store.remove(game)?)))?;
            }
        }
        Ok(())
    }

    /// Hands on each new picture, but not more often than the pause allows.
    fn forward(
        &self,
        mut frames: watch::Receiver<Utf8Bytes>,
        pause: Duration,
        played: Option<Room>,
    ) -> Forward {
        let (out, page) = (self.out.clone(), self.number);
        frames.mark_changed();
        Forward(tokio::spawn(async move {
            while frames.changed().await.is_ok() {
                if played.as_ref().is_some_and(|room| !room.is_played_by(page)) {
                    let _ = out.send(Message::Text(Utf8Bytes::from_static(r#"{"on":"play-taken"}"#))).await;
                    return;
                }
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

    /// A watch session of this page; if there is none, it hears so.
    async fn watched(&self, id: u32, session: u32) -> Option<Arc<Mutex<WatchSession>>> {
        let found = watches(&self.watches).get(&session).map(|watched| Arc::clone(&watched.session));
        if found.is_none() {
            self.answer(id, Err("this game is no longer open".to_owned())).await;
        }
        found
    }

    /// Makes moves in a watch session; a game that ends with one is kept before the page hears of it.
    async fn watching(
        &mut self,
        id: u32,
        session: u32,
        kind: impl Fn(&WatchSession) -> JobKind,
        work: impl FnOnce(&mut WatchSession) -> Result<Vec<WatchedMove>, String> + Send + 'static,
        show: fn(&[WatchedMove]) -> Value,
    ) -> Result<(), Fault> {
        let Some(watch) = self.watched(id, session).await else { return Ok(()) };
        // While its moves are being made nobody knows better than that it thinks.
        let kind = watch.try_lock().map_or(JobKind::Think, |watch| kind(&watch));
        let keeper = self.lab.keeper.clone();
        let moves = self.job(id, kind, Leave::default(), move |_| work(&mut locked(&watch)));
        self.later(id, async move {
            let mut moves = moves.await?;
            for one in &mut moves {
                match one.to_keep.take().map(|record| *record) {
                    Some(Ok(record)) => match keeper.keep(record).await {
                        Ok(number) => one.kept = Some(number),
                        Err(why) => one.not_kept = Some(why),
                    },
                    Some(Err(why)) => one.not_kept = Some(why),
                    None => {}
                }
            }
            Ok(show(&moves))
        })
    }

    /// Lets two machines play on, a moment at a time, so that others have their turn, until all games are done or nobody wants more.
    fn compare(
        &mut self,
        id: u32,
        meeting: impl Future<Output = Result<Meeting, String>> + Send + 'static,
        leave: Leave,
    ) -> Result<(), Fault> {
        let (jobs, number, out) = (self.lab.jobs.clone(), self.number, self.out.clone());
        self.later(id, async move {
            let mut meeting = meeting.await?;
            while leave.go_on() && !meeting.is_over() {
                let kind = meeting.kind();
                let play = move |leave: &Leave| {
                    let has_ended = meeting.play_on(leave)?;
                    Ok((meeting, has_ended))
                };
                let has_ended;
                (meeting, has_ended) =
                    jobs.run(number, kind, Leave::default(), Box::new(|_| {}), play).await?;
                if has_ended {
                    let text = json!({ "on": "comparison", "of": id, "now": meeting.shown() });
                    // A page that has no room for it hears the next one.
                    let _ = out.try_send(Message::Text(text.to_string().into()));
                }
            }
            Ok(meeting.shown())
        })
    }

    /// Judges every placement of a stored game, unless that was done before.
    fn judge(&mut self, id: u32, game: i64, leave: Leave) -> Result<(), Fault> {
        let found =
            self.lab.keeper.read(move |store| Ok((store.game(game)?, store.verdicts(game, judge())?)));
        let (jobs, number, out) = (self.lab.jobs.clone(), self.number, self.out.clone());
        let (keeper, tell) = (self.lab.keeper.clone(), tell_place(&self.out, id));
        self.later(id, async move {
            let (found, known) = found.await?;
            if let Some(verdicts) = known {
                return Ok(json!({ "verdicts": verdicts }));
            }
            let (_, record) = found.ok_or_else(|| format!("there is no game {game}"))?;
            let read = move |_: &Leave| Replay::read(&record);
            let played = jobs.run(number, JobKind::Short, Leave::default(), Box::new(|_| {}), read).await?;
            let kind = played.judging();
            let work = move |leave: &Leave| {
                let mut verdicts = Vec::new();
                played.judge(leave, |verdict| {
                    let verdict = json!(verdict);
                    let text = json!({ "on": "verdict", "game": game, "verdict": verdict });
                    let _ = out.blocking_send(Message::Text(text.to_string().into()));
                    verdicts.push(verdict);
                })?;
                Ok((verdicts.len() == played.len(), json!(verdicts)))
            };
            let (is_whole, verdicts) = jobs.run(number, kind, leave, tell, work).await?;
            if is_whole {
                let kept = verdicts.clone();
                // What cannot be kept is judged again the next time.
                let _ = keeper.write(move |store| store.keep_verdicts(game, judge(), &kept)).await;
            }
            Ok(json!({ "verdicts": verdicts }))
        })
    }

    /// Answers later with what the store says to a change.
    fn written(
        &mut self,
        id: u32,
        work: impl FnOnce(&GameStore) -> Result<Value, StoreError> + Send + 'static,
    ) -> Result<(), Fault> {
        let written = self.lab.keeper.write(work);
        self.later(id, written)
    }

    /// Keeps a recorded game; answers later with its number.
    fn kept(
        &mut self,
        id: u32,
        work: impl FnOnce() -> Result<RecordToKeep, String> + Send + 'static,
    ) -> Result<(), Fault> {
        let keeper = self.lab.keeper.clone();
        let record = self.job(id, JobKind::Short, Leave::default(), move |_| work());
        self.later(id, async move { Ok(json!({ "game": keeper.keep(record.await?).await? })) })
    }

    /// Answers later with the result of short work.
    fn short(
        &mut self,
        id: u32,
        work: impl FnOnce() -> Result<Value, String> + Send + 'static,
    ) -> Result<(), Fault> {
        self.queued(id, JobKind::Short, Leave::default(), move |_| work())
    }

    /// Answers later with the result of work that waits for its turn.
    fn queued(
        &mut self,
        id: u32,
        kind: JobKind,
        leave: Leave,
        work: impl FnOnce(&Leave) -> Result<Value, String> + Send + 'static,
    ) -> Result<(), Fault> {
        let result = self.job(id, kind, leave, work);
        self.later(id, result)
    }

    /// Work that waits for its turn; the page is told its place.
    fn job<T: Send + 'static, W>(
        &self,
        id: u32,
        kind: JobKind,
        leave: Leave,
        work: W,
    ) -> impl Future<Output = Result<T, String>> + Send + use<T, W>
    where
        W: FnOnce(&Leave) -> Result<T, String> + Send + 'static,
    {
        let (jobs, number, tell) = (self.lab.jobs.clone(), self.number, tell_place(&self.out, id));
        async move { jobs.run(number, kind, leave, tell, work).await }
    }

    /// Answers later with the result of something that waits for a program, outside of the queue.
    fn aside(
        &mut self,
        id: u32,
        work: impl FnOnce(&Lab) -> Result<Value, String> + Send + 'static,
    ) -> Result<(), Fault> {
        let lab = Arc::clone(&self.lab);
        let done = spawn_blocking(move || work(&lab));
        self.later(id, async move {
            done.await.map_err(|_| "the work failed; this is a defect of the lab".to_owned())?
        })
    }

    fn later(
        &mut self,
        id: u32,
        result: impl Future<Output = Result<Value, String>> + Send + 'static,
    ) -> Result<(), Fault> {
        let under_way = Arc::clone(&self.under_way).try_acquire_owned();
        let under_way = under_way.map_err(|_| Fault(close_code::POLICY, "too many requests at once"))?;
        let out = self.out.clone();
        while self.tasks.try_join_next().is_some() {}
        self.tasks.spawn(async move {
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

/// Tells a page where it is in the queue.
fn tell_place(out: &mpsc::Sender<Message>, id: u32) -> TellPlace {
    let out = out.clone();
    Box::new(move |place| {
        let text = json!({ "on": "waiting", "of": id, "place": place });
        // A page that has no room for it hears the next one.
        let _ = out.try_send(Message::Text(text.to_string().into()));
    })
}

fn watches(list: &Mutex<HashMap<u32, Watched>>) -> MutexGuard<'_, HashMap<u32, Watched>> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}

fn locked(watch: &Mutex<WatchSession>) -> MutexGuard<'_, WatchSession> {
    watch.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Visitor {
    fn drop(&mut self) {
        self.leave_room();
    }
}
