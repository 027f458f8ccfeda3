//! What goes to the page of a timed game: its picture and all around it.

use bellmino_engine::guideline::{Frame, Goal, Timed};
use serde::Serialize;
use serde_json::Value;

use crate::progress::Progress;
use crate::rival::{DuelVerdict, RivalView};
use crate::room::RoomPhase;
use crate::setup::Mode;

/// What must have changed before the page is told anything: the picture without its time, and a little more.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    view: Frame,
    phase: RoomPhase,
    heard: u32,
    notice: String,
    changes: u32,
}

/// All around the picture.
pub struct Telling<'a> {
    /// The room's number.
    pub room: u32,
    /// What is played.
    pub mode: Mode,
    /// The seed of the pieces.
    pub seed: u64,
    /// Whether the pieces are those of the game before.
    pub again: bool,
    /// How much can be taken back.
    pub undo: usize,
    /// How much can be made again.
    pub redo: usize,
    /// Milliseconds until the game goes on.
    pub countdown: Option<f64>,
    /// Milliseconds of game time.
    pub time: u64,
    /// When the game is done.
    pub goal: Goal,
    /// Whether pieces fall by themselves.
    pub gravity: bool,
    /// How it goes on.
    pub progress: &'a Progress,
    /// The splits of the best game.
    pub best: &'a [u64],
    /// The machine that plays beside.
    pub rival: Option<RivalView<'a>>,
    /// Who has won against it.
    pub verdict: Option<DuelVerdict>,
    /// The end screen.
    pub end: Option<&'a Value>,
}

#[derive(Serialize)]
struct PlayMessage<'a> {
    on: &'static str,
    room: u32,
    mode: Mode,
    phase: RoomPhase,
    heard: u32,
    /// As text: a page's numbers do not hold 64 bits.
    seed: String,
    again: bool,
    undo: usize,
    redo: usize,
    countdown: Option<f64>,
    gravity: bool,
    notice: &'a str,
    left: Left,
    /// What goes on over several placements, in words.
    streak: String,
    #[serde(flatten)]
    progress: &'a Progress,
    best: &'a [u64],
    view: &'a Frame,
    rival: Option<&'a RivalView<'a>>,
    verdict: Option<DuelVerdict>,
    end: Option<&'a Value>,
}

/// What is left until the goal.
#[derive(Serialize)]
struct Left {
    lines: Option<u32>,
    milliseconds: Option<u64>,
}

impl Told {
    /// A game as it is now.
    pub fn new(timed: &Timed, phase: RoomPhase, heard: u32, notice: &str, changes: u32) -> Told {
        let mut view = timed.frame();
        view.time = 0;
        let filled =
            view.rows.iter().rposition(|row| row.bytes().any(|cell| cell != b'.')).map_or(0, |y| y + 1);
        view.rows.truncate(filled);
        Told { view, phase, heard, notice: notice.to_owned(), changes }
    }
}

impl Telling<'_> {
    /// The message.
    pub fn text(&self, told: &Told) -> serde_json::Result<String> {
        let (goal, stats) = (self.goal, &told.view.stats);
        let view = Frame { time: self.time, ..told.view.clone() };
        serde_json::to_string(&PlayMessage {
            on: "play",
            room: self.room,
            mode: self.mode,
            phase: told.phase,
            heard: told.heard,
            seed: self.seed.to_string(),
            again: self.again,
            undo: self.undo,
            redo: self.redo,
            countdown: self.countdown,
            gravity: self.gravity,
            notice: &told.notice,
            left: Left {
                lines: goal.lines_left(stats.lines),
                milliseconds: goal
                    .seconds
                    .map(|seconds| (u64::from(seconds) * 1000).saturating_sub(self.time)),
            },
            streak: streak(&view),
            progress: self.progress,
            best: self.best,
            view: &view,
            rival: self.rival.as_ref(),
            verdict: self.verdict,
            end: self.end,
        })
    }
}

/// Back-to-back and combo, in words.
fn streak(view: &Frame) -> String {
    let mut words = Vec::new();
    if view.back_to_back {
        words.push("back-to-back alive".to_owned());
    }
    if view.combo > 1 {
        words.push(format!("combo {}", view.combo - 1));
    }
    words.join(" · ")
}
