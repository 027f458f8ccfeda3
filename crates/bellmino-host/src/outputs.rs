//! What requests make, as files and folders of this machine.

use std::path::Path;

use bellmino_data::Format;
use bellmino_lab::Binder;
use bellmino_lab::request::{OpenTables, Outputs, RequestError, named};

use crate::files::write_whole;
use crate::ledger::{Ledger, LedgerError};
use crate::load::Files;

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

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), RequestError> {
        let written = write_whole(Path::new(name), |out| std::io::Write::write_all(out, bytes));
        written.map_err(|error| RequestError::run(format!("cannot write {name}: {error}")))
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
