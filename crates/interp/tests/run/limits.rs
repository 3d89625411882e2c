//! Limits: recursion, steps, memory, interruption; and programs that break the rules.

use super::{assert_same, int, interp, ints, unverified};
use fehu_base::id::Id;
use fehu_interp::{Error, ErrorKind, Interp, Value};
use fehu_ir::FunId;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const DEPTH: &str = "fun f(n: i64) -> (res_r: i64) =
    let (c: bool) = le n 0
    let (r: i64) = if c then { (0) } else {
        let (m: i64) = sub n 1
        let (s: i64) = call f(m)
        let (t: i64) = add s 1
        in (t)
    }
    in (r)";

const FOREVER: &str = "fun f() -> (res_r: bool) =
    let (r: bool) = loop (c: bool = true) while c { (c) } in (r)";

fn call(interp: &mut Interp, args: Vec<Value>) -> Result<Vec<Value>, Error> {
    interp.call(FunId::from_index(0), args)
}

#[test]
fn recursion_may_be_deep() {
    let results = call(&mut interp(DEPTH), vec![int(100_000)]).expect("it runs");
    assert_same(&results, &[int(100_000)]);
}

#[test]
fn recursion_without_end_is_an_error() {
    let mut interp = interp(DEPTH);
    interp.options_mut().stack_bytes = 64 << 20;
    let error = call(&mut interp, vec![int(i64::MAX)]).expect_err("it is too deep");
    assert_eq!(error.kind, ErrorKind::Program);
    assert_eq!(error.message, "recursion of \"f\" is too deep");
    let results = call(&mut interp, vec![int(10)]).expect("it still runs");
    assert_same(&results, &[int(10)]);
}

#[test]
fn steps_may_be_limited() {
    let mut interp = interp(DEPTH);
    interp.options_mut().max_steps = Some(100);
    assert!(call(&mut interp, vec![int(10)]).is_ok());
    let error = call(&mut interp, vec![int(100)]).expect_err("it takes too long");
    assert_eq!(error.message, "the program took more than 100 steps");
}

#[test]
fn programs_can_be_interrupted() {
    let flag = Arc::new(AtomicBool::new(false));
    let mut interp = interp(FOREVER);
    interp.options_mut().interrupt = Some(Arc::clone(&flag));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(50));
            flag.store(true, Ordering::Relaxed);
        });
        let error = call(&mut interp, vec![]).expect_err("it is interrupted");
        assert_eq!(error.kind, ErrorKind::Interrupt);
    });
}

#[test]
fn arrays_that_are_too_large_are_refused() {
    let text = "fun f(n: i64, m: i64) -> (res_r: [n][m]i32) =
        let (g: [n][m]i32) = replicate (n, m) 0i32 in (g)";
    for (n, m) in [(1 << 20, 1 << 20), (i64::MAX, 2), (i64::MAX, i64::MAX)] {
        let error = call(&mut interp(text), vec![int(n), int(m)]).expect_err("it is too large");
        assert_eq!(error.kind, ErrorKind::Resource, "{}", error.message);
    }
    let mut interp = interp(text);
    interp.options_mut().max_array_bytes = 100;
    assert!(call(&mut interp, vec![int(5), int(5)]).is_ok());
    assert!(call(&mut interp, vec![int(5), int(6)]).is_err());
}

#[test]
fn programs_that_break_the_rules_do_not_panic() {
    let programs = [
        "fun f(x: i64) -> (res_r: i64) = (res_r)",
        "fun f(x: i64) -> (res_r: i64) = let (y: i64) = index x[0] in (y)",
        "fun f(x: i64) -> (res_r: i64) = let (y: i64) = add x true in (y)",
        "fun f(x: i64) -> (res_r: i64) = let (y: i64, z: i64) = add x x in (y)",
        "fun f(x: i64) -> (res_r: i64) = let (y: i64, z: i64) = call f(x) in (y)",
        "fun f(x: i64) -> (res_r: i64) = let (y: i64) = call f(x, x) in (y)",
        "fun f(x: i64) -> (res_r: i64) = let (y: i64) = sqrt x in (y)",
        "fun f(x: i64) -> (res_r: i64) = let (y: i64) = if x then { (x) } else { (x) } in (y)",
        "fun f(x: i64) -> (res_r: i64) = let (y: i64) = screma x (x) map \\(a: i64) -> (i64) { (a) } in (y)",
        "fun f(x: i64) -> (res_r: [x]i64) = let (y: [x]i64) = screma x () map \\() -> (i64) { () } in (y)",
        "fun f(x: i64) -> (res_r: i64) = let (y: i64) = loop (a: i64 = x) for i: bool < true { (a) } in (y)",
        "fun f(x: i64) -> (res_r: i64) = let (y: i64) = update_acc x[0] (1) in (y)",
        "fun f(x: i64) -> (res_r: [1]i64) = let (y: [1]i64) = array i64 (true) in (y)",
    ];
    for text in programs {
        match call(&mut unverified(text), vec![int(3)]) {
            Err(error) => assert_eq!(error.kind, ErrorKind::Internal, "{text}"),
            // A result that was never bound has no value.
            Ok(results) => assert!(matches!(results[..], [Value::Gone]), "{text}: {results:?}"),
        }
    }
    let missing = call(&mut interp(DEPTH), vec![]).expect_err("an argument is missing");
    assert_eq!(missing.kind, ErrorKind::Internal);
    let array = call(&mut interp(DEPTH), vec![ints(&[1])]).expect_err("an argument is wrong");
    assert_eq!(array.kind, ErrorKind::Internal);
}
