//! Views that functions return as they are: what is copied, where, and what the caller is told.

use fehu_ir::text::parse;
use fehu_ir::verify::verify;
use fehu_ir::{Exp, Stm, visit};
use fehu_mem::assign::assign_in;
use fehu_mem::layout::Layouts;
use fehu_mem::short_circuit::short_circuit;
use fehu_mem::table::Placed;

/// The program after places have been assigned and arrays made where they belong.
#[track_caller]
fn placed(text: &str, layouts: Layouts) -> Placed {
    let text = format!("prog arrays\n{text}");
    let prog = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&prog).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
    let mut placed = assign_in(prog, layouts).unwrap_or_else(|_| panic!("too complex\n{text}"));
    short_circuit(&mut placed, false);
    verify(&placed.prog).unwrap_or_else(|errors| panic!("{}\n{}", errors[0], placed.prog));
    placed
}

/// For each function, how many arrays it copies because they cross a boundary, and how many results it has.
#[track_caller]
fn shapes_in(text: &str, layouts: Layouts) -> Vec<(usize, usize)> {
    let placed = placed(text, layouts);
    let funs = placed.prog.funs.iter();
    funs.map(|(_, fun)| (manifests(&fun.body), fun.results.len())).collect()
}

#[track_caller]
fn shapes(text: &str) -> Vec<(usize, usize)> {
    shapes_in(text, Layouts::RowMajor)
}

fn manifests(body: &fehu_ir::Body) -> usize {
    struct Count(usize);
    impl visit::Visit for Count {
        fn stm(&mut self, stm: &Stm) {
            self.0 += usize::from(matches!(stm.exp, Exp::Manifest(_)));
            visit::walk_stm(self, stm);
        }
    }
    let mut count = Count(0);
    visit::Visit::body(&mut count, body);
    count.0
}

/// An entry point that calls `g` for a vector, of which something is made.
fn with_caller(g: &str, then: &str) -> String {
    format!(
        "{g}fun f (n: i64, m: i64, k: i64, c: bool, a: [n][m]f32, b: [n]f32) -> (res: [n]f32) =\n let (v: [n]f32) = call g (n, m, k, c, a, b)\n \
         {then}\nentry \"f\" = f (\"k\": i64, \"c\": bool, \"a\": [n][m]f32, \"b\": [n]f32) -> [n]f32\n"
    )
}

fn function(body: &str) -> String {
    format!(
        "fun g (n: i64, m: i64, k: i64, c: bool, a: [n][m]f32, b: [n]f32) -> (r: [n]f32) =\n {body}\n"
    )
}

/// Each element is read once.
const READ: &str = "let (y: [n]f32) = screma n (v) map \\(e: f32) -> (f32) { let (d: f32) = mul e 2.0f32 in (d) }\n in (y)";
const COLUMN: &str = "let (v: [n]f32) = index a[0:n:1, k] in (v)";
const EITHER: &str = "let (r0: [n]f32) = if c then { let (v: [n]f32) = index a[0:n:1, k] in (v) } else {(b)}\n in (r0)";

#[test]
fn strides_that_the_caller_knows_are_no_results() {
    assert_eq!(shapes(&with_caller(&function(COLUMN), READ)), [(0, 1), (0, 1)]);
    let placed = placed(&with_caller(&function(COLUMN), READ), Layouts::RowMajor);
    // In the caller, too, the stride is the number of columns.
    assert!(placed.to_string().contains("--   v_7: m2, 0 + {(n_0 : m_1)}"), "{placed}");
}

#[test]
fn strides_that_only_the_function_knows_are_results() {
    assert_eq!(shapes(&with_caller(&function(EITHER), READ)), [(0, 2), (0, 1)]);
    // So they are if they pass through another function.
    let through = "fun h (n: i64, m: i64, k: i64, c: bool, a: [n][m]f32, b: [n]f32) -> (r: [n]f32) =\n let (v: [n]f32) = call g (n, m, k, c, a, b) in (v)\n";
    let text = with_caller(&format!("{}{through}", function(EITHER)), READ);
    let text = text.replace(
        "let (v: [n]f32) = call g (n, m, k, c, a, b)\n ",
        "let (v: [n]f32) = call h (n, m, k, c, a, b)\n ",
    );
    assert_eq!(shapes(&text), [(0, 2), (0, 2), (0, 1)]);
}

#[test]
fn the_caller_copies_what_it_returns_or_passes_on() {
    assert_eq!(shapes(&with_caller(&function(COLUMN), "in (v)")), [(0, 1), (1, 1)]);
    let takes = "fun h (n: i64, u: [n]f32) -> (r: f32) =\n let (x: f32) = index u[0] in (x)\n";
    let then = "let (x: f32) = call h (n, v) let (y: [n]f32) = replicate (n) x in (y)";
    let text = with_caller(&format!("{takes}{}", function(COLUMN)), then);
    assert_eq!(shapes(&text), [(0, 1), (0, 1), (1, 1)]);
}

#[test]
fn a_part_of_what_the_function_has_made_does_not_keep_the_rest() {
    let made = |end: &str| function(&format!("let (w: [n][m]f32) = copy a\n {end}"));
    let part = made("let (v: [n]f32) = index w[0:n:1, k] in (v)");
    assert_eq!(shapes(&with_caller(&part, READ)), [(1, 1), (0, 1)]);
    // All of it does.
    let all = function(
        "let (w: [n]f32) = copy b let (l: i64) = sub n 1 let (v: [n]f32) = index w[l:n:-1] in (v)",
    );
    assert_eq!(shapes(&with_caller(&all, READ)), [(0, 1), (0, 1)]);
}

#[test]
fn functions_that_anybody_may_call_return_arrays_without_gaps() {
    // Without entry points, all functions are called from outside.
    assert_eq!(shapes(&function(COLUMN)), [(1, 1)]);
    // A function that calls itself would have to know what it returns before that is decided.
    let itself = function(&format!("let (u: [n]f32) = call g (n, m, k, c, a, b) {COLUMN}"));
    assert_eq!(shapes(&with_caller(&itself, READ)), [(1, 1), (0, 1)]);
    // Kernels must know the orders of arrays.
    let text = with_caller(&function(COLUMN), READ);
    assert_eq!(shapes_in(&text, Layouts::Coalesced), [(1, 1), (0, 1)]);
}

#[test]
fn large_matrices_are_not_read_across_by_callers() {
    let text = "fun g (n: i64, c: bool, a: [n][n]f32) -> (r: [n][n]f32) =
 let (r0: [n][n]f32) = if c then { let (v: [n][n]f32) = rearrange (1, 0) a in (v) } else {(a)}
 in (r0)
fun f (n: i64, c: bool, a: [n][n]f32) -> (res: f32) =
 let (v: [n][n]f32) = call g (n, c, a)
 let (x: f32) = index v[0, 0]
 in (x)
entry \"f\" = f (\"c\": bool, \"a\": [n][n]f32) -> f32
";
    assert_eq!(shapes(text), [(1, 1), (0, 1)]);
}
