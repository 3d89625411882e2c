//! Type expressions.

use super::{check, ty};

#[test]
fn types() {
    check(
        ty,
        &[
            ("m.t", "m.t"),
            ("()", "(tuple)"),
            ("(a)", "(paren a)"),
            ("(a, b,)", "(tuple a b)"),
            ("{}", "(record)"),
            ("{a: t, 0: u -> v,}", "(record (a t) (0 (-> u v)))"),
            ("[]t", "(array (size) t)"),
            ("[n][m+1]t", "(array (size n) (array (size (+ m 1)) t))"),
            ("*[]t", "(* (array (size) t))"),
            ("[n]*t", "(array (size n) (* t))"),
            ("t [n] a", "(type-apply t (size n) a)"),
            ("t [n]a []", "(type-apply t (size n) a (size))"),
            ("m.t (a, b) {c: d}", "(type-apply m.t (tuple a b) (record (c d)))"),
            ("[n]t a", "(array (size n) (type-apply t a))"),
            ("a -> b -> c", "(-> a (-> b c))"),
            ("(a -> b) -> c", "(-> (paren (-> a b)) c)"),
            ("(x: a) -> [x]b", "(-> (x a) (array (size x) b))"),
            ("(_: a) -> b", "(-> a b)"),
            ("*a -> *[]b", "(-> (* a) (* (array (size) b)))"),
            ("?[n].[n]t", "(exists [n] (array (size n) t))"),
            (
                "a -> ?[n][m].([n]t, [m]t)",
                "(-> a (exists [n] [m] (tuple (array (size n) t) (array (size m) t))))",
            ),
            ("#a", "(sum (#a))"),
            ("#a t (u -> v) | #b", "(sum (#a t (paren (-> u v))) (#b))"),
            ("#a [n]t u | #b {}", "(sum (#a (array (size n) t) u) (#b (record)))"),
            ("[n](#a | #b)", "(array (size n) (paren (sum (#a) (#b))))"),
        ],
    );
}
