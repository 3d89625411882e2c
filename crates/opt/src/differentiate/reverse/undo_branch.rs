//! Changes of arrays in branches, which the return sweep undoes under the same condition.
//!
//! ```text
//! ys = if c then xs with [i] = v else xs
//! ==>
//! (ys, j, old) = if c then (xs with [i] = v, i, xs[i]) else (xs, 0, 0)
//! xs = if c then ys with [j] = old else ys
//! ```
//!
//! The bodies make as many changes as they like. What they have to tell about them are further results, which they
//! share if they are of one type.

use super::undo_change::Changes;
use crate::differentiate::num::zero;
use fehu_base::OrBug;
use fehu_ir::builder::Builder;
use fehu_ir::subst::{Subst, subst_atom, subst_type};
use fehu_ir::{Atom, Body, Exp, Stm, Type, Var};

/// A branch one of whose results is an array with changes.
pub(super) struct Branch {
    /// The branch, without its bodies.
    choice: Exp,
    /// The changes in each body.
    pub(super) bodies: Vec<Changes>,
}

/// A further result of a branch: by its body, what is known there, and its name outside.
struct Told {
    ty: Type,
    name: Var,
    /// Whether it is a size of others: zero where there is nothing to tell.
    is_size: bool,
    inside: Vec<Option<Var>>,
}

impl Branch {
    /// The changes of an array, by its names before, and the name after them. Loops in bodies are those that `restored` knows.
    pub(super) fn of(
        b: &Builder<'_>,
        stm: &Stm,
        array: &[Var],
        restored: &dyn Fn(Var) -> Option<Var>,
    ) -> Option<(Var, Branch)> {
        let changes = |result: usize| {
            let mut all = Some(Vec::new());
            stm.exp.for_each_body(&mut |body| {
                let changes = Changes::of(b, body, array, result, restored);
                if let (Some(all), Some(changes)) = (&mut all, changes) {
                    all.push(changes);
                } else {
                    all = None;
                }
            });
            all.filter(|all| all.iter().any(|changes| !changes.all.is_empty()))
        };
        let found = stm.pat.iter().enumerate();
        let (after, bodies) =
            found.into_iter().find_map(|(at, after)| Some((*after, changes(at)?)))?;
        let mut choice = stm.exp.clone();
        choice.map_bodies(&mut |body| *body = Body::of(Vec::new()));
        Some((after, Branch { choice, bodies }))
    }

    /// What decides.
    pub(super) fn cond(&self) -> Atom {
        let mut cond = None;
        self.choice.for_each_operand(&mut |atom| cond = Some(atom));
        cond.or_bug("condition of a branch")
    }

    pub(super) fn rename(&mut self, names: &Subst) {
        if let Exp::If(cond, _) | Exp::Switch(cond, _) = &mut self.choice {
            *cond = subst_atom(*cond, names);
        }
        self.bodies.iter_mut().for_each(|changes| changes.rename(names));
    }

    /// Names what is overwritten, and where, as further results of the branch.
    pub(super) fn name_old(&mut self, b: &mut Builder<'_>, stm: &mut Stm) {
        let count = self.bodies.len();
        let mut told: Vec<Told> = Vec::new();
        let (mut number, mut bodies) = (0, self.bodies.iter_mut());
        stm.exp.map_bodies(&mut |body| {
            let changes = bodies.next().or_bug("changes of a body");
            changes.name_old(b, body);
            let mut names = Subst::default();
            for (var, is_size) in known_inside(b, body, changes) {
                let mut ty = b.ty(var).clone();
                subst_type(&mut ty, &names);
                let is_free = |told: &&mut Told| {
                    told.ty == ty && told.inside[number].is_none() && !told.is_size && !is_size
                };
                let place = match told.iter_mut().find(is_free) {
                    Some(place) => place,
                    None => {
                        let name = b.param(b.vars()[var].hint.clone(), ty.clone());
                        told.push(Told { ty, name, is_size, inside: vec![None; count] });
                        told.last_mut().or_bug("result of a branch")
                    }
                };
                place.inside[number] = Some(var);
                names.insert(var, place.name.into());
            }
            changes.rename(&names);
            number += 1;
        });
        let mut number = 0;
        stm.exp.map_bodies(&mut |body| {
            let mut nothing = Builder::new(b.vars_mut());
            let mut values = Subst::default();
            for Told { ty, name, inside, .. } in &told {
                let value = match inside[number] {
                    Some(var) => var.into(),
                    None => {
                        let mut ty = ty.clone();
                        subst_type(&mut ty, &values);
                        zero(&mut nothing, &ty)
                    }
                };
                values.insert(*name, value);
                body.results.push(value);
            }
            body.stms.extend(nothing.finish(Vec::new()).stms);
            number += 1;
        });
        stm.pat.extend(told.iter().map(|told| told.name));
    }

    pub(super) fn undo(&self, b: &mut Builder<'_>, after: Var, before: Var) {
        let mut bodies = self.bodies.iter();
        let mut exp = self.choice.clone();
        exp.map_bodies(&mut |body| {
            let changes = bodies.next().or_bug("changes of a body");
            *body = b.body(|b| vec![changes.undo(b, after).into()]);
        });
        b.stm(vec![before], exp);
    }
}

/// What undoing takes and a body binds, sizes first, and whether it is a size.
fn known_inside(b: &Builder<'_>, body: &Body, changes: &Changes) -> Vec<(Var, bool)> {
    let is_bound = |var: &Var| body.stms.iter().any(|stm| stm.pat.contains(var));
    let needs: Vec<Var> = changes.needs().into_iter().filter(is_bound).collect();
    let sizes = needs.iter().flat_map(|var| b.ty(*var).shape()).filter_map(|size| size.var());
    let sizes: Vec<Var> = sizes.filter(is_bound).collect();
    let mut all: Vec<(Var, bool)> = Vec::new();
    for var in sizes.iter().chain(&needs) {
        if !all.iter().any(|(known, _)| known == var) {
            all.push((*var, sizes.contains(var)));
        }
    }
    all
}
