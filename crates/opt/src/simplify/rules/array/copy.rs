//! Copies that nobody needs.
//!
//! A copy has memory of its own, which is needed if it or its source changes while both are used.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a rule looks for the forms that it knows; the others stay as they are"
)]

use super::{Make, array, instead, may_view, result, unchanged};
use crate::simplify::cx::Cx;
use crate::simplify::rules::Rewrite;
use fehu_ir::{Exp, Stm};

/// The most elements of an array that is written down twice.
const MAX_ELEMENTS: usize = 16;

/// `copy xs = xs`, if neither ever changes
pub(in crate::simplify::rules) fn copy_fixed(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let Exp::Copy(source) = stm.exp else { return None };
    instead(cx, stm, source.into())
}

/// `copy xs = xs`, if this is the last use of `xs` and `xs` was made here
pub(in crate::simplify::rules) fn copy_last_use(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let Exp::Copy(source) = stm.exp else { return None };
    let result = result(stm)?;
    if !cx.is_last_use(source) || cx.vars[source].ty != cx.vars[result].ty {
        return None;
    }
    cx.share.join(result, source);
    Rewrite::atom(source)
}

/// `copy (copy xs) = copy xs`, if `xs` never changes; also `copy (manifest xs)` and `manifest (copy xs)`
pub(in crate::simplify::rules) fn copy_of_copy(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (Exp::Copy(copy) | Exp::Manifest(copy)) = stm.exp else { return None };
    let Some(Exp::Copy(source) | Exp::Manifest(source)) = cx.def(copy.into()) else { return None };
    let source = array(cx, *source);
    if !cx.share.is_settled(source) {
        return None;
    }
    let row_major = matches!(stm.exp, Exp::Manifest(_));
    let mut make = Make::new(stm);
    make.through(cx, copy);
    make.finish(cx, if row_major { Exp::Manifest(source) } else { Exp::Copy(source) })
}

/// `copy (iota n s t) = iota n s t`, and so for `replicate`, `scratch` and short literals of scalars
pub(in crate::simplify::rules) fn copy_of_fill(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (Exp::Copy(source) | Exp::Manifest(source)) = stm.exp else { return None };
    if !cx.in_frame(source) {
        return None;
    }
    let again = match cx.def(source.into())? {
        exp @ (Exp::Iota(..) | Exp::Scratch(..)) => exp.clone(),
        exp @ Exp::Replicate(_, value) if unchanged(cx, cx.resolve(*value)) => exp.clone(),
        exp @ Exp::Array(_, atoms)
            if atoms.len() <= MAX_ELEMENTS && cx.vars[source].ty.rank() == 1 =>
        {
            exp.clone()
        }
        _ => return None,
    };
    let mut make = Make::new(stm);
    make.through(cx, source);
    let again = resolved_fill(cx, again);
    make.finish(cx, again)
}

fn resolved_fill(cx: &Cx<'_>, exp: Exp) -> Exp {
    let atoms = |atoms: Vec<_>| super::resolved(cx, &atoms);
    match exp {
        Exp::Iota(prim, count, start, step) => {
            Exp::Iota(prim, cx.resolve(count), cx.resolve(start), cx.resolve(step))
        }
        Exp::Scratch(elem, shape) => Exp::Scratch(elem, atoms(shape)),
        Exp::Replicate(shape, value) => Exp::Replicate(atoms(shape), cx.resolve(value)),
        Exp::Array(elem, items) => Exp::Array(elem, atoms(items)),
        other => other,
    }
}

/// `manifest xs = xs` for an array in row-major order already, if neither ever changes or if this is the last use
pub(in crate::simplify::rules) fn manifest_of_row_major(
    cx: &mut Cx<'_>,
    stm: &Stm,
) -> Option<Rewrite> {
    let Exp::Manifest(source) = stm.exp else { return None };
    match cx.def(source.into())? {
        Exp::Manifest(_) | Exp::Array(..) | Exp::Concat(..) => {}
        Exp::Iota(..) | Exp::Replicate(..) | Exp::Scratch(..) => {}
        _ => return None,
    }
    let result = result(stm)?;
    if cx.vars[source].ty != cx.vars[result].ty {
        return None;
    }
    if cx.is_last_use(source) {
        cx.share.join(result, source);
        return Rewrite::atom(source);
    }
    if may_view(cx, result, source) { Rewrite::atom(source) } else { None }
}
