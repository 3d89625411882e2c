//! Files and folders that are not needed for long.
//!
//! Others may write to the same place, so nothing is opened that exists already: it could be a link to something else.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A folder of our own that is removed in the end.
#[derive(Debug)]
pub struct Folder(PathBuf);

/// The folders that are still there.
static FOLDERS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn folders() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    // Whoever panicked meanwhile has changed one entry or none.
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all folders that are still there. Who ends the process calls this before, because nobody else will.
pub fn clean() {
    for folder in std::mem::take(&mut *folders()) {
        // There is nobody to tell.
        let _ = std::fs::remove_dir_all(folder);
    }
}

impl Folder {
    /// Makes a folder.
    pub fn new() -> io::Result<Folder> {
        let made = fresh(&std::env::temp_dir(), "fehu-", "", |path| std::fs::create_dir(path));
        let (path, ()) = made?;
        folders().insert(path.clone());
        Ok(Folder(path))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        folders().remove(&self.0);
        // There is nobody to tell.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Makes a new file in the folder for such things; its name ends like this. Somebody has to remove it.
pub fn file(end: &str) -> io::Result<(PathBuf, File)> {
    fresh(&std::env::temp_dir(), "fehu-", end, |path| File::create_new(path))
}

/// Makes a new file beside another one. Somebody has to rename or remove it.
pub fn beside(path: &Path) -> io::Result<(PathBuf, File)> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    // The name is short, whatever the other is, because that may be as long as names can be.
    fresh(folder.unwrap_or(Path::new(".")), ".fehu-", ".tmp", |path| File::create_new(path))
}

/// Makes something with a name that nothing has in a folder.
fn fresh<T>(
    folder: &Path,
    start: &str,
    end: &str,
    make: impl Fn(&Path) -> io::Result<T>,
) -> io::Result<(PathBuf, T)> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("{start}{}-{number}{end}", std::process::id()));
        match make(&path) {
            Ok(made) => return Ok((path, made)),
            // Another process had the same number, and did not clean up.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}
