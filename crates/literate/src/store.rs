//! The folder beside a page, with its pictures and all other results: they are the cache, too.
//!
//! A result has a file whose name begins with a digest of all that it depends on. If the file is there, nothing is
//! computed. At the end, files that nobody asked for are deleted.

use fehu_base::hash;
use fehu_driver::save::save;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A folder of results.
pub struct Store {
    folder: PathBuf,
    used: BTreeSet<String>,
}

/// Says that programs which make copies may leave the folder out.
const TAG: (&str, &str) = (
    "CACHEDIR.TAG",
    "Signature: 8a477f597d28d172789f06886806bc55\n# Results of a literate program.\n",
);

impl Store {
    /// The folder, which need not exist.
    pub fn new(folder: PathBuf) -> Store {
        Store { folder, used: BTreeSet::new() }
    }

    /// The contents of a file, if it is there. It is kept.
    pub fn get(&mut self, name: &str) -> Option<Vec<u8>> {
        self.used.insert(name.to_owned());
        fs::read(self.folder.join(name)).ok()
    }

    /// Writes a file.
    pub fn put(&mut self, name: &str, contents: &[u8]) -> io::Result<()> {
        self.used.insert(name.to_owned());
        if !self.folder.is_dir() {
            fs::create_dir_all(&self.folder)?;
            save(self.folder.join(TAG.0), TAG.1)?;
        }
        save(self.folder.join(name), contents)
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Deletes the files that were not used, and the folder if it is empty then. A folder that is not ours stays as it is.
    pub fn clean(&self) -> io::Result<()> {
        if !self.folder.join(TAG.0).is_file() {
            return Ok(());
        }
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if name != TAG.0 && !self.used.contains(&name) && entry.file_type()?.is_file() {
                fs::remove_file(entry.path())?;
            }
        }
        if fs::read_dir(&self.folder)?.count() == 1 {
            fs::remove_dir_all(&self.folder)?;
        }
        Ok(())
    }
}

/// The start of the names of a directive's files.
pub fn key(reached: &str, source: &str, files: &[(String, Option<Vec<u8>>)]) -> String {
    // A new number where the same directive looks different.
    const VERSION: &[u8] = b"1";
    let mut parts: Vec<&[u8]> = vec![VERSION, reached.as_bytes(), source.as_bytes()];
    for (name, contents) in files {
        parts.push(name.as_bytes());
        parts.push(contents.as_deref().unwrap_or(b"missing"));
    }
    hash::digest(parts)[..32].to_owned()
}
