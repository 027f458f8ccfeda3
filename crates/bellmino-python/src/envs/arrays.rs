//! The arrays that all games of an environment write into, as Python sees them.

use bellmino_envs::{LaneArrays, Slices, Widths, each_array};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::call::refuse;

macro_rules! arrays {
    ($($(#[doc = $doc:literal])+ $name:ident: $type:ty),+ $(,)?) => {
        /// The arrays, game after game.
        pub struct Arrays {
            widths: Widths,
            lanes: usize,
            $($name: Py<PyArray1<$type>>),+
        }

        impl Arrays {
            pub fn new(py: Python<'_>, lanes: usize, widths: Widths) -> Arrays {
                $(let $name = PyArray1::zeros(py, lanes * widths.$name, false).unbind();)+
                Arrays { widths, lanes, $($name),+ }
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
                let arrays = LaneArrays { $($name: $name.as_slice_mut().map_err(|_| busy())?),+ };
                Ok(write(Slices::new(&self.widths, self.lanes, arrays).map_err(refuse)?))
            }
        }
    };
}

each_array!(arrays);
