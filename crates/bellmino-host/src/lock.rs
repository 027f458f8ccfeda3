//! Locks: a folder has one writer at a time, which says who it is.
//!
//! `NAME.lock` in the folder is locked by the system for as long as its process lives, however it ends; `NAME.owner` beside
//! it says who that is, and counts only while the lock is held.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use thiserror::Error;

use crate::files::{Aside, read_regular};

/// Somebody who only looks whether a lock is held has it for a moment; so often we try again.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(25);

/// The longest text of an owner.
const MAX_OWNER: u64 = 1 << 16;

/// A lock that is held until it is dropped.
#[derive(Debug)]
pub struct Lock {
    owner: PathBuf,
    _file: File,
}

/// Why a lock was not taken.
#[derive(Debug, Error)]
pub enum LockError {
    /// Another process has it.
    #[error("{} is in use{}", .folder.display(), process(.owner))]
    Held {
        /// The folder.
        folder: PathBuf,
        /// What the other said of itself; null if it has not said it yet.
        owner: Value,
    },
    /// The system refused.
    #[error("cannot lock {}: {error}", .folder.display())]
    System {
        /// The folder.
        folder: PathBuf,
        /// Why.
        error: io::Error,
    },
}

impl Lock {
    /// Takes the lock `NAME.lock` of a folder and says who has it; `pid` is added.
    ///
    /// ```
    /// use bellmino_host::lock::{Lock, LockError};
    /// use serde_json::json;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let lock = Lock::take(folder.path(), "run", json!({}))?;
    /// assert!(matches!(Lock::take(folder.path(), "run", json!({})), Err(LockError::Held { .. })));
    /// assert_eq!(Lock::owner(folder.path(), "run").unwrap()["pid"], std::process::id());
    /// drop(lock);
    /// assert_eq!(Lock::owner(folder.path(), "run"), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn take(folder: &Path, name: &str, mut owner: Value) -> Result<Lock, LockError> {
        let system = |error| LockError::System { folder: folder.to_owned(), error };
        let file = open(folder, name, true).map_err(system)?;
        for left in (0..TRIES).rev() {
            match file.try_lock() {
                Ok(()) => break,
                // A file system without locks: as before there were any.
                Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => break,
                Err(TryLockError::Error(error)) => return Err(system(error)),
                Err(TryLockError::WouldBlock) if left == 0 => {
                    let owner = said(folder, name).unwrap_or_default();
                    return Err(LockError::Held { folder: folder.to_owned(), owner });
                }
                Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            }
        }
        owner["pid"] = std::process::id().into();
        let lock = Lock { owner: owner_file(folder, name), _file: file };
        lock.say(&owner).map_err(system)?;
        Ok(lock)
    }

    /// Says anew who has the lock. Only this user may read it.
    pub fn say(&self, owner: &Value) -> io::Result<()> {
        let mut file = Aside::create_private(&self.owner)?;
        write!(file, "{owner}")?;
        file.whole()?.put()
    }

    /// Who has the lock of a folder; `None` if nobody has. Null is somebody who has not said it yet.
    pub fn owner(folder: &Path, name: &str) -> Option<Value> {
        let file = open(folder, name, false).ok()?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Some(said(folder, name).unwrap_or_default()),
            _ => None,
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While the lock is still held: it is nobody else's.
        let _ = fs::remove_file(&self.owner);
    }
}

fn open(folder: &Path, name: &str, create: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(create).create(create).truncate(false);
    options.open(folder.join(format!("{name}.lock")))
}

fn owner_file(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.owner"))
}

fn said(folder: &Path, name: &str) -> Option<Value> {
    let bytes = read_regular(&owner_file(folder, name), MAX_OWNER).ok()?;
    serde_json::from_slice(&bytes).ok()
}

fn process(owner: &Value) -> String {
    owner["pid"].as_u64().map_or(String::new(), |pid| format!(" by process {pid}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_lock_is_held_once_and_says_by_whom() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Lock::owner(folder.path(), "lab"), None);
        let lock = Lock::take(folder.path(), "lab", json!({ "url": "here" })).unwrap();
        let error = Lock::take(folder.path(), "lab", json!({})).unwrap_err();
        assert!(error.to_string().contains(&format!("process {}", std::process::id())), "{error}");
        lock.say(&json!({ "url": "there" })).unwrap();
        assert_eq!(Lock::owner(folder.path(), "lab").unwrap()["url"], "there");
        // Looking does not keep a writer out.
        drop(lock);
        let looking = thread::spawn({
            let folder = folder.path().to_owned();
            move || (0..2000).for_each(|_| drop(Lock::owner(&folder, "lab")))
        });
        for _ in 0..100 {
            Lock::take(folder.path(), "lab", json!({})).unwrap();
        }
        looking.join().unwrap();
        // What a killed process said counts no longer.
        fs::write(folder.path().join("lab.owner"), r#"{"pid":1}"#).unwrap();
        assert_eq!(Lock::owner(folder.path(), "lab"), None);
        assert!(Lock::take(&folder.path().join("none"), "lab", json!({})).is_err());
    }

    #[test]
    #[cfg(unix)]
    fn only_this_user_reads_what_the_owner_says() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let _lock = Lock::take(folder.path(), "lab", json!({ "url": "secret" })).unwrap();
        let mode = fs::metadata(folder.path().join("lab.owner")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
