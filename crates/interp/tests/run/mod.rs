//! Programs in the text form, run by the interpreter: one test for each operation and corner case.

mod arrays;
mod control;
mod limits;
mod ownership;
mod scalars;
mod segs;
mod soacs;
mod streams;
mod writes;

use fehu_base::id::Id;
use fehu_interp::{Error, Interp, Value};
use fehu_ir::{FunId, Prog, Scalar};

/// An interpreter of a program, given without its first line unless it has Segs. It keeps the rules.
#[track_caller]
fn interp(text: &str) -> Interp {
    let prog = parse(text);
    if let Err(errors) = fehu_ir::verify::verify(&prog) {
        panic!("{}", fehu_ir::verify::render(&prog, &errors));
    }
    Interp::new(&prog)
}

/// An interpreter of a program that may break the rules.
#[track_caller]
fn unverified(text: &str) -> Interp {
    Interp::new(&parse(text))
}

#[track_caller]
fn parse(text: &str) -> Prog {
    let first = if text.starts_with("prog ") { "" } else { "prog arrays\n" };
    match fehu_ir::text::parse(&format!("{first}{text}")) {
        Ok(prog) => prog,
        Err(error) => panic!("{error:?}"),
    }
}

/// Runs the first function of a program.
#[track_caller]
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

/// Likewise for a program that breaks the rules, which the interpreter nevertheless gives a meaning.
#[track_caller]
fn check_loose(text: &str, args: Vec<Value>, expected: Vec<Value>) {
    match unverified(text).call(FunId::from_index(0), args) {
        Ok(results) => assert_same(&results, &expected),
        Err(error) => panic!("{error}"),
    }
}

/// Runs the first function of a program that breaks the rules, and returns the error.
#[track_caller]
fn fails_loose(text: &str, args: Vec<Value>) -> Error {
    match unverified(text).call(FunId::from_index(0), args) {
        Ok(results) => panic!("it should fail: {results:?}"),
        Err(error) => error,
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
