//! The ways in which a program is executed and compared with the interpreter.

use crate::random::machine::{NoMachine, Start, build};
use fehu_driver::code::{self, Code, Form, Settings, Stage};
use fehu_driver::compile::{CCompiler, target_name};
use fehu_driver::pipelines::{CPU, GPU};
use fehu_driver::stages::Target;
use fehu_ir::Prog;
use fehu_irtest::oracle::{Oracle, Outcome, Runs};
use fehu_irtest::passes::{Failure, transform};
use fehu_oracle::heap::{Fault as MachineFault, Limits};
use fehu_oracle::machine;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What executes programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// The interpreter, after the passes for processors.
    Cpu,
    /// The interpreter, after the passes for GPUs.
    Gpu,
    /// The machine for imperative code, for one thread or several.
    Imp { parallel: bool },
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
    pub(super) options: Vec<String>,
}

impl Fault {
    pub(super) fn new(kind: impl Into<String>, text: impl Into<String>) -> Fault {
        Fault { kind: kind.into(), text: text.into() }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Way::Cpu => f.write_str("interpreted after the passes for processors"),
            Way::Gpu => f.write_str("interpreted after the passes for GPUs"),
            Way::Imp { parallel: false } => f.write_str("imperative code"),
            Way::Imp { parallel: true } => f.write_str("imperative code with tasks"),
            Way::Server(target) => f.write_str(target_name(*target)),
        }
    }
}

/// Compares all entry points of a program.
pub(super) fn examine(
    prog: &Prog,
    way: Way,
    seed: u64,
    servers: Option<&Servers>,
) -> Result<Runs, Fault> {
    let work = || match way {
        Way::Cpu | Way::Gpu => {
            let passes = if way == Way::Cpu { CPU.passes } else { GPU.passes };
            let after = transform(prog, passes).map_err(pass_fault)?;
            let oracle = oracle(seed, None);
            oracle.entries_agree(prog, &after).map_err(|text| Fault::new("differs", text))
        }
        Way::Imp { parallel } => imperative(prog, parallel, seed),
        Way::Server(target) => match servers {
            Some(servers) => server(prog, target, seed, servers),
            None => Ok(Runs::default()),
        },
    };
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or_default();
        Err(Fault::new("panic", text))
    })
}

fn oracle(seed: u64, tolerance: Option<f64>) -> Oracle {
    let max_size = if seed.is_multiple_of(8) { 12 } else { 6 };
    Oracle { seed, tolerance, total: true, max_size, max_steps: 500_000, ..Oracle::default() }
}

fn pass_fault(failure: Failure) -> Fault {
    let kind = match &failure {
        Failure::Panic { pass, .. } => format!("panic in {pass}"),
        Failure::Refused { pass, .. } => format!("refused after {pass}"),
        Failure::Differs(_) => "differs".to_owned(),
    };
    Fault::new(kind, failure.to_string())
}

fn imperative(prog: &Prog, parallel: bool, seed: u64) -> Result<Runs, Fault> {
    let optimised = transform(prog, CPU.passes).map_err(pass_fault)?;
    let target = if parallel { Target::Multicore } else { Target::C };
    let settings = Settings { strict_float: true, ..Settings::of(target) };
    let stages: Vec<Stage> =
        CPU.stages.iter().filter(|stage| stage.gives() != Form::C).copied().collect();
    // What is too complex for a table has none.
    let Ok(Code::Imp(optimised, program)) = code::apply(optimised, &stages, &settings) else {
        return Ok(Runs::default());
    };
    let oracle = oracle(seed, Some(1e-3));
    let agree = oracle.entries_agree_with(prog, &mut |name, args| {
        let Some(entry) = optimised.entries.iter().find(|entry| entry.name == name) else {
            return Outcome::Wrong(format!("the entry point \"{name}\" is gone"));
        };
        let limits = Limits { steps: 3_000_000, ..Limits::default() };
        match machine::call(&optimised, &program, entry.fun, args, limits, seed) {
            Ok(values) => Outcome::Values(values),
            Err(MachineFault::Check(message, _)) => Outcome::Check(message),
            Err(MachineFault::Undefined(message) | MachineFault::Memory(message)) => {
                Outcome::Wrong(message)
            }
            Err(MachineFault::Limit) => Outcome::Limit,
        }
    });
    agree.map_err(|text| Fault::new("differs", text))
}

fn server(prog: &Prog, target: Target, seed: u64, servers: &Servers) -> Result<Runs, Fault> {
    let mut options = servers.options.clone();
    if target == Target::OpenCl {
        // The optimiser of an implementation for processors takes minutes for kernels with barriers.
        options.push("--build-option=-cl-opt-disable".to_owned());
    }
    let start = Start { runner: None, options };
    let compiler = CCompiler::find(None, target, true)
        .map_err(|error| Fault::new("no compiler", error.message))?
        .with_flags(servers.flags);
    let mut machine = build(prog, target, &compiler, start).map_err(|why| match why {
        NoMachine::Refused(text) => Fault::new("too complex", text),
        NoMachine::Broken(text) => Fault::new("no server", text),
    })?;
    let oracle = oracle(seed, Some(1e-3));
    let call = &mut |entry: &str, args: &[_]| machine.call(prog, entry, args);
    let runs = oracle.entries_agree_with(prog, call).map_err(|text| Fault::new("differs", text))?;
    machine.close().map_err(|text| Fault::new("end", text))?;
    Ok(runs)
}
