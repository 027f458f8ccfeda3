//! Where what a request makes is put, if anybody wants to keep it.

use bellmino_data::Format;

use super::RequestError;
use crate::page::Binder;

/// Where files are put: folders on a desktop. A page has none.
pub trait Outputs: Sync {
    /// Begins the tables of games and moves of this name.
    fn tables(&self, name: &str, format: Format) -> Result<Box<dyn OpenTables>, RequestError>;

    /// Writes something whole, or not at all.
    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), RequestError>;
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

    fn write(&self, name: &str, _: &[u8]) -> Result<(), RequestError> {
        Err(RequestError::input(format!("{name}: {NOWHERE}")))
    }
}
