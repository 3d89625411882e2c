//! The interpreter as others see it.

use crate::array::Copies;
use crate::code::Program;
use crate::error::{Error, Res};
use crate::exec::Machine;
use crate::options::{Options, Sink};
use crate::value::Value;
use crate::watch::Watch;
use crate::{code, compile};
use ecow::EcoString;
use fehu_base::id::Id;
use fehu_ir::{ConstId, FunId, Prog};

/// A program that can be run, and the constants computed so far.
pub struct Interp {
    program: Program,
    entries: Vec<(EcoString, FunId)>,
    consts: Vec<Option<Vec<Value>>>,
    options: Options,
    sink: Sink,
    watch: Option<Watch>,
    stats: Stats,
}

/// No stack is smaller.
const LEAST_STACK: usize = 1 << 20;

/// What the last call took.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Stats {
    /// The number of instructions executed.
    pub steps: u64,
    /// Copies made because an array was written to that others could still see.
    pub copies: Copies,
}

impl Interp {
    /// Prepares a program, with the default options; what it traces is not shown.
    pub fn new(prog: &Prog) -> Interp {
        Interp::with_options(prog, Options::default())
    }

    /// Prepares a program.
    pub fn with_options(prog: &Prog, options: Options) -> Interp {
        let program = compile::compile(prog);
        let consts = program.consts.iter().map(|_| None).collect();
        let entries = prog.entries.iter().map(|entry| (entry.name.clone(), entry.fun)).collect();
        let sink: Sink = Box::new(|_, _| {});
        Interp { program, entries, consts, options, sink, watch: None, stats: Stats::default() }
    }

    /// Sends to this function what the program traces.
    pub fn set_sink(&mut self, sink: Sink) {
        self.sink = sink;
    }

    /// Asks this function where the program stops. Without one, it does not stop.
    pub fn set_watch(&mut self, watch: Watch) {
        self.watch = Some(watch);
    }

    /// The options of later calls.
    pub fn options_mut(&mut self) -> &mut Options {
        &mut self.options
    }

    /// The function of an entry point.
    pub fn entry(&self, name: &str) -> Option<FunId> {
        self.entries.iter().find(|(entry, _)| entry == name).map(|(_, fun)| *fun)
    }

    /// The values of a constant, if it has been computed.
    pub fn constant(&self, id: ConstId) -> Option<&[Value]> {
        self.consts.get(id.index())?.as_deref()
    }

    /// Gives a constant its values, which an earlier program has computed, so that it is not computed
    /// again. They have the types that the constant's results have.
    pub fn set_constant(&mut self, id: ConstId, values: Vec<Value>) {
        let wanted = self.program.consts.get(id.index()).map(|unit| unit.code.results.len());
        if wanted == Some(values.len()) {
            self.consts[id.index()] = Some(values);
        }
    }

    /// What the last call took.
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// Runs a function. It runs on a thread of its own, with a large stack.
    pub fn call(&mut self, fun: FunId, args: Vec<Value>) -> Result<Vec<Value>, Error> {
        let Some(unit) = self.program.funs.get(fun.index()) else {
            return Err(*Error::internal(format!("there is no function {fun:?}")));
        };
        let mut args = Some(args);
        let mut stack_bytes = self.options.stack_bytes.max(LEAST_STACK);
        let results = loop {
            let work = || -> Res<Vec<Value>> {
                let (options, consts) = (&self.options, &mut self.consts);
                let (sink, watch) = (&mut self.sink, self.watch.as_mut());
                let mut machine =
                    Machine::new(&self.program, options, consts, sink, watch, stack_bytes);
                let results = run(&mut machine, unit, args.take().unwrap_or_default());
                self.stats = machine.stats();
                results
            };
            match on_stack(stack_bytes, work) {
                Some(results) => break results,
                // The system does not even reserve so much. Recursion cannot be as deep, then.
                None if stack_bytes >= 2 * LEAST_STACK => stack_bytes /= 2,
                None => break Err(Error::resource("there is not enough memory for the stack")),
            }
        };
        results.map_err(|error| *error)
    }
}

/// Runs `work` on a thread with a stack of this size, unless the thread cannot be started. In WebAssembly there are no threads.
fn on_stack<T: Send>(bytes: usize, work: impl FnOnce() -> T + Send) -> Option<T> {
    if cfg!(target_family = "wasm") {
        return Some(work());
    }
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().name("interpreter".to_owned()).stack_size(bytes);
        let thread = builder.spawn_scoped(scope, work).ok()?;
        match thread.join() {
            Ok(result) => Some(result),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

fn run<'p>(machine: &mut Machine<'p>, unit: &'p code::Unit, args: Vec<Value>) -> Res<Vec<Value>> {
    let mut results = Vec::with_capacity(unit.code.results.len());
    machine.call(unit, args.into_iter(), |_, result| results.push(result))?;
    Ok(results)
}
