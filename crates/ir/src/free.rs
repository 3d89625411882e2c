//! The variables that a fragment uses without binding them.
//!
//! A variable is bound at most once in a function, so these are simply the used ones less the bound
//! ones. The sizes in the types of the variables that the fragment binds are uses, too, which is why
//! the table of variables is needed.

use crate::visit::{Visit, walk_type};
use crate::{Body, Exp, Lambda, Stm, Var, VarInfo};
use fehu_base::IdVec;
use rustc_hash::FxHashSet;

/// The free variables of a body, in the order of their first use.
pub fn free_in_body(body: &Body, vars: &IdVec<Var, VarInfo>) -> Vec<Var> {
    collect(vars, |free| free.body(body))
}

/// The free variables of a lambda, its types included, in the order of their first use.
pub fn free_in_lambda(lambda: &Lambda, vars: &IdVec<Var, VarInfo>) -> Vec<Var> {
    collect(vars, |free| free.lambda(lambda))
}

/// The free variables of an expression, in the order of their first use.
pub fn free_in_exp(exp: &Exp, vars: &IdVec<Var, VarInfo>) -> Vec<Var> {
    collect(vars, |free| free.exp(exp))
}

/// The free variables of a statement: certificates and sizes of the pattern included, in the order
/// of their first use.
pub fn free_in_stm(stm: &Stm, vars: &IdVec<Var, VarInfo>) -> Vec<Var> {
    collect(vars, |free| free.stm(stm))
}

/// The variables that a body binds, in order, those of bodies inside included.
pub fn bound_in_body(body: &Body) -> Vec<Var> {
    let mut bound = Bound::default();
    bound.body(body);
    bound.0
}

/// The variables that a statement binds, likewise.
pub fn bound_in_stm(stm: &Stm) -> Vec<Var> {
    let mut bound = Bound::default();
    bound.stm(stm);
    bound.0
}

/// The variables that a lambda binds, its parameters first.
pub fn bound_in_lambda(lambda: &Lambda) -> Vec<Var> {
    let mut bound = Bound::default();
    bound.lambda(lambda);
    bound.0
}

/// What a fragment binds.
#[derive(Default)]
pub(crate) struct Bound(pub(crate) Vec<Var>);

impl Visit for Bound {
    fn bind(&mut self, var: &Var) {
        self.0.push(*var);
    }
}

struct Free<'a> {
    vars: &'a IdVec<Var, VarInfo>,
    used: Vec<Var>,
    seen: FxHashSet<Var>,
    bound: FxHashSet<Var>,
}

fn collect(vars: &IdVec<Var, VarInfo>, walk: impl FnOnce(&mut Free<'_>)) -> Vec<Var> {
    let mut free =
        Free { vars, used: Vec::new(), seen: FxHashSet::default(), bound: FxHashSet::default() };
    walk(&mut free);
    let bound = free.bound;
    free.used.retain(|var| !bound.contains(var));
    free.used
}

impl Visit for Free<'_> {
    fn use_var(&mut self, var: &Var) {
        if self.seen.insert(*var) {
            self.used.push(*var);
        }
    }

    fn bind(&mut self, var: &Var) {
        self.bound.insert(*var);
        if let Some(info) = self.vars.get(*var) {
            walk_type(self, &info.ty);
        }
    }
}
