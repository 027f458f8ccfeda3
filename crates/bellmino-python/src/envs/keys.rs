//! Guideline games as environments of keys: one tick of the clock per step.

use bellmino_engine::guideline::{Handling, Key, Placement, Rules, Timed};
use bellmino_engine::{AnyMatch, Outcome, Totals};
use serde_json::{Value, json};

use super::arrays::Row;
use super::guideline;
use super::lanes::{Lane, Start};

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

    fn begin(rules: &KeysRules, seed: u64, index: u64, start: Option<&Start>) -> Result<Self, String> {
        let game = guideline::begin(rules.rules, seed, index, start)?;
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

    fn show(&mut self, _rules: &KeysRules, row: &mut Row<'_>, all: bool) -> Result<(), String> {
        let placed = self.timed.placements().len();
        if all || placed != self.written {
            guideline::write_board(&self.timed.game().position().board, row.board);
            self.written = placed;
        }
        if all {
            row.active.fill(0);
        } else if let Some(at) = &self.shown {
            guideline::write_cells(at, 0, row.active);
        }
        self.shown = self.timed.active();
        if let Some(at) = &self.shown {
            guideline::write_cells(at, 1, row.active);
        }
        guideline::write_pieces(self.timed.game(), row);
        Ok(())
    }

    fn describe(&self, rules: &KeysRules, action: i64) -> Option<Value> {
        if !self.is_legal(rules, action) {
            return None;
        }
        let down = Key::ALL.iter().enumerate().filter(|(number, _)| action >> number & 1 == 1);
        Some(json!({ "keys": down.map(|(_, key)| key.name()).collect::<Vec<_>>(), "legal": true }))
    }

    fn placed(&self, _rules: &KeysRules) -> Option<(usize, Vec<[usize; 2]>)> {
        self.timed.placements().last().map(guideline::piece_and_cells)
    }
}
