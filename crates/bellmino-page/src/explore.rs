//! Exploring small games: solved exactly while one looks, every placement with its value.

mod contest;
mod frontier;
mod look;
mod map;
mod request;

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bellmino_engine::placement::{
    Board, BoardError, CATALOGUE, Overflow, Path, Piece, PlayError, Shape, WrittenDealer,
};
use bellmino_engine::{Game, PlacementGame, RecordError};
use bellmino_exact::{
    Abstraction, FindStatesError, Objective, SolveReport, SolveSettings, Table, TableError, solve_between,
};
use bellmino_lab::load::{LoadError, read_game};
use bellmino_lab::{Chooser, INFINITE_TOTAL, SolvePlan};
use serde_json::{Number, Value, json};
use thiserror::Error;

use crate::catalogue::{describe, shape};
use crate::collection::{Collection, LibraryError};
use crate::desk::{Desk, Impatience, Patience};

pub use frontier::{FrontierFamily, frontier};
pub use map::MapOrder;
pub use request::{ExplorePosition, ExploreRequest, GameOrder, SolveOrder};

/// Memory of one solution while it is found; one is found at a time.
pub const MAX_MEMORY: u64 = 128 << 20;

/// How long one solution may take.
pub const MAX_TIME: Duration = Duration::from_secs(60);

/// The most pieces that are known beyond the current one.
const MAX_PREVIEW: usize = 8;

/// A solved game.
pub struct SolvedGame {
    table: Table,
    /// A player who is evaluated instead of the best one.
    player: Option<Arc<Chooser>>,
    /// A table that deals instead of the game's own dealer.
    dealer: Option<Table>,
    bytes: u64,
}

/// Why the explorer has no answer.
#[derive(Debug, Error)]
pub enum ExploreError {
    /// There is no such game, player or table.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// A game of the page's own with problems.
    #[error(transparent)]
    Game(#[from] LoadError),
    /// A guideline game.
    #[error("this game cannot be solved exactly; choose one of placements")]
    Guideline,
    /// A word of the question that means nothing.
    #[error("{field}: {why}")]
    Word {
        /// Which one.
        field: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// So many pieces cannot be known beforehand.
    #[error("pieces known ahead: {0} is not a whole number from 0 to {MAX_PREVIEW}")]
    Preview(Number),
    /// A bound that is no number above 0.
    #[error("the wanted bound is a positive number")]
    Epsilon,
    /// It was not solved.
    #[error(transparent)]
    Solve(#[from] Impatience),
    /// A table that lost something on its way.
    #[error("{0} did not come whole")]
    NotWhole(String),
    /// A table that is none.
    #[error("{0} {1}")]
    Table(String, TableError),
    /// A table whose solver was interrupted.
    #[error("{0} is an unfinished table")]
    Unfinished(String),
    /// A board that is none.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// A sign on a board that stands for no cell.
    #[error("board: `{0}` is no cell; write # for a filled cell and . for an empty one")]
    Cell(char),
    /// Nothing can be compared.
    #[error("{INFINITE_TOTAL}; choose the average per piece, survival or a discount")]
    Infinite,
    /// A number of no piece.
    #[error("there is no such piece")]
    NoPiece,
    /// Pieces that this dealer does not deal.
    #[error(transparent)]
    States(#[from] FindStatesError),
    /// The table does not say what to deal.
    #[error("the dealer has no answer to this position")]
    NoDeal,
    /// Cells of no placement.
    #[error("there is no such placement")]
    NoPlacement,
    /// A move that the rules refuse.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// A contest that cannot be written down.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A frontier for an objective that has none.
    #[error("the frontier needs a discount or a number of pieces")]
    Frontier,
}

impl SolvedGame {
    /// Solves a game; also its figures.
    pub fn solve(
        question: &SolveOrder,
        library: &dyn Collection,
        desk: &dyn Desk,
    ) -> Result<(SolvedGame, Value), ExploreError> {
        let game = question.game.read(library)?;
        let plan = question.plan(&game, library)?;
        let patience = Patience::new(desk, MAX_TIME);
        let solution = solve_between(&game, &plan.settings, plan.sides(), None, &patience);
        let solution = solution.map_err(|error| patience.explain(error))?;
        let mut told = figures(&solution.report);
        let (player, dealer) = plan.into_given();
        let solved = SolvedGame::new(solution.table, player, dealer);
        solved.add_facts(&mut told);
        Ok((solved, told))
    }

    /// Opens a table of the library, written by `solve -o`; also its game and its figures.
    pub fn open(name: &str, library: &dyn Collection) -> Result<(SolvedGame, Value), ExploreError> {
        Ok(SolvedGame::opened(library.table(name)?))
    }

    /// The same for a table that the page itself sends, in base 64.
    pub fn read(name: &str, data: &str) -> Result<(SolvedGame, Value), ExploreError> {
        let bytes = STANDARD.decode(data).map_err(|_| ExploreError::NotWhole(name.to_owned()))?;
        let table = Table::read(bytes).map_err(|error| ExploreError::Table(name.to_owned(), error))?;
        if !table.is_finished() {
            return Err(ExploreError::Unfinished(name.to_owned()));
        }
        Ok(SolvedGame::opened(table))
    }

    fn opened(table: Table) -> (SolvedGame, Value) {
        let (settings, finished) = (table.settings(), table.finished());
        let mut told = json!({
            "game": rules(table.game()),
            "placer": settings.placing.to_string(),
            "view": settings.view.to_string(),
            "reward": settings.reward.map(|reward| reward.to_string()),
            "preview": settings.preview,
            "hold": settings.hold,
            "from": settings.from.map(|board| rows_of(&board)),
            "value": worth(finished.value.unwrap_or(f64::INFINITY)),
            "value_of": if settings.view == Abstraction::Grid { "game" } else { "model" },
            "error_bound": finished.error_bound,
            "sweeps": finished.sweeps,
        });
        let solved = SolvedGame::new(table, None, None);
        solved.add_facts(&mut told);
        (solved, told)
    }

    fn new(table: Table, player: Option<Arc<Chooser>>, dealer: Option<Table>) -> SolvedGame {
        let playing = player.as_deref().and_then(Chooser::table);
        let others = playing.into_iter().chain(&dealer).map(Table::bytes);
        let bytes = table.bytes() + others.sum::<u64>();
        SolvedGame { table, player, dealer, bytes }
    }

    /// As if it took so much memory.
    #[cfg(test)]
    pub fn of_bytes(bytes: u64) -> SolvedGame {
        let game = bellmino_lab::load::built_in_game("mini", &[]).unwrap();
        let settings = SolveSettings::new(Objective::Discounted(0.5));
        let solution =
            bellmino_exact::solve(game.placement().unwrap(), &settings, &bellmino_exact::Silent).unwrap();
        SolvedGame { table: solution.table, player: None, dealer: None, bytes }
    }

    /// Its values.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The memory it takes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What the page needs to ask about positions.
    fn add_facts(&self, told: &mut Value) {
        let settings = self.table.settings();
        told["objective"] = json!(settings.objective.to_string());
        told["dealer"] = json!(settings.dealing.to_string());
        told["known"] = json!(self.table.queue() + 1);
        told["pieces"] = match settings.objective {
            Objective::Horizon(pieces) => json!(pieces),
            _ => Value::Null,
        };
        told["relative"] = json!(settings.objective == Objective::Average);
        told["above"] = json!(above(self.table.game()));
    }
}

impl GameOrder {
    /// The game, or everything that is wrong with it.
    pub fn read(&self, library: &dyn Collection) -> Result<PlacementGame, ExploreError> {
        let game = match &self.text {
            Some(text) => read_game("your game", text, &self.set)?,
            None => library.game(&self.name, &self.set)?,
        };
        match game {
            Game::Placement(game) => Ok(game),
            Game::Guideline(_) => Err(ExploreError::Guideline),
        }
    }

    /// What the page shows of its rules.
    pub fn describe(&self, library: &dyn Collection) -> Result<Value, ExploreError> {
        let mut told = rules(&self.read(library)?);
        let piece = |name: &str| Some(json!({ "name": name, "cells": shape(&Piece::catalogue(name)?) }));
        told["catalogue"] = CATALOGUE.iter().filter_map(|(name, _)| piece(name)).collect();
        Ok(told)
    }
}

impl SolveOrder {
    /// The words as settings with the given sides.
    fn plan<'a>(
        &self,
        game: &'a PlacementGame,
        library: &dyn Collection,
    ) -> Result<SolvePlan<'a>, ExploreError> {
        let objective: Objective = word("objective", &self.objective)?;
        let preview = match &self.preview {
            None => 0,
            Some(number) => match number.as_u64().and_then(|preview| usize::try_from(preview).ok()) {
                Some(preview) if preview <= MAX_PREVIEW => preview,
                _ => return Err(ExploreError::Preview(number.clone())),
            },
        };
        if self.epsilon.is_some_and(|epsilon| !(epsilon > 0.0 && epsilon.is_finite())) {
            return Err(ExploreError::Epsilon);
        }
        let mut asked = SolveSettings {
            preview,
            hold: self.hold,
            reward: self.reward.as_deref().map(|text| word("reward", text)).transpose()?,
            epsilon: self.epsilon,
            from: self.from.as_ref().map(|rows| board(game, rows)).transpose()?,
            memory: Some(MAX_MEMORY),
            // A page may ask about any number of pieces left.
            keep_stages: matches!(objective, Objective::Horizon(_)),
            ..SolveSettings::new(objective)
        };
        if let Some(text) = &self.placer {
            asked.placing = word("placer", text)?;
        }
        if let Some(text) = &self.view {
            asked.view = word("view", text)?;
        }
        if let Some(text) = &self.method {
            asked.method = word("method", text)?;
        }
        let dealer = self.dealer.as_deref().unwrap_or("random");
        Ok(library.plan(game, asked, dealer, self.player.as_deref())?)
    }
}

/// A word of a question; what is wrong is told with the name of its field.
fn word<T: FromStr<Err: std::fmt::Display>>(field: &'static str, text: &str) -> Result<T, ExploreError> {
    text.parse().map_err(|error: T::Err| ExploreError::Word { field, why: error.to_string() })
}

/// What the page shows of a game's rules: all that is in its file.
fn rules(game: &PlacementGame) -> Value {
    let name = |names: &[(&'static str, bool)]| names.iter().find(|(_, is)| *is).map(|(name, _)| *name);
    let landing = game.landing();
    let mut told = describe(&Game::Placement(game.clone()));
    told["dealer"] = match game.dealer().written() {
        WrittenDealer::Weighted { weights } => json!({ "kind": "weighted", "weights": weights }),
        WrittenDealer::Markov { matrix, first } => {
            json!({ "kind": "markov", "matrix": matrix, "first": first })
        }
        WrittenDealer::Bag => json!({ "kind": "bag" }),
        WrittenDealer::Sequence { order } => json!({ "kind": "sequence", "order": order }),
        WrittenDealer::Board(dealer) => json!({ "kind": dealer.name() }),
    };
    told["landing"] = json!({
        "path": name(&Path::NAMES.map(|(name, path)| (name, path == landing.path))),
        "overflow": name(&Overflow::NAMES.map(|(name, overflow)| (name, overflow == landing.overflow))),
    });
    told["above"] = json!(above(game));
    told["file"] = json!(game.to_toml());
    told
}

/// How many rows above the top a placement can fill.
fn above(game: &PlacementGame) -> usize {
    let rotations = game.pieces().iter().flat_map(Piece::rotations);
    match game.landing().overflow {
        Overflow::Forbidden => 0,
        Overflow::ClearFirst | Overflow::EndFirst => rotations.map(Shape::height).max().unwrap_or(0),
    }
}

/// The figures of a solution.
fn figures(report: &SolveReport) -> Value {
    let changes: Vec<(u64, f64)> = report.changes.iter().map(|one| (one.sweep, one.change)).collect();
    let maybe = |value: Option<f64>| worth(value.unwrap_or(f64::INFINITY));
    let by_first = report.value_by_first_piece.iter();
    let by_first: Vec<Value> = by_first.map(|(name, value)| json!([name, maybe(*value)])).collect();
    let shortfall = (!report.is_as_wanted()).then(|| {
        format!("proven within {:.1e} only, not within {:.1e}", report.error_bound, report.wanted_bound)
    });
    json!({
        "boards": report.boards,
        "states": report.states,
        "dead_states": report.dead_states,
        "value": maybe(report.value),
        "value_of": if report.is_of_model() { "model" } else { "game" },
        "error_bound": report.error_bound,
        "wanted_bound": report.wanted_bound,
        "shortfall": shortfall,
        "by_first_piece": by_first,
        "mean_value": report.mean_value,
        "safe_boards": report.safe_boards,
        "classes": report.classes,
        "true_value": report.true_value.map(maybe),
        "true_worst_value": report.true_worst_value.map(maybe),
        "sweeps": report.sweeps,
        "changes": changes,
        "seconds": report.explore_seconds + report.solve_seconds,
    })
}

/// A value as JSON, which has no infinite numbers: `infinite`, or `ends` where the game can end whatever one does.
fn worth(value: f64) -> Value {
    match value {
        f64::INFINITY => json!("infinite"),
        f64::NEG_INFINITY => json!("ends"),
        value => json!(value),
    }
}

/// A board from rows, bottom first.
fn board(game: &PlacementGame, rows: &[String]) -> Result<Board, ExploreError> {
    let drawn = |cell: char| match cell {
        '.' => Ok('.'),
        '#' | 'A'..='Z' => Ok('#'),
        other => Err(ExploreError::Cell(other)),
    };
    let mut drawing: Vec<String> =
        rows.iter().map(|row| row.chars().map(drawn).collect()).collect::<Result<_, _>>()?;
    drawing.reverse();
    Ok(Board::parse(game.width(), game.height(), &drawing.join("\n"))?)
}

fn rows_of(board: &Board) -> Vec<String> {
    let text = board.to_string().replace('#', "G");
    let mut rows: Vec<String> = text.lines().rev().map(str::to_owned).collect();
    while rows.last().is_some_and(|row| row.bytes().all(|cell| cell == b'.')) {
        rows.pop();
    }
    rows
}

#[cfg(test)]
mod tests;
