//! Texts and named things from the files of this machine: of bounded size, and refused with the reason.

use std::io::ErrorKind;
use std::path::Path;

use bellmino_lab::load::LoadError;
use bellmino_lab::{ResourceError, ResourceKind, Resources, checksum};

use crate::files::read_regular;

/// Named things are files, and their names paths.
#[derive(Clone, Copy, Debug, Default)]
pub struct Files;

impl Resources for Files {
    fn has(&self, name: &str) -> bool {
        Path::new(name).is_file()
    }

    fn read(&self, kind: ResourceKind, name: &str) -> Result<Vec<u8>, ResourceError> {
        read_regular(Path::new(name), kind.limit()).map_err(|error| match error.kind() {
            // A name with a line break in it, or a very long one, is no name of a file.
            ErrorKind::NotFound
            | ErrorKind::InvalidInput
            | ErrorKind::InvalidFilename
            | ErrorKind::NotADirectory => ResourceError::Missing(error.to_string()),
            _ => ResourceError::Unreadable(error.to_string()),
        })
    }
}

/// A text file of at most so many bytes, without its [checksum].
pub fn read_text(path: &Path, most: u64) -> Result<String, LoadError> {
    let refuse = |why: String| LoadError::File { file: path.display().to_string(), why };
    let bytes = read_regular(path, most).map_err(|error| refuse(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| refuse("is not UTF-8 text".to_owned()))?;
    Ok(checksum::unsealed(&text).map_err(|changed| refuse(changed.to_string()))?.into_owned())
}
