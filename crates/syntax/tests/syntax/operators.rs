//! Precedence and associativity.

use super::{check, exp};

/// One operator of every level, from loose to tight, with its associativity.
const LEVELS: [(&[&str], bool); 11] = [
    (&["`f`"], true),
    (&["|>"], true),
    (&["<|"], false),
    (&["||"], true),
    (&["&&"], true),
    (&["<=", ">=", ">", "<", "==", "!="], true),
    (&["&", "^", "|"], true),
    (&["<<", ">>"], true),
    (&["+", "-"], true),
    (&["*", "/", "%", "//", "%%"], true),
    (&["**"], true),
];

fn shown(op: &str) -> String {
    if op.starts_with('`') { format!("{}`", op.trim_matches('`')) } else { op.to_owned() }
}

#[test]
fn every_pair_of_operators_nests_by_the_table() {
    for (i, (loose, left)) in LEVELS.iter().enumerate() {
        for (j, (tight, _)) in LEVELS.iter().enumerate() {
            for a in *loose {
                for b in *tight {
                    let (x, y) = (shown(a), shown(b));
                    let expected = if i > j || (i == j && *left) {
                        format!("({y} ({x} p q) r)")
                    } else {
                        format!("({x} p ({y} q r))")
                    };
                    assert_eq!(exp(&format!("p {a} q {b} r")), expected);
                }
            }
        }
    }
}

#[test]
fn user_operators_bind_like_their_longest_built_in_prefix() {
    check(
        exp,
        &[
            ("a +^ b *^ c", "(+^ a (*^ b c))"),
            ("a <<= b + c", "(<<= a (+ b c))"),
            ("a < b <<= c", "(< a (<<= b c))"),
            ("a >>> b > c", "(> (>>> a b) c)"),
            ("a **. b * c", "(* (**. a b) c)"),
            ("a != b", "(!= a b)"),
            ("a !! b + c", "(!! a (+ b c))"),
            ("a =.= b + c", "(=.= a (+ b c))"),
            ("a <|> b <|> c", "(<|> a (<|> b c))"),
            ("a |>> b |>> c", "(|>> (|>> a b) c)"),
            ("a >-> b >-> c", "(>-> (>-> a b) c)"),
            ("a ||. b && c", "(||. a (&& b c))"),
            ("a m.+ b m.n.* c", "(m.+ a (m.n.* b c))"),
            ("a `m.f` b", "(m.f` a b)"),
        ],
    );
}

#[test]
fn prefix_operators_bind_tighter_than_infix_ones() {
    check(
        exp,
        &[
            ("-x", "(neg x)"),
            ("- x", "(neg x)"),
            ("- -x", "(neg (neg x))"),
            ("-x ** y", "(** (neg x) y)"),
            ("-x * y", "(* (neg x) y)"),
            ("-f x", "(neg (apply f x))"),
            ("-x.y[1]", "(neg (index x.y 1))"),
            ("f -x", "(- f x)"),
            ("a - -b", "(- a (neg b))"),
            ("!x && y", "(&& (not x) y)"),
            ("!f x == y", "(== (not (apply f x)) y)"),
            ("-if a then b else c + d", "(neg (if a b (+ c d)))"),
        ],
    );
}

#[test]
fn ascriptions_are_looser_than_all_operators() {
    check(
        exp,
        &[
            ("a + b : i32", "(: (+ a b) i32)"),
            ("a : i32 : i64", "(: (: a i32) i64)"),
            ("a |> b :> [n]t", "(:> (|> a b) (array (size n) t))"),
            ("0..<n : []i64", "(: (..< 0 n) (array (size) i64))"),
            ("a + if b then c else d : t", "(+ a (if b c (: d t)))"),
        ],
    );
}

#[test]
fn ranges() {
    check(
        exp,
        &[
            ("0...n", "(... 0 n)"),
            ("0..<n", "(..< 0 n)"),
            ("n..>0", "(..> n 0)"),
            ("0..1...n", "(... 0 1 n)"),
            ("0..2..<n+1", "(..< 0 2 (+ n 1))"),
            ("n..n-1..>0", "(..> n (- n 1) 0)"),
            ("a |> b...c", "(... (|> a b) c)"),
            ("a `f` 0..<n", "(..< (f` a 0) n)"),
            ("a...b...c", "(... a (... b c))"),
            ("x.f..<y.g", "(..< x.f y.g)"),
        ],
    );
}

#[test]
fn updates() {
    check(
        exp,
        &[
            ("x with [i] = e", "(with x (path (at i)) e)"),
            ("x with f = e", "(with x (path .f) e)"),
            ("x with f.g[i].0 = e", "(with x (path .f .g (at i) .0) e)"),
            ("x with [i].f = e", "(with x (path (at i) .f) e)"),
            ("x with 0[i] = e", "(with x (path .0 (at i)) e)"),
            ("x with [i:j, k] = e", "(with x (path (at (slice i j -) k)) e)"),
            ("a + x with f = 1 + 2", "(with (+ a x) (path .f) (+ 1 2))"),
            ("f x with f = 1", "(with (apply f x) (path .f) 1)"),
            ("x with f = 1 with g = 2", "(with (with x (path .f) 1) (path .g) 2)"),
            ("x with f = 1 |> f", "(with x (path .f) (|> 1 f))"),
            ("x with f = if a then b else c", "(with x (path .f) (if a b c))"),
        ],
    );
}

#[test]
fn sections() {
    check(
        exp,
        &[
            ("(+)", "(section +)"),
            ("(-)", "(section -)"),
            ("(m.+)", "(section m.+)"),
            ("(`f`)", "(section f`)"),
            ("(+ 1)", "(section-right + 1)"),
            ("(* a + b)", "(section-right * (+ a b))"),
            ("(`m.f` 1)", "(section-right m.f` 1)"),
            ("(1 +)", "(section-left 1 +)"),
            ("(x -)", "(section-left x -)"),
            ("(a * b +)", "(section-left (* a b) +)"),
            ("(x `f`)", "(section-left x f`)"),
            ("(-x)", "(paren (neg x))"),
            ("(- x)", "(paren (neg x))"),
            ("(-x + y)", "(paren (+ (neg x) y))"),
            ("(&&)", "(section &&)"),
            ("(.f)", "(section-access (path .f))"),
            ("(.0.f)", "(section-access (path .0 .f))"),
            ("(.[i, j])", "(section-access (path (at i j)))"),
            ("(.f[i].g)", "(section-access (path .f (at i) .g))"),
        ],
    );
}
