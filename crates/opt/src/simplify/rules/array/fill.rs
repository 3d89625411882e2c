//! Arrays that are filled with something known.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a rule looks for the forms that it knows; the others stay as they are"
)]

use super::{Make, int, resolved, unchanged};
use crate::simplify::cx::Cx;
use crate::simplify::rules::Rewrite;
use fehu_ir::{Atom, Exp, Scalar, Stm};

/// From this number of elements on, a literal of equal elements is a `replicate`.
const MANY: usize = 4;

/// `replicate (n) (replicate (m) x) = replicate (n, m) x`
pub(in crate::simplify::rules) fn replicate_of_replicate(
    cx: &mut Cx<'_>,
    stm: &Stm,
) -> Option<Rewrite> {
    let Exp::Replicate(shape, row @ Atom::Var(inner)) = &stm.exp else { return None };
    let Some(Exp::Replicate(sizes, value)) = cx.def(*row) else { return None };
    let (sizes, value) = (resolved(cx, sizes), cx.resolve(*value));
    if !unchanged(cx, value) {
        return None;
    }
    let mut make = Make::new(stm);
    make.through(cx, *inner);
    make.finish(cx, Exp::Replicate([&shape[..], &sizes].concat(), value))
}

/// `replicate () xs = copy xs`
pub(in crate::simplify::rules) fn replicate_once(_: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    match &stm.exp {
        Exp::Replicate(shape, Atom::Var(array)) if shape.is_empty() => {
            Rewrite::exp(Exp::Copy(*array))
        }
        _ => None,
    }
}

/// `replicate (0) x = scratch`, which needs no `x`
pub(in crate::simplify::rules) fn replicate_empty(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let Exp::Replicate(shape, Atom::Var(value)) = &stm.exp else { return None };
    if !shape.iter().any(|size| int(*size) == Some(0)) {
        return None;
    }
    let ty = &cx.vars[*value].ty;
    let exp = Exp::Scratch(ty.elem()?, [&shape[..], ty.shape()].concat());
    Make::new(stm).finish(cx, exp)
}

/// `iota 0 s t = iota 0 0 0`, which needs no `s` and `t`; `iota 1 s t = [s]`
pub(in crate::simplify::rules) fn iota_short(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let Exp::Iota(prim, count, start, step) = stm.exp else { return None };
    let zero = Atom::Const(Scalar::zero(prim));
    match int(count)? {
        0 if (start, step) != (zero, zero) => Rewrite::exp(Exp::Iota(prim, count, zero, zero)),
        1 => Make::new(stm).finish(cx, Exp::Array(prim.into(), vec![start])),
        _ => None,
    }
}

/// `[x, x, x, x] = replicate (4) x`
pub(in crate::simplify::rules) fn literal_of_equals(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let Exp::Array(_, atoms) = &stm.exp else { return None };
    let (first, rest) = atoms.split_first()?;
    if atoms.len() < MANY || rest.iter().any(|atom| atom != first) {
        return None;
    }
    let size = Atom::i64(atoms.len() as i64);
    Make::new(stm).finish(cx, Exp::Replicate(vec![size], *first))
}
