//! Expressions.

use crate::{
    AccInput, Atom, BinOp, Body, CmpOp, ConstId, Diff, Elem, Flatmap, FunId, Hist, Level, MathFn,
    Partition, Scalar, Scatter, Screma, Seg, Stage, Stream, UnOp, Var,
};
use ecow::EcoString;
use fehu_base::Prim;

/// An expression: one operation on operands.
#[derive(Clone, PartialEq, Debug)]
pub enum Exp {
    /// The operand itself.
    Atom(Atom),
    /// `op a`
    UnOp(UnOp, Atom),
    /// `a op b`
    BinOp(BinOp, Atom, Atom),
    /// `a op b`, a truth value.
    CmpOp(CmpOp, Atom, Atom),
    /// A function of numbers.
    Math(MathFn, Vec<Atom>),
    /// The number as another type: integers are truncated, or extended by the sign of their own type
    /// (by zeros if the target is unsigned and wider); floats are rounded to the nearest, or towards
    /// zero to integers, where NaN and infinities are zero, and what does not fit into 32 bits (64 for the types of 64
    /// bits) is the least signed number of these, of which the low bits are kept; to bool means "not zero".
    Convert(Prim, Atom),
    /// The same bits as another type of the same width.
    Reinterpret(Prim, Atom),

    /// A certificate that the condition holds; otherwise the program ends with the message.
    Assert(Atom, Check),

    /// `[a, b, ...]`; the elements are scalars or arrays of one shape.
    Array(Elem, Vec<Atom>),
    /// An element, row or slice. Without [`Dim::Slice`] and with as many indices as dimensions it is a
    /// scalar; otherwise a view of the array. In bounds, or certified to be.
    Index(Var, Vec<Dim>),
    /// The array with an element, row or slice replaced. Consumes the array.
    Update(Var, Vec<Dim>, Atom),
    /// A view of the array by strides: dimensions of a length and a distance each, from an offset,
    /// over the array's elements in row-major order of its outermost dimension.
    FlatIndex(Var, Atom, Vec<(Atom, Atom)>),
    /// The array with such a view replaced. Consumes the array.
    FlatUpdate(Var, Atom, Vec<(Atom, Atom)>, Var),
    /// One array after the other, along the outermost dimension, of this total size.
    Concat(Atom, Vec<Var>),
    /// `start, start + step, ...`, this many numbers of an integer type. The operands are the number of
    /// elements, the first one, and the step.
    Iota(Prim, Atom, Atom, Atom),
    /// This many copies of the operand, in as many dimensions.
    Replicate(Vec<Atom>, Atom),
    /// An array of this type whose contents do not matter.
    Scratch(Elem, Vec<Atom>),
    /// The elements in row-major order under another shape, with the same number of elements.
    Reshape(Var, Vec<Atom>),
    /// The dimensions in another order: dimension i of the result is dimension `perm[i]`.
    Rearrange(Var, Vec<usize>),
    /// The array in memory of its own.
    Copy(Var),
    /// The array in memory of its own, in row-major order. Those that are added with the places of arrays have the
    /// order that the table says.
    Manifest(Var),

    /// One of two bodies.
    If(Atom, Box<[Body; 2]>),
    /// One of several bodies, by the value of a scalar.
    Switch(Atom, Box<Switch>),
    /// A body that is repeated; its results are the next values of the parameters.
    Loop(Vec<LoopParam>, LoopForm, Box<Body>),
    /// The results of a function.
    Call(FunId, Vec<Atom>),
    /// The values of a constant.
    Const(ConstId),

    /// map, reduce, scan and their combinations.
    Screma(Box<Screma>),
    /// Histograms.
    Hist(Box<Hist>),
    /// Parallel writes.
    Scatter(Box<Scatter>),
    /// A fold over chunks.
    Stream(Box<Stream>),
    /// Stable reordering by classes.
    Partition(Box<Partition>),
    /// Pieces of different sizes, one after the other.
    Flatmap(Box<Flatmap>),
    /// An operator at every position of a space, executed by the threads of a level.
    Seg(Box<Seg>),
    /// A function and its derivative.
    Diff(Box<Diff>),

    /// Arrays turned into accumulators for the duration of a function, and back. The function's
    /// parameters are a certificate for each input, and then an accumulator of type
    /// [`Type::Acc`](crate::Type::Acc) of it for each input; its results are the accumulators, and then
    /// anything. Binds the arrays of all inputs in turn, and then these other results.
    WithAcc(Vec<AccInput>, Box<crate::Lambda>),
    /// A contribution to an accumulator: the indices and the values. Consumes the accumulator; binds
    /// it.
    UpdateAcc(Var, Vec<Atom>, Vec<Atom>),

    /// The operand, printed with a tag when it is computed.
    Trace(EcoString, Atom),
    /// Something that a session wants to know; a certificate, which nobody uses. The interpreter alone executes it.
    Notice(Notice, Vec<Atom>),
    /// The operand, about which nothing may be assumed.
    Opaque(Atom),
    /// The value of the tuning parameter of this name, an `i64`, or the operand if nobody has set it.
    Tuning(EcoString, Atom),
    /// How many threads execute operators, an `i64`: threads of the CPU, or about as many as a device has.
    Threads,
    /// Ends the program with the message. Its results are never used.
    Fail(Check),
}

/// What [`Exp::Notice`] tells a session that stops at breakpoints.
///
/// The session has a table of *scenes*: places of the program with the names that are visible there. The operands are
/// the values of these names, in the order of the table. They may have been consumed: the interpreter keeps what is
/// still mentioned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notice {
    /// A call begins at this scene.
    Enter(u32),
    /// The call that has begun last is over.
    Leave,
    /// A breakpoint: at this scene, or at that of the last call, if the breakpoint is in code that users do not know.
    Stop(Option<u32>),
    /// A breakpoint at the scene of the last call, if the first operand is NaN and none of the others is.
    Nan,
}

/// One dimension of an index.
#[derive(Clone, PartialEq, Debug)]
pub enum Dim {
    /// A position.
    Fix(Atom),
    /// `len` positions from `start`, `stride` apart.
    Slice {
        /// The first.
        start: Atom,
        /// How many.
        len: Atom,
        /// Their distance, not zero unless there is at most one.
        stride: Atom,
    },
}

/// What a program says when it ends because of an error: texts and values in turn.
#[derive(Clone, PartialEq, Debug)]
pub struct Check {
    /// The parts of the message.
    pub parts: Vec<CheckPart>,
    /// The places in the source that led here, innermost first.
    pub trace: Vec<crate::Loc>,
}

impl Check {
    /// The places that users are shown: those of the trace in their own files, since they do not know the prelude; all of
    /// them if there are no others.
    pub fn shown(&self) -> Vec<crate::Loc> {
        let own: Vec<crate::Loc> =
            self.trace.iter().filter(|loc| !loc.in_prelude()).cloned().collect();
        if own.is_empty() { self.trace.clone() } else { own }
    }
}

/// A part of a message.
#[derive(Clone, PartialEq, Debug)]
pub enum CheckPart {
    /// Fixed text.
    Text(EcoString),
    /// The value of a scalar.
    Value(Atom),
}

/// See [`Exp::Switch`].
#[derive(Clone, PartialEq, Debug)]
pub struct Switch {
    /// The cases, which differ.
    pub cases: Vec<(Scalar, Body)>,
    /// For all other values.
    pub default: Body,
}

/// A parameter of a loop.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LoopParam {
    /// The variable inside the body; its type may mention other parameters.
    pub var: Var,
    /// Its first value.
    pub init: Atom,
}

/// How often a loop's body is evaluated.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum LoopForm {
    /// For every value of the variable from zero to the bound, exclusively.
    For(Var, Atom),
    /// As long as this parameter, a truth value, is true.
    While(Var),
}

impl Exp {
    /// What people call the expression, if it is an array operator: `map`, `reduction`, ...
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are no operators")]
    pub fn operator(&self) -> Option<&'static str> {
        match self {
            Exp::Screma(op) => Some(match (op.scans.is_empty(), op.reds.is_empty()) {
                (true, true) => "map",
                (true, false) => "reduction",
                (false, true) => "scan",
                (false, false) => "scan and reduction",
            }),
            Exp::Hist(_) => Some("histogram"),
            Exp::Scatter(_) => Some("scatter"),
            Exp::Stream(_) => Some("stream"),
            Exp::Partition(op) => Some(if op.classes == 1 { "filter" } else { "partition" }),
            Exp::Flatmap(_) => Some("flatmap"),
            Exp::Diff(_) => Some("derivative"),
            Exp::WithAcc(..) => Some("accumulation"),
            Exp::Seg(seg) => seg.parts().and_then(|parts| parts.op.exp.operator()),
            _ => None,
        }
    }

    /// Whether a program of this stage may contain the operation (not looking into its bodies).
    pub fn legal_in(&self, stage: Stage) -> bool {
        match stage {
            // An operator and its epilogue, by one thread, needs no decision about levels; rows that differ, and warps and blocks
            // that execute one each, are not found again.
            Stage::Arrays => {
                let decided = |seg: &Seg| match seg.level {
                    Level::Task | Level::Grid => seg.rows.is_none(),
                    Level::Blocks | Level::Warps | Level::Block | Level::Thread => false,
                };
                !matches!(self, Exp::Seg(seg) if decided(seg))
            }
            // Its pieces have become maps, or rows.
            Stage::Segs => !matches!(self, Exp::Flatmap(_) | Exp::Diff(_) | Exp::Notice(..)),
        }
    }
}
