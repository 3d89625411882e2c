//! The runtime reads and writes values as `fehu-data` does: same text, same bytes, same messages.

use crate::fake;
use fehu_base::Prim;
use fehu_data::generate::{Generator, Rng};
use fehu_data::text::{self, Style};
use fehu_data::{Array, Data, Reader, Scalar, SizedType, Value, ValueType, binary};
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::OnceLock;

fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| fake::compile("read_values.c", &[]))
}

fn convert(ty: &ValueType, input: &[u8], binary: bool) -> Output {
    let rank = ty.rank.to_string();
    let args = [ty.elem.name(), &rank, "b"];
    fake::run(program(), &args[..if binary { 3 } else { 2 }], input)
}

fn text_of(value: &Value) -> String {
    format!("{}\n", text::to_string(value, Style::PROGRAM))
}

/// Each value of `values`, all of one type, goes through the program in both formats and comes out the same.
fn round_trip(values: &[Value]) {
    let ty = values[0].value_type();
    let texts: String = values.iter().map(text_of).collect();
    let bytes: Vec<u8> = values.iter().flat_map(binary::to_bytes).collect();
    for input in [texts.as_bytes(), &bytes] {
        let output = convert(&ty, input, false);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{ty}: {errors}");
        for (found, expected) in output.stdout.split(|&b| b == b'\n').zip(texts.lines()) {
            assert_eq!(String::from_utf8_lossy(found), expected);
        }
        assert_eq!(output.stdout.len(), texts.len());
        let output = convert(&ty, input, true);
        assert!(output.status.success() && output.stdout == bytes, "{ty}");
    }
}

/// A scalar with random bits, small numbers often; NaN only as the one that text stands for.
fn scalar(rng: &mut Rng, prim: Prim) -> Scalar {
    let bits = rng.next_u64() >> rng.up_to(63);
    let scalar = match prim {
        Prim::Bool => Scalar::Bool(bits & 1 == 1),
        Prim::F64 if rng.up_to(1) == 0 => Scalar::F64(bits as f64 / (rng.up_to(999) + 1) as f64),
        Prim::F32 if rng.up_to(1) == 0 => Scalar::F32(bits as f32 / (rng.up_to(999) + 1) as f32),
        _ => Scalar::from_bits(prim, if rng.up_to(1) == 0 { bits } else { rng.next_u64() }),
    };
    match scalar.as_float() {
        Some(x) if x.is_nan() => Scalar::from_bits(prim, 0),
        _ => scalar,
    }
}

#[test]
fn scalars() {
    let mut rng = Rng::new(1);
    for prim in Prim::ALL {
        let values: Vec<Value> = (0..2000).map(|_| Value::Scalar(scalar(&mut rng, prim))).collect();
        round_trip(&values);
    }
}

#[test]
fn special_floats() {
    for (prim, bits) in [(Prim::F16, 16), (Prim::F32, 32), (Prim::F64, 64)] {
        let texts =
            ["nan", "inf", "-inf", "-0", "0", "1e-45", "5e-324", "1e10", "16777217", "0x1.8p3"];
        let ty = ValueType::scalar(prim);
        let value = |text: &str| {
            let value = Reader::new(text.as_bytes()).next_value(Some(&ty));
            value.expect("it is a value").expect("it is there")
        };
        let mut values: Vec<Value> = texts.into_iter().map(value).collect();
        // The smallest and the largest numbers.
        values.extend([1_u64, 2, 3].map(|n| Value::Scalar(Scalar::from_bits(prim, n))));
        let infinity = value("inf").as_scalar().expect("a scalar").to_bits();
        values.push(Value::Scalar(Scalar::from_bits(prim, infinity - 1)));
        values.push(Value::Scalar(Scalar::from_bits(prim, 1 << (bits - 1) | (infinity - 1))));
        round_trip(&values);
    }
}

#[test]
fn all_numbers_of_f16() {
    let finite = |bits: &u64| bits & 0x7C00 != 0x7C00;
    let scalars = (0..1 << 16).filter(finite).map(|bits| Scalar::from_bits(Prim::F16, bits));
    round_trip(&scalars.map(Value::Scalar).collect::<Vec<_>>());
}

#[test]
fn arrays() {
    let mut generator = Generator::new(3);
    for prim in Prim::ALL {
        // Those of one rank have one type, and go through the program together.
        let shapes = [
            vec![vec![1], vec![10_000], vec![0], vec![1]],
            vec![vec![2, 3], vec![150, 70], vec![0, 3], vec![2, 3]],
            vec![vec![2, 0, 3], vec![4, 1, 2]],
            vec![vec![3, 1, 2, 2], vec![1, 0, 0, 1]],
        ];
        for shapes in shapes {
            let types = shapes.into_iter().map(|shape| SizedType { elem: prim, shape });
            let values = types.map(|ty| generator.random(&ty).expect("it is small"));
            round_trip(&values.collect::<Vec<_>>());
        }
    }
}

/// What the program says, and what `fehu-data` says.
fn outcomes(ty: &str, input: &[u8]) -> (String, String) {
    let ty = ValueType::parse(ty).expect("it is a type");
    let output = convert(&ty, input, false);
    let found = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    let mut reader = Reader::new(input);
    let mut expected = String::new();
    loop {
        match reader.next_value(Some(&ty)) {
            Ok(Some(value)) => expected += &text_of(&value),
            Ok(None) => return (found, expected),
            Err(error) => return (found, expected + &format!("{error}\n")),
        }
    }
}

#[test]
fn unusual_values_are_read_alike() {
    for (ty, input) in [
        ("i8", "255i8 -1 0xFF 0b11 -128 +5 1_2_7 -- a comment\n 3"),
        ("u8", "255 -1 256u8 0xFFu8"),
        ("i64", "-9223372036854775808 9223372036854775807 0xFFFFFFFFFFFFFFFF"),
        ("u64", "18446744073709551615"),
        (
            "f32",
            ".5 5. 1_000.5 1e3f32 0x10 0b101 0x1.8p-3f32 -0x1p-149 f32.nan -f32.nan nan -inf 1e39 16777219 0x1000001",
        ),
        (
            "f64",
            "1E5 1e+5 1e-400 1e400 0.1f64 123456789012345678901234567890 9007199254740993 0x1.00000000000008p0",
        ),
        ("f64", "0.5000000000000000166533453693773481063544750213623046875"),
        ("f16", "65519.99 65520 -1e9 2.98e-8 2.980232238769531e-8 0x1p-25 0x1.8p-25"),
        ("bool", "true false"),
        ("[]i32", "[1,2,3,] [ ] [1 ,2\n,\t3] empty ( [ 0 ] i32 ) [-- one\n1]"),
        ("[]u8", "\"abc\" \"\\n\\t\\\\\\\"\\65\\x41\\o101\\&1é\\233\" [\"a\"]"),
        ("[][]u8", "[\"abc\", \"def\", [1,2,3]]"),
        ("[][]i32", "[[]] [[1],[2]] [[],[]] empty([0][3]i32) empty([3][0]i32)"),
        ("[]f32", "[1, 2.5, 1e3, f32.inf, -nan, 0x1p3]"),
        ("[]bool", "[true, false] empty([0]bool)"),
        ("[][][]i32", "[[[1,2],[3,4]]]"),
    ] {
        let (found, expected) = outcomes(ty, input.as_bytes());
        assert_eq!(found, expected, "{ty}: {input}");
    }
}

#[test]
fn messages_are_the_same() {
    for (ty, input) in [
        ("i8", "1 128"),
        ("i16", "-32769"),
        ("i32", "x"),
        ("i32", "1.5"),
        ("i32", "1i64"),
        ("i32", "1.5i32"),
        ("i32", "12q"),
        ("i32", "+ 1"),
        ("i32", "true"),
        ("i32", "1,"),
        ("i32", "1 }"),
        ("i32", "1\n  ]"),
        ("i32", "i32.nan"),
        ("i64", "99999999999999999999999"),
        ("i32", "empty([0]i32)"),
        ("u8", "256"),
        ("f32", "1f64"),
        ("f32", "f64.nan"),
        ("f32", "0x1.8"),
        ("f32", "1e"),
        ("bool", "1"),
        ("bool", "-true"),
        ("bool", "1i32"),
        ("[]i32", "5"),
        ("[]i32", "[1, 2"),
        ("[]i32", "[1 2]"),
        ("[]i32", "[1,,2]"),
        ("[]i32", "[1, x]"),
        ("[]i32", "[1,\n-- é\n 2.5]"),
        ("[]i32", "[[1]]"),
        ("[]i32", "[1, [2]]"),
        ("[]i32", "\"a\""),
        ("[]i32", "empty([0]i64)"),
        ("[]i32", "empty([0][1]i32)"),
        ("[]i32", "empty([1]i32)"),
        ("[]i32", "empty(0)"),
        ("[]i32", "empty([0]q)"),
        ("[]i32", "empty"),
        ("[]i32", "empty([])"),
        ("[]u8", "\"abc"),
        ("[]u8", "\"a\nb\\q\""),
        ("[]u8", "[\"a\", 5]"),
        ("[][]i32", "[1]"),
        ("[][]i32", "[]"),
        ("[][]i32", "[[1,2],[3]]"),
        ("[][]i32", "[[1,2],\n[3,4,5]]"),
        ("[][]i32", "[[1],2]"),
        ("[][]i32", "[[1]"),
        ("[][][]i32", "[[[1],[2]],[[3]]]"),
    ] {
        let (found, expected) = outcomes(ty, input.as_bytes());
        assert_eq!(found, expected, "{ty}: {input}");
    }
}

#[test]
fn wrong_binary_data_has_messages() {
    for (ty, input) in [
        ("i32", &b"b"[..]),
        ("i32", b"b\x02"),
        ("i32", b"1 b\x01\0 i32\0\0\0\0"),
        ("i32", b"b\x02\0 x32\0\0\0\0"),
        ("i32", b"b\x02\0 i32\0\0\0"),
        ("[]i32", b"b\x02\x01 i32\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"),
        ("[]i32", b"b\x02\x01 i32\x03\0\0\0\0\0\0\0abc"),
        ("bool", b"b\x02\0bool\x02"),
    ] {
        let (found, expected) = outcomes(ty, input);
        assert_eq!(found, expected, "{ty}: {input:?}");
    }
    let output =
        convert(&ValueType::parse("[]i32").expect("a type"), b"b\x02\0 i32\0\0\0\0", false);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(errors, "byte 0: expected a value of type []i32, found i32\n");
    let output =
        convert(&ValueType::parse("[]i32").expect("a type"), b"b\x02\x01 i32\x01\0", false);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(errors, "byte 7: the input ends within size 1 of 1\n");
    // A file that claims to be huge does no harm.
    for size in [0x00FF_FFFF_FFFF_FFFF_u64, 0x3FFF_FFFF_FFFF_FFFF, 0x0000_00FF_FFFF_FFFF] {
        let mut input = b"b\x02\x02 f64\x02\0\0\0\0\0\0\0".to_vec();
        input.extend(size.to_le_bytes());
        input.extend([0; 64]);
        let output = convert(&ValueType::parse("[][]f64").expect("a type"), &input, false);
        assert_eq!(output.status.code(), Some(1), "{size}");
    }
}

#[test]
fn the_end_of_the_input_is_no_value() {
    let output = convert(&ValueType::scalar(Prim::I32), b" -- nothing\n", false);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(errors, "2:1: the input ends where a value of type i32 is missing\n");
}

/// Damages a value: other bytes, fewer, more, and sizes that lie.
fn damage(rng: &mut Rng, good: &[u8]) -> Vec<u8> {
    let mut bad = good.to_vec();
    for _ in 0..=rng.up_to(2) {
        let last = bad.len() as u64 - 1;
        // Most of the time the start, where the header is.
        let anywhere = rng.up_to(3) == 0;
        let at = rng.up_to(if anywhere { last } else { last.min(24) }) as usize;
        match rng.up_to(5) {
            0 => bad[at] = rng.next_u64() as u8,
            1 => bad[at] ^= 1 << rng.up_to(7),
            2 => bad.truncate(at + 1),
            3 => drop(bad.splice(at..at, (0..rng.up_to(9)).map(|_| b'['))),
            4 => bad.extend(b" 1 [2] b\x02"),
            _ => {
                let size = (rng.next_u64() >> rng.up_to(63)).to_le_bytes();
                let end = bad.len().min(at + 8);
                bad[at..end].copy_from_slice(&size[..end - at]);
            }
        }
    }
    bad
}

/// Many inputs for one run of the program, each in a file, and what it says to each: a value, or a message.
fn answers(ty: &ValueType, inputs: &[Vec<u8>]) -> Vec<String> {
    let folder = fake::directory("values-many");
    let names: Vec<String> = inputs
        .iter()
        .enumerate()
        .map(|(i, input)| {
            let path = folder.join(i.to_string());
            std::fs::write(&path, input).expect("it can be written");
            path.display().to_string()
        })
        .collect();
    let rank = ty.rank.to_string();
    let mut args = vec![ty.elem.name(), &rank, "files"];
    args.extend(names.iter().map(String::as_str));
    let output = fake::run(program(), &args, b"");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    std::fs::remove_dir_all(folder).expect("it is there");
    text.split_terminator('\u{1}').map(str::to_owned).collect()
}

/// Both readers see the same bytes: they agree on what is a value and on what is none, and in most cases on the words for it.
/// `FEHU_RANDOM_VALUES=100000` makes a longer run.
#[test]
fn damaged_input_means_the_same_to_both_readers() {
    let variable = std::env::var("FEHU_RANDOM_VALUES").ok();
    let count: usize = variable.and_then(|text| text.parse().ok()).unwrap_or(300);
    let mut rng = Rng::new(9);
    let mut generator = Generator::new(5);
    let (mut right, mut wrong) = (0, 0);
    for _ in 0..count / 60 {
        let elem = Prim::ALL[rng.up_to(11) as usize];
        let shape: Vec<usize> = (0..rng.up_to(3)).map(|_| rng.up_to(3) as usize).collect();
        let ty = SizedType { elem, shape };
        let value = generator.random(&ty).expect("it is small");
        let ty = value.value_type();
        let good = [text_of(&value).into_bytes(), binary::to_bytes(&value)];
        let inputs: Vec<Vec<u8>> = (0..60).map(|i| damage(&mut rng, &good[i % 2])).collect();
        for (input, found) in inputs.iter().zip(answers(&ty, &inputs)) {
            let mut reader = Reader::new(input);
            let mut expected = String::new();
            let error = loop {
                match reader.next_value(Some(&ty)) {
                    Ok(Some(value)) => expected += &text_of(&value),
                    Ok(None) => break None,
                    Err(error) => break Some(error.to_string()),
                }
            };
            let shown = String::from_utf8_lossy(input);
            match error {
                // An empty input is no value to the program, and no values to us.
                None if !expected.is_empty() => {
                    right += 1;
                    assert_eq!(found, expected, "{ty}: {shown:?}");
                }
                _ => {
                    wrong += 1;
                    let said = found.strip_prefix(expected.as_str());
                    let said = said.unwrap_or_else(|| panic!("{ty}: {shown:?}: {found}"));
                    // It is one line that begins with a place.
                    assert!(said.starts_with("error: "), "{ty}: {shown:?}: {found}");
                    let place = said.trim_start_matches("error: ").trim_start_matches("byte ");
                    assert!(
                        place.starts_with(|c: char| c.is_ascii_digit()),
                        "{ty}: {shown:?}: {said}"
                    );
                    assert_eq!(said.lines().count(), 1, "{ty}: {shown:?}: {said}");
                }
            }
        }
    }
    assert!(right > 0 && wrong > right, "{right} right, {wrong} wrong");
}

#[test]
fn what_is_no_file_has_a_message() {
    let found = answers(&ValueType::scalar(Prim::I32), &[b"1".to_vec()]);
    assert_eq!(found, ["1i32\n"]);
    let args = ["i32", "0", "files", env!("CARGO_MANIFEST_DIR")];
    let output = fake::run(program(), &args, b"");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.starts_with("error: cannot read: "), "{text}");
}

#[test]
fn damaged_input_is_survived() {
    let mut rng = Rng::new(9);
    let array =
        Array::new(vec![2, 2], Data::F32(vec![1.5, -2.0, 1e10, 0.0])).expect("the shape is right");
    let value = Value::Array(array);
    let ty = value.value_type();
    for good in [text_of(&value).into_bytes(), binary::to_bytes(&value)] {
        for _ in 0..60 {
            let mut bad = good.clone();
            for _ in 0..=rng.up_to(2) {
                let at = rng.up_to(bad.len() as u64 - 1) as usize;
                bad[at] = rng.next_u64() as u8;
            }
            bad.truncate(bad.len() - rng.up_to(3) as usize);
            // `fake::run` looks for what the sanitizers say; a value or a message are both fine.
            let output = convert(&ty, &bad, false);
            assert!(matches!(output.status.code(), Some(0 | 1)), "{bad:?}");
        }
    }
}
