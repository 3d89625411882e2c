//! `fehu run`: values in, values out.

use crate::args::RunArgs;
use crate::commands::{FAILURE, SUCCESS, exit, root};
use crate::compile;
use crate::dev::plan;
use crate::output;
use fehu_data::{Value, binary, reader, text};
use fehu_driver::check::Warnings;
use fehu_driver::files::Disk;
use fehu_driver::pipelines;
use fehu_driver::run::{self, Compiled, SequenceFile};
use std::io::{Read, Write};

/// `fehu run`
pub(crate) fn run(args: &RunArgs) -> u8 {
    if args.file == "-" {
        output::stderr(
            "fehu: standard input contains the arguments, so the program must be a file\n",
        );
        return FAILURE;
    }
    if !args.interpret {
        return compile::run(args);
    }
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
