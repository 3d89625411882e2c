//! Floats as text, without suffix.
//!
//! The standard library finds the digits; this file only puts the point in its place.

use super::Floats;
use std::io::Write;

/// Writes a finite number of type f32 (or f16, which is a subset).
pub(super) fn write_f32(out: &mut Vec<u8>, x: f32, floats: Floats) {
    match floats {
        Floats::Digits => digits(out, 9, |buffer| write!(buffer, "{x:.8e}")),
        Floats::Shortest => shortest(out, |buffer| write!(buffer, "{x:e}")),
    }
}

/// Writes a finite number of type f64.
pub(super) fn write_f64(out: &mut Vec<u8>, x: f64, floats: Floats) {
    match floats {
        Floats::Digits => digits(out, 17, |buffer| write!(buffer, "{x:.16e}")),
        Floats::Shortest => shortest(out, |buffer| write!(buffer, "{x:e}")),
    }
}

/// C's `%.Pg`: scientific if the exponent is below -4 or not below `precision`; no trailing zeros.
fn digits(
    out: &mut Vec<u8>,
    precision: i32,
    scientific: impl FnOnce(&mut Buffer) -> std::io::Result<()>,
) {
    let number = Scientific::new(out, scientific);
    let significant = number.digits.iter().rposition(|&d| d != b'0').map_or(1, |last| last + 1);
    let digits = &number.digits[..significant];
    if number.exponent < -4 || number.exponent >= precision {
        out.push(digits[0]);
        if digits.len() > 1 {
            out.push(b'.');
            out.extend_from_slice(&digits[1..]);
        }
        let sign = if number.exponent < 0 { '-' } else { '+' };
        // A vector takes whatever is written to it.
        let _ = write!(out, "e{sign}{:02}", number.exponent.abs());
    } else {
        fixed(out, digits, number.exponent);
    }
}

/// The shortest digits; scientific if below 0.1 or from 10^7 on; always with a point.
fn shortest(out: &mut Vec<u8>, scientific: impl FnOnce(&mut Buffer) -> std::io::Result<()>) {
    let number = Scientific::new(out, scientific);
    let digits = &number.digits[..number.count];
    let is_zero = digits == b"0";
    if is_zero || (-1..7).contains(&number.exponent) {
        fixed(out, digits, number.exponent);
        if digits.len() as i32 <= number.exponent + 1 {
            out.extend_from_slice(b".0");
        }
    } else {
        out.push(digits[0]);
        out.push(b'.');
        out.extend_from_slice(if digits.len() > 1 { &digits[1..] } else { b"0" });
        let _ = write!(out, "e{}", number.exponent);
    }
}

/// Digits with the point after the first `exponent + 1` of them, padded with zeros.
fn fixed(out: &mut Vec<u8>, digits: &[u8], exponent: i32) {
    if exponent < 0 {
        out.extend_from_slice(b"0.");
        out.extend(std::iter::repeat_n(b'0', (-exponent - 1) as usize));
        out.extend_from_slice(digits);
        return;
    }
    let whole = exponent as usize + 1;
    if digits.len() <= whole {
        out.extend_from_slice(digits);
        out.extend(std::iter::repeat_n(b'0', whole - digits.len()));
    } else {
        out.extend_from_slice(&digits[..whole]);
        out.push(b'.');
        out.extend_from_slice(&digits[whole..]);
    }
}

/// What the standard library writes, on the stack: at most `-1.2345678901234567e-308`.
struct Buffer {
    bytes: [u8; 32],
    len: usize,
}

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let free = &mut self.bytes[self.len..];
        let n = bytes.len().min(free.len());
        free[..n].copy_from_slice(&bytes[..n]);
        self.len += n;
        Ok(n)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A number taken apart: its digits, the first of which has the weight 10^exponent.
struct Scientific {
    digits: [u8; 24],
    count: usize,
    exponent: i32,
}

impl Scientific {
    /// Takes `1.25e-7` apart. A sign goes to `out` at once.
    fn new(
        out: &mut Vec<u8>,
        write: impl FnOnce(&mut Buffer) -> std::io::Result<()>,
    ) -> Scientific {
        let mut buffer = Buffer { bytes: [0; 32], len: 0 };
        // The buffer is large enough for any number, so nothing can fail.
        let _ = write(&mut buffer);
        let mut number = Scientific { digits: [b'0'; 24], count: 0, exponent: 0 };
        let mut negative_exponent = false;
        let mut in_exponent = false;
        for &byte in &buffer.bytes[..buffer.len] {
            match byte {
                b'-' if in_exponent => negative_exponent = true,
                b'-' => out.push(b'-'),
                b'e' => in_exponent = true,
                b'0'..=b'9' if in_exponent => {
                    number.exponent = number.exponent * 10 + i32::from(byte - b'0');
                }
                b'0'..=b'9' if number.count < number.digits.len() => {
                    number.digits[number.count] = byte;
                    number.count += 1;
                }
                _ => {}
            }
        }
        if negative_exponent {
            number.exponent = -number.exponent;
        }
        number
    }
}
