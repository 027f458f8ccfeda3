//! What the wells of a search were worth, as far as the search saw, and how that is learned.

use std::collections::VecDeque;

use super::hunt::{Found, Hunt};
use super::judge::WellJudge;
use super::tables::UNIT;

/// Learns while a search goes on: each well from the best of what came of it so many pieces later.
///
/// A well that died, or whose descendants all fell out of the search, is worth what the best of these promised in the end; one
/// that lives is worth what its best descendant promises.
#[derive(Clone, Debug)]
pub struct Lessons {
    /// So many pieces later.
    lag: usize,
    /// How large the steps are.
    rate: f32,
    layers: VecDeque<Vec<Pupil>>,
    /// Wells learned from.
    pub learned: u64,
    /// The sum of the sizes of the errors, in rows.
    pub errors: f64,
}

#[derive(Clone, Copy, Debug)]
struct Pupil {
    found: Found,
    promise: i32,
}

impl Lessons {
    /// Learns by steps of this size, so many pieces later.
    pub fn new(lag: usize, rate: f32) -> Lessons {
        Lessons { lag: lag.max(1), rate, layers: VecDeque::new(), learned: 0, errors: 0.0 }
    }

    /// A layer is there: call it after every step of the search, and at its beginning.
    pub fn attend(&mut self, hunt: &Hunt, judge: &mut WellJudge) {
        if let Some(last) = self.layers.back_mut() {
            for (pupil, &promise) in last.iter_mut().zip(hunt.promises()) {
                pupil.promise = promise;
            }
        }
        let pupil = |found: &Found| Pupil { found: *found, promise: i32::MIN };
        self.layers.push_back(hunt.layer().iter().map(pupil).collect());
        if self.layers.len() > self.lag + 1 {
            let worth = self.worth(0);
            if let Some(first) = self.layers.pop_front() {
                self.learn(&first, &worth, judge);
            }
        }
        if hunt.layer().is_empty() {
            self.end(judge);
        }
    }

    /// The search has ended: what is left is learned from, the last wells first.
    fn end(&mut self, judge: &mut WellJudge) {
        let worths: Vec<Vec<i32>> = (0..self.layers.len()).map(|layer| self.worth(layer)).collect();
        let layers = std::mem::take(&mut self.layers);
        for (layer, worth) in layers.iter().zip(&worths).rev() {
            self.learn(layer, worth, judge);
        }
    }

    /// What the wells of a layer are worth: by their descendants as far as these were kept.
    fn worth(&self, layer: usize) -> Vec<i32> {
        let last = self.layers.len() - 1;
        let mut below: Vec<i32> = Vec::new();
        for at in (layer..=last).rev() {
            let pupils = &self.layers[at];
            let mut kept = vec![i32::MIN; pupils.len()];
            if let Some(after) = self.layers.get(at + 1) {
                for (pupil, &worth) in after.iter().zip(&below) {
                    let best = &mut kept[pupil.found.parent as usize];
                    // What was not looked at yet is worth what it promised, which its parent knows.
                    *best = (*best).max(worth);
                }
            }
            below = pupils
                .iter()
                .zip(kept)
                .map(|(pupil, kept)| if kept == i32::MIN { pupil.promise } else { kept })
                .collect();
        }
        below
    }

    fn learn(&mut self, layer: &[Pupil], worth: &[i32], judge: &mut WellJudge) {
        for (pupil, &worth) in layer.iter().zip(worth) {
            if worth != i32::MIN {
                let units = worth - pupil.found.rows as i32 * UNIT as i32;
                let error = judge.learn(&pupil.found.well, pupil.found.phase, units, self.rate);
                self.errors += f64::from(error.abs());
                self.learned += 1;
            }
        }
    }
}
