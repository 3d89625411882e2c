//! C names of things that have a name in the source.
//!
//! Existing clients know these names: `futhark_opaque_point`, `futhark_opaque_arr1d_point` for `[]point`,
//! `futhark_opaque_tup2_i32_bool` for `(i32, bool)`. A type whose name is not made of such parts gets a
//! number derived from its name.

use fehu_base::Prim;
use std::fmt::Write as _;

/// A name of the source as a part of a C name. Letters, digits and underscores stay.
pub(super) fn escape(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => out.push(c),
            '\'' => out.push_str("zq"),
            other => {
                let _ = write!(out, "zu{:x}_", u32::from(other));
            }
        }
    }
    out
}

/// The name of an opaque type in C, without `futhark_opaque_`.
pub(super) fn opaque(name: &str) -> String {
    if name == "()" {
        return "unit".to_owned();
    }
    structured(name)
        .unwrap_or_else(|| format!("{:016x}{:016x}", hash(name, 0), hash(name, 0x9e37_79b9)))
}

/// A number for a text, the same in every version of the compiler (FNV-1a).
pub(super) fn hash(text: &str, seed: u64) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325 ^ seed;
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(start, step)
}

/// A primitive type of C. Halves are presented as their bits.
pub(crate) fn prim(prim: Prim) -> &'static str {
    match prim {
        Prim::I8 => "int8_t",
        Prim::I16 => "int16_t",
        Prim::I32 => "int32_t",
        Prim::I64 => "int64_t",
        Prim::U8 => "uint8_t",
        Prim::U16 | Prim::F16 => "uint16_t",
        Prim::U32 => "uint32_t",
        Prim::U64 => "uint64_t",
        Prim::F32 => "float",
        Prim::F64 => "double",
        Prim::Bool => "bool",
    }
}

/// A string literal of C.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            // A question mark could begin a trigraph.
            b'?' => out.push_str("\\?"),
            b' '..=b'~' => out.push(char::from(byte)),
            // Three digits, so that nothing that follows belongs to the number.
            _ => {
                let _ = write!(out, "\\{byte:03o}");
            }
        }
    }
    out.push('"');
    out
}

fn structured(name: &str) -> Option<String> {
    let mut rank = 0;
    let mut elem = name;
    while let Some(rest) = elem.strip_prefix("[]") {
        rank += 1;
        elem = rest;
    }
    if rank > 0 {
        return Some(format!("arr{rank}d_{}", structured(elem)?));
    }
    if let Some(inner) = elem.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        let parts = split(inner)?;
        let names = parts.iter().map(|part| structured(part)).collect::<Option<Vec<_>>>()?;
        return Some(format!("tup{}_{}", names.len(), names.join("_")));
    }
    let word = |word: &str| {
        let starts = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        starts && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let words: Vec<&str> = elem.split('.').collect();
    words.iter().all(|w| word(w)).then(|| words.join("_"))
}

/// The parts of a tuple; none if the parentheses are no pairs.
fn split(text: &str) -> Option<Vec<&str>> {
    if text.is_empty() {
        return Some(Vec::new());
    }
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opaque_types_have_the_names_that_clients_know() {
        for (name, expected) in [
            ("point", "point"),
            ("m.t", "m_t"),
            ("()", "unit"),
            ("[]()", "arr1d_tup0_"),
            ("(i32, ())", "tup2_i32_tup0_"),
            ("[][]point", "arr2d_point"),
            ("(i32, (f32, bool))", "tup2_i32_tup2_f32_bool"),
            ("(i32, []i32)", "tup2_i32_arr1d_i32"),
            ("[](i32, point)", "arr1d_tup2_i32_point"),
        ] {
            assert_eq!(opaque(name), expected, "{name}");
        }
        for name in ["p'", "{x: f32}", "[]#a | #b", "wrap i32", "(i32, p')", "(a) | (b)", "1"] {
            let number = opaque(name);
            assert!(number.len() == 32 && number.bytes().all(|b| b.is_ascii_hexdigit()), "{name}");
        }
        assert_ne!(opaque("{x: f32}"), opaque("{y: f32}"));
    }

    #[test]
    fn strings_are_literals_of_c() {
        assert_eq!(quoted("a\"b\\c\n1?é"), r#""a\"b\\c\0121\?\303\251""#);
        assert_eq!(escape("f25'"), "f25zq");
    }
}
