//! Entry points.

use super::{Owner, VerifyError};
use crate::streaming::{Slot, Step, slot_type};
use crate::{Atom, Entry, External, Fun, OpaqueKind, OpaqueType, Prog, Scalar, Type, Var, Variant};
use fehu_base::Prim;
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

/// Checks the steps of entry points: functions take and yield what is in the slots.
pub(super) fn check_steps(prog: &Prog, errors: &mut Vec<VerifyError>) {
    for streaming in &prog.streams {
        let Some(index) = prog.entries.iter().position(|entry| entry.name == streaming.entry)
        else {
            continue;
        };
        let slot = |slot: &Slot| streaming.slots.get(*slot).copied();
        let mut complain = |message: &str| {
            errors.push(VerifyError {
                owner: Owner::Entry(index),
                name: streaming.entry.to_string(),
                stm: None,
                text: None,
                message: message.to_owned(),
            });
        };
        for step in &streaming.steps {
            let (id, mut wanted, mut yielded, exact) = match step {
                Step::Call { fun, args, results } => (
                    *fun,
                    args.iter().map(slot).collect(),
                    results.iter().map(slot).collect(),
                    true,
                ),
                Step::Pass(pass) => {
                    let args: Vec<_> = pass.args.iter().map(slot).collect();
                    (pass.fun, args, pass.states.iter().map(slot).collect::<Vec<_>>(), false)
                }
                Step::Jump { unless, to } => {
                    if unless.is_some_and(|unless| slot(&unless) != Some((Prim::Bool, 0))) {
                        complain("the condition of a jump is no truth value");
                    }
                    if *to > streaming.steps.len() {
                        complain("a jump goes to a step that is not there");
                    }
                    continue;
                }
            };
            let fits = prog.funs.get(id).is_some_and(|fun| {
                let ty = |var: &Var| slot_type(&fun.vars[*var].ty);
                let mut params: Vec<_> = fun.params.iter().map(|param| ty(&param.var)).collect();
                let mut results: Vec<_> = fun.results.iter().map(ty).collect();
                if !exact {
                    // The chunks come after the states, and sinks after their results.
                    let states = [(Prim::I64, 0), (Prim::I64, 0), (Prim::Bool, 0)].map(Some);
                    wanted.extend(states.into_iter().chain(yielded.clone()));
                    if let Step::Pass(pass) = step {
                        for sink in &pass.sinks {
                            yielded.push(Some((Prim::I64, 0)));
                            let first = results.len().min(yielded.len());
                            let arrays = results[first..].iter().take(sink.parts).copied();
                            yielded.extend(arrays.collect::<Vec<_>>());
                        }
                    }
                    params.truncate(wanted.len());
                    if yielded.len() != results.len() {
                        results.clear();
                    }
                }
                params == wanted && results == yielded
            });
            if !fits {
                complain("the function of a step does not fit its slots");
            }
        }
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
            check_kind(opaque, messages);
            for child in external.children() {
                external_parts(child, &mut Vec::new(), messages);
            }
            parts.extend(opaque.parts.iter().map(|ty| (ty, *consumed)));
        }
    }
}

fn check_kind(opaque: &OpaqueType, messages: &mut Vec<String>) {
    let name = &opaque.name;
    let mut complain = |what: &str| {
        messages.push(format!("the {what} of type \"{name}\" are not its parts"));
    };
    match &opaque.kind {
        OpaqueKind::Plain => {}
        OpaqueKind::Record(fields) => {
            if !same_parts(fields.iter().map(|field| &field.ty), 0, &opaque.parts) {
                complain("fields");
            }
        }
        OpaqueKind::Sum(variants) => {
            let slots = |variant: &Variant| -> Option<Vec<Type>> {
                variant.slots.iter().map(|slot| opaque.parts.get(*slot).cloned()).collect()
            };
            let fits = |variant: &Variant| {
                slots(variant).is_some_and(|slots| same_parts(variant.payload.iter(), 0, &slots))
            };
            let tagged = variants.len() == 1
                || opaque.parts.first().is_some_and(|tag| *tag == Type::prim(Prim::U8));
            if !tagged || !variants.iter().all(fits) {
                complain("payloads");
            }
        }
        OpaqueKind::Array(array) => {
            let elem = std::iter::once(array.elem.as_ref());
            let unit = array.elem.parts().is_empty()
                && matches!(opaque.parts.as_slice(), [part] if part.rank() == array.rank);
            if array.rank == 0 || !(unit || same_parts(elem, array.rank, &opaque.parts)) {
                complain("elements");
            }
            let fields = || array.fields.iter().map(|field| &field.ty);
            if !array.fields.is_empty() && !same_parts(fields(), 0, &opaque.parts) {
                complain("fields");
            }
        }
    }
}

/// Whether the parts of these types, with more dimensions in front, are like these.
fn same_parts<'a>(types: impl Iterator<Item = &'a External>, more: usize, parts: &[Type]) -> bool {
    let mine: Vec<&Type> = types.flat_map(External::parts).collect();
    let fits = |(a, b): (&&Type, &Type)| {
        a.elem() == b.elem() && a.rank() + more == b.rank() && a.elem().is_some()
    };
    mine.len() == parts.len() && mine.iter().zip(parts).all(fits)
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
