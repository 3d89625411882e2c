//! The ways in which a program is executed and compared with the interpreter.

use crate::random::jit::AtOnce;
use crate::random::machine::{NoMachine, Start, build_optimised};
use fehu_driver::cache::Cache;
use fehu_driver::code::{self, Code, Form, Settings, Stage};
use fehu_driver::compile::{CCompiler, Floats};
use fehu_driver::pipelines::{CPU, GPU, JIT};
use fehu_driver::stages::Target;
use fehu_ir::Prog;
use fehu_irtest::oracle::{Entries, Oracle, Outcome, Runs, mark};
use fehu_irtest::passes::{Failure, transform};
use fehu_oracle::heap::{Fault as MachineFault, Limits};
use fehu_oracle::machine;
use std::cell::OnceCell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// By how much floats may differ, relative to the larger one, where functions such as `sin` are not ours.
const TOLERANCE: f64 = 1e-3;

/// What executes programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// The interpreter, after the passes for processors.
    Cpu,
    /// The interpreter, after the passes for GPUs.
    Gpu,
    /// The machine for imperative code, for one thread or several.
    Imp { parallel: bool },
    /// Machine code in this process.
    Jit,
    /// A server.
    Server(Target),
}

/// What is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Fault {
    /// What stays the same when the program is made smaller.
    pub(super) kind: String,
    pub(super) text: String,
}

/// How servers are made.
pub(super) struct Servers {
    /// Flags of the C compiler.
    pub(super) flags: &'static [&'static str],
    /// Options of servers for several cores.
    pub(super) threads: Option<u64>,
    /// Where runtimes are kept that have been compiled.
    pub(super) runtimes: Cache,
}

/// A program and what the interpreter makes of its entry points. What ways have in common is made once.
pub(super) struct Subject {
    prog: Prog,
    expected: Result<Entries, Fault>,
    cpu: OnceCell<Result<Prog, Fault>>,
    gpu: OnceCell<Result<Prog, Fault>>,
}

impl Fault {
    pub(super) fn new(kind: impl Into<String>, text: impl Into<String>) -> Fault {
        Fault { kind: kind.into(), text: text.into() }
    }
}

impl Way {
    pub(super) fn name(self) -> &'static str {
        match self {
            Way::Cpu => "interpreted after the passes for processors",
            Way::Gpu => "interpreted after the passes for GPUs",
            Way::Imp { parallel: false } => "imperative code",
            Way::Imp { parallel: true } => "imperative code with tasks",
            Way::Jit => "machine code",
            Way::Server(target) => target.name(),
        }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Subject {
    /// The arguments are made from the names of the entry points only, so that a program fails alone as it does among others.
    pub(super) fn new(mut prog: Prog) -> Subject {
        // A check that fails is told from whatever else may be wrong.
        mark(&mut prog);
        let oracle = Oracle { total: true, max_size: 8, max_steps: 500_000, ..Oracle::default() };
        let expected =
            guarded(|| oracle.entries(&prog).map_err(|text| Fault::new("differs", text)));
        Subject { prog, expected, cpu: OnceCell::new(), gpu: OnceCell::new() }
    }

    /// Compares all entry points. Without `servers` there is nothing to compare with those.
    pub(super) fn examine(&self, way: Way, servers: Option<&Servers>) -> Result<Runs, Fault> {
        let expected = self.expected.as_ref().map_err(Fault::clone)?;
        guarded(|| match way {
            Way::Cpu => expected.agree(self.cpu()?).map_err(differs),
            Way::Gpu => expected.agree(self.gpu()?).map_err(differs),
            Way::Imp { parallel } => self.imperative(expected, parallel),
            Way::Jit => self.at_once(expected),
            Way::Server(target) => match servers {
                Some(servers) => self.server(expected, target, servers),
                None => Ok(Runs::default()),
            },
        })
    }

    /// The program after the passes for processors.
    fn cpu(&self) -> Result<&Prog, Fault> {
        let made = self.cpu.get_or_init(|| transform(&self.prog, CPU.passes).map_err(pass_fault));
        made.as_ref().map_err(Fault::clone)
    }

    /// The program after the passes for GPUs.
    fn gpu(&self) -> Result<&Prog, Fault> {
        let made = self.gpu.get_or_init(|| transform(&self.prog, GPU.passes).map_err(pass_fault));
        made.as_ref().map_err(Fault::clone)
    }

    fn imperative(&self, expected: &Entries, parallel: bool) -> Result<Runs, Fault> {
        let target = if parallel { Target::Multicore } else { Target::C };
        let settings = Settings { floats: Floats::Strict, ..Settings::of(target) };
        let stages: Vec<Stage> =
            CPU.stages.iter().filter(|stage| stage.gives() != Form::C).copied().collect();
        // What is too complex for a table has none.
        let made = code::apply(self.cpu()?.clone(), &stages, &settings);
        let Ok(Code::Imp(optimised, program, _)) = made else { return Ok(Runs::default()) };
        let agree = expected.agree_with(Some(TOLERANCE), &mut |name, args| {
            let Some(entry) = optimised.entries.iter().find(|entry| entry.name == name) else {
                return Outcome::Wrong(format!("the entry point \"{name}\" is gone"));
            };
            let limits = Limits { steps: 3_000_000, ..Limits::default() };
            match machine::call(&optimised, &program, entry.fun, args, limits, 0) {
                Ok(values) => Outcome::Values(values),
                Err(MachineFault::Check(message, _)) => Outcome::Check(message),
                Err(MachineFault::Undefined(message) | MachineFault::Memory(message)) => {
                    Outcome::Wrong(message)
                }
                Err(MachineFault::Limit) => Outcome::Limit,
            }
        });
        agree.map_err(differs)
    }

    fn at_once(&self, expected: &Entries) -> Result<Runs, Fault> {
        let prog = transform(&self.prog, JIT.passes).map_err(pass_fault)?;
        match AtOnce::new(prog) {
            Ok(machine) => expected
                .agree_with(None, &mut |name, args| machine.call(name, args))
                .map_err(differs),
            Err(NoMachine::Refused(_)) => Ok(Runs::default()),
            Err(NoMachine::Broken(text)) => Err(Fault::new("no machine code", text)),
        }
    }

    fn server(&self, expected: &Entries, target: Target, servers: &Servers) -> Result<Runs, Fault> {
        let mut options = Vec::new();
        if target.has_tasks() {
            options.extend(servers.threads.map(|number| format!("--num-threads={number}")));
        }
        let start = Start { runtimes: Some(&servers.runtimes), runner: None, options };
        let compiler = CCompiler::find(Some(&servers.runtimes), target, Floats::Strict)
            .map_err(|error| Fault::new("no compiler", error.message))?
            .with_flags(servers.flags);
        let optimised = if target.is_gpu() { self.gpu()? } else { self.cpu()? }.clone();
        let machine = build_optimised(optimised, (target, Floats::Strict), &compiler, start);
        let mut machine = machine.map_err(|why| match why {
            NoMachine::Refused(text) => Fault::new("too complex", text),
            NoMachine::Broken(text) => Fault::new("no server", text),
        })?;
        let call = &mut |entry: &str, args: &[_]| machine.call(&self.prog, entry, args);
        let runs = expected.agree_with(Some(TOLERANCE), call).map_err(differs)?;
        machine.close().map_err(|text| Fault::new("end", text))?;
        Ok(runs)
    }
}

/// A panic is a fault, too.
fn guarded<T>(work: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or_default();
        Err(Fault::new("panic", text))
    })
}

fn differs(text: String) -> Fault {
    Fault::new("differs", text)
}

fn pass_fault(failure: Failure) -> Fault {
    let kind = match &failure {
        Failure::Panic { pass, .. } => format!("panic in {pass}"),
        Failure::Refused { pass, .. } => format!("refused after {pass}"),
        Failure::Differs(_) => "differs".to_owned(),
    };
    Fault::new(kind, failure.to_string())
}
