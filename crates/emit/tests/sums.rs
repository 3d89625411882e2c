//! Sums of prefixes are found in blocks, by the machine as by the interpreter.

use crate::emitted::run;
use fehu_ir::Prog;
use fehu_ir::text::parse;

fn scan(operator: &str) -> Prog {
    let text = format!(
        "prog arrays
fun f (n: i64, xs: [n]i64, k: i64) -> (r: [n]i64, s: [n]i64) =
  let (sums: [n]i64, ys: [n]i64) = screma n (xs) map \\(x: i64) -> (i64, i64) {{
    let (y: i64) = mul x k
    in (y, x)
  }}
    scan \\(a: i64, b: i64) -> (i64) {{
      let (c: i64) = {operator} a b
      in (c)
    }} neutral (0)
  in (sums, ys)"
    );
    parse(&text).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_scan_by_addition_is_in_blocks() {
    for parallel in [false, true] {
        let code = run(&scan("add"), parallel, 400);
        assert!(code.contains("= sums parts"), "{code}");
    }
}

#[test]
fn another_is_not() {
    for parallel in [false, true] {
        let code = run(&scan("xor"), parallel, 40);
        assert!(!code.contains("= sums parts"), "{code}");
    }
}
