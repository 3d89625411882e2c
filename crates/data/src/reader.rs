//! A stream of values in any mixture of formats.

use crate::error::{ReadError, Result};
use crate::value::{Value, ValueType};
use crate::{binary, npy, text};

/// Reads values one after the other from bytes in memory.
///
/// ```
/// use fehu_data::{Reader, ValueType};
/// let mut reader = Reader::new(b"[1.5, 2] 3 -- and no more");
/// let floats = ValueType::parse("[]f32").unwrap();
/// assert_eq!(reader.next_value(Some(&floats)).unwrap().unwrap().to_string(), "[1.5f32, 2.0f32]");
/// assert_eq!(reader.next_value(None).unwrap().unwrap().to_string(), "3i32");
/// assert_eq!(reader.next_value(None).unwrap(), None);
/// ```
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    pub(crate) input: &'a [u8],
    pub(crate) at: usize,
}

/// Reads all values.
pub fn read_all(input: &[u8]) -> Result<Vec<Value>> {
    let mut reader = Reader::new(input);
    let mut values = Vec::new();
    while let Some(value) = reader.next_value(None)? {
        values.push(value);
    }
    Ok(values)
}

/// Reads exactly the values of a list of types, as the arguments of a function.
pub fn read_typed(input: &[u8], types: &[ValueType]) -> Result<Vec<Value>> {
    let mut reader = Reader::new(input);
    let mut values = Vec::with_capacity(types.len());
    for (i, ty) in types.iter().enumerate() {
        match reader.next_value(Some(ty))? {
            Some(value) => values.push(value),
            None => {
                let message = format!("the input ends before value {} of {}", i + 1, types.len());
                return Err(reader
                    .error(reader.at, message)
                    .help(format!("a value of type {ty} is missing")));
            }
        }
    }
    if reader.peek().is_some() {
        let message = format!("there is more input after the last of {} values", types.len());
        return Err(reader.error(reader.at, message));
    }
    Ok(values)
}

impl<'a> Reader<'a> {
    /// A reader at the start of `input`.
    pub fn new(input: &'a [u8]) -> Reader<'a> {
        Reader { input, at: 0 }
    }

    /// The next value, or `None` at the end of the input.
    ///
    /// If a type is expected, numbers without suffix have it, and any other value is an error. After an
    /// error the reader stands where it stood before, so that asking again gives the same error.
    pub fn next_value(&mut self, expected: Option<&ValueType>) -> Result<Option<Value>> {
        let Some(first) = self.peek() else {
            return Ok(None);
        };
        let mut ahead = self.clone();
        let value = match first {
            b'b' => binary::read(&mut ahead)?,
            npy::FIRST_BYTE => npy::read_from(&mut ahead)?,
            _ => text::read(&mut ahead, expected)?,
        };
        if let Some(expected) = expected
            && value.value_type() != *expected
        {
            let message =
                format!("expected a value of type {expected}, found {}", value.value_type());
            return Err(self.error(self.at, message));
        }
        *self = ahead;
        Ok(Some(value))
    }

    /// The first byte of what comes next, after blanks and comments; `None` at the end of the input.
    /// A caller whose values stand between other things, such as braces, looks here for them.
    pub fn peek(&mut self) -> Option<u8> {
        self.skip_blanks();
        self.byte()
    }

    /// How many bytes have been read.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// What has not been read yet.
    pub fn rest(&self) -> &'a [u8] {
        &self.input[self.at..]
    }

    pub(crate) fn byte(&self) -> Option<u8> {
        self.input.get(self.at).copied()
    }

    /// Skips white space, and comments from `--` to the end of the line.
    pub(crate) fn skip_blanks(&mut self) {
        loop {
            match self.byte() {
                Some(b' ' | b'\n' | b'\t' | b'\r' | 0x0B | 0x0C) => self.at += 1,
                Some(b'-') if self.input.get(self.at + 1) == Some(&b'-') => {
                    let line = self.rest().iter().position(|&b| b == b'\n');
                    self.at = line.map_or(self.input.len(), |length| self.at + length);
                }
                _ => return,
            }
        }
    }

    /// The next `n` bytes, if there are so many.
    pub(crate) fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(n)?;
        let bytes = self.input.get(self.at..end)?;
        self.at = end;
        Some(bytes)
    }

    /// An error in text.
    pub(crate) fn error(&self, offset: usize, message: impl Into<String>) -> ReadError {
        ReadError::text(self.input, offset, message)
    }

    /// An error in a binary value.
    pub(crate) fn binary_error(&self, offset: usize, message: impl Into<String>) -> ReadError {
        ReadError::binary(self.input, offset, message)
    }
}
