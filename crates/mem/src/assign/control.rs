//! Branches, loops and calls: arrays whose block is known only when the program runs.

use super::Assign;
use crate::table::{Place, contents, small};
use fehu_ir::{Atom, Body, Exp, LoopParam, Var};

impl Assign<'_> {
    pub(super) fn control(&mut self, pat: &[Var], exp: &mut Exp) {
        match exp {
            Exp::If(_, bodies) => self.branches(pat, bodies.iter_mut().collect()),
            Exp::Switch(_, switch) => {
                let cases = switch.cases.iter_mut().map(|(_, body)| body);
                self.branches(pat, cases.chain([&mut switch.default]).collect());
            }
            Exp::Loop(params, _, body) => self.loop_(pat, params, body),
            Exp::Call(_, args) => {
                for arg in args.iter_mut() {
                    *arg = self.contiguous(*arg);
                }
                pat.iter().for_each(|var| self.carried(*var));
                pat.iter().for_each(|var| self.may_be_argument(*var, args));
            }
            _ => pat.iter().for_each(|var| self.carried(*var)),
        }
    }

    /// A result of a call may be an argument, or a part of one.
    fn may_be_argument(&mut self, var: Var, args: &[Atom]) {
        let Some(elem) = contents(&self.vars[var].ty) else { return };
        for arg in args {
            let same = arg.var().and_then(|arg| contents(&self.vars[arg].ty)) == Some(elem);
            if same {
                self.escapes(*arg);
                self.add_roots(var, self.roots_of(*arg));
            }
        }
    }

    /// A block of its own for a small array that would otherwise carry one. Whether it was small.
    fn own(&mut self, var: Var, before: Var) -> bool {
        let is_small =
            small(self.vars[var].ty.shape()).is_some() && contents(&self.vars[var].ty).is_some();
        if is_small {
            self.fresh(var, before);
        }
        is_small
    }

    fn branches(&mut self, pat: &[Var], bodies: Vec<&mut Body>) {
        let own: Vec<bool> = pat.iter().map(|var| self.own(*var, *var)).collect();
        for (var, own) in pat.iter().zip(&own) {
            if !own {
                self.carried(*var);
            }
        }
        for body in bodies {
            self.body(body, |this, body| {
                for ((result, own), var) in body.results.iter_mut().zip(&own).zip(pat) {
                    if !own {
                        *result = this.contiguous(*result);
                        this.escapes(*result);
                        this.add_roots(*var, this.roots_of(*result));
                    }
                }
            });
        }
    }

    fn loop_(&mut self, pat: &[Var], params: &mut [LoopParam], body: &mut Body) {
        let Some(before) = pat.first().copied() else {
            return self.plain_body(body);
        };
        let mut targets: Vec<Option<Place>> = Vec::with_capacity(params.len());
        for param in params.iter_mut() {
            if self.own(param.var, before) {
                targets.push(self.table.place(param.var).cloned());
                continue;
            }
            param.init = self.contiguous(param.init);
            self.escapes(param.init);
            self.carried(param.var);
            self.add_roots(param.var, self.roots_of(param.init));
            targets.push(None);
        }
        self.body(body, |this, body| {
            for (result, target) in body.results.iter_mut().zip(&targets) {
                if target.is_none() {
                    *result = this.contiguous(*result);
                }
            }
            this.settle(&mut body.results, &targets);
            for ((result, target), param) in body.results.iter().zip(&targets).zip(params.iter()) {
                if target.is_none() {
                    this.escapes(*result);
                    this.add_roots(param.var, this.roots_of(*result));
                }
            }
        });
        // The last values are where the parameters are.
        for (var, param) in pat.iter().zip(params.iter()) {
            self.same(*var, Atom::Var(param.var));
            if let Some(place) = self.table.place(*var).cloned() {
                let lmad = self.row_major(*var);
                self.table.set(*var, Place { lmad, ..place });
            }
        }
    }
}
