//! Statements.

use crate::compile::clif;
use crate::context::{Message, Part};
use crate::exp::flags;
use crate::fun::{Frame, bytes};
use crate::library::Function;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use fehu_base::Prim;
use fehu_base::bug::bug;
use fehu_imp::{Arg, Exp, From, FunId, RedOp, Stm, Ty, V};
use fehu_ir::Scalar;
use std::sync::Arc;

impl Frame<'_, '_> {
    pub(crate) fn block(&mut self, block: &[Stm]) {
        for stm in block {
            self.stm(stm);
        }
    }

    fn stm(&mut self, stm: &Stm) {
        match stm {
            Stm::Comment(_) | Stm::Begin(_) | Stm::End => {}
            // Handles are empty at the start of the function, and arrays have a place; in a loop both are what they were.
            Stm::Declare(_, None) => {}
            Stm::Declare(v, Some(e)) | Stm::Assign(v, e) => {
                let value = self.exp(e);
                self.set(*v, value);
            }
            Stm::Store(p, index, e) => {
                let address = self.element(*p, index);
                let value = self.exp(e);
                self.builder.ins().store(flags(), value, address, 0);
            }
            Stm::Alloc(v, prim, count) => {
                let (handle, count) = (self.handle(*v), self.exp(count));
                let size = self.int(i64::from(bytes(*prim)));
                self.try_library(Function::Alloc, &[self.context, handle, count, size]);
            }
            Stm::Share(to, from) => {
                let from = self.slot(*from);
                let [data, block] = self.words(from);
                self.share(*to, data, block);
            }
            Stm::Export { to, block, ptr, index } => {
                let data = self.element(*ptr, index);
                let block = self.block_of(*block);
                self.share(*to, data, block);
            }
            Stm::Free(v) => {
                let handle = self.handle(*v);
                self.call_library(Function::Free, &[self.context, handle]);
            }
            Stm::Point(p, from, index) => {
                let start = match from {
                    From::Mem(m) => {
                        let slot = self.slot(*m);
                        self.words(slot)[0]
                    }
                    From::Ptr(q) => self.start(*q),
                    From::Shared => bug("a CPU has no shared memory"),
                };
                let address = self.offset(start, bytes(self.elem(*p)), index);
                self.set(*p, address);
            }
            Stm::Copy { to, from, count } => {
                let (target, source) = (self.element(to.0, &to.1), self.element(from.0, &from.1));
                let count = self.exp(count);
                let size = self.int(i64::from(bytes(self.elem(to.0))));
                let bytes = self.builder.ins().imul(count, size);
                self.call_library(Function::Copy, &[target, source, bytes]);
            }
            Stm::If(condition, yes, no) => self.branch(condition, yes, no),
            Stm::Switch(e, cases, default) => self.switch(e, cases, default),
            Stm::For { var, from, to, step, kind, body } => {
                self.for_loop(*var, (from, to, *step), kind, body);
            }
            Stm::While(condition, body) => self.while_loop(condition, body),
            Stm::Call(fun, results, args) => self.call(*fun, results, args),
            Stm::Const(number, results) => self.read_constant(*number, results),
            Stm::Assert(condition, message) => self.assert(condition, message),
            Stm::Trace(tag, e, prim) => {
                let value = self.exp(e);
                let (tag, bits) = (self.tag(tag, *prim), self.bits(value));
                self.call_library(Function::Trace, &[self.context, tag, bits]);
            }
            Stm::TraceArray(tag, p, shape) => {
                for size in shape {
                    let size = self.exp(size);
                    self.call_library(Function::Push, &[self.context, size]);
                }
                let (tag, data) = (self.tag(tag, self.elem(*p)), self.start(*p));
                self.call_library(Function::TraceArray, &[self.context, tag, data]);
            }
            // With a single thread nothing needs to be atomic.
            Stm::Atomic(op, p, index, e) => self.update(*op, *p, index, e),
            Stm::Locked(_, body) => self.block(body),
            Stm::Tasks(tasks) => {
                let (total, zero) = (self.exp(&tasks.total), self.int(0));
                for (v, value) in [(tasks.chunk, zero), (tasks.low, zero), (tasks.high, total)] {
                    self.set(v, value);
                }
                self.block(&tasks.body);
            }
            Stm::Prefixes(op, array, sum) => self.prefixes(*op, *array, *sum),
            Stm::Threads(v) | Stm::Chunks(v, ..) => {
                let one = self.int(1);
                self.set(*v, one);
            }
            Stm::Tuning(v, _, standard) => {
                let standard = self.exp(standard);
                self.set(*v, standard);
            }
            Stm::Foreign(call) => {
                bug(format_args!("\"{}\" is a function of another language", call.symbol))
            }
            Stm::Blocks(_)
            | Stm::Launch(_)
            | Stm::Fetch(..)
            | Stm::Ask(..)
            | Stm::Receive(_)
            | Stm::Poll(..)
            | Stm::Count(..)
            | Stm::Arrive { .. }
            | Stm::Leave
            | Stm::Exchange { .. }
            | Stm::Guarded(..)
            | Stm::Barrier
            | Stm::WarpBarrier
            | Stm::Warp(_)
            | Stm::Shuffle { .. }
            | Stm::Section(_) => bug("a program for a CPU has a statement of a device"),
        }
    }

    /// Sets a scalar or pointer.
    pub(crate) fn set(&mut self, v: V, value: Value) {
        let var = self.var(v);
        self.builder.def_var(var, value);
    }

    /// The address of a handle.
    fn handle(&mut self, v: V) -> Value {
        let slot = self.slot(v);
        self.builder.ins().stack_addr(types::I64, slot, 0)
    }

    /// The number of the block of a handle; zero if there is none.
    fn block_of(&mut self, handle: Option<V>) -> Value {
        match handle {
            Some(handle) => {
                let slot = self.slot(handle);
                self.words(slot)[1]
            }
            None => self.int(0),
        }
    }

    fn share(&mut self, to: V, data: Value, block: Value) {
        let to = self.handle(to);
        self.call_library(Function::Share, &[self.context, to, data, block]);
    }

    fn branch(&mut self, condition: &Exp, yes: &[Stm], no: &[Stm]) {
        let condition = self.exp(condition);
        let [if_yes, if_no, next] = [(); 3].map(|()| self.builder.create_block());
        self.builder.ins().brif(condition, if_yes, &[], if_no, &[]);
        for (block, stms) in [(if_yes, yes), (if_no, no)] {
            self.builder.switch_to_block(block);
            self.builder.seal_block(block);
            self.block(stms);
            self.builder.ins().jump(next, &[]);
        }
        self.builder.switch_to_block(next);
        self.builder.seal_block(next);
    }

    fn switch(&mut self, e: &Exp, cases: &[(Scalar, Vec<Stm>)], default: &[Stm]) {
        let value = self.exp(e);
        let end = self.builder.create_block();
        for (case, stms) in cases {
            let case = self.constant(*case);
            let is_it = self.builder.ins().icmp(IntCC::Equal, value, case);
            let (own, next) = (self.builder.create_block(), self.builder.create_block());
            self.builder.ins().brif(is_it, own, &[], next, &[]);
            self.builder.switch_to_block(own);
            self.builder.seal_block(own);
            self.block(stms);
            self.builder.ins().jump(end, &[]);
            self.builder.switch_to_block(next);
            self.builder.seal_block(next);
        }
        self.block(default);
        self.builder.ins().jump(end, &[]);
        self.builder.switch_to_block(end);
        self.builder.seal_block(end);
    }

    fn call(&mut self, fun: FunId, results: &[V], args: &[Arg]) {
        let mut passed = vec![self.context];
        for (number, result) in results.iter().enumerate() {
            let slot = match self.fun.vars[*result].ty {
                Ty::Mem => self.slot(*result),
                Ty::Scalar(_) | Ty::Ptr(..) | Ty::Local(..) | Ty::Shared(..) => self.passed(number),
            };
            passed.push(self.builder.ins().stack_addr(types::I64, slot, 0));
        }
        for arg in args {
            match arg {
                Arg::Scalar(e) => passed.push(self.exp(e)),
                Arg::Mem { block, ptr, index } => {
                    passed.push(self.element(*ptr, index));
                    passed.push(self.block_of(*block));
                }
            }
        }
        self.try_function(fun, &passed);
        for (number, result) in results.iter().enumerate() {
            if let Ty::Scalar(prim) = self.fun.vars[*result].ty {
                let slot = self.passed(number);
                let value = self.builder.ins().stack_load(types::I64, clif(prim), slot, 0);
                self.set(*result, value);
            }
        }
    }

    /// Constants live as long as the program, so that their blocks are lent: nothing is counted.
    fn read_constant(&mut self, number: usize, results: &[(usize, V)]) {
        let wanted = self.int(number as i64);
        self.try_library(Function::Constant, &[self.context, wanted]);
        let Some(constant) = &self.machine.constants[number] else {
            bug("a constant that is read is not known");
        };
        let addresses: Vec<u64> =
            constant.results.iter().map(|result| result.as_ptr() as u64).collect();
        for (result, v) in results {
            let address = self.int(addresses[*result] as i64);
            match self.fun.vars[*v].ty {
                Ty::Scalar(prim) => {
                    let value = self.builder.ins().load(clif(prim), flags(), address, 0);
                    self.set(*v, value);
                }
                Ty::Mem => {
                    let data = self.builder.ins().load(types::I64, flags(), address, 0);
                    let none = self.int(0);
                    self.share(*v, data, none);
                }
                Ty::Ptr(..) | Ty::Local(..) | Ty::Shared(..) => {
                    bug("a constant is neither a scalar nor a handle")
                }
            }
        }
    }

    fn assert(&mut self, condition: &Exp, message: &fehu_imp::Message) {
        let holds = self.exp(condition);
        let fails = self.builder.ins().icmp_imm_s(IntCC::Equal, holds, 0);
        self.leave_if(fails, |frame| {
            let mut parts = Vec::new();
            for part in &message.parts {
                parts.push(match part {
                    fehu_imp::Part::Text(text) => Part::Text(text.clone()),
                    fehu_imp::Part::Value(e, prim) => {
                        let value = frame.exp(e);
                        let bits = frame.bits(value);
                        frame.call_library(Function::Push, &[frame.context, bits]);
                        Part::Value(*prim)
                    }
                });
            }
            let number = frame.int(frame.machine.texts.messages.len() as i64);
            Arc::make_mut(&mut frame.machine.texts)
                .messages
                .push(Message { parts, trace: message.trace.clone() });
            frame.call_library(Function::Fail, &[frame.context, number]);
        });
    }

    /// The number of a tag.
    fn tag(&mut self, tag: &ecow::EcoString, prim: Prim) -> Value {
        let number = self.machine.texts.tags.len();
        Arc::make_mut(&mut self.machine.texts).tags.push((tag.clone(), prim));
        self.int(number as i64)
    }

    /// `p[index] = p[index] op e`
    fn update(&mut self, op: RedOp, p: V, index: &Exp, e: &Exp) {
        let prim = self.elem(p);
        let address = self.element(p, index);
        let value = self.exp(e);
        let old = self.builder.ins().load(clif(prim), flags(), address, 0);
        let new = self.binary(op.bin_op(), prim, old, value);
        self.builder.ins().store(flags(), new, address, 0);
    }
}
