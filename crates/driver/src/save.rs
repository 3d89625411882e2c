//! Files that are written whole, or stay what they were.
//!
//! A full disk in the middle of `fehu fmt` must not cost anybody their program. So a file is written under another name in
//! the same folder, and renamed when it is complete.

use crate::temporary;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes a file. If that fails, a file that was there before is as it was.
///
/// Links are followed. What is no usual file, such as a pipe or a device, is written as it is, and so is a file in a folder
/// where no other can be made.
pub fn save(path: impl AsRef<Path>, contents: impl AsRef<[u8]>) -> io::Result<()> {
    let (path, contents) = (path.as_ref(), contents.as_ref());
    let Some(target) = target(path) else {
        return fs::write(path, contents);
    };
    let (temporary, mut file) = match temporary::beside(&target) {
        Ok(made) => made,
        Err(error) if is_forbidden(&error) => return fs::write(path, contents),
        Err(error) => return Err(error),
    };
    let written = file.write_all(contents).and_then(|()| rights(&target, &file));
    drop(file);
    let renamed = written.and_then(|()| fs::rename(&temporary, &target));
    if renamed.is_err() {
        // It is of no use; what is wrong is told anyway.
        let _ = fs::remove_file(&temporary);
    }
    renamed
}

/// The file that a path leads to, or would lead to; none if it is not a usual file.
fn target(path: &Path) -> Option<PathBuf> {
    match fs::symlink_metadata(path) {
        Err(_) => Some(path.to_owned()),
        Ok(data) if data.is_file() => Some(path.to_owned()),
        Ok(data) if data.is_symlink() => {
            let target = fs::canonicalize(path).ok()?;
            target.is_file().then_some(target)
        }
        Ok(_) => None,
    }
}

fn is_forbidden(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// A file that exists keeps its rights, and one that may not be written is not replaced.
fn rights(target: &Path, file: &File) -> io::Result<()> {
    match fs::metadata(target) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
        Ok(data) => {
            File::options().append(true).open(target)?;
            file.set_permissions(data.permissions())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temporary::Folder;

    #[test]
    fn files_are_new_or_replaced() {
        let folder = Folder::new().expect("it can be made");
        let file = folder.path().join("a");
        for text in ["first", "second"] {
            save(&file, text).expect("it can be written");
            assert_eq!(fs::read_to_string(&file).expect("it is there"), text);
        }
        assert_eq!(fs::read_dir(folder.path()).expect("it is there").count(), 1);
        assert!(save(folder.path(), "x").is_err());
        assert!(save(folder.path().join("no/such/folder"), "x").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_and_rights_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = Folder::new().expect("it can be made");
        let (file, link) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&file, "old").expect("it can be written");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("it is ours");
        symlink("a", &link).expect("a link can be made");
        save(&link, "new").expect("it can be written");
        assert!(fs::symlink_metadata(&link).expect("it is there").is_symlink());
        let data = fs::metadata(&file).expect("it is there");
        assert_eq!(data.permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_to_string(&file).expect("it is there"), "new");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn devices_are_written_as_they_are() {
        save("/dev/null", "x").expect("it takes everything");
        let error = save("/dev/full", "x").expect_err("it takes nothing");
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert!(!Path::new("/dev/full").is_file());
    }
}
