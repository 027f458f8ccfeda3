//! A lab in this process, on loopback, in which running games are shown.

use std::net::Ipv4Addr;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{self, JoinHandle};

use bellmino_web::{LabOptions, Server, Showing, ShownPiece, Stage, Standing};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use tempfile::TempDir;

use crate::call::guarded;
use crate::game::Game;

/// A game that is shown in the lab of this process. The lab begins with the first one and ends with the last.
#[pyclass(frozen, module = "bellmino._native")]
pub struct Show {
    url: String,
    is_first: bool,
    shown: Mutex<Option<OpenShow>>,
}

/// The lab goes last.
struct OpenShow {
    showing: Showing,
    _lab: Arc<OpenLab>,
}

/// Cells and the name of a piece, as Python gives them.
type PieceCells = (String, Vec<[usize; 2]>);

#[pymethods]
impl Show {
    #[new]
    fn new(py: Python<'_>, game: &Bound<'_, Game>) -> PyResult<Show> {
        let game = &game.get().game;
        guarded(|| {
            py.detach(|| {
                let (lab, is_first) = OpenLab::get().map_err(PyRuntimeError::new_err)?;
                let showing = lab.stage.show(game);
                let url = format!("{}#/shown/{}", lab.url, showing.number());
                Ok(Show { url, is_first, shown: Mutex::new(Some(OpenShow { showing, _lab: lab })) })
            })
        })
    }

    /// Where it is to be seen.
    #[getter]
    fn url(&self) -> &str {
        &self.url
    }

    /// Whether the lab was opened for it.
    #[getter]
    fn is_first(&self) -> bool {
        self.is_first
    }

    /// Shows the game as it stands: rows from the top, pieces with their cells, figures with their names. Never waits.
    #[pyo3(signature = (rows, *, placed=None, active=None, hold=None, queue=vec![], facts=vec![], note=String::new()))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn tell(
        &self,
        mut rows: Vec<String>,
        placed: Option<PieceCells>,
        active: Option<PieceCells>,
        hold: Option<String>,
        queue: Vec<String>,
        facts: Vec<(String, String)>,
        note: String,
    ) -> PyResult<()> {
        guarded(|| {
            rows.reverse();
            let piece = |(name, cells): PieceCells| ShownPiece { name, cells };
            let (placed, active) = (placed.map(piece), active.map(piece));
            if let Some(shown) = &*self.shown() {
                shown.showing.tell(&Standing { rows, placed, active, hold, queue, facts, note });
            }
            Ok(())
        })
    }

    /// Shows it no longer.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        guarded(|| {
            let shown = self.shown().take();
            py.detach(|| drop(shown));
            Ok(())
        })
    }
}

impl Show {
    fn shown(&self) -> MutexGuard<'_, Option<OpenShow>> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The lab of this process.
struct OpenLab {
    stage: Stage,
    url: String,
    /// A process that was forked has neither the threads nor the folder.
    process: u32,
    ends: Arc<AtomicBool>,
    server: Option<JoinHandle<()>>,
    /// What is kept while it is open.
    folder: Option<TempDir>,
}

static OPEN: Mutex<Weak<OpenLab>> = Mutex::new(Weak::new());

impl OpenLab {
    /// The lab that is open, or a new one; and whether it is new.
    fn get() -> Result<(Arc<OpenLab>, bool), String> {
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lab) = open.upgrade().filter(|lab| lab.process == process::id()) {
            return Ok((lab, false));
        }
        let lab = Arc::new(OpenLab::open()?);
        *open = Arc::downgrade(&lab);
        Ok((lab, true))
    }

    fn open() -> Result<OpenLab, String> {
        let folder = TempDir::with_prefix("bellmino-").map_err(|error| error.to_string())?;
        let data = Some(folder.path().to_owned());
        let options = LabOptions { bind: Ipv4Addr::LOCALHOST.into(), port: Some(0), data, token: true };
        let server = Server::open(&options).map_err(|error| error.to_string())?;
        let (stage, url) = (server.stage(), server.url().to_owned());
        let ends = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&ends);
        let serve = move || {
            // Whoever looks on loses the page; whoever plays goes on.
            let _ = server.serve(move || !ended.load(Ordering::Relaxed));
        };
        let server = thread::Builder::new().name("bellmino lab".to_owned()).spawn(serve);
        let server = Some(server.map_err(|error| error.to_string())?);
        Ok(OpenLab { stage, url, process: process::id(), ends, server, folder: Some(folder) })
    }
}

impl Drop for OpenLab {
    fn drop(&mut self) {
        let (server, folder) = (self.server.take(), self.folder.take());
        if self.process != process::id() {
            // They belong to the process that this one was forked from.
            std::mem::forget((server, folder));
            return;
        }
        self.ends.store(true, Ordering::Relaxed);
        if let Some(server) = server {
            let _ = server.join();
        }
    }
}
