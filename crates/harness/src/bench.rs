//! How long programs take: runs the cases of test blocks often enough to know.
//!
//! For each case there is one run that is not counted, whose result is compared with what is expected. Then follow
//! at least so many runs, for at least half a second; if they do not settle (see [`measure`]), they are
//! thrown away, and as many are made as it takes. What is measured is what the program itself says that a call took, so
//! neither starting it nor handing over values counts.
//!
//! - [`measure`]: the runs of one case;
//! - [`statistics`]: means and what is to be thought of them;
//! - [`json`]: results as files, in the format that other tools for the language read and write;
//! - [`compare`]: what changed from one file to another.

pub mod compare;
pub mod json;
pub mod measure;
pub mod statistics;

use crate::blocks::{self, Case, Expected, Test};
use crate::case::{self, Arguments, Wanted};
use crate::executor::compiled::Compiled;
use crate::executor::{Executor, Failure, Object};
use crate::files;
use crate::prepare::{self, Compile};
use crate::script::{Machine, eval};
use crate::tuning;
use fehu_data::Value;
use fehu_driver::check::Warnings;
use fehu_driver::compile::Executable;
use fehu_driver::stages::Target;
use measure::{Limits, Progress};
use std::path::Path;
use std::time::{Duration, Instant};

/// What to measure, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// How programs are compiled and started.
    pub compile: Compile,
    /// How often, and how long.
    pub limits: Limits,
    /// How long all runs of one case may take, if there is a limit.
    pub timeout: Option<Duration>,
    /// The only entry point that is measured, if there is one.
    pub entry: Option<String>,
    /// Tags of programs and cases that are not measured.
    pub exclude: Vec<String>,
    /// Where the test blocks are, if not in the program. There they are no comments.
    pub spec: Option<String>,
    /// The seed of random inputs.
    pub seed: u64,
    /// Whether programs keep account of what they do.
    pub profile: bool,
}

/// A program that is ready to be measured.
pub struct Ready {
    /// The program.
    pub path: String,
    test: Test,
    built: Executable,
    /// What `auto output` is compared with, if the program has such cases.
    reference: Option<Executable>,
}

/// The measurements of one entry point of a program.
#[derive(Clone, PartialEq, Debug)]
pub struct Group {
    /// `PROGRAM`, or `PROGRAM:ENTRY` unless the entry point is `main`.
    pub name: String,
    /// The cases, with what came out, or why nothing did.
    pub datasets: Vec<(String, Result<Measured, String>)>,
}

/// What was measured of one case.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Measured {
    /// The time of each run, in microseconds.
    pub runtimes: Vec<u64>,
    /// The most memory that was used, for each kind of memory.
    pub bytes: Vec<(String, u64)>,
    /// What the program wrote to standard error.
    pub stderr: String,
    /// The program's account of itself, if it was asked for one.
    pub profiling: Option<serde_json::Value>,
}

/// Sees what happens while it happens.
pub trait Watch {
    /// There is something about a program that people should know, although it makes nothing fail.
    fn warning(&self, path: &str, text: &str);
    /// A program, or another entry point of it, begins.
    fn group(&self, name: &str);
    /// A case begins.
    fn begin(&self, dataset: &str);
    /// A case of a group is left out, because there is no time left.
    fn left_out(&self, group: &str, dataset: &str);
    /// A case makes progress.
    fn step(&self, dataset: &str, progress: &Progress);
    /// A case is over.
    fn dataset(&self, dataset: &str, result: &Result<Measured, String>);
}

/// Tags of what is never measured; besides, `no_BACKEND` excludes a back end.
const EXCLUDED: [&str; 2] = ["nobench", "disable"];

/// Reads the test blocks of a program; nothing if there is nothing to measure.
pub(crate) fn read_test(path: &str, options: &Options) -> Result<Option<Test>, String> {
    let text = match &options.spec {
        None => std::fs::read(path).map_err(|error| format!("cannot be read: {error}"))?,
        Some(spec) => {
            let text = std::fs::read_to_string(spec);
            let text = text.map_err(|error| format!("\"{spec}\" cannot be read: {error}"))?;
            let lines = text.lines().map(|line| format!("-- {line}\n"));
            lines.collect::<String>().into_bytes()
        }
    };
    let test = blocks::read(&String::from_utf8_lossy(&text));
    let test = test.map_err(|error| format!("test block, {error}"))?;
    if is_excluded(&test.tags, options) || cases(&test, options).next().is_none() {
        return Ok(None);
    }
    Ok(Some(test))
}

/// Compiles a program, if there is anything to measure. The error says why that is impossible.
pub fn ready(path: &str, options: &Options) -> Result<Option<Ready>, String> {
    let Some(test) = read_test(path, options)? else { return Ok(None) };
    let auto = cases(&test, options).any(|(_, case)| case.expected == Expected::Auto);
    let (_, built) = prepare::server(path, &options.compile, Warnings::Hide);
    let (_, built) = built?;
    // The back end `c` is the reference of all others.
    let own = options.compile.target == Target::C || options.compile.skip_compilation;
    let reference = match auto && !own {
        false => None,
        true => {
            let compile = options.compile.reference();
            Some(prepare::server(path, &compile, Warnings::Hide).1?.1)
        }
    };
    Ok(Some(Ready { path: path.to_owned(), test, built, reference }))
}

/// Measures a program.
pub fn run(ready: Ready, options: &Options, watch: &dyn Watch) -> Vec<Group> {
    let Ready { path, test, built, reference } = ready;
    let mut compile = options.compile.clone();
    if options.profile {
        compile.program_options.extend(["--profile", "--log"].map(str::to_owned));
    }
    let program = prepare::executor(&path, &compile, built);
    // Options for the program that is measured may mean nothing to the reference.
    let plain = Compile { program_options: Vec::new(), ..options.compile.clone() };
    let reference = reference.map(|built| prepare::executor(&path, &plain, built)).transpose();
    let (mut program, mut reference) = match (program, reference) {
        (Ok(program), Ok(reference)) => (program, reference),
        (Err(why), _) | (_, Err(why)) => {
            let datasets = vec![(String::new(), Err(why))];
            return vec![Group { name: path, datasets }];
        }
    };
    if let Some(warning) = tuning::warning(&path, &compile, &mut program) {
        watch.warning(&path, &warning);
    }
    let folder = Path::new(&path).parent().unwrap_or(Path::new(""));
    let mut groups: Vec<Group> = Vec::new();
    for (entry, case) in cases(&test, options) {
        let name = match entry.as_str() {
            "main" => path.clone(),
            entry => format!("{path}:{entry}"),
        };
        if options.limits.is_over() {
            watch.left_out(&name, &case.name);
            continue;
        }
        if groups.last().is_none_or(|group| group.name != name) {
            watch.group(&name);
            groups.push(Group { name, datasets: Vec::new() });
        }
        watch.begin(&case.name);
        let mut one = One { program: &mut program, folder, entry, case, options };
        let result = one.run(reference.as_mut(), watch);
        watch.dataset(&case.name, &result);
        if let Some(group) = groups.last_mut() {
            group.datasets.push((case.name.clone(), result));
        }
    }
    merged(groups)
}

/// One case of one entry point.
struct One<'a> {
    program: &'a mut Compiled,
    folder: &'a Path,
    entry: &'a str,
    case: &'a Case,
    options: &'a Options,
}

impl One<'_> {
    fn run(
        &mut self,
        reference: Option<&mut Compiled>,
        watch: &dyn Watch,
    ) -> Result<Measured, String> {
        let One { folder, entry, case, options, .. } = *self;
        let input = case::read_input(self.program, folder, entry, &case.input, options.seed)?;
        let limit = options.timeout.unwrap_or(Duration::MAX);
        let expected = match (&case.expected, reference) {
            (Expected::Values(values), _) => Some(values.clone()),
            (Expected::File(file), _) => Some(files::values(folder, file)?),
            (Expected::Auto, Some(reference)) => {
                reference.begin(limit);
                let args = arguments(reference, folder, entry, &input)?;
                let result = reference.call(entry, &args);
                let values = result.and_then(|result| reference.values(&result));
                reference.end();
                Some(values.map_err(|error| format!("the reference fails: {error}"))?)
            }
            (Expected::Auto, None) | (Expected::Success, _) => None,
            (Expected::Error(_), _) => return Err("this case should fail".to_owned()),
        };
        self.program.begin(limit);
        let result = self.measure(&input, expected.as_deref(), watch);
        self.program.end();
        result
    }

    fn measure(
        &mut self,
        input: &Arguments,
        expected: Option<&[Value]>,
        watch: &dyn Watch,
    ) -> Result<Measured, String> {
        let options = self.options;
        let told = |error: Failure| match (error, options.timeout) {
            (Failure::Limit(limit), Some(timeout)) => limit.explain(timeout, "--timeout"),
            (error, _) => error.to_string(),
        };
        // Caches and counters of the case before do not matter to this one. Older servers lose their variables, too,
        // so this comes first.
        self.program.command(&["clear"]).map_err(told)?;
        let args = arguments(self.program, self.folder, self.entry, input)?;
        let warm = self.program.call(self.entry, &args).map_err(told)?;
        if let Some(expected) = expected {
            let wanted = Wanted::Count(expected.len());
            let values = case::results(self.program, &warm, wanted).map_err(told)?;
            if let Some(difference) = case::difference(expected, &values) {
                return Err(difference);
            }
        }
        let (program, entry) = (&mut *self.program, self.entry);
        let kept = program.count();
        let once = || -> Result<u64, String> {
            let timed = program.timed(entry, &args).map_err(told)?;
            program.forget(kept);
            Ok(timed.microseconds)
        };
        let name = &self.case.name;
        let begin = Instant::now();
        let runtimes = measure::runs(&self.options.limits, begin, once, &mut |progress| {
            watch.step(name, progress);
        })?;
        let report = self.program.command(&["report"]).map_err(told)?.join("\n");
        let report: Option<serde_json::Value> = serde_json::from_str(&report).ok();
        let bytes = report.as_ref().map(json::memory).unwrap_or_default();
        let profiling = report.filter(|_| self.options.profile);
        Ok(Measured { runtimes, bytes, stderr: self.program.said(), profiling })
    }
}

pub(crate) fn arguments(
    program: &mut Compiled,
    folder: &Path,
    entry: &str,
    input: &Arguments,
) -> Result<Vec<Object>, String> {
    match input {
        Arguments::Values(values) => {
            program.arguments(entry, values).map_err(|error| error.to_string())
        }
        Arguments::Script(text) => {
            let read = |file: &str| files::bytes(folder, file);
            let mut machine = Machine { program, builtins: &read };
            eval::arguments(&mut machine, entry, text).map_err(|error| case::failure(&error))
        }
    }
}

/// The cases that are measured, for each of their entry points.
pub(crate) fn cases<'t>(
    test: &'t Test,
    options: &'t Options,
) -> impl Iterator<Item = (&'t String, &'t Case)> {
    let cases = test.cases.iter().filter(|case| {
        !is_excluded(&case.tags, options) && !matches!(case.expected, Expected::Error(_))
    });
    let all = cases.flat_map(|case| case.entries.iter().map(move |entry| (entry, case)));
    all.filter(|(entry, _)| options.entry.as_ref().is_none_or(|only| only == *entry))
}

fn is_excluded(tags: &[String], options: &Options) -> bool {
    let backend = options.compile.target.name();
    tags.iter().any(|tag| {
        EXCLUDED.contains(&tag.as_str())
            || options.exclude.contains(tag)
            || tag.strip_prefix("no_") == Some(backend)
    })
}

/// Groups of the same name become one: entry points may take turns.
fn merged(groups: Vec<Group>) -> Vec<Group> {
    let mut merged: Vec<Group> = Vec::new();
    for group in groups {
        match merged.iter_mut().find(|other| other.name == group.name) {
            Some(other) => other.datasets.extend(group.datasets),
            None => merged.push(group),
        }
    }
    merged
}
