//! Histograms and scatters.
//!
//! The adjoint of a value that a histogram adds is that of its bin; minima and maxima are in `select`, products in
//! `product_bins`, all others in `bins`; those of few values in loops in `few_bins`. The adjoint of a value that a
//! scatter writes is that of its place, and goes to one of those that write there.

use super::product_bins::multiplied;
use super::select::extremum;
use super::{Reverse, Saved, Step};
use crate::differentiate::Res;
use crate::differentiate::num::{binary, identity, map, select, whole, zero};
use fehu_base::{OrBug, Prim};
use fehu_facts::operators::is_sum;
use fehu_ir::builder::Builder;
use fehu_ir::{Atom, BinOp, CmpOp, Dim, Exp, Hist, HistOp, Scatter, Stm, Type, Var};

impl Reverse {
    pub(super) fn hist_forward(
        &mut self,
        b: &mut Builder<'_>,
        stm: Stm,
        steps: &mut Vec<Step>,
    ) -> Res<()> {
        let Exp::Hist(op) = &stm.exp else { return self.refuse("this histogram") };
        if op.ops.iter().all(|hist| is_sum(&hist.op)) {
            b.push(stm.clone());
            steps.push(Step { stm, saved: Saved::Nothing });
            return Ok(());
        }
        let [hist] = &op.ops[..] else {
            for alone in one_operator_each(b, &stm, op) {
                self.hist_forward(b, alone, steps)?;
            }
            return Ok(());
        };
        let is_extremum = hist.shape.len() == 1 && extremum(&hist.op).is_some();
        if (is_extremum || self.is_host) && self.may_have_few(op) {
            return self.few_bins_forward(b, stm, steps);
        }
        if is_extremum || self.is_host && multiplied(op, b).is_some() {
            let before = b.exp("before", Exp::Copy(hist.dests[0]));
            b.push(stm.clone());
            steps.push(Step { stm, saved: Saved::Bins(before) });
            return Ok(());
        }
        self.any_bins_forward(b, stm, steps)
    }

    pub(super) fn hist_back(&mut self, b: &mut Builder<'_>, stm: &Stm, op: &Hist) -> Res<()> {
        let mut pat = stm.pat.iter().copied();
        let mut index = 0;
        let mut value: usize = op.ops.iter().map(|hist| hist.shape.len()).sum();
        for hist in &op.ops {
            let indices = op.inputs[index..index + hist.shape.len()].to_vec();
            index += hist.shape.len();
            for dest in &hist.dests {
                let (var, values) = (pat.next().or_bug("result of a histogram"), op.inputs[value]);
                value += 1;
                let Some(adjoint) = self.take(b, var) else { continue };
                self.contribute(b, (*dest).into(), adjoint);
                if self.varied.contains(&values) {
                    let array = adjoint.var().or_bug("adjoint of a histogram");
                    let back = gather(b, op.width, &indices, array, &hist.shape, None);
                    self.contribute(b, values.into(), back.into());
                }
            }
        }
        Ok(())
    }

    pub(super) fn scatter_forward(
        &mut self,
        b: &mut Builder<'_>,
        stm: Stm,
        steps: &mut Vec<Step>,
    ) -> Res<()> {
        let Exp::Scatter(op) = &stm.exp else { return self.refuse("this scatter") };
        let mut winners = Vec::new();
        let mut index = 0;
        for (shape, _) in &op.dests {
            let indices = op.inputs[index..index + shape.len()].to_vec();
            index += shape.len();
            winners.push(self.winners(b, op.width, &indices, shape));
        }
        b.push(stm.clone());
        steps.push(Step { stm, saved: Saved::Winners(winners) });
        Ok(())
    }

    /// Which positions write what stays, of all that write to one place: the last of them.
    fn winners(
        &mut self,
        b: &mut Builder<'_>,
        width: Atom,
        indices: &[Var],
        shape: &[Atom],
    ) -> Var {
        let who = self.writers(b, width, indices, shape);
        let iota = b.exp("iota", Exp::Iota(Prim::I64, width, 0.into(), 1.into()));
        map(b, width, &[who, iota], vec![Type::BOOL], |b, args| {
            let exp = Exp::CmpOp(CmpOp::Eq, args[0].into(), args[1].into());
            vec![b.exp("mine", exp).into()]
        })[0]
    }

    /// For each position, the last one with the same indices; -1 if these are outside.
    pub(super) fn writers(
        &mut self,
        b: &mut Builder<'_>,
        width: Atom,
        indices: &[Var],
        shape: &[Atom],
    ) -> Var {
        let (nobody, is_handed_on) = self.blank(b, shape);
        let nobody = b.exp("nobody", Exp::Copy(nobody));
        let ty = b.ty(nobody).clone();
        let iota = b.exp("iota", Exp::Iota(Prim::I64, width, 0.into(), 1.into()));
        let mut inputs = indices.to_vec();
        inputs.push(iota);
        let types = vec![Type::I64; inputs.len()];
        let params = vec![("x".into(), Type::I64), ("y".into(), Type::I64)];
        let largest = b.lambda(params, vec![Type::I64], |b, p| {
            vec![binary(b, BinOp::Max, p[0].into(), p[1].into())]
        });
        let hist = HistOp {
            shape: shape.to_vec(),
            race_factor: 1.into(),
            dests: vec![nobody],
            op: largest,
            neutral: vec![Atom::i64(-1)],
        };
        let map_of = identity(b, &types);
        let hist = Hist { width, inputs, map: map_of, ops: vec![hist] };
        let winner = b.typed("winner", ty.clone(), Exp::Hist(Box::new(hist)));
        let who = map(b, width, indices, vec![Type::I64], |b, indices| {
            let indices: Vec<Atom> = indices.iter().map(|index| Atom::Var(*index)).collect();
            let here = inside(b, &indices, shape);
            let dims = indices.into_iter().map(Dim::Fix).collect();
            let who = |b: &mut Builder<'_>| b.exp("who", Exp::Index(winner, dims)).into();
            vec![select(b, here, &Type::I64, who, |_| Atom::i64(-1))]
        })[0];
        if is_handed_on {
            let copy = b.exp("copy", Exp::Copy(winner));
            let nobody = b.exp("nobody", Exp::Replicate(vec![width], Atom::i64(-1)));
            let mut inputs = indices.to_vec();
            inputs.push(nobody);
            let (map, dests) = (identity(b, &types), vec![(shape.to_vec(), copy)]);
            let scatter = Scatter { width, inputs, map, dests };
            let clean = b.typed("blank", ty, Exp::Scatter(Box::new(scatter)));
            self.cleaned(shape, clean);
        }
        who
    }

    pub(super) fn scatter_back(
        &mut self,
        b: &mut Builder<'_>,
        stm: &Stm,
        op: &Scatter,
        winners: &[Var],
    ) -> Res<()> {
        let mut index = 0;
        let mut value: usize = op.dests.iter().map(|(shape, _)| shape.len()).sum();
        for (((shape, dest), var), winner) in op.dests.iter().zip(&stm.pat).zip(winners) {
            let indices = op.inputs[index..index + shape.len()].to_vec();
            let values = op.inputs[value];
            (index, value) = (index + shape.len(), value + 1);
            let Some(adjoint) = self.take(b, *var) else { continue };
            let array = adjoint.var().or_bug("adjoint of a scatter");
            if self.varied.contains(&values) {
                let back = gather(b, op.width, &indices, array, shape, Some(*winner));
                self.contribute(b, values.into(), back.into());
            }
            if self.varied.contains(dest) {
                let ty = b.ty(values).clone();
                let zeros = zero(b, &ty).var().or_bug("zeros of an array");
                let copy = b.exp("copy", Exp::Copy(array));
                let mut inputs = indices;
                inputs.push(zeros);
                let mut types = vec![Type::I64; shape.len()];
                types.extend(ty.row());
                let map = identity(b, &types);
                let dests = vec![(shape.clone(), copy)];
                let scatter = Scatter { width: op.width, inputs, map, dests };
                let ty = b.ty(array).clone();
                let back = b.typed("adjoint", ty, Exp::Scatter(Box::new(scatter)));
                self.contribute(b, (*dest).into(), back.into());
            }
        }
        Ok(())
    }
}

/// Whether indices are inside of a shape.
pub(super) fn inside(b: &mut Builder<'_>, indices: &[Atom], shape: &[Atom]) -> Atom {
    let mut all: Option<Atom> = None;
    for (index, size) in indices.iter().zip(shape) {
        let low: Atom = b.exp("low", Exp::CmpOp(CmpOp::Le, 0.into(), *index)).into();
        let high: Atom = b.exp("high", Exp::CmpOp(CmpOp::Lt, *index, *size)).into();
        let here = binary(b, BinOp::And, low, high);
        all = Some(match all {
            Some(all) => binary(b, BinOp::And, all, here),
            None => here,
        });
    }
    all.unwrap_or(Atom::bool(true))
}

/// The element or row at these indices, or zero if they are outside.
pub(super) fn at_or_zero(
    b: &mut Builder<'_>,
    array: Var,
    indices: &[Atom],
    shape: &[Atom],
) -> Atom {
    let row = b.ty(array).shape()[indices.len()..].to_vec();
    let ty = Type::array(b.ty(array).elem().or_bug("type of elements"), row.clone());
    let inside = inside(b, indices, shape);
    let mut dims: Vec<Dim> = indices.iter().map(|index| Dim::Fix(*index)).collect();
    dims.extend(row.into_iter().map(whole));
    select(b, inside, &ty, |b| b.exp("x", Exp::Index(array, dims)).into(), |b| zero(b, &ty))
}

/// What stands in the array at these indices, for every position; zero if they are outside, or if the position is not
/// one of `mine`.
pub(super) fn gather(
    b: &mut Builder<'_>,
    width: Atom,
    indices: &[Var],
    array: Var,
    shape: &[Atom],
    mine: Option<Var>,
) -> Var {
    let row = b.ty(array).shape()[indices.len()..].to_vec();
    let ty = Type::array(b.ty(array).elem().or_bug("type of elements"), row);
    let inputs: Vec<Var> = indices.iter().copied().chain(mine).collect();
    map(b, width, &inputs, vec![ty.clone()], |b, args| {
        let (indices, mine) = args.split_at(indices.len());
        let indices: Vec<Atom> = indices.iter().map(|index| Atom::Var(*index)).collect();
        let there = |b: &mut Builder<'_>| at_or_zero(b, array, &indices, shape);
        match mine {
            [mine] => vec![select(b, (*mine).into(), &ty, there, |b| zero(b, &ty))],
            _ => vec![there(b)],
        }
    })[0]
}

/// The operators of a histogram in histograms of their own.
fn one_operator_each(b: &mut Builder<'_>, stm: &Stm, op: &Hist) -> Vec<Stm> {
    let mut pat = stm.pat.iter().copied();
    let mut index = 0;
    let mut value: usize = op.ops.iter().map(|hist| hist.shape.len()).sum();
    let mut all = Vec::new();
    for hist in &op.ops {
        let (rank, count) = (hist.shape.len(), hist.dests.len());
        let mut inputs = op.inputs[index..index + rank].to_vec();
        inputs.extend_from_slice(&op.inputs[value..value + count]);
        (index, value) = (index + rank, value + count);
        let mut types = vec![Type::I64; rank];
        types.extend_from_slice(&hist.op.ret);
        let map = identity(b, &types);
        let alone = Hist { width: op.width, inputs, map, ops: vec![hist.clone()] };
        let pat = pat.by_ref().take(count).collect();
        all.push(Stm { pat, exp: Exp::Hist(Box::new(alone)), ..stm.clone() });
    }
    all
}
