//! A random program as machine code in this process: results are the same to the bit.

use super::machine::{NoMachine, passes};
use super::{Compared, Fault};
use fehu_driver::code::{self, Code, Form, Settings, Stage};
use fehu_driver::compile::Floats;
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
    /// A program after the passes, which adds up floats as it is written.
    pub(crate) fn new(prog: Prog) -> Result<AtOnce, NoMachine> {
        AtOnce::staged(prog, JIT.stages, Floats::Strict)
    }

    /// Likewise, but in the order that imp chooses.
    pub(super) fn plain(prog: Prog) -> Result<AtOnce, NoMachine> {
        AtOnce::staged(prog, JIT.stages, Floats::Rounded)
    }

    /// Likewise, as imp, for the machine that runs it.
    fn imp(prog: Prog) -> Result<AtOnce, NoMachine> {
        let last = JIT.stages.iter().position(|stage| stage.gives() == Form::Machine);
        AtOnce::staged(prog, &JIT.stages[..last.unwrap_or(JIT.stages.len())], Floats::Rounded)
    }

    fn staged(prog: Prog, stages: &[Stage], floats: Floats) -> Result<AtOnce, NoMachine> {
        let settings = Settings { floats, few: true, ..Settings::of(Target::C) };
        let entries = prog.entries.clone();
        let work = || code::apply(prog, stages, &settings);
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

/// A program after the passes that it needs.
pub(super) fn optimised(prog: &Prog) -> Result<Prog, NoMachine> {
    transform(prog, passes(prog, &JIT)).map_err(|failure| NoMachine::Broken(failure.to_string()))
}

/// Compares all entry points of a program with the interpreter; those of plain machine code with imp.
pub(super) fn examine(prog: &Prog, oracle: &Oracle, plain: bool) -> Result<Compared, Fault> {
    let after = optimised(prog)?;
    let mut expected = oracle.entries(prog).map_err(Fault::Differs)?;
    let machine = match plain {
        false => AtOnce::new(after)?,
        true => {
            let imp = AtOnce::imp(after.clone())?;
            let made = expected.made_by(&mut |name, args| imp.call(name, args));
            expected = made.map_err(Fault::Differs)?;
            AtOnce::plain(after)?
        }
    };
    let call = &mut |name: &str, args: &[Value]| machine.call(name, args);
    let runs = expected.agree_with(None, call).map_err(Fault::Differs)?;
    Ok(Compared { runs, versions: false })
}
