//! Reductions whose elements are arrays: each chunk has a row of its own, unless something is in the way.

use crate::emitted::run;
use fehu_ir::text::parse;
use fehu_ir::verify::verify;

/// Whether chunks have rows; the operator is not commutative, and its arrays are those that the map function makes.
fn has_rows(map: &str, combined: &str) -> bool {
    let text = format!(
        "prog arrays
fun f (n: i64, m: i64, xss: [n][m]i64) -> (r: [m]i64, s: i64) =
  let (ones: [m]i64) = replicate (m) 1
  let (zeros: [m]i64) = replicate (m) 0
  let (ps: [m]i64, qs: [m]i64, t: i64) = screma n (xss) map \\(xs: [m]i64) -> ([m]i64, [m]i64, i64) {{
    {map}
  }} red \\(a: [m]i64, b: [m]i64, u: i64, c: [m]i64, d: [m]i64, v: i64) -> ([m]i64, [m]i64, i64) {{
    let (e: [m]i64, f: [m]i64) = screma m (a, b, c, d) map \\(a_1: i64, b_1: i64, c_1: i64, d_1: i64) -> (i64, i64) {{
      let (e_1: i64) = mul a_1 c_1
      let (f_1: i64) = mul b_1 c_1
      let (f_2: i64) = add f_1 d_1
      in (e_1, f_2)
    }}
    {combined}
    let (w: i64) = add u v
    in (e, g, w)
  }} neutral (ones, zeros, 0)
  in (qs, t)"
    );
    let prog = parse(&text).unwrap_or_else(|error| panic!("{error}"));
    verify(&prog).unwrap_or_else(|errors| panic!("{}", errors[0]));
    run(&prog, false, 20);
    run(&prog, true, 20).contains("own")
}

const FUNCTION: &str = "let (ys: [m]i64) = screma m (xs) map \\(x: i64) -> (i64) {
      let (y: i64) = add x 1
      in (y)
    }
    in (xs, ys, 1)";

const SAME: &str = "let (g: [m]i64) = copy f";

#[test]
fn each_chunk_combines_in_its_own_rows() {
    assert!(has_rows(FUNCTION, SAME));
}

#[test]
fn elements_in_one_block_have_none() {
    let both = "let (z: i64) = rem m 1
    let (ys: [m]i64) = index xs[0:m:1]
    let (rs: [m]i64) = index xs[z:m:1]
    in (ys, rs, 1)";
    assert!(!has_rows(both, SAME));
}

#[test]
fn an_operator_that_reads_other_rows_has_none() {
    let other = "let (some: bool) = lt 0 n
    let (k: i64) = if some then {
      let (some_1: bool) = lt 0 m
      let (j: i64) = if some_1 then {
        let (l: i64) = index xss[0, 0]
        let (l_1: i64) = mul l 0
        in (l_1)
      } else {(0)}
      in (j)
    } else {(0)}
    let (g: [m]i64) = screma m (f) map \\(h: i64) -> (i64) {
      let (i: i64) = add h k
      in (i)
    }";
    assert!(!has_rows(FUNCTION, other));
}
