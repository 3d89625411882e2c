//! A random program as machine code in this process: results are the same to the bit.

use super::machine::{NoMachine, passes};
use super::{Compared, Fault};
use fehu_driver::code::{self, Code, Settings};
use fehu_driver::pipelines::JIT;
use fehu_driver::stages::Target;
use fehu_interp::{ErrorKind, Value};
use fehu_ir::{Entry, Prog};
use fehu_irtest::oracle::{Oracle, Outcome};
use fehu_irtest::passes::transform;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A program that becomes machine code when it is called.
pub(crate) struct AtOnce {
    code: Code,
    entries: Vec<Entry>,
}

impl AtOnce {
    /// A program after the passes.
    pub(crate) fn new(prog: Prog) -> Result<AtOnce, NoMachine> {
        let settings = Settings { strict_float: true, few: true, ..Settings::of(Target::C) };
        let entries = prog.entries.clone();
        let work = || code::apply(prog, JIT.stages, &settings);
        let made = catch_unwind(AssertUnwindSafe(work))
            .map_err(|_| NoMachine::Broken("the compiler panicked".to_owned()))?;
        let refused = |limit: code::Limit| format!("\"{}\" is too complicated", limit.0);
        let code = made.map_err(|limit| NoMachine::Refused(refused(limit)))?;
        Ok(AtOnce { code, entries })
    }

    /// Calls an entry point.
    pub(crate) fn call(&self, name: &str, args: &[Value]) -> Outcome {
        let Some(entry) = self.entries.iter().find(|entry| entry.name == name) else {
            return Outcome::Wrong(format!("the entry point \"{name}\" is gone"));
        };
        match self.code.call(entry.fun, args, Default::default()) {
            Ok(values) => Outcome::Values(values),
            Err(error) => match error.kind {
                ErrorKind::Program => Outcome::Check(error.message),
                ErrorKind::Resource => Outcome::Limit,
                ErrorKind::Interrupt | ErrorKind::Internal => Outcome::Wrong(error.message),
            },
        }
    }
}

/// Compares all entry points of a program with the interpreter.
pub(super) fn examine(prog: &Prog, oracle: &Oracle) -> Result<Compared, Fault> {
    let after = transform(prog, passes(prog, &JIT));
    let after = after.map_err(|failure| NoMachine::Broken(failure.to_string()))?;
    let machine = AtOnce::new(after)?;
    let expected = oracle.entries(prog).map_err(Fault::Differs)?;
    let call = &mut |name: &str, args: &[Value]| machine.call(name, args);
    let runs = expected.agree_with(None, call).map_err(Fault::Differs)?;
    Ok(Compared { runs, versions: false })
}
