//! Changes of arrays in branches, which the return sweep undoes under the same condition.
//!
//! ```text
//! ys = if c then xs with [i] = v else xs
//! ==>
//! (ys, j, old) = if c then (xs with [i] = v, i, xs[i]) else (xs, 0, 0)
//! xs = if c then ys with [j] = old else ys
//! ```

use crate::differentiate::activity::Set;
use crate::differentiate::num::zero;
use fehu_base::OrBug;
use fehu_ir::builder::Builder;
use fehu_ir::free::bound_in_body;
use fehu_ir::{Atom, Body, Dim, Exp, Stm, Type, Var};

/// A branch one of whose results is an array with one change at most, and with one in at least one of its bodies.
pub(super) struct InBranch {
    pub(super) cond: Atom,
    /// The results of the updates in its bodies; the first body is for a condition that holds.
    updates: [Option<Var>; 2],
    /// What is overwritten and where, once it has names outside of the branch.
    pub(super) old: Var,
    pub(super) dims: Vec<Dim>,
}

impl InBranch {
    /// The change of an array, by its names before, and the position of the array among the results. `own` is what the loop binds.
    pub(super) fn of(stm: &Stm, array: &[Var], own: &Set) -> Option<(usize, InBranch)> {
        let Exp::If(cond, bodies) = &stm.exp else { return None };
        let [yes, no] = &**bodies;
        let (result, updates) = (0..stm.pat.len()).find_map(|result| {
            let updates = [update_in(yes, array, result)?, update_in(no, array, result)?];
            updates.iter().any(Option::is_some).then_some((result, updates))
        })?;
        let inside: Vec<Var> = bodies.iter().flat_map(bound_in_body).collect();
        let varies =
            |atom: &Atom| atom.var().is_some_and(|var| inside.contains(&var) || own.contains(&var));
        let all: Vec<&[Dim]> = bodies
            .iter()
            .zip(updates)
            .filter_map(|(body, update)| Some(update_of(body, update?)?.2))
            .collect();
        // What is kept has one size, also if both bodies change the array.
        let is_element = |dims: &&[Dim]| dims.iter().all(|dim| matches!(dim, Dim::Fix(_)));
        let has_size = |dim: &Dim| match dim {
            Dim::Fix(_) => true,
            Dim::Slice { len, stride, .. } => !varies(len) && !varies(stride),
        };
        let fits = match &all[..] {
            [dims] => dims.iter().all(has_size),
            all => all.iter().all(is_element),
        };
        let (old, dims) = (stm.pat[result], all.first()?.to_vec());
        fits.then_some((result, InBranch { cond: *cond, updates, old, dims }))
    }

    /// Names what is overwritten, and where, as further results of the branch.
    pub(super) fn name_old(&mut self, b: &mut Builder<'_>, stm: &mut Stm) {
        let Exp::If(_, bodies) = &mut stm.exp else { return };
        let is_both = self.updates.iter().all(Option::is_some);
        let inside: Vec<Var> = bodies.iter().flat_map(bound_in_body).collect();
        let is_named =
            |start: Atom| is_both || start.var().is_some_and(|var| inside.contains(&var));
        let which: Vec<bool> = starts(&self.dims).into_iter().map(is_named).collect();
        let mut ty = None;
        for (body, update) in bodies.iter_mut().zip(self.updates) {
            let Some((at, array, dims)) = update.and_then(|var| update_of(body, var)) else {
                continue;
            };
            let named = starts(dims).into_iter().zip(&which).filter(|(_, named)| **named);
            let mut results: Vec<Atom> = named.map(|(start, _)| start).collect();
            let mut read = Builder::new(b.vars_mut());
            read.set_certs(body.stms[at].certs.clone());
            let mut old = read.exp("old", Exp::Index(array, dims.to_vec()));
            if read.ty(old).is_array() {
                old = read.exp("old", Exp::Copy(old));
            }
            ty = Some(read.ty(old).clone());
            results.push(old.into());
            body.results.extend(results);
            body.stms.splice(at..at, read.finish(Vec::new()).stms);
        }
        let ty = ty.or_bug("update in a branch");
        for (body, update) in bodies.iter_mut().zip(self.updates) {
            if update.is_none() {
                let mut none = Builder::new(b.vars_mut());
                let nothing = zero(&mut none, &ty);
                body.stms.extend(none.finish(Vec::new()).stms);
                let named = which.iter().filter(|named| **named);
                body.results.extend(named.map(|_| Atom::i64(0)));
                body.results.push(nothing);
            }
        }
        for (dim, _) in self.dims.iter_mut().zip(&which).filter(|(_, named)| **named) {
            let (Dim::Fix(start) | Dim::Slice { start, .. }) = dim;
            let var = b.param("i", Type::I64);
            *start = var.into();
            stm.pat.push(var);
        }
        self.old = b.param("old", ty);
        stm.pat.push(self.old);
    }

    /// The statement that makes the array from before out of that from after the branch; `update` makes it where it was changed.
    pub(super) fn undo(
        &self,
        b: &mut Builder<'_>,
        (before, after): (Var, Var),
        update: impl FnOnce(&mut Builder<'_>) -> Stm,
    ) {
        if self.updates.iter().all(Option::is_some) {
            let changed = update(b);
            return b.push(Stm { pat: vec![before], ..changed });
        }
        let result = b.param("undone", b.ty(after).clone());
        let changed = b.body(|b| {
            let changed = update(b);
            b.push(Stm { pat: vec![result], ..changed });
            vec![result.into()]
        });
        let same = Body::of(vec![after.into()]);
        let bodies = if self.updates[0].is_some() { [changed, same] } else { [same, changed] };
        b.stm(vec![before], Exp::If(self.cond, Box::new(bodies)));
    }
}

/// Where a slice begins, in each dimension.
fn starts(dims: &[Dim]) -> Vec<Atom> {
    let start = |dim: &Dim| match dim {
        Dim::Fix(start) | Dim::Slice { start, .. } => *start,
    };
    dims.iter().map(start).collect()
}

/// An update by its result: where it is, of which array, and of what.
fn update_of(body: &Body, result: Var) -> Option<(usize, Var, &[Dim])> {
    let at = body.stms.iter().position(|stm| stm.pat.first() == Some(&result))?;
    let Exp::Update(array, dims, _) = &body.stms[at].exp else { return None };
    Some((at, *array, dims))
}

/// What a body updates of an array that is this result of it; nothing if it is something else, or there are several updates.
fn update_in(body: &Body, array: &[Var], result: usize) -> Option<Option<Var>> {
    let (mut names, mut found) = (array.to_vec(), None);
    for stm in &body.stms {
        if let Exp::Copy(source) | Exp::Atom(Atom::Var(source)) = &stm.exp
            && names.contains(source)
        {
            names.extend(&stm.pat);
        } else if let Exp::Update(source, ..) = &stm.exp
            && names.contains(source)
        {
            if found.is_some() {
                return None;
            }
            (names, found) = (stm.pat.clone(), Some(stm.pat[0]));
        }
    }
    body.results[result].var().is_some_and(|var| names.contains(&var)).then_some(found)
}
