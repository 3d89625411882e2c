//! What a reader says when its input is wrong: where, what was found, and what would be right.

use std::fmt;

/// Input that is not a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadError {
    /// The byte where the trouble starts, from 0.
    pub offset: usize,
    /// Its line, from 1. Bytes of binary values may count as line breaks.
    pub line: usize,
    /// Its column in characters, from 1.
    pub column: usize,
    /// Whether the trouble is inside a binary value, where lines mean nothing.
    pub binary: bool,
    /// What is wrong, with what was found.
    pub message: String,
    /// What would be right, if it is known.
    pub help: Option<String>,
}

/// A result of reading.
pub type Result<T> = std::result::Result<T, ReadError>;

impl ReadError {
    /// An error in a text.
    pub fn text(input: &[u8], offset: usize, message: impl Into<String>) -> ReadError {
        let before = &input[..offset.min(input.len())];
        let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
        let start = before.iter().rposition(|&b| b == b'\n').map_or(0, |newline| newline + 1);
        // Bytes that continue a character of UTF-8 are no columns.
        let column = before[start..].iter().filter(|&&b| b & 0xC0 != 0x80).count() + 1;
        ReadError { offset, line, column, binary: false, message: message.into(), help: None }
    }

    /// An error in a binary value.
    pub fn binary(input: &[u8], offset: usize, message: impl Into<String>) -> ReadError {
        ReadError { binary: true, ..ReadError::text(input, offset, message) }
    }

    /// Adds what would be right.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> ReadError {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.binary {
            write!(f, "byte {}: {}", self.offset, self.message)?;
        } else {
            write!(f, "{}:{}: {}", self.line, self.column, self.message)?;
        }
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ReadError {}

/// `1 byte`, `2 bytes`.
pub(crate) fn count(n: usize, thing: &str) -> String {
    if n == 1 { format!("1 {thing}") } else { format!("{n} {thing}s") }
}
