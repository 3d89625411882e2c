//! What is refused, how it is worded, and that one mistake gives one error.

use super::{FILE, errors_of, messages};
use fehu_syntax::{dump, parse};

fn check(cases: &[(&str, &[&str])]) {
    for (text, expected) in cases {
        assert_eq!(errors_of(text), *expected, "{text}");
    }
}

fn check_message(text: &str, expected: &str) {
    let (_, errors) = parse(FILE, text);
    assert_eq!(messages(&errors), [expected], "{text}");
}

#[test]
fn messages_say_what_was_found_and_expected() {
    check_message(
        "type foo = #foo | bar",
        "Unexpected token: 'bar', expected a constructor such as `#c`",
    );
    check_message("def f = let x = 1", "This `let` has no `in`");
    check_message("def f = if a then b", "This `if` has no `else`");
    check_message("def f x", "Unexpected end of file, expected `=`, `:` or a parameter");
    check_message("def x ! y = x", "`!` is a prefix operator and cannot be used as infix operator");
    check_message("def f = f !x", "`!` is a prefix operator and cannot be used as infix operator");
    check_message("def (&&) x y = x", "`&&` may not be redefined");
    check_message("def x || y = x", "`||` may not be redefined");
    check_message(
        "def f _x = _x",
        "Use of \"_x\": names that start with an underscore cannot be used",
    );
}

#[test]
fn one_mistake_gives_one_error() {
    check(&[
        ("def f = (1 +", &[": unexpected-end-of-file"]),
        ("def f = (1 + * 2) + [3, (4]", &["*: unexpected-token"]),
        ("def f = [3, (4]", &["(: unclosed-bracket"]),
        ("def f = f(x) { return x; }", &["{: foreign-syntax"]),
        ("def f = (1, 2,, 3, 4)", &[",: unexpected-token"]),
        ("def f = let x = in x", &["in: unexpected-token"]),
        ("def f = let x 1 in x", &["in: unexpected-token"]),
        ("def f = if then 1 else 2", &["then: unexpected-token"]),
        ("def f = match x case -> 1 case 2 -> 3", &["->: unexpected-token"]),
        ("def f = match x", &[": unexpected-end-of-file"]),
        ("def f = loop x = 1 do x", &["do: unexpected-token"]),
        ("def f = \\ -> 1", &["->: unexpected-token"]),
        ("def f = x[]", &["]: unexpected-token"]),
        ("def f = x with = 1", &["=: unexpected-token"]),
        ("def f = {a = , b}", &[",: unexpected-token"]),
        ("def f = (a,)", &["): unexpected-token"]),
        ("def f (x = 1", &["(: unclosed-bracket"]),
        ("def f = (a + b *)", &["): unexpected-token"]),
        ("def = 1", &["=: unexpected-token"]),
        ("def f = 1 ) + 2", &["): unexpected-token"]),
        ("type = i32", &["=: unexpected-token"]),
        ("type t = ->", &["->: unexpected-token"]),
        ("type t = (x: a)", &[": unexpected-end-of-file"]),
        ("module m = { def x = 1", &["{: unclosed-bracket"]),
        ("module type m = { val x y : t }", &["y: unexpected-token"]),
        ("module type m = { foo val x : t }", &["foo: unexpected-token"]),
        ("import foo", &["foo: foreign-syntax"]),
        ("local 1", &["1: unexpected-token"]),
        ("#[a(b] def f = 1", &["(: unclosed-bracket"]),
        ("1", &["1: unexpected-token"]),
        ("def f = _", &["_: underscore-use"]),
        ("def f = a..b", &["..: range-without-end"]),
        ("def (a, b) = 1", &["(a, b): pattern-at-top-level"]),
        ("def (=) x y = 1", &["=: reserved-operator"]),
    ]);
}

#[test]
fn lexical_errors() {
    check(&[
        ("def f = a @ b", &["@: unexpected-character"]),
        ("def f = a @@ $$ b", &["@@: unexpected-character"]),
        ("def é = 1", &["é: unexpected-character"]),
        ("def f = \0", &["\0: unexpected-character"]),
        ("def f = a\u{a0}b", &["\u{a0}: unexpected-character"]),
        ("def f = # a", &["#: unexpected-character"]),
        ("def f = \"a\ndef g = 1", &["\"a: unterminated-string"]),
        ("def f = '\\x", &["'\\x: unterminated-character"]),
        ("def f = 1x", &["1x: invalid-literal"]),
        ("def f = 0x", &["0x: invalid-literal"]),
        ("def f = 0b12", &["0b12: invalid-literal"]),
        ("def f = 0r", &["0r: invalid-literal"]),
        ("def f = 0x1p3", &["0x1p3: invalid-literal"]),
        ("def f = 1.5i32", &["1.5i32: invalid-literal"]),
        ("def f = 1bool", &["1bool: invalid-literal"]),
        ("def f = '\\q'", &["'\\q': invalid-literal"]),
        ("def f = \"\\1114112\"", &["\"\\1114112\": invalid-literal"]),
        (
            "def f = 340282366920938463463374607431768211456",
            &["340282366920938463463374607431768211456: invalid-literal"],
        ),
    ]);
}

#[test]
fn parsing_goes_on_after_an_error() {
    let (file, errors) = parse(
        FILE,
        "def a = (1 +\n\
         def b = 2\n\
         type t = #c | d\n\
         module m = {\n  let x = )\n  let y = 3\n  def z = [1, 2\n}\n\
         let c = let x = ( in 4\n\
         let d = 5\n\
         def e = (6 7 8 : ) + 9\n",
    );
    let codes: Vec<_> = errors.iter().map(|e| e.code).collect();
    let unexpected = "unexpected-token";
    let unclosed = "unclosed-bracket";
    assert_eq!(codes, [unexpected, unexpected, unexpected, unclosed, unexpected, unexpected]);
    let dump = dump::file(&file);
    for part in ["(def b 2)", "(let y 3)", "(let d 5)", "(bind x (paren <error>)) 4", "(+ (paren"] {
        assert!(dump.contains(part), "{part} in {dump}");
    }
}
