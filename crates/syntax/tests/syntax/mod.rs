//! Tests of the lexer and the parser through the crate's public functions: text in, dump of the
//! tree or messages out.

mod declarations;
mod errors;
mod expressions;
mod literals;
mod needed;
mod operators;
mod patterns;
mod robustness;
mod types;

use fehu_base::{Diagnostic, FileId};
use fehu_syntax::{dump, parse, parse_exp, parse_type};

const FILE: FileId = FileId(0);

fn messages(errors: &[Diagnostic]) -> Vec<&str> {
    errors.iter().map(|e| e.message.as_str()).collect()
}

/// The dump of a valid expression.
fn exp(text: &str) -> String {
    let (exp, errors) = parse_exp(FILE, text);
    assert!(errors.is_empty(), "{text}: {:?}", messages(&errors));
    dump::exp(&exp)
}

/// The dump of a valid type.
fn ty(text: &str) -> String {
    let (ty, errors) = parse_type(FILE, text);
    assert!(errors.is_empty(), "{text}: {:?}", messages(&errors));
    dump::type_exp(&ty)
}

/// The dump of a valid file.
fn file(text: &str) -> String {
    let (file, errors) = parse(FILE, text);
    assert!(errors.is_empty(), "{text}: {:?}", messages(&errors));
    dump::file(&file).trim_end().to_owned()
}

/// The errors of a file, each as `text at the place: code`.
fn errors_of(text: &str) -> Vec<String> {
    let (_, errors) = parse(FILE, text);
    let describe = |e: &Diagnostic| {
        let place = e.primary.as_ref().map_or("", |label| &text[label.span.range()]);
        format!("{place}: {}", e.code)
    };
    errors.iter().map(describe).collect()
}

fn check(parse: fn(&str) -> String, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(parse(text), *expected, "{text}");
    }
}
