//! Programs in the text form, run by the interpreter: one test for each operation and corner case.

mod arrays;
mod control;
mod limits;
mod ownership;
mod scalars;
mod soacs;
mod streams;
mod writes;

use fehu_base::id::Id;
use fehu_interp::{Error, Interp, Value};
use fehu_ir::{FunId, Scalar};

/// An interpreter of a program, given without its first line.
fn interp(text: &str) -> Interp {
    match fehu_ir::text::parse(&format!("prog arrays\n{text}")) {
        Ok(prog) => Interp::new(&prog),
        Err(error) => panic!("{error:?}"),
    }
}

/// Runs the first function of a program.
fn run(text: &str, args: Vec<Value>) -> Result<Vec<Value>, Error> {
    interp(text).call(FunId::from_index(0), args)
}

/// Runs the first function of a program and compares its results.
#[track_caller]
fn check(text: &str, args: Vec<Value>, expected: Vec<Value>) {
    match run(text, args) {
        Ok(results) => assert_same(&results, &expected),
        Err(error) => panic!("{error}"),
    }
}

#[track_caller]
fn assert_same(results: &[Value], expected: &[Value]) {
    assert_eq!(results.len(), expected.len(), "{results:?}");
    for (result, expected) in results.iter().zip(expected) {
        assert!(result.same_bits(expected), "{} instead of {}", show(result), show(expected));
    }
}

/// Runs the first function of a program, which fails, and returns the message.
#[track_caller]
fn fails(text: &str, args: Vec<Value>) -> Error {
    match run(text, args) {
        Ok(results) => panic!("it should fail: {results:?}"),
        Err(error) => error,
    }
}

fn show(value: &Value) -> String {
    match value {
        Value::Array(array) => format!("{:?} {:?}", array.shape(), array.to_buffer()),
        other => format!("{other:?}"),
    }
}

fn int(value: i64) -> Value {
    Value::Scalar(Scalar::I64(value))
}

fn truth(value: bool) -> Value {
    Value::Scalar(Scalar::Bool(value))
}

fn ints(items: &[i64]) -> Value {
    Value::vector(items.to_vec())
}

fn matrix(rows: i64, columns: i64, items: &[i64]) -> Value {
    Value::array(&[rows, columns], items.to_vec()).expect("the sizes match")
}
