//! A function: the code around its statements.
//!
//! Scalars and pointers are variables of Cranelift, handles and local arrays places on the stack. Handles are empty at
//! the start; all ways out lead to one block, which releases them. Results are variables of their own, which are passed
//! to the caller on success; so a handle may be both an argument and a result of a call.

use crate::compile::{Compiler, clif, place};
use crate::context::{FAILURE, Machine, STACK_END, SUCCESS};
use crate::library::Function;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    Block, BlockArg, FuncRef, InstBuilder, MemFlagsData, StackSlot, Type, Value, types,
};
use cranelift_frontend::{FunctionBuilder, Variable};
use cranelift_module::Module;
use fehu_base::bug::bug;
use fehu_base::{IdVec, Prim};
use fehu_imp::{Fun, FunId, Program, Stm, Ty, V};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Where a variable is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Where {
    /// In a register, if Cranelift has one for it.
    Register(Variable),
    /// On the stack: a handle, or an array.
    Stack(StackSlot),
}

/// A function in the making.
pub(crate) struct Frame<'a, 'b> {
    pub(crate) compiler: &'a mut Compiler,
    pub(crate) machine: &'a mut Machine,
    pub(crate) id: FunId,
    pub(crate) fun: &'a Fun,
    /// Whether this is a loop of the function, which other threads may execute.
    pub(crate) in_task: bool,
    pub(crate) builder: FunctionBuilder<'b>,
    /// The context.
    pub(crate) context: Value,
    vars: IdVec<V, Where>,
    /// The way out, with a code.
    out: Block,
    /// The handles that are released there.
    handles: Vec<StackSlot>,
    /// Places on the stack for the results of calls.
    passed: Vec<StackSlot>,
    library: FxHashMap<Function, FuncRef>,
    callees: FxHashMap<FunId, FuncRef>,
}

/// Makes the code of a function.
pub(crate) fn function(
    compiler: &mut Compiler,
    program: &Program,
    machine: &mut Machine,
    id: FunId,
    mut builder: FunctionBuilder<'_>,
) {
    let fun = &program.funs[id];
    let first = builder.create_block();
    builder.append_block_params_for_function_params(first);
    builder.switch_to_block(first);
    builder.seal_block(first);
    let mut params = builder.block_params(first).to_vec().into_iter();
    let mut param = move || match params.next() {
        Some(param) => param,
        None => bug("a function has fewer parameters than its signature says"),
    };
    let context = param();
    let mut vars: IdVec<V, Where> = IdVec::new();
    for (_, info) in fun.vars.iter() {
        vars.push(match info.ty {
            Ty::Scalar(prim) => Where::Register(builder.declare_var(clif(prim))),
            Ty::Ptr(..) => Where::Register(builder.declare_var(types::I64)),
            Ty::Mem => Where::Stack(builder.create_sized_stack_slot(place(16))),
            Ty::Local(prim, count) | Ty::Shared(prim, count) => {
                Where::Stack(builder.create_sized_stack_slot(place(bytes(prim) * count)))
            }
        });
    }
    let mut frame = Frame::new(compiler, machine, (id, fun), builder, context, vars);
    let outs: Vec<Value> = fun.results.iter().map(|_| param()).collect();
    for v in &fun.params {
        match frame.vars[*v] {
            Where::Register(var) => frame.builder.def_var(var, param()),
            Where::Stack(slot) => {
                let words = [param(), param()];
                frame.set_words(slot, words);
            }
        }
    }
    for v in &fun.results {
        match (frame.vars[*v], fun.vars[*v].ty) {
            (Where::Stack(slot), Ty::Mem) => frame.handles.push(slot),
            (Where::Register(var), Ty::Scalar(prim)) => {
                let zero = frame.zero(clif(prim));
                frame.builder.def_var(var, zero);
            }
            _ => bug("a result is neither a scalar nor a handle"),
        }
    }
    frame.empty_handles(&fun.body);
    if frame.compiler.recursive.contains(&id) {
        frame.look_at_stack();
    }
    frame.block(&fun.body);
    frame.pass_results(&outs);
    frame.finish();
}

/// The bytes of a number.
pub(crate) fn bytes(prim: Prim) -> u32 {
    prim.bits() / 8
}

impl<'a, 'b> Frame<'a, 'b> {
    /// A function without statements.
    pub(crate) fn new(
        compiler: &'a mut Compiler,
        machine: &'a mut Machine,
        (id, fun): (FunId, &'a Fun),
        mut builder: FunctionBuilder<'b>,
        context: Value,
        vars: IdVec<V, Where>,
    ) -> Frame<'a, 'b> {
        let out = builder.create_block();
        builder.append_block_param(out, types::I32);
        let (handles, passed) = Default::default();
        let (library, callees) = Default::default();
        Frame {
            compiler,
            machine,
            id,
            fun,
            in_task: false,
            builder,
            context,
            vars,
            out,
            handles,
            passed,
            library,
            callees,
        }
    }
}

impl Frame<'_, '_> {
    /// The handles of results and those that a block declares begin empty.
    pub(crate) fn empty_handles(&mut self, block: &[Stm]) {
        self.add_handles(block);
        let empty = self.int(0);
        for slot in self.handles.clone() {
            self.set_words(slot, [empty, empty]);
        }
    }

    /// The handles that a block declares belong to the function: in a loop they keep their blocks.
    fn add_handles(&mut self, block: &[Stm]) {
        for stm in block {
            if let Stm::Declare(v, _) = stm
                && self.fun.vars[*v].ty == Ty::Mem
            {
                let slot = self.slot(*v);
                self.handles.push(slot);
            }
            stm.each_block(&mut |inner| self.add_handles(inner));
        }
    }

    /// A function that calls itself looks whether there is room for another call.
    fn look_at_stack(&mut self) {
        let number = self.machine.texts.names.len() as i64;
        Arc::make_mut(&mut self.machine.texts).names.push(self.fun.name.clone());
        let flags = MemFlagsData::trusted();
        let end = self.builder.ins().load(types::I64, flags, self.context, STACK_END);
        let here = self.builder.ins().get_stack_pointer(types::I64);
        let low = self.builder.ins().icmp(IntCC::UnsignedLessThan, here, end);
        self.leave_if(low, |frame| {
            let number = frame.int(number);
            frame.call_library(Function::TooDeep, &[frame.context, number]);
        });
    }

    /// Leaves with success.
    pub(crate) fn pass_results(&mut self, outs: &[Value]) {
        for (v, out) in self.fun.results.iter().zip(outs) {
            match self.vars[*v] {
                Where::Stack(slot) => {
                    let [data, block] = self.words(slot);
                    self.call_library(Function::Give, &[self.context, *out, data, block]);
                    let empty = self.int(0);
                    self.set_words(slot, [empty, empty]);
                }
                Where::Register(var) => {
                    let value = self.builder.use_var(var);
                    self.builder.ins().store(MemFlagsData::trusted(), value, *out, 0);
                }
            }
        }
        let success = self.builder.ins().iconst(types::I32, i64::from(SUCCESS));
        self.builder.ins().jump(self.out, &[BlockArg::Value(success)]);
    }

    /// The way out.
    pub(crate) fn finish(mut self) {
        self.builder.switch_to_block(self.out);
        self.builder.seal_block(self.out);
        for slot in std::mem::take(&mut self.handles) {
            let address = self.builder.ins().stack_addr(types::I64, slot, 0);
            self.call_library(Function::Free, &[self.context, address]);
        }
        let code = self.builder.block_params(self.out).to_vec();
        self.builder.ins().return_(&code);
        self.builder.finalize(self.compiler.module.target_config());
    }

    /// If a condition holds, fails: `before` has told the context why.
    pub(crate) fn leave_if(&mut self, condition: Value, before: impl FnOnce(&mut Self)) {
        let (failed, next) = (self.builder.create_block(), self.builder.create_block());
        self.builder.set_cold_block(failed);
        self.builder.ins().brif(condition, failed, &[], next, &[]);
        self.builder.switch_to_block(failed);
        self.builder.seal_block(failed);
        before(self);
        let failure = self.builder.ins().iconst(types::I32, i64::from(FAILURE));
        self.builder.ins().jump(self.out, &[BlockArg::Value(failure)]);
        self.builder.switch_to_block(next);
        self.builder.seal_block(next);
    }

    /// A call of the library. Its result, or nothing of interest if it has none.
    pub(crate) fn call_library(&mut self, function: Function, args: &[Value]) -> Value {
        let callee = match self.library.get(&function) {
            Some(callee) => *callee,
            None => {
                let (module, id) = (&mut self.compiler.module, self.compiler.library[&function]);
                let callee = module.declare_func_in_func(id, self.builder.func);
                self.library.insert(function, callee);
                callee
            }
        };
        let call = self.builder.ins().call(callee, args);
        self.builder.inst_results(call).first().copied().unwrap_or(self.context)
    }

    /// Likewise, of a function that may fail.
    pub(crate) fn try_library(&mut self, function: Function, args: &[Value]) {
        let code = self.call_library(function, args);
        self.leave_if(code, |_| {});
    }

    /// A call of a function of the program, which may fail.
    pub(crate) fn try_function(&mut self, fun: FunId, args: &[Value]) {
        let callee = match self.callees.get(&fun) {
            Some(callee) => *callee,
            None => {
                let (module, id) = (&mut self.compiler.module, self.compiler.funs[&fun]);
                let callee = module.declare_func_in_func(id, self.builder.func);
                self.callees.insert(fun, callee);
                callee
            }
        };
        let call = self.builder.ins().call(callee, args);
        let code = self.builder.inst_results(call)[0];
        self.leave_if(code, |_| {});
    }

    /// The variable of a scalar or pointer.
    pub(crate) fn var(&self, v: V) -> Variable {
        match self.vars[v] {
            Where::Register(var) => var,
            Where::Stack(_) => bug("a handle or array stands where a scalar or pointer is meant"),
        }
    }

    /// The place of a handle or array.
    pub(crate) fn slot(&self, v: V) -> StackSlot {
        match self.vars[v] {
            Where::Stack(slot) => slot,
            Where::Register(_) => bug("a scalar or pointer stands where a handle is meant"),
        }
    }

    /// The address of the first element of a pointer or local array.
    pub(crate) fn start(&mut self, v: V) -> Value {
        match self.vars[v] {
            Where::Register(var) => self.builder.use_var(var),
            Where::Stack(slot) => self.builder.ins().stack_addr(types::I64, slot, 0),
        }
    }

    /// The place for a result of a call, by its number.
    pub(crate) fn passed(&mut self, number: usize) -> StackSlot {
        while self.passed.len() <= number {
            let slot = self.builder.create_sized_stack_slot(place(16));
            self.passed.push(slot);
        }
        self.passed[number]
    }

    /// The data and the block of a handle.
    pub(crate) fn words(&mut self, slot: StackSlot) -> [Value; 2] {
        [0, 8].map(|at| self.builder.ins().stack_load(types::I64, types::I64, slot, at))
    }

    pub(crate) fn set_words(&mut self, slot: StackSlot, [data, block]: [Value; 2]) {
        self.builder.ins().stack_store(types::I64, data, slot, 0);
        self.builder.ins().stack_store(types::I64, block, slot, 8);
    }

    /// A number of 64 bits.
    pub(crate) fn int(&mut self, value: i64) -> Value {
        self.builder.ins().iconst(types::I64, value)
    }

    /// Zero of a type.
    pub(crate) fn zero(&mut self, ty: Type) -> Value {
        if ty == types::F32 {
            self.builder.ins().f32const(0.0)
        } else if ty == types::F64 {
            self.builder.ins().f64const(0.0)
        } else {
            self.builder.ins().iconst(ty, 0)
        }
    }
}
