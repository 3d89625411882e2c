//! Changes of an array in place, one after the other, and how each of them is undone.
//!
//! * an update: what it overwrites is written back (here);
//! * a scatter, histogram or accumulation: likewise, at all of its places (`undo_write`);
//! * a branch: changes in its bodies, which are undone under the same condition (`undo_branch`);
//! * a loop: its return sweep yields the array from before.

use super::undo_branch::Branch;
use super::undo_write::Write;
use fehu_base::OrBug;
use fehu_ir::builder::Builder;
use fehu_ir::subst::{Subst, subst_atom};
use fehu_ir::{Atom, Body, Dim, Exp, LoopParam, Stm, Var};

/// What a body makes of an array: nothing but changes, up to one of the body's results.
pub(super) struct Changes {
    /// The names of the array before all changes, and after each of them: copies are names, too.
    pub(super) names: Vec<Vec<Var>>,
    pub(super) all: Vec<Change>,
}

pub(super) enum Change {
    /// What is overwritten, and where.
    Update {
        old: Var,
        dims: Vec<Dim>,
    },
    Write(Write),
    Branch(Branch),
    /// The array from before, as the return sweep yields it.
    Loop {
        restored: Var,
    },
}

impl Changes {
    /// The changes from an array, which has these names, to a result of a body. `restored` are the arrays before loops,
    /// by those after them.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "nothing else changes arrays in a way that can be undone"
    )]
    pub(super) fn of(
        b: &Builder<'_>,
        body: &Body,
        array: &[Var],
        result: usize,
        restored: &dyn Fn(Var) -> Option<Var>,
    ) -> Option<Changes> {
        let mut changes = Changes { names: vec![array.to_vec()], all: Vec::new() };
        for stm in &body.stms {
            if let Exp::Copy(array) | Exp::Atom(Atom::Var(array)) = &stm.exp {
                // Also of the array before changes that come earlier.
                let version = changes.names.iter_mut().find(|names| names.contains(array));
                version.into_iter().for_each(|names| names.extend(&stm.pat));
                continue;
            }
            let current = changes.names.last().or_bug("names of an array");
            let (after, change) = match &stm.exp {
                Exp::Update(array, dims, _) if current.contains(array) => {
                    (stm.pat[0], Change::Update { old: stm.pat[0], dims: dims.clone() })
                }
                Exp::Loop(params, ..) => {
                    let is_ours =
                        |param: &LoopParam| param.init.var().is_some_and(|v| current.contains(&v));
                    let Some(place) = params.iter().position(is_ours) else { continue };
                    let Some(restored) = restored(stm.pat[place]) else { continue };
                    (stm.pat[place], Change::Loop { restored })
                }
                Exp::If(..) | Exp::Switch(..) => {
                    let Some((after, branch)) = Branch::of(b, stm, current, restored) else {
                        continue;
                    };
                    (after, Change::Branch(branch))
                }
                Exp::Scatter(_) | Exp::Hist(_) | Exp::WithAcc(..) => {
                    let Some((after, write)) = Write::of(b, stm, current) else { continue };
                    (after, Change::Write(write))
                }
                _ => continue,
            };
            changes.names.push(vec![after]);
            changes.all.push(change);
        }
        let last = changes.names.last().or_bug("names of an array");
        body.results[result].var().is_some_and(|var| last.contains(&var)).then_some(changes)
    }

    /// What is overwritten is read before it is.
    pub(super) fn name_old(&mut self, b: &mut Builder<'_>, body: &mut Body) {
        for (versions, change) in self.names.windows(2).zip(&mut self.all) {
            let (before, after) = (&versions[0], versions[1][0]);
            let makes = |stm: &Stm| stm.pat.contains(&after);
            let at = body.stms.iter().position(makes).or_bug("change of an array");
            match change {
                Change::Update { old, dims } => {
                    *old = name_overwritten(b, body, at, (before, dims));
                }
                Change::Write(write) => write.name_old(b, body, at),
                Change::Branch(branch) => branch.name_old(b, &mut body.stms[at]),
                Change::Loop { .. } => {}
            }
        }
    }

    /// What is overwritten.
    pub(super) fn old(&self) -> Vec<Var> {
        let mut all = Vec::new();
        for change in &self.all {
            match change {
                Change::Update { old, .. } => all.push(*old),
                Change::Write(write) => all.push(write.old),
                Change::Branch(branch) => all.extend(branch.bodies.iter().flat_map(Changes::old)),
                Change::Loop { .. } => {}
            }
        }
        all
    }

    /// What undoing them takes: what was overwritten, and where.
    pub(super) fn needs(&self) -> Vec<Var> {
        let mut all = Vec::new();
        for change in &self.all {
            match change {
                Change::Update { old, dims } => {
                    for dim in dims {
                        match dim {
                            Dim::Fix(index) => all.extend(index.var()),
                            Dim::Slice { start, len, stride } => {
                                all.extend([start, len, stride].iter().filter_map(|a| a.var()));
                            }
                        }
                    }
                    all.push(*old);
                }
                Change::Write(write) => all.extend(write.needs()),
                Change::Branch(branch) => {
                    all.extend(branch.cond().var());
                    all.extend(branch.bodies.iter().flat_map(Changes::needs));
                }
                Change::Loop { .. } => {}
            }
        }
        all
    }

    /// Replaces what undoing takes by what it is called elsewhere.
    pub(super) fn rename(&mut self, names: &Subst) {
        for change in &mut self.all {
            match change {
                Change::Update { old, dims } => {
                    rename(old, names);
                    for dim in dims {
                        match dim {
                            Dim::Fix(index) => *index = subst_atom(*index, names),
                            Dim::Slice { start, len, stride } => {
                                for atom in [start, len, stride] {
                                    *atom = subst_atom(*atom, names);
                                }
                            }
                        }
                    }
                }
                Change::Write(write) => write.rename(names),
                Change::Branch(branch) => branch.rename(names),
                Change::Loop { .. } => {}
            }
        }
    }

    /// Undoes all of them; the array from before.
    pub(super) fn undo(&self, b: &mut Builder<'_>, after: Var) -> Var {
        let mut current = after;
        for change in self.all.iter().rev() {
            let before = b.param("undone", b.ty(after).clone());
            change.undo(b, current, before);
            current = before;
        }
        current
    }
}

impl Change {
    /// Whether it is made by a loop, or is a branch some of whose changes are.
    pub(super) fn is_by_loop(&self) -> bool {
        match self {
            Change::Update { .. } | Change::Write(_) => false,
            Change::Branch(branch) => {
                branch.bodies.iter().flat_map(|changes| &changes.all).any(Change::is_by_loop)
            }
            Change::Loop { .. } => true,
        }
    }

    /// Makes the array from before out of that from after it.
    pub(super) fn undo(&self, b: &mut Builder<'_>, after: Var, before: Var) {
        match self {
            Change::Update { old, dims } => {
                let copy = b.exp("copy", Exp::Copy(after));
                b.stm(vec![before], Exp::Update(copy, dims.clone(), (*old).into()));
            }
            Change::Write(write) => write.undo(b, after, before),
            Change::Branch(branch) => branch.undo(b, after, before),
            Change::Loop { restored } => b.stm(vec![before], Exp::Atom((*restored).into())),
        }
    }
}

/// Names what an update overwrites: an element that is read anyway, or a copy.
fn name_overwritten(
    b: &mut Builder<'_>,
    body: &mut Body,
    at: usize,
    (before, dims): (&[Var], &[Dim]),
) -> Var {
    let is_read = |stm: &&Stm| matches!(&stm.exp, Exp::Index(array, same) if before.contains(array) && same == dims);
    if let Some(known) = body.stms[..at].iter().find(is_read)
        && !b.ty(known.pat[0]).is_array()
    {
        return known.pat[0];
    }
    let stm = &body.stms[at];
    let Exp::Update(array, ..) = stm.exp else { return stm.pat[0] };
    let mut read = Builder::new(b.vars_mut());
    read.set_certs(stm.certs.clone());
    read.set_loc(stm.loc.clone());
    // Of the copy: the array itself is not used any more then.
    let mut old = read.exp("old", Exp::Index(array, dims.to_vec()));
    if read.ty(old).is_array() {
        old = read.exp("old", Exp::Copy(old));
    }
    body.stms.splice(at..at, read.finish(Vec::new()).stms);
    old
}

/// Replaces the name of a variable.
pub(super) fn rename(var: &mut Var, names: &Subst) {
    if let Some(name) = names.get(var) {
        *var = name.var().or_bug("name of a variable");
    }
}
