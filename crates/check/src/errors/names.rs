//! Messages about names.

use super::foreign::Instead;
use fehu_base::{Diagnostic, Prim, Span};
use fehu_syntax::ast::Ident;

pub(crate) fn unknown_name(
    span: Span,
    what: &str,
    name: &str,
    nearest: Option<&str>,
) -> Diagnostic {
    let d = Diagnostic::error("unknown-name", span, format!("Unknown {what} \"{name}\""))
        .at("not in scope");
    match nearest {
        Some(nearest) => {
            // Only the last part of a qualified name is replaced.
            let start = span.end - name.rsplit('.').next().map_or(0, str::len) as u32;
            let place = Span { start: start.max(span.start), ..span };
            d.fix(format!("a similar name is \"{nearest}\""), [(place, nearest.to_owned())])
        }
        None => d,
    }
}

/// Adds what is written for a word of another language.
pub(crate) fn with_instead(d: Diagnostic, span: Span, instead: Instead) -> Diagnostic {
    match instead {
        Instead::Write(text) => d.fix(format!("write `{text}`"), [(span, text.to_owned())]),
        Instead::Say(advice) => d.help(advice),
    }
}

/// Adds that the modules of numbers have a member of this name.
pub(crate) fn member_of_numbers(d: Diagnostic, name: &str, modules: &[&str]) -> Diagnostic {
    let names: Vec<String> = modules.iter().map(|module| format!("`{module}.{name}`")).collect();
    d.help(format!(
        "Each number type has its own, in the module named after it: {}.",
        names.join(", ")
    ))
}

/// Adds that `let mut x` does not bind x.
pub(crate) fn binding_with_word(d: Diagnostic, word: Span) -> Diagnostic {
    d.label(word, "this is read as the name of a function")
        .fix("leave it out", [(word, String::new())])
}

pub(crate) fn underscore(span: Span) -> Diagnostic {
    Diagnostic::error("underscore-use", span, "An underscore is not a name that can be used")
        .at("`_` in a pattern does not bind a name")
        .help("give the value a name in the pattern")
}

pub(crate) fn module_is_parametric(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(
        "module-is-parametric",
        span,
        format!("Module \"{name}\" is a parametric module and has no members"),
    )
    .at("this must be applied to a module first")
    .help(format!("bind the result to a name, `module m = {name} ...`, and use `m`"))
}

pub(crate) fn module_not_parametric(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error("module-not-parametric", span, format!("Cannot apply module \"{name}\""))
        .at("this module is not parametric")
}

pub(crate) fn module_as_value(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error("module-as-value", span, format!("\"{name}\" is a module, not a value"))
        .at("a value is expected here")
        .help(match Prim::from_name(name) {
            Some(_) => format!(
                "to convert a number, name the type it has: `{name}.i32 x` makes a value of type {name} of an i32"
            ),
            None => format!("refer to one of its members: `{name}.x`"),
        })
}

pub(crate) fn value_as_module(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error("value-as-module", span, format!("\"{name}\" is a value, not a module"))
        .at("a module is expected here")
}

pub(crate) fn using_intrinsics(span: Span) -> Diagnostic {
    Diagnostic::warning("using-intrinsics", span, "Using intrinsic functions directly can break")
        .at("these are internal to the compiler")
        .help("use the functions of the prelude")
}

pub(crate) fn intrinsics_module(span: Span) -> Diagnostic {
    Diagnostic::error(
        "intrinsics-module",
        span,
        "The 'intrinsics' module may not be used in module expressions.",
    )
    .help("use the functions of the prelude")
}

pub(crate) fn also_bound(ident: &Ident, first: Span) -> Diagnostic {
    let name = &ident.name;
    Diagnostic::error("also-bound", ident.span, format!("Name \"{name}\" is also bound previously"))
        .at("bound again here")
        .label(first, "bound here first")
        .help("names that are bound together must be distinct")
}

pub(crate) fn duplicate_definition(ident: &Ident, what: &str, first: Span) -> Diagnostic {
    let name = &ident.name;
    Diagnostic::error(
        "duplicate-definition",
        ident.span,
        format!("Duplicate definition of {what} \"{name}\", previously defined in this module"),
    )
    .at("defined again here")
    .label(first, "previously defined here")
    .help("rename one of them, or remove it")
}

pub(crate) fn duplicate_field(field: &Ident, first: Span) -> Diagnostic {
    let name = &field.name;
    Diagnostic::error(
        "duplicate-field",
        field.span,
        format!("Duplicate fields: \"{name}\" is previously defined in this record"),
    )
    .at("given again here")
    .label(first, "first given here")
}

pub(crate) fn duplicate_constructor(ctor: &Ident, first: Span) -> Diagnostic {
    let name = &ctor.name;
    Diagnostic::error(
        "duplicate-constructor",
        ctor.span,
        format!("Duplicate constructor \"#{name}\" in sum type"),
    )
    .at("given again here")
    .label(first, "first given here")
}
