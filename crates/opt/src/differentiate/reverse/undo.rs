//! Loops that change arrays in place: such an array is not kept for the return sweep, which undoes the changes one
//! after the other.
//!
//! ```text
//! r = loop (xs = a) for i < n do                      s = sum (map f xs[i-3:i]);  xs with [i] = s
//! ==>
//! (r, tape) = loop (xs = a, t = ..) for i < n do      s = sum (map f xs[i-3:i]);  (xs with [i] = s, t with [i] = xs[i])
//! (.., a) = loop (.., ys = r) for j < n do            i = n-1-j;  xs = ys with [i] = tape[i];  ..;  (.., xs)
//! ```
//!
//! So an iteration keeps what it overwrites, and not the array. At the end of the return sweep, the array is as it was
//! before the loop; so a loop inside of this one undoes its own changes, and yields the array from before them.
//!
//! Derivatives are made as if nothing changed in place, and `own` finds out which copies are not needed. None is if
//! everything that reads the array after a change comes before the change is undone, and everything else later: a
//! change is undone where that is so.

use super::keep::is_made;
use super::repeat::Taped;
use super::undo_change::{Change, Changes};
use crate::differentiate::activity::Set;
use fehu_base::{IdVec, OrBug};
use fehu_ir::builder::Builder;
use fehu_ir::free::{free_in_body, free_in_stm};
use fehu_ir::subst::{Subst, subst_stm};
use fehu_ir::{Atom, Body, Family, Stm, Var, VarInfo};
use rustc_hash::FxHashMap;

/// What the return sweep of a loop gets by undoing changes.
#[derive(Default)]
pub(super) struct Undone {
    chains: Vec<Chain>,
    /// The arrays, before and after each change.
    arrays: Set,
    /// These, views of them, and copies of those.
    views: Set,
}

/// A parameter of a loop whose next value is itself with changes.
struct Chain {
    /// The position of the parameter.
    index: usize,
    changes: Changes,
}

/// What the return sweep of a loop carries: the position of the loop's parameter, that of the return sweep, and its next value.
pub(super) struct Carried {
    pub(super) index: usize,
    pub(super) param: Var,
    pub(super) next: Atom,
}

impl Undone {
    /// The arrays that the return sweep of the body needs and that can be had in this way. What is overwritten gets a
    /// name in the body. `restored` are the arrays before inner loops, by those after them.
    pub(super) fn find(
        b: &mut Builder<'_>,
        taped: &mut Taped,
        back: &Body,
        restored: &FxHashMap<Var, Var>,
        unsaved: &Set,
    ) -> Undone {
        let needed = free_in_body(back, b.vars());
        let mut own: Set = taped.body.stms.iter().flat_map(|stm| stm.pat.iter().copied()).collect();
        own.extend(taped.params.iter().map(|param| param.var));
        own.insert(taped.counter);
        let made: Set = back.stms.iter().flat_map(|stm| stm.pat.iter().copied()).collect();
        let before = |after: Var| restored.get(&after).copied().filter(|var| made.contains(var));
        let mut undone = Undone::default();
        for (index, param) in taped.params.iter().enumerate() {
            let varies = |size: &Atom| size.var().is_some_and(|var| own.contains(&var));
            let sizes = b.ty(param.var).shape();
            // Arrays of constant size are small.
            if sizes.iter().all(|size| size.var().is_none()) || sizes.iter().any(varies) {
                continue;
            }
            let changes = Changes::of(b, &taped.body, &[param.var], index, &before);
            let Some(mut changes) = changes.filter(|changes| !changes.all.is_empty()) else {
                continue;
            };
            let arrays: Vec<Var> = changes.names.iter().flatten().copied().collect();
            let is_needed = arrays.iter().any(|array| needed.contains(array));
            if is_needed && !arrays.iter().any(|array| unsaved.contains(array)) {
                changes.name_old(b, &mut taped.body);
                undone.arrays.extend(arrays);
                undone.chains.push(Chain { index, changes });
            }
        }
        undone.views.clone_from(&undone.arrays);
        for stm in &taped.body.stms {
            if undone.reads(stm, b.vars()) && is_made_late(stm, b.vars()) {
                undone.views.extend(&stm.pat);
            }
        }
        undone
    }

    /// Whether the return sweep has this array without anything being saved.
    pub(super) fn provides(&self, var: Var) -> bool {
        self.arrays.contains(&var)
    }

    /// Whether a statement reads such an array, or a view or a copy of a part of one.
    pub(super) fn reads(&self, stm: &Stm, vars: &IdVec<Var, VarInfo>) -> bool {
        !self.views.is_empty() && free_in_stm(stm, vars).iter().any(|var| self.views.contains(var))
    }

    /// What it needs for that: what was overwritten, and where.
    pub(super) fn needs(&self) -> Vec<Var> {
        self.chains.iter().flat_map(|chain| chain.changes.needs()).collect()
    }

    /// Whether a statement that binds this variable makes a change, or reads what is overwritten.
    pub(super) fn is_changed(&self, var: Var) -> bool {
        let mut chains = self.chains.iter().map(|chain| &chain.changes);
        let is_after = |names: &Vec<Var>| names.first() == Some(&var);
        self.overwritten(var).is_some()
            || chains.any(|changes| changes.names[1..].iter().any(is_after))
    }

    /// For what is overwritten in an array, that array.
    pub(super) fn overwritten(&self, old: Var) -> Option<Var> {
        let mut chains = self.chains.iter().map(|chain| &chain.changes);
        chains.find(|changes| changes.old().contains(&old)).map(|changes| changes.names[0][0])
    }

    /// Names for the arrays in the return sweep.
    pub(super) fn name(&self, b: &mut Builder<'_>, names: &mut Subst) -> Vec<Carried> {
        let mut carried = Vec::new();
        for Chain { index, changes } in &self.chains {
            let ty = b.ty(changes.names[0][0]).clone();
            let param = b.param("undone", ty.clone());
            let mut current = param;
            let all = changes.all.iter().map(Some).rev().chain([None]);
            for (versions, change) in changes.names.iter().rev().zip(all) {
                names.extend(versions.iter().map(|name| (*name, current.into())));
                match change {
                    Some(Change::Loop { restored }) => current = *restored,
                    Some(Change::Update { .. } | Change::Write(_) | Change::Branch(_)) => {
                        current = b.param("undone", ty.clone());
                    }
                    None => {}
                }
            }
            carried.push(Carried { index: *index, param, next: current.into() });
        }
        carried
    }

    /// The statements of the return sweep, with those that undo changes. The first ones, up to `start`, read what was saved;
    /// `views` are made
    /// where they are used first.
    pub(super) fn weave(
        &self,
        b: &mut Builder<'_>,
        stms: Vec<Stm>,
        (start, views): (usize, Vec<Stm>),
        names: &Subst,
    ) -> Vec<Stm> {
        let mut all = Weaving { stms, start };
        for view in views.into_iter().rev() {
            let first = view.pat.iter().filter_map(|var| all.first_use(*var, b.vars())).min();
            if let Some(first) = first {
                all.stms.insert(first, view);
            }
        }
        let name = |names_of: &[Var]| {
            let name = names_of.first().and_then(|var| names.get(var)?.var());
            name.or_bug("name of an array")
        };
        for Chain { changes, .. } in &self.chains {
            for (versions, change) in changes.names.windows(2).zip(&changes.all).rev() {
                if matches!(change, Change::Loop { .. }) {
                    continue;
                }
                let (before, after) = (name(&versions[0]), name(&versions[1]));
                let at = all.between(after, before, b.vars());
                let mut undo = Builder::new(b.vars_mut());
                change.undo(&mut undo, after, before);
                let mut undo = undo.finish(Vec::new());
                undo.stms.iter_mut().for_each(|stm| subst_stm(stm, b.vars_mut(), names));
                all.stms.splice(at..at, undo.stms);
            }
        }
        all.stms
    }
}

/// The statements of a return sweep into which others are put, not before `start`.
struct Weaving {
    stms: Vec<Stm>,
    start: usize,
}

impl Weaving {
    fn first_use(&self, var: Var, vars: &IdVec<Var, VarInfo>) -> Option<usize> {
        let uses = |stm: &Stm| free_in_stm(stm, vars).contains(&var);
        self.stms.iter().skip(self.start).position(uses).map(|at| at + self.start)
    }

    /// A place after all uses of an array and of views of it, where it is bound, and before those of another one.
    fn between(&self, of: Var, other: Var, vars: &IdVec<Var, VarInfo>) -> usize {
        let binds = |stm: &Stm| stm.pat.contains(&of);
        let bound = self.stms.iter().position(binds).map_or(self.start, |at| at + 1);
        let (mut last, mut views) = (self.start, Set::from_iter([of]));
        for (at, stm) in self.stms.iter().enumerate() {
            if free_in_stm(stm, vars).iter().any(|var| views.contains(var)) {
                last = at + 1;
                views.extend(is_view(stm, vars).then_some(&stm.pat).into_iter().flatten());
            }
        }
        let first = self.first_use(other, vars).unwrap_or(usize::MAX);
        last.min(first).max(bound).max(self.start)
    }
}

/// Whether a statement that reads such an array is executed again where its results are used first: it makes a view, or
/// a copy for others to change.
pub(super) fn is_made_late(stm: &Stm, vars: &IdVec<Var, VarInfo>) -> bool {
    is_made(stm) || is_view(stm, vars)
}

fn is_view(stm: &Stm, vars: &IdVec<Var, VarInfo>) -> bool {
    stm.exp.family() == Family::View && stm.pat.iter().all(|var| vars[*var].ty.is_array())
}
