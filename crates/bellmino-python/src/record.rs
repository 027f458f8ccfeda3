//! Records of games.

use std::path::PathBuf;

use bellmino_engine::placement::{Action, Grid, Placement};
use bellmino_engine::{AnyRecord, Outcome};
use bellmino_host::files::write_whole;
use bellmino_host::load::read_text;
use bellmino_lab::checksum::sealed_lines;
use bellmino_lab::load::MAX_TEXT;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::call::{guarded, refuse};
use crate::value::to_python;

/// A game written down, from its text; `bellmino.play(..., record=FILE)` writes one.
///
/// >>> with tempfile.TemporaryDirectory() as folder:
/// ...     _ = bellmino.play("baby", "lowest", seed=1, record=folder + "/game.toml")
/// ...     record = bellmino.Record.from_file(folder + "/game.toml")
/// >>> record.game, record.player, record.replay()["outcome"]
/// ('baby', 'lowest', 'lost')
#[pyclass(frozen, module = "bellmino")]
pub struct Record {
    record: AnyRecord,
}

#[pymethods]
impl Record {
    #[new]
    fn new(text: &str) -> PyResult<Record> {
        guarded(|| Ok(Record { record: AnyRecord::from_text(text).map_err(refuse)? }))
    }

    /// A record from a file.
    #[staticmethod]
    fn from_file(path: PathBuf) -> PyResult<Record> {
        guarded(|| {
            let text = read_text(&path, MAX_TEXT).map_err(refuse)?;
            let record = AnyRecord::from_text(&text);
            Ok(Record { record: record.map_err(|error| refuse(format!("{}: {error}", path.display())))? })
        })
    }

    /// The name of the game.
    #[getter]
    fn game(&self) -> &str {
        self.record.game()
    }

    /// Who played, if it is known.
    #[getter]
    fn player(&self) -> Option<&str> {
        self.record.player()
    }

    /// The seed of the pieces.
    #[getter]
    fn seed(&self) -> u64 {
        match &self.record {
            AnyRecord::Placement(record) => record.seed,
            AnyRecord::Guideline(record) => record.seed,
        }
    }

    /// `placement` or `guideline`.
    #[getter]
    fn kind(&self) -> &'static str {
        match &self.record {
            AnyRecord::Placement(_) => "placement",
            AnyRecord::Guideline(_) => "guideline",
        }
    }

    /// The text form.
    fn to_text(&self) -> String {
        self.record.to_text()
    }

    /// Writes it into a file, with a checksum.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        guarded(|| {
            Ok(write_whole(&path, |out| out.write_all(sealed_lines(&self.record.to_text()).as_bytes()))?)
        })
    }

    /// Plays it again: every placement with the board before it, and how it ended.
    fn replay(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        guarded(|| {
            let value = py.detach(|| match &self.record {
                AnyRecord::Placement(record) => replay_placement(record),
                AnyRecord::Guideline(record) => replay_guideline(record),
            });
            to_python(py, &value.map_err(refuse)?)
        })
    }

    fn __repr__(&self) -> String {
        format!("Record of {:?}, seed {}", self.game(), self.seed())
    }
}

fn replay_placement(
    record: &bellmino_engine::placement::Record,
) -> Result<Value, bellmino_engine::RecordError> {
    let mut moves: Vec<Value> = vec![];
    let end = record.replay(|game, action| {
        let board = game.board().to_board(game.game()).to_string().replace('\n', "/");
        moves.push(match action {
            Action::Hold => json!({ "board": board, "hold": true }),
            Action::Place(Placement { piece, rotation, column, row }) => json!({
                "board": board, "piece": game.game().pieces()[piece as usize].name(), "rotation": rotation,
                "column": column, "row": row,
            }),
        });
    })?;
    let stats = end.stats();
    Ok(json!({
        "moves": moves, "pieces": stats.pieces, "lines": stats.lines, "score": stats.score,
        "outcome": end.outcome().map(word),
    }))
}

fn replay_guideline(
    record: &bellmino_engine::guideline::Record,
) -> Result<Value, bellmino_engine::RecordError> {
    let before = record.moves()?;
    let moves: Vec<Value> = before
        .iter()
        .map(|(view, at)| {
            let board = view.position.board.to_text().trim_end().replace('\n', "/");
            json!({
                "board": board, "piece": at.piece, "orientation": at.orientation, "x": at.x, "y": at.y,
                "spin": at.spin, "held": view.queue.first() != Some(&at.piece),
            })
        })
        .collect();
    let end = record.replay(|_, _| {})?;
    let stats = end.stats();
    Ok(json!({
        "moves": moves, "pieces": stats.pieces, "lines": stats.lines, "score": stats.score,
        "outcome": end.outcome().map(word),
    }))
}

/// How a game ended, in a word.
pub fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Goal => "goal",
        Outcome::ToppedOut => "lost",
    }
}
