//! `fehu c`, `fehu multicore`, `fehu cuda`, `fehu opencl`, and `fehu run` of compiled programs.

use crate::args::{Backend, CompileArgs, RunArgs};
#[cfg(not(unix))]
use crate::commands::SUCCESS;
use crate::commands::{FAILURE, exit};
use crate::dev::plan;
use crate::output;
use crate::progress;
use crate::run::wrong;
use fehu_base::{Diagnostic, SourceMap};
use fehu_driver::cache::Cache;
use fehu_driver::check::Warnings;
use fehu_driver::compile::{self, CCompiler, Request};
use fehu_driver::files::Disk;
use fehu_driver::load::Root;
use fehu_driver::pipelines;
use fehu_driver::stages::{self, Mode, Target};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What people read while the C compiler takes its time.
const WAITING: &str = "the C compiler is working";

/// `fehu c` and its siblings
pub(crate) fn compile(args: &CompileArgs, target: Target) -> u8 {
    if args.file == "-" {
        return wrong("the program must be a file, because the output is named after it");
    }
    let plan = match plan(&args.plan, pipelines::of_target(target).name) {
        Ok(plan) => plan,
        Err(error) => return wrong(&error),
    };
    let mode = match (args.server, args.library) {
        (true, _) => Mode::Server,
        (false, true) => Mode::Library,
        (false, false) => Mode::Executable,
    };
    let warnings = match (args.no_warnings, args.werror) {
        (true, _) => Warnings::Hide,
        (false, true) => Warnings::Deny,
        (false, false) => Warnings::Show,
    };
    let request = Request {
        target,
        mode,
        warnings,
        entry_points: args.entry_points.clone(),
        safe: args.safe,
        strict_float: args.strict_float,
        plan,
    };
    let name = match &args.output_name {
        Some(name) => PathBuf::from(name),
        None => match args.file.strip_suffix(".fut") {
            Some(name) if !name.is_empty() => PathBuf::from(name),
            _ => return wrong("the file name does not end in `.fut`; name the output with `-o`"),
        },
    };
    let root = Root::Path(args.file.clone());
    let (mut outcome, generated) = compile::generate(&Disk, &root, &request, stages::generate);
    output::diagnostics(&args.output, &outcome.sources, &outcome.diagnostics);
    let Some(generated) = generated else { return exit(outcome) };
    let cache = Cache::open().ok();
    let write = || compile::write(&generated, &request, &name, cache.as_ref());
    let write = || progress::during(WAITING, write);
    let written = outcome.timings.time("cc", write);
    if args.timings {
        output::stderr(&outcome.timings.to_string());
    }
    match written {
        Ok(()) => exit(outcome),
        Err(error) => {
            output::diagnostics(&args.output, &outcome.sources, &[*error]);
            FAILURE
        }
    }
}

/// `fehu run` without `-i`
pub(crate) fn run(args: &RunArgs) -> u8 {
    let target = target(args.backend);
    let plan = match plan(&args.plan, pipelines::of_target(target).name) {
        Ok(plan) => plan,
        Err(error) => return wrong(&error),
    };
    let request = Request {
        target,
        mode: Mode::Executable,
        warnings: if args.no_warnings { Warnings::Hide } else { Warnings::Show },
        entry_points: Vec::new(),
        safe: false,
        strict_float: false,
        plan,
    };
    let cache = match Cache::open() {
        Ok(cache) => cache,
        Err(error) => {
            return wrong(&format!("cannot find a folder for compiled programs: {error}"));
        }
    };
    let compiler = match CCompiler::find(Some(&cache), target, false) {
        Ok(compiler) => compiler,
        Err(error) => return told(args, &SourceMap::new(), *error),
    };
    let key = compile::program_key(&args.file, &request, &compiler);
    let known = key.as_ref().and_then(|key| cache.program(key));
    let program = match known {
        Some(program) => program,
        None => match build(args, &request, &cache, &compiler, key.as_deref()) {
            Ok(program) => program,
            Err(code) => return code,
        },
    };
    start(args, &program)
}

/// The back end that an option names.
pub(crate) fn target(backend: Backend) -> Target {
    match backend {
        Backend::C => Target::C,
        Backend::Multicore => Target::Multicore,
        Backend::Cuda => Target::Cuda,
        Backend::Opencl => Target::OpenCl,
    }
}

/// Compiles a program that the cache does not know.
fn build(
    args: &RunArgs,
    request: &Request,
    cache: &Cache,
    compiler: &CCompiler,
    key: Option<&str>,
) -> Result<PathBuf, u8> {
    let root = Root::Path(args.file.clone());
    let (outcome, generated) = compile::generate(&Disk, &root, request, stages::generate);
    output::diagnostics(&args.output, &outcome.sources, &outcome.diagnostics);
    let Some(generated) = generated else { return Err(exit(outcome)) };
    let make = || compile::object(cache, compiler, &generated.artifacts, None);
    let made = progress::during(WAITING, make);
    let program = made.map_err(|error| told(args, &outcome.sources, *error))?;
    if let Some(key) = key
        && let Err(error) = compile::remember(cache, key, &program, &outcome)
    {
        output::stderr(&format!("fehu: cannot cache the compiled program: {error}\n"));
    }
    Ok(program)
}

/// Becomes the program, where the system can do that.
fn start(args: &RunArgs, program: &Path) -> u8 {
    let mut command = Command::new(program);
    command.args(["-e", &args.entry]);
    if args.binary {
        command.arg("-b");
    }
    command.args(&args.rest);
    let failed = |error: &std::io::Error| wrong(&format!("cannot start the program: {error}"));
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        command.arg0(args.file.trim_end_matches(".fut"));
        failed(&command.exec())
    }
    #[cfg(not(unix))]
    match command.status() {
        Ok(status) if status.success() => SUCCESS,
        Ok(_) => FAILURE,
        Err(error) => failed(&error),
    }
}

fn told(args: &RunArgs, sources: &SourceMap, error: Diagnostic) -> u8 {
    output::diagnostics(&args.output, sources, &[error]);
    FAILURE
}
