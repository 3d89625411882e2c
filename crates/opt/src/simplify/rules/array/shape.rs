//! Other shapes and orders of dimensions.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a rule looks for the forms that it knows; the others stay as they are"
)]

use super::{Make, array, int, resolved, resolved_dims, same, unchanged};
use crate::simplify::cx::Cx;
use crate::simplify::rules::Rewrite;
use fehu_ir::{Atom, Dim, Exp, Stm, Var};

fn reshape_parts(stm: &Stm) -> Option<(Var, &[Atom])> {
    match &stm.exp {
        Exp::Reshape(array, shape) => Some((*array, shape)),
        _ => None,
    }
}

fn rearrange_parts(stm: &Stm) -> Option<(Var, &[usize])> {
    match &stm.exp {
        Exp::Rearrange(array, perm) => Some((*array, perm)),
        _ => None,
    }
}

/// `reshape (n, m) xs = xs` for `xs: [n][m]t`
pub(in crate::simplify::rules) fn reshape_to_same(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (array, shape) = reshape_parts(stm)?;
    if cx.vars[array].ty.shape() == shape { same(cx, stm, array) } else { None }
}

/// `reshape s (reshape t xs) = reshape s xs`
pub(in crate::simplify::rules) fn reshape_of_reshape(
    cx: &mut Cx<'_>,
    stm: &Stm,
) -> Option<Rewrite> {
    let (view, shape) = reshape_parts(stm)?;
    let Some(Exp::Reshape(source, _)) = cx.def(view.into()) else { return None };
    let source = array(cx, *source);
    let mut make = Make::new(stm);
    make.through(cx, view);
    make.finish(cx, Exp::Reshape(source, shape.to_vec()))
}

/// `reshape (k) (iota n s t) = iota k s t`, for a new name of the size
pub(in crate::simplify::rules) fn reshape_of_iota(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (view, [size]) = reshape_parts(stm)? else { return None };
    let Some(Exp::Iota(prim, _, start, step)) = cx.def(view.into()) else { return None };
    if !cx.in_frame(view) {
        return None;
    }
    let exp = Exp::Iota(*prim, *size, cx.resolve(*start), cx.resolve(*step));
    let mut make = Make::new(stm);
    make.through(cx, view);
    make.finish(cx, exp)
}

/// `reshape (k, m) (replicate (n) x) = replicate (k, m) x` for a scalar `x`, and for an array if its dimensions stay
pub(in crate::simplify::rules) fn reshape_of_replicate(
    cx: &mut Cx<'_>,
    stm: &Stm,
) -> Option<Rewrite> {
    let (view, shape) = reshape_parts(stm)?;
    let Some(Exp::Replicate(_, value)) = cx.def(view.into()) else { return None };
    let value = cx.resolve(*value);
    if !cx.in_frame(view) || !unchanged(cx, value) {
        return None;
    }
    let row = value.var().map_or(&[][..], |var| cx.vars[var].ty.shape());
    let count = shape.len().checked_sub(row.len()).filter(|count| *count > 0)?;
    // If the row has no elements, the numbers of rows may differ.
    if shape[count..] != *row || !row.iter().all(|size| int(*size).is_some_and(|size| size > 0)) {
        return None;
    }
    let mut make = Make::new(stm);
    make.through(cx, view);
    make.finish(cx, Exp::Replicate(shape[..count].to_vec(), value))
}

/// `reshape (k) xs[a:n:s] = xs[a:k:s]`, for a new name of the size
pub(in crate::simplify::rules) fn reshape_of_slice(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (view, [size]) = reshape_parts(stm)? else { return None };
    let Some(Exp::Index(source, dims)) = cx.def(view.into()) else { return None };
    let (source, mut dims) = (array(cx, *source), resolved_dims(cx, dims));
    // Of arrays with other dimensions, the number of elements may be zero for another reason.
    if cx.vars[view].ty.rank() != 1 || cx.vars[source].ty.rank() != dims.len() {
        return None;
    }
    let dim = dims.iter_mut().find(|dim| matches!(dim, Dim::Slice { .. }))?;
    if let Dim::Slice { len, .. } = dim {
        *len = *size;
    }
    let mut make = Make::new(stm);
    make.through(cx, view);
    make.finish(cx, Exp::Index(source, dims))
}

/// `rearrange (0, 1) xs = xs`
pub(in crate::simplify::rules) fn rearrange_to_same(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (array, perm) = rearrange_parts(stm)?;
    if perm.iter().copied().eq(0..perm.len()) { same(cx, stm, array) } else { None }
}

/// `rearrange p (rearrange q xs) = rearrange (q . p) xs`
pub(in crate::simplify::rules) fn rearrange_of_rearrange(
    cx: &mut Cx<'_>,
    stm: &Stm,
) -> Option<Rewrite> {
    let (view, perm) = rearrange_parts(stm)?;
    let Some(Exp::Rearrange(source, inner)) = cx.def(view.into()) else { return None };
    let source = array(cx, *source);
    let perm = perm.iter().map(|at| inner.get(*at).copied()).collect::<Option<Vec<usize>>>()?;
    let mut make = Make::new(stm);
    make.through(cx, view);
    make.finish(cx, Exp::Rearrange(source, perm))
}

/// `rearrange (1, 0) (replicate (n, m) x) = replicate (m, n) x`, if the dimensions of `x` stay
pub(in crate::simplify::rules) fn rearrange_of_replicate(
    cx: &mut Cx<'_>,
    stm: &Stm,
) -> Option<Rewrite> {
    let (view, perm) = rearrange_parts(stm)?;
    let Some(Exp::Replicate(shape, value)) = cx.def(view.into()) else { return None };
    let (shape, value) = (resolved(cx, shape), cx.resolve(*value));
    let (front, back) = perm.split_at(shape.len());
    let stays = back.iter().copied().eq(shape.len()..perm.len());
    if !stays || !cx.in_frame(view) || !unchanged(cx, value) {
        return None;
    }
    let shape = front.iter().map(|at| shape.get(*at).copied()).collect::<Option<Vec<Atom>>>()?;
    let mut make = Make::new(stm);
    make.through(cx, view);
    make.finish(cx, Exp::Replicate(shape, value))
}

/// `rearrange p xs = reshape s xs`, if only dimensions of size one move
pub(in crate::simplify::rules) fn rearrange_of_ones(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (array, perm) = rearrange_parts(stm)?;
    let shape = cx.vars[array].ty.shape();
    let kept: Vec<usize> = perm.iter().copied().filter(|at| shape[*at] != Atom::i64(1)).collect();
    if kept.len() == perm.len() || !kept.is_sorted() {
        return None;
    }
    let shape = perm.iter().map(|at| shape[*at]).collect();
    Rewrite::exp(Exp::Reshape(array, shape))
}
