//! Statements.

use crate::{Exp, FunId, Kernel, Prim, RedOp, V};
use ecow::EcoString;

/// Statements, one after the other.
pub type Block = Vec<Stm>;

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub enum Stm {
    /// Words for readers of the code.
    Comment(EcoString),
    /// A variable begins to exist: a scalar, perhaps with a value, a handle (empty), a pointer or a local array. Handles
    /// exist until the end of the function or task, everything else until the end of the block.
    Declare(V, Option<Exp>),
    /// `v = e`
    Assign(V, Exp),
    /// `p[index] = e`
    Store(V, Exp, Exp),

    /// The handle becomes one of a block of this many elements of the type, or the function fails.
    Alloc(V, Prim, Exp),
    /// The first handle becomes another one of the second's block.
    Share(V, V),
    /// The first handle becomes another one of the second's block, and its data begins at an element of the pointer, which
    /// points into that block. If there is no second handle, then the memory belongs to somebody who outlives the handle.
    Export {
        /// The handle that is set.
        to: V,
        /// The block's handle.
        block: Option<V>,
        /// The pointer ...
        ptr: V,
        /// ... and the index of the first element.
        index: Exp,
    },
    /// The handle is released.
    Free(V),
    /// The pointer becomes the address of the element at this index in the block; `From` says of what.
    Point(V, From, Exp),

    /// `count` elements are copied from the second pointer and index to the first; they do not overlap.
    Copy {
        /// Where to, and at which index.
        to: (V, Exp),
        /// Where from.
        from: (V, Exp),
        /// How many elements.
        count: Exp,
    },

    /// One of two blocks.
    If(Exp, Block, Block),
    /// One of several blocks, by the value of an expression of an integer or bool type; then the default.
    Switch(Exp, Vec<(fehu_ir::Scalar, Block)>, Block),
    /// `for (var = from; var < to; var += step)`. The loop declares the variable.
    For {
        /// The variable.
        var: V,
        /// Its first value.
        from: Exp,
        /// The bound, exclusive; evaluated once.
        to: Exp,
        /// By how much it grows.
        step: i64,
        /// What is known of the iterations.
        kind: Kind,
        /// What is done.
        body: Block,
    },
    /// `while (cond)`
    While(Exp, Block),
    /// The results of a function are assigned to variables.
    Call(FunId, Vec<V>, Vec<Arg>),
    /// The values of a constant: its results, by number, are assigned to variables. Handles become other handles of the block.
    Const(usize, Vec<(usize, V)>),

    /// If the condition does not hold, then the function ends with the error.
    Assert(Exp, Message),
    /// A value is printed for the user.
    Trace(EcoString, Exp, Prim),
    /// Elements are printed for the user: `[...]` of this shape from a pointer.
    TraceArray(EcoString, V, Vec<Exp>),

    /// The element becomes `op(element, value)` in one step that other tasks cannot interrupt.
    Atomic(RedOp, V, Exp, Exp),
    /// The block is executed while no other task executes a block with the same number modulo the number of locks.
    Locked(Exp, Block),
    /// The body is executed for all of a range, in parallel.
    Tasks(Box<Tasks>),
    /// Each element of a local array becomes the sum of a variable and all elements up to it, and the variable the last one.
    Sums(V, V),
    /// The variable becomes the number of ranges that a reduction over this many elements should be cut into.
    Chunks(V, usize, Exp),
    /// The variable becomes the value of a tuning parameter, by its number in [`crate::Program::tuning`], or of the
    /// expression if nobody has set it.
    Tuning(V, usize, Exp),
    /// The variable becomes the number of threads.
    Threads(V),

    /// The device begins to execute a kernel. What the host does next to memory of the device happens after it.
    Launch(Box<Kernel>),
    /// The variable becomes the element at an index of a pointer to memory of the device. The host waits for it.
    Fetch(V, V, Exp),
    /// In a kernel: no thread of the block goes on before all are here; then all see what the others have written.
    Barrier,
    /// In a kernel: no thread goes on before those of its warp are here; then these see what they have written. A warp is 32
    /// neighbouring threads of the block, or more of them. All threads of the block execute this equally often, or all that
    /// execute the same [`Stm::Warp`].
    WarpBarrier,
    /// In a kernel: the first warp of the block executes this, or more threads do: where nobody knows what a warp is, all of them.
    Warp(Block),
    /// In a kernel: the variable becomes the element at an index as it is at this moment, perhaps written by another block.
    Poll(V, V, Exp),
    /// In a kernel: the variable becomes the element at an index, an `i32`, which grows by one in the same step.
    Count(V, V, Exp),
    /// In a kernel: the element becomes another value that depends on what it is, in one step that other threads cannot
    /// interrupt: all is done again until nobody has changed the element in between.
    Exchange {
        /// Where the element is: a pointer or a shared array, ...
        ptr: V,
        /// ... and its index, which is evaluated once.
        index: Exp,
        /// The statement declares this variable: what the element is.
        old: V,
        /// What is done to find the new value.
        body: Block,
        /// The new value, which may depend on what the body declares.
        new: Exp,
    },
    /// In a kernel: the block is executed while no other thread executes a block that is guarded by the same element, an `i32`
    /// that is zero at first.
    Guarded(V, Exp, Block),
    /// In a kernel: ends the thread, or the section that it is in.
    Leave,
    /// In a kernel: if a check fails in the block, the rest of the block is skipped, so that all threads reach the next barrier.
    Section(Block),
}

/// What an argument of a call is.
#[derive(Clone, PartialEq, Debug)]
pub enum Arg {
    /// A scalar.
    Scalar(Exp),
    /// A handle, borrowed, whose data begins at an element of the pointer, which points into the block of the handle.
    Mem {
        /// The block's handle, if there is one.
        block: Option<V>,
        /// The pointer ...
        ptr: V,
        /// ... and the index of the first element.
        index: Exp,
    },
}

/// What a pointer is derived from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum From {
    /// The beginning of a handle's data.
    Mem(V),
    /// Another pointer or local array.
    Ptr(V),
    /// In a kernel: the memory that the threads of a block share, if they have as much of it as the launch asks for
    /// ([`Kernel::shared`](crate::Kernel::shared)); otherwise the pointer stays what it is.
    Shared,
}

/// What is known of the iterations of a loop.
#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
    /// One after the other.
    Sequential,
    /// In any order or at once, but for these scalars, to which every iteration only adds its part by the operator.
    Independent(Vec<(V, RedOp)>),
}

/// A parallel execution of a body.
#[derive(Clone, PartialEq, Debug)]
pub struct Tasks {
    /// A number of the place, for what is learnt about it while the program runs.
    pub site: usize,
    /// The size of the whole.
    pub total: Exp,
    /// If there: the whole is cut into so many ranges of nearly equal size, and each is one execution of the body.
    /// Otherwise the range is cut in any way.
    pub chunks: Option<V>,
    /// Ranges begin at multiples of this.
    pub grain: i64,
    /// The number of the range, if they are counted.
    pub chunk: V,
    /// The range: from here ...
    pub low: V,
    /// ... to there, exclusive.
    pub high: V,
    /// What is done for it.
    pub body: Block,
}

/// What is said when a check fails: texts and values in turn, and the places in the source, innermost first.
#[derive(Clone, PartialEq, Debug)]
pub struct Message {
    /// The parts.
    pub parts: Vec<Part>,
    /// The places.
    pub trace: Vec<EcoString>,
}

/// A part of a message.
#[derive(Clone, PartialEq, Debug)]
pub enum Part {
    /// Fixed text.
    Text(EcoString),
    /// The value of a scalar of a type.
    Value(Exp, Prim),
}
