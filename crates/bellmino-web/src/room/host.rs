//! The game of a room and all around it: one task that hears commands, watches the clock and sends pictures.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use axum::extract::ws::Utf8Bytes;
use bellmino_engine::Outcome;
use bellmino_engine::guideline::{
    Cell, ColourBoard, Handling, Key, Match, Play, Record, Rules, Start, Timed, Timing, WIDTH,
};
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};
use tokio::time::MissedTickBehavior;

use super::{RoomCommand, RoomPhase, RoomState};
use crate::clock::Clock;
use crate::ending::{ending, ranking};
use crate::keeper::{Keeper, KeptGame, Saving, state_of};
use crate::picture::letters;
use crate::progress::Progress;
use crate::rival::{RaceResult, Rival, RivalOrder, Verdict};
use crate::scene::{Scene, Scenes};
use crate::setup::{Change, Mode, Setup, timed, with_gravity};
use crate::standing::{PLAYER, SAME_PIECES, record, standing};
use crate::telling::{Telling, Told};

/// How often a game looks at the clock.
const TICK: Duration = Duration::from_millis(4);

/// How far the game stays behind the clock, so that a key's own time counts although it takes a moment to arrive.
const SLACK: f64 = 5.0;

/// How often a game under way is written down at least, and at most: after a placement.
const SAVE: Duration = Duration::from_millis(900);
const SAVE_PLACEMENT: Duration = Duration::from_millis(250);

/// A game that was stopped before so many pieces is not worth keeping.
const WORTH_KEEPING: usize = 10;

/// Milliseconds until a paused game goes on.
const COUNTDOWN: f64 = 1800.0;

/// Scenes before the present one that are written down with it.
const KEPT_SCENES: usize = 20;

/// Rows of garbage at once.
const MAX_GARBAGE: usize = 10;

/// The game and all around it.
pub(super) struct Host {
    pub(super) number: u32,
    pub(super) mode: Mode,
    pub(super) rules: Rules,
    pub(super) seed: u64,
    /// The name under which the game is kept.
    pub(super) player: &'static str,
    pub(super) seat: Option<String>,
    pub(super) phase: RoomPhase,
    pub(super) clock: Clock,
    /// When the countdown ends, on the lab's clock.
    pub(super) until: f64,
    /// The last key event that was heard.
    pub(super) heard: u32,
    pub(super) scenes: Scenes,
    pub(super) progress: Progress,
    pub(super) best: Vec<u64>,
    /// The machine that plays beside.
    pub(super) rival: Option<Rival>,
    pub(super) notice: String,
    pub(super) keeper: Keeper,
    pub(super) saved: Instant,
    /// Whether something was placed since then.
    pub(super) has_news: bool,
    /// When a placement was last written down.
    pub(super) saved_placement: Option<Instant>,
    /// How it stands with writing down the game that has ended.
    pub(super) saving: Option<watch::Receiver<Saving<Value>>>,
    pub(super) end: Option<Value>,
    /// How often something has changed that the picture itself does not show.
    pub(super) ends: u32,
    pub(super) last: Option<Told>,
    pub(super) frames: watch::Sender<Utf8Bytes>,
    pub(super) state: Arc<RoomState>,
}

impl Host {
    pub(super) async fn run(mut self, mut inbox: mpsc::Receiver<RoomCommand>) {
        let mut clock = tokio::time::interval(TICK);
        clock.set_missed_tick_behavior(MissedTickBehavior::Skip);
        loop {
            let is_going = matches!(self.phase, RoomPhase::Playing | RoomPhase::Countdown) || self.is_open();
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
                _ = clock.tick(), if is_going => {}
            }
            self.advance();
            self.publish();
        }
        self.leave_scene();
    }

    fn handle(&mut self, command: RoomCommand) {
        if !matches!(command, RoomCommand::Wait | RoomCommand::Pause(_)) {
            self.notice.clear();
        }
        let is_practice = self.mode == Mode::Practice;
        match command {
            RoomCommand::Key { key, down, at, number } => self.key(key, down, at, number),
            RoomCommand::Pause(true) => self.pause(),
            RoomCommand::Pause(false) if self.phase == RoomPhase::Paused => {
                if is_practice {
                    self.go_on(self.clock.now());
                } else {
                    self.until = self.clock.now() + COUNTDOWN;
                    self.phase = RoomPhase::Countdown;
                }
            }
            RoomCommand::Pause(false) => {}
            RoomCommand::Restart { seed, hands, again, rival } => {
                self.leave_scene();
                self.player = if again { SAME_PIECES } else { PLAYER };
                self.seed = if again { self.seed } else { seed };
                self.rules = hands.rules(self.mode);
                let begun = Timed::new(Match::new(self.rules, self.seed), hands.handling());
                self.scenes = Scenes::new(Scene::new(None, begun, self.unwritten()));
                self.begin();
                if let Err(why) = self.challenge(rival.as_ref()) {
                    self.notice = why;
                }
            }
            RoomCommand::Undo if is_practice => {
                let leave = leaving(self.mode, self.seed, self.player);
                if self.scenes.undo(leave) {
                    self.resume_here();
                    self.save();
                }
            }
            RoomCommand::Redo if is_practice => {
                let leave = leaving(self.mode, self.seed, self.player);
                if self.scenes.redo(leave) {
                    self.resume_here();
                    self.save();
                }
            }
            RoomCommand::Edit(change) if is_practice => match self.change(&change) {
                Ok(()) => self.save(),
                Err(why) => self.notice = why,
            },
            RoomCommand::Undo | RoomCommand::Redo | RoomCommand::Edit(_) => {}
            RoomCommand::Wait => {
                self.pause();
                self.ends += 1;
            }
        }
    }

    /// Lets a machine play beside, or none. In Practice there is nothing to win.
    pub(super) fn challenge(&mut self, order: Option<&RivalOrder>) -> Result<(), String> {
        let order = order.filter(|_| self.mode != Mode::Practice);
        self.rival = order.map(|order| Rival::new(order, self.rules, self.seed)).transpose()?;
        Ok(())
    }

    /// Whether the game is over and who has won is not known yet.
    fn is_open(&self) -> bool {
        self.phase == RoomPhase::Over && self.rival.is_some() && self.verdict().is_none()
    }

    /// Who has won the duel.
    fn verdict(&self) -> Option<Verdict> {
        let (rival, timed) = (self.rival.as_ref()?, &self.scenes.now().timed);
        let stats = timed.game().stats();
        let goal = (timed.outcome()? == Outcome::Goal).then_some(timed.time());
        let person = RaceResult { goal, lines: stats.lines, score: stats.score };
        Verdict::of(&self.rules.goal, person, rival.result(), rival.has_ended())
    }

    /// How the duel stands, for the store.
    fn duel(&self) -> Option<Value> {
        let rival = self.rival.as_ref()?;
        let RaceResult { goal, lines, score } = rival.result();
        Some(json!({
            "player": rival.order().player, "pace": rival.order().pace, "verdict": self.verdict(),
            "milliseconds": goal, "lines": lines, "score": score,
        }))
    }

    fn key(&mut self, key: Key, down: bool, at: f64, number: u32) {
        self.heard = number;
        // Neither from the future nor from long ago.
        let now = self.clock.now();
        let at = at.clamp(now - 250.0, now);
        if self.phase == RoomPhase::Ready && down {
            self.go_on(at);
            self.save();
        }
        if self.phase == RoomPhase::Playing {
            let time = self.clock.game_time(at).round() as u64;
            let timed = self.scenes.timed();
            if down {
                timed.press(key, time);
            } else {
                timed.release(key, time);
            }
            self.notice_placements();
        }
    }

    fn pause(&mut self) {
        match self.phase {
            RoomPhase::Playing => {
                self.clock.stop(self.clock.now());
                let time = self.clock.game_time(0.0) as u64;
                self.scenes.timed().release_all(time);
                self.phase = RoomPhase::Paused;
                self.save();
            }
            RoomPhase::Countdown => self.phase = RoomPhase::Paused,
            RoomPhase::Ready | RoomPhase::Paused | RoomPhase::Over => {}
        }
    }

    /// Lets the clock go, at a time of the lab.
    fn go_on(&mut self, at: f64) {
        self.clock.go(at);
        self.phase = RoomPhase::Playing;
    }

    /// The game on the table waits for its first key.
    fn begin(&mut self) {
        self.progress = Progress::new(&self.scenes.now().timed);
        self.phase = RoomPhase::Ready;
        self.clock.set(0.0);
        self.forget_end();
    }

    /// Lets these scenes of a game that was cut off be gone back to, the oldest first.
    pub(super) fn go_back_to(&mut self, before: &[Record], handling: Handling) {
        let again = |record: &Record| Scene::again(record, handling, self.unwritten()).ok();
        // What cannot be played again cannot be gone back to, nor what was before it.
        let mut past: Vec<Scene> = before.iter().rev().map_while(again).collect();
        past.reverse();
        self.scenes.put_before(past);
    }

    /// Plays a game that was cut off to where it was; it is paused there.
    pub(super) fn take_up(&mut self, play: &Play) -> Result<(), String> {
        match play {
            Play::Timed { events, end, .. } => {
                for event in events {
                    self.scenes.timed().play(event);
                    self.notice_placements();
                }
                self.scenes.timed().advance_to(*end);
                self.scenes.timed().release_all(*end);
                self.notice_placements();
            }
            Play::Placements { placements } => {
                for placement in placements {
                    self.scenes.timed().place(placement).map_err(|error| error.to_string())?;
                    self.notice_placements();
                }
            }
        }
        if self.scenes.now().timed.outcome().is_some() {
            return Err("this game has ended".to_owned());
        }
        self.clock.set(self.scenes.now().timed.time() as f64);
        self.phase = RoomPhase::Paused;
        self.notice =
            "The lab had ended in the middle of this game; it goes on from its last saved moment.".to_owned();
        self.save();
        Ok(())
    }

    /// Changes the position: a scene begins, which waits for its first key.
    fn change(&mut self, change: &Change) -> Result<(), String> {
        let scene = self.scenes.now();
        let game = scene.timed.game();
        let mut colours = scene.timed.colours().clone();
        let setup = Setup {
            board: change.board.clone().unwrap_or_default(),
            queue: change.queue.clone().unwrap_or_else(|| letters(game.queue())),
            hold: match &change.hold {
                Some(hold) => Some(hold.clone()),
                None => game.position().hold.map(|piece| piece.letter().to_string()),
            },
        };
        let mut start = Start { dealt: scene.dealt(), ..setup.start()? };
        if let Some((rows, hole)) = change.garbage {
            let row = std::array::from_fn::<_, WIDTH, _>(|x| (x != hole).then_some(Cell::Garbage));
            (0..rows.min(MAX_GARBAGE)).for_each(|_| colours.rise(row));
        }
        if change.board.is_none() {
            start.board = rows_of(&colours);
        }
        let rules = change.gravity.map_or(self.rules, |gravity| with_gravity(self.rules, gravity));
        let begun = timed(rules, self.seed, Some(&start), *scene.timed.handling())?;
        self.rules = rules;
        self.leave_scene();
        self.scenes.change(Scene::new(Some(start), begun, self.unwritten()));
        let finesse = std::mem::take(&mut self.progress.finesse);
        self.begin();
        self.progress.finesse = finesse;
        Ok(())
    }

    /// After undo or redo: nothing is pressed, and the clock goes on.
    fn resume_here(&mut self) {
        let time = self.scenes.now().timed.time();
        self.scenes.timed().release_all(time);
        self.rules = *self.scenes.now().timed.game().rules();
        let finesse = std::mem::take(&mut self.progress.finesse);
        self.progress = Progress::new(&self.scenes.now().timed);
        self.progress.finesse = finesse;
        self.clock.set(time as f64);
        let is_over = self.scenes.now().timed.outcome().is_some();
        self.phase = if is_over { RoomPhase::Over } else { RoomPhase::Playing };
        if !is_over {
            self.clock.go(self.clock.now());
        }
        self.forget_end();
    }

    /// Looks at what was placed: for undo, for what is told of it, and to write it down.
    fn notice_placements(&mut self) {
        if !self.progress.notice(&self.scenes.now().timed) {
            return;
        }
        if self.mode == Mode::Practice {
            self.scenes.remember();
        }
        self.has_news = true;
    }

    fn advance(&mut self) {
        if self.phase == RoomPhase::Countdown && self.clock.now() >= self.until {
            self.go_on(self.until);
        }
        if self.is_open() {
            // The person's game is over: the machine's is played to its end at once.
            let rival = self.rival.as_mut();
            self.ends += u32::from(rival.is_some_and(|rival| rival.advance_to(u64::MAX)));
            if !self.is_open() {
                self.finish();
            }
        }
        if self.phase != RoomPhase::Playing {
            return;
        }
        let time = self.clock.game_time(self.clock.now() - SLACK);
        let rival = self.rival.as_mut();
        self.ends += u32::from(rival.is_some_and(|rival| rival.advance_to(time as u64)));
        self.scenes.timed().advance_to(time as u64);
        self.notice_placements();
        if self.scenes.now().timed.outcome().is_some() {
            self.phase = RoomPhase::Over;
            self.finish();
        } else if self.is_to_be_saved() {
            self.save();
        }
    }

    /// Whether it is time to write the game down: after a placement, and from time to time.
    fn is_to_be_saved(&self) -> bool {
        let is_new = self.saved_placement.is_none_or(|at| at.elapsed() >= SAVE_PLACEMENT);
        (self.has_news && is_new) || self.saved.elapsed() >= SAVE
    }

    /// Writes down how the game stands, so that it can go on.
    fn save(&mut self) {
        self.saved = Instant::now();
        if std::mem::take(&mut self.has_news) {
            self.saved_placement = Some(self.saved);
        }
        let scene = self.scenes.now();
        let mut entry = standing(scene, self.mode, self.seed, self.player, &self.progress);
        if let Some(seat) = &self.seat {
            entry.summary["seat"] = seat.as_str().into();
        }
        if self.mode == Mode::Practice && (scene.start.is_some() || !self.scenes.past().is_empty()) {
            let past = self.scenes.past();
            let kept = past[past.len().saturating_sub(KEPT_SCENES)..].iter();
            let write = |scene: &Scene| record(scene, self.mode, self.seed, self.player).to_text();
            entry.summary["before"] = kept.map(|scene| scene.written(write)).collect::<Vec<_>>().into();
            entry.summary["set_up"] = true.into();
        }
        if let Some(duel) = self.duel() {
            entry.summary["duel"] = duel;
        }
        scene.kept.save(entry);
    }

    /// Sends the picture, if it is a new one.
    pub(super) fn publish(&mut self) {
        let is_set_up = self.phase == RoomPhase::Ready && self.scenes.undos() > 0;
        let is_under_way = is_set_up || !matches!(self.phase, RoomPhase::Ready | RoomPhase::Over);
        self.state.under_way.store(is_under_way, Ordering::SeqCst);
        let told = Told::new(&self.scenes.now().timed, self.phase, self.heard, &self.notice, self.ends);
        if self.last.as_ref() == Some(&told) {
            return;
        }
        let telling = Telling {
            room: self.number,
            mode: self.mode,
            seed: self.seed,
            again: self.player == SAME_PIECES,
            undo: self.scenes.undos(),
            redo: self.scenes.redos(),
            countdown: (self.phase == RoomPhase::Countdown).then_some(self.until - self.clock.now()),
            time: self.scenes.now().timed.time(),
            goal: self.rules.goal,
            gravity: self.rules.timing != Timing::STILL,
            progress: &self.progress,
            best: &self.best,
            rival: self.rival.as_ref().map(Rival::view),
            verdict: self.verdict(),
            end: self.end.as_ref(),
        };
        if let Ok(text) = telling.text(&told) {
            self.frames.send_replace(text.into());
        }
        self.last = Some(told);
    }

    /// Hands the finished game over to be written down; nobody waits for that.
    fn finish(&mut self) {
        self.progress.finish(&self.scenes.now().timed);
        let scene = self.scenes.now();
        let (mode, player, state) = (self.mode, self.player, state_of(scene.timed.outcome()));
        let mut entry = standing(scene, mode, self.seed, player, &self.progress);
        if let Some(duel) = self.duel() {
            entry.summary["duel"] = duel;
        }
        self.saving =
            Some(scene.kept.finish(state, entry, move |store, id| ranking(store, id, mode, player)));
        self.show_end();
    }

    /// The end of the game, and how it stands with writing it down: it is told to be saved when it is.
    fn show_end(&mut self) {
        let Some(saving) = &mut self.saving else { return };
        let said = saving.borrow_and_update().clone();
        self.end = Some(ending(&self.scenes.now().timed, &said));
        self.ends += 1;
        if let Saving::Done(ranking) = &said {
            let best = &ranking["bests"][0]["summary"]["splits"];
            self.best = serde_json::from_value(best.clone()).unwrap_or(std::mem::take(&mut self.best));
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

    /// Ends the scene as it stands: kept if it is worth it.
    fn leave_scene(&mut self) {
        if self.phase != RoomPhase::Over {
            leaving(self.mode, self.seed, self.player)(self.scenes.now());
        }
    }

    /// The place for a game that has not been written down yet.
    fn unwritten(&self) -> KeptGame {
        KeptGame::new(self.keeper.clone(), self.mode.name(), self.player)
    }
}

/// Keeps a game that is left, if it is worth it.
fn leaving(mode: Mode, seed: u64, player: &'static str) -> impl Fn(&Scene) {
    move |scene| {
        let has_ended = scene.timed.outcome().is_some();
        if has_ended || scene.timed.placements().len() >= WORTH_KEEPING {
            let state = state_of(scene.timed.outcome());
            let entry = standing(scene, mode, seed, player, &Progress::new(&scene.timed));
            scene.kept.finish(state, entry, |_, _| Ok(()));
        } else {
            scene.kept.forget();
        }
    }
}

/// The rows of a board as records keep them, from the top.
fn rows_of(colours: &ColourBoard) -> Vec<String> {
    (0..colours.height()).rev().map(|y| colours.row_text(y)).collect()
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
