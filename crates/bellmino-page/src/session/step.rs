//! What a host is asked to do, and what it gives back.

use serde_json::Value;

use super::{PageSession, PageView};
use crate::answer::AnswerError;
use crate::archive::Archive;
use crate::desk::{Desk, JobKind};
use crate::premises::HostError;
use crate::room::{Room, RoomCommand};

/// What a session wants of its host, in this order.
pub enum PageEffect {
    /// The page hears this.
    Say(String),
    /// The page hears this if there is room for it; what comes later says more.
    Mention(String),
    /// The connection ends.
    Close(PageFault),
    /// Work is done when it is the page's turn, and given back.
    Work(PageWork),
    /// Work is done outside of the queue: it waits for something else than the processor.
    Aside(PageWork),
    /// Nobody waits for the work of this task any more.
    Stop(u32),
    /// The archive is looked at.
    Look(ArchiveWork),
    /// The archive is changed, in the order in which that is asked for.
    Write(ArchiveWork),
    /// A room opens: from now on the host tells it the time and does what it wants.
    Open(u32, Box<Room>),
    /// What the player does in a room.
    Command(u32, RoomCommand),
    /// A room is gone: its game ends as it stands.
    Shut(u32),
    /// The page sees the pictures of the room in which it plays, or no longer.
    Play(Option<u32>),
    /// The page sees the pictures of somebody else's game, or no longer.
    LookOn(Option<PageView>),
    /// The lab ends, when this page has heard what was said before.
    Quit,
}

/// Why a connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageFault {
    /// The code of the WebSocket protocol.
    pub code: u16,
    /// Why, in words.
    pub reason: &'static str,
}

impl PageFault {
    /// What was sent is no message.
    pub const MALFORMED: PageFault = PageFault { code: 1007, reason: "malformed message" };
    /// What was sent is no text.
    pub const NO_TEXT: PageFault = PageFault { code: 1003, reason: "messages are text" };
    /// Messages come too fast.
    pub const TOO_FAST: PageFault = PageFault { code: 1008, reason: "too many messages" };
    /// Too much is under way.
    pub const TOO_MANY: PageFault = PageFault { code: 1008, reason: "too many requests at once" };
    /// A setting that there is not.
    pub const NO_SETTING: PageFault = PageFault { code: 1008, reason: "there is no such setting" };
}

/// What a request comes to next, once something is done.
pub(super) type Next = Box<dyn FnOnce(&mut PageSession) -> PageStage + Send>;

type AtDesk = Box<dyn FnOnce(&dyn Desk) -> Next + Send>;

type Consult = Box<dyn FnOnce(&dyn Archive, &dyn Fn(String)) -> Next + Send>;

/// What is answered if the host cannot do something.
pub(super) type Otherwise = Box<dyn FnOnce(&HostError) -> Value + Send>;

/// Work of a request.
pub struct PageWork {
    /// Which request it is of; given back with the result, and how it is stopped.
    pub task: u32,
    /// What kind of work it is.
    pub kind: JobKind,
    /// The number by which the page is told its place in the queue, if it is.
    pub of: Option<u32>,
    run: AtDesk,
}

/// A look at the archive, or a change, of a request.
pub struct ArchiveWork {
    /// Which request it is of.
    pub task: u32,
    consult: Consult,
}

/// What was done for a request; the session takes it.
pub struct WorkDone {
    /// Which request it is of.
    pub task: u32,
    pub(super) next: Next,
}

impl PageWork {
    /// Does the work.
    pub fn run(self, desk: &dyn Desk) -> WorkDone {
        WorkDone { task: self.task, next: (self.run)(desk) }
    }
}

impl ArchiveWork {
    /// Does it; `news` is what every page hears.
    pub fn run(self, archive: &dyn Archive, news: &dyn Fn(String)) -> WorkDone {
        WorkDone { task: self.task, next: (self.consult)(archive, news) }
    }
}

/// What a request comes to.
pub(super) enum PageStep {
    Answer(Value),
    Work {
        kind: JobKind,
        is_told: bool,
        run: AtDesk,
    },
    Aside(AtDesk),
    Look(Consult),
    /// With what is answered if the host cannot do it.
    Write(Consult, Option<Otherwise>),
}

/// A step, or why there is none.
pub(super) type PageStage = Result<PageStep, AnswerError>;

/// What a message comes to.
pub(super) enum PageReply {
    /// An answer, now or later.
    Stage(PageStage),
    /// Nothing is answered.
    Silent,
    /// The connection ends.
    Fault(PageFault),
}

impl From<PageStage> for PageReply {
    fn from(stage: PageStage) -> PageReply {
        PageReply::Stage(stage)
    }
}

impl From<PageStep> for PageReply {
    fn from(step: PageStep) -> PageReply {
        PageReply::Stage(Ok(step))
    }
}

/// What follows a result.
fn then<T: Send + 'static>(
    result: Result<T, AnswerError>,
    next: impl FnOnce(&mut PageSession, T) -> PageStage + Send + 'static,
) -> Next {
    Box::new(move |page| next(page, result?))
}

impl PageStep {
    /// An answer at once.
    pub fn answer(value: Value) -> PageReply {
        PageReply::Stage(Ok(PageStep::Answer(value)))
    }

    /// Short work whose result is the answer.
    pub fn short(work: impl FnOnce() -> Result<Value, AnswerError> + Send + 'static) -> PageStep {
        PageStep::queued(JobKind::Short, |_| work(), |_, value| Ok(PageStep::Answer(value)))
    }

    /// Work that waits for its turn; the page is told its place.
    pub fn queued<T: Send + 'static>(
        kind: JobKind,
        work: impl FnOnce(&dyn Desk) -> Result<T, AnswerError> + Send + 'static,
        next: impl FnOnce(&mut PageSession, T) -> PageStage + Send + 'static,
    ) -> PageStep {
        PageStep::Work { kind, is_told: true, run: Box::new(|desk| then(work(desk), next)) }
    }

    /// The same of which the page hears nothing before it is done.
    pub fn quiet<T: Send + 'static>(
        kind: JobKind,
        work: impl FnOnce(&dyn Desk) -> Result<T, AnswerError> + Send + 'static,
        next: impl FnOnce(&mut PageSession, T) -> PageStage + Send + 'static,
    ) -> PageStep {
        PageStep::Work { kind, is_told: false, run: Box::new(|desk| then(work(desk), next)) }
    }

    /// Something that waits for others; its result is the answer.
    pub fn aside(work: impl FnOnce() -> Result<Value, AnswerError> + Send + 'static) -> PageStep {
        PageStep::Aside(Box::new(|_| then(work(), |_, value| Ok(PageStep::Answer(value)))))
    }

    /// A look at the archive.
    pub fn look<T: Send + 'static>(
        look: impl FnOnce(&dyn Archive) -> Result<T, AnswerError> + Send + 'static,
        next: impl FnOnce(&mut PageSession, T) -> PageStage + Send + 'static,
    ) -> PageStep {
        PageStep::Look(Box::new(|archive, _| then(look(archive), next)))
    }

    /// A look at the archive whose result is the answer.
    pub fn told(look: impl FnOnce(&dyn Archive) -> Result<Value, AnswerError> + Send + 'static) -> PageStep {
        PageStep::look(look, |_, value| Ok(PageStep::Answer(value)))
    }

    /// A change of the archive whose result is the answer; also what every page hears of it.
    pub fn write(
        write: impl FnOnce(&dyn Archive, &dyn Fn(String)) -> Result<Value, AnswerError> + Send + 'static,
    ) -> PageStep {
        let consult: Consult =
            Box::new(|archive, news| then(write(archive, news), |_, value| Ok(PageStep::Answer(value))));
        PageStep::Write(consult, None)
    }

    /// A change of the archive that always has an answer, whatever comes of it.
    pub fn write_or(
        write: impl FnOnce(&dyn Archive) -> Value + Send + 'static,
        otherwise: impl FnOnce(&HostError) -> Value + Send + 'static,
    ) -> PageStep {
        let consult: Consult = Box::new(|archive, _| {
            let answer = write(archive);
            Box::new(|_| Ok(PageStep::Answer(answer)))
        });
        PageStep::Write(consult, Some(Box::new(otherwise)))
    }

    /// Whether nothing is left to do.
    pub fn is_answer(&self) -> bool {
        matches!(self, PageStep::Answer(_))
    }

    /// What the host does for a request whose number at the page is `id`.
    pub fn effect(self, task: u32, id: u32) -> Option<PageEffect> {
        Some(match self {
            PageStep::Answer(_) => return None,
            PageStep::Work { kind, is_told, run } => {
                PageEffect::Work(PageWork { task, kind, of: is_told.then_some(id), run })
            }
            PageStep::Aside(run) => PageEffect::Aside(PageWork { task, kind: JobKind::Short, of: None, run }),
            PageStep::Look(consult) => PageEffect::Look(ArchiveWork { task, consult }),
            PageStep::Write(consult, _) => PageEffect::Write(ArchiveWork { task, consult }),
        })
    }
}
