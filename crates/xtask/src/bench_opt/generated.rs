//! Programs of 50,000 statements, and of half as many, so that what is not linear is seen.

use std::fmt::Write;

/// The programs with their names.
pub(super) fn programs() -> Vec<(String, String)> {
    let mut programs = Vec::new();
    for (name, make) in SHAPES {
        for size in SIZES {
            programs.push((format!("{name} {size}"), make(size)));
        }
    }
    programs
}

const SIZES: [usize; 2] = [25_000, 50_000];

type Shape = (&'static str, fn(usize) -> String);

const SHAPES: [Shape; 10] = [
    ("scalars", scalars),
    ("equal scalars", equal_scalars),
    ("chains of maps", map_chain),
    ("independent maps", independent_maps),
    ("nested maps", nested_maps),
    ("one long map", long_map),
    ("many functions", functions),
    ("many entry points", entries),
    ("updates", updates),
    ("loops and branches", loops),
];

/// The write to a string cannot fail.
macro_rules! line {
    ($text:expr, $($rest:tt)*) => { let _ = writeln!($text, $($rest)*); };
}

/// A chain of scalar operations.
fn scalars(count: usize) -> String {
    let mut text = "entry main (x: i32) (v0: i32): i32 =\n".to_owned();
    for i in 0..count {
        let op = ["+", "*", "^", "-", "|"][i % 5];
        line!(
            text,
            "  let v{} = v{i} {op} {}",
            i + 1,
            if i % 3 == 0 { "x".into() } else { (i + 2).to_string() }
        );
    }
    line!(text, "  in v{count}");
    text
}

/// Statements that are like one of a hundred others, all of them used.
fn equal_scalars(count: usize) -> String {
    let mut text = "entry main (x: i32) (s0: i32): i32 =\n".to_owned();
    for i in 0..count / 3 {
        line!(text, "  let a{i} = x + {}", i % 100);
        line!(text, "  let b{i} = a{i} * a{i}");
        line!(text, "  let s{} = s{i} ^ b{i}", i + 1);
    }
    line!(text, "  in s{}", count / 3);
    text
}

/// Each map takes the result of the one before it; all of them fuse.
fn map_chain(count: usize) -> String {
    let mut text = "entry main [n] (xs0: [n]i32): [n]i32 =\n".to_owned();
    for i in 0..count / 2 {
        line!(text, "  let xs{} = map (+ {i}) xs{i}", i + 1);
    }
    line!(text, "  in xs{}", count / 2);
    text
}

/// Maps and reductions of the same array, which do not depend on each other.
fn independent_maps(count: usize) -> String {
    let mut text = "entry main [n] (xs: [n]i32) (s0: i32): i32 =\n".to_owned();
    for i in 0..count / 5 {
        line!(text, "  let ys{i} = map (* {i}) xs");
        line!(text, "  let s{} = s{i} + reduce (+) 0 ys{i} + ys{i}[{}]", i + 1, i % 10);
    }
    line!(text, "  in s{}", count / 5);
    text
}

/// Maps in maps in maps, with chains at the innermost level.
fn nested_maps(count: usize) -> String {
    let mut text = "entry main [n][m][k] (xs0: [n][m][k]f32) (y: f32): [n][m][k]f32 =\n".to_owned();
    for i in 0..count / 10 {
        line!(
            text,
            "  let xs{} = map (\\a -> map (\\b -> let s = reduce (+) y b in map (\\x -> x * {i} + s) b) a) xs{i}",
            i + 1
        );
    }
    line!(text, "  in xs{}", count / 10);
    text
}

/// One map with a long function that reads another array.
fn long_map(count: usize) -> String {
    let mut text = "entry main [n][m] (xs: [n]i32) (ys: [m]i32): [n]i32 =\n".to_owned();
    line!(text, "  map (\\v0 ->");
    for i in 0..count / 5 {
        line!(text, "    let v{} = v{i} * {i} + ys[{}]", i + 1, i % 50);
    }
    line!(text, "    in v{}) xs", count / 5);
    text
}

/// Functions that call the one before them, with a map each.
fn functions(count: usize) -> String {
    let mut text = "def fun0 [n] (xs: [n]i32) (v: i32): [n]i32 = map (+ v) xs\n".to_owned();
    for i in 0..count / 10 {
        line!(text, "def fun{} [n] (xs: [n]i32) (v: i32): [n]i32 =", i + 1);
        line!(text, "  let w = v * {i} + xs[{}]", i % 7);
        line!(text, "  in map2 (\\x y -> x * y + w) (fun{i} xs w) xs");
    }
    line!(text, "entry main [n] (xs: [n]i32) (v: i32) = fun{} xs v", count / 10);
    text
}

/// Entry points of a few statements each, which share functions.
fn entries(count: usize) -> String {
    let mut text = "def sum [n] (xs: [n]i32) = reduce (+) 0 xs\n".to_owned();
    text.push_str("def scale [n] (k: i32) (xs: [n]i32) = map (* k) xs\n");
    for i in 0..count / 10 {
        line!(text, "entry e{i} [n] (xs: [n]i32) (i: i64): i32 =");
        line!(text, "  sum (scale {i} xs) + xs[i] + (scale xs[i + {}] xs)[i]", i % 5);
    }
    text
}

/// Updates in place of one array, with reads in between.
fn updates(count: usize) -> String {
    let mut text = "entry main [n] (xs0: *[n]i32) (i: i64): [n]i32 =\n".to_owned();
    for i in 0..count / 10 {
        line!(text, "  let v{i} = xs{i}[i + {}]", i % 100);
        line!(text, "  let xs{} = xs{i} with [{}] = v{i} + {i}", i + 1, i % 100);
    }
    line!(text, "  in xs{}", count / 10);
    text
}

/// Loops with branches in them.
fn loops(count: usize) -> String {
    let mut text = "entry main [n] (xs: [n]i32) (v0: i32): i32 =\n".to_owned();
    for i in 0..count / 15 {
        line!(text, "  let v{} = loop a = v{i} for x in xs do", i + 1);
        line!(text, "    if a > {i} then a - x * v{i} else a + xs[i64.i32 x % n]");
    }
    line!(text, "  in v{}", count / 15);
    text
}
