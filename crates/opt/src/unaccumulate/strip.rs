//! The function of an accumulation without its accumulators, and with what is kept of its maps.

use super::pull::Kept;
use fehu_base::{IdVec, OrBug};
use fehu_facts::Effects;
use fehu_ir::builder::prim_of;
use fehu_ir::visit::VisitMut;
use fehu_ir::{Atom, Body, Exp, Lambda, Scalar, Screma, Stm, Type, Var, VarInfo};

/// Takes accumulators away.
pub(super) struct Strip<'a> {
    pub(super) vars: &'a mut IdVec<Var, VarInfo>,
    pub(super) effects: &'a Effects,
    /// The certificates of the accumulators.
    pub(super) gone: &'a [Var],
    pub(super) kept: &'a Kept,
}

impl Strip<'_> {
    fn is_gone(&self, ty: &Type) -> bool {
        matches!(ty, Type::Acc(cert) if self.gone.contains(cert))
    }

    fn stays(&self, var: Var) -> bool {
        !self.is_gone(&self.vars[var].ty)
    }

    /// Whether a statement is left; it is changed, if so.
    fn is_left(&mut self, stm: &mut Stm) -> bool {
        let kept = stm.pat.first().and_then(|var| self.kept.results.get(var));
        let of_branch = stm.pat.first().and_then(|var| self.kept.alternatives.get(var));
        let changed =
            kept.is_some() || of_branch.is_some() || !stm.pat.iter().all(|var| self.stays(*var));
        stm.pat.retain(|var| self.stays(*var));
        if let (Exp::Screma(op), Some(kept)) = (&mut stm.exp, kept) {
            for (inner, array) in kept {
                op.map.ret.push(self.vars[*inner].ty.clone());
                let result = self.lasting(&mut op.map.body, *inner);
                op.map.body.results.push(result.into());
                stm.pat.push(*array);
            }
        }
        if let (Exp::If(_, bodies), Some(kept)) = (&mut stm.exp, of_branch) {
            for (taken, inner, after) in kept {
                let zero = Scalar::zero(prim_of(&self.vars[*inner].ty).or_bug("number"));
                for (body, value) in bodies.iter_mut().zip([true, false]) {
                    let result = if value == *taken { (*inner).into() } else { zero.into() };
                    body.results.push(result);
                }
                stm.pat.push(*after);
            }
        }
        !changed || !stm.pat.is_empty() || self.effects.exp(&stm.exp)
    }
}

impl Strip<'_> {
    /// The variable, or a copy of the array if something in the body may change it.
    fn lasting(&mut self, body: &mut Body, var: Var) -> Var {
        if !body.stms.iter().any(|stm| may_change(stm, var)) {
            return var;
        }
        let copy = self.vars.push(self.vars[var].clone());
        let made = body.stms.iter().position(|stm| stm.pat.contains(&var));
        let place = made.map_or(0, |index| index + 1);
        body.stms.insert(place, Stm::new(vec![copy], Exp::Copy(var)));
        copy
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the others change nothing, or inside of their bodies"
)]
fn may_change(stm: &Stm, var: Var) -> bool {
    match &stm.exp {
        Exp::Update(array, ..) | Exp::FlatUpdate(array, ..) => *array == var,
        Exp::Scatter(op) => op.dests.iter().any(|(_, dest)| *dest == var),
        Exp::Hist(op) => op.ops.iter().any(|hist| hist.dests.contains(&var)),
        Exp::WithAcc(inputs, _) => inputs.iter().any(|input| input.arrays.contains(&var)),
        Exp::Loop(params, ..) => params.iter().any(|param| param.init == Atom::Var(var)),
        Exp::Call(_, args) => args.contains(&Atom::Var(var)),
        exp => {
            let mut any = false;
            exp.for_each_body(&mut |body| any |= body.stms.iter().any(|stm| may_change(stm, var)));
            any
        }
    }
}

impl VisitMut for Strip<'_> {
    fn body(&mut self, body: &mut Body) {
        let mut stms = std::mem::take(&mut body.stms);
        stms.retain_mut(|stm| {
            if let Exp::UpdateAcc(acc, ..) = stm.exp
                && !self.stays(acc)
            {
                return false;
            }
            self.exp(&mut stm.exp);
            self.is_left(stm)
        });
        body.stms = stms;
        body.results.retain(|atom| atom.var().is_none_or(|var| self.stays(var)));
    }

    fn lambda(&mut self, lambda: &mut Lambda) {
        lambda.params.retain(|var| self.stays(*var));
        lambda.ret.retain(|ty| !matches!(ty, Type::Acc(cert) if self.gone.contains(cert)));
        self.body(&mut lambda.body);
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "others have no such accumulators")]
    fn exp(&mut self, exp: &mut Exp) {
        match exp {
            Exp::Screma(op) => {
                let Screma { inputs, map, .. } = &mut **op;
                inputs.retain(|var| self.stays(*var));
                self.lambda(map);
            }
            Exp::If(_, bodies) => bodies.iter_mut().for_each(|body| self.body(body)),
            _ => {}
        }
    }
}
