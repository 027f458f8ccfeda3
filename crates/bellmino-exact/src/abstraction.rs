//! Views: a player who sees heights or contours only, as a model of its own.

use std::collections::HashMap;

use bellmino_engine::placement::Grid;

use crate::bellman::Operator;
use crate::settings::{Abstraction, Objective, SolveSettings};
use crate::solve::SolveError;
use crate::space::Space;
use crate::watch::{SolvePhase, SolveProgress, Watch};

/// Boards that look alike.
pub(crate) struct Classes {
    /// The class of each board.
    of: Vec<u32>,
    /// How many boards each class has.
    sizes: Vec<f64>,
}

impl Classes {
    pub(crate) fn new(space: &Space<'_>, view: Abstraction) -> Classes {
        let game = space.game;
        let mut numbers: HashMap<Vec<i8>, u32> = HashMap::new();
        let mut sizes = Vec::new();
        let of = (0..space.index.len()).map(|number| {
            let board = space.index.board(number);
            let heights: Vec<i8> = (0..game.width()).map(|x| board.height(game, x) as i8).collect();
            let seen = match view {
                Abstraction::Grid | Abstraction::Heights => heights,
                Abstraction::Contour => heights.windows(2).map(|pair| pair[1] - pair[0]).collect(),
            };
            let next = numbers.len() as u32;
            let class = *numbers.entry(seen).or_insert(next);
            if class == next {
                sizes.push(0.0);
            }
            sizes[class as usize] += 1.0;
            class
        });
        let of = of.collect();
        Classes { of, sizes }
    }

    pub(crate) fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Every node gets the mean of its class, context by context. The largest change from `before`.
    fn level(&self, contexts: usize, before: &[f64], after: &mut [f64]) -> f64 {
        let mut sums = vec![0.0; self.len() * contexts];
        for (board, &class) in self.of.iter().enumerate() {
            for context in 0..contexts {
                sums[class as usize * contexts + context] += after[board * contexts + context];
            }
        }
        let mut most = 0.0f64;
        for (board, &class) in self.of.iter().enumerate() {
            for context in 0..contexts {
                let mean = sums[class as usize * contexts + context] / self.sizes[class as usize];
                let node = board * contexts + context;
                after[node] = mean;
                most = most.max((mean - before[node]).abs());
            }
        }
        most
    }
}

/// The values of the model, spread over the boards.
pub(crate) struct ClassValues {
    pub(crate) values: Vec<f64>,
    pub(crate) stages: Vec<f64>,
    /// The value at the start, where it is not that of the values.
    pub(crate) value: Option<f64>,
    pub(crate) bound: f64,
    pub(crate) sweeps: u64,
    pub(crate) changes: Vec<f64>,
}

/// More sweeps than a model that ends can need.
const MOST_SWEEPS: u64 = 1_000_000;

/// Solves the model: an operator whose values are levelled within each class after every sweep.
pub(crate) fn solve(
    operator: &Operator<'_>,
    classes: &Classes,
    settings: &SolveSettings,
    watch: &dyn Watch,
    value: &dyn Fn(&[f64]) -> f64,
) -> Result<ClassValues, SolveError> {
    let space = operator.space;
    // A mean over a class rounds once per board, in sums that grow.
    let largest_class = classes.sizes.iter().fold(0.0, |most: f64, size| most.max(*size));
    let rounding = |values: &[f64]| {
        let largest = values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        operator.rounding(largest) + (largest_class + 2.0) * f64::EPSILON * largest
    };
    let iterate = |operator: &Operator<'_>, done: &dyn Fn(f64, f64) -> bool, most: u64| {
        let mut state = ClassValues {
            values: vec![0.0; space.nodes()],
            stages: Vec::new(),
            value: None,
            bound: 0.0,
            sweeps: 0,
            changes: Vec::new(),
        };
        let mut next = vec![0.0; space.nodes()];
        let horizon = matches!(settings.objective, Objective::Horizon(_));
        while state.sweeps < most {
            if horizon {
                state.stages.extend_from_slice(&state.values);
            }
            operator.apply(&state.values, &mut next);
            let change = classes.level(space.contexts(), &state.values, &mut next);
            std::mem::swap(&mut state.values, &mut next);
            state.sweeps += 1;
            state.changes.push(change);
            state.bound += if horizon { rounding(&state.values) } else { 0.0 };
            let value = value(&state.values);
            watch.progress(&SolveProgress {
                phase: SolvePhase::Solve,
                boards: space.index.len() as u64,
                sweeps: state.sweeps,
                value: Some(value),
                ..SolveProgress::default()
            });
            if !watch.go_on() {
                return Err(SolveError::Interrupted);
            }
            if done(change, value) {
                return Ok(state);
            }
        }
        Ok(state)
    };
    let rank = match settings.objective {
        Objective::Horizon(pieces) => {
            // As for every horizon, the values are those after the first piece.
            let mut state = iterate(operator, &|_, _| false, u64::from(pieces.saturating_sub(1)))?;
            state.stages.extend_from_slice(&state.values);
            let mut first = vec![0.0; space.nodes()];
            operator.apply(&state.values, &mut first);
            classes.level(space.contexts(), &state.values, &mut first);
            state.value = Some(value(&first));
            state.bound += rounding(&first);
            state.sweeps = u64::from(pieces);
            return Ok(state);
        }
        Objective::Discounted(factor) => 1.0 / (1.0 - factor),
        _ => {
            let ranking = Operator { rewards: [1.0; 8], arrival: false, ..*operator };
            let state = iterate(&ranking, &|change, _| change < 0.1, MOST_SWEEPS)?;
            let residual = state.changes.last().copied().unwrap_or(1.0) + rounding(&state.values);
            if residual >= 0.5 {
                return Err(SolveError::Unsupported("in this view the game seems never to end".into()));
            }
            value(&state.values) / (1.0 - residual)
        }
    };
    // Close ties decide what the greedy player does, so the model is solved as far as rounding allows.
    let done = |change: f64, value: f64| change <= 1e-13 * value.abs().max(1.0);
    let mut state = iterate(operator, &done, settings.max_sweeps.unwrap_or(MOST_SWEEPS))?;
    let change = state.changes.last().copied().unwrap_or(0.0);
    state.bound = (operator.discount * change + 2.0 * rounding(&state.values)) * rank * (1.0 + 1e-6);
    Ok(state)
}
