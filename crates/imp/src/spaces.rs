//! The memory that the pointers of a kernel point to.
//!
//! A device has several memories, and in the C of a device the memory is part of the type of a pointer. Pointers get it
//! from what they are derived from, so it is known here and not written down: [`Ty::Ptr`] only says what the elements are.
//! The verifier refuses kernels in which a pointer would have two.

use crate::visit::each_stm;
use crate::{Block, From, Fun, Stm, Ty, V};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;

/// Memory of a device.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Space {
    /// The memory of blocks. A pointer that [`From::Shared`] may move to shared memory counts as one of these.
    Global,
    /// What the threads of a block share: arrays of type [`Ty::Shared`].
    Shared,
    /// What belongs to a thread: arrays of type [`Ty::Local`].
    Own,
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Space::Global => "global",
            Space::Shared => "shared",
            Space::Own => "a thread's own",
        })
    }
}

/// The memories of the pointers that a kernel sets.
#[derive(Clone, Default, Debug)]
pub struct Spaces {
    of: FxHashMap<V, Space>,
    /// Pointers to more than one.
    pub conflicts: Vec<V>,
}

impl Spaces {
    /// The memory that a variable points to or is in.
    pub fn of(&self, fun: &Fun, v: V) -> Space {
        match fun.vars[v].ty {
            Ty::Local(..) => Space::Own,
            Ty::Shared(..) => Space::Shared,
            // What is not set inside the kernel comes from the host.
            Ty::Ptr(_) | Ty::Scalar(_) | Ty::Mem => {
                self.of.get(&v).copied().unwrap_or(Space::Global)
            }
        }
    }
}

/// The memories of pointers in the body of a kernel.
#[expect(clippy::wildcard_enum_match_arm, reason = "other statements give no pointer a value")]
pub fn spaces(fun: &Fun, body: &Block) -> Spaces {
    let mut derived: Vec<(V, V)> = Vec::new();
    let mut spaces = Spaces::default();
    each_stm(body, &mut |stm| match stm {
        Stm::Point(p, From::Ptr(q), _) => derived.push((*p, *q)),
        Stm::Point(p, From::Mem(_), _) => {
            spaces.of.insert(*p, Space::Global);
        }
        _ => {}
    });
    let inside: FxHashSet<V> = derived.iter().map(|(p, _)| *p).collect();
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for (p, q) in &derived {
            // What is derived from a pointer that is set later gets its memory in the next round.
            let known = spaces.of.contains_key(q) || !inside.contains(q);
            let space = spaces.of(fun, *q);
            if !known || p == q {
                continue;
            }
            match spaces.of.get(p) {
                None => {
                    spaces.of.insert(*p, space);
                    changed = true;
                }
                Some(before) if *before != space && !spaces.conflicts.contains(p) => {
                    spaces.conflicts.push(*p);
                }
                Some(_) => {}
            }
        }
    }
    spaces
}
