//! The native half of the Python package `bellmino`: thin, with numpy arrays in and out.
//!
//! What a user sees, the docstrings and the Gymnasium classes are Python: `python/bellmino`.
//!
//! # Files
//! - `call`: long calls beside the interpreter
//! - `request`: requests from Python values
//! - `crew`: work done elsewhere
//! - `value`: JSON and TOML as Python objects
//! - `game`, `table`, `record` and `bot`: the lab's nouns
//! - `show`: a lab in the same process that shows a running game
//! - `envs`: many games stepped at once into shared arrays

#![allow(clippy::needless_pass_by_value, reason = "Python hands over values")]

mod bot;
mod call;
mod crew;
mod envs;
mod game;
mod record;
mod request;
#[cfg(feature = "lab")]
mod show;
mod table;
mod value;

use std::ffi::OsString;

use pyo3::prelude::*;

/// The native half of `bellmino`.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let executable: Option<String> = module.py().import("sys")?.getattr("executable")?.extract()?;
    if let Some(executable) = executable {
        bellmino_host::program::started_by([&executable, "-m", "bellmino"].map(OsString::from).to_vec());
    }
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("Interrupted", module.py().get_type::<call::Interrupted>())?;
    module.add_class::<game::Game>()?;
    module.add_class::<table::Table>()?;
    module.add_class::<record::Record>()?;
    module.add_class::<bot::Bot>()?;
    module.add_class::<envs::Envs>()?;
    #[cfg(feature = "lab")]
    module.add_class::<show::Show>()?;
    module.add_class::<crew::Heap>()?;
    module.add_class::<crew::Unit>()?;
    module.add_class::<crew::Workbench>()?;
    module.add_function(wrap_pyfunction!(crew::run_with, module)?)?;
    module.add_function(wrap_pyfunction!(crew::fingerprint, module)?)?;
    module.add_function(wrap_pyfunction!(call::main, module)?)?;
    module.add_function(wrap_pyfunction!(request::requests, module)?)?;
    module.add_function(wrap_pyfunction!(request::schema, module)?)?;
    module.add_function(wrap_pyfunction!(request::answer, module)?)?;
    module.add_function(wrap_pyfunction!(table::solve, module)?)?;
    module.add_function(wrap_pyfunction!(table::solve_policy, module)?)?;
    module.add_function(wrap_pyfunction!(game::games, module)?)
}
