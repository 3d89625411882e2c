//! Maps whose positions contribute: how much they do together, and where each of them begins.

use super::instead::{Accumulators, Instead};
use crate::differentiate::num::{add_lambda, binary, identity, map_exp, outer, sum};
use fehu_base::{OrBug, Prim};
use fehu_ir::builder::Builder;
use fehu_ir::subst::copy_lambda;
use fehu_ir::{Atom, BinOp, Exp, Lambda, Scan, Screma, Type, Var};

/// How much each position contributes to an accumulator.
struct Counts {
    cert: Var,
    /// The numbers of their contributions.
    counts: Var,
    /// These of each position and those before it.
    ends: Var,
}

impl Accumulators<'_> {
    /// Contributions are counted at each position, and added.
    pub(super) fn counted_positions(&mut self, b: &mut Builder<'_>, pat: Vec<Var>, op: Screma) {
        let Screma { width, inputs, map, .. } = op;
        let Lambda { mut params, mut body, ret } = map;
        for param in &params {
            if let (Type::Acc(cert), Some(instead)) = (b.ty(*param), self.of(b.ty(*param))) {
                self.start(*cert, *param, instead);
            }
        }
        params.retain(|var| self.of(b.ty(*var)).is_none());
        self.body(b.vars_mut(), &mut body);
        let map = Lambda { params, body, ret: self.types(&ret) };
        let (mut new, mut counted) = (Vec::new(), Vec::new());
        for var in pat {
            match self.of(b.ty(var)) {
                None => new.push(var),
                Some(Instead::Nothing) => drop(self.bind(b, var)),
                Some(Instead::Count | Instead::Place) => {
                    let counts = b.param("counts", Type::array(Prim::I64.into(), vec![width]));
                    new.push(counts);
                    counted.push((var, counts));
                }
            }
        }
        let is_plain = |var: &&Var| self.of(b.ty(**var)).is_none();
        let plain = inputs.iter().filter(is_plain).copied().collect();
        if !new.is_empty() {
            b.stm(new, map_exp(width, plain, map));
        }
        for (var, counts) in counted {
            self.together(b, var, counts, &inputs);
        }
    }

    /// Each position contributes behind those before it.
    pub(super) fn placed_positions(&mut self, b: &mut Builder<'_>, pat: Vec<Var>, op: Screma) {
        let all = self.counts(b, &op);
        let Lambda { params, body, ret } = op.map;
        let (mut new_inputs, mut new_params) = (Vec::new(), Vec::new());
        let mut inner = Builder::new(b.vars_mut());
        for (input, param) in op.inputs.iter().zip(params) {
            new_inputs.push(*input);
            new_params.push(param);
            let Some(Counts { counts, ends, .. }) = find(&all, inner.ty(param)) else { continue };
            let (count, end) = (inner.param("count", Type::I64), inner.param("end", Type::I64));
            new_inputs.extend([*counts, *ends]);
            new_params.extend([count, end]);
            let before = binary(&mut inner, BinOp::Sub, end.into(), count.into());
            let at = binary(&mut inner, BinOp::Add, self.number(*input), before);
            self.set(param, vec![param.into(), at]);
        }
        self.stms(&mut inner, body.stms);
        let map = Lambda { params: new_params, body: inner.finish(body.results), ret };
        b.stm(pat.clone(), map_exp(op.width, new_inputs, map));
        for var in pat {
            if let Some(Counts { counts, .. }) = find(&all, b.ty(var)) {
                self.together(b, var, *counts, &op.inputs);
            }
        }
    }

    /// A map that only counts, for each accumulator of columns.
    fn counts(&self, b: &mut Builder<'_>, op: &Screma) -> Vec<Counts> {
        let cert = |ty: &Type| match ty {
            Type::Acc(cert) if self.of(ty) == Some(Instead::Place) => Some(*cert),
            Type::Acc(_) | Type::Scalar(_) | Type::Array(..) => None,
        };
        let certs: Vec<Var> = op.map.ret.iter().filter_map(cert).collect();
        let Lambda { mut params, body, .. } = copy_lambda(&op.map, b.vars_mut());
        let body = Accumulators::counted(body, &certs, b.vars_mut(), self.common);
        let is_array = |var: &Var| b.ty(*var).is_array();
        let inputs: Vec<Var> = op.inputs.iter().copied().filter(is_array).collect();
        params.retain(|var| !matches!(b.ty(*var), Type::Acc(_)));
        let map = Lambda { params, body, ret: vec![Type::I64; certs.len()] };
        let types = outer(&map.ret, op.width);
        let counts = b.several("counts", types, map_exp(op.width, inputs, map));
        let all = certs.into_iter().zip(counts);
        all.map(|(cert, counts)| Counts { cert, counts, ends: ends(b, counts) }).collect()
    }

    /// All positions together have contributed, after what had been contributed before.
    fn together(&mut self, b: &mut Builder<'_>, var: Var, counts: Var, inputs: &[Var]) {
        let acc = inputs.iter().find(|input| b.ty(**input) == b.ty(var));
        let before = self.number(*acc.or_bug("accumulator that a map returns"));
        let more = sum(b, counts);
        let new = self.bind(b, var).pop().or_bug("number of contributions");
        b.stm(vec![new], Exp::BinOp(BinOp::Add, before, more));
    }

    fn number(&self, acc: Var) -> Atom {
        *self.now(acc).last().or_bug("number of contributions")
    }
}

fn find<'a>(all: &'a [Counts], ty: &Type) -> Option<&'a Counts> {
    all.iter().find(|counts| *ty == Type::Acc(counts.cert))
}

fn ends(b: &mut Builder<'_>, counts: Var) -> Var {
    let ty = b.ty(counts).clone();
    let scan = Scan { op: add_lambda(b, &Type::I64, 0), neutral: vec![0.into()] };
    let (map, scans) = (identity(b, &[Type::I64]), vec![scan]);
    let op = Screma { width: ty.shape()[0], inputs: vec![counts], map, scans, reds: Vec::new() };
    b.typed("ends", ty, Exp::Screma(Box::new(op)))
}
