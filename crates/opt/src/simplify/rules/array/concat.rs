//! Concatenations: fewer and larger parts.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a rule looks for the forms that it knows; the others stay as they are"
)]

use super::{Make, array, int, resolved, resolved_dims, unchanged};
use crate::simplify::cx::Cx;
use crate::simplify::rules::Rewrite;
use crate::simplify::rules::reassociate::is_sum;
use fehu_ir::{Atom, Dim, Exp, Stm, Var};

/// The most elements of a literal that is made from two.
const MAX_ELEMENTS: usize = 64;

fn parts(stm: &Stm) -> Option<(Atom, &[Var])> {
    match &stm.exp {
        Exp::Concat(size, arrays) => Some((*size, arrays)),
        _ => None,
    }
}

/// The outermost size.
fn size(cx: &Cx<'_>, array: Var) -> Option<Atom> {
    cx.vars[array].ty.shape().first().copied()
}

/// `concat xs = copy xs`
pub(in crate::simplify::rules) fn concat_of_one(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (_, [array]) = parts(stm)? else { return None };
    Make::new(stm).finish(cx, Exp::Copy(*array))
}

/// `concat xs [] ys = concat xs ys`
pub(in crate::simplify::rules) fn concat_with_empty(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (total, arrays) = parts(stm)?;
    let mut left = arrays.to_vec();
    left.retain(|array| size(cx, *array) != Some(Atom::i64(0)));
    // One part has to stay, for the type.
    if left.is_empty() {
        left.push(arrays[0]);
    }
    if left.len() == arrays.len() {
        return None;
    }
    Make::new(stm).finish(cx, Exp::Concat(total, left))
}

/// `concat (concat xs ys) zs = concat xs ys zs`, if nothing else needs the inner one and its parts never change
pub(in crate::simplify::rules) fn concat_of_concat(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (total, arrays) = parts(stm)?;
    let mut make = Make::new(stm);
    let mut all = Vec::new();
    for part in arrays {
        match cx.def((*part).into()) {
            Some(Exp::Concat(_, inner)) if cx.is_only_use(*part) && cx.in_frame(*part) => {
                let inner: Vec<Var> = inner.iter().map(|part| array(cx, *part)).collect();
                if inner.iter().all(|part| cx.share.is_settled(*part)) {
                    make.through(cx, *part);
                    all.extend(inner);
                } else {
                    all.push(*part);
                }
            }
            _ => all.push(*part),
        }
    }
    if all.len() == arrays.len() {
        return None;
    }
    make.finish(cx, Exp::Concat(total, all))
}

/// `concat (copy xs) ys = concat xs ys`, if `xs` never changes
pub(in crate::simplify::rules) fn concat_of_copies(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (total, arrays) = parts(stm)?;
    let mut make = Make::new(stm);
    let mut all = arrays.to_vec();
    for part in &mut all {
        if let Some(Exp::Copy(source)) = cx.def((*part).into()) {
            let source = array(cx, *source);
            if cx.share.is_settled(source) && cx.vars[source].ty == cx.vars[*part].ty {
                make.through(cx, *part);
                *part = source;
            }
        }
    }
    if all == arrays {
        return None;
    }
    make.finish(cx, Exp::Concat(total, all))
}

/// `concat [a, b] [c] = [a, b, c]`, `concat (replicate n x) (replicate m x) = replicate (n + m) x`, and
/// `concat xs[a:n:1] xs[a+n:m:1] = xs[a:n+m:1]`, of neighbours
pub(in crate::simplify::rules) fn concat_neighbours(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (total, arrays) = parts(stm)?;
    for at in 1..arrays.len() {
        let (first, second) = (arrays[at - 1], arrays[at]);
        let mut make = Make::new(stm);
        let both = literals(cx, first, second)
            .or_else(|| replicates(cx, &mut make, arrays, total, first, second))
            .or_else(|| slices(cx, &mut make, arrays, total, first, second));
        let Some(both) = both else { continue };
        make.through(cx, first);
        make.through(cx, second);
        let mut all = arrays.to_vec();
        all.remove(at);
        if let ([_], false) = (&all[..], matches!(both, Exp::Index(..))) {
            return make.finish(cx, both);
        }
        all[at - 1] = make.bind(cx, "part", both)?;
        return make.finish(cx, Exp::Concat(total, all));
    }
    None
}

fn literals(cx: &Cx<'_>, first: Var, second: Var) -> Option<Exp> {
    let Some(Exp::Array(elem, a)) = cx.def(first.into()) else { return None };
    let Some(Exp::Array(_, b)) = cx.def(second.into()) else { return None };
    if a.len() + b.len() > MAX_ELEMENTS {
        return None;
    }
    let atoms = resolved(cx, &[&a[..], b].concat());
    atoms.iter().all(|atom| unchanged(cx, *atom)).then_some(Exp::Array(*elem, atoms))
}

fn replicates(
    cx: &mut Cx<'_>,
    make: &mut Make<'_>,
    arrays: &[Var],
    total: Atom,
    first: Var,
    second: Var,
) -> Option<Exp> {
    let Some(Exp::Replicate(a, x)) = cx.def(first.into()) else { return None };
    let Some(Exp::Replicate(b, y)) = cx.def(second.into()) else { return None };
    let (mut a, b) = (resolved(cx, a), resolved(cx, b));
    let (x, y) = (cx.resolve(*x), cx.resolve(*y));
    if x != y || a.is_empty() || a.get(1..) != b.get(1..) || !unchanged(cx, x) {
        return None;
    }
    a[0] = sum(cx, make, arrays, total, a[0], b[0]);
    Some(Exp::Replicate(a, x))
}

/// The size of two parts together.
fn sum(
    cx: &mut Cx<'_>,
    make: &mut Make<'_>,
    arrays: &[Var],
    total: Atom,
    a: Atom,
    b: Atom,
) -> Atom {
    if arrays.len() == 2 { total } else { make.add(cx, a, b) }
}

fn slices(
    cx: &mut Cx<'_>,
    make: &mut Make<'_>,
    arrays: &[Var],
    total: Atom,
    first: Var,
    second: Var,
) -> Option<Exp> {
    let Some(Exp::Index(source, dims)) = cx.def(first.into()) else { return None };
    let Some(Exp::Index(other, others)) = cx.def(second.into()) else { return None };
    let (source, other) = (array(cx, *source), array(cx, *other));
    let (dims, others) = (resolved_dims(cx, dims), resolved_dims(cx, others));
    // What comes before is the same place, then come the rows that are concatenated.
    let at = dims.iter().position(|dim| matches!(dim, Dim::Slice { .. }))?;
    let Dim::Slice { start, len, stride } = dims[at] else { return None };
    let Some(Dim::Slice { start: next, len: more, stride: step }) = others.get(at) else {
        return None;
    };
    let same = source == other && dims[..at] == others[..at] && dims[at + 1..] == others[at + 1..];
    if !same || stride != *step || !follows(cx, start, len, stride, *next) {
        return None;
    }
    let (start, len) = (start, sum(cx, make, arrays, total, len, *more));
    let mut dims = dims;
    dims[at] = Dim::Slice { start, len, stride };
    Some(Exp::Index(source, dims))
}

/// Whether `next` is `start + len * stride`.
fn follows(cx: &Cx<'_>, start: Atom, len: Atom, stride: Atom, next: Atom) -> bool {
    if let (Some(start), Some(len), Some(stride), Some(next)) =
        (int(start), int(len), int(stride), int(next))
    {
        return len.checked_mul(stride).and_then(|all| all.checked_add(start)) == Some(next);
    }
    stride == Atom::i64(1) && is_sum(cx, next, start, len)
}
