//! Folders and files for this user alone.

use std::fs;
use std::io;
use std::path::Path;

/// Makes the data folder if it is not there. It is this user's alone, unless it holds other things than the lab's.
pub fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
        builder.mode(0o700);
        let is_ours =
            |name: &str| name.starts_with("lab.") || ["runs", "games", "weights", "tables"].contains(&name);
        if let Ok(metadata) = fs::metadata(folder)
            && metadata.permissions().mode() & 0o077 != 0
            && fs::read_dir(folder)?.flatten().all(|entry| entry.file_name().to_str().is_some_and(is_ours))
        {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
        }
    }
    builder.create(folder)
}

/// Makes the file of the store if it is not there, for this user alone.
pub fn private_file(path: &Path) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let _file = options.open(path)?;
    #[cfg(unix)]
    _file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn the_folder_is_closed_to_others_unless_it_is_not_the_labs_alone() {
        let parent = tempfile::tempdir().unwrap();
        let (new, old, shared) =
            (parent.path().join("a/new"), parent.path().join("old"), parent.path().join("shared"));
        make_private(&new).unwrap();
        assert_eq!(mode(&new), 0o700);
        for folder in [&old, &shared] {
            fs::create_dir(folder).unwrap();
            fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
            fs::write(folder.join("lab.sqlite"), "").unwrap();
            fs::create_dir(folder.join("runs")).unwrap();
        }
        fs::write(shared.join("letter.txt"), "").unwrap();
        make_private(&old).unwrap();
        make_private(&shared).unwrap();
        assert_eq!((mode(&old), mode(&shared)), (0o700, 0o755));
        fs::set_permissions(shared.join("lab.sqlite"), fs::Permissions::from_mode(0o644)).unwrap();
        private_file(&shared.join("lab.sqlite")).unwrap();
        private_file(&new.join("lab.sqlite")).unwrap();
        assert_eq!((mode(&shared.join("lab.sqlite")), mode(&new.join("lab.sqlite"))), (0o600, 0o600));
    }
}
