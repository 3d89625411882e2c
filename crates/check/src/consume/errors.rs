//! The messages about consumption.
//!
//! Each names both places, where something was consumed and where it was needed, and the variable
//! through which they meet. Where a `copy` is the way out, the message carries it as an edit.

use super::Checker;
use super::alias::Region;
use super::exp::copy_edits;
use super::state::{By, Consumption, Obstacle, Use};
use crate::ty::{Printer, Ty, VarId};
use ecow::EcoString;
use fehu_base::{Diagnostic, Span};
use fehu_syntax::ast::Exp;

const PUT_COPY: &str = "consume a copy instead";

/// `let b = a with [0] = 1 in a`
pub(super) fn use_after_consume(
    cx: &Checker<'_>,
    region: Region,
    span: Span,
    var: Option<VarId>,
    consumption: &Consumption,
) -> Diagnostic {
    let error =
        Diagnostic::error("use-after-consume", span, using(cx, region, var)).at("used here");
    explain_consumption(cx, error, region, var, consumption)
}

fn explain_consumption(
    cx: &Checker<'_>,
    error: Diagnostic,
    region: Region,
    var: Option<VarId>,
    consumption: &Consumption,
) -> Diagnostic {
    let mut error = error.label(consumption.span, consumed_here(consumption));
    if let Some(part) = part_name(cx, region)
        && !cx.regions[region].path.is_empty()
    {
        error = error.note(format!("the memory in question is that of {part}"));
    }
    if let Some(through) = consumption.var.map(|v| &cx.vars[v].name)
        && Some(through) != cx.region_name(region)
        && Some(through) != var.map(|v| &cx.vars[v].name)
    {
        error =
            error.note(format!("it was consumed through \"{through}\", which shares its memory"));
    }
    if let By::LaterCall = consumption.by {
        return error.help("call the function only once, or pass all arguments in every call");
    }
    error =
        error.note("once a value has been consumed, neither it nor anything that shares its memory can be used");
    with_copy(error, PUT_COPY, &consumption.copy)
}

/// A loop consumes its initial value, and the body uses that value under another name.
pub(super) fn used_in_loop(
    cx: &Checker<'_>,
    region: Region,
    used: Use,
    consumption: &Consumption,
    inside: Option<&Consumption>,
) -> Diagnostic {
    let title = using(cx, region, used.var);
    let mut error = Diagnostic::error("use-after-consume", used.span, title)
        .at("used here, in every iteration of the loop");
    error = explain_consumption(cx, error, region, used.var, consumption);
    if let Some(inside) = inside.filter(|inside| inside.span != used.span) {
        error = error.label(inside.span, "the body consumes the loop parameter here");
    }
    error
}

fn using(cx: &Checker<'_>, region: Region, var: Option<VarId>) -> String {
    let used = var.map(|var| &cx.vars[var].name);
    let owner = cx.region_name(region);
    match (used, owner) {
        (Some(used), Some(owner)) if used != owner => format!(
            "Using variable \"{used}\", which shares memory with \"{owner}\", which was consumed."
        ),
        (Some(name), _) => format!("Using variable \"{name}\", which was consumed."),
        (None, Some(owner)) => {
            format!("Using a value that shares memory with \"{owner}\", which was consumed.")
        }
        (None, None) => "Using a value that was consumed.".to_owned(),
    }
}

fn consumed_here(consumption: &Consumption) -> String {
    match &consumption.by {
        By::Update => "consumed here, by an in-place update".to_owned(),
        By::Call(Some(name)) => format!("consumed here, as an argument of \"{name}\""),
        By::Call(None) => "consumed here, as an argument of a function".to_owned(),
        By::LaterCall => {
            "this call consumes an array that the function was given earlier".to_owned()
        }
        By::Loop(Some(name)) => {
            format!("consumed here, as the initial value of loop parameter \"{name}\"")
        }
        By::Loop(None) => "consumed here, as the initial value of a loop".to_owned(),
    }
}

/// `def f (a: []i32) = a with [0] = 1`
pub(super) fn not_consumable(
    cx: &Checker<'_>,
    region: Region,
    obstacle: Obstacle,
    consumption: &Consumption,
) -> Diagnostic {
    let consumed = consumption.var.map(|var| &cx.vars[var].name);
    let title = match (consumed, cx.region_name(region)) {
        (Some(consumed), Some(owner)) if consumed != owner => format!(
            "Consuming variable \"{consumed}\", which is aliased to \"{owner}\", which is not consumable."
        ),
        (Some(name), _) => format!("Consuming variable \"{name}\", which is not consumable."),
        (None, Some(owner)) => {
            format!("Consuming a value that is aliased to \"{owner}\", which is not consumable.")
        }
        (None, None) => "Consuming a value that is not consumable.".to_owned(),
    };
    let error =
        Diagnostic::error("not-consumable", consumption.span, title).at(consumed_here(consumption));
    let error = explain_obstacle(cx, error, region, obstacle);
    with_copy(error, PUT_COPY, &consumption.copy)
}

fn explain_obstacle(
    cx: &Checker<'_>,
    mut error: Diagnostic,
    region: Region,
    obstacle: Obstacle,
) -> Diagnostic {
    let what = part_name(cx, region).unwrap_or_else(|| "it".to_owned());
    let var = cx.regions[region].name;
    let function = var.and_then(|var| cx.var_ty(var)).is_some_and(|ty| matches!(ty, Ty::Fun(_)));
    if let Some(span) = var.and_then(|var| cx.vars[var].span) {
        let place = match obstacle {
            Obstacle::Parameter if function => {
                "the result of this function may share memory with something else"
            }
            Obstacle::Parameter => "a parameter without `*`: it belongs to the caller",
            Obstacle::Global => "a global value, defined here",
            Obstacle::FreeInFunction => "bound here, outside the function",
            Obstacle::FreeInSize => "bound here, outside the size",
            Obstacle::FreeInLoop => "bound here, outside the loop",
            Obstacle::LoopParameter => "a loop parameter whose declared type has no `*`",
        };
        error = error.label(span, place);
    }
    match obstacle {
        Obstacle::Parameter => {
            let param = cx.region_name(region).map_or("_", |name| name.as_str());
            error.help(if function {
                format!("add `*` to the result in the type of \"{param}\"")
            } else {
                format!(
                    "add `*` to the type of \"{param}\" to let the function own its argument"
                )
            })
        }
        Obstacle::Global => {
            error.note(format!("{what} is a global value, which cannot be consumed"))
        }
        Obstacle::FreeInFunction => error.note(format!(
            "a function may be called any number of times, so it cannot consume {what}, which is bound outside it"
        )),
        Obstacle::FreeInSize => error.note(format!(
            "nothing says when a size is evaluated, or how often, so it cannot consume {what}, which is bound outside it"
        )),
        Obstacle::FreeInLoop => error.note(format!(
            "every iteration would consume {what} again; only loop parameters can be consumed"
        )),
        Obstacle::LoopParameter => {
            error.help(format!("add `*` to the type of {what}, or leave out the type"))
        }
    }
}

/// `a with [0] = a[1]`, where the elements are arrays
pub(super) fn update_aliases(
    cx: &Checker<'_>,
    region: Region,
    target: Span,
    value: Span,
    copy: Vec<(Span, String)>,
) -> Diagnostic {
    let title = match cx.region_name(region) {
        Some(name) => format!(
            "The new value of an in-place update shares memory with \"{name}\", which is updated."
        ),
        None => {
            "The new value of an in-place update shares memory with the updated array.".to_owned()
        }
    };
    let error = Diagnostic::error("update-aliases", value, title)
        .at("this may be a view of the array that is overwritten")
        .label(target, "updated in-place");
    with_copy(error, "use a copy as the new value", &copy)
}

/// `def f (xs: []i32) : *[]i32 = xs`
pub(super) fn return_aliased(
    cx: &Checker<'_>,
    region: Region,
    obstacle: Obstacle,
    body: &Exp,
) -> Diagnostic {
    let owner = cx
        .region_name(region)
        .map_or("something outside the function".to_owned(), |n| format!("\"{n}\""));
    let title =
        format!("Unique-typed return value is aliased to {owner}, which is not consumable.");
    let error = Diagnostic::error("return-aliased", result_span(body), title)
        .at(format!("this may share memory with {owner}"))
        .note("`*` in a result type promises that the result shares no memory with anything else");
    let error = explain_obstacle(cx, error, region, obstacle);
    with_copy(error, "return a copy", &copy_edits(result_exp(body)))
}

/// `def f (xs: *[]i32) : (*[]i32, *[]i32) = (xs, xs)`
pub(super) fn unique_return_aliased(cx: &Checker<'_>, region: Region, body: &Exp) -> Diagnostic {
    let through = through(cx, region);
    let title = "A unique-typed component of the return value is aliased to some other component.";
    let error = Diagnostic::error("unique-return-aliased", result_span(body), title)
        .at(format!("two parts of this may share memory{through}"))
        .note("`*` in a result type promises that the result shares no memory with anything else");
    with_copy(error, "return a copy", &copy_edits(result_exp(body)))
}

/// `def f () = global`
pub(super) fn alias_free_variable(cx: &Checker<'_>, region: Region, body: &Exp) -> Diagnostic {
    let name = cx.region_name(region).map_or("_", |name| name.as_str());
    let title = format!("Function result aliases the free variable \"{name}\".");
    let mut error = Diagnostic::error("alias-free-variable", result_span(body), title)
        .at(format!("this may share memory with \"{name}\""))
        .note("the result of a function may share memory only with its parameters");
    if let Some(span) = cx.regions[region].name.and_then(|var| cx.vars[var].span) {
        error = error.label(span, "defined here");
    }
    with_copy(error, "return a copy", &copy_edits(result_exp(body)))
}

/// `consume_both (xs, xs)`, or the same as the initial value of a loop
pub(super) fn self_aliasing_arg(
    cx: &Checker<'_>,
    region: Region,
    span: Span,
    copy: Vec<(Span, String)>,
    loop_param: Option<&EcoString>,
) -> Diagnostic {
    let title = match loop_param {
        Some(name) => {
            format!("Initial value of consumed loop parameter \"{name}\" is self-aliased.")
        }
        None => "Argument passed for consuming parameter is self-aliased.".to_owned(),
    };
    let error = Diagnostic::error("self-aliasing-arg", span, title)
        .at(format!("two parts of this may share memory{}", through(cx, region)))
        .note("a function or loop that consumes it relies on its parts not sharing memory");
    with_copy(error, "pass a copy", &copy)
}

/// `scatter xs xs xs`
pub(super) fn aliased_argument(
    cx: &Checker<'_>,
    region: Region,
    arg: &Exp,
    other: Option<Span>,
) -> Diagnostic {
    let shared = cx.region_name(region).map_or("memory".to_owned(), |name| format!("\"{name}\""));
    let (title, place) = match other {
        Some(span) => {
            let title = format!(
                "Argument is consumed, but shares {shared} with another argument of the call."
            );
            (title, Some(span))
        }
        None => {
            let title = format!(
                "Argument is consumed, but shares {shared} with the function that is called."
            );
            (title, None)
        }
    };
    let mut error = Diagnostic::error("aliased-argument", arg.span, title).at("consumed here");
    if let Some(span) = place {
        error = error.label(span, format!("this may share memory{}", through(cx, region)));
    }
    if let Some(name) = cx.region_name(region) {
        error =
            error.note(format!("\"{name}\" cannot be used elsewhere in the call that consumes it"));
    }
    with_copy(error, PUT_COPY, &copy_edits(arg))
}

/// `map consume xss`
pub(super) fn consuming_argument(cx: &Checker<'_>, arg: &Exp, ty: &Ty, param: &Ty) -> Diagnostic {
    let printer = Printer { vars: cx.vars, types: cx.types };
    Diagnostic::error(
        "consuming-argument",
        arg.span,
        "Argument is a function that consumes its argument, but one that does not is expected.",
    )
    .at("a consuming function")
    .note(format!("expected: {}", printer.ty(param)))
    .note(format!("found:    {}", printer.ty(ty)))
    .note("it might be called with a value that is needed afterwards")
    .help("pass a function that copies its argument: `\\x -> f (copy x)`")
}

/// `apply (update xs) 2`
pub(super) fn argument_contains_consumption(
    cx: &Checker<'_>,
    region: Region,
    arg: &Exp,
) -> Diagnostic {
    let title = match cx.region_name(region) {
        Some(name) => format!("Argument of functional type contains consumption of \"{name}\"."),
        None => "Argument of functional type contains consumption.".to_owned(),
    };
    let mut error = Diagnostic::error("consuming-argument", arg.span, title)
        .at("this function has already consumed it")
        .note("it might be called more than once, and each call would use the same memory");
    if let Some(consumption) = &cx.regions[region].consumed {
        error = error.label(consumption.span, consumed_here(consumption));
    }
    error.help("pass a lambda that makes a copy for each call: `\\x -> f (copy xs) x`")
}

/// `let f = update xs in ...`
pub(super) fn contains_consumption(cx: &Checker<'_>, region: Region, value: &Exp) -> Diagnostic {
    let title = match cx.region_name(region) {
        Some(name) => {
            format!("Let-bound value of functional type contains consumption of \"{name}\".")
        }
        None => "Let-bound value of functional type contains consumption.".to_owned(),
    };
    let mut error = Diagnostic::error("contains-consumption", value.span, title)
        .at("this is or contains a function")
        .note(
            "the function might be called more than once, and each call would use the same memory",
        );
    if let Some(consumption) = cx.regions[region].consumed.clone() {
        if consumption.span != value.span {
            error = error.label(consumption.span, consumed_here(&consumption));
        }
        error = with_copy(error, PUT_COPY, &consumption.copy);
    }
    error
}

/// A consumed loop parameter gets back memory that is not the loop's own.
pub(super) fn consuming_loop_param_aliases(
    cx: &Checker<'_>,
    param: Option<&EcoString>,
    region: Region,
    body: &Exp,
) -> Diagnostic {
    let other = cx.region_name(region).map_or("something else".to_owned(), |n| format!("\"{n}\""));
    let param = param.map_or("_", |name| name.as_str());
    let title = format!("Return value for consuming loop parameter \"{param}\" aliases {other}.");
    let mut error = Diagnostic::error("consuming-loop-param-aliases", result_span(body), title)
        .at(format!("the value for \"{param}\" may share memory with {other}"))
        .note(format!(
            "the next iteration consumes \"{param}\", and would consume {other} as well"
        ));
    if let Some(span) = cx.regions[region].name.and_then(|var| cx.vars[var].span) {
        error = error.label(span, format!("{other} is bound here"));
    }
    error.help("return a `copy`")
}

/// `loop (xs: *[]i32, ys: *[]i32) = ... do (xs, xs)`
pub(super) fn loop_parameter_aliases_other(
    cx: &Checker<'_>,
    param: Option<&EcoString>,
    region: Region,
    body: &Exp,
) -> Diagnostic {
    let param = param.map_or("_", |name| name.as_str());
    let title = format!(
        "Return value for loop parameter \"{param}\" aliases other consumed loop parameter."
    );
    Diagnostic::error("loop-parameter-aliases-other", result_span(body), title)
        .at(format!("two parts of this may share memory{}", through(cx, region)))
        .note("the next iteration consumes one of them, and would change the other")
        .help("return a `copy` for one of them")
}

/// `loop (row, rows) = ... do (rows[0], rows with [1] = ..)`
pub(super) fn aliases_previously_returned(
    cx: &Checker<'_>,
    param: Option<&EcoString>,
    region: Region,
    body: &Exp,
) -> Diagnostic {
    let param = param.map_or("_", |name| name.as_str());
    let title = format!(
        "Return value for consuming loop parameter \"{param}\" aliases previously returned value."
    );
    Diagnostic::error("aliases-previously-returned", result_span(body), title)
        .at(format!("two parts of this may share memory{}", through(cx, region)))
        .note(format!(
            "the next iteration consumes \"{param}\", and would also change the other part"
        ))
        .help("return a `copy` for one of them")
}

/// The expression that yields the result of a body: what stands after the last `in`.
fn result_exp(body: &Exp) -> &Exp {
    if let fehu_syntax::ast::ExpKind::Let(_, inner) = &body.kind { result_exp(inner) } else { body }
}

/// Where the result of a body is.
pub(super) fn result_span(body: &Exp) -> Span {
    result_exp(body).span
}

fn through(cx: &Checker<'_>, region: Region) -> String {
    cx.region_name(region).map_or(String::new(), |name| format!(": that of \"{name}\""))
}

/// The region's variable and field, in quotes.
fn part_name(cx: &Checker<'_>, region: Region) -> Option<String> {
    let name = cx.region_name(region)?;
    Some(format!("\"{name}{}\"", cx.regions[region].path))
}

fn with_copy(error: Diagnostic, message: &str, edits: &[(Span, String)]) -> Diagnostic {
    if edits.is_empty() {
        error.help("use `copy` to get a fresh array")
    } else {
        error.fix(message, edits.iter().cloned())
    }
}
