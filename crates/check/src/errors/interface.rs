//! The wording of what is wrong with foreign functions.

use crate::foreign::Barrier;
use fehu_base::{Diagnostic, Platform, Span};

const SHAPE: &str = "the attribute has the form `#[foreign(c(name), cuda(name), opencl(name), vectorised(c(name)))]`, with at least one name";

fn attribute(span: Span, headline: impl Into<String>) -> Diagnostic {
    Diagnostic::error("foreign-attribute", span, headline)
}

fn interface(span: Span, headline: impl Into<String>) -> Diagnostic {
    Diagnostic::error("foreign-interface", span, headline)
}

pub(crate) fn foreign_without_symbol(span: Span) -> Diagnostic {
    attribute(span, "The attribute `foreign` names no function").at("a name is missing").help(SHAPE)
}

pub(crate) fn no_such_platform(span: Span, name: &str) -> Diagnostic {
    let names: Vec<&str> = Platform::ALL.into_iter().map(Platform::name).collect();
    attribute(span, format!("There are no foreign functions for \"{name}\""))
        .at("not a language of foreign functions")
        .note(format!("They can be written for {}.", names.join(", ")))
        .help(SHAPE)
}

pub(crate) fn one_symbol(span: Span, platform: Platform) -> Diagnostic {
    let name = platform.name();
    attribute(span, format!("`{name}` needs the name of one function"))
        .at("one name in parentheses is expected")
        .help(format!("write `{name}(name)`"))
}

pub(crate) fn symbol_name(span: Span, name: &str) -> Diagnostic {
    attribute(span, format!("\"{name}\" cannot be the name of a foreign function"))
        .at("not an identifier of C")
        .help("names of functions in C have letters, digits and underscores")
}

pub(crate) fn two_symbols(span: Span, first: Span, platform: Platform) -> Diagnostic {
    attribute(span, format!("There are two foreign functions for `{}`", platform.name()))
        .at("the second one")
        .label(first, "the first one")
        .help("keep one of them")
}

pub(crate) fn vectorised_alone(span: Span, platform: Platform) -> Diagnostic {
    let name = platform.name();
    attribute(span, format!("A vectorised function for `{name}` has no plain one beside it"))
        .at("called for whole maps")
        .note("Calls outside of maps need a function, too.")
        .help(format!("add `{name}(name)`"))
}

pub(crate) fn vectorised_first(span: Span) -> Diagnostic {
    attribute(span, "`vectorised(name)` is for the languages before it, and there are none")
        .at("comes before the other names")
        .help("write it last, or name the language: `vectorised(c(name))`")
}

pub(crate) fn foreign_elsewhere(span: Span) -> Diagnostic {
    attribute(span, "The attribute `foreign` is for definitions of functions")
        .at("means nothing here")
        .help("write it directly before `def`")
}

pub(crate) fn foreign_without_parameters(span: Span, name: &str) -> Diagnostic {
    interface(span, format!("The foreign function \"{name}\" has no parameters"))
        .at("a value, or a function whose parameters are not written")
        .note("A foreign function is called with all of its parameters.")
        .help(format!(
            "write the parameters with their types, as in `def {name} (x: f64) : f64 = ...`"
        ))
}

pub(crate) fn polymorphic_foreign(span: Span, name: &str) -> Diagnostic {
    interface(span, format!("The foreign function \"{name}\" is polymorphic"))
        .at("works for more than one type")
        .note("A function in another language is for one type. Only sizes may be parameters.")
        .help("give the types of all parameters; for several types, define several functions")
}

pub(crate) fn opencl_arrays(span: Span, name: &str) -> Diagnostic {
    interface(span, format!("OpenCL cannot call \"{name}\", which has arrays"))
        .at("for kernels, which give numbers only")
        .note("Foreign functions for `opencl` are called by kernels.")
        .help("remove it: programs for OpenCL then use the body")
}

pub(crate) fn foreign_type(
    span: Span,
    name: &str,
    what: &str,
    ty: &str,
    why: Barrier,
) -> Diagnostic {
    let (reason, help) = match why {
        Barrier::Function => (
            "a function cannot be given to another language",
            "pass the data that the function is made of",
        ),
        Barrier::Sequence => (
            "a sequence cannot be given to another language",
            "call the foreign function in `seq.map`, or pass `seq.to_array s`",
        ),
        Barrier::Sum => (
            "a sum type has no form that other languages know",
            "pass numbers that say which constructor it is, and its contents",
        ),
        Barrier::Abstract => {
            ("nobody outside knows what an abstract type is", "use the type that it stands for")
        }
        Barrier::Half => (
            "C has no numbers of type f16",
            "convert to f32, or pass the bits as u16 (`f16.to_bits`)",
        ),
        Barrier::Nothing => (
            "there is nothing in it",
            "a foreign function takes and returns numbers, truth values and arrays",
        ),
        Barrier::Size => (
            "a size in it is not a parameter",
            "the caller allocates the results, and passes all sizes: use names that are parameters, such as `def f [n] (k: i64) (xs: [n]f32) : [k]f32`, and compute sizes outside",
        ),
    };
    interface(
        span,
        format!("{what} of the foreign function \"{name}\" has a type that cannot cross"),
    )
    .at(format!("{reason}; this has type {ty}"))
    .help(help)
}
