//! Contributions to adjoints.
//!
//! The adjoint of a variable is zero until something contributes to it. In the function of a map, contributions to an array from outside go
//! into an accumulator, because all positions contribute.

use super::Reverse;
use crate::differentiate::num::{add, binary, whole};
use fehu_base::{OrBug, Prim};
use fehu_ir::builder::Builder;
use fehu_ir::{Atom, BinOp, Dim, Exp, Screma, Type, Var};

/// An adjoint that is not zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Adjoint {
    Value(Atom),
    /// An accumulator, to which contributions go.
    Acc(Var),
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
        let new = match self.adjoints.get(&array).copied() {
            None => {
                let zeros = self.zero_like(b, array).var().or_bug("zeros of an array");
                Adjoint::Value(b.exp("adjoint", Exp::Update(zeros, dims, value)).into())
            }
            Some(Adjoint::Value(old)) => {
                let old = old.var().or_bug("adjoint of an array");
                let before = b.exp("before", Exp::Index(old, dims.clone()));
                let sum = add(b, before.into(), value);
                let copy = b.exp("copy", Exp::Copy(old));
                Adjoint::Value(b.exp("adjoint", Exp::Update(copy, dims, sum)).into())
            }
            Some(Adjoint::Acc(acc)) => Adjoint::Acc(accumulate(b, acc, Vec::new(), &dims, value)),
        };
        self.adjoints.insert(array, new);
    }

    /// Whether a variable has another adjoint than zero.
    pub(super) fn has_adjoint(&self, var: Var) -> bool {
        self.adjoints.contains_key(&var) || self.one_hots.contains_key(&var)
    }

    /// Whether contributions to an array go into an accumulator.
    pub(super) fn is_accumulated(&self, array: Var) -> bool {
        matches!(self.adjoints.get(&array), Some(Adjoint::Acc(_)))
    }

    /// The adjoint of a variable whose definition has been reached, if it is not zero. It is a value, because nothing that is bound in
    /// a scope has its adjoint in an accumulator there.
    pub(super) fn take(&mut self, b: &mut Builder<'_>, var: Var) -> Option<Atom> {
        if let Some(all) = self.take_one(b, var) {
            self.contribute(b, var.into(), all);
        }
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
