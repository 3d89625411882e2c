//! Copies on several threads: only those that are worth it are shared.

use crate::emitted::run;
use fehu_ir::text::parse;

const PROGRAM: &str = "prog arrays
fun f (n: i64, *rows: [2][n]i64, xs: [n]i64) -> (r: [2][n]i64) =
  let (r1: [2][n]i64) = update rows[1, 0 : n : 1] = xs
  in (r1)
";

#[test]
fn few_bytes_are_copied_by_the_thread_that_needs_them() {
    let prog = parse(PROGRAM).unwrap_or_else(|error| panic!("{error}"));
    let code = run(&prog, true, 8);
    let lines: Vec<&str> = code.lines().map(str::trim).collect();
    let branch = lines
        .iter()
        .position(|line| *line == "if lt_i64(n.0, 8192) {")
        .unwrap_or_else(|| panic!("{code}"));
    assert!(lines[branch + 1].starts_with("copy "), "{code}");
    assert_eq!(lines[branch + 2], "} else {", "{code}");
    assert!(lines[branch + 3].starts_with("tasks "), "{code}");
}

#[test]
fn many_are_copied_by_all() {
    let prog = parse(PROGRAM).unwrap_or_else(|error| panic!("{error}"));
    run(&prog, true, 12_000);
}
