//! Elements, rows and slices of views.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a rule looks for the forms that it knows; the others stay as they are"
)]

use super::{Make, array, fixed, resolved, resolved_dims, same, whole};
use crate::simplify::cx::Cx;
use crate::simplify::rules::Rewrite;
use fehu_ir::{Atom, Dim, Exp, Stm, Var};

/// The array and the positions.
pub(super) fn parts(stm: &Stm) -> Option<(Var, &[Dim])> {
    match &stm.exp {
        Exp::Index(array, dims) => Some((*array, dims)),
        _ => None,
    }
}

/// `xs[0:n:1] = xs` for `xs: [n]t`
pub(in crate::simplify::rules) fn index_whole(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (array, dims) = parts(stm)?;
    if !is_whole(dims, cx.vars[array].ty.shape()) {
        return None;
    }
    same(cx, stm, array)
}

/// Whether an index is the whole array.
pub(super) fn is_whole(dims: &[Dim], shape: &[Atom]) -> bool {
    dims.len() <= shape.len() && dims.iter().zip(shape).all(|(dim, size)| *dim == whole(*size))
}

/// `xs[i, 0:m:1] = xs[i]` for `xs: [n][m]t`
pub(in crate::simplify::rules) fn index_trailing(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (array, dims) = parts(stm)?;
    let shape = cx.vars[array].ty.shape();
    let keep =
        (0..dims.len()).rev().find(|at| dims[*at] != whole(shape[*at])).map_or(0, |at| at + 1);
    if keep == dims.len() {
        return None;
    }
    Rewrite::exp(Exp::Index(array, dims[..keep].to_vec()))
}

/// `xs[s:n:t][i] = xs[s + i*t]`, `xs[s:n:t][a:k:b] = xs[s + a*t : k : t*b]`, `xs[i][j] = xs[i, j]`, but for elements of
/// a part of an array that is cut out in several dimensions: where such a part is, and how large it is, is worth
/// knowing to those who execute it.
pub(in crate::simplify::rules) fn index_of_index(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (view, dims) = parts(stm)?;
    let Some(Exp::Index(source, outer)) = cx.def(view.into()) else { return None };
    let (source, outer) = (array(cx, *source), resolved_dims(cx, outer));
    if fixed(dims).is_some() && is_cut_out(&outer, cx.vars[source].ty.shape()) {
        return None;
    }
    let mut make = Make::new(stm);
    make.through(cx, view);
    let mut inner = dims.iter();
    let mut all = Vec::with_capacity(outer.len());
    for dim in outer {
        let Dim::Slice { start, stride, .. } = dim else {
            all.push(dim);
            continue;
        };
        all.push(match inner.next() {
            None => dim,
            Some(Dim::Fix(at)) => {
                let distance = make.mul(cx, *at, stride);
                Dim::Fix(make.add(cx, start, distance))
            }
            Some(Dim::Slice { start: first, len, stride: step }) => {
                let distance = make.mul(cx, *first, stride);
                let start = make.add(cx, start, distance);
                Dim::Slice { start, len: *len, stride: make.mul(cx, *step, stride) }
            }
        });
    }
    all.extend(inner.cloned());
    make.finish(cx, Exp::Index(source, all))
}

/// Whether positions are a part of an array with all of its dimensions, several of which are not whole.
fn is_cut_out(dims: &[Dim], shape: &[Atom]) -> bool {
    let is_slice = |dim: &Dim| matches!(dim, Dim::Slice { .. });
    dims.iter().all(is_slice)
        && dims.iter().zip(shape).filter(|(dim, size)| **dim != whole(**size)).count() > 1
}

/// `(rearrange (1, 0) xs)[i, j] = xs[j, i]`; dimensions that are left are rearranged after that:
/// `(rearrange (2, 1, 0) xs)[i] = rearrange (1, 0) xs[0:n:1, 0:m:1, i]`
pub(in crate::simplify::rules) fn index_of_rearrange(
    cx: &mut Cx<'_>,
    stm: &Stm,
) -> Option<Rewrite> {
    let (view, dims) = parts(stm)?;
    let Some(Exp::Rearrange(source, perm)) = cx.def(view.into()) else { return None };
    if !dims.iter().any(|dim| matches!(dim, Dim::Fix(_))) {
        return None;
    }
    let (source, perm) = (array(cx, *source), perm.clone());
    let mut make = Make::new(stm);
    make.through(cx, view);
    let mut all: Vec<Dim> = cx.vars[source].ty.shape().iter().map(|size| whole(*size)).collect();
    for (dim, at) in dims.iter().zip(&perm) {
        all[*at] = dim.clone();
    }
    let is_left = |at: &usize| matches!(all[*at], Dim::Slice { .. });
    let left: Vec<usize> = perm.iter().copied().filter(is_left).collect();
    let mut order = left.clone();
    order.sort_unstable();
    if left == order {
        return make.finish(cx, Exp::Index(source, all));
    }
    let perm =
        left.iter().map(|at| order.binary_search(at).ok()).collect::<Option<Vec<usize>>>()?;
    let part = make.bind(cx, "part", Exp::Index(source, all))?;
    make.finish(cx, Exp::Rearrange(part, perm))
}

/// `(reshape (a, b) xs)[i, j] = xs[i*b + j]`, and so if only some dimensions are made from one; the others are
/// the same in both shapes. Not the other way round, which would have to divide.
pub(in crate::simplify::rules) fn index_of_reshape(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (view, dims) = parts(stm)?;
    let Some(Exp::Reshape(source, shape)) = cx.def(view.into()) else { return None };
    let (source, new) = (array(cx, *source), resolved(cx, shape));
    let positions = fixed(dims)?;
    let old = cx.vars[source].ty.shape().to_vec();
    // What is not indexed is the same in both.
    let rest = new.len().checked_sub(positions.len())?;
    let mut old_end = old.len().checked_sub(rest)?;
    if old[old_end..] != new[positions.len()..] {
        return None;
    }
    let mut end = positions.len();
    let front = new[..end].iter().zip(&old[..old_end]).take_while(|(a, b)| a == b).count();
    while end > front && old_end > front && new[end - 1] == old[old_end - 1] {
        end -= 1;
        old_end -= 1;
    }
    if old_end - front > 1 {
        return None;
    }
    let mut make = Make::new(stm);
    make.through(cx, view);
    let mut all = positions[..front].to_vec();
    if old_end > front {
        let mut flat = Atom::i64(0);
        for at in front..end {
            let before = make.mul(cx, flat, new[at]);
            flat = make.add(cx, before, positions[at]);
        }
        all.push(flat);
    } else if new[front..end].iter().any(|size| *size != Atom::i64(1)) {
        return None;
    }
    all.extend_from_slice(&positions[end..]);
    make.finish(cx, Exp::Index(source, all.into_iter().map(Dim::Fix).collect()))
}
