//! Patterns.

use super::{check, exp};

fn pattern(text: &str) -> String {
    let dump = exp(&format!("match x case {text} -> y"));
    dump["(match x (case ".len()..dump.len() - " y))".len()].to_owned()
}

#[test]
fn patterns() {
    check(
        pattern,
        &[
            ("x", "x"),
            ("_", "_"),
            ("_x", "_x"),
            ("()", "(tuple)"),
            ("(x)", "(paren x)"),
            ("(x, y,)", "(tuple x y)"),
            ("{}", "(record)"),
            ("{a, b = c, 0 = _,}", "(record a (b c) (0 _))"),
            ("{a: t}", "(record (a (: a t)))"),
            ("(x: t -> u)", "(paren (: x (-> t u)))"),
            ("#c", "(#c)"),
            ("#c x (#d y)", "(#c x (paren (#d y)))"),
            ("(#c x : t)", "(paren (: (#c x) t))"),
            ("1i8", "1i8"),
            ("-1", "(neg 1)"),
            ("-1.5", "(neg 1.5)"),
            ("'a'", "'a'"),
            ("true", "true"),
            ("(+)", "+"),
            ("#[a] x", "(attr a x)"),
            ("(#[a] #[b] x: t, y)", "(tuple (attr a (attr b (: x t))) y)"),
        ],
    );
}
