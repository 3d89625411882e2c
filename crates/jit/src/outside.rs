//! Calls from outside: values become scalars and memory, and back.

use crate::context::{Constant, Context, Machine, SUCCESS, handle};
use crate::memory::Handle;
use crate::raw::{self, Entry, Plain};
use crate::{Call, internal};
use fehu_base::{IdVec, Prim};
use fehu_interp::{Buffer, Error, Value};
use fehu_ir::{self as ir, Atom, Elem, FunId, Prog, Scalar, Type, Var, VarInfo};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The stack of a call, which limits the depth of recursion. It is reserved, not used, until recursion reaches it.
const STACK_BYTES: usize = 1 << 30;

/// Calls a function.
pub(crate) fn call(
    prog: &Prog,
    id: FunId,
    entry: Entry,
    machine: &mut Machine,
    args: &[Value],
    call: Call<'_>,
) -> Result<Vec<Value>, Error> {
    let fun = &prog.funs[id];
    let mut sizes = FxHashMap::default();
    let types = fun.params.iter().map(|param| (param.var, &fun.vars[param.var].ty));
    let arguments = Arguments::new(types, args, &mut sizes)?;
    let has_value = |var: &&Var| matches!(fun.vars[**var].ty.elem(), Some(Elem::Prim(_)));
    let mut results = vec![[0; 2]; fun.results.iter().filter(has_value).count()];
    let stop = call.interrupt.clone().unwrap_or_else(|| Arc::new(AtomicBool::new(false)));
    let run = || {
        let mut context = Context::new(machine, call, stop, STACK_BYTES);
        match raw::call(entry, &mut context, &arguments.words, &mut results) {
            SUCCESS => Ok(()),
            _ => Err(context.failure.take().unwrap_or_else(|| {
                internal("internal error: a call failed for no reason".to_owned())
            })),
        }
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
        match thread.spawn_scoped(scope, run) {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(error) => Err(internal(format!("internal error: no thread: {error}"))),
        }
    })?;
    let values = values(&fun.vars, &fun.results, &mut sizes, &results);
    for (var, result) in fun.results.iter().filter(has_value).zip(&results) {
        if fun.vars[*var].ty.rank() > 0 {
            machine.pool.free(&mut handle(*result));
        }
    }
    values
}

/// A constant with values that were computed elsewhere.
pub(crate) fn given(constant: &ir::Const, values: &[Value]) -> Result<Constant, Error> {
    let types = constant.results.iter().map(|var| (*var, &constant.vars[*var].ty));
    let Arguments { words, memory } = Arguments::new(types, values, &mut FxHashMap::default())?;
    Ok(Constant { entry: None, is_computed: true, results: words.into_boxed_slice(), memory })
}

/// The arguments as code takes them, and the memory that they are in.
struct Arguments {
    words: Vec<[u64; 2]>,
    /// Arrays that are consumed are changed there; nobody else sees that.
    memory: Vec<Buffer>,
}

impl Arguments {
    fn new<'a>(
        types: impl Iterator<Item = (Var, &'a Type)>,
        args: &[Value],
        sizes: &mut FxHashMap<Var, i64>,
    ) -> Result<Arguments, Error> {
        let (mut words, mut memory) = (Vec::new(), Vec::new());
        for ((var, ty), arg) in types.zip(args) {
            match (ty, arg) {
                (Type::Scalar(Elem::Prim(_)), Value::Scalar(scalar)) => {
                    if let Scalar::I64(size) = scalar {
                        sizes.insert(var, *size);
                    }
                    words.push([scalar.bits(), 0]);
                }
                (Type::Array(Elem::Prim(_), _), Value::Array(array)) => {
                    let mut buffer = array.to_buffer();
                    let Handle { data, block } =
                        Handle { data: address(&mut buffer), ..Handle::default() };
                    words.push([data, block]);
                    memory.push(buffer);
                }
                // What has no contents is not passed.
                (Type::Scalar(Elem::Unit) | Type::Array(Elem::Unit, _) | Type::Acc(_), _) => {}
                (Type::Scalar(Elem::Prim(_)) | Type::Array(Elem::Prim(_), _), _) => {
                    let message = "internal error: an argument is not of the type of its parameter";
                    return Err(internal(message.to_owned()));
                }
            }
        }
        Ok(Arguments { words, memory })
    }
}

/// Where the elements of a buffer are.
fn address(buffer: &mut Buffer) -> u64 {
    match buffer {
        Buffer::I8(items) => items.as_mut_ptr() as u64,
        Buffer::I16(items) => items.as_mut_ptr() as u64,
        Buffer::I32(items) => items.as_mut_ptr() as u64,
        Buffer::I64(items) => items.as_mut_ptr() as u64,
        Buffer::U8(items) => items.as_mut_ptr() as u64,
        Buffer::U16(items) => items.as_mut_ptr() as u64,
        Buffer::U32(items) => items.as_mut_ptr() as u64,
        Buffer::U64(items) => items.as_mut_ptr() as u64,
        Buffer::F16(items) => items.as_mut_ptr() as u64,
        Buffer::F32(items) => items.as_mut_ptr() as u64,
        Buffer::F64(items) => items.as_mut_ptr() as u64,
        Buffer::Bool(items) => items.as_mut_ptr() as u64,
        Buffer::Unit => 0,
    }
}

/// The results as values. They are scalars and arrays, whose sizes are among the parameters and results.
pub(crate) fn values(
    vars: &IdVec<Var, VarInfo>,
    wanted: &[Var],
    sizes: &mut FxHashMap<Var, i64>,
    results: &[[u64; 2]],
) -> Result<Vec<Value>, Error> {
    let has_value = |var: &&Var| matches!(vars[**var].ty.elem(), Some(Elem::Prim(_)));
    for (var, [bits, _]) in wanted.iter().filter(has_value).zip(results) {
        if vars[*var].ty == Type::I64 {
            sizes.insert(*var, *bits as i64);
        }
    }
    let size = |atom: &Atom| match atom {
        Atom::Var(var) => sizes.get(var).copied(),
        Atom::Const(Scalar::I64(size)) => Some(*size),
        Atom::Const(_) => None,
    };
    let mut results = results.iter();
    let mut next = || results.next().copied().unwrap_or_default();
    let mut values = Vec::with_capacity(wanted.len());
    for var in wanted {
        values.push(match &vars[*var].ty {
            Type::Scalar(Elem::Prim(prim)) => Value::Scalar(Scalar::from_bits(*prim, next()[0])),
            Type::Array(elem, shape) => {
                let shape: Option<Vec<i64>> = shape.iter().map(size).collect();
                let value = shape.and_then(|shape| match elem {
                    Elem::Prim(prim) => array(*prim, &shape, handle(next()).data),
                    Elem::Unit => Value::array(&shape, Buffer::Unit),
                });
                let message = || internal("internal error: a result has no size".to_owned());
                value.ok_or_else(message)?
            }
            Type::Scalar(Elem::Unit) | Type::Acc(_) => Value::Scalar(Scalar::Unit),
        });
    }
    Ok(values)
}

/// The array of a shape whose elements are at an address.
pub(crate) fn array(prim: Prim, shape: &[i64], data: u64) -> Option<Value> {
    let count = shape
        .iter()
        .try_fold(1_usize, |count, size| count.checked_mul(usize::try_from(*size).ok()?))?;
    fn of<T: Plain>(data: u64, count: usize) -> Buffer
    where
        Buffer: From<Vec<T>>,
    {
        Buffer::from(raw::read::<T>(data, count))
    }
    let buffer = match prim {
        Prim::I8 => of::<i8>(data, count),
        Prim::I16 => of::<i16>(data, count),
        Prim::I32 => of::<i32>(data, count),
        Prim::I64 => of::<i64>(data, count),
        Prim::U8 => of::<u8>(data, count),
        Prim::U16 => of::<u16>(data, count),
        Prim::U32 => of::<u32>(data, count),
        Prim::U64 => of::<u64>(data, count),
        Prim::F16 => of::<half::f16>(data, count),
        Prim::F32 => of::<f32>(data, count),
        Prim::F64 => of::<f64>(data, count),
        Prim::Bool => Buffer::from(
            raw::read::<u8>(data, count).into_iter().map(|x| x != 0).collect::<Vec<_>>(),
        ),
    };
    Value::array(shape, buffer)
}
