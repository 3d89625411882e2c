//! NumPy's `.npy` files.
//!
//! | bytes | content |
//! |---|---|
//! | 6 | `\x93NUMPY` |
//! | 2 | the version: 1.0, 2.0 or 3.0 |
//! | 2, from version 2.0 on 4 | the length of the header |
//! | header | a Python dictionary: `{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }` |
//! | rest | the elements |
//!
//! Read are elements of the types b1, i1 to i8, u1 to u8, f2, f4 and f8, in both byte orders, in row-major (C) and
//! column-major (Fortran) order; they become row-major. Arrays without dimensions become scalars. Written
//! is version 1.0, little endian, row-major.

mod header;

use crate::array::{Data, Elem, element_count, with_data};
use crate::binary::from_parts;
use crate::bytes;
use crate::error::Result;
use crate::reader::Reader;
use crate::value::Value;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Reads a whole file.
pub fn read(file: &[u8]) -> Result<Value> {
    let mut reader = Reader::new(file);
    if !file.starts_with(MAGIC) {
        let message = "this is not a .npy file";
        return Err(reader.binary_error(0, message).help(".npy files start with \\x93NUMPY"));
    }
    let value = read_from(&mut reader)?;
    match reader.rest().len() {
        0 => Ok(value),
        more => {
            let message = format!("{more} bytes follow the array");
            Err(reader.binary_error(reader.at, message))
        }
    }
}

/// Writes a value as a file.
pub fn write(out: &mut dyn Write, value: &Value) -> io::Result<()> {
    let mut shape = String::new();
    for size in value.shape() {
        // A string takes whatever is written to it.
        let _ = write!(shape, "{size}, ");
    }
    // Python writes a tuple of one element with a comma, and longer ones without.
    let shape = match value.shape().len() {
        1 => shape.trim_end(),
        _ => shape.trim_end_matches(", "),
    };
    let descr = header::descr(value.elem());
    let mut header =
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}");
    // The elements start at a multiple of 64 bytes, and the header ends with a line break.
    let before = MAGIC.len() + 4;
    let padding = (before + header.len() + 1).next_multiple_of(64) - (before + header.len() + 1);
    header.extend(std::iter::repeat_n(' ', padding));
    header.push('\n');
    let Ok(length) = u16::try_from(header.len()) else {
        return Err(io::Error::other("too many dimensions for a .npy file"));
    };
    out.write_all(MAGIC)?;
    out.write_all(&[1, 0])?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(header.as_bytes())?;
    match value {
        Value::Scalar(scalar) => {
            let bits = scalar.to_bits().to_le_bytes();
            out.write_all(&bits[..bytes::size(scalar.prim())])
        }
        Value::Array(array) => bytes::encode(out, array.data()),
    }
}

const MAGIC: &[u8] = b"\x93NUMPY";
/// The byte by which a [`Reader`] knows the format.
pub(crate) const FIRST_BYTE: u8 = MAGIC[0];

/// Reads the file that starts at the reader's place; another value may follow it.
pub(crate) fn read_from(reader: &mut Reader<'_>) -> Result<Value> {
    let start = reader.at;
    if reader.take(MAGIC.len()) != Some(MAGIC) {
        let message = format!("expected a value, found the byte {FIRST_BYTE}");
        return Err(reader.binary_error(start, message));
    }
    let header = header::read(reader)?;
    let start = reader.at;
    let Some(count) = element_count(&header.shape) else {
        return Err(reader.binary_error(start, "the array is larger than any memory"));
    };
    let needed = count.checked_mul(bytes::size(header.elem));
    let available = reader.rest().len();
    let Some(elements) = needed.and_then(|needed| reader.take(needed)) else {
        let elem = header.elem;
        let message =
            format!("{count} elements of type {elem} do not fit into the {available} bytes left");
        return Err(reader.binary_error(start, message));
    };
    let data = bytes::decode(header.elem, elements, header.order).map_err(|position| {
        let message = format!("a bool is 0 or 1, but this byte is {}", elements[position]);
        reader.binary_error(start + position, message)
    })?;
    let data = if header.fortran { row_major(&header.shape, &data) } else { data };
    from_parts(header.shape, data).ok_or_else(|| reader.binary_error(start, "the sizes do not fit"))
}

/// Elements in column-major order, put into row-major order.
fn row_major(shape: &[usize], data: &Data) -> Data {
    fn permute<T: Elem>(shape: &[usize], elements: &[T]) -> Data {
        if shape.len() < 2 || elements.is_empty() {
            return T::data(elements.to_vec());
        }
        let mut strides = Vec::with_capacity(shape.len());
        let mut stride = 1;
        for &size in shape {
            strides.push(stride);
            stride *= size;
        }
        let last = shape.len() - 1;
        let mut result = Vec::with_capacity(elements.len());
        let mut index = vec![0; shape.len()];
        let mut start = 0;
        while result.len() < elements.len() {
            let row = elements[start..].iter().step_by(strides[last]).take(shape[last]);
            result.extend(row.copied());
            // The next row: count up like an odometer.
            for d in (0..last).rev() {
                index[d] += 1;
                start += strides[d];
                if index[d] < shape[d] {
                    break;
                }
                start -= strides[d] * shape[d];
                index[d] = 0;
            }
        }
        T::data(result)
    }
    with_data!(data, elements => permute(shape, elements))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::Array;

    /// A file of version `major` with this dictionary and these elements.
    fn file(major: u8, dictionary: &str, elements: &[u8]) -> Vec<u8> {
        let mut file = MAGIC.to_vec();
        file.extend([major, 0]);
        let length = dictionary.len() as u32;
        file.extend(&length.to_le_bytes()[..if major == 1 { 2 } else { 4 }]);
        file.extend(dictionary.as_bytes());
        file.extend(elements);
        file
    }

    fn shown(file: &[u8]) -> String {
        read(file).map_or_else(|error| error.to_string(), |value| value.to_string())
    }

    #[test]
    fn orders() {
        let c = "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }";
        let elements = [1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0];
        let rows = "[[1i16, 2i16, 3i16], [4i16, 5i16, 6i16]]";
        assert_eq!(shown(&file(1, c, &elements)), rows);
        assert_eq!(shown(&file(2, c, &elements)), rows);
        let fortran = c.replace("False", "True");
        let elements = [1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6, 0];
        assert_eq!(shown(&file(3, &fortran, &elements)), rows);
        let big = "{'shape': (2L,), \"fortran_order\": False, 'descr': '>u4'}";
        assert_eq!(shown(&file(1, big, &[0, 0, 0, 1, 0, 0, 1, 0])), "[1u32, 256u32]");
        let scalar = "{'descr': '|b1', 'fortran_order': False, 'shape': ()}";
        assert_eq!(shown(&file(1, scalar, &[1])), "true");
    }

    #[test]
    fn three_dimensions_in_column_major_order() {
        let header = "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 2, 2), }";
        let value = "[[[0u8, 4u8], [2u8, 6u8]], [[1u8, 5u8], [3u8, 7u8]]]";
        assert_eq!(shown(&file(1, header, &[0, 1, 2, 3, 4, 5, 6, 7])), value);
    }

    #[test]
    fn what_is_written() {
        let mut bytes = Vec::new();
        write(&mut bytes, &Array::from_vec(vec![1_f32]).into()).unwrap();
        assert_eq!(bytes.len(), 128 + 4);
        let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }";
        assert!(bytes[10..].starts_with(header.as_bytes()));
        assert_eq!(&bytes[127..], b"\n\0\0\x80\x3F");
    }

    #[test]
    fn errors() {
        let check = |descr: &str, message: &str| {
            let header = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (1,), }}");
            assert_eq!(shown(&file(1, &header, &[])), message);
        };
        check(
            "'<c8'",
            "byte 10: elements of NumPy's type <c8 are complex numbers, which are not supported; convert the array with `astype` before saving it",
        );
        check(
            "[('a', '<f4'), ('b', '<i4')]",
            "byte 10: the elements of this array are structured; save a separate array for each field",
        );
        check("'<f4'", "byte 67: 1 elements of type f32 do not fit into the 0 bytes left");
        check(
            "'|O'",
            "byte 10: elements of NumPy's type |O are Python objects, which are not supported; convert the array with `astype` before saving it",
        );
        assert_eq!(
            shown(b"1"),
            "byte 0: this is not a .npy file; .npy files start with \\x93NUMPY"
        );
        assert_eq!(
            shown(b"\x93NUMPY\x07\0"),
            "byte 6: version 7.0 of .npy files is not supported; versions 1.0, 2.0 and 3.0 are"
        );
        let broken = file(1, "{'descr': '<f4', 'shape': (1", &[]);
        assert_eq!(shown(&broken), "byte 38: the header of this .npy file is malformed");
        let incomplete = file(1, "{'descr': '<f4'}", &[]);
        assert_eq!(
            shown(&incomplete),
            "byte 10: the header of this .npy file has no \"fortran_order\""
        );
    }
}
