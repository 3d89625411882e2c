//! Updates whose array, value or place is known.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a rule looks for the forms that it knows; the others stay as they are"
)]

use super::index::is_whole;
use super::{Make, array, fixed, int, resolved, resolved_dims, same};
use crate::simplify::cx::Cx;
use crate::simplify::rules::Rewrite;
use fehu_ir::{Atom, Dim, Exp, Stm, Var};

fn parts(stm: &Stm) -> Option<(Var, &[Dim], Atom)> {
    match &stm.exp {
        Exp::Update(array, dims, value) => Some((*array, dims, *value)),
        _ => None,
    }
}

/// `xs with [0:n:1] = ys` is `copy ys`, if `xs` is not needed for its memory: it was made here only for this, or
/// `ys` was and needs no copy
pub(in crate::simplify::rules) fn update_whole(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (old, dims, value) = parts(stm)?;
    let new = value.var().filter(|var| cx.vars[*var].ty.is_array())?;
    if !is_whole(dims, cx.vars[old].ty.shape()) || cx.vars[new].ty != cx.vars[old].ty {
        return None;
    }
    let not_needed = is_made(cx, old) && cx.is_last_use(old);
    if !not_needed && !cx.is_last_use(new) {
        return None;
    }
    Make::new(stm).finish(cx, Exp::Copy(new))
}

/// Whether an array's memory is new, and not that of an array that was updated.
fn is_made(cx: &Cx<'_>, array: Var) -> bool {
    matches!(
        cx.def(array.into()),
        Some(
            Exp::Scratch(..)
                | Exp::Replicate(..)
                | Exp::Iota(..)
                | Exp::Array(..)
                | Exp::Copy(_)
                | Exp::Manifest(_)
                | Exp::Concat(..)
        )
    )
}

/// `xs with [i] = xs[i]` is `xs`
pub(in crate::simplify::rules) fn update_with_same(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (old, dims, value) = parts(stm)?;
    let Some(Exp::Index(source, places)) = cx.def(value) else { return None };
    if array(cx, *source) != old || resolved_dims(cx, places) != dims || !is_number(cx, value) {
        return None;
    }
    same(cx, stm, old)
}

fn is_number(cx: &Cx<'_>, atom: Atom) -> bool {
    atom.var().is_none_or(|var| !cx.vars[var].ty.is_array())
}

/// `(xs with [i] = x) with [i] = y` is `xs with [i] = y`, and `(xs with [i] = x) with [0:n:1] = ys` is
/// `xs with [0:n:1] = ys`, if nothing else looks at the first
pub(in crate::simplify::rules) fn update_twice(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (first, dims, value) = parts(stm)?;
    let Some(Exp::Update(old, places, _)) = cx.def(first.into()) else { return None };
    let (old, places) = (array(cx, *old), resolved_dims(cx, places));
    let covers = places == dims || is_whole(dims, cx.vars[first].ty.shape());
    if !covers || !cx.is_last_use(first) {
        return None;
    }
    // The new value must not be in the array that is updated, and cannot be: that was consumed by the first.
    let mut make = Make::new(stm);
    make.through(cx, first);
    make.finish(cx, Exp::Update(old, dims.to_vec(), value))
}

/// `[a, b, c] with [1] = x` is `[a, x, c]`, if nothing else looks at the first
pub(in crate::simplify::rules) fn update_of_literal(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (old, dims, value) = parts(stm)?;
    let Some(Exp::Array(elem, atoms)) = cx.def(old.into()) else { return None };
    if cx.vars[old].ty.rank() != 1 || !cx.is_last_use(old) {
        return None;
    }
    let [at] = fixed(dims)?[..] else { return None };
    let at = usize::try_from(int(at)?).ok().filter(|at| *at < atoms.len())?;
    let (elem, mut atoms) = (*elem, resolved(cx, atoms));
    atoms[at] = value;
    Make::new(stm).finish(cx, Exp::Array(elem, atoms))
}
