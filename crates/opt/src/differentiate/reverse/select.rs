//! Reductions and histograms that select an element: minima and maxima, and reductions by operators that choose one of
//! their operands (`choose`).
//!
//! The forward sweep also yields the number of the element; if the elements are in memory, the return sweep looks for
//! it. The adjoint of the elements is then *one-hot*: zero but at one index. What computes the elements, if it is a
//! map, is differentiated at that index alone, and not at all others, where it would yield zeros.
//!
//! ```text
//! xs = map f as;  y = minimum xs      ==>      adjoint of as[i]: that of f at as[i], where i is the number of the minimum
//! ```

use super::write::inside;
use super::{Reverse, Saved, Step, choose};
use crate::differentiate::Res;
use crate::differentiate::num::{add, binary, has_numbers, identity, map, select, whole, zero};
use fehu_base::{OrBug, Prim};
use fehu_ir::builder::{Builder, prim_of};
use fehu_ir::subst::copy_lambda;
use fehu_ir::{
    Atom, BinOp, CmpOp, Dim, Elem, Exp, Hist, HistOp, Lambda, MathFn, Red, Scatter, Screma, Stm,
    Type, Var,
};

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
        let Exp::Screma(op) = &stm.exp else { return Some(stm) };
        let Some((which, prim)) = selection(op, b) else {
            let Some(red) = choice(b, op) else { return Some(stm) };
            self.with_winner(b, stm, red, steps);
            return None;
        };
        let makes = |step: &Step| step.stm.pat.contains(&op.inputs[0]);
        if !steps.iter().any(makes) {
            // The elements are in memory: the return sweep looks for the one that is selected.
            b.push(stm.clone());
            steps.push(Step { stm, saved: Saved::Selected });
            return None;
        }
        let neutral = vec![op.reds[0].neutral[0], Atom::i64(NOBODY)];
        let red = Red { op: numbered(b, which, prim), neutral, commutative: true };
        self.with_winner(b, stm, red, steps);
        None
    }

    /// A reduction with the number of what it selects, by an operator on numbered elements.
    fn with_winner(&mut self, b: &mut Builder<'_>, stm: Stm, red: Red, steps: &mut Vec<Step>) {
        let Exp::Screma(op) = &stm.exp else { return };
        let width = op.width;
        let iota = b.exp("iota", Exp::Iota(Prim::I64, width, 0.into(), 1.into()));
        let map = identity(b, &red.op.ret);
        let mut inputs = op.inputs.clone();
        inputs.push(iota);
        let exp = Screma { width, inputs, map, scans: Vec::new(), reds: vec![red] };
        let winner = b.param("winner", Type::I64);
        let mut pat = stm.pat.clone();
        pat.push(winner);
        let exp = Exp::Screma(Box::new(exp));
        b.push(Stm { pat, exp, ..stm.clone() });
        steps.push(Step { stm, saved: Saved::Winner(winner) });
    }

    pub(super) fn select_back(
        &mut self,
        b: &mut Builder<'_>,
        stm: &Stm,
        op: &Screma,
        winner: Option<Var>,
    ) -> Res<()> {
        let adjoints = self.take_all(b, &stm.pat);
        if adjoints.iter().all(Option::is_none) {
            return Ok(());
        }
        let winner = match winner {
            Some(winner) => winner,
            None => first_equal(b, op.width, op.inputs[0], stm.pat[0].into()),
        };
        for ((value, neutral), input) in
            adjoints.into_iter().zip(&op.reds[0].neutral).zip(&op.inputs)
        {
            let Some(value) = value else { continue };
            if self.is_varied(*neutral) {
                let none: Atom = b.exp("none", Exp::CmpOp(CmpOp::Le, op.width, 0.into())).into();
                let part = crate::differentiate::num::when(b, none, value);
                self.contribute(b, *neutral, part);
            }
            self.contribute_one(b, *input, OneHot { index: winner.into(), value });
        }
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
        } else if self.is_host && b.ty(array).rank() == 1 {
            self.contribute_in_place(b, array, one);
        } else {
            let all = dense(b, array, one);
            self.contribute(b, array.into(), all);
        }
    }

    /// Hands an adjoint at one index on to the array that this one is a copy of, or has the same rows as, as what
    /// `tabulate` makes after its size is checked; whether it did.
    pub(super) fn one_back(&mut self, b: &mut Builder<'_>, stm: &Stm) -> bool {
        let [result] = stm.pat[..] else { return false };
        let rows = |var: Var| b.ty(var).shape().get(1..).map(<[Atom]>::to_vec);
        #[expect(clippy::wildcard_enum_match_arm, reason = "the others make other elements")]
        let from = match &stm.exp {
            Exp::Atom(Atom::Var(from)) | Exp::Copy(from) => *from,
            Exp::Reshape(from, _) if rows(*from) == rows(result) => *from,
            _ => return false,
        };
        if self.has_value(result) {
            return false;
        }
        let Some(one) = self.one_hots.remove(&result) else { return false };
        self.contribute_one(b, from, one);
        true
    }

    /// Adds to the adjoint of an array of numbers at one index: by a scatter of one element, which ignores an index out of bounds.
    fn contribute_in_place(&mut self, b: &mut Builder<'_>, array: Var, one: OneHot) {
        self.settle(b, array);
        let ty = b.ty(array).clone();
        let (size, row) = (ty.shape()[0], ty.row().or_bug("element of an array"));
        let (dest, value) = match self.take(b, array).and_then(Atom::var) {
            None => (self.zero_like(b, array).var().or_bug("zeros of an array"), one.value),
            Some(before) => {
                let here = inside(b, &[one.index], &[size]);
                let at = vec![Dim::Fix(one.index)];
                let old = |b: &mut Builder<'_>| b.exp("before", Exp::Index(before, at)).into();
                let old = select(b, here, &row, old, |b| zero(b, &row));
                (b.exp("copy", Exp::Copy(before)), add(b, old, one.value))
            }
        };
        let inputs = [one.index, value].map(|x| b.exp("one", Exp::Replicate(vec![1.into()], x)));
        let map = identity(b, &[Type::I64, row]);
        let dests = vec![(vec![size], dest)];
        let scatter = Scatter { width: 1.into(), inputs: inputs.to_vec(), map, dests };
        let adjoint = b.typed("adjoint", ty, Exp::Scatter(Box::new(scatter)));
        self.start_from(array, adjoint);
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
        let others = stm.pat.iter().any(|var| self.has_value(*var));
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

impl Reverse {
    /// The return sweep of a histogram of minima or maxima: the adjoint of a bin goes to the first value that is equal
    /// to it, or to the bin as it was before, if that is. All of that is parallel.
    pub(super) fn bins_back(
        &mut self,
        b: &mut Builder<'_>,
        width: Atom,
        bins: Bins,
        (indices, values): (Var, Var),
    ) {
        let Some(adjoint) = self.take(b, bins.after) else { return };
        let adjoint = adjoint.var().or_bug("adjoint of a histogram");
        let size = b.ty(bins.after).shape()[0];
        let iota = b.exp("iota", Exp::Iota(Prim::I64, width, 0.into(), 1.into()));
        // Where the values are that stand in bins now.
        let inputs = [indices, values];
        let places = map(b, width, &inputs, vec![Type::I64], |b, args| {
            let [index, value] = [args[0], args[1]].map(Atom::Var);
            let here = inside(b, &[index], &[size]);
            let yes = |b: &mut Builder<'_>| {
                let at = vec![Dim::Fix(index)];
                let now: Atom = b.exp("now", Exp::Index(bins.after, at.clone())).into();
                let old: Atom = b.exp("old", Exp::Index(bins.before, at)).into();
                let mine: Atom = b.exp("c", Exp::CmpOp(CmpOp::Eq, now, value)).into();
                let stays: Atom = b.exp("c", Exp::CmpOp(CmpOp::Eq, now, old)).into();
                let other = select(b, stays, &Type::I64, |_| Atom::i64(-1), |_| index);
                select(b, mine, &Type::I64, |_| other, |_| Atom::i64(-1))
            };
            vec![select(b, here, &Type::I64, yes, |_| Atom::i64(-1))]
        })[0];
        let nobody = b.exp("nobody", Exp::Replicate(vec![size], Atom::i64(NOBODY)));
        let op = HistOp {
            shape: vec![size],
            race_factor: 1.into(),
            dests: vec![nobody],
            op: least(b),
            neutral: vec![Atom::i64(NOBODY)],
        };
        let function = identity(b, &[Type::I64, Type::I64]);
        let first = Hist { width, inputs: vec![places, iota], map: function, ops: vec![op] };
        let ty = b.ty(nobody).clone();
        let winners = b.typed("winner", ty, Exp::Hist(Box::new(first)));
        if self.varied.contains(&values) {
            let zeros = self.zero_like(b, values).var().or_bug("zeros of an array");
            let row = b.ty(adjoint).row().or_bug("element of a histogram");
            let function = identity(b, &[Type::I64, row]);
            let inputs = vec![winners, adjoint];
            let dests = vec![(vec![width], zeros)];
            let scatter = Scatter { width: size, inputs, map: function, dests };
            let ty = b.ty(values).clone();
            let back = b.typed("adjoint", ty, Exp::Scatter(Box::new(scatter)));
            self.contribute(b, values.into(), back.into());
        }
        if self.varied.contains(&bins.dest) {
            let row = b.ty(adjoint).row().or_bug("element of a histogram");
            let back = map(b, size, &[winners, adjoint], vec![row.clone()], |b, args| {
                let exp = Exp::CmpOp(CmpOp::Eq, args[0].into(), Atom::i64(NOBODY));
                let stays: Atom = b.exp("c", exp).into();
                vec![select(b, stays, &row, |_| args[1].into(), |b| zero(b, &row))]
            })[0];
            self.contribute(b, bins.dest.into(), back.into());
        }
    }
}

/// The bins of a histogram: the destination, a copy of it from before, and the result.
#[derive(Clone, Copy)]
pub(super) struct Bins {
    pub(super) dest: Var,
    pub(super) before: Var,
    pub(super) after: Var,
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

/// The number of the first element that is equal to a value.
fn first_equal(b: &mut Builder<'_>, width: Atom, array: Var, value: Atom) -> Var {
    let iota = b.exp("iota", Exp::Iota(Prim::I64, width, 0.into(), 1.into()));
    let ty = b.ty(array).row().or_bug("element of an array");
    let params = vec![("x".into(), ty), ("i".into(), Type::I64)];
    let map = b.lambda(params, vec![Type::I64], |b, args| {
        let equal: Atom = b.exp("c", Exp::CmpOp(CmpOp::Eq, args[0].into(), value)).into();
        vec![select(b, equal, &Type::I64, |_| args[1].into(), |_| Atom::i64(NOBODY))]
    });
    let red = Red { op: least(b), neutral: vec![Atom::i64(NOBODY)], commutative: true };
    let (inputs, scans, reds) = (vec![array, iota], Vec::new(), vec![red]);
    let screma = Screma { width, inputs, map, scans, reds };
    b.typed("winner", Type::I64, Exp::Screma(Box::new(screma)))
}

/// The smaller of two numbers of elements.
fn least(b: &mut Builder<'_>) -> Lambda {
    let params = vec![("x".into(), Type::I64), ("y".into(), Type::I64)];
    b.lambda(params, vec![Type::I64], |b, args| {
        vec![binary(b, BinOp::Min, args[0].into(), args[1].into())]
    })
}

/// Whether a reduction is a minimum or maximum of numbers, and of which type.
fn selection(op: &Screma, b: &Builder<'_>) -> Option<(BinOp, Prim)> {
    let ([], [red], [input]) = (&op.scans[..], &op.reds[..], &op.inputs[..]) else { return None };
    let prim = prim_of(&b.ty(*input).row()?)?;
    if !has_numbers(&Type::prim(prim)) || prim == Prim::Bool {
        return None;
    }
    Some((extremum(&red.op)?, prim))
}

/// The operator of a reduction on numbered elements, if it chooses one of its operands.
fn choice(b: &mut Builder<'_>, op: &Screma) -> Option<Red> {
    let ([], [red]) = (&op.scans[..], &op.reds[..]) else { return None };
    let mut neutral = red.neutral.clone();
    neutral.push(Atom::i64(NOBODY));
    // Of two that are equal it chooses either, if their order does not matter to it.
    Some(Red { op: choose::numbered(b, &red.op)?, neutral, commutative: false })
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

/// The same operator on numbered elements: of equal ones, the first is chosen, and what is not a number never is, as
/// long as there is something else.
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
