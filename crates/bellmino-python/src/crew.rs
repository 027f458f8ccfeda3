//! Work done elsewhere: a command whose work a Python function hands out, and the bench where it is done.

use std::sync::Arc;

use bellmino::{Around, Session};
use bellmino_host::work_beside;
use bellmino_lab::{Crew, CrewError, Heap as LabHeap, Unit as LabUnit, Workbench as LabWorkbench};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::call::{Listeners, call_within, guarded, refuse};

/// Runs a command whose work is done by others, and gives the exit status. `crew` is called with each heap of work, on a
/// thread of its own, and returns when all of it is done.
#[pyfunction]
#[pyo3(signature = (words, crew, progress=None))]
pub fn run_with(
    py: Python<'_>,
    words: Vec<String>,
    crew: Py<PyAny>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Py<PyAny>> {
    let (session, crew) = (Session::new(), Arc::new(PythonCrew(crew)));
    let listeners = Listeners { progress, step: None };
    call_within(
        py,
        &session,
        &listeners,
        move |session| {
            let around = Around { crew, observer: session.clone() };
            Ok(bellmino::run_with(words, around))
        },
        |py, status| Ok(status.into_pyobject(py)?.into_any().unbind()),
    )
}

/// The version, and a checksum over work of every kind and what comes of it on this machine.
#[pyfunction]
pub fn fingerprint(py: Python<'_>) -> PyResult<String> {
    guarded(|| Ok(py.detach(bellmino_lab::fingerprint)))
}

/// A Python function that has work done.
#[derive(Debug)]
pub struct PythonCrew(pub Py<PyAny>);

impl Crew for PythonCrew {
    fn work(&self, heap: &Arc<LabHeap>, look: &mut dyn FnMut()) -> Result<(), CrewError> {
        work_beside(heap, look, || self.call(heap))
    }
}

impl PythonCrew {
    fn call(&self, heap: &Arc<LabHeap>) -> Result<(), CrewError> {
        Python::attach(|py| match self.0.call1(py, (Heap(heap.clone()),)) {
            Ok(_) => Ok(()),
            // An error that is meant for people says all itself; of any other its type says most.
            Err(error) => Err(CrewError(match error.get_type(py).name() {
                Ok(name) if name == "ClusterError" => error.value(py).to_string(),
                _ => error.to_string(),
            })),
        })
    }
}

/// Work that waits to be done. Units are taken off it in any size; their results are put back in any order.
#[pyclass(frozen, module = "bellmino")]
pub struct Heap(Arc<LabHeap>);

#[pymethods]
impl Heap {
    /// What the work is for, in words.
    #[getter]
    fn title(&self) -> &str {
        self.0.title()
    }

    /// Games, states or episodes that nobody has taken yet.
    #[getter]
    fn left(&self) -> u64 {
        self.0.left()
    }

    /// Whether all results are there.
    #[getter]
    fn is_done(&self) -> bool {
        self.0.is_done()
    }

    /// Whether the work is to end soon, done or not.
    #[getter]
    fn is_stopped(&self) -> bool {
        self.0.is_stopped()
    }

    /// Takes up to so many games, states or episodes; `None` if there are none, or none for now.
    fn next(&self, py: Python<'_>, size: u64) -> Option<Unit> {
        py.detach(|| self.0.next(size)).map(Unit)
    }

    /// Puts back what came of a unit.
    fn put(&self, py: Python<'_>, unit: &Bound<'_, Unit>, result: &[u8]) -> PyResult<()> {
        let unit = unit.get();
        guarded(|| py.detach(|| self.0.put(&unit.0, result)).map_err(refuse))
    }

    /// A solved table that units need, as bytes.
    fn table<'py>(&self, py: Python<'py>, number: u64) -> Option<Bound<'py, PyBytes>> {
        self.0.table(number).map(|bytes| PyBytes::new(py, &bytes))
    }
}

/// A piece of work that can be done anywhere.
#[pyclass(frozen, module = "bellmino")]
pub struct Unit(LabUnit);

#[pymethods]
impl Unit {
    /// From bytes.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Unit> {
        LabUnit::from_bytes(bytes).map(Unit).map_err(refuse)
    }

    /// What it is, in words.
    #[getter]
    fn name(&self) -> String {
        self.0.name()
    }

    /// The solved tables it cannot be done without, by their checksums.
    #[getter]
    fn tables(&self) -> Vec<u64> {
        self.0.tables().to_vec()
    }

    /// The same work as two units, or as one if there is but one number.
    fn halves(&self) -> Vec<Unit> {
        self.0.clone().halves().into_iter().map(Unit).collect()
    }

    /// As bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &py.detach(|| self.0.to_bytes()).map_err(refuse)?))
    }

    fn __len__(&self) -> usize {
        self.0.len() as usize
    }
}

/// Where units are done, one after the other, with so many threads.
#[pyclass(frozen, module = "bellmino")]
pub struct Workbench {
    bench: LabWorkbench,
    pool: rayon::ThreadPool,
}

#[pymethods]
impl Workbench {
    #[new]
    #[pyo3(signature = (threads=1))]
    fn new(threads: usize) -> PyResult<Workbench> {
        if !(1..=1024).contains(&threads) {
            return Err(refuse("threads: give a whole number from 1 to 1024"));
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        Ok(Workbench { bench: LabWorkbench::default(), pool })
    }

    /// Does a unit and gives what came of it as bytes.
    fn work<'py>(&self, py: Python<'py>, unit: &Bound<'py, Unit>) -> PyResult<Bound<'py, PyBytes>> {
        let unit = &unit.get().0;
        let work = || self.bench.work(unit).and_then(|result| result.to_bytes());
        guarded(|| Ok(PyBytes::new(py, &py.detach(|| self.pool.install(work)).map_err(refuse)?)))
    }

    /// Takes a solved table that units need.
    fn put_table(&self, bytes: Vec<u8>) {
        self.bench.put_table(bytes);
    }

    /// Signs of life so far: it grows while something is done.
    fn signs(&self) -> u64 {
        self.bench.signs()
    }
}
