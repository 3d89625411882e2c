//! Which arrays of the host may share memory, among those that are created during flattening.
//!
//! [`Share`] knows the arrays of the original program. New arrays are in classes here, each with the age of its
//! oldest member and whether it is updated: the results of a map must not share memory that is older than the map, if
//! that memory is updated.

use fehu_base::id::Id;
use fehu_facts::Share;
use fehu_ir::Var;
use rustc_hash::FxHashMap;

/// The classes. Arrays that were not mentioned yet are alone.
#[derive(Default)]
pub(crate) struct Aliases {
    parent: FxHashMap<Var, Var>,
    classes: FxHashMap<Var, Class>,
    /// The number of variables before.
    old: usize,
}

/// What is known of the arrays of a class.
#[derive(Clone, Copy)]
pub(crate) struct Class {
    /// The smallest number of a variable in it; zero for arrays of the program before.
    pub(crate) oldest: usize,
    /// Whether somebody changes one of them.
    pub(crate) changes: bool,
}

impl Aliases {
    /// No arrays, beside the program with this number of variables.
    pub(crate) fn new(old: usize) -> Aliases {
        Aliases { old, ..Aliases::default() }
    }

    /// Notes that two arrays may share memory.
    pub(crate) fn join(&mut self, a: Var, b: Var, share: &Share) {
        let (a, b) = (self.find(a), self.find(b));
        if a != b {
            let (first, second) = (self.class_of(a, share), self.class_of(b, share));
            self.parent.insert(b, a);
            let oldest = first.oldest.min(second.oldest);
            let changes = first.changes || second.changes;
            self.classes.insert(a, Class { oldest, changes });
        }
    }

    /// Notes that somebody changes an array.
    pub(crate) fn change(&mut self, array: Var, share: &Share) {
        let root = self.find(array);
        let class = self.class_of(root, share);
        self.classes.insert(root, Class { changes: true, ..class });
    }

    /// Whether two arrays may share memory.
    pub(crate) fn same(&self, a: Var, b: Var) -> bool {
        self.find(a) == self.find(b)
    }

    /// The class of an array.
    pub(crate) fn class(&self, array: Var, share: &Share) -> Class {
        self.class_of(self.find(array), share)
    }

    fn class_of(&self, root: Var, share: &Share) -> Class {
        self.classes.get(&root).copied().unwrap_or_else(|| match root.index() < self.old {
            true => Class { oldest: 0, changes: !share.is_fixed(root) },
            false => Class { oldest: root.index(), changes: false },
        })
    }

    fn find(&self, mut var: Var) -> Var {
        while let Some(parent) = self.parent.get(&var) {
            var = *parent;
        }
        var
    }
}
