//! Thresholds, and the choices that lead to them.

use fehu_ir::text::parse;
use fehu_par::tree::{Threshold, thresholds};

fn tree(text: &str) -> Vec<String> {
    let prog = parse(text).expect("it can be read");
    let show = |threshold: Threshold| {
        let path: String = threshold
            .path
            .iter()
            .map(|(name, holds)| format!(" {}{name}", if *holds { "" } else { "!" }))
            .collect();
        format!("{} {:?} {}{path}", threshold.name, threshold.wants, threshold.default)
    };
    thresholds(&prog).into_iter().map(show).collect()
}

const HELPER: &str = "prog arrays
fun helper (m: i64) -> (r: i64) =
  let (c: i64) = tuning \"helper.suff_outer_par_0\" 64
  let (enough: bool) = le c m
  let (r1: i64) = if enough then {(1)} else {(2)}
  in (r1)
";

fn main(rest: &str) -> String {
    format!(
        "{HELPER}fun main (n: i64, m: i64) -> (r: i64) =
  let (a: i64) = tuning \"main.suff_outer_par_0\" 32768
  let (b: i64) = tuning \"main.suff_intra_par_1\" 2048
  let (user: i64) = tuning \"width\" 7
  let (wide: bool) = le user n
  let (enough: bool) = le a n
{rest}entry \"main\" = main (\"n\": i64, \"m\": i64) -> i64
"
    )
}

#[test]
fn tests_after_tests() {
    let text = main(
        "  let (none: bool) = le n 0
  let (either: bool) = or none enough
  let (x: i64) = if either then {(1)} else {
let (small: bool) = le m b
let (y: i64) = if small then {(2)} else {
  let (z: i64) = call helper (m)
  in (z)
}
in (y)
  }
  in (x)
",
    );
    let expected = [
        "helper.suff_outer_par_0 AtLeast 64 !main.suff_outer_par_0 !main.suff_intra_par_1",
        "main.suff_intra_par_1 AtMost 2048 !main.suff_outer_par_0",
        "main.suff_outer_par_0 AtLeast 32768",
    ];
    assert_eq!(tree(&text), expected);
}

#[test]
fn negations_and_conjunctions() {
    let text = main(
        "  let (few: bool) = not enough
  let (both: bool) = and wide few
  let (x: i64) = if both then {
let (small: bool) = le m b
let (y: i64) = if small then {(2)} else {(3)}
in (y)
  } else {
let (z: i64) = call helper (m)
in (z)
  }
  in (x)
",
    );
    // The conjunction may fail for another reason.
    let expected = [
        "helper.suff_outer_par_0 AtLeast 64",
        "main.suff_intra_par_1 AtMost 2048 !main.suff_outer_par_0",
        "main.suff_outer_par_0 AtLeast 32768",
    ];
    assert_eq!(tree(&text), expected);
}

#[test]
fn what_holds_at_all_calls_counts() {
    let text = main(
        "  let (x: i64) = if enough then {
let (y: i64) = call helper (m)
let (small: bool) = le m b
let (y1: i64) = if small then {
  let (y2: i64) = call helper (n)
  in (y2)
} else {(y)}
in (y1)
  } else {(0)}
  in (x)
",
    );
    let expected = [
        "helper.suff_outer_par_0 AtLeast 64 main.suff_outer_par_0",
        "main.suff_intra_par_1 AtMost 2048 main.suff_outer_par_0",
        "main.suff_outer_par_0 AtLeast 32768",
    ];
    assert_eq!(tree(&text), expected);
}
