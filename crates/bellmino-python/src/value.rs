//! JSON as Python objects, and Python values as TOML.

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde_json::Value;

/// The same value as dicts, lists, numbers and texts.
pub fn to_python(py: Python<'_>, value: &Value) -> PyResult<Py<PyAny>> {
    match value {
        Value::Null => Ok(py.None()),
        Value::Bool(truth) => truth.into_py_any(py),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(whole), _) => whole.into_py_any(py),
            (_, Some(whole)) => whole.into_py_any(py),
            _ => number.as_f64().into_py_any(py),
        },
        Value::String(text) => text.into_py_any(py),
        Value::Array(items) => {
            let items: Vec<Py<PyAny>> =
                items.iter().map(|item| to_python(py, item)).collect::<PyResult<_>>()?;
            PyList::new(py, items)?.into_py_any(py)
        }
        Value::Object(fields) => {
            let dict = PyDict::new(py);
            for (key, field) in fields {
                dict.set_item(key, to_python(py, field)?)?;
            }
            dict.into_py_any(py)
        }
    }
}

/// The overrides of a game from a dict, as `key=value`; a dict within it is a table.
pub fn overrides(dict: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<String>> {
    let mut list = Vec::new();
    if let Some(dict) = dict {
        add_overrides(dict, "", 0, &mut list)?;
    }
    Ok(list)
}

/// Tables within tables that are followed.
const MAX_DEPTH: usize = 16;

fn add_overrides(
    dict: &Bound<'_, PyDict>,
    before: &str,
    depth: usize,
    list: &mut Vec<String>,
) -> PyResult<()> {
    if depth > MAX_DEPTH {
        return Err(PyTypeError::new_err(format!("overrides are at most {MAX_DEPTH} tables deep")));
    }
    for (key, value) in dict {
        let Ok(key) = key.cast::<PyString>() else {
            return Err(PyTypeError::new_err(format!(
                "{key} is no key of an override; keys are texts such as \"board.height\""
            )));
        };
        let key = format!("{before}{}", key.to_cow()?);
        match value.cast::<PyDict>() {
            Ok(inner) => add_overrides(inner, &format!("{key}."), depth + 1, list)?,
            Err(_) => list.push(format!("{key}={}", toml(&value, 0)?)),
        }
    }
    Ok(())
}

fn toml(value: &Bound<'_, PyAny>, depth: usize) -> PyResult<String> {
    let refuse = || {
        let kind = value.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string());
        PyTypeError::new_err(format!(
            "a {kind} is no value of a game; give a number, a bool, a text or a list"
        ))
    };
    if depth > MAX_DEPTH {
        return Err(refuse());
    }
    if let Ok(truth) = value.cast::<PyBool>() {
        return Ok(truth.is_true().to_string());
    }
    if value.is_instance_of::<PyInt>() || value.is_instance_of::<PyFloat>() {
        let text = value.str()?.to_string();
        // TOML writes what is not finite as Python does.
        return Ok(text);
    }
    if let Ok(text) = value.cast::<PyString>() {
        let text = text.to_cow()?;
        return serde_json::to_string(&*text).map_err(|_| refuse());
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let items: Vec<String> =
            value.try_iter()?.map(|item| toml(&item?, depth + 1)).collect::<PyResult<_>>()?;
        return Ok(format!("[{}]", items.join(", ")));
    }
    // Numbers of numpy and their like.
    if let Ok(index) = value.call_method0("__index__") {
        return Ok(index.str()?.to_string());
    }
    match value.extract::<f64>() {
        Ok(number) => Ok(format!("{number:?}")),
        Err(_) => Err(refuse()),
    }
}
