//! Texts that the user names.

use std::path::Path;

use bellmino_host::load as host_load;
use bellmino_lab::load::MAX_TEXT;

use crate::failure::Failure;

/// A text file of reasonable size; anything else is bad input.
pub fn read_text(path: &Path) -> Result<String, Failure> {
    host_load::read_text(path, MAX_TEXT).map_err(Failure::input)
}
