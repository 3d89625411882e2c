//! The binary format, version 2: see the crate's page for its layout.
//!
//! The reader trusts nothing: the header's sizes are compared with the bytes that are there before anything
//! is allocated.

use crate::array::{Array, Data, element_count};
use crate::bytes::{self, Order};
use crate::error::{Result, count};
use crate::reader::Reader;
use crate::value::{SizedType, Value};
use fehu_base::Prim;
use std::io::{self, Write};

/// Writes a value.
pub fn write(out: &mut dyn Write, value: &Value) -> io::Result<()> {
    write_header(out, &value.sized_type())?;
    match value {
        Value::Scalar(scalar) => {
            let bits = scalar.to_bits().to_le_bytes();
            out.write_all(&bits[..bytes::size(scalar.prim())])
        }
        Value::Array(array) => bytes::encode(out, array.data()),
    }
}

/// Writes what stands before the elements of a value of this type. An error if there are too many
/// dimensions: their number is a byte.
pub fn write_header(out: &mut dyn Write, ty: &SizedType) -> io::Result<()> {
    let Ok(rank) = u8::try_from(ty.shape.len()) else {
        return Err(io::Error::other("the binary format has at most 255 dimensions"));
    };
    out.write_all(&[b'b', VERSION, rank])?;
    write!(out, "{:>4}", ty.elem.name())?;
    for &size in &ty.shape {
        out.write_all(&(size as u64).to_le_bytes())?;
    }
    Ok(())
}

/// The bytes of a value.
pub fn to_bytes(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(64 + value.len() * bytes::size(value.elem()));
    // A vector takes everything, and no value has too many dimensions for the header.
    let _ = write(&mut bytes, value);
    bytes
}

const VERSION: u8 = 2;

/// Reads the binary value that starts at the reader's place, with the letter `b`.
pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Value> {
    let ty = read_header(reader)?;
    let start = reader.at;
    let needed = element_count(&ty.shape).and_then(|n| n.checked_mul(bytes::size(ty.elem)));
    let available = reader.rest().len();
    let elements = needed.and_then(|needed| reader.take(needed));
    let (Some(needed), Some(elements)) = (needed, elements) else {
        let message = match needed {
            Some(needed) => {
                format!("a value of type {ty} has {needed} bytes, but only {available} are left")
            }
            None => format!("a value of type {ty} is larger than any memory"),
        };
        return Err(reader.binary_error(start, message));
    };
    assert_eq!(needed, elements.len());
    let data = bytes::decode(ty.elem, elements, Order::Little).map_err(|position| {
        let message = format!("a bool is 0 or 1, but this byte is {}", elements[position]);
        reader.binary_error(start + position, message)
    })?;
    from_parts(ty.shape, data).ok_or_else(|| reader.binary_error(start, "the sizes do not fit"))
}

/// A scalar if there are no sizes, otherwise an array.
pub(crate) fn from_parts(shape: Vec<usize>, data: Data) -> Option<Value> {
    if shape.is_empty() {
        return data.get(0).map(Value::Scalar);
    }
    Array::new(shape, data).ok().map(Value::Array)
}

fn read_header(reader: &mut Reader<'_>) -> Result<SizedType> {
    let start = reader.at;
    let Some(&[_, version, rank, ref name @ ..]) = reader.take(7) else {
        let message = "a binary value ends within its header";
        let help = "values that start with the letter b are read as binary data";
        return Err(reader.binary_error(start, message).help(help));
    };
    if version != VERSION {
        let message = format!("version {version} of the binary format is not supported");
        let help = format!(
            "only version {VERSION} is supported; text values do not start with the letter b"
        );
        return Err(reader.binary_error(start + 1, message).help(help));
    }
    let elem = Prim::ALL.into_iter().find(|prim| format!("{:>4}", prim.name()).as_bytes() == name);
    let Some(elem) = elem else {
        let name = name.escape_ascii();
        let message = format!("\"{name}\" is not an element type of the binary format");
        let help = "a type consists of four characters, such as \" i32\", \"  u8\" or \"bool\"";
        return Err(reader.binary_error(start + 3, message).help(help));
    };
    let mut shape = Vec::with_capacity(usize::from(rank));
    for i in 0..rank {
        let at = reader.at;
        let Some(size) = reader.take(8).and_then(|bytes| bytes.try_into().ok()) else {
            let rank = count(usize::from(rank), "size");
            let message = format!("the input ends within size {} of {rank}", i + 1);
            return Err(reader.binary_error(at, message));
        };
        let size = u64::from_le_bytes(size);
        let Some(size) = i64::try_from(size).ok().and_then(|size| usize::try_from(size).ok())
        else {
            let message = format!("the size {size} is larger than any memory");
            return Err(reader.binary_error(at, message));
        };
        shape.push(size);
    }
    Ok(SizedType { elem, shape })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::read_all;

    fn read(bytes: &[u8]) -> String {
        match read_all(bytes) {
            Ok(values) => values.iter().map(Value::to_string).collect::<Vec<_>>().join(" "),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn layout() {
        let value = Value::from(Array::from_vec(vec![1_i16, -2]));
        let bytes = b"b\x02\x01 i16\x02\0\0\0\0\0\0\0\x01\0\xFE\xFF";
        assert_eq!(to_bytes(&value), bytes);
        assert_eq!(to_bytes(&Value::from(true)), b"b\x02\0bool\x01");
    }

    #[test]
    fn text_and_binary_mix() {
        let stream = b"1 b\x02\0 i32\x02\0\0\0 [3]b\x02\0  u8\x04\n5i8";
        assert_eq!(read(stream), "1i32 2i32 [3i32] 4u8 5i8");
    }

    #[test]
    fn errors() {
        let check = |bytes: &[u8], message| assert_eq!(read(bytes), message);
        check(
            b"b\x02",
            "byte 0: a binary value ends within its header; values that start with the letter b are read as binary data",
        );
        check(
            b"b\x01\0 i32\0\0\0\0",
            "byte 1: version 1 of the binary format is not supported; only version 2 is supported; text values do not start with the letter b",
        );
        check(
            b"b\x02\0 x32\0\0\0\0",
            "byte 3: \" x32\" is not an element type of the binary format; a type consists of four characters, such as \" i32\", \"  u8\" or \"bool\"",
        );
        check(
            b"b\x02\x01 i32\xFF\xFF\xFF\xFF\xFF\0\0\0",
            "byte 15: a value of type [1099511627775]i32 has 4398046511100 bytes, but only 0 are left",
        );
        check(
            b"b\x02\x01 i32\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF",
            "byte 7: the size 18446744073709551615 is larger than any memory",
        );
        check(b"b\x02\0bool\x02", "byte 7: a bool is 0 or 1, but this byte is 2");
    }
}
