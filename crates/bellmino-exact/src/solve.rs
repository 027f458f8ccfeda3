//! Solving a game: from settings to a solution with its proven bound.

use std::time::Instant;

use bellmino_engine::{Board, DealerState, Grid, PackedBoard, Placement, PlacementGame};
use rayon::prelude::*;
use thiserror::Error;

use crate::bellman::{Operator, Place, alive};
use crate::fixed_point::{self, CellCount, Certificate, Plan, State};
use crate::settings::{Dealing, Objective, Placing, Reward, Settings, View};
use crate::space::{Bits, MAX_BOARDS, Space, Step};
use crate::supply::{Deal, Supply};
use crate::table::{Finished, Snapshot, Table};
use crate::{graph, view};

/// Solves a game exactly.
///
/// ```
/// use bellmino_engine::Game;
/// use bellmino_exact::{Objective, Settings, Silent, solve};
///
/// let game = Game::built_in("baby", &[]).unwrap().unwrap();
/// let solution = solve(game.placement().unwrap(), &Settings::new(Objective::Discounted(0.9)), &Silent)?;
/// assert_eq!(solution.report.boards, 12978);
/// assert!((solution.report.mean_value.unwrap() - 4.151086).abs() < 1e-6);
/// # Ok::<(), bellmino_exact::SolveError>(())
/// ```
pub fn solve(game: &PlacementGame, settings: &Settings, watch: &dyn Watch) -> Result<Solution, SolveError> {
    solve_between(game, settings, Sides::default(), None, watch)
}

/// Solves a game in which the player or the dealer, or both, are given; goes on with an unfinished table if there is one.
pub fn solve_between(
    game: &PlacementGame,
    settings: &Settings,
    sides: Sides<'_>,
    resume: Option<&Table>,
    watch: &dyn Watch,
) -> Result<Solution, SolveError> {
    check(game, settings, &sides)?;
    let begin = Instant::now();
    let start = settings.from.map_or(PackedBoard::empty(game), |board| PackedBoard::from_board(&board));
    let symmetric = sides.player.is_none()
        && sides.dealer.is_none()
        && settings.view == View::Grid
        && start.mirrored(game) == start;
    let supply = Supply::new(game, settings.queue(), settings.hold, symmetric).map_err(|_| {
        SolveError::Unsupported(
            "more than 65,536 combinations of dealer state, known pieces and held piece".into(),
        )
    })?;
    check_memory(game, &supply, settings, resume.is_some())?;
    let mut space = match resume {
        Some(table) if !table.answers(settings) => return Err(SolveError::ForeignTable),
        Some(table) => table.space(game, supply, start).ok_or(SolveError::ForeignTable)?,
        None => Space::explore(game, supply, start, settings.memory, watch)?,
    };
    if space.index.len() > MAX_BOARDS {
        let boards = Some(space.index.len() as u64);
        return Err(SolveError::TooBig {
            bytes: 8 * space.nodes() as u64,
            limit: 8 * MAX_BOARDS as u64,
            boards,
        });
    }
    let needed = bytes_needed(space.index.len() as u64, &space.supply, settings) + space.bytes();
    if let Some(limit) = settings.memory.filter(|limit| needed > *limit) {
        return Err(SolveError::TooBig { bytes: needed, limit, boards: Some(space.boards()) });
    }
    space.store_steps(MAX_STORED.min(settings.memory.map_or(u64::MAX, |limit| limit - needed)), watch)?;
    let explore_seconds = begin.elapsed().as_secs_f64();
    let run = Run { game, settings, space: &space, sides, watch, resume, boards: space.boards() };
    let begin = Instant::now();
    let found = run.solve()?;
    let report = run.report(&found, explore_seconds, begin)?;
    let finished = Finished { value: report.value, error_bound: report.error_bound, sweeps: report.sweeps };
    let Found { values, stages, .. } = found;
    let table = Table::new(settings, finished, space, values, stages);
    Ok(Solution { report, table })
}

/// An exact solution: its figures, and the table that plays it.
#[derive(Debug)]
pub struct Solution {
    /// The figures.
    pub report: Report,
    /// The values of all boards: plays as a player and as a dealer.
    pub table: Table,
}

/// The figures of a solution.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Different boards that can be reached, the start included.
    pub boards: u64,
    /// Boards with a hand: dealer state and pieces to place.
    pub states: u64,
    /// States with no placement that does not end the game.
    pub dead_states: u64,
    /// Passes over all boards.
    pub sweeps: u64,
    /// The value at the start; absent if it is infinite.
    pub value: Option<f64>,
    /// How far `value` can be from the truth: proven, rounding included.
    pub error_bound: f64,
    /// The value by the first piece, in the order of the game; absent where it is infinite.
    pub value_by_first_piece: Vec<(String, Option<f64>)>,
    /// The mean over all states, dead ones as 0; absent for `average` or where a state is infinite.
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
    /// The largest change in each improving sweep.
    pub changes: Vec<f64>,
    /// Seconds spent on exploring.
    pub explore_seconds: f64,
    /// Seconds spent on solving.
    pub solve_seconds: f64,
}

impl Report {
    /// Whether the value is infinite.
    pub fn is_infinite(&self) -> bool {
        self.value.is_none()
    }
}

/// Who is given instead of sought.
#[derive(Clone, Copy, Default)]
pub struct Sides<'a> {
    /// A player who is evaluated instead of the best.
    pub player: Option<&'a dyn Policy>,
    /// A dealer who answers each position in a given way.
    pub dealer: Option<&'a dyn DealerPolicy>,
}

/// A player as a function of what can be seen.
pub trait Policy: Sync {
    /// The placement of the first piece in hand; `None` if there is none.
    fn place(&self, board: PackedBoard, hand: &InHand<'_>) -> Option<Placement>;

    /// Whether the choice depends on how many pieces are left.
    fn depends_on_time(&self) -> bool {
        false
    }
}

/// A dealer as a function of what can be seen.
pub trait DealerPolicy: Sync {
    /// The next piece; one of positive probability in this state.
    fn deal(&self, board: PackedBoard, state: DealerState, queue: &[u8]) -> Option<u8>;
}

/// What a player has in hand.
#[derive(Clone, Copy, Debug)]
pub struct InHand<'a> {
    /// The current piece and the known ones after it.
    pub queue: &'a [u8],
    /// The dealer's state after each of them.
    pub states: &'a [DealerState],
    /// The piece put aside.
    pub held: Option<u8>,
    /// How many pieces are left to place, the current one included, if that is limited.
    pub left: Option<u32>,
}

/// Sees a run as it goes.
pub trait Watch: Sync {
    /// Asked often; the run ends soon after the answer is no.
    fn go_on(&self) -> bool {
        true
    }

    /// Told now and then.
    fn progress(&self, _progress: &Progress) {}

    /// Whether the state of the run should be kept now.
    fn wants_snapshot(&self) -> bool {
        false
    }

    /// The state of the run, when it is wanted.
    fn snapshot(&self, _snapshot: &Snapshot<'_>) {}
}

/// Sees nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Watch for Silent {}

/// How far a run has come.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// What is being done.
    pub phase: Phase,
    /// Boards found so far, mirror images counted once.
    pub boards: u64,
    /// Passes so far.
    pub sweeps: u64,
    /// The value as it stands.
    pub value: Option<f64>,
    /// Its bound as it stands.
    pub bound: Option<f64>,
    /// The bound that is wanted.
    pub wanted: f64,
}

/// What a run is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// Finding the boards.
    #[default]
    Explore,
    /// Finding their values.
    Solve,
}

/// Why a game was not solved.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SolveError {
    /// Told to stop.
    #[error("interrupted")]
    Interrupted,
    /// It would not fit into memory.
    #[error(
        "too big: {} needs about {}, and the limit is {}",
        match boards { Some(boards) => format!("{boards} boards and more"), None => "the game".to_owned() },
        human(*bytes), human(*limit)
    )]
    TooBig {
        /// Bytes needed, as far as known.
        bytes: u64,
        /// Bytes allowed.
        limit: u64,
        /// Boards counted or estimated.
        boards: Option<u64>,
    },
    /// Settings that do not go together.
    #[error("{0}")]
    Unsupported(String),
    /// A table of another game or other settings.
    #[error("the unfinished table belongs to another game or to other settings")]
    ForeignTable,
}

/// Steps are stored when they take no more than this.
const MAX_STORED: u64 = 96 << 20;

fn check(game: &PlacementGame, settings: &Settings, sides: &Sides<'_>) -> Result<(), SolveError> {
    let refuse = |why: &str| Err(SolveError::Unsupported(why.to_owned()));
    if !PackedBoard::fits(game) {
        let (bytes, boards) = estimate(game);
        return Err(SolveError::TooBig {
            bytes,
            limit: settings.memory.unwrap_or(u64::MAX),
            boards: Some(boards),
        });
    }
    if let Some(from) = settings.from
        && (from.width(), from.height()) != (game.width(), game.height())
    {
        return refuse("the start board is not of the game's size");
    }
    if settings.reward.is_some()
        && !matches!(settings.objective, Objective::Discounted(_) | Objective::Horizon(_))
    {
        return refuse("a reward needs the objective discounted:L or horizon:N");
    }
    if settings.reward.is_some() && (settings.view != View::Grid || settings.hold) {
        return refuse("a reward goes with neither a view nor hold");
    }
    if settings.view != View::Grid {
        let plain = settings.dealing == Dealing::Random
            && settings.placing == Placing::Best
            && settings.preview == 0
            && !settings.hold
            && sides.player.is_none()
            && sides.dealer.is_none();
        if !plain
            || !matches!(
                settings.objective,
                Objective::Discounted(_) | Objective::Horizon(_) | Objective::Total
            )
        {
            return refuse(
                "a view needs the random dealer, the best placer, no preview or hold, and the objective discounted:L, \
                 horizon:N or total",
            );
        }
    }
    if sides.player.is_some() && settings.hold {
        return refuse("a given player does not hold");
    }
    if sides.player.is_some() && settings.placing == Placing::Average {
        return refuse("either a player is given or placements are averaged");
    }
    if sides.dealer.is_some() && settings.dealing == Dealing::WorstBefore {
        return refuse("either a dealer is given or the worst one is sought");
    }
    let adversary = matches!(settings.dealing, Dealing::Worst | Dealing::WorstBefore);
    if settings.objective == Objective::Survive && adversary && settings.placing == Placing::Average {
        return refuse("survive against a worst dealer needs --placer best or a given player");
    }
    Ok(())
}

/// Of the boards without a full row about a quarter can be reached (from 0.22 to 0.26 on boards from 4x4 to 5x6).
fn estimate(game: &PlacementGame) -> (u64, u64) {
    let per_row = 2f64.powi(game.width() as i32) - 1.0;
    let boards = 0.25 * per_row.powi(game.height() as i32);
    ((boards * 36.0) as u64, boards as u64)
}

/// Refuses what cannot fit, before any work is done. Games whose boards are few for their size pass a trial first.
fn check_memory(
    game: &PlacementGame,
    supply: &Supply,
    settings: &Settings,
    resumed: bool,
) -> Result<(), SolveError> {
    let Some(limit) = settings.memory.filter(|_| !resumed) else { return Ok(()) };
    let (_, boards) = estimate(game);
    let canonical = if supply.mirror.is_some() { boards / 2 } else { boards };
    let bytes = bytes_needed(canonical, supply, settings).saturating_add(canonical.saturating_mul(12));
    let is_few = |game: &PlacementGame| {
        // A hundred thousand nodes are explored in no time.
        let start = settings.from.map_or(PackedBoard::empty(game), |board| PackedBoard::from_board(&board));
        let watch = Trial(std::sync::atomic::AtomicU64::new(0));
        game.width() * game.height() > 24
            && Space::explore(game, supply.clone(), start, Some(limit), &watch).is_ok()
    };
    if bytes > limit && !is_few(game) {
        return Err(SolveError::TooBig { bytes, limit, boards: Some(boards) });
    }
    Ok(())
}

/// Ends an exploration that goes on for long.
struct Trial(std::sync::atomic::AtomicU64);

impl Watch for Trial {
    fn go_on(&self) -> bool {
        self.0.load(std::sync::atomic::Ordering::Relaxed) < 100_000
    }

    fn progress(&self, progress: &Progress) {
        self.0.store(progress.boards, std::sync::atomic::Ordering::Relaxed);
    }
}

/// Bytes of values and policies for this many canonical boards.
fn bytes_needed(boards: u64, supply: &Supply, settings: &Settings) -> u64 {
    let nodes = boards.saturating_mul(supply.contexts.len() as u64);
    let stages = match settings.objective {
        Objective::Horizon(pieces) if settings.keep_stages => u64::from(pieces),
        _ => 0,
    };
    nodes
        .saturating_mul(8 * (stages + 2))
        .saturating_add(boards.saturating_mul(4 * supply.moves.len() as u64))
}

fn human(bytes: u64) -> String {
    let bytes = bytes as f64;
    match () {
        () if bytes >= 1e15 => format!("{:.1e} GiB", bytes / f64::from(1 << 30)),
        () if bytes >= f64::from(1 << 30) => format!("{:.1} GiB", bytes / f64::from(1 << 30)),
        () => format!("{:.0} MiB", (bytes / f64::from(1 << 20)).max(1.0)),
    }
}

pub(crate) fn deal_of(dealing: Dealing) -> Deal {
    match dealing {
        Dealing::Random => Deal::Mean,
        Dealing::Worst | Dealing::WorstBefore => Deal::Least,
        Dealing::Mixed(share) => Deal::Mixed(share),
    }
}

/// Points for 0, 1, 2, ... rows, or the reward that stands for them.
pub(crate) fn rewards_of(game: &PlacementGame, reward: Option<Reward>) -> [f64; 8] {
    std::array::from_fn(|lines| {
        let points = game.score().points(lines as u32);
        reward.map_or(points, |reward| reward.lines * lines as f64 + reward.score * points)
    })
}

/// What a reward adds on arrival at a board.
pub(crate) fn arrival_of(game: &PlacementGame, reward: Reward, board: PackedBoard) -> f64 {
    let highest = (0..game.width()).map(|x| board.height(game, x)).max().unwrap_or(0);
    -reward.height * highest as f64 - reward.gaps * f64::from(board.holes(game))
}

/// One run on an explored space.
struct Run<'a> {
    game: &'a PlacementGame,
    settings: &'a Settings,
    space: &'a Space<'a>,
    sides: Sides<'a>,
    watch: &'a dyn Watch,
    resume: Option<&'a Table>,
    boards: u64,
}

/// What a run found.
#[derive(Default)]
struct Found {
    /// By node; for a horizon with all pieces left but one.
    values: Vec<f64>,
    /// For a horizon, if kept: the values with 0, 1, 2, ... pieces left.
    stages: Vec<f64>,
    value: Value,
    bound: f64,
    sweeps: u64,
    changes: Vec<f64>,
    safe_boards: Option<u64>,
    classes: Option<u64>,
}

/// The value at the start.
#[derive(Clone, Copy, Default, PartialEq)]
enum Value {
    /// That of the values found.
    #[default]
    Found,
    /// Known in another way.
    Known(f64),
    Infinite,
}

impl<'a> Run<'a> {
    fn solve(&self) -> Result<Found, SolveError> {
        let space = self.space;
        let steps = self.given_steps(None)?;
        let dealt = self.dealt();
        let operator = Operator {
            space,
            deal: deal_of(self.settings.dealing),
            place: match (&steps, self.settings.placing) {
                (Some(steps), _) => Place::Given(steps),
                (None, Placing::Best) => Place::Best,
                (None, Placing::Average) => Place::Average,
            },
            rewards: rewards_of(self.game, self.settings.reward),
            discount: self.settings.objective.discount(),
            arrival: self.arrival(),
            given: None,
            within: None,
            dealt: dealt.as_deref(),
        };
        if self.settings.view != View::Grid {
            return self.view(&operator);
        }
        match self.settings.objective {
            Objective::Discounted(factor) => {
                let certificate = Certificate::Constant(1.0 / (1.0 - factor) * (1.0 + 1e-12));
                self.iterate(&operator, certificate, self.first_values(0.0))
            }
            Objective::Horizon(pieces) => self.horizon(&operator, pieces),
            Objective::Total => self.total(&operator),
            Objective::Average => self.average(&operator),
            Objective::Survive => self.survive(&operator),
        }
    }

    fn arrival(&self) -> Option<Vec<f64>> {
        let reward = self.settings.reward.filter(|reward| reward.height != 0.0 || reward.gaps != 0.0)?;
        let index = &self.space.index;
        Some((0..index.len()).map(|board| arrival_of(self.game, reward, index.board(board))).collect())
    }

    /// The steps of the given player for each board and move.
    fn given_steps(&self, left: Option<u32>) -> Result<Option<Vec<u32>>, SolveError> {
        let Some(player) = self.sides.player else { return Ok(None) };
        let (space, supply) = (self.space, &self.space.supply);
        let count = supply.moves.len();
        // Without hold, each move belongs to one hand.
        let mut hand_of = vec![0; count];
        for (number, hand) in supply.hands.iter().enumerate() {
            hand_of[hand.moves[0] as usize] = number;
        }
        let mut steps = vec![Step::FATAL.0; space.index.len() * count];
        let wrong = std::sync::atomic::AtomicBool::new(false);
        steps.par_chunks_mut(count).enumerate().for_each(|(number, steps)| {
            let board = space.index.board(number);
            let mut active = vec![true; count];
            space.mark_moves(number, &mut active);
            for (step, move_number) in steps.iter_mut().zip(0..count).filter(|(_, number)| active[*number]) {
                let hand = &supply.hands[hand_of[move_number]];
                let seen = 0..self.settings.preview + 1;
                let (queue, states) = (&hand.queue[seen.clone()], &hand.states[seen]);
                let hand = InHand { queue, states, held: hand.held, left };
                let Some(placement) = player.place(board, &hand) else { continue };
                let mut legal = false;
                board.placements(self.game, hand.queue[0] as usize, |known| legal |= known == placement);
                if !legal {
                    wrong.store(true, std::sync::atomic::Ordering::Relaxed);
                    continue;
                }
                let outcome = board.place_unchecked(self.game, placement);
                *step = space.step(outcome.board, outcome.fatal, outcome.lines()).0;
            }
        });
        if wrong.into_inner() {
            return Err(SolveError::Unsupported(
                "the given player made a placement that is not legal".into(),
            ));
        }
        Ok(Some(steps))
    }

    /// The given dealer's answer in each node, as a place in the list of deals.
    fn dealt(&self) -> Option<Vec<u8>> {
        let dealer = self.sides.dealer?;
        let (space, contexts) = (self.space, self.space.contexts());
        let answer = |node: usize| {
            let context = &space.supply.contexts[node % contexts];
            let piece = dealer.deal(space.index.board(node / contexts), context.state, &context.queue);
            context.deals.iter().position(|deal| Some(deal.piece) == piece).unwrap_or(0) as u8
        };
        Some((0..space.nodes()).into_par_iter().map(answer).collect())
    }

    fn first_values(&self, value: f64) -> Vec<f64> {
        match self.resume {
            Some(table) => table.node_values(self.space),
            None => vec![value; self.space.nodes()],
        }
    }

    /// The value at the start.
    fn value(&self, values: &[f64]) -> f64 {
        let at = |context: u32| values[self.space.node(self.space.start, context).unwrap_or(0)];
        self.space.supply.opening_value(deal_of(self.settings.dealing), &at)
    }

    /// Iterates the operator to its fixed point.
    fn iterate(
        &self,
        operator: &Operator<'_>,
        certificate: Certificate,
        values: Vec<f64>,
    ) -> Result<Found, SolveError> {
        let sweeps = self.resume.map_or(0, |table| table.finished().sweeps);
        let state = State { values, sweeps, bound: f64::INFINITY, changes: Vec::new() };
        let plan = Plan {
            method: self.settings.method,
            certificate,
            value: &|values| self.value(values),
            wanted: &|value| self.settings.wanted(value),
            keep: &|state| self.keep(state),
            watch: self.watch,
        };
        let State { values, sweeps, bound, changes } = fixed_point::solve(operator, &plan, state)?;
        Ok(Found { values, sweeps, bound, changes, ..Found::default() })
    }

    fn keep(&self, state: &State) {
        if self.watch.wants_snapshot() {
            let value = Some(self.value(&state.values));
            let finished = Finished { value, error_bound: state.bound, sweeps: state.sweeps };
            self.watch.snapshot(&Snapshot::new(self.settings, finished, self.space, &state.values));
        }
    }

    fn horizon(&self, operator: &Operator<'_>, pieces: u32) -> Result<Found, SolveError> {
        let nodes = self.space.nodes();
        let mut stages = Vec::new();
        let mut values = vec![0.0; nodes];
        let mut next = vec![0.0; nodes];
        let mut changes = Vec::new();
        let mut bound = 0.0;
        let by_time = self.sides.player.is_some_and(Policy::depends_on_time);
        // The last operator application belongs to the first piece: the report makes it.
        for left in 1..=pieces {
            if self.settings.keep_stages || self.settings.reward.is_some() {
                stages.extend_from_slice(&values);
            }
            if left == pieces {
                break;
            }
            let change = if by_time {
                let steps = self.given_steps(Some(left))?.unwrap_or_default();
                let place = Place::Given(&steps);
                Operator { place, arrival: operator.arrival.clone(), ..*operator }.apply(&values, &mut next)
            } else {
                operator.apply(&values, &mut next)
            };
            std::mem::swap(&mut values, &mut next);
            bound += operator.rounding(change.largest);
            changes.push(change.most());
            if left % 64 == 0 {
                let progress = Progress {
                    phase: Phase::Solve,
                    boards: self.space.index.len() as u64,
                    sweeps: u64::from(left),
                    bound: Some(bound),
                    ..Progress::default()
                };
                self.watch.progress(&progress);
            }
            if !self.watch.go_on() {
                return Err(SolveError::Interrupted);
            }
        }
        let largest = values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        bound += operator.rounding(largest);
        Ok(Found { values, stages, bound, sweeps: u64::from(pieces), changes, ..Found::default() })
    }

    fn total(&self, operator: &Operator<'_>) -> Result<Found, SolveError> {
        let rows = self.most_rows();
        let every_clear_pays = operator.rewards[1..=rows].iter().all(|points| *points > 0.0);
        let safe = graph::safe(operator, self.watch)?;
        let endless =
            if every_clear_pays { safe.copy() } else { graph::endless(operator, &safe, self.watch)? };
        let adversary = operator.deal == Deal::Least;
        if !endless.is_empty() {
            let infinite = if adversary {
                self.start_nodes().all(|node| endless.contains(node))
            } else {
                graph::reaches(operator, &endless, self.start_nodes())
            };
            if infinite {
                let values = vec![0.0; self.space.nodes()];
                return Ok(Found { values, value: Value::Infinite, ..Found::default() });
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
        });
        // Nodes of infinite value that a worst dealer avoids.
        let given = (!endless.is_empty()).then_some((&endless, f64::INFINITY));
        let mut values = values;
        if given.is_some() {
            (0..values.len())
                .filter(|node| endless.contains(*node))
                .for_each(|node| values[node] = f64::INFINITY);
        }
        let operator = Operator { given, arrival: None, ..*operator };
        self.iterate(&operator, certificate, values)
    }

    /// A ranking found by iteration: the values of a reward of 1 per piece, against a dealer who helps.
    fn ranking(&self, operator: &Operator<'_>, safe: Option<&Bits>) -> Result<Certificate, SolveError> {
        let deal = match operator.deal {
            Deal::Mean => Deal::Mean,
            Deal::Mixed(share) => Deal::Friendly(share),
            Deal::Least | Deal::Friendly(_) => Deal::Friendly(1.0),
        };
        let given = safe.map(|safe| (safe, 0.0));
        let ranking = Operator { deal, rewards: [1.0; 8], given, arrival: None, ..*operator };
        let plan = Plan {
            method: self.settings.method,
            certificate: Certificate::Residual,
            value: &|values| self.value(values),
            wanted: &|_| 0.1,
            keep: &|_| {},
            watch: self.watch,
        };
        let values = vec![0.0; self.space.nodes()];
        let state = State { values, sweeps: 0, bound: f64::INFINITY, changes: Vec::new() };
        let state = fixed_point::solve(&ranking, &plan, state)?;
        Ok(Certificate::Ranking { rank: self.value(&state.values), residual: state.bound })
    }

    fn survive(&self, operator: &Operator<'_>) -> Result<Found, SolveError> {
        let safe = graph::safe(operator, self.watch)?;
        let contexts = self.space.contexts();
        let is_safe = |board: usize| {
            let nodes = board * contexts..(board + 1) * contexts;
            nodes.clone().any(|node| safe.contains(node))
                && nodes.into_iter().all(|node| safe.contains(node) || !self.space.is_reached(node))
        };
        let boards = 0..self.space.index.len();
        let safe_boards = boards.into_par_iter().filter(|b| is_safe(*b)).map(|b| self.space.weight(b)).sum();
        let mut values = vec![0.0; self.space.nodes()];
        (0..values.len()).filter(|node| safe.contains(*node)).for_each(|node| values[node] = 1.0);
        let mut found = if operator.deal == Deal::Least || safe.is_empty() {
            Found { values, ..Found::default() }
        } else {
            let operator =
                Operator { rewards: [0.0; 8], arrival: None, given: Some((&safe, 1.0)), ..*operator };
            let ranking = self.ranking(&operator, Some(&safe))?;
            self.iterate(&operator, ranking, values)?
        };
        if self.start_nodes().all(|node| safe.contains(node)) {
            found.bound = 0.0;
        }
        Ok(Found { safe_boards: Some(safe_boards), ..found })
    }

    fn average(&self, operator: &Operator<'_>) -> Result<Found, SolveError> {
        let safe = graph::safe(operator, self.watch)?;
        let nodes = self.space.nodes();
        let inside = self.start_nodes().all(|node| safe.contains(node));
        if safe.is_empty() || operator.deal == Deal::Least && !inside {
            // The game ends whatever the player does: nothing per piece in the long run.
            return Ok(Found { values: vec![0.0; nodes], value: Value::Known(0.0), ..Found::default() });
        }
        // The chance of getting to where one can stay, times what is gained there per piece.
        let (reach, reach_bound) = if inside {
            (1.0, 0.0)
        } else {
            let found = self.survive(operator)?;
            (self.value(&found.values), found.bound)
        };
        let operator = Operator { within: Some(&safe), arrival: None, ..*operator };
        let mut values = vec![0.0; nodes];
        let mut next = vec![0.0; nodes];
        let reference = (0..nodes).find(|node| safe.contains(*node)).unwrap_or(0);
        let mut changes = Vec::new();
        for sweeps in 1.. {
            let change = operator.apply(&values, &mut next);
            let rounding = operator.rounding(change.largest);
            let (low, high) = (change.least - rounding, change.rise.max(change.least) + rounding);
            let (gain, bound) = ((low + high) / 2.0, (high - low) / 2.0);
            changes.push(change.most());
            let value = gain * reach;
            let bound = bound + gain.abs() * reach_bound + reach_bound * bound;
            self.watch.progress(&Progress {
                phase: Phase::Solve,
                boards: self.space.index.len() as u64,
                sweeps,
                value: Some(value),
                bound: Some(bound),
                wanted: self.settings.wanted(value),
            });
            let floor = high - low <= 8.0 * rounding;
            if bound <= self.settings.wanted(value) || floor || sweeps >= MOST_AVERAGE_SWEEPS {
                // Whoever plays by these values must not leave the safe nodes.
                (0..nodes).filter(|node| !safe.contains(*node)).for_each(|node| values[node] = -1e18);
                let value = Value::Known(value);
                return Ok(Found { values, value, bound, sweeps, changes, ..Found::default() });
            }
            if !self.watch.go_on() {
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

    fn view(&self, operator: &Operator<'_>) -> Result<Found, SolveError> {
        let classes = view::Classes::new(self.space, self.settings.view);
        let solved =
            view::solve(operator, &classes, self.settings, self.watch, &|values| self.value(values))?;
        let view::Solved { values, stages, value, bound, sweeps, changes } = solved;
        let value = value.map_or(Value::Found, Value::Known);
        let classes = Some(classes.len() as u64);
        Ok(Found { values, stages, value, bound, sweeps, changes, classes, ..Found::default() })
    }

    fn start_nodes(&self) -> impl Iterator<Item = usize> + '_ {
        let contexts = self.space.supply.first_contexts().into_iter();
        contexts.filter_map(|context| self.space.node(self.space.start, context))
    }

    /// The most rows that one piece can clear.
    fn most_rows(&self) -> usize {
        let pieces = self.space.supply.moves.iter().map(|step| &self.game.pieces()[step.piece as usize]);
        let shapes = pieces.flat_map(bellmino_engine::Piece::rotations);
        shapes.map(bellmino_engine::Shape::height).max().unwrap_or(1).min(7)
    }

    /// The figures, with one more pass for the mean over all states.
    fn report(&self, found: &Found, explore_seconds: f64, begin: Instant) -> Result<Report, SolveError> {
        let (space, supply) = (self.space, &self.space.supply);
        let left = match self.settings.objective {
            Objective::Horizon(pieces) => Some(pieces),
            _ => None,
        };
        let by_time = self.sides.player.is_some_and(Policy::depends_on_time);
        let steps = self.given_steps(left.filter(|_| by_time))?;
        let dealt = self.dealt();
        let objective = self.settings.objective;
        let survive = objective == Objective::Survive;
        let operator = Operator {
            space,
            deal: deal_of(self.settings.dealing),
            place: match (&steps, self.settings.placing) {
                (Some(steps), _) => Place::Given(steps),
                (None, Placing::Best) => Place::Best,
                (None, Placing::Average) => Place::Average,
            },
            rewards: if survive { [0.0; 8] } else { rewards_of(self.game, self.settings.reward) },
            discount: objective.discount(),
            arrival: self.arrival(),
            given: None,
            within: None,
            dealt: dealt.as_deref(),
        };
        let nothing_left = left == Some(0);
        let tally = |board: usize, room: &mut crate::bellman::Scratch| {
            operator.moves(board, &found.values, room);
            operator.hands(room);
            let weight = space.weight(board) as f64;
            let mut tally = Tally::default();
            let mut seen = vec![false; supply.hands.len()];
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
        let tallies: Vec<Tally> = (0..space.index.len().div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| {
                let mut room = operator.scratch();
                let boards = chunk * CHUNK..((chunk + 1) * CHUNK).min(space.index.len());
                boards.map(|board| tally(board, &mut room)).fold(Tally::default(), Tally::join)
            })
            .collect();
        let all = tallies.into_iter().fold(Tally::default(), Tally::join);

        let start = space.index.number(space.canonical(space.start).0).unwrap_or(0) as usize;
        let mut room = operator.scratch();
        operator.moves(start, &found.values, &mut room);
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
        let by_first = supply.value_by_first_piece(deal, &context_value, &hand_value);
        let by_first = by_first.into_iter().map(|(piece, by_piece)| {
            let by_piece = match found.value {
                _ if nothing_left => Some(0.0),
                Value::Infinite => None,
                Value::Known(value) if objective == Objective::Average => Some(value),
                Value::Known(_) | Value::Found => Some(by_piece).filter(|value| value.is_finite()),
            };
            (self.game.pieces()[piece as usize].name().to_owned(), by_piece)
        });
        let mean = if nothing_left { 0.0 } else { all.sum / all.states };
        let has_mean = objective != Objective::Average && found.value != Value::Infinite && mean.is_finite();
        let mut report = Report {
            boards: self.boards,
            states: all.states as u64,
            dead_states: all.dead as u64,
            sweeps: found.sweeps,
            value,
            error_bound: if nothing_left { 0.0 } else { found.bound },
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
        if self.settings.view != View::Grid || self.settings.reward.is_some() {
            self.add_true_values(found, &mut report)?;
        }
        report.solve_seconds = begin.elapsed().as_secs_f64();
        Ok(report)
    }

    /// What the greedy policy for other values than points is worth in points.
    fn add_true_values(&self, found: &Found, report: &mut Report) -> Result<(), SolveError> {
        let (game, settings) = (self.game, self.settings);
        let finished =
            Finished { value: report.value, error_bound: report.error_bound, sweeps: report.sweeps };
        let keep = Settings { keep_stages: !found.stages.is_empty(), ..settings.clone() };
        let copy = Space::explore(game, self.space.supply.clone(), self.space.start, None, self.watch)?;
        let table = Table::new(&keep, finished, copy, found.values.clone(), found.stages.clone());
        let plain = Settings { view: View::Grid, reward: None, ..settings.clone() };
        let sides = Sides { player: Some(&table), dealer: None };
        let random = Settings { dealing: Dealing::Random, ..plain.clone() };
        let truth = solve_between(game, &random, sides, None, self.watch)?.report;
        report.true_value = Some(truth.value);
        report.true_error_bound = Some(truth.error_bound);
        if settings.reward.is_some() {
            let worst = Settings { dealing: Dealing::Worst, ..plain };
            report.true_worst_value =
                Some(solve_between(game, &worst, sides, None, self.watch)?.report.value);
        }
        Ok(())
    }
}

/// A chain with several ends that gain differently never settles; then the bound says so.
const MOST_AVERAGE_SWEEPS: u64 = 20_000;

#[derive(Clone, Copy, Default)]
struct Tally {
    states: f64,
    dead: f64,
    sum: f64,
}

impl Tally {
    fn join(self, other: Tally) -> Tally {
        Tally { states: self.states + other.states, dead: self.dead + other.dead, sum: self.sum + other.sum }
    }
}

/// A board of the game as it is packed, if it is one.
pub fn packed(game: &PlacementGame, board: &Board) -> Option<PackedBoard> {
    let fits = PackedBoard::fits(game) && (board.width(), board.height()) == (game.width(), game.height());
    fits.then(|| PackedBoard::from_board(board))
}
