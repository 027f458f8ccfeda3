//! How a game ends.

use serde::{Deserialize, Serialize};

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The goal was reached.
    Goal,
    /// A piece could not be placed, stayed above the top or could not enter.
    ToppedOut,
}
