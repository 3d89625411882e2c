//! One program: compiled once, then all its cases.

use crate::blocks::{self, Case, Expected, Test};
use crate::executor::Limit;
use crate::prepare::{self, Compile, Programs};
use crate::{case, property};
use fehu_base::render::{self, Style};
use fehu_driver::check::{self, Exit, Outcome, Warnings};
use fehu_driver::files::Disk;
use fehu_driver::load::Root;
use fehu_driver::passes::Plan;
use fehu_driver::pipelines;
use fehu_driver::translate::{Changes, Job, translate};
use regex_lite::Regex;
use std::path::Path;
use std::time::Duration;

/// Tests one program.
pub fn program(path: &str, options: &Options) -> ProgramResult {
    let done = |verdict| ProgramResult {
        path: path.to_owned(),
        verdict,
        cases: Vec::new(),
        warnings: Vec::new(),
    };
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => return done(Verdict::Failed(format!("cannot be read: {error}"))),
    };
    let test = match blocks::read(&String::from_utf8_lossy(&bytes)) {
        Ok(test) => test,
        Err(error) => return done(Verdict::Failed(format!("test block, {error}"))),
    };
    if let Some(tag) = excluded(&test.tags, options) {
        return done(Verdict::Skipped(format!("it has the tag \"{tag}\"")));
    }
    if let Some(regex) = &test.error {
        return done(expected_rejection(path, regex));
    }
    match options.depth {
        Depth::Check => checked(path, &test, options),
        Depth::Compile | Depth::Run => accepted(path, &test, options),
    }
}

/// How to test.
#[derive(Clone, Debug)]
pub struct Options {
    /// How far programs are taken.
    pub depth: Depth,
    /// How long a case may run.
    pub limit: Duration,
    /// Whether to run also the cases that are meant for compiled programs only.
    pub compiled_too: bool,
    /// The most bytes that one array may have.
    pub max_array_bytes: u64,
    /// The seed of random inputs and properties.
    pub seed: u64,
    /// Tags of programs and cases that are not tested.
    pub exclude: Vec<String>,
    /// The only entry point that is tested, if there is one.
    pub entry: Option<String>,
    /// The passes that programs go through before they run.
    pub plan: Plan,
    /// How programs are compiled; they are interpreted if it is nothing.
    pub compile: Option<Compile>,
}

/// How far programs are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// They are checked.
    Check,
    /// They are compiled.
    Compile,
    /// Their cases are run.
    Run,
}

/// Tags of what is never tested. Besides, `no_BACKEND` excludes a back end, and `no_interpreter` the interpreter.
const EXCLUDED: [&str; 2] = ["disable", "notest"];

impl Default for Options {
    fn default() -> Options {
        Options {
            depth: Depth::Run,
            limit: Duration::from_secs(10),
            compiled_too: false,
            max_array_bytes: 1 << 30,
            seed: 1,
            exclude: Vec::new(),
            entry: None,
            plan: Plan::none(),
            compile: None,
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
    /// What people should know, although it makes nothing fail.
    pub warnings: Vec<String>,
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
    /// That an entry point is true for all values.
    Property,
}

/// How something ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// As it should.
    Passed,
    /// Otherwise, and how.
    Failed(String),
    /// Not within a limit of time or memory, and which.
    Limit(Limit),
    /// Not at all, because the program was not compiled; the program's verdict says why.
    NotCompiled,
    /// It was not tested, and why.
    Skipped(String),
}

impl ProgramResult {
    /// Whether nothing went wrong.
    pub fn is_good(&self) -> bool {
        let mut all = self.verdicts();
        all.all(|verdict| matches!(verdict, Verdict::Passed | Verdict::Skipped(_)))
    }

    /// How the program and its cases ended.
    pub fn verdicts(&self) -> impl Iterator<Item = &Verdict> {
        std::iter::once(&self.verdict).chain(self.cases.iter().map(|case| &case.verdict))
    }
}

/// A program that the compiler must refuse.
fn expected_rejection(path: &str, regex: &str) -> Verdict {
    let outcome = check::check(&Disk, &Root::Path(path.to_owned()), Warnings::Show);
    match outcome.exit {
        Exit::Success => {
            Verdict::Failed(format!("accepted, but should have been rejected with `{regex}`"))
        }
        Exit::Internal => Verdict::Failed(first_line(&outcome)),
        Exit::Rejected if found(regex, &messages(&outcome)) => Verdict::Passed,
        Exit::Rejected => {
            let line = first_line(&outcome);
            Verdict::Failed(format!("rejected, but the message does not match `{regex}`: {line}"))
        }
    }
}

/// A program that the compiler must accept; it is only checked.
fn checked(path: &str, test: &Test, options: &Options) -> ProgramResult {
    let outcome = check::check(&Disk, &Root::Path(path.to_owned()), Warnings::Show);
    let verdict = match outcome.exit {
        Exit::Success => warned(path, test, &outcome),
        Exit::Rejected | Exit::Internal => Verdict::Failed(first_line(&outcome)),
    };
    let cases = not_run(test, options);
    ProgramResult { path: path.to_owned(), verdict, cases, warnings: Vec::new() }
}

/// A program that the compiler must accept, and its cases.
fn accepted(path: &str, test: &Test, options: &Options) -> ProgramResult {
    let auto = test.cases.iter().any(|case| case.expected == Expected::Auto);
    let (outcome, mut prepared) =
        prepare::prepare(path, options, auto && options.depth == Depth::Run);
    let verdict = match &prepared {
        Ok(_) => warned(path, test, &outcome),
        Err(why) => Verdict::Failed(why.clone()),
    };
    let warnings = prepared.as_mut().map_or(Vec::new(), |programs| programs.warnings.split_off(0));
    let mut result = ProgramResult { path: path.to_owned(), verdict, cases: Vec::new(), warnings };
    if options.depth != Depth::Run {
        result.cases = not_run(test, options);
        return result;
    }
    let mut programs = prepared.ok();
    let folder = Path::new(path).parent().unwrap_or(Path::new(""));
    for (entry, case) in cases(test, options) {
        let verdict = match (skipped(case, options), programs.as_mut()) {
            (Some(why), _) => Verdict::Skipped(why),
            (None, None) => Verdict::NotCompiled,
            (None, Some(programs)) => case::run(programs, folder, entry, case, options),
        };
        result.cases.push(CaseResult { name: name(entry, case), kind: case::kind(case), verdict });
    }
    for property in properties(test, options) {
        let verdict = match programs.as_mut() {
            None => Verdict::NotCompiled,
            Some(Programs { tested, entries, .. }) => {
                property::run(tested.as_mut(), entries, &outcome, property, options)
            }
        };
        let name = format!("property \"{property}\"");
        result.cases.push(CaseResult { name, kind: Kind::Property, verdict });
    }
    if let Some(Err(why)) = programs.map(|mut programs| programs.tested.close())
        && result.verdict == Verdict::Passed
    {
        result.verdict = Verdict::Failed(why.to_string());
    }
    result
}

/// The cases, for each of their entry points.
fn cases<'t>(test: &'t Test, options: &'t Options) -> impl Iterator<Item = (&'t String, &'t Case)> {
    let all =
        test.cases.iter().flat_map(|case| case.entries.iter().map(move |entry| (entry, case)));
    all.filter(|(entry, _)| options.entry.as_ref().is_none_or(|only| only == *entry))
}

fn properties<'t>(test: &'t Test, options: &'t Options) -> impl Iterator<Item = &'t String> {
    let all = test.properties.iter();
    all.filter(|name| options.entry.as_ref().is_none_or(|only| only == *name))
}

/// The cases of a program that is not run: a case that is not run has not passed.
fn not_run(test: &Test, options: &Options) -> Vec<CaseResult> {
    let verdict = || Verdict::Skipped("programs are not run".to_owned());
    let cases = cases(test, options).map(|(entry, case)| CaseResult {
        name: name(entry, case),
        kind: case::kind(case),
        verdict: verdict(),
    });
    let properties = properties(test, options).map(|property| CaseResult {
        name: format!("property \"{property}\""),
        kind: Kind::Property,
        verdict: verdict(),
    });
    cases.chain(properties).collect()
}

fn name(entry: &str, case: &Case) -> String {
    format!("line {}, entry \"{entry}\", input {}", case.line, case.name)
}

/// Whether all warnings are there that a program must have.
fn warned(path: &str, test: &Test, outcome: &Outcome) -> Verdict {
    let missing = |text: &str| test.warnings.iter().find(|warning| !found(warning, text)).cloned();
    let text = messages(outcome);
    if missing(&text).is_none() {
        return Verdict::Passed;
    }
    // Some warnings are only there when a program is optimised.
    match missing(&format!("{text}{}", messages(&optimised(path)))) {
        None => Verdict::Passed,
        Some(missing) => Verdict::Failed(format!("no warning matches `{missing}`")),
    }
}

fn optimised(path: &str) -> Outcome {
    let job = Job {
        files: &Disk,
        root: &Root::Path(path.to_owned()),
        warnings: Warnings::Show,
        plan: &Plan::of(pipelines::CPU.passes),
        changes: Changes::default(),
    };
    translate(&job, |_| {}, &mut |_, _| {}, |_, _, _| {})
}

/// Why a case is not run, if it is not.
pub fn skipped(case: &Case, options: &Options) -> Option<String> {
    let skips = options.compile.is_none() && !options.compiled_too;
    let compiled = case.tags.iter().find(|tag| skips && *tag == "compiled");
    let tag = compiled.or_else(|| excluded(&case.tags, options))?;
    Some(format!("it has the tag \"{tag}\""))
}

fn excluded<'t>(tags: &'t [String], options: &Options) -> Option<&'t String> {
    let executor = match &options.compile {
        None => "interpreter",
        Some(compile) => compile.target.name(),
    };
    tags.iter().find(|tag| {
        EXCLUDED.contains(&tag.as_str())
            || options.exclude.contains(tag)
            || tag.strip_prefix("no_") == Some(executor)
    })
}

fn messages(outcome: &Outcome) -> String {
    let draw = |diagnostic| render::text(&outcome.sources, diagnostic, Style::Plain);
    outcome.diagnostics.iter().map(draw).collect()
}

/// The first error, with what is noted first about it if it has no place.
pub(crate) fn first_line(outcome: &Outcome) -> String {
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
pub fn found(expression: &str, text: &str) -> bool {
    match Regex::new(&format!("(?s){expression}")) {
        Ok(regex) => regex.is_match(text),
        Err(_) => text.contains(expression),
    }
}
