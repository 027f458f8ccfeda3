//! Learning of a layer of units: temporal differences by gradients, and placements by lot, the better the likelier.

use std::collections::VecDeque;

use bellmino_engine::placement::{Column, Columns, Grid};
use bellmino_engine::{PlacementGame, Purpose, stream, unit};

use super::layer::{Layer, LayerRoom, exp};
use super::learning::{TuplePlan, TupleStep};
use super::value::TupleValue;

/// The temperature falls to this part of the first one, as one over the moves made.
const COOLED: f64 = 51.0;

/// A layer that is being learned.
pub(super) struct LayerLearner {
    pub(super) value: TupleValue,
    layer: Layer,
    rate: f32,
    fade: f32,
    reach: usize,
    /// Boards whose correction is not complete, from the oldest on.
    waiting: VecDeque<(Vec<u16>, f32)>,
    room: LayerRoom,
    /// The sums of the numbers at some moves of the step, and how many moves.
    sums: Vec<f64>,
    noted: u64,
}

/// The numbers count in their means after every so many moves.
const APART: u64 = 1000;

/// A placement that can be made.
struct LegalPlacement<B> {
    board: B,
    lines: u32,
    worth: f32,
}

impl LayerLearner {
    pub(super) fn new(value: TupleValue, layer: Layer, plan: &TuplePlan) -> LayerLearner {
        let fade = (plan.discount * plan.trace) as f32;
        let reach = if fade > 0.0 { plan.reach.max(1) } else { 1 };
        let (waiting, room) = (VecDeque::with_capacity(reach), LayerRoom::default());
        let (sums, noted) = (vec![0.0; value.numbers.len()], 0);
        LayerLearner { value, layer, rate: plan.rate as f32, fade, reach, waiting, room, sums, noted }
    }

    /// The means of the numbers over the step.
    pub(super) fn means(&self) -> Vec<f32> {
        let noted = self.noted.max(1) as f64;
        self.sums.iter().map(|sum| (sum / noted) as f32).collect()
    }

    /// Makes the moves of a step.
    pub(super) fn play<C: Column, const W: usize>(
        &mut self,
        game: &PlacementGame,
        plan: &TuplePlan,
        step: u64,
        go_on: &(dyn Fn() -> bool + Sync),
    ) -> Option<TupleStep> {
        let mut chance = stream(plan.seed, Purpose::Training, step);
        let empty = Columns::<C, W>::empty(game);
        let (mut board, mut state) = (empty, game.dealer().start());
        let (mut score, mut lines) = (0.0, 0);
        let mut all = TupleStep { moves: 0, games: 0, score: 0.0, lines: 0.0 };
        let all_moves = plan.moves as f64 * plan.steps as f64;
        let mut candidates: Vec<LegalPlacement<Columns<C, W>>> = Vec::new();
        for number in 0..plan.moves {
            if number % 4096 == 0 && !go_on() {
                return None;
            }
            let made = (step * plan.moves + number) as f64 / all_moves;
            let temperature = (plan.temperature / (1.0 + (COOLED - 1.0) * made)) as f32;
            self.layer.outline.read(board.columns(), &mut self.room.entries);
            let entries = self.room.entries.clone();
            let worth = self.layer.value(&self.value.numbers, &mut self.room);
            let deal = game.dealer().deal(state, &mut chance);
            state = deal.next;
            candidates.clear();
            board.outcomes(game, deal.piece.into(), |_, landed| {
                let points = game.score().points(landed.lines()) as f32;
                let worth = self.value.worth_by(self.layer, &landed.board, points, &mut self.room);
                candidates.push(LegalPlacement { board: landed.board, lines: landed.lines(), worth });
            });
            let taken = by_lot(&candidates, temperature, unit(&mut chance) as f32);
            self.note(entries, taken.map_or(0.0, |taken| taken.worth) - worth);
            match taken {
                Some(taken) => {
                    board = taken.board;
                    score += game.score().points(taken.lines);
                    lines += u64::from(taken.lines);
                }
                None => {
                    self.correct_all();
                    all.games += 1;
                    all.score += score;
                    all.lines += lines as f64;
                    (board, state) = (empty, game.dealer().start());
                    (score, lines) = (0.0, 0);
                }
            }
            if (number + 1) % APART == 0 || number + 1 == plan.moves {
                self.sums.iter_mut().zip(&self.value.numbers).for_each(|(sum, one)| *sum += f64::from(*one));
                self.noted += 1;
            }
        }
        self.correct_all();
        let games = all.games.max(1) as f64;
        Some(TupleStep { score: all.score / games, lines: all.lines / games, ..all })
    }

    /// Takes note of the error of a move on the board with these entries; the one that has waited longest is corrected.
    fn note(&mut self, entries: Vec<u16>, error: f32) {
        let mut counts = error;
        for (_, earlier) in self.waiting.iter_mut().rev() {
            counts *= self.fade;
            *earlier += counts;
        }
        self.waiting.push_back((entries, error));
        if self.waiting.len() >= self.reach {
            self.correct();
        }
    }

    /// Corrects the board that has waited longest.
    fn correct(&mut self) {
        if let Some((entries, error)) = self.waiting.pop_front() {
            self.room.entries = entries;
            self.layer.correct(&mut self.value.numbers, self.rate * error, &mut self.room);
        }
    }

    fn correct_all(&mut self) {
        while !self.waiting.is_empty() {
            self.correct();
        }
    }
}

/// One by lot, `lot` from 0 to 1: each is `e` times as likely as one that is worth less by the temperature.
fn by_lot<B>(candidates: &[LegalPlacement<B>], temperature: f32, lot: f32) -> Option<&LegalPlacement<B>> {
    let most = candidates.iter().fold(f32::NEG_INFINITY, |most, one| most.max(one.worth));
    let share = |one: &LegalPlacement<B>| match one.worth == most {
        true => 1.0,
        false => exp((one.worth - most) / temperature),
    };
    let mut left = lot * candidates.iter().map(share).sum::<f32>();
    let taken = candidates.iter().find(|one| {
        left -= share(one);
        left <= 0.0
    });
    taken.or(candidates.last())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lots_fall_by_worth() {
        let candidates = [1.0, 2.0, 2.0, -50.0].map(|worth| LegalPlacement { board: (), lines: 0, worth });
        let mut counts = [0; 4];
        for lot in 0..10_000 {
            let taken = by_lot(&candidates, 1.0, (lot as f32 + 0.5) / 10_000.0).unwrap();
            counts[candidates.iter().position(|one| std::ptr::eq(one, taken)).unwrap()] += 1;
        }
        // 1 / (1 + 2 e), twice e / (1 + 2 e), none.
        assert!((counts[0] - 1553i32).abs() < 5 && (counts[1] - 4223i32).abs() < 5, "{counts:?}");
        assert!((counts[2] - 4223i32).abs() < 5 && counts[3] < 2, "{counts:?}");
        assert!(by_lot(&candidates[..0], 1.0, 0.5).is_none());
        // However cold it is, the best are left.
        assert_eq!(by_lot(&candidates, 0.0, 0.99).unwrap().worth, 2.0);
    }
}
