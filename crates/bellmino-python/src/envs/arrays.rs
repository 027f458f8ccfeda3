//! The arrays that all games of an environment write into.

use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::call::refuse;

macro_rules! arrays {
    ($($(#[doc = $doc:literal])+ $name:ident: $type:ty),+ $(,)?) => {
        /// How many entries each game has in each array.
        #[derive(Clone, Copy, Debug, Default)]
        pub struct Widths { $($(#[doc = $doc])+ pub $name: usize),+ }

        /// The arrays, game after game.
        pub struct Arrays {
            widths: Widths,
            $($name: Py<PyArray1<$type>>),+
        }

        /// The arrays of some games in a row.
        pub struct Slices<'a> { widths: &'a Widths, $($name: &'a mut [$type]),+ }

        /// What one game writes into.
        pub struct Row<'a> { $(pub $name: &'a mut [$type]),+ }

        impl Widths {
            /// The bytes of one game.
            pub fn bytes(&self) -> usize {
                0 $(+ self.$name * size_of::<$type>())+
            }
        }

        impl Arrays {
            pub fn new(py: Python<'_>, games: usize, widths: Widths) -> Arrays {
                $(let $name = PyArray1::zeros(py, games * widths.$name, false).unbind();)+
                Arrays { widths, $($name),+ }
            }

            /// The arrays by name, those without entries left out.
            pub fn by_name<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
                let dict = PyDict::new(py);
                $(if self.widths.$name > 0 {
                    dict.set_item(stringify!($name), self.$name.bind(py))?;
                })+
                Ok(dict)
            }

            /// Writes into the arrays; refused while somebody else does.
            pub fn write<T>(&self, py: Python<'_>, write: impl FnOnce(Slices<'_>) -> T) -> PyResult<T> {
                let busy = || refuse("the arrays of this environment are in use elsewhere");
                $(let mut $name = self.$name.bind(py).try_readwrite().map_err(|_| busy())?;)+
                let slices = Slices {
                    widths: &self.widths,
                    $($name: $name.as_slice_mut().map_err(|_| busy())?),+
                };
                Ok(write(slices))
            }
        }

        impl<'a> Slices<'a> {
            /// The part of one game.
            #[inline]
            pub fn row(&mut self, game: usize) -> Row<'_> {
                Row { $($name: &mut self.$name[game * self.widths.$name..][..self.widths.$name]),+ }
            }

            /// The first games and the others.
            pub fn split_at(self, games: usize) -> (Slices<'a>, Slices<'a>) {
                $(let $name = self.$name.split_at_mut(games * self.widths.$name);)+
                let widths = self.widths;
                (Slices { widths, $($name: $name.0),+ }, Slices { widths, $($name: $name.1),+ })
            }
        }
    };
}

arrays! {
    /// The filled cells, the top row first.
    board: u8,
    /// The cells of the piece in play, of games with keys.
    active: u8,
    /// The current piece.
    piece: i64,
    /// The held piece counted from 1, or 0.
    hold: i64,
    /// The current piece and those in sight.
    queue: i64,
    /// 1 for each legal action.
    mask: i8,
    /// Features of the board, or of the board after each action.
    features: f32,
    /// The exact value of each action; not a number where it is not legal.
    values: f64,
    /// The greatest of them.
    optimal: f64,
    /// What the last action gave away.
    regret: f64,
    /// The points of the last action.
    reward: f64,
    /// The game has ended.
    terminated: bool,
    /// It was stopped.
    truncated: bool,
    /// Pieces placed so far.
    pieces: i64,
    /// Rows cleared so far.
    lines: i64,
    /// Points so far.
    score: f64,
    /// 0 while it goes on, 1 at its goal, 2 if it is lost.
    outcome: i8,
}
