//! A random program for a device, on the machine that runs kernels thread by thread: no driver, no C compiler.
//!
//! All versions of a program are run: for each threshold, once with a value for which its test succeeds and once with one
//! for which it fails, together with values that lead there.

#[cfg(test)]
mod tests;

use super::machine::{NoMachine, passes};
use fehu_driver::code::{self, Code, Form, Stage};
use fehu_driver::compile::Floats;
use fehu_driver::pipelines::GPU;
use fehu_driver::stages::Target;
use fehu_driver::without::Without;
use fehu_imp::Program;
use fehu_interp::Value;
use fehu_ir::Prog;
use fehu_irtest::oracle::{Oracle, Outcome, Runs};
use fehu_irtest::passes::transform;
use fehu_oracle::heap::{Fault, Limits};
use fehu_oracle::machine::{Settings, Tally, call_device};
use fehu_par::tree::{Threshold, Wants, thresholds};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// More than any number that is compared with a threshold.
const HUGE: i64 = 1 << 40;

/// Values of tuning parameters.
pub(crate) type Version = Vec<(ecow::EcoString, i64)>;

/// A program as the code of a host and its kernels.
pub(crate) struct Kernels {
    prog: Prog,
    code: Box<Program>,
    thresholds: Vec<Threshold>,
}

/// What became of a program.
#[derive(Default)]
pub(crate) struct Examined {
    pub(crate) runs: Runs,
    /// The number of versions.
    pub(crate) versions: usize,
    /// The kernels that were launched.
    pub(crate) tally: Tally,
}

/// Compiles a program for devices; `way` chooses between what is left open.
pub(crate) fn build(prog: &Prog, way: u64) -> Result<Kernels, NoMachine> {
    let after = transform(prog, passes(prog, &GPU));
    let prog = after.map_err(|failure| NoMachine::Broken(failure.to_string()))?;
    let without = Without {
        tiling: way.is_multiple_of(8),
        coalescing: way.is_multiple_of(3),
        inlining: way.is_multiple_of(2),
        ..Without::default()
    };
    // Small blocks, so that small arrays are work for several.
    let few = !way.is_multiple_of(5);
    // Arrays in any order, so that there are many that are not in row-major order.
    let orders = (!way.is_multiple_of(4)).then_some(way);
    // Blocks of CUDA have more threads.
    let target = if way % 7 < 4 { Target::OpenCl } else { Target::Cuda };
    let usual = code::Settings::of(target);
    let settings = code::Settings { floats: Floats::Strict, without, few, orders, ..usual };
    let stages: Vec<Stage> =
        GPU.stages.iter().filter(|stage| stage.gives() != Form::C).copied().collect();
    let work = || code::apply(prog.clone(), &stages, &settings);
    let made = catch_unwind(AssertUnwindSafe(work))
        .map_err(|_| NoMachine::Broken("the compiler panicked".to_owned()))?;
    let Ok(code) = made else {
        return Err(NoMachine::Refused("too complex for a table".to_owned()));
    };
    code.verify().map_err(NoMachine::Broken)?;
    let Code::Imp(_, code, _) = code else {
        return Err(NoMachine::Broken("there is no imperative code".to_owned()));
    };
    let thresholds = thresholds(&prog);
    Ok(Kernels { prog, code, thresholds })
}

impl Kernels {
    /// The imperative code, for readers.
    pub(crate) fn text(&self) -> String {
        self.code.to_string()
    }

    /// The versions: the standard one, and those that each outcome of each threshold's test leads to.
    pub(crate) fn versions(&self) -> Vec<Version> {
        let value = |threshold: &Threshold, holds: bool| match (threshold.wants, holds) {
            (Wants::AtLeast, true) | (Wants::AtMost, false) => -1,
            (Wants::AtLeast, false) | (Wants::AtMost, true) => HUGE,
        };
        let mut versions = vec![Version::new()];
        for last in &self.thresholds {
            for holds in [false, true] {
                // What is not on the way there goes the same way.
                let mut version: Version = Version::new();
                for other in &self.thresholds {
                    let known = last.path.iter().find(|(name, _)| *name == other.name);
                    let holds = known.map_or(holds, |(_, holds)| *holds);
                    version.push((other.name.clone(), value(other, holds)));
                }
                if !versions.contains(&version) {
                    versions.push(version);
                }
            }
        }
        versions
    }

    /// Calls an entry point.
    pub(crate) fn call(
        &self,
        entry: &str,
        args: &[Value],
        settings: &Settings,
        tally: &mut Tally,
    ) -> Outcome {
        let Some(found) = self.prog.entries.iter().find(|other| other.name == entry) else {
            return Outcome::Wrong(format!("the entry point \"{entry}\" is gone"));
        };
        let limits = Limits { steps: 30_000_000, ..Limits::default() };
        match call_device(&self.prog, &self.code, found.fun, args, limits, settings, tally) {
            Ok(values) => Outcome::Values(values),
            Err(Fault::Check(message, _)) => Outcome::Check(message),
            Err(Fault::Undefined(message) | Fault::Memory(message)) => Outcome::Wrong(message),
            Err(Fault::Limit) => Outcome::Limit,
        }
    }
}

/// Whether all versions of a program do what it means; the error says in which one what is wrong.
pub(crate) fn examine(prog: &Prog, oracle: &Oracle) -> Result<Examined, Failure> {
    let kernels = build(prog, oracle.seed).map_err(Failure::None)?;
    let expected = oracle.entries(prog).map_err(Failure::Differs)?;
    let mut all = Examined::default();
    for (number, version) in kernels.versions().into_iter().enumerate() {
        let seed = oracle.seed.wrapping_mul(31).wrapping_add(number as u64);
        let settings = Settings { tuning: version, ..Settings::of_seed(seed) };
        let call =
            &mut |entry: &str, args: &[Value]| kernels.call(entry, args, &settings, &mut all.tally);
        let runs = expected.agree_with(oracle.tolerance, call);
        let runs = runs.map_err(|why| Failure::Differs(format!("{settings:?}\n{why}")))?;
        all.runs.add(runs);
        all.versions += 1;
    }
    Ok(all)
}

/// What is wrong with a program.
pub(crate) enum Failure {
    /// There is no code.
    None(NoMachine),
    /// The code does something else, or something that it must not do.
    Differs(String),
}
