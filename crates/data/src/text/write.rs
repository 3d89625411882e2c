//! Values as text.

use super::{Floats, Rows, Style, float};
use crate::array::{Array, with_data};
use crate::value::{Scalar, Value};
use fehu_base::Prim;
use std::io::{self, Write};

/// Writes a value and a line break.
pub fn write(out: &mut dyn Write, value: &Value, style: Style) -> io::Result<()> {
    let mut buffer = Vec::new();
    match value {
        Value::Scalar(scalar) => push_scalar(&mut buffer, *scalar, style.floats),
        Value::Array(array) => push_array(&mut buffer, Some(&mut *out), array, style)?,
    }
    buffer.push(b'\n');
    out.write_all(&buffer)
}

/// A value as text, without a line break after it.
pub fn to_string(value: &Value, style: Style) -> String {
    let mut buffer = Vec::new();
    match value {
        Value::Scalar(scalar) => push_scalar(&mut buffer, *scalar, style.floats),
        // Nothing is written anywhere but to memory, so nothing fails.
        Value::Array(array) => push_array(&mut buffer, None, array, style).unwrap_or_default(),
    }
    String::from_utf8_lossy(&buffer).into_owned()
}

/// A scalar as text, with its suffix.
pub fn scalar_to_string(scalar: Scalar, style: Style) -> String {
    let mut buffer = Vec::new();
    push_scalar(&mut buffer, scalar, style.floats);
    String::from_utf8_lossy(&buffer).into_owned()
}

/// A buffer longer than this is handed on.
const FLUSH: usize = 1 << 16;

fn push_array(
    buffer: &mut Vec<u8>,
    mut out: Option<&mut dyn Write>,
    array: &Array,
    style: Style,
) -> io::Result<()> {
    if array.is_empty() {
        buffer.extend_from_slice(b"empty(");
        // A vector takes whatever is written to it.
        let _ = write!(buffer, "{}", array.sized_type());
        buffer.push(b')');
        return Ok(());
    }
    // The number of elements after which a row of each dimension but the outermost ends.
    let mut row_sizes: Vec<usize> = Vec::new();
    let mut size = 1;
    for &dimension in array.shape()[1..].iter().rev() {
        size *= dimension;
        row_sizes.push(size);
    }
    let rank = array.rank();
    buffer.extend(std::iter::repeat_n(b'[', rank));
    with_data!(array.data(), elements => {
        for (i, element) in elements.iter().enumerate() {
            if i > 0 {
                let ended = row_sizes.iter().take_while(|&&size| i % size == 0).count();
                buffer.extend(std::iter::repeat_n(b']', ended));
                buffer.push(b',');
                buffer.push(if ended > 0 && style.rows == Rows::Lines { b'\n' } else { b' ' });
                buffer.extend(std::iter::repeat_n(b'[', ended));
            }
            push_scalar(buffer, crate::array::Elem::scalar(*element), style.floats);
            if buffer.len() >= FLUSH && let Some(out) = &mut out {
                out.write_all(buffer)?;
                buffer.clear();
            }
        }
    });
    buffer.extend(std::iter::repeat_n(b']', rank));
    Ok(())
}

fn push_scalar(out: &mut Vec<u8>, scalar: Scalar, floats: Floats) {
    match scalar {
        Scalar::I8(x) => push_integer(out, x < 0, x.unsigned_abs().into(), Prim::I8),
        Scalar::I16(x) => push_integer(out, x < 0, x.unsigned_abs().into(), Prim::I16),
        Scalar::I32(x) => push_integer(out, x < 0, x.unsigned_abs().into(), Prim::I32),
        Scalar::I64(x) => push_integer(out, x < 0, x.unsigned_abs(), Prim::I64),
        Scalar::U8(x) => push_integer(out, false, x.into(), Prim::U8),
        Scalar::U16(x) => push_integer(out, false, x.into(), Prim::U16),
        Scalar::U32(x) => push_integer(out, false, x.into(), Prim::U32),
        Scalar::U64(x) => push_integer(out, false, x, Prim::U64),
        Scalar::F16(x) => push_f32(out, x.to_f32(), Prim::F16, floats),
        Scalar::F32(x) => push_f32(out, x, Prim::F32, floats),
        Scalar::F64(x) => {
            if push_special(out, x, Prim::F64) {
                return;
            }
            float::write_f64(out, x, floats);
            out.extend_from_slice(b"f64");
        }
        Scalar::Bool(x) => out.extend_from_slice(if x { b"true" } else { b"false" }),
    }
}

fn push_f32(out: &mut Vec<u8>, x: f32, prim: Prim, floats: Floats) {
    if push_special(out, x.into(), prim) {
        return;
    }
    float::write_f32(out, x, floats);
    out.extend_from_slice(prim.name().as_bytes());
}

/// Writes NaN and infinities; whether `x` is one.
fn push_special(out: &mut Vec<u8>, x: f64, prim: Prim) -> bool {
    if x.is_finite() {
        return false;
    }
    if x == f64::NEG_INFINITY {
        out.push(b'-');
    }
    out.extend_from_slice(prim.name().as_bytes());
    out.extend_from_slice(if x.is_nan() { b".nan" } else { b".inf" });
    true
}

fn push_integer(out: &mut Vec<u8>, negative: bool, mut magnitude: u64, prim: Prim) {
    let mut digits = [0; 20];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (magnitude % 10) as u8;
        magnitude /= 10;
        if magnitude == 0 {
            break;
        }
    }
    if negative {
        out.push(b'-');
    }
    out.extend_from_slice(&digits[start..]);
    out.extend_from_slice(prim.name().as_bytes());
}
