//! Expressions other than operators and literals.

use super::{check, exp};

#[test]
fn names_and_projections() {
    check(
        exp,
        &[
            ("x", "x"),
            ("x'", "x'"),
            ("m.n.x", "m.n.x"),
            ("x.0.1", "x.0.1"),
            ("x . y", "x.y"),
            ("(x).y.0", "(project (project (paren x) y) 0)"),
            ("x[0].y", "(project (index x 0) y)"),
            ("{a = 1}.a", "(project (record (a 1)) a)"),
            ("m.(a + b)", "(local-open m (+ a b))"),
            ("m.n.(a).b", "(project (local-open m.n a) b)"),
            ("???", "???"),
        ],
    );
}

#[test]
fn a_bracket_is_an_index_only_directly_after_its_array() {
    check(
        exp,
        &[
            ("f[x]", "(index f x)"),
            ("f [x]", "(apply f (array x))"),
            ("(f x)[y]", "(index (paren (apply f x)) y)"),
            ("(f x) [y]", "(apply (paren (apply f x)) (array y))"),
            ("x[1][2]", "(index (index x 1) 2)"),
            ("[1, 2][0]", "(index (array 1 2) 0)"),
            ("x.0[1]", "(index x.0 1)"),
            ("f 1[2]", "(apply f 1 (array 2))"),
            ("f x[1] y", "(apply f (index x 1) y)"),
            ("if a then[1]else[2]", "(if a (array 1) (array 2))"),
            ("m.(a)[1]", "(index (local-open m a) 1)"),
        ],
    );
}

#[test]
fn slices() {
    check(
        exp,
        &[
            ("a[i, j,]", "(index a i j)"),
            ("a[:]", "(index a (slice - - -))"),
            ("a[::]", "(index a (slice - - -))"),
            ("a[i:]", "(index a (slice i - -))"),
            ("a[:j]", "(index a (slice - j -))"),
            ("a[i:j]", "(index a (slice i j -))"),
            ("a[i:j:k]", "(index a (slice i j k))"),
            ("a[::-1]", "(index a (slice - - (neg 1)))"),
            ("a[i+1:, 0]", "(index a (slice (+ i 1) - -) 0)"),
        ],
    );
}

#[test]
fn brackets() {
    check(
        exp,
        &[
            ("()", "(tuple)"),
            ("(a)", "(paren a)"),
            ("(a, b)", "(tuple a b)"),
            ("(a, b,)", "(tuple a b)"),
            ("(a : t, b)", "(tuple (: a t) b)"),
            ("[]", "(array)"),
            ("[a,]", "(array a)"),
            ("{}", "(record)"),
            ("{a, b = 1, 0 = c,}", "(record a (b 1) (0 c))"),
        ],
    );
}

#[test]
fn applications() {
    check(
        exp,
        &[
            ("f x y", "(apply f x y)"),
            ("f (g x) [1] {}", "(apply f (paren (apply g x)) (array 1) (record))"),
            ("#c", "(#c)"),
            ("#a x (y) + 1", "(+ (#a x (paren y)) 1)"),
            ("#a #b c", "(#a (#b) c)"),
            ("f #a #b", "(apply f (#a) (#b))"),
            ("map \\x -> x + 1", "(apply map (lambda x (+ x 1)))"),
            ("map f \\x -> x |> g", "(apply map f (lambda x (|> x g)))"),
            ("a |> map \\x -> x", "(|> a (apply map (lambda x x)))"),
        ],
    );
}

#[test]
fn forms_that_extend_to_the_right() {
    check(
        exp,
        &[
            ("if a then b else c |> d", "(if a b (|> c d))"),
            ("a + let x = 2 in x + 3", "(+ a (let (bind x 2) (+ x 3)))"),
            ("assert x y + z", "(assert x (+ y z))"),
            ("assert (a b) f x", "(assert (paren (apply a b)) (apply f x))"),
            ("#[a] b + c : t", "(attr a (: (+ b c) t))"),
            ("a + #[b(c, 1, d(),)] e", "(+ a (attr (b c 1 (d)) e))"),
            ("\\x (y, z) : t -> x", "(lambda x (tuple y z) (ret t) x)"),
            ("\\_ -> \\x -> x", "(lambda _ (lambda x x))"),
        ],
    );
}

#[test]
fn bindings() {
    check(
        exp,
        &[
            ("let x = 1 let y = 2 in x", "(let (bind x 1) (bind y 2) x)"),
            ("let x = 1 in let y = 2 in x", "(let (bind x 1) (bind y 2) x)"),
            ("let x : t -> u = 1 in x", "(let (bind (: x (-> t u)) 1) x)"),
            ("let (x, _) = p in x", "(let (bind (tuple x _) p) x)"),
            ("let [n] (x: [n]t) = p in n", "(let (bind [n] (paren (: x (array (size n) t))) p) n)"),
            ("let f x = 1 in f", "(let (fun f x 1) f)"),
            (
                "let f 'a [n] (x: a) : a = x in f",
                "(let (fun f 'a [n] (paren (: x a)) (ret a) x) f)",
            ),
            ("let f [n] x = 1 in f", "(let (fun f [n] x 1) f)"),
            ("let x[i] = 1 in x", "(let (update x (path (at i)) 1) x)"),
            ("let x.f = 1 in x", "(let (update x (path .f) 1) x)"),
            ("let x.f[i].g = 1 in x", "(let (update x (path .f (at i) .g) 1) x)"),
            ("let x[i].f = 1 in x", "(let (update x (path (at i) .f) 1) x)"),
            ("let (+) = f in 1 + 2", "(let (bind + f) (+ 1 2))"),
            ("let #[a] x = 1 in x", "(let (bind (attr a x) 1) x)"),
            ("let _ = 1 in x", "(let (bind _ 1) x)"),
            ("let f -1 = 1 in x", "(let (fun f (neg 1) 1) x)"),
        ],
    );
}

#[test]
fn loops() {
    check(
        exp,
        &[
            ("loop x = 1 for i < n do x", "(loop x (= 1) (for i n) x)"),
            ("loop x for i < n do x", "(loop x (for i n) x)"),
            ("loop (x, y) = p for z in zs do x", "(loop (tuple x y) (= p) (for-in z zs) x)"),
            ("loop x = 1 for (a, b) in zs do x", "(loop x (= 1) (for-in (tuple a b) zs) x)"),
            ("loop x = 1 while x < 2 do x + 1", "(loop x (= 1) (while (< x 2)) (+ x 1))"),
            ("loop x : t = 1 while a do x", "(loop (: x t) (= 1) (while a) x)"),
            (
                "loop [n] (x: [n]t) = y while a do x",
                "(loop [n] (paren (: x (array (size n) t))) (= y) (while a) x)",
            ),
        ],
    );
}

#[test]
fn matches() {
    check(
        exp,
        &[
            ("match x case 1 -> a case _ -> b", "(match x (case 1 a) (case _ b))"),
            ("match x case #a y #b -> y", "(match x (case (#a y (#b)) y))"),
            ("match x case y : t -> y", "(match x (case (: y t) y))"),
            (
                "match x case 1 -> match y case 2 -> a case 3 -> b",
                "(match x (case 1 (match y (case 2 a) (case 3 b))))",
            ),
        ],
    );
}

#[test]
fn comments_and_layout_do_not_matter() {
    check(exp, &[("a -- über\n  +\tb --\r\n", "(+ a b)"), ("a--b", "a"), ("\u{feff}a", "a")]);
}
