//! Where texts come from.
//!
//! Everything that reads goes through [`Files`], so that tests and editors can run the whole
//! compiler on texts in memory.

use crate::paths::normalise;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};

/// The largest file that is read. Places are 32-bit numbers; this leaves room.
pub const MAX_BYTES: u64 = 1 << 30;

/// Access to files by path. Paths use `/`.
pub trait Files: Sync {
    /// The bytes of a file.
    fn read(&self, path: &str) -> Result<Vec<u8>, ReadError>;

    /// A name that two paths share exactly if they lead to the same file.
    fn identity(&self, path: &str) -> String;

    /// The folder that relative paths begin in.
    fn folder(&self) -> Result<String, ReadError> {
        Err(no_folders())
    }

    /// Lets relative paths begin in another folder.
    fn enter(&self, _folder: &str) -> Result<(), ReadError> {
        Err(no_folders())
    }
}

/// Why a file could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReadError {
    /// There is no such file.
    NotFound,
    /// It is a folder.
    Directory,
    /// It is larger than [`MAX_BYTES`].
    TooLarge,
    /// The system refused, in its own words.
    Refused(String),
}

/// The files of the machine. In WebAssembly there are none.
pub struct Disk;

impl Files for Disk {
    fn read(&self, path: &str) -> Result<Vec<u8>, ReadError> {
        if cfg!(target_family = "wasm") {
            return Err(ReadError::NotFound);
        }
        let file = File::open(path).map_err(|error| read_error(&error))?;
        let metadata = file.metadata().map_err(|error| read_error(&error))?;
        if metadata.is_dir() {
            return Err(ReadError::Directory);
        }
        if metadata.len() > MAX_BYTES {
            return Err(ReadError::TooLarge);
        }
        // Devices and pipes have no length beforehand, so the limit is checked again.
        let mut bytes = Vec::new();
        let mut limited = file.take(MAX_BYTES + 1);
        limited.read_to_end(&mut bytes).map_err(|error| read_error(&error))?;
        if bytes.len() as u64 > MAX_BYTES { Err(ReadError::TooLarge) } else { Ok(bytes) }
    }

    fn identity(&self, path: &str) -> String {
        // A file that does not exist is reported when it is read; its path is as good as any.
        match std::fs::canonicalize(path) {
            Ok(found) => found.display().to_string(),
            Err(_) => path.to_owned(),
        }
    }

    fn folder(&self) -> Result<String, ReadError> {
        let folder = std::env::current_dir().map_err(|error| read_error(&error))?;
        Ok(folder.display().to_string())
    }

    fn enter(&self, folder: &str) -> Result<(), ReadError> {
        std::env::set_current_dir(folder).map_err(|error| read_error(&error))
    }
}

/// What texts in memory say.
fn no_folders() -> ReadError {
    ReadError::Refused("there are no folders here".to_owned())
}

/// Files in memory: a map from path to bytes.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    files: BTreeMap<String, Vec<u8>>,
}

impl Memory {
    /// The given paths and contents.
    pub fn new<P: Into<String>, C: Into<Vec<u8>>>(
        files: impl IntoIterator<Item = (P, C)>,
    ) -> Memory {
        let files = files.into_iter();
        let files = files.map(|(path, text)| (normalise(&path.into()), text.into()));
        Memory { files: files.collect() }
    }
}

impl Files for Memory {
    fn read(&self, path: &str) -> Result<Vec<u8>, ReadError> {
        let path = normalise(path);
        match self.files.get(&path) {
            Some(bytes) => Ok(bytes.clone()),
            None => {
                let folder = format!("{path}/");
                let is_folder = self.files.keys().any(|file| file.starts_with(&folder));
                Err(if is_folder { ReadError::Directory } else { ReadError::NotFound })
            }
        }
    }

    fn identity(&self, path: &str) -> String {
        normalise(path)
    }
}

fn read_error(error: &io::Error) -> ReadError {
    match error.kind() {
        io::ErrorKind::NotFound => ReadError::NotFound,
        io::ErrorKind::IsADirectory => ReadError::Directory,
        _ => ReadError::Refused(error.to_string()),
    }
}
