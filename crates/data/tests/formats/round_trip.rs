//! What is written is read back as the same value, in every format and in mixtures of them.

use crate::values::{value, with_plain_nans};
use fehu_base::Prim;
use fehu_data::compare::{Options, compare};
use fehu_data::generate::Rng;
use fehu_data::reader::{read_all, read_typed};
use fehu_data::text::{Floats, Rows, Style};
use fehu_data::{Scalar, Value, binary, npy, text};

use std::slice::from_ref;

const VALUES: usize = 5_000;

#[test]
fn text_of_every_style() {
    let mut rng = Rng::new(1);
    for _ in 0..VALUES {
        let value = value(&mut rng);
        for floats in [Floats::Digits, Floats::Shortest] {
            for rows in [Rows::Inline, Rows::Lines] {
                let written = text::to_string(&value, Style { floats, rows });
                let read = read_all(written.as_bytes()).expect(&written);
                assert_eq!(read.len(), 1, "{written}");
                assert!(read[0].identical(&with_plain_nans(&value)), "{written} gave {}", read[0]);
                let typed = read_typed(written.as_bytes(), &[value.value_type()]);
                assert!(typed.expect(&written)[0].identical(&read[0]), "{written}");
            }
        }
    }
}

#[test]
fn every_f16() {
    for bits in 0..=u16::MAX {
        let value = Value::Scalar(Scalar::F16(half::f16::from_bits(bits)));
        for style in [Style::PROGRAM, Style::DATASET] {
            let written = text::to_string(&value, style);
            let read = read_all(written.as_bytes()).expect(&written).remove(0);
            assert!(read.identical(&with_plain_nans(&value)), "{written} gave {read}");
        }
    }
}

#[test]
fn binary_values() {
    let mut rng = Rng::new(2);
    for _ in 0..VALUES {
        let value = value(&mut rng);
        let read = read_all(&binary::to_bytes(&value)).expect("a value");
        assert_eq!(read.len(), 1);
        assert!(read[0].identical(&value), "{value} became {}", read[0]);
    }
}

#[test]
fn npy_files() {
    let mut rng = Rng::new(3);
    for _ in 0..VALUES {
        let value = value(&mut rng);
        let mut file = Vec::new();
        npy::write(&mut file, &value).expect("memory takes everything");
        let read = npy::read(&file).expect("a file");
        assert!(read.identical(&value), "{value} became {read}");
    }
}

#[test]
fn streams_of_all_formats() {
    let mut rng = Rng::new(4);
    for _ in 0..VALUES / 10 {
        let values: Vec<Value> = (0..rng.up_to(8)).map(|_| value(&mut rng)).collect();
        let mut stream = Vec::new();
        for value in &values {
            match rng.up_to(2) {
                0 => text::write(&mut stream, value, Style::PROGRAM).expect("memory"),
                1 => binary::write(&mut stream, value).expect("memory"),
                _ => npy::write(&mut stream, value).expect("memory"),
            }
            if rng.up_to(1) == 0 {
                stream.extend_from_slice(b" -- a comment\n");
            }
        }
        let read = read_all(&stream).expect("values");
        let result = compare(&values, &read, &Options { tolerance: 0.0, limit: 1 });
        assert!(result.is_equal(), "{}", result.summary());
        let types: Vec<_> = values.iter().map(Value::value_type).collect();
        assert_eq!(read_typed(&stream, &types).expect("values").len(), values.len());
    }
}

#[test]
fn a_value_is_equal_to_itself_only() {
    let mut rng = Rng::new(5);
    let exact = Options { tolerance: 0.0, limit: 1 };
    for _ in 0..VALUES {
        let (a, b) = (value(&mut rng), value(&mut rng));
        assert!(compare(from_ref(&a), from_ref(&a), &exact).is_equal(), "{a}");
        let equal = compare(from_ref(&a), from_ref(&b), &exact).is_equal();
        let nan = |value: &Value| value.to_string().contains("nan");
        assert_eq!(equal, a == b || (nan(&a) && a.to_string() == b.to_string()), "{a} and {b}");
    }
}

#[test]
fn large_texts_are_written_in_pieces() {
    let mut rng = Rng::new(6);
    let elements: Vec<i64> = (0..50_000).map(|_| rng.next_u64() as i64).collect();
    let array = fehu_data::Array::from_vec(elements).reshape(vec![500, 100]).expect("500 * 100");
    let value = Value::from(array);
    assert_eq!(value.elem(), Prim::I64);
    let mut written = Vec::new();
    text::write(&mut written, &value, Style::DATASET).expect("memory");
    assert_eq!(written, format!("{}\n", text::to_string(&value, Style::DATASET)).as_bytes());
    assert!(read_all(&written).expect("a value")[0].identical(&value));
}
