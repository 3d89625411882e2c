//! The functions that code calls.
//!
//! Their arguments and results are 64 bits wide, or 32 for a result that says whether something failed, so that nothing has to
//! be known of how narrower numbers are passed.

use crate::context::{Context, FAILURE, SUCCESS};
use crate::memory::{Full, Handle};
use crate::raw::Task;
use crate::threads::Loop;
use crate::{outside, raw, threads};
use cranelift_codegen::ir::{Type, types};
use fehu_base::Prim;
use fehu_base::bug::{OrBug, bug};
use fehu_interp::{ErrorKind, Value, scalar};
use fehu_ir::{BinOp, CmpOp, MathFn, Scalar, UnOp};

/// A function of the library.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Function {
    Alloc,
    Share,
    Give,
    Free,
    Copy,
    Push,
    Fail,
    TooDeep,
    Stopped,
    Trace,
    TraceArray,
    Constant,
    Parallel,
    Scalar,
}

impl Function {
    pub(crate) const ALL: [Function; 14] = [
        Function::Alloc,
        Function::Share,
        Function::Give,
        Function::Free,
        Function::Copy,
        Function::Push,
        Function::Fail,
        Function::TooDeep,
        Function::Stopped,
        Function::Trace,
        Function::TraceArray,
        Function::Constant,
        Function::Parallel,
        Function::Scalar,
    ];

    /// Its name in the module, the number of its arguments, its result, and its address.
    pub(crate) fn signature(self) -> (&'static str, usize, Option<Type>, *const u8) {
        let code = Some(types::I32);
        match self {
            Function::Alloc => ("fe_alloc", 4, code, alloc as *const u8),
            Function::Share => ("fe_share", 4, None, share as *const u8),
            Function::Give => ("fe_give", 4, None, give as *const u8),
            Function::Free => ("fe_free", 2, None, free as *const u8),
            Function::Copy => ("fe_copy", 3, None, raw::copy as *const u8),
            Function::Push => ("fe_push", 2, None, push as *const u8),
            Function::Fail => ("fe_fail", 2, code, fail as *const u8),
            Function::TooDeep => ("fe_too_deep", 2, code, too_deep as *const u8),
            Function::Stopped => ("fe_stopped", 1, code, stopped as *const u8),
            Function::Trace => ("fe_trace", 3, None, trace as *const u8),
            Function::TraceArray => ("fe_trace_array", 3, None, trace_array as *const u8),
            Function::Constant => ("fe_constant", 2, code, constant as *const u8),
            Function::Parallel => ("fe_parallel", 7, code, parallel as *const u8),
            Function::Scalar => ("fe_scalar", 4, Some(types::I64), scalar as *const u8),
        }
    }
}

/// Functions of the C library that Cranelift calls on processors that lack an instruction: their names and addresses.
pub(crate) fn instructions() -> [(&'static str, *const u8); 6] {
    extern "C" fn ceil(x: f64) -> f64 {
        x.ceil()
    }
    extern "C" fn ceilf(x: f32) -> f32 {
        x.ceil()
    }
    extern "C" fn floor(x: f64) -> f64 {
        x.floor()
    }
    extern "C" fn floorf(x: f32) -> f32 {
        x.floor()
    }
    extern "C" fn nearbyint(x: f64) -> f64 {
        x.round_ties_even()
    }
    extern "C" fn nearbyintf(x: f32) -> f32 {
        x.round_ties_even()
    }
    [
        ("ceil", ceil as *const u8),
        ("ceilf", ceilf as *const u8),
        ("floor", floor as *const u8),
        ("floorf", floorf as *const u8),
        ("nearbyint", nearbyint as *const u8),
        ("nearbyintf", nearbyintf as *const u8),
    ]
}

/// Makes a handle that of a block of its own, for so many elements of so many bytes.
extern "C" fn alloc(context: &mut Context<'_>, handle: &mut Handle, count: i64, size: i64) -> i32 {
    match context.machine.pool.alloc(handle, count, size) {
        Ok(()) => SUCCESS,
        Err(Full(message)) => context.fail(ErrorKind::Resource, message, &[]),
    }
}

/// Makes a handle another one of what this one has; nothing is counted if there is no block.
extern "C" fn share(context: &mut Context<'_>, handle: &mut Handle, data: u64, block: u64) {
    context.machine.pool.share(handle, Handle { data, block });
}

/// Gives a handle what another one had.
extern "C" fn give(context: &mut Context<'_>, handle: &mut Handle, data: u64, block: u64) {
    context.machine.pool.free(handle);
    *handle = Handle { data, block };
}

extern "C" fn free(context: &mut Context<'_>, handle: &mut Handle) {
    context.machine.pool.free(handle);
}

/// A number for the next message or trace.
extern "C" fn push(context: &mut Context<'_>, bits: u64) {
    context.pushed.push(bits);
}

extern "C" fn fail(context: &mut Context<'_>, message: u64) -> i32 {
    context.fail_with(message as usize)
}

extern "C" fn too_deep(context: &mut Context<'_>, function: u64) -> i32 {
    let name = &context.machine.texts.names[function as usize];
    let message = format!("recursion of \"{name}\" is too deep");
    context.fail(ErrorKind::Program, message, &[])
}

extern "C" fn stopped(context: &mut Context<'_>) -> i32 {
    context.fail(ErrorKind::Interrupt, "interrupted".to_owned(), &[])
}

extern "C" fn trace(context: &mut Context<'_>, tag: u64, bits: u64) {
    let (tag, prim) = &context.machine.texts.tags[tag as usize];
    if let Some(sink) = &mut context.sink {
        sink(tag, &Value::Scalar(Scalar::from_bits(*prim, bits)));
    }
}

/// Traces elements; the sizes of their array have been pushed.
extern "C" fn trace_array(context: &mut Context<'_>, tag: u64, data: u64) {
    let shape: Vec<i64> = context.pushed.drain(..).map(|size| size as i64).collect();
    let (tag, prim) = &context.machine.texts.tags[tag as usize];
    if let Some(sink) = &mut context.sink {
        let array = outside::array(*prim, &shape, data);
        sink(tag, &array.or_bug("an array that is traced has a shape"));
    }
}

extern "C" fn constant(context: &mut Context<'_>, number: u64) -> i32 {
    let code = context.constant(number as usize);
    if code == SUCCESS { SUCCESS } else { FAILURE }
}

/// Executes a loop, by several threads if it is long.
extern "C" fn parallel(
    context: &mut Context<'_>,
    task: u64,
    env: u64,
    from: i64,
    to: i64,
    step: i64,
    cycles: i64,
) -> i32 {
    threads::run(context, Loop { task: Task::new(task), env, from, to, step, cycles })
}

/// An operation of the interpreter, as a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operation {
    Un(UnOp, Prim),
    Bin(BinOp, Prim),
    Cmp(CmpOp, Prim),
    Math(MathFn, Prim),
    Convert(Prim, Prim),
}

impl Operation {
    /// Its number: the kind, what it is of its kind, and the type, a byte each.
    pub(crate) fn number(self) -> i64 {
        fn place<T: PartialEq>(all: &[T], one: &T) -> i64 {
            let found = all.iter().position(|other| other == one);
            found.or_bug("all operations are listed") as i64
        }
        let (kind, which, prim) = match self {
            Operation::Un(op, prim) => (0, place(UnOp::ALL, &op), prim),
            Operation::Bin(op, prim) => (1, place(BinOp::ALL, &op), prim),
            Operation::Cmp(op, prim) => (2, place(CmpOp::ALL, &op), prim),
            Operation::Math(f, prim) => (3, place(MathFn::ALL, &f), prim),
            Operation::Convert(from, to) => (4, place(&Prim::ALL, &to), from),
        };
        kind << 16 | which << 8 | place(&Prim::ALL, &prim)
    }

    /// Its result for operands with these bits. What has no result is never asked for.
    fn apply(number: u64, bits: [u64; 3]) -> Scalar {
        let (which, prim) = ((number >> 8 & 255) as usize, Prim::ALL[(number & 255) as usize]);
        let of = |prim: Prim, at: usize| Scalar::from_bits(prim, bits[at]);
        let (a, b) = (of(prim, 0), of(prim, 1));
        let result = match number >> 16 {
            0 => scalar::unop(UnOp::ALL[which], a),
            1 => scalar::binop(BinOp::ALL[which], a, b),
            2 => scalar::cmpop(CmpOp::ALL[which], a, b).map(Scalar::Bool),
            3 if MathFn::ALL[which] == MathFn::Ldexp => {
                scalar::math(MathFn::Ldexp, &[a, of(Prim::I32, 1)])
            }
            3 => {
                let function = MathFn::ALL[which];
                scalar::math(function, &[a, b, of(prim, 2)][..function.arity()])
            }
            4 => scalar::convert(Prim::ALL[which], a),
            _ => None,
        };
        match result {
            Some(result) => result,
            None => bug(format_args!("operation {number:x} has no result")),
        }
    }
}

/// An operation of the interpreter on numbers with these bits.
extern "C" fn scalar(number: u64, a: u64, b: u64, c: u64) -> u64 {
    Operation::apply(number, [a, b, c]).bits()
}
