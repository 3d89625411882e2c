//! Declarations, modules, documentation.

use super::{check, file};

#[test]
fn values() {
    check(
        file,
        &[
            ("def x = 1", "(def x 1)"),
            ("def x : t = 1", "(def x (ret t) 1)"),
            ("let f x = x", "(let f x x)"),
            ("let f = 1 let g = 2", "(let f 1)\n(let g 2)"),
            (
                "entry f [n] 'a '~b '^c (x: a) : *t = x",
                "(entry f [n] 'a '~b '^c (paren (: x a)) (ret (* t)) x)",
            ),
            ("def f[n](x) = x", "(def f [n] (paren x) x)"),
            ("def (+) 'a (x: a) y = x", "(def + 'a (paren (: x a)) y x)"),
            ("def (-) x y = x", "(def - x y x)"),
            ("def x +^ y = x", "(def infix +^ x y x)"),
            (
                "def (x: t) - (y: t) : t = x",
                "(def infix - (paren (: x t)) (paren (: y t)) (ret t) x)",
            ),
            ("def x `f` y = x", "(def infix f x y x)"),
            ("#[a] #[b] def x = 1", "(attr a) (attr b) (def x 1)"),
            ("local def x = 1", "(local (def x 1))"),
            ("local #[a] def x = 1", "(local (attr a) (def x 1))"),
            ("def f = #a\n#[b] def g = 1", "(def f (#a))\n(attr b) (def g 1)"),
        ],
    );
}

#[test]
fn type_bindings() {
    check(
        file,
        &[
            ("type t = i32", "(type t i32)"),
            ("type~ t = []i32", "(type~ t (array (size) i32))"),
            ("type^ t '^a [n] = a -> a", "(type^ t '^a [n] (-> a a))"),
        ],
    );
}

#[test]
fn modules() {
    check(
        file,
        &[
            ("import \"a/b\"", "(import \"a/b\")"),
            ("open import \"a\"", "(open (import \"a\"))"),
            ("open m.n", "(open m.n)"),
            ("module m = import \"a\"\nimport \"b\"", "(module m (import \"a\"))\n(import \"b\")"),
            ("module m = {}", "(module m (decs))"),
            ("module m = { def x = 1 type t = i32 }", "(module m (decs (def x 1) (type t i32)))"),
            ("module m : mt = n : mt", "(module m (ret mt) (: n mt))"),
            (
                "module m (P: mt) (Q: {}) = f P (g Q)",
                "(module m (param P mt) (param Q (specs)) (apply (apply f P) (paren (apply g Q))))",
            ),
            (
                "module m = \\(P: mt) : mt -> P {} : mt",
                "(module m (lambda (param P mt) (ret mt) (: (apply P (decs)) mt)))",
            ),
            ("module m = f import \"a\"", "(module m (apply f (import \"a\")))"),
        ],
    );
}

#[test]
fn module_types() {
    check(
        file,
        &[
            ("module type m = n.mt", "(module-type m n.mt)"),
            ("module type m = a -> b -> c", "(module-type m (-> a (-> b c)))"),
            (
                "module type m = (X: a) -> b with X.t = i32",
                "(module-type m (-> (X a) (with b X.t i32)))",
            ),
            (
                "module type m = a with t 'x [n] = [n]x with u = v -> w",
                "(module-type m (with (with a t 'x [n] (array (size n) x)) u (-> v w)))",
            ),
            (
                "module type m = a with t = ?[n].[n]i32",
                "(module-type m (with a t (exists [n] (array (size n) i32))))",
            ),
            (
                "module type m = { val x 'a [n] : a val (+) : t val - [n] : t type t [n] type^ u = t module n : m include (a) #[x] val y : t }",
                "(module-type m (specs (val x 'a [n] a) (val + t) (val - [n] t) (type t [n]) (type^ u t) (module n m) (include (paren a)) (attr x) (val y t)))",
            ),
        ],
    );
}

#[test]
fn documentation() {
    check(
        file,
        &[
            ("-- | A.\ndef x = 1", "(doc \"A.\") (def x 1)"),
            ("-- | A.\n--   B.\n--\n-- C.\ndef x = 1", "(doc \"A.\\n  B.\\n\\nC.\") (def x 1)"),
            ("-- | A.\n\n-- | B.\ndef x = 1", "(doc \"A.\")\n(doc \"B.\") (def x 1)"),
            ("-- | A.\n\ndef x = 1", "(doc \"A.\")\n(def x 1)"),
            ("-- | A.\n#[a]\n-- B.\ndef x = 1", "(doc \"A.\") (attr a) (def x 1)"),
            ("-- A.\ndef x = 1 -- | B.\n\n-- | C.\ndef y = 2", "(def x 1)\n(doc \"C.\") (def y 2)"),
            (
                "module type m = {\n  -- | A.\n  val x : t\n}",
                "(module-type m (specs (doc \"A.\") (val x t)))",
            ),
            ("-- | A.", "(doc \"A.\")"),
        ],
    );
}
