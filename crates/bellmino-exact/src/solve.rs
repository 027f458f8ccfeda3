//! Solving a game: from settings to a solution with its proven bound.

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::{Board, Grid, PackedBoard};
use thiserror::Error;

use crate::clock::Stopwatch;
use crate::memory::{bytes_needed, check_memory, counted, estimate, human};
use crate::report::SolveReport;
use crate::run::{Findings, Run};
use crate::settings::{Abstraction, Dealing, Objective, Placing, SolveMethod, SolveSettings};
use crate::sides::{DealerPolicy, OnTable, Policy, Sides};
use crate::space::{MAX_BOARDS, Space, Within};
use crate::supply::Supply;
use crate::table::{RunStatus, Table};
use crate::watch::Watch;

/// Solves a game exactly.
///
/// ```
/// use bellmino_engine::Game;
/// use bellmino_exact::{Objective, Silent, SolveSettings, solve};
///
/// let game = Game::built_in("baby", &[]).unwrap().unwrap();
/// let solution = solve(game.placement().unwrap(), &SolveSettings::new(Objective::Discounted(0.9)), &Silent)?;
/// assert_eq!(solution.report.boards, 12978);
/// assert!((solution.report.mean_value.unwrap() - 4.151086).abs() < 1e-6);
/// # Ok::<(), bellmino_exact::SolveError>(())
/// ```
pub fn solve(
    game: &PlacementGame,
    settings: &SolveSettings,
    watch: &dyn Watch,
) -> Result<Solution, SolveError> {
    solve_between(game, settings, Sides::default(), None, watch)
}

/// Solves a game in which the player or the dealer, or both, are given; goes on with an unfinished table if there is one.
pub fn solve_between(
    game: &PlacementGame,
    settings: &SolveSettings,
    sides: Sides<'_>,
    resume: Option<&Table>,
    watch: &dyn Watch,
) -> Result<Solution, SolveError> {
    check(game, settings, &sides)?;
    if resume.is_some() && settings.method == SolveMethod::Plain {
        return Err(SolveError::Unsupported("the plain method begins at 0 and goes on with nothing".into()));
    }
    let found = find(game, settings, sides, resume, false, watch)?;
    let (report, space, Findings { values, stages, .. }) = found;
    let finished = RunStatus { value: report.value, error_bound: report.error_bound, sweeps: report.sweeps };
    let table = Table::new(settings, sides.given(), finished, space, values, stages);
    Ok(Solution { report, table })
}

/// What a given player is worth, from the boards alone that it can reach: the same value at the start as of
/// [`solve_between`], often with far fewer boards. The counts and the mean in the report are those of these boards, and
/// there is no table, since what others would do is not known.
pub fn evaluate_reached(
    game: &PlacementGame,
    settings: &SolveSettings,
    sides: Sides<'_>,
    watch: &dyn Watch,
) -> Result<SolveReport, SolveError> {
    check(game, settings, &sides)?;
    let refuse = |why: &str| Err(SolveError::Unsupported(why.to_owned()));
    let Some(player) = sides.player else {
        return refuse(
            "boards that are reached are those of a given player; the average of all reaches every board",
        );
    };
    if player.depends_on_time() {
        return refuse(
            "a player whose choice depends on how many pieces are left is evaluated on all boards",
        );
    }
    if settings.reward.is_some() {
        return refuse("a reward needs all boards");
    }
    Ok(find(game, settings, sides, None, true, watch)?.0)
}

/// Explores and solves; `only_reached` leaves out what the given player does not reach.
pub(crate) fn find<'game>(
    game: &'game PlacementGame,
    settings: &SolveSettings,
    sides: Sides<'_>,
    resume: Option<&Table>,
    only_reached: bool,
    watch: &dyn Watch,
) -> Result<(SolveReport, Space<'game>, Findings), SolveError> {
    let begin = Stopwatch::start();
    let space = explored(game, settings, sides, resume, only_reached, watch)?;
    let explore_seconds = begin.seconds();
    let run = Run { game, settings, space: &space, sides, watch, resume, boards: space.boards() };
    let begin = Stopwatch::start();
    let found = run.solve()?;
    let report = run.report(&found, explore_seconds, begin)?;
    Ok((report, space, found))
}

/// Explores, and makes ready for sweeps.
pub(crate) fn explored<'game>(
    game: &'game PlacementGame,
    settings: &SolveSettings,
    sides: Sides<'_>,
    resume: Option<&Table>,
    only_reached: bool,
    watch: &dyn Watch,
) -> Result<Space<'game>, SolveError> {
    let start = settings.from.map_or(PackedBoard::empty(game), |board| PackedBoard::from_board(&board));
    let symmetric = sides.player.is_none()
        && sides.dealer.is_none()
        && settings.view == Abstraction::Grid
        && start.mirrored(game) == start;
    let mut supply = Supply::new(game, settings.queue(), settings.hold, symmetric).map_err(|_| {
        SolveError::Unsupported(
            "more than 65,536 combinations of dealer state, known pieces and held piece".into(),
        )
    })?;
    if let Some(dealer) = sides.dealer {
        let left = match settings.objective {
            Objective::Horizon(pieces) if dealer.depends_on_time() => Some(pieces),
            _ => None,
        };
        let choose = |state, queue: &[u8]| {
            dealer.deal(start, &OnTable { state, queue, held: None, spent: false, left })
        };
        supply.deal_opening(game.dealer(), dealer.share(), &choose).ok_or_else(|| {
            SolveError::Unsupported("the given dealer has no answer for the first pieces".into())
        })?;
    }
    // How many boards a player reaches is known only when they are found.
    let layers = layers(settings).filter(|_| resume.is_none());
    let few = layers.is_some_and(|layers| layers < FEW_LAYERS);
    check_memory(game, &supply, settings, resume.is_some() || only_reached || few)?;
    let player = sides.player.filter(|_| only_reached).map(|player| (player, settings.seen_by(player)));
    let mut space = match resume {
        Some(table) if !table.answers(settings) => return Err(SolveError::ForeignTable),
        Some(table) => table.space(game, supply, start).ok_or(SolveError::ForeignTable)?,
        None => Space::explore(game, supply, start, Within { player, layers }, settings.memory, watch)?,
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
    if sides.player.is_none() {
        let limit = MAX_STORED.min(settings.memory.map_or(u64::MAX, |limit| limit - needed));
        // A fatal placement is nobody's choice; it counts only where all are equally likely.
        space.store_steps(settings.placing == Placing::Average, limit, watch)?;
    }
    if let Some(reward) = settings.reward {
        space.store_arrivals(reward);
    }
    Ok(space)
}

/// How many placements lead to the last boards that matter for the value at the start, where no others are asked about: what a
/// horizon leaves out is not looked for.
fn layers(settings: &SolveSettings) -> Option<u32> {
    let Objective::Horizon(pieces) = settings.objective else { return None };
    let is_from_start = !settings.keep_stages
        && settings.reward.is_none()
        && settings.view == Abstraction::Grid
        && settings.method != SolveMethod::Plain;
    is_from_start.then_some(pieces.saturating_sub(1))
}

/// With fewer placements the boards are few whatever the size of the board: they are found before memory is thought of.
const FEW_LAYERS: u32 = 4;

/// An exact solution: its figures, and the table that plays it.
#[derive(Debug)]
pub struct Solution {
    /// The figures.
    pub report: SolveReport,
    /// The values of all boards: plays as a player and as a dealer.
    pub table: Table,
}

/// Why a game was not solved.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SolveError {
    /// Told to stop.
    #[error("interrupted")]
    Interrupted,
    /// It would not fit into memory.
    #[error(
        "too big: {} {}, and the limit is {}",
        counted(*boards), human(*bytes), human(*limit)
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

pub(crate) fn check(
    game: &PlacementGame,
    settings: &SolveSettings,
    sides: &Sides<'_>,
) -> Result<(), SolveError> {
    let refuse = |why: &str| Err(SolveError::Unsupported(why.to_owned()));
    if let Some(dealer) = game.dealer().sees_board() {
        return Err(SolveError::Unsupported(format!(
            "the dealer `{}` sees the board and has no probabilities, so that the game cannot be solved; give it another one, such \
             as dealer.kind=weighted",
            dealer.name()
        )));
    }
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
    if settings.reward.is_some() && (settings.view != Abstraction::Grid || settings.hold) {
        return refuse("a reward goes with neither a view nor hold");
    }
    if settings.view != Abstraction::Grid {
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
    check_method(settings)?;
    if sides.player.is_some() && settings.hold {
        return refuse("a given player does not hold");
    }
    if sides.player.is_some() && settings.placing == Placing::Average {
        return refuse("either a player is given or placements are averaged");
    }
    if sides.dealer.is_some() && settings.dealing != Dealing::Random {
        return refuse("either a dealer is given or the worst one is sought");
    }
    if sides.dealer.is_some() && settings.hold {
        return refuse("a given dealer is not evaluated with hold: `evaluate` plays it");
    }
    let by_time = sides.player.is_some_and(Policy::depends_on_time)
        || sides.dealer.is_some_and(DealerPolicy::depends_on_time);
    if by_time && !matches!(settings.objective, Objective::Horizon(_)) {
        return refuse("who goes by the pieces left needs the objective horizon:N");
    }
    let adversary = matches!(settings.dealing, Dealing::Worst | Dealing::WorstBefore);
    if settings.objective == Objective::Survive && adversary && settings.placing == Placing::Average {
        return refuse("survive against a worst dealer needs the best placer or a given player");
    }
    Ok(())
}

/// Refuses methods and caps that do not go with what is asked.
fn check_method(settings: &SolveSettings) -> Result<(), SolveError> {
    let refuse = |why: &str| Err(SolveError::Unsupported(why.to_owned()));
    if settings.max_sweeps == Some(0) {
        return refuse("at least one sweep is needed");
    }
    if settings.max_sweeps.is_some() && matches!(settings.objective, Objective::Horizon(_)) {
        return refuse("horizon:N makes N sweeps; the most sweeps are for other objectives");
    }
    if settings.method == SolveMethod::Plain {
        if settings.view != Abstraction::Grid {
            return refuse("the plain method goes with no view");
        }
        if matches!(settings.objective, Objective::Average | Objective::Survive) {
            return refuse("the plain method is for discounted:L, horizon:N and total");
        }
    }
    Ok(())
}

/// A board of the game as it is packed, if it is one.
pub fn packed(game: &PlacementGame, board: &Board) -> Option<PackedBoard> {
    let fits = PackedBoard::fits(game) && (board.width(), board.height()) == (game.width(), game.height());
    fits.then(|| PackedBoard::from_board(board))
}
