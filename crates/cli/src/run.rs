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
use fehu_driver::run::{self, Compiled, RunError, SequenceFile};
use fehu_driver::temporary;
use std::io::{Read, Seek, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
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
    if let Some(code) = compile::run_known(args, || Some(Stdio::inherit())) {
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
    let types = match compiled.parameters(&args.entry) {
        Ok(types) => types,
        Err(error) => return failed(&error),
    };
    let Some(bytes) = stdin() else { return FAILURE };
    let values = match reader::read_typed(&bytes, &types) {
        Ok(values) => values,
        Err(error) => return wrong_input(&error),
    };
    let successor = Arc::new(Successor::default());
    compiled.end_when(&successor.is_ready);
    let (done, ended) = std::sync::mpsc::channel::<()>();
    successor.clone().await_need(args, ended);
    let traced = Arc::clone(&successor);
    compiled.trace(Box::new(move |line| {
        traced.comes_too_late.store(true, Ordering::Relaxed);
        output::stderr(&format!("{line}\n"));
    }));
    let results = compiled.run(&args.entry, values);
    drop(done);
    match results {
        Err(error) if error.is_interrupt() => {
            // Nobody else interrupts it. What it has in memory is not needed any more.
            drop(compiled);
            let again = compile::run_known(args, || input_again(&bytes));
            again.unwrap_or_else(|| failed(&error))
        }
        results => said(results, args.binary),
    }
}

/// A run that takes longer is worth a compilation, for itself and for the next one.
const LONG: Duration = Duration::from_secs(2);

/// What takes the place of machine code that runs for long: the same program compiled by the back end `c`, by another
/// process, which goes on when this one has ended. A program can begin again, because all that it does besides
/// computing is to trace: if it has traced something, it is too late. So no run takes much longer than by C alone.
#[derive(Default)]
struct Successor {
    /// It exists, and the machine code is to end.
    is_ready: Arc<AtomicBool>,
    comes_too_late: AtomicBool,
}

impl Successor {
    /// Makes it if the program has not ended by then. That ends with the process at the latest, and nobody waits for it.
    fn await_need(self: Arc<Successor>, args: &RunArgs, ended: Receiver<()>) {
        let Some(mut command) = command_for_later(args) else { return };
        std::thread::spawn(move || {
            if ended.recv_timeout(LONG) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            // If it cannot be made, this run goes on, and the next one is like it.
            let made = command.status().is_ok_and(|status| status.success());
            if made && !self.comes_too_late.load(Ordering::Relaxed) {
                self.is_ready.store(true, Ordering::Relaxed);
            }
        });
    }
}

/// A process that compiles a program by the back end `c`. Its options are those of this run, so that the next one finds
/// what it has made.
fn command_for_later(args: &RunArgs) -> Option<Command> {
    let mut command = Command::new(std::env::current_exe().ok()?);
    command.args(["run", "--backend=c", "--rounded-float", "--only-compile", &args.file]);
    if args.no_warnings {
        command.arg("--no-warnings");
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Some(command)
}

/// Standard input that has been read, for another program.
fn input_again(bytes: &[u8]) -> Option<Stdio> {
    let (path, mut file) = temporary::file(".in").ok()?;
    // It goes when it is closed.
    std::fs::remove_file(path).ok()?;
    file.write_all(bytes).and_then(|()| file.rewind()).ok()?;
    Some(file.into())
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
    reader::read_typed(&bytes, &types).map_err(|error| wrong_input(&error))
}

fn wrong_input(error: &impl std::fmt::Display) -> u8 {
    output::stderr(&format!("Error: standard input: {error}\n"));
    FAILURE
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
    said(compiled.run(entry, values), binary)
}

/// Writes results, or why there are none.
fn said(results: Result<Vec<Value>, RunError>, binary: bool) -> u8 {
    match results {
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

fn failed(error: &RunError) -> u8 {
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
