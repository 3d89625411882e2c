//! Histograms, scatters and accumulators.

use super::{check, check_loose, int, ints, matrix};
use fehu_interp::Value;

#[test]
fn hist_combines_and_ignores_what_is_out_of_bounds() {
    let text = "fun f(n: i64, *d: [3]i64, is: [n]i64, xs: [n]i64) -> (res_r: [3]i64) =
        let (h: [3]i64) = hist n (is, xs) map \\(i: i64, x: i64) -> (i64, i64) { (i, x) }
            dest [3] race 1 (d) \\(a: i64, b: i64) -> (i64) { let (c: i64) = add a b in (c) } neutral (0)
        in (h)";
    check(
        text,
        vec![int(5), ints(&[100, 0, 0]), ints(&[0, 2, 2, 3, -1]), ints(&[1, 2, 3, 4, 5])],
        vec![ints(&[101, 0, 5])],
    );
    check(text, vec![int(0), ints(&[1, 2, 3]), ints(&[]), ints(&[])], vec![ints(&[1, 2, 3])]);
}

#[test]
fn hist_in_two_dimensions_of_rows_and_of_tuples() {
    let text = "fun f(n: i64, *d: [2][2]i64, *e: [2][2]i64, *p: [2]i64, *q: [2]i64, is: [n]i64, js: [n]i64)
            -> (res_r: [2][2]i64, res_s: [2][2]i64, res_t: [2]i64, res_u: [2]i64) =
        let (a: [2][2]i64, b: [2][2]i64, x: [2]i64, y: [2]i64) = hist n (is, js)
            map \\(i: i64, j: i64) -> (i64, i64, i64, i64, i64, [2]i64, i64, i64) {
                let (row: [2]i64) = array i64 (i, j)
                in (i, j, j, i, 1, row, j, i)
            }
            dest [2, 2] race 1 (d) \\(a1: i64, b1: i64) -> (i64) { let (c1: i64) = add a1 b1 in (c1) } neutral (0)
            dest [2] race 1 (e) \\(a2: [2]i64, b2: [2]i64) -> ([2]i64) {
                let (c2: [2]i64) = screma 2 (a2, b2) map \\(v: i64, w: i64) -> (i64) { let (z: i64) = add v w in (z) }
                in (c2)
            } neutral (row0)
            dest [2] race 1 (p, q) \\(a3: i64, b3: i64, c3: i64, d3: i64) -> (i64, i64) {
                let (l: bool) = le a3 c3
                let (m: i64, k: i64) = if l then { (c3, d3) } else { (a3, b3) }
                in (m, k)
            } neutral (0, 0)
        in (a, b, x, y)";
    let text = text.replace("neutral (row0)", "neutral (zero)").replace(
        "let (a: [2][2]i64, b:",
        "let (zero: [2]i64) = replicate (2) 0\n let (a: [2][2]i64, b:",
    );
    check(
        &text,
        vec![
            int(4),
            matrix(2, 2, &[0; 4]),
            matrix(2, 2, &[0; 4]),
            ints(&[0, 0]),
            ints(&[-1, -1]),
            ints(&[0, 1, 1, 5]),
            ints(&[1, 1, 1, 0]),
        ],
        vec![
            matrix(2, 2, &[0, 1, 0, 2]),
            matrix(2, 2, &[5, 0, 2, 3]),
            ints(&[1, 1]),
            ints(&[0, 1]),
        ],
    );
}

#[test]
fn scatter_writes_in_order_and_ignores_what_is_out_of_bounds() {
    let text = "fun f(n: i64, *d: [4]i64, *e: [2][2]i64, is: [n]i64) -> (res_r: [4]i64, res_s: [2][2]i64) =
        let (a: [4]i64, b: [2][2]i64) = scatter n (is) map \\(i: i64) -> (i64, i64, i64, [2]i64) {
                let (m: i64) = mul i 10
                let (row: [2]i64) = replicate (2) i
                in (i, i, m, row)
            }
            dest [4] d
            dest [2] e
        in (a, b)";
    check(
        text,
        vec![int(4), ints(&[-1, -2, -3, -4]), matrix(2, 2, &[7; 4]), ints(&[3, 1, -1, 4])],
        vec![ints(&[-1, 10, -3, 30]), matrix(2, 2, &[7, 7, 1, 1])],
    );
    let two = "fun f(n: i64, *d: [2][2]i64, is: [n]i64, xs: [n]i64) -> (res_r: [2][2]i64) =
        let (a: [2][2]i64) = scatter n (is, xs) map \\(i: i64, x: i64) -> (i64, i64, i64) { (i, 1, x) }
            dest [2, 2] d
        in (a)";
    check(
        two,
        vec![int(3), matrix(2, 2, &[0; 4]), ints(&[0, 1, 1]), ints(&[5, 6, 7])],
        vec![matrix(2, 2, &[0, 5, 0, 7])],
    );
}

#[test]
fn accumulators_with_an_operator() {
    // The operator uses a variable from outside and the index.
    let text = "fun f(n: i64, *d: [3]i64, is: [n]i64, s: i64) -> (res_r: [3]i64, res_t: i64) =
        let (a: [3]i64, b: i64) = withacc
            acc [3] (d) op \\(i: i64, x: i64, y: i64) -> (i64) {
                let (z: i64) = mul y s
                let (w: i64) = add x z
                in (w)
            } neutral (0)
            in \\(c: unit, h: acc(c)) -> (acc(c), i64) {
                let (h2: acc(c)) = loop (h1: acc(c) = h) for k: i64 < n {
                    let (i1: i64) = index is[k]
                    let (h3: acc(c)) = update_acc h1[i1] (k)
                    in (h3)
                }
                in (h2, 42)
            }
        in (a, b)";
    check(
        text,
        vec![int(4), ints(&[100, 0, 0]), ints(&[0, 2, 2, 3]), int(10)],
        vec![ints(&[100, 0, 30]), int(42)],
    );
}

#[test]
fn accumulators_as_inputs_of_maps_and_without_an_operator() {
    let text = "fun f(n: i64, *d: [3][2]i64, is: [n]i64) -> (res_r: [3][2]i64) =
        let (a: [3][2]i64) = withacc
            acc [3] (d)
            in \\(c: unit, h: acc(c)) -> (acc(c)) {
                let (h2: acc(c)) = screma n (h, is) map \\(h1: acc(c), i: i64) -> (acc(c)) {
                    let (row: [2]i64) = replicate (2) i
                    let (h3: acc(c)) = update_acc h1[i] (row)
                    in (h3)
                }
                in (h2)
            }
        in (a)";
    let start = || matrix(3, 2, &[9; 6]);
    check(text, vec![int(3), start(), ints(&[2, 0, 7])], vec![matrix(3, 2, &[0, 0, 9, 9, 2, 2])]);
    check(text, vec![int(0), start(), ints(&[])], vec![start()]);
}

#[test]
fn nested_accumulators_of_several_arrays() {
    let text = "fun f(*d: [2]i64, *e: [2]f32, *g: [1]i64) -> (res_r: [1]i64, res_s: [2]i64, res_t: [2]f32) =
        let (x: [1]i64, y: [2]i64, z: [2]f32) = withacc
            acc [1] (g)
            in \\(c: unit, h: acc(c)) -> (acc(c), [2]i64, [2]f32) {
                let (p: [2]i64, q: [2]f32) = withacc
                    acc [2] (d, e) op \\(i: i64, a: i64, b: f32, a1: i64, b1: f32) -> (i64, f32) {
                        let (a2: i64) = add a a1
                        let (b2: f32) = mul b b1
                        in (a2, b2)
                    } neutral (0, 1.0f32)
                    in \\(c1: unit, h1: acc(c1)) -> (acc(c1)) {
                        let (h2: acc(c1)) = update_acc h1[1] (5, 2.0f32)
                        let (h3: acc(c1)) = update_acc h2[1] (6, 3.0f32)
                        in (h3)
                    }
                let (k: acc(c)) = update_acc h[0] (77)
                in (k, p, q)
            }
        in (x, y, z)";
    check_loose(
        text,
        vec![ints(&[1, 2]), Value::vector(vec![1.0f32, 0.5]), ints(&[0])],
        vec![ints(&[77]), ints(&[1, 13]), Value::vector(vec![1.0f32, 3.0])],
    );
}
