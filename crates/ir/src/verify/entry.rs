//! Entry points.

use super::{Owner, VerifyError};
use crate::{Atom, Entry, External, Fun, OpaqueType, Prog, Scalar, Type, Var};
use rustc_hash::FxHashSet;

/// Checks all entry points.
pub(super) fn check(prog: &Prog, errors: &mut Vec<VerifyError>) {
    let mut names = FxHashSet::default();
    for (index, entry) in prog.entries.iter().enumerate() {
        let mut messages = Vec::new();
        if !names.insert(&entry.name) {
            messages.push("there is another entry point with this name".to_owned());
        }
        match prog.funs.get(entry.fun) {
            Some(fun) => check_entry(entry, fun, &mut messages),
            None => messages.push("its function does not exist".to_owned()),
        }
        errors.extend(messages.into_iter().map(|message| VerifyError {
            owner: Owner::Entry(index),
            name: entry.name.to_string(),
            stm: None,
            text: None,
            message,
        }));
    }
}

fn check_entry(entry: &Entry, fun: &Fun, messages: &mut Vec<String>) {
    let mut parts: Vec<(&Type, bool)> = Vec::new();
    for (_, external) in &entry.params {
        external_parts(external, &mut parts, messages);
    }
    let params: Vec<(Var, bool)> = fun.params.iter().map(|p| (p.var, p.consumed)).collect();
    match_parts("parameter", &params, &parts, fun, messages);
    for ((_, consumed), (_, allowed)) in
        params[params.len().saturating_sub(parts.len())..].iter().zip(&parts)
    {
        if *consumed && !*allowed {
            messages
                .push("a parameter is consumed, but its external type does not say so".to_owned());
        }
    }
    let mut parts = Vec::new();
    external_parts(&entry.result, &mut parts, messages);
    let results: Vec<(Var, bool)> = fun.results.iter().map(|var| (*var, false)).collect();
    match_parts("result", &results, &parts, fun, messages);
}

/// The types of the IR values of an external type; checks that fields add up.
fn external_parts<'a>(
    external: &'a External,
    parts: &mut Vec<(&'a Type, bool)>,
    messages: &mut Vec<String>,
) {
    match external {
        External::Transparent(ty, consumed) => parts.push((ty, *consumed)),
        External::Opaque(opaque, consumed) => {
            check_fields(opaque, messages);
            parts.extend(opaque.parts.iter().map(|ty| (ty, *consumed)));
        }
    }
}

fn check_fields(opaque: &OpaqueType, messages: &mut Vec<String>) {
    if opaque.fields.is_empty() {
        return;
    }
    let mut parts = Vec::new();
    for field in &opaque.fields {
        external_parts(&field.ty, &mut parts, messages);
    }
    let same = parts.len() == opaque.parts.len()
        && parts.iter().zip(&opaque.parts).all(|((a, _), b)| similar(a, b));
    if !same {
        messages.push(format!("the fields of type \"{}\" are not its parts", opaque.name));
    }
}

/// The leading variables are sizes; the others are the parts.
fn match_parts(
    what: &str,
    vars: &[(Var, bool)],
    parts: &[(&Type, bool)],
    fun: &Fun,
    messages: &mut Vec<String>,
) {
    let Some(sizes) = vars.len().checked_sub(parts.len()) else {
        let (found, wanted) = (parts.len(), vars.len());
        messages.push(format!("its {what}s have {found} parts, but the function has {wanted}"));
        return;
    };
    let ty = |var: Var| fun.vars.get(var).map(|info| &info.ty);
    if vars[..sizes].iter().any(|(var, _)| ty(*var) != Some(&Type::I64)) {
        messages.push(format!("a {what} of the function is neither a size nor a part"));
    }
    for ((var, _), (part, _)) in vars[sizes..].iter().zip(parts) {
        if !ty(*var).is_some_and(|ty| similar(ty, part)) {
            let name = crate::text::var_name(*var, &fun.vars);
            messages.push(format!("a part has not the type of {what} \"{name}\""));
        }
        for size in part.shape() {
            let known = match size {
                Atom::Var(size) => ty(*size) == Some(&Type::I64),
                Atom::Const(value) => matches!(value, Scalar::I64(_)),
            };
            if !known {
                messages.push(format!("a size in a {what} is not a size of the function"));
            }
        }
    }
}

/// Equal but for sizes, which the outside world may call otherwise.
fn similar(a: &Type, b: &Type) -> bool {
    a.elem() == b.elem() && a.rank() == b.rank() && a.elem().is_some()
}
