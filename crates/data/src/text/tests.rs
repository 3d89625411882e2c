//! The text format: what is read, how it is written, and what the errors say.

use super::{Style, to_string};
use crate::reader::{Reader, read_all, read_typed};
use crate::value::ValueType;

/// Reads all values and prints them in the short style.
fn read(text: &str) -> String {
    match read_all(text.as_bytes()) {
        Ok(values) => values.iter().map(|value| value.to_string()).collect::<Vec<_>>().join(" "),
        Err(error) => error.to_string(),
    }
}

/// Reads one value of a type and prints it.
fn read_as(ty: &str, text: &str) -> String {
    let ty = ValueType::parse(ty).unwrap();
    match read_typed(text.as_bytes(), &[ty]) {
        Ok(values) => values[0].to_string(),
        Err(error) => error.to_string(),
    }
}

/// Reads a value and prints it as programs do.
fn program(text: &str) -> String {
    to_string(&Reader::new(text.as_bytes()).next_value(None).unwrap().unwrap(), Style::PROGRAM)
}

#[test]
fn numbers() {
    assert_eq!(read("1 -1 +1 1i8 0x1F 0b101 1_000u64"), "1i32 -1i32 1i32 1i8 31i32 5i32 1000u64");
    assert_eq!(
        read("1.0 1e3 1.5e-3f32 1f32 -0.0 1e+3"),
        "1.0f64 1000.0f64 1.5e-3f32 1.0f32 -0.0f64 1000.0f64"
    );
    assert_eq!(read("f32.nan f64.inf -f16.inf"), "f32.nan f64.inf -f16.inf");
    assert_eq!(read("0x1.8p3 0x1p-1f32 -0x.8p0f16"), "12.0f64 0.5f32 -0.5f16");
    assert_eq!(read("0xFFi8 -1u8 0x1f32 -128i8 1_i32"), "-1i8 255u8 7986i32 -128i8 1i32");
    assert_eq!(read("255i8 300u8 32767i8 18446744073709551615i64"), "-1i8 44u8 -1i8 -1i64");
    assert_eq!(read("1e400 1.1f16 1_0.5_0 .5 5."), "f64.inf 1.0996094f16 10.5f64 0.5f64 5.0f64");
    assert_eq!(read("true false"), "true false");
    assert_eq!(read("1-2"), "1i32 -2i32");
    assert_eq!(read("1--2"), "1i32");
}

#[test]
fn arrays() {
    assert_eq!(read("[1,2,3]"), "[1i32, 2i32, 3i32]");
    assert_eq!(read("[ 1i8 , 2, 3, ] 4"), "[1i8, 2i8, 3i8] 4i32");
    assert_eq!(read("[[1.0,2],[3,4]]"), "[[1.0f64, 2.0f64], [3.0f64, 4.0f64]]");
    assert_eq!(read("[1, -- one\n 2]"), "[1i32, 2i32]");
    assert_eq!(read("empty([0]i32) empty ( [0] [3] i32 )"), "empty([0]i32) empty([0][3]i32)");
    assert_eq!(read("\"hé\\n\\65\\x41\\\"\""), "[104u8, 195u8, 169u8, 10u8, 65u8, 65u8, 34u8]");
    assert_eq!(read("[\"ab\", \"cd\"]"), "[[97u8, 98u8], [99u8, 100u8]]");
    assert_eq!(read("[true, false]"), "[true, false]");
    assert_eq!(read(""), "");
    assert_eq!(read("-- nothing"), "");
}

#[test]
fn expected_types() {
    assert_eq!(read_as("f32", "1"), "1.0f32");
    assert_eq!(read_as("f16", "0x10"), "16.0f16");
    assert_eq!(read_as("[]f32", "[1, 2.5]"), "[1.0f32, 2.5f32]");
    assert_eq!(read_as("[]u8", "[]"), "empty([0]u8)");
    assert_eq!(read_as("[][]u8", "[[],[]]"), "empty([2][0]u8)");
    assert_eq!(read_as("f64", "-inf"), "-f64.inf");
    assert_eq!(read_as("[]f64", "[nan]"), "[f64.nan]");
}

#[test]
fn errors_with_expected_types() {
    let check = |ty, text, message| assert_eq!(read_as(ty, text), message);
    check("i32", "1.5", "1:1: `1.5` is not an integer, but a value of type i32 is expected here");
    check("[]f32", "[1f64]", "1:2: `1f64` has type f64, but a value of type f32 is expected here");
    check(
        "[]i32",
        "1",
        "1:1: expected an array of type []i32, found a scalar; write arrays in brackets: `[1, 2]`",
    );
    check("i32", "[1]", "1:1: expected a value of type i32, found an array of 1 dimension");
    check("[][]i32", "[]", "1:1: expected a value of type [][]i32, found an array of 1 dimension");
    check("[]i64", "empty([0]i32)", "1:1: expected a value of type []i64, found []i32");
    check("i32", "1 2", "1:3: there is more input after the last of 1 values");
    check("i32", " ", "1:2: the input ends before value 1 of 1; a value of type i32 is missing");
}

#[test]
fn errors() {
    let check = |text, message| assert_eq!(read(text), message);
    check(
        "[[1,2],\n [3]]",
        "2:2: irregular array: this row has 1 element, but the preceding rows have 2; all rows must have the same size",
    );
    check("[[1],2]", "1:6: expected a row, found `2`; the preceding rows are in brackets");
    check("[1,[2]]", "1:4: expected an element of the array, found `[`");
    check(
        "[1,2i8]",
        "1:4: `2i8` has type i8, but a value of type i32 is expected here; the first element determines the type of the array",
    );
    check("[1 2]", "1:4: expected `,` or `]`, found `2`");
    check("[1", "1:3: expected `,` or `]`, found the end of the input");
    check("[,1]", "1:2: expected an element of the array, found `,`");
    check(
        "[]",
        "1:2: the type of this empty array is not known; write it with its type and sizes, as in `empty([0]i32)`",
    );
    check("1,2", "1:2: found `,` after a value; separate values with spaces");
    check("- 1", "1:1: `-` is not followed by a number; a sign must directly precede its number");
    check("[1u8, 300]", "1:7: `300` does not fit into u8; u8 ranges from 0 to 255");
    check(
        "99999999999",
        "1:1: `99999999999` does not fit into i32; write `99999999999i64` for a larger type",
    );
    check(
        "1i32x",
        "1:1: `1i32x` is not a number; the suffixes are i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64",
    );
    check(
        "1.5i32",
        "1:1: `1.5i32` is not a number; a number with a decimal point or an exponent needs the suffix f16, f32 or f64",
    );
    check(
        "True",
        "1:1: `True` is not a value; a value is a number, `true`, `false`, an array or a string",
    );
    check("nan", "1:1: the type of this number is not known; write `f32.nan` or `f64.inf`");
    check(
        "empty([3]i32)",
        "1:1: none of the sizes of this empty array is 0; at least one size must be 0",
    );
    check(
        "empty([]i32)",
        "1:8: expected a size, found `]`; write empty arrays like this: `empty([0][3]i32)`",
    );
    check(
        "[empty([0]i32), [1]]",
        "1:17: irregular array: this row has 1 element, but the preceding rows have 0; all rows must have the same size",
    );
    check("[empty([0]i32), empty([0]i64)]", "1:17: expected a row of type []i32, found []i64");
    check("[[1], empty([1][0]i32)]", "1:7: expected a row of type []i32, found [][]i32");
    check(
        "[1, empty([0]i32)]",
        "1:5: `empty` is not a value; a value is a number, `true`, `false`, an array or a string",
    );
    check("\"ab", "1:1: this string is not closed; a string ends with `\"`");
    check("(1, 2)", "1:1: expected a value, found `(`");
    check("1 é", "1:3: expected a value, found `é`");
}

#[test]
fn rows_that_are_empty_arrays() {
    let shown = |text| {
        read_all(text).unwrap().iter().map(|v| v.sized_type().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(
        shown(b"[empty([0]i32)] [ empty([0]f32), empty([0]f32), ]"),
        ["[1][0]i32", "[2][0]f32"]
    );
    assert_eq!(
        shown(b"[[empty([0]i32)], [empty([0]i32)]] [empty([2][0]u8)]"),
        ["[2][1][0]i32", "[1][2][0]u8"]
    );
    assert_eq!(
        shown(b"[empty([0]i8), []] [[empty([0][3]i8)], [[]]]"),
        ["[2][0]i8", "[2][1][0][3]i8"]
    );
    let expected = ValueType::parse("[][]i64").unwrap();
    let mut reader = Reader::new(b"[[], empty([0]i64)] [empty([0]i32)]");
    let value = reader.next_value(Some(&expected)).unwrap().unwrap();
    assert_eq!(value.to_string(), "empty([2][0]i64)");
    assert!(reader.next_value(Some(&expected)).is_err());
}

#[test]
fn program_style() {
    assert_eq!(program("1f32"), "1f32");
    assert_eq!(program("0.1f32"), "0.100000001f32");
    assert_eq!(program("0.1"), "0.10000000000000001f64");
    assert_eq!(program("1e10f32"), "1e+10f32");
    assert_eq!(program("1e-10f32"), "1.00000001e-10f32");
    assert_eq!(program("123456789f32"), "123456792f32");
    assert_eq!(program("1234567890f32"), "1.23456794e+09f32");
    assert_eq!(program("0.0001"), "0.0001f64");
    assert_eq!(program("0.00001"), "1.0000000000000001e-05f64");
    assert_eq!(program("1e300"), "1.0000000000000001e+300f64");
    assert_eq!(program("-0f32"), "-0f32");
    assert_eq!(program("100000.5"), "100000.5f64");
    assert_eq!(program("[[1.5f16,2]]"), "[[1.5f16, 2f16]]");
}

#[test]
fn shortest_style() {
    let check = |text, expected| assert_eq!(read(text), expected);
    check(
        "100000f32 1e7f32 9999999.0f32 0.1 0.099",
        "100000.0f32 1.0e7f32 9999999.0f32 0.1f64 9.9e-2f64",
    );
    check("0.0 5e-324 3.4028235e38f32", "0.0f64 5.0e-324f64 3.4028235e38f32");
    check("1.23456789e8 0.1f16", "1.23456789e8f64 9.9975586e-2f16");
    let value = read_all(b"[[[1,2],[3,4]],[[5,6],[7,8]]]").unwrap().remove(0);
    let lines = "[[[1i32, 2i32],\n[3i32, 4i32]],\n[[5i32, 6i32],\n[7i32, 8i32]]]";
    assert_eq!(to_string(&value, Style::DATASET), lines);
}
