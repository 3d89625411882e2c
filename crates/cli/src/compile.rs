//! `fehu c`, `fehu multicore`, `fehu cuda`, `fehu opencl`, and `fehu run` of compiled programs.

use crate::args::foreign::PrototypesArgs;
use crate::args::{Backend, CompileCommand, OutputArgs, RunArgs};
use crate::commands::{FAILURE, SUCCESS, exit, root};
use crate::dev::plan;
use crate::output;
use crate::progress;
use crate::run::wrong;
use fehu_base::{Diagnostic, SourceMap};
use fehu_driver::cache::Cache;
use fehu_driver::check::{Exit, Warnings};
use fehu_driver::compile::{self, CCompiler, Executable, Request};
use fehu_driver::files::Disk;
use fehu_driver::foreign::{self, Calls};
use fehu_driver::load::Root;
use fehu_driver::pipelines;
use fehu_driver::stages::{Mode, Target};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What people read while the C compiler takes its time.
const WAITING: &str = "the C compiler is working";

/// `fehu c` and its siblings
pub(crate) fn compile(command: &CompileCommand) -> u8 {
    let (args, target) = command.target();
    if args.file == "-" && args.output_name.is_none() {
        return wrong("the output is named after the program, which is no file: name it with `-o`");
    }
    let plan = match plan(&args.plan, pipelines::of_target(target).name) {
        Ok(plan) => plan,
        Err(error) => return wrong(&error),
    };
    let mode = match (args.server, args.library) {
        (true, _) => Mode::Server,
        (false, true) if args.shared => Mode::Shared,
        (false, true) => Mode::Library,
        (false, false) => Mode::Executable,
    };
    let warnings = match (args.no_warnings, args.werror) {
        (true, _) => Warnings::Hide,
        (false, true) => Warnings::Deny,
        (false, false) => Warnings::Show,
    };
    let foreign = match args.foreign.read(Calls::Symbols) {
        Ok(foreign) => foreign,
        Err(error) => return told(&args.output, &SourceMap::new(), *error),
    };
    let request = Request {
        target,
        mode,
        warnings,
        entry_points: args.entry_points.clone(),
        safe: args.safe,
        floats: args.floats.choice(),
        foreign,
        plan,
        profiled: args.profiling,
    };
    let name = match &args.output_name {
        Some(name) => PathBuf::from(name),
        None => match args.file.strip_suffix(".fut") {
            Some(name) if !name.is_empty() => PathBuf::from(name),
            _ => return wrong("the file name does not end in `.fut`; name the output with `-o`"),
        },
    };
    let Some(root) = root(&args.file) else { return FAILURE };
    let (mut outcome, generated) = compile::generate(&Disk, &root, &request);
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

/// `fehu run` with a back end.
pub(crate) fn run(args: &RunArgs) -> u8 {
    let request = match request(args) {
        Ok(request) => request,
        Err(code) => return code,
    };
    let cache = Cache::open().ok();
    let compiler = match CCompiler::find(cache.as_ref(), request.target, request.floats) {
        Ok(compiler) => compiler.linking(&request.foreign.inputs),
        Err(error) => return told(&args.output, &SourceMap::new(), *error),
    };
    if compiler.is_brought() {
        let name = compiler.name();
        output::stderr(&format!("fehu: there is no C compiler on the path; using `{name}`\n"));
    }
    let key = compile::program_key(&args.file, &request, &compiler);
    let known = cache.as_ref().zip(key.as_ref()).and_then(|(cache, key)| cache.program(key));
    let program = match known {
        Some(program) => Executable { program, folder: None },
        None => match build(args, &request, cache.as_ref(), &compiler, key.as_deref()) {
            Ok(program) => program,
            Err(code) => return code,
        },
    };
    if args.only_compile { SUCCESS } else { start(args, program, Stdio::inherit()) }
}

/// Becomes the program that another command has compiled by the back end `c`, if there is one; otherwise nothing happens.
pub(crate) fn run_known(args: &RunArgs, stdin: impl FnOnce() -> Option<Stdio>) -> Option<u8> {
    let request = request(args).ok()?;
    let cache = Cache::open().ok()?;
    let compiler = CCompiler::find(Some(&cache), request.target, request.floats).ok()?;
    let key =
        compile::program_key(&args.file, &request, &compiler.linking(&request.foreign.inputs))?;
    let program = cache.program(&key)?;
    Some(start(args, Executable { program, folder: None }, stdin()?))
}

/// What is compiled for `fehu run`; an exit code if options are wrong.
fn request(args: &RunArgs) -> Result<Request, u8> {
    let target = args.backend.map_or(Target::C, Backend::target);
    let plan =
        plan(&args.plan, pipelines::of_target(target).name).map_err(|error| wrong(&error))?;
    let foreign = args.foreign.read(Calls::Symbols);
    let foreign = foreign.map_err(|error| told(&args.output, &SourceMap::new(), *error))?;
    Ok(Request {
        target,
        mode: Mode::Executable,
        warnings: if args.no_warnings { Warnings::Hide } else { Warnings::Show },
        entry_points: Vec::new(),
        safe: false,
        floats: args.floats(),
        foreign,
        plan,
        profiled: false,
    })
}

/// Compiles a program that the cache does not know.
fn build(
    args: &RunArgs,
    request: &Request,
    cache: Option<&Cache>,
    compiler: &CCompiler,
    key: Option<&str>,
) -> Result<Executable, u8> {
    let root = Root::Path(args.file.clone());
    let (outcome, generated) = compile::generate(&Disk, &root, request);
    output::diagnostics(&args.output, &outcome.sources, &outcome.diagnostics);
    let Some(generated) = generated else { return Err(exit(outcome)) };
    let make = || compile::executable(cache, compiler, &generated.artifacts);
    let made = progress::during(WAITING, make);
    let made = made.map_err(|error| told(&args.output, &outcome.sources, *error))?;
    if let (Some(cache), Some(key), None) = (cache, key, &made.folder) {
        // If it cannot be remembered, it is compiled again next time.
        let _ = compile::remember(cache, key, &made.program, &outcome);
    }
    Ok(made)
}

/// Becomes the program, where the system can do that. One that is not kept is removed afterwards, so it is waited for.
fn start(args: &RunArgs, executable: Executable, stdin: Stdio) -> u8 {
    let mut command = Command::new(&executable.program);
    command.stdin(stdin);
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
        if executable.folder.is_none() {
            return failed(&command.exec());
        }
    }
    match command.status() {
        Ok(status) if status.success() => SUCCESS,
        Ok(_) => FAILURE,
        Err(error) => failed(&error),
    }
}

fn told(args: &OutputArgs, sources: &SourceMap, error: Diagnostic) -> u8 {
    output::diagnostics(args, sources, &[error]);
    FAILURE
}

/// `fehu foreign`
pub(crate) fn prototypes(args: &PrototypesArgs) -> u8 {
    let Some(root) = root(&args.file) else { return FAILURE };
    let target = args.backend.map(|backend| backend.target());
    let (outcome, text) = foreign::prototypes(&Disk, &root, &args.file, target);
    output::diagnostics(&args.output, &outcome.sources, &outcome.diagnostics);
    match text {
        Some(text) => output::stdout(&text),
        None if outcome.exit == Exit::Success => {
            output::stderr(&format!("fehu: {} has no foreign functions\n", args.file));
        }
        None => {}
    }
    exit(outcome)
}
