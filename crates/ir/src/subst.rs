//! Replacing variables by operands, and copying fragments with variables of their own.
//!
//! Sizes in types are replaced, too: in the types written in the fragment and in those of the variables
//! that it binds.

use crate::free::Bound;
use crate::visit::{Visit, VisitMut, walk_type_mut};
use crate::{Atom, Body, Exp, Lambda, Scalar, Stm, Type, Var, VarInfo};
use fehu_base::IdVec;
use rustc_hash::FxHashMap;

/// What stands for a variable.
pub type Subst = FxHashMap<Var, Atom>;

/// Replaces variables in a body and in the types of what it binds.
pub fn subst_body(body: &mut Body, vars: &mut IdVec<Var, VarInfo>, subst: &Subst) {
    if !subst.is_empty() {
        Replace { vars: Some(vars), subst }.body(body);
    }
}

/// Replaces variables in a lambda.
pub fn subst_lambda(lambda: &mut Lambda, vars: &mut IdVec<Var, VarInfo>, subst: &Subst) {
    if !subst.is_empty() {
        Replace { vars: Some(vars), subst }.lambda(lambda);
    }
}

/// Replaces variables in an expression.
pub fn subst_exp(exp: &mut Exp, vars: &mut IdVec<Var, VarInfo>, subst: &Subst) {
    if !subst.is_empty() {
        Replace { vars: Some(vars), subst }.exp(exp);
    }
}

/// Replaces variables in a statement and in the types of its pattern.
pub fn subst_stm(stm: &mut Stm, vars: &mut IdVec<Var, VarInfo>, subst: &Subst) {
    if !subst.is_empty() {
        Replace { vars: Some(vars), subst }.stm(stm);
    }
}

/// Replaces variables in a type.
pub fn subst_type(ty: &mut Type, subst: &Subst) {
    if !subst.is_empty() {
        Replace { vars: None, subst }.ty(ty);
    }
}

/// The operand with variables replaced.
pub fn subst_atom(atom: Atom, subst: &Subst) -> Atom {
    match atom {
        Atom::Var(var) => subst.get(&var).copied().unwrap_or(atom),
        Atom::Const(_) => atom,
    }
}

struct Replace<'a> {
    vars: Option<&'a mut IdVec<Var, VarInfo>>,
    subst: &'a Subst,
}

impl VisitMut for Replace<'_> {
    fn use_var(&mut self, var: &mut Var) {
        // Only arrays, certificates and accumulators stand here, and none of them is a constant but
        // certificates, which `stm` takes care of.
        if let Some(Atom::Var(new)) = self.subst.get(var) {
            *var = *new;
        }
    }

    fn use_atom(&mut self, atom: &mut Atom) {
        *atom = subst_atom(*atom, self.subst);
    }

    fn bind(&mut self, var: &mut Var) {
        let Some(vars) = self.vars.take() else { return };
        if vars.get(*var).is_some() {
            walk_type_mut(self, &mut vars[*var].ty);
        }
        self.vars = Some(vars);
    }

    fn stm(&mut self, stm: &mut Stm) {
        // A certificate that became the constant is one that always holds.
        stm.certs.retain(|cert| self.subst.get(cert) != Some(&Atom::Const(Scalar::Unit)));
        crate::visit::walk_stm_mut(self, stm);
    }
}

/// A copy of a body in which everything that it binds has new variables.
pub fn copy_body(body: &Body, vars: &mut IdVec<Var, VarInfo>) -> Body {
    let mut copy = body.clone();
    Copier { from: None, to: vars, subst: Subst::default() }
        .copy(|v| v.body(body), |v| v.body(&mut copy));
    copy
}

/// A copy of a lambda in which everything that it binds has new variables.
pub fn copy_lambda(lambda: &Lambda, vars: &mut IdVec<Var, VarInfo>) -> Lambda {
    let mut copy = lambda.clone();
    Copier { from: None, to: vars, subst: Subst::default() }
        .copy(|v| v.lambda(lambda), |v| v.lambda(&mut copy));
    copy
}

/// A copy of a statement in which everything that it binds has new variables.
pub fn copy_stm(stm: &Stm, vars: &mut IdVec<Var, VarInfo>) -> Stm {
    let mut copy = stm.clone();
    Copier { from: None, to: vars, subst: Subst::default() }
        .copy(|v| v.stm(stm), |v| v.stm(&mut copy));
    copy
}

/// A copy of a body of another function, for inlining: `subst` says what stands for the variables that
/// are free in it, and everything that it binds has new variables.
pub fn import_body(
    body: &Body,
    from: &IdVec<Var, VarInfo>,
    to: &mut IdVec<Var, VarInfo>,
    subst: Subst,
) -> Body {
    let mut copy = body.clone();
    Copier { from: Some(from), to, subst }.copy(|v| v.body(body), |v| v.body(&mut copy));
    copy
}

struct Copier<'a> {
    /// The table of the original, if it is not the one of the copy.
    from: Option<&'a IdVec<Var, VarInfo>>,
    to: &'a mut IdVec<Var, VarInfo>,
    subst: Subst,
}

struct Rename<'a>(&'a Subst);

impl Copier<'_> {
    fn copy(mut self, look: impl FnOnce(&mut Bound), change: impl FnOnce(&mut Rename<'_>)) {
        let mut bound = Bound::default();
        look(&mut bound);
        let mut new_vars = Vec::with_capacity(bound.0.len());
        for var in bound.0 {
            let info = self.from.unwrap_or(self.to)[var].clone();
            let new = self.to.push(info);
            self.subst.insert(var, Atom::Var(new));
            new_vars.push(new);
        }
        // The types may mention variables that are bound later, in the same pattern.
        for new in new_vars {
            subst_type(&mut self.to[new].ty, &self.subst);
        }
        change(&mut Rename(&self.subst));
    }
}

impl VisitMut for Rename<'_> {
    fn use_var(&mut self, var: &mut Var) {
        if let Some(Atom::Var(new)) = self.0.get(var) {
            *var = *new;
        }
    }

    fn use_atom(&mut self, atom: &mut Atom) {
        *atom = subst_atom(*atom, self.0);
    }

    fn bind(&mut self, var: &mut Var) {
        if let Some(Atom::Var(new)) = self.0.get(var) {
            *var = *new;
        }
    }

    fn stm(&mut self, stm: &mut Stm) {
        stm.certs.retain(|cert| self.0.get(cert) != Some(&Atom::Const(Scalar::Unit)));
        crate::visit::walk_stm_mut(self, stm);
    }
}
