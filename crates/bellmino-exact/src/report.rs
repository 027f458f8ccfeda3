//! The figures of a solution.

use rayon::prelude::*;

use crate::bellman::{Operator, Scratch, alive};
use crate::clock::Stopwatch;
use crate::run::{Findings, Run, Value};
use crate::settings::{Abstraction, Dealing, Objective, SolveMethod, SolveSettings};
use crate::sides::{DealerPolicy, GivenSides, Policy, Sides};
use crate::solve::{SolveError, solve_between};
use crate::space::{Space, Within};
use crate::table::{RunStatus, Table};
use crate::watch::Unsaved;

/// The figures of a solution.
#[derive(Clone, Debug, PartialEq)]
pub struct SolveReport {
    /// Different boards that can be reached, the start included.
    pub boards: u64,
    /// Boards with a hand: dealer state and pieces to place.
    pub states: u64,
    /// States with no placement that does not end the game.
    pub dead_states: u64,
    /// Passes over all boards.
    pub sweeps: u64,
    /// The most sweeps that were allowed.
    pub most_sweeps: Option<u64>,
    /// The value at the start; absent if it is infinite. With a view that of the model, see [`SolveReport::is_of_model`].
    pub value: Option<f64>,
    /// How far `value` can be from the truth: proven, rounding included. With a view the truth of the model.
    pub error_bound: f64,
    /// The bound that was wanted.
    pub wanted_bound: f64,
    /// The value by the first piece, in the order of the game; absent where it is infinite.
    pub value_by_first_piece: Vec<(String, Option<f64>)>,
    /// The mean over all states, dead ones as 0; absent for `average`, where a state is infinite, or where a horizon ends
    /// before every board is reached.
    pub mean_value: Option<f64>,
    /// For `survive`: boards from which the player survives whatever the dealer does.
    pub safe_boards: Option<u64>,
    /// With a view: classes of boards.
    pub classes: Option<u64>,
    /// With a view or a reward: the exact value, in points, of the greedy policy in the real game; absent if infinite.
    pub true_value: Option<Option<f64>>,
    /// With a reward: the same against the worst dealer.
    pub true_worst_value: Option<Option<f64>>,
    /// The proven bound on `true_value`.
    pub true_error_bound: Option<f64>,
    /// The largest change in each improving sweep: with the plain method of a state, else of a board before the deal.
    pub changes: Vec<SweepChange>,
    /// Seconds spent on exploring.
    pub explore_seconds: f64,
    /// Seconds spent on solving.
    pub solve_seconds: f64,
}

/// What an improving sweep changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepChange {
    /// Which of all the sweeps it was, from 1.
    pub sweep: u64,
    /// The largest change of a value.
    pub change: f64,
}

impl SolveReport {
    /// Whether the value is that of a model in which boards that look alike are one, and not of the game.
    pub fn is_of_model(&self) -> bool {
        self.classes.is_some()
    }

    /// Whether the value is infinite.
    pub fn is_infinite(&self) -> bool {
        self.value.is_none()
    }

    /// Whether as many sweeps were made as were allowed.
    pub fn is_capped(&self) -> bool {
        self.most_sweeps.is_some_and(|most| self.sweeps >= most)
    }

    /// Whether the value is as near to the truth as was wanted.
    pub fn is_as_wanted(&self) -> bool {
        self.is_infinite() || self.error_bound <= self.wanted_bound
    }
}

impl Run<'_> {
    /// The figures, with one more pass for the mean over all states.
    pub(crate) fn report(
        &self,
        found: &Findings,
        explore_seconds: f64,
        begin: Stopwatch,
    ) -> Result<SolveReport, SolveError> {
        let (space, supply) = (self.space, &self.space.supply);
        let left = match self.settings.objective {
            Objective::Horizon(pieces) => Some(pieces),
            _ => None,
        };
        let by_time = self.sides.player.is_some_and(Policy::depends_on_time);
        let steps = self.given_steps(left.filter(|_| by_time))?;
        let deals_by_time = self.sides.dealer.is_some_and(DealerPolicy::depends_on_time);
        let dealt = self.dealt(left.filter(|_| deals_by_time))?;
        let objective = self.settings.objective;
        let operator = self.operator(steps.as_deref(), dealt.as_deref());
        let nothing_left = left == Some(0);
        let tally = |board: usize, room: &mut Scratch, seen: &mut [bool]| {
            operator.moves(board, found.values.as_slice(), room);
            operator.hands(room);
            let weight = space.weight(board) as f64;
            let mut tally = StateTally::default();
            seen.fill(false);
            for context in (0..space.contexts()).filter(|c| space.is_reached(board * space.contexts() + c)) {
                for dealt in &supply.contexts[context].deals {
                    if !std::mem::replace(&mut seen[dealt.hand as usize], true) {
                        let value = room.hands[dealt.hand as usize];
                        tally.states += weight;
                        if value == f64::NEG_INFINITY {
                            tally.dead += weight;
                        } else {
                            tally.sum += weight * value;
                        }
                    }
                }
            }
            tally
        };
        const CHUNK: usize = 1 << 12;
        let tallies: Vec<StateTally> = (0..space.index.len().div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| {
                let (mut room, mut seen) = (operator.scratch(), vec![false; supply.hands.len()]);
                let boards = chunk * CHUNK..((chunk + 1) * CHUNK).min(space.index.len());
                boards
                    .map(|board| tally(board, &mut room, &mut seen))
                    .fold(StateTally::default(), StateTally::join)
            })
            .collect();
        let all = tallies.into_iter().fold(StateTally::default(), StateTally::join);

        let start = space.index.number(space.canonical(space.start).0).unwrap_or(0) as usize;
        let mut room = operator.scratch();
        operator.moves(start, found.values.as_slice(), &mut room);
        operator.hands(&mut room);
        let mut after = vec![0.0; space.contexts()];
        operator.board(start, &mut room, &mut after);
        let hand_value = |hand: u32| alive(room.hands[hand as usize]);
        // One more step keeps to the bound, and for a horizon it is the first piece's.
        let context_value = |context: u32| match objective {
            Objective::Survive => found.values[start * space.contexts() + context as usize],
            _ => after[context as usize],
        };
        let deal = operator.deal;
        let value = match found.value {
            _ if nothing_left => Some(0.0),
            Value::Found => Some(supply.opening_value(deal, &context_value)),
            Value::Known(value) => Some(value),
            Value::Infinite => None,
        };
        let value = value.filter(|value| value.is_finite());
        let by_first = if found.gains.is_empty() {
            supply.value_by_first_piece(deal, &context_value, &hand_value)
        } else {
            // Gains come from what follows alone.
            let operator = Operator { rewards: [0.0; 8], arrival: false, ..operator };
            operator.moves(start, found.gains.as_slice(), &mut room);
            operator.hands(&mut room);
            let at = |context: u32| found.gains[start * space.contexts() + context as usize];
            supply.value_by_first_piece(deal, &at, &|hand| alive(room.hands[hand as usize]))
        };
        let by_first = by_first.into_iter().map(|(piece, by_piece)| {
            let by_piece = match found.value {
                _ if nothing_left => Some(0.0),
                Value::Infinite => None,
                Value::Known(value) if objective == Objective::Average && found.gains.is_empty() => {
                    Some(value)
                }
                Value::Known(_) | Value::Found => Some(by_piece).filter(|value| value.is_finite()),
            };
            (self.game.pieces()[piece as usize].name().to_owned(), by_piece)
        });
        let mean = if nothing_left { 0.0 } else { all.sum / all.states };
        let has_mean = objective != Objective::Average
            && found.value != Value::Infinite
            && mean.is_finite()
            && !space.is_partial();
        let mut report = SolveReport {
            boards: self.boards,
            states: all.states as u64,
            dead_states: all.dead as u64,
            sweeps: found.sweeps,
            most_sweeps: self.settings.max_sweeps,
            value,
            error_bound: if nothing_left { 0.0 } else { found.bound },
            wanted_bound: self.settings.wanted(value.unwrap_or(0.0)),
            value_by_first_piece: by_first.collect(),
            mean_value: has_mean.then_some(mean),
            safe_boards: found.safe_boards,
            classes: found.classes,
            true_value: None,
            true_worst_value: None,
            true_error_bound: None,
            changes: found.changes.clone(),
            explore_seconds,
            solve_seconds: 0.0,
        };
        if self.settings.view != Abstraction::Grid || self.settings.reward.is_some() {
            self.add_true_values(found, &mut report)?;
        }
        report.solve_seconds = begin.seconds();
        Ok(report)
    }

    /// What the greedy policy for other values than points is worth in points.
    fn add_true_values(&self, found: &Findings, report: &mut SolveReport) -> Result<(), SolveError> {
        let (game, settings, watch) = (self.game, self.settings, &Unsaved(self.watch));
        let finished =
            RunStatus { value: report.value, error_bound: report.error_bound, sweeps: report.sweeps };
        let keep = SolveSettings { keep_stages: !found.stages.is_empty(), ..settings.clone() };
        let (supply, start) = (self.space.supply.clone(), self.space.start);
        let copy = Space::explore(game, supply, start, Within::default(), None, watch)?;
        let (values, stages) = (found.values.clone(), found.stages.clone());
        let table = Table::new(&keep, GivenSides::default(), finished, copy, values, stages);
        let plain = SolveSettings {
            view: Abstraction::Grid,
            reward: None,
            method: SolveMethod::Auto,
            max_sweeps: None,
            ..settings.clone()
        };
        let sides = Sides { player: Some(&table), dealer: None };
        let random = SolveSettings { dealing: Dealing::Random, ..plain.clone() };
        let truth = solve_between(game, &random, sides, None, watch)?.report;
        report.true_value = Some(truth.value);
        report.true_error_bound = Some(truth.error_bound);
        if settings.reward.is_some() {
            let worst = SolveSettings { dealing: Dealing::Worst, ..plain };
            report.true_worst_value = Some(solve_between(game, &worst, sides, None, watch)?.report.value);
        }
        Ok(())
    }
}

#[derive(Clone, Copy, Default)]
struct StateTally {
    states: f64,
    dead: f64,
    sum: f64,
}

impl StateTally {
    fn join(self, other: StateTally) -> StateTally {
        StateTally {
            states: self.states + other.states,
            dead: self.dead + other.dead,
            sum: self.sum + other.sum,
        }
    }
}
