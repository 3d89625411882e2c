//! Views that branches and loops hand on as they are: what is copied, and why.

use fehu_ir::text::parse;
use fehu_ir::verify::verify;
use fehu_mem::assign::assign_in;
use fehu_mem::copies::copies;
use fehu_mem::layout::Layouts;
use fehu_mem::short_circuit::{Refusals, Why};

/// The reasons of the copies before boundaries, by the first table of a program.
#[track_caller]
fn reasons(text: &str, layouts: Layouts) -> Vec<Option<Why>> {
    let stage = if text.contains(" seg ") { "segs" } else { "arrays" };
    let text = format!("prog {stage}\n{text}");
    let prog = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&prog).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
    let placed = assign_in(prog, layouts).unwrap_or_else(|_| panic!("too complex\n{text}"));
    verify(&placed.prog).unwrap_or_else(|errors| panic!("{}\n{}", errors[0], placed.prog));
    let copies = copies(&placed, &Refusals::default()).into_iter();
    copies.filter(|copy| copy.by == "boundary").map(|copy| copy.why).collect()
}

#[track_caller]
fn none(text: &str) {
    assert_eq!(reasons(text, Layouts::RowMajor), [], "{text}");
}

#[track_caller]
fn refused(text: &str, why: Option<Why>) {
    assert_eq!(reasons(text, Layouts::RowMajor), [why], "{text}");
}

/// A matrix or its transpose, of which something is made.
fn either(then: &str) -> String {
    format!(
        "fun f (n: i64, c: bool, a: [n][n]f32, b: [n][n]f32) -> (res: [n][n]f32) =\n let (r: [n][n]f32) = if c then {{ let (t: [n][n]f32) = \
         rearrange (1, 0) a in (t) }} else {{(a)}}\n{then}"
    )
}

/// Each element is read once.
const ELEMENTS: &str = "let (y: [n][n]f32) = screma n (r) map \\(p: [n]f32) -> ([n]f32) {
  let (q: [n]f32) = screma n (p) map \\(e: f32) -> (f32) { let (d: f32) = mul e 2.0f32 in (d) }
  in (q) }
 in (y)\n";

#[test]
fn branches_hand_on_transposed_matrices() {
    none(&either(ELEMENTS));
}

#[test]
fn branches_hand_on_columns_and_parts() {
    let text = |yes: &str, no: &str| {
        format!(
            "fun f (n: i64, k: i64, c: bool, a: [n][n]f32, b: [n]f32) -> (res: f32) =\n let (r: [n]f32) = if c then {{ {yes} }} else {{ {no} \
             }}\n let (s: f32) = screma n (r) map \\(e: f32) -> (f32) {{(e)}} red \\(x: f32, y: f32) -> (f32) {{ let (z: f32) = add x \
             y in (z) }} neutral (0.0f32)\n in (s)\n"
        )
    };
    let column = "let (v: [n]f32) = index a[0:n:1, k] in (v)";
    none(&text(column, "(b)"));
    none(&text(column, "let (w: [n]f32) = index a[k] in (w)"));
    none(&text(column, "let (l: i64) = sub n 1 let (w: [n]f32) = index b[l:n:-1] in (w)"));
    // The branches inside are handed on by those outside.
    none(&text(
        "let (d: bool) = lt k 3 let (v: [n]f32) = if d then { let (u: [n]f32) = index a[0:n:1, k] in (u) } else {(b)} in (v)",
        "(b)",
    ));
}

#[test]
fn what_is_copied_anyway_is_copied_where_it_is_transposed() {
    refused(&either(" in (r)\n"), None);
}

#[test]
fn what_is_read_often_is_copied_once() {
    let product = "let (y: [n][n]f32) = screma n (b) map \\(p: [n]f32) -> ([n]f32) {
      let (q: [n]f32) = screma n (r) map \\(o: [n]f32) -> (f32) {
        let (s: f32) = screma n (p, o) map \\(g: f32, h: f32) -> (f32) { let (l: f32) = mul g h in (l) }
          red \\(u: f32, v: f32) -> (f32) { let (w: f32) = add u v in (w) } neutral (0.0f32)
        in (s) }
      in (q) }
     in (y)\n";
    refused(&either(product), Some(Why::Often));
}

/// A loop that hands on something else in each iteration, and reads what it has.
fn turns(next: &str) -> String {
    format!(
        "fun f (n: i64, k: i64, c: bool, a: [n][n]f32) -> (res: f32) =\n let (l: [n][n]f32, s: f32) = loop (x: [n][n]f32 = a, t: f32 = 0.0f32) for i: i64 < \
         k {{ let (g0: f32) = screma n (x) map \\(p: [n]f32) -> (f32) {{\n let (h: f32) = screma n (p) map \\(e: f32) -> (f32) {{(e)}} red \\(u: f32, v: \
         f32) -> (f32) {{ let (w: f32) = add u v in (w) }} neutral (0.0f32) in (h) }} red \\(u1: f32, v1: f32) -> (f32) {{ let (w1: f32) = add u1 v1 in (w1) \
         }} neutral (0.0f32) let (g: f32) = add g0 t\n {next} }}\n let (z: f32) = index l[0, 0] let (m: f32) = add s z in (m)\n"
    )
}

#[test]
fn loops_hand_on_transposed_matrices() {
    none(&turns("let (y: [n][n]f32) = rearrange (1, 0) x in (y, g)"));
    none(&turns(
        "let (d: bool) = lt g 1.0f32 let (y: [n][n]f32) = if d then { let (o: [n][n]f32) = rearrange (1, 0) x in (o) } else {(x)} in (y, g)",
    ));
}

#[test]
fn what_each_iteration_reads_is_copied_before_a_loop() {
    let text = |reads: &str| {
        format!(
            "fun f (n: i64, k: i64, a: [n][n]f32, b: [n]f32) -> (res: f32) =\n let (c: [n]f32) = index a[0:n:1, 0]\n let (p: [n]f32, q: [n]f32, s: f32) = loop (x: [n]f32 = c, \
             y: [n]f32 = b, t: f32 = 0.0f32) for i: i64 < k {{ {reads} in (y, x, g) }}\n in (s)\n"
        )
    };
    none(&text("let (e: f32) = index x[0] let (g: f32) = add t e"));
    let sum = "let (g0: f32) = screma n (x) map \\(e: f32) -> (f32) {(e)} red \\(u: f32, v: f32) -> (f32) { let (w: f32) = add u v in (w) } neutral (0.0f32) let (g: f32) = add g0 t";
    refused(&text(sum), Some(Why::Often));
}

/// Kernels that read a matrix or another one.
fn kernels(yes: &str) -> String {
    format!(
        "fun f (n: i64, c: bool, a: [n][n]f32, b: [2][n][n]f32) -> (res: [n][n]f32) =\n let (r: [n][n]f32) = if c then {{ {yes} in (t) }} else {{(a)}}\n \
         let (y: [n][n]f32) = seg grid [n] (r) \\(i: i64, p: [n]f32) -> ([n]f32) {{ let (q: [n]f32) = screma n (p) map \\(e: f32) -> (f32) {{ let (d: \
         f32) = mul e 2.0f32 in (d) }} in (q) }}\n in (y)\n"
    )
}

#[test]
fn kernels_read_views_in_order_as_they_are() {
    let reasons = |yes: &str| reasons(&kernels(yes), Layouts::Coalesced);
    assert_eq!(reasons("let (l: i64) = sub n 1 let (t: [n][n]f32) = index a[l:n:-1, 0:n:1]"), []);
    assert_eq!(reasons("let (t: [n][n]f32) = rearrange (1, 0) a"), [Some(Why::Turned)]);
}
