//! Messages about declarations, modules and entry points.

use crate::checker::Checker;
use crate::size::SizeClash;
use crate::ty::Lifted;
use fehu_base::{Diagnostic, Span};

impl Checker<'_> {
    /// Why sizes do not agree, as a sentence.
    pub(crate) fn size_reason(&self, clash: &SizeClash) -> String {
        match clash {
            SizeClash::Sizes(a, b) => format!(
                "Sizes \"{}\" and \"{}\" do not match.",
                self.show_size(a),
                self.show_size(b)
            ),
            SizeClash::Escape(var, ..) => {
                format!("The size \"{}\" is not in scope there.", self.program.vars[*var].name)
            }
            SizeClash::Existential(var) | SizeClash::Early(var, _) => format!(
                "The size \"{}\" is existential: it is not the same at every call.",
                self.program.vars[*var].name
            ),
            SizeClash::ExistentialParam(var) => format!(
                "Existential size \"{}\" would appear in a parameter.",
                self.program.vars[*var].name
            ),
            SizeClash::Infinite(..) => "Occurs check: a size would contain itself.".into(),
            SizeClash::Consumes => {
                "They are incompatible regarding consuming their arguments.".into()
            }
            SizeClash::NotFresh => "The result is not fresh (`*`).".into(),
            SizeClash::Shape => "The types do not match.".into(),
        }
    }
}

fn declared(d: Diagnostic, span: Option<Span>, text: &str) -> Diagnostic {
    match span {
        Some(span) => d.label(span, text),
        None => d,
    }
}

fn kind(lifted: Lifted) -> &'static str {
    match lifted {
        Lifted::Unlifted => "non-lifted",
        Lifted::SizeLifted => "size-lifted",
        Lifted::Lifted => "lifted",
    }
}

pub(crate) fn anonymous_nonconstructive(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(
        "anonymous-nonconstructive",
        span,
        format!(
            "Type abbreviation \"{name}\" contains an anonymous size not used constructively as \
             an array size"
        ),
    )
    .at("the size only occurs inside a function type")
    .help(format!("make it a parameter: `type^ {name} [n] = ...`"))
}

pub(crate) fn unlifted_abbreviation(span: Span, name: &str, functions: bool) -> Diagnostic {
    let (headline, keyword) = match functions {
        true => ("Non-lifted type abbreviations may not contain functions.", "type^"),
        false => (
            "Non-lifted type abbreviations may not contain size-lifted types or anonymous sizes.",
            "type~",
        ),
    };
    Diagnostic::error("unlifted-abbreviation", span, headline)
        .at("declared with `type`")
        .help(format!("declare it with `{keyword} {name} ...`"))
}

pub(crate) fn unused_size_param(span: Span, size: &str, name: &str) -> Diagnostic {
    Diagnostic::error(
        "unused-size-param",
        span,
        format!("Size parameter \"[{size}]\" of type \"{name}\" is not used"),
    )
    .at("not used in the definition")
    .help("use it as the size of an array, or remove it")
}

pub(crate) fn anonymous_in_spec(span: Span, name: &str, is_function: bool) -> Diagnostic {
    let (place, why, how) = match is_function {
        true => ("a parameter", "sizes to the left of an arrow must be named", "[n]t -> ..."),
        false => ("the type", "the size of a constant must be known", "[n]t"),
    };
    Diagnostic::error("anonymous-in-spec", span, format!("Anonymous size in {place} of \"{name}\""))
        .at(why)
        .help(format!("name it: `val {name} [n] : {how}`"))
}

pub(crate) fn include_functor(span: Span) -> Diagnostic {
    Diagnostic::error("include-parametric", span, "Cannot include a parametric module type")
        .at("only module types without parameters can be included")
}

pub(crate) fn refine_missing(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(
        "cannot-refine",
        span,
        format!("Cannot refine a type \"{name}\" that the module type does not have"),
    )
    .at("no such type in the module type")
}

pub(crate) fn refine_concrete(span: Span, name: &str, def: Option<Span>) -> Diagnostic {
    let d = Diagnostic::error(
        "cannot-refine",
        span,
        format!("Cannot refine type \"{name}\": it is not an abstract type"),
    )
    .at("only abstract types can be refined");
    declared(d, def, "already defined here")
}

pub(crate) fn refine_params(span: Span, name: &str, wants: usize, given: usize) -> Diagnostic {
    Diagnostic::error(
        "cannot-refine",
        span,
        format!(
            "Cannot refine a type having {given} parameters where the module type requires {wants}"
        ),
    )
    .at(format!("\"{name}\" has {wants} parameters in the module type"))
}

pub(crate) fn refine_narrows(
    span: Span,
    name: &str,
    wants: &str,
    has: &str,
    spec: Option<Span>,
) -> Diagnostic {
    let headline = format!(
        "Cannot refine a type having parameter `{wants}` by a type having parameter `{has}`, which takes fewer types"
    );
    let d = Diagnostic::error("cannot-refine", span, headline)
        .at(format!("`{has}` does not take all that `{wants}` takes"))
        .help(format!("write `{wants}` here, too"));
    declared(d, spec, &format!("\"{name}\" is declared here"))
}

/// Something of this kind that the module type requires is not there.
pub(crate) fn missing(span: Span, kind: &str, name: &str, spec: Option<Span>) -> Diagnostic {
    let d = Diagnostic::error(
        "module-mismatch",
        span,
        format!("Missing definition of {kind} \"{name}\", which the module type requires"),
    )
    .at("this module does not define it");
    declared(d, spec, "required here")
}

pub(crate) fn module_kind(span: Span, path: &str, wants_parametric: bool) -> Diagnostic {
    let path = path.trim_end_matches('.');
    let what = if path.is_empty() { String::new() } else { format!(" \"{path}\"") };
    let headline = match wants_parametric {
        true => format!("Module{what} is not parametric. Module type requires a parametric module"),
        false => format!("Module{what} is parametric. Module type requires a plain module"),
    };
    Diagnostic::error("module-mismatch", span, headline)
}

/// What a module has and what its type requires, as text, with their places.
pub(crate) struct Differ<'a> {
    pub(crate) wants: &'a str,
    pub(crate) has: &'a str,
    pub(crate) spec: Option<Span>,
    pub(crate) def: Option<Span>,
}

impl Differ<'_> {
    fn diagnostic(&self, span: Span, headline: String) -> Diagnostic {
        let d = Diagnostic::error("module-mismatch", span, headline).note(format!(
            "Module defines:       {}\nModule type requires: {}",
            self.has, self.wants
        ));
        declared(declared(d, self.spec, "required here"), self.def, "defined here")
    }
}

pub(crate) fn type_params_differ(span: Span, name: &str, differ: &Differ<'_>) -> Diagnostic {
    differ.diagnostic(
        span,
        format!("Type \"{name}\" does not have the parameters that the module type requires"),
    )
}

pub(crate) fn type_too_lifted(
    span: Span,
    name: &str,
    has: &str,
    lifted: Lifted,
    spec: Option<Span>,
) -> Diagnostic {
    let lifted = kind(lifted);
    let d = Diagnostic::error(
        "module-mismatch",
        span,
        format!("Type \"{name}\" is {lifted}, but the module type requires a non-lifted type"),
    )
    .note(format!("Module defines: {has}"));
    declared(d, spec, "required here")
}

pub(crate) fn size_not_constructive(
    span: Span,
    name: &str,
    size: &str,
    def: Option<Span>,
) -> Diagnostic {
    let d = Diagnostic::error(
        "module-mismatch",
        span,
        format!("Size parameter \"{size}\" of type \"{name}\" is not used constructively"),
    )
    .note("The size of a value of an abstract type is read from an array in it at run time.");
    declared(d, def, "defined here")
}

pub(crate) fn type_differs(span: Span, name: &str, differ: &Differ<'_>) -> Diagnostic {
    differ.diagnostic(span, format!("Type \"{name}\" is not what the module type requires"))
}

pub(crate) fn value_differs(
    span: Span,
    name: &str,
    differ: &Differ<'_>,
    reason: &str,
) -> Diagnostic {
    let headline = format!("Value \"{name}\" does not have the type that the module type requires");
    differ.diagnostic(span, headline).note(reason)
}

pub(crate) fn nested_entry(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error("nested-entry", span, "Entry points may not be declared inside modules.")
        .at("declared inside a module")
        .help(format!("declare it with `def` here, and `entry {name} = m.{name}` outside"))
}

pub(crate) fn polymorphic_entry(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(
        "polymorphic-entry",
        span,
        format!("Entry point functions may not be polymorphic, but \"{name}\" is"),
    )
    .at("its type has type parameters")
    .help("define an entry point for each type that is needed")
}

pub(crate) fn higher_order_entry(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(
        "higher-order-entry",
        span,
        format!("Entry point functions may not be higher-order, but \"{name}\" is"),
    )
    .at("a parameter or result is a function")
    .help("functions cannot be passed from outside the program; define an entry point for each of them")
}

pub(crate) fn size_polymorphic_entry(span: Span, name: &str, size: &str) -> Diagnostic {
    Diagnostic::error(
        "size-polymorphic-entry",
        span,
        format!(
            "Entry point functions must not be size-polymorphic in their return type: \"{name}\""
        ),
    )
    .at(format!("the size \"{size}\" of the result would have to be chosen by the caller"))
    .help("make the size an ordinary parameter")
}

pub(crate) fn nonconstructive_entry(span: Span, name: &str, size: &str) -> Diagnostic {
    Diagnostic::error(
        "nonconstructive-entry",
        span,
        format!("Entry point size parameter [{size}] only used non-constructively in \"{name}\""),
    )
    .at("no parameter has exactly this size")
    .help("the size must by itself be the size of an array parameter, or be passed as a parameter")
}

pub(crate) fn entry_name(span: Span, name: &str) -> Diagnostic {
    Diagnostic::warning(
        "entry-name",
        span,
        format!("Entry point name \"{name}\" contains an apostrophe"),
    )
    .at("this name is not valid in most other languages")
    .help("rename it")
}

pub(crate) fn shadowed_type(span: Span, name: &str, first: Option<Span>) -> Diagnostic {
    let headline = format!("Inclusion shadows type \"{name}\"");
    let found = Diagnostic::warning("shadowed-type", span, headline)
        .at("the included module type also specifies it")
        .note("From here on, the name refers to the new type; earlier specifications use the old one.")
        .help("make them the same, as in `include m with t = t`");
    match first {
        Some(first) => found.label(first, "first specified here"),
        None => found,
    }
}

pub(crate) fn recursion(span: Span, name: &str, headline: &str, help: &str) -> Diagnostic {
    Diagnostic::error("recursion", span, format!("Recursive function \"{name}\": {headline}"))
        .at("in this use of itself")
        .help(help)
}

pub(crate) fn earlier_definition(span: Span, name: &str, defined: Option<Span>) -> Diagnostic {
    let headline =
        format!("\"{name}\" refers to the earlier definition here, not to the function itself");
    let mut found = Diagnostic::warning("earlier-definition", span, headline)
        .at("this cannot be a recursive call")
        .note("a function is in scope in its own body, but as recursive calls these uses of the name would be errors")
        .help("give the function another name");
    if let Some(defined) = defined {
        found = found.label(defined, "the earlier definition");
    }
    found
}
