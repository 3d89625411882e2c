//! Elements and slices of concatenations.

use super::index::parts;
use super::{Make, array, int, may_view, result};
use crate::simplify::cx::Cx;
use crate::simplify::rules::Rewrite;
use fehu_ir::{Atom, BinOp, Dim, Exp, Stm, Var};

/// `(concat xs ys)[i] = xs[i]` for `i` less than the size of `xs`, `(concat xs ys)[n + 1] = ys[1]`, and so for slices that
/// are in one part; the part never changes. Which part it is must be known from constants, from a counter
/// up to the size of the first part, or because a slice has the size of a part and begins with it.
pub(in crate::simplify::rules) fn index_of_concat(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (all, [dim, rest @ ..]) = parts(stm)? else { return None };
    let Some(Exp::Concat(_, arrays)) = cx.def(all.into()) else { return None };
    let arrays: Vec<Var> = arrays.iter().map(|part| array(cx, *part)).collect();
    let (part, dim) = find(cx, &arrays, dim)?;
    if !may_view(cx, result(stm)?, part) {
        return None;
    }
    let mut make = Make::new(stm);
    make.through(cx, all);
    let mut dims = vec![dim];
    dims.extend_from_slice(rest);
    make.finish(cx, Exp::Index(part, dims))
}

/// The part that the positions are in, and the positions there.
fn find(cx: &Cx<'_>, arrays: &[Var], dim: &Dim) -> Option<(Var, Dim)> {
    let size = |array: Var| cx.vars[array].ty.shape().first().copied();
    let first = *arrays.first()?;
    if let Dim::Fix(at) = dim
        && cx.below(*at).is_some()
        && cx.below(*at) == size(first)
    {
        return Some((first, dim.clone()));
    }
    let mut before = Some(0i64);
    let mut sum: Vec<Atom> = Vec::new();
    for part in arrays {
        let size = size(*part)?;
        if let Dim::Slice { start, len, stride } = dim
            && *stride == Atom::i64(1)
            && *len == size
            && begins(cx, *start, before, &sum)
        {
            return Some((*part, Dim::Slice { start: Atom::i64(0), len: *len, stride: *stride }));
        }
        if let (Some(before), Some(size)) = (before, int(size))
            && let Some(dim) = inside(dim, before, size)
        {
            return Some((*part, dim));
        }
        before = before.zip(int(size)).and_then(|(before, size)| before.checked_add(size));
        sum.push(size);
    }
    None
}

/// Whether a position is the sum of these sizes, which is also given if it is known.
fn begins(cx: &Cx<'_>, start: Atom, known: Option<i64>, sizes: &[Atom]) -> bool {
    if known.is_some() && known == int(start) {
        return true;
    }
    match (sizes, cx.def(start)) {
        ([size], _) => *size == start,
        ([first, second], Some(Exp::BinOp(BinOp::Add, a, b))) => {
            let (a, b) = (cx.resolve(*a), cx.resolve(*b));
            (a, b) == (*first, *second) || (b, a) == (*first, *second)
        }
        _ => false,
    }
}

/// The positions in the part that begins at `before`, if all of them are in it.
fn inside(dim: &Dim, before: i64, size: i64) -> Option<Dim> {
    let within = |at: i64| {
        let at = at.checked_sub(before)?;
        (0 <= at && at < size).then_some(Atom::i64(at))
    };
    match dim {
        Dim::Fix(at) => within(int(*at)?).map(Dim::Fix),
        Dim::Slice { start, len, stride } => {
            let (first, count) = (int(*start)?, int(*len)?);
            if count < 1 {
                return None;
            }
            let last = int(*stride)?.checked_mul(count - 1)?.checked_add(first)?;
            within(last)?;
            Some(Dim::Slice { start: within(first)?, len: *len, stride: *stride })
        }
    }
}
