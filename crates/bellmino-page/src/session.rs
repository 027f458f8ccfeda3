//! One page's whole conversation with the lab: messages and time go in, messages and work come out.
//!
//! What the page asks for is answered at once, or in stages: each is work, or a look at the archive, that the host does and
//! hands back ([`PageSession::take`]). Which request that is, what it takes the place of, how many may be under way, and what is
//! answered is known here alone.
//!
//! # Files
//! - `step`: what a host is asked to do, and what it gives back
//! - `lab`: the greeting, settings, players and training runs
//! - `games`: kept games
//! - `exploring`: the game that the page has solved
//! - `watching`: machines at play
//! - `seating`: the timed game that the page plays
//! - `looking`: games of others
//! - `tests`: what is said, by a page and a host that do nothing else

mod exploring;
mod games;
mod lab;
mod looking;
mod seating;
mod step;
#[cfg(test)]
mod tests;
mod watching;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use serde_json::{Value, json};

pub use self::looking::PageView;
pub use self::step::{ArchiveWork, PageEffect, PageFault, PageWork, WorkDone};

use self::step::{Otherwise, PageReply, PageStage, PageStep};
use self::watching::Watched;
use crate::analyse::{import, read_fumen};
use crate::answer::AnswerError;
use crate::hall::Hall;
use crate::message::{Envelope, Request, Unreadable};
use crate::premises::{HostError, Premises};
use crate::room::{Opening, RoomCommand};
use crate::shelf::{Shelf, Shelved};

/// The largest message a page may send.
pub const MAX_MESSAGE: usize = 1280 << 10;

/// Requests of one page under way at once.
const MAX_UNDER_WAY: usize = 32;

/// Requests that may wait until the page has sat down.
const MAX_HELD: usize = 512;

/// What all pages of a host share.
#[derive(Clone, Default)]
pub struct Commons {
    /// Memory of solved games.
    pub shelf: Shelf,
    /// Timed games.
    pub hall: Hall,
    /// Games that machines play while somebody watches.
    watched: Arc<AtomicUsize>,
}

/// A request under way.
struct UnderWay {
    /// The page's number of it.
    id: u32,
    /// What is answered if the host cannot do what is asked of it now; else why.
    otherwise: Option<Otherwise>,
}

/// One page's conversation.
pub struct PageSession {
    /// Which page it is.
    page: u64,
    premises: Arc<dyn Premises>,
    commons: Commons,
    /// The host's time.
    now: f64,
    /// The requests under way.
    under_way: BTreeMap<u32, UnderWay>,
    tasks: u32,
    /// The room in which it plays.
    seat: Option<u32>,
    /// The request by which it sits down, and what it has asked of its room meanwhile.
    sitting: Option<u32>,
    held: VecDeque<Envelope>,
    watches: BTreeMap<u32, Watched>,
    watched: u32,
    /// The latest requests of which there is one at a time.
    comparing: Option<u32>,
    judging: Option<u32>,
    solving: Option<u32>,
    frontier: Option<u32>,
    solved: Option<Shelved>,
    effects: Vec<PageEffect>,
}

impl PageSession {
    /// The conversation of a page of this number, which is not 0.
    pub fn new(page: u64, premises: Arc<dyn Premises>, commons: Commons) -> PageSession {
        PageSession {
            page,
            premises,
            commons,
            now: 0.0,
            under_way: BTreeMap::new(),
            tasks: 0,
            seat: None,
            sitting: None,
            held: VecDeque::new(),
            watches: BTreeMap::new(),
            watched: 0,
            comparing: None,
            judging: None,
            solving: None,
            frontier: None,
            solved: None,
            effects: Vec::new(),
        }
    }

    /// Hears a message of the page, at a time of the host.
    pub fn hear(&mut self, text: &str, now: f64) -> Vec<PageEffect> {
        self.now = now;
        match Envelope::read(text) {
            Ok(envelope) => self.ask(envelope),
            Err(Unreadable::Refused { id, why }) => self.say(&json!({ "re": id, "error": why })),
            Err(Unreadable::Malformed) => self.effects.push(PageEffect::Close(PageFault::MALFORMED)),
        }
        std::mem::take(&mut self.effects)
    }

    /// Takes back what is done.
    pub fn take(&mut self, done: WorkDone, now: f64) -> Vec<PageEffect> {
        self.now = now;
        let WorkDone { task, next } = done;
        if self.under_way.contains_key(&task) {
            let stage = next(self);
            self.settle(task, stage);
            self.go_on();
        }
        std::mem::take(&mut self.effects)
    }

    /// Something could not be done, for a reason of the host's.
    pub fn failed(&mut self, task: u32, why: HostError, now: f64) -> Vec<PageEffect> {
        self.now = now;
        if let Some(request) = self.under_way.get_mut(&task) {
            let stage = match request.otherwise.take() {
                Some(otherwise) => Ok(PageStep::Answer(otherwise(&why))),
                None => Err(why.into()),
            };
            self.settle(task, stage);
            self.go_on();
        }
        std::mem::take(&mut self.effects)
    }

    /// The page is gone: its game waits or ends.
    pub fn leave(&mut self) -> Vec<PageEffect> {
        self.leave_room();
        std::mem::take(&mut self.effects)
    }

    /// Does what was held back until the page had sat down.
    fn go_on(&mut self) {
        while self.sitting.is_none()
            && let Some(envelope) = self.held.pop_front()
        {
            self.ask(envelope);
        }
    }

    fn ask(&mut self, envelope: Envelope) {
        if self.sitting.is_some() && envelope.request.is_of_room() {
            if self.held.len() >= MAX_HELD {
                return self.effects.push(PageEffect::Close(PageFault::TOO_MANY));
            }
            return self.held.push_back(envelope);
        }
        let Envelope { id, request } = envelope;
        self.tasks += 1;
        let task = self.tasks;
        match self.answer(task, id, request) {
            PageReply::Silent => {}
            PageReply::Fault(fault) => self.effects.push(PageEffect::Close(fault)),
            PageReply::Stage(stage) => {
                let is_counted =
                    self.sitting != Some(task) && stage.as_ref().is_ok_and(|step| !step.is_answer());
                let others = self.under_way.len() - usize::from(self.sitting.is_some_and(|it| it != task));
                if is_counted && others >= MAX_UNDER_WAY {
                    return self.effects.push(PageEffect::Close(PageFault::TOO_MANY));
                }
                self.under_way.insert(task, UnderWay { id, otherwise: None });
                self.settle(task, stage);
            }
        }
    }

    /// Answers a request, or goes on with it.
    fn settle(&mut self, task: u32, mut stage: PageStage) {
        let Some(request) = self.under_way.get_mut(&task) else { return };
        let id = request.id;
        if let Ok(PageStep::Write(_, otherwise)) = &mut stage {
            request.otherwise = otherwise.take();
        }
        let answer = match stage {
            Ok(PageStep::Answer(value)) => json!({ "re": id, "ok": value }),
            Err(why) => json!({ "re": id, "error": why.to_string() }),
            Ok(step) => return self.effects.extend(step.effect(task, id)),
        };
        self.under_way.remove(&task);
        if id != 0 {
            self.say(&answer);
        }
        if self.sitting == Some(task) {
            self.sitting = None;
            self.show_seat();
        }
    }

    /// The first stage of a request.
    fn answer(&mut self, task: u32, id: u32, request: Request) -> PageReply {
        match request {
            Request::Clock { t } => PageStep::answer(json!({ "t": t, "now": self.now })),
            Request::Hello => self.hello().into(),
            Request::Set { key, value } => self.set(key, value),
            Request::Quit => self.quit().into(),
            Request::Players { game } => self.players(game).into(),
            Request::WatchOpen { game, set, players, seed } => {
                self.open_watch(game, set, players, seed).into()
            }
            Request::WatchMoves { session, side, count } => self.watch_moves(session, side, count).into(),
            Request::WatchOptions { session, side } => self.watch_options(session, side).into(),
            Request::WatchPlace { session, side, option } => self.watch_place(session, side, option).into(),
            Request::WatchCompare { game, players, seed, games } => {
                self.compare(task, id, game, players, seed, games).into()
            }
            Request::WatchCompareEnd => self.end_comparison().into(),
            Request::WatchClose { session } => self.close_watch(session).into(),
            Request::Shown => self.shown().into(),
            Request::ShownOpen { number } => self.open_shown(number).into(),
            Request::Rooms => self.rooms().into(),
            Request::Spectate { room } => self.spectate(room).into(),
            Request::SpectateEnd => self.look_away(),
            Request::FumenRead { text } => PageStep::short(move || Ok(read_fumen(&text)?)).into(),
            Request::FumenWrite { board, queue, hold } => self.fumen(board, queue, hold).into(),
            Request::Games => self.games().into(),
            Request::GameOpen { game } => self.open_game(game).into(),
            Request::GameJudge { game } => self.judge(task, game).into(),
            Request::GameLook { game, step } => self.look_at_game(game, step).into(),
            Request::Best(order) => self.best(order).into(),
            Request::GameJudgeEnd => self.end_judging(),
            Request::GameImport { text } => self.keep_record(move || Ok(import(&text)?)).into(),
            Request::GameRemove { game } => self.remove_game(game).into(),
            Request::Contests => self.contests().into(),
            Request::Explore(request) => self.explore(task, *request),
            Request::Runs => self.runs().into(),
            Request::RunCurve { name } => self.curve(name).into(),
            Request::TrainStart { order } => self.train(move |runs| runs.start(&order)).into(),
            Request::TrainStop { name } => {
                self.train(move |runs| runs.stop(name.as_deref()).map(|()| Value::Null)).into()
            }
            Request::TrainRemove { name } => {
                self.train(move |runs| runs.remove(&name).map(|()| Value::Null)).into()
            }
            Request::TrainResume { name } => self.train(move |runs| runs.resume(&name)).into(),
            Request::Duels => self.duels().into(),
            request => self.play(task, request),
        }
    }

    /// What the page asks of the room in which it plays.
    fn play(&mut self, task: u32, request: Request) -> PageReply {
        let command = match request {
            Request::PlayOpen { mode, seed, hands, setup, seat, rival } => {
                let (number, best, unfinished) = (0, vec![], None);
                let opening = Opening { number, mode, seed, hands, setup, seat, best, unfinished, rival };
                return self.sit_down(task, opening).into();
            }
            Request::PlayClose => {
                self.leave_room();
                return PageReply::Silent;
            }
            Request::Key { key, down, at, number } => RoomCommand::Key { key, down, at, number },
            Request::Pause { paused } => RoomCommand::Pause(paused),
            Request::Restart { seed, hands, again, rival } => {
                RoomCommand::Restart { seed, hands, again, rival }
            }
            Request::Undo => RoomCommand::Undo,
            Request::Redo => RoomCommand::Redo,
            Request::Edit { change } => RoomCommand::Edit(Box::new(change)),
            _ => return PageReply::Silent,
        };
        self.command(command);
        PageReply::Silent
    }

    fn say(&mut self, message: &Value) {
        self.effects.push(PageEffect::Say(message.to_string()));
    }

    /// Says what the page hears again if it has no room for it now.
    fn mention(&mut self, message: &Value) {
        self.effects.push(PageEffect::Mention(message.to_string()));
    }

    /// Takes the place of an earlier request of its kind, whose work ends.
    fn supersede(&mut self, kind: fn(&mut PageSession) -> &mut Option<u32>, task: Option<u32>) {
        if let Some(before) = std::mem::replace(kind(self), task) {
            self.effects.push(PageEffect::Stop(before));
        }
    }
}

/// Whether a request may still be worked at: it is the latest of its kind.
fn latest(is: bool) -> Result<(), AnswerError> {
    if is { Ok(()) } else { Err(AnswerError::Cancelled) }
}
