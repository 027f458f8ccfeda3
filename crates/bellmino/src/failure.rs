//! How a command fails: bad input, or a failure while running.

use std::fmt;
use std::io;

/// Why a command did not do what was asked.
#[derive(Debug)]
pub enum Failure {
    /// Bad usage or bad input: exit status 2.
    Input(String),
    /// It failed while running: exit status 1.
    Run(anyhow::Error),
}

impl Failure {
    /// Bad input; the message says what is wrong and what would be right.
    pub fn input(message: impl fmt::Display) -> Failure {
        Failure::Input(message.to_string())
    }

    /// A failure while running.
    pub fn run(error: impl Into<anyhow::Error>) -> Failure {
        Failure::Run(error.into())
    }

    /// The status to exit with.
    pub fn status(&self) -> u8 {
        match self {
            Failure::Input(_) => 2,
            Failure::Run(_) => 1,
        }
    }

    /// Whether the only trouble is that nobody reads the output any more.
    pub fn is_closed_pipe(&self) -> bool {
        let Failure::Run(error) = self else { return false };
        error.chain().any(|cause| {
            cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
        })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Input(message) => f.write_str(message),
            Failure::Run(error) => write!(f, "{error:#}"),
        }
    }
}

impl std::error::Error for Failure {}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::run(error)
    }
}
