//! What to generate: a type with sizes, or a value.

use crate::array::{MAX_RANK, element_count};
use crate::error::Result;
use crate::reader::Reader;
use crate::text::parse_integer;
use crate::value::{Scalar, SizedType, Value};
use fehu_base::Prim;
use std::fmt;

/// One value to generate.
#[derive(Clone, PartialEq, Debug)]
pub enum Spec {
    /// A random value of a type: `[10]i32`.
    Random(SizedType),
    /// This value: `42i32`.
    Literal(Value),
}

impl Spec {
    /// Reads one type or value, as given to `--generate`.
    pub fn parse(text: &str) -> Result<Spec> {
        let mut reader = Reader::new(text.as_bytes());
        let spec = next(&mut reader)?;
        match (spec, reader.peek()) {
            (Some(spec), None) => Ok(spec),
            (None, _) => {
                let error = reader.error(0, "there is no type or value");
                Err(error.help("write a type such as `[10]i32`, or a value"))
            }
            (Some(_), Some(_)) => {
                let found = crate::text::describe(reader.rest());
                let message = format!("expected the end after one type or value, found {found}");
                Err(reader.error(reader.at, message))
            }
        }
    }

    /// Reads types and values separated by blanks, as in a test block: `[10]i32 i64 42i32`.
    pub fn parse_all(text: &str) -> Result<Vec<Spec>> {
        let mut reader = Reader::new(text.as_bytes());
        let mut specs = Vec::new();
        while let Some(spec) = next(&mut reader)? {
            specs.push(spec);
        }
        Ok(specs)
    }
}

impl Spec {
    /// How much memory the elements of the value take, as far as numbers go.
    pub fn bytes(&self) -> u64 {
        let ty = match self {
            Spec::Random(ty) => ty.clone(),
            Spec::Literal(value) => value.sized_type(),
        };
        let count = element_count(&ty.shape).map_or(u64::MAX, |count| count as u64);
        count.saturating_mul(crate::bytes::size(ty.elem) as u64)
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Spec::Random(ty) => write!(f, "{ty}"),
            Spec::Literal(value) => write!(f, "{value}"),
        }
    }
}

fn next(reader: &mut Reader<'_>) -> Result<Option<Spec>> {
    if reader.peek().is_none() {
        return Ok(None);
    }
    let mut ahead = reader.clone();
    if let Some(ty) = sized_type(&mut ahead)? {
        *reader = ahead;
        return Ok(Some(Spec::Random(ty)));
    }
    Ok(reader.next_value(None)?.map(Spec::Literal))
}

/// Reads a type; `None` if what is there is none, and so should be a value.
fn sized_type(reader: &mut Reader<'_>) -> Result<Option<SizedType>> {
    let start = reader.at;
    // Sizes are judged only once it is clear that this is a type.
    let mut sizes = Vec::new();
    while reader.peek() == Some(b'[') {
        reader.at += 1;
        reader.skip_blanks();
        let at = reader.at;
        let rest = reader.rest();
        let Some(length) = rest.iter().position(|b| matches!(b, b'[' | b']' | b',' | b'"')) else {
            return Ok(None);
        };
        if rest[length] != b']' {
            return Ok(None);
        }
        sizes.push((at, String::from_utf8_lossy(&rest[..length]).trim().to_owned()));
        reader.at += length + 1;
    }
    let rest = reader.rest();
    let length = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    // `f32.nan` is a value.
    if rest.get(length) == Some(&b'.') {
        return Ok(None);
    }
    let name = std::str::from_utf8(&rest[..length]).unwrap_or_default();
    let Some(elem) = Prim::from_name(name) else {
        let letter = name.starts_with(|c: char| c.is_ascii_alphabetic());
        // In `[2] true` and `[2] empty([0]i32)` there are two values.
        if letter && !matches!(name, "true" | "false" | "empty" | "nan" | "inf") && name != "b" {
            let message = format!("unknown type `{name}`");
            let help = "a type consists of sizes in brackets and a primitive type: `[10][3]f32`";
            return Err(reader.error(reader.at, message).help(help));
        }
        return Ok(None);
    };
    reader.at += length;
    let mut shape = Vec::with_capacity(sizes.len());
    for (at, text) in sizes {
        let digits = text.strip_suffix("i64").unwrap_or(&text);
        let size = match parse_integer(digits, Prim::I64) {
            Some(Scalar::I64(size)) => usize::try_from(size).ok(),
            _ => None,
        };
        let Some(size) = size else {
            let message = match text.as_str() {
                "" => "a size is missing".to_owned(),
                _ => format!("`{text}` is not a size"),
            };
            let help = "random arrays have constant sizes: `[10][3]f32`";
            return Err(reader.error(at, message).help(help));
        };
        shape.push(size);
    }
    if shape.len() > MAX_RANK || element_count(&shape).is_none() {
        return Err(reader.error(start, "an array of this type is larger than any memory"));
    }
    Ok(Some(SizedType { elem, shape }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        match Spec::parse_all(text) {
            Ok(specs) => specs
                .iter()
                .map(|spec| match spec {
                    Spec::Random(ty) => format!("{ty}?"),
                    Spec::Literal(value) => value.to_string(),
                })
                .collect::<Vec<_>>()
                .join(" "),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn types_and_values() {
        assert_eq!(shown("[10][20]i32 i64 42 0.5f32"), "[10][20]i32? i64? 42i32 0.5f32");
        assert_eq!(shown("[2] 5i8 [0x10]u8 [1_0] bool"), "[2i32] 5i8 [16]u8? [10]bool?");
        assert_eq!(
            shown("f32.nan f32 [1,2] [[1],[2]]"),
            "f32.nan f32? [1i32, 2i32] [[1i32], [2i32]]"
        );
        assert_eq!(
            shown("[0][3]i32 [2] true \"ab\" [5i64]u8"),
            "[0][3]i32? [2i32] true [97u8, 98u8] [5]u8?"
        );
        assert_eq!(shown("empty([0]i32) -- nothing"), "empty([0]i32)");
    }

    #[test]
    fn errors() {
        assert_eq!(
            shown("[]i32"),
            "1:2: a size is missing; random arrays have constant sizes: `[10][3]f32`"
        );
        assert_eq!(
            shown("i8 [n]i32"),
            "1:5: `n` is not a size; random arrays have constant sizes: `[10][3]f32`"
        );
        assert_eq!(
            shown("[-1]i32"),
            "1:2: `-1` is not a size; random arrays have constant sizes: `[10][3]f32`"
        );
        assert_eq!(
            shown("[2]int"),
            "1:4: unknown type `int`; a type consists of sizes in brackets and a primitive type: `[10][3]f32`"
        );
        assert_eq!(
            shown("[9223372036854775807][2]u8"),
            "1:1: an array of this type is larger than any memory"
        );
        assert!(Spec::parse("").is_err());
        assert!(Spec::parse("i32 i32").is_err());
        assert_eq!(Spec::parse(" [3]f16 ").unwrap().to_string(), "[3]f16");
    }
}
