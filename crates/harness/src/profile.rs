//! Profiles: runs the cases of a program's test blocks, or one with given values, once to warm up, and then, once or
//! more often, with an account of what happens.

use crate::bench::{Options, arguments, cases, read_test};
use crate::case::{self, Arguments};
use crate::executor::compiled::Compiled;
use crate::executor::{Executor, Failure};
use crate::prepare;
use fehu_data::{ValueType, reader};
use fehu_driver::check::{Outcome, Warnings};
use std::path::Path;
use std::time::Duration;

/// A run.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The entry point.
    pub entry: String,
    /// The name of the data set.
    pub dataset: String,
    /// What the program reported, as JSON, for each time that it was measured.
    pub reports: Vec<serde_json::Value>,
    /// Why the run failed, if it did.
    pub failed: Option<String>,
}

/// All runs of a program.
#[derive(Clone, Debug)]
pub struct All {
    /// The runs.
    pub runs: Vec<Ran>,
    /// The files of the program, without the prelude: their names and texts.
    pub sources: Vec<(String, String)>,
}

/// Compiles and runs a program, each case so often. `values` reads the arguments of an entry point, for programs
/// without cases; it is asked only then, or if `only_values`. The error is one line.
pub fn run(
    path: &str,
    options: &Options,
    times: usize,
    only_values: bool,
    values: impl FnOnce() -> Result<Vec<u8>, String>,
) -> Result<All, String> {
    let (outcome, built) = prepare::server(path, &options.compile, Warnings::Hide);
    let (entries, built) = built?;
    let mut compile = options.compile.clone();
    compile.program_options.push("--profile".to_owned());
    let mut program = prepare::executor(path, &compile, built)?;
    let folder = Path::new(path).parent().unwrap_or(Path::new(""));
    let test = if only_values { None } else { read_test(path, options)? };
    let mut runs = Vec::new();
    match &test {
        Some(test) => {
            for (entry, case) in cases(test, options) {
                let input =
                    case::read_input(&mut program, folder, entry, &case.input, options.seed)?;
                runs.push(one(&mut program, folder, entry, &case.name, &input, (options, times))?);
            }
        }
        None => {
            let known = |name: &&str| entries.iter().any(|entry| entry.name == *name);
            let entry = match &options.entry {
                Some(entry) => entry.as_str(),
                None => Some("main")
                    .filter(known)
                    .or_else(|| Some(entries.first()?.name.as_str()))
                    .ok_or("the program has no entry point")?,
            };
            let params = program.signature(entry).map_err(|error| error.to_string())?.params;
            let types: Option<Vec<ValueType>> =
                params.iter().map(|(_, ty)| ValueType::parse(ty)).collect();
            let bytes = if params.is_empty() { Vec::new() } else { values()? };
            let read = reader::read_typed(&bytes, &types.unwrap_or_default());
            let read = read.or_else(|_| reader::read_all(&bytes));
            let input = read.map_err(|error| format!("the arguments: {error}"))?;
            let input = Arguments::Values(input);
            runs.push(one(&mut program, folder, entry, "", &input, (options, times))?);
        }
    }
    Ok(All { runs, sources: sources(&outcome) })
}

fn sources(outcome: &Outcome) -> Vec<(String, String)> {
    let own = outcome.loaded.files.iter().filter(|file| !file.in_prelude);
    own.map(|file| {
        let source = outcome.sources.file(file.id);
        (source.name.clone(), source.text.to_string())
    })
    .collect()
}

/// One case. A failing run has a report, too, as long as the program still answers.
fn one(
    program: &mut Compiled,
    folder: &Path,
    entry: &str,
    dataset: &str,
    input: &Arguments,
    (options, times): (&Options, usize),
) -> Result<Ran, String> {
    program.begin(options.timeout.unwrap_or(Duration::MAX));
    let ran = measured(program, folder, entry, dataset, (input, times));
    program.end();
    ran
}

fn measured(
    program: &mut Compiled,
    folder: &Path,
    entry: &str,
    dataset: &str,
    (input, times): (&Arguments, usize),
) -> Result<Ran, String> {
    let told = |error: Failure| error.to_string();
    program.command(&["clear"]).map_err(told)?;
    program.command(&["pause_profiling"]).map_err(told)?;
    let args = arguments(program, folder, entry, input)?;
    let kept = program.count();
    let mut failed = None;
    let mut reports = Vec::new();
    for number in 0..=times {
        let is_measured = number > 0;
        if is_measured {
            program.command(&["clear"]).map_err(told)?;
            program.command(&["unpause_profiling"]).map_err(told)?;
        }
        failed = match program.timed(entry, &args) {
            Ok(_) => None,
            Err(Failure::Program(why)) => Some(why.lines().next().unwrap_or_default().to_owned()),
            Err(error) => return Err(told(error)),
        };
        program.forget(kept);
        if is_measured {
            let report = program.command(&["report"]).map_err(told)?.join("\n");
            let report = serde_json::from_str(&report)
                .map_err(|error| format!("the program's report is not JSON: {error}"))?;
            reports.push(report);
        }
    }
    let (entry, dataset) = (entry.to_owned(), dataset.to_owned());
    Ok(Ran { entry, dataset, reports, failed })
}
