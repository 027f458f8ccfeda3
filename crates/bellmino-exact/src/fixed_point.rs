//! Fixed points of the Bellman operator, each with a certificate.
//!
//! A certificate turns the residual of any values W, however they were found, into bounds on the true values. Let
//! `rho` be the largest `|T W - W|`, rounding included, and let `m >= 0` be a *ranking*: a function that every step
//! lowers by at least 1 in expectation, whoever plays. Then `W + rho m` lies above its image under `T` and `W - rho m`
//! below, so that the true value lies between them.
//!
//! - `discounted:L`: `m = 1 / (1 - L)`.
//! - `total`: every piece adds at least `c` cells and every cleared row takes `w` away, so cells can be counted
//!   instead of steps: `m(b) = a W(b) + (1 + a rho) / c * (cells of a full board - cells of b) + 1 + a rho` with `a = q
//!   / (1 - rho q)`, `q = w / c * max(k / points(k))`. Between two clears the second term falls by 1 or more for each
//!   piece; at a clear of `k` rows the first one makes up for the `w k` cells that leave. A dead end has rank 0.
//! - Where cells do not count (`survive`, views), the ranking is found by iteration: values M for a reward of 1 per
//!   piece with a residual `s < 1` give `m = M / (1 - s)`.

use crate::bellman::{Operator, PlacementPolicy, Steps, SweepOutcome};
use crate::plain;
use crate::report::SweepChange;
use crate::settings::SolveMethod;
use crate::solve::SolveError;
use crate::supply::DealBackup;
use crate::watch::{SolvePhase, SolveProgress, Watch};

/// Turns a residual into a bound at the start.
pub(crate) enum Certificate {
    /// The same rank everywhere.
    Constant(f64),
    /// Ranks by counting cells.
    Cells(CellCount),
    /// A ranking given by its value at the start and its largest one, with the residual it was found with.
    Ranking { rank: f64, most: f64, residual: f64 },
    /// No ranking: for rankings themselves, and for what is compared in another way. The bound is the residual.
    Residual,
}

pub(crate) struct CellCount {
    /// `w / c * max(k / points(k))`.
    pub(crate) ratio: f64,
    /// Cells of the smallest piece.
    pub(crate) piece: f64,
    /// Empty cells of the start board.
    pub(crate) room: f64,
    /// Cells of a board.
    pub(crate) cells: f64,
}

impl Certificate {
    /// How far the value `value` at the start can be from the truth.
    pub(crate) fn bound(&self, residual: f64, value: f64) -> f64 {
        let rank = match self {
            Certificate::Constant(rank) => *rank,
            Certificate::Cells(count) => {
                let shrink = 1.0 - residual * count.ratio;
                if shrink <= 0.0 {
                    return f64::INFINITY;
                }
                let per_value = count.ratio / shrink;
                let each = 1.0 + per_value * residual;
                per_value * value.max(0.0) + each / count.piece * count.room + each
            }
            Certificate::Ranking { rank, residual, .. } if *residual < 1.0 => rank / (1.0 - residual),
            Certificate::Ranking { .. } => f64::INFINITY,
            Certificate::Residual => 1.0,
        };
        // The bound itself is rounded; a millionth on top is far more than that can be.
        residual * rank * (1.0 + 1e-6)
    }

    /// That of a discounted sum.
    pub(crate) fn discounted(factor: f64) -> Certificate {
        Certificate::Constant(1.0 / (1.0 - factor) * (1.0 + 1e-12))
    }

    /// How far any value can be from the truth, if none is larger than this.
    pub(crate) fn bound_everywhere(&self, residual: f64, largest: f64) -> f64 {
        match self {
            Certificate::Cells(CellCount { ratio, piece, cells, .. }) => {
                let whole = CellCount { ratio: *ratio, piece: *piece, room: *cells, cells: *cells };
                Certificate::Cells(whole).bound(residual, largest)
            }
            Certificate::Ranking { most, residual: own, .. } => {
                Certificate::Ranking { rank: *most, most: *most, residual: *own }.bound(residual, largest)
            }
            other => other.bound(residual, largest),
        }
    }
}

/// Where a run stands; all that is needed to go on with it.
pub(crate) struct RunState {
    pub(crate) values: Vec<f64>,
    pub(crate) sweeps: u64,
    pub(crate) bound: f64,
    /// The bound on every value, wherever it is.
    pub(crate) bound_everywhere: f64,
    /// The largest change of each improving sweep.
    pub(crate) changes: Vec<SweepChange>,
}

impl RunState {
    /// A run that begins with these values, so many sweeps having been made before.
    pub(crate) fn new(values: Vec<f64>, sweeps: u64) -> RunState {
        let (bound, bound_everywhere) = (f64::INFINITY, f64::INFINITY);
        RunState { values, sweeps, bound, bound_everywhere, changes: Vec::new() }
    }
}

/// How a run is to be made.
pub(crate) struct IterationPlan<'a> {
    pub(crate) method: SolveMethod,
    pub(crate) certificate: Certificate,
    /// The value at the start from the values of all nodes.
    pub(crate) value: &'a (dyn Fn(&[f64]) -> f64 + Sync),
    /// The wanted bound for this value.
    pub(crate) wanted: &'a (dyn Fn(f64) -> f64 + Sync),
    /// Called with the state when it may be worth keeping.
    pub(crate) keep: &'a (dyn Fn(&RunState) + Sync),
    pub(crate) watch: &'a dyn Watch,
    /// The most sweeps to make.
    pub(crate) most_sweeps: u64,
}

/// Iterates until the bound is as wanted, or no longer falls because of rounding.
pub(crate) fn solve(
    operator: &Operator<'_>,
    plan: &IterationPlan<'_>,
    mut state: RunState,
) -> Result<RunState, SolveError> {
    if plan.method == SolveMethod::Plain {
        return plain::solve(operator, plan, state);
    }
    let space = operator.space;
    let looks = matches!(operator.place, PlacementPolicy::Best);
    let is_linear =
        operator.deal == DealBackup::Mean && !matches!(operator.place, PlacementPolicy::Among(..));
    let linear = is_linear && plan.method != SolveMethod::Value;
    let evaluate = looks && plan.method != SolveMethod::Value;
    let last = space.index.classes().last().unwrap_or(0..0);
    let last = last.start * space.contexts()..last.end * space.contexts();
    let is_positive = !operator.arrival && operator.rewards.iter().all(|reward| *reward >= 0.0);
    let floor = if is_positive { 0.0 } else { f64::NEG_INFINITY };
    let mut room = Vec::new();
    let mut steps = vec![0u32; if evaluate { space.index.len() * space.supply.moves.len() } else { 0 }];
    let mut before: Vec<f64> = Vec::new();
    let mut stuck = 0;
    let mut least_bound = f64::INFINITY;
    loop {
        let mut wanted = if evaluate { Steps::Find(&mut steps) } else { Steps::Unwanted };
        let change = operator.pass(&mut state.values, &mut room, &mut wanted);
        state.sweeps += 1;
        state.changes.push(SweepChange { sweep: state.sweeps, change: change.most() });
        let rounding = operator.rounding(change.largest);
        let value = (plan.value)(&state.values);
        let residual = operator.discount * change.most() + 2.0 * rounding;
        state.bound = plan.certificate.bound(residual, value);
        state.bound_everywhere = plan.certificate.bound_everywhere(residual, change.largest);
        plan.watch.progress(&SolveProgress {
            phase: SolvePhase::Solve,
            boards: space.index.len() as u64,
            sweeps: state.sweeps,
            value: Some(value),
            bound: Some(state.bound),
            wanted: (plan.wanted)(value),
        });
        let moves = state.bound < 0.9 * least_bound || state.bound == f64::INFINITY;
        stuck = if moves { 0 } else { stuck + 1 };
        least_bound = least_bound.min(state.bound);
        let at_floor = change.most() <= rounding || stuck >= 8 && change.most() <= 64.0 * rounding;
        if state.bound <= (plan.wanted)(value) || at_floor || state.sweeps >= plan.most_sweeps {
            return Ok(state);
        }
        let stop = !plan.watch.go_on();
        (plan.keep)(&state);
        if stop {
            return Err(SolveError::Interrupted);
        }
        if !evaluate && !linear {
            continue;
        }
        let goal = match plan.method {
            SolveMethod::Policy => rounding,
            _ => (0.03 * change.most()).max(0.25 * rounding),
        };
        let mut pace = Convergence::default();
        let most = if plan.method == SolveMethod::Policy { 1_000_000 } else { 400 };
        for _ in 0..most {
            // The last sweep is one that proves something.
            if state.sweeps + 1 >= plan.most_sweeps {
                break;
            }
            before.clear();
            before.extend_from_slice(&state.values[last.clone()]);
            let mut given = if evaluate { Steps::Follow(&steps) } else { Steps::Unwanted };
            let change = operator.pass(&mut state.values, &mut room, &mut given);
            state.sweeps += 1;
            if change.most() <= goal {
                break;
            }
            // A guess that does not pay is given up.
            if linear
                && stuck < 3
                && let Some(factor) = pace.factor(&change)
            {
                for (after, before) in state.values[last.clone()].iter_mut().zip(&before) {
                    *after = (*after + factor * (*after - before)).max(floor);
                }
            }
            let stop = !plan.watch.go_on();
            (plan.keep)(&state);
            if stop {
                return Err(SolveError::Interrupted);
            }
        }
    }
}

/// Watches how fast changes shrink. Once they shrink at a steady rate they all lie in one direction, and the sum of
/// all changes still to come is known. A wrong guess costs sweeps, never correctness.
#[derive(Default)]
struct Convergence {
    sum: f64,
    rate: f64,
    calm: u32,
}

impl Convergence {
    fn factor(&mut self, change: &SweepOutcome) -> Option<f64> {
        let rate = change.sum / self.sum;
        let steady = (rate - self.rate).abs() < 0.02 * (1.0 - rate) && change.sum.abs() > 0.9 * change.size;
        self.calm = if steady && rate > 0.3 && rate < 1.0 { self.calm + 1 } else { 0 };
        (self.sum, self.rate) = (change.sum, rate);
        if self.calm < 2 {
            return None;
        }
        *self = Convergence::default();
        Some(rate / (1.0 - rate))
    }
}
