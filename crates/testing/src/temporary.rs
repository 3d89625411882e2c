//! Folders for files that are not needed for long.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A folder of our own that is removed in the end.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// Makes a folder.
    pub fn new() -> std::io::Result<Folder> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = COUNTER.fetch_add(1, Ordering::Relaxed);
            let name = format!("fehu-{}-{number}", std::process::id());
            let path = std::env::temp_dir().join(name);
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(Folder(path)),
                // Another process had the same number, and did not clean up.
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // There is nobody to tell.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
