//! Which loops several threads may execute, and the tasks that they become.
//!
//! A loop becomes a task if its iterations have nothing to do with each other, and its body does nothing that a thread
//! cannot do beside others: it reads no constants, which are computed when they are first read, traces nothing, and
//! calls no functions that do, or that call themselves. What it needs from outside is copied to a place on the stack,
//! the *environment*: numbers and addresses. The task is a function of its own, which takes the context, the address of
//! the environment, and the bounds of a range of iterations. Code calls `threads::run` with it, also when one thread
//! executes all.

use crate::compile::{Compiler, clif, place};
use crate::context::Machine;
use crate::exp::flags;
use crate::fun::{Frame, Where, bytes};
use crate::library::Function;
use cranelift_codegen::ir::AbiParam;
use cranelift_codegen::ir::{InstBuilder, Signature, types};
use cranelift_frontend::FunctionBuilder;
use cranelift_module::{FuncId, Linkage, Module};
use fehu_base::bug::{OrBug, bug};
use fehu_base::{IdVec, Prim};
use fehu_imp::{Block, Exp, FunId, Kind, Program, Stm, Ty, V, visit};
use fehu_ir::Scalar;
use rustc_hash::FxHashSet;

/// A loop that becomes a function.
pub(crate) struct Task {
    pub(crate) id: FuncId,
    /// The function that it is in.
    pub(crate) fun: FunId,
    var: V,
    step: i64,
    kind: Kind,
    body: Block,
    /// The variables from outside, in the order of the environment.
    captured: Vec<V>,
}

/// A loop whose number of iterations is not known is taken for one with so many.
const SOME_ITERATIONS: i64 = 16;

/// About how many cycles a call takes.
const CALL: i64 = 50;

/// The functions that tasks may call: those that neither call themselves nor have anything to do with what there is once only.
pub(crate) fn tame(program: &Program, recursive: &FxHashSet<FunId>) -> FxHashSet<FunId> {
    let mut tame = FxHashSet::default();
    for (id, fun) in program.funs.iter() {
        // A function comes after those that it calls, unless they are recursive.
        if !recursive.contains(&id) && is_tame(&fun.body, &tame) {
            tame.insert(id);
        }
    }
    tame
}

fn is_tame(block: &[Stm], callees: &FxHashSet<FunId>) -> bool {
    let mut tame = true;
    visit::each_stm(block, &mut |stm| {
        tame &= match stm {
            Stm::Call(callee, ..) => callees.contains(callee),
            Stm::Const(..)
            | Stm::Trace(..)
            | Stm::TraceArray(..)
            | Stm::Atomic(..)
            | Stm::Locked(..)
            | Stm::Tasks(_)
            | Stm::Foreign(_) => false,
            Stm::Comment(_)
            | Stm::Begin(_)
            | Stm::End
            | Stm::Declare(..)
            | Stm::Assign(..)
            | Stm::Store(..)
            | Stm::Alloc(..)
            | Stm::Share(..)
            | Stm::Export { .. }
            | Stm::Free(_)
            | Stm::Point(..)
            | Stm::Copy { .. }
            | Stm::If(..)
            | Stm::Switch(..)
            | Stm::For { .. }
            | Stm::While(..)
            | Stm::Assert(..)
            | Stm::Prefixes(..)
            | Stm::Threads(_)
            | Stm::Chunks(..)
            | Stm::Tuning(..) => true,
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
            | Stm::Section(_) => false,
        };
    });
    tame
}

/// About how many cycles a block takes.
fn cycles(block: &[Stm]) -> i64 {
    let each = |stm: &Stm| {
        let mut own = 0;
        stm.each_exp(&mut |e| own += e.cycles() as i64);
        let mut inside = 0;
        stm.each_block(&mut |inner| inside += cycles(inner));
        let times = if let Stm::For { from, to, step, .. } = stm {
            count(from, to).unwrap_or(SOME_ITERATIONS) / step
        } else if matches!(stm, Stm::While(..)) {
            SOME_ITERATIONS
        } else {
            1
        };
        let calls = i64::from(matches!(stm, Stm::Call(..) | Stm::Alloc(..) | Stm::Free(_)));
        (inside + 1).saturating_mul(times.max(1)).saturating_add(own + calls * CALL)
    };
    block.iter().map(each).fold(0, i64::saturating_add)
}

/// How many iterations there are from one number to another, if that is known.
pub(crate) fn count(from: &Exp, to: &Exp) -> Option<i64> {
    match (from, to) {
        (Exp::Const(Scalar::I64(from)), Exp::Const(Scalar::I64(to))) => {
            Some(to.saturating_sub(*from))
        }
        _ => None,
    }
}

fn signature(compiler: &Compiler) -> Signature {
    let mut signature = compiler.module.make_signature();
    signature.params.extend([AbiParam::new(types::I64); 4]);
    signature.returns.push(AbiParam::new(types::I32));
    signature
}

impl Frame<'_, '_> {
    /// What a loop needs from outside, if it can be a task.
    fn captured(&self, var: V, kind: &Kind, body: &[Stm]) -> Option<Vec<V>> {
        let possible = !self.in_task
            && kind.is_map()
            && self.fun.vars[var].ty == Ty::Scalar(Prim::I64)
            && is_tame(body, &self.compiler.tame);
        if !possible {
            return None;
        }
        let set = visit::set_vars(body);
        let mut captured = visit::free_vars(body);
        captured.retain(|v| *v != var);
        // Variables from outside are the same for all; only memory is written.
        (!captured.iter().any(|v| set.contains(v))).then_some(captured)
    }

    /// Makes a loop a task and calls it; says whether it is one.
    pub(crate) fn shared_loop(
        &mut self,
        var: V,
        (from, to, step): (&Exp, &Exp, i64),
        kind: &Kind,
        body: &[Stm],
    ) -> bool {
        let Some(captured) = self.captured(var, kind, body) else { return false };
        let slot = self.builder.create_sized_stack_slot(place(8 * captured.len().max(1) as u32));
        for (at, v) in captured.iter().enumerate() {
            let at = 8 * at as i32;
            let value = match self.fun.vars[*v].ty {
                Ty::Scalar(_) | Ty::Ptr(..) | Ty::Local(..) => self.start(*v),
                Ty::Mem => {
                    let handle = self.slot(*v);
                    self.words(handle)[0]
                }
                Ty::Shared(..) => bug("a CPU has no shared memory"),
            };
            self.builder.ins().stack_store(types::I64, value, slot, at);
        }
        let number = self.compiler.tasks.len() + self.compiler.outlined;
        let (name, signature) = (format!("t{number}"), signature(self.compiler));
        let module = &mut self.compiler.module;
        let id = module.declare_function(&name, Linkage::Local, &signature);
        let id = id.ok().or_bug("function for a loop");
        let function = module.declare_func_in_func(id, self.builder.func);
        let function = self.builder.ins().func_addr(types::I64, function);
        let (from, to) = (self.exp(from), self.exp(to));
        let env = self.builder.ins().stack_addr(types::I64, slot, 0);
        let (step_, cycles) = (self.int(step), self.int(cycles(body)));
        let args = [self.context, function, env, from, to, step_, cycles];
        self.try_library(Function::Parallel, &args);
        let (kind, body) = (kind.clone(), body.to_vec());
        let fun = self.id;
        self.compiler.tasks.push(Task { id, fun, var, step, kind, body, captured });
        true
    }
}

/// Makes the code of a task.
pub(crate) fn task(
    compiler: &mut Compiler,
    program: &Program,
    machine: &mut Machine,
    task: &Task,
    mut builder: FunctionBuilder<'_>,
) {
    let fun = &program.funs[task.fun];
    let first = builder.create_block();
    builder.append_block_params_for_function_params(first);
    builder.switch_to_block(first);
    builder.seal_block(first);
    let &[context, env, low, high] = builder.block_params(first) else {
        bug("a task has four parameters");
    };
    let mut inside: FxHashSet<V> = task.captured.iter().copied().collect();
    inside.extend(visit::set_vars(&task.body));
    let mut vars: IdVec<V, Where> = IdVec::new();
    for (v, info) in fun.vars.iter() {
        vars.push(match info.ty {
            Ty::Scalar(prim) => Where::Register(builder.declare_var(clif(prim))),
            Ty::Mem if inside.contains(&v) => {
                Where::Stack(builder.create_sized_stack_slot(place(16)))
            }
            Ty::Local(prim, count) if inside.contains(&v) && !task.captured.contains(&v) => {
                Where::Stack(builder.create_sized_stack_slot(place(bytes(prim) * count)))
            }
            // Arrays from outside are where they are; what is not in the loop is nowhere.
            Ty::Ptr(..) | Ty::Mem | Ty::Local(..) | Ty::Shared(..) => {
                Where::Register(builder.declare_var(types::I64))
            }
        });
    }
    let mut frame = Frame::new(compiler, machine, (task.fun, fun), builder, context, vars);
    frame.in_task = true;
    for (at, v) in task.captured.iter().enumerate() {
        let ty = match fun.vars[*v].ty {
            Ty::Scalar(prim) => clif(prim),
            Ty::Ptr(..) | Ty::Local(..) | Ty::Mem | Ty::Shared(..) => types::I64,
        };
        let value = frame.builder.ins().load(ty, flags(), env, 8 * at as i32);
        match fun.vars[*v].ty {
            // Lent: tasks count no references of what is not theirs.
            Ty::Mem => {
                let (slot, none) = (frame.slot(*v), frame.int(0));
                frame.set_words(slot, [value, none]);
            }
            Ty::Scalar(_) | Ty::Ptr(..) | Ty::Local(..) | Ty::Shared(..) => frame.set(*v, value),
        }
    }
    frame.empty_handles(&task.body);
    frame.set(task.var, low);
    frame.iterations(task.var, high, (task.step, None), &task.kind, &task.body);
    frame.pass_results(&[]);
    frame.finish();
}

impl Compiler {
    /// Makes the code of the loops that functions have left to be functions of their own.
    pub(crate) fn make_tasks(
        &mut self,
        program: &Program,
        machine: &mut Machine,
        context: &mut cranelift_codegen::Context,
        frontend: &mut cranelift_frontend::FunctionBuilderContext,
    ) -> Result<(), String> {
        while let Some(this) = self.tasks.pop() {
            self.outlined += 1;
            context.func.signature = signature(self);
            let builder = FunctionBuilder::new(&mut context.func, frontend);
            task(self, program, machine, &this, builder);
            self.module.define_function(this.id, context).map_err(crate::compile::said)?;
            self.module.clear_context(context);
        }
        Ok(())
    }
}
