//! One run on an explored space: each objective by its own road.

use std::sync::atomic::{AtomicBool, Ordering};

use bellmino_engine::PlacementGame;
use rayon::prelude::*;

use crate::bellman::{GivenDeals, Operator, PlacementPolicy};
use crate::components::{self, Gains};
use crate::fixed_point::{self, CellCount, Certificate, IterationPlan, RunState};
use crate::given::{GivenPlayer, Refused};
use crate::plain::StateValues;
use crate::report::SweepChange;
use crate::settings::{Abstraction, Objective, SolveMethod, SolveSettings};
use crate::sides::{DealerPolicy, OnTable, Policy, Sides};
use crate::solve::SolveError;
use crate::space::{Bits, Space, Transition};
use crate::supply::{DealBackup, SupplyContext};
use crate::table::{RunStatus, Snapshot, Table};
use crate::watch::{SolvePhase, SolveProgress, Unsaved, Watch};
use crate::{abstraction, graph};

/// One run on an explored space.
#[derive(Clone, Copy)]
pub(crate) struct Run<'a> {
    pub(crate) game: &'a PlacementGame,
    pub(crate) settings: &'a SolveSettings,
    pub(crate) space: &'a Space<'a>,
    pub(crate) sides: Sides<'a>,
    pub(crate) watch: &'a dyn Watch,
    pub(crate) resume: Option<&'a Table>,
    pub(crate) boards: u64,
}

/// What a run found.
#[derive(Default)]
pub(crate) struct Findings {
    /// By node; for a horizon with all pieces left but one.
    pub(crate) values: Vec<f64>,
    /// For a horizon, if kept: the values with 0, 1, 2, ... pieces left.
    pub(crate) stages: Vec<f64>,
    pub(crate) value: Value,
    pub(crate) bound: f64,
    /// The bound on every value; for a horizon on those of every stage.
    pub(crate) bound_everywhere: f64,
    pub(crate) sweeps: u64,
    pub(crate) changes: Vec<SweepChange>,
    pub(crate) safe_boards: Option<u64>,
    pub(crate) classes: Option<u64>,
    /// For `average`: what is gained per piece from each node; empty where it is the same from everywhere.
    pub(crate) gains: Vec<f64>,
}

/// The value at the start.
#[derive(Clone, Copy, Default, PartialEq)]
pub(crate) enum Value {
    /// That of the values found.
    #[default]
    Found,
    /// Known in another way.
    Known(f64),
    Infinite,
}

impl<'a> Run<'a> {
    pub(crate) fn solve(&self) -> Result<Findings, SolveError> {
        let steps = self.given_steps(None)?;
        let dealt = self.dealt(None)?;
        let operator = self.operator(steps.as_deref(), dealt.as_deref());
        if self.settings.view != Abstraction::Grid {
            return self.view(&operator);
        }
        match self.settings.objective {
            Objective::Discounted(factor) => {
                self.iterate(&operator, Certificate::discounted(factor), self.first_values(0.0))
            }
            Objective::Horizon(pieces) => self.horizon(&operator, pieces),
            Objective::Total => self.total(&operator),
            Objective::Average => self.average(&operator),
            Objective::Survive => self.survive(&operator),
        }
    }

    /// The operator between these sides; `steps` are the given player's, `dealt` the given dealer's.
    pub(crate) fn operator<'b>(&'b self, steps: Option<&'b [u32]>, dealt: Option<&'b [u8]>) -> Operator<'b> {
        let operator = Operator::new(self.space, self.game, self.settings);
        let dealt = self.given_deals(dealt);
        Operator { place: steps.map_or(operator.place, PlacementPolicy::Given), dealt, ..operator }
    }

    /// The given dealer's choices with how often it chooses.
    fn given_deals<'b>(&self, dealt: Option<&'b [u8]>) -> Option<GivenDeals<'b>> {
        let (choices, dealer) = (dealt?, self.sides.dealer?);
        Some(GivenDeals { choices, share: dealer.share() })
    }

    /// The steps of the given player for each board and move.
    pub(crate) fn given_steps(&self, left: Option<u32>) -> Result<Option<Vec<u32>>, SolveError> {
        let Some(player) = self.sides.player else { return Ok(None) };
        let space = self.space;
        let given = GivenPlayer::new(self.game, &space.supply, player, self.settings.seen_by(player));
        let count = space.supply.moves.len();
        let mut steps = vec![Transition::FATAL.0; space.index.len() * count];
        let (wrong, silent) = (AtomicBool::new(false), AtomicBool::new(false));
        steps.par_chunks_mut(count).enumerate().for_each(|(number, steps)| {
            let board = space.index.board(number);
            let mut active = vec![true; count];
            space.mark_moves(number, &mut active);
            for (step, number) in steps.iter_mut().zip(0..count).filter(|(_, number)| active[*number]) {
                match given.place(board, number, left) {
                    Ok(Some(after)) => *step = space.step(after.board, after.fatal, after.lines()).0,
                    Ok(None) => {}
                    Err(Refused::Illegal) => wrong.store(true, Ordering::Relaxed),
                    Err(Refused::NoAnswer) => silent.store(true, Ordering::Relaxed),
                }
            }
        });
        if silent.into_inner() {
            return Err(SolveError::Unsupported(
                "the given player has no answer in a position that comes up; that is no loss of its own"
                    .into(),
            ));
        }
        if wrong.into_inner() {
            return Err(SolveError::Unsupported(
                "the given player made a placement that is not legal".into(),
            ));
        }
        Ok(Some(steps))
    }

    /// The given dealer's answer in each node, as a place in the list of deals; `left` is how many pieces are left to place
    /// then, if that is limited.
    pub(crate) fn dealt(&self, left: Option<u32>) -> Result<Option<Vec<u8>>, SolveError> {
        let Some(dealer) = self.sides.dealer else { return Ok(None) };
        let (space, contexts) = (self.space, self.space.contexts());
        let answer = |node: usize| {
            // What does not come up needs no answer.
            if !space.is_reached(node) {
                return Some(0);
            }
            let SupplyContext { state, queue, held, deals, .. } = &space.supply.contexts[node % contexts];
            let table = OnTable { state: *state, queue, held: *held, spent: false, left };
            let piece = dealer.deal(space.index.board(node / contexts), &table)?;
            deals.iter().position(|deal| deal.piece == piece).map(|place| place as u8)
        };
        let answers: Option<Vec<u8>> = (0..space.nodes()).into_par_iter().map(answer).collect();
        answers.map(Some).ok_or_else(|| {
            SolveError::Unsupported("the given dealer has no answer in a position that comes up".into())
        })
    }

    fn first_values(&self, value: f64) -> Vec<f64> {
        match self.resume {
            Some(table) => table.node_values(self.space),
            None => vec![value; self.space.nodes()],
        }
    }

    /// The value at the start.
    pub(crate) fn value(&self, values: &[f64]) -> f64 {
        let at = |context: u32| values[self.space.node(self.space.start, context).unwrap_or(0)];
        self.space.supply.opening_value(DealBackup::of(self.settings.dealing), &at)
    }

    /// Iterates the operator to its fixed point.
    pub(crate) fn iterate(
        &self,
        operator: &Operator<'_>,
        certificate: Certificate,
        values: Vec<f64>,
    ) -> Result<Findings, SolveError> {
        let sweeps = self.resume.map_or(0, |table| table.finished().sweeps);
        let state = RunState::new(values, sweeps);
        let plan = IterationPlan {
            method: self.settings.method,
            certificate,
            value: &|values| self.value(values),
            wanted: &|value| self.settings.wanted(value),
            keep: &|state| self.keep(&state.values, state.bound, state.sweeps),
            watch: self.watch,
            most_sweeps: self.settings.max_sweeps.unwrap_or(u64::MAX),
        };
        let RunState { values, sweeps, bound, bound_everywhere, changes } =
            fixed_point::solve(operator, &plan, state)?;
        Ok(Findings { values, sweeps, bound, bound_everywhere, changes, ..Findings::default() })
    }

    /// Hands over a snapshot if one is wanted; `values` are those of all stages so far.
    fn keep(&self, values: &[f64], error_bound: f64, sweeps: u64) {
        if self.watch.wants_snapshot() {
            let value = Some(self.value(&values[values.len() - self.space.nodes()..]));
            let finished = RunStatus { value, error_bound, sweeps };
            self.watch.snapshot(&Snapshot::new(self.settings, finished, self.space, values));
        }
    }

    fn horizon(&self, operator: &Operator<'_>, pieces: u32) -> Result<Findings, SolveError> {
        let nodes = self.space.nodes();
        let keep_stages = self.settings.keep_stages || self.settings.reward.is_some();
        let mut stages = self.resume.map_or_else(Vec::new, |table| table.node_values(self.space));
        let mut values = vec![0.0; nodes];
        let (mut first, mut bound) = (1, 0.0);
        if let Some(table) = self.resume {
            values = stages.split_off(stages.len() - nodes);
            first = 1 + (stages.len() / nodes) as u32;
            bound = table.finished().error_bound;
        }
        let mut next = vec![0.0; nodes];
        let mut changes = Vec::new();
        let mut states = (self.settings.method == SolveMethod::Plain).then(|| StateValues::new(operator));
        let by_time = self.sides.player.is_some_and(Policy::depends_on_time);
        let deals_by_time = self.sides.dealer.is_some_and(DealerPolicy::depends_on_time);
        // The last operator application belongs to the first piece: the report makes it.
        for left in first..=pieces {
            if keep_stages {
                stages.extend_from_slice(&values);
            }
            if left == pieces && states.is_none() {
                break;
            }
            let stop = !self.watch.go_on();
            if keep_stages && states.is_none() {
                self.keep(&stages, bound, u64::from(left - 1));
            }
            if stop {
                return Err(SolveError::Interrupted);
            }
            let steps = if by_time { self.given_steps(Some(left))? } else { None };
            let dealt = if deals_by_time { self.dealt(Some(left))? } else { None };
            let place = steps.as_deref().map_or(operator.place, PlacementPolicy::Given);
            let dealt = self.given_deals(dealt.as_deref()).or(operator.dealt);
            let operator = Operator { place, dealt, ..*operator };
            let (change, largest) = match &mut states {
                Some(states) => states.sweep(&operator, &values, &mut next).into(),
                None => {
                    let change = operator.apply(&values, &mut next);
                    (change.most(), change.largest)
                }
            };
            changes.push(SweepChange { sweep: u64::from(left), change });
            if left == pieces {
                break;
            }
            std::mem::swap(&mut values, &mut next);
            bound += operator.rounding(largest);
            if left % 64 == 0 {
                let progress = SolveProgress {
                    phase: SolvePhase::Solve,
                    boards: self.space.index.len() as u64,
                    sweeps: u64::from(left),
                    bound: Some(bound),
                    ..SolveProgress::default()
                };
                self.watch.progress(&progress);
            }
        }
        let largest = values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        bound += operator.rounding(largest);
        let (bound_everywhere, sweeps) = (bound, u64::from(pieces));
        Ok(Findings { values, stages, bound, bound_everywhere, sweeps, changes, ..Findings::default() })
    }

    fn total(&self, operator: &Operator<'_>) -> Result<Findings, SolveError> {
        let rows = self.most_rows();
        let every_clear_pays = operator.rewards[1..=rows].iter().all(|points| *points > 0.0);
        let safe = graph::safe(operator, self.watch)?;
        let endless =
            if every_clear_pays { safe.copy() } else { graph::endless(operator, &safe, self.watch)? };
        let adversary = operator.deal == DealBackup::Least;
        if !endless.is_empty() {
            let infinite = if adversary {
                self.start_nodes().all(|node| endless.contains(node))
            } else {
                graph::reaches(operator, &endless, self.start_nodes())
            };
            if infinite {
                let values = vec![0.0; self.space.nodes()];
                return Ok(Findings { values, value: Value::Infinite, ..Findings::default() });
            }
        }
        if !every_clear_pays && !safe.is_empty() {
            return Err(SolveError::Unsupported(
                "the player can survive for ever without scoring: no bound can be proven for this total"
                    .into(),
            ));
        }
        let values = self.first_values(0.0);
        if !every_clear_pays {
            let ranking = self.ranking(operator, None)?;
            return self.iterate(operator, ranking, values);
        }
        let ratio = (1..=rows).map(|lines| lines as f64 / operator.rewards[lines]).fold(0.0, f64::max);
        let used = self.space.supply.moves.iter().map(|step| self.game.pieces()[step.piece as usize].cells());
        let piece = f64::from(used.min().unwrap_or(1));
        let cells = self.game.width() * self.game.height();
        let certificate = Certificate::Cells(CellCount {
            ratio: ratio * self.game.width() as f64 / piece,
            piece,
            room: cells as f64 - f64::from(self.space.start.0.count_ones()),
            cells: cells as f64,
        });
        // Nodes of infinite value that a worst dealer avoids.
        let given = (!endless.is_empty()).then_some((&endless, f64::INFINITY));
        let mut values = values;
        if given.is_some() {
            (0..values.len())
                .filter(|node| endless.contains(*node))
                .for_each(|node| values[node] = f64::INFINITY);
        }
        let operator = Operator { given, arrival: false, ..*operator };
        self.iterate(&operator, certificate, values)
    }

    /// A ranking found by iteration: the values of a reward of 1 per piece, against a dealer who helps.
    pub(crate) fn ranking(
        &self,
        operator: &Operator<'_>,
        safe: Option<&Bits>,
    ) -> Result<Certificate, SolveError> {
        let deal = match operator.deal {
            DealBackup::Mean => DealBackup::Mean,
            DealBackup::Mixed(share) => DealBackup::Friendly(share),
            DealBackup::Least | DealBackup::Friendly(_) => DealBackup::Friendly(1.0),
        };
        let given = safe.map(|safe| (safe, 0.0));
        let ranking = Operator { deal, rewards: [1.0; 8], given, arrival: false, ..*operator };
        let method = match self.settings.method {
            SolveMethod::Plain => SolveMethod::Auto,
            other => other,
        };
        let plan = IterationPlan {
            method,
            certificate: Certificate::Residual,
            value: &|values| self.value(values),
            wanted: &|_| 0.1,
            keep: &|_| {},
            watch: self.watch,
            most_sweeps: u64::MAX,
        };
        let values = vec![0.0; self.space.nodes()];
        let state = RunState::new(values, 0);
        let state = fixed_point::solve(&ranking, &plan, state)?;
        let most = state.values.iter().fold(0.0, |most: f64, rank| most.max(*rank));
        Ok(Certificate::Ranking { rank: self.value(&state.values), most, residual: state.bound })
    }

    fn survive(&self, operator: &Operator<'_>) -> Result<Findings, SolveError> {
        let safe = graph::safe(operator, self.watch)?;
        let contexts = self.space.contexts();
        let is_safe = |board: usize| {
            let nodes = board * contexts..(board + 1) * contexts;
            nodes.clone().any(|node| safe.contains(node))
                && nodes.into_iter().all(|node| safe.contains(node) || !self.space.is_reached(node))
        };
        let boards = 0..self.space.index.len();
        let safe_boards = boards.into_par_iter().filter(|b| is_safe(*b)).map(|b| self.space.weight(b)).sum();
        let mut values = self.first_values(0.0);
        (0..values.len()).filter(|node| safe.contains(*node)).for_each(|node| values[node] = 1.0);
        let mut found = if operator.deal == DealBackup::Least || safe.is_empty() {
            Findings { values, ..Findings::default() }
        } else {
            let operator =
                Operator { rewards: [0.0; 8], arrival: false, given: Some((&safe, 1.0)), ..*operator };
            let ranking = self.ranking(&operator, Some(&safe))?;
            self.iterate(&operator, ranking, values)?
        };
        if self.start_nodes().all(|node| safe.contains(node)) {
            found.bound = 0.0;
        }
        Ok(Findings { safe_boards: Some(safe_boards), ..found })
    }

    fn average(&self, operator: &Operator<'_>) -> Result<Findings, SolveError> {
        let safe = graph::safe(operator, self.watch)?;
        let nodes = self.space.nodes();
        let inside = self.start_nodes().all(|node| safe.contains(node));
        if safe.is_empty() || operator.deal == DealBackup::Least && !inside {
            // The game ends whatever the player does: nothing per piece in the long run.
            return Ok(Findings {
                values: self.ending(operator, &safe)?,
                value: Value::Known(0.0),
                ..Findings::default()
            });
        }
        // The chance of getting to where one can stay, times what is gained there per piece.
        let (mut reach, mut reach_bound, mut chances) = (1.0, 0.0, Vec::new());
        if !inside {
            let found = Run { resume: None, watch: &Unsaved(self.watch), ..*self }.survive(operator)?;
            (reach, reach_bound, chances) = (self.value(&found.values), found.bound, found.values);
        }
        let operator = Operator { within: Some(&safe), dead: THE_END, arrival: false, ..*operator };
        let mut values = self.first_values(0.0);
        let before = self.resume.map_or(0, |table| table.finished().sweeps);
        let mut next = vec![0.0; nodes];
        let reference = (0..nodes).find(|node| safe.contains(*node)).unwrap_or(0);
        let mut changes = Vec::new();
        let most_sweeps = self.settings.max_sweeps.unwrap_or(u64::MAX).min(MOST_AVERAGE_SWEEPS);
        for sweeps in before + 1.. {
            let change = operator.apply(&values, &mut next);
            let rounding = operator.rounding(change.largest);
            let (low, high) = (change.least - rounding, change.rise.max(change.least) + rounding);
            let (gain, bound) = ((low + high) / 2.0, (high - low) / 2.0);
            changes.push(SweepChange { sweep: sweeps, change: change.most() });
            let value = gain * reach;
            let bound = bound + gain.abs() * reach_bound + reach_bound * bound;
            self.watch.progress(&SolveProgress {
                phase: SolvePhase::Solve,
                boards: self.space.index.len() as u64,
                sweeps,
                value: Some(value),
                bound: Some(bound),
                wanted: self.settings.wanted(value),
            });
            let floor = high - low <= 8.0 * rounding;
            if bound <= self.settings.wanted(value) || floor || sweeps >= most_sweeps {
                // Whoever plays by these values must not leave the safe nodes, and elsewhere must try to get there.
                for node in (0..nodes).filter(|node| !safe.contains(*node)) {
                    values[node] = UNSAFE * (2.0 - chances.get(node).copied().unwrap_or(0.0));
                }
                let value = Value::Known(value);
                let gains = chances.iter().map(|chance| gain * chance).collect();
                return Ok(Findings { values, value, bound, sweeps, changes, gains, ..Findings::default() });
            }
            if sweeps == before + PATIENCE {
                let wanted = self.settings.wanted(value);
                let whole = Operator { within: None, dead: 0.0, ..operator };
                if let Some(found) = components::gains(&whole, self.settings.memory, wanted, self.watch)? {
                    return Ok(self.apart(found, sweeps, changes));
                }
            }
            let stop = !self.watch.go_on();
            self.keep(&values, bound, sweeps);
            if stop {
                return Err(SolveError::Interrupted);
            }
            // Half a step at a time: without it a periodic chain would never settle.
            let shift = 0.5 * (values[reference] + next[reference]);
            for (node, (value, next)) in values.iter_mut().zip(&next).enumerate() {
                if safe.contains(node) {
                    *value = 0.5 * (*value + next) - shift;
                }
            }
        }
        unreachable!("the loop above returns")
    }

    /// For `average`, the values of a game that ends: the more pieces a worst dealer needs to end it, the better. Where chance
    /// ends it, all is the same.
    fn ending(&self, operator: &Operator<'_>, safe: &Bits) -> Result<Vec<f64>, SolveError> {
        let nodes = self.space.nodes();
        if operator.deal != DealBackup::Least || matches!(operator.place, PlacementPolicy::Average) {
            return Ok(vec![0.0; nodes]);
        }
        let operator =
            Operator { rewards: [1.0; 8], arrival: false, given: Some((safe, f64::INFINITY)), ..*operator };
        let at_first = |node| if safe.contains(node) { f64::INFINITY } else { 0.0 };
        let mut pieces: Vec<f64> = (0..nodes).map(at_first).collect();
        let mut next = vec![0.0; nodes];
        // Every sweep adds what takes one piece more.
        while operator.apply(&pieces, &mut next).most() > 0.0 {
            std::mem::swap(&mut pieces, &mut next);
            if !self.watch.go_on() {
                return Err(SolveError::Interrupted);
            }
        }
        let most = pieces.iter().filter(|pieces| pieces.is_finite()).fold(0.0, |a: f64, b| a.max(*b));
        let worth =
            |pieces: f64| if pieces.is_finite() { UNSAFE * (2.0 - pieces / (most + 1.0)) } else { 0.0 };
        Ok(pieces.into_iter().map(worth).collect())
    }

    /// The findings of a game whose parts gain differently.
    fn apart(&self, found: Gains, sweeps: u64, changes: Vec<SweepChange>) -> Findings {
        let Gains { gains, bounds, values, sweeps: more } = found;
        Findings {
            value: Value::Known(self.value(&gains)),
            // Rounding of the mean over the first pieces included.
            bound: self.value(&bounds) * (1.0 + 1e-6) + 1e-14 * self.value(&gains).abs(),
            sweeps: sweeps + more,
            values,
            changes,
            gains,
            ..Findings::default()
        }
    }

    fn view(&self, operator: &Operator<'_>) -> Result<Findings, SolveError> {
        let classes = abstraction::Classes::new(self.space, self.settings.view);
        let solved =
            abstraction::solve(operator, &classes, self.settings, self.watch, &|values| self.value(values))?;
        let abstraction::ClassValues { values, stages, value, bound, sweeps, changes } = solved;
        let value = value.map_or(Value::Found, Value::Known);
        let classes = Some(classes.len() as u64);
        let changes = (1..).zip(changes).map(|(sweep, change)| SweepChange { sweep, change }).collect();
        Ok(Findings { values, stages, value, bound, sweeps, changes, classes, ..Findings::default() })
    }

    pub(crate) fn start_nodes(&self) -> impl Iterator<Item = usize> + '_ {
        let mut contexts = self.space.supply.first_distribution();
        contexts.retain(|(_, probability)| *probability > 0.0);
        contexts.sort_unstable_by_key(|(context, _)| *context);
        contexts.dedup_by_key(|(context, _)| *context);
        contexts.into_iter().filter_map(|(context, _)| self.space.node(self.space.start, context))
    }

    /// The most rows that one piece can clear.
    pub(crate) fn most_rows(&self) -> usize {
        let pieces = self.space.supply.moves.iter().map(|step| &self.game.pieces()[step.piece as usize]);
        let shapes = pieces.flat_map(bellmino_engine::placement::Piece::rotations);
        shapes.map(bellmino_engine::placement::Shape::height).max().unwrap_or(1).min(7)
    }
}

/// For `average`, the size of the values of boards on which the game can end whatever the player does. Far below every
/// value of a board that can be kept to, and still fine enough to tell chances a billionth apart.
pub(crate) const UNSAFE: f64 = -1e12;

/// For `average`, the end of the game: nothing is worse, whatever values are relative to.
pub(crate) const THE_END: f64 = 2.0 * UNSAFE;

/// Sweeps after which a game may be one whose parts gain differently, for which a bound for all would never settle.
const PATIENCE: u64 = 1000;

/// Sweeps after which the bound is what it is.
const MOST_AVERAGE_SWEEPS: u64 = 20_000;
