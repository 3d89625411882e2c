//! Branches, loops, calls, constants, checks, traces.

use super::{assert_same, check, check_loose, fails, int, interp, ints, run, truth, unverified};
use fehu_base::id::Id;
use fehu_interp::{ErrorKind, Value};
use fehu_ir::{FunId, Scalar};
use std::sync::{Arc, Mutex};

#[test]
fn if_takes_one_branch() {
    let text = "fun f(c: bool, x: i64) -> (res_r: i64) =
        let (y: i64) = if c then { let (a: i64) = add x 1 in (a) } else { (x) }
        in (y)";
    check(text, vec![truth(true), int(4)], vec![int(5)]);
    check(text, vec![truth(false), int(4)], vec![int(4)]);
}

#[test]
fn if_yields_arrays_of_unknown_size() {
    let text = "fun f(c: bool, n: i64, xs: [n]i64) -> (res_k: i64, res_r: [res_k]i64) =
        let (k: i64, ys: [k]i64) = if c then { (n, xs) } else { let (e: [0]i64) = array i64 () in (0, e) }
        in (k, ys)";
    check(text, vec![truth(true), int(2), ints(&[7, 8])], vec![int(2), ints(&[7, 8])]);
    check(text, vec![truth(false), int(2), ints(&[7, 8])], vec![int(0), ints(&[])]);
}

#[test]
fn switch_chooses_by_value() {
    let text = "fun f(x: i8) -> (res_r: i64) =
        let (y: i64) = switch x { case 1i8 { (10) } case -2i8 { (20) } default { (30) } }
        in (y)";
    for (key, expected) in [(1, 10), (-2, 20), (0, 30)] {
        check(text, vec![Value::Scalar(Scalar::I8(key))], vec![int(expected)]);
    }
}

#[test]
fn for_loops_count_in_the_type_of_the_bound() {
    let text = "fun f(n: u8) -> (res_r: u8) =
        let (e: u8) = loop (s: u8 = 0u8) for i: u8 < n { let (t: u8) = add s i in (t) }
        in (e)";
    let u8 = |v| Value::Scalar(Scalar::U8(v));
    check(text, vec![u8(255)], vec![u8((0..255u64).sum::<u64>() as u8)]);
    check(text, vec![u8(0)], vec![u8(0)]);
}

#[test]
fn for_loops_with_negative_bounds_do_not_run() {
    let text = "fun f(n: i64) -> (res_r: i64) =
        let (e: i64) = loop (s: i64 = 5) for i: i64 < n { (i) } in (e)";
    check(text, vec![int(-3)], vec![int(5)]);
}

#[test]
fn while_loops_run_as_long_as_a_parameter_is_true() {
    let text = "fun f(n: i64) -> (res_r: i64, res_s: bool) =
        let (c0: bool) = lt 1 n
        let (e: bool, z: i64) = loop (c: bool = c0, x: i64 = n) while c {
            let (y: i64) = div x 2
            let (d: bool) = lt 1 y
            in (d, y)
        }
        in (z, e)";
    check(text, vec![int(100)], vec![int(1), truth(false)]);
    check(text, vec![int(0)], vec![int(0), truth(false)]);
}

#[test]
fn loop_results_replace_the_parameters_all_at_once() {
    let text = "fun f(n: i64) -> (res_r: i64, res_s: i64) =
        let (x: i64, y: i64) = loop (a: i64 = 1, b: i64 = 2) for i: i64 < n { (b, a) }
        in (x, y)";
    check(text, vec![int(3)], vec![int(2), int(1)]);
    let swap_arrays = "fun f(n: i64, xs: [2]i64, ys: [2]i64) -> (res_r: [2]i64, res_s: [2]i64) =
        let (p: [2]i64, q: [2]i64) = loop (a: [2]i64 = xs, b: [2]i64 = ys) for i: i64 < n { (b, a) }
        in (p, q)";
    let args = vec![int(3), ints(&[1, 2]), ints(&[3, 4])];
    check(swap_arrays, args, vec![ints(&[3, 4]), ints(&[1, 2])]);
}

#[test]
fn a_loop_that_does_not_use_a_parameter_still_returns_it() {
    let text = "fun f(n: i64, xs: [2]i64, ys: [2]i64) -> (res_r: [2]i64) =
        let (b: [2]i64) = loop (a: [2]i64 = xs) for i: i64 < n { (ys) }
        in (b)";
    check(text, vec![int(0), ints(&[1, 2]), ints(&[3, 4])], vec![ints(&[1, 2])]);
    check(text, vec![int(2), ints(&[1, 2]), ints(&[3, 4])], vec![ints(&[3, 4])]);
}

#[test]
fn functions_call_each_other_and_themselves() {
    let text = "fun even(n: i64) -> (res_r: bool) =
        let (z: bool) = eq n 0
        let (r: bool) = if z then { (true) } else {
            let (m: i64) = sub n 1
            let (o: bool) = call odd(m)
            in (o)
        }
        in (r)
      fun odd(n: i64) -> (res_r: bool) =
        let (z: bool) = eq n 0
        let (r: bool) = if z then { (false) } else {
            let (m: i64) = sub n 1
            let (e: bool) = call even(m)
            in (e)
        }
        in (r)";
    check(text, vec![int(10)], vec![truth(true)]);
    check(text, vec![int(7)], vec![truth(false)]);
}

#[test]
fn calls_have_several_results() {
    let text = "fun f(x: i64) -> (res_r: i64, res_s: i64) =
        let (a: i64, b: i64) = call g(x, 3) in (b, a)
      fun g(x: i64, y: i64) -> (res_q: i64, res_r: i64) =
        let (q: i64) = div x y
        let (r: i64) = mod x y
        in (q, r)";
    check(text, vec![int(-7)], vec![int(2), int(-3)]);
}

#[test]
fn an_argument_may_be_passed_twice() {
    let text = "fun f(xs: [2]i64) -> (res_r: [2]i64, res_s: [2]i64) =
        let (a: [2]i64, b: [2]i64) = call g(xs, xs) in (a, b)
      fun g(*xs: [2]i64, ys: [2]i64) -> (res_r: [2]i64, res_s: [2]i64) =
        let (zs: [2]i64) = update xs[0] = 9 in (zs, ys)";
    check_loose(text, vec![ints(&[1, 2])], vec![ints(&[9, 2]), ints(&[1, 2])]);
}

#[test]
fn constants_are_computed_once_and_only_if_needed() {
    let text = "const big -> (res_r: [3]i64) =
        let (a: i64) = trace \"computed\" 3
        let (xs: [3]i64) = iota i64 3 1 1 in (xs)
      const bad -> (res_r: i64) = let (x: i64) = div 1 0 in (x)
      fun f() -> (res_r: i64) =
        let (xs: [3]i64) = const big
        let (ys: [3]i64) = const big
        let (zs: [3]i64) = update xs[0] = 10
        let (a: i64) = index zs[0]
        let (b: i64) = index ys[0]
        let (c: i64) = add a b in (c)";
    let mut interp = unverified(text);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    interp.set_sink(Box::new(move |tag, value| {
        sink.lock().expect("nobody panicked").push((tag.to_owned(), value.clone()));
    }));
    for _ in 0..2 {
        let results = interp.call(FunId::from_index(0), vec![]).expect("it runs");
        assert_same(&results, &[int(11)]);
    }
    let seen = seen.lock().expect("nobody panicked");
    assert_eq!(seen.len(), 1);
    assert_eq!(seen[0].0, "computed");
    assert_same(&[seen[0].1.clone()], &[int(3)]);
}

#[test]
fn entries_are_found_by_name() {
    let interp = interp("fun f() -> (res_r: i64) = (1)  entry \"main\" = f() -> i64");
    assert_eq!(interp.entry("main"), Some(FunId::from_index(0)));
    assert_eq!(interp.entry("other"), None);
}

#[test]
fn opaque_and_trace_yield_their_operands() {
    let text = "fun f(xs: [2]i64) -> (res_r: [2]i64) =
        let (a: [2]i64) = opaque xs
        let (b: [2]i64) = trace \"t\" a
        in (b)";
    check(text, vec![ints(&[1, 2])], vec![ints(&[1, 2])]);
}

#[test]
fn failed_checks_say_what_and_where() {
    let text = "fun f(i: i64, n: i64, b: bool, x: f32) -> (res_r: unit) =
        let (c: bool) = lt i n
        let (r: unit) = assert c \"index [\" $i \"] out of \" $n \" \" $b \" \" $x at \"a.fut:1:2-3\" \"b.fut:4:5\"
        in (r)";
    let args = |i| vec![int(i), int(5), truth(true), Value::Scalar(Scalar::F32(1.5))];
    check(text, args(4), vec![Value::Scalar(Scalar::Unit)]);
    let error = fails(text, args(5));
    assert_eq!(error.kind, ErrorKind::Program);
    assert_eq!(error.message, "index [5] out of 5 true 1.500000");
    let places: Vec<&str> = error.trace.iter().map(|loc| loc.0.as_str()).collect();
    assert_eq!(places, ["a.fut:1:2-3", "b.fut:4:5"]);
}

#[test]
fn fail_ends_the_program() {
    let text = "fun f(c: bool) -> (res_r: i64) =
        let (r: i64) = if c then { let (x: i64) = fail \"hole\" at \"p:1:1\" in (x) } else { (2) }
        in (r)";
    check(text, vec![truth(false)], vec![int(2)]);
    assert_eq!(fails(text, vec![truth(true)]).to_string(), "hole\n  #0  p:1:1");
}

#[test]
fn division_by_zero_is_an_error_at_its_statement() {
    for op in ["div", "mod", "quot", "rem"] {
        let text =
            format!("fun f(x: i64) -> (res_r: i64) = @\"p:3:4\" let (y: i64) = {op} 1 x in (y)");
        let error = fails(&text, vec![int(0)]);
        assert_eq!((error.kind, error.message.as_str()), (ErrorKind::Program, "division by zero"));
        assert_eq!(error.trace[0].0, "p:3:4");
        assert!(run(&text, vec![int(1)]).is_ok());
    }
}
