//! Elements and slices of arrays whose elements are known.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a rule looks for the forms that it knows; the others stay as they are"
)]

use super::index::parts;
use super::{Make, array, instead, int, is_array, may_view, resolved, result, unchanged};
use crate::simplify::cx::Cx;
use crate::simplify::rules::Rewrite;
use fehu_base::Prim;
use fehu_ir::{Atom, BinOp, Dim, Exp, Scalar, Stm, Type, Var};

/// `(iota n s t)[i] = s + i*t`
pub(in crate::simplify::rules) fn index_of_iota(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (array, [Dim::Fix(at)]) = parts(stm)? else { return None };
    let Some(Exp::Iota(prim, _, start, step)) = cx.def(array.into()) else { return None };
    let (prim, start, step) = (*prim, cx.resolve(*start), cx.resolve(*step));
    let mut make = Make::new(stm);
    // No certificates: a number is computed, nothing is read.
    match counted(cx, &mut make, prim, start, step, *at) {
        Exp::Atom(atom) if make.stms.is_empty() => Rewrite::atom(atom),
        exp => {
            let mut stms = make.stms;
            let certs = Vec::new();
            stms.push(Stm { exp, certs, ..stm.clone() });
            Some(Rewrite::Stms(stms))
        }
    }
}

/// `start + i*step` in a type
fn counted(
    cx: &mut Cx<'_>,
    make: &mut Make<'_>,
    prim: Prim,
    start: Atom,
    step: Atom,
    at: Atom,
) -> Exp {
    let mut scalar = |exp: Exp| -> Atom {
        let var = cx.new_var("i", Type::prim(prim));
        make.push(vec![var], Vec::new(), exp);
        var.into()
    };
    let at = if prim == Prim::I64 { at } else { scalar(Exp::Convert(prim, at)) };
    let one = Scalar::from_bits(prim, 1);
    let distance =
        if step == Atom::Const(one) { at } else { scalar(Exp::BinOp(BinOp::Mul, at, step)) };
    if start == Atom::Const(Scalar::zero(prim)) {
        Exp::Atom(distance)
    } else {
        Exp::BinOp(BinOp::Add, start, distance)
    }
}

/// `(iota n s t)[a:k:b] = iota k (s + a*t) (b*t)`
pub(in crate::simplify::rules) fn slice_of_iota(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (array, [Dim::Slice { start: first, len, stride }]) = parts(stm)? else { return None };
    let Some(Exp::Iota(prim, _, start, step)) = cx.def(array.into()) else { return None };
    if !cx.in_frame(array) {
        return None;
    }
    let (prim, start, step) = (*prim, cx.resolve(*start), cx.resolve(*step));
    let mut make = Make::new(stm);
    make.through(cx, array);
    let zero = Atom::Const(Scalar::zero(prim));
    let from = counted(cx, &mut make, prim, start, step, *first);
    let from = named(cx, &mut make, prim, from);
    let distance = counted(cx, &mut make, prim, zero, step, *stride);
    let distance = named(cx, &mut make, prim, distance);
    make.finish(cx, Exp::Iota(prim, *len, from, distance))
}

fn named(cx: &mut Cx<'_>, make: &mut Make<'_>, prim: Prim, exp: Exp) -> Atom {
    if let Exp::Atom(atom) = exp {
        return atom;
    }
    let var = cx.new_var("i", Type::prim(prim));
    make.push(vec![var], Vec::new(), exp);
    var.into()
}

/// `(replicate (n) x)[i] = x`, `(replicate (n, m) x)[i] = replicate (m) x`, `(replicate (n) x)[a:k:b] = replicate (k) x`,
/// `(replicate (n) xs)[i, j] = xs[j]`
pub(in crate::simplify::rules) fn index_of_replicate(
    cx: &mut Cx<'_>,
    stm: &Stm,
) -> Option<Rewrite> {
    let (array, dims) = parts(stm)?;
    let Some(Exp::Replicate(shape, value)) = cx.def(array.into()) else { return None };
    let (shape, value) = (resolved(cx, shape), cx.resolve(*value));
    if !unchanged(cx, value) {
        return None;
    }
    let (first, rest) = dims.split_at(dims.len().min(shape.len()));
    let mut left: Vec<Atom> = first
        .iter()
        .filter_map(|dim| match dim {
            Dim::Fix(_) => None,
            Dim::Slice { len, .. } => Some(*len),
        })
        .collect();
    left.extend_from_slice(&shape[first.len()..]);
    let mut make = Make::new(stm);
    match (left.is_empty(), rest, value) {
        (true, [], value) => instead(cx, stm, value),
        (true, rest, Atom::Var(row)) => {
            make.through(cx, array);
            if !may_view(cx, result(stm)?, row) {
                return None;
            }
            make.finish(cx, Exp::Index(row, rest.to_vec()))
        }
        (false, [], value) if cx.in_frame(array) => {
            make.through(cx, array);
            make.finish(cx, Exp::Replicate(left, value))
        }
        _ => None,
    }
}

/// `[a, b, c][1] = b`
pub(in crate::simplify::rules) fn index_of_literal(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (array, [Dim::Fix(at), rest @ ..]) = parts(stm)? else { return None };
    let Some(Exp::Array(_, atoms)) = cx.def(array.into()) else { return None };
    let at = usize::try_from(int(*at)?).ok()?;
    let element = cx.resolve(*atoms.get(at)?);
    if rest.is_empty() {
        return instead(cx, stm, element);
    }
    let row = row(cx, element)?;
    if !may_view(cx, result(stm)?, row) {
        return None;
    }
    let mut make = Make::new(stm);
    make.through(cx, array);
    make.finish(cx, Exp::Index(row, rest.to_vec()))
}

/// `(copy xs)[i] = xs[i]`, if `xs` never changes
pub(in crate::simplify::rules) fn index_of_copy(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (copy, dims) = parts(stm)?;
    let Some(Exp::Copy(source)) = cx.def(copy.into()) else { return None };
    let source = array(cx, *source);
    if !may_view(cx, result(stm)?, source) {
        return None;
    }
    let mut make = Make::new(stm);
    make.through(cx, copy);
    make.finish(cx, Exp::Index(source, dims.to_vec()))
}

/// `(xs with [i] = x)[i] = x`, and `(xss with [i] = xs)[i, j] = xs[j]` if the memory of `xs` never changes
pub(in crate::simplify::rules) fn index_of_update(cx: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (updated, dims) = parts(stm)?;
    let Some(Exp::Update(_, places, value)) = cx.def(updated.into()) else { return None };
    let value = cx.resolve(*value);
    let (places, value): (Vec<Atom>, Atom) =
        (super::fixed(&super::resolved_dims(cx, places))?, value);
    let at = super::fixed(dims.get(..places.len())?)?;
    let rest = &dims[places.len()..];
    // What was changed in place is better made where it is stored, and read there.
    let is_readable = value.var().is_none_or(|row| !is_array(cx, value) || cx.share.is_fixed(row));
    if at != places || !is_readable {
        return None;
    }
    let to = result(stm)?;
    if cx.vars[to].ty.is_array() {
        // It would be a view of the array that was updated.
        return None;
    }
    match (rest, value) {
        ([], value) => instead(cx, stm, value),
        (rest, Atom::Var(row)) => {
            let mut make = Make::new(stm);
            make.through(cx, updated);
            make.finish(cx, Exp::Index(row, rest.to_vec()))
        }
        (_, Atom::Const(_)) => None,
    }
}

/// The array that an operand is.
fn row(cx: &Cx<'_>, atom: Atom) -> Option<Var> {
    atom.var().filter(|_| is_array(cx, atom))
}
