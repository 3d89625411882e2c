//! Types of variables.

use crate::Prim;
use fehu_base::bug::OrBug;
use std::fmt;

/// The type of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ty {
    /// A scalar.
    Scalar(Prim),
    /// A handle of a block of memory.
    Mem,
    /// A pointer to elements in one of the memories.
    Ptr(Space, Prim),
    /// This many elements on the stack or in registers.
    Local(Prim, u32),
    /// This many elements that the threads of a block share.
    Shared(Prim, u32),
}

impl Ty {
    /// A pointer to elements in a block.
    pub fn ptr(prim: Prim) -> Ty {
        Ty::Ptr(Space::Global, prim)
    }

    /// A pointer to elements in what this points to or is.
    pub fn pointer_into(self, prim: Prim) -> Ty {
        Ty::Ptr(self.space().or_bug("memory that a scalar or a handle points to"), prim)
    }

    /// The memory that elements are in, if there are elements.
    pub fn space(self) -> Option<Space> {
        match self {
            Ty::Scalar(_) | Ty::Mem => None,
            Ty::Ptr(space, _) => Some(space),
            Ty::Local(..) => Some(Space::Own),
            Ty::Shared(..) => Some(Space::Shared),
        }
    }
}

/// A memory. On a device they are three, and in the C of a device the memory is part of the type of a pointer. A CPU has
/// one: there a pointer to blocks may also point to an array on the stack.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Space {
    /// The memory of blocks. A pointer that [`From::Shared`](crate::From::Shared) may move to shared memory counts as one
    /// of these: it exists only where pointers to both have the same type.
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
            Space::Own => "own",
        })
    }
}
