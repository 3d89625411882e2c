//! Reductions that select an element: minima and maxima.
//!
//! The forward sweep also yields the number of the element. The adjoint of the elements is then *one-hot*: zero but at one index. What
//! computes the elements, if it is a map, is differentiated at that index alone, and not at all others, where it would yield zeros.
//!
//! ```text
//! xs = map f as;  y = minimum xs      ==>      adjoint of as[i]: that of f at as[i], where i is the number of the minimum
//! ```

use super::write::inside;
use super::{Reverse, Saved, Step};
use crate::differentiate::Res;
use crate::differentiate::num::{binary, has_numbers, map, select, whole, zero};
use fehu_base::{OrBug, Prim};
use fehu_ir::builder::{Builder, prim_of};
use fehu_ir::subst::copy_lambda;
use fehu_ir::{Atom, BinOp, CmpOp, Dim, Elem, Exp, Lambda, MathFn, Red, Screma, Stm, Type, Var};

/// An adjoint that is zero but at one index of the outermost dimension. An index out of bounds means that it is zero everywhere.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct OneHot {
    index: Atom,
    value: Atom,
}

/// The number of an element that is none.
const NOBODY: i64 = i64::MAX;

impl Reverse {
    /// A reduction that selects, with the number of what it selects; otherwise it is given back.
    pub(super) fn select_forward(
        &mut self,
        b: &mut Builder<'_>,
        stm: Stm,
        steps: &mut Vec<Step>,
    ) -> Option<Stm> {
        let found = match &stm.exp {
            Exp::Screma(op) if op.scans.is_empty() => selection(op, b),
            _ => None,
        };
        let (Some((which, prim)), Exp::Screma(op)) = (found, &stm.exp) else { return Some(stm) };
        let (ty, width) = (Type::prim(prim), op.width);
        let iota = b.exp("iota", Exp::Iota(Prim::I64, width, 0.into(), 1.into()));
        let types = vec![ty.clone(), Type::I64];
        let map = crate::differentiate::num::identity(b, &types);
        let neutral = vec![op.reds[0].neutral[0], Atom::i64(NOBODY)];
        let red = Red { op: numbered(b, which, prim), neutral, commutative: true };
        let inputs = vec![op.inputs[0], iota];
        let exp = Screma { width, inputs, map, scans: Vec::new(), reds: vec![red] };
        let winner = b.param("winner", Type::I64);
        let mut pat = stm.pat.clone();
        pat.push(winner);
        let exp = Exp::Screma(Box::new(exp));
        b.push(Stm { pat, exp, ..stm.clone() });
        steps.push(Step { stm, saved: Saved::Winner(winner) });
        None
    }

    pub(super) fn select_back(
        &mut self,
        b: &mut Builder<'_>,
        stm: &Stm,
        op: &Screma,
        winner: Var,
    ) -> Res<()> {
        let Some(value) = self.take(b, stm.pat[0]) else { return Ok(()) };
        let neutral = op.reds[0].neutral[0];
        if self.is_varied(neutral) {
            let none: Atom = b.exp("none", Exp::CmpOp(CmpOp::Le, op.width, 0.into())).into();
            let part = crate::differentiate::num::when(b, none, value);
            self.contribute(b, neutral, part);
        }
        let one = OneHot { index: winner.into(), value };
        self.contribute_one(b, op.inputs[0], one);
        Ok(())
    }

    /// Adds to the adjoint of an array at one index.
    fn contribute_one(&mut self, b: &mut Builder<'_>, array: Var, one: OneHot) {
        if !self.varied.contains(&array) {
            return;
        }
        if self.is_accumulated(array) {
            // Contributions out of bounds are ignored.
            self.contribute_slice(b, array, &[Dim::Fix(one.index)], one.value);
        } else if self.local.contains(&array) && !self.one_hots.contains_key(&array) {
            self.one_hots.insert(array, one);
        } else {
            let all = dense(b, array, one);
            self.contribute(b, array.into(), all);
        }
    }

    /// The adjoint of an array that is zero but at one index, with zeros.
    pub(super) fn take_one(&mut self, b: &mut Builder<'_>, array: Var) -> Option<Atom> {
        let one = self.one_hots.remove(&array)?;
        Some(dense(b, array, one))
    }

    /// The return sweep of a map whose results have adjoints at one index only; whether it is one.
    pub(super) fn map_back_at_one(
        &mut self,
        b: &mut Builder<'_>,
        stm: &Stm,
        op: &Screma,
    ) -> Res<bool> {
        let known: Vec<Option<OneHot>> =
            stm.pat.iter().map(|var| self.one_hots.get(var).copied()).collect();
        let Some(first) = known.iter().flatten().next().copied() else { return Ok(false) };
        let same = known.iter().flatten().all(|one| one.index == first.index);
        let others = stm.pat.iter().any(|var| self.adjoints.contains_key(var));
        if !same || others || op.inputs.iter().any(|input| !b.ty(*input).is_array()) {
            return Ok(false);
        }
        let lambda = copy_lambda(&op.map, b.vars_mut());
        let (mut pat, mut results, mut types) = (Vec::new(), Vec::new(), Vec::new());
        for (number, var) in stm.pat.iter().enumerate() {
            let Some(one) = self.one_hots.remove(var) else { continue };
            let ty = lambda.ret[number].clone();
            let part = b.param("part", ty.clone());
            self.varied.insert(part);
            self.useful.insert(part);
            self.contribute(b, part.into(), one.value);
            pat.push(part);
            results.push(lambda.body.results[number]);
            types.push(ty);
        }
        let here = inside(b, &[first.index], &[op.width]);
        let yes = b.body(|b| {
            for (param, input) in lambda.params.iter().zip(&op.inputs) {
                let mut dims = vec![Dim::Fix(first.index)];
                dims.extend(b.ty(*param).shape().iter().map(|size| whole(*size)));
                b.stm(vec![*param], Exp::Index(*input, dims));
            }
            lambda.body.stms.into_iter().for_each(|stm| b.push(stm));
            results
        });
        let no = b.body(|b| types.iter().map(|ty| zero(b, ty)).collect());
        let chosen = Stm { pat, exp: Exp::If(here, Box::new([yes, no])), ..stm.clone() };
        self.branch_back(b, &chosen)?;
        Ok(true)
    }
}

/// The array that is zero but at one index.
fn dense(b: &mut Builder<'_>, array: Var, one: OneHot) -> Atom {
    let ty = b.ty(array).clone();
    let row = ty.row().or_bug("row of an array");
    let width = ty.shape()[0];
    let iota = b.exp("iota", Exp::Iota(Prim::I64, width, 0.into(), 1.into()));
    map(b, width, &[iota], vec![row.clone()], |b, args| {
        let here: Atom = b.exp("here", Exp::CmpOp(CmpOp::Eq, args[0].into(), one.index)).into();
        vec![select(b, here, &row, |_| one.value, |b| zero(b, &row))]
    })[0]
        .into()
}

/// Whether a reduction is a minimum or maximum of numbers, and of which type.
fn selection(op: &Screma, b: &Builder<'_>) -> Option<(BinOp, Prim)> {
    let ([red], [input]) = (&op.reds[..], &op.inputs[..]) else { return None };
    let prim = prim_of(&b.ty(*input).row()?)?;
    if !has_numbers(&Type::prim(prim)) || prim == Prim::Bool {
        return None;
    }
    Some((extremum(&red.op)?, prim))
}

/// The operation, if an operator is the minimum or the maximum of its operands.
pub(super) fn extremum(op: &Lambda) -> Option<BinOp> {
    let ([x, y], [stm]) = (&op.params[..], &op.body.stms[..]) else { return None };
    let Exp::BinOp(which @ (BinOp::Min | BinOp::Max), left, right) = stm.exp else { return None };
    let operands = [Atom::Var(*x), Atom::Var(*y)];
    let fits = operands == [left, right] || operands == [right, left];
    let result = op.body.results == [Atom::Var(*stm.pat.first()?)];
    (fits && result).then_some(which)
}

/// The same operator on numbered elements: of equal ones, the first is chosen, and what is not a number never is, as long as there is something
/// else.
fn numbered(b: &mut Builder<'_>, which: BinOp, prim: Prim) -> Lambda {
    let ty = Type::prim(prim);
    let params = vec![
        ("x".into(), ty.clone()),
        ("i".into(), Type::I64),
        ("y".into(), ty.clone()),
        ("j".into(), Type::I64),
    ];
    b.lambda(params, vec![ty.clone(), Type::I64], |b, args| {
        let [x, i, y, j] = [0, 1, 2, 3].map(|index| Atom::Var(args[index]));
        let (low, high) = if which == BinOp::Min { (x, y) } else { (y, x) };
        let less: Atom = b.exp("c", Exp::CmpOp(CmpOp::Lt, low, high)).into();
        let equal: Atom = b.exp("c", Exp::CmpOp(CmpOp::Eq, x, y)).into();
        let before: Atom = b.exp("c", Exp::CmpOp(CmpOp::Lt, i, j)).into();
        let tie = binary(b, BinOp::And, equal, before);
        let mut left = binary(b, BinOp::Or, less, tie);
        if Elem::Prim(prim).is_float() {
            let none: Atom = b.exp("c", Exp::Math(MathFn::Isnan, vec![y])).into();
            left = binary(b, BinOp::Or, left, none);
        }
        let yes = fehu_ir::Body::of(vec![x, i]);
        let no = fehu_ir::Body::of(vec![y, j]);
        let exp = Exp::If(left, Box::new([yes, no]));
        b.several("x", vec![ty.clone(), Type::I64], exp).into_iter().map(Atom::Var).collect()
    })
}
