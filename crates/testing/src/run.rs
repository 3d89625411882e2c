//! One program: compiled once, then all its cases.

use crate::blocks::{self, Case, Expected, Input, Test};
use fehu_base::render::{self, Style};
use fehu_data::{Value, compare, generate, reader};
use fehu_driver::check::{self, Exit, Outcome, Warnings};
use fehu_driver::files::Disk;
use fehu_driver::load::Root;
use fehu_driver::passes::Plan;
use fehu_driver::run::{self, Compiled, RunError};
use regex_lite::Regex;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// Tests one program.
pub fn program(path: &str, options: &Options) -> ProgramResult {
    let done = |verdict| ProgramResult { path: path.to_owned(), verdict, cases: Vec::new() };
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => return done(Verdict::Failed(format!("cannot be read: {error}"))),
    };
    let test = match blocks::read(&String::from_utf8_lossy(&bytes)) {
        Ok(test) => test,
        Err(error) => return done(Verdict::Failed(format!("test block, {error}"))),
    };
    let ignored = ["disable", "notest"].into_iter().find(|tag| test.tags.iter().any(|t| t == tag));
    if let Some(tag) = ignored {
        return done(Verdict::Skipped(format!("it has the tag \"{tag}\"")));
    }
    if let Some(regex) = &test.error {
        return done(expected_rejection(path, regex));
    }
    accepted(path, &test, options)
}

/// How to test.
#[derive(Clone, Debug)]
pub struct Options {
    /// How long a case may run.
    pub limit: Duration,
    /// Whether to run also the cases that are meant for compiled programs only.
    pub compiled_too: bool,
    /// The most bytes that one array may have.
    pub max_array_bytes: u64,
    /// The seed of random inputs.
    pub seed: u64,
    /// The passes that programs go through before they run.
    pub plan: Plan,
}

impl Default for Options {
    fn default() -> Options {
        let limit = Duration::from_secs(10);
        Options {
            limit,
            compiled_too: false,
            max_array_bytes: 1 << 30,
            seed: 1,
            plan: Plan::none(),
        }
    }
}

/// What came out of a program.
#[derive(Clone, PartialEq, Debug)]
pub struct ProgramResult {
    /// The program.
    pub path: String,
    /// Whether the compiler did what it should.
    pub verdict: Verdict,
    /// The cases in order, for each entry point.
    pub cases: Vec<CaseResult>,
}

/// What came out of a case.
#[derive(Clone, PartialEq, Debug)]
pub struct CaseResult {
    /// The line of the case, the entry point and the name.
    pub name: String,
    /// What was expected.
    pub kind: Kind,
    /// Whether it came.
    pub verdict: Verdict,
}

/// What a case expects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Values.
    Values,
    /// An error.
    Error,
    /// A result, whatever it is.
    Success,
}

/// How something ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// As it should.
    Passed,
    /// Otherwise, and how.
    Failed(String),
    /// Not within the time limit.
    Timeout,
    /// Not at all, because the program was not compiled; the program's verdict says why.
    NotCompiled,
    /// It was not tested, and why.
    Skipped(String),
}

impl ProgramResult {
    /// Whether nothing went wrong.
    pub fn is_good(&self) -> bool {
        let mut all = std::iter::once(&self.verdict).chain(self.cases.iter().map(|c| &c.verdict));
        all.all(|verdict| matches!(verdict, Verdict::Passed | Verdict::Skipped(_)))
    }
}

/// A program that the compiler must refuse.
fn expected_rejection(path: &str, regex: &str) -> Verdict {
    let outcome = check::check(&Disk, &Root::Path(path.to_owned()), Warnings::Show);
    match outcome.exit {
        Exit::Success => Verdict::Failed(format!("accepted, but should be refused with `{regex}`")),
        Exit::Internal => Verdict::Failed(first_line(&outcome)),
        Exit::Rejected if found(regex, &messages(&outcome)) => Verdict::Passed,
        Exit::Rejected => {
            let line = first_line(&outcome);
            Verdict::Failed(format!("refused, but `{regex}` is not found in the message: {line}"))
        }
    }
}

/// A program that the compiler must accept.
fn accepted(path: &str, test: &Test, options: &Options) -> ProgramResult {
    let interpreter = fehu_interp::Options {
        max_array_bytes: options.max_array_bytes,
        ..fehu_interp::Options::default()
    };
    let root = Root::Path(path.to_owned());
    let (outcome, compiled) =
        run::compile_with(&Disk, &root, Warnings::Show, interpreter, &options.plan);
    let mut result =
        ProgramResult { path: path.to_owned(), verdict: Verdict::Passed, cases: Vec::new() };
    let mut compiled = compiled;
    if compiled.is_none() {
        result.verdict = Verdict::Failed(first_line(&outcome));
    }
    let text = messages(&outcome);
    let missing = test.warnings.iter().find(|warning| !found(warning, &text));
    if let (Some(_), Some(missing)) = (&compiled, missing) {
        result.verdict = Verdict::Failed(format!("no warning in which `{missing}` is found"));
    }
    let folder = Path::new(path).parent().unwrap_or(Path::new(""));
    for case in &test.cases {
        for entry in &case.entries {
            let verdict = run_case(compiled.as_mut(), folder, entry, case, options);
            let name = format!("line {}, entry \"{entry}\", input {}", case.line, case.name);
            result.cases.push(CaseResult { name, kind: kind(case), verdict });
        }
    }
    for property in &test.properties {
        let verdict = Verdict::Skipped("properties are not supported yet".to_owned());
        let name = format!("property \"{property}\"");
        result.cases.push(CaseResult { name, kind: Kind::Success, verdict });
    }
    result
}

fn kind(case: &Case) -> Kind {
    match case.expected {
        Expected::Success | Expected::Auto => Kind::Success,
        Expected::Values(_) | Expected::File(_) => Kind::Values,
        Expected::Error(_) => Kind::Error,
    }
}

fn run_case(
    compiled: Option<&mut Compiled>,
    folder: &Path,
    entry: &str,
    case: &Case,
    options: &Options,
) -> Verdict {
    for tag in &case.tags {
        if tag == "notest" || (tag == "compiled" && !options.compiled_too) {
            return Verdict::Skipped(format!("it has the tag \"{tag}\""));
        }
    }
    let Some(compiled) = compiled else { return Verdict::NotCompiled };
    let input = match &case.input {
        Input::Values(values) => Ok(values.clone()),
        Input::File(file) => read_file(folder, file),
        Input::Random(specs) => random(specs, options.seed),
        Input::Script(_) | Input::ScriptFile(_) => {
            Err(Verdict::Skipped("scripts are not supported yet".to_owned()))
        }
    };
    let input = match input {
        Ok(input) => input,
        Err(verdict) => return verdict,
    };
    // What is expected is read first, so that a missing file does not cost a run.
    let expected = match &case.expected {
        Expected::File(file) => match read_file(folder, file) {
            Ok(values) => Expected::Values(values),
            Err(verdict) => return verdict,
        },
        other => other.clone(),
    };
    match (limited(compiled, entry, input, options.limit), expected) {
        (Ran::Timeout, _) => Verdict::Timeout,
        (Ran::Panic(message), _) => Verdict::Failed(format!("the interpreter failed: {message}")),
        (Ran::Ended(Ok(values)), Expected::Values(expected)) => {
            let comparison = compare::compare(&expected, &values, &compare::Options::default());
            if comparison.is_equal() {
                Verdict::Passed
            } else {
                Verdict::Failed(comparison.summary())
            }
        }
        (Ran::Ended(Ok(_)), Expected::Error(regex)) => {
            Verdict::Failed(format!("succeeded, but should fail with `{regex}`"))
        }
        (Ran::Ended(Ok(_)), Expected::Success | Expected::Auto | Expected::File(_)) => {
            Verdict::Passed
        }
        (Ran::Ended(Err(error)), Expected::Error(regex)) => {
            let text = error.to_string();
            match error.is_program() && found(&regex, &text) {
                true => Verdict::Passed,
                false => Verdict::Failed(format!("failed, but not with `{regex}`: {text}")),
            }
        }
        (Ran::Ended(Err(error)), _) => Verdict::Failed(error.to_string()),
    }
}

/// How a run ended.
enum Ran {
    Ended(Result<Vec<Value>, RunError>),
    Timeout,
    Panic(String),
}

/// Runs an entry point, and interrupts it after the time limit.
fn limited(compiled: &mut Compiled, entry: &str, input: Vec<Value>, limit: Duration) -> Ran {
    let flag = Arc::new(AtomicBool::new(false));
    compiled.interp_mut().options_mut().interrupt = Some(Arc::clone(&flag));
    let (finished, waiting) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // The other end is dropped when the run is over.
            if waiting.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout) {
                flag.store(true, Ordering::Relaxed);
            }
        });
        let result = panic::catch_unwind(AssertUnwindSafe(|| compiled.run(entry, input)));
        drop(finished);
        match result {
            Ok(Err(error)) if error.is_interrupt() => Ran::Timeout,
            Ok(result) => Ran::Ended(result),
            Err(payload) => {
                let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
                let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
                Ran::Panic(text.unwrap_or_default())
            }
        }
    })
}

fn random(specs: &[generate::Spec], seed: u64) -> Result<Vec<Value>, Verdict> {
    let mut generator = generate::Generator::new(seed);
    let values = specs.iter().map(|spec| generator.value(spec));
    values.collect::<Result<_, _>>().map_err(|error| Verdict::Failed(error.message))
}

fn read_file(folder: &Path, file: &str) -> Result<Vec<Value>, Verdict> {
    if file.ends_with(".gz") {
        return Err(Verdict::Skipped("compressed data is not supported yet".to_owned()));
    }
    let bytes = std::fs::read(folder.join(file))
        .map_err(|error| Verdict::Failed(format!("cannot read \"{file}\": {error}")))?;
    reader::read_all(&bytes).map_err(|error| Verdict::Failed(format!("{file}:{error}")))
}

fn messages(outcome: &Outcome) -> String {
    let draw = |diagnostic| render::text(&outcome.sources, diagnostic, Style::Plain);
    outcome.diagnostics.iter().map(draw).collect()
}

/// The first error, with what is noted first about it if it has no place.
fn first_line(outcome: &Outcome) -> String {
    let Some(error) = outcome.diagnostics.iter().find(|found| found.is_error()) else {
        return "the compiler failed".to_owned();
    };
    let mut line = format!("error[{}]: {}", error.code, error.message);
    match (&error.primary, error.notes.first()) {
        (Some(label), _) => {
            line.push_str(&format!(" at {}", outcome.sources.describe(label.span)));
        }
        (None, Some(note)) => line.push_str(&format!("; {note}")),
        (None, None) => {}
    }
    line
}

/// Whether an expression is found anywhere in a text; a dot matches line breaks too. What this
/// engine cannot read is looked for literally.
fn found(expression: &str, text: &str) -> bool {
    match Regex::new(&format!("(?s){expression}")) {
        Ok(regex) => regex.is_match(text),
        Err(_) => text.contains(expression),
    }
}
