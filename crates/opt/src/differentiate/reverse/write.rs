//! Histograms and scatters.
//!
//! The adjoint of a value that a histogram adds is that of its bin, minima and maxima are in `select`, products in `product_bins`; all other histograms are differentiated as loops that combine one value
//! after the other. The adjoint of a value that a scatter writes is that of its place, and goes to one of those that write there.

use super::product_bins::multiplied;
use super::select::extremum;
use super::{Reverse, Saved, Step};
use crate::differentiate::Res;
use crate::differentiate::activity;
use crate::differentiate::num::{binary, identity, map, select, whole, zero};
use crate::differentiate::sums::is_sum;
use fehu_base::{OrBug, Prim};
use fehu_ir::builder::Builder;
use fehu_ir::subst::copy_lambda;
use fehu_ir::{
    Atom, BinOp, Body, CmpOp, Dim, Exp, Hist, HistOp, LoopForm, LoopParam, Scatter, Stm, Type, Var,
};

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
        if let [hist] = &op.ops[..]
            && hist.shape.len() == 1
            && extremum(&hist.op).is_some()
        {
            let before = b.exp("before", Exp::Copy(hist.dests[0]));
            b.push(stm.clone());
            steps.push(Step { stm, saved: Saved::Bins(before) });
            return Ok(());
        }
        if self.is_host && multiplied(op, b).is_some() {
            let before = b.exp("before", Exp::Copy(op.ops[0].dests[0]));
            b.push(stm.clone());
            steps.push(Step { stm, saved: Saved::Bins(before) });
            return Ok(());
        }
        let mut pat = stm.pat.iter().copied();
        let mut index = 0;
        let mut value: usize = op.ops.iter().map(|hist| hist.shape.len()).sum();
        for hist in &op.ops {
            let mine: Vec<Var> = pat.by_ref().take(hist.dests.len()).collect();
            let indices = op.inputs[index..index + hist.shape.len()].to_vec();
            let values = op.inputs[value..value + hist.dests.len()].to_vec();
            (index, value) = (index + hist.shape.len(), value + hist.dests.len());
            let mut repeated = one_by_one(b, mine, op, hist, &indices, &values);
            repeated.loc.clone_from(&stm.loc);
            let only = Body { stms: vec![repeated.clone()], results: Vec::new() };
            activity::varied(&only, b.vars(), &mut self.varied);
            activity::useful(&only, &mut self.useful);
            self.forward(b, repeated, steps)?;
        }
        Ok(())
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

/// A histogram as a loop that combines one value after the other with its bin.
pub(super) fn one_by_one(
    b: &mut Builder<'_>,
    pat: Vec<Var>,
    op: &Hist,
    hist: &HistOp,
    indices: &[Var],
    values: &[Var],
) -> Stm {
    let counter = b.param("i", Type::I64);
    let params: Vec<LoopParam> = hist
        .dests
        .iter()
        .map(|dest| LoopParam { var: b.param("bins", b.ty(*dest).clone()), init: (*dest).into() })
        .collect();
    let bins: Vec<Var> = params.iter().map(|param| param.var).collect();
    let combine = copy_lambda(&hist.op, b.vars_mut());
    let body = b.body(|b| {
        let at = |b: &mut Builder<'_>, array: Var, fixed: Vec<Atom>| -> (Atom, Vec<Dim>) {
            let rest = b.ty(array).shape()[fixed.len()..].to_vec();
            let mut dims: Vec<Dim> = fixed.into_iter().map(Dim::Fix).collect();
            dims.extend(rest.into_iter().map(whole));
            (b.exp("x", Exp::Index(array, dims.clone())).into(), dims)
        };
        let place: Vec<Atom> =
            indices.iter().map(|index| at(b, *index, vec![counter.into()]).0).collect();
        let here = inside(b, &place, &hist.shape);
        let types: Vec<Type> = bins.iter().map(|var| b.ty(*var).clone()).collect();
        let yes = b.body(|b| {
            let (mut args, mut slices) = (Vec::new(), Vec::new());
            for bin in &bins {
                let (old, dims) = at(b, *bin, place.clone());
                args.push(old);
                slices.push(dims);
            }
            for value in values {
                args.push(at(b, *value, vec![counter.into()]).0);
            }
            let results = crate::differentiate::inline(b, combine, args);
            let mut new = Vec::new();
            for ((bin, dims), result) in bins.iter().zip(slices).zip(results) {
                let copy = b.exp("copy", Exp::Copy(*bin));
                new.push(b.exp("bins", Exp::Update(copy, dims, result)).into());
            }
            new
        });
        let no = Body::of(bins.iter().map(|var| Atom::Var(*var)).collect());
        let next = b.several("bins", types, Exp::If(here, Box::new([yes, no])));
        next.into_iter().map(Atom::Var).collect()
    });
    let form = LoopForm::For(counter, op.width);
    Stm::new(pat, Exp::Loop(params, form, Box::new(body)))
}
