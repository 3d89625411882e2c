//! Programs of one shape each, for `bench-check`: what generated code looks like, and what would show
//! a stage that takes more than linear time.
//!
//! Every shape makes a valid program from a number, to which the program's size is proportional.

use std::fmt::Write;

/// A shape of programs: a name, the number to start from, and the program for a number.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) start: usize,
    pub(crate) program: fn(usize) -> String,
}

/// All shapes.
pub(crate) const SHAPES: [Shape; 17] = [
    Shape { name: "functions", start: 5_000, program: functions },
    Shape { name: "lets in one function", start: 12_500, program: lets },
    Shape { name: "lets of arrays", start: 2_500, program: array_lets },
    Shape { name: "lets of unknown sizes", start: 2_500, program: filters },
    Shape { name: "local functions", start: 2_500, program: local_functions },
    Shape { name: "updates", start: 2_500, program: updates },
    Shape { name: "loops in one function", start: 2_500, program: loops },
    Shape { name: "loops that change sizes", start: 2_500, program: growing_loops },
    Shape { name: "polymorphic calls", start: 1_250, program: polymorphic_calls },
    Shape { name: "operators", start: 25_000, program: operators },
    Shape { name: "array literal", start: 250_000, program: array_literal },
    Shape { name: "cases of a match", start: 2_500, program: cases },
    Shape { name: "fields of a record", start: 1_250, program: fields },
    Shape { name: "nested modules", start: 2_500, program: modules },
    Shape { name: "applied modules", start: 2_500, program: applied_modules },
    Shape { name: "nested ifs", start: 500, program: ifs },
    Shape { name: "sizes that are sums", start: 125, program: sums },
];

/// A text of one piece for each number below `count`.
fn each(count: usize, piece: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for i in 0..count {
        // The write to a string cannot fail.
        let _ = writeln!(text, "{}", piece(i));
    }
    text
}

fn functions(count: usize) -> String {
    each(count, |i| format!("def f{i} (x: i32): i32 = x + {i}"))
}

fn lets(count: usize) -> String {
    let lets = each(count, |i| format!("  let v{} = v{i} + {}", i + 1, i % 100));
    format!("def main (v0: i32): i32 =\n{lets}  in v{count}\n")
}

fn array_lets(count: usize) -> String {
    let lets = each(count, |i| format!("  let v{} = map (+{}) v{i}", i + 1, i % 100));
    format!("def main [n] (v0: [n]i32): [n]i32 =\n{lets}  in v{count}\n")
}

fn filters(count: usize) -> String {
    let lets = each(count, |i| format!("  let v{} = filter (>{}) v{i}", i + 1, i % 100));
    format!("def main [n] (v0: [n]i32): []i32 =\n{lets}  in v{count}\n")
}

fn local_functions(count: usize) -> String {
    let lets = each(count, |i| format!("  let f{} y = f{i} (y + x + {})", i + 1, i % 100));
    format!("def main (x: i32): i32 =\n  let f0 (y: i32) = y\n{lets}  in f{count} x\n")
}

fn updates(count: usize) -> String {
    let lets = each(count, |i| format!("  let xs[{i}] = {i}"));
    format!("def main [n] (xs: *[n]i32): *[n]i32 =\n{lets}  in xs\n")
}

fn loops(count: usize) -> String {
    let lets = each(count, |i| format!("  let v{} = loop s = v{i} for i < n do s + i", i + 1));
    format!("def main (n: i64) (v0: i64): i64 =\n{lets}  in v{count}\n")
}

fn growing_loops(count: usize) -> String {
    each(count, |i| {
        format!("def f{i} [n] (xs: [n]i64): []i64 = loop ys = xs for i < {i} do ys ++ [i]")
    })
}

fn polymorphic_calls(count: usize) -> String {
    let lets = each(count, |i| {
        let function = format!("\\x y -> x * y + {}", i % 100);
        format!("  let v{} = reduce (+) v{i} (map2 ({function}) xs (map id xs))", i + 1)
    });
    format!("def main [n] (xs: [n]i32) (v0: i32): i32 =\n{lets}  in v{count}\n")
}

fn operators(count: usize) -> String {
    let chain = vec!["x"; 1000].join(" + ");
    each(count / 1000, |i| format!("def f{i} (x: i32): i32 = {chain}"))
}

fn array_literal(count: usize) -> String {
    let elements: Vec<String> = (0..count).map(|i| (i % 1000).to_string()).collect();
    format!("def main: []i32 = [{}]\n", elements.join(", "))
}

fn cases(count: usize) -> String {
    let cases = each(count, |i| format!("  case {i} -> {}", i % 7));
    format!("def main (x: i32): i32 =\n  match x\n{cases}  case _ -> 0\n")
}

fn fields(count: usize) -> String {
    let fields = |what: &str| -> String {
        let fields: Vec<String> = (0..count).map(|i| format!("f{i}{what}")).collect();
        fields.join(", ")
    };
    let (types, values) = (fields(": i32"), fields(" = x"));
    format!("type r = {{{types}}}\ndef make (x: i32): r = {{{values}}}\n")
}

fn modules(count: usize) -> String {
    each(count, |i| {
        format!("module m{i} = {{ module a = {{ module b = {{ def f (x: i32) = x + {i} }} }} }}")
    })
}

fn applied_modules(count: usize) -> String {
    let modules =
        each(count, |i| format!("module a{i} = F {{ type t = i32 def f (x: i32) = x + {i} }}"));
    let param = "module type mt = { type t val f: t -> t }";
    format!("{param}\nmodule F (M: mt) = {{ def g (x: M.t) = M.f x }}\n{modules}")
}

fn ifs(count: usize) -> String {
    let ifs = each(count, |i| format!("  if x == {i} then {} else", i % 7));
    format!("def main (x: i32): i32 =\n{ifs}  x\n")
}

fn sums(count: usize) -> String {
    let lets = each(count, |i| format!("  let v{} = v{i} ++ iota {i}", i + 1));
    format!("def main [n] (v0: [n]i64): []i64 =\n{lets}  in v{count}\n")
}
