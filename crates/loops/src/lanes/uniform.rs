//! Which variables of a loop's body differ between its iterations.
//!
//! A variable *varies* if it is given a value that depends on the position, or if it is declared outside a region that
//! only some lanes execute and is assigned inside. So does a local array or a pointer that is declared in the body:
//! each iteration has its own memory. A load at an index that does not vary has the same value for all lanes that
//! execute it: if one iteration had written there, then no other would be allowed to read it.

use fehu_base::IdVec;
use fehu_imp::{Block, Exp, Stm, Ty, V, VarInfo, visit};
use rustc_hash::{FxHashMap, FxHashSet};

/// The variables that vary, if the roots do. Those that are shared do not, whatever they are computed from.
pub(super) fn varying(
    vars: &IdVec<V, VarInfo>,
    body: &Block,
    roots: impl IntoIterator<Item = V>,
    shared: &FxHashSet<V>,
) -> FxHashSet<V> {
    let mut walk = Walk {
        shared,
        varying: roots.into_iter().collect(),
        levels: FxHashMap::default(),
        level: 0,
        changed: true,
    };
    visit::each_stm(body, &mut |stm| {
        stm.each_declared(&mut |v| {
            if matches!(vars[v].ty, Ty::Local(..) | Ty::Ptr(..)) {
                walk.varying.insert(v);
            }
        });
    });
    while std::mem::take(&mut walk.changed) {
        walk.block(body);
    }
    walk.varying
}

/// Whether the value of an expression varies.
pub(super) fn varies(varying: &FxHashSet<V>, e: &Exp) -> bool {
    let mut found = false;
    e.each_var(&mut |v| found |= varying.contains(&v));
    found
}

struct Walk<'a> {
    shared: &'a FxHashSet<V>,
    varying: FxHashSet<V>,
    /// In how many regions that not all lanes execute a variable is declared.
    levels: FxHashMap<V, usize>,
    level: usize,
    changed: bool,
}

impl Walk<'_> {
    fn block(&mut self, block: &Block) {
        block.iter().for_each(|stm| self.stm(stm));
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the same holds for all others")]
    fn stm(&mut self, stm: &Stm) {
        stm.each_declared(&mut |v| {
            self.levels.insert(v, self.level);
        });
        match stm {
            Stm::Declare(v, _) if self.shared.contains(v) => {}
            Stm::Declare(v, Some(e)) => self.set(*v, self.varies(e)),
            Stm::Assign(v, _) if self.shared.contains(v) => {}
            Stm::Assign(v, e) => {
                let everywhere = self.levels.get(v).is_some_and(|level| *level == self.level);
                self.set(*v, !everywhere || self.varies(e));
            }
            Stm::If(cond, yes, no) => {
                let some = self.varies(cond);
                self.region(some, |walk| {
                    walk.block(yes);
                    walk.block(no);
                });
            }
            Stm::While(cond, body) => {
                let some = self.varies(cond);
                self.region(some, |walk| walk.block(body));
            }
            Stm::For { var, from, to, body, .. } => {
                let (first, last) = (self.varies(from), self.varies(to));
                self.set(*var, first);
                self.region(first || last, |walk| {
                    walk.levels.insert(*var, walk.level);
                    walk.block(body);
                });
            }
            // What it sets may be anything.
            other => {
                let mut set = Vec::new();
                other.each_set(&mut |v| set.push(v));
                set.into_iter().for_each(|v| self.set(v, true));
            }
        }
    }

    fn region(&mut self, some: bool, inside: impl FnOnce(&mut Self)) {
        self.level += usize::from(some);
        inside(self);
        self.level -= usize::from(some);
    }

    fn set(&mut self, v: V, varies: bool) {
        if varies && self.varying.insert(v) {
            self.changed = true;
        }
    }

    fn varies(&self, e: &Exp) -> bool {
        varies(&self.varying, e)
    }
}
