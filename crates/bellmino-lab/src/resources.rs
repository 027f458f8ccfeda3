//! Named things from outside: the lab itself opens nothing, it asks whoever hosts it.

use thiserror::Error;

use crate::checksum::unsealed;

/// Where games, weights and tables that are not built in come from: files on a desktop, the folders of a lab, a store in a
/// page.
pub trait Resources: Send + Sync {
    /// Whether there is something of this name.
    fn has(&self, name: &str) -> bool;

    /// The bytes of a thing, at most [so many](ResourceKind::limit).
    fn read(&self, kind: ResourceKind, name: &str) -> Result<Vec<u8>, ResourceError>;
}

/// What a thing from outside is wanted as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceKind {
    /// A game's TOML file.
    Game,
    /// Weights of a controller.
    Weights,
    /// A tuple value.
    Tuples,
    /// Weights of the look-ahead bot.
    Bot,
    /// A solved table.
    Table,
    /// A diagram, a drawing of a board or a record.
    Text,
    /// Samples for forecasts.
    Samples,
}

/// The largest game, record, weight file or diagram that is read.
pub const MAX_TEXT: u64 = 1 << 20;

/// The most samples that are read.
pub const MAX_SAMPLES: u64 = 1 << 28;

/// The largest file of learned numbers that is read.
pub const MAX_WEIGHTS: u64 = 1 << 29;

impl ResourceKind {
    /// The most bytes that are read of it.
    pub fn limit(self) -> u64 {
        match self {
            ResourceKind::Game | ResourceKind::Weights | ResourceKind::Bot | ResourceKind::Text => MAX_TEXT,
            ResourceKind::Tuples => MAX_WEIGHTS,
            ResourceKind::Samples => MAX_SAMPLES,
            ResourceKind::Table => u64::MAX,
        }
    }
}

/// Why a thing cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ResourceError {
    /// There is none of this name.
    #[error("{0}")]
    Missing(String),
    /// It is there, and cannot be read.
    #[error("{0}")]
    Unreadable(String),
}

/// Nothing but what is built in.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuiltIn;

impl Resources for BuiltIn {
    fn has(&self, _: &str) -> bool {
        false
    }

    fn read(&self, _: ResourceKind, _: &str) -> Result<Vec<u8>, ResourceError> {
        Err(ResourceError::Missing("there are no files here".to_owned()))
    }
}

/// The text of a thing without its [checksum](crate::checksum), or why there is none.
pub(crate) fn read_text(
    resources: &dyn Resources,
    kind: ResourceKind,
    name: &str,
) -> Result<String, ResourceError> {
    let bytes = resources.read(kind, name)?;
    let text =
        String::from_utf8(bytes).map_err(|_| ResourceError::Unreadable("is not UTF-8 text".to_owned()))?;
    match unsealed(&text) {
        Ok(body) => Ok(body.into_owned()),
        Err(changed) => Err(ResourceError::Unreadable(changed.to_string())),
    }
}
