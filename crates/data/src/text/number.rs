//! Numbers and truth values: a word of text, taken apart and converted to a type.
//!
//! This is the inner loop of reading data sets, so the usual words go through without allocation.

use crate::array::Elem;
use crate::float16;
use crate::ieee;
use crate::value::Scalar;
use fehu_base::Prim;
use std::borrow::Cow;

/// A word taken apart.
#[derive(Clone, Copy)]
pub(super) struct Word<'a> {
    text: &'a [u8],
    negative: bool,
    body: Body<'a>,
    /// The type that is written: a suffix, or before `.nan`.
    pub(super) suffix: Option<Prim>,
}

#[derive(Clone, Copy)]
enum Body<'a> {
    Bool(bool),
    /// Digits and underscores.
    Integer {
        digits: &'a [u8],
        radix: u32,
    },
    /// Digits, underscores, a point, an exponent.
    Decimal(&'a [u8]),
    /// `1.8p3`, without `0x`.
    Hexadecimal(&'a [u8]),
    Nan,
    Infinity,
}

/// What is wrong with a word.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) message: String,
    pub(super) help: Option<String>,
}

impl Problem {
    fn new(message: String) -> Problem {
        Problem { message, help: None }
    }

    fn help(message: String, help: impl Into<String>) -> Problem {
        Problem { message, help: Some(help.into()) }
    }
}

/// The integer that a text without suffix stands for, for options such as bounds.
pub(crate) fn parse_integer(text: &str, prim: Prim) -> Option<Scalar> {
    let word = Word::new(text.as_bytes()).ok()?;
    let plain = word.suffix.is_none() && matches!(word.body, Body::Integer { .. });
    plain.then(|| word.convert(prim).ok()).flatten()
}

/// The float that a text without suffix stands for, for options such as bounds.
pub(crate) fn parse_float(text: &str, prim: Prim) -> Option<Scalar> {
    let word = Word::new(text.as_bytes()).ok()?;
    let plain = word.suffix.is_none() && !matches!(word.body, Body::Bool(_));
    plain.then(|| word.convert(prim).ok()).flatten()
}

/// How many bytes at the start of `text` belong to one word: letters, digits, `_`, `.`, a sign at the
/// start, and a sign after the letter of an exponent.
#[inline]
pub(super) fn word_length(text: &[u8]) -> usize {
    let mut at = usize::from(matches!(text.first(), Some(b'+' | b'-')));
    let hexadecimal = text[at..].starts_with(b"0x") || text[at..].starts_with(b"0X");
    let digits = text.get(at).is_some_and(|b| b.is_ascii_digit() || *b == b'.');
    while let Some(&byte) = text.get(at) {
        if byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_' {
            at += 1;
            continue;
        }
        let exponent = digits && matches!(byte, b'+' | b'-') && {
            let before = text[at - 1].to_ascii_lowercase();
            before == if hexadecimal { b'p' } else { b'e' }
        };
        if !exponent {
            break;
        }
        at += 1;
    }
    at
}

impl<'a> Word<'a> {
    /// Takes a word apart.
    #[inline]
    pub(super) fn new(text: &'a [u8]) -> Result<Word<'a>, Problem> {
        let (negative, rest) = match text.first() {
            Some(b'-') => (true, &text[1..]),
            Some(b'+') => (false, &text[1..]),
            _ => (false, text),
        };
        let parts = match rest {
            [b'0', b'x' | b'X', digits @ ..] => hexadecimal(digits),
            [b'0', b'b' | b'B', digits @ ..] => binary(digits),
            [b'0'..=b'9' | b'.', ..] => decimal(rest),
            _ => name(rest).filter(|(body, _)| !matches!(body, Body::Bool(_)) || rest == text),
        };
        match parts {
            Some((body, suffix)) => Ok(Word { text, negative, body, suffix }),
            None => Err(malformed(text)),
        }
    }

    /// The type without any hint from outside.
    pub(super) fn natural_type(&self) -> Prim {
        self.suffix.unwrap_or(match self.body {
            Body::Bool(_) => Prim::Bool,
            Body::Integer { .. } => Prim::I32,
            Body::Decimal(_) | Body::Hexadecimal(_) | Body::Nan | Body::Infinity => Prim::F64,
        })
    }

    /// Whether this is a NaN or infinity without the type before it, which only an expected type allows.
    pub(super) fn is_bare_special(&self) -> bool {
        self.suffix.is_none() && matches!(self.body, Body::Nan | Body::Infinity)
    }

    /// The scalar of type `prim` that this word stands for.
    #[inline]
    pub(super) fn convert(&self, prim: Prim) -> Result<Scalar, Problem> {
        if let Some(suffix) = self.suffix
            && suffix != prim
        {
            return Err(self.wrong_type(prim));
        }
        match self.body {
            Body::Bool(x) if prim == Prim::Bool => Ok(Scalar::Bool(x)),
            Body::Integer { digits, radix } if prim.is_integer() => {
                self.integer(digits, radix, prim)
            }
            Body::Integer { digits, radix: 10 } if prim.is_float() => {
                Ok(self.signed(decimal_float(digits, prim)))
            }
            Body::Integer { digits, radix } if prim.is_float() => match magnitude(digits, radix) {
                Some(m) => Ok(self.signed(rounded(m, 0, prim))),
                None => Err(self.does_not_fit(prim)),
            },
            Body::Decimal(text) if prim.is_float() => Ok(self.signed(decimal_float(text, prim))),
            Body::Hexadecimal(text) if prim.is_float() => {
                Ok(self.signed(hexadecimal_float(text, prim)))
            }
            Body::Nan if prim.is_float() => Ok(self.signed(float(f64::NAN, prim))),
            Body::Infinity if prim.is_float() => Ok(self.signed(float(f64::INFINITY, prim))),
            _ => Err(self.wrong_type(prim)),
        }
    }

    /// The element of type `T` that this word stands for.
    #[inline]
    pub(super) fn element<T: Elem>(&self) -> Result<T, Problem> {
        T::from_scalar(self.convert(T::PRIM)?).ok_or_else(|| self.wrong_type(T::PRIM))
    }

    fn integer(&self, digits: &[u8], radix: u32, prim: Prim) -> Result<Scalar, Problem> {
        let Some(magnitude) = magnitude(digits, radix) else {
            return Err(self.does_not_fit(prim));
        };
        let all_ones = u64::MAX >> (64 - prim.bits());
        let largest = match (self.suffix, self.negative) {
            // With its type written, a number stands for its low bits: existing data has 255i8 for -1i8.
            (Some(_), _) => u64::MAX,
            // Negative numbers of unsigned types stand for their bits, as in the language itself.
            (None, true) => (all_ones >> 1) + 1,
            (None, false) if prim.is_signed() && radix == 10 => all_ones >> 1,
            (None, false) => all_ones,
        };
        if magnitude > largest {
            return Err(self.does_not_fit(prim));
        }
        let value = if self.negative { magnitude.wrapping_neg() } else { magnitude };
        Ok(Scalar::from_bits(prim, value))
    }

    /// A float with the sign of this word.
    fn signed(&self, scalar: Scalar) -> Scalar {
        if !self.negative {
            return scalar;
        }
        match scalar {
            Scalar::F16(x) => Scalar::F16(half::f16::from_bits(x.to_bits() ^ 0x8000)),
            Scalar::F32(x) => Scalar::F32(-x),
            Scalar::F64(x) => Scalar::F64(-x),
            other => other,
        }
    }

    #[cold]
    fn wrong_type(&self, prim: Prim) -> Problem {
        let text = shown(self.text);
        let message = match (self.suffix, self.body) {
            (Some(suffix), _) => {
                format!("`{text}` has type {suffix}, but a value of type {prim} is expected here")
            }
            (None, Body::Bool(_)) => {
                format!("`{text}` is a bool, but a value of type {prim} is expected here")
            }
            _ if prim == Prim::Bool => format!("`{text}` is a number, but a bool is expected here"),
            _ => format!("`{text}` is not an integer, but a value of type {prim} is expected here"),
        };
        if prim == Prim::Bool {
            Problem::help(message, "write `true` or `false`")
        } else {
            Problem::new(message)
        }
    }

    #[cold]
    fn does_not_fit(&self, prim: Prim) -> Problem {
        let message = format!("`{}` does not fit into {prim}", shown(self.text));
        let bits = prim.bits();
        let help = match prim {
            _ if self.suffix.is_none() && prim == Prim::I32 => {
                format!("write `{}i64` for a larger type", shown(self.text))
            }
            _ if prim.is_signed() => {
                let largest = (1_u128 << (bits - 1)) - 1;
                format!("{prim} ranges from {} to {largest}", -(1_i128 << (bits - 1)))
            }
            _ => format!("{prim} ranges from 0 to {}", (1_u128 << bits) - 1),
        };
        Problem::help(message, help)
    }
}

type Parts<'a> = Option<(Body<'a>, Option<Prim>)>;

fn decimal(text: &[u8]) -> Parts<'_> {
    let mut is_float = false;
    let mut digits = 0;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'0'..=b'9' => digits += 1,
            b'_' => {}
            b'.' if !is_float => is_float = true,
            b'e' | b'E' => {
                is_float = true;
                at += 1;
                at += usize::from(matches!(text.get(at), Some(b'+' | b'-')));
                let exponent = &text[at..];
                let length = exponent.iter().take_while(|b| b.is_ascii_digit() || **b == b'_');
                let length = length.count();
                if !exponent[..length].iter().any(u8::is_ascii_digit) {
                    return None;
                }
                at += length;
                break;
            }
            _ => break,
        }
        at += 1;
    }
    if digits == 0 {
        return None;
    }
    let (number, suffix) = text.split_at(at);
    let suffix = suffix_type(suffix)?;
    if is_float {
        let float = suffix.is_none_or(Prim::is_float);
        return float.then_some((Body::Decimal(number), suffix));
    }
    Some((Body::Integer { digits: number, radix: 10 }, suffix))
}

fn hexadecimal(text: &[u8]) -> Parts<'_> {
    let mut at = 0;
    let mut point = false;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'.' if !point => point = true,
            b'_' => {}
            _ if byte.is_ascii_hexdigit() => {}
            _ => break,
        }
        at += 1;
    }
    if !text[..at].iter().any(u8::is_ascii_hexdigit) {
        return None;
    }
    if !matches!(text.get(at), Some(b'p' | b'P')) {
        let suffix = suffix_type(&text[at..])?;
        let digits = &text[..at];
        return (!point).then_some((Body::Integer { digits, radix: 16 }, suffix));
    }
    at += 1;
    at += usize::from(matches!(text.get(at), Some(b'+' | b'-')));
    let exponent = text[at..].iter().take_while(|b| b.is_ascii_digit()).count();
    let suffix = suffix_type(&text[at + exponent..])?;
    let right = exponent > 0 && suffix.is_none_or(Prim::is_float);
    right.then_some((Body::Hexadecimal(&text[..at + exponent]), suffix))
}

fn binary(text: &[u8]) -> Parts<'_> {
    let length = text.iter().take_while(|b| matches!(b, b'0' | b'1' | b'_')).count();
    let (digits, suffix) = text.split_at(length);
    let suffix = suffix_type(suffix)?;
    digits.iter().any(u8::is_ascii_digit).then_some((Body::Integer { digits, radix: 2 }, suffix))
}

fn name(text: &[u8]) -> Parts<'_> {
    match text {
        b"true" => Some((Body::Bool(true), None)),
        b"false" => Some((Body::Bool(false), None)),
        b"nan" => Some((Body::Nan, None)),
        b"inf" => Some((Body::Infinity, None)),
        [prim @ .., b'.', b'n', b'a', b'n'] => Some((Body::Nan, Some(float_type(prim)?))),
        [prim @ .., b'.', b'i', b'n', b'f'] => Some((Body::Infinity, Some(float_type(prim)?))),
        _ => None,
    }
}

fn float_type(name: &[u8]) -> Option<Prim> {
    suffix_type(name)?.filter(|prim| prim.is_float())
}

/// The type of a suffix, which may be missing; `None` if there is no such type of numbers.
#[inline]
fn suffix_type(suffix: &[u8]) -> Option<Option<Prim>> {
    Some(Some(match suffix {
        b"" => return Some(None),
        b"i8" => Prim::I8,
        b"i16" => Prim::I16,
        b"i32" => Prim::I32,
        b"i64" => Prim::I64,
        b"u8" => Prim::U8,
        b"u16" => Prim::U16,
        b"u32" => Prim::U32,
        b"u64" => Prim::U64,
        b"f16" => Prim::F16,
        b"f32" => Prim::F32,
        b"f64" => Prim::F64,
        _ => return None,
    }))
}

/// The integer of some digits, if it fits into 64 bits.
fn magnitude(digits: &[u8], radix: u32) -> Option<u64> {
    let mut value: u64 = 0;
    for &byte in digits {
        if byte == b'_' {
            continue;
        }
        let digit = (byte as char).to_digit(radix)?;
        value = value.checked_mul(radix.into())?.checked_add(digit.into())?;
    }
    Some(value)
}

fn decimal_float(text: &[u8], prim: Prim) -> Scalar {
    let text = if text.contains(&b'_') {
        Cow::Owned(text.iter().copied().filter(|&b| b != b'_').collect())
    } else {
        Cow::Borrowed(text)
    };
    // The word has been checked, so it is ASCII and the standard library accepts it.
    let text = std::str::from_utf8(&text).unwrap_or_default();
    match prim {
        Prim::F32 => Scalar::F32(text.parse().unwrap_or(f32::NAN)),
        // By way of f64: only a decimal within 2^-53 of the middle between two numbers could go wrong.
        _ => float(text.parse().unwrap_or(f64::NAN), prim),
    }
}

fn hexadecimal_float(text: &[u8], prim: Prim) -> Scalar {
    let mut mantissa: u64 = 0;
    let mut exponent: i64 = 0;
    let mut point = false;
    let mut written: i64 = 0;
    let mut negative = false;
    let mut in_exponent = false;
    for &byte in text {
        match byte {
            b'.' => point = true,
            b'p' | b'P' => in_exponent = true,
            b'-' => negative = true,
            b'0'..=b'9' if in_exponent => {
                written = written.saturating_mul(10).saturating_add(i64::from(byte - b'0'));
            }
            _ => {
                let Some(digit) = (byte as char).to_digit(16) else { continue };
                if mantissa >> 60 == 0 {
                    mantissa = mantissa << 4 | u64::from(digit);
                    exponent -= if point { 4 } else { 0 };
                } else {
                    // Digits that do not fit matter only as a sign that there is more.
                    mantissa |= u64::from(digit != 0);
                    exponent += if point { 0 } else { 4 };
                }
            }
        }
    }
    let written = if negative { written.saturating_neg() } else { written };
    rounded(mantissa, exponent.saturating_add(written), prim)
}

/// `mantissa * 2^exponent`.
fn rounded(mantissa: u64, exponent: i64, prim: Prim) -> Scalar {
    let format = match prim {
        Prim::F16 => ieee::F16,
        Prim::F32 => ieee::F32,
        _ => ieee::F64,
    };
    let bits = ieee::compose(mantissa, exponent, format);
    match prim {
        Prim::F16 | Prim::F32 => Scalar::from_bits(prim, bits),
        _ => Scalar::F64(f64::from_bits(bits)),
    }
}

/// A float of type `prim`, rounded from f64.
fn float(x: f64, prim: Prim) -> Scalar {
    match prim {
        Prim::F16 => Scalar::F16(float16::from_f64(x)),
        Prim::F32 => Scalar::F32(x as f32),
        _ => Scalar::F64(x),
    }
}

#[cold]
fn malformed(text: &[u8]) -> Problem {
    let word = shown(text);
    let unsigned = word.trim_start_matches(['+', '-']);
    let letters = unsigned.find(|c: char| c.is_ascii_alphabetic()).map(|at| &unsigned[at..]);
    match (unsigned.chars().next(), letters) {
        (None, _) => Problem::help(
            format!("`{word}` is not followed by a number"),
            "a sign must directly precede its number",
        ),
        (Some('0'..='9' | '.'), Some(letters)) => Problem::help(
            format!("`{word}` is not a number"),
            match letters {
                "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" => {
                    "a number with a decimal point or an exponent needs the suffix f16, f32 or f64"
                }
                _ => "the suffixes are i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64",
            },
        ),
        (Some('0'..='9' | '.'), None) => Problem::new(format!("`{word}` is not a number")),
        (Some(_), _) => Problem::help(
            format!("`{word}` is not a value"),
            "a value is a number, `true`, `false`, an array or a string",
        ),
    }
}

/// A word for a message, cut if it is long.
fn shown(text: &[u8]) -> String {
    const LONGEST: usize = 60;
    let cut = &text[..text.len().min(LONGEST)];
    let more = if text.len() > LONGEST { "..." } else { "" };
    format!("{}{more}", String::from_utf8_lossy(cut))
}
