//! What requests make, as files and folders of this machine.

use std::io;
use std::path::Path;

use bellmino_data::Format;
use bellmino_engine::suggestion;
use bellmino_lab::request::{OpenRun, OpenTables, Outputs, RequestError, WriteBy, named};
use bellmino_lab::training::{Training, TrainingEnd, TrainingError};
use bellmino_lab::{Binder, Crew};

use crate::files::{check_writable, remove_whole, write_whole};
use crate::ledger::{Ledger, LedgerError};
use crate::load::Files;
use crate::run_dir::RunDir;
use crate::stored_run::StoredRun;

impl Outputs for Files {
    fn tables(&self, name: &str, format: Format) -> Result<Box<dyn OpenTables>, RequestError> {
        let ledger = Ledger::create(Path::new(name), format).map_err(|error| match error {
            LedgerError::OtherFormat { folder, found } => RequestError::input(format!(
                "{} has tables in {found} already; give another folder, or {} {found}",
                folder.display(),
                named("format")
            )),
            error => RequestError::run(error),
        })?;
        Ok(Box::new(ledger))
    }

    fn check(&self, name: &str) -> io::Result<()> {
        check_writable(Path::new(name))
    }

    fn write_by(&self, name: &str, write: &mut WriteBy<'_>) -> io::Result<()> {
        write_whole(Path::new(name), |out| write(out))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        remove_whole(Path::new(name))
    }

    fn folder(&self, name: &str) -> io::Result<()> {
        std::fs::create_dir_all(name)
    }

    fn within(&self, folder: &str, name: &str) -> String {
        Path::new(folder).join(name).display().to_string()
    }

    fn begin_run(&self, name: &str, training: &Training) -> Result<Box<dyn OpenRun>, RequestError> {
        Ok(Box::new(RunDir::create(&RunDir::path_of(name), training)?))
    }

    fn resume_run(&self, name: &str, training: &mut Training) -> Result<Box<dyn OpenRun>, RequestError> {
        Ok(Box::new(RunDir::resume(&RunDir::path_of(name), training)?))
    }

    fn reopen_run(&self, name: &str) -> Result<(Box<dyn OpenRun>, Training), RequestError> {
        let path = RunDir::path_of(name);
        if !path.is_dir() {
            let hint = match names_of_runs() {
                names if names.is_empty() => "there is none in `runs` here".to_owned(),
                names => suggestion(name, names.iter().map(String::as_str)),
            };
            return Err(RequestError::input(format!("there is no run {}; {hint}", path.display())));
        }
        let (run, training) = RunDir::reopen(&path)?;
        Ok((Box::new(run), training))
    }
}

/// The runs in the folder of runs.
fn names_of_runs() -> Vec<String> {
    let Ok(entries) = std::fs::read_dir("runs") else { return vec![] };
    let runs = entries.flatten().filter(|entry| StoredRun::is_at(&entry.path()));
    let mut names: Vec<String> = runs.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

impl OpenRun for RunDir {
    fn place(&self) -> String {
        self.path().display().to_string()
    }

    fn run(
        &mut self,
        training: &mut Training,
        crew: Option<&dyn Crew>,
        go_on: &(dyn Fn() -> bool + Sync),
        seen: &mut dyn FnMut(&Training),
    ) -> Result<TrainingEnd, TrainingError> {
        RunDir::run(self, training, crew, go_on, seen)
    }

    fn keep(&mut self, training: &Training, weights: &[u8]) -> Result<(), TrainingError> {
        self.store(training, Some(weights))
    }
}

impl OpenTables for Ledger {
    fn binder(&self) -> &dyn Binder {
        self
    }

    fn finish(self: Box<Self>) -> Result<(String, u64, u64), RequestError> {
        let folder = self.folder().display().to_string();
        let (games, moves) = Ledger::finish(*self).map_err(RequestError::run)?;
        Ok((folder, games, moves))
    }
}
