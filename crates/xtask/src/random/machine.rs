//! A random program behind a server: compiled by the pipeline of a back end, and called with the interpreter's values.

use super::sample::{param_sizes, result_sizes};
use fehu_driver::cache::Cache;
use fehu_driver::code::{self, Code, Settings};
use fehu_driver::compile::{CCompiler, Floats, runtime_object};
use fehu_driver::pipelines::{self, Pipeline};
use fehu_driver::run::convert::{from_interp, to_interp};
use fehu_driver::stages::Target;
use fehu_driver::temporary::Folder;
use fehu_harness::executor::compiled::Compiled;
use fehu_harness::executor::{Executor, Failure};
use fehu_harness::server::Launch;
use fehu_interp::Value;
use fehu_ir::pass::Pass;
use fehu_ir::{Atom, Entry, Fun, Prog, Scalar, Stage};
use fehu_irtest::oracle::{MARK, Outcome, mark};
use fehu_irtest::passes::transform;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// How long a call may take. Kernels are compiled when they are launched first, on a busy machine perhaps.
const CALL: Duration = Duration::from_secs(120);
/// How long the start of a server may take.
const LONG: Duration = Duration::from_secs(300);

/// A compiled program.
pub(crate) struct Machine {
    server: Compiled,
}

/// How a server is made and started.
pub(crate) struct Start<'a> {
    /// Where the runtime is kept after it has been compiled; without it the program has a runtime of its own.
    pub(crate) runtimes: Option<&'a Cache>,
    /// A program that gets it as its first argument.
    pub(crate) runner: Option<String>,
    /// Its options.
    pub(crate) options: Vec<String>,
}

/// Why there is none.
#[derive(Debug)]
pub(crate) enum NoMachine {
    /// The compiler says that the program is too much for it.
    Refused(String),
    /// Something that should not happen.
    Broken(String),
}

/// Compiles a program for a back end, and starts it.
pub(crate) fn build(
    prog: &Prog,
    (target, floats): (Target, Floats),
    compiler: &CCompiler,
    start: Start<'_>,
) -> Result<Machine, NoMachine> {
    let mut prog = prog.clone();
    // A check that fails is told from what the device says.
    mark(&mut prog);
    let passes = passes(&prog, &pipelines::of_target(target));
    let prog =
        transform(&prog, passes).map_err(|failure| NoMachine::Broken(failure.to_string()))?;
    build_optimised(prog, (target, floats), compiler, start)
}

/// The passes of a pipeline that a program needs: none, if it says already who executes what.
pub(crate) fn passes(prog: &Prog, pipeline: &Pipeline) -> &'static [Pass] {
    match prog.stage {
        Stage::Arrays => pipeline.passes,
        Stage::Segs => &[],
    }
}

/// The same for a program after the passes for the back end. Its checks have to be marked.
pub(crate) fn build_optimised(
    prog: Prog,
    (target, floats): (Target, Floats),
    compiler: &CCompiler,
    start: Start<'_>,
) -> Result<Machine, NoMachine> {
    let settings = Settings { floats, ..Settings::of(target) };
    let work = || code::apply(prog, pipelines::of_target(target).stages, &settings);
    let made = catch_unwind(AssertUnwindSafe(work))
        .map_err(|_| NoMachine::Broken("the back end panicked".to_owned()))?
        .map_err(|limit| NoMachine::Refused(format!("\"{}\" is too complicated", limit.0)))?;
    let Code::C(made) = made else {
        return Err(NoMachine::Broken("the last stage does not make C".to_owned()));
    };
    let broken =
        |what: &str, why: &dyn std::fmt::Display| NoMachine::Broken(format!("{what}: {why}"));
    let folder = Folder::new().map_err(|why| broken("there is no folder", &why))?;
    let (source, program) = (folder.path().join("program.c"), folder.path().join("program"));
    std::fs::write(&source, made.c).map_err(|why| broken("the program cannot be written", &why))?;
    let Start { runtimes, runner, mut options } = start;
    let compiled = match (runtimes, &made.runtime) {
        (Some(cache), Some(text)) => runtime_object(cache, compiler, text)
            .and_then(|runtime| compiler.compile_with(&source, &runtime, &program)),
        _ => compiler.compile(&source, &program),
    };
    compiled.map_err(|error| {
        NoMachine::Broken(format!("{}: {}", error.message, error.notes.join("\n")))
    })?;
    if target.is_gpu() {
        options.push(format!("--cache-file={}", folder.path().join("kernels").display()));
    }
    let launch = Launch { program, runner, options };
    let server = Compiled::new(launch, Some(folder));
    let mut server = server.map_err(|why| broken("there is no folder", &why))?;
    server.begin(LONG);
    server.command(&["entry_points"]).map_err(|why| broken("the server does not start", &why))?;
    Ok(Machine { server })
}

impl Machine {
    /// The thresholds that decide between versions of an entry point.
    pub(crate) fn thresholds(&mut self, entry: &str) -> Result<Vec<String>, String> {
        self.server.begin(LONG);
        let lines =
            self.server.command(&["tuning_params", entry]).map_err(|why| why.to_string())?;
        let thresholds = lines.iter().filter_map(|line| {
            let (name, class) = line.split_once(' ')?;
            class.starts_with("threshold").then(|| name.to_owned())
        });
        Ok(thresholds.collect())
    }

    /// Sets one to a value; zero is its default.
    pub(crate) fn set(&mut self, threshold: &str, value: u64) -> Result<(), String> {
        self.server.begin(LONG);
        let words = ["set_tuning_param", threshold, &value.to_string()];
        self.server.command(&words).map(drop).map_err(|why| why.to_string())
    }

    /// Calls an entry point.
    pub(crate) fn call(&mut self, prog: &Prog, entry: &str, args: &[Value]) -> Outcome {
        let found = prog.entries.iter().find(|other| other.name == entry);
        let Some(found) = found else {
            return Outcome::Wrong(format!("there is no entry point \"{entry}\""));
        };
        self.server.begin(CALL);
        match self.results(found, &prog.funs[found.fun], args) {
            Ok(values) => Outcome::Values(values),
            Err(Failure::Program(text)) if text.contains(MARK) => Outcome::Check(text),
            Err(other) => Outcome::Wrong(other.to_string()),
        }
    }

    /// Ends the server, which has to end well.
    pub(crate) fn close(mut self) -> Result<(), String> {
        self.server.close().map_err(|why| why.to_string())
    }

    fn results(&mut self, entry: &Entry, fun: &Fun, args: &[Value]) -> Result<Vec<Value>, Failure> {
        let broken = |why: fehu_driver::run::RunError| Failure::Broken(why.to_string());
        let values = args[param_sizes(fun).min(args.len())..].iter();
        let values = values.map(|value| from_interp(value.clone())).collect::<Result<Vec<_>, _>>();
        let object = self.server.run(&entry.name, &values.map_err(broken)?)?;
        let values = self.server.values(&object)?;
        let values = values.into_iter().map(to_interp).collect::<Result<Vec<_>, _>>();
        let values = values.map_err(broken)?;
        // The interpreter gives the sizes of results, too.
        let sizes = result_sizes(fun);
        let mut all: Vec<Value> = Vec::new();
        for size in &fun.results[..sizes] {
            let found = fun.results[sizes..].iter().zip(&values).find_map(|(var, value)| {
                let dims = fun.vars[*var].ty.shape();
                let dim = dims.iter().position(|dim| *dim == Atom::Var(*size))?;
                match value {
                    Value::Array(array) => array.shape().get(dim).copied(),
                    Value::Scalar(_) | Value::Acc(_) | Value::Gone => None,
                }
            });
            let found = found.ok_or_else(|| Failure::Broken("a size is missing".to_owned()))?;
            all.push(Value::Scalar(Scalar::I64(found)));
        }
        all.extend(values);
        Ok(all)
    }
}
