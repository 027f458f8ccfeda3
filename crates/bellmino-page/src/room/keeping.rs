//! What is written down of the games of a room, and what is told about it.

use serde_json::Value;

use super::{GameKey, Keeping, Room, RoomEffect, RoomPhase, Saving};
use crate::ending::ending;
use crate::kept::state_of;
use crate::progress::Progress;
use crate::scene::Scene;
use crate::setup::Mode;
use crate::standing::{record, standing};

/// How often a game under way is written down at least, and at most: after a placement. In milliseconds.
const SAVE: f64 = 900.0;
const SAVE_PLACEMENT: f64 = 250.0;

/// A game that was stopped before so many pieces is not worth keeping.
const WORTH_KEEPING: usize = 10;

/// Scenes before the present one that are written down with it.
const KEPT_SCENES: usize = 20;

/// What was written down of a game that goes on.
pub(super) struct SaveState {
    /// When it was last written, on the host's clock.
    at: f64,
    /// Whether something was placed since then.
    pub(super) has_news: bool,
    /// When a placement was last written down.
    placement: Option<f64>,
    /// Games of this room so far.
    games: u64,
}

/// The end of a game.
#[derive(Default)]
pub(super) struct EndState {
    /// How it stands with writing it down, until that is done.
    saving: Option<Saving>,
    /// How many ends were to be written down.
    ends: u32,
    /// What is shown of it.
    pub(super) shown: Option<Value>,
}

impl SaveState {
    pub(super) fn new(now: f64) -> SaveState {
        SaveState { at: now, has_news: false, placement: None, games: 0 }
    }
}

impl Room {
    /// How it goes with writing down the end of a game; what is said of one that is no longer shown changes nothing.
    pub fn saved(&mut self, end: u32, saving: Saving) {
        if end == self.end.ends && self.end.saving.is_some() {
            self.end.saving = Some(saving);
            self.show_end();
        }
    }

    /// Whether it is time to write the game down: after a placement, and from time to time.
    pub(super) fn is_to_be_saved(&self) -> bool {
        let now = self.time.now;
        let is_new = self.save.placement.is_none_or(|at| now - at >= SAVE_PLACEMENT);
        (self.save.has_news && is_new) || now - self.save.at >= SAVE
    }

    /// Writes down how the game stands, so that it can go on.
    pub(super) fn save(&mut self) {
        self.save.at = self.time.now;
        if std::mem::take(&mut self.save.has_news) {
            self.save.placement = Some(self.save.at);
        }
        let scene = self.scenes.now();
        let mut entry = standing(scene, self.mode, self.deal.seed, self.deal.player, &self.progress);
        if let Some(seat) = self.place.seat() {
            entry.summary["seat"] = seat.into();
        }
        if self.mode == Mode::Practice && (scene.start.is_some() || !self.scenes.past().is_empty()) {
            let past = self.scenes.past();
            let kept = past[past.len().saturating_sub(KEPT_SCENES)..].iter();
            let write = |scene: &Scene| record(scene, self.mode, self.deal.seed, self.deal.player).to_text();
            entry.summary["before"] = kept.map(|scene| scene.written(write)).collect::<Vec<_>>().into();
            entry.summary["set_up"] = true.into();
        }
        if let Some(duel) = self.duel_summary() {
            entry.summary["duel"] = duel;
        }
        self.effects.push(RoomEffect::Keep(scene.key, Keeping::Save(Box::new(entry))));
    }

    /// Hands the finished game over to be written down; nobody waits for that.
    pub(super) fn finish(&mut self) {
        self.progress.finish(&self.scenes.now().timed);
        let scene = self.scenes.now();
        let state = state_of(scene.timed.outcome());
        let mut entry = standing(scene, self.mode, self.deal.seed, self.deal.player, &self.progress);
        if let Some(duel) = self.duel_summary() {
            entry.summary["duel"] = duel;
        }
        self.end.ends += 1;
        self.end.saving = Some(Saving::UnderWay);
        let finish = Keeping::Finish { state, entry: Box::new(entry), end: Some(self.end.ends) };
        self.effects.push(RoomEffect::Keep(scene.key, finish));
        self.show_end();
    }

    /// The end of the game, and how it stands with writing it down: it is told to be saved when it is.
    fn show_end(&mut self) {
        let Some(said) = &self.end.saving else { return };
        self.end.shown = Some(ending(&self.scenes.now().timed, said));
        self.screen.changes += 1;
        if let Saving::Done(ranking) = said {
            let best = &ranking["bests"][0]["summary"]["splits"];
            self.best = serde_json::from_value(best.clone()).unwrap_or(std::mem::take(&mut self.best));
            self.end.saving = None;
        }
    }

    /// The end is no longer shown. If it was not written down, the player hears of it.
    pub(super) fn forget_end(&mut self) {
        self.end.shown = None;
        if let Some(Saving::Failed(why)) = self.end.saving.take() {
            self.screen.notice = format!("The game before is not saved yet ({why}); the lab goes on trying.");
        }
    }

    /// Ends the scene as it stands: kept if it is worth it.
    pub(super) fn leave_scene(&mut self) {
        if self.time.phase != RoomPhase::Over {
            let left = leaving(self.scenes.now(), self.mode, self.deal.seed, self.deal.player);
            self.effects.push(left);
        }
    }

    /// The key of a game that has not been written down yet.
    pub(super) fn unwritten(&mut self) -> GameKey {
        self.save.games += 1;
        GameKey { number: self.save.games, mode: self.mode, player: self.deal.player, row: None }
    }
}

/// Keeps a game that is left, if it is worth it.
pub(super) fn leaving(scene: &Scene, mode: Mode, seed: u64, player: &str) -> RoomEffect {
    let outcome = scene.timed.outcome();
    if outcome.is_none() && scene.timed.placements().len() < WORTH_KEEPING {
        return RoomEffect::Keep(scene.key, Keeping::Forget);
    }
    let entry = standing(scene, mode, seed, player, &Progress::new(&scene.timed));
    let finish = Keeping::Finish { state: state_of(outcome), entry: Box::new(entry), end: None };
    RoomEffect::Keep(scene.key, finish)
}
