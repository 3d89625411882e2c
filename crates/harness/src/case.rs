//! One case of a test block: the input, the run, and the comparison.
//!
//! With `auto output` the expected values are those of a reference; see [`crate::prepare`]. Without one, and where the
//! reference needs more time or memory than it may have, a case of this kind only has to succeed.

use crate::blocks::{Case, Expected, Input};
use crate::executor::{self, Executor, Failure, Limit, Object};
use crate::files;
use crate::prepare::Programs;
use crate::run::{Kind, Options, Verdict, found};
use crate::script::{self, Machine, ScriptError};
use fehu_data::{Value, ValueType, compare, generate};
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
pub fn run(
    programs: &mut Programs,
    folder: &Path,
    entry: &str,
    case: &Case,
    options: &Options,
) -> Verdict {
    if let Input::Random(specs) = &case.input
        && let Some(large) = specs.iter().find(|spec| spec.bytes() > options.max_array_bytes)
    {
        let most = options.max_array_bytes;
        let why = format!(
            "the random input `{large}` has more than {most} bytes; `--max-array MIB` allows more"
        );
        return Verdict::Limit(Limit::Resources(why));
    }
    programs.tested.begin(options.limit);
    let input = read_input(programs.tested.as_mut(), folder, entry, &case.input, options.seed);
    // What is expected is read first, so that a missing file does not cost a run.
    let signature = programs.tested.signature(entry);
    let shown = signature.and_then(|signature| programs.tested.shows(&signature.result));
    programs.tested.end();
    let input = match input {
        Ok(input) => input,
        Err(why) => return Verdict::Failed(why),
    };
    // What is wrong with the entry point is told when it is called.
    let shown = shown.unwrap_or(true);
    let expected = match (&case.expected, &mut programs.reference) {
        (Expected::File(file), _) => match files::values(folder, file) {
            Ok(values) => Expected::Values(values),
            Err(why) => return Verdict::Failed(why),
        },
        (Expected::Auto, Some(reference)) if shown => {
            match execute(reference.as_mut(), folder, entry, &input, options, Wanted::All) {
                Ok(values) => Expected::Values(values),
                Err(ScriptError::Run(Failure::Limit(_))) => Expected::Success,
                Err(error) => return Verdict::Failed(format!("the reference fails: {error}")),
            }
        }
        (other, _) => other.clone(),
    };
    let wanted = match &expected {
        Expected::Values(values) => Wanted::Count(values.len()),
        Expected::Success | Expected::Auto | Expected::File(_) | Expected::Error(_) => {
            Wanted::Nothing
        }
    };
    judge(execute(programs.tested.as_mut(), folder, entry, &input, options, wanted), expected)
}

/// Which values of a result are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wanted {
    /// None.
    Nothing,
    /// All that it consists of.
    All,
    /// So many are expected.
    Count(usize),
}

/// The values of a result, each array and each scalar that it consists of. Where so many are expected as a tuple has
/// components, a component that consists of several, such as an array of tuples, counts as one value: the first of them.
/// That is how other tools count.
pub(crate) fn results(
    program: &mut dyn Executor,
    object: &Object,
    wanted: Wanted,
) -> executor::Res<Vec<Value>> {
    let count = match wanted {
        Wanted::Nothing => return Ok(Vec::new()),
        Wanted::All => return program.values(object),
        Wanted::Count(count) => count,
    };
    let all = program.values(object)?;
    if all.len() <= count {
        return Ok(all);
    }
    if !object.ty.starts_with('(') {
        return Ok(if count == 1 { all.into_iter().take(1).collect() } else { all });
    }
    let components = program.fields(&object.ty)?;
    if components.len() != count {
        return Ok(all);
    }
    let mut firsts = Vec::new();
    for (field, _) in components {
        let component = program.project(object, &field)?;
        firsts.extend(program.values(&component)?.into_iter().next());
    }
    Ok(firsts)
}

/// The results of an entry point; none if they are not wanted.
pub(crate) fn execute(
    program: &mut dyn Executor,
    folder: &Path,
    entry: &str,
    input: &Arguments,
    options: &Options,
    wanted: Wanted,
) -> Result<Vec<Value>, ScriptError> {
    program.begin(options.limit);
    let result = match input {
        Arguments::Values(values) => program.run(entry, values).map_err(ScriptError::Run),
        Arguments::Script(text) => {
            let read = |file: &str| files::bytes(folder, file);
            let mut machine = Machine { program: &mut *program, builtins: &read };
            script::eval::call(&mut machine, entry, text)
        }
    };
    let result =
        result.and_then(|result| results(program, &result, wanted).map_err(ScriptError::Run));
    program.end();
    result
}

/// Where the arguments come from.
pub(crate) enum Arguments {
    Values(Vec<Value>),
    Script(String),
}

/// Reads or makes the input of a case. What numbers without types in a file are depends on what the entry point wants.
pub(crate) fn read_input(
    program: &mut dyn Executor,
    folder: &Path,
    entry: &str,
    input: &Input,
    seed: u64,
) -> Result<Arguments, String> {
    match input {
        Input::Values(values) => Ok(Arguments::Values(values.clone())),
        Input::File(file) => {
            // What is wrong with the entry point is told when it is called.
            let params = program.signature(entry).map_or(Vec::new(), |found| found.params);
            let types: Option<Vec<ValueType>> =
                params.iter().map(|(_, ty)| ValueType::parse(ty)).collect();
            files::arguments(folder, file, &types.unwrap_or_default()).map(Arguments::Values)
        }
        Input::Random(specs) => {
            let mut generator = generate::Generator::new(seed);
            let values = specs.iter().map(|spec| generator.value(spec));
            let values: Result<_, _> = values.collect();
            values.map(Arguments::Values).map_err(|error| error.message)
        }
        Input::Script(text) => Ok(Arguments::Script(text.clone())),
        Input::ScriptFile(file) => {
            let bytes = files::bytes(folder, file)?;
            let text = String::from_utf8(bytes).map_err(|_| format!("\"{file}\" is not text"))?;
            Ok(Arguments::Script(text))
        }
    }
}

fn judge(result: Result<Vec<Value>, ScriptError>, expected: Expected) -> Verdict {
    match (result, expected) {
        (Err(ScriptError::Run(Failure::Limit(which))), _) => Verdict::Limit(which),
        (Err(ScriptError::Run(Failure::Broken(why))), _) => Verdict::Failed(why),
        (Ok(values), Expected::Values(expected)) => match difference(&expected, &values) {
            None => Verdict::Passed,
            Some(difference) => Verdict::Failed(difference),
        },
        (Ok(_), Expected::Error(regex)) => {
            Verdict::Failed(format!("succeeded, but should have failed with `{regex}`"))
        }
        (Ok(_), Expected::Success | Expected::Auto) => Verdict::Passed,
        (Ok(_), Expected::File(file)) => Verdict::Failed(format!("\"{file}\" has not been read")),
        (Err(error), Expected::Error(regex)) => {
            let text = error.to_string();
            let own = matches!(&error, ScriptError::Run(Failure::Program(_)));
            match own && found(&regex, &text) {
                true => Verdict::Passed,
                false => Verdict::Failed(format!("failed, but not with `{regex}`: {text}")),
            }
        }
        (Err(error), _) => Verdict::Failed(failure(&error)),
    }
}

/// How values differ, if they do.
pub(crate) fn difference(expected: &[Value], got: &[Value]) -> Option<String> {
    let comparison = compare::compare(expected, got, &compare::Options::default());
    (!comparison.is_equal()).then(|| comparison.summary())
}

/// A mistake in a script is said to be one, as the program may well be right.
pub(crate) fn failure(error: &ScriptError) -> String {
    match error {
        ScriptError::Run(_) => error.to_string(),
        ScriptError::Syntax(_) | ScriptError::Meaning(_) => format!("script input: {error}"),
    }
}
