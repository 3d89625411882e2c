//! Values of integers as vectors.

use fehu_base::Prim;
use fehu_interp::{Buffer, Value};
use fehu_ir::{Elem, Scalar};
use fehu_irgen::rng::Rng;
use fehu_irtest::arguments;
use fehu_irtest::oracle::show;

fn numbers(value: &Value) -> Vec<i64> {
    let integer = |scalar: Scalar| match scalar {
        Scalar::I64(number) => number,
        other => unreachable!("{other:?} is not of type i64"),
    };
    match value {
        Value::Scalar(scalar) => vec![integer(*scalar)],
        Value::Array(array) => {
            let buffer = array.to_buffer();
            (0..array.count()).filter_map(|at| buffer.get(at)).map(integer).collect()
        }
        Value::Acc(_) | Value::Gone => unreachable!("no value"),
    }
}

/// A value of this shape.
fn with_numbers(like: &Value, numbers: impl Iterator<Item = i64>) -> Value {
    let numbers: Vec<i64> = numbers.collect();
    match like {
        Value::Array(array) => Value::array(&array.shape(), Buffer::from(numbers))
            .unwrap_or_else(|| unreachable!("there are as many numbers")),
        Value::Scalar(_) | Value::Acc(_) | Value::Gone => {
            Value::Scalar(Scalar::I64(numbers.first().copied().unwrap_or_default()))
        }
    }
}

pub(super) fn random_like(value: &Value, rng: &mut Rng) -> Value {
    match value {
        Value::Array(array) if array.elem() != Elem::Prim(Prim::I64) => {
            let mut buffer = Buffer::empty(array.elem());
            for _ in 0..array.count() {
                let pushed = buffer.push(arguments::scalar(array.elem(), rng));
                pushed.unwrap_or_else(|| unreachable!("an element of this type"));
            }
            Value::array(&array.shape(), buffer)
                .unwrap_or_else(|| unreachable!("there are as many elements"))
        }
        Value::Scalar(scalar) if scalar.elem() != Elem::Prim(Prim::I64) => {
            Value::Scalar(arguments::scalar(scalar.elem(), rng))
        }
        Value::Array(_) | Value::Scalar(_) | Value::Acc(_) | Value::Gone => {
            let count = numbers(value).len();
            with_numbers(value, (0..count).map(|_| rng.range(-9, 9)))
        }
    }
}

pub(super) fn combine(a: &Value, b: &Value, with: impl Fn(i64, i64) -> i64) -> Value {
    with_numbers(a, numbers(a).into_iter().zip(numbers(b)).map(|(a, b)| with(a, b)))
}

pub(super) fn dot(a: &[Value], b: &[Value]) -> i64 {
    let pairs = a.iter().zip(b).flat_map(|(a, b)| numbers(a).into_iter().zip(numbers(b)));
    pairs.fold(0i64, |sum, (a, b)| sum.wrapping_add(a.wrapping_mul(b)))
}

pub(super) fn show_all(values: &[Value]) -> String {
    values.iter().map(show).collect::<Vec<_>>().join(" ")
}
