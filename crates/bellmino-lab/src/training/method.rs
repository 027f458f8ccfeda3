//! Methods by name.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A way to learn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Noisy cross-entropy.
    Cem,
    /// Covariance matrix adaptation.
    CmaEs,
    /// Separable natural evolution strategy.
    Snes,
    /// Temporal differences.
    Td,
    /// Classification-based modified policy iteration.
    Cbmpi,
    /// Temporal differences of a value over windows of the board.
    Tuples,
    /// Fitting or searching the evaluation of the look-ahead bot.
    Tune,
}

impl Method {
    /// The name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Method::Cem => "cem",
            Method::CmaEs => "cma-es",
            Method::Snes => "snes",
            Method::Td => "td",
            Method::Cbmpi => "cbmpi",
            Method::Tuples => "tuples",
            Method::Tune => "tune",
        }
    }

    /// What a step is called, and the option that says how many there are.
    pub fn steps(self) -> &'static str {
        match self {
            Method::Td => "episodes",
            Method::Cbmpi => "iterations",
            Method::Tuples => "steps",
            _ => "generations",
        }
    }

    /// The file that weights are kept in: a controller's, a tuple value's or the look-ahead bot's.
    pub fn weights_file(self) -> &'static str {
        match self {
            Method::Tune => "weights.toml",
            Method::Tuples => "weights.tuples",
            _ => "weights.json",
        }
    }

    /// The player that plays by a file of such weights: `weights:FILE`, `tuples:FILE` or `bot:FILE`.
    pub fn player(self, file: &std::path::Path) -> String {
        let kind = match self {
            Method::Tune => "bot",
            Method::Tuples => "tuples",
            _ => "weights",
        };
        format!("{kind}:{}", file.display())
    }

    /// For configurations that name none: those of `tune` did not.
    pub(super) fn unnamed() -> Method {
        Method::Tune
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
