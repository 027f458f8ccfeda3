//! Solved games, and policies whose value is exact.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::{Allowance, Board, Grid, PackedBoard, Placement};
use bellmino_envs::{Actions, OracleError, check_oracle};
use bellmino_exact::{InHand, Objective, PlacementValue, Policy, Table as ExactTable, find_states, packed};
use bellmino_host::files::write_whole;
use bellmino_host::read_finished_table;
use bellmino_lab::request::{SolveRequest, Solved, read};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::call::{Listeners, call, guarded, refuse};
use crate::game::{Game, piece_index};
use crate::request::{check_threads, failure, to_request, within};
use crate::value::to_python;

/// The values of a solved game.
#[pyclass(frozen, module = "bellmino._native")]
pub struct Table {
    pub table: Arc<ExactTable>,
}

/// A board of a game from a drawing.
pub fn read_board(game: &PlacementGame, text: &str) -> PyResult<Board> {
    Board::parse(game.width(), game.height(), text).map_err(refuse)
}

impl Table {
    fn pieces(&self, names: &[String]) -> PyResult<Vec<u8>> {
        names.iter().map(|name| piece_index(self.table.game(), name)).collect()
    }

    /// Refuses a table in which more than the piece makes the hand.
    fn by_piece(&self) -> PyResult<()> {
        let game = self.table.game();
        let plain = self.table.queue() == 0 && !self.table.settings().hold;
        let known = |piece: usize| find_states(game, self.table.settings(), &[piece as u8], None).is_ok();
        if plain && (0..game.pieces().len()).all(known) {
            return Ok(());
        }
        Err(refuse(
            "the piece alone does not say what is in hand here (a bag, an order, a preview or hold); ask `placements`",
        ))
    }
}

#[pymethods]
impl Table {
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Table> {
        guarded(|| {
            let table = py.detach(|| read_finished_table(&path)).map_err(refuse)?;
            Ok(Table { table: Arc::new(table) })
        })
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        guarded(|| Ok(py.detach(|| write_whole(&path, |out| self.table.write(out)))?))
    }

    /// The game, with every default written out.
    fn to_toml(&self) -> String {
        self.table.game().to_toml()
    }

    #[getter]
    fn objective(&self) -> String {
        self.table.settings().objective.to_string()
    }

    #[getter]
    fn preview(&self) -> usize {
        self.table.settings().preview
    }

    #[getter]
    fn hold(&self) -> bool {
        self.table.settings().hold
    }

    /// Refuses a table that has not the optimal values of this very question; infinite ones are none either way.
    fn check(&self, game: &Bound<'_, Game>, objective: &str, previews: usize) -> PyResult<()> {
        let allowance = Allowance { previews, hold: false };
        match check_oracle(game.get().placement()?, allowance, &self.table) {
            Ok(()) | Err(OracleError::Infinite) => {}
            Err(error) => return Err(refuse(error)),
        }
        let settings = self.table.settings();
        let wanted: Objective = objective.parse().map_err(refuse)?;
        if settings.objective != wanted {
            return Err(refuse(format!("solved for {}, and asked is {wanted}", settings.objective)));
        }
        if settings.from.is_some_and(|from| from != Board::new(from.width(), from.height())) {
            return Err(refuse("solved from another board than the empty one"));
        }
        Ok(())
    }

    /// Value, bound and passes.
    #[getter]
    fn finished(&self) -> (Option<f64>, f64, u64) {
        let finished = self.table.finished();
        (finished.value, finished.error_bound, finished.sweeps)
    }

    /// Every placement of a hand with its value, the best first.
    fn placements(
        &self,
        py: Python<'_>,
        board: &str,
        pieces: Vec<String>,
        dealt: Option<Vec<String>>,
        held: Option<String>,
        left: Option<u32>,
    ) -> PyResult<Vec<Py<PyAny>>> {
        guarded(|| {
            let game = self.table.game();
            let board = read_board(game, board)?;
            let queue = self.pieces(&pieces)?;
            let dealt = dealt.map(|dealt| self.pieces(&dealt)).transpose()?;
            let held = held.map(|held| piece_index(game, &held)).transpose()?;
            if self.table.finished().value.is_none() {
                return Err(refuse(
                    "the total is infinite: no placement is worth more than another; ask for average, survive or \
                     discounted:L",
                ));
            }
            let states =
                find_states(game, self.table.settings(), &queue, dealt.as_deref()).map_err(refuse)?;
            let hand = InHand { queue: &queue, states: &states, held, left };
            let look = packed(game, &board).and_then(|board| self.table.look(board, &hand));
            let look = look.ok_or_else(|| {
                refuse("this board with these pieces cannot be reached from the start of the solved game")
            })?;
            let mut found = look.placements;
            found.sort_by(|a, b| a.fatal.cmp(&b.fatal).then(b.value.total_cmp(&a.value)));
            found.iter().map(|one| self.one(py, one)).collect()
        })
    }

    /// Every board as a number and as cells, and for each piece the best value and the action that has it.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        guarded(|| {
            self.by_piece()?;
            let (table, game) = (&*self.table, self.table.game());
            let (boards, cells, values, best) = py.detach(|| {
                let boards = table.boards();
                let actions = Actions::new(game);
                let pieces = game.pieces().len();
                let mut cells = vec![0; boards.len() * game.width() * game.height()];
                let mut values = Vec::with_capacity(boards.len() * pieces);
                let mut best = Vec::with_capacity(boards.len() * pieces);
                for (board, cells) in boards.iter().zip(cells.chunks_mut(game.width() * game.height())) {
                    draw(game, &board.to_board(game), cells);
                    for piece in 0..pieces {
                        let found = table.values_of_pieces(*board, &[piece as u8]).unwrap_or_default();
                        let chosen = table.best_of(&found);
                        let value = found.iter().find(|one| Some(one.placement) == chosen);
                        values.push(value.map_or(0.0, |one| one.value));
                        best.push(chosen.map_or(-1, |chosen| actions.number(&chosen) as i64));
                    }
                }
                (boards.iter().map(|board| board.0).collect::<Vec<u64>>(), cells, values, best)
            });
            let arrays = [
                PyArray1::from_vec(py, boards).into_py_any(py)?,
                PyArray1::from_vec(py, cells).into_py_any(py)?,
                PyArray1::from_vec(py, values).into_py_any(py)?,
                PyArray1::from_vec(py, best).into_py_any(py)?,
            ];
            PyTuple::new(py, arrays)
        })
    }

    /// Every board with every queue that may lie on the table there, nothing held: the boards as numbers, their cells, and
    /// the pieces of the queues, one after the other.
    fn queues<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        guarded(|| {
            let (table, game) = (&*self.table, self.table.game());
            let (boards, cells, queues) = py.detach(|| {
                let (mut boards, mut cells, mut queues) = (Vec::new(), Vec::new(), Vec::new());
                let mut drawn = vec![0; game.width() * game.height()];
                table.each_queue(|board, queue| {
                    if boards.last() != Some(&board.0) {
                        draw(game, &board.to_board(game), &mut drawn);
                    }
                    boards.push(board.0);
                    cells.extend_from_slice(&drawn);
                    queues.extend_from_slice(queue);
                });
                (boards, cells, queues)
            });
            let arrays = [
                PyArray1::from_vec(py, boards).into_py_any(py)?,
                PyArray1::from_vec(py, cells).into_py_any(py)?,
                PyArray1::from_vec(py, queues).into_py_any(py)?,
            ];
            PyTuple::new(py, arrays)
        })
    }

    /// The legal actions of each board and piece, one after the other.
    fn masks<'py>(
        &self,
        py: Python<'py>,
        boards: PyReadonlyArray1<'py, u64>,
        pieces: PyReadonlyArray1<'py, u8>,
    ) -> PyResult<Bound<'py, PyArray1<i8>>> {
        guarded(|| {
            let game = self.table.game();
            let (boards, pieces) = (boards.as_slice()?, pieces.as_slice()?);
            if boards.len() != pieces.len() {
                let (boards, pieces) = (boards.len(), pieces.len());
                return Err(refuse(format!("{boards} boards and {pieces} pieces; give as many")));
            }
            check_boards(game, boards)?;
            check_pieces(game, pieces)?;
            let actions = Actions::new(game);
            let mut mask = vec![0; boards.len() * actions.count()];
            for ((board, piece), mask) in boards.iter().zip(pieces).zip(mask.chunks_mut(actions.count())) {
                PackedBoard(*board).placements(game, *piece as usize, |at| mask[actions.number(&at)] = 1);
            }
            Ok(PyArray1::from_vec(py, mask))
        })
    }
}

impl Table {
    fn one(&self, py: Python<'_>, value: &PlacementValue) -> PyResult<Py<PyAny>> {
        let game = self.table.game();
        let Placement { piece, rotation, column, row } = value.placement;
        let dict = PyDict::new(py);
        dict.set_item("piece", game.pieces()[piece as usize].name())?;
        dict.set_item("rotation", rotation)?;
        dict.set_item("column", column)?;
        dict.set_item("row", row)?;
        dict.set_item("action", Actions::new(game).number(&value.placement))?;
        dict.set_item("held", value.held)?;
        dict.set_item("lines", value.lines)?;
        dict.set_item("points", value.points)?;
        dict.set_item("fatal", value.fatal)?;
        dict.set_item("value", value.value)?;
        dict.into_py_any(py)
    }
}

/// Writes a board as cells, the top row first.
pub fn draw(game: &PlacementGame, board: &Board, cells: &mut [u8]) {
    let (width, height) = (game.width(), game.height());
    for x in 0..width {
        for y in 0..height {
            cells[(height - 1 - y) * width + x] = u8::from(board.contains(x, y));
        }
    }
}

fn check_boards(game: &PlacementGame, boards: &[u64]) -> PyResult<()> {
    let cells = game.width() * game.height();
    if !PackedBoard::fits(game) || cells < 64 && boards.iter().any(|board| board >> cells != 0) {
        return Err(refuse("no board of this game has such a number"));
    }
    Ok(())
}

fn check_pieces(game: &PlacementGame, pieces: &[u8]) -> PyResult<()> {
    match pieces.iter().find(|piece| **piece as usize >= game.pieces().len()) {
        Some(piece) => Err(refuse(format!("there is no piece {piece}"))),
        None => Ok(()),
    }
}

/// The answer to `solve`, the table, and why the bound is not as good as was wanted, if it is not.
#[pyfunction]
#[pyo3(signature = (fields, threads=None, progress=None))]
pub fn solve(
    py: Python<'_>,
    fields: &Bound<'_, PyDict>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Py<PyAny>> {
    check_threads(threads)?;
    let request = to_request(fields)?;
    call(
        py,
        &Listeners { progress, step: None },
        move |session| {
            let request: SolveRequest = read(request).map_err(|error| failure(&error))?;
            within(session, None, threads, |context| request.solve(context, None))
        },
        |py, Solved { answer, table }| {
            let shortfall = answer.shortfall.as_ref().map(|error| failure(error).to_string());
            let answer = serde_json::to_value(answer).map_err(|error| refuse(&error))?;
            (to_python(py, &answer)?, Table { table: Arc::new(table) }, shortfall).into_py_any(py)
        },
    )
}

/// Value and bound, as `solve` has them, of a player who takes this action for this board and these pieces: as many for each
/// board, the current one first.
#[pyfunction]
#[pyo3(signature = (game, fields, boards, queues, actions, progress=None))]
pub fn solve_policy(
    py: Python<'_>,
    game: &Bound<'_, Game>,
    fields: &Bound<'_, PyDict>,
    boards: PyReadonlyArray1<'_, u64>,
    queues: PyReadonlyArray1<'_, u8>,
    actions: PyReadonlyArray1<'_, i64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Py<PyAny>> {
    let rules = game.get().placement()?;
    let choices = guarded(|| {
        let (boards, queues, actions) = (boards.as_slice()?, queues.as_slice()?, actions.as_slice()?);
        if boards.len() != actions.len() {
            let (boards, actions) = (boards.len(), actions.len());
            return Err(refuse(format!("{boards} boards and {actions} actions; give as many")));
        }
        let length = queues.len() / boards.len().max(1);
        if length * boards.len() != queues.len() || length == 0 && !boards.is_empty() {
            let (boards, pieces) = (boards.len(), queues.len());
            return Err(refuse(format!("{boards} boards and {pieces} pieces; give as many for each")));
        }
        check_boards(rules, boards)?;
        check_pieces(rules, queues)?;
        let ids = Actions::new(rules);
        let mut choices = HashMap::with_capacity(boards.len());
        for ((&board, queue), &action) in boards.iter().zip(queues.chunks(length.max(1))).zip(actions) {
            let (board, piece) = (PackedBoard(board), queue[0]);
            let chosen = usize::try_from(action).ok();
            let chosen = chosen.and_then(|action| ids.placement(rules, &board, piece, action));
            let chosen = chosen.ok_or_else(|| {
                let (drawn, name) = (board.to_board(rules), rules.pieces()[piece as usize].name());
                let drawn = drawn.to_string().replace('\n', "/");
                refuse(format!("action {action} is not legal for {name} on {drawn}"))
            })?;
            choices.insert((board, numbered(rules, queue)), chosen);
        }
        Ok(Choices { choices, game: rules.clone() })
    })?;
    let request = to_request(fields)?;
    call(
        py,
        &Listeners { progress, step: None },
        move |session| {
            let request: SolveRequest = read(request).map_err(|error| failure(&error))?;
            within(session, None, None, |context| request.solve(context, Some(&choices)))
        },
        |py, solved| (solved.answer.value, solved.answer.error_bound).into_py_any(py),
    )
}

/// A player by a list of what it does for each board and queue.
struct Choices {
    choices: HashMap<(PackedBoard, u64), Placement>,
    game: PlacementGame,
}

impl Policy for Choices {
    fn place(&self, board: PackedBoard, hand: &InHand<'_>) -> Option<Placement> {
        self.choices.get(&(board, numbered(&self.game, hand.queue))).copied()
    }
}

/// A queue as a number. Games with more queues than numbers have too many to be solved.
fn numbered(game: &PlacementGame, queue: &[u8]) -> u64 {
    let pieces = game.pieces().len() as u64;
    queue.iter().fold(0, |number, piece| number.wrapping_mul(pieces).wrapping_add(u64::from(*piece)))
}
