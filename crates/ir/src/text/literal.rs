//! Scalars and strings as text, exactly.

use crate::Scalar;
use fehu_base::{Prim, bug};
use half::f16;
use std::fmt::Write;

/// Writes a scalar.
pub fn write_scalar(out: &mut String, value: Scalar) {
    // Writing to a string cannot fail.
    let _ = match value {
        Scalar::I64(v) => write!(out, "{v}"),
        Scalar::I8(v) => write!(out, "{v}i8"),
        Scalar::I16(v) => write!(out, "{v}i16"),
        Scalar::I32(v) => write!(out, "{v}i32"),
        Scalar::U8(v) => write!(out, "{v}u8"),
        Scalar::U16(v) => write!(out, "{v}u16"),
        Scalar::U32(v) => write!(out, "{v}u32"),
        Scalar::U64(v) => write!(out, "{v}u64"),
        // The shortest decimal that reads back as the same f32 is exact for an f16.
        Scalar::F16(v) if v.is_finite() => write!(out, "{:?}f16", v.to_f32()),
        Scalar::F32(v) if v.is_finite() => write!(out, "{v:?}f32"),
        Scalar::F64(v) if v.is_finite() => write!(out, "{v:?}f64"),
        Scalar::F16(v) => write_special(out, Prim::F16, u64::from(v.to_bits())),
        Scalar::F32(v) => write_special(out, Prim::F32, u64::from(v.to_bits())),
        Scalar::F64(v) => write_special(out, Prim::F64, v.to_bits()),
        Scalar::Bool(v) => write!(out, "{v}"),
        Scalar::Unit => write!(out, "()"),
    };
}

/// The bits of infinity and of the plain NaN.
fn special(prim: Prim) -> (u64, u64) {
    match prim {
        Prim::F16 => (u64::from(f16::INFINITY.to_bits()), 0x7e00),
        Prim::F32 => (u64::from(f32::INFINITY.to_bits()), 0x7fc0_0000),
        Prim::F64 => (f64::INFINITY.to_bits(), 0x7ff8_0000_0000_0000),
        Prim::I8
        | Prim::I16
        | Prim::I32
        | Prim::I64
        | Prim::U8
        | Prim::U16
        | Prim::U32
        | Prim::U64
        | Prim::Bool => bug("only floats can be infinite"),
    }
}

fn write_special(out: &mut String, prim: Prim, bits: u64) -> std::fmt::Result {
    let (inf, nan) = special(prim);
    let sign = 1u64 << (prim.bits() - 1);
    if bits == inf {
        write!(out, "{prim}.inf")
    } else if bits == inf | sign {
        write!(out, "-{prim}.inf")
    } else if bits == nan {
        write!(out, "{prim}.nan")
    } else {
        write!(out, "{prim}.bits({bits:#x})")
    }
}

/// The scalar that a word such as `f32.inf` stands for.
pub fn special_from_word(word: &str) -> Option<Scalar> {
    let (negative, word) = match word.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, word),
    };
    let (prim, what) = word.split_once('.')?;
    let prim = Prim::from_name(prim).filter(|p| p.is_float())?;
    let (inf, nan) = special(prim);
    match (what, negative) {
        ("inf", false) => Some(Scalar::from_bits(prim, inf)),
        ("inf", true) => Some(Scalar::from_bits(prim, inf | 1 << (prim.bits() - 1))),
        ("nan", false) => Some(Scalar::from_bits(prim, nan)),
        _ => None,
    }
}

/// The float with these bits, which are a hexadecimal number such as `0x7fc00001`.
pub fn bits(prim: Prim, digits: &str) -> Option<Scalar> {
    let bits = u64::from_str_radix(digits.strip_prefix("0x")?, 16).ok()?;
    (prim.bits() == 64 || bits >> prim.bits() == 0).then(|| Scalar::from_bits(prim, bits))
}

/// The scalar that a number with its suffix stands for.
pub fn number(text: &str) -> Result<Scalar, String> {
    let hex = text.trim_start_matches('-').starts_with("0x");
    let digits =
        text.find(|c: char| c == 'i' || c == 'u' || (c == 'f' && !hex)).unwrap_or(text.len());
    let (digits, suffix) = text.split_at(digits);
    let prim = if suffix.is_empty() { Some(Prim::I64) } else { Prim::from_name(suffix) };
    let not_a_type = || format!("`{suffix}` is not a type of numbers");
    let prim = prim.ok_or_else(not_a_type)?;
    let value = match prim {
        Prim::Bool => return Err(not_a_type()),
        Prim::F16 => digits.parse().map(|v| Scalar::F16(f16::from_f64(v))).ok(),
        Prim::F32 => digits.parse().map(Scalar::F32).ok(),
        Prim::F64 => digits.parse().map(Scalar::F64).ok(),
        Prim::I8
        | Prim::I16
        | Prim::I32
        | Prim::I64
        | Prim::U8
        | Prim::U16
        | Prim::U32
        | Prim::U64 => integer(digits, prim),
    };
    value.ok_or_else(|| format!("`{digits}` is not a number of type {prim}"))
}

fn integer(digits: &str, prim: Prim) -> Option<Scalar> {
    let wide: i128 = match digits.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    let bits = prim.bits();
    let (low, high) = if prim.is_signed() {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    } else {
        (0, (1i128 << bits) - 1)
    };
    (low..=high).contains(&wide).then(|| Scalar::from_bits(prim, wide as u64))
}

/// Writes a string in quotes.
pub fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{{{:x}}}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
