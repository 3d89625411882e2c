//! From functions of imp to machine code: which are compiled, and how they are called.
//!
//! A function takes the context, an address for each of its results, and its parameters: scalars as they are, and for
//! each handle the address of its data and the number of its block. It returns whether it failed. For calls from
//! outside there is an *entry* before it, which takes arguments and results from memory.

use crate::context::{Constant, Machine};
use crate::fun;
use crate::library::{Function, instructions};
use crate::outline::{self, Task};
use crate::raw::Entry;
use cranelift_codegen::Context;
use cranelift_codegen::ir::{
    AbiParam, InstBuilder, MemFlagsData, Signature, StackSlotData, StackSlotKind, Type, types,
};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, default_libcall_names};
use fehu_base::Prim;
use fehu_base::bug::OrBug;
use fehu_base::id::Id;
use fehu_imp::{Fun, FunId, Program, Stm, Ty, visit};
use rustc_hash::{FxHashMap, FxHashSet};

/// The machine code of a program, as far as there is any.
pub(crate) struct Compiler {
    pub(crate) module: JITModule,
    /// The functions that are compiled.
    pub(crate) funs: FxHashMap<FunId, FuncId>,
    pub(crate) library: FxHashMap<Function, FuncId>,
    /// The functions that call themselves.
    pub(crate) recursive: FxHashSet<FunId>,
    /// The functions that several threads may call at the same time.
    pub(crate) tame: FxHashSet<FunId>,
    /// Loops that are to be functions, and how many are already.
    pub(crate) tasks: Vec<Task>,
    pub(crate) outlined: usize,
    entries: FxHashMap<FunId, Entry>,
}

/// What Cranelift says.
type Res<T> = Result<T, String>;

pub(crate) fn said(error: impl std::fmt::Display) -> String {
    format!("internal error: machine code cannot be made: {error}")
}

impl Compiler {
    /// A compiler for the processor that this runs on.
    pub(crate) fn new(program: &Program) -> Res<Compiler> {
        let mut flags = settings::builder();
        for (name, value) in [
            ("opt_level", "speed"),
            ("use_colocated_libcalls", "false"),
            ("is_pic", "false"),
            ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
        ] {
            flags.set(name, value).map_err(said)?;
        }
        let isa = cranelift_native::builder().map_err(said)?;
        let isa = isa.finish(settings::Flags::new(flags)).map_err(said)?;
        let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
        for function in Function::ALL {
            let (name, _, _, address) = function.signature();
            builder.symbol(name, address);
        }
        builder.symbols(instructions());
        let mut module = JITModule::new(builder);
        let mut library = FxHashMap::default();
        for function in Function::ALL {
            let (name, arity, result, _) = function.signature();
            let mut signature = module.make_signature();
            signature.params.extend(vec![AbiParam::new(types::I64); arity]);
            signature.returns.extend(result.map(AbiParam::new));
            let id = module.declare_function(name, Linkage::Import, &signature).map_err(said)?;
            library.insert(function, id);
        }
        let recursive = recursive(program);
        let tame = outline::tame(program, &recursive);
        let (funs, tasks, entries) = Default::default();
        Ok(Compiler { module, funs, library, recursive, tame, tasks, outlined: 0, entries })
    }

    /// The entry of a function of the core IR: those of imp have the same numbers.
    pub(crate) fn entry(
        &mut self,
        program: &Program,
        machine: &mut Machine,
        fun: fehu_ir::FunId,
    ) -> Res<Entry> {
        let fun = FunId::from_index(fun.index());
        if let Some(entry) = self.entries.get(&fun) {
            return Ok(*entry);
        }
        let mut wanted = vec![fun];
        machine.constants.resize_with(program.consts.len(), || None);
        let (funs, constants) = self.reached(program, machine, fun);
        for number in constants {
            let fun = program.consts[number].fun;
            let results = vec![[0; 2]; program.funs[fun].results.len()].into_boxed_slice();
            let none = Constant { entry: None, is_computed: false, results, memory: Vec::new() };
            machine.constants[number].get_or_insert(none);
            wanted.push(fun);
        }
        for id in &funs {
            let (fun, name) = (&program.funs[*id], format!("f{}", id.index()));
            let signature = self.signature(fun);
            let declared = self.module.declare_function(&name, Linkage::Local, &signature);
            self.funs.insert(*id, declared.map_err(said)?);
        }
        let mut context = self.module.make_context();
        let mut frontend = FunctionBuilderContext::new();
        for id in funs {
            context.func.signature = self.signature(&program.funs[id]);
            let builder = FunctionBuilder::new(&mut context.func, &mut frontend);
            fun::function(self, program, machine, id, builder);
            let declared = self.funs[&id];
            self.module.define_function(declared, &mut context).map_err(said)?;
            self.module.clear_context(&mut context);
            self.make_tasks(program, machine, &mut context, &mut frontend)?;
        }
        let mut made = Vec::new();
        wanted.retain(|fun| !self.entries.contains_key(fun));
        for fun in wanted {
            made.push((fun, self.make_entry(program, fun, &mut context, &mut frontend)?));
        }
        self.module.finalize_definitions().map_err(said)?;
        for (fun, id) in made {
            self.entries.insert(fun, Entry::new(self.module.get_finalized_function(id)));
        }
        for (constant, of) in machine.constants.iter_mut().zip(&program.consts) {
            if let Some(constant) = constant {
                constant.entry = self.entries.get(&of.fun).copied();
            }
        }
        Ok(*self.entries.get(&fun).or_bug("entry that was just made"))
    }

    /// The functions that a function calls at any depth, it among them, and the constants that they read; without those that are
    /// compiled or known.
    fn reached(
        &self,
        program: &Program,
        machine: &Machine,
        fun: FunId,
    ) -> (Vec<FunId>, Vec<usize>) {
        let is_known =
            |number: usize| machine.constants[number].as_ref().is_some_and(|it| it.is_computed);
        let (mut funs, mut constants) = (Vec::new(), Vec::new());
        let mut seen = FxHashSet::default();
        let mut waiting = vec![fun];
        while let Some(fun) = waiting.pop() {
            if self.funs.contains_key(&fun) || !seen.insert(fun) {
                continue;
            }
            funs.push(fun);
            visit::each_stm(&program.funs[fun].body, &mut |stm| {
                if let Stm::Call(callee, ..) = stm {
                    waiting.push(*callee);
                }
                if let Stm::Const(number, _) = stm
                    && !is_known(*number)
                {
                    waiting.push(program.consts[*number].fun);
                    if !constants.contains(number) {
                        constants.push(*number);
                    }
                }
            });
        }
        (funs, constants)
    }

    fn signature(&self, fun: &Fun) -> Signature {
        let mut signature = self.module.make_signature();
        let word = AbiParam::new(types::I64);
        signature.params.push(word);
        signature.params.extend(fun.results.iter().map(|_| word));
        for param in &fun.params {
            match fun.vars[*param].ty {
                Ty::Scalar(prim) => signature.params.push(AbiParam::new(clif(prim))),
                Ty::Mem => signature.params.extend([word, word]),
                Ty::Ptr(..) | Ty::Local(..) | Ty::Shared(..) => signature.params.push(word),
            }
        }
        signature.returns.push(AbiParam::new(types::I32));
        signature
    }

    /// The function that is called from outside: its arguments and results have 16 bytes each.
    fn make_entry(
        &mut self,
        program: &Program,
        id: FunId,
        context: &mut Context,
        frontend: &mut FunctionBuilderContext,
    ) -> Res<FuncId> {
        let fun = &program.funs[id];
        let mut signature = self.module.make_signature();
        signature.params.extend(vec![AbiParam::new(types::I64); 3]);
        signature.returns.push(AbiParam::new(types::I32));
        let name = format!("e{}", id.index());
        let made = self.module.declare_function(&name, Linkage::Local, &signature);
        let made = made.map_err(said)?;
        context.func.signature = signature;
        let mut builder = FunctionBuilder::new(&mut context.func, frontend);
        let block = builder.create_block();
        builder.append_block_params_for_function_params(block);
        builder.switch_to_block(block);
        builder.seal_block(block);
        let &[outer, args, results] = builder.block_params(block) else {
            return Err(said("an entry has three parameters"));
        };
        let mut passed = vec![outer];
        for at in 0..fun.results.len() {
            passed.push(builder.ins().iadd_imm_s(results, 16 * at as i64));
        }
        for (at, param) in fun.params.iter().enumerate() {
            let at = 16 * at as i32;
            let mut load = |ty, at| builder.ins().load(ty, MemFlagsData::trusted(), args, at);
            match fun.vars[*param].ty {
                Ty::Scalar(prim) => passed.push(load(clif(prim), at)),
                Ty::Mem => passed.extend([load(types::I64, at), load(types::I64, at + 8)]),
                Ty::Ptr(..) | Ty::Local(..) | Ty::Shared(..) => passed.push(load(types::I64, at)),
            }
        }
        let callee = self.module.declare_func_in_func(self.funs[&id], builder.func);
        let call = builder.ins().call(callee, &passed);
        let code = builder.inst_results(call).to_vec();
        builder.ins().return_(&code);
        builder.finalize(self.module.target_config());
        self.module.define_function(made, context).map_err(said)?;
        self.module.clear_context(context);
        Ok(made)
    }
}

/// The type that numbers of a type have in registers. Those of f16 are their bits.
pub(crate) fn clif(prim: Prim) -> Type {
    match prim {
        Prim::I8 | Prim::U8 | Prim::Bool => types::I8,
        Prim::I16 | Prim::U16 | Prim::F16 => types::I16,
        Prim::I32 | Prim::U32 => types::I32,
        Prim::I64 | Prim::U64 => types::I64,
        Prim::F32 => types::F32,
        Prim::F64 => types::F64,
    }
}

/// A place on the stack for so many bytes, aligned for everything.
pub(crate) fn place(bytes: u32) -> StackSlotData {
    StackSlotData::new(StackSlotKind::ExplicitSlot, bytes, 4)
}

/// The functions that call themselves, directly or by way of others.
fn recursive(program: &Program) -> FxHashSet<FunId> {
    let mut calls: FxHashMap<FunId, Vec<FunId>> = FxHashMap::default();
    let mut any = false;
    for (caller, fun) in program.funs.iter() {
        visit::each_stm(&fun.body, &mut |stm| {
            if let Stm::Call(callee, ..) = stm {
                // A function comes after those that it calls, unless they are recursive.
                any |= callee.index() >= caller.index();
                calls.entry(caller).or_default().push(*callee);
            }
        });
    }
    let mut found = FxHashSet::default();
    if !any {
        return found;
    }
    for (fun, _) in program.funs.iter() {
        let (mut seen, mut waiting) = (FxHashSet::default(), vec![fun]);
        while let Some(caller) = waiting.pop() {
            for callee in calls.get(&caller).into_iter().flatten() {
                if *callee == fun {
                    found.insert(fun);
                }
                if seen.insert(*callee) {
                    waiting.push(*callee);
                }
            }
        }
    }
    found
}
