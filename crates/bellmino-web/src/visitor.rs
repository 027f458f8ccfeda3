//! One visitor, that is one page: its session with what the session wants done, by the queue, the store and the rooms of the lab.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes};
use bellmino_page::{
    ArchiveWork, HostError, PageEffect, PageFault, PageSession, PageView, PageWork, RoomCommand, RoomPlace,
    WorkDone,
};
use serde_json::json;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinHandle, JoinSet, spawn_blocking};

use crate::Lab;
use crate::bench::Bench;
use crate::jobs::{Hold, JobError, Leave, TellPlace};
use crate::outgoing::Playing;
use crate::room::OpenRoom;
use crate::store::{GameStore, StoreError};

/// Spectators get so many pictures a second at most; the player gets them all.
const SPECTATOR_PAUSE: Duration = Duration::from_millis(30);

/// The time that the last answer has to leave.
const PARTING: Duration = Duration::from_millis(200);

/// What was done for the session of a page, or why it was not.
type Returned = Result<WorkDone, (u32, HostError)>;

/// What belongs to one page.
pub struct Visitor {
    lab: Arc<Lab>,
    /// Which page it is, for the queue of work and the rooms.
    number: u64,
    session: PageSession,
    out: mpsc::Sender<Message>,
    /// Whether it is sent its pictures before those who look on.
    first: Playing,
    /// What it waits for; ended with the page.
    tasks: JoinSet<()>,
    back: mpsc::UnboundedSender<Returned>,
    returned: mpsc::UnboundedReceiver<Returned>,
    /// The work under way, by its task; ends when let go.
    working: HashMap<u32, Hold>,
    _news: Forward,
    playing: Option<Forward>,
    looking_on: Option<Forward>,
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
    pub fn new(lab: &Arc<Lab>, out: mpsc::Sender<Message>, first: Playing) -> Visitor {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let premises: Arc<Lab> = Arc::clone(lab);
        let (back, returned) = mpsc::unbounded_channel();
        Visitor {
            lab: Arc::clone(lab),
            number,
            session: PageSession::new(number, premises, lab.commons.clone()),
            _news: hear_news(lab, out.clone()),
            out,
            first,
            tasks: JoinSet::new(),
            back,
            returned,
            working: HashMap::new(),
            playing: None,
            looking_on: None,
        }
    }

    /// Asks whether the page is still there.
    pub fn ping(&self) {
        let _ = self.out.try_send(Message::Ping(Default::default()));
    }

    /// Hears a message of the page. An error ends the connection.
    pub async fn hear(&mut self, text: &str) -> Result<(), PageFault> {
        let effects = self.session.hear(text, self.lab.clock.now());
        self.perform(effects).await
    }

    /// Waits for what is done for the page.
    pub async fn returned(&mut self) -> Option<Returned> {
        self.returned.recv().await
    }

    /// Takes it.
    pub async fn take(&mut self, returned: Returned) -> Result<(), PageFault> {
        let now = self.lab.clock.now();
        let effects = match returned {
            Ok(done) => {
                self.working.remove(&done.task);
                self.session.take(done, now)
            }
            Err((task, why)) => {
                self.working.remove(&task);
                self.session.failed(task, why, now)
            }
        };
        while self.tasks.try_join_next().is_some() {}
        self.perform(effects).await
    }

    /// Tells the page why its connection ends.
    pub fn close(&self, fault: PageFault) {
        let frame = CloseFrame { code: fault.code, reason: fault.reason.into() };
        let _ = self.out.try_send(Message::Close(Some(frame)));
    }

    /// Does what the session wants, in its order.
    async fn perform(&mut self, effects: Vec<PageEffect>) -> Result<(), PageFault> {
        for effect in effects {
            match effect {
                PageEffect::Say(text) => {
                    let _ = self.out.send(Message::Text(text.into())).await;
                }
                PageEffect::Mention(text) => {
                    let _ = self.out.try_send(Message::Text(text.into()));
                }
                PageEffect::Close(fault) => return Err(fault),
                PageEffect::Command(number, command) => {
                    if matches!(command, RoomCommand::Key { .. }) {
                        self.first.set(true);
                    }
                    let room = self.lab.rooms().get(&number).map(|room| room.commands.clone());
                    if let Some(room) = room {
                        let _ = room.send(command).await;
                    }
                }
                other => self.begin(other),
            }
        }
        Ok(())
    }

    /// Begins something that nobody waits for here.
    fn begin(&mut self, effect: PageEffect) {
        match effect {
            PageEffect::Work(work) => self.work(work),
            PageEffect::Aside(work) => self.aside(work),
            PageEffect::Stop(task) => drop(self.working.remove(&task)),
            PageEffect::Look(work) => {
                let task = work.task;
                let asked = self.lab.keeper.read(consult(work, &self.lab));
                self.wait_for(task, asked);
            }
            PageEffect::Write(work) => {
                let task = work.task;
                let asked = self.lab.keeper.write(consult(work, &self.lab));
                self.wait_for(task, asked);
            }
            PageEffect::Open(number, room) => {
                let room = OpenRoom::open(*room, &self.lab.keeper, self.lab.clock.clone());
                self.lab.rooms().insert(number, room);
            }
            PageEffect::Shut(number) => drop(self.lab.rooms().remove(&number)),
            PageEffect::Play(None) => {
                self.first.set(false);
                self.playing = None;
            }
            PageEffect::Play(Some(number)) => self.playing = self.follow(number, true),
            PageEffect::LookOn(None) => self.looking_on = None,
            PageEffect::LookOn(Some(PageView::Room(number))) => {
                self.first.set(false);
                self.looking_on = self.follow(number, false);
            }
            PageEffect::LookOn(Some(PageView::Shown(number))) => {
                let pictures = self.lab.shown().get(&number).map(|shown| shown.latest.clone());
                self.looking_on = pictures.map(|pictures| self.forward(pictures, None));
            }
            PageEffect::Quit => {
                let lab = Arc::clone(&self.lab);
                tokio::spawn(async move {
                    tokio::time::sleep(PARTING).await;
                    lab.quit.notify_one();
                });
            }
            PageEffect::Say(_) | PageEffect::Mention(_) | PageEffect::Close(_) | PageEffect::Command(..) => {}
        }
    }

    /// Does work when it is the page's turn.
    fn work(&mut self, work: PageWork) {
        let (task, kind) = (work.task, work.kind);
        let hold = Hold::default();
        let leave = hold.leave();
        self.working.insert(task, hold);
        let tell = work.of.map_or_else(|| Box::new(|_| {}) as TellPlace, |id| tell_place(&self.out, id));
        let (jobs, page) = (self.lab.jobs.clone(), self.number);
        let (clock, out) = (self.lab.clock.clone(), self.out.clone());
        let run = move |leave: &Leave| {
            Ok::<_, JobError>(work.run(&Bench { leave: leave.clone(), clock, out: Some(out) }))
        };
        self.wait_for(task, async move { jobs.run(page, kind, leave, tell, run).await });
    }

    /// Does what waits for something else than the processor.
    fn aside(&mut self, work: PageWork) {
        let task = work.task;
        let desk = Bench { leave: Leave::default(), clock: self.lab.clock.clone(), out: None };
        let done = spawn_blocking(move || work.run(&desk));
        self.wait_for(task, async move { done.await.map_err(|_| JobError::Failed) });
    }

    fn wait_for<E: Into<HostError>>(
        &mut self,
        task: u32,
        done: impl Future<Output = Result<WorkDone, E>> + Send + 'static,
    ) {
        let back = self.back.clone();
        self.tasks.spawn(async move {
            let _ = back.send(done.await.map_err(|why| (task, why.into())));
        });
    }

    /// Hands on the pictures of a room.
    fn follow(&self, number: u32, plays: bool) -> Option<Forward> {
        let (frames, place) = {
            let rooms = self.lab.rooms();
            let room = rooms.get(&number)?;
            (room.frames.clone(), Arc::clone(&room.place))
        };
        Some(self.forward(frames, plays.then_some(place)))
    }

    /// Hands on each new picture; to those who only look on not more often than the pause allows.
    fn forward(&self, mut frames: watch::Receiver<Utf8Bytes>, played: Option<Arc<RoomPlace>>) -> Forward {
        let (out, page) = (self.out.clone(), self.number);
        frames.mark_changed();
        Forward(tokio::spawn(async move {
            while frames.changed().await.is_ok() {
                if played.as_ref().is_some_and(|place| !place.is_played_by(page)) {
                    let _ = out.send(Message::Text(Utf8Bytes::from_static(r#"{"on":"play-taken"}"#))).await;
                    return;
                }
                let text = frames.borrow_and_update().clone();
                if out.send(Message::Text(text)).await.is_err() {
                    return;
                }
                if played.is_none() {
                    tokio::time::sleep(SPECTATOR_PAUSE).await;
                }
            }
            let _ = out.send(Message::Text(Utf8Bytes::from_static(r#"{"on":"play-end"}"#))).await;
        }))
    }
}

/// What every page hears, for this one.
fn hear_news(lab: &Lab, page: mpsc::Sender<Message>) -> Forward {
    let mut news = lab.news.subscribe();
    Forward(tokio::spawn(async move {
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
    }))
}

/// A look at the store, or a change.
fn consult(
    work: ArchiveWork,
    lab: &Lab,
) -> impl FnOnce(&GameStore) -> Result<WorkDone, StoreError> + Send + use<> {
    let news = lab.news.clone();
    move |store| {
        Ok(work.run(store, &|text: String| {
            let _ = news.send(text.into());
        }))
    }
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
        for effect in self.session.leave() {
            match effect {
                PageEffect::Command(number, command) => {
                    if let Some(room) = self.lab.rooms().get(&number) {
                        let _ = room.commands.try_send(command);
                    }
                }
                other => self.begin(other),
            }
        }
    }
}
