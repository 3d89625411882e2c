//! Gets programs ready to run: in the interpreter, or compiled to servers.
//!
//! The reference of `auto output` is another way to run the program than the one that is tested:
//!
//! | tested | reference |
//! |---|---|
//! | the interpreter, without passes | none: such a case only has to succeed |
//! | the interpreter, with passes | the interpreter, without passes |
//! | the back end `c` | the interpreter, without passes |
//! | another back end | the back end `c` |
//!
//! Where a server does not show the result, or the reference is at its limits, such a case only has to succeed, too.

use crate::executor::Executor;
use crate::executor::compiled::Compiled;
use crate::executor::interpreted::Interpreted;
use crate::run::{Depth, Options, first_line};
use crate::server::Launch;
use crate::tuning;
use fehu_driver::cache::Cache;
use fehu_driver::check::{Outcome, Warnings};
use fehu_driver::compile::{self, CCompiler, Executable, Floats, Request};
use fehu_driver::files::Disk;
use fehu_driver::foreign::{Calls, Foreign};
use fehu_driver::load::Root;
use fehu_driver::passes::Plan;
use fehu_driver::stages::{Artifacts, Mode, Target};
use fehu_driver::temporary::Folder;
use fehu_driver::{pipelines, run};
use fehu_ir::Entry;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How programs are compiled and started.
#[derive(Clone, Debug)]
pub struct Compile {
    /// The back end.
    pub target: Target,
    /// Another compiler that does it, called as `PROGRAM BACKEND --server FILE -o OUTPUT`.
    pub futhark: Option<String>,
    /// Options for that compiler.
    pub compiler_options: Vec<String>,
    /// Functions that are entry points, too.
    pub entry_points: Vec<String>,
    /// How floats are computed.
    pub floats: Floats,
    /// What is done with foreign functions.
    pub foreign: Foreign,
    /// The passes of our own compiler.
    pub plan: Plan,
    /// Whether servers are there already, beside the programs.
    pub skip_compilation: bool,
    /// What servers are started with; see [`Launch`].
    pub runner: Option<String>,
    /// Options for servers.
    pub program_options: Vec<String>,
    /// The extension of files with tuning parameters, if they are used.
    pub tuning: Option<String>,
    /// Whether programs say what their operators do, for profiles.
    pub profiled: bool,
    /// The extension of files in which programs keep what speeds up their start, if they do.
    pub cache_files: Option<String>,
}

impl Compile {
    /// The usual way with a back end.
    pub fn new(target: Target) -> Compile {
        Compile {
            target,
            futhark: None,
            compiler_options: Vec::new(),
            entry_points: Vec::new(),
            floats: Floats::default(),
            foreign: Foreign::default(),
            plan: Plan::of(pipelines::of_target(target).passes),
            skip_compilation: false,
            runner: None,
            program_options: Vec::new(),
            tuning: Some("tuning".to_owned()),
            profiled: false,
            cache_files: None,
        }
    }

    /// How programs are compiled whose results are the expected ones: for one core, and without foreign functions.
    /// Options for the program that is tested, such as a number of threads or a device, may mean nothing to this one.
    pub fn reference(&self) -> Compile {
        let plan = match self.target.is_gpu() {
            true => Plan::of(pipelines::of_target(Target::C).passes),
            false => self.plan.clone(),
        };
        let foreign = Foreign { calls: Calls::Bodies, ..Foreign::default() };
        let floats = match self.floats {
            Floats::Fast => Floats::Contracted,
            Floats::Strict | Floats::Rounded | Floats::Contracted => self.floats,
        };
        let program_options = Vec::new();
        Compile { target: Target::C, plan, foreign, floats, program_options, ..self.clone() }
    }

    /// The file with tuning parameters of a program, if there is one that should be used.
    pub(crate) fn tuning_file(&self, path: &str) -> Option<String> {
        let file = format!("{path}.{}", self.tuning.as_ref()?);
        Path::new(&file).is_file().then_some(file)
    }

    /// How the server of a program is started.
    pub fn launch(&self, path: &str, program: PathBuf) -> Launch {
        let mut options = Vec::new();
        if let Some(file) = self.tuning_file(path) {
            options.push(format!("--tuning={file}"));
        }
        if let Some(extension) = &self.cache_files {
            options.push(format!("--cache-file={path}.{extension}"));
        }
        options.extend(self.program_options.iter().cloned());
        Launch { program, runner: self.runner.clone(), options }
    }
}

/// A program, ready to run.
pub struct Programs {
    /// The one that is tested.
    pub tested: Box<dyn Executor>,
    /// The reference of `auto output`, if there is one.
    pub reference: Option<Box<dyn Executor>>,
    /// The entry points.
    pub entries: Vec<Entry>,
    /// What people should know about the way in which it runs.
    pub warnings: Vec<String>,
}

/// Prepares a program, and a reference if one is wanted. The error is one line.
pub(crate) fn prepare(
    path: &str,
    options: &Options,
    reference: bool,
) -> (Outcome, Result<Programs, String>) {
    let Some(compile) = &options.compile else {
        return interpreted(path, options, reference);
    };
    let (outcome, built) = server(path, compile, Warnings::Show);
    let (entries, built) = match built {
        Ok(built) => built,
        Err(why) => return (outcome, Err(why)),
    };
    let mut tested = match executor(path, compile, built) {
        Ok(server) => server,
        Err(why) => return (outcome, Err(why)),
    };
    let warnings = Vec::from_iter(tuning::warning(path, compile, &mut tested));
    let tested: Box<dyn Executor> = Box::new(tested);
    let reference = match reference.then_some(compile.target) {
        None => None,
        Some(Target::C) => {
            let (_, compiled) =
                compile_for_interpreter(path, options, Warnings::Hide, &Plan::none());
            compiled.map(|compiled| Box::new(Interpreted::new(compiled)) as Box<dyn Executor>)
        }
        Some(_) => {
            let compile = compile.reference();
            let (_, built) = server(path, &compile, Warnings::Hide);
            match built.and_then(|(_, built)| executor(path, &compile, built)) {
                Ok(server) => Some(Box::new(server) as Box<dyn Executor>),
                Err(why) => return (outcome, Err(format!("the reference: {why}"))),
            }
        }
    };
    (outcome, Ok(Programs { tested, reference, entries, warnings }))
}

/// How the program of a script is run.
#[derive(Clone, Debug)]
pub enum How {
    /// In the interpreter.
    Interpreted,
    /// Compiled to a server.
    Compiled(Box<Compile>),
}

/// Prepares a program for scripts, in which these functions are entry points, too. The error is one line.
pub fn program(
    path: &str,
    how: &How,
    entry_points: &[String],
) -> (Outcome, Result<Box<dyn Executor>, String>) {
    match how {
        How::Interpreted => {
            let root = Root::Path(path.to_owned());
            let (outcome, compiled) = run::compile_entries(&Disk, &root, entry_points);
            let program =
                compiled.map(|compiled| Box::new(Interpreted::new(compiled)) as Box<dyn Executor>);
            let program = program.ok_or_else(|| first_line(&outcome));
            (outcome, program)
        }
        How::Compiled(compile) => {
            let mut compile = compile.clone();
            compile.entry_points = entry_points.to_vec();
            let (outcome, built) = server(path, &compile, Warnings::Hide);
            let program = built.and_then(|(_, built)| executor(path, &compile, built));
            (outcome, program.map(|program| Box::new(program) as Box<dyn Executor>))
        }
    }
}

/// Compiles a program to a server. Our own compiler keeps servers in its cache.
pub fn server(
    path: &str,
    compile: &Compile,
    warnings: Warnings,
) -> (Outcome, Result<(Vec<Entry>, Executable), String>) {
    let root = Root::Path(path.to_owned());
    if compile.skip_compilation || compile.futhark.is_some() {
        let (outcome, compiled) =
            run::compile(&Disk, &root, warnings, fehu_interp::Options::default());
        let entries = compiled.as_ref().and_then(run::Compiled::prog);
        let entries = entries.map(|prog| prog.entries.clone()).unwrap_or_default();
        let built = match &compile.futhark {
            Some(futhark) if !compile.skip_compilation => elsewhere(path, futhark, compile),
            _ => Ok(Executable { program: beside(path), folder: None }),
        };
        return (outcome, built.map(|built| (entries, built)));
    }
    let request = Request {
        target: compile.target,
        mode: Mode::Server,
        warnings,
        entry_points: compile.entry_points.clone(),
        safe: false,
        floats: compile.floats,
        foreign: compile.foreign.clone(),
        plan: compile.plan.clone(),
        profiled: compile.profiled,
    };
    let (outcome, generated) = compile::generate(&Disk, &root, &request);
    let Some(generated) = generated else {
        let why = first_line(&outcome);
        return (outcome, Err(why));
    };
    let built = executable(&generated.artifacts, compile);
    (outcome, built.map(|built| (generated.entries, built)))
}

/// The executor of a server.
pub fn executor(path: &str, compile: &Compile, built: Executable) -> Result<Compiled, String> {
    let Executable { program, folder } = built;
    Compiled::new(compile.launch(path, program), folder).map_err(|error| error.to_string())
}

/// The server that a program has beside it.
fn beside(path: &str) -> PathBuf {
    PathBuf::from(path.strip_suffix(".fut").unwrap_or(path))
}

fn executable(artifacts: &Artifacts, compile: &Compile) -> Result<Executable, String> {
    let told = |error: Box<fehu_base::Diagnostic>| {
        let notes: String = error.notes.iter().map(|note| format!("\n{note}")).collect();
        format!("error[{}]: {}{notes}", error.code, error.message)
    };
    let cache = Cache::open().ok();
    let compiler = CCompiler::find(cache.as_ref(), compile.target, compile.floats);
    let compiler = compiler.map_err(told)?.linking(&compile.foreign.inputs);
    compile::executable(cache.as_ref(), &compiler, artifacts).map_err(told)
}

/// Lets another compiler do it.
fn elsewhere(path: &str, futhark: &str, compile: &Compile) -> Result<Executable, String> {
    let folder = Folder::new().map_err(|error| error.to_string())?;
    let program = folder.path().join("server");
    let mut command = Command::new(futhark);
    command.arg(compile.target.name()).arg("--server").args(&compile.compiler_options);
    command.args(compile.entry_points.iter().map(|name| format!("--entry-point={name}")));
    // A name may look like an option.
    let path = std::path::absolute(path).unwrap_or_else(|_| PathBuf::from(path));
    command.arg(path).arg("-o").arg(&program);
    let done = command.stdin(Stdio::null()).output();
    let done = done.map_err(|error| format!("\"{futhark}\" cannot be started: {error}"))?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        return Err(format!("\"{futhark}\" failed ({}): {}", done.status, said.trim()));
    }
    Ok(Executable { program, folder: Some(folder) })
}

fn interpreted(
    path: &str,
    options: &Options,
    reference: bool,
) -> (Outcome, Result<Programs, String>) {
    let (outcome, compiled) = compile_for_interpreter(path, options, Warnings::Show, &options.plan);
    let Some(compiled) = compiled else {
        let why = first_line(&outcome);
        return (outcome, Err(why));
    };
    let entries = compiled.prog().map(|prog| prog.entries.clone()).unwrap_or_default();
    let reference =
        match reference && !options.plan.passes.is_empty() && options.depth == Depth::Run {
            true => compile_for_interpreter(path, options, Warnings::Hide, &Plan::none()).1,
            false => None,
        };
    let reference =
        reference.map(|compiled| Box::new(Interpreted::new(compiled)) as Box<dyn Executor>);
    let tested = Box::new(Interpreted::new(compiled));
    (outcome, Ok(Programs { tested, reference, entries, warnings: Vec::new() }))
}

fn compile_for_interpreter(
    path: &str,
    options: &Options,
    warnings: Warnings,
    plan: &Plan,
) -> (Outcome, Option<run::Compiled>) {
    let interpreter = fehu_interp::Options {
        max_array_bytes: options.max_array_bytes,
        ..fehu_interp::Options::default()
    };
    run::compile_with(&Disk, &Root::Path(path.to_owned()), warnings, interpreter, plan)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_get_their_options() {
        let folder = Folder::new().expect("it can be made");
        let path = folder.path().join("a.fut").display().to_string();
        let compile = Compile {
            cache_files: Some("cache".to_owned()),
            program_options: vec!["-D".to_owned()],
            ..Compile::new(Target::C)
        };
        let cache = format!("--cache-file={path}.cache");
        let options = |compile: &Compile| compile.launch(&path, "a".into()).options;
        assert_eq!(options(&compile), [cache.clone(), "-D".to_owned()]);
        std::fs::write(format!("{path}.tuning"), "").expect("it can be written");
        let tuning = format!("--tuning={path}.tuning");
        assert_eq!(options(&compile), [tuning, cache.clone(), "-D".to_owned()]);
        let without = Compile { tuning: None, ..compile };
        assert_eq!(options(&without), [cache, "-D".to_owned()]);
    }
}
