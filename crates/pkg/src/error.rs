//! What goes wrong with packages, in words for people.

use std::fmt;
use std::io;
use std::path::Path;

/// The result of everything here that may fail.
pub type Result<T> = std::result::Result<T, Error>;

/// A headline, what else is known, and what would help.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error(Box<Parts>);

#[derive(Clone, PartialEq, Eq, Debug)]
struct Parts {
    message: String,
    notes: Vec<String>,
    help: Option<String>,
}

impl Error {
    /// An error with a headline alone.
    pub fn new(message: impl Into<String>) -> Error {
        Error(Box::new(Parts { message: message.into(), notes: Vec::new(), help: None }))
    }

    /// Adds something that is known.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Error {
        self.0.notes.push(note.into());
        self
    }

    /// Adds what would help.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Error {
        self.0.help = Some(help.into());
        self
    }

    /// A file could not be read, written, moved or removed.
    pub(crate) fn file(what: &str, path: &Path, why: &io::Error) -> Error {
        Error::new(format!("cannot {what} \"{}\": {why}", path.display()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = &self.0;
        f.write_str(&parts.message)?;
        let notes = parts.notes.iter().map(|note| ("note", note));
        for (kind, text) in notes.chain(parts.help.iter().map(|help| ("help", help))) {
            write!(f, "\n  {kind}: {}", text.replace('\n', "\n    "))?;
        }
        Ok(())
    }
}
