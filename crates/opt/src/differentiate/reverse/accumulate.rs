//! Accumulators in the primal. In the return sweep there are none: the adjoint of a contribution is that of its place
//! in the array, which is only read.

use super::Reverse;
use super::write::at_or_zero;
use crate::differentiate::Res;
use crate::differentiate::num::zero;
use crate::differentiate::once::Quiet;
use fehu_base::{OrBug, bug};
use fehu_facts::operators::is_sum_after;
use fehu_ir::builder::Builder;
use fehu_ir::subst::{copy_lambda, copy_stm};
use fehu_ir::visit::{VisitMut, walk_body_mut};
use fehu_ir::{AccInput, Atom, Body, Exp, Lambda, Stm, Type, Var};

impl Reverse {
    pub(super) fn with_acc_back(
        &mut self,
        b: &mut Builder<'_>,
        stm: &Stm,
        inputs: &[AccInput],
        lambda: &Lambda,
    ) -> Res<()> {
        let adjoints = self.take_all(b, &stm.pat);
        let mut all = adjoints.iter().copied();
        let lambda = copy_lambda(lambda, b.vars_mut());
        let (certs, accs) = lambda.params.split_at(inputs.len());
        for ((input, cert), acc) in inputs.iter().zip(certs).zip(accs) {
            let mine: Vec<Option<Var>> =
                all.by_ref().take(input.arrays.len()).map(|a| a.and_then(Atom::var)).collect();
            let adds = |(op, _): &(Lambda, _)| is_sum_after(op, input.shape.len());
            if !input.op.as_ref().is_none_or(adds) {
                // See [`crate::differentiate::record`].
                bug("an accumulation by an operator that does not add is no histogram");
            }
            self.accs.insert(*cert, mine);
            self.varied.insert(*acc);
        }
        let others: Vec<Option<Atom>> =
            std::iter::repeat_n(None, inputs.len()).chain(all).collect();
        let again = copy_lambda(&lambda, b.vars_mut());
        self.scope(b, lambda.body, &others)?;
        // What overwrites is gone from the adjoint of the array. It has been read by now, and changes in place.
        let overwritten = self.overwritten(b, inputs, &again, &adjoints)?;
        let arrays = inputs.iter().flat_map(|input| &input.arrays);
        for ((array, overwritten), adjoint) in arrays.zip(overwritten).zip(&adjoints) {
            if let Some(back) = overwritten.or(*adjoint) {
                self.contribute(b, (*array).into(), back);
            }
        }
        Ok(())
    }

    /// For accumulations without an operator: the adjoints of the results, with zeros where something is written.
    fn overwritten(
        &mut self,
        b: &mut Builder<'_>,
        inputs: &[AccInput],
        lambda: &Lambda,
        adjoints: &[Option<Atom>],
    ) -> Res<Vec<Option<Atom>>> {
        let count: usize = inputs.iter().map(|input| input.arrays.len()).sum();
        let mut all = vec![None; count];
        // Nobody asks for what there was in arrays that were made to be written to.
        let is_asked = |array: &Var| self.varied.contains(array);
        if !inputs.iter().any(|input| input.op.is_none() && input.arrays.iter().any(is_asked)) {
            return Ok(all);
        }
        let mut again = lambda.clone();
        let mut new = Vec::new();
        let mut types = Vec::new();
        let mut at = 0;
        for input in inputs {
            let mut arrays = Vec::new();
            for array in &input.arrays {
                let adjoint = match adjoints[at] {
                    Some(adjoint) => adjoint.var().or_bug("adjoint of an array"),
                    None => self.zero_like(b, *array).var().or_bug("zeros of an array"),
                };
                at += 1;
                types.push(b.ty(*array).clone());
                arrays.push(b.exp("copy", Exp::Copy(adjoint)));
            }
            let op = input
                .op
                .as_ref()
                .map(|(op, neutral)| (copy_lambda(op, b.vars_mut()), neutral.clone()));
            new.push(AccInput { shape: input.shape.clone(), arrays, op });
        }
        Quiet.body(&mut again.body);
        Zeros { b }.body(&mut again.body);
        types.extend(again.ret[inputs.len()..].iter().cloned());
        let bound = b.several("adjoint", types, Exp::WithAcc(new, Box::new(again)));
        let mut at = 0;
        for input in inputs {
            for _ in &input.arrays {
                if input.op.is_none() && adjoints[at].is_some() {
                    all[at] = Some(bound[at].into());
                }
                at += 1;
            }
        }
        Ok(all)
    }

    pub(super) fn update_acc_back(
        &mut self,
        b: &mut Builder<'_>,
        acc: Var,
        indices: &[Atom],
        values: &[Atom],
    ) -> Res<()> {
        let Type::Acc(cert) = *b.ty(acc) else { return self.refuse("this accumulation") };
        let Some(arrays) = self.accs.get(&cert).cloned() else {
            return self.refuse("the derivative of a contribution to an accumulator from outside");
        };
        for (value, array) in values.iter().zip(arrays) {
            if let (Some(array), true) = (array, self.is_varied(*value)) {
                let shape = b.ty(array).shape()[..indices.len()].to_vec();
                let back = at_or_zero(b, array, indices, &shape);
                self.contribute(b, *value, back);
            }
        }
        Ok(())
    }

    /// The statement without the accumulators of the primal, where it is evaluated again; nothing if nothing is left.
    pub(super) fn without_accs(&self, b: &mut Builder<'_>, stm: &Stm) -> Option<Stm> {
        let known = |ty: &Type| matches!(ty, Type::Acc(cert) if self.accs.contains_key(cert));
        if !stm.pat.iter().any(|var| known(b.ty(*var))) {
            return Some(stm.clone());
        }
        if matches!(stm.exp, Exp::UpdateAcc(..)) {
            return None;
        }
        // Inside, there are new variables: the return sweep makes its own.
        let mut copy = copy_stm(stm, b.vars_mut());
        let keep: Vec<bool> = stm.pat.iter().map(|var| !known(b.ty(*var))).collect();
        copy.pat =
            stm.pat.iter().copied().zip(&keep).filter(|(_, k)| **k).map(|(v, _)| v).collect();
        if copy.pat.is_empty() {
            return None;
        }
        Strip { b, reverse: self }.exp(&mut copy.exp);
        Some(copy)
    }
}

/// Contributions of zero.
struct Zeros<'b, 'a> {
    b: &'b mut Builder<'a>,
}

impl VisitMut for Zeros<'_, '_> {
    fn body(&mut self, body: &mut Body) {
        walk_body_mut(self, body);
        let mut out = Vec::with_capacity(body.stms.len());
        for mut stm in std::mem::take(&mut body.stms) {
            if let Exp::UpdateAcc(_, _, values) = &mut stm.exp {
                let mut inner = Builder::new(self.b.vars_mut());
                for value in values {
                    let ty = inner.atom_ty(*value);
                    *value = zero(&mut inner, &ty);
                }
                out.extend(inner.finish(Vec::new()).stms);
            }
            out.push(stm);
        }
        body.stms = out;
    }
}

/// Takes the accumulators of the primal away.
struct Strip<'b, 'a, 'r> {
    b: &'b mut Builder<'a>,
    reverse: &'r Reverse,
}

impl Strip<'_, '_, '_> {
    fn is_acc(&self, var: Var) -> bool {
        matches!(self.b.ty(var), Type::Acc(cert) if self.reverse.accs.contains_key(cert))
    }

    fn keeps(&self, atom: &Atom) -> bool {
        !atom.var().is_some_and(|var| self.is_acc(var))
    }
}

impl VisitMut for Strip<'_, '_, '_> {
    fn body(&mut self, body: &mut Body) {
        for stm in &mut body.stms {
            self.exp(&mut stm.exp);
        }
        let mut stms = std::mem::take(&mut body.stms);
        stms.retain_mut(|stm| {
            let before = stm.pat.len();
            stm.pat.retain(|var| !self.is_acc(*var));
            before == stm.pat.len() || !stm.pat.is_empty()
        });
        body.stms = stms;
        body.results.retain(|atom| self.keeps(atom));
    }

    fn lambda(&mut self, lambda: &mut Lambda) {
        lambda.params.retain(|var| !self.is_acc(*var));
        let known = &self.reverse.accs;
        lambda.ret.retain(|ty| !matches!(ty, Type::Acc(cert) if known.contains_key(cert)));
        self.body(&mut lambda.body);
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the others have no accumulators of their own"
    )]
    fn exp(&mut self, exp: &mut Exp) {
        match exp {
            Exp::Screma(op) => {
                op.inputs.retain(|var| !self.is_acc(*var));
                self.lambda(&mut op.map);
            }
            Exp::Loop(params, _, body) => {
                params.retain(|param| !self.is_acc(param.var));
                self.body(body);
            }
            exp => fehu_ir::visit::walk_exp_mut(self, exp),
        }
    }
}
