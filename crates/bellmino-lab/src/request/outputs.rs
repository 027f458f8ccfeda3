//! Where what a request makes is put, if anybody wants to keep it.

use std::io::{self, Write};

use bellmino_data::Format;

use super::{RequestError, named};
use crate::crew::Crew;
use crate::page::Binder;
use crate::training::{Training, TrainingEnd, TrainingError};

/// Where files are put: folders on a desktop. A page has none.
pub trait Outputs: Sync {
    /// Begins the tables of games and moves of this name.
    fn tables(&self, name: &str, format: Format) -> Result<Box<dyn OpenTables>, RequestError>;

    /// Whether something of this name can be written, by trying: for work that takes long, before it begins.
    fn check(&self, name: &str) -> io::Result<()>;

    /// Writes something piece by piece, whole or not at all.
    fn write_by(&self, name: &str, write: &mut WriteBy<'_>) -> io::Result<()>;

    /// Removes something that was written, if it is there.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Makes a folder, unless it is there.
    fn folder(&self, name: &str) -> io::Result<()>;

    /// What something in a folder is called.
    fn within(&self, folder: &str, name: &str) -> String {
        format!("{folder}/{name}")
    }

    /// Writes something whole, or not at all.
    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), RequestError> {
        let written = self.write_by(name, &mut |out| out.write_all(bytes));
        written.map_err(|error| RequestError::run(format!("cannot write {name}: {error}")))
    }

    /// Begins a training run of this name.
    fn begin_run(&self, name: &str, _: &Training) -> Result<Box<dyn OpenRun>, RequestError> {
        Err(RequestError::input(format!("{name}: {NOWHERE}")))
    }

    /// Goes on with the run of this name, which was asked for in the same way; the training becomes what it was when it was
    /// left.
    fn resume_run(&self, name: &str, _: &mut Training) -> Result<Box<dyn OpenRun>, RequestError> {
        Err(RequestError::input(format!("{name}: {NOWHERE}")))
    }

    /// Goes on with the run of this name, of which nothing else is known.
    fn reopen_run(&self, name: &str) -> Result<(Box<dyn OpenRun>, Training), RequestError> {
        Err(RequestError::input(format!("{name}: {NOWHERE}")))
    }
}

/// A training run that is being kept.
pub trait OpenRun {
    /// Where it is kept, for people.
    fn place(&self) -> String;

    /// Goes on with the training to its end, by a crew if there is one, or until `go_on` says no or somebody asks for a stop, and
    /// keeps every step. `seen` is shown each of them.
    fn run(
        &mut self,
        training: &mut Training,
        crew: Option<&dyn Crew>,
        go_on: &(dyn Fn() -> bool + Sync),
        seen: &mut dyn FnMut(&Training),
    ) -> Result<TrainingEnd, TrainingError>;

    /// Keeps what was learned in the end.
    fn keep(&mut self, training: &Training, weights: &[u8]) -> Result<(), TrainingError>;
}

/// Writes something into what it is given.
pub type WriteBy<'a> = dyn FnMut(&mut dyn Write) -> io::Result<()> + 'a;

impl dyn Outputs + '_ {
    /// Refuses a field that names something that cannot be written.
    pub(super) fn check_field(&self, field: &str, name: Option<&String>) -> Result<(), RequestError> {
        let Some(name) = name else { return Ok(()) };
        self.check(name).map_err(|error| RequestError::input(format!("{} {name}: {error}", named(field))))
    }
}

/// Tables that are being written.
pub trait OpenTables {
    /// Who takes the games.
    fn binder(&self) -> &dyn Binder;

    /// Ends them. Gives where they are, and the numbers of games and moves.
    fn finish(self: Box<Self>) -> Result<(String, u64, u64), RequestError>;
}

/// Nothing can be kept.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoOutputs;

const NOWHERE: &str = "nothing can be written here; ask without it";

impl Outputs for NoOutputs {
    fn tables(&self, name: &str, _: Format) -> Result<Box<dyn OpenTables>, RequestError> {
        Err(RequestError::input(format!("{name}: {NOWHERE}")))
    }

    fn check(&self, _: &str) -> io::Result<()> {
        Err(io::Error::other(NOWHERE))
    }

    fn write_by(&self, _: &str, _: &mut WriteBy<'_>) -> io::Result<()> {
        Err(io::Error::other(NOWHERE))
    }

    fn remove(&self, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn folder(&self, _: &str) -> io::Result<()> {
        Err(io::Error::other(NOWHERE))
    }

    fn write(&self, name: &str, _: &[u8]) -> Result<(), RequestError> {
        Err(RequestError::input(format!("{name}: {NOWHERE}")))
    }
}
