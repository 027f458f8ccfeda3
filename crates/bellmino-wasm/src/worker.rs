//! A page's own lab: its session with an archive in memory, its rooms and its work, all on one thread, driven from outside.
//!
//! Whoever drives it hands on what the page says ([`PageWorker::hear`]), lets time go by ([`PageWorker::tick`]), lets it work when there
//! is nothing else to do ([`PageWorker::work`]), and writes down what has changed ([`PageWorker::changed`], [`PageWorker::stored`]).

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use bellmino_page::{
    AnswerError, ArchiveError, BuiltInCollection, Collection, Commons, Desk, HostError, JobKind,
    MemoryArchive, MemoryError, NoRuns, PageEffect, PageFault, PageSession, PageView, PageWork, Premises,
    Thoughts, TrainingRuns, WorkDone,
};
use serde_json::{Value, json};

use crate::hosted::HostedRoom;

/// What a worker needs of whoever drives it.
pub trait WorkerHome: Send + Sync {
    /// The time in milliseconds, also while something is worked at.
    fn now(&self) -> f64;

    /// The page hears this.
    fn say(&self, text: &str);
}

/// A page's own lab.
pub struct PageWorker {
    home: Arc<dyn WorkerHome>,
    session: PageSession,
    archive: MemoryArchive,
    rooms: BTreeMap<u32, HostedRoom>,
    /// The room in which the page plays, and the one at which it looks.
    playing: Option<u32>,
    looking_on: Option<u32>,
    queue: VecDeque<PageWork>,
    thinking: VecDeque<(u32, u32, Box<Thoughts>)>,
    /// What is told when everything up to now is written down.
    unstored: Vec<Unstored>,
    /// How many of them wait for what is being written down now.
    storing: usize,
    closed: Option<PageFault>,
}

/// What is told when it is written down.
enum Unstored {
    /// An answer to the page.
    Done(WorkDone),
    /// The end of a game.
    End { room: u32, end: u32, ranking: Result<Value, ArchiveError> },
}

/// The page has what is built in, and nothing else.
struct BuiltInPremises;

impl Premises for BuiltInPremises {
    fn collection(&self) -> &dyn Collection {
        &BuiltInCollection
    }

    fn runs(&self) -> &dyn TrainingRuns {
        &NoRuns
    }

    fn places(&self) -> (String, String) {
        ("this browser".to_owned(), String::new())
    }

    fn shown(&self) -> Vec<(u32, Value)> {
        vec![]
    }

    fn shown_board(&self, _: u32) -> Option<Value> {
        None
    }
}

/// Work on the one thread that there is: nobody ends it, and the page hears of it.
struct HomeDesk<'a>(&'a dyn WorkerHome);

impl Desk for HomeDesk<'_> {
    fn go_on(&self) -> bool {
        true
    }

    fn now(&self) -> f64 {
        self.0.now()
    }

    fn tell(&self, event: &Value) {
        self.0.say(&event.to_string());
    }
}

impl PageWorker {
    /// A lab with what was kept before; all of it is put in part by part ([`PageWorker::put`]) or at once.
    pub fn new(home: Arc<dyn WorkerHome>, archive: MemoryArchive) -> PageWorker {
        PageWorker {
            home,
            session: PageSession::new(1, Arc::new(BuiltInPremises), Commons::default()),
            archive,
            rooms: BTreeMap::new(),
            playing: None,
            looking_on: None,
            queue: VecDeque::new(),
            thinking: VecDeque::new(),
            unstored: Vec::new(),
            storing: 0,
            closed: None,
        }
    }

    /// Puts in a part of what was kept before.
    pub fn put(&self, key: &str, content: &str) -> Result<(), MemoryError> {
        self.archive.put(key, content)
    }

    /// All that is kept, as one file.
    pub fn export(&self) -> Vec<u8> {
        self.archive.export()
    }

    /// Why the session has ended, if it has: what it heard was no message.
    pub fn closed(&self) -> Option<PageFault> {
        self.closed
    }

    /// Tells the time of day, in milliseconds since 1970: games have it.
    pub fn set_day(&self, milliseconds: i64) {
        self.archive.set_time(milliseconds);
    }

    /// Hears a message of the page.
    pub fn hear(&mut self, text: &str) {
        if self.closed.is_none() {
            let effects = self.session.hear(text, self.home.now());
            self.perform(effects);
        }
    }

    /// Lets time go by in the rooms. Whether it does something there, so that this is to be called again within milliseconds.
    pub fn tick(&mut self) -> bool {
        let numbers: Vec<u32> = self.rooms.keys().copied().collect();
        for number in numbers {
            self.tick_room(number);
        }
        self.rooms.values().any(HostedRoom::is_going)
    }

    /// Does the next piece of work, the shortest kind first. Whether there is more.
    pub fn work(&mut self) -> bool {
        if let Some((room, number, mut thoughts)) = self.thinking.pop_front() {
            thoughts.think(&HomeDesk(&*self.home));
            if let Some(hosted) = self.rooms.get_mut(&room) {
                hosted.thought(number, thoughts);
                self.tick_room(room);
            }
        } else if let Some(work) = self.next_work() {
            if let (Some(id), JobKind::Judge | JobKind::Solve) = (work.of, work.kind) {
                self.home.say(&json!({ "on": "waiting", "of": id, "place": 0 }).to_string());
            }
            let done = work.run(&HomeDesk(&*self.home));
            self.take(done);
        }
        !self.thinking.is_empty() || !self.queue.is_empty()
    }

    /// What has changed since it was asked last, to be written down: each part by its key, without content if it is gone.
    pub fn changed(&mut self) -> Vec<(String, Option<String>)> {
        self.storing = self.unstored.len();
        self.archive.take_changed()
    }

    /// What was asked for last is written down, or why it is not: the page hears so.
    pub fn stored(&mut self, trouble: Option<&str>) {
        for unstored in self.unstored.drain(..self.storing).collect::<Vec<_>>() {
            match unstored {
                Unstored::Done(done) => match trouble {
                    None => self.take(done),
                    Some(why) => {
                        let effects = self.session.failed(done.task, HostError::from(why), self.home.now());
                        self.perform(effects);
                    }
                },
                Unstored::End { room, end, ranking } => {
                    if let Some(hosted) = self.rooms.get_mut(&room) {
                        hosted.saved(end, ranking, trouble);
                        self.tick_room(room);
                    }
                }
            }
        }
        self.storing = 0;
    }

    /// Whether something is to be written down.
    pub fn has_changed(&self) -> bool {
        self.archive.has_changed() || !self.unstored.is_empty()
    }

    /// The page is gone: its games end or are kept as they stand.
    pub fn leave(&mut self) {
        let effects = self.session.leave();
        self.perform(effects);
    }

    fn take(&mut self, done: WorkDone) {
        let effects = self.session.take(done, self.home.now());
        self.perform(effects);
    }

    fn next_work(&mut self) -> Option<PageWork> {
        let kinds = [JobKind::Short, JobKind::Think, JobKind::Judge, JobKind::Solve];
        let place = kinds.iter().find_map(|kind| self.queue.iter().position(|work| work.kind == *kind))?;
        self.queue.remove(place)
    }

    /// Does what the session wants, in its order.
    fn perform(&mut self, effects: Vec<PageEffect>) {
        for effect in effects {
            match effect {
                PageEffect::Say(text) | PageEffect::Mention(text) => self.home.say(&text),
                PageEffect::Close(fault) => self.closed = Some(fault),
                PageEffect::Work(work) | PageEffect::Aside(work) => self.queue.push_back(work),
                PageEffect::Stop(task) => self.stop(task),
                PageEffect::Look(work) => {
                    let done = work.run(&self.archive, &|_| {});
                    self.take(done);
                }
                PageEffect::Write(work) => {
                    let home = Arc::clone(&self.home);
                    let done = work.run(&self.archive, &|text: String| home.say(&text));
                    self.unstored.push(Unstored::Done(done));
                }
                PageEffect::Open(number, room) => {
                    self.rooms.insert(number, HostedRoom::new(*room));
                    self.tick_room(number);
                }
                PageEffect::Command(number, command) => {
                    if let Some(room) = self.rooms.get_mut(&number) {
                        room.hear(command, self.home.now());
                        self.tick_room(number);
                    }
                }
                PageEffect::Shut(number) => self.shut(number),
                PageEffect::Play(room) => {
                    self.playing = room;
                    self.show(room);
                }
                PageEffect::LookOn(view) => {
                    self.looking_on = view.and_then(|view| match view {
                        PageView::Room(number) => Some(number),
                        PageView::Shown(_) => None,
                    });
                    self.show(self.looking_on);
                }
                // There is nothing to end: the page goes by itself.
                PageEffect::Quit => {}
            }
        }
    }

    /// Nobody waits for this work any more.
    fn stop(&mut self, task: u32) {
        let before = self.queue.len();
        self.queue.retain(|work| work.task != task);
        if self.queue.len() < before {
            let effects = self.session.failed(task, AnswerError::Cancelled.into(), self.home.now());
            self.perform(effects);
        }
    }

    fn shut(&mut self, number: u32) {
        let Some(mut room) = self.rooms.remove(&number) else { return };
        room.close(self.home.now(), &self.archive);
        if self.looking_on == Some(number) {
            self.looking_on = None;
            self.home.say(r#"{"on":"play-end"}"#);
        }
    }

    /// Lets time go by in a room, and does what it wants.
    fn tick_room(&mut self, number: u32) {
        let Some(room) = self.rooms.get_mut(&number) else { return };
        let told = room.tick(self.home.now(), &self.archive);
        let is_seen = self.playing == Some(number) || self.looking_on == Some(number);
        for text in told.pictures.iter().filter(|_| is_seen) {
            self.home.say(text);
        }
        self.thinking
            .extend(told.thoughts.into_iter().map(|(thinker, thoughts)| (number, thinker, thoughts)));
        let ends = told.ends.into_iter();
        self.unstored.extend(ends.map(|(end, ranking)| Unstored::End { room: number, end, ranking }));
    }

    /// Shows a room to whoever has just come.
    fn show(&self, room: Option<u32>) {
        if let Some(picture) = room.and_then(|room| self.rooms.get(&room)?.picture()) {
            self.home.say(picture);
        }
    }
}
