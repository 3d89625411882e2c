//! Updates in place: programs that write to arrays they own copy nothing.

use super::{assert_same, int, interp, ints, matrix, unverified};
use fehu_base::id::Id;
use fehu_interp::{Interp, Value};
use fehu_ir::FunId;

/// Runs a program; its results and the number of copies it made.
#[track_caller]
pub(crate) fn copies(text: &str, args: Vec<Value>) -> (Vec<Value>, u64) {
    copies_of(interp(text), args)
}

#[track_caller]
fn copies_of(mut interp: Interp, args: Vec<Value>) -> (Vec<Value>, u64) {
    match interp.call(FunId::from_index(0), args) {
        Ok(results) => (results, interp.stats().copies.count),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_loop_of_updates_is_linear() {
    let text = "fun f(n: i64) -> (res_r: i64) =
        let (xs: [n]i64) = replicate (n) 0
        let (ys: [n]i64) = loop (zs: [n]i64 = xs) for i: i64 < n {
            let (a: i64) = index zs[i]
            let (b: i64) = add a i
            let (us: [n]i64) = update zs[i] = b
            in (us)
        }
        let (l: i64) = sub n 1
        let (e: i64) = index ys[l]
        in (e)";
    let (results, copies) = copies(text, vec![int(100_000)]);
    assert_same(&results, &[int(99_999)]);
    assert_eq!(copies, 0);
}

#[test]
fn an_array_that_is_used_later_is_copied_once() {
    let text = "fun f(n: i64) -> (res_r: i64, res_s: i64) =
        let (xs: [n]i64) = replicate (n) 0
        let (c: [n]i64) = copy xs
        let (ys: [n]i64) = loop (zs: [n]i64 = c) for i: i64 < n {
            let (us: [n]i64) = update zs[i] = i
            in (us)
        }
        let (d: [n]i64) = loop (zs1: [n]i64 = xs) for i1: i64 < n {
            let (us1: [n]i64) = update zs1[i1] = i1
            in (us1)
        }
        let (e: i64) = index ys[3]
        let (g: i64) = index d[4]
        in (e, g)";
    let (results, copies) = copies(text, vec![int(1000)]);
    assert_same(&results, &[int(3), int(4)]);
    assert_eq!(copies, 0);
}

#[test]
fn without_a_copy_it_is_still_right() {
    // No verified program does this; the interpreter copies.
    let text = "fun f(xs: [2]i64) -> (res_r: [2]i64, res_s: [2]i64) =
        let (ys: [2]i64) = update xs[0] = 9
        in (xs, ys)";
    let (results, copies) = copies_of(unverified(text), vec![ints(&[1, 2])]);
    assert_same(&results, &[ints(&[1, 2]), ints(&[9, 2])]);
    assert_eq!(copies, 1);
}

#[test]
fn calls_hand_arrays_over() {
    let text = "fun f(n: i64) -> (res_r: [3]i64) =
        let (xs: [3]i64) = array i64 (1, 2, 3)
        let (ys: [3]i64) = loop (zs: [3]i64 = xs) for i: i64 < n {
            let (us: [3]i64) = call g(zs, i)
            in (us)
        }
        in (ys)
      fun g(*xs: [3]i64, i: i64) -> (res_r: [3]i64) =
        let (ys: [3]i64) = update xs[1] = i in (ys)";
    let (results, copies) = copies(text, vec![int(100)]);
    assert_same(&results, &[ints(&[1, 99, 3])]);
    assert_eq!(copies, 0);
}

#[test]
fn branches_give_up_what_only_the_other_uses() {
    let text = "fun f(n: i64, m: i64) -> (res_r: [n][m]i64) =
        let (xs: [n][m]i64) = replicate (n, m) 0
        let (ys: [n][m]i64) = loop (zs: [n][m]i64 = xs) for i: i64 < n {
            let (row: [m]i64) = index zs[i]
            let (c: bool) = lt i 1
            let (us: [n][m]i64) = if c then {
                let (v: i64) = index row[0]
                let (w: i64) = add v 5
                let (a: [n][m]i64) = update zs[i, 0] = w
                in (a)
            } else {
                let (b: [n][m]i64) = update zs[i, 1] = i
                in (b)
            }
            in (us)
        }
        in (ys)";
    let (results, copies) = copies(text, vec![int(3), int(2)]);
    assert_same(&results, &[matrix(3, 2, &[5, 0, 0, 1, 0, 2])]);
    assert_eq!(copies, 0);
}

#[test]
fn views_used_by_an_operator_are_given_up_after_it() {
    let text = "fun f(n: i64, m: i64) -> (res_r: [n][m]i64) =
        let (xs: [n][m]i64) = replicate (n, m) 1
        let (ys: [n][m]i64) = loop (zs: [n][m]i64 = xs) for i: i64 < n {
            let (row: [m]i64) = index zs[i]
            let (is: [m]i64) = iota i64 m 0 1
            let (new: [m]i64) = screma m (is) map \\(k: i64) -> (i64) {
                let (v: i64) = index row[k]
                let (w: i64) = add v k
                in (w)
            }
            let (us: [n][m]i64) = update zs[i] = new
            in (us)
        }
        in (ys)";
    let (results, copies) = copies(text, vec![int(2), int(3)]);
    assert_same(&results, &[matrix(2, 3, &[1, 2, 3, 1, 2, 3])]);
    assert_eq!(copies, 0);
}

#[test]
fn moving_within_an_array_copies_only_the_part() {
    let text = "fun f(n: i64) -> (res_r: i64) =
        let (xs: [n]i64) = iota i64 n 0 1
        let (l: i64) = sub n 1
        let (ys: [n]i64) = loop (zs: [n]i64 = xs) for i: i64 < l {
            let (j: i64) = add i 1
            let (part: [1]i64) = index zs[j:1:1]
            let (us: [n]i64) = update zs[i:1:1] = part
            in (us)
        }
        let (e: i64) = index ys[0]
        in (e)";
    let (results, copies) = copies_of(unverified(text), vec![int(1000)]);
    assert_same(&results, &[int(1)]);
    assert_eq!(copies, 0);
}

#[test]
fn inner_loops_in_maps_own_what_they_make() {
    let text = "fun f(n: i64, m: i64) -> (res_r: [n][m]i64) =
        let (g: [n][m]i64) = screma n () map \\() -> ([m]i64) {
            let (xs: [m]i64) = replicate (m) 0
            let (ys: [m]i64) = loop (zs: [m]i64 = xs) for i: i64 < m {
                let (us: [m]i64) = update zs[i] = i
                in (us)
            }
            in (ys)
        }
        in (g)";
    let (results, copies) = copies(text, vec![int(2), int(3)]);
    assert_same(&results, &[matrix(2, 3, &[0, 1, 2, 0, 1, 2])]);
    assert_eq!(copies, 0);
}

#[test]
fn a_variable_from_outside_survives_every_round() {
    let text = "fun f(n: i64, *xs: [2]i64) -> (res_r: [n][2]i64) =
        let (g: [n][2]i64) = screma n () map \\() -> ([2]i64) {
            let (ys: [2]i64) = update xs[0] = 7
            in (ys)
        }
        in (g)";
    let (results, copies) = copies_of(unverified(text), vec![int(2), ints(&[1, 2])]);
    assert_same(&results, &[matrix(2, 2, &[7, 2, 7, 2])]);
    assert_eq!(copies, 2);
}

#[test]
fn accumulators_histograms_and_scatters_write_in_place() {
    let text = "fun f(n: i64) -> (res_r: i64) =
        let (is: [n]i64) = iota i64 n 0 1
        let (d: [n]i64) = replicate (n) 1
        let (e: [n]i64) = loop (d1: [n]i64 = d) for k: i64 < 10 {
            let (a: [n]i64) = hist n (is) map \\(i: i64) -> (i64, i64) { (i, i) }
                dest [n] race 1 (d1) \\(x: i64, y: i64) -> (i64) { let (z: i64) = add x y in (z) } neutral (0)
            let (b: [n]i64) = scatter n (is) map \\(i1: i64) -> (i64, i64) { (i1, k) } dest [n] a
            let (c: [n]i64) = withacc acc [n] (b)
                in \\(c1: unit, h: acc(c1)) -> (acc(c1)) {
                    let (h1: acc(c1)) = update_acc h[k] (100) in (h1) }
            in (c)
        }
        let (v: i64) = index e[9]
        in (v)";
    let (results, copies) = copies(text, vec![int(50)]);
    assert_same(&results, &[int(100)]);
    assert_eq!(copies, 0);
}
