//! Runs imp code, to find out whether it does what the program means.
//!
//! Whatever a C compiler may do with the code, this machine does, or checks:
//!
//! * every load and store is inside its block, and the block still exists: reference counts are those of the program,
//!   and local arrays end with their block of statements;
//! * variables are not read before they are set, and uninitialised memory is filled with garbage;
//! * tasks get random ranges, which are executed in random order; iterations of independent loops are also executed in
//!   random order, unless they add floats; neither may write what another one reads or writes, or assign to variables
//!   that are declared outside;
//! * the source and target of a copy do not overlap;
//! * at the end, all blocks except those of the results have been released.
//!
//! If the code is for a device, all memory is the device's, and kernels are run thread by thread (`device`). Constants
//! are computed when they are first used. Files: `memory` has handles and pointers, `exp` expressions, `stm` statements.

mod device;
mod exp;
mod memory;
mod stm;

use crate::heap::store::Store;
use crate::heap::{Fault, Limits};
use device::Device;
pub use device::{Settings, Tally};
use fehu_base::IdVec;
use fehu_base::id::Id;
use fehu_base::stack::with_large_stack;
use fehu_imp::{Fun, FunId, Program, Ty, V};
use fehu_interp::{Buffer, Value};
use fehu_ir::{self as ir, Atom, Elem, Prog, Scalar, Type, Var};
use memory::{Handle, Slot};
use rustc_hash::FxHashMap;

/// Runs a function of a program in the core IR through its imp code. The seed determines orders and ranges.
pub fn call(
    prog: &Prog,
    code: &Program,
    fun: ir::FunId,
    args: &[Value],
    limits: Limits,
    seed: u64,
) -> Result<Vec<Value>, Fault> {
    with_large_stack(|| Machine::new(code, limits, seed).outside(prog, fun, args))
}

/// Likewise, if the code is for a device. Launches are counted.
pub fn call_device(
    prog: &Prog,
    code: &Program,
    fun: ir::FunId,
    args: &[Value],
    limits: Limits,
    settings: &Settings,
    tally: &mut Tally,
) -> Result<Vec<Value>, Fault> {
    with_large_stack(|| {
        let mut machine = Machine::new(code, limits, settings.seed);
        machine.device = Some(Box::new(Device::new(settings.clone(), limits)));
        let result = machine.outside(prog, fun, args);
        for (hint, count) in machine.device.iter().flat_map(|device| &device.tally) {
            *tally.entry(hint.clone()).or_default() += count;
        }
        result
    })
}

/// The state of a run.
struct Machine<'a> {
    code: &'a Program,
    store: Store,
    /// If there is one, all memory is its.
    device: Option<Box<Device>>,
    /// The number of handles of each block. Blocks that are not listed belong to nobody, and are not released.
    references: FxHashMap<usize, usize>,
    consts: Vec<Option<Vec<Slot>>>,
    /// The number of surrounding tasks and independent loops.
    levels: usize,
    depth: usize,
    limits: Limits,
    random: u64,
}

/// A function that is being run.
struct Frame<'a> {
    fun: &'a Fun,
    slots: IdVec<V, Slot>,
    /// The number of tasks and independent loops around the declaration of a variable.
    declared: IdVec<V, usize>,
    /// The local arrays.
    locals: Vec<usize>,
    /// The handles that are declared here or in a task, and must be released.
    owned: Vec<V>,
}

type Res<T> = Result<T, Fault>;

/// All elements of an array.
fn elements(buffer: &Buffer) -> Res<Vec<Scalar>> {
    let count = buffer.len().ok_or_else(|| wrong("an array has no number of elements"))?;
    (0..count).map(|at| buffer.get(at).ok_or_else(|| wrong("an array lacks an element"))).collect()
}

/// The code is wrong.
fn wrong(message: impl Into<String>) -> Fault {
    Fault::Memory(message.into())
}

impl<'a> Machine<'a> {
    fn new(code: &'a Program, limits: Limits, seed: u64) -> Machine<'a> {
        let mut store = Store::new(limits);
        // A scatter may write a value twice.
        store.lenient = true;
        Machine {
            code,
            store,
            device: None,
            references: FxHashMap::default(),
            consts: vec![None; code.consts.len()],
            levels: 0,
            depth: 0,
            limits,
            random: seed,
        }
    }

    /// A call from outside: values are converted to scalars and blocks, and back.
    fn outside(&mut self, prog: &Prog, id: ir::FunId, args: &[Value]) -> Res<Vec<Value>> {
        let ir = &prog.funs[id];
        let mut sizes: FxHashMap<Var, i64> = FxHashMap::default();
        let (mut passed, mut blocks) = (Vec::new(), Vec::new());
        for (param, arg) in ir.params.iter().zip(args) {
            match (&ir.vars[param.var].ty, arg) {
                (Type::Scalar(Elem::Prim(_)), Value::Scalar(scalar)) => {
                    if let Scalar::I64(size) = scalar {
                        sizes.insert(param.var, *size);
                    }
                    passed.push(Slot::Scalar(*scalar));
                }
                (Type::Array(Elem::Prim(_), _), Value::Array(array)) => {
                    let buffer = array.to_buffer();
                    let elements = elements(&buffer)?;
                    let block = match &mut self.device {
                        Some(device) => device.filled(&elements)?,
                        None => self.store.filled(elements)?,
                    };
                    self.references.insert(block, 1);
                    blocks.push(block);
                    passed.push(Slot::Handle(Handle::of(block)));
                }
                // What has no contents is not passed.
                (Type::Scalar(Elem::Unit) | Type::Array(Elem::Unit, _) | Type::Acc(_), _) => {}
                (Type::Scalar(Elem::Prim(_)) | Type::Array(Elem::Prim(_), _), _) => {
                    return Err(wrong("an argument is not of the type of its parameter"));
                }
            }
        }
        let results = self.function(FunId::from_index(id.index()), passed)?;
        if let Some(device) = &mut self.device {
            device.wait()?;
        }
        let values = self.values(ir, &mut sizes, &results)?;
        for slot in results.into_iter() {
            self.drop_slot(slot)?;
        }
        for block in blocks {
            self.release(block)?;
        }
        for slot in std::mem::take(&mut self.consts).into_iter().flatten().flatten() {
            self.drop_slot(slot)?;
        }
        let left = self.references.values().filter(|count| **count > 0).count();
        if left > 0 {
            return Err(wrong(format!("{left} blocks are never released")));
        }
        Ok(values)
    }

    fn values(
        &mut self,
        ir: &ir::Fun,
        sizes: &mut FxHashMap<Var, i64>,
        results: &[Slot],
    ) -> Res<Vec<Value>> {
        let has_value = |var: &&Var| matches!(ir.vars[**var].ty.elem(), Some(Elem::Prim(_)));
        for (var, slot) in ir.results.iter().filter(has_value).zip(results) {
            if let Slot::Scalar(Scalar::I64(size)) = slot {
                sizes.insert(*var, *size);
            }
        }
        let mut slots = results.iter();
        let mut values = Vec::with_capacity(ir.results.len());
        for var in &ir.results {
            values.push(match &ir.vars[*var].ty {
                Type::Scalar(Elem::Prim(_)) => match slots.next() {
                    Some(Slot::Scalar(scalar)) => Value::Scalar(*scalar),
                    other => return Err(wrong(format!("a result is {other:?}"))),
                },
                Type::Array(elem, shape) => {
                    let size = |atom: &Atom| match atom {
                        Atom::Var(var) => sizes.get(var).copied(),
                        Atom::Const(Scalar::I64(size)) => Some(*size),
                        Atom::Const(_) => None,
                    };
                    let shape: Option<Vec<i64>> = shape.iter().map(size).collect();
                    let shape = shape.ok_or_else(|| wrong("a result has an unknown size"))?;
                    let mut buffer = Buffer::empty(*elem);
                    if *elem != Elem::Unit {
                        let Some(Slot::Handle(handle)) = slots.next() else {
                            return Err(wrong("a result is no array"));
                        };
                        for at in 0..shape.iter().product::<i64>() {
                            let element = match (&mut self.device, *elem) {
                                (Some(device), Elem::Prim(prim)) => {
                                    device.read(handle.start, prim, at)?
                                }
                                _ => self.load(handle.start, at)?,
                            };
                            buffer
                                .push(element)
                                .ok_or_else(|| wrong("a result has another type"))?;
                        }
                    }
                    Value::array(&shape, buffer)
                        .ok_or_else(|| wrong("a result has a wrong size"))?
                }
                Type::Scalar(Elem::Unit) | Type::Acc(_) => Value::Scalar(Scalar::Unit),
            });
        }
        Ok(values)
    }

    /// Runs a function; its parameters are borrowed, its results belong to the caller.
    fn function(&mut self, id: FunId, args: Vec<Slot>) -> Res<Vec<Slot>> {
        self.depth += 1;
        if self.depth > self.limits.depth {
            return Err(Fault::Limit);
        }
        let fun = &self.code.funs[id];
        let count = fun.vars.len();
        let mut frame = Frame {
            fun,
            slots: IdVec::filled(Slot::Unset, count),
            declared: IdVec::filled(self.levels, count),
            locals: Vec::new(),
            owned: Vec::new(),
        };
        if fun.params.len() != args.len() {
            return Err(wrong("a function gets another number of arguments"));
        }
        for (param, arg) in fun.params.iter().zip(args) {
            frame.slots[*param] = arg;
        }
        for result in &fun.results {
            if fun.vars[*result].ty == Ty::Mem {
                frame.slots[*result] = Slot::Handle(Handle::EMPTY);
            }
        }
        self.block(&mut frame, &fun.body)?;
        for v in std::mem::take(&mut frame.owned) {
            let slot = std::mem::take(&mut frame.slots[v]);
            self.drop_slot(slot)?;
        }
        let results = fun.results.iter().map(|v| std::mem::take(&mut frame.slots[*v])).collect();
        self.depth -= 1;
        Ok(results)
    }

    /// A random number below a bound, which is positive.
    fn below(&mut self, bound: u64) -> u64 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.random >> 33) % bound.max(1)
    }
}
