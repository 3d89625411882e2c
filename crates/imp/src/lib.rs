//! A small imperative language between the IR with memory and C.
//!
//! There are no arrays here, only scalars, handles of memory blocks, pointers to elements, loads and stores at an
//! index, structured control flow, and a single form of parallelism. A back end prints it, and decides nothing that
//! affects the cost of a program.
//!
//! # Memory
//!
//! A variable of type [`Ty::Mem`] is a handle of a reference-counted block. [`Stm::Alloc`] makes it the handle of a
//! block of its own: if it already has one that is large enough and not shared, it keeps that, so an allocation in a
//! loop costs only a comparison. [`Stm::Share`] makes it another handle of an existing block. Handles are released at
//! the end of the function or task that declares them, or earlier by [`Stm::Free`].
//!
//! A variable of type [`Ty::Ptr`] points to elements of one type in one memory ([`Space`]); it is set by
//! [`Stm::Point`], and loads and stores go through it. A variable of type [`Ty::Local`] is a small array that lives in
//! registers or on the stack, and is used like a pointer; it needs no handle, and no pointer to it outlives the body
//! that declares it.
//!
//! # Loops
//!
//! The iterations of a `for` loop of kind [`Kind::Independent`], [`Kind::Lanes`] or [`Kind::Tiles`] may be executed in
//! any order, or in lock-step: none reads what another writes, except for the scalars that are listed as its
//! reductions, to which each iteration only adds its part. Variables declared inside an iteration are private to it.
//!
//! # Parallelism
//!
//! [`Stm::Tasks`] executes its body for ranges that cover `0..total`, concurrently. Its variables are private;
//! variables declared outside have the values that they had when it started, and cannot be assigned to. Results are
//! returned through memory. There are two forms: ranges of any size in any order, or a fixed number of ranges.
//!
//! # Devices
//!
//! In a program for a device, the memory of blocks is on the device: only a [`Kernel`] loads from it and stores to it.
//! The host, which is all code outside kernels, only passes addresses around. See the crate `device` and the documentation of
//! [`Kernel`].
//!
//! # Errors
//!
//! [`Stm::Assert`] and a failed allocation end the function with an error code; handles are released on the way out.

#![warn(clippy::expect_used, clippy::unwrap_used, clippy::wildcard_enum_match_arm)]

pub mod cost;
pub mod cpu;
pub mod device;
mod exp;
pub mod kernel;
pub mod rewrite;
mod stm;
pub mod straight;
pub mod text;
mod ty;
pub mod verify;
pub mod visit;
mod work;

pub use exp::{Exp, Prim, RedOp};
pub use kernel::{Extent, Kernel};
pub use stm::{Arg, Asked, Block, Foreign, From, Kind, Lane, Message, Out, Part, Stm, Tasks, Tile};
pub use ty::{Space, Ty};
pub use work::{Share, Work};

use ecow::EcoString;
use fehu_base::{IdVec, define_id};
use rustc_hash::FxHashSet;

define_id!(
    /// A variable of one function.
    pub struct V, "i"
);
define_id!(
    /// A function.
    pub struct FunId, "p"
);

/// A whole program.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Program {
    /// The functions; each comes after those that it calls, unless they are recursive. A function without a name has
    /// been removed.
    pub funs: IdVec<FunId, Fun>,
    /// The constants, in the order of their computation.
    pub consts: Vec<Constant>,
    /// The functions that kernels call. They are part of the device program, and what they have instead of handles are
    /// pointers; a kernel that calls one ends when a check in it fails.
    pub inside: FxHashSet<FunId>,
    /// The tuning parameters.
    pub tuning: Vec<Tuning>,
    /// The number of sites with tasks: [`Tasks::site`] numbers them.
    pub sites: usize,
}

/// A tuning parameter: a number that users may choose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tuning {
    /// Its name.
    pub name: EcoString,
    /// The entry points that depend on it.
    pub entries: Vec<EcoString>,
}

impl Tuning {
    /// Whether it chooses between versions of code that the compiler generated: it is then named after what must
    /// suffice. Users cannot choose such names.
    pub fn is_threshold(&self) -> bool {
        self.name.contains(".suff_")
    }
}

/// A function.
#[derive(Clone, PartialEq, Debug)]
pub struct Fun {
    /// Its name, unique among the functions, and an identifier in C.
    pub name: EcoString,
    /// All its variables. Those that are neither parameters nor results are declared by [`Stm::Declare`].
    pub vars: IdVec<V, VarInfo>,
    /// Its parameters: scalars and handles, which belong to the caller.
    pub params: Vec<V>,
    /// Its results: scalars and handles. The body sets them.
    pub results: Vec<V>,
    /// What it does.
    pub body: Block,
}

/// A variable.
#[derive(Clone, PartialEq, Debug)]
pub struct VarInfo {
    /// The name in the source, or something like it; need not be unique.
    pub hint: EcoString,
    /// Its type.
    pub ty: Ty,
}

/// A value that is computed once, when a context is created: scalars and arrays, by a function without parameters. The
/// results of the function stay in the context.
#[derive(Clone, PartialEq, Debug)]
pub struct Constant {
    /// The function.
    pub fun: FunId,
}
