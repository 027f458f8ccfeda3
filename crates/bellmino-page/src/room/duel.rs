//! Duels: a machine that plays beside, and who has won.

use bellmino_engine::Outcome;
use serde_json::{Value, json};

use super::{Room, RoomEffect, RoomPhase};
use crate::rival::{DuelVerdict, RaceResult, Rival, RivalError, RivalOrder, Thoughts};
use crate::setup::Mode;

/// The machine that plays beside.
#[derive(Default)]
pub(super) struct RoomDuel {
    pub(super) rival: Option<Rival>,
    /// Which machine it is, so that thoughts of one before go nowhere.
    number: u32,
}

impl Room {
    /// The thoughts of the machine beside come back; those of one before are of no use.
    pub fn thought(&mut self, number: u32, thoughts: Box<Thoughts>) {
        if let Some(rival) = self.duel.rival.as_mut().filter(|_| number == self.duel.number) {
            rival.take_back(thoughts);
        }
    }

    /// Lets a machine play beside, or none. In Practice there is nothing to win.
    pub(super) fn challenge(&mut self, order: Option<&RivalOrder>) -> Result<(), RivalError> {
        let order = order.filter(|_| self.mode != Mode::Practice);
        let rival = order.map(|order| Rival::new(order, self.deal.rules, self.deal.seed));
        self.duel = RoomDuel { rival: rival.transpose()?, number: self.duel.number + 1 };
        Ok(())
    }

    /// Lets the machine think, if there is something to think about.
    pub(super) fn think_on(&mut self) {
        if let Some(thoughts) = self.duel.rival.as_mut().and_then(Rival::thoughts) {
            self.effects.push(RoomEffect::Think(self.duel.number, thoughts));
        }
    }

    /// Whether the game is over and who has won is not known yet.
    pub(super) fn is_open(&self) -> bool {
        self.time.phase == RoomPhase::Over && self.duel.rival.is_some() && self.verdict().is_none()
    }

    /// Who has won the duel.
    pub(super) fn verdict(&self) -> Option<DuelVerdict> {
        let (rival, timed) = (self.duel.rival.as_ref()?, &self.scenes.now().timed);
        let stats = timed.game().stats();
        let goal = (timed.outcome()? == Outcome::Goal).then_some(timed.time());
        let person = RaceResult { goal, lines: stats.lines, score: stats.score };
        DuelVerdict::of(&self.deal.rules.goal, person, rival.result(), rival.has_ended())
    }

    /// How the duel stands, as it is kept.
    pub(super) fn duel_summary(&self) -> Option<Value> {
        let rival = self.duel.rival.as_ref()?;
        let RaceResult { goal, lines, score } = rival.result();
        Some(json!({
            "player": rival.order().player, "pace": rival.order().pace, "verdict": self.verdict(),
            "milliseconds": goal, "lines": lines, "score": score,
        }))
    }
}
