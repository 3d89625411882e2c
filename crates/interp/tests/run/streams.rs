//! Streams: their results do not depend on how they are cut.

use super::{assert_same, int, interp, ints, matrix};
use fehu_base::id::Id;
use fehu_interp::{Chunking, Value};
use fehu_ir::FunId;

const ALL: [Chunking; 6] = [
    Chunking::Whole,
    Chunking::Size(1),
    Chunking::Size(2),
    Chunking::Random(1),
    Chunking::Random(2),
    Chunking::Size(0),
];

/// Runs a program with every way to cut streams.
#[track_caller]
fn check(text: &str, args: &[Value], expected: &[Value]) {
    let mut interp = interp(text);
    for chunking in ALL {
        interp.options_mut().chunking = chunking;
        match interp.call(FunId::from_index(0), args.to_vec()) {
            Ok(results) => assert_same(&results, expected),
            Err(error) => panic!("{error}"),
        }
    }
}

const PREFIX_SUMS: &str = "fun f(n: i64, xs: [n]i64) -> (res_r: i64, res_s: [n]i64) =
    let (a: i64, ys: [n]i64) = stream n (xs) seq init (100) chunk
        \\(k: i64, acc: i64, c: [k]i64) -> (i64, [k]i64) {
            let (w: [k]i64, t: i64) = screma k (c) map \\(x: i64) -> (i64, i64) { (x, x) }
                scan \\(a1: i64, b1: i64) -> (i64) { let (c1: i64) = add a1 b1 in (c1) } neutral (0)
                red \\(a2: i64, b2: i64) -> (i64) { let (c2: i64) = add a2 b2 in (c2) } neutral (0)
            let (u: [k]i64) = screma k (w) map \\(y: i64) -> (i64) { let (z: i64) = add y acc in (z) }
            let (v: i64) = add acc t
            in (v, u)
        }
    in (a, ys)";

#[test]
fn sequential_streams_hand_the_accumulator_on() {
    check(PREFIX_SUMS, &[int(4), ints(&[1, 2, 3, 4])], &[int(110), ints(&[101, 103, 106, 110])]);
    check(PREFIX_SUMS, &[int(0), ints(&[])], &[int(100), ints(&[])]);
}

#[test]
fn reducing_streams_combine_in_order() {
    // The operator keeps the first and the last element, which is associative but not commutative.
    let text = "fun f(n: i64, xs: [n]i64) -> (res_r: i64, res_s: i64) =
        let (a: i64, b: i64) = stream n (xs)
            red \\(a1: i64, b1: i64, a2: i64, b2: i64) -> (i64, i64) { (a1, b2) }
            init (-1, -1) chunk
            \\(k: i64, u: i64, v: i64, c1: [k]i64) -> (i64, i64) {
                let (p: i64) = index c1[0]
                let (l: i64) = sub k 1
                let (q: i64) = index c1[l]
                in (p, q)
            }
        in (a, b)";
    check(text, &[int(5), ints(&[3, 1, 4, 1, 5])], &[int(3), int(5)]);
    check(text, &[int(0), ints(&[])], &[int(-1), int(-1)]);
}

#[test]
fn mapping_streams_join_their_chunks() {
    let text = "fun f(n: i64, g: [n][2]i64) -> (res_r: [n][2]i64) =
        let (h: [n][2]i64) = stream n (g) map init () chunk \\(k: i64, c: [k][2]i64) -> ([k][2]i64) {
            let (d: [k][2]i64) = screma k (c) map \\(row: [2]i64) -> ([2]i64) {
                let (e: [2]i64) = index row[1:2:-1] in (e) }
            in (d)
        }
        in (h)";
    let expected = matrix(3, 2, &[2, 1, 4, 3, 6, 5]);
    check(text, &[int(3), matrix(3, 2, &[1, 2, 3, 4, 5, 6])], &[expected]);
    check(text, &[int(0), matrix(0, 2, &[])], &[matrix(0, 2, &[])]);
}
