//! Every message of the lexer and the parser: one function for each.

use fehu_base::stack::MAX_DEPTH;
use fehu_base::{Diagnostic, Span};

/// A token that cannot stand here.
pub(crate) fn unexpected_token(span: Span, found: &str, expected: &str) -> Diagnostic {
    let code = "unexpected-token";
    Diagnostic::error(code, span, format!("Unexpected token: '{found}', expected {expected}"))
        .at(format!("expected {expected}"))
}

/// The file ends too early.
pub(crate) fn unexpected_end(span: Span, expected: &str) -> Diagnostic {
    let code = "unexpected-end-of-file";
    Diagnostic::error(code, span, format!("Unexpected end of file, expected {expected}"))
        .at(format!("expected {expected}"))
}

/// A character that is part of no token.
pub(crate) fn unexpected_character(span: Span, character: char) -> Diagnostic {
    let code = "unexpected-character";
    let number = u32::from(character);
    let error = if character.is_control() || character.is_whitespace() || number == 0xfeff {
        let message = format!("Unexpected character: U+{number:04X}");
        Diagnostic::error(code, span, message).note("This character is not visible.")
    } else {
        let message = format!("Unexpected character: '{character}' (U+{number:04X})");
        Diagnostic::error(code, span, message)
    };
    let place = Span { end: span.start + character.len_utf8() as u32, ..span };
    match LOOKALIKES.iter().find(|(signs, ..)| signs.contains(character)) {
        Some((_, sign, what)) if !sign.is_empty() => {
            error.help(*what).fix(format!("write `{sign}`"), [(place, (*sign).to_owned())])
        }
        Some((.., what)) => error.help(*what),
        None if character.is_alphabetic() => {
            error.note("Names consist of the letters a to z and A to Z, digits, `_` and `'`.")
        }
        None => error,
    }
}

/// Characters of other languages and of word processors: what to write instead, and why.
const LOOKALIKES: [(&str, &str, &str); 12] = [
    ("“”„«»", "\"", "Strings are written in straight quotes."),
    ("‘’", "'", "Characters are written in straight quotes."),
    ("−–—", "-", "This is a dash; the operator is a hyphen."),
    ("≤", "<=", "Operators consist of ASCII characters."),
    ("≥", ">=", "Operators consist of ASCII characters."),
    ("≠", "!=", "Operators consist of ASCII characters."),
    ("×·", "*", "Operators consist of ASCII characters."),
    ("→⇒", "->", "Operators consist of ASCII characters."),
    ("λ", "\\", "A function is written `\\x -> x + 1`."),
    ("$", "<|", "A function is applied to all that follows by `<|`, as in `f <| g x`."),
    ("#", "", "Comments start with `--`; a constructor's name directly follows its `#`."),
    ("@", "", "Attributes are written `#[inline]`, and arrays are concatenated by `++`."),
];

/// A string without its second quote.
pub(crate) fn unterminated_string(span: Span) -> Diagnostic {
    Diagnostic::error("unterminated-string", span, "This string literal is not terminated")
        .at("starts here")
        .help("Write `\"` at the end of the string, and `\\n` for a line break in it.")
}

/// A character literal without its second quote.
pub(crate) fn unterminated_char(span: Span) -> Diagnostic {
    Diagnostic::error("unterminated-character", span, "This character literal is not terminated")
        .at("starts here")
}

/// A number, string or character that has no value.
pub(crate) fn invalid_literal(span: Span, why: &str) -> Diagnostic {
    Diagnostic::error("invalid-literal", span, format!("Invalid literal: {why}"))
}

/// Deeper nesting than the compiler accepts.
pub(crate) fn nesting_too_deep(span: Span) -> Diagnostic {
    let message = format!("This is nested too deeply: more than {MAX_DEPTH} levels");
    Diagnostic::error("nesting-too-deep", span, message)
        .help("Bind parts of it to names, or read large data from a file.")
}

/// A definition of `&&` or `||`.
pub(crate) fn may_not_be_redefined(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error("may-not-be-redefined", span, format!("`{name}` may not be redefined"))
        .note("A function would always evaluate both operands, and this operator does not.")
        .help(format!("Choose a longer name such as `{name}!`."))
}

/// A definition of `!` as an infix operator, or its use as one.
pub(crate) fn prefix_operator(span: Span, name: &str) -> Diagnostic {
    let message = format!("`{name}` is a prefix operator and cannot be used as infix operator");
    Diagnostic::error("reserved-operator", span, message)
        .help(format!("To negate an argument, put it in parentheses: `f ({name}x)`."))
}

/// A use of a variable whose name starts with an underscore.
pub(crate) fn underscore_use(span: Span, name: &str) -> Diagnostic {
    let message = format!("Use of \"{name}\": names that start with an underscore cannot be used");
    let error = Diagnostic::error("underscore-use", span, message);
    if name == "_" {
        error.help("Write `???` for a part that has yet to be written.")
    } else {
        error.help("Give the variable a name without the underscore where it is bound.")
    }
}

/// `a..b` without an end.
pub(crate) fn range_without_end(span: Span) -> Diagnostic {
    let message = "This range has no end: `..` can be used only before the second element";
    Diagnostic::error("range-without-end", span, message).help(
        "Write `a...b` for a range that includes b, `a..<b` or `a..>b` for one that does not.",
    )
}

/// A definition of `=`.
pub(crate) fn reserved_operator(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error("reserved-operator", span, format!("`{name}` is reserved"))
        .help("Choose another name.")
}

/// A declaration that binds a pattern.
pub(crate) fn pattern_at_top_level(span: Span) -> Diagnostic {
    let message = "A declaration cannot bind a pattern; it binds a single name";
    Diagnostic::error("pattern-at-top-level", span, message)
        .help("Bind the whole value to a name, and its parts to others.")
}

/// A form of another language.
pub(crate) fn foreign(span: Span, headline: impl Into<String>) -> Diagnostic {
    Diagnostic::error("foreign-syntax", span, headline)
}

/// A keyword where a name is expected.
pub(crate) fn keyword_as_name(span: Span, word: &str) -> Diagnostic {
    let message = format!("`{word}` is a keyword and cannot be a name");
    Diagnostic::error("keyword-as-name", span, message)
        .help(format!("Choose another name, such as `{word}_`."))
}

/// A word that is a keyword but for a letter.
pub(crate) fn misspelled_keyword(span: Span, word: &str, keyword: &str) -> Diagnostic {
    let message = format!("Unexpected token: '{word}'; perhaps `{keyword}` is meant");
    Diagnostic::error("unexpected-token", span, message)
        .fix(format!("write `{keyword}`"), [(span, keyword.to_owned())])
}

/// A bracket that is not closed; `here` is where that was noticed.
pub(crate) fn unclosed(
    span: Span,
    open: &str,
    close: &str,
    here: Span,
    label: &str,
    fix: Option<(Span, String)>,
) -> Diagnostic {
    let message = format!("This `{open}` has no `{close}`");
    let error =
        Diagnostic::error("unclosed-bracket", span, message).at("opened here").label(here, label);
    match fix {
        Some(fix) => error.fix("close it, perhaps here", [fix]),
        None => error,
    }
}

/// A module whose brace is not closed; `outside` is the first declaration that looks as if it came
/// after the module.
pub(crate) fn unclosed_module(span: Span, here: Span, outside: Option<Span>) -> Diagnostic {
    let error =
        Diagnostic::error("unclosed-bracket", span, "This `{` has no `}`").at("opened here");
    match outside {
        Some(place) => error
            .label(here, "the file ends without it")
            .label(place, "this looks as if it comes after the module")
            .fix("close it, perhaps here", [(place.before(), "}\n".to_owned())]),
        None => error.label(here, "the file ends without it"),
    }
}

/// A closing bracket or a keyword whose beginning is missing.
pub(crate) fn unopened(span: Span, found: &str, partner: &str) -> Diagnostic {
    let message = format!("Unexpected token: '{found}', for which there is no `{partner}`");
    Diagnostic::error("unexpected-token", span, message).at(format!("no `{partner}` is open here"))
}

/// A `let` without its `in`.
pub(crate) fn missing_in(span: Span) -> Diagnostic {
    Diagnostic::error("missing-in", span, "This `let` has no `in`")
        .at("the bindings end without an `in`")
}

/// An `if` without its `then`.
pub(crate) fn missing_then(span: Span, here: Span, place: Option<Span>) -> Diagnostic {
    let error = Diagnostic::error("missing-then", span, "This `if` has no `then`");
    match place {
        Some(place) => error
            .label(place, "`then` is expected before this")
            .fix("insert it", [(place.before(), "then ".to_owned())]),
        None => error
            .label(here, "`then` is expected before this")
            .help("A condition is written `if x > 0 then x else 0`."),
    }
}

/// An `if` without its `else`.
pub(crate) fn missing_else(span: Span) -> Diagnostic {
    Diagnostic::error("missing-else", span, "This `if` has no `else`")
}

/// A `loop` without its `do`.
pub(crate) fn missing_do(span: Span, here: Span, place: Option<Span>) -> Diagnostic {
    let error = Diagnostic::error("missing-do", span, "This `loop` has no `do`");
    match place {
        Some(place) => error
            .label(place, "`do` is expected before this")
            .fix("insert it", [(place.before(), "do ".to_owned())]),
        None => error
            .label(here, "`do` is expected before this")
            .help("A loop is written `loop x = 1 for i < n do x * 2`."),
    }
}

/// A definition without its `=`.
pub(crate) fn missing_equals(body: Span, what: &str) -> Diagnostic {
    Diagnostic::error("missing-equals", body, format!("This {what} has no `=` before its body"))
        .at("`=` is expected before this")
        .fix("insert it", [(body.before(), "= ".to_owned())])
}

/// Type or size parameters after parameters that are values.
pub(crate) fn late_type_params(with_gap: Span, late: Span, text: &str, place: Span) -> Diagnostic {
    let message = "Size and type parameters come before all other parameters";
    Diagnostic::error("unexpected-token", late, message)
        .at("this comes too late")
        .fix("write it before them", [(place, format!(" {text}")), (with_gap, String::new())])
}

/// An operator or a keyword after which an expression is missing.
pub(crate) fn nothing_after(span: Span, before: &str, here: Span, found: &str) -> Diagnostic {
    let message = format!("Unexpected token: '{found}', expected an expression after `{before}`");
    Diagnostic::error("unexpected-token", here, message)
        .at("expected an expression before this")
        .label(span, format!("after this `{before}`"))
}

/// A `def` inside of an expression.
pub(crate) fn local_def(span: Span) -> Diagnostic {
    foreign(span, "Local functions and values are bound by `let`, not by `def`")
        .fix("write `let`", [(span, "let".to_owned())])
}
