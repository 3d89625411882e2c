//! Histograms and scatters.
//!
//! The adjoint of a value that a histogram adds is that of its bin; minima and maxima are in `select`, products in `product_bins`, all others in `bins`. The adjoint of a value that a scatter writes is that of its place, and goes to one of those that write there.

use super::product_bins::multiplied;
use super::select::extremum;
use super::{Reverse, Saved, Step};
use crate::differentiate::Res;
use crate::differentiate::num::{binary, identity, map, select, whole, zero};
use crate::differentiate::sums::is_sum;
use fehu_base::{OrBug, Prim};
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
            let nobody = b.exp("nobody", Exp::Replicate(shape.clone(), Atom::i64(-1)));
            let iota = b.exp("iota", Exp::Iota(Prim::I64, op.width, 0.into(), 1.into()));
            let mut inputs = indices;
            inputs.push(iota);
            // One of several writers stays, whichever that is.
            let map = identity(b, &vec![Type::I64; inputs.len()]);
            let mut numbered: Vec<Type> = vec![Type::I64; shape.len()];
            numbered.push(Type::I64);
            let least = b.lambda(
                vec![("x".into(), Type::I64), ("y".into(), Type::I64)],
                vec![Type::I64],
                |b, p| vec![binary(b, BinOp::Max, p[0].into(), p[1].into())],
            );
            let hist = HistOp {
                shape: shape.clone(),
                race_factor: 1.into(),
                dests: vec![nobody],
                op: least,
                neutral: vec![Atom::i64(-1)],
            };
            let hist = Hist { width: op.width, inputs, map, ops: vec![hist] };
            let ty = b.ty(nobody).clone();
            winners.push(b.typed("winner", ty, Exp::Hist(Box::new(hist))));
        }
        b.push(stm.clone());
        steps.push(Step { stm, saved: Saved::Winners(winners) });
        Ok(())
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

/// What stands in the array at these indices, for every position; zero if they are outside, or if another position is the winner.
fn gather(
    b: &mut Builder<'_>,
    width: Atom,
    indices: &[Var],
    array: Var,
    shape: &[Atom],
    winner: Option<Var>,
) -> Var {
    let row = b.ty(array).shape()[indices.len()..].to_vec();
    let ty = Type::array(b.ty(array).elem().or_bug("type of elements"), row);
    let iota = b.exp("iota", Exp::Iota(Prim::I64, width, 0.into(), 1.into()));
    let mut inputs = indices.to_vec();
    inputs.push(iota);
    map(b, width, &inputs, vec![ty.clone()], |b, args| {
        let (position, indices) = args.split_last().or_bug("position of a value");
        let indices: Vec<Atom> = indices.iter().map(|index| Atom::Var(*index)).collect();
        let Some(winner) = winner else { return vec![at_or_zero(b, array, &indices, shape)] };
        let here = inside(b, &indices, shape);
        let dims: Vec<Dim> = indices.iter().map(|index| Dim::Fix(*index)).collect();
        let who = select(
            b,
            here,
            &Type::I64,
            |b| b.exp("who", Exp::Index(winner, dims)).into(),
            |_| Atom::i64(-1),
        );
        let mine: Atom = b.exp("mine", Exp::CmpOp(CmpOp::Eq, who, (*position).into())).into();
        vec![select(b, mine, &ty, |b| at_or_zero(b, array, &indices, shape), |b| zero(b, &ty))]
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
