//! Contributions to adjoints.
//!
//! The adjoint of a variable is zero until something contributes to it. In the function of a map, contributions to an
//! array from outside go into an accumulator, because all positions contribute.
//!
//! Contributions to slices wait until the adjoint is asked for, or the scope ends:
//!
//! ```text
//! ga[1] += u; ga[2] += v        p = ga[1] + u;  q = ga[2] + v;  ga with [1] = p with [2] = q
//! ```
//!
//! Since all sums come before the first update, they are made together with what they add, in one operator.

use super::Reverse;
use crate::differentiate::num::{add, binary, whole};
use fehu_base::{OrBug, Prim, bug};
use fehu_ir::builder::Builder;
use fehu_ir::{Atom, BinOp, Dim, Exp, Screma, Type, Var};

/// An adjoint that is not zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Adjoint {
    Value(Atom),
    /// An accumulator, to which contributions go.
    Acc(Var),
}

/// A contribution to a slice that waits for others. No two that wait for one array overlap.
#[derive(Debug)]
pub(super) struct Part {
    dims: Vec<Dim>,
    value: Atom,
    /// What the statement that reads the slice relies on.
    certs: Vec<Var>,
}

impl Reverse {
    /// Adds to the adjoint of an operand.
    pub(in crate::differentiate) fn contribute(
        &mut self,
        b: &mut Builder<'_>,
        to: Atom,
        value: Atom,
    ) {
        let Atom::Var(var) = to else { return };
        if !self.varied.contains(&var) {
            return;
        }
        self.settle(b, var);
        let new = match self.adjoints.get(&var) {
            None => Adjoint::Value(value),
            Some(Adjoint::Value(old)) => Adjoint::Value(add(b, *old, value)),
            Some(Adjoint::Acc(acc)) => {
                let dims: Vec<Dim> = b.ty(var).shape().iter().map(|size| whole(*size)).collect();
                Adjoint::Acc(accumulate(b, *acc, Vec::new(), &dims, value))
            }
        };
        self.adjoints.insert(var, new);
    }

    /// Adds to a slice of the adjoint of an array.
    pub(super) fn contribute_slice(
        &mut self,
        b: &mut Builder<'_>,
        array: Var,
        dims: &[Dim],
        value: Atom,
    ) {
        if !self.varied.contains(&array) {
            return;
        }
        let mut dims = dims.to_vec();
        let rest = b.ty(array).shape()[dims.len()..].to_vec();
        dims.extend(rest.into_iter().map(whole));
        if let Some(Adjoint::Acc(acc)) = self.adjoints.get(&array) {
            let acc = accumulate(b, *acc, Vec::new(), &dims, value);
            self.adjoints.insert(array, Adjoint::Acc(acc));
            return;
        }
        let certs = b.set_certs(Vec::new());
        b.set_certs(certs.clone());
        let waiting = self.parts.entry(array).or_default();
        if let Some(same) = waiting.iter_mut().find(|part| part.dims == dims) {
            same.value = add(b, same.value, value);
            return;
        }
        if !waiting.iter().all(|part| are_apart(&part.dims, &dims)) {
            self.settle(b, array);
        }
        self.parts.entry(array).or_default().push(Part { dims, value, certs });
    }

    /// Adds what waits to the adjoint of an array.
    pub(super) fn settle(&mut self, b: &mut Builder<'_>, array: Var) {
        let Some(parts) = self.parts.remove(&array) else { return };
        let certs = b.set_certs(Vec::new());
        let (mut sum, values) = match self.adjoints.get(&array) {
            None => {
                let zeros = self.zero_like(b, array).var().or_bug("zeros of an array");
                (zeros, parts.iter().map(|part| part.value).collect::<Vec<_>>())
            }
            Some(Adjoint::Value(old)) => {
                let old = old.var().or_bug("adjoint of an array");
                let mut values = Vec::new();
                for part in &parts {
                    b.set_certs(part.certs.clone());
                    let before = b.exp("before", Exp::Index(old, part.dims.clone()));
                    values.push(add(b, before.into(), part.value));
                }
                b.set_certs(Vec::new());
                (b.exp("copy", Exp::Copy(old)), values)
            }
            Some(Adjoint::Acc(_)) => bug("contributions to an accumulator wait"),
        };
        for (part, value) in parts.into_iter().zip(values) {
            b.set_certs(part.certs);
            sum = b.exp("adjoint", Exp::Update(sum, part.dims, value));
        }
        b.set_certs(certs);
        self.adjoints.insert(array, Adjoint::Value(sum.into()));
    }

    /// Adds what waits for these arrays, in the order in which they were bound.
    pub(super) fn settle_all(&mut self, b: &mut Builder<'_>, arrays: impl Iterator<Item = Var>) {
        let mut waiting: Vec<Var> = arrays.filter(|var| self.parts.contains_key(var)).collect();
        waiting.sort_unstable();
        waiting.into_iter().for_each(|array| self.settle(b, array));
    }

    /// Whether a variable has another adjoint than zero.
    pub(super) fn has_adjoint(&self, var: Var) -> bool {
        self.has_value(var) || self.one_hots.contains_key(&var)
    }

    /// Likewise, without those at one index.
    pub(super) fn has_value(&self, var: Var) -> bool {
        self.adjoints.contains_key(&var) || self.parts.contains_key(&var)
    }

    /// Whether contributions to an array go into an accumulator.
    pub(super) fn is_accumulated(&self, array: Var) -> bool {
        matches!(self.adjoints.get(&array), Some(Adjoint::Acc(_)))
    }

    /// The adjoint of a variable whose definition has been reached, if it is not zero. It is a value, because nothing
    /// that is bound in a scope has its adjoint in an accumulator there.
    pub(super) fn take(&mut self, b: &mut Builder<'_>, var: Var) -> Option<Atom> {
        if let Some(all) = self.take_one(b, var) {
            self.contribute(b, var.into(), all);
        }
        self.settle(b, var);
        match self.adjoints.remove(&var)? {
            Adjoint::Value(value) => Some(value),
            Adjoint::Acc(_) => None,
        }
    }

    pub(in crate::differentiate) fn take_or_zero(&mut self, b: &mut Builder<'_>, var: Var) -> Atom {
        match self.take(b, var) {
            Some(value) => value,
            None => self.zero_like(b, var),
        }
    }

    /// The adjoint of an array as a value, which is then its own no more: zeros, if contributions go into an accumulator.
    pub(in crate::differentiate) fn value_or_zero(&mut self, b: &mut Builder<'_>, var: Var) -> Var {
        let adjoint = match self.is_accumulated(var) {
            true => self.zero_like(b, var),
            false => self.take_or_zero(b, var),
        };
        adjoint.var().or_bug("adjoint of an array")
    }

    /// The adjoint of an array begins with this value.
    pub(in crate::differentiate) fn start_from(&mut self, array: Var, adjoint: Var) {
        self.adjoints.insert(array, Adjoint::Value(adjoint.into()));
    }

    pub(super) fn take_all(&mut self, b: &mut Builder<'_>, vars: &[Var]) -> Vec<Option<Atom>> {
        vars.iter().map(|var| self.take(b, *var)).collect()
    }
}

/// Whether two slices of an array certainly have no element in common.
fn are_apart(these: &[Dim], those: &[Dim]) -> bool {
    these.iter().zip(those).any(|pair| match pair {
        (Dim::Fix(Atom::Const(this)), Dim::Fix(Atom::Const(that))) => this != that,
        _ => false,
    })
}

/// Adds a value to a slice of an accumulator's array: by a nest of maps over the positions of the slice.
fn accumulate(
    b: &mut Builder<'_>,
    acc: Var,
    mut indices: Vec<Atom>,
    dims: &[Dim],
    value: Atom,
) -> Var {
    match dims.split_first() {
        None => b.exp("acc", Exp::UpdateAcc(acc, indices, vec![value])),
        Some((Dim::Fix(index), rest)) => {
            indices.push(*index);
            accumulate(b, acc, indices, rest, value)
        }
        Some((Dim::Slice { start, len, stride }, rest)) => {
            let iota = b.exp("iota", Exp::Iota(Prim::I64, *len, 0.into(), 1.into()));
            let values = value.var().or_bug("array of contributions");
            let ty = b.ty(acc).clone();
            let row = b.ty(values).row().or_bug("row of contributions");
            let params =
                vec![("acc".into(), ty.clone()), ("i".into(), Type::I64), ("x".into(), row)];
            let map = b.lambda(params, vec![ty.clone()], |b, args| {
                let mut index = args[1].into();
                if *stride != Atom::i64(1) {
                    index = binary(b, BinOp::Mul, index, *stride);
                }
                if *start != Atom::i64(0) {
                    index = binary(b, BinOp::Add, *start, index);
                }
                indices.push(index);
                vec![accumulate(b, args[0], indices, rest, args[2].into()).into()]
            });
            let inputs = vec![acc, iota, values];
            let (scans, reds) = (Vec::new(), Vec::new());
            let screma = Screma { width: *len, inputs, map, scans, reds };
            b.typed("acc", ty, Exp::Screma(Box::new(screma)))
        }
    }
}
