//! Branches: the same condition chooses the return sweep. Each branch yields the adjoints of all variables from outside to which
//! one of them contributes.

use super::Reverse;
use super::adjoint::Adjoint;
use super::regular::Products;
use super::through::read_through;
use crate::differentiate::Res;
use crate::differentiate::activity::Set;
use fehu_base::OrBug;
use fehu_ir::builder::Builder;
use fehu_ir::subst::copy_body;
use fehu_ir::{Atom, Body, Exp, Stm, Type, Var};
use rustc_hash::FxHashMap;

impl Reverse {
    pub(super) fn branch_back(&mut self, b: &mut Builder<'_>, stm: &Stm) -> Res<()> {
        self.bodies_back(b, stm, &[])
    }

    /// Likewise, where something is known about the products in some bodies.
    pub(super) fn bodies_back(
        &mut self,
        b: &mut Builder<'_>,
        stm: &Stm,
        products: &[Products],
    ) -> Res<()> {
        let adjoints = self.take_all(b, &stm.pat);
        let is_acc = |var: &Var| matches!(b.ty(*var), Type::Acc(_));
        if adjoints.iter().all(Option::is_none) && !stm.pat.iter().any(is_acc) {
            return Ok(());
        }
        let mut bodies = Vec::new();
        stm.exp.for_each_body(&mut |body| bodies.push(body.clone()));
        let outside = self.adjoints.clone();
        let mut made: Vec<(Body, FxHashMap<Var, Adjoint>)> = Vec::new();
        let known = self.products;
        for (number, body) in bodies.into_iter().enumerate() {
            let body = copy_body(&body, b.vars_mut());
            let primal: Set = body.stms.iter().flat_map(|stm| stm.pat.iter().copied()).collect();
            let mut inner = Builder::new(b.vars_mut());
            self.products = products.get(number).copied().unwrap_or(known);
            self.scope(&mut inner, body, &adjoints)?;
            self.products = known;
            let mut body = inner.finish(Vec::new());
            read_through(b, &mut body, &primal);
            made.push((body, std::mem::replace(&mut self.adjoints, outside.clone())));
        }
        // In the order in which they were bound, so that the same program gives the same code.
        let mut changed: Vec<Var> = made
            .iter()
            .flat_map(|(body, adjoints)| {
                let inside = fehu_ir::free::bound_in_body(body);
                let outside = &outside;
                let new = move |(var, adjoint): &(&Var, &Adjoint)| {
                    outside.get(*var) != Some(*adjoint) && !inside.contains(var)
                };
                adjoints.iter().filter(new).map(|(var, _)| *var).collect::<Vec<_>>()
            })
            .collect();
        changed.sort_unstable();
        changed.dedup();
        if changed.is_empty() {
            return Ok(());
        }
        let mut bodies = Vec::new();
        let mut types: Vec<Option<Type>> = vec![None; changed.len()];
        for (body, adjoints) in made {
            let mut inner = Builder::new(b.vars_mut());
            body.stms.into_iter().for_each(|stm| inner.push(stm));
            let mut results: Vec<Atom> = Vec::new();
            for (var, ty) in changed.iter().zip(&mut types) {
                results.push(match adjoints.get(var) {
                    Some(Adjoint::Value(value)) => *value,
                    Some(Adjoint::Acc(acc)) => {
                        *ty = Some(inner.ty(*acc).clone());
                        (*acc).into()
                    }
                    None => self.zero_like(&mut inner, *var),
                });
            }
            bodies.push(inner.finish(results));
        }
        let mut bodies = bodies.into_iter();
        let mut exp = stm.exp.clone();
        exp.map_bodies(&mut |body| *body = bodies.next().or_bug("body of a branch"));
        let all: Vec<Type> = changed
            .iter()
            .zip(&types)
            .map(|(var, ty)| ty.clone().unwrap_or_else(|| b.ty(*var).clone()))
            .collect();
        self.common.covers(true);
        let new = b.several("adjoint", all, exp);
        for ((var, new), ty) in changed.into_iter().zip(new).zip(types) {
            let adjoint = match ty {
                Some(_) => Adjoint::Acc(new),
                None => Adjoint::Value(new.into()),
            };
            self.adjoints.insert(var, adjoint);
        }
        Ok(())
    }
}

/// The adjoint with the sizes that the result has here.
pub(in crate::differentiate) fn resize(b: &mut Builder<'_>, result: Atom, adjoint: Atom) -> Atom {
    match (b.atom_ty(result), adjoint) {
        (ty @ Type::Array(..), Atom::Var(array)) if *b.ty(array) != ty => {
            b.exp("adjoint", Exp::Reshape(array, ty.shape().to_vec())).into()
        }
        _ => adjoint,
    }
}
