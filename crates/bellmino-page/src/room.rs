//! A room: one timed game that a person plays. Commands and time go in; pictures, games to be kept and work come out.
//!
//! A key comes with its own time, and the game stays a little behind the clock, so that it counts when it was pressed. Whoever
//! leaves a room in the middle of a game finds it paused.

mod duel;
mod keeping;
mod play;
mod practice;

use std::sync::Arc;

use bellmino_engine::guideline::{Key, Play, Record, Rules};
use serde_json::Value;
use thiserror::Error;

use self::duel::RoomDuel;
use self::keeping::{EndState, SaveState};
use crate::clock::GameClock;
use crate::hall::RoomPlace;
use crate::kept::{GameEntry, PLAYER, SAME_PIECES, StoredGame};
use crate::progress::Progress;
use crate::rival::{RivalError, RivalOrder, Thoughts};
use crate::scene::{Scene, SceneError, Scenes};
use crate::setup::{Change, Hands, Mode, Setup, SetupError, timed};
use crate::telling::Told;

/// What the player does.
#[derive(Debug)]
pub enum RoomCommand {
    /// A key goes down or up.
    Key {
        /// Which one.
        key: Key,
        /// Whether it goes down.
        down: bool,
        /// When, on the host's clock.
        at: f64,
        /// The page's number of the event.
        number: u32,
    },
    /// Stops the clock or lets it go on.
    Pause(bool),
    /// Begins again.
    Restart {
        /// The seed of its pieces.
        seed: u64,
        /// The player's settings.
        hands: Hands,
        /// Whether it is played with the same pieces once more.
        again: bool,
        /// A machine to play against.
        rival: Option<RivalOrder>,
    },
    /// Takes a placement or a change back.
    Undo,
    /// Makes it again.
    Redo,
    /// Changes the position.
    Edit(Box<Change>),
    /// Somebody sits down or leaves: the game waits.
    Wait,
}

/// What a room wants of its host.
pub enum RoomEffect {
    /// Whoever plays or looks on is shown this.
    Picture(String),
    /// A game is written down or forgotten.
    Keep(GameKey, Keeping),
    /// The machine beside thinks; its thoughts go back by [`Room::thought`], with this number.
    Think(u32, Box<Thoughts>),
}

/// Which game of a room it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameKey {
    /// Its number in the room.
    pub number: u64,
    /// What is played.
    pub mode: Mode,
    /// The name under which it is kept.
    pub player: &'static str,
    /// Its number in the archive, if it comes from there.
    pub row: Option<i64>,
}

/// What is done about a game that is kept.
#[derive(Debug)]
pub enum Keeping {
    /// How it stands is written down, so that it can go on; what is newer takes the place of what still waits.
    Save(Box<GameEntry>),
    /// Its end is written down, even if that has to be tried again.
    Finish {
        /// How it ended.
        state: &'static str,
        /// All that is written of it.
        entry: Box<GameEntry>,
        /// The number by which the room wants to hear how it goes ([`Room::saved`]), if it does.
        end: Option<u32>,
    },
    /// What was written of it is forgotten.
    Forget,
}

/// How it stands with writing down a game that has ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Saving<T = Value> {
    /// It is being written.
    UnderWay,
    /// It could not be written; it is tried again.
    Failed(String),
    /// It is in the archive.
    Done(T),
}

/// Where a game is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RoomPhase {
    /// Waits for the first key.
    Ready,
    /// Goes on in a moment.
    Countdown,
    /// Under way.
    Playing,
    /// The clock stands still.
    Paused,
    /// Ended.
    Over,
}

/// What a room begins with.
pub struct Opening {
    /// Its number.
    pub number: u32,
    /// What is played.
    pub mode: Mode,
    /// The seed of the pieces.
    pub seed: u64,
    /// The player's settings.
    pub hands: Hands,
    /// A position to practise from.
    pub setup: Option<Setup>,
    /// The name of the seat.
    pub seat: Option<String>,
    /// The splits of the best game.
    pub best: Vec<u64>,
    /// A game that was cut off and goes on.
    pub unfinished: Option<Unfinished>,
    /// A machine to play against.
    pub rival: Option<RivalOrder>,
}

/// A game that was cut off, as it was written down.
pub struct Unfinished {
    /// Its number in the archive.
    pub id: i64,
    /// How far it was.
    pub record: Record,
    /// In Practice what was there before the position was last changed by hand, the oldest first.
    pub before: Vec<Record>,
}

impl Unfinished {
    /// The game of a row; `None` if it cannot be read any more.
    pub fn read(game: &StoredGame, record: &str) -> Option<Unfinished> {
        let texts = game.summary["before"].as_array().into_iter().flatten().filter_map(Value::as_str);
        // What is damaged cannot be gone back to, nor what was before it.
        let mut before: Vec<Record> = texts.rev().map_while(|text| Record::from_text(text).ok()).collect();
        before.reverse();
        Some(Unfinished { id: game.id, record: Record::from_text(record).ok()?, before })
    }
}

/// Why a room does not open.
#[derive(Debug, Error)]
pub enum RoomError {
    /// The position to begin with is none.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// A game that was cut off does not go on.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// Nobody plays beside.
    #[error(transparent)]
    Rival(#[from] RivalError),
}

/// The game and all around it.
pub struct Room {
    number: u32,
    mode: Mode,
    place: Arc<RoomPlace>,
    deal: RoomDeal,
    time: RoomTime,
    scenes: Scenes,
    progress: Progress,
    /// The splits of the best game.
    best: Vec<u64>,
    duel: RoomDuel,
    save: SaveState,
    end: EndState,
    screen: RoomScreen,
    effects: Vec<RoomEffect>,
}

/// What is dealt, and to whom.
struct RoomDeal {
    rules: Rules,
    seed: u64,
    /// The name under which the game is kept.
    player: &'static str,
}

/// Time, and what it does to the game.
struct RoomTime {
    phase: RoomPhase,
    clock: GameClock,
    /// The host's time.
    now: f64,
    /// When the countdown ends, on the host's clock.
    until: f64,
}

/// What was told last.
#[derive(Default)]
struct RoomScreen {
    /// The last key event that was heard.
    heard: u32,
    notice: String,
    /// How often something has changed that the picture itself does not show.
    changes: u32,
    last: Option<Told>,
}

impl Room {
    /// Opens a room at a time of the host; tick it to see its first picture.
    pub fn open(opening: Opening, now: f64) -> Result<Room, RoomError> {
        let Opening { number, mode, seed, hands, setup, seat, best, unfinished, rival } = opening;
        let key = |player, row| GameKey { number: 0, mode, player, row };
        let room = |scene: Scene, deal: RoomDeal| Room {
            number,
            mode,
            place: Arc::new(RoomPlace::new(mode, seat)),
            deal,
            time: RoomTime { phase: RoomPhase::Ready, clock: GameClock::new(), now, until: 0.0 },
            progress: Progress::new(&scene.timed),
            scenes: Scenes::new(scene),
            best,
            duel: RoomDuel::default(),
            save: SaveState::new(now),
            end: EndState::default(),
            screen: RoomScreen::default(),
            effects: Vec::new(),
        };
        let mut room = match unfinished {
            Some(Unfinished { id, record, before }) => {
                let player = if record.player.as_deref() == Some(SAME_PIECES) { SAME_PIECES } else { PLAYER };
                let handling = match &record.play {
                    Play::Timed { handling, .. } => *handling,
                    Play::Placements { .. } => hands.handling(),
                };
                let begun = timed(record.rules, record.seed, record.start.as_ref(), handling)?;
                let scene = Scene::new(record.start.clone(), begun, key(player, Some(id)));
                let mut room = room(scene, RoomDeal { rules: record.rules, seed: record.seed, player });
                room.go_back_to(&before, handling);
                room.take_up(&record.play)?;
                room
            }
            None => {
                let start =
                    setup.filter(|_| mode == Mode::Practice).map(|setup| setup.start()).transpose()?;
                let rules = hands.rules(mode);
                let begun = timed(rules, seed, start.as_ref(), hands.handling())?;
                room(Scene::new(start, begun, key(PLAYER, None)), RoomDeal { rules, seed, player: PLAYER })
            }
        };
        room.challenge(rival.as_ref())?;
        Ok(room)
    }

    /// What is played.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// What others know of it.
    pub fn place(&self) -> &Arc<RoomPlace> {
        &self.place
    }

    /// Whether time does something here, so that it has to be ticked.
    pub fn is_going(&self) -> bool {
        matches!(self.time.phase, RoomPhase::Playing | RoomPhase::Countdown) || self.is_open()
    }

    /// Whether a game is under way, or a position was set up for one.
    fn is_under_way(&self) -> bool {
        let is_set_up = self.time.phase == RoomPhase::Ready && self.scenes.undos() > 0;
        is_set_up || !matches!(self.time.phase, RoomPhase::Ready | RoomPhase::Over)
    }

    /// Lets time go by: the game goes on, and whatever there is to tell or to keep comes out.
    pub fn tick(&mut self, now: f64) -> Vec<RoomEffect> {
        self.time.now = now;
        self.advance();
        self.publish();
        self.think_on();
        let timed = &self.scenes.now().timed;
        let stats = timed.game().stats();
        self.place.note(self.is_under_way(), stats.pieces, stats.lines, timed.time());
        std::mem::take(&mut self.effects)
    }

    /// Ends the game as it stands: it is kept if it is worth it.
    pub fn close(&mut self, now: f64) -> Vec<RoomEffect> {
        self.time.now = now;
        self.leave_scene();
        std::mem::take(&mut self.effects)
    }
}
