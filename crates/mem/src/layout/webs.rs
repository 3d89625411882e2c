//! Arrays that should have one layout, because they are one array under several names: where a loop or a branch gives a variable
//! another one, nothing is copied.

use fehu_ir::Var;
use rustc_hash::{FxHashMap, FxHashSet};

/// A partition of arrays into classes.
#[derive(Default)]
pub(super) struct Webs {
    parent: FxHashMap<Var, Var>,
    /// Arrays that must be in row-major order.
    pinned: FxHashSet<Var>,
}

impl Webs {
    /// The array that stands for all in the class.
    pub(super) fn find(&self, var: Var) -> Var {
        let mut var = var;
        while let Some(parent) = self.parent.get(&var) {
            var = *parent;
        }
        var
    }

    /// Both are in one class.
    pub(super) fn join(&mut self, a: Var, b: Var) {
        let (a, b) = (self.find(a), self.find(b));
        if a != b {
            self.parent.insert(a, b);
            if self.pinned.contains(&a) {
                self.pinned.insert(b);
            }
        }
    }

    /// The class must be in row-major order.
    pub(super) fn pin(&mut self, var: Var) {
        let root = self.find(var);
        self.pinned.insert(root);
    }

    /// Whether it must.
    pub(super) fn is_pinned(&self, var: Var) -> bool {
        self.pinned.contains(&self.find(var))
    }
}
