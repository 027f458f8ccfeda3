//! Long calls: they run beside the interpreter, tell how far they are, and stop on Ctrl-C.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use bellmino::{Failure, Session};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::value::to_python;

pyo3::create_exception!(
    bellmino,
    Interrupted,
    PyKeyboardInterrupt,
    "Ctrl-C during a long call. What was known by then is in `known`."
);

/// How often a long call looks whether it should stop.
const LOOK: Duration = Duration::from_millis(50);

/// Whom a long call tells how far it is.
pub struct Listeners {
    /// Called with position, length or `None`, and a message.
    pub progress: Option<Py<PyAny>>,
    /// Called with each step; `False` stops the call with what is known.
    pub step: Option<Py<PyAny>>,
}

/// Runs work on a thread of its own, without the interpreter's lock. An exception in a listener or from a signal stops
/// the work and is raised; after Ctrl-C with what was known by then.
pub fn call<T: Send + 'static>(
    py: Python<'_>,
    listeners: &Listeners,
    work: impl FnOnce(&Arc<Session>) -> Result<T, Failure> + Send + 'static,
    convert: impl Fn(Python<'_>, T) -> PyResult<Py<PyAny>>,
) -> PyResult<Py<PyAny>> {
    call_within(py, &Session::new(), listeners, work, convert)
}

/// The same within a session of the caller's.
pub fn call_within<T: Send + 'static>(
    py: Python<'_>,
    session: &Arc<Session>,
    listeners: &Listeners,
    work: impl FnOnce(&Arc<Session>) -> Result<T, Failure> + Send + 'static,
    convert: impl Fn(Python<'_>, T) -> PyResult<Py<PyAny>>,
) -> PyResult<Py<PyAny>> {
    let (done, finished) = channel();
    let theirs = session.clone();
    let worker = thread::Builder::new().name("bellmino".to_owned()).spawn(move || {
        let result = catch_unwind(AssertUnwindSafe(|| work(&theirs)));
        // Nobody listens any more only if the interpreter is gone.
        let _ = done.send(result);
    })?;
    // What the channel carries may go from thread to thread; that two look at it is not needed.
    let finished = std::sync::Mutex::new(finished);
    let mut raised: Option<PyErr> = None;
    let mut shown = None;
    let result = loop {
        let next = py.detach(|| match finished.lock() {
            Ok(finished) => finished.recv_timeout(LOOK),
            Err(_) => Err(RecvTimeoutError::Disconnected),
        });
        if raised.is_none() {
            let looked = py.check_signals().and_then(|()| listeners.tell(py, session, &mut shown));
            if let Err(error) = looked {
                session.stop();
                raised = Some(error);
            }
        }
        match next {
            Ok(result) => break result,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break Err(Box::new("the work was lost")),
        }
    };
    py.detach(|| worker.join()).ok();
    match (result, raised) {
        (Ok(Ok(value)), None) => convert(py, value),
        (Ok(Ok(value)), Some(error)) if error.is_instance_of::<PyKeyboardInterrupt>(py) => {
            let interrupted = Interrupted::new_err("interrupted; what is known is in `known`");
            interrupted.value(py).setattr("known", convert(py, value)?)?;
            Err(interrupted)
        }
        (_, Some(error)) => Err(error),
        (Ok(Err(failure)), None) => Err(raise(&failure)),
        (Err(panic), None) => Err(internal(&*panic)),
    }
}

impl Listeners {
    fn tell(
        &self,
        py: Python<'_>,
        session: &Session,
        shown: &mut Option<bellmino::SessionProgress>,
    ) -> PyResult<()> {
        if let Some(step) = &self.step {
            for one in session.take_steps() {
                let answer = step.call1(py, (to_python(py, &one)?,))?;
                if answer.extract::<bool>(py).is_ok_and(|go_on| !go_on) {
                    session.stop();
                }
            }
        }
        if let Some(progress) = &self.progress
            && let Some(now) = session.progress()
            && shown.as_ref() != Some(&now)
        {
            progress.call1(py, (now.position, now.length, now.message.as_str()))?;
            *shown = Some(now);
        }
        Ok(())
    }
}

/// A failed command as a Python exception: bad input is a `ValueError`.
pub fn raise(failure: &Failure) -> PyErr {
    match failure {
        Failure::Input(message) => PyValueError::new_err(message.clone()),
        Failure::Run(_) => PyRuntimeError::new_err(failure.to_string()),
    }
}

/// A wrong argument.
pub fn refuse(message: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(message.to_string())
}

/// A mistake of ours, told instead of ending the interpreter.
fn internal(panic: &(dyn Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    PyRuntimeError::new_err(format!("internal error: {text}"))
}

/// Does something that must not panic through the interpreter.
pub fn guarded<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(internal(&*panic)))
}

/// The whole program, with its terminal; gives the exit status. The words include the program's name.
#[pyfunction]
pub fn main(py: Python<'_>, words: Vec<String>) -> PyResult<u8> {
    guarded(|| Ok(py.detach(|| bellmino::run(words))))
}
