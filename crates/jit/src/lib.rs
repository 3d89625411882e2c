//! Runs imp code at once: machine code by Cranelift, in this process, without a C compiler.
//!
//! ```text
//! imp ── `compile` ──▶ CLIF ── Cranelift ──▶ machine code ── `raw::call` ──▶ values
//! ```
//!
//! A [`Jit`] has a program; a function is compiled when it is first called, with all that it calls. The code does what the C of
//! the crate `backend` does for one thread: the files here have the constructs in the same order.
//!
//! * `compile`: which functions are compiled, their signatures, and how they are called from outside;
//! * `fun`: the code around the statements of a function: handles and the way out;
//! * `outline`: loops that several threads may execute, as functions of their own; `threads`: executes them;
//! * `stm`, `loops`: statements; `exp`, `op`, `math`, `convert`: expressions; `lanes`, `vector`: loops by vectors;
//! * `library`: the functions that the code calls: memory, failures, traces, and operations that are more than some
//!   instructions, which are those of the interpreter, so that results are the same to the bit;
//! * `memory`: blocks and reference counts, as in `backend/runtime/memory.h`;
//! * `context`: what a call has besides: what it fails with, who may stop it, where its stack ends, constants;
//! * `outside`: values to scalars and handles, and back;
//! * `raw`: the only unsafe code of the compiler.
//!
//! Code is that for one thread, and so are its results: only loops whose iterations have nothing to do with each other
//! are shared by several. Tasks of imp, which divide sums, are executed in place, one after the other.

#![warn(clippy::expect_used, clippy::unwrap_used, clippy::wildcard_enum_match_arm)]

mod compile;
mod context;
mod convert;
mod exp;
mod fun;
mod lanes;
mod library;
mod loops;
mod math;
mod memory;
mod op;
mod outline;
mod outside;
mod raw;
mod stm;
mod threads;
mod vector;

use compile::Compiler;
use context::Machine;
use fehu_base::id::Id;
use fehu_imp::Program;
use fehu_interp::{Error, ErrorKind, Value};
use fehu_ir::{self as ir, ConstId, FunId, Prog};
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
pub use threads::Threads;

/// A program that is compiled when it is called.
pub struct Jit {
    prog: Box<Prog>,
    program: Box<Program>,
    threads: Threads,
    state: Mutex<State>,
}

/// What calls leave behind for later ones: machine code, blocks for reuse, constants.
#[derive(Default)]
struct State {
    compiler: Option<Compiler>,
    machine: Machine,
}

/// What a call has to do with the world.
#[derive(Default)]
pub struct Call<'a> {
    /// Set from outside to end it.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// Receives what the program traces.
    pub sink: Option<&'a mut Sink>,
    /// The most bytes that its blocks may have together, if there is a limit.
    pub most_bytes: Option<u64>,
}

/// Receives what is traced: the tag and the value.
pub type Sink = dyn FnMut(&str, &Value) + Send;

impl Jit {
    /// A program in the core IR, and as imp code for one thread.
    pub fn new(prog: Box<Prog>, program: Box<Program>, threads: Threads) -> Jit {
        Jit { prog, program, threads, state: Mutex::default() }
    }

    /// Calls a function.
    pub fn call(&self, fun: FunId, args: &[Value], call: Call<'_>) -> Result<Vec<Value>, Error> {
        // After a panic the state is what it was before the call, or blocks that nobody will use.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { compiler, machine } = &mut *state;
        machine.workers.threads = Some(self.threads);
        let compiler = match compiler {
            Some(compiler) => compiler,
            None => compiler.insert(Compiler::new(&self.program).map_err(internal)?),
        };
        let entry = compiler.entry(&self.program, machine, fun).map_err(internal)?;
        outside::call(&self.prog, fun, entry, machine, args, call)
    }

    /// Gives a constant its values, which an earlier program has computed, so that it is not computed again; if it has been
    /// computed, they are the same. They have the types that the constant's results have.
    pub fn set_constant(&self, id: ConstId, values: &[Value]) -> Result<(), Error> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let given = outside::given(&self.prog.consts[id], values)?;
        let constants = &mut state.machine.constants;
        constants.resize_with(self.program.consts.len(), || None);
        match &mut constants[id.index()] {
            // Code may have the addresses of its results: they stay where they are.
            Some(known) if known.is_computed => {}
            Some(known) => {
                known.results.copy_from_slice(&given.results);
                known.memory = given.memory;
                known.is_computed = true;
            }
            none => *none = Some(given),
        }
        Ok(())
    }

    /// The values of a constant, if it has been computed.
    pub fn constant(&self, id: ConstId) -> Option<Result<Vec<Value>, Error>> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let constant = state.machine.constants.get(id.index())?.as_ref();
        let constant = constant.filter(|constant| constant.is_computed)?;
        let ir::Const { vars, results, .. } = &self.prog.consts[id];
        Some(outside::values(vars, results, &mut FxHashMap::default(), &constant.results))
    }
}

impl fmt::Debug for Jit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Jit").field("program", &self.program).finish_non_exhaustive()
    }
}

impl fmt::Display for Jit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.program.fmt(f)
    }
}

fn internal(message: String) -> Error {
    Error { kind: ErrorKind::Internal, message, trace: Vec::new() }
}
