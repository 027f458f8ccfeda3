//! Games.

use std::path::{Path, PathBuf};

use bellmino_engine::guideline::{HEIGHT, Piece, WIDTH};
use bellmino_engine::placement::Shape;
use bellmino_engine::{Game as AnyGame, PlacementGame};
use bellmino_host::load::read_text;
use bellmino_lab::load::{MAX_TEXT, built_in_game};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use serde_json::Value;

use crate::call::{guarded, refuse};

/// A game as data: a built-in name or the path of a TOML file, with overrides by dotted key.
///
/// >>> game = bellmino.Game("baby", {"board.height": 5})
/// >>> game.name, game.width, game.height, game.pieces
/// ('baby', 4, 5, ['I3', 'L3'])
/// >>> bellmino.Game.from_toml(game.to_toml()) == game
/// True
/// >>> bellmino.Game("baby", {"board.hight": 5})
/// Traceback (most recent call last):
/// ValueError: baby: board.hight: unknown key; did you mean `height`?
#[pyclass(frozen, name = "Game", module = "bellmino")]
pub struct Game {
    pub game: AnyGame,
    /// The name and the changes, if it is a built-in game.
    built_in: Option<(String, Vec<String>)>,
}

impl Game {
    fn read(source: &str, text: &str, changes: &[String]) -> PyResult<Game> {
        let changes = changes.iter().map(|change| change.parse()).collect::<Result<Vec<_>, _>>();
        let changes = changes.map_err(refuse)?;
        let game = AnyGame::read(source, text, &changes).map_err(refuse)?;
        Ok(Game { game, built_in: None })
    }

    /// The placement game, or why this is none.
    pub fn placement(&self) -> PyResult<&PlacementGame> {
        self.game.placement().ok_or_else(|| {
            refuse(format!("`{}` is a guideline game; this needs a placement game", self.game.name()))
        })
    }

    /// The game as fields of a request.
    pub fn request(&self) -> Vec<(String, Value)> {
        let own = |key: &str, value: Value| (key.to_owned(), value);
        match &self.built_in {
            Some((name, changes)) => {
                vec![own("game", name.clone().into()), own("set", changes.clone().into())]
            }
            None => {
                vec![own("game", self.game.name().into()), own("text", self.game.to_toml().into())]
            }
        }
    }
}

#[pymethods]
impl Game {
    #[new]
    #[pyo3(signature = (name, overrides=None))]
    fn new(name: &str, overrides: Option<&Bound<'_, PyDict>>) -> PyResult<Game> {
        guarded(|| {
            let changes = crate::value::overrides(overrides)?;
            if AnyGame::built_in_names().all(|known| known != name) {
                if Path::new(name).exists() {
                    return Game::from_file(PathBuf::from(name), overrides);
                }
                return Err(refuse(AnyGame::unknown(name)));
            }
            let game = built_in_game(name, &changes).map_err(refuse)?;
            Ok(Game { game, built_in: Some((name.to_owned(), changes)) })
        })
    }

    /// A game from the text of a game file.
    #[staticmethod]
    #[pyo3(signature = (text, overrides=None))]
    fn from_toml(text: &str, overrides: Option<&Bound<'_, PyDict>>) -> PyResult<Game> {
        guarded(|| Game::read("game", text, &crate::value::overrides(overrides)?))
    }

    /// A game from a TOML file.
    #[staticmethod]
    #[pyo3(signature = (path, overrides=None))]
    fn from_file(path: PathBuf, overrides: Option<&Bound<'_, PyDict>>) -> PyResult<Game> {
        guarded(|| {
            let text = read_text(&path, MAX_TEXT).map_err(refuse)?;
            Game::read(&path.to_string_lossy(), &text, &crate::value::overrides(overrides)?)
        })
    }

    /// The stable name.
    #[getter]
    fn name(&self) -> &str {
        self.game.name()
    }

    /// The title for people.
    #[getter]
    fn title(&self) -> &str {
        self.game.title()
    }

    /// `placement` or `guideline`.
    #[getter]
    fn kind(&self) -> &'static str {
        if self.game.placement().is_some() { "placement" } else { "guideline" }
    }

    /// Columns of the board.
    #[getter]
    fn width(&self) -> usize {
        self.game.placement().map_or(WIDTH, PlacementGame::width)
    }

    /// Rows of the board.
    #[getter]
    fn height(&self) -> usize {
        self.game.placement().map_or(HEIGHT, PlacementGame::height)
    }

    /// The names of the pieces.
    #[getter]
    fn pieces(&self) -> Vec<String> {
        match self.game.placement() {
            Some(game) => game.pieces().iter().map(|piece| piece.name().to_owned()).collect(),
            None => Piece::ALL.iter().map(ToString::to_string).collect(),
        }
    }

    /// The drawings of a piece in all its rotations, each from the top row down.
    fn shapes(&self, piece: &str) -> PyResult<Vec<Vec<String>>> {
        if let Some(game) = self.game.placement() {
            let found = game.piece_index(piece).map(|index| &game.pieces()[index]);
            let found = found.ok_or_else(|| no_piece(game, piece))?;
            return Ok(found.rotations().iter().map(Shape::draw).collect());
        }
        let drawn = bellmino_engine::placement::Piece::catalogue(piece)
            .filter(|_| piece.chars().next().is_some_and(|letter| Piece::from_letter(letter).is_some()));
        let drawn = drawn.ok_or_else(|| {
            refuse(format!("`{piece}` is not a piece of this game; give one of {}", Piece::LETTERS))
        })?;
        Ok(drawn.rotations().iter().map(Shape::draw).collect())
    }

    /// The game file, every default written out.
    fn to_toml(&self) -> String {
        self.game.to_toml()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Game>().is_ok_and(|other| other.get().game == self.game)
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        self.game.to_toml().hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        match &self.built_in {
            Some((name, changes)) if changes.is_empty() => format!("Game({name:?})"),
            _ => format!("Game.from_toml({:?})", self.game.to_toml()),
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let make = py.get_type::<Game>().getattr("from_toml")?;
        Ok((make, PyTuple::new(py, [self.game.to_toml()])?))
    }
}

/// The names of the built-in games.
///
/// >>> bellmino.games()[:3]
/// ['baby', 'mini', 'small']
#[pyfunction]
pub fn games() -> Vec<&'static str> {
    AnyGame::built_in_names().collect()
}

/// What to say of a piece that a game does not have.
pub fn no_piece(game: &PlacementGame, name: &str) -> PyErr {
    let names = game.pieces().iter().map(bellmino_engine::placement::Piece::name);
    refuse(format!("`{name}` is not a piece of this game; {}", bellmino_engine::suggestion(name, names)))
}

/// The piece of this name.
pub fn piece_index(game: &PlacementGame, name: &str) -> PyResult<u8> {
    let found = game.piece_index(name).and_then(|index| u8::try_from(index).ok());
    found.ok_or_else(|| no_piece(game, name))
}
