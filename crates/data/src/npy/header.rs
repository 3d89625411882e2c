//! The header of a `.npy` file: a dictionary in Python's notation.

use crate::array::MAX_RANK;
use crate::bytes::Order;
use crate::error::{ReadError, Result};
use crate::reader::Reader;
use fehu_base::Prim;

/// What a header says.
pub(super) struct Header {
    pub(super) elem: Prim,
    pub(super) order: Order,
    pub(super) fortran: bool,
    pub(super) shape: Vec<usize>,
}

/// Reads a header; the reader stands after the magic bytes.
pub(super) fn read(reader: &mut Reader<'_>) -> Result<Header> {
    let start = reader.at;
    let cut =
        |reader: &Reader<'_>| reader.binary_error(start, "the .npy file ends within its header");
    let Some(&[major, minor]) = reader.take(2) else {
        return Err(cut(reader));
    };
    if !matches!(major, 1..=3) {
        let message = format!("version {major}.{minor} of .npy files is not supported");
        return Err(reader.binary_error(start, message).help("versions 1.0, 2.0 and 3.0 are"));
    }
    let length = match reader.take(if major == 1 { 2 } else { 4 }) {
        Some(&[a, b]) => usize::from(u16::from_le_bytes([a, b])),
        Some(&[a, b, c, d]) => u32::from_le_bytes([a, b, c, d]) as usize,
        _ => return Err(cut(reader)),
    };
    let header_start = reader.at;
    let Some(text) = reader.take(length) else {
        return Err(cut(reader));
    };
    let mut parser = Parser { reader, text, at: 0, start: header_start };
    parser.dictionary()
}

/// NumPy's name of an element type, for a header.
pub(super) fn descr(elem: Prim) -> String {
    let kind = match elem {
        Prim::Bool => 'b',
        _ if elem.is_signed() => 'i',
        _ if elem.is_unsigned() => 'u',
        _ => 'f',
    };
    let size = elem.bits() / 8;
    format!("{}{kind}{size}", if size == 1 { '|' } else { '<' })
}

struct Parser<'p, 'a> {
    reader: &'p Reader<'a>,
    text: &'a [u8],
    at: usize,
    /// Where the header starts in the reader's input.
    start: usize,
}

impl<'a> Parser<'_, 'a> {
    fn dictionary(&mut self) -> Result<Header> {
        let mut descr = None;
        let mut fortran = None;
        let mut shape = None;
        self.symbol(b'{')?;
        while self.peek() != Some(b'}') {
            let key = self.string()?;
            self.symbol(b':')?;
            match key {
                b"descr" if matches!(self.peek(), Some(b'[' | b'(' | b'{')) => {
                    let message = "the elements of this array are structured";
                    return Err(self
                        .error(0, message)
                        .help("save a separate array for each field"));
                }
                b"descr" => descr = Some(self.string()?),
                b"fortran_order" => fortran = Some(self.boolean()?),
                b"shape" => shape = Some(self.shape()?),
                _ => {
                    let key = key.escape_ascii();
                    let message =
                        format!("the header of this .npy file has an unknown key \"{key}\"");
                    return Err(self.error(0, message));
                }
            }
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {}
                _ => return Err(self.malformed()),
            }
        }
        let missing = |key| self.error(0, format!("the header of this .npy file has no \"{key}\""));
        let (elem, order) = self.element_type(descr.ok_or_else(|| missing("descr"))?)?;
        let fortran = fortran.ok_or_else(|| missing("fortran_order"))?;
        let shape = shape.ok_or_else(|| missing("shape"))?;
        Ok(Header { elem, order, fortran, shape })
    }

    fn element_type(&self, descr: &[u8]) -> Result<(Prim, Order)> {
        let (order, name) = match descr {
            [b'>', name @ ..] => (Order::Big, name),
            [b'<' | b'|' | b'=', name @ ..] => (Order::Little, name),
            name => (Order::Little, name),
        };
        let elem = match name {
            b"b1" | b"?" => Prim::Bool,
            b"i1" => Prim::I8,
            b"i2" => Prim::I16,
            b"i4" => Prim::I32,
            b"i8" => Prim::I64,
            b"u1" => Prim::U8,
            b"u2" => Prim::U16,
            b"u4" => Prim::U32,
            b"u8" => Prim::U64,
            b"f2" => Prim::F16,
            b"f4" => Prim::F32,
            b"f8" => Prim::F64,
            _ => {
                let what = match name.first() {
                    Some(b'c') => "complex numbers",
                    Some(b'f') => "floats of an unusual size",
                    Some(b'U' | b'S' | b'a') => "strings",
                    Some(b'O') => "Python objects",
                    Some(b'M' | b'm') => "dates or durations",
                    Some(b'V') => "raw bytes",
                    _ => "of an unknown kind",
                };
                let descr = descr.escape_ascii();
                let message =
                    format!("elements of NumPy's type {descr} are {what}, which are not supported");
                let help = "convert the array with `astype` before saving it";
                return Err(self.error(0, message).help(help));
            }
        };
        Ok((elem, order))
    }

    fn peek(&mut self) -> Option<u8> {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    fn symbol(&mut self, symbol: u8) -> Result<()> {
        if self.peek() != Some(symbol) {
            return Err(self.malformed());
        }
        self.at += 1;
        Ok(())
    }

    /// A string without escape sequences, which no key or type needs.
    fn string(&mut self) -> Result<&'a [u8]> {
        let Some(quote @ (b'\'' | b'"')) = self.peek() else {
            return Err(self.malformed());
        };
        let rest = &self.text[self.at + 1..];
        let Some(length) = rest.iter().position(|&b| b == quote) else {
            return Err(self.malformed());
        };
        self.at += length + 2;
        Ok(&rest[..length])
    }

    fn boolean(&mut self) -> Result<bool> {
        self.peek();
        for (name, value) in [("True", true), ("False", false)] {
            if self.text[self.at..].starts_with(name.as_bytes()) {
                self.at += name.len();
                return Ok(value);
            }
        }
        Err(self.malformed())
    }

    fn shape(&mut self) -> Result<Vec<usize>> {
        let mut shape = Vec::new();
        self.symbol(b'(')?;
        while self.peek() != Some(b')') {
            let rest = &self.text[self.at..];
            let length = rest.iter().take_while(|b| b.is_ascii_digit()).count();
            let size = std::str::from_utf8(&rest[..length]).ok().and_then(|d| d.parse().ok());
            let Some(size) = size.filter(|_| shape.len() < MAX_RANK) else {
                return Err(self.malformed());
            };
            shape.push(size);
            self.at += length;
            // Python 2 wrote long integers with an L.
            if self.text.get(self.at) == Some(&b'L') {
                self.at += 1;
            }
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b')') => {}
                _ => return Err(self.malformed()),
            }
        }
        self.at += 1;
        Ok(shape)
    }

    fn malformed(&self) -> ReadError {
        self.error(self.at, "the header of this .npy file is malformed")
    }

    fn error(&self, at: usize, message: impl Into<String>) -> ReadError {
        self.reader.binary_error(self.start + at, message)
    }
}
