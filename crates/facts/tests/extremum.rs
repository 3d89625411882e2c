//! Operators that choose: how people write them, and what looks alike and chooses nothing.

use fehu_facts::extremum::{Extremum, Tie, extremum};
use fehu_ir::{Exp, text::parse};

/// What the operator with this code and these results chooses by.
fn found(code: &str, results: &str) -> Option<Extremum> {
    let program = format!(
        "prog arrays
fun f (n: i64, xs: [n]f32, ys: [n]i64) -> (r: f32, s: i64) =
  let (x: f32, y: i64) = screma n (xs, ys) map \\(u: f32, v: i64) -> (f32, i64) {{(u, v)}}
    red \\(a: f32, i: i64, b: f32, j: i64) -> (f32, i64) {{ {code} in ({results}) }} neutral (0.0f32, 0)
  in (x, y)
"
    );
    let prog = parse(&program).unwrap_or_else(|error| panic!("{error:?}\n{program}"));
    let fun = prog.funs.iter().next().unwrap().1;
    let Exp::Screma(op) = &fun.body.stms[0].exp else { panic!("an operator") };
    extremum(&op.reds[0].op, &fun.vars)
}

fn chosen(code: &str, results: &str) -> Option<(bool, Tie)> {
    found(code, results).map(|found| {
        assert_eq!(found.key, 0);
        (found.largest, found.tie)
    })
}

#[test]
fn branches_choose() {
    let code = "let (c: bool) = lt a b let (x: f32, y: i64) = if c then {(a, i)} else {(b, j)}";
    assert_eq!(chosen(code, "x, y"), Some((false, Tie::Last)));
    let code = "let (c: bool) = le a b let (x: f32, y: i64) = if c then {(a, i)} else {(b, j)}";
    assert_eq!(chosen(code, "x, y"), Some((false, Tie::First)));
    let code = "let (c: bool) = lt a b let (x: f32, y: i64) = if c then {(b, j)} else {(a, i)}";
    assert_eq!(chosen(code, "x, y"), Some((true, Tie::First)));
}

#[test]
fn conditions_may_be_put_together() {
    let code = "let (c: bool) = lt a b let (d: bool) = eq a b let (e: bool) = lt i j
        let (f: bool) = and d e let (g: bool) = or c f
        let (x: f32, y: i64) = if g then {(a, i)} else {(b, j)}";
    assert_eq!(chosen(code, "x, y"), Some((false, Tie::Smaller(1))));
    let code = "let (c: bool) = lt b a let (d: bool) = eq a b let (e: bool) = lt i j
        let (h: bool) = not e let (f: bool) = and h d let (g: bool) = or f c
        let (x: f32, y: i64) = if g then {(a, i)} else {(b, j)}";
    assert_eq!(chosen(code, "x, y"), Some((true, Tie::Larger(1))));
}

#[test]
fn minima_choose() {
    let code = "let (x: f32) = max a b let (c: bool) = lt b a let (d: bool) = lt a b let (m: i64) = min i j
        let (e: i64) = if d then {(j)} else {(m)} let (y: i64) = if c then {(i)} else {(e)}";
    assert_eq!(chosen(code, "x, y"), Some((true, Tie::Smaller(1))));
}

#[test]
fn what_only_looks_alike_chooses_nothing() {
    // One component is of one operand, and the other of the other one.
    let code = "let (c: bool) = lt a b let (x: f32, y: i64) = if c then {(a, j)} else {(b, i)}";
    assert_eq!(chosen(code, "x, y"), None);
    // Both components are the least of their kind.
    assert_eq!(found("let (x: f32) = min a b let (y: i64) = min i j", "x, y"), None);
    // The key is another number.
    let code =
        "let (x: f32) = add a b let (c: bool) = lt a b let (y: i64) = if c then {(i)} else {(j)}";
    assert_eq!(chosen(code, "x, y"), None);
    // A constant takes the place of a key.
    let code =
        "let (c: bool) = lt a 1.0f32 let (x: f32, y: i64) = if c then {(a, i)} else {(b, j)}";
    assert_eq!(chosen(code, "x, y"), None);
    // Numbers are compared by one operand, and keys are equal.
    let code = "let (c: bool) = lt a b let (d: bool) = lt b a let (e: bool) = lt i j
        let (z: i64) = if e then {(i)} else {(i)} let (m: f32, k: i64) = if d then {(b, j)} else {(a, z)}
        let (x: f32, y: i64) = if c then {(a, i)} else {(m, k)}";
    assert_eq!(chosen(code, "x, y"), Some((false, Tie::First)));
}
