//! Values from text.
//!
//! An array's type is found first, by looking at its first element; then the elements are read by a loop
//! that is compiled once for each type, straight into a vector of that type.

use super::number::{Problem, Word, word_length};
use super::quick::quick;
use crate::array::{Array, Data, Elem, MAX_RANK, with_prim};
use crate::error::{ReadError, Result, count};
use crate::reader::Reader;
use crate::value::{Value, ValueType};
use fehu_base::Prim;

/// Reads the value that starts at the reader's place, which is not blank.
pub(crate) fn read(reader: &mut Reader<'_>, expected: Option<&ValueType>) -> Result<Value> {
    match reader.byte() {
        Some(b'[' | b'"') => array(reader, expected),
        Some(b'e') if starts_empty(reader) => empty(reader).map(Value::Array),
        _ => scalar(reader, expected),
    }
}

fn scalar(reader: &mut Reader<'_>, expected: Option<&ValueType>) -> Result<Value> {
    let start = reader.at;
    let word = word(reader, "a value")?;
    if let Some(expected) = expected
        && expected.rank > 0
    {
        let message = format!("expected an array of type {expected}, found a scalar");
        return Err(reader.error(start, message).help("write arrays in brackets: `[1, 2]`"));
    }
    if expected.is_none() && word.is_bare_special() {
        let message = "the type of this number is not known";
        return Err(reader.error(start, message).help("write `f32.nan` or `f64.inf`"));
    }
    let prim = expected.map_or_else(|| word.natural_type(), |expected| expected.elem);
    let scalar = word.convert(prim).map_err(|problem| placed(reader, start, problem))?;
    match reader.byte() {
        Some(b',') => {
            let message = "found `,` after a value";
            Err(reader.error(reader.at, message).help("separate values with spaces"))
        }
        _ => Ok(Value::Scalar(scalar)),
    }
}

/// Takes the next word, which ought to be `wanted`, apart.
#[inline]
fn word<'a>(reader: &mut Reader<'a>, wanted: &str) -> Result<Word<'a>> {
    let start = reader.at;
    let rest = reader.rest();
    let length = word_length(rest);
    if length == 0 {
        return Err(unexpected(reader, wanted));
    }
    let word = Word::new(&rest[..length]).map_err(|problem| placed(reader, start, problem))?;
    reader.at += length;
    Ok(word)
}

fn array(reader: &mut Reader<'_>, expected: Option<&ValueType>) -> Result<Value> {
    let start = reader.at;
    let natural = array_type(&mut reader.clone(), expected)?;
    if let Some(expected) = expected
        && expected.rank != natural.rank
    {
        let found = match natural.rank {
            1 => "an array of 1 dimension".to_owned(),
            rank => format!("an array of {rank} dimensions"),
        };
        let message = format!("expected a value of type {expected}, found {found}");
        return Err(reader.error(start, message));
    }
    let elem = expected.map_or(natural.elem, |expected| expected.elem);
    let (shape, data) = with_prim!(elem, T => rows::<T>(reader, natural.rank, expected.is_none())?);
    Array::new(shape, data)
        .map(Value::Array)
        .map_err(|problem| reader.error(start, problem.to_string()))
}

/// The type of an array by its brackets and its first element.
fn array_type(ahead: &mut Reader<'_>, expected: Option<&ValueType>) -> Result<ValueType> {
    let mut rank = 0;
    loop {
        match ahead.peek() {
            Some(b'[') if rank == MAX_RANK => {
                let message = format!("an array has at most {MAX_RANK} dimensions");
                return Err(ahead.error(ahead.at, message));
            }
            Some(b'[') => {
                rank += 1;
                ahead.at += 1;
            }
            Some(b']') => {
                return match expected {
                    Some(expected) => Ok(ValueType { elem: expected.elem, rank }),
                    None => {
                        let message = "the type of this empty array is not known";
                        let sizes = "[0]".repeat(rank.max(1));
                        let help =
                            format!("write it with its type and sizes, as in `empty({sizes}i32)`");
                        Err(ahead.error(ahead.at, message).help(help))
                    }
                };
            }
            Some(b'"') => return Ok(ValueType { elem: Prim::U8, rank: rank + 1 }),
            Some(b'e') if starts_empty(ahead) => {
                let rows = empty(ahead)?;
                return Ok(ValueType { elem: rows.elem(), rank: rank + rows.shape().len() });
            }
            _ => {
                let start = ahead.at;
                let word = word(ahead, "an element of the array")?;
                if expected.is_none() && word.is_bare_special() {
                    let message = "the type of this number is not known";
                    let help = "write `f32.nan` or `f64.inf`";
                    return Err(ahead.error(start, message).help(help));
                }
                return Ok(ValueType { elem: word.natural_type(), rank });
            }
        }
    }
}

fn rows<T: Elem>(
    reader: &mut Reader<'_>,
    rank: usize,
    guessed: bool,
) -> Result<(Vec<usize>, Data)> {
    let mut array = Rows::<T> { shape: vec![None; rank], guessed, elements: Vec::new() };
    array.row(reader, 0)?;
    let shape = array.shape.into_iter().map(|size| size.unwrap_or(0)).collect();
    Ok((shape, T::data(array.elements)))
}

/// An array while it is read.
struct Rows<T> {
    /// The sizes, each known once the first row of its dimension has ended.
    shape: Vec<Option<usize>>,
    /// Whether the first element decided the type.
    guessed: bool,
    elements: Vec<T>,
}

impl<T: Elem> Rows<T> {
    /// Reads a row of dimension `level`, with its brackets.
    fn row(&mut self, reader: &mut Reader<'_>, level: usize) -> Result<()> {
        let start = reader.at;
        let innermost = level + 1 == self.shape.len();
        let size = match reader.byte() {
            Some(b'[') => {
                reader.at += 1;
                if innermost { self.scalars(reader)? } else { self.inner_rows(reader, level)? }
            }
            Some(b'"') if innermost && T::PRIM == Prim::U8 => self.string(reader)?,
            Some(b'"') if innermost => {
                let message =
                    format!("a string has elements of type u8, but {} is expected here", T::PRIM);
                return Err(reader.error(start, message));
            }
            Some(b'e') if starts_empty(reader) => {
                let rows = empty(reader)?;
                return self.empty_rows(reader, start, level, &rows);
            }
            _ => {
                return Err(unexpected(reader, "a row").help("the preceding rows are in brackets"));
            }
        };
        self.sized(reader, start, level, size)
    }

    /// Notes the size of a row, which all rows of its dimension have.
    fn sized(
        &mut self,
        reader: &Reader<'_>,
        start: usize,
        level: usize,
        size: usize,
    ) -> Result<()> {
        match self.shape[level] {
            None => self.shape[level] = Some(size),
            Some(before) if before == size => {}
            Some(before) => {
                let innermost = level + 1 == self.shape.len();
                let thing = if innermost { "element" } else { "row" };
                let message = format!(
                    "irregular array: this row has {}, but the preceding rows have {before}",
                    count(size, thing)
                );
                return Err(reader.error(start, message).help("all rows must have the same size"));
            }
        }
        Ok(())
    }

    /// A row that is written as `empty([0][3]i32)`: it has no elements, but it has sizes.
    fn empty_rows(
        &mut self,
        reader: &Reader<'_>,
        start: usize,
        level: usize,
        rows: &Array,
    ) -> Result<()> {
        let needed = ValueType { elem: T::PRIM, rank: self.shape.len() - level };
        let found = ValueType { elem: rows.elem(), rank: rows.shape().len() };
        if needed != found {
            let message = format!("expected a row of type {needed}, found {found}");
            return Err(reader.error(start, message));
        }
        for (inner, &size) in rows.shape().iter().enumerate() {
            self.sized(reader, start, level + inner, size)?;
        }
        Ok(())
    }

    /// Reads rows up to the closing bracket; how many.
    fn inner_rows(&mut self, reader: &mut Reader<'_>, level: usize) -> Result<usize> {
        let mut size = 0;
        loop {
            if reader.peek() == Some(b']') {
                reader.at += 1;
                return Ok(size);
            }
            self.row(reader, level + 1)?;
            size += 1;
            separator(reader)?;
        }
    }

    /// Reads scalars up to the closing bracket; how many.
    fn scalars(&mut self, reader: &mut Reader<'_>) -> Result<usize> {
        let before = self.elements.len();
        loop {
            if reader.peek() == Some(b']') {
                reader.at += 1;
                return Ok(self.elements.len() - before);
            }
            if let Some((element, length)) = quick(reader.rest()) {
                reader.at += length;
                self.elements.push(element);
                separator(reader)?;
                continue;
            }
            let start = reader.at;
            let word = word(reader, "an element of the array")?;
            match word.element() {
                Ok(element) => self.elements.push(element),
                Err(problem) => return Err(self.wrong_element(placed(reader, start, problem))),
            }
            separator(reader)?;
        }
    }

    #[cold]
    fn wrong_element(&self, mut error: ReadError) -> ReadError {
        if self.guessed && !self.elements.is_empty() {
            let rule = "the first element determines the type of the array".to_owned();
            error.help.get_or_insert(rule);
        }
        error
    }

    /// Reads a string; how many bytes it has.
    fn string(&mut self, reader: &mut Reader<'_>) -> Result<usize> {
        let bytes = string(reader)?;
        let size = bytes.len();
        // The elements are u8 here, which the caller has checked, so that nothing is lost.
        self.elements.extend(bytes.into_iter().filter_map(|byte| T::from_scalar(byte.scalar())));
        Ok(size)
    }
}

/// Reads a comma, or sees the closing bracket.
#[inline]
fn separator(reader: &mut Reader<'_>) -> Result<()> {
    match reader.peek() {
        Some(b',') => {
            reader.at += 1;
            Ok(())
        }
        Some(b']') => Ok(()),
        _ => Err(unexpected(reader, "`,` or `]`")),
    }
}

/// Whether the word that comes next is `empty`.
fn starts_empty(reader: &Reader<'_>) -> bool {
    reader.rest().starts_with(b"empty")
}

/// Reads `empty([0][3]i32)`.
fn empty(reader: &mut Reader<'_>) -> Result<Array> {
    let start = reader.at;
    let malformed = |reader: &mut Reader<'_>, wanted: &str| {
        unexpected(reader, wanted).help("write empty arrays like this: `empty([0][3]i32)`")
    };
    reader.at += b"empty".len();
    if reader.peek() != Some(b'(') {
        return Err(malformed(reader, "`(`"));
    }
    reader.at += 1;
    let mut shape = Vec::new();
    while reader.peek() == Some(b'[') {
        if shape.len() == MAX_RANK {
            let message = format!("an array has at most {MAX_RANK} dimensions");
            return Err(reader.error(reader.at, message));
        }
        reader.at += 1;
        reader.skip_blanks();
        let digits = reader.rest().iter().take_while(|b| b.is_ascii_digit()).count();
        let size = std::str::from_utf8(&reader.rest()[..digits]).ok().and_then(|d| d.parse().ok());
        let Some(size) = size else {
            return Err(malformed(reader, "a size"));
        };
        shape.push(size);
        reader.at += digits;
        if reader.peek() != Some(b']') {
            return Err(malformed(reader, "`]`"));
        }
        reader.at += 1;
    }
    if shape.is_empty() {
        return Err(malformed(reader, "`[`"));
    }
    let name = reader.rest().iter().take_while(|b| b.is_ascii_alphanumeric()).count();
    let elem = std::str::from_utf8(&reader.rest()[..name]).ok().and_then(Prim::from_name);
    let Some(elem) = elem else {
        return Err(malformed(reader, "a primitive type"));
    };
    reader.at += name;
    if reader.peek() != Some(b')') {
        return Err(malformed(reader, "`)`"));
    }
    reader.at += 1;
    match Array::new(shape, Data::empty(elem)) {
        Ok(array) => Ok(array),
        Err(crate::array::ShapeError::WrongCount { .. }) => {
            let message = "none of the sizes of this empty array is 0";
            Err(reader.error(start, message).help("at least one size must be 0"))
        }
        Err(problem) => Err(reader.error(start, problem.to_string())),
    }
}

/// Reads a string with its quotes: its bytes.
fn string(reader: &mut Reader<'_>) -> Result<Vec<u8>> {
    let start = reader.at;
    reader.at += 1;
    let mut bytes = Vec::new();
    loop {
        match reader.byte() {
            None => {
                let message = "this string is not closed";
                return Err(reader.error(start, message).help("a string ends with `\"`"));
            }
            Some(b'"') => {
                reader.at += 1;
                return Ok(bytes);
            }
            Some(b'\\') => {
                let character = escape(reader)?;
                let mut buffer = [0; 4];
                bytes.extend_from_slice(
                    character.map_or("", |c| c.encode_utf8(&mut buffer)).as_bytes(),
                );
            }
            Some(byte) => {
                bytes.push(byte);
                reader.at += 1;
            }
        }
    }
}

/// Reads an escape sequence; `\&` stands for nothing.
fn escape(reader: &mut Reader<'_>) -> Result<Option<char>> {
    let start = reader.at;
    reader.at += 1;
    let letter = reader.byte();
    let (radix, digits) = match letter {
        Some(b'0'..=b'9') => (10, reader.at),
        Some(b'x') => (16, reader.at + 1),
        Some(b'o') => (8, reader.at + 1),
        _ => {
            reader.at += 1;
            return Ok(Some(match letter {
                Some(b'n') => '\n',
                Some(b't') => '\t',
                Some(b'r') => '\r',
                Some(b'a') => '\x07',
                Some(b'b') => '\x08',
                Some(b'f') => '\x0C',
                Some(b'v') => '\x0B',
                Some(b'&') => return Ok(None),
                Some(c @ (b'"' | b'\'' | b'\\')) => char::from(c),
                _ => {
                    let message = "unknown escape sequence in a string";
                    let help = "valid ones are \\n, \\t, \\r, \\\", \\\\, \\65, \\x41 and \\o101";
                    return Err(reader.error(start, message).help(help));
                }
            }));
        }
    };
    let length =
        reader.input[digits..].iter().take_while(|b| (**b as char).is_digit(radix)).count();
    let text = std::str::from_utf8(&reader.input[digits..digits + length]).unwrap_or_default();
    match u32::from_str_radix(text, radix).ok().and_then(char::from_u32) {
        Some(character) => {
            reader.at = digits + length;
            Ok(Some(character))
        }
        None => {
            Err(reader.error(start, "this escape sequence does not denote a Unicode character"))
        }
    }
}

/// An error at the reader's place: something else than `wanted` is there.
#[cold]
pub(super) fn unexpected(reader: &mut Reader<'_>, wanted: &str) -> ReadError {
    let found = match reader.peek() {
        None => "the end of the input".to_owned(),
        Some(_) => describe(reader.rest()),
    };
    reader.error(reader.at, format!("expected {wanted}, found {found}"))
}

/// The first word or character of some bytes, for a message.
pub(crate) fn describe(rest: &[u8]) -> String {
    let word = word_length(rest).min(40);
    if word > 0 {
        return format!("`{}`", String::from_utf8_lossy(&rest[..word]));
    }
    let chunk = rest.utf8_chunks().next();
    match chunk.and_then(|chunk| chunk.valid().chars().next()) {
        Some(c) if !c.is_control() => format!("`{c}`"),
        _ => match rest.first() {
            Some(byte) => format!("the byte {byte}"),
            None => "nothing".to_owned(),
        },
    }
}

#[cold]
fn placed(reader: &Reader<'_>, offset: usize, problem: Problem) -> ReadError {
    let mut error = reader.error(offset, problem.message);
    error.help = problem.help;
    error
}
