//! What is recorded of contributions to an accumulator, and the histogram of it.

use crate::differentiate::num::identity;
use fehu_base::{OrBug, Prim};
use fehu_ir::builder::Builder;
use fehu_ir::free::free_in_body;
use fehu_ir::{AccInput, Atom, BinOp, Body, Exp, Hist, HistOp, Lambda, Type, Var};

/// The types of what is recorded of a contribution: the indices, and the parts of the value.
pub(super) fn columns(input: &AccInput) -> Vec<Type> {
    let indices = std::iter::repeat_n(Type::I64, input.shape.len());
    indices.chain(input.op.iter().flat_map(|(op, _)| op.ret.iter().cloned())).collect()
}

/// Combines so many contributions with what the accumulator is made of.
pub(super) fn histogram(
    b: &mut Builder<'_>,
    mut pat: Vec<Var>,
    input: &AccInput,
    (width, mut inputs): (Atom, Vec<Var>),
) {
    let (mut op, mut neutral) = input.op.clone().or_bug("operator of an accumulation");
    let (mut types, mut dests) = (columns(input), input.arrays.clone());
    let shape = input.shape.clone();
    let indices: Vec<Var> = op.params.drain(..shape.len()).collect();
    if free_in_body(&op.body, b.vars()).iter().any(|var| indices.contains(var)) {
        // The indices are parts of the values as well.
        op = with_indices(b, op, &indices);
        neutral.splice(..0, indices.iter().map(|_| 0.into()));
        inputs.splice(..0, inputs[..shape.len()].to_vec());
        types.splice(..0, indices.iter().map(|_| Type::I64));
        dests.splice(..0, (0..shape.len()).map(|dim| places(b, &shape, dim)));
        let unused = dests[..shape.len()].to_vec();
        pat.splice(..0, unused.into_iter().map(|dest| b.param("places", b.ty(dest).clone())));
    }
    let map = identity(b, &types);
    let op = HistOp { shape, race_factor: 1.into(), dests, op, neutral };
    b.stm(pat, Exp::Hist(Box::new(Hist { width, inputs, map, ops: vec![op] })));
}

/// An operator on values with their indices. Those of what meets are the same, except for the neutral element's.
fn with_indices(b: &mut Builder<'_>, op: Lambda, indices: &[Var]) -> Lambda {
    let mut inner = Builder::new(b.vars_mut());
    let (mut params, mut ret) = (op.params, op.ret);
    let mut results = Vec::new();
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for index in indices {
        let (x, y) = (inner.param("i", Type::I64), inner.param("i", Type::I64));
        inner.stm(vec![*index], Exp::BinOp(BinOp::Max, x.into(), y.into()));
        left.push(x);
        right.push(y);
        results.push(Atom::Var(*index));
    }
    op.body.stms.into_iter().for_each(|stm| inner.push(stm));
    results.extend(op.body.results);
    let body: Body = inner.finish(results);
    params.splice(ret.len()..ret.len(), right);
    params.splice(..0, left);
    ret.splice(..0, indices.iter().map(|_| Type::I64));
    Lambda { params, body, ret }
}

/// For each bin its place in a dimension.
fn places(b: &mut Builder<'_>, shape: &[Atom], dim: usize) -> Var {
    let iota = b.exp("iota", Exp::Iota(Prim::I64, shape[dim], 0.into(), 1.into()));
    if shape.len() == 1 {
        return iota;
    }
    let mut others = shape.to_vec();
    others.remove(dim);
    let last = others.len();
    let all = b.exp("places", Exp::Replicate(others, iota.into()));
    let perm = (0..dim).chain([last]).chain(dim..last).collect();
    let turned = b.exp("places", Exp::Rearrange(all, perm));
    b.exp("places", Exp::Copy(turned))
}
