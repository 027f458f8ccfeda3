//! Playing in a room: keys, pauses, and what time does to the game.

use bellmino_engine::guideline::{Key, Match, Play, Timed, Timing};

use super::keeping::leaving;
use super::{Room, RoomCommand, RoomDeal, RoomEffect, RoomPhase};
use crate::kept::{PLAYER, SAME_PIECES};
use crate::progress::Progress;
use crate::rival::Rival;
use crate::scene::{Scene, SceneError, Scenes};
use crate::setup::Mode;
use crate::telling::{Telling, Told};

/// How far the game stays behind the clock, so that a key's own time counts although it takes a moment to arrive.
const SLACK: f64 = 5.0;

/// Milliseconds until a paused game goes on.
const COUNTDOWN: f64 = 1800.0;

impl Room {
    /// What the player does, at a time of the host.
    pub fn hear(&mut self, command: RoomCommand, now: f64) {
        self.time.now = now;
        if !matches!(command, RoomCommand::Wait | RoomCommand::Pause(_)) {
            self.screen.notice.clear();
        }
        let is_practice = self.mode == Mode::Practice;
        match command {
            RoomCommand::Key { key, down, at, number } => self.key(key, down, at, number),
            RoomCommand::Pause(true) => self.pause(),
            RoomCommand::Pause(false) if self.time.phase == RoomPhase::Paused => {
                if is_practice {
                    self.go_on(self.time.now);
                } else {
                    self.time.until = self.time.now + COUNTDOWN;
                    self.time.phase = RoomPhase::Countdown;
                }
            }
            // Whoever begins without a key touches no piece.
            RoomCommand::Pause(false) if self.time.phase == RoomPhase::Ready => {
                self.go_on(self.time.now);
                self.save();
            }
            RoomCommand::Pause(false) => {}
            RoomCommand::Restart { seed, hands, again, rival } => {
                self.leave_scene();
                self.deal.player = if again { SAME_PIECES } else { PLAYER };
                self.deal.seed = if again { self.deal.seed } else { seed };
                self.deal.rules = hands.rules(self.mode);
                let begun = Timed::new(Match::new(self.deal.rules, self.deal.seed), hands.handling());
                let key = self.unwritten();
                self.scenes = Scenes::new(Scene::new(None, begun, key));
                self.begin();
                if let Err(why) = self.challenge(rival.as_ref()) {
                    self.screen.notice = why.to_string();
                }
            }
            RoomCommand::Undo if is_practice => {
                let leave = leave(self.mode, &self.deal, &mut self.effects);
                if self.scenes.undo(leave) {
                    self.resume_here();
                    self.save();
                }
            }
            RoomCommand::Redo if is_practice => {
                let leave = leave(self.mode, &self.deal, &mut self.effects);
                if self.scenes.redo(leave) {
                    self.resume_here();
                    self.save();
                }
            }
            RoomCommand::Edit(change) if is_practice => match self.change(&change) {
                Ok(()) => self.save(),
                Err(why) => self.screen.notice = why.to_string(),
            },
            RoomCommand::Undo | RoomCommand::Redo | RoomCommand::Edit(_) => {}
            RoomCommand::Wait => {
                self.pause();
                self.screen.changes += 1;
            }
        }
    }

    fn key(&mut self, key: Key, down: bool, at: f64, number: u32) {
        self.screen.heard = number;
        // Neither from the future nor from long ago.
        let now = self.time.now;
        let at = at.clamp(now - 250.0, now);
        if self.time.phase == RoomPhase::Ready && down {
            self.go_on(at);
            self.save();
        }
        if self.time.phase == RoomPhase::Playing {
            let time = self.time.clock.game_time(at).round() as u64;
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
        match self.time.phase {
            RoomPhase::Playing => {
                self.time.clock.stop(self.time.now);
                let time = self.time.clock.game_time(0.0) as u64;
                self.scenes.timed().release_all(time);
                self.time.phase = RoomPhase::Paused;
                self.save();
            }
            RoomPhase::Countdown => self.time.phase = RoomPhase::Paused,
            RoomPhase::Ready | RoomPhase::Paused | RoomPhase::Over => {}
        }
    }

    /// Lets the clock go, at a time of the lab.
    pub(super) fn go_on(&mut self, at: f64) {
        self.time.clock.go(at);
        self.time.phase = RoomPhase::Playing;
    }

    /// The game on the table waits for its first key.
    pub(super) fn begin(&mut self) {
        self.progress = Progress::new(&self.scenes.now().timed);
        self.time.phase = RoomPhase::Ready;
        self.time.clock.set(0.0);
        self.forget_end();
    }

    /// Plays a game that was cut off to where it was; it is paused there.
    pub(super) fn take_up(&mut self, play: &Play) -> Result<(), SceneError> {
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
                    self.scenes.timed().place(placement)?;
                    self.notice_placements();
                }
            }
        }
        if self.scenes.now().timed.outcome().is_some() {
            return Err(SceneError::Over);
        }
        self.time.clock.set(self.scenes.now().timed.time() as f64);
        self.time.phase = RoomPhase::Paused;
        self.screen.notice =
            "The lab had ended in the middle of this game; it goes on from its last saved moment.".to_owned();
        self.save();
        Ok(())
    }

    /// Looks at what was placed: for undo, for what is told of it, and to write it down.
    fn notice_placements(&mut self) {
        if !self.progress.notice(&self.scenes.now().timed) {
            return;
        }
        if self.mode == Mode::Practice {
            self.scenes.remember();
        }
        self.save.has_news = true;
    }

    /// Lets the game go on to the present.
    pub(super) fn advance(&mut self) {
        if self.time.phase == RoomPhase::Countdown && self.time.now >= self.time.until {
            self.go_on(self.time.until);
        }
        if self.is_open() {
            // The person's game is over: the machine's is played to its end at once.
            let rival = self.duel.rival.as_mut();
            self.screen.changes += u32::from(rival.is_some_and(|rival| rival.advance_to(u64::MAX)));
            if !self.is_open() {
                self.finish();
            }
        }
        if self.time.phase != RoomPhase::Playing {
            return;
        }
        let time = self.time.clock.game_time(self.time.now - SLACK);
        let rival = self.duel.rival.as_mut();
        self.screen.changes += u32::from(rival.is_some_and(|rival| rival.advance_to(time as u64)));
        self.scenes.timed().advance_to(time as u64);
        self.notice_placements();
        if self.scenes.now().timed.outcome().is_some() {
            self.time.phase = RoomPhase::Over;
            self.finish();
        } else if self.is_to_be_saved() {
            self.save();
        }
    }

    /// Sends the picture, if it is a new one.
    pub(super) fn publish(&mut self) {
        let told = Told::new(
            &self.scenes.now().timed,
            self.time.phase,
            self.screen.heard,
            &self.screen.notice,
            self.screen.changes,
        );
        if self.screen.last.as_ref() == Some(&told) {
            return;
        }
        let telling = Telling {
            room: self.number,
            mode: self.mode,
            seed: self.deal.seed,
            again: self.deal.player == SAME_PIECES,
            undo: self.scenes.undos(),
            redo: self.scenes.redos(),
            countdown: (self.time.phase == RoomPhase::Countdown).then_some(self.time.until - self.time.now),
            time: self.scenes.now().timed.time(),
            goal: self.deal.rules.goal,
            gravity: self.deal.rules.timing != Timing::STILL,
            progress: &self.progress,
            best: &self.best,
            rival: self.duel.rival.as_ref().map(Rival::view),
            verdict: self.verdict(),
            end: self.end.shown.as_ref(),
        };
        if let Ok(text) = telling.text(&told) {
            self.effects.push(RoomEffect::Picture(text));
        }
        self.screen.last = Some(told);
    }
}

/// Keeps a scene that is left, if it is worth it.
fn leave(mode: Mode, deal: &RoomDeal, effects: &mut Vec<RoomEffect>) -> impl FnOnce(&Scene) {
    move |scene| effects.push(leaving(scene, mode, deal.seed, deal.player))
}
