//! One case of a test block: the input, the run, and the comparison.
//!
//! With `auto output` the expected values are those of a reference, which is the interpreter on the
//! program without any passes. If just that is tested, a case of this kind only has to succeed.

use crate::blocks::{Case, Expected, Input};
use crate::files;
use crate::limit::{Ran, limited};
use crate::run::{Kind, Options, Verdict, found};
use crate::script::{self, Machine, ScriptError};
use fehu_data::{Value, compare, generate};
use fehu_driver::run::Compiled;
use std::path::Path;

/// What a case expects.
pub(crate) fn kind(case: &Case) -> Kind {
    match case.expected {
        Expected::Success | Expected::Auto => Kind::Success,
        Expected::Values(_) | Expected::File(_) => Kind::Values,
        Expected::Error(_) => Kind::Error,
    }
}

/// Runs a case with one entry point. Files are relative to the folder.
pub(crate) fn run(
    programs: &mut Programs,
    folder: &Path,
    entry: &str,
    case: &Case,
    options: &Options,
) -> Verdict {
    let input = match read_input(folder, &case.input, options) {
        Ok(input) => input,
        Err(why) => return Verdict::Failed(why),
    };
    // What is expected is read first, so that a missing file does not cost a run.
    let expected = match (&case.expected, &mut programs.reference) {
        (Expected::File(file), _) => match files::values(folder, file) {
            Ok(values) => Expected::Values(values),
            Err(why) => return Verdict::Failed(why),
        },
        (Expected::Auto, Some(reference)) => {
            match execute(reference, folder, entry, &input, options) {
                Ok(Ok(values)) => Expected::Values(values),
                Ok(Err(error)) => return Verdict::Failed(format!("the reference fails: {error}")),
                Err(verdict) => return verdict,
            }
        }
        (other, _) => other.clone(),
    };
    match execute(&mut programs.tested, folder, entry, &input, options) {
        Ok(result) => judge(result, expected),
        Err(verdict) => verdict,
    }
}

/// A program, ready to run.
pub(crate) struct Programs {
    /// The one that is tested.
    pub(crate) tested: Compiled,
    /// The reference of `auto output`, unless it is the tested program itself.
    pub(crate) reference: Option<Compiled>,
}

/// The results of an entry point; a verdict if it has not come to an end of its own.
fn execute(
    compiled: &mut Compiled,
    folder: &Path,
    entry: &str,
    input: &Arguments,
    options: &Options,
) -> Result<Result<Vec<Value>, ScriptError>, Verdict> {
    let ran = limited(compiled, options.limit, |compiled| match input {
        Arguments::Values(values) => compiled.run(entry, values.clone()).map_err(ScriptError::Run),
        Arguments::Script(text) => {
            let read = |file: &str| files::bytes(folder, file);
            let mut machine = Machine { program: compiled, read: &read };
            let result = script::eval::call(&mut machine, entry, text)?;
            result.into_values().map_err(ScriptError::Run)
        }
    });
    match ran {
        Ran::TooSlow => Err(Verdict::Limit("stopped at the time limit".to_owned())),
        Ran::Panic(message) => Err(Verdict::Failed(format!("the interpreter failed: {message}"))),
        Ran::Ended(Err(ScriptError::Run(error))) if error.is_limit() => {
            Err(Verdict::Limit(error.to_string()))
        }
        Ran::Ended(result) => Ok(result),
    }
}

/// Where the arguments come from.
enum Arguments {
    Values(Vec<Value>),
    Script(String),
}

fn read_input(folder: &Path, input: &Input, options: &Options) -> Result<Arguments, String> {
    match input {
        Input::Values(values) => Ok(Arguments::Values(values.clone())),
        Input::File(file) => files::values(folder, file).map(Arguments::Values),
        Input::Random(specs) => {
            let mut generator = generate::Generator::new(options.seed);
            let values = specs.iter().map(|spec| generator.value(spec));
            let values: Result<_, _> = values.collect();
            values.map(Arguments::Values).map_err(|error| error.message)
        }
        Input::Script(text) => Ok(Arguments::Script(text.clone())),
        Input::ScriptFile(file) => {
            let bytes = files::bytes(folder, file)?;
            let text = String::from_utf8(bytes).map_err(|_| format!("\"{file}\" is no text"))?;
            Ok(Arguments::Script(text))
        }
    }
}

fn judge(result: Result<Vec<Value>, ScriptError>, expected: Expected) -> Verdict {
    match (result, expected) {
        (Ok(values), Expected::Values(expected)) => {
            let comparison = compare::compare(&expected, &values, &compare::Options::default());
            match comparison.is_equal() {
                true => Verdict::Passed,
                false => Verdict::Failed(comparison.summary()),
            }
        }
        (Ok(_), Expected::Error(regex)) => {
            Verdict::Failed(format!("succeeded, but should fail with `{regex}`"))
        }
        (Ok(_), Expected::Success | Expected::Auto) => Verdict::Passed,
        (Ok(_), Expected::File(file)) => Verdict::Failed(format!("\"{file}\" has not been read")),
        (Err(error), Expected::Error(regex)) => {
            let text = error.to_string();
            let own = matches!(&error, ScriptError::Run(error) if error.is_program());
            match own && found(&regex, &text) {
                true => Verdict::Passed,
                false => Verdict::Failed(format!("failed, but not with `{regex}`: {text}")),
            }
        }
        (Err(error), _) => Verdict::Failed(failure(&error)),
    }
}

/// A mistake in a script is said to be one, as the program may well be right.
fn failure(error: &ScriptError) -> String {
    match error {
        ScriptError::Run(_) => error.to_string(),
        ScriptError::Syntax(_) | ScriptError::Meaning(_) => format!("script input: {error}"),
    }
}
