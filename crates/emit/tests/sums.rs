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
        assert!(code.contains("= prefixes add parts"), "{code}");
    }
}

#[test]
fn those_by_minimum_and_maximum_are() {
    for operator in ["min", "max"] {
        for parallel in [false, true] {
            let code = run(&scan(operator), parallel, 400);
            assert!(code.contains(&format!("= prefixes {operator} parts")), "{code}");
        }
    }
}

#[test]
fn another_is_not() {
    for parallel in [false, true] {
        let code = run(&scan("xor"), parallel, 40);
        assert!(!code.contains("= prefixes"), "{code}");
    }
}

#[test]
fn chunks_begin_with_a_neutral_element_that_is_beside_the_result() {
    // Both become rows of the matrix, which is one block.
    let text = "prog arrays
fun f (n: i64, xs: [n]i64, m: i64) -> (r: [2][8]i64) =
  let (ne: [8]i64) = replicate (8) 0
  let (sum: [8]i64) = screma n (xs)
    map \\(x: i64) -> ([8]i64) {
      let (xs1: [8]i64) = replicate (8) x
      in (xs1)
    }
    red \\(as1: [8]i64, bs: [8]i64) -> ([8]i64) {
      let (cs: [8]i64) = screma 8 (as1, bs) map \\(a: i64, b: i64) -> (i64) {
        let (c: i64) = add a b
        in (c)
      }
      in (cs)
    } neutral (ne)
  let (r: [2][8]i64) = array i64 (ne, sum)
  in (r)";
    let prog = parse(text).unwrap_or_else(|error| panic!("{error}"));
    run(&prog, true, 40);
}
