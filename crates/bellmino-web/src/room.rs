//! A room: one timed game that a person plays, and everybody who looks on.
//!
//! One task owns the game. Keys come in with their time, pictures go out through a channel that keeps only the
//! latest, so that a slow spectator never holds up the player. A room has a seat: whoever leaves it in the middle of a game
//! finds it paused.

mod host;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use axum::extract::ws::Utf8Bytes;
use bellmino_engine::guideline::{Key, Play, Record, Rules};
use serde_json::Value;
use tokio::sync::{mpsc, watch};

use self::host::Host;
use crate::clock::Clock;
use crate::keeper::{Keeper, KeptGame};
use crate::progress::Progress;
use crate::rival::RivalOrder;
use crate::scene::{Scene, Scenes};
use crate::setup::{Change, Hands, Mode, Setup, timed};
use crate::standing::{PLAYER, SAME_PIECES};
use crate::store::StoredGame;

/// What the player does.
#[derive(Debug)]
pub enum RoomCommand {
    /// A key goes down or up.
    Key {
        /// Which one.
        key: Key,
        /// Whether it goes down.
        down: bool,
        /// When, on the server's clock.
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

/// A room as others see it.
#[derive(Clone)]
pub struct Room {
    /// What is played.
    pub mode: Mode,
    /// The name of its seat, if the game waits for whoever leaves it.
    pub seat: Option<String>,
    /// The player's way in.
    pub commands: mpsc::Sender<RoomCommand>,
    /// The latest picture.
    pub frames: watch::Receiver<Utf8Bytes>,
    state: Arc<RoomState>,
}

/// What is known of a room without asking it.
#[derive(Default)]
struct RoomState {
    /// The page that plays; 0 if nobody does.
    player: AtomicU64,
    /// Whether a game is under way.
    under_way: AtomicBool,
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
    /// Its number in the store.
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

/// Hands of the default.
#[cfg(test)]
const HANDS: Hands = Hands {
    das: 150,
    arr: 75,
    soft: 35,
    cut: 100,
    advanced: false,
    half: false,
    initial: false,
    gravity: true,
};

impl Opening {
    /// A new game for hands of the default.
    #[cfg(test)]
    pub fn new(number: u32, mode: Mode) -> Opening {
        Opening {
            number,
            mode,
            seed: 0,
            hands: HANDS,
            setup: None,
            seat: None,
            best: vec![],
            unfinished: None,
            rival: None,
        }
    }
}

impl Room {
    /// Opens a room; its game ends when the last sender of commands is gone.
    pub fn open(opening: Opening, keeper: &Keeper, begin: Instant) -> Result<Room, String> {
        let Opening { number, mode, seed, hands, setup, seat, best, unfinished, rival } = opening;
        let rules = hands.rules(mode);
        let (commands, inbox) = mpsc::channel(256);
        let (sender, frames) = watch::channel(Utf8Bytes::from_static("{}"));
        let state = Arc::new(RoomState::default());
        let room = |scene: Scene, rules: Rules, seed: u64| Host {
            number,
            mode,
            rules,
            seed,
            player: PLAYER,
            seat: seat.clone(),
            phase: RoomPhase::Ready,
            clock: Clock::new(begin),
            until: 0.0,
            heard: 0,
            progress: Progress::new(&scene.timed),
            best,
            rival: None,
            scenes: Scenes::new(scene),
            notice: String::new(),
            keeper: keeper.clone(),
            saved: Instant::now(),
            has_news: false,
            saved_placement: None,
            saving: None,
            end: None,
            ends: 0,
            last: None,
            frames: sender,
            state: Arc::clone(&state),
        };
        let mut host = match unfinished {
            Some(Unfinished { id, record, before }) => {
                let name = if record.player.as_deref() == Some(SAME_PIECES) { SAME_PIECES } else { PLAYER };
                let kept = KeptGame::of_row(keeper.clone(), mode.name(), name, id);
                let handling = handling_of(&record, hands);
                let begun = timed(record.rules, record.seed, record.start.as_ref(), handling)?;
                let scene = Scene::new(record.start.clone(), begun, kept);
                let mut host = room(scene, record.rules, record.seed);
                host.player = name;
                host.go_back_to(&before, handling);
                host.take_up(&record.play)?;
                host
            }
            None => {
                let start =
                    setup.filter(|_| mode == Mode::Practice).map(|setup| setup.start()).transpose()?;
                let begun = timed(rules, seed, start.as_ref(), hands.handling())?;
                let kept = KeptGame::new(keeper.clone(), mode.name(), PLAYER);
                room(Scene::new(start, begun, kept), rules, seed)
            }
        };
        host.challenge(rival.as_ref())?;
        host.publish();
        tokio::spawn(host.run(inbox));
        Ok(Room { mode, seat, commands, frames, state })
    }

    /// A page sits down; whoever sat there before no longer plays.
    pub fn sit_down(&self, page: u64) {
        self.state.player.store(page, Ordering::SeqCst);
    }

    /// A page leaves; whether it was the one that played.
    pub fn stand_up(&self, page: u64) -> bool {
        self.state.player.compare_exchange(page, 0, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }

    /// Whether this page plays here.
    pub fn is_played_by(&self, page: u64) -> bool {
        self.state.player.load(Ordering::SeqCst) == page
    }

    /// Whether a game is under way at a seat, so that it waits for whoever leaves it.
    pub fn waits(&self) -> bool {
        self.seat.is_some() && self.state.under_way.load(Ordering::SeqCst)
    }
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

/// The handling of a record, else these hands.
fn handling_of(record: &Record, hands: Hands) -> bellmino_engine::guideline::Handling {
    match &record.play {
        Play::Timed { handling, .. } => *handling,
        Play::Placements { .. } => hands.handling(),
    }
}

#[cfg(test)]
mod tests;
