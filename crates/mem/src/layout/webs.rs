//! Arrays that should have one layout, because they are one array under several names: where a loop or a branch gives a variable
//! another one, nothing is copied. The names may have the dimensions in different orders.

use fehu_ir::Var;
use rustc_hash::{FxHashMap, FxHashSet};

/// A partition of arrays into classes.
#[derive(Default)]
pub(super) struct Webs {
    /// Another array of the class, and which of its dimensions those of this one are.
    parent: FxHashMap<Var, (Var, Vec<usize>)>,
    /// Arrays that must be in row-major order, and so all of their classes, in which there are no turned ones.
    pinned: FxHashSet<Var>,
}

impl Webs {
    /// The array that stands for all in the class, and which of its dimensions those of an array with so many are.
    pub(super) fn find(&self, var: Var, rank: usize) -> (Var, Vec<usize>) {
        let (mut var, mut dims) = (var, (0..rank).collect::<Vec<usize>>());
        while let Some((parent, own)) = self.parent.get(&var) {
            (var, dims) = (*parent, dims.into_iter().map(|dim| own[dim]).collect());
        }
        (var, dims)
    }

    /// Both are in one class; the dimensions of the first one are these of the second one. Fails if they already are, with
    /// other dimensions, or if one must be in row-major order, and the other one cannot.
    pub(super) fn join(&mut self, a: Var, b: Var, dims: &[usize]) -> bool {
        let ((a, of_a), (b, of_b)) = (self.find(a, dims.len()), self.find(b, dims.len()));
        let mut map = vec![0; dims.len()];
        for (own, other) in of_a.into_iter().zip(dims) {
            map[own] = of_b[*other];
        }
        if a == b {
            return map.is_sorted();
        }
        let is_pinned = [a, b].iter().any(|var| self.pinned.contains(var));
        if is_pinned && !map.is_sorted() {
            return false;
        }
        self.parent.insert(a, (b, map));
        if is_pinned {
            self.pinned.insert(b);
        }
        true
    }

    /// The class of an array must be in row-major order. There is nothing turned in it yet.
    pub(super) fn pin(&mut self, var: Var) {
        let root = self.find(var, 0).0;
        self.pinned.insert(root);
    }

    /// Whether it must.
    pub(super) fn is_pinned(&self, var: Var) -> bool {
        self.pinned.contains(&self.find(var, 0).0)
    }
}
