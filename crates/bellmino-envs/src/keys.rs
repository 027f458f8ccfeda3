//! Guideline games as environments of keys: one tick of the clock per step.

use bellmino_engine::guideline::{Handling, Key, Placement, Rules, Timed};
use bellmino_engine::{AnyMatch, Outcome, Totals};

use crate::arrays::LaneArrays;
use crate::decoded::Decoded;
use crate::error::EnvError;
use crate::guideline;
use crate::lanes::{Beginning, Lane, Unknown};

/// What all games of an environment have in common.
pub struct KeysRules {
    pub rules: Rules,
    pub handling: Handling,
    /// Milliseconds of a step.
    pub tick: u64,
}

/// A timed game.
pub struct KeysLane {
    timed: Timed,
    now: u64,
    /// Placements on the board that is written.
    written: usize,
    /// The piece in play that is written.
    shown: Option<Placement>,
}

impl Lane for KeysLane {
    type Rules = KeysRules;

    fn begin(
        rules: &KeysRules,
        seed: u64,
        index: u64,
        beginning: Option<&Beginning>,
    ) -> Result<Self, EnvError> {
        let game = guideline::begin(rules.rules, seed, index, beginning)?;
        Ok(KeysLane { timed: Timed::new(game, rules.handling), now: 0, written: 0, shown: None })
    }

    fn outcome(&self) -> Option<Outcome> {
        self.timed.outcome()
    }

    fn is_legal(&self, _rules: &KeysRules, action: i64) -> bool {
        (0..1 << Key::ALL.len()).contains(&action)
    }

    /// Bit `i` of the action says whether key `i` is down during this tick.
    fn play(&mut self, rules: &KeysRules, action: i64) -> f64 {
        let before = self.totals().score;
        for (number, key) in Key::ALL.into_iter().enumerate() {
            if action >> number & 1 == 1 {
                self.timed.press(key, self.now);
            } else {
                self.timed.release(key, self.now);
            }
        }
        self.now += rules.tick;
        self.timed.advance_to(self.now);
        self.totals().score - before
    }

    fn totals(&self) -> Totals {
        AnyMatch::totals(self.timed.game())
    }

    fn show(&mut self, _rules: &KeysRules, out: &mut LaneArrays<'_>, all: bool) -> Result<(), Unknown> {
        let placed = self.timed.placements().len();
        if all || placed != self.written {
            guideline::write_board(&self.timed.game().position().board, out.board);
            self.written = placed;
        }
        if all {
            out.active.fill(0);
        } else if let Some(at) = &self.shown {
            guideline::write_cells(at, 0, out.active);
        }
        self.shown = self.timed.active();
        if let Some(at) = &self.shown {
            guideline::write_cells(at, 1, out.active);
        }
        guideline::write_pieces(self.timed.game(), out);
        Ok(())
    }

    fn decode(&self, rules: &KeysRules, action: i64) -> Option<Decoded> {
        let is_down = |number: usize| action >> number & 1 == 1;
        let down = Key::ALL.into_iter().enumerate().filter(|(number, _)| is_down(*number));
        self.is_legal(rules, action).then(|| Decoded::Keys(down.map(|(_, key)| key).collect()))
    }

    fn encode(&self, _rules: &KeysRules, action: &Decoded) -> Option<i64> {
        let Decoded::Keys(down) = action else { return None };
        let bits = Key::ALL.iter().enumerate().filter(|(_, key)| down.contains(key));
        Some(bits.fold(0, |action, (number, _)| action | 1 << number))
    }

    fn placed(&self, _rules: &KeysRules) -> Option<(usize, Vec<[usize; 2]>)> {
        self.timed.placements().last().map(guideline::piece_and_cells)
    }
}
