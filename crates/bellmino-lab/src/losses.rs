//! What each move of a recorded game gave away, exactly: the value of the best placement less that of the played one.

use bellmino_engine::placement::{Action, Board, Grid, Match, Placement, Record};
use bellmino_engine::{PlacementGame, RecordError};
use bellmino_exact::{Objective, PlacementValue, Solution, SolveError, SolveSettings, Watch, packed, solve};
use thiserror::Error;

use crate::player::with_hand;

/// The exact losses of a recorded game.
#[derive(Clone, Debug, PartialEq)]
pub struct LossReport {
    /// What the values are of.
    pub objective: Objective,
    /// The proven bound on the value of the game.
    pub error_bound: f64,
    /// The moves, in order; under `horizon:N` the first N.
    pub moves: Vec<MoveLoss>,
}

/// A move and what it gave away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveLoss {
    /// The board before it.
    pub board: Board,
    /// The played placement.
    pub played: Placement,
    /// Its value. Under `average` beside the best, and negative infinity where the game can end.
    pub value: f64,
    /// The first of the best placements.
    pub best: Placement,
    /// Its value.
    pub best_value: f64,
    /// How much more the best is worth: never negative, infinite if a game without end was given away.
    pub loss: f64,
}

/// Why the losses of a game cannot be told.
#[derive(Debug, Error)]
pub enum LossError {
    /// The record cannot be played again.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The game cannot be solved.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// Pieces could be held.
    #[error("the moves of a game with hold have no exact loss yet; give a record without")]
    Hold,
    /// No placement is worth more than another.
    #[error("the total of this game is infinite, whatever is placed; ask for average or discounted:L")]
    Infinite,
}

impl LossReport {
    /// The losses of a game against its own dealer, by the objective, or by the natural one: the total if it is finite,
    /// else the average, and where that has no proof `discounted:0.9`.
    ///
    /// ```
    /// use bellmino_engine::{Game, placement::{Action, Match, Record}};
    /// use bellmino_exact::{Objective, Silent};
    /// use bellmino_lab::LossReport;
    ///
    /// let game = Game::built_in("baby", &[]).unwrap()?.placement().unwrap().clone();
    /// let mut game: Match = Match::new(game, 1, 0);
    /// let placement = game.placements()[0];
    /// game.play(&placement).unwrap();
    /// let record = Record::of(&game, 1, 0, vec![Action::Place(placement)])?;
    /// let losses = LossReport::new(&record, Some(Objective::Discounted(0.9)), None, &Silent)?;
    /// assert!(losses.moves[0].loss >= 0.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(
        record: &Record,
        objective: Option<Objective>,
        memory: Option<u64>,
        watch: &dyn Watch,
    ) -> Result<LossReport, LossError> {
        if record.hold {
            return Err(LossError::Hold);
        }
        let game = record.rules()?;
        let solved = |objective| {
            let settings = SolveSettings {
                preview: record.previews,
                memory,
                keep_stages: true,
                ..SolveSettings::new(objective)
            };
            solve(&game, &settings, watch)
        };
        let solution = match objective {
            Some(objective) => solved(objective)?,
            None => natural(solved)?,
        };
        if solution.report.is_infinite() {
            return Err(LossError::Infinite);
        }
        let objective = solution.table.settings().objective;
        let mut moves = Vec::new();
        let mut unknown = None;
        record.replay(|game, action| {
            let left = match objective {
                Objective::Horizon(pieces) => Some(pieces.saturating_sub(moves.len() as u32)),
                _ => None,
            };
            let Action::Place(played) = action else { return };
            if left == Some(0) {
                return;
            }
            match loss(&solution, game, played, left) {
                Some(loss) => moves.push(loss),
                None => unknown = unknown.or(Some(moves.len() + 1)),
            }
        })?;
        match unknown {
            Some(number) => Err(LossError::Record(RecordError::Placement {
                number,
                why: "this position cannot come up in the game as it was solved".to_owned(),
            })),
            None => Ok(LossReport { objective, error_bound: solution.report.error_bound, moves }),
        }
    }

    /// All that was given away, each move at its own worth.
    pub fn total(&self) -> f64 {
        self.moves.iter().map(|one| one.loss).sum()
    }
}

/// The solution for the objective that suits a game.
fn natural(solved: impl Fn(Objective) -> Result<Solution, SolveError>) -> Result<Solution, SolveError> {
    match solved(Objective::Total) {
        Ok(solution) if !solution.report.is_infinite() => return Ok(solution),
        Ok(_) | Err(SolveError::Unsupported(_)) => {}
        Err(error) => return Err(error),
    }
    match solved(Objective::Average) {
        Ok(solution) if solution.report.error_bound < WORST_AVERAGE => Ok(solution),
        Ok(_) | Err(SolveError::Unsupported(_)) => solved(Objective::Discounted(0.9)),
        Err(error) => Err(error),
    }
}

/// An average that is known no better than this says nothing about single moves.
const WORST_AVERAGE: f64 = 1e-6;

/// What a placement gave away in a match; `None` if the position is not among the solved ones.
fn loss(solution: &Solution, game: &Match, played: Placement, left: Option<u32>) -> Option<MoveLoss> {
    let table = &solution.table;
    let rules: &PlacementGame = game.game();
    let board = game.board().to_board(rules);
    let packed = packed(rules, &board)?;
    let values = with_hand(table, game, left, |hand| table.look(packed, hand))?.placements;
    let average = table.settings().objective == Objective::Average;
    let worth = |placement: Placement| {
        let found = values.iter().find(|one| one.placement == placement)?;
        let PlacementValue { value, fatal, .. } = *found;
        Some(if fatal && average { f64::NEG_INFINITY } else { value })
    };
    let best = table.best_of(&values)?;
    let (value, best_value) = (worth(played)?, worth(best)?);
    let loss = if value < best_value { best_value - value } else { 0.0 };
    Some(MoveLoss { board, played, value, best, best_value, loss })
}
