//! Loops that change arrays in place: such an array is not kept for the return sweep, which undoes the changes one after the other.
//!
//! ```text
//! r = loop (xs = a) for i < n do                      s = sum (map f xs[i-3:i]);  xs with [i] = s
//! ==>
//! (r, tape) = loop (xs = a, t = ..) for i < n do      s = sum (map f xs[i-3:i]);  (xs with [i] = s, t with [i] = xs[i])
//! (.., a) = loop (.., ys = r) for j < n do            i = n-1-j;  xs = ys with [i] = tape[i];  ..;  (.., xs)
//! ```
//!
//! So an iteration keeps what it overwrites, and not the array. At the end of the return sweep, the array is as it was before the loop;
//! so a loop inside of this one undoes its own changes, and yields the array from before them.
//!
//! Derivatives are made as if nothing changed in place, and `own` finds out which copies are not needed. None is if everything that reads the array
//! after a change comes before the change is undone, and everything else later: a change is undone where that is so.

use super::repeat::Taped;
use super::undo_branch::InBranch;
use crate::differentiate::activity::Set;
use fehu_base::{IdVec, OrBug};
use fehu_ir::builder::Builder;
use fehu_ir::free::{free_in_body, free_in_stm};
use fehu_ir::subst::{Subst, subst_stm};
use fehu_ir::{Atom, Body, Dim, Exp, Family, LoopParam, Stm, Var, VarInfo};
use rustc_hash::FxHashMap;

/// What the return sweep of a loop gets by undoing changes.
#[derive(Default)]
pub(super) struct Undone {
    chains: Vec<Chain>,
    /// The arrays, before and after each change.
    arrays: Set,
    /// These, and views of them.
    views: Set,
}

/// A parameter of a loop whose next value is itself with changes.
struct Chain {
    /// The position of the parameter.
    index: usize,
    /// The names of the array before all changes, and after each of them: copies are names, too.
    names: Vec<Vec<Var>>,
    changes: Vec<By>,
}

enum By {
    /// What is overwritten, and where.
    Update { old: Var, dims: Vec<Dim> },
    /// An update in a branch.
    Branch(InBranch),
    /// A loop, whose return sweep yields the array from before.
    Loop { restored: Var },
}

impl By {
    /// What is overwritten, and where.
    fn place(&self) -> Option<(Var, &[Dim])> {
        match self {
            By::Update { old, dims } => Some((*old, dims)),
            By::Branch(branch) => Some((branch.old, &branch.dims)),
            By::Loop { .. } => None,
        }
    }
}

/// An array that the return sweep of a loop carries: the position of the loop's parameter, that of the return sweep, and its next value.
pub(super) struct Carried {
    pub(super) index: usize,
    pub(super) param: Var,
    pub(super) next: Var,
}

impl Undone {
    /// The arrays that the return sweep of the body needs and that can be had in this way. What is overwritten gets a name in the body.
    /// `restored` are the arrays before inner loops, by those after them.
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
            let Some(mut chain) = Chain::of(&taped.body, (index, *param), &own, &before) else {
                continue;
            };
            let arrays: Vec<Var> = chain.names.iter().flatten().copied().collect();
            let is_needed = arrays.iter().any(|array| needed.contains(array));
            if is_needed && !arrays.iter().any(|array| unsaved.contains(array)) {
                chain.name_old(b, &mut taped.body);
                undone.arrays.extend(arrays);
                undone.chains.push(chain);
            }
        }
        undone.views.clone_from(&undone.arrays);
        for stm in &taped.body.stms {
            if is_view(stm, b.vars()) && undone.reads(stm, b.vars()) {
                undone.views.extend(&stm.pat);
            }
        }
        undone
    }

    /// Whether the return sweep has this array without anything being saved.
    pub(super) fn provides(&self, var: Var) -> bool {
        self.arrays.contains(&var)
    }

    /// Whether a statement reads such an array, or a view of one.
    pub(super) fn reads(&self, stm: &Stm, vars: &IdVec<Var, VarInfo>) -> bool {
        !self.views.is_empty() && free_in_stm(stm, vars).iter().any(|var| self.views.contains(var))
    }

    /// What it needs for that: what was overwritten, and where.
    pub(super) fn needs(&self) -> Vec<Var> {
        let mut all = Vec::new();
        for change in self.chains.iter().flat_map(|chain| &chain.changes) {
            let Some((old, dims)) = change.place() else { continue };
            all.push(old);
            if let By::Branch(branch) = change {
                all.extend(branch.cond.var());
            }
            for dim in dims {
                match dim {
                    Dim::Fix(index) => all.extend(index.var()),
                    Dim::Slice { start, len, stride } => {
                        all.extend([start, len, stride].into_iter().filter_map(|atom| atom.var()));
                    }
                }
            }
        }
        all
    }

    /// For what is overwritten in an array, that array.
    pub(super) fn overwritten(&self, old: Var) -> Option<Var> {
        let is_old = |change: &By| change.place().is_some_and(|(var, _)| var == old);
        let mut chains = self.chains.iter();
        chains.find(|chain| chain.changes.iter().any(is_old)).map(|chain| chain.names[0][0])
    }

    /// Names for the arrays in the return sweep.
    pub(super) fn name(&self, b: &mut Builder<'_>, names: &mut Subst) -> Vec<Carried> {
        let mut carried = Vec::new();
        for chain in &self.chains {
            let ty = b.ty(chain.names[0][0]).clone();
            let param = b.param("undone", ty.clone());
            let mut current = param;
            let changes = chain.changes.iter().map(Some).rev().chain([None]);
            for (versions, change) in chain.names.iter().rev().zip(changes) {
                names.extend(versions.iter().map(|name| (*name, current.into())));
                match change {
                    Some(By::Update { .. } | By::Branch(_)) => {
                        current = b.param("undone", ty.clone());
                    }
                    Some(By::Loop { restored }) => current = *restored,
                    None => {}
                }
            }
            carried.push(Carried { index: chain.index, param, next: current });
        }
        carried
    }

    /// The statements of the return sweep, with those that undo changes. The first ones, up to `start`, read what was saved; `views` are made
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
        for chain in &self.chains {
            let versions = chain.names.windows(2).zip(&chain.changes).rev();
            for (versions, change) in versions {
                let Some((old, dims)) = change.place() else { continue };
                let (before, after) = (name(&versions[0]), name(&versions[1]));
                let at = all.between(after, before, b.vars());
                let mut undo = Builder::new(b.vars_mut());
                let update = |b: &mut Builder<'_>| {
                    let copy = b.exp("copy", Exp::Copy(after));
                    Stm::new(vec![before], Exp::Update(copy, dims.to_vec(), old.into()))
                };
                match change {
                    By::Branch(branch) => branch.undo(&mut undo, (before, after), update),
                    By::Update { .. } | By::Loop { .. } => {
                        let stm = update(&mut undo);
                        undo.push(stm);
                    }
                }
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

    /// A place after all uses of a variable, where it is bound, and before those of another one.
    fn between(&self, of: Var, other: Var, vars: &IdVec<Var, VarInfo>) -> usize {
        let binds = |stm: &Stm| stm.pat.contains(&of);
        let uses = |stm: &Stm| free_in_stm(stm, vars).contains(&of);
        let bound = self.stms.iter().position(binds).map_or(self.start, |at| at + 1);
        let last = self.stms.iter().rposition(uses).map_or(self.start, |at| at + 1);
        let first = self.first_use(other, vars).unwrap_or(usize::MAX);
        last.min(first).max(bound).max(self.start)
    }
}

impl Chain {
    /// The changes from a parameter to its next value, if there is nothing else. `own` is what the loop binds.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "nothing else changes arrays in a way that can be undone"
    )]
    fn of(
        body: &Body,
        (index, param): (usize, LoopParam),
        own: &Set,
        restored: &dyn Fn(Var) -> Option<Var>,
    ) -> Option<Chain> {
        let (mut names, mut changes) = (vec![vec![param.var]], Vec::new());
        for stm in &body.stms {
            let current = names.last_mut().or_bug("names of an array");
            let (after, by) = match &stm.exp {
                Exp::Copy(array) | Exp::Atom(Atom::Var(array)) if current.contains(array) => {
                    current.extend(&stm.pat);
                    continue;
                }
                Exp::Update(array, dims, _) if current.contains(array) => {
                    // What is kept of all iterations has one size.
                    let varies = |dim: &Dim| match dim {
                        Dim::Fix(_) => false,
                        Dim::Slice { len, .. } => len.var().is_some_and(|var| own.contains(&var)),
                    };
                    if dims.iter().any(varies) {
                        return None;
                    }
                    (stm.pat[0], By::Update { old: stm.pat[0], dims: dims.clone() })
                }
                Exp::Loop(params, ..) => {
                    let is_ours =
                        |param: &LoopParam| param.init.var().is_some_and(|v| current.contains(&v));
                    let Some(place) = params.iter().position(is_ours) else { continue };
                    let Some(restored) = restored(stm.pat[place]) else { continue };
                    (stm.pat[place], By::Loop { restored })
                }
                Exp::If(..) => {
                    let Some((result, branch)) = InBranch::of(stm, current, own) else { continue };
                    (stm.pat[result], By::Branch(branch))
                }
                _ => continue,
            };
            names.push(vec![after]);
            changes.push(by);
        }
        let last = names.last().or_bug("names of an array");
        let is_next = body.results[index].var().is_some_and(|var| last.contains(&var));
        (is_next && !changes.is_empty()).then_some(Chain { index, names, changes })
    }

    /// What updates overwrite is read before them.
    fn name_old(&mut self, b: &mut Builder<'_>, body: &mut Body) {
        for (versions, change) in self.names.windows(2).zip(&mut self.changes) {
            let (before, after) = (&versions[0], versions[1][0]);
            let makes = |stm: &Stm| stm.pat.contains(&after);
            let at = body.stms.iter().position(makes).or_bug("update of an array");
            let (old, dims) = match change {
                By::Update { old, dims } => (old, dims),
                By::Branch(branch) => {
                    branch.name_old(b, &mut body.stms[at]);
                    continue;
                }
                By::Loop { .. } => continue,
            };
            let is_read = |stm: &&Stm| matches!(&stm.exp, Exp::Index(array, same) if before.contains(array) && same == dims);
            if let Some(known) = body.stms[..at].iter().find(is_read)
                && !b.ty(known.pat[0]).is_array()
            {
                *old = known.pat[0];
                continue;
            }
            let stm = &body.stms[at];
            let Exp::Update(array, ..) = stm.exp else { continue };
            let mut read = Builder::new(b.vars_mut());
            read.set_certs(stm.certs.clone());
            read.set_loc(stm.loc.clone());
            // Of the copy: the array itself is not used any more then.
            *old = read.exp("old", Exp::Index(array, dims.clone()));
            if read.ty(*old).is_array() {
                *old = read.exp("old", Exp::Copy(*old));
            }
            body.stms.splice(at..at, read.finish(Vec::new()).stms);
        }
    }
}

/// Whether a statement makes a view of an array.
pub(super) fn is_view(stm: &Stm, vars: &IdVec<Var, VarInfo>) -> bool {
    stm.exp.family() == Family::View && stm.pat.iter().all(|var| vars[*var].ty.is_array())
}
