//! What follows a scan is done at its positions, unless something is in the way: how much memory is left says which.

use crate::emitted::run;
use fehu_ir::Prog;
use fehu_ir::text::parse;
use fehu_ir::verify::verify;

/// Whether the scan of a program has no array of its own, whoever executes it.
fn merged(text: &str) -> bool {
    let prog: Prog = parse(text).unwrap_or_else(|error| panic!("{error}"));
    verify(&prog).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let found = [false, true].map(|parallel| !run(&prog, parallel, 20).contains("sums_mem"));
    assert_eq!(found[0], found[1], "both have it or not");
    found[0]
}

const SCAN: &str = "
  let (sums: [n]i64) = screma n (xs) map \\(x: i64) -> (i64) {(x)}
    scan \\(a: i64, b: i64) -> (i64) {
      let (c: i64) = add a b
      in (c)
    } neutral (0)";

fn program(params: &str, results: &str, rest: &str) -> String {
    format!("prog arrays\nfun f (n: i64, xs: [n]i64{params}) -> ({results}) ={SCAN}\n{rest}")
}

#[test]
fn a_map_with_other_inputs_follows() {
    let text = program(
        ", ys: [n]i64",
        "r: [n]i64",
        "  let (k: i64) = mul n 2
  let (zs: [n]i64) = screma n (ys, sums) map \\(y: i64, s: i64) -> (i64) {
    let (t: i64) = sub s y
    let (u: i64) = mul t k
    in (u)
  }
  in (zs)",
    );
    assert!(merged(&text));
}

#[test]
fn a_scatter_follows() {
    let text = program(
        ", *d: [4]i64",
        "r: [4]i64",
        "  let (zs: [4]i64) = scatter n (sums, xs) map \\(s: i64, y: i64) -> (i64, i64) {
    let (is: bool) = eq s 3
    let (i: i64) = if is then {(1)} else {(-1)}
    in (i, s)
  } dest [4] d
  in (zs)",
    );
    assert!(merged(&text));
}

const REDUCED: &str = "    let (sums: [n]i64) = screma n (xs) map \\(x: i64) -> (i64) {
      let (xk: i64) = mul x k
      in (xk)
    }
      scan \\(a: i64, b: i64) -> (i64) {
        let (c: i64) = add a b
        in (c)
      } neutral (0)
    let (most: i64) = screma n (sums, xs) map \\(s: i64, x1: i64) -> (i64) {
      let (t: i64) = sub s x1
      in (t)
    }";

/// A map over rows in which a scan is followed by an operator that combines elements.
fn rows(operator: &str) -> Prog {
    let text = format!(
        "prog arrays
fun f (m: i64, n: i64, ks: [m]i64, xs: [n]i64) -> (r: [m]i64) =
  let (zs: [m]i64) = screma m (ks) map \\(k: i64) -> (i64) {{
{REDUCED}
      {operator} neutral (0)
    in (most)
  }}
  in (zs)"
    );
    parse(&text).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_reduction_follows_where_one_thread_has_all_positions() {
    let prog = rows(
        "red \\(d: i64, e: i64) -> (i64) {
        let (g: i64) = max d e
        in (g)
      }",
    );
    assert!(!run(&prog, false, 20).contains("sums_mem"));
    // The version whose threads share the scan has the array.
    let several = run(&prog, true, 20);
    assert!(several.contains("sums_mem"));
}

#[test]
fn a_reduction_whose_operator_needs_other_elements_comes_later() {
    let prog = rows(
        "red \\(d: i64, e: i64) -> (i64) {
        let (first: i64) = index sums[0]
        let (g: i64) = max d e
        let (h: i64) = max g first
        in (h)
      }",
    );
    assert!(run(&prog, false, 20).contains("sums_mem"));
}

#[test]
fn a_scan_follows_a_scan() {
    let text = program(
        "",
        "r: [n]i64",
        "  let (zs: [n]i64) = screma n (sums) map \\(s: i64) -> (i64) {(s)}
    scan \\(p: i64, q: i64) -> (i64) {
      let (t: i64) = max p q
      in (t)
    } neutral (0)
  in (zs)",
    );
    let prog: Prog = parse(&text).unwrap_or_else(|error| panic!("{error}"));
    assert!(!run(&prog, false, 20).contains("sums_mem"));
    assert!(run(&prog, true, 20).contains("sums_mem"));
}

#[test]
fn what_nothing_reads_of_a_scan_is_not_stored() {
    let text = "prog arrays
fun f (n: i64, xs: [n]i64) -> (r: [n]i64) =
  let (sums: [n]i64, most: [n]i64) = screma n (xs) map \\(x: i64) -> (i64, i64) {(x, x)}
    scan \\(a: i64, b: i64, c: i64, d: i64) -> (i64, i64) {
      let (s: i64) = add a c
      let (t: i64) = add b d
      let (m: i64) = max t s
      in (s, m)
    } neutral (0, 0)
  in (most)";
    assert!(merged(text));
    // Nor is it if something follows that reads the other one only.
    let rest = "  let (zs: [n]i64) = screma n (most) map \\(m1: i64) -> (i64) {
    let (u: i64) = mul m1 3
    in (u)
  }
  in (zs)";
    assert!(merged(&text.replace("  in (most)", rest)));
}

#[test]
fn a_scan_that_is_also_needed_is_stored() {
    let text = program(
        "",
        "r: [n]i64, q: [n]i64",
        "  let (zs: [n]i64) = screma n (sums) map \\(s: i64) -> (i64) {
    let (u: i64) = mul s 3
    in (u)
  }
  in (zs, sums)",
    );
    assert!(!merged(&text));
}

#[test]
fn what_needs_other_elements_comes_later() {
    let text = program(
        "",
        "r: [n]i64",
        "  let (zs: [n]i64) = screma n (sums) map \\(s: i64) -> (i64) {
    let (last: i64) = sub n 1
    let (all: i64) = index sums[last]
    let (u: i64) = sub all s
    in (u)
  }
  in (zs)",
    );
    assert!(!merged(&text));
}

#[test]
fn what_writes_to_the_input_of_the_scan_comes_later() {
    let text = "prog arrays
fun f (n: i64, *xs: [n]i64) -> (r: [n]i64) =
  let (sums: [n]i64) = screma n (xs) map \\(x: i64) -> (i64) {
    let (last: i64) = sub n 1
    let (y: i64) = index xs[last]
    let (z: i64) = add x y
    in (z)
  }
    scan \\(a: i64, b: i64) -> (i64) {
      let (c: i64) = add a b
      in (c)
    } neutral (0)
  let (zs: [n]i64) = scatter n (sums) map \\(s: i64) -> (i64, i64) {
    let (i: i64) = and s 3
    in (i, 7)
  } dest [n] xs
  in (zs)";
    assert!(!merged(text));
}

#[test]
fn another_version_of_the_same_statements_has_the_array() {
    // Where many threads execute the outer map, each of them does both at once; where they execute the scan, its function is not
    // executed twice.
    let text = "prog arrays
fun f (n: i64, xs: [n]i64) -> (r: [n]i64) =
  let (zs: [n]i64) = screma n (xs) map \\(x: i64) -> (i64) {
    let (is: [n]i64) = iota i64 n 0 1
    let (sums: [n]i64) = screma n (is) map \\(i: i64) -> (i64) {
      let (s: i64) = screma n (xs) map \\(z: i64) -> (i64) {(z)}
        red comm \\(p: i64, q: i64) -> (i64) {
          let (pq: i64) = add p q
          in (pq)
        } neutral (0)
      let (t: i64) = add s i
      in (t)
    }
      scan \\(a: i64, b: i64) -> (i64) {
        let (c: i64) = add a b
        in (c)
      } neutral (0)
    let (ys: [n]i64) = screma n (sums) map \\(y: i64) -> (i64) {
      let (u: i64) = mul y x
      in (u)
    }
    let (last: i64) = sub n 1
    let (v: i64) = index ys[last]
    in (v)
  }
  in (zs)";
    let prog: Prog = parse(text).unwrap_or_else(|error| panic!("{error}"));
    for parallel in [false, true] {
        run(&prog, parallel, 20);
    }
}
