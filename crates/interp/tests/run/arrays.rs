//! Operations on arrays without functions.

use super::{check, check_loose, fails, fails_loose, int, ints, matrix, truth};
use fehu_interp::{ErrorKind, Value};
use fehu_ir::Scalar;

fn grid() -> Value {
    matrix(3, 4, &[0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23])
}

#[test]
fn literals() {
    check(
        "fun f(x: i64) -> (res_r: [3]i64) = let (xs: [3]i64) = array i64 (1, x, 3) in (xs)",
        vec![int(7)],
        vec![ints(&[1, 7, 3])],
    );
    check(
        "fun f(xs: [2]i64) -> (res_r: [2][2]i64) = let (y: [2][2]i64) = array i64 (xs, xs) in (y)",
        vec![ints(&[1, 2])],
        vec![matrix(2, 2, &[1, 2, 1, 2])],
    );
    check_loose(
        "fun f(n: i64) -> (res_r: [0][n]i64) = let (y: [0][n]i64) = array i64 () in (y)",
        vec![int(5)],
        vec![matrix(0, 5, &[])],
    );
}

#[test]
fn index_fixes_and_slices() {
    let index = |dims: &str, shape: &str, expected| {
        let text = format!(
            "fun f(g: [3][4]i64) -> (res_r: {shape}i64) =
            let (r: {shape}i64) = index g[{dims}] in (r)"
        );
        check(&text, vec![grid()], vec![expected]);
    };
    index("2, 1", "", int(21));
    index("1", "[4]", ints(&[10, 11, 12, 13]));
    index("1, 0:4:1", "[4]", ints(&[10, 11, 12, 13]));
    index("0:3:1, 2", "[3]", ints(&[2, 12, 22]));
    index("2:3:-1, 3:2:-2", "[3][2]", matrix(3, 2, &[23, 21, 13, 11, 3, 1]));
    index("0:2:2", "[2][4]", matrix(2, 4, &[0, 1, 2, 3, 20, 21, 22, 23]));
    index("5:0:1", "[0][4]", matrix(0, 4, &[]));
    index("2:1:0, 0:4:1", "[1][4]", matrix(1, 4, &[20, 21, 22, 23]));
}

#[test]
fn index_out_of_bounds_is_found() {
    for dims in ["3, 0", "0, -1", "2:2:1", "0:2:-1", "0:3:2"] {
        let rank = if dims.contains(':') { "[2][4]" } else { "" };
        let text = format!(
            "fun f(g: [3][4]i64) -> (res_r: {rank}i64) =
            let (r: {rank}i64) = index g[{dims}] in (r)"
        );
        assert_eq!(fails_loose(&text, vec![grid()]).kind, ErrorKind::Internal, "{dims}");
    }
}

#[test]
fn slices_of_slices_compose() {
    let text = "fun f(g: [3][4]i64) -> (res_r: i64, res_s: [2]i64) =
        let (t: [4][3]i64) = rearrange (1, 0) g
        let (u: [2][3]i64) = index t[3:2:-2]
        let (v: [2]i64) = index u[0:2:1, 1]
        let (w: i64) = index v[1]
        in (w, v)";
    check(text, vec![grid()], vec![int(11), ints(&[13, 11])]);
}

#[test]
fn updates_replace_elements_rows_and_slices() {
    check(
        "fun f(*xs: [3]i64, i: i64) -> (res_r: [3]i64) = let (ys: [3]i64) = update xs[i] = 9 in (ys)",
        vec![ints(&[1, 2, 3]), int(1)],
        vec![ints(&[1, 9, 3])],
    );
    check(
        "fun f(*g: [3][4]i64, xs: [4]i64) -> (res_r: [3][4]i64) =
            let (h: [3][4]i64) = update g[1] = xs
            let (i: [3][4]i64) = update h[2, 3] = -1 in (i)",
        vec![grid(), ints(&[5, 6, 7, 8])],
        vec![matrix(3, 4, &[0, 1, 2, 3, 5, 6, 7, 8, 20, 21, 22, -1])],
    );
    check(
        "fun f(*g: [3][4]i64, xs: [3]i64) -> (res_r: [3][4]i64) =
            let (h: [3][4]i64) = update g[2:3:-1, 2] = xs in (h)",
        vec![grid(), ints(&[5, 6, 7])],
        vec![matrix(3, 4, &[0, 1, 7, 3, 10, 11, 6, 13, 20, 21, 5, 23])],
    );
    check(
        "fun f(*xs: [3]i64, ys: [0]i64) -> (res_r: [3]i64) =
            let (zs: [3]i64) = update xs[3:0:1] = ys in (zs)",
        vec![ints(&[1, 2, 3]), ints(&[])],
        vec![ints(&[1, 2, 3])],
    );
}

#[test]
fn updates_may_take_from_the_array_itself() {
    let text = "fun f(*xs: [5]i64) -> (res_r: [5]i64) =
        let (ys: [4]i64) = index xs[0:4:1]
        let (zs: [5]i64) = update xs[1:4:1] = ys in (zs)";
    check_loose(text, vec![ints(&[1, 2, 3, 4, 5])], vec![ints(&[1, 1, 2, 3, 4])]);
}

#[test]
fn updates_do_not_show_elsewhere() {
    let text = "fun f(xs: [3]i64) -> (res_r: [3]i64, res_s: [3]i64) =
        let (c: [3]i64) = copy xs
        let (ys: [3]i64) = update c[0] = 9
        in (ys, xs)";
    let args = vec![ints(&[1, 2, 3])];
    check(text, args.clone(), vec![ints(&[9, 2, 3]), ints(&[1, 2, 3])]);
    assert!(args[0].same_bits(&ints(&[1, 2, 3])), "the caller's array is as it was");
}

#[test]
fn updates_through_views() {
    let text = "fun f(*g: [3][4]i64) -> (res_r: [4][3]i64) =
        let (t: [4][3]i64) = rearrange (1, 0) g
        let (u: [4][3]i64) = update t[3, 0] = 99 in (u)";
    check(text, vec![grid()], vec![matrix(4, 3, &[0, 10, 20, 1, 11, 21, 2, 12, 22, 99, 13, 23])]);
}

#[test]
fn flat_views() {
    let text = "fun f(xs: [9]i64) -> (res_r: [2][3]i64) =
        let (g: [2][3]i64) = flat_index xs[1; 2:3, 3:2] in (g)";
    check(text, vec![ints(&[0, 1, 2, 3, 4, 5, 6, 7, 8])], vec![matrix(2, 3, &[1, 3, 5, 4, 6, 8])]);
    let text = "fun f(*xs: [6]i64, g: [2][2]i64) -> (res_r: [6]i64) =
        let (ys: [6]i64) = flat_update xs[5; 2:-4, 2:-1] = g in (ys)";
    check(
        text,
        vec![ints(&[0, 0, 0, 0, 0, 0]), matrix(2, 2, &[1, 2, 3, 4])],
        vec![ints(&[4, 3, 0, 0, 2, 1])],
    );
    let text = "fun f(xs: [6]i64) -> (res_r: [2][2]i64) =
        let (g: [2][2]i64) = flat_index xs[1; 2:4, 2:1] in (g)";
    assert_eq!(fails(text, vec![ints(&[0; 6])]).kind, ErrorKind::Internal);
}

#[test]
fn concat_joins_rows() {
    check(
        "fun f(a: [1][2]i64, b: [2][2]i64, e: [0][2]i64) -> (res_r: [3][2]i64) =
            let (c: [3][2]i64) = concat 3 (a, e, b) in (c)",
        vec![matrix(1, 2, &[1, 2]), matrix(2, 2, &[3, 4, 5, 6]), matrix(0, 2, &[])],
        vec![matrix(3, 2, &[1, 2, 3, 4, 5, 6])],
    );
}

#[test]
fn iota_counts_in_any_integer_type() {
    check(
        "fun f(n: i64, a: i64, s: i64) -> (res_r: [n]i64) = let (xs: [n]i64) = iota i64 n a s in (xs)",
        vec![int(4), int(10), int(-3)],
        vec![ints(&[10, 7, 4, 1])],
    );
    check(
        "fun f() -> (res_r: [4]u8) = let (xs: [4]u8) = iota u8 4 254u8 1u8 in (xs)",
        vec![],
        vec![Value::vector(vec![254u8, 255, 0, 1])],
    );
    let negative = "fun f(n: i64) -> (res_r: [n]i64) = let (xs: [n]i64) = iota i64 n 0 1 in (xs)";
    assert_eq!(fails(negative, vec![int(-1)]).message, "array size -1 is negative");
}

#[test]
fn replicate_scalars_and_rows() {
    check(
        "fun f(x: bool) -> (res_r: [2][3]bool) = let (g: [2][3]bool) = replicate (2, 3) x in (g)",
        vec![truth(true)],
        vec![Value::array(&[2, 3], vec![true; 6]).expect("it fits")],
    );
    check(
        "fun f(xs: [2]i64) -> (res_r: [3][2]i64) = let (g: [3][2]i64) = replicate (3) xs in (g)",
        vec![ints(&[1, 2])],
        vec![matrix(3, 2, &[1, 2, 1, 2, 1, 2])],
    );
    check(
        "fun f(xs: [2]i64) -> (res_r: [0][2]i64) = let (g: [0][2]i64) = replicate (0) xs in (g)",
        vec![ints(&[1, 2])],
        vec![matrix(0, 2, &[])],
    );
}

#[test]
fn reshape_keeps_row_major_order_even_of_views() {
    let text = "fun f(g: [3][4]i64) -> (res_r: [2][6]i64, res_s: [2][6]i64) =
        let (a: [2][6]i64) = reshape (2, 6) g
        let (t: [4][3]i64) = rearrange (1, 0) g
        let (b: [2][6]i64) = reshape (2, 6) t
        in (a, b)";
    check(
        text,
        vec![grid()],
        vec![
            matrix(2, 6, &[0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23]),
            matrix(2, 6, &[0, 10, 20, 1, 11, 21, 2, 12, 22, 3, 13, 23]),
        ],
    );
    let wrong = "fun f(g: [3][4]i64) -> (res_r: [5]i64) = let (a: [5]i64) = reshape (5) g in (a)";
    assert_eq!(fails_loose(wrong, vec![grid()]).kind, ErrorKind::Internal);
}

#[test]
fn rearrange_permutes_dimensions() {
    let text = "fun f(a: [1][2][3]i64) -> (res_r: [3][1][2]i64) =
        let (b: [3][1][2]i64) = rearrange (2, 0, 1) a in (b)";
    check(
        text,
        vec![Value::array(&[1, 2, 3], vec![1i64, 2, 3, 4, 5, 6]).expect("it fits")],
        vec![Value::array(&[3, 1, 2], vec![1i64, 4, 2, 5, 3, 6]).expect("it fits")],
    );
}

#[test]
fn copies_and_manifestations_have_the_same_elements() {
    let text = "fun f(g: [3][4]i64) -> (res_r: [4][3]i64, res_s: [4][3]i64) =
        let (t: [4][3]i64) = rearrange (1, 0) g
        let (a: [4][3]i64) = copy t
        let (b: [4][3]i64) = manifest t
        in (a, b)";
    let expected = matrix(4, 3, &[0, 10, 20, 1, 11, 21, 2, 12, 22, 3, 13, 23]);
    check(text, vec![grid()], vec![expected.clone(), expected]);
}

#[test]
fn scratch_has_a_shape() {
    let text = "fun f(n: i64) -> (res_r: [n][2]f32) =
        let (s: [n][2]f32) = scratch [n][2]f32
        let (t: [n][2]f32) = update s[0, 0] = 1.0f32
        let (u: [n][2]f32) = update t[0, 1] = 2.0f32
        in (u)";
    let expected = Value::array(&[1, 2], vec![1.0f32, 2.0]).expect("it fits");
    check(text, vec![int(1)], vec![expected]);
}

#[test]
fn unit_arrays_have_shapes_and_no_contents() {
    let text = "fun f(n: i64) -> (res_r: [n][2]unit, res_s: unit) =
        let (a: [2]unit) = array unit ((), ())
        let (b: [n][2]unit) = replicate (n) a
        let (c: [n][2]unit) = update b[0, 1] = ()
        let (d: [2][n]unit) = rearrange (1, 0) c
        let (e: [n]unit) = index d[1]
        let (u: unit) = index e[2]
        let (g: [n][2]unit) = screma n (c) map \\(x: [2]unit) -> ([2]unit) { (x) }
        in (g, u)";
    let n = 1 << 10;
    let results = super::run(text, vec![int(n)]).expect("it runs");
    assert_eq!(results[0].as_array().map(|array| array.shape()), Some(vec![n, 2]));
    assert_eq!(results[1].as_scalar(), Some(Scalar::Unit));
}
