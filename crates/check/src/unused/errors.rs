//! The messages about names.

use super::Rename;
use fehu_base::{Diagnostic, Span};
use fehu_syntax::ast::Ident;

/// A name that nothing refers to.
pub(super) fn unused_name(name: &Ident, what: &str, rename: Rename) -> Diagnostic {
    let headline = format!("Unused {what} \"{}\"", name.name);
    let message = Diagnostic::warning("unused-name", name.span, headline).at("never used");
    let underscored = format!("_{}", name.name);
    match rename {
        Rename::Prefix => {
            message.fix("if this is intentional, add an underscore", [(name.span, underscored)])
        }
        Rename::Field => message.fix(
            "if this is intentional, add an underscore",
            [(name.span.after(), format!(" = {underscored}"))],
        ),
        Rename::No => message,
    }
}

/// A variable with the name of a size parameter in scope.
pub(super) fn shadowed_size(name: &Ident, size: Span) -> Diagnostic {
    let headline = format!("\"{}\" shadows the size of the same name", name.name);
    Diagnostic::warning("shadowed-size", name.span, headline)
        .at("from here on, the name refers to this variable")
        .label(size, "the size that is shadowed")
        .note("Types that were written before still refer to the size.")
        .help("choose another name, or use the size itself, which is a variable of type `i64`")
}
