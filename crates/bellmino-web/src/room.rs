//! A room: one timed game that a person plays, and everybody who looks on.
//!
//! One task owns the game. Keys come in with their time, pictures go out through a channel that keeps only the
//! latest, so that a slow spectator never holds up the player.

use std::time::{Duration, Instant};

use axum::extract::ws::Utf8Bytes;
use bellmino_engine::guideline::{ClearKind, Frame, Key, Match, Play, Record, Rules, Start, Timed};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};
use tokio::time::MissedTickBehavior;

use crate::clock::Clock;
use crate::ending::{ending, ranking};
use crate::history::History;
use crate::keeper::{Keeper, KeptGame, Saving, state_of};
use crate::setup::{Hands, Mode, Setup, timed};
use crate::store::GameEntry;

/// How often a game looks at the clock.
const TICK: Duration = Duration::from_millis(4);

/// How far the game stays behind the clock, so that a key's own time counts although it takes a moment to arrive.
const SLACK: f64 = 5.0;

/// How often a game under way is written down.
const SAVE: Duration = Duration::from_millis(900);

/// A game that was stopped before so many pieces is not worth keeping.
const WORTH_KEEPING: usize = 10;

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
    /// Begins again, with new pieces.
    Restart {
        /// Their seed.
        seed: u64,
        /// The player's settings.
        hands: Hands,
    },
    /// Takes a placement back.
    Undo,
    /// Makes it again.
    Redo,
    /// Changes the position.
    Edit(Box<Setup>),
}

/// A room as others see it.
#[derive(Clone)]
pub struct Room {
    /// What is played.
    pub mode: Mode,
    /// The player's way in.
    pub commands: mpsc::Sender<RoomCommand>,
    /// The latest picture.
    pub frames: watch::Receiver<Utf8Bytes>,
}

impl Room {
    /// Opens a room; its game ends when the last sender of commands is gone.
    pub fn open(
        number: u32,
        mode: Mode,
        seed: u64,
        hands: Hands,
        setup: Option<&Setup>,
        keeper: Keeper,
        begin: Instant,
    ) -> Result<Room, String> {
        let rules = hands.rules(mode);
        let start = setup.filter(|_| mode == Mode::Practice).map(Setup::start).transpose()?;
        let timed = timed(rules, seed, start.as_ref(), hands.handling())?;
        let (commands, inbox) = mpsc::channel(256);
        let (sender, frames) = watch::channel(Utf8Bytes::from_static("{}"));
        let mut host = Host {
            number,
            mode,
            rules,
            seed,
            phase: RoomPhase::Ready,
            clock: Clock::new(begin),
            heard: 0,
            start,
            history: History::new(&timed),
            timed,
            notice: String::new(),
            kept: KeptGame::new(keeper.clone(), mode.name(), PLAYER),
            keeper,
            saved: Instant::now(),
            saving: None,
            end: None,
            ends: 0,
            last: None,
            frames: sender,
        };
        host.publish();
        tokio::spawn(host.run(inbox));
        Ok(Room { mode, commands, frames })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum RoomPhase {
    /// Waits for the first key.
    Ready,
    Playing,
    Paused,
    Over,
}

/// The game and all around it.
struct Host {
    number: u32,
    mode: Mode,
    rules: Rules,
    seed: u64,
    timed: Timed,
    phase: RoomPhase,
    clock: Clock,
    /// The last key event that was heard.
    heard: u32,
    /// Where the game began, if it was set up by hand.
    start: Option<Start>,
    history: History,
    notice: String,
    keeper: Keeper,
    kept: KeptGame,
    saved: Instant,
    /// How it stands with writing down the game that has ended.
    saving: Option<watch::Receiver<Saving<Value>>>,
    end: Option<Value>,
    /// How often the end has changed.
    ends: u32,
    last: Option<(Frame, RoomPhase, u32, String, u32)>,
    frames: watch::Sender<Utf8Bytes>,
}

/// What goes to the page.
#[derive(Serialize)]
struct FrameMessage<'a> {
    on: &'static str,
    room: u32,
    mode: Mode,
    phase: RoomPhase,
    heard: u32,
    /// As text: a page's numbers do not hold 64 bits.
    seed: String,
    undo: usize,
    redo: usize,
    notice: &'a str,
    left: Left,
    /// What goes on over several placements, in words.
    streak: String,
    view: &'a Frame,
    end: &'a Option<Value>,
}

/// What is left until the goal.
#[derive(Serialize)]
struct Left {
    lines: Option<u32>,
    milliseconds: Option<u64>,
}

impl Host {
    async fn run(mut self, mut inbox: mpsc::Receiver<RoomCommand>) {
        let mut clock = tokio::time::interval(TICK);
        clock.set_missed_tick_behavior(MissedTickBehavior::Skip);
        loop {
            tokio::select! {
                biased;
                command = inbox.recv() => {
                    let Some(command) = command else { break };
                    self.handle(command);
                    while let Ok(command) = inbox.try_recv() {
                        self.handle(command);
                    }
                }
                () = said(&mut self.saving) => self.show_end(),
                _ = clock.tick(), if self.phase == RoomPhase::Playing => {}
            }
            self.advance();
            self.publish();
        }
        self.close();
    }

    fn handle(&mut self, command: RoomCommand) {
        self.notice.clear();
        match command {
            RoomCommand::Key { key, down, at, number } => {
                self.heard = number;
                // Neither from the future nor from long ago.
                let now = self.clock.now();
                let at = at.clamp(now - 250.0, now);
                if self.phase == RoomPhase::Ready && down {
                    self.start(at);
                }
                if self.phase == RoomPhase::Playing {
                    let time = self.clock.game_time(at).round() as u64;
                    let placed = self.timed.placements().len();
                    if down {
                        self.timed.press(key, time);
                    } else {
                        self.timed.release(key, time);
                    }
                    self.remember(placed);
                }
            }
            RoomCommand::Pause(true) if self.phase == RoomPhase::Playing => {
                self.clock.stop(self.clock.now());
                self.timed.release_all(self.clock.game_time(0.0) as u64);
                self.phase = RoomPhase::Paused;
            }
            RoomCommand::Pause(false) if self.phase == RoomPhase::Paused => {
                self.clock.go(self.clock.now());
                self.phase = RoomPhase::Playing;
            }
            RoomCommand::Pause(_) => {}
            RoomCommand::Restart { seed, hands } => {
                self.close();
                self.seed = seed;
                self.start = None;
                self.rules = hands.rules(self.mode);
                self.begin_with(Timed::new(Match::new(self.rules, seed), hands.handling()));
            }
            RoomCommand::Undo if self.mode == Mode::Practice => {
                if self.history.undo(&mut self.timed) {
                    self.resume_here();
                }
            }
            RoomCommand::Redo if self.mode == Mode::Practice => {
                if self.history.redo(&mut self.timed) {
                    self.resume_here();
                }
            }
            RoomCommand::Undo | RoomCommand::Redo => {}
            RoomCommand::Edit(setup) if self.mode == Mode::Practice => {
                let handling = *self.timed.handling();
                let start = setup.start();
                match start
                    .and_then(|start| Ok((timed(self.rules, self.seed, Some(&start), handling)?, start)))
                {
                    Ok((timed, start)) => {
                        self.close();
                        self.start = Some(start);
                        self.begin_with(timed);
                    }
                    Err(why) => self.notice = why,
                }
            }
            RoomCommand::Edit(_) => {}
        }
    }

    /// Puts a game on the table that waits for its first key.
    fn begin_with(&mut self, timed: Timed) {
        self.timed = timed;
        self.history = History::new(&self.timed);
        self.phase = RoomPhase::Ready;
        self.clock.set(0.0);
        self.forget_end();
    }

    fn start(&mut self, at: f64) {
        self.clock.go(at);
        self.phase = RoomPhase::Playing;
        self.saved = Instant::now();
    }

    /// After undo or redo: as this piece entered, nothing pressed, and the clock goes on.
    fn resume_here(&mut self) {
        let time = self.timed.time();
        self.timed.release_all(time);
        self.clock.set(time as f64);
        self.clock.go(self.clock.now());
        self.phase = if self.timed.outcome().is_some() { RoomPhase::Over } else { RoomPhase::Playing };
        self.forget_end();
    }

    /// Keeps the position before a new placement, for undo.
    fn remember(&mut self, placed: usize) {
        if self.mode == Mode::Practice && self.timed.placements().len() != placed {
            self.history.remember(&self.timed);
        }
    }

    fn advance(&mut self) {
        if self.phase != RoomPhase::Playing {
            return;
        }
        let time = self.clock.game_time(self.clock.now() - SLACK);
        let placed = self.timed.placements().len();
        self.timed.advance_to(time as u64);
        self.remember(placed);
        if self.timed.outcome().is_some() {
            self.phase = RoomPhase::Over;
            self.finish();
        } else if self.saved.elapsed() >= SAVE {
            self.saved = Instant::now();
            self.kept.save(|| self.standing());
        }
    }

    /// Sends the picture, if it is a new one.
    fn publish(&mut self) {
        let mut view = self.timed.frame();
        let time = std::mem::take(&mut view.time);
        let filled =
            view.rows.iter().rposition(|row| row.bytes().any(|cell| cell != b'.')).map_or(0, |y| y + 1);
        view.rows.truncate(filled);
        let state = (view, self.phase, self.heard, self.notice.clone(), self.ends);
        if self.last.as_ref() == Some(&state) {
            return;
        }
        self.last = Some(state.clone());
        let mut view = state.0;
        view.time = time;
        let goal = self.rules.goal;
        let frame = FrameMessage {
            on: "play",
            room: self.number,
            mode: self.mode,
            phase: self.phase,
            heard: self.heard,
            seed: self.seed.to_string(),
            undo: self.history.undos(),
            redo: self.history.redos(),
            notice: &self.notice,
            left: Left {
                lines: goal.lines_left(view.stats.lines),
                milliseconds: goal.seconds.map(|seconds| (u64::from(seconds) * 1000).saturating_sub(time)),
            },
            streak: streak(&view),
            view: &view,
            end: &self.end,
        };
        if let Ok(text) = serde_json::to_string(&frame) {
            self.frames.send_replace(text.into());
        }
    }

    /// Hands the finished game over to be written down; nobody waits for that.
    fn finish(&mut self) {
        let (mode, state, standing) = (self.mode, state_of(self.timed.outcome()), self.standing());
        let saving = self.hand_over().finish(state, standing, move |store, id| ranking(store, id, mode));
        self.saving = Some(saving);
        self.show_end();
    }

    /// The end of the game, and how it stands with writing it down: it is told to be saved when it is.
    fn show_end(&mut self) {
        let Some(saving) = &mut self.saving else { return };
        let said = saving.borrow_and_update().clone();
        self.end = Some(ending(&self.timed, &said));
        self.ends += 1;
        if matches!(said, Saving::Done(_)) {
            self.saving = None;
        }
    }

    /// The end is no longer shown. If it was not written down, the player hears of it.
    fn forget_end(&mut self) {
        self.end = None;
        if let Some(saving) = self.saving.take()
            && let Saving::Failed(why) = &*saving.borrow()
        {
            self.notice = format!("The game before is not saved yet ({why}); the lab goes on trying.");
        }
    }

    /// Ends the game as it stands: kept if it is worth it.
    fn close(&mut self) {
        let standing = self.standing();
        let kept = self.hand_over();
        let is_open = matches!(self.phase, RoomPhase::Playing | RoomPhase::Paused);
        if is_open && self.timed.placements().len() >= WORTH_KEEPING {
            kept.finish("stopped", standing, |_, _| Ok(()));
        } else if is_open {
            kept.forget();
        }
    }

    /// The game as it is kept; the next one is kept apart.
    fn hand_over(&mut self) -> KeptGame {
        let next = KeptGame::new(self.keeper.clone(), self.mode.name(), PLAYER);
        std::mem::replace(&mut self.kept, next)
    }

    fn standing(&self) -> GameEntry {
        let stats = self.timed.game().stats();
        let seconds = (self.timed.time() as f64 / 1000.0).max(0.001);
        let presses = self.timed.presses();
        let clears: serde_json::Map<String, Value> = ClearKind::ALL
            .iter()
            .filter(|kind| stats.clears_of(**kind) > 0)
            .map(|kind| (kind.name().to_owned(), json!(stats.clears_of(*kind))))
            .collect();
        let play = match self.mode {
            // After undo only the placements tell how the game went.
            Mode::Practice => Play::Placements { placements: self.timed.placements().to_vec() },
            Mode::Sprint | Mode::Blitz => Play::of_timed(&self.timed),
        };
        let record = Record {
            player: Some(PLAYER.to_owned()),
            start: self.start.clone(),
            ..Record::new(self.mode.name(), self.rules, self.seed, 0, play)
        };
        GameEntry {
            milliseconds: self.timed.time() as i64,
            score: stats.score as i64,
            lines: i64::from(stats.lines),
            pieces: i64::from(stats.pieces),
            summary: json!({
                "drop_points": stats.drop_points,
                "holds": stats.holds,
                "perfect_clears": stats.perfect_clears,
                "back_to_backs": stats.back_to_backs,
                "max_combo": stats.max_combo,
                "clears": clears,
                "presses": presses,
                "pieces_per_second": f64::from(stats.pieces) / seconds,
                "keys_per_second": f64::from(presses) / seconds,
                "keys_per_piece": f64::from(presses) / f64::from(stats.pieces.max(1)),
            }),
            record: record.to_text(),
        }
    }
}

/// Waits for news about a game that is being written down.
async fn said(saving: &mut Option<watch::Receiver<Saving<Value>>>) {
    if let Some(saving) = saving
        && saving.changed().await.is_ok()
    {
        return;
    }
    // There is none, or nobody who could tell.
    std::future::pending::<()>().await;
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

/// The name of the person at the keyboard in the store.
pub const PLAYER: &str = "you";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::GameStore;
    use bellmino_engine::Outcome;
    use bellmino_engine::guideline::Piece;

    const HANDS: Hands = Hands { das: 150, arr: 75, soft: 35, cut: 100, advanced: false, half: false };

    /// A room and a way to wait until its picture is as wanted.
    struct Player(Room, Instant, tempfile::TempDir);

    impl Player {
        fn sit_down(mode: Mode, setup: Option<&Setup>) -> Player {
            let folder = tempfile::tempdir().unwrap();
            let begin = Instant::now();
            let keeper = Keeper::new(GameStore::open(folder.path()).unwrap()).unwrap();
            Player(Room::open(1, mode, 7, HANDS, setup, keeper, begin).unwrap(), begin, folder)
        }

        async fn tap(&self, key: Key) {
            for down in [true, false] {
                let at = self.1.elapsed().as_secs_f64() * 1000.0;
                self.0.commands.send(RoomCommand::Key { key, down, at, number: 1 }).await.unwrap();
            }
        }

        async fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
            let look = async {
                loop {
                    let picture: Value = serde_json::from_str(&self.0.frames.borrow_and_update()).unwrap();
                    if wanted(&picture) {
                        return picture;
                    }
                    self.0.frames.changed().await.unwrap();
                }
            };
            tokio::time::timeout(Duration::from_secs(20), look).await.expect("the picture came")
        }
    }

    #[tokio::test]
    async fn the_first_key_starts_the_clock_and_undo_takes_a_placement_back() {
        let mut player = Player::sit_down(Mode::Practice, None);
        let first =
            player.until(|picture| picture["phase"] == "ready").await["view"]["active"]["piece"].clone();
        player.tap(Key::HardDrop).await;
        player
            .until(|picture| picture["phase"] == "playing" && picture["view"]["stats"]["pieces"] == 1)
            .await;
        player.0.commands.send(RoomCommand::Undo).await.unwrap();
        let back = player.until(|picture| picture["view"]["stats"]["pieces"] == 0).await;
        assert_eq!((&back["view"]["active"]["piece"], &back["redo"]), (&first, &json!(1)));
        player.0.commands.send(RoomCommand::Redo).await.unwrap();
        player.until(|picture| picture["view"]["stats"]["pieces"] == 1).await;
    }

    #[tokio::test]
    async fn a_pause_stops_the_clock_and_the_end_is_stored() {
        let mut player = Player::sit_down(Mode::Sprint, None);
        player.tap(Key::HardDrop).await;
        player.0.commands.send(RoomCommand::Pause(true)).await.unwrap();
        let paused =
            player.until(|picture| picture["phase"] == "paused").await["view"]["time"].as_u64().unwrap();
        tokio::time::sleep(Duration::from_millis(400)).await;
        player.0.commands.send(RoomCommand::Pause(false)).await.unwrap();
        let again =
            player.until(|picture| picture["phase"] == "playing").await["view"]["time"].as_u64().unwrap();
        assert!(again < paused + 390, "{paused} {again}");
        for _ in 0..30 {
            player.tap(Key::HardDrop).await;
        }
        let over =
            player.until(|picture| picture["phase"] == "over" && picture["end"]["saved"] == true).await;
        assert_eq!(over["view"]["outcome"], "topped-out");
        let store = GameStore::open(player.2.path()).unwrap();
        let (game, record) = store.game(over["end"]["game"].as_i64().unwrap()).unwrap().unwrap();
        assert_eq!((game.state.as_str(), game.mode.as_str()), ("topped-out", "sprint"));
        let replayed = Record::from_text(&record).unwrap().replay(|_, _| {}).unwrap();
        assert_eq!(i64::from(replayed.stats().pieces), game.pieces);
        assert_eq!(replayed.outcome(), Some(Outcome::ToppedOut));
    }

    #[tokio::test]
    async fn a_game_from_a_painted_board_is_recorded_with_its_beginning() {
        let board = vec!["TTT.JJJJGG".to_owned(), "L".to_owned()];
        let setup = Setup { board, queue: "IOTLJSZ".to_owned(), hold: Some("S".to_owned()) };
        let mut player = Player::sit_down(Mode::Practice, Some(&setup));
        let shown = player.until(|picture| picture["phase"] == "ready").await;
        assert_eq!(shown["view"]["rows"], json!(["TTT.JJJJGG", "L........."]));
        for _ in 0..40 {
            player.tap(Key::HardDrop).await;
        }
        let over =
            player.until(|picture| picture["phase"] == "over" && picture["end"]["saved"] == true).await;
        assert_eq!((&over["end"]["bests"], &over["end"]["is_best"]), (&json!([]), &json!(false)));
        let store = GameStore::open(player.2.path()).unwrap();
        let (game, record) = store.game(over["end"]["game"].as_i64().unwrap()).unwrap().unwrap();
        let record = Record::from_text(&record).unwrap();
        let (begin, colours) = record.opening().unwrap();
        assert_eq!(
            (colours.row_text(0), colours.row_text(1)),
            ("TTT.JJJJGG".to_owned(), "L.........".to_owned())
        );
        assert_eq!((begin.position().hold, begin.queue()[0]), (Some(Piece::S), Piece::I));
        assert_eq!(i64::from(record.replay(|_, _| {}).unwrap().stats().pieces), game.pieces);
    }
}
