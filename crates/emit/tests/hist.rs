//! Histograms do not store what stays as it is, where that is likely.

use crate::emitted::run;
use fehu_ir::text::parse;

/// The code of a histogram with an operator; it yields what the interpreter says.
fn code(op: &str) -> String {
    let text = format!(
        "prog arrays\n\
         fun f (n: i64, is: [n]i64, xs: [n]i64) -> (hs: [5]i64) =\n\
         let (zeros: [5]i64) = replicate (5) 0\n\
         let (hs_1: [5]i64) = hist n (is, xs)\n\
         map \\(i: i64, x: i64) -> (i64, i64) {{\n\
         let (j: i64) = and i 3\n\
         in (j, x)\n\
         }}\n\
         dest [5] race 1 (zeros) \\(a: i64, b: i64) -> (i64) {{\n\
         let (c: i64) = {op} a b\n\
         in (c)\n\
         }} neutral (0)\n\
         in (hs_1)\n"
    );
    let prog = parse(&text).unwrap_or_else(|error| panic!("{error}"));
    run(&prog, false, 20)
}

#[test]
fn a_maximum_that_stays_is_not_stored() {
    assert!(code("max").contains("before"));
    assert!(!code("add").contains("before"));
}

/// The code for several threads of a histogram of rows, whose contributions a function makes; it yields what the
/// interpreter says.
fn rows(function: &str) -> String {
    let text = format!(
        "prog arrays
fun f (n: i64, m: i64, is: [n]i64, xss: [n][m]i64) -> (hs: [5][m]i64, ks: [5]i64) =
  let (zeros: [m]i64) = replicate (m) 0
  let (bins: [5][m]i64) = replicate (5, m) 7
  let (counts: [5]i64) = replicate (5) 1
  let (hs_1: [5][m]i64, ks_1: [5]i64) = hist n (is, xss) map \\(i: i64, xs: [m]i64) -> (i64, i64, [m]i64, i64) {{
    let (j: i64) = and i 7
    {function}
  }}
  dest [5] race 1 (bins) \\(a: [m]i64, b: [m]i64) -> ([m]i64) {{
    let (c: [m]i64) = screma m (a, b) map \\(d: i64, e: i64) -> (i64) {{
      let (f: i64) = add d e
      in (f)
    }}
    in (c)
  }} neutral (zeros)
  dest [5] race 1 (counts) \\(g: i64, h: i64) -> (i64) {{
    let (k: i64) = add g h
    in (k)
  }} neutral (0)
  in (hs_1, ks_1)
"
    );
    let prog = parse(&text).unwrap_or_else(|error| panic!("{error}"));
    fehu_ir::verify::verify(&prog).unwrap_or_else(|errors| panic!("{}", errors[0]));
    run(&prog, false, 20);
    run(&prog, true, 20)
}

#[test]
fn each_thread_has_rows_of_its_own() {
    assert!(rows("in (j, j, xs, 1)").contains("copies"));
    let made = "let (ys: [m]i64) = screma m (xs) map \\(x: i64) -> (i64) {
      let (y: i64) = mul x j
      in (y)
    }
    in (j, j, ys, 1)";
    assert!(rows(made).contains("copies"));
}

#[test]
fn bins_decide_how_many_threads_take_part() {
    // Four bins for each element, in all copies together.
    assert!(rows("in (j, j, xs, 1)").contains("quot_i64(mul_i64(n.0, 4), max_i64("));
}

/// The code of a histogram whose bins a function finds; it yields what the interpreter says.
fn bins(function: &str) -> String {
    let text = format!(
        "prog arrays
fun f (n: i64, xs: [n]i64) -> (hs: [5]i64) =
  let (zeros: [5]i64) = replicate (5) 0
  let (hs_1: [5]i64) = hist n (xs) map \\(x: i64) -> (i64, i64) {{
    let (y: i64) = and x 7
    {function}
    in (z, x)
  }}
  dest [5] race 1 (zeros) \\(a: i64, b: i64) -> (i64) {{
    let (c: i64) = add a b
    in (c)
  }} neutral (0)
  in (hs_1)
"
    );
    let prog = parse(&text).unwrap_or_else(|error| panic!("{error}"));
    run(&prog, true, 300);
    run(&prog, false, 300)
}

#[test]
fn what_takes_long_is_computed_ahead() {
    let quotient = "let (f: f64) = convert f64 y
    let (g: f64) = div f 1.5f64
    let (z: i64) = convert i64 g";
    assert!(bins(quotient).contains("base"));
    let rounds = "let (z: i64) = loop (r: i64 = y) for i: i64 < y {
      let (s: i64) = xor r i
      in (s)
    }";
    assert!(bins(rounds).contains("base"));
}

#[test]
fn what_comes_from_outside_stays_there() {
    let text = "prog arrays
fun f (n: i64, xs: [n]f64, k: i64) -> (hs: [5]i64, l: i64) =
  let (m: i64) = mul k 3
  let (zeros: [5]i64) = replicate (5) 0
  let (hs_1: [5]i64) = hist n (xs) map \\(x: f64) -> (i64, i64) {
    let (y: f64) = div x 1.5f64
    let (z: i64) = convert i64 y
    in (z, m)
  }
  dest [5] race 1 (zeros) \\(a: i64, b: i64) -> (i64) {
    let (c: i64) = add a b
    in (c)
  } neutral (0)
  let (l_1: i64) = add m 1
  in (hs_1, l_1)
";
    let prog = parse(text).unwrap_or_else(|error| panic!("{error}"));
    run(&prog, true, 300);
    assert!(run(&prog, false, 300).contains("base"));
}

#[test]
fn what_is_short_or_may_fail_is_not() {
    assert!(!bins("let (z: i64) = mul y 3").contains("base"));
    let checked = "let (f: f64) = convert f64 y
    let (g: f64) = div f 1.5f64
    let (z: i64) = convert i64 g
    let (ok: bool) = lt z 100
    let (holds: unit) = assert ok \"large\"";
    assert!(!bins(checked).contains("base"));
}
