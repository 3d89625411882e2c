//! Segs, and what programs with them ask.

use super::ownership::copies;
use super::{assert_same, check, fails, int, interp, ints, matrix};
use fehu_base::id::Id;
use fehu_interp::Value;
use fehu_ir::FunId;

fn cube(sizes: [i64; 3], items: &[i64]) -> Value {
    Value::array(&sizes, items.to_vec()).expect("the sizes match")
}

#[test]
fn a_reduction_of_each_row() {
    let text = "prog segs
        fun f(n: i64, m: i64, xss: [n][m]i64) -> (res_r: [n]i64) =
        let (ss: [n]i64) = seg grid [n] (xss) \\(i: i64, xs: [m]i64) -> (i64) {
            let (k: i64) = mul i 100
            let (s: i64) = screma m (xs) map \\(x: i64) -> (i64) { let (y: i64) = add x k in (y) }
                red \\(a: i64, b: i64) -> (i64) { let (c: i64) = add a b in (c) } neutral (0)
            in (s)
        }
        in (ss)";
    check(text, vec![int(2), int(3), matrix(2, 3, &[1, 2, 3, 4, 5, 6])], vec![ints(&[6, 315])]);
    check(text, vec![int(2), int(0), matrix(2, 0, &[])], vec![ints(&[0, 0])]);
    check(text, vec![int(0), int(3), matrix(0, 3, &[])], vec![ints(&[])]);
}

#[test]
fn positions_are_in_row_major_order_and_indices_come_before_elements() {
    let text = "prog segs
        fun f(n: i64, m: i64, k: i64, xss: [n][m]i64, ysss: [m][n][k]i64) -> (res_r: [n][m][k]i64) =
        let (tsss: [n][m][k]i64) = rearrange (1, 0, 2) ysss
        let (zsss: [n][m][k]i64) = seg task [n, m] (xss, tsss)
            \\(i: i64, j: i64, x: i64, ys: [k]i64) -> ([k]i64) {
            let (a: i64) = mul i 100
            let (b: i64) = mul j 10
            let (c: i64) = add a b
            let (d: i64) = mul x 1000
            let (e: i64) = add c d
            let (zs: [k]i64) = screma k (ys) map \\(y: i64) -> (i64) {
                let (z: i64) = add y e
                in (z)
            }
            in (zs)
        }
        in (zsss)";
    let items = [1, 2, 3, 4, 5, 6];
    check(
        text,
        vec![int(2), int(3), int(1), matrix(2, 3, &items), cube([3, 2, 1], &items)],
        vec![cube([2, 3, 1], &[1001, 2013, 3025, 4102, 5114, 6126])],
    );
    check(
        text,
        vec![int(2), int(0), int(4), matrix(2, 0, &[]), cube([0, 2, 4], &[])],
        vec![cube([2, 0, 4], &[])],
    );
    check(
        text,
        vec![int(0), int(5), int(4), matrix(0, 5, &[]), cube([5, 0, 4], &[])],
        vec![cube([0, 5, 4], &[])],
    );
}

#[test]
fn without_dimensions_there_is_one_position_and_the_results_are_as_they_are() {
    let text = "prog segs
        fun f(n: i64, xs: [n]i64) -> (res_r: [n]i64, res_s: i64, res_t: [n]i64) =
        let (ss: [n]i64, s: i64, ms: [n]i64) = seg grid [] (xs) \\(ys: [n]i64) -> ([n]i64, i64, [n]i64) {
            let (ss1: [n]i64, s1: i64, ms1: [n]i64) = screma n (ys)
                map \\(y: i64) -> (i64, i64, i64) { let (z: i64) = neg y in (y, y, z) }
                scan \\(a: i64, b: i64) -> (i64) { let (c: i64) = add a b in (c) } neutral (0)
                red \\(a1: i64, b1: i64) -> (i64) { let (c1: i64) = mul a1 b1 in (c1) } neutral (1)
            in (ss1, s1, ms1)
        }
        in (ss, s, ms)";
    check(
        text,
        vec![int(3), ints(&[2, 3, 4])],
        vec![ints(&[2, 5, 9]), int(24), ints(&[-2, -3, -4])],
    );
}

#[test]
fn a_scalar_result_of_the_operator_may_be_left_out() {
    let text = "prog segs
        fun f(n: i64, xs: [n]i64) -> (res_r: [n]i64) =
        let (ms: [n]i64) = seg grid [] () \\() -> ([n]i64) {
            let (c: i64, ms1: [n]i64) = partition n (xs) 1 \\(x: i64) -> (i64, i64) {
                let (odd: i64) = and x 1
                in (odd, x)
            }
            in (ms1)
        }
        in (ms)";
    check(text, vec![int(4), ints(&[1, 2, 3, 4])], vec![ints(&[2, 4, 0, 0])]);
}

#[test]
fn an_input_is_consumed_in_place_at_the_only_position() {
    let text = "prog segs
        fun f(n: i64, is: [1]i64, k: i64) -> (res_r: [n]i64) =
        let (xs: [n]i64) = replicate (n) 0
        let (ys: [n]i64) = loop (zs: [n]i64 = xs) for i: i64 < k {
            let (us: [n]i64) = seg grid [] (zs) \\(ds: [n]i64) -> ([n]i64) {
                let (vs: [n]i64) = scatter 1 (is) map \\(j: i64) -> (i64, i64) { (j, i) } dest [n] ds
                in (vs)
            }
            in (us)
        }
        in (ys)";
    let (results, copies) = copies(text, vec![int(3), ints(&[1]), int(9)]);
    assert_same(&results, &[ints(&[0, 8, 0])]);
    assert_eq!(copies, 0);
}

#[test]
fn rows_of_an_input_are_consumed_at_each_position() {
    let text = "prog segs
        fun f(n: i64, m: i64, *xss: [n][m]i64, is: [n][1]i64) -> (res_r: [n][m]i64) =
        let (yss: [n][m]i64) = seg task [n] (xss, is) \\(i: i64, xs: [m]i64, js: [1]i64) -> ([m]i64) {
            let (ys: [m]i64) = scatter 1 (js) map \\(j: i64) -> (i64, i64) { (j, i) } dest [m] xs
            in (ys)
        }
        in (yss)";
    check(
        text,
        vec![int(2), int(2), matrix(2, 2, &[7, 7, 7, 7]), matrix(2, 1, &[1, 0])],
        vec![matrix(2, 2, &[7, 0, 1, 7])],
    );
}

#[test]
fn an_accumulator_is_one_for_all_positions() {
    let text = "prog segs
        fun f(n: i64, m: i64, *d: [3]i64, xss: [n][m]i64) -> (res_r: [3]i64, res_s: [n][m]i64) =
        let (r: [3]i64, s: [n][m]i64) = withacc
            acc [3] (d) op \\(i: i64, x: i64, y: i64) -> (i64) {
                let (w: i64) = add x y
                in (w)
            } neutral (0)
            in \\(c: unit, h: acc(c)) -> (acc(c), [n][m]i64) {
                let (h1: acc(c), t: [n][m]i64) = seg grid [n] (h, xss)
                    \\(i1: i64, h2: acc(c), xs: [m]i64) -> (acc(c), [m]i64) {
                    let (h3: acc(c), us: [m]i64) = screma m (h2, xs)
                        map \\(h4: acc(c), x1: i64) -> (acc(c), i64) {
                        let (h5: acc(c)) = update_acc h4[i1] (x1)
                        let (u: i64) = neg x1
                        in (h5, u)
                    }
                    in (h3, us)
                }
                in (h1, t)
            }
        in (r, s)";
    check(
        text,
        vec![int(2), int(2), ints(&[0, 10, 100]), matrix(2, 2, &[1, 2, 3, 4])],
        vec![ints(&[3, 17, 100]), matrix(2, 2, &[-1, -2, -3, -4])],
    );
    check(
        text,
        vec![int(0), int(2), ints(&[0, 10, 100]), matrix(0, 2, &[])],
        vec![ints(&[0, 10, 100]), matrix(0, 2, &[])],
    );
}

#[test]
fn segs_inside_of_segs() {
    let text = "prog segs
        fun f(n: i64, m: i64, xss: [n][m]i64) -> (res_r: [n][m]i64) =
        let (zss: [n][m]i64) = seg blocks [] () \\() -> ([n][m]i64) {
            let (yss: [n][m]i64) = screma n (xss) map \\(xs: [m]i64) -> ([m]i64) {
                let (ys: [m]i64) = seg block [] () \\() -> ([m]i64) {
                    let (us: [m]i64) = screma m (xs) map \\(x: i64) -> (i64) { (x) }
                        scan \\(a: i64, b: i64) -> (i64) { let (c: i64) = add a b in (c) } neutral (0)
                    in (us)
                }
                in (ys)
            }
            in (yss)
        }
        in (zss)";
    check(
        text,
        vec![int(2), int(2), matrix(2, 2, &[1, 2, 3, 4])],
        vec![matrix(2, 2, &[1, 3, 3, 7])],
    );
}

#[test]
fn copies_replicates_and_progressions() {
    let text = "prog segs
        fun f(n: i64, m: i64, xss: [n][m]i64) -> (res_r: [n][m]i64, res_s: [n][2]i64, res_t: [n][2]i64) =
        let (a: [n][m]i64) = seg task [n] (xss) \\(i: i64, xs: [m]i64) -> ([m]i64) {
            let (b: [m]i64) = copy xs
            in (b)
        }
        let (c: [n][2]i64) = seg task [n] () \\(j: i64) -> ([2]i64) {
            let (d: [2]i64) = replicate (2) j
            in (d)
        }
        let (e: [n][2]i64) = seg task [n] () \\(k: i64) -> ([2]i64) {
            let (g: [2]i64) = iota i64 2 k 10
            in (g)
        }
        in (a, c, e)";
    check(
        text,
        vec![int(2), int(1), matrix(2, 1, &[5, 6])],
        vec![matrix(2, 1, &[5, 6]), matrix(2, 2, &[0, 0, 1, 1]), matrix(2, 2, &[0, 10, 1, 11])],
    );
}

#[test]
fn a_space_of_a_negative_size() {
    let text = "prog segs
        fun f(n: i64) -> (res_r: [n][1]i64) =
        let (a: [n][1]i64) = seg task [n] () \\(i: i64) -> ([1]i64) {
            let (b: [1]i64) = replicate (1) i
            in (b)
        }
        in (a)";
    assert_eq!(fails(text, vec![int(-1)]).message, "array size -1 is negative");
}

#[test]
fn the_number_of_threads_is_an_option() {
    let mut interp = interp("prog segs fun f() -> (res_r: i64) = let (n: i64) = threads in (n)");
    for threads in [1, 8] {
        interp.options_mut().threads = threads;
        match interp.call(FunId::from_index(0), Vec::new()) {
            Ok(results) => assert_same(&results, &[int(threads)]),
            Err(error) => panic!("{error}"),
        }
    }
}
