//! All optimal policies: which placements are as good as the best, and what a second question can come to among them.
//!
//! Whoever plays only placements that are as good as the best plays as well as the best, whichever of them it takes; that is
//! true of a discounted sum, of a horizon and of games that end. So a second question over all optimal policies is a game of
//! its own, in which only these placements are left, and its largest and its smallest value are found by the same operator.
//!
//! The variance of the result is such a question: the mean is the same for all of them, so that what is dealt in a node adds
//! the variance of the values of the hands there, discounted twice on the way to the start.

use std::fmt;
use std::str::FromStr;

use bellmino_engine::PlacementGame;
use rayon::prelude::*;

use crate::bellman::{Boards, Operator, PlacementPolicy};
use crate::fixed_point::Certificate;
use crate::graph;
use crate::report::SolveReport;
use crate::run::{Findings, Run};
use crate::settings::{Abstraction, Dealing, NotUnderstood, Objective, Placing, SolveMethod, SolveSettings};
use crate::sides::Sides;
use crate::solve::{SolveError, find};
use crate::space::Transition;
use crate::supply::DealBackup;
use crate::table::TIE;
use crate::watch::{Unsaved, Watch};

/// A second question about optimal players.
///
/// ```
/// use bellmino_exact::{Dealing, SecondQuestion};
///
/// let second: SecondQuestion = "discounted:0.9,worst".parse().unwrap();
/// assert_eq!(second.dealing, Some(Dealing::Worst));
/// assert_eq!(second.to_string(), "discounted:0.9,worst");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SecondQuestion {
    /// What is asked.
    pub objective: SecondObjective,
    /// Who deals; as in the first question where nothing is said.
    pub dealing: Option<Dealing>,
}

/// What is asked of optimal players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SecondObjective {
    /// The value of another objective, or of the same against another dealer.
    Value(Objective),
    /// The pieces that are placed.
    Pieces,
    /// The variance of the result.
    Variance,
}

/// What a second question comes to over all optimal policies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TieRange {
    /// The smallest value.
    pub low: f64,
    /// The largest value.
    pub high: f64,
    /// How far each of them can be from the truth: proven.
    pub error_bound: f64,
    /// States with a placement that does not end the game.
    pub states: u64,
    /// Those of them where several placements are as good as the best.
    pub tied_states: u64,
    /// How far below the best a placement was taken as just as good, at most.
    pub tolerance: f64,
}

/// The placements that are as good as the best.
pub(crate) struct Tied {
    /// By board and move: where its steps begin.
    offsets: Vec<u32>,
    steps: Vec<u32>,
}

/// Which of the placements that are left is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extreme {
    Most,
    Least,
}

/// Finds the optimal policies of a game, and the range of a second question over all of them.
///
/// ```
/// use bellmino_engine::Game;
/// use bellmino_exact::{Dealing, Objective, Silent, SolveSettings, range_over_ties};
///
/// let game = Game::built_in("baby", &[]).unwrap().unwrap();
/// let robust = SolveSettings { dealing: Dealing::Worst, ..SolveSettings::new(Objective::Discounted(0.9)) };
/// let second = "discounted:0.9,random".parse().unwrap();
/// let range = range_over_ties(game.placement().unwrap(), &robust, &second, &Silent)?;
/// // Who is sure of the same may make more or less against chance.
/// assert!((range.low - 8.79200).abs() < 5e-6 && (range.high - 8.95768).abs() < 5e-6);
/// # Ok::<(), bellmino_exact::SolveError>(())
/// ```
pub fn range_over_ties(
    game: &PlacementGame,
    settings: &SolveSettings,
    second: &SecondQuestion,
    watch: &dyn Watch,
) -> Result<TieRange, SolveError> {
    let dealing = second.dealing.unwrap_or(settings.dealing);
    check(settings, second, dealing)?;
    // Ties are told apart as far as rounding allows.
    let first = SolveSettings {
        epsilon: Some(f64::MIN_POSITIVE),
        method: SolveMethod::Auto,
        max_sweeps: None,
        keep_stages: true,
        ..settings.clone()
    };
    let watch = &Unsaved(watch);
    let (report, space, found) = find(game, &first, Sides::default(), None, false, watch)?;
    if report.value.is_none() {
        return refuse("the total is infinite: every placement is as good as another");
    }
    let objective = match second.objective {
        SecondObjective::Value(objective) => objective,
        SecondObjective::Pieces | SecondObjective::Variance => settings.objective,
    };
    let asked = SolveSettings { objective, dealing, reward: None, ..first.clone() };
    let asked = SolveSettings { epsilon: settings.epsilon, ..asked };
    let boards = space.boards();
    let run =
        Run { game, settings: &asked, space: &space, sides: Sides::default(), watch, resume: None, boards };
    Ties { run, first: &first, found: &found, report: &report }.range(second.objective)
}

fn refuse<T>(why: &str) -> Result<T, SolveError> {
    Err(SolveError::Unsupported(why.to_owned()))
}

fn check(settings: &SolveSettings, second: &SecondQuestion, dealing: Dealing) -> Result<(), SolveError> {
    if settings.hold || settings.view != Abstraction::Grid || settings.placing != Placing::Best {
        return refuse("a second question is asked of the best player, without hold and without a view");
    }
    if !matches!(
        settings.objective,
        Objective::Discounted(_) | Objective::Horizon(_) | Objective::Total | Objective::Survive
    ) {
        return refuse("a second question goes with the objective discounted:L, horizon:N, total or survive");
    }
    if (SolveSettings { dealing, ..settings.clone() }).queue() != settings.queue() {
        return refuse(
            "worst-before shows a piece that other dealers do not: both questions need it, or neither",
        );
    }
    let is_horizon = |objective| matches!(objective, Objective::Horizon(_));
    match second.objective {
        SecondObjective::Value(Objective::Average | Objective::Survive) => {
            refuse("the second question is discounted:L, horizon:N, total, pieces or variance")
        }
        SecondObjective::Value(objective)
            if is_horizon(settings.objective) && objective != settings.objective =>
        {
            refuse("after horizon:N the second question is the same horizon, pieces or variance")
        }
        SecondObjective::Variance
            if settings.reward.is_some()
                || settings.objective == Objective::Survive
                || (settings.dealing, dealing) != (Dealing::Random, Dealing::Random) =>
        {
            refuse(
                "the variance is that of the points of discounted:L, horizon:N or total against the random dealer",
            )
        }
        _ => Ok(()),
    }
}

/// The first question answered, and the second at work.
struct Ties<'a> {
    /// Of the second question.
    run: Run<'a>,
    first: &'a SolveSettings,
    found: &'a Findings,
    report: &'a SolveReport,
}

/// What was found with the largest and the smallest value.
struct Ends {
    low: f64,
    high: f64,
    bound: f64,
}

impl Ties<'_> {
    fn range(&self, objective: SecondObjective) -> Result<TieRange, SolveError> {
        let space = self.run.space;
        let nodes = space.nodes();
        let last = self.found.stages.len().saturating_sub(nodes);
        let values =
            if self.found.stages.is_empty() { &self.found.values } else { &self.found.stages[last..] };
        let mut counts = [0; 2];
        let tied = self.tied(values, Some(&mut counts));
        let ends = match (objective, self.first.objective) {
            (_, Objective::Horizon(pieces)) => self.by_stages(objective, pieces)?,
            (SecondObjective::Variance, _) => self.variance(&tied)?,
            (SecondObjective::Pieces, _) => self.ending(&tied, [1.0; 8])?,
            (SecondObjective::Value(Objective::Total), _) => {
                self.ending(&tied, self.operator(&tied, Extreme::Most).rewards)?
            }
            (SecondObjective::Value(_), _) => self.values(&tied)?,
        };
        let [states, tied_states] = counts;
        let Ends { low, high, bound } = ends;
        Ok(TieRange { low, high, error_bound: bound, states, tied_states, tolerance: self.tolerance() })
    }

    /// How far below the best a placement is taken as just as good: what the proven bound leaves open, or what a table takes
    /// as a tie.
    fn tolerance(&self) -> f64 {
        let largest = self
            .found
            .values
            .iter()
            .filter(|value| value.is_finite())
            .fold(1.0, |most: f64, value| most.max(value.abs()));
        (2.0 * self.found.bound_everywhere).max(TIE * largest)
    }

    /// The placements that are as good as the best if these values follow; counts states, and those with several.
    fn tied(&self, values: &[f64], counts: Option<&mut [u64; 2]>) -> Tied {
        let space = self.run.space;
        let (moves, supply) = (space.supply.moves.len(), &space.supply);
        let operator = Operator::new(space, self.run.game, self.first);
        let bound = 2.0 * self.found.bound_everywhere;
        let one = |board: usize| {
            let mut active = vec![true; moves];
            let mut all: Vec<Vec<(f64, u32)>> = vec![Vec::new(); moves];
            space.steps(board, &mut active, |piece, step| {
                if step.is_fatal() {
                    return;
                }
                for &number in &supply.moves_of[piece] {
                    let worth = operator.worth(values, step, supply.moves[number as usize].next);
                    all[number as usize].push((worth, step.0));
                }
            });
            for list in &mut all {
                let best = list.iter().fold(f64::NEG_INFINITY, |best: f64, (worth, _)| best.max(*worth));
                let least = best - bound.max(TIE * best.abs().max(1.0));
                list.retain(|(worth, _)| *worth >= least || *worth == best);
            }
            all
        };
        let all: Vec<Vec<Vec<(f64, u32)>>> = (0..space.index.len()).into_par_iter().map(one).collect();
        let mut tied = Tied { offsets: vec![0], steps: Vec::new() };
        if let Some(counts) = counts {
            *counts = [0; 2];
            for (board, lists) in all.iter().enumerate() {
                let mut come_up = vec![false; moves];
                space.mark_moves(board, &mut come_up);
                for (list, _) in lists.iter().zip(come_up).filter(|(list, comes)| *comes && !list.is_empty())
                {
                    counts[0] += space.weight(board);
                    counts[1] += if list.len() > 1 { space.weight(board) } else { 0 };
                }
            }
        }
        for list in all.into_iter().flatten() {
            tied.steps.extend(list.into_iter().map(|(_, step)| step));
            tied.offsets.push(tied.steps.len() as u32);
        }
        tied
    }

    /// The operator of the second question on the placements that are left.
    fn operator<'b>(&'b self, tied: &'b Tied, extreme: Extreme) -> Operator<'b> {
        let operator = Operator::new(self.run.space, self.run.game, self.run.settings);
        Operator { place: PlacementPolicy::Among(tied, extreme), ..operator }
    }

    /// Both ends of a discounted sum, or of a horizon.
    fn values(&self, tied: &Tied) -> Result<Ends, SolveError> {
        self.both(|extreme| {
            let operator = self.operator(tied, extreme);
            match self.run.settings.objective {
                Objective::Horizon(pieces) => {
                    let (mut values, mut bound) = (vec![0.0; self.run.space.nodes()], 0.0);
                    let mut next = values.clone();
                    for _ in 0..pieces {
                        bound += operator.rounding(operator.apply(&values, &mut next).largest);
                        std::mem::swap(&mut values, &mut next);
                        self.go_on()?;
                    }
                    Ok((self.run.value(&values), bound))
                }
                objective => {
                    let certificate = Certificate::discounted(objective.discount());
                    let found =
                        self.run.iterate(&operator, certificate, vec![0.0; self.run.space.nodes()])?;
                    Ok((self.run.value(&found.values), found.bound))
                }
            }
        })
    }

    /// Both ends of what is gained until the game ends, if it does whoever of the optimal players plays.
    fn ending(&self, tied: &Tied, rewards: [f64; 8]) -> Result<Ends, SolveError> {
        self.check_end(tied)?;
        self.both(|extreme| {
            let operator = Operator { rewards, ..self.operator(tied, extreme) };
            let zero = vec![0.0; self.run.space.nodes()];
            if operator.deal == DealBackup::Least {
                // Every sweep adds what takes one piece more, until nothing is left to add.
                let (mut values, mut next) = (zero.clone(), zero);
                let mut bound = 0.0;
                loop {
                    let change = operator.apply(&values, &mut next);
                    if change.most() == 0.0 {
                        return Ok((self.run.value(&values), bound));
                    }
                    bound += operator.rounding(change.largest);
                    std::mem::swap(&mut values, &mut next);
                    self.go_on()?;
                }
            }
            let ranking = self.run.ranking(&self.operator(tied, Extreme::Most), None)?;
            let found = self.run.iterate(&operator, ranking, zero)?;
            Ok((self.run.value(&found.values), found.bound))
        })
    }

    /// Both ends of the variance of the result.
    fn variance(&self, tied: &Tied) -> Result<Ends, SolveError> {
        let factor = self.first.objective.discount();
        let certificate = if factor == 1.0 {
            self.check_end(tied)?;
            self.run.ranking(&self.operator(tied, Extreme::Most), None)?
        } else {
            Certificate::discounted(factor * factor)
        };
        let spread = self.spread(&self.found.values);
        self.both(|extreme| {
            let operator = self.spreading(tied, extreme, factor);
            let (mut values, mut next) = (vec![0.0; self.run.space.nodes()], spread.clone());
            loop {
                let change = self.add_spread(&operator, &spread, &mut values, &mut next);
                let rounding = 2.0 * operator.rounding(change[1]);
                let value = self.run.value(&values);
                let bound = certificate.bound(operator.discount * change[0] + rounding, value);
                if bound <= self.run.settings.wanted(value) || change[0] <= rounding {
                    return Ok((value, bound));
                }
                self.go_on()?;
            }
        })
    }

    /// An operator that carries variances.
    fn spreading<'b>(&'b self, tied: &'b Tied, extreme: Extreme, factor: f64) -> Operator<'b> {
        Operator { rewards: [0.0; 8], discount: factor * factor, ..self.operator(tied, extreme) }
    }

    /// One sweep of variances; the largest change, and the largest of them.
    fn add_spread(
        &self,
        operator: &Operator<'_>,
        spread: &[f64],
        values: &mut Vec<f64>,
        next: &mut Vec<f64>,
    ) -> [f64; 2] {
        operator.apply(values, next);
        let (mut most, mut largest) = (0.0f64, 0.0f64);
        for ((next, before), add) in next.iter_mut().zip(values.iter()).zip(spread) {
            *next += add;
            most = most.max((*next - before).abs());
            largest = largest.max(*next);
        }
        std::mem::swap(values, next);
        [most, largest]
    }

    /// By node: the variance of the values of the hands that may be dealt there, if these values follow.
    fn spread(&self, values: &[f64]) -> Vec<f64> {
        let space = self.run.space;
        let operator = Operator::new(space, self.run.game, self.first);
        let contexts = space.contexts();
        let mut spread = vec![0.0; space.nodes()];
        spread.par_chunks_mut(contexts).enumerate().for_each(|(board, spread)| {
            let mut room = operator.scratch();
            operator.moves(board, values, &mut room);
            operator.hands(&mut room);
            for (context, spread) in spread.iter_mut().enumerate() {
                if space.is_reached(board * contexts + context) {
                    let deals = &space.supply.contexts[context].deals;
                    let worth = |hand: u32| operator.alive(room.hands[hand as usize]);
                    let mean: f64 = deals.iter().map(|deal| deal.probability * worth(deal.hand)).sum();
                    let square = |deal: &crate::supply::DealtHand| {
                        deal.probability * (worth(deal.hand) - mean).powi(2)
                    };
                    *spread = deals.iter().map(square).sum();
                }
            }
        });
        spread
    }

    /// A horizon has its ties for each number of pieces left.
    fn by_stages(&self, objective: SecondObjective, pieces: u32) -> Result<Ends, SolveError> {
        let nodes = self.run.space.nodes();
        self.both(|extreme| {
            let (mut values, mut next, mut bound) = (vec![0.0; nodes], vec![0.0; nodes], 0.0);
            for stage in self.found.stages.chunks(nodes).take(pieces as usize) {
                let tied = self.tied(stage, None);
                let operator = match objective {
                    SecondObjective::Variance => self.spreading(&tied, extreme, 1.0),
                    SecondObjective::Pieces => {
                        Operator { rewards: [1.0; 8], ..self.operator(&tied, extreme) }
                    }
                    SecondObjective::Value(_) => self.operator(&tied, extreme),
                };
                let largest = if objective == SecondObjective::Variance {
                    self.add_spread(&operator, &self.spread(stage), &mut values, &mut next)[1]
                } else {
                    let change = operator.apply(&values, &mut next);
                    std::mem::swap(&mut values, &mut next);
                    change.largest
                };
                bound += 2.0 * operator.rounding(largest);
                self.go_on()?;
            }
            Ok((self.run.value(&values), bound))
        })
    }

    fn both(&self, find: impl Fn(Extreme) -> Result<(f64, f64), SolveError>) -> Result<Ends, SolveError> {
        let (low, low_bound) = find(Extreme::Least)?;
        let (high, high_bound) = find(Extreme::Most)?;
        Ok(Ends { low, high, bound: low_bound.max(high_bound) })
    }

    /// Refuses games in which an optimal player may never lose.
    fn check_end(&self, tied: &Tied) -> Result<(), SolveError> {
        let safe = graph::safe(&self.operator(tied, Extreme::Most), self.run.watch)?;
        if safe.is_empty() {
            return Ok(());
        }
        let value = self.report.value.unwrap_or_default();
        Err(SolveError::Unsupported(format!(
            "a player that is worth {value} may never lose: ask for discounted:L or horizon:N in the second question"
        )))
    }

    fn go_on(&self) -> Result<(), SolveError> {
        if self.run.watch.go_on() { Ok(()) } else { Err(SolveError::Interrupted) }
    }
}

impl Tied {
    /// The steps that are left for a board and move.
    #[inline]
    pub(crate) fn steps(&self, place: usize) -> impl Iterator<Item = Transition> + '_ {
        let steps = &self.steps[self.offsets[place] as usize..self.offsets[place + 1] as usize];
        steps.iter().map(|step| Transition(*step))
    }
}

impl Extreme {
    /// Whether one value is to be taken before another.
    #[inline]
    pub(crate) fn prefers(self, one: f64, other: f64) -> bool {
        match self {
            Extreme::Most => one > other,
            Extreme::Least => one < other,
        }
    }
}

impl FromStr for SecondQuestion {
    type Err = NotUnderstood;

    fn from_str(text: &str) -> Result<SecondQuestion, NotUnderstood> {
        let (objective, dealer) = match text.split_once(',') {
            Some((objective, dealer)) => (objective, Some(dealer)),
            None => (text, None),
        };
        let not = |wanted| NotUnderstood { text: text.to_owned(), wanted };
        let objective = match objective.trim() {
            "pieces" => SecondObjective::Pieces,
            "variance" => SecondObjective::Variance,
            other => SecondObjective::Value(other.parse().map_err(|_| {
                not("a second question: discounted:L, horizon:N, total, pieces or variance, and perhaps a comma and a dealer")
            })?),
        };
        let dealing = dealer.map(|dealer| dealer.trim().parse()).transpose()?;
        Ok(SecondQuestion { objective, dealing })
    }
}

impl fmt::Display for SecondQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.objective {
            SecondObjective::Value(objective) => write!(f, "{objective}")?,
            SecondObjective::Pieces => f.write_str("pieces")?,
            SecondObjective::Variance => f.write_str("variance")?,
        }
        self.dealing.map_or(Ok(()), |dealing| write!(f, ",{dealing}"))
    }
}
