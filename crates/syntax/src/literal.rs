//! The values of literals.
//!
//! The lexer only says where a literal starts and ends; these functions read it and say what is
//! wrong with it.

use crate::ast::Lit;
use ecow::EcoString;
use fehu_base::Prim;

/// A value, and what was wrong with the text if anything was.
pub(crate) type Read<T> = (T, Option<String>);

/// Reads a token that the lexer took for an integer.
pub(crate) fn int(text: &str) -> Read<Lit> {
    let lower = text.as_bytes();
    let (base, body) = match (lower.first(), lower.get(1)) {
        (Some(b'0'), Some(b'x' | b'X')) => (16, &text[2..]),
        (Some(b'0'), Some(b'b' | b'B')) => (2, &text[2..]),
        (Some(b'0'), Some(b'r' | b'R')) => return roman(&text[2..]),
        _ => (10, text),
    };
    let digits_end = body.find(|c: char| !(c == '_' || c.is_digit(base))).unwrap_or(body.len());
    let (digits, suffix) = body.split_at(digits_end);
    let mut value: u128 = 0;
    let mut too_large = false;
    let mut any = false;
    for digit in digits.chars().filter_map(|c| c.to_digit(base)) {
        any = true;
        match value.checked_mul(base.into()).and_then(|v| v.checked_add(digit.into())) {
            Some(v) if !too_large => value = v,
            _ => {
                too_large = true;
                value = u128::MAX;
            }
        }
    }
    let (suffix, problem) = read_suffix(suffix, |p| p.is_integer() || (base == 10 && p.is_float()));
    let problem = if !any {
        Some("there are no digits".to_owned())
    } else if too_large {
        problem.or(Some("the number is too large".to_owned()))
    } else {
        problem
    };
    (Lit::Int { value, suffix }, problem)
}

/// Reads a token that the lexer took for a floating-point number.
pub(crate) fn float(text: &str) -> Read<Lit> {
    if text.starts_with("0x") || text.starts_with("0X") {
        return hex_float(&text[2..]);
    }
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | '_' | '+' | '-' | 'e' | 'E');
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    let (number, suffix) = text.split_at(end);
    let plain: String = number.chars().filter(|&c| c != '_').collect();
    let (suffix, problem) = read_suffix(suffix, Prim::is_float);
    match plain.parse::<f64>() {
        Ok(value) => (Lit::Float { value, suffix }, problem),
        Err(_) => {
            let problem = problem.or(Some("the number is malformed".to_owned()));
            (Lit::Float { value: 0.0, suffix }, problem)
        }
    }
}

fn read_suffix(text: &str, is_allowed: impl Fn(Prim) -> bool) -> Read<Option<Prim>> {
    if text.is_empty() {
        return (None, None);
    }
    match Prim::from_name(text).filter(|&p| p != Prim::Bool && is_allowed(p)) {
        Some(prim) => (Some(prim), None),
        None => (None, Some(format!("`{text}` is not a suffix of this kind of number"))),
    }
}

fn roman(body: &str) -> Read<Lit> {
    let value_of = |c: char| match c {
        'I' => Some(1),
        'V' => Some(5),
        'X' => Some(10),
        'L' => Some(50),
        'C' => Some(100),
        'D' => Some(500),
        'M' => Some(1000),
        _ => None,
    };
    let end = body.find(|c| value_of(c).is_none()).unwrap_or(body.len());
    let (numeral, suffix) = body.split_at(end);
    let mut value: u128 = 0;
    let mut before = 0;
    // From the right: a letter smaller than the one after it is subtracted.
    for letter in numeral.chars().rev().filter_map(value_of) {
        value = if letter < before { value.saturating_sub(letter) } else { value + letter };
        before = before.max(letter);
    }
    let (suffix, problem) = read_suffix(suffix, Prim::is_integer);
    let problem = if numeral.is_empty() {
        Some("a Roman numeral consists of the letters I, V, X, L, C, D and M".to_owned())
    } else {
        problem
    };
    (Lit::Int { value, suffix }, problem)
}

/// `1.8p3f32`, after the `0x`.
fn hex_float(body: &str) -> Read<Lit> {
    let mut mantissa: u128 = 0;
    let mut scale: i64 = 0;
    let mut in_fraction = false;
    let mut rest = body.char_indices();
    let mut exponent_at = body.len();
    for (i, c) in rest.by_ref() {
        match c {
            '.' => in_fraction = true,
            'p' | 'P' => {
                exponent_at = i + 1;
                break;
            }
            _ => {
                let Some(digit) = c.to_digit(16) else {
                    continue;
                };
                if mantissa >> 120 == 0 {
                    mantissa = mantissa << 4 | u128::from(digit);
                    scale -= if in_fraction { 4 } else { 0 };
                } else {
                    // Too many digits to keep: remember only that something was there.
                    mantissa |= u128::from(digit != 0);
                    scale += if in_fraction { 0 } else { 4 };
                }
            }
        }
    }
    let exponent = &body[exponent_at.min(body.len())..];
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '_' | '+' | '-');
    let end = exponent.find(|c| !is_part(c)).unwrap_or(exponent.len());
    let (digits, suffix) = exponent.split_at(end);
    let plain: String = digits.chars().filter(|&c| c != '_').collect();
    let limit = 1_000_000;
    let huge = if plain.starts_with('-') { -limit } else { limit };
    let exponent = plain.parse::<i64>().map_or(huge, |e| e.clamp(-limit, limit));
    let (suffix, problem) = read_suffix(suffix, Prim::is_float);
    (
        Lit::Float { value: scale_by_power_of_two(mantissa as f64, exponent + scale), suffix },
        problem,
    )
}

fn scale_by_power_of_two(mut value: f64, mut exponent: i64) -> f64 {
    let step = f64::from_bits((1023 + 512) << 52);
    if value == 0.0 {
        return value;
    }
    while exponent >= 512 && value.is_finite() {
        value *= step;
        exponent -= 512;
    }
    while exponent <= -512 && value != 0.0 {
        value /= step;
        exponent += 512;
    }
    if (-512..=512).contains(&exponent) {
        value *= f64::from_bits(((1023 + exponent) as u64) << 52);
    }
    value
}

/// Reads a character literal, quotes included.
pub(crate) fn character(text: &str) -> Read<Lit> {
    let body = text.strip_prefix('\'').and_then(|t| t.strip_suffix('\'')).unwrap_or("");
    let (value, problem) = unescape(body);
    let mut chars = value.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) => (Lit::Char(c), problem),
        _ => {
            let problem = problem.or(Some("it does not contain exactly one character".to_owned()));
            (Lit::Char('\0'), problem)
        }
    }
}

/// Reads a string literal, quotes included.
pub(crate) fn string(text: &str) -> Read<EcoString> {
    unescape(text.strip_prefix('"').and_then(|t| t.strip_suffix('"')).unwrap_or(""))
}

/// The names of control characters in escapes; `SOH` comes before `SO`, so that the longer one is
/// taken.
const CONTROL: [(&str, u8); 34] = [
    ("NUL", 0),
    ("SOH", 1),
    ("STX", 2),
    ("ETX", 3),
    ("EOT", 4),
    ("ENQ", 5),
    ("ACK", 6),
    ("BEL", 7),
    ("BS", 8),
    ("HT", 9),
    ("LF", 10),
    ("VT", 11),
    ("FF", 12),
    ("CR", 13),
    ("SO", 14),
    ("SI", 15),
    ("DLE", 16),
    ("DC1", 17),
    ("DC2", 18),
    ("DC3", 19),
    ("DC4", 20),
    ("NAK", 21),
    ("SYN", 22),
    ("ETB", 23),
    ("CAN", 24),
    ("EM", 25),
    ("SUB", 26),
    ("ESC", 27),
    ("FS", 28),
    ("GS", 29),
    ("RS", 30),
    ("US", 31),
    ("SP", 32),
    ("DEL", 127),
];

/// Replaces the escapes by the characters they stand for.
fn unescape(body: &str) -> Read<EcoString> {
    let mut result = EcoString::new();
    let mut problem = None;
    let mut rest = body;
    while let Some(at) = rest.find('\\') {
        result.push_str(&rest[..at]);
        let (value, after) = escape(&rest[at + 1..]);
        match value {
            Ok(Some(c)) => result.push(c),
            Ok(None) => {}
            Err(why) => problem = problem.or(Some(why)),
        }
        rest = after;
    }
    result.push_str(rest);
    (result, problem)
}

/// Reads one escape, given the text after the backslash; yields the text after the escape. `\&`
/// stands for nothing, it separates.
fn escape(text: &str) -> (Result<Option<char>, String>, &str) {
    let Some(first) = text.chars().next() else {
        return (Err("a backslash must be followed by something".to_owned()), text);
    };
    let after = &text[first.len_utf8()..];
    let simple = match first {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'a' => '\x07',
        'b' => '\x08',
        'f' => '\x0c',
        'v' => '\x0b',
        '\\' | '\'' | '"' => first,
        '&' => return (Ok(None), after),
        '^' => {
            return match after.chars().next() {
                Some(c @ '@'..='_') => (Ok(Some(char::from(c as u8 - b'@'))), &after[1..]),
                _ => (Err("`\\^` must be followed by a capital letter".to_owned()), after),
            };
        }
        'x' | 'X' => return numeric(after, 16),
        'o' | 'O' => return numeric(after, 8),
        '0'..='9' => return numeric(text, 10),
        _ => {
            for (name, value) in CONTROL {
                if let Some(rest) = text.strip_prefix(name) {
                    return (Ok(Some(char::from(value))), rest);
                }
            }
            return (Err(format!("unknown escape `\\{first}`")), after);
        }
    };
    (Ok(Some(simple)), after)
}

fn numeric(text: &str, base: u32) -> (Result<Option<char>, String>, &str) {
    let end = text.find(|c: char| !c.is_digit(base)).unwrap_or(text.len());
    let (digits, after) = text.split_at(end);
    let value = u32::from_str_radix(digits, base).ok().and_then(char::from_u32);
    match value {
        Some(c) => (Ok(Some(c)), after),
        None => (Err("this escape is not the code of a character".to_owned()), after),
    }
}
