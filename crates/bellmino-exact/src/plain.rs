//! The textbook's value iteration: from 0, every state of a sweep from the values of the sweep before.
//!
//! A state is a board with a hand; a sweep gives each the most of reward plus discounted mean of what follows, all from the
//! values of the sweep before. The largest change of a state is what a textbook compares with its threshold.

use rayon::prelude::*;

use crate::bellman::Operator;
use crate::fixed_point::{IterationPlan, RunState};
use crate::report::SweepChange;
use crate::solve::SolveError;
use crate::watch::{SolvePhase, SolveProgress};

/// The values of all states, and what a sweep changes in them.
pub(crate) struct StateValues {
    /// By board and hand; 0 where a hand does not come up.
    values: Vec<f64>,
}

/// Boards per task.
const CHUNK: usize = 1 << 11;

impl StateValues {
    /// Every state worth nothing.
    pub(crate) fn new(operator: &Operator<'_>) -> StateValues {
        StateValues { values: vec![0.0; operator.space.index.len() * operator.space.supply.hands.len()] }
    }

    /// `after` becomes the operator applied to `before`, and the states get their new values; the largest change of a state,
    /// and the largest size of one.
    pub(crate) fn sweep(&mut self, operator: &Operator<'_>, before: &[f64], after: &mut [f64]) -> [f64; 2] {
        let (space, supply) = (operator.space, &operator.space.supply);
        let (contexts, hands) = (space.contexts(), supply.hands.len());
        let is_open = |node: usize| {
            space.is_reached(node) && operator.given.is_none_or(|(given, _)| !given.contains(node))
        };
        let tasks = after.par_chunks_mut(CHUNK * contexts).zip(self.values.par_chunks_mut(CHUNK * hands));
        let work = |(chunk, (after, states)): (usize, (&mut [f64], &mut [f64]))| {
            let (mut room, mut most, mut largest) = (operator.scratch(), 0.0f64, 0.0f64);
            let boards = after.chunks_mut(contexts).zip(states.chunks_mut(hands));
            for (offset, (after, states)) in boards.enumerate() {
                let board = chunk * CHUNK + offset;
                operator.moves(board, before, &mut room);
                operator.hands(&mut room);
                for context in (0..contexts).filter(|context| is_open(board * contexts + context)) {
                    for dealt in &supply.contexts[context].deals {
                        let hand = dealt.hand as usize;
                        let value = operator.alive(room.hands[hand]);
                        most = most.max((value - states[hand]).abs());
                        largest = largest.max(value.abs());
                        states[hand] = value;
                    }
                }
                operator.board(board, &mut room, after);
            }
            [most, largest]
        };
        let all = tasks.enumerate().map(work);
        all.reduce(|| [0.0; 2], |one, other| [one[0].max(other[0]), one[1].max(other[1])])
    }
}

/// Iterates from 0 until the bound is as wanted, no longer falls because of rounding, or the sweeps are used up. What is left
/// are the values before the last sweep, from which that sweep is made once more for the report.
pub(crate) fn solve(
    operator: &Operator<'_>,
    plan: &IterationPlan<'_>,
    mut state: RunState,
) -> Result<RunState, SolveError> {
    let mut states = StateValues::new(operator);
    let mut next = state.values.clone();
    loop {
        let [change, largest] = states.sweep(operator, &state.values, &mut next);
        state.sweeps += 1;
        state.changes.push(SweepChange { sweep: state.sweeps, change });
        let rounding = operator.rounding(largest);
        let value = (plan.value)(&next);
        // What a sweep more would change at most.
        let residual = operator.discount * change + 2.0 * rounding;
        state.bound = plan.certificate.bound(residual, value);
        state.bound_everywhere = plan.certificate.bound_everywhere(residual, largest);
        let wanted = (plan.wanted)(value);
        plan.watch.progress(&SolveProgress {
            phase: SolvePhase::Solve,
            boards: operator.space.index.len() as u64,
            sweeps: state.sweeps,
            value: Some(value),
            bound: Some(state.bound),
            wanted,
        });
        if state.bound <= wanted || change <= rounding || state.sweeps >= plan.most_sweeps {
            return Ok(state);
        }
        if !plan.watch.go_on() {
            return Err(SolveError::Interrupted);
        }
        std::mem::swap(&mut state.values, &mut next);
    }
}
