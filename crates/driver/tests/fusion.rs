//! What becomes of well-known computations: the array operators that the default pipeline leaves of them.

use fehu_driver::check::{Exit, Warnings};
use fehu_driver::dev;
use fehu_driver::files::Memory;
use fehu_driver::passes::Plan;
use fehu_driver::pipelines::DEFAULT;
use fehu_irtest::count::count;

/// The operators of a program that are counted here.
const OPERATORS: [&str; 12] = [
    "map",
    "reduce",
    "redomap",
    "scan",
    "scanomap",
    "scanred",
    "hist",
    "scatter",
    "stream",
    "partition",
    "assert",
    "copy",
];

/// Checks that these are the operators left of a program.
fn leaves(text: &str, expected: &str) {
    let files = Memory::new([("prog.fut", text)]);
    let mut found = String::new();
    let plan = Plan::of(DEFAULT.passes);
    let finish = |_: &mut _, prog: fehu_ir::Prog, _| {
        let counts = count(&prog);
        let some = OPERATORS.iter().filter_map(|name| Some((name, counts.get(name)?)));
        found = some.map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ");
    };
    let outcome =
        dev::run(&files, "prog.fut", Warnings::Hide, &plan, |_| {}, &mut |_, _| {}, finish)
            .expect("it is a source file");
    assert_eq!(outcome.exit, Exit::Success, "{:?}", outcome.diagnostics);
    assert_eq!(found, expected);
}

#[test]
fn a_zip_that_is_read_before_its_arrays_change_copies_nothing() {
    leaves(
        "entry main [n] (xs: *[n]i32) (ys: [n]i32) =
           loop xs for i < n do xs with [i] = i32.sum (map2 (*) xs ys)",
        "redomap 1",
    );
}

#[test]
fn a_zip_copies_what_is_used_after_the_pairs_change() {
    leaves(
        "entry main (xs: *[4]i32) (ys: *[4]i32) =
           let pairs = zip xs ys
           let pairs[0] = (0, 0)
           in (unzip pairs, ys)",
        "copy 1",
    );
}

#[test]
fn black_scholes_is_one_map() {
    leaves(
        "def horner (x: f64) = x * (0.31938153 + x * (-0.356563782 + x * 1.781477937))
         def cnd0 (d: f64) = 1 - 0.39894228 * f64.exp (-0.5 * d * d) * horner (1 / (1 + 0.2316419 * d))
         def cnd d = if d < 0 then 1 - cnd0 (-d) else cnd0 d
         def price (call: bool, s: f64, k: f64, t: f64) =
           let d1 = (f64.log (s / k) + 0.12 * t) / (0.3 * f64.sqrt t)
           in if call then s * cnd d1 - k * cnd (d1 - t) else k * cnd (t - d1) - s * cnd (-d1)
         entry main (days: i64) =
           let put = map (\\i -> i % 2 == 0) (iota days)
           let strike = map (\\i -> 58 + 4 * f64.i64 i / f64.i64 days) (iota days)
           let time = map (\\i -> f64.i64 (i + 1) / 365) (iota days)
           in map price (zip4 put (replicate days 60) strike time)",
        "map 1, assert 1",
    );
}

#[test]
fn matrix_product_is_two_maps_around_a_redomap_without_checks() {
    leaves(
        "entry main [n] [m] [p] (a: [n][m]f32) (b: [m][p]f32): [n][p]f32 =
           map (\\r -> map (\\c -> reduce (+) 0 (map2 (*) r c)) (transpose b)) a",
        "map 2, redomap 1",
    );
}

#[test]
fn a_map_and_a_scan_are_one_scanomap() {
    leaves("entry main (xs: []i32) = scan (+) 0 (map (* 2) xs)", "scanomap 1");
}

#[test]
fn two_scans_of_one_array_are_one() {
    leaves("entry main (xs: []i32) = (scan (+) 0 xs, scan i32.max i32.lowest xs)", "scanomap 1");
}

#[test]
fn the_maps_of_a_radix_sort_step_are_inside_of_its_scans() {
    leaves(
        "entry main [n] (xs: [n]u32) (bit: i32): [n]u32 =
           let bits = map (\\x -> i64.i32 (u32.get_bit bit x)) xs
           let zeros = map (1 -) bits
           let before = scan (+) 0 zeros
           let after = scan (+) 0 bits
           let total = reduce (+) 0 zeros
           let is = map3 (\\b z o -> if b == 0 then z - 1 else total + o - 1) bits before after
           in scatter (copy xs) is xs",
        "scanred 1, scatter 1, copy 1",
    );
}

#[test]
fn mean_and_variance_are_one_pass() {
    leaves(
        "entry main [n] (xs: [n]f64) =
           let mean = f64.sum xs / f64.i64 n
           let square = f64.sum (map (\\x -> x * x) xs) / f64.i64 n
           in (mean, square - mean * mean)",
        "redomap 1",
    );
}

#[test]
fn a_reduction_of_a_map_of_a_filter_is_one_loop() {
    leaves(
        "entry main (xs: []i32) = reduce (+) 0 (map (\\x -> x * x) (filter (> 0) xs))",
        "redomap 1",
    );
}

#[test]
fn a_costly_formula_with_a_cheap_recurrence_is_a_stream_of_constant_memory() {
    // One parallel stream with a sequential one inside, in which the scan and the reduction of a chunk are; and the formula's map
    // is part of the scan. The checks are that of the size of all, and that of the first element of a chunk.
    leaves(
        "entry main (n: i64) (c: i64) =
           let ys = stream.map (\\m (is: [m]i64) ->
                      let a = is[0] * c
                      in scan (+) 0 (map (\\i -> if i == is[0] then a else c) is)) (iota n)
           in i64.sum ys",
        "redomap 1, scanomap 1, stream 2, assert 2",
    );
}

#[test]
fn what_follows_a_concatenation_is_applied_to_its_parts() {
    leaves(
        "entry main [n] [m] (xs: [n]i32) (ys: [m]i32) =
           i32.sum (map (\\x -> x * x) (map (+ 1) xs ++ map (+ 2) ys))",
        "redomap 2",
    );
}

/// How often a word is in a program after the default pipeline.
fn occurrences(text: &str, word: &str) -> usize {
    let files = Memory::new([("prog.fut", text)]);
    let mut found = 0;
    let plan = Plan::of(DEFAULT.passes);
    let finish = |_: &mut _, prog: fehu_ir::Prog, _| found = prog.to_string().matches(word).count();
    let outcome =
        dev::run(&files, "prog.fut", Warnings::Hide, &plan, |_| {}, &mut |_, _| {}, finish)
            .expect("it is a source file");
    assert_eq!(outcome.exit, Exit::Success, "{:?}", outcome.diagnostics);
    found
}

#[test]
fn the_elements_of_a_flatmap_are_computed_once_if_its_sizes_do_not_depend_on_them() {
    let text = "entry main (ks: []i64) =
                  let (_, _, _, xs) = flatmap' (\\k -> map (\\i -> f64.sqrt (f64.i64 i)) (iota k)) ks
                  in f64.maximum xs";
    assert_eq!(occurrences(text, "sqrt"), 1);
}

#[test]
fn the_predicate_of_a_filter_in_a_flatmap_is_evaluated_once() {
    let text = "entry main (ks: []i64) =
                  let (_, _, _, is) = flatmap' (\\k -> filter (\\i -> f64.sqrt (f64.i64 i) < 9) (iota k)) ks
                  in i64.sum is";
    assert_eq!(occurrences(text, "sqrt"), 1);
}
