//! The interpreter as others see it.

use crate::array::Copies;
use crate::code::Program;
use crate::error::{Error, Res};
use crate::exec::Machine;
use crate::options::{Options, Sink};
use crate::value::Value;
use crate::{code, compile};
use ecow::EcoString;
use fehu_base::id::Id;
use fehu_ir::{FunId, Prog};

/// A program that can be run, and the constants computed so far.
pub struct Interp {
    program: Program,
    entries: Vec<(EcoString, FunId)>,
    consts: Vec<Option<Vec<Value>>>,
    options: Options,
    sink: Sink,
    stats: Stats,
}

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
        Interp { program, entries, consts, options, sink, stats: Stats::default() }
    }

    /// Sends to this function what the program traces.
    pub fn set_sink(&mut self, sink: Sink) {
        self.sink = sink;
    }

    /// The options of later calls.
    pub fn options_mut(&mut self) -> &mut Options {
        &mut self.options
    }

    /// The function of an entry point.
    pub fn entry(&self, name: &str) -> Option<FunId> {
        self.entries.iter().find(|(entry, _)| entry == name).map(|(_, fun)| *fun)
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
        let stack_bytes = self.options.stack_bytes.max(1 << 20);
        let program = &self.program;
        let options = &self.options;
        let consts = &mut self.consts;
        let sink = &mut self.sink;
        let stats = &mut self.stats;
        let work = move || -> Res<Vec<Value>> {
            let mut machine = Machine::new(program, options, consts, sink);
            let results = run(&mut machine, unit, args);
            *stats = machine.stats();
            results
        };
        let results = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new()
                .name("interpreter".to_owned())
                .stack_size(stack_bytes)
                .spawn_scoped(scope, work);
            match thread {
                Ok(thread) => thread.join().unwrap_or_else(|panic| {
                    std::panic::resume_unwind(panic);
                }),
                Err(error) => Err(Error::resource(format!("no memory for the stack: {error}"))),
            }
        });
        results.map_err(|error| *error)
    }
}

fn run<'p>(machine: &mut Machine<'p>, unit: &'p code::Unit, args: Vec<Value>) -> Res<Vec<Value>> {
    let mut results = Vec::with_capacity(unit.code.results.len());
    machine.call(unit, args.into_iter(), |_, result| results.push(result))?;
    Ok(results)
}
