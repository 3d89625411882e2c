//! How an entry point on sequences is executed chunk by chunk.
//!
//! The pass `steps` divides the function of an entry point into *steps*. What comes before a pass over sequences is a function
//! that is called once; so is what comes between passes and after them; and the function of a pass becomes a function
//! of the program that is called for each chunk. All of them are ordinary functions, which every back end compiles as it compiles
//! others; only who calls them is different: the run-time, which reads the next chunk of the sources, calls the
//! function, and writes what it yields, until the sources end. The values that live from one step to another are in *slots*.
//!
//! ```text
//! entry main (c: i32, xs: seq i32) -> (sum: i32, ys: seq i32)
//! ==>
//! call begin (c) -> (s)                            -- what the sum starts with
//! pass chunk (c) sources (xs) states (s) sinks (k (ys) out 0)
//! results (s, none)                                -- the second has been written
//! ```
//!
//! where `fun chunk (c, start, m, last, s, xs: [m]i32) -> (s, k, ys: [k]i32)`. A pass that only reads what is in memory
//! is executed in the same way if it yields a sequence that leaves the entry point; the run-time then knows from the
//! slot `width` how long it is.
//!
//! Branches and loops with passes inside are jumps between steps, so that whoever executes steps is always at one of
//! them, and can wait there for the next chunk. Their results and parameters are slots, and each iteration of a loop
//! reads its sources again.

use crate::{FunId, Prog, Type};
use ecow::EcoString;
use fehu_base::Prim;

/// The number of a slot.
pub type Slot = usize;

/// A parameter or a result of an entry point that is a sequence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sequence {
    /// The name of the parameter, or of the field of the result.
    pub name: EcoString,
    /// The first of its parts, among those of all parameters or those of the result.
    pub first: usize,
    /// How many there are.
    pub count: usize,
    /// Whether its elements differ in size: the first part has the sizes then.
    pub pieces: bool,
}

/// The steps of an entry point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Streaming {
    /// The entry point.
    pub entry: EcoString,
    /// The values that live from one step to another: their elements, and how many dimensions they have.
    pub slots: Vec<(Prim, usize)>,
    /// Where the parameters of the entry point's function go. Sequences and their lengths have no slots.
    pub params: Vec<Option<Slot>>,
    /// What happens, in this order.
    pub steps: Vec<Step>,
    /// Where the parts of the result are. Those that were written have no slots.
    pub results: Vec<Option<Slot>>,
    /// The sequences among the parameters that may be read more than once.
    pub again: Vec<usize>,
}

/// A step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// A function is called.
    Call {
        /// The function.
        fun: FunId,
        /// Its arguments.
        args: Vec<Slot>,
        /// Where its results go.
        results: Vec<Slot>,
    },
    /// A function is called for each chunk.
    Pass(StreamedPass),
    /// It goes on at another step, or at the end.
    Jump {
        /// Unless this truth value holds.
        unless: Option<Slot>,
        /// The number of the step.
        to: usize,
    },
}

/// A function that is called for each chunk. Its parameters are `args`, the number of elements before the chunk, the
/// size of the chunk, whether it is the last one, the states, and for each source its chunk: for each part an array of
/// that many elements; for elements of differing sizes the sizes, the number of values, and for each other part the
/// values. It yields the states, and for each sink a number and arrays of that many elements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StreamedPass {
    /// The function.
    pub fun: FunId,
    /// What is the same for all chunks.
    pub args: Vec<Slot>,
    /// The parameters of the entry point that are read: numbers of its sequences.
    pub sources: Vec<usize>,
    /// How many elements there are, if there are no sources.
    pub width: Option<Slot>,
    /// What is handed on from chunk to chunk, and left behind.
    pub states: Vec<Slot>,
    /// What the function yields otherwise.
    pub sinks: Vec<Sink>,
}

/// A number that a pass yields, and arrays of that many elements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sink {
    /// Where the sum of the numbers goes.
    pub count: Slot,
    /// Where the concatenations of the arrays go, if anybody asks for them.
    pub arrays: Option<Vec<Slot>>,
    /// If they are written: which sequence of the result they belong to, and from which of its parts on.
    pub out: Option<(usize, usize)>,
    /// How many arrays there are.
    pub parts: usize,
}

impl Streaming {
    /// The functions that it calls.
    pub fn funs(&self) -> impl Iterator<Item = FunId> + '_ {
        self.steps.iter().filter_map(Step::fun)
    }

    /// Likewise, to be changed.
    pub fn funs_mut(&mut self) -> impl Iterator<Item = &mut FunId> + '_ {
        self.steps.iter_mut().filter_map(|step| match step {
            Step::Call { fun, .. } => Some(fun),
            Step::Pass(pass) => Some(&mut pass.fun),
            Step::Jump { .. } => None,
        })
    }
}

impl Step {
    /// The function that it calls.
    pub fn fun(&self) -> Option<FunId> {
        match self {
            Step::Call { fun, .. } => Some(*fun),
            Step::Pass(pass) => Some(pass.fun),
            Step::Jump { .. } => None,
        }
    }
}

impl Prog {
    /// The functions that are called from outside: those of entry points, and of their steps.
    pub fn roots(&self) -> Vec<FunId> {
        let entries = self.entries.iter().map(|entry| entry.fun);
        entries.chain(self.streams.iter().flat_map(Streaming::funs)).collect()
    }
}

/// What a slot holds, if its type can be in one.
pub fn slot_type(ty: &Type) -> Option<(Prim, usize)> {
    match ty.elem() {
        Some(crate::Elem::Prim(prim)) => Some((prim, ty.rank())),
        Some(crate::Elem::Unit) | None => None,
    }
}
