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
    if character.is_alphabetic() {
        error.note("Names consist of the letters a to z and A to Z, digits, `_` and `'`.")
    } else {
        error
    }
}

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
