//! Constants and texts as C literals.

use super::exp::{Prec, Text};
use fehu_ir::Scalar;
use std::fmt::Write;

/// A constant of exactly this value. An integer's literal need not have its type where C converts it anyway, but unsigned
/// arithmetic on literals alone is right too.
pub(super) fn scalar(value: Scalar) -> Text {
    match value {
        Scalar::I8(a) => signed(i64::from(a)),
        Scalar::I16(a) => signed(i64::from(a)),
        Scalar::I32(i32::MIN) => Text::atom("INT32_MIN"),
        Scalar::I32(a) => signed(i64::from(a)),
        Scalar::I64(i64::MIN) => Text::atom("INT64_MIN"),
        Scalar::I64(a) => signed(a),
        Scalar::U8(a) => Text::atom(a.to_string()),
        Scalar::U16(a) => Text::atom(a.to_string()),
        Scalar::U32(a) => Text::atom(format!("{a}U")),
        Scalar::U64(a) => Text::atom(format!("{a}ULL")),
        Scalar::F16(a) => {
            let bits = a.to_bits();
            Text::atom(format!("fe_bits_u16_f16({bits:#06x} /* {:?} */)", a.to_f32()))
        }
        Scalar::F32(a) if a.is_nan() && a.to_bits() != f32::NAN.to_bits() => {
            Text::atom(format!("fe_bits_u32_f32({:#x}U)", a.to_bits()))
        }
        // The shortest digits that Rust reads back as the same number are those that C does, too.
        Scalar::F32(a) => float(f64::from(a), format!("{a:?}f")),
        Scalar::F64(a) if a.is_nan() && a.to_bits() != f64::NAN.to_bits() => {
            Text::atom(format!("fe_bits_u64_f64({:#x}ULL)", a.to_bits()))
        }
        Scalar::F64(a) => float(a, format!("{a:?}")),
        Scalar::Bool(a) => Text::atom(a.to_string()),
        Scalar::Unit => Text::atom("0"),
    }
}

fn signed(a: i64) -> Text {
    Text { text: a.to_string(), prec: if a < 0 { Prec::Unary } else { Prec::Postfix } }
}

fn float(a: f64, digits: String) -> Text {
    if a.is_nan() {
        Text::atom("NAN")
    } else if a == f64::INFINITY {
        Text::atom("INFINITY")
    } else if a == f64::NEG_INFINITY {
        Text { text: "-INFINITY".to_owned(), prec: Prec::Unary }
    } else {
        let prec = if a.is_sign_negative() { Prec::Unary } else { Prec::Postfix };
        Text { text: digits, prec }
    }
}

/// A text as the contents of a C string.
pub(super) fn string(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            // There are no trigraphs then.
            '?' if out.ends_with('?') => out.push_str("\\?"),
            c if c.is_ascii_control() => {
                // A string takes whatever is written to it.
                let _ = write!(out, "\\{:03o}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// A text as the contents of a C string that `printf` prints as it is.
pub(super) fn format_string(text: &str) -> String {
    string(text).replace('%', "%%")
}

/// A text as a comment of one line.
pub(super) fn comment(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    // A backslash at the end would make the next line a part of the comment.
    format!("// {}", text.trim_end_matches(['\\', ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_exact() {
        let literals = [
            (Scalar::I64(i64::MIN), "INT64_MIN"),
            (Scalar::I32(i32::MIN), "INT32_MIN"),
            (Scalar::I8(-128), "-128"),
            (Scalar::U32(7), "7U"),
            (Scalar::F32(0.1), "0.1f"),
            (Scalar::F32(1e-45), "1e-45f"),
            (Scalar::F64(1e300), "1e300"),
            (Scalar::F64(-0.0), "-0.0"),
            (Scalar::F64(f64::NEG_INFINITY), "-INFINITY"),
            (Scalar::F64(f64::NAN), "NAN"),
            (Scalar::F64(-f64::NAN), "fe_bits_u64_f64(0xfff8000000000000ULL)"),
            (Scalar::Bool(true), "true"),
        ];
        for (value, text) in literals {
            assert_eq!(scalar(value).text, text);
        }
    }

    #[test]
    fn texts_are_escaped() {
        assert_eq!(string("a\"b\\c\n??=\u{1}1é"), "a\\\"b\\\\c\\n?\\?=\\0011é");
        assert_eq!(format_string("100% sure"), "100%% sure");
        assert_eq!(comment("ends so: \\\n\\"), "// ends so:");
    }
}
