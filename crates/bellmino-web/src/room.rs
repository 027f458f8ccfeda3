//! A room: one timed game that a person plays, and everybody who looks on.
//!
//! One task owns the game. Keys come in with their time, pictures go out through a channel that keeps only the
//! latest, so that a slow spectator never holds up the player.

use std::time::{Duration, Instant};

use axum::extract::ws::Utf8Bytes;
use bellmino_engine::Outcome;
use bellmino_engine::guideline::{
    Bag, ClearKind, Frame, HEIGHT, Handling, Key, Kicks, Match, Piece, Play, Record, Rules, Start, Timed,
    WIDTH,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};
use tokio::task::{self, JoinHandle};
use tokio::time::MissedTickBehavior;

use crate::store::{Progress, Store, StoredGame};

/// How often a game looks at the clock.
const TICK: Duration = Duration::from_millis(4);

/// How far the game stays behind the clock, so that a key's own time counts although it takes a moment to arrive.
const SLACK: f64 = 5.0;

/// How often a game under way is written down.
const SAVE: Duration = Duration::from_millis(900);

/// Positions that can be taken back.
const MAX_UNDO: usize = 500;

/// A game that was stopped before so many pieces is not worth keeping.
const WORTH_KEEPING: usize = 10;

/// What is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Forty lines against the clock.
    Sprint,
    /// Three minutes for points.
    Blitz,
    /// No goal; positions can be taken back and changed.
    Practice,
}

/// How a page wants its keys to repeat, in milliseconds.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Hands {
    das: u32,
    arr: u32,
    soft: u32,
    cut: u32,
    #[serde(default)]
    advanced: bool,
    /// Whether half turns are wanted, which the rules leave out by default.
    #[serde(default)]
    half: bool,
}

/// A position to practise from.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Setup {
    /// Rows from the bottom; anything but `.` is filled.
    board: Vec<String>,
    /// The current piece and those that follow.
    queue: String,
    /// The held piece.
    hold: Option<String>,
}

/// What the player does.
#[derive(Debug)]
pub enum Command {
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
    pub commands: mpsc::Sender<Command>,
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
        store: Store,
        begin: Instant,
    ) -> Result<Room, String> {
        let rules = hands.rules(mode);
        let start = setup.filter(|_| mode == Mode::Practice).map(Setup::start).transpose()?;
        let timed = timed(rules, seed, start.as_ref(), hands.handling())?;
        let (commands, inbox) = mpsc::channel(256);
        let (sender, frames) = watch::channel(Utf8Bytes::from_static("{}"));
        let mut table = Table {
            number,
            mode,
            rules,
            seed,
            phase: Phase::Ready,
            origin: 0.0,
            begin,
            heard: 0,
            start,
            fresh: timed.clone(),
            timed,
            past: Vec::new(),
            future: Vec::new(),
            notice: String::new(),
            store,
            stored: None,
            saved: Instant::now(),
            saving: None,
            end: None,
            last: None,
            frames: sender,
        };
        table.publish();
        tokio::spawn(table.run(inbox));
        Ok(Room { mode, commands, frames })
    }
}

impl Mode {
    /// The name in the store and in records.
    pub const fn name(self) -> &'static str {
        match self {
            Mode::Sprint => "sprint",
            Mode::Blitz => "blitz",
            Mode::Practice => "practice",
        }
    }

    /// The rules.
    pub const fn rules(self) -> Rules {
        match self {
            Mode::Sprint => Rules::SPRINT,
            Mode::Blitz => Rules::BLITZ,
            Mode::Practice => Rules::PRACTICE,
        }
    }
}

impl Hands {
    fn rules(self, mode: Mode) -> Rules {
        let kicks = if self.half { Kicks::Srs180 } else { Kicks::Srs };
        Rules { kicks, ..mode.rules() }
    }

    fn handling(self) -> Handling {
        let limit = |milliseconds: u32| milliseconds.min(1000);
        let soft_drop = limit(self.soft);
        Handling {
            das: limit(self.das),
            arr: if self.advanced { 0 } else { limit(self.arr) },
            // The first repeat waits about twice as long, as with the default of 75 and 35.
            soft_drop_first: if soft_drop == Handling::DEFAULT.soft_drop {
                Handling::DEFAULT.soft_drop_first
            } else {
                soft_drop * 2
            },
            soft_drop,
            das_cut: limit(self.cut),
            initial: false,
        }
    }
}

impl Setup {
    /// The position as records keep it.
    fn start(&self) -> Result<Start, String> {
        if self.board.len() > HEIGHT || self.queue.len() > 1000 {
            return Err("the position is too large".to_owned());
        }
        let hold = self.hold.as_deref().unwrap_or("").chars().next().map(|letter| {
            Piece::from_letter(letter).ok_or_else(|| format!("{letter:?} is no piece; use I O T L J S Z"))
        });
        // Rows from the top; empty cells at their end may be left out.
        let board = self.board.iter().rev().map(|row| format!("{row:.<WIDTH$}")).collect();
        Ok(Start { board, hold: hold.transpose()?, queue: self.queue.clone() })
    }
}

/// A game before its first key.
fn timed(rules: Rules, seed: u64, start: Option<&Start>, handling: Handling) -> Result<Timed, String> {
    Ok(match start {
        Some(start) => {
            let (game, colours) = start.game(rules, Bag::new(seed)).map_err(|error| error.to_string())?;
            Timed::new(game, handling).with_colours(colours)
        }
        None => Timed::new(Match::new(rules, seed), handling),
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Phase {
    /// Waits for the first key.
    Ready,
    Playing,
    Paused,
    Over,
}

/// The game and all around it.
struct Table {
    number: u32,
    mode: Mode,
    rules: Rules,
    seed: u64,
    timed: Timed,
    phase: Phase,
    /// The server's time at which the game's time was 0; while paused, how long it has been running.
    origin: f64,
    begin: Instant,
    /// The last key event that was heard.
    heard: u32,
    /// Where the game began, if it was set up by hand.
    start: Option<Start>,
    /// As the current piece entered.
    fresh: Timed,
    past: Vec<Timed>,
    future: Vec<Timed>,
    notice: String,
    store: Store,
    stored: Option<i64>,
    saved: Instant,
    saving: Option<JoinHandle<()>>,
    end: Option<Value>,
    last: Option<(Frame, Phase, u32, String)>,
    frames: watch::Sender<Utf8Bytes>,
}

/// What goes to the page.
#[derive(Serialize)]
struct FrameMessage<'a> {
    on: &'static str,
    room: u32,
    mode: Mode,
    phase: Phase,
    heard: u32,
    /// As text: a page's numbers do not hold 64 bits.
    seed: String,
    undo: usize,
    redo: usize,
    notice: &'a str,
    view: &'a Frame,
    end: &'a Option<Value>,
}

impl Table {
    async fn run(mut self, mut inbox: mpsc::Receiver<Command>) {
        let mut clock = tokio::time::interval(TICK);
        clock.set_missed_tick_behavior(MissedTickBehavior::Skip);
        loop {
            tokio::select! {
                biased;
                command = inbox.recv() => {
                    let Some(command) = command else { break };
                    self.handle(command).await;
                    while let Ok(command) = inbox.try_recv() {
                        self.handle(command).await;
                    }
                }
                _ = clock.tick(), if self.phase == Phase::Playing => {}
            }
            self.advance().await;
            self.publish();
        }
        self.close().await;
    }

    fn now(&self) -> f64 {
        self.begin.elapsed().as_secs_f64() * 1000.0
    }

    async fn handle(&mut self, command: Command) {
        self.notice.clear();
        match command {
            Command::Key { key, down, at, number } => {
                self.heard = number;
                // Neither from the future nor from long ago.
                let now = self.now();
                let at = at.clamp(now - 250.0, now);
                if self.phase == Phase::Ready && down {
                    self.start(at);
                }
                if self.phase == Phase::Playing {
                    let time = (at - self.origin).max(0.0).round() as u64;
                    let placed = self.timed.placements().len();
                    if down {
                        self.timed.press(key, time);
                    } else {
                        self.timed.release(key, time);
                    }
                    self.remember(placed);
                }
            }
            Command::Pause(true) if self.phase == Phase::Playing => {
                let now = self.now();
                self.release_all((now - self.origin).max(0.0) as u64);
                self.origin = now - self.origin;
                self.phase = Phase::Paused;
            }
            Command::Pause(false) if self.phase == Phase::Paused => {
                self.origin = self.now() - self.origin;
                self.phase = Phase::Playing;
            }
            Command::Pause(_) => {}
            Command::Restart { seed, hands } => {
                self.close().await;
                self.seed = seed;
                self.start = None;
                self.rules = hands.rules(self.mode);
                self.begin_with(Timed::new(Match::new(self.rules, seed), hands.handling()));
            }
            Command::Undo if self.mode == Mode::Practice => {
                if let Some(before) = self.past.pop() {
                    self.future.push(std::mem::replace(&mut self.fresh, before));
                    self.resume_here();
                }
            }
            Command::Redo if self.mode == Mode::Practice => {
                if let Some(after) = self.future.pop() {
                    self.past.push(std::mem::replace(&mut self.fresh, after));
                    self.resume_here();
                }
            }
            Command::Undo | Command::Redo => {}
            Command::Edit(setup) if self.mode == Mode::Practice => {
                let handling = *self.timed.handling();
                let start = setup.start();
                match start
                    .and_then(|start| Ok((timed(self.rules, self.seed, Some(&start), handling)?, start)))
                {
                    Ok((timed, start)) => {
                        self.close().await;
                        self.start = Some(start);
                        self.begin_with(timed);
                    }
                    Err(why) => self.notice = why,
                }
            }
            Command::Edit(_) => {}
        }
    }

    /// Puts a game on the table that waits for its first key.
    fn begin_with(&mut self, timed: Timed) {
        self.timed = timed;
        self.fresh = self.timed.clone();
        self.phase = Phase::Ready;
        self.past.clear();
        self.future.clear();
        self.end = None;
    }

    fn start(&mut self, at: f64) {
        self.origin = at;
        self.phase = Phase::Playing;
        self.saved = Instant::now();
    }

    /// After undo or redo: as this piece entered, nothing pressed, and the clock goes on.
    fn resume_here(&mut self) {
        self.timed = self.fresh.clone();
        let time = self.timed.time();
        self.release_all(time);
        self.origin = self.now() - time as f64;
        self.phase = if self.timed.outcome().is_some() { Phase::Over } else { Phase::Playing };
        self.end = None;
    }

    fn release_all(&mut self, time: u64) {
        for key in Key::ALL {
            self.timed.release(key, time);
        }
    }

    /// Keeps the position before a new placement, for undo.
    fn remember(&mut self, placed: usize) {
        if self.mode != Mode::Practice || self.timed.placements().len() == placed {
            return;
        }
        self.future.clear();
        if self.past.len() == MAX_UNDO {
            self.past.remove(0);
        }
        self.past.push(std::mem::replace(&mut self.fresh, self.timed.clone()));
    }

    async fn advance(&mut self) {
        if self.phase != Phase::Playing {
            return;
        }
        let time = self.now() - SLACK - self.origin;
        if time > 0.0 {
            let placed = self.timed.placements().len();
            self.timed.advance_to(time as u64);
            self.remember(placed);
        }
        if self.timed.outcome().is_some() {
            self.phase = Phase::Over;
            self.finish().await;
        } else if self.saved.elapsed() >= SAVE {
            self.saved = Instant::now();
            self.save();
        }
    }

    /// Sends the picture, if it is a new one.
    fn publish(&mut self) {
        let mut view = self.timed.frame();
        let time = std::mem::take(&mut view.time);
        let filled =
            view.rows.iter().rposition(|row| row.bytes().any(|cell| cell != b'.')).map_or(0, |y| y + 1);
        view.rows.truncate(filled);
        let state = (view, self.phase, self.heard, self.notice.clone());
        if self.last.as_ref() == Some(&state) {
            return;
        }
        self.last = Some(state.clone());
        let mut view = state.0;
        view.time = time;
        let frame = FrameMessage {
            on: "play",
            room: self.number,
            mode: self.mode,
            phase: self.phase,
            heard: self.heard,
            seed: self.seed.to_string(),
            undo: self.past.len(),
            redo: self.future.len(),
            notice: &self.notice,
            view: &view,
            end: &self.end,
        };
        if let Ok(text) = serde_json::to_string(&frame) {
            self.frames.send_replace(text.into());
        }
    }

    /// Writes down how the game stands, unless the last time is not done yet.
    fn save(&mut self) {
        if self.saving.as_ref().is_some_and(|task| !task.is_finished()) {
            return;
        }
        let (store, progress) = (self.store.clone(), self.progress());
        let id = self.stored;
        if id.is_none() {
            // The first time waits for its number; a row is made in well under a millisecond.
            self.stored = store.begin(self.mode.name(), PLAYER).ok();
        }
        let Some(id) = self.stored else { return };
        self.saving = Some(task::spawn_blocking(move || {
            // A full disk does not stop the game; the end screen says whether it was kept.
            let _ = store.update(id, "open", &progress);
        }));
    }

    /// Writes down the finished game and looks how it compares.
    async fn finish(&mut self) {
        let outcome = self.timed.outcome();
        let state = if outcome == Some(Outcome::Goal) { "goal" } else { "topped-out" };
        let better = |game: &StoredGame, other: &StoredGame, mode: Mode| match mode {
            Mode::Sprint => game.milliseconds < other.milliseconds,
            Mode::Blitz | Mode::Practice => game.score > other.score,
        };
        let mode = self.mode;
        let end = self
            .keep(state, move |store, id| {
                if mode == Mode::Practice {
                    return Ok(json!({ "game": id, "rank": null, "is_best": false, "bests": [] }));
                }
                let bests = store.bests(mode.name(), PLAYER, 5)?;
                let game = store.game(id)?.map(|(game, _)| game);
                let rank = bests.iter().position(|best| best.id == id);
                let previous = bests.iter().find(|best| best.id != id);
                let is_best = rank == Some(0)
                    && game
                        .as_ref()
                        .is_some_and(|game| previous.is_none_or(|other| better(game, other, mode)));
                Ok(json!({ "game": id, "rank": rank, "is_best": is_best, "bests": bests }))
            })
            .await;
        self.end =
            Some(end.unwrap_or_else(|| json!({ "game": null, "rank": null, "is_best": false, "bests": [] })));
        self.stored = None;
    }

    /// Ends the game as it stands: kept if it is worth it.
    async fn close(&mut self) {
        if matches!(self.phase, Phase::Playing | Phase::Paused) {
            if self.timed.placements().len() >= WORTH_KEEPING {
                self.keep("stopped", |_, _| Ok(Value::Null)).await;
            } else if let Some(id) = self.stored {
                self.wait_for_save().await;
                let store = self.store.clone();
                let _ = task::spawn_blocking(move || store.remove(id)).await;
            }
        }
        self.stored = None;
    }

    async fn keep(
        &mut self,
        state: &'static str,
        look: impl FnOnce(&Store, i64) -> Result<Value, crate::store::StoreError> + Send + 'static,
    ) -> Option<Value> {
        self.wait_for_save().await;
        let (store, progress, stored, mode) = (self.store.clone(), self.progress(), self.stored, self.mode);
        let kept = task::spawn_blocking(move || {
            let id = match stored {
                Some(id) => id,
                None => store.begin(mode.name(), PLAYER)?,
            };
            store.update(id, state, &progress)?;
            look(&store, id)
        });
        kept.await.ok()?.ok()
    }

    async fn wait_for_save(&mut self) {
        if let Some(task) = self.saving.take() {
            let _ = task.await;
        }
    }

    fn progress(&self) -> Progress {
        let stats = self.timed.game().stats();
        let seconds = (self.timed.time() as f64 / 1000.0).max(0.001);
        let presses = self.timed.log().iter().filter(|event| event.down).count();
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
        Progress {
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
                "keys_per_second": presses as f64 / seconds,
                "keys_per_piece": presses as f64 / f64::from(stats.pieces.max(1)),
            }),
            record: record.to_text(),
        }
    }
}

/// The name of the person at the keyboard in the store.
pub const PLAYER: &str = "you";

#[cfg(test)]
mod tests {
    use super::*;

    const HANDS: Hands = Hands { das: 150, arr: 75, soft: 35, cut: 100, advanced: false, half: false };

    /// A room and a way to wait until its picture is as wanted.
    struct Player(Room, Instant, tempfile::TempDir);

    impl Player {
        fn sit_down(mode: Mode, setup: Option<&Setup>) -> Player {
            let folder = tempfile::tempdir().unwrap();
            let begin = Instant::now();
            let store = Store::open(folder.path()).unwrap();
            Player(Room::open(1, mode, 7, HANDS, setup, store, begin).unwrap(), begin, folder)
        }

        async fn tap(&self, key: Key) {
            for down in [true, false] {
                let at = self.1.elapsed().as_secs_f64() * 1000.0;
                self.0.commands.send(Command::Key { key, down, at, number: 1 }).await.unwrap();
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
        player.0.commands.send(Command::Undo).await.unwrap();
        let back = player.until(|picture| picture["view"]["stats"]["pieces"] == 0).await;
        assert_eq!((&back["view"]["active"]["piece"], &back["redo"]), (&first, &json!(1)));
        player.0.commands.send(Command::Redo).await.unwrap();
        player.until(|picture| picture["view"]["stats"]["pieces"] == 1).await;
    }

    #[tokio::test]
    async fn a_pause_stops_the_clock_and_the_end_is_stored() {
        let mut player = Player::sit_down(Mode::Sprint, None);
        player.tap(Key::HardDrop).await;
        player.0.commands.send(Command::Pause(true)).await.unwrap();
        let paused =
            player.until(|picture| picture["phase"] == "paused").await["view"]["time"].as_u64().unwrap();
        tokio::time::sleep(Duration::from_millis(400)).await;
        player.0.commands.send(Command::Pause(false)).await.unwrap();
        let again =
            player.until(|picture| picture["phase"] == "playing").await["view"]["time"].as_u64().unwrap();
        assert!(again < paused + 390, "{paused} {again}");
        for _ in 0..30 {
            player.tap(Key::HardDrop).await;
        }
        let over = player.until(|picture| picture["phase"] == "over" && !picture["end"].is_null()).await;
        assert_eq!(over["view"]["outcome"], "topped-out");
        let store = Store::open(player.2.path()).unwrap();
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
        let over = player.until(|picture| picture["phase"] == "over" && !picture["end"].is_null()).await;
        assert_eq!((&over["end"]["bests"], &over["end"]["is_best"]), (&json!([]), &json!(false)));
        let store = Store::open(player.2.path()).unwrap();
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

    #[test]
    fn positions_to_practise_from_are_checked() {
        let from = |board: &[&str], queue: &str, hold: &str| {
            let board = board.iter().map(|&row| row.to_owned()).collect();
            let setup = Setup { board, queue: queue.to_owned(), hold: Some(hold.to_owned()) };
            timed(Rules::PRACTICE, 1, Some(&setup.start()?), Handling::DEFAULT)
        };
        let refused = |board: &[&str], queue: &str, hold: &str| from(board, queue, hold).err().unwrap();
        assert!(refused(&["GGGGGGGGGG"], "", "").contains("full"));
        assert!(refused(&["GGGGGGGGGGG"], "", "").contains("11 cells"));
        assert!(refused(&[], "IX", "").contains("no piece"));
        assert!(refused(&[], "", "X").contains("no piece"));
        assert!(refused(&["GGGGGGGGG."; 30], "", "").contains("no piece can enter"));
        let timed = from(&["GGG.GGGGGG"], "TTT", "I").unwrap();
        let game = timed.game().clone();
        assert_eq!(game.queue()[..3], [Piece::T; 3]);
        assert_eq!(game.position().hold, Some(Piece::I));
    }
}
