//! Random programs made of irregular nests (`fehu_irgen::irregular_text`) mean the same when they are lifted.
//!
//! `FEHU_RANDOM_PROGRAMS` sets how many are tried, `FEHU_RANDOM_SEED` the first.

use crate::nested::{LEAST, compare};
use fehu_ir::pass::{Pass, RemarkKind, Remarks};
use fehu_ir::text::parse;
use fehu_irgen::irregular_text;
use fehu_opt::{CSE, FUSE, HOIST, SIMPLIFY, UNPARTITION};
use fehu_par::{EPILOGUE, FLATTEN, GRID_IRREGULAR, GRID_ROUNDS, IRREGULAR, TASKS};

#[test]
fn irregular_programs_mean_the_same() {
    let lists: [&[Pass]; 5] = [
        &[GRID_IRREGULAR],
        &[GRID_IRREGULAR, GRID_ROUNDS, LEAST],
        &[IRREGULAR],
        &[
            SIMPLIFY,
            FUSE,
            GRID_IRREGULAR,
            SIMPLIFY,
            CSE,
            HOIST,
            SIMPLIFY,
            FUSE,
            SIMPLIFY,
            GRID_ROUNDS,
            UNPARTITION,
            SIMPLIFY,
            FLATTEN,
            SIMPLIFY,
            EPILOGUE,
        ],
        &[
            SIMPLIFY, FUSE, IRREGULAR, SIMPLIFY, CSE, HOIST, SIMPLIFY, FUSE, SIMPLIFY, TASKS,
            EPILOGUE,
        ],
    ];
    let (count, remarks) = compare(irregular_text, 150, GRID_IRREGULAR, &lists);
    let of = |kind| remarks.list.iter().filter(|remark| remark.kind == kind).count() as u64;
    let (done, missed) = (of(RemarkKind::Done), of(RemarkKind::Missed));
    assert!(done * 3 > count && missed * 10 < done, "{done} maps are lifted, {missed} are not");
}

/// What is said about a map over numbers `ns` with this function, whose result is `s`.
fn why(function: &str) -> Vec<String> {
    let text = format!(
        "prog arrays\nfun f (n: i64, ns: [n]i64) -> (r: [n]i64) =\nlet (all: [n]i64) = screma n (ns) map \\(m: i64) -> (i64) {{ {function} in (s) }}\nin (all)\n"
    );
    let mut prog = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut remarks = Remarks::default();
    (IRREGULAR.run)(&mut prog, &mut remarks);
    remarks.list.into_iter().map(|remark| remark.text.to_string()).collect()
}

#[test]
fn what_is_not_lifted_has_a_remark() {
    let accumulation = why("
        let (zeros: [5]i64) = replicate (5) 0
        let (numbers: [m]i64) = iota i64 m 0 1
        let (made: [5]i64) = withacc acc [5] (zeros) in \\(c: unit, a: acc(c)) -> (acc(c)) {
          let (b: acc(c)) = screma m (a, numbers) map \\(e: acc(c), x: i64) -> (acc(c)) {
            let (g: acc(c)) = update_acc e [x] (x) in (g) } in (b) }
        let (s: i64) = index made[0]");
    assert!(
        matches!(&accumulation[..], [why] if why.ends_with("arrays that each position has of its own")),
        "{accumulation:?}"
    );
    let elements = why("
        let (numbers: [m]i64) = iota i64 m 0 1
        let (own: [m]i64) = copy numbers
        let (made: [m]i64) = loop (p: [m]i64 = own) for i: i64 < m {
          let (q: [m]i64) = update p[i] = 7 in (q) }
        let (s: i64) = screma m (made) map \\(x: i64) -> (i64) {(x)}
          red \\(a: i64, b: i64) -> (i64) { let (c: i64) = add a b in (c) } neutral (0)");
    assert!(
        matches!(&elements[..], [why] if why.ends_with("writes one element after the other")),
        "{elements:?}"
    );
}
