//! Files that are whole or not there, and files from outside, which may be anything.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, IntoInnerError, Read, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

/// Letters of chance in the name of a file aside: so many that nobody has such a name by accident.
const CHANCE: usize = 12;

/// Whether a file of this name can be written, by trying: for work that takes long, before it begins.
pub fn check_writable(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a folder; give the name of a file"));
    }
    aside(path, 0o666).map(drop)
}

/// Writes a file aside, as `NAME.*.new` in the same folder, and renames it: nobody ever sees half of it, and after an
/// error the old one is as it was. A link is followed; a device or a pipe is written to as it is. What a process that was killed
/// while it wrote has left aside is removed by the next one that writes the same file.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("weights.json");
/// bellmino_host::files::write_whole(&file, |out| out.write_all(b"{}\n"))?;
/// assert_eq!(std::fs::read_to_string(&file)?, "{}\n");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_whole(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    // A link stays one, and a device or a pipe is written to: neither is put in the place of a file.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        let mut out = BufWriter::new(OpenOptions::new().write(true).open(path)?);
        write(&mut out)?;
        return out.flush();
    }
    let mut out = Aside::create(path)?;
    write(&mut out)?;
    out.whole()?.put()
}

/// A file that is written aside. It vanishes unless it is put in its place.
#[derive(Debug)]
pub struct Aside {
    out: BufWriter<NamedTempFile>,
    path: PathBuf,
}

/// A file that is whole, and on the disk, and still aside.
#[derive(Debug)]
pub struct Whole {
    file: NamedTempFile,
    path: PathBuf,
}

impl Aside {
    /// Begins the file that will be at this path.
    pub fn create(path: &Path) -> io::Result<Aside> {
        Ok(Aside { out: BufWriter::new(aside(path, 0o666)?), path: path.to_owned() })
    }

    /// The same of a file that only this user may read.
    pub fn create_private(path: &Path) -> io::Result<Aside> {
        Ok(Aside { out: BufWriter::new(aside(path, 0o600)?), path: path.to_owned() })
    }

    /// Ends it.
    pub fn whole(self) -> io::Result<Whole> {
        let file = self.out.into_inner().map_err(IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        Ok(Whole { file, path: self.path })
    }
}

impl Whole {
    /// Puts it in its place.
    pub fn put(self) -> io::Result<()> {
        self.file.persist(&self.path)?;
        Ok(())
    }
}

impl Write for Aside {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Opens a regular file for reading. A folder, a device or a pipe is refused without waiting for it.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    // A pipe that nobody writes to must not hold us up before it can be looked at.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK | libc::O_NOCTTY);
    let file = options.open(path)?;
    let kind = file.metadata()?.file_type();
    match () {
        () if kind.is_dir() => Err(io::Error::other("is a folder; give a file")),
        () if !kind.is_file() => Err(io::Error::other("is not a regular file")),
        () => Ok(file),
    }
}

/// The bytes of a regular file, of which at most so many are read, however long it says it is.
pub fn read_regular(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open_regular(path)?;
    let length = file.metadata()?.len();
    let mut bytes = Vec::with_capacity(length.min(most) as usize);
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let length = length.max(bytes.len() as u64);
        return Err(io::Error::other(format!("has {length} bytes; at most {most} are read")));
    }
    Ok(bytes)
}

/// Removes a file that was written whole, if it is there, and what a killed process left beside it.
pub fn remove_whole(path: &Path) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default();
    let left = |other: &OsStr| {
        let rest = other.as_encoded_bytes().strip_prefix(name.as_encoded_bytes());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b".") && rest.ends_with(b".new"))
    };
    for entry in fs::read_dir(folder_of(path))? {
        let entry = entry?;
        if left(&entry.file_name()) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Removes what killed processes have left aside of the file of this name: whoever lives holds the lock of its own.
pub fn remove_left_aside(path: &Path) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default();
    for entry in fs::read_dir(folder_of(path))?.flatten() {
        if !is_aside(&entry.file_name(), name) {
            continue;
        }
        // The lock is kept until the file is gone: see `aside`.
        let file = open_regular(&entry.path());
        if file.as_ref().is_ok_and(|file| file.try_lock().is_ok()) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Whether a file of the first name is one that was written aside for the second.
fn is_aside(other: &OsStr, name: &OsStr) -> bool {
    let rest = other.as_encoded_bytes().strip_prefix(name.as_encoded_bytes());
    let chance = rest.and_then(|rest| rest.strip_prefix(b".")?.strip_suffix(b".new"));
    chance.is_some_and(|chance| chance.len() == CHANCE && chance.iter().all(u8::is_ascii_alphanumeric))
}

/// A new file beside the one of this name; it goes away unless it is renamed. It is locked as long as it is written.
fn aside(path: &Path, mode: u32) -> io::Result<NamedTempFile> {
    let name = path.file_name().ok_or_else(|| io::Error::other("is not the name of a file"))?;
    // Who cannot clean up can still write.
    let _ = remove_left_aside(path);
    let prefix: OsString = [name, ".".as_ref()].into_iter().collect();
    let mut builder = Builder::new();
    builder.prefix(&prefix).suffix(".new").rand_bytes(CHANCE);
    // As any other file: who may read it is the user's mask to say.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
    #[cfg(not(unix))]
    let _ = mode;
    loop {
        let file = builder.tempfile_in(folder_of(path))?;
        // Somebody who cleans up may have been faster; a file system without locks has nobody who does.
        if file.as_file().lock().is_err() || file.path().exists() {
            return Ok(file);
        }
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.json");
        let names =
            || fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
        write_whole(&file, |out| write!(out, "old")).unwrap();
        let full = |out: &mut dyn Write| {
            write!(out, "half")?;
            Err(io::ErrorKind::StorageFull.into())
        };
        assert_eq!(write_whole(&file, full).unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read_to_string(&file).unwrap(), "old");
        assert_eq!(names(), ["a.json"]);
        write_whole(&file, |out| write!(out, "new")).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert!(write_whole(folder.path(), |_| Ok(())).is_err(), "a folder");
        for (name, expected) in [("a.json", true), ("new", true), ("", false), ("none/b", false)] {
            assert_eq!(check_writable(&folder.path().join(name)).is_ok(), expected, "{name}");
        }
        assert!(write_whole(&folder.path().join("none/b"), |_| Ok(())).is_err(), "no folder");
        assert_eq!(names(), ["a.json"]);
        // As if a process had been killed.
        fs::write(folder.path().join("a.json.x1.new"), "half").unwrap();
        fs::write(folder.path().join("b.new"), "another").unwrap();
        remove_whole(&file).unwrap();
        assert_eq!(names(), ["b.new"]);
    }

    /// What a killed process left aside goes, what somebody is writing stays, and so do names that are a user's own.
    #[test]
    fn what_was_left_aside_is_removed_by_the_next_writer() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.json");
        let others = ["a.json.backup.new", "a.json.new", "b.json.0123456789ab.new", "a.json.0123456789a.new"];
        for name in others.iter().chain(&["a.json.0123456789ab.new", "a.json.ZZZZZZZZZZZZ.new"]) {
            fs::write(folder.path().join(name), "half").unwrap();
        }
        let mut slow = Aside::create(&file).unwrap();
        write!(slow, "slow").unwrap();
        write_whole(&file, |out| write!(out, "quick")).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "quick");
        let mut names: Vec<_> =
            fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names.len(), others.len() + 2, "{names:?}");
        slow.whole().unwrap().put().unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "slow");
        names = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names.len(), others.len() + 1, "{names:?}");
    }

    /// Many writers and cleaners of one file at once: nobody loses what it writes.
    #[test]
    fn writers_of_one_file_do_not_hinder_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.json");
        std::thread::scope(|scope| {
            for number in 0..4 {
                let file = &file;
                scope.spawn(move || {
                    for _ in 0..100 {
                        write_whole(file, |out| write!(out, "{number}")).unwrap();
                    }
                });
            }
        });
        assert_eq!(fs::read(&file).unwrap().len(), 1);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }

    /// Neither a pipe nor a link is replaced by a file: `-o /dev/null` leaves the system as it was.
    #[test]
    #[cfg(unix)]
    fn pipes_and_links_stay_what_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let (pipe, file, link) =
            (folder.path().join("pipe"), folder.path().join("file"), folder.path().join("link"));
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read_to_string(pipe).unwrap()
        });
        write_whole(&pipe, |out| write!(out, "told")).unwrap();
        assert_eq!(reader.join().unwrap(), "told");
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write_whole(&link, |out| write!(out, "new")).unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
    }

    #[test]
    fn what_is_no_regular_file_is_refused_at_once_and_a_long_one_at_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        fs::write(&file, "12345").unwrap();
        assert_eq!(read_regular(&file, 5).unwrap(), b"12345");
        let error = |path: &Path, most| read_regular(path, most).unwrap_err().to_string();
        assert_eq!(error(&file, 4), "has 5 bytes; at most 4 are read");
        assert!(error(folder.path(), 9).contains("folder"));
        #[cfg(unix)]
        {
            let pipe = folder.path().join("pipe");
            assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
            for path in [pipe.as_path(), Path::new("/dev/zero"), Path::new("/dev/null")] {
                assert_eq!(error(path, 1 << 20), "is not a regular file", "{}", path.display());
            }
        }
        // Such a file says that it is empty.
        #[cfg(target_os = "linux")]
        assert!(error(Path::new("/proc/self/status"), 9).contains("at most 9 are read"));
    }

    /// The mask of the user decides who may read it, as with files written in any other way.
    #[test]
    #[cfg(unix)]
    fn permissions_are_those_of_other_files() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (ours, plain) = (folder.path().join("ours"), folder.path().join("plain"));
        write_whole(&ours, |_| Ok(())).unwrap();
        fs::write(&plain, "").unwrap();
        let mode = |path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&plain));
    }
}
