//! One visitor, that is one page: what belongs to it, and how its requests are answered, in any order.

mod explore;
mod games;
mod lab;
mod seating;
mod spectating;
mod watching;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::extract::ws::{Message, Utf8Bytes, close_code};
use bellmino_page::{
    Desk, Envelope, JobKind, Opening, RecordToKeep, Request, RoomCommand, Shelved, import, read_fumen,
};
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::{JoinHandle, JoinSet, spawn_blocking};

use self::watching::Watched;
use crate::Lab;
use crate::answer::AnswerError;
use crate::bench::Bench;
use crate::jobs::{Hold, JobError, Jobs, Leave, TellPlace};
use crate::room::OpenRoom;
use crate::store::{GameStore, StoreError};
use crate::train::{Order, Trainer};

/// Requests of one page under way at once.
const MAX_UNDER_WAY: usize = 32;

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

/// The queue of work as one page uses it.
#[derive(Clone)]
struct Workplace {
    jobs: Jobs,
    page: u64,
    begin: Instant,
    out: mpsc::Sender<Message>,
}

impl Workplace {
    /// Does work when it is the page's turn.
    fn run<T: Send + 'static, W>(
        &self,
        kind: JobKind,
        leave: Leave,
        tell: TellPlace,
        work: W,
    ) -> impl Future<Output = Result<T, AnswerError>> + Send + use<T, W>
    where
        W: FnOnce(&dyn Desk) -> Result<T, AnswerError> + Send + 'static,
    {
        let Workplace { jobs, page, begin, out } = self.clone();
        let work = move |leave: &Leave| work(&Bench { leave: leave.clone(), begin, out: Some(out) });
        async move { jobs.run(page, kind, leave, tell, work).await }
    }

    /// The same of which the page hears nothing before it is done.
    fn short<T: Send + 'static, W>(
        &self,
        work: W,
    ) -> impl Future<Output = Result<T, AnswerError>> + Send + use<T, W>
    where
        W: FnOnce(&dyn Desk) -> Result<T, AnswerError> + Send + 'static,
    {
        self.run(JobKind::Short, Leave::default(), Box::new(|_| {}), work)
    }
}

/// The room in which this page plays.
struct PlayerSeat {
    number: u32,
    room: OpenRoom,
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
        self.answer(id, Err(why.into())).await;
    }

    /// Answers a request, now or later.
    pub async fn handle(&mut self, Envelope { id, request }: Envelope<Order>) -> Result<(), Fault> {
        match request {
            Request::Clock { t } => self.answer(id, Ok(json!({ "t": t, "now": self.lab.now() }))).await,
            Request::Hello => self.hello(id)?,
            Request::Set { key, value } => self.set(id, key, value)?,
            Request::Quit => self.quit(id).await,
            Request::WatchOpen { game, set, players, seed } => {
                self.open_watch(id, game, set, players, seed).await?;
            }
            Request::WatchMoves { session, side, count } => {
                self.watch_moves(id, session, side, count).await?;
            }
            Request::WatchOptions { session, side } => self.watch_options(id, session, side).await?,
            Request::WatchPlace { session, side, option } => {
                self.watch_place(id, session, side, option).await?;
            }
            Request::Players { game } => self.players(id, game)?,
            Request::WatchCompare { game, players, seed, games } => {
                self.compare(id, game, players, seed, games)?;
            }
            Request::WatchCompareEnd => self.end_comparison(id).await,
            Request::WatchClose { session } => self.close_watch(id, session).await,
            Request::PlayOpen { mode, seed, hands, setup, seat, rival } => {
                let (number, best, unfinished) = (0, vec![], None);
                let opening = Opening { number, mode, seed, hands, setup, seat, best, unfinished, rival };
                self.play(id, opening).await;
            }
            Request::Key { key, down, at, number } => {
                self.command(RoomCommand::Key { key, down, at, number }).await;
            }
            Request::Pause { paused } => self.command(RoomCommand::Pause(paused)).await,
            Request::Restart { seed, hands, again, rival } => {
                self.command(RoomCommand::Restart { seed, hands, again, rival }).await;
            }
            Request::Duels => self.duels(id)?,
            Request::Undo => self.command(RoomCommand::Undo).await,
            Request::Redo => self.command(RoomCommand::Redo).await,
            Request::Edit { change } => self.command(RoomCommand::Edit(Box::new(change))).await,
            Request::PlayClose => self.leave_room(),
            Request::Rooms => self.rooms(id).await,
            Request::Spectate { room } => self.spectate(id, room).await,
            Request::SpectateEnd => self.looking_on = None,
            Request::Shown => self.shown(id).await,
            Request::ShownOpen { number } => self.open_shown(id, number).await,
            Request::FumenRead { text } => self.short(id, move || Ok(read_fumen(&text)?))?,
            Request::FumenWrite { board, queue, hold } => self.write_fumen(id, board, queue, hold)?,
            Request::Games => self.games(id)?,
            Request::GameOpen { game } => self.open_game(id, game)?,
            Request::GameJudge { game } => self.judge(id, game)?,
            Request::GameLook { game, step } => self.look_at_game(id, game, step)?,
            Request::Best(order) => self.best(id, order)?,
            Request::GameJudgeEnd => self.judging = None,
            Request::GameImport { text } => self.kept(id, move || Ok(import(&text)?))?,
            Request::GameRemove { game } => self.remove_game(id, game)?,
            Request::Explore(request) => self.explore(id, *request).await?,
            Request::Contests => self.contests(id)?,
            Request::Runs => self.training(id, |trainer| Ok(json!(trainer.list())))?,
            Request::RunCurve { name } => self.training(id, move |trainer| Ok(trainer.curve(&name)?))?,
            Request::TrainStart { order } => self.aside(id, move |lab| Ok(lab.trainer.start(&order)?))?,
            Request::TrainStop { name } => {
                self.aside(id, move |lab| Ok(json!(lab.trainer.stop(name.as_deref())?)))?;
            }
            Request::TrainRemove { name } => {
                self.aside(id, move |lab| Ok(json!(lab.trainer.remove(&name)?)))?;
            }
            Request::TrainResume { name } => self.aside(id, move |lab| Ok(lab.trainer.resume(&name)?))?,
        }
        Ok(())
    }

    /// Hands on each new picture, but not more often than the pause allows.
    fn forward(
        &self,
        mut frames: watch::Receiver<Utf8Bytes>,
        pause: Duration,
        played: Option<OpenRoom>,
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

    /// Answers later with what the store says to a change.
    fn written(
        &mut self,
        id: u32,
        work: impl FnOnce(&GameStore) -> Result<Value, StoreError> + Send + 'static,
    ) -> Result<(), Fault> {
        let written = self.lab.keeper.write(work);
        self.later(id, async move { Ok(written.await?) })
    }

    /// Keeps a recorded game; answers later with its number.
    fn kept(
        &mut self,
        id: u32,
        work: impl FnOnce() -> Result<RecordToKeep, AnswerError> + Send + 'static,
    ) -> Result<(), Fault> {
        let keeper = self.lab.keeper.clone();
        let record = self.job(id, JobKind::Short, Leave::default(), move |_| work());
        self.later(id, async move { Ok(json!({ "game": keeper.keep(record.await?).await? })) })
    }

    /// Answers later with the result of short work.
    fn short(
        &mut self,
        id: u32,
        work: impl FnOnce() -> Result<Value, AnswerError> + Send + 'static,
    ) -> Result<(), Fault> {
        self.queued(id, JobKind::Short, Leave::default(), move |_| work())
    }

    /// Answers later with the result of work that waits for its turn.
    fn queued(
        &mut self,
        id: u32,
        kind: JobKind,
        leave: Leave,
        work: impl FnOnce(&dyn Desk) -> Result<Value, AnswerError> + Send + 'static,
    ) -> Result<(), Fault> {
        let result = self.job(id, kind, leave, work);
        self.later(id, result)
    }

    /// Where work of this page is done.
    fn bench(&self) -> Workplace {
        let Lab { jobs, begin, .. } = &*self.lab;
        Workplace { jobs: jobs.clone(), page: self.number, begin: *begin, out: self.out.clone() }
    }

    /// Work that waits for its turn; the page is told its place.
    fn job<T: Send + 'static, W>(
        &self,
        id: u32,
        kind: JobKind,
        leave: Leave,
        work: W,
    ) -> impl Future<Output = Result<T, AnswerError>> + Send + use<T, W>
    where
        W: FnOnce(&dyn Desk) -> Result<T, AnswerError> + Send + 'static,
    {
        let tell = tell_place(&self.out, id);
        self.bench().run(kind, leave, tell, work)
    }

    /// Answers later with what is known of the training runs.
    fn training(
        &mut self,
        id: u32,
        ask: impl FnOnce(&Trainer) -> Result<Value, AnswerError> + Send + 'static,
    ) -> Result<(), Fault> {
        let lab = Arc::clone(&self.lab);
        self.short(id, move || ask(&lab.trainer))
    }

    /// Answers later with the result of something that waits for a program, outside of the queue.
    fn aside(
        &mut self,
        id: u32,
        work: impl FnOnce(&Lab) -> Result<Value, AnswerError> + Send + 'static,
    ) -> Result<(), Fault> {
        let lab = Arc::clone(&self.lab);
        let done = spawn_blocking(move || work(&lab));
        self.later(id, async move { done.await.map_err(|_| JobError::Failed)? })
    }

    fn later(
        &mut self,
        id: u32,
        result: impl Future<Output = Result<Value, AnswerError>> + Send + 'static,
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

    async fn answer(&self, id: u32, result: Result<Value, AnswerError>) {
        if id != 0 {
            let _ = self.out.send(answer(id, result)).await;
        }
    }
}

fn answer(id: u32, result: Result<Value, AnswerError>) -> Message {
    let text = match result {
        Ok(value) => json!({ "re": id, "ok": value }),
        Err(why) => json!({ "re": id, "error": why.to_string() }),
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

impl Drop for Visitor {
    fn drop(&mut self) {
        self.leave_room();
    }
}
