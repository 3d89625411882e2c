//! Overlaying: pieces that are never in use at the same time are at the same place.
//!
//! If all handles and pointers that may hold an allocation are declared in one block of statements, such as the body of
//! a loop or a branch, the piece is out of use when that has ended. So it comes after the pieces of the blocks around
//! it, where those of their other blocks are, too:
//!
//! ```text
//! a = alloc                              a: 0
//! for ... { b = alloc, c = alloc }       b: a,  c: a + b
//! for ... { d = alloc }                  d: a                   all: a + max(b + c, d)
//! ```
//!
//! What the threads of a block have together may be overlaid as well: they wait for each other before and after they use it.

use super::sites::{self, Site};
use fehu_base::{IdVec, OrBug};
use fehu_imp::{From, Stm, V, VarInfo};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The blocks of statements of a kernel, in the order in which they begin, so that a block comes after the one that it is in.
#[derive(Default)]
pub(super) struct Blocks {
    /// The block that each one is in; the first is in none, and names itself.
    pub(super) parents: Vec<usize>,
    /// Where handles and pointers are declared.
    declared: FxHashMap<V, usize>,
    /// Where handles get memory.
    allocated: FxHashMap<V, usize>,
    /// That the first variable may hold what the second one holds.
    holds: Vec<(V, V)>,
}

impl Blocks {
    pub(super) fn of(body: &[Stm], vars: &IdVec<V, VarInfo>) -> Blocks {
        let holds = sites::holds(body, vars).iter().map(|hold| (hold.to, hold.from)).collect();
        let mut blocks = Blocks { holds, ..Blocks::default() };
        blocks.enter(body, 0);
        blocks
    }

    fn enter(&mut self, body: &[Stm], parent: usize) {
        let own = self.parents.len();
        self.parents.push(parent);
        for stm in body {
            stm.each_declared(&mut |v| _ = self.declared.insert(v, own));
            if let Stm::Alloc(handle, ..) = stm {
                self.allocated.insert(*handle, own);
            } else if let Stm::Point(to, From::Mem(from) | From::Ptr(from), _) = stm {
                self.holds.push((*to, *from));
            }
            stm.each_block(&mut |inner| self.enter(inner, own));
        }
    }

    /// The innermost block that has an allocation and everything that may hold it.
    pub(super) fn home(&self, site: &Site) -> usize {
        let mut home = *self.allocated.get(&site.handle).or_bug("the block of an allocation");
        let mut holders = vec![site.handle];
        let mut next = 0;
        while let Some(&holder) = holders.get(next) {
            // What is not declared in the kernel is a result of it.
            home = self.declared.get(&holder).map_or(0, |block| self.around(home, *block));
            for (to, _) in self.holds.iter().filter(|(_, from)| *from == holder) {
                if !holders.contains(to) {
                    holders.push(*to);
                }
            }
            next += 1;
        }
        home
    }

    /// Those of some blocks that none of the others is in.
    pub(super) fn innermost(&self, mut some: BTreeSet<usize>) -> BTreeSet<usize> {
        for block in some.clone() {
            let mut inner = block;
            while inner != self.parents[inner] {
                inner = self.parents[inner];
                some.remove(&inner);
            }
        }
        some
    }

    /// The innermost block that two blocks are in.
    fn around(&self, mut one: usize, mut other: usize) -> usize {
        while one != other {
            if one > other {
                one = self.parents[one];
            } else {
                other = self.parents[other];
            }
        }
        one
    }
}
