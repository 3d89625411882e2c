//! Programs prepared for running.
//!
//! [`compile`](crate::compile) makes this of the IR once: variables are numbered slots of a frame,
//! common special cases have operations of their own, and it is written down when an array is used
//! for the last time. A use that hands the value on (a loop's initial value, an argument, a result, the
//! array of an update) then takes it out of the frame ([`Arg::Last`]); after other last uses the
//! slot is cleared ([`Instr::drops`], [`Code::drops`]). So the frame never keeps an array alive that
//! the program does not need, and updates find buffers that nobody else sees.

use ecow::EcoString;
use fehu_base::Prim;
use fehu_ir::{BinOp, CmpOp, Elem, Loc, MathFn, Notice, Scalar, UnOp};

/// A place in a frame.
pub(crate) type Slot = u32;

/// An operand.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Arg {
    Const(Scalar),
    /// The value stays in the frame.
    Slot(Slot),
    /// The value is taken out of the frame.
    Last(Slot),
}

/// A whole program.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) funs: Vec<Unit>,
    pub(crate) consts: Vec<Unit>,
}

/// Code with a frame of its own.
#[derive(Debug)]
pub(crate) struct Unit {
    pub(crate) name: EcoString,
    /// The size of the frame.
    pub(crate) slots: usize,
    pub(crate) params: Vec<Slot>,
    pub(crate) code: Code,
}

/// Instructions and results.
#[derive(Debug)]
pub(crate) struct Code {
    /// What is not needed here: parameters, and what only other branches use.
    pub(crate) drops: Vec<Slot>,
    pub(crate) instrs: Vec<Instr>,
    /// Evaluated in order, each once.
    pub(crate) results: Vec<Arg>,
}

/// One instruction.
#[derive(Debug)]
pub(crate) struct Instr {
    pub(crate) op: Op,
    /// Where the results go.
    pub(crate) pat: Vec<Slot>,
    /// What is not needed afterwards.
    pub(crate) drops: Vec<Slot>,
    pub(crate) loc: Option<EcoString>,
}

/// What an instruction does. Arrays that are only read are slots.
#[derive(Debug)]
pub(crate) enum Op {
    Atom(Arg),
    Un(UnOp, Arg),
    Bin(BinOp, Arg, Arg),
    Cmp(CmpOp, Arg, Arg),
    Math(MathFn, Vec<Arg>),
    Convert(Prim, Arg),
    Reinterpret(Prim, Arg),
    Assert(Arg, Box<Message>),
    Fail(Box<Message>),
    /// With the shape of the elements.
    Array(Elem, Vec<Arg>, Vec<Arg>),
    /// An element of an array of rank one.
    Element(Slot, Arg),
    Index(Slot, Vec<Place>),
    Update(Box<Update>),
    FlatIndex(Slot, Arg, Vec<(Arg, Arg)>),
    FlatUpdate(Box<FlatUpdate>),
    Concat(Arg, Vec<Slot>),
    Iota(Box<Iota>),
    Replicate(Vec<Arg>, Arg),
    Scratch(Elem, Vec<Arg>),
    Reshape(Slot, Vec<Arg>),
    Rearrange(Slot, Vec<usize>),
    Copy(Arg),
    Manifest(Arg),
    If(Arg, Box<[Code; 2]>),
    Switch(Arg, Box<Switch>),
    Loop(Box<Loop>),
    Call(usize, Vec<Arg>),
    Const(usize),
    Screma(Box<Screma>),
    Hist(Box<Hist>),
    Scatter(Box<Scatter>),
    Stream(Box<Stream>),
    Partition(Box<Partition>),
    Flatmap(Box<Flatmap>),
    Seg(Box<Seg>),
    WithAcc(Box<WithAcc>),
    UpdateAcc(Arg, Vec<Arg>, Vec<Arg>),
    Trace(EcoString, Arg),
    Notice(Notice, Vec<Arg>),
    Threads,
}

/// One dimension of an index.
#[derive(Debug)]
pub(crate) enum Place {
    Fix(Arg),
    Slice { start: Arg, len: Arg, stride: Arg },
}

/// The message of a failed check.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) parts: Vec<Part>,
    pub(crate) trace: Vec<Loc>,
}

/// A part of a message.
#[derive(Debug)]
pub(crate) enum Part {
    Text(EcoString),
    Value(Arg),
}

#[derive(Debug)]
pub(crate) struct Update {
    pub(crate) array: Arg,
    pub(crate) places: Vec<Place>,
    pub(crate) value: Arg,
}

#[derive(Debug)]
pub(crate) struct FlatUpdate {
    pub(crate) array: Arg,
    pub(crate) offset: Arg,
    pub(crate) dims: Vec<(Arg, Arg)>,
    pub(crate) value: Arg,
}

#[derive(Debug)]
pub(crate) struct Iota {
    pub(crate) prim: Prim,
    pub(crate) count: Arg,
    pub(crate) start: Arg,
    pub(crate) step: Arg,
}

#[derive(Debug)]
pub(crate) struct Switch {
    pub(crate) cases: Vec<(Scalar, Code)>,
    pub(crate) default: Code,
}

#[derive(Debug)]
pub(crate) struct Loop {
    pub(crate) params: Vec<Slot>,
    pub(crate) inits: Vec<Arg>,
    pub(crate) form: Form,
    pub(crate) body: Code,
    /// Whether a result of the body is a parameter that an earlier result replaces, so that all
    /// must be evaluated before any is replaced.
    pub(crate) entangled: bool,
}

/// How long a loop runs.
#[derive(Debug)]
pub(crate) enum Form {
    For(Slot, Arg),
    While(Slot),
}

/// A function of an array operator; it runs in the frame around it.
#[derive(Debug)]
pub(crate) struct Lambda {
    pub(crate) params: Vec<Slot>,
    pub(crate) code: Code,
    pub(crate) ret: Vec<Ret>,
    /// If it is nothing but an operation on its two parameters, in order.
    pub(crate) bin: Option<BinOp>,
}

/// The type of a result.
#[derive(Debug)]
pub(crate) enum Ret {
    /// A scalar if the shape is empty. The outermost size of a result of a stream's chunk is not
    /// looked at.
    Data(Elem, Vec<Arg>),
    Acc,
}

#[derive(Debug)]
pub(crate) struct Screma {
    pub(crate) width: Arg,
    pub(crate) inputs: Vec<Slot>,
    pub(crate) map: Lambda,
    pub(crate) scans: Vec<Fold>,
    pub(crate) reds: Vec<Fold>,
}

/// An operator and its neutral element.
#[derive(Debug)]
pub(crate) struct Fold {
    pub(crate) op: Lambda,
    pub(crate) neutral: Vec<Arg>,
}

#[derive(Debug)]
pub(crate) struct Hist {
    pub(crate) width: Arg,
    pub(crate) inputs: Vec<Slot>,
    pub(crate) map: Lambda,
    pub(crate) ops: Vec<HistOp>,
}

#[derive(Debug)]
pub(crate) struct HistOp {
    pub(crate) shape: Vec<Arg>,
    pub(crate) dests: Vec<Arg>,
    pub(crate) op: Lambda,
}

#[derive(Debug)]
pub(crate) struct Scatter {
    pub(crate) width: Arg,
    pub(crate) inputs: Vec<Slot>,
    pub(crate) map: Lambda,
    pub(crate) dests: Vec<(Vec<Arg>, Arg)>,
}

#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) width: Arg,
    pub(crate) inputs: Vec<Slot>,
    pub(crate) form: StreamForm,
    pub(crate) init: Vec<Arg>,
    pub(crate) chunk: Lambda,
}

#[derive(Debug)]
pub(crate) enum StreamForm {
    Map,
    Red(Lambda),
    Seq,
    /// Sizes and values of the inputs whose elements differ in size.
    Pass(Vec<(Slot, Vec<Slot>)>),
}

#[derive(Debug)]
pub(crate) struct Partition {
    pub(crate) width: Arg,
    pub(crate) classes: usize,
    pub(crate) inputs: Vec<Slot>,
    pub(crate) map: Lambda,
}

#[derive(Debug)]
pub(crate) struct Flatmap {
    pub(crate) width: Arg,
    pub(crate) inputs: Vec<Slot>,
    pub(crate) map: Lambda,
    /// How many results of the function come before the arrays of the piece.
    pub(crate) plain: usize,
}

#[derive(Debug)]
pub(crate) struct Seg {
    pub(crate) space: Vec<Arg>,
    pub(crate) rows: Option<Rows>,
    pub(crate) inputs: Vec<Arg>,
    pub(crate) body: Lambda,
}

/// How long the rows of a Seg are, and which results have a value for each position.
#[derive(Debug)]
pub(crate) struct Rows {
    pub(crate) ends: Arg,
    pub(crate) total: Arg,
    pub(crate) concatenated: Vec<bool>,
}

#[derive(Debug)]
pub(crate) struct WithAcc {
    pub(crate) inputs: Vec<AccInput>,
    /// Which parameters of the function are accumulators; the others are certificates.
    pub(crate) acc_params: Vec<bool>,
    pub(crate) lambda: Lambda,
}

#[derive(Debug)]
pub(crate) struct AccInput {
    pub(crate) shape: Vec<Arg>,
    pub(crate) arrays: Vec<Arg>,
    pub(crate) op: Option<AccOp>,
}

/// The operator of an accumulator. It may run far from where it stands, in functions called with the
/// accumulator, so it has a frame of its own.
#[derive(Debug)]
pub(crate) struct AccOp {
    pub(crate) unit: Unit,
    /// The variables around it: from where to where they are copied.
    pub(crate) captures: Vec<(Slot, Slot)>,
}
