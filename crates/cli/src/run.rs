//! `fehu run`: values in, values out.

use crate::args::{PlanArgs, RunArgs};
use crate::commands::{FAILURE, SUCCESS, exit, root};
use crate::compile;
use crate::dev::plan;
use crate::output;
use fehu_data::{Value, binary, reader, text};
use fehu_driver::check::Warnings;
use fehu_driver::files::Disk;
use fehu_driver::passes::Plan;
use fehu_driver::pipelines;
use fehu_driver::run::{self, Compiled, SequenceFile};
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

/// `fehu run`
pub(crate) fn run(args: &RunArgs) -> u8 {
    if args.file == "-" {
        output::stderr(
            "fehu: standard input contains the arguments, so the program must be a file\n",
        );
        return FAILURE;
    }
    if args.interpret {
        return interpret(args);
    }
    // What compiled programs are told, and what is done with foreign functions, is for those.
    let PlanArgs { pipeline, passes, stages, chunk, without, derivative_memory, no_verify: _ } =
        &args.plan;
    let plain = pipeline.is_none()
        && passes.is_none()
        && stages.is_none()
        && chunk.is_none()
        && without.is_none()
        && derivative_memory.is_none();
    if args.backend.is_none() && args.rest.is_empty() && args.foreign.is_empty() && plain {
        return at_once(args);
    }
    compile::run(args)
}

/// Machine code, unless somebody has compiled the program already.
fn at_once(args: &RunArgs) -> u8 {
    if let Some(code) = compile::run_known(args) {
        return code;
    }
    let Some(root) = root(&args.file) else { return FAILURE };
    let warnings = if args.no_warnings { Warnings::Hide } else { Warnings::Show };
    let plan = Plan { verify: !args.plan.no_verify, ..Plan::at_once() };
    let (outcome, compiled) = run::compile_with(&Disk, &root, warnings, Default::default(), &plan);
    let Some(mut compiled) = compiled else {
        output::diagnostics(&args.output, &outcome.sources, &outcome.diagnostics);
        return exit(outcome);
    };
    // Sequences may be longer than memory; an executable reads them as it goes. Foreign functions are for it to link.
    let streams = compiled.entry(&args.entry).is_ok_and(|entry| !entry.sources.is_empty());
    if streams || compiled.calls_foreign() {
        return compile::run(args);
    }
    output::diagnostics(&args.output, &outcome.sources, &outcome.diagnostics);
    let values = match values_in(&compiled, &args.entry) {
        Ok(values) => values,
        Err(code) => return code,
    };
    let (done, ended) = std::sync::mpsc::channel::<()>();
    let later = command_for_later(args);
    // It ends with the process at the latest, and nobody waits for it.
    std::thread::spawn(move || {
        if ended.recv_timeout(LONG) == Err(RecvTimeoutError::Timeout) {
            // If it cannot be started, the next run is like this one.
            let _ = later.map(|mut command| command.spawn());
        }
    });
    let code = values_out(&mut compiled, &args.entry, values, args.binary);
    drop(done);
    code
}

/// A run that takes longer is worth a compilation, for the next one.
const LONG: Duration = Duration::from_secs(2);

/// A process that compiles a program by the back end `c`, and goes on when this one has ended. Its options are those of this run, so that the next
/// one finds what it has made.
fn command_for_later(args: &RunArgs) -> Option<Command> {
    let mut command = Command::new(std::env::current_exe().ok()?);
    command.args(["run", "--backend=c", "--only-compile", &args.file]);
    if args.no_warnings {
        command.arg("--no-warnings");
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Some(command)
}

fn interpret(args: &RunArgs) -> u8 {
    let Some(root) = root(&args.file) else { return FAILURE };
    let warnings = if args.no_warnings { Warnings::Hide } else { Warnings::Show };
    let plan = match plan(&args.plan, pipelines::NONE.name) {
        Ok(plan) => plan,
        Err(error) => return wrong(&error),
    };
    let (outcome, compiled) = run::compile_with(&Disk, &root, warnings, Default::default(), &plan);
    output::diagnostics(&args.output, &outcome.sources, &outcome.diagnostics);
    let Some(mut compiled) = compiled else { return exit(outcome) };
    let values = match args.ins.is_empty() {
        true => values_in(&compiled, &args.entry),
        false => values_of_files(&compiled, args),
    };
    let values = match values {
        Ok(values) => values,
        Err(code) => return code,
    };
    values_out(&mut compiled, &args.entry, values, args.binary)
}

/// The arguments of an entry point, from standard input; an exit code if there are none.
pub(crate) fn values_in(compiled: &Compiled, entry: &str) -> Result<Vec<Value>, u8> {
    let types = compiled.parameters(entry).map_err(|error| failed(&error))?;
    let bytes = stdin().ok_or(FAILURE)?;
    reader::read_typed(&bytes, &types).map_err(|error| {
        output::stderr(&format!("Error: standard input: {error}\n"));
        FAILURE
    })
}

/// Likewise, with sequences from files.
fn values_of_files(compiled: &Compiled, args: &RunArgs) -> Result<Vec<Value>, u8> {
    let mut files = Vec::new();
    for text in &args.ins {
        let file = SequenceFile::parse(text);
        files.push(file.ok_or_else(|| wrong(&format!("--in {text}: this is not NAME=FILE")))?);
    }
    let read = |path: &str| match path {
        "-" => stdin().ok_or_else(|| "standard input".to_owned()),
        path => std::fs::read(path).map_err(|error| format!("{path}: cannot open: {error}")),
    };
    let values = compiled.arguments(&args.entry, &files, &read, &|| read("-"));
    values.map_err(|error| {
        output::stderr(&format!("Error: {error}\n"));
        FAILURE
    })
}

/// Runs an entry point and writes its results.
pub(crate) fn values_out(
    compiled: &mut Compiled,
    entry: &str,
    values: Vec<Value>,
    binary: bool,
) -> u8 {
    compiled.trace(Box::new(|line| output::stderr(&format!("{line}\n"))));
    match compiled.run(entry, values) {
        Ok(results) => {
            write(&results, binary, text::Style::PROGRAM);
            SUCCESS
        }
        Err(error) => failed(&error),
    }
}

/// Says what is wrong with a call of the command.
pub(crate) fn wrong(message: &str) -> u8 {
    output::stderr(&format!("fehu: {message}\n"));
    FAILURE
}

fn failed(error: &run::RunError) -> u8 {
    output::stderr(&format!("{error}\n"));
    FAILURE
}

/// All of standard input; what is wrong has been said.
pub(crate) fn stdin() -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    match std::io::stdin().lock().read_to_end(&mut bytes) {
        Ok(_) => Some(bytes),
        Err(error) => {
            wrong(&format!("cannot read standard input: {error}"));
            None
        }
    }
}

/// Writes values to standard output.
pub(crate) fn write(values: &[Value], as_binary: bool, style: text::Style) {
    output::write_stdout(|out: &mut dyn Write| {
        for value in values {
            match as_binary {
                true => binary::write(out, value)?,
                false => text::write(out, value, style)?,
            }
        }
        Ok(())
    });
}
