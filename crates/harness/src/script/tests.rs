//! Scripts as people write them.

use super::Machine;
use super::eval::{call, eval, values};
use crate::executor::Executor;
use crate::executor::interpreted::Interpreted;
use fehu_driver::check::Warnings;
use fehu_driver::files::Memory;
use fehu_driver::load::Root;
use fehu_driver::run;
use std::cell::RefCell;

const PROGRAM: &str = "
type shape = #circle f32 | #square f32
type~ pair = {a: i32, b: []f32}
entry add (x: i32) (y: i32) = x + y
entry ten : i64 = 10
entry both (n: i64) = (n, map f32.i64 (iota n))
entry total (n: i64) (xs: []f32) = f32.sum xs + f32.i64 n
entry circle (r: f32) : shape = #circle r
entry area (s: shape) : f32 = match s case #circle r -> 3 * r * r case #square a -> a * a
entry pair (a: i32) : pair = {a, b = [f32.i32 a]}
entry unpair (p: pair) : i32 = p.a + i32.f32 p.b[0]
entry swap (p: (i32, f32)) : (f32, i32) = (p.1, p.0)
type~ named = (i32, f32)
entry named (x: i32) : named = (x, 1)
entry bytes (s: []u8) = length s
entry fail (x: i32) = 1 / x
";

fn compiled() -> Interpreted {
    let root = Root::Bytes("script.fut".to_owned(), PROGRAM.as_bytes().to_vec());
    let (outcome, compiled) =
        run::compile(&Memory::default(), &root, Warnings::Hide, Default::default());
    Interpreted::new(compiled.unwrap_or_else(|| panic!("{:?}", outcome.diagnostics)))
}

fn read(file: &str) -> Result<Vec<u8>, String> {
    match file {
        "one.in" => Ok(b"[1.5f32, 2.5f32]".to_vec()),
        "two.in" => Ok(b"3i64 [1f32]".to_vec()),
        _ => Err(format!("cannot read \"{file}\"")),
    }
}

thread_local! {
    // A test makes many calls, and compiling takes longer than all of them.
    static COMPILED: RefCell<Interpreted> = RefCell::new(compiled());
}

/// The values of a script, or the error.
fn value(script: &str) -> String {
    COMPILED.with_borrow_mut(|program| {
        let mut machine = Machine { program, builtins: &read };
        let made = eval(&mut machine, script).and_then(|value| values(&mut machine, &value));
        match made {
            Ok(values) => joined(&values),
            Err(error) => error.to_string(),
        }
    })
}

fn joined(values: &[fehu_data::Value]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// The result of an entry point for the value of a script, or the error.
fn called(entry: &str, script: &str) -> String {
    COMPILED.with_borrow_mut(|program| {
        let mut machine = Machine { program, builtins: &read };
        match call(&mut machine, entry, script) {
            Ok(object) => joined(&program.values(&object).expect("it can be shown")),
            Err(error) => error.to_string(),
        }
    })
}

#[test]
fn literals() {
    assert_eq!(value("1"), "1i32");
    assert_eq!(value("-2i8"), "-2i8");
    assert_eq!(value("1.5"), "1.5f64");
    assert_eq!(value("true"), "true");
    assert_eq!(value("f32.inf"), "f32.inf");
    assert_eq!(value("empty([0][2]i32)"), "empty([0][2]i32)");
    assert_eq!(value("[1, 2,]"), "[1i32, 2i32]");
    assert_eq!(value("[[1i64, 2], [3i64, 4]]"), "[[1i64, 2i64], [3i64, 4i64]]");
    assert_eq!(value("\"ab\""), "[97u8, 98u8]");
    assert_eq!(value("(1, [2.5f32]) -- a comment"), "1i32 [2.5f32]");
}

#[test]
fn calls_and_variables() {
    assert_eq!(value("add 1 2"), "3i32");
    assert_eq!(value("add (add 1 2) (add 3 4)"), "10i32");
    assert_eq!(value("ten"), "10i64");
    assert_eq!(value("let x = 2 in let y = 3 in add x y"), "5i32");
    assert_eq!(value("let x = 2 let y = 3 in add x y"), "5i32");
    assert_eq!(value("let x = 1 in add (let x = 2 in x) x"), "3i32");
    assert_eq!(value("let (n, xs) = both 3i64 in (xs, n)"), "[0.0f32, 1.0f32, 2.0f32] 3i64");
}

#[test]
fn one_tuple_may_be_several_arguments() {
    assert_eq!(value("total (both 4)"), "10.0f32");
    assert_eq!(value("add (1, 2)"), "3i32");
    assert_eq!(called("total", "both 4i64"), "10.0f32");
    assert_eq!(called("total", "(1, [2f32])"), "3.0f32");
    // With one parameter, the tuple is the argument.
    assert_eq!(called("swap", "(1i32, 2f32)"), "2.0f32 1i32");
    assert_eq!(called("swap", "let p = swap (1, 2) in (p.1, p.0)"), "2.0f32 1i32");
    assert_eq!(called("ten", "()"), "10i64");
}

#[test]
fn literals_take_the_type_of_the_parameter() {
    assert_eq!(called("both", "2"), "2i64 [0.0f32, 1.0f32]");
    assert_eq!(value("area (circle 2)"), "12.0f32");
    assert_eq!(value("total 3 [1, 2.5]"), "6.5f32");
    assert_eq!(value("[[1, 2], [3, 4.5]]"), "[[1.0f64, 2.0f64], [3.0f64, 4.5f64]]");
    assert!(value("total 3 [[1]]").contains("an array of numbers"));
    assert!(value("add 1.5 2").contains("has type i32"), "{}", value("add 1.5 2"));
    assert!(value("add 1i64 2").contains("but got i64"), "{}", value("add 1i64 2"));
}

#[test]
fn opaque_values_and_records() {
    assert_eq!(called("area", "circle 2f32"), "12.0f32");
    assert_eq!(called("unpair", "pair 3"), "6i32");
    assert_eq!(called("unpair", "{b = [2f32], a = 1}"), "3i32");
    assert_eq!(value("(pair 3).b"), "[3.0f32]");
    assert_eq!(value("let p = pair 3 in p.a"), "3i32");
    assert_eq!(value("(both 3).1"), "[0.0f32, 1.0f32, 2.0f32]");
    // The same tuple by another name.
    assert_eq!(value("swap (named 3)"), "1.0f32 3i32");
    assert!(value("area (pair 3)").contains("\"s\""), "{}", value("area (pair 3)"));
    assert!(value("(pair 3).c").contains("no field \"c\""));
}

#[test]
fn elements() {
    assert_eq!(value("let xs = [[1, 2], [3, 4]] in xs[1]"), "[3i32, 4i32]");
    assert_eq!(value("let xs = [[1, 2], [3, 4]] in xs[1, 0]"), "3i32");
    assert_eq!(value("(both 3).1[2i64]"), "2.0f32");
    assert_eq!(value("let xs = [1, 2] in xs[1]"), "2i32");
    assert!(value("let xs = [1] in xs[1]").contains("no element at index 1"));
    assert!(value("let xs = [1] in xs[-1]").contains("no element"));
    // With a blank before it, the bracket is an argument.
    assert_eq!(value("total 1 [2f32]"), "3.0f32");
}

#[test]
fn files() {
    assert_eq!(value("$loaddata \"one.in\""), "[1.5f32, 2.5f32]");
    assert_eq!(value("let (n, xs) = $loaddata \"two.in\" in total n xs"), "4.0f32");
    assert_eq!(called("total", "$loaddata \"two.in\""), "4.0f32");
    assert_eq!(value("bytes ($loadbytes \"one.in\")"), "16i64");
    assert!(value("$loaddata \"no.in\"").contains("no.in"));
    assert!(value("$loadimg \"one.in\"").contains("no builtin function `$loadimg`"));
    assert!(value("$loaddata 1").contains("in quotes"));
}

#[test]
fn mistakes() {
    for (script, message) in [
        ("", "expected an expression"),
        ("add 1", "has 2 parameters"),
        ("add 1 2 3", "has 2 parameters"),
        ("nothing 1", "no entry point \"nothing\""),
        ("let x = 1 in x 2", "is a variable"),
        ("let (a, b) = 1 in a", "not a tuple of 2"),
        ("(1, 2", "expected `)`"),
        ("1 2", "expected the end"),
        ("[]", "empty([0]i32)"),
        ("[1, true]", "one type"),
        ("[add 1 2, ten]", "one type"),
        ("{a = 1, a = 2}", "twice"),
        ("let x 1 in x", "expected `=`"),
        ("let x = 1", "expected `in`"),
        ("\"a", "not closed"),
        ("1x", "line 1"),
        ("add\n1 %", "line 2"),
        ("fail 0", "Error: "),
    ] {
        let found = value(script);
        assert!(found.contains(message), "`{script}`: {found}");
    }
}

#[test]
fn deep_scripts_are_refused() {
    assert!(value(&"(".repeat(100_000)).contains("too deeply"));
    assert!(value(&"[".repeat(100_000)).contains("too deeply"));
}
