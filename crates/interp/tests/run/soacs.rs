//! Map, scan, reduce and partition.

use super::{check, fails, int, ints, matrix};
use fehu_interp::{ErrorKind, Value};

#[test]
fn map_over_scalars() {
    let text = "fun f(n: i64, xs: [n]i64, ys: [n]i64) -> (res_r: [n]i64, res_s: [n]bool) =
        let (zs: [n]i64, bs: [n]bool) = screma n (xs, ys) map \\(x: i64, y: i64) -> (i64, bool) {
            let (z: i64) = mul x y
            let (b: bool) = lt x y
            in (z, b)
        }
        in (zs, bs)";
    check(
        text,
        vec![int(3), ints(&[1, 2, 3]), ints(&[3, 2, 1])],
        vec![ints(&[3, 4, 3]), Value::vector(vec![true, false, false])],
    );
    check(
        text,
        vec![int(0), ints(&[]), ints(&[])],
        vec![ints(&[]), Value::vector(Vec::<bool>::new())],
    );
}

#[test]
fn map_over_rows_yields_rows() {
    let text = "fun f(n: i64, m: i64, g: [n][m]i64) -> (res_r: [n][2]i64, res_s: [n][m]i64) =
        let (a: [n][2]i64, b: [n][m]i64) = screma n (g) map \\(row: [m]i64) -> ([2]i64, [m]i64) {
            let (x: i64) = index row[0]
            let (p: [2]i64) = array i64 (x, 7)
            let (l: i64) = sub m 1
            let (q: [m]i64) = index row[l:m:-1]
            in (p, q)
        }
        in (a, b)";
    check(
        text,
        vec![int(2), int(3), matrix(2, 3, &[1, 2, 3, 4, 5, 6])],
        vec![matrix(2, 2, &[1, 7, 4, 7]), matrix(2, 3, &[3, 2, 1, 6, 5, 4])],
    );
    check(
        text,
        vec![int(0), int(3), matrix(0, 3, &[])],
        vec![matrix(0, 2, &[]), matrix(0, 3, &[])],
    );
}

#[test]
fn map_without_inputs() {
    let text = "fun f(n: i64, x: i64) -> (res_r: [n]i64) =
        let (a: [n]i64) = screma n () map \\() -> (i64) { (x) } in (a)";
    check(text, vec![int(3), int(5)], vec![ints(&[5, 5, 5])]);
    assert_eq!(fails(text, vec![int(-1), int(5)]).message, "array size -1 is negative");
}

#[test]
fn reduce_starts_with_the_neutral_element() {
    let text = "fun f(n: i64, xs: [n]i64) -> (res_r: i64) =
        let (s: i64) = screma n (xs) map \\(x: i64) -> (i64) { (x) }
            red comm \\(a: i64, b: i64) -> (i64) { let (c: i64) = add a b in (c) } neutral (0)
        in (s)";
    check(text, vec![int(4), ints(&[1, 2, 3, 4])], vec![int(10)]);
    check(text, vec![int(0), ints(&[])], vec![int(0)]);
}

#[test]
fn reduce_keeps_the_order_of_operands() {
    let text = "fun f(n: i64, xs: [n]i64) -> (res_r: i64, res_s: i64) =
        let (a: i64, b: i64) = screma n (xs) map \\(x: i64) -> (i64, i64) { (x, x) }
            red \\(p: i64, q: i64) -> (i64) { let (c: i64) = sub p q in (c) } neutral (0)
            red \\(a1: i64, b1: i64) -> (i64) { let (c1: i64) = sub b1 a1 in (c1) } neutral (0)
        in (a, b)";
    check(text, vec![int(3), ints(&[1, 2, 4])], vec![int(-7), int(3)]);
}

#[test]
fn reduce_of_tuples() {
    // The largest element and its index.
    let text = "fun f(n: i64, xs: [n]i64) -> (res_r: i64, res_s: i64) =
        let (is: [n]i64) = iota i64 n 0 1
        let (a: i64, b: i64) = screma n (xs, is) map \\(x: i64, i: i64) -> (i64, i64) { (x, i) }
            red \\(p: i64, h: i64, q: i64, j: i64) -> (i64, i64) {
                let (c: bool) = lt p q
                let (m: i64, k: i64) = if c then { (q, j) } else { (p, h) }
                in (m, k)
            } neutral (-1, -1)
        in (a, b)";
    check(text, vec![int(4), ints(&[3, 9, 4, 9])], vec![int(9), int(1)]);
    check(text, vec![int(0), ints(&[])], vec![int(-1), int(-1)]);
}

#[test]
fn scan_is_inclusive() {
    let text = "fun f(n: i64, xs: [n]i64) -> (res_r: [n]i64) =
        let (s: [n]i64) = screma n (xs) map \\(x: i64) -> (i64) { (x) }
            scan \\(a: i64, b: i64) -> (i64) { let (c: i64) = add a b in (c) } neutral (0)
        in (s)";
    check(text, vec![int(4), ints(&[1, 2, 3, 4])], vec![ints(&[1, 3, 6, 10])]);
    check(text, vec![int(0), ints(&[])], vec![ints(&[])]);
}

#[test]
fn scan_reduce_and_map_at_once() {
    let text =
        "fun f(n: i64, xs: [n]i64) -> (res_r: [n]i64, res_s: [n]i64, res_t: i64, res_u: [n]i64) =
        let (a: [n]i64, b: [n]i64, c: i64, d: [n]i64) = screma n (xs)
            map \\(x: i64) -> (i64, i64, i64, i64) {
                let (y: i64) = mul x x
                in (x, y, y, 5)
            }
            scan \\(a1: i64, b1: i64) -> (i64) { let (c1: i64) = add a1 b1 in (c1) } neutral (0)
            scan \\(a2: i64, b2: i64) -> (i64) { let (c2: i64) = max a2 b2 in (c2) } neutral (0)
            red \\(a3: i64, b3: i64) -> (i64) { let (c3: i64) = add a3 b3 in (c3) } neutral (100)
        in (a, b, c, d)";
    check(
        text,
        vec![int(3), ints(&[3, 1, 2])],
        vec![ints(&[3, 4, 6]), ints(&[9, 9, 9]), int(114), ints(&[5, 5, 5])],
    );
}

#[test]
fn scan_and_reduce_of_rows() {
    let text = "fun f(n: i64, m: i64, g: [n][m]i64) -> (res_r: [n][m]i64, res_s: [m]i64) =
        let (z: [m]i64) = replicate (m) 0
        let (a: [n][m]i64, b: [m]i64) = screma n (g) map \\(x: [m]i64) -> ([m]i64, [m]i64) { (x, x) }
            scan \\(a1: [m]i64, b1: [m]i64) -> ([m]i64) {
                let (c1: [m]i64) = screma m (a1, b1) map \\(x1: i64, y1: i64) -> (i64) {
                    let (z1: i64) = add x1 y1 in (z1) }
                in (c1)
            } neutral (z)
            red \\(a2: [m]i64, b2: [m]i64) -> ([m]i64) {
                let (c2: [m]i64) = screma m (a2, b2) map \\(x2: i64, y2: i64) -> (i64) {
                    let (z2: i64) = max x2 y2 in (z2) }
                in (c2)
            } neutral (z)
        in (a, b)";
    check(
        text,
        vec![int(3), int(2), matrix(3, 2, &[1, 2, 3, 4, 5, 1])],
        vec![matrix(3, 2, &[1, 2, 4, 6, 9, 7]), ints(&[5, 4])],
    );
    check(text, vec![int(0), int(2), matrix(0, 2, &[])], vec![matrix(0, 2, &[]), ints(&[0, 0])]);
}

#[test]
fn inputs_of_another_width_are_refused() {
    let text = "fun f(n: i64, xs: [n]i64) -> (res_r: [n]i64) =
        let (a: [n]i64) = screma n (xs) map \\(x: i64) -> (i64) { (x) } in (a)";
    assert_eq!(fails(text, vec![int(3), ints(&[1])]).kind, ErrorKind::Internal);
}

#[test]
fn partition_is_stable() {
    let text = "fun f(n: i64, xs: [n]i64, g: [n][1]i64) -> (res_a: i64, res_b: i64, res_r: [n]i64, res_s: [n][1]i64) =
        let (a: i64, b: i64, ys: [n]i64, h: [n][1]i64) = partition n (xs, g) 2 \\(x: i64, row: [1]i64) -> (i64, i64, [1]i64) {
            let (c: i64) = mod x 3 in (c, x, row)
        }
        in (a, b, ys, h)";
    let xs: Vec<i64> = (0..6).collect();
    check(
        text,
        vec![int(6), ints(&xs), matrix(6, 1, &xs)],
        vec![int(2), int(2), ints(&[0, 3, 1, 4, 0, 0]), matrix(6, 1, &[0, 3, 1, 4, 0, 0])],
    );
    check(
        text,
        vec![int(0), ints(&[]), matrix(0, 1, &[])],
        vec![int(0), int(0), ints(&[]), matrix(0, 1, &[])],
    );
}
