//! Requests: what can be asked, as Python objects, and the answers.

use bellmino::{Failure, RequestError, Session};
use bellmino_host::{CLOCK, Files, MEMORY};
use bellmino_lab::Crew;
use bellmino_lab::request::{Context, Observer, RequestKind};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde_json::{Map, Number, Value};

use crate::call::{Listeners, call, guarded, raise};
use crate::crew::PythonCrew;
use crate::game::Game;
use crate::value::to_python;

/// The names of all requests.
#[pyfunction]
pub fn requests() -> Vec<&'static str> {
    RequestKind::ALL.iter().map(|kind| kind.name).collect()
}

/// The JSON Schema of a request and of its answer.
#[pyfunction]
pub fn schema(py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
    guarded(|| to_python(py, &RequestKind::named(name).map_err(|error| raise(&failure(&error)))?.schema()))
}

/// Answers a request. Fields that are `None` are left out; a game stands for itself. `crew`, if given, is called with each
/// heap of work and returns when all of it is done.
#[pyfunction]
#[pyo3(signature = (name, fields, threads=None, progress=None, step=None, crew=None))]
pub fn answer(
    py: Python<'_>,
    name: String,
    fields: &Bound<'_, PyDict>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
    step: Option<Py<PyAny>>,
    crew: Option<Py<PyAny>>,
) -> PyResult<Py<PyAny>> {
    check_threads(threads)?;
    let request = to_request(fields)?;
    let crew = crew.map(PythonCrew);
    call(
        py,
        &Listeners { progress, step },
        move |session| {
            let crew = crew.as_ref().map(|crew| crew as &dyn Crew);
            let kind = RequestKind::named(&name).map_err(|error| failure(&error))?;
            within(session, crew, threads, |context| kind.ask(request, context))
        },
        |py, answer| to_python(py, &answer),
    )
}

/// Answers with threads of its own, watched by a session; others may do the work.
pub fn within<T: Send>(
    session: &Session,
    crew: Option<&dyn Crew>,
    threads: Option<usize>,
    answer: impl FnOnce(&Context<'_>) -> Result<T, RequestError> + Send,
) -> Result<T, Failure> {
    let observer = Some(session as &dyn Observer);
    let context = Context {
        resources: &Files,
        outputs: &Files,
        observer,
        crew,
        clock: CLOCK,
        memory: MEMORY,
        threads: threads.unwrap_or(1),
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build();
    let answer = pool.map_err(Failure::run)?.install(|| answer(&context));
    answer.map_err(|error| failure(&error))
}

/// Refuses a number of threads that no pool has.
pub fn check_threads(threads: Option<usize>) -> PyResult<()> {
    match threads {
        None | Some(1..=1024) => Ok(()),
        Some(_) => Err(PyValueError::new_err("threads=: give a whole number from 1 to 1024")),
    }
}

/// A refusal; fields are written as keyword arguments.
pub fn failure(error: &RequestError) -> Failure {
    let text = error.spelled(|field| format!("{field}="));
    if error.is_input() { Failure::input(text) } else { Failure::run(RequestError::run(text)) }
}

/// Fields as a request.
pub fn to_request(fields: &Bound<'_, PyDict>) -> PyResult<Value> {
    let mut request = Map::new();
    for (name, value) in fields {
        let name: String = name.extract()?;
        if value.is_none() {
            continue;
        }
        if let Ok(game) = value.cast::<Game>() {
            request.extend(game.get().request());
            continue;
        }
        let value = to_json(&name, &value, 0)?;
        request.insert(name, value);
    }
    Ok(Value::Object(request))
}

/// Lists within lists that are followed.
const MAX_DEPTH: usize = 16;

fn to_json(name: &str, value: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
    let refuse = || {
        let kind = value.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string());
        PyTypeError::new_err(format!("{name}=: give a text, a number, a bool or a list, not {kind}"))
    };
    if depth > MAX_DEPTH {
        return Err(refuse());
    }
    if let Ok(truth) = value.cast::<PyBool>() {
        return Ok(Value::Bool(truth.is_true()));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Value::String(text.to_cow()?.into_owned()));
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let items = value.try_iter()?.map(|item| to_json(name, &item?, depth + 1));
        return items.collect::<PyResult<Vec<Value>>>().map(Value::Array);
    }
    if !value.is_instance_of::<PyFloat>()
        && let Ok(index) = value.call_method0("__index__")
        && index.is_instance_of::<PyInt>()
    {
        // A whole number that no field can hold is told as it is.
        let whole =
            index.extract::<u64>().map(Value::from).or_else(|_| index.extract::<i64>().map(Value::from));
        return Ok(whole.unwrap_or_else(|_| Value::String(index.to_string())));
    }
    if let Ok(path) = value.call_method0("__fspath__") {
        let Ok(text) = path.extract::<String>() else { return Err(refuse()) };
        return Ok(Value::String(text));
    }
    let number = value.extract::<f64>().map_err(|_| refuse())?;
    Ok(Number::from_f64(number).map_or_else(|| Value::String(number.to_string()), Value::Number))
}
