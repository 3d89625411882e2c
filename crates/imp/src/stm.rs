//! Statements.

use crate::{Exp, FunId, Kernel, Prim, RedOp, V, Work};
use ecow::EcoString;

/// Statements, one after the other.
pub type Block = Vec<Stm>;

/// A statement.
///
/// Most are for everybody. Tasks, and what belongs to them ([`Stm::Tasks`], [`Stm::Chunks`], [`Stm::Threads`]),
/// profiles ([`Stm::Begin`], [`Stm::End`]), launches, [`Stm::Blocks`], [`Stm::Fetch`], [`Stm::Ask`] and
/// [`Stm::Receive`] are for the host; statements whose description begins with "in a kernel" are for kernels. Handles
/// and calls are in kernels only until the stage `device` has removed them. All this is one type, because nearly all
/// code treats the statements of both alike; the verifier holds each to its place ([`crate::verify`]).
#[derive(Clone, PartialEq, Debug)]
pub enum Stm {
    /// A comment for readers of the code.
    Comment(EcoString),
    /// Declares a variable: a scalar, optionally with a value, a handle (empty), a pointer or a local array. Handles
    /// exist until the end of the function or task, everything else until the end of the block.
    Declare(V, Option<Exp>),
    /// `v = e`
    Assign(V, Exp),
    /// `p[index] = e`
    Store(V, Exp, Exp),

    /// Makes the handle that of a block with this many elements of the type, or fails.
    Alloc(V, Prim, Exp),
    /// Makes the first handle another handle of the second's block.
    Share(V, V),
    /// Makes the first handle another handle of the second's block, with data that begins at an element of the pointer,
    /// which points into that block. If there is no second handle, the memory belongs to an owner that outlives the
    /// handle.
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
    /// Releases the handle.
    Free(V),
    /// Sets the pointer to the address of the element at this index in the block; `From` says what it is derived from.
    Point(V, From, Exp),

    /// Copies `count` elements from the second pointer and index to the first; they do not overlap.
    Copy {
        /// The destination pointer and index.
        to: (V, Exp),
        /// The source pointer and index.
        from: (V, Exp),
        /// How many elements.
        count: Exp,
    },

    /// Executes one of two blocks.
    If(Exp, Block, Block),
    /// Executes one of several blocks, chosen by the value of an expression of an integer or bool type; then the
    /// default.
    Switch(Exp, Vec<(fehu_ir::Scalar, Block)>, Block),
    /// `for (var = from; var < to; var += step)`. The loop declares the variable.
    For {
        /// The variable.
        var: V,
        /// Its first value.
        from: Exp,
        /// The bound, exclusive; evaluated once.
        to: Exp,
        /// The increment.
        step: i64,
        /// What is known about the iterations.
        kind: Kind,
        /// The body.
        body: Block,
    },
    /// `while (cond)`
    While(Exp, Block),
    /// Calls a function and assigns its results to variables.
    Call(FunId, Vec<V>, Vec<Arg>),
    /// Calls a function of another language.
    Foreign(Box<Foreign>),
    /// Reads a constant: its results, by number, are assigned to variables. Handles become additional handles of the
    /// block.
    Const(usize, Vec<(usize, V)>),

    /// If the condition does not hold, the function ends with the error.
    Assert(Exp, Message),
    /// Prints a value for the user.
    Trace(EcoString, Exp, Prim),
    /// Prints elements for the user: `[...]` of this shape from a pointer.
    TraceArray(EcoString, V, Vec<Exp>),

    /// The element atomically becomes `op(element, value)`.
    Atomic(RedOp, V, Exp, Exp),
    /// Executes the block while no other task executes a block with the same number modulo the number of locks.
    Locked(Exp, Block),
    /// Executes the body for a whole range, in parallel.
    Tasks(Box<Tasks>),
    /// Prefix sums, minima or maxima: replaces each element of a local array by the sum of a variable and all elements
    /// up to it, and sets the variable to the last one.
    Prefixes(RedOp, V, V),
    /// Sets the variable to the number of ranges into which a reduction over this many elements should be split.
    Chunks(V, usize, Exp),
    /// Sets the variable to the value of a tuning parameter, by its number in [`crate::Program::tuning`], or to the
    /// expression if the parameter is not set.
    Tuning(V, usize, Exp),
    /// Sets the variable to the number of threads.
    Threads(V),
    /// Sets the variable to the number of blocks that keep the device busy, each with as many threads as blocks usually have.
    Blocks(V),

    /// For profiles: an operator begins, inside of all that have not ended.
    Begin(Box<Work>),
    /// For profiles: the operator that began last ends.
    End,

    /// Launches a kernel on the device. Later operations of the host on device memory happen after it.
    Launch(Box<Kernel>),
    /// Sets the variable to the element at an index of a pointer to device memory. The host waits for it.
    Fetch(V, V, Exp),
    /// Asks for the element at an index of a pointer to device memory, as it is when all before this is done. The host
    /// does not wait.
    Ask(V, Exp),
    /// Sets the variable to the element that was asked for first, of those that have not been received. The host waits for that
    /// one, but not for what it launched after asking.
    Receive(V),
    /// In a kernel: a barrier. No thread of the block continues before all have arrived; then all see what the others
    /// have written.
    Barrier,
    /// In a kernel: no thread continues before the threads of its warp have arrived; then these see what they have
    /// written. A warp consists of 32 neighbouring threads of the block, or more. All threads of the block execute this
    /// equally often, or all that execute the same [`Stm::Warp`].
    WarpBarrier,
    /// In a kernel: sets a variable to the value that another thread of the warp has; `of` is evaluated by that thread.
    /// All threads come here together, as to a barrier of the warp, but what they have written is not seen by others
    /// for that. A warp consists of exactly 32 neighbouring threads here, its *lanes*.
    Shuffle {
        /// The variable.
        to: V,
        /// Whose value ...
        lane: Lane,
        /// ... by this number, an `i64`.
        by: Exp,
        /// The value.
        of: Exp,
    },
    /// In a kernel: executed by the first warp of the block, or by more threads: where the size of a warp is not known,
    /// by all of them.
    Warp(Block),
    /// In a kernel: sets the variable to the current value of the element at an index, possibly written by another
    /// block.
    Poll(V, V, Exp),
    /// In a kernel: sets the variable to the element at an index, an `i32`, which is atomically incremented.
    Count(V, V, Exp),
    /// In a kernel: a barrier at which blocks are counted. Nobody waits for another block, but the last one to come sees what all
    /// threads of all of them have written before.
    Arrive {
        /// The variable is set to whether the block is the last one, a `bool`, for all of its threads.
        last: V,
        /// The number of the counter, less than that of [`Device::counters`](crate::device::Device::counters), an
        /// `i64`. All counters are zero before a kernel and after it.
        counter: Exp,
        /// How many blocks are counted there. Each of them comes here once.
        of: Exp,
    },
    /// In a kernel: atomically replaces the element by another value that depends on the old one: everything is
    /// repeated until no other thread has changed the element in between.
    Exchange {
        /// The location of the element: a pointer or a shared array, ...
        ptr: V,
        /// ... and its index, which is evaluated once.
        index: Exp,
        /// The statement declares this variable: the old value of the element.
        old: V,
        /// The code that computes the new value.
        body: Block,
        /// The new value, which may depend on what the body declares.
        new: Exp,
    },
    /// In a kernel: executes the block while no other thread executes a block that is guarded by the same element, an
    /// `i32` that is zero initially.
    Guarded(V, Exp, Block),
    /// In a kernel: ends the thread, or the section that it is in.
    Leave,
    /// In a kernel: if a check fails in the block, the rest of the block is skipped, so that all threads reach the next barrier.
    Section(Block),
}

/// A lane of a warp.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lane {
    /// So many above this one; this one itself, if there is none.
    Down,
    /// So many below this one; this one itself, if there is none.
    Up,
    /// The one with this number, which is less than 32.
    At,
}

impl Lane {
    /// All of them.
    pub const ALL: [Lane; 3] = [Lane::Down, Lane::Up, Lane::At];

    /// Its name. It says in which direction values move.
    pub fn name(self) -> &'static str {
        match self {
            Lane::Down => "down",
            Lane::Up => "up",
            Lane::At => "at",
        }
    }

    /// The lane with this name.
    pub fn from_name(name: &str) -> Option<Lane> {
        Lane::ALL.into_iter().find(|lane| lane.name() == name)
    }
}

/// An argument of a call.
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

/// A call of a function of another language: see [`fehu_ir::Foreign`]. The host of a device calls it with addresses in the
/// memory of the device, and a kernel without addresses.
#[derive(Clone, PartialEq, Debug)]
pub struct Foreign {
    /// The name of the function.
    pub symbol: EcoString,
    /// Whether it works on the stream of the device, which is then its first argument.
    pub stream: bool,
    /// The arguments.
    pub args: Vec<Arg>,
    /// The results.
    pub results: Vec<Out>,
    /// What its status is assigned to, an `i32`. If there is none, it returns its only result, a scalar.
    pub status: Option<V>,
}

/// A result of a function of another language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Out {
    /// A scalar, which is set.
    Scalar(V),
    /// A pointer to where it writes elements.
    Elements(V),
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

/// What is known about the iterations of a loop.
#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
    /// They are executed one after the other.
    Sequential,
    /// The same, and there are so few of them that vectors would do more for the remainder than they gain.
    Few,
    /// They are executed in any order or concurrently; to these scalars, every iteration only adds its part with the
    /// operator.
    Independent(Vec<(V, RedOp)>),
    /// The same, and they are to be executed in the lanes of vectors, if vectors can do what they do.
    Lanes(Vec<(V, RedOp)>, Asked),
    /// They have nothing to do with each other, and are to be executed in tiles, if their code fits; if not, in lanes if
    /// somebody asked for these.
    Tiles(Tile, Option<Asked>),
}

/// Who asked for lanes: the place of the operator in the source, which is told whether it has them. Empty if nobody knows it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Asked(pub EcoString);

/// Which iterations are a tile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tile {
    /// Some of this loop together with some of the one inside: rows and columns, each of which reads elements that all
    /// positions of it have in common.
    Square,
    /// Neighbours, which read neighbouring elements at each step of the fold inside.
    Columns,
}

impl Kind {
    /// The scalars to which iterations add their parts, if they are independent otherwise.
    pub fn reductions(&self) -> Option<&[(V, RedOp)]> {
        match self {
            Kind::Sequential | Kind::Few => None,
            Kind::Independent(reductions) | Kind::Lanes(reductions, _) => Some(reductions),
            Kind::Tiles(..) => Some(&[]),
        }
    }

    /// The same iterations, executed in lanes if they are independent.
    #[must_use]
    pub fn in_lanes(self, asked: Asked) -> Kind {
        match self {
            Kind::Sequential | Kind::Few => self,
            Kind::Independent(reductions) | Kind::Lanes(reductions, _) => {
                Kind::Lanes(reductions, asked)
            }
            Kind::Tiles(tile, _) => Kind::Tiles(tile, Some(asked)),
        }
    }

    /// The same iterations, executed in tiles if they have nothing to do with each other.
    #[must_use]
    pub fn in_tiles(self, tile: Tile) -> Kind {
        if !self.is_map() {
            return self;
        }
        match self {
            Kind::Sequential | Kind::Few | Kind::Independent(_) => Kind::Tiles(tile, None),
            Kind::Lanes(_, asked) => Kind::Tiles(tile, Some(asked)),
            Kind::Tiles(_, asked) => Kind::Tiles(tile, asked),
        }
    }

    /// The same iterations, no longer in tiles.
    #[must_use]
    pub fn without_tiles(self) -> Kind {
        match self {
            Kind::Tiles(_, Some(asked)) => Kind::Lanes(Vec::new(), asked),
            Kind::Tiles(_, None) => Kind::Independent(Vec::new()),
            Kind::Sequential | Kind::Few | Kind::Independent(_) | Kind::Lanes(..) => self,
        }
    }

    /// Whether they have nothing to do with each other.
    pub fn is_map(&self) -> bool {
        self.reductions().is_some_and(<[_]>::is_empty)
    }
}

/// A parallel execution of a body.
#[derive(Clone, PartialEq, Debug)]
pub struct Tasks {
    /// The number of the site, under which information is collected while the program runs.
    pub site: usize,
    /// The size of the whole.
    pub total: Exp,
    /// If present, the whole is split into this many ranges of nearly equal size, and each is one execution of the
    /// body. Otherwise the range is split in any way.
    pub chunks: Option<V>,
    /// Ranges begin at multiples of this.
    pub grain: i64,
    /// The number of the range, if there is a fixed number of them.
    pub chunk: V,
    /// The range: from here ...
    pub low: V,
    /// ... to there, exclusive.
    pub high: V,
    /// The body.
    pub body: Block,
}

/// The message of a failing check: texts and values, and the source locations, innermost first.
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
